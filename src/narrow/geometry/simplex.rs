//! Search for the nearest points of two convex hulls of a few points, in `f64`.
//!
//! The difference of the hulls is the convex hull of all y − x. The search keeps a simplex of up to four corners of
//! this hull, and its point v nearest to the origin. A step adds the corner farthest along −v, and drops the corners
//! that the new nearest point does not need. It ends when no corner is farther along −v than v itself.
//!
//! Source: E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the distance between complex objects in
//! three-dimensional space", IEEE Journal of Robotics and Automation 4(2), 1988. Departures: the nearest point of a
//! simplex is the nearest of the points of all its faces, so that no case is decided by a sign that rounding may flip.
//! A step that brings v no nearer ends the search. A search may end early: the caller computes bounds from any result,
//! and they hold.
//!
//! Two directions are compared at the end: v, and the direction between the bounding boxes of the hulls. So the gap
//! along the direction is never below the distance of these boxes, up to rounding. Searches of whole stores rely on
//! that.

use crate::math::dvec::DVec3;

/// The points to search: the sums of vectors with factors from −1 to 1, or a triangle.
#[derive(Clone, Copy)]
pub struct Spans {
    spans: [DVec3; 3],
    is_triangle: bool,
}

impl Spans {
    /// The origin alone.
    pub const NONE: Self = Spans {
        spans: [DVec3::ZERO; 3],
        is_triangle: false,
    };

    /// The sums of vectors with factors from −1 to 1, or the triangle between the origin and two points.
    pub fn new(spans: [DVec3; 3], is_triangle: bool) -> Self {
        Spans { spans, is_triangle }
    }

    /// The points rotated by a matrix, given in rows.
    pub fn rotated(self, rows: &[DVec3; 3]) -> Self {
        Spans {
            spans: self.each(|span| span.along(*rows)),
            ..self
        }
    }

    /// A value of each span.
    #[inline(always)]
    fn each<T>(&self, value: impl Fn(DVec3) -> T) -> [T; 3] {
        let [x, y, z] = self.spans;
        [value(x), value(y), value(z)]
    }

    /// Whether the points are a triangle.
    pub fn are_of_triangle(&self) -> bool {
        self.is_triangle
    }

    /// The spans.
    pub fn vectors(&self) -> [DVec3; 3] {
        self.spans
    }

    /// The point with the largest p·d.
    pub fn farthest(&self, d: DVec3) -> DVec3 {
        let along = self.each(|span| span.dot(d));
        if self.is_triangle {
            let [second, third, _] = self.spans;
            let is_third = along[1] > along[0] && along[1] > 0.0;
            let is_second = !is_third && along[0] > 0.0;
            return match (is_second, is_third) {
                (true, _) => second,
                (_, true) => third,
                _ => DVec3::ZERO,
            };
        }
        let signed = |k: usize| {
            let one = if along[k] < 0.0 { -1.0 } else { 1.0 };
            self.spans[k] * one
        };
        signed(0) + signed(1) + signed(2)
    }

    /// Corner `k` of eight, of a triangle each one several times.
    pub fn corner(&self, k: usize) -> DVec3 {
        let [x, y, z] = self.spans;
        if self.is_triangle {
            return [DVec3::ZERO, x, y][k % 3];
        }
        let sign = |axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
        x * sign(0) + y * sign(1) + z * sign(2)
    }

    /// The gap along a direction between these points and others at an offset, in units of the direction.
    fn gap(&self, other: &Spans, offset: DVec3, d: DVec3) -> f64 {
        let apart = offset + (other.farthest(-d) - self.farthest(d));
        apart.dot(d)
    }

    /// The lowest coordinate and the highest one on an axis.
    pub fn interval(&self, axis: usize) -> (f64, f64) {
        self.interval_of(self.each(|span| span[axis]))
    }

    /// The lowest value and the highest one along a direction.
    pub fn interval_along(&self, d: DVec3) -> (f64, f64) {
        self.interval_of(self.each(|span| span.dot(d)))
    }

    /// The lowest value and the highest one, given those of the spans.
    fn interval_of(&self, [x, y, z]: [f64; 3]) -> (f64, f64) {
        if self.is_triangle {
            return (x.min(y).min(0.0), x.max(y).max(0.0));
        }
        let reach = x.abs() + y.abs() + z.abs();
        (-reach, reach)
    }
}

/// Result of a search: a point of either hull, both relative to the first hull, and a direction from the first to the
/// second.
#[derive(Debug)]
pub struct FoundSimplex {
    pub points: [DVec3; 2],
    pub direction: DVec3,
}

/// Maximum number of steps. Hulls of eight points take less than twenty.
pub const STEPS: usize = 64;
/// A corner has to be this much farther than v, relative to |v|², to be worth a step.
const WORTH: f64 = 1e-13;

/// A corner of the difference of two hulls.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    x: DVec3,
    y: DVec3,
    /// y − x
    at: DVec3,
}

impl Corner {
    /// The corner of a point of either hull.
    #[inline]
    pub fn new(x: DVec3, y: DVec3) -> Self {
        let at = y - x;
        Corner { x, y, at }
    }

    /// The corner after a motion of the second hull.
    #[inline]
    pub fn moved(self, by: DVec3) -> Self {
        Corner::new(self.x, self.y + by)
    }
}

/// The nearest point of a simplex to the origin: the shares of its corners, zero for those that it does not need.
#[derive(Clone, Copy)]
struct NearestOfSimplex {
    shares: [f64; 4],
    at: DVec3,
    squared: f64,
}

/// A simplex of up to four corners, and its point nearest to the origin, which needs all of them.
pub struct Simplex {
    corners: [Corner; 4],
    len: usize,
    nearest: NearestOfSimplex,
}

impl Simplex {
    /// The simplex of one corner.
    pub fn new(first: Corner) -> Self {
        Simplex {
            corners: [first; 4],
            len: 1,
            nearest: NearestOfSimplex {
                shares: [1.0, 0.0, 0.0, 0.0],
                at: first.at,
                squared: first.at.dot(first.at),
            },
        }
    }

    /// The nearest point to the origin.
    #[inline]
    pub fn nearest(&self) -> DVec3 {
        self.nearest.at
    }

    /// Adds a corner and drops those that the new nearest point does not need. False if the corner brings no nearer point, or one
    /// that needs four corners: the origin.
    pub fn grow(&mut self, new: Corner) -> bool {
        // False for NaN.
        let is_nearer = new.at.dot(self.nearest.at) < self.nearest.squared * (1.0 - WORTH);
        let mut len = self.len;
        if !is_nearer || self.corners[..len].iter().any(|old| old.at == new.at) {
            return false;
        }
        self.corners[len] = new;
        len += 1;
        let mut nearest = nearest_of(&self.corners[..len]);
        let comes_nearer = nearest.squared < self.nearest.squared;
        if !comes_nearer {
            return false;
        }
        let mut kept = 0;
        for k in 0..len {
            if nearest.shares[k] > 0.0 {
                (self.corners[kept], nearest.shares[kept]) = (self.corners[k], nearest.shares[k]);
                kept += 1;
            }
        }
        nearest.shares[kept..].fill(0.0);
        (self.len, self.nearest) = (kept, nearest);
        kept < 4
    }

    /// The points of both hulls whose difference is the nearest point.
    pub fn points(&self) -> [DVec3; 2] {
        let mut points = [DVec3::ZERO; 2];
        for (corner, share) in self.corners[..self.len].iter().zip(self.nearest.shares) {
            points[0] = points[0] + corner.x * share;
            points[1] = points[1] + corner.y * share;
        }
        points
    }
}

/// Searches for the nearest points of two hulls, the second displaced by `offset`, given a guess of the vector between them.
pub fn search(a: &Spans, b: &Spans, offset: DVec3, guess: DVec3) -> FoundSimplex {
    let corner = |d: DVec3| Corner::new(a.farthest(-d), b.farthest(d) + offset);
    let mut simplex = Simplex::new(corner(-guess));
    for _ in 0..STEPS {
        if !simplex.grow(corner(-simplex.nearest())) {
            break;
        }
    }
    // The square of the gap, with its sign; NaN for a direction of length zero.
    let gap = |d: DVec3| {
        let gap = a.gap(b, offset, d);
        gap * gap.abs() / d.dot(d)
    };
    let v = simplex.nearest();
    let between = between_boxes(a, b, offset);
    let is_between_better = gap(between) > gap(v);
    FoundSimplex {
        points: simplex.points(),
        direction: if is_between_better { between } else { v },
    }
}

/// The vector from the bounding box of a hull to that of another one, displaced by an offset; zero if they meet.
fn between_boxes(a: &Spans, b: &Spans, offset: DVec3) -> DVec3 {
    DVec3([0, 1, 2].map(|axis| {
        let ((low_a, high_a), (low_b, high_b)) = (a.interval(axis), b.interval(axis));
        let (above, below) = (offset[axis] + low_b - high_a, offset[axis] + high_b - low_a);
        above.max(0.0) + below.min(0.0)
    }))
}

/// The nearest point to the origin of the faces of a simplex at its last corner.
///
/// Most often it is inside the simplex, if that is one to three corners of a search.
#[inline]
pub fn nearest(simplex: &[Corner]) -> DVec3 {
    match *simplex {
        [Corner { at: p, .. }, Corner { at: q, .. }] => {
            let edge = q - p;
            let share = -p.dot(edge) / edge.dot(edge);
            if 0.0 < share && share < 1.0 {
                return p + edge * share;
            }
        }
        [
            Corner { at: p, .. },
            Corner { at: q, .. },
            Corner { at: r, .. },
        ] => {
            let (edge_q, edge_r) = (q - p, r - p);
            let normal = edge_q.cross(edge_r);
            let scale = 1.0 / normal.dot(normal);
            let share_q = normal.dot(r.cross(p)) * scale;
            let share_r = normal.dot(p.cross(q)) * scale;
            if 0.0 < share_q && 0.0 < share_r && share_q + share_r < 1.0 {
                return p + (edge_q * share_q + edge_r * share_r);
            }
        }
        _ => {}
    }
    nearest_of(simplex).at
}

/// The nearest point of the faces of a simplex at its last corner: other faces are no nearer than before.
fn nearest_of(simplex: &[Corner]) -> NearestOfSimplex {
    let at = |k: usize| simplex[k].at;
    let len = simplex.len();
    let last = len - 1;
    let mut best = of_corners(simplex, &[last], [1.0, 0.0, 0.0]);
    let mut meet = |corners: &[usize], shares: [f64; 3]| {
        // False for NaN.
        if shares.iter().all(|share| *share >= 0.0) {
            let found = of_corners(simplex, corners, shares);
            if found.squared < best.squared {
                best = found;
            }
        }
    };
    for j in 0..last {
        let edge = at(j) - at(last);
        let share = -at(last).dot(edge) / edge.dot(edge);
        meet(&[last, j], [1.0 - share, share, 0.0]);
        for k in 0..j {
            let (p, q, r) = (at(last), at(j), at(k));
            let normal = (q - p).cross(r - p);
            let area = normal.dot(normal);
            let share_p = normal.dot(q.cross(r)) / area;
            let share_q = normal.dot(r.cross(p)) / area;
            meet(&[last, j, k], [share_p, share_q, 1.0 - share_p - share_q]);
        }
    }
    if len == 4 {
        let [p, q, r, s] = [at(0), at(1), at(2), at(3)];
        let volume = |a: DVec3, b: DVec3, c: DVec3| a.dot(b.cross(c));
        let parts = [
            volume(q, s, r),
            volume(p, r, s),
            volume(p, s, q),
            volume(p, q, r),
        ];
        let whole: f64 = parts.iter().sum();
        let shares = parts.map(|part| part / whole);
        if shares.iter().all(|share| *share > 0.0) {
            return NearestOfSimplex {
                shares,
                at: DVec3::ZERO,
                squared: 0.0,
            };
        }
    }
    best
}

/// The point of a face of a simplex, given the shares of its corners.
fn of_corners(simplex: &[Corner], corners: &[usize], face: [f64; 3]) -> NearestOfSimplex {
    let (mut shares, mut at) = ([0.0; 4], DVec3::ZERO);
    for (&corner, share) in corners.iter().zip(face) {
        shares[corner] = share;
        at = at + simplex[corner].at * share;
    }
    NearestOfSimplex {
        shares,
        at,
        squared: at.dot(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::dvec::WORLD;

    fn aligned([x, y, z]: [f64; 3]) -> Spans {
        Spans::new([WORLD[0] * x, WORLD[1] * y, WORLD[2] * z], false)
    }

    fn find(a: &Spans, b: &Spans, offset: [f64; 3], guess: [f64; 3]) -> FoundSimplex {
        search(a, b, DVec3(offset), DVec3(guess))
    }

    fn distance(found: &FoundSimplex) -> f64 {
        let apart = found.points[1] - found.points[0];
        f64::sqrt(apart.dot(apart))
    }

    #[test]
    fn faces_edges_and_corners_have_their_distance() {
        let (a, b) = (aligned([1.0; 3]), aligned([2.0, 1.0, 1.0]));
        for (offset, expected) in [
            ([5.0, 0.5, 0.0], 2.0),
            ([6.0, 6.0, 0.0], 5.0),
            ([5.0, 4.0, 3.0], 3.0),
            ([3.0, 0.0, 0.0], 0.0),
            ([1.0, 0.5, 0.25], 0.0),
        ] {
            let found = find(&a, &b, offset, offset);
            assert!((distance(&found) - expected).abs() < 1e-12, "{found:?}");
        }
    }

    #[test]
    fn segment_through_a_triangle_meets_it() {
        let triangle = Spans::new([WORLD[0] * 4.0, WORLD[1] * 4.0, DVec3::ZERO], true);
        let segment = Spans::new([WORLD[2] * 3.0, DVec3::ZERO, DVec3::ZERO], false);
        assert!(distance(&find(&triangle, &segment, [1.0, 1.0, 0.5], [1.0; 3])) < 1e-12);
        let above = find(&triangle, &segment, [1.0, 1.0, 5.0], [0.0; 3]);
        assert!((distance(&above) - 2.0).abs() < 1e-12);
        assert_eq!(above.direction, WORLD[2] * 2.0);
    }

    #[test]
    fn numbers_that_are_not_finite_end_the_find() {
        let (a, b) = (aligned([f64::NAN; 3]), aligned([1.0; 3]));
        find(&a, &b, [f64::INFINITY, 0.0, 0.0], [0.0; 3]);
        find(&b, &a, [f64::NAN; 3], [f64::NAN; 3]);
    }
}
