//! The judge: plain loops in f64 over triangles. It shares no code with phalanx.

use std::array;
use std::thread;

pub type Point = [f64; 3];

pub fn sub(a: Point, b: Point) -> Point {
    array::from_fn(|k| a[k] - b[k])
}

/// `a + b * k`
pub fn add(a: Point, b: Point, k: f64) -> Point {
    array::from_fn(|i| a[i] + b[i] * k)
}

pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Point, b: Point) -> Point {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub fn distance(a: Point, b: Point) -> f64 {
    let d = sub(a, b);
    dot(d, d).sqrt()
}

/// A triangle with its edges from the first corner and its normal, not of unit length.
pub struct Triangle {
    corners: [Point; 3],
    edges: [Point; 2],
    normal: Point,
}

/// The smallest box around a triangle or a motion.
#[derive(Clone, Copy)]
struct Bounds {
    min: Point,
    max: Point,
}

/// All triangles of a level.
pub struct Level {
    triangles: Vec<Triangle>,
    bounds: Vec<Bounds>,
    all: Bounds,
}

/// Largest distance found, in metres.
pub const REACH: f64 = 0.01;

/// Results for a capsule.
pub struct Judged {
    /// Distance of the capsule from the level, at most [`REACH`]; negative if it is in the level.
    pub gap: f64,
    /// Whether a triangle crosses the axis, or the path of one of its ends.
    pub crosses: bool,
    /// Whether there is a triangle below.
    pub has_ground: bool,
}

impl Triangle {
    fn new(corners: [Point; 3]) -> Self {
        let [a, b, c] = corners;
        let edges = [sub(b, a), sub(c, a)];
        Triangle {
            corners,
            edges,
            normal: cross(edges[0], edges[1]),
        }
    }

    /// The longest edge, and the largest distance of a corner from a point in the 1-norm.
    pub fn sizes(&self, from: Point) -> [f64; 2] {
        let [a, b, c] = self.corners;
        let longest = distance(a, b).max(distance(b, c)).max(distance(c, a));
        let offset = |corner| sub(corner, from).iter().map(|x| x.abs()).sum::<f64>();
        [longest, offset(a).max(offset(b)).max(offset(c))]
    }

    /// The place from 0 to 1 at which a segment crosses the triangle.
    fn crossing(&self, from: Point, way: Point) -> Option<f64> {
        let det = dot(way, self.normal);
        if det == 0.0 {
            return None;
        }
        let s = sub(from, self.corners[0]);
        let time = -dot(s, self.normal) / det;
        if !(0.0..=1.0).contains(&time) {
            return None;
        }
        let q = cross(s, way);
        let (u, v) = (-dot(self.edges[1], q) / det, dot(self.edges[0], q) / det);
        (u >= 0.0 && v >= 0.0 && u + v <= 1.0).then_some(time)
    }

    /// The point of the triangle nearest to a point (Ericson, Real-Time Collision Detection, 5.1.5).
    pub fn nearest(&self, p: Point) -> Point {
        let [a, b, c] = self.corners;
        let [ab, ac] = self.edges;
        let ap = sub(p, a);
        let (d1, d2) = (dot(ab, ap), dot(ac, ap));
        if d1 <= 0.0 && d2 <= 0.0 {
            return a;
        }
        let bp = sub(p, b);
        let (d3, d4) = (dot(ab, bp), dot(ac, bp));
        if d3 >= 0.0 && d4 <= d3 {
            return b;
        }
        let vc = d1 * d4 - d3 * d2;
        if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
            return add(a, ab, d1 / (d1 - d3));
        }
        let cp = sub(p, c);
        let (d5, d6) = (dot(ab, cp), dot(ac, cp));
        if d6 >= 0.0 && d5 <= d6 {
            return c;
        }
        let vb = d5 * d2 - d1 * d6;
        if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
            return add(a, ac, d2 / (d2 - d6));
        }
        let va = d3 * d6 - d5 * d4;
        if va <= 0.0 && d4 >= d3 && d5 >= d6 {
            return add(b, sub(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)));
        }
        let scale = 1.0 / (va + vb + vc);
        add(add(a, ab, vb * scale), ac, vc * scale)
    }

    /// The nearest points of a segment and the triangle.
    fn nearest_to_segment(&self, from: Point, to: Point) -> [Point; 2] {
        let way = sub(to, from);
        if let Some(time) = self.crossing(from, way) {
            let point = add(from, way, time);
            return [point, point];
        }
        let [a, b, c] = self.corners;
        let mut best = [from, self.nearest(from)];
        let others = [
            [to, self.nearest(to)],
            nearest_of_segments(from, to, a, b),
            nearest_of_segments(from, to, b, c),
            nearest_of_segments(from, to, c, a),
        ];
        for other in others {
            if distance(other[0], other[1]) < distance(best[0], best[1]) {
                best = other;
            }
        }
        best
    }
}

impl Bounds {
    /// Bounds of points, larger by `reach`.
    fn around(points: &[Point], reach: f64) -> Self {
        let least = |k: usize| points.iter().fold(f64::INFINITY, |x, p| x.min(p[k]));
        let most = |k: usize| points.iter().fold(f64::NEG_INFINITY, |x, p| x.max(p[k]));
        Bounds {
            min: array::from_fn(|k| least(k) - reach),
            max: array::from_fn(|k| most(k) + reach),
        }
    }

    fn touches(&self, other: &Bounds) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && self.max[k] >= other.min[k])
    }
}

/// The nearest points of two segments (Ericson, 5.1.9).
fn nearest_of_segments(p1: Point, q1: Point, p2: Point, q2: Point) -> [Point; 2] {
    let (d1, d2, r) = (sub(q1, p1), sub(q2, p2), sub(p1, p2));
    let (a, e, f) = (dot(d1, d1), dot(d2, d2), dot(d2, r));
    let ratio = |x: f64, y: f64| {
        if y > 0.0 {
            (x / y).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let (b, c) = (dot(d1, d2), dot(d1, r));
    let mut s = ratio(b * f - c * e, a * e - b * b);
    let mut t = ratio(b * s + f, e);
    s = ratio(b * t - c, a);
    t = ratio(b * s + f, e);
    [add(p1, d1, s), add(p2, d2, t)]
}

impl Level {
    pub fn new(triangles: impl Iterator<Item = [[f32; 3]; 3]>) -> Self {
        let corners = triangles.map(|corners| corners.map(|corner| corner.map(f64::from)));
        let corners: Vec<[Point; 3]> = corners.collect();
        Level {
            triangles: corners.iter().copied().map(Triangle::new).collect(),
            bounds: corners
                .iter()
                .map(|corners| Bounds::around(corners, 0.0))
                .collect(),
            all: Bounds::around(corners.as_flattened(), 0.0),
        }
    }

    pub fn triangle(&self, index: u32) -> &Triangle {
        &self.triangles[index as usize]
    }

    /// Judges a capsule after a motion by the triangles in a box around it and all below it.
    pub fn judge(&self, [low, high]: [Point; 2], before: [Point; 2], radius: f64) -> Judged {
        let bottom = [low[0], low[1], self.all.min[2] - 1.0];
        let bounds = Bounds::around(&[low, high, before[0], before[1], bottom], radius + REACH);
        let mut judged = Judged {
            gap: REACH,
            crosses: false,
            has_ground: false,
        };
        let all = self.triangles.iter().zip(&self.bounds);
        for (triangle, _) in all.filter(|(_, other)| bounds.touches(other)) {
            let crosses = |from, to| triangle.crossing(from, sub(to, from)).is_some();
            judged.crosses |=
                crosses(low, high) || crosses(before[0], low) || crosses(before[1], high);
            judged.has_ground |= crosses(low, bottom);
            let [on_axis, on_triangle] = triangle.nearest_to_segment(low, high);
            judged.gap = judged.gap.min(distance(on_axis, on_triangle) - radius);
        }
        judged
    }

    /// The first time of contact of each of many rays from one origin, from 0 to 1; +∞ for none.
    pub fn first_times(&self, origin: Point, ways: &[Point]) -> Vec<f64> {
        let threads = thread::available_parallelism().map_or(1, |n| n.get());
        let piece = ways.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            let pieces: Vec<_> = ways
                .chunks(piece)
                .map(|ways| scope.spawn(move || self.first_times_serial(origin, ways)))
                .collect();
            pieces
                .into_iter()
                .flat_map(|piece| piece.join().expect("a loop without panics"))
                .collect()
        })
    }

    /// Rays in the inner loop: the triangles are read from memory once.
    fn first_times_serial(&self, origin: Point, ways: &[Point]) -> Vec<f64> {
        let mut times = vec![f64::INFINITY; ways.len()];
        for triangle in &self.triangles {
            let height = dot(sub(triangle.corners[0], origin), triangle.normal);
            for (way, first) in ways.iter().zip(&mut times) {
                let det = dot(*way, triangle.normal);
                // The plane is behind the origin, or behind the first hit or the end of the ray.
                if height * det < 0.0 || height.abs() > first.min(1.0) * det.abs() {
                    continue;
                }
                if let Some(time) = triangle.crossing(origin, *way) {
                    *first = first.min(time);
                }
            }
        }
        times
    }
}

/// Lists of the triangles over each cell of a grid in x and y, for many short segments.
pub struct Grid<'a> {
    level: &'a Level,
    min: [f64; 2],
    size: [usize; 2],
    cells: Vec<Vec<u32>>,
}

/// Size of a cell, in metres.
const CELL: f64 = 2.0;
/// Maximum number of cells along an axis; the last cell also holds everything beyond.
const MAX_CELLS: usize = 500;

impl<'a> Grid<'a> {
    pub fn new(level: &'a Level) -> Self {
        let Bounds { min, max } = level.all;
        let size = [0, 1].map(|k| (((max[k] - min[k]) / CELL) as usize + 1).min(MAX_CELLS));
        let mut grid = Grid {
            level,
            min: [min[0], min[1]],
            size,
            cells: vec![Vec::new(); size[0] * size[1]],
        };
        for (index, bounds) in level.bounds.iter().enumerate() {
            for cell in grid.cells_of(bounds) {
                grid.cells[cell].push(index as u32);
            }
        }
        grid
    }

    fn cells_of(&self, Bounds { min, max }: &Bounds) -> impl Iterator<Item = usize> + use<> {
        let cell = |k: usize, x: f64| (((x - self.min[k]) / CELL) as usize).min(self.size[k] - 1);
        let (rows, columns) = (
            cell(1, min[1])..=cell(1, max[1]),
            cell(0, min[0])..=cell(0, max[0]),
        );
        let width = self.size[0];
        rows.flat_map(move |row| columns.clone().map(move |column| row * width + column))
    }

    /// Whether a segment crosses a triangle.
    pub fn crosses(&self, from: Point, to: Point) -> bool {
        let way = sub(to, from);
        let mut near = self.near(Bounds::around(&[from, to], 0.0));
        near.any(|triangle| triangle.crossing(from, way).is_some())
    }

    /// Distance of a point from the level; `reach` if it is larger.
    pub fn clearance(&self, place: Point, reach: f64) -> f64 {
        let near = self.near(Bounds::around(&[place], reach));
        near.fold(reach, |least, triangle| {
            least.min(distance(place, triangle.nearest(place)))
        })
    }

    /// The triangles near a motion, some of them twice.
    fn near(&self, bounds: Bounds) -> impl Iterator<Item = &Triangle> {
        let indices = self.cells_of(&bounds).flat_map(|cell| &self.cells[cell]);
        let near =
            indices.filter(move |&&index| bounds.touches(&self.level.bounds[index as usize]));
        near.map(|&index| self.level.triangle(index))
    }
}
