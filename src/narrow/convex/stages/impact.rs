//! Impacts of convex hulls: the pairs whose bounding spheres meet advance one by one.

use crate::driver::call::TableOf;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes};
use crate::narrow::convex::body::Body;
use crate::narrow::convex::stages::below;
use crate::narrow::convex::stages::read::{Kinds, Operands, PairOf};
use crate::narrow::convex::toi::{Mover, of_bodies, of_surface};
use crate::narrow::impact::impacts::{Impacts, Outcome};
use crate::narrow::impact::stage::{ImpactTable, ToiJob};
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

/// Minimum number of pairs for a thread.
const GRAIN: usize = 16;

/// The tables of impacts.
macro_rules! impacts {
    (=> $($a:ident, $b:ident: $box_a:ident, $box_b:ident, $points:literal, $clamps:literal;)+) => {
        $(impl TableOf<Impacts, $b> for $a {
            const TABLE: ImpactTable = ImpactTable {
                test: <$box_a as TableOf<Impacts, $box_b>>::TABLE.test,
                grain: GRAIN,
                advance: |simd, job| {
                    let kinds = Kinds::of::<$box_a, $box_b>();
                    simd.run(HullImpacts { job, kinds })
                },
            };
        })+
    };
}

hull_pairs!(impacts);

impl PairOf<'_, '_> {
    /// A shape of the pair with its motion.
    fn mover<'s>(&self, side: usize, body: Body<'s>) -> Mover<'s> {
        let (columns, index) = (self.columns[side], self.indices[side]);
        Mover {
            body,
            displacement: columns.displacement(index),
            turn: columns.turn(index),
        }
    }
}

/// Finds the times of impact of some pairs.
struct HullImpacts<'a, 's> {
    job: ToiJob<'a, 's>,
    kinds: Kinds,
}

impl Job for HullImpacts<'_, '_> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let HullImpacts { job, kinds } = self;
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
            let found = match kinds.read(pair) {
                Operands::Bodies([a, b]) => {
                    let movers = [pair.mover(0, a), pair.mover(1, b)];
                    of_bodies(lanes, movers, margin, tolerance, *time)
                }
                Operands::Surface(hull, surface) => {
                    let displacement = pair.columns[1].displacement(pair.indices[1]);
                    let surface = (surface, displacement);
                    of_surface(
                        lanes,
                        pair.mover(0, hull),
                        surface,
                        margin,
                        tolerance,
                        *time,
                    )
                }
            };
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
