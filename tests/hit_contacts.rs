//! Contacts of first hits equal those of a sweep with contacts, and triangles say where a hit lies.

mod common;

use common::scenes::{inside, samples};
use common::{Sample, rng};
use phalanx::traits::{Bounded, Collide, Shape, Sweep};
use phalanx::{
    Aabb, Capsule, Contact, Contacts, Detector, Error, FirstHits, HalfSpace, Hull, Hulls, Mesh,
    Obb, Plane, Point, Shapes, Simd, Sphere, Store, Sweeps, Triangle,
};

/// The contacts of the hits in store `number`, by a sweep of their pairs, each at the position of its searching shape.
fn by_sweep<A: Shapes, B: Shapes>(a: &A, b: &B, firsts: &FirstHits, number: u8) -> Vec<Contact>
where
    A::Shape: Collide<B::Shape>,
{
    let (mut pairs, mut sweeps, mut contacts) = (Vec::new(), Sweeps::new(), Contacts::new());
    firsts.pairs(number, &mut pairs);
    Detector::new()
        .sweep_contacts(a, b, &pairs, &mut sweeps, &mut contacts)
        .unwrap();
    let of_pair = |mut contact: Contact| {
        contact.position = pairs[contact.position].a as usize;
        contact
    };
    contacts.iter().map(of_pair).collect()
}

/// Contacts of first hits on all lane counts. Returns their number.
fn check<A: Shapes, B: Shapes>(name: &str, a: &A, b: &B) -> usize
where
    A::Shape: Bounded + Sweep<B::Shape> + Collide<B::Shape>,
{
    let (mut firsts, mut contacts) = (FirstHits::new(), Contacts::new());
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd);
        detector.first_hits(a, b, &mut firsts).unwrap();
        detector
            .hit_contacts(a, b, &firsts, 0, &mut contacts)
            .unwrap();
        let said: Vec<Contact> = contacts.iter().collect();
        assert!(said == by_sweep(a, b, &firsts, 0), "{name}, {simd}");
        assert_eq!(contacts.words(), firsts.words(), "{name}");
        assert_eq!(contacts.invalid_words(), firsts.invalid_words(), "{name}");
    }
    contacts.count()
}

#[test]
fn every_cell_has_the_contacts_of_a_sweep() {
    fn cell<A: Bounded + Sweep<B> + Collide<B> + Sample, B: Shape + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, contacts of hits"));
        let a = samples::<A>(&mut rng, 150, 9.0);
        let b = samples::<B>(&mut rng, 120, 9.0);
        let hits = check(name, &a, &b);
        assert!(hits > 2, "{name}: {hits}");
    }
    macro_rules! each {
        ($($a:ident: $($b:ident),+;)+) => {
            $($(cell::<$a, $b>(concat!(stringify!($a), " ", stringify!($b)));)+)+
        };
    }
    each! {
        Point: Sphere, Capsule, Aabb, Obb, Triangle, Plane, HalfSpace;
        Sphere: Sphere, Capsule, Aabb, Obb, Triangle, Plane, HalfSpace;
        Capsule: Sphere, Capsule, Aabb, Obb, Triangle, Plane, HalfSpace;
        Aabb: Point, Sphere, Capsule, Aabb, Obb, Triangle, Plane, HalfSpace;
        Obb: Point, Sphere, Capsule, Aabb, Obb, Triangle, Plane, HalfSpace;
        Triangle: Sphere, Capsule, Aabb, Obb, Triangle, Plane, HalfSpace;
    }
}

/// A hilly mesh.
fn hills() -> Mesh {
    let side = 12u32;
    let vertex = |k: u32| {
        let [x, y] = [k % side, k / side].map(|x| x as f32);
        [x, y, (x * 1.7).sin() + (y * 2.3).cos()]
    };
    let vertices: Vec<[f32; 3]> = (0..side * side).map(vertex).collect();
    let mut indices = Vec::new();
    for (x, y) in (0..side - 1).flat_map(|x| (0..side - 1).map(move |y| (x, y))) {
        let k = y * side + x;
        indices.extend([[k, k + 1, k + side], [k + 1, k + side + 1, k + side]]);
    }
    Mesh::new(&vertices, &indices).unwrap()
}

#[test]
fn meshes_and_hulls_have_the_contacts_of_a_sweep() {
    let mut rng = rng("contacts of hits with meshes");
    let mesh = hills();
    let mut hulls = Hulls::default();
    let points: Vec<[f32; 3]> = (0..8)
        .map(|_| inside(&mut rng, 1.0).map(|x| x - 0.5))
        .collect();
    hulls.add_kind(&points).unwrap();
    let (mut rays, mut movers, mut capsules) = (Store::new(), Store::new(), Store::new());
    for _ in 0..100 {
        let [x, y, z] = inside(&mut rng, 11.0);
        let motion = inside(&mut rng, 4.0).map(|x| x - 2.0);
        let motion = [motion[0], motion[1], -9.0];
        let center = [x, y, 2.5 + z * 0.1];
        rays.push_moving(Point::new(center), motion);
        movers.push_moving(Sphere::new(center, 0.3), motion);
        let tip = [x + 0.3, y, center[2] + 0.5];
        capsules.push_moving(Capsule::between(center, tip, 0.2), motion);
        let hull = Hull::new(0, center, [0.0, 0.6, 0.0, 0.8]);
        hulls.push_moving(hull, motion).unwrap();
    }
    assert!(check("rays", &rays, &mesh) > 50);
    assert!(check("movers", &movers, &mesh) > 50);
    assert!(check("capsules", &capsules, &mesh) > 50);
    assert!(check("hulls", &hulls, &mesh) > 50);
    assert!(check("rays of hulls", &rays, &hulls) > 2);

    // The place, and the side: the mesh is a graph over x and y, with its front above.
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    detector.first_hits(&rays, &mesh, &mut firsts).unwrap();
    for hit in &firsts {
        let triangle = mesh.get(hit.b).unwrap();
        let at = rays.at(hit.a, hit.time.enter).unwrap().position;
        let weights = triangle.barycentrics(at);
        let sum = |k: usize| {
            (0..3)
                .map(|c| weights[c] * triangle.corners[c][k])
                .sum::<f32>()
        };
        for (k, at) in at.into_iter().enumerate() {
            assert!((sum(k) - at).abs() < 2e-3, "{weights:?}");
        }
        let motion = rays.displacement(hit.a).unwrap();
        assert!(!triangle.is_back(motion) && triangle.is_back(motion.map(|x| -x)));
        assert_eq!(Some(triangle.normal()), mesh.normal(hit.b));
    }
}

#[test]
fn contacts_are_those_of_the_store_that_is_named() {
    let mut rng = rng("contacts in stores");
    let rays = samples::<Point>(&mut rng, 300, 12.0);
    let spheres = samples::<Sphere>(&mut rng, 100, 12.0);
    let boxes = samples::<Aabb>(&mut rng, 100, 12.0);
    let ground = samples::<HalfSpace>(&mut rng, 2, 12.0);
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    detector.first_hits(&rays, &spheres, &mut firsts).unwrap();
    detector.nearer_hits(&rays, &boxes, &mut firsts).unwrap();
    detector.nearer_hits(&rays, &ground, &mut firsts).unwrap();
    let mut contacts = Contacts::new();
    let mut count = 0;
    macro_rules! each {
        ($($store:ident: $number:literal),+) => { $(
            detector
                .hit_contacts(&rays, &$store, &firsts, $number, &mut contacts)
                .unwrap();
            let said: Vec<Contact> = contacts.iter().collect();
            assert_eq!(said, by_sweep(&rays, &$store, &firsts, $number));
            assert!(!said.is_empty() && contacts.len() == 300);
            count += said.len();
        )+ };
    }
    each!(spheres: 0, boxes: 1, ground: 2);
    assert_eq!(count, firsts.count());
    // A store without hits, also an empty one.
    let empty = Store::<Obb>::new();
    detector
        .hit_contacts(&rays, &empty, &firsts, 7, &mut contacts)
        .unwrap();
    assert_eq!((contacts.len(), contacts.count()), (300, 0));
}

#[test]
fn results_of_other_stores_are_refused() {
    let mut rng = rng("refused contacts of hits");
    let rays = samples::<Point>(&mut rng, 50, 6.0);
    let spheres = samples::<Sphere>(&mut rng, 50, 6.0);
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    detector.first_hits(&rays, &spheres, &mut firsts).unwrap();
    assert!(firsts.count() > 0);
    let mut contacts = Contacts::new();
    let fewer = samples::<Point>(&mut rng, 49, 6.0);
    let refused = detector.hit_contacts(&fewer, &spheres, &firsts, 0, &mut contacts);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "first hits have 50 shapes, but the first store has 49"
    );
    let none = Store::<Sphere>::new();
    let refused = detector.hit_contacts(&rays, &none, &firsts, 0, &mut contacts);
    assert!(matches!(refused, Err(Error::PairOutOfBounds { .. })));
    assert_eq!((contacts.len(), contacts.count()), (0, 0));
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
#[test]
fn any_number_of_threads_finds_the_same() {
    let mut rng = rng("contacts of hits on threads");
    let rays = samples::<Point>(&mut rng, 30_000, 60.0);
    let boxes = samples::<Obb>(&mut rng, 20_000, 60.0);
    let (mut firsts, mut contacts) = (FirstHits::new(), Contacts::new());
    let mut detector = Detector::new().parallel(false);
    detector.first_hits(&rays, &boxes, &mut firsts).unwrap();
    detector
        .hit_contacts(&rays, &boxes, &firsts, 0, &mut contacts)
        .unwrap();
    let expected: Vec<Contact> = contacts.iter().collect();
    assert!(expected.len() > 1000);
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let (pool, mut detector) = (pool.build().unwrap(), Detector::new());
        let call = || detector.hit_contacts(&rays, &boxes, &firsts, 0, &mut contacts);
        pool.install(call).unwrap();
        assert!(contacts.iter().eq(expected.iter().copied()), "{threads}");
    }
}

/// The weights are those of the nearest point, by a search over the triangle.
#[test]
fn barycentrics_are_those_of_the_nearest_point() {
    let mut rng = rng("barycentrics");
    for round in 0..400 {
        let mut corners = [(); 3].map(|()| inside(&mut rng, 2.0));
        match round % 8 {
            // A segment, a point, and a sliver.
            1 => corners[2] = corners[0],
            2 => corners[1] = corners[0],
            3 => corners = [corners[0]; 3],
            4 => corners[2] = [0, 1, 2].map(|k| 0.5 * (corners[0][k] + corners[1][k]) + 1e-6),
            _ => {}
        }
        let point = inside(&mut rng, 4.0).map(|x| x - 1.0);
        let weights = Triangle { corners }.barycentrics(point);
        assert!(
            weights.iter().all(|x| (0.0..=1.0).contains(x)),
            "{weights:?}"
        );
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        let gap = |weights: [f64; 3]| {
            let at = |k: usize| {
                (0..3)
                    .map(|c| weights[c] * f64::from(corners[c][k]))
                    .sum::<f64>()
            };
            let gap = [0, 1, 2].map(|k| at(k) - f64::from(point[k]));
            gap.iter().map(|x| x * x).sum::<f64>().sqrt()
        };
        let said = gap(weights.map(f64::from));
        let steps = 60;
        for (i, j) in (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i, j))) {
            let [u, v] = [i, j].map(|x| f64::from(x) / f64::from(steps));
            assert!(said <= gap([u, v, 1.0 - u - v]) + 1e-6, "{corners:?}");
        }
    }
    // No input panics.
    for x in [f32::NAN, f32::INFINITY, f32::MAX, -0.0] {
        let triangle = Triangle::new([x; 3], [0.0, x, 1.0], [1.0, 0.0, x]);
        let _ = (triangle.barycentrics([x; 3]), triangle.is_back([x; 3]));
        assert!(triangle.normal().iter().all(|x| x.is_finite()));
    }
}

/// The side of a triangle is that of its winding, for motions that cross it by more than 2⁻²⁰.
#[test]
fn backs_are_decided_by_the_winding() {
    let mut rng = rng("backs");
    for _ in 0..2000 {
        let corners = [(); 3].map(|()| inside(&mut rng, 2.0));
        let (triangle, [a, b, c]) = (Triangle { corners }, corners);
        let reversed = Triangle::new(a, c, b);
        let motion = inside(&mut rng, 2.0).map(|x| x - 1.0);
        let edges = [b, c].map(|p| [0, 1, 2].map(|k| f64::from(p[k]) - f64::from(a[k])));
        let [e, f] = edges;
        let normal = [0, 1, 2].map(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            e[i] * f[j] - e[j] * f[i]
        });
        let along: f64 = (0..3).map(|k| normal[k] * f64::from(motion[k])).sum();
        let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let sine = along / (length(normal) * length(motion.map(f64::from)));
        if sine.abs() > 1e-5 {
            assert_eq!(triangle.is_back(motion), sine > 0.0);
            assert_eq!(reversed.is_back(motion), sine < 0.0);
        }
        // In the plane.
        let along = [0, 1, 2].map(|k| (e[k] * 0.5) as f32);
        assert!(!triangle.is_back(along) && !reversed.is_back(along));
        let flat = Triangle::new(a, b, a);
        assert!(!flat.is_back(motion) && flat.normal() == [0.0; 3]);
    }
}
