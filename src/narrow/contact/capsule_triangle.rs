//! Capsule-triangle manifold: the normal of largest gap and the capsule's axis clipped to the triangle.
//!
//! **The normal** has the largest gap of nine candidates, as in `contact::triangle`. One is across the face, if an end
//! of the axis is over it. Three are the cross products of the axis and an edge, if they cross seen along it. Two lead
//! from either end to the edge that it is farthest beyond. Two lead to the nearest corner, from the axis and from one
//! of its ends. The last is the normal of the face again, for an axis in an edge. The first four are the normals of the
//! Minkowski difference of axis and triangle, so a penetrating axis is no special case.
//!
//! **The points** are the ends of the axis, clipped along the normal to a feature of the triangle, and moved to the
//! surface of the capsule. The feature is the face if its normal is within 75° of the contact normal or its opposite.
//! Otherwise the triangle is seen from the side, and the feature is the edge or the corner that the normal leads to. If
//! the axis is not over the feature, the only point is the point least outside.
//!
//! # Error bound
//!
//! L is the longest edge, s the offset of the center from P, d the half axis, r the radius, S = ‖s‖₁ + L + ‖d‖₁ + r + margin.
//! As in `sphere_triangle_contact`, and d errs by 16 u |d| for the axes, 5.2 u |d| for dot products: the gap errs by less than
//! 83 u L + 27 u |s| + 26 u |d| + r u, and 88 u S are taken.
//!
//! **β.** The exact separation of axis and triangle in the frame is the gap along the vector between their nearest points or,
//! if they touch, along a normal of their difference. These vectors join a corner and an end; a corner and a place on
//! the axis; an end and a place on an edge; places on both; an end and a place on the face. Of each kind the one that is
//! tried is right within u wherever it must be at right angles to an edge or to the axis, so it loses only by
//! the 6 u S of `sphere_triangle_contact`. Where rounding judges a place to be off an edge or the axis by less than
//! [`SLOP`], the next kind counts as well. The bias is 16 u scaled, 32 u S: 83 + 88 + 6 + 32 < 210 u S.
//!
//! **Points.** The axis is cut with a `slop` of 16 u scaled, and the normal is at most 75° from that of the part.

use crate::lane::{Float, Lanes, Vec3, splat, unit};
use crate::narrow::contact::clip::{ProjectedPoint, inverse};
use crate::narrow::contact::exit::exit;
use crate::narrow::contact::manifold::{
    CapsuleSupport, Exit, Manifold, ManifoldKernel, ManifoldPoint, of_two, reported,
};
use crate::narrow::contact::triangle::{
    BIAS, CORNERS, EDGES, ERRORS, FramedTriangle, NearestParts, PartGap, PlaneEdge, SHORTEST, SLOP,
    across_face, between, extent, face, in_frame,
};
use crate::narrow::geometry::frame::in_world;
use crate::narrow::geometry::gap::{Gap, signed};
use crate::narrow::geometry::segment::Segment;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::triangle::{Triangle, WideTriangle};

/// Least cosine between the contact normal and the triangle's normal for which the axis is clipped to the face.
const FACING: f32 = 0.25;

impl ManifoldKernel<Triangle> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let place = CapsulePlace::new(lanes, capsule, triangle, margin);
        let touch = choose(lanes, &place);
        along(lanes, &place, touch.of.normal, touch.part)
    }

    const CLAMPS: bool = true;

    #[inline(always)]
    fn exit<L: Lanes>(
        lanes: L,
        a: WideCapsule<L::F>,
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
    fn above<L: Lanes>(
        _lanes: L,
        capsule: WideCapsule<L::F>,
        triangle: WideTriangle<L::F>,
    ) -> Vec3<L::F> {
        capsule.center - triangle.corner
    }

    #[inline(always)]
    fn manifold_along<L: Lanes>(
        lanes: L,
        capsule: WideCapsule<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
        normal: Vec3<L::F>,
    ) -> Manifold<L::F> {
        let place = CapsulePlace::new(lanes, capsule, triangle, margin);
        let part = choose(lanes, &place).part;
        let normal = in_frame(lanes, normal, place.axes);
        along(lanes, &place, normal, part)
    }
}

/// Capsule in the frame of a triangle, scaled.
#[derive(Clone, Copy)]
pub struct CapsulePlace<F: Float> {
    triangle: FramedTriangle<F>,
    axes: [Vec3<F>; 3],
    /// Center of the capsule relative to P.
    center: Vec3<F>,
    half_axis: Vec3<F>,
    radius: F,
    margin: F,
    scale: F,
    /// Sum of all lengths, and the margin, not scaled.
    size: F,
    unscaled_margin: F,
}

impl<F: Float> CapsulePlace<F> {
    #[inline(always)]
    fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        capsule: WideCapsule<F>,
        triangle: WideTriangle<F>,
        margin: F,
    ) -> Self {
        let offset = capsule.center - triangle.corner;
        let size = offset.abs().sum()
            + triangle.length
            + capsule.half_axis.abs().sum()
            + (capsule.radius + margin);
        let scale = size.recip_pow2();
        let axes = triangle.axes();
        CapsulePlace {
            triangle: FramedTriangle::new(lanes, triangle, scale),
            axes,
            center: Vec3((offset * scale).along(axes)),
            half_axis: Vec3((capsule.half_axis * scale).along(axes)),
            radius: capsule.radius * scale,
            margin: margin * scale,
            scale,
            size,
            unscaled_margin: margin,
        }
    }

    /// Gap of the axis along a vector of any length.
    #[inline(always)]
    fn gap(&self, vector: Vec3<F>, corners: [[F; 2]; 3]) -> F {
        let (nearest, _) = extent(vector, corners, -self.center.0[2]);
        nearest - vector.dot(self.half_axis).abs()
    }
}

/// Normal in the frame of the triangle, from the capsule to the triangle, and the feature that it leads to.
#[inline(always)]
pub fn choose<L: Lanes>(lanes: L, place: &CapsulePlace<L::F>) -> PartGap<L::F> {
    let (one, bias, slop) = (lanes.splat(1.0), lanes.units(BIAS), lanes.units(SLOP));
    let Vec3([x, y, z]) = place.center;
    let Vec3([dx, dy, dz]) = place.half_axis;
    let corners = place.triangle.corners(lanes, x, y);
    let back = place.triangle.nearest(lanes, x - dx, y - dy);
    let front = place.triangle.nearest(lanes, x + dx, y + dy);
    let (to_face, of_face) = (across_face(lanes, z), z.abs() - dz.abs());
    // An end that is higher than the other one decides only where both are as high.
    let lower = dz * signed(lanes, one, z);
    let is_over = (back.is_over & (-slop).le(lower)) | (front.is_over & lower.le(slop));
    let mut best = face(lanes, to_face, of_face, is_over);
    let mut k = 0;
    while k < 3 {
        let number = lanes.splat(EDGES + k as f32);
        best = best.or(crossing(lanes, place, corners, k, number), bias);
        k += 1;
    }
    best = best.or(from_end(lanes, place, corners, back, z - dz), bias);
    best = best.or(from_end(lanes, place, corners, front, z + dz), bias);

    // The corner nearest to the axis.
    let axis = Segment::new(lanes, place.half_axis);
    let [cx, cy] = corners[0];
    let mut corner = Vec3([cx, cy, -z]);
    let mut part = lanes.splat(CORNERS);
    let mut to_corner = corner - axis.nearest(corner);
    let mut least = to_corner.dot(to_corner);
    let mut k = 1;
    while k < 3 {
        let [cx, cy] = corners[k];
        let other = Vec3([cx, cy, -z]);
        let to_other = other - axis.nearest(other);
        let distance = to_other.dot(to_other);
        let nearer = distance.lt(least);
        least = distance.select(nearer, least);
        corner = crate::lane::select(nearer, other, corner);
        part = lanes.splat(CORNERS + k as f32).select(nearer, part);
        k += 1;
    }
    let at = axis.parameter(corner);
    let is_beside = at.abs().le(one + slop * axis.scale());
    to_corner = axis.normal_part(corner);
    let from_axis = PartGap {
        of: between(lanes, to_corner, place.gap(to_corner, corners), is_beside),
        part,
    };
    to_corner = corner - place.half_axis * signed(lanes, one, at);
    let from_end = PartGap {
        of: between(lanes, to_corner, place.gap(to_corner, corners), z.le(z)),
        part,
    };
    let best = best.or(from_axis, bias).or(from_end, bias);
    // An axis in an edge has no other normal.
    best.or(face(lanes, to_face, of_face, z.le(z)), bias)
}

/// From an end of the axis to the edge that it is farthest beyond.
#[inline(always)]
fn from_end<L: Lanes>(
    lanes: L,
    place: &CapsulePlace<L::F>,
    corners: [[L::F; 2]; 3],
    parts: NearestParts<L::F>,
    z: L::F,
) -> PartGap<L::F> {
    let [x, y] = parts.to_edge;
    let to_edge = Vec3([x, y, -z]);
    PartGap {
        of: between(lanes, to_edge, place.gap(to_edge, corners), parts.is_beside),
        part: parts.edge,
    }
}

/// Cross product of the axis and edge `k`, in the better direction. It counts if both cross, seen along it.
#[inline(always)]
fn crossing<L: Lanes>(
    lanes: L,
    place: &CapsulePlace<L::F>,
    corners: [[L::F; 2]; 3],
    k: usize,
    part: L::F,
) -> PartGap<L::F> {
    let one = lanes.splat(1.0);
    let slop = lanes.units(SLOP);
    let Vec3([x, y, z]) = place.center;
    let Vec3([dx, dy, dz]) = place.half_axis;
    let edge = place.triangle.edges[k];
    let [along, beyond] = edge.place(x, y);
    let [d_along, d_beyond] = edge.turned(dx, dy);
    let cross = Vec3([edge.outward[0] * -dz, edge.outward[1] * -dz, d_beyond]);
    let (low, high) = extent(cross, corners, -z);
    let [start_x, start_y] = corners[k % 2];
    let at_edge = cross.0[0] * start_x + cross.0[1] * start_y - cross.0[2] * z;
    let upper = (-high).le(low);
    let (nearest, at_edge) = (low.select(upper, -high), at_edge.select(upper, -at_edge));
    let gap = nearest - cross.dot(place.half_axis).abs();

    // The parameters at which the axis is within the tolerance of the edge's line.
    let squared = dz * dz + d_beyond * d_beyond;
    let shortest = lanes.units(SHORTEST);
    let crosses = (shortest * shortest).le(squared) & edge.exists;
    let inverse = one / squared.select(crosses, one).sqrt();
    let middle = -(beyond * d_beyond + z * dz) * inverse * inverse;
    let from = (middle - slop * inverse).max(-one);
    let to = (middle + slop * inverse).min(one);
    let (start, end) = (along + d_along * from, along + d_along * to);
    let valid = crosses
        & ((at_edge - nearest) * inverse).le(slop)
        & from.le(to)
        & start.min(end).le(edge.length + slop)
        & (-slop).le(start.max(end));
    let of = Gap {
        normal: cross * inverse.select(upper, -inverse),
        gap: (gap * inverse).select(valid, lanes.splat(f32::NEG_INFINITY)),
    };
    PartGap { of, part }
}

/// Feature of the triangle to which the axis is clipped: a triangle, a segment or a point in a plane.
#[derive(Clone, Copy)]
struct ClipRegion<F> {
    /// The points from 0 to `width` on the first axis, at 0 or more on the second, and
    width: F,
    /// on the inner side of two lines, given by outward normals. The first line goes through (`through`, 0).
    lines: [[F; 2]; 2],
    through: F,
    slop: F,
}

impl<F: Float> ClipRegion<F> {
    /// Coordinates that are at most 0 inside, except along the first axis.
    #[inline(always)]
    fn beyond(&self, x: F, y: F) -> [F; 3] {
        let [first, second] = self.lines;
        [
            -y,
            (x - self.through) * first[0] + y * first[1],
            x * second[0] + y * second[1],
        ]
    }

    /// Distance of a point outside.
    #[inline(always)]
    fn outside(&self, x: F, y: F) -> F {
        let [a, b, c] = self.beyond(x, y);
        (-x).max(x - self.width).max(a).max(b).max(c)
    }

    /// The interval of −1 to 1 in which `base + edge t` is inside; empty if it is reversed.
    #[inline(always)]
    fn inside<L: Lanes<F = F, M = F::Mask>>(
        &self,
        lanes: L,
        base: ProjectedPoint<F>,
        edge: ProjectedPoint<F>,
    ) -> (F, F) {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let over = inverse(lanes, edge.x);
        let (a, b) = (
            (-self.slop - base.x) * over,
            (self.width + self.slop - base.x) * over,
        );
        let (mut from, mut to) = (a.min(b).max(-one), a.max(b).min(one));
        let at = self.beyond(base.x, base.y);
        let [first, second] = self.lines;
        let slopes = [
            -edge.y,
            edge.x * first[0] + edge.y * first[1],
            edge.x * second[0] + edge.y * second[1],
        ];
        let infinity = lanes.splat(f32::INFINITY);
        let mut k = 0;
        while k < 3 {
            let end = (self.slop - at[k]) * inverse(lanes, slopes[k]);
            let leaves = zero.le(slopes[k]);
            from = from.max((-infinity).select(leaves, end));
            to = to.min(end.select(leaves, infinity));
            k += 1;
        }
        (from, to)
    }
}

/// Manifold along a unit vector in the frame of the triangle, which leads to a feature of it.
#[inline(always)]
pub fn along<L: Lanes>(
    lanes: L,
    place: &CapsulePlace<L::F>,
    normal: Vec3<L::F>,
    part: L::F,
) -> Manifold<L::F> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let CapsulePlace {
        center,
        half_axis,
        radius,
        ..
    } = *place;
    let Vec3([x, y, _]) = center;
    let corners = place.triangle.corners(lanes, x, y);
    let gap = place.gap(normal, corners) - radius;
    let unscale = one / place.scale;
    let separation = reported(
        lanes,
        gap * unscale,
        place.size,
        ERRORS,
        place.unscaled_margin,
    );

    let slop = lanes.units(SLOP);
    let (region, [at, step, seen]) = clip_region(lanes, place, normal, part, slop);
    let slopes = [seen[0], seen[1], one / seen[2]];
    let base = ProjectedPoint::new(at, slopes);
    let edge = ProjectedPoint::new(step, slopes);
    let (from, to) = region.inside(lanes, base, edge);
    let is_over = from.le(to);
    // Clipped away entirely: keep the end that is less far outside.
    let (low, high) = (from.max(-one).min(one), to.max(-one).min(one));
    let (at_low, at_high) = (base.plus(edge, low), base.plus(edge, high));
    let lower = region
        .outside(at_low.x, at_low.y)
        .le(region.outside(at_high.x, at_high.y));
    let least = low.select(lower, high);
    let (from, to) = (from.select(is_over, least), to.select(is_over, least));

    let support = CapsuleSupport::new(lanes, half_axis, radius, normal);
    let first = support.point(lanes, from, -(base.d + edge.d * from), 0.0);
    let second = support.point(lanes, to, -(base.d + edge.d * to), 1.0);
    let limit = place.margin.max(gap) + slop;
    // Ends at one place, seen along the normal, are one point.
    let is_long = (lanes.splat(4.0) * slop).lt(edge.x.abs().max(edge.y.abs()) * (to - from));
    let first_deeper = first.separation.le(second.separation);
    let has_first = first_deeper | (is_long & first.separation.le(limit));
    let has_second = !first_deeper | (is_long & second.separation.le(limit));
    let points = [
        in_world_unscaled(first, place, unscale),
        in_world_unscaled(second, place, unscale),
    ];
    let normal = in_world(normal, place.axes);
    let (normal, _) = unit(lanes, normal, splat(lanes, [0.0, 0.0, 1.0]));
    // A triangle has no center: points are relative to the capsule.
    let nowhere = Vec3([zero; 3]);
    of_two(
        lanes,
        normal,
        separation,
        nowhere,
        points,
        [has_first, has_second],
    )
}

#[inline(always)]
fn in_world_unscaled<F: Float>(
    point: ManifoldPoint<F>,
    place: &CapsulePlace<F>,
    unscale: F,
) -> ManifoldPoint<F> {
    ManifoldPoint {
        at: in_world(point.at, place.axes) * unscale,
        separation: point.separation * unscale,
        ..point
    }
}

/// The feature of the triangle to which the axis is clipped. Also the center of the capsule, its half axis and the
/// normal in the coordinates of the feature's plane, the axis of the plane last.
#[inline(always)]
fn clip_region<L: Lanes>(
    lanes: L,
    place: &CapsulePlace<L::F>,
    normal: Vec3<L::F>,
    part: L::F,
    slop: L::F,
) -> (ClipRegion<L::F>, [[L::F; 3]; 3]) {
    let one = lanes.splat(1.0);
    let Vec3([x, y, z]) = place.center;
    let Vec3([dx, dy, dz]) = place.half_axis;
    let Vec3([nx, ny, nz]) = normal;
    let triangle = &place.triangle;
    let is_face = lanes.splat(FACING).le(nz.abs());
    let is_edge = part.lt(lanes.splat(CORNERS));

    let is_second = lanes.splat(EDGES + 1.0).le(part);
    let is_third = lanes.splat(EDGES + 2.0).le(part);
    let edge: PlaneEdge<L::F> = triangle.edges[0]
        .or(is_second, triangle.edges[1])
        .or(is_third, triangle.edges[2]);
    let [along, beyond] = edge.place(x, y);
    let [d_along, d_beyond] = edge.turned(dx, dy);
    let [n_along, n_beyond] = edge.turned(nx, ny);
    // Around a corner any axes are valid: the last axis is T or B, whichever is more along the normal.
    let is_q = lanes.splat(CORNERS + 1.0).le(part);
    let is_r = lanes.splat(CORNERS + 2.0).le(part);
    let corner_x = triangle.foot.select(is_r, triangle.length.masked(is_q));
    let corner_y = triangle.height.masked(is_r);
    let (from_x, from_y) = (x - corner_x, y - corner_y);
    let by_x = ny.abs().le(nx.abs());

    let region = ClipRegion {
        width: triangle.length.select(is_face, edge.length.masked(is_edge)),
        lines: [
            [
                triangle.edges[1].outward[0].masked(is_face),
                triangle.edges[1].outward[1].select(is_face, one),
            ],
            [
                triangle.edges[2].outward[0].masked(is_face),
                triangle.edges[2].outward[1].select(is_face, one),
            ],
        ],
        through: triangle.length,
        slop,
    };
    let at = [
        x.select(is_face, along.select(is_edge, from_y.select(by_x, from_x))),
        y.select(is_face, z),
        z.select(is_face, beyond.select(is_edge, from_x.select(by_x, from_y))),
    ];
    let step = [
        dx.select(is_face, d_along.select(is_edge, dy.select(by_x, dx))),
        dy.select(is_face, dz),
        dz.select(is_face, d_beyond.select(is_edge, dx.select(by_x, dy))),
    ];
    let seen = [
        nx.select(is_face, n_along.select(is_edge, ny.select(by_x, nx))),
        ny.select(is_face, nz),
        nz.select(is_face, n_beyond.select(is_edge, nx.select(by_x, ny))),
    ];
    (region, [at, step, seen])
}
