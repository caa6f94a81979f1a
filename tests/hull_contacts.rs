//! Contacts of convex hulls against their definition, near contact and deep inside, and against boxes.
//!
//! `PHALANX_CASES` sets the number of cases for each kind of shape.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod oracle;

#[path = "common/hull_pairs.rs"]
mod hull_pairs;

use common::{Sample, Setting, cases_or, rng};
use hull_pairs::{hull, size};
use oracle::U;
use oracle::hull_contacts::{OnSurface, Touching};
use oracle::hulls::{Points, Side};
use oracle::minkowski::{BETA, V, add, length, sub, times};
use oracle::planes::Surface;
use phalanx::traits::{Collide, Distance, Shape};
use phalanx::{
    Aabb, Capsule, ClosestPoints, Contact, Contacts, Detector, Distances, HalfSpace, Hull, Hulls,
    Obb, Obbs, Overlaps, Pair, Pairs, PlacedHull, Plane, Point, Shapes, Simd, Sphere, Store,
    Sweeps, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

fn cases() -> usize {
    cases_or(1000)
}

/// The exact answer for a hull and another shape.
trait Truth {
    fn separation(&self) -> f64;
    /// Whether the separation is at least a number.
    fn is_at_least(&self, separation: f32) -> bool;
    /// Gap along a unit vector from the hull.
    fn along(&self, normal: V) -> f64;
    /// Distance of a point from the surface of the hull (0) or of the other shape (1), given relative to the hull's center.
    fn off(&self, shape: usize, point: V) -> f64;
}

impl Truth for Touching {
    fn separation(&self) -> f64 {
        self.separation()
    }
    fn is_at_least(&self, separation: f32) -> bool {
        self.is_at_least(separation)
    }
    fn along(&self, normal: V) -> f64 {
        self.along(normal)
    }
    fn off(&self, shape: usize, point: V) -> f64 {
        self.off(shape, point)
    }
}

impl Truth for OnSurface {
    fn separation(&self) -> f64 {
        self.separation()
    }
    fn is_at_least(&self, separation: f32) -> bool {
        f64::from(separation) <= self.separation() + 1e-13 * self.separation().abs()
    }
    fn along(&self, normal: V) -> f64 {
        self.along(normal)
    }
    fn off(&self, shape: usize, point: V) -> f64 {
        self.off(shape, point)
    }
}

/// A shape that touches hulls.
trait Other: Clone + std::fmt::Debug {
    type Shape: Shape;
    type Stores: Shapes<Shape = Self::Shape>;
    type Truth: Truth;
    /// Whether a separated pair may have no points, and a gap along a separating axis as its separation.
    const HAS_FACES: bool;
    fn sample(rng: &mut StdRng, setting: &Setting) -> Self;
    fn moved(&self, by: [f32; 3]) -> Self;
    fn stores(all: &[Self]) -> Self::Stores;
    fn is_valid(&self) -> bool;
    fn truth(&self, hull: &Points) -> Self::Truth;
    /// S of the pair.
    fn size_with(&self, hull: &Points) -> f64;
}

macro_rules! bounded {
    ($($shape:ident $has_faces:literal),+) => { $(
        impl Other for $shape {
            type Shape = <$shape as hull_pairs::Partner>::Shape;
            type Stores = <$shape as hull_pairs::Partner>::Stores;
            type Truth = Touching;
            const HAS_FACES: bool = $has_faces;
            fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
                <Self as hull_pairs::Partner>::sample(rng, setting)
            }
            fn moved(&self, by: [f32; 3]) -> Self {
                hull_pairs::Partner::moved(self, by)
            }
            fn stores(all: &[Self]) -> Self::Stores {
                let all: Vec<_> = all.iter().map(|shape| (shape.clone(), [0.0; 3])).collect();
                <Self as hull_pairs::Partner>::stores(&all)
            }
            fn is_valid(&self) -> bool {
                hull_pairs::Partner::is_valid(self)
            }
            fn truth(&self, hull: &Points) -> Touching {
                Touching::new(hull, self)
            }
            fn size_with(&self, hull: &Points) -> f64 {
                size(hull, self, [[0.0; 3]; 2])
            }
        }
    )+ };
}
bounded!(Points true, Point false, Sphere false, Capsule false, Aabb true, Obb true, Triangle true);

macro_rules! surfaces {
    ($($shape:ident),+) => { $(
        impl Other for $shape {
            type Shape = $shape;
            type Stores = Store<$shape>;
            type Truth = OnSurface;
            const HAS_FACES: bool = false;
            fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
                <Self as Sample>::sample(rng, setting)
            }
            fn moved(&self, by: [f32; 3]) -> Self {
                Sample::moved(*self, by)
            }
            fn stores(all: &[Self]) -> Store<$shape> {
                Store::from_slice(all)
            }
            fn is_valid(&self) -> bool {
                Store::from_slice(&[*self]).validate().is_ok()
            }
            fn truth(&self, hull: &Points) -> OnSurface {
                OnSurface::new(hull, self)
            }
            fn size_with(&self, hull: &Points) -> f64 {
                let (normal, d) = self.plane();
                let n = normal.map(f64::from);
                let (center, lengths) = hull.size();
                let terms = (0..3).map(|k| (n[k] * center[k]).abs()).sum::<f64>() + f64::from(d).abs();
                terms / length(n) + lengths
            }
        }
    )+ };
}
surfaces!(Plane, HalfSpace);

/// The largest error for each promise, in u of S.
#[derive(Debug, Default)]
struct Worst {
    touching: usize,
    apart: usize,
    points: usize,
    above: f64,
    below: f64,
    below_gap: f64,
    below_distance: f64,
    normal: f64,
    length: f64,
    on_hull: f64,
    on_other: f64,
    deeper: f64,
    /// Shortfall of the deepest point's depth against the pair's, relative to S / 1024.
    deepest: f64,
    /// Separated pairs without points.
    without: usize,
    /// Contacts that break promises.
    bad: usize,
    worst: Vec<String>,
}

impl Worst {
    fn see<B: Other>(&mut self, a: &Points, b: &B, margin: f32, contact: &Contact) {
        let truth = b.truth(a);
        let size = b.size_with(a) + f64::from(margin);
        let floor = 2f64.powi(-60);
        let unit = |x: f64| match (x.abs() - floor).max(0.0) {
            0.0 => 0.0,
            excess => excess.copysign(x) / (U * size),
        };
        let exact = truth.separation();
        let said = f64::from(contact.separation);
        let normal = contact.normal.map(f64::from);
        let along = truth.along(times(normal, 1.0 / length(normal)));
        let mut bad = vec![];
        let mut judge = |name, seen: &mut f64, x: f64, most: f64| {
            *seen = seen.max(x);
            if x.is_nan() || x > most {
                bad.push(format!("{name} {x:.1}"));
            }
        };
        judge(
            "length",
            &mut self.length,
            (length(normal) - 1.0).abs() / U,
            16.0,
        );
        judge("above", &mut self.above, unit(said - exact), 1e-4);
        if exact <= 0.0 {
            self.touching += 1;
            judge("below", &mut self.below, unit(exact - said), BETA);
            judge("normal", &mut self.normal, unit(exact - along), BETA);
        } else {
            self.apart += 1;
            judge("below gap", &mut self.below_gap, unit(along - said), BETA);
            let most = if B::HAS_FACES { f64::INFINITY } else { BETA };
            judge(
                "below distance",
                &mut self.below_distance,
                unit(exact - said),
                most,
            );
        }
        let mut deepest = f64::INFINITY;
        for point in contact.points() {
            self.points += 1;
            let s = f64::from(point.separation);
            let half = times(normal, s / 2.0);
            let at = point.at.map(f64::from);
            judge(
                "on hull",
                &mut self.on_hull,
                unit(truth.off(0, sub(at, half))),
                BETA,
            );
            judge(
                "on other",
                &mut self.on_other,
                unit(truth.off(1, add(at, half))),
                BETA,
            );
            judge("deeper", &mut self.deeper, unit(said - s), BETA);
            deepest = deepest.min(s);
        }
        let has_points = !contact.points().is_empty();
        if has_points && (exact <= 0.0 || !B::HAS_FACES) {
            let short = (deepest - said - BETA * U * size - floor) / size * 1024.0;
            judge("deepest", &mut self.deepest, short, 1.0);
        }
        self.without += usize::from(!has_points);
        if !has_points && (exact <= 0.0 || !B::HAS_FACES) {
            bad.push("no point".into());
        }
        if margin == 0.0 && said > 0.0 {
            bad.push("positive".into());
        }
        if exact <= 0.0 && !truth.is_at_least(contact.separation) {
            bad.push("above in integers".into());
        }
        let mut features: Vec<u8> = contact.points().iter().map(|p| p.feature).collect();
        features.sort_unstable();
        if features.windows(2).any(|pair| pair[0] == pair[1]) {
            bad.push(format!("features {features:?}"));
        }
        if !bad.is_empty() {
            self.bad += 1;
            if self.worst.len() < 3 {
                self.worst.push(format!(
                    "{bad:?}:\n{a:?}\n{b:?}\nmargin {margin} says {contact:?}, exact {exact}, S {size}"
                ));
            }
        }
    }
}

/// Hulls and shapes of one setting, many near contact, and a margin.
fn near<B: Other>(rng: &mut StdRng, count: usize) -> (Vec<Points>, Vec<B>, f32)
where
    PlacedHull: Distance<B::Shape>,
{
    let setting = Setting::random(rng);
    let margin = match rng.random_bool(0.5) {
        true => 0.0,
        false => 10f32.powf(rng.random_range(-6.0..-0.3)) * setting.scale,
    };
    let (mut a, mut b) = (Vec::new(), Vec::new());
    while a.len() < count {
        let (x, y) = (hull(rng, &setting), B::sample(rng, &setting));
        // Lengths that the exact answer bears.
        if x.is_valid() && y.is_valid() && y.size_with(&x) < 1e17 {
            a.push(x);
            b.push(y);
        }
    }
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    let mut detector = Detector::new().parallel(false);
    detector
        .distance_points(
            &<Points as Other>::stores(&a),
            &B::stores(&b),
            Pairs::zip(),
            &mut distances,
            &mut points,
        )
        .unwrap();
    for (i, shape) in b.iter_mut().enumerate() {
        let mut moved = shape.clone();
        if rng.random_bool(0.8) {
            let [p, q] = points.get(i).unwrap();
            let noise = [0.0, 1e-7, 1e-6, 1e-3, 0.1][rng.random_range(0..5)];
            moved = moved.moved([0, 1, 2].map(|k| (p[k] - q[k]) * (1.0 - noise)));
        }
        if rng.random_bool(0.7) {
            let by = 10f32.powf(rng.random_range(-8.0..0.0)) * setting.scale;
            moved = moved.moved([(); 3].map(|()| rng.random_range(-1.0..1.0f32) * by));
        }
        if moved.is_valid() {
            *shape = moved;
        }
    }
    (a, b, margin)
}

fn keeps_promises<B: Other>()
where
    PlacedHull: Collide<B::Shape> + Distance<B::Shape>,
{
    let name = std::any::type_name::<B>();
    let mut rng = rng(&format!("contacts of hulls with {name}"));
    let (mut contacts, mut overlaps) = (Contacts::new(), Overlaps::new());
    let mut worst = Worst::default();
    while worst.touching + worst.apart < cases() {
        let (a, b, margin) = near::<B>(&mut rng, 8);
        let (hulls, others) = (<Points as Other>::stores(&a), B::stores(&b));
        let mut detector = Detector::new().parallel(false).margin(margin).unwrap();
        detector
            .contact(&hulls, &others, Pairs::zip(), &mut contacts)
            .unwrap();
        detector
            .overlap(&hulls, &others, Pairs::zip(), &mut overlaps)
            .unwrap();
        assert_eq!(contacts.overlaps(), &overlaps);
        assert_eq!(contacts.positions().len(), overlaps.count());
        for contact in &contacts {
            worst.see(&a[contact.position], &b[contact.position], margin, &contact);
        }
    }
    let Worst {
        worst: cases, bad, ..
    } = &worst;
    let (cases, bad) = (cases.join("\n\n"), *bad);
    worst.worst.clear();
    println!("{name}: {worst:.1?}");
    assert!(
        bad == 0,
        "{bad} of {}\n{cases}",
        worst.touching + worst.apart
    );
    assert!(worst.touching > worst.apart && worst.apart > 0);
}

macro_rules! promises {
    ($($test:ident: $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            keeps_promises::<$shape>();
        }
    )+ };
}
promises! {
    hull_hull_contacts_keep_their_promises: Points;
    hull_point_contacts_keep_their_promises: Point;
    hull_sphere_contacts_keep_their_promises: Sphere;
    hull_capsule_contacts_keep_their_promises: Capsule;
    hull_aabb_contacts_keep_their_promises: Aabb;
    hull_obb_contacts_keep_their_promises: Obb;
    hull_triangle_contacts_keep_their_promises: Triangle;
    hull_plane_contacts_keep_their_promises: Plane;
    hull_half_space_contacts_keep_their_promises: HalfSpace;
}
