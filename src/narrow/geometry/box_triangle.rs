//! The thirteen separating axes of a box and a triangle: three face normals of the box, the normal of the triangle, and
//! nine cross products of their edges.
//!
//! Shared by the kernels of AABBs and OBBs, static and moving. All vectors are along the axes of the box. p is the
//! corner P of the triangle relative to the center of the box, q₁ and q₂ lead from P to its other two corners, g is
//! q₂ − q₁, h the half extents with margin and widening, (i, i₁, i₂) cyclic. An interval of projections is tested by
//! its middle and half its length:
//!
//! ```text
//! axis        box                      triangle
//! eᵢ          hᵢ                       pᵢ + 0, q₁ᵢ, q₂ᵢ
//! N           Σ hₖ |Nₖ|                p·N
//! eᵢ × q₁     hᵢ₁ |qᵢ₂| + hᵢ₂ |qᵢ₁|    along P P₁, and from there to P₂: (q₁ × q₂)ᵢ
//! eᵢ × q₂     the same                 along P P₂, and from there to P₁: −(q₁ × q₂)ᵢ
//! eᵢ × g      the same                 along P₁ P₂, and from there to P: (q₁ × g)ᵢ
//! ```
//!
//! Source: T. Akenine-Möller, "Fast 3D Triangle-Box Overlap Testing", Journal of Graphics Tools 6(1), 2001. Departures:
//! the edges come from the frame of [`WideTriangle`], so that the normal of a thin triangle is well defined. (q₁ × g)ᵢ
//! is computed with g, so that it errs relative to the axis. The box is widened so that rounding loses no contact.
//!
//! Degenerate cases: parallel edges give an axis of length zero, which never separates. A flat triangle is a segment or a
//! point; a box may be one too.
//!
//! # Error bound
//!
//! In the frame of the exact box. D = ‖Δ‖₁, Δ the exact offset of P from the center, V = ‖v‖₁, L the length of the
//! longest edge, a the half extents without the margin m, η = 8.5 u the error of a box's axis. p, q₁, q₂, N below are the
//! computed floats, ρ is ‖axis‖₁.
//!
//! **The float triangle** has corners p, p + q₁, p + q₂, taken exactly. Per coordinate, p is off by u D, 3 u D and η D:
//! 12.5 u D. Coordinates of T and B are off by 11.6 u, so q₁ by 12.6 u L and q₂ by 24.6 u L. The exact corners are 63 u L
//! away from those of the frame. So each corner is off by ε = 12.5 u D + 88 u L per coordinate at most. For an AABB p is
//! off by 2 u D + u ‖a‖₁ and a by u D + 2 u ‖a‖₁, less than what is spare.
//!
//! **Never missing.** Shapes that touch have no separating axis, so the intervals of the float triangle and the exact box
//! overlap along any axis up to ε ρ. What is evaluated along it errs, in units of ρ, by
//!
//! ```text
//!        D       V         L       ‖a‖₁ + m
//! eᵢ     2 u     –         3 u     2 u
//! N      3 u     3 u       8 u     4 u       T, B and N are at right angles within 30 u, N·q₁ ≤ 4 u L, N·q₂ ≤ 8 u L
//! edges  4 u     2 u       9 u     4 u       (q₁ × q₂)ᵢ errs by 2 u L ρ for q₁ and for q₂, g by u of itself
//! ```
//!
//! and for moving shapes v by another 12.5 u V, `slab` by 3 u V. So along N 15.5 u D, 18.5 u V, 96 u L and 4 u (‖a‖₁ + m) have to
//! be covered, along edges 16.5 u D, 17.5 u V, 97 u L and 4 u (‖a‖₁ + m). The half extents are widened by
//!
//! ```text
//! w = 20 u (D + V) + 104 u L + 8 u (‖a‖₁ + m) + 2⁻⁶¹
//! ```
//!
//! which rounds by 10 u of itself.
//!
//! **False hits**, and gaps at all claimed times. No axis separates the float triangle from the box grown by m + w plus
//! what evaluating errs by; at claimed times another 3.02 u V. Let Δ″ be the triangle of p, ℓ T and foot T + height B,
//! exactly in the plane of T and B: within 3 u L of the float triangle per coordinate. Its normal T × B differs from N by
//! 2 u per coordinate. So all thirteen axes of Δ″ and the box grown by W overlap, W = m + 27 u D + 30 u V + 116 u L + 14 u
//! (‖a‖₁ + m): they touch. Δ″ is off the exact triangle by √3 (12.5 u (D + V) + 24.6 u L) + 63 u L. So the distance from
//! the box with its margin, and the gap along every axis, is at most √3 times the sums:
//!
//! ```text
//! 74 u (D + V) + 310 u L + 26 u (‖a‖₁ + m) + 2⁻⁵⁹
//! ```
//!
//! **Range.** Entries of q₁, q₂ and g below 2⁻⁶³ become zero, so ρ is zero or w ρ ≥ 2⁻¹²⁴: above the 2⁻¹²⁶ of `slab` and
//! products that underflow. That moves corners by 2⁻⁶³. Lengths to 2⁶⁰ keep values below 2¹²⁷.

use crate::driver::source::{HitMask, TimeRange};
use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::sat::{AxisFold, OverlapMask, OverlapTimes, without_tiny};
use crate::shapes::aabb::WideAabb;
use crate::shapes::obb::WideObb;
use crate::shapes::triangle::WideTriangle;

/// Entries of edges below this threshold become zero: 2⁻⁶³.
const SMALLEST_ENTRY: f32 = 1.0 / (1u64 << 63) as f32;

/// A triangle in the frame of a box.
#[derive(Clone, Copy)]
pub struct TriangleInBox<F> {
    /// P, relative to the center of the box.
    pub corner: Vec3<F>,
    /// Sum of the absolute coordinates of this offset, in the world.
    pub distance: F,
    pub along: Vec3<F>,
    pub across: Vec3<F>,
    /// Half extents of the box.
    pub half_extents: Vec3<F>,
}

impl<F: Float> TriangleInBox<F> {
    #[inline(always)]
    pub fn of_obb(obb: WideObb<F>, triangle: WideTriangle<F>) -> Self {
        let offset = triangle.corner - obb.center;
        TriangleInBox {
            corner: Vec3(offset.along(obb.axes)),
            distance: offset.abs().sum(),
            along: Vec3(triangle.along.along(obb.axes)),
            across: Vec3(triangle.across.along(obb.axes)),
            half_extents: obb.half_extents,
        }
    }

    /// The center of an AABB is never computed: it would round in proportion to the distance from the origin.
    #[inline(always)]
    pub fn of_aabb<L: Lanes<F = F>>(
        lanes: L,
        aabb: WideAabb<F>,
        triangle: WideTriangle<F>,
    ) -> Self {
        let half = lanes.splat(0.5);
        let (low, high) = (triangle.corner - aabb.min, triangle.corner - aabb.max);
        let corner = (low + high) * half;
        TriangleInBox {
            corner,
            distance: corner.abs().sum(),
            along: triangle.along,
            across: triangle.across,
            half_extents: (low - high) * half,
        }
    }

    /// From P to the other corners.
    #[inline(always)]
    pub fn edges(&self, triangle: WideTriangle<F>) -> [Vec3<F>; 2] {
        [
            self.along * triangle.length,
            self.along * triangle.foot + self.across * triangle.height,
        ]
    }
}

/// A triangle and a box, for the test of all axes.
#[derive(Clone, Copy)]
pub struct BoxTriangle<F> {
    /// P, relative to the center of the box.
    corner: Vec3<F>,
    /// From P to the other corners.
    edges: [Vec3<F>; 2],
    normal: Vec3<F>,
    /// Half extents, grown by the margin and the widening.
    half_extents: [F; 3],
    /// Displacement of the box relative to the triangle.
    v: Vec3<F>,
}

impl<F: Float> BoxTriangle<F> {
    /// A triangle, and the displacement `v` of an OBB relative to it.
    #[inline(always)]
    pub fn of_obb<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        obb: WideObb<F>,
        triangle: WideTriangle<F>,
        v: Vec3<F>,
        margin: F,
    ) -> Self {
        let place = TriangleInBox::of_obb(obb, triangle);
        let size = place.distance + v.abs().sum();
        let v = Vec3(v.along(obb.axes));
        BoxTriangle::new(lanes, place, triangle, size, v, margin)
    }

    /// A triangle, and the displacement `v` of an AABB relative to it.
    #[inline(always)]
    pub fn of_aabb<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        aabb: WideAabb<F>,
        triangle: WideTriangle<F>,
        v: Vec3<F>,
        margin: F,
    ) -> Self {
        let place = TriangleInBox::of_aabb(lanes, aabb, triangle);
        let size = place.distance + v.abs().sum();
        BoxTriangle::new(lanes, place, triangle, size, v, margin)
    }

    /// `size` bounds the errors of offset and displacement.
    #[inline(always)]
    fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        place: TriangleInBox<F>,
        triangle: WideTriangle<F>,
        size: F,
        v: Vec3<F>,
        margin: F,
    ) -> Self {
        let half_extents = grown(lanes, place.half_extents, size, triangle.length, margin);
        BoxTriangle::with_half_extents(lanes, place, triangle, half_extents, v)
    }

    #[inline(always)]
    fn with_half_extents<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        place: TriangleInBox<F>,
        triangle: WideTriangle<F>,
        half_extents: [F; 3],
        v: Vec3<F>,
    ) -> Self {
        let [first, second] = place.edges(triangle);
        // Written out: a closure loses the target features of its caller.
        let edges = [
            Vec3(without_tiny(first.0, lanes.splat(SMALLEST_ENTRY))),
            Vec3(without_tiny(second.0, lanes.splat(SMALLEST_ENTRY))),
        ];
        BoxTriangle {
            corner: place.corner,
            edges,
            normal: place.along.cross(place.across),
            half_extents,
            v,
        }
    }
}

/// Half extents grown by the margin and by the rounding bound.
#[inline(always)]
fn grown<L: Lanes>(
    lanes: L,
    half_extents: Vec3<L::F>,
    size: L::F,
    length: L::F,
    margin: L::F,
) -> [L::F; 3] {
    let error = size * lanes.units(20.0)
        + length * lanes.units(104.0)
        + ((half_extents.sum() + margin) * lanes.units(8.0) + lanes.splat(2.0 * FLOOR));
    let by = margin + error;
    let [x, y, z] = half_extents.0;
    [x + by, y + by, z + by]
}

/// Mask of the lanes without a separating axis.
#[inline(always)]
pub fn no_axis_separates<L: Lanes>(lanes: L, place: BoxTriangle<L::F>) -> HitMask<L::M> {
    let at = place.corner.0.map(|x| [x]);
    let OverlapMask(touch) = fold(lanes, OverlapMask(None), place, at);
    HitMask(touch.expect("there are axes"))
}

/// Mask of the lanes without a separating axis if the box is grown by `by`, without the widening for roundings.
#[inline(always)]
pub fn no_axis_separates_by<L: Lanes>(
    lanes: L,
    place: TriangleInBox<L::F>,
    triangle: WideTriangle<L::F>,
    by: L::F,
) -> L::M {
    let half_extents = (place.half_extents + Vec3([by; 3])).0;
    let v = Vec3([lanes.splat(0.0); 3]);
    let place = BoxTriangle::with_half_extents(lanes, place, triangle, half_extents, v);
    let HitMask(touch) = no_axis_separates(lanes, place);
    touch
}

/// Time interval without a separating axis.
pub struct WhenNoTriangleAxisSeparates;

impl<L: Lanes> Routine<L> for WhenNoTriangleAxisSeparates {
    type Argument = BoxTriangle<L::F>;
    type Output = TimeRange<L>;

    #[inline(always)]
    fn run(lanes: L, place: BoxTriangle<L::F>) -> TimeRange<L> {
        let ([x, y, z], [vx, vy, vz]) = (place.corner.0, place.v.0);
        let vectors = [[x, vx], [y, vy], [z, vz]];
        fold(lanes, OverlapTimes::new(lanes), place, vectors).range()
    }
}

/// Folds over all thirteen axes. The first vector is P.
#[inline(always)]
fn fold<L: Lanes, const N: usize, T: AxisFold<L::F, N>>(
    lanes: L,
    start: T,
    place: BoxTriangle<L::F>,
    vectors: [[L::F; N]; 3],
) -> T {
    let (zero, half) = (lanes.splat(0.0), lanes.splat(0.5));
    let BoxTriangle {
        edges: [first, second],
        normal,
        half_extents: h,
        ..
    } = place;

    let mut so_far = start;
    let mut k = 0;
    while k < 3 {
        let (q, r) = (first.0[k], second.0[k]);
        let (low, high) = (q.min(r).min(zero), q.max(r).max(zero));
        let mut along = vectors[k];
        along[0] = along[0] + (low + high) * half;
        so_far = so_far.and(along, h[k] + (high - low) * half);
        k += 1;
    }

    let mut along = vectors[0];
    let mut n = 0;
    while n < N {
        let of_axes = Vec3([vectors[0][n], vectors[1][n], vectors[2][n]]);
        along[n] = of_axes.dot(normal);
        n += 1;
    }
    so_far = so_far.and(along, Vec3(h).dot(normal.abs()));

    // Half the distance from an edge to the third corner, along the cross products with the edge.
    let third = Vec3(without_tiny(
        (second - first).0,
        lanes.splat(SMALLEST_ENTRY),
    ));
    let beside = first.cross(second) * half;
    let beside_third = first.cross(third) * half;
    so_far = cross_products(so_far, vectors, first, beside, h);
    so_far = cross_products(so_far, vectors, second, -beside, h);
    let mut from_end = vectors;
    let mut k = 0;
    while k < 3 {
        from_end[k][0] = from_end[k][0] + first.0[k];
        k += 1;
    }
    cross_products(so_far, from_end, third, beside_third, h)
}

/// The cross products of one edge of the triangle with the edges of the box.
#[inline(always)]
fn cross_products<F: Float, const N: usize, T: AxisFold<F, N>>(
    start: T,
    vectors: [[F; N]; 3],
    edge: Vec3<F>,
    beside: Vec3<F>,
    h: [F; 3],
) -> T {
    let mut so_far = start;
    let mut i = 0;
    while i < 3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (q1, q2) = (edge.0[i1], edge.0[i2]);
        let mut along = vectors[i];
        let mut n = 0;
        while n < N {
            along[n] = vectors[i2][n] * q1 - vectors[i1][n] * q2;
            n += 1;
        }
        along[0] = along[0] + beside.0[i];
        let radius = h[i1] * q2.abs() + h[i2] * q1.abs() + beside.0[i].abs();
        so_far = so_far.and(along, radius);
        i += 1;
    }
    so_far
}
