//! Tests of hulls: the kernel of the boxes around them, then the search of its hits.

use core::marker::PhantomData;

use crate::driver::run::{MAX_COLUMNS, Span};
use crate::driver::source::Verb;
use crate::driver::test::{AnySource, TestJob, TestTable};
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, Simd, WORD};
use crate::narrow::convex::stages::queue::Queue;
use crate::narrow::convex::stages::read::Kinds;

/// The verbs whose hits are searched.
pub trait Refined: Verb {
    /// Earlier results of pairs that are searched again.
    type Found: Default;

    /// Searches the pairs of a batch, and removes them. Some are moved to `rest`, which is not full, and searched when it is, or
    /// at the end.
    fn search_all<'s, L: Lanes>(
        lanes: L,
        queue: &mut Queue<'_, 's>,
        rest: (&mut Queue<'_, 's>, &mut Self::Found),
        is_end: bool,
        out: &mut HullHits<'_, '_>,
    );
}

/// The tables of a verb.
macro_rules! refined {
    ($verb:ident => $($a:ident, $b:ident: $box_a:ident, $box_b:ident, $points:literal, $clamps:literal;)+) => {
        $(impl TableOf<$verb, $b> for $a {
            const TABLE: TestTable = TestTable {
                is_slow: true,
                is_refined: false,
                test: |simd, job| {
                    static BOXES: TestTable = <$box_a as TableOf<$verb, $box_b>>::TABLE;
                    test::<$verb>(simd, job, &BOXES, Kinds::of::<$box_a, $box_b>())
                },
                ..<$box_a as TableOf<$verb, $box_b>>::TABLE
            }
            .with_grain();
        })+
    };
}
pub(super) use refined;

/// Runs the test of boxes, then the search of its hits.
pub fn test<V: Refined>(simd: Simd, job: TestJob<'_, '_>, boxes: &TestTable, kinds: Kinds) {
    let TestJob { source, mut span } = job;
    let hits = TestJob {
        source,
        span: span.reborrow(),
    };
    (boxes.test)(simd, hits);
    simd.run(Refine::<V> {
        source,
        span,
        kinds,
        verb: PhantomData,
    });
}

/// Results of a span of pairs.
pub struct HullHits<'h, 'n> {
    hits: &'h mut [u64],
    pub numbers: [&'n mut [f32]; MAX_COLUMNS],
}

impl HullHits<'_, '_> {
    /// Writes the result of a hit of the boxes.
    #[inline(always)]
    pub fn set(&mut self, place: usize, (is_hit, found): (bool, [f32; 2])) {
        if !is_hit {
            self.hits[place / WORD] &= !(1 << (place % WORD));
        }
        for (column, x) in self.numbers.iter_mut().zip(found) {
            if let Some(number) = column.get_mut(place) {
                *number = x;
            }
        }
    }
}

/// Searches the hits of a span.
struct Refine<'a, 's, V> {
    source: &'a AnySource<'s>,
    span: Span<'a>,
    kinds: Kinds,
    verb: PhantomData<V>,
}

impl<V: Refined> Job for Refine<'_, '_, V> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Refine {
            source,
            span,
            kinds,
            ..
        } = self;
        let (list, columns) = match source {
            AnySource::Pairs(shapes) | AnySource::Scan(_, shapes, _) => {
                (&shapes.list, shapes.columns)
            }
        };
        let [side_a, side_b] = list.sides();
        let Span {
            margin,
            first,
            hits,
            columns: numbers,
            ..
        } = span;
        let sides = [columns[0], columns[1]];
        let mut queue = Queue::new(kinds, sides, margin);
        let mut rest = Queue::new(kinds, sides, margin);
        let mut found = V::Found::default();
        let mut out = HullHits { hits, numbers };
        let (mut word, mut left, mut is_end) = (0, 0u64, false);
        while !is_end {
            while left == 0 && word < out.hits.len() {
                left = out.hits[word];
                word += 1;
            }
            is_end = left == 0;
            while left != 0 && queue.batch.len < L::COUNT {
                let place = (word - 1) * WORD + left.trailing_zeros() as usize;
                left &= left - 1;
                let pair = list.at((first + place) as u32);
                queue.push(place, [pair[side_a] as usize, pair[side_b] as usize]);
            }
            // The only call: the code is long.
            let is_due = queue.batch.len == L::COUNT
                || (is_end && (queue.batch.len > 0 || rest.batch.len > 0));
            if is_due {
                let rest = (&mut rest, &mut found);
                V::search_all(lanes, &mut queue, rest, is_end, &mut out);
            }
        }
    }
}
