//! Both verbs behind one name, for tests that run over the index. A verb is named by its output.

use std::fmt::Debug;

use phalanx::query::{Query, Supports};
use phalanx::traits::Shape;
use phalanx::{Detector, Error, Overlaps, Pairs, Store, Sweeps, TimeInterval};

/// The verbs by the names of the index.
#[allow(non_camel_case_types)]
pub mod verbs {
    pub type overlap = phalanx::Overlaps;
    pub type sweep = phalanx::Sweeps;
}

/// Result for a pair, times as bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairAnswer {
    pub hit: bool,
    pub invalid: bool,
    pub enter: u32,
    pub exit: u32,
}

impl PairAnswer {
    /// The times of a hit.
    pub fn time(self) -> Option<TimeInterval> {
        let (enter, exit) = (f32::from_bits(self.enter), f32::from_bits(self.exit));
        self.hit.then_some(TimeInterval { enter, exit })
    }
}

/// The output of a verb.
pub trait Output: Default + Clone + PartialEq + Debug {
    /// Whether the verb reads displacements.
    const MOVES: bool;
    /// Compares all accessors of the results, and appends the results to `said`.
    fn read(&self, said: &mut Vec<PairAnswer>);
    /// The positions of invalid pairs, and their reported number.
    fn invalid(&self) -> (Vec<usize>, usize);
}

impl Output for Overlaps {
    const MOVES: bool = false;

    fn read(&self, said: &mut Vec<PairAnswer>) {
        assert_spare_bits_are_zero(self.words(), self.len());
        said.extend((0..self.len()).map(|i| PairAnswer {
            hit: self.is_hit(i),
            invalid: self.is_invalid(i),
            enter: 0,
            exit: 1f32.to_bits(),
        }));
    }

    fn invalid(&self) -> (Vec<usize>, usize) {
        (self.iter_invalid().collect(), self.invalid_count())
    }
}

impl Output for Sweeps {
    const MOVES: bool = true;

    fn read(&self, said: &mut Vec<PairAnswer>) {
        assert_spare_bits_are_zero(self.words(), self.len());
        assert_eq!(
            (self.enter().len(), self.exit().len()),
            (self.len(), self.len())
        );
        for i in 0..self.len() {
            let (enter, exit) = (self.enter()[i], self.exit()[i]);
            if self.is_hit(i) {
                assert!(
                    0.0 <= enter && enter <= exit && exit <= 1.0,
                    "{enter} {exit}"
                );
                assert!(enter.is_sign_positive() && exit.is_sign_positive());
            } else {
                assert_eq!((enter, exit), (f32::INFINITY, f32::INFINITY));
            }
            said.push(PairAnswer {
                hit: self.is_hit(i),
                invalid: self.is_invalid(i),
                enter: enter.to_bits(),
                exit: exit.to_bits(),
            });
        }
    }

    fn invalid(&self) -> (Vec<usize>, usize) {
        (self.iter_invalid().collect(), self.invalid_count())
    }
}

fn assert_spare_bits_are_zero(words: &[u64], len: usize) {
    assert_eq!(words.len(), len.div_ceil(64));
    if !len.is_multiple_of(64) {
        assert_eq!(words[len / 64] >> (len % 64), 0);
    }
}

/// A verb of shapes `A` against shapes `B`.
pub trait PairQuery<A: Shape, B: Shape>: Output {
    /// Runs the verb into `self`.
    fn call(
        &mut self,
        detector: &mut Detector,
        a: &Store<A>,
        b: &Store<B>,
        pairs: Pairs<'_>,
    ) -> Result<(), Error>;

    /// Runs the verb, and appends the results to `said`.
    fn ask(
        &mut self,
        detector: &mut Detector,
        a: &Store<A>,
        b: &Store<B>,
        pairs: Pairs<'_>,
        said: &mut Vec<PairAnswer>,
    ) -> Result<(), Error> {
        self.call(detector, a, b, pairs)?;
        self.read(said);
        Ok(())
    }
}

impl<A, B, V> PairQuery<A, B> for V
where
    A: Supports<V, B>,
    B: Shape,
    V: Output + for<'o> Query<Out<'o> = &'o mut V>,
{
    fn call(
        &mut self,
        detector: &mut Detector,
        a: &Store<A>,
        b: &Store<B>,
        pairs: Pairs<'_>,
    ) -> Result<(), Error> {
        detector.query::<V, _, _>(a, b, pairs, self)
    }
}

/// Runs the verb with new outputs.
pub fn ask<A: Shape, B: Shape, V: PairQuery<A, B>>(
    detector: &mut Detector,
    a: &Store<A>,
    b: &Store<B>,
    pairs: Pairs<'_>,
) -> Result<Vec<PairAnswer>, Error> {
    let mut said = Vec::new();
    V::default()
        .ask(detector, a, b, pairs, &mut said)
        .map(|()| said)
}
