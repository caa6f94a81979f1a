//! Closed surfaces of triangles, and the exact convex hull of any number of points.
//!
//! Quickhull: each point above a face is in the list of one such face, and the farthest of a list joins the hull. Source: C. B.
//! Barber, D. P. Dobkin and H. Huhdanpaa, "The Quickhull Algorithm for Convex Hulls", ACM Transactions on Mathematical Software 22,
//! 1996. Signs are those of [`side`], so the surface is exactly convex, whatever the points; coplanar triangles stay apart.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::lane::Float;
use crate::math::dvec::{DVec3, f64_max};
use crate::math::exact::{normal, side};

/// No face, and no point.
const NONE: u32 = u32::MAX;
/// Size of a region from which on a set of its faces is faster than a list.
const FEW: usize = 32;
/// Part of the product of three lengths by which a height in `f64` may be off: 32 · 2⁻⁵³ by the roundings, and 16 times that.
const CERTAIN: f64 = 1.0 / (1u64 << 44) as f64;

/// A closed surface: triangles, counterclockwise seen from outside, and the faces across their edges.
#[derive(Clone)]
pub struct TriangleSurface {
    /// Corners of each face. Unused faces have none.
    faces: Vec<Option<[u32; 3]>>,
    /// The face across the edge from each corner to the next one.
    across: Vec<[u32; 3]>,
    unused: Vec<u32>,
}

/// An edge of the horizon of a region: its ends, counterclockwise around the region, and the face beyond it.
#[derive(Clone, Copy)]
pub struct Border {
    pub ends: [u32; 2],
    pub beyond: u32,
}

impl TriangleSurface {
    /// The tetrahedron of corners 0 to 3. Seen from outside, 0, 1 and 2 are counterclockwise.
    pub fn tetrahedron() -> Self {
        TriangleSurface {
            faces: [[0, 1, 2], [0, 3, 1], [1, 3, 2], [2, 3, 0]]
                .map(Some)
                .into(),
            across: [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]].into(),
            unused: Vec::new(),
        }
    }

    /// Indices and corners of all faces.
    pub fn faces(&self) -> impl Iterator<Item = (u32, [u32; 3])> {
        let faces = (0..).zip(&self.faces);
        faces.filter_map(|(index, face)| Some((index, (*face)?)))
    }

    /// Corners of a face that exists.
    pub fn face(&self, face: u32) -> [u32; 3] {
        self.faces[face as usize].unwrap_or_default()
    }

    /// The faces at a corner, given one of them.
    pub fn around(&self, corner: u32, first: u32) -> Vec<u32> {
        let mut faces = Vec::new();
        let mut face = first;
        while faces.len() < self.faces.len() {
            faces.push(face);
            let at = self.face(face).iter().position(|other| *other == corner);
            face = self.across[face as usize][at.unwrap_or(0)];
            if face == first {
                break;
            }
        }
        faces
    }

    /// Adds to a region all visible faces that are connected with it.
    pub fn grow(&self, region: &mut Vec<u32>, is_visible: impl Fn(u32) -> bool) {
        // Of a large region; a short list is faster without.
        let mut set = BTreeSet::new();
        let mut at = 0;
        while at < region.len() {
            for face in self.across[region[at] as usize] {
                let is_in = match region.len() {
                    0..FEW => region.contains(&face),
                    _ => {
                        if set.is_empty() {
                            set.extend(region.iter().copied());
                        }
                        set.contains(&face)
                    }
                };
                if !is_in && is_visible(face) {
                    region.push(face);
                    if !set.is_empty() {
                        set.insert(face);
                    }
                }
            }
            at += 1;
        }
    }

    /// The horizon of a region, in order. `None` if it is not one ring that passes each corner once.
    pub fn horizon(&self, region: &[u32]) -> Option<Vec<Border>> {
        let mut inside = region.to_vec();
        inside.sort_unstable();
        let mut borders: Vec<Border> = Vec::new();
        for &face in region {
            let corners = self.face(face);
            for k in 0..3 {
                let beyond = self.across[face as usize][k];
                if inside.binary_search(&beyond).is_err() {
                    let ends = [corners[k], corners[(k + 1) % 3]];
                    borders.push(Border { ends, beyond });
                }
            }
        }
        let first = *borders.first()?;
        borders.sort_unstable_by_key(|border| border.ends[0]);
        let is_passed_twice = |two: &[Border]| two[0].ends[0] == two[1].ends[0];
        if borders.windows(2).any(is_passed_twice) {
            return None;
        }
        let mut ring = Vec::with_capacity(borders.len());
        let mut border = first;
        while ring.len() < borders.len() {
            ring.push(border);
            let next = borders.binary_search_by_key(&border.ends[1], |border| border.ends[0]);
            border = borders[next.ok()?];
            if border.ends[0] == first.ends[0] {
                break;
            }
        }
        (ring.len() == borders.len() && border.ends[0] == first.ends[0]).then_some(ring)
    }

    /// Replaces a region by a fan from its horizon to a corner, and returns the new faces in the order of the horizon.
    pub fn fan(&mut self, region: &[u32], horizon: &[Border], corner: u32) -> Vec<u32> {
        for &face in region {
            self.faces[face as usize] = None;
        }
        self.unused.extend(region);
        let mut new = Vec::with_capacity(horizon.len());
        for border in horizon {
            let face = self.unused.pop().unwrap_or_else(|| {
                self.faces.push(None);
                self.across.push([NONE; 3]);
                self.faces.len() as u32 - 1
            });
            let [p, q] = border.ends;
            self.faces[face as usize] = Some([p, q, corner]);
            let beyond = self.face(border.beyond);
            for k in 0..3 {
                if [beyond[(k + 1) % 3], beyond[k]] == border.ends {
                    self.across[border.beyond as usize][k] = face;
                }
            }
            new.push(face);
        }
        let len = new.len();
        for (k, border) in horizon.iter().enumerate() {
            let [after, before] = [new[(k + 1) % len], new[(k + len - 1) % len]];
            self.across[new[k] as usize] = [border.beyond, after, before];
        }
        new
    }

    /// The convex hull of points with valid coordinates, given four that are not coplanar.
    fn hull(points: &[[f32; 3]], first: [u32; 4]) -> Option<Self> {
        let at = |k: u32| points[k as usize];
        let size = size_of(points);
        let mut surface = Self::tetrahedron();
        let [a, mut b, mut c, d] = first;
        if side([a, b, c, d].map(at)) > 0.0 {
            (b, c) = (c, b);
        }
        for face in surface.faces.iter_mut().flatten() {
            *face = face.map(|k| [a, b, c, d][k as usize]);
        }
        // Points above each face; and faces to look at.
        let mut above: Vec<Vec<u32>> = Vec::new();
        let mut left = Vec::new();
        let mut planes: Vec<FacePlane> = Vec::new();
        let (mut new, mut waiting): (Vec<u32>, Vec<u32>) =
            ((0..4).collect(), (0..points.len() as u32).collect());
        loop {
            above.resize(surface.faces.len(), Vec::new());
            for &face in &new {
                let plane = FacePlane::new(surface.face(face).map(at), size);
                match planes.get_mut(face as usize) {
                    Some(to) => *to = plane,
                    None => planes.push(plane),
                }
            }
            for k in waiting {
                let is_below = |face: &&u32| planes[**face as usize].height(at(k)) > 0.0;
                if let Some(face) = new.iter().find(is_below) {
                    above[*face as usize].push(k);
                }
            }
            left.append(&mut new);
            let face = loop {
                match left.pop() {
                    None => return Some(surface),
                    Some(face) if above[face as usize].is_empty() => {}
                    Some(face) => break face,
                }
            };
            let height = |k: u32| planes[face as usize].height(at(k));
            let farthest = above[face as usize].iter().copied();
            let farthest = farthest.reduce(|a, b| if height(b) > height(a) { b } else { a })?;
            let mut region = alloc::vec![face];
            surface.grow(&mut region, |face| {
                planes[face as usize].height(at(farthest)) > 0.0
            });
            let horizon = surface.horizon(&region)?;
            waiting = Vec::new();
            for &face in &region {
                waiting.append(&mut above[face as usize]);
            }
            new = surface.fan(&region, &horizon, farthest);
            new.sort_unstable();
        }
    }
}

/// The plane of a face, in `f64` and exact.
pub struct FacePlane {
    corners: [[f32; 3]; 3],
    normal: DVec3,
    offset: f64,
    /// Height from which the sign in `f64` is certain.
    ///
    /// With the edges u and v from the first corner, the normal errs by at most 8 ε |u| |v| of its 1-norms, and so does each of the
    /// two products with a point, whose coordinates are at most the size: 32 ε |u| |v| of the size in all.
    certain: f64,
}

impl FacePlane {
    /// The plane through three points, for points with coordinates of at most a size.
    pub fn new(corners: [[f32; 3]; 3], size: f64) -> Self {
        let [a, b, c] = corners.map(DVec3::of);
        let (u, v) = (b - a, c - a);
        let normal = u.cross(v);
        FacePlane {
            corners,
            normal,
            offset: normal.dot(a),
            certain: u.norm1() * v.norm1() * size * CERTAIN,
        }
    }

    /// A number with the sign of the height of a point above the plane, exactly, and nearly proportional to this height.
    #[inline]
    pub fn height(&self, point: [f32; 3]) -> f64 {
        let height = self.normal.dot(DVec3::of(point)) - self.offset;
        if height.abs() > self.certain {
            return height;
        }
        let [a, b, c] = self.corners;
        side([a, b, c, point])
    }
}

/// Largest absolute coordinate.
pub fn size_of(points: &[[f32; 3]]) -> f64 {
    let coordinates = points.as_flattened().iter();
    coordinates.fold(0.0, |most, x| f64_max(f64::from(*x).abs(), most))
}

/// Center and half extents of the bounding box of points, in `f64`.
pub fn bounds_of(points: &[[f32; 3]]) -> ([f64; 3], [f64; 3]) {
    let (mut least, mut most) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for point in points {
        for axis in 0..3 {
            least[axis] = Float::min(least[axis], point[axis]);
            most[axis] = Float::max(most[axis], point[axis]);
        }
    }
    let half = |sign: f64| {
        [0, 1, 2].map(|axis| 0.5 * (f64::from(most[axis]) + sign * f64::from(least[axis])))
    };
    (half(1.0), half(-1.0))
}

/// The convex hull of points with valid coordinates, if they are not coplanar.
pub fn hull_of(points: &[[f32; 3]]) -> Option<TriangleSurface> {
    match first_four(points)? {
        First::Solid(first) => TriangleSurface::hull(points, first),
        _ => None,
    }
}

/// The points of a convex hull, and its edges.
pub struct Net {
    /// Indices of points, in ascending order: the corners of the hull, and some within its faces and edges.
    pub points: Vec<u32>,
    /// For each of these points, those at the other ends of its edges, by their place in `points`. No edges if all are collinear.
    pub joined: Vec<Vec<u32>>,
    /// Indices of the corners of the hull, in ascending order. Of equal points, one is a corner.
    pub corners: Vec<u32>,
}

/// The convex hull of points with valid coordinates. `None` without points.
pub fn net_of(points: &[[f32; 3]]) -> Option<Net> {
    let apex = points.len() as u32;
    let mut points = points.to_vec();
    let first = match first_four(&points)? {
        First::Line([p, q]) => {
            let mut ends = alloc::vec![p, q];
            ends.sort_unstable();
            ends.dedup();
            return Some(Net {
                points: ends.clone(),
                joined: alloc::vec![Vec::new(); ends.len()],
                corners: ends,
            });
        }
        First::Plane([a, b, c]) => {
            // As the base of a pyramid.
            points.push(off_plane([a, b, c].map(|k| points[k as usize])));
            [a, b, c, apex]
        }
        First::Solid(first) => first,
    };
    let surface = TriangleSurface::hull(&points, first)?;
    // Edges from a point to another one, and whether the faces beside them are not coplanar.
    let mut edges: Vec<(u32, u32, bool)> = Vec::new();
    for (face, corners) in surface.faces() {
        for k in 0..3 {
            let beyond = surface.face(surface.across[face as usize][k]);
            let [p, q, r] = [k, (k + 1) % 3, (k + 2) % 3].map(|k| corners[k]);
            let is_off = |k: &u32| side([p, q, r, *k].map(|k| points[k as usize])) != 0.0;
            edges.push((p, q, beyond.iter().any(is_off)));
        }
    }
    edges.sort_unstable();
    let mut used: Vec<u32> = edges.iter().map(|edge| edge.0).collect();
    used.dedup();
    used.retain(|k| *k != apex);
    let (mut joined, mut corners) = (Vec::with_capacity(used.len()), Vec::new());
    for &k in &used {
        let from = edges.partition_point(|edge| edge.0 < k);
        let own = edges[from..].iter().take_while(|edge| edge.0 == k);
        // A corner has three edges or more whose faces are not coplanar. A point within an edge has two, within a face none.
        if own.clone().filter(|edge| edge.2).count() >= 3 {
            corners.push(k);
        }
        let others = own.filter_map(|edge| used.binary_search(&edge.1).ok());
        joined.push(others.map(|k| k as u32).collect());
    }
    Some(Net {
        points: used,
        joined,
        corners,
    })
}

/// Points from which the hull of all starts.
enum First {
    /// All are between two: the first and the last in lexicographic order.
    Line([u32; 2]),
    /// All are coplanar with three.
    Plane([u32; 3]),
    Solid([u32; 4]),
}

fn first_four(points: &[[f32; 3]]) -> Option<First> {
    let at = |k: u32| points[k as usize];
    let all = 0..points.len() as u32;
    let a = all
        .clone()
        .reduce(|a, k| if at(k) < at(a) { k } else { a })?;
    let b = all
        .clone()
        .reduce(|b, k| if at(k) > at(b) { k } else { b })?;
    let farthest = |from: &dyn Fn(u32) -> f64| {
        let far = all.clone().filter(|k| from(*k) > 0.0);
        far.reduce(|far, k| if from(k) > from(far) { k } else { far })
    };
    let Some(c) = farthest(&|k| normal([a, b, k].map(at)).norm1()) else {
        return Some(First::Line([a, b]));
    };
    Some(match farthest(&|k| side([a, b, c, k].map(at)).abs()) {
        Some(d) => First::Solid([a, b, c, d]),
        None => First::Plane([a, b, c]),
    })
}

/// A point that is not in the plane of a triangle, with coordinates no larger than the triangle's.
fn off_plane(triangle: [[f32; 3]; 3]) -> [f32; 3] {
    let normal = normal(triangle);
    let steeper = |best: usize, k: usize| {
        if normal[k].abs() > normal[best].abs() {
            k
        } else {
            best
        }
    };
    let axis = steeper(steeper(0, 1), 2);
    let size = size_of(&triangle) as f32;
    let mut apex = triangle[0];
    apex[axis] = if apex[axis] > 0.0 { -size } else { size };
    apex
}

#[cfg(all(test, feature = "contact"))]
mod tests {
    use alloc::collections::BTreeSet;

    use super::*;
    use crate::common::{cases_or, rng};
    use crate::store::hull::faces::HullFaces;
    use rand::RngExt;

    /// Gift wrapping is the oracle: of points of a small grid most are coplanar, collinear or equal.
    #[test]
    fn corners_are_those_of_the_faces_by_gift_wrapping() {
        let mut rng = rng("nets of hulls");
        for case in 0..cases_or(2000) {
            let (count, size) = (rng.random_range(1..=64), rng.random_range(0..6));
            let scale = [1.0, 3e-3, 1e15, 1e-44][case % 4];
            let mut coordinate = |axis: usize| {
                let most = if case % 3 == axis { size / 3 } else { size };
                rng.random_range(-most..=most) as f32 * scale
            };
            let points: Vec<[f32; 3]> =
                (0..count).map(|_| [0, 1, 2].map(&mut coordinate)).collect();
            let faces = HullFaces::new(&points);
            let bits = |k: usize| points[k].map(|x| (x + 0.0).to_bits());
            let expected: BTreeSet<_> = faces
                .corners
                .iter()
                .map(|k| bits(usize::from(*k)))
                .collect();
            let net = net_of(&points).unwrap();
            let corners: BTreeSet<_> = net.corners.iter().map(|k| bits(*k as usize)).collect();
            assert_eq!(corners, expected, "{points:?}");
            assert_eq!(net.corners.len(), expected.len());
            assert!(net.corners.iter().all(|k| net.points.contains(k)));
            for (k, joined) in (0..).zip(&net.joined) {
                let is_mutual = |other: &u32| net.joined[*other as usize].contains(&k);
                assert!(joined.iter().all(is_mutual));
            }
        }
    }
}
