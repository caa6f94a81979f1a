//! Three-dimensional vectors, one per lane, with a fixed order of summation.

use core::ops::{Add, Mul, Neg, Sub};

use super::{Float, Lanes};

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

/// `if mask { a } else { b }`
#[inline(always)]
pub fn select<F: Float>(mask: F::Mask, a: Vec3<F>, b: Vec3<F>) -> Vec3<F> {
    let ([ax, ay, az], [bx, by, bz]) = (a.0, b.0);
    Vec3([
        ax.select(mask, bx),
        ay.select(mask, by),
        az.select(mask, bz),
    ])
}

/// The vector that `v` is stored as.
#[inline(always)]
pub fn stored<L: Lanes>(lanes: L, v: Vec3<L::F>) -> Vec3<L::F> {
    let [x, y, z] = v.0;
    Vec3([lanes.stored(x), lanes.stored(y), lanes.stored(z)])
}

/// Three scalars, each broadcast to all lanes.
#[inline(always)]
pub fn splat<L: Lanes>(lanes: L, [x, y, z]: [f32; 3]) -> Vec3<L::F> {
    Vec3([lanes.splat(x), lanes.splat(y), lanes.splat(z)])
}

/// Unit vector along `v`, and the length of `v`; `otherwise` if that is zero.
///
/// `v` is scaled first, so that squares neither underflow nor overflow. Division, instead of multiplication by a
/// reciprocal, gives vectors along a coordinate axis a length of exactly 1. Each coordinate rounds 3.5 times.
#[inline(always)]
pub fn unit<L: Lanes>(lanes: L, v: Vec3<L::F>, otherwise: Vec3<L::F>) -> (Vec3<L::F>, L::F) {
    let scale = v.abs().largest().recip_pow2();
    let scaled = v * scale;
    let length = scaled.dot(scaled).sqrt();
    let some = lanes.splat(0.0).lt(length);
    let [x, y, z] = scaled.0;
    let along = Vec3([x / length, y / length, z / length]);
    (select(some, along, otherwise), length.masked(some) / scale)
}

/// Unit vector perpendicular to `v`; z if `v` is zero.
#[inline(always)]
pub fn across<L: Lanes>(lanes: L, v: Vec3<L::F>) -> Vec3<L::F> {
    let [x, y, z] = v.0;
    let zero = lanes.splat(0.0);
    // The smallest coordinate is dropped: no cancellation.
    let without_z = z.abs().le(x.abs()) & z.abs().le(y.abs());
    let without_y = y.abs().le(x.abs());
    let across = select(
        without_z,
        Vec3([-y, x, zero]),
        select(without_y, Vec3([z, zero, -x]), Vec3([zero, -z, y])),
    );
    unit(lanes, across, splat(lanes, [0.0, 0.0, 1.0])).0
}
