//! Contacts of a scene do not allocate after warm-up, and removed colliders leave no memory behind.
#![cfg(feature = "scene")]

#[path = "common/counting.rs"]
mod counting;

use counting::{allocations_of, kept_by};
use phalanx::{
    Cast, Collider, ColliderId, Filter, HalfSpace, Mark, Mesh, Pose, Ray, Scene, SceneContacts,
};

/// A scene of all kinds in which all moving colliders move a little in each frame.
struct Frames {
    scene: Scene,
    movers: Vec<ColliderId>,
    contacts: SceneContacts,
    frame: usize,
}

fn place(i: usize) -> [f64; 3] {
    [i % 7, i / 7 % 7, i / 49].map(|x| x as f64 * 0.9)
}

impl Frames {
    fn new() -> Self {
        let mut scene = Scene::new();
        scene.detector_mut().set_parallel(false);
        let corners = |k: u32| [0, 1, 2].map(|axis| (k >> axis & 1) as f32 - 0.5);
        let points: Vec<[f32; 3]> = (0..8).map(corners).collect();
        let rock = scene.add_hull_kind(&points).unwrap();
        let tile = [
            [-9.0, 0.0, -9.0],
            [9.0, 0.0, -9.0],
            [9.0, 0.0, 9.0],
            [-9.0, 0.0, 9.0],
        ];
        let tile = Mesh::new(&tile, &[[0, 2, 1], [0, 3, 2]]).unwrap();
        let tile = scene.add_mesh(tile);
        scene
            .add(Collider::Mesh(tile), Pose::default(), Mark::fixed())
            .unwrap();
        let ground = HalfSpace::new([0.0, 1.0, 0.0], 0.0);
        scene
            .add(Collider::HalfSpace(ground), Pose::default(), Mark::fixed())
            .unwrap();
        let mut frames = Frames {
            scene,
            movers: Vec::new(),
            contacts: SceneContacts::new(),
            frame: 0,
        };
        for i in 0..200 {
            let (collider, mark) = frames.kind(i, rock);
            let id = frames
                .scene
                .add(collider, Pose::at(place(i)), mark)
                .unwrap();
            frames.movers.push(id);
        }
        frames
    }

    fn kind(&self, i: usize, rock: u32) -> (Collider, Mark) {
        let collider = match i % 5 {
            0 => Collider::Sphere(0.5),
            1 => Collider::Capsule {
                half_axis: [0.0, 0.3, 0.0],
                radius: 0.3,
            },
            2 => Collider::Obb([0.5; 3]),
            3 => Collider::Hull(rock),
            _ => Collider::Aabb([0.5; 3]),
        };
        let is_swept = i.is_multiple_of(4);
        (
            collider,
            Mark {
                is_swept,
                ..Mark::moving()
            },
        )
    }

    fn run(&mut self) {
        self.frame += 1;
        // The same course again and again, so that answers get no longer.
        let off = (self.frame % 8) as f64 * 0.01;
        for (i, &id) in self.movers.iter().enumerate() {
            let [x, y, z] = place(i);
            self.scene.set_pose(id, Pose::at([x, y + off, z])).unwrap();
            self.scene.set_displacement(id, [0.3, 0.0, 0.1]).unwrap();
        }
        self.scene.contacts(&mut self.contacts).unwrap();
        assert!(self.contacts.len() > 100);
    }
}

// A single test in this file, because allocations of other threads would count.
#[test]
fn warm_contacts_allocate_nothing_and_removed_colliders_keep_nothing() {
    let mut frames = Frames::new();
    let (mut swept, mut hits, mut cast, mut near) = (vec![], vec![], vec![], vec![]);
    let mut ids = vec![];
    let mut queries = |frames: &mut Frames| {
        frames.run();
        let Frames { scene, .. } = frames;
        scene.sweeps(&mut swept).unwrap();
        let rays = [0.1, 0.4, 0.7].map(|x| Ray {
            from: [x, 9.0, x],
            displacement: [0.5, -20.0, 0.5],
        });
        scene.cast_rays(&rays, &Filter::ALL, &mut hits).unwrap();
        let walk = Cast {
            collider: Collider::Sphere(0.2),
            pose: Pose::at([-2.0, 0.5, 0.5]),
            displacement: [5.0, 0.0, 0.0],
        };
        scene.casts(&[walk], &Filter::ALL, &mut cast).unwrap();
        scene
            .nearest(&[[0.0, 9.0, 0.0]], 20.0, &Filter::ALL, &mut near)
            .unwrap();
        let (collider, pose) = (walk.collider, Pose::at([1.0, 0.1, 1.0]));
        scene
            .overlaps_of(collider, pose, &Filter::ALL, &mut ids)
            .unwrap();
        assert!(!swept.is_empty() && hits[0].is_some() && cast[0].is_some());
        assert!(near[0].id.is_some() && !ids.is_empty());
    };
    (0..400).for_each(|_| frames.run());
    (0..100).for_each(|_| queries(&mut frames));
    let calls = allocations_of(|| (0..40).for_each(|_| frames.run()));
    assert_eq!(calls, 0);
    // Searches of what rests free a buffer that those of what moves take again.
    let calls = allocations_of(|| (0..40).for_each(|_| queries(&mut frames)));
    assert!(calls <= 2 * 40, "{calls} allocations");

    let mut add_and_remove = |frames: &mut Frames, rounds: usize| {
        for round in 0..rounds {
            let mark = [Mark::moving(), Mark::fixed(), Mark::sensor()][round % 3];
            let ids: Vec<ColliderId> = (0..50)
                .map(|i| {
                    let pose = Pose::at(place(3 * i + round % 5));
                    frames.scene.add(frames.kind(i, 0).0, pose, mark).unwrap()
                })
                .collect();
            queries(frames);
            ids.iter().for_each(|id| frames.scene.remove(*id).unwrap());
        }
    };
    add_and_remove(&mut frames, 60);
    let kept = kept_by(|| add_and_remove(&mut frames, 60));
    assert!(kept < 1000, "{kept} bytes");
}
