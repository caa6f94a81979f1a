//! How kernels read the two shapes of a pair.
//!
//! Each way goes from rows that pairs name, or from the numbers of rows already in lanes, and yields
//! the same bits from both.

use core::marker::PhantomData;

use super::cull::{Cull, NoCull};
use crate::lane::{Float, Lanes, MAX_LANES, Rows};
use crate::shapes::{Form, RelativeForm, Row, Shape, Vectors};

/// A way to read two shapes.
pub trait Reading<A: Form, B: Form> {
    /// What a kernel is given.
    type Read<L: Lanes>: Copy;
    /// What long lists are asked before.
    type Cull: Cull<A, B>;
    /// How many lanes rows are read into at most: 8, if 16 bring nothing.
    const ROW_LANES: usize = MAX_LANES;

    /// From one row of either side for each lane. Also which lanes hold a bad shape.
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        margin: L::F,
    ) -> (Self::Read<L>, L::M);

    /// From the numbers of rows.
    fn of_vectors<L: Lanes>(
        lanes: L,
        a: Vectors<A, L>,
        b: Vectors<B, L>,
        margin: L::F,
    ) -> Self::Read<L>;
}

/// Each of both shapes; of long lists only those that a cull leaves.
pub struct Each<C = NoCull>(PhantomData<C>);

impl<A: Form, B: Form, C: Cull<A, B>> Reading<A, B> for Each<C> {
    type Read<L: Lanes> = (A::Lanes<L::F>, B::Lanes<L::F>);
    type Cull = C;

    #[inline(always)]
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        margin: L::F,
    ) -> (Self::Read<L>, L::M) {
        let (a, b) = (A::Row::gather(lanes, a), B::Row::gather(lanes, b));
        let bad = a.as_ref()[A::Shape::MARKS[0]].unordered(b.as_ref()[B::Shape::MARKS[0]]);
        (
            <Self as Reading<A, B>>::of_vectors(lanes, a, b, margin),
            bad,
        )
    }

    #[inline(always)]
    fn of_vectors<L: Lanes>(
        _lanes: L,
        a: Vectors<A, L>,
        b: Vectors<B, L>,
        _margin: L::F,
    ) -> Self::Read<L> {
        (A::lanes(a), B::lanes(b))
    }
}

/// How one shape lies to another of its kind.
pub struct Relation;

impl<A: RelativeForm> Reading<A, A> for Relation {
    type Read<L: Lanes> = <A as RelativeForm>::Lanes<L::F>;
    type Cull = NoCull;
    const ROW_LANES: usize = A::ROW_LANES;

    #[inline(always)]
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<A::Row>,
        _margin: L::F,
    ) -> (Self::Read<L>, L::M) {
        let sums = A::Row::gather_sums(lanes, a, b, A::PARTNERS);
        let mark = sums.as_ref()[A::Shape::MARKS[0]];
        (<A as RelativeForm>::lanes(sums), mark.unordered(mark))
    }

    #[inline(always)]
    fn of_vectors<L: Lanes>(
        _lanes: L,
        a: Vectors<A, L>,
        b: Vectors<A, L>,
        _margin: L::F,
    ) -> Self::Read<L> {
        // No loop: for rows of sixteen numbers it would not be unrolled, at twice the time.
        let mut sums = a;
        add_partner::<A, L>(0, sums.as_mut(), b.as_ref());
        add_partner::<A, L>(1, sums.as_mut(), b.as_ref());
        add_partner::<A, L>(2, sums.as_mut(), b.as_ref());
        add_partner::<A, L>(3, sums.as_mut(), b.as_ref());
        <A as RelativeForm>::lanes(sums)
    }
}

/// Adds the partner of four numbers, if they have one.
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
