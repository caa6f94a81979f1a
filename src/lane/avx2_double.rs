//! Four lanes of `f64` over AVX2, for CPUs with AVX-512 as well.
//!
//! Nearly twice as fast as [`Double`](super::Double) for pairs of uneven sizes, like a long ray and a triangle (notes: Uneven pairs in
//! `f64`).
#![allow(unsafe_code)]

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::{Avx2, Float, Job, Lanes, MAX_LANES, Mask, Routine, Rows, align_stack};

/// Token: proof of AVX2, as [`Avx2`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Avx2Double(pub(super) Avx2);

/// Four doubles. Vectors originate from an [`Avx2Double`] only.
#[derive(Clone, Copy)]
pub struct D4(__m256d);

/// A lane mask: all bits of a lane are set, or none.
#[derive(Clone, Copy)]
pub struct M4(__m256d);

operator!(D4, Add, add, _mm256_add_pd);
operator!(D4, Sub, sub, _mm256_sub_pd);
operator!(D4, Mul, mul, _mm256_mul_pd);
operator!(D4, Div, div, _mm256_div_pd);
operator!(M4, BitAnd, bitand, _mm256_and_pd);
operator!(M4, BitOr, bitor, _mm256_or_pd);

impl Neg for D4 {
    type Output = D4;
    operator!(neg(self) -> D4 = _mm256_xor_pd(self.0, _mm256_set1_pd(-0.0)));
}

impl Not for M4 {
    type Output = M4;
    operator!(not(self) -> M4 = _mm256_xor_pd(self.0, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))));
}

impl Mask for M4 {
    #[inline(always)]
    fn bits(self) -> u64 {
        // SAFETY: the vector proves AVX2.
        u64::from(unsafe { _mm256_movemask_pd(self.0) } as u8)
    }
}

impl Float for D4 {
    type Mask = M4;

    operator!(le(self, other: D4) -> M4 = _mm256_cmp_pd::<_CMP_LE_OQ>(self.0, other.0));
    operator!(lt(self, other: D4) -> M4 = _mm256_cmp_pd::<_CMP_LT_OQ>(self.0, other.0));
    operator!(unordered(self, other: D4) -> M4 = _mm256_cmp_pd::<_CMP_UNORD_Q>(self.0, other.0));
    operator!(select(self, mask: M4, other: D4) -> D4 = _mm256_blendv_pd(other.0, self.0, mask.0));
    operator!(masked(self, mask: M4) -> D4 = _mm256_and_pd(self.0, mask.0));
    operator!(max(self, other: D4) -> D4 = _mm256_max_pd(self.0, other.0));
    operator!(min(self, other: D4) -> D4 = _mm256_min_pd(self.0, other.0));
    operator!(abs(self) -> D4 = _mm256_andnot_pd(_mm256_set1_pd(-0.0), self.0));
    operator!(sqrt(self) -> D4 = _mm256_sqrt_pd(self.0));

    #[inline(always)]
    fn recip_pow2(self) -> Self {
        // SAFETY: the vector proves AVX2.
        D4(unsafe {
            let bits = _mm256_castpd_si256(self.0);
            let exponent = _mm256_and_si256(bits, _mm256_set1_epi64x(0x7ff0_0000_0000_0000));
            let power = _mm256_sub_epi64(_mm256_set1_epi64x(0x7fd0_0000_0000_0000), exponent);
            _mm256_castsi256_pd(power)
        })
    }
}

impl Lanes for Avx2Double {
    type F = D4;
    type M = M4;
    type Doubles = Self;
    const COUNT: usize = 4;

    #[inline(always)]
    fn doubles(self) -> Self {
        self
    }
    #[inline(always)]
    fn splat(self, x: f32) -> D4 {
        exactly(self, f64::from(x))
    }
    #[inline(always)]
    fn units(self, count: f32) -> D4 {
        const U: f64 = 1.0 / (1u64 << 53) as f64;
        exactly(self, f64::from(count) * U)
    }
    #[inline(always)]
    fn stored(self, x: D4) -> D4 {
        widened(self, rounded(x))
    }
    #[inline(always)]
    fn lower(self, x: D4) -> D4 {
        let nearest = rounded(x);
        // SAFETY: the vector proves AVX2.
        let below = unsafe {
            // The bits of the number before it, towards −∞: one less, one more below zero.
            let bits = _mm_castps_si128(nearest);
            let negative = _mm_srai_epi32::<31>(bits);
            let step = _mm_sub_epi32(_mm_set1_epi32(-1), _mm_add_epi32(negative, negative));
            let before = _mm_castsi128_ps(_mm_add_epi32(bits, step));
            let before_zero = _mm_castsi128_ps(_mm_set1_epi32(0x8000_0001_u32 as i32));
            let is_zero = _mm_cmpeq_ps(nearest, _mm_setzero_ps());
            _mm_blendv_ps(before, before_zero, is_zero)
        };
        let nearest = widened(self, nearest);
        widened(self, below).select(x.lt(nearest), nearest)
    }
    #[inline(always)]
    fn upper(self, x: D4) -> D4 {
        -self.lower(-x)
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> D4 {
        let from = &from[..4];
        // SAFETY: `self` proves AVX2, and the slice has four floats.
        widened(self, unsafe { _mm_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn store(self, x: D4, to: &mut [f32]) {
        let to = &mut to[..4];
        // SAFETY: `self` proves AVX2, and the slice has four floats.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), rounded(x)) }
    }
    #[inline(always)]
    fn store_exactly(self, x: D4, to: &mut [f64; MAX_LANES]) {
        // SAFETY: `self` proves AVX2, and the array has more than four doubles.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), x.0) }
    }
    #[inline(always)]
    fn load_nearest(self, from: &[f64; MAX_LANES]) -> D4 {
        // SAFETY: `self` proves AVX2, and the array has more than four doubles.
        D4(unsafe { _mm256_loadu_pd(from.as_ptr()) })
    }
    #[inline(always)]
    fn lookup(self, numbers: impl Rows<f32>) -> D4 {
        self.load(&[
            *numbers.row(0),
            *numbers.row(1),
            *numbers.row(2),
            *numbers.row(3),
        ])
    }
    #[inline(always)]
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [D4; W] {
        let mut vectors = [self.splat(0.0); W];
        let mut k = 0;
        while k + 4 <= W {
            let [a, b, c, d] = [
                &rows.row(0)[k..k + 4],
                &rows.row(1)[k..k + 4],
                &rows.row(2)[k..k + 4],
                &rows.row(3)[k..k + 4],
            ];
            // SAFETY: `self` proves AVX2, and each slice has four floats.
            let columns = unsafe {
                let (a, b) = (_mm_loadu_ps(a.as_ptr()), _mm_loadu_ps(b.as_ptr()));
                let (c, d) = (_mm_loadu_ps(c.as_ptr()), _mm_loadu_ps(d.as_ptr()));
                let (ab_low, ab_high) = (_mm_unpacklo_ps(a, b), _mm_unpackhi_ps(a, b));
                let (cd_low, cd_high) = (_mm_unpacklo_ps(c, d), _mm_unpackhi_ps(c, d));
                [
                    _mm_movelh_ps(ab_low, cd_low),
                    _mm_movehl_ps(cd_low, ab_low),
                    _mm_movelh_ps(ab_high, cd_high),
                    _mm_movehl_ps(cd_high, ab_high),
                ]
            };
            let mut i = 0;
            while i < 4 {
                vectors[k + i] = widened(self, columns[i]);
                i += 1;
            }
            k += 4;
        }
        vectors
    }
    #[inline(always)]
    fn scatter<const W: usize>(self, vectors: [D4; W], rows: &mut [[f32; W]]) {
        let rows = &mut rows[..4];
        let mut k = 0;
        while k < W {
            let mut numbers = [0.0; 4];
            self.store(vectors[k], &mut numbers);
            for (row, x) in rows.iter_mut().zip(numbers) {
                row[k] = x;
            }
            k += 1;
        }
    }
    #[inline(always)]
    fn prefetch<T>(self, rows: &[T], index: usize) {
        self.0.prefetch(rows, index);
    }
    #[inline(always)]
    fn run<J: Job>(self, job: J) -> J::Output {
        #[target_feature(enable = "avx2,bmi2,popcnt")]
        fn with_doubles<J: Job>(lanes: Avx2Double, job: J) -> J::Output {
            align_stack();
            job.run(lanes)
        }
        // SAFETY: `self` proves AVX2.
        unsafe { with_doubles(self, job) }
    }
    #[inline(always)]
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output {
        #[target_feature(enable = "avx2,bmi2,popcnt")]
        #[inline(never)]
        fn once<R: Routine<Avx2Double>>(lanes: Avx2Double, argument: R::Argument) -> R::Output {
            align_stack();
            R::run(lanes, argument)
        }
        // SAFETY: `self` proves AVX2.
        unsafe { once::<R>(self, argument) }
    }
}

/// A number in each lane.
#[inline(always)]
fn exactly(_: Avx2Double, x: f64) -> D4 {
    // SAFETY: the token proves AVX2.
    D4(unsafe { _mm256_set1_pd(x) })
}

/// The nearest floats.
#[inline(always)]
fn rounded(x: D4) -> __m128 {
    // SAFETY: the vector proves AVX2.
    unsafe { _mm256_cvtpd_ps(x.0) }
}

/// Floats as doubles.
#[inline(always)]
fn widened(_: Avx2Double, x: __m128) -> D4 {
    // SAFETY: the token proves AVX2.
    D4(unsafe { _mm256_cvtps_pd(x) })
}
