//! The loop that one writes without a library: `f32`, pair by pair, with early-outs.

use std::array::from_fn;

use phalanx::{Obb, Pair, Sphere};

/// Covers the rounding of dot products of unit vectors: nearly parallel edges have no reliable cross product.
const EPSILON: f32 = 1e-6;

/// An OBB with its axes, computed once a frame.
pub struct Box {
    center: [f32; 3],
    half_extents: [f32; 3],
    axes: [[f32; 3]; 3],
    /// Radius of the bounding sphere.
    radius: f32,
}

impl Box {
    pub fn new(obb: &Obb) -> Self {
        let [x, y, z, w] = obb.rotation;
        Box {
            center: obb.center,
            half_extents: obb.half_extents,
            axes: [
                [
                    1.0 - 2.0 * (y * y + z * z),
                    2.0 * (x * y + w * z),
                    2.0 * (x * z - w * y),
                ],
                [
                    2.0 * (x * y - w * z),
                    1.0 - 2.0 * (x * x + z * z),
                    2.0 * (y * z + w * x),
                ],
                [
                    2.0 * (x * z + w * y),
                    2.0 * (y * z - w * x),
                    1.0 - 2.0 * (x * x + y * y),
                ],
            ],
            radius: dot(obb.half_extents, obb.half_extents).sqrt(),
        }
    }
}

/// Tests all pairs of boxes for overlap. Computes the axes first.
pub fn overlaps(boxes: &[Obb], pairs: &[Pair], axes: &mut Vec<Box>, hits: &mut Vec<bool>) {
    axes.clear();
    axes.extend(boxes.iter().map(Box::new));
    hits.clear();
    hits.extend(pairs.iter().map(|pair| {
        let [a, b] = pair.indices();
        touch(&axes[a], &axes[b])
    }));
}

/// Sweeps all pairs of spheres: the times of contact, +∞ for a miss.
pub fn sweeps(spheres: &[(Sphere, [f32; 3])], pairs: &[Pair], enter: &mut Vec<f32>) {
    enter.clear();
    enter.extend(pairs.iter().map(|pair| {
        let [a, b] = pair.indices();
        meet(&spheres[a], &spheres[b]).unwrap_or(f32::INFINITY)
    }));
}

/// Separating-axis test: bounding spheres, the faces of each box, then the cross products of edges.
fn touch(a: &Box, b: &Box) -> bool {
    let offset = sub(b.center, a.center);
    let reach = a.radius + b.radius;
    if dot(offset, offset) > reach * reach {
        return false;
    }
    let (ha, hb) = (a.half_extents, b.half_extents);
    let along = a.axes.map(|axis| dot(axis, offset));
    let r: [[f32; 3]; 3] = a.axes.map(|u| b.axes.map(|v| dot(u, v)));
    let r_abs = r.map(|row| row.map(|x| x.abs() + EPSILON));
    for i in 0..3 {
        if along[i].abs() > ha[i] + dot(hb, r_abs[i]) {
            return false;
        }
    }
    for j in 0..3 {
        let extent = dot(ha, [r_abs[0][j], r_abs[1][j], r_abs[2][j]]);
        if dot(along, [r[0][j], r[1][j], r[2][j]]).abs() > hb[j] + extent {
            return false;
        }
    }
    for i in 0..3 {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            let extent_a = ha[i1] * r_abs[i2][j] + ha[i2] * r_abs[i1][j];
            let extent_b = hb[j1] * r_abs[i][j2] + hb[j2] * r_abs[i][j1];
            if (along[i2] * r[i1][j] - along[i1] * r[i2][j]).abs() > extent_a + extent_b {
                return false;
            }
        }
    }
    true
}

/// First time of contact of two moving spheres: the root of a quadratic.
fn meet((a, a_motion): &(Sphere, [f32; 3]), (b, b_motion): &(Sphere, [f32; 3])) -> Option<f32> {
    let offset = sub(b.center, a.center);
    let motion = sub(*b_motion, *a_motion);
    let reach = a.radius + b.radius;
    let apart = dot(offset, offset) - reach * reach;
    if apart <= 0.0 {
        return Some(0.0);
    }
    let along = dot(offset, motion);
    if along >= 0.0 {
        return None; // They move apart.
    }
    let square = dot(motion, motion);
    let discriminant = along * along - square * apart;
    if discriminant < 0.0 {
        return None;
    }
    let time = (-along - discriminant.sqrt()) / square;
    (time <= 1.0).then_some(time)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    from_fn(|k| a[k] - b[k])
}
