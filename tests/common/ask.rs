//! Both verbs behind one name, for tests that run over the index.

use phalanx::{
    Detector, Error, Overlap, Overlaps, Pairs, Shape, Store, Sweep, Sweeps, TimeInterval,
};

/// What was said of a pair, times as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    pub hit: bool,
    pub invalid: bool,
    pub enter: u32,
    pub exit: u32,
}

impl Said {
    /// The times of a hit.
    pub fn time(self) -> Option<TimeInterval> {
        let (enter, exit) = (f32::from_bits(self.enter), f32::from_bits(self.exit));
        self.hit.then_some(TimeInterval { enter, exit })
    }
}

/// A verb.
pub trait Ask<A: Shape, B: Shape>: Default {
    /// Asks, looks at each way to read the answers, and appends them to `said`.
    fn ask(
        &mut self,
        detector: &mut Detector,
        a: &Store<A>,
        b: &Store<B>,
        pairs: Pairs<'_>,
        said: &mut Vec<Said>,
    ) -> Result<(), Error>;
}

/// Asks whether shapes touch now.
#[derive(Default)]
pub struct AskOverlap(Overlaps);
/// Asks when shapes touch.
#[derive(Default)]
pub struct AskSweep(Sweeps);

impl<A: Overlap<B>, B: Shape> Ask<A, B> for AskOverlap {
    fn ask(
        &mut self,
        detector: &mut Detector,
        a: &Store<A>,
        b: &Store<B>,
        pairs: Pairs<'_>,
        said: &mut Vec<Said>,
    ) -> Result<(), Error> {
        let out = &mut self.0;
        detector.overlap(a, b, pairs, out)?;
        assert_spare_bits_are_zero(out.words(), out.len());
        said.extend((0..out.len()).map(|i| Said {
            hit: out.is_hit(i),
            invalid: out.is_invalid(i),
            enter: 0,
            exit: 1f32.to_bits(),
        }));
        Ok(())
    }
}

impl<A: Sweep<B>, B: Shape> Ask<A, B> for AskSweep {
    fn ask(
        &mut self,
        detector: &mut Detector,
        a: &Store<A>,
        b: &Store<B>,
        pairs: Pairs<'_>,
        said: &mut Vec<Said>,
    ) -> Result<(), Error> {
        let out = &mut self.0;
        detector.sweep(a, b, pairs, out)?;
        assert_spare_bits_are_zero(out.words(), out.len());
        assert_eq!(
            (out.enter().len(), out.exit().len()),
            (out.len(), out.len())
        );
        for i in 0..out.len() {
            let (enter, exit) = (out.enter()[i], out.exit()[i]);
            if out.is_hit(i) {
                assert!(
                    0.0 <= enter && enter <= exit && exit <= 1.0,
                    "{enter} {exit}"
                );
                assert!(enter.is_sign_positive() && exit.is_sign_positive());
            } else {
                assert_eq!((enter, exit), (f32::INFINITY, f32::INFINITY));
            }
            said.push(Said {
                hit: out.is_hit(i),
                invalid: out.is_invalid(i),
                enter: enter.to_bits(),
                exit: exit.to_bits(),
            });
        }
        Ok(())
    }
}

fn assert_spare_bits_are_zero(words: &[u64], len: usize) {
    assert_eq!(words.len(), len.div_ceil(64));
    if !len.is_multiple_of(64) {
        assert_eq!(words[len / 64] >> (len % 64), 0);
    }
}

/// Asks without keeping anything.
pub fn ask<A: Shape, B: Shape, V: Ask<A, B>>(
    detector: &mut Detector,
    a: &Store<A>,
    b: &Store<B>,
    pairs: Pairs<'_>,
) -> Result<Vec<Said>, Error> {
    let mut said = Vec::new();
    V::default()
        .ask(detector, a, b, pairs, &mut said)
        .map(|()| said)
}
