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

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, HitMask, Test};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::{U, error_of};
use crate::narrow::geometry::segment::Segment;
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::sphere::{Sphere, WideSphere};

/// Widening of the radius, relative to the nearest point's distance along the axis.
const WIDENING: f32 = 12.0 * U;

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
    let error = error_of(lanes, reach) + nearest.abs().sum() * lanes.splat(WIDENING);
    let reach = reach + error;
    HitMask(apart.dot(apart).le(reach * reach))
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{overlap, overlap_with_margin, sphere};
    use phalanx::{Capsule, Sphere};

    /// From (1, 0, 0) to (1, 8, 0).
    const POST: Capsule = Capsule::between([1., 0., 0.], [1., 8., 0.], 1.0);

    #[test]
    fn side_and_both_ends() {
        for (x, y, answer) in [
            // Beside the axis.
            (4.0, 3.0, Hit),
            (4.001, 3.0, Miss),
            (-2.0, 7.0, Hit),
            // Past an end, straight and obliquely: (3, 4, 5) and (5, 12, 13).
            (1.0, 11.0, Hit),
            (1.0, 11.001, Miss),
            (1.0, -3.0, Hit),
            (1.0, -3.001, Miss),
            (2.8, 10.4, Hit),
            (2.81, 10.4, Miss),
        ] {
            assert_eq!(overlap(sphere(x, y, 0., 2.0), POST), answer, "{x} {y}");
            assert_eq!(overlap(POST, sphere(x, y, 0., 2.0)), answer, "{x} {y}");
        }
        assert_eq!(
            overlap_with_margin(sphere(4.5, 3., 0., 2.0), POST, 0.5),
            Hit
        );
        assert_eq!(
            overlap_with_margin(sphere(4.51, 3., 0., 2.0), POST, 0.5),
            Miss
        );
    }

    #[test]
    fn axis_of_any_length() {
        // Zero, subnormal, and with a square that underflows.
        for length in [0.0, 1e-45, 1e-30, 1e-4] {
            let capsule = Capsule {
                half_axis: [0., 0., -length],
                radius: 1.0,
                ..Capsule::default()
            };
            assert_eq!(
                overlap(sphere(3., 0., length, 2.0), capsule),
                Hit,
                "{length:e}"
            );
            assert_eq!(
                overlap(sphere(3.001, 0., length, 2.0), capsule),
                Miss,
                "{length:e}"
            );
        }
        let long = Capsule {
            half_axis: [0., 1e18, 0.],
            ..Capsule::default()
        };
        assert_eq!(overlap(sphere(1e17, -1e18, 0., 1e17), long), Hit);
        assert_eq!(overlap(sphere(1.01e17, -1e18, 0., 1e17), long), Miss);
        assert_eq!(overlap(sphere(0., 1.11e18, 0., 1e17), long), Miss);
        let point = Capsule::default();
        assert_eq!(overlap(sphere(0., 0., 0., 0.), point), Hit);
        assert_eq!(overlap(sphere(0., 1e-6, 0., 0.), point), Miss);
    }

    #[test]
    fn invalid_capsules_are_flagged() {
        for half_axis in [
            [f32::NAN, 0., 0.],
            [0., 2e18, 0.],
            [0., 0., f32::NEG_INFINITY],
        ] {
            let bad = Capsule { half_axis, ..POST };
            assert_eq!(overlap(sphere(0., 0., 0., 1.), bad), Invalid);
        }
        let bad = Capsule {
            radius: -1.0,
            ..POST
        };
        assert_eq!(overlap(bad, sphere(0., 0., 0., 1.)), Invalid);
    }
}
