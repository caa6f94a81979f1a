//! Loading of a pair for its kernel.
//!
//! A loader reads either the rows of a pair or row components that are already in lanes. Both give the same bits.

use core::marker::PhantomData;

use crate::driver::cull::{Cull, NoCull};
use crate::lane::{Float, Lanes, MAX_LANES, Rows};
use crate::shapes::form::RelativeForm;
use crate::shapes::shape::{Form, Row, Shape, Vectors};

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
