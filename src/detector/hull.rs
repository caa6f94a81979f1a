//! Convex hulls: the boxes around them are tested by lanes, then each pair that is left, by lanes across the points of a hull.
//!
//! All shapes become [`Body`] values, so the search is compiled once per verb and instruction set, not once per pair of shapes.

use core::marker::PhantomData;

#[cfg(feature = "distance")]
use super::distance::DistanceJob;
#[cfg(feature = "distance")]
use super::ops::DistanceOps;
use super::ops::TestOps;
use super::query::KernelOf;
use super::run::{AnySource, Span, TestJob};
#[cfg(feature = "distance")]
use crate::distances::Distances;
use crate::hits::{Overlaps, Sweeps, WORD};
use crate::kernel::Verb;
use crate::kernel::hull::{Body, Goal, HullDistance, HullPair, Interval};
use crate::kernel::hull_batch::Batch;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, Simd};
use crate::shapes::{
    Aabb, AnyColumns, Capsule, HalfSpace, Obb, PlacedHull, Plane, Point, PointBlock, Shape, Sphere,
    Triangle,
};

/// A bounded shape that can be searched with hulls.
trait Searched: Shape<Stored = Self> {
    /// The shape; the points are those of the hull, if the shape is the box around one.
    fn body(self, points: Option<&[PointBlock]>) -> Body<'_>;
}

impl Searched for Point {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::sphere(self.position, 0.0)
    }
}

impl Searched for Sphere {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::sphere(self.center, self.radius)
    }
}

impl Searched for Capsule {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::capsule(self.center, self.half_axis, self.radius)
    }
}

impl Searched for Aabb {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::aabb(self.min, self.max)
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
}

impl Searched for Triangle {
    fn body(self, _: Option<&[PointBlock]>) -> Body<'_> {
        Body::triangle(self.corners)
    }
}

/// Reads the shapes of one side.
struct BodyOps {
    read: for<'k> fn(&AnyColumns<'k>, usize) -> Body<'k>,
    is_valid: fn(&AnyColumns<'_>, usize) -> bool,
}

impl BodyOps {
    const fn of<T: Searched>() -> Self {
        BodyOps {
            read: body::<T>,
            is_valid: is_valid::<T>,
        }
    }
}

fn body<'k, T: Searched>(columns: &AnyColumns<'k>, index: usize) -> Body<'k> {
    let points = columns.hulls().map(|hulls| hulls.of(index));
    columns.shape::<T>(index).body(points)
}

fn is_valid<T: Shape<Stored = T>>(columns: &AnyColumns<'_>, index: usize) -> bool {
    columns.shape::<T>(index).defect().is_none()
}

/// The stores of a call, with the shapes of a pair.
#[derive(Clone, Copy)]
struct PairOf<'c, 's> {
    columns: [&'c AnyColumns<'s>; 2],
    /// Indices in kernel order.
    indices: [usize; 2],
}

impl PairOf<'_, '_> {
    /// Displacement of one side less that of the other.
    fn motion(&self, side: usize) -> [f64; 3] {
        let of = |side: usize| self.columns[side].displacement(self.indices[side]);
        let (this, other) = (of(side), of(1 - side));
        [0, 1, 2].map(|k| f64::from(this[k]) - f64::from(other[k]))
    }
}

/// The search of pairs of two kinds of shapes.
trait Search: Copy + Send + Sync {
    /// The bodies of a pair, if both are bounded.
    fn bodies<'s, L: Lanes>(
        self,
        _lanes: L,
        _pair: PairOf<'_, 's>,
        _margin: f32,
    ) -> Option<HullPair<'s, L>> {
        None
    }
    fn touch<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> bool;
    fn sweep<L: Lanes>(self, lanes: L, pair: PairOf<'_, '_>, margin: f32) -> Option<(f64, f64)>;
    /// Whether both shapes are valid.
    fn is_valid(self, pair: PairOf<'_, '_>) -> bool;
    /// The distance of valid shapes, with points as they are reported; `None` for a plane whose normal has no direction.
    fn distance<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        swapped: bool,
    ) -> Option<HullDistance>;
}

/// Hulls with bounded shapes.
#[derive(Clone, Copy)]
struct WithBodies([&'static BodyOps; 2]);

impl WithBodies {
    #[inline(always)]
    fn pair<'s, L: Lanes>(self, lanes: L, pair: PairOf<'_, 's>, margin: f32) -> HullPair<'s, L> {
        let [a, b] = [0, 1].map(|side| (self.0[side].read)(pair.columns[side], pair.indices[side]));
        HullPair::new(lanes, a, b, margin)
    }
}

impl Search for WithBodies {
    #[inline(always)]
    fn bodies<'s, L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, 's>,
        margin: f32,
    ) -> Option<HullPair<'s, L>> {
        Some(self.pair(lanes, pair, margin))
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
    fn is_valid(self, pair: PairOf<'_, '_>) -> bool {
        let are_valid =
            |side: usize| (self.0[side].is_valid)(pair.columns[side], pair.indices[side]);
        are_valid(0) && are_valid(1)
    }

    #[inline(always)]
    fn distance<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        swapped: bool,
    ) -> Option<HullDistance> {
        Some(self.pair(lanes, pair, 0.0).distance(swapped))
    }
}

/// Hulls with planes or half-spaces.
#[derive(Clone, Copy)]
struct WithSurfaces {
    hull: &'static BodyOps,
    plane: fn(&AnyColumns<'_>, usize) -> ([f32; 3], f32),
    is_valid: fn(&AnyColumns<'_>, usize) -> bool,
    is_solid: bool,
}

impl WithSurfaces {
    const PLANES: Self = WithSurfaces {
        hull: &BodyOps::of::<Obb>(),
        plane: |columns, index| {
            let Plane { normal, d } = columns.shape(index);
            (normal, d)
        },
        is_valid: is_valid::<Plane>,
        is_solid: false,
    };
    const HALF_SPACES: Self = WithSurfaces {
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
    fn is_valid(self, pair: PairOf<'_, '_>) -> bool {
        let ([hull, plane], [i, j]) = (pair.columns, pair.indices);
        (self.hull.is_valid)(hull, i) && (self.is_valid)(plane, j)
    }

    #[inline(always)]
    fn distance<L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, '_>,
        _swapped: bool,
    ) -> Option<HullDistance> {
        Some(self.interval(lanes, pair)?.distance(self.is_solid))
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

    const IS_BATCHED: bool;

    /// Searches and writes the pairs of a batch.
    #[inline(always)]
    fn flush<L: Lanes>(
        lanes: L,
        queue: &mut Queue<'_, L>,
        hits: &mut [u64],
        numbers: &mut [&mut [f32]],
    ) {
        if queue.batch.len() > 0 {
            let found = Self::search_all(lanes, queue);
            let mut lane = 0;
            while lane < queue.batch.len() {
                set(hits, numbers, queue.places[lane], found[lane]);
                lane += 1;
            }
            queue.batch.clear();
        }
    }

    /// Searches the pairs of a batch.
    fn search_all<L: Lanes>(lanes: L, queue: &Queue<'_, L>) -> [(bool, [f32; 2]); MAX_LANES];
}

/// Pairs that are searched together.
struct Queue<'s, L: Lanes> {
    batch: Batch<'s>,
    pairs: [Option<HullPair<'s, L>>; MAX_LANES],
    places: [usize; MAX_LANES],
}

impl<'s, L: Lanes> Queue<'s, L> {
    #[inline(always)]
    fn new() -> Self {
        Queue {
            batch: Batch::new(),
            pairs: [None; MAX_LANES],
            places: [0; MAX_LANES],
        }
    }

    /// Adds a pair. False if it has to be searched by itself.
    #[inline(always)]
    fn push(&mut self, place: usize, pair: HullPair<'s, L>) -> bool {
        let lane = self.batch.len();
        let is_added = self.batch.push(&pair);
        if is_added {
            (self.pairs[lane], self.places[lane]) = (Some(pair), place);
        }
        is_added
    }

    #[inline(always)]
    fn is_full(&self) -> bool {
        self.batch.len() == L::COUNT
    }
}

impl Refined for Overlaps {
    const IS_BATCHED: bool = true;

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
    fn search_all<L: Lanes>(lanes: L, queue: &Queue<'_, L>) -> [(bool, [f32; 2]); MAX_LANES] {
        let found = queue.batch.search(lanes, Goal::Verdict);
        let mut hits = [(false, [0.0; 2]); MAX_LANES];
        let mut lane = 0;
        while lane < queue.batch.len() {
            if let Some(pair) = &queue.pairs[lane] {
                hits[lane].0 = match pair.touch_by(&found[lane]) {
                    Some(is_hit) => is_hit,
                    None => pair.touch(),
                };
            }
            lane += 1;
        }
        hits
    }
}

#[cfg(feature = "sweep")]
impl Refined for Sweeps {
    const IS_BATCHED: bool = false;

    #[inline(always)]
    fn search<L: Lanes>(
        search: impl Search,
        lanes: L,
        pair: PairOf<'_, '_>,
        margin: f32,
    ) -> (bool, [f32; 2]) {
        match search.sweep(lanes, pair, margin) {
            Some((enter, exit)) => {
                let (enter, exit) = (below(enter), above(exit));
                (true, [enter, if exit < 1.0 { exit } else { 1.0 }])
            }
            None => (false, [f32::INFINITY; 2]),
        }
    }

    #[inline(always)]
    fn search_all<L: Lanes>(_lanes: L, _queue: &Queue<'_, L>) -> [(bool, [f32; 2]); MAX_LANES] {
        [(false, [f32::INFINITY; 2]); MAX_LANES]
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
            columns: mut numbers,
            ..
        } = span;
        let mut queue = Queue::new();
        let mut word = 0;
        while word < hits.len() {
            let mut left = hits[word];
            while left != 0 {
                let place = word * WORD + left.trailing_zeros() as usize;
                left &= left - 1;
                let pair = list.at((first + place) as u32);
                let indices = [pair[side_a] as usize, pair[side_b] as usize];
                let pair = PairOf { columns, indices };
                let is_queued = match search.bodies(lanes, pair, margin) {
                    Some(bodies) if V::IS_BATCHED => queue.push(place, bodies),
                    _ => false,
                };
                if !is_queued {
                    let found = V::search(search, lanes, pair, margin);
                    set(hits, &mut numbers, place, found);
                } else if queue.is_full() {
                    V::flush(lanes, &mut queue, hits, &mut numbers);
                }
            }
            word += 1;
        }
        V::flush(lanes, &mut queue, hits, &mut numbers);
    }
}

/// Writes the result of a hit of the boxes.
#[inline(always)]
fn set(
    hits: &mut [u64],
    numbers: &mut [&mut [f32]],
    place: usize,
    (is_hit, found): (bool, [f32; 2]),
) {
    if !is_hit {
        hits[place / WORD] &= !(1 << (place % WORD));
    }
    for (column, x) in numbers.iter_mut().zip(found) {
        if let Some(number) = column.get_mut(place) {
            *number = x;
        }
    }
}

/// The largest `f32` that is not above a number from 0 on.
fn below(x: f64) -> f32 {
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
        let mut queue = Queue::new();
        let mut results = Written {
            lower,
            upper,
            points,
            unsettled: out.unsettled,
            invalid: out.invalid,
            swapped,
        };
        for place in 0..out.len {
            let pair = shapes.list.at((out.first + place) as u32);
            let pair = PairOf {
                columns: shapes.columns,
                indices: [pair[side_a] as usize, pair[side_b] as usize],
            };
            if !search.is_valid(pair) {
                results.write(place, None);
                continue;
            }
            let is_queued = match search.bodies(lanes, pair, 0.0) {
                Some(bodies) => queue.push(place, bodies),
                None => false,
            };
            if !is_queued {
                results.write(place, search.distance(lanes, pair, swapped));
            } else if queue.is_full() {
                results.flush(lanes, &mut queue);
            }
        }
        results.flush(lanes, &mut queue);
    }
}

/// The results of a span of pairs.
#[cfg(feature = "distance")]
struct Written<'a, 'p> {
    lower: &'a mut [f32],
    upper: &'a mut [f32],
    points: [&'p mut [f32]; 6],
    unsettled: &'a mut [u64],
    invalid: &'a mut [u64],
    swapped: bool,
}

#[cfg(feature = "distance")]
impl Written<'_, '_> {
    /// Searches and writes the pairs of a batch.
    #[inline(always)]
    fn flush<L: Lanes>(&mut self, lanes: L, queue: &mut Queue<'_, L>) {
        if queue.batch.len() == 0 {
            return;
        }
        let found = queue.batch.search(lanes, Goal::Distance);
        let mut lane = 0;
        while lane < queue.batch.len() {
            if let Some(pair) = &queue.pairs[lane] {
                let distance = match pair.distance_by(&found[lane], self.swapped) {
                    Some(distance) => distance,
                    None => pair.distance(self.swapped),
                };
                self.write(queue.places[lane], Some(distance));
            }
            lane += 1;
        }
        queue.batch.clear();
    }

    /// Writes the distance of a pair; `None` if it is invalid.
    #[inline(always)]
    fn write(&mut self, place: usize, found: Option<HullDistance>) {
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
                ([0.0, f32::INFINITY], [[f64::NAN; 3]; 2])
            }
        };
        [self.lower[place], self.upper[place]] = bounds;
        for (column, x) in self.points.iter_mut().zip(at.as_flattened()) {
            if let Some(number) = column.get_mut(place) {
                // Never −0.
                *number = *x as f32 + 0.0;
            }
        }
    }
}

/// The tables of hulls with the other kinds of shapes, in kernel order: with bounded ones, then with surfaces. Boxes stand in
/// for hulls.
macro_rules! tables {
    ($($a:ident, $b:ident: $box_a:ident, $box_b:ident;)+) => {
        $(tables!(@ $a, $b, $box_a, $box_b, WithBodies([
            const { &BodyOps::of::<$box_a>() },
            const { &BodyOps::of::<$box_b>() },
        ]));)+
    };
    (@ $a:ident, $b:ident, $box_a:ident, $box_b:ident, $search:expr) => {
        tables!(@@ Overlaps, $a, $b, $box_a, $box_b, $search);
        #[cfg(feature = "sweep")]
        tables!(@@ Sweeps, $a, $b, $box_a, $box_b, $search);

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
    Point, PlacedHull: Point, Obb;
    Sphere, PlacedHull: Sphere, Obb;
    Capsule, PlacedHull: Capsule, Obb;
    Aabb, PlacedHull: Aabb, Obb;
    Obb, PlacedHull: Obb, Obb;
    PlacedHull, PlacedHull: Obb, Obb;
    PlacedHull, Triangle: Obb, Triangle;
}
tables!(@ PlacedHull, Plane, Obb, Plane, WithSurfaces::PLANES);
tables!(@ PlacedHull, HalfSpace, Obb, HalfSpace, WithSurfaces::HALF_SPACES);
