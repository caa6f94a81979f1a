//! Where does a ball touch a plane?
//!
//! At the point of the ball that is furthest along the normal.
//!
//! Source: none needed. The height of a point is normal · p + d, over the length of the normal.
//!
//! # Error bound
//!
//! A height rounds as in `extent`, and twice more by the inverse of the length, which is within 3 u: the gap errs
//! by less than 12 u of Σ |nᵢ pᵢ| + |d|, for a unit normal n, and the radius.

use super::manifold::{Manifold, Touch};
use super::plane_contact::of_sphere;
use crate::lane::Lanes;
use crate::shapes::{Plane, PlaneLanes, Sphere, SphereLanes};

impl Touch<Plane> for Sphere {
    const POINTS: usize = 1;

    #[inline(always)]
    fn touch<L: Lanes>(
        lanes: L,
        shape: SphereLanes<L::F>,
        plane: PlaneLanes<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        of_sphere(lanes, shape, plane, margin, false)
    }
}
