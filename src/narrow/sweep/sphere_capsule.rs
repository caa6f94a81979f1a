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

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::rounded_segment::{Beside, ContactSpan, PointMotion, SegmentAxis};
use crate::narrow::geometry::segment::Segment;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::form::WideMoving;
use crate::shapes::sphere::{Sphere, WideSphere};

/// Widening of the reach, relative to itself.
const WIDENING: f32 = 19.0;
/// Widening of the reach, relative to the half axis: at least that of `sphere_capsule_overlap`.
const WIDENING_BY_AXIS: f32 = 12.0;
/// Widening of the reach, relative to the displacement.
const WIDENING_BY_MOTION: f32 = 23.0;

impl Test<Sweeps, Capsule> for Sphere {
    type Load = Separate;
    const IS_LONG: bool = true;

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
    let error = (reach * lanes.units(WIDENING) + lanes.splat(FLOOR))
        + (half_axis.abs().sum() * lanes.units(WIDENING_BY_AXIS)
            + v.abs().sum() * lanes.units(WIDENING_BY_MOTION));
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
