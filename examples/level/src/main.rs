//! A character, a lidar and thrown spheres in a level of about 220,000 triangles.
//!
//! ```text
//! cargo run --release -p phalanx-level                                   # a level made here
//! cargo run --release -p phalanx-level -- level.glb                      # or of a file: .obj, .gltf, .glb
//! cargo run --release -p phalanx-level -- --picture examples/level/level.svg
//! ```
//!
//! - [`character`]: collide and slide with [`first_hits`](phalanx::Detector::first_hits) of a capsule among the triangles of a
//!   [`Mesh`].
//! - [`lidar`]: 10,000 rays a second, by the same call.
//! - [`thrown`]: spheres that bounce, by [`sweeps`](phalanx::Scene::sweeps) of a scene with the level.
//! - [`plain`]: the judge, loops in `f64` over all triangles; for spheres over the triangles in a grid.
//!
//! The example fails if the character or a sphere passes through the level, or if a ray misses a triangle that it hits.
//! All counts are the same on every machine; times are not.

mod character;
mod files;
mod level;
mod lidar;
mod picture;
mod plain;
mod thrown;

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use character::{Character, FRAME, HALF_AXIS, Input, RADIUS, State};
use level::{Random, Soup};
use lidar::Lidar;
use phalanx::{Capsule, Detector, FirstHits, Mesh, Point, Points, Simd};
use thrown::Thrown;

/// Frames of a second.
const HERTZ: usize = 60;
/// Length of a run, in seconds.
const SECONDS: usize = 17;
/// Number of cells of the terrain along each axis.
const CELLS: usize = 300;
/// Maximum depth of the character or a sphere in the level, in metres.
const DEPTH: f64 = 1e-4;

/// Actions of the character: number of frames, direction, and whether it jumps.
const SCRIPT: [(usize, [f32; 2], bool); 8] = [
    // Up the stairs, over the bridge, down the ramp, through the tunnel, against the crates.
    (570, [1.0, 0.0], false),
    // Over the crates, against the bank.
    (110, [1.0, 0.0], true),
    // Onto the bank, too steep to stay on.
    (40, [1.0, 0.0], true),
    (40, [0.0, 0.0], false),
    // Around the bank, and along the wall behind it.
    (100, [-0.1, 0.995], false),
    (80, [1.0, 0.0], false),
    (60, [1.0, 0.0], true),
    (usize::MAX, [0.8, 0.6], false),
];

fn main() -> ExitCode {
    let run = Options::parse(std::env::args_os()).and_then(|options| run(&options));
    match run {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Default)]
struct Options {
    file: Option<PathBuf>,
    picture: Option<PathBuf>,
}

impl Options {
    fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self, Box<dyn Error>> {
        let mut parser = lexopt::Parser::from_iter(arguments);
        let mut options = Options::default();
        while let Some(argument) = parser.next()? {
            match argument {
                lexopt::Arg::Long("picture") => options.picture = Some(parser.value()?.into()),
                lexopt::Arg::Value(file) if options.file.is_none() => {
                    options.file = Some(file.into());
                }
                _ => return Err(argument.unexpected().into()),
            }
        }
        Ok(options)
    }
}

fn run(options: &Options) -> Result<bool, Box<dyn Error>> {
    let file = options.file.as_deref();
    let (name, soup) = match file {
        Some(path) => (path.display().to_string(), files::read(path)?),
        None => ("made here".into(), level::make(CELLS)),
    };
    let simd = Simd::best();
    println!(
        "phalanx on {simd}, {} lanes; {HERTZ} frames a second",
        simd.lanes()
    );
    let (mesh, time) = mesh(&soup).map_err(|error| format!("{name}: {error}"))?;
    let [min, max] = picture::bounds(&mesh);
    let [x, y, z] = [0, 1, 2].map(|k| max[k] - min[k]);
    println!(
        "level      {} triangles, {x:.0} m x {y:.0} m x {z:.0} m ({name}); mesh built in {:.0} ms",
        grouped(mesh.len()),
        millis(time),
    );
    let start = match file {
        Some(_) => [0.5 * (min[0] + max[0]), 0.5 * (min[1] + max[1])],
        None => level::START,
    };
    let report = simulate(&mesh, start, SECONDS)?;
    let is_right = report.print(file.is_none());
    if let Some(path) = &options.picture {
        let svg = picture::draw(&mesh, &report.way, &report.points)?;
        write(path, &svg)?;
    }
    Ok(is_right)
}

fn write(path: &Path, svg: &str) -> Result<(), String> {
    fs::write(path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("wrote {}", path.display());
    Ok(())
}

/// The mesh, and the time that it took to make.
fn mesh(soup: &Soup) -> Result<(Mesh, Duration), phalanx::Error> {
    let start = Instant::now();
    let mesh = Mesh::new(&soup.vertices, &soup.indices)?;
    let time = start.elapsed();
    mesh.validate()?;
    Ok((mesh, time))
}

/// Results of the character, the rays and the spheres.
#[derive(Default)]
struct Report {
    frames: usize,
    /// Frames in each state.
    states: [usize; 3],
    jumps: u32,
    casts: u32,
    /// Time of the first frame, which indexes the level, and of all others, without the judge.
    times: [Duration; 2],
    /// Frames of the run without the judge.
    timed: usize,
    /// Whether the run without the judge had the same path, bit for bit.
    repeats: bool,
    /// Length of the path, and its parts up and down, in metres.
    length: [f64; 3],
    /// Frames in which the axis, or its path during the frame, crosses a triangle.
    crossings: usize,
    /// Smallest distance from the level, in metres; negative if the capsule is in the level.
    gap: f64,
    /// Frames without ground below.
    groundless: usize,
    /// The position at the end of each frame.
    way: Vec<[f32; 3]>,
    lidar: lidar::Totals,
    /// Some of the points hit by the lidar.
    points: Vec<[f32; 3]>,
    thrown: thrown::Totals,
}

fn simulate(mesh: &Mesh, start: [f32; 2], seconds: usize) -> Result<Report, Box<dyn Error>> {
    let feet = ground(mesh, start)?;
    // Without the judge, which empties the caches of the CPU.
    let mut timed = Vec::new();
    let mut times = [Duration::ZERO; 2];
    let mut character = Character::new(feet)?;
    for input in inputs(seconds) {
        let start = Instant::now();
        character.frame(input, mesh)?;
        times[usize::from(!timed.is_empty())] += start.elapsed();
        timed.push(character.body.center);
    }

    let plain = plain::Level::new(mesh.triangles().iter().map(|triangle| triangle.corners));
    let grid = plain::Grid::new(&plain);
    let mut character = Character::new(feet)?;
    let mut lidar = Lidar::new();
    let mut thrown = Thrown::new(mesh)?;
    let mut report = Report {
        times,
        timed: timed.len(),
        gap: f64::INFINITY,
        ..Report::default()
    };
    for input in inputs(seconds) {
        let before = axis(&character.body);
        character.frame(input, mesh)?;
        thrown.frame(&grid)?;
        report.judge(&character, before, &plain);
        if report.frames % HERTZ == 1 {
            let [x, y, z] = character.body.center;
            lidar.scan([x, y, z + HALF_AXIS], mesh)?;
            lidar.check(&plain);
        }
        if report.groundless > 0 {
            break;
        }
    }
    report.repeats = report.way.iter().zip(&timed).all(|(a, b)| a == b);
    report.jumps = character.jumps;
    report.casts = character.casts;
    report.points = lidar.points;
    report.lidar = lidar.totals;
    report.thrown = thrown.totals;
    Ok(report)
}

/// The script, frame by frame.
fn inputs(seconds: usize) -> impl Iterator<Item = Input> {
    let frames = SCRIPT.iter().flat_map(|&(frames, heading, jump)| {
        (0..frames).map(move |frame| (heading, jump && frame == 0))
    });
    let mut random = Random(1);
    frames.take(seconds * HERTZ).map(move |([x, y], jump)| {
        // Input jitters, like a hand.
        let turn = random.between(-0.03, 0.03);
        let heading = [x - turn * y, y + turn * x];
        Input { heading, jump }
    })
}

/// The highest place of the level above a point.
fn ground(mesh: &Mesh, [x, y]: [f32; 2]) -> Result<[f32; 3], Box<dyn Error>> {
    let [min, max] = picture::bounds(mesh);
    let (top, fall) = (max[2] + 1.0, min[2] - max[2] - 2.0);
    let mut rays = Points::new();
    rays.push_moving(
        Point {
            position: [x, y, top],
        },
        [0.0, 0.0, fall],
    );
    let mut firsts = FirstHits::new();
    Detector::new().first_hits(&rays, mesh, &mut firsts)?;
    let hit = firsts
        .get(0)
        .ok_or("no ground in the middle of the level")?;
    // On a slope, start above the sphere at the lower end of the capsule.
    Ok([x, y, top + fall * hit.time.enter + 0.5])
}

/// The ends of the axis.
fn axis(body: &Capsule) -> [plain::Point; 2] {
    [-1.0, 1.0].map(|side| character::add(body.center, body.half_axis, side).map(f64::from))
}

impl Report {
    /// Judges a frame of the character by loops over all triangles.
    fn judge(&mut self, character: &Character, before: [plain::Point; 2], level: &plain::Level) {
        let [low, high] = axis(&character.body);
        let moved = plain::sub(low, before[0]);
        self.length[0] += moved[0].hypot(moved[1]);
        self.length[1] += moved[2].max(0.0);
        self.length[2] += (-moved[2]).max(0.0);
        self.frames += 1;
        self.states[match character.state {
            State::Ground => 0,
            State::Air => 1,
            State::Sliding => 2,
        }] += 1;
        let judged = level.judge([low, high], before, f64::from(RADIUS));
        self.crossings += usize::from(judged.crosses);
        self.gap = self.gap.min(judged.gap);
        self.groundless += usize::from(!judged.has_ground);
        self.way.push(character.body.center);
    }

    /// Prints the report. Returns whether everything is right. `is_closed` if there are walls around the level.
    fn print(&self, is_closed: bool) -> bool {
        let seconds = self.frames as f32 * FRAME;
        let height = 2.0 * (HALF_AXIS + RADIUS);
        let [ground, air, sliding] = self.states;
        let [length, up, down] = self.length;
        println!(
            "character  a capsule {height:.2} m tall, collide and slide by first_hits: {} frames, {seconds:.1} s",
            self.frames
        );
        println!(
            "  path     {length:.1} m, {up:.1} m up, {down:.1} m down, {} jumps",
            self.jumps
        );
        println!(
            "  frames   {ground} on the ground, {air} in the air, {sliding} sliding down a bank"
        );
        let casts = f64::from(self.casts) / self.frames as f64;
        println!(
            "  time     {:.1} µs a frame with {casts:.1} casts; the first, which indexes the level: {:.0} ms",
            1e3 * millis(self.times[1]) / (self.timed.max(2) - 1) as f64,
            millis(self.times[0]),
        );

        let lidar = &self.lidar;
        let rays = lidar.scans * lidar::RAYS;
        println!(
            "lidar      {} scans of {} rays, range {:.0} m: {:.0} rays/ms",
            lidar.scans,
            grouped(lidar::RAYS),
            lidar::RANGE,
            rays as f64 / millis(lidar.time),
        );
        println!(
            "  hits     {} of {}, mean range {:.2} m",
            grouped(lidar.hits),
            grouped(rays),
            lidar.range / lidar.hits.max(1) as f64,
        );

        let thrown = &self.thrown;
        println!(
            "spheres    {} thrown at up to 43 m/s, by sweeps of a scene: {:.0} µs a frame",
            thrown::SPHERES,
            1e3 * millis(thrown.time) / thrown.frames.max(1) as f64,
        );
        println!(
            "  hits     {} at more than 1 m/s, of {}",
            grouped(thrown.bounces),
            grouped(thrown.hits),
        );

        println!("checked by plain loops in f64, character and rays against all triangles:");
        println!(
            "  character  of {} frames, axis or path through a triangle: {}; without ground below: {}; least gap {:.2} mm",
            grouped(self.frames),
            self.crossings,
            self.groundless,
            1e3 * self.gap,
        );
        println!(
            "  rays       of {}, missed or late: {}; false hits: {}; early by {:.3} mm on average, by {:.1} mm at most (a grazing ray)",
            grouped(lidar.checked),
            lidar.missed,
            lidar.false_hits,
            1e3 * lidar.early / lidar.checked.max(1) as f64,
            1e3 * lidar.most_early,
        );
        println!(
            "  spheres    of {} steps, through a triangle: {}; least gap {:.2} mm",
            grouped(thrown.frames * thrown::SPHERES),
            thrown.crossings,
            1e3 * thrown.gap,
        );
        let failures = [
            (self.crossings > 0, "the character went through the level"),
            (self.gap < -DEPTH, "the character is too deep in the level"),
            (!self.repeats, "a second run took another path"),
            (
                is_closed && self.groundless > 0,
                "the character left the level",
            ),
            (lidar.missed > 0, "rays missed the level, or hit it late"),
            (lidar.false_hits > 0, "rays have false hits"),
            (thrown.crossings > 0, "a sphere went through the level"),
            (thrown.gap < -DEPTH, "a sphere is too deep in the level"),
        ];
        let failed: Vec<_> = failures
            .iter()
            .filter(|(is, _)| *is)
            .map(|(_, what)| *what)
            .collect();
        if !failed.is_empty() {
            println!("FAILED: {}", failed.join("; "));
            return false;
        }
        if self.groundless > 0 {
            println!("the walk ended at the edge of the level, which has no walls");
        }
        let rays = grouped(lidar.checked);
        let left = if is_closed { "left" } else { "went through" };
        println!(
            "0 rays missed, late or false of {rays}, 0 spheres through a triangle, checked against an f64 brute force; the character never {left} the level"
        );
        true
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// A number with commas.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A file with a unique name in the folder for temporary files.
    fn file(name: &str, content: &[u8]) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("phalanx-level-{}-{name}", std::process::id()));
        fs::write(&path, content).unwrap();
        path
    }

    fn read(name: &str, content: &[u8]) -> Result<Soup, String> {
        let path = file(name, content);
        let soup = files::read(&path);
        fs::remove_file(&path).unwrap();
        if let Err(error) = &soup {
            assert!(error.contains(name), "{error}");
        }
        soup
    }

    /// A square of two triangles as glTF, with values that tests make invalid.
    fn gltf(count: usize, kind: u32, last: u16) -> String {
        use base64::Engine;
        let corners = [
            [0.0f32, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [1.0, 0.0, -1.0],
            [0.0, 0.0, -1.0],
        ];
        let mut bytes: Vec<u8> = corners
            .iter()
            .flatten()
            .flat_map(|x| x.to_le_bytes())
            .collect();
        bytes.extend(
            [0, 1, 2, 0, 2, last]
                .iter()
                .flat_map(|k: &u16| k.to_le_bytes()),
        );
        let data = base64::prelude::BASE64_STANDARD.encode(bytes);
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}],
            "nodes": [{{"mesh": 0, "translation": [0, 5, 0]}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}, "indices": 1}}]}}],
            "accessors": [
                {{"bufferView": 0, "componentType": 5126, "count": {count}, "type": "VEC3", "min": [0, 0, -1], "max": [1, 0, 0]}},
                {{"bufferView": 1, "componentType": {kind}, "count": 6, "type": "SCALAR"}}],
            "bufferViews": [
                {{"buffer": 0, "byteOffset": 0, "byteLength": 48}},
                {{"buffer": 0, "byteOffset": 48, "byteLength": 12}}],
            "buffers": [{{"byteLength": 60, "uri": "data:application/octet-stream;base64,{data}"}}]}}"#
        )
    }

    #[test]
    fn character_stays_in_the_level() {
        let (mesh, _) = mesh(&level::make(CELLS)).unwrap();
        let report = simulate(&mesh, level::START, 2).unwrap();
        assert!(report.print(true));
        assert!(report.frames == 120 && report.lidar.checked == 2000 && report.thrown.bounces > 0);
    }

    #[test]
    fn judge_finds_a_capsule_in_the_level() {
        let (mesh, _) = mesh(&level::make(CELLS)).unwrap();
        let plain = plain::Level::new(mesh.triangles().iter().map(|triangle| triangle.corners));
        let [x, y, z] = ground(&mesh, level::START).unwrap().map(f64::from);
        let (low, high) = ([x, y, z - 1.0], [x, y, z + 1.0]);
        assert!(plain.judge([low, high], [low, high], 0.1).crosses);
        let above = [[x, y, z + 1.0], [x, y, z + 2.0]];
        let judged = plain.judge(above, above, 0.1);
        assert!(judged.has_ground && !judged.crosses && judged.gap > 0.0);
        assert!(plain.judge(above, [low, high], 0.1).crosses);
        let times = plain.first_times([x, y, z], &[[0.0, 0.0, -2.0], [0.0, 0.0, 50.0]]);
        assert!(
            (times[0] - 0.25).abs() < 1e-4 && times[1] == f64::INFINITY,
            "{times:?}"
        );
    }

    #[test]
    fn files_with_the_same_square_give_the_same_triangles() {
        let obj = b"v 0 5 0\nv 1 5 0\nv 1 5 -1\nv 0 5 -1\nf 1 2 3\nf 1 3 4\n";
        let [obj, gltf] = [
            read("square.obj", obj).unwrap(),
            read("square.gltf", gltf(4, 5123, 3).as_bytes()).unwrap(),
        ];
        assert_eq!(
            (&obj.vertices, &obj.indices),
            (&gltf.vertices, &gltf.indices)
        );
        assert_eq!(obj.vertices[2], [1.0, 1.0, 5.0]);
    }

    #[test]
    fn bad_files_give_errors_that_name_them() {
        assert!(files::read(Path::new("nowhere/level.obj")).is_err());
        assert!(read("level.txt", b"").is_err());
        assert!(read("empty.obj", b"").is_err());
        assert!(read("index.obj", b"v 0 0 0\nv 1 0 0\nf 1 2 3\n").is_err());
        assert!(read("words.obj", b"v zero 0 0\n").is_err());
        assert!(read("noise.glb", &[7; 100]).is_err());
        assert!(read("noise.gltf", b"{").is_err());
        for (name, gltf) in [
            ("none.gltf", gltf(0, 5123, 3)),
            ("long.gltf", gltf(5, 5123, 3)),
            ("huge.gltf", gltf(usize::MAX / 8, 5123, 3)),
            ("floats.gltf", gltf(4, 5126, 3)),
            ("wide.gltf", gltf(4, 5125, 3)),
            ("index.gltf", gltf(4, 5123, 4)),
            (
                "cycle.gltf",
                gltf(4, 5123, 3).replace(r#""mesh": 0,"#, r#""mesh": 0, "children": [0],"#),
            ),
        ] {
            assert!(read(name, gltf.as_bytes()).is_err(), "{name}");
        }
        let error = read("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
            .and_then(|soup| mesh(&soup).map_err(|error| error.to_string()));
        assert!(error.is_err());
    }
}
