//! Convex hulls: the boxes around them are tested by lanes, then the pairs that are left, a batch of as many pairs as lanes at a time.
//!
//! All shapes become [`Body`] values, so the search is compiled once per verb and instruction set, not once per pair of shapes.

use core::marker::PhantomData;

use crate::driver::call::KernelOf;
#[cfg(all(feature = "contact", feature = "sweep"))]
use crate::driver::call::SweepContacts;
use crate::driver::run::{AnySource, MAX_COLUMNS, Span, TestJob, TestOps};
use crate::driver::source::Verb;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, Simd, WORD};
use crate::math::dvec::DVec3;
#[cfg(feature = "contact")]
use crate::narrow::contact::contacts::{ContactSlices, Contacts, INNER};
#[cfg(feature = "contact")]
use crate::narrow::contact::inner::clamp_one;
#[cfg(feature = "contact")]
use crate::narrow::contact::stage::ContactJob;
use crate::narrow::convex::batch::{Batch, BatchResult, Purpose, Verdict};
use crate::narrow::convex::body::Body;
#[cfg(feature = "contact")]
use crate::narrow::convex::contact::face_batch::FaceBatch;
#[cfg(feature = "contact")]
use crate::narrow::convex::contact::manifold::HullContact;
#[cfg(feature = "contact")]
use crate::narrow::convex::contact::solid::Solid;
#[cfg(feature = "contact")]
use crate::narrow::convex::contact::solid_pair::SolidPair;
#[cfg(feature = "contact")]
use crate::narrow::convex::contact::surface::contact_with_plane;
use crate::narrow::convex::gjk::{HullDistance, HullPair};
use crate::narrow::convex::side::Side;
use crate::narrow::convex::surface::Interval;
#[cfg(feature = "distance")]
use crate::narrow::distance::distances::Distances;
#[cfg(feature = "distance")]
use crate::narrow::distance::stage::DistanceJob;
#[cfg(feature = "contact")]
use crate::narrow::ops::ContactOps;
#[cfg(feature = "distance")]
use crate::narrow::ops::DistanceOps;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::columns::AnyColumns;
use crate::store::hull::hulls::{PlacedHull, PointBlock};

/// A bounded shape that can be searched with hulls.
pub(crate) trait Searched: Shape<Stored = Self> {
    /// The shape; the points are those of the hull, if the shape is the box around one.
    fn body(self, points: Option<&[PointBlock]>) -> Body<'_>;
    /// The shape with its faces.
    #[cfg(feature = "contact")]
    fn solid(self) -> Solid<'static>;
}

impl Searched for Point {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::sphere(self.position, 0.0)
    }

    #[cfg(feature = "contact")]
    fn solid(self) -> Solid<'static> {
        Solid::sphere(self.position, 0.0)
    }
}

impl Searched for Sphere {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::sphere(self.center, self.radius)
    }

    #[cfg(feature = "contact")]
    fn solid(self) -> Solid<'static> {
        Solid::sphere(self.center, self.radius)
    }
}

impl Searched for Capsule {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::capsule(self.center, self.half_axis, self.radius)
    }

    #[cfg(feature = "contact")]
    fn solid(self) -> Solid<'static> {
        Solid::capsule(self.center, self.half_axis, self.radius)
    }
}

impl Searched for Aabb {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::aabb(self.min, self.max)
    }

    #[cfg(feature = "contact")]
    fn solid(self) -> Solid<'static> {
        Solid::aabb(self.min, self.max)
    }
}

impl Searched for Obb {
    fn body(self, points: Option<&[PointBlock]>) -> Body<'_> {
        let Obb {
            center,
            half_extents,
            rotation,
        } = self;
        match points {
            Some(points) => Body::hull(center, half_extents, rotation, points),
            None => Body::obb(center, half_extents, rotation),
        }
    }

    #[cfg(feature = "contact")]
    fn solid(self) -> Solid<'static> {
        Solid::obb(self.center, self.half_extents, self.rotation)
    }
}

impl Searched for Triangle {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::triangle(self.corners)
    }

    #[cfg(feature = "contact")]
    fn solid(self) -> Solid<'static> {
        Solid::triangle(self.corners)
    }
}

/// Reads shapes with their faces, each moved by a vector.
#[cfg(feature = "contact")]
type ReadSolids = for<'k> fn(&AnyColumns<'k>, &[usize], &[[f32; 3]], &mut [Solid<'k>]);

/// Reads the shapes of one side.
pub(crate) struct BodyOps {
    pub read: for<'k> fn(&AnyColumns<'k>, usize) -> Body<'k>,
    #[cfg(feature = "contact")]
    solids: ReadSolids,
    place: for<'k> fn(&AnyColumns<'k>, &[usize], &mut Side<'k>),
    is_valid: fn(&AnyColumns<'_>, usize) -> bool,
}

impl BodyOps {
    pub const fn of<T: Searched>() -> Self {
        BodyOps {
            read: body::<T>,
            #[cfg(feature = "contact")]
            solids: solids::<T>,
            place: place::<T>,
            is_valid: is_valid::<T>,
        }
    }
}

fn body<'k, T: Searched>(columns: &AnyColumns<'k>, index: usize) -> Body<'k> {
    let points = columns.hulls().map(|hulls| hulls.of(index));
    columns.shape::<T>(index).body(points)
}

#[cfg(feature = "contact")]
fn solids<'k, T: Searched>(
    columns: &AnyColumns<'k>,
    indices: &[usize],
    by: &[[f32; 3]],
    to: &mut [Solid<'k>],
) {
    let Some(hulls) = columns.hulls() else {
        for ((to, &index), by) in to.iter_mut().zip(indices).zip(by) {
            *to = columns.shape::<T>(index).translated(*by).solid();
        }
        return;
    };
    for ((to, &index), by) in to.iter_mut().zip(indices).zip(by) {
        let [x, y, z, a, b, c, rotation @ ..] = columns.numbers_of::<10>(index);
        let around = Obb::new([x, y, z], [a, b, c], rotation).translated(*by);
        let (points, faces) = (hulls.of(index), hulls.faces(index));
        to.set_hull(around.center, around.half_extents, rotation, points, faces);
    }
}

/// Sets one side of a batch.
fn place<'k, T: Searched>(columns: &AnyColumns<'k>, indices: &[usize], side: &mut Side<'k>) {
    let Some(hulls) = columns.hulls() else {
        for (lane, &index) in indices.iter().enumerate() {
            side.set(lane, columns.shape::<T>(index).body(None).placed());
        }
        return;
    };
    // By field: the numbers of one shape may all be in the same set of a cache.
    for axis in 0..3 {
        columns.field_of(axis, indices, &mut side.center[axis]);
    }
    for k in 0..4 {
        columns.field_of(6 + k, indices, &mut side.rotation[k]);
    }
    for (lane, &index) in indices.iter().enumerate() {
        let (blocks, half_extents, inner) = hulls.with_extents(index);
        side.set_points(lane, half_extents, inner, blocks);
    }
}

fn is_valid<T: Shape<Stored = T>>(columns: &AnyColumns<'_>, index: usize) -> bool {
    columns.shape::<T>(index).defect().is_none()
}

/// The stores of a call, with the shapes of a pair.
#[derive(Clone, Copy)]
pub(crate) struct PairOf<'c, 's> {
    pub columns: [&'c AnyColumns<'s>; 2],
    /// Indices in kernel order.
    pub indices: [usize; 2],
}

impl PairOf<'_, '_> {
    /// Displacement of one side less that of the other.
    fn motion(&self, side: usize) -> DVec3 {
        let of = |side: usize| self.columns[side].displacement(self.indices[side]);
        let (this, other) = (of(side), of(1 - side));
        DVec3::of(this) - DVec3::of(other)
    }
}

/// The search of pairs of two kinds of shapes.
trait Search: Copy + Send + Sync {
    /// Whether pairs are searched in batches.
    const IS_BATCHED: bool;

    /// Sets the shapes of a batch.
    fn place<'s>(self, _queue: &mut Queue<'_, 's>) {}
    /// Whether both shapes are valid. `in_batch` if the batch tests hulls.
    fn is_valid(self, pair: PairOf<'_, '_>, in_batch: bool) -> bool;
    /// The times of a sweep, given both results of a batch.
    fn sweep_by<L: Lanes>(
        self,
        _lanes: L,
        _queue: &Queue<'_, '_>,
        _lane: usize,
        _found: [&BatchResult; 2],
    ) -> Option<(f64, f64)> {
        None
    }
    fn touch<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> bool;
    fn sweep<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> Option<(f64, f64)>;
    /// The distance, with points as they are reported. `None` if a shape is invalid.
    fn distance<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        swapped: bool,
    ) -> Option<HullDistance>;
    /// Preparation of the contacts of up to as many pairs as lanes.
    #[cfg(feature = "contact")]
    type Prepared<'s>;
    #[cfg(feature = "contact")]
    fn unprepared<'s>() -> Self::Prepared<'s>;
    /// Prepares the contacts of hits.
    #[cfg(feature = "contact")]
    fn prepare<'s, L: Lanes>(
        self,
        _lanes: L,
        _pairs: &ContactPairs<'_, 's>,
        _to: &mut Self::Prepared<'s>,
    ) {
    }
    /// The contact of pair `k` of those prepared: along the normal of least penetration, or along a given one.
    #[cfg(feature = "contact")]
    fn contact<'s, L: Lanes>(
        self,
        lanes: L,
        pairs: &ContactPairs<'_, 's>,
        prepared: &Self::Prepared<'s>,
        k: usize,
        normal: Option<[f32; 3]>,
    ) -> Option<HullContact>;
}

/// Both shapes of some pairs, and the faces with their greatest gaps.
#[cfg(feature = "contact")]
struct Solids<'s> {
    solids: [[Solid<'s>; MAX_LANES]; 2],
    faces: FaceBatch,
}

/// Pairs at the times of their contacts, at most as many as lanes.
#[cfg(feature = "contact")]
struct ContactPairs<'c, 's> {
    columns: [&'c AnyColumns<'s>; 2],
    len: usize,
    /// Indices in kernel order.
    indices: [[usize; MAX_LANES]; 2],
    /// Motion of A relative to B until then.
    travel: [[f32; 3]; MAX_LANES],
    margin: f32,
}

/// Hulls with bounded shapes.
#[derive(Clone, Copy)]
pub(crate) struct WithBodies(pub [&'static BodyOps; 2]);

impl WithBodies {
    #[inline(always)]
    fn pair<'s, L: Lanes>(self, lanes: L, pair: PairOf<'_, 's>, margin: f32) -> HullPair<'s, L> {
        let [a, b] = [0, 1].map(|side| (self.0[side].read)(pair.columns[side], pair.indices[side]));
        HullPair::new(lanes, a, b, margin)
    }

    /// A shape of a pair, if it is not a hull of a batch.
    #[inline(always)]
    fn body<'s>(self, side: usize, pair: PairOf<'_, 's>, hull: Option<Body<'s>>) -> Body<'s> {
        match hull {
            Some(hull) => hull,
            None => (self.0[side].read)(pair.columns[side], pair.indices[side]),
        }
    }
}

impl Search for WithBodies {
    const IS_BATCHED: bool = true;

    #[inline(always)]
    fn place<'s>(self, queue: &mut Queue<'_, 's>) {
        for side in 0..2 {
            let indices = &queue.indices[side][..queue.batch.len];
            (self.0[side].place)(queue.columns[side], indices, &mut queue.batch.sides[side]);
        }
    }

    #[inline(always)]
    fn is_valid(self, pair: PairOf<'_, '_>, in_batch: bool) -> bool {
        let are_valid = |side: usize| {
            (in_batch && pair.columns[side].hulls().is_some())
                || (self.0[side].is_valid)(pair.columns[side], pair.indices[side])
        };
        are_valid(0) && are_valid(1)
    }

    #[inline(always)]
    fn sweep_by<L: Lanes>(
        self,
        lanes: L,
        queue: &Queue<'_, '_>,
        lane: usize,
        [enter, exit]: [&BatchResult; 2],
    ) -> Option<(f64, f64)> {
        let (pair, sides) = (queue.pair(lane), &queue.batch.sides);
        let a = self.body(0, pair, sides[0].hull(lane));
        let b = self.body(1, pair, sides[1].hull(lane));
        let bodies = HullPair::new(lanes, a, b, queue.batch.margin);
        bodies.sweep_by(pair.motion(1), enter, exit)
    }

    #[inline(always)]
    fn touch<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> bool {
        self.pair(lanes, pair, margin).touch()
    }

    #[inline(always)]
    fn sweep<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> Option<(f64, f64)> {
        self.pair(lanes, pair, margin).sweep(pair.motion(1))
    }

    #[inline(always)]
    fn distance<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        swapped: bool,
    ) -> Option<HullDistance> {
        if !self.is_valid(pair, false) {
            return None;
        }
        Some(self.pair(lanes, pair, 0.0).distance(swapped))
    }

    #[cfg(feature = "contact")]
    type Prepared<'s> = Solids<'s>;
    #[cfg(feature = "contact")]
    #[inline(always)]
    fn unprepared<'s>() -> Solids<'s> {
        Solids {
            solids: [const { [const { Solid::NONE }; MAX_LANES] }; 2],
            faces: FaceBatch::NONE,
        }
    }

    #[cfg(feature = "contact")]
    #[inline(always)]
    fn prepare<'s, L: Lanes>(self, lanes: L, pairs: &ContactPairs<'_, 's>, to: &mut Solids<'s>) {
        let ContactPairs {
            columns,
            len,
            indices,
            travel,
            margin,
        } = pairs;
        let [of_a, of_b] = &mut to.solids;
        (self.0[0].solids)(columns[0], &indices[0][..*len], travel, of_a);
        (self.0[1].solids)(
            columns[1],
            &indices[1][..*len],
            &[[0.0; 3]; MAX_LANES],
            of_b,
        );
        let (of_a, of_b) = (&of_a[..*len], &of_b[..*len]);
        let mut sizes = [0.0; MAX_LANES];
        let mut lane = 0;
        while lane < *len {
            sizes[lane] = SolidPair::new(lanes, &of_a[lane], &of_b[lane], *margin).size();
            lane += 1;
        }
        to.faces.fill(lanes, [of_a, of_b], &sizes);
    }

    #[cfg(feature = "contact")]
    #[inline(always)]
    fn contact<'s, L: Lanes>(
        self,
        lanes: L,
        pairs: &ContactPairs<'_, 's>,
        prepared: &Solids<'s>,
        k: usize,
        normal: Option<[f32; 3]>,
    ) -> Option<HullContact> {
        let [a, b] = &prepared.solids;
        let pair = SolidPair::new(lanes, &a[k], &b[k], pairs.margin);
        Some(match normal {
            Some(normal) => pair.contact_along(normal),
            None => pair.contact(&prepared.faces, k),
        })
    }
}

/// Hulls with planes or half-spaces.
#[derive(Clone, Copy)]
pub(crate) struct WithSurfaces {
    pub hull: &'static BodyOps,
    pub plane: fn(&AnyColumns<'_>, usize) -> ([f32; 3], f32),
    is_valid: fn(&AnyColumns<'_>, usize) -> bool,
    pub is_solid: bool,
}

impl WithSurfaces {
    pub const PLANES: Self = WithSurfaces {
        hull: &BodyOps::of::<Obb>(),
        plane: |columns, index| {
            let Plane { normal, d } = columns.shape(index);
            (normal, d)
        },
        is_valid: is_valid::<Plane>,
        is_solid: false,
    };
    pub const HALF_SPACES: Self = WithSurfaces {
        hull: &BodyOps::of::<Obb>(),
        plane: |columns, index| {
            let HalfSpace { normal, d } = columns.shape(index);
            (normal, d)
        },
        is_valid: is_valid::<HalfSpace>,
        is_solid: true,
    };

    #[inline(always)]
    fn interval<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>) -> Option<Interval> {
        let (columns, indices) = (pair.columns, pair.indices);
        let hull = (self.hull.read)(columns[0], indices[0]);
        let (normal, d) = (self.plane)(columns[1], indices[1]);
        Interval::of(lanes, &hull, normal, d)
    }
}

impl Search for WithSurfaces {
    const IS_BATCHED: bool = false;

    #[inline(always)]
    fn is_valid(self, pair: PairOf<'_, '_>, _in_batch: bool) -> bool {
        let ([hull, plane], [i, j]) = (pair.columns, pair.indices);
        (self.hull.is_valid)(hull, i) && (self.is_valid)(plane, j)
    }

    #[inline(always)]
    fn touch<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> bool {
        let interval = self.interval(lanes, pair);
        interval.is_none_or(|interval| interval.touches(self.is_solid, margin))
    }

    #[inline(always)]
    fn sweep<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> Option<(f64, f64)> {
        match self.interval(lanes, pair) {
            Some(interval) => interval.sweep(self.is_solid, margin, pair.motion(0)),
            None => Some((0.0, 1.0)),
        }
    }

    #[inline(always)]
    fn distance<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        _swapped: bool,
    ) -> Option<HullDistance> {
        if !self.is_valid(pair, false) {
            return None;
        }
        Some(self.interval(lanes, pair)?.distance(self.is_solid))
    }

    #[cfg(feature = "contact")]
    type Prepared<'s> = ();
    #[cfg(feature = "contact")]
    fn unprepared<'s>() -> Self::Prepared<'s> {}

    #[cfg(feature = "contact")]
    #[inline(always)]
    fn contact<'s, L: Lanes>(
        self,
        lanes: L,
        pairs: &ContactPairs<'_, 's>,
        (): &(),
        k: usize,
        _normal: Option<[f32; 3]>,
    ) -> Option<HullContact> {
        let ([of_hulls, of_planes], [hulls, planes]) = (pairs.columns, &pairs.indices);
        let mut hull = [const { Solid::NONE }];
        (self.hull.solids)(of_hulls, &hulls[k..k + 1], &pairs.travel[k..], &mut hull);
        let (normal, d) = (self.plane)(of_planes, planes[k]);
        let ([hull], margin) = (&hull, pairs.margin);
        contact_with_plane(lanes, hull, normal, d, self.is_solid, margin)
    }
}

/// Runs the test of boxes, then the search of its hits.
fn test<V: Refined>(simd: Simd, job: TestJob<'_, '_>, boxes: &TestOps, search: impl Search) {
    let TestJob { source, mut span } = job;
    let hits = TestJob {
        source,
        span: span.reborrow(),
    };
    (boxes.test)(simd, hits);
    simd.run(Refine::<V, _> {
        source,
        span,
        search,
        verb: PhantomData,
    });
}

/// The verbs whose hits are searched.
trait Refined: Verb {
    /// Searches a pair. Returns whether it is a hit, and its numbers.
    fn search<L: Lanes>(
        search: impl Search,
        lanes: L,
        pair: PairOf<'_, '_>,
        margin: f32,
    ) -> (bool, [f32; 2]);

    /// Searches the pairs of a batch, and removes them. Some are moved to `rest`, which is not full, and searched when it is, or
    /// at the end.
    fn search_all<'s, L: Lanes>(
        search: impl Search,
        lanes: L,
        queue: &mut Queue<'_, 's>,
        rest: &mut Queue<'_, 's>,
        is_end: bool,
        out: &mut Hits<'_, '_>,
    );
}

/// Pairs that are searched together.
struct Queue<'c, 's> {
    columns: [&'c AnyColumns<'s>; 2],
    batch: Batch<'s>,
    /// Indices in kernel order.
    indices: [[usize; MAX_LANES]; 2],
    places: [usize; MAX_LANES],
    /// The first times of pairs whose last times are searched.
    #[cfg(feature = "sweep")]
    enters: [BatchResult; MAX_LANES],
}

impl<'c, 's> Queue<'c, 's> {
    #[inline(always)]
    fn new(columns: [&'c AnyColumns<'s>; 2], margin: f32) -> Self {
        Queue {
            columns,
            batch: Batch::new(margin),
            indices: [[0; MAX_LANES]; 2],
            places: [0; MAX_LANES],
            #[cfg(feature = "sweep")]
            enters: [BatchResult::default(); MAX_LANES],
        }
    }

    /// Adds a pair, and returns its lane; the queue is not full.
    #[inline(always)]
    fn push(&mut self, place: usize, [i, j]: [usize; 2]) -> usize {
        let lane = self.batch.len % MAX_LANES;
        (self.indices[0][lane], self.indices[1][lane]) = (i, j);
        self.places[lane] = place;
        self.batch.len = lane + 1;
        lane
    }

    #[inline(always)]
    fn pair(&self, lane: usize) -> PairOf<'c, 's> {
        PairOf {
            columns: self.columns,
            indices: [self.indices[0][lane], self.indices[1][lane]],
        }
    }
}

/// Results of a span of pairs.
struct Hits<'h, 'n> {
    hits: &'h mut [u64],
    numbers: [&'n mut [f32]; MAX_COLUMNS],
}

impl Hits<'_, '_> {
    /// Writes the result of a hit of the boxes.
    #[inline(always)]
    fn set(&mut self, place: usize, (is_hit, found): (bool, [f32; 2])) {
        if !is_hit {
            self.hits[place / WORD] &= !(1 << (place % WORD));
        }
        for (column, x) in self.numbers.iter_mut().zip(found) {
            if let Some(number) = column.get_mut(place) {
                *number = x;
            }
        }
    }

    /// A number of the result of the boxes.
    #[cfg(feature = "sweep")]
    fn number(&self, column: usize, place: usize, otherwise: f32) -> f32 {
        self.numbers[column].get(place).map_or(otherwise, |x| *x)
    }
}

impl Refined for Overlaps {
    #[inline(always)]
    fn search<L: Lanes>(
        search: impl Search,
        lanes: L,
        pair: PairOf<'_, '_>,
        margin: f32,
    ) -> (bool, [f32; 2]) {
        (search.touch(lanes, pair, margin), [0.0; 2])
    }

    #[inline(always)]
    fn search_all<'s, L: Lanes>(
        search: impl Search,
        lanes: L,
        queue: &mut Queue<'_, 's>,
        rest: &mut Queue<'_, 's>,
        is_end: bool,
        out: &mut Hits<'_, '_>,
    ) {
        search.place(queue);
        queue.batch.few = L::COUNT as u32 / 2;
        let found = queue.batch.search(lanes, Purpose::Verdict);
        let mut lane = 0;
        while lane < queue.batch.len || (is_end && rest.batch.len > 0) {
            if lane < queue.batch.len {
                if let Verdict::Open = found[lane].verdict {
                    rest.push(queue.places[lane], queue.pair(lane).indices);
                } else {
                    set_verdict(search, lanes, queue, lane, &found[lane], out);
                }
                lane += 1;
            }
            let is_last = is_end && lane == queue.batch.len;
            if rest.batch.len == L::COUNT || (is_last && rest.batch.len > 0) {
                search.place(rest);
                let found = rest.batch.search(lanes, Purpose::Verdict);
                let mut lane = 0;
                while lane < rest.batch.len {
                    set_verdict(search, lanes, rest, lane, &found[lane], out);
                    lane += 1;
                }
                rest.batch.len = 0;
            }
        }
        queue.batch.len = 0;
    }
}

/// Writes the verdict of a pair.
#[inline(always)]
fn set_verdict<L: Lanes>(
    search: impl Search,
    lanes: L,
    queue: &Queue<'_, '_>,
    lane: usize,
    found: &BatchResult,
    out: &mut Hits<'_, '_>,
) {
    let is_hit = match found.verdict {
        Verdict::Touch => true,
        Verdict::Apart => false,
        _ => search.touch(lanes, queue.pair(lane), queue.batch.margin),
    };
    out.set(queue.places[lane], (is_hit, [0.0; 2]));
}

#[cfg(feature = "sweep")]
impl Refined for Sweeps {
    #[inline(always)]
    fn search<L: Lanes>(
        search: impl Search,
        lanes: L,
        pair: PairOf<'_, '_>,
        margin: f32,
    ) -> (bool, [f32; 2]) {
        written(search.sweep(lanes, pair, margin))
    }

    #[inline(always)]
    fn search_all<'s, L: Lanes>(
        search: impl Search,
        lanes: L,
        queue: &mut Queue<'_, 's>,
        rest: &mut Queue<'_, 's>,
        is_end: bool,
        out: &mut Hits<'_, '_>,
    ) {
        search.place(queue);
        let len = queue.batch.len;
        let mut lane = 0;
        while lane < len {
            let motion = queue.pair(lane).motion(1);
            let mut axis = 0;
            while axis < 3 {
                queue.batch.motion[axis][lane] = motion[axis] as f32;
                axis += 1;
            }
            // The boxes touch no later.
            queue.batch.start[lane] = out.number(0, queue.places[lane], 0.0);
            lane += 1;
        }
        let enters = queue.batch.search(lanes, Purpose::Enter);
        lane = 0;
        while lane < len || (is_end && rest.batch.len > 0) {
            if lane < len {
                let (pair, place) = (queue.pair(lane), queue.places[lane]);
                match enters[lane].verdict {
                    Verdict::Apart => out.set(place, written(None)),
                    Verdict::Touch | Verdict::Near => {
                        let to = rest.push(place, pair.indices);
                        let mut axis = 0;
                        while axis < 3 {
                            rest.batch.motion[axis][to] = queue.batch.motion[axis][lane];
                            axis += 1;
                        }
                        // The boxes touch no less long.
                        rest.batch.start[to] = out.number(1, place, 1.0);
                        rest.enters[to] = enters[lane];
                    }
                    _ => out.set(place, Self::search(search, lanes, pair, queue.batch.margin)),
                }
                lane += 1;
            }
            let is_last = is_end && lane == len;
            if rest.batch.len == L::COUNT || (is_last && rest.batch.len > 0) {
                search_exits(search, lanes, rest, out);
                rest.batch.len = 0;
            }
        }
        queue.batch.len = 0;
    }
}

/// Searches the last times of sweeps whose first times are found, and writes both.
#[cfg(feature = "sweep")]
#[inline(always)]
fn search_exits<L: Lanes>(
    search: impl Search,
    lanes: L,
    queue: &mut Queue<'_, '_>,
    out: &mut Hits<'_, '_>,
) {
    search.place(queue);
    let exits = queue.batch.search(lanes, Purpose::Exit);
    let mut lane = 0;
    while lane < queue.batch.len {
        let (enter, exit) = (&queue.enters[lane], &exits[lane]);
        let times = match (enter.verdict, exit.verdict) {
            (Verdict::Touch, Verdict::Touch) => Some((0.0, 1.0)),
            _ => search.sweep_by(lanes, queue, lane, [enter, exit]),
        };
        out.set(queue.places[lane], written(times));
        lane += 1;
    }
}

/// The times of a sweep as they are written.
#[cfg(feature = "sweep")]
#[inline(always)]
fn written(times: Option<(f64, f64)>) -> (bool, [f32; 2]) {
    match times {
        Some((enter, exit)) => {
            let (enter, exit) = (below(enter), above(exit));
            (true, [enter, if exit < 1.0 { exit } else { 1.0 }])
        }
        None => (false, [f32::INFINITY; 2]),
    }
}

/// Searches the hits of a span.
struct Refine<'a, 's, V, S> {
    source: &'a AnySource<'s>,
    span: Span<'a>,
    search: S,
    verb: PhantomData<V>,
}

impl<V: Refined, S: Search> Job for Refine<'_, '_, V, S> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Refine {
            source,
            span,
            search,
            ..
        } = self;
        let (list, columns) = match source {
            AnySource::Pairs(shapes) | AnySource::Scan(_, shapes) => (&shapes.list, shapes.columns),
        };
        let [side_a, side_b] = list.sides();
        let Span {
            margin,
            first,
            hits,
            columns: numbers,
            ..
        } = span;
        let sides = [columns[0], columns[1]];
        let mut queue = Queue::new(sides, margin);
        let mut rest = Queue::new(sides, margin);
        let mut out = Hits { hits, numbers };
        let (mut word, mut left, mut is_end) = (0, 0u64, false);
        while !is_end {
            while left == 0 && word < out.hits.len() {
                left = out.hits[word];
                word += 1;
            }
            is_end = left == 0;
            while left != 0 && queue.batch.len < L::COUNT {
                let place = (word - 1) * WORD + left.trailing_zeros() as usize;
                left &= left - 1;
                let pair = list.at((first + place) as u32);
                let indices = [pair[side_a] as usize, pair[side_b] as usize];
                if S::IS_BATCHED {
                    queue.push(place, indices);
                } else {
                    let pair = PairOf { columns, indices };
                    out.set(place, V::search(search, lanes, pair, margin));
                }
            }
            // The only call: the code is long.
            let is_due = queue.batch.len == L::COUNT
                || (is_end && (queue.batch.len > 0 || rest.batch.len > 0));
            if S::IS_BATCHED && is_due {
                V::search_all(search, lanes, &mut queue, &mut rest, is_end, &mut out);
            }
        }
    }
}

/// The largest `f32` that is not above a number from 0 on.
pub(crate) fn below(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x {
        rounded.next_down()
    } else {
        rounded
    }
}

/// The smallest `f32` that is not below a number.
fn above(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x {
        rounded.next_up()
    } else {
        rounded
    }
}

/// Finds the distances of a span of pairs.
#[cfg(feature = "distance")]
struct FindDistances<'a, 's, S> {
    job: DistanceJob<'a, 's>,
    search: S,
}

#[cfg(feature = "distance")]
impl<S: Search> Job for FindDistances<'_, '_, S> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let FindDistances { job, search } = self;
        let DistanceJob {
            shapes,
            swapped,
            out,
        } = job;
        let [side_a, side_b] = shapes.list.sides();
        let [lower, upper, points @ ..] = out.columns;
        out.unsettled.fill(0);
        out.invalid.fill(0);
        let columns = shapes.columns;
        let mut queue = Queue::new([columns[0], columns[1]], 0.0);
        let mut results = Ranges {
            lower,
            upper,
            points,
            unsettled: out.unsettled,
            invalid: out.invalid,
            swapped,
        };
        for place in 0..out.len {
            let pair = shapes.list.at((out.first + place) as u32);
            let indices = [pair[side_a] as usize, pair[side_b] as usize];
            let pair = PairOf { columns, indices };
            if S::IS_BATCHED && search.is_valid(pair, true) {
                queue.push(place, indices);
                if queue.batch.len == L::COUNT {
                    results.search_all(search, lanes, &mut queue);
                    queue.batch.len = 0;
                }
            } else {
                results.set(place, search.distance(lanes, pair, swapped));
            }
        }
        if queue.batch.len > 0 {
            results.search_all(search, lanes, &mut queue);
        }
    }
}

/// Writes numbers to rising places.
#[cfg(feature = "distance")]
#[inline(always)]
fn write(places: &[usize], from: &[f32; MAX_LANES], to: &mut [f32]) {
    let (Some(&first), len) = (places.first(), places.len()) else {
        return;
    };
    if places[len - 1] - first == len - 1 {
        to[first..first + len].copy_from_slice(&from[..len]);
    } else {
        for (place, x) in places.iter().zip(from) {
            to[*place] = *x;
        }
    }
}

/// The results of a span of pairs.
#[cfg(feature = "distance")]
struct Ranges<'a, 'p> {
    lower: &'a mut [f32],
    upper: &'a mut [f32],
    points: [&'p mut [f32]; 6],
    unsettled: &'a mut [u64],
    invalid: &'a mut [u64],
    swapped: bool,
}

#[cfg(feature = "distance")]
impl Ranges<'_, '_> {
    /// Searches the pairs of a batch.
    #[inline(always)]
    fn search_all<L: Lanes>(&mut self, search: impl Search, lanes: L, queue: &mut Queue<'_, '_>) {
        search.place(queue);
        let found = queue.batch.distances(lanes, self.swapped);
        let places = &queue.places[..queue.batch.len];
        write(places, &found.lower, self.lower);
        write(places, &found.upper, self.upper);
        if !self.points[0].is_empty() {
            let order = [usize::from(self.swapped), usize::from(!self.swapped)];
            for (k, to) in self.points.iter_mut().enumerate() {
                write(places, &found.points[order[k / 3]][k % 3], to);
            }
        }
        let mut left = !found.settled & ((1 << places.len()) - 1);
        while left != 0 {
            let lane = left.trailing_zeros() as usize;
            left &= left - 1;
            let distance = search.distance(lanes, queue.pair(lane), self.swapped);
            self.set(queue.places[lane], distance);
        }
    }

    /// Writes the distance of a pair; `None` if it is invalid.
    fn set(&mut self, place: usize, found: Option<HullDistance>) {
        let bit = 1 << (place % WORD);
        let (bounds, at) = match found {
            Some(found) => {
                if !found.is_settled {
                    self.unsettled[place / WORD] |= bit;
                }
                let [x, y] = found.points;
                let at = if self.swapped { [y, x] } else { [x, y] };
                ([below(found.lower), above(found.upper)], at)
            }
            None => {
                self.invalid[place / WORD] |= bit;
                ([0.0, f32::INFINITY], [DVec3([f64::NAN; 3]); 2])
            }
        };
        [self.lower[place], self.upper[place]] = bounds;
        for (column, x) in self.points.iter_mut().zip(at.map(|v| v.0).as_flattened()) {
            if let Some(number) = column.get_mut(place) {
                // Never −0.
                *number = *x as f32 + 0.0;
            }
        }
    }
}

/// Finds the contacts of some hits.
#[cfg(feature = "contact")]
struct FindContacts<'a, 's, S> {
    job: ContactJob<'a, 's>,
    search: S,
}

#[cfg(feature = "contact")]
impl<S: Search> Job for FindContacts<'_, '_, S> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let FindContacts { job, search } = self;
        let ContactJob {
            shapes,
            times,
            swapped,
            margin,
            mesh,
            mut out,
        } = job;
        let (columns, [side_a, side_b]) = (shapes.columns, shapes.list.sides());
        let mut rings = None;
        let mut prepared = S::unprepared();
        let mut pairs = ContactPairs {
            columns: [columns[0], columns[1]],
            len: 0,
            indices: [[0; MAX_LANES]; 2],
            travel: [[0.0; 3]; MAX_LANES],
            margin,
        };
        let mut place = 0;
        while place < out.len() {
            pairs.len = L::COUNT.min(out.len() - place);
            let mut k = 0;
            while k < pairs.len {
                let position = out.positions[place + k];
                let pair = shapes.list.at(position);
                let [i, j] = [pair[side_a] as usize, pair[side_b] as usize];
                // A displacement that is not asked for may be invalid.
                pairs.travel[k] = times.map_or([0.0; 3], |times| {
                    let (a, b) = (columns[0].displacement(i), columns[1].displacement(j));
                    [0, 1, 2].map(|k| (a[k] - b[k]) * times[position as usize])
                });
                (pairs.indices[0][k], pairs.indices[1][k]) = (i, j);
                k += 1;
            }
            search.prepare(lanes, &pairs, &mut prepared);
            k = 0;
            while k < pairs.len {
                if let Some(contact) = search.contact(lanes, &pairs, &prepared, k, None) {
                    write_contact(&mut out, place + k, swapped, &contact);
                    if let Some(mesh) = &mesh {
                        let center = columns[0]
                            .shape::<Obb>(pairs.indices[0][k])
                            .translated(pairs.travel[k])
                            .center;
                        let rings = rings.get_or_insert_default();
                        let outward = (-contact.normal).to_f32();
                        let triangle = pairs.indices[1][k] as u32;
                        let clamped = clamp_one(lanes, mesh, rings, triangle, outward, center);
                        if let Some(outward) = clamped {
                            let along = Some(outward.map(|x| -x));
                            if let Some(contact) =
                                search.contact(lanes, &pairs, &prepared, k, along)
                            {
                                write_contact(&mut out, place + k, swapped, &contact);
                                out.bytes[INNER][place + k] = 1;
                            }
                        }
                    }
                }
                k += 1;
            }
            place += pairs.len;
        }
    }
}

/// Writes a contact to its place in the columns.
#[cfg(feature = "contact")]
fn write_contact(out: &mut ContactSlices<'_>, place: usize, swapped: bool, contact: &HullContact) {
    // Flip the normal and re-base the points on B.
    let (sign, base) = if swapped {
        (-1.0, contact.offset)
    } else {
        (1.0, DVec3::ZERO)
    };
    // Never −0.
    let number = |x: f64| x as f32 + 0.0;
    for (column, x) in out.numbers.iter_mut().zip(contact.normal.0) {
        column[place] = number(sign * x);
    }
    out.numbers[3][place] = if contact.separation < 0.0 {
        -above(-contact.separation)
    } else {
        below(contact.separation)
    };
    out.bytes[0][place] = contact.count as u8;
    for (k, point) in contact.points.iter().enumerate() {
        let [x, y, z] = [0, 1, 2].map(|axis| point.at[axis] - base[axis]);
        let columns = &mut out.numbers[4 + 4 * k..][..4];
        for (column, x) in columns.iter_mut().zip([x, y, z, point.separation]) {
            // Shapes with fewer points have no such column.
            if let Some(place) = column.get_mut(place) {
                *place = number(x);
            }
        }
        if let Some(place) = out.bytes[1 + k].get_mut(place) {
            *place = point.feature;
        }
    }
}

/// The tables of hulls with the other kinds of shapes, in kernel order: with bounded ones, then with surfaces. Boxes stand in
/// for hulls. The last two columns are the maximum number of points of a contact, and whether a mesh clamps its normals.
macro_rules! tables {
    ($($a:ident, $b:ident: $box_a:ident, $box_b:ident, $points:literal, $clamps:literal;)+) => {
        $(tables!(@ $a, $b, $box_a, $box_b, $points, $clamps, WithBodies([
            const { &BodyOps::of::<$box_a>() },
            const { &BodyOps::of::<$box_b>() },
        ]));)+
    };
    (@ $a:ident, $b:ident, $box_a:ident, $box_b:ident, $points:literal, $clamps:literal, $search:expr) => {
        tables!(@@ Overlaps, $a, $b, $box_a, $box_b, $search);
        #[cfg(feature = "sweep")]
        tables!(@@ Sweeps, $a, $b, $box_a, $box_b, $search);

        #[cfg(feature = "contact")]
        tables!(@@@ Contacts, Overlaps, $a, $b, $points, $clamps, $search);
        #[cfg(all(feature = "contact", feature = "sweep"))]
        tables!(@@@ SweepContacts, Sweeps, $a, $b, $points, $clamps, $search);

        #[cfg(feature = "distance")]
        impl KernelOf<Distances, $b> for $a {
            const OPS: &'static DistanceOps = &DistanceOps {
                forms: <$box_a as KernelOf<Distances, $box_b>>::OPS.forms,
                of_points: [false; 2],
                is_slow: true,
                find: |simd, job| simd.run(FindDistances { job, search: $search }),
            };
        }
    };
    (@@@ $query:ident, $verb:ident, $a:ident, $b:ident, $points:literal, $clamps:literal, $search:expr) => {
        impl KernelOf<$query, $b> for $a {
            const OPS: &'static ContactOps = &ContactOps {
                test: <$a as KernelOf<$verb, $b>>::OPS,
                points: $points,
                of_points: [false; 2],
                clamps: $clamps,
                find: |simd, job| simd.run(FindContacts { job, search: $search }),
            };
        }
    };
    (@@ $verb:ident, $a:ident, $b:ident, $box_a:ident, $box_b:ident, $search:expr) => {
        impl KernelOf<$verb, $b> for $a {
            const OPS: &'static TestOps = &TestOps {
                forms: <$box_a as KernelOf<$verb, $box_b>>::OPS.forms,
                is_slow: true,
                test: |simd, job| {
                    let boxes = <$box_a as KernelOf<$verb, $box_b>>::OPS;
                    test::<$verb>(simd, job, boxes, $search)
                },
            };
        }
    };
}

tables! {
    Point, PlacedHull: Point, Obb, 1, false;
    Sphere, PlacedHull: Sphere, Obb, 1, false;
    Capsule, PlacedHull: Capsule, Obb, 2, false;
    Aabb, PlacedHull: Aabb, Obb, 4, false;
    Obb, PlacedHull: Obb, Obb, 4, false;
    PlacedHull, PlacedHull: Obb, Obb, 4, false;
    PlacedHull, Triangle: Obb, Triangle, 4, true;
}
tables!(@ PlacedHull, Plane, Obb, Plane, 4, false, WithSurfaces::PLANES);
tables!(@ PlacedHull, HalfSpace, Obb, HalfSpace, 4, false, WithSurfaces::HALF_SPACES);
