//! SIMD vectors: the only module that names an instruction set.
//!
//! A kernel is written once, generic over [`Lanes`], and tests one pair of shapes per lane. The
//! instances are [`One`] (`f32`, always compiled, always tested), [`Four`] (`wide::f32x4`: SSE2,
//! NEON, simd128) and, on x86-64 and selected at run time, [`Avx2`] (8 lanes) and [`Avx512`] (16 lanes); and
//! [`Double`] (2 lanes of `f64`) and [`Avx2Double`] (4), for the pairs whose answer is too coarse in `f32`.
//!
//! # One answer everywhere
//!
//! Every operation is an IEEE 754 addition, subtraction, multiplication, division or square root, a
//! comparison, a selection or a move of bits. So every instance gives the same bits. There is no
//! fused multiply-add, no reciprocal estimate, no sum across lanes and no transcendental function,
//! and none may be added.
//!
//! # Closures
//!
//! A closure inside a generic function is compiled without the target features of its caller, which
//! doubles the time of a sphere sweep. Hot code uses `#[inline(always)]` functions and plain loops.

/// Defines an operation on vectors that is one expression of intrinsics.
///
/// The vectors prove the instruction set: only its token creates vectors from numbers. The second form implements a
/// binary operator by one intrinsic.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
macro_rules! operator {
    ($name:ident($this:ident $(, $other:ident: $type:ident)*) -> $output:ident = $value:expr) => {
        #[inline(always)]
        fn $name($this $(, $other: $type)*) -> $output {
            // SAFETY: a vector exists only if the token of its instruction set does.
            $output(unsafe { $value })
        }
    };
    ($vector:ident, $operator:ident, $name:ident, $intrinsic:ident) => {
        impl $operator for $vector {
            type Output = $vector;
            operator!($name(self, other: $vector) -> $vector = $intrinsic(self.0, other.0));
        }
    };
}

// Without SSE2, as in operating system kernels, floats are computed in software, without vectors.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2_double;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod double;
mod four;
mod one;
mod simd;
mod vec3;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use avx2::Avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use avx2_double::Avx2Double;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use avx512::Avx512;
pub(crate) use double::Double;
pub(crate) use four::Four;
pub(crate) use one::One;
pub use simd::Simd;
pub(crate) use vec3::{Vec3, across, select, splat, stored, unit};

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// u, the largest relative error of one rounding of `f32`: 2⁻²⁴.
pub const U: f32 = 1.0 / (1 << 24) as f32;

/// Maximum lane count of all instances.
pub(crate) const MAX_LANES: usize = 16;

/// One boolean per lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Bit `i` is lane `i`; all other bits are zero.
    fn bits(self) -> u64;
}

/// One float per lane.
///
/// Arithmetic is IEEE 754, rounded to nearest, with subnormal numbers. Comparisons with NaN are false,
/// except [`unordered`](Self::unordered).
pub trait Float:
    Copy
    + Send
    + Sync
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Result of a comparison.
    type Mask: Mask;

    /// `self <= other`
    fn le(self, other: Self) -> Self::Mask;
    /// `self < other`
    fn lt(self, other: Self) -> Self::Mask;
    /// Whether `self` or `other` is NaN.
    fn unordered(self, other: Self) -> Self::Mask;
    /// `if mask { self } else { other }`
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `if mask { self } else { +0.0 }`
    fn masked(self, mask: Self::Mask) -> Self;
    /// `if self > other { self } else { other }`: `other` if either is NaN or both are zeros.
    fn max(self, other: Self) -> Self;
    /// `if self < other { self } else { other }`: `other` if either is NaN or both are zeros.
    fn min(self, other: Self) -> Self;
    /// Absolute value: clears the sign bit.
    fn abs(self) -> Self;
    /// Square root, correctly rounded; NaN below zero.
    fn sqrt(self) -> Self;
    /// Power of two that scales `self` into `0.5..1`, for `0 <= self < 2¹²⁶`; 2¹²⁶ for zero and subnormal
    /// numbers, unspecified for others.
    fn recip_pow2(self) -> Self;
}

/// Number of positions in a word of a mask.
pub const WORD: usize = u64::BITS as usize;

/// Source of a gather: one row, or one number, for each lane.
pub trait Rows<R>: Copy {
    /// The row that lane `lane` reads; `lane` is below the lane count.
    fn row(&self, lane: usize) -> &R;
}

/// Four numbers of one row that are added to four numbers of another.
#[derive(Clone, Copy)]
pub struct Partner {
    /// Index of the four, counted in fours.
    pub quad: usize,
    /// The numbers whose sign is flipped before the addition.
    pub flip: [bool; 4],
}

impl Partner {
    /// The four at `quad`, with the signs in `flip` flipped.
    pub const fn new(quad: usize, flip: [bool; 4]) -> Self {
        Partner { quad, flip }
    }

    /// Sign bits to flip, as a mask for an exclusive or.
    #[inline(always)]
    fn signs(self) -> [f32; 4] {
        let mut signs = [0.0; 4];
        let mut k = 0;
        while k < 4 {
            if self.flip[k] {
                signs[k] = -0.0;
            }
            k += 1;
        }
        signs
    }
}

/// An instruction set that this CPU supports.
///
/// A value is the proof of support, so the vectors it makes are safe to use.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// One float per lane.
    type F: Float<Mask = Self::M>;
    /// One boolean per lane.
    type M: Mask;
    /// Lanes of `f64` on this instruction set.
    type Doubles: Lanes;
    /// Number of lanes.
    const COUNT: usize;

    /// The lanes of `f64`.
    fn doubles(self) -> Self::Doubles;
    /// Broadcasts a number to all lanes.
    fn splat(self, x: f32) -> Self::F;
    /// A count of u, the largest relative error of one rounding: [`U`] of `f32`, 2⁻⁵³ of `f64`.
    #[inline(always)]
    fn units(self, count: f32) -> Self::F {
        self.splat(count * U)
    }
    /// The number that `x` is stored as.
    #[inline(always)]
    fn stored(self, x: Self::F) -> Self::F {
        x
    }
    /// The greatest number that is at most `x` and stores as it is.
    #[inline(always)]
    fn lower(self, x: Self::F) -> Self::F {
        x
    }
    /// The least number that is at least `x` and stores as it is.
    #[inline(always)]
    fn upper(self, x: Self::F) -> Self::F {
        x
    }
    /// Loads `from[i]` into lane `i`. Panics if `from` is shorter than [`COUNT`](Self::COUNT).
    fn load(self, from: &[f32]) -> Self::F;
    /// The largest of the lanes, none of them NaN; of zeros, either.
    #[inline(always)]
    fn largest(self, x: Self::F) -> f32 {
        let mut all = [f32::NEG_INFINITY; MAX_LANES];
        self.store(x, &mut all);
        let mut half = Self::COUNT / 2;
        while half > 0 {
            let mut k = 0;
            while k < half {
                all[k] = Float::max(all[k], all[k + half]);
                k += 1;
            }
            half /= 2;
        }
        all[0]
    }
    /// Whether every number has an absolute value of at most `limit`; false for NaN.
    ///
    /// Absolute values compare like the integers of their bits, with NaN above all: one comparison suffices.
    #[inline(always)]
    fn are_within<const N: usize>(self, numbers: [Self::F; N], limit: f32) -> Self::M {
        let limit = self.splat(limit);
        let mut within = numbers[0].abs().le(limit);
        let mut k = 1;
        while k < N {
            within = within & numbers[k].abs().le(limit);
            k += 1;
        }
        within
    }
    /// Stores lane `i` to `to[i]`. Panics if `to` is shorter than [`COUNT`](Self::COUNT).
    fn store(self, x: Self::F, to: &mut [f32]);
    /// Stores lane `i` to `to[i]`, as it is.
    #[inline(always)]
    fn store_exactly(self, x: Self::F, to: &mut [f64; MAX_LANES]) {
        let mut numbers = [0.0; MAX_LANES];
        self.store(x, &mut numbers);
        for (to, x) in to.iter_mut().zip(numbers) {
            *to = f64::from(x);
        }
    }
    /// Loads the number nearest to `from[i]` into lane `i`.
    #[inline(always)]
    fn load_nearest(self, from: &[f64; MAX_LANES]) -> Self::F {
        self.load(&from.map(|x| x as f32))
    }
    /// Gathers single numbers: lane `i` reads `numbers.row(i)`.
    fn lookup(self, numbers: impl Rows<f32>) -> Self::F;
    /// Gathers and transposes rows: lane `i` reads `rows.row(i)`, one vector for each number of a row. `W` is a
    /// multiple of 4.
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [Self::F; W];
    /// Gathers sums: lane `i` reads `a.row(i)` plus the partners in `b.row(i)`.
    ///
    /// Each four numbers of a row have one partner, or none, which yields zeros. The partners of the first two
    /// fours are adjacent, in either order. Adding before the transposition halves the shuffles.
    #[inline(always)]
    fn gather_sums<const W: usize>(
        self,
        a: impl Rows<[f32; W]>,
        b: impl Rows<[f32; W]>,
        partners: &'static [Option<Partner>],
    ) -> [Self::F; W] {
        let (a, b) = (self.gather(a), self.gather(b));
        let mut sums = [self.splat(0.0); W];
        let mut k = 0;
        while k < W {
            if let Some(Partner { quad, flip }) = partners[k / 4] {
                let x = b[4 * quad + k % 4];
                sums[k] = a[k] + if flip[k % 4] { -x } else { x };
            }
            k += 1;
        }
        sums
    }
    /// Tests AABBs as rows: whether, in lane `i`, `a.row(i)[k] + b.row(i)[k ^ 4] <= limit` for all `k`, where
    /// `limit >= 0`.
    ///
    /// Numbers 3 and 7 of a row are both zero, or both NaN to mark it. The second mask is set where one of the
    /// two rows is marked. One instruction tests a row, without a transposition.
    #[inline(always)]
    fn sums_at_most(
        self,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 8]>,
        limit: Self::F,
    ) -> (Self::M, Self::M) {
        let (a, b) = (self.gather(a), self.gather(b));
        let mut at_most = (a[0] + b[4]).le(limit);
        let mut k = 1;
        while k < 8 {
            at_most = at_most & (a[k] + b[k ^ 4]).le(limit);
            k += 1;
        }
        (at_most, (a[3] + b[7]).unordered(a[3]))
    }
    /// Transposes and stores lane `i` to `rows[i]`, the inverse of [`gather`](Self::gather). Panics if `rows`
    /// is shorter than [`COUNT`](Self::COUNT).
    fn scatter<const W: usize>(self, vectors: [Self::F; W], rows: &mut [[f32; W]]);
    /// Compresses pairs: writes those whose bits are set in `which` to the front of `to` and returns their number.
    ///
    /// Up to [`COUNT`](Self::COUNT) more elements are overwritten with unspecified pairs. Panics if `to` is
    /// shorter than that.
    #[inline(always)]
    fn compress_pairs(self, mut which: u64, pairs: &[[u32; 2]; 64], to: &mut [[u32; 2]]) -> usize {
        // Iterating over set bits is 5 % faster than over pairs.
        let mut count = 0;
        while which != 0 {
            to[count] = pairs[which.trailing_zeros() as usize];
            which &= which - 1;
            count += 1;
        }
        count
    }
    /// Compresses eight numbers: writes those whose bits are set in `which` to the front of `to`, then
    /// unspecified ones.
    #[inline(always)]
    fn compress8(self, which: u8, numbers: &[u32; 8], to: &mut [u32; 8]) {
        let places = &PLACES[which as usize];
        let mut k = 0;
        while k < 8 {
            to[k] = numbers[places[k] as usize & 7];
            k += 1;
        }
    }
    /// The lane of the least of eight positive numbers, ignoring their three lowest bits; the lowest lane of equals.
    #[inline(always)]
    fn least8(self, numbers: &[f32; 8]) -> usize {
        let mut least = u32::MAX;
        let mut k = 0;
        while k < 8 {
            least = least.min(numbers[k].to_bits() & !7 | k as u32);
            k += 1;
        }
        (least & 7) as usize
    }
    /// Expands bits: moves the low bits of `bits`, in order, to the positions of the set bits of `mask`.
    #[inline(always)]
    fn expand_bits(self, mut bits: u64, mut mask: u64) -> u64 {
        let mut deposited = 0;
        while mask != 0 {
            let lowest = mask & mask.wrapping_neg();
            deposited |= lowest & (bits & 1).wrapping_neg();
            mask ^= lowest;
            bits >>= 1;
        }
        deposited
    }
    /// Prefetches a row. The index may be out of range.
    fn prefetch<T>(self, rows: &[T], index: usize);
    /// Runs a job compiled for this instruction set.
    fn run<J: Job>(self, job: J) -> J::Output;
    /// Calls a routine, compiled once for this instruction set.
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output;
}

/// A function too large to be inlined into each loop that calls it.
pub trait Routine<L: Lanes> {
    /// Argument of the function.
    type Argument;
    /// Result of the function.
    type Output;
    /// The function. Implementations are `#[inline(always)]`.
    fn run(lanes: L, argument: Self::Argument) -> Self::Output;
}

/// Compress table: the positions of the set bits of the index, then zeros.
pub(crate) static PLACES: [[u8; 8]; 256] = {
    let mut places = [[0; 8]; 256];
    let mut which = 0;
    while which < 256 {
        let (mut at, mut bit) = (0, 0);
        while bit < 8 {
            if which >> bit & 1 == 1 {
                places[which][at] = bit;
                at += 1;
            }
            bit += 1;
        }
        which += 1;
    }
    places
};

/// A function generic over [`Lanes`], as a value.
pub trait Job {
    /// Result of the function.
    type Output;
    /// Minimum lane count that it is compiled for. A job run with more lanes than elements has memory for all lanes.
    const FEWEST: usize = 1;
    /// Maximum lane count that it is compiled for.
    const MOST: usize = MAX_LANES;
    /// The function. Implementations are `#[inline(always)]`.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// A job over a range, which can be split among threads.
///
/// A job runs with at most as many lanes as elements. Its last vector can then start earlier and overlap the
/// one before it, so one loop body serves every length.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Split: Job<Output: Send> + Send + Sized {
    /// Grain size: about 50 µs of work. Waking a parked thread costs 10 to 60 µs.
    const GRAIN: usize;
    /// Number of elements.
    fn len(&self) -> usize;
    /// Splits into the job on the first `middle` elements, a multiple of [`STEP`], and the job on the rest.
    fn split_at(self, middle: usize) -> (Self, Self);
    /// Gets memory for this piece from the result of the thread's earlier pieces, or else from the rest of the job.
    fn take_memory(&mut self, _own: &mut Option<Self::Output>, _rest: Option<&mut Self>) {}
    /// Combines the results of two pieces, in any order.
    fn merge(one: Self::Output, other: Self::Output) -> Self::Output;
}

/// Defines `len` and `split_at` of a [`Split`] job, given how each field is split: `shared` fields are cloned, an
/// `offset` grows by `middle`, a `slice` or `slice_mut` is cut there. `len` names the field that has the length.
///
/// ```text
/// split! { len: rows, rows: slice, grown: slice_mut, skin: shared }
/// split! { len: pairs, pairs: slice, words: slice_mut / WORD }
/// ```
macro_rules! split {
    (len: $list:ident, $($field:ident: $part:ident $(/ $each:ident)?),+ $(,)?) => {
        fn len(&self) -> usize {
            self.$list.len()
        }

        fn split_at(self, middle: usize) -> (Self, Self) {
            let Self { $($field),+ } = self;
            $(let $field = $crate::lane::split!(@$part $field, middle $(/ $each)?);)+
            (Self { $($field: $field.0),+ }, Self { $($field: $field.1),+ })
        }
    };
    (@shared $field:ident, $middle:expr) => {
        (Clone::clone(&$field), $field)
    };
    (@offset $field:ident, $middle:expr) => {
        ($field, $field + $middle)
    };
    (@slice $field:ident, $middle:expr) => {
        $field.split_at($middle)
    };
    (@slice_mut $field:ident, $middle:expr) => {
        $field.split_at_mut($middle)
    };
}
pub(crate) use split;

/// Minimum lane count that kernels are compiled for: four, or one without vector instructions. Unit tests compile
/// kernels for one lane only, as the reference for the library's kernels.
pub const FEWEST_KERNEL_LANES: usize = if cfg!(test) || !HAS_VECTORS { 1 } else { 4 };

/// Whether [`Four`] is a hardware vector.
const HAS_VECTORS: bool = cfg!(any(
    target_feature = "sse2",
    target_feature = "neon",
    target_feature = "simd128"
));

/// Maximum lane count that kernels are compiled for, given that more than `lanes` lanes do not pay.
pub const fn most_kernel_lanes(lanes: usize) -> usize {
    if cfg!(test) { 1 } else { lanes }
}

/// Pieces of a job begin at multiples of this: at whole mask words, which two threads must not share, and whole
/// cache lines of rows.
pub const STEP: usize = 1024;

/// Aligns the stack frame of the calling function to a cache line.
///
/// A frame aligned to 16 bytes places most spilled vectors across two lines, which slows OBBs by up to 20 %,
/// depending on the caller.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn align_stack() {
    #[repr(align(64))]
    struct StackLine(#[allow(dead_code)] u8);
    core::hint::black_box(&mut StackLine(0));
}

#[cfg(test)]
mod tests;
