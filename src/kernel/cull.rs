//! Cheap tests before expensive kernels.
//!
//! A cull changes no answer: what it rejects, the kernel rejects too, so that it may be asked or not.
//!
//! # Proof
//!
//! In the terms of `obb_obb_overlap`: A is widened by the margin m, and a hit of the kernel has, on each
//! of the 15 exact axes, a gap of at most 84 u S + 2⁻⁵⁹, S = ‖t‖₁ + ‖a + m‖₁ + ‖b‖₁.
//!
//! **Boxes at a distance δ have a gap of at least δ / √3 on one of these axes.** Let p of A and q of B be
//! as close as can be, and n = (q − p) / δ. Where a unit l is normal to A at p and −l normal to B at q, the
//! gap along l is l·(q − p) = δ l·n. The normals at p are a cone of up to three directions ±Aᵢ, those at
//! q of ±Bⱼ; n lies in both, and in the cone that they share, whose edges are directions of A, of B, or at
//! right angles to an edge of either: axes all. (Of a box flat along Aᵢ take only the half of that cone
//! that n lies in.) So n = Σ cₖ eₖ of up to three such edges, cₖ ≥ 0, and as eₖ lie in an octant
//! of A, eₖ·eₗ ≥ 0, hence 1 = |n|² ≥ Σ cₖ² ≥ (Σ cₖ)² / 3. Since 1 = n·n = Σ cₖ eₖ·n, one of eₖ·n is at least
//! 1 / √3.
//!
//! So what hits is closer than δ₁ = √3 (84 u S + 2⁻⁵⁹) < 146 u S + 2⁻⁵⁸, and a cull is right that rejects
//! only what is further apart.
//!
//! **Balls around both.** Let R = |a| + |b| + √3 m, and D = |t|. The distance is at least D − R, and
//! S ≤ √3 (D + R). A box's `radius` is off by 4 u and 2⁻⁷⁴ at most: squares and their sums round three
//! times, the root once, and squares that underflow err by 3 · 2⁻¹⁵⁰ together. 1.7321 is more than
//! √3 + 400 u. The summed radii and the reach round six times, the squares of both sides five. So a
//! rejected pair has D ≥ R (1 + (2048 − 30) u) + 2⁻⁵⁷, is at least 2000 u D + 2⁻⁵⁸ apart, and δ₁ is less,
//! 146 √3 u (D + R) + 2⁻⁵⁸ < 510 u D + 2⁻⁵⁸.
//!
//! **A ball around B, against A itself**, along the axes. Let D be the distance of B's center from A. The
//! boxes are at least D − |b| − √3 m apart, and ‖t‖₁ + ‖a‖₁ ≤ Σₖ |lowₖ| + |highₖ| = E, so
//! S ≤ E + √3 |b| + 3 m. With roundings as above, what is rejected has
//! D ≥ (|b| + √3 m) (1 + 2018 u) + 2018 u E + 2⁻⁵⁷, and δ₁ is less than D − |b| − √3 m.
//!
//! **Boxes along the axes around both**, and around their ways if they move, for any kernel of shapes that
//! have an end. Let S be the sum, over the axes and both boxes, of their largest coordinate without sign, so
//! that ‖t‖₁ + ‖a‖₁ + ‖b‖₁ ≤ S, no reach but for the margin m is above S, and no displacement above 2 S. By the
//! bounds in the kernels' files two shapes that are said to touch are at some time no further apart than
//! √3 m + 438 u (S + 3 m) + 2⁻⁵⁸: the widest are δ₁, that of `obb_obb_sweep`, √3 (70 u (3 S + 3 m) + 2⁻⁵⁹), and
//! that of `capsule_obb_sweep`, (48 + 83 + 2 · 104) u S. So their boxes are no further apart on any axis. Boxes
//! are off by at most 8 u of their coordinates and 2⁻⁷⁴ (a radius, its sum, a displacement), and widened, each by
//! itself, by 2048 u of the sum of its own. With roundings, the gap of what is rejected is more than
//! √3 m (1 + 2000 u) + 2000 u S + 2⁻⁵⁷.

use crate::lane::{Float, Lanes, Rows, Vec3};
use crate::shapes::{
    Aabb, BoundingBox, Form, Obb, RelativeShape, Row, Shape, Sphere, SphereOffset, Still,
};

/// A test of two rows that goes before a kernel.
pub trait Cull<A: Form, B: Form> {
    /// Whether it is cheaper than the kernel.
    const PAYS: bool;
    /// The lanes that the kernel does not reject for certain; and those that hold a bad shape.
    fn may_touch<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        margin: L::F,
    ) -> (L::M, L::M);
}

/// Nothing: the kernel is cheap.
pub struct NoCull;

impl<A: Form, B: Form> Cull<A, B> for NoCull {
    const PAYS: bool = false;

    #[inline(always)]
    fn may_touch<L: Lanes>(
        lanes: L,
        _a: impl Rows<A::Row>,
        _b: impl Rows<B::Row>,
        _margin: L::F,
    ) -> (L::M, L::M) {
        let zero = lanes.splat(0.0);
        (zero.le(zero), zero.lt(zero))
    }
}

/// Whether balls around boxes touch.
pub struct Balls;

/// √3, rounded up: corners move by up to so many margins.
const CORNER: f32 = 1.7321;
/// Added to a reach, relative to the lengths that bound the kernel's error: 2048 u.
const WIDENING: f32 = 1.0 / 8192.0;
/// Added besides: 2⁻⁵⁶.
const FLOOR: f32 = 1.0 / (1u64 << 56) as f32;

impl Cull<Still<Obb>, Still<Obb>> for Balls {
    const PAYS: bool = true;

    #[inline(always)]
    fn may_touch<L: Lanes>(
        lanes: L,
        a: impl Rows<[f32; 16]>,
        b: impl Rows<[f32; 16]>,
        margin: L::F,
    ) -> (L::M, L::M) {
        let (a, b) = (BallOf(a), BallOf(b));
        let sums = <[f32; 4]>::gather_sums(lanes, a, b, Sphere::PARTNERS);
        let SphereOffset { center, reach } = Sphere::relation(&sums);
        let reach = reach + margin * lanes.splat(CORNER);
        let reach = reach + (reach * lanes.splat(WIDENING) + lanes.splat(FLOOR));
        let mark = sums[Obb::MARKS[0]];
        (center.dot(center).le(reach * reach), mark.unordered(mark))
    }
}

impl Cull<Still<Aabb>, Still<Obb>> for Balls {
    const PAYS: bool = true;

    #[inline(always)]
    fn may_touch<L: Lanes>(
        lanes: L,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 16]>,
        margin: L::F,
    ) -> (L::M, L::M) {
        let a = <[f32; 8]>::gather(lanes, a);
        let b = <[f32; 4]>::gather(lanes, BallOf(b));
        let bad = a[Aabb::MARKS[0]].unordered(b[Obb::MARKS[0]]);
        let (aabb, ball) = (Aabb::from_row(&a), Sphere::from_row(&b));
        let zero = lanes.splat(0.0);
        let (low, high) = (ball.center - aabb.min, ball.center - aabb.max);
        let [x, y, z] = high.0;
        let [below_x, below_y, below_z] = (-low).0;
        let outside = Vec3([
            x.max(below_x).max(zero),
            y.max(below_y).max(zero),
            z.max(below_z).max(zero),
        ]);
        let size = low.abs().sum() + high.abs().sum();
        let reach = ball.radius + margin * lanes.splat(CORNER);
        let reach = reach + ((reach + size) * lanes.splat(WIDENING) + lanes.splat(FLOOR));
        (outside.dot(outside).le(reach * reach), bad)
    }
}

/// A box around shapes, with what it takes to be compared by [`are_apart`].
pub fn widened(around: BoundingBox<f32>) -> BoundingBox<f32> {
    let mut size = 0.0;
    for (low, high) in around.low.0.into_iter().zip(around.high.0) {
        size += low.abs().max(high.abs());
    }
    around.grown(size * WIDENING)
}

/// How far apart boxes have to be, to be [apart](are_apart).
pub fn reach(margin: f32) -> f32 {
    let reach = margin * CORNER;
    reach + (reach * WIDENING + FLOOR)
}

/// The lanes in which no kernel says that shapes in these boxes, which are [`widened`], touch.
#[inline(always)]
pub fn are_apart<F: Float>(a: BoundingBox<F>, b: BoundingBox<F>, reach: F) -> F::Mask {
    let (below, above) = ((a.low - b.high).0, (b.low - a.high).0);
    let apart = |k: usize| reach.lt(below[k]) | reach.lt(above[k]);
    apart(0) | apart(1) | apart(2)
}

/// The first four numbers of rows: a ball around the box.
#[derive(Clone, Copy)]
struct BallOf<R>(R);

impl<R: Rows<[f32; 16]>> Rows<[f32; 4]> for BallOf<R> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &[f32; 4] {
        let [ball, ..] = bytemuck::must_cast_ref::<[f32; 16], [[f32; 4]; 4]>(self.0.row(lane));
        ball
    }
}
