//! Volumes that two boxes have in common, in float64: one box is clipped by the six planes of the other, unless both boxes have
//! vertical axes.

use std::cmp::Ordering;
use std::sync::{Mutex, PoisonError};
use std::thread;

use phalanx::{Aabb, Detector, Obb, Overlaps, Pairs, StoreRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::any_store::View;
use crate::dispatch;
use crate::raised;
use crate::upright::{Group, Upright, axis_aligned, center_and_half, volume};
use crate::vector::{Vector, det, dot, minus};

/// Grain size: number of pairs that a thread takes at once.
const GRAIN: usize = 2048;

/// A result of two boxes that overlap.
#[derive(Clone, Copy)]
pub enum Measure {
    /// The volume of the intersection.
    Intersection,
    /// The volume of the intersection, divided by that of the union; 0 if the union has none.
    Iou,
}

impl Measure {
    /// Of the volume in common and the sum of both volumes.
    fn of(self, common: f64, sum: f64) -> f64 {
        match self {
            Measure::Intersection => common,
            Measure::Iou => {
                let union = sum - common;
                if union > 0.0 { common / union } else { 0.0 }
            }
        }
    }
}

/// The boxes of a store.
#[derive(Clone, Copy)]
enum Boxes<'a, 's> {
    Aabbs(&'a StoreRef<'s, Aabb>),
    Obbs(&'a StoreRef<'s, Obb>),
}

/// Fails with a TypeError, with the name of the argument, unless the store is of boxes.
pub fn check_boxes(name: &str, view: &View<'_>) -> PyResult<()> {
    Boxes::new(name, view).map(|_| ())
}

impl<'a, 's> Boxes<'a, 's> {
    fn new(name: &str, view: &'a View<'s>) -> PyResult<Self> {
        match view {
            View::Aabb(store) => Ok(Boxes::Aabbs(store)),
            View::Obb(store) => Ok(Boxes::Obbs(store)),
            other => Err(PyTypeError::new_err(format!(
                "{name} is {}, not Aabbs or Obbs",
                other.stores()
            ))),
        }
    }

    fn get(&self, index: u32) -> Solid {
        match self {
            Boxes::Aabbs(store) => Solid::from(store.get(index).unwrap_or_default()),
            Boxes::Obbs(store) => Solid::from(store.get(index).unwrap_or_default()),
        }
    }

    /// The box, if its third axis is vertical.
    fn upright(&self, index: u32) -> Option<Upright> {
        match self {
            Boxes::Aabbs(store) => store.get(index).map(Upright::from),
            Boxes::Obbs(store) => store.get(index).and_then(Upright::new),
        }
    }
}

/// Measures each pair: 0 for separated boxes, NaN for pairs with an invalid box.
pub fn measured(
    detector: &mut Detector,
    a: &View<'_>,
    b: &View<'_>,
    pairs: Pairs<'_>,
    measure: Measure,
) -> PyResult<Vec<f64>> {
    let boxes = (Boxes::new("a", a)?, Boxes::new("b", b)?);
    // No pair with a volume in common is missed, so that only hits are clipped.
    let mut overlaps = Overlaps::new();
    dispatch::call::<Overlaps>(detector, a, b, pairs, &mut overlaps)?;
    let hits: Vec<_> = overlaps.hits(pairs).map_err(raised)?.collect();
    let mut found = vec![0.0; hits.len()];
    let chunks = Mutex::new(hits.chunks(GRAIN).zip(found.chunks_mut(GRAIN)));
    let work = || {
        let (mut group, mut scratch) = (Group::default(), Polyhedron::default());
        let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).next();
        while let Some((hits, found)) = next() {
            for (place, pair) in hits.iter().enumerate() {
                let upright = (boxes.0.upright(pair.a), boxes.1.upright(pair.b));
                if let (Some(a), Some(b)) = upright {
                    if let Some((common, sum)) = axis_aligned(&a, &b) {
                        found[place] = measure.of(common, sum);
                    } else if group.push(place, a, b) {
                        group.measure(|place, common, sum| found[place] = measure.of(common, sum));
                    }
                    continue;
                }
                let (a, b) = (boxes.0.get(pair.a), boxes.1.get(pair.b));
                let common = intersection(&a, &b, &mut scratch);
                found[place] = measure.of(common, a.volume() + b.volume());
            }
            group.measure(|place, common, sum| found[place] = measure.of(common, sum));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = if detector.settings().parallel {
        cores.min(hits.len().div_ceil(GRAIN))
    } else {
        1
    };
    // Threads of its own: those of a pool are missing after a fork. Without a thread, this one does the work.
    thread::scope(|scope| {
        for _ in 1..threads {
            drop(thread::Builder::new().spawn_scoped(scope, work));
        }
        work();
    });
    let mut all = vec![0.0; overlaps.len()];
    for (position, value) in overlaps.iter().zip(found) {
        all[position] = value;
    }
    for position in overlaps.iter_invalid() {
        all[position] = f64::NAN;
    }
    Ok(all)
}

const IDENTITY: [Vector; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// A box in float64.
#[derive(PartialEq, PartialOrd)]
struct Solid {
    half: Vector,
    center: Vector,
    /// Its unit axes in world coordinates.
    axes: [Vector; 3],
}

impl Solid {
    fn volume(&self) -> f64 {
        volume(self.half)
    }
}

impl From<Aabb> for Solid {
    fn from(aabb: Aabb) -> Self {
        let (center, half) = center_and_half(aabb);
        Solid {
            half,
            center,
            axes: IDENTITY,
        }
    }
}

impl From<Obb> for Solid {
    fn from(obb: Obb) -> Self {
        Solid {
            half: obb.half_extents.map(f64::from),
            center: obb.center.map(f64::from),
            axes: axes_of(obb.rotation),
        }
    }
}

/// The axes of a rotation by a quaternion x, y, z, w of any length.
pub fn axes_of(rotation: [f32; 4]) -> [Vector; 3] {
    let [x, y, z, w] = rotation.map(f64::from);
    // Dividing by the squared length normalises: the matrix is quadratic in the quaternion.
    let s = 2.0 / (x * x + y * y + z * z + w * w);
    [
        [
            1.0 - s * (y * y + z * z),
            s * (x * y + z * w),
            s * (x * z - y * w),
        ],
        [
            s * (x * y - z * w),
            1.0 - s * (x * x + z * z),
            s * (y * z + x * w),
        ],
        [
            s * (x * z + y * w),
            s * (y * z - x * w),
            1.0 - s * (x * x + y * y),
        ],
    ]
}

/// The volume that two boxes have in common. The order of the boxes changes no bit of it.
fn intersection(a: &Solid, b: &Solid, scratch: &mut Polyhedron) -> f64 {
    let least = a.volume().min(b.volume());
    if a == b || least == 0.0 {
        return least;
    }
    // The smaller box is clipped by the larger one, which keeps rounding errors relative to the smaller one.
    let by_size = a.volume().total_cmp(&b.volume());
    let order = by_size.then_with(|| a.partial_cmp(b).unwrap_or(Ordering::Equal));
    let (small, large) = if order.is_le() { (a, b) } else { (b, a) };
    scratch.place(small, large);
    for (axis, &limit) in large.half.iter().enumerate() {
        scratch.clip(axis, 1.0, limit);
        scratch.clip(axis, -1.0, limit);
    }
    if scratch.is_whole {
        return least;
    }
    scratch.volume().clamp(0.0, least)
}

/// The corners of each face of a box, counterclockwise from outside; bit `k` of a corner is its side along axis `k`.
const FACES: [[u32; 4]; 6] = [
    [0, 4, 6, 2],
    [1, 3, 7, 5],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 2, 3, 1],
    [4, 5, 7, 6],
];

/// A convex polyhedron: points, and faces of indices, counterclockwise from outside.
///
/// Faces share the indices of their corners, so that the surface is closed whatever is rounded.
#[derive(Default)]
struct Polyhedron {
    points: Vec<Vector>,
    /// The corners of all faces, one face after another.
    corners: Vec<u32>,
    /// The end of each face in `corners`.
    ends: Vec<usize>,
    /// Whether no plane has cut anything off.
    is_whole: bool,
    /// Memory of `clip`: the heights of points above the plane, the faces that are left, the edges that are cut, and the
    /// edges of the face in the plane.
    heights: Vec<f64>,
    left: (Vec<u32>, Vec<usize>),
    cuts: Vec<((u32, u32), u32)>,
    links: Vec<(u32, u32)>,
}

impl Polyhedron {
    /// Becomes a box, in the frame of another one.
    fn place(&mut self, solid: &Solid, frame: &Solid) {
        let offset = minus(solid.center, frame.center);
        let center = frame.axes.map(|axis| dot(axis, offset));
        let sides: [Vector; 3] = [0, 1, 2].map(|k| {
            frame
                .axes
                .map(|axis| solid.half[k] * dot(axis, solid.axes[k]))
        });
        self.points.clear();
        self.points.extend((0..8).map(|corner| {
            let sign = |k: usize| if corner >> k & 1 == 1 { 1.0 } else { -1.0 };
            [0, 1, 2].map(|x| {
                center[x] + sign(0) * sides[0][x] + sign(1) * sides[1][x] + sign(2) * sides[2][x]
            })
        }));
        self.corners.clear();
        self.corners.extend(FACES.iter().flatten());
        self.ends.clear();
        self.ends.extend((1..=FACES.len()).map(|face| 4 * face));
        self.is_whole = true;
    }

    /// Cuts off what is above the plane `sign * x = limit`, where x is the coordinate along an axis.
    fn clip(&mut self, axis: usize, sign: f64, limit: f64) {
        self.heights.clear();
        let heights = self.points.iter().map(|point| sign * point[axis] - limit);
        self.heights.extend(heights);
        if self.corners.iter().all(|&at| !self.is_above(at)) {
            return;
        }
        self.is_whole = false;
        let (mut corners, mut ends) = std::mem::take(&mut self.left);
        let mut links = std::mem::take(&mut self.links);
        corners.clear();
        ends.clear();
        self.cuts.clear();
        let mut begin = 0;
        for face in 0..self.ends.len() {
            let range = begin..self.ends[face];
            begin = range.end;
            let len = range.len();
            let Some(first) = range.clone().find(|&k| !self.is_above(self.corners[k])) else {
                continue;
            };
            // From a corner below the plane on, edges leave and enter in turn.
            let at = |k: usize| range.start + (first - range.start + k) % len;
            let mut leaves = 0;
            for k in 0..len {
                let (from, to) = (self.corners[at(k)], self.corners[at(k + 1)]);
                match (self.is_above(from), self.is_above(to)) {
                    (false, false) => corners.push(from),
                    (false, true) => {
                        leaves = self.cut(from, to, axis, sign * limit);
                        corners.extend([from, leaves]);
                    }
                    (true, false) => {
                        let enters = self.cut(to, from, axis, sign * limit);
                        corners.push(enters);
                        links.push((enters, leaves));
                    }
                    (true, true) => {}
                }
            }
            ends.push(corners.len());
        }
        // The face in the plane has the new edges, reversed.
        while let Some((first, mut last)) = links.pop() {
            corners.push(first);
            while last != first {
                let Some(next) = links.iter().position(|link| link.0 == last) else {
                    break;
                };
                corners.push(last);
                last = links.swap_remove(next).1;
            }
            ends.push(corners.len());
        }
        self.links = links;
        self.left = (
            std::mem::replace(&mut self.corners, corners),
            std::mem::replace(&mut self.ends, ends),
        );
    }

    fn is_above(&self, point: u32) -> bool {
        self.heights[point as usize] > 0.0
    }

    /// The point where an edge leaves through the plane: the same index for both faces of the edge.
    fn cut(&mut self, below: u32, above: u32, axis: usize, at: f64) -> u32 {
        let known = self.cuts.iter().find(|cut| cut.0 == (below, above));
        if let Some(cut) = known {
            return cut.1;
        }
        let (from, to) = (self.points[below as usize], self.points[above as usize]);
        let (low, high) = (self.heights[below as usize], self.heights[above as usize]);
        let t = low / (low - high);
        let mut point = [0, 1, 2].map(|k| from[k] + t * (to[k] - from[k]));
        point[axis] = at;
        let index = self.points.len() as u32;
        self.points.push(point);
        self.heights.push(0.0);
        self.cuts.push(((below, above), index));
        index
    }

    /// The volume, by the divergence theorem: the sum of tetrahedra from one of the corners to triangles of the faces.
    fn volume(&self) -> f64 {
        let Some(&apex) = self.corners.first() else {
            return 0.0;
        };
        let apex = self.points[apex as usize];
        let at = |corner: u32| minus(self.points[corner as usize], apex);
        let (mut six, mut begin) = (0.0, 0);
        for &end in &self.ends {
            let face = &self.corners[begin..end];
            begin = end;
            if let [first, rest @ ..] = face {
                let first = at(*first);
                for edge in rest.windows(2) {
                    six += det(first, at(edge[0]), at(edge[1]));
                }
            }
        }
        six / 6.0
    }
}
