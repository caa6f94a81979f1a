//! What contacts with planes and with half-spaces share.

use super::extent::height;
use super::manifold::{
    Face, Gap, Manifold, Point, of_ball, of_four, of_two, reported, signed, unit,
};
use super::rounding::U;
use super::sphere_aabb_contact::center;
use super::sphere_obb_contact::in_world;
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{AabbLanes, CapsuleLanes, ObbLanes, PlaneLanes, SphereLanes};

/// A plane as a shape meets it.
#[derive(Clone, Copy)]
pub struct Surface<F> {
    /// A unit vector from the shape to the plane.
    pub normal: Vec3<F>,
    /// How far the shape's center is from the plane, against the normal.
    pub height: F,
    /// The sum of the terms of the height, as a length.
    pub size: F,
    side: F,
    inverse: F,
}

impl<F: Float> Surface<F> {
    /// The plane, from the side where `center` is, or above a half-space.
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        plane: PlaneLanes<F>,
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
        Surface {
            normal: plane.normal * -(side * inverse),
            height: height * side * inverse,
            size: size * inverse,
            side,
            inverse,
        }
    }

    /// How far a point is from the plane, against the normal.
    #[inline(always)]
    pub fn height_of(self, point: Vec3<F>, plane: PlaneLanes<F>) -> F {
        height(point, plane).0 * self.side * self.inverse
    }
}

/// No offset: points are relative to the shape.
#[inline(always)]
pub fn nowhere<L: Lanes>(lanes: L) -> Vec3<L::F> {
    Vec3([lanes.splat(0.0); 3])
}

/// Where a capsule touches a surface: at either end that is near.
#[inline(always)]
pub fn of_capsule<L: Lanes>(
    lanes: L,
    capsule: CapsuleLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
    is_solid: bool,
) -> Manifold<L::F> {
    let surface = Surface::new(lanes, plane, capsule.center, is_solid);
    let Surface { normal, height, .. } = surface;
    let down = normal.dot(capsule.half_axis);
    let gap = height - down.abs() - capsule.radius;
    let size = surface.size + capsule.half_axis.abs().sum() + capsule.radius;
    let gap = reported(lanes, gap, size, 16.0, margin);
    let rod = Rod::new(lanes, capsule.half_axis, capsule.radius, normal);
    let one = lanes.splat(1.0);
    let room = size * lanes.splat(16.0 * U);
    let limit = margin.max(gap) + room;
    let first = rod.point(lanes, -one, height + down, 0.0);
    let second = rod.point(lanes, one, height - down, 1.0);
    let is_long = (lanes.splat(4.0) * room).lt(capsule.half_axis.abs().largest());
    let deeper_first = lanes.splat(0.0).lt(-down);
    let has_first = first.separation.le(limit) & (is_long | deeper_first);
    let has_second = second.separation.le(limit) & (is_long | !deeper_first);
    // Neither only by rounding: the deeper one then.
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

/// The surface of a capsule, as seen along a normal from its axis.
#[derive(Clone, Copy)]
pub struct Rod<F> {
    half_axis: Vec3<F>,
    radius: F,
    normal: Vec3<F>,
    /// How long the half axis is, and how much of a step along the normal is along it.
    length: F,
    along: F,
    /// How far away the cylinder ends, along the normal.
    beside: F,
    /// Which end is further along the normal: 1 or −1.
    front: F,
}

impl<F: Float> Rod<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        half_axis: Vec3<F>,
        radius: F,
        normal: Vec3<F>,
    ) -> Self {
        let (direction, length) = unit(lanes, half_axis, nowhere(lanes));
        let along = direction.dot(normal);
        let aside = normal - direction * along;
        Rod {
            half_axis,
            radius,
            normal,
            length,
            along,
            // Infinite along the axis.
            beside: radius / aside.dot(aside).sqrt(),
            front: signed(lanes, lanes.splat(1.0), along),
        }
    }

    /// The point of the surface that is over that of the axis at `t`, which is `height` away from the other
    /// shape: on the cylinder, or on the cap in front of it.
    #[inline(always)]
    pub fn point<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        t: F,
        height: F,
        feature: f32,
    ) -> Point<F> {
        let to_front = (self.front - t) * self.front;
        let on_cylinder = (self.along.abs() * self.beside).le(to_front * self.length);
        // From the center of the cap to the line along the normal.
        let from_cap = self.half_axis * (t - self.front);
        let ahead = -from_cap.dot(self.normal);
        let aside = from_cap + self.normal * ahead;
        let chord = self.radius * self.radius - aside.dot(aside);
        let on_cap = ahead + chord.max(lanes.splat(0.0)).sqrt();
        let reach = self.beside.select(on_cylinder, on_cap);
        let separation = height - reach;
        Point {
            at: self.half_axis * t + self.normal * (reach + separation * lanes.splat(0.5)),
            separation,
            feature: lanes.splat(feature),
        }
    }
}

/// A vertex of a box: where it is from the center, and how far from a surface.
#[derive(Clone, Copy)]
pub struct Corner<F> {
    pub at: Vec3<F>,
    pub height: F,
    pub feature: F,
}

/// Where a box touches a surface: at those corners of its face towards it that are near.
#[inline(always)]
pub fn of_corners<L: Lanes>(
    lanes: L,
    Gap { normal, gap }: Gap<L::F>,
    corners: [Corner<L::F>; 4],
    size: L::F,
    margin: L::F,
) -> Manifold<L::F> {
    let (infinity, half) = (lanes.splat(f32::INFINITY), lanes.splat(0.5));
    let limit = margin.max(gap) + size * lanes.splat(16.0 * U);
    // The deepest one counts, whatever the roundings.
    let limit = limit.max(least(corners));
    let mut points = [Point {
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

/// Where a ball touches a surface.
#[inline(always)]
pub fn of_sphere<L: Lanes>(
    lanes: L,
    sphere: SphereLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
    is_solid: bool,
) -> Manifold<L::F> {
    let surface = Surface::new(lanes, plane, sphere.center, is_solid);
    let size = surface.size + sphere.radius;
    let gap = reported(lanes, surface.height - sphere.radius, size, 12.0, margin);
    let normal = surface.normal;
    of_ball(lanes, sphere.radius, Gap { normal, gap }, nowhere(lanes))
}

/// Where a box along the axes touches a surface. Heights are those of its corners, not of a rounded center.
#[inline(always)]
pub fn of_aabb<L: Lanes>(
    lanes: L,
    aabb: AabbLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
    is_solid: bool,
) -> Manifold<L::F> {
    let center = center(lanes, aabb);
    let surface = Surface::new(lanes, plane, center, is_solid);
    let normal = surface.normal;
    let face = Face::new(normal);
    let mut corners = [Corner::nowhere(lanes); 4];
    let mut k = 0;
    while k < 4 {
        let sides = face.corner(lanes, k);
        let [x, y, z] = sides.is_upper(lanes);
        let corner = Vec3([
            aabb.max.0[0].select(x, aabb.min.0[0]),
            aabb.max.0[1].select(y, aabb.min.0[1]),
            aabb.max.0[2].select(z, aabb.min.0[2]),
        ]);
        corners[k] = Corner {
            at: corner - center,
            height: surface.height_of(corner, plane),
            feature: sides.feature(lanes),
        };
        k += 1;
    }
    let (_, lowest) = height(aabb.min, plane);
    let (_, highest) = height(aabb.max, plane);
    let size = lowest.max(highest) * surface.inverse + (aabb.max - aabb.min).sum();
    let deepest = least(corners);
    let gap = reported(lanes, deepest, size, 16.0, margin);
    of_corners(lanes, Gap { normal, gap }, corners, size, margin)
}

/// Where a box in any orientation touches a surface.
#[inline(always)]
pub fn of_obb<L: Lanes>(
    lanes: L,
    obb: ObbLanes<L::F>,
    plane: PlaneLanes<L::F>,
    margin: L::F,
    is_solid: bool,
) -> Manifold<L::F> {
    let surface = Surface::new(lanes, plane, obb.center, is_solid);
    let normal = surface.normal;
    let along = Vec3(normal.along(obb.axes));
    let face = Face::new(along);
    let [hx, hy, hz] = obb.half_extents.0;
    let mut corners = [Corner::nowhere(lanes); 4];
    let mut k = 0;
    while k < 4 {
        let sides = face.corner(lanes, k);
        let [x, y, z] = sides.0;
        let corner = Vec3([x * hx, y * hy, z * hz]);
        corners[k] = Corner {
            at: in_world(corner, obb.axes),
            height: surface.height - corner.dot(along),
            feature: sides.feature(lanes),
        };
        k += 1;
    }
    let size = surface.size + obb.half_extents.sum();
    let deepest = least(corners);
    let gap = reported(lanes, deepest, size, 32.0, margin);
    of_corners(lanes, Gap { normal, gap }, corners, size, margin)
}

/// The least height.
#[inline(always)]
fn least<F: Float>([a, b, c, d]: [Corner<F>; 4]) -> F {
    a.height.min(b.height).min(c.height.min(d.height))
}

impl<F: Float> Corner<F> {
    #[inline(always)]
    fn nowhere<L: Lanes<F = F, M = F::Mask>>(lanes: L) -> Self {
        let zero = lanes.splat(0.0);
        Corner {
            at: Vec3([zero; 3]),
            height: zero,
            feature: zero,
        }
    }
}
