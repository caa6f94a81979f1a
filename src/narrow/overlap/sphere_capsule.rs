//! Sphere-capsule overlap: the distance of the center from the capsule's axis against the sum of the radii.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 4.5.1. Departures: relative to the middle of the axis, so
//! that nothing rounds in proportion to the distance from the origin; the axis is scaled by a power of two, so that its
//! square stays in range; the radius is widened so that rounding loses no contact.
//!
//! Degenerate cases: an axis of length zero makes a sphere, a radius of zero a segment or a point.
//!
//! # Error bound
//!
//! Let Δ be the exact offset of the centers, f the nearest point of the axis relative to its middle, D = |Δ − f| the
//! exact distance, R the radii and the margin together. |Δ| ≤ D + |f|. The computed Δ̂ is off by u |Δ|, f̂ by u |f| and
//! by (1) of `segment`, the difference x̂ by u of itself. So
//!
//! ```text
//! |x̂| ≤ (√((D + u |Δ|)² + (8.1 u |Δ|)²) + 1.1 u |f|) (1 + u) ≤ D (1 + 2 u + 40 u²) + 10.3 u |f|
//! ```
//!
//! as √(A² + (e + g)²) ≤ √(A² + e²) + g: errors proportional to D are of second order there. The square rounds 3 times
//! more, ρ² once; squares that underflow are worth 2⁻⁷³. The radius is widened by 8 u R, by 12 u ‖f̂‖₁ and by 2⁻⁶², and
//! all its sums round R 3 times:
//!
//! ```text
//! R (1 + 5 u − 40 u²) + 11.9 u |f| + 2⁻⁶² (1 − 4 u) ≤ ρ ≤ R (1 + 11 u + 50 u²) + 12.1 u ‖f‖₁ + 2⁻⁶² (1 + 4 u)
//! ```
//!
//! up to terms in u² D. No contact is lost: where D ≤ R, ρ ≥ D (1 + 4 u + 50 u²) + 10.4 u |f| + 2⁻⁷² is needed.
//!
//! False hits: f̂ is a point of the axis up to its rounding. So D is at most |x̂| (1 + u) + u |Δ| + 1.1 u |f| with |x̂|
//! ≤ (ρ + 2⁻⁷³) (1 + 2 u + 6 u²), a gap of at most 15 u R + 100 u² R + 14.4 u ‖f‖₁ + 2⁻⁶² (1 + 2⁻⁸), less than 16 u R +
//! 15 u ‖f‖₁ + 2⁻⁶¹. ‖f‖₁ is at most the 1-norm of the half axis.
//!
//! Measured at worst, over 2 million near-contact cases: 0.84 of that.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::error_of;
use crate::narrow::geometry::segment::Segment;
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::sphere::{Sphere, WideSphere};

/// Widening of the radius, relative to the nearest point's distance along the axis.
const WIDENING: f32 = 12.0;

impl Test<Overlaps, Capsule> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, capsule): (WideSphere<L::F>, WideCapsule<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        touches(
            lanes,
            sphere.center,
            sphere.radius + capsule.radius,
            capsule,
            margin,
        )
    }
}

/// Whether a point is within reach of the axis, given the sum of the radii.
#[inline(always)]
pub fn touches<L: Lanes>(
    lanes: L,
    point: Vec3<L::F>,
    radii: L::F,
    capsule: WideCapsule<L::F>,
    margin: L::F,
) -> HitMask<L::M> {
    let offset = point - capsule.center;
    let nearest = Segment::new(lanes, capsule.half_axis).nearest(offset);
    let apart = offset - nearest;
    let reach = radii + margin;
    let error = error_of(lanes, reach) + nearest.abs().sum() * lanes.units(WIDENING);
    let reach = reach + error;
    HitMask(apart.dot(apart).le(reach * reach))
}
