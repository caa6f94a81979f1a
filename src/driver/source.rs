//! Verbs and kernels, as the loop sees them, and loaders of pairs.
//!
//! A loader reads either the rows of a pair or row components that are already in lanes. Both give the same bits.

use alloc::collections::TryReserveError;
use core::marker::PhantomData;

use crate::driver::cull::{Cull, NoCull};
use crate::driver::list::ScratchPairs;
use crate::lane::{Float, Lanes, MAX_LANES, Rows};
use crate::shapes::form::{PairLengths, RelativeForm, WideMoving};
use crate::shapes::shape::{Array, Form, Prepared, Row, Shape, Vectors};

/// Kernel of verb `V` for the pair `Self`, `B`: one pair per lane.
pub trait Test<V: Verb, B: Shape>: Shape {
    /// Loader of both shapes.
    type Load: PairLoad<V::Form<Self>, V::Form<B>>;
    /// Whether the kernel is so short that a branch in its loop costs time: scans then have a loop for each order of
    /// shapes.
    const IS_LIGHT: bool = false;
    /// Whether the kernel is called by the loops of all sources, instead of compiled into each. A call costs a long sweep some
    /// percent of its time, and a short kernel up to a third.
    const IS_LONG: bool = false;
    /// Whether the error is small beside the smaller shape, whatever the size of the other one.
    const IS_FINE: bool = false;
    /// For a sweep, whether this holds for the overlap.
    const STARTS_FINE: bool = false;

    /// Tests one pair per lane. `margin` is at least zero and inflates one of the shapes.
    fn test<L: Lanes>(
        lanes: L,
        loaded: Loaded<V, Self, B, L>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = V::Answer<L>>;
}

/// Loaded pair, the kernel's input.
pub type Loaded<V, A, B, L> =
    <<A as Test<V, B>>::Load as PairLoad<<V as Verb>::Form<A>, <V as Verb>::Form<B>>>::Loaded<L>;

/// Loaded pair of a sweep whose shapes are loaded separately.
pub type BothMoving<A, B, F> = (WideMoving<A, F>, WideMoving<B, F>);

/// Column value of a miss.
pub const MISS: f32 = f32::INFINITY;

/// Narrow-phase query, named by its output type: two masks, and one column of numbers for each further result of a hit.
pub trait Verb: 'static {
    /// Representation of a shape that kernels of this verb load.
    type Form<T: Shape>: Form<Shape = T>;
    /// Result of a kernel.
    type Answer<L: Lanes>: Copy;
    /// One `X` per column.
    type Columns<X: Send>: Array<X> + Send;

    /// Whether hits of uneven pairs are tested again in `f64`.
    const IS_REFINED: bool;

    /// Mask of the lanes that hit.
    fn hit<L: Lanes>(answer: Self::Answer<L>) -> L::M;
    /// Column values, given the mask of hits.
    fn columns<L: Lanes>(lanes: L, answer: Self::Answer<L>, hit: L::M) -> Self::Columns<L::F>;
    /// The answer for a whole frame, given that for its first `part`.
    fn in_whole_frame<L: Lanes>(answer: Self::Answer<L>, _part: L::F) -> Self::Answer<L> {
        answer
    }
    /// The lanes that touch from the start on, of those that hit.
    fn from_start<L: Lanes>(lanes: L, answer: Self::Answer<L>) -> L::M {
        let none = lanes.splat(0.0);
        let _ = answer;
        none.lt(none)
    }
    /// The answer, touching from the start on in the lanes of `which`.
    fn with_start<L: Lanes>(_lanes: L, answer: Self::Answer<L>, _which: L::M) -> Self::Answer<L> {
        answer
    }
    /// The words of the invalid mask.
    fn invalid(&self) -> &[u64];
    /// Resizes the outputs to `len` pairs. Returns the words of the hit mask, the words of the invalid mask, and the
    /// columns. If memory runs out, the output is unchanged.
    fn resize(&mut self, len: usize) -> Resized<'_, Self>;
}

/// The masks and columns of an output.
pub type Resized<'o, V> =
    Result<([&'o mut [u64]; 2], <V as Verb>::Columns<&'o mut [f32]>), TryReserveError>;

/// Kernel result, or the state from which `finish` computes it.
pub trait Deferred<L: Lanes>: Copy {
    type Answer;
    /// Whether `finish` is slow, such as a square root. The loop then starts the next pairs before it finishes the
    /// current pairs (software pipelining).
    const PIPELINED: bool;
    /// Computes the result.
    fn finish(self, lanes: L) -> Self::Answer;
}

/// Mask of the lanes that overlap.
#[derive(Clone, Copy)]
pub struct HitMask<M>(pub M);

/// Mask of the lanes that touch during the frame, and their time intervals. Times of other lanes are unspecified.
#[derive(Clone, Copy)]
pub struct TimeRange<L: Lanes> {
    pub hit: L::M,
    pub enter: L::F,
    pub exit: L::F,
}

impl<L: Lanes> Deferred<L> for HitMask<L::M> {
    type Answer = Self;
    const PIPELINED: bool = false;
    #[inline(always)]
    fn finish(self, _lanes: L) -> Self {
        self
    }
}

impl<L: Lanes> Deferred<L> for TimeRange<L> {
    type Answer = Self;
    const PIPELINED: bool = false;
    #[inline(always)]
    fn finish(self, _lanes: L) -> Self {
        self
    }
}

/// Yields the shapes of pairs, batch by batch.
pub trait PairSource<A: Form, B: Form> {
    /// Up to a [`WORD`](crate::lane::WORD) of pairs.
    type Batch<'s>: PairBatch<A, B>
    where
        Self: 's;
    /// Whether all batches are whole words. If so, there is at least one word, and the last word overlaps its
    /// predecessor. Otherwise the last batch may be shorter, and lanes beyond its end are ignored.
    const WHOLE_WORDS: bool;
    /// Whether shapes are loaded from rows.
    const ARE_ROWS: bool = false;
    /// Whether all shapes are known to be valid.
    const ARE_VALID: bool = false;
    /// Maximum useful number of lanes for kernels that are not light. For rows, the kernel defines it instead.
    const MOST_LANES: usize = MAX_LANES;
    /// The pairs at `first..first + len`.
    fn batch<'s, L: Lanes>(
        &'s self,
        lanes: L,
        first: usize,
        len: usize,
        scratch: &'s mut ScratchPairs,
    ) -> Self::Batch<'s>;
}

/// Loads the shapes of a batch of pairs for a kernel.
pub trait PairBatch<A: Form, B: Form> {
    /// Loads one group of lanes from place `at` on, a multiple of the lane count. Also returns the mask of pairs with an
    /// invalid shape.
    fn load<P: PairLoad<A, B>, L: Lanes>(
        &self,
        lanes: L,
        at: usize,
        margin: L::F,
    ) -> (P::Loaded<L>, L::M);
}

/// Loads prepared shapes for a kernel. Also returns the mask of pairs with an invalid shape.
#[inline(always)]
pub fn load_prepared<P: PairLoad<A, B>, A: Form, B: Form, L: Lanes>(
    lanes: L,
    a: Prepared<A, L>,
    b: Prepared<B, L>,
    margin: L::F,
) -> (P::Loaded<L>, L::M) {
    (
        P::of_vectors(lanes, a.row, b.row, margin),
        !(a.good & b.good),
    )
}

/// Loader of a pair.
pub trait PairLoad<A: Form, B: Form> {
    /// Input of the kernel.
    type Loaded<L: Lanes>: Copy;
    /// Cull that rejects most pairs of long lists before the kernel runs.
    type Cull: Cull<A, B>;
    /// Maximum number of lanes per load: 8 where 16 gain nothing.
    const ROW_LANES: usize = MAX_LANES;

    /// Loads one row per lane from either side. Also returns the mask of lanes with an invalid shape.
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        margin: L::F,
    ) -> (Self::Loaded<L>, L::M);

    /// Loads from row components that are already in lanes.
    fn of_vectors<L: Lanes>(
        lanes: L,
        a: Vectors<A, L>,
        b: Vectors<B, L>,
        margin: L::F,
    ) -> Self::Loaded<L>;

    /// The lengths by which the answer of a pair may be coarse; `None` if no pair's is.
    fn lengths<L: Lanes>(_lanes: L, _loaded: Self::Loaded<L>) -> Option<PairLengths<L::F>> {
        None
    }

    /// The pair during the first `part` of the frame.
    fn during<L: Lanes>(loaded: Self::Loaded<L>, _part: L::F) -> Self::Loaded<L> {
        loaded
    }
}

/// Loads both shapes separately. Long lists go through the cull `C` first.
pub struct Separate<C = NoCull>(PhantomData<C>);

impl<A: Form, B: Form, C: Cull<A, B>> PairLoad<A, B> for Separate<C> {
    type Loaded<L: Lanes> = (A::Wide<L::F>, B::Wide<L::F>);
    type Cull = C;

    #[inline(always)]
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        margin: L::F,
    ) -> (Self::Loaded<L>, L::M) {
        let (a, b) = (A::Row::gather(lanes, a), B::Row::gather(lanes, b));
        let bad = a.as_ref()[A::Shape::NAN_SLOTS[0]].unordered(b.as_ref()[B::Shape::NAN_SLOTS[0]]);
        (
            <Self as PairLoad<A, B>>::of_vectors(lanes, a, b, margin),
            bad,
        )
    }

    #[inline(always)]
    fn of_vectors<L: Lanes>(
        _lanes: L,
        a: Vectors<A, L>,
        b: Vectors<B, L>,
        _margin: L::F,
    ) -> Self::Loaded<L> {
        (A::unpack(a), B::unpack(b))
    }

    #[inline(always)]
    fn lengths<L: Lanes>(_lanes: L, (a, b): Self::Loaded<L>) -> Option<PairLengths<L::F>> {
        let motion = A::displacement(a).zip(B::displacement(b));
        let (a, b) = (A::shape(a), B::shape(b));
        let places = A::Shape::wide_place(a).zip(B::Shape::wide_place(b));
        Some(PairLengths {
            sizes: [A::Shape::wide_size(a), B::Shape::wide_size(b)],
            distance: places.map(|(a, b)| b - a),
            motion: motion.map(|(a, b)| a - b),
        })
    }

    #[inline(always)]
    fn during<L: Lanes>((a, b): Self::Loaded<L>, part: L::F) -> Self::Loaded<L> {
        (A::during(a, part), B::during(b, part))
    }
}

/// Loads the relative pose of two shapes whose rows have the same layout.
pub struct Relative;

impl<A: Form<Row = B::Row>, B: RelativeForm> PairLoad<A, B> for Relative {
    type Loaded<L: Lanes> = <B as RelativeForm>::Relation<L::F>;
    type Cull = NoCull;
    const ROW_LANES: usize = B::ROW_LANES;

    #[inline(always)]
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        _margin: L::F,
    ) -> (Self::Loaded<L>, L::M) {
        const { assert!(A::Shape::NAN_SLOTS[0] == B::Shape::NAN_SLOTS[0]) };
        let sums = B::Row::gather_sums(lanes, a, b, B::PARTNERS);
        let mark = sums.as_ref()[B::Shape::NAN_SLOTS[0]];
        (<B as RelativeForm>::unpack(sums), mark.unordered(mark))
    }

    #[inline(always)]
    fn of_vectors<L: Lanes>(
        _lanes: L,
        a: Vectors<A, L>,
        b: Vectors<B, L>,
        _margin: L::F,
    ) -> Self::Loaded<L> {
        // Written out: the compiler does not unroll a loop over sixteen components, which takes twice the
        // time (notes: figures moved from the source).
        let mut sums = a;
        add_partner::<B, L>(0, sums.as_mut(), b.as_ref());
        add_partner::<B, L>(1, sums.as_mut(), b.as_ref());
        add_partner::<B, L>(2, sums.as_mut(), b.as_ref());
        add_partner::<B, L>(3, sums.as_mut(), b.as_ref());
        <B as RelativeForm>::unpack(sums)
    }

    #[inline(always)]
    fn lengths<L: Lanes>(_lanes: L, loaded: Self::Loaded<L>) -> Option<PairLengths<L::F>> {
        B::lengths(loaded)
    }

    #[inline(always)]
    fn during<L: Lanes>(loaded: Self::Loaded<L>, part: L::F) -> Self::Loaded<L> {
        <B as RelativeForm>::during(loaded, part)
    }
}

/// Adds the partner of components `4 * quad..`, if they have one.
#[inline(always)]
fn add_partner<A: RelativeForm, L: Lanes>(quad: usize, sums: &mut [L::F], b: &[L::F]) {
    const { assert!(A::PARTNERS.len() <= 4) };
    if let Some(Some(partner)) = A::PARTNERS.get(quad) {
        let (sums, b) = (&mut sums[4 * quad..][..4], &b[4 * partner.quad..][..4]);
        for k in 0..4 {
            sums[k] = sums[k] + if partner.flip[k] { -b[k] } else { b[k] };
        }
    }
}
