//! Point-triangle sweep, or ray cast against a triangle: five slabs in the frame of the triangle.
//!
//! The point is inside while it is between the ends of the longest edge along it, between the edge and the third corner
//! across it, on the inner side of the other two edges, and in the plane. A margin moves each of these bounds outwards,
//! which makes the triangle a prism; for a margin equal in all directions, use a `Sphere` of that radius.
//!
//! Source: T. Kay and J. Kajiya, "Ray Tracing Complex Scenes", SIGGRAPH 1986, for slabs; the frame is that of
//! [`WideTriangle`]. Departures: a ray ends at its displacement and may lie in the plane; slabs are widened so that
//! rounding loses no contact, so a ray through an edge shared by two triangles hits both; no NaN is ever returned.
//!
//! Degenerate cases: a flat triangle is a segment or a point, with the slabs of a thin rod.
//!
//! # Error bound
//!
//! s is the exact offset of the point from the corner P, v the exact relative displacement, σ = ‖s‖₁ + ‖v‖₁, L the length
//! of the longest edge. Axes are the floats at hand. At each time a coordinate rounds by 4.1 u σ: a difference and a dot
//! product, of s and of v. N is computed alike here and in the bounds of [`WideTriangle`].
//!
//! *No contact is lost.* A point of the exact triangle is a convex combination of its corners, whose coordinates are within
//! 4.2 u L, 42.2 u L and 46 u L of those in the frame, or of zero, along T, B and N; `foot` is at least −12 u L. So
//! the first three ranges have to be wider by 46 u L + 4.1 u σ. The inner side of an edge is m·(x, y) ≥ 0, with m the
//! rounded products of `over_sides`. Corners on the edge have |m·(x, y)| ≤ 43.5 u L, or 44.5 u L from the end of the
//! longest edge, the third corner more than −16 u L; m·(x, y) rounds by 8.8 u σ. Statement (3) of `slab` takes 2 u |v|
//! of a coordinate, 2.9 u σ of m·v. All are widened by the same: 56 u L + 16 u σ + margin (1 + 8 u) + 2⁻⁶².
//!
//! *No spikes.* The longest edge has acute angles at both ends, and at least 60° at the third corner. A point that is out of
//! none of the four bounds in the plane by more than e is within √2 e of the triangle: beyond an edge within e; beyond a
//! corner in the cone of the normals of two bounds, in which lies the normal of a third one, at most 90° from either.
//! With the height that is √3 e.
//!
//! *False hits*, and gaps at all claimed times: coordinates err as above, and corners are 63 u L away from the frame's. So
//! gaps are at most √3 (56 u L + 31 u σ + margin) + 63 u L: 160 u L + 54 u σ + 0.74 margin + 2⁻⁶⁰ beyond the margin.
//!
//! A hit of the overlap kernel is one at time 0, by (5) of `slab`: its ranges are narrower.

use crate::driver::source::{BothMoving, Deferred, Separate, Test, TimeRange};
use crate::lane::{Float, Lanes};
use crate::narrow::geometry::slab::{Slab, times_by_reciprocal, triangle_slabs};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::point::{Point, WidePoint};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Sweeps, Triangle> for Point {
    type Load = Separate;
    const IS_LONG: bool = true;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (point, triangle): BothMoving<WidePoint<L::F>, WideTriangle<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        let offset = point.start.position - triangle.start.corner;
        let v = point.displacement - triangle.displacement;
        PrismSlabs(triangle_slabs(lanes, offset, v, triangle.start, margin))
    }
}

/// The slabs, before the divisions.
#[derive(Clone, Copy)]
struct PrismSlabs<F>([Slab<F>; 5]);

impl<L: Lanes> Deferred<L> for PrismSlabs<L::F> {
    type Answer = TimeRange<L>;
    const PIPELINED: bool = false;

    #[inline(always)]
    fn finish(self, lanes: L) -> TimeRange<L> {
        let mut frame = (lanes.splat(0.0), lanes.splat(1.0));
        let mut k = 0;
        while k < 5 {
            let Slab { low, high, v } = self.0[k];
            frame = times_by_reciprocal(lanes, low, high, v, frame);
            k += 1;
        }
        let (enter, exit) = frame;
        TimeRange {
            hit: enter.le(exit),
            enter,
            exit,
        }
    }
}
