//! Distance of a bounded shape from a plane or a half-space: the distance of its lowest point.
//!
//! The lowest point is the lowest point of the core, moved down by the radius. For a plane, down is away from the side
//! of the center, and the shape touches the plane if it has points on both sides.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.2.2 and 5.2.3. Departure: bounds instead of one number.
//!
//! # Error bound
//!
//! S is Σ |nᵢ pᵢ| + |d| for a normal n of length 1, the size of the core and the radius. The height of the anchor rounds by 5 u of it,
//! reach and radii as in [`distance::search`](crate::narrow::distance::search), the length of n by 3 u of all: below the constants there. An AABB's anchor rounds by u
//! of its coordinates, which are in S. `overlap` has a band of 48 u S at most, with triangles 200 u S.

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, are_settled, bounds};
use crate::narrow::geometry::core::{Core, Solid};
use crate::shapes::plane::Surface;
use crate::shapes::shape::Shape;

impl<A: Solid, B: Surface> DistanceKernel<B> for A
where
    B: Shape,
{
    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: A::Wide<L::F>, b: B::Wide<L::F>) -> DistanceBounds<L> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let plane = B::plane(b);
        let [low, high] = A::ends(a);
        let (core, radius) = (A::core(lanes, a), A::radius(lanes, a));
        let anchor = (low + high) * lanes.splat(0.5);
        let normal = plane.normal * (one / plane.length);
        let d = plane.d / plane.length;
        let [x, y, z] = [
            normal.0[0] * anchor.0[0],
            normal.0[1] * anchor.0[1],
            normal.0[2] * anchor.0[2],
        ];
        let height = x + y + z + d;
        let size = (x.abs() + y.abs() + z.abs() + d.abs()) + (core.size(lanes) + radius);

        let center = core.center(lanes);
        let is_below = (height + center.dot(normal)).lt(zero);
        // The direction from the shape to the surface.
        let side = if const { B::IS_SOLID } {
            lanes.splat(-1.0)
        } else {
            one.select(is_below, lanes.splat(-1.0))
        };
        let down = normal * side;
        let reach = core.reach(lanes, down) + radius;
        let gap = -(height * side) - reach;

        let lowest = core.farthest(lanes, down);
        let lowest_height = -((height + lowest.dot(normal)) * side);
        // A point of the shape in the surface, if one exists.
        let apart = lowest_height.max(zero);
        let from_core = radius.min(apart);
        let apart = apart - from_core;
        let bounds = bounds(lanes, [gap, apart], size, A::Core::<L::F>::IS_TRIANGLE);
        let at = lowest + down * from_core;
        // A core that crosses a plane: the intersection of the plane with the segment from the center to the lowest point.
        let depth = (-lowest_height).max(zero);
        let way = center - lowest;
        let rise = -(way.dot(down));
        let share = (depth / rise).min(one).max(zero);
        let at = if const { B::IS_SOLID } {
            at
        } else {
            at + way * share
        };
        DistanceBounds {
            lower: bounds[0],
            upper: bounds[1],
            points: [at - center, at + down * apart - center],
            offset: Vec3([zero; 3]),
            settled: are_settled(lanes, bounds, size, A::Core::<L::F>::IS_TRIANGLE),
        }
    }
}
