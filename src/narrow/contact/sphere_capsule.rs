//! Sphere-capsule manifold: between the center and the nearest point of the capsule's axis.
//!
//! Three normals are tried: towards that point; its component perpendicular to the axis, the true normal beside the
//! axis; and any normal of the axis, for a center on the axis.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 4.5.1, for the nearest point.
//!
//! # Error bound
//!
//! A gap is n·t − |n·d| − radii, t and d the offset and the half axis: t rounds once, the dot products 3 times,
//! the normal is within 6 u of length 1, sums round twice: 12 u of all lengths.
//!
//! **β.** With L = |t| + |d|, D the distance from the axis: below 8 u L a normal of the axis loses 2 D and 5 u L. Above, the
//! nearest point is off by 3 u L, and made normal to the axis within 20 u for both ends: 46 u L.

use crate::lane::{Float, Lanes, Vec3, across, unit};
use crate::narrow::contact::manifold::{BIAS, Manifold, ManifoldKernel, of_one, reported};
use crate::narrow::geometry::gap::Gap;
use crate::narrow::geometry::segment::Segment;
use crate::shapes::capsule::{Capsule, WideCapsule};
use crate::shapes::sphere::{Sphere, WideSphere};

impl ManifoldKernel<Capsule> for Sphere {
    const POINTS: usize = 1;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        sphere: WideSphere<L::F>,
        capsule: WideCapsule<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = capsule.center - sphere.center;
        let axis = Segment::new(lanes, capsule.half_axis);
        let nearest = axis.nearest(-offset) + offset;
        let otherwise = across(lanes, capsule.half_axis);
        let straight = gap(unit(lanes, nearest, otherwise).0, offset, capsule.half_axis);
        let beside = axis.normal_part(nearest);
        let beside = gap(unit(lanes, beside, otherwise).0, offset, capsule.half_axis);
        let radii = sphere.radius + capsule.radius;
        let size = offset.abs().sum() + capsule.half_axis.abs().sum() + radii;
        let bias = size * lanes.units(BIAS);
        let Gap { normal, gap } = straight
            .or(beside, bias)
            .or(gap(otherwise, offset, capsule.half_axis), bias);
        let gap = reported(lanes, gap - radii, size, 12.0, margin);
        of_one(lanes, sphere.radius, Gap { normal, gap }, offset)
    }
}

/// Gap along a normal between a point and a segment at `offset`.
#[inline(always)]
fn gap<F: Float>(normal: Vec3<F>, offset: Vec3<F>, half_axis: Vec3<F>) -> Gap<F> {
    Gap {
        normal,
        gap: normal.dot(offset) - normal.dot(half_axis).abs(),
    }
}
