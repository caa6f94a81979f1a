//! The frame by parry3d, as its users write it: shapes behind pointers, one tree of all, manifolds kept by pair.

use std::collections::HashMap;

use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::partitioning::{Bvh, BvhWorkspace};
use parry3d::query::{
    ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher, PersistentQueryDispatcher,
    Ray, ShapeCastOptions, cast_shapes,
};
use parry3d::shape::SharedShape;
use phalanx::Error;
use phalanx_bench::convert::unit_rotation;

use crate::Player;
use crate::world::{
    Answers, CAPSULE_RADIUS, HALF_AXIS, HALF_EXTENTS, KINDS, RADIUS, SMALL, Touch, World,
};

#[derive(Default)]
struct Kept {
    manifolds: Vec<ContactManifold<(), ()>>,
    workspace: Option<ContactManifoldsWorkspace>,
    frame: usize,
}

pub struct WithParry {
    /// Bodies, then projectiles, then the level.
    shapes: Vec<(Pose, SharedShape)>,
    displacements: Vec<Vector>,
    tree: Bvh,
    workspace: BvhWorkspace,
    pairs: Vec<(u32, u32)>,
    contacts: HashMap<(u32, u32), Kept>,
    sweeps: Vec<Option<(f32, [f32; 3])>>,
    rays: Vec<Option<(f32, [f32; 3])>>,
    bodies: usize,
    frame: usize,
}

impl WithParry {
    pub fn new(world: &World) -> Self {
        let rock: Vec<Vector> = world.rock.iter().map(|point| (*point).into()).collect();
        let axis = Vector::from(HALF_AXIS);
        let [x, y, z] = HALF_EXTENTS;
        let kinds = [
            SharedShape::ball(RADIUS),
            SharedShape::capsule(-axis, axis, CAPSULE_RADIUS),
            SharedShape::cuboid(x, y, z),
            SharedShape::convex_hull(&rock).expect("a rock"),
        ];
        let body = |number: usize| (Pose::IDENTITY, kinds[number % KINDS].clone());
        let bodies = world.bodies.len();
        let mut shapes: Vec<_> = (0..bodies).map(body).collect();
        let small = SharedShape::ball(SMALL);
        shapes.resize(world.level() as usize, (Pose::IDENTITY, small));
        let vertices = world.vertices.iter().map(|vertex| (*vertex).into());
        let level = SharedShape::trimesh(vertices.collect(), world.triangles.clone());
        shapes.push((Pose::IDENTITY, level.expect("a terrain")));
        let mut tree = Bvh::default();
        let bounds = shapes[world.level() as usize]
            .1
            .compute_aabb(&Pose::IDENTITY);
        tree.insert(bounds, world.level());
        WithParry {
            shapes,
            displacements: Vec::new(),
            tree,
            workspace: BvhWorkspace::default(),
            pairs: Vec::new(),
            contacts: HashMap::new(),
            sweeps: Vec::new(),
            rays: Vec::new(),
            bodies,
            frame: 0,
        }
    }

    /// The first hit of a projectile.
    fn sweep(&self, number: usize) -> Option<(f32, [f32; 3])> {
        let (pose, ball) = &self.shapes[number];
        let way = self.displacements[number - self.bodies];
        let end = Pose::from_translation(pose.translation + way);
        let bounds = ball.compute_aabb(pose).merged(&ball.compute_aabb(&end));
        let level = self.shapes.len() - 1;
        let mut first: Option<(f32, [f32; 3])> = None;
        for other in self.tree.intersect_aabb(&bounds) {
            let other = other as usize;
            if other >= self.bodies && other != level {
                continue;
            }
            let (at, shape) = &self.shapes[other];
            let options = ShapeCastOptions {
                max_time_of_impact: first.map_or(1.0, |(time, _)| time),
                ..ShapeCastOptions::default()
            };
            let hit = cast_shapes(at, Vector::ZERO, &**shape, pose, way, &**ball, options);
            if let Some(hit) = hit.expect("parry3d casts these shapes")
                && first.is_none_or(|(time, _)| hit.time_of_impact < time)
            {
                let normal = at.rotation * hit.normal1;
                first = Some((hit.time_of_impact, normal.to_array()));
            }
        }
        first
    }
}

impl Player for WithParry {
    fn name(&self) -> &'static str {
        "parry3d"
    }

    fn place(&mut self, world: &World) -> Result<(), Error> {
        let bodies = world.bodies.iter().map(|body| (body.center, body.rotation));
        let still = [0.0, 0.0, 0.0, 1.0];
        let projectiles = world.projectiles.iter().map(|way| (way.from, still));
        for (number, (center, rotation)) in bodies.chain(projectiles).enumerate() {
            let (pose, shape) = &mut self.shapes[number];
            *pose = Pose::from_parts(center.into(), unit_rotation(rotation));
            let bounds = shape.compute_aabb(pose);
            self.tree
                .insert_or_update_partially(bounds, number as u32, 0.0);
        }
        self.displacements.clear();
        let ways = world.projectiles.iter();
        self.displacements
            .extend(ways.map(|way| Vector::from(way.displacement)));
        self.tree.refit(&mut self.workspace);
        Ok(())
    }

    fn contacts(&mut self) -> Result<(), Error> {
        self.frame += 1;
        let (pairs, frame) = (&mut self.pairs, self.frame);
        pairs.clear();
        self.tree
            .traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
                pairs.push((a.min(b), a.max(b)));
            });
        let projectiles = self.bodies as u32..self.shapes.len() as u32 - 1;
        for &(a, b) in pairs.iter() {
            if projectiles.contains(&a) && projectiles.contains(&b) {
                continue;
            }
            let kept = self.contacts.entry((a, b)).or_default();
            kept.frame = frame;
            let [(one, shape), (other, other_shape)] = [a, b].map(|i| &self.shapes[i as usize]);
            let found = DefaultQueryDispatcher.contact_manifolds(
                &one.inv_mul(other),
                &**shape,
                &**other_shape,
                0.0,
                &mut kept.manifolds,
                &mut kept.workspace,
            );
            found.expect("parry3d has manifolds of these shapes");
        }
        self.contacts.retain(|_, kept| kept.frame == frame);
        Ok(())
    }

    fn sweeps(&mut self) -> Result<(), Error> {
        let mut sweeps = std::mem::take(&mut self.sweeps);
        sweeps.clear();
        sweeps.extend((self.bodies..self.shapes.len() - 1).map(|number| self.sweep(number)));
        self.sweeps = sweeps;
        Ok(())
    }

    fn rays(&mut self, world: &World) -> Result<(), Error> {
        self.rays.clear();
        self.rays.extend(world.rays.iter().map(|way| {
            let ray = Ray::new(way.from.into(), way.displacement.into());
            let shape = |leaf: u32| &self.shapes[leaf as usize];
            let cast = |leaf: u32, best| {
                let (pose, shape) = shape(leaf);
                shape.cast_ray(pose, &ray, best, true)
            };
            let (leaf, time) = self.tree.cast_ray(&ray, 1.0, cast)?;
            let (pose, shape) = shape(leaf);
            let hit = shape.cast_ray_and_get_normal(pose, &ray, 2.0 * time, true);
            Some((time, hit.map_or([0.0; 3], |hit| hit.normal.to_array())))
        }));
        Ok(())
    }

    fn answers(&self, _: &World) -> Answers {
        // Pairs that touch; of the level without triangles.
        let contacts = self.contacts.iter().filter_map(|(&(a, b), kept)| {
            let points = kept.manifolds.iter().flat_map(|manifold| &manifold.points);
            let least = points.map(|point| point.dist).min_by(f32::total_cmp)?;
            (least <= 0.0).then(|| Touch::new([a, b], 0, least, false))
        });
        Answers {
            contacts: contacts.collect(),
            sweeps: self.sweeps.clone(),
            rays: self.rays.clone(),
        }
    }
}
