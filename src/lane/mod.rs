//! Several floats at once: the only place where an instruction set is named.
//!
//! A kernel is written once, generic over [`Lanes`], and tests one pair of shapes per lane. The
//! instances are [`One`] (`f32`, always compiled, always tested), [`Four`] (`wide::f32x4`: SSE2,
//! NEON, simd128) and, on x86-64 and chosen at run time, [`Avx2`] (8 lanes) and [`Avx512`] (16 lanes).
//!
//! # One answer everywhere
//!
//! Every operation is IEEE 754 addition, subtraction, multiplication, division, square root, a
//! comparison, a selection, or moves bits, so every instance gives the same bits. There is no
//! fused multiply-add, no reciprocal estimate, no sum across lanes and no transcendental function,
//! and none may be added.
//!
//! # Closures
//!
//! A closure inside a generic function is a function of its own, and loses the target features of
//! its caller (a sphere sweep went from 5.9 to 13.1 ns). Hot code uses `#[inline(always)]`
//! functions and plain loops.

// Without SSE2 floats are computed in software, as in kernels of operating systems: no vectors.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod avx512;
mod four;
mod one;
mod simd;
mod vec3;

#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use avx2::Avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
pub(crate) use avx512::Avx512;
pub(crate) use four::Four;
pub(crate) use one::One;
pub use simd::Simd;
pub(crate) use vec3::Vec3;

use core::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, Sub};

/// The most lanes that any instance has.
pub(crate) const MAX_LANES: usize = 16;

/// One yes or no per lane.
pub trait Mask: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> {
    /// Lane `i` in bit `i`, all other bits zero.
    fn bits(self) -> u64;
}

/// One float per lane.
///
/// Arithmetic is IEEE 754, rounded to nearest, subnormal numbers included. Comparisons with NaN
/// are false, apart from [`unordered`](Self::unordered).
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
    /// What a comparison yields.
    type Mask: Mask;

    /// `self <= other`
    fn le(self, other: Self) -> Self::Mask;
    /// `self < other`
    fn lt(self, other: Self) -> Self::Mask;
    /// `self` or `other` is NaN.
    fn unordered(self, other: Self) -> Self::Mask;
    /// `if mask { self } else { other }`
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `if mask { self } else { +0.0 }`
    fn keep(self, mask: Self::Mask) -> Self;
    /// `if self > other { self } else { other }`: `other` if either is NaN or both are zeros.
    fn max(self, other: Self) -> Self;
    /// `if self < other { self } else { other }`: `other` if either is NaN or both are zeros.
    fn min(self, other: Self) -> Self;
    /// Clears the sign bit.
    fn abs(self) -> Self;
    /// Correctly rounded; NaN below zero.
    fn sqrt(self) -> Self;
    /// For `self >= 0` below 2¹²⁶, the power of two that scales it into `0.5..1`; for zero and
    /// subnormal numbers 2¹²⁶. Anything else gives some number.
    fn power_of_two_below_inverse(self) -> Self;
}

/// The row that each lane reads, or the number.
pub trait Rows<R>: Copy {
    /// The row of one lane, below the number of lanes.
    fn row(&self, lane: usize) -> &R;
}

/// What is added to four numbers of a row: four of another.
#[derive(Clone, Copy)]
pub struct Partner {
    /// Which four, 0 being the first.
    pub quad: usize,
    /// The numbers whose sign is flipped first.
    pub flip: [bool; 4],
}

impl Partner {
    /// These four, some of them with the sign flipped.
    pub const fn new(quad: usize, flip: [bool; 4]) -> Self {
        Partner { quad, flip }
    }

    /// The sign bits to flip.
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

/// An instruction set that this CPU has.
///
/// A value is the proof, so the vectors it makes are safe to use.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// One float per lane.
    type F: Float<Mask = Self::M>;
    /// One yes or no per lane.
    type M: Mask;
    /// How many lanes there are.
    const COUNT: usize;

    /// One number in each lane.
    fn splat(self, x: f32) -> Self::F;
    /// Lane `i` reads `from[i]`. Panics if `from` is shorter than [`COUNT`](Self::COUNT).
    fn load(self, from: &[f32]) -> Self::F;
    /// Whether the absolute value of each of the numbers is at most `limit`, not NaN.
    ///
    /// As integers the bits of absolute values are in their order, NaN above all: one comparison.
    fn are_within<const N: usize>(self, numbers: [Self::F; N], limit: f32) -> Self::M;
    /// Lane `i` writes `to[i]`. Panics if `to` is shorter than [`COUNT`](Self::COUNT).
    fn store(self, x: Self::F, to: &mut [f32]);
    /// Writes past the caches (a non-temporal store), where the CPU can: for what outgrows them and would only
    /// push out other data. Call [`end_streams`](Self::end_streams) afterwards.
    fn stream(self, x: Self::F, to: &mut [f32]);
    /// After this, streamed numbers are written like all others.
    fn end_streams(self);
    /// Lane `i` reads `numbers.row(i)`.
    fn lookup(self, numbers: impl Rows<f32>) -> Self::F;
    /// Lane `i` reads `rows.row(i)`, one vector per number of a row. `W` is a multiple of 4.
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [Self::F; W];
    /// Lane `i` reads the sum of `a.row(i)` and of the partners in `b.row(i)`: one for each four
    /// numbers, or none, and then zeros. Those of the first two fours of a row lie side by side, or
    /// the other way round.
    ///
    /// Adding before transposing halves the shuffles.
    fn gather_sums<const W: usize>(
        self,
        a: impl Rows<[f32; W]>,
        b: impl Rows<[f32; W]>,
        partners: &'static [Option<Partner>],
    ) -> [Self::F; W];
    /// Whether, in lane `i`, each number of `a.row(i)` and the one four places on, or back, in
    /// `b.row(i)` add up to no more than `limit >= 0`. The fourth and the eighth number are marks,
    /// zero or both NaN; also whether one of the rows is so marked.
    ///
    /// A row is tested by one instruction, and never transposed.
    fn sums_at_most(
        self,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 8]>,
        limit: Self::F,
    ) -> (Self::M, Self::M);
    /// Lane `i` writes `rows[i]`: transposes as [`gather`](Self::gather) does. Panics if `rows` is
    /// shorter than [`COUNT`](Self::COUNT).
    fn scatter<const W: usize>(self, vectors: [Self::F; W], rows: &mut [[f32; W]]);
    /// Writes rows past the caches, as [`stream`](Self::stream).
    ///
    /// In order of memory: the CPU collects streamed numbers to lines, and writes in pieces what is not a
    /// line yet when it needs the place for another. Half lines of eight rows, then the other halves,
    /// took 29 ns a box in one process of three instead of 9 (1 M on Zen 4).
    #[inline(always)]
    fn scatter_stream<const W: usize>(self, vectors: [Self::F; W], rows: &mut [[f32; W]]) {
        let mut whole = [[0.0; W]; MAX_LANES];
        self.scatter(vectors, &mut whole);
        let from = whole[..Self::COUNT].as_flattened();
        let to = rows[..Self::COUNT].as_flattened_mut();
        let mut at = 0;
        while at < W * Self::COUNT {
            self.stream(self.load(&from[at..]), &mut to[at..]);
            at += Self::COUNT;
        }
    }
    /// Writes the pairs whose bits are in `which` to the front of `to`, side by side, and says how many
    /// they are. Up to as many places more are written as there are lanes, with what means nothing.
    /// Panics if `to` is shorter than that.
    #[inline(always)]
    fn pick(self, mut which: u64, pairs: &[[u32; 2]; 64], to: &mut [[u32; 2]]) -> usize {
        // A bit after the other: boxes with four lanes 7.4 ns, a pair after the other 7.8.
        let mut count = 0;
        while which != 0 {
            to[count] = pairs[which.trailing_zeros() as usize];
            which &= which - 1;
            count += 1;
        }
        count
    }
    /// Writes the numbers whose bits are in `which` to the front of `to`, side by side, and anything after
    /// them.
    #[inline(always)]
    fn pick_eight(self, which: u8, numbers: &[u32; 8], to: &mut [u32; 8]) {
        let places = &PLACES[which as usize];
        let mut k = 0;
        while k < 8 {
            to[k] = numbers[places[k] as usize & 7];
            k += 1;
        }
    }
    /// The low bits of `bits`, in order, at the places of those of `mask`.
    #[inline(always)]
    fn deposit(self, mut bits: u64, mut mask: u64) -> u64 {
        let mut deposited = 0;
        while mask != 0 {
            let lowest = mask & mask.wrapping_neg();
            deposited |= lowest & (bits & 1).wrapping_neg();
            mask ^= lowest;
            bits >>= 1;
        }
        deposited
    }
    /// Prefetches a row. Any index is fine.
    fn prefetch<T>(self, rows: &[T], index: usize);
    /// Runs a job compiled for this instruction set.
    fn run<J: Job>(self, job: J) -> J::Output;
    /// Calls a routine, compiled once for this instruction set.
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output;
}

/// A function that is too long for a copy in each loop that calls it.
pub trait Routine<L: Lanes> {
    /// What it is given.
    type Argument;
    /// What it returns.
    type Output;
    /// The function. Implementations are `#[inline(always)]`.
    fn run(lanes: L, argument: Self::Argument) -> Self::Output;
}

/// The places of the bits that are set in the index, then zeros.
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
    /// What it returns.
    type Output;
    /// The function. Implementations are `#[inline(always)]`.
    fn run<L: Lanes>(self, lanes: L) -> Self::Output;
}

/// A job over a range, which threads can share.
///
/// It is run with no more lanes than it has elements, so that a last group can begin earlier instead
/// of being cut short: one loop body serves every length.
#[cfg_attr(not(feature = "rayon"), allow(dead_code))]
pub trait Split: Job<Output: Send> + Send + Sized {
    /// The fewest elements worth a thread's while: some 50 µs of work. A thread that sleeps is awake
    /// after 10 to 60 µs.
    const GRAIN: usize;
    /// How many elements there are.
    fn len(&self) -> usize;
    /// The job on the first `middle` elements, a multiple of [`STEP`], and on the others.
    fn split_at(self, middle: usize) -> (Self, Self);
    /// What two pieces found, whichever comes first.
    fn merge(one: Self::Output, other: Self::Output) -> Self::Output;
}

/// Elements of which pieces are multiples: whole words of masks, as no two threads may write to one, whole
/// lines of rows, and whole blocks of boxes.
pub const STEP: usize = 1024;

/// Makes the calling function begin its stack frame at a cache line.
///
/// Otherwise it begins at any multiple of 16, and most of the vectors that do not fit into registers
/// lie across two lines: 1.1 to 1.2 times the time of boxes, depending on who called.
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
#[inline(always)]
fn align_stack() {
    #[repr(align(64))]
    struct Line(#[allow(dead_code)] u8);
    core::hint::black_box(&mut Line(0));
}

#[cfg(test)]
mod tests;
