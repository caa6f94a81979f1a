//! Where does a capsule touch a half-space?
//!
//! At the end that is nearer, and at the other if it is near too.
//!
//! Source: none needed. The height of a point is normal · p + d, over the length of the normal.
//!
//! # Error bound
//!
//! A height rounds as in `extent`, and twice more by the inverse of the length, which is within 3 u: the gap errs
//! by less than 16 u of Σ |nᵢ pᵢ| + |d|, for a unit normal n, and the half axis, and the radius.

use super::manifold::{Manifold, Touch};
use super::plane_contact::of_capsule;
use crate::lane::Lanes;
use crate::shapes::{Capsule, CapsuleLanes, HalfSpace, PlaneLanes};

impl Touch<HalfSpace> for Capsule {
    const POINTS: usize = 2;

    #[inline(always)]
    fn touch<L: Lanes>(
        lanes: L,
        shape: CapsuleLanes<L::F>,
        plane: PlaneLanes<L::F>,
        margin: L::F,
    ) -> Manifold<L::F> {
        of_capsule(lanes, shape, plane, margin, true)
    }
}
