//! Triangles, exactly: how far points and segments are from them.

use dashu_int::IBig;

use phalanx::TimeInterval;

use super::Exact;
use super::exact::{Scale, Vec3, sq};
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

    /// The distance of another triangle.
    pub fn to_triangle(&self, other: &Corners) -> Squared {
        let from_edges = |of: &Corners, to: &Corners| {
            let edges = of.edges();
            Squared::least(edges.map(|(start, edge)| to.to_segment(start, &edge)))
        };
        Squared::least([from_edges(other, self), from_edges(self, other)])
    }

    /// The least distance of a moving segment: of a point, or of the parallelogram that it sweeps.
    fn to_path(&self, path: &Path) -> Squared {
        let Path {
            start,
            half_axis,
            way,
        } = path;
        if half_axis.length_sq() == IBig::ZERO {
            return self.to_segment(start, way);
        }
        let [a, b] = [start - half_axis, start + half_axis];
        let [c, d] = [&a + way, &b + way];
        let halves = [[a, b.clone(), c.clone()], [b, c, d]];
        Squared::least(halves.map(|half| self.to_triangle(&Corners(half))))
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

/// The way of a segment, which may be a point, relative to a triangle.
pub struct Path {
    /// The middle of the segment.
    pub start: Vec3,
    pub half_axis: Vec3,
    pub way: Vec3,
}

impl Path {
    /// The sum of all its lengths, measured from one of the corners.
    pub fn offset(&self, corners: &Corners) -> IBig {
        let offsets = corners
            .0
            .iter()
            .map(|corner| (&self.start - corner).norm_1());
        offsets.max().unwrap_or(IBig::ZERO)
    }
}

/// The truth about a moving segment that touches a triangle when it is at most `reach` away. All in units of a scale.
pub fn swept(
    corners: &Corners,
    path: &Path,
    reach: &IBig,
    claim: Option<TimeInterval>,
    scale: Scale,
    band: f64,
) -> Exact {
    // From one time to another, all lengths times a whole number.
    let passes = |unit: &IBig, from: &IBig, to: &IBig| {
        let larger = Corners(corners.0.each_ref().map(|corner| corner * unit));
        let path = Path {
            start: &(&path.start * unit) + &(&path.way * from),
            half_axis: &path.half_axis * unit,
            way: &path.way * &(to - from),
        };
        larger.to_path(&path).within(&(reach * unit))
    };
    let (hit, gap) = passes(&IBig::ONE, &IBig::ZERO, &IBig::ONE);
    let gap = scale.f64(gap);
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let times = Scale::of(&[claim.enter, claim.exit, 1.0]);
    let one = times.one();
    let [enter, exit] = [claim.enter, claim.exit].map(|time| times.int(time));
    let gap_at = |time: &IBig| scale.f64(times.f64(passes(&one, time, time).1));
    // No contact before or after; nor at the claimed times themselves, as the kernel widens.
    let before = enter > IBig::ZERO && passes(&one, &IBig::ZERO, &enter).0;
    let after = exit < one && passes(&one, &exit, &one).0;
    Exact {
        hit,
        gap,
        band,
        encloses: claim.enter <= claim.exit && !before && !after,
        slack: gap_at(&enter).max(gap_at(&exit)),
    }
}

/// The square of half the distance.
fn quarter(of: Squared) -> Squared {
    Squared {
        denominator: of.denominator * IBig::from(4),
        ..of
    }
}
