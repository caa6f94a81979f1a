//! Distances of pairs, compared with parry3d.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench distance             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench distance -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! All pairs of neighbours, settled or not. phalanx gets columns that may have changed, and packs them in every call.
//! parry3d has its poses ready. Its distances must not be below the lower bound, up to its own rounding; distances
//! outside of both bounds are counted.

use std::cell::LazyCell;
use std::hint::black_box;

use parry3d::query::distance;
use parry3d::shape::{self, Ball, Cuboid};
use phalanx::traits::Distance;
use phalanx::{Capsule, Detector, Distances, HalfSpace, Obb, Pair, Sphere, StoreRef, Triangle};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::Posed;
use phalanx_bench::kernels::MAX_DIFFERENT;
use phalanx_bench::record::{Contest, FileError};
use phalanx_bench::scenes::{InScene, PairList, Scene, SceneSpec};

const SPEC: SceneSpec = SceneSpec::new("64k", 1 << 16, 5 << 16, PairList::Neighbours);
const QUICK: SceneSpec = SceneSpec::new("4k", 1 << 12, 4 << 12, PairList::Neighbours);

/// Largest distance outside of the bounds that counts as equal, for shapes of size about 1.
const TOLERANCE: f32 = 1e-3;

/// Target speed of each kernel, relative to parry3d.
const TARGETS: [(&str, f64); 7] = [
    ("sphere_obb_distance", 12.0),
    ("capsule_capsule_distance", 40.0),
    ("capsule_obb_distance", 30.0),
    ("obb_obb_distance", 12.0),
    ("sphere_triangle_distance", 12.0),
    ("capsule_triangle_distance", 25.0),
    ("obb_triangle_distance", 8.0),
];

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("distance");
    let spec = if bench.is_quick() { &QUICK } else { &SPEC };
    // Built on first use, because a filter may omit all contests.
    let scene = LazyCell::new(|| spec.build());
    macro_rules! hold {
        ($($name:ident: $a:ident as $p:ty, $b:ident as $q:ty;)*) => {
            $(hold::<$a, $p, $b, $q>(&mut bench, stringify!($name), spec, &scene);)*
        };
    }
    hold! {
        sphere_sphere_distance: Sphere as Ball, Sphere as Ball;
        sphere_obb_distance: Sphere as Ball, Obb as Cuboid;
        capsule_capsule_distance: Capsule as shape::Capsule, Capsule as shape::Capsule;
        capsule_obb_distance: Capsule as shape::Capsule, Obb as Cuboid;
        obb_obb_distance: Obb as Cuboid, Obb as Cuboid;
        sphere_triangle_distance: Sphere as Ball, Triangle as shape::Triangle;
        capsule_triangle_distance: Capsule as shape::Capsule, Triangle as shape::Triangle;
        obb_triangle_distance: Obb as Cuboid, Triangle as shape::Triangle;
        triangle_triangle_distance: Triangle as shape::Triangle, Triangle as shape::Triangle;
        obb_half_space_distance: Obb as Cuboid, HalfSpace as shape::HalfSpace;
    }
    print_targets(bench.contests());
    bench.finish()
}

/// The contest of a kernel.
fn hold<A, P, B, Q>(
    bench: &mut Bench,
    name: &str,
    spec: &SceneSpec,
    scene: &LazyCell<Scene, impl FnOnce() -> Scene>,
) where
    A: InScene + Distance<B>,
    B: InScene,
    P: shape::Shape,
    Q: shape::Shape,
    Posed<P>: From<A>,
    Posed<Q>: From<B>,
{
    let label = Label {
        name: name.into(),
        scene: spec.name.into(),
        about: spec.about(),
        shapes: spec.shapes,
        items: spec.pairs,
        unit: "pair",
    };
    let players = [
        Player::phalanx("distance"),
        Player::peer("parry3d", "query::distance"),
    ];
    bench.hold(label, &players, || {
        let pairs: &[Pair] = &scene.pairs;
        let mut own = Own::<A, B>::new(scene);
        let (a, b) = (posed::<A, P>(scene), posed::<B, Q>(scene));
        let mut peers = Vec::new();
        let run_peer = move |peers: &mut Vec<f32>| {
            peers.clear();
            peers.extend(pairs.iter().map(|pair| {
                let (a, b) = (&a[pair.a as usize], &b[pair.b as usize]);
                let found = distance(&a.pose, &a.shape, &b.pose, &b.shape);
                found.expect("parry3d supports these shapes").distance
            }));
        };
        own.distance(pairs);
        run_peer(&mut peers);
        let bounds = own.distances.lower().iter().zip(own.distances.upper());
        let (mut below, mut above, mut farthest) = (0, 0, 0.0f32);
        for ((lower, upper), peer) in bounds.zip(&peers) {
            below += usize::from(*peer < lower - TOLERANCE);
            above += usize::from(*peer > upper + TOLERANCE);
            farthest = farthest.max(peer - upper);
        }
        // parry3d's distances of capsules are too large; that counts against neither side.
        assert!(
            below as f64 <= MAX_DIFFERENT * pairs.len() as f64,
            "{name}: parry3d is below the lower bound for {below} of {}",
            pairs.len()
        );
        if above > 0 {
            println!("{name}: parry3d is above the upper bound for {above}, by {farthest} at most");
        }
        let different = below + above;
        let unsettled = own.distances.iter_unsettled().count();
        assert!(
            unsettled * 1000 <= pairs.len(),
            "{name}: {unsettled} of {} are not settled",
            pairs.len()
        );
        let touching = own.distances.lower().iter().filter(|lower| **lower == 0.0);
        let hits = touching.count();
        Open {
            pairs: Some(pairs.len()),
            hits: Some(hits),
            different: vec![0, different],
            call: Box::new(move |player| match player {
                0 => own.distance(pairs),
                _ => {
                    run_peer(&mut peers);
                    black_box(&peers);
                }
            }),
        }
    });
}

/// Inputs and results of phalanx.
struct Own<'s, A: InScene, B: InScene> {
    a: StoreRef<'s, A>,
    b: StoreRef<'s, B>,
    detector: Detector,
    distances: Distances,
}

impl<'s, A: InScene + Distance<B>, B: InScene> Own<'s, A, B> {
    fn new(scene: &'s Scene) -> Self {
        Own {
            a: A::columns_in(scene),
            b: B::columns_in(scene),
            detector: Detector::new().parallel(false),
            distances: Distances::new(),
        }
    }

    fn distance(&mut self, pairs: &[Pair]) {
        self.detector
            .distance(&self.a, &self.b, pairs, &mut self.distances)
            .expect("scenes name shapes that exist");
        black_box(&self.distances);
    }
}

/// The shapes of a scene in the types of parry3d.
fn posed<T: InScene, S>(scene: &Scene) -> Vec<Posed<S>>
where
    Posed<S>: From<T>,
{
    let store = T::store(scene);
    (0..store.len() as u32)
        .filter_map(|i| Some(store.get(i)?.into()))
        .collect()
}

/// Prints the target and the measured speed of distances relative to parry3d.
fn print_targets(contests: &[Contest]) {
    if contests.is_empty() {
        return;
    }
    println!("\n| target | asked | measured |\n|---|--:|--:|");
    for (name, asked) in TARGETS {
        let Some(contest) = contests.iter().find(|contest| contest.name == name) else {
            continue;
        };
        if let (Some(own), Some(peer)) = (contest.side("distance"), contest.side("parry3d")) {
            let times = own.times_as_fast_as(peer);
            println!("| {name} against parry3d | {asked:.0} × | {times:.1} × |");
        }
    }
}
