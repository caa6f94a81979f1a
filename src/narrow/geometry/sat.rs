//! The fifteen separating axes of two boxes, and the projected half extents along each.
//!
//! Shared by the kernels of static and of moving boxes. `obb_obb_overlap` holds the formulas, their
//! source and their error bound.

use crate::driver::source::TimeRange;
use crate::lane::{Float, Lanes, Routine, Vec3};
use crate::math::rounding::FLOOR;
use crate::narrow::geometry::slab;
use crate::shapes::obb::AXIS_ERROR;

/// Relative widening of A's half extents: 24 u of the sum of all lengths.
const WIDENING: f32 = AXIS_ERROR + 14.0;
/// Entries of the relative rotation below this threshold become zero, in u: 2⁻³² in `f32`.
const SMALLEST_ENTRY: f32 = 1.0 / 256.0;

/// Two boxes without their centers. A is grown by the margin and the widening.
#[derive(Clone, Copy)]
pub struct SatBoxes<F> {
    pub half_extents_a: [F; 3],
    pub half_extents_b: [F; 3],
    /// Axes of B in the frame of A, without tiny entries: `r[i][j]` is Aᵢ·Bⱼ.
    pub r: [[F; 3]; 3],
}

/// `N` vectors, given along the axes of A and along the axes of B.
#[derive(Clone, Copy)]
pub struct AxisProjections<F, const N: usize> {
    pub a: [[F; N]; 3],
    pub b: [[F; N]; 3],
}

impl<F: Float> AxisProjections<F, 1> {
    /// One vector.
    #[inline(always)]
    pub fn of([a0, a1, a2]: [F; 3], [b0, b1, b2]: [F; 3]) -> Self {
        AxisProjections {
            a: [[a0], [a1], [a2]],
            b: [[b0], [b1], [b2]],
        }
    }
}

impl<F: Float> AxisProjections<F, 2> {
    /// Two vectors.
    #[inline(always)]
    pub fn of_both(first: AxisProjections<F, 1>, second: AxisProjections<F, 1>) -> Self {
        let ([[a0], [a1], [a2]], [[b0], [b1], [b2]]) = (first.a, first.b);
        let ([[c0], [c1], [c2]], [[d0], [d1], [d2]]) = (second.a, second.b);
        AxisProjections {
            a: [[a0, c0], [a1, c1], [a2, c2]],
            b: [[b0, d0], [b1, d1], [b2, d2]],
        }
    }
}

/// Relative rotation of two OBBs, from their axes.
#[inline(always)]
pub fn rotation<L: Lanes>(
    lanes: L,
    [a0, a1, a2]: [Vec3<L::F>; 3],
    b: [Vec3<L::F>; 3],
) -> [[L::F; 3]; 3] {
    let smallest = lanes.units(SMALLEST_ENTRY);
    [
        without_tiny(a0.along(b), smallest),
        without_tiny(a1.along(b), smallest),
        without_tiny(a2.along(b), smallest),
    ]
}

/// Rotation of an OBB relative to the world, from its axes.
#[inline(always)]
pub fn rotation_from_world<L: Lanes>(lanes: L, [b0, b1, b2]: [Vec3<L::F>; 3]) -> [[L::F; 3]; 3] {
    let ([x0, y0, z0], [x1, y1, z1], [x2, y2, z2]) = (b0.0, b1.0, b2.0);
    let smallest = lanes.units(SMALLEST_ENTRY);
    [
        without_tiny([x0, x1, x2], smallest),
        without_tiny([y0, y1, y2], smallest),
        without_tiny([z0, z1, z2], smallest),
    ]
}

/// Sets entries below a threshold to zero, because their products could underflow.
#[inline(always)]
pub fn without_tiny<F: Float>([x, y, z]: [F; 3], smallest: F) -> [F; 3] {
    [
        x.masked(smallest.le(x.abs())),
        y.masked(smallest.le(y.abs())),
        z.masked(smallest.le(z.abs())),
    ]
}

/// Half extents grown by the margin and by the rounding bound. `size` is the sum of all lengths.
#[inline(always)]
pub fn widened<L: Lanes>(
    lanes: L,
    half_extents: Vec3<L::F>,
    size: L::F,
    margin: L::F,
) -> [L::F; 3] {
    let widening = margin + (size * lanes.units(WIDENING) + lanes.splat(FLOOR));
    let [x, y, z] = half_extents.0;
    [x + widening, y + widening, z + widening]
}

/// Separating axis test of boxes whose centers differ by `offset`: mask of the lanes without a separating
/// axis.
#[inline(always)]
pub fn no_axis_separates<F: Float>(boxes: SatBoxes<F>, offset: AxisProjections<F, 1>) -> F::Mask {
    let OverlapMask(touch) = fold(OverlapMask(None), boxes, offset);
    touch.expect("there are axes")
}

/// Time interval without a separating axis. The first vector is the offset at the start; the second is
/// its decrease over the frame.
pub struct WhenNoAxisSeparates;

impl<L: Lanes> Routine<L> for WhenNoAxisSeparates {
    type Argument = (SatBoxes<L::F>, AxisProjections<L::F, 2>);
    type Output = TimeRange<L>;

    #[inline(always)]
    fn run(lanes: L, (boxes, vectors): Self::Argument) -> TimeRange<L> {
        when_no_axis_separates(lanes, boxes, vectors)
    }
}

#[inline(always)]
fn when_no_axis_separates<L: Lanes>(
    lanes: L,
    boxes: SatBoxes<L::F>,
    vectors: AxisProjections<L::F, 2>,
) -> TimeRange<L> {
    fold(OverlapTimes::new(lanes), boxes, vectors).range()
}

/// Accumulator over the axes.
pub trait AxisFold<F, const N: usize> {
    /// Adds an axis, given `N` vectors along it and the sum of both projected half extents.
    fn and(self, along: [F; N], radius_sum: F) -> Self;
}

/// Mask of the lanes without a separating axis.
pub struct OverlapMask<F: Float>(pub Option<F::Mask>);

impl<F: Float> AxisFold<F, 1> for OverlapMask<F> {
    #[inline(always)]
    fn and(self, [offset]: [F; 1], radius_sum: F) -> Self {
        let touch = offset.abs().le(radius_sum);
        OverlapMask(Some(match self.0 {
            Some(others) => others & touch,
            None => touch,
        }))
    }
}

/// Time interval without a separating axis.
pub struct OverlapTimes<L: Lanes> {
    lanes: L,
    frame: (L::F, L::F),
}

impl<L: Lanes> OverlapTimes<L> {
    /// The whole frame.
    #[inline(always)]
    pub fn new(lanes: L) -> Self {
        OverlapTimes {
            lanes,
            frame: (lanes.splat(0.0), lanes.splat(1.0)),
        }
    }

    /// The remaining time interval.
    #[inline(always)]
    pub fn range(self) -> TimeRange<L> {
        let (enter, exit) = self.frame;
        TimeRange {
            hit: enter.le(exit),
            enter,
            exit,
        }
    }
}

impl<L: Lanes> AxisFold<L::F, 2> for OverlapTimes<L> {
    #[inline(always)]
    fn and(self, [offset, v]: [L::F; 2], radius_sum: L::F) -> Self {
        let (low, high) = (offset - radius_sum, offset + radius_sum);
        OverlapTimes {
            frame: slab::times_by_reciprocal(self.lanes, low, high, v, self.frame),
            ..self
        }
    }
}

/// Folds over all fifteen axes.
#[inline(always)]
fn fold<F: Float, const N: usize, T: AxisFold<F, N>>(
    start: T,
    boxes: SatBoxes<F>,
    AxisProjections { a, b }: AxisProjections<F, N>,
) -> T {
    let SatBoxes {
        half_extents_a: ha,
        half_extents_b: hb,
        r,
    } = boxes;
    let faces = start
        .and(a[0], on_face_of_a(ha[0], r[0], hb))
        .and(a[1], on_face_of_a(ha[1], r[1], hb))
        .and(a[2], on_face_of_a(ha[2], r[2], hb))
        .and(b[0], on_face_of_b(ha, [r[0][0], r[1][0], r[2][0]], hb[0]))
        .and(b[1], on_face_of_b(ha, [r[0][1], r[1][1], r[2][1]], hb[1]))
        .and(b[2], on_face_of_b(ha, [r[0][2], r[1][2], r[2][2]], hb[2]));
    let all = edges(faces, [a[1], a[2]], [ha[1], ha[2]], [r[1], r[2]], hb);
    let all = edges(all, [a[2], a[0]], [ha[2], ha[0]], [r[2], r[0]], hb);
    edges(all, [a[0], a[1]], [ha[0], ha[1]], [r[0], r[1]], hb)
}

/// Sum of projected half extents along a face normal of A.
#[inline(always)]
fn on_face_of_a<F: Float>(ha: F, [r0, r1, r2]: [F; 3], [b0, b1, b2]: [F; 3]) -> F {
    ha + (b0 * r0.abs() + b1 * r1.abs() + b2 * r2.abs())
}

/// Sum of projected half extents along a face normal of B.
#[inline(always)]
fn on_face_of_b<F: Float>([a0, a1, a2]: [F; 3], [r0, r1, r2]: [F; 3], hb: F) -> F {
    hb + (a0 * r0.abs() + a1 * r1.abs() + a2 * r2.abs())
}

/// The three cross products of edge i of A with the edges of B. `1` and `2` stand for i₁ and i₂.
#[inline(always)]
fn edges<F: Float, const N: usize, T: AxisFold<F, N>>(
    so_far: T,
    vectors: [[F; N]; 2],
    ha: [F; 2],
    [r1, r2]: [[F; 3]; 2],
    hb: [F; 3],
) -> T {
    let minor_01 = (r1[0] * r2[1] - r2[0] * r1[1]).abs();
    let minor_02 = (r1[0] * r2[2] - r2[0] * r1[2]).abs();
    let minor_12 = (r1[1] * r2[2] - r2[1] * r1[2]).abs();
    let of_b = [
        hb[1] * minor_01 + hb[2] * minor_02,
        hb[0] * minor_01 + hb[2] * minor_12,
        hb[0] * minor_02 + hb[1] * minor_12,
    ];
    let so_far = edge(so_far, vectors, ha, [r1[0], r2[0]], of_b[0]);
    let so_far = edge(so_far, vectors, ha, [r1[1], r2[1]], of_b[1]);
    edge(so_far, vectors, ha, [r1[2], r2[2]], of_b[2])
}

#[inline(always)]
fn edge<F: Float, const N: usize, T: AxisFold<F, N>>(
    so_far: T,
    [t1, t2]: [[F; N]; 2],
    [a1, a2]: [F; 2],
    [r1, r2]: [F; 2],
    of_b: F,
) -> T {
    let mut along = t1;
    let mut k = 0;
    while k < N {
        along[k] = t2[k] * r1 - t1[k] * r2;
        k += 1;
    }
    so_far.and(along, a1 * r2.abs() + a2 * r1.abs() + of_b)
}
