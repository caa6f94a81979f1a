//! Sphere-sphere overlap: the squared distance of the centers against the squared sum of the radii.
//!
//! Source: M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, the test at the
//! start of listing 2. Departure: the sum of the radii is widened so that rounding loses no contact.
//!
//! Degenerate cases: spheres of radius zero are points, which overlap where they coincide.
//!
//! # Error bound
//!
//! With S = rA + rB, R = S + margin and D the distance of the centers, all exact, g = 1 + 8 u, which is
//! a float, and |δ| ≤ u anew at each place, the roundings are
//!
//! ```text
//! r = fl(rA + rB)                        = S (1 + δ)
//! k = fl(fl(margin g) + 2⁻⁶²)            = (margin g (1 + δ) + ε + 2⁻⁶²) (1 + δ)
//! ρ = fl(fl(r g) + k)                    = (r g (1 + δ) + ε + k) (1 + δ)
//! fl(ρ²)                                 = ρ² (1 + δ)
//! fl(offset·offset)                      = D² (1 + δ)⁵ + 4 ε        offset 2, squares 1, sums 2
//! ```
//!
//! Only products err by underflow, each by |ε| ≤ 2⁻¹⁵⁰; ρ² ≥ 2⁻¹²⁵ does not.
//!
//! No contact is lost: ρ ≥ R g (1 − u)³ + 2⁻⁶² (1 − 3 u), where the factor of R is at least 1 + 5 u − 21
//! u². So fl(ρ²) ≥ R² (1 + 9 u − 28 u²) + 2⁻¹²⁵, which is more than R² (1 + u)⁵ + 2⁻¹⁴⁸, the largest left
//! side for D ≤ R.
//!
//! False hits: D² (1 − u)⁵ ≤ ρ² (1 + u) + 2⁻¹⁴⁸, so D ≤ (ρ + 2⁻⁷³) (1 + 3 u + 6 u²), where
//! ρ ≤ R (1 + 11 u + 28 u²) + 2⁻⁶² (1 + 3 u). Together D ≤ R (1 + 14 u + 70 u²) + 2⁻⁶¹: a gap of at
//! most 15 u (rA + rB + margin) + 2⁻⁶¹. 12.85 u is known to occur.
//!
//! Measured at worst, over 10 million near-contact cases: 0.76 of that.

use crate::driver::source::{Deferred, HitMask, Relative, Test};
use crate::lane::{Float, Lanes};
use crate::math::rounding::FLOOR;
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::sphere::{Sphere, SphereOffset};

/// Widening factor of lengths.
const WIDENING: f32 = 8.0;

impl Test<Overlaps, Sphere> for Sphere {
    type Load = Relative;
    const IS_LIGHT: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        offset: SphereOffset<L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        touches(lanes, offset, margin)
    }
}

/// Whether the centers are within reach of each other.
#[inline(always)]
pub fn touches<L: Lanes>(lanes: L, offset: SphereOffset<L::F>, margin: L::F) -> HitMask<L::M> {
    let widening = lanes.splat(1.0) + lanes.units(WIDENING);
    // The same for all pairs, so computed once.
    let widened_margin = margin * widening + lanes.splat(FLOOR);
    let reach = offset.radius_sum * widening + widened_margin;
    HitMask(offset.center.dot(offset.center).le(reach * reach))
}
