//! Bodies of four kinds on a mesh, with contacts of parry3d.

use std::collections::BTreeMap;

use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::Vector;
use parry3d::partitioning::{Bvh, BvhWorkspace};
use parry3d::query::{
    ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
};
use parry3d::shape::{SharedShape, TriMeshFlags};
use phalanx::Error;

use crate::Collide;
use crate::body::Body;
use crate::hills::{Hills, MARGIN};
use crate::solver::Point;
use crate::with_parry::{Manifold, append};

/// The shapes, the hills last, and the state kept from frame to frame.
pub struct WithParry {
    shapes: Vec<SharedShape>,
    tree: Bvh,
    workspace: BvhWorkspace,
    /// The manifolds of pairs.
    kept: BTreeMap<[usize; 2], Kept>,
}

/// The manifolds of a pair.
#[derive(Default)]
struct Kept {
    /// Whether the pair was among the candidates of this frame.
    is_near: bool,
    manifolds: Vec<Manifold>,
    workspace: Option<ContactManifoldsWorkspace>,
}

impl WithParry {
    pub fn new(hills: &Hills) -> Self {
        let vertices = hills.vertices.iter().map(|&vertex| vertex.into());
        let mesh = SharedShape::trimesh_with_flags(
            vertices.collect(),
            hills.triangles.clone(),
            TriMeshFlags::FIX_INTERNAL_EDGES,
        );
        let mut shapes = hills.shapes();
        shapes.push(mesh.expect("the hills have triangles"));
        WithParry {
            shapes,
            tree: Bvh::new(),
            workspace: BvhWorkspace::default(),
            kept: BTreeMap::new(),
        }
    }
}

impl Collide for WithParry {
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error> {
        let ground = bodies.len() - 1;
        for (i, (shape, body)) in self.shapes.iter().zip(&bodies[..ground]).enumerate() {
            let bounds = shape.compute_aabb(&body.pose).loosened(0.5 * MARGIN);
            self.tree.insert_or_update_partially(bounds, i as u32, 0.0);
        }
        self.tree.refit(&mut self.workspace);
        let kept = &mut self.kept;
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                let pair = [a.min(b) as usize, a.max(b) as usize];
                kept.entry(pair).or_default().is_near = true;
            });
        for body in 0..ground {
            kept.entry([body, ground]).or_default().is_near = true;
        }
        kept.retain(|_, kept| std::mem::take(&mut kept.is_near));
        Ok(())
    }

    fn contact(&mut self, bodies: &[Body]) -> Result<(), Error> {
        for (&[a, b], kept) in &mut self.kept {
            let found = DefaultQueryDispatcher.contact_manifolds(
                &bodies[a].pose.inv_mul(&bodies[b].pose),
                &*self.shapes[a],
                &*self.shapes[b],
                MARGIN,
                &mut kept.manifolds,
                &mut kept.workspace,
            );
            found.expect("all pairs of shapes have contacts");
        }
        Ok(())
    }

    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>) {
        points.clear();
        for (&pair, kept) in &self.kept {
            for manifold in &kept.manifolds {
                append(manifold, pair, bodies, points);
            }
        }
    }

    /// Points are in the order of writing.
    fn keep(&mut self, points: &[Point]) {
        let manifolds = self.kept.values_mut().flat_map(|kept| &mut kept.manifolds);
        let contacts = manifolds.flat_map(|manifold| &mut manifold.points);
        for (contact, point) in contacts.zip(points) {
            let impulse: Vector = point.impulse;
            contact.data = impulse;
        }
    }
}
