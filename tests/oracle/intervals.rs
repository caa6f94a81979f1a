//! Proofs that rotating shapes do not touch before a time, in interval arithmetic.
//!
//! The proof uses the definition: at each time of an interval, a plane has all points of the first shape on one side
//! and all points of the second on the other side. The plane is a guess, which proves nothing. The sums that decide are
//! intervals of `f64` that contain the exact values, since each operation rounds outwards by a unit in the last place.
//! Rotations are quaternions, with the series of sine and cosine.
//!
//! Existing crates do not fit: inari needs a CPU flag on x86-64, and MPFR for sines.

use std::ops::{Add, Mul, Neg, Sub};

use phalanx::{HalfSpace, Obb, Plane};

use super::minkowski::V;
use super::turning::{Any, Couple, Turning};

/// The numbers from `low` to `high`.
#[derive(Clone, Copy, Debug)]
struct Interval {
    low: f64,
    high: f64,
}

type Quaternion = [Interval; 4];
type Vector = [Interval; 3];

const ZERO: Interval = Interval {
    low: 0.0,
    high: 0.0,
};

impl Interval {
    fn of(x: impl Into<f64>) -> Self {
        let x = x.into();
        Interval { low: x, high: x }
    }

    fn outwards(low: f64, high: f64) -> Self {
        Interval {
            low: low.next_down(),
            high: high.next_up(),
        }
    }

    fn abs(self) -> Self {
        let (low, high) = (self.low.abs(), self.high.abs());
        let inside = self.low <= 0.0 && self.high >= 0.0;
        Interval {
            low: if inside { 0.0 } else { low.min(high) },
            high: low.max(high),
        }
    }

    fn squared(self) -> Self {
        let size = self.abs();
        let square = Interval::outwards(size.low * size.low, size.high * size.high);
        Interval {
            low: square.low.max(0.0),
            ..square
        }
    }

    /// Square root of a nonnegative interval.
    fn sqrt(self) -> Self {
        let low = self.low.max(0.0).sqrt().next_down().max(0.0);
        Interval {
            low,
            high: self.high.sqrt().next_up(),
        }
    }

    /// Quotient by a positive interval.
    fn over(self, by: Interval) -> Self {
        assert!(by.low > 0.0);
        self * Interval::outwards(1.0 / by.high, 1.0 / by.low)
    }

    fn half(self) -> Self {
        Interval {
            low: 0.5 * self.low,
            high: 0.5 * self.high,
        } + Interval {
            // Halves of subnormal numbers round.
            low: -f64::from_bits(1),
            high: f64::from_bits(1),
        }
    }
}

impl Add for Interval {
    type Output = Interval;
    fn add(self, other: Interval) -> Interval {
        Interval::outwards(self.low + other.low, self.high + other.high)
    }
}

impl Sub for Interval {
    type Output = Interval;
    fn sub(self, other: Interval) -> Interval {
        self + -other
    }
}

impl Neg for Interval {
    type Output = Interval;
    fn neg(self) -> Interval {
        Interval {
            low: -self.high,
            high: -self.low,
        }
    }
}

impl Mul for Interval {
    type Output = Interval;
    fn mul(self, other: Interval) -> Interval {
        let products = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        let low = products.iter().fold(f64::INFINITY, |m, x| m.min(*x));
        let high = products.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
        Interval::outwards(low, high)
    }
}

fn vector(v: [f32; 3]) -> Vector {
    v.map(Interval::of)
}

fn guess(v: V) -> Vector {
    v.map(Interval::of)
}

fn dot(a: Vector, b: Vector) -> Interval {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn sub(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn times(a: Vector, k: Interval) -> Vector {
    a.map(|x| x * k)
}

fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn length(a: Vector) -> Interval {
    (a[0].squared() + a[1].squared() + a[2].squared()).sqrt()
}

fn product([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion) -> Quaternion {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// Σ (−y)ᵏ / (2k + `first`)! · `first`!: the cosine of √y if `first` is 0, its sine over it if 1. For y below 4.
fn series(y: Interval, first: u32) -> Interval {
    assert!(y.high < 4.0);
    let (mut sum, mut term) = (Interval::of(1.0), Interval::of(1.0));
    for k in 1..=16 {
        let (i, j) = (2 * k - 1 + first, 2 * k + first);
        term = (term * y).over(Interval::of(i) * Interval::of(j));
        sum = if k % 2 == 1 { sum - term } else { sum + term };
    }
    // Terms alternate and decrease, so the remainder is below the last term.
    let rest = term.high.abs();
    sum + Interval {
        low: -rest,
        high: rest,
    }
}

/// A rotating box.
struct Spin {
    half: Vector,
    rotation: Quaternion,
    turn: Vector,
}

impl Spin {
    /// The axes at a time.
    fn axes(&self, time: f64) -> [Vector; 3] {
        // exp(t · turn / 2) · rotation.
        let half_turn = times(self.turn, Interval::of(time).half());
        let y = half_turn[0].squared() + half_turn[1].squared() + half_turn[2].squared();
        let [x0, y0, z0] = times(half_turn, series(y, 1));
        let [x, y, z, w] = product([x0, y0, z0, series(y, 0)], self.rotation);
        let n = x.squared() + y.squared() + z.squared() + w.squared();
        let two = Interval::of(2.0);
        let (xx, yy, zz, ww) = (x.squared(), y.squared(), z.squared(), w.squared());
        let axes = [
            [
                ww + xx - yy - zz,
                two * (x * y + w * z),
                two * (x * z - w * y),
            ],
            [
                two * (x * y - w * z),
                ww + yy - xx - zz,
                two * (y * z + w * x),
            ],
            [
                two * (x * z + w * y),
                two * (y * z - w * x),
                ww + zz - xx - yy,
            ],
        ];
        axes.map(|axis| axis.map(|x| x.over(n)))
    }

    /// Maximum extent of the box beyond its center along `n`, at the end of an interval around a time.
    ///
    /// Along n an axis is at x(τ) = x(0) + x′(0) τ + ½ x″ τ², with x′ = n · (ω × A) and |x″| at most |ω|² |n|.
    fn reach(&self, axes: &[Vector; 3], n: Vector, tau: Interval) -> Interval {
        let speed_squared =
            self.turn[0].squared() + self.turn[1].squared() + self.turn[2].squared();
        let bend = (speed_squared * length(n) * tau.squared()).half();
        let mut reach = ZERO;
        for (axis, half) in axes.iter().zip(self.half) {
            let speed = dot(n, cross(self.turn, *axis));
            let along = (dot(n, *axis) + speed * tau).abs() + bend;
            reach = reach + half * along;
        }
        reach
    }
}

enum Other {
    Box(Spin),
    Round {
        half_axis: Vector,
        radius: Interval,
    },
    /// The corners, relative to the first.
    Corners([Vector; 3]),
    /// A plane or half-space, grown by a distance.
    Plane {
        normal: Vector,
        is_solid: bool,
        margin: Interval,
    },
}

/// A box and the other shape.
pub struct Proof {
    spin: Spin,
    other: Other,
    /// Vector from the box's center to the other center; for planes the height of the box's center times the length of
    /// the normal.
    offset: Vector,
    motion: Vector,
    guess: Couple,
}

impl Proof {
    /// Two shapes, one of them an OBB, and a margin.
    pub fn new(a: &Turning, b: &Turning, margin: f32) -> Self {
        let (one, other) = match a.shape {
            Any::Obb(_) => (a, b),
            _ => (b, a),
        };
        let Any::Obb(obb) = one.shape else {
            panic!("none of both is a box that may turn");
        };
        let m = Interval::of(margin);
        let grown = |half: Vector, grows: bool| half.map(|x| if grows { x + m } else { x });
        let spin = |obb: &Obb, turn: [f32; 3], grows: bool| Spin {
            half: grown(vector(obb.half_extents), grows),
            rotation: obb.rotation.map(Interval::of),
            turn: vector(turn),
        };
        let center = vector(obb.center);
        let own_grows = matches!(other.shape, Any::Obb(_) | Any::Triangle(_));
        let height = |normal: [f32; 3], d: f32| {
            let height = dot(vector(normal), center) + Interval::of(d);
            [height, ZERO, ZERO]
        };
        let mut motion = sub(vector(other.displacement), vector(one.displacement));
        let (other, offset) = match &other.shape {
            Any::Obb(b) => {
                let at = sub(vector(b.center), center);
                (Other::Box(spin(b, other.turn, false)), at)
            }
            Any::Aabb(b) => {
                let (min, max) = (vector(b.min), vector(b.max));
                let half = sub(max, min).map(Interval::half);
                let middle = [0, 1, 2].map(|k| (min[k] + max[k]).half());
                let spin = Spin {
                    half: grown(half, true),
                    rotation: [ZERO, ZERO, ZERO, Interval::of(1.0)],
                    turn: [ZERO; 3],
                };
                (Other::Box(spin), sub(middle, center))
            }
            Any::Sphere(b) => {
                let radius = Interval::of(b.radius) + m;
                let half_axis = [ZERO; 3];
                (
                    Other::Round { half_axis, radius },
                    sub(vector(b.center), center),
                )
            }
            Any::Capsule(b) => {
                let (half_axis, radius) = (vector(b.half_axis), Interval::of(b.radius) + m);
                (
                    Other::Round { half_axis, radius },
                    sub(vector(b.center), center),
                )
            }
            Any::Triangle(b) => {
                let corners = b.corners.map(vector);
                let relative = corners.map(|corner| sub(corner, corners[0]));
                (Other::Corners(relative), sub(corners[0], center))
            }
            Any::Plane(Plane { normal, d }) | Any::HalfSpace(HalfSpace { normal, d }) => {
                let is_solid = matches!(other.shape, Any::HalfSpace(_));
                let other = Other::Plane {
                    normal: vector(*normal),
                    is_solid,
                    margin: m,
                };
                motion = [-dot(vector(*normal), motion), ZERO, ZERO];
                (other, height(*normal, *d))
            }
        };
        Proof {
            spin: spin(&obb, one.turn, own_grows),
            other,
            offset,
            motion,
            guess: Couple::new(a, b, margin),
        }
    }

    /// Whether the proof succeeds that the shapes do not touch from time 0 to `until`.
    pub fn is_free(&self, until: f64) -> bool {
        self.is_free_between(0.0, until, 0)
    }

    fn is_free_between(&self, from: f64, to: f64, depth: u32) -> bool {
        if depth > 60 {
            return false;
        }
        let middle = from.midpoint(to);
        let look = self.guess.look(middle);
        // A small part of the gap is left for the interval errors.
        let least = 0.01 * look.gap();
        let mut ends = [
            middle + look.clear(from - middle, least).min(0.0),
            middle + look.clear(to - middle, least).max(0.0),
        ];
        if look.gap() <= 0.0 {
            return false;
        }
        for _ in 0..20 {
            if self.is_apart(middle, look.normal, ends) {
                let before = ends[0] <= from || self.is_free_between(from, ends[0], depth + 1);
                return before && (ends[1] >= to || self.is_free_between(ends[1], to, depth + 1));
            }
            ends = ends.map(|end| middle.midpoint(end));
        }
        false
    }

    /// Whether the shapes are on different sides of a plane perpendicular to `n`, at all times between `ends`.
    ///
    /// A concave function of time is a lower bound of the gap: its minimum is at an end.
    fn is_apart(&self, middle: f64, n: V, ends: [f64; 2]) -> bool {
        let n = guess(n);
        let axes = self.spin.axes(middle);
        let others = match &self.other {
            Other::Box(spin) => Some(spin.axes(middle)),
            _ => None,
        };
        ends.into_iter().all(|end| {
            let (time, tau) = (Interval::of(end), Interval::of(end) - Interval::of(middle));
            let at = [0, 1, 2].map(|k| self.offset[k] + self.motion[k] * time);
            let gap = match &self.other {
                Other::Box(spin) => {
                    let reach = spin.reach(&others.unwrap(), n, tau);
                    dot(n, at) - self.spin.reach(&axes, n, tau) - reach
                }
                Other::Corners(corners) => {
                    let along = corners.map(|corner| dot(n, corner));
                    // The minimum is at least the least of the lower ends.
                    let least = |of: fn(&Interval) -> f64| {
                        along.iter().map(of).fold(f64::INFINITY, f64::min)
                    };
                    let nearest = Interval {
                        low: least(|x| x.low),
                        high: least(|x| x.high),
                    };
                    dot(n, at) + nearest - self.spin.reach(&axes, n, tau)
                }
                Other::Round { half_axis, radius } => {
                    let reach = dot(n, *half_axis).abs() + *radius * length(n);
                    dot(n, at) - self.spin.reach(&axes, n, tau) - reach
                }
                Other::Plane {
                    normal,
                    is_solid,
                    margin,
                } => {
                    let below =
                        !*is_solid && self.offset[0].low + self.motion[0].low * middle < 0.0;
                    let height = if below { -at[0] } else { at[0] };
                    height - self.spin.reach(&axes, *normal, tau) - *margin * length(*normal)
                }
            };
            gap.low > 0.0
        })
    }
}
