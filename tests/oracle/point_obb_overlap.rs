//! A point is in a box when on each axis of the box it is between two faces.

use dashu_int::IBig;
use phalanx::{Obb, Point};

use super::boxes::Box3;
use super::exact::{Scale, abs, ratio};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(point: &Point, obb: &Obb, margin: f32) -> Exact {
    let of_box = obb.center.iter().chain(&obb.half_extents);
    let scale = Scale::of(point.position.iter().chain(of_box).chain(&[margin]));
    let shape = Box3::of_obb(obb, margin, scale);
    let offset = &(&scale.vec(point.position) * &IBig::from(2)) - &shape.center;
    let beyond = |k: usize| {
        let along = abs(&shape.axes[k].dot(&offset));
        along - &shape.half_extents[k] * &shape.unit
    };
    let widest = (0..3).map(beyond).fold(IBig::ZERO, IBig::max);
    let half = |units: f64| scale.f64(units) / 2.0;
    let size = half(offset.norm_1().to_f64().value());
    let band = U * (34.0 * size + 12.0 * f64::from(margin)) + ORACLE_FLOOR;
    let gap = half(ratio(&widest, &shape.unit));
    Exact::at_rest(widest == IBig::ZERO, gap, band)
}
