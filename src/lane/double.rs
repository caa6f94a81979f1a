//! Two lanes of `f64` over `wide::f64x2`, for pairs whose answer is too coarse in `f32`: the same kernels, whose
//! error bounds count in [`units`](Lanes::units).
//!
//! Stored numbers are `f32`, so loads are exact and stores round.

use super::four::VectorMask;
use super::{Float, Job, Lanes, MAX_LANES, Mask, Routine, Rows};
use wide::{f64x2, u64x2};

/// Two lanes of `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Double;

/// A mask of two lanes.
type MaskDouble = VectorMask<f64x2>;

impl Mask for MaskDouble {
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.0.to_bitmask())
    }
}

impl Float for f64x2 {
    type Mask = MaskDouble;

    #[inline(always)]
    fn le(self, other: Self) -> MaskDouble {
        VectorMask(self.simd_le(other))
    }
    #[inline(always)]
    fn lt(self, other: Self) -> MaskDouble {
        VectorMask(self.simd_lt(other))
    }
    #[inline(always)]
    fn unordered(self, other: Self) -> MaskDouble {
        VectorMask(self.is_nan() | other.is_nan())
    }
    #[inline(always)]
    fn select(self, mask: MaskDouble, other: Self) -> Self {
        mask.0.bitselect(self, other)
    }
    #[inline(always)]
    fn masked(self, mask: MaskDouble) -> Self {
        self & mask.0
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.simd_gt(other).bitselect(self, other)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.simd_lt(other).bitselect(self, other)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64x2::abs(self)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64x2::sqrt(self)
    }
    #[inline(always)]
    fn recip_pow2(self) -> Self {
        let exponent =
            bytemuck::must_cast::<f64x2, u64x2>(self) & u64x2::splat(0x7ff0_0000_0000_0000);
        bytemuck::must_cast(u64x2::splat(0x7fd0_0000_0000_0000) - exponent)
    }
}

impl Lanes for Double {
    type F = f64x2;
    type M = MaskDouble;
    type Doubles = Double;
    const COUNT: usize = 2;

    #[inline(always)]
    fn doubles(self) -> Double {
        Double
    }

    #[inline(always)]
    fn splat(self, x: f32) -> f64x2 {
        f64x2::splat(f64::from(x))
    }
    #[inline(always)]
    fn units(self, count: f32) -> f64x2 {
        const U: f64 = 1.0 / (1u64 << 53) as f64;
        f64x2::splat(f64::from(count) * U)
    }
    #[inline(always)]
    fn stored(self, x: f64x2) -> f64x2 {
        f64x2::new(x.to_array().map(|x| f64::from(x as f32)))
    }
    #[inline(always)]
    fn lower(self, x: f64x2) -> f64x2 {
        f64x2::new(x.to_array().map(|x| f64::from(lower(x))))
    }
    #[inline(always)]
    fn upper(self, x: f64x2) -> f64x2 {
        f64x2::new(x.to_array().map(|x| f64::from(-lower(-x))))
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> f64x2 {
        two(from)
    }
    #[inline(always)]
    fn store(self, x: f64x2, to: &mut [f32]) {
        to[..2].copy_from_slice(&x.to_array().map(|x| x as f32));
    }
    #[inline(always)]
    fn store_exactly(self, x: f64x2, to: &mut [f64; MAX_LANES]) {
        to[..2].copy_from_slice(&x.to_array());
    }
    #[inline(always)]
    fn load_nearest(self, from: &[f64; MAX_LANES]) -> f64x2 {
        f64x2::new([from[0], from[1]])
    }
    #[inline(always)]
    fn lookup(self, numbers: impl Rows<f32>) -> f64x2 {
        let number = |lane| f64::from(*numbers.row(lane));
        f64x2::new([number(0), number(1)])
    }
    #[inline(always)]
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [f64x2; W] {
        let mut vectors = [f64x2::ZERO; W];
        let mut k = 0;
        while k < W {
            let number = |lane| f64::from(rows.row(lane)[k]);
            vectors[k] = f64x2::new([number(0), number(1)]);
            k += 1;
        }
        vectors
    }
    #[inline(always)]
    fn scatter<const W: usize>(self, vectors: [f64x2; W], rows: &mut [[f32; W]]) {
        let rows = &mut rows[..2];
        let mut k = 0;
        while k < W {
            for (row, x) in rows.iter_mut().zip(vectors[k].to_array()) {
                row[k] = x as f32;
            }
            k += 1;
        }
    }
    #[inline(always)]
    fn prefetch<T>(self, _rows: &[T], _index: usize) {}
    #[inline(always)]
    fn run<J: Job>(self, job: J) -> J::Output {
        #[inline(never)]
        fn with_doubles<J: Job>(lanes: Double, job: J) -> J::Output {
            job.run(lanes)
        }
        with_doubles(self, job)
    }
    #[inline(always)]
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output {
        #[inline(never)]
        fn once<R: Routine<Double>>(lanes: Double, argument: R::Argument) -> R::Output {
            R::run(lanes, argument)
        }
        once::<R>(self, argument)
    }
}

/// The greatest `f32` that is at most `x`.
#[inline(always)]
fn lower(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x {
        nearest.next_down()
    } else {
        nearest
    }
}

/// The first two numbers.
#[inline(always)]
fn two(from: &[f32]) -> f64x2 {
    let from = &from[..2];
    f64x2::new([f64::from(from[0]), f64::from(from[1])])
}
