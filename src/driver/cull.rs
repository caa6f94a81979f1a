//! Culls: bounding-sphere and AABB tests that reject most pairs before an expensive kernel.
//!
//! Conservative: a cull rejects only pairs that the kernel rejects, so results are the same with and without it.
//!
//! # Proof
//!
//! In the terms of `obb_obb_overlap`: A is widened by the margin m. A hit of the kernel has, on each of the 15 exact
//! axes, a gap of at most 84 u S + 2⁻⁵⁹, S = ‖t‖₁ + ‖a + m‖₁ + ‖b‖₁.
//!
//! **Boxes at a distance δ have a gap of at least δ / √3 on one of these axes.** Let p of A and q of B be the nearest
//! points, and n = (q − p) / δ. If a unit l is normal to A at p and −l is normal to B at q, the gap along l is l·(q −
//! p) = δ l·n. The normals at p form a cone of up to three directions ±Aᵢ, those at q a cone of ±Bⱼ. n lies in both,
//! so in their intersection. The edges of this cone are directions of A, directions of B, or perpendicular to an
//! edge of each: all are among the 15 axes. (For a box flat along Aᵢ take only the half of the cone that contains n.)
//! So n = Σ cₖ eₖ of up to three such edges, cₖ ≥ 0. As the eₖ lie in an octant of A, eₖ·eₗ ≥ 0, so 1 = |n|² ≥ Σ cₖ²
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

use crate::lane::{Float, Lanes, Rows, Vec3};
use crate::shapes::aabb::Aabb;
use crate::shapes::form::Static;
use crate::shapes::obb::Obb;
use crate::shapes::shape::{Form, RelativeShape, Row, Shape};
use crate::shapes::sphere::{Sphere, SphereOffset};

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
