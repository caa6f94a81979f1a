//! Exact distances of points and segments from triangles.

use dashu_int::IBig;

use phalanx::TimeInterval;

use super::Exact;
use super::exact::{Scale, Vec3, sq};
use super::segments::{Squared, between, from_point};

/// The corners of a triangle.
pub struct Corners(pub [Vec3; 3]);

impl Corners {
    /// Each edge: its start and its vector.
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

    /// Distance of a point.
    pub fn to_point(&self, point: &Vec3) -> Squared {
        if self.is_above(point) {
            let normal = self.normal();
            return Squared {
                numerator: sq(&normal.dot(&(point - &self.0[0]))),
                denominator: normal.length_sq(),
            };
        }
        Squared::least(self.edges().map(|(start, edge)| {
            // Doubled, because segments are given by their middles and halves.
            let middle = &(start + start) + &edge;
            quarter(from_point(&(&(point + point) - &middle), &edge).0)
        }))
    }

    /// Distance of the segment that begins at a point.
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

    /// Distance of another triangle.
    pub fn to_triangle(&self, other: &Corners) -> Squared {
        let from_edges = |of: &Corners, to: &Corners| {
            let edges = of.edges();
            Squared::least(edges.map(|(start, edge)| to.to_segment(start, &edge)))
        };
        Squared::least([from_edges(other, self), from_edges(self, other)])
    }

    /// Whether a triangle that moves by `way` passes within reach, and the gap if not.
    ///
    /// The triangle sweeps a prism: this triangle is inside it, or near a face of it. Then edges of either are near
    /// faces of the other.
    fn passed_by(&self, other: &Corners, way: &Vec3, reach: &IBig) -> (bool, f64) {
        if way.length_sq() == IBig::ZERO {
            return self.to_triangle(other).within(reach);
        }
        let end = other.moved(way);
        let [a, b, c] = &other.0;
        let [d, e, f] = &end.0;
        let halves = [
            [a, b, e],
            [a, e, d],
            [b, c, f],
            [b, f, e],
            [c, a, d],
            [c, d, f],
        ];
        let sides = halves.map(|half| Corners(half.map(Vec3::clone)));
        if other.sweeps_over(way, &self.0[0]) {
            return (true, 0.0);
        }
        let along = other.0.iter().map(|corner| (corner, way.clone()));
        let of_prism: Vec<_> = other
            .edges()
            .into_iter()
            .chain(end.edges())
            .chain(along)
            .collect();
        let mut nearest: Option<Squared> = None;
        // Whether a face is within reach. The bounds rule out most faces.
        let mut is_within = |face: &Corners, start: &Vec3, edge: &Vec3| {
            let apart = sq(&face.apart_from(start, &(start + edge)).max(IBig::ZERO));
            let is_far = |nearest: &Squared| apart * &nearest.denominator >= nearest.numerator;
            if nearest.as_ref().is_some_and(is_far) {
                return false;
            }
            let distance = face.to_segment(start, edge);
            let is_hit = distance.within(reach).0;
            if nearest
                .as_ref()
                .is_none_or(|nearest| distance.is_below(nearest))
            {
                nearest = Some(distance);
            }
            is_hit
        };
        for (start, edge) in &of_prism {
            if is_within(self, start, edge) {
                return (true, 0.0);
            }
        }
        for face in sides.iter().chain([other, &end]) {
            for (start, edge) in self.edges() {
                if is_within(face, start, &edge) {
                    return (true, 0.0);
                }
            }
        }
        nearest.expect("there are edges").within(reach)
    }

    /// Whether the triangle, which is not flat, passes through a point while it moves out of its plane.
    fn sweeps_over(&self, way: &Vec3, point: &Vec3) -> bool {
        let normal = self.normal();
        let (passed, height) = (normal.dot(way), normal.dot(&(point - &self.0[0])));
        // The point moved back onto the plane, times the height of `way`, made positive.
        let sign = passed.signum();
        let (passed, height) = (passed * &sign, height * &sign);
        if passed == IBig::ZERO || height < IBig::ZERO || height > passed {
            return false;
        }
        let foot = &(point * &passed) - &(way * &height);
        self.times(&passed).is_above(&foot)
    }

    /// The widest gap of the bounds of a segment along an axis; negative without one.
    fn apart_from(&self, from: &Vec3, to: &Vec3) -> IBig {
        let gap = |k: usize| {
            let ends = [&from.0[k], &to.0[k]];
            let corners = self.0.each_ref().map(|corner| &corner.0[k]);
            let above = ends.into_iter().min()? - corners.into_iter().max()?;
            let below = corners.into_iter().min()? - ends.into_iter().max()?;
            Some(above.max(below))
        };
        (0..3).filter_map(gap).max().unwrap_or(IBig::ZERO)
    }

    /// All lengths times a whole number.
    fn times(&self, unit: &IBig) -> Corners {
        Corners(self.0.each_ref().map(|corner| corner * unit))
    }

    /// The triangle moved.
    fn moved(&self, by: &Vec3) -> Corners {
        Corners(self.0.each_ref().map(|corner| corner + by))
    }

    /// The largest offset of a corner of another triangle: at least the offset from which a kernel measures.
    pub fn offset(&self, other: &Corners) -> IBig {
        let from = |p: &Vec3| other.0.each_ref().map(|q| (q - p).norm_1());
        self.0.iter().flat_map(from).max().unwrap_or(IBig::ZERO)
    }

    /// The least distance of a moving segment: of a point, or of the swept parallelogram.
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
        // The crossing, times the passed height, made positive.
        let sign = height.signum();
        let (before, height) = (before * &sign, height * &sign);
        let crossing = &(from * &height) + &(&(to - from) * &before);
        self.times(&height).is_above(&crossing)
    }
}

/// The path of a segment, which may be a point, relative to a triangle.
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

/// The exact answer for a moving segment and a triangle, which touch within `reach`. All in units of a scale.
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
        let path = Path {
            start: &(&path.start * unit) + &(&path.way * from),
            half_axis: &path.half_axis * unit,
            way: &path.way * &(to - from),
        };
        corners.times(unit).to_path(&path).within(&(reach * unit))
    };
    by_passes(passes, claim, scale, band)
}

/// The exact answer for a triangle that moves by `way` and another triangle, which touch within `reach`.
pub fn swept_triangle(
    still: &Corners,
    moving: &Corners,
    way: &Vec3,
    reach: &IBig,
    claim: Option<TimeInterval>,
    scale: Scale,
    band: f64,
) -> Exact {
    let passes = |unit: &IBig, from: &IBig, to: &IBig| {
        let start = moving.times(unit).moved(&(way * from));
        let way = way * &(to - from);
        still.times(unit).passed_by(&start, &way, &(reach * unit))
    };
    by_passes(passes, claim, scale, band)
}

/// The exact answer, given whether shapes pass each other within reach between two times, and the gap if not. Times and
/// lengths are fractions whose denominator is the first argument.
fn by_passes(
    passes: impl Fn(&IBig, &IBig, &IBig) -> (bool, f64),
    claim: Option<TimeInterval>,
    scale: Scale,
    band: f64,
) -> Exact {
    let (hit, gap) = passes(&IBig::ONE, &IBig::ZERO, &IBig::ONE);
    let gap = scale.f64(gap);
    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let times = Scale::of(&[claim.enter, claim.exit, 1.0]);
    let one = times.one();
    let [enter, exit] = [claim.enter, claim.exit].map(|time| times.int(time));
    let gap_at = |time: &IBig| scale.f64(times.f64(passes(&one, time, time).1));
    // No contact before or after, nor at the claimed times, because the kernel widens.
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
