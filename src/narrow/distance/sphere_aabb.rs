//! Sphere-AABB distance: the distance of the center from the box, less the radius.
//!
//! The nearest point of the box is the center, clamped. The direction is exactly along an axis where a face is nearest.
//! Source: J. Arvo, "A Simple Method for Box-Sphere Intersection Testing", Graphics Gems, 1990.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::sphere::{Sphere, WideSphere};

impl DistanceKernel<Aabb> for Sphere {
    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideSphere<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Sphere, Aabb, L::F>::new(lanes, a, b);
        let to_box = outside(lanes, pair.offset, pair.b.half_extents);
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), to_box],
                direction: to_box,
            },
        )
    }
}

/// The part of a vector outside a box around the origin: zero along the axes on which the vector is inside.
#[inline(always)]
pub fn outside<L: Lanes>(lanes: L, p: Vec3<L::F>, half_extents: Vec3<L::F>) -> Vec3<L::F> {
    let zero = lanes.splat(0.0);
    let (low, high) = (p + half_extents, p - half_extents);
    let ([lx, ly, lz], [hx, hy, hz]) = (low.0, high.0);
    Vec3([
        hx.max(lx.min(zero)),
        hy.max(ly.min(zero)),
        hz.max(lz.min(zero)),
    ])
}
