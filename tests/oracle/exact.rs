//! Integers for lengths, fractions for times, and vectors of them.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::{IBig, UBig};

/// A power of two that scales numbers to integers.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    exponent: i32,
}

impl Scale {
    /// The largest scale that makes each number an integer.
    pub fn of<'a>(numbers: impl IntoIterator<Item = &'a f32>) -> Self {
        let exponents = numbers
            .into_iter()
            .filter(|x| **x != 0.0)
            .map(|x| parts(*x).1);
        Scale {
            exponent: exponents.min().unwrap_or(0),
        }
    }

    /// The power of two that is one unit.
    pub fn exponent(self) -> i32 {
        self.exponent
    }

    /// `x` in units of this scale, which must divide it.
    pub fn int(self, x: f32) -> IBig {
        let (mantissa, exponent) = parts(x);
        if mantissa == 0 {
            return IBig::ZERO;
        }
        assert!(
            exponent >= self.exponent,
            "{x} is no multiple of 2^{}",
            self.exponent
        );
        IBig::from(mantissa) << (exponent - self.exponent) as usize
    }

    /// Three coordinates in units of this scale.
    pub fn vec(self, v: [f32; 3]) -> Vec3 {
        Vec3(v.map(|x| self.int(x)))
    }

    /// 1 in units of this scale, which must be a whole number of units.
    pub fn one(self) -> IBig {
        IBig::ONE << -self.exponent as usize
    }

    /// Converts a number of units to a length, rounded.
    pub fn f64(self, units: f64) -> f64 {
        // In two steps, because the power alone may be out of range.
        let half = self.exponent / 2;
        units * 2f64.powi(half) * 2f64.powi(self.exponent - half)
    }
}

/// An odd mantissa, with its sign, and the exponent of its unit.
fn parts(x: f32) -> (i32, i32) {
    assert!(x.is_finite(), "{x} has no exact value");
    let bits = x.to_bits();
    let (field, fraction) = ((bits >> 23 & 0xff) as i32, (bits & 0x7f_ffff) as i32);
    let (mantissa, exponent) = if field == 0 {
        (fraction, -149)
    } else {
        (fraction | 0x80_0000, field - 150)
    };
    let zeros = if mantissa == 0 {
        0
    } else {
        mantissa.trailing_zeros() as i32
    };
    let mantissa = mantissa >> zeros;
    (
        if x.is_sign_negative() {
            -mantissa
        } else {
            mantissa
        },
        exponent + zeros,
    )
}

/// `numerator / denominator`, rounded.
pub fn ratio(numerator: &IBig, denominator: &IBig) -> f64 {
    let bits = |x: &IBig| -> i64 { UBig::try_from(x * x.signum()).map_or(0, |x| bit_len(&x)) };
    // Both are cut down to 100 bits, which is enough for 53.
    let (cut_n, cut_d) = (bits(numerator) - 100, bits(denominator) - 100);
    let shift = |x: &IBig, cut: i64| {
        if cut > 0 {
            x >> cut as usize
        } else {
            x << -cut as usize
        }
    };
    let quotient =
        shift(numerator, cut_n).to_f64().value() / shift(denominator, cut_d).to_f64().value();
    let exponent = (cut_n - cut_d) as i32;
    quotient * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

fn bit_len(x: &UBig) -> i64 {
    let bytes = x.to_le_bytes();
    let top = bytes.last().copied().unwrap_or(0);
    bytes.len() as i64 * 8 - i64::from(top.leading_zeros())
}

pub fn abs(x: &IBig) -> IBig {
    x * x.signum()
}

pub fn sq(x: &IBig) -> IBig {
    x.sqr().into()
}

#[derive(Clone, Debug)]
pub struct Vec3(pub [IBig; 3]);

impl Vec3 {
    pub fn dot(&self, other: &Vec3) -> IBig {
        let [x, y, z] = [0, 1, 2].map(|k| &self.0[k] * &other.0[k]);
        x + y + z
    }
    pub fn cross(&self, other: &Vec3) -> Vec3 {
        Vec3(
            [(1, 2), (2, 0), (0, 1)]
                .map(|(i, j)| &self.0[i] * &other.0[j] - &self.0[j] * &other.0[i]),
        )
    }
    pub fn length_sq(&self) -> IBig {
        self.dot(self)
    }
    /// The sum of the absolute coordinates.
    pub fn norm_1(&self) -> IBig {
        let [x, y, z] = self.0.each_ref().map(abs);
        x + y + z
    }
}

impl Add for &Vec3 {
    type Output = Vec3;
    fn add(self, other: &Vec3) -> Vec3 {
        Vec3([0, 1, 2].map(|k| &self.0[k] + &other.0[k]))
    }
}

impl Sub for &Vec3 {
    type Output = Vec3;
    fn sub(self, other: &Vec3) -> Vec3 {
        Vec3([0, 1, 2].map(|k| &self.0[k] - &other.0[k]))
    }
}

impl Neg for &Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        Vec3(self.0.each_ref().map(|x| -x))
    }
}

impl Mul<&IBig> for &Vec3 {
    type Output = Vec3;
    fn mul(self, factor: &IBig) -> Vec3 {
        Vec3(self.0.each_ref().map(|x| x * factor))
    }
}

/// A time: a fraction with a positive denominator.
#[derive(Clone, Debug)]
pub struct Time(pub IBig, pub IBig);

impl Time {
    /// The quotient of two numbers.
    pub fn new(numerator: IBig, denominator: IBig) -> Self {
        let sign = denominator.signum();
        Time(numerator * &sign, denominator * sign)
    }

    /// Converts a number to a time.
    pub fn of(time: f32) -> Self {
        let scale = Scale::of(&[time, 1.0]);
        Time(scale.int(time), scale.one())
    }

    pub fn cmp(&self, other: &Time) -> Ordering {
        (&self.0 * &other.1).cmp(&(&other.0 * &self.1))
    }

    /// The middle of two times.
    pub fn between(&self, other: &Time) -> Time {
        let sum = &self.0 * &other.1 + &other.0 * &self.1;
        Time(sum, &self.1 * &other.1 * IBig::from(2))
    }
}
