//! The reference: gaps and times of contact in `f64`, as good as exact. It computes more than a test needs, so it is not timed.

use std::array::from_fn;

use phalanx::{Obb, Obbs, Pair, Spheres};

use crate::BAND;

/// The center, and half of each side.
pub type Box = ([f64; 3], [[f64; 3]; 3]);

/// The center, the radius, and the displacement.
pub type Moving = ([f64; 3], f64, [f64; 3]);

pub fn boxes(boxes: &Obbs) -> Vec<Box> {
    let shapes = (0..boxes.len() as u32).filter_map(|i| boxes.get(i));
    shapes.map(half_sides).collect()
}

pub fn spheres(spheres: &Spheres) -> Vec<Moving> {
    let moving = |i| {
        let (sphere, displacement) = (spheres.get(i)?, spheres.displacement(i)?);
        let radius = f64::from(sphere.radius);
        let displacement = displacement.map(f64::from);
        Some((sphere.center.map(f64::from), radius, displacement))
    };
    (0..spheres.len() as u32).filter_map(moving).collect()
}

pub fn gaps<S, G>(shapes: &[S], pairs: &[Pair], gap: impl Fn(&S, &S) -> G) -> Vec<G> {
    let indices = pairs.iter().map(|pair| pair.indices());
    indices.map(|[a, b]| gap(&shapes[a], &shapes[b])).collect()
}

/// Gap of two boxes along the first of fifteen axes that separates them by more than [`BAND`], or else the largest gap.
pub fn box_gap((a, a_sides): &Box, (b, b_sides): &Box) -> f64 {
    let offset = from_fn(|k| b[k] - a[k]);
    let sides = || a_sides.iter().chain(b_sides);
    let crosses = a_sides.iter().flat_map(|&u| b_sides.map(|v| cross(u, v)));
    let mut gap = f64::MIN;
    for axis in sides().copied().chain(crosses) {
        let reach: f64 = sides().map(|&side| dot(axis, side).abs()).sum();
        gap = gap.max((dot(axis, offset).abs() - reach) / dot(axis, axis).sqrt());
        if gap > BAND {
            break;
        }
    }
    gap
}

/// Least gap of two spheres during the frame, and their first time of contact.
pub fn meeting((a, a_radius, u): &Moving, (b, b_radius, v): &Moving) -> (f64, f64) {
    let (offset, way) = (from_fn(|k| b[k] - a[k]), from_fn(|k| v[k] - u[k]));
    let (apart, along, square) = (dot(offset, offset), dot(offset, way), dot(way, way));
    let reach = a_radius + b_radius;
    let time = (-along / square).clamp(0.0, 1.0);
    let nearest = (apart + time * (2.0 * along + time * square)).sqrt() - reach;
    let root = (along * along - square * (apart - reach * reach)).sqrt();
    (nearest, ((-along - root) / square).max(0.0))
}

/// The columns of the rotation matrix, by the half extents.
fn half_sides(shape: Obb) -> Box {
    let [x, y, z, w] = shape.rotation.map(f64::from);
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let axes = [
        [
            ww + xx - yy - zz,
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ],
        [
            2.0 * (x * y - w * z),
            ww - xx + yy - zz,
            2.0 * (y * z + w * x),
        ],
        [
            2.0 * (x * z + w * y),
            2.0 * (y * z - w * x),
            ww - xx - yy + zz,
        ],
    ];
    let scale = shape
        .half_extents
        .map(|half| f64::from(half) / (xx + yy + zz + ww));
    let sides = from_fn(|k| axes[k].map(|x| x * scale[k]));
    (shape.center.map(f64::from), sides)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}
