//! Distances: bounds from below and from above, and two points.
//!
//! A kernel guesses two points, one in each core, and a direction from A to B. The guess need not be right: both bounds
//! are computed from it in one place, [`SolidPair::judged`], and hold for any guess.
//!
//! ```text
//! below    for a unit vector n, no points of A and B are nearer than the gap along it:   Δ·n − h_A(n) − h_B(−n) − R
//! above    the distance of two points:                                                    |y − x| − R
//! ```
//!
//! Δ is the offset of the anchors, h(n) the reach of a core along n, R the sum of the radii. A guess decides only the
//! difference of the bounds. If it is too large, an exact [search](crate::narrow::geometry::simplex) in `f64` makes a better
//! guess, whose bounds are computed the same way.
//!
//! # Error bounds
//!
//! S is the sum of ‖Δ‖₁, the [sizes](Core::size) of both cores and the radii. The cores at hand differ from the exact ones by the
//! errors of axes, 8.5 u of a length, or of a triangle's frame, 64 u of its longest edge: 32 u of its size.
//!
//! - **Offset.** A difference rounds by u, so does the mean of two: 2 u ‖Δ‖₁. For AABBs each is off by another u of their half
//!   extents.
//! - **Below.** n has a length within 4 u of 1. The dot product with Δ rounds by 3 u ‖Δ‖₁. The reach of a box rounds by 8.5 u + 6 u of
//!   its size, that of a segment by 3 u, that of a triangle by 8 u + 32 u of its size. Differences and the radii round by 4 u S, and a
//!   gap along n is too large by 4 u of itself. That is at most 31 u S, and 56 u S with triangles.
//! - **Above.** Points are sums of products of their cores' axes: within 14 u of the size of the exact core, a triangle's within
//!   40 u. The offset is added to a point of B, and their difference rounds: 4 u S with the error of the offset. Its length rounds by
//!   4 u, the radii by 2 u: at most 25 u S, and 51 u S with triangles.
//! - **Overlap.** A pair that `overlap` reports may be as far apart as its band. That of two boxes is 67 u S along each normal of a
//!   face and each cross product of edges. At each corner of the difference of two boxes, its cone contains the right-angled cone of a
//!   box. So normals of faces that meet there are at most 90° apart, and the distance is at most √3 of the largest gap along them:
//!   116.1 u S. All other bands are smaller, with triangles at most 328 u S. That is taken from the lower bound as well, so that no
//!   pair has a lower bound above zero and is a hit.
//! - **Range.** Underflow is worth less than 2⁻⁶⁰ of length, as in the kernels of overlaps. Points are clamped in an order that
//!   drops NaN, which a quotient of a guess may be. A direction that is not finite has a gap of NaN, and a lower bound of zero.
//!
//! So `lower` is taken down by 150 u S, with triangles 400 u S, and `upper` up by 32 u S, with triangles 64 u S. Each constant has some
//! u of slack for the roundings of S and of these sums. Exact guesses therefore settle: 150 + 32 + 31 + 25 < 288.

use crate::lane::{Float, Lanes, MAX_LANES, Mask, Routine, Vec3, select, splat, unit};
use crate::math::dvec::DVec3;
use crate::narrow::geometry::core::{Core, Solid};
use crate::narrow::geometry::gap::Gap;
use crate::narrow::geometry::simplex::{FoundSimplex, Spans, search};
use crate::shapes::shape::Shape;

/// Kernel of the distance of `Self` and `B`: one pair per lane.
pub trait DistanceKernel<B: Shape>: Solid {
    /// Maximum number of lanes that pay.
    const LANES: usize = 8;
    /// Whether `f32` does for a pair of any sizes.
    const IS_FINE: bool = false;
    /// The band of an overlap that is in `f32` for pairs of any sizes, in 2⁻²⁴ of the size of A: of no hit is the lower bound above
    /// zero.
    const OVERLAP_BAND: f32 = 0.0;

    /// Bounds of the distance, and points as far apart as the upper bound.
    fn distance<L: Lanes>(lanes: L, a: Self::Wide<L::F>, b: B::Wide<L::F>) -> DistanceBounds<L>;
}

/// Bounds of the distance of a pair.
#[derive(Clone, Copy)]
pub struct DistanceBounds<L: Lanes> {
    pub lower: L::F,
    pub upper: L::F,
    /// A point of A and one of B, relative to the center of A.
    pub points: [Vec3<L::F>; 2],
    /// Center of B less that of A; zero if B has none.
    pub offset: Vec3<L::F>,
    /// The lanes whose bounds are close enough.
    pub settled: L::M,
}

/// Part of S that is subtracted from the lower bound, in u.
const BELOW: [f32; 2] = [150.0, 400.0];
/// Part of S that is added to the upper bound, in u.
const ABOVE: [f32; 2] = [32.0, 64.0];
/// Part of S by which the bounds of a settled pair may differ, in u.
const BAND: [f32; 2] = [288.0, 640.0];
/// Absolute part of both bounds. The bounds of a settled pair may differ by four times as much.
const FLOOR: f32 = 1.0 / (1u64 << 58) as f32;
/// Part of the upper bound by which bounds of a settled pair may differ, in u.
const RELATIVE: f32 = 256.0;

/// The constants of a pair without triangles, or with one.
#[inline(always)]
const fn of_kind([without, with]: [f32; 2], has_triangle: bool) -> f32 {
    if has_triangle { with } else { without }
}

/// The bounds, given a gap along a unit vector and the distance of two points, both less the radii.
#[inline(always)]
pub fn bounds<L: Lanes>(
    lanes: L,
    [gap, distance]: [L::F; 2],
    size: L::F,
    has_triangle: bool,
) -> [L::F; 2] {
    let zero = lanes.splat(0.0);
    let error = |kind| size * lanes.units(of_kind(kind, has_triangle)) + lanes.splat(FLOOR);
    [
        (gap - error(BELOW)).max(zero),
        distance.max(zero) + error(ABOVE),
    ]
}

/// The lanes whose bounds are close enough.
#[inline(always)]
pub fn are_settled<L: Lanes>(
    lanes: L,
    [lower, upper]: [L::F; 2],
    size: L::F,
    has_triangle: bool,
) -> L::M {
    let band = size * lanes.units(of_kind(BAND, has_triangle)) + lanes.splat(4.0 * FLOOR);
    (upper - lower).le(band + upper * lanes.units(RELATIVE))
}

/// Guess of a kernel: a point in each core and a direction from A to B, all relative to the anchor of A.
#[derive(Clone, Copy)]
pub struct Guess<F> {
    pub points: [Vec3<F>; 2],
    /// Direction from A to B, of any length.
    pub direction: Vec3<F>,
}

/// Two shapes relative to the anchor of the first.
pub struct SolidPair<A: Solid, B: Solid, F: Float> {
    pub a: A::Core<F>,
    pub b: B::Core<F>,
    /// From the anchor of A to the anchor of B.
    pub offset: Vec3<F>,
    radii: [F; 2],
    /// S.
    pub size: F,
}

impl<A: Solid, B: Solid, F: Float> Clone for SolidPair<A, B, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Solid, B: Solid, F: Float> Copy for SolidPair<A, B, F> {}

impl<A: Solid, B: Solid, F: Float> SolidPair<A, B, F> {
    const HAS_TRIANGLE: bool = A::Core::<F>::IS_TRIANGLE || B::Core::<F>::IS_TRIANGLE;

    #[inline(always)]
    pub fn new<L: Lanes<F = F, M = F::Mask>>(lanes: L, a: A::Wide<F>, b: B::Wide<F>) -> Self {
        let ([low_a, high_a], [low_b, high_b]) = (A::ends(a), B::ends(b));
        let offset = ((low_b - low_a) + (high_b - high_a)) * lanes.splat(0.5);
        let radii = [A::radius(lanes, a), B::radius(lanes, b)];
        let (a, b) = (A::core(lanes, a), B::core(lanes, b));
        SolidPair {
            a,
            b,
            offset,
            radii,
            size: (offset.abs().sum() + (a.size(lanes) + b.size(lanes))) + (radii[0] + radii[1]),
        }
    }

    /// This pair with other shapes that have equal cores.
    #[inline(always)]
    pub fn with_cores<C: Solid, D: Solid>(
        self,
        a: C::Core<F>,
        b: D::Core<F>,
    ) -> SolidPair<C, D, F> {
        let SolidPair {
            offset,
            radii,
            size,
            ..
        } = self;
        SolidPair {
            a,
            b,
            offset,
            radii,
            size,
        }
    }

    /// The bounds by a guess; in lanes where they are not close enough, by a search.
    #[inline(always)]
    pub fn bounds<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        guess: Guess<F>,
    ) -> DistanceBounds<L> {
        let bounds = self.judged(lanes, guess);
        self.searched(lanes, bounds)
    }

    /// Replaces bounds that are not close enough by a search.
    #[inline(always)]
    pub fn searched<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        bounds: DistanceBounds<L>,
    ) -> DistanceBounds<L> {
        if (!bounds.settled).bits() == 0 {
            return bounds;
        }
        lanes.call::<LaneSearch<A, B>>((self, bounds))
    }

    /// The unit vector along a direction, and the gap along it without the radii.
    #[inline(always)]
    pub fn gap<L: Lanes<F = F, M = F::Mask>>(self, lanes: L, direction: Vec3<F>) -> Gap<F> {
        let (normal, _) = unit(lanes, direction, splat(lanes, [1.0, 0.0, 0.0]));
        let reach = self.a.reach(lanes, normal) + self.b.reach(lanes, -normal);
        Gap {
            normal,
            gap: self.offset.dot(normal) - reach,
        }
    }

    /// The bounds by a guess.
    #[inline(always)]
    pub fn judged<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        guess: Guess<F>,
    ) -> DistanceBounds<L> {
        self.judged_by(lanes, guess.points, self.gap(lanes, guess.direction).gap)
    }

    /// The bounds by two points and a gap.
    #[inline(always)]
    pub fn judged_by<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        [x, y]: [Vec3<F>; 2],
        gap: F,
    ) -> DistanceBounds<L> {
        let (zero, along_x) = (lanes.splat(0.0), splat(lanes, [1.0, 0.0, 0.0]));
        let [radius_a, radius_b] = self.radii;
        let radii = radius_a + radius_b;
        let (way, length) = unit(lanes, y - x, along_x);
        let [lower, upper] = bounds(
            lanes,
            [gap - radii, length - radii],
            self.size,
            Self::HAS_TRIANGLE,
        );
        // Surfaces that cross have a common point on the segment from core to core.
        let from_a = radius_a.min(length);
        let from_b = radius_b.min((length - from_a).max(zero));
        let (center_a, center_b) = (self.a.center(lanes), self.b.center(lanes));
        DistanceBounds {
            lower,
            upper,
            points: [x + way * from_a - center_a, y - way * from_b - center_a],
            offset: self.offset + center_b - center_a,
            settled: are_settled(lanes, [lower, upper], self.size, Self::HAS_TRIANGLE),
        }
    }

    /// The closer of two bounds. Settled bounds are kept, so that no lane depends on others.
    #[inline(always)]
    pub fn closer<L: Lanes<F = F, M = F::Mask>>(
        self,
        lanes: L,
        first: DistanceBounds<L>,
        second: DistanceBounds<L>,
    ) -> DistanceBounds<L> {
        let is_lower = !first.settled & first.lower.lt(second.lower);
        let is_upper = !first.settled & second.upper.lt(first.upper);
        let lower = second.lower.select(is_lower, first.lower);
        let upper = second.upper.select(is_upper, first.upper);
        let [x, y] = first.points;
        DistanceBounds {
            lower,
            upper,
            points: [
                select(is_upper, second.points[0], x),
                select(is_upper, second.points[1], y),
            ],
            offset: first.offset,
            settled: are_settled(lanes, [lower, upper], self.size, Self::HAS_TRIANGLE),
        }
    }
}

/// Searches the lanes that are not settled, one after the other. Rare, so it is not inlined.
struct LaneSearch<A, B>(core::marker::PhantomData<(A, B)>);

impl<L: Lanes, A: Solid, B: Solid> Routine<L> for LaneSearch<A, B> {
    type Argument = (SolidPair<A, B, L::F>, DistanceBounds<L>);
    type Output = DistanceBounds<L>;

    #[inline(always)]
    fn run(lanes: L, (pair, found): Self::Argument) -> DistanceBounds<L> {
        let [ax, ay, az] = pair.a.spans(lanes);
        let [bx, by, bz] = pair.b.spans(lanes);
        let [x, y] = found.points;
        let inputs = [ax, ay, az, bx, by, bz, pair.offset, y - x];
        let mut numbers = [[[0.0; MAX_LANES]; 3]; 10];
        let mut k = 0;
        while k < inputs.len() {
            let mut axis = 0;
            while axis < 3 {
                lanes.store_exactly(inputs[k].0[axis], &mut numbers[k][axis]);
                axis += 1;
            }
            k += 1;
        }
        let is_triangle = [
            <A::Core<L::F> as Core<L::F>>::IS_TRIANGLE,
            <B::Core<L::F> as Core<L::F>>::IS_TRIANGLE,
        ];
        search_lanes((!found.settled).bits(), is_triangle, &mut numbers);
        let mut guess = [x; 3];
        let mut k = 0;
        while k < 3 {
            let mut axis = 0;
            while axis < 3 {
                guess[k].0[axis] = lanes.load_nearest(&numbers[7 + k][axis]);
                axis += 1;
            }
            k += 1;
        }
        let [x, y, direction] = guess;
        let points = [x, y];
        let searched = pair.judged(lanes, Guess { points, direction });
        pair.closer(lanes, found, searched)
    }
}

/// Vectors of all lanes: three that span A, three that span B, the offset, and a guess of the vector between the nearest
/// points. The last three are replaced by two points and a direction.
type LaneVectors = [[[f64; MAX_LANES]; 3]; 10];

/// Searches the given lanes.
#[cold]
fn search_lanes(mut which: u64, is_triangle: [bool; 2], numbers: &mut LaneVectors) {
    while which != 0 {
        let lane = which.trailing_zeros() as usize % MAX_LANES;
        which &= which - 1;
        let vector = |k: usize| DVec3(numbers[k].map(|axis| axis[lane]));
        let a = Spans::new([vector(0), vector(1), vector(2)], is_triangle[0]);
        let b = Spans::new([vector(3), vector(4), vector(5)], is_triangle[1]);
        let FoundSimplex { points, direction } = search(&a, &b, vector(6), vector(7));
        for (k, vector) in points.into_iter().chain([direction]).enumerate() {
            for axis in 0..3 {
                numbers[7 + k][axis][lane] = vector[axis];
            }
        }
    }
}
