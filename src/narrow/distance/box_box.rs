//! Box-box distance: the length of the gaps along the axes of AABBs, Newton steps for OBBs.
//!
//! **Two AABBs.** On each axis the nearest points are the facing ends, or the middle of the common interval.
//!
//! **Two OBBs.** Newton steps lead to the nearest point of B, in the frame of A. A point of B is p = T + R y in the frame of
//! A, with y from −b to b along the axes of B. It is outside of A by o = p − clamp(p, −a, a). |o|² / 2 is convex and
//! piecewise quadratic in y:
//!
//! ```text
//! slope       g = Rᵀ o
//! curvature   H = Σ Rᵢ Rᵢᵀ, Rᵢ the rows of the axes of A along which p is outside
//! ```
//!
//! A step leaves out each axis of B whose bound is reached and along which p cannot come nearer. It solves (H + damping) d =
//! −g for the others by cofactors and clamps y + d. Four steps start at the point of B that is nearest to the center of A.
//! They settle most pairs.
//!
//! Steps may oscillate between bounds, or creep along nearly parallel faces. So unsettled pairs take four steps of another
//! kind. Each ends at the point nearest to A between y and y + d, which
//! [`rounded_box`](crate::narrow::geometry::rounded_box) finds. If there are no more axes outside than free axes, o = 0 is
//! solvable, and each row is scaled to length 1 first. A nearly parallel face then has as much weight as an edge.
//!
//! The direction is o, from A to B. On a face of B it is the face's normal; on an edge of B it is o without its component
//! along the edge. Otherwise roundings of a small o would tilt it. Unsettled pairs try three more directions, which do not
//! depend on o: the normal of the face of A that p is farthest beyond, the normal of the face of B along the largest slope,
//! and the cross product of two edges. These are the edges along which both points are farthest inside.
//!
//! **An AABB and an OBB.** Axes of 0 and 1 are exact, so the routine is that of two OBBs, compiled once for both.
//!
//! Source: D. Bertsekas, "Projected Newton methods for optimization problems with simple constraints", SIAM Journal on
//! Control and Optimization 20(2), 1982. Departures: fixed numbers of steps, first without a search along the step, and the
//! scaled rows.
//!
//! Degenerate cases: boxes may be points, segments and rectangles. Boxes that overlap have o = 0 and a point in common. A y
//! of NaN becomes a corner.
//!
//! Error bound: that of [`distance::search`](crate::narrow::distance::search), for any guess.

use crate::lane::{Float, Lanes, Mask, Routine, Vec3, select};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::core::one_hot;
use crate::narrow::geometry::point_box::outside;
use crate::narrow::geometry::rounded_box::{BoxSlab, nearest};
use crate::shapes::aabb::{Aabb, WideAabb};
use crate::shapes::obb::{Obb, WideObb};

impl DistanceKernel<Aabb> for Aabb {
    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideAabb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Aabb, L::F>::new(lanes, a, b);
        let (half_a, half_b) = (pair.a.half_extents, pair.b.half_extents);
        let between = outside(lanes, pair.offset, half_a + half_b);
        let (low, high) = (pair.offset - half_b, pair.offset + half_b);
        let mut from = pair.offset;
        let mut k = 0;
        while k < 3 {
            let half = half_a.0[k];
            let common = low.0[k].max(-half) + high.0[k].min(half);
            // The middle is the facing end of A if there is a gap, because both ends are then clamped to it.
            from.0[k] = (common * lanes.splat(0.5)).max(-half).min(half);
            k += 1;
        }
        // Across a gap, the middle of the common interval is the middle of the gap.
        let to = nearest_in_box(pair.offset, half_b, from);
        pair.bounds(
            lanes,
            Guess {
                points: [from, to],
                direction: between,
            },
        )
    }
}

/// The point of a box at `center` that is nearest to `p`.
#[inline(always)]
fn nearest_in_box<F: Float>(center: Vec3<F>, half_extents: Vec3<F>, p: Vec3<F>) -> Vec3<F> {
    let ([lx, ly, lz], [hx, hy, hz]) = ((center - half_extents).0, (center + half_extents).0);
    let [x, y, z] = p.0;
    Vec3([x.max(lx).min(hx), y.max(ly).min(hy), z.max(lz).min(hz)])
}

impl DistanceKernel<Obb> for Obb {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideObb<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        lanes.call::<BoxBox>(SolidPair::new(lanes, a, b))
    }
}

/// The distance of two boxes.
pub struct BoxBox;

/// Newton steps before the first bounds.
const STEPS: usize = 4;
/// Newton steps before the second bounds, each of the best length.
const MORE_STEPS: usize = 4;
/// Damping added to the curvature, relative to it.
const DAMPING: f32 = 1e-3;

impl<L: Lanes> Routine<L> for BoxBox {
    type Argument = SolidPair<Obb, Obb, L::F>;
    type Output = DistanceBounds<L>;

    #[inline(always)]
    fn run(lanes: L, pair: Self::Argument) -> DistanceBounds<L> {
        let boxes = Boxes {
            half_a: pair.a.half_extents,
            half_b: pair.b.half_extents,
            offset: Vec3(pair.offset.along(pair.a.axes)),
            rows: [
                Vec3(pair.a.axes[0].along(pair.b.axes)),
                Vec3(pair.a.axes[1].along(pair.b.axes)),
                Vec3(pair.a.axes[2].along(pair.b.axes)),
            ],
            least: pair.size * lanes.units(16.0),
        };
        let from_b = -Vec3(pair.offset.along(pair.b.axes));
        let mut y = clamped(from_b, boxes.half_b);
        let mut k = 0;
        while k < STEPS {
            let place = boxes.place(lanes, y);
            y = boxes.step::<false, L>(lanes, y, place);
            k += 1;
        }
        let found = boxes.judged::<false, L>(lanes, pair, y);
        if (!found.settled).bits() == 0 {
            return found;
        }
        let mut k = 0;
        while k < MORE_STEPS {
            let place = boxes.place(lanes, y);
            let next = boxes.step::<true, L>(lanes, y, place);
            y = boxes.best_between(lanes, y, next);
            k += 1;
        }
        let found = pair.closer(lanes, found, boxes.judged::<true, L>(lanes, pair, y));
        pair.searched(lanes, found)
    }
}

/// Two boxes in the frame of the first.
#[derive(Clone, Copy)]
struct Boxes<F> {
    half_a: Vec3<F>,
    half_b: Vec3<F>,
    /// Center of B.
    offset: Vec3<F>,
    /// `rows[i].0[j]` is Aᵢ·Bⱼ.
    rows: [Vec3<F>; 3],
    /// Distance outside of A below which a coordinate may be a rounding.
    least: F,
}

/// A point of B in the frame of A.
#[derive(Clone, Copy)]
struct Place<F: Float> {
    /// Nearest point of A.
    on_a: Vec3<F>,
    /// Vector from the nearest point of A to the point.
    outside: Vec3<F>,
    /// `outside` along the axes of B.
    slope: Vec3<F>,
    /// The axes of B along which the point can come nearer.
    free: [F::Mask; 3],
}

impl<F: Float> Boxes<F> {
    #[inline(always)]
    fn place<L: Lanes<F = F, M = F::Mask>>(&self, lanes: L, y: Vec3<F>) -> Place<F> {
        let zero = lanes.splat(0.0);
        let p = self.offset + Vec3(y.along(self.rows));
        let on_a = clamped(p, self.half_a);
        let outside = p - on_a;
        let [o0, o1, o2] = outside.0;
        let slope = self.rows[0] * o0 + self.rows[1] * o1 + self.rows[2] * o2;
        let mut free = [zero.lt(zero); 3];
        let mut j = 0;
        while j < 3 {
            let (y, slope, half) = (y.0[j], slope.0[j], self.half_b.0[j]);
            let held = (y.le(-half) & zero.le(slope)) | (half.le(y) & slope.le(zero));
            free[j] = !held;
            j += 1;
        }
        Place {
            on_a,
            outside,
            slope,
            free,
        }
    }

    /// The rows of the axes of A along which the point is outside, without the held axes of B.
    #[inline(always)]
    fn active<L: Lanes<F = F, M = F::Mask>>(
        &self,
        _lanes: L,
        place: Place<F>,
        least: F,
    ) -> [Vec3<F>; 3] {
        let mut rows = self.rows;
        let mut i = 0;
        while i < 3 {
            let is_outside = least.lt(place.outside.0[i].abs());
            let mut j = 0;
            while j < 3 {
                rows[i].0[j] = rows[i].0[j].masked(is_outside & place.free[j]);
                j += 1;
            }
            i += 1;
        }
        rows
    }

    /// Newton's step from a point of B, clamped.
    #[inline(always)]
    fn step<const IS_BALANCED: bool, L: Lanes<F = F, M = F::Mask>>(
        &self,
        lanes: L,
        y: Vec3<F>,
        place: Place<F>,
    ) -> Vec3<F> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let mut rows = self.active(lanes, place, zero);
        let mut slope = place.slope;
        if IS_BALANCED {
            let mut spare = zero;
            let mut k = 0;
            while k < 3 {
                spare = spare + one.masked(place.free[k]);
                spare = spare - one.masked(zero.lt(place.outside.0[k].abs()));
                k += 1;
            }
            let is_balanced = zero.le(spare);
            let mut scaled = place.outside;
            let mut k = 0;
            while k < 3 {
                let length = rows[k].dot(rows[k]).max(lanes.splat(1e-24)).sqrt();
                let inverse = (one / length).select(is_balanced, one);
                rows[k] = rows[k] * inverse;
                scaled.0[k] = scaled.0[k] * inverse;
                k += 1;
            }
            let [o0, o1, o2] = scaled.0;
            slope = rows[0] * o0 + rows[1] * o1 + rows[2] * o2;
        }
        let [p, q, r] = rows;
        let ([p0, p1, p2], [q0, q1, q2], [r0, r1, r2]) = (p.0, q.0, r.0);
        let free = place.free;
        let (h00, h11, h22) = (
            p0 * p0 + q0 * q0 + r0 * r0,
            p1 * p1 + q1 * q1 + r1 * r1,
            p2 * p2 + q2 * q2 + r2 * r2,
        );
        let h01 = p0 * p1 + q0 * q1 + r0 * r1;
        let h02 = p0 * p2 + q0 * q2 + r0 * r2;
        let h12 = p1 * p2 + q1 * q2 + r1 * r2;
        let damping = (h00 + h11 + h22) * lanes.splat(DAMPING) + lanes.splat(1e-12);
        let h00 = h00 + damping.select(free[0], one);
        let h11 = h11 + damping.select(free[1], one);
        let h22 = h22 + damping.select(free[2], one);
        let g0 = slope.0[0].masked(free[0]);
        let g1 = slope.0[1].masked(free[1]);
        let g2 = slope.0[2].masked(free[2]);
        let c00 = h11 * h22 - h12 * h12;
        let c01 = h02 * h12 - h01 * h22;
        let c02 = h01 * h12 - h02 * h11;
        let c11 = h00 * h22 - h02 * h02;
        let c12 = h01 * h02 - h00 * h12;
        let c22 = h00 * h11 - h01 * h01;
        let inverse = one / (h00 * c00 + h01 * c01 + h02 * c02);
        let step = Vec3([
            (c00 * g0 + c01 * g1 + c02 * g2) * inverse,
            (c01 * g0 + c11 * g1 + c12 * g2) * inverse,
            (c02 * g0 + c12 * g1 + c22 * g2) * inverse,
        ]);
        clamped(y - step, self.half_b)
    }

    /// The point nearest to A between two points of B.
    #[inline(always)]
    fn best_between<L: Lanes<F = F, M = F::Mask>>(
        &self,
        lanes: L,
        from: Vec3<F>,
        to: Vec3<F>,
    ) -> Vec3<F> {
        let half = lanes.splat(0.5);
        let (middle, way) = ((from + to) * half, (to - from) * half);
        let p = self.offset + Vec3(middle.along(self.rows));
        let w = Vec3(way.along(self.rows));
        let (low, high) = (p + self.half_a, p - self.half_a);
        let (time, _) = nearest(
            lanes,
            [
                BoxSlab::new(lanes, low.0[0], high.0[0], w.0[0]),
                BoxSlab::new(lanes, low.0[1], high.0[1], w.0[1]),
                BoxSlab::new(lanes, low.0[2], high.0[2], w.0[2]),
            ],
        );
        // The interpolation is exact at both ends, so that bounds are held.
        let between = middle + way * time;
        clamped(select(lanes.splat(1.0).le(time), to, between), self.half_b)
    }

    /// The bounds of the pair by a point of B.
    #[inline(always)]
    fn judged<const IS_THOROUGH: bool, L: Lanes<F = F, M = F::Mask>>(
        &self,
        lanes: L,
        pair: SolidPair<Obb, Obb, F>,
        y: Vec3<F>,
    ) -> DistanceBounds<L> {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let place = self.place(lanes, y);
        let rows = self.active(lanes, place, self.least);
        let outside = place.outside;
        let [o0, o1, o2] = outside.0;
        let is_outside = [
            self.least.lt(o0.abs()),
            self.least.lt(o1.abs()),
            self.least.lt(o2.abs()),
        ];
        let [f0, f1, f2] = place.free;
        let two_outside = (is_outside[0] & is_outside[1])
            | (is_outside[1] & is_outside[2])
            | (is_outside[2] & is_outside[0]);
        // One edge of B: the direction is made normal to it, twice.
        let one_free = (f0 & !f1 & !f2) | (!f0 & f1 & !f2) | (!f0 & !f1 & f2);
        let along = Vec3([rows[0].sum(), rows[1].sum(), rows[2].sum()]);
        let squared = along.dot(along);
        let inverse = (one / squared).masked(one_free & two_outside & zero.lt(squared));
        let normal = outside - along * (outside.dot(along) * inverse);
        let normal = normal - along * (normal.dot(along) * inverse);
        let in_world = pair.a.at(normal);
        // A face of B: its normal.
        let on_face = two_outside & ((!f0 & f1 & f2) | (f0 & !f1 & f2) | (f0 & f1 & !f2));
        let [s0, s1, s2] = place.slope.0;
        let of_face = pair
            .b
            .at(Vec3([s0.masked(!f0), s1.masked(!f1), s2.masked(!f2)]));
        let mut gap = pair.gap(lanes, select(on_face, of_face, in_world));
        if IS_THOROUGH {
            let inside_a = self.half_a - place.on_a.abs();
            let inside_b = self.half_b - y.abs();
            let edge_a = one_hot(lanes, inside_a);
            let edge_b = Vec3(one_hot(lanes, inside_b).along(self.rows));
            let normal = edge_a.cross(edge_b);
            let normal = normal * one.select(zero.le(normal.dot(outside)), -one);
            let [a0, a1, a2] = one_hot(lanes, outside.abs()).0;
            let face_a = Vec3([a0 * o0, a1 * o1, a2 * o2]);
            let [b0, b1, b2] = one_hot(lanes, place.slope.abs()).0;
            let face_b = Vec3([b0 * s0, b1 * s1, b2 * s2]);
            gap = gap
                .or(pair.gap(lanes, pair.a.at(normal)), zero)
                .or(pair.gap(lanes, pair.a.at(face_a)), zero)
                .or(pair.gap(lanes, pair.b.at(face_b)), zero);
        }
        let points = [pair.a.at(place.on_a), pair.offset + pair.b.at(y)];
        pair.judged_by(lanes, points, gap.gap)
    }
}

/// A point, clamped to a box.
#[inline(always)]
fn clamped<F: Float>(p: Vec3<F>, half: Vec3<F>) -> Vec3<F> {
    let ([x, y, z], [hx, hy, hz]) = (p.0, half.0);
    Vec3([x.max(-hx).min(hx), y.max(-hy).min(hy), z.max(-hz).min(hz)])
}

impl DistanceKernel<Obb> for Aabb {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(lanes: L, a: WideAabb<L::F>, b: WideObb<L::F>) -> DistanceBounds<L> {
        let pair = SolidPair::<Aabb, Obb, L::F>::new(lanes, a, b);
        let a = pair.a.with_axes(lanes);
        lanes.call::<BoxBox>(pair.with_cores(a, pair.b))
    }
}
