//! Whole frames: the time to write shapes, test them, and read the hits.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench frame             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench frame -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! - **Updating**: methods to write 100 000 boxes into a store, compared with copying the same number of bytes; and the
//!   time until they are packed, compared with testing the same number of pairs.
//! - **Frame**: 100 000 boxes at new poses, tested against their neighbours, and the hits listed: the whole, and each
//!   part within the frame.
//! - **Recorded**: the candidates of rapier3d's broadphase in frames of a pile of boxes and spheres, the simulation of
//!   `examples/rapier`.

// The example uses more of it.
#[allow(dead_code)]
#[path = "../../../examples/rapier/src/scene.rs"]
mod simulation;

use std::cell::{LazyCell, RefCell};
use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use parry3d::query::details::intersection_test_cuboid_cuboid;
use parry3d::shape::Cuboid;
use phalanx::{Detector, Obb, Obbs, ObbsRef, Overlaps, Pair};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::{Posed, unit_rotation};
use phalanx_bench::kernels::{self, Checked, Instance, Kernel, List};
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::{PairList, SEED, Scene, SceneSpec};
use simulation::Frame;

const BOXES: usize = 100_000;
/// Five per box: nearly all that exist.
const SPEC: SceneSpec = SceneSpec::new("100k boxes", BOXES, 5 * BOXES, PairList::Neighbours);

/// Number of frames until the pile has formed, and number of recorded frames.
const SETTLING: usize = 60;
const RECORDED: usize = 60;

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("frame");
    let scene = LazyCell::new(|| SPEC.build());
    let boxes = LazyCell::new(|| Boxes::new(&scene));
    updating(&mut bench, &boxes);
    update_or_test(&mut bench, &boxes);
    frame(&mut bench, &boxes);
    recorded(&mut bench);
    bench.finish()
}

/// New pose of a box.
#[derive(Clone, Copy)]
struct NewPose {
    center: [f32; 3],
    rotation: [f32; 4],
}

/// Boxes, and where they are in one frame and in the next.
struct Boxes<'s> {
    scene: &'s Scene,
    frames: [Vec<Obb>; 2],
    poses: [Vec<NewPose>; 2],
}

impl<'s> Boxes<'s> {
    /// Part of its displacement that a box moves per frame.
    const STEP: f32 = 0.1;

    fn new(scene: &'s Scene) -> Self {
        let frames = [0.0, Self::STEP].map(|step| {
            let moved = |i| {
                let (obb, motion) = (scene.obbs.get(i)?, scene.obbs.displacement(i)?);
                let center = std::array::from_fn(|k| obb.center[k] + step * motion[k]);
                Some(Obb { center, ..obb })
            };
            (0..scene.obbs.len() as u32).filter_map(moved).collect()
        });
        let pose = |obb: &Obb| NewPose {
            center: obb.center,
            rotation: obb.rotation,
        };
        let poses = frames
            .each_ref()
            .map(|frame: &Vec<Obb>| frame.iter().map(pose).collect());
        Boxes {
            scene,
            frames,
            poses,
        }
    }
}

/// Methods to write shapes into a store.
fn updating<'s>(bench: &mut Bench, boxes: &LazyCell<Boxes<'s>, impl FnOnce() -> Boxes<'s>>) {
    type Way = fn(&mut Obbs, &[Obb], &[NewPose]);
    let ways: [(&str, Way); 6] = [
        ("columns_mut, poses", |store, _, poses| {
            write_poses(store, poses)
        }),
        ("set", |store, shapes, _| {
            for (i, &shape) in shapes.iter().enumerate() {
                store.set(i as u32, shape).expect("as many as before");
            }
        }),
        ("push", |store, shapes, _| {
            store.clear();
            for &shape in shapes {
                store.push(shape);
            }
        }),
        ("extend", |store, shapes, _| {
            store.clear();
            store.extend(shapes.iter().copied());
        }),
        ("extend_from_slice", |store, shapes, _| {
            store.clear();
            store.extend_from_slice(shapes);
        }),
        ("from_slice, memory included", |store, shapes, _| {
            *store = Obbs::from_slice(shapes);
        }),
    ];
    let mut players: Vec<Player> = ways
        .iter()
        .map(|(name, _)| Player::phalanx(*name))
        .collect();
    players.push(Player::peer("memcpy", "copy_from_slice"));

    let label = Label {
        name: "updating".into(),
        scene: SPEC.name.into(),
        about: format!("{BOXES} boxes"),
        shapes: BOXES,
        items: BOXES,
        unit: "box",
    };
    bench.hold(label, &players, || {
        let mut store = Obbs::from_slice(&boxes.frames[0]);
        let mut copy = boxes.frames[0].clone();
        let mut number = 0;
        Open::unchecked(move |player| {
            number += 1;
            let (shapes, poses) = (&boxes.frames[number % 2], &boxes.poses[number % 2]);
            match ways.get(player) {
                Some((_, write)) => {
                    write(&mut store, shapes, poses);
                    black_box(&store);
                }
                None => {
                    copy.copy_from_slice(shapes);
                    black_box(&copy);
                }
            }
        })
    });
}

/// Cost of a moved box before the tests, and cost of a pair in a frame.
fn update_or_test<'s>(bench: &mut Bench, boxes: &LazyCell<Boxes<'s>, impl FnOnce() -> Boxes<'s>>) {
    let players = [
        (Player::phalanx("a box written and packed"), BOXES),
        (Player::phalanx("a pair tested"), SPEC.pairs),
    ];
    let label = Label {
        name: "update or test".into(),
        scene: SPEC.name.into(),
        about: SPEC.about(),
        shapes: BOXES,
        items: 1,
        unit: "item",
    };
    bench.hold_shares(label, &players, || {
        let mut store = Obbs::from_slice(&boxes.frames[0]);
        let mut detector = Detector::new().parallel(false);
        let mut overlaps = Overlaps::new();
        // The first and the last box repeatedly: all boxes are packed, and hardly any pair is tested.
        let ends = vec![Pair::new(0, BOXES as u32 - 1); BOXES / 3 + 1];
        let mut number = 0;
        Open::unchecked(move |player| {
            let pairs = if player == 0 {
                number += 1;
                write_poses(&mut store, &boxes.poses[number % 2]);
                &ends
            } else {
                &boxes.scene.pairs
            };
            let columns = ObbsRef::new(store.columns()).expect("columns of a store");
            detector
                .overlap(&columns, &columns, pairs, &mut overlaps)
                .expect("pairs name boxes that exist");
            black_box(&overlaps);
        })
    });
}

/// Sizes are unchanged. A block of poses is read for each column while it is in the L1 cache.
fn write_poses(store: &mut Obbs, poses: &[NewPose]) {
    const BLOCK: usize = 256;
    let mut columns = store.columns_mut();
    for (block, poses) in poses.chunks(BLOCK).enumerate() {
        let first = block * BLOCK;
        for (k, column) in columns.center.iter_mut().enumerate() {
            for (x, pose) in column[first..].iter_mut().zip(poses) {
                *x = pose.center[k];
            }
        }
        for (k, column) in columns.rotation.iter_mut().enumerate() {
            for (x, pose) in column[first..].iter_mut().zip(poses) {
                *x = pose.rotation[k];
            }
        }
    }
}

/// The parts of a frame, in order.
trait Engine {
    fn write(&mut self, poses: &[NewPose]);
    fn test(&mut self, pairs: &[Pair]);
    /// The pairs that touch.
    fn read(&mut self, pairs: &[Pair]) -> &[Pair];
}

struct Phalanx {
    boxes: Obbs,
    detector: Detector,
    overlaps: Overlaps,
    touching: Vec<Pair>,
}

impl Engine for Phalanx {
    fn write(&mut self, poses: &[NewPose]) {
        write_poses(&mut self.boxes, poses);
    }

    fn test(&mut self, pairs: &[Pair]) {
        self.detector
            .overlap(&self.boxes, &self.boxes, pairs, &mut self.overlaps)
            .expect("pairs name boxes that exist");
    }

    fn read(&mut self, pairs: &[Pair]) -> &[Pair] {
        self.touching.clear();
        self.touching
            .extend(self.overlaps.iter().map(|position| pairs[position]));
        &self.touching
    }
}

struct Parry {
    boxes: Vec<Posed<Cuboid>>,
    overlaps: Vec<bool>,
    touching: Vec<Pair>,
}

impl Engine for Parry {
    fn write(&mut self, poses: &[NewPose]) {
        for (posed, pose) in self.boxes.iter_mut().zip(poses) {
            posed.pose.translation = pose.center.into();
            posed.pose.rotation = unit_rotation(pose.rotation);
        }
    }

    fn test(&mut self, pairs: &[Pair]) {
        self.overlaps.clear();
        self.overlaps.extend(pairs.iter().map(|pair| {
            let (a, b) = (&self.boxes[pair.a as usize], &self.boxes[pair.b as usize]);
            intersection_test_cuboid_cuboid(&a.pose.inv_mul(&b.pose), &a.shape, &b.shape)
        }));
    }

    fn read(&mut self, pairs: &[Pair]) -> &[Pair] {
        let answers = pairs.iter().zip(&self.overlaps);
        let touching = answers
            .filter(|(_, touches)| **touches)
            .map(|(pair, _)| *pair);
        self.touching.clear();
        self.touching.extend(touching);
        &self.touching
    }
}

/// A frame, and its parts in order.
const PARTS: [&str; 4] = ["all", "write", "test", "read"];

/// Runs a frame. Returns the seconds of each part.
fn run_frame(engine: &mut dyn Engine, poses: &[NewPose], pairs: &[Pair]) -> [f64; 3] {
    let start = Instant::now();
    engine.write(poses);
    let written = Instant::now();
    engine.test(pairs);
    let tested = Instant::now();
    black_box(engine.read(pairs));
    let parts = [written - start, tested - written, tested.elapsed()];
    parts.map(|part| part.as_secs_f64())
}

/// 100 000 boxes and their neighbours.
fn frame<'s>(bench: &mut Bench, boxes: &LazyCell<Boxes<'s>, impl FnOnce() -> Boxes<'s>>) {
    let players = [
        Player::phalanx("phalanx"),
        Player::peer("parry3d", "intersection_test_cuboid_cuboid"),
    ];
    let label = |part: &str| Label {
        name: "frame".into(),
        scene: part.into(),
        about: SPEC.about(),
        shapes: BOXES,
        items: 1,
        unit: "frame",
    };
    let engines = || -> [Box<dyn Engine + '_>; 2] {
        let start = &boxes.frames[0];
        [
            Box::new(Phalanx {
                boxes: Obbs::from_slice(start),
                detector: Detector::new().parallel(false),
                overlaps: Overlaps::new(),
                touching: Vec::new(),
            }),
            Box::new(Parry {
                boxes: start.iter().map(|&obb| obb.into()).collect(),
                overlaps: Vec::new(),
                touching: Vec::new(),
            }),
        ]
    };

    let whole = LazyCell::new(|| {
        let (mut engines, mut number) = (engines(), 0);
        RefCell::new(Open::unchecked(move |player| {
            number += 1;
            let poses = &boxes.poses[number % 2];
            run_frame(&mut *engines[player], poses, &boxes.scene.pairs);
        }))
    });
    if !bench.is_wanted(&label(PARTS[0]), &players, &whole) {
        return;
    }

    // Alternating, each part within the frame.
    let mut engines = engines();
    let mut times = PARTS.map(|_| vec![Vec::new(); players.len()]);
    for round in bench.turns().rounds() {
        for (player, engine) in engines.iter_mut().enumerate() {
            let mut parts = [0.0; 3];
            // The first frame finds the other side's data in the caches.
            for number in [round, round + 1] {
                let poses = &boxes.poses[number % 2];
                parts = run_frame(&mut **engine, poses, &boxes.scene.pairs);
            }
            let all = parts.iter().sum();
            for (times, time) in times.iter_mut().zip([all].into_iter().chain(parts)) {
                times[player].push(time);
            }
        }
    }
    // Both have run the same frame last.
    let pairs = &boxes.scene.pairs;
    let [touching, parry_touching] = engines.each_mut().map(|engine| {
        let touching = engine.read(pairs).iter().copied();
        touching.collect::<BTreeSet<Pair>>()
    });
    let different = touching.symmetric_difference(&parry_touching).count();
    assert!(
        different as f64 <= kernels::MAX_DIFFERENT * pairs.len() as f64,
        "parry3d differs on {different} of {} pairs",
        pairs.len(),
    );
    for (part, times) in PARTS.iter().zip(&times) {
        let mut open = Open::unchecked(|_| ());
        open.pairs = Some(pairs.len());
        open.hits = Some(touching.len());
        open.different = vec![0, different];
        bench.add(label(part), &players, &open, times);
    }
}

/// Boxes and spheres of the simulation, frame by frame.
fn recorded(bench: &mut Bench) {
    let frames = LazyCell::new(record);
    for kernel in kernels::main_kernels() {
        let list: fn(&Recorded) -> &List = match kernel.name {
            "obb_obb_overlap" => |frame| &frame.box_pairs,
            "sphere_sphere_sweep" => |frame| &frame.ball_pairs,
            _ => continue,
        };
        hold_recorded(bench, &kernel, &frames, list);
    }
}

/// A frame of the simulation.
struct Recorded {
    scene: Scene,
    box_pairs: List,
    ball_pairs: List,
}

fn record() -> Vec<Recorded> {
    let mut simulation = simulation::Scene::new(SEED);
    let mut frame = Frame::default();
    for _ in 0..SETTLING {
        simulation.step(&mut frame);
    }
    let step = |_| {
        let mut frame = Frame::default();
        simulation.step(&mut frame);
        Recorded {
            scene: Scene {
                obbs: frame.boxes,
                spheres: frame.spheres,
                ..Scene::default()
            },
            box_pairs: frame.box_pairs.into(),
            ball_pairs: frame.sphere_pairs.into(),
        }
    };
    (0..RECORDED).map(step).collect()
}

fn hold_recorded(
    bench: &mut Bench,
    kernel: &Kernel,
    frames: &LazyCell<Vec<Recorded>, impl FnOnce() -> Vec<Recorded>>,
    list: fn(&Recorded) -> &List,
) {
    let instances = || {
        vec![Instance {
            name: "phalanx".into(),
            detector: Detector::new().parallel(false),
            stores_rest: false,
        }]
    };
    let label = Label {
        name: kernel.name.into(),
        scene: "recorded".into(),
        about: format!("candidates of rapier3d's broadphase in {RECORDED} frames of a heap"),
        shapes: simulation::BOXES,
        items: RECORDED,
        unit: "frame",
    };
    bench.hold(label, &kernel.players(&instances()), || {
        let mut all: Vec<_> = frames
            .iter()
            .map(|frame| (kernel.open(&frame.scene, instances()), list(frame)))
            .collect();
        let checked = all
            .iter_mut()
            .map(|(opponents, list)| opponents.check(list, kernels::ANY_TIME))
            .fold(Checked::default(), Checked::and);
        checked.open(move |player| {
            for (opponents, list) in &mut all {
                opponents.call(player, list);
            }
        })
    });
}
