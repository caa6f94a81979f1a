//! Planes and half-spaces against any shape, exactly: what matters is the range of
//! normal · p + d over the shape.

use dashu_int::IBig;
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Sphere, TimeInterval};

use super::boxes::Box3;
use super::exact::{Scale, Vec3, abs, ratio, sq};
use super::{Exact, FLOOR, U};

/// A plane, solid on one side or on none.
#[derive(Clone, Copy)]
pub struct Surface {
    normal: [f32; 3],
    d: f32,
    solid: bool,
}

impl From<&Plane> for Surface {
    fn from(plane: &Plane) -> Self {
        Surface {
            normal: plane.normal,
            d: plane.d,
            solid: false,
        }
    }
}

impl From<&HalfSpace> for Surface {
    fn from(half_space: &HalfSpace) -> Self {
        Surface {
            normal: half_space.normal,
            d: half_space.d,
            solid: true,
        }
    }
}

/// A shape, as far as planes are concerned: a point, a box around it and a ball around that.
pub enum Shape<'a> {
    Sphere(&'a Sphere),
    Capsule(&'a Capsule),
    Aabb(&'a Aabb),
    Obb(&'a Obb),
}

impl Shape<'_> {
    fn numbers(&self) -> Vec<f32> {
        match self {
            Shape::Sphere(s) => [&s.center[..], &[s.radius]].concat(),
            Shape::Capsule(c) => [&c.center[..], &c.half_axis, &[c.radius]].concat(),
            Shape::Aabb(a) => [a.min, a.max].concat(),
            Shape::Obb(o) => [o.center, o.half_extents].concat(),
        }
    }

    /// The box, which for a ball is a point, and the ball's radius in units of the scale.
    fn parts(&self, scale: Scale) -> (Box3, IBig) {
        match self {
            Shape::Sphere(s) => {
                let point = Aabb {
                    min: s.center,
                    max: s.center,
                };
                (Box3::of_aabb(&point, 0.0, scale), scale.int(s.radius))
            }
            Shape::Capsule(c) => {
                let point = Aabb {
                    min: c.center,
                    max: c.center,
                };
                // A box of no width, with the half axis as the only side.
                let mut segment = Box3::of_aabb(&point, 0.0, scale);
                segment.half_extents[0] = IBig::from(2);
                segment.axes[0] = scale.vec(c.half_axis);
                (segment, scale.int(c.radius))
            }
            Shape::Aabb(a) => (Box3::of_aabb(a, 0.0, scale), IBig::ZERO),
            Shape::Obb(o) => (Box3::of_obb(o, 0.0, scale), IBig::ZERO),
        }
    }
}

const REST: [f32; 3] = [0.0; 3];

pub fn at_rest(shape: Shape<'_>, surface: impl Into<Surface>, margin: f32) -> Exact {
    swept((shape, REST), (surface, REST), margin, None)
}

/// The height of a moving shape over a plane.
struct Height {
    /// Of its middle, at the start.
    start: IBig,
    /// How much that changes during the frame.
    change: IBig,
    /// Half the height of the box.
    half: IBig,
    /// Half the height of the ball, squared.
    ball_sq: IBig,
    /// What half a scale amounts to, squared: the normal's length, in units of heights.
    length_sq: IBig,
    solid: bool,
}

impl Height {
    /// Whether there is a gap at a height of the middle, and how wide it is in halves of the scale.
    /// `one` is the unit of `middle` in those of the other numbers.
    fn gap(&self, middle: &IBig, one: &IBig) -> (bool, f64) {
        let middle = if self.solid {
            middle.clone()
        } else {
            abs(middle)
        };
        let beyond = middle - &self.half * one;
        let ball_sq = &self.ball_sq * sq(one);
        let apart = beyond > IBig::ZERO && sq(&beyond) > ball_sq;
        if !apart {
            return (false, 0.0);
        }
        // (b² − r²) / (b + r), since both may be large and close.
        let unit_sq = &self.length_sq * sq(one);
        let excess = ratio(&(sq(&beyond) - &ball_sq), &unit_sq);
        let sum = ratio(&sq(&beyond), &unit_sq).sqrt() + ratio(&ball_sq, &unit_sq).sqrt();
        (true, excess / sum)
    }

    /// Whether the middle is outside, and its gap, at a time.
    fn at(&self, time: f32) -> (bool, bool, f64) {
        let times = Scale::of(&[time, 1.0]);
        let one = times.one();
        let middle = &self.start * &one + &self.change * times.int(time);
        let (apart, gap) = self.gap(&middle, &one);
        // On the boundary counts as not yet inside, for a claim that is exact.
        let reach = if self.solid {
            middle.clone()
        } else {
            abs(&middle)
        } - &self.half * &one;
        let on_boundary = reach >= IBig::ZERO && sq(&reach) == &self.ball_sq * sq(&one);
        let away = if self.solid || middle > IBig::ZERO {
            1
        } else {
            -1
        };
        let leaving = &self.change * away > IBig::ZERO;
        (apart || on_boundary, leaving, gap)
    }
}

pub fn swept(
    (shape, motion): (Shape<'_>, [f32; 3]),
    (surface, surface_motion): (impl Into<Surface>, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let surface = surface.into();
    let numbers = shape.numbers();
    let scale = Scale::of(
        numbers
            .iter()
            .chain(&motion)
            .chain(&surface_motion)
            .chain(&[margin]),
    );
    let normals = Scale::of(&surface.normal);
    let normal = normals.vec(surface.normal);
    let oriented = matches!(shape, Shape::Obb(_));
    let (shape, radius) = shape.parts(scale);

    // d is a product of a length and a normal, and may need finer units than the others have.
    let d_scale = Scale::of(&[surface.d]);
    let shift = scale.exponent() + normals.exponent() - d_scale.exponent();
    let (finer, d) = if surface.d == 0.0 {
        (0, IBig::ZERO)
    } else if shift >= 0 {
        (shift, d_scale.int(surface.d))
    } else {
        (0, d_scale.int(surface.d) << -shift as usize)
    };
    // Heights are in units of half a scale, a normal's scale and the box's unit, made finer for d.
    let fine = |x: IBig| x << finer as usize;
    let d = d * 2 * &shape.unit;
    let v = &scale.vec(motion) - &scale.vec(surface_motion);
    let reach = (radius + scale.int(margin)) * 2 * &shape.unit;
    let height = Height {
        start: fine(shape.center.dot(&normal) * &shape.unit) + &d,
        change: fine(v.dot(&normal) * 2 * &shape.unit),
        half: fine(shape.half_projection(&normal)),
        ball_sq: fine(fine(sq(&reach) * normal.length_sq())),
        length_sq: fine(fine(normal.length_sq() * sq(&shape.unit))),
        solid: surface.solid,
    };

    let end = &height.start + &height.change;
    let one = IBig::ONE;
    let crosses = !surface.solid && (height.start.signum() * end.signum()) <= IBig::ZERO;
    let (start_gap, end_gap) = (height.gap(&height.start, &one), height.gap(&end, &one));
    let hit = crosses || !start_gap.0 || !end_gap.0;
    let gap = if hit { 0.0 } else { start_gap.1.min(end_gap.1) };

    let to_length = |halves: f64| scale.f64(halves) / 2.0;
    let halves = |units: &IBig| ratio(&sq(units), &height.length_sq).sqrt();
    let terms = |v: &Vec3| -> IBig {
        fine(
            (0..3)
                .map(|k| abs(&v.0[k]) * abs(&normal.0[k]))
                .sum::<IBig>(),
        )
    };
    let corners = Vec3([0, 1, 2].map(|k| {
        let along: IBig = (0..3)
            .map(|j| &shape.half_extents[j] * abs(&shape.axes[j].0[k]))
            .sum();
        abs(&shape.center.0[k]) * &shape.unit + along
    }));
    let reach = ratio(&reach, &shape.unit);
    let size = to_length(halves(&(terms(&corners) + abs(&d))) + reach);
    let speed = to_length(halves(&(terms(&v) * 2 * &shape.unit)));
    // Only the axes of a box in any orientation err.
    let of_axes = if oriented {
        to_length(shape.size().to_f64().value())
    } else {
        0.0
    };
    let band = 16.0 * U * (size + speed) + 32.0 * U * of_axes + 2.0 * FLOOR;
    let gap = to_length(gap);

    let Some(claim) = claim else {
        return Exact::at_rest(hit, gap, band);
    };
    let (enter_outside, enter_leaving, enter_gap) = height.at(claim.enter);
    let (exit_outside, exit_leaving, exit_gap) = height.at(claim.exit);
    let still = height.change == IBig::ZERO;
    let enter = claim.enter == 0.0 || (enter_outside && !enter_leaving && !still);
    let exit = claim.exit == 1.0 || (exit_outside && exit_leaving);
    let encloses = claim.enter <= claim.exit && (!hit || (enter && exit));
    Exact {
        hit,
        gap,
        band,
        encloses,
        slack: to_length(enter_gap.max(exit_gap)),
    }
}
