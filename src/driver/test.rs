//! The test that runs on every pair: its table, and the loop of each source.

use crate::driver;
use crate::driver::pack::{FormTable, PairForms};
use crate::driver::rows::{PairColumns, PairRows, PairShapes};
use crate::driver::run::{Run, Span};
use crate::driver::scan;
use crate::driver::scan::ScanShapes;
use crate::driver::source::{Test, Verb};
use crate::driver::threads::Divide;
use crate::lane::{Simd, split};
use crate::shapes::shape::Shape;

/// The source of the pairs of a call, untyped.
#[derive(Clone, Copy)]
pub enum AnySource<'s> {
    Pairs(PairShapes<'s>),
    /// With the pairs, as a rule.
    Scan(ScanShapes<'s>, PairShapes<'s>),
}

/// Tests a span of positions.
pub struct TestJob<'a, 's> {
    /// By reference: the source is large, and each step of a call would copy it.
    pub source: &'a AnySource<'s>,
    pub span: Span<'a>,
}

impl Divide for TestJob<'_, '_> {
    split! { len: span, source: shared, span: slice }
}

/// Tests a span of positions by the kernel of `A` and `B`.
pub fn test<V: Verb, A: Test<V, B>, B: Shape>(simd: Simd, job: TestJob<'_, '_>) {
    let TestJob { source, span } = job;
    match *source {
        AnySource::Pairs(ref shapes) => match &shapes.rows {
            Some(rows) if PairRows::<V::Form<A>, V::Form<B>>::read_sides_of(&shapes.list) => {
                let rows = PairRows::new(shapes.list, rows);
                driver::culling::test_rows::<V, A, B>(simd, Run::new(rows, span));
            }
            _ => {
                let columns = PairColumns::new(shapes.list, shapes.columns);
                simd.run(Run::<V, A, B, _>::new(columns, span));
            }
        },
        AnySource::Scan(shapes, _) => scan::test::<V, A, B>(simd, shapes, span),
    }
}

/// The table of the test that runs on every pair.
pub struct TestTable {
    pub forms: PairForms,
    /// Whether a pair takes a search.
    pub is_slow: bool,
    pub test: fn(Simd, TestJob<'_, '_>),
}

impl TestTable {
    /// The table of the verb `V` for `A` against `B`.
    pub const fn of<V: Verb, A: Test<V, B>, B: Shape>() -> Self {
        TestTable {
            forms: PairForms {
                a: <V::Form<A> as FormTable>::OPS,
                b: <V::Form<B> as FormTable>::OPS,
                columns: size_of::<V::Columns<f32>>() / size_of::<f32>(),
            },
            is_slow: false,
            test: test::<V, A, B>,
        }
    }

    /// Grain of the test: the minimum number of pairs for a thread.
    ///
    /// The row size estimates the kernel's cost, at 64 bytes per ns. Half this grain is faster on some CPUs, but
    /// faster cores gain less and wake no faster (notes: figures moved from the source).
    pub fn grain(&self) -> usize {
        (3 << if self.is_slow { 14 } else { 18 }) / (self.forms.a.width + self.forms.b.width)
    }
}
