//! Sphere-sphere sweep: the interval between the roots of a quadratic, clipped to the frame.
//!
//! P₀ is the offset of the centers at the start, v the relative displacement, P₁ = P₀ + v, and R the sum of the radii.
//! The spheres touch at time t if |P₀ + t v|² ≤ R², a quadratic in t with
//!
//! ```text
//! a = v·v    b = P₀·v    w = P₀ × v    m = R² a − w·w         t = (−b ∓ √m) / a
//! ```
//!
//! They touch during the frame if they touch at its start, at its end, or in between: the foot, the nearest point of
//! the line of motion, is passed at −b / a between 0 and 1, and within R.
//!
//! Source: M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, listing 2. Departures: only
//! times of the frame count; shapes without relative motion are tested as static; an overlap at the start keeps its
//! real exit; m replaces b² − a c, whose two parts cancel (the error at grazing falls from u |P₀|² / R to u |P₀|); v is
//! scaled by a power of two, so that m, a product of four lengths, stays in range; R is widened so that rounding loses
//! no contact. The quadratic formula that divides by −b − sign(b) √… is worse here: just before contact at the start it
//! divides noise by noise.
//!
//! Degenerate cases: without relative motion `start` and `end` decide, and the times are 0 and 1.
//!
//! # Error bound
//!
//! P₀, v, P₁, R are exact, hats are computed; s = R + ‖P₀‖₁ + ‖P₁‖₁, ρ is the widened reach, q is v̂ scaled, p̂(t) =
//! P̂₀ + t v̂, d̂ the distance of that line, and T = t |v| ≤ |P₀| + |P₁|. Errors of first order are written out; each
//! meets at most 16 more roundings, so all others are below 2⁻¹⁰ u s. Only products and quotients err by underflow, by
//! 2⁻¹⁵⁰: as |q| ≥ ½, a length of at most 2⁻⁷³ (squares in w·w), in all below 2⁻⁷⁰. The table lists each rounding as a
//! length; δ stands for a relative error u:
//!
//! ```text
//! reach      ρ = R ± 3 u R + 10 u s + 2⁻⁶²               its three sums
//! positions  |p̂(t) − P₀ − t v| ≤ u |P₀| + u T            |P̂₁ − P₁| ≤ 2 u (|P₀| + |P₁|)
//! across     |ŵ| / |q| = d̂ ± (1.16 u |P₀| + u d̂)         products 2/√3 u |P₀|, difference δ
//! m          ρ² a: 5 δ, w·w: 3 δ, their difference: δ    2.5 u ρ, 1.5 u d̂, 0.5 u √m / |q|
//! along      b / |q| ± 3 u |P₀|                          √: u √m / |q|
//! time       a: 3 δ, −b ∓ √m: δ, together 4 u T          quotient: u/2 of a time ≤ 1, u |v| / 2
//! ```
//!
//! A point of the line at distance r is (d̂, x), with x its distance from the foot; √m / |q| is |x| at r = ρ. By the
//! triangle inequality a reach longer by |(e, f)| compensates an error e across and f along, so grazing needs no more.
//! A contact at t has r ≤ R + u |P₀| + u T. So all is covered if
//!
//! ```text
//! ρ ≥ R + u |P₀| + u T + 2.5 u R + |(2.5 u d̂, 1.5 u x)|
//!       + |(1.16 u |P₀|, 3 u |P₀| + 4 u T + u |v| / 2)|                                  (1)
//! ```
//!
//! The lengths are at most 2.5 u R and 3.23 u |P₀| + 4 u T + u |v| / 2. With T, |v| ≤ |P₀| + |P₁| and 3 u R for ρ, 8 u
//! R + 9.73 u |P₀| + 5.5 u |P₁| is needed. 10 u s covers it and the higher orders, and of 2⁻⁶² all except 2⁻⁷⁰ remains.
//! A case is known that needs 9.4 u s.
//!
//! No contact is lost: `start` needs 6 u R (|P₀| ≤ R), `end` 5 u R + 2 u (|P₀| + |P₁|). If neither holds, |P̂₀| and
//! |P̂₁| are at least ρ (1 − 2 u). If −b̂ > 0 failed, P̂₀·q ≥ −3 u |P̂₀| |q|: no p̂(t) would be nearer than |P̂₀| √(1 −
//! 9 u²), so by (1) none would touch. If −b̂ < â failed, the foot would be at most e = 3 u (|P₀| + |v|) ≤ 6 u σ before
//! the end, σ = |P₀| + |P₁|, and none nearer than √(|p̂(1)|² − e²) in the frame. As |p̂(1)| ≥ ρ − 2 u ρ − u |P₁| ≥ R +
//! 9 u σ, that is more than the R + 2 u σ of a contact. By (1) m ≥ ¼ (2⁻⁶² − 2⁻⁶⁹)² > 2⁻¹²⁷.
//!
//! Times: `enter` counts unless `start` holds, `exit` unless `end` does. (1) needs neither signs nor `through`, so
//! after any contact m > 0, `enter` is not late and `exit` not early, whichever test hits. Clipping to the frame keeps
//! that. Rounding is monotone, so `enter` ≤ `exit`.
//!
//! False hits, by the same errors with opposite sign: `start` and `end` leave a gap of at most 15 u s + 2⁻⁶¹. A wrong
//! sign puts the foot 3 u |P₀| before the start, which is of second order, or e after the end, whose distance is then
//! at most √((R + 18 u R + 11.2 u σ)² + e²), so below R + 18 u s. A claimed time has |(d̂, x)| ≤ ρ up to the errors in
//! (1): 10 u s + 9.73 u s + 2⁻⁶¹. If m < 0 it is the foot's, which is nearer than the end that hits. If it is clipped
//! to an end of the frame, that end hits, or is nearer than the one that hits, or lies between contact and foot up to
//! those errors. So each gap is at most 20 u s + 2⁻⁶¹.
//!
//! Slow motion: if v̂ is subnormal, it is exact, |v| < 2⁻¹²⁵, and 2⁻⁶² makes `start` and `end` hold after any contact.
//! But |q| may be 2⁻²³, and products in m underflow; e is of second order, as P₁ ≈ P₀. m ≥ 2⁻¹²⁷ limits that to 8 u of
//! ρ² a: 4 u R more for false hits, 16 u s in all. Only −b, scaled like a, overflows, for a foot far past the end: |q|²
//! < 3, ρ < 2⁶², |P̂₁|² ≤ 3 · 2¹²⁴, m < 2¹²⁶.
//!
//! Measured at worst, over 10 million near-contact cases: 0.68 of that.

use crate::driver::source::{Deferred, Relative, Test, TimeRange};
use crate::lane::{Float, Lanes};
use crate::math::rounding::FLOOR;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::form::WideMoving;
use crate::shapes::sphere::{Sphere, SphereOffset};

/// Widening of the reach, relative to s.
const WIDENING: f32 = 10.0;

/// Least m of a line within reach: 2⁻¹²⁷, because products in a smaller one may have underflowed.
const LEAST: f32 = f32::MIN_POSITIVE / 2.0;

impl Test<Sweeps, Sphere> for Sphere {
    type Load = Relative;
    const STARTS_FINE: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        offset: WideMoving<SphereOffset<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        crossing(lanes, offset, margin)
    }
}

/// Chord of the line of motion in the sphere of radius `reach`.
#[inline(always)]
pub fn crossing<L: Lanes>(
    lanes: L,
    offset: WideMoving<SphereOffset<L::F>, L::F>,
    margin: L::F,
) -> SphereCrossing<L> {
    let zero = lanes.splat(0.0);
    let (p0, v) = (offset.start.center, offset.displacement);
    let p1 = p0 + v;
    let reach = offset.start.radius_sum + margin;
    let size = reach + p0.abs().sum() + p1.abs().sum();
    let reach = reach + (size * lanes.units(WIDENING) + lanes.splat(FLOOR));
    let reach_sq = reach * reach;
    let start = p0.dot(p0).le(reach_sq);
    let end = p1.dot(p1).le(reach_sq);

    let scale = v.abs().largest().recip_pow2();
    let v = v * scale;
    let speed_sq = v.dot(v);
    let approach = -p0.dot(v);
    let w = p0.cross(v);
    let m = reach_sq * speed_sq - w.dot(w);
    // `approach` has the scale of v once, `speed_sq` twice. Overflow is past the end.
    let passes_foot = zero.lt(approach) & (approach * scale).lt(speed_sq);
    let through = passes_foot & lanes.splat(LEAST).le(m);
    SphereCrossing {
        start,
        end,
        through,
        m,
        approach,
        speed_sq,
        scale,
    }
}

/// Chord of the line of motion in a sphere of radius `reach`, in the terms above, before the root and the quotients.
/// Deferring these makes a sweep 15 % faster (notes: figures moved from the source).
#[derive(Clone, Copy)]
pub struct SphereCrossing<L: Lanes> {
    start: L::M,
    end: L::M,
    through: L::M,
    m: L::F,
    approach: L::F,
    speed_sq: L::F,
    scale: L::F,
}

impl<L: Lanes> Deferred<L> for SphereCrossing<L> {
    type Answer = TimeRange<L>;
    const PIPELINED: bool = true;

    #[inline(always)]
    fn finish(self, lanes: L) -> TimeRange<L> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let half_chord = self.m.max(zero).sqrt();
        // NaN or infinite without motion; `max` and `min` then return their second operand.
        let enter = ((self.approach - half_chord) / self.speed_sq * self.scale)
            .max(zero)
            .min(one);
        let exit = ((self.approach + half_chord) / self.speed_sq * self.scale)
            .min(one)
            .max(one.masked(self.end));
        TimeRange {
            hit: self.start | self.end | self.through,
            enter: enter.masked(!self.start),
            exit,
        }
    }
}
