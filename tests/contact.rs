//! Contacts against their definition, with pairs near contact and deep penetration.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod harness;
mod oracle;
#[path = "common/polygon.rs"]
mod polygon;

use common::{Sample, Setting, cases, cases_or, rng};
use harness::contact::contact_in;
use harness::fine::fine_contact;
use harness::{CaseOf, KernelCase, QueryRunner};
use oracle::U;
use oracle::minkowski::{BETA, Facet, Round, Solid, V, add, cross, length, sub, times};
use phalanx::traits::{Bounded, Collide, Shape};
use phalanx::{
    Aabb, Capsule, Contact, Contacts, Detector, During, HalfSpace, Mesh, Obb, Overlaps, Pair,
    Pairs, Plane, Sphere, Store, Triangle,
};
use polygon::{area, cut};
use rand::RngExt;
use rand::rngs::StdRng;

/// Second shape of a contact, with its separation from a solid.
trait Other {
    /// Gap to a solid along a unit vector towards this shape.
    fn along(&self, solid: &Solid, normal: V) -> f64;
    fn separation(&self, solid: &Solid) -> f64;
    /// The lengths to which the error is relative.
    fn size(&self, solid: &Solid) -> f64;
    /// Whether the shape is a box or a triangle: the separation from a box is then only a lower bound on the distance.
    fn has_faces(&self) -> bool;
    /// Distance of a point from the surface, given relative to another point.
    fn off(&self, from: V, point: V) -> f64;
}

impl<T: Round> Other for T {
    fn along(&self, solid: &Solid, normal: V) -> f64 {
        self.solid().less(solid).along(normal)
    }
    fn separation(&self, solid: &Solid) -> f64 {
        self.solid().less(solid).separation()
    }
    fn size(&self, solid: &Solid) -> f64 {
        let t = sub(self.solid().center, solid.center);
        t.iter().map(|x| x.abs()).sum::<f64>() + self.solid().size() + solid.size()
    }
    fn has_faces(&self) -> bool {
        self.solid().generators.len() == 3
    }
    fn off(&self, from: V, point: V) -> f64 {
        off(&self.solid(), from, point)
    }
}

impl Other for Triangle {
    fn along(&self, solid: &Solid, normal: V) -> f64 {
        Facet::new(self).along(solid, normal)
    }
    fn separation(&self, solid: &Solid) -> f64 {
        Facet::new(self).separation(solid)
    }
    fn size(&self, solid: &Solid) -> f64 {
        // From the farthest corner: the kernel uses an end of the longest edge.
        let facet = Facet::new(self);
        let far = facet.corners.map(|corner| {
            let t = sub(corner, solid.center);
            t.iter().map(|x| x.abs()).sum::<f64>()
        });
        far.into_iter().fold(0.0, f64::max) + facet.longest() + solid.size()
    }
    fn has_faces(&self) -> bool {
        true
    }
    fn off(&self, from: V, point: V) -> f64 {
        // Differences first, because the sum rounds far from the origin.
        let mut facet = Facet::new(self);
        facet.corners = facet.corners.map(|corner| sub(corner, from));
        let point = Solid {
            center: point,
            generators: vec![],
            radius: 0.0,
        };
        facet.separation(&point)
    }
}

/// Distance of a point from the surface of a solid.
fn off(solid: &Solid, from: V, point: V) -> f64 {
    // The difference first, because the sum rounds far from the origin.
    let from_point = Solid {
        center: sub(sub(solid.center, from), point),
        ..solid.clone()
    };
    from_point.separation().abs()
}

fn heights(normal: [f32; 3], d: f32, at: V) -> (f64, f64, f64) {
    let n = normal.map(f64::from);
    let terms = [n[0] * at[0], n[1] * at[1], n[2] * at[2], d.into()];
    let long = length(n);
    (
        terms.iter().sum::<f64>() / long,
        terms.iter().map(|x| x.abs()).sum::<f64>() / long,
        long,
    )
}

macro_rules! surfaces {
    ($($shape:ident $solid:literal),+) => { $(
        impl Other for $shape {
            fn along(&self, solid: &Solid, normal: V) -> f64 {
                // The normal is the plane's normal or its opposite, up to rounding.
                let (height, ..) = heights(self.normal, self.d, solid.center);
                let down = Solid { center: [0.0; 3], ..solid.clone() };
                let height = if $solid { height } else { height.abs() };
                down.along(normal) + height
            }
            fn separation(&self, solid: &Solid) -> f64 {
                let (height, ..) = heights(self.normal, self.d, solid.center);
                let down = Solid { center: [0.0; 3], ..solid.clone() };
                let height = if $solid { height } else { height.abs() };
                down.along(self.normal.map(f64::from)) + height
            }
            fn size(&self, solid: &Solid) -> f64 {
                heights(self.normal, self.d, solid.center).1 + solid.size()
            }
            fn has_faces(&self) -> bool {
                false
            }
            fn off(&self, from: V, point: V) -> f64 {
                let (height, ..) = heights(self.normal, self.d, from);
                let (more, ..) = heights(self.normal, 0.0, point);
                (height + more).abs()
            }
        }
    )+ };
}
surfaces!(Plane false, HalfSpace true);

/// The largest error for each promise, in u of all lengths.
#[derive(Debug, Default)]
struct Worst {
    touching: usize,
    apart: usize,
    points: usize,
    above: f64,
    below: f64,
    /// For separated pairs, unless both shapes are boxes.
    below_distance: f64,
    normal: f64,
    length: f64,
    on_a: f64,
    on_b: f64,
    deeper: f64,
    /// Shortfall of the deepest point's depth against the pair's; relative, not in u.
    deepest: f64,
    without: usize,
    worst: Option<String>,
}

impl Worst {
    /// The contacts of stores, position by position.
    fn see_all<A: Shape + Round, B: Shape + Other>(
        &mut self,
        a: &Store<A>,
        b: &Store<B>,
        margin: f32,
        contacts: &Contacts,
    ) {
        for contact in contacts {
            let i = contact.position as u32;
            self.see(&a.get(i).unwrap(), &b.get(i).unwrap(), margin, &contact);
        }
    }

    fn see<A: Shape + Round, B: Shape + Other>(
        &mut self,
        a: &A,
        b: &B,
        margin: f32,
        contact: &Contact,
    ) {
        let solid = a.solid();
        let size = b.size(&solid) + f64::from(margin);
        let floor = 2f64.powi(-60);
        let unit = |x: f64| match (x.abs() - floor).max(0.0) {
            0.0 => 0.0,
            excess => excess.copysign(x) / (U * size),
        };
        let exact = b.separation(&solid);
        let normal = contact.normal.map(f64::from);
        let said = f64::from(contact.separation);
        let along = b.along(&solid, times(normal, 1.0 / length(normal)));
        let has_distance = !(solid.generators.len() == 3 && b.has_faces());
        let mut bad = vec![];
        let worst = |bad: &mut Vec<String>, name, seen: &mut f64, x: f64, most: f64| {
            *seen = seen.max(x);
            if x.is_nan() || x > most {
                bad.push(format!("{name} {x:.1}"));
            }
        };
        worst(&mut bad, "above", &mut self.above, unit(said - exact), 1e-4);
        worst(
            &mut bad,
            "length",
            &mut self.length,
            (length(normal) - 1.0).abs() / U,
            16.0,
        );
        if margin == 0.0 {
            assert!(said <= 0.0);
        }
        if exact <= 0.0 {
            self.touching += 1;
            worst(&mut bad, "below", &mut self.below, unit(exact - said), BETA);
            worst(
                &mut bad,
                "normal",
                &mut self.normal,
                unit(exact - along),
                BETA,
            );
        } else {
            self.apart += 1;
            worst(&mut bad, "below", &mut self.below, unit(along - said), BETA);
            if has_distance {
                let below = unit(exact - said);
                worst(&mut bad, "distance", &mut self.below_distance, below, BETA);
            }
        }
        if contact.points().is_empty() && (exact <= 0.0 || has_distance) {
            self.without += 1;
            bad.push("no point".into());
        }
        let mut features: Vec<u8> = contact.points().iter().map(|p| p.feature).collect();
        features.sort_unstable();
        if features.windows(2).any(|pair| pair[0] == pair[1]) {
            bad.push(format!("features {features:?}"));
        }
        let mut deepest = f64::INFINITY;
        for point in contact.points() {
            self.points += 1;
            let s = f64::from(point.separation);
            let (from, at) = (Round::reference(a), point.at.map(f64::from));
            let half = times(normal, s / 2.0);
            let (on_a, on_b) = (off(&solid, from, sub(at, half)), b.off(from, add(at, half)));
            worst(&mut bad, "on a", &mut self.on_a, unit(on_a), BETA);
            worst(&mut bad, "on b", &mut self.on_b, unit(on_b), BETA);
            worst(&mut bad, "deeper", &mut self.deeper, unit(said - s), BETA);
            deepest = deepest.min(s);
        }
        if (exact <= 0.0 || has_distance) && !contact.points().is_empty() {
            worst(
                &mut bad,
                "deepest",
                &mut self.deepest,
                (deepest - said - BETA * U * size - floor) / size * 1024.0,
                1.0,
            );
        }
        if !bad.is_empty() && self.worst.is_none() {
            self.worst = Some(format!(
                "{bad:?}: {a:?} {b:?} margin {margin} says {contact:?}, exact {exact}"
            ));
        }
    }
}

fn keeps_promises<C: KernelCase>()
where
    C::A: Round + Collide<C::B>,
    C::B: Other,
{
    let mut rng = rng(C::NAME);
    let mut asker = QueryRunner::<C>::default();
    let (mut contacts, mut overlaps) = (Contacts::new(), Overlaps::new());
    let mut worst = Worst::default();
    while worst.touching + worst.apart < cases() {
        let setting = Setting::random(&mut rng);
        let Some(near) = contact_in(&setting, &mut rng, &mut asker) else {
            continue;
        };
        let (mut a, mut b) = (Store::<C::A>::new(), Store::<C::B>::new());
        for ((shape_a, _), (shape_b, _)) in near.a.iter().zip(&near.b) {
            a.push(*shape_a);
            b.push(if rng.random_bool(0.5) {
                deeper(&mut rng, &setting, *shape_b)
            } else {
                *shape_b
            });
        }
        if b.validate().is_err() {
            continue;
        }
        let mut detector = Detector::new().parallel(false).margin(near.margin).unwrap();
        detector
            .contact(&a, &b, Pairs::zip(), &mut contacts)
            .unwrap();
        detector
            .overlap(&a, &b, Pairs::zip(), &mut overlaps)
            .unwrap();
        assert_eq!(contacts.overlaps(), &overlaps);
        assert_eq!(contacts.positions().len(), overlaps.count());
        worst.see_all(&a, &b, near.margin, &contacts);
    }
    println!("{}: {worst:.1?}", C::NAME);
    assert!(worst.worst.is_none(), "{}", worst.worst.unwrap());
}

/// Moves a shape by up to the scale.
fn deeper<T: Sample>(rng: &mut StdRng, setting: &Setting, shape: T) -> T {
    let by = 10f32.powf(rng.random_range(-8.0..0.0)) * setting.scale;
    shape.moved([(); 3].map(|()| rng.random_range(-1.0..1.0f32) * by))
}

/// Pairs of uneven sizes that touch, nearer to contact than `f64` resolves, have no gap. Without a margin none would.
fn has_no_gap<C: KernelCase>()
where
    C::A: Round + Collide<C::B>,
    C::B: Other,
{
    let mut rng = rng(&format!("{}, fine", C::NAME));
    let mut asker = QueryRunner::<C>::default();
    let mut contacts = Contacts::new();
    let mut found = 0;
    for _ in 0..cases_or(TRIES) {
        let Some(near) = fine_contact(&mut rng, &mut asker) else {
            continue;
        };
        if near.margin != 0.0 {
            continue;
        }
        found += 1;
        // Planes have no size: beside them a shape and a large margin are uneven.
        for margin in [1e-20, 1e12] {
            let ((a, _), (b, _)) = (near.a[0], near.b[0]);
            let (stored_a, stored_b) = (Store::from_slice(&[a]), Store::from_slice(&[b]));
            let mut detector = Detector::new().parallel(false).margin(margin).unwrap();
            detector
                .contact(&stored_a, &stored_b, Pairs::zip(), &mut contacts)
                .unwrap();
            let contact = contacts.iter().next().unwrap();
            assert!(
                contact.separation <= 0.0,
                "{}: {a:?} {b:?} says {contact:?}",
                C::NAME,
            );
        }
    }
    assert!(found > 0);
}

/// Number of tries to find such a pair, for each kernel.
const TRIES: usize = 150;

/// Three tests for each contact kernel, with the case of its overlap.
macro_rules! tests {
    ($($name:ident: contact($($shape:ident),+);)*) => {
        $(tests!(@@ keeps_promises, $name, $($shape),+);)*

        mod one_answer {
            use super::*;
            $(tests!(@@ has_one_answer, $name, $($shape),+);)*
        }

        mod uneven {
            use super::*;
            $(tests!(@@ has_no_gap, $name, $($shape),+);)*
        }
    };
    // Those found by the search of hulls have their tests with hulls.
    (@@ $test:ident, $name:ident, Triangle $(, $b:ident)?) => {};
    (@@ $test:ident, $name:ident, $($shape:ident),+) => {
        #[test]
        fn $name() {
            $test::<tests!(@ $($shape),+)>();
        }
    };
    (@ $a:ident) => { tests!(@ $a, $a) };
    (@ $a:ident, $b:ident) => { <phalanx::$a as CaseOf<Overlaps, phalanx::$b>>::Case };
}
phalanx::kernels!(contact: tests);

/// A pair that exceeded an earlier band of 130 u S: an axis nearly along an edge of the box.
#[cfg(not(phalanx_only))]
#[test]
fn a_capsule_deep_in_a_needle_is_within_the_band() {
    let capsule = Capsule {
        center: [-0.329_765_08, -0.431_279_27, -0.243_738_23],
        half_axis: [0.000_247_016_2, -0.743_327_56, -0.014_708_983],
        radius: 0.455_481_1,
    };
    let needle = Obb {
        center: [-0.312_346_5, -1.181_913_6, -0.254_925_46],
        half_extents: [0.019_039_23, 0.004_409_660_6, 0.992_941_6],
        rotation: [-0.082_450_226, -0.432_392_63, 0.870_888_95, 0.218_611_64],
    };
    let contact = contact_of(capsule, needle, 0.0).unwrap();
    let mut worst = Worst::default();
    worst.see(&capsule, &needle, 0.0, &contact);
    assert!(worst.below > 130.0, "{worst:?}");
    assert!(worst.worst.is_none(), "{worst:?}");
}

/// A capsule whose axis rises from beside an edge of a face, the lower end just over the edge's outer side: the normals of face and
/// edge are nearly equal, and only one of the points over the face is as deep as the pair.
///
/// The edge starts at `start`, `along` it, with its `outward` normal in the face and the `normal` of the face.
fn rising(rng: &mut StdRng, start: V, [along, outward, normal]: [V; 3]) -> Capsule {
    let size = length(along);
    let mut power = |low: f64, high: f64| 10f64.powf(rng.random_range(low..high)) * size;
    let radius = power(-2.0, -0.3);
    let way = [power(-1.5, 0.0), -power(-4.0, 0.0), power(-4.0, 0.0)];
    let (beyond, height) = (power(-5.0, -1.5), radius * rng.random_range(0.2..1.0));
    let sign = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
    let across = add(times(outward, way[1]), times(normal, way[2]));
    let axis = add(times(along, sign * way[0] / size), across);
    let on_edge = add(start, times(along, rng.random_range(0.1..0.9)));
    let beside = add(times(outward, beyond), times(normal, height));
    let end = add(on_edge, beside);
    let half = times(axis, 0.5);
    Capsule {
        center: add(end, half).map(|x| x as f32),
        half_axis: times(half, sign).map(|x| x as f32),
        radius: radius as f32,
    }
}

/// Contacts of capsules that rise from beside an edge.
fn rising_capsules<B: Other + Shape>(mut sample: impl FnMut(&mut StdRng) -> (B, Capsule))
where
    Capsule: Collide<B>,
{
    let mut rng = rng("capsules beside edges");
    let (mut a, mut b, mut contacts) = (Store::new(), Store::new(), Contacts::new());
    for _ in 0..cases() {
        let (shape, capsule) = sample(&mut rng);
        a.push(capsule);
        b.push(shape);
    }
    Detector::new()
        .contact(&a, &b, Pairs::zip(), &mut contacts)
        .unwrap();
    let mut worst = Worst::default();
    worst.see_all(&a, &b, 0.0, &contacts);
    println!("{worst:.1?}");
    assert!(worst.touching * 2 > cases());
    assert!(worst.worst.is_none(), "{}", worst.worst.unwrap());
}

#[cfg(not(phalanx_only))]
#[test]
fn capsules_along_an_edge_have_the_point_where_they_touch() {
    rising_capsules(|rng| {
        let corners = [(); 3].map(|()| [(); 3].map(|()| rng.random_range(-1.0..1.0f32)));
        let [p, q, r] = corners.map(|corner| corner.map(f64::from));
        let (along, other) = (sub(q, p), sub(r, p));
        let unit = |v: V| times(v, 1.0 / length(v));
        let normal = unit(cross(along, other));
        let outward = unit(cross(along, normal));
        (
            Triangle { corners },
            rising(rng, p, [along, outward, normal]),
        )
    });
    rising_capsules(|rng| {
        let half_extents = [(); 3].map(|()| rng.random_range(0.05..1.0f32));
        let [x, y, z] = half_extents.map(f64::from);
        let start = [-x, y, z];
        let frame = [[2.0 * x, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        (obb([0.0; 3], half_extents), rising(rng, start, frame))
    });
    rising_capsules(|rng| {
        let length = rng.random_range(0.2..1.0);
        let frame = [[length, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let capsule = rising(rng, [-0.5 * length, 0.0, 0.0], frame);
        let other = Capsule {
            center: [0.0; 3],
            half_axis: [0.5 * length as f32, 0.0, 0.0],
            radius: rng.random_range(0.0..0.2),
        };
        (other, capsule)
    });
}

/// A store of shapes near contact, and a store of their partners.
fn many<C: KernelCase>(len: u32) -> (Store<C::A>, Store<C::B>, f32) {
    let mut rng = rng(C::NAME);
    let setting = Setting::ordinary();
    let (mut a, mut b) = (Store::new(), Store::new());
    for _ in 0..len {
        a.push(C::A::sample(&mut rng, &setting));
        b.push(C::B::sample(&mut rng, &setting));
    }
    (a, b, 0.05)
}

/// All numbers of the contacts, as bits.
fn bits(contacts: &Contacts) -> Vec<u32> {
    let mut bits: Vec<u32> = contacts.positions().to_vec();
    let mut add = |column: &[f32]| bits.extend(column.iter().map(|x| x.to_bits()));
    contacts.normal().into_iter().for_each(&mut add);
    add(contacts.separation());
    for k in 0..4 {
        contacts.point(k).at.into_iter().for_each(&mut add);
        add(contacts.point(k).separation);
    }
    let bytes = (0..4).map(|k| contacts.point(k).feature);
    for bytes in bytes.chain([contacts.counts()]) {
        bits.extend(bytes.iter().map(|x| u32::from(*x)));
    }
    bits
}

fn has_one_answer<C: KernelCase>()
where
    C::A: Collide<C::B>,
    C::B: Collide<C::A>,
{
    let (a, b, mut margin) = many::<C>(3001);
    let (mut first, mut other) = (Contacts::new(), Contacts::new());
    let (detector, mut serial) = loop {
        let detector = Detector::new().margin(margin).unwrap();
        let mut serial = detector.clone().parallel(false);
        serial.contact(&a, &b, Pairs::zip(), &mut first).unwrap();
        // Points are seldom near a triangle.
        if first.count() > 50 || margin >= 1.0 {
            break (detector, serial);
        }
        margin *= 2.0;
    };
    assert!(
        first.count() > 50 && first.count() < 3001,
        "{}",
        first.count()
    );
    // On every instruction set, in pieces, and from lists that read columns or rows.
    let list: Vec<Pair> = (0..3001).map(|i| Pair::new(i, i)).collect();
    for simd in phalanx::Simd::available() {
        for parallel in [false, true] {
            let mut detector = detector.clone().simd(simd).parallel(parallel);
            detector.contact(&a, &b, Pairs::zip(), &mut other).unwrap();
            assert_eq!(bits(&first), bits(&other), "{simd}");
            detector.contact(&a, &b, &list, &mut other).unwrap();
            assert_eq!(bits(&first), bits(&other), "{simd}");
        }
        let mut detector = detector.clone().simd(simd);
        for (at, pair) in list.iter().enumerate().filter(|(at, _)| at % 97 == 0) {
            detector.contact(&a, &b, &[*pair], &mut other).unwrap();
            let one = other
                .get(0)
                .map(|contact| (contact.normal, contact.points().to_vec()));
            let all = first
                .get(at)
                .map(|contact| (contact.normal, contact.points().to_vec()));
            assert_eq!(one, all, "{simd}");
        }
    }
    // One shape against all, in either order.
    serial
        .contact(&a, &b, Pairs::one_to_all(7), &mut first)
        .unwrap();
    let list: Vec<Pair> = (0..3001).map(|i| Pair::new(7, i)).collect();
    serial.contact(&a, &b, &list, &mut other).unwrap();
    assert_eq!(bits(&first), bits(&other));
    let list: Vec<Pair> = list.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    serial.contact(&b, &a, &list, &mut other).unwrap();
    if std::any::TypeId::of::<C::A>() == std::any::TypeId::of::<C::B>() {
        // Shapes of one kind: within bands only.
        return;
    }
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

/// The contact of two shapes.
fn contact_of<A: Collide<B>, B: Shape>(a: A, b: B, margin: f32) -> Option<Contact> {
    let mut contacts = Contacts::new();
    let mut detector = Detector::new().margin(margin).unwrap();
    let (a, b) = (Store::from_slice(&[a]), Store::from_slice(&[b]));
    detector
        .contact(&a, &b, Pairs::zip(), &mut contacts)
        .unwrap();
    contacts.get(0)
}

fn obb(center: [f32; 3], half_extents: [f32; 3]) -> Obb {
    Obb {
        center,
        half_extents,
        ..Obb::default()
    }
}

#[cfg(not(phalanx_only))]
#[test]
fn points_on_swapped_shapes_are_from_the_other_center() {
    let ball = Sphere {
        center: [5.0, 1.9, 0.0],
        radius: 1.0,
    };
    let cube = obb([5.25, 0.0, 0.0], [1.0; 3]);
    let (one, other) = (
        contact_of(ball, cube, 0.0).unwrap(),
        contact_of(cube, ball, 0.0).unwrap(),
    );
    assert_eq!(one.normal, [0.0, -1.0, 0.0]);
    assert_eq!(other.normal, [0.0, 1.0, 0.0]);
    let near = |p: [f32; 3], q: [f32; 3]| p.iter().zip(&q).all(|(p, q)| (p - q).abs() < 1e-5);
    assert!(near(one.points()[0].at, [0.0, -0.95, 0.0]));
    assert!(near(other.points()[0].at, [-0.25, 0.95, 0.0]));
}

/// Flush boxes 0.056 mm deep, for which another library found a point 71 mm deep: mujoco, issue 3476.
#[cfg(not(phalanx_only))]
#[test]
fn flush_boxes_have_no_phantom_depth() {
    for turn in [0.0, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4] {
        let a = obb([0.0; 3], [0.1, 0.1, 0.05]);
        let rotation = [turn, -turn / 3.0, turn / 7.0, 1.0];
        let b = Obb {
            rotation,
            ..obb([0.03, 0.01, 0.1 - 0.000_056], [0.1, 0.1, 0.05])
        };
        let contact = contact_of(a, b, 0.0).unwrap();
        assert!(
            (contact.separation + 0.000_056).abs() < 5e-6 + turn,
            "{contact:?}"
        );
        assert!(contact.normal[2] > 0.999);
        assert_eq!(contact.points().len(), 4);
        for point in contact.points() {
            assert!(point.separation > contact.separation - 1e-6);
        }
    }
}

/// Touching unit cubes, for which another library found a wrong point and normal: parry, issues 315 and 318.
#[cfg(not(phalanx_only))]
#[test]
fn touching_unit_cubes() {
    let contact = contact_of(obb([0.0; 3], [0.5; 3]), obb([1.0, 0.0, 0.0], [0.5; 3]), 0.0).unwrap();
    assert_eq!(contact.normal, [1.0, 0.0, 0.0]);
    assert!(contact.separation.abs() < 1e-5 && contact.points().len() == 4);
    for point in contact.points() {
        assert!((point.at[0] - 0.5).abs() < 1e-5);
        assert!(
            point.at[1].abs() == 0.5 && point.at[2].abs() == 0.5,
            "{point:?}"
        );
    }
    // Offset by half a side, where another library misplaced the second point: parry, issue 378.
    let contact = contact_of(obb([0.0; 3], [0.5; 3]), obb([0.5, 0.9, 0.0], [0.5; 3]), 0.0).unwrap();
    assert_eq!(contact.normal, [0.0, 1.0, 0.0]);
    for point in contact.points() {
        assert!(point.at[0] > -1e-5 && point.at[0] < 0.5 + 1e-5, "{point:?}");
    }
}

/// A sphere passes through a box: its depth must not jump where the center enters. mujoco, issue 2206.
#[cfg(not(phalanx_only))]
#[test]
fn sphere_through_a_box_has_a_continuous_depth() {
    let cube = obb([0.0; 3], [1.0; 3]);
    let mut previous = f32::INFINITY;
    for step in 0..=2000 {
        let x = 2.0 - step as f32 / 1000.0;
        let ball = Sphere {
            center: [x, 0.25, 0.0],
            radius: 0.5,
        };
        let Some(contact) = contact_of(ball, cube, 0.0) else {
            assert!(x > 1.4999);
            continue;
        };
        // Nearer to x = 1 than to another face down to x = 0.25.
        if x > 0.2501 {
            assert_eq!(contact.normal, [-1.0, 0.0, 0.0], "{x}");
            assert!(
                (contact.separation - (x - 1.5)).abs() < 1e-5,
                "{x} {contact:?}"
            );
        }
        assert!(contact.separation < previous + 1e-5 || x < 0.25);
        previous = contact.separation;
    }
}

/// With a margin a contact must not flicker while a box jitters by a millionth of a rotation: mujoco, issue 2471.
#[cfg(not(phalanx_only))]
#[test]
fn a_margin_keeps_its_contacts() {
    let ground = obb([0.0, 0.0, -0.5], [5.0, 5.0, 0.5]);
    for step in -20..=20 {
        let rotation = [step as f32 * 1e-6, 1e-6, 0.0, 1.0];
        let cube = Obb {
            rotation,
            ..obb([0.0, 0.0, 0.501], [0.5; 3])
        };
        let contact = contact_of(ground, cube, 0.002).unwrap();
        assert_eq!(contact.points().len(), 4, "{contact:?}");
        assert!((contact.separation - 0.001).abs() < 1e-4);
    }
}

/// Center inside, or on the surface, for which other libraries found no contact: parry, issues 34 and 148.
#[cfg(not(phalanx_only))]
#[test]
fn a_center_on_the_surface_and_inside() {
    let cube = Aabb {
        min: [-1.0; 3],
        max: [1.0; 3],
    };
    for (center, normal, separation) in [
        ([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], -0.25),
        ([-1.0, 0.5, 0.0], [1.0, 0.0, 0.0], -0.25),
        ([0.0, 0.0, -0.75], [0.0, 0.0, 1.0], -0.5),
        // Ties: the first axis, the upper side.
        ([0.0, 0.0, 0.0], [-1.0, 0.0, 0.0], -1.25),
        ([0.0, -0.5, -0.5], [0.0, 1.0, 0.0], -0.75),
    ] {
        let ball = Sphere {
            center,
            radius: 0.25,
        };
        let contact = contact_of(ball, cube, 0.0).unwrap();
        assert_eq!(contact.normal, normal, "{center:?}");
        assert!(
            (contact.separation - separation).abs() < 1e-5,
            "{contact:?}"
        );
    }
}

/// Flush boxes with a corner just outside of the other box's face.
#[cfg(not(phalanx_only))]
#[test]
fn no_corner_is_lost() {
    let brick = [0.5, 0.25, 0.25];
    let lower = obb([0.0; 3], brick);
    for (center, rotation) in [
        (
            [-0.42919132, 0.49163842, 1.2266971e-6],
            [-5.508586e-6, 1.6401214e-7, 5.2483892e-6, 1.0],
        ),
        (
            [0.1778358, 0.49631846, 0.0],
            [7.731513e-6, 0.0, -7.6507655e-5, 1.0],
        ),
        (
            [-0.07008842, 0.49187326, -0.14316484],
            [-1.8415343e-5, 0.4674871, -4.62166e-5, 0.8839999],
        ),
    ] {
        let upper = Obb {
            rotation,
            ..obb(center, brick)
        };
        let contact = contact_of(lower, upper, 0.02).unwrap();
        assert_eq!(contact.points().len(), 4, "{contact:?}");
    }
}

/// The width and depth of the points on the first shape.
#[cfg(not(phalanx_only))]
fn spans(contact: &Contact) -> [f32; 2] {
    [0, 1].map(|k| {
        let at = contact.points().iter().map(|point| point.at[k]);
        at.clone().fold(f32::MIN, f32::max) - at.fold(f32::MAX, f32::min)
    })
}

/// Small shapes that rest on a slab, a triangle or a plane of any size have the points of their face: tolerances that follow the
/// larger shape do not merge them.
#[cfg(not(phalanx_only))]
#[test]
fn small_shapes_on_large_ones_keep_their_points() {
    let quarter = 0.5f32.sqrt();
    for half in [1.0, 10.0, 100.0, 1e3, 1e4, 1e5, 1e6f32] {
        for half_cube in [0.1, 0.25] {
            // Near the middle, and half way to the edge.
            for place in [[0.0; 2], [0.3, -0.2], [0.5 * half, 0.25 * half]] {
                let name = format!("{half_cube} on {half} at {place:?}");
                let center = [place[0], place[1], half_cube];
                let slab = obb([0.0, 0.0, -half], [half; 3]);
                let thin = obb([0.0, 0.0, -0.5], [half, half, 0.5]);
                let side = 3.0 * half;
                let ground = Triangle {
                    corners: [[-side, -side, 0.0], [side, -side, 0.0], [0.0, side, 0.0]],
                };
                let level = Aabb::from_center_half_extents(thin.center, thin.half_extents);
                for rotation in [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, quarter, quarter]] {
                    let cube = Obb {
                        rotation,
                        ..obb(center, [half_cube; 3])
                    };
                    let upright = Aabb::from_center_half_extents(center, [half_cube; 3]);
                    let mut contacts = vec![
                        ("slab", contact_of(slab, cube, 0.0)),
                        ("cube on a slab", contact_of(cube, slab, 0.0)),
                        ("thin slab", contact_of(thin, cube, 0.0)),
                        ("level", contact_of(level, cube, 0.0)),
                        ("AABB on a slab", contact_of(upright, thin, 0.0)),
                        ("AABBs", contact_of(level, upright, 0.0)),
                    ];
                    // A triangle counts from its farthest corner, so larger ones are too coarse.
                    if half <= 1e4 {
                        contacts.push(("triangle", contact_of(cube, ground, 0.0)));
                        contacts.push(("AABB on a triangle", contact_of(upright, ground, 0.0)));
                    }
                    for (kind, contact) in contacts {
                        let contact = contact.unwrap_or_else(|| panic!("{kind}: {name}"));
                        assert_eq!(contact.points().len(), 4, "{kind}: {name}: {contact:?}");
                        // Positions have the resolution of the larger shape.
                        let fine = 320.0 * 3.0 * half / (1 << 24) as f32;
                        let most = 2.0 * half_cube;
                        for span in spans(&contact) {
                            assert!(
                                (span - most).abs() <= 1e-3 * most + fine,
                                "{kind}: {name}: {span}"
                            );
                        }
                    }
                }
                let rod = Capsule {
                    center,
                    half_axis: [half_cube, 0.0, 0.0],
                    radius: half_cube,
                };
                let far = Plane::from_point_normal([half, half, 0.0], [0.0, 0.0, 1.0]);
                for (kind, contact) in [
                    ("rod on a slab", contact_of(rod, slab, 0.0)),
                    ("rod on a level", contact_of(rod, level, 0.0)),
                    ("rod on a plane", contact_of(rod, far, 0.0)),
                ] {
                    let contact = contact.unwrap_or_else(|| panic!("{kind}: {name}"));
                    assert_eq!(contact.points().len(), 2, "{kind}: {name}: {contact:?}");
                }
            }
        }
    }
}

#[cfg(not(phalanx_only))]
#[test]
fn what_coincides_has_a_contact() {
    let cube = obb([3.0; 3], [1.0, 2.0, 3.0]);
    let contact = contact_of(cube, cube, 0.0).unwrap();
    assert_eq!(
        (contact.normal, contact.points().len()),
        ([1.0, 0.0, 0.0], 4)
    );
    assert!((contact.separation + 2.0).abs() < 1e-4);
    let ball = Sphere {
        center: [3.0; 3],
        radius: 1.0,
    };
    assert_eq!(contact_of(ball, ball, 0.0).unwrap().normal, [1.0, 0.0, 0.0]);
    let rod = Capsule {
        center: [3.0; 3],
        half_axis: [0.0, 4.0, 0.0],
        radius: 1.0,
    };
    let contact = contact_of(rod, rod, 0.0).unwrap();
    assert!(contact.normal[1] == 0.0 && (contact.separation + 2.0).abs() < 1e-4);
    assert_eq!(contact.points().len(), 2);
    let contact = contact_of(ball, rod, 0.0).unwrap();
    assert!(contact.normal[1] == 0.0 && (contact.separation + 2.0).abs() < 1e-4);
    // Points, and a box around one.
    let point = obb([3.0; 3], [0.0; 3]);
    for contact in [contact_of(point, point, 0.0), contact_of(point, cube, 0.0)] {
        assert!((1..=2).contains(&contact.unwrap().points().len()));
    }
}

/// A resting box that jitters by 1e-5 keeps its feature ids.
#[cfg(not(phalanx_only))]
#[test]
fn features_stay_while_a_box_trembles() {
    let mut rng = rng("tremble");
    let (mut changes, mut frames) = (0, 0);
    for _ in 0..40 {
        let place = [
            rng.random_range(-0.7..0.7f32),
            rng.random_range(-0.7..0.7f32),
        ];
        let spin: f32 = [0.0, rng.random_range(-3.0..3.0f32)][rng.random_range(0..2)];
        let ground = obb([0.0; 3], [1.0, 1.0, 0.5]);
        let mut previous: Option<Vec<u8>> = None;
        for _ in 0..100 {
            let mut tremble = || rng.random_range(-1e-5..1e-5f32);
            let (c, s) = ((spin / 2.0).cos(), (spin / 2.0).sin());
            let cube = Obb {
                center: [
                    place[0] + tremble(),
                    place[1] + tremble(),
                    0.899 + tremble(),
                ],
                half_extents: [0.5, 0.4, 0.4],
                rotation: [tremble(), tremble(), s, c],
            };
            let contact = contact_of(ground, cube, 0.01).unwrap();
            let mut names: Vec<u8> = contact.points().iter().map(|p| p.feature).collect();
            names.sort_unstable();
            frames += 1;
            if previous.is_some_and(|previous| previous != names) {
                changes += 1;
            }
            previous = Some(names);
        }
    }
    println!("{changes} of {frames}");
    assert!(changes * 100 < frames, "{changes} of {frames}");
}

/// If two edges are deepest, boxes have the points of the faces beside them, up to four if these are nearly parallel.
#[cfg(not(phalanx_only))]
#[test]
fn edges_of_boxes_have_the_points_of_their_faces() {
    let mut rng = rng("edges of boxes");
    let (mut of_edges, mut points, mut single) = (0, 0, 0);
    let mut worst = Worst::default();
    while of_edges < 2000 {
        let mut number = |most: f32| rng.random_range(-most..most);
        let lower = obb([0.0; 3], [1.0, 1.0, 0.5]);
        let rotation = [number(0.05), number(0.05), number(1.0), 1.0];
        let long = rotation.iter().map(|x| x * x).sum::<f32>().sqrt();
        let upper = Obb {
            center: [number(2.0), number(2.0), 0.9 + number(0.05)],
            half_extents: [1.0, 1.0, 0.5],
            rotation: rotation.map(|x| x / long),
        };
        let Some(contact) = contact_of(lower, upper, 0.0) else {
            continue;
        };
        let normal = contact.normal.map(f64::from);
        let is_of_face = [lower, upper].iter().any(|shape| {
            shape.solid().generators.iter().any(|half| {
                let along = (0..3).map(|k| half[k] * normal[k]).sum::<f64>();
                along.abs() > 0.99999 * length(*half)
            })
        });
        if is_of_face {
            continue;
        }
        of_edges += 1;
        points += contact.points().len();
        single += usize::from(contact.points().len() == 1);
        worst.see(&lower, &upper, 0.0, &contact);
    }
    assert!(worst.worst.is_none(), "{}", worst.worst.unwrap());
    let mean = points as f64 / of_edges as f64;
    println!("{mean:.2} points a contact, {single} of {of_edges} have one");
    assert!(mean >= 3.2 && single * 20 < of_edges, "{mean}, {single}");
}

/// Stacked boxes: the points cover the common area.
#[cfg(not(phalanx_only))]
#[test]
fn points_cover_the_patch() {
    let mut rng = rng("patch");
    let (mut least, mut least_aligned) = (1.0f64, 1.0f64);
    for case in 0..20_000 {
        let mut length = || rng.random_range(0.2..2.0f32);
        let (a, b) = ([length(), length(), 0.5], [length(), length(), 0.5]);
        let aligned = case % 4 == 0;
        let turn = if aligned {
            0.0
        } else {
            rng.random_range(0.0..3.2f32)
        };
        let place = [
            rng.random_range(-1.0..1.0f32),
            rng.random_range(-1.0..1.0f32),
        ];
        let upper = Obb {
            rotation: [0.0, 0.0, (turn / 2.0).sin(), (turn / 2.0).cos()],
            ..obb([place[0], place[1], 0.999], b)
        };
        let Some(contact) = contact_of(obb([0.0; 3], a), upper, 0.0) else {
            continue;
        };
        if contact.normal[2] < 0.999 {
            continue;
        }
        // The upper face, cut by the sides of the lower.
        let (c, s) = (f64::from(turn).cos(), f64::from(turn).sin());
        let corner = |x: f32, y: f32| {
            let (x, y) = (f64::from(x), f64::from(y));
            [
                x * c - y * s + f64::from(place[0]),
                x * s + y * c + f64::from(place[1]),
            ]
        };
        let mut patch = vec![
            corner(-b[0], -b[1]),
            corner(b[0], -b[1]),
            corner(b[0], b[1]),
            corner(-b[0], b[1]),
        ];
        for (normal, most) in [
            ([1.0, 0.0], a[0]),
            ([-1.0, 0.0], a[0]),
            ([0.0, 1.0], a[1]),
            ([0.0, -1.0], a[1]),
        ] {
            patch = cut(&patch, normal, most.into());
        }
        let all = area(&patch);
        if all < 1e-3 {
            continue;
        }
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
        let covered = area(&points) / all;
        least = least.min(covered);
        if aligned {
            least_aligned = least_aligned.min(covered);
        }
    }
    println!("covered {least:.3}, of rectangles {least_aligned:.3}");
    assert!(
        least >= 0.45 && least_aligned >= 0.98,
        "{least} {least_aligned}"
    );
}

#[cfg(not(phalanx_only))]
#[test]
fn swept_contacts_are_those_at_the_time_of_impact() {
    let mut rng = rng("swept contacts");
    let setting = Setting::ordinary();
    let (mut balls, mut boxes) = (Store::<Sphere>::new(), Store::<Obb>::new());
    for _ in 0..2000 {
        let way = |rng: &mut StdRng| [(); 3].map(|()| rng.random_range(-2.0..2.0f32));
        let (v, w) = (way(&mut rng), way(&mut rng));
        balls.push_moving(Sphere::sample(&mut rng, &setting), v);
        boxes.push_moving(Obb::sample(&mut rng, &setting), w);
    }
    let (mut sweeps, mut contacts) = (phalanx::Sweeps::new(), Contacts::new());
    let mut detector = Detector::new();
    detector
        .sweep_contacts(&balls, &boxes, Pairs::zip(), &mut sweeps, &mut contacts)
        .unwrap();
    assert_eq!(contacts.words(), sweeps.words());
    assert!(contacts.count() > 300);
    let (mut a, mut b) = (Store::new(), Store::new());
    sweeps
        .at_enter(&balls, &boxes, Pairs::zip(), &mut a, &mut b)
        .unwrap();
    let mut at_enter = Contacts::new();
    let mut detector = detector.margin(1e-4).unwrap();
    detector
        .contact(&a, &b, Pairs::zip(), &mut at_enter)
        .unwrap();
    assert_eq!(at_enter.count(), contacts.count());
    for (swept, still) in contacts.iter().zip(&at_enter) {
        assert!((swept.separation - still.separation).abs() < 1e-4);
        let time = sweeps.get(swept.position).unwrap();
        if time.enter > 0.0 {
            assert!(swept.separation.abs() < 1e-4, "{swept:?}");
        }
        let cosine: f32 = swept
            .normal
            .iter()
            .zip(&still.normal)
            .map(|(p, q)| p * q)
            .sum();
        // In the middle of a thin box both faces are equally near.
        assert!(
            cosine > 0.999 || swept.separation < -1e-3,
            "{swept:?} {still:?}"
        );
    }
    // In reverse order the normals are reversed.
    let mut swapped = Contacts::new();
    detector = Detector::new();
    detector
        .sweep_contacts(&boxes, &balls, Pairs::zip(), &mut sweeps, &mut swapped)
        .unwrap();
    for (one, other) in contacts.iter().zip(&swapped) {
        assert_eq!(one.normal, other.normal.map(|x| -x));
    }
}

#[cfg(not(phalanx_only))]
#[test]
fn bad_pairs_and_lists() {
    let ball = |x| Sphere {
        center: [x, 0.0, 0.0],
        radius: 1.0,
    };
    let balls = Store::from_slice(&[ball(0.0), ball(f32::NAN), ball(1.0)]);
    let mut contacts = Contacts::new();
    let mut detector = Detector::new();
    let pairs = [Pair::new(0, 1), Pair::new(0, 2), Pair::new(1, 2)];
    detector
        .contact(&balls, &balls, &pairs, &mut contacts)
        .unwrap();
    assert_eq!(
        (contacts.len(), contacts.count(), contacts.invalid_count()),
        (3, 1, 2)
    );
    assert!(contacts.is_invalid(0) && contacts.is_hit(1) && contacts.get(0).is_none());
    let before = contacts.clone();
    let error = detector.contact(&balls, &balls, &[Pair::new(0, 3)], &mut contacts);
    assert!(matches!(
        error,
        Err(phalanx::Error::PairOutOfBounds { position: 0, .. })
    ));
    assert_eq!(before, contacts);
    detector
        .contact(&balls, &balls, &[] as &[Pair], &mut contacts)
        .unwrap();
    assert!(contacts.is_empty() && contacts.iter().next().is_none());
}

/// In integers: the greatest gap of all fifteen axes is never below the reported separation.
#[cfg(not(phalanx_only))]
#[test]
fn boxes_are_never_deeper_than_said() {
    let mut rng = rng("fifteen axes");
    let mut asker = QueryRunner::<harness::cells::obb_obb_overlap>::default();
    let (mut contacts, mut tried) = (Contacts::new(), 0);
    while tried < cases() / 10 {
        let setting = Setting::random(&mut rng);
        let Some(near) = contact_in(&setting, &mut rng, &mut asker) else {
            continue;
        };
        let (mut a, mut b) = (Store::new(), Store::new());
        for ((shape_a, _), (shape_b, _)) in near.a.iter().zip(&near.b) {
            a.push(*shape_a);
            b.push(deeper(&mut rng, &setting, *shape_b));
        }
        Detector::new()
            .contact(&a, &b, Pairs::zip(), &mut contacts)
            .unwrap();
        for contact in &contacts {
            let i = contact.position as u32;
            let (a, b) = (a.get(i).unwrap(), b.get(i).unwrap());
            assert!(
                oracle::boxes::is_gap_at_least(&a, &b, contact.separation),
                "{a:?} {b:?} {contact:?}"
            );
            tried += 1;
        }
    }
}

/// Hills of triangles with edges of about 1 m.
fn hills(rng: &mut StdRng) -> Mesh {
    let vertices: Vec<[f32; 3]> = (0..49)
        .map(|k| {
            let [x, y] = [k % 7, k / 7].map(|x| x as f32 - 3.0);
            [x, y, rng.random_range(-0.5..0.5)]
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..36)
        .flat_map(|k| {
            let a = k / 6 * 7 + k % 6;
            [[a, a + 1, a + 8], [a, a + 8, a + 7]]
        })
        .collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// An inner contact has the normal of a triangle around its own, or one that supports all at a corner, and is as deep as its exit: moved out by its depth the shape is
/// free of the triangle, moved by less it touches it within the band. In exact arithmetic, but for the rounding of where it is moved to.
fn is_as_deep_as_its_exit<T: Sample + Collide<Triangle> + Bounded>(
    name: &str,
    gap: fn(&T, &Triangle) -> f64,
    make: fn(&mut StdRng) -> T,
) {
    let mut rng = rng(name);
    let (mut inner, mut most) = (0, 0.0f64);
    let (mut detector, mut pairs, mut found) = (Detector::new(), Vec::new(), Contacts::new());
    for _ in 0..12 {
        let mesh = hills(&mut rng);
        let shapes: Vec<T> = (0..cases() / 200).map(|_| make(&mut rng)).collect();
        let store = Store::from_slice(&shapes);
        detector
            .candidates(&store, &mesh, During::Start, &mut pairs)
            .unwrap();
        detector.contact(&store, &mesh, &pairs, &mut found).unwrap();
        for contact in found.iter().filter(|contact| contact.is_inner) {
            let Pair { a, b } = pairs[contact.position];
            let (shape, triangle) = (shapes[a as usize], mesh.get(b).unwrap());
            let around = (0..mesh.len() as u32).filter(|&other| {
                let other = mesh.get(other).unwrap().corners;
                other.iter().any(|corner| triangle.corners.contains(corner))
            });
            let is_normal = |other: u32| {
                let normal = mesh.normal(other).unwrap();
                let off: f32 = (0..3).map(|k| (normal[k] + contact.normal[k]).abs()).sum();
                off < 1e-5
            };
            // Or the direction supports all triangles at a corner.
            let is_below = |corner: [f32; 3], end: [f32; 3]| {
                let edge = [0, 1, 2].map(|k| f64::from(end[k]) - f64::from(corner[k]));
                let rise: f64 = (0..3)
                    .map(|k| -f64::from(contact.normal[k]) * edge[k])
                    .sum();
                rise <= 1e-3 * length(edge)
            };
            let is_supporting = |corner: [f32; 3]| {
                let mut all = (0..mesh.len() as u32).map(|other| mesh.get(other).unwrap().corners);
                all.all(|other| {
                    !other.contains(&corner) || other.iter().all(|end| is_below(corner, *end))
                })
            };
            assert!(
                around.into_iter().any(is_normal)
                    || triangle.corners.into_iter().any(is_supporting),
                "{shape:?}: {contact:?}"
            );
            let outward = contact.normal.map(|x| -f64::from(x));
            let gap = |by: f64| gap(&shape.moved(outward.map(|x| (x * by) as f32)), &triangle);
            let depth = f64::from(contact.depth());
            assert!(
                gap(depth + 2e-5) > 0.0,
                "{shape:?} on {triangle:?}: {contact:?}"
            );
            // In the band of a sweep.
            let left = gap((depth - 2e-5).max(0.0));
            assert!(
                left < 6e-5,
                "{shape:?} on {triangle:?}: {contact:?}, {left}"
            );
            most = most.max(left);
            for point in contact.points() {
                assert!(
                    point.separation >= contact.separation,
                    "{shape:?}: {contact:?}"
                );
            }
            inner += 1;
        }
    }
    println!("{name}: {inner} inner contacts, up to {most:.1e} away before their exit");
    assert!(inner > 200, "{name}: {inner}");
}

#[test]
#[cfg(not(phalanx_only))]
fn inner_contacts_are_as_deep_as_their_exit() {
    is_as_deep_as_its_exit(
        "spheres out of hills",
        |sphere, triangle| oracle::sphere_triangle_overlap::exact(sphere, triangle, 0.0).gap,
        |rng| Sphere::new(over_hills(rng), rng.random_range(0.1..0.5)),
    );
    is_as_deep_as_its_exit(
        "capsules out of hills",
        |capsule, triangle| oracle::capsule_triangle_overlap::exact(capsule, triangle, 0.0).gap,
        |rng| {
            let half_axis = [(); 3].map(|()| rng.random_range(-0.4..0.4));
            Capsule::new(over_hills(rng), half_axis, rng.random_range(0.1..0.3))
        },
    );
    is_as_deep_as_its_exit(
        "AABBs out of hills",
        |aabb, triangle| oracle::aabb_triangle_overlap::exact(aabb, triangle, 0.0).gap,
        |rng| {
            let half = [(); 3].map(|()| rng.random_range(0.1..0.5));
            Aabb::from_center_half_extents(over_hills(rng), half)
        },
    );
    is_as_deep_as_its_exit(
        "OBBs out of hills",
        |obb, triangle| oracle::obb_triangle_overlap::exact(obb, triangle, 0.0).gap,
        |rng| {
            let half = [(); 3].map(|()| rng.random_range(0.1..0.5));
            let turn = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
            let length = (1.0 + turn.iter().map(|x| x * x).sum::<f32>()).sqrt();
            let [x, y, z] = turn.map(|x| x / length);
            Obb::new(over_hills(rng), half, [x, y, z, 1.0 / length])
        },
    );
}

fn over_hills(rng: &mut StdRng) -> [f32; 3] {
    let [x, y] = [(); 2].map(|()| rng.random_range(-2.0..2.0f32));
    [x, y, rng.random_range(-0.2..0.6)]
}
