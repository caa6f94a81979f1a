//! OBB-OBB sweep: the swept separating axis test with fifteen slabs.
//!
//! With p the offset of the centers at the start and v the displacement of A relative to B, the offset is p − t v at
//! time t. The boxes do not rotate, so the 15 axes of `obb_obb_overlap` are constant, and each axis L is a slab. It
//! does not separate while p·L − reach ≤ t v·L ≤ p·L + reach. The boxes touch while no axis separates.
//!
//! Source: D. Eberly, "Dynamic Collision Detection Using Oriented Bounding Boxes", 1999, which computes the first time
//! of contact. Departures: the axes are those of `obb_obb_overlap`, with its cofactors; the whole interval; one
//! division for each axis.
//!
//! Degenerate cases: as there. Exactly parallel edges give a slab without bounds. Without motion along an axis its slab
//! is the whole frame or empty.
//!
//! # Error bound
//!
//! In the terms of `obb_obb_overlap`, p in place of t, with S = ‖p‖₁ + ‖v‖₁ + ‖a‖₁ + ‖b‖₁ + m in
//! w = 24 u S + 2⁻⁶². P, V and reach are the computed ones, `low` = fl(P − reach), and t is a time.
//!
//! **Never missing.** Boxes that touch at t satisfy |p·L − t v·L| ≤ Σ (aₖ + m) |Aₖ·L| + Σ bₖ |Bₖ·L| along any L, so
//! also along the computed one. The table there holds for p and the reach. v errs as p does, 4 u ‖v‖₁ along faces and 6
//! u ρ ‖v‖₁ along edges. (3) of [`slab`](crate::narrow::geometry::slab) requires 2 u |V|. As rounding is monotone, `low` errs by u |V|
//! only: P − reach ≤ y implies `low` ≤ y + u |y|, where y is t V less the spare part. Together 7 u ‖v‖₁ along faces and
//! 9 u ρ ‖v‖₁ along edges, so of 24 u the largest entry needs 20 u as before, except B̂ⱼ, where m needs 3 ε + 6 u σ <
//! 40.6 u σ. B̂ⱼ excludes t only if x = ‖p‖₁ + ‖v‖₁ ≥ σ m; then 24 u σ (x + m) suffices against 7 u x + 40.6 u σ m. 0.4
//! u m are spare, a thousand times the second order.
//!
//! **Range.** V has 8 products that may underflow, as P has; 2⁻¹²⁶ in (3) is as small beside ρ 2⁻⁶² ≥ 2⁻⁹⁴.
//! Lengths to 2⁶⁰ keep values below 2⁶⁷.
//!
//! **False hits, and gaps at claimed times**, are on every exact axis at most 70 u (‖p‖₁ + ‖v‖₁ + ‖a + m‖₁ + ‖b‖₁) +
//! 2⁻⁵⁹. By (4), and as fl(x) ≤ y implies x ≤ y + u |y| for a difference, a time t from `enter` to `exit` has |P − t V|
//! ≤ reach + 3.02 u |V| on all axes. The statements proved there for a hit then hold at t for the offset p − t v, with
//! 5.1 u S for 5 u S of roundings: 49 u along Aᵢ, 67 u along Bⱼ and 67 u along edges.
//!
//! **A hit of the overlap kernel** has |P| ≤ reach for a w that is no larger: `low` ≤ 0 ≤ `high`, by (5) `enter` = 0.
//!
//! Measured at worst, over 2 million near-contact cases: 0.60 of that.

use crate::driver::load::Separate;
use crate::driver::source::{BothMoving, Deferred, Test, TimeRange};
use crate::lane::Lanes;
use crate::narrow::geometry::sat::{
    AxisProjections, SatBoxes, WhenNoAxisSeparates, rotation, widened,
};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::obb::{Obb, WideObb};

impl Test<Sweeps, Obb> for Obb {
    type Load = Separate;

    #[inline(always)]
    fn test<L: Lanes>(
        lanes: L,
        (a, b): BothMoving<WideObb<L::F>, WideObb<L::F>, L::F>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = TimeRange<L>> {
        // Displacement of A relative to B.
        let v = a.displacement - b.displacement;
        let (a, b) = (a.start, b.start);
        let p = b.center - a.center;
        let r = rotation(lanes, a.axes, b.axes);
        let offset = AxisProjections::of(p.along(a.axes), p.along(b.axes));
        let motion = AxisProjections::of(v.along(a.axes), v.along(b.axes));
        let size = p.abs().sum() + (a.half_extents.sum() + b.half_extents.sum()) + margin;
        let boxes = SatBoxes {
            half_extents_a: widened(lanes, a.half_extents, size + v.abs().sum(), margin),
            half_extents_b: b.half_extents.0,
            r,
        };
        lanes.call::<WhenNoAxisSeparates>((boxes, AxisProjections::of_both(offset, motion)))
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::Answer::*;
    use crate::narrow::testing::{EIGHTH, REST, STRAIGHT, cube, overlap, sweep};
    use phalanx::Obb;

    const UNIT: (Obb, [f32; 3]) = (
        Obb {
            center: [0.0; 3],
            half_extents: [1.0; 3],
            rotation: STRAIGHT,
        },
        REST,
    );

    #[test]
    fn moving_box_enters_and_exits() {
        let moving = (cube([-5., 0., 0.], STRAIGHT), [10., 0., 0.]);
        assert_eq!(sweep(UNIT, moving), When(0.3, 0.7));
        assert_eq!(sweep(moving, UNIT), When(0.3, 0.7));
        // Along the diagonal of the rotated cube: 1 + √2 on either side.
        let rotated = (cube([-5., 0., 0.], EIGHTH), [10., 0., 0.]);
        assert_eq!(sweep(UNIT, rotated), When(0.258_578_6, 0.741_421_3));
        // Past it.
        let above = (cube([-5., 2.001, 0.], STRAIGHT), [10., 0., 0.]);
        assert_eq!(sweep(UNIT, above), Miss);
    }

    #[test]
    fn contacts_outside_the_frame_miss() {
        let at = |x, vx| (cube([x, 0., 0.], STRAIGHT), [vx, 0., 0.]);
        assert_eq!(sweep(UNIT, at(5., 2.)), Miss);
        assert_eq!(sweep(UNIT, at(5., -2.)), Miss);
        assert_eq!(sweep(UNIT, at(5., -3.)), When(1.0, 1.0));
        assert_eq!(sweep(UNIT, at(1., 4.)), When(0.0, 0.25));
        assert_eq!(sweep(UNIT, at(1., -1.)), When(0.0, 1.0));
    }

    #[test]
    fn faces_of_either_box_bound_times() {
        // On the diagonal, a corner of one box meets a face of the other.
        let rotated = (cube([3., 3., 0.], EIGHTH), [-3., -3., 0.]);
        let enter = 1.0 - (1.0 + std::f32::consts::SQRT_2) / 18f32.sqrt();
        assert_eq!(sweep(UNIT, rotated), When(enter, 1.0));
        assert_eq!(sweep(rotated, UNIT), When(enter, 1.0));
    }

    #[test]
    fn only_an_edge_cross_product_separates() {
        // Two crossed beams, rotated onto their edges, pass each other at 2 √2 or less.
        let beam = |z, rotation, v| {
            let shape = Obb {
                center: [0., 0., z],
                half_extents: [9., 1., 1.],
                rotation,
            };
            (shape, [0., 0., v])
        };
        let along_x = [0.382_683_43, 0.0, 0.0, 0.923_879_5];
        let along_y = [0.270_598_05, 0.270_598_05, 0.653_281_5, 0.653_281_5];
        let (still, far) = (beam(0., along_x, 0.), beam(4., along_y, -8.));
        assert_eq!(sweep(still, far), When(0.146_446_6, 0.853_553_4));
        assert_eq!(sweep(far, still), When(0.146_446_6, 0.853_553_4));
        assert_eq!(sweep(still, beam(4., along_y, -1.171)), Miss);
        assert!(sweep(still, beam(4., along_y, -1.172)).hits());
    }

    #[test]
    fn zero_motion_of_either_sign_agrees() {
        // Parallel edges, and faces that just touch, static along all axes or all except one.
        for (x, y) in [(0., 0.), (0., -0.), (-0., 0.), (-0., -0.)] {
            let (a, b) = (UNIT.0, cube([2., 0., 0.], STRAIGHT));
            assert_eq!(sweep((a, [x; 3]), (b, [y; 3])), When(0.0, 1.0), "{x} {y}");
            assert_eq!(sweep((b, [x; 3]), (a, [y; 3])), When(0.0, 1.0), "{x} {y}");
            let far = cube([2.001, 0., 0.], STRAIGHT);
            assert_eq!(sweep((a, [x; 3]), (far, [y; 3])), Miss, "{x} {y}");
            for v in [1., -1.] {
                assert_eq!(
                    sweep((a, [x, v, x]), (b, [y; 3])),
                    When(0.0, 1.0),
                    "{x} {y} {v}"
                );
                assert_eq!(sweep((a, [x, v, x]), (far, [y; 3])), Miss, "{x} {y} {v}");
            }
        }
    }

    #[test]
    fn equal_motions_have_the_static_result() {
        let motion = [7., 8., 9.];
        let (near, far) = (cube([2., 0., 0.], EIGHTH), cube([2.5, 0., 0.], EIGHTH));
        assert_eq!(sweep((UNIT.0, motion), (near, motion)), When(0.0, 1.0));
        assert_eq!(sweep((UNIT.0, motion), (far, motion)), Miss);
    }

    #[test]
    fn interval_ending_at_zero_hits() {
        // Points exactly as far apart as they are widened: the interval of a face begins, or ends, at 0. The reciprocal
        // of the displacement overflows.
        let point = |x| Obb {
            center: [x, 0., 0.],
            ..Obb::default()
        };
        let mut widest = 2f32.powi(-62);
        while overlap(point(0.), point(widest.next_up())).hits() {
            widest = widest.next_up();
        }
        for x in [widest, -widest] {
            for v in [0., -0., 1e-45, -1e-45, 1e-39, -1e-39, 1e-37, -1e-37] {
                let (a, b) = ((point(0.), [v, 0., 0.]), (point(x), [0.; 3]));
                assert!(sweep(a, b).hits(), "{x:e} {v:e}");
                assert!(sweep(b, a).hits(), "{x:e} {v:e}");
            }
        }
    }

    #[test]
    fn extreme_lengths_are_exact() {
        let most = phalanx::MAX_LENGTH;
        let block = |x: f32, v: f32, rotation| {
            let shape = Obb {
                center: [x, 0., 0.],
                half_extents: [most / 4.0; 3],
                rotation,
            };
            (shape, [v, 0., 0.])
        };
        let (a, b) = (block(-most, most, STRAIGHT), block(most, -most, STRAIGHT));
        assert_eq!(sweep(a, b), When(0.75, 1.0));
        let rotated = block(most, -most, EIGHTH);
        assert_eq!(sweep(a, rotated), When(0.698_223_3, 1.0));
        // Below the floor all points coincide.
        let tiny = |x, v, turn| {
            let shape = Obb {
                center: [x, 0., 0.],
                half_extents: [1e-40; 3],
                rotation: [turn, 0., 0., 1.],
            };
            (shape, [v, 0., 0.])
        };
        for turn in [0., 1e-30, 1e-9, 0.01] {
            let (a, b) = (tiny(0., 0., 0.), tiny(4e-40, -3e-40, turn));
            assert_eq!(sweep(a, b), When(0.0, 1.0), "{turn}");
            assert_eq!(sweep(a, tiny(1., -1., turn)), When(1.0, 1.0), "{turn}");
            assert_eq!(sweep(a, tiny(1., -0.5, turn)), Miss, "{turn}");
        }
    }

    #[test]
    fn invalid_boxes_and_displacements_are_flagged() {
        assert_eq!(sweep(UNIT, (UNIT.0, [f32::NAN, 0., 0.])), Invalid);
        assert_eq!(sweep((UNIT.0, [0., 2e18, 0.]), UNIT), Invalid);
        let bad = cube([0.; 3], [0.; 4]);
        assert_eq!(sweep(UNIT, (bad, REST)), Invalid);
        assert_eq!(sweep((bad, REST), UNIT), Invalid);
    }
}
