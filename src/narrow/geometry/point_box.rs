//! A point and a box: their signed gap and its normal, the part of an offset outside the box, and an OBB widened for rounding.

use crate::lane::{Float, Lanes, Vec3, select, splat, unit};
use crate::math::rounding::error_of;
use crate::narrow::geometry::gap::Gap;
use crate::shapes::obb::{AXIS_ERROR, WideObb};

/// Widening of the half extents, relative to the offset from the center and, in a sweep, to the displacement, as derived in
/// `overlap::point_box` and `sweep::point_box`.
const WIDENING: f32 = AXIS_ERROR + 8.0;

/// Gap of a point that is `low` past the lowest corner of a box and `high` past the highest, along the box's axes.
///
/// Outside, the normal points to the nearest point of the box. Inside, it is the normal of the nearest face, on the
/// box's side: the first axis among equals, the upper face in the middle. The gap errs by less than 6 u of itself, and
/// by u each of `low` and `high`.
#[inline(always)]
pub fn from_point<L: Lanes>(lanes: L, low: Vec3<L::F>, high: Vec3<L::F>) -> Gap<L::F> {
    let zero = lanes.splat(0.0);
    let [lx, ly, lz] = low.0;
    let [hx, hy, hz] = high.0;
    let to_box = Vec3([
        -(hx.max(lx.min(zero))),
        -(hy.max(ly.min(zero))),
        -(hz.max(lz.min(zero))),
    ]);
    let (outward, distance) = unit(lanes, to_box, splat(lanes, [0.0; 3]));
    // Inside, `high` and `-low` are the gaps along the face normals, at most zero.
    let within = face(lanes, low, high, 0)
        .or(face(lanes, low, high, 1), zero)
        .or(face(lanes, low, high, 2), zero);
    let outside = zero.lt(distance);
    Gap {
        normal: select(outside, outward, within.normal),
        gap: distance.select(outside, within.gap),
    }
}

/// Nearer face along an axis, for a point inside.
#[inline(always)]
fn face<L: Lanes>(lanes: L, low: Vec3<L::F>, high: Vec3<L::F>, axis: usize) -> Gap<L::F> {
    let (low, high) = (-low.0[axis], high.0[axis]);
    let mut normal = [lanes.splat(0.0); 3];
    // Towards the box, opposite to the outward face normal.
    normal[axis] = lanes.splat(-1.0).select(low.le(high), lanes.splat(1.0));
    Gap {
        normal: Vec3(normal),
        gap: high.max(low),
    }
}

/// The part of a vector outside a box around the origin: zero along the axes on which the vector is inside.
#[inline(always)]
pub fn outside<L: Lanes>(lanes: L, p: Vec3<L::F>, half_extents: Vec3<L::F>) -> Vec3<L::F> {
    let zero = lanes.splat(0.0);
    let (low, high) = (p + half_extents, p - half_extents);
    let ([lx, ly, lz], [hx, hy, hz]) = (low.0, high.0);
    Vec3([
        hx.max(lx.min(zero)),
        hy.max(ly.min(zero)),
        hz.max(lz.min(zero)),
    ])
}

/// Vector along the axes of the box.
#[inline(always)]
pub fn in_frame<F: Float>(v: Vec3<F>, obb: WideObb<F>) -> Vec3<F> {
    let [x, y, z] = obb.axes;
    Vec3([v.dot(x), v.dot(y), v.dot(z)])
}

/// Half extents grown by the margin and by the rounding bound of a vector of length `size`.
#[inline(always)]
pub fn widened<L: Lanes>(lanes: L, obb: WideObb<L::F>, size: L::F, margin: L::F) -> Vec3<L::F> {
    // The same for all pairs, so computed once.
    let widened_margin = margin + error_of(lanes, margin);
    let by = widened_margin + size * lanes.units(WIDENING);
    obb.half_extents + Vec3([by; 3])
}
