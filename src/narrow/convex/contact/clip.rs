//! Points of a contact: the incident face is clipped to the reference face and reduced to four points.

use crate::math::dvec::{DVec3, f64_max, f64_min};
use crate::narrow::convex::contact::solid::Solid;

/// A point of a manifold before the reduction.
#[derive(Clone, Copy)]
pub struct Candidate {
    /// Between the surfaces of the cores.
    pub at: DVec3,
    /// Separation of the cores.
    pub separation: f64,
    pub feature: u8,
}

pub const NO_CANDIDATE: Candidate = Candidate {
    at: DVec3::ZERO,
    separation: f64::INFINITY,
    feature: 0,
};

/// Corners of the patch of a face, relative to the center of A.
pub struct Polygon<const N: usize> {
    pub corners: [DVec3; N],
    /// Coordinates across the normal.
    flat: [[f64; 2]; N],
    features: [u8; N],
    pub len: usize,
    /// 1 if counterclockwise about the normal of the contact, or −1.
    turn: f64,
    normal: DVec3,
    /// A corner of the face.
    base: DVec3,
    /// A vector along a needle, and the range of its corners along that vector; `None` for other polygons.
    along: Option<([f64; 2], [f64; 2])>,
}

/// Squared length of the sides of a needle, in units of its area.
const NEEDLE: f64 = 256.0;

impl<const N: usize> Polygon<N> {
    #[inline(always)]
    pub fn new(
        solid: &Solid<'_>,
        face: usize,
        at: DVec3,
        (about, basis): (DVec3, [DVec3; 2]),
        first: u8,
    ) -> Self {
        let normal = solid.to_world(solid.faces()[face].normal);
        let mut polygon = Polygon {
            corners: [DVec3::ZERO; N],
            flat: [[0.0; 2]; N],
            features: [0; N],
            len: 0,
            turn: if normal.dot(about) >= 0.0 { 1.0 } else { -1.0 },
            normal,
            base: at,
            along: None,
        };
        if let Some(&corner) = solid.corners_of(face).first() {
            polygon.base = at + solid.corner(usize::from(corner));
        }
        // A is farthest along the normal, B against it.
        let outward = if first == 0 { about } else { -about };
        solid.each_corner(face, outward, |corner, feature| {
            let k = polygon.len;
            if k < N {
                let point = at + corner;
                polygon.corners[k] = point;
                polygon.flat[k] = [basis[0].dot(point), basis[1].dot(point)];
                polygon.features[k] = first + feature;
                polygon.len = k + 1;
            }
        });
        polygon
    }

    /// Reduces a polygon without area, up to `slop`, to the corners at its ends: sides in one line bound no end.
    pub fn drop_flat_sides(&mut self, slop: f64) {
        if self.len < 3 {
            return;
        }
        let (mut area, mut around) = (0.0, 0.0);
        let first = self.flat[0];
        for k in 0..self.len {
            let (p, q) = self.side(k);
            area += (p[0] - first[0]) * (q[1] - first[1]) - (p[1] - first[1]) * (q[0] - first[0]);
            around += self.length(k);
        }
        let is_flat = area.abs() <= slop * around;
        if !is_flat && area.abs() * NEEDLE > around * around {
            return;
        }
        let one = self.farthest(0);
        let other = self.farthest(one);
        if !is_flat {
            let (p, q) = (self.flat[one], self.flat[other]);
            let way = [q[0] - p[0], q[1] - p[1]];
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for p in &self.flat[..self.len] {
                let at = p[0] * way[0] + p[1] * way[1];
                (low, high) = (f64_min(at, low), f64_max(at, high));
            }
            self.along = Some((way, [low, high]));
            return;
        }
        let kept = [one, other].map(|k| (self.corners[k], self.flat[k], self.features[k]));
        for (k, kept) in kept.into_iter().enumerate() {
            (self.corners[k], self.flat[k], self.features[k]) = kept;
        }
        self.len = if one == other { 1 } else { 2 };
    }

    /// The corner that is farthest from another, seen along the normal; the corner itself if all are equal.
    fn farthest(&self, from: usize) -> usize {
        let (mut best, mut most) = (from, 0.0);
        for k in 0..self.len {
            let (p, q) = (self.flat[from], self.flat[k]);
            let off = (q[0] - p[0]).abs() + (q[1] - p[1]).abs();
            if off > most {
                (best, most) = (k, off);
            }
        }
        best
    }

    /// Number of sides to clip to. The sides along a needle meet at so small an angle that what is beside both by little may be far
    /// beyond their corner, so it has two more, across its ends.
    fn sides(&self) -> usize {
        // Features of sides end at 63.
        match self.along {
            Some(_) if self.len <= 62 => self.len + 2,
            _ => self.len,
        }
    }

    /// Distance of a point from a side, positive inside, times the length of the side.
    #[inline(always)]
    pub fn inside(&self, side: usize, p: [f64; 2]) -> f64 {
        if side >= self.len
            && let Some((way, [low, high])) = self.along
        {
            let at = p[0] * way[0] + p[1] * way[1];
            return if side == self.len {
                at - low
            } else {
                high - at
            };
        }
        let (q, r) = self.side(side);
        ((r[0] - q[0]) * (p[1] - q[1]) - (r[1] - q[1]) * (p[0] - q[0])) * self.turn
    }

    #[inline(always)]
    pub fn side(&self, side: usize) -> ([f64; 2], [f64; 2]) {
        let next = if side + 1 < self.len { side + 1 } else { 0 };
        (self.flat[side], self.flat[next])
    }

    /// At least the length of a side.
    pub fn length(&self, side: usize) -> f64 {
        if side >= self.len
            && let Some(([x, y], _)) = self.along
        {
            return x.abs() + y.abs();
        }
        let (q, r) = self.side(side);
        (r[0] - q[0]).abs() + (r[1] - q[1]).abs()
    }

    /// The cosine of the normal of this face and a unit vector.
    pub fn facing(&self, n: DVec3) -> f64 {
        self.normal.dot(n)
    }

    /// Distance of the plane of this face from a point, along a unit vector; `None` if the face is too steep.
    pub fn height(&self, from: DVec3, n: DVec3) -> Option<f64> {
        let facing = self.facing(n);
        if facing.abs() < FACING {
            return None;
        }
        Some(self.normal.dot(self.base - from) / facing)
    }
}

/// Least cosine between a normal and that of a face which is clipped to.
const FACING: f64 = 0.25;

/// The candidates of a manifold.
pub struct ManifoldCandidates<const N: usize> {
    pub list: [Candidate; N],
    pub len: usize,
    /// Greatest separation of the cores.
    pub limit: f64,
}

impl<const N: usize> ManifoldCandidates<N> {
    pub fn add(&mut self, candidate: Candidate) {
        if self.len < N && candidate.separation <= self.limit {
            self.list[self.len] = candidate;
            self.len += 1;
        }
    }

    /// The least separation.
    pub fn deepest(&self) -> f64 {
        let mut least = f64::INFINITY;
        for candidate in &self.list[..self.len] {
            least = f64_min(candidate.separation, least);
        }
        least
    }
}

/// Clips the incident face to the reference face along a unit vector.
pub fn clip<const N: usize>(
    polygons: &[Polygon<N>; 2],
    reference: usize,
    n: DVec3,
    slop: f64,
    candidates: &mut ManifoldCandidates<N>,
) {
    let (to, from) = (&polygons[reference], &polygons[1 - reference]);
    // The separation is measured from A to B.
    let sign = if reference == 0 { -1.0 } else { 1.0 };
    let mut add_point = |at: DVec3, height: f64, sign: f64, feature: u8| {
        candidates.add(Candidate {
            at: at + n * (0.5 * height),
            separation: sign * height,
            feature,
        });
    };
    let sides = to.sides();
    let edges = match from.len {
        2 => 1,
        len => len,
    };
    for k in 0..edges {
        let (p, q) = from.side(k);
        let (mut enter, mut leave) = ((0.0, 0), (1.0, 0));
        for side in 0..sides {
            let slop = slop * to.length(side);
            let (first, last) = (to.inside(side, p) + slop, to.inside(side, q) + slop);
            if first < 0.0 && last < 0.0 {
                leave.0 = -1.0;
                break;
            }
            if first < 0.0 {
                let share = first / (first - last);
                if share > enter.0 {
                    enter = (share, side);
                }
            } else if last < 0.0 {
                let share = first / (first - last);
                if share < leave.0 {
                    leave = (share, side);
                }
            }
        }
        if enter.0 > leave.0 {
            continue;
        }
        let (start, next) = (
            from.corners[k],
            from.corners[if k + 1 < from.len { k + 1 } else { 0 }],
        );
        let way = next - start;
        let mut add_at = |share: f64, feature: u8| {
            let at = start + way * share;
            if let Some(height) = to.height(at, n) {
                add_point(at, height, sign, feature);
            }
        };
        if enter.0 == 0.0 {
            add_at(0.0, from.features[k]);
        } else {
            add_at(enter.0, 128 + 2 * enter.1 as u8);
        }
        if leave.0 < 1.0 {
            add_at(leave.0, 129 + 2 * leave.1 as u8);
        } else if from.len == 2 {
            add_at(1.0, from.features[1]);
        }
    }
    if from.len < 3 {
        return;
    }
    // Corners of the reference face inside the incident face.
    for k in 0..to.len {
        let point = to.flat[k];
        let mut is_inside = true;
        for side in 0..from.len {
            is_inside &= from.inside(side, point) > slop * from.length(side);
        }
        if is_inside && let Some(height) = from.height(to.corners[k], n) {
            add_point(to.corners[k], height, -sign, to.features[k]);
        }
    }
}

/// Adds the points in which two segments or points meet, seen along the normal: where an end is over the other one, and where they
/// cross. If they miss each other by at most `most`, adds the pair of points that are nearest to each other.
///
/// An end is over a segment if it is at most the first tolerance beyond its ends and the second beside it.
pub fn meet<const N: usize>(
    polygons: &[Polygon<N>; 2],
    n: DVec3,
    [slop, beside]: [f64; 2],
    most: f64,
    candidates: &mut ManifoldCandidates<N>,
) {
    let flat = |a: [f64; 2], b: [f64; 2]| [b[0] - a[0], b[1] - a[1]];
    let last = |polygon: &Polygon<N>| usize::from(polygon.len > 1);
    let of = |x: DVec3, y: DVec3, feature: u8| Candidate {
        at: (x + y) * 0.5,
        separation: (y - x).dot(n),
        feature,
    };
    let (mut least, mut nearest) = (f64::INFINITY, NO_CANDIDATE);
    let is_line = polygons[0].len == 2 && polygons[1].len == 2;
    let mut ends = ManifoldCandidates::<4> {
        list: [NO_CANDIDATE; 4],
        len: 0,
        limit: candidates.limit,
    };
    for side in 0..2 {
        let (this, other) = (&polygons[side], &polygons[1 - side]);
        let (from, to) = (other.flat[0], other.flat[last(other)]);
        let way = flat(from, to);
        let squared = way[0] * way[0] + way[1] * way[1];
        for k in 0..=last(this) {
            let d = flat(from, this.flat[k]);
            let along = if squared > 0.0 {
                (d[0] * way[0] + d[1] * way[1]) / squared
            } else {
                0.0
            };
            let share = f64_min(f64_max(along, 0.0), 1.0);
            let off = [d[0] - share * way[0], d[1] - share * way[1]];
            let off = off[0].abs() + off[1].abs();
            let beyond = along - share;
            let across = d[0] * way[1] - d[1] * way[0];
            let is_beside = squared > slop * slop
                && beyond * beyond * squared <= slop * slop
                && across * across <= beside * beside * squared;
            let on_other =
                other.corners[0] + (other.corners[last(other)] - other.corners[0]) * share;
            let [x, y] = match side {
                0 => [this.corners[k], on_other],
                _ => [on_other, this.corners[k]],
            };
            let candidate = of(x, y, this.features[k]);
            if is_line && (off <= slop || is_beside) {
                ends.add(candidate);
            }
            let is_better = if off <= slop && least <= slop {
                candidate.separation < nearest.separation
            } else {
                off < least
            };
            if is_better {
                (least, nearest) = (off, candidate);
            }
        }
    }
    // Up to two points, as a capsule has.
    if is_line {
        let [a, b] = polygons;
        let (p, q) = (flat(a.flat[0], a.flat[1]), flat(b.flat[0], b.flat[1]));
        let d = flat(a.flat[0], b.flat[0]);
        let area = p[0] * q[1] - p[1] * q[0];
        let shares = [
            (d[0] * q[1] - d[1] * q[0]) / area,
            (d[0] * p[1] - d[1] * p[0]) / area,
        ];
        let is_within = |share: f64| 0.0 < share && share < 1.0;
        if ends.len < 2 && is_within(shares[0]) && is_within(shares[1]) {
            let at = |polygon: &Polygon<N>, share| {
                let way = polygon.corners[1] - polygon.corners[0];
                polygon.corners[0] + way * share
            };
            candidates.add(of(at(a, shares[0]), at(b, shares[1]), 128));
        } else if ends.len > 0 {
            let ends = &ends.list[..ends.len];
            let away = |k: usize| {
                let d = ends[k].at - ends[0].at;
                d.dot(d)
            };
            let mut far = 0;
            for k in 1..ends.len() {
                if away(k) > away(far) {
                    far = k;
                }
            }
            candidates.add(ends[0]);
            if far > 0 {
                candidates.add(ends[far]);
            }
        }
    }
    if candidates.len == 0 && least <= most {
        candidates.limit = f64::INFINITY;
        candidates.add(nearest);
    }
}

/// Moves up to four points to the front that cover most of the area. Returns their number.
///
/// Points that touch have precedence over separated ones: within the margin, the corners of a tilted face would cover more than the edge
/// that the hull rests on.
pub fn reduce(points: &mut [Candidate], [u, v]: [DVec3; 2], touching: f64, deep: f64) -> usize {
    let len = points.len();
    if len <= 4 {
        return len;
    }
    let mut least = f64::INFINITY;
    for point in &*points {
        least = f64_min(point.separation, least);
    }
    let limit = f64_max(least, touching) + deep;
    let mut near = 0;
    for k in 0..len {
        if points[k].separation <= limit {
            points.swap(near, k);
            near += 1;
        }
    }
    let flat = |point: &Candidate| [point.at.dot(u), point.at.dot(v)];
    let (points, kept) = if near < 4 {
        (points, near)
    } else {
        let points = &mut points[..near];
        let (mut deepest, mut most) = (0, f64::NEG_INFINITY);
        for (k, point) in points.iter().enumerate() {
            if point.separation < points[deepest].separation {
                deepest = k;
            }
            most = f64_max(point.separation, most);
        }
        if most - least <= deep {
            deepest = farthest(points, |point| {
                let [x, y] = flat(point);
                x + 0.375 * y
            });
        }
        points.swap(0, deepest);
        (points, 1)
    };
    let [x, y] = flat(&points[0]);
    let away = |point: &Candidate| {
        let [px, py] = flat(point);
        [px - x, py - y]
    };
    if kept < 2 {
        let second = 1 + farthest(&points[1..], |point| {
            let [dx, dy] = away(point);
            dx * dx + dy * dy
        });
        points.swap(1, second);
    }
    let [dx, dy] = away(&points[1]);
    let area = |point: &Candidate| {
        let [px, py] = away(point);
        dx * py - dy * px
    };
    if kept < 3 {
        let third = 2 + farthest(&points[2..], area);
        points.swap(2, third);
    }
    let sign = if kept == 3 && area(&points[2]) < 0.0 {
        -1.0
    } else {
        1.0
    };
    let fourth = 3 + farthest(&points[3..], |point| -sign * area(point));
    points.swap(3, fourth);
    4
}

/// The first point with the greatest value.
fn farthest(points: &[Candidate], value: impl Fn(&Candidate) -> f64) -> usize {
    let (mut best, mut most) = (0, f64::NEG_INFINITY);
    for (k, point) in points.iter().enumerate() {
        let value = value(point);
        if value > most {
            (best, most) = (k, value);
        }
    }
    best
}

/// Part of S by which points may differ in depth before the deepest is kept.
pub const DEEP: f64 = 1.0 / (1u64 << 11) as f64;
