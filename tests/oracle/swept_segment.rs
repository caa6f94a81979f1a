//! A moving capsule against a moving box, exactly: the distance of its axis from the box is a convex function of time,
//! and its square is piecewise quadratic.

use std::cmp::Ordering;

use dashu_int::IBig;
use phalanx::{Capsule, TimeInterval};

use super::boxes::Box3;
use super::exact::{Scale, Time, Vec3, sq};
use super::rounded_box::Way;
use super::{Exact, ORACLE_FLOOR, U};

/// A moving segment in the frame of a box, in units of half a scale and of the box's.
struct Path {
    offset: [IBig; 3],
    half_axis: [IBig; 3],
    moves: [IBig; 3],
    half_extents: [IBig; 3],
    unit: IBig,
    reach: IBig,
}

/// The segment at one time: the path along it from end to end, and its nearest point.
struct Moment {
    along: Way,
    nearest: Time,
}

impl Path {
    fn at(&self, time: &Time) -> Moment {
        let Time(numerator, denominator) = time;
        let center = |k: usize| &self.offset[k] * denominator + &self.moves[k] * numerator;
        let along = Way {
            start: [0, 1, 2].map(|k| center(k) - &self.half_axis[k] * denominator),
            moves: [0, 1, 2].map(|k| &self.half_axis[k] * denominator * 2),
            half_extents: [0, 1, 2].map(|k| &self.half_extents[k] * denominator),
            unit: &self.unit * denominator,
            reach: self.reach.clone(),
        };
        let nearest = along.nearest();
        Moment { along, nearest }
    }

    /// Half the slope of the squared distance at a time, times a positive factor: only the motion of the nearest points
    /// along their difference counts.
    fn slope(&self, moment: &Moment) -> IBig {
        let outside = moment.along.outside(&moment.nearest);
        (0..3).map(|k| &outside[k] * &self.moves[k]).sum()
    }

    /// The time at which the slope would vanish if the nearest features stayed the same: the sides of the box, and the
    /// end of the segment, or none.
    fn lowest_point(&self, moment: &Moment) -> Option<Time> {
        let Moment { along, nearest } = moment;
        let side: [IBig; 3] = [0, 1, 2].map(|k| along.side(k, nearest));
        let sum = |a: &[IBig; 3], b: &[IBig; 3]| -> IBig {
            (0..3).map(|k| &a[k] * &b[k] * sq(&side[k])).sum()
        };
        let end = if nearest.0 == IBig::ZERO {
            -IBig::ONE
        } else if nearest.0 == nearest.1 {
            IBig::ONE
        } else {
            IBig::ZERO
        };
        let start = [0, 1, 2].map(|k| {
            &self.offset[k] + &self.half_axis[k] * &end - &side[k] * &self.half_extents[k]
        });
        let (mut at_0, mut more) = (sum(&start, &self.moves), sum(&self.moves, &self.moves));
        let squared = sum(&self.half_axis, &self.half_axis);
        if end == IBig::ZERO && squared != IBig::ZERO {
            // Less the motion of the segment along itself.
            let slides = sum(&self.moves, &self.half_axis);
            at_0 = at_0 * &squared - sum(&start, &self.half_axis) * &slides;
            more = more * squared - sq(&slides);
        }
        (more != IBig::ZERO).then(|| Time::new(-at_0, more))
    }

    /// A time of the frame at which the segment is nearest or within reach.
    fn nearest(&self) -> Time {
        let (mut falls, mut rises) = (Time::of(0.0), Time::of(1.0));
        let found = |moment: &Moment| moment.along.excess(&moment.nearest) <= IBig::ZERO;
        let (mut first, mut last) = (self.at(&falls), self.at(&rises));
        if found(&first) || self.slope(&first) >= IBig::ZERO {
            return falls;
        }
        if found(&last) || self.slope(&last) <= IBig::ZERO {
            return rises;
        }
        for _ in 0..2000 {
            let guesses = [self.lowest_point(&first), self.lowest_point(&last)];
            let is_between = |time: &Time| falls.cmp(time).is_lt() && time.cmp(&rises).is_lt();
            let guess = guesses.into_iter().flatten().find(is_between);
            let time = guess.unwrap_or_else(|| short_time_between(&falls, &rises));
            let moment = self.at(&time);
            let slope = self.slope(&moment);
            match slope.cmp(&IBig::ZERO) {
                _ if found(&moment) => return time,
                Ordering::Equal => return time,
                Ordering::Less => (falls, first) = (time, moment),
                Ordering::Greater => (rises, last) = (time, moment),
            }
        }
        panic!("no least distance between {falls:?} and {rises:?}");
    }
}

/// Near the middle of two times, with a denominator that is a power of two.
fn short_time_between(from: &Time, to: &Time) -> Time {
    let middle = from.between(to);
    let mut bits = 8;
    loop {
        let numerator = (&middle.0 << bits) / &middle.1;
        let time = Time(numerator, IBig::ONE << bits);
        if from.cmp(&time).is_lt() && time.cmp(to).is_lt() {
            return time;
        }
        bits *= 2;
    }
}

/// The exact answer for a moving capsule and a moving box, which is given in units of half a scale. The band is a
/// weighted sum in u of the reach, the offset, the half axis and the relative displacement.
pub fn exact(
    capsule: &(Capsule, [f32; 3]),
    (shape, displacement): (Box3, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
    scale: Scale,
    band: [f64; 4],
) -> Exact {
    let two = IBig::from(2);
    let doubled = |v: [f32; 3]| -> Vec3 { &scale.vec(v) * &two };
    let offset = &doubled(capsule.0.center) - &shape.center;
    let half_axis = doubled(capsule.0.half_axis);
    let v = &doubled(capsule.1) - &doubled(displacement);
    let reach = (scale.int(capsule.0.radius) + scale.int(margin)) * &two;
    let half = |units: &IBig| scale.f64(units.to_f64().value()) / 2.0;
    let lengths = [&reach, &offset.norm_1(), &half_axis.norm_1(), &v.norm_1()].map(half);
    let of_lengths: f64 = (0..4).map(|k| band[k] * lengths[k]).sum();
    let band = U * of_lengths + 4.0 * ORACLE_FLOOR;
    let in_frame = |v: &Vec3| [0, 1, 2].map(|k| shape.axes[k].dot(v));
    let path = Path {
        offset: in_frame(&offset),
        half_axis: in_frame(&half_axis),
        moves: in_frame(&v),
        half_extents: shape.half_extents.each_ref().map(|h| h * &shape.unit),
        unit: shape.unit.clone(),
        reach,
    };
    let gap_at = |moment: &Moment| {
        let (hit, gap) = moment.along.gap(&moment.nearest);
        (hit, scale.f64(gap) / 2.0)
    };

    let (hit, gap) = gap_at(&path.at(&path.nearest()));
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let (enter, exit) = (
        path.at(&Time::of(claim.enter)),
        path.at(&Time::of(claim.exit)),
    );
    let outside = |moment: &Moment| moment.along.excess(&moment.nearest) >= IBig::ZERO;
    // Not late: at the start, or still separated and approaching. Not early: at the end, or separated and receding.
    let not_late = claim.enter == 0.0 || (outside(&enter) && path.slope(&enter) < IBig::ZERO);
    let not_early = claim.exit == 1.0 || (outside(&exit) && path.slope(&exit) > IBig::ZERO);
    Exact {
        hit,
        gap,
        band,
        encloses: claim.enter <= claim.exit && (!hit || (not_late && not_early)),
        slack: gap_at(&enter).1.max(gap_at(&exit).1),
    }
}
