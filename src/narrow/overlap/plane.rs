//! Overlap of a bounded shape with a plane or a half-space.
//!
//! A plane touches the shape if normal · p + d is zero somewhere on the shape, a half-space if it is zero or less.
//! Both tests read the interval of [`extent`](crate::narrow::geometry::extent).
//!
//! Sources: those of [`extent`](crate::narrow::geometry::extent). Departures: planes have two sides, and touching counts.
//!
//! Degenerate cases: a sphere of radius zero is a point. A capsule without an axis is a sphere, a capsule without a
//! radius a segment. Rectangles, segments and points are boxes.
//!
//! # Error bound
//!
//! Never missing: low ≤ 0 in exact arithmetic gives low ≤ `error` as computed, and a difference of floats keeps its
//! sign. The high end is the mirror image. False hits have a gap of at most these bands, the same for planes and
//! half-spaces, n and d being those of the unit normal, p the center or the farther corner of an AABB on each axis:
//!
//! ```text
//! point    16 u (Σ |nᵢ pᵢ| + |d| + margin) + 2⁻⁶⁰
//! sphere   16 u (Σ |nᵢ pᵢ| + |d| + radius + margin) + 2⁻⁶⁰
//! capsule  16 u (Σ |nᵢ pᵢ| + |d| + Σ |nᵢ hᵢ| + radius + margin) + 2⁻⁶⁰, h the half axis
//! AABB     16 u (Σ |nᵢ pᵢ| + |d| + margin) + 2⁻⁶⁰
//! OBB      16 u (Σ |nᵢ pᵢ| + |d| + Σ hₖ |n·Aₖ| + margin) + 32 u Σ hₖ + 2⁻⁶⁰, h the half extents, A the axes
//! ```

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes};
use crate::narrow::geometry::extent::{Extent, Interval};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::plane::Surface;

impl<S: Extent, P: Surface> Test<Overlaps, P> for S {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (shape, surface): (S::Wide<L::F>, P::Wide<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let Interval { low, high, error } = S::extent(lanes, shape, P::plane(surface), margin);
        let zero = lanes.splat(0.0);
        let reaches_down = (low - error).le(zero);
        HitMask(if const { P::IS_SOLID } {
            reaches_down
        } else {
            reaches_down & zero.le(high + error)
        })
    }
}
