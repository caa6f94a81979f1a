//! Does a ball touch a box in any orientation?
//!
//! The center is turned into the frame of the box, where it is `outside` by |Tₖ| − hₖ on each axis, or
//! not at all; the ball touches when the squared distance is at most the squared radius.
//!
//! Source: J. Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990, as in
//! M. Gomez, "Simple Intersection Tests for Games", Gamasutra, 18 October 1999, listing 5.
//! Departures: relative to the box's center, so that nothing rounds in proportion to the place in the
//! world; the radius is widened so that rounding loses no contact.
//!
//! Degenerate cases: points, segments and rectangles are boxes; a radius of zero is a point.
//!
//! # Error bound
//!
//! With Δ the offset of the centers, Tₖ = Δ·Aₖ errs by (η + 4 u) ‖Δ‖₁: the axis by η ([`AXIS_ERROR`]),
//! Δ once, the dot product three times. Over three axes that moves the point by √3 (η + 4 u) ‖Δ‖₁,
//! less than 25 u ‖Δ‖₁, which the radius is widened by; the rest is as of two balls
//! (`sphere_sphere_overlap`). False hits have a gap of at most 52 u ‖Δ‖₁ + 14 u (r + margin) + 2⁻⁶¹.
//!
//! Measured at worst, over 300 000 near-contact cases: 0.56 of that.

use super::Contact;
use super::rounding::{U, error_of};
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{AXIS_ERROR, ObbLanes, SphereLanes};

/// Added to the radius, relative to the offset of the centers: above √3 (η + 4 u).
const WIDENING: f32 = (1.75 * (AXIS_ERROR + 4.0) + 1.0) * U;

#[inline(always)]
pub fn test<L: Lanes>(
    lanes: L,
    sphere: SphereLanes<L::F>,
    obb: ObbLanes<L::F>,
    margin: L::F,
) -> Contact<L::M> {
    let zero = lanes.splat(0.0);
    let offset = sphere.center - obb.center;
    let [hx, hy, hz] = obb.half_extents.0;
    let outside = Vec3([
        (offset.dot(obb.axes[0]).abs() - hx).max(zero),
        (offset.dot(obb.axes[1]).abs() - hy).max(zero),
        (offset.dot(obb.axes[2]).abs() - hz).max(zero),
    ]);
    let reach = sphere.radius + margin;
    let error = error_of(lanes, reach) + offset.abs().sum() * lanes.splat(WIDENING);
    let reach = reach + error;
    Contact(outside.dot(outside).le(reach * reach))
}

#[cfg(test)]
mod tests {
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};
    use crate::{Obb, Sphere};

    fn ball(x: f32, y: f32, z: f32, radius: f32) -> Sphere {
        Sphere {
            center: [x, y, z],
            radius,
        }
    }

    #[test]
    fn the_box_is_turned() {
        // An eighth of a turn about z: an edge points along x, √2 from the center.
        let rotation = [0.0, 0.0, 0.382_683_43, 0.923_879_5];
        let turned = Obb {
            center: [10., 0., 0.],
            half_extents: [1.; 3],
            rotation,
        };
        for (x, answer) in [(1.5857, Miss), (1.5859, Hit), (10.0, Hit), (18.4143, Miss)] {
            assert_eq!(overlap(ball(x, 0., 0., 7.0), turned), answer, "{x}");
            assert_eq!(overlap(turned, ball(x, 0., 0., 7.0)), answer, "{x}");
        }
        assert_eq!(
            overlap_with_margin(ball(1.4, 0., 0., 7.0), turned, 0.2),
            Hit
        );
    }

    #[test]
    fn a_corner_is_a_point() {
        let straight = Obb {
            half_extents: [1., 2., 3.],
            ..Obb::default()
        };
        assert_eq!(overlap(ball(2., -4., 5., 3.0), straight), Hit);
        assert_eq!(overlap(ball(2., -4., 5., 2.999), straight), Miss);
    }
}
