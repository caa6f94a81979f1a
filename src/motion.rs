//! Poses within a frame: shapes at a time, interpolated orientations, and the error of a straight line for a curved
//! path.
//!
//! All of this uses only + − × ÷ √, so results are bit-identical on every platform.

use crate::error::Error;
use crate::lane::{Float, Vec3};
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::pairs::{Pairs, PairsKind};
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
    fn moved(&self, index: u32, time: f32) -> Option<T> {
        let displacement = Vec3(self.displacement(index)?);
        Some(self.get(index)?.translated((displacement * time).0))
    }
}

impl Sweeps {
    /// The shapes of every hit at first contact, the time of impact.
    ///
    /// Pass the stores and pairs that [`Detector::sweep`](crate::Detector::sweep) was given. Shape `k` of
    /// `out_a` and of `out_b` belongs to the `k`-th hit, in the order of [`iter`](Self::iter). The shapes
    /// keep their displacements, for use by a collision response. The contents of the outputs are
    /// replaced and their memory is reused. Boxes keep their orientation, as in the sweep.
    ///
    /// `enter` is never late, so the shapes may be separated by the sweep's error bound and the
    /// rounding of [`Store::at`].
    ///
    /// ```
    /// use phalanx::{Detector, Sphere, Spheres, Sweeps};
    ///
    /// let mut spheres = Spheres::new();
    /// let unit = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// spheres.push(unit(0.0));
    /// spheres.push_moving(unit(5.0), [4.0, 0.0, 0.0]);
    /// spheres.push_moving(unit(-6.0), [8.0, 0.0, 0.0]);
    /// let pairs = [[0, 1], [0, 2]];
    /// let mut sweeps = Sweeps::new();
    /// Detector::new().sweep(&spheres, &spheres, &pairs, &mut sweeps)?;
    ///
    /// let (mut a, mut b) = (Spheres::new(), Spheres::new());
    /// sweeps.at_enter(&spheres, &spheres, &pairs, &mut a, &mut b)?;
    /// assert_eq!(a.len(), 1);                           // only sphere 2 is a hit
    /// let [x, ..] = b.columns().center;
    /// assert!((x[0] - -2.0).abs() < 1e-5);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::AnswerCount`] if the results are for a list of another length;
    /// [`Error::LengthMismatch`] for [`Pairs::zip`] over stores of different lengths; [`Error::IndexOutOfBounds`] for
    /// [`Pairs::one_to_all`]; [`Error::PairOutOfBounds`] if an index of a hit is past the end of its store;
    /// [`Error::TooManyShapes`] with more than `u32::MAX` hits. On an error the outputs are unchanged.
    pub fn at_enter<'p, A, B>(
        &self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out_a: &mut Store<A::Shape>,
        out_b: &mut Store<B::Shape>,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
    {
        let moments = Moments {
            hits: &self.masks,
            times: self.enter(),
            turns: false,
        };
        moments.write((&a.view(), &b.view()), pairs.into(), (out_a, out_b))
    }

    /// The shapes of every hit at last contact. Otherwise like [`at_enter`](Self::at_enter).
    ///
    /// # Errors
    ///
    /// As for [`at_enter`](Self::at_enter).
    pub fn at_exit<'p, A, B>(
        &self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out_a: &mut Store<A::Shape>,
        out_b: &mut Store<B::Shape>,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
    {
        let moments = Moments {
            hits: &self.masks,
            times: self.exit(),
            turns: false,
        };
        moments.write((&a.view(), &b.view()), pairs.into(), (out_a, out_b))
    }
}

impl Impacts {
    /// The shapes of every hit at the time of impact, with their orientation at that time.
    ///
    /// Pass the stores and pairs that [`Detector::impact`](crate::Detector::impact) was given; otherwise like
    /// [`Sweeps::at_enter`]. Shapes keep their displacements and turns.
    ///
    /// # Errors
    ///
    /// As for [`Sweeps::at_enter`].
    pub fn at_impact<'p, A, B>(
        &self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out_a: &mut Store<A::Shape>,
        out_b: &mut Store<B::Shape>,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
    {
        let moments = Moments {
            hits: &self.masks,
            times: self.time(),
            turns: true,
        };
        moments.write((&a.view(), &b.view()), pairs.into(), (out_a, out_b))
    }
}

/// The time of each hit at which its shapes are written.
struct Moments<'a> {
    hits: &'a Overlaps,
    times: &'a [f32],
    /// Whether the shapes are rotated by their turns.
    turns: bool,
}

impl Moments<'_> {
    fn write<A: Shape, B: Shape>(
        &self,
        (a, b): (&StoreRef<'_, A>, &StoreRef<'_, B>),
        pairs: Pairs<'_>,
        (out_a, out_b): (&mut Store<A>, &mut Store<B>),
    ) -> Result<(), Error> {
        self.check(pairs, a.len(), b.len())?;
        let hits = self.hits.count();
        let out_of_memory = |_| Error::OutOfMemory { pairs: hits };
        out_a.renew(hits, a).map_err(out_of_memory)?;
        out_b.renew(hits, b).map_err(out_of_memory)?;
        for position in self.hits.iter() {
            let pair = pairs.at(position);
            self.push(out_a, a, pair.a, self.times[position]);
            self.push(out_b, b, pair.b, self.times[position]);
        }
        Ok(())
    }

    /// Adds shape `index` of `from` at a time of the frame.
    fn push<T: Shape>(&self, store: &mut Store<T>, from: &StoreRef<'_, T>, index: u32, time: f32) {
        let shape = if self.turns {
            from.at(index, time)
        } else {
            from.moved(index, time)
        };
        if let (Some(shape), Some(displacement)) = (shape, from.displacement(index)) {
            store.push_in_motion(shape, displacement, from.turn_of(index));
        }
    }

    /// Checks that the list matches the results in length and that the pairs of hits are in bounds.
    fn check(&self, pairs: Pairs<'_>, len_a: usize, len_b: usize) -> Result<(), Error> {
        let len = match pairs.0 {
            PairsKind::List(list) => list.len(),
            PairsKind::Zip if len_a != len_b => return Err(Error::LengthMismatch { len_a, len_b }),
            PairsKind::OneToAll(index) if index as usize >= len_a => {
                return Err(Error::IndexOutOfBounds { index, len: len_a });
            }
            PairsKind::Zip | PairsKind::OneToAll(_) => len_b,
        };
        if len != self.hits.len() {
            return Err(Error::AnswerCount {
                pairs: len,
                answers: self.hits.len(),
            });
        }
        for position in self.hits.iter() {
            let pair = pairs.at(position);
            if pair.a as usize >= len_a || pair.b as usize >= len_b {
                return Err(Error::PairOutOfBounds {
                    position,
                    pair,
                    len_a,
                    len_b,
                });
            }
        }
        let hits = self.hits.count();
        if u32::try_from(hits).is_err() {
            return Err(Error::TooManyShapes { len: hits });
        }
        Ok(())
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
