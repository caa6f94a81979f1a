//! Projection of a shape onto the normal of a plane: the interval of normal · p + d over the shape.
//!
//! Overlaps and sweeps against planes and half-spaces need only this interval, so each shape has one function here.
//!
//! Sources: for spheres, M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, the start of
//! listing 1; for segments and boxes, C. Ericson, "Real-Time Collision Detection", 2005, 5.2.2 and 5.2.3. Departures:
//! the normal has any length, and an error bound widens the interval.
//!
//! # Error bounds
//!
//! Heights are in units of the scaled normal n, so 1/2 ≤ |n| < √3 of them make a length; `length` is
//! |n| within 3 u, to first order 2.5 u ([`WidePlane`]). Up to signs, p being the center, or the
//! farther of a box's two corners on each axis, the exact ends are sums of these, A the axes and v the
//! motion:
//!
//! ```text
//! S = Σ |nᵢ pᵢ| + |d|   R = |n| (radius + margin)   Q = Σ hₖ |n·Aₖ| ≤ H = |n| Σ hₖ   W = Σ |nᵢ vᵢ|
//! T = Σ |nᵢ hᵢ|, h the half axis of a capsule
//!
//!    roundings, to first order in u                                           error   widened by
//! S  a product, three sums; middle − support                                     5         8
//! R  2.5 of `length`; product; sums with radius, Q or n·h; middle − support      6.5       8
//! Q  product with hₖ; two sums; sum with the margin; middle − support            5         8
//! T  a product, two sums; sum with R; middle − support                           5         8
//! H  the axes, η ([`AXIS_ERROR`]); product and two sums of n·A                   η + 3     η + 6
//! W  difference v; product, two sums; difference with `error`; u/2 in `slab`     5.5       8
//! ```
//!
//! The smaller of two rounded products is the rounded smaller one. n·A errs relative to
//! Σ |nᵢ Aᵢ| ≤ |n| |A|, so to H. The widening is itself rounded, no term more than 9 times:
//! (1 − 9 u) of the last column remains. All products of errors stay below 200 u², while every row has
//! 1.5 u of slack; 7 u and η + 4 would suffice.
//!
//! - Never missing: see [`overlap::plane`](crate::narrow::overlap::plane) and [`sweep::plane`](crate::narrow::sweep::plane).
//! - False hits, and gaps at all claimed times, by (2) of `slab`: at most the sum of both columns,
//!   14.5 u (S + R + Q + T + W) + (2 η + 9) u H in first order. Divided by |n| that is less than
//!   16 u (Σ |nᵢ pᵢ| + |d| + support + Σ |nᵢ vᵢ|) + 32 u Σ hₖ + 2⁻⁶⁰, with n and d scaled to a unit normal.
//!   The support is radius + margin, Σ |nᵢ hᵢ| + radius + margin for capsules, and Σ hₖ |n·Aₖ| + margin for OBBs. For
//!   triangles the corner P is p, the support L + margin, and 152 u L come on top.
//! - Underflow: scaling n and d errs by 2⁻¹⁴⁹, times lengths up to 2⁶¹. Products err by 2⁻¹⁵⁰, those of axes
//!   times hₖ ≤ 2⁶⁰. The sum is below 2⁻⁸⁰, against 2⁻⁶² in `error`. As |n| ≥ 1/2 this is at most
//!   2⁻⁶¹ (1 + 2⁻¹⁷) of length, less than 2⁻⁶⁰.
//! - Overflow: lengths and |d| are at most 2⁶⁰, v and sums of two 2⁶¹, so all heights are below 2⁶⁴.

use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::error_of;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::obb::{AXIS_ERROR, Obb, WideObb};
use crate::shapes::plane::WidePlane;
use crate::shapes::point::{Point, WidePoint};
use crate::shapes::shape::Shape;
use crate::shapes::sphere::{Sphere, WideSphere};
use crate::shapes::triangle::{Triangle, WideTriangle};

/// A bounded shape, projected onto the normal of a plane.
pub trait Extent: Shape {
    /// The interval of normal · p + d over the shape, grown by the margin.
    fn extent<L: Lanes>(
        lanes: L,
        shape: Self::Wide<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
    ) -> Interval<L::F>;
}

/// An interval of normal · p + d, in units of the scaled normal.
#[derive(Clone, Copy)]
pub struct Interval<F> {
    pub low: F,
    pub high: F,
    /// The error bound of either end.
    pub error: F,
}

impl Extent for Point {
    #[inline(always)]
    fn extent<L: Lanes>(
        lanes: L,
        point: WidePoint<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
    ) -> Interval<L::F> {
        of_sphere(lanes, point.position, margin, plane)
    }
}

impl Extent for Sphere {
    #[inline(always)]
    fn extent<L: Lanes>(
        lanes: L,
        sphere: WideSphere<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
    ) -> Interval<L::F> {
        of_sphere(lanes, sphere.center, sphere.radius + margin, plane)
    }
}

/// The interval of a sphere.
#[inline(always)]
fn of_sphere<L: Lanes>(
    lanes: L,
    center: Vec3<L::F>,
    radius: L::F,
    plane: WidePlane<L::F>,
) -> Interval<L::F> {
    let (middle, size) = height(center, plane);
    let support = radius * plane.length;
    Interval {
        low: middle - support,
        high: middle + support,
        error: error_of(lanes, size + support),
    }
}

impl Extent for Capsule {
    #[inline(always)]
    fn extent<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
    ) -> Interval<L::F> {
        let (middle, size) = height(capsule.center, plane);
        let [x, y, z] = product(capsule.half_axis, plane.normal);
        let radius = (capsule.radius + margin) * plane.length;
        let support = (x + y + z).abs() + radius;
        let size = size + (x.abs() + y.abs() + z.abs()) + radius;
        Interval {
            low: middle - support,
            high: middle + support,
            error: error_of(lanes, size),
        }
    }
}

/// Projects the corners, as computing a center would round.
impl Extent for Aabb {
    #[inline(always)]
    fn extent<L: Lanes>(
        lanes: L,
        aabb: WideAabb<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
    ) -> Interval<L::F> {
        let [min_x, min_y, min_z] = product(aabb.min, plane.normal);
        let [max_x, max_y, max_z] = product(aabb.max, plane.normal);
        let low = min_x.min(max_x) + min_y.min(max_y) + min_z.min(max_z) + plane.d;
        let high = min_x.max(max_x) + min_y.max(max_y) + min_z.max(max_z) + plane.d;
        let size = min_x.abs().max(max_x.abs())
            + min_y.abs().max(max_y.abs())
            + min_z.abs().max(max_z.abs())
            + plane.d.abs();
        let support = margin * plane.length;
        Interval {
            low: low - support,
            high: high + support,
            error: error_of(lanes, size + support),
        }
    }
}

impl Extent for Obb {
    #[inline(always)]
    fn extent<L: Lanes>(
        lanes: L,
        obb: WideObb<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
    ) -> Interval<L::F> {
        let (middle, size) = height(obb.center, plane);
        let [hx, hy, hz] = obb.half_extents.0;
        let [ax, ay, az] = obb.axes;
        let radius = hx * ax.dot(plane.normal).abs()
            + hy * ay.dot(plane.normal).abs()
            + hz * az.dot(plane.normal).abs();
        let support = radius + margin * plane.length;
        let error_of_axes = obb.half_extents.sum() * plane.length * lanes.units(AXIS_ERROR + 6.0);
        Interval {
            low: middle - support,
            high: middle + support,
            error: error_of(lanes, size + support) + error_of_axes,
        }
    }
}

/// Projects the corners in the frame of the triangle. Each is at most 63 u L away from its place, L the length of the
/// longest edge; both terms of the third corner round by 8 u L more.
impl Extent for Triangle {
    #[inline(always)]
    fn extent<L: Lanes>(
        lanes: L,
        triangle: WideTriangle<L::F>,
        plane: WidePlane<L::F>,
        margin: L::F,
    ) -> Interval<L::F> {
        let (middle, size) = height(triangle.corner, plane);
        let zero = lanes.splat(0.0);
        let along = triangle.along.dot(plane.normal);
        let second = triangle.length * along;
        let third = triangle.foot * along + triangle.height * triangle.across.dot(plane.normal);
        let support = margin * plane.length;
        let length = triangle.length * plane.length;
        Interval {
            low: middle + second.min(third).min(zero) - support,
            high: middle + second.max(third).max(zero) + support,
            error: error_of(lanes, size + length + support) + length * lanes.units(TRIANGLE_ERROR),
        }
    }
}

/// Error of the corners, in u of the longest edge: 71, and some slack.
const TRIANGLE_ERROR: f32 = 76.0;

/// normal · p + d, and the sum of its terms' absolute values.
#[inline(always)]
pub fn height<F: Float>(p: Vec3<F>, plane: WidePlane<F>) -> (F, F) {
    let [x, y, z] = product(p, plane.normal);
    (
        x + y + z + plane.d,
        x.abs() + y.abs() + z.abs() + plane.d.abs(),
    )
}

/// The componentwise product.
#[inline(always)]
pub fn product<F: Float>(a: Vec3<F>, b: Vec3<F>) -> [F; 3] {
    let ([ax, ay, az], [bx, by, bz]) = (a.0, b.0);
    [ax * bx, ay * by, az * bz]
}
