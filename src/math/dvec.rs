//! Three-dimensional vectors in `f64`, with a fixed order of operations.

use core::ops::{Add, Index, Mul, Neg, Sub};

use crate::lane::Float;

/// A point, a direction or three extents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DVec3(pub [f64; 3]);

/// The axes of the world.
pub const WORLD: [DVec3; 3] = [
    DVec3([1.0, 0.0, 0.0]),
    DVec3([0.0, 1.0, 0.0]),
    DVec3([0.0, 0.0, 1.0]),
];

/// Part by which [`DVec3::scaled_length`] enlarges a root: 2⁻⁴⁹.
pub const MORE: f64 = 1.0 / (1u64 << 49) as f64;

impl DVec3 {
    pub const ZERO: Self = DVec3([0.0; 3]);

    #[inline(always)]
    pub fn of(v: [f32; 3]) -> Self {
        let [x, y, z] = v;
        DVec3([f64::from(x), f64::from(y), f64::from(z)])
    }

    /// Each coordinate rounded.
    #[inline(always)]
    pub fn to_f32(self) -> [f32; 3] {
        let [x, y, z] = self.0;
        [x as f32, y as f32, z as f32]
    }

    /// `(x x' + y y') + z z'`
    #[inline(always)]
    pub fn dot(self, other: Self) -> f64 {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        ax * bx + ay * by + az * bz
    }

    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        DVec3([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    }

    /// The dot product with each of three vectors.
    #[inline(always)]
    pub fn along(self, [x, y, z]: [Self; 3]) -> Self {
        DVec3([x.dot(self), y.dot(self), z.dot(self)])
    }

    /// The vector with these coordinates along three axes.
    #[inline(always)]
    pub fn turned(self, [x, y, z]: [Self; 3]) -> Self {
        let [a, b, c] = self.0;
        x * a + y * b + z * c
    }

    /// Sum of the absolute values of the coordinates.
    #[inline(always)]
    pub fn norm1(self) -> f64 {
        let [x, y, z] = self.0;
        x.abs() + y.abs() + z.abs()
    }

    /// The vector scaled to a largest coordinate of 1, and the scale; `None` for zero and what is not finite.
    #[inline(always)]
    pub fn scaled(self) -> Option<(Self, f64)> {
        let [x, y, z] = self.0;
        let most = f64_max(f64_max(x.abs(), y.abs()), z.abs());
        let is_good = f64::MIN_POSITIVE < most && most < f64::INFINITY && !(x + y + z).is_nan();
        is_good.then(|| (DVec3([x / most, y / most, z / most]), most))
    }

    /// The length, never too small; zero if it is not finite.
    #[inline(always)]
    pub fn length(self) -> f64 {
        self.scaled()
            .map_or(0.0, |(d, scale)| scale * d.scaled_length())
    }

    /// The length of a vector whose largest coordinate is 1 to 2, never too small, by less than 2⁻⁴⁸ of it too large.
    ///
    /// `f64::sqrt` needs `std`. A root in `f32` is within 2⁻²² of the length, and each step of Heron's method squares that and halves
    /// it, which gives 2⁻⁴⁵ after one and less than the roundings after two; its result is never below the root, up to rounding.
    #[inline(always)]
    pub fn scaled_length(self) -> f64 {
        let squared = self.dot(self);
        let mut root = f64::from(Float::sqrt(squared as f32));
        root = 0.5 * (root + squared / root);
        root = 0.5 * (root + squared / root);
        root * (1.0 + MORE)
    }

    /// The vector scaled to a length of 1; `None` for zero and what is not finite.
    #[inline(always)]
    pub fn unit(self) -> Option<Self> {
        let (d, _) = self.scaled()?;
        Some(d * (1.0 / d.scaled_length()))
    }

    /// Two unit vectors across this unit vector and each other.
    #[inline(always)]
    pub fn across(self) -> [Self; 2] {
        let [x, y, z] = self.0.map(f64::abs);
        let axis = if x <= y && x <= z {
            WORLD[0]
        } else if y <= z {
            WORLD[1]
        } else {
            WORLD[2]
        };
        let u = axis.cross(self).unit().unwrap_or(WORLD[0]);
        [u, self.cross(u)]
    }
}

impl Index<usize> for DVec3 {
    type Output = f64;
    #[inline(always)]
    fn index(&self, axis: usize) -> &f64 {
        &self.0[axis]
    }
}

impl Add for DVec3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        DVec3([ax + bx, ay + by, az + bz])
    }
}

impl Sub for DVec3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        DVec3([ax - bx, ay - by, az - bz])
    }
}

impl Neg for DVec3 {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [x, y, z] = self.0;
        DVec3([-x, -y, -z])
    }
}

impl Mul<f64> for DVec3 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        let [x, y, z] = self.0;
        DVec3([x * factor, y * factor, z * factor])
    }
}

// As comparisons: what `f64::max` makes of zeros and NaN is not the same everywhere.
#[inline(always)]
pub fn f64_max(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}

/// The square root, rounded to nearest: `f64::sqrt` needs `std`.
#[inline(always)]
pub fn f64_sqrt(x: f64) -> f64 {
    wide::f64x2::splat(x).sqrt().to_array()[0]
}

#[inline(always)]
pub fn f64_min(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}
