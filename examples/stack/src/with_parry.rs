//! Contacts of parry3d, as its users compute them.

use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhWorkspace};
use parry3d::query::ContactManifold;
use parry3d::query::details::{contact_manifold_cuboid_cuboid, contact_manifold_halfspace_pfm};
use parry3d::shape::{Cuboid, HalfSpace};
use phalanx::{Error, Obb};

use crate::Collide;
use crate::body::Body;
use crate::solver::Point;
use crate::wall::MARGIN;

/// A manifold with the impulse of the previous frame at each point.
pub type Manifold = ContactManifold<(), Vector>;

/// The shapes, and the state kept from frame to frame.
pub struct WithParry {
    bricks: Vec<Cuboid>,
    ground: HalfSpace,
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<[usize; 2]>,
    /// The manifolds of each brick with later bricks, few enough for a linear search.
    between_bricks: Vec<Vec<Kept>>,
    /// The manifold of each brick with the ground.
    on_ground: Vec<Manifold>,
}

/// A manifold of a pair.
struct Kept {
    other: usize,
    /// Whether the pair was among the candidates of this frame.
    is_near: bool,
    manifold: Manifold,
}

impl WithParry {
    pub fn new(bricks: &[Obb]) -> Self {
        WithParry {
            bricks: bricks
                .iter()
                .map(|brick| Cuboid::new(brick.half_extents.into()))
                .collect(),
            ground: HalfSpace::new(Vector::Y),
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
            pairs: Vec::new(),
            between_bricks: bricks.iter().map(|_| Vec::new()).collect(),
            on_ground: bricks.iter().map(|_| Manifold::new()).collect(),
        }
    }
}

impl Collide for WithParry {
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error> {
        for (i, (brick, body)) in self.bricks.iter().zip(bodies).enumerate() {
            let bounds = brick.aabb(&body.pose).loosened(0.5 * MARGIN);
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
            let all = &mut self.between_bricks[a];
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
            contact_manifold_cuboid_cuboid(
                &bodies[a].pose.inv_mul(&bodies[b].pose),
                &self.bricks[a],
                &self.bricks[b],
                MARGIN,
                &mut kept.manifold,
            );
        }
        for all in &mut self.between_bricks {
            all.retain_mut(|kept| std::mem::take(&mut kept.is_near));
        }
        let on_ground = self.on_ground.iter_mut().zip(&self.bricks).zip(bodies);
        for ((manifold, brick), body) in on_ground {
            // The ground is at height 0, and most bricks are far above it.
            if brick.aabb(&body.pose).mins.y > MARGIN {
                manifold.clear();
                continue;
            }
            contact_manifold_halfspace_pfm(
                &body.pose,
                &self.ground,
                brick,
                0.0,
                MARGIN,
                manifold,
                false,
            );
        }
        Ok(())
    }

    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>) {
        points.clear();
        for (a, all) in self.between_bricks.iter().enumerate() {
            for kept in all {
                append(&kept.manifold, [a, kept.other], bodies, points);
            }
        }
        for (brick, manifold) in self.on_ground.iter().enumerate() {
            append(manifold, [bodies.len() - 1, brick], bodies, points);
        }
    }

    /// Points are in the order of writing.
    fn keep(&mut self, points: &[Point]) {
        let between_bricks = self.between_bricks.iter_mut().flatten();
        let manifolds = between_bricks
            .map(|kept| &mut kept.manifold)
            .chain(&mut self.on_ground);
        let contacts = manifolds.flat_map(|manifold| &mut manifold.points);
        for (contact, point) in contacts.zip(points) {
            contact.data = point.impulse;
        }
    }
}

/// Appends the points of a manifold.
pub fn append(manifold: &Manifold, pair: [usize; 2], bodies: &[Body], points: &mut Vec<Point>) {
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
