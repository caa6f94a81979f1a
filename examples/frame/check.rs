//! Brute force in `f64` over all pairs of shapes, without a broad phase: the judge of the last frame.

use std::collections::HashMap;
use std::fmt;

use phalanx::{Aabbs, Obb, Obbs, Pair, Spheres};

/// In metres. The contract bounds the gap of a false hit by a few µm for shapes of this size.
const BAND: f64 = 1e-5;

/// Number of wrong results.
#[derive(Default)]
pub struct Verdict {
    pairs: usize,
    missed: usize,
    late: usize,
    false_hits: usize,
}

impl Verdict {
    /// Checks the overlaps of boxes with one another. All boxes have the same orientation and size.
    pub fn boxes(&mut self, boxes: &Obbs, mut hits: HashMap<Pair, f32>) {
        let shapes: Vec<Obb> = boxes.iter().collect();
        let Some(first) = shapes.first() else { return };
        let (axes, half) = (axes(first), first.half_extents.map(f64::from));
        // In the frame of the boxes they are axis-aligned.
        let centers: Vec<[f64; 3]> = shapes
            .iter()
            .map(|shape| axes.map(|axis| dot(axis, shape.center.map(f64::from))))
            .collect();
        for (a, &[ax, ay, az]) in centers.iter().enumerate() {
            for (b, &[bx, by, bz]) in centers.iter().enumerate().skip(a + 1) {
                let [x, y, z] = [(bx - ax).abs(), (by - ay).abs(), (bz - az).abs()];
                // Leaves almost all pairs at once.
                if x < 1.0 && y < 1.0 {
                    let gaps = [x - 2.0 * half[0], y - 2.0 * half[1], z - 2.0 * half[2]];
                    self.judge(&mut hits, [a, b], largest(&gaps), 0.0);
                }
            }
        }
        self.far(&hits);
    }

    /// Checks the overlaps of boxes with pillars: the axes of both, as all are upright.
    pub fn pillars(&mut self, boxes: &Obbs, pillars: &Aabbs, mut hits: HashMap<Pair, f32>) {
        let pillars: Vec<[[f64; 3]; 2]> = pillars
            .iter()
            .map(|pillar| [pillar.min, pillar.max].map(|corner| corner.map(f64::from)))
            .collect();
        for (a, shape) in boxes.iter().enumerate() {
            let (axes, center) = (axes(&shape), shape.center.map(f64::from));
            let half = shape.half_extents.map(f64::from);
            for (b, [min, max]) in pillars.iter().enumerate() {
                let offset = [0, 1, 2].map(|k| 0.5 * (min[k] + max[k]) - center[k]);
                if offset[0].abs() < 1.0 && offset[1].abs() < 1.0 {
                    let pillar = [0, 1, 2].map(|k| 0.5 * (max[k] - min[k]));
                    let gap = |axis: [f64; 3]| {
                        let of_box: f64 = (0..3).map(|k| half[k] * dot(axes[k], axis).abs()).sum();
                        let of_pillar: f64 = (0..3).map(|k| pillar[k] * axis[k].abs()).sum();
                        dot(axis, offset).abs() - of_box - of_pillar
                    };
                    let world = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                    let gap = largest(&axes.map(gap)).max(largest(&world.map(gap)));
                    self.judge(&mut hits, [a, b], gap, 0.0);
                }
            }
        }
        self.far(&hits);
    }

    /// Checks the sweeps of spheres with one another, by the roots of a quadratic.
    pub fn spheres(&mut self, spheres: &Spheres, mut hits: HashMap<Pair, f32>) {
        let moving: Vec<_> = (0..spheres.len() as u32)
            .filter_map(|i| {
                let (sphere, displacement) = (spheres.get(i)?, spheres.displacement(i)?);
                let (center, radius) = (sphere.center.map(f64::from), f64::from(sphere.radius));
                Some((center, radius, displacement.map(f64::from)))
            })
            .collect();
        for (a, (center, radius, motion)) in moving.iter().enumerate() {
            for (b, (other, other_radius, other_motion)) in moving.iter().enumerate().skip(a + 1) {
                let offset = [0, 1, 2].map(|k| other[k] - center[k]);
                if offset.iter().all(|x| x.abs() < 2.0) {
                    let way = [0, 1, 2].map(|k| other_motion[k] - motion[k]);
                    let (apart, along) = (dot(offset, offset), dot(offset, way));
                    let (square, reach) = (dot(way, way), radius + other_radius);
                    let time = (-along / square).clamp(0.0, 1.0);
                    let gap = (apart + time * (2.0 * along + time * square)).sqrt() - reach;
                    let root = (along * along - square * (apart - reach * reach)).sqrt();
                    let enter = ((-along - root) / square).max(0.0);
                    self.judge(&mut hits, [a, b], gap, enter);
                }
            }
        }
        self.far(&hits);
    }

    /// Compares a pair with the exact gap and time, and takes it out of the hits.
    fn judge(&mut self, hits: &mut HashMap<Pair, f32>, [a, b]: [usize; 2], gap: f64, enter: f64) {
        let hit = hits.remove(&Pair::new(a as u32, b as u32));
        self.pairs += 1;
        self.missed += usize::from(hit.is_none() && gap <= 0.0);
        self.false_hits += usize::from(hit.is_some() && gap >= BAND);
        self.late += usize::from(gap <= 0.0 && hit.is_some_and(|time| f64::from(time) > enter));
    }

    /// Counts the hits that are left: pairs far apart.
    fn far(&mut self, hits: &HashMap<Pair, f32>) {
        self.false_hits += hits.len();
    }

    pub fn is_clean(&self) -> bool {
        self.missed + self.late + self.false_hits == 0
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} missed, {} late, {} false hits beyond 10 µm, last frame checked against an f64 brute force over all pairs ({} near)",
            self.missed, self.late, self.false_hits, self.pairs,
        )
    }
}

/// The axes of a box, from its quaternion.
fn axes(shape: &Obb) -> [[f64; 3]; 3] {
    let [x, y, z, w] = shape.rotation.map(f64::from);
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    [
        [
            1.0 - s * (y * y + z * z),
            s * (x * y + w * z),
            s * (x * z - w * y),
        ],
        [
            s * (x * y - w * z),
            1.0 - s * (x * x + z * z),
            s * (y * z + w * x),
        ],
        [
            s * (x * z + w * y),
            s * (y * z - w * x),
            1.0 - s * (x * x + y * y),
        ],
    ]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn largest(gaps: &[f64]) -> f64 {
    gaps.iter().copied().fold(f64::MIN, f64::max)
}
