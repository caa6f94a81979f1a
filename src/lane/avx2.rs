//! Eight lanes over AVX2, detected at run time.
//!
//! `wide::f32x8` selects its instructions at compile time. In a default x86-64 build it is two SSE2 halves with
//! a scalar transposition, five times slower for OBBs. So this module defines its own vector. The feature `fma`
//! is never enabled.
#![allow(unsafe_code)]

use core::arch::x86_64::*;
use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

use super::{Avx2Double, Float, Job, Lanes, Mask, PLACES, Partner, Routine, Rows, align_stack};

/// Token: proof that this CPU supports AVX2, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Avx2(());

impl Avx2 {
    /// The token, if this CPU supports them.
    #[inline]
    pub fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let found = std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("bmi2")
            && std::is_x86_feature_detected!("popcnt");
        #[cfg(not(feature = "std"))]
        let found = cfg!(all(
            target_feature = "avx2",
            target_feature = "bmi2",
            target_feature = "popcnt"
        ));
        found.then_some(Avx2(()))
    }
}

/// Eight floats. Vectors originate from an [`Avx2`] only.
#[derive(Clone, Copy)]
pub struct F8(pub(super) __m256);

/// A lane mask: all bits of a lane are set, or none.
#[derive(Clone, Copy)]
pub struct M8(__m256);

operator!(F8, Add, add, _mm256_add_ps);
operator!(F8, Sub, sub, _mm256_sub_ps);
operator!(F8, Mul, mul, _mm256_mul_ps);
operator!(F8, Div, div, _mm256_div_ps);
operator!(M8, BitAnd, bitand, _mm256_and_ps);
operator!(M8, BitOr, bitor, _mm256_or_ps);

impl Neg for F8 {
    type Output = F8;
    operator!(neg(self) -> F8 = _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)));
}

impl Not for M8 {
    type Output = M8;
    operator!(not(self) -> M8 = _mm256_xor_ps(self.0, _mm256_castsi256_ps(_mm256_set1_epi32(-1))));
}

impl Mask for M8 {
    #[inline(always)]
    fn bits(self) -> u64 {
        // SAFETY: the vector proves AVX2.
        u64::from(unsafe { _mm256_movemask_ps(self.0) } as u8)
    }
}

impl Float for F8 {
    type Mask = M8;

    operator!(le(self, other: F8) -> M8 = _mm256_cmp_ps::<_CMP_LE_OQ>(self.0, other.0));
    operator!(lt(self, other: F8) -> M8 = _mm256_cmp_ps::<_CMP_LT_OQ>(self.0, other.0));
    operator!(unordered(self, other: F8) -> M8 = _mm256_cmp_ps::<_CMP_UNORD_Q>(self.0, other.0));
    operator!(select(self, mask: M8, other: F8) -> F8 = _mm256_blendv_ps(other.0, self.0, mask.0));
    operator!(masked(self, mask: M8) -> F8 = _mm256_and_ps(self.0, mask.0));
    operator!(max(self, other: F8) -> F8 = _mm256_max_ps(self.0, other.0));
    operator!(min(self, other: F8) -> F8 = _mm256_min_ps(self.0, other.0));
    operator!(abs(self) -> F8 = _mm256_andnot_ps(_mm256_set1_ps(-0.0), self.0));
    operator!(sqrt(self) -> F8 = _mm256_sqrt_ps(self.0));

    #[inline(always)]
    fn recip_pow2(self) -> Self {
        // SAFETY: the vector proves AVX2.
        F8(unsafe {
            let bits = _mm256_castps_si256(self.0);
            let exponent = _mm256_and_si256(bits, _mm256_set1_epi32(0x7f80_0000));
            _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(0x7e80_0000), exponent))
        })
    }
}

impl Lanes for Avx2 {
    type F = F8;
    type M = M8;
    type Doubles = Avx2Double;
    const COUNT: usize = 8;

    #[inline(always)]
    fn doubles(self) -> Avx2Double {
        Avx2Double(self)
    }

    #[inline(always)]
    fn splat(self, x: f32) -> F8 {
        // SAFETY: `self` proves AVX2.
        F8(unsafe { _mm256_set1_ps(x) })
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> F8 {
        let from = &from[..8];
        // SAFETY: `self` proves AVX2, and the slice has eight floats.
        F8(unsafe { _mm256_loadu_ps(from.as_ptr()) })
    }
    #[inline(always)]
    fn largest(self, x: F8) -> f32 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let high = _mm256_extractf128_ps::<1>(x.0);
            let four = _mm_max_ps(_mm256_castps256_ps128(x.0), high);
            let two = _mm_max_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)))
        }
    }
    #[inline(always)]
    fn are_within<const N: usize>(self, numbers: [F8; N], limit: f32) -> M8 {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let mut largest = _mm256_setzero_si256();
            let mut k = 0;
            while k < N {
                let bits = _mm256_castps_si256(numbers[k].abs().0);
                largest = _mm256_max_epi32(largest, bits);
                k += 1;
            }
            let above = _mm256_cmpgt_epi32(largest, _mm256_castps_si256(_mm256_set1_ps(limit)));
            !M8(_mm256_castsi256_ps(above))
        }
    }
    #[inline(always)]
    fn store(self, x: F8, to: &mut [f32]) {
        let to = &mut to[..8];
        // SAFETY: `self` proves AVX2, and the slice has eight floats.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), x.0) }
    }
    // `vgatherdps` takes twice as long on Zen 3 (notes: figures moved from the source).
    #[inline(always)]
    fn lookup(self, numbers: impl Rows<f32>) -> F8 {
        let numbers = [
            *numbers.row(0),
            *numbers.row(1),
            *numbers.row(2),
            *numbers.row(3),
            *numbers.row(4),
            *numbers.row(5),
            *numbers.row(6),
            *numbers.row(7),
        ];
        self.load(&numbers)
    }
    // Loads whole rows: half as many loads as of half rows, 5 % faster for OBBs.
    #[inline(always)]
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [F8; W] {
        let mut vectors = [self.splat(0.0); W];
        let mut k = 0;
        while k + 8 <= W {
            let block = transpose([
                self.load(&rows.row(0)[k..]),
                self.load(&rows.row(1)[k..]),
                self.load(&rows.row(2)[k..]),
                self.load(&rows.row(3)[k..]),
                self.load(&rows.row(4)[k..]),
                self.load(&rows.row(5)[k..]),
                self.load(&rows.row(6)[k..]),
                self.load(&rows.row(7)[k..]),
            ]);
            vectors[k..k + 8].copy_from_slice(&block);
            k += 8;
        }
        if k < W {
            vectors[k..k + 4].copy_from_slice(&gather_quads(self, rows, k));
        }
        vectors
    }
    #[inline(always)]
    fn gather_sums<const W: usize>(
        self,
        a: impl Rows<[f32; W]>,
        b: impl Rows<[f32; W]>,
        partners: &'static [Option<Partner>],
    ) -> [F8; W] {
        let mut vectors = [self.splat(0.0); W];
        if W >= 8
            && let (Some(first), Some(second)) = (partners[0], partners[1])
        {
            let signs = signs(self, first, second);
            let crossed = first.quad > second.quad;
            let from = 4 * first.quad.min(second.quad);
            let mut sums = [self.splat(0.0); 8];
            let mut lane = 0;
            while lane < 8 {
                let b = self.load(&b.row(lane)[from..]);
                let b = if crossed { halves::<0x01>(b, b) } else { b };
                sums[lane] = self.load(a.row(lane)) + flipped(b, signs);
                lane += 1;
            }
            vectors[..8].copy_from_slice(&transpose(sums));
        }
        let mut k = if W >= 8 { 8 } else { 0 };
        while k < W {
            if let Some(partner) = partners[k / 4] {
                let signs = signs(self, partner, partner);
                let mut sums = [self.splat(0.0); 4];
                let mut lane = 0;
                while lane < 4 {
                    let b = quads(self, b.row(lane), b.row(lane + 4), 4 * partner.quad);
                    let a = quads(self, a.row(lane), a.row(lane + 4), k);
                    sums[lane] = a + flipped(b, signs);
                    lane += 1;
                }
                vectors[k..k + 4].copy_from_slice(&transpose_quads(sums));
            }
            k += 4;
        }
        vectors
    }
    #[inline(always)]
    fn sums_at_most(self, a: impl Rows<[f32; 8]>, b: impl Rows<[f32; 8]>, limit: F8) -> (M8, M8) {
        // SAFETY: `self` proves AVX2.
        unsafe {
            let mut above = [_mm256_setzero_si256(); 8];
            let mut lane = 0;
            while lane < 8 {
                let b = self.load(b.row(lane));
                let sum = self.load(a.row(lane)) + halves::<0x01>(b, b);
                let is_above = _mm256_cmp_ps::<_CMP_NLE_UQ>(sum.0, limit.0);
                above[lane] = _mm256_castps_si256(is_above);
                lane += 1;
            }
            // One byte for each number: four numbers of rows 0 to 3 in the low half, four in the high half.
            let [r0, r1, r2, r3, r4, r5, r6, r7] = above;
            let first = _mm256_packs_epi16(_mm256_packs_epi32(r0, r1), _mm256_packs_epi32(r2, r3));
            let second = _mm256_packs_epi16(_mm256_packs_epi32(r4, r5), _mm256_packs_epi32(r6, r7));
            let above = _mm256_or_si256(
                _mm256_permute2x128_si256::<0x20>(first, second),
                _mm256_permute2x128_si256::<0x31>(first, second),
            );
            // Number 3, the mark, is the top byte.
            let at_most = _mm256_cmpeq_epi32(above, _mm256_setzero_si256());
            let marked = _mm256_srai_epi32::<31>(above);
            (
                M8(_mm256_castsi256_ps(at_most)),
                M8(_mm256_castsi256_ps(marked)),
            )
        }
    }
    #[inline(always)]
    fn scatter<const W: usize>(self, vectors: [F8; W], rows: &mut [[f32; W]]) {
        let rows = &mut rows[..8];
        let mut k = 0;
        while k + 8 <= W {
            let block = transpose([
                vectors[k],
                vectors[k + 1],
                vectors[k + 2],
                vectors[k + 3],
                vectors[k + 4],
                vectors[k + 5],
                vectors[k + 6],
                vectors[k + 7],
            ]);
            let mut lane = 0;
            while lane < 8 {
                self.store(block[lane], &mut rows[lane][k..]);
                lane += 1;
            }
            k += 8;
        }
        if k + 4 <= W {
            let block =
                transpose_quads([vectors[k], vectors[k + 1], vectors[k + 2], vectors[k + 3]]);
            let mut lane = 0;
            while lane < 4 {
                quads_to(self, block[lane], rows, lane, k);
                lane += 1;
            }
        }
    }
    #[inline(always)]
    fn compress_pairs(self, which: u64, pairs: &[[u32; 2]; 64], to: &mut [[u32; 2]]) -> usize {
        let (mut count, mut first) = (0, 0);
        while first < 64 {
            let chosen = which >> first & 0xf;
            pick_quad(self, chosen, &pairs[first..], &mut to[count..]);
            count += chosen.count_ones() as usize;
            first += 4;
        }
        count
    }
    #[inline(always)]
    fn compress8(self, which: u8, numbers: &[u32; 8], to: &mut [u32; 8]) {
        // SAFETY: `self` proves AVX2; the table row has eight bytes, both arrays have eight numbers.
        unsafe {
            let places = _mm_loadl_epi64(PLACES[which as usize].as_ptr().cast());
            let numbers = _mm256_loadu_si256(numbers.as_ptr().cast());
            let picked = _mm256_permutevar8x32_epi32(numbers, _mm256_cvtepu8_epi32(places));
            _mm256_storeu_si256(to.as_mut_ptr().cast(), picked);
        }
    }
    #[inline(always)]
    fn least8(self, numbers: &[f32; 8]) -> usize {
        // SAFETY: `self` proves AVX2, and the array has eight numbers.
        unsafe {
            let bits = _mm256_loadu_si256(numbers.as_ptr().cast());
            let lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
            let keys = _mm256_or_si256(_mm256_and_si256(bits, _mm256_set1_epi32(!7)), lanes);
            let (low, high) = (
                _mm256_castsi256_si128(keys),
                _mm256_extracti128_si256::<1>(keys),
            );
            let four = _mm_min_epu32(low, high);
            let two = _mm_min_epu32(four, _mm_shuffle_epi32::<0b_01_00_11_10>(four));
            let one = _mm_min_epu32(two, _mm_shuffle_epi32::<0b_10_11_00_01>(two));
            _mm_cvtsi128_si32(one) as usize & 7
        }
    }
    #[inline(always)]
    fn expand_bits(self, bits: u64, mask: u64) -> u64 {
        // SAFETY: `self` proves BMI2.
        unsafe { _pdep_u64(bits, mask) }
    }
    #[inline(always)]
    fn prefetch<T>(self, rows: &[T], index: usize) {
        prefetch(rows, index);
    }
    #[inline(always)]
    fn run<J: Job>(self, job: J) -> J::Output {
        #[target_feature(enable = "avx2,bmi2,popcnt")]
        fn with_avx2<J: Job>(lanes: Avx2, job: J) -> J::Output {
            align_stack();
            job.run(lanes)
        }
        // SAFETY: `self` proves AVX2.
        unsafe { with_avx2(self, job) }
    }
    #[inline(always)]
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output {
        #[target_feature(enable = "avx2,bmi2,popcnt")]
        #[inline(never)]
        fn once<R: Routine<Avx2>>(lanes: Avx2, argument: R::Argument) -> R::Output {
            align_stack();
            R::run(lanes, argument)
        }
        // SAFETY: `self` proves AVX2.
        unsafe { once::<R>(self, argument) }
    }
}

/// Compresses four pairs by the low bits of `which`, then writes unspecified ones.
#[inline(always)]
fn pick_quad(_: Avx2, which: u64, pairs: &[[u32; 2]], to: &mut [[u32; 2]]) {
    let (pairs, to, numbers) = (&pairs[..4], &mut to[..4], &PICKED[which as usize & 0xf]);
    // SAFETY: the token proves AVX2; the table row has eight bytes, both slices have four pairs.
    unsafe {
        let numbers = _mm256_cvtepu8_epi32(_mm_loadl_epi64(numbers.as_ptr().cast()));
        let pairs = _mm256_loadu_si256(pairs.as_ptr().cast());
        let picked = _mm256_permutevar8x32_epi32(pairs, numbers);
        _mm256_storeu_si256(to.as_mut_ptr().cast(), picked);
    }
}

/// Compress table for pairs: the positions of both numbers of each pair whose bit is set in the index, then zeros.
static PICKED: [[u8; 8]; 16] = {
    let mut picked = [[0; 8]; 16];
    let mut which = 0;
    while which < 16 {
        let (mut at, mut pair) = (0, 0);
        while pair < 4 {
            if which >> pair & 1 == 1 {
                picked[which][at] = 2 * pair;
                picked[which][at + 1] = 2 * pair + 1;
                at += 2;
            }
            pair += 1;
        }
        which += 1;
    }
    picked
};

/// Prefetches `rows[index]`.
#[inline(always)]
pub fn prefetch<T>(rows: &[T], index: usize) {
    // SAFETY: a prefetch never faults, at any address; SSE is part of x86-64.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(rows.as_ptr().wrapping_add(index).cast()) }
}

/// Stores the halves of `x` to numbers `k..k + 4` of rows `row` and `row + 4`.
#[inline(always)]
fn quads_to<const W: usize>(_: Avx2, x: F8, rows: &mut [[f32; W]], row: usize, k: usize) {
    // SAFETY: the token proves AVX2, and each slice has four floats.
    unsafe {
        let (low, high) = (_mm256_castps256_ps128(x.0), _mm256_extractf128_ps::<1>(x.0));
        _mm_storeu_ps(rows[row][k..k + 4].as_mut_ptr(), low);
        _mm_storeu_ps(rows[row + 4][k..k + 4].as_mut_ptr(), high);
    }
}

/// Gathers numbers `k..k + 4` of eight rows: loads half rows, inserts the upper ones from memory and shuffles
/// within halves. AVX-512 joins two such blocks, which is 7 % faster than loading whole rows.
#[inline(always)]
pub fn gather_quads<const W: usize>(lanes: Avx2, rows: impl Rows<[f32; W]>, k: usize) -> [F8; 4] {
    transpose_quads([
        quads(lanes, rows.row(0), rows.row(4), k),
        quads(lanes, rows.row(1), rows.row(5), k),
        quads(lanes, rows.row(2), rows.row(6), k),
        quads(lanes, rows.row(3), rows.row(7), k),
    ])
}

/// `low[k..k + 4]` and `high[k..k + 4]`
#[inline(always)]
fn quads(_: Avx2, low: &[f32], high: &[f32], k: usize) -> F8 {
    let (low, high) = (&low[k..k + 4], &high[k..k + 4]);
    // SAFETY: the token proves AVX2, and both slices have four floats.
    F8(unsafe {
        let low = _mm256_castps128_ps256(_mm_loadu_ps(low.as_ptr()));
        _mm256_insertf128_ps::<1>(low, _mm_loadu_ps(high.as_ptr()))
    })
}

/// Sign bits of two partners, as a mask for an exclusive or.
#[inline(always)]
fn signs(lanes: Avx2, low: Partner, high: Partner) -> F8 {
    let mut signs = [0.0; 8];
    signs[..4].copy_from_slice(&low.signs());
    signs[4..].copy_from_slice(&high.signs());
    lanes.load(&signs)
}

/// Flips the signs that `signs` sets.
#[inline(always)]
fn flipped(x: F8, signs: F8) -> F8 {
    // SAFETY: the vector proves AVX2.
    F8(unsafe { _mm256_xor_ps(x.0, signs.0) })
}

/// Transposes the four-by-four blocks in the low and the high halves; its own inverse. Rows 0 to 3 and 4 to 7
/// of four numbers each become four vectors.
#[inline(always)]
fn transpose_quads(rows: [F8; 4]) -> [F8; 4] {
    let [a, b, c, d] = rows;
    // SAFETY: the vector proves AVX2.
    unsafe {
        let (ab_low, ab_high) = (_mm256_unpacklo_ps(a.0, b.0), _mm256_unpackhi_ps(a.0, b.0));
        let (cd_low, cd_high) = (_mm256_unpacklo_ps(c.0, d.0), _mm256_unpackhi_ps(c.0, d.0));
        [
            F8(_mm256_shuffle_ps::<0x44>(ab_low, cd_low)),
            F8(_mm256_shuffle_ps::<0xee>(ab_low, cd_low)),
            F8(_mm256_shuffle_ps::<0x44>(ab_high, cd_high)),
            F8(_mm256_shuffle_ps::<0xee>(ab_high, cd_high)),
        ]
    }
}

/// Transposes eight by eight; its own inverse.
#[inline(always)]
fn transpose(rows: [F8; 8]) -> [F8; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    let [a0, a1, a2, a3] = transpose_quads([a, b, c, d]);
    let [e0, e1, e2, e3] = transpose_quads([e, f, g, h]);
    [
        halves::<0x20>(a0, e0),
        halves::<0x20>(a1, e1),
        halves::<0x20>(a2, e2),
        halves::<0x20>(a3, e3),
        halves::<0x31>(a0, e0),
        halves::<0x31>(a1, e1),
        halves::<0x31>(a2, e2),
        halves::<0x31>(a3, e3),
    ]
}

#[inline(always)]
fn halves<const WHICH: i32>(a: F8, b: F8) -> F8 {
    // SAFETY: the vector proves AVX2.
    F8(unsafe { _mm256_permute2f128_ps::<WHICH>(a.0, b.0) })
}
