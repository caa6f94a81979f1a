//! Sphere-triangle manifold: between the center and the nearest point of the triangle.
//!
//! Three normals are tried, as in `contact::triangle`: across the face if the center is over it; towards the edge that the
//! center is farthest beyond; towards the nearest corner.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.5, for the nearest point. Departure: no region of the
//! plane is decided by a sign; normals compete by their gaps.
//!
//! # Error bound
//!
//! L is the longest edge, s the offset of the center from P, r the radius, S = ‖s‖₁ + L + r.
//!
//! - Corners are 63 u L away from those of the frame. For places in the frame the two axes in the plane are a rotation
//!   within 15 u: 15 u L. A unit vector of the frame has length 1 within 10 u: 10 u of the gap, at most |s|.
//! - Coordinates round by 7.1 u |s|, corners relative to the center by 1.5 u (|s| + L), dot products by 3 u (|s| + L).
//!   Length and quotient round by 3.5 u |s|, and the radius by 1 u.
//!
//! So the gap errs by less than 83 u L + 27 u |s| + r u, and 88 u S are taken.
//!
//! **β.** For the triangle and the center in the frame, D is the exact distance. If the nearest point is over the face, the
//! gap across it is D. If it is a corner, the direction is right within u: a loss of u (|s| + L). If it is on an edge, that
//! edge is the one with a foot that the center is farthest beyond, and its normal is right within u; `beyond` errs by e = 4 u (|s| + L).
//! That turns the normal around the edge, which loses at most e, or, if the sign is wrong, the face loses at most e. An edge or
//! a corner that rounding judges wrongly is within [`SLOP`] of the place where it is right. In all 6 u S are lost, and the
//! bias is 16 u scaled, 32 u S. With the errors 83 + 88 + 6 + 32 u S: less than 210 u S.

use crate::lane::{Float, Lanes, Vec3, splat, unit};
use crate::narrow::contact::exit::exit;
use crate::narrow::contact::manifold::{Exit, Manifold, ManifoldKernel, of_one, reported};
use crate::narrow::contact::triangle::{
    BIAS, ERRORS, FramedTriangle, PartGap, across_face, between, extent, face, in_frame,
};
use crate::narrow::geometry::frame::in_world;
use crate::narrow::geometry::gap::Gap;
use crate::shapes::sphere::{Sphere, WideSphere};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl ManifoldKernel<Triangle> for Sphere {
    const POINTS: usize = 1;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        sphere: WideSphere<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let place = SpherePlace::new(lanes, sphere, triangle);
        let touch = choose(lanes, &place);
        along(lanes, &place, touch.of.normal, margin)
    }

    const CLAMPS: bool = true;

    #[inline(always)]
    fn exit<L: Lanes>(
        lanes: L,
        a: WideSphere<L::F>,
        triangle: WideTriangle<L::F>,
        outward: Vec3<L::F>,
    ) -> Exit<L> {
        let above = <Self as ManifoldKernel<Triangle>>::above(lanes, a, triangle);
        exit::<L, Self>(lanes, a, triangle, above, outward)
    }

    #[inline(always)]
    fn face_normal<L: Lanes>(_lanes: L, triangle: WideTriangle<L::F>) -> Vec3<L::F> {
        triangle.normal()
    }

    #[inline(always)]
    fn above<L: Lanes>(
        _lanes: L,
        sphere: WideSphere<L::F>,
        triangle: WideTriangle<L::F>,
    ) -> Vec3<L::F> {
        sphere.center - triangle.corner
    }

    #[inline(always)]
    fn manifold_along<L: Lanes>(
        lanes: L,
        sphere: WideSphere<L::F>,
        triangle: WideTriangle<L::F>,
        margin: L::F,
        normal: Vec3<L::F>,
    ) -> Manifold<L::F> {
        let place = SpherePlace::new(lanes, sphere, triangle);
        let normal = in_frame(lanes, normal, place.axes);
        along(lanes, &place, normal, margin)
    }
}

/// Sphere in the frame of a triangle, scaled.
#[derive(Clone, Copy)]
pub struct SpherePlace<F: Float> {
    triangle: FramedTriangle<F>,
    axes: [Vec3<F>; 3],
    /// Center of the sphere relative to P.
    center: Vec3<F>,
    /// Sum of all lengths, not scaled.
    size: F,
    scale: F,
    radius: F,
}

impl<F: Float> SpherePlace<F> {
    #[inline(always)]
    fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        sphere: WideSphere<F>,
        triangle: WideTriangle<F>,
    ) -> Self {
        let offset = sphere.center - triangle.corner;
        let size = offset.abs().sum() + triangle.length + sphere.radius;
        let scale = size.recip_pow2();
        let axes = triangle.axes();
        SpherePlace {
            triangle: FramedTriangle::new(lanes, triangle, scale),
            axes,
            center: Vec3((offset * scale).along(axes)),
            size,
            scale,
            radius: sphere.radius,
        }
    }
}

/// Normal in the frame of the triangle, from the sphere to the triangle, and the feature that it leads to.
#[inline(always)]
pub fn choose<L: Lanes>(lanes: L, place: &SpherePlace<L::F>) -> PartGap<L::F> {
    let [x, y, z] = place.center.0;
    let bias = lanes.units(BIAS);
    let parts = place.triangle.nearest(lanes, x, y);
    let corners = place.triangle.corners(lanes, x, y);
    let ([ex, ey], [cx, cy]) = (parts.to_edge, parts.to_corner);
    let (to_edge, to_corner) = (Vec3([ex, ey, -z]), Vec3([cx, cy, -z]));
    let (of_edge, _) = extent(to_edge, corners, -z);
    let (of_corner, _) = extent(to_corner, corners, -z);
    let to_face = face(lanes, across_face(lanes, z), z.abs(), parts.is_over);
    let to_edge = PartGap {
        of: between(lanes, to_edge, of_edge, parts.is_beside),
        part: parts.edge,
    };
    let to_corner = PartGap {
        of: between(lanes, to_corner, of_corner, x.le(x)),
        part: parts.corner,
    };
    to_face.or(to_edge, bias).or(to_corner, bias)
}

/// Manifold along a unit vector in the frame of the triangle.
#[inline(always)]
pub fn along<L: Lanes>(
    lanes: L,
    place: &SpherePlace<L::F>,
    normal: Vec3<L::F>,
    margin: L::F,
) -> Manifold<L::F> {
    let zero = lanes.splat(0.0);
    let [x, y, z] = place.center.0;
    let corners = place.triangle.corners(lanes, x, y);
    let (gap, _) = extent(normal, corners, -z);
    let gap = gap / place.scale - place.radius;
    let gap = reported(lanes, gap, place.size, ERRORS, margin);
    let normal = in_world(normal, place.axes);
    let (normal, _) = unit(lanes, normal, splat(lanes, [0.0, 0.0, 1.0]));
    of_one(
        lanes,
        place.radius,
        Gap { normal, gap },
        // A triangle has no center: points are relative to the sphere.
        Vec3([zero; 3]),
    )
}
