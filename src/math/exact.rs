//! Exact predicates of points: the side of a plane or of a line on which a point lies, and the normal of a triangle.
//!
//! Each is computed in `f64` with an error bound, and in integers if the bound does not settle it. An `f32` is an
//! integer times a power of two, at least 2⁻¹⁴⁹, and valid coordinates are at most 2⁶⁰. So the sign is exact, and the
//! same on every machine, however long, thin or far away triangles are.
//!
//! # Error bounds
//!
//! ε is 2⁻⁵³. No operation overflows or underflows, since differences are zero or 2⁻¹⁴⁹ to 2⁶¹ and products have three factors.
//!
//! - A determinant of rounded differences errs by at most (7 + 56 ε) ε of the sum of its absolute products, its permanent.
//!   Source: J. R. Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", Discrete &
//!   Computational Geometry 18, 1997. It is used if it is at least 2⁻³⁶ of the permanent: its relative error is then below 2⁻¹⁴.
//! - A determinant of two rounded differences errs by at most (3 + 16 ε) ε of its permanent (the same source). It is used from the same
//!   part of its permanent.
//! - A coordinate of a normal errs by at most 4.1 ε of its permanent. The normal is used if its largest coordinate is at least
//!   2⁻²³ of all permanents: its direction is then off by less than 2⁻²⁶.

use crate::lane::{Float, Lanes, MAX_LANES};
use crate::math::dvec::{DVec3, MORE};

/// Part of its permanent from which a determinant in `f64` is used.
const CERTAIN_SIDE: f64 = 1.0 / (1u64 << 36) as f64;
/// Part of all permanents from which a normal in `f64` is used.
const CERTAIN_NORMAL: f64 = 1.0 / (1u64 << 23) as f64;

/// Six times the signed volume of the tetrahedron: positive if `d` is on the side of the plane of `a`, `b` and `c` to which
/// its normal points. Zero exactly if the points are coplanar, otherwise right to 2⁻¹⁴ of itself.
///
/// Coordinates are valid: at most [`MAX_LENGTH`](crate::MAX_LENGTH).
pub fn side(points: [[f32; 3]; 4]) -> f64 {
    // Written out, here and below: maps of arrays are not inlined.
    let (x, y) = (differences(&points, 0), differences(&points, 1));
    let z = differences(&points, 2);
    let (mut sum, mut permanent) = (0.0, 0.0);
    for (i, j, k) in [(1, 2, 3), (2, 3, 1), (3, 1, 2)] {
        let (p, q) = (y[j] * z[k], z[j] * y[k]);
        sum += x[i] * (p - q);
        permanent += x[i].abs() * (p.abs() + q.abs());
    }
    if sum.abs() >= CERTAIN_SIDE * permanent {
        return sum;
    }
    let units = Units::of(&points);
    if units.fit_i128() {
        units.determinant::<i128>()
    } else {
        units.determinant::<Big>()
    }
}

/// Twice the signed area of a triangle in a plane: positive if its corners are counter-clockwise, with x to the right and y up. Zero
/// exactly if the points are collinear, otherwise right to 2⁻¹⁴ of itself.
///
/// Coordinates are valid: at most [`MAX_LENGTH`](crate::MAX_LENGTH).
#[inline]
pub fn turn(points: [[f32; 2]; 3]) -> f64 {
    let [x, y] = [0, 1].map(|k| differences(&points, k));
    let (p, q) = (x[1] * y[2], x[2] * y[1]);
    let (area, permanent) = (p - q, p.abs() + q.abs());
    if area.abs() >= CERTAIN_SIDE * permanent {
        area
    } else {
        turn_in_integers(points)
    }
}

#[cold]
fn turn_in_integers(points: [[f32; 2]; 3]) -> f64 {
    let units = Units::of(&points.map(|[x, y]| [x, y, 0.0]));
    if units.fit_i128() {
        units.minor::<i128>(0, 1)
    } else {
        units.minor::<Big>(0, 1)
    }
}

/// The normal of a triangle by the right-hand rule, as long as twice its area. Zero exactly if it has no area, otherwise with a
/// direction right to 2⁻²⁶.
///
/// Coordinates are valid: at most [`MAX_LENGTH`](crate::MAX_LENGTH).
pub fn normal(points: [[f32; 3]; 3]) -> DVec3 {
    let edges = [
        differences(&points, 0),
        differences(&points, 1),
        differences(&points, 2),
    ];
    let (mut normal, mut largest, mut permanent) = ([0.0; 3], 0f64, 0.0);
    for (n, (i, j)) in normal.iter_mut().zip([(1, 2), (2, 0), (0, 1)]) {
        let (p, q) = (edges[i][1] * edges[j][2], edges[j][1] * edges[i][2]);
        *n = p - q;
        largest = largest.max(n.abs());
        permanent += p.abs() + q.abs();
    }
    if largest >= CERTAIN_NORMAL * permanent {
        return DVec3(normal);
    }
    let units = Units::of(&points);
    if units.fit_i128() {
        units.normal::<i128>()
    } else {
        units.normal::<Big>()
    }
}

/// The unit vector of a normal, off by less than 4 u; zero for zero.
pub fn unit(normal: DVec3) -> [f32; 3] {
    let (DVec3(scaled), _) = scaled(normal);
    let squared = scaled.map(|x| x * x).iter().sum::<f64>();
    if squared == 0.0 {
        return [0.0; 3];
    }
    let length = Float::sqrt(squared as f32);
    scaled.map(|x| x as f32 / length)
}

/// The unit vector of a vector in `f64`, its length within 2⁻⁵⁰ of 1; zero for zero.
pub fn unit_f64(vector: DVec3) -> DVec3 {
    let (scaled, _) = scaled(vector);
    if scaled == DVec3::ZERO {
        return scaled;
    }
    // Less what makes the length never too small: along an axis the result is exact.
    let length = scaled.scaled_length() * (1.0 - MORE);
    DVec3(scaled.0.map(|x| x / length))
}

/// The unit normals of `count` triangles, given their corners' coordinates: the results of [`normal`] and [`unit`],
/// several at once.
///
/// The loop over `f64` is a plain loop over arrays, which compilers vectorize.
#[inline(always)]
pub fn unit_normals<L: Lanes>(
    lanes: L,
    corners: &[[f32; MAX_LANES]; 9],
    count: usize,
    to: &mut [[f32; MAX_LANES + 1]; 3],
) {
    let [ax, ay, az, bx, by, bz, cx, cy, cz] = corners;
    let (mut x, mut y, mut z) = ([0f32; MAX_LANES], [0f32; MAX_LANES], [0f32; MAX_LANES]);
    let (mut squares, mut certain) = ([0f32; MAX_LANES], [0u64; MAX_LANES]);
    let whole = count.next_multiple_of(8).min(MAX_LANES);
    let mut k = 0;
    while k < whole {
        let (ax, ay, az) = (f64::from(ax[k]), f64::from(ay[k]), f64::from(az[k]));
        let (bx, by, bz) = (f64::from(bx[k]), f64::from(by[k]), f64::from(bz[k]));
        let (cx, cy, cz) = (f64::from(cx[k]), f64::from(cy[k]), f64::from(cz[k]));
        let ([bx, by, bz], [cx, cy, cz]) =
            ([bx - ax, by - ay, bz - az], [cx - ax, cy - ay, cz - az]);
        let (px, qx) = (by * cz, bz * cy);
        let (py, qy) = (bz * cx, bx * cz);
        let (pz, qz) = (bx * cy, by * cx);
        let (nx, ny, nz) = (px - qx, py - qy, pz - qz);
        let largest = larger(larger(nx.abs(), ny.abs()), nz.abs());
        let permanent = px.abs() + qx.abs() + (py.abs() + qy.abs()) + (pz.abs() + qz.abs());
        certain[k] = u64::from(largest >= CERTAIN_NORMAL * permanent);
        // The power of two of `scaled`.
        let exponent = (largest.to_bits() >> 52).clamp(1023 - 1000, 1023 + 1000);
        let power = f64::from_bits((2 * 1023 - exponent) << 52);
        let (nx, ny, nz) = (nx * power, ny * power, nz * power);
        squares[k] = (nx * nx + ny * ny + nz * nz) as f32;
        (x[k], y[k], z[k]) = (nx as f32, ny as f32, nz as f32);
        k += 1;
    }
    let mut at = 0;
    while at < count {
        let square = lanes.load(&squares[at..]);
        let some = lanes.splat(0.0).lt(square);
        let length = square.sqrt();
        let [to_x, to_y, to_z] = &mut *to;
        lanes.store(
            (lanes.load(&x[at..]) / length).masked(some),
            &mut to_x[at..],
        );
        lanes.store(
            (lanes.load(&y[at..]) / length).masked(some),
            &mut to_y[at..],
        );
        lanes.store(
            (lanes.load(&z[at..]) / length).masked(some),
            &mut to_z[at..],
        );
        at += L::COUNT;
    }
    let mut k = 0;
    while k < count {
        if certain[k] == 0 {
            let numbers = corners.map(|column| column[k]);
            let [a, b, c] = [0, 3, 6].map(|first| [0, 1, 2].map(|x| numbers[first + x]));
            let unit = unit(normal([a, b, c]));
            (to[0][k], to[1][k], to[2][k]) = (unit[0], unit[1], unit[2]);
        }
        k += 1;
    }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// Whether the angle between two normals is below the angle with this squared sine, less than 90°. `edge` is common to
/// both triangles, and `side` their determinant.
///
/// The cross product of the normals is the edge times the determinant, so small angles do not cancel.
pub fn is_flat(side: f64, edge: DVec3, normals: [DVec3; 2], sine_squared: f64) -> bool {
    // Scaled, so that squares neither underflow nor overflow.
    let (e, e_exponent) = scaled(edge);
    let ((n, n_exponent), (m, m_exponent)) = (scaled(normals[0]), scaled(normals[1]));
    let side = side * power_of_two(e_exponent - n_exponent - m_exponent);
    n.dot(m) > 0.0 && side * side * e.dot(e) < sine_squared * n.dot(n) * m.dot(m)
}

/// The sine of an angle of at most 0.5, squared.
pub fn sine_squared(angle: f32) -> f64 {
    let x = f64::from(angle);
    let square = x * x;
    // The next term is below 2⁻⁴⁰ of the first.
    let mut sum = 1.0;
    for k in [8.0, 6.0, 4.0, 2.0] {
        sum = 1.0 - square / (k * (k + 1.0)) * sum;
    }
    square * sum * sum
}

/// The coordinates along one axis, less that of the first point.
pub fn differences<const N: usize, const D: usize>(
    points: &[[f32; D]; N],
    axis: usize,
) -> [f64; N] {
    let (mut all, first) = ([0.0; N], f64::from(points[0][axis]));
    for (difference, point) in all.iter_mut().zip(points) {
        *difference = f64::from(point[axis]) - first;
    }
    all
}

/// A vector times a power of two that makes its largest coordinate 1 to 2, and the exponent of the inverse of this power. The
/// coordinates are 0 or at least 2⁻¹⁰²².
fn scaled(vector: DVec3) -> (DVec3, i32) {
    let [x, y, z] = vector.0;
    let largest = x.abs().max(y.abs()).max(z.abs());
    let exponent = ((largest.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000);
    let power = power_of_two(-exponent);
    (vector * power, exponent)
}

/// 2 to this power, from −1022 to 1023.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

/// Points in integers: the coordinates along each axis in units of a power of two.
struct Units<const N: usize> {
    /// The mantissas along each axis, and their shifts.
    axes: [[(i32, u32); N]; 3],
    /// The exponent of the unit of each axis.
    exponents: [i32; 3],
    /// Number of bits of a difference along each axis, without its sign.
    bits: [u32; 3],
}

impl<const N: usize> Units<N> {
    fn of(points: &[[f32; 3]; N]) -> Self {
        let mut units = Units {
            axes: [[(0, 0); N]; 3],
            exponents: [0; 3],
            bits: [0; 3],
        };
        for k in 0..3 {
            let parts = points.map(|point| parts(point[k]));
            let of_others = parts.iter().filter(|(mantissa, _)| *mantissa != 0);
            let least = of_others.map(|(_, exponent)| *exponent).min().unwrap_or(0);
            let shifted = parts.map(|(mantissa, exponent)| match mantissa {
                0 => (0, 0),
                _ => (mantissa, (exponent - least) as u32),
            });
            let bits = shifted
                .map(|(mantissa, shift)| 32 - mantissa.unsigned_abs().leading_zeros() + shift);
            units.axes[k] = shifted;
            units.exponents[k] = least;
            units.bits[k] = 1 + bits.into_iter().max().unwrap_or(0);
        }
        units
    }

    /// Whether sums of six products of a difference along each axis fit an `i128`.
    fn fit_i128(&self) -> bool {
        self.bits.iter().sum::<u32>() + 3 < i128::BITS
    }

    fn differences<I: Integer>(&self, axis: usize) -> [I; N] {
        let integers = self.axes[axis].map(|(mantissa, shift)| I::shifted(mantissa, shift));
        integers.map(|x| x.less(integers[0]))
    }
}

impl Units<4> {
    fn determinant<I: Integer>(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.differences::<I>(k));
        let part = |i: usize, j: usize, k: usize| {
            let minor = y[j].times(z[k]).less(z[j].times(y[k]));
            x[i].times(minor)
        };
        let sum = part(1, 2, 3).plus(part(2, 3, 1)).plus(part(3, 1, 2));
        sum.to_f64() * power_of_two(self.exponents.iter().sum())
    }
}

impl Units<3> {
    fn normal<I: Integer>(&self) -> DVec3 {
        DVec3([(1, 2), (2, 0), (0, 1)].map(|(i, j)| self.minor::<I>(i, j)))
    }

    /// The determinant of the differences along two axes.
    fn minor<I: Integer>(&self, i: usize, j: usize) -> f64 {
        let (x, y) = (self.differences::<I>(i), self.differences::<I>(j));
        let minor = x[1].times(y[2]).less(y[1].times(x[2]));
        minor.to_f64() * power_of_two(self.exponents[i] + self.exponents[j])
    }
}

/// An odd mantissa with its sign, or zero, and the exponent of its unit.
fn parts(x: f32) -> (i32, i32) {
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 23 & 0xff) as i32, (bits & 0x7f_ffff) as i32);
    let (mantissa, exponent) = match field {
        0 => (fraction, -149),
        _ => (fraction | 0x80_0000, field - 150),
    };
    let zeros = (mantissa | 1 << 24).trailing_zeros() as i32;
    let odd = mantissa >> zeros;
    (if bits >> 31 == 0 { odd } else { -odd }, exponent + zeros)
}

/// Integers wide enough for the sums.
trait Integer: Copy {
    fn shifted(mantissa: i32, shift: u32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn less(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    /// Rounded, right to a few ε.
    fn to_f64(self) -> f64;
}

impl Integer for i128 {
    fn shifted(mantissa: i32, shift: u32) -> i128 {
        i128::from(mantissa) << shift
    }
    fn plus(self, other: i128) -> i128 {
        self.wrapping_add(other)
    }
    fn less(self, other: i128) -> i128 {
        self.wrapping_sub(other)
    }
    fn times(self, other: i128) -> i128 {
        self.wrapping_mul(other)
    }
    fn to_f64(self) -> f64 {
        self as f64
    }
}

/// 640 bits in two's complement, the lowest first. A difference along an axis has at most 210 bits and a sign, the sum of six
/// products of three such differences at most 633.
#[derive(Clone, Copy)]
struct Big([u64; Big::LIMBS]);

impl Big {
    const LIMBS: usize = 10;
}

impl Integer for Big {
    fn shifted(mantissa: i32, shift: u32) -> Big {
        let wide = i128::from(mantissa) << (shift % 64);
        let at = (shift / 64) as usize;
        let mut limbs = [0; Big::LIMBS];
        for (k, limb) in limbs.iter_mut().enumerate().skip(at) {
            *limb = (wide >> (64 * (k - at)).min(127)) as u64;
        }
        Big(limbs)
    }

    fn plus(self, other: Big) -> Big {
        let mut carry = 0;
        let mut sum = self.0;
        for (x, y) in sum.iter_mut().zip(other.0) {
            let wide = u128::from(*x) + u128::from(y) + carry;
            (*x, carry) = (wide as u64, wide >> 64);
        }
        Big(sum)
    }

    fn less(self, other: Big) -> Big {
        let mut borrow = false;
        let mut rest = self.0;
        for (x, y) in rest.iter_mut().zip(other.0) {
            let (less, first) = x.overflowing_sub(y);
            let (less, second) = less.overflowing_sub(u64::from(borrow));
            (*x, borrow) = (less, first | second);
        }
        Big(rest)
    }

    fn times(self, other: Big) -> Big {
        let mut product = [0u64; Big::LIMBS];
        for (i, x) in self.0.into_iter().enumerate() {
            let mut carry = 0;
            for (to, y) in product[i..].iter_mut().zip(other.0) {
                let wide = u128::from(x) * u128::from(y) + u128::from(*to) + carry;
                (*to, carry) = (wide as u64, wide >> 64);
            }
        }
        Big(product)
    }

    fn to_f64(self) -> f64 {
        let is_negative = self.0[Big::LIMBS - 1] >> 63 != 0;
        let size = if is_negative {
            Big([0; Big::LIMBS]).less(self)
        } else {
            self
        };
        let sum = size
            .0
            .iter()
            .rev()
            .fold(0.0, |sum, limb| sum * power_of_two(64) + *limb as f64);
        if is_negative { -sum } else { sum }
    }
}
