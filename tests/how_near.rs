//! The other side of the promise: how much too deep, too near or too early an answer is at most, for small shapes on large
//! grounds and for long rays. Truth is computed in `f64` from the stored numbers.

use common::rng;
use phalanx::traits::{Collide, Distance, Shape, Sweep};
use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, Contacts, Detector, Distances, FirstHits, Mesh, Obb, Obbs,
    Overlaps, Pair, Point, Points, Shapes, Sphere, Spheres, Store, Sweeps, Triangle, Triangles,
};
use rand::RngExt;
use rand::rngs::StdRng;

mod common;

type V = [f64; 3];

fn v(x: [f32; 3]) -> V {
    x.map(f64::from)
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn sub(a: V, b: V) -> V {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn add(a: V, b: V, by: f64) -> V {
    [0, 1, 2].map(|k| a[k] + b[k] * by)
}

fn unit(a: V) -> V {
    let length = dot(a, a).sqrt();
    a.map(|x| x / length)
}

fn rounded(a: V) -> [f32; 3] {
    a.map(|x| x as f32)
}

/// Axes of a stored quaternion.
fn axes(q: [f32; 4]) -> [V; 3] {
    let [x, y, z, w] = q.map(f64::from);
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    [
        [
            1.0 - s * (y * y + z * z),
            s * (x * y + w * z),
            s * (x * z - w * y),
        ],
        [
            s * (x * y - w * z),
            1.0 - s * (x * x + z * z),
            s * (y * z + w * x),
        ],
        [
            s * (x * z + w * y),
            s * (y * z - w * x),
            1.0 - s * (x * x + y * y),
        ],
    ]
}

fn quaternion(rng: &mut StdRng) -> [f32; 4] {
    loop {
        let q: [f64; 4] = [(); 4].map(|()| rng.random_range(-1.0..1.0));
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        if (0.2..1.0).contains(&length) {
            return q.map(|x| (x / length) as f32);
        }
    }
}

/// A small shape, as of its center: how far it reaches along a direction.
trait Small: Copy {
    fn sample(rng: &mut StdRng, size: f32) -> Self;
    fn at(self, center: [f32; 3]) -> Self;
    /// Greatest coordinate along a unit vector.
    fn reach(self, along: V) -> f64;
}

impl Small for Sphere {
    fn sample(_: &mut StdRng, size: f32) -> Self {
        Sphere::new([0.0; 3], size)
    }
    fn at(self, center: [f32; 3]) -> Self {
        Sphere { center, ..self }
    }
    fn reach(self, along: V) -> f64 {
        dot(v(self.center), along) + f64::from(self.radius)
    }
}

impl Small for Capsule {
    fn sample(rng: &mut StdRng, size: f32) -> Self {
        let [axis, ..] = axes(quaternion(rng));
        Capsule::new([0.0; 3], rounded(axis.map(|x| x * f64::from(size))), size)
    }
    fn at(self, center: [f32; 3]) -> Self {
        Capsule { center, ..self }
    }
    fn reach(self, along: V) -> f64 {
        dot(v(self.center), along) + dot(v(self.half_axis), along).abs() + f64::from(self.radius)
    }
}

impl Small for Obb {
    fn sample(rng: &mut StdRng, size: f32) -> Self {
        Obb::new([0.0; 3], [size, 0.5 * size, 0.7 * size], quaternion(rng))
    }
    fn at(self, center: [f32; 3]) -> Self {
        Obb { center, ..self }
    }
    fn reach(self, along: V) -> f64 {
        let sides = axes(self.rotation).into_iter().zip(self.half_extents);
        dot(v(self.center), along)
            + sides
                .map(|(axis, half)| dot(axis, along).abs() * f64::from(half))
                .sum::<f64>()
    }
}

impl Small for Aabb {
    fn sample(_: &mut StdRng, size: f32) -> Self {
        Aabb::new(
            [-size, -0.5 * size, -0.7 * size],
            [size, 0.5 * size, 0.7 * size],
        )
    }
    fn at(self, center: [f32; 3]) -> Self {
        let by = |end: [f32; 3]| [0, 1, 2].map(|k| end[k] + center[k]);
        Aabb::new(by(self.min), by(self.max))
    }
    fn reach(self, along: V) -> f64 {
        [0, 1, 2]
            .map(|k| {
                f64::max(
                    along[k] * f64::from(self.min[k]),
                    along[k] * f64::from(self.max[k]),
                )
            })
            .iter()
            .sum()
    }
}

impl Small for Triangle {
    fn sample(rng: &mut StdRng, size: f32) -> Self {
        let [x, y, _] = axes(quaternion(rng)).map(|axis| axis.map(|x| x * f64::from(size)));
        Triangle::new(
            rounded(x),
            rounded(y),
            rounded(add([0.0; 3], add(x, y, 1.0), -0.7)),
        )
    }
    fn at(self, center: [f32; 3]) -> Self {
        Triangle {
            corners: self
                .corners
                .map(|corner| [0, 1, 2].map(|k| corner[k] + center[k])),
        }
    }
    fn reach(self, along: V) -> f64 {
        self.corners
            .map(|corner| dot(v(corner), along))
            .into_iter()
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A large ground: a store with one shape, and the plane of the face that things are on.
struct Ground<G> {
    store: G,
    /// Unit normal, upwards, and height of the face along it.
    up: V,
    height: f64,
    /// A point in the face and its two directions.
    place: V,
    along: [V; 2],
}

fn slab(center: [f32; 3], half: f32, rotation: [f32; 4]) -> (V, f64, V, [V; 2]) {
    let [x, y, z] = axes(rotation);
    let height = dot(v(center), y) + 0.5;
    (
        y,
        height,
        add(v(center), y, 0.5),
        [x, z].map(|axis| axis.map(|k| k * f64::from(half))),
    )
}

fn obb_ground(rng: &mut StdRng, half: f32) -> Ground<Obbs> {
    let obb = Obb::new([0.25, -3.0, 1.5], [half, 0.5, half], quaternion(rng));
    let (up, height, place, along) = slab(obb.center, half, obb.rotation);
    Ground {
        store: Obbs::from_slice(&[obb]),
        up,
        height,
        place,
        along,
    }
}

fn aabb_ground(_: &mut StdRng, half: f32) -> Ground<Aabbs> {
    let aabb = Aabb::new([-half, -1.0, -half], [half, 0.0, half]);
    let along = [[f64::from(half), 0.0, 0.0], [0.0, 0.0, f64::from(half)]];
    Ground {
        store: Aabbs::from_slice(&[aabb]),
        up: [0.0, 1.0, 0.0],
        height: 0.0,
        place: [0.0; 3],
        along,
    }
}

/// Two triangles; things are on the first.
fn mesh_ground(rng: &mut StdRng, half: f32) -> Ground<Mesh> {
    let [x, _, z] = axes(quaternion(rng)).map(|axis| axis.map(|k| k * f64::from(half)));
    let corner = |a: f64, b: f64| rounded(add(add([0.0; 3], x, a), z, b));
    let corners = [
        corner(-1.0, -1.0),
        corner(-1.0, 1.0),
        corner(1.0, 1.0),
        corner(1.0, -1.0),
    ];
    let [p, q, r] = [0, 1, 2].map(|k| v(corners[k]));
    let up = unit(cross(sub(q, p), sub(r, p)));
    let place = [0, 1, 2].map(|k| (p[k] + q[k] + r[k]) / 3.0);
    // Within the first triangle only.
    let along = [sub(q, p).map(|k| k * 0.1), sub(r, q).map(|k| k * 0.1)];
    let store = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
    Ground {
        store,
        up,
        height: dot(p, up),
        place,
        along,
    }
}

fn triangle_ground(rng: &mut StdRng, half: f32) -> Ground<Triangles> {
    let Ground {
        store,
        up,
        height,
        place,
        along,
    } = mesh_ground(rng, half);
    let store = Triangles::from_slice(&[store.triangles().get(0).unwrap()]);
    Ground {
        store,
        up,
        height,
        place,
        along,
    }
}

const SIZE: f32 = 0.05;

/// Checks every number of small shapes `T` on grounds of 10 m to 10 km.
fn check<T, G>(name: &str, ground: fn(&mut StdRng, f32) -> Ground<G>)
where
    T: Small + Shape + Collide<G::Shape> + Sweep<G::Shape> + Distance<G::Shape>,
    G: Shapes,
{
    let mut rng = rng(name);
    let mut detector = Detector::new();
    let (mut contacts, mut overlaps, mut sweeps, mut distances) = (
        Contacts::new(),
        Overlaps::new(),
        Sweeps::new(),
        Distances::new(),
    );
    let pair = [Pair::new(0, 0)];
    let size = f64::from(SIZE);
    let mut worst = [0.0f64; 4];
    for round in 0..400 {
        let half = [5.0, 50.0, 500.0, 5000.0][round % 4];
        let ground = ground(&mut rng, half);
        let (down, coordinates) = (ground.up.map(|x| -x), f64::from(half));
        // Of f32 numbers of this size, and of f64.
        let (near, exact) = (
            1e-4 * size + 2.0 * coordinates / (1 << 24) as f64,
            1e-12 * coordinates,
        );
        let small = T::sample(&mut rng, SIZE);
        let mut at = ground.place;
        for along in ground.along {
            at = add(at, along, rng.random_range(-0.9..0.9));
        }
        // Lowest point this far above the face, before the center is rounded.
        let put = |above: f64| {
            let reach = small.reach(down);
            let shape = small.at(rounded(add(at, ground.up, above + reach)));
            (shape, -shape.reach(down) - ground.height)
        };

        let (shape, gap) = put(-0.2 * size);
        detector
            .contact(
                &Store::from_slice(&[shape]),
                &ground.store,
                &pair,
                &mut contacts,
            )
            .unwrap();
        let contact = contacts
            .iter()
            .next()
            .unwrap_or_else(|| panic!("{name} {half}: no contact"));
        let off = gap - f64::from(contact.separation);
        assert!(
            (-exact..=near).contains(&off),
            "{name} {half}: {off:e} too deep"
        );
        worst[0] = worst[0].max(off);

        let (shape, gap) = put(rng.random_range(-1e-3..1e-3) * size);
        detector
            .overlap(
                &Store::from_slice(&[shape]),
                &ground.store,
                &pair,
                &mut overlaps,
            )
            .unwrap();
        let is_hit = overlaps.count() == 1;
        assert!(is_hit || gap > -exact, "{name} {half}: missed at {gap:e}");
        assert!(!is_hit || gap < near, "{name} {half}: a hit at {gap:e}");
        if is_hit {
            worst[1] = worst[1].max(gap);
        }

        let (shape, gap) = put(20.0 * size);
        detector
            .distance(
                &Store::from_slice(&[shape]),
                &ground.store,
                &pair,
                &mut distances,
            )
            .unwrap();
        let off = [
            gap - f64::from(distances.lower()[0]),
            f64::from(distances.upper()[0]) - gap,
        ];
        for off in off {
            assert!(
                (-exact..=near).contains(&off),
                "{name} {half}: {off:e} off at {gap}"
            );
            worst[2] = worst[2].max(off);
        }

        let mut moving = Store::new();
        let way = rounded(add(
            ground.along[0].map(|x| x * size * 5.0 / coordinates),
            ground.up,
            -40.0 * size,
        ));
        moving.push_moving(shape, way);
        detector
            .sweep(&moving, &ground.store, &pair, &mut sweeps)
            .unwrap();
        let speed = -dot(v(way), ground.up);
        let off = gap - speed * f64::from(sweeps.enter()[0]);
        assert!(
            (-exact - 1e-7 * gap..=near).contains(&off),
            "{name} {half}: {off:e} early"
        );
        worst[3] = worst[3].max(off);
    }
    println!(
        "{name}: depth {:.1e}, hits {:.1e}, distance {:.1e}, stop {:.1e} m",
        worst[0], worst[1], worst[2], worst[3]
    );
}

macro_rules! near {
    ($($name:ident: $shape:ident on $ground:ident;)+) => {
        $(#[test]
        fn $name() {
            check::<$shape, _>(stringify!($name), $ground);
        })+
    };
}

near! {
    spheres_on_meshes: Sphere on mesh_ground;
    capsules_on_meshes: Capsule on mesh_ground;
    obbs_on_meshes: Obb on mesh_ground;
    aabbs_on_meshes: Aabb on mesh_ground;
    spheres_on_triangles: Sphere on triangle_ground;
    spheres_on_obbs: Sphere on obb_ground;
    capsules_on_obbs: Capsule on obb_ground;
    obbs_on_obbs: Obb on obb_ground;
    aabbs_on_obbs: Aabb on obb_ground;
    spheres_on_aabbs: Sphere on aabb_ground;
    capsules_on_aabbs: Capsule on aabb_ground;
    obbs_on_aabbs: Obb on aabb_ground;
}

/// How far beside a shape of 0.5 m at 10 m a ray of any length still hits.
#[test]
fn rays_of_any_length_pass_beside_a_shape() {
    let mut detector = Detector::new();
    let (pair, mut sweeps) = ([Pair::new(0, 0)], Sweeps::new());
    for length in [1e2f32, 1e3, 1e4, 1e6, 1e8, 1e12] {
        let mut rays = Points::new();
        rays.push_moving(Point::new([0.0; 3]), [length, 0.0, 0.0]);
        for k in 0..40 {
            let beside = 2e-7 * 1.5f32.powi(k);
            // Exact in f32.
            let y = 0.5 + beside;
            let true_beside = f64::from(y) - 0.5;
            let mut hits = [false; 4];
            let mut ask = |which: usize, is_hit: bool| hits[which] |= is_hit;
            detector
                .sweep(
                    &rays,
                    &Spheres::from_slice(&[Sphere::new([10.0, y, 0.0], 0.5)]),
                    &pair,
                    &mut sweeps,
                )
                .unwrap();
            ask(0, sweeps.count() > 0);
            let obb = Obb::new([10.0, y, 0.0], [0.5; 3], [0.0, 0.0, 0.0, 1.0]);
            detector
                .sweep(&rays, &Obbs::from_slice(&[obb]), &pair, &mut sweeps)
                .unwrap();
            ask(1, sweeps.count() > 0);
            let capsule = Capsule::new([10.0, y, 0.0], [0.3, 0.0, 0.2], 0.5);
            detector
                .sweep(&rays, &Capsules::from_slice(&[capsule]), &pair, &mut sweeps)
                .unwrap();
            ask(2, sweeps.count() > 0);
            let beside = y - 0.5;
            let triangle = Triangle::new(
                [10.0, beside, -1.0],
                [10.0, beside, 1.0],
                [10.0, beside + 1.0, 0.0],
            );
            detector
                .sweep(
                    &rays,
                    &Triangles::from_slice(&[triangle]),
                    &pair,
                    &mut sweeps,
                )
                .unwrap();
            ask(3, sweeps.count() > 0);
            for (shape, is_hit) in ["sphere", "box", "capsule", "triangle"].iter().zip(hits) {
                assert!(
                    !is_hit || true_beside < 2e-5,
                    "{shape}: a ray of {length} hits {true_beside:e} beside"
                );
            }
        }
    }
}

#[test]
fn the_first_hit_of_a_long_ray_is_what_it_meets_first() {
    let mut rays = Points::new();
    rays.push_moving(Point::new([0.0; 3]), [1e8, 0.0, 0.0]);
    let spheres = Spheres::from_slice(&[
        Sphere::new([5.0, 3.0, 0.0], 0.5),
        Sphere::new([10.0, 0.0, 0.0], 0.5),
    ]);
    let mut firsts = FirstHits::new();
    Detector::new()
        .first_hits(&rays, &spheres, &mut firsts)
        .unwrap();
    let hit = firsts.get(0).unwrap();
    assert_eq!(hit.b, 1);
    assert!((f64::from(hit.time.enter) * 1e8 - 9.5).abs() < 1e-5);
}

/// Nearest point at which a ray meets a triangle, as a part of the ray.
fn ray_meets(from: V, way: V, triangle: [V; 3]) -> Option<f64> {
    let [p, q, r] = triangle;
    let (e, f) = (sub(q, p), sub(r, p));
    let h = cross(way, f);
    let det = dot(e, h);
    let s = sub(from, p);
    let u = dot(s, h) / det;
    let k = cross(s, e);
    let v = dot(way, k) / det;
    let t = dot(f, k) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)).then_some(t)
}

/// A scanner over hills: ranges are never late, and early by micrometres.
#[test]
fn ranges_of_a_scanner_are_near() {
    let mut rng = rng("ranges_of_a_scanner_are_near");
    let side = 60u32;
    let mut vertices = Vec::new();
    for z in 0..=side {
        for x in 0..=side {
            let height =
                2.0 * (x as f32 * 0.3).sin() * (z as f32 * 0.25).cos() + rng.random_range(0.0..0.2);
            vertices.push([1.7 * x as f32 - 51.0, height, 1.7 * z as f32 - 51.0]);
        }
    }
    let mut triangles = Vec::new();
    for z in 0..side {
        for x in 0..side {
            let at = z * (side + 1) + x;
            triangles.push([at, at + side + 1, at + 1]);
            triangles.push([at + 1, at + side + 1, at + side + 2]);
        }
    }
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    let corners: Vec<[V; 3]> = triangles
        .iter()
        .map(|t| t.map(|k| v(vertices[k as usize])))
        .collect();
    let range = 120.0;
    let mut rays = Points::new();
    for _ in 0..3000 {
        let (around, down): (f64, f64) = (rng.random_range(0.0..6.25), rng.random_range(0.01..0.9));
        let way = [
            around.cos() * down.cos(),
            -down.sin(),
            around.sin() * down.cos(),
        ];
        rays.push_moving(
            Point::new([0.3, 4.0, -0.2]),
            rounded(way.map(|x| x * range)),
        );
    }
    let mut firsts = FirstHits::new();
    Detector::new()
        .first_hits(&rays, &mesh, &mut firsts)
        .unwrap();
    let mut early = Vec::new();
    for i in 0..rays.len() as u32 {
        let (from, way) = (
            v(rays.get(i).unwrap().position),
            v(rays.displacement(i).unwrap()),
        );
        let truth = corners
            .iter()
            .filter_map(|&t| ray_meets(from, way, t))
            .reduce(f64::min);
        let Some(truth) = truth else { continue };
        let found = firsts
            .get(i as usize)
            .expect("a ray that meets the hills has a hit");
        let by = (truth - f64::from(found.time.enter)) * range;
        // The end of an edge that the oracle, not exact, loses.
        assert!(by > -1e-9, "late by {by:e}");
        early.push(by);
    }
    early.sort_by(f64::total_cmp);
    let (median, worst) = (early[early.len() / 2], early[early.len() - 1]);
    println!(
        "{} ranges: early by {median:.1e}, at most {worst:.1e} m",
        early.len()
    );
    assert!(
        early.len() > 2000 && median < 5e-6 && worst < 2e-4,
        "{median:e} {worst:e}"
    );
}

/// Turned by 2⁻³³: zero beside the axis in `f32`, a micrometre at 4 km.
#[test]
fn slab_that_is_hardly_turned_is_where_it_is() {
    let turned = [0.0, 0.0, 1.0 / (1u64 << 34) as f32, 1.0];
    let slab = Obbs::from_slice(&[Obb::new([0.0; 3], [5000.0, 0.5, 5000.0], turned)]);
    let up = 1.0 + 3.0 / (1 << 23) as f32;
    let cube = Obbs::from_slice(&[Obb::new([4000.0, up, 0.0], [0.5; 3], [0.0, 0.0, 0.0, 1.0])]);
    let mut overlaps = Overlaps::new();
    let pair = [Pair::new(0, 0)];
    Detector::new()
        .overlap(&cube, &slab, &pair, &mut overlaps)
        .unwrap();
    assert_eq!(overlaps.count(), 1);
}

/// A hit of `overlap` is a hit of `sweep` from the start, whether or not either is computed in `f64`.
#[test]
fn overlaps_are_sweeps_from_the_start_for_any_sizes() {
    let mut rng = rng("overlaps_are_sweeps_from_the_start_for_any_sizes");
    fn check<A: Shape + Collide<B> + Sweep<B>, B: Shape>(a: A, b: B, way: [f32; 3], margin: f32) {
        let (mut moving, mut still) = (Store::new(), Store::new());
        moving.push_moving(a, way);
        still.push(b);
        let mut detector = Detector::new().margin(margin).unwrap();
        let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
        let pair = [Pair::new(0, 0)];
        detector
            .overlap(&moving, &still, &pair, &mut overlaps)
            .unwrap();
        detector.sweep(&moving, &still, &pair, &mut sweeps).unwrap();
        if overlaps.count() == 1 {
            assert_eq!(sweeps.enter()[0], 0.0, "{a:?} {b:?} {way:?} {margin}");
        }
    }
    let half_space = phalanx::HalfSpace::new([0.0, 1.0, 0.0], -100.0);
    check(
        Sphere::new([0.0, 100.0 + 6557.0 / (1 << 17) as f32, 0.0], 0.05),
        half_space,
        [1.0, 0.0, 0.0],
        0.0,
    );
    let ball = |x: f32| Sphere::new([x, 0.0, 0.0], 0.01);
    check(ball(1.020_000_1), ball(0.0), [0.0; 3], 1.0);
    for _ in 0..20_000 {
        // Within some bands of contact along x, of sizes around the ratio that makes a pair uneven.
        let (a, b) = (
            10f32.powf(rng.random_range(-2.0..0.5)),
            10f32.powf(rng.random_range(-1.0..2.0)),
        );
        let margin = if rng.random_bool(0.5) {
            0.0
        } else {
            a * rng.random_range(0.0..9.0)
        };
        let near = 1.0 + rng.random_range(-20.0..20.0) / (1 << 24) as f32;
        let at = [(a + b + margin) * near, 0.0, 0.0];
        let way = [0, 1, 2]
            .map(|_| rng.random_range(-1.0..1.0) * 10f32.powf(rng.random_range(-3.0..4.0)));
        let (sphere, upright) = (Sphere::new(at, a), [0.0, 0.0, 0.0, 1.0]);
        let (capsule, obb) = (
            Capsule::new(at, [0.0, a, 0.0], a),
            Obb::new(at, [a; 3], upright),
        );
        let other = Obb::new([0.0; 3], [b, 0.5 * b, b], upright);
        let aabb = Aabb::new([-b; 3], [b; 3]);
        check(sphere, Sphere::new([0.0; 3], b), way, margin);
        check(sphere, aabb, way, margin);
        check(sphere, other, way, margin);
        check(
            sphere,
            Capsule::new([0.0; 3], [0.0, b, 0.0], b),
            way,
            margin,
        );
        check(capsule, aabb, way, margin);
        check(capsule, other, way, margin);
        check(obb, other, way, margin);
        let triangle = Triangle::new([0.0, -b, -b], [0.0, b, 0.0], [0.0, -b, b]);
        check(
            Sphere {
                center: [(a + margin) * near, 0.0, 0.0],
                ..sphere
            },
            triangle,
            way,
            margin,
        );
    }
}

/// Spheres without a size, or hardly any, at the distance up to which `overlap` hits: only the absolute part of its band counts.
#[test]
fn overlaps_of_points_that_all_but_touch_are_sweeps_from_the_start() {
    let mut rng = rng("overlaps_of_points_that_all_but_touch");
    let mut detector = Detector::new();
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let mut hits = 0;
    for case in 0..500 {
        let largest = [0.0, 2f32.powi(-90)][case % 2];
        let radii = [(); 2].map(|()| rng.random_range(0.0..=largest));
        let direction = [0, 1, 2].map(|_| rng.random_range(-1.0..1.0f64));
        let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
        let way = [0, 1, 2]
            .map(|_| rng.random_range(-1.0..1.0) * 10f32.powf(rng.random_range(-18.0..2.0)));
        // Bisects the distance.
        let (mut near, mut far) = (0.0, 2f64.powi(-55));
        for _ in 0..40 {
            let distance = 0.5 * (near + far);
            let at = direction.map(|x| (x / length * distance) as f32);
            let (mut moving, mut still) = (Spheres::new(), Spheres::new());
            moving.push_moving(Sphere::new(at, radii[0]), way);
            still.push(Sphere::new([0.0; 3], radii[1]));
            let pair = [Pair::new(0, 0)];
            detector
                .overlap(&moving, &still, &pair, &mut overlaps)
                .unwrap();
            if overlaps.count() == 0 {
                far = distance;
                continue;
            }
            near = distance;
            hits += 1;
            detector.sweep(&moving, &still, &pair, &mut sweeps).unwrap();
            assert_eq!(sweeps.enter()[0], 0.0, "{at:?} {radii:?} {way:?}");
        }
    }
    assert!(hits > 2000, "{hits}");
}

/// One answer for a list, a zip, and one pair without a detector.
#[test]
fn kinds_of_lists_agree_on_uneven_pairs() {
    let mut rng = rng("kinds_of_lists_agree_on_uneven_pairs");
    let mut detector = Detector::new();
    for len in [3usize, 64, 65, 100, 200] {
        let (mut rays, mut spheres, mut slabs) = (Points::new(), Spheres::new(), Obbs::new());
        for _ in 0..len {
            let way = [rng.random_range(1e2..1e6), rng.random_range(-1.0..1.0), 0.0];
            rays.push_moving(Point::new([0.0; 3]), way);
            spheres.push(Sphere::new(
                [10.0, 0.5 + rng.random_range(-1e-3..1e-3), 0.0],
                0.5,
            ));
            slabs.push(Obb::new(
                [0.0, -0.5 + rng.random_range(-1e-3..1e-3), 0.0],
                [100.0, 1.0, 100.0],
                quaternion(&mut rng),
            ));
        }
        let list: Vec<Pair> = (0..len as u32).map(|i| Pair::new(i, i)).collect();
        let (mut listed, mut zipped) = (Sweeps::new(), Sweeps::new());
        detector.sweep(&rays, &spheres, &list, &mut listed).unwrap();
        detector
            .sweep(&rays, &spheres, phalanx::Pairs::zip(), &mut zipped)
            .unwrap();
        let bits = |times: &[f32]| times.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(listed.enter()), bits(zipped.enter()));
        assert_eq!(bits(listed.exit()), bits(zipped.exit()));

        let mut overlaps = Overlaps::new();
        detector
            .overlap(&spheres, &slabs, &list, &mut overlaps)
            .unwrap();
        for i in 0..len {
            let (sphere, slab) = (spheres.get(i as u32).unwrap(), slabs.get(i as u32).unwrap());
            assert_eq!(Some(overlaps.is_hit(i)), sphere.overlaps(&slab));
        }
    }
}

/// Impacts begin with a test of spheres, whose times are not those of a part of the frame.
#[test]
fn fast_turning_boxes_have_their_impacts() {
    let mut rng = rng("fast_turning_boxes_have_their_impacts");
    let mut detector = Detector::new();
    for speed in [1e1f32, 1e2, 1e3, 1e4] {
        let upright = [0.0, 0.0, 0.0, 1.0];
        let (mut a, mut b) = (Obbs::new(), Obbs::new());
        let turn = [0, 1, 2].map(|_| rng.random_range(-0.5..0.5));
        a.push_turning(
            Obb::new([0.0; 3], [0.1; 3], upright),
            [speed, 0.0, 0.0],
            turn,
        );
        b.push(Obb::new([5.0, 0.0, 0.0], [0.1; 3], upright));
        let mut impacts = phalanx::Impacts::new();
        detector
            .impact(&a, &b, &[Pair::new(0, 0)], 1e-3, &mut impacts)
            .unwrap();
        assert_eq!(impacts.count(), 1, "{speed}");
    }
}
