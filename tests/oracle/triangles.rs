//! Triangles, exactly: how far points and segments are from them.

use dashu_int::IBig;

use super::exact::{Vec3, sq};
use super::segments::{Squared, between, from_point};

/// The corners of a triangle.
pub struct Corners(pub [Vec3; 3]);

impl Corners {
    /// Each edge: where it starts, and how it goes on.
    fn edges(&self) -> [(&Vec3, Vec3); 3] {
        let [a, b, c] = &self.0;
        [(a, b - a), (b, c - b), (c, a - c)]
    }

    /// Twice the area, along the normal.
    fn normal(&self) -> Vec3 {
        let [a, b, c] = &self.0;
        (b - a).cross(&(c - a))
    }

    /// The length of the longest edge, rounded.
    pub fn longest(&self) -> f64 {
        let lengths = self.edges().map(|(_, edge)| edge.length_sq());
        lengths
            .into_iter()
            .max()
            .unwrap_or(IBig::ZERO)
            .to_f64()
            .value()
            .sqrt()
    }

    /// Whether the foot of the perpendicular from a point is in the triangle, which is not flat.
    fn is_above(&self, point: &Vec3) -> bool {
        let normal = self.normal();
        let inside =
            |(start, edge): &(&Vec3, Vec3)| edge.cross(&(point - start)).dot(&normal) >= IBig::ZERO;
        normal.length_sq() > IBig::ZERO && self.edges().iter().all(inside)
    }

    /// How far a point is.
    pub fn to_point(&self, point: &Vec3) -> Squared {
        if self.is_above(point) {
            let normal = self.normal();
            return Squared {
                numerator: sq(&normal.dot(&(point - &self.0[0]))),
                denominator: normal.length_sq(),
            };
        }
        Squared::least(self.edges().map(|(start, edge)| {
            // Doubled: segments are given by their middles and halves.
            let middle = &(start + start) + &edge;
            quarter(from_point(&(&(point + point) - &middle), &edge).0)
        }))
    }

    /// How far the segment from a point on is.
    pub fn to_segment(&self, point: &Vec3, way: &Vec3) -> Squared {
        let end = point + way;
        if self.is_crossed(point, &end) {
            return Squared {
                numerator: IBig::ZERO,
                denominator: IBig::ONE,
            };
        }
        let middle = point + &end;
        let edges = self.edges().map(|(start, edge)| {
            let of_edge = &(start + start) + &edge;
            quarter(between(&(&middle - &of_edge), way, &edge))
        });
        let ends = [self.to_point(point), self.to_point(&end)];
        Squared::least(edges.into_iter().chain(ends))
    }

    /// Whether a segment goes through the plane within the triangle.
    fn is_crossed(&self, from: &Vec3, to: &Vec3) -> bool {
        let normal = self.normal();
        let [before, after] = [from, to].map(|end| normal.dot(&(end - &self.0[0])));
        let height = &before - &after;
        if height == IBig::ZERO || before.signum() * after.signum() > IBig::ZERO {
            return false;
        }
        // The crossing, times the height that is passed, which is made positive.
        let sign = height.signum();
        let (before, height) = (before * &sign, height * &sign);
        let crossing = &(from * &height) + &(&(to - from) * &before);
        let larger = Corners(self.0.each_ref().map(|corner| corner * &height));
        larger.is_above(&crossing)
    }
}

/// The square of half the distance.
fn quarter(of: Squared) -> Squared {
    Squared {
        denominator: of.denominator * IBig::from(4),
        ..of
    }
}
