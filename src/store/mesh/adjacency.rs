//! Neighbours of triangles across their edges.
//!
//! 1. **Weld**: the vertices of valid triangles, sorted by their coordinates. Equal vertices get one number.
//! 2. **Match**: the edges of these triangles, in buckets by the lower of their two numbers. Each bucket is sorted by
//!    the higher number and the triangle. Two triangles with an area in a run are neighbours.
//!
//! # Closed meshes
//!
//! A run of an odd number of edges is *open*. Without open runs the triangles are a cycle modulo 2: each closed curve that meets no
//! edge crosses an even number of triangles. Triangles without area count. As segments they close gaps between a long
//! edge and the shorter edges along it, and no curve has to cross them. An edge with equal ends is a point and does not count.
//!
//! Whole keys are sorted, so the result does not depend on the order in which keys are found.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use crate::error::{Error, length_defect};
use crate::math::dvec::DVec3;
use crate::math::exact::{is_flat, normal, side};
use crate::memory::pages;

/// A neighbour that does not exist.
pub const NONE: u32 = u32::MAX;

/// The sides of its triangles from which a mesh is touched, for [contacts](crate::Detector::contact).
///
/// The front of a triangle is the side from which its corners are seen counter-clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Sides {
    /// The surface of solids, or a ground: shapes are pushed out at the front, however deep they are.
    #[default]
    Front,
    /// A sheet: shapes are pushed to the side on which they are.
    Both,
}

/// The edges of a mesh, and its sides.
#[derive(Clone, Copy)]
pub struct MeshEdges<'a> {
    pub of: &'a Edges,
    pub sides: Sides,
}

/// The edges of a mesh.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// The triangle beyond each edge of each triangle, or [`NONE`].
    pub neighbours: Vec<[u32; 3]>,
    /// The kinds of the edges of each triangle, two bits each, the first edge lowest.
    pub kinds: Vec<u8>,
    /// The first open edge of valid triangles: the triangle, and the edge in it.
    pub open: Option<(u32, u32)>,
    /// Whether a triangle has an invalid vertex.
    pub has_invalid: bool,
}

/// Marks a valid triangle, and one with an area; stored above its kinds while edges are matched.
const IS_VALID: u8 = 1 << 6;
const HAS_AREA: u8 = 1 << 7;

impl Edges {
    /// The kind of an edge. Panics past the end.
    #[inline]
    pub fn kind(&self, triangle: u32, edge: usize) -> EdgeKind {
        match self.kinds[triangle as usize] >> (2 * edge) & 3 {
            0 => EdgeKind::Border,
            1 => EdgeKind::Flat,
            2 => EdgeKind::Convex,
            _ => EdgeKind::Concave,
        }
    }

    /// Finds the neighbours of each triangle. All indices are in bounds.
    pub fn of(
        vertices: &[[f32; 3]],
        indices: &[[u32; 3]],
        sine_squared: f64,
    ) -> Result<Self, TryReserveError> {
        let mut edges = Edges::default();
        pages::try_reserve(&mut edges.neighbours, indices.len())?;
        edges.neighbours.resize(indices.len(), [NONE; 3]);
        pages::try_reserve(&mut edges.kinds, indices.len())?;
        let mut normals = Vec::new();
        pages::try_reserve(&mut normals, indices.len())?;
        // Arrays are written out: their maps are not inlined, which takes a fifth of the time.
        let corners = |[a, b, c]: [u32; 3]| {
            [
                vertices[a as usize],
                vertices[b as usize],
                vertices[c as usize],
            ]
        };
        for triangle in indices {
            let corners = corners(*triangle);
            let is_valid = length_defect("", corners.as_flattened()).is_none();
            let normal = match is_valid {
                false => DVec3::ZERO,
                true => normal(corners),
            };
            normals.push(normal);
            edges.kinds.push(match is_valid {
                false => 0,
                true if normal == DVec3::ZERO => IS_VALID,
                true => IS_VALID | HAS_AREA,
            });
        }
        edges.has_invalid = edges.kinds.contains(&0);

        let (names, count) = weld(vertices, indices, &edges.kinds)?;
        let named = |triangle: u32| {
            let [a, b, c] = indices[triangle as usize];
            [names[a as usize], names[b as usize], names[c as usize]]
        };
        let mut buckets = Buckets::new(count, &edges.kinds, named)?;
        let mut first = 0;
        for (low, &end) in buckets.ends[..count].iter().enumerate() {
            let bucket = &mut buckets.entries[first..end];
            first = end;
            bucket.sort_unstable();
            for run in bucket.chunk_by(|a, b| a >> 32 == b >> 32) {
                let ends = [low as u32, (run[0] >> 32) as u32];
                if run.len() % 2 == 1 && ends[0] != ends[1] {
                    let triangle = run[0] as u32;
                    let (edge, _) = edge_between(named(triangle), ends);
                    let open = (triangle, edge as u32);
                    edges.open = Some(edges.open.map_or(open, |first| first.min(open)));
                }
                let has_area = |entry: &&u64| edges.kinds[**entry as u32 as usize] & HAS_AREA != 0;
                let mut with_area = run.iter().filter(has_area);
                let (Some(&a), Some(&b), None) =
                    (with_area.next(), with_area.next(), with_area.next())
                else {
                    continue;
                };
                let side = |entry: u64| {
                    let triangle = entry as u32;
                    let (edge, is_reversed) = edge_between(named(triangle), ends);
                    let corners = corners(indices[triangle as usize]);
                    EdgeSide {
                        triangle,
                        edge,
                        is_reversed,
                        corners,
                        normal: normals[triangle as usize],
                    }
                };
                let (a, b) = (side(a), side(b));
                if a.is_reversed != b.is_reversed {
                    edges.join(&a, &b, kind(&a, &b, sine_squared));
                }
            }
        }
        for kinds in &mut edges.kinds {
            *kinds &= !(IS_VALID | HAS_AREA);
        }
        Ok(edges)
    }

    /// Makes two triangles neighbours.
    fn join(&mut self, a: &EdgeSide, b: &EdgeSide, kind: EdgeKind) {
        if kind == EdgeKind::Border {
            return;
        }
        for (this, other) in [(a, b), (b, a)] {
            self.neighbours[this.triangle as usize][this.edge] = other.triangle;
            self.kinds[this.triangle as usize] |= (kind as u8) << (2 * this.edge);
        }
    }
}

/// A triangle beside an edge.
struct EdgeSide {
    triangle: u32,
    /// Index of the edge in the triangle.
    edge: usize,
    /// Whether the edge goes from the higher number to the lower.
    is_reversed: bool,
    corners: [[f32; 3]; 3],
    normal: DVec3,
}

/// The edge of a triangle between two of its corners, and whether it goes from the second to the first.
fn edge_between(corners: [u32; 3], [low, high]: [u32; 2]) -> (usize, bool) {
    let [a, b, c] = corners;
    match [a == low, b == low, c == low] {
        [true, ..] if b == high => (0, false),
        [true, ..] => (2, true),
        [_, true, _] if c == high => (1, false),
        [_, true, _] => (0, true),
        _ if a == high => (2, false),
        _ => (1, true),
    }
}

/// The kind of the edge between two triangles with the same winding: a border if they are folded onto each other.
fn kind(a: &EdgeSide, b: &EdgeSide, sine_squared: f64) -> EdgeKind {
    let corner = |side: &EdgeSide, k: usize| side.corners[(side.edge + k) % 3];
    let points = [corner(a, 0), corner(a, 1), corner(a, 2), corner(b, 2)];
    let side = side(points);
    let normals = [a.normal, b.normal];
    if side == 0.0 {
        let [n, m] = normals;
        // The normals are parallel, so the sign is right.
        let dot = n[0] * m[0] + n[1] * m[1] + n[2] * m[2];
        return if dot > 0.0 {
            EdgeKind::Flat
        } else {
            EdgeKind::Border
        };
    }
    let [x, y, z] = points[0];
    let [to_x, to_y, to_z] = points[1];
    let along = |to: f32, from: f32| f64::from(to) - f64::from(from);
    let edge = DVec3([along(to_x, x), along(to_y, y), along(to_z, z)]);
    if is_flat(side, edge, normals, sine_squared) {
        EdgeKind::Flat
    } else if side < 0.0 {
        EdgeKind::Convex
    } else {
        EdgeKind::Concave
    }
}

/// The first open edge of these triangles, as in [`Edges::open`].
///
/// # Errors
///
/// [`Error::MeshOutOfMemory`].
pub fn open_edge(
    triangles: impl ExactSizeIterator<Item = [[f32; 3]; 3]>,
) -> Result<Option<(u32, u32)>, Error> {
    let len = triangles.len();
    let out_of_memory = |_| Error::MeshOutOfMemory { triangles: len };
    let (mut vertices, mut indices) = (Vec::new(), Vec::new());
    pages::try_reserve(&mut vertices, 3 * len).map_err(out_of_memory)?;
    pages::try_reserve(&mut indices, len).map_err(out_of_memory)?;
    for corners in triangles {
        let Ok(first) = u32::try_from(vertices.len() + 2) else {
            return Err(Error::MeshOutOfMemory { triangles: len });
        };
        vertices.extend(corners);
        indices.push([first - 2, first - 1, first]);
    }
    Ok(Edges::of(&vertices, &indices, 0.0)
        .map_err(out_of_memory)?
        .open)
}

/// A number for each vertex of the valid triangles, the same for equal coordinates, and the count of these numbers.
fn weld(
    vertices: &[[f32; 3]],
    indices: &[[u32; 3]],
    kinds: &[u8],
) -> Result<(Vec<u32>, usize), TryReserveError> {
    let mut names: Vec<u32> = Vec::new();
    pages::try_reserve(&mut names, vertices.len())?;
    names.resize(vertices.len(), NONE);
    let mut count = 0;
    for (triangle, _) in indices.iter().zip(kinds).filter(|(_, kinds)| **kinds != 0) {
        for vertex in triangle {
            count += usize::from(names[*vertex as usize] == NONE);
            names[*vertex as usize] = 0;
        }
    }
    // Three coordinates and the index.
    let mut keys: Vec<u128> = Vec::new();
    pages::try_reserve(&mut keys, count)?;
    for (index, (vertex, name)) in vertices.iter().zip(&names).enumerate() {
        if *name != NONE {
            // −0 becomes 0.
            let [x, y, z] = vertex.map(|x| u128::from((x + 0.0).to_bits()));
            keys.push(x << 96 | y << 64 | z << 32 | index as u128);
        }
    }
    keys.sort_unstable();
    let mut distinct = 0usize;
    for run in keys.chunk_by(|a, b| a >> 32 == b >> 32) {
        for key in run {
            names[*key as u32 as usize] = distinct as u32;
        }
        distinct += 1;
    }
    Ok((names, distinct))
}

/// Edges by the lower number of their ends.
struct Buckets {
    /// End of each bucket.
    ends: Vec<usize>,
    /// The higher number in the upper half, the triangle in the lower.
    entries: Vec<u64>,
}

impl Buckets {
    fn new(
        count: usize,
        kinds: &[u8],
        named: impl Fn(u32) -> [u32; 3],
    ) -> Result<Self, TryReserveError> {
        let triangles = || (0..).zip(kinds).filter(|(_, kinds)| **kinds != 0);
        // A bucket begins at the end of its predecessor. Filling it moves its start to its end.
        let mut ends: Vec<usize> = Vec::new();
        pages::try_reserve(&mut ends, count + 1)?;
        ends.resize(count + 1, 0);
        for (triangle, _) in triangles() {
            let [a, b, c] = named(triangle);
            for low in [a.min(b), b.min(c), c.min(a)] {
                ends[low as usize + 1] += 1;
            }
        }
        let mut end = 0;
        for x in &mut ends {
            end += *x;
            *x = end;
        }
        let mut entries: Vec<u64> = Vec::new();
        pages::try_reserve(&mut entries, end)?;
        entries.resize(end, 0);
        for (triangle, _) in triangles() {
            let [a, b, c] = named(triangle);
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let place = &mut ends[p.min(q) as usize];
                entries[*place] = u64::from(p.max(q)) << 32 | u64::from(triangle);
                *place += 1;
            }
        }
        Ok(Buckets { ends, entries })
    }
}

/// The kind of an edge of a [`Mesh`](crate::Mesh).
///
/// Convex and concave are seen from the side to which the normals point, by the right-hand rule. Kinds are computed
/// exactly, so they are the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EdgeKind {
    /// No neighbour, see [`Mesh`](crate::Mesh#neighbours).
    Border = 0,
    /// The triangles are coplanar, or the angle between their normals is below the [flatness](crate::Mesh::with_flatness).
    Flat = 1,
    /// A ridge: the neighbour is below the plane of the triangle.
    Convex = 2,
    /// A valley: the neighbour is above the plane of the triangle.
    Concave = 3,
}
