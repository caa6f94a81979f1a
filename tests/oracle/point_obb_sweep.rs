//! A moving point is in a moving box at time t when on each axis of the box it is between two faces: six
//! linear gaps.

use dashu_int::IBig;
use phalanx::{Obb, Point, TimeInterval};

use super::boxes::Box3;
use super::exact::{Scale, sq};
use super::linear::{self, Gap};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(
    point: &(Point, [f32; 3]),
    obb: &(Obb, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let of_box = obb.0.center.iter().chain(&obb.0.half_extents).chain(&obb.1);
    let of_point = point.0.position.iter().chain(&point.1);
    let scale = Scale::of(of_point.chain(of_box).chain(&[margin]));
    let shape = Box3::of_obb(&obb.0, margin, scale);
    let two = IBig::from(2);
    let offset = &(&scale.vec(point.0.position) * &two) - &shape.center;
    let v = &(&scale.vec(point.1) - &scale.vec(obb.1)) * &two;
    // All lengths are doubled, and along axes of length `unit`.
    let unit_sq = sq(&(&shape.unit * &two));
    let mut gaps = Vec::new();
    for (axis, half_extent) in shape.axes.iter().zip(&shape.half_extents) {
        let (along, growth) = (axis.dot(&offset), axis.dot(&v));
        let half_extent = half_extent * &shape.unit;
        for (start, growth) in [
            (&along - &half_extent, growth.clone()),
            (-&along - &half_extent, -&growth),
        ] {
            let unit_sq = unit_sq.clone();
            gaps.push(Gap {
                start,
                growth,
                unit_sq,
            });
        }
    }
    let size = scale.f64((offset.norm_1() + v.norm_1()).to_f64().value()) / 2.0;
    let band = U * (36.0 * size + 12.0 * f64::from(margin)) + ORACLE_FLOOR;
    linear::exact(&gaps, scale, band, claim)
}
