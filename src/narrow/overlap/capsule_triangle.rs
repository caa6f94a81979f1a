//! Capsule-triangle overlap: a capsule is a sphere swept along its axis, so this is the sweep of
//! [`rounded_triangle`](crate::narrow::geometry::rounded_triangle) along the axis.
//!
//! Source, degenerate cases and error bound: as there, with twice the half axis d for the displacement. The start of the axis
//! rounds once more in the frame: 1.8 u (r + L), which the widening has to spare. False hits have a gap of at most
//! 136 u r + 256 u L + 328 u ‖d‖₁ + 2⁻⁶⁰.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Lanes, Vec3};
use crate::narrow::geometry::rounded_triangle::{PointInFrame, RoundedTriangle, WithinReach};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Overlaps, Triangle> for Capsule {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (capsule, triangle): (WideCapsule<L::F>, WideTriangle<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let offset = capsule.center - triangle.corner;
        let axes = triangle.axes();
        let center = Vec3(offset.along(axes));
        let half_axis = Vec3(capsule.half_axis.along(axes));
        let reach = capsule.radius + margin;
        let length = capsule.half_axis.abs().sum();
        let triangle = RoundedTriangle::new(lanes, triangle, reach, length + length);
        let axis = PointInFrame {
            at: center - half_axis,
            v: half_axis + half_axis,
        };
        HitMask(lanes.call::<WithinReach>((axis, triangle)).hit)
    }
}
