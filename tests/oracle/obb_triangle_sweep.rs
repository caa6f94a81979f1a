//! A moving box touches a moving triangle while no line separates them.

use dashu_int::IBig;
use phalanx::{Obb, TimeInterval, Triangle};

use super::Exact;
use super::boxes::{self, Box3};
use super::exact::Scale;
use super::triangles::Corners;

pub fn exact(
    (obb, motion): &(Obb, [f32; 3]),
    (triangle, motion_of_triangle): &(Triangle, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let corners = triangle.corners.as_flattened().iter();
    let motions = motion.iter().chain(motion_of_triangle);
    let lengths = obb.center.iter().chain(&obb.half_extents);
    let scale = Scale::of(corners.chain(motions).chain(lengths).chain(&[margin]));
    let two = IBig::from(2);
    boxes::with_triangle(
        &Box3::of_obb(obb, margin, scale),
        &Corners(triangle.corners.map(|corner| &scale.vec(corner) * &two)),
        &(&scale.vec(*motion) - &scale.vec(*motion_of_triangle)),
        scale,
        claim,
    )
}
