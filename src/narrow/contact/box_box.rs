//! Box-box manifold: the axis of least penetration, face clipping and manifold reduction.
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

use crate::lane::{Float, Lanes, Routine, Vec3, select};
use crate::math::rounding::U;
use crate::narrow::contact::manifold::{
    Choice, Gap, Manifold, ManifoldPoint, least_apart, reported, signed,
};

/// Bias of the tie-break: the gap by which an axis of a later group must be better, relative to all lengths.
pub const BIAS: f32 = 32.0 * U;
/// Tolerance by which a point may lie outside of a face, relative to all lengths.
pub const SLOP: f32 = 16.0 * U;
/// Error bound subtracted from the separation, in u of all lengths.
const ERRORS: f32 = 34.0;
/// Squared sine below which edges are parallel: 2⁻³⁶.
const PARALLEL: f32 = 1.0 / (1u64 << 36) as f32;
/// Distance of a rejected candidate.
pub const REJECTED: f32 = 1e18;
/// Outward bias of the deepest point: 2⁻¹⁰ of the distance along a direction that is not one of symmetry.
const OUTWARD: [f32; 2] = [0.795 / 1024.0, 0.607 / 1024.0];

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

/// Candidate axis for the normal, not normalised.
#[derive(Clone, Copy)]
pub struct SatAxis<F> {
    pub normal: Vec3<F>,
    pub gap: F,
    /// Squared length of the normal.
    pub squared: F,
}

impl<F: Float> SatAxis<F> {
    /// The axis, normalised.
    #[inline(always)]
    pub fn unit<L: Lanes<F = F, M = F::Mask>>(self, lanes: L) -> Gap<F> {
        let inverse = lanes.splat(1.0) / self.squared.sqrt();
        Gap {
            normal: self.normal * inverse,
            gap: self.gap * inverse,
        }
    }

    /// The better of two axes of any length: gap |gap| / squared has the order of gap / length, and needs no root.
    #[inline(always)]
    pub fn or(self, other: Self) -> Self {
        let better = (self.gap * self.gap.abs() * other.squared)
            .lt(other.gap * other.gap.abs() * self.squared);
        SatAxis {
            normal: select(better, other.normal, self.normal),
            gap: other.gap.select(better, self.gap),
            squared: other.squared.select(better, self.squared),
        }
    }
}

/// Axis of least penetration: the normal from A to B with the largest gap, and that gap.
#[inline(always)]
fn least_penetration<L: Lanes>(lanes: L, boxes: RelativeBoxes<L::F>) -> Gap<L::F> {
    let (zero, one, bias) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(BIAS));
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
    let crosses = lanes.splat(PARALLEL).le(squared);
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

/// Point or half edge of the incident face, projected onto the reference plane, and its separation.
#[derive(Clone, Copy)]
pub struct ProjectedPoint<F> {
    pub x: F,
    pub y: F,
    /// Separation of a point, or its change along a half edge.
    pub d: F,
}

impl<F: Float> ProjectedPoint<F> {
    /// Projects a point at height `z` above the plane along the normal of slopes `nx` and `ny`.
    #[inline(always)]
    pub fn new([x, y, z]: [F; 3], [nx, ny, inverse]: [F; 3]) -> Self {
        let d = z * inverse;
        ProjectedPoint {
            x: x - d * nx,
            y: y - d * ny,
            d,
        }
    }

    /// `self + other * times`
    #[inline(always)]
    pub fn plus(self, other: Self, times: F) -> Self {
        ProjectedPoint {
            x: self.x + other.x * times,
            y: self.y + other.y * times,
            d: self.d + other.d * times,
        }
    }
}

/// Candidate for a point of the manifold.
#[derive(Clone, Copy)]
pub struct ManifoldCandidate<F> {
    pub x: F,
    pub y: F,
    /// Separation; large if the candidate does not count.
    pub d: F,
    pub feature: F,
}

impl<F: Float> ManifoldCandidate<F> {
    /// `if mask { other } else { self }`
    #[inline(always)]
    pub fn or(self, mask: F::Mask, other: Self) -> Self {
        ManifoldCandidate {
            x: other.x.select(mask, self.x),
            y: other.y.select(mask, self.y),
            d: other.d.select(mask, self.d),
            feature: other.feature.select(mask, self.feature),
        }
    }
}

/// Edge of an incident face, projected onto the reference plane.
#[derive(Clone, Copy)]
pub struct ClippedEdge<F: Float> {
    pub middle: ProjectedPoint<F>,
    /// Half of the edge.
    pub half: ProjectedPoint<F>,
    /// The part of −1 to 1 that is inside the reference face; empty if it is reversed.
    pub inside: (F, F),
    /// Ends of that interval, in order around the face.
    pub ends: [F; 2],
    /// Whether the start is not the end of the previous edge.
    pub is_new: F::Mask,
    pub feature: F,
}

/// Candidates on the edges of an incident face.
pub struct Clipping<F: Float> {
    rectangle: Rectangle<F>,
    /// Largest separation of a candidate that counts.
    limit: F,
    /// Candidate that is least outside, in case all others are rejected.
    pub fallback: ManifoldCandidate<F>,
    least_outside: F,
}

impl<F: Float> Clipping<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F>>(lanes: L, rectangle: Rectangle<F>, limit: F) -> Self {
        let (zero, rejected) = (lanes.splat(0.0), lanes.splat(REJECTED));
        Clipping {
            rectangle,
            limit,
            fallback: ManifoldCandidate {
                x: zero,
                y: zero,
                d: rejected,
                feature: zero,
            },
            least_outside: rejected,
        }
    }

    /// The end of an edge and its start, moved into the face: the tolerance of clipping is larger than a small face.
    #[inline(always)]
    pub fn ends<L: Lanes<F = F, M = F::Mask>>(
        &mut self,
        lanes: L,
        edge: ClippedEdge<F>,
    ) -> [ManifoldCandidate<F>; 2] {
        let (one, rejected) = (lanes.splat(1.0), lanes.splat(REJECTED));
        let ClippedEdge {
            middle,
            half,
            inside: (low, high),
            ends: [from, to],
            is_new,
            feature,
        } = edge;
        let some = low.le(high);
        let end = self.rectangle.clamped(middle.plus(half, to));
        let start = self.rectangle.clamped(middle.plus(half, from));
        let ends = [
            ManifoldCandidate {
                x: end.x,
                y: end.y,
                d: end.d.select(some & end.d.le(self.limit), rejected),
                feature,
            },
            ManifoldCandidate {
                x: start.x,
                y: start.y,
                d: start
                    .d
                    .select(some & is_new & start.d.le(self.limit), rejected),
                feature: feature + lanes.splat(32.0),
            },
        ];
        let (low, high) = (low.max(-one).min(one), high.max(-one).min(one));
        let nearest = self.rectangle.less_outside(middle, half, low, high);
        let nearest = middle.plus(half, nearest);
        let outside = self.rectangle.outside(nearest);
        let nearest = self.rectangle.clamped(nearest);
        let nearer = outside.lt(self.least_outside);
        self.least_outside = outside.select(nearer, self.least_outside);
        self.fallback = self.fallback.or(
            nearer,
            ManifoldCandidate {
                x: nearest.x,
                y: nearest.y,
                d: nearest.d,
                feature,
            },
        );
        ends
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
    let (slop, rejected) = (lanes.splat(SLOP), lanes.splat(REJECTED));
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

/// Reference face of A.
#[derive(Clone, Copy)]
pub struct ReferenceFace<F: Float> {
    /// Axis of its normal.
    pub axis: Choice<F>,
    /// Coordinate of the face along its axis.
    pub height: F,
    /// Distance by [`least_apart`]: nearer points are one.
    pub apart: F,
}

/// Size of an incident face with these half edges.
#[inline(always)]
pub fn size_of<L: Lanes, const N: usize>(lanes: L, half_edges: [ProjectedPoint<L::F>; N]) -> L::F {
    let mut size = lanes.splat(0.0);
    let mut k = 0;
    while k < N {
        size = size + (half_edges[k].x.abs() + half_edges[k].y.abs());
        k += 1;
    }
    size
}

/// Manifold of at most four of the candidates, or of `fallback` if none counts and the boxes touch.
#[inline(always)]
pub fn reduced<L: Lanes, const N: usize>(
    lanes: L,
    Gap { normal, gap }: Gap<L::F>,
    ReferenceFace {
        axis,
        height,
        apart,
    }: ReferenceFace<L::F>,
    candidates: [ManifoldCandidate<L::F>; N],
    fallback: ManifoldCandidate<L::F>,
) -> Manifold<L::F> {
    let (zero, one, half) = (lanes.splat(0.0), lanes.splat(1.0), lanes.splat(0.5));
    let rejected = lanes.splat(REJECTED);
    let touches = gap.le(zero);
    let fallback = ManifoldCandidate {
        d: fallback.d.select(touches, rejected),
        ..fallback
    };
    let chosen = four(lanes, candidates, fallback, apart);
    let mut count = zero;
    let mut points = [ManifoldPoint {
        at: Vec3([zero; 3]),
        separation: zero,
        feature: zero,
    }; 4];
    let mut k = 0;
    while k < 4 {
        let counts = chosen[k].d.lt(rejected);
        let candidate = chosen[0].or(counts, chosen[k]);
        count = count + one.masked(counts);
        let d = chosen[k].d.masked(counts);
        points[k] = ManifoldPoint {
            at: Vec3(axis.back([candidate.x, candidate.y, height])) + normal * (d * half),
            separation: d.select(counts, lanes.splat(f32::INFINITY)),
            feature: candidate.feature,
        };
        k += 1;
    }
    Manifold {
        normal,
        separation: gap,
        offset: Vec3([zero; 3]),
        count,
        points,
    }
}

/// Reference face, and its copy enlarged by the rounding tolerance.
#[derive(Clone, Copy)]
pub struct Rectangle<F> {
    x: F,
    y: F,
    grown_x: F,
    grown_y: F,
}

impl<F: Float> Rectangle<F> {
    #[inline(always)]
    pub fn new(x: F, y: F, slop: F) -> Self {
        Rectangle {
            x,
            y,
            grown_x: x + slop,
            grown_y: y + slop,
        }
    }

    /// The nearest place in the face.
    #[inline(always)]
    fn clamped(self, point: ProjectedPoint<F>) -> ProjectedPoint<F> {
        ProjectedPoint {
            x: point.x.max(-self.x).min(self.x),
            y: point.y.max(-self.y).min(self.y),
            ..point
        }
    }

    /// The less far outside of two positions along an edge.
    #[inline(always)]
    pub fn less_outside(
        self,
        base: ProjectedPoint<F>,
        edge: ProjectedPoint<F>,
        one: F,
        other: F,
    ) -> F {
        let (at_one, at_other) = (base.plus(edge, one), base.plus(edge, other));
        one.select(self.outside(at_one).le(self.outside(at_other)), other)
    }

    /// Distance of a point outside the face.
    #[inline(always)]
    pub fn outside(self, point: ProjectedPoint<F>) -> F {
        (point.x.abs() - self.x).max(point.y.abs() - self.y)
    }
}

/// Reciprocals for clipping edges of one direction.
#[derive(Clone, Copy)]
pub struct Cutting<F> {
    inverse_x: F,
    inverse_y: F,
}

impl<F: Float> Cutting<F> {
    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, edge: ProjectedPoint<F>) -> Self {
        Cutting {
            inverse_x: inverse(lanes, edge.x),
            inverse_y: inverse(lanes, edge.y),
        }
    }

    /// Interval in which the edge around `base` is inside the rectangle; empty if it is reversed.
    #[inline(always)]
    pub fn inside<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        base: ProjectedPoint<F>,
        rectangle: Rectangle<F>,
    ) -> (F, F) {
        let one = lanes.splat(1.0);
        let (at_x, at_y) = (-base.x * self.inverse_x, -base.y * self.inverse_y);
        let reach_x = rectangle.grown_x * self.inverse_x.abs();
        let reach_y = rectangle.grown_y * self.inverse_y.abs();
        (
            (at_x - reach_x).max(at_y - reach_y).max(-one),
            (at_x + reach_x).min(at_y + reach_y).min(one),
        )
    }
}

/// 1 / x, with |x| clamped to at least 2⁻⁶⁰.
#[inline(always)]
pub fn inverse<L: Lanes>(lanes: L, x: L::F) -> L::F {
    let least = x.abs().max(lanes.splat(1.0 / (1u64 << 60) as f32));
    lanes.splat(1.0) / signed(lanes, least, x)
}

/// Manifold reduction: four candidates that span most of the polygon. Rejected candidates have a large separation.
#[inline(always)]
fn four<L: Lanes, const N: usize>(
    lanes: L,
    candidates: [ManifoldCandidate<L::F>; N],
    fallback: ManifoldCandidate<L::F>,
    apart: L::F,
) -> [ManifoldCandidate<L::F>; 4] {
    let rejected = lanes.splat(REJECTED);
    let outward = [lanes.splat(OUTWARD[0]), lanes.splat(OUTWARD[1])];
    // Deepest point, with the outward bias.
    let mut first = fallback;
    let mut least = rejected;
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let rank = candidate.d - (candidate.x * outward[0] + candidate.y * outward[1]).abs();
        let better = rank.lt(least) & candidate.d.lt(rejected);
        least = rank.select(better, least);
        first = first.or(better, candidate);
        k += 1;
    }
    // Farthest from it.
    let none = ManifoldCandidate {
        d: rejected,
        ..first
    };
    let mut second = none;
    let mut farthest = apart * apart;
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let (x, y) = (candidate.x - first.x, candidate.y - first.y);
        let distance = x * x + y * y;
        let better = farthest.lt(distance) & candidate.d.lt(rejected);
        farthest = distance.select(better, farthest);
        second = second.or(better, candidate);
        k += 1;
    }
    // Extremes on either side of the line through both.
    let (dx, dy) = (second.x - first.x, second.y - first.y);
    let least = apart * (dx.abs() + dy.abs());
    let (mut left, mut right) = (none, none);
    let (mut most_left, mut most_right) = (least, -least);
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let side = dx * (candidate.y - first.y) - dy * (candidate.x - first.x);
        let counts = candidate.d.lt(rejected) & second.d.lt(rejected);
        let better_left = most_left.lt(side) & counts;
        let better_right = side.lt(most_right) & counts;
        most_left = side.select(better_left, most_left);
        most_right = side.select(better_right, most_right);
        left = left.or(better_left, candidate);
        right = right.or(better_right, candidate);
        k += 1;
    }
    // If all are on one side, the fourth is the farthest outside the triangle.
    let only_right = rejected.le(left.d);
    let third = left.or(only_right, right);
    let one_sided = only_right | rejected.le(right.d);
    let one_sided = one_sided & third.d.lt(rejected);
    let one = lanes.splat(1.0);
    let turn = one.select(only_right, -one);
    let (mut fourth, mut farthest) = (right.or(one_sided | only_right, none), least);
    let mut k = 0;
    while k < N {
        let candidate = candidates[k];
        let outside =
            (area(second, third, candidate) * turn).max(area(third, first, candidate) * turn);
        let better = farthest.lt(outside) & candidate.d.lt(rejected) & one_sided;
        farthest = outside.select(better, farthest);
        fourth = fourth.or(better, candidate);
        k += 1;
    }
    [first, second, third, fourth]
}

/// Twice the signed area of a triangle, negative if clockwise.
#[inline(always)]
fn area<F: Float>(p: ManifoldCandidate<F>, q: ManifoldCandidate<F>, r: ManifoldCandidate<F>) -> F {
    (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x)
}
