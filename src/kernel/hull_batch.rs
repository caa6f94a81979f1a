//! Convex hulls, several pairs at once: one pair per lane, in `f32`.
//!
//! Most pairs are decided here, with bounds that are a little wider than those of [`hull`](super::hull). The others are searched there, one at a
//! time in `f64`.
//!
//! The search is that of [`closest_search`](super::closest_search): the nearest point of a simplex is the nearest of the points of all its faces. Here a
//! simplex has always three corners, of which some may be equal. A lane ends by itself, so its results do not depend on the other lanes.
//!
//! # Error bounds
//!
//! S is that of [`hull`](super::hull). All norms are sums of absolute values, unless stated otherwise. σ is the size of a core.
//!
//! - **Corners.** Axes, extents and the offset are rounded to `f32`, by u. A point is three products of an axis and a coordinate: 4.1 u σ. With
//!   both points, the offset and two sums, a corner w of the difference is off by less than 7 u S.
//! - **Gap.** A direction d is turned into the frame of a hull: 4.1 u of the sums of absolute products. The values of points round by 3.1 u more, so
//!   the point found is at most 14.6 u σ |d| below the farthest one. With the error of w and of the product w·d, it is at most
//!   25 u S |d| above the gap. 28 u S is taken from each w·d / |d|, which covers the root and the division.
//! - **Distance.** A point p of the difference is a sum of corners with shares from 0 on, which add up to 1 within 4 u. Its corners are off by 7 u S, and it
//!   rounds by 4 u S. 20 u S is added to its length, which covers the root.
//! - **Contact.** The origin is inside a tetrahedron if the determinants of the corners of its four faces have signs that agree. Each rounds by 27 u S³ at most,
//!   with the error of the corners. Larger than 32 u S³, the signs are right.
//! - **Underflow.** S is from 2⁻²⁰ to 2²⁰, so what is lost below 2⁻¹²⁶ is less than 2⁻⁶⁰ u S³.

use super::hull::{Body, Goal, HullPair};
use super::rounding::U;
use crate::lane::{Float, Lanes, MAX_LANES, Mask, Vec3, select};
use crate::shapes::PointBlock;

/// One number per lane.
type Column = [f32; MAX_LANES];

/// Pairs to search.
pub struct Batch<'k> {
    len: usize,
    sides: [Side<'k>; 2],
    /// From A to B.
    offset: [Column; 3],
    /// The direction in which a search begins.
    first: [Column; 3],
    /// Never below S, and never above the sum of the radii and the margin.
    size: Column,
    within: Column,
}

/// One shape of each pair.
struct Side<'k> {
    points: [Option<&'k [PointBlock]>; MAX_LANES],
    /// The corners of shapes that are not hulls.
    corners: [PointBlock; MAX_LANES],
    /// Unit axes of the frame of the points.
    axes: [[Column; 3]; 3],
}

/// Result of a search.
#[derive(Clone, Copy, Default)]
pub struct Found {
    /// Whether the cores have a point in common, for certain.
    pub touch: bool,
    /// Never above the distance of the cores; it may be negative.
    pub lower: f32,
    /// Never below it.
    pub upper: f32,
    /// A point of A, relative to its center, and the way to one of B: they are at most `upper` apart.
    pub point: [f32; 3],
    pub way: [f32; 3],
}

/// Largest error of a gap, of a distance, and of a determinant, in u of S.
const GAP: f32 = 28.0 * U;
const DISTANCE: f32 = 20.0 * U;
const DETERMINANT: f32 = 32.0 * U;
/// Bounds that are as close as this, in u of S or relative to the distance, end a search.
const CLOSE: f32 = 8.0 * U;
const CLOSE_PART: f32 = 1.0 / (1 << 20) as f32;
/// Range of S.
const SIZES: core::ops::RangeInclusive<f64> = 1.0 / (1 << 20) as f64..=(1 << 20) as f64;
/// Maximum number of steps.
const STEPS: usize = 24;

impl<'k> Batch<'k> {
    pub fn new() -> Self {
        Batch {
            len: 0,
            sides: [0, 1].map(|_| Side {
                points: [None; MAX_LANES],
                corners: [[[0.0; 16]; 3]; MAX_LANES],
                axes: [[[0.0; MAX_LANES]; 3]; 3],
            }),
            offset: [[0.0; MAX_LANES]; 3],
            first: [[0.0; MAX_LANES]; 3],
            size: [1.0; MAX_LANES],
            within: [0.0; MAX_LANES],
        }
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a pair. False if it has to be searched in `f64`.
    #[inline(always)]
    pub fn push<L: Lanes>(&mut self, pair: &HullPair<'k, L>) -> bool {
        let size = pair.size();
        let offset = pair.offset();
        if !SIZES.contains(&size) {
            return false;
        }
        let lane = self.len;
        let first = pair.first_direction(offset);
        let mut axis = 0;
        while axis < 3 {
            self.offset[axis][lane] = offset[axis] as f32;
            self.first[axis][lane] = first[axis] as f32;
            axis += 1;
        }
        self.size[lane] = size as f32 * (1.0 + 2.0 * U);
        self.within[lane] = pair.within() as f32;
        self.sides[0].set(lane, pair.a());
        self.sides[1].set(lane, pair.b());
        self.len += 1;
        true
    }

    /// Searches all pairs.
    #[inline(always)]
    pub fn search<L: Lanes>(&self, lanes: L, goal: Goal) -> [Found; MAX_LANES] {
        let search = Search {
            lanes,
            batch: self,
            axes: [0, 1].map(|side: usize| self.sides[side].axes.map(|axis| load(lanes, &axis))),
            offset: load(lanes, &self.offset),
        };
        search.run(goal)
    }
}

impl<'k> Side<'k> {
    #[inline(always)]
    fn set(&mut self, lane: usize, body: &Body<'k>) {
        let axes = match body.frame() {
            Some((blocks, axes)) => {
                self.points[lane] = Some(blocks);
                axes
            }
            None => {
                self.points[lane] = None;
                self.corners[lane] = body.corners();
                [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            }
        };
        let mut k = 0;
        while k < 3 {
            let mut axis = 0;
            while axis < 3 {
                self.axes[k][axis][lane] = axes[k][axis] as f32;
                axis += 1;
            }
            k += 1;
        }
    }

    #[inline(always)]
    fn blocks(&self, lane: usize) -> &[PointBlock] {
        self.points[lane].unwrap_or(core::slice::from_ref(&self.corners[lane]))
    }
}

/// Corners of the difference of the cores, one per lane.
#[derive(Clone, Copy)]
struct Corner<F> {
    at: Vec3<F>,
    /// 64 × the index of the point of A + that of B.
    id: F,
}

/// The nearest point to the origin of some corners.
#[derive(Clone, Copy)]
struct Nearest<F> {
    at: Vec3<F>,
    squared: F,
    /// The direction of that point: of a triangle its normal, which rounds less.
    way: Vec3<F>,
    /// The shares of the corners after the first.
    shares: [F; 3],
}

impl<F: Float> Nearest<F> {
    #[inline(always)]
    fn select(self, mask: F::Mask, other: Self) -> Self {
        Nearest {
            at: select(mask, self.at, other.at),
            squared: self.squared.select(mask, other.squared),
            way: select(mask, self.way, other.way),
            shares: self.shares,
        }
    }

    /// Takes another point where it is nearer and `is_inside`.
    #[inline(always)]
    fn offer(&mut self, is_inside: F::Mask, at: Vec3<F>, way: Vec3<F>, shares: [F; 3]) {
        let squared = at.dot(at);
        let is_better = is_inside & squared.lt(self.squared);
        self.squared = squared.select(is_better, self.squared);
        self.at = select(is_better, at, self.at);
        self.way = select(is_better, way, self.way);
        let mut k = 0;
        while k < 3 {
            self.shares[k] = shares[k].select(is_better, self.shares[k]);
            k += 1;
        }
    }
}

/// What a search of lanes needs.
struct Search<'b, 'k, L: Lanes> {
    lanes: L,
    batch: &'b Batch<'k>,
    axes: [[Vec3<L::F>; 3]; 2],
    offset: Vec3<L::F>,
}

impl<L: Lanes> Search<'_, '_, L> {
    /// The corner along −`v`, in the lanes of `live`.
    #[inline(always)]
    fn corner(&self, live: L::M, v: Vec3<L::F>) -> Corner<L::F> {
        let lanes = self.lanes;
        let mut ids: Column = [0.0; MAX_LANES];
        let mut points = [[[0.0f32; MAX_LANES]; 3]; 2];
        let mut locals = [[[0.0f32; MAX_LANES]; 3]; 2];
        let ways = [v, -v];
        let mut side = 0;
        while side < 2 {
            let local = ways[side].along(self.axes[side]);
            let mut axis = 0;
            while axis < 3 {
                lanes.store(local[axis], &mut locals[side][axis]);
                axis += 1;
            }
            side += 1;
        }
        let mut left = live.bits();
        while left != 0 {
            let lane = left.trailing_zeros() as usize % MAX_LANES;
            left &= left - 1;
            let mut id = 0;
            let mut side = 0;
            while side < 2 {
                let [x, y, z] = &locals[side];
                let blocks = self.batch.sides[side].blocks(lane);
                let k = farthest_index(lanes, blocks, [x[lane], y[lane], z[lane]]);
                if let Some(block) = blocks.get(k / 16) {
                    let mut axis = 0;
                    while axis < 3 {
                        points[side][axis][lane] = block[axis][k % 16];
                        axis += 1;
                    }
                }
                id = id * 64 + k;
                side += 1;
            }
            ids[lane] = id as f32;
        }
        let [x, y] = [0, 1].map(|side: usize| {
            let [px, py, pz] = load(lanes, &points[side]).0;
            let [ax, ay, az] = self.axes[side];
            ax * px + ay * py + az * pz
        });
        Corner {
            at: (y + self.offset) - x,
            id: lanes.load(&ids),
        }
    }

    #[inline(always)]
    fn run(&self, goal: Goal) -> [Found; MAX_LANES] {
        let lanes = self.lanes;
        let batch = self.batch;
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let size = lanes.load(&batch.size);
        let within = lanes.load(&batch.within);
        let gap_error = size * lanes.splat(GAP);
        let determinant_error = size * size * size * lanes.splat(DETERMINANT);
        let close = size * lanes.splat(CLOSE);
        let close_part = lanes.splat(CLOSE_PART);

        let mut live = lanes.load(&NUMBERS).lt(lanes.splat(batch.len as f32));
        let first = load(lanes, &batch.first);
        let corner = self.corner(live, first);
        let mut lower = corner.at.dot(first) / first.dot(first).sqrt();
        let mut simplex = Simplex {
            corners: [corner; 3],
            fourth: zero,
            shares: [one, zero, zero, zero],
        };
        let mut nearest = Nearest {
            at: corner.at,
            squared: corner.at.dot(corner.at),
            way: corner.at,
            shares: [zero; 3],
        };
        let mut touch = zero.lt(zero);
        let mut step = 0;
        while live.bits() != 0 && step < STEPS {
            let way = nearest.way;
            let a = self.corner(live, way);
            let gap = a.at.dot(way) / way.dot(way).sqrt();
            lower = gap.select(live & lower.lt(gap), lower);
            let distance = nearest.squared.sqrt();
            let [b, c, d] = simplex.corners;
            let is_old = same(a.id, b.id) | same(a.id, c.id) | same(a.id, d.id);
            // False for NaN.
            let is_far = (close + distance * close_part).lt(distance - lower);
            live = live & is_far & !is_old;
            if let Goal::Verdict = goal {
                live = live & (lower - gap_error).le(within);
            }

            let (ab, ac, ad) = (a.at.cross(b.at), a.at.cross(c.at), a.at.cross(d.at));
            // Determinants of the faces, whose signs agree if the origin is inside.
            let faces = [
                b.at.dot(c.at.cross(d.at)),
                -d.at.dot(ac),
                d.at.dot(ab),
                -c.at.dot(ab),
            ];
            let [va, vb, vc, vd] = faces;
            let least = va.min(vb).min(vc.min(vd));
            let most = va.max(vb).max(vc.max(vd));
            let is_inside = determinant_error.lt(least) | determinant_error.lt(-most);
            let touches = live & is_inside;
            touch = touch | touches;

            let new = nearest_of(lanes, a.at, [b.at, c.at, d.at], [ab, ac, ad]);
            live = live & !is_inside & new.squared.lt(nearest.squared);
            let grown = Simplex::without_one(lanes, a, [b, c, d], new.shares);
            let whole = (va + vb) + (vc + vd);
            let around = Simplex {
                corners: [a, b, c],
                fourth: d.id,
                shares: faces.map(|face| face / whole),
            };
            simplex = grown.select(live, around.select(touches, simplex));
            nearest = new.select(live, nearest);
            step += 1;
        }

        let way = nearest.at;
        let way = Vec3(way.0.map(|x| zero.select(touch, x)));
        let upper = way.dot(way).sqrt() + size * lanes.splat(DISTANCE);
        self.found(touch, lower - gap_error, upper, way, &simplex)
    }

    /// The results, with the points of A.
    #[inline(always)]
    fn found(
        &self,
        touch: L::M,
        lower: L::F,
        upper: L::F,
        way: Vec3<L::F>,
        simplex: &Simplex<L::F>,
    ) -> [Found; MAX_LANES] {
        let lanes = self.lanes;
        let [a, b, c] = simplex.corners;
        let (mut ids, mut shares) = ([[0.0f32; MAX_LANES]; 4], [[0.0f32; MAX_LANES]; 4]);
        let columns = [a.id, b.id, c.id, simplex.fourth];
        let mut k = 0;
        while k < 4 {
            lanes.store(columns[k], &mut ids[k]);
            lanes.store(simplex.shares[k], &mut shares[k]);
            k += 1;
        }
        let mut local = [[0.0f32; MAX_LANES]; 3];
        let mut lane = 0;
        while lane < self.batch.len {
            let blocks = self.batch.sides[0].blocks(lane);
            let mut k = 0;
            while k < 4 {
                let (id, share) = (ids[k][lane] as usize / 64, shares[k][lane]);
                if share > 0.0
                    && let Some(block) = blocks.get(id / 16)
                {
                    local[0][lane] += block[0][id % 16] * share;
                    local[1][lane] += block[1][id % 16] * share;
                    local[2][lane] += block[2][id % 16] * share;
                }
                k += 1;
            }
            lane += 1;
        }
        let [x, y, z] = load(lanes, &local).0;
        let [ax, ay, az] = self.axes[0];
        let point = ax * x + ay * y + az * z;
        let mut columns = [[0.0f32; MAX_LANES]; 8];
        let [px, py, pz] = point.0;
        let [wx, wy, wz] = way.0;
        let all = [lower, upper, px, py, pz, wx, wy, wz];
        let mut k = 0;
        while k < 8 {
            lanes.store(all[k], &mut columns[k]);
            k += 1;
        }
        let mut found = [Found::default(); MAX_LANES];
        let mut lane = 0;
        while lane < self.batch.len {
            let [lower, upper, px, py, pz, wx, wy, wz] = columns;
            found[lane] = Found {
                touch: touch.bits() >> lane & 1 == 1,
                lower: lower[lane],
                upper: upper[lane],
                point: [px[lane], py[lane], pz[lane]],
                way: [wx[lane], wy[lane], wz[lane]],
            };
            lane += 1;
        }
        found
    }
}

/// A simplex of each lane: three corners, or four around the origin.
#[derive(Clone, Copy)]
struct Simplex<F> {
    corners: [Corner<F>; 3],
    /// The index of a fourth corner.
    fourth: F,
    /// The shares of the corners in the nearest point.
    shares: [F; 4],
}

impl<F: Float> Simplex<F> {
    /// The simplex of a corner and those of three others that have a share; at least one has none.
    #[inline(always)]
    fn without_one<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        a: Corner<F>,
        [b, c, d]: [Corner<F>; 3],
        [share_b, share_c, share_d]: [F; 3],
    ) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let without_b = share_b.le(zero);
        let without_b_or_c = without_b | share_c.le(zero);
        let (p, share_p) = (c.select(without_b, b), share_c.select(without_b, share_b));
        let (q, share_q) = (
            d.select(without_b_or_c, c),
            share_d.select(without_b_or_c, share_c),
        );
        Simplex {
            corners: [a, a.select(share_p.le(zero), p), a.select(share_q.le(zero), q)],
            fourth: zero,
            shares: [one - share_p - share_q, share_p, share_q, zero],
        }
    }

    #[inline(always)]
    fn select(self, mask: F::Mask, other: Self) -> Self {
        let (mut corners, mut shares) = (self.corners, self.shares);
        let mut k = 0;
        while k < 3 {
            corners[k] = corners[k].select(mask, other.corners[k]);
            k += 1;
        }
        k = 0;
        while k < 4 {
            shares[k] = shares[k].select(mask, other.shares[k]);
            k += 1;
        }
        let fourth = self.fourth.select(mask, other.fourth);
        Simplex {
            corners,
            fourth,
            shares,
        }
    }
}

impl<F: Float> Corner<F> {
    #[inline(always)]
    fn select(self, mask: F::Mask, other: Self) -> Self {
        Corner {
            at: select(mask, self.at, other.at),
            id: self.id.select(mask, other.id),
        }
    }
}

/// The nearest point of the faces of a tetrahedron at its corner `a`, given the cross products of `a` with the other corners. Other faces are
/// no nearer than before.
#[inline(always)]
fn nearest_of<L: Lanes>(
    lanes: L,
    a: Vec3<L::F>,
    others: [Vec3<L::F>; 3],
    crosses: [Vec3<L::F>; 3],
) -> Nearest<L::F> {
    let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
    let mut nearest = Nearest {
        at: a,
        squared: a.dot(a),
        way: a,
        shares: [zero; 3],
    };
    let edges = [others[0] - a, others[1] - a, others[2] - a];
    // Equal corners give NaN, and comparisons are false.
    let mut k = 0;
    while k < 3 {
        let edge = edges[k];
        let share = -a.dot(edge) / edge.dot(edge);
        let at = a + edge * share;
        let mut shares = [zero; 3];
        shares[k] = share;
        nearest.offer(zero.lt(share) & share.le(one), at, at, shares);
        k += 1;
    }
    let mut k = 0;
    while k < 3 {
        let (p, q) = [(0, 1), (1, 2), (0, 2)][k];
        let normal = edges[p].cross(edges[q]);
        let scale = one / normal.dot(normal);
        let share_p = -normal.dot(crosses[q]) * scale;
        let share_q = normal.dot(crosses[p]) * scale;
        let is_inside = zero.lt(share_p) & zero.lt(share_q) & (share_p + share_q).le(one);
        let at = a + edges[p] * share_p + edges[q] * share_q;
        let mut shares = [zero; 3];
        (shares[p], shares[q]) = (share_p, share_q);
        nearest.offer(is_inside, at, normal * (normal.dot(a) * scale), shares);
        k += 1;
    }
    nearest
}

/// The index of the point with the largest p·d, the first of equal ones.
#[inline(always)]
fn farthest_index<L: Lanes>(lanes: L, blocks: &[PointBlock], d: [f32; 3]) -> usize {
    let [x, y, z] = d.map(|x| lanes.splat(x));
    let mut values = [lanes.splat(f32::NEG_INFINITY); 64];
    let mut most = lanes.splat(f32::NEG_INFINITY);
    let mut count = 0;
    for block in blocks.iter().take(4) {
        let [px, py, pz] = block;
        let mut at = 0;
        while at < 16 {
            let value =
                lanes.load(&px[at..]) * x + lanes.load(&py[at..]) * y + lanes.load(&pz[at..]) * z;
            values[count] = value;
            count += 1;
            most = value.max(most);
            at += L::COUNT;
        }
    }
    let most = lanes.splat(lanes.largest(most));
    let mut k = 0;
    while k < count {
        let bits = most.le(values[k]).bits();
        if bits != 0 {
            return k * L::COUNT + bits.trailing_zeros() as usize;
        }
        k += 1;
    }
    0
}

#[inline(always)]
fn same<F: Float>(a: F, b: F) -> F::Mask {
    a.le(b) & b.le(a)
}

#[inline(always)]
fn load<L: Lanes>(lanes: L, [x, y, z]: &[Column; 3]) -> Vec3<L::F> {
    Vec3([lanes.load(x), lanes.load(y), lanes.load(z)])
}

/// The number of each lane.
const NUMBERS: Column = [
    0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0,
];
