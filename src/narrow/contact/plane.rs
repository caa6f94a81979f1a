//! Contact manifolds of bounded shapes with planes and half-spaces.
//!
//! A sphere has one point, the furthest along the normal. A capsule has its ends, a box the corners of its incident
//! face, each if it is within the margin.
//!
//! Source: none needed. The height of a point is normal · p + d, over the length of the normal.
//!
//! # Error bound
//!
//! A height rounds as in [`extent`](crate::narrow::geometry::extent), and twice more by the inverse of the length, which is within 3 u.
//! So the gap errs by less than these bounds, n being the unit normal, p the center of the shape or the farther corner
//! of an AABB on each axis:
//!
//! ```text
//! sphere   12 u (Σ |nᵢ pᵢ| + |d| + radius)
//! capsule  16 u (Σ |nᵢ pᵢ| + |d| + Σ |hᵢ| + radius), h the half axis
//! AABB     16 u (Σ |nᵢ pᵢ| + |d| + Σ hₖ), h the edges
//! OBB      32 u (Σ |nᵢ pᵢ| + |d| + Σ hₖ), h the half extents
//! ```

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::contact::manifold::{
    CapsuleSupport, Face, Manifold, ManifoldKernel, ManifoldPoint, least_apart, nowhere, of_four,
    of_one, of_two, reported,
};
use crate::narrow::geometry::extent::height;
use crate::narrow::geometry::frame::{center, in_world};
use crate::narrow::geometry::gap::{Gap, signed};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::plane::{Surface, WidePlane};
use crate::shapes::shape::Movable;
use crate::shapes::sphere::{Sphere, WideSphere};

/// A shape with a contact manifold on a plane.
pub trait PlaneManifold: Movable {
    /// Maximum number of points: 1, 2 or 4.
    const POINTS: usize;

    /// The manifold. Against a plane that is not solid, the normal points away from the center's side.
    fn manifold<L: Lanes>(
        lanes: L,
        shape: Self::Wide<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
        is_solid: bool,
    ) -> Manifold<L::F>;
}

impl<S: PlaneManifold, P: Surface> ManifoldKernel<P> for S {
    const POINTS: usize = S::POINTS;
    const IS_FINE: bool = true;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        shape: S::Wide<L::F>,
        surface: P::Wide<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        S::manifold(lanes, shape, P::plane(surface), margin, P::IS_SOLID)
    }
}

/// A plane, its normal directed away from a shape.
#[derive(Clone, Copy)]
struct DirectedPlane<F> {
    /// A unit vector from the shape to the plane.
    normal: Vec3<F>,
    /// Height of the shape's center: its distance from the plane against the normal.
    height: F,
    /// The sum of the terms of the height, as a length.
    size: F,
    side: F,
    inverse: F,
}

impl<F: Float> DirectedPlane<F> {
    /// The plane seen from `center`, or from above if it is solid.
    #[inline(always)]
    fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        plane: WidePlane<F>,
        center: Vec3<F>,
        is_solid: bool,
    ) -> Self {
        let one = lanes.splat(1.0);
        let inverse = one / plane.length;
        let (height, size) = height(center, plane);
        let side = if is_solid {
            one
        } else {
            signed(lanes, one, height)
        };
        DirectedPlane {
            normal: plane.normal * -(side * inverse),
            height: height * side * inverse,
            size: size * inverse,
            side,
            inverse,
        }
    }

    /// Height of a point: its distance from the plane against the normal.
    #[inline(always)]
    fn height_of(self, point: Vec3<F>, plane: WidePlane<F>) -> F {
        height(point, plane).0 * self.side * self.inverse
    }
}

impl PlaneManifold for Sphere {
    const POINTS: usize = 1;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        sphere: WideSphere<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
        is_solid: bool,
    ) -> Manifold<L::F> {
        let directed = DirectedPlane::new(lanes, plane, sphere.center, is_solid);
        let size = directed.size + sphere.radius;
        let gap = reported(lanes, directed.height - sphere.radius, size, 12.0, margin);
        let normal = directed.normal;
        of_one(lanes, sphere.radius, Gap { normal, gap }, nowhere(lanes))
    }
}

impl PlaneManifold for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
        is_solid: bool,
    ) -> Manifold<L::F> {
        let directed = DirectedPlane::new(lanes, plane, capsule.center, is_solid);
        let DirectedPlane { normal, height, .. } = directed;
        let down = normal.dot(capsule.half_axis);
        let gap = height - down.abs() - capsule.radius;
        let size = directed.size + capsule.half_axis.abs().sum() + capsule.radius;
        let gap = reported(lanes, gap, size, 16.0, margin);
        let support = CapsuleSupport::new(lanes, capsule.half_axis, capsule.radius, normal);
        let one = lanes.splat(1.0);
        let slop = size * lanes.units(16.0);
        let limit = margin.max(gap) + slop;
        let first = support.point(lanes, -one, height + down, 0.0);
        let second = support.point(lanes, one, height - down, 1.0);
        let long = capsule.half_axis.abs().largest();
        let is_long = least_apart(lanes, slop, long).lt(long);
        let deeper_first = lanes.splat(0.0).lt(-down);
        let has_first = first.separation.le(limit) & (is_long | deeper_first);
        let has_second = second.separation.le(limit) & (is_long | !deeper_first);
        // If rounding drops both ends, keep the deeper one.
        let none = !(has_first | has_second);
        of_two(
            lanes,
            normal,
            gap,
            nowhere(lanes),
            [first, second],
            [
                has_first | (none & deeper_first),
                has_second | (none & !deeper_first),
            ],
        )
    }
}

/// A vertex of a box, relative to its center, and its height above the surface.
#[derive(Clone, Copy)]
struct BoxVertex<F> {
    at: Vec3<F>,
    height: F,
    feature: F,
}

/// The manifold of a box: the corners of its incident face within the margin.
#[inline(always)]
fn of_corners<L: Lanes>(
    lanes: L,
    Gap { normal, gap }: Gap<L::F>,
    corners: [BoxVertex<L::F>; 4],
    size: L::F,
    margin: L::F,
) -> Manifold<L::F> {
    let (infinity, half) = (lanes.splat(f32::INFINITY), lanes.splat(0.5));
    let limit = margin.max(gap) + size * lanes.units(16.0);
    // The deepest corner always counts, regardless of rounding.
    let limit = limit.max(least(corners));
    let mut points = [ManifoldPoint {
        at: normal,
        separation: infinity,
        feature: lanes.splat(0.0),
    }; 4];
    for (point, corner) in points.iter_mut().zip(corners) {
        point.at = corner.at + normal * (corner.height * half);
        point.separation = corner.height.select(corner.height.le(limit), infinity);
        point.feature = corner.feature;
    }
    of_four(lanes, normal, gap, nowhere(lanes), points)
}

/// Uses the heights of the corners, as computing a center would round.
impl PlaneManifold for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        aabb: WideAabb<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
        is_solid: bool,
    ) -> Manifold<L::F> {
        let center = center(lanes, aabb);
        let directed = DirectedPlane::new(lanes, plane, center, is_solid);
        let normal = directed.normal;
        let face = Face::new(normal);
        let mut corners = [BoxVertex::nowhere(lanes); 4];
        let mut k = 0;
        while k < 4 {
            let sides = face.corner(lanes, k);
            let [x, y, z] = sides.is_upper(lanes);
            let corner = Vec3([
                aabb.max.0[0].select(x, aabb.min.0[0]),
                aabb.max.0[1].select(y, aabb.min.0[1]),
                aabb.max.0[2].select(z, aabb.min.0[2]),
            ]);
            corners[k] = BoxVertex {
                at: corner - center,
                height: directed.height_of(corner, plane),
                feature: sides.feature(lanes),
            };
            k += 1;
        }
        let (_, lowest) = height(aabb.min, plane);
        let (_, highest) = height(aabb.max, plane);
        let size = lowest.max(highest) * directed.inverse + (aabb.max - aabb.min).sum();
        let deepest = least(corners);
        let gap = reported(lanes, deepest, size, 16.0, margin);
        of_corners(lanes, Gap { normal, gap }, corners, size, margin)
    }
}

impl PlaneManifold for Obb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        obb: WideObb<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
        is_solid: bool,
    ) -> Manifold<L::F> {
        let directed = DirectedPlane::new(lanes, plane, obb.center, is_solid);
        let normal = directed.normal;
        let along = Vec3(normal.along(obb.axes));
        let face = Face::new(along);
        let [hx, hy, hz] = obb.half_extents.0;
        let mut corners = [BoxVertex::nowhere(lanes); 4];
        let mut k = 0;
        while k < 4 {
            let sides = face.corner(lanes, k);
            let [x, y, z] = sides.0;
            let corner = Vec3([x * hx, y * hy, z * hz]);
            corners[k] = BoxVertex {
                at: in_world(corner, obb.axes),
                height: directed.height - corner.dot(along),
                feature: sides.feature(lanes),
            };
            k += 1;
        }
        let size = directed.size + obb.half_extents.sum();
        let deepest = least(corners);
        let gap = reported(lanes, deepest, size, 32.0, margin);
        of_corners(lanes, Gap { normal, gap }, corners, size, margin)
    }
}

/// The least height.
#[inline(always)]
fn least<F: Float>([a, b, c, d]: [BoxVertex<F>; 4]) -> F {
    a.height.min(b.height).min(c.height.min(d.height))
}

impl<F: Float> BoxVertex<F> {
    #[inline(always)]
    fn nowhere<L: Lanes<F = F, M = F::Mask>>(lanes: L) -> Self {
        let zero = lanes.splat(0.0);
        BoxVertex {
            at: Vec3([zero; 3]),
            height: zero,
            feature: zero,
        }
    }
}
