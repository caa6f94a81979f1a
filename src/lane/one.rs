//! One lane: plain `f32`, the scalar reference on every target.

use super::{Double, Float, Job, Lanes, Mask, Partner, Routine, Rows};

/// One lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct One;

impl Mask for bool {
    #[inline(always)]
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

impl Float for f32 {
    type Mask = bool;

    #[inline(always)]
    fn le(self, other: f32) -> bool {
        self <= other
    }
    #[inline(always)]
    fn lt(self, other: f32) -> bool {
        self < other
    }
    #[inline(always)]
    fn unordered(self, other: f32) -> bool {
        self.is_nan() | other.is_nan()
    }
    #[inline(always)]
    fn select(self, mask: bool, other: f32) -> f32 {
        if mask { self } else { other }
    }
    #[inline(always)]
    fn masked(self, mask: bool) -> f32 {
        if mask { self } else { 0.0 }
    }
    #[inline(always)]
    fn max(self, other: f32) -> f32 {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: f32) -> f32 {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn abs(self) -> f32 {
        f32::from_bits(self.to_bits() & 0x7fff_ffff)
    }
    #[inline(always)]
    fn sqrt(self) -> f32 {
        // `f32::sqrt` needs `std`.
        wide::f32x4::splat(self).sqrt().as_array()[0]
    }
    #[inline(always)]
    fn recip_pow2(self) -> f32 {
        f32::from_bits(0x7e80_0000u32.wrapping_sub(self.to_bits() & 0x7f80_0000))
    }
}

impl Lanes for One {
    type F = f32;
    type M = bool;
    type Doubles = Double;
    const COUNT: usize = 1;

    #[inline(always)]
    fn doubles(self) -> Double {
        Double
    }

    #[inline(always)]
    fn splat(self, x: f32) -> f32 {
        x
    }
    #[inline(always)]
    fn load(self, from: &[f32]) -> f32 {
        from[0]
    }
    #[inline(always)]
    fn store(self, x: f32, to: &mut [f32]) {
        to[0] = x;
    }
    #[inline(always)]
    fn lookup(self, numbers: impl Rows<f32>) -> f32 {
        *numbers.row(0)
    }
    #[inline(always)]
    fn gather<const W: usize>(self, rows: impl Rows<[f32; W]>) -> [f32; W] {
        *rows.row(0)
    }
    #[inline(always)]
    fn gather_sums<const W: usize>(
        self,
        a: impl Rows<[f32; W]>,
        b: impl Rows<[f32; W]>,
        partners: &'static [Option<Partner>],
    ) -> [f32; W] {
        let (a, b) = (a.row(0), b.row(0));
        let mut sums = [0.0; W];
        let mut k = 0;
        while k < W {
            if let Some(Partner { quad, flip }) = partners[k / 4] {
                let mut i = 0;
                while i < 4 {
                    let x = b[4 * quad + i];
                    sums[k + i] = a[k + i] + if flip[i] { -x } else { x };
                    i += 1;
                }
            }
            k += 4;
        }
        sums
    }
    #[inline(always)]
    fn sums_at_most(
        self,
        a: impl Rows<[f32; 8]>,
        b: impl Rows<[f32; 8]>,
        limit: f32,
    ) -> (bool, bool) {
        let (a, b) = (a.row(0), b.row(0));
        let (mut at_most, mut k) = (true, 0);
        while k < 8 {
            at_most &= a[k] + b[k ^ 4] <= limit;
            k += 1;
        }
        (at_most, (a[3] + b[7]).is_nan())
    }
    #[inline(always)]
    fn scatter<const W: usize>(self, vectors: [f32; W], rows: &mut [[f32; W]]) {
        rows[0] = vectors;
    }
    #[inline(always)]
    fn prefetch<T>(self, _rows: &[T], _index: usize) {}
    #[inline(always)]
    fn run<J: Job>(self, job: J) -> J::Output {
        #[inline(never)]
        fn with_one<J: Job>(lanes: One, job: J) -> J::Output {
            job.run(lanes)
        }
        with_one(self, job)
    }
    #[inline(always)]
    fn call<R: Routine<Self>>(self, argument: R::Argument) -> R::Output {
        #[inline(never)]
        fn once<R: Routine<One>>(lanes: One, argument: R::Argument) -> R::Output {
            R::run(lanes, argument)
        }
        once::<R>(self, argument)
    }
}
