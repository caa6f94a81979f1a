//! When is a moving coordinate within a range?
//!
//! True divisions and no epsilon: division is monotone, so times of different slabs stay in order,
//! and only the range has to be widened. A time matters only between 0 and 1, where the numerator is
//! at most the speed: its quotient errs by u, which widening by u speed covers.

use crate::lane::{Float, Lanes};

/// The times t from 0 on with `low <= t * v <= high`: the first, and the last up to 1.
///
/// There is none if the first is after the last, or after 1. `low` may be −∞. Without motion a
/// range that excludes 0 is never entered (the first time is +∞); no NaN is ever selected.
#[inline(always)]
pub fn times<L: Lanes>(lanes: L, low: L::F, high: L::F, v: L::F) -> (L::F, L::F) {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let rises = zero.lt(v);
    let near = low.select(rises, -high);
    let far = high.select(rises, -low);
    let speed = v.abs();
    (
        (near / speed).keep(zero.lt(near)),
        one.select(speed.le(far), far / speed),
    )
}
