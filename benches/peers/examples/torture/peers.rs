//! Other libraries, called as in their documentation.
//!
//! A kernel without an everyday call in a library is not in its list.

use std::any::Any;

use crate::harness::{KernelCase, Moving, cells};
use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::Vector;
use parry3d::query::details::{
    intersection_test_cuboid_cuboid, intersection_test_halfspace_support_map,
};
use parry3d::query::{PointQuery, Ray, RayCast, ShapeCastOptions, cast_shapes, intersection_test};
use parry3d::shape::{self, Ball, Cuboid, SupportMap};
use phalanx::{Point, TimeInterval};
use phalanx_bench::convert::{Posed, ToWreck, parry_aabb, parry_sphere};
use wreck::Collides;

/// Time interval of contact of a pair; `None` for a miss, the whole frame if the library reports no times.
pub type Peer<A, B> = fn(&Moving<A>, &Moving<B>) -> Option<TimeInterval>;

/// The peers of each kernel.
#[derive(Default)]
pub struct Registry {
    entries: Vec<Entry>,
}

struct Entry {
    kernel: &'static str,
    name: &'static str,
    /// A [`Peer`] of the kernel's shapes.
    peer: Box<dyn Any + Send + Sync>,
}

impl Registry {
    pub fn add<C: KernelCase>(&mut self, name: &'static str, peer: Peer<C::A, C::B>) {
        self.entries.push(Entry {
            kernel: C::NAME,
            name,
            peer: Box::new(peer),
        });
    }

    /// A kernel's peers with their names.
    pub fn of<C: KernelCase>(&self) -> impl Iterator<Item = (&'static str, Peer<C::A, C::B>)> {
        self.entries
            .iter()
            .filter(|entry| entry.kernel == C::NAME)
            .filter_map(|entry| Some((entry.name, *entry.peer.downcast_ref()?)))
    }
}

/// A hit without times.
pub const FRAME: TimeInterval = TimeInterval {
    enter: 0.0,
    exit: 1.0,
};

pub fn add_to(peers: &mut Registry) {
    add_parry_overlaps(peers);
    add_parry_sweeps(peers);
    add_parry_points(peers);
    add_parry_capsules(peers);
    add_wreck(peers);
}

fn add_parry_overlaps(peers: &mut Registry) {
    peers.add::<cells::sphere_sphere_overlap>("parry3d BoundingSphere::intersects", |a, b| {
        parry_sphere(&a.0)
            .intersects(&parry_sphere(&b.0))
            .then_some(FRAME)
    });
    peers.add::<cells::aabb_aabb_overlap>("parry3d Aabb::intersects", |a, b| {
        parry_aabb(&a.0)
            .intersects(&parry_aabb(&b.0))
            .then_some(FRAME)
    });
    let cuboids = "parry3d intersection_test_cuboid_cuboid";
    peers.add::<cells::obb_obb_overlap>(cuboids, |a, b| {
        cuboids_touch(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
    peers.add::<cells::aabb_obb_overlap>(cuboids, |a, b| {
        cuboids_touch(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
    peers.add::<cells::sphere_aabb_overlap>("parry3d Aabb::distance_to_local_point", |a, b| {
        let distance = parry_aabb(&b.0).distance_to_local_point(a.0.center.into(), true);
        (distance <= a.0.radius).then_some(FRAME)
    });
    peers.add::<cells::sphere_obb_overlap>("parry3d Cuboid::distance_to_point", |a, b| {
        let Posed { pose, shape } = Posed::<Cuboid>::from(b.0);
        let distance = shape.distance_to_point(&pose, a.0.center.into(), true);
        (distance <= a.0.radius).then_some(FRAME)
    });
    peers.add::<cells::sphere_capsule_overlap>("parry3d Capsule::distance_to_point", |a, b| {
        let Posed { pose, shape } = Posed::<shape::Capsule>::from(b.0);
        let distance = shape.distance_to_point(&pose, a.0.center.into(), true);
        (distance <= a.0.radius).then_some(FRAME)
    });
    peers.add::<cells::sphere_half_space_overlap>(
        "parry3d HalfSpace::distance_to_point",
        |a, b| {
            let Posed { pose, shape } = Posed::<shape::HalfSpace>::from(b.0);
            let distance = shape.distance_to_point(&pose, a.0.center.into(), true);
            (distance <= a.0.radius).then_some(FRAME)
        },
    );
    let half_space = "parry3d intersection_test_halfspace_support_map";
    peers.add::<cells::aabb_half_space_overlap>(half_space, |a, b| {
        touches_half_space::<Cuboid>(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
    peers.add::<cells::obb_half_space_overlap>(half_space, |a, b| {
        touches_half_space::<Cuboid>(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
}

fn add_parry_capsules(peers: &mut Registry) {
    type Capsule = shape::Capsule;
    let name = "parry3d intersection_test";
    peers.add::<cells::capsule_capsule_overlap>(name, |a, b| {
        shapes_touch::<Capsule, Capsule>(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
    peers.add::<cells::capsule_aabb_overlap>(name, |a, b| {
        shapes_touch::<Capsule, Cuboid>(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
    peers.add::<cells::capsule_obb_overlap>(name, |a, b| {
        shapes_touch::<Capsule, Cuboid>(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
    let half_space = "parry3d intersection_test_halfspace_support_map";
    peers.add::<cells::capsule_half_space_overlap>(half_space, |a, b| {
        touches_half_space::<Capsule>(&a.0.into(), &b.0.into()).then_some(FRAME)
    });
    let sweep = "parry3d cast_shapes";
    peers.add::<cells::capsule_half_space_sweep>(sweep, cast::<_, _, Capsule, shape::HalfSpace>);
}

fn add_parry_sweeps(peers: &mut Registry) {
    let name = "parry3d cast_shapes";
    peers.add::<cells::sphere_sphere_sweep>(name, cast::<_, _, Ball, Ball>);
    peers.add::<cells::aabb_aabb_sweep>(name, cast::<_, _, Cuboid, Cuboid>);
    peers.add::<cells::sphere_aabb_sweep>(name, cast::<_, _, Ball, Cuboid>);
    peers.add::<cells::sphere_obb_sweep>(name, cast::<_, _, Ball, Cuboid>);
    peers.add::<cells::sphere_capsule_sweep>(name, cast::<_, _, Ball, shape::Capsule>);
    peers.add::<cells::capsule_capsule_sweep>(name, cast::<_, _, shape::Capsule, shape::Capsule>);
    peers.add::<cells::obb_obb_sweep>(name, cast::<_, _, Cuboid, Cuboid>);
    peers.add::<cells::aabb_obb_sweep>(name, cast::<_, _, Cuboid, Cuboid>);
    peers.add::<cells::capsule_aabb_sweep>(name, cast::<_, _, shape::Capsule, Cuboid>);
    peers.add::<cells::capsule_obb_sweep>(name, cast::<_, _, shape::Capsule, Cuboid>);
    peers.add::<cells::sphere_half_space_sweep>(name, cast::<_, _, Ball, shape::HalfSpace>);
    peers.add::<cells::aabb_half_space_sweep>(name, cast::<_, _, Cuboid, shape::HalfSpace>);
    peers.add::<cells::obb_half_space_sweep>(name, cast::<_, _, Cuboid, shape::HalfSpace>);
}

fn add_parry_points(peers: &mut Registry) {
    peers.add::<cells::point_sphere_overlap>("parry3d Ball::contains_point", |a, b| {
        contains::<Ball>(&a.0, b.0.into())
    });
    peers.add::<cells::point_aabb_overlap>("parry3d Aabb::contains_local_point", |a, b| {
        parry_aabb(&b.0)
            .contains_local_point(a.0.position.into())
            .then_some(FRAME)
    });
    peers.add::<cells::point_obb_overlap>("parry3d Cuboid::contains_point", |a, b| {
        contains::<Cuboid>(&a.0, b.0.into())
    });
    peers.add::<cells::point_capsule_overlap>("parry3d Capsule::contains_point", |a, b| {
        contains::<shape::Capsule>(&a.0, b.0.into())
    });
    peers.add::<cells::point_half_space_overlap>("parry3d HalfSpace::contains_point", |a, b| {
        contains::<shape::HalfSpace>(&a.0, b.0.into())
    });
    peers.add::<cells::point_sphere_sweep>("parry3d Ball::cast_ray", cast_ray::<_, Ball>);
    peers.add::<cells::point_capsule_sweep>(
        "parry3d Capsule::cast_ray",
        cast_ray::<_, shape::Capsule>,
    );
    peers.add::<cells::point_aabb_sweep>("parry3d Aabb::cast_local_ray", |a, b| {
        let hit = parry_aabb(&b.0).cast_local_ray(&ray(a, b.1), 1.0, true);
        hit.map(|enter| TimeInterval { enter, exit: 1.0 })
    });
    peers.add::<cells::point_obb_sweep>("parry3d Cuboid::cast_ray", cast_ray::<_, Cuboid>);
    peers.add::<cells::point_half_space_sweep>(
        "parry3d HalfSpace::cast_ray",
        cast_ray::<_, shape::HalfSpace>,
    );
}

fn contains<S: PointQuery>(point: &Point, other: Posed<S>) -> Option<TimeInterval> {
    let Posed { pose, shape } = other;
    shape
        .contains_point(&pose, point.position.into())
        .then_some(FRAME)
}

/// A ray relative to a shape that moves by `displacement`.
fn ray(a: &Moving<Point>, displacement: [f32; 3]) -> Ray {
    let velocity = Vector::from(a.1) - Vector::from(displacement);
    Ray::new(a.0.position.into(), velocity)
}

/// parry3d reports the time at which a ray enters, not the exit.
fn cast_ray<B, S>(a: &Moving<Point>, b: &Moving<B>) -> Option<TimeInterval>
where
    B: Copy + Into<Posed<S>>,
    S: RayCast,
{
    let Posed { pose, shape } = b.0.into();
    let enter = shape.cast_ray(&pose, &ray(a, b.1), 1.0, true)?;
    Some(TimeInterval { enter, exit: 1.0 })
}

fn add_wreck(peers: &mut Registry) {
    macro_rules! add {
        ($($kernel:ident)*) => {
            $(peers.add::<cells::$kernel>("wreck Collides::collides", |a, b| {
                a.0.to_wreck().collides(&b.0.to_wreck()).then_some(FRAME)
            });)*
        };
    }
    add! {
        sphere_sphere_overlap
        aabb_aabb_overlap
        obb_obb_overlap
        sphere_aabb_overlap
        sphere_obb_overlap
        aabb_obb_overlap
        sphere_capsule_overlap
        capsule_capsule_overlap
        capsule_aabb_overlap
        capsule_obb_overlap
        capsule_half_space_overlap
        sphere_half_space_overlap
        aabb_half_space_overlap
        obb_half_space_overlap
    }
}

/// parry3d reports the time at which shapes begin to touch, not the end. It misses two cuboids that hardly move
/// relative to each other, even if they penetrate deeply: its search goes along the motion.
fn cast<A, B, P, Q>(a: &Moving<A>, b: &Moving<B>) -> Option<TimeInterval>
where
    A: Copy + Into<Posed<P>>,
    B: Copy + Into<Posed<Q>>,
    P: shape::Shape,
    Q: shape::Shape,
{
    let (p, q) = (a.0.into(), b.0.into());
    let hit = cast_shapes(
        &p.pose,
        a.1.into(),
        &p.shape,
        &q.pose,
        b.1.into(),
        &q.shape,
        ShapeCastOptions::with_max_time_of_impact(1.0),
    );
    let enter = hit.ok().flatten()?.time_of_impact;
    Some(TimeInterval { enter, exit: 1.0 })
}

fn cuboids_touch(a: &Posed<Cuboid>, b: &Posed<Cuboid>) -> bool {
    intersection_test_cuboid_cuboid(&a.pose.inv_mul(&b.pose), &a.shape, &b.shape)
}

fn shapes_touch<P: shape::Shape, Q: shape::Shape>(a: &Posed<P>, b: &Posed<Q>) -> bool {
    intersection_test(&a.pose, &a.shape, &b.pose, &b.shape).is_ok_and(|said| said.intersecting)
}

fn touches_half_space<S: SupportMap>(a: &Posed<S>, b: &Posed<shape::HalfSpace>) -> bool {
    intersection_test_halfspace_support_map(&b.pose.inv_mul(&a.pose), &b.shape, &a.shape)
}
