//! Box-box overlap: the separating axis test.
//!
//! **Two AABBs** overlap if A.min ≤ B.max and B.min ≤ A.max on each of the three coordinate axes, here as differences that
//! are compared with the margin.
//!
//! **Two OBBs** have fifteen axes: three face normals of each box and nine cross products of their edges. Two boxes are
//! disjoint exactly if one of these 15 axes separates them. An axis L separates if the projected distance of the centers
//! exceeds the projected half extents: |t·L| > Σ aₖ |Aₖ·L| + Σ bₖ |Bₖ·L|.
//!
//! With R[i][j] = Aᵢ·Bⱼ and Tᵢ = t·Aᵢ, the axis of edges i and j is *defined* as L = R[i₁][j] Aᵢ₂ − R[i₂][j] Aᵢ₁ (i, i₁, i₂
//! cyclic), and every term is evaluated along that L:
//!
//! ```text
//! |Tᵢ₂ R[i₁][j] − Tᵢ₁ R[i₂][j]| > aᵢ₁ |R[i₂][j]| + aᵢ₂ |R[i₁][j]|
//!                               + Σ(k ≠ j) bₖ |R[i₁][j] R[i₂][k] − R[i₂][j] R[i₁][k]|
//! ```
//!
//! **An AABB and an OBB** are tested like two OBBs, with the coordinate axes as those of A: R[i][j] is coordinate i of axis
//! j of B. Center and half extents of A are never computed, because they would round in proportion to the distance from the
//! origin. `low` and `high` are the offsets from A's corners to B's center, one rounding each. So the offset of the centers
//! is (low + high) / 2 and A's half extents are (low − high) / 2.
//!
//! Sources: for AABBs M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, listing 3. Departure: by
//! corners, not by center and half extents, which are not exact. For OBBs S. Gottschalk, M. Lin, D. Manocha, "OBBTree",
//! SIGGRAPH 1996; M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, listing 6. Departure: they
//! take the last two terms as bₖ |R[i][k']|, which holds for an exact rotation only. With rounded entries and nearly
//! parallel edges the two sides then belong to different axes, and touching boxes are missed. An epsilon added to |R| hides
//! some of it and opens false gaps of up to 4 w ε / θ. The cofactors keep all errors proportional to |L|. Nearly parallel
//! edges are one more direction, without an epsilon, a branch or a normalisation.
//!
//! Degenerate cases: exactly parallel edges give L = 0, which never separates. Boxes with zero half extents are rectangles,
//! segments and points.
//!
//! # Error bound of two AABBs
//!
//! Let a be an exact difference, so that boxes touch within the margin m if every a ≤ m. The only
//! rounding is fl(a). It neither underflows (a subnormal difference of floats is a float) nor overflows
//! (|a| ≤ 2⁶¹).
//!
//! - Never missing: rounding is monotone and m is a float, so a ≤ m gives fl(a) ≤ fl(m) = m.
//! - False hits: fl(a) ≤ m < a and a = fl(a) (1 + δ) with |δ| ≤ u, so a − m ≤ u m on each axis. Without a
//!   margin there are none, and the answer is exact. a = m (1 + u) with m a power of two is a tie that
//!   goes down to m, so the bound is attained.
//!
//! So false hits have a gap of at most (1 + u) margin on each axis, u margin of it beyond the margin.
//!
//! Measured at worst, over 10 million near-contact cases: 1.00 of that.
//!
//! # Error bound of two OBBs
//!
//! u is 2⁻²⁴, γₙ = n u / (1 − n u), and hats mark computed values. m is the margin, a excludes it,
//! S = ‖t‖₁ + ‖a‖₁ + ‖b‖₁ + m, and η = 8.5 u bounds the error of an axis, as proved at
//! [`AXIS_ERROR`](crate::shapes::obb::AXIS_ERROR).
//!
//! **Never missing.** Boxes that touch satisfy |t·L| ≤ Σ (aₖ + m) |Aₖ·L| + Σ bₖ |Bₖ·L| along *any* L.
//! Take L = Âᵢ, B̂ⱼ or R̂[i₁][j] Âᵢ₂ − R̂[i₂][j] Âᵢ₁: the computed floats, combined exactly. L need not
//! be an exact normal; only the evaluation along it errs. With ρ = |R̂[i₁][j]| + |R̂[i₂][j]|, and ε = η +
//! 3.01 u for the other box's axis, a dot product and an entry below 2⁻³² that is zeroed:
//!
//! ```text
//! exact                       computed               within
//! t·Âᵢ, t·B̂ⱼ                  T̂                      γ₄ ‖t‖₁: t rounds once, a dot product thrice
//! Âᵢ·Bₖ, Aᵢ·B̂ₖ                R̂[i][k]                ε
//! Aₖ·Âᵢ, Bₖ·B̂ⱼ                1 or 0                 η; summed over k √3 η, parts of one vector
//! edges: Aᵢ₁·L, Aᵢ₂·L, Aᵢ·L   −R̂[i₂][j], R̂[i₁][j], 0 ρ η; also summed √3 ρ η
//! edges: Bₖ·L                 minor, 0 for k = j     ρ ε
//! ```
//!
//! aₖ also rounds when widened, in its product and in each sum it enters, m once more; bₖ in product and
//! sums, minors and the products of T̂ twice. Both sides err together by at most
//!
//! ```text
//!              ‖t‖₁   ‖a‖₁      m             ‖b‖₁       w counts
//! Âᵢ           4 u    η + 2 u   √3 η + 3 u    ε + 4 u    once
//! B̂ⱼ           4 u    ε + 5 u   3 ε + 6 u σ   η + 1 u    σ = Σₖ |R̂[k][j]| times
//! edges, / ρ   6 u    η + 4 u   √3 η + 5 u    ε + 5 u    once
//! ```
//!
//! Columns have length 1, so σ ≥ 1 − 30 u. So widening A alone by w = 24 u S covers every entry, the
//! largest being 20 u, except one: 3 ε + 6 u σ. There B̂ⱼ separates only if ‖t‖₁ ≥ σ m, and then 24 u σ
//! (‖t‖₁ + m) suffices: for σ = 1, 48 u m against (4 + 34.6 + 6) u m. At least 3 u is spare. The second
//! order (w rounds 13 times in all, γₙ − n u, η², σ < 1) is below 2¹² u² = u / 4096.
//!
//! **Range.** A product that underflows errs by another 2⁻¹⁵⁰, 13 times on an axis at most (within R̂, ε
//! covers it), and w has an absolute part of 2⁻⁶². As entries are 0 or at least 2⁻³², products of two do
//! not underflow, ρ 2⁻⁶² ≥ 2⁻⁹⁴ covers the rest, and ρ = 0 never separates. Without floor and zeros, 12 %
//! of boxes that are rotated by 1e-30 and 1e-12 long are lost. Lengths to 2⁶⁰ keep values below 2⁶⁶.
//!
//! **False hits** have, on every exact axis, a gap of at most 84 u (‖t‖₁ + ‖a + m‖₁ + ‖b‖₁) + 2⁻⁵⁹:
//!
//! - Aᵢ: R̂ is now off by both boxes' axes, η + ε; in all 24 u + η + ε + 4 u < 49 u.
//! - Bⱼ: w counts σ ≤ √3 times: 24 √3 u + η + ε + 5 u < 67 u.
//! - Aᵢ × Bⱼ may be short and far from L. But project along Aᵢ both A and a box with half edges bₖ βₖ,
//!   βₖ = Σₗ R̂[l][k] Aₗ, offset by τ = Σₗ T̂ₗ Aₗ. The projections touch if no normal of their edges
//!   separates: Aᵢ₁, Aᵢ₂ and Aᵢ × βₖ = R̂[i₁][k] Aᵢ₂ − R̂[i₂][k] Aᵢ₁. These are the tests made here, up
//!   to 5 u S ρ of roundings. So they touch once A grows by w + 5 u S. As a unit n perpendicular to Aᵢ
//!   has Σ |Aₖ·n| ≤ √2, gap ≤ √2 29 u S + |(τ − t)·n| + Σ bₖ |(βₖ − Bₖ)·n| ≤ √2 29 u S + √2 (η + 4 u)
//!   ‖t‖₁ + (√2 ε + η) ‖b‖₁ < 67 u S.
//!
//! Measured at worst, over 2 million near-contact cases: 0.51 of that.
//!
//! # Error bound of an AABB and an OBB
//!
//! The proof of two OBBs in its terms, with the axes of A exact: L = eᵢ, B̂ⱼ or R̂[i₁][j] eᵢ₂ −
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
//!
//! # Tried without gain
//!
//! Six face normals first, then the nine cross products for the remaining pairs. It gains nothing,
//! whether the shapes are gathered again or the 18 numbers of each remaining pair are compressed (notes:
//! figures moved from the source). A cheap rejection pays only before gathering: [`cull`](crate::driver::cull).

use crate::driver::cull::{BoundingSpheres, NoCull};
use crate::driver::source::{Deferred, HitMask, PairLoad, Relative, Separate, Test};
use crate::lane::{Float, Lanes, Rows};
use crate::narrow::geometry::sat::{
    AxisProjections, SatBoxes, no_axis_separates, rotation, rotation_from_world, widened,
};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, AabbGaps, WideAabb};
use crate::shapes::form::Static;
use crate::shapes::obb::{Obb, WideObb};
use crate::shapes::shape::{RelativeShape, Vectors};

/// Loader that tests whether the gaps are closed. It compares a whole row of gaps at once, one pair at a
/// time, and only the outcome goes to lanes. This takes half the time of loading both boxes (notes:
/// figures moved from the source).
pub struct ClosedGaps;

impl PairLoad<Static<Aabb>, Static<Aabb>> for ClosedGaps {
    type Loaded<L: Lanes> = L::M;
    type Cull = NoCull;
    const ROW_LANES: usize = Aabb::ROW_LANES;

    #[inline(always)]
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 8]>,
        margin: L::F,
    ) -> (L::M, L::M) {
        lanes.sums_at_most(a, b, margin)
    }

    #[inline(always)]
    fn of_vectors<L: Lanes>(
        lanes: L,
        a: Vectors<Static<Aabb>, L>,
        b: Vectors<Static<Aabb>, L>,
        margin: L::F,
    ) -> L::M {
        let gaps: AabbGaps<L::F> =
            <Relative as PairLoad<Static<Aabb>, Static<Aabb>>>::of_vectors(lanes, a, b, margin);
        let [below_x, below_y, below_z] = gaps.below.0;
        let [above_x, above_y, above_z] = gaps.above.0;
        (below_x.le(margin) & above_x.le(margin))
            & (below_y.le(margin) & above_y.le(margin))
            & (below_z.le(margin) & above_z.le(margin))
    }
}

impl Test<Overlaps, Aabb> for Aabb {
    type Load = ClosedGaps;
    const IS_LIGHT: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        _lanes: L,
        touch: L::M,
        _margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        HitMask(touch)
    }
}

impl Test<Overlaps, Obb> for Obb {
    type Load = Separate<BoundingSpheres>;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): (WideObb<L::F>, WideObb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let t = b.center - a.center;
        let r = rotation(lanes, a.axes, b.axes);
        let offset = AxisProjections::of(t.along(a.axes), t.along(b.axes));
        let size = t.abs().sum() + (a.half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = SatBoxes {
            half_extents_a: widened(lanes, a.half_extents, size, margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        HitMask(no_axis_separates(boxes, offset))
    }
}

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
