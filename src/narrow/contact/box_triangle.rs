//! Box-triangle manifold: the axis of least penetration and the triangle clipped to a face of the box.
//!
//! All vectors are along the axes of the box, relative to its center, so OBBs are tested in their frame. For an AABB the
//! offset and the half extents come from the corners of the box, as in `aabb_obb_contact`. Points are then re-based on its
//! center, rounded like a caller's. Lengths are scaled by a power of two so that they sum to less than 1.
//!
//! **The normal** is the axis of least penetration among thirteen, in either direction. The groups are the normal of the
//! triangle, the face normals of the box and the cross products of edges, each in order. A later axis wins only if it is
//! better by more than a bias, which is 32 u of all lengths between groups. So a box that rests on a triangle gets the
//! triangle's normal.
//!
//! **The points** are those of `contact::box_box` with a triangle in place of the incident face. The triangle is projected
//! along the normal onto the plane of the box's face that is most along it, and clipped to the face. Vertices of the clipped
//! polygon are ends of the triangle's edges, clipped or not, and corners of the face: ten candidates, reduced to four.
//! Corners of the face have the separation of the triangle's plane, so that thin triangles lose nothing. They count only if
//! the triangle's normal is within 75° of the contact normal or its opposite: otherwise the triangle touches with an edge or
//! a corner.
//!
//! Feature ids: 0 to 2 are ends of edges, clipped or not, 32 to 34 are starts of clipped edges. Ids from 64 on are corners
//! of the box, which touch the face. Edges are P–Q, Q–R, R–P; P–Q is the longest.
//!
//! The routine takes up to 21 kB of machine code (SSE2), once for AABBs and OBBs: thirteen axes, three edges to clip, four
//! corners and the reduction.
//!
//! Source: as in `contact::box_box` and `box_triangle`.
//!
//! # Degenerate cases
//!
//! A flat triangle is a segment or a point, and its normal any vector across it. Entries of edges of any size are right
//! within u, so nearly parallel edges have an axis. Edges below 2⁻³⁰ of all lengths have none, as products underflow:
//! that loses no more than their length.
//!
//! # Error bound
//!
//! D = ‖p‖₁, p the offset of P from the center, L the longest edge, h the half extents, S = D + L + ‖h‖₁ + margin.
//!
//! **Never above.** As in `box_triangle`, p is off by 12.5 u D per coordinate, edges from P by 24.6 u L, and corners of the frame
//! are 63 u L away: along a unit vector 21.7 u D + 105.6 u L. Adding an edge to p rounds by u (D + L), a dot product by
//! 3 u (D + L), the one with h by 5 u ‖h‖₁, and the difference by u. The normal is unit within 4 u for edges, 20 u for N, and a gap
//! is at least −‖h‖₁, at most D: 20 u D or 20 u ‖h‖₁. In all less than 47 u D + 111 u L + 26 u ‖h‖₁, and 112 u S are taken. For an
//! AABB, p is off by 2 u D + u ‖h‖₁ and h by u D + 2 u ‖h‖₁.
//!
//! **β.** For shapes that touch, the exact separation is a gap along one of the thirteen axes of the exact shapes. The best of those
//! of the floats is below it by at most what the corners err, 21.7 u D + 105.6 u L, and by 8 u L, as N is not at right angles to
//! the float edges. The gap of the winner rounds as above, by 5 u L or 26 u ‖h‖₁, and eight comparisons of edges lose 3 u |gap|
//! each, 24 u ‖h‖₁. So the loss and the rounding are at most 119 u S. An axis of an earlier group wins by up to 32 u scaled, 64 u S.
//! With the 113 u S that are taken, the sum is 296 u S.

use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::narrow::contact::clip::{
    BIAS, ClippedEdge, Clipping, Cutting, ManifoldCandidate, ProjectedPoint, REJECTED, Rectangle,
    ReferenceFace, SLOP, SatAxis, reduced, size_of,
};
use crate::narrow::contact::exit::exit;
use crate::narrow::contact::manifold::{
    Choice, Exit, Manifold, ManifoldKernel, least_apart, reported,
};
use crate::narrow::contact::triangle::in_frame;
use crate::narrow::geometry::box_triangle::TriangleInBox;
use crate::narrow::geometry::frame::{center, in_world};
use crate::narrow::geometry::gap::{Gap, signed};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl ManifoldKernel<Triangle> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        aabb: WideAabb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let (place, shift) = in_box(lanes, aabb, triangle, margin);
        moved(lanes.call::<BoxTriangleManifold>(place), shift)
    }

    const CLAMPS: bool = true;

    #[inline(always)]
    fn exit<L: Lanes>(
        lanes: L,
        a: WideAabb<L::F>,
        triangle: WideTriangle<L::F>,
        outward: Vec3<L::F>,
    ) -> Exit<L> {
        let above = <Self as ManifoldKernel<Triangle>>::above(lanes, a, triangle);
        exit::<L, Self>(lanes, a, triangle, above, outward)
    }

    #[inline(always)]
    fn face_normal<L: Lanes>(_lanes: L, triangle: WideTriangle<L::F>) -> Vec3<L::F> {
        triangle.normal()
    }

    #[inline(always)]
    fn above<L: Lanes>(lanes: L, aabb: WideAabb<L::F>, triangle: WideTriangle<L::F>) -> Vec3<L::F> {
        center(lanes, aabb) - triangle.corner
    }

    #[inline(always)]
    fn manifold_along<L: Lanes>(
        lanes: L,
        aabb: WideAabb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
        normal: Vec3<L::F>,
    ) -> Manifold<L::F> {
        let (place, shift) = in_box(lanes, aabb, triangle, margin);
        moved(lanes.call::<BoxTriangleAlong>((place, normal)), shift)
    }
}

/// The triangle relative to the center of a box, and the vector from there to the center as a caller computes it.
#[inline(always)]
fn in_box<L: Lanes>(
    lanes: L,
    aabb: WideAabb<L::F>,
    triangle: WideTriangle<L::F>,
    margin: L::F,
) -> (BoxTrianglePlace<L::F>, Vec3<L::F>) {
    let place = TriangleInBox::of_aabb(lanes, aabb, triangle);
    let shift = triangle.corner - center(lanes, aabb) - place.corner;
    (BoxTrianglePlace::new(place, triangle, margin), shift)
}

/// Moves the points of a manifold.
#[inline(always)]
fn moved<F: Float>(mut manifold: Manifold<F>, shift: Vec3<F>) -> Manifold<F> {
    for point in &mut manifold.points {
        point.at = point.at + shift;
    }
    manifold
}

impl ManifoldKernel<Triangle> for Obb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        obb: WideObb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let place = TriangleInBox::of_obb(obb, triangle);
        let place = BoxTrianglePlace::new(place, triangle, margin);
        in_the_world(lanes.call::<BoxTriangleManifold>(place), obb)
    }

    const CLAMPS: bool = true;

    #[inline(always)]
    fn exit<L: Lanes>(
        lanes: L,
        a: WideObb<L::F>,
        triangle: WideTriangle<L::F>,
        outward: Vec3<L::F>,
    ) -> Exit<L> {
        let above = <Self as ManifoldKernel<Triangle>>::above(lanes, a, triangle);
        exit::<L, Self>(lanes, a, triangle, above, outward)
    }

    #[inline(always)]
    fn face_normal<L: Lanes>(_lanes: L, triangle: WideTriangle<L::F>) -> Vec3<L::F> {
        triangle.normal()
    }

    #[inline(always)]
    fn above<L: Lanes>(_lanes: L, obb: WideObb<L::F>, triangle: WideTriangle<L::F>) -> Vec3<L::F> {
        obb.center - triangle.corner
    }

    #[inline(always)]
    fn manifold_along<L: Lanes>(
        lanes: L,
        obb: WideObb<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
        normal: Vec3<L::F>,
    ) -> Manifold<L::F> {
        let place = TriangleInBox::of_obb(obb, triangle);
        let place = BoxTrianglePlace::new(place, triangle, margin);
        let normal = in_frame(lanes, normal, obb.axes);
        in_the_world(lanes.call::<BoxTriangleAlong>((place, normal)), obb)
    }
}

/// A manifold along the axes of a box, in world axes.
#[inline(always)]
fn in_the_world<F: Float>(mut manifold: Manifold<F>, obb: WideObb<F>) -> Manifold<F> {
    manifold.normal = in_world(manifold.normal, obb.axes);
    for point in &mut manifold.points {
        point.at = in_world(point.at, obb.axes);
    }
    manifold
}

/// Error bound subtracted from the separation, in u of all lengths.
const ERRORS: f32 = 112.0;
/// Least length of a cross product of edges, in u.
const SHORTEST: f32 = 1.0 / 65536.0;
/// Least cosine between the contact normal and the triangle's normal for which corners of the box may touch the triangle.
const FACING: f32 = 0.25;

/// Triangle and box, in the frame of the box.
#[derive(Clone, Copy)]
pub struct BoxTrianglePlace<F> {
    /// P, relative to the center of the box.
    corner: Vec3<F>,
    /// From P to Q, and to R.
    edges: [Vec3<F>; 2],
    normal: Vec3<F>,
    half_extents: Vec3<F>,
    /// Sum of all lengths, including the margin.
    size: F,
    margin: F,
}

impl<F: Float> BoxTrianglePlace<F> {
    #[inline(always)]
    pub fn new(place: TriangleInBox<F>, triangle: WideTriangle<F>, margin: F) -> Self {
        BoxTrianglePlace {
            corner: place.corner,
            edges: place.edges(triangle),
            normal: place.along.cross(place.across),
            half_extents: place.half_extents,
            size: place.distance + triangle.length + place.half_extents.sum() + margin,
            margin,
        }
    }
}

/// Manifold routine, along the axes of the box and relative to its center.
pub struct BoxTriangleManifold;

impl<L: Lanes> Routine<L> for BoxTriangleManifold {
    type Argument = BoxTrianglePlace<L::F>;
    type Output = Manifold<L::F>;

    #[inline(always)]
    fn run(lanes: L, place: BoxTrianglePlace<L::F>) -> Manifold<L::F> {
        let place = ScaledPlace::new(place);
        let normal = choose(lanes, &place).normal;
        along(lanes, &place, normal)
    }
}

/// Manifold along a unit vector from the box to the triangle, in the frame of the box.
pub struct BoxTriangleAlong;

impl<L: Lanes> Routine<L> for BoxTriangleAlong {
    type Argument = (BoxTrianglePlace<L::F>, Vec3<L::F>);
    type Output = Manifold<L::F>;

    #[inline(always)]
    fn run(lanes: L, (place, normal): Self::Argument) -> Manifold<L::F> {
        along(lanes, &ScaledPlace::new(place), normal)
    }
}

/// Triangle in the frame of a box, all lengths scaled.
#[derive(Clone, Copy)]
pub struct ScaledPlace<F> {
    corners: [Vec3<F>; 3],
    /// Vectors from each corner to the next.
    edges: [Vec3<F>; 3],
    normal: Vec3<F>,
    h: Vec3<F>,
    margin: F,
    scale: F,
    /// Not scaled.
    unscaled: BoxTrianglePlace<F>,
}

impl<F: Float> ScaledPlace<F> {
    #[inline(always)]
    fn new(place: BoxTrianglePlace<F>) -> Self {
        let scale = place.size.recip_pow2();
        let corner = place.corner * scale;
        let (first, second) = (place.edges[0] * scale, place.edges[1] * scale);
        ScaledPlace {
            corners: [corner, corner + first, corner + second],
            edges: [first, second - first, -second],
            normal: place.normal,
            h: place.half_extents * scale,
            margin: place.margin * scale,
            scale,
            unscaled: place,
        }
    }

    /// Gap along a unit vector from the box to the triangle.
    #[inline(always)]
    fn gap(&self, normal: Vec3<F>) -> F {
        let [a, b, c] = self.corners;
        let nearest = normal.dot(a).min(normal.dot(b)).min(normal.dot(c));
        nearest - normal.abs().dot(self.h)
    }
}

/// Axis of least penetration: the normal from the box to the triangle with the largest gap, and that gap.
#[inline(always)]
pub fn choose<L: Lanes>(lanes: L, place: &ScaledPlace<L::F>) -> Gap<L::F> {
    let (zero, one, bias) = (lanes.splat(0.0), lanes.splat(1.0), lanes.units(BIAS));
    let [Vec3(a), Vec3(b), Vec3(c)] = place.corners;
    let Vec3(h) = place.h;
    // The face of the triangle, towards P from the center of the box.
    let normal = place.normal * signed(lanes, one, place.normal.dot(place.corners[0]));
    let of_triangle = Gap {
        normal,
        gap: place.gap(normal),
    };
    let mut of_box = of_triangle;
    let mut k = 0;
    while k < 3 {
        let (low, high) = (a[k].min(b[k]).min(c[k]), a[k].max(b[k]).max(c[k]));
        let upper = (-high).le(low);
        let mut normal = [zero; 3];
        normal[k] = one.select(upper, -one);
        let gap = Gap {
            normal: Vec3(normal),
            gap: low.select(upper, -high) - h[k],
        };
        of_box = if k == 0 { gap } else { of_box.or(gap, zero) };
        k += 1;
    }
    let mut edges = SatAxis {
        normal: Vec3([zero; 3]),
        gap: lanes.splat(-REJECTED),
        squared: one,
    };
    let mut k = 0;
    while k < 3 {
        // Both ends of an edge are at one place along its cross products.
        let (start, third) = (place.corners[k], place.corners[(k + 2) % 3]);
        let mut i = 0;
        while i < 3 {
            edges = edges.or(edge(lanes, place.edges[k], start, third, h, i));
            i += 1;
        }
        k += 1;
    }
    of_triangle.or(of_box, bias).or(edges.unit(lanes), bias)
}

/// Cross product of edge `i` of the box and an edge of the triangle, between `start` and another corner, in the better
/// direction.
#[inline(always)]
fn edge<L: Lanes>(
    lanes: L,
    edge: Vec3<L::F>,
    start: Vec3<L::F>,
    third: Vec3<L::F>,
    h: [L::F; 3],
    i: usize,
) -> SatAxis<L::F> {
    let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
    let (n1, n2) = (-edge.0[i2], edge.0[i1]);
    let at = start.0[i1] * n1 + start.0[i2] * n2;
    let of_third = third.0[i1] * n1 + third.0[i2] * n2;
    let (low, high) = (at.min(of_third), at.max(of_third));
    let upper = (-high).le(low);
    let squared = n1 * n1 + n2 * n2;
    let shortest = lanes.units(SHORTEST);
    let crosses = (shortest * shortest).le(squared);
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let mut normal = [zero; 3];
    normal[i1] = n1.select(upper, -n1);
    normal[i2] = n2.select(upper, -n2);
    let gap = low.select(upper, -high) - (h[i1] * n1.abs() + h[i2] * n2.abs());
    SatAxis {
        normal: Vec3(normal),
        gap: gap.select(crosses, lanes.splat(-REJECTED)),
        squared: squared.select(crosses, one),
    }
}

/// Manifold along a unit vector from the box to the triangle.
#[inline(always)]
pub fn along<L: Lanes>(lanes: L, place: &ScaledPlace<L::F>, normal: Vec3<L::F>) -> Manifold<L::F> {
    let unscale = lanes.splat(1.0) / place.scale;
    let gap = place.gap(normal);
    let mut manifold = points(lanes, place, Gap { normal, gap });
    // Exact: the scale is a power of two.
    for point in &mut manifold.points {
        point.at = point.at * unscale;
        point.separation = point.separation * unscale;
    }
    let BoxTrianglePlace { size, margin, .. } = place.unscaled;
    manifold.separation = reported(lanes, gap * unscale, size, ERRORS, margin);
    manifold
}

/// Points of the manifold: clipping and reduction.
#[inline(always)]
fn points<L: Lanes>(
    lanes: L,
    place: &ScaledPlace<L::F>,
    Gap { normal, gap }: Gap<L::F>,
) -> Manifold<L::F> {
    let (one, half) = (lanes.splat(1.0), lanes.splat(0.5));
    let (slop, rejected) = (lanes.units(SLOP), lanes.splat(REJECTED));

    // Reference face of the box, with its axis last.
    let axis = Choice::<L::F>::greatest(normal.0);
    let [nx, ny, nz] = axis.last(normal.0);
    let [hx, hy, hz] = axis.last(place.h.0);
    let height = signed(lanes, hz, nz);
    let slopes = [nx, ny, one / nz];
    let [px, py, pz] = axis.last(place.corners[0].0);
    let corner = ProjectedPoint::new([px, py, pz - height], slopes);
    let edges = [
        ProjectedPoint::new(axis.last((place.edges[0] * half).0), slopes),
        ProjectedPoint::new(axis.last((place.edges[1] * half).0), slopes),
        ProjectedPoint::new(axis.last((place.edges[2] * half).0), slopes),
    ];
    let middles = [
        corner.plus(edges[0], one),
        corner.plus(edges[0], one + one).plus(edges[1], one),
        corner.plus(edges[2], -one),
    ];
    let rectangle = Rectangle::new(hx, hy, slop);
    let insides = [
        Cutting::new(lanes, edges[0]).inside(lanes, middles[0], rectangle),
        Cutting::new(lanes, edges[1]).inside(lanes, middles[1], rectangle),
        Cutting::new(lanes, edges[2]).inside(lanes, middles[2], rectangle),
    ];
    let limit = place.margin.max(gap) + slop;
    let mut clipping = Clipping::new(lanes, rectangle, limit);
    let mut candidates = [clipping.fallback; 10];
    let mut e = 0;
    while e < 3 {
        let (from, to) = insides[e];
        // A start that is a corner equals the end of the previous edge, unless that is just outside.
        let (from_before, to_before) = insides[(e + 2) % 3];
        let is_new = !(from_before.le(to_before) & one.le(to_before));
        let edge = ClippedEdge {
            middle: middles[e],
            half: edges[e],
            inside: insides[e],
            ends: [from, to],
            is_new,
            feature: lanes.splat(e as f32),
        };
        [candidates[2 * e], candidates[2 * e + 1]] = clipping.ends(lanes, edge);
        e += 1;
    }

    // Corners of the face over the triangle.
    let facing = place.normal.dot(normal);
    let is_facing = lanes.splat(FACING).le(facing.abs());
    let inverse = one / facing.select(is_facing, one);
    let [mx, my, mz] = axis.last(place.normal.0);
    let (s, t, r) = (edges[0], edges[2], edges[1]);
    let turn = signed(lanes, one, t.x * s.y - s.x * t.y);
    let (s_slop, t_slop, r_slop) = (
        slop * (s.x.abs() + s.y.abs()),
        slop * (t.x.abs() + t.y.abs()),
        slop * (r.x.abs() + r.y.abs()),
    );
    // A triangle as small as the tolerance has no face.
    let is_facing = is_facing & (slop * slop).lt(s_slop);
    let [lx, ly, lz] = axis.last(place.edges[0].0);
    let longest = lx * lx + ly * ly + lz * lz;
    let around = slop * (lx.abs() + ly.abs() + lz.abs()) * lanes.splat(1.0 / FACING);
    let [x_3, y_3, z_3] = axis.last([one, lanes.splat(3.0), lanes.splat(9.0)]);
    let name = lanes.splat(64.0) + (signed(lanes, one, nz) + one) * z_3;
    let mut k = 0;
    while k < 4 {
        let (side_x, side_y) = ([-1.0, 1.0, 1.0, -1.0][k], [-1.0, -1.0, 1.0, 1.0][k]);
        let (side_x, side_y) = (lanes.splat(side_x), lanes.splat(side_y));
        let (x, y) = (hx * side_x, hy * side_y);
        let (qx, qy) = (x - corner.x, y - corner.y);
        let (ex, ey) = (qx - (s.x + s.x), qy - (s.y + s.y));
        let d = (mx * (px - x) + my * (py - y) + mz * (pz - height)) * inverse;
        // On the inner side of each edge, and beside the longest edge, because widened thin corners reach far.
        let beside_s = (s.x * qy - s.y * qx) * turn;
        let beside_r = (r.x * ey - r.y * ex) * turn;
        let beside_t = (t.x * qy - t.y * qx) * turn;
        let ahead = lx * (x - px + nx * d) + ly * (y - py + ny * d) + lz * (height - pz + nz * d);
        let covered = (-s_slop).le(beside_s)
            & (-r_slop).le(beside_r)
            & (-t_slop).le(beside_t)
            & (-around).le(ahead)
            & ahead.le(longest + around)
            & is_facing;
        candidates[6 + k] = ManifoldCandidate {
            x,
            y,
            d: d.select(covered & d.le(limit), rejected),
            feature: name + (side_x + one) * x_3 + (side_y + one) * y_3,
        };
        k += 1;
    }

    let face = ReferenceFace {
        axis,
        height,
        apart: least_apart(lanes, slop, (hx + hy).min(size_of(lanes, edges))),
    };
    reduced(
        lanes,
        Gap { normal, gap },
        face,
        candidates,
        clipping.fallback,
    )
}
