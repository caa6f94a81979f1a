//! Planes and half-spaces against any bounded shape: the exact interval of normal · p + d over the shape.

use dashu_int::IBig;
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Point, Sphere, TimeInterval, Triangle};

use super::boxes::Box3;
use super::exact::{Scale, Vec3, abs, ratio, sq};
use super::triangles::Corners;
use super::{Exact, ORACLE_FLOOR, U};

/// A plane or a half-space: its normal, its offset, and whether it is solid below.
pub trait Surface {
    const IS_SOLID: bool;
    fn plane(&self) -> ([f32; 3], f32);
}

impl Surface for Plane {
    const IS_SOLID: bool = false;
    fn plane(&self) -> ([f32; 3], f32) {
        (self.normal, self.d)
    }
}

impl Surface for HalfSpace {
    const IS_SOLID: bool = true;
    fn plane(&self) -> ([f32; 3], f32) {
        (self.normal, self.d)
    }
}

/// A bounded shape: the sum of a box and a sphere.
pub trait Extent {
    /// Whether the kernel's axes err.
    const IS_ORIENTED: bool = false;
    /// All lengths of the shape.
    fn numbers(&self) -> Vec<f32>;
    /// The box, and the radius of the sphere in units of the scale. For other shapes, a box with equal heights.
    fn parts(&self, scale: Scale, normal: &Vec3) -> (Box3, IBig);
    /// Additional error of the kernel for this shape.
    fn more(&self, _scale: Scale) -> f64 {
        0.0
    }
}

/// A box without width.
fn box_at(center: [f32; 3], scale: Scale) -> Box3 {
    let point = Aabb {
        min: center,
        max: center,
    };
    Box3::of_aabb(&point, 0.0, scale)
}

impl Extent for Point {
    fn numbers(&self) -> Vec<f32> {
        self.position.to_vec()
    }
    fn parts(&self, scale: Scale, _normal: &Vec3) -> (Box3, IBig) {
        (box_at(self.position, scale), IBig::ZERO)
    }
}

impl Extent for Sphere {
    fn numbers(&self) -> Vec<f32> {
        [&self.center[..], &[self.radius]].concat()
    }
    fn parts(&self, scale: Scale, _normal: &Vec3) -> (Box3, IBig) {
        (box_at(self.center, scale), scale.int(self.radius))
    }
}

impl Extent for Capsule {
    fn numbers(&self) -> Vec<f32> {
        [&self.center[..], &self.half_axis, &[self.radius]].concat()
    }
    fn parts(&self, scale: Scale, _normal: &Vec3) -> (Box3, IBig) {
        // A box without width, with the half axis as its only side.
        let mut segment = box_at(self.center, scale);
        segment.half_extents[0] = IBig::from(2);
        segment.axes[0] = scale.vec(self.half_axis);
        (segment, scale.int(self.radius))
    }
}

impl Extent for Aabb {
    fn numbers(&self) -> Vec<f32> {
        [self.min, self.max].concat()
    }
    fn parts(&self, scale: Scale, _normal: &Vec3) -> (Box3, IBig) {
        (Box3::of_aabb(self, 0.0, scale), IBig::ZERO)
    }
}

impl Extent for Obb {
    const IS_ORIENTED: bool = true;
    fn numbers(&self) -> Vec<f32> {
        [self.center, self.half_extents].concat()
    }
    fn parts(&self, scale: Scale, _normal: &Vec3) -> (Box3, IBig) {
        (Box3::of_obb(self, 0.0, scale), IBig::ZERO)
    }
}

impl Extent for Triangle {
    fn numbers(&self) -> Vec<f32> {
        self.corners.as_flattened().to_vec()
    }
    /// The segment from the lowest corner to the highest.
    fn parts(&self, scale: Scale, normal: &Vec3) -> (Box3, IBig) {
        let mut corners = self.corners.map(|corner| scale.vec(corner));
        corners.sort_by_key(|corner| corner.dot(normal));
        let [low, _, high] = &corners;
        let mut segment = box_at([0.0; 3], scale);
        segment.center = low + high;
        segment.half_extents[0] = IBig::ONE;
        segment.axes[0] = high - low;
        (segment, IBig::ZERO)
    }
    /// 16 u of the lengths from a corner, the longest edge and the errors of all corners.
    fn more(&self, scale: Scale) -> f64 {
        let corners = Corners(self.corners.map(|corner| scale.vec(corner)));
        (152.0 + 2.0 * 16.0) * U * scale.f64(corners.longest())
    }
}

const REST: [f32; 3] = [0.0; 3];

/// The exact answer for a static shape and a static surface.
pub fn overlap<S: Extent, P: Surface>(shape: &S, surface: &P, margin: f32) -> Exact {
    swept((shape, REST), (surface, REST), margin, None)
}

/// The exact answer for a moving shape and a moving surface.
pub fn sweep<S: Extent, P: Surface>(
    shape: &(S, [f32; 3]),
    surface: &(P, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    swept((&shape.0, shape.1), (&surface.0, surface.1), margin, claim)
}

/// The height of a moving shape over a plane.
struct Height {
    /// Height of its middle at the start.
    start: IBig,
    /// Change of the height during the frame.
    change: IBig,
    /// Half the height of the box.
    half: IBig,
    /// Half the height of the sphere, squared.
    ball_sq: IBig,
    /// Half a scale squared: the normal's length, in units of heights.
    length_sq: IBig,
    solid: bool,
}

impl Height {
    /// Whether there is a gap at a height of the middle, and its width in halves of the scale. `one` is the unit of
    /// `middle` in units of the other numbers.
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
        // The boundary counts as not yet inside, for an exact claim.
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

fn swept<S: Extent, P: Surface>(
    (shape, motion): (&S, [f32; 3]),
    (surface, surface_motion): (&P, [f32; 3]),
    margin: f32,
    claim: Option<TimeInterval>,
) -> Exact {
    let (plane_normal, plane_d) = surface.plane();
    let numbers = shape.numbers();
    let scale = Scale::of(
        numbers
            .iter()
            .chain(&motion)
            .chain(&surface_motion)
            .chain(&[margin]),
    );
    let normals = Scale::of(&plane_normal);
    let normal = normals.vec(plane_normal);
    let more = shape.more(scale);
    let (shape, radius) = shape.parts(scale, &normal);

    // d is a product of a length and a normal, and may need finer units than the others.
    let d_scale = Scale::of(&[plane_d]);
    let shift = scale.exponent() + normals.exponent() - d_scale.exponent();
    let (finer, d) = if plane_d == 0.0 {
        (0, IBig::ZERO)
    } else if shift >= 0 {
        (shift, d_scale.int(plane_d))
    } else {
        (0, d_scale.int(plane_d) << -shift as usize)
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
        solid: P::IS_SOLID,
    };

    let end = &height.start + &height.change;
    let one = IBig::ONE;
    let crosses = !P::IS_SOLID && (height.start.signum() * end.signum()) <= IBig::ZERO;
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
    // Only the axes of an OBB err.
    let of_axes = if S::IS_ORIENTED {
        to_length(shape.size().to_f64().value())
    } else {
        0.0
    };
    let band = 16.0 * U * (size + speed) + 32.0 * U * of_axes + more + 2.0 * ORACLE_FLOOR;
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
