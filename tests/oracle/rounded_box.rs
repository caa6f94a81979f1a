//! A moving sphere against a moving box, exactly: the squared distance of the center from the box is convex, and
//! quadratic between the times at which the center passes the plane of a face.

use dashu_int::IBig;
use phalanx::{Capsule, Sphere, TimeInterval};

use super::boxes::Box3;
use super::exact::{Scale, Time, Vec3, sq};
use super::{Exact, U, nearest_point};

/// The path of a sphere's center along the axes of a box, in units of half a scale and of the box.
pub struct Way {
    pub start: [IBig; 3],
    pub moves: [IBig; 3],
    pub half_extents: [IBig; 3],
    pub unit: IBig,
    pub reach: IBig,
}

impl Way {
    /// The side on which the center is outside on an axis at a time: 1, −1 or 0 for none.
    pub fn side(&self, axis: usize, time: &Time) -> IBig {
        let at = &self.start[axis] * &time.1 + &self.moves[axis] * &time.0;
        let half_extent = &self.half_extents[axis] * &time.1;
        if at > half_extent {
            IBig::ONE
        } else if at < -half_extent {
            -IBig::ONE
        } else {
            IBig::ZERO
        }
    }

    /// Distance of the center outside the box along each axis at a time, times the time's denominator.
    pub fn outside(&self, time: &Time) -> [IBig; 3] {
        [0, 1, 2].map(|k| {
            let side = self.side(k, time);
            let at = &self.start[k] * &time.1 + &self.moves[k] * &time.0;
            &side * &side * at - side * &self.half_extents[k] * &time.1
        })
    }

    /// Half the slope of the squared distance at a time, times a positive factor.
    fn slope(&self, time: &Time) -> IBig {
        let outside = self.outside(time);
        (0..3).map(|k| &outside[k] * &self.moves[k]).sum()
    }

    /// Whether the sphere touches at a time, and the gap if not.
    pub fn gap(&self, time: &Time) -> (bool, f64) {
        nearest_point(&self.outside(time), &(&self.unit * &time.1), &self.reach)
    }

    /// The squared distance at a time less the squared reach, times a positive factor.
    pub fn excess(&self, time: &Time) -> IBig {
        let distance_sq: IBig = self.outside(time).iter().map(sq).sum();
        distance_sq - sq(&(&self.reach * &self.unit * &time.1))
    }

    /// A time of the frame at which the sphere is nearest.
    pub fn nearest(&self) -> Time {
        let (zero, one) = (Time::of(0.0), Time::of(1.0));
        let mut times = vec![zero.clone(), one.clone()];
        for k in 0..3 {
            for side in [&self.half_extents[k], &-&self.half_extents[k]] {
                if self.moves[k] != IBig::ZERO {
                    times.push(Time::new(side - &self.start[k], self.moves[k].clone()));
                }
            }
        }
        times.retain(|time| zero.cmp(time).is_le() && time.cmp(&one).is_le());
        times.sort_by(Time::cmp);
        let rising = times.iter().position(|time| self.slope(time) >= IBig::ZERO);
        match rising {
            None => one,
            Some(0) => zero,
            Some(after) => self.lowest_point(&times[after - 1], &times[after]),
        }
    }

    /// The time at which the slope vanishes, between two times of one piece.
    fn lowest_point(&self, from: &Time, to: &Time) -> Time {
        let within = from.between(to);
        let (mut constant, mut linear) = (IBig::ZERO, IBig::ZERO);
        for k in 0..3 {
            let side = self.side(k, &within);
            if side != IBig::ZERO {
                constant += (&self.start[k] - side * &self.half_extents[k]) * &self.moves[k];
                linear += sq(&self.moves[k]);
            }
        }
        Time::new(-constant, linear)
    }
}

/// The exact answer for a sphere and a box, which is given in units of half a scale. The band is `band` of the reach,
/// the offset and the relative displacement, the latter two as 1-norms.
pub fn exact(
    sphere: &(Sphere, [f32; 3]),
    (shape, displacement): (Box3, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
    scale: Scale,
    band: fn(f64, f64, f64) -> f64,
) -> Exact {
    let two = IBig::from(2);
    let doubled = |v: [f32; 3]| -> Vec3 { &scale.vec(v) * &two };
    let offset = &doubled(sphere.0.center) - &shape.center;
    let v = &doubled(sphere.1) - &doubled(displacement);
    let reach = (scale.int(sphere.0.radius) + scale.int(margin)) * &two;
    let half = |units: &IBig| scale.f64(units.to_f64().value()) / 2.0;
    let band = band(half(&reach), half(&offset.norm_1()), half(&v.norm_1()));
    let way = Way {
        start: [0, 1, 2].map(|k| shape.axes[k].dot(&offset)),
        moves: [0, 1, 2].map(|k| shape.axes[k].dot(&v)),
        half_extents: shape.half_extents.map(|h| h * &shape.unit),
        unit: shape.unit,
        reach,
    };

    let (hit, gap) = way.gap(&way.nearest());
    let gap = scale.f64(gap) / 2.0;
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let (enter, exit) = (Time::of(claim.enter), Time::of(claim.exit));
    let zero = IBig::ZERO;
    // Not late: at the start, or still separated and approaching. Not early: at the end, or separated and receding.
    let not_late = claim.enter == 0.0 || (way.excess(&enter) >= zero && way.slope(&enter) < zero);
    let not_early = claim.exit == 1.0 || (way.excess(&exit) >= zero && way.slope(&exit) > zero);
    let slack = way.gap(&enter).1.max(way.gap(&exit).1);
    Exact {
        hit,
        gap,
        band,
        encloses: claim.enter <= claim.exit && (!hit || (not_late && not_early)),
        slack: scale.f64(slack) / 2.0,
    }
}

/// The exact answer for a capsule and a box, which is given in units of half a scale: the capsule's axis is the path of
/// a point. The band is `band` of the reach, the offset and the half axis.
pub fn of_segment(
    capsule: &Capsule,
    shape: Box3,
    margin: f32,
    scale: Scale,
    band: fn(f64, f64, f64) -> f64,
) -> Exact {
    let two = IBig::from(2);
    let doubled = |v: [f32; 3]| -> Vec3 { &scale.vec(v) * &two };
    let offset = &doubled(capsule.center) - &shape.center;
    let half_axis = doubled(capsule.half_axis);
    let reach = (scale.int(capsule.radius) + scale.int(margin)) * &two;
    let half = |units: &IBig| scale.f64(units.to_f64().value()) / 2.0;
    let lengths = [&reach, &offset.norm_1(), &half_axis.norm_1()].map(half);
    let (start, moves) = (&offset - &half_axis, &half_axis * &two);
    let way = Way {
        start: [0, 1, 2].map(|k| shape.axes[k].dot(&start)),
        moves: [0, 1, 2].map(|k| shape.axes[k].dot(&moves)),
        half_extents: shape.half_extents.map(|h| h * &shape.unit),
        unit: shape.unit,
        reach,
    };
    let (hit, gap) = way.gap(&way.nearest());
    let [reach, offset, half_axis] = lengths;
    Exact::at_rest(hit, scale.f64(gap) / 2.0, band(reach, offset, half_axis))
}

/// u times a weighted sum of the reach, the offset and the displacement.
pub fn band([of_reach, of_offset, of_motion]: [f64; 3], lengths: [f64; 3]) -> f64 {
    let [reach, offset, motion] = lengths;
    U * (of_reach * reach + of_offset * offset + of_motion * motion) + super::ORACLE_FLOOR
}
