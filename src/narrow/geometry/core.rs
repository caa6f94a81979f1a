//! Shapes as a core and a radius, for distances: the points within the radius of a point, a segment, a box or a triangle.
//!
//! A core is described relative to an *anchor*: the center of the shape, for a triangle the corner P of its frame. An AABB's
//! center is the mean of its corners and would round by u of its coordinates, so [`Solid::ends`] has two points whose mean is the
//! anchor, and the offset of two shapes is the mean of the differences of their ends.

use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::shape::Shape;
use crate::shapes::sphere::{Sphere, WideSphere};
use crate::shapes::triangle::{Triangle, WideTriangle};

/// A bounded shape as the points within a radius of its core.
pub trait Solid: Shape {
    /// The core, one per lane.
    type Core<F: Float>: Core<F>;

    /// The core relative to the anchor.
    fn core<L: Lanes>(lanes: L, shape: Self::Wide<L::F>) -> Self::Core<L::F>;
    /// Two points whose mean is the anchor.
    fn ends<F: Float>(shape: Self::Wide<F>) -> [Vec3<F>; 2];
    /// The radius.
    fn radius<L: Lanes>(lanes: L, shape: Self::Wide<L::F>) -> L::F;
}

/// A convex set, one per lane, described relative to the anchor.
pub trait Core<F: Float>: Copy {
    /// Whether [`spans`](Self::spans) are the edges of a triangle from its corner at the anchor.
    const IS_TRIANGLE: bool = false;

    /// Largest x·d of its points x.
    fn reach<L: Lanes<F = F>>(self, lanes: L, d: Vec3<F>) -> F;
    /// The point with the largest x·d.
    fn farthest<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, d: Vec3<F>) -> Vec3<F>;
    /// Sum of its lengths, at least √3/2 of its diameter: errors are relative to it.
    fn size<L: Lanes<F = F>>(self, lanes: L) -> F;
    /// Vectors that span it: the core is their sums with factors from −1 to 1, or a triangle.
    fn spans<L: Lanes<F = F>>(self, lanes: L) -> [Vec3<F>; 3];
    /// Its center relative to the anchor.
    fn center<L: Lanes<F = F>>(self, lanes: L) -> Vec3<F> {
        Vec3([lanes.splat(0.0); 3])
    }
}

/// A point: the core of a sphere.
#[derive(Clone, Copy)]
pub struct PointCore;

/// A segment from −`half_axis` to `half_axis`: the core of a capsule.
#[derive(Clone, Copy)]
pub struct SegmentCore<F> {
    pub half_axis: Vec3<F>,
}

/// A box along the coordinate axes.
#[derive(Clone, Copy)]
pub struct AlignedCore<F> {
    pub half_extents: Vec3<F>,
}

/// A box along its own axes.
#[derive(Clone, Copy)]
pub struct BoxCore<F> {
    pub half_extents: Vec3<F>,
    pub axes: [Vec3<F>; 3],
}

/// A triangle in its frame.
#[derive(Clone, Copy)]
pub struct TriangleCore<F> {
    pub frame: WideTriangle<F>,
}

impl<F: Float> BoxCore<F> {
    /// The point at coordinates along the axes.
    #[inline(always)]
    pub fn at(self, p: Vec3<F>) -> Vec3<F> {
        let ([x, y, z], [ax, ay, az]) = (p.0, self.axes);
        ax * x + ay * y + az * z
    }
}

impl<F: Float> AlignedCore<F> {
    /// Converts to a box with axes.
    #[inline(always)]
    pub fn with_axes<L: Lanes<F = F>>(self, lanes: L) -> BoxCore<F> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        BoxCore {
            half_extents: self.half_extents,
            axes: [
                Vec3([one, zero, zero]),
                Vec3([zero, one, zero]),
                Vec3([zero, zero, one]),
            ],
        }
    }
}

impl Solid for Sphere {
    type Core<F: Float> = PointCore;

    #[inline(always)]
    fn core<L: Lanes>(_lanes: L, _sphere: WideSphere<L::F>) -> PointCore {
        PointCore
    }
    #[inline(always)]
    fn ends<F: Float>(sphere: WideSphere<F>) -> [Vec3<F>; 2] {
        [sphere.center; 2]
    }
    #[inline(always)]
    fn radius<L: Lanes>(_lanes: L, sphere: WideSphere<L::F>) -> L::F {
        sphere.radius
    }
}

impl Solid for Capsule {
    type Core<F: Float> = SegmentCore<F>;

    #[inline(always)]
    fn core<L: Lanes>(_lanes: L, capsule: WideCapsule<L::F>) -> SegmentCore<L::F> {
        SegmentCore {
            half_axis: capsule.half_axis,
        }
    }
    #[inline(always)]
    fn ends<F: Float>(capsule: WideCapsule<F>) -> [Vec3<F>; 2] {
        [capsule.center; 2]
    }
    #[inline(always)]
    fn radius<L: Lanes>(_lanes: L, capsule: WideCapsule<L::F>) -> L::F {
        capsule.radius
    }
}

impl Solid for Aabb {
    type Core<F: Float> = AlignedCore<F>;

    #[inline(always)]
    fn core<L: Lanes>(lanes: L, aabb: WideAabb<L::F>) -> AlignedCore<L::F> {
        AlignedCore {
            half_extents: (aabb.max - aabb.min) * lanes.splat(0.5),
        }
    }
    #[inline(always)]
    fn ends<F: Float>(aabb: WideAabb<F>) -> [Vec3<F>; 2] {
        [aabb.min, aabb.max]
    }
    #[inline(always)]
    fn radius<L: Lanes>(lanes: L, _aabb: WideAabb<L::F>) -> L::F {
        lanes.splat(0.0)
    }
}

impl Solid for Obb {
    type Core<F: Float> = BoxCore<F>;

    #[inline(always)]
    fn core<L: Lanes>(_lanes: L, obb: WideObb<L::F>) -> BoxCore<L::F> {
        BoxCore {
            half_extents: obb.half_extents,
            axes: obb.axes,
        }
    }
    #[inline(always)]
    fn ends<F: Float>(obb: WideObb<F>) -> [Vec3<F>; 2] {
        [obb.center; 2]
    }
    #[inline(always)]
    fn radius<L: Lanes>(lanes: L, _obb: WideObb<L::F>) -> L::F {
        lanes.splat(0.0)
    }
}

impl Solid for Triangle {
    type Core<F: Float> = TriangleCore<F>;

    #[inline(always)]
    fn core<L: Lanes>(_lanes: L, frame: WideTriangle<L::F>) -> TriangleCore<L::F> {
        TriangleCore { frame }
    }
    #[inline(always)]
    fn ends<F: Float>(triangle: WideTriangle<F>) -> [Vec3<F>; 2] {
        [triangle.corner; 2]
    }
    #[inline(always)]
    fn radius<L: Lanes>(lanes: L, _triangle: WideTriangle<L::F>) -> L::F {
        lanes.splat(0.0)
    }
}

impl<F: Float> Core<F> for PointCore {
    #[inline(always)]
    fn reach<L: Lanes<F = F>>(self, lanes: L, _d: Vec3<F>) -> F {
        lanes.splat(0.0)
    }
    #[inline(always)]
    fn farthest<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, _d: Vec3<F>) -> Vec3<F> {
        Vec3([lanes.splat(0.0); 3])
    }
    #[inline(always)]
    fn size<L: Lanes<F = F>>(self, lanes: L) -> F {
        lanes.splat(0.0)
    }
    #[inline(always)]
    fn spans<L: Lanes<F = F>>(self, lanes: L) -> [Vec3<F>; 3] {
        [Vec3([lanes.splat(0.0); 3]); 3]
    }
}

impl<F: Float> Core<F> for SegmentCore<F> {
    #[inline(always)]
    fn reach<L: Lanes<F = F>>(self, _lanes: L, d: Vec3<F>) -> F {
        self.half_axis.dot(d).abs()
    }
    #[inline(always)]
    fn farthest<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, d: Vec3<F>) -> Vec3<F> {
        self.half_axis * sign(lanes, self.half_axis.dot(d))
    }
    #[inline(always)]
    fn size<L: Lanes<F = F>>(self, _lanes: L) -> F {
        self.half_axis.abs().sum()
    }
    #[inline(always)]
    fn spans<L: Lanes<F = F>>(self, lanes: L) -> [Vec3<F>; 3] {
        let none = Vec3([lanes.splat(0.0); 3]);
        [self.half_axis, none, none]
    }
}

impl<F: Float> Core<F> for AlignedCore<F> {
    #[inline(always)]
    fn reach<L: Lanes<F = F>>(self, _lanes: L, d: Vec3<F>) -> F {
        self.half_extents.dot(d.abs())
    }
    #[inline(always)]
    fn farthest<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, d: Vec3<F>) -> Vec3<F> {
        let [hx, hy, hz] = self.half_extents.0;
        let [x, y, z] = d.0;
        Vec3([
            hx * sign(lanes, x),
            hy * sign(lanes, y),
            hz * sign(lanes, z),
        ])
    }
    #[inline(always)]
    fn size<L: Lanes<F = F>>(self, _lanes: L) -> F {
        self.half_extents.sum()
    }
    #[inline(always)]
    fn spans<L: Lanes<F = F>>(self, lanes: L) -> [Vec3<F>; 3] {
        self.with_axes(lanes).spans(lanes)
    }
}

impl<F: Float> Core<F> for BoxCore<F> {
    #[inline(always)]
    fn reach<L: Lanes<F = F>>(self, _lanes: L, d: Vec3<F>) -> F {
        let [hx, hy, hz] = self.half_extents.0;
        let [x, y, z] = d.along(self.axes);
        hx * x.abs() + hy * y.abs() + hz * z.abs()
    }
    #[inline(always)]
    fn farthest<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, d: Vec3<F>) -> Vec3<F> {
        let [x, y, z] = d.along(self.axes);
        let [ax, ay, az] = self.spans(lanes);
        ax * sign(lanes, x) + ay * sign(lanes, y) + az * sign(lanes, z)
    }
    #[inline(always)]
    fn size<L: Lanes<F = F>>(self, _lanes: L) -> F {
        self.half_extents.sum()
    }
    #[inline(always)]
    fn spans<L: Lanes<F = F>>(self, _lanes: L) -> [Vec3<F>; 3] {
        let ([hx, hy, hz], [ax, ay, az]) = (self.half_extents.0, self.axes);
        [ax * hx, ay * hy, az * hz]
    }
}

impl<F: Float> Core<F> for TriangleCore<F> {
    const IS_TRIANGLE: bool = true;

    #[inline(always)]
    fn reach<L: Lanes<F = F>>(self, lanes: L, d: Vec3<F>) -> F {
        let triangle = self.frame;
        let along = triangle.along.dot(d);
        let second = triangle.length * along;
        let third = triangle.foot * along + triangle.height * triangle.across.dot(d);
        second.max(third).max(lanes.splat(0.0))
    }
    #[inline(always)]
    fn farthest<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, d: Vec3<F>) -> Vec3<F> {
        let [second, third] = self.frame.edges();
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let (x, y) = (second.dot(d), third.dot(d));
        let is_third = x.le(y) & zero.le(y);
        let is_second = !is_third & zero.le(x);
        second * one.masked(is_second) + third * one.masked(is_third)
    }
    /// Twice the longest edge: a triangle reaches no farther from its anchor than that edge.
    #[inline(always)]
    fn size<L: Lanes<F = F>>(self, _lanes: L) -> F {
        self.frame.length + self.frame.length
    }
    #[inline(always)]
    fn spans<L: Lanes<F = F>>(self, lanes: L) -> [Vec3<F>; 3] {
        let [second, third] = self.frame.edges();
        [second, third, Vec3([lanes.splat(0.0); 3])]
    }
    #[inline(always)]
    fn center<L: Lanes<F = F>>(self, lanes: L) -> Vec3<F> {
        let [second, third] = self.frame.edges();
        (second + third) * lanes.splat(1.0 / 3.0)
    }
}

/// −1 for negative numbers, otherwise 1.
#[inline(always)]
fn sign<L: Lanes>(lanes: L, x: L::F) -> L::F {
    lanes
        .splat(-1.0)
        .select(x.lt(lanes.splat(0.0)), lanes.splat(1.0))
}

/// The unit vector along the axis of the largest coordinate.
#[inline(always)]
pub fn one_hot<L: Lanes>(lanes: L, v: Vec3<L::F>) -> Vec3<L::F> {
    let [x, y, z] = v.0;
    let one = lanes.splat(1.0);
    let is_x = y.le(x) & z.le(x);
    let is_y = !is_x & z.le(y);
    Vec3([
        one.masked(is_x),
        one.masked(is_y),
        one.masked(!is_x & !is_y),
    ])
}
