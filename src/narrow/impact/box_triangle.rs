//! OBB-triangle time of impact: conservative advancement along the thirteen separating axes.
//!
//! The axes are those of [`box_triangle`](crate::narrow::geometry::box_triangle). The search ([`advance`](crate::narrow::impact::advance)) is bracketed by a
//! sweep of the OBB's bounding sphere against the triangle. The triangle does not rotate; the box grows by the margin.
//!
//! With A the axes of the box, c its center, x the offset from c of a point of the triangle, p that of a point of the box, n
//! the triangle's normal, q the direction of one of its edges, ω the rotation vector and v the relative displacement, the
//! curvature bounds of a step come from
//!
//! ```text
//! axis                                       second derivative, at most
//! Aᵢ        turns    Aᵢ·x                    ω (ω |x| + 2 |v|)
//!                    Aᵢ·p                    0
//! Aᵢ × q    turns    (Aᵢ × q)·x              ω (ω |x| + 2 |v|)
//!                    (Aᵢ × q)·p              ω² |p|, of p the part across Aᵢ
//! n         fixed    n·x                     0
//!                    n·p                     ω² |p|
//! ```
//!
//! Take a contact at a time of the step, of the point x of the triangle and p of the box. On the side that the start
//! determines, x − p along the axis is at least the gap, at all times of the step, and zero at the contact. It lies above its
//! chord less the curvature bound, so there the chord of the gap is at most that bound. Then |x| and |p| are equal: at most D,
//! the largest distance of a corner from c at both ends of the step, and the radius of the box. The part across Aᵢ is at most
//! the sum of the two half extents.
//!
//! The edges are unit vectors, so an error of the corners is an error of the gap, however short the edge. An edge that is
//! parallel to Aᵢ, or has no length, gives an axis of length zero, which never separates.
//!
//! # Error bound
//!
//! In terms of `advance`: η = 44 u. For S, the offset is that of the corner with the largest sum of coordinates at the
//! start, and the longest edge L is a length. The errors of the frame of the triangle are those of
//! [`WideTriangle`](crate::shapes::triangle::WideTriangle): corners 63 u L. T, B and the directions of the edges are taken exactly as
//! the floats say, as any axis may separate.
//!
//! - **Corners** in the frame of the box: η + 8 u of the distance and 3 u S for the offset, 9 u L for edges, 63 u L. Along a
//!   face, with the half extent: less than 60 u S + 76 u L.
//! - **Edges**: (Aᵢ × q)·x is (Aᵢ₁ × Aᵢ₂)·(q × x), an error of 2 η |x| for the axes. An edge in the frame of the box rounds by
//!   8 u, a corner by 5 u of the offset and 9 u L, and both √2 times in two coordinates: 19 u S + 13 u L. The corner that
//!   is not evaluated lies along the edge, within 3 u L: 67 u L with its error. So less than 113 u S + 80 u L, and 6 u more
//!   for the offset and the half extents.
//! - **Normal**: it errs by 2 u as a vector, but is any vector. 6 u S for the height, η + 6 u for half extents, corners 63 u
//!   L and 8 u L for n·q.
//!
//! As offset and edge both count, each is less than 150 u S: the largest coefficient of a length is 119.
//!
//! **The tolerance** is tested by all thirteen axes of the static shapes, with a box grown by it. By the proof of
//! `box_triangle` with η + 9 u for 12.5 u D: the float triangle is within 53 u D + 113 u L, for each axis of the box, of the
//! exact triangle. What is evaluated along an axis errs by 7 u D + 12 u L + 6 u of the half extents. So a pair that passes
//! touches once the box has grown along its axes by the tolerance and 125 u S. A pair that fails is separated by at least
//! the tolerance less 125 u S.

use crate::driver::source::{Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::geometry::box_triangle::{TriangleInBox, no_axis_separates_by};
use crate::narrow::impact::advance::{
    Advance, MotionOf, OffsetMotion, SeparationBounds, SphereSweep, Step, StepResult,
    bounding_sphere, chord_deviation, length, rounding_slack, safe_time,
};
use crate::narrow::impact::impacts::Impacts;
use crate::shapes::form::WideMoving;
use crate::shapes::obb::{Obb, WideTurning};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Impacts, Triangle> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (obb, triangle): (WideTurning<L::F>, WideMoving<WideTriangle<L::F>, L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let bounding_sphere = bounding_sphere(lanes, obb, margin);
        lanes.call::<SphereSweep<Triangle>>((bounding_sphere, triangle, lanes.splat(0.0)))
    }
}

/// The triangle in the frame of the box at one end of a step.
#[derive(Clone, Copy)]
struct TrianglePose<F> {
    place: TriangleInBox<F>,
    corners: [Vec3<F>; 3],
    /// Unit vectors: of the longest edge, and from its ends to the third corner.
    directions: [Vec3<F>; 3],
    /// Distance of P from the center along the normal, and the normal along the axes of the box.
    height: F,
    normal: Vec3<F>,
}

impl<F: Float> TrianglePose<F> {
    #[inline(always)]
    fn new(
        triangle: WideTriangle<F>,
        half_extents: Vec3<F>,
        axes: [Vec3<F>; 3],
        offset: Vec3<F>,
    ) -> Self {
        let corner = Vec3(offset.along(axes));
        let place = TriangleInBox {
            corner,
            distance: offset.abs().sum(),
            along: Vec3(triangle.along.along(axes)),
            across: Vec3(triangle.across.along(axes)),
            half_extents,
        };
        let [first, second] = place.edges(triangle);
        let [[a, b], [c, d]] = triangle.sides();
        let normal = triangle.normal();
        TrianglePose {
            place,
            corners: [corner, corner + first, corner + second],
            directions: [
                place.along,
                place.along * a + place.across * b,
                place.across * d - place.along * c,
            ],
            height: normal.dot(offset),
            normal: Vec3(normal.along(axes)),
        }
    }

    /// Interval of the triangle along a face normal of the box.
    #[inline(always)]
    fn on_face(&self, i: usize) -> [F; 2] {
        let [p, q, r] = self.corners;
        let (p, q, r) = (p.0[i], q.0[i], r.0[i]);
        [p.min(q).min(r), p.max(q).max(r)]
    }

    /// Interval of the triangle along the cross product of a box edge with an edge from corner `from`, given the corner
    /// opposite the edge, and projected half extent of the box.
    #[inline(always)]
    fn on_edges(&self, i: usize, edge: usize, h: [F; 3]) -> ([F; 2], F) {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let direction = self.directions[edge];
        let (q1, q2) = (direction.0[i1], direction.0[i2]);
        let [from, opposite] = [[0, 2], [0, 1], [1, 0]][edge];
        let (x, y) = (self.corners[from], self.corners[opposite]);
        let x = x.0[i2] * q1 - x.0[i1] * q2;
        let y = y.0[i2] * q1 - y.0[i1] * q2;
        let reach = h[i1] * q2.abs() + h[i2] * q1.abs();
        ([x.min(y), x.max(y)], reach)
    }
}

/// Gaps at both ends of the step, on the side of the box given by the start, for intervals of the triangle and half
/// extents of the box.
#[inline(always)]
fn gaps<L: Lanes>(
    lanes: L,
    [([low, high], reach), ([end_low, end_high], end_reach)]: [([L::F; 2], L::F); 2],
    more: L::F,
) -> [L::F; 2] {
    let is_above = lanes.splat(0.0).le(low + high);
    [
        low.select(is_above, -high) - (reach + more),
        end_low.select(is_above, -end_high) - (end_reach + more),
    ]
}

impl Advance<Triangle> for Obb {
    #[inline(always)]
    fn sum_of_lengths<L: Lanes>(
        _lanes: L,
        obb: MotionOf<Obb, L>,
        triangle: MotionOf<Triangle, L>,
        margin: L::F,
    ) -> L::F {
        let offset = triangle.start.corner - obb.start.center;
        let [first, second] = triangle.start.edges();
        let farthest = offset
            .abs()
            .sum()
            .max((offset + first).abs().sum())
            .max((offset + second).abs().sum());
        let travel = (triangle.displacement - obb.displacement).abs().sum();
        let extents = obb.start.half_extents.sum() + triangle.start.length;
        farthest + travel + (extents + margin)
    }

    #[inline(always)]
    fn step<L: Lanes>(
        lanes: L,
        obb: MotionOf<Obb, L>,
        triangle: MotionOf<Triangle, L>,
        step: Step<L::F>,
    ) -> StepResult<L> {
        let v = triangle.displacement - obb.displacement;
        let triangle = triangle.start;
        let offset = triangle.corner - obb.start.center;
        let offsets = [offset + v * step.from, offset + v * step.to];
        let half_extents = obb.start.half_extents;
        let axes = [obb.axes_at(lanes, step.from), obb.axes_at(lanes, step.to)];
        let start = TrianglePose::new(triangle, half_extents, axes[0], offsets[0]);
        let end = TrianglePose::new(triangle, half_extents, axes[1], offsets[1]);

        let within_tolerance =
            no_axis_separates_by(lanes, start.place, triangle, step.margin + step.tolerance);

        let [first, second] = triangle.edges();
        let mut squared = lanes.splat(0.0);
        let mut k = 0;
        while k < 2 {
            let at = offsets[k];
            let (one, two) = (at + first, at + second);
            squared = squared.max(at.dot(at)).max(one.dot(one)).max(two.dot(two));
            k += 1;
        }
        let turn = length(obb.turn);
        let offset_motion = OffsetMotion {
            chord_deviation: chord_deviation(lanes, step),
            speed: length(v),
            distance: squared.sqrt(),
        };
        let deviation = offset_motion.of_offset(turn);
        let of_reach = offset_motion.chord_deviation * (turn * turn);
        let radius = obb.start.radius + step.margin * lanes.splat(1.7321);
        // Distance of a common point from the center.
        let farthest = offset_motion.distance.min(radius);
        let grown = half_extents + Vec3([step.margin; 3]);
        let h = grown.0;
        let error = rounding_slack(lanes, step.size);

        let mut found = SeparationBounds::new(lanes);
        let mut i = 0;
        while i < 3 {
            let along = [(start.on_face(i), h[i]), (end.on_face(i), h[i])];
            found = found.add_axis(lanes, gaps(lanes, along, error), deviation);
            i += 1;
        }
        let along = [
            ([start.height; 2], grown.dot(start.normal.abs())),
            ([end.height; 2], grown.dot(end.normal.abs())),
        ];
        let normal_deviation = of_reach * farthest;
        found = found.add_axis(lanes, gaps(lanes, along, error), normal_deviation);
        let mut k = 0;
        while k < 9 {
            let (i, edge) = (k % 3, k / 3);
            let along = [start.on_edges(i, edge, h), end.on_edges(i, edge, h)];
            let across = h[(i + 1) % 3] + h[(i + 2) % 3];
            let edge_deviation = deviation + of_reach * farthest.min(across);
            found = found.add_axis(lanes, gaps(lanes, along, error), edge_deviation);
            k += 1;
        }
        let speed = offset_motion.speed + turn * radius;
        found.result(lanes, within_tolerance, safe_time(lanes, step, speed))
    }
}
