//! Hulls of few corners around the convex hull of many points.
//!
//! 1. A tetrahedron around the points is cut by planes that support them, each against the corner farthest from the points. A
//!    polytope of F such planes has at most 2 F − 4 corners.
//! 2. Sweeps move corners to better places. All corners first move away from the points, up to a level somewhat below the largest
//!    gap, which does no harm. Then each corner in turn moves to the place nearest to the points from which the faces to its neighbors
//!    do not cut the points: the farther its neighbors, the nearer this place.
//! 3. The corners move outward until, rounded, exact predicates find all points inside.
//!
//! A face of 2 touches the points, but it need not contain one of the planes of 1: for a sphere and 64 corners, sweeps divide the gap
//! by three. Numbers are `f64`, in units of the size of the points, from `+`, `−`, `·`, `/` and the root of an `f32`, in a fixed order.

use alloc::vec::Vec;

use crate::limits::MAX_LENGTH;
use crate::math::dvec::{DVec3, WORLD, f64_max};
use crate::store::hull::surface::{
    Border, FacePlane, Net, TriangleSurface, bounds_of, hull_of, net_of, size_of,
};

/// Distance of planes from the points, 2⁻²²: corners are rounded, and points may be coplanar.
const SKIN: f64 = 1.0 / (1u64 << 22) as f64;
/// Height of a point above a plane that counts as none: some roundings.
const TOLERANCE: f64 = 1.0 / (1u64 << 36) as f64;
/// Distance of planes that the box around the points cuts off.
const FAR: f64 = 16.0;
/// Largest slope of a plane, from the face that it is turned from.
const STEEP: f64 = (1u64 << 20) as f64;
/// Sine of an angle below which planes count as parallel, and the volume that belongs to it.
const PARALLEL: f64 = 1e-12;
/// Maximum number of steps of a search for a nearest point or a plane.
const MAX_STEPS: usize = 32;
/// Number of sweeps over all corners.
const SWEEPS: usize = 12;
/// Level of the first sweeps, in largest gaps.
const LEVEL: f64 = 0.85;
/// Part of the largest gap that a sweep has to gain, or else the next level is higher.
const GAIN: f64 = 0.005;
/// Number of skins to try, each twice the one before. The last one is larger than the points.
const DOUBLINGS: u32 = 32;

/// A plane: a unit normal, outward, and its product with the points of the plane.
type CutPlane = (DVec3, f64);

/// The points to contain: around the center of their bounding box, in units of its largest half extent.
struct PointSet {
    points: Vec<DVec3>,
    /// For each point, those at the other ends of its edges.
    joined: Vec<Vec<u32>>,
}

/// The point of the body that is nearest to a corner, and one to four points whose hull contains it.
#[derive(Clone, Copy)]
struct Foot {
    point: DVec3,
    of: [u32; 4],
    len: usize,
}

/// A corner of a hull around the body.
#[derive(Clone, Copy)]
struct ShellCorner {
    at: DVec3,
    nearest: Foot,
    /// Distance from the body.
    gap: f64,
}

/// Some first point.
const FIRST: Foot = Foot {
    point: DVec3::ZERO,
    of: [0; 4],
    len: 1,
};

impl PointSet {
    fn point(&self, k: u32) -> DVec3 {
        self.points[k as usize]
    }

    /// A point with the largest product with a vector, and this product: along edges that rise, from a point.
    fn support(&self, along: DVec3, from: u32) -> (u32, f64) {
        let (mut at, mut most) = (from, along.dot(self.point(from)));
        loop {
            let last = at;
            for &k in &self.joined[last as usize] {
                let product = along.dot(self.point(k));
                if product > most {
                    (at, most) = (k, product);
                }
            }
            if at == last {
                return (at, most);
            }
        }
    }

    /// The plane through two points that touches the body, turned about them from a plane above the body. The body is to the left of
    /// the way from the first to the second point, seen from above.
    ///
    /// It contains the point of the body with the largest slope. Dinkelbach's method: it turns up to the point farthest above it
    /// until there is none.
    fn tangent(&self, [p, q]: [DVec3; 2], normal: DVec3, from: u32) -> CutPlane {
        let along = (q - p).unit().unwrap_or(WORLD[0]);
        let up = normal - along * normal.dot(along);
        let up = up.unit().unwrap_or(normal);
        let out = along.cross(up);
        let slope_of = |k: u32| {
            let way = self.point(k) - p;
            let run = -out.dot(way);
            if run > TOLERANCE {
                f64_max(up.dot(way) / run, -STEEP)
            } else {
                -STEEP
            }
        };
        let (mut at, mut slope) = (from, slope_of(from));
        for _ in 0..MAX_STEPS {
            let normal = up + out * slope;
            let (top, most) = self.support(normal, at);
            let next = slope_of(top);
            if most <= normal.dot(p) || next <= slope {
                break;
            }
            (at, slope) = (top, next);
        }
        let normal = (up + out * slope).unit().unwrap_or(up);
        (normal, f64_max(normal.dot(p), normal.dot(q)))
    }

    /// A corner at a point. The search for its gap starts from points of the body near it.
    fn corner(&self, at: DVec3, from: &Foot) -> ShellCorner {
        let mut nearest = self.nearest_of(at, &from.of[..from.len]);
        for _ in 0..MAX_STEPS {
            let way = at - nearest.point;
            let squared = way.dot(way);
            let (top, most) = self.support(way, nearest.of[0]);
            let len = nearest.len;
            let gain = most - way.dot(nearest.point);
            if gain <= squared * 1e-6 || len == 4 || nearest.of[..len].contains(&top) {
                break;
            }
            let mut of = nearest.of;
            of[len] = top;
            let next = self.nearest_of(at, &of[..=len]);
            let way = at - next.point;
            if way.dot(way) >= squared {
                break;
            }
            nearest = next;
        }
        let gap = (at - nearest.point).length();
        ShellCorner { at, nearest, gap }
    }

    /// The point of the hull of one to four points that is nearest to another one: the nearest of those of all their subsets.
    fn nearest_of(&self, to: DVec3, of: &[u32]) -> Foot {
        let mut ways = [DVec3::ZERO; 4];
        for (way, k) in ways.iter_mut().zip(of) {
            *way = self.point(*k) - to;
        }
        let (mut best, mut least) = (FIRST, f64::INFINITY);
        for set in 1..1usize << of.len() {
            let (mut members, mut len) = ([0; 4], 0);
            for k in 0..of.len() {
                if set >> k & 1 == 1 {
                    members[len] = k;
                    len += 1;
                }
            }
            let Some(parts) = parts_of(members.map(|k| ways[k]), len) else {
                continue;
            };
            let mut way = DVec3::ZERO;
            for k in 0..len {
                way = way + ways[members[k]] * parts[k];
            }
            let squared = way.dot(way);
            if squared < least {
                least = squared;
                best = Foot {
                    point: to + way,
                    of: members.map(|k| of[k]),
                    len,
                };
            }
        }
        best
    }

    /// The corner above some planes that is nearest to the body, by projections onto both in turn. `None` if no point is above all.
    fn place(&self, planes: &[CutPlane], from: &Foot) -> Option<ShellCorner> {
        let mut best = self.corner(beyond(from.point, planes)?, from);
        for _ in 0..4 {
            let next = beyond(best.nearest.point, planes)?;
            let next = self.corner(next, &best.nearest);
            let gain = best.gap - next.gap;
            if gain > 0.0 {
                best = next;
            }
            if gain <= best.gap * 1e-3 {
                break;
            }
        }
        Some(best)
    }
}

/// The parts of one to four vectors in the shortest vector of their affine hull, if all parts are positive.
fn parts_of([a, b, c, d]: [DVec3; 4], len: usize) -> Option<[f64; 4]> {
    let (u, v, w) = (b - a, c - a, d - a);
    let (parts, whole) = match len {
        1 => ([0.0; 3], 1.0),
        2 => ([-a.dot(u), 0.0, 0.0], u.dot(u)),
        3 => {
            let normal = u.cross(v);
            let parts = [v.cross(a).dot(normal), a.cross(u).dot(normal), 0.0];
            (parts, normal.dot(normal))
        }
        _ => {
            let whole = u.dot(v.cross(w));
            let sign = if whole < 0.0 { -1.0 } else { 1.0 };
            let parts = [v.cross(w), w.cross(u), u.cross(v)];
            (parts.map(|n| -sign * a.dot(n)), sign * whole)
        }
    };
    let [second, third, fourth] = parts;
    let parts = [whole - second - third - fourth, second, third, fourth];
    let are_positive = parts[..len].iter().all(|part| *part > 0.0);
    are_positive.then(|| parts.map(|part| part / whole))
}

/// The point above some planes that is nearest to another one, up to roundings. It is in one plane, two or three.
fn beyond(from: DVec3, planes: &[CutPlane]) -> Option<DVec3> {
    let deepest = |step: DVec3| {
        let depths = planes.iter().map(|(n, offset)| offset - n.dot(from + step));
        depths.fold(f64::NEG_INFINITY, f64_max)
    };
    if deepest(DVec3::ZERO) <= TOLERANCE {
        return Some(from);
    }
    let planes: Vec<CutPlane> = planes
        .iter()
        .map(|(n, offset)| (*n, offset - n.dot(from)))
        .collect();
    let shortest = |steps: &mut dyn Iterator<Item = DVec3>| {
        let good = steps.filter(|step| deepest(*step) <= TOLERANCE);
        good.reduce(|a, b| if b.dot(b) < a.dot(a) { b } else { a })
    };
    let pairs = || {
        let before = |(k, b)| planes[..k].iter().map(move |a| (k, a, b));
        planes.iter().enumerate().flat_map(before)
    };
    let mut one = planes.iter().filter(|plane| plane.1 > 0.0);
    let mut one = one.by_ref().map(|(normal, depth)| *normal * *depth);
    let mut two = pairs().filter_map(|(_, a, b)| {
        let cosine = a.0.dot(b.0);
        let whole = 1.0 - cosine * cosine;
        let parts = [a.1 - cosine * b.1, b.1 - cosine * a.1];
        let is_inside = whole > PARALLEL && parts[0] >= 0.0 && parts[1] >= 0.0;
        is_inside.then(|| a.0 * (parts[0] / whole) + b.0 * (parts[1] / whole))
    });
    let mut three = pairs().flat_map(|(k, a, b)| {
        let rest = planes[k + 1..].iter();
        rest.filter_map(move |c| meet([*a, *b, *c]))
    });
    let step = shortest(&mut one)
        .or_else(|| shortest(&mut two))
        .or_else(|| shortest(&mut three))?;
    Some(from + step)
}

/// The point that three planes share.
fn meet([a, b, c]: [CutPlane; 3]) -> Option<DVec3> {
    let (bc, ca, ab) = (b.0.cross(c.0), c.0.cross(a.0), a.0.cross(b.0));
    let whole = a.0.dot(bc);
    (whole.abs() > PARALLEL).then(|| (bc * a.1 + ca * b.1 + ab * c.1) * (1.0 / whole))
}

/// The plane of a triangle.
fn plane_of([p, q, r]: [DVec3; 3]) -> Option<CutPlane> {
    let normal = (q - p).cross(r - p).unit()?;
    let offset = f64_max(normal.dot(p), normal.dot(q));
    Some((normal, f64_max(offset, normal.dot(r))))
}

/// The corner with the largest gap.
fn worst(corners: impl Iterator<Item = ShellCorner>) -> Option<ShellCorner> {
    corners.reduce(|a, b| if b.gap > a.gap { b } else { a })
}

/// A polytope of planes that support the body, as its dual: corners of the surface are planes, and its faces are corners.
struct Cuts<'b> {
    body: &'b PointSet,
    planes: Vec<CutPlane>,
    dual: TriangleSurface,
    /// The corner of each face.
    corners: Vec<Option<ShellCorner>>,
}

impl<'b> Cuts<'b> {
    /// A tetrahedron of planes so far from the body.
    fn new(body: &'b PointSet, far: f64) -> Option<Self> {
        let mut cuts = Cuts {
            body,
            planes: Vec::new(),
            dual: TriangleSurface::tetrahedron(),
            corners: alloc::vec![None; 4],
        };
        for signs in [
            [-1.0, -1.0, -1.0],
            [-1.0, 1.0, 1.0],
            [1.0, -1.0, 1.0],
            [1.0, 1.0, -1.0],
        ] {
            let (normal, offset) = cuts.support(DVec3(signs).unit()?);
            cuts.planes.push((normal, offset + far));
        }
        for face in 0..4 {
            cuts.find_corner(face, &FIRST)?;
        }
        Some(cuts)
    }

    fn support(&self, normal: DVec3) -> CutPlane {
        (normal, self.body.support(normal, 0).1 + SKIN)
    }

    fn find_corner(&mut self, face: u32, near: &Foot) -> Option<()> {
        let planes = self.dual.face(face).map(|k| self.planes[k as usize]);
        let corner = self.body.corner(meet(planes)?, near);
        let face = face as usize;
        if face == self.corners.len() {
            self.corners.push(None);
        }
        self.corners[face] = Some(corner);
        Some(())
    }

    fn corners(&self) -> impl Iterator<Item = ShellCorner> {
        let faces = self.dual.faces();
        faces.filter_map(|(face, _)| self.corners[face as usize])
    }

    /// Cuts off what is above the plane that supports the body along a normal. `None` if that is not possible: the cuts are then of
    /// no use.
    fn cut(&mut self, normal: DVec3) -> Option<()> {
        let plane = self.support(normal);
        let height = |face: u32| {
            let corner = self.corners[face as usize];
            corner.map_or(0.0, |corner| normal.dot(corner.at) - plane.1)
        };
        let faces = self.dual.faces().map(|(face, _)| face);
        let top = faces.reduce(|a, b| if height(b) > height(a) { b } else { a })?;
        if height(top) <= 0.0 {
            return Some(());
        }
        let near = self.corners[top as usize]?.nearest;
        let mut region = alloc::vec![top];
        self.dual.grow(&mut region, |face| height(face) > 0.0);
        let horizon = self.dual.horizon(&region)?;
        let index = self.planes.len() as u32;
        self.planes.push(plane);
        for face in self.dual.fan(&region, &horizon, index) {
            self.find_corner(face, &near)?;
        }
        Some(())
    }
}

/// The corners of a polytope of supporting planes, at most so many: a tetrahedron or a box, and cuts.
fn cut_corners(body: &PointSet, most: usize) -> Option<Vec<ShellCorner>> {
    let mut cuts = Cuts::new(body, if most < 8 { 0.0 } else { FAR })?;
    if most >= 8 {
        for axis in WORLD {
            cuts.cut(axis)?;
            cuts.cut(-axis)?;
        }
    }
    let mut best: Vec<ShellCorner> = cuts.corners().collect();
    while best.len() + 2 <= most {
        let worst = worst(best.iter().copied())?;
        let Some(normal) = (worst.at - worst.nearest.point).unit() else {
            break;
        };
        if worst.gap <= 4.0 * SKIN || cuts.cut(normal).is_none() {
            break;
        }
        let next: Vec<ShellCorner> = cuts.corners().collect();
        if next.len() > most {
            break;
        }
        best = next;
    }
    Some(best)
}

/// A closed surface around the body.
struct Shell<'b> {
    body: &'b PointSet,
    surface: TriangleSurface,
    corners: Vec<ShellCorner>,
}

impl<'b> Shell<'b> {
    /// The convex hull of corners.
    fn new(body: &'b PointSet, corners: Vec<ShellCorner>) -> Option<Self> {
        let points: Vec<[f32; 3]> = corners.iter().map(|corner| corner.at.to_f32()).collect();
        let surface = hull_of(&points)?;
        Some(Shell {
            body,
            surface,
            corners,
        })
    }

    fn plane(&self, face: u32) -> Option<CutPlane> {
        plane_of(self.surface.face(face).map(|k| self.at(k)))
    }

    fn at(&self, corner: u32) -> DVec3 {
        self.corners[corner as usize].at
    }

    /// Moves each corner to its best place, those with the largest gaps first, and back to a level.
    fn sweep(&mut self, level: f64) {
        let mut order: Vec<u32> = (0..self.corners.len() as u32).collect();
        let gap = |k: &u32| self.corners[*k as usize].gap;
        order.sort_by(|a, b| gap(b).total_cmp(&gap(a)));
        for k in order {
            let face = self.surface.faces().find(|(_, face)| face.contains(&k));
            if let Some((face, _)) = face {
                let region = self.surface.around(k, face);
                // A corner whose faces are no fan, or with no place, stays.
                self.replace(region, &self.corners[k as usize].nearest.clone(), level);
            }
        }
    }

    /// Replaces the faces at a corner, and further faces below its new place, by faces to this place.
    fn replace(&mut self, mut region: Vec<u32>, near: &Foot, level: f64) -> Option<()> {
        let horizon = self.surface.horizon(&region)?;
        let planes: Vec<CutPlane> = horizon
            .iter()
            .filter_map(|border| self.tangent(&region, border, near.of[0]))
            .collect();
        let corner = raised(self.body.place(&planes, near)?, level);
        self.surface.grow(&mut region, |face| {
            let plane = self.plane(face);
            plane.is_some_and(|(n, offset)| n.dot(corner.at) > offset + TOLERANCE)
        });
        let horizon = self.surface.horizon(&region)?;
        let index = self.corners.len() as u32;
        self.corners.push(corner);
        self.surface.fan(&region, &horizon, index);
        Some(())
    }

    /// The plane through an edge of the horizon that touches the body, turned from the face of the region beside it.
    fn tangent(&self, region: &[u32], border: &Border, near: u32) -> Option<CutPlane> {
        let [p, q] = border.ends;
        let has_edge = |face: &&u32| {
            let [a, b, c] = self.surface.face(**face);
            [[a, b], [b, c], [c, a]].contains(&[p, q])
        };
        let (normal, _) = self.plane(*region.iter().find(has_edge)?)?;
        Some(self.body.tangent([p, q].map(|k| self.at(k)), normal, near))
    }

    /// The corners that faces have.
    fn into_corners(self) -> Vec<ShellCorner> {
        let mut used: Vec<u32> = self.surface.faces().flat_map(|(_, face)| face).collect();
        used.sort_unstable();
        used.dedup();
        used.iter().map(|k| self.corners[*k as usize]).collect()
    }
}

/// A corner away from its nearest point, at a gap of at least a level.
///
/// The hull of corners does not lose the body: a plane above all raised corners with a part of the body above it would have been above
/// them before, since each moves away from a point of the body.
fn raised(corner: ShellCorner, level: f64) -> ShellCorner {
    match (corner.at - corner.nearest.point).unit() {
        Some(way) if corner.gap < level => ShellCorner {
            at: corner.nearest.point + way * level,
            gap: level,
            ..corner
        },
        _ => corner,
    }
}

/// Corners of a hull around the body, at most so many.
fn around(body: &PointSet, most: usize) -> Option<Vec<ShellCorner>> {
    let mut best = cut_corners(body, most)?;
    let mut gap = worst(best.iter().copied())?.gap;
    let mut level = LEVEL;
    for _ in 0..SWEEPS {
        let corners = best.iter().map(|corner| raised(*corner, gap * level));
        let Some(mut shell) = Shell::new(body, corners.collect()) else {
            break;
        };
        shell.sweep(gap * level);
        let corners = shell.into_corners();
        let next = worst(corners.iter().copied())?.gap;
        if next > gap * (1.0 - GAIN) {
            level = 0.5 * (1.0 + level);
        }
        if next < gap {
            (best, gap) = (corners, next);
        }
    }
    Some(best)
}

/// Corners moved to at least `by` above the planes of all faces at them.
fn grown(corners: &[[f32; 3]], by: f64) -> Option<Vec<DVec3>> {
    let surface = hull_of(corners)?;
    let at = |k: u32| DVec3::of(corners[k as usize]);
    let mut planes = alloc::vec![Vec::new(); corners.len()];
    for (_, face) in surface.faces() {
        let (normal, offset) = plane_of(face.map(at))?;
        for k in face {
            planes[k as usize].push((normal, offset + by));
        }
    }
    let used = (0..).zip(&planes).filter(|(_, planes)| !planes.is_empty());
    used.map(|(k, planes)| beyond(at(k), planes)).collect()
}

/// Whether all points are in the convex hull of corners, exactly; false for corners above the limit of lengths.
fn contain(corners: &[[f32; 3]], points: &[[f32; 3]]) -> bool {
    // Exact predicates need lengths of shapes.
    if size_of(corners) > f64::from(MAX_LENGTH) {
        return false;
    }
    let size = f64_max(size_of(corners), size_of(points));
    hull_of(corners).is_some_and(|surface| {
        surface.faces().all(|(_, face)| {
            let plane = FacePlane::new(face.map(|k| corners[k as usize]), size);
            points.iter().all(|point| plane.height(*point) <= 0.0)
        })
    })
}

/// At most so many corners (at least 4) of a convex hull that contains points with valid coordinates, and the largest distance of such
/// a corner from the convex hull of the points, rounded up. `None` without points.
///
/// If that hull has no more corners, these are the corners, and the distance is 0. Otherwise corners may be above the limit of lengths.
pub fn outer(points: &[[f32; 3]], most: usize) -> Option<(Vec<[f32; 3]>, f32)> {
    let Net {
        points: used,
        joined,
        corners,
    } = net_of(points)?;
    let of = |indices: &[u32]| indices.iter().map(|k| points[*k as usize]).collect();
    if corners.len() <= most {
        return Some((of(&corners), 0.0));
    }
    let points: Vec<[f32; 3]> = of(&used);
    let (middle, [x, y, z]) = bounds_of(&points);
    let middle = DVec3(middle);
    let scale = f64_max(f64_max(x, y), z);
    let local = |point: [f32; 3]| (DVec3::of(point) - middle) * (1.0 / scale);
    let body = PointSet {
        points: points.iter().map(|point| local(*point)).collect(),
        joined,
    };
    let placed = |at: &DVec3| (*at * scale + middle).to_f32();
    let best: Option<Vec<[f32; 3]>> = around(&body, most).and_then(|corners| {
        let corners: Vec<_> = corners.iter().map(|corner| corner.at.to_f32()).collect();
        (0..DOUBLINGS).find_map(|k| {
            let grown = grown(&corners, SKIN * (1u64 << k) as f64)?;
            let grown: Vec<_> = grown.iter().map(placed).collect();
            contain(&grown, &points).then_some(grown)
        })
    });
    // Otherwise a tetrahedron around the points, which are at most 1 along each axis, farther away than they are rounded.
    let tetrahedron = || {
        let mut corners = [DVec3([-2.0; 3]); 4];
        for axis in 0..3 {
            corners[axis + 1].0[axis] = 12.0;
        }
        corners.iter().map(placed).collect()
    };
    let corners = best.unwrap_or_else(tetrahedron);
    let gaps = corners
        .iter()
        .map(|corner| body.corner(local(*corner), &FIRST).gap);
    let gap = gaps.fold(0.0, f64_max);
    // Roundings of a gap are below 2⁻⁴⁰: some 2⁻⁵² of lengths below 2¹¹.
    let growth = (gap + TOLERANCE * 0.125) * scale;
    Some((corners, (growth as f32).next_up()))
}
