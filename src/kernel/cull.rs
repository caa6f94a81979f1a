//! Culls: bounding-sphere and AABB tests that reject most pairs before an expensive kernel.
//!
//! Conservative: a cull rejects only what the kernel rejects, so answers are the same with and without it.
//!
//! # Proof
//!
//! In the terms of `obb_obb_overlap`: A is widened by the margin m. A hit of the kernel has, on each of the 15 exact
//! axes, a gap of at most 84 u S + 2⁻⁵⁹, S = ‖t‖₁ + ‖a + m‖₁ + ‖b‖₁.
//!
//! **Boxes at a distance δ have a gap of at least δ / √3 on one of these axes.** Let p of A and q of B be the nearest
//! points, and n = (q − p) / δ. If a unit l is normal to A at p and −l is normal to B at q, the gap along l is l·(q −
//! p) = δ l·n. The normals at p form a cone of up to three directions ±Aᵢ, those at q a cone of ±Bⱼ. n lies in both,
//! hence in their intersection. The edges of this cone are directions of A, directions of B, or perpendicular to an
//! edge of each: all are among the 15 axes. (For a box flat along Aᵢ take only the half of the cone that contains n.)
//! So n = Σ cₖ eₖ of up to three such edges, cₖ ≥ 0. As the eₖ lie in an octant of A, eₖ·eₗ ≥ 0, hence 1 = |n|² ≥ Σ cₖ²
//! ≥ (Σ cₖ)² / 3. Since 1 = n·n = Σ cₖ eₖ·n, one of eₖ·n is at least 1 / √3.
//!
//! So the shapes of a hit are closer than δ₁ = √3 (84 u S + 2⁻⁵⁹) < 146 u S + 2⁻⁵⁸. A cull is valid if it rejects only
//! pairs that are farther apart.
//!
//! **Bounding spheres of both.** Let R = |a| + |b| + √3 m, and D = |t|. The distance is at least D − R, and S ≤ √3 (D +
//! R). A box's `radius` is off by 4 u and 2⁻⁷⁴ at most: squares and their sums round three times, the root once, and
//! squares that underflow err by 3 · 2⁻¹⁵⁰ together. 1.7321 is more than √3 + 400 u. The summed radii and the widened
//! sum round six times, the squares of both sides five. So a rejected pair has D ≥ R (1 + (2048 − 30) u) + 2⁻⁵⁷. It is
//! at least 2000 u D + 2⁻⁵⁸ apart, and δ₁ is less, 146 √3 u (D + R) + 2⁻⁵⁸ < 510 u D + 2⁻⁵⁸.
//!
//! **AABB A against the bounding sphere of B.** Let D be the distance of B's center from A. The boxes are at least D −
//! |b| − √3 m apart, and ‖t‖₁ + ‖a‖₁ ≤ Σₖ |lowₖ| + |highₖ| = E, so S ≤ E + √3 |b| + 3 m. With roundings as above, a
//! rejected pair has D ≥ (|b| + √3 m) (1 + 2018 u) + 2018 u E + 2⁻⁵⁷, and δ₁ is less than D − |b| − √3 m.
//!
//! **AABBs of both**, swept if the shapes move, for any kernel of bounded shapes. Let S be the sum, over the axes and
//! both boxes, of the largest absolute coordinate. Then ‖t‖₁ + ‖a‖₁ + ‖b‖₁ ≤ S, no size except the margin m exceeds S,
//! and no displacement exceeds 2 S. By the bounds in the kernels' files, two shapes that are reported to touch are at
//! some time no farther apart than √3 m + 438 u (S + 3 m) + 2⁻⁵⁸: the widest are δ₁, that of `obb_obb_sweep`, √3 (70 u
//! (3 S + 3 m) + 2⁻⁵⁹), and that of `capsule_obb_sweep`, (48 + 83 + 2 · 104) u S. So their AABBs are no farther apart
//! on any axis. AABBs are off by at most 8 u of their coordinates and 2⁻⁷⁴ (a radius, its sum, a displacement). Each is
//! widened by 2048 u of the sum of its own coordinates. With roundings, the gap of a rejected pair is more than √3 m
//! (1 + 2000 u) + 2000 u S + 2⁻⁵⁷.

use crate::lane::{Float, Lanes, Rows, Vec3};
use crate::shapes::{
    Aabb, BoundingBox, Form, Obb, RelativeShape, Row, Shape, Sphere, SphereOffset, Static,
};

/// Conservative test of two rows that runs before the kernel.
pub trait Cull<A: Form, B: Form> {
    /// Whether the cull is cheaper than its kernel.
    const PAYS: bool;
    /// Mask of the lanes that may touch, and mask of the lanes with an invalid shape.
    fn may_touch<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        margin: L::F,
    ) -> (L::M, L::M);
}

/// No cull: the kernel is cheap.
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

/// Bounding spheres of the OBBs.
pub struct BoundingSpheres;

/// √3, rounded up: a margin moves a corner by at most √3 margins.
const CORNER: f32 = 1.7321;
/// Relative widening, above the kernel's error bound: 2048 u.
const WIDENING: f32 = 1.0 / 8192.0;
/// Absolute widening: 2⁻⁵⁶.
const CULL_FLOOR: f32 = 1.0 / (1u64 << 56) as f32;

impl Cull<Static<Obb>, Static<Obb>> for BoundingSpheres {
    const PAYS: bool = true;

    #[inline(always)]
    fn may_touch<L: Lanes>(
        lanes: L,
        a: impl Rows<[f32; 16]>,
        b: impl Rows<[f32; 16]>,
        margin: L::F,
    ) -> (L::M, L::M) {
        let (a, b) = (SphereOfRow(a), SphereOfRow(b));
        let sums = <[f32; 4]>::gather_sums(lanes, a, b, Sphere::PARTNERS);
        let SphereOffset { center, radius_sum } = Sphere::relation(&sums);
        let reach = radius_sum + margin * lanes.splat(CORNER);
        let reach = reach + (reach * lanes.splat(WIDENING) + lanes.splat(CULL_FLOOR));
        let mark = sums[Obb::NAN_SLOTS[0]];
        (center.dot(center).le(reach * reach), mark.unordered(mark))
    }
}

impl Cull<Static<Aabb>, Static<Obb>> for BoundingSpheres {
    const PAYS: bool = true;

    #[inline(always)]
    fn may_touch<L: Lanes>(
        lanes: L,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 16]>,
        margin: L::F,
    ) -> (L::M, L::M) {
        let a = <[f32; 8]>::gather(lanes, a);
        let b = <[f32; 4]>::gather(lanes, SphereOfRow(b));
        let bad = a[Aabb::NAN_SLOTS[0]].unordered(b[Obb::NAN_SLOTS[0]]);
        let (aabb, sphere) = (Aabb::from_row(&a), Sphere::from_row(&b));
        let zero = lanes.splat(0.0);
        let (low, high) = (sphere.center - aabb.min, sphere.center - aabb.max);
        let [x, y, z] = high.0;
        let [below_x, below_y, below_z] = (-low).0;
        let outside = Vec3([
            x.max(below_x).max(zero),
            y.max(below_y).max(zero),
            z.max(below_z).max(zero),
        ]);
        let size = low.abs().sum() + high.abs().sum();
        let reach = sphere.radius + margin * lanes.splat(CORNER);
        let reach = reach + ((reach + size) * lanes.splat(WIDENING) + lanes.splat(CULL_FLOOR));
        (outside.dot(outside).le(reach * reach), bad)
    }
}

/// Bounds of shapes, widened for [`are_apart`].
pub fn widened(around: BoundingBox<f32>) -> BoundingBox<f32> {
    let mut size = 0.0;
    for (low, high) in around.low.0.into_iter().zip(around.high.0) {
        size += low.abs().max(high.abs());
    }
    around.grown(size * WIDENING)
}

/// Minimum distance of bounds that are [apart](are_apart).
pub fn cull_distance(margin: f32) -> f32 {
    let reach = margin * CORNER;
    reach + (reach * WIDENING + CULL_FLOOR)
}

/// Mask of the lanes whose bounds are so far apart that no kernel reports a contact. Both bounds are [`widened`].
#[inline(always)]
pub fn are_apart<F: Float>(a: BoundingBox<F>, b: BoundingBox<F>, distance: F) -> F::Mask {
    let (below, above) = ((a.low - b.high).0, (b.low - a.high).0);
    let apart = |k: usize| distance.lt(below[k]) | distance.lt(above[k]);
    apart(0) | apart(1) | apart(2)
}

/// The first four components of OBB rows: the bounding sphere.
#[derive(Clone, Copy)]
struct SphereOfRow<R>(R);

impl<R: Rows<[f32; 16]>> Rows<[f32; 4]> for SphereOfRow<R> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &[f32; 4] {
        let [bounding_sphere, ..] =
            bytemuck::must_cast_ref::<[f32; 16], [[f32; 4]; 4]>(self.0.row(lane));
        bounding_sphere
    }
}
