//! A moving point touches a moving triangle when it is no farther from it than the margin.

use dashu_int::IBig;
use phalanx::{Point, TimeInterval, Triangle};

use super::exact::{Scale, Vec3};
use super::triangles::Corners;
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    point: &(Point, [f32; 3]),
    triangle: &(Triangle, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of_point = point.0.position.iter().chain(&point.1);
    let of_triangle = triangle.0.corners.as_flattened().iter().chain(&triangle.1);
    let scale = Scale::of(of_point.chain(of_triangle).chain(&[margin]));
    let corners = triangle.0.corners.map(|corner| scale.vec(corner));
    let start = scale.vec(point.0.position);
    let way = &scale.vec(point.1) - &scale.vec(triangle.1);
    let reach = scale.int(margin);

    // The kernel measures from one of the corners.
    let offsets = corners.iter().map(|corner| (&start - corner).norm_1());
    let offset = offsets.max().unwrap_or(IBig::ZERO) + way.norm_1();
    let longest = scale.f64(Corners(corners.clone()).longest());
    let size = scale.f64(offset.to_f64().value());
    let margin = f64::from(margin);
    let band =
        U * (160.0 * longest + 54.0 * size) + (0.74 + 16.0 * U) * margin + 2.0 * ORACLE_FLOOR;

    // All lengths times a whole number.
    let passes = |unit: &IBig, from: &Vec3, way: &Vec3| {
        let larger = Corners(corners.each_ref().map(|corner| corner * unit));
        larger.to_segment(from, way).within(&(&reach * unit))
    };
    let (hit, gap) = passes(&IBig::ONE, &start, &way);
    let gap = scale.f64(gap);
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let times = Scale::of(&[claim.enter, claim.exit, 1.0]);
    let one = times.one();
    let [enter, exit] = [claim.enter, claim.exit].map(|time| times.int(time));
    let place = |time: &IBig| &(&start * &one) + &(&way * time);
    let gap_at = |time: &IBig| {
        let rest = &way * &IBig::ZERO;
        scale.f64(times.f64(passes(&one, &place(time), &rest).1))
    };
    // No contact before or after; nor at the claimed times themselves, as the kernel widens.
    let before = enter > IBig::ZERO && passes(&one, &place(&IBig::ZERO), &(&way * &enter)).0;
    let after = exit < one && passes(&one, &place(&exit), &(&way * &(&one - &exit))).0;
    Exact {
        hit,
        gap,
        band,
        encloses: claim.enter <= claim.exit && !before && !after,
        slack: gap_at(&enter).max(gap_at(&exit)),
    }
}
