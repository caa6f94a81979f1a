//! Contacts of hulls that are cylinders and cones, against their definition in `f64`, by hand, and in stacks.
//!
//! A separation is the largest gap of all directions. The gap along one direction is a formula, so any direction bounds the separation
//! from below. See `oracle::cylinders`.
//!
//! `PHALANX_CASES` sets the number of cases for each kind of shape.
#![cfg_attr(phalanx_only, allow(unused))]
#![cfg(not(phalanx_only))]

mod common;
mod oracle;

#[path = "common/cylinder_pairs.rs"]
mod cylinder_pairs;
#[allow(dead_code)]
#[path = "common/hull_pairs.rs"]
mod hull_pairs;
#[allow(dead_code)]
#[path = "common/polygon.rs"]
mod polygon;

use common::{Sample, cases_or, product, random_rotation, rng};
use cylinder_pairs::{Case, Met, Revolved, bodies, corners, lengths, near, setting, size, stores};
use hull_pairs::find_contacts;
use oracle::U;
use oracle::cylinders::{Body, NOISE, Signed};
use oracle::hulls::Points;
use oracle::minkowski::{BETA, V, add, cross, dot, length, sub, times};
use oracle::planes::Surface;
use phalanx::traits::Collide;
use phalanx::{
    Aabb, Capsule, Contact, Contacts, Detector, During, HalfSpace, Hull, HullKinds, Hulls, Mesh,
    Obb, Pair, Pairs, PlacedHull, Plane, Point, Shapes, Sphere, Store, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

fn cases() -> usize {
    cases_or(1000)
}

/// Largest loss of depth of a penetrating pair, as a share of the largest core radius, beyond β.
const LOSS: f64 = 0.02;
/// Largest distance of both positions of the deepest point from their surfaces, as a share of S.
const OFF: f64 = 2e-4;

/// The largest errors of contacts.
#[derive(Debug, Default)]
struct Worst {
    touching: usize,
    deep: usize,
    apart: usize,
    points: usize,
    /// In u of S: above the separation, and below it where the cores are apart.
    above: f64,
    below: f64,
    /// Below the separation of cores that penetrate, beyond β, as a share of the radius.
    loss: f64,
    /// Below the gap along the normal, in u of S.
    below_gap: f64,
    /// Length of the normal, in u.
    length: f64,
    /// Off the surfaces, as a share of S: the deepest points, and all others.
    off: f64,
    off_others: f64,
    bad: usize,
    worst: Vec<String>,
}

impl Worst {
    /// Judges the contacts of some pairs.
    fn see_all<A: Met<Shape = PlacedHull>, B: Met>(&mut self, all: &[Case<A, B>], margin: f32)
    where
        PlacedHull: Collide<B::Shape>,
    {
        let (first, others) = stores(all);
        let mut contacts = Contacts::new();
        find_contacts(&first, &others, margin, &mut contacts);
        for contact in &contacts {
            let (a, b, _) = &all[contact.position];
            self.see(a, b, margin, &contact);
        }
    }

    /// Fails if one was bad. Returns how many contacts were seen.
    fn end(&mut self, name: &str) -> usize {
        let (cases, bad) = (self.worst.join("\n\n"), self.bad);
        self.worst.clear();
        println!("{name}: {self:.2?}");
        let all = self.touching + self.apart;
        assert!(bad == 0, "{bad} of {all}\n{cases}");
        all
    }

    fn see<A: Met, B: Met>(&mut self, a: &A, b: &B, margin: f32, contact: &Contact) {
        let both = bodies(a, b);
        let [x, y] = &both;
        let normal = contact.normal.map(f64::from);
        let signed = Signed::of(x, y, lengths(a, b), &[normal]);
        let s = size(a, b, [[0.0; 3]; 2]) + f64::from(margin);
        let s = s.max(2f64.powi(-60));
        let round = a.round().max(b.round());
        let radii = x.radius + y.radius;
        let beta = BETA * U * s + 2f64.powi(-60);
        let (noise, said) = (NOISE * s, f64::from(contact.separation));
        let mut bad = Vec::new();
        let mut judge = |name: &str, seen: &mut f64, x: f64, most: f64| {
            *seen = seen.max(x);
            if x.is_nan() || x > most {
                bad.push(format!("{name} {x:.4e}"));
            }
        };
        let found = signed.found;
        let in_u = |x: f64| (x.abs() - 2f64.powi(-60)).max(0.0).copysign(x) / (U * s);
        // Where cores are apart, the separation is known. Where they penetrate, a direction with as large a gap must exist, which the search
        // finds up to a rounding.
        let above = said - signed.at_most(radii) - noise;
        let most = if signed.is_apart() { 0.0 } else { 1.0 };
        judge("above", &mut self.above, in_u(above), most);
        // Directions are clear only where the cores are not too near.
        let is_clear = signed.apart.cores[0] > 1e-3 * s;
        let exact = if is_clear {
            signed.apart.cores[0] - radii
        } else {
            found
        };
        let below = exact - said;
        let loss = ((below - beta) / round.max(f64::MIN_POSITIVE)).max(0.0);
        if is_clear {
            judge("below", &mut self.below, in_u(below), BETA);
        } else {
            judge("loss", &mut self.loss, loss, LOSS);
        }
        let most = if is_clear { beta } else { beta + LOSS * round };
        let unit = times(normal, 1.0 / length(normal));
        let along = y.low(unit) - x.high(unit);
        let gap = (exact - along - most).max(0.0) / s;
        let mut seen = 0.0;
        judge("along the normal", &mut seen, gap, 0.0);
        judge(
            "below gap",
            &mut self.below_gap,
            in_u(along - said),
            (most / (U * s)).max(BETA),
        );
        judge(
            "length",
            &mut self.length,
            (length(normal) - 1.0).abs() / U,
            16.0,
        );
        self.touching += usize::from(exact <= 0.0);
        self.deep += usize::from(!is_clear && found < -1e-3 * s);
        self.apart += usize::from(exact > 0.0);

        let points = contact.points();
        let least = points.iter().map(|p| f64::from(p.separation));
        let least = least.fold(f64::INFINITY, f64::min);
        for point in points {
            self.points += 1;
            let depth = f64::from(point.separation);
            let half = times(unit, depth / 2.0);
            let at = point.at.map(f64::from);
            let on_a = x.signed(sub(at, half)).abs();
            let on_b = y.signed(add(at, half)).abs();
            let off = (on_a.max(on_b) - 2f64.powi(-60)).max(0.0) / s;
            let mut seen = 0.0;
            if depth <= least + beta {
                judge("off", &mut self.off, off, OFF);
            } else {
                judge("off", &mut self.off_others, off, f64::INFINITY);
            }
            judge("deeper", &mut seen, (said - depth - beta) / s, 0.0);
        }
        if points.is_empty() {
            bad.push("no point".into());
        } else if exact <= 0.0 && least > said + s / 1024.0 + beta {
            bad.push(format!("deepest point at {least}"));
        }
        if margin == 0.0 && said > 0.0 {
            bad.push("positive".into());
        }
        let mut features: Vec<u8> = points.iter().map(|p| p.feature).collect();
        features.sort_unstable();
        if features.windows(2).any(|pair| pair[0] == pair[1]) {
            bad.push(format!("features {features:?}"));
        }
        if !bad.is_empty() {
            self.bad += 1;
            if self.worst.len() < 3 {
                self.worst.push(format!(
                    "{bad:?}:\n{a:?}\n{b:?}\nmargin {margin} says {contact:?}, S {s}\n{signed:?}"
                ));
            }
        }
    }
}

/// Judges contacts of cylinders and cones, or of hulls of points, with one kind of shape.
fn keep_promises<A: Met<Shape = PlacedHull>, B: Met>(purpose: &str)
where
    PlacedHull: Collide<B::Shape>,
{
    let name = format!("contacts of {purpose} with {}", std::any::type_name::<B>());
    let mut rng = rng(&name);
    let mut worst = Worst::default();
    while worst.touching + worst.apart < cases() {
        let margin = match rng.random_bool(0.5) {
            true => 0.0,
            false => 10f32.powf(rng.random_range(-6.0..0.0)),
        };
        let mut all = near::<A, B>(&mut rng, 20, 0.0);
        // Deeper, up to the size.
        for (a, b, _) in &mut all {
            if rng.random_bool(0.5) {
                let towards = sub(a.size().0, b.size().0);
                let far = a.size().1.min(b.size().1) / length(towards).max(1e-30);
                let share = far.min(1.0) * rng.random_range(0.0..1.0f64);
                let moved = b.moved(times(towards, share).map(|x| x as f32));
                if moved.is_valid() {
                    *b = moved;
                }
            }
        }
        worst.see_all(&all, margin);
    }
    let all = worst.end(&name);
    assert!(worst.touching * 4 > all && worst.apart * 40 > all);
    assert!(worst.deep * 100 > all);
}

macro_rules! promises {
    ($first:ident, $purpose:literal: $($test:ident: $shape:ident;)+) => { $(
        #[test]
        fn $test() {
            keep_promises::<$first, $shape>($purpose);
        }
    )+ };
}
promises! { Revolved, "cylinders and cones":
    cylinder_cone_contacts_keep_their_promises: Revolved;
    cylinder_hull_contacts_keep_their_promises: Points;
    cylinder_point_contacts_keep_their_promises: Point;
    cylinder_sphere_contacts_keep_their_promises: Sphere;
    cylinder_capsule_contacts_keep_their_promises: Capsule;
    cylinder_aabb_contacts_keep_their_promises: Aabb;
    cylinder_obb_contacts_keep_their_promises: Obb;
    cylinder_triangle_contacts_keep_their_promises: Triangle;
}
// Exact arithmetic judges these too: an error of this oracle would show here.
promises! { Points, "hulls":
    hull_sphere_contacts_keep_their_promises_by_the_oracle_of_cylinders: Sphere;
    hull_obb_contacts_keep_their_promises_by_the_oracle_of_cylinders: Obb;
}

#[test]
fn contacts_at_edges_and_of_thin_shapes_keep_their_promises() {
    fn seen<B: Met>(a: Revolved, b: B, margin: f32)
    where
        PlacedHull: Collide<B::Shape>,
    {
        let mut worst = Worst::default();
        worst.see_all(&[(a, b, [[0.0; 3]; 2])], margin);
        assert_eq!(worst.end(std::any::type_name::<B>()), 1);
    }
    let at = |center, rotation| Hull::new(0, center, rotation);
    let upright = [0.0, 0.0, 0.0, 1.0];
    // A thin cone at the edge of a flat box. Only its rounding touches.
    let cone = Revolved {
        hull: at(
            [-735.1832, -873.16425, 60.06655],
            [-0.9531625, 0.19149448, -0.03426746, 0.23159644],
        ),
        ..kind_of(true, 0.269907, 0.0051225876, 0.004606734)
    };
    let flat = Aabb {
        min: [-735.4668, -873.9334, 60.198364],
        max: [-735.088, -872.94635, 60.198364],
    };
    seen(cone, flat, 0.0);
    // The rim of a cone beside a segment, just below it.
    let cone = Revolved {
        hull: at([-0.21735838, -0.27618095, 0.4690563], upright),
        ..kind_of(true, 0.00036621094, 0.00036621094, 2.4414063e-5)
    };
    let segment = Obb {
        center: [-0.2169679, -0.27570122, 0.46868736],
        half_extents: [0.0, 0.0008544922, 0.0],
        rotation: upright,
    };
    seen(cone, segment, 0.000081659615);
    // The lines of a thin cylinder and of a segment that is not along it.
    let disc = Revolved {
        hull: at(
            [-0.19965382, 0.2708558, 0.14383723],
            [0.08209639, -0.67607147, 0.6086172, 0.40715194],
        ),
        ..kind_of(false, 0.050924208, 0.00012279903, 0.0)
    };
    let segment = Capsule {
        center: [-0.09202383, 0.21314214, 0.106084466],
        half_axis: [-0.09949932, 0.058424782, 0.09881316],
        radius: 0.0,
    };
    seen(disc, segment, 0.0);
    // The side of a cylinder beside the end of an edge.
    let cylinder = Revolved {
        hull: at([0.4254375, -0.25893742, 0.00090897083], upright),
        ..kind_of(false, 0.21580866, 0.23022752, 0.02290207)
    };
    let flat = Aabb {
        min: [0.29079843, -0.049110666, 0.04473703],
        max: [0.4242211, 0.17370558, 0.04473703],
    };
    seen(cylinder, flat, 0.0);
    // A needle through a disc, deeper than the disc's radius.
    let rotation = [0.14136672, -0.6657205, -0.5656737, 0.46566606];
    let disc = Revolved {
        hull: at([-0.045727022, -0.2275235, 0.8516005], rotation),
        ..kind_of(false, 0.22455305, 0.020846855, 0.014920663)
    };
    let needle = Points {
        hull: at([-0.041449085, -0.22281118, 0.84871477], rotation),
        points: vec![
            [0.0022123065, -0.0170716, -0.53860396],
            [-0.002113416, 0.01060394, -0.7542869],
            [0.0025416866, -0.0040311287, -0.8845472],
            [-0.00052814704, -0.015837943, 0.23451509],
        ],
        radius: 2.5572838e-8,
    };
    seen(disc, needle, 0.17790352);
    // A small disc in the middle of a large one, off the polygon of its rim.
    let small = Revolved {
        hull: at(
            [-969.2829, -975.9908, 49.46211],
            [-0.21025343, -0.23222226, 0.9370206, 0.15725204],
        ),
        ..kind_of(true, 0.03, 0.0, 0.0)
    };
    let large = Revolved {
        hull: at([-968.9837, -977.4453, 49.46847], upright),
        ..kind_of(true, 1.5, 0.0, 0.0)
    };
    seen(small, large, 0.0);
    // An axis that a segment is across.
    let needle = Revolved {
        hull: at([0.4375, -0.1875, 0.3125], [0.5; 4]),
        ..kind_of(true, 0.0, 0.0075, 0.0)
    };
    let flat = Aabb {
        min: [0.055000007, -0.1875, -0.31249997],
        max: [0.43, -0.1875, 0.31250003],
    };
    seen(needle, flat, 0.0);
}

/// Judges contacts with planes or half-spaces, whose separation is a formula.
fn keep_promises_on<S: Surface + Sample>()
where
    PlacedHull: Collide<S>,
{
    let mut rng = rng(&format!("contacts with {}", std::any::type_name::<S>()));
    let (mut touching, mut apart, mut points, mut worst) = (0, 0, 0, [0.0f64; 3]);
    while touching + apart < cases() {
        let setting = setting(&mut rng);
        let (a, mut b) = (
            Revolved::sample(&mut rng, &setting),
            S::sample(&mut rng, &setting),
        );
        if !a.is_valid() || Store::from_slice(&[b]).validate().is_err() {
            continue;
        }
        let center = a.size().0;
        let body = a.body(center);
        let unit = |b: &S| {
            let n = b.plane().0.map(f64::from);
            times(n, 1.0 / length(n))
        };
        // Heights of the lowest and the highest point.
        let heights = |b: &S| {
            let (n, d) = b.plane();
            let by = dot(unit(b), center) + f64::from(d) / length(n.map(f64::from));
            [body.low(unit(b)) + by, body.high(unit(b)) + by]
        };
        if rng.random_bool(0.8) {
            let [low, high] = heights(&b);
            let share = [0.0, 1e-6, 1e-3, 0.2, 0.5, -1e-6, -1e-2][rng.random_range(0..7)];
            let way = times(unit(&b), low + share * (high - low));
            let moved = b.moved(way.map(|x| x as f32));
            if Store::from_slice(&[moved]).validate().is_ok() {
                b = moved;
            }
        }
        let margin = setting.scale * [0.0, rng.random_range(0.0..0.3f32)][rng.random_range(0..2)];
        let Some(contact) = contact_of(&a.alone(), &Store::from_slice(&[b]), margin) else {
            continue;
        };
        let (n, d) = b.plane();
        let n = n.map(f64::from);
        let terms = (0..3).map(|k| (n[k] * center[k]).abs()).sum::<f64>() + f64::from(d).abs();
        let s = terms / length(n) + a.size().1 + f64::from(margin);
        let beta = BETA * U * s + 2f64.powi(-60);
        let case = || format!("{a:?}\n{b:?}\nmargin {margin} says {contact:?}, S {s}");
        let [low, high] = heights(&b);
        let exact = if S::IS_SOLID { low } else { low.max(-high) };
        let said = f64::from(contact.separation);
        assert!(said <= exact + NOISE * s, "above {exact}\n{}", case());
        assert!(said >= exact - beta, "below {exact}\n{}", case());
        worst[0] = worst[0].max((exact - said) / s / U);
        touching += usize::from(exact <= 0.0);
        apart += usize::from(exact > 0.0);
        // The normal points into the half-space, or to the other side of the plane.
        let normal = contact.normal.map(f64::from);
        let cosine = dot(normal, unit(&b));
        let is_up = cosine > 0.999_999;
        let is_down = cosine < -0.999_999;
        let is_along =
            is_down && low >= exact - beta || is_up && !S::IS_SOLID && -high >= exact - beta;
        assert!(is_along, "{normal:?}\n{}", case());
        assert!(!contact.points().is_empty(), "no point\n{}", case());
        let mut least = f64::INFINITY;
        for point in contact.points() {
            points += 1;
            let depth = f64::from(point.separation);
            let half = times(normal, depth / 2.0);
            let at = point.at.map(f64::from);
            let off = body.signed(sub(at, half)).abs();
            let height = dot(unit(&b), add(add(at, half), center)) + f64::from(d) / length(n);
            assert!(depth >= said - beta, "deeper\n{}", case());
            worst[1] = worst[1].max(off / s).max(height.abs() / s);
            assert!(
                off <= OFF * s + beta && height.abs() <= OFF * s + beta,
                "off {off} {height}\n{}",
                case()
            );
            least = least.min(depth);
        }
        worst[2] = worst[2].max((least - said) / s);
        assert!(least <= said + s / 1024.0 + beta, "{least}\n{}", case());
    }
    println!("{touching} touching, {apart} apart, {points} points, worst {worst:?}");
    assert!(touching * 4 > cases() && apart * 20 > cases());
}

#[test]
fn cylinder_plane_contacts_keep_their_promises() {
    keep_promises_on::<Plane>();
}

#[test]
fn cylinder_half_space_contacts_keep_their_promises() {
    keep_promises_on::<HalfSpace>();
}

/// A contact of the first shapes of two stores.
fn contact_of<A: Shapes, B: Shapes>(a: &A, b: &B, margin: f32) -> Option<Contact>
where
    A::Shape: Collide<B::Shape>,
{
    let mut contacts = Contacts::new();
    let mut detector = Detector::new().margin(margin).unwrap();
    detector.contact(a, b, Pairs::zip(), &mut contacts).unwrap();
    contacts.get(0)
}

/// A rotation by an angle about an axis.
fn about(axis: usize, angle: f64) -> [f64; 4] {
    let (sin, cos) = (angle / 2.0).sin_cos();
    let mut q = [0.0, 0.0, 0.0, cos];
    q[axis] = sin;
    q
}

fn kind_of(is_cone: bool, radius: f32, half_height: f32, rounding: f32) -> Revolved {
    Revolved {
        hull: Hull::default(),
        is_cone,
        radius,
        half_height,
        rounding,
    }
}

impl Revolved {
    /// The hull turned and moved so that its lowest point is at a height.
    fn at(mut self, rotation: [f64; 4], [x, y]: [f32; 2], bottom: f64) -> Revolved {
        self.hull.rotation = rotation.map(|x| x as f32);
        self.hull.center = [x, y, 0.0];
        let low = self.body([0.0; 3]).low([0.0, 0.0, 1.0]);
        self.hull.center[2] = (bottom - low) as f32;
        self
    }
}

/// Points of a contact, relative to the center of the hull.
type Places = Vec<V>;

/// Points of a hull on grounds whose surface is z = 0: a box, a box in another frame, a hull, a half-space, a plane and a mesh. Each normal
/// points down, and each point is at most a little above the deepest one.
fn on_grounds(hull: &Revolved, depth: f64) -> Vec<(&'static str, Places)> {
    let store = hull.alone();
    let slab = Store::from_slice(&[Aabb {
        min: [-30.0, -25.0, -4.0],
        max: [40.0, 35.0, 0.0],
    }]);
    let turned = Store::from_slice(&[Obb {
        center: [1.0, 2.0, -2.0],
        half_extents: [35.0, 31.0, 2.0],
        rotation: about(2, 0.3).map(|x| x as f32),
    }]);
    let mut kinds = HullKinds::new();
    let kind = kinds.add(&corners([32.0, 33.0, 1.5])).unwrap();
    let place = Hull::new(kind, [0.5, 0.25, -1.5], [0.0, 0.0, 0.0, 1.0]);
    let block = Hulls::from_slice(&kinds, &[place]).unwrap();
    let space = Store::from_slice(&[HalfSpace {
        normal: [0.0, 0.0, 2.0],
        d: 0.0,
    }]);
    let plane = Store::from_slice(&[Plane {
        normal: [0.0, 0.0, 2.0],
        d: 0.0,
    }]);
    let mut all = Vec::new();
    for (name, contact) in [
        ("box", contact_of(&store, &slab, 0.0)),
        ("turned box", contact_of(&store, &turned, 0.0)),
        ("hull", contact_of(&store, &block, 0.0)),
        ("half-space", contact_of(&store, &space, 0.0)),
        ("plane", contact_of(&store, &plane, 0.0)),
    ] {
        let contact = contact.unwrap_or_else(|| panic!("no contact with the {name}\n{hull:?}"));
        all.push((name, places(hull, &[contact], depth, name)));
    }
    // Squares of two triangles each.
    let vertices: Vec<_> = (0..121)
        .map(|k| {
            [
                (k % 11) as f32 * 3.0 - 15.0,
                (k / 11) as f32 * 3.0 - 15.0,
                0.0,
            ]
        })
        .collect();
    let squares = (0..100).flat_map(|k| {
        let at = k / 10 * 11 + k % 10;
        [[at, at + 1, at + 11], [at + 1, at + 12, at + 11]]
    });
    let mesh = Mesh::new(&vertices, &squares.collect::<Vec<_>>()).unwrap();
    let (mut detector, mut pairs, mut found) = (Detector::new(), Vec::new(), Contacts::new());
    detector
        .candidates(&store, &mesh, During::Start, &mut pairs)
        .unwrap();
    detector.contact(&store, &mesh, &pairs, &mut found).unwrap();
    let found: Vec<Contact> = found.iter().collect();
    assert!(!found.is_empty(), "no contact with the mesh\n{hull:?}");
    all.push(("mesh", places(hull, &found, depth, "mesh")));
    all
}

/// Positions of the points that touch, each once.
fn places(hull: &Revolved, found: &[Contact], depth: f64, name: &str) -> Places {
    let mut all: Places = Vec::new();
    for contact in found {
        assert!(contact.normal[2] < -0.999, "{name}: {contact:?}\n{hull:?}");
        let said = f64::from(contact.separation);
        assert!(
            (said + depth).abs() < 1e-4 || name == "mesh",
            "{name}: {contact:?}, not {depth}\n{hull:?}"
        );
        for point in contact.points() {
            let at = point.at.map(f64::from);
            let is_new = |other: &V| length(sub(*other, at)) > 1e-3;
            if point.separation <= 0.0 && all.iter().all(is_new) {
                all.push(at);
            }
        }
    }
    all
}

/// Area of the convex hull of some points, as seen along z.
fn area_over(points: &[V]) -> f64 {
    let mut sorted: Vec<[f64; 2]> = points.iter().map(|p| [p[0], p[1]]).collect();
    sorted.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    let turn = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    };
    let chain = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for p in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], p) <= 0.0
            {
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut all = chain(&mut sorted.iter().copied());
    all.extend(chain(&mut sorted.iter().rev().copied()));
    polygon::area(&all)
}

/// Distance of a point from the z axis.
fn from_axis(p: &V) -> f64 {
    p[0].hypot(p[1])
}

#[test]
fn standing_cylinders_and_cones_have_points_that_span_the_rim() {
    let mut rng = rng("standing cylinders");
    let (mut fewest, mut least, mut four, mut all) = (4, f64::INFINITY, 0, 0);
    for case in 0..200 {
        let radius = rng.random_range(0.3..2.0f32);
        let half = rng.random_range(0.05..2.0f32);
        let rounding = [0.0, 0.1][case % 2];
        let is_cone = case % 3 == 0;
        // Around its axis, and a cylinder on either disc.
        let mut rotation = about(2, rng.random_range(-3.0..3.0));
        if !is_cone && rng.random_bool(0.5) {
            rotation = product(about(0, std::f64::consts::PI), rotation);
        }
        let at = [(); 2].map(|()| rng.random_range(-3.0..3.0f32));
        let hull = kind_of(is_cone, radius, half, rounding).at(rotation, at, -1e-3);
        for (name, points) in on_grounds(&hull, 1e-3) {
            let r = f64::from(radius);
            // Corners of triangles are also points of a mesh.
            let on_rim: Places = points
                .iter()
                .copied()
                .filter(|p| name != "mesh" || from_axis(p) > 0.98 * r)
                .collect();
            for p in &on_rim {
                let far = from_axis(p) / r;
                let is_on = (0.98..1.0 + 0.11 / r).contains(&far);
                assert!(is_on, "{far} radii, {name}: {points:?}\n{hull:?}");
            }
            let span = area_over(&points) / (r * r);
            assert!(
                points.len() >= 3 && span >= 1.2,
                "{span} of r², {name}: {points:?}\n{hull:?}"
            );
            fewest = fewest.min(points.len());
            least = least.min(span);
            (four, all) = (four + usize::from(points.len() >= 4), all + 1);
        }
    }
    println!("at least {fewest} points, {four} of {all} have 4, which span {least:.3} r²");
}

#[test]
fn stacked_cylinders_have_points_that_span_the_smaller_rim() {
    let mut rng = rng("stacked cylinders");
    let mut least = f64::INFINITY;
    for case in 0..200 {
        let [r, q] = [(); 2].map(|()| rng.random_range(0.3..2.0f32));
        // The upper one is equal, smaller or larger, or a cone.
        let q = if case % 4 == 0 { r } else { q };
        let rounding = [0.0, 0.05][case % 2];
        let spin = |rng: &mut StdRng| about(2, rng.random_range(-3.0..3.0));
        let lower = kind_of(false, r, 0.5, rounding).at(spin(&mut rng), [0.0; 2], 0.0);
        let top = 1.0 + 2.0 * f64::from(rounding);
        let off = 0.05 * r.min(q);
        let by = [(); 2].map(|()| rng.random_range(-off..=off));
        let upper = kind_of(case % 3 == 0, q, 0.7, 0.0).at(spin(&mut rng), by, top - 1e-3);
        let contact = contact_of(&lower.alone(), &upper.alone(), 0.0).expect("a contact");
        assert!(
            contact.normal[2] > 0.999,
            "{contact:?}\n{lower:?}\n{upper:?}"
        );
        let points: Places = contact
            .points()
            .iter()
            .map(|p| p.at.map(f64::from))
            .collect();
        let smaller = f64::from(r.min(q));
        let span = area_over(&points) / (smaller * smaller);
        least = least.min(span);
        assert!(
            points.len() >= 3 && span >= 1.0,
            "{span} of r²\n{contact:?}\n{lower:?}\n{upper:?}"
        );
    }
    println!("span {least:.3} r²");
}

/// Both ends of a segment, each within a tolerance of one of two points.
fn are_ends(points: &[V], ends: [V; 2], tolerance: f64) -> bool {
    let near = |p: &V, q: V| length(sub(*p, q)) <= tolerance;
    let has = |end: V| points.iter().any(|p| near(p, end));
    let is_beside = |p: &V| {
        let along = sub(ends[1], ends[0]);
        let share = dot(sub(*p, ends[0]), along) / dot(along, along);
        near(p, add(ends[0], times(along, share.clamp(0.0, 1.0))))
    };
    ends.into_iter().all(has) && points.iter().all(is_beside)
}

#[test]
fn lying_cylinders_touch_with_both_ends_of_their_lowest_line() {
    let mut rng = rng("lying cylinders");
    for case in 0..200 {
        let radius = rng.random_range(0.3..2.0f32);
        let half = rng.random_range(0.3..2.0f32);
        let rounding = [0.0, 0.1][case % 2];
        let (roll, yaw) = (rng.random_range(-3.0..3.0), rng.random_range(-3.0..3.0));
        let lying = product(about(1, std::f64::consts::FRAC_PI_2), about(2, roll));
        let at = [(); 2].map(|()| rng.random_range(-3.0..3.0f32));
        let kind = kind_of(false, radius, half, rounding);
        let hull = kind.at(product(about(2, yaw), lying), at, -1e-3);
        let (sin, cos) = yaw.sin_cos();
        let ends = [-1.0, 1.0].map(|sign| {
            let far = sign * f64::from(half);
            [
                far * cos,
                far * sin,
                -f64::from(radius) - f64::from(rounding),
            ]
        });
        for (name, points) in on_grounds(&hull, 1e-3) {
            // Each triangle has points of its own, within the strip that is below the ground.
            let is_two = points.len() == 2 || name == "mesh";
            let strip = (2e-3 * f64::from(radius + rounding)).sqrt();
            let tolerance = strip.max(0.03 * f64::from(radius.max(half))) + 1e-3;
            assert!(
                is_two && are_ends(&points, ends, tolerance),
                "{name}: {points:?}, not {ends:?}\n{hull:?}"
            );
        }
    }
}

#[test]
fn lying_cones_touch_with_the_apex_and_the_rim() {
    let mut rng = rng("lying cones");
    for case in 0..200 {
        let radius = rng.random_range(0.3..2.0f32);
        let half = rng.random_range(0.3..2.0f32);
        let rounding = [0.0, 0.1][case % 2];
        let (roll, yaw) = (rng.random_range(-3.0..3.0), rng.random_range(-3.0..3.0));
        let (r, h) = (f64::from(radius), f64::from(half));
        // The axis is inclined to the ground by half of the opening angle, the apex below.
        let incline = (r / (2.0 * h)).atan();
        let tilt = about(1, std::f64::consts::FRAC_PI_2 + incline);
        let rotation = product(about(2, yaw), product(tilt, about(2, roll)));
        let at = [(); 2].map(|()| rng.random_range(-3.0..3.0f32));
        let hull = kind_of(true, radius, half, rounding).at(rotation, at, -1e-3);
        let (sin, cos) = yaw.sin_cos();
        let axis = [incline.cos() * cos, incline.cos() * sin, -incline.sin()];
        let down = [-incline.sin() * cos, -incline.sin() * sin, -incline.cos()];
        let below = [0.0, 0.0, -f64::from(rounding)];
        let apex = add(times(axis, h), below);
        let rim = add(add(times(axis, -h), times(down, r)), below);
        for (name, points) in on_grounds(&hull, 1e-3) {
            let is_two = points.len() == 2 || name == "mesh";
            let strip = (2e-3 * (r + f64::from(rounding))).sqrt();
            let tolerance = strip.max(0.03 * r.max(h)) + 1e-3;
            assert!(
                is_two && are_ends(&points, [apex, rim], tolerance),
                "{name}: {points:?}, not {apex:?} and {rim:?}\n{hull:?}"
            );
        }
    }
}

#[test]
fn tilted_cylinders_and_cones_touch_with_one_point() {
    let mut rng = rng("tilted cylinders");
    for case in 0..200 {
        let radius = rng.random_range(0.3..2.0f32);
        let half = rng.random_range(0.3..2.0f32);
        let rounding = [0.0, 0.1][case % 2];
        let is_cone = case % 3 == 0;
        let (r, h) = (f64::from(radius), f64::from(half));
        let (roll, yaw) = (rng.random_range(-3.0..3.0), rng.random_range(-3.0..3.0));
        // Neither on a disc nor on a line.
        let lying =
            std::f64::consts::FRAC_PI_2 + if is_cone { (r / (2.0 * h)).atan() } else { 0.0 };
        let tilt = loop {
            let tilt = rng.random_range(0.25..2.9f64);
            if (tilt - lying).abs() > 0.25 {
                break tilt;
            }
        };
        let rotation = product(about(2, yaw), product(about(1, tilt), about(2, roll)));
        let at = [(); 2].map(|()| rng.random_range(-3.0..3.0f32));
        let hull = kind_of(is_cone, radius, half, rounding).at(rotation, at, -1e-4);
        let body = hull.body(hull.hull.center.map(f64::from));
        let down = [0.0, 0.0, -1.0];
        let lowest = add(body.support(down), times(down, body.radius));
        for (name, points) in on_grounds(&hull, 1e-4) {
            // Each triangle has points of its own.
            let is_one = points.len() == 1 || name == "mesh" && !points.is_empty();
            // The depth of 1e-4 is that of a patch of the rim.
            let far = 0.03 * r.max(h) + 1e-3;
            assert!(
                is_one && points.iter().all(|p| length(sub(*p, lowest)) < far),
                "{name}: {points:?}, not {lowest:?}\n{hull:?}"
            );
        }
    }
}

#[test]
fn crossed_cylinders_touch_with_one_point_and_parallel_ones_with_two() {
    let mut rng = rng("crossed cylinders");
    for case in 0..400 {
        let mut sample = |rounding: f32| {
            let radius = rng.random_range(0.3..1.5f32);
            let half = rng.random_range(0.5..2.0f32);
            kind_of(false, radius, half, rounding)
        };
        let (a, b) = (
            sample([0.0, 0.1][case % 2]),
            sample([0.0, 0.2][case / 2 % 2]),
        );
        let (r, q) = (
            f64::from(a.radius + a.rounding),
            f64::from(b.radius + b.rounding),
        );
        let lying = about(1, std::f64::consts::FRAC_PI_2);
        let is_parallel = case % 4 == 0;
        let angle = if is_parallel {
            0.0
        } else {
            rng.random_range(0.4..2.7)
        };
        let shift = [(); 2].map(|()| rng.random_range(-0.3..0.3f32));
        let by = if is_parallel {
            [shift[0], 0.0]
        } else {
            [0.0; 2]
        };
        let roll = |rng: &mut StdRng| about(2, rng.random_range(-3.0..3.0));
        // The lines meet inside both.
        let a = a.at(
            product(lying, roll(&mut rng)),
            [shift[0] * 0.5, 0.0],
            -2.0 * r,
        );
        let rotation = product(about(2, angle), product(lying, roll(&mut rng)));
        let b = b.at(rotation, by, -1e-3);
        // Everything in another frame.
        let frame = random_rotation(&mut rng, 3.0);
        let turned = |mut it: Revolved| {
            let q = product(frame, it.hull.rotation.map(f64::from));
            it.hull.rotation = q.map(|x| x as f32);
            it.hull.center = turn_by(frame, it.hull.center.map(f64::from)).map(|x| x as f32);
            it
        };
        let (u, v) = (turned(a.clone()), turned(b.clone()));
        let contact = contact_of(&u.alone(), &v.alone(), 0.0).expect("a contact");
        let what = || format!("{contact:?}\n{u:?}\n{v:?}");
        let up = turn_by(frame, [0.0, 0.0, 1.0]);
        assert!(dot(contact.normal.map(f64::from), up) > 0.999, "{}", what());
        assert!((contact.separation + 1e-3).abs() < 1e-4, "{}", what());
        // Back in the first frame, relative to the origin.
        let back = [-frame[0], -frame[1], -frame[2], frame[3]];
        let points: Places = contact
            .points()
            .iter()
            .map(|p| {
                let at = turn_by(back, p.at.map(f64::from));
                add(at, a.hull.center.map(f64::from))
            })
            .collect();
        let tolerance = 0.03 * r.max(q) + 2e-3;
        if is_parallel {
            let [x, y] = [a.hull.center[0], b.hull.center[0]].map(f64::from);
            let [l, m] = [a.half_height, b.half_height].map(f64::from);
            let ends = [(x - l).max(y - m), (x + l).min(y + m)].map(|x| [x, 0.0, 0.0]);
            // Roundings beyond both ends of the lines.
            let tolerance = tolerance + 0.2;
            assert!(
                points.len() == 2 && are_ends(&points, ends, tolerance),
                "{points:?}, not {ends:?}\n{}",
                what()
            );
        } else {
            let [only] = points[..] else {
                panic!("{points:?}\n{}", what());
            };
            assert!(length(only) < tolerance, "{points:?}\n{}", what());
        }
    }
}

/// A point turned by a quaternion of unit length.
fn turn_by([x, y, z, w]: [f64; 4], p: V) -> V {
    let v = [x, y, z];
    let t = times(cross(v, p), 2.0);
    add(p, add(times(t, w), cross(v, t)))
}

/// A shape of a pile.
enum Piece {
    Revolved(Revolved),
    Block(Points),
}

impl Piece {
    fn random(rng: &mut StdRng, k: usize) -> Self {
        let [radius, half] = [(); 2].map(|()| rng.random_range(0.25..0.5f32));
        let rounding = [0.0, 0.05][k / 3 % 2];
        match k % 3 {
            2 => Piece::Block(Points {
                hull: Hull::default(),
                points: corners([radius, radius, half]),
                radius: rounding,
            }),
            _ => Piece::Revolved(kind_of(k % 3 == 1, radius, half, rounding)),
        }
    }

    fn add_to(&self, kinds: &mut HullKinds) -> u32 {
        match self {
            Piece::Revolved(it) => it.add_to(kinds).unwrap(),
            Piece::Block(it) => kinds.add_rounded(&it.points, it.radius).unwrap(),
        }
    }

    /// Least and largest half extent.
    fn extents(&self) -> [f64; 2] {
        let [x, y] = match self {
            Piece::Revolved(it) => [it.radius, it.half_height],
            Piece::Block(it) => [it.points[7][0], it.points[7][2]],
        };
        [x.min(y), x.max(y)].map(f64::from)
    }

    /// The shape where a hull is.
    fn body(&self, hull: Hull) -> Body {
        match self {
            Piece::Revolved(it) => Revolved { hull, ..it.clone() }.body([0.0; 3]),
            Piece::Block(it) => Points { hull, ..it.clone() }.body([0.0; 3]),
        }
    }
}

/// A piece with a pose, which contacts change.
struct Pushed {
    piece: Piece,
    kind: u32,
    center: V,
    rotation: [f64; 4],
}

impl Pushed {
    fn hull(&self) -> Hull {
        let rotation = self.rotation.map(|x| x as f32);
        Hull::new(self.kind, self.center.map(|x| x as f32), rotation)
    }

    /// Of a unit mass.
    fn inertia(&self) -> f64 {
        0.5 * self.piece.extents()[1].powi(2)
    }

    /// Moves and turns it by a push at an arm from its center.
    fn push(&mut self, push: V, arm: V) {
        let [x, y, z] = times(cross(arm, push), 0.5 / self.inertia());
        let by = product([x, y, z, 0.0], self.rotation);
        let turned = [0, 1, 2, 3].map(|k| self.rotation[k] + by[k]);
        let long = turned.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.rotation = turned.map(|x| x / long);
        self.center = add(self.center, push);
    }

    /// Inverse of the mass that resists at an arm along a unit vector.
    fn lightness(&self, arm: V, normal: V) -> f64 {
        let across = cross(arm, normal);
        1.0 + dot(across, across) / self.inertia()
    }
}

/// 30 cylinders, cones and boxes sink on a ground below z = 0 for 200 frames, pushed out of it and of each other by their contacts.
fn pile_up<G: Shapes>(ground: &G, name: &str)
where
    PlacedHull: Collide<G::Shape>,
{
    let mut rng = rng("pile of cylinders");
    let (mut kinds, mut all) = (HullKinds::new(), Vec::new());
    for k in 0..30usize {
        let piece = Piece::random(&mut rng, k);
        let [x, y] = [k % 4, k / 4 % 4].map(|k| k as f64 * 1.1 - 2.0);
        all.push(Pushed {
            kind: piece.add_to(&mut kinds),
            piece,
            center: [x, y, 1.0 + 1.6 * (k / 16) as f64],
            rotation: match k % 4 {
                0 => about(2, 0.5),
                1 => about(0, std::f64::consts::FRAC_PI_2),
                _ => random_rotation(&mut rng, 3.0),
            },
        });
    }
    let hulls: Vec<Hull> = all.iter().map(Pushed::hull).collect();
    let mut hulls = Hulls::from_slice(&kinds, &hulls).unwrap();
    let place = |hulls: &mut Hulls, all: &[Pushed]| {
        for (i, body) in (0..).zip(all) {
            hulls.set(i, body.hull()).unwrap();
        }
    };
    let (mut detector, mut pairs, mut contacts) = (Detector::new(), Vec::new(), Contacts::new());
    let on_ground: Vec<Pair> = (0..30).map(|i| Pair::new(i, 0)).collect();
    let (mut deepest, mut points) = (0.0f64, 0);
    for frame in 0..200 {
        for body in &mut all {
            body.center[2] -= 0.015;
        }
        for _ in 0..12 {
            place(&mut hulls, &all);
            detector
                .contact(&hulls, ground, &on_ground, &mut contacts)
                .unwrap();
            for contact in &contacts {
                let normal = contact.normal.map(f64::from);
                let body = &mut all[contact.position];
                for point in contact.points() {
                    let arm = point.at.map(f64::from);
                    let depth = f64::from(-point.separation).max(0.0);
                    let share = depth / contact.points().len() as f64;
                    body.push(times(normal, -share / body.lightness(arm, normal)), arm);
                    points += 1;
                }
            }
            place(&mut hulls, &all);
            detector
                .candidates(&hulls, &hulls, During::Start, &mut pairs)
                .unwrap();
            detector
                .contact(&hulls, &hulls, &pairs, &mut contacts)
                .unwrap();
            for contact in &contacts {
                let normal = contact.normal.map(f64::from);
                let pair = pairs[contact.position];
                let [i, j] = [pair.a as usize, pair.b as usize];
                // Positions are relative to where the first was.
                let first = hulls.get(pair.a).unwrap().center.map(f64::from);
                let second = hulls.get(pair.b).unwrap().center.map(f64::from);
                for point in contact.points() {
                    let arm = point.at.map(f64::from);
                    let other = sub(add(arm, first), second);
                    let depth = f64::from(-point.separation).max(0.0);
                    let light = all[i].lightness(arm, normal) + all[j].lightness(other, normal);
                    let share = depth / contact.points().len() as f64 / light;
                    all[i].push(times(normal, -share), arm);
                    all[j].push(times(normal, share), other);
                    points += 1;
                }
            }
        }
        let mut numbers = all
            .iter()
            .flat_map(|it| it.center.into_iter().chain(it.rotation));
        assert!(numbers.all(f64::is_finite), "{name}: frame {frame}");
        if frame % 5 != 4 {
            continue;
        }
        // As deep as the oracle says.
        let bodies: Vec<Body> = all.iter().map(|it| it.piece.body(it.hull())).collect();
        for (i, body) in bodies.iter().enumerate() {
            let size = 2.0 * all[i].piece.extents()[0];
            let depth = -body.low([0.0, 0.0, 1.0]);
            deepest = deepest.max(depth / size);
            let what = || format!("{name}: frame {frame}, deep by {depth} of {size}, {body:?}");
            assert!(depth <= 0.05 * size, "{}", what());
            for (j, other) in bodies[..i].iter().enumerate() {
                let offset = length(sub(body.center, other.center));
                if offset > 2.5 {
                    continue;
                }
                let size = size.min(2.0 * all[j].piece.extents()[0]);
                let depth = -Signed::of(body, other, 4.0, &[]).found;
                deepest = deepest.max(depth / size);
                assert!(
                    depth <= 0.05 * size,
                    "{name}: frame {frame}, deep by {depth} of {size}, {body:?} {other:?}"
                );
            }
        }
    }
    let lowest = |it: &Pushed| it.piece.body(it.hull()).low([0.0, 0.0, 1.0]);
    let in_rest = all.iter().filter(|it| lowest(it) < 0.02).count();
    let highest = all.iter().map(lowest).fold(0.0, f64::max);
    println!(
        "{name}: {points} points, {in_rest} on the ground, highest {highest:.2}, deepest {deepest:.4}"
    );
    assert!(points > 10_000 && in_rest >= 10 && highest < 1.5);
}

#[test]
fn pile_on_a_half_space_does_not_sink() {
    let space = Store::from_slice(&[HalfSpace {
        normal: [0.0, 0.0, 1.0],
        d: 0.0,
    }]);
    pile_up(&space, "half-space");
}

#[test]
fn pile_on_a_box_does_not_sink() {
    let slab = Store::from_slice(&[Aabb {
        min: [-20.0, -20.0, -2.0],
        max: [20.0, 20.0, 0.0],
    }]);
    pile_up(&slab, "box");
}
