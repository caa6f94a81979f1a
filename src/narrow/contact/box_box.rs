//! Box-box manifold: the axis of least penetration, face clipping and manifold reduction.
//!
//! **Two AABBs** have three axes, and the points are the corners of the overlap rectangle seen along the axis. For separated
//! boxes, it is the axis of largest separation. Source: none needed. Differences of corners round once, half the sum of two
//! differences once more.
//!
//! **Two OBBs** are tested in the frame of the first box.
//!
//! **An AABB and an OBB** are tested with the world axes as those of A. As in `aabb_obb_overlap`, the center and half
//! extents of A come from its corners' offsets. So they do not round in proportion to the distance from the origin. Points
//! are then re-based on its center, rounded like a caller's.
//!
//! # Boxes in any orientation
//!
//! All vectors are along the axes of A. Lengths are scaled by a power of two so that they sum to less than 1.
//!
//! **The normal** is the axis of least penetration among the fifteen of `sat`. The groups are the face normals of A,
//! the face normals of B and the edge cross products, each in order. A later axis wins only if it is better by more
//! than a bias. Between groups the bias is 32 u of all lengths, so that flush boxes get a face normal. Edges that are
//! parallel within 2⁻¹⁸ have no axis.
//!
//! **The points** come from one construction for face, edge and corner contacts. The reference face of A and the
//! incident face of B are the faces most along the normal. The incident face is projected along the normal onto the
//! reference plane, and clipped to the reference face. Vertices of the clipped polygon are ends of B's edges, clipped
//! or not, and corners of A: twelve candidates, reduced to at most four points. Separations are measured along the
//! normal. A candidate counts if its separation is at most the margin, or at most the separation of the pair.
//!
//! **Manifold reduction** keeps the deepest point, the point farthest from it, and the extremes on either side of the
//! line through both. If all are on one side, the fourth is the farthest outside the triangle. A slightly shallower
//! point wins if it is farther out along a fixed direction, so that flush boxes keep their points while they jitter.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 4.4.1 and 5.1, for the axes; convex polygon clipping for
//! the points. Departure: neither an absolute epsilon nor a special case for edges.
//!
//! # Degenerate cases
//!
//! A box without volume is no special case. If rounding rejects all candidates, the candidate that is least outside counts.
//!
//! # Error bound
//!
//! u and the errors of `obb_obb_overlap`, S the sum of all lengths, S′ that in the axes of A.
//!
//! **Never above.** An axis L is what the floats make it. The gap along it errs by less than 20 u S |L|, as derived
//! there and in `aabb_obb_overlap`; for edges the parts are 7.7 u ‖t‖₁, 16 u ‖a‖₁ and 18.8 u ‖b‖₁. The gap is taken for that
//! along L / |L|: |L| is known within √2 η = 12 u, and root, inverse and product round by 4 u. The winner is no deeper than
//! the best face, so its |gap| is at most half of ‖a‖₁ + ‖b‖₁, or √3 margins: 8 u S. In all less than 29 u S, and 34 u S′
//! are taken; ‖t‖₁ weighs 13.4 u |t| at most.
//!
//! **β.** For boxes that touch, the exact separation G is the gap along a face normal or a cross product of edges.
//!
//! 1. Along a face normal it exceeds the computed one by (η + 4 u) ‖t‖₁ and (2 η + 7 u) of the other box: 24.1 u S.
//! 2. Along a unit n at right angles to Aᵢ, look along Aᵢ at the boxes that the floats describe, with edges βₖ as in
//!    `obb_obb_overlap`. Their gap along n is less than G by √2 (η + 4 u) ‖t‖₁ + (√2 (η + 3.01 u) + η) ‖b‖₁ at most:
//!    24.8 u S. Their shadows are polygons, so it is at most the greatest along Aᵢ₁, Aᵢ₂ and Aᵢ × βₖ, or all are above 0.
//! 3. Edges that count as parallel are left out. Without βₖ the shadow is smaller by bₖ 2⁻¹⁸: 64 u ‖b‖₁.
//! 4. The gaps in 2 round by 6 u ρ S ≤ 8.5 u S |L|, and by 4 u |gap| as they are made those of unit vectors. Each of
//!    eight comparisons of edges may lose 3 u |gap|. With |gap| < S / 2 that is 23 u S, and [`reported`] rounds by 1 u S.
//! 5. An axis of an earlier group wins by up to 32 u of the scaled lengths, 64 u S′; 34 u S′ are taken.
//!
//! The sum is 98 u S′ + 64 u ‖b‖₁ + 49 u S. With S′ ≤ √3 |t| + h, h = ‖a‖₁ + ‖b‖₁ and |t| ≤ h it is largest for |t| = h:
//! (98 √3 + 98 + 64) / 2 + 49 < 216 u S. An AABB and an OBB have S′ = S: 98 + 64 + 49 = 211 u S.
//!
//! **Points.** A place that counts is in both faces, seen along the normal, except for `slop`: 16 u of the scaled lengths, at
//! most 32 u S′ on each of two axes. Clamped to A's face it is √2 · 32 u S′ off, and √3 times that in the plane of B's
//! face, whose normal is within 1/√3 of n. Axes, slopes and products add less than 60 u S: 168 u S. Its separation is a
//! difference of points of both boxes along n, so it is at least the gap along n less these roundings.

use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::narrow::contact::clip::{
    BIAS, ClippedEdge, Clipping, Cutting, ManifoldCandidate, ProjectedPoint, REJECTED, Rectangle,
    ReferenceFace, SLOP, SatAxis, reduced, size_of,
};
use crate::narrow::contact::manifold::{
    Choice, Face, Manifold, ManifoldKernel, ManifoldPoint, least_apart, of_four, reported,
};
use crate::narrow::geometry::frame::{center, in_world};
use crate::narrow::geometry::gap::{Gap, signed};
use crate::narrow::geometry::sat::{rotation, rotation_from_world};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl ManifoldKernel<Aabb> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideAabb<L::F>,
        b: WideAabb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let (zero, half) = (lanes.splat(0.0), lanes.splat(0.5));
        let infinity = lanes.splat(f32::INFINITY);
        // Gaps: B above A, and A above B.
        let (above, below) = (b.min - a.max, a.min - b.max);
        let Gap { normal, gap } = along(lanes, above, below, 0)
            .or(along(lanes, above, below, 1), zero)
            .or(along(lanes, above, below, 2), zero);
        let size = above.abs().sum() + below.abs().sum();
        let separation = reported(lanes, gap, size, 2.0, margin);

        // Intersection of both boxes, relative to the center of A; along the normal, the middle of the gap.
        let from = center(lanes, a);
        let (mut low, mut high) = (a.min, a.max);
        // If both ends coincide, the upper end does not count.
        let mut one_end = [zero.lt(zero); 3];
        let mut covered = zero.le(zero);
        let mut k = 0;
        while k < 3 {
            let is_normal = zero.lt(normal.0[k].abs());
            let upper = zero.le(normal.0[k]);
            let face_a = a.max.0[k].select(upper, a.min.0[k]) - from.0[k];
            let face_b = b.min.0[k].select(upper, b.max.0[k]) - from.0[k];
            let middle = (face_a + face_b) * half;
            let lowest = a.min.0[k].max(b.min.0[k]) - from.0[k];
            let highest = a.max.0[k].min(b.max.0[k]) - from.0[k];
            covered = covered & (lowest.le(highest) | is_normal);
            one_end[k] = highest.le(lowest) & !is_normal;
            low.0[k] = middle.select(is_normal, lowest);
            high.0[k] = middle.select(is_normal, highest);
            k += 1;
        }
        let face = Face::new(normal);
        let mut points = [ManifoldPoint {
            at: low,
            separation,
            feature: zero,
        }; 4];
        let mut k = 0;
        while k < 4 {
            let sides = face.corner(lanes, k);
            let [x, y, z] = sides.is_upper(lanes);
            let again = (x & one_end[0]) | (y & one_end[1]) | (z & one_end[2]);
            points[k] = ManifoldPoint {
                at: Vec3([
                    high.0[0].select(x, low.0[0]),
                    high.0[1].select(y, low.0[1]),
                    high.0[2].select(z, low.0[2]),
                ]),
                separation: separation.select(covered & !again, infinity),
                feature: sides.feature(lanes),
            };
            k += 1;
        }
        of_four(lanes, normal, separation, center(lanes, b) - from, points)
    }
}

/// Gap along an axis, from A to B.
#[inline(always)]
fn along<L: Lanes>(lanes: L, above: Vec3<L::F>, below: Vec3<L::F>, axis: usize) -> Gap<L::F> {
    let (above, below) = (above.0[axis], below.0[axis]);
    let one = lanes.splat(1.0);
    let mut normal = [lanes.splat(0.0); 3];
    normal[axis] = one.select(below.le(above), -one);
    Gap {
        normal: Vec3(normal),
        gap: above.max(below),
    }
}

impl ManifoldKernel<Obb> for Obb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideObb<L::F>,
        b: WideObb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = b.center - a.center;
        let boxes = RelativeBoxes {
            half_extents_a: a.half_extents,
            half_extents_b: b.half_extents,
            offset: Vec3(offset.along(a.axes)),
            offset_b: Vec3(offset.along(b.axes)),
            r: rotation(lanes, a.axes, b.axes),
            margin,
        };
        let mut manifold = lanes.call::<BoxManifold>(boxes);
        manifold.normal = in_world(manifold.normal, a.axes);
        for point in &mut manifold.points {
            point.at = in_world(point.at, a.axes);
        }
        Manifold { offset, ..manifold }
    }
}

impl ManifoldKernel<Obb> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideAabb<L::F>,
        b: WideObb<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let half = lanes.splat(0.5);
        let (low, high) = (b.center - a.min, b.center - a.max);
        let offset = (low + high) * half;
        let boxes = RelativeBoxes {
            half_extents_a: (low - high) * half,
            half_extents_b: b.half_extents,
            offset,
            offset_b: Vec3(offset.along(b.axes)),
            r: rotation_from_world(lanes, b.axes),
            margin,
        };
        let mut manifold = lanes.call::<BoxManifold>(boxes);
        let rounded = b.center - center(lanes, a);
        let shift = rounded - offset;
        for point in &mut manifold.points {
            point.at = point.at + shift;
        }
        Manifold {
            offset: rounded,
            ..manifold
        }
    }
}

/// Error bound subtracted from the separation, in u of all lengths.
const ERRORS: f32 = 34.0;
/// Sine below which edges are parallel, in u.
const PARALLEL: f32 = 64.0;

/// Two boxes in the frame of the first.
#[derive(Clone, Copy)]
pub struct RelativeBoxes<F> {
    pub half_extents_a: Vec3<F>,
    pub half_extents_b: Vec3<F>,
    /// Center of B relative to the center of A, along the axes of A, and along the axes of B.
    pub offset: Vec3<F>,
    pub offset_b: Vec3<F>,
    /// Axes of B: `r[i][j]` is Aᵢ·Bⱼ.
    pub r: [[F; 3]; 3],
    pub margin: F,
}

/// Manifold routine, along the axes of A and relative to its center.
pub struct BoxManifold;

impl<L: Lanes> Routine<L> for BoxManifold {
    type Argument = RelativeBoxes<L::F>;
    type Output = Manifold<L::F>;

    #[inline(always)]
    fn run(lanes: L, boxes: RelativeBoxes<L::F>) -> Manifold<L::F> {
        box_manifold(lanes, boxes)
    }
}

#[inline(always)]
fn box_manifold<L: Lanes>(lanes: L, boxes: RelativeBoxes<L::F>) -> Manifold<L::F> {
    let size = boxes.offset.abs().sum()
        + (boxes.half_extents_a.sum() + boxes.half_extents_b.sum())
        + boxes.margin;
    let scale = size.recip_pow2();
    let boxes = RelativeBoxes {
        half_extents_a: boxes.half_extents_a * scale,
        half_extents_b: boxes.half_extents_b * scale,
        offset: boxes.offset * scale,
        offset_b: boxes.offset_b * scale,
        margin: boxes.margin * scale,
        ..boxes
    };
    let Gap { normal, gap } = least_penetration(lanes, boxes);
    let mut manifold = points(lanes, boxes, normal, gap);
    // Exact: the scale is a power of two.
    let one = lanes.splat(1.0);
    let unscale = one / scale;
    for point in &mut manifold.points {
        point.at = point.at * unscale;
        point.separation = point.separation * unscale;
    }
    manifold.separation = reported(lanes, gap * unscale, size, ERRORS, boxes.margin * unscale);
    manifold
}

/// Axis of least penetration: the normal from A to B with the largest gap, and that gap.
#[inline(always)]
fn least_penetration<L: Lanes>(lanes: L, boxes: RelativeBoxes<L::F>) -> Gap<L::F> {
    let (zero, one, bias) = (lanes.splat(0.0), lanes.splat(1.0), lanes.units(BIAS));
    let RelativeBoxes {
        half_extents_a: Vec3(ha),
        half_extents_b: Vec3(hb),
        offset: Vec3(t),
        offset_b: Vec3(t_b),
        r,
        ..
    } = boxes;
    let [r0, r1, r2] = r;
    let of_a = face_of_a(lanes, ha[0], r0, hb, t[0], 0)
        .or(face_of_a(lanes, ha[1], r1, hb, t[1], 1), zero)
        .or(face_of_a(lanes, ha[2], r2, hb, t[2], 2), zero);
    let of_b = face_of_b(lanes, ha, [r0[0], r1[0], r2[0]], hb[0], t_b[0])
        .or(
            face_of_b(lanes, ha, [r0[1], r1[1], r2[1]], hb[1], t_b[1]),
            zero,
        )
        .or(
            face_of_b(lanes, ha, [r0[2], r1[2], r2[2]], hb[2], t_b[2]),
            zero,
        );
    let faces = of_a.or(of_b, bias);

    let none = SatAxis {
        normal: Vec3([zero; 3]),
        gap: lanes.splat(-REJECTED),
        squared: one,
    };
    let edges = edges(lanes, none, [t[1], t[2]], [ha[1], ha[2]], [r1, r2], hb, 0);
    let edges = self::edges(lanes, edges, [t[2], t[0]], [ha[2], ha[0]], [r2, r0], hb, 1);
    let edges = self::edges(lanes, edges, [t[0], t[1]], [ha[0], ha[1]], [r0, r1], hb, 2);
    faces.or(edges.unit(lanes), bias)
}

/// Face normal of A.
#[inline(always)]
fn face_of_a<L: Lanes>(
    lanes: L,
    ha: L::F,
    [r0, r1, r2]: [L::F; 3],
    [b0, b1, b2]: [L::F; 3],
    t: L::F,
    axis: usize,
) -> Gap<L::F> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let mut normal = [zero; 3];
    normal[axis] = signed(lanes, one, t);
    Gap {
        normal: Vec3(normal),
        gap: t.abs() - (ha + (b0 * r0.abs() + b1 * r1.abs() + b2 * r2.abs())),
    }
}

/// Face normal of B.
#[inline(always)]
fn face_of_b<L: Lanes>(
    lanes: L,
    [a0, a1, a2]: [L::F; 3],
    [r0, r1, r2]: [L::F; 3],
    hb: L::F,
    t: L::F,
) -> Gap<L::F> {
    let one = lanes.splat(1.0);
    Gap {
        normal: Vec3([r0, r1, r2]) * signed(lanes, one, t),
        gap: t.abs() - (hb + (a0 * r0.abs() + a1 * r1.abs() + a2 * r2.abs())),
    }
}

/// Cross products of edge `i` of A with the three edges of B. `1` and `2` stand for the axes after `i`.
#[inline(always)]
fn edges<L: Lanes>(
    lanes: L,
    so_far: SatAxis<L::F>,
    t: [L::F; 2],
    ha: [L::F; 2],
    [r1, r2]: [[L::F; 3]; 2],
    hb: [L::F; 3],
    i: usize,
) -> SatAxis<L::F> {
    let minor_01 = (r1[0] * r2[1] - r2[0] * r1[1]).abs();
    let minor_02 = (r1[0] * r2[2] - r2[0] * r1[2]).abs();
    let minor_12 = (r1[1] * r2[2] - r2[1] * r1[2]).abs();
    let of_b = [
        hb[1] * minor_01 + hb[2] * minor_02,
        hb[0] * minor_01 + hb[2] * minor_12,
        hb[0] * minor_02 + hb[1] * minor_12,
    ];
    let so_far = so_far.or(edge(lanes, t, ha, [r1[0], r2[0]], of_b[0], i));
    let so_far = so_far.or(edge(lanes, t, ha, [r1[1], r2[1]], of_b[1], i));
    so_far.or(edge(lanes, t, ha, [r1[2], r2[2]], of_b[2], i))
}

#[inline(always)]
fn edge<L: Lanes>(
    lanes: L,
    [t1, t2]: [L::F; 2],
    [a1, a2]: [L::F; 2],
    [r1, r2]: [L::F; 2],
    of_b: L::F,
    i: usize,
) -> SatAxis<L::F> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let along = t2 * r1 - t1 * r2;
    let squared = r1 * r1 + r2 * r2;
    let parallel = lanes.units(PARALLEL);
    let crosses = (parallel * parallel).le(squared);
    let sign = signed(lanes, one, along);
    let mut normal = [zero; 3];
    normal[(i + 1) % 3] = -(r2 * sign);
    normal[(i + 2) % 3] = r1 * sign;
    let gap = along.abs() - (a1 * r2.abs() + a2 * r1.abs() + of_b);
    SatAxis {
        normal: Vec3(normal),
        gap: gap.select(crosses, lanes.splat(-REJECTED)),
        squared: squared.select(crosses, one),
    }
}

/// Points of the manifold, given its normal and gap: clipping and reduction.
#[inline(always)]
fn points<L: Lanes>(
    lanes: L,
    boxes: RelativeBoxes<L::F>,
    normal: Vec3<L::F>,
    gap: L::F,
) -> Manifold<L::F> {
    let one = lanes.splat(1.0);
    let (slop, rejected) = (lanes.units(SLOP), lanes.splat(REJECTED));
    let [r0, r1, r2] = boxes.r;

    // Reference face of A, with its axis last.
    let of_a = Choice::<L::F>::greatest(normal.0);
    let [nx, ny, nz] = of_a.last(normal.0);
    let [ax, ay, az] = of_a.last(boxes.half_extents_a.0);
    let z_a = signed(lanes, az, nz);
    let slopes = [nx, ny, one / nz];

    // Incident face of B, also with its axis last.
    let along_b = [
        Vec3([r0[0], r1[0], r2[0]]).dot(normal),
        Vec3([r0[1], r1[1], r2[1]]).dot(normal),
        Vec3([r0[2], r1[2], r2[2]]).dot(normal),
    ];
    let of_b = Choice::<L::F>::greatest(along_b);
    let [.., facing] = of_b.last(along_b);
    let side_b = -signed(lanes, one, facing);
    let [s_b, t_b, w_b] = of_b.last(boxes.half_extents_b.0);
    let [s0, t0, w0] = of_b.last(r0);
    let [s1, t1, w1] = of_b.last(r1);
    let [s2, t2, w2] = of_b.last(r2);
    let (s, t, w) = (
        of_a.last([s0, s1, s2]),
        of_a.last([t0, t1, t2]),
        of_a.last([w0, w1, w2]),
    );
    let [cx, cy, cz] = of_a.last(boxes.offset.0);
    let reach = w_b * side_b;
    let center = ProjectedPoint::new(
        [
            cx + w[0] * reach,
            cy + w[1] * reach,
            cz + w[2] * reach - z_a,
        ],
        slopes,
    );
    let s = ProjectedPoint::new([s[0] * s_b, s[1] * s_b, s[2] * s_b], slopes);
    let t = ProjectedPoint::new([t[0] * t_b, t[1] * t_b, t[2] * t_b], slopes);

    // Feature ids: sides along the axes of the box, as digits in base three.
    let (three, nine) = (lanes.splat(3.0), lanes.splat(9.0));
    let [s_3, t_3, w_3] = of_b.last([one, three, nine]);
    let name_b = (side_b + one) * w_3;
    let two = one + one;

    let rectangle = Rectangle::new(ax, ay, slop);
    let limit = boxes.margin.max(gap) + slop;
    let cutting_s = Cutting::new(lanes, s);
    let cutting_t = Cutting::new(lanes, t);
    // The four edges: along s, t, −s, −t.
    let bases = [
        center.plus(t, -one),
        center.plus(s, one),
        center.plus(t, one),
        center.plus(s, -one),
    ];
    let names = [
        name_b + s_3,
        name_b + two * s_3 + t_3,
        name_b + two * t_3 + s_3,
        name_b + t_3,
    ];
    let mut clipping = Clipping::new(lanes, rectangle, limit);
    let mut candidates = [clipping.fallback; 12];
    let insides = [
        cutting_s.inside(lanes, bases[0], rectangle),
        cutting_t.inside(lanes, bases[1], rectangle),
        cutting_s.inside(lanes, bases[2], rectangle),
        cutting_t.inside(lanes, bases[3], rectangle),
    ];
    let mut e = 0;
    while e < 4 {
        let half_edge = if e % 2 == 0 { s } else { t };
        let (low, high) = insides[e];
        // From start to end, in order around the face.
        let (from, to) = if e < 2 { (low, high) } else { (high, low) };
        // A start that is a corner equals the end of the previous edge, unless that is just outside.
        let (low_before, high_before) = insides[(e + 3) % 4];
        let end_before = if (e + 3) % 4 < 2 {
            one.le(high_before)
        } else {
            low_before.le(-one)
        };
        let is_new = !(low_before.le(high_before) & end_before);
        let edge = ClippedEdge {
            middle: bases[e],
            half: half_edge,
            inside: insides[e],
            ends: [from, to],
            is_new,
            feature: names[e],
        };
        [candidates[2 * e], candidates[2 * e + 1]] = clipping.ends(lanes, edge);
        e += 1;
    }

    // Corners of A inside the incident face.
    let det = s.x * t.y - s.y * t.x;
    let is_area = lanes.splat(1.0 / (1u64 << 60) as f32).lt(det.abs());
    let inverse = one / det.select(is_area, one);
    let reach_s = det.abs() + slop * (t.x.abs() + t.y.abs());
    let reach_t = det.abs() + slop * (s.x.abs() + s.y.abs());
    let [x_3, y_3, z_3] = of_a.last([one, three, nine]);
    let name_a = lanes.splat(64.0) + (signed(lanes, one, nz) + one) * z_3;
    let mut k = 0;
    while k < 4 {
        let (side_x, side_y) = ([-1.0, 1.0, 1.0, -1.0][k], [-1.0, -1.0, 1.0, 1.0][k]);
        let (side_x, side_y) = (lanes.splat(side_x), lanes.splat(side_y));
        let (x, y) = (ax * side_x, ay * side_y);
        let (qx, qy) = (x - center.x, y - center.y);
        let (along_s, along_t) = (qx * t.y - qy * t.x, s.x * qy - s.y * qx);
        let d = center.d + (along_s * s.d + along_t * t.d) * inverse;
        let covered = along_s.abs().le(reach_s) & along_t.abs().le(reach_t) & is_area;
        candidates[8 + k] = ManifoldCandidate {
            x,
            y,
            d: d.select(covered & d.le(limit), rejected),
            feature: name_a + (side_x + one) * x_3 + (side_y + one) * y_3,
        };
        k += 1;
    }

    let face = ReferenceFace {
        axis: of_a,
        height: z_a,
        apart: least_apart(lanes, slop, (ax + ay).min(size_of(lanes, [s, t]))),
    };
    reduced(
        lanes,
        Gap { normal, gap },
        face,
        candidates,
        clipping.fallback,
    )
}
