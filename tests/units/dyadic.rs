//! Exact sums and products of floats.

use std::cmp::Ordering;
use std::iter::Sum;
use std::ops::{Add, Mul, Neg, Sub};

use dashu_int::IBig;

/// An integer times a power of two.
#[derive(Clone, Debug)]
pub struct Dyadic {
    integer: IBig,
    exponent: i32,
}

impl Dyadic {
    pub const ZERO: Self = Dyadic {
        integer: IBig::ZERO,
        exponent: 0,
    };

    pub fn of(x: impl Into<f64>) -> Self {
        let x: f64 = x.into();
        assert!(x.is_finite(), "{x} has no exact value");
        let (bits, fraction) = (x.to_bits(), (x.to_bits() & ((1 << 52) - 1)) as i64);
        let (mantissa, exponent) = match (bits >> 52 & 0x7ff) as i32 {
            0 => (fraction, -1074),
            field => (fraction | 1 << 52, field - 1075),
        };
        // An odd mantissa, so that integers stay short.
        let zeros = mantissa.trailing_zeros() % 64;
        let mantissa = if x < 0.0 { -mantissa } else { mantissa } >> zeros;
        Dyadic {
            integer: IBig::from(mantissa),
            exponent: if x == 0.0 { 0 } else { exponent + zeros as i32 },
        }
    }

    pub fn vec(v: [impl Into<f64>; 3]) -> [Self; 3] {
        v.map(Dyadic::of)
    }

    pub fn abs(self) -> Self {
        let sign = self.integer.signum();
        Dyadic {
            integer: self.integer * sign,
            ..self
        }
    }

    /// About this number.
    pub fn to_f64(&self) -> f64 {
        // In two steps, because the power alone may be out of range.
        let half = self.exponent / 2;
        let integer = self.integer.to_f64().value();
        integer * 2f64.powi(half) * 2f64.powi(self.exponent - half)
    }

    pub fn is_negative(&self) -> bool {
        self.integer < IBig::ZERO
    }

    /// Both integers, in units of the smaller power.
    fn aligned(&self, other: &Self) -> (IBig, IBig, i32) {
        let exponent = self.exponent.min(other.exponent);
        let shifted = |x: &Self| &x.integer << (x.exponent - exponent) as usize;
        (shifted(self), shifted(other), exponent)
    }
}

impl Add for &Dyadic {
    type Output = Dyadic;
    fn add(self, other: &Dyadic) -> Dyadic {
        let (a, b, exponent) = self.aligned(other);
        Dyadic {
            integer: a + b,
            exponent,
        }
    }
}

impl Neg for &Dyadic {
    type Output = Dyadic;
    fn neg(self) -> Dyadic {
        Dyadic {
            integer: -&self.integer,
            exponent: self.exponent,
        }
    }
}

impl Sub for &Dyadic {
    type Output = Dyadic;
    fn sub(self, other: &Dyadic) -> Dyadic {
        self + &-other
    }
}

impl Mul for &Dyadic {
    type Output = Dyadic;
    fn mul(self, other: &Dyadic) -> Dyadic {
        Dyadic {
            integer: &self.integer * &other.integer,
            exponent: self.exponent + other.exponent,
        }
    }
}

impl Sum for Dyadic {
    fn sum<I: Iterator<Item = Dyadic>>(terms: I) -> Dyadic {
        terms.fold(Dyadic::ZERO, |sum, x| &sum + &x)
    }
}

impl PartialEq for Dyadic {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Dyadic {}

impl PartialOrd for Dyadic {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Dyadic {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }
}

pub fn dot(a: &[Dyadic; 3], b: &[Dyadic; 3]) -> Dyadic {
    (0..3).map(|k| &a[k] * &b[k]).sum()
}
