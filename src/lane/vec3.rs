//! Three-dimensional vectors, one per lane, with a fixed order of summation.

use core::ops::{Add, Mul, Neg, Sub};

use super::Float;

/// A point, a direction or three extents in each lane.
#[derive(Clone, Copy)]
pub struct Vec3<F>(pub [F; 3]);

impl<F: Float> Vec3<F> {
    /// `(x x' + y y') + z z'`
    #[inline(always)]
    pub fn dot(self, other: Self) -> F {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        ax * bx + ay * by + az * bz
    }
    /// Projections on three axes: the dot product with each.
    #[inline(always)]
    pub fn along(self, [x, y, z]: [Self; 3]) -> [F; 3] {
        [self.dot(x), self.dot(y), self.dot(z)]
    }
    /// The cross product.
    #[inline(always)]
    pub fn cross(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Vec3([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
    }
    /// The absolute value of each coordinate.
    #[inline(always)]
    pub fn abs(self) -> Self {
        let [x, y, z] = self.0;
        Vec3([x.abs(), y.abs(), z.abs()])
    }
    /// `(x + y) + z`
    #[inline(always)]
    pub fn sum(self) -> F {
        let [x, y, z] = self.0;
        x + y + z
    }
    /// The largest coordinate.
    #[inline(always)]
    pub fn largest(self) -> F {
        let [x, y, z] = self.0;
        x.max(y).max(z)
    }
}

impl<F: Float> Add for Vec3<F> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Vec3([ax + bx, ay + by, az + bz])
    }
}

impl<F: Float> Sub for Vec3<F> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.0, other.0);
        Vec3([ax - bx, ay - by, az - bz])
    }
}

impl<F: Float> Neg for Vec3<F> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        let [x, y, z] = self.0;
        Vec3([-x, -y, -z])
    }
}

impl<F: Float> Mul<F> for Vec3<F> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: F) -> Self {
        let [x, y, z] = self.0;
        Vec3([x * factor, y * factor, z * factor])
    }
}
