//! Sphere-box overlap: the squared distance of the center from the box against the squared radius.
//!
//! On each axis of an AABB the center C is `outside` the box by min − C or C − max, or not at all. For an OBB the center is
//! rotated into the frame of the box, where it is `outside` by |Tₖ| − hₖ on each axis, or not at all.
//!
//! Source: J. Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990, as in M. Gomez, "Simple
//! Intersection Tests for Games", Gamasutra, 18 October 1999, listing 5. Departures: for AABBs from the corners, not from
//! center ∓ half extents, which round, and without branches; for OBBs relative to the box's center, so that nothing rounds
//! in proportion to the distance from the origin; the radius is widened so that rounding loses no contact.
//!
//! Degenerate cases: boxes may be points, segments and rectangles; a radius of zero is a point.
//!
//! # Error bound of AABBs
//!
//! Like that of two spheres (`sphere_sphere_overlap`), with R = r + margin, one rounding less. D is the
//! exact distance of the center from the box. Rounding is monotone and keeps the sign, so `outside` is
//! the exact vector with one rounding per axis, and its computed square is D² (1 + δ)⁵ + ε, |ε| ≤ 2⁻¹⁴⁸.
//! The widened radius is ρ = (R (1 + δ) + (8 u R (1 + δ) + 2⁻⁶²) (1 + δ)) (1 + δ).
//!
//! No contact is lost: ρ ≥ R (1 + 6 u − 24 u²) + 2⁻⁶² (1 − 3 u), so fl(ρ²) is at least
//! R² (1 + 11 u − 60 u²) + 2⁻¹²⁵ > R² (1 + u)⁵ + 2⁻¹⁴⁸; the absolute term covers underflow.
//!
//! False hits: D ≤ (ρ + 2⁻⁷³) (1 + 3 u + 6 u²) with ρ ≤ R (1 + 10 u + 26 u²) + 2⁻⁶² (1 + 3 u). Together
//! D ≤ R (1 + 13 u + 70 u²) + 2⁻⁶¹: a gap of at most 14 u (r + margin) + 2⁻⁶¹.
//!
//! Measured at worst, over 10 million near-contact cases: 0.81 of that.
//!
//! # Error bound of OBBs
//!
//! Let Δ be the exact offset of the centers, R = r + margin, and η = 10 u the error of an axis
//! ([`AXIS_ERROR`]). Each term of Tₖ = Δ·Aₖ carries 4 roundings (offset, product, two sums), so with γ₄ =
//! 4 u / (1 − 4 u) it errs by at most (η + γ₄ (1 + η)) |Δ| + 2⁻¹⁴⁸. The map from Tₖ to max(|Tₖ| − hₖ, 0)
//! is non-expansive, so over three axes the vector `outside` is off by at most τ = 24.3 u |Δ| + 2⁻¹⁴⁷ (√3
//! · 14 < 24.25), before its own rounding, which keeps the sign.
//!
//! The remainder is that of two spheres (`sphere_sphere_overlap`): `outside` carries 1 rounding, its
//! square 3, ρ² 1; squares that underflow are worth 2⁻⁷³. The radius is widened by 8 u R, by 25.5 u ‖Δ‖₁
//! and by 2⁻⁶². R carries 1 rounding, ‖Δ‖₁ 3, the terms up to 3 more, so
//!
//! ```text
//! R (1 + 6 u − 40 u²) + 25.4 u ‖Δ‖₁ + 2⁻⁶² (1 − 4 u)
//!     ≤ ρ ≤ R (1 + 10 u + 40 u²) + 25.6 u ‖Δ‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! No contact is lost: with the exact distance at most R, ρ ≥ (R + τ + 2⁻⁷³) (1 + 3 u + 6 u²) is
//! needed, which is below R (1 + 3 u + 6 u²) + 24.4 u |Δ| + 2⁻⁷², and |Δ| ≤ ‖Δ‖₁.
//!
//! False hits: the exact distance is at most (ρ + 2⁻⁷³) (1 + 3 u + 6 u²) + τ, a gap of at most
//! 13 u R + 80 u² R + 50 u ‖Δ‖₁ + 2⁻⁶² (1 + 8 u) + 2⁻⁷², less than 52 u ‖Δ‖₁ + 14 u (r + margin) + 2⁻⁶¹.
//!
//! Measured at worst, over 10 million near-contact cases: 0.56 of that.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::error_of;
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{AXIS_ERROR, Obb, WideObb};
use crate::shapes::sphere::{Sphere, WideSphere};

/// Widening of the radius, relative to the offset of the centers: above √3 (η + 4 u).
const OBB_WIDENING: f32 = 1.75 * (AXIS_ERROR + 4.0) + 1.0;

impl Test<Overlaps, Aabb> for Sphere {
    type Load = Separate;
    const IS_LIGHT: bool = true;
    const IS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, aabb): (WideSphere<L::F>, WideAabb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let zero = lanes.splat(0.0);
        let [below_x, below_y, below_z] = (aabb.min - sphere.center).0;
        let [above_x, above_y, above_z] = (sphere.center - aabb.max).0;
        let outside = Vec3([
            below_x.max(above_x).max(zero),
            below_y.max(above_y).max(zero),
            below_z.max(above_z).max(zero),
        ]);
        let reach = sphere.radius + margin;
        let reach = reach + error_of(lanes, reach);
        HitMask(outside.dot(outside).le(reach * reach))
    }
}

impl Test<Overlaps, Obb> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, obb): (WideSphere<L::F>, WideObb<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let zero = lanes.splat(0.0);
        let offset = sphere.center - obb.center;
        let [hx, hy, hz] = obb.half_extents.0;
        let outside = Vec3([
            (offset.dot(obb.axes[0]).abs() - hx).max(zero),
            (offset.dot(obb.axes[1]).abs() - hy).max(zero),
            (offset.dot(obb.axes[2]).abs() - hz).max(zero),
        ]);
        let reach = sphere.radius + margin;
        let error = error_of(lanes, reach) + offset.abs().sum() * lanes.units(OBB_WIDENING);
        let reach = reach + error;
        HitMask(outside.dot(outside).le(reach * reach))
    }
}
