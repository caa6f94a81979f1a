//! Triangle-triangle overlap: an edge of either triangle meets the other triangle.
//!
//! Each edge is clipped against five slabs in the frame of the other triangle, those of a
//! [ray](crate::narrow::sweep::point_triangle): in the plane, between the ends of the longest edge, between this edge and the third
//! corner, and on the inner side of the other two edges. Six edges have fifteen divisions for each triangle.
//!
//! *Six edges are enough.* If triangles have points in common, an extreme one of these is on an edge of either. Otherwise let p
//! and q be the nearest points. If neither is on an edge, p − q is normal to both planes, and a part of the triangles lies face to
//! face at this distance: on the boundary of this part is an edge. So an edge of one is as near to the other as the triangles are.
//!
//! Source: T. Möller, "A Fast Triangle-Triangle Intersection Test", Journal of Graphics Tools 2(2), 1997, rests on the same
//! fact. Departures: no intersection line and no special case for one plane, whose normals are noise for thin triangles;
//! edges come from the frame of [`WideTriangle`]; slabs are widened so that rounding loses no contact. Both orders of
//! a pair give the same answer.
//!
//! Degenerate cases: a flat triangle is a segment or a point, whose edges contain it.
//!
//! # Error bound
//!
//! For edges of B and the triangle A. D = ‖Δ‖₁, Δ the exact offset from the corner P of A to that of B, L the length of
//! the longest edge of A, K that of B, m the margin. Axes are the floats at hand.
//!
//! **Corners of B** in the frame of A. Exact ones are 63 u K away from their places in the frame of B. The offset errs by
//! u D, edges from P by 2.9 u K, their sum and the dot product round by 4 u (D + K): 5.1 u D + 7 u K for each coordinate.
//! Distances beside both edges err by √2 as much, and by 3 u (L + D + K) of their own. A point of an edge lies between
//! two corners, so it errs by no more. The difference of both adds 1.01 u K.
//!
//! **Never missing.** As in [`point_triangle_sweep`](crate::narrow::sweep::point_triangle), the exact triangle A is out of the slabs
//! by 46 u L at most. Ends of slabs round by u (D + K) + 2 u L, and statement (3) of `slab` takes 2.1 u K. Points within m of
//! A are at most (1 + 14 u) m further out, and the widening rounds by 6 u of itself. So all slabs are widened by
//!
//! ```text
//! w = 52 u L + 84 u K + 14 u D + (1 + 24 u) m + 2⁻⁶²
//! ```
//!
//! The proof needs 48.5 u L, 80.2 u K and 11.4 u D.
//!
//! **False hits.** The point of the edge in the frame of B is out of no slab of A by more than w + 4 u L + 17.2 u K +
//! 11.4 u D, by (4). By *no spikes* it is within √3 times that of the triangle in the frame of A. Both frames are 63 u L and
//! 63 u K off. So the distance is at most 160 u L + 239 u K + 44 u D + 0.74 m beyond the margin, for edges of A with L and K
//! exchanged. In all, with L the longer and l the shorter of both:
//!
//! ```text
//! 240 u L + 160 u l + 44 u D + 2⁻⁶⁰, beyond 1.74 m
//! ```

use crate::driver::source::{Deferred, HitMask, Separate, Test};
use crate::lane::{Float, Lanes, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::slab::times_by_reciprocal;
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::triangle::{Triangle, WideTriangle};

impl Test<Overlaps, Triangle> for Triangle {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): (WideTriangle<L::F>, WideTriangle<L::F>),
        margin: L::F,
    ) -> impl Deferred<L, Answer = HitMask<L::M>> {
        let offset = b.corner - a.corner;
        HitMask(touch(lanes, [a, b], offset, offset.abs().sum(), margin))
    }
}

/// Mask of the lanes in which two triangles touch, the second at `offset` from the first. `size` bounds the errors of
/// the offset.
#[inline(always)]
pub fn touch<L: Lanes>(
    lanes: L,
    [a, b]: [WideTriangle<L::F>; 2],
    offset: Vec3<L::F>,
    size: L::F,
    margin: L::F,
) -> L::M {
    let grown = margin * (lanes.splat(1.0) + lanes.units(24.0))
        + (size * lanes.units(14.0) + lanes.splat(FLOOR));
    an_edge_touches(lanes, a, b, offset, [size, grown])
        | an_edge_touches(lanes, b, a, -offset, [size, grown])
}

/// Mask of the lanes in which an edge of `other` touches the triangle, both grown without the errors of their lengths.
#[inline(always)]
fn an_edge_touches<L: Lanes>(
    lanes: L,
    triangle: WideTriangle<L::F>,
    other: WideTriangle<L::F>,
    offset: Vec3<L::F>,
    [size, grown]: [L::F; 2],
) -> L::M {
    let by = (triangle.length * lanes.units(52.0) + other.length * lanes.units(84.0)) + grown;
    let prism = Prism::new(lanes, triangle, by, size + other.length);
    let [second, third] = other.edges();
    let places = [
        prism.place(offset),
        prism.place(offset + second),
        prism.place(offset + third),
    ];
    let [a, b, c] = [
        prism.clips(lanes, places[0], places[1]),
        prism.clips(lanes, places[1], places[2]),
        prism.clips(lanes, places[2], places[0]),
    ];
    a | b | c
}

/// Five slabs around a triangle.
#[derive(Clone, Copy)]
pub struct Prism<F> {
    triangle: WideTriangle<F>,
    axes: [Vec3<F>; 3],
    low: F,
    high: [F; 5],
}

impl<F: Float> Prism<F> {
    /// The triangle grown by `by`. Points are at most `size` from its corner.
    #[inline(always)]
    pub fn new<L: Lanes<F = F>>(lanes: L, triangle: WideTriangle<F>, by: F, size: F) -> Self {
        let WideTriangle { length, height, .. } = triangle;
        // Exceeds the distance of any point on the inner side from an edge.
        let far = (size + length + by) * lanes.splat(4.0);
        Prism {
            triangle,
            axes: triangle.axes(),
            low: -by,
            high: [by, length + by, height + by, far, far],
        }
    }

    /// Coordinates of a point at an offset from the corner: across the plane, along the longest edge, from the longest
    /// edge, and from the other two edges.
    #[inline(always)]
    pub fn place(self, offset: Vec3<F>) -> [F; 5] {
        let [x, y, z] = offset.along(self.axes);
        let [[run, rise], [run_second, rise_second]] = self.triangle.sides();
        let second = rise_second * (self.triangle.length - x) - run_second * y;
        [z, x, y, rise * x - run * y, second]
    }

    /// Change of the coordinates by a displacement.
    #[inline(always)]
    pub fn change(self, v: Vec3<F>) -> [F; 5] {
        let [x, y, z] = v.along(self.axes);
        let [[run, rise], [run_second, rise_second]] = self.triangle.sides();
        let second = -(rise_second * x + run_second * y);
        [z, x, y, rise * x - run * y, second]
    }

    /// Time interval in which a point that starts at `from` and moves by `v` is inside.
    #[inline(always)]
    pub fn times<L: Lanes<F = F>>(self, lanes: L, from: [F; 5], v: [F; 5]) -> (F, F) {
        let mut times = (lanes.splat(0.0), lanes.splat(1.0));
        let mut k = 0;
        while k < 5 {
            let (low, high) = (self.low - from[k], self.high[k] - from[k]);
            times = times_by_reciprocal(lanes, low, high, v[k], times);
            k += 1;
        }
        times
    }

    /// Mask of the lanes in which a segment has a point inside.
    #[inline(always)]
    fn clips<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, from: [F; 5], to: [F; 5]) -> L::M {
        let mut v = to;
        let mut k = 0;
        while k < 5 {
            v[k] = to[k] - from[k];
            k += 1;
        }
        let (enter, exit) = self.times(lanes, from, v);
        enter.le(exit)
    }
}
