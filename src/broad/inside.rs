//! Points in the solid that a closed mesh bounds: the parity of the triangles that a ray along an axis crosses, exactly.
//!
//! The axes are numbered u, v, w in cyclic order. The ray goes along w, the axis on which the mesh is shortest, up or down to the nearer
//! end of the mesh. A tree finds the triangles whose bounds it meets: bounds contain their triangles (`shapes/bounds.rs`) and
//! comparisons do not round, so none is lost.
//!
//! # Rays through edges and vertices
//!
//! A point on a triangle is inside, by an exact test. For every other point p the ray starts at p′ = p + (ε, δ, 0) with infinitesimal δ ≪ ε:
//! no triangle lies between p and p′. In the plane of u and v, seen along w, p′ is on no edge:
//!
//! - an edge passes p′ in v if one end has v ≤ p.v and the other v > p.v;
//! - its place there is beyond p′ in u if it is strictly beyond p at p.v, for δ is below any multiple of ε.
//!
//! So an edge counts by itself, whatever its triangle and its direction are. A triangle covers p′ if an odd number of its edges count.
//! Summed over a closed mesh, each edge counts an even number of times, so the ray and its continuation to the other side cross an even
//! number of triangles together. Either side has the parity of p, for each axis.
//!
//! A triangle that covers p′ has p in its closed projection, and an area in it. So p is off its plane, and the side of the plane on which p
//! lies decides whether the triangle is above or below. A triangle without area in the projection covers nothing.

use crate::broad::candidates::{Candidates, refuse};
use crate::broad::row::BoundedSide;
use crate::driver::call::Driver;
use crate::error::{Error, InvalidShapes, length_defect};
use crate::lane::{Float, Job, Lanes, Mask, Split, WORD};
use crate::math::exact::{side, turn};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::raw_columns::Motion;
use crate::store::columns::AnyColumns;
use crate::store::mesh::adjacency::open_edge;
use crate::store::tree::{Block, Tree};

/// A query for the points in a mesh.
pub struct InsideSearch<'s> {
    pub points: &'s AnyColumns<'s>,
    pub mesh: &'s AnyColumns<'s>,
}

impl InsideSearch<'_> {
    /// Finds the points in the mesh.
    pub fn find(
        &self,
        driver: &Driver,
        candidates: &mut Candidates,
        overlaps: &mut Overlaps,
    ) -> Result<InvalidShapes, Error> {
        let &InsideSearch { points, mesh } = self;
        let (settings, len) = (driver.settings, points.len());
        let margin = settings.margin;
        if margin != 0.0 {
            return Err(Error::MarginNotAllowed { margin });
        }
        let (Some(edges), Some(bounds)) = (mesh.edges(), mesh.kind.bounds) else {
            unreachable!("a mesh has edges and bounds");
        };
        let bounds = BoundedSide::new(mesh, bounds, Motion::None);
        let workers = driver.workers().of_at_most(8);
        let tree = candidates.tree(workers, &bounds, len);
        let mut invalid = InvalidShapes {
            a: 0,
            b: mesh.len() - tree.len(),
        };
        let open = if invalid.b == 0 && !edges.of.has_invalid {
            edges.of.open
        } else {
            // A placed mesh may have other invalid triangles than the mesh at rest.
            open_edge((0..mesh.len()).map(|triangle| corners(mesh, triangle)))?
        };
        if let Some((triangle, edge)) = open {
            return Err(Error::OpenMesh { triangle, edge });
        }
        if overlaps.try_reserve_masks(len).is_err() {
            return Err(Error::OutOfMemory { pairs: len });
        }
        overlaps.clear_masks(len);
        let [inside, bad] = overlaps.words_mut();
        invalid.a = workers.execute(Inside {
            points,
            first: 0,
            len,
            solid: &Solid::new(mesh, tree),
            inside,
            bad,
        });
        refuse(settings, [points, mesh], Motion::None, invalid)?;
        Ok(invalid)
    }
}

/// A closed mesh, and the way of the rays.
struct Solid<'s> {
    mesh: &'s AnyColumns<'s>,
    tree: &'s Tree,
    /// The axis of the rays.
    w: usize,
    /// Twice the coordinate from which on rays go up.
    middle: f32,
}

/// The ray of a point.
struct Ray {
    point: [f32; 3],
    /// The axes u, v and w.
    axes: [usize; 3],
    is_down: bool,
    /// The sides of a block that decide whether a node is reached, and what is added to each of them.
    sides: [usize; 5],
    partners: [f32; 5],
}

/// Place of a point relative to a triangle.
enum Place {
    /// On the triangle.
    On,
    /// The ray crosses the triangle.
    Below,
    Apart,
}

impl<'s> Solid<'s> {
    fn new(mesh: &'s AnyColumns<'s>, tree: &'s Tree) -> Self {
        let around = tree.bounds();
        // Highest corners are negated.
        let extent = |k: &usize| -around[*k] - around[3 + *k];
        let shorter = |a: usize, b: usize| if extent(&b) < extent(&a) { b } else { a };
        let w = [1, 0].into_iter().fold(2, shorter);
        Solid {
            mesh,
            tree,
            w,
            middle: around[w] - around[3 + w],
        }
    }

    fn ray(&self, point: [f32; 3]) -> Ray {
        let axes @ [u, v, w] = [1, 2, 3].map(|k| (self.w + k) % 3);
        let is_down = 2.0 * point[w] < self.middle;
        let end = if is_down { w } else { 3 + w };
        let sides = [u, 3 + u, v, 3 + v, end];
        Ray {
            point,
            axes,
            is_down,
            sides,
            partners: sides.map(|side| {
                if side < 3 {
                    -point[side]
                } else {
                    point[side - 3]
                }
            }),
        }
    }

    /// Whether a point is in the solid or on its surface.
    #[inline(always)]
    fn contains<L: Lanes>(&self, lanes: L, point: [f32; 3]) -> bool {
        let (ray, tree) = (self.ray(point), self.tree);
        let Some(top) = tree.levels().checked_sub(1) else {
            return false;
        };
        let (mut nodes, mut reached) = ([0; Tree::LEVELS], [0; Tree::LEVELS]);
        let (mut level, mut is_inside) = (top, false);
        reached[top] = reach(lanes, &ray, &tree.level(top)[0]);
        loop {
            if reached[level] == 0 {
                if level == top {
                    return is_inside;
                }
                level += 1;
                continue;
            }
            let child = 8 * nodes[level] + reached[level].trailing_zeros() as usize;
            reached[level] &= reached[level] - 1;
            if level > 0 {
                level -= 1;
                nodes[level] = child;
                reached[level] = reach(lanes, &ray, &tree.level(level)[child]);
                continue;
            }
            match ray.place(corners(self.mesh, tree.order()[child] as usize)) {
                Place::On => return true,
                Place::Below => is_inside = !is_inside,
                Place::Apart => {}
            }
        }
    }
}

/// Mask of the AABBs of a block that a ray meets.
#[inline(always)]
fn reach<L: Lanes>(lanes: L, ray: &Ray, block: &Block) -> u32 {
    let (mut reached, mut at) = (0, 0);
    while at < 8 {
        let mut gap = lanes.splat(f32::NEG_INFINITY);
        let mut k = 0;
        while k < 5 {
            let side = lanes.load(&block[ray.sides[k]][at..]);
            gap = (side + lanes.splat(ray.partners[k])).max(gap);
            k += 1;
        }
        reached |= (gap.le(lanes.splat(0.0)).bits() as u32) << at;
        at += L::COUNT;
    }
    reached
}

/// The corners of a triangle.
fn corners(mesh: &AnyColumns<'_>, triangle: usize) -> [[f32; 3]; 3] {
    let [ax, ay, az, bx, by, bz, cx, cy, cz] = mesh.numbers_of(triangle);
    [[ax, ay, az], [bx, by, bz], [cx, cy, cz]]
}

impl Ray {
    /// The place of the point relative to a triangle.
    fn place(&self, corners: [[f32; 3]; 3]) -> Place {
        let &Ray { point, is_down, .. } = self;
        let [u, v, w] = self.axes;
        let all = |test: &dyn Fn([f32; 3]) -> bool| corners.into_iter().all(test);
        let is_passed = match is_down {
            true => all(&|corner| corner[w] > point[w]),
            false => all(&|corner| corner[w] < point[w]),
        };
        if is_passed || !is_within(&corners, point, u) || !is_within(&corners, point, v) {
            return Place::Apart;
        }
        let Some(turns) = turns(&corners, point, [u, v]) else {
            return Place::Apart;
        };
        if turns == [0.0; 3] {
            return match is_on_vertical(&corners, point) {
                true => Place::On,
                false => Place::Apart,
            };
        }
        let side = side([corners[0], corners[1], corners[2], point]);
        if side == 0.0 {
            return Place::On;
        }
        let is_counter_clockwise = turns.into_iter().any(|turn| turn > 0.0);
        let is_below = is_counter_clockwise == (side < 0.0);
        if is_below == is_down {
            return Place::Apart;
        }
        let counts = |edge: usize| {
            let is_low = |corner: usize| corners[corner % 3][v] <= point[v];
            match (is_low(edge), is_low(edge + 1)) {
                (true, false) => turns[edge] > 0.0,
                (false, true) => turns[edge] < 0.0,
                _ => false,
            }
        };
        match counts(0) ^ counts(1) ^ counts(2) {
            true => Place::Below,
            false => Place::Apart,
        }
    }
}

/// Whether a point is within the bounds of a triangle along an axis.
fn is_within(corners: &[[f32; 3]; 3], point: [f32; 3], axis: usize) -> bool {
    let [mut is_above, mut is_below] = [false; 2];
    for corner in corners {
        is_above |= corner[axis] <= point[axis];
        is_below |= point[axis] <= corner[axis];
    }
    is_above && is_below
}

/// The side of each edge on which a point lies in the plane of two axes; `None` if it is outside of the projection.
fn turns(corners: &[[f32; 3]; 3], point: [f32; 3], [u, v]: [usize; 2]) -> Option<[f64; 3]> {
    let [a, b, c] = corners.map(|corner| [corner[u], corner[v]]);
    let point = [point[u], point[v]];
    let first = turn([a, b, point]);
    let second = turn([b, c, point]);
    let differ = |x: f64, y: f64| x < 0.0 && y > 0.0 || x > 0.0 && y < 0.0;
    if differ(first, second) {
        return None;
    }
    let third = turn([c, a, point]);
    (!differ(first, third) && !differ(second, third)).then_some([first, second, third])
}

/// Whether a point is on a triangle whose projection is a segment, or a point, and contains that of the point.
///
/// Points in this plane are on the triangle if they are in its projection along another axis. A triangle without area in all
/// projections is a segment: of the line through it, only the part within its bounds is on it.
#[cold]
fn is_on_vertical(corners: &[[f32; 3]; 3], point: [f32; 3]) -> bool {
    if (0..3).any(|axis| !is_within(corners, point, axis)) {
        return false;
    }
    for axes in [[0, 1], [1, 2], [2, 0]] {
        match turns(corners, point, axes) {
            None => return false,
            Some(turns) if turns != [0.0; 3] => return true,
            Some(_) => {}
        }
    }
    true
}

/// Finds which points are in a solid. Returns the number of invalid points.
struct Inside<'s> {
    points: &'s AnyColumns<'s>,
    first: usize,
    len: usize,
    solid: &'s Solid<'s>,
    inside: &'s mut [u64],
    bad: &'s mut [u64],
}

impl Job for Inside<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> usize {
        let mut invalid = 0;
        for place in 0..self.len {
            let point = self.points.numbers_of(self.first + place);
            let bit = 1 << (place % WORD);
            if length_defect("", &point).is_some() {
                self.bad[place / WORD] |= bit;
                invalid += 1;
            } else if self.solid.contains(lanes, point) {
                self.inside[place / WORD] |= bit;
            }
        }
        invalid
    }
}

/// Number of parts of a point when a search is split: a piece has at least 128 points.
const PARTS: usize = 8;

impl Split for Inside<'_> {
    const GRAIN: usize = 256 * PARTS;

    fn len(&self) -> usize {
        self.len * PARTS
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let middle = middle / PARTS;
        let (inside, inside_high) = self.inside.split_at_mut(middle / WORD);
        let (bad, bad_high) = self.bad.split_at_mut(middle / WORD);
        let low = Inside {
            len: middle,
            inside,
            bad,
            ..self
        };
        let high = Inside {
            first: self.first + middle,
            len: self.len - middle,
            inside: inside_high,
            bad: bad_high,
            ..self
        };
        (low, high)
    }

    fn merge(one: usize, other: usize) -> usize {
        one + other
    }
}
