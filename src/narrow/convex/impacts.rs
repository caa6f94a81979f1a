//! Impacts of convex hulls: the pairs whose bounding spheres meet advance one by one.

use crate::driver::call::KernelOf;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes};
use crate::narrow::convex;
use crate::narrow::convex::stages::{BodyOps, PairOf, WithBodies, WithSurfaces, below};
use crate::narrow::convex::toi::{Impact, Mover, Surface};
use crate::narrow::impact::impacts::{Impacts, Outcome};
use crate::narrow::impact::stage::ToiJob;
use crate::narrow::ops::ImpactOps;
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

/// Minimum number of pairs for a thread.
const GRAIN: usize = 16;

/// The advancement of pairs of two kinds of shapes.
trait Advancing: Copy + Send + Sync {
    /// The impact within a margin and a tolerance, not before a time.
    fn impact<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        within: [f32; 2],
        from: f32,
    ) -> Impact;
}

/// A shape of a pair with its motion.
fn mover<'s>(ops: &BodyOps, pair: &PairOf<'_, 's>, side: usize) -> Mover<'s> {
    let (columns, index) = (pair.columns[side], pair.indices[side]);
    Mover {
        body: (ops.read)(columns, index),
        displacement: columns.displacement(index),
        turn: columns.turn(index),
    }
}

impl Advancing for WithBodies {
    #[inline(always)]
    fn impact<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        [margin, tolerance]: [f32; 2],
        from: f32,
    ) -> Impact {
        let WithBodies([a, b]) = self;
        let movers = [mover(a, &pair, 0), mover(b, &pair, 1)];
        convex::toi::of_bodies(lanes, movers, margin, tolerance, from)
    }
}

impl Advancing for WithSurfaces {
    #[inline(always)]
    fn impact<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        [margin, tolerance]: [f32; 2],
        from: f32,
    ) -> Impact {
        let (normal, d) = (self.plane)(pair.columns[1], pair.indices[1]);
        let surface = Surface {
            normal,
            d,
            displacement: pair.columns[1].displacement(pair.indices[1]),
            is_solid: self.is_solid,
        };
        let mover = mover(self.hull, &pair, 0);
        convex::toi::of_surface(lanes, mover, &surface, margin, tolerance, from)
    }
}

/// Finds the times of impact of some pairs.
struct FindImpacts<'a, 's, S> {
    job: ToiJob<'a, 's>,
    search: S,
}

impl<S: Advancing> Job for FindImpacts<'_, '_, S> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let FindImpacts { job, search } = self;
        let ToiJob {
            shapes,
            margin,
            tolerance,
            positions,
            times,
            first,
        } = job;
        let [side_a, side_b] = shapes.list.sides();
        for &position in positions {
            let pair = shapes.list.at(position);
            let pair = PairOf {
                columns: shapes.columns,
                indices: [pair[side_a] as usize, pair[side_b] as usize],
            };
            let time = &mut times[position as usize - first];
            let found = search.impact(lanes, pair, [margin, tolerance], *time);
            let is_miss = found.time == f64::INFINITY;
            let outcome = if is_miss {
                Outcome::Miss
            } else if found.is_settled {
                Outcome::Hit(below(found.time))
            } else {
                Outcome::IterationLimit(below(found.time))
            };
            *time = outcome.encode();
        }
    }
}

/// The tables of impacts of hulls with the other kinds of shapes, in kernel order: with bounded ones, then with surfaces. Boxes
/// stand in for hulls.
macro_rules! tables {
    ($($a:ident, $b:ident: $box_a:ident, $box_b:ident;)+) => {
        $(tables!(@ $a, $b, $box_a, $box_b, WithBodies([
            const { &BodyOps::of::<$box_a>() },
            const { &BodyOps::of::<$box_b>() },
        ]));)+
    };
    (@ $a:ident, $b:ident, $box_a:ident, $box_b:ident, $search:expr) => {
        impl KernelOf<Impacts, $b> for $a {
            const OPS: &'static ImpactOps = &ImpactOps {
                test: <$box_a as KernelOf<Impacts, $box_b>>::OPS.test,
                grain: GRAIN,
                advance: |simd, job| simd.run(FindImpacts { job, search: $search }),
            };
        }
    };
}

tables! {
    Sphere, PlacedHull: Sphere, Obb;
    Capsule, PlacedHull: Capsule, Obb;
    Aabb, PlacedHull: Aabb, Obb;
    Obb, PlacedHull: Obb, Obb;
    PlacedHull, PlacedHull: Obb, Obb;
    PlacedHull, Triangle: Obb, Triangle;
}
tables!(@ PlacedHull, Plane, Obb, Plane, WithSurfaces::PLANES);
tables!(@ PlacedHull, HalfSpace, Obb, HalfSpace, WithSurfaces::HALF_SPACES);
