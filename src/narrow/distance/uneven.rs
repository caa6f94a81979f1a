//! Distances of shapes of uneven sizes, in `f64`: as [contacts](crate::narrow::contact::uneven).

use core::marker::PhantomData;

use crate::driver::rows::PairColumns;
use crate::lane::{Float, Lanes, MAX_LANES, Mask, Routine, Vec3, WORD};
use crate::narrow::distance::distances::DISTANCE_COLUMNS;
use crate::narrow::distance::search::DistanceKernel;
use crate::shapes::form::Static;
use crate::shapes::shape::Shape;

/// Pairs of a word whose distance is to be found in `f64`.
pub struct UnevenDistances<'x, 'c, A: Shape, B: Shape> {
    pub columns: &'x PairColumns<'c, Static<A>, Static<B>>,
    pub swapped: bool,
    /// Position of the first pair of the word.
    pub first: usize,
    pub bits: u64,
    /// The pairs whose bounds are not close enough.
    pub unsettled: &'x mut u64,
    /// The columns of the word. Those of points may be empty.
    pub out: [&'x mut [f32]; DISTANCE_COLUMNS],
}

/// Finds the distances of such pairs.
pub struct FindUnevenDistances<'x, 'c, A, B>(PhantomData<(&'x (), &'c (), A, B)>);

impl<'x, 'c: 'x, A: DistanceKernel<B>, B: Shape, D: Lanes> Routine<D>
    for FindUnevenDistances<'x, 'c, A, B>
{
    type Argument = UnevenDistances<'x, 'c, A, B>;
    type Output = ();

    #[inline(always)]
    fn run(lanes: D, mut uneven: UnevenDistances<'x, 'c, A, B>) {
        let zero = lanes.splat(0.0);
        let (mut places, mut positions, mut count) = ([0; WORD], [0; WORD], 0);
        let mut bits = uneven.bits;
        while bits != 0 {
            places[count] = bits.trailing_zeros() as usize;
            positions[count] = (uneven.first + places[count]) as u32;
            bits &= bits - 1;
            count += 1;
        }
        let mut scratch = [[0; 2]; WORD];
        let batch = uneven.columns.stored(&positions[..count], &mut scratch);
        let mut at = 0;
        while at < count {
            let (a, b) = batch.read(lanes, at);
            let found = A::distance(lanes, a, b);
            let band = A::wide_size(a) * lanes.splat(A::OVERLAP_BAND / (1 << 24) as f32);
            let lower = (found.lower - band).max(zero);
            let [x, y] = found.points;
            let [from, to, base] = if uneven.swapped {
                [y, x, found.offset]
            } else {
                [x, y, Vec3([zero; 3])]
            };
            let (from, to) = rounded_inwards(lanes, from - base, to - base);
            let mut numbers = [[0.0; MAX_LANES]; DISTANCE_COLUMNS];
            lanes.store(lanes.lower(lower), &mut numbers[0]);
            lanes.store(lanes.upper(found.upper), &mut numbers[1]);
            let mut k = 0;
            while k < 3 {
                // Never −0.
                lanes.store(from.0[k] + zero, &mut numbers[2 + k]);
                lanes.store(to.0[k] + zero, &mut numbers[5 + k]);
                k += 1;
            }
            let settled = found.settled.bits();
            for (lane, &place) in places[at..count].iter().take(D::COUNT).enumerate() {
                *uneven.unsettled &= !((settled >> lane & 1) << place);
                for (column, numbers) in uneven.out.iter_mut().zip(&numbers) {
                    if let Some(number) = column.get_mut(place) {
                        *number = numbers[lane];
                    }
                }
            }
            at += D::COUNT;
        }
    }
}

/// Two points, moved towards each other by as much as their roundings may move them apart.
#[inline(always)]
fn rounded_inwards<L: Lanes>(
    lanes: L,
    from: Vec3<L::F>,
    to: Vec3<L::F>,
) -> (Vec3<L::F>, Vec3<L::F>) {
    let way = to - from;
    let room = (from.abs().sum() + to.abs().sum()) * lanes.splat(ROUNDING);
    let (one, half) = (lanes.splat(1.0), lanes.splat(0.5));
    let part = (room / way.dot(way).sqrt()).min(one) * half;
    (from + way * part, to - way * part)
}

/// Relative error of a rounding to `f32`, and some: 2⁻²³.
const ROUNDING: f32 = 1.0 / (1 << 23) as f32;
