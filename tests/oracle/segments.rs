//! Exact distances of segments.

use dashu_int::IBig;

use super::exact::{Vec3, abs, ratio, sq};

/// A squared distance, as a fraction.
pub struct Squared {
    pub numerator: IBig,
    pub denominator: IBig,
}

impl Squared {
    pub fn is_below(&self, other: &Squared) -> bool {
        &self.numerator * &other.denominator < &other.numerator * &self.denominator
    }

    /// The least of several.
    pub fn least(all: impl IntoIterator<Item = Squared>) -> Squared {
        all.into_iter()
            .reduce(|least, other| if other.is_below(&least) { other } else { least })
            .expect("some distance")
    }

    /// Whether the distance is at most `reach`; and the gap if not.
    pub fn within(&self, reach: &IBig) -> (bool, f64) {
        let excess = &self.numerator - sq(reach) * &self.denominator;
        if excess <= IBig::ZERO {
            return (true, 0.0);
        }
        let distance = ratio(&self.numerator, &self.denominator).sqrt();
        let gap = ratio(&excess, &self.denominator) / (distance + reach.to_f64().value());
        (false, gap)
    }
}

/// Distance of `p` from the segment between `-half_axis` and `half_axis`, and the parameter of the nearest point, in
/// half axes.
pub fn from_point(p: &Vec3, half_axis: &Vec3) -> (Squared, f64) {
    let end = |sign: i32| {
        let to_end = p - &(half_axis * &IBig::from(sign));
        let squared = Squared {
            numerator: to_end.length_sq(),
            denominator: IBig::ONE,
        };
        (squared, f64::from(sign))
    };
    let (along, length_sq) = (p.dot(half_axis), half_axis.length_sq());
    if along >= length_sq {
        return end(1);
    }
    if along <= -&length_sq {
        return end(-1);
    }
    // The area of a parallelogram, by its base.
    let squared = Squared {
        numerator: p.cross(half_axis).length_sq(),
        denominator: length_sq.clone(),
    };
    (squared, ratio(&along, &length_sq))
}

/// Distance of the segment between `offset - half_a` and `offset + half_a` from the segment of `half_b`.
pub fn between(offset: &Vec3, half_a: &Vec3, half_b: &Vec3) -> Squared {
    // The nearest points of the lines, if they are on both segments: by Cramer's rule, in units of `length_sq`.
    let normal = half_a.cross(half_b);
    let length_sq = normal.length_sq();
    let s = offset.cross(half_a).dot(&normal);
    let t = offset.cross(half_b).dot(&normal);
    if length_sq > IBig::ZERO && abs(&s) <= length_sq && abs(&t) <= length_sq {
        return Squared {
            numerator: sq(&offset.dot(&normal)),
            denominator: length_sq,
        };
    }
    // Otherwise the nearest point of a segment is an end.
    Squared::least([
        from_point(&(offset - half_a), half_b).0,
        from_point(&(offset + half_a), half_b).0,
        from_point(&(offset - half_b), half_a).0,
        from_point(&(offset + half_b), half_a).0,
    ])
}
