//! Distances against their definition in exact arithmetic, near contact and far from it.
//!
//! `PHALANX_CASES` sets the number of cases per line of the index.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod harness;
mod oracle;

use std::any::TypeId;
use std::ops::Range;

use common::{Sample, Setting, cases_or, nudge, rng, shorten};
use harness::fine::{fine_contact, is_euclidean};
use harness::{CaseOf, KernelCase, QueryRunner};
use oracle::U;
use oracle::distances::{ABOVE, BAND, BELOW, Cored, FLOOR, Target, Truth, part};
use oracle::minkowski::{Round, V, add, length, sub};
use phalanx::traits::{Distance, Overlap, Shape};
use phalanx::{
    Aabb, Capsule, ClosestPoints, Detector, DistanceRange, Distances, HalfSpace, Obb, Obbs,
    Overlaps, Pair, Pairs, Plane, Point, Simd, Sphere, Store, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// The overlap of two types of shapes; points have none.
type Overlapping<A, B> = Option<fn(&mut Detector, &Store<A>, &Store<B>, &mut Overlaps)>;

/// Number of cases for each line.
fn cases() -> usize {
    cases_or(12_000)
}

/// Poses of two shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Pose {
    Random,
    /// Moved towards each other, up to a small gap, which may be negative.
    Near,
    /// Coincident or nearly coincident centers.
    Nested,
    /// Up to 10⁷ times as long as thick.
    Needles,
    /// Without thickness: rectangles, segments and points.
    Flat,
    /// 10⁶ times as far from the origin as large.
    Far,
    /// Lengths from 10⁻³⁰ to 10¹⁵, or at the limits.
    Scaled,
    /// Scaled, each shape by its own scale.
    Mixed,
}

/// Poses in the order in which they are tried: random and near ones most often.
const POSES: [Pose; 14] = [
    Pose::Random,
    Pose::Near,
    Pose::Near,
    Pose::Near,
    Pose::Near,
    Pose::Near,
    Pose::Nested,
    Pose::Needles,
    Pose::Needles,
    Pose::Flat,
    Pose::Far,
    Pose::Scaled,
    Pose::Scaled,
    Pose::Mixed,
];

impl Pose {
    fn setting(self, rng: &mut StdRng) -> Setting {
        let mut setting = Setting::random(rng);
        match self {
            Pose::Random | Pose::Near | Pose::Nested => {}
            Pose::Needles => setting.aspect = 10f32.powf(rng.random_range(-7.5..-3.0)),
            Pose::Flat => setting.aspect = 0.0,
            Pose::Far => {
                setting.scale = 2f32.powi(rng.random_range(-3..=3));
                let far = setting.scale * 1e6;
                setting.offset = [(); 3].map(|()| rng.random_range(-far..far).round());
            }
            Pose::Scaled | Pose::Mixed => {
                setting.scale = if rng.random_bool(0.2) {
                    2f32.powi(rng.random_range(55..=59))
                } else {
                    10f32.powf(rng.random_range(-30.0..15.0))
                };
                setting.offset = [0.0; 3];
            }
        }
        setting
    }
}

/// Pairs of shapes, position by position.
struct Scene<A: Shape, B: Shape> {
    a: Store<A>,
    b: Store<B>,
    poses: Vec<Pose>,
}

/// Pairs of a scene.
const BATCH: usize = 14 * 40;

impl<A, B> Scene<A, B>
where
    A: Sample + Cored + Distance<B>,
    B: Sample + Target<A>,
{
    fn new(rng: &mut StdRng) -> Self {
        let (mut a, mut b) = (Store::new(), Store::new());
        let (mut poses, mut scales) = (Vec::new(), Vec::new());
        while poses.len() < BATCH {
            let pose = POSES[poses.len() % POSES.len()];
            let setting = pose.setting(rng);
            let of_b = if pose == Pose::Mixed {
                &pose.setting(rng)
            } else {
                &setting
            };
            let mut shapes = (A::sample(rng, &setting), B::sample(rng, of_b));
            if pose == Pose::Nested {
                let noise = [0.0, 1e-7, 1e-3, 0.3][rng.random_range(0..4)] * setting.scale;
                let way = sub(shapes.0.center(), shapes.1.middle());
                shapes.1 = shapes
                    .1
                    .moved(way.map(|x| x as f32 + rng.random_range(-1.0..1.0) * noise));
            } else if pose == Pose::Near || rng.random_bool(0.5) {
                // Mostly apart.
                let apart = 4.0 * setting.scale;
                let way = [(); 3].map(|()| rng.random_range(-apart..apart));
                shapes.1 = shapes.1.moved(way);
            }
            if is_valid(shapes.0) && is_valid(shapes.1) {
                a.push(shapes.0);
                b.push(shapes.1);
                poses.push(pose);
                scales.push(setting.scale);
            }
        }
        let mut scene = Scene { a, b, poses };
        scene.bring_near(rng, &scales);
        scene
    }

    /// Moves near pairs by the vector between their nearest points, and steps numbers by some ulps.
    fn bring_near(&mut self, rng: &mut StdRng, scales: &[f32]) {
        let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
        let mut detector = Detector::new().parallel(false);
        detector
            .distance_points(&self.a, &self.b, Pairs::zip(), &mut distances, &mut points)
            .unwrap();
        for (i, scale) in scales.iter().enumerate() {
            if self.poses[i] != Pose::Near && !(rng.random_bool(0.3)) {
                continue;
            }
            let [p, q] = points.get(i).unwrap();
            let apart = length(sub(q.map(f64::from), p.map(f64::from)));
            let gaps = [0.0, 0.0, 1e-7, 1e-7, -1e-7, 1e-6, 1e-6, 1e-5, 1e-3];
            let gap = gaps[rng.random_range(0..gaps.len())] * f64::from(*scale);
            let share = if apart > 0.0 { 1.0 - gap / apart } else { 0.0 };
            let way = [0, 1, 2].map(|k| (f64::from(p[k] - q[k]) * share) as f32);
            let index = i as u32;
            let (mut first, mut second) = (
                (self.a.get(index).unwrap(), [0.0; 3]),
                (self.b.get(index).unwrap().moved(way), [0.0; 3]),
            );
            for _ in 0..rng.random_range(0..3) {
                nudge(rng, &mut first);
                nudge(rng, &mut second);
            }
            shorten(rng, &mut first.0);
            shorten(rng, &mut second.0);
            if is_valid(first.0) && is_valid(second.0) {
                self.a.set(index, first.0).unwrap();
                self.b.set(index, second.0).unwrap();
            }
        }
    }
}

fn is_valid<T: Shape>(shape: T) -> bool {
    Store::from_slice(&[shape]).validate().is_ok()
}

/// Results of a line: counts, and the largest use of each constant in u of S.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    /// Random and near pairs, and the unsettled of them.
    common: usize,
    unsettled: usize,
    other_unsettled: usize,
    touching: usize,
    hits: usize,
    below: f64,
    above: f64,
    band: f64,
    points: f64,
    apart: f64,
    rebased: f64,
    /// Distance of a pair that `overlap` reports.
    hit: f64,
}

impl Tally {
    /// Checks one pair.
    fn see<A: Cored, B: Target<A>>(
        &mut self,
        (a, b): (&A, &B),
        range: DistanceRange,
        is_settled: bool,
        [at_a, at_b]: [[f32; 3]; 2],
    ) -> Result<Truth, String> {
        let DistanceRange { lower, upper } = range;
        let has_triangle = A::IS_TRIANGLE || B::IS_TRIANGLE;
        let truth = b.truth(a, [lower, upper]);
        let size = truth.size;
        let check = |holds: bool, promise: &str| {
            if holds {
                Ok(())
            } else {
                Err(promise.to_owned())
            }
        };
        let are_bounds = lower.is_sign_positive() && lower <= upper && upper.is_finite();
        check(are_bounds, "finite bounds in order")?;
        check(truth.lower_holds, "lower bound")?;
        check(truth.upper_holds, "upper bound")?;
        let [low, high] = [f64::from(lower), f64::from(upper)];
        // The size is rounded, and so are both bounds.
        let slack = 1.0 + 1e-5;
        let wide = high - low - high / 65536.0;
        let band = (part(BAND, has_triangle, size) + 3.0 * FLOOR) * slack;
        check(!is_settled || wide <= band, "settled within the band")?;
        // Underflow is left out.
        let unit = |x: f64| {
            if size > 1e-6 && truth.is_size_exact {
                x / (U * size)
            } else {
                0.0
            }
        };
        let raw_low = low + part(BELOW, has_triangle, size);
        let raw_high = high - part(ABOVE, has_triangle, size);
        if lower > 0.0 {
            self.below = self.below.max(unit(raw_low - truth.distance));
        }
        self.above = self.above.max(unit(truth.distance - raw_high));
        if is_settled {
            self.band = self.band.max(unit(wide));
        }
        let (p, q) = (at_a.map(f64::from), at_b.map(f64::from));
        let center = b.reference();
        // Relative to the center of `a`, or of the shape if `b` is a plane.
        let q_at_b = center.map_or(q, |center| sub(q, sub(center, a.center())));
        let apart = length(sub(q, p));
        self.apart = self.apart.max(unit(apart - high));
        check(apart <= high, "points apart at most the upper bound")?;
        let beside = part(ABOVE, has_triangle, size) * slack;
        for outside in [a.outside(p), b.outside(a.center(), q_at_b)] {
            self.points = self.points.max(unit(outside));
            check(outside <= beside, "points on the shapes")?;
        }
        Ok(truth)
    }

    /// The points of shapes in reverse order are equal, relative to the other center.
    fn see_rebased<A: Cored, B: Target<A>>(
        &mut self,
        (a, b): (&A, &B),
        truth: &Truth,
        [at_a, at_b]: [[f32; 3]; 2],
        [back_at_b, back_at_a]: [[f32; 3]; 2],
    ) -> Result<(), String> {
        let center = b.reference();
        let offset = center.map_or([0.0; 3], |center| sub(center, a.center()));
        for (here, there) in [(at_a, back_at_a), (at_b, back_at_b)] {
            let off = sub(here.map(f64::from), add(there.map(f64::from), offset));
            let off = length(off) / (U * truth.size + FLOOR);
            self.rebased = self.rebased.max(off);
            if off > REBASED[usize::from(A::IS_TRIANGLE || B::IS_TRIANGLE)] {
                return Err(format!("points re-based, off by {off:.1} u S"));
            }
        }
        Ok(())
    }

    /// A pair that overlaps has a lower bound of zero.
    fn see_hit(&mut self, truth: &Truth, range: DistanceRange, is_hit: bool) -> Result<(), String> {
        self.touching += usize::from(truth.distance == 0.0);
        if is_hit {
            self.hits += 1;
            let is_sure = truth.size > 1e-6 && truth.is_size_exact;
            let apart = if is_sure {
                truth.distance / (U * truth.size)
            } else {
                0.0
            };
            self.hit = self.hit.max(apart);
        }
        if is_hit && range.lower > 0.0 {
            return Err("zero for a hit".into());
        }
        Ok(())
    }
}

/// Largest error of points in reverse order, in u of S, without triangles and with them.
const REBASED: [f64; 2] = [8.0, 64.0];

/// All promises for one line of the index.
fn keeps_promises<A, B>(name: &str, overlapping: Overlapping<A, B>)
where
    A: Sample + Cored + Distance<B>,
    B: Sample + Target<A> + Distance<A>,
{
    let mut rng = rng(name);
    let mut tally = Tally::default();
    while tally.cases < cases() {
        judge_scene(name, &Scene::<A, B>::new(&mut rng), overlapping, &mut tally);
    }
    println!("{name}: {tally:.1?}");
    assert!(
        tally.unsettled * 1000 <= tally.common,
        "{name}: {} of {} are not settled",
        tally.unsettled,
        tally.common
    );
    let all = tally.cases;
    // Few points of a plane have float coordinates.
    assert!(tally.touching * 40 > all && tally.touching * 20 < 19 * all);
}

/// Checks all pairs of a scene, in either order.
fn judge_scene<A, B>(
    name: &str,
    scene: &Scene<A, B>,
    overlapping: Overlapping<A, B>,
    tally: &mut Tally,
) where
    A: Sample + Cored + Distance<B>,
    B: Sample + Target<A> + Distance<A>,
{
    let Scene { a, b, poses } = scene;
    let is_mixed = TypeId::of::<A>() != TypeId::of::<B>();
    let said = Said::of(a, b);
    let back = Said::of(b, a);
    let mut overlaps = Overlaps::new();
    if let Some(overlap) = overlapping {
        overlap(&mut Detector::new().parallel(false), a, b, &mut overlaps);
    }
    if is_mixed {
        assert_eq!(said.distances, back.distances, "{name}, in the other order");
    }
    for (i, pose) in poses.iter().enumerate() {
        let pair = (&a.get(i as u32).unwrap(), &b.get(i as u32).unwrap());
        let (range, is_settled) = (said.distances.get(i).unwrap(), said.distances.is_settled(i));
        let points = said.points.get(i).unwrap();
        let seen = tally.see(pair, range, is_settled, points);
        let seen = seen.and_then(|truth| {
            let there = back.points.get(i).unwrap();
            if is_mixed {
                tally.see_rebased(pair, &truth, points, there)?;
            }
            let is_hit = overlapping.is_some() && overlaps.is_hit(i);
            tally.see_hit(&truth, range, is_hit)
        });
        if let Err(promise) = seen {
            let truth = pair.1.truth(pair.0, [range.lower, range.upper]);
            let (a, b) = pair;
            panic!(
                "{name}, {pose:?}, {promise}: {a:?} {b:?}: {range:?} {is_settled} {points:?}, {truth:?}"
            );
        }
        let is_common = [Pose::Random, Pose::Near].contains(pose);
        tally.cases += 1;
        tally.common += usize::from(is_common);
        tally.unsettled += usize::from(is_common && !is_settled);
        tally.other_unsettled += usize::from(!is_common && !is_settled);
    }
}

/// Distances and points of pairs of shapes.
#[derive(Default)]
struct Said {
    distances: Distances,
    points: ClosestPoints,
}

impl Said {
    fn of<A: Shape + Distance<B>, B: Shape>(a: &Store<A>, b: &Store<B>) -> Said {
        let mut said = Said::default();
        said.ask(&mut Detector::new().parallel(false), a, b, Pairs::zip());
        said
    }

    fn ask<A: Shape + Distance<B>, B: Shape>(
        &mut self,
        detector: &mut Detector,
        a: &Store<A>,
        b: &Store<B>,
        pairs: Pairs<'_>,
    ) {
        let Said { distances, points } = self;
        detector
            .distance_points(a, b, pairs, distances, points)
            .unwrap();
    }

    /// All words of a range of positions.
    fn words(&self, range: Range<usize>) -> Vec<[u32; 10]> {
        let Said { distances, points } = self;
        let columns = [points.at_a(), points.at_b()].concat();
        range
            .map(|i| {
                let mut words = [0; 10];
                words[0] = distances.lower()[i].to_bits();
                words[1] = distances.upper()[i].to_bits();
                for (word, column) in words[2..8].iter_mut().zip(&columns) {
                    // All NaNs count as equal.
                    let x = column[i];
                    *word = if x.is_nan() { u32::MAX } else { x.to_bits() };
                }
                words[8] = distances.is_settled(i).into();
                words[9] = distances.is_invalid(i).into();
                words
            })
            .collect()
    }

    fn all(&self) -> Vec<[u32; 10]> {
        self.words(0..self.distances.len())
    }
}

/// Pairs of uneven sizes at a distance, or not, nearer to it than `f64` resolves: the bounds are on either side.
fn is_between<A, B>()
where
    A: Sample + Distance<B> + CaseOf<Overlaps, B>,
    B: Sample,
{
    let mut rng = rng(&format!("{}, fine", <A::Case as KernelCase>::NAME));
    let mut asker = QueryRunner::<A::Case>::default();
    let (mut detector, mut distances) = (Detector::new().parallel(false), Distances::new());
    for _ in 0..cases_or(TRIES) {
        let Some(near) = fine_contact(&mut rng, &mut asker) else {
            continue;
        };
        let (a, b) = (
            near.a.iter().map(|a| a.0).collect::<Vec<A>>(),
            near.b.iter().map(|b| b.0).collect::<Vec<B>>(),
        );
        let stores = (Store::from_slice(&a), Store::from_slice(&b));
        detector
            .distance(&stores.0, &stores.1, Pairs::zip(), &mut distances)
            .unwrap();
        let (lower, upper) = (distances.lower()[0], distances.upper()[1]);
        let margin = near.margin;
        assert!(
            lower <= margin || margin > 0.0 && !is_euclidean::<A::Case>(),
            "{lower:e} of {margin:e}: {:?} {:?}",
            a[0],
            b[0]
        );
        assert!(
            upper > margin,
            "{upper:e} of {margin:e}: {:?} {:?}",
            a[1],
            b[1]
        );
    }
}

/// Spheres and capsules within the band above a large AABB, where `overlap` does not use `f64`: no hit has a positive distance.
#[cfg(not(phalanx_only))]
#[test]
fn hits_on_a_large_aabb_have_no_distance() {
    let mut rng = rng("above an AABB");
    let (mut spheres, mut capsules, mut ground) = (Store::new(), Store::new(), Store::new());
    for _ in 0..500 {
        let radius = rng.random_range(0.5..1.0f32);
        let above = f32::from_bits(radius.to_bits() + rng.random_range(0..60));
        let [x, z] = [(); 2].map(|()| rng.random_range(-900.0..900.0));
        spheres.push(Sphere::new([x, above, z], radius));
        capsules.push(Capsule::new([x, above, z], [0.5, 0.0, 0.25], radius));
        ground.push(Aabb::new([-1e3, -1.0, -1e3], [1e3, 0.0, 1e3]));
    }
    fn check<A: Distance<Aabb> + Overlap<Aabb>>(a: &Store<A>, ground: &Store<Aabb>) {
        let mut detector = Detector::new().parallel(false);
        let (mut distances, mut overlaps) = (Distances::new(), Overlaps::new());
        detector
            .distance(a, ground, Pairs::zip(), &mut distances)
            .unwrap();
        detector
            .overlap(a, ground, Pairs::zip(), &mut overlaps)
            .unwrap();
        assert!(overlaps.count() > 50 && overlaps.count() < a.len());
        for i in overlaps.iter() {
            assert_eq!(distances.lower()[i], 0.0, "{:?}", a.get(i as u32));
        }
    }
    check(&spheres, &ground);
    check(&capsules, &ground);
}

/// Number of tries to find such a pair, for each line.
const TRIES: usize = 100;

/// Tests for each line of the index.
macro_rules! tests {
    ($($name:ident: distance($($shape:ident),+);)*) => {
        $(#[test] fn $name() { tests!(@ $name, $($shape),+); })*

        mod one_answer {
            use super::*;
            $(#[test] fn $name() { tests!(@@ has_one_answer, $name, $($shape),+); })*
        }

        mod uneven {
            use super::*;
            $(tests!(@@@ $name, $($shape),+);)*
        }

        #[test]
        fn shapes_that_move_by_a_way_change_their_distance_by_no_more() {
            $(tests!(@@ moves, $name, $($shape),+);)*
        }
    };
    (@ $name:ident, Point) => {
        keeps_promises::<Point, Point>(stringify!($name), None);
    };
    (@ $name:ident, $a:ident) => { tests!(@ $name, $a, $a); };
    (@ $name:ident, $a:ident, $b:ident) => {
        keeps_promises::<$a, $b>(stringify!($name), Some(|detector, a, b, out| {
            detector.overlap(a, b, Pairs::zip(), out).unwrap();
        }));
    };
    (@@@ $name:ident, Point) => {};
    (@@@ $name:ident, $a:ident) => { tests!(@@@ $name, $a, $a); };
    (@@@ $name:ident, $a:ident, $b:ident) => {
        #[test]
        fn $name() {
            is_between::<$a, $b>();
        }
    };
    (@@ $test:ident, $name:ident, $a:ident) => { tests!(@@ $test, $name, $a, $a); };
    (@@ $test:ident, $name:ident, $a:ident, $b:ident) => {
        $test::<$a, $b>(stringify!($name));
    };
}
phalanx::kernels!(distance: tests);

/// Moving a shape changes the distance by at most the displacement, and the bounds allow that.
fn moves<A, B>(name: &str)
where
    A: Sample + Distance<B>,
    B: Sample,
{
    let mut rng = rng(&format!("{name}, moved"));
    let setting = Setting::ordinary();
    let (mut a, mut b, mut moved) = (Store::new(), Store::new(), Store::new());
    let mut ways = Vec::new();
    for _ in 0..500 {
        let by = [1e-6, 1e-3, 0.1, 3.0][rng.random_range(0..4)];
        let way = [(); 3].map(|()| rng.random_range(-by..by));
        let apart = [(); 3].map(|()| rng.random_range(-2.0..2.0f32));
        let shape = B::sample(&mut rng, &setting).moved(apart);
        a.push(A::sample(&mut rng, &setting));
        b.push(shape);
        moved.push(shape.moved(way));
        ways.push(length(way.map(f64::from)));
    }
    let (before, after) = (Said::of(&a, &b), Said::of(&a, &moved));
    for (i, way) in ways.iter().enumerate() {
        let [before, after] = [&before, &after].map(|said| said.distances.get(i).unwrap());
        // Coordinates, here below 10, round.
        let most = way + 64.0 * U;
        for (from, to) in [(before, after), (after, before)] {
            let (lower, upper) = (f64::from(from.lower), f64::from(to.upper));
            assert!(
                lower <= upper + most,
                "{name}: {:?} {:?} moves {way}: {before:?}, {after:?}",
                a.get(i as u32),
                b.get(i as u32)
            );
        }
    }
}

/// Shapes near each other, some of them invalid.
fn some<T: Sample>(purpose: &str, len: usize) -> Store<T> {
    const STRANGE: [f32; 6] = [f32::NAN, f32::INFINITY, f32::MAX, -1.0, 1e-45, 2e18];
    let mut rng = rng(purpose);
    let setting = Setting::ordinary();
    let mut store = Store::new();
    for _ in 0..len {
        let apart = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
        let mut shape = T::sample(&mut rng, &setting).moved(apart);
        if rng.random_bool(0.1) {
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
            let k = rng.random_range(0..numbers.len());
            numbers[k] = STRANGE[rng.random_range(0..STRANGE.len())];
        }
        store.push(shape);
    }
    store
}

/// Results have the same bits on every instruction set, by any number of threads and from any list.
fn has_one_answer<A, B>(name: &str)
where
    A: Sample + Distance<B>,
    B: Sample + Distance<A>,
{
    const LEN: usize = 700;
    let (a, b) = (
        some::<A>(&format!("{name} a"), LEN),
        some::<B>(&format!("{name} b"), LEN),
    );
    let mut rng = rng(name);
    let mut index = || rng.random_range(0..LEN as u32);
    let list: Vec<Pair> = (0..20_000).map(|_| Pair::new(index(), index())).collect();
    let one_lane = Simd::available().next().unwrap();
    let (mut said, mut other) = (Said::default(), Said::default());
    let mut detector = Detector::new().simd(one_lane).parallel(false);
    said.ask(&mut detector, &a, &b, Pairs::from(&list));
    let expected = said.all();

    // Invalid pairs are flagged and do not affect their neighbours.
    let is_bad = |pair: &Pair| {
        let (a, b) = (a.get(pair.a).unwrap(), b.get(pair.b).unwrap());
        !(is_valid(a) && is_valid(b))
    };
    for (i, pair) in list.iter().enumerate() {
        let is_bad = is_bad(pair);
        assert_eq!(said.distances.is_invalid(i), is_bad, "{name}");
        assert_eq!(said.distances.get(i).is_none(), is_bad);
        if is_bad {
            let range = (said.distances.lower()[i], said.distances.upper()[i]);
            assert_eq!(range, (0.0, f32::INFINITY));
            assert!(said.distances.is_settled(i));
            let points = said.points.get(i).unwrap();
            assert!(points.as_flattened().iter().all(|x| x.is_nan()));
        }
    }
    assert!(
        said.distances
            .iter_invalid()
            .eq((0..list.len()).filter(|i| is_bad(&list[*i])))
    );

    for simd in Simd::available() {
        for parallel in [false, true] {
            let mut detector = Detector::new().simd(simd).parallel(parallel);
            other.ask(&mut detector, &a, &b, Pairs::from(&list));
            assert!(other.all() == expected, "{name}, {simd}");
            // Without points.
            detector
                .distance(&a, &b, &list, &mut other.distances)
                .unwrap();
            assert_eq!(other.distances, said.distances, "{name}, {simd}");
        }
        // At any position, from columns or rows.
        let mut detector = Detector::new().simd(simd).parallel(false);
        for len in 0..40 {
            let range = len * 31..len * 32;
            let part = &list[range.clone()];
            for detector in [&mut detector, &mut Detector::new().simd(simd)] {
                other.ask(detector, &a, &b, Pairs::from(part));
                assert!(
                    other.all() == expected[range.clone()],
                    "{name}, {simd}, {len} pairs"
                );
            }
        }
        // Lists without pairs.
        let all = 0..LEN as u32;
        let zip: Vec<Pair> = all.clone().map(|i| Pair::new(i, i)).collect();
        let one_to_all: Vec<Pair> = all.map(|i| Pair::new(9, i)).collect();
        for (pairs, list) in [(Pairs::zip(), zip), (Pairs::one_to_all(9), one_to_all)] {
            said.ask(&mut detector, &a, &b, pairs);
            other.ask(&mut detector, &a, &b, Pairs::from(&list));
            assert!(said.all() == other.all(), "{name}, {simd}, {pairs:?}");
        }
        // In reverse order.
        let reverse: Vec<Pair> = list.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
        said.ask(
            &mut Detector::new().simd(one_lane).parallel(false),
            &b,
            &a,
            Pairs::from(&reverse),
        );
        other.ask(&mut detector, &b, &a, Pairs::from(&reverse));
        assert!(
            said.all() == other.all(),
            "{name}, {simd}, in reverse order"
        );
        if TypeId::of::<A>() != TypeId::of::<B>() {
            let bounds = |words: &[u32; 10]| [words[0], words[1], words[8], words[9]];
            assert!(
                other
                    .all()
                    .iter()
                    .map(bounds)
                    .eq(expected.iter().map(bounds)),
                "{name}"
            );
        }
        said.ask(&mut detector, &a, &b, Pairs::from(&list));
    }
    #[cfg(feature = "rayon")]
    for threads in [2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| other.ask(&mut Detector::new(), &a, &b, Pairs::from(&list)));
        assert!(other.all() == expected, "{name}, {threads} threads");
    }
}

#[cfg(not(phalanx_only))]
mod poses {
    //! Boxes for which other libraries returned wrong distances.

    use super::*;

    /// Edges, rotation by rows, and center.
    type Published = ([f64; 3], [V; 3], V);

    fn obb((edges, [x, y, z], center): Published) -> Obb {
        let axes = [0, 1, 2].map(|k| [x[k], y[k], z[k]].map(|x| x as f32));
        Obb::from_axes(
            center.map(|x| x as f32),
            edges.map(|x| (x / 2.0) as f32),
            axes,
        )
    }

    /// The bounds of two boxes, checked.
    fn bounds(first: Published, second: Published) -> DistanceRange {
        let (a, b) = (obb(first), obb(second));
        let stores = (Obbs::from_slice(&[a]), Obbs::from_slice(&[b]));
        let said = Said::of(&stores.0, &stores.1);
        let range = said.distances.get(0).unwrap();
        let points = said.points.get(0).unwrap();
        assert!(said.distances.is_settled(0));
        let seen = Tally::default().see((&a, &b), range, true, points);
        seen.unwrap_or_else(|promise| panic!("{promise}: {a:?} {b:?} {range:?}"));
        range
    }

    #[test]
    fn coal_604_nearly_parallel_boxes_are_apart() {
        let first = (
            [0.363, 0.277, 0.363],
            [
                [0.999_919_570_3, 0.010_218_494_13, 0.007_512_347_878],
                [-0.010_218_782_48, 0.999_947_786_9, 0.0],
                [-0.007_511_955_635, -7.676_704_888e-5, 0.999_971_781_9],
            ],
            [1.503_354_966, -0.853_170_783_5, 0.770_009_241_8],
        );
        let second = (
            [0.363, 0.363, 0.277],
            [
                [0.999_867_096_7, -0.012_977_083_24, 0.009_868_343_982],
                [0.012_977_715_17, 0.999_915_785_9, 0.0],
                [-0.009_867_512_928, 0.000_128_068_557_4, 0.999_951_306_7],
            ],
            [1.488_383_08, -1.102_020_834, 0.449_707_379_9],
        );
        let range = bounds(first, second);
        assert!(range.lower < 2e-3 && range.upper < 2e-3, "{range:?}");
    }

    #[test]
    fn fcl_445_boxes_touch_within_rounding() {
        let first = (
            [0.3165, 0.2276, 0.1768],
            [
                [
                    0.445_405_784_755_302_35,
                    0.895_328_814_964_933_9,
                    -8.893_740_768_563_868e-9,
                ],
                [
                    -0.895_328_814_964_933_8,
                    0.445_405_784_755_301_9,
                    -2.894_868_022_608_414_5e-8,
                ],
                [-2.195_726_397_518_632_6e-8, 2.085_673_201_665_292e-8, 1.0],
            ],
            [
                1.265_294_907_596_007_2,
                1.455_101_242_321_010_1,
                0.494_800_062_329_329_4,
            ],
        );
        let second = (
            [0.4943, 0.3546, 0.0752],
            [
                [
                    0.441_711_229_134_858_6,
                    0.897_157_282_786_119,
                    -1.622_764_514_865_468e-9,
                ],
                [
                    -0.897_157_282_786_119,
                    0.441_711_229_134_858_6,
                    -5.162_105_395_230_608e-9,
                ],
                [-3.914_427_141_382_999e-9, 3.736_034_921_809_435e-9, 1.0],
            ],
            [
                1.130_401_622_614_190_6,
                1.841_080_264_528_428,
                0.444_000_062_329_324_9,
            ],
        );
        let range = bounds(first, second);
        assert!(range.upper < 1e-4, "{range:?}");
    }

    #[test]
    fn fcl_493_stacked_cubes_touch_within_rounding() {
        let axes = [
            [
                0.940_960_632_174_177_6,
                0.292_968_400_372_895,
                0.169_595_415_861_748_1,
            ],
            [
                -0.235_698_368_412_998_8,
                0.926_615_235_958_484_3,
                -0.292_968_400_372_895_05,
            ],
            [
                -0.242_980_179_903_263_9,
                0.235_698_368_412_998_85,
                0.940_960_632_174_177_6,
            ],
        ];
        let high = [
            0.073_242_100_093_223_82,
            0.231_653_808_989_621_23,
            1.308_924_592_103_25,
        ];
        let first = ([0.25; 3], axes, high);
        let range = bounds(first, ([0.25; 3], axes, [0.0, 0.0, 1.25]));
        assert!(range.upper < 1e-4, "{range:?}");
    }

    #[test]
    fn fcl_508_cubes_in_a_row_have_their_distance() {
        let upright = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        for axis in 0..3 {
            for apart in [1.000_001, 1.5, 1.99, 2.0, 4.0, 1000.0] {
                let mut center = [0.0; 3];
                center[axis] = apart;
                let cube = |center| ([1.0; 3], upright, center);
                let range = bounds(cube([0.0; 3]), cube(center));
                let distance = apart as f32 - 1.0;
                assert!(
                    range.lower <= distance && distance <= range.upper,
                    "{range:?}"
                );
            }
        }
    }
}

#[cfg(not(phalanx_only))]
#[test]
fn the_oracle_agrees_with_the_faces_of_differences() {
    // Another definition, in `f64`: the faces of the difference of both shapes.
    let mut rng = rng("faces of differences");
    fn agree<A: Sample + Cored + Round, B: Sample + Cored + Round>(rng: &mut StdRng) {
        let setting = Setting::ordinary();
        let mut apart = 0;
        for _ in 0..300 {
            let way = [(); 3].map(|()| rng.random_range(-2.0..2.0f32));
            let (a, b) = (
                A::sample(rng, &setting),
                B::sample(rng, &setting).moved(way),
            );
            let truth = Target::<A>::truth(&b, &a, [0.0, 1.0]);
            let expected = b.solid().less(&a.solid()).separation().max(0.0);
            assert!(
                (truth.distance - expected).abs() < 1e-9,
                "{a:?} {b:?} {truth:?} {expected}"
            );
            apart += usize::from(expected > 0.0);
        }
        assert!(apart > 30, "{apart}");
    }
    agree::<Point, Sphere>(&mut rng);
    agree::<Sphere, Capsule>(&mut rng);
    agree::<Capsule, Capsule>(&mut rng);
    agree::<Capsule, Obb>(&mut rng);
    agree::<Aabb, Obb>(&mut rng);
    agree::<Obb, Obb>(&mut rng);
}
