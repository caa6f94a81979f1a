//! Searches points by their distance from points. A leaf of a tree of points holds the points themselves, so their distances are
//! found where they lie: there is no list of pairs.
//!
//! A point at rest is its own bounds (`shapes/bounds.rs`). So sort keys are squared distances of points, or of a point from a box of
//! points, rounded: within 2⁻²¹ of themselves. `lower` and `upper` of two points are within 2⁻¹³ of their distance D, and 2⁻⁵⁶
//! (`narrow/distance/search.rs`, with S at most 1.74 D). So a node with a key above `best`² (1 + 2⁻⁹) + 2⁻⁸⁸ has no `lower` up to
//! `best`: below 2⁻⁴⁴, keys are below the last term, and above, 2⁻⁵⁶ is less than 2⁻¹² of the distance.
//!
//! In the same way the least key k of a leaf implies a limit: `upper` of that point is at most √k (1 + 2⁻¹³) + 2⁻⁵⁶, so its limit is at most
//! (k + 2⁻⁸⁸) (1 + 2⁻⁷). Bounds of points are never clamped, as no valid coordinate is above the limit.

use crate::broad::row::Row;
use crate::broad::search::by_distance::{ByDistance, FARTHER, TINY, nearest_limit};
use crate::broad::search::scope::{Approach, Scope, WAYS};
use crate::broad::search::way::Way;
use crate::lane::{Float, Lanes, Vec3};
use crate::narrow::distance::search::DistanceKernel;
use crate::shapes::sphere::{Sphere, WideSphere};
use crate::store::tree::Block;

/// By the squared distance of points.
pub struct ByPoint;

impl Approach for ByPoint {
    const HAS_SHAPES: bool = true;

    /// Points: `lead` is the position.
    #[inline(always)]
    fn make_ways<D: Lanes>(
        lanes: D,
        shapes: &[(&Row, [f32; 3]); WAYS],
        scope: &Scope,
        ways: &mut [Option<Way>],
    ) {
        ByDistance::make_ways(lanes, shapes, scope, ways);
    }

    #[inline(always)]
    fn test<L: Lanes>(lanes: L, way: &Way, block: &Block, at: usize, limit: L::F) -> (L::M, L::F) {
        let zero = lanes.splat(0.0);
        let (mut squared, mut k) = (zero, 0);
        while k < 3 {
            let position = lanes.splat(way.lead[k]);
            let above = lanes.load(&block[k][at..]) - position;
            let below = lanes.load(&block[3 + k][at..]) + position;
            let gap = above.max(below).max(zero);
            squared = squared + gap * gap;
            k += 1;
        }
        (squared.le(limit), squared)
    }

    #[inline(always)]
    fn test_leaf<L: Lanes>(
        lanes: L,
        way: &Way,
        block: &Block,
        at: usize,
        limit: L::F,
    ) -> (L::M, L::F) {
        let (mut squared, mut k) = (lanes.splat(0.0), 0);
        while k < 3 {
            let gap = lanes.load(&block[k][at..]) - lanes.splat(way.lead[k]);
            squared = squared + gap * gap;
            k += 1;
        }
        (squared.le(limit), squared)
    }

    #[inline(always)]
    fn limit(best: f32, _way: &Way) -> f32 {
        best * best * FARTHER + TINY
    }

    /// By the nearest of the points.
    #[inline(always)]
    fn implied_limit<L: Lanes>(lanes: L, _way: &Way, _block: &Block, keys: &[f32; 8]) -> f32 {
        nearest_limit(keys[lanes.least8(keys)])
    }

    #[inline(always)]
    fn distances<L: Lanes>(lanes: L, a: [&[f32; 8]; 3], b: [&[f32; 8]; 3]) -> [[f32; 8]; 2] {
        let (mut bounds, mut at) = ([[0.0; 8]; 2], 0);
        while at < 8 {
            let point = |columns: [&[f32; 8]; 3]| WideSphere {
                center: Vec3(columns.map(|column| lanes.load(&column[at..]))),
                radius: lanes.splat(0.0),
            };
            let found = <Sphere as DistanceKernel<Sphere>>::distance(lanes, point(a), point(b));
            lanes.store(found.lower, &mut bounds[0][at..]);
            lanes.store(found.upper, &mut bounds[1][at..]);
            at += L::COUNT;
        }
        bounds
    }
}
