//! Conservative advancement of two rotating boxes: the fifteen separating axes at both ends of a step.
//!
//! With R the entries Aᵢ·Bⱼ of the relative rotation, p the offset of the centers, ω the rotation vectors and v the
//! displacement, the curvature bounds of a step of length H come from
//!
//! ```text
//!                       second derivative, at most
//! faces of A   Aᵢ·p     ωA (ωA |p| + 2 |v|)
//! faces of B   Bⱼ·p     ωB (ωB |p| + 2 |v|)
//! edges        (Aᵢ × Bⱼ)·p    W (W |p| + 2 |v|)      W = ωA + ωB
//! entries      R        |ωB − ωA| W,        and |R| too is at most its chord plus the curvature bound of R
//! ```
//!
//! The projected half extents are a sum of half extents, each times such an entry. Along a face normal it has the other
//! box's, along an edge cross product the four others (Σ aₖ |Rᵢⱼ|, as in S. Gottschalk et al., "OBBTree", 1996: entries
//! belong to an exact rotation up to roundings).
//!
//! The test against the tolerance is that of `obb_obb_overlap` for static boxes, without its widening. A gap along an
//! exact axis is then at most the tolerance, √3 times for faces of B, and 190 u S, by its proof with 44 u in place of
//! 8.5 u. If an axis separates, the boxes are separated by at least the tolerance less 150 u S.

use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::geometry::sat::{AxisProjections, SatBoxes, no_axis_separates, rotation};
use crate::narrow::impact::advance::{
    OffsetMotion, SeparationBounds, Step, StepResult, directed, length, rounding_slack, safe_time,
};
use crate::shapes::obb::WideTurning;

/// A box at both ends of a step.
#[derive(Clone, Copy)]
pub struct TurningBox<F> {
    pub half_extents: Vec3<F>,
    pub radius: F,
    /// At the start and at the end.
    pub axes: [[Vec3<F>; 3]; 2],
    /// Rotation vector per frame.
    pub turn: Vec3<F>,
}

/// Two boxes at both ends of a step, and the offset of their centers.
#[derive(Clone, Copy)]
pub struct TurningBoxes<F> {
    pub a: TurningBox<F>,
    pub b: TurningBox<F>,
    pub offsets: [Vec3<F>; 2],
    /// Relative displacement per frame.
    pub v: Vec3<F>,
}

/// Relative pose of the boxes at one end of a step.
#[derive(Clone, Copy)]
struct RelativePose<F> {
    r: [[F; 3]; 3],
    /// Offset along the axes of A, and along the axes of B.
    a: [F; 3],
    b: [F; 3],
}

impl<F: Float> RelativePose<F> {
    #[inline(always)]
    fn new<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        offset: Vec3<F>,
        a: [Vec3<F>; 3],
        b: [Vec3<F>; 3],
    ) -> Self {
        RelativePose {
            r: rotation(lanes, a, b),
            a: offset.along(a),
            b: offset.along(b),
        }
    }

    /// Offset along a face normal of A, and projected half extent of B.
    #[inline(always)]
    fn on_face_of_a(self, i: usize, [b0, b1, b2]: [F; 3]) -> (F, F) {
        let [r0, r1, r2] = self.r[i];
        (self.a[i], b0 * r0.abs() + b1 * r1.abs() + b2 * r2.abs())
    }

    /// Offset along a face normal of B, and projected half extent of A.
    #[inline(always)]
    fn on_face_of_b(self, j: usize, [a0, a1, a2]: [F; 3]) -> (F, F) {
        let [r0, r1, r2] = self.r;
        let radius_sum = a0 * r0[j].abs() + a1 * r1[j].abs() + a2 * r2[j].abs();
        (self.b[j], radius_sum)
    }

    /// Offset along the cross product of two edges, and the sum of both projected half extents.
    #[inline(always)]
    fn on_edges(self, i: usize, j: usize, a: [F; 3], b: [F; 3]) -> (F, F) {
        let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
        let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
        let r = self.r;
        let along = r[i1][j] * self.a[i2] - r[i2][j] * self.a[i1];
        let of_a = a[i1] * r[i2][j].abs() + a[i2] * r[i1][j].abs();
        let of_b = b[j1] * r[i][j2].abs() + b[j2] * r[i][j1].abs();
        (along, of_a + of_b)
    }
}

/// Gaps at both ends of the step, along the axis that separates at the start.
#[inline(always)]
fn gaps<L: Lanes>(
    lanes: L,
    [(start, radius_sum), (end, end_radius_sum)]: [(L::F, L::F); 2],
    more: L::F,
) -> [L::F; 2] {
    let end = directed(lanes, start, end);
    [
        start.abs() - (radius_sum + more),
        end - (end_radius_sum + more),
    ]
}

/// Bounds the times of contact of two boxes in a step.
#[inline(always)]
pub fn step<L: Lanes>(lanes: L, boxes: TurningBoxes<L::F>, step: Step<L::F>) -> StepResult<L> {
    let TurningBoxes { a, b, offsets, v } = boxes;
    let start = RelativePose::new(lanes, offsets[0], a.axes[0], b.axes[0]);
    let end = RelativePose::new(lanes, offsets[1], a.axes[1], b.axes[1]);
    let margin = Vec3([step.margin; 3]);
    let (grown, other) = (a.half_extents + margin, b.half_extents);

    let tolerance = Vec3([step.tolerance; 3]);
    let within_tolerance = no_axis_separates(
        SatBoxes {
            half_extents_a: (grown + tolerance).0,
            half_extents_b: other.0,
            r: start.r,
        },
        AxisProjections::of(start.a, start.b),
    );

    let (turn_a, turn_b) = (length(a.turn), length(b.turn));
    let both = turn_a + turn_b;
    let offset_motion = OffsetMotion::new(lanes, step, offsets, v);
    let entry_deviation = offset_motion.chord_deviation * (length(b.turn - a.turn) * both);
    let (sum_a, sum_b) = (grown.sum(), other.sum());
    let deviation_a = offset_motion.of_offset(turn_a) + sum_b * entry_deviation;
    let deviation_b = offset_motion.of_offset(turn_b) + sum_a * entry_deviation;
    let edge_deviation = offset_motion.of_offset(both) + (sum_a + sum_b) * entry_deviation;

    let error = rounding_slack(lanes, step.size);
    let (ha, hb) = (grown.0, other.0);
    let mut found = SeparationBounds::new(lanes);
    let mut i = 0;
    while i < 3 {
        let along = [start.on_face_of_a(i, hb), end.on_face_of_a(i, hb)];
        found = found.add_axis(lanes, gaps(lanes, along, ha[i] + error), deviation_a);
        let along = [start.on_face_of_b(i, ha), end.on_face_of_b(i, ha)];
        found = found.add_axis(lanes, gaps(lanes, along, hb[i] + error), deviation_b);
        i += 1;
    }
    let mut i = 0;
    while i < 9 {
        let (j, k) = (i / 3, i % 3);
        let along = [start.on_edges(j, k, ha, hb), end.on_edges(j, k, ha, hb)];
        found = found.add_axis(lanes, gaps(lanes, along, error), edge_deviation);
        i += 1;
    }
    let speed = offset_motion.speed + (turn_a * (a.radius + length(margin)) + turn_b * b.radius);
    found.result(lanes, within_tolerance, safe_time(lanes, step, speed))
}

/// A box at both ends of a step.
#[inline(always)]
pub fn turning_box<L: Lanes>(
    lanes: L,
    obb: WideTurning<L::F>,
    step: Step<L::F>,
) -> TurningBox<L::F> {
    TurningBox {
        half_extents: obb.start.half_extents,
        radius: obb.start.radius,
        axes: [obb.axes_at(lanes, step.from), obb.axes_at(lanes, step.to)],
        turn: obb.turn,
    }
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt};

    use super::*;
    use crate::common::rng;
    use crate::lane::One;
    use crate::math::dvec::DVec3;
    use crate::math::rotation::f64_axes_of;
    use crate::shapes::obb::Obb;
    use crate::shapes::shape::Shape;

    fn vector(rng: &mut impl Rng, most: f32) -> [f32; 3] {
        [(); 3].map(|()| rng.random_range(-1.0..1.0f32) * most)
    }

    /// A box of a size with any rotation, and its axes at a time.
    fn random_box(
        rng: &mut impl Rng,
        scale: f32,
        time: f32,
    ) -> ([f32; 3], [Vec3<f32>; 3], [DVec3; 3]) {
        let sizes = vector(rng, scale).map(f32::abs);
        let q = [(); 4].map(|()| rng.random_range(-1.0..1.0f64));
        let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
        let q = q.map(|x| (x / length) as f32);
        let (turn, [x, y, z]) = (vector(rng, 1.8), sizes);
        let fields = [0.0, 0.0, 0.0, x, y, z, q[0], q[1], q[2], q[3]];
        let obb = WideTurning {
            start: Obb::prepare(One, fields).0,
            displacement: Vec3([0.0; 3]),
            turn: Vec3(turn),
        };
        let by = DVec3::of(turn) * f64::from(time);
        let angle = by.dot(by).sqrt();
        let n = by * (1.0 / angle);
        let exact = f64_axes_of(q).map(|axis| {
            let along = n * n.dot(axis);
            along + (axis - along) * angle.cos() + n.cross(axis) * angle.sin()
        });
        (sizes, obb.axes_at(One, time), exact)
    }

    /// The gap along an axis, before the rounding slack.
    fn exact_gap(axis: DVec3, offset: DVec3, sides: [[DVec3; 3]; 2]) -> f64 {
        let reach = |side: [DVec3; 3]| side.map(|edge| edge.dot(axis).abs()).iter().sum::<f64>();
        offset.dot(axis).abs() - reach(sides[0]) - reach(sides[1])
    }

    #[test]
    fn gaps_less_their_slack_are_never_above_the_exact_gaps() {
        let mut rng = rng("gaps of turning boxes");
        let mut largest = 0f64;
        for _ in 0..50_000 {
            // Products underflow at the second scale.
            let scale = [1.0, 2f32.powi(-136)][rng.random_range(0..2)];
            let time = rng.random_range(0.0..1.0f32);
            let (ha, a, exact_a) = random_box(&mut rng, scale, time);
            let (hb, b, exact_b) = random_box(&mut rng, scale, time);
            let (start, v) = (vector(&mut rng, 3.0 * scale), vector(&mut rng, scale));
            let offset = Vec3(start) + Vec3(v) * time;
            let exact = DVec3::of(start) + DVec3::of(v) * f64::from(time);
            let norm = |v: [f32; 3]| v[0].abs() + v[1].abs() + v[2].abs();
            let size = norm(start) + norm(v) + (norm(ha) + norm(hb));
            let slack = rounding_slack(One, size);

            let pose = RelativePose::new(One, offset, a, b);
            let edges =
                |axes: [DVec3; 3], h: [f32; 3]| [0, 1, 2].map(|k| axes[k] * f64::from(h[k]));
            let sides = [edges(exact_a, ha), edges(exact_b, hb)];
            let mut compare = |found: (f32, f32), more: f32, axis: DVec3| {
                let [gap, _] = gaps(One, [found, found], more + slack);
                let exact = exact_gap(axis, exact, sides);
                assert!(
                    f64::from(gap) <= exact + 1e-14 * f64::from(size),
                    "{gap} of {exact}"
                );
                if scale == 1.0 {
                    let off = f64::from(gap) + f64::from(slack) - exact;
                    largest = largest.max(off / f64::from(slack));
                }
            };
            for i in 0..3 {
                compare(pose.on_face_of_a(i, hb), ha[i], exact_a[i]);
                compare(pose.on_face_of_b(i, ha), hb[i], exact_b[i]);
                for (j, edge) in exact_b.iter().enumerate() {
                    let axis = exact_a[i].cross(*edge);
                    compare(pose.on_edges(i, j, ha, hb), 0.0, axis);
                }
            }
        }
        assert!(largest > 0.02, "{largest} of the slack");
    }
}
