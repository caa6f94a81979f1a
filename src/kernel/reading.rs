//! How kernels read the two shapes of a pair.
//!
//! Each way goes from rows that pairs name, or from the numbers of rows already in lanes, and yields
//! the same bits from both.

use crate::lane::{Float, Lanes, Rows};
use crate::shapes::{Form, RelativeForm, Row, Shape, Vectors};

/// A way to read two shapes.
pub trait Reading<A: Form, B: Form> {
    /// What a kernel is given.
    type Read<L: Lanes>: Copy;

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
    ) -> (Self::Read<L>, L::M);
}

/// Each of both shapes.
pub struct Each;

impl<A: Form, B: Form> Reading<A, B> for Each {
    type Read<L: Lanes> = (A::Lanes<L::F>, B::Lanes<L::F>);

    #[inline(always)]
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<B::Row>,
        margin: L::F,
    ) -> (Self::Read<L>, L::M) {
        let (a, b) = (A::Row::gather(lanes, a), B::Row::gather(lanes, b));
        <Self as Reading<A, B>>::of_vectors(lanes, a, b, margin)
    }

    #[inline(always)]
    fn of_vectors<L: Lanes>(
        _lanes: L,
        a: Vectors<A, L>,
        b: Vectors<B, L>,
        _margin: L::F,
    ) -> (Self::Read<L>, L::M) {
        let mark_a = a.as_ref()[A::Shape::MARKS[0]];
        let mark_b = b.as_ref()[B::Shape::MARKS[0]];
        ((A::lanes(a), B::lanes(b)), mark_a.unordered(mark_b))
    }
}

/// How one shape lies to another of its kind.
pub struct Relation;

impl<A: RelativeForm> Reading<A, A> for Relation {
    type Read<L: Lanes> = <A as RelativeForm>::Lanes<L::F>;

    #[inline(always)]
    fn of_rows<L: Lanes>(
        lanes: L,
        a: impl Rows<A::Row>,
        b: impl Rows<A::Row>,
        _margin: L::F,
    ) -> (Self::Read<L>, L::M) {
        read::<A, L>(A::Row::gather_sums(lanes, a, b, A::PARTNERS))
    }

    #[inline(always)]
    fn of_vectors<L: Lanes>(
        _lanes: L,
        a: Vectors<A, L>,
        b: Vectors<A, L>,
        _margin: L::F,
    ) -> (Self::Read<L>, L::M) {
        let (mut sums, b) = (a, b.as_ref());
        for (k, sum) in sums.as_mut().iter_mut().enumerate() {
            if let Some(partner) = A::PARTNERS[k / 4] {
                let x = b[4 * partner.quad + k % 4];
                *sum = *sum + if partner.flip[k % 4] { -x } else { x };
            }
        }
        read::<A, L>(sums)
    }
}

#[inline(always)]
fn read<A: RelativeForm, L: Lanes>(
    sums: Vectors<A, L>,
) -> (<A as RelativeForm>::Lanes<L::F>, L::M) {
    let mark = sums.as_ref()[A::Shape::MARKS[0]];
    (<A as RelativeForm>::lanes(sums), mark.unordered(mark))
}
