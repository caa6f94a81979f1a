//! The detector: settings, memory that frames reuse, and the two verbs.
//!
//! A call goes through four steps. Each is a job that runs on the calling thread, or is shared with
//! the rayon pool ([`split`]).
//!
//! 1. Check the pair list ([`bounds`]); a refused call changes nothing. Long lists are checked as they are
//!    tested ([`list`]), in memory that becomes the output's if all is well.
//! 2. Choose where lanes come from ([`source`]), and pack the shapes as rows if that pays ([`pack`]) and they are
//!    not kept from calls before ([`rows`]).
//! 3. Make room in the output.
//! 4. Fetch lanes, run the kernel, write masks and times ([`run`]); of long lists first reject
//!    what can be rejected at less cost ([`cull`]), and of one shape against all what lies in boxes far
//!    from it ([`near`]).

mod bounds;
mod cull;
mod entry;
mod list;
mod near;
mod pack;
mod rows;
mod run;
mod source;
mod split;

use core::any::TypeId;

use crate::hits::WORD;
use crate::kernel::reading::Reading;
use crate::kernel::{Test, Verb};
use crate::pairs::Kind;
use crate::shapes::{Form, Known, Shape, Shapes};
use crate::{Error, MAX_LENGTH, Overlaps, Pair, Pairs, Simd, Sweeps};
use bounds::{CheckedPairs, IndexPair, Named};
use cull::TestRows;
use entry::{Entry, Question};
pub use entry::{Overlap, Sweep};
use list::{Checked, Unchecked};
use near::{Near, find_boxes};
use pack::STREAM_FROM;
use rows::{KeptRows, ListSides};
use run::{Output, Run};
use source::{Ahead, AllColumns, NamedColumns, OneShape, PackedRows, Sides, Source};
use split::execute;

/// How a [`Detector`] works.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// The instruction set.
    pub simd: Simd,
    /// Whether long lists are shared with the current rayon pool.
    pub parallel: bool,
    /// Shapes at most this far apart count as touching.
    pub margin: f32,
}

impl Settings {
    /// With no more lanes than a kernel reads rows into.
    fn to_read_rows<V: Verb, A: Test<V, B>, B: Shape>(self) -> Self {
        let most = <A::Reading as Reading<V::Form<A>, V::Form<B>>>::ROW_LANES;
        Settings {
            simd: self.simd.of_at_most(most),
            ..self
        }
    }
}

/// Tests pairs of shapes.
///
/// Keep one per thread and use it every frame: it owns the memory that a call needs, so that after
/// the first call of a size over the same stores no serial call allocates. It also keeps what it has made of a
/// few stores, and uses it until they change: shapes that rest had better be in a store of their own.
///
/// ```
/// use phalanx::{Detector, Obb, Obbs, Overlaps, Pair};
///
/// let mut boxes = Obbs::new();
/// let unit = Obb { center: [0.0; 3], half_extents: [1.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
/// let a = boxes.push(unit);
/// let b = boxes.push(Obb { center: [1.5, 0.0, 0.0], ..unit });
/// let c = boxes.push(Obb { center: [9.0, 0.0, 0.0], ..unit });
///
/// let mut detector = Detector::new();
/// let mut overlaps = Overlaps::new();
/// detector.overlap(&boxes, &boxes, &[Pair { a, b }, Pair { a, b: c }], &mut overlaps)?;
/// assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0]);
/// # Ok::<(), phalanx::Error>(())
/// ```
///
/// A pair of shapes without a kernel does not compile:
///
/// ```compile_fail,E0277
/// # use phalanx::{Detector, Obbs, Pair, Sweeps};
/// # let (boxes, mut sweeps) = (Obbs::new(), Sweeps::new());
/// Detector::new().sweep(&boxes, &boxes, &[Pair { a: 0, b: 0 }], &mut sweeps);
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    settings: Settings,
    rows: KeptRows,
    /// What long lists are answered to until all of them is checked.
    spares: (Overlaps, Sweeps),
}

// One detector per thread, made anywhere.
const _: () = {
    const fn portable<T: Send + Sync + 'static>() {}
    portable::<Detector>();
    portable::<Overlaps>();
    portable::<Sweeps>();
    portable::<crate::Spheres>();
    portable::<crate::Aabbs>();
    portable::<crate::Obbs>();
    portable::<crate::Planes>();
    portable::<crate::HalfSpaces>();
};

/// Rows are packed if the list names no more than this many shapes for each pair, of which there are none yet.
/// Packing costs more than it saves otherwise.
///
/// ns per pair by rows and by columns on Zen 4 with AVX2 (AVX-512 and 4096 shapes turn at the same place,
/// SSE2 one step before):
///
/// | shapes per pair, of 65 536 | 2 | 3 | 4 | 8 |
/// |---|---|---|---|---|
/// | overlap of spheres | 2.4, 2.9 | 2.1, 2.3 | 2.5, 2.3 | 4.2, 2.4 |
/// | sweep of spheres | 4.4, 5.3 | 5.1, 5.5 | 6.1, 6.5 | 9.2, 6.6 |
/// | overlap of AABBs | 2.3, 2.9 | 3.1, 3.1 | 5.5, 4.4 | 8.1, 3.9 |
/// | sweep of AABBs | 4.8, 5.1 | 6.5, 5.5 | 8.0, 6.0 | 14.7, 7.4 |
/// | overlap of OBBs | 8.4, 11.8 | 10.2, 11.7 | 12.4, 12.0 | 20.0, 13.0 |
const PACKED_SHAPES_PER_PAIR: usize = 3;

/// The same, if the rows outgrow the caches and neighbours in the list are not neighbours in the
/// store: each number of a shape then comes from memory by itself.
///
/// | shapes per pair, of 1 M | 4 | 6 | 8 | 12 |
/// |---|---|---|---|---|
/// | overlap of spheres | 10.6, 11.6 | 15.8, 15.2 | 21.8, 21.3 | 22.0, 14.7 |
/// | sweep of spheres | 17.9, 27.7 | 26.1, 31.9 | 36.4, 36.1 | 45.6, 43.8 |
/// | overlap of AABBs | 15.1, 20.2 | 20.1, 21.7 | 25.0, 23.2 | 30.9, 24.3 |
/// | sweep of AABBs | 28.7, 28.4 | 37.5, 35.0 | 42.7, 38.9 | 55.0, 46.0 |
/// | overlap of OBBs | 34.4, 35.4 | 41.0, 44.6 | 47.5, 53.0 | 62.3, 62.8 |
const PACKED_SHAPES_PER_FAR_PAIR: usize = 8;

/// Rows are asked for ahead of their use if they and the times that are written take more bytes than
/// this: more than caches close to a core hold. On Zen 4, whose second one holds 1 MB, it costs an
/// overlap of AABBs 17 % at 2 MB of rows, and saves 20 % at 4 MB and 53 % at 32 MB; it saves a sweep of
/// spheres 10 % at 2 MB of rows and 8 MB of times.
const PREFETCH_ABOVE: usize = 3 << 20;

/// Lists of this length and more are checked as they are tested. Shorter ones fit a cache close to a
/// core, from which a check costs less than 0.1 ns a pair (0.15 from Zen 4's third one, 0.4 from memory).
const LONG_LIST: usize = 1 << 17;

impl Detector {
    /// The best instruction set of this CPU, every core (with the feature `rayon`), no margin.
    pub fn new() -> Self {
        let settings = Settings {
            simd: Simd::best(),
            parallel: cfg!(feature = "rayon"),
            margin: 0.0,
        };
        Detector {
            settings,
            rows: KeptRows::default(),
            spares: Default::default(),
        }
    }

    /// Whether to share long lists with the rayon pool that a call is made from, or the global one from outside of
    /// any. The calling thread works too, and short lists never leave it. While a pool is busy, a call from outside
    /// may have to wait for it. Without the feature `rayon` this does nothing.
    ///
    /// It changes no answer, not even in the last bit.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.settings.parallel = parallel;
        self
    }

    /// Which instruction set to use.
    ///
    /// It changes no answer, not even in the last bit.
    #[must_use]
    pub fn simd(mut self, simd: Simd) -> Self {
        self.settings.simd = simd;
        self
    }

    /// Also reports pairs that are at most `margin` apart. Boxes grow by it along their own axes, so
    /// by up to √3 times as much at their corners.
    ///
    /// # Errors
    ///
    /// [`Error::BadMargin`] if it is negative, NaN, or above [`MAX_LENGTH`].
    pub fn margin(mut self, margin: f32) -> Result<Self, Error> {
        if !(0.0..=MAX_LENGTH).contains(&margin) {
            return Err(Error::BadMargin { margin });
        }
        self.settings.margin = margin;
        Ok(self)
    }

    /// How this detector works.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Which pairs touch now. Displacements are ignored.
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one answer for each pair.
    ///
    /// # Errors
    ///
    /// [`Error::PairOutOfBounds`], [`Error::LengthMismatch`] for [`Pairs::zip`] or
    /// [`Error::IndexOutOfBounds`] for [`Pairs::one_to_all`]; `out` is then as it was.
    pub fn overlap<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out: &mut Overlaps,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Overlap<B::Shape>,
    {
        <A::Shape as Entry<Overlaps, B::Shape>>::call(self, &a.view(), &b.view(), pairs.into(), out)
    }

    /// Which pairs touch while each shape moves by its displacement, and when.
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one answer for each pair.
    ///
    /// # Errors
    ///
    /// [`Error::PairOutOfBounds`], [`Error::LengthMismatch`] for [`Pairs::zip`] or
    /// [`Error::IndexOutOfBounds`] for [`Pairs::one_to_all`]; `out` is then as it was.
    pub fn sweep<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out: &mut Sweeps,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Sweep<B::Shape>,
    {
        <A::Shape as Entry<Sweeps, B::Shape>>::call(self, &a.view(), &b.view(), pairs.into(), out)
    }

    #[inline(never)]
    fn answer<V, A, B>(&mut self, question: Question<'_, A, B>, out: &mut V) -> Result<(), Error>
    where
        V: TestRows,
        A: Test<V, B>,
        B: Shape,
    {
        let settings = self.settings;
        let Question { a, b, .. } = question;
        let (len_a, len_b) = (a.len(), b.len());
        let (known_a, known_b) = (a.known(), b.known());
        // As the caller named the stores.
        let (first, second) = if question.swapped {
            (len_b, len_a)
        } else {
            (len_a, len_b)
        };
        let mut few: [Pair; WORD];
        let pairs = match question.pairs.0 {
            Kind::Zip if len_a != len_b => {
                return Err(Error::LengthMismatch {
                    len_a: first,
                    len_b: second,
                });
            }
            Kind::OneToAll(index) if index as usize >= first => {
                return Err(Error::IndexOutOfBounds { index, len: first });
            }
            Kind::List(pairs) => pairs,
            kind if second < WORD => {
                few = [Pair { a: 0, b: 0 }; WORD];
                for (pair, b) in few[..second].iter_mut().zip(0..) {
                    let a = if let Kind::OneToAll(index) = kind {
                        index
                    } else {
                        b
                    };
                    *pair = Pair { a, b };
                }
                &few[..second]
            }
            Kind::Zip => {
                let source = Sides(AllColumns::new(a), AllColumns::new(b));
                run::<V, A, B>(settings, source, out, second);
                remember_if_good::<V, A>(out, [known_a, known_b]);
                return Ok(());
            }
            Kind::OneToAll(index) if question.swapped => {
                let one = OneShape::<V::Form<B>>::new(b, index as usize);
                if one.has_box() {
                    find_boxes::<V::Form<A>>(settings, &a);
                }
                run_near::<V, A, B>(settings, Sides(AllColumns::new(a), one), out, second);
                remember_if_good::<V, A>(out, [known_a, None]);
                return Ok(());
            }
            Kind::OneToAll(index) => {
                let one = OneShape::<V::Form<A>>::new(a, index as usize);
                if one.has_box() {
                    find_boxes::<V::Form<B>>(settings, &b);
                }
                run_near::<V, A, B>(settings, Sides(one, AllColumns::new(b)), out, second);
                remember_if_good::<V, A>(out, [None, known_b]);
                return Ok(());
            }
        };
        let list = ListQuestion {
            sides: ListSides {
                a: &a,
                b: &b,
                shared: TypeId::of::<A>() == TypeId::of::<B>() && a.same_as(&b),
            },
            pairs,
            lens: [first, second],
            swapped: question.swapped,
        };
        let answered = if list.is_long() {
            self.answer_long_list(&list, out)
        } else {
            self.answer_list(&list, out)
        };
        answered.ok_or_else(|| first_out_of_bounds(pairs, first, second))
    }

    /// None if there are no shapes at an index.
    fn answer_list<V, A, B>(
        &mut self,
        question: &ListQuestion<'_, '_, A, B>,
        out: &mut V,
    ) -> Option<()>
    where
        V: TestRows,
        A: Test<V, B>,
        B: Shape,
    {
        let (settings, sides) = (self.settings, question.sides);
        let (list, named) = CheckedPairs::new(settings, question.pairs, question.lens)?;
        let (list, mut named) = if question.swapped {
            (list.swapped(), named.swapped())
        } else {
            (list, named)
        };
        if sides.shared {
            named.share();
        }
        let shapes = named.count(sides.shared);
        let (pairs, (_, side_b)) = (list.pairs(), list.sides());
        let row_size = size_of::<RowOf<V, A>>().max(size_of::<RowOf<V, B>>());
        let outgrows_caches = shapes * row_size >= STREAM_FROM;
        let shapes_per_pair = if outgrows_caches && is_scattered(pairs, side_b) {
            PACKED_SHAPES_PER_FAR_PAIR
        } else {
            PACKED_SHAPES_PER_PAIR
        };
        let worth = pairs.len() * shapes_per_pair;
        let rows = &mut self.rows;
        let found = rows.begin::<V::Form<A>, V::Form<B>>(sides);
        if rows.missing(found, &named) > worth {
            let source = NamedColumns::new(list, sides.a.clone(), sides.b.clone());
            run::<V, A, B>(settings, source, out, pairs.len());
            rows.pack_further::<V::Form<A>, V::Form<B>>(settings, sides, found, worth);
            return Some(());
        }

        let (rows_a, rows_b) =
            rows.packed::<V::Form<A>, V::Form<B>>(settings, sides, found, &named);
        let ahead = question.ahead::<V>(shapes);
        let settings = settings.to_read_rows::<V, A, B>();
        let slices = out.slices(pairs.len());
        if ahead.a | ahead.b {
            let rows = PackedRows::<_, _, true>::new(list, rows_a, rows_b, ahead);
            let run = Run::new(rows, settings.margin, slices);
            execute(settings, Checked::<V, A, B, true>(run));
        } else {
            let rows = PackedRows::<_, _, false>::new(list, rows_a, rows_b, ahead);
            let run = Run::new(rows, settings.margin, slices);
            execute(settings, Checked::<V, A, B, false>(run));
        }
        Some(())
    }

    /// The same for long lists, which are read once. Answers go to other memory, which is exchanged for
    /// that of `out` if all is well.
    fn answer_long_list<V, A, B>(
        &mut self,
        question: &ListQuestion<'_, '_, A, B>,
        out: &mut V,
    ) -> Option<()>
    where
        V: TestRows,
        A: Test<V, B>,
        B: Shape,
    {
        let &ListQuestion {
            sides,
            pairs,
            lens,
            swapped,
        } = question;
        let named = Named {
            a: 0..sides.a.len(),
            b: 0..sides.b.len(),
        };
        let shapes = named.count(sides.shared);
        let (settings, rows) = (self.settings, &mut self.rows);
        let found = rows.begin::<V::Form<A>, V::Form<B>>(sides);
        let (rows_a, rows_b) =
            rows.packed::<V::Form<A>, V::Form<B>>(settings, sides, found, &named);
        let settings = settings.to_read_rows::<V, A, B>();
        let spare = V::spare(&mut self.spares);
        let test = Unchecked::<V, A, B> {
            pairs,
            lens,
            swapped,
            rows_a,
            rows_b,
            ahead: Ahead {
                list: true,
                ..question.ahead::<V>(shapes)
            },
            margin: settings.margin,
            out: spare.slices(pairs.len()),
        };
        execute(settings, test).then(|| {
            core::mem::swap(out, spare);
            spare.reserve(pairs.len());
        })
    }
}

/// What a call asks of a list.
#[derive(Clone, Copy)]
struct ListQuestion<'a, 'c, A: Shape, B: Shape> {
    sides: ListSides<'a, 'c, A, B>,
    /// As the caller has them.
    pairs: &'a [Pair],
    /// How many shapes there are at the first of each pair, and at the second.
    lens: [usize; 2],
    /// The caller's first store is `b`.
    swapped: bool,
}

impl<A: Shape, B: Shape> ListQuestion<'_, '_, A, B> {
    /// Whether the list outgrows the caches close to a core, and names so many shapes that all may be
    /// packed. Memory for the times of a sweep is then there twice: 4 M sweeps of spheres 1.04 to 1.08 times
    /// the speed, of AABBs 1.0 to 1.06. In small pages it was 0.87.
    fn is_long(&self) -> bool {
        let shapes = self.lens.iter().sum::<usize>();
        self.pairs.len() >= LONG_LIST
            && self.pairs.len() >= 2 * shapes
            && reaches_far(self.pairs, self.lens)
    }

    /// Of which sides rows are to be asked for ahead of their use.
    fn ahead<V: Output>(&self, shapes: usize) -> Ahead
    where
        A: Test<V, B>,
    {
        let row_size = size_of::<RowOf<V, A>>().max(size_of::<RowOf<V, B>>());
        let far = shapes * row_size + self.pairs.len() * V::TIME_BYTES > PREFETCH_ABOVE;
        let pairs = bytemuck::must_cast_slice(self.pairs);
        let sides = (usize::from(self.swapped), usize::from(!self.swapped));
        Ahead {
            a: far && is_scattered(pairs, sides.0),
            b: far && is_scattered(pairs, sides.1),
            list: false,
        }
    }
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

/// A shape as a verb packs it.
type RowOf<V, T> = <<V as Verb>::Form<T> as Form>::Row;

fn run<V: Output, A: Test<V, B>, B: Shape>(
    settings: Settings,
    source: impl Source<V::Form<A>, V::Form<B>>,
    out: &mut V,
    len: usize,
) {
    execute(
        settings,
        Run::<V, A, B, _>::new(source, settings.margin, out.slices(len)),
    );
}

/// The same, but for words of shapes that boxes around them show to be apart.
fn run_near<V: Output, A: Test<V, B>, B: Shape>(
    settings: Settings,
    source: impl Source<V::Form<A>, V::Form<B>>,
    out: &mut V,
    len: usize,
) {
    let run = Run::<V, A, B, _>::new(source, settings.margin, out.slices(len));
    execute(settings, Near(run));
}

/// After a call that met all shapes of these stores.
fn remember_if_good<V: Output, A: Shape>(out: &V, known: [Option<&Known>; 2]) {
    let moving = <V::Form<A> as Form>::MOVES;
    let known = known.iter().flatten();
    let is_news = known.clone().any(|known| !known.all_are_good(moving));
    if is_news && out.masks().invalid_count() == 0 {
        known.for_each(|known| known.found_good(moving));
    }
}

/// Whether one side of a list jumps about: broadphases list one side in order, whose rows the
/// hardware fetches by itself. Asking for them too costs a tenth more.
fn is_scattered(pairs: &[IndexPair], side: usize) -> bool {
    const SAMPLES: usize = 64;
    const NEAR: u32 = 4;
    let step = (pairs.len() / SAMPLES).max(1);
    let samples = pairs.windows(2).step_by(step);
    let jumps = |from: &&[IndexPair]| from[0][side].abs_diff(from[1][side]) > NEAR;
    samples.filter(jumps).count() > SAMPLES / 8
}

/// Whether some of its pairs say that a list reaches over half of the shapes on either side.
fn reaches_far(pairs: &[Pair], lens: [usize; 2]) -> bool {
    const SAMPLES: usize = 64;
    let pairs: &[IndexPair] = bytemuck::must_cast_slice(pairs);
    (0..2).all(|side| {
        let samples = pairs.iter().step_by((pairs.len() / SAMPLES).max(1));
        let (first, last) = samples.fold((u32::MAX, 0), |(first, last), pair| {
            (first.min(pair[side]), last.max(pair[side]))
        });
        last.saturating_sub(first) as usize >= lens[side] / 2
    })
}

fn first_out_of_bounds(list: &[Pair], len_a: usize, len_b: usize) -> Error {
    let outside = |pair: &Pair| pair.a as usize >= len_a || pair.b as usize >= len_b;
    let position = list.iter().position(outside).unwrap_or_default();
    Error::PairOutOfBounds {
        position,
        pair: list[position],
        len_a,
        len_b,
    }
}
