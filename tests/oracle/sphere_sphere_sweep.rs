//! Two moving spheres touch at time t when the distance of their centers is at most the sum of the
//! radii; the squared distance is a convex parabola in t.

use dashu_int::IBig;
use phalanx::{Sphere, TimeInterval};

use super::exact::{Scale, Vec3, ratio, sq};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    a: &(Sphere, [f32; 3]),
    b: &(Sphere, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let radii = [a.0.radius, b.0.radius, margin];
    let scale = Scale::of(
        a.0.center
            .iter()
            .chain(&b.0.center)
            .chain(&a.1)
            .chain(&b.1)
            .chain(&radii),
    );
    let p0 = &scale.vec(b.0.center) - &scale.vec(a.0.center);
    let v = &scale.vec(b.1) - &scale.vec(a.1);
    let p1 = &p0 + &v;
    let reach: IBig = radii.iter().map(|r| scale.int(*r)).sum();
    let motion = Motion {
        p0: &p0,
        v: &v,
        reach: &reach,
        scale,
    };

    // The closest approach is where the parabola's slope vanishes, or an end of the frame.
    let (slope_0, slope_1) = (p0.dot(&v), p1.dot(&v));
    let (nearest_sq, over) = if slope_0 >= IBig::ZERO {
        (p0.length_sq(), IBig::ONE)
    } else if slope_1 <= IBig::ZERO {
        (p1.length_sq(), IBig::ONE)
    } else {
        (p0.cross(&v).length_sq(), v.length_sq())
    };
    let excess = &nearest_sq - sq(&reach) * &over;
    let hit = excess <= IBig::ZERO;
    let reach_f64 = reach.to_f64().value();
    let distance = ratio(&nearest_sq, &over).sqrt();
    let gap = if hit {
        0.0
    } else {
        scale.f64(ratio(&excess, &over) / (distance + reach_f64))
    };

    let size = reach_f64 + p0.norm_1().to_f64().value() + p1.norm_1().to_f64().value();
    let band = 20.0 * U * scale.f64(size) + ORACLE_FLOOR;
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let (enter_excess, enter_slope, enter_gap) = motion.at(claim.enter);
    let (exit_excess, exit_slope, exit_gap) = motion.at(claim.exit);
    let (zero, ordered) = (IBig::ZERO, claim.enter <= claim.exit);
    // Not late: at the start, or still separated and approaching. Not early: at the end, or separated and receding.
    let enter = claim.enter == 0.0 || (enter_excess >= zero && enter_slope < zero);
    let exit = claim.exit == 1.0 || (exit_excess >= zero && exit_slope > zero);
    let encloses = ordered && (!hit || (enter && exit));
    Exact {
        hit,
        gap,
        band,
        encloses,
        slack: enter_gap.max(exit_gap),
    }
}

struct Motion<'a> {
    p0: &'a Vec3,
    v: &'a Vec3,
    reach: &'a IBig,
    scale: Scale,
}

impl Motion<'_> {
    /// At a time: the squared distance less the squared reach, and its slope, both times a positive factor; and the
    /// gap.
    fn at(&self, time: f32) -> (IBig, IBig, f64) {
        let times = Scale::of(&[time, 1.0]);
        let one = times.one();
        let p = &(self.p0 * &one) + &(self.v * &times.int(time));
        let reach = self.reach * &one;
        let excess = p.length_sq() - sq(&reach);
        let slope = p.dot(self.v);
        let distances = ratio(&p.length_sq(), &sq(&one)).sqrt() + self.reach.to_f64().value();
        let gap = if excess > IBig::ZERO {
            ratio(&excess, &sq(&one)) / distances
        } else {
            0.0
        };
        (excess, slope, self.scale.f64(gap))
    }
}
