//! The point of a segment that is nearest to another one.
//!
//! A segment is the points t h, t from −1 to 1; what it is tested against is given relative to its middle. The
//! nearest point to p is at t = p·h / h·h, cut to that range. h is scaled by a power of two first, to d, so
//! that the products stay in range.
//!
//! Degenerate cases: for h = 0 the quotient is NaN, which becomes t = −1: the one point there is.
//!
//! # Error bounds
//!
//! Let p be exact, and f the true nearest point. p·d rounds 3 times, relative to |p| |d|; d·d 3 times, its
//! inverse and both products with that once: the last is with a power of two. So t is off by 8 u |p| / |h|
//! before it is cut, and cutting does not add to that:
//!
//! ```text
//! (1)  [`nearest`] is a point of the segment but for u |h| |t|, and |p − it|² ≤ |p − f|² + (8.1 u |p|)²
//! (2)  [`beside`] is off by 8.1 u |p| along d, and by 1.5 u |p| besides
//! ```
//!
//! (1): at t the squared distance is that of the line and the squared way on the line from its foot. If the
//! foot is within the segment, that way is the error; if not, f is an end, and unless t is at the same end,
//! foot and t are on either side of it, and less than the error apart. (2): the part along d rounds as above,
//! then as it is multiplied and taken from p, u each of two parts of p that are at right angles.
//!
//! Underflow: products with |d| ≥ 1/2 are off by 2⁻¹⁵⁰, a length of at most 2⁻¹⁴⁶. A t that underflows is off
//! by 2⁻¹⁵⁰, worth 2⁻⁸⁹ of length. If h is subnormal, |d| may be 2⁻²³, and each t is right but for 2⁻¹²⁵ of
//! length. Overflow: |p·d| < 2⁶⁵, its product with the inverse is below 2¹¹², and what is infinite after the
//! product with the scale is far outside of the range that it is cut to.

use crate::lane::{Float, Lanes, Vec3};

/// A segment around the origin.
#[derive(Clone, Copy)]
pub struct Segment<F> {
    half_axis: Vec3<F>,
    /// Scaled by a power of two, so that its largest coordinate lies in `0.5..1`.
    direction: Vec3<F>,
    scale: F,
    /// Of the squared length of `direction`.
    inverse: F,
    one: F,
}

impl<F: Float> Segment<F> {
    /// The segment from `-half_axis` to `half_axis`.
    #[inline(always)]
    pub fn new<L: Lanes<F = F>>(lanes: L, half_axis: Vec3<F>) -> Self {
        let one = lanes.splat(1.0);
        let scale = half_axis.abs().largest().power_of_two_below_inverse();
        let direction = half_axis * scale;
        Segment {
            half_axis,
            direction,
            scale,
            inverse: one / direction.dot(direction),
            one,
        }
    }

    /// The point of the segment that is nearest to `p`.
    #[inline(always)]
    pub fn nearest(self, p: Vec3<F>) -> Vec3<F> {
        let along = p.dot(self.direction) * self.inverse;
        self.at(along * self.scale)
    }

    /// The point at `t`, cut to the segment: at its end if `t` is NaN.
    #[inline(always)]
    fn at(self, t: F) -> Vec3<F> {
        self.half_axis * t.max(-self.one).min(self.one)
    }

    /// The part of `p` at right angles to the segment.
    #[inline(always)]
    fn beside(self, p: Vec3<F>) -> Vec3<F> {
        p - self.direction * (p.dot(self.direction) * self.inverse)
    }

    /// What of a vector is normal to the segment. Taken twice, so that little of it left is normal too.
    #[inline(always)]
    pub fn normal_part(self, v: Vec3<F>) -> Vec3<F> {
        self.beside(self.beside(v))
    }

    /// A vector at right angles to both segments, of which the second is first made normal to this one: even of
    /// nearly parallel ones it is normal to either within some u. It may be zero, or NaN for a segment without length.
    #[inline(always)]
    pub fn normal_to_both(self, other: Self) -> Vec3<F> {
        self.direction.cross(self.beside(other.direction))
    }

    /// Which part of the segment lies beside another one, moved by `offset`: from where to where.
    #[inline(always)]
    pub fn shadow(self, offset: Vec3<F>, half_axis: Vec3<F>) -> (F, F) {
        let along = |v: Vec3<F>| v.dot(self.direction) * self.inverse * self.scale;
        let (middle, half) = (along(offset), along(half_axis).abs());
        let one = self.one;
        (
            (middle - half).max(-one).min(one),
            (middle + half).max(-one).min(one),
        )
    }

    /// The point of the segment that, moved by `offset`, is nearest to the line of another one.
    #[inline(always)]
    pub fn nearest_to_line(self, offset: Vec3<F>, other: Self) -> Vec3<F> {
        let (x, q) = (other.beside(offset), other.beside(self.direction));
        self.at(-x.dot(q) / q.dot(q) * self.scale)
    }
}
