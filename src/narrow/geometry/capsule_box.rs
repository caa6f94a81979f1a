//! Capsule-box sweep: the time interval in which the moving capsule's axis is within reach of the box.
//!
//! In the frame of the box the capsule's center is `low` past the lowest corner, `high` past the highest one, and moves
//! by `w`; d is the half axis. The center is tested against the box swept from −d to d, a polytope Z, with reach ρ. The
//! faces of Z are spanned by two of d and the box's edges. So a point outside Z is within reach of Z if it is within
//! reach of one of these parts:
//!
//! ```text
//! ends       the box at −d or at d, whose faces and edges they are        `rounded_box`
//! corners    an edge along d, swept by a corner of the box: a cylinder    `rounded_segment`
//! sides      a face swept by an edge of the box, along axis k: a slab
//!     m = (dᵢ, dⱼ)    n = (−mⱼ, mᵢ)    C = m·m    q from the edge, along i and j
//!     |q·n| ≤ ρ |m|    |q·m| ≤ m·m    lowₖ C ≥ dₖ q·m ≥ highₖ C
//! ```
//!
//! The times of contact form one interval. It begins at the first time of a part, or at the start of the frame if
//! [`distance_sq`] finds the capsule touching there. It ends the same way. Axes are mirrored first, so that no
//! component of d is negative. A normal of Z perpendicular to d then has neither positive components only nor negative
//! ones only, which leaves six corners and two edges along each axis.
//!
//! Source: none. C. Ericson, "Real-Time Collision Detection", 2005, 5.5.7, has a sphere's path through such parts of a
//! rounded box.
//!
//! Degenerate cases: an axis along an edge sweeps no side there; an axis of length zero sweeps neither sides nor
//! cylinders. A box without volume, or an axis in the plane of a face, is a limit of other cases, and so are its parts.
//!
//! # Error bound
//!
//! `low` ≥ `high`, w, d are taken as exact. D(t) is the distance of the axis from the box for them, r the intended
//! reach, A = |d|, W = |w|. R, ‖d‖₁, ‖v‖₁ are at least r, A, W up to 50 u of the pair's lengths. Terms below 2⁻¹⁰ u of
//! these are omitted.
//!
//! ```text
//! (1)  D(t) ≤ r at a t of the frame and ρ ≥ r + 18.7 u R + 24 u ‖d‖₁ + 34 u ‖v‖₁ + 3.1 · 2⁻⁶²
//!      ⟹   hit, from ≤ t ≤ to
//! (2)  hit   ⟹   D(t) ≤ ρ + 16.8 u ρ + 9.5 u ‖d‖₁ + 21.5 u ‖v‖₁ + 2⁻⁶⁸ at each t between `from` and `to`
//! ```
//!
//! **Sides.** n and the dots are computed from m, scaled by a power of two, which is exact; c = (−dₖ m, C), scaled, is
//! of length |m| |d| and normal to the edges along d. Let t be a time at which the point of the side that is nearest to
//! the center is Y from an edge along d, in the plane of the side, and at most r away. Then |q| ≤ A + r + W, and at t
//! |dₖ q·m| / |c| ≤ A / 2, lowₖ C / |c| ≤ Y + A / 2. At the start, by Cauchy-Schwarz, both are at most W larger
//! together. A dot rounds twice, C too, products once, sums by u of their value, and `slab` contributes u/2 of the
//! speed. So, as a length, a slab may be off by
//!
//! ```text
//! along m    2 u r + 7 u A + 5.5 u W
//! along c    2 u r + 3 u A + 9.5 u W + 5 u Y
//! along n    7 u r + 2 u A + 5.5 u W
//! ```
//!
//! Slabs along m and c are narrower by ω = 3 u R + 8 u ‖d‖₁ + 10 u ‖v‖₁ + 2⁻⁶² on either side. So they do not extend
//! past an acute corner of a thin side, and a point that is reported above the side is above it.
//!
//! **No contact is lost.** Let τ be the first time with D ≤ r. If it is 0, `distance_sq` finds it, by (4) of
//! `rounded_box` and with d for its motion. At the end `low` + w rounds by u of it, which is worth u r + u A: in all
//! 4.2 u r + 23.9 u A. Otherwise the center is r from Z at τ, and the nearest point of Z is in the box at −d or d, or
//! on a side. If it is on a side and at least 2 ω from all of its edges, the slabs hold τ. If not, an edge of the side
//! is at most r + 2 ω from the center: the nearest line of an edge has its foot on the edge, as a disc that touches the
//! line there is in the side. It is an edge of the box at −d or d, or along d, whose ends are corners of these. If the
//! foot is nearer than σ of `rounded_segment` to such an end, that end is at most √((r + 2 ω)² + σ²) ≤ r + √(4 ω² + σ²)
//! from the center. `low` ± d rounds by u of it, worth u r + u W. So by (1) and (3) of their files ρ must be at least
//!
//! ```text
//! ends       r + 2 ω + 9.4 u r + 10.9 u W + 2⁻⁶²
//! corners    r + 2 ω + 12.6 u r + 1.3 u A + 13.8 u W + 2⁻⁶²
//! between    r + √(4 ω² + σ²) + 9.4 u r + 10.9 u W + 2⁻⁶²       σ = 4.1 u r + 8.1 u A + 7.6 u W
//! ```
//!
//! where √(4 ω² + σ²) ≤ 7.3 u R + 18 u ‖d‖₁ + 21.4 u ‖v‖₁ + 2 · 2⁻⁶². The last time is analogous.
//!
//! **False hits.** D is convex, so it is enough that each part satisfies (2). Over a side the center is above a point
//! of it, at a distance of ρ up to the error along n. Ends have (2) of `rounded_box`, and u ρ + u W. At a corner (4) of
//! `rounded_segment` adds 12.6 u ρ + 1.3 u A + 13.8 u W across, and σ past the end. Start and end have (5) of
//! `rounded_box`, and u ρ + u A.
//!
//! **Range.** Offsets of ends are below 2⁶³, and those of corners at most 3 √3 · 2⁶⁰, as both files require. A side
//! counts only if |m| > ω ≥ 2⁻⁶² and |m| > 8 u A, so underflow is worth 2⁻⁷⁰ of length. An axis below 2⁻¹²⁶, or motion
//! below 2⁻¹⁰⁰, counts as none: 2⁻⁹⁸.

use crate::driver::source::{Deferred, TimeRange};
use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::rounded_box;
use crate::narrow::geometry::rounded_box::{crossing, distance_sq};
use crate::narrow::geometry::rounded_segment::{Beside, ContactSpan, SegmentAxis};
use crate::narrow::geometry::slab::times;

/// Capsule in the frame of a box.
#[derive(Clone, Copy)]
pub struct CapsuleSweepInBox<F> {
    /// Capsule's center relative to the lowest corner, and to the highest.
    pub low: Vec3<F>,
    pub high: Vec3<F>,
    pub half_axis: Vec3<F>,
    /// Relative displacement.
    pub w: Vec3<F>,
}

/// Lengths that bound the errors: the radius with the margin, and the 1-norms of the half axis and of the displacement.
#[derive(Clone, Copy)]
pub struct ErrorLengths<F> {
    pub reach: F,
    pub axis: F,
    pub motion: F,
}

impl<F: Float> ErrorLengths<F> {
    /// Weighted sum in u, plus the floor.
    #[inline(always)]
    fn error<L: Lanes<F = F>>(self, lanes: L, [reach, axis, motion]: [f32; 3]) -> F {
        (self.reach * lanes.units(reach) + lanes.splat(FLOOR))
            + (self.axis * lanes.units(axis) + self.motion * lanes.units(motion))
    }
}

/// Narrowing of each side along its plane.
const NARROWING: [f32; 3] = [3.0, 8.0, 10.0];

/// Time interval in which a capsule's axis is within reach of a box.
pub struct CapsuleBoxSweep;

impl<L: Lanes> Routine<L> for CapsuleBoxSweep {
    type Argument = (CapsuleSweepInBox<L::F>, ErrorLengths<L::F>, L::F);
    type Output = ContactSpan<L>;

    #[inline(always)]
    fn run(lanes: L, (place, lengths, reach): Self::Argument) -> ContactSpan<L> {
        capsule_box_sweep(lanes, place, lengths, reach)
    }
}

#[inline(always)]
fn capsule_box_sweep<L: Lanes>(
    lanes: L,
    place: CapsuleSweepInBox<L::F>,
    lengths: ErrorLengths<L::F>,
    reach: L::F,
) -> ContactSpan<L> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let reach_sq = reach * reach;
    let CapsuleSweepInBox {
        low,
        high,
        half_axis,
        w,
    } = place;
    let start = passing(lanes, low, high, half_axis);
    let start = ContactSpan {
        hit: distance_sq(lanes, start).le(reach_sq),
        from: zero,
        to: zero,
    };
    let end = passing(lanes, low + w, high + w, half_axis);
    let end = ContactSpan {
        hit: distance_sq(lanes, end).le(reach_sq),
        from: one,
        to: one,
    };
    let front = crossing(
        lanes,
        passing(lanes, low + half_axis, high + half_axis, w),
        reach,
    );
    let back = crossing(
        lanes,
        passing(lanes, low - half_axis, high - half_axis, w),
        reach,
    );
    let found = (start.or(lanes, end))
        .or(lanes, span(front.finish(lanes)))
        .or(lanes, span(back.finish(lanes)));

    let CapsuleSweepInBox {
        low,
        high,
        half_axis,
        w,
    } = place.mirrored(lanes);
    let narrowing = lengths.error(lanes, NARROWING);
    let axis = SegmentAxis::new(lanes, half_axis);
    let beside = Beside::new(lanes, axis, w);
    let ([low_x, low_y, low_z], [high_x, high_y, high_z]) = (low.0, high.0);
    let corners = [
        Vec3([low_x, high_y, high_z]),
        Vec3([high_x, low_y, high_z]),
        Vec3([high_x, high_y, low_z]),
        Vec3([high_x, low_y, low_z]),
        Vec3([low_x, high_y, low_z]),
        Vec3([low_x, low_y, high_z]),
    ];
    let mut found = found;
    for corner in corners {
        found = found.or(lanes, beside.within(lanes, corner, reach_sq));
    }
    let side = |k: usize| Coordinate {
        low: low.0[k],
        high: high.0[k],
        half_axis: half_axis.0[k],
        direction: axis.direction.0[k],
        w: w.0[k],
    };
    let (x, y, z) = (side(0), side(1), side(2));
    let widths = Widths {
        reach,
        narrowing,
        along_axis: narrowing * axis.squared.sqrt(),
    };
    for edges in [[x, y, z], [y, z, x], [z, x, y]] {
        found = found.or(lanes, over_sides(lanes, edges, widths));
    }
    found
}

/// Motion of a point relative to the faces of a box, per axis.
#[inline(always)]
fn passing<L: Lanes>(
    lanes: L,
    low: Vec3<L::F>,
    high: Vec3<L::F>,
    w: Vec3<L::F>,
) -> [rounded_box::BoxSlab<L::F>; 3] {
    let ([low_x, low_y, low_z], [high_x, high_y, high_z]) = (low.0, high.0);
    let [wx, wy, wz] = w.0;
    [
        rounded_box::BoxSlab::new(lanes, low_x, high_x, wx),
        rounded_box::BoxSlab::new(lanes, low_y, high_y, wy),
        rounded_box::BoxSlab::new(lanes, low_z, high_z, wz),
    ]
}

#[inline(always)]
fn span<L: Lanes>(contact: TimeRange<L>) -> ContactSpan<L> {
    ContactSpan {
        hit: contact.hit,
        from: contact.enter,
        to: contact.exit,
    }
}

impl<F: Float> CapsuleSweepInBox<F> {
    /// Mirrored placement in which no component of the half axis is negative.
    #[inline(always)]
    fn mirrored<L: Lanes<F = F, M = F::Mask>>(self, lanes: L) -> Self {
        let mut mirrored = self;
        let mut k = 0;
        while k < 3 {
            let (low, high, w) = (self.low.0[k], self.high.0[k], self.w.0[k]);
            let forward = lanes.splat(0.0).le(self.half_axis.0[k]);
            mirrored.low.0[k] = low.select(forward, -high);
            mirrored.high.0[k] = high.select(forward, -low);
            mirrored.half_axis.0[k] = self.half_axis.0[k].abs();
            mirrored.w.0[k] = w.select(forward, -w);
            k += 1;
        }
        mirrored
    }
}

/// One coordinate of a mirrored placement and of the scaled half axis.
#[derive(Clone, Copy)]
struct Coordinate<F> {
    low: F,
    high: F,
    half_axis: F,
    direction: F,
    w: F,
}

/// Widths of the slabs of sides.
#[derive(Clone, Copy)]
struct Widths<F> {
    reach: F,
    /// Narrowing along the side.
    narrowing: F,
    /// The narrowing times the length of the scaled half axis.
    along_axis: F,
}

/// Time interval in which the center is within reach of one of two sides, above its inner part. The two are swept by
/// edges along the third axis, lowest on one of the other axes and highest on the other.
#[inline(always)]
fn over_sides<L: Lanes>(
    lanes: L,
    [i, j, k]: [Coordinate<L::F>; 3],
    widths: Widths<L::F>,
) -> ContactSpan<L> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let scale = (i.half_axis.max(j.half_axis)).recip_pow2();
    let (mi, mj) = (i.half_axis * scale, j.half_axis * scale);
    let length = (mi * mi + mj * mj).sqrt();
    let reach = widths.reach * length;
    let half = (i.half_axis * mi + j.half_axis * mj) - widths.narrowing * length;
    let area = i.direction * mi + j.direction * mj;
    let narrowing = widths.along_axis * length;
    // Never −0.
    let speed_n = zero + (j.w * mi - i.w * mj);
    let speed_m = zero + (i.w * mi + j.w * mj);
    let speed_c = zero + (k.w * area - k.direction * speed_m);
    let mut found = ContactSpan {
        hit: zero.lt(zero),
        from: zero,
        to: zero,
    };
    for (qi, qj) in [(i.high, j.low), (i.low, j.high)] {
        let (at_n, at_m) = (qj * mi - qi * mj, qi * mi + qj * mj);
        let slid = k.direction * at_m;
        let low = narrowing - (k.low * area - slid);
        let high = -narrowing - (k.high * area - slid);
        let frame = times(-reach - at_n, reach - at_n, speed_n, (zero, one));
        let frame = times(-half - at_m, half - at_m, speed_m, frame);
        let (from, to) = times(low, high, speed_c, frame);
        let side = ContactSpan {
            hit: zero.lt(half) & low.le(high) & from.le(to),
            from,
            to,
        };
        found = found.or(lanes, side);
    }
    found
}
