//! Cylinders and cones: the hull of two discs normal to the z axis.
//!
//! A core of discs has the support h(d) = max (z d_z + r |d_xy|). In `f32`, points are inside their disc for certain. In `f64`, they are
//! inside up to 2⁻⁵¹ of the radius, and the support is never too small up to 2⁻⁵¹ of it.
//!
//! Contacts need faces. They are those of the polygons of 16 corners in both discs, with their planes moved out to the discs.

use alloc::vec::Vec;

use crate::lane::{Float, U};
use crate::math::dvec::{DVec3, MORE, f64_max, f64_sqrt};

/// Two discs normal to the z axis, with their centers on it: the first has a radius above 0, the second may be a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discs {
    pub heights: [f32; 2],
    pub radii: [f32; 2],
}

/// The point of two discs that is farthest along a direction.
#[derive(Clone, Copy)]
pub struct DiscSupport {
    /// The disc that it is on, the first of equal ones.
    pub disc: usize,
    /// Its direction from the axis, a unit vector.
    pub azimuth: [f64; 2],
    /// Upper bound of its value.
    pub most: f64,
}

/// Number of corners of the polygon in a disc.
const CORNERS: usize = 16;
/// cos (k π / 8) for a quarter and one more.
const COSINES: [f64; 5] = [
    1.0,
    0.923_879_532_511_286_7,
    core::f64::consts::FRAC_1_SQRT_2,
    0.382_683_432_365_089_8,
    0.0,
];
/// Factor of radii in `f32`: a point rounds by less than 7 u of its distance from the axis, so it is inside.
const INSIDE: f32 = 1.0 - 8.0 * U;

/// The cosine of k π / 8.
fn cosine(k: usize) -> f64 {
    let k = k % CORNERS;
    match k / 4 {
        0 => COSINES[k],
        1 => -COSINES[8 - k],
        2 => -COSINES[k - 8],
        _ => COSINES[CORNERS - k],
    }
}

impl Discs {
    /// The corners of the polygons: 16 of the first disc, then 16 of the second one, or its center if it is a point. Discs in one plane
    /// have those of the first.
    pub fn corners(&self) -> Vec<[f32; 3]> {
        let [low, high] = self.heights;
        let rim = |disc: usize| {
            (0..CORNERS).map(move |k| {
                let of = |k: usize| (f64::from(self.radii[disc]) * cosine(k)) as f32;
                [of(k), of(k + 12), self.heights[disc]]
            })
        };
        let mut corners: Vec<[f32; 3]> = rim(0).collect();
        if low != high {
            if self.radii[1] > 0.0 {
                corners.extend(rim(1));
            } else {
                corners.push([0.0, 0.0, high]);
            }
        }
        corners
    }

    /// The disc of a corner, and its number there.
    pub fn of_corner(corner: u8) -> (usize, usize) {
        (
            usize::from(usize::from(corner) >= CORNERS),
            usize::from(corner) % CORNERS,
        )
    }

    /// Corner `k` of the polygon whose first corner is in the direction of a unit vector across the axis.
    pub fn rim_point(&self, disc: usize, [x, y]: [f64; 2], k: usize) -> DVec3 {
        let (radius, cos, sin) = (f64::from(self.radii[disc]), cosine(k), cosine(k + 12));
        DVec3([
            radius * (x * cos - y * sin),
            radius * (y * cos + x * sin),
            self.heights[disc].into(),
        ])
    }

    /// The farthest point along a direction.
    #[inline(always)]
    pub fn support(&self, d: DVec3) -> DiscSupport {
        let (azimuth, across) = across_axis(d);
        let [low, high] = self.heights.map(f64::from);
        let [first, second] = self.radii.map(f64::from);
        let values = [low * d[2] + first * across, high * d[2] + second * across];
        DiscSupport {
            disc: usize::from(values[1] > values[0]),
            azimuth,
            most: f64_max(values[0], values[1]),
        }
    }

    /// The farthest point along a direction, in `f32`: inside its disc, at most 15 u of the radius short of the rim. The other disc is farther by at most
    /// 4 u of the radius and of Σ hₖ|dₖ|.
    #[inline(always)]
    pub fn farthest(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        let most = Float::max(x.abs(), y.abs());
        let (u, v) = if most > 0.0 {
            (x / most, y / most)
        } else {
            (1.0, 0.0)
        };
        let length = Float::sqrt(u * u + v * v);
        let ([low, high], [first, second]) = (self.heights, self.radii);
        let across = most * length;
        let (radius, height) = if high * z + second * across > low * z + first * across {
            (second, high)
        } else {
            (first, low)
        };
        let scale = radius * INSIDE / length;
        [u * scale, v * scale, height]
    }

    /// The cosine of a unit vector and the normal of the side at its support; its direction across the axis.
    pub fn along_side(&self, d: DVec3) -> (f64, [f64; 2]) {
        let (azimuth, length) = across_axis(d);
        let [low, high] = self.heights.map(f64::from);
        let [first, second] = self.radii.map(f64::from);
        let slope = DVec3([high - low, first - second, 0.0]);
        let normal = slope.unit().unwrap_or(DVec3([1.0, 0.0, 0.0]));
        (normal[0] * length + normal[1] * d[2], azimuth)
    }
}

/// A unit vector along a direction across the axis, and the length across the axis, never too small. x if there is none.
///
/// The vector is no longer than 1, up to 2⁻⁵² of it. Directions have coordinates up to 1, and what is shorter than 2⁻⁵⁰⁰ is along the axis.
#[inline(always)]
fn across_axis(d: DVec3) -> ([f64; 2], f64) {
    let [x, y, _] = d.0;
    let squared = x * x + y * y;
    if squared < LEAST_SQUARE {
        return ([1.0, 0.0], LEAST_ACROSS);
    }
    // Each step above loses at most 2⁻⁵².
    let length = f64_sqrt(squared) * (1.0 + MORE);
    let inverse = 1.0 / length;
    ([x * inverse, y * inverse], length)
}

/// Square of the least length across the axis that counts: 2⁻¹⁰⁰⁰.
const LEAST_SQUARE: f64 = LEAST_ACROSS * LEAST_ACROSS;
const LEAST_ACROSS: f64 = f64::from_bits((1023 - 500) << 52);
