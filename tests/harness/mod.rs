//! Kernels, inputs near contact, and the judgement of results by exact arithmetic.
#![allow(dead_code)]

pub mod compare;
pub mod contact;
pub mod fine;
pub mod impact;

use phalanx::{Detector, Pairs, Store, TimeInterval};

use crate::common::Sample;
use crate::common::ask::{PairAnswer, PairQuery, verbs};
use crate::oracle::{self, Exact};

/// A shape and its displacement.
pub type Moving<T> = (T, [f32; 3]);

/// A line of the index.
pub trait KernelCase: Send + Sync + 'static {
    const NAME: &'static str;
    type A: Sample;
    type B: Sample;
    type Verb: PairQuery<Self::A, Self::B>;

    /// The exact answer for a pair, and the judgement of the claimed times.
    fn exact(
        a: &Moving<Self::A>,
        b: &Moving<Self::B>,
        margin: f32,
        claim: Option<TimeInterval>,
    ) -> Exact;
}

/// Shapes `Self` and `B` with a line of verb `V`, by which tests of contacts and impacts find their pairs.
pub trait CaseOf<V, B>: Sized {
    type Case: KernelCase<A = Self, B = B, Verb = V>;
}

/// One type for each line of the index, with its name.
#[allow(non_camel_case_types)]
pub mod cells {
    use super::*;

    macro_rules! cells {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(
                pub struct $file;
                cells!(@ $verb, $file, $($shape),+);
            )*
        };
        (@ $verb:ident, $file:ident, $a:ident) => { cells!(@ $verb, $file, $a, $a); };
        (@ overlap, $file:ident, $a:ident, $b:ident) => {
            cells!(@@ overlap, $file, $a, $b, |a, b, margin, _claim| {
                oracle::$file::exact(&a.0, &b.0, margin)
            });
        };
        (@ sweep, $file:ident, $a:ident, $b:ident) => {
            cells!(@@ sweep, $file, $a, $b, |a, b, margin, claim| {
                oracle::$file::exact(a, b, margin, claim)
            });
        };
        (@@ $verb:ident, $file:ident, $a:ident, $b:ident,
         |$p:ident, $q:ident, $margin:ident, $claim:ident| $exact:block) => {
            impl CaseOf<verbs::$verb, phalanx::$b> for phalanx::$a {
                type Case = $file;
            }
            impl KernelCase for $file {
                const NAME: &'static str = stringify!($file);
                type A = phalanx::$a;
                type B = phalanx::$b;
                type Verb = verbs::$verb;
                fn exact(
                    $p: &Moving<phalanx::$a>,
                    $q: &Moving<phalanx::$b>,
                    $margin: f32,
                    $claim: Option<TimeInterval>,
                ) -> Exact $exact
            }
        };
    }
    phalanx::kernels!(cells);
}

/// Runs phalanx on pairs as they are generated.
pub struct QueryRunner<C: KernelCase> {
    answers: C::Verb,
    detector: Detector,
    a: Store<C::A>,
    b: Store<C::B>,
    said: Vec<PairAnswer>,
}

impl<C: KernelCase> Default for QueryRunner<C> {
    fn default() -> Self {
        QueryRunner {
            answers: C::Verb::default(),
            detector: Detector::new().parallel(false),
            a: Store::new(),
            b: Store::new(),
            said: Vec::new(),
        }
    }
}

impl<C: KernelCase> QueryRunner<C> {
    /// Results of the first of `a` against the first of `b`, and so on.
    pub fn ask(&mut self, a: &[Moving<C::A>], b: &[Moving<C::B>], margin: f32) -> &[PairAnswer] {
        if self.detector.settings().margin != margin {
            self.detector = std::mem::take(&mut self.detector).margin(margin).unwrap();
        }
        self.a.clear();
        self.b.clear();
        self.said.clear();
        for &(shape, displacement) in a {
            self.a.push_moving(shape, displacement);
        }
        for &(shape, displacement) in b {
            self.b.push_moving(shape, displacement);
        }
        let (detector, said) = (&mut self.detector, &mut self.said);
        self.answers
            .ask(detector, &self.a, &self.b, Pairs::zip(), said)
            .unwrap();
        &self.said
    }

    /// Whether phalanx reports a pair as a hit.
    pub fn hits(&mut self, a: &Moving<C::A>, b: &Moving<C::B>, margin: f32) -> bool {
        let said = self.ask(std::slice::from_ref(a), std::slice::from_ref(b), margin)[0];
        assert!(!said.invalid);
        said.hit
    }
}
