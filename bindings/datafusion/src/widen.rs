//! Shapes of `Float64` numbers, rounded outwards: the `Float32` shape holds the exact one.
//!
//! # Proof
//!
//! Let c be the center of a shape, C its nearest `Float32`, and e = c − C, which `f64` holds exactly, as do the
//! differences of the half axis, the displacement and the rotation. At time t of the frame, each point of the
//! shape is off by e + t e′, e′ being the difference of the displacement: by no more than |e|₁ + |e′|₁.
//!
//! - A ball, or a capsule whose half axis is off by a as well, has a radius that is larger by |e|₁ + |e′|₁ + |a|₁.
//! - A point is a ball of radius |e|₁ + |e′|₁.
//! - A box along the axes has ends that go out by what the displacement is off by, and are rounded outwards.
//! - A box in any orientation, of half extents h and the rotation q, has the nearest Q = q − ε. The angle φ
//!   between the quaternions has sin φ ≤ |ε| / |q|, and the box turns by 2 φ, so that axes move by at most
//!   2 sin φ ≤ 2.01 |ε|₁ for a q whose length is 1 within 2e-3: others are bad. In the frame of the turned
//!   box, each coordinate of a corner then differs by at most 2.01 |ε|₁ |h|₁ + |e|₁ + |e′|₁, which is added to
//!   each half extent.
//!
//! What is added is summed in `f64` with a few roundings of 2⁻⁵³ each, for which it is made 2⁻⁴⁸ larger, and the size
//! that results is rounded upwards. A shape whose numbers are all `Float32` values stays exactly what it is.
//!
//! A plane has no such shape around it, since it has no end. So its numbers have to be `Float32` values.

use std::array::from_fn;

use arrow::buffer::NullBuffer;
use datafusion_common::{Result, exec_err};

use crate::kind::{Kind, MOTION, Place};
use crate::validity::is_there;

/// Columns of shapes, as many as their kind has; the others are empty.
pub(crate) struct Enclosing {
    pub kind: Kind,
    pub fields: [Vec<f32>; 10],
    /// Empty if no motion was given.
    pub motion: [Vec<f32>; 3],
}

/// Shapes around those of a kind.
pub(crate) fn enclosing(
    place: Place<'_>,
    kind: Kind,
    fields: [&[f64]; 10],
    motion: Option<[&[f64]; 3]>,
    nulls: Option<&NullBuffer>,
) -> Result<Enclosing> {
    let len = fields[0].len();
    let nearest = |columns: [&[f64]; 3]| columns.map(round);
    let mut out: [Vec<f32>; 10] = Default::default();
    let moved = motion.map(nearest).unwrap_or_default();
    // What the displacement is off by, on each axis.
    let drift = |i: usize| match motion {
        Some(motion) => from_fn(|k| motion[k][i] - f64::from(moved[k][i])),
        None => [0.0; 3],
    };
    let mut result_kind = kind;
    match kind {
        Kind::Point | Kind::Sphere | Kind::Capsule => {
            let axis = kind == Kind::Capsule;
            let numbers = if axis { 6 } else { 3 };
            for k in 0..numbers {
                out[k] = round(fields[k]);
            }
            let radius = match kind {
                Kind::Point => None,
                _ => Some(fields[numbers]),
            };
            out[numbers] = (0..len)
                .map(|i| {
                    let off = (0..numbers).map(|k| fields[k][i] - f64::from(out[k][i]));
                    grown(
                        radius.map_or(0.0, |radius| radius[i]),
                        sum(off) + sum(drift(i)),
                    )
                })
                .collect();
            if kind == Kind::Point {
                result_kind = Kind::Sphere;
            }
        }
        Kind::Aabb => {
            for k in 0..3 {
                let (min, max) = (fields[k], fields[3 + k]);
                let ends = |i: usize| {
                    let by = drift(i)[k];
                    if min[i] <= max[i] {
                        [down(less(min[i], -by)), up(-less(-max[i], by))]
                    } else {
                        [f32::NAN; 2]
                    }
                };
                out[k] = (0..len).map(|i| ends(i)[0]).collect();
                out[3 + k] = (0..len).map(|i| ends(i)[1]).collect();
            }
        }
        Kind::Obb => {
            for k in [0, 1, 2, 6, 7, 8, 9] {
                out[k] = round(fields[k]);
            }
            let by: Vec<f64> = (0..len)
                .map(|i| {
                    let off = |k: usize| fields[k][i] - f64::from(out[k][i]);
                    let turned = sum((6..10).map(off));
                    let size = sum((3..6).map(|k| fields[k][i]));
                    let mut by = 2.01 * turned * size;
                    // Products may underflow.
                    if turned > 0.0 && size > 0.0 {
                        by += f64::MIN_POSITIVE;
                    }
                    by + sum((0..3).map(off)) + sum(drift(i))
                })
                .collect();
            for k in 3..6 {
                out[k] = fields[k]
                    .iter()
                    .zip(&by)
                    .map(|(h, by)| grown(*h, *by))
                    .collect();
            }
        }
        Kind::Plane | Kind::HalfSpace => {
            let motion_columns = motion.iter().flatten().zip(MOTION);
            let named = fields.iter().zip(kind.fields().iter().copied());
            for (column, name) in named.chain(motion_columns) {
                for (row, x) in column.iter().enumerate() {
                    if x.is_finite() && f64::from(*x as f32) != *x && is_there(nulls, row) {
                        return exec_err!(
                            "{place}: field {name:?} is {x} in row {row} of the batch, which Float32 has not, and no \
                             rounding of a {} holds it: cast the field to Float32 to test the rounded one",
                            kind.name()
                        );
                    }
                }
            }
            for k in 0..4 {
                out[k] = round(fields[k]);
            }
        }
    }
    Ok(Enclosing {
        kind: result_kind,
        fields: out,
        motion: moved,
    })
}

/// The nearest numbers.
fn round(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|x| *x as f32).collect()
}

/// The sum of sizes, but for its rounding.
fn sum(numbers: impl IntoIterator<Item = f64>) -> f64 {
    numbers.into_iter().map(f64::abs).sum()
}

/// A size, larger by a sum of few numbers; NaN if it is negative.
fn grown(size: f64, by: f64) -> f32 {
    if size < 0.0 {
        return f32::NAN;
    }
    let large = size + by;
    if by == 0.0 {
        up(large)
    } else {
        up(large * (1.0 + 1.0 / (1u64 << 48) as f64))
    }
}

/// A number, made smaller by another if that is above zero, and no larger than exactly.
fn less(x: f64, by: f64) -> f64 {
    if by > 0.0 { (x - by).next_down() } else { x }
}

/// The largest `Float32` that is not above.
fn down(x: f64) -> f32 {
    let nearest = x as f32;
    if f64::from(nearest) > x {
        nearest.next_down()
    } else {
        nearest
    }
}

/// The smallest `Float32` that is not below.
fn up(x: f64) -> f32 {
    -down(-x)
}

#[cfg(test)]
mod tests {
    use num_rational::BigRational as Exact;
    use num_traits::{Signed, Zero};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    const PLACE: Place<'static> = Place {
        function: "test",
        argument: 0,
    };
    const CASES: usize = 400;

    fn exact(x: f64) -> Exact {
        Exact::from_float(x).unwrap()
    }

    /// A number of any size, or one that is hard to round.
    fn number(rng: &mut StdRng) -> f64 {
        let near = f64::from(rng.random_range(-9.0f32..9.0));
        match rng.random_range(0..6) {
            0 => near,
            1 => near * 2f64.powi(rng.random_range(-160..50)),
            2 => near.next_up(),
            // Half way between two Float32 numbers, or beside it.
            3 => {
                let half = (near + f64::from((near as f32).next_up())) / 2.0;
                [half.next_down(), half, half.next_up()][rng.random_range(0..3)]
            }
            4 => [0.0, f64::MIN_POSITIVE, 5e-324, 1e-310, -1e-200][rng.random_range(0..5)],
            _ => rng.random_range(-1e6..1e6),
        }
    }

    /// A shape of some numbers, of which some are sizes, as columns; and its motion.
    fn shape(
        rng: &mut StdRng,
        count: usize,
        sizes: std::ops::Range<usize>,
    ) -> ([Vec<f64>; 10], [Vec<f64>; 3]) {
        let fields = from_fn(|k| match k {
            _ if k >= count => vec![],
            _ if sizes.contains(&k) => vec![number(rng).abs()],
            _ => vec![number(rng)],
        });
        (fields, from_fn(|_| vec![number(rng)]))
    }

    fn widened(
        kind: Kind,
        fields: &[Vec<f64>; 10],
        motion: &[Vec<f64>; 3],
    ) -> ([Exact; 10], [Exact; 3]) {
        let motion = Some(motion.each_ref().map(|column| &column[..]));
        let wide = enclosing(
            PLACE,
            kind,
            fields.each_ref().map(|column| &column[..]),
            motion,
            None,
        )
        .unwrap();
        let first = |column: &Vec<f32>| {
            column
                .first()
                .map_or(Exact::zero(), |x| exact(f64::from(*x)))
        };
        (
            wide.fields.each_ref().map(first),
            wide.motion.each_ref().map(first),
        )
    }

    fn first(columns: &[Vec<f64>]) -> Vec<Exact> {
        columns
            .iter()
            .map(|column| column.first().map_or(Exact::zero(), |x| exact(*x)))
            .collect()
    }

    fn squared(offset: &[Exact; 3]) -> Exact {
        offset.iter().map(|x| x * x).sum()
    }

    /// Whether the place of a point that is off by so much lies within what a radius has grown by.
    fn within(offset: &[Exact; 3], grown: &Exact) -> bool {
        !grown.is_negative() && squared(offset) <= grown * grown
    }

    #[test]
    fn balls_and_capsules_are_held_at_both_ends_of_the_frame() {
        let mut rng = StdRng::seed_from_u64(10);
        for (kind, count) in [(Kind::Point, 3), (Kind::Sphere, 4), (Kind::Capsule, 7)] {
            for case in 0..CASES {
                let (fields, motion) = shape(
                    &mut rng,
                    count,
                    if kind == Kind::Point {
                        9..9
                    } else {
                        count - 1..count
                    },
                );
                let (out, moved) = widened(kind, &fields, &motion);
                let (fields, motion) = (first(&fields), first(&motion));
                let numbers = if kind == Kind::Capsule { 6 } else { 3 };
                let radius = if kind == Kind::Point {
                    Exact::zero()
                } else {
                    fields[numbers].clone()
                };
                let grown = &out[numbers] - &radius;
                // All is linear in time and along the axis: the ends are the worst.
                for (t, s) in [(0, -1), (0, 1), (1, -1), (1, 1)] {
                    let [t, s] = [t, s].map(|x| exact(f64::from(x)));
                    let offset = from_fn(|k| {
                        let axis = if kind == Kind::Capsule {
                            &fields[3 + k] - &out[3 + k]
                        } else {
                            Exact::zero()
                        };
                        &fields[k] - &out[k] + &t * (&motion[k] - &moved[k]) + &s * axis
                    });
                    assert!(
                        within(&offset, &grown),
                        "{kind:?}, case {case}, {fields:?} {motion:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn boxes_along_the_axes_are_held_at_both_ends_of_the_frame() {
        let mut rng = StdRng::seed_from_u64(11);
        for case in 0..CASES {
            let (mut fields, motion) = shape(&mut rng, 6, 9..9);
            for k in 0..3 {
                let (a, b) = (fields[k][0], fields[3 + k][0]);
                (fields[k][0], fields[3 + k][0]) = (a.min(b), a.max(b));
            }
            let (out, moved) = widened(Kind::Aabb, &fields, &motion);
            let (fields, motion) = (first(&fields), first(&motion));
            for k in 0..3 {
                for t in [0.0, 1.0] {
                    let drift = exact(t) * (&motion[k] - &moved[k]);
                    assert!(out[k] <= &fields[k] + &drift, "case {case}");
                    assert!(out[3 + k] >= &fields[3 + k] + &drift, "case {case}");
                }
            }
        }
    }

    /// The columns of a rotation matrix by a quaternion that is made unit.
    fn axes([x, y, z, w]: [&Exact; 4]) -> [[Exact; 3]; 3] {
        let n = x * x + y * y + z * z + w * w;
        let two = exact(2.0);
        let m = |a: Exact| &two * a / &n;
        let d = |a: Exact| (a) / &n;
        [
            [
                d(w * w + x * x - y * y - z * z),
                m(x * y + w * z),
                m(x * z - w * y),
            ],
            [
                m(x * y - w * z),
                d(w * w + y * y - x * x - z * z),
                m(y * z + w * x),
            ],
            [
                m(x * z + w * y),
                m(y * z - w * x),
                d(w * w + z * z - x * x - y * y),
            ],
        ]
    }

    #[test]
    fn boxes_in_any_orientation_are_held_at_both_ends_of_the_frame() {
        let mut rng = StdRng::seed_from_u64(12);
        for case in 0..CASES / 10 {
            let (mut fields, motion) = shape(&mut rng, 10, 3..6);
            let mut q: [f64; 4] = from_fn(|_| rng.random_range(-1.0..1.0));
            if case % 3 == 0 {
                q = [1e-9 * q[0], 1e-9, 1e-200, 1.0];
            }
            let length =
                q.iter().map(|x| x * x).sum::<f64>().sqrt() * rng.random_range(0.9992..1.0008);
            (0..4).for_each(|k| fields[6 + k][0] = q[k] / length);
            let (out, moved) = widened(Kind::Obb, &fields, &motion);
            let (fields, motion) = (first(&fields), first(&motion));
            let before = axes([&fields[6], &fields[7], &fields[8], &fields[9]]);
            let after = axes([&out[6], &out[7], &out[8], &out[9]]);
            for corner in 0..8 {
                let sign = |k: usize| exact(if corner >> k & 1 == 1 { 1.0 } else { -1.0 });
                for t in [0.0, 1.0] {
                    let offset: [Exact; 3] = from_fn(|i| {
                        let at: Exact = (0..3)
                            .map(|k| sign(k) * &fields[3 + k] * &before[k][i])
                            .sum();
                        at + &fields[i] - &out[i] + exact(t) * (&motion[i] - &moved[i])
                    });
                    for k in 0..3 {
                        let along: Exact = (0..3).map(|i| &offset[i] * &after[k][i]).sum();
                        assert!(
                            along.abs() <= out[3 + k],
                            "case {case}, corner {corner}, axis {k}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn float32_values_stay_as_they_are() {
        let mut rng = StdRng::seed_from_u64(13);
        for kind in Kind::ALL {
            for _ in 0..CASES {
                let fields: [Vec<f64>; 10] = from_fn(|k| match k {
                    _ if k >= kind.fields().len() => vec![],
                    // Ends of boxes in order, sizes above zero.
                    _ if k >= 3 => vec![f64::from(rng.random_range(2.0f32..3.0))],
                    _ => vec![f64::from(rng.random_range(-2.0f32..2.0))],
                });
                let motion: [Vec<f64>; 3] =
                    from_fn(|_| vec![f64::from(rng.random_range(-2.0f32..2.0))]);
                let (out, moved) = widened(kind, &fields, &motion);
                assert_eq!(out[..], first(&fields)[..]);
                assert_eq!(moved[..], first(&motion)[..]);
            }
        }
    }

    #[test]
    fn bad_shapes_stay_bad() {
        let one = |fields: [f64; 10], kind: Kind| {
            let columns = fields.map(|x| vec![x]);
            let wide = enclosing(
                PLACE,
                kind,
                columns.each_ref().map(|column| &column[..]),
                None,
                None,
            );
            wide.unwrap()
                .fields
                .map(|column| column.first().copied().unwrap_or(0.0))
        };
        let is_bad = |x: f32| x.is_nan() || x.abs() > phalanx::MAX_LENGTH;
        let mut rng = StdRng::seed_from_u64(14);
        for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, 1e300, -1e300] {
            for kind in [
                Kind::Point,
                Kind::Sphere,
                Kind::Capsule,
                Kind::Aabb,
                Kind::Obb,
            ] {
                let mut fields = [1.0; 10];
                fields[rng.random_range(0..kind.fields().len())] = bad;
                assert!(
                    one(fields, kind).into_iter().any(is_bad),
                    "{kind:?} {fields:?}"
                );
            }
        }
        for negative in [-1e-300, -1.0] {
            assert!(
                one(
                    [0.0, 0.0, 0.0, negative, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
                    Kind::Sphere
                )[3]
                .is_nan()
            );
            assert!(
                one(
                    [0.0, 0.0, 0.0, 1.0, negative, 1.0, 0.0, 0.0, 0.0, 1.0],
                    Kind::Obb
                )[4]
                .is_nan()
            );
        }
        // Both ends round to 1, but they are in the wrong order.
        let above = 1.0 + 1e-12;
        assert!(
            one(
                [above, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0],
                Kind::Aabb
            )[0]
            .is_nan()
        );
    }
}
