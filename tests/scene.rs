//! A scene answers as its parts do: random programs of additions, removals and changes, whose answers are, bit by bit, those of
//! verbs for each two colliders.
//!
//! `PHALANX_SCENES=10000 cargo test --release --test scene` runs more frames.
#![cfg(all(feature = "scene", not(phalanx_only)))]

#[path = "scene/model.rs"]
mod model;

use std::collections::BTreeSet;
use std::f32::consts::FRAC_1_SQRT_2;

use model::{HULL_RADII, Model, random_collider, random_pose};
use phalanx::{
    Cast, CastHit, Collider, ColliderId, Error, Filter, Groups, Mark, Mesh, Pose, Ray, Scene,
    SceneContacts, Sides, Simd,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Number of frames of all programs of a test.
fn frames() -> usize {
    let frames = std::env::var("PHALANX_SCENES").ok();
    frames.map_or(600, |frames| frames.parse().unwrap())
}

/// Frames of one program.
const FRAMES: usize = 30;

fn random_mark(rng: &mut StdRng) -> Mark {
    let mut mark = match rng.random_range(0..8) {
        0..5 => Mark::moving(),
        5..7 => Mark::fixed(),
        _ => Mark::sensor(),
    };
    if rng.random_bool(0.2) {
        let mut bits = || rng.random_range(0..8u32);
        mark.groups = Groups {
            is: bits(),
            meets: bits(),
        };
    }
    if rng.random_bool(0.3) {
        mark.body = rng.random_range(0..4);
    }
    mark.is_swept = rng.random_bool(0.4);
    mark.entity = rng.random();
    mark
}

fn random_filter<'f>(rng: &mut StdRng, without: &'f [ColliderId]) -> Filter<'f> {
    let mut filter = Filter {
        hits_sensors: rng.random_bool(0.3),
        without,
        approaching: rng.random_bool(0.3),
        ..Filter::default()
    };
    if rng.random_bool(0.3) {
        filter.groups.meets = rng.random_range(0..8);
    }
    if rng.random_bool(0.3) {
        filter.body = rng.random_range(0..4);
    }
    filter
}

/// A scene beside its model.
struct Program {
    scene: Scene,
    model: Model,
    contacts: SceneContacts,
    /// The pairs that touched in the frame before.
    last: BTreeSet<(ColliderId, ColliderId)>,
}

impl Program {
    fn new(rng: &mut StdRng) -> Self {
        let mut program = Program {
            scene: Scene::new(),
            model: Model::new(rng),
            contacts: SceneContacts::new(),
            last: BTreeSet::new(),
        };
        for (points, radius) in program.model.hull_points.iter().zip(HULL_RADII) {
            let scene = &mut program.scene;
            let added = match radius {
                0.0 => scene.add_hull_kind(points),
                _ => scene.add_rounded_hull_kind(points, radius),
            };
            added.unwrap();
        }
        for mesh in &program.model.meshes {
            program.scene.add_mesh(mesh.clone());
        }
        for _ in 0..rng.random_range(0..40) {
            program.add(rng);
        }
        program
    }

    fn add(&mut self, rng: &mut StdRng) {
        let collider = random_collider(rng, false);
        let (pose, mark) = (random_pose(rng, self.model.origin), random_mark(rng));
        let id = self.scene.add(collider, pose, mark).unwrap();
        let is_new = self.model.add(id, collider, pose, mark);
        assert!(is_new, "{id} is not new");
    }

    fn any(&self, rng: &mut StdRng) -> Option<ColliderId> {
        let ids: Vec<ColliderId> = self.model.colliders.keys().copied().collect();
        (!ids.is_empty()).then(|| ids[rng.random_range(0..ids.len())])
    }

    fn change(&mut self, rng: &mut StdRng) {
        let Some(id) = self.any(rng) else {
            return self.add(rng);
        };
        let held = self.model.colliders.get_mut(&id).unwrap();
        match rng.random_range(0..24) {
            // No change.
            22 => self.scene.set_pose(id, held.pose).unwrap(),
            23 => self.scene.set_mark(id, held.mark).unwrap(),
            20..22 => {
                held.collider = random_collider(rng, false);
                self.scene.set_collider(id, held.collider).unwrap();
                assert_eq!(self.scene.collider(id), Some(held.collider));
            }
            0..2 => self.add(rng),
            2..4 => {
                self.scene.remove(id).unwrap();
                self.model.remove(id);
                assert_eq!(self.scene.remove(id), Err(unknown(&self.scene, id)));
            }
            4 => {
                held.mark = random_mark(rng);
                self.scene.set_mark(id, held.mark).unwrap();
            }
            5..9 => {
                held.displacement = [(); 3].map(|()| rng.random_range(-2.0..2.0));
                self.scene.set_displacement(id, held.displacement).unwrap();
            }
            9 => {
                held.displacement = [0.0; 3];
                self.scene.set_displacement(id, [0.0; 3]).unwrap();
            }
            10 if rng.random_bool(0.2) => {
                held.pose.position[1] = f64::NAN;
                self.scene.set_pose(id, held.pose).unwrap();
            }
            11 if rng.random_bool(0.2) => {
                held.pose.rotation = [0.0, 0.0, 0.0, 1.1];
                self.scene.set_pose(id, held.pose).unwrap();
            }
            12 if rng.random_bool(0.2) => {
                held.displacement[2] = f32::INFINITY;
                self.scene.set_displacement(id, held.displacement).unwrap();
            }
            _ => {
                held.pose = random_pose(rng, self.model.origin);
                self.scene.set_pose(id, held.pose).unwrap();
            }
        }
    }

    fn frame(&mut self, rng: &mut StdRng) {
        for _ in 0..rng.random_range(0..12) {
            self.change(rng);
        }
        if rng.random_bool(0.1) {
            let far = [0.0, 1e3, 1e9][rng.random_range(0..3)];
            let origin = [far, 0.125, -far];
            let by: [f64; 3] = [0, 1, 2].map(|k| origin[k] - self.model.origin[k]);
            for (id, held) in &mut self.model.colliders {
                for (x, by) in held.pose.position.iter_mut().zip(by) {
                    *x += by;
                }
                self.scene.set_pose(*id, held.pose).unwrap();
            }
            self.scene.set_origin(origin).unwrap();
            self.model.origin = origin;
        }
        if rng.random_bool(0.2) {
            let all: Vec<Simd> = Simd::available().collect();
            let simd = all[rng.random_range(0..all.len())];
            self.scene.detector_mut().set_simd(simd);
            self.scene.detector_mut().set_parallel(rng.random());
        }
        if rng.random_bool(0.05) {
            self.scene.shrink();
            self.scene.prepare().unwrap();
        }
        assert_eq!(self.scene.len(), self.model.colliders.len());
        assert!(self.scene.ids().eq(self.model.colliders.keys().copied()));
        let invalid = self.model.colliders.iter();
        let invalid = invalid.filter(|(_, held)| !self.model.is_valid(held));
        let invalid: Vec<ColliderId> = invalid.map(|(id, _)| *id).collect();
        let named = self.scene.iter_invalid().map(|(id, _)| id);
        assert!(named.eq(invalid.iter().copied()));
        assert_eq!(self.scene.invalid_count(), invalid.len());
        // In any order: no query changes the answer of another.
        for _ in 0..rng.random_range(1..4) {
            match rng.random_range(0..6) {
                0..2 => self.check_contacts(rng),
                2 => self.check_sweeps(),
                3 => self.check_rays(rng),
                4 => self.check_casts(rng),
                _ => self.check_near(rng),
            }
        }
    }

    fn check_contacts(&mut self, rng: &mut StdRng) {
        let margin = [0.0, 0.25][usize::from(rng.random_bool(0.3))];
        self.scene.set_margin(margin).unwrap();
        if rng.random_bool(0.1) {
            // Neither knows the last call of the other.
            let mut contacts = SceneContacts::new();
            self.scene.contacts(&mut contacts).unwrap();
            if let Some(id) = self.any(rng) {
                let held = self.model.colliders.get_mut(&id).unwrap();
                held.pose = random_pose(rng, self.model.origin);
                self.scene.set_pose(id, held.pose).unwrap();
            }
        }
        if rng.random_bool(0.1) {
            // Both go on by themselves.
            let (mut scene, mut contacts) = (self.scene.clone(), self.contacts.clone());
            scene.clear();
            scene.contacts(&mut contacts).unwrap();
            assert!(contacts.is_empty());
        }
        self.scene.contacts(&mut self.contacts).unwrap();
        let expected = self.model.contacts(margin);
        let found: Vec<_> = self.contacts.iter().map(model::of_scene).collect();
        for (found, expected) in found.iter().zip(&expected) {
            let held = [expected.0, expected.1].map(|id| &self.model.colliders[&id]);
            assert_eq!(found, expected, "{held:?}, margin {margin}");
        }
        assert_eq!(found.len(), expected.len());
        for (position, contact) in self.contacts.iter().enumerate() {
            assert_eq!(contact.contact.position, position);
            let center = self.model.center(contact);
            for k in 0..3 {
                let off = (contact.center[k] - center[k]).abs();
                assert!(off <= 1e-5, "{:?}, not {center:?}", contact.center);
            }
        }
        let now: BTreeSet<_> = self.contacts.iter().map(|contact| contact.pair()).collect();
        assert!(
            self.contacts
                .began()
                .eq(now.difference(&self.last).copied())
        );
        assert!(
            self.contacts
                .ended()
                .eq(self.last.difference(&now).copied())
        );
        for (contact, last) in self.contacts.lasting() {
            assert_eq!(contact.pair(), last.pair());
            let (a, b) = contact.pair();
            assert!(self.contacts.between(a, b).contains(contact));
            assert!(self.contacts.last_between(a, b).contains(last));
        }
        let mut anew = SceneContacts::new();
        self.scene.clone().contacts(&mut anew).unwrap();
        assert_eq!(anew.as_slice(), self.contacts.as_slice());
        let is_there = |contact: &&phalanx::SceneContact| {
            let same = |last: &&phalanx::SceneContact| {
                (last.pair(), last.part_a, last.part_b)
                    == (contact.pair(), contact.part_a, contact.part_b)
            };
            self.contacts.last().iter().any(|last| same(&last))
        };
        let lasting = self.contacts.iter().filter(is_there).count();
        assert_eq!(self.contacts.lasting().count(), lasting);
        self.last = now;
    }

    fn check_sweeps(&mut self) {
        let mut hits = Vec::new();
        self.scene.sweeps(&mut hits).unwrap();
        let found: Vec<_> = hits.iter().map(|hit| (hit.mover, bits(&hit.hit))).collect();
        let expected = self.model.sweeps();
        assert_eq!(found, expected);
    }

    fn check_rays(&mut self, rng: &mut StdRng) {
        let (model, scene) = (&self.model, &mut self.scene);
        let without: Vec<ColliderId> = model.colliders.keys().copied().step_by(7).collect();
        let filter = random_filter(rng, &without);
        let rays: Vec<Ray> = (0..rng.random_range(0..20))
            .map(|_| Ray {
                from: random_pose(rng, model.origin).position,
                displacement: match rng.random_range(0..10) {
                    0 => [f32::NAN; 3],
                    _ => [(); 3].map(|()| rng.random_range(-8.0..8.0)),
                },
            })
            .collect();
        let mut hits = Vec::new();
        let invalid = scene.cast_rays(&rays, &filter, &mut hits).unwrap();
        let is_nan = |ray: &&Ray| ray.displacement[0].is_nan();
        assert_eq!(invalid, rays.iter().filter(is_nan).count());
        let found: Vec<_> = hits.iter().map(|hit| hit.as_ref().map(bits)).collect();
        let expected: Vec<_> = rays.iter().map(|ray| model.ray(ray, &filter)).collect();
        assert_eq!(found, expected);
        for (ray, hit) in rays.iter().zip(&hits) {
            let Some(hit) = hit else { continue };
            for k in 0..3 {
                let way = f64::from(ray.displacement[k]) * f64::from(hit.time.enter);
                let off = (hit.point[k] - (ray.from[k] + way)).abs();
                assert!(off < 1e-4, "{hit:?} of {ray:?}");
            }
        }
    }

    fn check_casts(&mut self, rng: &mut StdRng) {
        let (model, scene) = (&self.model, &mut self.scene);
        let without: Vec<ColliderId> = model.colliders.keys().copied().step_by(5).collect();
        let filter = random_filter(rng, &without);
        let casts: Vec<Cast> = (0..rng.random_range(0..12))
            .map(|_| Cast {
                collider: random_collider(rng, true),
                pose: random_pose(rng, model.origin),
                displacement: [(); 3].map(|()| rng.random_range(-4.0..4.0)),
            })
            .collect();
        let mut hits = Vec::new();
        scene.casts(&casts, &filter, &mut hits).unwrap();
        let found: Vec<_> = hits.iter().map(|hit| hit.as_ref().map(bits)).collect();
        let expected: Vec<_> = casts.iter().map(|cast| model.cast(cast, &filter)).collect();
        assert_eq!(found, expected);

        for Cast { collider, pose, .. } in casts {
            let mut ids = Vec::new();
            scene
                .overlaps_of(collider, pose, &filter, &mut ids)
                .unwrap();
            assert_eq!(ids, model.overlaps(&collider, &pose, &filter));
        }
    }

    fn check_near(&mut self, rng: &mut StdRng) {
        let (model, scene) = (&self.model, &mut self.scene);
        let without: Vec<ColliderId> = model.colliders.keys().copied().step_by(6).collect();
        let filter = random_filter(rng, &without);
        let radius = rng.random_range(0.0..3.0);
        let points: Vec<[f64; 3]> = (0..rng.random_range(0..12))
            .map(|_| random_pose(rng, model.origin).position)
            .collect();
        let mut found = Vec::new();
        scene.nearest(&points, radius, &filter, &mut found).unwrap();
        assert_eq!(found.len(), points.len());
        for (point, found) in points.iter().zip(&found) {
            let expected = model.nearest_to_point(*point, radius, &filter);
            let found = (
                found.id,
                found.part,
                found.lower.to_bits(),
                found.upper.to_bits(),
            );
            assert_eq!(found, expected);
        }
        let (collider, pose) = (random_collider(rng, true), random_pose(rng, model.origin));
        let found = scene.nearest_of(collider, pose, radius, &filter).unwrap();
        let found = (
            found.id,
            found.part,
            found.lower.to_bits(),
            found.upper.to_bits(),
        );
        assert_eq!(found, model.nearest(&collider, &pose, radius, &filter));
    }
}

fn bits(hit: &CastHit) -> model::HitBits {
    let CastHit {
        id,
        part,
        time,
        normal,
        ..
    } = *hit;
    let times = [time.enter.to_bits(), time.exit.to_bits()];
    (id, part, times, normal.map(f32::to_bits))
}

fn unknown(scene: &Scene, id: ColliderId) -> Error {
    assert!(!scene.contains(id));
    let error = scene.clone().set_pose(id, Pose::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("no collider {id}: it was removed")
    );
    error
}

#[test]
fn random_programs_answer_as_verbs_of_each_two_colliders() {
    for seed in 0..(frames() / FRAMES) as u64 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut program = Program::new(&mut rng);
        println!("program {seed}");
        for frame in 0..FRAMES {
            println!("frame {frame}");
            program.frame(&mut rng);
        }
    }
}

fn moving(body: u32) -> Mark {
    Mark {
        body,
        ..Mark::moving()
    }
}

#[test]
fn crates_a_millimetre_apart_are_told_from_touching_ones_far_from_zero() {
    let mut scene = Scene::new();
    let at = |x: f64| Pose::at([1e9 + x, -1e9, 1e9]);
    scene.set_origin([1e9, -1e9, 1e9]).unwrap();
    let unit = Collider::Obb([0.5; 3]);
    let a = scene.add(unit, at(0.0), Mark::moving()).unwrap();
    scene.add(unit, at(1.001), Mark::moving()).unwrap();
    let b = scene.add(unit, at(-0.999), Mark::moving()).unwrap();
    let mut contacts = SceneContacts::new();
    // From anywhere near them, the answer is the same.
    for x in [0.0, 100.0, -77.7] {
        scene.set_origin([1e9 + x, -1e9, 1e9 + x]).unwrap();
        scene.contacts(&mut contacts).unwrap();
        let found: Vec<_> = contacts.iter().map(|contact| contact.pair()).collect();
        assert_eq!(found, [(a, b)]);
        let contact = contacts.as_slice()[0];
        assert!((contact.contact.depth() - 0.001).abs() < 1e-4);
        for (x, of_a) in contact.center.iter().zip(at(0.0).position) {
            assert!((x - of_a).abs() < 1e-4);
        }
    }
    // From zero, they are one point.
    scene.set_origin([0.0; 3]).unwrap();
    scene.contacts(&mut contacts).unwrap();
    assert_eq!(contacts.len(), 3);
    assert_eq!(
        scene
            .set_origin([0.0, f64::NAN, 0.0])
            .unwrap_err()
            .to_string(),
        "origin[1] is NaN, not finite"
    );
}

/// Rays and casts through a mesh that is turned and moved, and through a single triangle.
#[test]
fn hits_of_triangles_say_where_and_on_which_side() {
    let (half, corners) = (FRAC_1_SQRT_2, [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]);
    // A quarter turn about x: the triangle's front looks along −y.
    let turned = Pose::new([100.0, 20.0, 0.0], [half, 0.0, 0.0, half]);
    let mesh = Mesh::new(&corners, &[[0, 1, 2]]).unwrap();
    for is_mesh in [true, false] {
        let mut scene = Scene::new();
        scene.set_origin([90.0, 0.0, 0.0]).unwrap();
        let collider = if is_mesh {
            Collider::Mesh(scene.add_mesh(mesh.clone()))
        } else {
            Collider::Triangle(corners)
        };
        let id = scene.add(collider, turned, Mark::fixed()).unwrap();
        let cube = scene.add(
            Collider::Obb([0.5; 3]),
            Pose::at([50.0, 0.0, 0.0]),
            Mark::fixed(),
        );
        let mut hits = Vec::new();
        let ray = |from, displacement| Ray { from, displacement };
        let rays = [
            ray([101.0, 15.0, 2.0], [0.0, 10.0, 0.0]),
            ray([101.0, 25.0, 2.0], [0.0, -10.0, 0.0]),
            ray([50.0, 5.0, 0.0], [0.0, -10.0, 0.0]),
        ];
        scene
            .cast_rays(&rays, &Filter::default(), &mut hits)
            .unwrap();
        for (hit, is_back) in hits[..2].iter().zip([false, true]) {
            let hit = hit.unwrap();
            assert_eq!((hit.id, hit.is_back), (id, is_back));
            for (weight, expected) in hit.barycentrics.unwrap().iter().zip([0.25, 0.25, 0.5]) {
                assert!((weight - expected).abs() < 1e-6, "{:?}", hit.barycentrics);
            }
        }
        let hit = hits[2].unwrap();
        assert_eq!(
            (hit.id, hit.barycentrics, hit.is_back),
            (cube.unwrap(), None, false)
        );
        let cast = Cast {
            collider: Collider::Sphere(0.5),
            pose: Pose::at([102.0, 15.0, 1.0]),
            displacement: [0.0, 10.0, 0.0],
        };
        scene.casts(&[cast], &Filter::default(), &mut hits).unwrap();
        let hit = hits[0].unwrap();
        for (weight, expected) in hit.barycentrics.unwrap().iter().zip([0.25, 0.5, 0.25]) {
            assert!((weight - expected).abs() < 1e-5, "{:?}", hit.barycentrics);
        }
        assert!(
            !hit.is_back && (hit.point[1] - 20.0).abs() < 1e-4,
            "{hit:?}"
        );
    }
}

/// A sheet is hit from both sides, whichever of them it pushes to.
#[test]
fn hits_of_backs_are_where_they_touch_and_push_back() {
    let corners = [
        [0.0f32, -8.0, -6.0],
        [0.0, 8.0, -6.0],
        [0.0, 8.0, 6.0],
        [0.0, -8.0, 6.0],
    ];
    for sides in [Sides::Front, Sides::Both] {
        let mut scene = Scene::new();
        let mut sheet = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]]).unwrap();
        sheet.set_sides(sides);
        let sheet = Collider::Mesh(scene.add_mesh(sheet));
        scene.add(sheet, Pose::default(), Mark::fixed()).unwrap();
        for (x, motion) in [(5.0, -10.0), (-5.0, 10.0)] {
            let (from, displacement) = ([x, 1.0, 1.0], [motion, 0.0, 0.0]);
            let mut hits = Vec::new();
            let rays = [Ray { from, displacement }];
            scene.cast_rays(&rays, &Filter::ALL, &mut hits).unwrap();
            let mut found = hits.clone();
            let half_axis = [0.0, 0.5, 0.25];
            for (collider, reach) in [
                (Collider::Sphere(0.5), 0.5),
                (Collider::Obb([0.25; 3]), 0.25),
                (
                    Collider::Capsule {
                        half_axis,
                        radius: 0.25,
                    },
                    0.25,
                ),
                (
                    Collider::Triangle([[0.0; 3], [0.1, 0.0, 0.0], [0.0, 0.1, 0.2]]),
                    0.1,
                ),
            ] {
                let pose = Pose::at(from);
                let casts = [Cast {
                    collider,
                    pose,
                    displacement,
                }];
                scene.casts(&casts, &Filter::ALL, &mut hits).unwrap();
                found.append(&mut hits);
                let enter = found.last().unwrap().unwrap().time.enter;
                assert!(
                    (f64::from(enter) * 10.0 - (5.0 - reach)).abs() < 0.11,
                    "{enter}"
                );
                let mark = Mark {
                    is_swept: true,
                    ..Mark::moving()
                };
                let id = scene.add(collider, pose, mark).unwrap();
                scene.set_displacement(id, displacement).unwrap();
                let mut sweeps = Vec::new();
                scene.sweeps(&mut sweeps).unwrap();
                found.push(Some(sweeps[0].hit));
                scene.remove(id).unwrap();
            }
            for hit in found {
                let hit = hit.unwrap();
                assert_eq!(hit.is_back, x < 0.0);
                assert!(hit.point[0].abs() < 1e-3, "{sides:?} {hit:?}");
                assert!(
                    hit.normal[0] * x.signum() as f32 > 0.999_999,
                    "{sides:?} {hit:?}"
                );
            }
        }
    }
}

/// A margin is for what is pushed: a sensor reports what is in it.
#[test]
fn sensors_have_no_margin() {
    let mut scene = Scene::new();
    scene.set_margin(0.1).unwrap();
    let zone = scene.add(Collider::Aabb([1.0; 3]), Pose::default(), Mark::sensor());
    let ball = Collider::Sphere(0.5);
    let ball = scene.add(ball, Pose::at([1.55, 0.0, 0.0]), Mark::moving());
    let (zone, ball) = (zone.unwrap(), ball.unwrap());
    let wall = Pose::at([2.15, 0.0, 0.0]);
    let wall = scene
        .add(Collider::Aabb([0.05, 1.0, 1.0]), wall, Mark::fixed())
        .unwrap();
    let mut contacts = SceneContacts::new();
    // Hovering before both: in the margin of the wall, not in the zone.
    for (x, began, ended) in [
        (1.55, vec![(ball, wall)], vec![]),
        (1.49, vec![(zone, ball)], vec![(ball, wall)]),
        (1.52, vec![(ball, wall)], vec![(zone, ball)]),
    ] {
        scene.set_pose(ball, Pose::at([x, 0.0, 0.0])).unwrap();
        scene.contacts(&mut contacts).unwrap();
        assert!(contacts.began().eq(began), "{x}: {contacts:?}");
        assert!(contacts.ended().eq(ended), "{x}: {contacts:?}");
    }
}

/// A capsule that stands on a floor walks along it, to the wall.
#[test]
fn approaching_casts_pass_the_floor_that_they_stand_on() {
    let mut scene = Scene::new();
    let flat = [
        [-9.0f32, 0.0, -9.0],
        [9.0, 0.0, -9.0],
        [9.0, 0.0, 9.0],
        [-9.0, 0.0, 9.0],
    ];
    let ground = scene.add_mesh(Mesh::new(&flat, &[[0, 2, 1], [0, 3, 2]]).unwrap());
    let floor = Collider::Mesh(ground);
    let floor = scene.add(floor, Pose::default(), Mark::fixed()).unwrap();
    let wall = Collider::Obb([0.5, 2.0, 9.0]);
    let wall = scene
        .add(wall, Pose::at([5.5, 2.0, 0.0]), Mark::fixed())
        .unwrap();
    let half_axis = [0.0, 0.5, 0.0];
    let walk = Cast {
        collider: Collider::Capsule {
            half_axis,
            radius: 0.5,
        },
        pose: Pose::at([0.0, 1.0, 0.0]),
        displacement: [9.0, 0.0, 0.0],
    };
    let mut hits = Vec::new();
    for (approaching, met) in [(false, floor), (true, wall)] {
        let filter = Filter {
            approaching,
            ..Filter::ALL
        };
        scene.casts(&[walk], &filter, &mut hits).unwrap();
        assert_eq!(hits[0].unwrap().id, met);
    }
    let lost = Cast {
        displacement: [f32::INFINITY; 3],
        ..walk
    };
    let casts = [lost, walk];
    let invalid = scene.casts(&casts, &Filter::ALL, &mut hits).unwrap();
    assert_eq!((invalid, hits[0].is_none(), hits.len()), (1, true, 2));
    let fall = Cast {
        displacement: [0.0, -9.0, 0.0],
        ..walk
    };
    let filter = Filter {
        approaching: true,
        ..Filter::ALL
    };
    scene.casts(&[fall], &filter, &mut hits).unwrap();
    assert_eq!(hits[0].unwrap().id, floor);
}

/// A sphere is swept through a triangle that moves with it, and overtakes it: weights and sides are those of the triangle's frame.
#[test]
fn hits_of_moving_triangles_are_in_their_frame() {
    let mut scene = Scene::new();
    let corners = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];
    let triangle = Collider::Triangle(corners);
    let triangle = scene
        .add(triangle, Pose::default(), Mark::moving())
        .unwrap();
    scene.set_displacement(triangle, [8.0, 0.0, 5.0]).unwrap();
    let mark = Mark {
        is_swept: true,
        ..Mark::moving()
    };
    let sphere = Collider::Sphere(0.25);
    let sphere = scene.add(sphere, Pose::at([1.0, 2.0, -1.0]), mark).unwrap();
    scene.set_displacement(sphere, [8.0, 0.0, 10.0]).unwrap();
    let mut hits = Vec::new();
    scene.sweeps(&mut hits).unwrap();
    let hit = hits[0].hit;
    assert_eq!((hit.id, hit.is_back), (triangle, true));
    for (weight, expected) in hit.barycentrics.unwrap().iter().zip([0.25, 0.25, 0.5]) {
        assert!((weight - expected).abs() < 1e-5, "{:?}", hit.barycentrics);
    }
}

/// A detector takes a kilobyte; stores are in boxes.
#[test]
fn scene_is_small_enough_to_move() {
    assert!(size_of::<Scene>() <= 16_384, "{} bytes", size_of::<Scene>());
}

#[test]
fn colliders_of_one_body_never_meet() {
    let mut scene = Scene::new();
    let head = scene.add(Collider::Sphere(1.0), Pose::at([0.0, 1.0, 0.0]), moving(1));
    let feet = scene.add(Collider::Obb([1.0; 3]), Pose::default(), moving(1));
    let other = scene.add(Collider::Sphere(1.0), Pose::default(), moving(2));
    let [head, feet, other] = [head, feet, other].map(Result::unwrap);
    let mut contacts = SceneContacts::new();
    scene.contacts(&mut contacts).unwrap();
    let found: Vec<_> = contacts.iter().map(|contact| contact.pair()).collect();
    assert_eq!(found, [(head, other), (feet, other)]);
    // A ray from within passes through its body.
    let mut hits = Vec::new();
    let ray = Ray {
        from: [0.0; 3],
        displacement: [9.0, 0.0, 0.0],
    };
    let filter = Filter {
        body: 1,
        ..Filter::default()
    };
    scene.cast_rays(&[ray], &filter, &mut hits).unwrap();
    assert_eq!(hits[0].map(|hit| hit.id), Some(other));
}

#[test]
fn removed_ids_are_never_mistaken() {
    let mut scene = Scene::new();
    let mut seen = BTreeSet::new();
    for round in 0..10 {
        let ids: Vec<ColliderId> = (0..5)
            .map(|_| {
                let collider = Collider::Sphere(1.0);
                scene
                    .add(collider, Pose::default(), Mark::moving())
                    .unwrap()
            })
            .collect();
        assert!(ids.iter().all(|id| seen.insert(*id)));
        assert!(ids.iter().all(|id| id.slot() < 5));
        if round % 2 == 0 {
            scene.clear();
        } else {
            ids.iter().for_each(|id| scene.remove(*id).unwrap());
        }
        for &id in &seen {
            assert!(!scene.contains(id));
            assert_eq!(scene.pose(id), None);
            let refused = scene.set_collider(id, Collider::Sphere(1.0));
            assert_eq!(refused, Err(unknown(&scene, id)));
            assert_eq!(scene.remove(id), Err(unknown(&scene, id)));
        }
    }
    assert!(scene.is_empty());
}

#[test]
fn strict_scene_refuses_and_names_invalid_values() {
    let mut scene = Scene::new();
    let ball = scene
        .add(Collider::Sphere(1.0), Pose::default(), Mark::moving())
        .unwrap();
    scene.set_strict(true);
    let scaled = Pose::new([0.0; 3], [0.0, 0.0, 0.0, 2.0]);
    let refused = [
        (
            scene.set_pose(ball, scaled),
            "collider 0v0 is invalid: rotation has length 2, not 1 within 0.001",
        ),
        (
            scene.set_displacement(ball, [0.0, f32::NEG_INFINITY, 0.0]),
            "collider 0v0 is invalid: displacement[1] is -inf, not finite: an endless ray reaches to the end of the scene",
        ),
        (
            scene
                .add(
                    Collider::Obb([1.0, -1.0, 1.0]),
                    Pose::default(),
                    Mark::moving(),
                )
                .map(|_| ()),
            "collider is invalid: half_extents[1] is -1, negative",
        ),
        (
            scene.set_collider(ball, Collider::Sphere(f32::NAN)),
            "collider 0v0 is invalid: radius is NaN, not finite",
        ),
        (
            scene.set_collider(ball, Collider::Mesh(2)),
            "scene has no mesh 2",
        ),
        (
            scene
                .add(Collider::Hull(0), Pose::default(), Mark::moving())
                .map(|_| ()),
            "hull is of kind 0, but the store has 0 kinds",
        ),
        (
            scene
                .add(Collider::Mesh(3), Pose::default(), Mark::moving())
                .map(|_| ()),
            "scene has no mesh 3",
        ),
        (
            scene
                .cast_rays(
                    &[Ray {
                        from: [0.0, 0.0, f64::NAN],
                        displacement: [1.0; 3],
                    }],
                    &Filter::ALL,
                    &mut Vec::new(),
                )
                .map(|_| ()),
            "cast 0 is invalid: from[2] is NaN, not finite",
        ),
        (
            scene.overlaps_of(
                Collider::Mesh(0),
                Pose::default(),
                &Filter::ALL,
                &mut Vec::new(),
            ),
            "scene has no mesh 0",
        ),
        (
            scene.set_margin(-1.0),
            "margin is -1, not between 0 and 1.1529215e18",
        ),
    ];
    for (result, message) in refused {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
    assert_eq!(scene.len(), 1);
    assert_eq!(
        (
            scene.collider(ball),
            scene.pose(ball),
            scene.displacement(ball)
        ),
        (
            Some(Collider::Sphere(1.0)),
            Some(Pose::default()),
            Some([0.0; 3])
        )
    );
    assert_eq!(scene.invalid_count(), 0);

    // Another scene leaves the collider out, and counts it.
    scene.set_strict(false);
    scene
        .add(Collider::Sphere(1.0), Pose::default(), Mark::moving())
        .unwrap();
    scene.set_pose(ball, scaled).unwrap();
    let mut contacts = SceneContacts::new();
    scene.contacts(&mut contacts).unwrap();
    assert_eq!((contacts.len(), scene.invalid_count()), (0, 1));
    assert_eq!(
        scene.iter_invalid().map(|(id, _)| id).collect::<Vec<_>>(),
        [ball]
    );
    scene.set_pose(ball, Pose::default()).unwrap();
    scene.contacts(&mut contacts).unwrap();
    assert_eq!((contacts.len(), scene.invalid_count()), (1, 0));
}

#[test]
fn meshes_are_shared_and_removed_when_unused() {
    let mut scene = Scene::new();
    let mesh = Mesh::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
    let mesh = scene.add_mesh(mesh);
    let collider = Collider::Mesh(mesh);
    let [a, b] = [0.0, 5.0].map(|x| {
        scene
            .add(collider, Pose::at([x, 0.0, 0.0]), Mark::fixed())
            .unwrap()
    });
    let corner = |scene: &Scene, id| scene.placed_mesh(id).unwrap().get(0).unwrap().corners[0];
    assert_eq!(
        (corner(&scene, a), corner(&scene, b)),
        ([0.0; 3], [5.0, 0.0, 0.0])
    );
    let in_use = scene.remove_mesh(mesh).unwrap_err();
    assert_eq!(in_use.to_string(), "mesh 0 is in use: 2 colliders have it");
    // A door on its hinge.
    let half = 0.5f32.sqrt();
    scene
        .set_pose(b, Pose::new([5.0, 0.0, 0.0], [0.0, half, 0.0, half]))
        .unwrap();
    let placed = scene.placed_mesh(b).unwrap().get(0).unwrap();
    assert!((placed.corners[1][2] + 1.0).abs() < 1e-6);
    scene.remove(a).unwrap();
    scene.remove(b).unwrap();
    assert!(scene.remove_mesh(mesh).is_ok());
    let again = scene.remove_mesh(mesh).unwrap_err();
    let unknown = scene.add(collider, Pose::default(), Mark::fixed());
    assert_eq!(Err(again), unknown);
}
