//! Memory of prepared stores: queries allocate nothing more in them.

#[path = "common/counting.rs"]
mod counting;

use counting::kept_by;
use phalanx::traits::{Bounded, Distance, Overlap, Sweep};
use phalanx::{
    Aabb, Aabbs, Collider, Detector, During, Filter, FirstHits, Mark, Mesh, Nearest, Overlaps,
    Pair, Point, Points, Pose, Ray, Scene, Shapes, Sphere, Spheres, Sweeps,
};

fn place(i: u32) -> [f32; 3] {
    [i % 31, i / 31 % 29, i / 899].map(|x| x as f32 * 1.3)
}

/// Bytes that many frames of every query keep in a store.
fn kept_in<B: Shapes>(level: &B) -> usize
where
    B::Shape: Bounded + Overlap<Sphere> + Sweep<Sphere> + Distance<Sphere>,
    Sphere: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
    Point: Sweep<B::Shape>,
{
    kept_by_frames_of(Detector::new(), level)
}

/// Bytes that many frames of a detector's queries keep in a store.
fn kept_by_frames_of<B: Shapes>(detector: Detector, level: &B) -> usize
where
    B::Shape: Bounded + Overlap<Sphere> + Sweep<Sphere> + Distance<Sphere>,
    Sphere: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
    Point: Sweep<B::Shape>,
{
    kept_by(|| {
        let mut rays = Points::new();
        let mut spheres = Spheres::new();
        for i in 0..2000 {
            rays.push_moving(
                Point {
                    position: place(3 * i),
                },
                [1.0, 2.0, 0.5],
            );
            spheres.push_moving(
                Sphere {
                    center: place(5 * i),
                    radius: 0.4,
                },
                [0.3, 0.0, 0.1],
            );
        }
        let mut detector = detector.parallel(false);
        let (mut firsts, mut nearest, mut any) =
            (FirstHits::new(), Nearest::new(), Overlaps::new());
        let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
        let mut pairs: Vec<Pair> = Vec::new();
        for _ in 0..60 {
            detector.first_hits(&rays, level, &mut firsts).unwrap();
            detector
                .nearest(&spheres, level, 2.0, &mut nearest)
                .unwrap();
            for during in [During::Start, During::Frame] {
                detector
                    .meets_any(&spheres, level, during, &mut any)
                    .unwrap();
                detector
                    .candidates(level, level, during, &mut pairs)
                    .unwrap();
                detector
                    .candidates(&spheres, level, during, &mut pairs)
                    .unwrap();
            }
            detector
                .overlap(&spheres, level, &pairs, &mut overlaps)
                .unwrap();
            detector
                .sweep(&spheres, level, &pairs, &mut sweeps)
                .unwrap();
        }
    })
}

/// Bytes that the test harness may allocate meanwhile.
const FEW: usize = 1000;

// A single test in this file, because allocations of other threads would count.
#[test]
fn prepared_stores_build_nothing_more() {
    let boxes: Aabbs = (0..9000)
        .map(|i| Aabb {
            min: place(i),
            max: place(i).map(|x| x + 1.0),
        })
        .collect();
    let vertices: Vec<[f32; 3]> = (0..9000).map(place).collect();
    let triangles: Vec<[u32; 3]> = (0..8900).map(|i| [i, i + 1, i + 31]).collect();
    let mesh = Mesh::new(&vertices, &triangles).unwrap();
    let mut detector = Detector::new().parallel(false);
    // Stores that are not prepared build what they need.
    assert!(kept_in(&boxes.clone()) > 100 * boxes.len());
    assert!(kept_in(&mesh.clone()) > 100 * mesh.len());
    // Small steps build the same tree, no step none of its 27 bytes a shape.
    let kept = |step| kept_by_frames_of(Detector::new().build_step(step), &boxes.clone());
    let whole = kept(1 << 14);
    assert!(kept(1 << 12).abs_diff(whole) < FEW);
    assert!(kept(0) + 20 * boxes.len() < whole);
    // So does a scene, for its parts.
    let rays: Vec<Ray> = (0..2000)
        .map(|i| Ray {
            from: place(3 * i).map(f64::from),
            displacement: [1.0, 2.0, 0.5],
        })
        .collect();
    let kept = |step| {
        let mut scene = Scene::new();
        // Threads would keep memory of their own.
        scene.detector_mut().set_parallel(false);
        scene.detector_mut().set_build_step(step);
        let level = scene.add_mesh(mesh.clone());
        let fixed = Mark::fixed();
        scene
            .add(Collider::Mesh(level), Pose::default(), fixed)
            .unwrap();
        kept_by(|| {
            let mut hits = Vec::new();
            for _ in 0..60 {
                scene.cast_rays(&rays, &Filter::ALL, &mut hits).unwrap();
            }
        })
    };
    assert!(kept(0) + 20 * mesh.len() < kept(1 << 14));

    let built = kept_by(|| {
        let said = Detector::new().parallel(false).prepare(&boxes).bytes();
        assert!(said > 0);
    });
    let said = detector.prepare(&boxes).bytes();
    assert!(
        built >= said && built < said + said / 50,
        "{built} bytes, {said} said"
    );
    assert!(kept_in(&boxes) < FEW);
    detector.prepare(&mesh);
    assert!(kept_in(&mesh) < FEW);

    // A door keeps what was built.
    let mut boxes = boxes;
    let door = boxes.get(7).unwrap();
    boxes.set(7, door).unwrap();
    assert!(kept_in(&boxes) < FEW);
}
