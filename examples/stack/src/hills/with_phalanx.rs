//! Bodies of four kinds on a mesh, with contacts of a [`Scene`].

use parry3d::math::Vector;
use phalanx::{Collider, ColliderId, Error, Mark, Pose, Scene, SceneContacts};

use crate::Collide;
use crate::body::Body;
use crate::hills::{Hills, MARGIN};
use crate::solver::Point;
use crate::with_phalanx::warm_start;

/// A scene, and memory reused by frames.
pub struct WithPhalanx {
    scene: Scene,
    /// The collider of each body except the hills, which are the last one. Its slot is the index of the body.
    ids: Vec<ColliderId>,
    contacts: SceneContacts,
    /// The points of the last frame.
    last: Vec<Point>,
}

impl WithPhalanx {
    pub fn new(hills: &Hills) -> Result<Self, Error> {
        let mut scene = Scene::new();
        scene.detector_mut().set_parallel(false);
        scene.set_margin(MARGIN)?;
        let kinds = &hills.rocks.kinds;
        for kind in 0..kinds.len() as u32 {
            let points: Vec<[f32; 3]> = kinds.points(kind).into_iter().flatten().collect();
            scene.add_hull_kind(&points)?;
        }
        let boxes = hills.boxes.iter();
        let boxes = boxes.map(|obb| Collider::Obb(obb.half_extents));
        let rocks = hills.rocks.rocks.iter();
        let rocks = rocks.map(|rock| Collider::Hull(rock.kind));
        let spheres = hills.spheres.iter();
        let spheres = spheres.map(|sphere| Collider::Sphere(sphere.radius));
        let capsules = hills.capsules.iter().map(|capsule| Collider::Capsule {
            half_axis: [0.0, Vector::from(capsule.half_axis).length(), 0.0],
            radius: capsule.radius,
        });
        let bodies = boxes.chain(rocks).chain(spheres).chain(capsules);
        let ids = bodies
            .map(|collider| scene.add(collider, Pose::default(), Mark::moving()))
            .collect::<Result<_, _>>()?;
        let mesh = scene.add_mesh(hills.mesh()?);
        scene.add(Collider::Mesh(mesh), Pose::default(), Mark::fixed())?;
        scene.prepare()?;
        Ok(WithPhalanx {
            scene,
            ids,
            contacts: SceneContacts::new(),
            last: Vec::new(),
        })
    }
}

impl Collide for WithPhalanx {
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error> {
        let poses = bodies.iter().map(|body| {
            let position = body.pose.translation.to_array().map(f64::from);
            Pose::new(position, body.pose.rotation.to_array())
        });
        self.scene.set_poses(self.ids.iter().copied().zip(poses))
    }

    fn contact(&mut self, _: &[Body]) -> Result<(), Error> {
        self.scene.contacts(&mut self.contacts)
    }

    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>) {
        points.clear();
        for found in &self.contacts {
            let pair = [found.a, found.b].map(|id| id.slot() as usize);
            let center = Vector::from(found.center.map(|x| x as f32));
            for point in found.contact.points() {
                let at = center + Vector::from(point.at);
                points.push(Point {
                    bodies: pair,
                    feature: found.part_b << 8 | u32::from(point.feature),
                    normal: found.contact.normal.into(),
                    arms: pair.map(|body| at - bodies[body].pose.translation),
                    separation: point.separation,
                    impulse: Vector::ZERO,
                });
            }
        }
        warm_start(points, &self.last);
    }

    fn keep(&mut self, points: &[Point]) {
        self.last.clear();
        self.last.extend_from_slice(points);
    }
}
