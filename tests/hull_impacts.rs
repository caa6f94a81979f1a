//! Times of impact of hulls that move and turn, against the definition.
//!
//! Hulls of the eight corners of boxes are judged by the oracles of boxes, of which one proves in interval arithmetic. Other
//! hulls are judged by the distance of all their faces at many times, in `f64`.
//!
//! `PHALANX_CASES` sets the number of pairs for each kind of shape.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod harness;
mod oracle;

use common::{cases_or, rng};
use harness::impact::{Moved, Near, Turns, near};
use oracle::U;
use oracle::intervals::Proof;
use oracle::turning::Couple;
use phalanx::traits::Impact;
use phalanx::{
    Aabb, Capsule, Detector, HalfSpace, Hull, Hulls, Impacts, Obb, Pairs, PlacedHull, Plane,
    Shapes, Sphere, Store, Triangle,
};
use rand::RngExt;

fn cases() -> usize {
    cases_or(4000)
}

/// Tolerances relative to the larger shape's size.
const TOLERANCES: [f32; 4] = [1e-2, 1e-3, 1e-4, 0.0];

/// Boxes as hulls of their corners.
fn hulls_of(boxes: &[Moved<Obb>]) -> Hulls {
    let mut hulls = Hulls::default();
    for moved in boxes {
        let Obb {
            center,
            half_extents,
            rotation,
        } = moved.shape;
        let corner = |k: usize| {
            [0, 1, 2].map(|axis| half_extents[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
        };
        let points: Vec<_> = (0..8).map(corner).collect();
        let kind = hulls.add_kind(&points).unwrap();
        let hull = Hull::new(kind, center, rotation);
        hulls
            .push_turning(hull, moved.displacement, moved.turn)
            .unwrap();
    }
    hulls
}

/// A store of shapes.
fn store<T: Turns>(shapes: &[Moved<T>]) -> Store<T> {
    let mut store = Store::new();
    for moved in shapes {
        T::push(&mut store, moved);
    }
    store
}

fn ask<A: Shapes, B: Shapes>(a: &A, b: &B, tolerance: f32) -> Impacts
where
    A::Shape: Impact<B::Shape>,
{
    let mut impacts = Impacts::new();
    let mut detector = Detector::new().parallel(false);
    detector
        .impact(a, b, Pairs::zip(), tolerance, &mut impacts)
        .unwrap();
    assert_eq!(impacts.invalid_count(), 0);
    impacts
}

#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    hits: usize,
    undecided: usize,
    unsettled: usize,
    proven: usize,
    /// Growth needed for contact at the time, as a share of what is allowed.
    worst: f64,
}

/// Judges hulls of boxes as boxes: never late, and within the tolerance at the time.
fn judge_boxes<B: Turns>(ask: impl Fn(&Near<Obb, B>, f32) -> Impacts) {
    let mut rng = rng(&format!("hulls of boxes, {}", std::any::type_name::<B>()));
    let mut tally = Tally::default();
    while tally.pairs < cases() {
        let Some(mut near) = near::<Obb, B>(&mut rng) else {
            continue;
        };
        // The margin of a box is not Euclidean.
        near.margin = 0.0;
        let tolerance = TOLERANCES[rng.random_range(0..4)] * near.size;
        let impacts = ask(&near, tolerance);
        for (k, (a, b)) in near.a.iter().zip(&near.b).enumerate() {
            let what = || format!("{a:?}\n{b:?}\n{:?} within {tolerance}", impacts.get(k));
            let (x, y) = (a.turning(), b.turning());
            let couple = Couple::new(&x, &y, 0.0);
            let first = couple.first(1.0);
            let time = impacts.get(k);
            tally.pairs += 1;
            tally.hits += usize::from(time.is_some());
            tally.unsettled += usize::from(!impacts.is_settled(k));
            let until = time.map_or(1.0, f64::from);
            if until > first.free_until || (time.is_none() && first.touch.is_some()) {
                if let Some((touch, _)) = first.touch {
                    assert!(
                        touch >= until && time.is_some(),
                        "late: {touch}\n{}",
                        what()
                    );
                }
                tally.undecided += 1;
            }
            if tally.pairs % 4 == 0 && until > 0.0 {
                let is_proven = Proof::new(&x, &y, 0.0).is_free(until);
                tally.proven += usize::from(is_proven);
            }
            if let Some(time) = time
                && impacts.is_settled(k)
            {
                let band = 256.0 * U * couple.size + 2f64.powi(-56);
                let most = f64::from(tolerance).max(band) + band;
                let share = couple.growth(time.into()) / most;
                tally.worst = tally.worst.max(share);
                assert!(share <= 1.0, "far: {share}\n{}", what());
            }
        }
    }
    println!("{}: {tally:?}", std::any::type_name::<B>());
    assert!(tally.undecided * 100 <= tally.pairs && tally.hits * 4 > tally.pairs);
    assert!(tally.unsettled * 200 <= tally.pairs && tally.proven * 10 > tally.pairs);
}

fn judge_partner<B: Turns>()
where
    PlacedHull: Impact<B>,
    B: Impact<PlacedHull>,
{
    judge_boxes::<B>(|near, tolerance| {
        let (hulls, others) = (hulls_of(&near.a), store(&near.b));
        let impacts = ask(&hulls, &others, tolerance);
        assert_eq!(impacts, ask(&others, &hulls, tolerance));
        impacts
    });
}

macro_rules! judged {
    ($($test:ident: $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            judge_partner::<$shape>();
        }
    )+ };
}
judged! {
    hull_sphere_impact_is_never_late: Sphere;
    hull_capsule_impact_is_never_late: Capsule;
    hull_aabb_impact_is_never_late: Aabb;
    hull_obb_impact_is_never_late: Obb;
    hull_triangle_impact_is_never_late: Triangle;
    hull_plane_impact_is_never_late: Plane;
    hull_half_space_impact_is_never_late: HalfSpace;
}

#[test]
fn hull_hull_impact_is_never_late() {
    judge_boxes::<Obb>(|near, tolerance| {
        let (a, b) = (hulls_of(&near.a), hulls_of(&near.b));
        ask(&a, &b, tolerance)
    });
}
