//! AABB-OBB overlap: the separating axis test of `obb_obb_overlap` with trivial axes of A.
//!
//! R[i][j] is coordinate i of axis j of B.
//!
//! Source: as there. Departure: center and half extents of A are never computed, because they would round
//! in proportion to the distance from the origin. `low` and `high` are the offsets from A's corners to
//! B's center, one rounding each. So the offset of the centers is (low + high) / 2 and A's half extents
//! are (low − high) / 2.
//!
//! Degenerate cases: as there.
//!
//! # Error bound
//!
//! The proof of `obb_obb_overlap` in its terms, with the axes of A exact: L = eᵢ, B̂ⱼ or R̂[i₁][j] eᵢ₂ −
//! R̂[i₂][j] eᵢ₁. `low` and `high` are t ± a with one rounding each, in all u (|t + a| + |t − a|) = 2 u
//! max(|t|, a) per coordinate. Their sum and difference round once, and halving is exact. So t errs by 2
//! u |t| + u a, and a by u |t| + 2 u a. R̂[i][k] is a coordinate of B̂ₖ, zero if below 2⁻³²: eₖ·B̂ⱼ is
//! equal up to the zero, eᵢ·Bₖ within another η. Both sides err by at most
//!
//! ```text
//!              ‖t‖₁   ‖a‖₁     m         ‖b‖₁           w counts
//! eᵢ           3 u    5 u      3 u       η + 4.01 u     once
//! B̂ⱼ           6 u    8.01 u   6.02 u σ  η + 1 u        σ times
//! edges, / ρ   5 u    7 u      5 u       η + 5.01 u     once
//! ```
//!
//! together, 10 u below the widening of 24 u. Halving a subnormal number errs by 2⁻¹⁵⁰, like a product.
//! False hits: the same band, 84 u (‖t‖₁ + ‖a + m‖₁ + ‖b‖₁) + 2⁻⁵⁹. The same steps give 24 u + η + 4.01 u
//! on eᵢ, 24 √3 u + η + 8.01 u < 59 u on Bⱼ, √2 29.01 u + η < 50 u on edges.
//!
//! Measured at worst, over 2 million near-contact cases: 0.51 of that.

use crate::driver::cull::BoundingSpheres;
use crate::driver::load::Separate;
use crate::driver::source::{Deferred, HitMask, Test};
use crate::lane::Lanes;
use crate::narrow::geometry::sat::{
    AxisProjections, SatBoxes, no_axis_separates, rotation_from_world, widened,
};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl Test<Overlaps, Obb> for Aabb {
    type Load = Separate<BoundingSpheres>;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): (WideAabb<L::F>, WideObb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let half = lanes.splat(0.5);
        let (low, high) = (b.center - a.min, b.center - a.max);
        let t = (low + high) * half;
        let half_extents = (low - high) * half;

        let r = rotation_from_world(lanes, b.axes);
        let offset = AxisProjections::of(t.0, t.along(b.axes));
        let size = t.abs().sum() + (half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = SatBoxes {
            half_extents_a: widened(lanes, half_extents, size, margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        HitMask(no_axis_separates(boxes, offset))
    }
}
