//! The loop before the loop, for one shape against all: [words](WORD) of shapes in a box that is
//! [apart](crate::kernel::cull::are_apart) from that of the one are not tested. The second call that has use
//! for boxes finds them, and they are known until the store changes.

use wide::f32x4;

use super::Settings;
use super::run::{Output, Run};
use super::source::{APART, AllColumns, Columns, Fetch, Side, Source};
use super::split::{STEP, Split, execute};
use crate::hits::WORD;
use crate::kernel::Test;
use crate::kernel::cull::{reach, widened};
use crate::lane::{Float, Job, Lanes, MAX_LANES, Vec3};
use crate::shapes::{BoundingBox, FEWEST_WORDS, Form, Shape, WordBoxes};

/// A run of which only words that are not known to be apart are tested.
pub struct Near<'a, V: Output, A, B, S>(pub Run<'a, V, A, B, S>);

impl<V, A, B, S> Job for Near<'_, V, A, B, S>
where
    V: Output,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let reach = reach(self.0.margin);
        let mut ahead = self.0;
        while ahead.len() > 0 {
            let word = ahead.first / WORD;
            let at = word % WordBoxes::COUNT;
            // Blocks begin at multiples, wherever a share begins.
            let apart = ahead.source.apart(lanes, word - at, reach) >> at;
            let middle = whole_words(&ahead, APART - at);
            let (block, others) = ahead.split_at(middle);
            test_near(lanes, block, long_stretches(apart));
            ahead = others;
        }
    }
}

/// Tests the words of a block that have no bit in `apart`.
#[inline(always)]
fn test_near<L, V, A, B, S>(lanes: L, block: Run<'_, V, A, B, S>, apart: u64)
where
    L: Lanes,
    V: Output,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    let (mut ahead, mut bits) = (block, apart);
    while ahead.len() > 0 {
        let skipped = bits.trailing_ones();
        if skipped > 0 {
            let middle = whole_words(&ahead, skipped as usize);
            let (apart, others) = ahead.split_at(middle);
            apart.out.miss();
            (ahead, bits) = (others, bits.unbounded_shr(skipped));
        }
        let near = bits.trailing_zeros();
        let middle = whole_words(&ahead, near as usize);
        let (near_ones, others) = ahead.split_at(middle);
        test_all(lanes, near_ones);
        (ahead, bits) = (others, bits.unbounded_shr(near));
    }
}

/// In a function of its own: with this loop around it, the other one spills more vectors.
#[inline(never)]
fn test_all<L: Lanes>(lanes: L, run: impl Job<Output = ()>) {
    lanes.run(run);
}

/// How many positions the first `words` of a run have. The last word has the rest too, less than a word.
#[inline(always)]
fn whole_words<V: Output, A, B, S>(run: &Run<'_, V, A, B, S>, words: usize) -> usize {
    let len = run.out.len;
    if words < len / WORD {
        words * WORD
    } else {
        len
    }
}

/// Only those bits that are at least [`FEWEST_WORDS`] in a row: beginning to test again takes as long as
/// testing a hundred pairs of spheres.
fn long_stretches(bits: u64) -> u64 {
    const { assert!(FEWEST_WORDS == 4) };
    let twos = bits & bits >> 1;
    let fours = twos & twos >> 2;
    let twos = fours | fours << 1;
    twos | twos << 2
}

impl<V, A, B, S> Split for Near<'_, V, A, B, S>
where
    V: Output,
    A: Test<V, B>,
    B: Shape,
    S: Source<V::Form<A>, V::Form<B>>,
{
    const GRAIN: usize = Run::<V, A, B, S>::GRAIN;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.0.split_at(middle);
        (Near(low), Near(high))
    }

    fn merge((): (), (): ()) {}
}

/// Has boxes found around each word of the shapes, if a call before found all good. They are a word or more.
pub fn find_boxes<F: Form>(settings: Settings, columns: &Columns<'_, F::Shape>) {
    if F::Shape::HAS_END
        && let Some(known) = columns.known()
    {
        known.find_boxes(F::MOVES, columns.len(), |boxes| {
            let shapes = AllColumns::<F>::new(columns.clone());
            let first = 0;
            execute(
                settings,
                FindBoxes {
                    shapes,
                    first,
                    boxes,
                },
            );
        });
    }
}

/// Finds boxes around words of shapes.
struct FindBoxes<'a, 'b, F: Form> {
    shapes: AllColumns<'a, F>,
    /// The word that the first box is around.
    first: usize,
    boxes: &'b mut [WordBoxes],
}

impl<F: Form> Job for FindBoxes<'_, '_, F> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let (words, rest) = (self.shapes.len() / WORD, self.shapes.len() % WORD);
        for (block, boxes) in self.boxes.iter_mut().enumerate() {
            let first = self.first + block * WordBoxes::COUNT;
            for word in first..words.min(first + WordBoxes::COUNT) {
                let mut around = around(lanes, &self.shapes, word * WORD);
                if word == words - 1 && rest > 0 {
                    let others = self::around(lanes, &self.shapes, word * WORD + rest);
                    around = BoundingBox::around(around, others);
                }
                if let Some(around) = around {
                    boxes.set(word - first, widened(across(lanes, around)));
                }
            }
        }
    }
}

/// The shapes that a block of boxes is around.
const SHAPES_OF_BLOCK: usize = WORD * WordBoxes::COUNT;

impl<F: Form> Split for FindBoxes<'_, '_, F> {
    const GRAIN: usize = 1 << 17;

    fn len(&self) -> usize {
        self.boxes.len() * SHAPES_OF_BLOCK
    }

    /// To whole blocks, as [`STEP`] is one.
    fn split_at(self, middle: usize) -> (Self, Self) {
        const { assert!(STEP.is_multiple_of(SHAPES_OF_BLOCK)) };
        let middle = middle / SHAPES_OF_BLOCK;
        let (low, high) = self.boxes.split_at_mut(middle);
        (
            FindBoxes {
                shapes: self.shapes.clone(),
                first: self.first,
                boxes: low,
            },
            FindBoxes {
                shapes: self.shapes,
                first: self.first + middle * WordBoxes::COUNT,
                boxes: high,
            },
        )
    }

    fn merge((): (), (): ()) {}
}

/// Boxes around the shapes of a word, which are dealt out to the lanes.
#[inline(always)]
fn around<F: Form, L: Lanes>(
    lanes: L,
    shapes: &AllColumns<'_, F>,
    first: usize,
) -> Option<BoundingBox<L::F>> {
    let shapes = shapes.word(first);
    let (mut around, mut at) = (None, 0);
    while at < WORD {
        around = BoundingBox::around(around, F::bounding_box(shapes.fetch(lanes, at).row));
        at += L::COUNT;
    }
    around
}

/// The box around those of all lanes.
#[inline(always)]
fn across<L: Lanes>(lanes: L, BoundingBox { low, high }: BoundingBox<L::F>) -> BoundingBox<f32> {
    let ([ax, ay, az], [bx, by, bz]) = (low.0, (-high).0);
    BoundingBox {
        low: Vec3([least(lanes, ax), least(lanes, ay), least(lanes, az)]),
        high: -Vec3([least(lanes, bx), least(lanes, by), least(lanes, bz)]),
    }
}

/// The least of all lanes.
#[inline(always)]
fn least<L: Lanes>(lanes: L, x: L::F) -> f32 {
    let mut all = [f32::INFINITY; MAX_LANES];
    lanes.store(x, &mut all);
    // Four at a time: one after the other, finding boxes took some 1.2 times as long.
    let [p, q, r, s]: [f32x4; MAX_LANES / 4] = bytemuck::must_cast(all);
    let [a, b, c, d] = p.fast_min(q).fast_min(r.fast_min(s)).to_array();
    Float::min(Float::min(a, b), Float::min(c, d))
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use core::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::detector::bounds::ScratchPairs;
    use crate::detector::source::{OneShape, Sides};
    use crate::shapes::{Moving, Shapes, Still};
    use crate::{Overlaps, Simd, Sphere, Spheres};

    const BALL: Sphere = Sphere {
        center: [0.0; 3],
        radius: 1.0,
    };

    fn line(len: usize) -> Spheres {
        let ball = |i| Sphere {
            center: [0.1 * i as f32, 0.0, 0.0],
            ..BALL
        };
        (0..len).map(ball).collect()
    }

    /// A job that runs on one of the instruction sets.
    struct With<T>(T);

    impl<S: Source<Still<Sphere>, Still<Sphere>>> Job for With<S> {
        type Output = u64;
        #[inline(always)]
        fn run<L: Lanes>(self, lanes: L) -> u64 {
            self.0.apart(lanes, 0, reach(0.0))
        }
    }

    fn settings(simd: Simd) -> Settings {
        Settings {
            simd,
            parallel: false,
            margin: 0.0,
        }
    }

    /// Which words of a line of balls are known to be apart from the first.
    fn apart<F: Form<Shape = Sphere>>(line: &Spheres, simd: Simd) -> u64 {
        let view = line.view();
        let columns = Columns::of(&view);
        find_boxes::<F>(settings(simd), &columns);
        let one = OneShape::<Still<Sphere>>::new(columns.clone(), 0);
        simd.run(With(Sides(one, AllColumns::new(columns))))
    }

    #[test]
    fn words_far_from_the_one_are_apart() {
        for simd in Simd::available() {
            let mut line = line(20 * WORD + 3);
            assert_eq!(apart::<Still<Sphere>>(&line, simd), 0, "nothing is known");
            line.view().known().unwrap().found_good(true);
            assert_eq!(apart::<Still<Sphere>>(&line, simd), 0xf_fffe, "{simd}");
            line.set(20 * WORD as u32 + 2, BALL).unwrap();
            line.view().known().unwrap().found_good(true);
            assert_eq!(apart::<Still<Sphere>>(&line, simd), 0x7_fffe, "{simd}");
            assert_eq!(apart::<Moving<Sphere>>(&line, simd), 0x7_fffe, "{simd}");
        }
    }

    #[test]
    fn threads_find_the_boxes_that_one_finds() {
        let found = |parallel: bool| {
            let line = line(260 * SHAPES_OF_BLOCK + 99);
            let view = line.view();
            view.known().unwrap().found_good(false);
            let settings = Settings {
                parallel,
                ..settings(Simd::best())
            };
            find_boxes::<Still<Sphere>>(settings, &Columns::of(&view));
            let boxes = view.known().unwrap().boxes(false).unwrap();
            let first_lanes = |boxes: &WordBoxes| {
                let BoundingBox { low, high } = boxes.load(crate::lane::One, 7);
                (low.0, high.0)
            };
            boxes.iter().map(first_lanes).collect::<Vec<_>>()
        };
        let alone = found(false);
        assert_eq!(alone.len(), 261);
        assert_eq!(alone, found(true));
    }

    /// Counts the words that are tested.
    #[derive(Clone)]
    struct Counted<'c, S>(S, &'c AtomicUsize);

    impl<A: Form, B: Form, S: Source<A, B>> Source<A, B> for Counted<'_, S> {
        type Window<'s>
            = S::Window<'s>
        where
            Self: 's;
        const WHOLE_WORDS: bool = S::WHOLE_WORDS;

        fn apart<L: Lanes>(&self, lanes: L, word: usize, reach: f32) -> u64 {
            self.0.apart(lanes, word, reach)
        }

        fn window<'s, L: Lanes>(
            &'s self,
            lanes: L,
            first: usize,
            len: usize,
            scratch: &'s mut ScratchPairs,
        ) -> S::Window<'s> {
            self.1.fetch_add(1, Ordering::Relaxed);
            self.0.window(lanes, first, len, scratch)
        }
    }

    #[test]
    fn a_share_that_begins_anywhere_leaves_out_as_much() {
        let line = line(500 * WORD);
        let view = line.view();
        view.known().unwrap().found_good(false);
        let columns = Columns::of(&view);
        let settings = settings(Simd::best());
        find_boxes::<Still<Sphere>>(settings, &columns);
        let mut out = Overlaps::new();
        for start in 0..40 {
            let tested = AtomicUsize::new(0);
            let one = OneShape::<Still<Sphere>>::new(columns.clone(), 0);
            let source = Counted(Sides(one, AllColumns::new(columns.clone())), &tested);
            let run = Run::<Overlaps, Sphere, Sphere, _>::new(source, 0.0, out.slices(line.len()));
            let (before, share) = Near(run).split_at(start * WORD);
            settings.simd.run(share);
            assert_eq!(tested.swap(0, Ordering::Relaxed), usize::from(start == 0));
            settings.simd.run(before);
            assert_eq!(tested.into_inner(), usize::from(start > 0), "{start}");
        }
    }

    #[test]
    fn only_long_stretches_are_worth_it() {
        assert_eq!(long_stretches(0b111), 0);
        assert_eq!(long_stretches(0b1_1110_0111_0111), 0b1_1110_0000_0000);
        assert_eq!(long_stretches(u64::MAX), u64::MAX);
        assert_eq!(long_stretches(0xf << 60), 0xf << 60);
    }
}
