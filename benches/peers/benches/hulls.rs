//! Convex hulls of 16 and 32 points, and cylinders: overlap, distance, sweep and contact, compared with parry3d, and a whole frame of rocks.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench hulls             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench hulls -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! The mean number of points of a contact is printed for both.
//!
//! Rocks and cylinders in random poses, paired at random: *close* ones mostly touch or nearly do, most *apart* ones do not. parry3d has the faces of its
//! polyhedra and its poses ready. Verdicts must agree, distances may differ by parry3d's tolerance. Contacts are those of the pairs that
//! touch, each manifold made new.
//!
//! The frame: 5,000 rocks move, their candidates are found, and the contacts of these.

use std::hint::black_box;

use parry3d::math::{Rotation, Vector};
use parry3d::partitioning::{Bvh, BvhWorkspace};
use parry3d::query::details::contact_manifold_pfm_pfm;
use parry3d::query::{ContactManifold, ShapeCastOptions, cast_shapes, distance, intersection_test};
use parry3d::shape::{ConvexPolyhedron, Cylinder, Shape, SharedShape};
use phalanx::{
    Contacts, Detector, Distances, During, Hull, HullKinds, Hulls, Overlaps, Pair, Sweeps,
};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::{Posed, unit_rotation};
use phalanx_bench::record::FileError;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

const KINDS: usize = 16;
/// Largest difference of distances that counts as equal, for shapes of size about 1.
const TOLERANCE: f32 = 1e-2;
/// Number of rocks of the frame.
const ROCKS: usize = 5_000;
/// Number of frames after which the rocks turn back.
const FRAMES: usize = 20;
/// Largest share of results that may differ, in addition to two, which may graze.
const MAX_DIFFERENT: f64 = 1e-3;

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("hulls");
    let len = if bench.is_quick() { 1 << 9 } else { 1 << 13 };
    for form in [Form::Points(16), Form::Points(32), Form::Cylinder] {
        for (name, reach) in [("close", 1.6), ("apart", 4.0)] {
            let scene = Rocks::new(form, len, reach);
            scene.hold(&mut bench, &format!("{}, {name}", form.name()));
        }
    }
    let rocks = if bench.is_quick() { ROCKS / 10 } else { ROCKS };
    hold_frame(&mut bench, rocks);
    bench.finish()
}

/// Shapes of the hulls of a scene.
#[derive(Clone, Copy)]
enum Form {
    /// Rocks of so many points.
    Points(usize),
    Cylinder,
}

impl Form {
    fn name(self) -> String {
        match self {
            Form::Points(points) => format!("{points} points"),
            Form::Cylinder => "cylinders".into(),
        }
    }

    /// Adds a kind, and returns the shape of parry3d. `None` for points that have no polyhedron there.
    fn add(self, rng: &mut StdRng, kinds: &mut HullKinds) -> Option<SharedShape> {
        let valid = "the numbers are finite";
        match self {
            Form::Points(points) => {
                let rock: Vec<[f32; 3]> = (0..points).map(|_| on_rock(rng)).collect();
                let vectors: Vec<Vector> = rock.iter().map(|point| (*point).into()).collect();
                let polyhedron = ConvexPolyhedron::from_convex_hull(&vectors)?;
                kinds.add(&rock).expect(valid);
                Some(SharedShape::new(polyhedron))
            }
            Form::Cylinder => {
                let (radius, half) = (rng.random_range(0.4..0.8), rng.random_range(0.4..0.8));
                kinds.add_cylinder(radius, half, 0.0).expect(valid);
                Some(SharedShape::new(Cylinder::new(half, radius)))
            }
        }
    }

    /// The frame of parry3d's shape in that of the hull: its cylinders stand along y.
    fn turn(self) -> Rotation {
        match self {
            Form::Points(_) => Rotation::IDENTITY,
            Form::Cylinder => Rotation::from_rotation_x(std::f32::consts::FRAC_PI_2),
        }
    }
}

/// Hulls in random poses, and pairs of them.
struct Rocks {
    hulls: Hulls,
    kinds: Vec<SharedShape>,
    peers: Vec<(Posed<usize>, Vector)>,
    pairs: Vec<Pair>,
}

impl Rocks {
    fn new(form: Form, len: usize, reach: f32) -> Self {
        let mut rng = StdRng::seed_from_u64(36);
        let (mut kinds, mut shapes) = (HullKinds::new(), Vec::new());
        while shapes.len() < KINDS {
            shapes.extend(form.add(&mut rng, &mut kinds));
        }
        let (mut hulls, mut peers) = (Hulls::new(&kinds), Vec::new());
        for i in 0..len {
            let mut vector = |reach: f32| [(); 3].map(|()| rng.random_range(-reach..reach));
            let (center, motion, [x, y, z]) = (vector(reach), vector(2.0), vector(1.0));
            let kind = i % KINDS;
            let rotation = unit_rotation([x, y, z, 0.5]);
            let pose = parry3d::math::Pose::from_parts(center.into(), rotation * form.turn());
            let rotation = rotation.to_array();
            hulls
                .push_moving(Hull::new(kind as u32, center, rotation), motion)
                .expect("the kind exists");
            peers.push((Posed { pose, shape: kind }, motion.into()));
        }
        // Not a rock with itself: parry3d casts no shape without relative motion.
        let mut pair = || {
            let (a, step) = (rng.random_range(0..len), rng.random_range(1..len));
            Pair::new(a as u32, ((a + step) % len) as u32)
        };
        Rocks {
            hulls,
            kinds: shapes,
            peers,
            pairs: (0..len).map(|_| pair()).collect(),
        }
    }

    /// Both shapes of a pair in parry3d.
    fn pair(&self, pair: Pair) -> [(&Posed<usize>, &dyn Shape, Vector); 2] {
        pair.indices().map(|i| {
            let (posed, motion) = &self.peers[i];
            (posed, &*self.kinds[posed.shape].0, *motion)
        })
    }

    fn hold(&self, bench: &mut Bench, scene: &str) {
        self.contest(
            bench,
            "hull_hull_overlap",
            scene,
            "intersection_test",
            |own, peers| {
                own.overlap();
                let differ =
                    (0..peers.len()).filter(|&i| own.overlaps.is_hit(i) != (peers[i] != 0.0));
                (own.overlaps.count(), differ.count())
            },
        );
        self.contest(
            bench,
            "hull_hull_distance",
            scene,
            "query::distance",
            |own, peers| {
                own.distance();
                let bounds = own.distances.lower().iter().zip(own.distances.upper());
                let differ = bounds.zip(peers).filter(|((lower, upper), peer)| {
                    **peer < **lower - TOLERANCE || **peer > **upper + TOLERANCE
                });
                let touching = own.distances.lower().iter().filter(|lower| **lower == 0.0);
                (touching.count(), differ.count())
            },
        );
        self.contest(
            bench,
            "hull_hull_sweep",
            scene,
            "cast_shapes",
            |own, peers| {
                own.sweep();
                let differ =
                    (0..peers.len()).filter(|&i| own.sweeps.is_hit(i) != peers[i].is_finite());
                (own.sweeps.count(), differ.count())
            },
        );
        let touching = self.touching();
        touching.contest(
            bench,
            "hull_hull_contact",
            scene,
            "details::contact_manifold_pfm_pfm",
            |own, peers| {
                own.contact();
                touching.print_points(own, scene);
                let separations = own.contacts.separation().iter().zip(peers);
                // No contact of parry3d's is deeper than the pair is.
                let differ = separations.filter(|(own, peer)| **peer < **own - TOLERANCE);
                (own.contacts.count(), differ.count())
            },
        );
    }

    /// Prints the mean number of points of a contact.
    fn print_points(&self, own: &Own<'_>, scene: &str) {
        let points: usize = own.contacts.iter().map(|c| c.points().len()).sum();
        let (mut of_peer, mut touching) = (0, 0);
        let mut manifold = ContactManifold::new();
        for pair in &self.pairs {
            self.peer_contact(*pair, &mut manifold);
            of_peer += manifold.points.len();
            touching += usize::from(!manifold.points.is_empty());
        }
        println!(
            "{scene}: {:.2} points a contact, parry3d {:.2}",
            points as f64 / own.contacts.count() as f64,
            of_peer as f64 / touching as f64
        );
    }

    /// Sets a manifold of parry3d to that of a pair.
    fn peer_contact(&self, pair: Pair, manifold: &mut ContactManifold<(), ()>) {
        let [(a, shape_a, _), (b, shape_b, _)] = self.pair(pair);
        let apart = a.pose.inv_mul(&b.pose);
        manifold.clear();
        if let (Some(a), Some(b)) = (
            shape_a.as_polygonal_feature_map(),
            shape_b.as_polygonal_feature_map(),
        ) {
            contact_manifold_pfm_pfm(&apart, a.0, 0.0, None, b.0, 0.0, None, 0.0, manifold);
        }
    }

    /// A copy of the rocks with the pairs that touch.
    fn touching(&self) -> Rocks {
        let mut own = Own::new(self);
        own.overlap();
        Rocks {
            hulls: self.hulls.clone(),
            kinds: self.kinds.clone(),
            peers: self.peers.clone(),
            pairs: own
                .overlaps
                .iter()
                .map(|position| self.pairs[position])
                .collect(),
        }
    }

    fn contest(
        &self,
        bench: &mut Bench,
        name: &str,
        scene: &str,
        call: &str,
        check: impl Fn(&mut Own<'_>, &[f32]) -> (usize, usize),
    ) {
        let label = Label {
            name: name.into(),
            scene: scene.into(),
            about: format!("{} pairs of rocks", self.pairs.len()),
            shapes: self.peers.len(),
            items: self.pairs.len(),
            unit: "pair",
        };
        let players = [Player::phalanx("phalanx"), Player::peer("parry3d", call)];
        bench.hold(label, &players, || {
            let mut own = Own::new(self);
            let mut peers = Vec::new();
            self.run_peer(name, &mut peers);
            let (hits, different) = check(&mut own, &peers);
            assert!(
                different as f64 <= 2.0 + MAX_DIFFERENT * self.pairs.len() as f64,
                "{name}, {scene}: {different} of {} differ",
                self.pairs.len()
            );
            let name = name.to_owned();
            Open {
                pairs: Some(self.pairs.len()),
                hits: Some(hits),
                different: vec![0, different],
                call: Box::new(move |player| match (player, &*name) {
                    (0, "hull_hull_overlap") => own.overlap(),
                    (0, "hull_hull_distance") => own.distance(),
                    (0, "hull_hull_contact") => own.contact(),
                    (0, _) => own.sweep(),
                    _ => {
                        self.run_peer(&name, &mut peers);
                        black_box(&peers);
                    }
                }),
            }
        });
    }

    /// parry3d's result of each pair: 1 for a hit, a distance, a time, or the separation of a contact.
    fn run_peer(&self, name: &str, out: &mut Vec<f32>) {
        self.run_peer_on(&self.pairs, name, out);
    }

    fn run_peer_on(&self, pairs: &[Pair], name: &str, out: &mut Vec<f32>) {
        out.clear();
        let mut manifold = ContactManifold::<(), ()>::new();
        let options = ShapeCastOptions {
            max_time_of_impact: 1.0,
            ..ShapeCastOptions::default()
        };
        out.extend(pairs.iter().map(|pair| {
            let [(a, shape_a, v), (b, shape_b, w)] = self.pair(*pair);
            let supported = "parry3d supports these shapes";
            match name {
                "hull_hull_overlap" => {
                    let found = intersection_test(&a.pose, shape_a, &b.pose, shape_b);
                    f32::from(u8::from(found.expect(supported).intersecting))
                }
                "hull_hull_distance" => {
                    let found = distance(&a.pose, shape_a, &b.pose, shape_b);
                    found.expect(supported).distance
                }
                "hull_hull_contact" => {
                    self.peer_contact(*pair, &mut manifold);
                    let depths = manifold.points.iter().map(|point| point.dist);
                    depths.fold(f32::INFINITY, f32::min)
                }
                _ => {
                    let found = cast_shapes(&a.pose, v, shape_a, &b.pose, w, shape_b, options);
                    let hit = found.expect(supported);
                    hit.map_or(f32::INFINITY, |hit| hit.time_of_impact)
                }
            }
        }));
    }
}

/// A point on a rock of radius about 1.
fn on_rock(rng: &mut StdRng) -> [f32; 3] {
    let v = [(); 3].map(|()| rng.random_range(-1.0f32..1.0));
    let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    let scale = rng.random_range(0.8f32..1.0) / length;
    v.map(|x| x * scale)
}

/// Inputs and results of phalanx.
struct Own<'s> {
    rocks: &'s Rocks,
    detector: Detector,
    overlaps: Overlaps,
    distances: Distances,
    sweeps: Sweeps,
    contacts: Contacts,
}

impl<'s> Own<'s> {
    fn new(rocks: &'s Rocks) -> Self {
        Own {
            rocks,
            detector: Detector::new().parallel(false),
            overlaps: Overlaps::new(),
            distances: Distances::new(),
            sweeps: Sweeps::new(),
            contacts: Contacts::new(),
        }
    }

    fn overlap(&mut self) {
        let Rocks { hulls, pairs, .. } = self.rocks;
        let done = self
            .detector
            .overlap(hulls, hulls, pairs, &mut self.overlaps);
        done.expect("pairs name hulls that exist");
        black_box(&self.overlaps);
    }

    fn distance(&mut self) {
        let Rocks { hulls, pairs, .. } = self.rocks;
        let done = self
            .detector
            .distance(hulls, hulls, pairs, &mut self.distances);
        done.expect("pairs name hulls that exist");
        black_box(&self.distances);
    }

    fn sweep(&mut self) {
        let Rocks { hulls, pairs, .. } = self.rocks;
        let done = self.detector.sweep(hulls, hulls, pairs, &mut self.sweeps);
        done.expect("pairs name hulls that exist");
        black_box(&self.sweeps);
    }
    fn contact(&mut self) {
        let Rocks { hulls, pairs, .. } = self.rocks;
        let done = self
            .detector
            .contact(hulls, hulls, pairs, &mut self.contacts);
        done.expect("pairs name hulls that exist");
        black_box(&self.contacts);
    }
}

/// Rocks that move, and what each side keeps from frame to frame.
struct Frames {
    rocks: Rocks,
    velocities: Vec<[f32; 3]>,
    detector: Detector,
    contacts: Contacts,
    pairs: Vec<Pair>,
    tree: Bvh,
    workspace: BvhWorkspace,
    candidates: Vec<Pair>,
    /// Number of frames of each side.
    frames: [usize; 2],
    /// Number of contacts of parry3d.
    touching: usize,
}

impl Frames {
    fn new(len: usize) -> Self {
        let reach = 0.75 * (len as f32).cbrt();
        let rocks = Rocks::new(Form::Points(32), len, reach);
        let mut rng = StdRng::seed_from_u64(5);
        let mut velocity = || [(); 3].map(|()| rng.random_range(-0.02f32..0.02));
        Frames {
            velocities: (0..len).map(|_| velocity()).collect(),
            rocks,
            detector: Detector::new().parallel(false),
            contacts: Contacts::new(),
            pairs: Vec::new(),
            tree: Bvh::default(),
            workspace: BvhWorkspace::default(),
            candidates: Vec::new(),
            frames: [0; 2],
            touching: 0,
        }
    }

    /// Sign of the motion of a side's next frame: back and forth.
    fn next(&mut self, player: usize) -> f32 {
        let frame = self.frames[player];
        self.frames[player] += 1;
        let is_forth = (frame / FRAMES).is_multiple_of(2);
        if is_forth { 1.0 } else { -1.0 }
    }

    fn own_frame(&mut self) {
        let sign = self.next(0);
        let hulls = &mut self.rocks.hulls;
        let poses = hulls.poses_mut();
        for (axis, column) in poses.center.into_iter().enumerate() {
            for (x, velocity) in column.iter_mut().zip(&self.velocities) {
                *x += sign * velocity[axis];
            }
        }
        let (hulls, pairs) = (&*hulls, &mut self.pairs);
        let found = self.detector.candidates(hulls, hulls, During::Start, pairs);
        let done = found.and_then(|_| {
            self.detector
                .contact(hulls, hulls, &*pairs, &mut self.contacts)
        });
        done.expect("the pairs are of these hulls");
        black_box(&self.contacts);
    }

    fn peer_frame(&mut self) {
        let sign = self.next(1);
        let Rocks { peers, kinds, .. } = &mut self.rocks;
        for (i, ((posed, _), velocity)) in peers.iter_mut().zip(&self.velocities).enumerate() {
            posed.pose.translation += Vector::from(*velocity) * sign;
            let bounds = kinds[posed.shape].compute_aabb(&posed.pose);
            self.tree.insert_or_update_partially(bounds, i as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        let candidates = &mut self.candidates;
        candidates.clear();
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                candidates.push(Pair::new(a.min(b), a.max(b)));
            });
        let mut manifolds = Vec::new();
        self.rocks
            .run_peer_on(candidates, "hull_hull_contact", &mut manifolds);
        self.touching = manifolds.iter().filter(|depth| **depth <= 0.0).count();
    }
}

/// A frame of both sides.
fn hold_frame(bench: &mut Bench, rocks: usize) {
    let label = Label {
        name: "whole frame".into(),
        scene: "rocks of 32 points".into(),
        about: format!("{rocks} rocks in motion"),
        shapes: rocks,
        items: rocks,
        unit: "rock",
    };
    let players = [
        Player::phalanx("phalanx"),
        Player::peer("parry3d", "Bvh, details::contact_manifold_pfm_pfm"),
    ];
    bench.hold(label, &players, || {
        let mut frames = Frames::new(rocks);
        frames.own_frame();
        frames.peer_frame();
        let hits = frames.contacts.count();
        let different = hits.abs_diff(frames.touching);
        assert!(
            different as f64 <= 2.0 + MAX_DIFFERENT * hits as f64,
            "{hits} contacts, parry3d has {}",
            frames.touching
        );
        Open {
            pairs: Some(frames.pairs.len()),
            hits: Some(hits),
            different: vec![0, different],
            call: Box::new(move |player| match player {
                0 => frames.own_frame(),
                _ => frames.peer_frame(),
            }),
        }
    });
}
