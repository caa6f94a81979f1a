//! AABB-OBB sweep: the swept separating axis test of `obb_obb_sweep` with the axes of `aabb_obb_overlap`.
//!
//! The axes of A are those of the world, and offsets come from both of its corners.
//!
//! Source and degenerate cases: as there.
//!
//! # Error bound
//!
//! The proof of `obb_obb_sweep`, with the table of `aabb_obb_overlap`. v rounds once, and contributes
//!
//! ```text
//! eᵢ          v 1 u, `low` 1 u, (3) 2 u                                 4 u ‖v‖₁
//! B̂ⱼ          v 1 u, dot product 3 u, `low` 1 u, (3) 2 u                7 u ‖v‖₁
//! edges, / ρ  v 1 u, products 1 u, difference 1 u, `low` 1 u, (3) 2 u   6 u ‖v‖₁
//! ```
//!
//! No entry of the table is above 14 u, so 10 u are to spare. False hits, and gaps at claimed times: the same band, 70
//! u (‖p‖₁ + ‖v‖₁ + ‖a + m‖₁ + ‖b‖₁) + 2⁻⁵⁹. The same steps, with another 3.02 u |V|, give 24 u + η + 4.01 u along eᵢ,
//! 24 √3 u + η + 8.01 u < 59 u along Bⱼ, √2 29.1 u + η < 50 u along edges.
//!
//! Measured at worst, over 2 million near-contact cases: 0.60 of that.

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::sat::{
    AxisProjections, SatBoxes, WhenNoAxisSeparates, rotation_from_world, widened,
};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl Test<Sweeps, Obb> for Aabb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): BothMoving<WideAabb<L::F>, WideObb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        // Displacement of A relative to B.
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let half = lanes.splat(0.5);
        let (low, high) = (b.center - a.min, b.center - a.max);
        let p = (low + high) * half;
        let half_extents = (low - high) * half;

        let r = rotation_from_world(lanes, b.axes);
        let offset = AxisProjections::of(p.0, p.along(b.axes));
        let motion = AxisProjections::of(v.0, v.along(b.axes));
        let size = p.abs().sum() + (half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = SatBoxes {
            half_extents_a: widened(lanes, half_extents, size + v.abs().sum(), margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        lanes.call::<WhenNoAxisSeparates>((boxes, AxisProjections::of_both(offset, motion)))
    }
}
