//! Where does a box along the axes touch a half-space?
//!
//! At those corners of the face towards it that are near.
//!
//! Source: none needed. The height of a point is normal · p + d, over the length of the normal.
//!
//! # Error bound
//!
//! A height rounds as in `extent`, and twice more by the inverse of the length, which is within 3 u: the gap errs
//! by less than 16 u of Σ |nᵢ pᵢ| + |d|, for a unit normal n, and the half extents.

use super::manifold::{Manifold, Touch};
use super::plane_contact::of_aabb;
use crate::lane::Lanes;
use crate::shapes::{Aabb, AabbLanes, HalfSpace, PlaneLanes};

impl Touch<HalfSpace> for Aabb {
    const POINTS: usize = 4;

    #[inline(always)]
    fn touch<L: Lanes>(
        lanes: L,
        shape: AabbLanes<L::F>,
        plane: PlaneLanes<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        of_aabb(lanes, shape, plane, margin, true)
    }
}
