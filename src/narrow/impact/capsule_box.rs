//! Capsule-OBB time of impact: conservative advancement along eight separating axes.
//!
//! The search ([`advance`](crate::narrow::impact::advance)) is bracketed by a sweep of the capsule against the OBB's bounding sphere. The
//! axes are
//!
//! - the face normals of the box, which rotate with it;
//! - the cross products of its edges with the capsule's axis; only the edges rotate;
//! - the direction between the nearest points of box and axis at the start of the step, twice. Once it rotates with the
//!   box, for an end of the axis nearest to a face; once it is fixed, for a corner nearest to the capsule's side.
//!
//! With x the offset in the frame of the box, d the half axis there and ω the rotation vector, second derivatives are
//! at most
//!
//! ```text
//! n·x   ω (ω |x| + 2 |v|)     n·d   ω² |d|     (Aₖ × d)·x   |d| ω (ω |x| + 2 |v|)     Aₖ·n   ω²  for n that does not turn
//! ```
//!
//! # Error bound
//!
//! The offset and the half axis are off by 53 u S along each axis of the box, 92 u S as a vector, and a gap rounds by
//! 10 u: less than 150 u S. The cross product of an edge and the axis is not of length 1, and errs by as much of the
//! axis, however short it is itself: 150 u S for a half axis that is less than 2 long, twice. The test against the
//! tolerance uses the distance of the box from the axis, (4) and (5) of `rounded_box`, with 2 S for W: 46 u S more.

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::geometry::rounded_box::{BoxSlab, nearest};
use crate::narrow::impact::advance::{
    Advance, MotionOf, OffsetMotion, SeparationBounds, SphereSweep, Step, StepResult,
    bounding_sphere, directed, length, rounding_slack, safe_time,
};
use crate::narrow::impact::impacts::Impacts;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{Obb, WideTurning};

impl Test<Impacts, Obb> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, obb): (WideMoving<WideCapsule<L::F>, L::F>, WideTurning<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let bounding_sphere = bounding_sphere(lanes, obb, lanes.splat(0.0));
        lanes.call::<SphereSweep<Capsule>>((bounding_sphere, capsule, margin))
    }
}

/// Capsule in the frame of a box.
#[derive(Clone, Copy)]
struct CapsulePose<F> {
    x: Vec3<F>,
    d: Vec3<F>,
}

impl<F: Float> CapsulePose<F> {
    /// This pose with its half axis scaled.
    #[inline(always)]
    fn scaled(self, scale: F) -> Self {
        CapsulePose {
            d: self.d * scale,
            ..self
        }
    }
}

impl Advance<Obb> for Capsule {
    #[inline(always)]
    fn sum_of_lengths<L: Lanes>(
        _lanes: L,
        capsule: MotionOf<Capsule, L>,
        obb: MotionOf<Obb, L>,
        margin: L::F,
    ) -> L::F {
        let offset = (capsule.start.center - obb.start.center).abs().sum();
        let travel = (capsule.displacement - obb.displacement).abs().sum();
        let extents = capsule.start.radius + obb.start.half_extents.sum();
        offset + travel + (extents + margin) + capsule.start.half_axis.abs().sum()
    }

    #[inline(always)]
    fn step<L: Lanes>(
        lanes: L,
        capsule: MotionOf<Capsule, L>,
        obb: MotionOf<Obb, L>,
        step: Step<L::F>,
    ) -> StepResult<L> {
        let v = capsule.displacement - obb.displacement;
        let offset = capsule.start.center - obb.start.center;
        let offsets = [offset + v * step.from, offset + v * step.to];
        let axes = [obb.axes_at(lanes, step.from), obb.axes_at(lanes, step.to)];
        let half_axis = capsule.start.half_axis;
        let start = CapsulePose {
            x: Vec3(offsets[0].along(axes[0])),
            d: Vec3(half_axis.along(axes[0])),
        };
        let end = CapsulePose {
            x: Vec3(offsets[1].along(axes[1])),
            d: Vec3(half_axis.along(axes[1])),
        };
        let h = obb.start.half_extents;
        let reach = capsule.start.radius + step.margin;

        let (low, high) = (start.x + h, start.x - h);
        let sides = [
            BoxSlab::new(lanes, low.0[0], high.0[0], start.d.0[0]),
            BoxSlab::new(lanes, low.0[1], high.0[1], start.d.0[1]),
            BoxSlab::new(lanes, low.0[2], high.0[2], start.d.0[2]),
        ];
        let (_, outside) = nearest(lanes, sides);
        let distance = length(outside);
        let within_tolerance = distance.le(reach + step.tolerance);

        let turn = length(obb.turn);
        let offset_motion = OffsetMotion::new(lanes, step, offsets, v);
        let deviation = offset_motion.of_offset(turn);
        // Scaled, so that no square of the half axis underflows; edge cross products have the same length.
        let scale = half_axis.abs().largest().recip_pow2();
        let scaled_long = length(half_axis * scale);
        let long = scaled_long / scale;
        let chord_deviation = offset_motion.chord_deviation * (turn * turn);
        let error = rounding_slack(lanes, step.size);
        let more = reach + error;

        let mut found = SeparationBounds::new(lanes);
        let face_deviation = deviation + chord_deviation * long;
        let mut k = 0;
        while k < 3 {
            let reaches = h.0[k] + more;
            let gaps = [
                start.x.0[k].abs() - (start.d.0[k].abs() + reaches),
                directed(lanes, start.x.0[k], end.x.0[k]) - (end.d.0[k].abs() + reaches),
            ];
            found = found.add_axis(lanes, gaps, face_deviation);
            k += 1;
        }
        let edge_deviation =
            scaled_long * deviation + (h.sum() + reach) * (chord_deviation * scaled_long);
        let error_of_edges = error * lanes.splat(2.0);
        let mut k = 0;
        while k < 3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let [from, from_reach] = across(start.scaled(scale), h, reach, i, j);
            let [to, to_reach] = across(end.scaled(scale), h, reach, i, j);
            let gaps = [
                from.abs() - (from_reach + error_of_edges),
                directed(lanes, from, to) - (to_reach + error_of_edges),
            ];
            found = found.add_axis(lanes, gaps, edge_deviation);
            k += 1;
        }

        // Nearest direction of box and axis at the start; without a direction there is no gap.
        let n = outside * (lanes.splat(1.0) / distance.max(lanes.splat(f32::MIN_POSITIVE)));
        let from = along(start, n, h, more);
        found = found.add_axis(lanes, [from, along(end, n, h, more)], face_deviation);
        let [x, y, z] = axes[0];
        let in_world = x * n.0[0] + y * n.0[1] + z * n.0[2];
        let still = Vec3(in_world.along(axes[1]));
        let to = in_world.dot(offsets[1]) - (n.dot(start.d).abs() + still.abs().dot(h) + more);
        found = found.add_axis(lanes, [from, to], chord_deviation * h.sum());
        let speed = offset_motion.speed + turn * obb.start.radius;
        found.result(lanes, within_tolerance, safe_time(lanes, step, speed))
    }
}

/// Offset along the cross product of a box edge, normal to the plane of i and j, with the capsule's axis, and the sum
/// of both projected half extents.
#[inline(always)]
fn across<F: Float>(at: CapsulePose<F>, h: Vec3<F>, radius: F, i: usize, j: usize) -> [F; 2] {
    let (di, dj) = (at.d.0[i], at.d.0[j]);
    let along = at.x.0[i] * dj - at.x.0[j] * di;
    let reach = h.0[i] * dj.abs() + h.0[j] * di.abs();
    [along, reach + (di * di + dj * dj).sqrt() * radius]
}

/// Gap along a unit vector in the frame of the box, from the box to the axis.
#[inline(always)]
fn along<F: Float>(at: CapsulePose<F>, n: Vec3<F>, h: Vec3<F>, more: F) -> F {
    n.dot(at.x) - (n.dot(at.d).abs() + n.abs().dot(h) + more)
}
