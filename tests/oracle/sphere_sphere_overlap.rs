//! Two spheres touch when the distance of their centers is at most the sum of the radii.

use phalanx::Sphere;

use super::exact::{Scale, sq};
use super::{Exact, ORACLE_FLOOR, U};

pub fn exact(a: &Sphere, b: &Sphere, margin: f32) -> Exact {
    let lengths = [a.radius, b.radius, margin];
    let scale = Scale::of(a.center.iter().chain(&b.center).chain(&lengths));
    let offset = &scale.vec(b.center) - &scale.vec(a.center);
    let reach = scale.int(a.radius) + scale.int(b.radius) + scale.int(margin);
    let excess = offset.length_sq() - sq(&reach);
    let reach_f64 = reach.to_f64().value();
    let distance = offset.length_sq().to_f64().value().sqrt();
    let hit = excess <= dashu_int::IBig::ZERO;
    let gap = if hit {
        0.0
    } else {
        excess.to_f64().value() / (distance + reach_f64)
    };
    Exact::at_rest(
        hit,
        scale.f64(gap),
        15.0 * U * scale.f64(reach_f64) + ORACLE_FLOOR,
    )
}
