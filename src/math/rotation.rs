//! Turns: the rotation vectors of boxes during a frame.
//!
//! # Error bound
//!
//! A turn w is the rotation by |w| ≤ π about the direction of w: the quaternion (w/2 s(x), c(x)) with x = |w|²/4 and
//!
//! ```text
//! s(x) = sin √x / √x = 1 − x/3! + x²/5! − …        c(x) = cos √x = 1 − x/2! + x²/4! − …
//! ```
//!
//! As x ≤ 2.47, the omitted terms are below 10⁻⁹ of 1. With u = 2⁻²⁴:
//!
//! - w is a turn times a time, off by u of each coordinate: π u of length, and of angle.
//! - x is off by 3 u of itself, which changes s by 1 u and c by 2.4 u. Their sums, from the last term on, round
//!   by 2.1 u and 4 u. So c is off by 6.4 u, the vector by 1.6 · 3.1 u and a product, 5.9 u: together 8.7 u.
//! - A quaternion error of 8.7 u, perpendicular to it, is a rotation error of 17.4 u. The axes add 8.5 u, as
//!   shown at [`AXIS_ERROR`](crate::shapes::obb::AXIS_ERROR); the error of its length is normalised away.
//! - Rotating an axis by it rounds three times in each coordinate, 5.2 u, and adds the axis's own 8.5 u.
//!
//! In all, the error of an axis is less than 44 u.

use crate::error::{Defect, number_defect};
use crate::lane::{Float, Lanes, One, Vec3};
use crate::math::dvec::DVec3;

/// Error bound of each computed axis of a rotated box: its distance from the exact axis, in units of u = 2⁻²⁴.
pub const TURNED_AXIS_ERROR: f32 = 44.0;

/// The squared length of the longest turn, π, rounded up.
const LONGEST_SQUARED: f32 = 9.869_61;

/// Coefficients of the series of s, last term first.
const SINE: [f32; 7] = [
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
    1.0,
];

/// Coefficients of the series of c, last term first.
const COSINE: [f32; 8] = [
    -1.0 / 87_178_291_200.0,
    1.0 / 479_001_600.0,
    -1.0 / 3_628_800.0,
    1.0 / 40_320.0,
    -1.0 / 720.0,
    1.0 / 24.0,
    -0.5,
    1.0,
];

/// The quaternion of a turn.
#[inline(always)]
fn quaternion<L: Lanes>(lanes: L, by: Vec3<L::F>) -> [L::F; 4] {
    let x = by.dot(by) * lanes.splat(0.25);
    let half = polynomial(lanes, &SINE, x) * lanes.splat(0.5);
    let [wx, wy, wz] = (by * half).0;
    [wx, wy, wz, polynomial(lanes, &COSINE, x)]
}

#[inline(always)]
fn polynomial<L: Lanes>(lanes: L, terms: &[f32], x: L::F) -> L::F {
    let mut sum = lanes.splat(terms[0]);
    let mut k = 1;
    while k < terms.len() {
        sum = sum * x + lanes.splat(terms[k]);
        k += 1;
    }
    sum
}

/// The axes rotated by the rotation vector `by`.
#[inline(always)]
pub fn turned_axes<L: Lanes>(
    lanes: L,
    [x, y, z]: [Vec3<L::F>; 3],
    by: Vec3<L::F>,
) -> [Vec3<L::F>; 3] {
    let axes = axes_of(lanes, quaternion(lanes, by));
    [
        combined(axes, x.0),
        combined(axes, y.0),
        combined(axes, z.0),
    ]
}

/// The vector with these coordinates along three axes.
#[inline(always)]
fn combined<F: Float>([x, y, z]: [Vec3<F>; 3], [a, b, c]: [F; 3]) -> Vec3<F> {
    x * a + y * b + z * c
}

/// The quaternion `rotation`, followed by the rotation vector `by`.
pub fn turned(rotation: [f32; 4], by: [f32; 3]) -> [f32; 4] {
    let [x, y, z, w] = rotation;
    let [ex, ey, ez, ew] = quaternion(One, Vec3(by));
    let (e, r) = (Vec3([ex, ey, ez]), Vec3([x, y, z]));
    let [x, y, z] = (r * ew + e * w + e.cross(r)).0;
    [x, y, z, ew * w - e.dot(r)]
}

/// Mask of the valid turns: finite and no longer than π.
#[inline(always)]
pub fn is_good<L: Lanes>(lanes: L, turn: Vec3<L::F>) -> L::M {
    turn.dot(turn).le(lanes.splat(LONGEST_SQUARED))
}

/// The first defect of a turn; `None` exactly where [`is_good`] is true.
pub fn turn_defect(turn: [f32; 3]) -> Option<Defect> {
    number_defect("turn", &turn).or_else(|| {
        let turn = Vec3(turn);
        let length = Float::sqrt(turn.dot(turn));
        (!is_good(One, turn)).then_some(Defect::TurnTooLong { length })
    })
}

/// The squared length of a quaternion, summed in pairs.
#[inline(always)]
pub fn squared_length<L: Lanes>([x, y, z, w]: [L::F; 4]) -> L::F {
    (x * x + y * y) + (z * z + w * w)
}

/// The axes of a rotation, normalised.
#[inline(always)]
pub fn axes_of<L: Lanes>(lanes: L, [x, y, z, w]: [L::F; 4]) -> [Vec3<L::F>; 3] {
    // The proof of AXIS_ERROR depends on the order of these sums.
    let r = lanes.splat(1.0) / squared_length::<L>([x, y, z, w]);
    let twice = r + r;
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    [
        Vec3([
            ((ww + xx) - (yy + zz)) * r,
            (xy + wz) * twice,
            (xz - wy) * twice,
        ]),
        Vec3([
            (xy - wz) * twice,
            ((ww + yy) - (xx + zz)) * r,
            (yz + wx) * twice,
        ]),
        Vec3([
            (xz + wy) * twice,
            (yz - wx) * twice,
            ((ww + zz) - (xx + yy)) * r,
        ]),
    ]
}

/// The axes of a rotation in `f64`, normalised.
#[inline(always)]
pub fn f64_axes_of(rotation: [f32; 4]) -> [DVec3; 3] {
    let [a, b, c] = rotation_matrix(rotation);
    [0, 1, 2].map(|k| DVec3([a[k], b[k], c[k]]))
}

/// The rows of the matrix of a rotation, normalised.
#[inline(always)]
pub fn rotation_matrix(rotation: [f32; 4]) -> [DVec3; 3] {
    matrix_of(rotation.map(f64::from))
}

/// The rows of the matrix of a quaternion x, y, z, w, normalised.
#[inline(always)]
pub fn matrix_of([x, y, z, w]: [f64; 4]) -> [DVec3; 3] {
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let r = 1.0 / ((xx + yy) + (zz + ww));
    let twice = 2.0 * r;
    [
        DVec3([
            ((ww + xx) - (yy + zz)) * r,
            (x * y - w * z) * twice,
            (x * z + w * y) * twice,
        ]),
        DVec3([
            (x * y + w * z) * twice,
            ((ww + yy) - (xx + zz)) * r,
            (y * z - w * x) * twice,
        ]),
        DVec3([
            (x * z - w * y) * twice,
            (y * z + w * x) * twice,
            ((ww + zz) - (xx + yy)) * r,
        ]),
    ]
}

/// A coordinate of a point that is rotated, by the row of that coordinate, and moved: computed in `f64` and rounded once.
#[inline(always)]
pub fn placed(row: DVec3, point: [f32; 3], by: f32) -> f32 {
    (row.dot(DVec3::of(point)) + f64::from(by)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// Reference axes of a turn, in `f64`.
    fn exact(by: [f64; 3]) -> [[f64; 3]; 3] {
        let angle = by.iter().map(|x| x * x).sum::<f64>().sqrt();
        let n = by.map(|x| if angle > 0.0 { x / angle } else { 0.0 });
        let (sin, versine) = (angle.sin(), 1.0 - angle.cos());
        [0, 1, 2].map(|k| {
            let mut axis = [0.0; 3];
            axis[k] = 1.0;
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            let mut cross = [0.0; 3];
            cross[i] = n[j];
            cross[j] = -n[i];
            let along = n[k];
            let mut turned = [0.0; 3];
            for m in 0..3 {
                // n × (n × e) = n (n·e) − e
                turned[m] = axis[m] + sin * cross[m] + versine * (n[m] * along - axis[m]);
            }
            turned
        })
    }

    #[test]
    fn turned_axes_are_within_error_bound() {
        let axes = [[1., 0., 0.], [0., 1., 0.], [0., 0., 1.]].map(Vec3);
        let pi = core::f32::consts::PI;
        let mut worst = 0f64;
        for i in 0..40_000 {
            // Quasi-random directions and lengths.
            let [a, b, c] = [0.618_034, 0.754_878, 0.569_840].map(|step: f64| {
                let x = step * f64::from(i);
                2.0 * (x - x.floor()) - 1.0
            });
            let length = (a * a + b * b + c * c).sqrt();
            let angle = f64::from(pi) * ((f64::from(i) * 0.380_278).fract());
            let turn = [a, b, c].map(|x| (x / length * angle) as f32);
            let turned = turned_axes(One, axes, Vec3(turn));
            for (axis, exact) in turned.iter().zip(exact(turn.map(f64::from))) {
                let off: f64 = (0..3)
                    .map(|k| (f64::from(axis.0[k]) - exact[k]).powi(2))
                    .sum();
                worst = worst.max(off.sqrt());
            }
        }
        let u = 2f64.powi(-24);
        assert!(worst < 35.0 * u, "{} u", worst / u);
        assert!(worst > 1.0 * u);
    }

    #[test]
    fn turned_rotation_has_turned_axes() {
        let quarter = 0.5f32.sqrt();
        // A rotation by 90° about x, then by 90° about z.
        let turned = turned(
            [quarter, 0., 0., quarter],
            [0., 0., core::f32::consts::FRAC_PI_2],
        );
        let axes = axes_of(One, turned);
        for (axis, expected) in axes.iter().zip([[0., 1., 0.], [0., 0., 1.], [1., 0., 0.]]) {
            for (x, expected) in axis.0.iter().zip(expected) {
                assert!((x - expected).abs() < 1e-6, "{:?}", axis.0);
            }
        }
        assert_eq!(super::turned([0.5; 4], [0.0; 3]), [0.5; 4]);
    }

    #[test]
    fn turn_longer_than_pi_is_a_defect() {
        let pi = core::f32::consts::PI;
        assert_eq!(turn_defect([0., -pi, 0.]), None);
        for long in [[0., pi + 1e-5, 0.], [2., 2., 2.], [0., f32::MAX, 0.]] {
            let defect = turn_defect(long);
            assert!(matches!(defect, Some(Defect::TurnTooLong { length }) if length > pi));
        }
        let nan = turn_defect([0., 0., f32::NAN]).unwrap();
        assert_eq!(nan.to_string(), "turn[2] is NaN, not finite");
    }
}
