//! Bodies with round and flat sides in `f64`: distances and depths of cylinders, cones and hulls of points.
//!
//! A body is all points within a radius of a core, which is the hull of two discs around an axis or the hull of some points. Two formulas
//! are trusted: the support of a core, and the distance of a point from a solid of revolution. A search only proposes. A direction that it
//! finds bounds the distance from below by the gap of both supports, and two points that it finds, both in their cores, bound it from above.

use super::minkowski::{V, add, axes_of, cross, dot, length, sub, times};

/// Rounding of the oracle, as a share of all lengths of a pair.
pub const NOISE: f64 = 1e-12;
/// Largest difference of the bounds of a search that has found the distance, as a share of all lengths.
pub const CLOSED: f64 = 1e-9;

/// The points within a radius of a core around a center.
#[derive(Clone, Debug)]
pub struct Body {
    pub center: V,
    pub core: Core,
    pub radius: f64,
}

/// A core, relative to its center.
#[derive(Clone, Debug)]
pub enum Core {
    /// The hull of some points.
    Points(Vec<V>),
    /// The hull of two discs around the last of the axes, each a height and a radius.
    Discs { axes: [V; 3], discs: [[f64; 2]; 2] },
}

impl Core {
    /// The hull of two discs, turned by a quaternion.
    pub fn of_discs(rotation: [f32; 4], discs: [[f64; 2]; 2]) -> Core {
        Core::Discs {
            axes: axes_of(rotation),
            discs,
        }
    }

    /// The hull of points, turned by a quaternion.
    pub fn of_points(rotation: [f32; 4], points: &[[f32; 3]]) -> Core {
        let axes = axes_of(rotation);
        let turned = |p: &[f32; 3]| {
            let [x, y, z] = p.map(f64::from);
            add(times(axes[0], x), add(times(axes[1], y), times(axes[2], z)))
        };
        Core::Points(points.iter().map(turned).collect())
    }

    /// Distance of the supporting plane from the center, times the length of the direction.
    fn height(&self, direction: V) -> f64 {
        match self {
            Core::Points(points) => {
                let heights = points.iter().map(|p| dot(*p, direction));
                heights.fold(f64::NEG_INFINITY, f64::max)
            }
            Core::Discs { axes, discs } => {
                let [x, y, z] = axes.map(|axis| dot(axis, direction));
                let across = x.hypot(y);
                let heights = discs.map(|[height, radius]| height * z + radius * across);
                heights[0].max(heights[1])
            }
        }
    }

    /// A point of the core in the supporting plane.
    fn support(&self, direction: V) -> V {
        match self {
            Core::Points(points) => {
                let mut best = points[0];
                for point in points {
                    if dot(*point, direction) > dot(best, direction) {
                        best = *point;
                    }
                }
                best
            }
            Core::Discs { axes, discs } => {
                let [x, y, z] = axes.map(|axis| dot(axis, direction));
                let across = x.hypot(y);
                let heights = discs.map(|[height, radius]| height * z + radius * across);
                let [height, radius] = discs[usize::from(heights[1] > heights[0])];
                let [x, y] = if across > 0.0 {
                    [x / across, y / across]
                } else {
                    [1.0, 0.0]
                };
                let rim = add(times(axes[0], radius * x), times(axes[1], radius * y));
                add(rim, times(axes[2], height))
            }
        }
    }

    /// All ways between two of its points, or along its axis.
    fn edges(&self) -> Vec<V> {
        match self {
            Core::Points(points) => {
                let pairs = points.iter().enumerate();
                pairs
                    .flat_map(|(i, p)| points[..i].iter().map(|q| sub(*p, *q)))
                    .collect()
            }
            Core::Discs { axes, .. } => vec![axes[2]],
        }
    }

    /// The core turned about its center by a rotation vector.
    fn turned(&self, turn: V) -> Core {
        let angle = length(turn);
        if angle == 0.0 {
            return self.clone();
        }
        let about = times(turn, 1.0 / angle);
        let (sin, cos) = angle.sin_cos();
        let turned = |p: V| {
            let along = times(about, dot(about, p));
            let across = add(times(sub(p, along), cos), times(cross(about, p), sin));
            add(along, across)
        };
        match self {
            Core::Points(points) => Core::Points(points.iter().map(|p| turned(*p)).collect()),
            Core::Discs { axes, discs } => Core::Discs {
                axes: axes.map(turned),
                discs: *discs,
            },
        }
    }
}

impl Body {
    /// Largest height of the body along a unit vector.
    pub fn high(&self, direction: V) -> f64 {
        dot(self.center, direction) + self.core.height(direction) + self.radius
    }

    /// Least height of the body along a unit vector.
    pub fn low(&self, direction: V) -> f64 {
        -self.high(times(direction, -1.0))
    }

    /// A point of the core that is farthest along a direction.
    pub fn support(&self, direction: V) -> V {
        add(self.center, self.core.support(direction))
    }

    /// The body moved, then turned about its center by a rotation vector.
    pub fn moved(&self, by: V, turn: V) -> Body {
        Body {
            center: add(self.center, by),
            core: self.core.turned(turn),
            radius: self.radius,
        }
    }

    /// Distance of a point from the surface; negative inside.
    pub fn signed(&self, point: V) -> f64 {
        let p = sub(point, self.center);
        let core = match &self.core {
            Core::Discs { axes, discs } => {
                let [x, y, z] = axes.map(|axis| dot(axis, p));
                signed_of_discs(*discs, [x.hypot(y), z])
            }
            Core::Points(points) => signed_of_points(points, p),
        };
        core - self.radius
    }
}

/// Distance of a point from the hull of two discs, given its distance from the axis and its height; negative inside.
///
/// In the half plane through the axis and the point, the solid is a polygon: the lower disc, the side and the upper disc.
fn signed_of_discs([low, high]: [[f64; 2]; 2], [rho, z]: [f64; 2]) -> f64 {
    let rims = [[low[1], low[0]], [high[1], high[0]]];
    let sides = [[[0.0, low[0]], rims[0]], rims, [rims[1], [0.0, high[0]]]];
    let (mut nearest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut area = 0.0;
    for [[px, py], [qx, qy]] in sides {
        let [dx, dy] = [qx - px, qy - py];
        let (x, y) = (rho - px, z - py);
        let long = dx.hypot(dy);
        if long == 0.0 {
            nearest = nearest.min(x.hypot(y));
            continue;
        }
        let (ux, uy) = (dx / long, dy / long);
        let along = (x * ux + y * uy).clamp(0.0, long);
        nearest = nearest.min((x - along * ux).hypot(y - along * uy));
        // Counterclockwise, so the outside is to the right.
        highest = highest.max(x * uy - y * ux);
        area += px * qy - qx * py;
    }
    // Neither flat nor a segment.
    if area > 0.0 && highest <= 0.0 {
        highest
    } else {
        nearest
    }
}

/// Distance of a point from the hull of some points; negative inside.
fn signed_of_points(points: &[V], p: V) -> f64 {
    let offsets: Vec<V> = points.iter().map(|q| sub(*q, p)).collect();
    let long = offsets.iter().map(|q| length(*q)).fold(0.0, f64::max);
    if long == 0.0 {
        return 0.0;
    }
    let point = Body {
        center: p,
        core: Core::Points(vec![[0.0; 3]]),
        radius: 0.0,
    };
    let hull = Body {
        center: [0.0; 3],
        core: Core::Points(points.to_vec()),
        radius: 0.0,
    };
    let apart = Apart::of(&point, &hull, long);
    if apart.upper > NOISE * long {
        return apart.upper;
    }
    // The planes through three points that have all others on one side.
    let (mut highest, mut has_inside) = (f64::NEG_INFINITY, false);
    for (i, a) in offsets.iter().enumerate() {
        for (j, b) in offsets[..i].iter().enumerate() {
            for c in &offsets[..j] {
                let (ab, ac) = (sub(*b, *a), sub(*c, *a));
                let normal = cross(ab, ac);
                let size = length(normal);
                if size <= 1e-12 * length(ab) * length(ac) {
                    continue;
                }
                let n = times(normal, 1.0 / size);
                let heights = offsets.iter().map(|q| dot(n, sub(*q, *a)));
                let (low, high) =
                    heights.fold((0.0f64, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
                let flat = 1e-13 * long;
                has_inside |= high - low > 1e-9 * long;
                if high <= flat {
                    highest = highest.max(-dot(n, *a));
                }
                if low >= -flat {
                    highest = highest.max(dot(n, *a));
                }
            }
        }
    }
    if has_inside && highest <= 0.0 {
        highest
    } else {
        apart.upper
    }
}

/// A point of both cores' difference, with the points that it comes from.
#[derive(Clone, Copy)]
struct Corner {
    at: V,
    of: [V; 2],
}

/// Weights of the point nearest to the origin in the hull of up to four corners, by all faces with the last of them.
fn nearest(corners: &[Corner]) -> [f64; 4] {
    let mut best = ([0.0; 4], f64::INFINITY);
    let last = corners.len() - 1;
    for mask in 0..1usize << last {
        let (mut ids, mut count) = ([last; 4], 1);
        for k in (0..last).filter(|k| mask >> k & 1 == 1) {
            ids[count] = k;
            count += 1;
        }
        let ids = &mut ids[..count];
        // The first is nearest, which rounds least.
        let squared = |k: &usize| dot(corners[*k].at, corners[*k].at);
        for k in 1..count {
            if squared(&ids[k]) < squared(&ids[0]) {
                ids.swap(0, k);
            }
        }
        let p = corners[ids[0]].at;
        let mut edges = [[0.0; 3]; 3];
        for (edge, k) in edges.iter_mut().zip(&ids[1..]) {
            *edge = sub(corners[*k].at, p);
        }
        let Some(shares) = foot(p, &edges[..count - 1]) else {
            continue;
        };
        let rest = 1.0 - shares.iter().sum::<f64>();
        if rest < 0.0 || shares.iter().any(|share| *share < 0.0) {
            continue;
        }
        let mut weights = [0.0; 4];
        weights[ids[0]] = rest;
        for (k, share) in ids[1..].iter().zip(shares) {
            weights[*k] = share;
        }
        let at = weighted(corners, &weights, |corner| corner.at);
        let distance = dot(at, at);
        if distance < best.1 {
            best = (weights, distance);
        }
    }
    best.0
}

fn weighted(corners: &[Corner], weights: &[f64; 4], of: impl Fn(&Corner) -> V) -> V {
    let parts = corners.iter().zip(weights);
    parts.fold([0.0; 3], |sum, (corner, w)| add(sum, times(of(corner), *w)))
}

/// Shares of up to three edges at the point p + Σ shares · edges that is nearest to the origin; none if the edges are dependent.
fn foot(p: V, edges: &[V]) -> Option<[f64; 3]> {
    // Gram–Schmidt, each twice.
    let mut base = [[0.0; 3]; 3];
    for (k, edge) in edges.iter().enumerate() {
        let mut rest = *edge;
        for _ in 0..2 {
            for unit in &base[..k] {
                rest = sub(rest, times(*unit, dot(rest, *unit)));
            }
        }
        let long = dot(rest, rest);
        if long <= 1e-28 * dot(*edge, *edge) {
            return None;
        }
        base[k] = times(rest, 1.0 / long.sqrt());
    }
    // Back substitution.
    let mut shares = [0.0; 3];
    let mut at = p;
    for k in (0..edges.len()).rev() {
        shares[k] = -dot(at, base[k]) / dot(edges[k], base[k]);
        at = add(at, times(edges[k], shares[k]));
    }
    Some(shares)
}

/// Both bounds of the distance of two bodies, with their certificates.
#[derive(Clone, Copy, Debug)]
pub struct Apart {
    pub lower: f64,
    pub upper: f64,
    /// Unit vector from A to B along which they are at least `lower` apart.
    pub direction: V,
    /// Bounds of the distance of the cores.
    pub cores: [f64; 2],
    /// A point of each core; the length of the offset is the upper bound of the distance of the cores.
    pub points: [V; 2],
    /// The bodies penetrate by at least this; negative without a certificate of it.
    pub depth: f64,
    /// Sum of the lengths of both shapes, and of the offset of their centers.
    pub size: f64,
}

impl Apart {
    /// Bounds of the distance of two bodies, given the sum of their lengths.
    pub fn of(a: &Body, b: &Body, lengths: f64) -> Apart {
        let offset = sub(b.center, a.center);
        let size = offset.iter().map(|x| x.abs()).sum::<f64>() + lengths;
        let radii = a.radius + b.radius;
        // Gap of the cores.
        let gap = |d: V| b.low(d) - a.high(d) + radii;
        let corner = |d: V| {
            let of = [a.support(d), b.support(times(d, -1.0))];
            Corner {
                at: sub(of[1], of[0]),
                of,
            }
        };
        let first = if length(offset) > 0.0 {
            times(offset, 1.0 / length(offset))
        } else {
            [1.0, 0.0, 0.0]
        };
        let mut best = (gap(first), first);
        let mut corners = vec![corner(first)];
        let (mut upper, mut points) = (length(corners[0].at), corners[0].of);
        for _ in 0..200 {
            let weights = nearest(&corners);
            let at = weighted(&corners, &weights, |corner| corner.at);
            let of = [0, 1].map(|k| weighted(&corners, &weights, |corner| corner.of[k]));
            let long = length(sub(of[1], of[0]));
            let is_nearer = long < upper || corners.len() == 1;
            if long <= upper {
                (upper, points) = (long, of);
            }
            let mut weights = weights.into_iter();
            corners.retain(|_| weights.next() > Some(0.0));
            let short = length(at);
            if short <= 1e-16 * size || upper <= best.0 + 1e-13 * size || corners.len() == 4 {
                break;
            }
            let mut directions = vec![times(at, 1.0 / short)];
            // Near contact, the normal of a face rounds less than the way to it.
            if let [p, q, r] = &corners[..] {
                let normal = cross(sub(q.at, p.at), sub(r.at, p.at));
                let long = length(normal);
                if long > 0.0 {
                    directions.push(times(normal, dot(normal, at).signum() / long));
                }
            }
            for d in &directions {
                let found = gap(*d);
                if found > best.0 {
                    best = (found, *d);
                }
            }
            let next = corner(directions[0]);
            let is_known = corners.iter().any(|corner| corner.at == next.at);
            if is_known || !is_nearer || best.0 > upper {
                break;
            }
            corners.push(next);
        }
        // The way between points that nearly coincide is no good direction.
        if upper > CLOSED * size && upper - best.0 > CLOSED * size {
            for d in axes_of_both(a, b) {
                let found = gap(d);
                if found > best.0 {
                    best = (found, d);
                }
            }
            best = climb(gap, best, [0.25, 1e-13]);
        }
        // The origin is inside a tetrahedron of the difference of the cores.
        let inside = match &corners[..] {
            [p, q, r, s] => {
                let faces = [[p, q, r, s], [p, q, s, r], [p, r, s, q], [q, r, s, p]];
                let heights = faces.map(|[a, b, c, opposite]| {
                    let normal = cross(sub(b.at, a.at), sub(c.at, a.at));
                    let side = dot(normal, sub(opposite.at, a.at)).signum();
                    -side * dot(normal, a.at) / length(normal)
                });
                heights.into_iter().fold(f64::INFINITY, f64::min)
            }
            _ => f64::NEG_INFINITY,
        };
        for (body, point) in [a, b].iter().zip(points) {
            if let Core::Discs { .. } = body.core {
                let off = body.signed(point) + body.radius;
                let far = size + length(body.center);
                assert!(off <= 1e-14 * far, "{off} of {size}, {body:?}");
            }
        }
        Apart {
            lower: (best.0 - radii).max(0.0),
            upper: (upper - radii).max(0.0),
            direction: best.1,
            cores: [best.0.max(0.0), upper],
            points,
            depth: radii + inside.max(-upper),
            size,
        }
    }

    /// Whether both bounds are the distance, up to roundings.
    pub fn is_closed(&self) -> bool {
        self.upper - self.lower <= CLOSED * self.size
    }

    /// Whether the bodies have common points, beyond all roundings.
    pub fn is_deep(&self) -> bool {
        self.depth > NOISE * self.size
    }

    /// Whether the bodies touch, up to roundings.
    pub fn touch(&self) -> bool {
        self.is_deep() || self.upper <= 1e-15 * self.size
    }
}

/// Signed distance of two bodies: negative where they penetrate.
#[derive(Clone, Copy, Debug)]
pub struct Signed {
    /// Bounds of the distance, if the cores are apart.
    pub apart: Apart,
    /// Largest gap found, along a unit vector from A to B. The separation is the largest gap of all directions, so it is at least this.
    pub found: f64,
    pub direction: V,
}

impl Signed {
    /// The largest gap along many directions, some given ones, axes and normals of faces, and those to which the best of them climb.
    pub fn of(a: &Body, b: &Body, lengths: f64, given: &[V]) -> Signed {
        let apart = Apart::of(a, b, lengths);
        let gap = |d: V| b.low(d) - a.high(d);
        let unit = |v: V| times(v, 1.0 / length(v));
        let mut tried = vec![apart.direction];
        tried.extend(given.iter().map(|v| unit(*v)));
        if apart.cores[0] <= NOISE * apart.size {
            tried.extend(axes_of_both(a, b));
            // Points of a spiral from pole to pole.
            let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
            let spiral = (0..300).map(|k| {
                let z = 1.0 - (2.0 * f64::from(k) + 1.0) / 300.0;
                let (sin, cos) = (golden * f64::from(k)).sin_cos();
                let across = (1.0 - z * z).sqrt();
                [across * cos, across * sin, z]
            });
            tried.extend(spiral);
        }
        let mut tried: Vec<(f64, V)> = tried.into_iter().map(|d| (gap(d), d)).collect();
        tried.sort_by(|p, q| q.0.total_cmp(&p.0));
        let starts = if apart.cores[0] > NOISE * apart.size {
            1
        } else {
            4
        };
        let mut best = tried[0];
        for start in &tried[..starts.min(tried.len())] {
            let found = climb(gap, *start, [0.1, 1e-6]);
            if found.0 > best.0 {
                best = found;
            }
        }
        let best = refine(a, b, best);
        Signed {
            apart,
            found: best.0,
            direction: best.1,
        }
    }

    /// A number that the separation does not exceed if the cores are apart, and otherwise the largest gap found.
    pub fn at_most(&self, radii: f64) -> f64 {
        if self.is_apart() {
            self.apart.cores[1] - radii
        } else {
            self.found
        }
    }

    /// Whether the cores are apart, which makes the separation known.
    pub fn is_apart(&self) -> bool {
        self.apart.cores[0] > NOISE * self.apart.size
    }
}

/// Axes of discs, normals of faces, and directions perpendicular to an edge of each body, in both directions.
fn axes_of_both(a: &Body, b: &Body) -> Vec<V> {
    let mut all = Vec::new();
    for body in [a, b] {
        match &body.core {
            Core::Discs { axes, .. } => all.extend([axes[2], times(axes[2], -1.0)]),
            Core::Points(points) => all.extend(normals(points)),
        }
    }
    let [of_a, of_b] = [a, b].map(|body| body.core.edges());
    for (p, q) in of_a.iter().flat_map(|p| of_b.iter().map(move |q| (p, q))) {
        let normal = cross(*p, *q);
        let long = length(normal);
        if long > 1e-9 * length(*p) * length(*q) {
            all.extend([1.0, -1.0].map(|sign| times(normal, sign / long)));
        }
    }
    all
}

/// Unit vectors perpendicular to three of some points each, in both directions.
fn normals(points: &[V]) -> Vec<V> {
    let mut all = Vec::new();
    for (i, p) in points.iter().enumerate() {
        for (j, q) in points[..i].iter().enumerate() {
            for r in &points[..j] {
                let (one, other) = (sub(*q, *p), sub(*r, *p));
                let normal = cross(one, other);
                let long = length(normal);
                if long > 1e-12 * length(one) * length(other) {
                    all.extend([1.0, -1.0].map(|sign| times(normal, sign / long)));
                }
            }
        }
    }
    all
}

/// Two unit vectors perpendicular to one.
pub fn across(d: V) -> [V; 2] {
    let axis = (0..3).min_by(|i, j| d[*i].abs().total_cmp(&d[*j].abs()));
    let mut other = [0.0; 3];
    other[axis.unwrap_or(0)] = 1.0;
    let first = cross(d, other);
    let first = times(first, 1.0 / length(first));
    [first, cross(d, first)]
}

/// Climbs from a direction to one with a larger value, by steps from the first length down to the second.
///
/// A step that has helped is tried again and lengthened, which follows ridges.
pub fn climb(value: impl Fn(V) -> f64, start: (f64, V), [from, to]: [f64; 2]) -> (f64, V) {
    let (mut best, mut at) = start;
    let unit = |v: V| times(v, 1.0 / length(v));
    let mut step = from;
    let (mut spin, mut again) = (0.0f64, [0.0; 3]);
    while step > to && spin < 1000.0 {
        let [x, y] = across(at);
        spin += 1.0;
        let mut ways = [again; 9];
        for (k, way) in (0..).zip(&mut ways[1..]) {
            let angle = spin + f64::from(k) * std::f64::consts::FRAC_PI_4;
            let (sin, cos) = angle.sin_cos();
            *way = add(times(x, step * cos), times(y, step * sin));
        }
        let moved = ways.map(|way| unit(add(at, way)));
        let values = moved.map(&value);
        let highest = (0..9).max_by(|i, j| values[*i].total_cmp(&values[*j]));
        let k = highest.unwrap_or(0);
        if values[k] > best {
            // From two places before: along the ridge rather than across it.
            let whole = sub(moved[k], at);
            again = times(add(whole, again), if k == 0 { 1.0 } else { 0.7 });
            (best, at) = (values[k], moved[k]);
            step = (step * 1.5).min(from);
        } else {
            again = times(again, 0.25);
            step *= 0.6;
        }
    }
    (best, at)
}

/// Refines a direction with a large gap. The least height of some points of the difference bounds the gap from above. The next direction
/// has the greatest such bound within a reach.
fn refine(a: &Body, b: &Body, start: (f64, V)) -> (f64, V) {
    let point = |d: V| sub(b.support(times(d, -1.0)), a.support(d));
    let (mut best, mut at) = start;
    let mut points = vec![point(at)];
    let mut reach = 1e-2;
    for _ in 0..400 {
        if reach < 1e-13 {
            break;
        }
        let [x, y] = across(at);
        let rows: Vec<V> = points
            .iter()
            .map(|p| [dot(*p, at), dot(*p, x), dot(*p, y)])
            .collect();
        // Of all places where the least changes, and the corners of the reach.
        let mut places = Vec::new();
        for (i, p) in rows.iter().enumerate() {
            for (j, q) in rows[..i].iter().enumerate() {
                let [c, u, v] = sub(*p, *q);
                for r in [-reach, reach] {
                    places.extend([[r, -(c + u * r) / v], [-(c + v * r) / u, r]]);
                }
                for r in &rows[..j] {
                    let [e, f, g] = sub(*p, *r);
                    let det = u * g - v * f;
                    places.push([(v * e - c * g) / det, (c * f - u * e) / det]);
                }
            }
        }
        for r in [-reach, reach] {
            places.extend([[r, r], [r, -r]]);
        }
        let is_within = |p: &&[f64; 2]| p.iter().all(|t| t.abs() <= reach * (1.0 + 1e-9));
        let value = |[s, t]: [f64; 2]| {
            let heights = rows.iter().map(|[c, u, v]| c + u * s + v * t);
            heights.fold(f64::INFINITY, f64::min) / (1.0 + s * s + t * t).sqrt()
        };
        let places = places.iter().filter(is_within);
        let [s, t] = *places
            .max_by(|p, q| value(**p).total_cmp(&value(**q)))
            .unwrap_or(&[reach, reach]);
        let to = add(at, add(times(x, s), times(y, t)));
        let to = times(to, 1.0 / length(to));
        let found = b.low(to) - a.high(to);
        points.insert(0, point(to));
        points.truncate(8);
        if found > best {
            (best, at) = (found, to);
            reach = (1.5 * reach).min(0.1);
        } else {
            reach *= 0.5;
        }
    }
    (best, at)
}
