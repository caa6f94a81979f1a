//! Poses within a frame: shapes at a time, interpolated orientations, and the error of a straight line for a curved
//! path.
//!
//! All of this uses only + − × ÷ √, so results are bit-identical on every platform.

use crate::lane::{Float, Vec3};
use crate::shapes::shape::Shape;
use crate::store::store::{Shapes, Store, StoreRef};

impl<T: Shape> Store<T> {
    /// Shape `index` at a time of the frame, a fraction of its displacement; `None` past the end.
    ///
    /// The position is `start + time * displacement`, each operation rounded; at time 0 it is exactly the start. A
    /// [rotating](Self::push_turning) box is rotated by `time * turn`.
    ///
    /// ```
    /// use phalanx::{Sphere, Spheres};
    ///
    /// let mut spheres = Spheres::new();
    /// let sphere = spheres.push_moving(Sphere { center: [0.0, 5.0, 0.0], radius: 0.5 }, [0.0, -4.0, 0.0]);
    /// assert_eq!(spheres.at(sphere, 0.75).unwrap().center, [0.0, 2.0, 0.0]);
    /// ```
    #[inline]
    pub fn at(&self, index: u32, time: f32) -> Option<T> {
        self.view().at(index, time)
    }
}

impl<T: Shape> StoreRef<'_, T> {
    /// Shape `index` at a time of the frame, see [`Store::at`].
    pub fn at(&self, index: u32, time: f32) -> Option<T> {
        let turn = Vec3(self.turn_of(index)) * time;
        Some(self.moved(index, time)?.turned(turn.0))
    }

    /// Shape `index` at a time of the frame, not rotated.
    pub(crate) fn moved(&self, index: u32, time: f32) -> Option<T> {
        let displacement = Vec3(self.displacement(index)?);
        Some(self.get(index)?.translated((displacement * time).0))
    }
}

/// Spherical linear interpolation between two rotations: quaternions x, y, z, w.
///
/// The result rotates at constant angular speed about a fixed axis, along the shorter arc: `q` and `-q`
/// are the same rotation, and either may be given. If the rotations are 180° apart, both arcs have the
/// same length, and the result follows the arc to the given sign of `to`.
///
/// `from` and `to` are normalised first; their lengths may be 1e-15 to 1e15. Time 0
/// returns `from` and 1 returns `to` (or its negative); times outside are clamped to 0 ..= 1.
/// The result has unit length within 3e-7 and is within 3e-7 of the exact quaternion (measured:
/// 2.3e-7). It is NaN if `from` or `to` is zero or not finite, or `time` is NaN. A box with such a
/// rotation is invalid.
///
/// Sweeps do not rotate shapes: use this for the poses of substeps, and for rendering.
///
/// ```
/// let (still, quarter) = ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt()]);
/// let [x, y, z, w] = phalanx::slerp(still, quarter, 0.5);
/// let half_angle = core::f32::consts::FRAC_PI_8;
/// assert_eq!([x, y], [0.0, 0.0]);
/// assert!((z - half_angle.sin()).abs() < 3e-7 && (w - half_angle.cos()).abs() < 3e-7);
/// ```
#[inline]
pub fn slerp(from: impl Into<[f32; 4]>, to: impl Into<[f32; 4]>, time: f32) -> [f32; 4] {
    slerp_numbers(from.into(), to.into(), time)
}

fn slerp_numbers(from: [f32; 4], to: [f32; 4], time: f32) -> [f32; 4] {
    let (mut from, mut to) = (unit(from), unit(to));
    if dot(from, to) < 0.0 {
        to = to.map(|x| -x);
    }
    // The ends are at most a quarter circle apart. Their normalised sum is the exact midpoint of the
    // arc. Halving keeps the series short.
    let mut time = time.clamp(0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = unit(core::array::from_fn(|k| from[k] + to[k]));
        if time < 0.5 {
            (to, time) = (middle, 2.0 * time);
        } else {
            (from, time) = (middle, 2.0 * time - 1.0);
        }
    }
    let chord: [f32; 4] = core::array::from_fn(|k| to[k] - from[k]);
    let versine = 0.5 * dot(chord, chord);
    let (before, after) = (weight(1.0 - time, versine), weight(time, versine));
    core::array::from_fn(|k| before * from[k] + after * to[k])
}

/// Number of halvings, after which the arc is at most a sixteenth of a circle.
const HALVINGS: usize = 2;

/// Number of terms of the series, after which the remainder is below 3e-8 of the first term.
const TERMS: usize = 5;

/// sin(t θ) / sin θ with `versine` = 1 − cos θ: the hypergeometric series
/// t ₂F₁(1 − t, 1 + t; 3/2; versine / 2). All terms are positive.
///
/// Source: D. Eberly, "A Fast and Accurate Algorithm for Computing SLERP", Journal of Graphics, GPU,
/// and Game Tools 15(3), 2011. Departure: short arcs instead of a fitted last term.
fn weight(t: f32, versine: f32) -> f32 {
    let mut sum = 1.0;
    for term in (1..=TERMS).rev() {
        let i = term as f32;
        sum = 1.0 + sum * ((i * i - t * t) * versine / (i * (2.0 * i + 1.0)));
    }
    t * sum
}

fn dot([ax, ay, az, aw]: [f32; 4], [bx, by, bz, bw]: [f32; 4]) -> f32 {
    (ax * bx + ay * by) + (az * bz + aw * bw)
}

/// Normalises a quaternion; NaN if it is too long or too short to have a direction.
fn unit(q: [f32; 4]) -> [f32; 4] {
    let squared = dot(q, q);
    if squared > f32::MAX {
        return [f32::NAN; 4];
    }
    let length = Float::sqrt(squared);
    q.map(|x| x / length)
}

/// The turn from one orientation to another, along the shorter arc: a rotation vector in radians, world axes.
///
/// Use it for [`push_turning`](Store::push_turning) if the orientations at the start and the end of the frame are
/// known. `from` and `to` are quaternions x, y, z, w. They are normalised first; their lengths may be 1e-15 to 1e15.
/// The length of the turn is at most π, its error at most 2e-6. Between opposite orientations there are two turns by π;
/// the result is either one. The turn is NaN if it is undefined, as for a zero quaternion; a box with such a turn is
/// invalid.
///
/// ```
/// let quarter = phalanx::turn_between([0.0, 0.0, 0.0, 1.0], [0.0, 0.5f32.sqrt(), 0.0, 0.5f32.sqrt()]);
/// assert!((quarter[1] - core::f32::consts::FRAC_PI_2).abs() < 1e-6 && quarter[0] == 0.0);
/// ```
#[inline]
pub fn turn_between(from: impl Into<[f32; 4]>, to: impl Into<[f32; 4]>) -> [f32; 3] {
    turn_between_numbers(from.into(), to.into())
}

fn turn_between_numbers(from: [f32; 4], to: [f32; 4]) -> [f32; 3] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (unit(from), unit(to));
    // to · from⁻¹
    let (a, b) = (Vec3([-ax, -ay, -az]), Vec3([bx, by, bz]));
    let v = b * aw + a * bw + b.cross(a);
    let w = bw * aw - b.dot(a);
    let v = if w < 0.0 { -v } else { v };
    let mut sine = Float::sqrt(v.dot(v));
    let mut cosine = w.abs();
    if sine == 0.0 {
        // The identity, or NaN.
        return (v * 2.0).0;
    }
    // The half angle is halved twice, to an eighth of the turn, so that the arctangent series is short.
    let direction = v * (1.0 / sine);
    for _ in 0..2 {
        // tan(x / 2) = sin x / (1 + cos x)
        let length = Float::sqrt(sine * sine + (1.0 + cosine) * (1.0 + cosine));
        (sine, cosine) = (sine / length, (1.0 + cosine) / length);
    }
    let tangent = sine / cosine;
    let squared = tangent * tangent;
    let mut sum = 0.0;
    for term in (0..ARC_TERMS).rev() {
        sum = 1.0 / (2.0 * term as f32 + 1.0) - squared * sum;
    }
    let angle = 8.0 * (tangent * sum);
    (direction * angle.min(core::f32::consts::PI)).0
}

/// Number of terms of the arctangent series, after which the remainder is below 3e-8 of the first term: tangents are
/// at most √2 − 1.
const ARC_TERMS: usize = 10;

/// The turn of a frame: the product of angular velocity (radians per second, world axes) and the frame's seconds.
///
/// A box with a turn longer than π is invalid: split such a frame into shorter steps.
///
/// ```
/// assert_eq!(phalanx::turn_of_velocity([0.0, 3.0, 0.0], 0.5), [0.0, 1.5, 0.0]);
/// ```
#[inline]
pub fn turn_of_velocity(angular_velocity: impl Into<[f32; 3]>, seconds: f32) -> [f32; 3] {
    (Vec3(angular_velocity.into()) * seconds).0
}

/// The straight line that replaces motion under constant acceleration, and a bound on its distance
/// from the true path.
///
/// With velocity V and acceleration W, both per frame, the path is `start + V t + ½ W t²`. Its chord
/// is `V + ½ W`. At equal times t in 0 ..= 1, path and chord differ by at most |W| / 8, at t = ½.
/// A sweep along the chord with this `margin` therefore misses no contact on the path, and
/// its interval encloses every contact.
///
/// # Several shapes
///
/// The margins of the two shapes of a pair add up: [`Detector::margin`](crate::Detector::margin) must be at least their
/// sum. For spheres, each margin can instead be added to the radius. Shapes with the same acceleration, as in free
/// fall, deviate from their chords equally. Pairs of such shapes need no margin except for the rounding of the chords.
///
/// # Smaller margins
///
/// For a substep from time s to s + h, the velocity is `(V + W s) h` and the acceleration
/// `W h²`: n equal substeps have margins of |W| / 8 n².
///
/// ```
/// use phalanx::{Chord, Detector, Pairs, Sphere, Spheres, Sweeps};
///
/// // A sphere thrown in an arc, in a frame of one second, and another at the top of the arc.
/// let chord = Chord::of([8.0, 4.905, 0.0], [0.0, -9.81, 0.0]);
/// let (mut thrown, mut others) = (Spheres::new(), Spheres::new());
/// thrown.push_moving(Sphere { center: [0.0; 3], radius: 0.1 }, chord.displacement);
/// others.push(Sphere { center: [4.0, 1.2, 0.0], radius: 0.1 });
///
/// // The chord passes 1.2 m below; the margin of 1.23 m covers it.
/// let mut sweeps = Sweeps::new();
/// let mut detector = Detector::new().margin(chord.margin)?;
/// detector.sweep(&thrown, &others, Pairs::zip(), &mut sweeps)?;
/// let time = sweeps.get(0).unwrap();
/// assert!(time.enter < 0.5 && 0.5 < time.exit);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chord {
    /// The vector from the start of the path to its end, rounded: the displacement of the sweep.
    pub displacement: [f32; 3],
    /// The largest distance between path and chord at equal times, rounded up. It includes the
    /// rounding of the displacement. Zero without acceleration.
    pub margin: f32,
}

impl Chord {
    /// The chord of `start + velocity t + ½ acceleration t²` for t in 0 ..= 1.
    ///
    /// Both are per frame: metres per second times the seconds of the frame, and metres per second
    /// squared times their square. If velocity or acceleration is not finite, neither is the chord,
    /// and a shape with that displacement is invalid.
    ///
    /// To grow a radius, round up: `(radius + chord.margin).next_up()`.
    #[inline]
    pub fn of(velocity: impl Into<[f32; 3]>, acceleration: impl Into<[f32; 3]>) -> Self {
        Self::of_numbers(velocity.into(), acceleration.into())
    }

    fn of_numbers(velocity: [f32; 3], acceleration: [f32; 3]) -> Self {
        let (v, w) = (Vec3(velocity), Vec3(acceleration));
        let chord = v + w * 0.5;
        // Scaled by a power of two, so that no square overflows or underflows.
        let scale = w.abs().largest().recip_pow2();
        let scaled = w * scale;
        let bend = scaled.dot(scaled).sqrt() / scale * 0.125;
        // The chord is rounded once. `ABOVE` covers the roundings of `bend` and of this sum,
        // less than 6 u; the last term covers subnormal numbers.
        let margin = (bend + chord.abs().sum() * ULP) * ABOVE + f32::MIN_POSITIVE;
        Chord {
            displacement: chord.0,
            margin: if acceleration == [0.0; 3] {
                0.0
            } else {
                margin
            },
        }
    }
}

/// The largest relative error of one rounding, 2⁻²⁴.
const ULP: f32 = 1.0 / (1 << 24) as f32;
/// 1 + 8 u.
const ABOVE: f32 = 1.0 + 8.0 * ULP;
