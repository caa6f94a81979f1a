//! A sphere touches a box when the distance of its center to the nearest point of the box is at most
//! the radius.

use dashu_int::IBig;
use phalanx::{Obb, Sphere};

use super::boxes::Box3;
use super::exact::{Scale, abs};
use super::{Exact, ORACLE_FLOOR, U, nearest_point};

pub fn exact(sphere: &Sphere, obb: &Obb, margin: f32) -> Exact {
    let lengths = [sphere.radius, margin];
    let of_box = obb.center.iter().chain(&obb.half_extents);
    let scale = Scale::of(sphere.center.iter().chain(of_box).chain(&lengths));
    let shape = Box3::of_obb(obb, 0.0, scale);
    let offset = &(&scale.vec(sphere.center) * &IBig::from(2)) - &shape.center;
    let outside = [0, 1, 2].map(|k| {
        let half_extent = &shape.half_extents[k] * &shape.unit;
        (abs(&shape.axes[k].dot(&offset)) - half_extent).max(IBig::ZERO)
    });
    let reach = (scale.int(sphere.radius) + scale.int(margin)) * 2;
    let (hit, gap) = nearest_point(&outside, &shape.unit, &reach);
    let half = |units: f64| scale.f64(units) / 2.0;
    let offset = half(offset.norm_1().to_f64().value());
    let reach = half(reach.to_f64().value());
    Exact::at_rest(
        hit,
        half(gap),
        U * (52.0 * offset + 14.0 * reach) + ORACLE_FLOOR,
    )
}
