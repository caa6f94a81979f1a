//! Steps of a box that turns towards a plane or a half-space.
//!
//! The one axis is the normal n, which does not turn. The center's height is linear in time; each half extent
//! reaches |n·Aₖ| times as far, which bends by |n| ω² at most.
//!
//! # Error bound
//!
//! In terms of `extent`, S, W and |n| times the half extents and the margin: the height is off by 5 u of S and
//! 5.5 u of W, the reach by 44 + 3 u and 4 u of its sum: less than 150 u of all.

use super::extent;
use super::march::{Found, Gaps, MotionOf, Step, apart, bend, directed, length, taken_off};
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{Obb, PlaneLanes, TurningLanes};

/// The sum of all lengths, in units of the scaled normal.
#[inline(always)]
pub fn size<L: Lanes>(
    obb: MotionOf<Obb, L>,
    plane: PlaneLanes<L::F>,
    v: Vec3<L::F>,
    margin: L::F,
) -> L::F {
    let (_, height) = extent::height(obb.start.center, plane);
    let [x, y, z] = plane.normal.0;
    let [a, b, c] = v.0;
    let way = (x * a).abs() + (y * b).abs() + (z * c).abs();
    height + way + (obb.start.half_extents.sum() + margin) * plane.length
}

/// Looks at a step. `v` is the motion relative to the plane.
#[inline(always)]
pub fn step<L: Lanes, const SOLID: bool>(
    lanes: L,
    obb: TurningLanes<L::F>,
    plane: PlaneLanes<L::F>,
    v: Vec3<L::F>,
    step: Step<L::F>,
) -> Found<L> {
    let n = plane.normal;
    let (height, _) = extent::height(obb.start.center, plane);
    let climb = n.dot(v);
    let [hx, hy, hz] = obb.start.half_extents.0;
    let margin = step.margin * plane.length;
    let error = taken_off(lanes, step.size);
    let mut ends = [height; 2];
    let mut reaches = [margin; 2];
    let mut k = 0;
    while k < 2 {
        let time = if k == 0 { step.from } else { step.to };
        let [x, y, z] = n.along(obb.axes_at(lanes, time));
        ends[k] = height + climb * time;
        reaches[k] = (hx * x.abs() + hy * y.abs() + hz * z.abs()) + margin;
        k += 1;
    }
    // A plane is apart from what is on either side.
    let [from, to] = if const { SOLID } {
        ends
    } else {
        [ends[0].abs(), directed(lanes, ends[0], ends[1])]
    };
    let (start, end) = (from - reaches[0], to - reaches[1]);
    let near = start.le(step.tolerance * plane.length);

    let turn = length(obb.turn);
    let rest = bend(lanes, step) * (turn * turn * (obb.start.half_extents.sum() * plane.length));
    let speed = (climb.abs() + turn * obb.start.radius * plane.length) / plane.length;
    Gaps::new(lanes)
        .and(lanes, [start - error, end - error], rest)
        .found(lanes, near, apart(lanes, step, speed))
}
