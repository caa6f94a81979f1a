//! The faces with the greatest gaps between shapes with faces: one pair per lane, in `f32`.
//!
//! Faces are tried in the order of an upper bound of their gaps. For a point p of B, no gap of a face of A with normal n exceeds n·p − h_A(n). Each
//! face that is tried adds the support of B, and so lowers the bounds of all other faces. The search ends when no bound exceeds the greatest gap.
//!
//! Bounds and supports are found pair by pair, with lanes across faces and points; all else has a pair per lane. A step of one pair waits for
//! its step before, so the steps of all pairs of a batch are taken together.
//!
//! # Error bounds
//!
//! S is that of [`convex::contact::manifold`](crate::narrow::convex::contact::manifold), u is 2⁻²⁴. The matrix from one frame to the other has products of rounded unit vectors: 5 u per entry. A
//! point of one shape in the frame of the other is off by less than 9 u S per coordinate, so its height above a plane by less than 16 u S for the
//! point, 4 u S for the product and 2 u S for the plane: 22 u S. Bounds get 24 u S, so that no face is dropped whose gap is greater. The direction
//! of a support is off by 9 u per coordinate, so the support is at most 24 u S below the farthest point, and a gap as
//! computed is up to 22 u S below the exact one and 46 u S above it.

use crate::lane::{Float, Lanes, MAX_LANES, Mask, Routine, U, Vec3};
use crate::narrow::convex::contact::solid::Solid;
use crate::narrow::convex::support::{Column, axes_of, farthest, load, turned};
use crate::store::hull::faces::PlaneBlock;
use crate::store::hull::kinds::PointBlock;

/// Number of points of the other shape that are kept.
const KEPT: usize = 8;
/// Maximum number of blocks of 16 faces.
const BLOCKS: usize = 8;
/// Raise of the bounds, in u of S.
const BOUND: f32 = 24.0 * U;
/// Least difference by which the gap of a later group of normals wins, in u of S.
pub const BIAS: f32 = 32.0 * U;

/// Points of one shape of each pair, in the frame of the faces of the other one.
struct Known {
    points: [[[f32; 3]; KEPT]; MAX_LANES],
    lens: [usize; MAX_LANES],
}

/// Set of edges: bit k % 64 of number k / 64 is edge k, of at most 186.
pub type EdgeSet = [u64; 3];

/// The faces with the greatest gaps.
pub struct FaceBatch {
    /// 0 for a face of A, 1 for one of B.
    pub sides: [usize; MAX_LANES],
    pub faces: [usize; MAX_LANES],
    pub gaps: Column,
    /// The edges of A and of B that a normal with a greater gap may belong to.
    pub edges: [[EdgeSet; MAX_LANES]; 2],
    /// The axes of B in the frame of A.
    pub turn: [[Column; 3]; 3],
    /// From the center of A to that of B, in the frame of A.
    pub offset: [Column; 3],
}

impl Known {
    const NONE: Self = Known {
        points: [[[0.0; 3]; KEPT]; MAX_LANES],
        lens: [0; MAX_LANES],
    };
}

impl FaceBatch {
    pub const NONE: Self = FaceBatch {
        sides: [0; MAX_LANES],
        faces: [0; MAX_LANES],
        gaps: [0.0; MAX_LANES],
        edges: [[[0; 3]; MAX_LANES]; 2],
        turn: [[[0.0; MAX_LANES]; 3]; 3],
        offset: [[0.0; MAX_LANES]; 3],
    };

    /// Finds the faces of as many pairs as lanes at most, given both shapes of each and S.
    #[inline(always)]
    pub fn fill<L: Lanes>(&mut self, lanes: L, solids: [&[Solid<'_>]; 2], sizes: &Column) {
        lanes.call::<FindFaces<'_, '_>>((self, solids, sizes));
    }
}

/// Finds the faces of a batch, compiled once for each instruction set.
struct FindFaces<'b, 'k>(core::marker::PhantomData<(&'b (), &'k ())>);

impl<'b, 'k: 'b, L: Lanes> Routine<L> for FindFaces<'b, 'k> {
    type Argument = (&'b mut FaceBatch, [&'b [Solid<'k>]; 2], &'b Column);
    type Output = ();

    #[inline(always)]
    fn run(lanes: L, (batch, solids, sizes): Self::Argument) {
        let [of_a, of_b] = solids;
        let len = of_a.len().min(of_b.len()).min(L::COUNT);
        let mut offset = [[0.0f32; MAX_LANES]; 3];
        let mut axes = [[[[0.0f32; MAX_LANES]; 3]; 3]; 2];
        let mut middles = [[[0.0f32; MAX_LANES]; 3]; 2];
        let mut planes: [[&[PlaneBlock]; MAX_LANES]; 2] = [[&[]; MAX_LANES]; 2];
        let mut points: [[&[PointBlock]; MAX_LANES]; 2] = [[&[]; MAX_LANES]; 2];
        let mut lane = 0;
        while lane < len {
            let (a, b) = (&of_a[lane], &of_b[lane]);
            (planes[0][lane], planes[1][lane]) = (a.planes(), b.planes());
            (points[0][lane], points[1][lane]) = (a.points(), b.points());
            let inside = [a.middle(), b.middle()];
            let from_a = b.body.center - a.body.center;
            let mut k = 0;
            while k < 3 {
                offset[k][lane] = from_a[k] as f32;
                (middles[0][k][lane], middles[1][k][lane]) = (inside[0][k], inside[1][k]);
                let mut axis = 0;
                while axis < 3 {
                    axes[0][axis][k][lane] = a.axes[axis][k] as f32;
                    axes[1][axis][k][lane] = b.axes[axis][k] as f32;
                    axis += 1;
                }
                k += 1;
            }
            lane += 1;
        }
        let offset = load(lanes, &offset);
        let (axes_a, axes_b) = (axes_of(lanes, &axes[0]), axes_of(lanes, &axes[1]));
        // The axes of B in the frame of A, and those of A in the frame of B.
        let turns = [matrix(axes_a, axes_b), matrix(axes_b, axes_a)];
        let offsets = [Vec3(offset.along(axes_a)), Vec3((-offset).along(axes_b))];
        store(lanes, offsets[0], &mut batch.offset);
        let mut axis = 0;
        while axis < 3 {
            store(lanes, turns[0][axis], &mut batch.turn[axis]);
            axis += 1;
        }
        let size = lanes.load(sizes);
        let bias = size * lanes.splat(BIAS);
        let mut known = [Known::NONE; 2];
        let mut gap = lanes.splat(f32::NEG_INFINITY);
        let mut face = lanes.splat(-1.0);
        let mut are_of_b = 0;
        let mut side = 0;
        while side < 2 {
            let search = FaceSearch {
                lanes,
                len,
                size,
                planes: &planes[side],
                points: &points[1 - side],
                middles: &middles[1 - side],
                columns: turns[side],
                rows: turns[1 - side],
                offset: offsets[side],
            };
            let least = if side == 0 { gap } else { gap + bias };
            let (greatest, found) = search.run(least, &mut known[side]);
            let is_found = lanes.splat(0.0).le(found);
            gap = greatest.select(is_found, gap);
            face = found.select(is_found, face);
            are_of_b = is_found.bits();
            side += 1;
        }
        lanes.store(gap, &mut batch.gaps);
        // Cores that are apart by more than the errors have the direction of their nearest points.
        let is_apart = (bias + bias).lt(gap);
        let mut are_apart = is_apart.bits();
        let limit = (gap + bias).min(lanes.splat(0.0)) - size * lanes.splat(BOUND);
        let (mut faces, mut limits) = ([0.0f32; MAX_LANES], [0.0f32; MAX_LANES]);
        lanes.store(face, &mut faces);
        lanes.store(limit, &mut limits);
        lane = 0;
        while lane < len {
            batch.sides[lane] = (are_of_b >> lane & 1) as usize;
            // Without a face, as with NaN, the first one.
            batch.faces[lane] = faces[lane] as usize;
            let mut side = 0;
            while side < 2 {
                let edges = &mut batch.edges[side][lane];
                *edges = [0; 3];
                if are_apart & 1 == 0 {
                    *edges =
                        kept_edges(lanes, &solids[side][lane], &known[side], lane, limits[lane]);
                    // No pairs without edges of A.
                    are_apart |= u64::from(*edges == [0; 3]);
                }
                side += 1;
            }
            are_apart >>= 1;
            lane += 1;
        }
    }
}

/// The edges that a normal with a gap above `limit` may belong to: those without a known point below both their faces by that much.
#[inline(always)]
fn kept_edges<L: Lanes>(
    lanes: L,
    solid: &Solid<'_>,
    known: &Known,
    lane: usize,
    limit: f32,
) -> EdgeSet {
    let limit = lanes.splat(limit);
    let len = known.lens[lane].min(KEPT);
    let mut points = [[lanes.splat(0.0); 3]; KEPT];
    let mut k = 0;
    while k < len {
        let [x, y, z] = known.points[lane][k];
        points[k] = [lanes.splat(x), lanes.splat(y), lanes.splat(z)];
        k += 1;
    }
    let blocks = solid.edge_planes();
    let mut kept = [0; 3];
    let mut number = 0;
    while number < blocks.len() {
        let [first, second] = &blocks[number];
        let (mut bits, mut at) = (0, 0);
        while at < 16 {
            let mut lowest = lanes.splat(f32::INFINITY);
            let first = LanePlanes::of(lanes, first, at);
            let second = LanePlanes::of(lanes, second, at);
            k = 0;
            while k < len {
                let height = first.height(points[k]).max(second.height(points[k]));
                lowest = height.min(lowest);
                k += 1;
            }
            bits |= limit.lt(lowest).bits() << at;
            at += L::COUNT;
        }
        kept[number / 4 % 3] |= bits << (16 * (number % 4));
        number += 1;
    }
    let all = first_edges(solid.edges().len());
    [kept[0] & all[0], kept[1] & all[1], kept[2] & all[2]]
}

/// The first `count` edges.
#[inline(always)]
fn first_edges(count: usize) -> EdgeSet {
    let mut set = [0; 3];
    let mut k = 0;
    while k < 3 {
        let rest = count.saturating_sub(64 * k);
        set[k] = if rest < 64 { (1 << rest) - 1 } else { u64::MAX };
        k += 1;
    }
    set
}

/// The search of the faces of one side.
struct FaceSearch<'b, L: Lanes> {
    lanes: L,
    len: usize,
    /// S.
    size: L::F,
    /// The planes of these shapes.
    planes: &'b [&'b [PlaneBlock]; MAX_LANES],
    /// The points of the other shapes, and a point inside each.
    points: &'b [&'b [PointBlock]; MAX_LANES],
    middles: &'b [Column; 3],
    /// The axes of the other frame, in this frame.
    columns: [Vec3<L::F>; 3],
    /// The axes of this frame, in the other frame.
    rows: [Vec3<L::F>; 3],
    /// To the center of the other shape, in this frame.
    offset: Vec3<L::F>,
}

impl<L: Lanes> FaceSearch<'_, L> {
    /// The greatest gap and its face, if it is above a given one; otherwise that one and −1.
    #[inline(always)]
    fn run(&self, mut least: L::F, known: &mut Known) -> (L::F, L::F) {
        let lanes = self.lanes;
        let mut found = lanes.splat(-1.0);
        let mut above = [[[f32::INFINITY; 16]; BLOCKS]; MAX_LANES];
        let (mut at, mut plane) = (*self.middles, [[0.0f32; MAX_LANES]; 4]);
        let (mut tried, mut lowest) = ([0.0f32; MAX_LANES], [0.0f32; MAX_LANES]);
        let mut lane = 0;
        while lane < self.len {
            known.lens[lane] = 0;
            lane += 1;
        }
        let slack = self.size * lanes.splat(BOUND);
        let mut live = (1u64 << self.len) - 1;
        let mut point = self.moved(&at);
        let mut step = 0;
        while live != 0 && step < 16 * BLOCKS {
            let mut points = [[0.0f32; MAX_LANES]; 3];
            store(lanes, point, &mut points);
            lanes.store(least - slack, &mut lowest);
            let mut left = live;
            while left != 0 {
                let lane = left.trailing_zeros() as usize % MAX_LANES;
                left &= left - 1;
                let planes = self.planes[lane];
                let above = &mut above[lane];
                let point = [points[0][lane], points[1][lane], points[2][lane]];
                known.points[lane][step % KEPT] = point;
                known.lens[lane] = if step < KEPT { step + 1 } else { KEPT };
                let (most, face) = lower(lanes, planes, point, above);
                let block = face / 16;
                if most <= lowest[lane] || block >= planes.len() {
                    live &= !(1 << lane);
                    // No face has this gap.
                    plane[3][lane] = f32::INFINITY;
                    continue;
                }
                let k = face % 16;
                let mut axis = 0;
                while axis < 4 {
                    plane[axis][lane] = planes[block][axis][k];
                    axis += 1;
                }
                above[block % BLOCKS][k] = f32::NEG_INFINITY;
                tried[lane] = face as f32;
            }
            let normal = Vec3([
                lanes.load(&plane[0]),
                lanes.load(&plane[1]),
                lanes.load(&plane[2]),
            ]);
            let [x, y, z] = normal.0;
            let [r, s, t] = self.rows;
            let way = -(r * x + s * y + t * z);
            let mut ways = [[0.0f32; MAX_LANES]; 3];
            store(lanes, way, &mut ways);
            let mut left = live;
            while left != 0 {
                let lane = left.trailing_zeros() as usize % MAX_LANES;
                left &= left - 1;
                let d = [ways[0][lane], ways[1][lane], ways[2][lane]];
                let (_, [x, y, z]) = farthest(lanes, self.points[lane], d);
                (at[0][lane], at[1][lane], at[2][lane]) = (x, y, z);
            }
            point = self.moved(&at);
            let gap = normal.dot(point) - lanes.load(&plane[3]);
            let face = lanes.load(&tried);
            let is_equal = gap.le(least) & least.le(gap) & face.lt(found);
            let is_greater = least.lt(gap) | is_equal;
            least = gap.select(is_greater, least);
            found = face.select(is_greater, found);
            step += 1;
        }
        (least, found)
    }

    /// Points of the other frame in this one.
    #[inline(always)]
    fn moved(&self, at: &[Column; 3]) -> Vec3<L::F> {
        self.offset + turned(self.columns, load(self.lanes, at))
    }
}

/// The axes of one frame in another.
#[inline(always)]
fn matrix<F: Float>(to: [Vec3<F>; 3], from: [Vec3<F>; 3]) -> [Vec3<F>; 3] {
    [
        Vec3(from[0].along(to)),
        Vec3(from[1].along(to)),
        Vec3(from[2].along(to)),
    ]
}

#[inline(always)]
fn store<L: Lanes>(lanes: L, v: Vec3<L::F>, [x, y, z]: &mut [Column; 3]) {
    lanes.store(v.0[0], x);
    lanes.store(v.0[1], y);
    lanes.store(v.0[2], z);
}

/// Planes of some faces, one per lane.
#[derive(Clone, Copy)]
struct LanePlanes<F> {
    normal: [F; 3],
    offset: F,
}

impl<F: Float> LanePlanes<F> {
    #[inline(always)]
    fn of<L: Lanes<F = F>>(lanes: L, block: &PlaneBlock, at: usize) -> Self {
        let [x, y, z, offset] = block;
        LanePlanes {
            normal: [
                lanes.load(&x[at..]),
                lanes.load(&y[at..]),
                lanes.load(&z[at..]),
            ],
            offset: lanes.load(&offset[at..]),
        }
    }

    /// Heights of points above the planes.
    #[inline(always)]
    fn height(&self, [x, y, z]: [F; 3]) -> F {
        let [nx, ny, nz] = self.normal;
        nx * x + ny * y + nz * z - self.offset
    }
}

/// Bounds of the gaps of the faces of a shape.
type Bounds = [[f32; 16]; BLOCKS];

/// Lowers the bounds of faces to the heights of a point. Returns the greatest bound, and the first face that has it.
#[inline(always)]
fn lower<L: Lanes>(
    lanes: L,
    planes: &[PlaneBlock],
    point: [f32; 3],
    bounds: &mut Bounds,
) -> (f32, usize) {
    match planes {
        [a] => lower_of(lanes, [a], point, bounds),
        [a, b] => lower_of(lanes, [a, b], point, bounds),
        [a, b, c] => lower_of(lanes, [a, b, c, c], point, bounds),
        [a, b, c, d] => lower_of(lanes, [a, b, c, d], point, bounds),
        [a, b, c, d, rest @ ..] => {
            let or = |k: usize| rest.get(k).unwrap_or(d);
            lower_of(
                lanes,
                [a, b, c, d, or(0), or(1), or(2), or(3)],
                point,
                bounds,
            )
        }
        [] => (f32::NEG_INFINITY, usize::MAX),
    }
}

#[inline(always)]
fn lower_of<L: Lanes, const N: usize>(
    lanes: L,
    planes: [&PlaneBlock; N],
    [x, y, z]: [f32; 3],
    bounds: &mut Bounds,
) -> (f32, usize) {
    let point = [lanes.splat(x), lanes.splat(y), lanes.splat(z)];
    // Of a block, as many vectors as its planes take.
    let mut values = [[lanes.splat(f32::NEG_INFINITY); 16]; N];
    let mut most = lanes.splat(f32::NEG_INFINITY);
    let mut block = 0;
    while block < N {
        let mut k = 0;
        while k < 16 / L::COUNT {
            let at = k * L::COUNT;
            let height = LanePlanes::of(lanes, planes[block], at).height(point);
            let bound = height.min(lanes.load(&bounds[block][at..]));
            lanes.store(bound, &mut bounds[block][at..]);
            values[block][k] = bound;
            most = bound.max(most);
            k += 1;
        }
        block += 1;
    }
    let greatest = lanes.largest(most);
    let most = lanes.splat(greatest);
    let mut are_most = 0u128;
    block = 0;
    while block < N {
        let mut k = 0;
        while k < 16 / L::COUNT {
            let bits = most.le(values[block][k]).bits();
            are_most |= u128::from(bits) << (block * 16 + k * L::COUNT);
            k += 1;
        }
        block += 1;
    }
    (greatest, are_most.trailing_zeros() as usize)
}
