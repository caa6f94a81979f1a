//! Nearest point of a segment to a point or to another segment.
//!
//! A segment is the points t h, t from −1 to 1; queries are relative to its middle. The nearest point to p is at t =
//! p·h / h·h, clamped to that range. h is first scaled by a power of two, to d, so that the products stay in range.
//!
//! Degenerate cases: for h = 0 the quotient is NaN, which becomes t = −1: the only point.
//!
//! # Error bounds
//!
//! Let p be exact, and f the true nearest point. p·d rounds 3 times, relative to |p| |d|; d·d 3 times, its inverse and
//! both products with that once: the last is with a power of two. So t is off by 8 u |p| / |h| before it is clamped,
//! and clamping does not add to that:
//!
//! ```text
//! (1)  [`nearest`] is a point of the segment up to u |h| |t|, and |p − it|² ≤ |p − f|² + (8.1 u |p|)²
//! (2)  [`beside`] is off by 8.1 u |p| along d, and by another 1.5 u |p|
//! ```
//!
//! (1): at t the squared distance is that of the line plus the squared distance on the line from its foot. If the foot
//! is within the segment, that distance is the error. If not, f is an end, and unless t is at the same end, foot and t
//! are on either side of it, and less than the error apart. (2): the part along d rounds as above, then u in its
//! product and u in its difference from p, which are two perpendicular parts of p.
//!
//! Underflow: products with |d| ≥ 1/2 are off by 2⁻¹⁵⁰, a length of at most 2⁻¹⁴⁶. A t that underflows is off by 2⁻¹⁵⁰,
//! worth 2⁻⁸⁹ of length. If h is subnormal, |d| may be 2⁻²³, and each t is right up to 2⁻¹²⁵ of length. Overflow: |p·d|
//! < 2⁶⁵, and its product with the inverse is below 2¹¹². A product with the scale that is infinite lies far outside
//! the range to which it is clamped.

use crate::lane::{Float, Lanes, Vec3, select};

/// Segment centered at the origin.
#[derive(Clone, Copy)]
pub struct Segment<F> {
    half_axis: Vec3<F>,
    /// Scaled by a power of two, so that its largest coordinate lies in `0.5..1`.
    direction: Vec3<F>,
    scale: F,
    /// Reciprocal of the squared length of `direction`.
    inverse: F,
    one: F,
}

impl<F: Float> Segment<F> {
    /// The segment from `-half_axis` to `half_axis`.
    #[inline(always)]
    pub fn new<L: Lanes<F = F>>(lanes: L, half_axis: Vec3<F>) -> Self {
        let one = lanes.splat(1.0);
        let scale = half_axis.abs().largest().recip_pow2();
        let direction = half_axis * scale;
        Segment {
            half_axis,
            direction,
            scale,
            inverse: one / direction.dot(direction),
            one,
        }
    }

    /// Nearest point of the segment to `p`.
    #[inline(always)]
    pub fn nearest(self, p: Vec3<F>) -> Vec3<F> {
        let along = p.dot(self.direction) * self.inverse;
        self.at(along * self.scale)
    }

    /// Parameter of the point nearest to `p` on the line of the segment: −1 and 1 at its ends, NaN if it has no length.
    #[inline(always)]
    pub fn parameter(self, p: Vec3<F>) -> F {
        p.dot(self.direction) * self.inverse * self.scale
    }

    /// One over the length of the half axis, up to a factor from 1/2 to 2.
    #[inline(always)]
    pub fn scale(self) -> F {
        self.scale
    }

    /// Point at `t`, clamped to the segment: an end if `t` is NaN.
    #[inline(always)]
    fn at(self, t: F) -> Vec3<F> {
        self.half_axis * t.max(-self.one).min(self.one)
    }

    /// Component of `p` perpendicular to the segment.
    #[inline(always)]
    fn beside(self, p: Vec3<F>) -> Vec3<F> {
        p - self.direction * (p.dot(self.direction) * self.inverse)
    }

    /// Component of `v` normal to the segment. Applied twice, so that even a short remainder is normal.
    #[inline(always)]
    pub fn normal_part(self, v: Vec3<F>) -> Vec3<F> {
        self.beside(self.beside(v))
    }

    /// Vector perpendicular to both segments; the second is first made normal to this segment. Even for nearly parallel
    /// segments it is normal to both within a few u. It may be zero, or NaN for a segment of length zero.
    #[inline(always)]
    pub fn normal_to_both(self, other: Self) -> Vec3<F> {
        self.direction.cross(self.beside(other.direction))
    }

    /// Interval of the segment beside another segment, displaced by `offset`.
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

    /// Point of the segment, displaced by `offset`, that is nearest to the line of another segment.
    #[inline(always)]
    pub fn nearest_to_line(self, offset: Vec3<F>, other: Self) -> Vec3<F> {
        let (x, q) = (other.beside(offset), other.beside(self.direction));
        self.at(-x.dot(q) / q.dot(q) * self.scale)
    }
}

/// Nearest points of two segments, relative to the middle of the first. The middle of the second is at `offset`.
///
/// The nearest of the three pairs. Each of its points is projected onto the other segment once more, so that the
/// difference is normal to a segment unless its point is an end.
#[inline(always)]
pub fn nearest_pair<F: Float>(
    a: Segment<F>,
    b: Segment<F>,
    offset: Vec3<F>,
    half_b: Vec3<F>,
) -> [Vec3<F>; 2] {
    let on_a = a.nearest_to_line(-offset, b);
    let on_b = offset + b.nearest(on_a - offset);
    let (low, high) = (offset - half_b, offset + half_b);
    let (apart, from_low, from_high) = (on_b - on_a, apart(a, low), apart(a, high));
    let (low_sq, high_sq) = (from_low.dot(from_low), from_high.dot(from_high));
    let end = select(low_sq.lt(high_sq), low, high);
    let on_b = select(low_sq.min(high_sq).lt(apart.dot(apart)), end, on_b);
    let on_a = a.nearest(on_b);
    [on_a, offset + b.nearest(on_a - offset)]
}

/// Vector from the nearest point of a segment to `p`.
#[inline(always)]
pub fn apart<F: Float>(axis: Segment<F>, p: Vec3<F>) -> Vec3<F> {
    p - axis.nearest(p)
}
