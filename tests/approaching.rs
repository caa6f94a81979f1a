//! Searches that pass the shapes that the motion does not approach equal sweeps with contacts of all pairs, filtered.

mod common;

use common::scenes::{inside, samples};
use common::{Sample, rng};
use phalanx::traits::{Bounded, Collide, Shape, Sweep};
use phalanx::{
    Aabb, Capsule, Contacts, Detector, During, FirstHits, HalfSpace, Hull, Hulls, Mesh, Obb,
    OrderedHits, Overlaps, Pair, Plane, Point, Shapes, Sides, Simd, Sphere, Store, Sweeps,
    TimeInterval, Triangle,
};

/// The hits of each shape, in order: index and bits of both times.
type Lists = Vec<Vec<(u32, [u32; 2])>>;

fn bits(time: TimeInterval) -> [u32; 2] {
    [time.enter, time.exit].map(f32::to_bits)
}

/// The definition: a sweep of all pairs with contacts, without those that the motion does not approach.
fn by_contacts<A: Shapes, B: Shapes>(a: &A, b: &B, margin: f32, is_own: bool) -> Lists
where
    A::Shape: Collide<B::Shape>,
{
    let mut detector = Detector::new().margin(margin).unwrap();
    let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
    let (a_view, b_view) = (a.view(), b.view());
    let list = |i: u32| {
        let others = (0..b_view.len() as u32).filter(|j| !(is_own && i == *j));
        let pairs: Vec<Pair> = others.map(|j| Pair::new(i, j)).collect();
        detector
            .sweep_contacts(a, b, &pairs, &mut sweeps, &mut contacts)
            .unwrap();
        let mut hits = Vec::new();
        for contact in &contacts {
            let pair = pairs[contact.position];
            let motion = |v: Option<[f32; 3]>| v.unwrap().map(f64::from);
            let own = motion(a_view.displacement(pair.a));
            let other = motion(b_view.displacement(pair.b));
            let v = [0, 1, 2].map(|k| own[k] - other[k]);
            let n = contact.normal.map(f64::from);
            let dot = |x: [f64; 3], y: [f64; 3]| x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
            let along = dot(n, v);
            if along > 0.0 && along * along > 2f64.powi(-40) * dot(v, v) {
                hits.push((pair.b, sweeps.get(contact.position).unwrap()));
            }
        }
        // A stable sort: ties stay in the order of the indices.
        hits.sort_by(|x, y| x.1.enter.partial_cmp(&y.1.enter).unwrap());
        hits.into_iter().map(|(b, time)| (b, bits(time))).collect()
    };
    (0..a_view.len() as u32).map(list).collect()
}

/// All searches on all lane counts. Returns the numbers of hits with and without those that are passed.
fn check<A: Shapes, B: Shapes>(name: &str, a: &A, b: &B, margin: f32, is_own: bool) -> [usize; 2]
where
    A::Shape: Bounded + Sweep<B::Shape> + Collide<B::Shape>,
{
    let expected = by_contacts(a, b, margin, is_own);
    let (mut firsts, mut hits, mut any) = (FirstHits::new(), OrderedHits::new(), Overlaps::new());
    let mut all = 0;
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).margin(margin).unwrap();
        detector.ordered_hits(a, b, usize::MAX, &mut hits).unwrap();
        all = hits.count();
        detector.set_approaching(true);
        for _ in 0..2 {
            detector.first_hits(a, b, &mut firsts).unwrap();
            detector.ordered_hits(a, b, usize::MAX, &mut hits).unwrap();
            detector.meets_any(a, b, During::Frame, &mut any).unwrap();
            for (i, list) in expected.iter().enumerate() {
                let said: Vec<_> = hits.of(i).map(|(b, time)| (b, bits(time))).collect();
                assert!(said == *list, "{name}, {simd}: hits of {i}");
                let first = firsts.get(i).map(|hit| (hit.b, bits(hit.time)));
                assert_eq!(first, list.first().copied(), "{name}, {simd}: first of {i}");
                assert_eq!(
                    any.is_hit(i),
                    !list.is_empty(),
                    "{name}, {simd}: any of {i}"
                );
            }
        }
    }
    [hits.count(), all]
}

#[test]
fn every_cell_passes_what_the_motion_does_not_approach() {
    fn cell<A: Bounded + Sweep<B> + Collide<B> + Sample, B: Shape + Sample>(name: &str) {
        let mut rng = rng(&format!("{name}, approaching"));
        let a = samples::<A>(&mut rng, 80, 6.0);
        let b = samples::<B>(&mut rng, 60, 6.0);
        let [some, all] = check(name, &a, &b, 0.0, false);
        assert!(0 < some && some <= all, "{name}: {some} of {all}");
        check(name, &a, &b, 0.05, false);
        // Few targets.
        check(name, &a, &samples::<B>(&mut rng, 3, 6.0), 0.0, false);
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
    let mut rng = rng("approaching within");
    let spheres = samples::<Sphere>(&mut rng, 150, 6.0);
    let [some, all] = check("within", &spheres, &spheres, 0.0, true);
    assert!(some < all, "{some} of {all}");
    let boxes = samples::<Obb>(&mut rng, 100, 6.0);
    let [some, all] = check("boxes within", &boxes, &boxes, 0.0, true);
    assert!(some < all, "{some} of {all}");
}

/// The inside of a cube from 0 to `side`, with its front inside.
fn room(side: f32) -> Mesh {
    let corner = |k: u32| [0, 1, 2].map(|axis| if k >> axis & 1 == 1 { side } else { 0.0 });
    let corners: Vec<[f32; 3]> = (0..8).map(corner).collect();
    let mut indices: Vec<[u32; 3]> = Vec::new();
    for quad in [
        [0, 1, 3, 2],
        [4, 6, 7, 5],
        [0, 4, 5, 1],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 5, 7, 3],
    ] {
        let [a, b, c, d] = quad;
        indices.extend([[a, b, c], [a, c, d]]);
    }
    let mesh = Mesh::new(&corners, &indices).unwrap();
    for k in 0..12 {
        // Towards the middle.
        let (normal, corner) = (mesh.normal(k).unwrap(), mesh.get(k).unwrap().corners[0]);
        let inward: f32 = (0..3).map(|i| normal[i] * (0.5 * side - corner[i])).sum();
        assert!(inward > 0.0, "triangle {k}");
    }
    mesh
}

#[test]
fn meshes_and_hulls_are_passed_by_the_same_rule() {
    let mut rng = rng("approaching meshes");
    let mut mesh = room(8.0);
    let mut hulls = Hulls::default();
    let points: Vec<[f32; 3]> = (0..8)
        .map(|_| inside(&mut rng, 1.0).map(|x| x - 0.5))
        .collect();
    hulls.add_kind(&points).unwrap();
    let (mut rays, mut movers) = (Store::new(), Store::new());
    for k in 0..90 {
        // From outside, from inside, and on walls.
        let mut at = inside(&mut rng, 12.0).map(|x| x - 2.0);
        if k % 3 == 0 {
            at[k % 9 / 3] = [0.0, 8.0][k % 2];
        }
        let motion = inside(&mut rng, 24.0).map(|x| x - 12.0);
        rays.push_moving(Point::new(at), motion);
        movers.push_moving(Sphere::new(at, 0.5), motion.map(|x| x * 0.2));
        let hull = Hull::new(0, at, [0.0, 0.6, 0.0, 0.8]);
        hulls.push_moving(hull, motion.map(|x| x * 0.2)).unwrap();
    }
    for sides in [Sides::Front, Sides::Both] {
        mesh.set_sides(sides);
        let name = format!("{sides:?}");
        let [some, all] = check(&name, &rays, &mesh, 0.0, false);
        if sides == Sides::Front {
            assert!(some < all, "{some} of {all}");
        }
        check(&name, &movers, &mesh, 0.0, false);
        check(&name, &hulls, &mesh, 0.01, false);
    }
    check("rays of hulls", &rays, &hulls, 0.0, false);
    check("hulls within", &hulls, &hulls, 0.0, true);

    // Rays pass back faces.
    mesh.set_sides(Sides::Front);
    let mut detector = Detector::new().approaching(true);
    let mut hits = OrderedHits::new();
    detector
        .ordered_hits(&rays, &mesh, usize::MAX, &mut hits)
        .unwrap();
    assert!(hits.count() > 20);
    for i in 0..rays.len() {
        let motion = rays.displacement(i as u32).unwrap();
        let mut met = hits.of(i).map(|(b, _)| mesh.get(b).unwrap());
        assert!(met.all(|triangle| !triangle.is_back(motion)));
    }
}

/// Rays that bounce in a room, from the places of their hits as `f32` has them. Returns how many bounces hit the wall that
/// the ray has just left, and how many rays are lost.
fn bounces<B: Shapes>(walls: &B, approaching: bool) -> [usize; 2]
where
    Point: Sweep<B::Shape> + Collide<B::Shape>,
{
    let mut rng = rng("bounces");
    let (mut rays, mut motions) = (Store::new(), Vec::new());
    for _ in 0..200 {
        let motion = inside(&mut rng, 60.0).map(|x| x - 30.0);
        let from = inside(&mut rng, 6.0).map(|x| x + 1.0);
        rays.push_moving(Point::new(from), motion);
        motions.push(motion);
    }
    let mut detector = Detector::new().approaching(approaching);
    let (mut firsts, mut contacts) = (FirstHits::new(), Contacts::new());
    let mut before = vec![u32::MAX; 200];
    let (mut stuck, mut lost) = (0, 0);
    for _ in 0..20 {
        detector.first_hits(&rays, walls, &mut firsts).unwrap();
        detector
            .hit_contacts(&rays, walls, &firsts, 0, &mut contacts)
            .unwrap();
        let mut next = Store::new();
        for i in 0..200 {
            let motion = &mut motions[i];
            let mut at = rays.get(i as u32).unwrap();
            if let (Some(hit), Some(contact)) = (firsts.get(i), contacts.get(i)) {
                at = rays.at(hit.a, hit.time.enter).unwrap();
                stuck += usize::from(before[i] == hit.b && hit.time.enter < 1e-3);
                before[i] = hit.b;
                let n = contact.normal;
                let along = 2.0 * (0..3).map(|k| motion[k] * n[k]).sum::<f32>();
                *motion = [0, 1, 2].map(|k| motion[k] - along * n[k]);
            }
            lost += usize::from(at.position.iter().any(|x| !(-0.01..=8.01).contains(x)));
            next.push_moving(at, *motion);
        }
        rays = next;
    }
    [stuck, lost]
}

#[test]
fn bouncing_rays_leave_the_walls_that_they_hit() {
    let mesh = room(8.0);
    let mut boxes = Store::new();
    let mut spaces = Store::new();
    for axis in 0..3 {
        let (mut low, mut high) = ([-1.0; 3], [9.0; 3]);
        high[axis] = 0.0;
        boxes.push(Aabb::new(low, high));
        (low, high) = ([-1.0; 3], [9.0; 3]);
        low[axis] = 8.0;
        boxes.push(Aabb::new(low, high));
        let mut normal = [0.0; 3];
        normal[axis] = 1.0;
        spaces.push(HalfSpace { normal, d: 0.0 });
        normal[axis] = -1.0;
        spaces.push(HalfSpace { normal, d: 8.0 });
    }
    assert_eq!(bounces(&mesh, true), [0, 0]);
    assert_eq!(bounces(&boxes, true), [0, 0]);
    assert_eq!(bounces(&spaces, true), [0, 0]);
    // Otherwise they are stuck, or get lost.
    assert!(bounces(&boxes, false).iter().sum::<usize>() > 1000);
}

#[test]
fn a_shape_on_the_floor_finds_it_only_on_the_way_down() {
    let floor = Store::from_slice(&[Aabb::new([-9.0, -1.0, -9.0], [9.0, 0.0, 9.0])]);
    let mut detector = Detector::new().approaching(true);
    let (mut firsts, mut any) = (FirstHits::new(), Overlaps::new());
    // Resting on the floor, and slightly in it.
    for y in [1.0, 0.999] {
        for (motion, is_hit) in [
            ([1.0, 0.0, 0.0], false),
            ([1.0, 1e-7, 0.0], false),
            ([1.0, 0.5, 0.0], false),
            ([0.0, 0.0, 0.0], false),
            ([1.0, -0.5, 0.0], true),
            ([1.0, -1e-4, 0.0], true),
        ] {
            let mut movers = Store::new();
            movers.push_moving(Sphere::new([0.0, y, 0.0], 1.0), motion);
            detector.first_hits(&movers, &floor, &mut firsts).unwrap();
            let enter = firsts.get(0).map(|hit| hit.time.enter);
            assert_eq!(enter, is_hit.then_some(0.0), "{y}, {motion:?}");
            // A search at the start has no motion.
            detector
                .meets_any(&movers, &floor, During::Start, &mut any)
                .unwrap();
            assert!(any.is_hit(0));
            // Relative to a floor that moves too.
            let mut lift = Store::new();
            lift.push_moving(floor.get(0).unwrap(), motion.map(|x| -x));
            let still = Store::from_slice(&[movers.get(0).unwrap()]);
            detector.first_hits(&still, &lift, &mut firsts).unwrap();
            assert_eq!(firsts.is_hit(0), is_hit, "lift, {motion:?}");
        }
    }
}

#[test]
fn bodies_pass_what_none_of_their_shapes_approaches() {
    let mut rng = rng("approaching bodies");
    let mut spheres = samples::<Sphere>(&mut rng, 300, 6.0);
    (0..300).for_each(|i| spheres.set_body(i, i / 3).unwrap());
    let (mut any, mut bodies) = (Overlaps::new(), Overlaps::new());
    // Few targets, and a search.
    for len in [3, 40] {
        let mut counts = [0; 2];
        let boxes = samples::<Obb>(&mut rng, len, 6.0);
        for approaching in [false, true] {
            let mut detector = Detector::new().approaching(approaching);
            for during in [During::Start, During::Frame] {
                detector
                    .meets_any(&spheres, &boxes, during, &mut any)
                    .unwrap();
                detector
                    .bodies_meet_any(&spheres, &boxes, during, &mut bodies)
                    .unwrap();
                assert_eq!(bodies.len(), 100);
                for body in 0..100 {
                    let is_hit = (3 * body..3 * body + 3).any(|i| any.is_hit(i));
                    assert_eq!(bodies.is_hit(body), is_hit, "{len}, {during:?}: {body}");
                }
            }
            counts[usize::from(approaching)] = bodies.count();
        }
        assert!(0 < counts[1] && counts[1] < counts[0], "{len}: {counts:?}");
    }
}

#[cfg(all(feature = "rayon", not(target_family = "wasm")))]
#[test]
fn any_number_of_threads_finds_the_same() {
    let mut rng = rng("approaching on threads");
    let rays = samples::<Point>(&mut rng, 20_000, 40.0);
    let boxes = samples::<Obb>(&mut rng, 20_000, 40.0);
    let mut firsts = FirstHits::new();
    let mut serial = Detector::new().parallel(false).approaching(true);
    serial.first_hits(&rays, &boxes, &mut firsts).unwrap();
    let expected = firsts.clone();
    assert!(expected.count() > 1000);
    for threads in [1, 2, 3, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        let mut detector = Detector::new().approaching(true);
        for _ in 0..2 {
            let call = || detector.first_hits(&rays, &boxes, &mut firsts);
            pool.install(call).unwrap();
            assert!(firsts == expected, "{threads} threads");
        }
    }
}
