//! One call of every kernel with every instruction set, and frames of a level and of a scene, whose instructions `.ci/counts` counts.
//!
//! Callgrind counts the instructions within [`counted`] and dumps the count when it returns. This example prints the
//! label of each call in the same order: kernel, instruction set, pairs. Of the frames with one label the worst counts, so that
//! a hitch is found where times cannot show it.

use phalanx::query::{Query, Supports};
use phalanx::{
    Aabb, Aabbs, Collider, ColliderId, Contacts, Detector, During, Error, FirstHits, Impacts,
    InvalidShapes, Mark, Nearest, Obbs, Overlaps, Pairs, Point, Points, Pose, SceneContacts, Simd,
    Sphere, Spheres, Sweeps,
};
use scenes::{InScene, SCENES, Scene};

#[path = "../benches/common/scenes.rs"]
#[allow(dead_code)]
mod scenes;

/// Callgrind gets this name on its command line.
#[inline(never)]
fn counted(call: &mut dyn FnMut()) {
    call();
}

/// Counts a warm call of a query with each instruction set that the CPU has. `out` prepares the output, `hits` counts.
fn count<Q: Query, A: Supports<Q, B> + InScene, B: InScene, O: Default>(
    kernel: &str,
    scene: &Scene,
    out: fn(&mut O) -> Q::Out<'_>,
    hits: fn(&O) -> usize,
) {
    let mut answers = O::default();
    let (a, b) = (A::columns_in(scene), B::columns_in(scene));
    let pairs = Pairs::from(&scene.pairs);
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).parallel(false);
        let mut call = || {
            detector
                .query::<Q, _, _>(&a, &b, pairs, out(&mut answers))
                .expect("the scene's own pairs")
        };
        // The first call allocates.
        call();
        counted(&mut call);
        println!("{kernel} {simd} {}", scene.pairs.len());
    }
    // Hardly any static point is on a plane.
    let has_hits = hits(&answers) > 0
        || [
            "point_plane_overlap",
            "point_plane_contact",
            "point_triangle_overlap",
            "point_triangle_contact",
        ]
        .contains(&kernel);
    assert!(has_hits, "{kernel} finds no hits");
}

macro_rules! count_kernels {
    ($($kernel:ident: $verb:ident($($shape:ident),+);)*) => {
        |scene: &Scene| {
            $(count_kernels!(@ $kernel, $verb, scene, $($shape),+);)*
        }
    };
    (@ $kernel:ident, $verb:ident, $scene:ident, $a:ident) => {
        count_kernels!(@ $kernel, $verb, $scene, $a, $a);
    };
    (@ $kernel:ident, $verb:ident, $scene:ident, $a:ident, $b:ident) => {
        count_kernels!(@@ $verb, stringify!($kernel), $scene, phalanx::$a, phalanx::$b);
    };
    (@@ overlap, $($with:tt)+) => { count_kernels!(@@@ Overlaps, |out| out, $($with)+); };
    (@@ sweep, $($with:tt)+) => { count_kernels!(@@@ Sweeps, |out| out, $($with)+); };
    (@@ contact, $($with:tt)+) => { count_kernels!(@@@ Contacts, |out| out, $($with)+); };
    (@@ impact, $($with:tt)+) => { count_kernels!(@@@ Impacts, |out| (1e-3, out), $($with)+); };
    (@@@ $query:ident, $out:expr, $kernel:expr, $scene:ident, $a:ty, $b:ty) => {
        count::<$query, $a, $b, $query>($kernel, $scene, $out, |out| out.count());
    };
}

/// Sets turns of 0.1 to 0.3 rad, about different axes.
fn turn(boxes: &mut Obbs) {
    for i in 0..boxes.len() as u32 {
        let mut turn = [0.1; 3];
        turn[i as usize % 3] = if i & 8 == 0 { -0.3 } else { 0.2 };
        boxes.set_turn(i, turn).expect("a box");
    }
}

/// A number from 0 to 1: the fraction of multiples of the golden ratio.
fn at(k: u32) -> f32 {
    (f64::from(k) * 0.618_033_988_749_895).fract() as f32
}

fn place(k: u32, side: f32) -> [f32; 3] {
    [at(k), at(7 * k + 3), at(31 * k + 5)].map(|x| x * side)
}

/// Number of frames of each query: more than until anything is kept.
const FRAMES: u32 = 24;
/// Side of the level.
const SIDE: f32 = 80.0;

/// Queries of a level at rest, prepared at load time.
type LevelQuery<'q> = &'q mut dyn FnMut(&mut Detector, &Aabbs, u32) -> Result<InvalidShapes, Error>;

/// Counts each frame of queries of a level: at rest, and with a door.
fn count_frames() {
    let points = |count: u32, frame: u32| -> Spheres {
        (0..count)
            .map(|k| Sphere::new(place(97 * frame + k, SIDE), 0.4))
            .collect()
    };
    let rays = |count: u32, frame: u32| {
        let mut rays = Points::new();
        for k in 0..count {
            let towards = place(41 * frame + k, 20.0).map(|x| x - 10.0);
            rays.push_moving(Point::new(place(89 * frame + k, SIDE)), towards);
        }
        rays
    };
    let (mut firsts, mut nearest, mut any) = (FirstHits::new(), Nearest::new(), Overlaps::new());
    let (mut pairs, mut own) = (Vec::new(), Vec::new());
    let mut queries: [(&str, LevelQuery<'_>); 6] = [
        ("first_hits", &mut |detector, level, frame| {
            detector.first_hits(&rays(150, frame), level, &mut firsts)
        }),
        (
            "first_hits_of_other_counts",
            &mut |detector, level, frame| {
                detector.first_hits(&rays(130 + frame % 7, frame), level, &mut FirstHits::new())
            },
        ),
        ("nearest", &mut |detector, level, frame| {
            detector.nearest(&points(60, frame), level, 5.0, &mut nearest)
        }),
        ("meets_any", &mut |detector, level, frame| {
            detector.meets_any(&points(60, frame), level, During::Start, &mut any)
        }),
        ("candidates", &mut |detector, level, frame| {
            detector.candidates(&points(100, frame), level, During::Start, &mut pairs)
        }),
        ("candidates_of_itself", &mut |detector, level, _| {
            detector.candidates(level, level, During::Start, &mut own)
        }),
    ];
    let simd = Simd::available().last().unwrap_or(Simd::best());
    for has_door in [false, true] {
        for (name, query) in &mut queries {
            let mut level: Aabbs = (0..20_000)
                .map(|k| Aabb::from_center_half_extents(place(k, SIDE), [0.7; 3]))
                .collect();
            let door = level.get(77).expect("a box");
            let mut detector = Detector::new().simd(simd).parallel(false);
            detector.prepare(&level);
            for frame in 0..FRAMES {
                if has_door {
                    let mut door = door;
                    let by = 0.03 * frame as f32;
                    (door.min[0], door.max[0]) = (door.min[0] + by, door.max[0] + by);
                    level.set(77, door).expect("a box");
                }
                let mut call = || {
                    query(&mut detector, &level, frame).expect("valid shapes");
                };
                // A list of pairs is found, and kept if it holds, in the first frames.
                if frame < 6 {
                    call();
                } else {
                    counted(&mut call);
                    let with = if has_door { "door" } else { "rest" };
                    println!("{with}_{name} {simd} 1");
                }
            }
        }
    }
}

/// Counts frames of contacts of two scenes: in one all boxes move, in the other most sleep.
fn count_scene() {
    let simd = Simd::available().last().unwrap_or(Simd::best());
    for (name, every) in [("awake", 1), ("asleep", 16)] {
        let mut scene = phalanx::Scene::new();
        scene.detector_mut().set_parallel(false);
        scene.detector_mut().set_simd(simd);
        let pose = |k: u32, frame: u32| {
            let by = if k.is_multiple_of(every) {
                0.002 * frame as f32
            } else {
                0.0
            };
            let [x, y, z] = place(k, 9.0);
            Pose::at([x + by, y, z].map(f64::from))
        };
        let add = |k| scene.add(Collider::Obb([0.5; 3]), pose(k, 0), Mark::moving());
        let boxes: Vec<ColliderId> = (0..400).map(add).collect::<Result<_, _>>().expect("boxes");
        let mut contacts = SceneContacts::new();
        for frame in 0..FRAMES {
            let poses = (0..).zip(&boxes).map(|(k, id)| (*id, pose(k, frame)));
            scene.set_poses(poses).expect("boxes");
            let mut call = || scene.contacts(&mut contacts).expect("valid boxes");
            if frame < 6 {
                call();
            } else {
                counted(&mut call);
                println!("scene_contacts_{name} {simd} 1");
            }
        }
        assert!(contacts.len() > 400, "{} contacts", contacts.len());
    }
}

fn main() {
    let mut scene = SCENES[0].build();
    phalanx::kernels!(count_kernels)(&scene);
    phalanx::kernels!(contact: count_kernels)(&scene);
    turn(&mut scene.obbs);
    phalanx::kernels!(impact: count_kernels)(&scene);
    count_frames();
    count_scene();
}
