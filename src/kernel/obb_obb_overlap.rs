//! Do two boxes in any orientation touch?
//!
//! Two boxes are apart exactly when one of 15 axes separates them: three face normals of each, and
//! nine cross products of their edges. An axis L separates when the projected distance of the
//! centers is more than the projected half extents: |t·L| > Σ aₖ |Aₖ·L| + Σ bₖ |Bₖ·L|.
//!
//! With R[i][j] = Aᵢ·Bⱼ and Tᵢ = t·Aᵢ, the axis of edges i and j is *defined* as
//! L = R[i₁][j] Aᵢ₂ − R[i₂][j] Aᵢ₁ (i, i₁, i₂ cyclic), and every term is evaluated along that L:
//!
//! ```text
//! |Tᵢ₂ R[i₁][j] − Tᵢ₁ R[i₂][j]| > aᵢ₁ |R[i₂][j]| + aᵢ₂ |R[i₁][j]|
//!                               + Σ(k ≠ j) bₖ |R[i₁][j] R[i₂][k] − R[i₂][j] R[i₁][k]|
//! ```
//!
//! Source: S. Gottschalk, M. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996; M. Gomez, "Simple
//! Intersection Tests for Games", Gamasutra, 18 October 1999, listing 6. Departure: they take the
//! last two terms as bₖ |R[i][k']|, true of an exact rotation only. With rounded entries and nearly
//! parallel edges the two sides then belong to different axes, and touching boxes are missed; an
//! epsilon added to |R| hides some of it and opens false gaps of up to 4 w ε / θ. The cofactors keep
//! all errors proportional to |L|: nearly parallel edges are one more direction, without an epsilon,
//! a branch or a normalisation.
//!
//! Degenerate cases: exactly parallel edges give L = 0, which never separates. Half extents of zero
//! are rectangles, segments and points.
//!
//! # Error bound
//!
//! Let η bound the error of the axes ([`AXIS_ERROR`]), S = ‖t‖₁ + ‖a‖₁ + ‖b‖₁ and, per axis,
//! ρ = |R[i₁][j]| + |R[i₂][j]| (1 for face axes). Boxes that touch satisfy |t·L| ≤ … along *any* L, so
//! only the evaluation errs. t rounds once and a dot product three times: T by 4 u ‖t‖₁, R by
//! η + 3 u. Then t·L errs by ρ 6 u ‖t‖₁; the terms of A by ρ (η + 4 u) ‖a‖₁, which includes those left
//! out as Aᵢ·L = 0; the terms of B by ρ (η + 8 u) ‖b‖₁. Together at most ρ (η + 8 u) S. Half extents
//! widened by w add ρ w on edge and A axes, and w Σᵢ |R[i][j]| ≥ w (1 − η) on B axes, so
//! w = (η + 14 u) S is enough; the excess covers the rounding of w and second-order terms.
//!
//! Entries below 2⁻³² are set to zero, which η must grow by, less than u / 100; and w has an absolute
//! part of 2⁻⁶². Without the two, products that underflow lose touching boxes: turned by 1e-30 and
//! 1e-12 long, 12 % of them. False hits have, on every axis, a gap of at most 2 w |L| √3.
//!
//! Measured at worst, over 300 000 near-contact cases: 0.51 of that.
//!
//! # Tried without gain
//!
//! On Zen 3 at 17 % hits: six face axes first and then regathering the survivors; rejecting by
//! bounding spheres first. Few groups of eight lanes agree.

use super::Contact;
use super::rounding::{FLOOR, U};
use crate::lane::{Float, Lanes, Vec3};
use crate::shapes::{AXIS_ERROR, ObbLanes};

/// Added to the half extents of A, relative to all lengths: η + 14 u.
pub const WIDENING: f32 = (AXIS_ERROR + 14.0) * U;
/// Entries of the relative rotation below this are zero: 2⁻³².
const SMALLEST_ENTRY: f32 = 1.0 / (1u64 << 32) as f32;

#[inline(always)]
pub fn test<L: Lanes>(
    lanes: L,
    a: ObbLanes<L::F>,
    b: ObbLanes<L::F>,
    margin: L::F,
) -> Contact<L::M> {
    let t = b.center - a.center;
    let [b0, b1, b2] = b.axes;
    let r = [
        row(lanes, a.axes[0], b0, b1, b2),
        row(lanes, a.axes[1], b0, b1, b2),
        row(lanes, a.axes[2], b0, b1, b2),
    ];
    let t_a = [t.dot(a.axes[0]), t.dot(a.axes[1]), t.dot(a.axes[2])];
    let t_b = [t.dot(b0), t.dot(b1), t.dot(b2)];
    let size = t.abs().sum() + (a.size + b.size) + margin;
    let widening = margin + (size * lanes.splat(WIDENING) + lanes.splat(FLOOR));
    let [ax, ay, az] = a.half_extents.0;
    let ha = [ax + widening, ay + widening, az + widening];
    Contact(no_axis_separates(t_a, t_b, ha, b.half_extents.0, r))
}

/// The 15 axes: `ta` and `tb` hold the offset of the centers along the axes of A and of B, `r` the
/// axes of B in those of A.
#[inline(always)]
pub fn no_axis_separates<F: Float>(
    ta: [F; 3],
    tb: [F; 3],
    ha: [F; 3],
    hb: [F; 3],
    r: [[F; 3]; 3],
) -> F::Mask {
    let mut touch = face_of_a(ta[0], ha[0], r[0], hb);
    touch = touch & face_of_a(ta[1], ha[1], r[1], hb);
    touch = touch & face_of_a(ta[2], ha[2], r[2], hb);
    touch = touch & face_of_b(tb[0], ha, [r[0][0], r[1][0], r[2][0]], hb[0]);
    touch = touch & face_of_b(tb[1], ha, [r[0][1], r[1][1], r[2][1]], hb[1]);
    touch = touch & face_of_b(tb[2], ha, [r[0][2], r[1][2], r[2][2]], hb[2]);
    touch = touch & edges(ta[1], ta[2], ha[1], ha[2], r[1], r[2], hb);
    touch = touch & edges(ta[2], ta[0], ha[2], ha[0], r[2], r[0], hb);
    touch & edges(ta[0], ta[1], ha[0], ha[1], r[0], r[1], hb)
}

/// One row of the relative rotation.
#[inline(always)]
fn row<L: Lanes>(
    lanes: L,
    axis: Vec3<L::F>,
    b0: Vec3<L::F>,
    b1: Vec3<L::F>,
    b2: Vec3<L::F>,
) -> [L::F; 3] {
    [
        entry(lanes, axis, b0),
        entry(lanes, axis, b1),
        entry(lanes, axis, b2),
    ]
}

#[inline(always)]
fn entry<L: Lanes>(lanes: L, a: Vec3<L::F>, b: Vec3<L::F>) -> L::F {
    without_tiny(lanes, a.dot(b))
}

/// An entry of the relative rotation, or zero if its products could underflow.
#[inline(always)]
pub fn without_tiny<L: Lanes>(lanes: L, entry: L::F) -> L::F {
    entry.keep(lanes.splat(SMALLEST_ENTRY).le(entry.abs()))
}

/// A face normal of A does not separate.
#[inline(always)]
fn face_of_a<F: Float>(t: F, ha: F, [r0, r1, r2]: [F; 3], [b0, b1, b2]: [F; 3]) -> F::Mask {
    t.abs()
        .le(ha + (b0 * r0.abs() + b1 * r1.abs() + b2 * r2.abs()))
}

/// A face normal of B does not separate.
#[inline(always)]
fn face_of_b<F: Float>(t: F, [a0, a1, a2]: [F; 3], [r0, r1, r2]: [F; 3], hb: F) -> F::Mask {
    t.abs()
        .le(hb + (a0 * r0.abs() + a1 * r1.abs() + a2 * r2.abs()))
}

/// The three axes between edge i of A and the edges of B do not separate. `1` and `2` stand for i₁
/// and i₂.
#[inline(always)]
fn edges<F: Float>(t1: F, t2: F, a1: F, a2: F, r1: [F; 3], r2: [F; 3], hb: [F; 3]) -> F::Mask {
    let minor_01 = (r1[0] * r2[1] - r2[0] * r1[1]).abs();
    let minor_02 = (r1[0] * r2[2] - r2[0] * r1[2]).abs();
    let minor_12 = (r1[1] * r2[2] - r2[1] * r1[2]).abs();
    edge(
        t1,
        t2,
        a1,
        a2,
        r1[0],
        r2[0],
        hb[1] * minor_01 + hb[2] * minor_02,
    ) & edge(
        t1,
        t2,
        a1,
        a2,
        r1[1],
        r2[1],
        hb[0] * minor_01 + hb[2] * minor_12,
    ) & edge(
        t1,
        t2,
        a1,
        a2,
        r1[2],
        r2[2],
        hb[0] * minor_02 + hb[1] * minor_12,
    )
}

#[inline(always)]
fn edge<F: Float>(t1: F, t2: F, a1: F, a2: F, r1: F, r2: F, of_b: F) -> F::Mask {
    (t2 * r1 - t1 * r2)
        .abs()
        .le(a1 * r2.abs() + a2 * r1.abs() + of_b)
}

#[cfg(test)]
mod tests {
    use crate::Obb;
    use crate::kernel::testing::{Answer::*, overlap, overlap_with_margin};

    const SQRT_HALF: f32 = core::f32::consts::FRAC_1_SQRT_2;
    /// An eighth of a turn about z.
    const EIGHTH: [f32; 4] = [0.0, 0.0, 0.382_683_43, 0.923_879_5];

    fn cube(center: [f32; 3], rotation: [f32; 4]) -> Obb {
        Obb {
            center,
            half_extents: [1.0; 3],
            rotation,
        }
    }

    const STRAIGHT: [f32; 4] = [0.0, 0.0, 0.0, 1.0];
    const UNIT: Obb = Obb {
        center: [0.0; 3],
        half_extents: [1.0; 3],
        rotation: STRAIGHT,
    };

    #[test]
    fn a_face_separates() {
        assert_eq!(overlap(UNIT, cube([2.0, 0.0, 0.0], STRAIGHT)), Hit);
        assert_eq!(overlap(UNIT, cube([2.0001, 0.0, 0.0], STRAIGHT)), Miss);
        // The corner of the turned cube reaches 1.4142 towards the other.
        assert_eq!(overlap(UNIT, cube([2.414, 0.0, 0.0], EIGHTH)), Hit);
        assert_eq!(overlap(UNIT, cube([2.415, 0.0, 0.0], EIGHTH)), Miss);
        assert_eq!(overlap(cube([2.415, 0.0, 0.0], EIGHTH), UNIT), Miss);
    }

    #[test]
    fn only_an_edge_axis_separates() {
        // Two beams, crosswise and turned onto their edges: 2 √2 apart they touch along z.
        let beam = |z, rotation| Obb {
            center: [0., 0., z],
            half_extents: [9., 1., 1.],
            rotation,
        };
        // An eighth of a turn about x; then a quarter about z.
        let along_x = [0.382_683_43, 0.0, 0.0, 0.923_879_5];
        let along_y = [0.270_598_05, 0.270_598_05, 0.653_281_5, 0.653_281_5];
        assert_eq!(overlap(beam(0., along_x), beam(2.8284, along_y)), Hit);
        assert_eq!(overlap(beam(0., along_x), beam(2.8285, along_y)), Miss);
    }

    #[test]
    fn quarter_turns_swap_the_sides() {
        let slab = |rotation| Obb {
            center: [0.0; 3],
            half_extents: [3., 1., 1.],
            rotation,
        };
        let quarter = [0.0, 0.0, SQRT_HALF, SQRT_HALF];
        let point = |x, y| Obb {
            center: [x, y, 0.],
            ..Obb::default()
        };
        assert_eq!(overlap(slab(quarter), point(0.0, 2.9)), Hit);
        assert_eq!(overlap(slab(quarter), point(2.9, 0.0)), Miss);
        assert_eq!(overlap(slab(STRAIGHT), point(2.9, 0.0)), Hit);
    }

    #[test]
    fn tiny_boxes_with_a_tiny_turn_are_not_lost() {
        let tiny = |x, turn| Obb {
            center: [x, 0., 0.],
            half_extents: [1e-12; 3],
            rotation: [turn, 0., 0., 1.],
        };
        assert_eq!(overlap(tiny(0.0, 0.0), tiny(2e-12, 1e-30)), Hit);
    }

    #[test]
    fn a_rotation_is_used_normalised() {
        let long = EIGHTH.map(|x| x * 1.0009);
        assert_eq!(overlap(UNIT, cube([2.414, 0.0, 0.0], long)), Hit);
        assert_eq!(overlap(UNIT, cube([2.415, 0.0, 0.0], long)), Miss);
    }

    #[test]
    fn a_margin_grows_the_boxes() {
        let far = cube([3.0, 0.0, 0.0], STRAIGHT);
        assert_eq!(overlap_with_margin(UNIT, far, 1.0), Hit);
        assert_eq!(overlap_with_margin(UNIT, far, 0.999), Miss);
    }

    #[test]
    fn bad_boxes_are_flagged() {
        for bad in [
            cube([0.0; 3], [0.0; 4]),
            cube([0.0; 3], [0.0, 0.0, 0.0, 1.01]),
            cube([0.0; 3], [f32::NAN, 0.0, 0.0, 1.0]),
            Obb {
                half_extents: [1.0, -1.0, 1.0],
                ..UNIT
            },
            Obb {
                center: [0.0, 0.0, f32::INFINITY],
                ..UNIT
            },
        ] {
            assert_eq!(overlap(UNIT, bad), Invalid);
            assert_eq!(overlap(bad, UNIT), Invalid);
        }
    }
}
