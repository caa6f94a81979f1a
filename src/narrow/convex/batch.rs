//! Convex hulls, several pairs at once: one pair per lane, in `f32`.
//!
//! Most pairs are decided here, with bounds that are a little wider than those of [`gjk`](crate::narrow::convex::gjk). It searches the others, one at a
//! time in `f64`, and finishes the times of sweeps.
//!
//! The search is that of [`simplex`](crate::narrow::geometry::simplex): the nearest point of a simplex is the nearest of the points of all its faces. Here a
//! simplex always has three corners. Some of them may be equal. A lane ends by itself, so its results do not depend on the other lanes.
//!
//! A sweep is one search, in which time goes on: where a direction shows a gap, the shapes are moved to the time at which
//! that gap is closed, and the simplex with them.
//!
//! # Error bounds
//!
//! S is that of [`gjk`](crate::narrow::convex::gjk). All norms are sums of absolute values, unless stated otherwise. σ is the size of a core.
//!
//! - **Corners.** Axes, the offset and motions are rounded to `f32`, by u each, and so are the coordinates of boxes and triangles. A point is three products of an
//!   axis and a coordinate: 5.1 u σ. With both points, the offset at a time and two sums, a corner w of the difference is off by less than 10 u S.
//! - **Gap.** A direction d is turned into the frame of a hull: 4.1 u of the sums of absolute products. The values of points round by 4.1 u more, so
//!   the point found is at most 16.6 u σ |d| below the farthest one. With the error of w and of the product w·d, it is at most
//!   30 u S |d| above the gap. 40 u S is taken from each w·d / |d|, which covers the root, the division, the radii, and in sweeps the rounding of the time.
//! - **Distance.** A point p of the difference is a sum of corners with shares from 0 on, which add up to 1 within 4 u. Its corners are off by 10 u S, and it
//!   rounds by 4 u S. 28 u S is added to its length, which covers the root and the radii.
//! - **Contact.** The origin is inside a tetrahedron if the determinants of the corners of its four faces have signs that agree. With R the largest length
//!   of a corner, the errors of corners change a determinant by 30 u S R² at most, and it rounds by 8 u R³. R ≤ S, so larger than 40 u S R², the signs are right.
//!   In sweeps corners are moved with the shapes, and such a contact counts only at the start.
//! - **Sphere inside.** A sphere of radius r around the center of a core is inside it. So the difference contains a sphere of radius r around the offset Δ, with r
//!   the sum of both, and one of radius t r around (1 − t) p + t Δ, for any point p of it and any t from 0 to 1. The computed center of that sphere is off by 14 u S
//!   for p, u S for Δ, u S for the center of a box or triangle and 6 u S for its own rounding; radii, the margin, t r and both squares round by 12 u S.
//!   So shapes touch if the center is nearer to the origin than the radius and the sum of the radii of the shapes, less 40 u S.
//! - **Discs.** A point of a cylinder or a cone is inside its disc for certain, so corners and contacts are right as they are. It is at most 15 u r short of the
//!   rim, and 2 r ≤ σ. The other disc may be farther along d, by 6 u σ |d|. Both are 14 u σ |d|, where values of points take 8.2 u: a gap stays within 36 u S.
//! - **Underflow.** S is from 2⁻²⁰ to 2²⁰, so what is lost below 2⁻¹²⁶ is less than 2⁻⁶⁰ u S³. A direction shorter than 2⁻⁵⁰ shows no gap: its
//!   square would underflow.
//! - **Cutoffs.** The lower bound of a distance only grows from step to step. A search of a store gives each pair a cutoff: once the
//!   bound is above it, the search ends. Further steps would only make it larger. Where `f64` goes on, the larger bound counts
//!   ([`distance`](crate::narrow::convex::stages::distance)).
//! - **Points of shapes that touch.** The signs of the determinants are certain, their ratios are not: the points of thin shapes may differ by more than
//!   the band. Then the pair is left to `f64`.

use core::cell::Cell;
use core::marker::PhantomData;

use crate::lane::{Float, Lanes, MAX_LANES, Mask, Routine, U, Vec3, select, splat};
use crate::narrow::convex::lane_simplex::{LaneCorner, LaneNearest, LaneSimplex, same};
use crate::narrow::convex::side::{CoreKind, Side};
use crate::narrow::convex::support::{Column, axes_of, farthest, load, turned};

/// Purpose of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Whether the shapes touch.
    Verdict,
    /// The nearest points.
    Distance,
    /// The time at which the shapes touch first.
    Enter,
    /// The time at which the shapes touch last, from the end of the frame backwards.
    Exit,
}

/// Pairs to search.
pub struct Batch<'k> {
    /// Number of pairs.
    pub len: usize,
    /// Both shapes of each pair.
    pub sides: [Side<'k>; 2],
    /// Added to the radii.
    pub margin: f32,
    /// Motion of B relative to A.
    pub motion: [Column; 3],
    /// Times at which searches begin; 0 or 1 if the shapes may touch there.
    pub start: Column,
    /// If the first corner leaves at most this many pairs open, the search of verdicts ends there.
    pub few: u32,
    /// The search of a distance ends once its lower bound is above this.
    pub cutoffs: Column,
}

/// Verdict of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// The search has to be done in `f64`, from its beginning.
    #[default]
    Unknown,
    /// For certain they touch, or touch at the start of the sweep.
    Touch,
    /// For certain they do not touch.
    Apart,
    /// They are near to contact, in sweeps at `time`.
    Near,
    /// The first corner leaves them open, and others are better searched with them.
    Open,
}

/// Result of a search of one pair.
#[derive(Clone, Copy, Default)]
pub struct BatchResult {
    pub verdict: Verdict,
    /// They do not touch before it, or after it.
    pub time: f32,
    /// The indices of the points of A and of B of the corners of a simplex, and how many have a share.
    pub ids: [[u8; 2]; 3],
    pub count: usize,
    /// The way from A to B of shapes without corners, in place of a simplex, and whether they are near for certain.
    pub way: Option<([f32; 3], bool)>,
}

/// BatchDistances of all pairs.
pub struct BatchDistances {
    /// Bits of the pairs whose bounds are close enough.
    pub settled: u64,
    /// Bits of the pairs whose lower bound is above their cutoff.
    pub far: u64,
    /// 0 unless a larger number is certain.
    pub lower: Column,
    pub upper: Column,
    /// The nearest points, relative to the origin of one shape.
    pub points: [[Column; 3]; 2],
}

impl BatchDistances {
    /// No pair is settled.
    const NONE: Self = BatchDistances {
        settled: 0,
        far: 0,
        lower: [0.0; MAX_LANES],
        upper: [0.0; MAX_LANES],
        points: [[[0.0; MAX_LANES]; 3]; 2],
    };
}

/// Largest error of a gap and of a distance, in u of S, and of a determinant, in u of S R².
const GAP: f32 = 40.0 * U;
const DISTANCE: f32 = 28.0 * U;
const DETERMINANT: f32 = 40.0 * U;
/// Width of settled bounds: less than that of the contract. Its S has the half extents of a hull in its own frame and the exact mean of an AABB, and
/// can be half of this one.
const SETTLED: f32 = 140.0 * U;
const SETTLED_PART: f32 = 1.0 / 70_000.0;
/// Bounds that are as close as this, in u of S or relative to the distance, end a search.
const CLOSE: f32 = 8.0 * U;
/// A gap has to be this large, in u of S, to be worth a step in time; points of shapes that touch may be as far apart.
const ROOM: f32 = 16.0 * U;
/// Least square of a direction's length: with a shorter one, products would underflow.
const LEAST_SQUARE: f32 = 1.0 / (1u128 << 100) as f32;
const CLOSE_PART: f32 = 1.0 / (1 << 20) as f32;
/// Range of S.
const SIZES: [f32; 2] = [1.0 / (1 << 20) as f32, (1 << 20) as f32];
/// Maximum number of steps.
const STEPS: usize = 32;

impl<'k> Batch<'k> {
    pub fn new(margin: f32) -> Self {
        Batch {
            len: 0,
            sides: [Side::new(), Side::new()],
            margin,
            motion: [[0.0; MAX_LANES]; 3],
            start: [0.0; MAX_LANES],
            few: 0,
            cutoffs: [f32::INFINITY; MAX_LANES],
        }
    }

    /// Searches the pairs: a verdict, or the first or last time. Pairs with surfaces stay unknown.
    #[inline(always)]
    pub fn search<L: Lanes>(&self, lanes: L, purpose: Purpose) -> [BatchResult; MAX_LANES] {
        if self.sides[1].kind == CoreKind::Surface {
            return [BatchResult::default(); MAX_LANES];
        }
        lanes.call::<Verdicts<'_, 'k>>((self, purpose))
    }

    /// Finds the distances of all pairs, with points relative to the origin of A, or of B if `swapped`. Pairs with surfaces stay
    /// unsettled.
    #[inline(always)]
    pub fn distances<L: Lanes>(&self, lanes: L, swapped: bool) -> BatchDistances {
        if self.sides[1].kind == CoreKind::Surface {
            return BatchDistances::NONE;
        }
        lanes.call::<FindBatchDistances<'_, 'k>>((self, swapped))
    }
}

/// Verdicts or times of a batch, compiled once for each instruction set.
struct Verdicts<'b, 'k>(PhantomData<&'b Batch<'k>>);

impl<'b, 'k, L: Lanes> Routine<L> for Verdicts<'b, 'k> {
    type Argument = (&'b Batch<'k>, Purpose);
    type Output = [BatchResult; MAX_LANES];

    #[inline(always)]
    fn run(lanes: L, (batch, purpose): Self::Argument) -> Self::Output {
        let search = SearchInputs::new(lanes, batch, purpose);
        let end = search.run(purpose);
        search.verdicts(&end)
    }
}

/// BatchDistances of a batch, compiled once for each instruction set.
struct FindBatchDistances<'b, 'k>(PhantomData<&'b Batch<'k>>);

impl<'b, 'k, L: Lanes> Routine<L> for FindBatchDistances<'b, 'k> {
    type Argument = (&'b Batch<'k>, bool);
    type Output = BatchDistances;

    #[inline(always)]
    fn run(lanes: L, (batch, swapped): Self::Argument) -> Self::Output {
        let mut search = SearchInputs::new(lanes, batch, Purpose::Distance);
        let of_discs;
        if (0..batch.len).any(|lane| batch.sides[0].discs(lane).is_some()) {
            of_discs = DiscPoints::new();
            search.of_discs = Some(&of_discs);
        }
        let end = search.run(Purpose::Distance);
        search.distances(&end, swapped)
    }
}

/// The inputs of a search.
struct SearchInputs<'b, 'k, L: Lanes> {
    lanes: L,
    batch: &'b Batch<'k>,
    axes: [[Vec3<L::F>; 3]; 2],
    /// Half of the boxes around both cores, along the axes of the world.
    extents: [Vec3<L::F>; 2],
    /// From A to B, at the time at which a search begins.
    offset: Vec3<L::F>,
    /// Motion of B, from the end backwards for [`Purpose::Exit`].
    motion: Vec3<L::F>,
    start: L::F,
    within: L::F,
    /// Radius of a sphere inside the difference of the cores, around the offset of the centers.
    inner: L::F,
    /// S, never too small.
    size: L::F,
    is_known: L::M,
    /// Memory for the points of discs of A.
    of_discs: Option<&'b DiscPoints>,
}

/// The points of discs of A that the steps of a search have found: they have no index. By step and lane.
struct DiscPoints([[[Cell<f32>; MAX_LANES]; 3]; STEPS + 1]);

impl DiscPoints {
    fn new() -> Self {
        DiscPoints([const { [const { [const { Cell::new(0.0) }; MAX_LANES] }; 3] }; STEPS + 1])
    }
}

/// State of a search.
struct End<L: Lanes> {
    /// The lanes that are not at their end.
    live: L::M,
    touch: L::M,
    apart: L::M,
    /// Never above the distance of the cores, up to the errors of gaps.
    lower: L::F,
    nearest: LaneNearest<L::F>,
    simplex: LaneSimplex<L::F>,
    time: L::F,
    /// From A to B, at that time.
    offset: Vec3<L::F>,
    /// The largest square of a corner.
    most_squared: L::F,
    /// Distance of the points of shapes that touch, by rounded shares.
    residue: L::F,
}

impl<'b, 'k, L: Lanes> SearchInputs<'b, 'k, L> {
    #[inline(always)]
    fn new(lanes: L, batch: &'b Batch<'k>, purpose: Purpose) -> Self {
        let [a, b] = &batch.sides;
        let (columns_a, columns_b) = (a.axes::<L>(), b.axes::<L>());
        let axes = [axes_of(lanes, &columns_a), axes_of(lanes, &columns_b)];
        let extents = [
            extents(axes[0], load(lanes, &a.half_extents)),
            extents(axes[1], load(lanes, &b.half_extents)),
        ];
        let mut offset = load(lanes, &b.center) - load(lanes, &a.center);
        let (mut motion, mut start) = (Vec3([lanes.splat(0.0); 3]), lanes.splat(0.0));
        let margin = lanes.splat(batch.margin);
        let within = lanes.load(&a.radius) + lanes.load(&b.radius) + margin;
        let rest = extents[0].sum() + extents[1].sum() + within;
        let mut size = offset.abs().sum() + rest;
        if purpose == Purpose::Enter || purpose == Purpose::Exit {
            motion = load(lanes, &batch.motion);
            size = size + motion.abs().sum();
            start = lanes.load(&batch.start);
            if purpose == Purpose::Exit {
                offset = offset + motion;
                motion = -motion;
                start = (lanes.splat(1.0) - start) * lanes.splat(1.0 - 4.0 * U);
            }
        }
        let [least, most] = SIZES;
        let is_known = lanes.splat(least).le(size)
            & size.le(lanes.splat(most))
            & a.are_valid(lanes)
            & b.are_valid(lanes);
        SearchInputs {
            lanes,
            batch,
            axes,
            extents,
            offset,
            motion,
            start,
            within,
            inner: lanes.load(&a.inner) + lanes.load(&b.inner),
            size: size * lanes.splat(1.0 + 16.0 * U),
            is_known,
            of_discs: None,
        }
    }

    /// The direction in which a search begins: between the boxes around the cores, or between the centers.
    #[inline(always)]
    fn first_direction(&self, offset: Vec3<L::F>) -> Vec3<L::F> {
        let zero = self.lanes.splat(0.0);
        let reach = self.extents[0] + self.extents[1];
        let mut between = Vec3([zero; 3]);
        let mut axis = 0;
        while axis < 3 {
            let (x, r) = (offset.0[axis], reach.0[axis]);
            between.0[axis] = (x - r).max(zero) - (-x - r).max(zero);
            axis += 1;
        }
        let is_between = zero.lt(between.abs().sum());
        let is_offset = zero.lt(offset.abs().sum());
        let x = Vec3([self.lanes.splat(1.0), zero, zero]);
        select(is_between, between, select(is_offset, offset, x))
    }

    /// The corner along −`v`, in the lanes of `live`, found in a step.
    #[inline(always)]
    fn corner(
        &self,
        live: L::M,
        offset: Vec3<L::F>,
        v: Vec3<L::F>,
        step: usize,
    ) -> LaneCorner<L::F> {
        let (a, id_a) = self.farthest(0, live, v, step);
        let (b, id_b) = self.farthest(1, live, -v, step);
        LaneCorner {
            at: (self.turned(1, b) + offset) - self.turned(0, a),
            id: id_a * self.lanes.splat(64.0) + id_b,
        }
    }

    /// The point of a core that is farthest along a direction, in the frame of its shape, and its index, in the lanes of `live`. Of discs
    /// it is the number of the step: no point of theirs is an old one.
    #[inline(always)]
    fn farthest(
        &self,
        side: usize,
        live: L::M,
        way: Vec3<L::F>,
        step: usize,
    ) -> (Vec3<L::F>, L::F) {
        let lanes = self.lanes;
        let (local, of) = (way.along(self.axes[side]), &self.batch.sides[side]);
        match of.kind {
            CoreKind::Center => (splat(lanes, [0.0; 3]), lanes.splat(0.0)),
            CoreKind::Triangle => {
                let [second, third] = [load(lanes, &of.edges[0]), load(lanes, &of.edges[1])];
                let zero = lanes.splat(0.0);
                let (to_second, to_third) = (second.dot(Vec3(local)), third.dot(Vec3(local)));
                let is_first = to_second.le(zero) & to_third.le(zero);
                let is_second = to_third.le(to_second);
                let index = lanes.splat(1.0).select(is_second, lanes.splat(2.0));
                let point = select(is_second, second, third);
                (
                    select(is_first, Vec3([zero; 3]), point),
                    zero.select(is_first, index),
                )
            }
            CoreKind::Points | CoreKind::Surface => {
                let mut ids: Column = [0.0; MAX_LANES];
                let (mut points, mut locals) = ([[0.0f32; MAX_LANES]; 3], [[0.0; MAX_LANES]; 3]);
                let mut axis = 0;
                while axis < 3 {
                    lanes.store(local[axis], &mut locals[axis]);
                    axis += 1;
                }
                let [x, y, z] = &locals;
                let mut left = live.bits();
                while left != 0 {
                    let lane = left.trailing_zeros() as usize % MAX_LANES;
                    left &= left - 1;
                    let d = [x[lane], y[lane], z[lane]];
                    let (k, [px, py, pz]) = match of.discs(lane) {
                        None => farthest(lanes, of.blocks(lane), d),
                        Some(discs) => {
                            let point = discs.farthest(d);
                            if side == 0
                                && let Some(DiscPoints(of_discs)) = self.of_discs
                            {
                                let kept = &of_discs[step % (STEPS + 1)];
                                for (to, x) in kept.iter().zip(point) {
                                    to[lane].set(x);
                                }
                            }
                            (step, point)
                        }
                    };
                    points[0][lane] = px;
                    points[1][lane] = py;
                    points[2][lane] = pz;
                    ids[lane] = k as f32;
                }
                (load(lanes, &points), lanes.load(&ids))
            }
        }
    }

    /// The points of A of some corners.
    #[inline(always)]
    fn points_of_a(&self, id: L::F) -> Vec3<L::F> {
        let lanes = self.lanes;
        let mut ids: Column = [0.0; MAX_LANES];
        // The low bits of these numbers are those of the index.
        lanes.store(id + lanes.splat((1 << 23) as f32), &mut ids);
        let mut points = [[0.0f32; MAX_LANES]; 3];
        let mut lane = 0;
        while lane < self.batch.len {
            let k = ids[lane].to_bits() as usize / 64 % 64;
            let of_a = &self.batch.sides[0];
            if of_a.discs(lane).is_some() {
                if let Some(DiscPoints(of_discs)) = self.of_discs {
                    let [x, y, z] = &of_discs[k % (STEPS + 1)];
                    points[0][lane] = x[lane].get();
                    points[1][lane] = y[lane].get();
                    points[2][lane] = z[lane].get();
                }
            } else if let Some([x, y, z]) = of_a.blocks(lane).get(k / 16) {
                points[0][lane] = x[k % 16];
                points[1][lane] = y[k % 16];
                points[2][lane] = z[k % 16];
            }
            lane += 1;
        }
        load(lanes, &points)
    }

    /// Whether a pair has a cylinder or a cone.
    #[inline(always)]
    fn has_discs(&self, lane: usize) -> bool {
        self.batch.sides[0].discs(lane).is_some() || self.batch.sides[1].discs(lane).is_some()
    }

    /// Points in the frame of the world.
    #[inline(always)]
    fn turned(&self, side: usize, points: Vec3<L::F>) -> Vec3<L::F> {
        turned(self.axes[side], points)
    }

    #[inline(always)]
    fn run(&self, purpose: Purpose) -> End<L> {
        let lanes = self.lanes;
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let mut are_pairs: Column = [0.0; MAX_LANES];
        let mut lane = 0;
        while lane < MAX_LANES {
            are_pairs[lane] = f32::from(u8::from(lane < self.batch.len));
            lane += 1;
        }
        let live = zero.lt(lanes.load(&are_pairs)) & self.is_known;
        let offset = self.offset + self.motion * self.start;
        let first = self.first_direction(offset);
        let corner = self.corner(live, offset, first, 0);
        let lower = self.gap(corner.at, first);
        let at_corner = corner.at.dot(corner.at);
        let mut end = End {
            live,
            touch: zero.lt(zero),
            apart: zero.lt(zero),
            lower,
            nearest: LaneNearest {
                at: corner.at,
                squared: at_corner,
                way: corner.at,
                shares: [zero; 3],
            },
            simplex: LaneSimplex {
                corners: [corner; 3],
                fourth: zero,
                shares: [one, zero, zero, zero],
            },
            time: self.start,
            offset,
            most_squared: at_corner,
            residue: zero,
        };
        if purpose == Purpose::Distance {
            end.live = end.live & !self.is_far(&end);
        }
        if purpose == Purpose::Verdict {
            self.separate(&mut end);
            self.join(&mut end);
            if end.live.bits().count_ones() <= self.batch.few {
                return end;
            }
        }
        // After the first step a simplex has two corners at most, after the second three.
        if end.live.bits() != 0 {
            self.step::<1>(purpose, 1, &mut end);
        }
        if end.live.bits() != 0 {
            self.step::<2>(purpose, 2, &mut end);
        }
        let mut step = 2;
        while end.live.bits() != 0 && step < STEPS {
            step += 1;
            self.step::<3>(purpose, step, &mut end);
        }
        end.live = zero.lt(zero);
        end
    }

    /// The gap along the direction of a corner, before its error.
    #[inline(always)]
    fn gap(&self, at: Vec3<L::F>, way: Vec3<L::F>) -> L::F {
        let squared = way.dot(way);
        let is_long = self.lanes.splat(LEAST_SQUARE).le(squared);
        (at.dot(way) / squared.sqrt()).select(is_long, self.lanes.splat(f32::MIN))
    }

    /// The lower bound of the distances.
    #[inline(always)]
    fn least_distance(&self, end: &End<L>) -> L::F {
        end.lower - self.size * self.lanes.splat(GAP) - self.within
    }

    /// The lanes whose distance is above its cutoff for certain.
    #[inline(always)]
    fn is_far(&self, end: &End<L>) -> L::M {
        let cutoff = self.lanes.load(&self.batch.cutoffs);
        cutoff.lt(self.least_distance(end)) & self.is_known
    }

    /// Rate at which the gap along a direction closes, never too slow.
    #[inline(always)]
    fn closing_rate(&self, way: Vec3<L::F>) -> L::F {
        let error = self.motion.abs().sum() * self.lanes.splat(8.0 * U);
        -(self.motion.dot(way) / way.dot(way).sqrt()) + error
    }

    /// Time in which a gap closes at a rate, never too long.
    #[inline(always)]
    fn closing_time(&self, room: L::F, rate: L::F) -> L::F {
        room / rate * self.lanes.splat(1.0 - 4.0 * U)
    }

    /// Ends the lanes whose shapes are apart for certain.
    #[inline(always)]
    fn separate(&self, end: &mut End<L>) {
        let gap_error = self.size * self.lanes.splat(GAP);
        let is_apart = end.live & self.within.lt(end.lower - gap_error);
        end.apart = end.apart | is_apart;
        end.live = end.live & !is_apart;
    }

    /// Ends the lanes whose shapes touch for certain: the difference of the cores contains the cone of the nearest point and the sphere.
    #[inline(always)]
    fn join(&self, end: &mut End<L>) {
        let lanes = self.lanes;
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let from = end.nearest.at;
        let edge = from - end.offset;
        let spare = edge.dot(edge) - self.inner * self.inner;
        let share = (from.dot(edge) / spare).max(zero).min(one);
        let share = share.select(zero.lt(spare), one);
        let at = from - edge * share;
        let reach = self.inner * share + self.within - self.size * lanes.splat(GAP);
        let touches = end.live & end.time.le(zero) & zero.lt(reach) & at.dot(at).lt(reach * reach);
        end.touch = end.touch | touches;
        end.live = end.live & !touches;
    }

    /// Adds a corner to simplices of at most `CORNERS` different ones, in a step from 1 on.
    #[inline(always)]
    fn step<const CORNERS: usize>(&self, purpose: Purpose, step: usize, end: &mut End<L>) {
        let (lanes, within, motion) = (self.lanes, self.within, self.motion);
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let way = end.nearest.way;
        let mut a = self.corner(end.live, end.offset, way, step);
        let gap = self.gap(a.at, way);
        let [mut b, mut c, mut d] = end.simplex.corners;
        let mut is_old = same(a.id, b.id);
        if CORNERS > 1 {
            is_old = is_old | same(a.id, c.id);
        }
        if CORNERS > 2 {
            is_old = is_old | same(a.id, d.id);
        }
        let mut limit = end.nearest.squared;
        if purpose == Purpose::Enter || purpose == Purpose::Exit {
            let room = gap - self.size * lanes.splat(GAP) - within;
            let rate = self.closing_rate(way);
            let next = end.time + self.closing_time(room, rate);
            let is_clear = end.live & (self.size * lanes.splat(ROOM)).lt(room);
            let passes = is_clear & (rate.le(zero) | one.lt(next));
            let advances = is_clear & !passes & end.time.lt(next);
            end.apart = end.apart | passes;
            end.live = end.live & !passes & (advances | !is_old);
            let by = motion * (next - end.time).masked(advances);
            a.at = a.at + by;
            b.at = b.at + by;
            c.at = c.at + by;
            d.at = d.at + by;
            end.simplex.corners = [b, c, d];
            end.time = next.select(advances, end.time);
            end.offset = self.offset + motion * end.time;
            limit = lanes.splat(f32::MAX).select(advances, limit);
        } else {
            end.lower = gap.select(end.live & end.lower.lt(gap), end.lower);
            if purpose == Purpose::Verdict {
                self.separate(end);
            }
            let distance = end.nearest.squared.sqrt();
            let close = self.size * lanes.splat(CLOSE) + distance * lanes.splat(CLOSE_PART);
            // False for NaN.
            let is_open = close.lt(distance - end.lower);
            end.live = end.live & is_open & !is_old;
            if purpose == Purpose::Distance {
                end.live = end.live & !self.is_far(end);
            }
        }
        end.most_squared = a.at.dot(a.at).max(end.most_squared);

        let mut nearest = LaneNearest {
            at: a.at,
            squared: a.at.dot(a.at),
            way: a.at,
            shares: [zero; 3],
        };
        // Equal corners give NaN, and comparisons are false. Written out: indices that vary keep all vectors in memory.
        let [ab, ac, ad] = [b.at - a.at, c.at - a.at, d.at - a.at];
        nearest.offer_edge(lanes, a.at, ab, 0);
        if CORNERS > 1 {
            let [cross_b, cross_c] = [a.at.cross(b.at), a.at.cross(c.at)];
            nearest.offer_edge(lanes, a.at, ac, 1);
            nearest.offer_face(lanes, a.at, [ab, ac], [cross_b, cross_c], [0, 1]);
            if CORNERS == 2 {
                // The third corner is the first one: its face is the same, rounded in another order.
                nearest.offer_face(lanes, a.at, [ac, ab], [cross_c, cross_b], [1, 2]);
            }
            if CORNERS > 2 {
                let cross_d = a.at.cross(d.at);
                nearest.offer_edge(lanes, a.at, ad, 2);
                nearest.offer_face(lanes, a.at, [ac, ad], [cross_c, cross_d], [1, 2]);
                nearest.offer_face(lanes, a.at, [ab, ad], [cross_b, cross_d], [0, 2]);
                // Determinants of the faces, whose signs agree if the origin is inside.
                let va = b.at.dot(c.at.cross(d.at));
                let vb = -d.at.dot(cross_c);
                let vc = d.at.dot(cross_b);
                let vd = -c.at.dot(cross_b);
                let least = va.min(vb).min(vc.min(vd));
                let most = va.max(vb).max(vc.max(vd));
                let error = self.size * lanes.splat(DETERMINANT) * end.most_squared;
                let is_inside = error.lt(least) | error.lt(-most);
                let touches = end.live & is_inside;
                end.touch = end.touch | touches;
                end.live = end.live & !is_inside;
                if purpose == Purpose::Distance && touches.bits() != 0 {
                    let scale = one / ((va + vb) + (vc + vd));
                    let at = (a.at * va + b.at * vb + c.at * vc + d.at * vd) * scale;
                    end.residue = at.dot(at).sqrt().select(touches, end.residue);
                    // The shares are not yet divided by their sum.
                    let around = LaneSimplex {
                        corners: [a, b, c],
                        fourth: d.id,
                        shares: [va, vb, vc, vd],
                    };
                    end.simplex = around.select(touches, end.simplex);
                }
            }
        }
        end.live = end.live & nearest.squared.lt(limit);
        let grown = LaneSimplex::without_one(lanes, a, [b, c, d], nearest.shares);
        end.simplex = grown.select(end.live, end.simplex);
        end.nearest = nearest.select(end.live, end.nearest);
        if CORNERS == 1 && purpose == Purpose::Verdict {
            self.join(end);
        }
        if purpose == Purpose::Enter || purpose == Purpose::Exit {
            // Nearer than that, no gap has room for a step in time.
            let reach = within + self.size * lanes.splat(GAP + ROOM);
            let is_near = zero.lt(end.time) & nearest.squared.lt(reach * reach);
            end.live = end.live & !is_near;
        }
    }

    #[inline(always)]
    fn verdicts(&self, end: &End<L>) -> [BatchResult; MAX_LANES] {
        let lanes = self.lanes;
        let [a, b, c] = end.simplex.corners;
        let (mut ids, mut shares) = ([[0.0f32; MAX_LANES]; 3], [[0.0f32; MAX_LANES]; 3]);
        let columns = [a.id, b.id, c.id];
        let mut k = 0;
        while k < 3 {
            lanes.store(columns[k], &mut ids[k]);
            lanes.store(end.simplex.shares[k], &mut shares[k]);
            k += 1;
        }
        let mut times: Column = [0.0; MAX_LANES];
        lanes.store(end.time, &mut times);
        let mut ways = [[0.0f32; MAX_LANES]; 3];
        k = 0;
        while k < 3 {
            lanes.store(end.nearest.way.0[k], &mut ways[k]);
            k += 1;
        }
        let distance = end.nearest.squared.sqrt() + self.size * lanes.splat(DISTANCE);
        let is_near = distance.le(self.within + self.size * lanes.splat(GAP + ROOM + DISTANCE));
        let near = is_near.bits();
        let is_at_start = end.time.le(lanes.splat(0.0));
        let is_touch = is_at_start & (end.touch | distance.le(self.within));
        let (touch, apart, open) = (is_touch.bits(), end.apart.bits(), end.live.bits());
        let known = self.is_known.bits();
        let mut found = [BatchResult::default(); MAX_LANES];
        let mut lane = 0;
        while lane < self.batch.len {
            let to = &mut found[lane];
            to.time = times[lane];
            to.verdict = if known >> lane & 1 == 0 {
                Verdict::Unknown
            } else if apart >> lane & 1 == 1 {
                Verdict::Apart
            } else if touch >> lane & 1 == 1 {
                Verdict::Touch
            } else if open >> lane & 1 == 1 {
                Verdict::Open
            } else {
                Verdict::Near
            };
            // Points of discs have no index. Other lanes are searched in `f64` from their time on.
            if self.has_discs(lane) {
                let way = [ways[0][lane], ways[1][lane], ways[2][lane]];
                to.way = Some((way, near >> lane & 1 == 1));
                lane += 1;
                continue;
            }
            let mut k = 0;
            while k < 3 {
                if shares[k][lane] > 0.0 {
                    let id = ids[k][lane] as usize;
                    to.ids[to.count] = [(id / 64) as u8, (id % 64) as u8];
                    to.count += 1;
                }
                k += 1;
            }
            lane += 1;
        }
        found
    }

    #[inline(always)]
    fn distances(&self, end: &End<L>, swapped: bool) -> BatchDistances {
        let (lanes, simplex) = (self.lanes, &end.simplex);
        let zero = lanes.splat(0.0);
        let [a, b, c] = simplex.corners;
        let ids = [a.id, b.id, c.id, simplex.fourth];
        let [sa, sb, sc, sd] = simplex.shares;
        let scale = lanes.splat(1.0) / ((sa + sb) + (sc + sd));
        // The point of A is the same sum of its points. Only shapes that touch have a fourth one.
        let count = if end.touch.bits() == 0 { 3 } else { 4 };
        let mut sum = Vec3([zero; 3]);
        let mut k = 0;
        while k < count {
            let share = simplex.shares[k] * scale;
            sum = sum + self.points_of_a(ids[k]) * share.masked(zero.lt(share));
            k += 1;
        }
        let core_a = self.turned(0, sum);
        let way = select(end.touch, Vec3([zero; 3]), end.nearest.at);
        let length = way.dot(way).sqrt();
        let is_apart = zero.lt(length);
        let lower = self.least_distance(end);
        let upper = (length - self.within).max(zero) + self.size * lanes.splat(DISTANCE);
        // Lanes that are not known have no corners.
        let is_positive = zero.lt(lower) & !end.touch & self.is_known;
        let lower = lower.masked(is_positive);
        let width = self.size * lanes.splat(SETTLED) + upper * lanes.splat(SETTLED_PART);
        let settled = self.is_known
            & (upper - lower).le(width)
            & end.residue.le(self.size * lanes.splat(ROOM));

        // Surfaces that cross have a point in common on the way from core to core.
        let [radius_a, radius_b] = [&self.batch.sides[0].radius, &self.batch.sides[1].radius];
        let from_a = lanes.load(radius_a).min(length);
        let from_b = lanes.load(radius_b).min(length - from_a);
        let unit = (lanes.splat(1.0) / length).masked(is_apart);
        let core_b = core_a + way;
        let mut origin = load(lanes, &self.batch.sides[0].origin);
        if swapped {
            origin = self.offset + load(lanes, &self.batch.sides[1].origin);
        }
        let points = [
            (core_a + way * (from_a * unit)) - origin,
            (core_b - way * (from_b * unit)) - origin,
        ];
        let mut found = BatchDistances::NONE;
        found.settled = settled.bits();
        found.far = self.is_far(end).bits();
        lanes.store(lower, &mut found.lower);
        lanes.store(upper, &mut found.upper);
        let mut side = 0;
        while side < 2 {
            let mut axis = 0;
            while axis < 3 {
                // Never −0.
                let x = points[side].0[axis] + zero;
                lanes.store(x, &mut found.points[side][axis]);
                axis += 1;
            }
            side += 1;
        }
        found
    }
}

/// Half of the box around a turned box.
#[inline(always)]
fn extents<F: Float>([x, y, z]: [Vec3<F>; 3], half: Vec3<F>) -> Vec3<F> {
    let [hx, hy, hz] = half.0;
    x.abs() * hx + y.abs() * hy + z.abs() * hz
}

#[cfg(test)]
mod tests {
    use rand::{Rng, RngExt};

    use super::*;
    use crate::common::rng;
    use crate::lane::One;
    use crate::math::dvec::DVec3;
    use crate::math::rotation::f64_axes_of;

    fn vector(rng: &mut impl Rng) -> [f32; 3] {
        [(); 3].map(|()| rng.random_range(-1.0..1.0f32))
    }

    /// A batch of one pair that moves, and S.
    fn random_batch(rng: &mut impl Rng) -> (Batch<'static>, f64) {
        let mut batch = Batch::new(rng.random_range(0.0..0.1));
        batch.len = 1;
        batch.start[0] = rng.random_range(0.0..1.0f64) as f32;
        let mut size = f64::from(batch.margin);
        for side in &mut batch.sides {
            let q = [(); 4].map(|()| rng.random_range(-1.0..1.0f64));
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            let rotation = q.map(|x| (x / length) as f32);
            let half = vector(rng).map(f32::abs);
            let center = vector(rng);
            side.radius[0] = rng.random_range(0.0..0.1);
            for k in 0..3 {
                (side.center[k][0], side.half_extents[k][0]) = (center[k], half[k]);
            }
            for (column, x) in side.rotation.iter_mut().zip(rotation) {
                column[0] = x;
            }
            let axes = f64_axes_of(rotation);
            let sides = [0, 1, 2].map(|k| (axes[k] * f64::from(half[k])).norm1());
            size += sides.iter().sum::<f64>() + f64::from(side.radius[0]);
        }
        let motion = vector(rng);
        (0..3).for_each(|k| batch.motion[k][0] = motion[k]);
        let centers = [0, 1].map(|side: usize| {
            let [x, y, z] = &batch.sides[side].center;
            DVec3::of([x[0], y[0], z[0]])
        });
        size += (centers[1] - centers[0]).norm1() + DVec3::of(motion).norm1();
        (batch, size)
    }

    #[test]
    fn size_of_a_pair_is_never_too_small() {
        let mut rng = rng("size of a pair");
        for _ in 0..20_000 {
            let (batch, size) = random_batch(&mut rng);
            for purpose in [Purpose::Enter, Purpose::Exit] {
                let found = SearchInputs::new(One, &batch, purpose).size;
                assert!(f64::from(found) >= size, "{found} of {size}");
            }
        }
    }

    #[test]
    fn times_of_a_pair_are_never_too_long() {
        let mut rng = rng("times of a pair");
        let mut largest = 0f64;
        for _ in 0..100_000 {
            let (batch, _) = random_batch(&mut rng);
            let search = SearchInputs::new(One, &batch, Purpose::Exit);
            let left = 1.0 - f64::from(batch.start[0]);
            assert!(
                f64::from(search.start) <= left,
                "{} of {left}",
                search.start
            );

            let way = vector(&mut rng);
            let (motion, d) = (DVec3::of(search.motion.0), DVec3::of(way));
            let exact = -motion.dot(d) / d.dot(d).sqrt();
            let rate = search.closing_rate(Vec3(way));
            assert!(f64::from(rate) >= exact, "{rate} of {exact}");
            let error = motion.norm1() * f64::from(8.0 * U);
            largest = largest.max((exact + error - f64::from(rate)) / error);

            let room = rng.random_range(0.0..1.0f32);
            let (time, most) = (
                search.closing_time(room, rate),
                f64::from(room) / f64::from(rate),
            );
            assert!(rate <= 0.0 || f64::from(time) <= most, "{time} of {most}");
        }
        assert!(largest > 0.1, "{largest} of the error");
    }
}
