//! Sphere-triangle overlap: the distance of the center from the triangle, in the frame of the triangle.
//!
//! The squared distance is the squared height plus the squared distance in the plane, which is zero over the triangle
//! and otherwise the least squared distance from an edge.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5. Departures: all edges and the inside are tried instead of
//! one Voronoi region, so that a wrongly rounded sign costs no more than its own error; in the frame of
//! [`WideTriangle`], so that thin triangles lose nothing; the radius is widened so that rounding loses no contact.
//!
//! Degenerate cases: a flat triangle is a segment, or a point.
//!
//! # Error bound
//!
//! R is the radius with the margin, L the length of the longest edge, D the exact distance. Where D ≤ R, or a hit is claimed,
//! the exact offset of the center from P has |s| ≤ R + L within some u.
//!
//! - Corners in the frame are 63 u L away from the exact ones, so distances from both triangles differ by no more.
//! - Axes are of length 1 within 7 u, at angles off by 7 u: a length R in the frame is off by 13 u, a place in it by 10 u L.
//! - Coordinates round by 4.1 u |s| each, in all 7.1 u (R + L).
//! - The nearest point of an edge: direction, projection and remainder round by 14 u (R + L), and where it is clamped the end
//!   of the edge by 4 u L.
//! - Signs over the inside err by 6 u (R + L). If one is wrong, the center is no further beyond that edge.
//! - Squares, sums and the comparison round by 4 u R.
//!
//! In all 45 u R + 105 u L. The radius is widened by 48 u R + 112 u L + 2⁻⁶², so no contact is lost, and false hits have a
//! gap of at most 96 u R + 224 u L + 2⁻⁶⁰.

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes};
use crate::math::rounding::FLOOR;
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::sphere::{Sphere, WideSphere};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Overlaps, Triangle> for Sphere {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (sphere, triangle): (WideSphere<L::F>, WideTriangle<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let radius = sphere.radius + margin;
        let offset = sphere.center - triangle.corner;
        let axes = triangle.axes();
        let [x, y, z] = offset.along(axes);
        let in_plane = distance_squared(lanes, x, y, triangle);
        let reach = radius
            + (radius * lanes.units(48.0)
                + triangle.length * lanes.units(112.0)
                + lanes.splat(FLOOR));
        HitMask((z * z + in_plane).le(reach * reach))
    }
}

/// Squared distance of a point in the plane of the triangle.
#[inline(always)]
fn distance_squared<L: Lanes>(lanes: L, x: L::F, y: L::F, triangle: WideTriangle<L::F>) -> L::F {
    let WideTriangle {
        length,
        foot,
        height,
        ..
    } = triangle;
    let zero = lanes.splat(0.0);
    let rest = length - foot;
    let [[run_first, rise_first], [run_second, rise_second]] = triangle.sides();

    let along = x - x.max(zero).min(length);
    let base = along * along + y * y;
    let first = beside(lanes, (x, y), (run_first, rise_first), (foot, height));
    let second = beside(
        lanes,
        (length - x, y),
        (run_second, rise_second),
        (rest, height),
    );
    let nearest = base.min(first).min(second);
    // A flat triangle has no inside.
    let is_over = zero.lt(height)
        & zero.le(y)
        & (run_first * y).le(rise_first * x)
        & (run_second * y).le(rise_second * (length - x));
    zero.select(is_over, nearest)
}

/// Squared distance of a point from the segment between the origin and `end`, in the direction of a unit vector.
#[inline(always)]
fn beside<L: Lanes>(
    lanes: L,
    (x, y): (L::F, L::F),
    (run, rise): (L::F, L::F),
    (end_x, end_y): (L::F, L::F),
) -> L::F {
    let length = end_x * run + end_y * rise;
    let at = (x * run + y * rise).max(lanes.splat(0.0)).min(length);
    let (x, y) = (x - run * at, y - rise * at);
    x * x + y * y
}
