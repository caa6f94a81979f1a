//! Box-box sweep: the swept separating axis test. Each axis is a slab, and the boxes touch while no axis separates.
//!
//! **Two AABBs** have three slabs. Let v be the displacement of B relative to A, and `speed` its absolute value on an axis.
//! There B is `near` short of touching A and `far` short of leaving it. So they touch from near / speed to far / speed. The
//! boxes touch while they touch on all three axes. [`box_slabs`] receives −v.
//!
//! **Two OBBs** have fifteen slabs. With p the offset of the centers at the start and v the displacement of A relative to B,
//! the offset is p − t v at time t. The boxes do not rotate, so the 15 axes of `obb_obb_overlap` are constant, and each axis
//! L is a slab. It does not separate while p·L − reach ≤ t v·L ≤ p·L + reach. The boxes touch while no axis separates.
//!
//! **An AABB and an OBB** are tested like two OBBs, with the axes of `aabb_obb_overlap`. The axes of A are those of the
//! world, and offsets come from both of its corners.
//!
//! Sources: for AABBs M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, listing 4. Departures: on
//! an axis without motion, the listing starts from times 0 and 1, even if the boxes are separated there. It takes both times
//! from the sign of v alone, and accepts times outside the frame. For OBBs D. Eberly, "Dynamic Collision Detection Using
//! Oriented Bounding Boxes", 1999, which computes the first time of contact. Departures: the axes are those of
//! `obb_obb_overlap`, with its cofactors; the whole interval; one division for each axis.
//!
//! Degenerate cases: without motion on an axis of AABBs near / 0 is +∞ or ignored, so a gap there is a miss; no NaN is ever
//! returned. Two OBBs: those of `obb_obb_overlap`. Exactly parallel edges give a slab without bounds. Without motion along
//! an axis its slab is the whole frame or empty.
//!
//! # Error bound of two AABBs
//!
//! On one axis, let a = A.min − B.max and v be exact and m the margin. Contact at t means a − m ≤ t v and
//! its mirror image for `past`. Computed are â = fl(a), v̂ = fl(v), V = |v̂|, a widening ŵ, and low =
//! fl(â − ŵ). Differences of floats do not underflow; 8 u V and 8 u m may, by 2⁻¹⁵⁰. The roundings of ŵ
//! (one of 8 u V, two of m, three of 8 u m + 2⁻¹²⁶) give
//!
//! ```text
//! m (1 + 6 u − 23 u²) + 8 u V (1 − u) + 2⁻¹²⁶ (1 − 6 u)  ≤  ŵ
//!                     ŵ  ≤  m (1 + 10 u + 27 u²) + 8 u V (1 + u) + 2⁻¹²⁶ (1 + 6 u)
//! ```
//!
//! Never missing: by (1) of `slab`, low ≤ t v̂ − u/2 V must hold at a contact. Rounding is monotone:
//! however far a is below, â ≤ fl(m + t v) ≤ m + t v + u (m + |v|) + 2⁻¹⁵⁰. With |v − v̂| ≤ u V that is
//! at most t v̂ + m (1 + u) + V (2 u + u²) + 2⁻¹⁵⁰. So by the lower bound of ŵ â − ŵ ≤ t v̂ − m (5 u − 23
//! u²) − V (6 u − 9 u²) − 2⁻¹²⁶ (1 − 7 u). Rounding this, again monotone, adds at most u (V + 7 u V + 5 u
//! m + 2⁻¹²⁶) + 2⁻¹⁵⁰, so low ≤ t v̂ − 4.9 u (V + m). In all the speed needs 3.5 u and the margin 3 u of
//! the 8 u; 2⁻¹²⁶ only has to cover a few times 2⁻¹⁵⁰.
//!
//! Gaps at claimed times t, including false hits: by (2) of `slab` low ≤ t v̂ + u/2 V. fl(x) ≤ y implies
//! x ≤ y + u |y| for a difference x. So â ≤ ŵ + t v̂ + (1.5 u + u²) V, and similarly a ≤ (1 + u) ŵ + t
//! v̂ + (2.5 u + 3 u²) V. With |v̂ − v| ≤ u |v| and the upper bound of ŵ a − m − t v ≤ (11.5 u + 40 u²)
//! |v| + (11 u + 40 u²) m + 2⁻¹²⁶ (1 + 8 u). So false hits have a gap of at most 12 u (speed + m) + 2⁻¹²⁵ at
//! the time of contact on each axis, beyond the margin.
//!
//! Only quotients overflow: |a|, |v| ≤ 2⁶¹. A hit of the overlap kernel has â ≤ m ≤ ŵ, so `enter` = 0.
//!
//! Measured at worst, over 10 million near-contact cases: 0.91 of that.
//!
//! # Error bound of two OBBs
//!
//! In the terms of `obb_obb_overlap`, p in place of t, with S = ‖p‖₁ + ‖v‖₁ + ‖a‖₁ + ‖b‖₁ + m in
//! w = 24 u S + 2⁻⁶². P, V and reach are the computed ones, `low` = fl(P − reach), and t is a time.
//!
//! **Never missing.** Boxes that touch at t satisfy |p·L − t v·L| ≤ Σ (aₖ + m) |Aₖ·L| + Σ bₖ |Bₖ·L| along any L, so
//! also along the computed one. The table there holds for p and the reach. v errs as p does, 4 u ‖v‖₁ along faces and 6
//! u ρ ‖v‖₁ along edges. (3) of [`slab`](crate::narrow::geometry::slab) requires 2 u |V|. As rounding is monotone, `low` errs by u |V|
//! only: P − reach ≤ y implies `low` ≤ y + u |y|, where y is t V less the spare part. Together 7 u ‖v‖₁ along faces and
//! 9 u ρ ‖v‖₁ along edges, so of 24 u the largest entry needs 20 u as before, except B̂ⱼ, where m needs 3 ε + 6 u σ <
//! 40.6 u σ. B̂ⱼ excludes t only if x = ‖p‖₁ + ‖v‖₁ ≥ σ m; then 24 u σ (x + m) suffices against 7 u x + 40.6 u σ m. 0.4
//! u m are spare, a thousand times the second order.
//!
//! **Range.** V has 8 products that may underflow, as P has; 2⁻¹²⁶ in (3) is as small beside ρ 2⁻⁶² ≥ 2⁻⁹⁴.
//! Lengths to 2⁶⁰ keep values below 2⁶⁷.
//!
//! **False hits, and gaps at claimed times**, are on every exact axis at most 70 u (‖p‖₁ + ‖v‖₁ + ‖a + m‖₁ + ‖b‖₁) +
//! 2⁻⁵⁹. By (4), and as fl(x) ≤ y implies x ≤ y + u |y| for a difference, a time t from `enter` to `exit` has |P − t V|
//! ≤ reach + 3.02 u |V| on all axes. The statements proved there for a hit then hold at t for the offset p − t v, with
//! 5.1 u S for 5 u S of roundings: 49 u along Aᵢ, 67 u along Bⱼ and 67 u along edges.
//!
//! **A hit of the overlap kernel** has |P| ≤ reach for a w that is no larger: `low` ≤ 0 ≤ `high`, by (5) `enter` = 0.
//!
//! Measured at worst, over 2 million near-contact cases: 0.60 of that.
//!
//! # Error bound of an AABB and an OBB
//!
//! The proof of two OBBs, with the table of `aabb_obb_overlap`. v rounds once, and contributes
//!
//! ```text
//! eᵢ          v 1 u, `low` 1 u, (3) 2 u                                 4 u ‖v‖₁
//! B̂ⱼ          v 1 u, dot product 3 u, `low` 1 u, (3) 2 u                7 u ‖v‖₁
//! edges, / ρ  v 1 u, products 1 u, difference 1 u, `low` 1 u, (3) 2 u   6 u ‖v‖₁
//! ```
//!
//! No entry of the table is above 14 u, so 10 u are to spare. False hits, and gaps at claimed times: the same band, 70
//! u (‖p‖₁ + ‖v‖₁ + ‖a + m‖₁ + ‖b‖₁) + 2⁻⁵⁹. The same steps, with another 3.02 u |V|, give 24 u + η + 4.01 u along eᵢ,
//! 24 √3 u + η + 8.01 u < 59 u along Bⱼ, √2 29.1 u + η < 50 u along edges.
//!
//! Measured at worst, over 2 million near-contact cases: 0.60 of that.

use crate::driver::source::{BothMoving, Deferred, Relative, Separate, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::sat::{
    AxisProjections, SatBoxes, WhenNoAxisSeparates, rotation, rotation_from_world, widened,
};
use crate::narrow::geometry::slab::box_slabs;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, AabbGaps, WideAabb};
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{Obb, WideObb};

impl Test<Sweeps, Aabb> for Aabb {
    type Load = Relative;
    const STARTS_FINE: bool = true;
    const IS_LIGHT: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        gaps: WideMoving<AabbGaps<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        box_slabs(lanes, gaps, margin)
    }
}

impl Test<Sweeps, Obb> for Obb {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): BothMoving<WideObb<L::F>, WideObb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        // Displacement of A relative to B.
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let p = b.center - a.center;
        let r = rotation(lanes, a.axes, b.axes);
        let offset = AxisProjections::of(p.along(a.axes), p.along(b.axes));
        let motion = AxisProjections::of(v.along(a.axes), v.along(b.axes));
        let size = p.abs().sum() + (a.half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = SatBoxes {
            half_extents_a: widened(lanes, a.half_extents, size + v.abs().sum(), margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        lanes.call::<WhenNoAxisSeparates>((boxes, AxisProjections::of_both(offset, motion)))
    }
}

impl Test<Sweeps, Obb> for Aabb {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): BothMoving<WideAabb<L::F>, WideObb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        // Displacement of A relative to B.
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let half = lanes.splat(0.5);
        let (low, high) = (b.center - a.min, b.center - a.max);
        let p = (low + high) * half;
        let half_extents = (low - high) * half;

        let r = rotation_from_world(lanes, b.axes);
        let offset = AxisProjections::of(p.0, p.along(b.axes));
        let motion = AxisProjections::of(v.0, v.along(b.axes));
        let size = p.abs().sum() + (half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = SatBoxes {
            half_extents_a: widened(lanes, half_extents, size + v.abs().sum(), margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        lanes.call::<WhenNoAxisSeparates>((boxes, AxisProjections::of_both(offset, motion)))
    }
}
