//! Volumes that boxes with vertical axes have in common: groups of pairs in lanes, without branches.
//!
//! The volume is the area of the common footprint times the height. By Green's theorem, the area is half the sum, over the
//! sides of the footprint, of the length times the distance of the side's line from a point. Each side is the part of a side
//! of one rectangle that lies within the other rectangle.
//!
//! Each crossing of two lines is computed once, as a place along the line of A. Its place along the line of B follows by
//! rotation, even where nearly parallel lines make it inaccurate. So sides that nearly coincide count once: rounding only
//! shifts the point where the side of A ends and that of B begins.

use phalanx::{Aabb, Obb};

use crate::vector::{Vector, minus};

/// Number of pairs in a group.
const LANES: usize = 16;

/// A box with a vertical third axis, in float64.
#[derive(Clone, Copy)]
pub struct Upright {
    half: Vector,
    center: Vector,
    /// The z and w of its quaternion, of any length.
    turn: [f64; 2],
}

impl From<Aabb> for Upright {
    fn from(aabb: Aabb) -> Self {
        let (center, half) = center_and_half(aabb);
        Upright {
            half,
            center,
            turn: [0.0, 1.0],
        }
    }
}

impl Upright {
    /// The box, if it is turned about z alone or not at all.
    pub fn new(obb: Obb) -> Option<Self> {
        let [x, y, z, w] = obb.rotation;
        (x == 0.0 && y == 0.0).then(|| Upright {
            half: obb.half_extents.map(f64::from),
            center: obb.center.map(f64::from),
            turn: [z, w].map(f64::from),
        })
    }

    /// Whether this box is A of a pair: the smaller box, whose center is the origin, which keeps rounding errors small.
    fn is_before(&self, other: &Upright) -> bool {
        let (own, others) = (volume(self.half), volume(other.half));
        if own != others {
            return own < others;
        }
        // Lists have boxes of one size or of many, so these branches are predicted.
        for (own, others) in [
            (self.center[0], other.center[0]),
            (self.center[1], other.center[1]),
            (self.center[2], other.center[2]),
            (self.half[0], other.half[0]),
            (self.half[1], other.half[1]),
            (self.half[2], other.half[2]),
            (self.turn[0], other.turn[0]),
            (self.turn[1], other.turn[1]),
        ] {
            if own != others {
                return own < others;
            }
        }
        true
    }
}

/// The center and the half extents of an AABB, in float64.
pub fn center_and_half(aabb: Aabb) -> (Vector, Vector) {
    let (low, high) = (aabb.min.map(f64::from), aabb.max.map(f64::from));
    let center = [0, 1, 2].map(|k| (high[k] + low[k]) / 2.0);
    let half = [0, 1, 2].map(|k| (high[k] - low[k]) / 2.0);
    (center, half)
}

/// The volume of a box, from its half extents.
pub fn volume(half: Vector) -> f64 {
    8.0 * half[0] * half[1] * half[2]
}

/// The volume that two boxes have in common and the sum of both volumes, if both are aligned with the world axes. The order
/// of the boxes changes no bit of it.
pub fn axis_aligned(a: &Upright, b: &Upright) -> Option<(f64, f64)> {
    if a.turn[0] != 0.0 || b.turn[0] != 0.0 {
        return None;
    }
    let offset = minus(b.center, a.center);
    let common = [0, 1, 2].map(|k| max(common_length(a.half[k], b.half[k], offset[k]), 0.0));
    let (volume_a, volume_b) = (volume(a.half), volume(b.half));
    let common = min(common[0] * common[1] * common[2], min(volume_a, volume_b));
    Some((common, volume_a + volume_b))
}

/// Boxes of one side of the pairs of a group, by lane.
#[derive(Default)]
struct Side {
    half: [[f64; LANES]; 3],
    center: [[f64; LANES]; 3],
    turn: [[f64; LANES]; 2],
}

/// Up to 16 pairs of boxes, measured together. A result depends on no other lane.
#[derive(Default)]
pub struct Group {
    len: usize,
    /// The place of each pair in its list.
    places: [usize; LANES],
    /// A and B of each pair. Lanes from `len` on hold boxes of earlier groups, or zeros.
    sides: [Side; 2],
}

impl Group {
    /// Adds a pair. Returns whether the group is full, so that it has to be measured.
    #[inline]
    pub fn push(&mut self, place: usize, first: Upright, second: Upright) -> bool {
        let lane = self.len;
        // The order of the boxes changes no bit of the result. Indexing by it is faster than branching.
        let order = usize::from(!first.is_before(&second));
        for (side, solid) in [(order, first), (1 - order, second)] {
            let side = &mut self.sides[side];
            for k in 0..3 {
                side.half[k][lane] = solid.half[k];
                side.center[k][lane] = solid.center[k];
            }
            for k in 0..2 {
                side.turn[k][lane] = solid.turn[k];
            }
        }
        self.places[lane] = place;
        self.len += 1;
        self.len == LANES
    }

    /// Calls `to` for each pair, with its place, the volume in common and the sum of both volumes. Clears the group.
    pub fn measure(&mut self, mut to: impl FnMut(usize, f64, f64)) {
        let (mut common, mut sum) = ([0.0; LANES], [0.0; LANES]);
        self.volumes(&mut common, &mut sum);
        for lane in 0..self.len {
            to(self.places[lane], common[lane], sum[lane]);
        }
        self.len = 0;
    }

    /// The volume in common of each lane, and the sum of both volumes. The loop has no branch and no call, not even of
    /// `array::map`, so that the compiler vectorises it: its speed depends on that, its results do not.
    #[inline(never)]
    fn volumes(&self, common: &mut [f64; LANES], sum: &mut [f64; LANES]) {
        let [a, b] = &self.sides;
        for i in 0..LANES {
            let (half_a, half_b) = (at(&a.half, i), at(&b.half, i));
            let (center_a, center_b) = (at(&a.center, i), at(&b.center, i));
            let offset = minus(center_b, center_a);
            let area = common_area(
                Rectangle {
                    half: [half_a[0], half_a[1]],
                    turn: [a.turn[0][i], a.turn[1][i]],
                },
                Rectangle {
                    half: [half_b[0], half_b[1]],
                    turn: [b.turn[0][i], b.turn[1][i]],
                },
                [offset[0], offset[1]],
            );
            let height = common_length(half_a[2], half_b[2], offset[2]);
            let (volume_a, volume_b) = (volume(half_a), volume(half_b));
            common[i] = min(area * max(height, 0.0), min(volume_a, volume_b));
            sum[i] = volume_a + volume_b;
        }
    }
}

fn at(columns: &[[f64; LANES]; 3], lane: usize) -> Vector {
    [columns[0][lane], columns[1][lane], columns[2][lane]]
}

/// The maximum, in one instruction: `f64::max` also handles NaN, and leaves the sign of zero open.
fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The minimum, in one instruction.
fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The length that two intervals have in common, from their half lengths and the offset of their centers. Separated intervals
/// have a negative one.
fn common_length(a: f64, b: f64, offset: f64) -> f64 {
    min(2.0 * min(a, b), a + b - offset.abs())
}

/// The footprint of a box.
struct Rectangle {
    half: [f64; 2],
    /// The z and w of its quaternion.
    turn: [f64; 2],
}

/// The lowest sine or cosine that divides. So small an angle moves no point by a rounding error, and no quotient of valid boxes
/// overflows.
const TINY: f64 = 1e-30;

/// The area that two rectangles have in common, from the offset from A to B in world coordinates.
#[inline(always)]
fn common_area(a: Rectangle, b: Rectangle, offset: [f64; 2]) -> f64 {
    // The offset in the frame of A, x and y, whose origin is the center of A.
    let ([z_a, w_a], [z_b, w_b]) = (a.turn, b.turn);
    let scale = 2.0 / (z_a * z_a + w_a * w_a);
    let (cos, sin) = (1.0 - scale * (z_a * z_a), scale * (z_a * w_a));
    let dx = cos * offset[0] + sin * offset[1];
    let dy = cos * offset[1] - sin * offset[0];
    // The rotation from A to B: exactly 0 or 1 for parallel sides, since products of float32 are exact.
    let (z, w) = (w_a * z_b - z_a * w_b, w_a * w_b + z_a * z_b);
    let norm = w * w + z * z;
    let (cos, sin) = ((w * w - z * z) / norm, (2.0 * w * z) / norm);
    // The frame of B, u and v, is turned by a multiple of 90° such that it is at 0° to 90° to the frame of A.
    let is_odd = cos * sin < 0.0;
    let either = |even: f64, odd: f64| if is_odd { odd } else { even };
    let (cos, sin) = (cos.abs(), sin.abs());
    let (c, s) = (either(cos, sin), either(sin, cos));
    let ([ax, ay], [bx, by]) = (a.half, b.half);
    let (bu, bv) = (either(bx, by), either(by, bx));
    let (du, dv) = (c * dx + s * dy, c * dy - s * dx);

    // The sides of B in its own frame, whose origin is the center of A too.
    let (u_low, u_high, v_low, v_high) = (du - bu, du + bu, dv - bv, dv + bv);
    let (c, s) = (max(c, TINY), max(s, TINY));
    let (per_c, per_s) = (1.0 / c, 1.0 / s);
    // The length of a part of a side, and twice its middle.
    let part = |low: f64, high: f64| (max(high - low, 0.0), low + high);
    // For the side of A with this x: the part within B, and the crossings with the lines of u_high, u_low, v_high and v_low, by
    // their v, v, u and u.
    let at_x = |x: f64| {
        let (xc, xs) = (x * c, x * s);
        let y = [
            (u_high - xc) * per_s,
            (u_low - xc) * per_s,
            (v_high + xs) * per_c,
            (v_low + xs) * per_c,
        ];
        let low = max(max(-ay, y[1]), y[3]);
        let high = min(min(ay, y[0]), y[2]);
        let crossings = [y[0] * c - xs, y[1] * c - xs, xc + y[2] * s, xc + y[3] * s];
        (part(low, high), crossings)
    };
    // For the side of A with this y.
    let at_y = |y: f64| {
        let (yc, ys) = (y * c, y * s);
        let x = [
            (u_high - ys) * per_c,
            (u_low - ys) * per_c,
            (yc - v_high) * per_s,
            (yc - v_low) * per_s,
        ];
        let low = max(max(-ax, x[1]), x[2]);
        let high = min(min(ax, x[0]), x[3]);
        let crossings = [yc - x[0] * s, yc - x[1] * s, x[2] * c + ys, x[3] * c + ys];
        (part(low, high), crossings)
    };
    let ((right, right_mid), right_at) = at_x(ax);
    let ((left, left_mid), left_at) = at_x(-ax);
    let ((top, top_mid), top_at) = at_y(ay);
    let ((bottom, bottom_mid), bottom_at) = at_y(-ay);
    // The sides of B with a u run up in v from the right and bottom of A to its left and top, those with a v run up in u from its
    // left and bottom to its right and top.
    let at_u = |k: usize| {
        let low = max(max(v_low, right_at[k]), bottom_at[k]);
        let high = min(min(v_high, left_at[k]), top_at[k]);
        part(low, high)
    };
    let at_v = |k: usize| {
        let low = max(max(u_low, left_at[k]), bottom_at[k]);
        let high = min(min(u_high, right_at[k]), top_at[k]);
        part(low, high)
    };
    let ((front, front_mid), (back, back_mid)) = (at_u(0), at_u(1));
    let ((over, over_mid), (under, under_mid)) = (at_v(2), at_v(3));

    // Distances are from the mean of the outline, which lies within the footprint, so that those of a small footprint are small.
    let around = ((right + left) + (top + bottom)) + ((front + back) + (over + under));
    // Without an outline, the sums are 0.
    let per_twice = 0.5 / max(around, f64::MIN_POSITIVE);
    let sum_x = 2.0 * ax * (right - left) + (top * top_mid + bottom * bottom_mid);
    let sum_y = 2.0 * ay * (top - bottom) + (right * right_mid + left * left_mid);
    let sum_u = 2.0 * (u_high * front + u_low * back) + (over * over_mid + under * under_mid);
    let sum_v = 2.0 * (v_high * over + v_low * under) + (front * front_mid + back * back_mid);
    let x = (sum_x + (c * sum_u - s * sum_v)) * per_twice;
    let y = (sum_y + (s * sum_u + c * sum_v)) * per_twice;
    let (u, v) = (c * x + s * y, c * y - s * x);
    let twice_of_a = ((ax - x) * right + (ax + x) * left) + ((ay - y) * top + (ay + y) * bottom);
    let twice_of_b =
        ((u_high - u) * front + (u - u_low) * back) + ((v_high - v) * over + (v - v_low) * under);

    // The footprint is within the area that A has in common with the bounding rectangle of B.
    let (reach_x, reach_y) = (c * bu + s * bv, s * bu + c * bv);
    let common_x = max(common_length(ax, reach_x, dx), 0.0);
    let common_y = max(common_length(ay, reach_y, dy), 0.0);
    let area = 0.5 * (twice_of_a + twice_of_b);
    max(min(area, common_x * common_y), 0.0)
}
