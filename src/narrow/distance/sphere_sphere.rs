//! Sphere-sphere distance: the distance of the centers, less the radii.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search). The only direction is that between the centers.

use crate::lane::{Lanes, Vec3};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::shapes::sphere::{Sphere, WideSphere};

impl DistanceKernel<Sphere> for Sphere {
    const LANES: usize = 16;
    const IS_FINE: bool = true;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideSphere<L::F>, b: WideSphere<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Sphere, Sphere, L::F>::new(lanes, a, b);
        pair.bounds(
            lanes,
            Guess {
                points: [Vec3([lanes.splat(0.0); 3]), pair.offset],
                direction: pair.offset,
            },
        )
    }
}
