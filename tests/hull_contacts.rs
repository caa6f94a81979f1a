//! Contacts of convex hulls, and of triangles with triangles and surfaces, against their definition, near contact and deep inside, and
//! against boxes.
//!
//! `PHALANX_CASES` sets the number of cases for each kind of shape.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod oracle;

#[path = "common/hull_bits.rs"]
mod hull_bits;
#[path = "common/hull_pairs.rs"]
mod hull_pairs;
#[path = "common/polygon.rs"]
mod polygon;

use common::{Sample, Setting, cases_or, rng};
use hull_bits::bits_of_contacts;
use hull_pairs::{find_contacts, hull, size};
use oracle::U;
use oracle::hull_contacts::{OnSurface, Touching};
use oracle::hulls::{Points, Side};
use oracle::minkowski::{BETA, V, add, length, sub, times};
use oracle::planes::Surface;
use phalanx::traits::{Collide, Distance, Shape};
use phalanx::{
    Aabb, Capsule, ClosestPoints, Contact, Contacts, Detector, Distances, HalfSpace, Hull,
    HullColumns, HullKinds, Hulls, Obb, Obbs, Pair, Pairs, PlacedHull, Plane, Point, Shapes, Simd,
    Sphere, Store, Sweeps, Triangle,
};
use polygon::{area, cut};
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
        f64::from(separation) <= self.separation() + self.rounding()
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
    /// The shape rounded by a radius, if it is a hull.
    fn rounded(self, _radius: f32) -> Self {
        self
    }
    fn stores(all: &[Self]) -> Self::Stores;
    fn is_valid(&self) -> bool;
    fn truth(&self, hull: &Points) -> Self::Truth;
    /// S of the pair.
    fn size_with(&self, first: &impl Side) -> f64;
}

/// The first shape of a pair: a hull, or a triangle as the hull of its corners.
trait First: Other + Side {
    const NAME: &'static str;
    /// Largest distance of a point from a surface, in u of S.
    const OFF: f64;
    fn as_points(&self) -> Points;
    /// Origin of reported points, relative to the center of the hull.
    fn origin(&self) -> V;
    /// Rounding of distances from it in `f64`.
    fn noise(&self) -> f64 {
        length(self.origin()) * 1e-14
    }
}

impl First for Points {
    const NAME: &'static str = "hulls";
    const OFF: f64 = BETA;
    fn as_points(&self) -> Points {
        self.clone()
    }
    fn origin(&self) -> V {
        [0.0; 3]
    }
}

impl First for Triangle {
    const NAME: &'static str = "triangles";
    // Both may be slivers.
    const OFF: f64 = 2.0 * BETA;
    fn as_points(&self) -> Points {
        let hull = Hull {
            center: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            kind: 0,
        };
        Points {
            hull,
            points: self.corners.to_vec(),
            radius: 0.0,
        }
    }
    fn origin(&self) -> V {
        // Differences first, because the sum rounds far from the origin.
        let [a, b, c] = self.corners.map(|corner| corner.map(f64::from));
        add(a, times(add(sub(b, a), sub(c, a)), 1.0 / 3.0))
    }
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
            fn rounded(self, radius: f32) -> Self {
                hull_pairs::Partner::rounded(self, radius)
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
            fn size_with(&self, first: &impl Side) -> f64 {
                size(first, self, [[0.0; 3]; 2])
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
            fn size_with(&self, first: &impl Side) -> f64 {
                let (normal, d) = self.plane();
                let n = normal.map(f64::from);
                let (center, lengths) = first.size();
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
    fn see<A: First, B: Other>(&mut self, a: &A, b: &B, margin: f32, contact: &Contact) {
        let truth = b.truth(&a.as_points());
        let size = b.size_with(a) + f64::from(margin);
        let floor = 2f64.powi(-60) + a.noise();
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
            let at = add(point.at.map(f64::from), a.origin());
            judge(
                "on hull",
                &mut self.on_hull,
                unit(truth.off(0, sub(at, half))),
                A::OFF,
            );
            judge(
                "on other",
                &mut self.on_other,
                unit(truth.off(1, add(at, half))),
                A::OFF,
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

/// Shapes of one setting, many near contact, and a margin.
fn near<A: First, B: Other>(
    rng: &mut StdRng,
    count: usize,
    are_rounded: bool,
) -> (Vec<A>, Vec<B>, f32)
where
    A::Shape: Distance<B::Shape>,
{
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let mut setting = Setting::random(rng);
    while a.len() < count {
        let (mut x, mut y) = (A::sample(rng, &setting), B::sample(rng, &setting));
        if are_rounded {
            x = x.rounded(hull_pairs::radius(rng, &setting));
            y = y.rounded(hull_pairs::radius(rng, &setting));
        }
        // Lengths that the exact answer bears.
        if Other::is_valid(&x) && y.is_valid() && y.size_with(&x) < 1e17 {
            a.push(x);
            b.push(y);
        } else {
            setting = Setting::random(rng);
            a.clear();
            b.clear();
        }
    }
    let margin = match rng.random_bool(0.5) {
        true => 0.0,
        false => 10f32.powf(rng.random_range(-6.0..-0.3)) * setting.scale,
    };
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    let mut detector = Detector::new().parallel(false);
    detector
        .distance_points(
            &A::stores(&a),
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

fn keeps_promises<A: First, B: Other>(are_rounded: bool)
where
    A::Shape: Collide<B::Shape> + Distance<B::Shape>,
{
    let rounded = if are_rounded { "rounded " } else { "" };
    let name = format!("{rounded}{} with {}", A::NAME, std::any::type_name::<B>());
    let mut rng = rng(&format!("contacts of {name}"));
    let mut contacts = Contacts::new();
    let mut worst = Worst::default();
    while worst.touching + worst.apart < cases() {
        let (a, b, margin) = near::<A, B>(&mut rng, 8, are_rounded);
        let (first, others) = (A::stores(&a), B::stores(&b));
        find_contacts(&first, &others, margin, &mut contacts);
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
    let all = worst.touching + worst.apart;
    assert!(worst.touching * 8 > all && worst.apart * 40 > all);
}

macro_rules! promises {
    ($are_rounded:literal: $($test:ident: $first:ident, $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            keeps_promises::<$first, $shape>($are_rounded);
        }
    )+ };
}
promises! { true:
    rounded_hull_hull_contacts_keep_their_promises: Points, Points;
    rounded_hull_point_contacts_keep_their_promises: Points, Point;
    rounded_hull_sphere_contacts_keep_their_promises: Points, Sphere;
    rounded_hull_capsule_contacts_keep_their_promises: Points, Capsule;
    rounded_hull_aabb_contacts_keep_their_promises: Points, Aabb;
    rounded_hull_obb_contacts_keep_their_promises: Points, Obb;
    rounded_hull_triangle_contacts_keep_their_promises: Points, Triangle;
    rounded_hull_plane_contacts_keep_their_promises: Points, Plane;
    rounded_hull_half_space_contacts_keep_their_promises: Points, HalfSpace;
}
promises! { false:
    hull_hull_contacts_keep_their_promises: Points, Points;
    hull_point_contacts_keep_their_promises: Points, Point;
    hull_sphere_contacts_keep_their_promises: Points, Sphere;
    hull_capsule_contacts_keep_their_promises: Points, Capsule;
    hull_aabb_contacts_keep_their_promises: Points, Aabb;
    hull_obb_contacts_keep_their_promises: Points, Obb;
    hull_triangle_contacts_keep_their_promises: Points, Triangle;
    hull_plane_contacts_keep_their_promises: Points, Plane;
    hull_half_space_contacts_keep_their_promises: Points, HalfSpace;
    triangle_triangle_contacts_keep_their_promises: Triangle, Triangle;
    triangle_plane_contacts_keep_their_promises: Triangle, Plane;
    triangle_half_space_contacts_keep_their_promises: Triangle, HalfSpace;
}

/// A contact of two shapes.
fn contact_of<A: Shapes, B: Shapes>(a: &A, b: &B, margin: f32) -> Option<Contact>
where
    A::Shape: Collide<B::Shape>,
{
    let mut contacts = Contacts::new();
    let mut detector = Detector::new().margin(margin).unwrap();
    detector.contact(a, b, Pairs::zip(), &mut contacts).unwrap();
    contacts.get(0)
}

/// The corners of a box.
fn corners(half_extents: [f32; 3]) -> Vec<[f32; 3]> {
    let corner = |k: usize| {
        [0, 1, 2].map(|axis| half_extents[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
    };
    (0..8).map(corner).collect()
}

/// A hull at a place, with a turn about z.
fn placed(points: Vec<[f32; 3]>, center: [f32; 3], turn: f32) -> Points {
    let hull = Hull {
        center,
        rotation: [0.0, 0.0, (turn / 2.0).sin(), (turn / 2.0).cos()],
        kind: 0,
    };
    Points {
        hull,
        points,
        radius: 0.0,
    }
}

fn one(points: &Points) -> Hulls {
    <Points as Other>::stores(std::slice::from_ref(points))
}

/// Area of the convex hull of up to four points, as seen from above.
fn covered(contact: &Contact) -> f64 {
    let mut points: Vec<[f64; 2]> = contact
        .points()
        .iter()
        .map(|p| [p.at[0].into(), p.at[1].into()])
        .collect();
    let n = points.len() as f64;
    let middle = points
        .iter()
        .fold([0.0; 2], |m, p| [m[0] + p[0] / n, m[1] + p[1] / n]);
    let angle = |p: &[f64; 2]| (p[1] - middle[1]).atan2(p[0] - middle[0]);
    points.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
    area(&points)
}

#[test]
fn stacked_boxes_have_points_that_cover_the_common_area() {
    let mut rng = rng("stacked hulls");
    let (mut least, mut least_aligned, mut tested) = (1.0f64, 1.0f64, 0);
    for case in 0..2000 {
        let mut half = || rng.random_range(0.2..2.0f32);
        let (a, b) = ([half(), half(), 0.5], [half(), half(), 0.5]);
        let is_aligned = case % 4 == 0;
        let turn = if is_aligned {
            0.0
        } else {
            rng.random_range(0.0..3.2f32)
        };
        let [x, y] = [0; 2].map(|_| rng.random_range(-1.0..1.0f32));
        let lower = placed(corners(a), [0.0; 3], 0.0);
        let upper = placed(corners(b), [x, y, 0.999], turn);
        // Around z, every corner of the upper box is within its half diagonal.
        let (cos, sin) = (f64::from(turn).cos(), f64::from(turn).sin());
        let corner = |[sx, sy]: [f64; 2]| {
            let (p, q) = (sx * f64::from(b[0]), sy * f64::from(b[1]));
            [
                p * cos - q * sin + f64::from(x),
                p * sin + q * cos + f64::from(y),
            ]
        };
        let mut patch = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(corner)
            .to_vec();
        for (axis, sign) in [(0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)] {
            let mut normal = [0.0; 2];
            normal[axis] = sign;
            patch = cut(&patch, normal, a[axis].into());
        }
        let all = area(&patch);
        let contact = contact_of(&one(&lower), &one(&upper), 0.0);
        if all < 1e-3 {
            continue;
        }
        let contact = contact.expect("a contact");
        if contact.normal[2] < 0.999 {
            // Less deep along x or y.
            continue;
        }
        tested += 1;
        let covered = covered(&contact) / all;
        least = least.min(covered);
        if is_aligned {
            least_aligned = least_aligned.min(covered);
            assert_eq!(contact.points().len(), 4, "{contact:?}");
        }
        assert!((contact.separation + 0.001).abs() < 1e-5, "{contact:?}");
    }
    println!("{tested}: covered {least:.3}, of rectangles {least_aligned:.3}");
    assert!(tested > 1000);
    assert!(
        least >= 0.45 && least_aligned >= 0.98,
        "{least} {least_aligned}"
    );
}

/// A prism of some sides which stands on a height, in any frame: its points are rounded, so that no face is flat.
fn standing(rng: &mut StdRng, sides: usize, bottom: f64) -> Points {
    let quaternion = [0; 4].map(|_| rng.random_range(-1.0..1.0f32));
    let length = quaternion.iter().map(|x| x * x).sum::<f32>().sqrt();
    let rotation = quaternion.map(|x| x / length);
    let [x, y, z, w] = rotation.map(f64::from);
    let rows = [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - z * w),
            2.0 * (x * z + y * w),
        ],
        [
            2.0 * (x * y + z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - x * w),
        ],
        [
            2.0 * (x * z - y * w),
            2.0 * (y * z + x * w),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ];
    let corner = |k: usize| {
        let angle = 2.0 * std::f64::consts::PI * (k / 2) as f64 / sides as f64;
        let at = [
            angle.cos(),
            angle.sin(),
            if k.is_multiple_of(2) { -0.5 } else { 0.5 },
        ];
        // By the transpose, which is the inverse.
        [0, 1, 2].map(|axis| (0..3).map(|row| rows[row][axis] * at[row]).sum::<f64>() as f32)
    };
    let hull = Hull {
        center: [0.25, 0.5, (bottom + 0.5) as f32],
        rotation,
        kind: 0,
    };
    Points {
        hull,
        points: (0..2 * sides).map(corner).collect(),
        radius: 0.0,
    }
}

/// A rounded segment has no faces, so its roll does not count, on half-spaces and on boxes.
#[test]
fn rounded_segments_rest_on_both_ends_however_they_roll() {
    let ground = Store::from_slice(&[HalfSpace {
        normal: [0.0, 0.0, 1.0],
        d: 0.0,
    }]);
    let slab = Store::from_slice(&[Aabb {
        min: [-5.0, -5.0, -1.0],
        max: [5.0, 5.0, 0.0],
    }]);
    for (tilt, count) in [(0.0f32, 2), (1e-4, 2), (0.2, 1)] {
        for step in 0..64 {
            let (roll, half) = (step as f32 * 0.1, tilt * 0.5);
            // About the axis of the segment, then about y.
            let (sin, cos) = (roll * 0.5).sin_cos();
            let (sin_tilt, cos_tilt) = half.sin_cos();
            let upper = Points {
                hull: Hull {
                    center: [0.0, 0.0, 0.499 + tilt.sin()],
                    rotation: [
                        cos_tilt * sin,
                        sin_tilt * cos,
                        -sin_tilt * sin,
                        cos_tilt * cos,
                    ],
                    kind: 0,
                },
                points: vec![[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
                radius: 0.5,
            };
            let name = format!("tilt {tilt}, roll {roll}");
            let contact = contact_of(&one(&upper), &ground, 0.0);
            assert_eq!(contact.map(|it| it.points().len()), Some(count), "{name}");
            let contact = contact_of(&one(&upper), &slab, 0.0);
            assert_eq!(
                contact.map(|it| it.points().len()),
                Some(count),
                "box, {name}"
            );
        }
    }
}

#[test]
fn rounded_faces_touch_with_their_whole_polygon() {
    let mut rng = rng("rounded faces");
    let ground = Store::from_slice(&[HalfSpace {
        normal: [0.0, 0.0, 1.0],
        d: 0.0,
    }]);
    let slab = one(&placed(corners([3.0, 3.0, 0.5]), [0.0, 0.0, -0.5], 0.0));
    let mut least = 1.0f64;
    for case in 0..cases() {
        let sides = 4 + case % 9;
        let upper = standing(&mut rng, sides, -1e-4);
        let lower = standing(&mut rng, sides, -1.0 + 1e-4);
        let regular = sides as f64 / 2.0 * (2.0 * std::f64::consts::PI / sides as f64).sin();
        for contact in [
            contact_of(&ground, &one(&upper), 0.0),
            contact_of(&one(&upper), &ground, 0.0),
            contact_of(&slab, &one(&upper), 0.0),
            contact_of(&one(&lower), &one(&upper), 0.0),
        ] {
            let contact = contact.expect("a contact");
            assert!(contact.normal[2].abs() > 0.999, "{contact:?}");
            assert_eq!(contact.points().len(), 4, "{contact:?}");
            least = least.min(covered(&contact) / regular);
        }
    }
    println!("least area {least:.3} of a face");
    // Four corners of a regular polygon have at least 0.63 of its area.
    assert!(least > 0.55, "{least}");
}

#[test]
fn hulls_that_coincide_touch_along_a_face() {
    let wedge = vec![[-1., 0., 0.], [1., 0., 0.], [0., 1., -1.], [0., 1., 1.]];
    for points in [corners([1.0, 2.0, 3.0]), wedge] {
        let hull = placed(points, [3.0; 3], 0.0);
        let contact = contact_of(&one(&hull), &one(&hull), 0.0).unwrap();
        let again = contact_of(&one(&hull), &one(&hull), 0.0).unwrap();
        assert_eq!(contact, again);
        let mut worst = Worst::default();
        worst.see(&hull, &hull, 0.0, &contact);
        assert!(worst.worst.is_empty(), "{worst:?}");
    }
    let cube = placed(corners([1.0, 2.0, 3.0]), [3.0; 3], 0.0);
    let contact = contact_of(&one(&cube), &one(&cube), 0.0).unwrap();
    assert_eq!(contact.normal.map(f32::abs), [1.0, 0.0, 0.0]);
    assert!((contact.separation + 2.0).abs() < 1e-4 && contact.points().len() == 4);
    let sphere = Store::from_slice(&[Sphere {
        center: [3.0; 3],
        radius: 0.5,
    }]);
    let contact = contact_of(&one(&cube), &sphere, 0.0).unwrap();
    assert_eq!(contact.normal.map(f32::abs), [1.0, 0.0, 0.0]);
    assert!((contact.separation + 1.5).abs() < 1e-4 && contact.points().len() == 1);
    // Points, segments and polygons that coincide.
    let flat = corners([1.0, 2.0, 0.0]);
    for points in [vec![[0.0; 3]], vec![[0.0; 3], [1.0; 3]], flat] {
        let hull = placed(points, [3.0; 3], 0.0);
        let contact = contact_of(&one(&hull), &one(&hull), 0.0).unwrap();
        assert!(contact.separation.abs() < 1e-4 && !contact.points().is_empty());
        let contact = contact_of(&one(&hull), &one(&cube), 0.0).unwrap();
        assert!(contact.separation < 0.0 && !contact.points().is_empty());
    }
}

/// Contacts of two stores, on every instruction set and by every kind of list.
fn has_one_answer<A: Shapes, B: Shapes>(a: &A, b: &B, least: usize)
where
    A::Shape: Collide<B::Shape>,
    B::Shape: Collide<A::Shape>,
{
    let mut rng = rng("pairs of hulls");
    let pairs: Vec<Pair> = (0..4000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..300)))
        .collect();
    let turned: Vec<Pair> = pairs.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    let (mut first, mut other) = (Contacts::new(), Contacts::new());
    let detector = Detector::new().margin(0.05).unwrap();
    detector
        .clone()
        .parallel(false)
        .contact(a, b, &pairs, &mut first)
        .unwrap();
    assert!(first.count() > least, "{}", first.count());
    for simd in Simd::available() {
        for parallel in [false, true] {
            let mut detector = detector.clone().simd(simd).parallel(parallel);
            detector.contact(a, b, &pairs, &mut other).unwrap();
            assert!(
                bits_of_contacts(&first) == bits_of_contacts(&other),
                "{simd} differs"
            );
        }
        let mut detector = detector.clone().simd(simd);
        for (at, pair) in pairs.iter().enumerate().filter(|(at, _)| at % 97 == 0) {
            detector.contact(a, b, &[*pair], &mut other).unwrap();
            let parts = |contact: Contact| {
                (
                    contact.normal,
                    contact.separation,
                    contact.points().to_vec(),
                )
            };
            assert_eq!(other.get(0).map(parts), first.get(at).map(parts), "{simd}");
        }
    }
    // In reverse order.
    let mut detector = detector.clone();
    detector.contact(b, a, &turned, &mut other).unwrap();
    if std::any::TypeId::of::<A::Shape>() != std::any::TypeId::of::<B::Shape>() {
        assert_eq!(first.words(), other.words());
        for (one, swapped) in first.iter().zip(&other) {
            assert_eq!(one.separation.to_bits(), swapped.separation.to_bits());
            assert_eq!(one.normal, swapped.normal.map(|x| -x));
            assert_eq!(one.points().len(), swapped.points().len());
            for (p, q) in one.points().iter().zip(swapped.points()) {
                assert_eq!(p.separation.to_bits(), q.separation.to_bits());
                assert_eq!(p.feature, q.feature);
            }
        }
    }
    // Lists that need not be written down.
    for index in [0, 7] {
        let list: Vec<Pair> = (0..300).map(|j| Pair::new(index, j)).collect();
        detector.contact(a, b, &list, &mut first).unwrap();
        detector
            .contact(a, b, Pairs::one_to_all(index), &mut other)
            .unwrap();
        assert!(bits_of_contacts(&first) == bits_of_contacts(&other));
    }
    let list: Vec<Pair> = (0..300).map(|i| Pair::new(i, i)).collect();
    detector.contact(a, b, &list, &mut first).unwrap();
    detector.contact(a, b, Pairs::zip(), &mut other).unwrap();
    assert!(bits_of_contacts(&first) == bits_of_contacts(&other));
}

/// Shapes around the origin.
fn many<T: Sample>(rng: &mut StdRng) -> Store<T> {
    let setting = Setting::ordinary();
    let mut store = Store::new();
    for _ in 0..300 {
        let shape = T::sample(rng, &setting);
        store.push(shape.moved([(); 3].map(|()| rng.random_range(-2.0..2.0))));
    }
    store
}

#[test]
fn contacts_are_the_same_for_every_lane_count_thread_count_and_source() {
    let mut rng = rng("contacts of hulls everywhere");
    let (a, b) = (
        hull_pairs::field(&mut rng, 300, 2.0),
        hull_pairs::field(&mut rng, 300, 2.0),
    );
    has_one_answer(&a, &b, 300);
    has_one_answer(&regular(&mut rng), &regular(&mut rng), 300);
    let rounded = hull_pairs::rounded_field(&mut rng, 300, 2.0);
    has_one_answer(&rounded, &b, 300);
    has_one_answer(&rounded, &many::<Sphere>(&mut rng), 50);
    has_one_answer(&rounded, &many::<Plane>(&mut rng), 50);
    has_one_answer(&a, &many::<Point>(&mut rng), 20);
    has_one_answer(&a, &many::<Sphere>(&mut rng), 50);
    has_one_answer(&a, &many::<Capsule>(&mut rng), 50);
    has_one_answer(&a, &many::<Aabb>(&mut rng), 50);
    has_one_answer(&a, &many::<Obb>(&mut rng), 50);
    has_one_answer(&a, &many::<Triangle>(&mut rng), 50);
    has_one_answer(&a, &many::<Plane>(&mut rng), 50);
    has_one_answer(&a, &many::<HalfSpace>(&mut rng), 50);
    let triangles = many::<Triangle>(&mut rng);
    has_one_answer(&triangles, &many::<Triangle>(&mut rng), 15);
    has_one_answer(&triangles, &many::<Plane>(&mut rng), 50);
    has_one_answer(&triangles, &many::<HalfSpace>(&mut rng), 50);
}

/// Replaces some of the numbers by strange ones.
fn spoil<'a>(rng: &mut StdRng, numbers: impl IntoIterator<Item = &'a mut f32>) {
    const STRANGE: [f32; 10] = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        -1.0,
        0.0,
        -0.0,
        1e-45,
        1e-40,
        3e38,
        2e18,
    ];
    for x in numbers {
        if rng.random_bool(0.02) {
            *x = STRANGE[rng.random_range(0..STRANGE.len())];
        }
    }
}

/// Hulls, some of them invalid.
fn strange_hulls(rng: &mut StdRng) -> Hulls {
    let mut hulls = hull_pairs::field(rng, 300, 2.0);
    let HullColumns {
        center,
        rotation,
        displacement,
        ..
    } = hulls.poses_mut();
    for column in center.into_iter().chain(rotation).chain(displacement) {
        spoil(rng, column);
    }
    hulls
}

/// Shapes, some of them invalid.
fn strange<T: Sample>(rng: &mut StdRng) -> Store<T> {
    let mut store = many::<T>(rng);
    for index in 0..300 {
        let mut shape = store.get(index).unwrap();
        spoil(
            rng,
            bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape)),
        );
        store.set(index, shape).unwrap();
        let mut displacement = [(); 3].map(|()| rng.random_range(-4.0..4.0));
        spoil(rng, &mut displacement);
        store.set_displacement(index, displacement).unwrap();
    }
    store
}

/// Contacts of shapes, some of them invalid or with invalid displacements: finite, and the same bits on every instruction set.
fn bears_strange_numbers<A: Shapes, B: Shapes>(
    mut one: impl FnMut(&mut StdRng) -> A,
    mut other: impl FnMut(&mut StdRng) -> B,
) where
    A::Shape: Collide<B::Shape>,
    B::Shape: Collide<A::Shape>,
{
    let mut rng = rng("strange numbers near hulls");
    for _ in 0..cases_or(20_000).div_ceil(2000) {
        let (a, b) = (one(&mut rng), other(&mut rng));
        let pairs: Vec<Pair> = (0..1000)
            .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..300)))
            .collect();
        let mut first = None;
        for simd in Simd::available() {
            let mut detector = Detector::new().simd(simd);
            let bits = hull_bits::contact_bits(&mut detector, &a, &b, &pairs);
            assert!(*first.get_or_insert_with(|| bits.clone()) == bits, "{simd}");
        }
        let mut contacts = Contacts::new();
        Detector::new()
            .contact(&a, &b, &pairs, &mut contacts)
            .unwrap();
        for contact in &contacts {
            let points = contact.points().iter().flat_map(|point| point.at);
            let mut numbers = contact.normal.into_iter().chain(points);
            assert!(numbers.all(f32::is_finite), "{contact:?}");
        }
    }
}

#[test]
fn no_numbers_are_too_strange() {
    bears_strange_numbers(strange_hulls, strange_hulls);
    bears_strange_numbers(strange_hulls, strange::<Point>);
    bears_strange_numbers(strange_hulls, strange::<Sphere>);
    bears_strange_numbers(strange_hulls, strange::<Capsule>);
    bears_strange_numbers(strange_hulls, strange::<Aabb>);
    bears_strange_numbers(strange_hulls, strange::<Obb>);
    bears_strange_numbers(strange_hulls, strange::<Triangle>);
    bears_strange_numbers(strange_hulls, strange::<Plane>);
    bears_strange_numbers(strange_hulls, strange::<HalfSpace>);
    bears_strange_numbers(strange::<Triangle>, strange::<Triangle>);
    bears_strange_numbers(strange::<Triangle>, strange::<Plane>);
    bears_strange_numbers(strange::<Triangle>, strange::<HalfSpace>);
}

/// Hulls with many edges that are parallel to others or as far from the center, on a grid: many normals have the same gap.
fn regular(rng: &mut StdRng) -> Hulls {
    let mut kinds = HullKinds::new();
    kinds.add(&corners([0.5; 3])).unwrap();
    let ring = |k: usize, height: f32| {
        let angle = k as f32 * std::f32::consts::PI / 8.0;
        [0.75 * angle.cos(), 0.75 * angle.sin(), height]
    };
    let prism: Vec<_> = (0..32).map(|k| ring(k, [-0.5, 0.5][k / 16])).collect();
    kinds.add(&prism).unwrap();
    let spindle = (0..16).map(|k| ring(k, 0.0));
    let ends = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    kinds.add(&spindle.chain(ends).collect::<Vec<_>>()).unwrap();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let rotations = [
        [0.0, 0.0, 0.0, 1.0],
        [0.5; 4],
        [half, 0.0, 0.0, half],
        [0.0, half, half, 0.0],
    ];
    let mut hulls = Hulls::new(&kinds);
    for _ in 0..300 {
        let center = [(); 3].map(|()| 0.25 * rng.random_range(-6..6) as f32);
        let rotation = rotations[rng.random_range(0..4)];
        let hull = Hull::new(rng.random_range(0..3), center, rotation);
        hulls.push(hull).unwrap();
    }
    hulls
}

#[test]
fn features_stay_while_a_hull_trembles() {
    let mut rng = rng("hulls tremble");
    let (mut changes, mut frames) = (0, 0);
    for case in 0..40 {
        let [x, y] = [0; 2].map(|_| rng.random_range(-0.7..0.7f32));
        let spin: f32 = [0.0, rng.random_range(-3.0..3.0f32)][rng.random_range(0..2)];
        let ground = one(&placed(corners([1.0, 1.0, 0.5]), [0.0; 3], 0.0));
        let plane = Store::from_slice(&[HalfSpace {
            normal: [0.0, 0.0, 1.0],
            d: -0.5,
        }]);
        // A box, or a prism on a face of six corners.
        let points = match case % 2 {
            0 => corners([0.5, 0.4, 0.4]),
            _ => (0..12)
                .map(|k| {
                    let angle = (k % 6) as f32 * std::f32::consts::PI / 3.0;
                    [
                        0.5 * angle.cos(),
                        0.4 * angle.sin(),
                        if k < 6 { -0.4 } else { 0.4 },
                    ]
                })
                .collect(),
        };
        let mut previous: Option<[Vec<u8>; 2]> = None;
        for _ in 0..100 {
            let mut tremble = || rng.random_range(-1e-5..1e-5f32);
            let center = [x + tremble(), y + tremble(), 0.899 + tremble()];
            let mut upper = placed(points.clone(), center, spin);
            upper.hull.rotation[0] = tremble();
            upper.hull.rotation[1] = tremble();
            let names = |contact: Contact| {
                let mut names: Vec<u8> = contact.points().iter().map(|p| p.feature).collect();
                names.sort_unstable();
                assert!(
                    names.windows(2).all(|pair| pair[0] != pair[1]),
                    "{contact:?}"
                );
                names
            };
            let found = [
                names(contact_of(&ground, &one(&upper), 0.01).unwrap()),
                names(contact_of(&one(&upper), &plane, 0.01).unwrap()),
            ];
            frames += 2;
            if let Some(previous) = previous {
                changes +=
                    usize::from(previous[0] != found[0]) + usize::from(previous[1] != found[1]);
            }
            previous = Some(found);
        }
    }
    println!("{changes} of {frames}");
    assert!(changes * 100 < frames, "{changes} of {frames}");
}

#[test]
fn features_of_edges_stay_while_a_hull_trembles() {
    let mut rng = rng("edges tremble");
    let (mut changes, mut frames, mut points) = (0, 0, 0);
    for case in 0..300 {
        // Rocks, or two boxes that stand on edges across each other, with both faces of an edge equally along the normal.
        let (mut a, mut b) = (rock(&mut rng, 16, 1.2), rock(&mut rng, 16, 1.2));
        if case % 3 == 0 {
            let eighth = std::f32::consts::PI / 8.0;
            let (sin, cos) = (eighth.sin(), eighth.cos());
            (a.points, b.points) = (corners([0.5; 3]), corners([0.5; 3]));
            (a.hull.center, a.hull.rotation) = ([0.0; 3], [sin, 0.0, 0.0, cos]);
            (b.hull.center, b.hull.rotation) = ([0.1, 0.2, 1.3], [0.0, sin, 0.0, cos]);
        }
        let mut previous: Option<Vec<u8>> = None;
        for _ in 0..20 {
            let mut tremble = || rng.random_range(-1e-5..1e-5f32);
            let mut moved = b.clone();
            moved.hull.center = moved.hull.center.map(|x| x + tremble());
            moved.hull.rotation = moved.hull.rotation.map(|x| x + tremble());
            let Some(contact) = contact_of(&one(&a), &one(&moved), 0.0) else {
                break;
            };
            let mut names: Vec<u8> = contact.points().iter().map(|p| p.feature).collect();
            names.sort_unstable();
            if let Some(previous) = previous {
                frames += 1;
                changes += usize::from(previous != names);
                points += names.len();
            }
            previous = Some(names);
        }
    }
    println!("{changes} of {frames}, {points} points");
    assert!(frames > 3000 && points > 2 * frames);
    assert!(changes * 100 < frames, "{changes} of {frames}");
}

#[test]
fn swept_contacts_are_those_at_the_time_of_impact() {
    let mut rng = rng("swept contacts of hulls");
    let (a, b) = (
        hull_pairs::field(&mut rng, 2000, 3.0),
        hull_pairs::field(&mut rng, 2000, 3.0),
    );
    let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
    let mut detector = Detector::new();
    detector
        .sweep_contacts(&a, &b, Pairs::zip(), &mut sweeps, &mut contacts)
        .unwrap();
    assert_eq!(contacts.words(), sweeps.words());
    assert!(contacts.count() > 100, "{}", contacts.count());
    // The hulls at the time of each hit, within a margin for roundings.
    let (mut first, mut second) = (Hulls::new(a.kinds()), Hulls::new(b.kinds()));
    for (i, time) in sweeps.iter() {
        first.push(a.at(i as u32, time.enter).unwrap()).unwrap();
        second.push(b.at(i as u32, time.enter).unwrap()).unwrap();
    }
    let mut at_enter = Contacts::new();
    detector
        .margin(1e-4)
        .unwrap()
        .contact(&first, &second, Pairs::zip(), &mut at_enter)
        .unwrap();
    assert_eq!(at_enter.count(), contacts.count());
    let mut entered = 0;
    for (swept, still) in contacts.iter().zip(&at_enter) {
        assert!(
            (swept.separation - still.separation).abs() < 1e-4,
            "{swept:?} {still:?}"
        );
        if sweeps.get(swept.position).unwrap().enter > 0.0 {
            entered += 1;
            assert!(swept.separation.abs() < 1e-4, "{swept:?}");
            assert!(!swept.points().is_empty(), "{swept:?}");
        }
        let cosine: f32 = swept
            .normal
            .iter()
            .zip(&still.normal)
            .map(|(p, q)| p * q)
            .sum();
        // Deep inside, two faces may be equally near.
        assert!(
            cosine > 0.999 || swept.separation < -1e-3,
            "{swept:?} {still:?}"
        );
    }
    assert!(entered > 50, "{entered}");
    // In reverse order the normals are reversed.
    let spheres = many::<Sphere>(&mut rng);
    let pairs: Vec<Pair> = (0..300).map(|i| Pair::new(i, i)).collect();
    let mut detector = Detector::new();
    detector
        .sweep_contacts(&a, &spheres, &pairs, &mut sweeps, &mut contacts)
        .unwrap();
    let mut swapped = Contacts::new();
    detector
        .sweep_contacts(&spheres, &a, &pairs, &mut sweeps, &mut swapped)
        .unwrap();
    assert!(contacts.count() > 10 && contacts.words() == swapped.words());
    for (one, other) in contacts.iter().zip(&swapped) {
        assert_eq!(one.normal, other.normal.map(|x| -x));
    }
}

/// Boxes around the origin, and the hulls of their corners.
fn boxes(rng: &mut StdRng, len: usize) -> (Obbs, Hulls, Vec<Points>) {
    let setting = Setting::ordinary();
    let (mut boxes, mut all) = (Obbs::new(), Vec::new());
    for _ in 0..len {
        let obb = <Obb as Sample>::sample(rng, &setting);
        let hull = Hull {
            center: obb.center,
            rotation: obb.rotation,
            kind: 0,
        };
        all.push(Points {
            hull,
            points: corners(obb.half_extents),
            radius: 0.0,
        });
        boxes.push(obb);
    }
    let hulls = <Points as Other>::stores(&all);
    (boxes, hulls, all)
}

/// Compares contacts of hulls of boxes with those of the boxes.
fn agrees<B: Shapes>(
    rng: &mut StdRng,
    b: &B,
    by_hull: Option<&Hulls>,
    boxes: &Obbs,
    hulls: &Hulls,
    least: usize,
) where
    Obb: Collide<B::Shape>,
    PlacedHull: Collide<B::Shape>,
{
    let pairs: Vec<Pair> = (0..2000)
        .map(|_| Pair::new(rng.random_range(0..300), rng.random_range(0..300)))
        .collect();
    let (mut of_boxes, mut of_hulls) = (Contacts::new(), Contacts::new());
    let mut detector = Detector::new();
    detector.contact(boxes, b, &pairs, &mut of_boxes).unwrap();
    match by_hull {
        Some(other) => detector
            .contact(hulls, other, &pairs, &mut of_hulls)
            .unwrap(),
        None => detector.contact(hulls, b, &pairs, &mut of_hulls).unwrap(),
    }
    let mut common = 0;
    for i in 0..pairs.len() {
        // Both bands of lengths of at most 20.
        let most = 2.0 * BETA as f32 * U as f32 * 20.0;
        match (of_boxes.get(i), of_hulls.get(i)) {
            (Some(x), Some(y)) => {
                common += 1;
                assert!((x.separation - y.separation).abs() < most, "{x:?} {y:?}");
                assert!(!y.points().is_empty());
                let cosine: f32 = x.normal.iter().zip(&y.normal).map(|(p, q)| p * q).sum();
                // Other normals have nearly the same gap, and those of shapes that barely touch turn quickly.
                let is_clear = cosine > 0.99;
                if !is_clear {
                    continue;
                }
                let deepest = |contact: &Contact| {
                    contact
                        .points()
                        .iter()
                        .map(|p| p.separation)
                        .fold(f32::INFINITY, f32::min)
                };
                assert!(
                    (deepest(&x) - deepest(&y)).abs() < most + 20.0 / 1024.0,
                    "{x:?} {y:?}"
                );
            }
            (None, None) => {}
            (x, y) => {
                let separation = x.or(y).unwrap().separation;
                assert!(separation > -most, "{x:?} {y:?}");
            }
        }
    }
    assert!(common > least, "{common}");
}

#[test]
fn hull_of_a_box_has_the_contacts_of_the_box() {
    let mut rng = rng("contacts of hulls of boxes");
    let (obbs, hulls, _) = boxes(&mut rng, 300);
    let (others, as_hulls, _) = boxes(&mut rng, 300);
    agrees(&mut rng, &others, None, &obbs, &hulls, 200);
    agrees(&mut rng, &others, Some(&as_hulls), &obbs, &hulls, 200);
    #[cfg(not(phalanx_only))]
    {
        let (points, spheres, capsules) = (
            many::<Point>(&mut rng),
            many::<Sphere>(&mut rng),
            many::<Capsule>(&mut rng),
        );
        agrees(&mut rng, &points, None, &obbs, &hulls, 2);
        agrees(&mut rng, &spheres, None, &obbs, &hulls, 20);
        agrees(&mut rng, &capsules, None, &obbs, &hulls, 20);
        let (aabbs, triangles) = (many::<Aabb>(&mut rng), many::<Triangle>(&mut rng));
        agrees(&mut rng, &aabbs, None, &obbs, &hulls, 20);
        agrees(&mut rng, &triangles, None, &obbs, &hulls, 10);
        let (planes, half_spaces) = (many::<Plane>(&mut rng), many::<HalfSpace>(&mut rng));
        agrees(&mut rng, &planes, None, &obbs, &hulls, 20);
        agrees(&mut rng, &half_spaces, None, &obbs, &hulls, 20);
    }
}

/// A rock of random points.
fn rock(rng: &mut StdRng, points: usize, reach: f32) -> Points {
    let setting = Setting::ordinary();
    let points = (0..points).map(|_| {
        let way = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
        let long = way.iter().map(|x| x * x).sum::<f32>().sqrt().max(0.1);
        let far = rng.random_range(0.8..1.0f32);
        way.map(|x| x * far / long)
    });
    let points = points.collect();
    let hull = Hull {
        center: [(); 3].map(|()| rng.random_range(-reach..reach)),
        rotation: setting.rotation(rng),
        kind: 0,
    };
    Points {
        hull,
        points,
        radius: 0.0,
    }
}

/// Two edges are deepest in more than half of the pairs: these have the points of the faces beside them.
#[test]
fn rocks_have_the_points_of_the_faces_beside_their_edges() {
    let mut rng = rng("points of rocks");
    for corners in [16, 32] {
        let (mut contacts, mut points, mut single) = (0, 0, 0);
        let mut worst = Worst::default();
        while contacts < cases_or(300) {
            let (a, b) = (rock(&mut rng, corners, 1.6), rock(&mut rng, corners, 1.6));
            let Some(contact) = contact_of(&one(&a), &one(&b), 0.0) else {
                continue;
            };
            contacts += 1;
            points += contact.points().len();
            single += usize::from(contact.points().len() == 1);
            // The exact separation of more corners takes long.
            if corners == 16 && contacts % 4 == 0 {
                worst.see(&a, &b, 0.0, &contact);
                continue;
            }
            let (truth, _) = Touching::without_separation(&a, &b);
            let beta = BETA * U * size(&a, &b, [[0.0; 3]; 2]);
            let normal = contact.normal.map(f64::from);
            let mut deepest = f64::INFINITY;
            for point in contact.points() {
                let s = f64::from(point.separation);
                let (half, at) = (times(normal, s / 2.0), point.at.map(f64::from));
                let off = [truth.off(0, sub(at, half)), truth.off(1, add(at, half))];
                assert!(
                    off.iter().all(|off| *off <= beta),
                    "{off:?} of {beta}\n{contact:?}\n{a:?}\n{b:?}"
                );
                deepest = deepest.min(s - f64::from(contact.separation));
            }
            assert!(deepest.abs() <= beta, "{deepest} of {beta}\n{contact:?}");
        }
        worst.worst.truncate(1);
        assert!(worst.bad == 0, "{worst:?}");
        let mean = points as f64 / contacts as f64;
        println!("{corners} corners: {mean:.2} points a contact, {single} of {contacts} have one");
        assert!(mean >= 2.9, "{mean}");
    }
}

/// The position on the surface of a point is that point, also if the hull is thin.
#[test]
fn contacts_of_points_with_thin_hulls_are_at_the_points() {
    let mut rng = rng("points in thin hulls");
    // At the end that is farthest from the point, before.
    let needle = Points {
        hull: Hull {
            center: [0.03826009, -0.76359284, 0.8967262],
            rotation: [4.3588945e-5, 1.5076055e-5, 0.0, 1.0],
            kind: 0,
        },
        points: vec![
            [-2.080573e-7, 0.2887573, -0.0003688991],
            [5.383974e-7, -0.2916661, 0.00012286527],
            [-2.0553528e-6, -0.08785248, 0.00071605685],
            [3.9770745e-7, -0.10484305, -0.00044413575],
            [-0.0032603294, -0.21776362, -0.00031492062],
        ],
        radius: 0.0,
    };
    let near_its_end = Point {
        position: [0.03825952, -0.4774064, 0.8963894],
    };
    let mut all = vec![(needle, near_its_end)];
    while all.len() < cases_or(4000) {
        let thin = 10f32.powf(rng.random_range(-5.0..0.0));
        let corners = [(); 5].map(|()| {
            let [x, y, z] = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
            [thin * x, y, thin * z]
        });
        // Near the surface, or inside.
        let shares = [(); 5].map(|()| match rng.random_bool(0.3) {
            true => 0.0,
            false => rng.random_range(0.0..1.0f32),
        });
        let sum = shares.iter().sum::<f32>().max(0.01);
        let position =
            [0, 1, 2].map(|axis| (0..5).map(|k| shares[k] / sum * corners[k][axis]).sum());
        all.push((placed(corners.into(), [0.0; 3], 0.0), Point { position }));
    }
    let mut touching = 0;
    for (hull, point) in &all {
        let Some(contact) = contact_of(&one(hull), &Store::from_slice(&[*point]), 0.0) else {
            continue;
        };
        touching += 1;
        let beta = BETA * U * size(hull, point, [[0.0; 3]; 2]);
        let truth = Touching::new(hull, point);
        let [only] = contact.points() else {
            panic!("{contact:?}");
        };
        let half = times(
            contact.normal.map(f64::from),
            f64::from(only.separation) / 2.0,
        );
        let at = only.at.map(f64::from);
        let off = [truth.off(0, sub(at, half)), truth.off(1, add(at, half))];
        assert!(
            off.iter().all(|off| *off <= beta),
            "{off:?} of {beta}\n{contact:?}\n{hull:?}\n{point:?}"
        );
    }
    assert!(touching * 2 > all.len(), "{touching}");
}

#[test]
fn points_inside_and_equal_points_change_no_normal() {
    let mut rng = rng("points inside");
    for _ in 0..200 {
        let half = [(); 3].map(|()| rng.random_range(0.2..1.5f32));
        let mut points = corners(half);
        while points.len() < rng.random_range(9..=64) {
            // On faces, on edges, inside, or once more.
            let mut point = half.map(|x| x * rng.random_range(-4i8..=4) as f32 / 4.0);
            if rng.random_bool(0.5) {
                let axis = rng.random_range(0..3);
                point[axis] = half[axis] * if rng.random_bool(0.5) { -1.0 } else { 1.0 };
            }
            points.push(point);
        }
        let turn = rng.random_range(-3.0..3.0f32);
        let (plain, rich) = (
            placed(corners(half), [0.5; 3], turn),
            placed(points, [0.5; 3], turn),
        );
        let other = hull(&mut rng, &Setting::ordinary());
        let of = |a: &Points| contact_of(&one(a), &one(&other), 0.0);
        match (of(&plain), of(&rich)) {
            (Some(x), Some(y)) => {
                assert!((x.separation - y.separation).abs() < 1e-4, "{x:?} {y:?}");
                assert!(y.points().len().min(1) == x.points().len().min(1));
                let features: Vec<u8> = y.points().iter().map(|p| p.feature).collect();
                assert!((1..features.len()).all(|k| !features[..k].contains(&features[k])));
            }
            (None, None) => {}
            (x, y) => assert!(x.or(y).unwrap().separation > -1e-4),
        }
    }
}

/// Hulls of up to 64 corners: no direction near the normal, nor a random one, has a larger gap than the normal by more than β.
#[test]
fn large_hulls_have_normals_of_least_penetration() {
    let mut rng = rng("large hulls");
    let setting = Setting::ordinary();
    let large = |rng: &mut StdRng| {
        let points = (0..rng.random_range(16..=64)).map(|_| {
            let way = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
            let long = way.iter().map(|x| x * x).sum::<f32>().sqrt().max(0.1);
            [0, 1, 2].map(|k| way[k] / long * [1.0, 0.7, 0.5][k])
        });
        let points = points.collect();
        let hull = Hull {
            center: setting.point(rng),
            rotation: setting.rotation(rng),
            kind: 0,
        };
        Points {
            hull,
            points,
            radius: 0.0,
        }
    };
    let mut touching = 0;
    while touching < cases_or(60) {
        let (a, b) = (large(&mut rng), large(&mut rng));
        let Some(contact) = contact_of(&one(&a), &one(&b), 0.0) else {
            continue;
        };
        touching += 1;
        let (truth, _) = Touching::without_separation(&a, &b);
        let beta = BETA * U * size(&a, &b, [[0.0; 3]; 2]);
        let normal = contact.normal.map(f64::from);
        let normal = times(normal, 1.0 / length(normal));
        let along = truth.along(normal);
        let said = f64::from(contact.separation);
        assert!(
            said <= along + 1e-3 * beta && along - said <= beta,
            "{said} {along}\n{a:?}\n{b:?}"
        );
        // A certificate of the lower bound is the gap of any direction; the largest found climbs from the normal.
        let (mut best, mut highest) = (normal, along);
        let mut step = 0.5;
        for k in 0..4000 {
            let by = [(); 3].map(|()| rng.random_range(-1.0..1.0f64));
            let from = if k % 4 == 0 { [0.0; 3] } else { best };
            let way = add(from, times(by, if k % 4 == 0 { 1.0 } else { step }));
            let gap = truth.along(times(way, 1.0 / length(way)));
            if gap > highest {
                (best, highest) = (times(way, 1.0 / length(way)), gap);
            } else if k % 4 != 0 {
                step = (step * 0.995).max(1e-9);
            }
        }
        assert!(
            highest <= said + beta,
            "{highest} is along {best:?}, not {said}\n{contact:?}\n{a:?}\n{b:?}"
        );
        for point in contact.points() {
            let half = times(normal, f64::from(point.separation) / 2.0);
            let at = point.at.map(f64::from);
            let off = [truth.off(0, sub(at, half)), truth.off(1, add(at, half))];
            assert!(
                off.iter().all(|off| *off <= beta),
                "{off:?} of {beta}\n{contact:?}\n{a:?}\n{b:?}"
            );
        }
        assert!(!contact.points().is_empty());
    }
}
