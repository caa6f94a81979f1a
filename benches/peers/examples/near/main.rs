//! Errors of small shapes on large grounds, of rays of any length and of a scanner, beside parry3d.
//!
//! Usage: `cargo run --release -p phalanx-bench --example near`. Prints Markdown. The true values are those of the stored
//! numbers, in `f64`. Exits with 1 if an error of phalanx is above its target, or a range is late; `tests/how_near.rs` checks the side
//! of the other errors.

mod peers;

use std::process::ExitCode;

use parry3d_f64::math::{Matrix, Rotation, Vector};
use phalanx::{Aabb, Capsule, Mesh, Obb, Sphere, Triangle};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::peers::{Answers, F32, F64, Peer, Phalanx};

/// A shape, or the two triangles of a ground.
#[derive(Clone)]
enum Solid {
    Sphere(Sphere),
    Capsule(Capsule),
    Obb(Obb),
    Aabb(Aabb),
    Triangle(Triangle),
    Mesh(Box<Mesh>),
}

/// Size of the small things, in metres.
const SIZE: f64 = 0.05;
/// Half widths of the grounds.
const GROUNDS: [f32; 4] = [5.0, 50.0, 500.0, 5000.0];
const CASES: usize = 200;

fn main() -> ExitCode {
    println!(
        "phalanx {} on {}. Errors are the largest of {CASES} cases, in metres. In each cell: phalanx; parry3d in f32; in f64. \
         – is no answer in one case or more.\n",
        env!("CARGO_PKG_VERSION"),
        phalanx::Simd::best()
    );
    let mut is_near = grounds();
    is_near &= rays();
    is_near &= scanner();
    if is_near {
        ExitCode::SUCCESS
    } else {
        eprintln!("an answer of phalanx is not as near as promised");
        ExitCode::FAILURE
    }
}

fn f64s(x: [f32; 3]) -> Vector {
    Vector::from(x.map(f64::from))
}

fn f32s(x: Vector) -> [f32; 3] {
    x.to_array().map(|x| x as f32)
}

fn axes(rotation: [f32; 4]) -> [Vector; 3] {
    let [x, y, z, w] = rotation.map(f64::from);
    let matrix = Matrix::from_quat(Rotation::from_xyzw(x, y, z, w).normalize());
    [matrix.x_axis, matrix.y_axis, matrix.z_axis]
}

fn rotation(rng: &mut StdRng) -> [f32; 4] {
    loop {
        let q: [f64; 4] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        let q = Rotation::from_array(q);
        if (0.2..1.0).contains(&q.length()) {
            return q.normalize().to_array().map(|x| x as f32);
        }
    }
}

/// A ground, and the plane of the face that things are on.
struct Ground {
    solid: Solid,
    /// Unit normal, upwards, and a point of the face.
    up: Vector,
    place: Vector,
    /// Two directions in the face, as long as places may be off.
    along: [Vector; 2],
}

type GroundOf = fn(&mut StdRng, f32) -> Ground;

fn mesh_ground(rng: &mut StdRng, half: f32) -> Ground {
    let [x, _, z] = axes(rotation(rng)).map(|axis| axis * f64::from(half));
    let corners = [-x - z, -x + z, x + z, x - z].map(f32s);
    let [p, q, r, _] = corners.map(f64s);
    Ground {
        solid: Solid::Mesh(Box::new(
            Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap(),
        )),
        up: (q - p).cross(r - p).normalize(),
        place: (p + q + r) / 3.0,
        along: [(q - p) * 0.1, (r - q) * 0.1],
    }
}

fn obb_ground(rng: &mut StdRng, half: f32) -> Ground {
    let obb = Obb::new([0.25, -3.0, 1.5], [half, 0.5, half], rotation(rng));
    let [x, up, z] = axes(obb.rotation);
    Ground {
        solid: Solid::Obb(obb),
        up,
        place: f64s(obb.center) + up * 0.5,
        along: [x, z].map(|axis| axis * f64::from(half)),
    }
}

fn aabb_ground(_: &mut StdRng, half: f32) -> Ground {
    Ground {
        solid: Solid::Aabb(Aabb::new([-half, -1.0, -half], [half, 0.0, half])),
        up: Vector::Y,
        place: Vector::ZERO,
        along: [Vector::X, Vector::Z].map(|axis| axis * f64::from(half)),
    }
}

/// A shape of a size at the origin.
fn shape(name: &str, rng: &mut StdRng, size: f32) -> Solid {
    let [x, y, _] = axes(rotation(rng)).map(|axis| axis * f64::from(size));
    match name {
        "sphere" => Solid::Sphere(Sphere::new([0.0; 3], size)),
        "capsule" => Solid::Capsule(Capsule::new([0.0; 3], f32s(x), size)),
        "box" => {
            let half_extents = [size, 0.5 * size, 0.75 * size];
            Solid::Obb(Obb::new([0.0; 3], half_extents, rotation(rng)))
        }
        _ => Solid::Triangle(Triangle::new(f32s(x), f32s(y), f32s((x + y) * -0.75))),
    }
}

/// The shape moved from the origin, rounded.
fn at(solid: &Solid, place: Vector) -> Solid {
    let center = f32s(place);
    match *solid {
        Solid::Sphere(sphere) => Solid::Sphere(Sphere { center, ..sphere }),
        Solid::Capsule(capsule) => Solid::Capsule(Capsule { center, ..capsule }),
        Solid::Obb(obb) => Solid::Obb(Obb { center, ..obb }),
        Solid::Triangle(Triangle { corners }) => Solid::Triangle(Triangle {
            corners: corners.map(|corner| f32s(f64s(corner) + place)),
        }),
        Solid::Aabb(_) | Solid::Mesh(_) => unreachable!("grounds stay where they are"),
    }
}

/// The point of the shape that is furthest along a unit vector.
fn furthest(solid: &Solid, along: Vector) -> Vector {
    match solid {
        Solid::Sphere(sphere) => f64s(sphere.center) + along * f64::from(sphere.radius),
        Solid::Capsule(capsule) => {
            let half = f64s(capsule.half_axis);
            let end = f64s(capsule.center) + half * half.dot(along).signum();
            end + along * f64::from(capsule.radius)
        }
        Solid::Obb(obb) => {
            let sides = axes(obb.rotation).into_iter().zip(obb.half_extents);
            let out = sides.map(|(axis, half)| axis * axis.dot(along).signum() * f64::from(half));
            f64s(obb.center) + out.sum::<Vector>()
        }
        Solid::Triangle(triangle) => {
            let corners = triangle.corners.map(f64s).into_iter();
            let furthest = corners.max_by(|a, b| a.dot(along).total_cmp(&b.dot(along)));
            furthest.expect("a triangle has corners")
        }
        Solid::Aabb(_) | Solid::Mesh(_) => unreachable!("grounds have a plane"),
    }
}

/// The greatest coordinate of the shape along a unit vector.
fn reach(solid: &Solid, along: Vector) -> f64 {
    furthest(solid, along).dot(along)
}

/// Largest errors: of a depth, of a hit that is none, of a distance and of a stop.
type Errors = [f64; 4];

/// The errors of one library, in one case.
fn errors(
    peer: &mut dyn Peer,
    ground: &Ground,
    put: &dyn Fn(f64) -> (Solid, f64),
    gaps: [f64; 2],
) -> Errors {
    peer.target(&ground.solid);
    let mut ask = |above: f64, way: Vector| -> (Answers, f64) {
        let (solid, gap) = put(above);
        (peer.ask(&solid, f32s(way)), gap)
    };
    let (deep, gap) = ask(gaps[0], Vector::ZERO);
    let depth = deep
        .separation
        .map_or(f64::INFINITY, |found| (found - gap).abs());
    // The highest of those that touch.
    let mut ghost = 0.0f64;
    for k in -30..0 {
        let (answers, gap) = ask(SIZE * 2f64.powi(k), Vector::ZERO);
        if answers.touches && gap > 0.0 {
            ghost = ghost.max(gap);
        }
    }
    let (far, gap) = ask(gaps[1], Vector::ZERO);
    let distance = far.distance.map_or(f64::INFINITY, |[lower, upper]| {
        (gap - lower).abs().max((upper - gap).abs())
    });
    let way = f64s(f32s(ground.up * (-2.0 * gaps[1])));
    let (stopped, gap) = ask(gaps[1], way);
    let speed = -way.dot(ground.up);
    let stop = stopped
        .enter
        .map_or(f64::INFINITY, |enter| (gap - speed * enter).abs());
    [depth, ghost, distance, stop]
}

/// The errors of all libraries by column.
fn by_column(worst: [Errors; 3]) -> Vec<Vec<f64>> {
    (0..4)
        .map(|k| worst.iter().map(|worst| worst[k]).collect())
        .collect()
}

fn print_cells(cells: &[Vec<f64>]) {
    for cell in cells {
        let numbers: Vec<String> = cell
            .iter()
            .map(|&x| match x {
                0.0 => "0".into(),
                x if x.is_infinite() => "–".into(),
                x => format!("{x:.0e}"),
            })
            .collect();
        print!(" {} |", numbers.join("; "));
    }
    println!();
}

fn grounds() -> bool {
    println!(
        "| 5 cm | depth of 1 cm | highest hit that is none | distance of 1 m | where a fall of 1 m stops |"
    );
    println!("|---|--:|--:|--:|--:|");
    let kinds: [(&str, GroundOf); 3] = [
        ("2 triangles", mesh_ground),
        ("an OBB", obb_ground),
        ("an AABB", aabb_ground),
    ];
    let mut is_near = true;
    let mut of_all = [[[0.0f64; 4]; 3]; GROUNDS.len()];
    for (kind, ground_of) in kinds {
        for name in ["sphere", "capsule", "box"] {
            for (half, of_all) in GROUNDS.into_iter().zip(&mut of_all) {
                let mut rng = StdRng::seed_from_u64(49);
                let mut peers: [Box<dyn Peer>; 3] = [
                    Box::new(Phalanx::new()),
                    Box::new(F32::default()),
                    Box::new(F64::default()),
                ];
                let mut worst = [[0.0f64; 4]; 3];
                for _ in 0..CASES {
                    let ground = ground_of(&mut rng, half);
                    let solid = shape(name, &mut rng, SIZE as f32);
                    let mut place = ground.place;
                    for along in ground.along {
                        place += along * rng.random_range(-0.9..0.9);
                    }
                    let low = reach(&solid, -ground.up);
                    // Above the face by the true gap of the rounded center.
                    let put = |above: f64| {
                        let solid = at(&solid, place + ground.up * (above + low));
                        let height = ground.place.dot(ground.up);
                        let gap = -reach(&solid, -ground.up) - height;
                        (solid, gap)
                    };
                    for (worst, peer) in worst.iter_mut().zip(&mut peers) {
                        let found = errors(&mut **peer, &ground, &put, [-0.2 * SIZE, 20.0 * SIZE]);
                        for (worst, x) in worst.iter_mut().zip(found) {
                            *worst = worst.max(x);
                        }
                    }
                }
                let most = 1e-4 * SIZE + f64::from(half) * 2f64.powi(-23);
                is_near &= worst[0].iter().all(|&x| x <= most);
                for (of_all, worst) in of_all.iter_mut().zip(worst) {
                    for (of_all, x) in of_all.iter_mut().zip(worst) {
                        *of_all = of_all.max(x);
                    }
                }
                print!("| {name} on {kind} of {} m |", 2.0 * half);
                print_cells(&by_column(worst));
            }
        }
    }
    for (half, worst) in GROUNDS.into_iter().zip(of_all) {
        print!("| any on a ground of {} m |", 2.0 * half);
        print_cells(&by_column(worst));
    }
    println!();
    is_near
}

/// Greatest distance from a shape of 0.5 m at 10 m at which rays hit it.
fn rays() -> bool {
    println!("| a ray of | sphere | capsule | box | triangle |");
    println!("|---|--:|--:|--:|--:|");
    let mut is_near = true;
    for length in [1e2f64, 1e4, 1e6, 1e8] {
        let mut peers: [Box<dyn Peer>; 3] = [
            Box::new(Phalanx::new()),
            Box::new(F32::default()),
            Box::new(F64::default()),
        ];
        let mut worst = vec![vec![0.0f64; 3]; 4];
        let mut rng = StdRng::seed_from_u64(51);
        for k in 0..40 * 25 {
            let [along, aside, _] = axes(rotation(&mut rng));
            let way = f32s(along * length);
            let along = f64s(way).normalize();
            let aside = (aside - along * along.dot(aside)).normalize();
            let beside = 2f64.powi(k % 40 - 39);
            for (worst, name) in worst
                .iter_mut()
                .zip(["sphere", "capsule", "box", "triangle"])
            {
                let solid = shape(name, &mut rng, 0.5);
                // That point comes next to the ray.
                let nearest = furthest(&solid, -aside);
                let solid = at(&solid, along * 10.0 + aside * beside - nearest);
                // The distance from the ray is at least this.
                let gap = -reach(&solid, -aside);
                for (worst, peer) in worst.iter_mut().zip(&mut peers) {
                    peer.target(&solid);
                    if gap > 0.0 && peer.ray([0.0; 3], way).is_some() {
                        *worst = worst.max(gap);
                    }
                }
            }
        }
        is_near &= worst.iter().all(|cell| cell[0] <= 2e-5);
        print!("| {length:.0e} m |");
        print_cells(&worst);
    }
    println!();
    is_near
}

/// Ranges over hills of 500 000 triangles.
fn scanner() -> bool {
    const SIDE: u32 = 500;
    const RANGE: f64 = 120.0;
    let mut rng = StdRng::seed_from_u64(50);
    let vertices: Vec<[f32; 3]> = (0..=SIDE)
        .flat_map(|z| (0..=SIDE).map(move |x| (x as f32, z as f32)))
        .map(|(x, z)| {
            let hill = 2.0 * (x * 0.04).sin() * (z * 0.03).cos();
            let rough = rng.random_range(0.0..0.05);
            [0.2 * x - 50.0, hill + rough, 0.2 * z - 50.0]
        })
        .collect();
    let triangles: Vec<[u32; 3]> = (0..SIDE)
        .flat_map(|z| (0..SIDE).map(move |x| z * (SIDE + 1) + x))
        .flat_map(|at| {
            let above = at + SIDE + 1;
            [[at, above, at + 1], [at + 1, above, above + 1]]
        })
        .collect();
    let corners: Vec<[Vector; 3]> = triangles
        .iter()
        .map(|triangle| triangle.map(|k| f64s(vertices[k as usize])))
        .collect();
    let hills = Solid::Mesh(Box::new(Mesh::new(&vertices, &triangles).unwrap()));
    let from = [0.3, 4.0, -0.2];
    let mut peers: [(&str, Box<dyn Peer>); 3] = [
        ("phalanx", Box::new(Phalanx::new())),
        ("parry3d, f32", Box::new(F32::default())),
        ("parry3d, f64", Box::new(F64::default())),
    ];
    for (_, peer) in &mut peers {
        peer.target(&hills);
    }
    let mut off = [(); 3].map(|()| Vec::new());
    let mut lost = [0; 3];
    let ways: Vec<[f32; 3]> = (0..1000)
        .map(|_| {
            let (around, down): (f64, f64) =
                (rng.random_range(0.0..6.25), rng.random_range(0.02..0.9));
            let way = [
                around.cos() * down.cos(),
                -down.sin(),
                around.sin() * down.cos(),
            ];
            way.map(|x| (x * RANGE) as f32)
        })
        .collect();
    let mut is_near = true;
    for way in ways {
        let met = corners
            .iter()
            .filter_map(|&corners| meets(f64s(from), f64s(way), corners))
            .reduce(f64::min);
        let Some(met) = met else { continue };
        for (k, (_, peer)) in peers.iter_mut().enumerate() {
            match peer.ray(from, way) {
                Some(found) => off[k].push((met - found) * RANGE),
                None => lost[k] += 1,
            }
        }
    }
    println!("| ranges over 500 000 triangles | median | worst | late | lost |");
    println!("|---|--:|--:|--:|--:|");
    for ((name, _), (off, lost)) in peers.iter().zip(off.iter_mut().zip(lost)) {
        let late = off.iter().copied().fold(0.0, |late, x| f64::max(late, -x));
        off.iter_mut().for_each(|x| *x = x.abs());
        off.sort_by(f64::total_cmp);
        let (median, worst) = (off[off.len() / 2], off[off.len() - 1]);
        println!("| {name} | {median:.0e} | {worst:.0e} | {late:.0e} | {lost} |");
        if *name == "phalanx" {
            // The oracle is not exact.
            is_near &= median <= 5e-6 && worst <= 2e-4 && late <= 1e-9 && lost == 0;
        }
    }
    is_near
}

/// Part of the way at which a ray meets a triangle.
fn meets(from: Vector, way: Vector, [p, q, r]: [Vector; 3]) -> Option<f64> {
    let (e, f, s) = (q - p, r - p, from - p);
    let h = way.cross(f);
    let det = e.dot(h);
    let u = s.dot(h) / det;
    let k = s.cross(e);
    let v = way.dot(k) / det;
    let t = f.dot(k) / det;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&t)).then_some(t)
}
