//! Four lanes over `wide::f32x4`: SSE2, NEON, simd128, or arrays on other targets.

use core::ops::{BitAnd, BitOr, Not};

use super::{Double, Float, Job, Lanes, Mask, Partner, Routine, Rows};
use wide::{f32x4, u32x4};

/// Four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Four;

/// A lane mask in a vector of `wide`: all bits of a lane are set, or none.
#[derive(Clone, Copy)]
pub struct VectorMask<V>(pub(super) V);

impl<V: BitAnd<Output = V>> BitAnd for VectorMask<V> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        VectorMask(self.0 & other.0)
    }
}

impl<V: BitOr<Output = V>> BitOr for VectorMask<V> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        VectorMask(self.0 | other.0)
    }
}

impl<V: Not<Output = V>> Not for VectorMask<V> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        VectorMask(!self.0)
    }
}

/// A mask of four lanes.
type Mask4 = VectorMask<f32x4>;

impl Mask for Mask4 {
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.0.to_bitmask())
    }
}

impl Float for f32x4 {
    type Mask = Mask4;

    #[inline(always)]
    fn le(self, other: Self) -> Mask4 {
        VectorMask(self.simd_le(other))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> Mask4 {
        VectorMask(self.simd_lt(other))
    }
    #[inline(always)]
    fn unordered(self, other: Self) -> Mask4 {
        VectorMask(self.is_nan() | other.is_nan())
    }
    #[inline(always)]
    fn select(self, mask: Mask4, other: Self) -> Self {
        mask.0.bitselect(self, other)
    }
    #[inline(always)]
    fn masked(self, mask: Mask4) -> Self {
        self & mask.0
    }
    // `fast_max` and `fast_min` of `wide` are `maxps` and `minps` on x86; elsewhere their NaN and zeros differ.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if cfg!(target_feature = "sse") {
            self.fast_max(other)
        } else {
            self.simd_gt(other).bitselect(self, other)
        }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if cfg!(target_feature = "sse") {
            self.fast_min(other)
        } else {
            self.simd_lt(other).bitselect(self, other)
        }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32x4::abs(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f32x4::sqrt(self)
    }
    #[inline(always)]
    fn recip_pow2(self) -> Self {
        let exponent = bytemuck::must_cast::<f32x4, u32x4>(self) & u32x4::splat(0x7f80_0000);
        bytemuck::must_cast(u32x4::splat(0x7e80_0000) - exponent)
    }
}

impl Lanes for Four {
    type F = f32x4;
    type M = Mask4;
    type Doubles = Double;
    const COUNT: usize = 4;

    #[inline(always)]
    fn doubles(self) -> Double {
        Double
    }

    #[inline(always)]
    fn splat(self, x: f32) -> f32x4 {
        f32x4::splat(x)
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> f32x4 {
        quad(from, 0)
    }
    // SSE2 lacks an integer maximum, so this compares floats.
    #[inline(always)]
    fn store(self, x: f32x4, to: &mut [f32]) {
        to[..4].copy_from_slice(x.as_array());
    }
    #[inline(always)]
    fn lookup(self, numbers: impl Rows<f32>) -> f32x4 {
        f32x4::new([
            *numbers.row(0),
            *numbers.row(1),
            *numbers.row(2),
            *numbers.row(3),
        ])
    }
    #[inline(always)]
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [f32x4; W] {
        let mut vectors = [f32x4::ZERO; W];
        let mut k = 0;
        while k < W {
            let block = f32x4::transpose([
                quad(rows.row(0), k),
                quad(rows.row(1), k),
                quad(rows.row(2), k),
                quad(rows.row(3), k),
            ]);
            vectors[k..k + 4].copy_from_slice(&block);
            k += 4;
        }
        vectors
    }
    #[inline(always)]
    fn gather_sums<const W: usize>(
        self,
        a: impl Rows<[f32; W]>,
        b: impl Rows<[f32; W]>,
        partners: &'static [Option<Partner>],
    ) -> [f32x4; W] {
        let mut vectors = [f32x4::ZERO; W];
        let mut k = 0;
        while k < W {
            if let Some(partner) = partners[k / 4] {
                let signs = f32x4::new(partner.signs());
                let mut sums = [f32x4::ZERO; 4];
                let mut lane = 0;
                while lane < 4 {
                    let b = quad(b.row(lane), 4 * partner.quad);
                    sums[lane] = quad(a.row(lane), k) + (b ^ signs);
                    lane += 1;
                }
                vectors[k..k + 4].copy_from_slice(&f32x4::transpose(sums));
            }
            k += 4;
        }
        vectors
    }
    #[inline(always)]
    fn sums_at_most(
        self,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 8]>,
        limit: f32x4,
    ) -> (Mask4, Mask4) {
        let mut at_most = [f32x4::ZERO; 4];
        let mut lane = 0;
        while lane < 4 {
            let (a, b) = (a.row(lane), b.row(lane));
            let low = (quad(a, 0) + quad(b, 4)).simd_le(limit);
            at_most[lane] = low & (quad(a, 4) + quad(b, 0)).simd_le(limit);
            lane += 1;
        }
        let [x, y, z, mark] = f32x4::transpose(at_most);
        (VectorMask(x & y & (z & mark)), VectorMask(!mark))
    }
    #[inline(always)]
    fn scatter<const W: usize>(self, vectors: [f32x4; W], rows: &mut [[f32; W]]) {
        let rows = &mut rows[..4];
        let mut k = 0;
        while k < W {
            let block =
                f32x4::transpose([vectors[k], vectors[k + 1], vectors[k + 2], vectors[k + 3]]);
            let mut lane = 0;
            while lane < 4 {
                self.store(block[lane], &mut rows[lane][k..]);
                lane += 1;
            }
            k += 4;
        }
    }
    #[inline(always)]
    fn prefetch<T>(self, rows: &[T], index: usize) {
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        super::avx2::prefetch(rows, index);
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        let _ = (rows, index);
    }
    #[inline(always)]
    fn run<J: Job>(self, job: J) -> J::Output {
        #[inline(never)]
        fn with_four<J: Job>(lanes: Four, job: J) -> J::Output {
            job.run(lanes)
        }
        with_four(self, job)
    }
    #[inline(always)]
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output {
        #[inline(never)]
        fn once<R: Routine<Four>>(lanes: Four, argument: R::Argument) -> R::Output {
            R::run(lanes, argument)
        }
        once::<R>(self, argument)
    }
}

/// `from[k..k + 4]`
#[inline(always)]
fn quad(from: &[f32], k: usize) -> f32x4 {
    let from = &from[k..k + 4];
    f32x4::new([from[0], from[1], from[2], from[3]])
}
