//! Sphere-capsule sweep: the time interval in which the center is within reach of the capsule's axis.
//!
//! In the frame of the capsule the center is a moving point against [`rounded_segment`](crate::narrow::geometry::rounded_segment). Its
//! reach is R, both radii and the margin.
//!
//! Source: as there.
//!
//! Degenerate cases: as there; without relative motion the test is that of the start.
//!
//! # Error bound
//!
//! Let Δ be the exact offset of the centers, h the half axis, v the exact relative displacement. Δ and v are rounded
//! once, Δ ∓ h once more. At a time t of contact |Δ| ≤ R + |h| + |v|, and |Δ ∓ h| ≤ R + |v| for the sphere that is
//! touched. So at t the point is off by u R + u |h| + 2 u |v|, and by u R + u |v| more for a sphere. By (1), (3) and σ
//! of `rounded_segment` this is needed, in addition to 2⁻⁶²:
//!
//! ```text
//! cylinder                   13.7 u R + 2.4 u |h| + 15.9 u |v|
//! spheres                    10.4 u R + 1.1 u |h| + 12.4 u |v|
//! spheres, near a cylinder   15.6 u R + 10.3 u |h| + 22.1 u |v|          σ = 5.2 u R + 9.2 u |h| + 9.7 u |v|
//! ```
//!
//! The reach is widened by 19 u R, 12 u ‖h‖₁, 23 u ‖v‖₁ and 2⁻⁶². R carries 2 roundings, ‖h‖₁ and ‖v‖₁ 3, the
//! terms up to 4 more, ρ one: 15.9 u R + 11.9 u ‖h‖₁ + 22.9 u ‖v‖₁ + 2⁻⁶² (1 − 5 u) remain at least, and 22.1
//! u R + 12.1 u ‖h‖₁ + 23.1 u ‖v‖₁ + 2⁻⁶² (1 + 5 u) at most. So no contact is lost, and times enclose.
//!
//! False hits and claimed times: by (2) and (4) the point is at most R + 35.9 u R + 14.6 u ‖h‖₁ + 39.1 u ‖v‖₁
//! + 2⁻⁶² across, and σ past the end, so in all 37 u R + 18 u ‖h‖₁ + 41 u ‖v‖₁ + 2⁻⁶¹ more than R away.
//!
//! A hit of the overlap kernel is a hit at the start: the same arithmetic decides, with a reach that is no less.
//!
//! Measured at worst, over 1 million near-contact cases: 0.70 of the band.

use crate::driver::load::Separate;
use crate::driver::source::{Deferred, Test, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::{FLOOR, U};
use crate::narrow::geometry::rounded_segment::{Beside, ContactSpan, PointMotion, SegmentAxis};
use crate::narrow::geometry::segment::Segment;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::form::WideMoving;
use crate::shapes::sphere::{Sphere, WideSphere};

/// Widening of the reach, relative to itself.
const WIDENING: f32 = 19.0 * U;
/// Widening of the reach, relative to the half axis: at least that of `sphere_capsule_overlap`.
const WIDENING_BY_AXIS: f32 = 12.0 * U;
/// Widening of the reach, relative to the displacement.
const WIDENING_BY_MOTION: f32 = 23.0 * U;

impl Test<Sweeps, Capsule> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, capsule): (
            WideMoving<WideSphere<L::F>, L::F>,
            WideMoving<WideCapsule<L::F>, L::F>,
        ),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let v = sphere.displacement - capsule.displacement;
        let (sphere, capsule) = (sphere.start, capsule.start);
        meets(
            lanes,
            (sphere.center, v),
            sphere.radius + capsule.radius,
            capsule,
            margin,
        )
    }
}

/// Time interval in which a point that moves by `v` relative to the capsule is within reach of its axis, given the sum
/// of the radii.
#[inline(always)]
pub fn meets<L: Lanes>(
    lanes: L,
    (point, v): (Vec3<L::F>, Vec3<L::F>),
    radii: L::F,
    capsule: WideCapsule<L::F>,
    margin: L::F,
) -> impl Deferred<L, Answer = TimeRange<L>> {
    let zero = lanes.splat(0.0);
    let offset = point - capsule.center;
    let half_axis = capsule.half_axis;
    let reach = radii + margin;
    let error = (reach * lanes.splat(WIDENING) + lanes.splat(FLOOR))
        + (half_axis.abs().sum() * lanes.splat(WIDENING_BY_AXIS)
            + v.abs().sum() * lanes.splat(WIDENING_BY_MOTION));
    let reach = reach + error;
    let reach_sq = reach * reach;

    let apart = offset - Segment::new(lanes, half_axis).nearest(offset);
    let start = ContactSpan {
        hit: apart.dot(apart).le(reach_sq),
        from: zero,
        to: zero,
    };
    let motion = PointMotion::new(lanes, v);
    let ends = motion
        .within(lanes, offset - half_axis, reach_sq)
        .or(lanes, motion.within(lanes, offset + half_axis, reach_sq));
    let between =
        Beside::new(lanes, SegmentAxis::new(lanes, half_axis), v).within(lanes, offset, reach_sq);
    start.or(lanes, ends).or(lanes, between)
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{sphere, sweep};
    use phalanx::{Capsule, MAX_LENGTH, Sphere};

    /// From (1, 0, 0) to (1, 8, 0).
    const POST: (Capsule, [f32; 3]) = (Capsule::between([1., 0., 0.], [1., 8., 0.], 1.0), [0.0; 3]);

    #[test]
    fn sphere_passing_the_side_hits() {
        let moving = (sphere(-7., 4., 0., 1.), [16., 0., 0.]);
        assert_eq!(sweep(moving, POST), When(0.375, 0.625));
        assert_eq!(sweep(POST, moving), When(0.375, 0.625));
        let still = (moving.0, [0.0; 3]);
        assert_eq!(sweep(still, (POST.0, [-16., 0., 0.])), When(0.375, 0.625));
        // Beside the axis, by 1.2 and 1.6.
        let beside = |z| (sphere(-7., 4., z, 1.), [16., 0., 0.]);
        assert_eq!(sweep(beside(1.2), POST), When(0.4, 0.6));
        assert_eq!(sweep(beside(2.001), POST), Miss);
    }

    #[test]
    fn ends_are_rounded() {
        let across = |y| (sphere(-7., y, 0., 1.), [16., 0., 0.]);
        for y in [9.2, -1.2] {
            assert_eq!(sweep(across(y), POST), When(0.4, 0.6), "{y}");
        }
        assert_eq!(sweep(across(10.001), POST), Miss);
        // Straight to an end, out of the other end, and back.
        let down = |x, travel: f32| (sphere(x, 4. + travel, 0., 1.), [0., -2. * travel, 0.]);
        assert_eq!(sweep(down(1., 12.), POST), When(0.25, 0.75));
        assert_eq!(sweep(down(1., -12.), POST), When(0.25, 0.75));
        assert_eq!(sweep(down(2.2, 8.), POST), When(0.15, 0.85));
        assert_eq!(sweep(down(3.001, 8.), POST), Miss);
    }

    #[test]
    fn enters_at_an_end_and_exits_at_the_side() {
        // At (1, 10), where the end is touched, and at (3, 6).
        let moving = (sphere(0., 12., 0., 1.), [4., -8., 0.]);
        assert_eq!(sweep(moving, POST), When(0.25, 0.75));
        let back = (sphere(4., 4., 0., 1.), [-4., 8., 0.]);
        assert_eq!(sweep(back, POST), When(0.25, 0.75));
    }

    #[test]
    fn contacts_outside_the_frame_miss() {
        let to_side = |x: f32, travel| (sphere(x, 4., 0., 1.), [travel, 0., 0.]);
        assert_eq!(sweep(to_side(-5., 3.9), POST), Miss);
        assert_eq!(sweep(to_side(-5., -9.), POST), Miss);
        assert_eq!(sweep(to_side(-5., 4.), POST), When(1., 1.));
        assert_eq!(sweep(to_side(1., 4.), POST), When(0., 0.5));
        assert_eq!(sweep(to_side(1., 1.), POST), When(0., 1.));
    }

    #[test]
    fn zero_motion_of_either_sign_agrees() {
        for zero in [0.0, -0.0] {
            for (x, y) in [(3., 4.), (1., 10.), (1., -2.), (1., 4.)] {
                let still = (sphere(x, y, 0., 1.), [zero; 3]);
                assert_eq!(sweep(still, POST), When(0., 1.), "{x} {y}");
            }
            for (x, y) in [(3.001, 4.), (1., 10.001), (2.5, 9.5)] {
                let still = (sphere(x, y, 0., 1.), [zero; 3]);
                assert_eq!(sweep(still, POST), Miss, "{x} {y}");
            }
        }
        let motion = [3., -4., 5.];
        let with = (POST.0, motion);
        assert_eq!(sweep((sphere(3., 4., 0., 1.), motion), with), When(0., 1.));
        assert_eq!(sweep((sphere(4., 4., 0., 1.), motion), with), Miss);
    }

    #[test]
    fn axis_of_any_length() {
        // Zero, subnormal, and with a square that underflows.
        for length in [0.0, 1e-45, 1e-40, 1e-30, 1e-7] {
            let capsule = Capsule {
                half_axis: [length, 0., -length],
                radius: 1.0,
                ..Capsule::default()
            };
            let still = (capsule, [0.0; 3]);
            let moving = (sphere(-8., 0., 0., 1.), [16., 0., 0.]);
            assert_eq!(sweep(moving, still), When(0.375, 0.625), "{length:e}");
            let beside = (sphere(-8., 2.001, 0., 1.), [16., 0., 0.]);
            assert_eq!(sweep(beside, still), Miss, "{length:e}");
        }
        let far = MAX_LENGTH;
        let long = Capsule {
            half_axis: [far; 3],
            ..Capsule::default()
        };
        let across = (sphere(far, -far, 0., 0.), [-far, far, 0.]);
        assert_eq!(sweep(across, (long, [far, -far, 0.])), When(0.5, 0.5));
        assert_eq!(sweep(across, (long, [-far, far, 0.])), Miss);
    }

    #[test]
    fn slow_motion_and_invalid_values() {
        let slow = [1e-45, 0., -1e-40];
        assert_eq!(sweep((sphere(3.5, 4., 0., 1.), slow), POST), Miss);
        assert_eq!(sweep((sphere(2.5, 4., 0., 1.), slow), POST), When(0., 1.));
        assert_eq!(
            sweep((sphere(2.5, 4., 0., 1.), [f32::NAN, 0., 0.]), POST),
            Invalid
        );
        let bad = Capsule {
            half_axis: [0., f32::INFINITY, 0.],
            ..POST.0
        };
        assert_eq!(sweep((sphere(2.5, 4., 0., 1.), slow), (bad, slow)), Invalid);
    }
}
