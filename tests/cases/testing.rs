//! Helpers of the hand-computed cases: a pair runs through the public API on every instruction set.

use phalanx::traits::{Collide, Distance, Impact, Overlap, Sweep};
use phalanx::{
    Capsule, ClosestPoints, Contact, Contacts, Detector, Distances, Impacts, Obb, Overlaps, Pairs,
    Point, Simd, Sphere, Store, Sweeps,
};

/// Zero displacement.
pub const REST: [f32; 3] = [0.0; 3];
/// Identity rotation.
pub const STRAIGHT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
/// A rotation by 45° about z: an edge of a cube points along x, √2 half extents from the center.
pub const EIGHTH: [f32; 4] = [0.0, 0.0, 0.382_683_43, 0.923_879_5];

pub fn point(x: f32, y: f32, z: f32) -> Point {
    Point {
        position: [x, y, z],
    }
}

/// A point and its displacement.
pub fn ray(position: [f32; 3], displacement: [f32; 3]) -> (Point, [f32; 3]) {
    (Point { position }, displacement)
}

pub fn sphere(x: f32, y: f32, z: f32, radius: f32) -> Sphere {
    Sphere {
        center: [x, y, z],
        radius,
    }
}

pub fn capsule(center: [f32; 3], half_axis: [f32; 3], radius: f32) -> Capsule {
    Capsule {
        center,
        half_axis,
        radius,
    }
}

/// A cube of half extents 1.
pub fn cube(center: [f32; 3], rotation: [f32; 4]) -> Obb {
    Obb {
        center,
        half_extents: [1.0; 3],
        rotation,
    }
}

/// Answer for the one pair.
#[derive(Clone, Copy, Debug)]
pub enum Answer {
    Miss,
    Invalid,
    Hit,
    /// A hit of a sweep. Equal to an expected interval that it contains, with at most 1e-5 to spare at
    /// each end.
    When(f32, f32),
}

impl Answer {
    /// Whether this is a hit, regardless of its times.
    pub fn hits(self) -> bool {
        matches!(self, Answer::Hit | Answer::When(..))
    }
}

impl PartialEq for Answer {
    fn eq(&self, expected: &Answer) -> bool {
        match (self, expected) {
            (Answer::When(a, b), Answer::When(c, d)) => {
                a <= c && c - a < 1e-5 && d <= b && b - d < 1e-5
            }
            _ => core::mem::discriminant(self) == core::mem::discriminant(expected),
        }
    }
}

/// Whether a hit has these times, up to the widening of triangle kernels.
pub fn near(answer: Answer, from: f32, to: f32) {
    let Answer::When(enter, exit) = answer else {
        panic!("{answer:?}")
    };
    assert!(enter <= from && from - enter < 1e-4, "{enter}, not {from}");
    assert!(to <= exit && exit - to < 1e-4, "{exit}, not {to}");
}

pub fn overlap<A: Overlap<B>, B: phalanx::traits::Shape>(a: A, b: B) -> Answer {
    overlap_with_margin(a, b, 0.0)
}

pub fn overlap_with_margin<A: Overlap<B>, B: phalanx::traits::Shape>(
    a: A,
    b: B,
    margin: f32,
) -> Answer {
    let (a, b) = (Store::from_slice(&[a]), Store::from_slice(&[b]));
    let mut out = Overlaps::new();
    same_everywhere(margin, |detector| {
        detector.overlap(&a, &b, Pairs::zip(), &mut out).unwrap();
        match (out.is_hit(0), out.is_invalid(0)) {
            (true, _) => Answer::Hit,
            (_, true) => Answer::Invalid,
            _ => Answer::Miss,
        }
    })
}

pub fn sweep<A: Sweep<B>, B: phalanx::traits::Shape>(a: (A, [f32; 3]), b: (B, [f32; 3])) -> Answer {
    let (mut stores_a, mut stores_b) = (Store::new(), Store::new());
    stores_a.push_moving(a.0, a.1);
    stores_b.push_moving(b.0, b.1);
    let mut out = Sweeps::new();
    same_everywhere(0.0, |detector| {
        detector
            .sweep(&stores_a, &stores_b, Pairs::zip(), &mut out)
            .unwrap();
        match (out.get(0), out.is_invalid(0)) {
            (Some(time), _) => Answer::When(time.enter, time.exit),
            (_, true) => Answer::Invalid,
            _ => Answer::Miss,
        }
    })
}

/// The contact of a pair.
pub fn contact<A: Collide<B>, B: phalanx::traits::Shape>(a: A, b: B) -> Option<Contact> {
    let (a, b) = (Store::from_slice(&[a]), Store::from_slice(&[b]));
    let mut out = Contacts::new();
    same_everywhere(0.0, |detector| {
        detector.contact(&a, &b, Pairs::zip(), &mut out).unwrap();
        out.get(0)
    })
}

/// Asserts that the bounds of a pair's distance are close and enclose the exact distance, and that its points are as
/// far apart.
pub fn apart<A: Distance<B>, B: phalanx::traits::Shape>(a: A, b: B, exact: f64) {
    let (a, b) = (Store::from_slice(&[a]), Store::from_slice(&[b]));
    let (mut out, mut points) = (Distances::new(), ClosestPoints::new());
    let (range, [x, y]) = same_everywhere(0.0, |detector| {
        detector
            .distance_points(&a, &b, Pairs::zip(), &mut out, &mut points)
            .unwrap();
        assert!(out.is_settled(0), "{out:?}");
        (out.get(0).unwrap(), points.get(0).unwrap())
    });
    let (lower, upper) = (f64::from(range.lower), f64::from(range.upper));
    assert!(
        lower <= exact && exact <= upper,
        "{range:?} without {exact}"
    );
    // All lengths of the cases are at most a few tens of times their distance.
    assert!(upper - lower <= 1e-3 * exact.max(1.0), "{range:?}");
    let between = [0, 1, 2].map(|k| f64::from(y[k]) - f64::from(x[k]));
    let squared: f64 = between.iter().map(|x| x * x).sum();
    assert!(squared.sqrt() <= upper, "{x:?}, {y:?}, {range:?}");
}

/// The time of impact of a rotating OBB that stays in place.
pub fn impact<B: phalanx::traits::Shape>(
    obb: Obb,
    turn: [f32; 3],
    b: B,
    tolerance: f32,
) -> Option<f32>
where
    Obb: Impact<B>,
{
    moving_impact((obb, REST, turn), (b, REST), tolerance)
}

/// The time of impact of a rotating OBB.
pub fn moving_impact<B: phalanx::traits::Shape>(
    (obb, displacement, turn): (Obb, [f32; 3], [f32; 3]),
    b: (B, [f32; 3]),
    tolerance: f32,
) -> Option<f32>
where
    Obb: Impact<B>,
{
    let (mut stores_a, mut stores_b) = (Store::new(), Store::new());
    stores_a.push_turning(obb, displacement, turn);
    stores_b.push_moving(b.0, b.1);
    let mut out = Impacts::new();
    same_everywhere(0.0, |detector| {
        detector
            .impact(&stores_a, &stores_b, Pairs::zip(), tolerance, &mut out)
            .unwrap();
        out.get(0)
    })
}

fn same_everywhere<T: core::fmt::Debug>(margin: f32, mut ask: impl FnMut(&mut Detector) -> T) -> T {
    let mut answers =
        Simd::available().map(|simd| ask(&mut Detector::new().simd(simd).margin(margin).unwrap()));
    let first = answers.next().unwrap();
    for other in answers {
        assert_eq!(
            format!("{first:?}"),
            format!("{other:?}"),
            "instruction sets differ"
        );
    }
    first
}
