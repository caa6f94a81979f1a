//! Hand-written code without a library: a scalar test, for a loop over an array of structs.

use phalanx::{Aabb, Obb, Sphere};

use crate::convert;

/// No contact.
const MISS: f32 = f32::INFINITY;

fn sub(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether two spheres touch.
#[inline(always)]
pub fn sphere_overlap(a: &Sphere, b: &Sphere) -> bool {
    let offset = sub(b.center, a.center);
    let reach = a.radius + b.radius;
    dot(offset, offset) <= reach * reach
}

/// A shape that moves during the frame.
pub struct Moving<T> {
    pub shape: T,
    pub displacement: [f32; 3],
}

/// Time of impact of two moving spheres, by the textbook's quadratic equation.
#[inline(always)]
pub fn sphere_sweep(a: &Moving<Sphere>, b: &Moving<Sphere>) -> f32 {
    let offset = sub(b.shape.center, a.shape.center);
    let motion = sub(b.displacement, a.displacement);
    let reach = a.shape.radius + b.shape.radius;
    let gap = dot(offset, offset) - reach * reach;
    if gap <= 0.0 {
        return 0.0;
    }
    let approach = dot(offset, motion);
    if approach >= 0.0 {
        return MISS;
    }
    let speed = dot(motion, motion);
    let discriminant = approach * approach - speed * gap;
    if discriminant < 0.0 {
        return MISS;
    }
    let time = (-approach - discriminant.sqrt()) / speed;
    if time <= 1.0 { time } else { MISS }
}

/// Whether two AABBs overlap. All axes are compared, because an early exit costs more.
#[inline(always)]
pub fn aabb_overlap(a: &Aabb, b: &Aabb) -> bool {
    let meet = |k: usize| (a.min[k] <= b.max[k]) & (b.min[k] <= a.max[k]);
    meet(0) & meet(1) & meet(2)
}

/// Time interval in which two moving AABBs overlap: slabs, without a branch.
#[inline(always)]
pub fn aabb_sweep(a: &Moving<Aabb>, b: &Moving<Aabb>) -> [f32; 2] {
    let (mut enter, mut exit) = (0.0f32, 1.0f32);
    for k in 0..3 {
        let inverse = 1.0 / (b.displacement[k] - a.displacement[k]);
        let t0 = (a.shape.min[k] - b.shape.max[k]) * inverse;
        let t1 = (a.shape.max[k] - b.shape.min[k]) * inverse;
        enter = enter.max(t0.min(t1));
        exit = exit.min(t0.max(t1));
    }
    if enter <= exit {
        [enter, exit]
    } else {
        [MISS; 2]
    }
}

/// A box with precomputed axes.
pub struct Oriented {
    center: [f32; 3],
    half_extents: [f32; 3],
    axes: [[f32; 3]; 3],
}

impl From<Obb> for Oriented {
    fn from(obb: Obb) -> Self {
        Oriented {
            center: obb.center,
            half_extents: obb.half_extents,
            axes: convert::axes(obb.rotation).map(|axis| axis.to_array()),
        }
    }
}

/// Whether two OBBs overlap: the fifteen axes of S. Gottschalk, "OBBTree" (1996), the likeliest separating axes first,
/// with the usual epsilon for nearly parallel edges.
#[inline(always)]
pub fn obb_overlap(a: &Oriented, b: &Oriented) -> bool {
    const EPSILON: f32 = 1e-6;
    let (ea, eb) = (a.half_extents, b.half_extents);
    let offset = sub(b.center, a.center);
    let t = a.axes.map(|axis| dot(offset, axis));
    // Axes of b in the frame of a.
    let r = a.axes.map(|axis| b.axes.map(|other| dot(axis, other)));
    let s = r.map(|row| row.map(|x| x.abs() + EPSILON));

    for i in 0..3 {
        if t[i].abs() > ea[i] + dot(eb, s[i]) {
            return false;
        }
    }
    for j in 0..3 {
        let distance = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        let reach = ea[0] * s[0][j] + ea[1] * s[1][j] + ea[2] * s[2][j] + eb[j];
        if distance.abs() > reach {
            return false;
        }
    }
    // Written out, because compilers do not unroll loops with early exits.
    macro_rules! is_parted_by_edges {
        ($i1:literal $i2:literal, $j:literal: $j1:literal $j2:literal) => {{
            const I: usize = 3 - $i1 - $i2;
            let distance = t[$i2] * r[$i1][$j] - t[$i1] * r[$i2][$j];
            let reach = ea[$i1] * s[$i2][$j]
                + ea[$i2] * s[$i1][$j]
                + eb[$j1] * s[I][$j2]
                + eb[$j2] * s[I][$j1];
            distance.abs() > reach
        }};
        ($i1:literal $i2:literal) => {
            is_parted_by_edges!($i1 $i2, 0: 1 2)
                || is_parted_by_edges!($i1 $i2, 1: 2 0)
                || is_parted_by_edges!($i1 $i2, 2: 0 1)
        };
    }
    !(is_parted_by_edges!(1 2) || is_parted_by_edges!(2 0) || is_parted_by_edges!(0 1))
}
