//! AABB-AABB sweep: three slabs, whose intersection is the time interval of contact.
//!
//! Let v be the displacement of B relative to A, and `speed` its absolute value on an axis. There B is
//! `near` short of touching A and `far` short of leaving it. So they touch from near / speed to far /
//! speed. The boxes touch while they touch on all three axes. The function receives −v.
//!
//! Source: M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, listing 4. Departures: on an
//! axis without motion, the listing starts from times 0 and 1, even if the boxes are separated there. It takes both
//! times from the sign of v alone, and accepts times outside the frame.
//!
//! Degenerate cases: without motion on an axis near / 0 is +∞ or ignored, so a gap there is a miss; no
//! NaN is ever returned.
//!
//! # Error bound
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

use crate::driver::load::Relative;
use crate::driver::source::{Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::slab::box_slabs;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, AabbGaps};
use crate::shapes::form::WideMoving;

impl Test<Sweeps, Aabb> for Aabb {
    type Load = Relative;
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
