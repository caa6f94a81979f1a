//! Contacts with a mesh: normals at inner edges are normals of the surface, and no contact is lost.

#![cfg_attr(phalanx_only, allow(unused))]
#![cfg(not(phalanx_only))]

mod common;

use common::{Sample, cases, cube, rng};
use phalanx::traits::{Bounded, Collide, Sweep};
use phalanx::{
    Aabb, Capsule, Contact, Contacts, Detector, During, FirstHits, HalfSpace, HalfSpaces, Hull,
    HullKinds, Hulls, Mesh, Obb, Overlaps, Pair, Shapes, Sides, Sphere, Store, Sweeps, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// Squares of two triangles each, `side` along each axis, with heights.
fn grid(side: usize, height: impl Fn(f32, f32) -> f32) -> Mesh {
    let along = side + 1;
    let vertices: Vec<[f32; 3]> = (0..along * along)
        .map(|k| {
            let middle = side as f32 / 2.0;
            let (x, y) = ((k % along) as f32 - middle, (k / along) as f32 - middle);
            [x, y, height(x, y)]
        })
        .collect();
    let squares = (0..side * side).flat_map(|k| {
        let first = (k / side * along + k % side) as u32;
        let (right, above) = (first + 1, first + along as u32);
        [[first, right, above], [right, above + 1, above]]
    });
    Mesh::new(&vertices, &squares.collect::<Vec<_>>()).unwrap()
}

/// All contacts of one shape with a mesh. Every hit has a contact.
fn contacts<A: Collide<Triangle> + Bounded>(shape: A, mesh: &Mesh) -> (Vec<Pair>, Contacts) {
    let store = Store::from_slice(&[shape]);
    let (mut detector, mut pairs, mut found) = (Detector::new(), Vec::new(), Contacts::new());
    detector
        .candidates(&store, mesh, During::Start, &mut pairs)
        .unwrap();
    detector.contact(&store, mesh, &pairs, &mut found).unwrap();
    let mut overlaps = Overlaps::new();
    detector
        .overlap(&store, mesh, &pairs, &mut overlaps)
        .unwrap();
    assert!(
        overlaps
            .iter()
            .eq(found.iter().map(|contact| contact.position))
    );
    (pairs, found)
}

/// The contact of one shape with the half-space below z = 0.
fn contact_with_ground<A: Collide<HalfSpace>>(shape: A) -> Option<Contact> {
    let ground = HalfSpaces::from_slice(&[HalfSpace {
        normal: [0., 0., 1.],
        d: 0.,
    }]);
    let mut found = Contacts::new();
    let store = Store::from_slice(&[shape]);
    Detector::new()
        .contact(&store, &ground, &[Pair::new(0, 0)], &mut found)
        .unwrap();
    found.get(0)
}

/// A random rotation.
fn rotation(rng: &mut StdRng) -> [f32; 4] {
    loop {
        let q = [(); 4].map(|()| rng.random_range(-1.0..1.0f32));
        let squared: f32 = q.iter().map(|x| x * x).sum();
        if (0.1..1.0).contains(&squared) {
            return q.map(|x| x / squared.sqrt());
        }
    }
}

/// A shape that sinks into the ground by at most a tenth, or is a little above it.
trait OnGround: Collide<Triangle> + Collide<HalfSpace> + Bounded {
    fn place(rng: &mut StdRng, at: [f32; 2], sunk: f32) -> Self;
}

impl OnGround for Sphere {
    fn place(rng: &mut StdRng, [x, y]: [f32; 2], sunk: f32) -> Self {
        let radius = rng.random_range(0.3..2.0);
        Sphere {
            center: [x, y, radius - sunk],
            radius,
        }
    }
}

impl OnGround for Capsule {
    fn place(rng: &mut StdRng, [x, y]: [f32; 2], sunk: f32) -> Self {
        let radius = rng.random_range(0.3..1.0);
        let mut half_axis = [(); 3].map(|()| rng.random_range(-1.5..1.5f32));
        if rng.random_bool(0.3) {
            half_axis[2] = 0.0;
        }
        Capsule {
            center: [x, y, half_axis[2].abs() + radius - sunk],
            half_axis,
            radius,
        }
    }
}

/// Half of the length of a box along z.
fn reach_down(obb: &Obb) -> f32 {
    let [x, y, z, w] = obb.rotation;
    let row = [
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        w * w + z * z - x * x - y * y,
    ];
    (0..3).map(|k| row[k].abs() * obb.half_extents[k]).sum()
}

impl OnGround for Obb {
    fn place(rng: &mut StdRng, [x, y]: [f32; 2], sunk: f32) -> Self {
        let mut obb = Obb {
            center: [x, y, 0.],
            half_extents: [(); 3].map(|()| rng.random_range(0.3..1.5)),
            rotation: rotation(rng),
        };
        if rng.random_bool(0.5) {
            let half = rng.random_range(-3.0..3.0f32);
            obb.rotation = [0., 0., half.sin(), half.cos()];
        }
        obb.center[2] = reach_down(&obb) - sunk;
        obb
    }
}

impl OnGround for Aabb {
    fn place(rng: &mut StdRng, [x, y]: [f32; 2], sunk: f32) -> Self {
        let half = [(); 3].map(|()| rng.random_range(0.3..1.5));
        Aabb::from_center_half_extents([x, y, half[2] - sunk], half)
    }
}

/// Compares the contacts of a shape on a plane of triangles with that on a half-space. Returns the number of inner contacts, and of
/// all.
fn compare_with_ground(
    shape: &dyn std::fmt::Debug,
    found: &Contacts,
    pairs: &[Pair],
    mesh: &Mesh,
    ground: Option<Contact>,
) -> [usize; 2] {
    let (mut inner, mut seen) = (0, 0);
    for contact in found {
        let [x, y, z] = contact.normal;
        assert!(
            x.abs().max(y.abs()) < 5e-6 && z < -0.999_999,
            "{shape:?}: {contact:?}"
        );
        let expected = ground.expect("what touches the mesh touches the half-space");
        assert!(
            contact.separation >= expected.separation - 1e-4 || contact.is_inner,
            "{shape:?}: {contact:?}, {expected:?}"
        );
        assert!(
            contact.separation <= expected.separation + 0.12 + 1e-4,
            "{shape:?}: {contact:?}, {expected:?}"
        );
        inner += usize::from(contact.is_inner);
        seen += 1;
    }
    if let Some(expected) = ground.filter(|contact| contact.separation < -1e-3) {
        let deepest = found
            .without_inner(pairs, mesh)
            .map(|contact| contact.separation)
            .fold(f32::INFINITY, f32::min);
        assert!(
            (deepest - expected.separation).abs() < 1e-4,
            "{shape:?}: {deepest}, {expected:?}"
        );
    }
    [inner, seen]
}

/// On a tessellated plane every contact has the normal of a half-space, and its depth within both bands.
fn lies_as_on_a_half_space<A: OnGround + std::fmt::Debug + Copy>(name: &str) {
    let mut rng = rng(name);
    let mesh = grid(16, |_, _| 0.0);
    let (mut inner, mut seen) = (0, 0);
    for _ in 0..cases() / 25 {
        let at = [(); 2].map(|()| rng.random_range(-4.0..4.0f32));
        let at = if rng.random_bool(0.3) {
            at.map(f32::round)
        } else {
            at
        };
        let sunk = rng.random_range(-0.01..0.1);
        let shape = A::place(&mut rng, at, sunk);
        let (pairs, found) = contacts(shape, &mesh);
        let ground = contact_with_ground(shape);
        let [more_inner, more] = compare_with_ground(&shape, &found, &pairs, &mesh, ground);
        (inner, seen) = (inner + more_inner, seen + more);
    }
    println!("{name}: {inner} of {seen} contacts are inner");
    assert!(
        inner * 50 > seen,
        "{name}: too few inner contacts: {inner} of {seen}"
    );
}

#[test]
fn shapes_lie_on_a_tessellated_plane_as_on_a_half_space() {
    lies_as_on_a_half_space::<Sphere>("spheres on a plane of triangles");
    lies_as_on_a_half_space::<Capsule>("capsules on a plane of triangles");
    lies_as_on_a_half_space::<Obb>("boxes on a plane of triangles");
    lies_as_on_a_half_space::<Aabb>("AABBs on a plane of triangles");
}

/// Cubes with rounded edges: their exits from a triangle are found without portals.
#[test]
fn rounded_hulls_lie_on_a_tessellated_plane_as_on_a_half_space() {
    let mut rng = rng("rounded hulls on a plane of triangles");
    let mesh = grid(16, |_, _| 0.0);
    let ground = HalfSpaces::from_slice(&[HalfSpace::new([0.0, 0.0, 1.0], 0.0)]);
    let mut kinds = HullKinds::new();
    for radius in [0.0, 0.125, 0.5] {
        kinds.add_rounded(&cube(0.5).0, radius).unwrap();
    }
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    let (mut found, mut on_ground) = (Contacts::new(), Contacts::new());
    let (mut inner, mut seen) = (0, 0);
    for case in 0..cases() / 25 {
        let [x, y] = [(); 2].map(|()| rng.random_range(-4.0..4.0f32));
        let kind = case as u32 % 3;
        let sunk = rng.random_range(-0.01..0.1);
        // The lowest corner of a turned cube, and the radius.
        let rotation = rotation(&mut rng);
        let obb = Obb::new([0.0; 3], [0.5; 3], rotation);
        let down = reach_down(&obb) + kinds.radius(kind).unwrap();
        let hull = Hull::new(kind, [x, y, down - sunk], rotation);
        let hulls = Hulls::from_slice(&kinds, &[hull]).unwrap();
        detector
            .candidates(&hulls, &mesh, During::Start, &mut pairs)
            .unwrap();
        detector.contact(&hulls, &mesh, &pairs, &mut found).unwrap();
        detector
            .contact(&hulls, &ground, &[[0, 0]], &mut on_ground)
            .unwrap();
        let ground = on_ground.get(0);
        let [more_inner, more] = compare_with_ground(&hull, &found, &pairs, &mesh, ground);
        (inner, seen) = (inner + more_inner, seen + more);
    }
    println!("{inner} of {seen} contacts are inner");
    assert!(inner * 50 > seen, "{inner} of {seen}");
}

/// Over a ridge each normal is the normal of one of the planes, or between both.
#[test]
fn boxes_over_a_ridge_have_normals_of_its_arc() {
    let slope = 0.5f32;
    let mesh = grid(8, |x, _| -slope * x.abs());
    let side = (1.0 + slope * slope).sqrt().recip();
    let mut rng = rng("boxes over a ridge");
    let mut between = 0;
    for _ in 0..cases() / 50 {
        let at = [rng.random_range(-0.5..0.5f32), rng.random_range(-2.0..2.0)];
        let sunk = rng.random_range(0.0..0.1);
        let obb = Obb::place(&mut rng, at, sunk);
        let (_, found) = contacts(obb, &mesh);
        for contact in &found {
            let [x, y, z] = contact.normal;
            // Below the horizon, across the ridge, and no steeper than its slopes.
            assert!(y.abs() < 1e-5, "{obb:?}: {contact:?}");
            assert!(-z > side - 1e-5, "{obb:?}: {contact:?}");
            assert!(x.abs() <= slope * side + 1e-5, "{obb:?}: {contact:?}");
            between += usize::from(x.abs() < slope * side - 1e-3);
        }
    }
    println!("{between} normals lie between both planes");
    assert!(between > 0);
}

/// On the roof of a house every contact pushes up, also contacts with walls, and none is deeper than the contact with
/// the roof.
#[test]
fn shapes_on_a_roof_are_pushed_up_beside_its_edges() {
    let (vertices, indices) = cube(2.0);
    let house = Mesh::new(&vertices, &indices).unwrap();
    let mut rng = rng("shapes on a roof");
    let mut with_walls = 0;
    for _ in 0..(cases() / 25).max(2000) {
        // Over the roof.
        let place = [(); 2].map(|()| rng.random_range(-2.0..2.0f32));
        let sunk = rng.random_range(0.0..0.05);
        let mut capsule = Capsule::place(&mut rng, place, sunk);
        capsule.center[2] += 2.0;
        if rng.random_bool(0.5) {
            capsule.half_axis = [0.0; 3];
            capsule.center[2] = 2.0 + capsule.radius - sunk;
        }
        if capsule.half_axis[2] != 0.0 {
            continue;
        }
        let is_over = |sign: f32| {
            let end: [f32; 2] = [0, 1].map(|k| capsule.center[k] + sign * capsule.half_axis[k]);
            end.iter().all(|x| x.abs() < 2.0)
        };
        if !(is_over(-1.0) && is_over(1.0)) {
            continue;
        }
        let (_, found) = contacts(capsule, &house);
        for contact in &found {
            assert!(contact.depth() < sunk + 1e-3, "{capsule:?}: {contact:?}");
        }
        with_walls += usize::from(found.count() > 2);
    }
    println!("{with_walls} shapes touch walls");
    assert!(with_walls > 10);
}

/// In a valley each triangle pushes along its own normal.
#[test]
fn spheres_in_a_valley_are_pushed_by_both_slopes() {
    let mesh = grid(8, |x, _| 0.5 * x.abs());
    let normal = [0.5f32, 1.0].map(|x| x / 1.25f32.sqrt());
    for y in [0.0, 0.25, 0.5] {
        let (_, found) = contacts(
            Sphere {
                center: [0.0, y, 1.0],
                radius: 1.0,
            },
            &mesh,
        );
        assert!(found.count() >= 2);
        for contact in &found {
            let [x, y, z] = contact.normal;
            assert!(
                y.abs() < 1e-5 && (z + normal[1]).abs() < 1e-5,
                "{contact:?}"
            );
            assert!((x.abs() - normal[0]).abs() < 1e-5, "{contact:?}");
        }
    }
}

#[test]
fn borders_keep_their_normals_and_soups_have_no_inner_edges() {
    let mesh = grid(2, |_, _| 0.0);
    let beyond = Sphere {
        center: [1.6, 0.3, 0.8],
        radius: 1.001,
    };
    let (_, found) = contacts(beyond, &mesh);
    assert!(found.count() > 0);
    for contact in &found {
        assert!(!contact.is_inner);
        assert!((contact.normal[0] + 0.6).abs() < 1e-3, "{contact:?}");
    }
    // From below the contacts of a sheet are equal, and a store of triangles clamps nothing.
    let mut mesh = mesh;
    mesh.set_sides(Sides::Both);
    let over = Sphere {
        center: [0.0, 0.2, -0.9],
        radius: 1.0,
    };
    let (_, found) = contacts(over, &mesh);
    assert!(found.iter().any(|contact| contact.is_inner));
    assert!(found.iter().all(|contact| contact.normal[2] > 0.9999));
    let soup = mesh.triangles().iter().collect::<Store<Triangle>>();
    let spheres = Store::from_slice(&[over]);
    let (mut detector, mut pairs, mut slanted) = (Detector::new(), Vec::new(), Contacts::new());
    detector
        .candidates(&spheres, &soup, During::Start, &mut pairs)
        .unwrap();
    detector
        .contact(&spheres, &soup, &pairs, &mut slanted)
        .unwrap();
    assert_eq!(slanted.count(), found.count());
    assert!(slanted.iter().all(|contact| !contact.is_inner));
    assert!(slanted.iter().any(|contact| contact.normal[2] < 0.99));
}

/// Both orders of the stores, all instruction sets and all thread counts give the same contacts.
#[test]
fn clamped_contacts_have_one_answer() {
    let mesh = grid(16, |x, y| 0.2 * (x * 0.9).sin() * y.cos());
    let mut rng = rng("clamped contacts");
    let boxes: Vec<Obb> = (0..3000)
        .map(|_| {
            let at = [(); 2].map(|()| rng.random_range(-7.0..7.0f32));
            let sunk = rng.random_range(-0.1..0.2);
            Obb::place(&mut rng, at, sunk)
        })
        .collect();
    let store = Store::from_slice(&boxes);
    let mut pairs = Vec::new();
    let mut detector = Detector::new();
    detector
        .candidates(&store, &mesh, During::Start, &mut pairs)
        .unwrap();
    let mut expected = Contacts::new();
    let mut one_thread = Detector::new().parallel(false);
    one_thread
        .contact(&store, &mesh, &pairs, &mut expected)
        .unwrap();
    let inner = expected.iter().filter(|contact| contact.is_inner).count();
    assert!(inner > 100, "{inner}");
    let mut found = Contacts::new();
    for simd in phalanx::Simd::available() {
        for parallel in [false, true] {
            let mut detector = Detector::new().simd(simd).parallel(parallel);
            for _ in 0..3 {
                detector.contact(&store, &mesh, &pairs, &mut found).unwrap();
                assert_eq!(found, expected, "{simd}");
            }
        }
    }
    let reversed: Vec<Pair> = pairs.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    detector
        .contact(&mesh, &store, &reversed, &mut found)
        .unwrap();
    for (there, back) in expected.iter().zip(&found) {
        assert_eq!(there.normal, back.normal.map(|x| -x + 0.0));
        assert_eq!(there.is_inner, back.is_inner);
        assert_eq!(there.points(), back.points());
    }
}

/// Removes the velocity into each contact and moves out by half of the largest depth.
fn resolve(velocity: &mut [f32; 3], contacts: impl Iterator<Item = Contact>) -> [f32; 3] {
    let mut push = ([0.0f32; 3], 0.0f32);
    for contact in contacts {
        let into: f32 = (0..3).map(|k| velocity[k] * contact.normal[k]).sum();
        for (v, n) in velocity.iter_mut().zip(contact.normal) {
            *v -= into.max(0.0) * n;
        }
        if contact.depth() > push.1 {
            push = (
                contact.normal.map(|n| -0.5 * contact.depth() * n),
                contact.depth(),
            );
        }
    }
    push.0
}

/// Slides over the mesh and over a half-space side by side, under gravity and without friction.
fn slides<A: OnGround + Sample>(name: &str, start: A) {
    let mesh = grid(40, |_, _| 0.0);
    let (mut shapes, mut places) = ([start; 2], [[0.0f64; 3]; 2]);
    let mut velocities = [[0.9f32, 0.37, 0.0]; 2];
    let dt = 1.0 / 240.0;
    for frame in 0..10_000 {
        // Reverses the velocity, so that the shape stays on the mesh.
        if frame % 2000 == 1999 {
            velocities = velocities.map(|v| [-v[0], -v[1], v[2]]);
        }
        let pushes = [0, 1].map(|k| {
            let velocity = &mut velocities[k];
            velocity[2] -= 9.81 * dt;
            if k == 0 {
                // With and without the contacts that a neighbour replaces.
                let (pairs, found) = contacts(shapes[0], &mesh);
                if frame % 2 == 0 {
                    resolve(velocity, found.iter())
                } else {
                    resolve(velocity, found.without_inner(&pairs, &mesh))
                }
            } else {
                resolve(velocity, contact_with_ground(shapes[1]).into_iter())
            }
        });
        for k in 0..2 {
            let step: [f32; 3] = std::array::from_fn(|i| velocities[k][i] * dt + pushes[k][i]);
            shapes[k] = shapes[k].moved(step);
            places[k] = std::array::from_fn(|i| places[k][i] + f64::from(step[i]));
        }
        let [x, y, _] = velocities[0].map(f32::abs);
        assert!(
            (x - 0.9).abs().max((y - 0.37).abs()) < 1e-3,
            "{name}, frame {frame}: bumped, {velocities:?}"
        );
        let apart = (0..3).map(|i| (places[0][i] - places[1][i]).abs());
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < 5e-3, "{name}, frame {frame}: {apart} m apart");
    }
}

#[test]
fn shapes_slide_over_a_tessellated_plane_as_over_a_half_space() {
    slides(
        "sphere",
        Sphere {
            center: [0.1, 0.2, 0.5],
            radius: 0.5,
        },
    );
    slides(
        "capsule",
        Capsule {
            center: [0.1, 0.2, 0.3],
            half_axis: [0.8, 0.3, 0.0],
            radius: 0.3,
        },
    );
    slides(
        "box",
        Obb {
            center: [0.1, 0.2, 0.25],
            half_extents: [0.7, 0.4, 0.25],
            rotation: [0.0, 0.0, 0.247_404, 0.968_912_4],
        },
    );
}

/// A slab of 2 × 0.03 × 2 in free fall stays above a quad, in any pose (rapier#524).
#[test]
fn thin_slab_never_falls_through_a_quad() {
    let quad = Mesh::new(
        &[[-5., -5., 0.], [5., -5., 0.], [5., 5., 0.], [-5., 5., 0.]],
        &[[0, 1, 2], [0, 2, 3]],
    )
    .unwrap();
    let mut rng = rng("a slab on a quad");
    for drop in 0..60 {
        let half = rng.random_range(-3.0..3.0f32);
        let mut slab = Obb {
            center: [
                rng.random_range(-3.0..3.0),
                rng.random_range(-3.0..3.0),
                2.0,
            ],
            half_extents: [1.0, 1.0, 0.015],
            rotation: [0., 0., half.sin(), half.cos()],
        };
        let mut velocity = [
            rng.random_range(-1.0..1.0),
            rng.random_range(-1.0..1.0),
            0f32,
        ];
        let (mut detector, mut pairs) = (Detector::new(), Vec::new());
        let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
        for frame in 0..240 {
            velocity[2] -= 9.81 / 60.0;
            let step = velocity.map(|x| x / 60.0);
            let mut store = Store::new();
            store.push_moving(slab, step);
            detector
                .candidates(&store, &quad, During::Frame, &mut pairs)
                .unwrap();
            detector
                .sweep_contacts(&store, &quad, &pairs, &mut sweeps, &mut contacts)
                .unwrap();
            // Moves up to the first contact and then along it; pushed out by its depth.
            let mut time = 1.0f32;
            let mut push = 0.0f32;
            for contact in &contacts {
                assert!(contact.normal[2] < -0.999, "drop {drop}: {contact:?}");
                time = time.min(sweeps.get(contact.position).expect("a hit").enter);
                push = push.max(contact.depth());
            }
            let touches = contacts.count() > 0;
            let [x, y, z] = step;
            let by = [x, y, z * time + push];
            slab.center = std::array::from_fn(|k| slab.center[k] + by[k]);
            if touches {
                velocity[2] = 0.0;
            }
            let above = slab.center[2];
            assert!(above > 0.0, "drop {drop}, frame {frame}: {above}");
        }
        let lies = slab.center[2];
        assert!((0.014..0.02).contains(&lies), "drop {drop}: lies at {lies}");
    }
}

/// A cone of `n` triangles around a corner, whose rim goes up and down.
fn cone(n: u32, rng: &mut StdRng) -> Mesh {
    let mut vertices = vec![[0.0, 0.0, if n.is_multiple_of(2) { 0.6 } else { -0.6 }]];
    vertices.extend((0..n).map(|k| {
        let turn = core::f32::consts::TAU * k as f32 / n as f32;
        [
            3.0 * turn.cos(),
            3.0 * turn.sin(),
            rng.random_range(-0.2..0.2),
        ]
    }));
    let triangles: Vec<_> = (0..n).map(|k| [0, 1 + k, 1 + (k + 1) % n]).collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// Rings cached by a call do not change results, for any number of triangles around a corner.
/// Compares the contacts of a list with those of each of its pairs alone. Returns the number of inner ones.
fn equal_those_of_each_pair<A: Collide<Triangle> + Bounded>(
    shapes: &Store<A>,
    mesh: &Mesh,
) -> usize {
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    let (mut all, mut one) = (Contacts::new(), Contacts::new());
    detector
        .candidates(shapes, mesh, During::Start, &mut pairs)
        .unwrap();
    detector.contact(shapes, mesh, &pairs, &mut all).unwrap();
    for contact in &all {
        let pair = [pairs[contact.position]];
        detector.contact(shapes, mesh, &pair, &mut one).unwrap();
        let mut one = one.get(0).unwrap();
        one.position = contact.position;
        assert_eq!(contact, one, "{pair:?}");
    }
    all.iter().filter(|contact| contact.is_inner).count()
}

#[test]
fn contacts_of_a_list_equal_those_of_each_pair() {
    let mut rng = rng("list and pairs");
    let heights: Vec<f32> = (0..81).map(|_| rng.random_range(-0.3..0.3)).collect();
    let mut meshes: Vec<_> = [3, 6, 8, 15, 16, 17, 40, 63, 64, 65]
        .map(|n| cone(n, &mut rng))
        .into();
    meshes.push(grid(8, |x, y| {
        heights[((y + 4.0) * 9.0 + x + 4.0) as usize]
    }));
    for mesh in &meshes {
        let boxes: Store<Obb> = (0..60)
            .map(|_| {
                let [x, y, z] = [1.0, 1.0, 0.5].map(|most| rng.random_range(-most..most));
                let half_extents = [(); 3].map(|()| rng.random_range(0.1..1.0));
                Obb {
                    center: [x, y, z],
                    half_extents,
                    rotation: rotation(&mut rng),
                }
            })
            .collect();
        assert!(equal_those_of_each_pair(&boxes, mesh) > 20);
    }
}

/// Over the vertices of a regular grid, edges rise alike, whichever triangle a walk around the vertex began with.
#[test]
fn ties_of_edges_do_not_depend_on_the_list() {
    let flat = grid(8, |_, _| 0.0);
    let mut spheres = Store::new();
    for k in 0..2000u32 {
        let [i, j] = [k % 5, k / 5 % 5].map(|k| k as f32 - 2.0);
        let off = 0.001 * (1 + k / 25 % 80) as f32;
        let [x, y] = [
            [off, 0.0],
            [0.0, off],
            [off, off],
            [-off, 0.0],
            [-off, -off],
        ][k as usize % 5];
        let height = 0.7 + 0.002 * (k % 79) as f32;
        spheres.push(Sphere::new([i + x, j + y, height], 0.9));
    }
    equal_those_of_each_pair(&spheres, &flat);
}

/// A sphere whose center is behind a wall, by little, on a floor that it touches by less.
#[test]
fn sphere_just_behind_a_wall_keeps_its_contact() {
    let vertices = [
        [-2., -2., 0.],
        [2., -2., 0.],
        [2., 2., 0.],
        [-2., 2., 0.],
        [0., -3., -1.],
        [0., 3., -1.],
        [0., 3., 3.],
        [0., -3., 3.],
    ];
    let triangles = [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]];
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    assert!(mesh.normal(2).unwrap()[0] > 0.99);
    let (mut detector, mut pairs, mut found) = (Detector::new(), Vec::new(), Contacts::new());
    let spheres = Store::from_slice(&[Sphere::new([-0.01, 0.3, 0.4999], 0.5)]);
    detector
        .candidates(&spheres, &mesh, During::Start, &mut pairs)
        .unwrap();
    detector
        .contact(&spheres, &mesh, &pairs, &mut found)
        .unwrap();
    let needed = found.without_inner(&pairs, &mesh);
    assert!(needed.into_iter().any(|contact| contact.normal[0] < -0.99));
}

/// A triangle that falls on a mesh, or is met by one that rises, the mesh first.
#[test]
fn meshes_that_come_first_push_what_meets_them() {
    for sides in [Sides::Front, Sides::Both] {
        for rises in [false, true] {
            let mut mesh = grid(4, |_, _| 0.0);
            mesh.set_sides(sides);
            let corners = [[0.3, 0.2, 5.0], [1.0, 0.3, 5.5], [0.4, 1.0, 5.4]];
            let mut falling = Store::new();
            falling.push_moving(
                Triangle { corners },
                [0.0, 0.0, if rises { 0.0 } else { -6.0 }],
            );
            mesh.set_displacement([0.0, 0.0, if rises { 6.0 } else { 0.0 }]);
            let (mut detector, mut pairs) = (Detector::new(), Vec::new());
            let (mut sweeps, mut found) = (Sweeps::new(), Contacts::new());
            detector
                .candidates(&mesh, &falling, During::Frame, &mut pairs)
                .unwrap();
            detector
                .sweep_contacts(&mesh, &falling, &pairs, &mut sweeps, &mut found)
                .unwrap();
            assert!(found.count() > 0);
            for contact in &found {
                assert!(contact.normal[2] > 0.999, "{sides:?}, {rises}: {contact:?}");
            }
        }
    }
}

/// Contacts of a sphere with a mesh, with a margin.
fn near(sphere: Sphere, mesh: &Mesh, margin: f32) -> Vec<Contact> {
    let store = Store::from_slice(&[sphere]);
    let (mut pairs, mut found) = (Vec::new(), Contacts::new());
    let mut detector = Detector::new().margin(margin).unwrap();
    detector
        .candidates(&store, mesh, During::Start, &mut pairs)
        .unwrap();
    detector.contact(&store, mesh, &pairs, &mut found).unwrap();
    found.iter().collect()
}

/// A wall, and the narrow underside of a solid at its foot.
#[test]
fn sphere_at_a_wall_is_not_pushed_up_from_below() {
    let vertices = [
        [0., -4., 0.],
        [0., 4., 0.],
        [0.1, 0., 0.],
        [4., -4., 0.],
        [4., 4., 0.],
        [0., -4., 4.],
        [0., 4., 4.],
    ];
    let triangles = [
        [0, 1, 2],
        [1, 4, 2],
        [4, 3, 2],
        [3, 0, 2],
        [0, 5, 6],
        [0, 6, 1],
    ];
    let solid = Mesh::new(&vertices, &triangles).unwrap();
    let found = near(Sphere::new([-0.9, 0.3, 0.05], 1.0), &solid, 0.0);
    assert!(!found.is_empty());
    for contact in found {
        assert!(contact.normal[0] > 0.999, "{contact:?}");
        assert!(contact.depth() < 0.1 + 1e-3, "{contact:?}");
    }
}

/// A road, a riser of ten rows and a pavement.
#[test]
fn sphere_at_a_kerb_is_as_deep_as_its_edge() {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut rail = |x: f32, z: f32| {
        vertices.extend([[x, -4.0, z], [x, 4.0, z]]);
        let k = vertices.len() as u32;
        if k > 2 {
            triangles.extend([[k - 4, k - 2, k - 3], [k - 2, k - 1, k - 3]]);
        }
    };
    rail(-4.0, 0.0);
    (0..=10).for_each(|row| rail(0.0, 0.01 * row as f32));
    rail(4.0, 0.1);
    let kerb = Mesh::new(&vertices, &triangles).unwrap();
    assert!(kerb.normal(0).unwrap()[2] > 0.99);
    let found = near(Sphere::new([-0.4, 0.3, 1.0], 1.0), &kerb, 0.0);
    assert!(found.len() > 1);
    for contact in found {
        assert!(contact.depth() < 0.0155, "{contact:?}");
    }
}

/// The edge of a plate with long thin triangles.
#[test]
fn sphere_over_a_plate_is_not_pushed_along_it() {
    let vertices = [
        [0., 0., 0.],
        [-12., 0., 0.],
        [12., 0., 0.],
        [0., 0., -4.],
        [-12., -1., 0.],
        [-12., -6., 0.],
        [-12., -12., 0.],
        [12., -12., 0.],
    ];
    let triangles = [
        [0, 1, 4],
        [0, 4, 5],
        [0, 5, 6],
        [0, 6, 7],
        [0, 7, 2],
        [1, 0, 3],
        [0, 2, 3],
    ];
    let plate = Mesh::new(&vertices, &triangles).unwrap();
    let found = near(Sphere::new([0.35, -0.65, 0.52], 1.0), &plate, 0.0);
    assert!(found.len() > 1);
    for contact in found {
        assert!(contact.depth() < 0.48 + 1e-3, "{contact:?}");
    }
    // One that hovers is not said to touch.
    let found = near(Sphere::new([0.05, -0.15, 0.105], 0.1), &plate, 0.1);
    assert!(found.len() > 1);
    for contact in found {
        assert!((0.0..0.2).contains(&contact.separation), "{contact:?}");
    }
}

/// A triangle without area beside another has no normal that could be taken, and a sliver in a floor none that matters.
#[test]
fn slivers_have_no_say() {
    // The middle vertex of an edge is off it by less than is left at y = 100.
    let vertices = [
        [-1., 0., 0.],
        [0., 1e-8, 0.],
        [1., 0., 0.],
        [0., -2., 0.],
        [0., 2., 0.],
    ];
    let triangles = [[0, 2, 1], [0, 3, 2], [0, 1, 4], [1, 2, 4]];
    let at_rest = Mesh::new(&vertices, &triangles).unwrap();
    let mut mesh = at_rest.clone();
    mesh.place(&at_rest, [0.0, 100.0, 0.0], [0.0, 0.0, 0.0, 1.0])
        .unwrap();
    // Without an area it is an edge of its own.
    for (mesh, y, least) in [(&at_rest, 0.0, 0.9999), (&mesh, 100.0, 0.85)] {
        for [x, off] in [[0.1, 0.02], [-0.4, -0.03], [0.0, 0.0], [0.3, 0.2]] {
            for margin in [0.0, 0.2] {
                let sphere = Sphere::new([x, y + off, 0.45 + margin], 0.5);
                for contact in near(sphere, mesh, margin) {
                    assert!(contact.normal[2] < -least, "{sphere:?}: {contact:?}");
                    let depth = 0.05 - margin;
                    assert!(
                        contact.depth() < depth.max(0.0) + 1e-4,
                        "{sphere:?}: {contact:?}"
                    );
                }
            }
        }
        let cube = Aabb::from_center_half_extents([0.1, y + 0.3, 0.2], [0.25; 3]);
        let (_, found) = contacts(cube, mesh);
        assert!(found.count() > 1);
        for contact in &found {
            assert!(contact.normal[2] < -least, "{contact:?}");
            assert!((contact.depth() - 0.05).abs() < 1e-4, "{contact:?}");
        }
    }
}

/// Beside a sharp ridge nothing is pushed through the front.
#[test]
fn sharp_ridges_push_outwards() {
    let ridge = Mesh::new(
        &[
            [0., -2., 0.],
            [0., 2., 0.],
            [-2., 0., -0.3],
            [-2., 0., -1.2],
        ],
        &[[0, 1, 2], [1, 0, 3]],
    )
    .unwrap();
    let mut rng = rng("a sharp ridge");
    for _ in 0..2000 {
        let along = rng.random_range(0.0..core::f32::consts::TAU);
        let (far, y) = (rng.random_range(0.3..0.999), rng.random_range(-1.0..1.0f32));
        let sphere = Sphere::new([far * along.cos(), y, far * along.sin()], 1.0);
        let store = Store::from_slice(&[sphere]);
        let (pairs, found) = contacts(sphere, &ridge);
        for contact in found.iter().filter(|contact| contact.is_inner) {
            let outward = contact.normal.map(|x| -x);
            let is_front = (0..2).any(|triangle| {
                let normal = ridge.normal(triangle).unwrap();
                (0..3).map(|k| (normal[k] - outward[k]).abs()).sum::<f32>() < 1e-5
            });
            assert!(
                is_front,
                "{store:?}, {:?}: {contact:?}",
                pairs[contact.position]
            );
        }
    }
}

/// Heights of a field over [0, 12]², with alternating diagonals.
fn field(rng: &mut StdRng, height: Height) -> Mesh {
    let vertices: Vec<[f32; 3]> = (0..13 * 13)
        .map(|k| {
            let (x, y) = ((k % 13) as f32, (k / 13) as f32);
            [x, y, height(x, rng.random_range(-1.0..1.0))]
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..12 * 12)
        .flat_map(|k| {
            let a = k / 12 * 13 + k % 12;
            let (b, c, d) = (a + 1, a + 13, a + 14);
            if rng.random_bool(0.5) {
                [[a, b, d], [a, d, c]]
            } else {
                [[a, b, c], [b, d, c]]
            }
        })
        .collect();
    Mesh::new(&vertices, &triangles).unwrap()
}

/// Counts of contacts that a solver could not use.
#[derive(Debug, Default)]
struct Unusable {
    contacts: usize,
    /// Pushed downwards.
    down: usize,
    /// Deeper than half as much again as the shape was lowered, and a millimetre.
    deep: usize,
    /// The deepest, in depths that shapes were lowered by.
    worst: f32,
}

/// Lowers shapes onto a mesh until they touch, and then by `lift`: lifting frees them, so contacts push up by about as much.
fn lowered<T>(
    mesh: &Mesh,
    count: usize,
    lift: f32,
    store_at: impl Fn(&[f32]) -> T,
    unusable: &mut Unusable,
) where
    T: Shapes<Shape: Collide<Triangle> + Sweep<Triangle> + Bounded>,
{
    let (mut detector, mut first) = (Detector::new(), FirstHits::new());
    let falling = store_at(&vec![8.0; count]);
    detector.first_hits(&falling, mesh, &mut first).unwrap();
    let heights: Vec<f32> = (0..count)
        .map(|k| 8.0 - 14.0 * first.enter()[k] - lift)
        .collect();
    assert!(heights.iter().all(|height| height.is_finite()));
    let (placed, mut pairs, mut found) = (store_at(&heights), Vec::new(), Contacts::new());
    detector
        .candidates(&placed, mesh, During::Start, &mut pairs)
        .unwrap();
    detector.contact(&placed, mesh, &pairs, &mut found).unwrap();
    let mut touches = vec![false; count];
    for contact in &found {
        touches[pairs[contact.position].a as usize] = true;
        unusable.contacts += 1;
        unusable.down += usize::from(contact.normal[2] > 1e-3);
        unusable.deep += usize::from(contact.depth() > 1.5 * lift + 1e-3);
        unusable.worst = unusable.worst.max(contact.depth() / lift);
    }
    assert!(touches.iter().all(|touches| *touches));
}

/// Height at x, given a random number from −1 to 1.
type Height = fn(f32, f32) -> f32;

const GROUNDS: [(&str, Height); 5] = [
    ("plane", |_, _| 0.0),
    ("gentle", |_, random| 0.15 * random),
    ("rugged", |_, random| 0.6 * random),
    ("roof", |x, _| -0.8 * (x - 6.0).abs()),
    ("gutter", |x, _| 0.8 * (x - 6.0).abs()),
];

fn are_usable<T>(kind: &str, make: impl Fn(&mut StdRng, [f32; 2], f32) -> T::Shape)
where
    T: Shapes + From<Store<T::Shape>>,
    T::Shape: Collide<Triangle> + Sweep<Triangle> + Bounded + Copy,
{
    let count = (cases() / 40).max(400);
    for (name, height) in GROUNDS {
        for lift in [0.002, 0.02, 0.08] {
            let mut rng = rng(&format!("{kind} on {name} by {lift}"));
            let mut unusable = Unusable::default();
            for _ in 0..3 {
                let mesh = field(&mut rng, height);
                let shapes: Vec<(u64, [f32; 2])> = (0..count)
                    .map(|_| {
                        let at = [(); 2].map(|()| rng.random_range(3.5..8.5));
                        (rng.random(), at)
                    })
                    .collect();
                let store_at = |heights: &[f32]| {
                    let mut store = Store::new();
                    for (&(seed, at), &height) in shapes.iter().zip(heights) {
                        let mut rng = rand::SeedableRng::seed_from_u64(seed);
                        store.push_moving(make(&mut rng, at, height), [0.0, 0.0, -14.0]);
                    }
                    T::from(store)
                };
                lowered(&mesh, count, lift, store_at, &mut unusable);
            }
            let Unusable {
                contacts,
                down,
                deep,
                worst,
            } = unusable;
            println!("{kind} on {name} by {lift}: {unusable:?}");
            assert!(
                down <= contacts / 2000 && deep <= contacts / 400 && worst <= 4.0,
                "{kind} on {name} by {lift}: {unusable:?}"
            );
        }
    }
}

#[test]
fn contacts_of_lowered_shapes_lift_them() {
    are_usable::<Store<Sphere>>("spheres", |rng, [x, y], z| {
        Sphere::new([x, y, z], rng.random_range(0.15..0.5))
    });
    are_usable::<Store<Obb>>("boxes", |rng, [x, y], z| {
        let half = [(); 3].map(|()| rng.random_range(0.15..0.5));
        Obb::new([x, y, z], half, rotation(rng))
    });
    are_usable::<Store<Aabb>>("AABBs", |rng, [x, y], z| {
        let half = [(); 3].map(|()| rng.random_range(0.15..0.5));
        Aabb::from_center_half_extents([x, y, z], half)
    });
    are_usable::<Store<Capsule>>("capsules", |rng, [x, y], z| {
        let axis = [(); 3].map(|()| rng.random_range(-0.4..0.4));
        Capsule::new([x, y, z], axis, rng.random_range(0.1..0.3))
    });
}

/// A closed mesh as scanners make them: a thin, bumpy leaf of about 4,000 triangles, 2 m long.
fn leaf(rng: &mut StdRng) -> Mesh {
    let (around, rows) = (64u32, 32u32);
    let mut vertices = vec![[0.0, 0.0, 0.06], [0.0, 0.0, -0.06]];
    for row in 1..rows {
        let (sin, cos) = (row as f32 / rows as f32 * core::f32::consts::PI).sin_cos();
        for k in 0..around {
            let (y, x) = (k as f32 / around as f32 * core::f32::consts::TAU).sin_cos();
            let bump = rng.random_range(0.99..1.01f32);
            vertices.push([x * sin * bump, y * sin * bump, cos * bump * 0.06]);
        }
    }
    let at = |row: u32, k: u32| 2 + (row - 1) * around + k % around;
    let mut triangles = Vec::new();
    for k in 0..around {
        triangles.push([0, at(1, k), at(1, k + 1)]);
        triangles.push([1, at(rows - 1, k + 1), at(rows - 1, k)]);
        for row in 1..rows - 1 {
            let (p, q) = (at(row, k), at(row + 1, k));
            let (r, s) = (at(row, k + 1), at(row + 1, k + 1));
            triangles.extend([[p, q, s], [p, s, r]]);
        }
    }
    Mesh::new(&vertices, &triangles).unwrap()
}

/// What is left for a solver is no deeper than the sphere is in the mesh: its radius less the distance of its center.
#[test]
fn needed_contacts_of_spheres_are_as_deep_as_the_spheres() {
    let mut rng = rng("spheres on a leaf");
    let mesh = leaf(&mut rng);
    let (mut spheres, mut points, mut radii) = (Store::new(), Store::new(), Vec::new());
    for _ in 0..cases() / 10 {
        let triangle = rng.random_range(0..mesh.len() as u32);
        let normal = mesh.normal(triangle).unwrap();
        let [p, q, r] = mesh.get(triangle).unwrap().corners;
        let radius = rng.random_range(0.05..0.5f32);
        let height = radius * rng.random_range(0.9..0.97f32);
        let center = [0, 1, 2].map(|x| (p[x] + q[x] + r[x]) / 3.0 + normal[x] * height);
        spheres.push(Sphere::new(center, radius));
        points.push(phalanx::Point::new(center));
        radii.push(radius);
    }
    let (mut detector, mut pairs, mut found) = (Detector::new(), Vec::new(), Contacts::new());
    detector
        .candidates(&spheres, &mesh, During::Start, &mut pairs)
        .unwrap();
    detector
        .contact(&spheres, &mesh, &pairs, &mut found)
        .unwrap();
    let mut nearest = phalanx::Nearest::new();
    detector.nearest(&points, &mesh, 1.0, &mut nearest).unwrap();

    let deepest = |contacts: &mut dyn Iterator<Item = Contact>| {
        let mut deepest = vec![f32::NEG_INFINITY; radii.len()];
        for contact in contacts {
            let shape = pairs[contact.position].a as usize;
            deepest[shape] = deepest[shape].max(-contact.separation);
        }
        deepest
    };
    let exact: Vec<f32> = (radii.iter().zip(nearest.lower()))
        .map(|(radius, distance)| radius - distance)
        .collect();
    let too_deep = |deepest: &[f32]| {
        let all = deepest.iter().zip(&exact).zip(&radii);
        all.filter(|((said, exact), radius)| *said - *exact > 0.01 * *radius)
            .count()
    };
    let (all, needed) = (
        deepest(&mut found.iter()),
        deepest(&mut found.without_inner(&pairs, &mesh)),
    );
    println!(
        "too deep: {} of all, {} of needed",
        too_deep(&all),
        too_deep(&needed)
    );
    assert!(too_deep(&all) * 20 > radii.len(), "too easy");
    assert!(too_deep(&needed) <= 1 + radii.len() / 1000);
    // None is lost.
    for ((said, exact), radius) in needed.iter().zip(&exact).zip(&radii) {
        assert!(exact - said < 1e-3 * radius, "{said} instead of {exact}");
    }
}

/// A box of triangles, each face in `n` by `n` squares.
fn brick(half: [f32; 3], n: u32) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let at = |axis: usize, k: u32| half[axis] * (2.0 * k as f32 / n as f32 - 1.0);
    for (axis, end) in [(0, 0), (0, n), (1, 0), (1, n), (2, 0), (2, n)] {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let first = vertices.len() as u32;
        for k in 0..(n + 1) * (n + 1) {
            let mut vertex = [0.0; 3];
            vertex[axis] = at(axis, end);
            vertex[u] = at(u, k % (n + 1));
            vertex[v] = at(v, k / (n + 1));
            vertices.push(vertex);
        }
        for k in 0..n * n {
            let p = first + k / n * (n + 1) + k % n;
            let [q, r, s] = [p + 1, p + n + 2, p + n + 1];
            let [q, s] = if end == 0 { [s, q] } else { [q, s] };
            triangles.extend([[p, q, r], [p, r, s]]);
        }
    }
    Mesh::new(&vertices, &triangles).unwrap()
}

/// A torus around z.
fn torus(radius: f32, tube: f32) -> Mesh {
    let (around, across) = (48u32, 24u32);
    let turn = |k: u32, n: u32| (k as f32 / n as f32 * core::f32::consts::TAU).sin_cos();
    let vertices: Vec<_> = (0..around * across)
        .map(|k| {
            let ((y, x), (z, w)) = (turn(k / across, around), turn(k % across, across));
            let out = radius + tube * w;
            [x * out, y * out, z * tube]
        })
        .collect();
    let at = |i: u32, j: u32| i % around * across + j % across;
    let squares = (0..around * across).flat_map(|k| {
        let (i, j) = (k / across, k % across);
        let (p, q, r, s) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
        [[p, q, r], [p, r, s]]
    });
    Mesh::new(&vertices, &squares.collect::<Vec<_>>()).unwrap()
}

/// On a box of twelve triangles, each of which has its corners on the rim: no shape on its top is pushed aside.
fn is_pushed_up<A: OnGround + std::fmt::Debug + Copy>(name: &str) {
    let mut rng = rng(name);
    let (mut vertices, triangles) = cube(8.0);
    vertices.iter_mut().for_each(|vertex| vertex[2] -= 8.0);
    let floor = Mesh::new(&vertices, &triangles).unwrap();
    let mut inner = 0;
    for _ in 0..cases() / 25 {
        let at = [(); 2].map(|()| rng.random_range(-4.0..4.0f32));
        let sunk = 10f32.powf(rng.random_range(-3.0..-1.0));
        let shape = A::place(&mut rng, at, sunk);
        let (_, found) = contacts(shape, &floor);
        assert!(found.count() > 0, "{shape:?}");
        for contact in &found {
            assert!(contact.normal[2] < -0.999, "{shape:?}: {contact:?}");
            assert!(contact.depth() < sunk + 1e-3, "{shape:?}: {contact:?}");
            inner += usize::from(contact.is_inner);
        }
    }
    assert!(inner > 0);
}

#[test]
fn shapes_on_a_box_are_not_pushed_along_it() {
    is_pushed_up::<Sphere>("spheres on a box of triangles");
    is_pushed_up::<Capsule>("capsules on a box of triangles");
    is_pushed_up::<Obb>("boxes on a box of triangles");
    is_pushed_up::<Aabb>("AABBs on a box of triangles");
}

/// The contacts of two meshes.
fn contacts_of_meshes(a: &Mesh, b: &Mesh) -> Vec<Contact> {
    let (mut detector, mut pairs, mut found) = (Detector::new(), Vec::new(), Contacts::new());
    detector
        .candidates(a, b, During::Start, &mut pairs)
        .unwrap();
    detector.contact(a, b, &pairs, &mut found).unwrap();
    found.iter().collect()
}

/// `mesh` at a place, turned about z.
fn placed(mesh: &Mesh, position: [f32; 3], turn: f32) -> Mesh {
    let mut placed = mesh.clone();
    let rotation = [0.0, 0.0, (turn / 2.0).sin(), (turn / 2.0).cos()];
    placed.place(mesh, position, rotation).unwrap();
    placed
}

#[test]
fn box_of_triangles_lies_on_another() {
    let mut rng = rng("boxes of triangles");
    let (ground, box_) = (brick([2.0, 2.0, 0.5], 4), brick([0.5; 3], 3));
    for _ in 0..cases() / 200 {
        let sunk = rng.random_range(0.001..0.02f32);
        let [x, y] = [(); 2].map(|()| rng.random_range(-1.2..1.2f32));
        let turn = rng.random_range(0.0..3.0);
        let lies = |height: f32| placed(&box_, [x, y, 1.0 + height], turn);
        for is_first in [true, false] {
            let found = match is_first {
                true => contacts_of_meshes(&lies(-sunk), &ground),
                false => contacts_of_meshes(&ground, &lies(-sunk)),
            };
            let down = if is_first { -1.0 } else { 1.0 };
            let mut deepest = 0.0f32;
            for contact in &found {
                assert!(
                    contact.normal[2] * down > 0.999,
                    "{is_first}, {sunk}: {contact:?}"
                );
                assert!(
                    contact.depth() < sunk + 1e-5,
                    "{is_first}, {sunk}: {contact:?}"
                );
                deepest = deepest.max(contact.depth());
            }
            assert!(deepest > sunk - 1e-5, "{deepest} of {sunk}");
        }
        assert!(contacts_of_meshes(&lies(1e-3), &ground).is_empty());
    }
}

#[test]
fn tori_push_each_other_along_the_line_of_their_centers() {
    let mut rng = rng("tori");
    let mesh = torus(1.0, 0.3);
    for _ in 0..cases() / 200 {
        let overlap = rng.random_range(0.005..0.03f32);
        let turns = [(); 2].map(|()| rng.random_range(0.0..6.0f32));
        let raised = rng.random_range(-0.02..0.02f32);
        let one = placed(&mesh, [0.0; 3], turns[0]);
        let beside = |x: f32| placed(&mesh, [2.6 - x, 0.0, raised], turns[1]);
        let found = contacts_of_meshes(&one, &beside(overlap));
        for contact in &found {
            assert!(contact.normal[0] > 0.8, "{overlap}: {contact:?}");
            assert!(contact.depth() < 1.5 * overlap, "{overlap}: {contact:?}");
        }
        // Each push frees what crosses; what was inside may cross then.
        let mut left = overlap;
        for _ in 0..20 {
            let found = contacts_of_meshes(&one, &beside(left));
            left -= found.iter().map(Contact::depth).fold(0.0, f32::max);
        }
        let found = contacts_of_meshes(&one, &beside(left));
        assert!(
            found.iter().all(|contact| contact.depth() < 1e-4),
            "{found:?}"
        );
        assert!(left > -0.2 * overlap, "{left} of {overlap}");
    }
}

/// A capsule rolls over a straight edge of a kerb, a little beside a vertex on it. The triangles that end there touch it with that vertex.
#[test]
fn kerbs_are_no_walls_beside_their_vertices() {
    let vertices = [
        [0., -1., 0.],
        [0., 0., 0.],
        [0., 1., 0.],
        [-1., -1., 0.],
        [-1., 1., 0.],
        [0., -1., -1.],
        [0., 1., -1.],
        [-1., 0., 0.],
        [0., 0., -1.],
    ];
    let triangles = [
        [3, 0, 7],
        [0, 1, 7],
        [7, 1, 4],
        [1, 2, 4],
        [0, 5, 1],
        [5, 8, 1],
        [1, 8, 2],
        [8, 6, 2],
    ];
    let kerb = Mesh::new(&vertices, &triangles).unwrap();
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    let (mut sweeps, mut found) = (Sweeps::new(), Contacts::new());
    let mut inner = 0;
    for beside in [1e-4f32, 2e-4, 5e-4, 2e-3] {
        for k in 0..100 {
            let center = [0.22 + k as f32 * 1e-4, -beside, 0.81];
            let mut capsules = Store::new();
            capsules.push_moving(Capsule::new(center, [0., 0., 0.6], 0.3), [-0.05, 0., 0.]);
            detector
                .candidates(&capsules, &kerb, During::Frame, &mut pairs)
                .unwrap();
            detector
                .sweep_contacts(&capsules, &kerb, &pairs, &mut sweeps, &mut found)
                .unwrap();
            let times = sweeps.enter();
            let first = found.iter().map(|contact| times[contact.position]);
            let first = first.fold(f32::INFINITY, f32::min);
            for contact in &found {
                let is_first = times[contact.position] < first + 1e-4;
                let is_of_edge = contact.normal[2] < -0.6 && contact.normal[0] < -0.6;
                assert!(is_of_edge || !is_first, "{center:?}: {contact:?}");
                inner += usize::from(contact.is_inner && is_first);
            }
        }
    }
    assert!(inner > 100, "{inner}");
}

/// A contact replaces an inner one if it pushes as far, at a triangle with a common corner, whether a shape has few contacts or many.
#[test]
fn inner_contacts_are_replaced_by_those_around() {
    let mut rng = rng("replaced");
    let mesh = grid(24, |x, y| 0.3 * (1.7 * x).sin() + 0.3 * (2.3 * y).cos());
    let (mut few, mut many, mut replaced) = (0, 0, 0);
    for case in 0..40 {
        let reach = if case % 2 == 0 { 0.9 } else { 9.0 };
        let tilt: f32 = rng.random_range(-0.02..0.02);
        let center = [
            rng.random_range(-1.0..1.0),
            rng.random_range(-1.0..1.0),
            0.8,
        ];
        let rotation = [tilt.sin(), 0.0, 0.0, tilt.cos()];
        let (pairs, found) = contacts(Obb::new(center, [reach, reach, 0.6], rotation), &mesh);
        let all: Vec<Contact> = found.iter().collect();
        if all.iter().any(|contact| contact.separation >= 0.0) {
            continue;
        }
        let corners = |contact: &Contact| {
            let triangle = mesh.get(pairs[contact.position].b);
            triangle.unwrap().corners
        };
        let replaces = |other: &Contact, inner: &Contact| {
            let cosine: f32 = (0..3).map(|k| other.normal[k] * inner.normal[k]).sum();
            let has_common = corners(other).iter().any(|p| corners(inner).contains(p));
            let is_as_far = 0.0 < cosine && other.separation * cosine <= inner.separation;
            !other.is_inner && has_common && is_as_far
        };
        let is_needed =
            |contact: &&Contact| !contact.is_inner || !all.iter().any(|it| replaces(it, contact));
        let expected: Vec<usize> = all.iter().filter(is_needed).map(|it| it.position).collect();
        let needed = found.without_inner(&pairs, &mesh).map(|it| it.position);
        assert_eq!(needed.collect::<Vec<_>>(), expected, "case {case}");
        replaced += all.len() - expected.len();
        *(if all.len() > 64 { &mut many } else { &mut few }) += 1;
    }
    assert!(
        few > 5 && many > 5 && replaced > 20,
        "{few} {many} {replaced}"
    );
}
