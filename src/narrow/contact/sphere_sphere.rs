//! Sphere-sphere manifold: one point on the line of the centers.
//!
//! Concentric spheres have the normal x, the first axis.
//!
//! Source: none needed. Departure from common practice: the offset is scaled by a power of two before it is squared, so
//! that centers 1e-30 apart still have a direction.
//!
//! # Error bound
//!
//! t rounds once, its length 3.5 times, the sum of the radii once and the difference once: the gap errs by less
//! than 8 u of |t| and both radii.

use crate::lane::{Lanes, splat, unit};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel, of_one, reported};
use crate::narrow::geometry::gap::Gap;
use crate::shapes::sphere::{Sphere, WideSphere};

impl ManifoldKernel<Sphere> for Sphere {
    const POINTS: usize = 1;

    #[inline(always)]
    fn manifold<L: Lanes>(
        lanes: L,
        a: WideSphere<L::F>,
        b: WideSphere<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        let offset = b.center - a.center;
        let (normal, distance) = unit(lanes, offset, splat(lanes, [1.0, 0.0, 0.0]));
        let radii = a.radius + b.radius;
        let gap = reported(lanes, distance - radii, distance + radii, 8.0, margin);
        of_one(lanes, a.radius, Gap { normal, gap }, offset)
    }
}
