//! A sphere touches a box when the distance of its center to the nearest point of the box is at most
//! the radius.

use dashu_int::IBig;
use phalanx::{Aabb, Sphere};

use super::exact::Scale;
use super::{Exact, ORACLE_FLOOR, U, nearest_point};

pub fn exact(sphere: &Sphere, aabb: &Aabb, margin: f32) -> Exact {
    let lengths = [sphere.radius, margin];
    let corners = aabb.min.iter().chain(&aabb.max);
    let scale = Scale::of(sphere.center.iter().chain(corners).chain(&lengths));
    let outside = [0, 1, 2].map(|k| {
        let center = scale.int(sphere.center[k]);
        let (min, max) = (scale.int(aabb.min[k]), scale.int(aabb.max[k]));
        (min - &center).max(center - max).max(IBig::ZERO)
    });
    let reach = scale.int(sphere.radius) + scale.int(margin);
    let (hit, gap) = nearest_point(&outside, &IBig::ONE, &reach);
    let band = 14.0 * U * scale.f64(reach.to_f64().value()) + ORACLE_FLOOR;
    Exact::at_rest(hit, scale.f64(gap), band)
}
