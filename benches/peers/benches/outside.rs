//! Peers in C++, each a program of its own that is built outside of this repository: Embree's rays through a mesh, and
//! VAMP's poses of a robot. Sides take turns, and their answers are compared. Times are those of the thread's CPU, so that
//! other programs on the machine count less.
//!
//! Embree 4 is the library of the wheel `embreex`, without its headers:
//!
//! ```text
//! pip install --no-deps --target here embreex==4.4.0.post1
//! g++ -std=c++17 -O3 -march=native benches/peers/outside/embree.cc here/embreex.libs/libembree4-*.so.4 \
//!     -Wl,-rpath,$PWD/here/embreex.libs -Wl,--allow-shlib-undefined -o embree
//! PHALANX_EMBREE=$PWD/embree cargo bench -p phalanx-bench --bench outside
//! ```
//!
//! VAMP is the headers of its source package, `vamp_planner-0.6.4.tar.gz` of PyPI, built with its own flags. They need Eigen
//! and pdqsort:
//!
//! ```text
//! apt-get install libeigen3-dev && git clone https://github.com/orlp/pdqsort
//! g++ -std=c++17 -O3 -march=native -fno-math-errno -fno-signed-zeros -fno-trapping-math -fno-rounding-math \
//!     -ffp-contract=fast -fassociative-math -Wno-ignored-attributes -I vamp_planner-0.6.4/src/impl -I pdqsort \
//!     -I /usr/include/eigen3 benches/peers/outside/vamp.cc -o vamp
//! PHALANX_VAMP=$PWD/vamp PHALANX_VAMP_SOURCE=$PWD/vamp_planner-0.6.4 cargo bench -p phalanx-bench --bench outside
//! ```
//!
//! Without these variables the peer is named and not measured.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, ChildStdout, Command, Stdio};

use cpu_time::ThreadTime;
use phalanx::{Detector, During, FirstHits, Mesh, Overlaps, Pairs, Point, Points, Sphere, Spheres};
use phalanx_bench::hills::{Rays, height, terrain};
use phalanx_bench::kernels::TIME_TOLERANCE;
use phalanx_bench::machine;
use phalanx_bench::scenes::SEED;
use phalanx_bench::turns::Turns;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let is_quick = has("--quick") || !has("--bench") || has("--test");
    let program = |name: &str| {
        let path = env::var_os(name);
        if path.is_none() {
            println!("not measured, because {name} is not set");
        }
        path
    };
    let embree = program("PHALANX_EMBREE");
    let vamp = program("PHALANX_VAMP").zip(program("PHALANX_VAMP_SOURCE"));
    if embree.is_none() && vamp.is_none() {
        return;
    }
    println!("\n{}\n", machine::describe(is_quick));
    println!("| work | who | ns | of phalanx's time | differ |\n|---|---|--:|--:|--:|");
    if let Some(embree) = embree {
        for side in if is_quick { vec![30] } else { vec![70, 500] } {
            cast_rays(&embree, side, is_quick);
        }
    }
    if let Some((vamp, source)) = vamp {
        let header = Path::new(&source).join("src/impl/vamp/robots/panda.hh");
        let header = fs::read_to_string(header).expect("the source package has the robot");
        robots(&vamp, &own_pairs(&header), is_quick);
    }
}

/// A program that answers commands, and the folder of its files.
struct Peer {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    folder: PathBuf,
}

impl Peer {
    fn start(program: &OsString, input: &[u8]) -> Self {
        let folder = env::temp_dir().join(format!("phalanx-outside-{}", process::id()));
        fs::create_dir_all(&folder).expect("a folder for files");
        fs::write(folder.join("input"), input).expect("the input is written");
        let mut command = Command::new(program);
        command.arg(folder.join("input"));
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("the program of the peer starts");
        Peer {
            to: child.stdin.take().expect("a pipe"),
            from: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
            folder,
        }
    }

    /// The nanoseconds that the program prints.
    fn call(&mut self, command: &str) -> f64 {
        writeln!(self.to, "{command}").expect("the program reads commands");
        let mut line = String::new();
        self.from.read_line(&mut line).expect("the program answers");
        let time = line.trim().parse();
        time.unwrap_or_else(|_| panic!("{command} is answered by {line:?}"))
    }

    /// The file that the program writes.
    fn file(&mut self, command: &str) -> Vec<u8> {
        let path = self.folder.join("answers");
        self.call(&format!("{command} {}", path.display()));
        fs::read(path).expect("the program writes answers")
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The program and its files are of no use any more; a failure hurts nothing.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Numbers of 32 bits, as programs read them.
#[derive(Default)]
struct Input(Vec<u8>);

impl Input {
    fn count(&mut self, count: usize) {
        let count = u32::try_from(count).expect("a count of 32 bits");
        self.0.extend(count.to_ne_bytes());
    }

    fn floats(&mut self, floats: impl IntoIterator<Item = f32>) {
        self.0.extend(floats.into_iter().flat_map(f32::to_ne_bytes));
    }
}

fn floats(bytes: &[u8]) -> impl Iterator<Item = f32> {
    let chunks = bytes.as_chunks::<4>().0.iter();
    chunks.map(|bytes| f32::from_ne_bytes(*bytes))
}

/// Seconds of this thread's CPU.
fn seconds(call: impl FnOnce()) -> f64 {
    let start = ThreadTime::now();
    call();
    start.elapsed().as_secs_f64()
}

/// Prints a row for each side: the median, its ratio to phalanx within a round, and the number of differing answers.
fn print(work: &str, names: &[&str], different: &[usize], times: &[Vec<f64>]) {
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    for (side, name) in names.iter().enumerate() {
        let ratios = times[side].iter().zip(&times[0]);
        let ratio = median(ratios.map(|(time, own)| time / own).collect());
        let time = median(times[side].clone());
        println!(
            "| {work} | {name} | {time:.1} | {ratio:.2} | {} |",
            different[side]
        );
    }
}

/// Number of frames, each with new rays.
const FRAMES: usize = 4;
/// Unmeasured and measured frames of a turn: first until caches are warm.
const COUNTS: [usize; 2] = [8, 8];
/// Number of rounds at least.
const ROUNDS: usize = 15;

/// A ray: where it begins, and its displacement.
type Ray = [[f32; 3]; 2];

/// Rays of a lidar with 64 rows, 2 m above the ground.
fn lidar(side: f32, columns: usize, rng: &mut StdRng) -> Vec<Ray> {
    let [x, y] = [(); 2].map(|()| side * rng.random_range(0.4..0.6f32));
    let place = [x, y, height(x, y) + 2.0];
    let ray = |k: usize| {
        let (row, column) = (k / columns, k % columns);
        let up = (row as f32 * 0.6 - 25.0).to_radians();
        let around = column as f32 / columns as f32 * std::f32::consts::TAU;
        let (flat, direction) = (100.0 * up.cos(), around.sin_cos());
        let way = [flat * direction.1, flat * direction.0, 100.0 * up.sin()];
        [place, way]
    };
    (0..64 * columns).map(ray).collect()
}

/// First hits in a terrain: Embree in robust mode, a call a ray and packets of 16.
fn cast_rays(embree: &OsString, side: usize, is_quick: bool) {
    let (vertices, triangles) = terrain(side);
    let level = Mesh::new(&vertices, &triangles).expect("a terrain is a mesh");
    let mut rng = StdRng::seed_from_u64(SEED);
    let of_kind = |rays: Rays, rng: &mut StdRng| -> Vec<Ray> {
        let ray = |_| rays.ray(side as f32, rng);
        let rays = (0..10_000).map(ray);
        rays.map(|ray| [ray.origin.into(), ray.dir.into()])
            .collect()
    };
    type Maker<'a> = &'a dyn Fn(&mut StdRng) -> Vec<Ray>;
    let scenes: [(&str, Maker); 4] = [
        ("rays down", &|rng| of_kind(Rays::Down, rng)),
        ("rays of 50 to 500 m", &|rng| {
            of_kind(Rays::Across(50.0, 500.0), rng)
        }),
        ("rays of 0.2 to 2 m", &|rng| {
            of_kind(Rays::Across(0.2, 2.0), rng)
        }),
        ("a lidar, 64 x 1024", &|rng| lidar(side as f32, 1024, rng)),
    ];
    for (name, make) in scenes {
        let frames: Vec<Vec<Ray>> = (0..FRAMES).map(|_| make(&mut rng)).collect();
        let mut input = Input::default();
        input.count(vertices.len());
        input.floats(vertices.iter().flatten().copied());
        input.count(triangles.len());
        for index in triangles.iter().flatten() {
            input.count(*index as usize);
        }
        input.count(FRAMES);
        input.count(frames[0].len());
        for rays in &frames {
            for column in 0..6 {
                input.floats(rays.iter().map(|ray| ray[column / 3][column % 3]));
            }
        }
        let mut peer = Peer::start(embree, &input.0);
        let (mut detector, mut hits) = (Detector::new().parallel(false), FirstHits::new());
        let mut stores: Vec<Points> = Vec::new();
        for rays in &frames {
            let mut store = Points::new();
            store.extend_moving(rays.iter().map(|[at, way]| (Point::new(*at), *way)));
            stores.push(store);
        }
        let mut own = |frame: usize, hits: &mut FirstHits| {
            let rays = &mut stores[frame % FRAMES];
            // The rays are new, which drops their cache.
            rays.columns_mut();
            let time = seconds(|| {
                let found = detector.first_hits(rays, &level, hits);
                found.expect("there is memory");
            });
            time * 1e9 / rays.len() as f64
        };
        for frame in 0..8 + 2 * triangles.len() / frames[0].len() {
            own(frame, &mut hits);
        }
        let modes = ["single", "sixteen", "coherent"];
        let mut different = vec![0; 4];
        for (mode, different) in modes.iter().zip(&mut different[1..]) {
            for frame in 0..FRAMES {
                own(frame, &mut hits);
                peer.call(&format!("{mode} {frame}"));
                let answers = peer.file("answers");
                for (ray, time) in floats(&answers).enumerate() {
                    let enter = hits.get(ray).map_or(2.0, |hit| hit.time.enter);
                    assert!(enter <= time + TIME_TOLERANCE, "ray {ray}: {enter}, {time}");
                    *different += usize::from(time > enter + TIME_TOLERANCE);
                }
            }
        }
        let turns = Turns::new(is_quick).at_least(ROUNDS);
        let times = turns.measure_frames(4, COUNTS, |player, frame| match player {
            0 => own(frame, &mut hits),
            _ => peer.call(&format!("{} {}", modes[player - 1], frame % FRAMES)),
        });
        let names = [
            "phalanx",
            "Embree robust, one ray",
            "Embree robust, 16 rays",
            "Embree robust, 16 rays, coherent",
        ];
        let work = format!("{} triangles, {name}", triangles.len());
        print(&work, &names, &different, &times);
    }
}

/// The pairs of spheres that the robot tests with itself, from the debugging function of VAMP's header.
fn own_pairs(header: &str) -> Vec<[u32; 2]> {
    let calls = header.split("output.second.emplace_back(").skip(1);
    let pairs = calls.map(|call| {
        let (pair, _) = call.split_once(')').expect("an argument list ends");
        let (a, b) = pair.split_once(',').expect("a pair of spheres");
        [a, b].map(|k| k.trim().parse().expect("the number of a sphere"))
    });
    let mut pairs: Vec<[u32; 2]> = pairs.collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Spheres of the Panda in VAMP.
const SPHERES: usize = 59;
/// Poses of a call of phalanx.
const CALL: usize = 1024;

/// Poses that touch no obstacle and not the robot itself: VAMP in lanes of eight poses of a motion, and of one pose.
fn robots(vamp: &OsString, pairs: &[[u32; 2]], is_quick: bool) {
    let motions = if is_quick { 64 } else { 1024 };
    let mut rng = StdRng::seed_from_u64(SEED + 2);
    let mut input = Input::default();
    input.count(8 * motions);
    for _ in 0..motions {
        let from = [(); 7].map(|()| rng.random_range(0.1..0.9f32));
        let turn = [(); 7].map(|()| rng.random_range(-0.1..0.1f32));
        for k in 0..8 {
            input.floats((0..7).map(|joint| from[joint] + turn[joint] * k as f32 / 7.0));
        }
    }
    let counts = [24, 192];
    input.count(counts.len());
    let mut scenes: Vec<Spheres> = Vec::new();
    for (count, radius) in counts.iter().zip([0.1, 0.05]) {
        let mut one = || rng.random_range(0.3..1.2) * if rng.random() { -1.0 } else { 1.0f32 };
        let obstacles: Vec<Sphere> = (0..*count)
            .map(|_| Sphere::new([one(), one(), one().abs()], radius))
            .collect();
        input.count(*count);
        for sphere in &obstacles {
            input.floats(sphere.center.into_iter().chain([radius]));
        }
        scenes.push(Spheres::from_slice(&obstacles));
    }
    let mut peer = Peer::start(vamp, &input.0);

    let numbers: Vec<f32> = floats(&peer.file("spheres")).collect();
    let spheres = numbers.as_chunks::<4>().0.iter();
    let sphere = |[x, y, z, radius]: &[f32; 4]| Sphere::new([*x, *y, *z], *radius);
    let spheres: Vec<Sphere> = spheres.map(sphere).collect();
    assert_eq!(spheres.len(), 8 * motions * SPHERES);
    // Kinematics may write them by poses, or all poses of a sphere in a row.
    let rows = spheres.chunks(CALL * SPHERES).map(|spheres| {
        let row = |k: usize| spheres.iter().skip(k).step_by(SPHERES).copied();
        (0..SPHERES).map(|k| row(k).collect()).collect()
    });
    let mut rows: Vec<Vec<Spheres>> = rows.collect();
    for (command, poses) in [("motions", 8), ("poses", 1)] {
        let calls = spheres.chunks(CALL * SPHERES);
        let calls = calls.map(|spheres| {
            let mut robot = Spheres::from_slice(spheres);
            let bodies = robot.bodies_mut().chunks_mut(SPHERES * poses);
            (0..).zip(bodies).for_each(|(k, bodies)| bodies.fill(k));
            robot
        });
        let mut calls: Vec<Spheres> = calls.collect();
        for (scene, obstacles) in scenes.iter().enumerate() {
            let mut detector = Detector::new().parallel(false);
            let (mut hits, mut overlaps) = (Overlaps::new(), Overlaps::new());
            let mut meets = vec![false; 8 * motions / poses];
            let mut own = |meets: &mut [bool], with_itself: bool| {
                // The poses are new, which drops their cache.
                for robot in &mut calls {
                    robot.columns_mut();
                }
                for row in rows.iter_mut().flatten() {
                    row.columns_mut();
                }
                let time = seconds(|| {
                    let both = calls.iter().zip(&rows);
                    for ((robot, rows), meets) in both.zip(meets.chunks_mut(CALL / poses)) {
                        let during = During::Start;
                        let found = detector.bodies_meet_any(robot, obstacles, during, &mut hits);
                        found.expect("each sphere has a body");
                        for (body, meets) in meets.iter_mut().enumerate() {
                            *meets = hits.is_hit_or_invalid(body);
                        }
                        if !with_itself {
                            continue;
                        }
                        for [a, b] in pairs {
                            let (a, b) = (&rows[*a as usize], &rows[*b as usize]);
                            let found = detector.overlap(a, b, Pairs::zip(), &mut overlaps);
                            found.expect("there is memory");
                            for pose in overlaps.iter() {
                                meets[pose / poses] = true;
                            }
                        }
                    }
                });
                time * 1e9 / (8 * motions) as f64
            };
            own(&mut meets, true);
            peer.call(&format!("{command} {scene}"));
            let answers = peer.file("answers");
            assert_eq!(answers.len(), meets.len());
            let both = meets.iter().zip(&answers);
            let is_different = |(meets, valid): &(&bool, &u8)| **meets == (**valid != 0);
            let different = both.filter(is_different).count();
            let blocked = meets.iter().filter(|meets| **meets).count();
            assert!(blocked > 0 && blocked < meets.len(), "decides nothing");
            let turns = Turns::new(is_quick).at_least(ROUNDS);
            // phalanx has no kinematics, so those of VAMP are added.
            let times = turns.measure_frames(4, COUNTS, |player, _| match player {
                0 => own(&mut meets, true) + peer.call("kinematics"),
                1 => own(&mut meets, false),
                2 => peer.call(&format!("{command} {scene}")),
                _ => peer.call("kinematics"),
            });
            let count = obstacles.len();
            let work = format!(
                "{command} of the Panda, {count} obstacles, {blocked} of {} blocked",
                meets.len()
            );
            let names = [
                "phalanx, with VAMP's kinematics",
                "phalanx, obstacles alone",
                "VAMP",
                "VAMP's kinematics alone",
            ];
            print(&work, &names, &[0, 0, different, 0], &times);
        }
    }
}
