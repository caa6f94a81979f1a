//! OBB-OBB sweep: the swept separating axis test with fifteen slabs.
//!
//! With p the offset of the centers at the start and v the displacement of A relative to B, the offset is p − t v at
//! time t. The boxes do not rotate, so the 15 axes of `obb_obb_overlap` are constant, and each axis L is a slab. It
//! does not separate while p·L − reach ≤ t v·L ≤ p·L + reach. The boxes touch while no axis separates.
//!
//! Source: D. Eberly, "Dynamic Collision Detection Using Oriented Bounding Boxes", 1999, which computes the first time
//! of contact. Departures: the axes are those of `obb_obb_overlap`, with its cofactors; the whole interval; one
//! division for each axis.
//!
//! Degenerate cases: as there. Exactly parallel edges give a slab without bounds. Without motion along an axis its slab
//! is the whole frame or empty.
//!
//! # Error bound
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

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::sat::{
    AxisProjections, SatBoxes, WhenNoAxisSeparates, rotation, widened,
};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::obb::{Obb, WideObb};

impl Test<Sweeps, Obb> for Obb {
    type Load = Separate;

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
