//! A level of triangles: `Detector::first_hits` in a `Mesh` compared with parry3d's `TriMesh::cast_local_ray`, and a
//! frame of boxes on it, `candidates` and `contact` compared with `contact_manifolds` of a `TriMesh`.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench mesh             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench mesh -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! A terrain of hills, two triangles a square metre, and 10,000 rays, new rays in each frame. Each turn begins with
//! frames that are not measured, so the measured level is unchanged for a while.
//!
//! The boxes are on the ground, and all move from frame to frame. parry3d keeps the manifolds and the workspace of each
//! box.
//!
//! Results are checked: no ray misses the terrain where parry3d hits it, and hits at other times are counted. No box
//! lacks a contact that parry3d finds.

use std::cell::{LazyCell, RefCell};

use parry3d::math::{Rotation, Vector};
use parry3d::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
    Ray, RayCast,
};
use parry3d::shape::{Cuboid, TriMesh};
use phalanx::{Contacts, Detector, During, FirstHits, Mesh, Obb, Obbs, Pair, Point, Points};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::Posed;
use phalanx_bench::first_hits;
use phalanx_bench::hills::{Rays, height, terrain};
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::SEED;
use phalanx_bench::turns::seconds;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Squares along a side of the terrain.
const SIDES: [usize; 2] = [70, 500];
const QUICK_SIDES: [usize; 1] = [30];
const RAYS: usize = 10_000;
/// Number of frames, each with new rays.
const FRAMES: usize = 4;
/// Unmeasured and measured frames of a turn: first until caches are warm and threads awake.
const UNMEASURED: usize = 12;
const MEASURED: usize = 12;
/// Number of passes over all shapes until static stores are cached.
const WARM: usize = 4;

const KINDS: [(&str, Rays); 3] = [
    ("rays down", Rays::Down),
    ("rays of 50 to 500 m", Rays::Across(50.0, 500.0)),
    ("rays of 0.2 to 2 m", Rays::Across(0.2, 2.0)),
];

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("mesh");
    let sides: &[usize] = if bench.is_quick() {
        &QUICK_SIDES
    } else {
        &SIDES
    };
    for &side in sides {
        for (name, rays) in KINDS {
            cast_rays(&mut bench, name, side, rays);
        }
        rest_boxes(&mut bench, side);
    }
    bench.finish()
}

/// A terrain for either side.
fn levels(side: usize) -> (Mesh, TriMesh) {
    let (vertices, indices) = terrain(side);
    let level = Mesh::new(&vertices, &indices).expect("a terrain is a mesh");
    let vertices = vertices.into_iter().map(Vector::from).collect();
    let peer = TriMesh::new(vertices, indices).expect("a terrain is a mesh");
    (level, peer)
}

#[derive(Clone, Copy)]
enum Who {
    Phalanx,
    TriMesh,
}

const ALL: [Who; 2] = [Who::Phalanx, Who::TriMesh];

/// Two sides that compute the same frames.
trait Frames {
    /// Seconds of a frame, without building its shapes.
    fn frame(&mut self, who: Who, frame: usize) -> f64;
    /// Number of hits in the last frame, and number of hits in all frames that differ from the peer's. Panics if a hit
    /// is missed.
    fn compare(&mut self) -> (usize, usize);
}

/// Measures frames of both sides. `peer` is the name of the peer's call.
fn measure<F: Frames>(bench: &mut Bench, label: Label, peer: &'static str, frames: impl Fn() -> F) {
    let players = [Player::phalanx("phalanx"), Player::peer("parry3d", peer)];
    let whole = LazyCell::new(|| {
        let (mut frames, mut frame) = (frames(), 0);
        RefCell::new(Open::unchecked(move |player| {
            frame += 1;
            frames.frame(ALL[player], frame);
        }))
    });
    if !bench.is_wanted(&label, &players, &whole) {
        return;
    }
    let mut frames = frames();
    for frame in 0..WARM + 2 * label.shapes / RAYS {
        frames.frame(Who::Phalanx, frame);
    }
    let (hits, different) = frames.compare();
    let frame = |player: usize, frame| frames.frame(ALL[player], frame);
    let counts = [UNMEASURED, MEASURED];
    let times = bench.turns().measure_frames(ALL.len(), counts, frame);
    let mut open = Open::unchecked(|_| ());
    open.hits = Some(hits);
    open.different = vec![0, different];
    bench.add(label, &players, &open, &times);
}

/// A terrain and the ray casters of both sides.
struct Casters {
    level: Mesh,
    peer: TriMesh,
    frames: Vec<Vec<Ray>>,
    rays: Points,
    detector: Detector,
    /// First hits of either side in the last frame.
    own: FirstHits,
    peers: Vec<Option<f32>>,
}

impl Casters {
    fn new(side: usize, rays: Rays) -> Self {
        let (level, peer) = levels(side);
        let mut rng = StdRng::seed_from_u64(SEED);
        let mut frame = || {
            let ray = |_| rays.ray(side as f32, &mut rng);
            (0..RAYS).map(ray).collect::<Vec<_>>()
        };
        Casters {
            level,
            frames: (0..FRAMES).map(|_| frame()).collect(),
            rays: Points::new(),
            detector: Detector::new().parallel(false),
            own: FirstHits::new(),
            peers: Vec::new(),
            peer,
        }
    }
}

impl Frames for Casters {
    fn frame(&mut self, who: Who, frame: usize) -> f64 {
        let rays = &self.frames[frame % FRAMES];
        match who {
            Who::TriMesh => seconds(|| {
                let cast = |ray| self.peer.cast_local_ray(ray, 1.0, true);
                self.peers.clear();
                self.peers.extend(rays.iter().map(cast));
            }),
            Who::Phalanx => {
                self.rays.clear();
                self.rays.extend_moving(rays.iter().map(|ray| {
                    let position = ray.origin.into();
                    (Point { position }, ray.dir)
                }));
                seconds(|| {
                    let found = self
                        .detector
                        .first_hits(&self.rays, &self.level, &mut self.own);
                    found.expect("there is memory");
                })
            }
        }
    }

    fn compare(&mut self) -> (usize, usize) {
        let mut different = 0;
        for frame in 0..FRAMES {
            self.frame(Who::Phalanx, frame);
            self.frame(Who::TriMesh, frame);
            different += first_hits::different(&self.own, self.peers.iter().copied());
        }
        (self.own.count(), different)
    }
}

fn cast_rays(bench: &mut Bench, name: &str, side: usize, rays: Rays) {
    let triangles = 2 * side * side;
    let label = Label {
        name: "mesh".into(),
        scene: format!("{triangles}, {name}"),
        about: format!("{RAYS} rays through a mesh of {triangles} triangles"),
        shapes: triangles,
        items: RAYS,
        unit: "ray",
    };
    measure(bench, label, "TriMesh::cast_local_ray", || {
        Casters::new(side, rays)
    });
}

/// Number of boxes on the terrain.
const BOXES: usize = 1_000;
/// Depth in metres from which parry3d's contacts count, so that rounding decides none.
const DEPTH: f32 = 1e-4;

/// Manifolds and workspace of a box, which parry3d keeps from frame to frame.
#[derive(Default)]
struct PeerContacts {
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl PeerContacts {
    fn touch(&self) -> bool {
        let mut points = self.manifolds.iter().flat_map(|manifold| &manifold.points);
        points.any(|point| point.dist < -DEPTH)
    }
}

/// A terrain and boxes on it.
struct RestingBoxes {
    level: Mesh,
    peer: TriMesh,
    /// Boxes of each frame, for either side.
    frames: Vec<(Obbs, Vec<Posed<Cuboid>>)>,
    detector: Detector,
    pairs: Vec<Pair>,
    own: Contacts,
    peers: Vec<PeerContacts>,
}

impl RestingBoxes {
    fn new(side: usize) -> Self {
        let (level, peer) = levels(side);
        let mut rng = StdRng::seed_from_u64(SEED + 1);
        let place = |_| [(); 2].map(|()| rng.random_range(2.0..side as f32 - 2.0));
        let places: Vec<[f32; 2]> = (0..BOXES).map(place).collect();
        let mut frame = || {
            let boxes: Vec<Obb> = places.iter().map(|&at| resting_box(at, &mut rng)).collect();
            let posed = boxes.iter().map(|&obb| obb.into()).collect();
            (Obbs::from_slice(&boxes), posed)
        };
        RestingBoxes {
            level,
            frames: (0..FRAMES).map(|_| frame()).collect(),
            detector: Detector::new().parallel(false),
            pairs: Vec::new(),
            own: Contacts::new(),
            peers: (0..BOXES).map(|_| PeerContacts::default()).collect(),
            peer,
        }
    }
}

impl Frames for RestingBoxes {
    fn frame(&mut self, who: Who, frame: usize) -> f64 {
        let (boxes, posed) = &mut self.frames[frame % FRAMES];
        match who {
            Who::TriMesh => seconds(|| {
                for (posed, kept) in posed.iter().zip(&mut self.peers) {
                    let found = DefaultQueryDispatcher.contact_manifolds(
                        &posed.pose,
                        &self.peer,
                        &posed.shape,
                        0.0,
                        &mut kept.manifolds,
                        &mut kept.workspace,
                    );
                    found.expect("a mesh and a box have manifolds");
                }
            }),
            Who::Phalanx => {
                // The boxes have moved, which drops their cache.
                boxes.columns_mut();
                seconds(|| {
                    let (detector, pairs) = (&mut self.detector, &mut self.pairs);
                    let found = detector.candidates(boxes, &self.level, During::Start, pairs);
                    found.expect("there is memory");
                    let found = detector.contact(boxes, &self.level, &*pairs, &mut self.own);
                    found.expect("there is memory");
                })
            }
        }
    }

    fn compare(&mut self) -> (usize, usize) {
        let (mut touching, mut different) = (0, 0);
        for frame in 0..FRAMES {
            self.frame(Who::Phalanx, frame);
            self.frame(Who::TriMesh, frame);
            let mut own = vec![false; BOXES];
            for position in self.own.positions() {
                own[self.pairs[*position as usize].a as usize] = true;
            }
            for (at, (own, peer)) in own.iter().zip(&self.peers).enumerate() {
                assert!(*own || !peer.touch(), "box {at} lacks a contact");
                different += usize::from(*own && !peer.touch());
            }
            touching = own.into_iter().filter(|&touches| touches).count();
        }
        (touching, different)
    }
}

/// A box on the terrain at about `[x, y]`: upright on the ground, its bottom 1 cm deep, rotated by a random angle.
fn resting_box(at: [f32; 2], rng: &mut StdRng) -> Obb {
    let [x, y] = at.map(|at| at + rng.random_range(-0.1..0.1));
    let slope = |dx, dy| (height(x + dx, y + dy) - height(x - dx, y - dy)) / (2.0 * (dx + dy));
    let up = Vector::new(-slope(0.1, 0.0), -slope(0.0, 0.1), 1.0).normalize();
    let spin = Rotation::from_rotation_z(rng.random_range(-3.0..3.0));
    let half_extents = [(); 3].map(|()| rng.random_range(0.3..1.0f32));
    let center = Vector::new(x, y, height(x, y)) + up * (half_extents[2] - 0.01);
    Obb {
        center: center.into(),
        half_extents,
        rotation: (Rotation::from_rotation_arc(Vector::Z, up) * spin).into(),
    }
}

fn rest_boxes(bench: &mut Bench, side: usize) {
    let triangles = 2 * side * side;
    let label = Label {
        name: "mesh".into(),
        scene: format!("{triangles}, boxes at rest"),
        about: format!("{BOXES} boxes on a mesh of {triangles} triangles"),
        shapes: triangles,
        items: BOXES,
        unit: "box",
    };
    measure(bench, label, "contact_manifolds", || {
        RestingBoxes::new(side)
    });
}
