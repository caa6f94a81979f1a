//! Contacts of parry3d, as its users compute them.

use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhWorkspace};
use parry3d::query::ContactManifold;
use parry3d::query::details::{
    contact_manifold_cuboid_cuboid, contact_manifold_halfspace_pfm, contact_manifold_pfm_pfm,
};
use parry3d::shape::{ConvexPolyhedron, Cuboid, HalfSpace, PolygonalFeatureMap, Shape};
use phalanx::Error;

use crate::Collide;
use crate::body::Body;
use crate::solver::Point;

/// A manifold with the impulse of the previous frame at each point.
pub type Manifold = ContactManifold<(), Vector>;

/// The shapes, and the state kept from frame to frame.
pub struct WithParry<S> {
    shapes: Vec<S>,
    ground: HalfSpace,
    margin: f32,
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<[usize; 2]>,
    /// The manifolds of each shape with later shapes, few enough for a linear search.
    between_shapes: Vec<Vec<Kept>>,
    /// The manifold of each shape with the ground.
    on_ground: Vec<Manifold>,
}

/// A manifold of a pair.
struct Kept {
    other: usize,
    /// Whether the pair was among the candidates of this frame.
    is_near: bool,
    manifold: Manifold,
}

/// A brick or a rock.
pub trait Touch: Shape + PolygonalFeatureMap {
    /// Updates the manifold with another shape, given its relative pose.
    fn touch(&self, other: &Self, pose: &Pose, margin: f32, manifold: &mut Manifold);
}

impl Touch for Cuboid {
    fn touch(&self, other: &Self, pose: &Pose, margin: f32, manifold: &mut Manifold) {
        contact_manifold_cuboid_cuboid(pose, self, other, margin, manifold);
    }
}

impl Touch for ConvexPolyhedron {
    fn touch(&self, other: &Self, pose: &Pose, margin: f32, manifold: &mut Manifold) {
        contact_manifold_pfm_pfm(pose, self, 0.0, None, other, 0.0, None, margin, manifold);
    }
}

impl<S> WithParry<S> {
    /// Contacts of surfaces that are at most `margin` apart.
    pub fn new(shapes: Vec<S>, margin: f32) -> Self {
        WithParry {
            ground: HalfSpace::new(Vector::Y),
            margin,
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
            pairs: Vec::new(),
            between_shapes: shapes.iter().map(|_| Vec::new()).collect(),
            on_ground: shapes.iter().map(|_| Manifold::new()).collect(),
            shapes,
        }
    }
}

impl<S: Touch> Collide for WithParry<S> {
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error> {
        for (i, (shape, body)) in self.shapes.iter().zip(bodies).enumerate() {
            let bounds = shape.compute_aabb(&body.pose).loosened(0.5 * self.margin);
            self.tree.insert_or_update_partially(bounds, i as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        self.pairs.clear();
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                self.pairs.push([a.min(b) as usize, a.max(b) as usize]);
            });
        Ok(())
    }

    fn contact(&mut self, bodies: &[Body]) -> Result<(), Error> {
        for &[a, b] in &self.pairs {
            let all = &mut self.between_shapes[a];
            let index = all.iter().position(|kept| kept.other == b);
            let index = index.unwrap_or_else(|| {
                all.push(Kept {
                    other: b,
                    is_near: true,
                    manifold: Manifold::new(),
                });
                all.len() - 1
            });
            let kept = &mut all[index];
            kept.is_near = true;
            let pose = bodies[a].pose.inv_mul(&bodies[b].pose);
            let [a, b] = [a, b].map(|shape| &self.shapes[shape]);
            a.touch(b, &pose, self.margin, &mut kept.manifold);
        }
        for all in &mut self.between_shapes {
            all.retain_mut(|kept| std::mem::take(&mut kept.is_near));
        }
        let on_ground = self.on_ground.iter_mut().zip(&self.shapes).zip(bodies);
        for ((manifold, shape), body) in on_ground {
            // The ground is at height 0, and most shapes are far above it.
            if shape.compute_aabb(&body.pose).mins.y > self.margin {
                manifold.clear();
                continue;
            }
            contact_manifold_halfspace_pfm(
                &body.pose,
                &self.ground,
                shape,
                0.0,
                self.margin,
                manifold,
                false,
            );
        }
        Ok(())
    }

    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>) {
        points.clear();
        for (a, all) in self.between_shapes.iter().enumerate() {
            for kept in all {
                append(&kept.manifold, [a, kept.other], bodies, points);
            }
        }
        for (shape, manifold) in self.on_ground.iter().enumerate() {
            append(manifold, [bodies.len() - 1, shape], bodies, points);
        }
    }

    /// Points are in the order of writing.
    fn keep(&mut self, points: &[Point]) {
        let between_shapes = self.between_shapes.iter_mut().flatten();
        let manifolds = between_shapes
            .map(|kept| &mut kept.manifold)
            .chain(&mut self.on_ground);
        let contacts = manifolds.flat_map(|manifold| &mut manifold.points);
        for (contact, point) in contacts.zip(points) {
            contact.data = point.impulse;
        }
    }
}

fn append(manifold: &Manifold, pair: [usize; 2], bodies: &[Body], points: &mut Vec<Point>) {
    let [a, b]: [&Pose; 2] = pair.map(|body| &bodies[body].pose);
    let normal = a.rotation * manifold.local_n1;
    points.extend(manifold.points.iter().map(|contact| {
        let at = 0.5 * (*a * contact.local_p1 + *b * contact.local_p2);
        Point {
            bodies: pair,
            feature: 0,
            normal,
            arms: [at - a.translation, at - b.translation],
            separation: contact.dist,
            impulse: contact.data,
        }
    }));
}
