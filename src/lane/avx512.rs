//! Sixteen lanes over AVX-512, detected at run time.
//!
//! AVX-512 needs half the instructions of eight lanes and has twice the registers: OBBs keep 30 vectors alive.
//! AVX-512 includes fused multiply-add, but the compiler does not fuse separate operations.
#![allow(unsafe_code)]

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::avx2::{Avx2, F8, gather_quads, prefetch};
use super::{Avx2Double, Float, Job, Lanes, Mask, Partner, Routine, Rows, align_stack};

/// Token: proof that this CPU supports AVX-512 F, VL, DQ and BW. Only the first AVX-512 CPUs (Xeon Phi) lack some.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Avx512 {
    /// Token for jobs of fewer elements.
    pub avx2: Avx2,
}

impl Avx512 {
    /// The token, if this CPU supports them.
    #[inline]
    pub fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let found = std::is_x86_feature_detected!("avx512f")
            && std::is_x86_feature_detected!("avx512vl")
            && std::is_x86_feature_detected!("avx512dq")
            && std::is_x86_feature_detected!("avx512bw");
        #[cfg(not(feature = "std"))]
        let found = cfg!(all(
            target_feature = "avx512f",
            target_feature = "avx512vl",
            target_feature = "avx512dq",
            target_feature = "avx512bw"
        ));
        let avx2 = Avx2::detect()?;
        found.then_some(Avx512 { avx2 })
    }
}

/// Sixteen floats. Vectors originate from an [`Avx512`] only.
#[derive(Clone, Copy)]
pub struct F16(__m512);

/// A lane mask: one bit per lane.
#[derive(Clone, Copy)]
pub struct M16(__mmask16);

operator!(F16, Add, add, _mm512_add_ps);
operator!(F16, Sub, sub, _mm512_sub_ps);
operator!(F16, Mul, mul, _mm512_mul_ps);
operator!(F16, Div, div, _mm512_div_ps);

impl Neg for F16 {
    type Output = F16;
    operator!(neg(self) -> F16 = _mm512_xor_ps(self.0, _mm512_set1_ps(-0.0)));
}

impl BitAnd for M16 {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        M16(self.0 & other.0)
    }
}

impl BitOr for M16 {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        M16(self.0 | other.0)
    }
}

impl Not for M16 {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        M16(!self.0)
    }
}

impl Mask for M16 {
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self.0)
    }
}

impl Float for F16 {
    type Mask = M16;

    operator!(le(self, other: F16) -> M16 = _mm512_cmp_ps_mask::<_CMP_LE_OQ>(self.0, other.0));
    operator!(lt(self, other: F16) -> M16 = _mm512_cmp_ps_mask::<_CMP_LT_OQ>(self.0, other.0));
    operator!(unordered(self, other: F16) -> M16 = _mm512_cmp_ps_mask::<_CMP_UNORD_Q>(self.0, other.0));
    operator!(select(self, mask: M16, other: F16) -> F16 = _mm512_mask_blend_ps(mask.0, other.0, self.0));
    operator!(masked(self, mask: M16) -> F16 = _mm512_maskz_mov_ps(mask.0, self.0));
    operator!(max(self, other: F16) -> F16 = _mm512_max_ps(self.0, other.0));
    operator!(min(self, other: F16) -> F16 = _mm512_min_ps(self.0, other.0));
    operator!(abs(self) -> F16 = _mm512_andnot_ps(_mm512_set1_ps(-0.0), self.0));
    operator!(sqrt(self) -> F16 = _mm512_sqrt_ps(self.0));

    #[inline(always)]
    fn recip_pow2(self) -> Self {
        // SAFETY: the vector proves AVX-512.
        F16(unsafe {
            let bits = _mm512_castps_si512(self.0);
            let exponent = _mm512_and_si512(bits, _mm512_set1_epi32(0x7f80_0000));
            _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(0x7e80_0000), exponent))
        })
    }
}

impl Lanes for Avx512 {
    type F = F16;
    type M = M16;
    type Doubles = Avx2Double;
    const COUNT: usize = 16;

    #[inline(always)]
    fn doubles(self) -> Avx2Double {
        Avx2Double(self.avx2)
    }

    #[inline(always)]
    fn splat(self, x: f32) -> F16 {
        // SAFETY: `self` proves AVX-512.
        F16(unsafe { _mm512_set1_ps(x) })
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> F16 {
        let from = &from[..16];
        // SAFETY: `self` proves AVX-512, and the slice has sixteen floats.
        F16(unsafe { _mm512_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn largest(self, x: F16) -> f32 {
        // SAFETY: `self` proves AVX-512.
        let halves = unsafe {
            let high = _mm512_extractf32x8_ps::<1>(x.0);
            F8(_mm256_max_ps(_mm512_castps512_ps256(x.0), high))
        };
        self.avx2.largest(halves)
    }
    #[inline(always)]
    fn are_within<const N: usize>(self, numbers: [F16; N], limit: f32) -> M16 {
        // SAFETY: `self` proves AVX-512.
        unsafe {
            let mut largest = _mm512_setzero_si512();
            let mut k = 0;
            while k < N {
                let bits = _mm512_castps_si512(numbers[k].abs().0);
                largest = _mm512_max_epi32(largest, bits);
                k += 1;
            }
            let limit = _mm512_castps_si512(_mm512_set1_ps(limit));
            M16(_mm512_cmple_epi32_mask(largest, limit))
        }
    }
    #[inline(always)]
    fn store(self, x: F16, to: &mut [f32]) {
        let to = &mut to[..16];
        // SAFETY: `self` proves AVX-512, and the slice has sixteen floats.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), x.0) }
    }
    #[inline(always)]
    fn lookup(self, numbers: impl Rows<f32>) -> F16 {
        let low = self.avx2.lookup(numbers);
        let [both] = join(self, [low], [self.avx2.lookup(Upper(numbers))]);
        both
    }
    // Gathers and transposes eight rows at a time. Shuffles of sixteen lanes take twice as long, and so does
    // inserting four rows into one vector.
    #[inline(always)]
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [F16; W] {
        let mut vectors = [self.splat(0.0); W];
        let mut k = 0;
        while k < W {
            let low = gather_quads(self.avx2, rows, k);
            let block = join(self, low, gather_quads(self.avx2, Upper(rows), k));
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
    ) -> [F16; W] {
        let low = self.avx2.gather_sums(a, b, partners);
        join(
            self,
            low,
            self.avx2.gather_sums(Upper(a), Upper(b), partners),
        )
    }
    #[inline(always)]
    fn sums_at_most(
        self,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 8]>,
        limit: F16,
    ) -> (M16, M16) {
        // SAFETY: `self` proves AVX-512.
        let limit = F8(unsafe { _mm512_castps512_ps256(limit.0) });
        let (low, low_marked) = self.avx2.sums_at_most(a, b, limit);
        let (high, high_marked) = self.avx2.sums_at_most(Upper(a), Upper(b), limit);
        let both = |low: u64, high: u64| M16((low | high << 8) as u16);
        (
            both(low.bits(), high.bits()),
            both(low_marked.bits(), high_marked.bits()),
        )
    }
    #[inline(always)]
    fn scatter<const W: usize>(self, vectors: [F16; W], rows: &mut [[f32; W]]) {
        let (low, high) = halves(self, vectors);
        self.avx2.scatter(low, &mut rows[..8]);
        self.avx2.scatter(high, &mut rows[8..16]);
    }
    #[inline(always)]
    fn compress_pairs(self, which: u64, pairs: &[[u32; 2]; 64], to: &mut [[u32; 2]]) -> usize {
        let (mut count, mut first) = (0, 0);
        while first < 64 {
            let chosen = (which >> first) as u8;
            compress8(self, chosen, &pairs[first..], &mut to[count..]);
            count += chosen.count_ones() as usize;
            first += 8;
        }
        count
    }
    #[inline(always)]
    fn expand_bits(self, bits: u64, mask: u64) -> u64 {
        self.avx2.expand_bits(bits, mask)
    }
    #[inline(always)]
    fn prefetch<T>(self, rows: &[T], index: usize) {
        prefetch(rows, index);
    }
    #[inline(always)]
    fn run<J: Job>(self, job: J) -> J::Output {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,bmi2,popcnt")]
        fn with_avx512<J: Job>(lanes: Avx512, job: J) -> J::Output {
            align_stack();
            job.run(lanes)
        }
        // SAFETY: `self` proves AVX-512.
        unsafe { with_avx512(self, job) }
    }
    #[inline(always)]
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,bmi2,popcnt")]
        #[inline(never)]
        fn once<R: Routine<Avx512>>(lanes: Avx512, argument: R::Argument) -> R::Output {
            align_stack();
            R::run(lanes, argument)
        }
        // SAFETY: `self` proves AVX-512.
        unsafe { once::<R>(self, argument) }
    }
}

/// Compresses eight pairs by the bits of `which`, then writes zeros.
#[inline(always)]
fn compress8(_: Avx512, which: u8, pairs: &[[u32; 2]], to: &mut [[u32; 2]]) {
    let (pairs, to) = (&pairs[..8], &mut to[..8]);
    // SAFETY: the token proves AVX-512, and both slices have eight pairs.
    unsafe {
        let pairs = _mm512_loadu_si512(pairs.as_ptr().cast());
        let picked = _mm512_maskz_compress_epi64(which, pairs);
        _mm512_storeu_si512(to.as_mut_ptr().cast(), picked);
    }
}

/// The rows of the upper eight lanes.
#[derive(Clone, Copy)]
struct Upper<T>(T);

impl<R, T: Rows<R>> Rows<R> for Upper<T> {
    #[inline(always)]
    fn row(&self, lane: usize) -> &R {
        self.0.row(lane + 8)
    }
}

/// Joins the lanes of `low` and `high`.
#[inline(always)]
fn join<const W: usize>(lanes: Avx512, low: [F8; W], high: [F8; W]) -> [F16; W] {
    let mut joined = [lanes.splat(0.0); W];
    let mut k = 0;
    while k < W {
        // SAFETY: the token proves AVX-512.
        joined[k] = F16(unsafe {
            let low = _mm512_castpd256_pd512(_mm256_castps_pd(low[k].0));
            let both = _mm512_insertf64x4::<1>(low, _mm256_castps_pd(high[k].0));
            _mm512_castpd_ps(both)
        });
        k += 1;
    }
    joined
}

/// Splits into the lower and the upper eight lanes.
#[inline(always)]
fn halves<const W: usize>(lanes: Avx512, vectors: [F16; W]) -> ([F8; W], [F8; W]) {
    let zero = lanes.avx2.splat(0.0);
    let (mut low, mut high) = ([zero; W], [zero; W]);
    let mut k = 0;
    while k < W {
        // SAFETY: the token proves AVX-512.
        unsafe {
            low[k] = F8(_mm512_castps512_ps256(vectors[k].0));
            let upper = _mm512_extractf64x4_pd::<1>(_mm512_castps_pd(vectors[k].0));
            high[k] = F8(_mm256_castpd_ps(upper));
        }
        k += 1;
    }
    (low, high)
}
