//! Threads do not change results, and a panic in one thread ends its call only.
#![cfg(feature = "rayon")]

mod common;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, LazyLock, Mutex};

use common::{Sample, Setting, rng};
#[cfg(feature = "candidates")]
use phalanx::During;
use phalanx::{
    ClosestPoints, Detector, Distances, Obb, Obbs, Overlaps, Pair, Pairs, Sphere, Spheres, Store,
    Sweeps,
};
use rand::RngExt;
use rayon::ThreadPool;
use rayon::prelude::*;

/// Shapes, a list of pairs, and the results of one thread.
struct Scene {
    boxes: Obbs,
    balls: Spheres,
    list: Vec<Pair>,
    /// Parts of the list, long enough for boxes to be shared, and the results of one thread.
    parts: Vec<(Vec<Pair>, Answers)>,
    serial: Answers,
}

/// Built by one thread alone, without a pool.
static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let (boxes, balls) = (shapes::<Obb>("boxes"), shapes::<Sphere>("balls"));
    let mut rng = rng("threads");
    let list: Vec<Pair> = (0..200_000)
        .map(|_| [(); 2].map(|()| rng.random_range(0..4000)).into())
        .collect();
    let mut scene = Scene {
        boxes,
        balls,
        list,
        parts: Vec::new(),
        serial: Answers::default(),
    };
    let mut detector = Detector::new().parallel(false);
    let mut ask = |list: &[Pair]| {
        let mut answers = Answers::default();
        answers.ask(&mut detector, &scene, list);
        answers
    };
    let serial = ask(&scene.list);
    let parts = scene.list.chunks(50_000);
    let parts = parts.map(|part| (part.to_vec(), ask(part))).collect();
    (scene.serial, scene.parts) = (serial, parts);

    let Answers { overlaps, sweeps } = &scene.serial;
    let hits = [overlaps.count(), sweeps.count()];
    let invalid = [overlaps.invalid_count(), sweeps.invalid_count()];
    let counts = [hits, invalid].concat();
    assert!(counts.iter().all(|n| *n > 10_000 && *n < 150_000));
    scene
});

fn shapes<T: Sample>(purpose: &str) -> Store<T> {
    let mut rng = rng(purpose);
    let setting = Setting::ordinary();
    let mut store = Store::new();
    for i in 0..4000 {
        let mut shape = T::sample(&mut rng, &setting);
        if i % 16 == 0 {
            bytemuck::cast_slice_mut::<T, f32>(std::slice::from_mut(&mut shape))[0] = f32::NAN;
        }
        store.push_moving(shape, setting.motion(&mut rng));
    }
    store
}

/// An overlap and a sweep.
#[derive(Clone, Default)]
struct Answers {
    overlaps: Overlaps,
    sweeps: Sweeps,
}

impl Answers {
    fn ask(&mut self, detector: &mut Detector, scene: &Scene, list: &[Pair]) {
        let Scene { boxes, balls, .. } = scene;
        detector
            .overlap(boxes, boxes, list, &mut self.overlaps)
            .unwrap();
        detector
            .sweep(balls, balls, list, &mut self.sweeps)
            .unwrap();
    }

    #[track_caller]
    fn assert_same(&self, other: &Answers) {
        // Not `assert_eq`, which would print hundreds of thousands of results.
        assert_eq!(self.overlaps.len(), other.overlaps.len());
        assert!(self.overlaps == other.overlaps);
        let (a, b) = (&self.sweeps, &other.sweeps);
        assert_eq!((a.len(), a.words().len()), (b.len(), b.words().len()));
        assert!(a.words() == b.words() && a.iter_invalid().eq(b.iter_invalid()));
        let bits = |times: &[f32]| times.iter().map(|t| t.to_bits()).collect::<Vec<_>>();
        assert!(bits(a.enter()) == bits(b.enter()) && bits(a.exit()) == bits(b.exit()));
    }
}

/// A detector and outputs, reused by each call.
#[derive(Default)]
struct User {
    detector: Detector,
    answers: Answers,
}

impl User {
    fn new(parallel: bool) -> Self {
        User {
            detector: Detector::new().parallel(parallel),
            answers: Answers::default(),
        }
    }

    /// Tests the whole list.
    #[track_caller]
    fn check(&mut self) {
        self.answers.ask(&mut self.detector, &SCENE, &SCENE.list);
        self.answers.assert_same(&SCENE.serial);
    }

    #[track_caller]
    fn check_part(&mut self, (part, expected): &(Vec<Pair>, Answers)) {
        self.answers.ask(&mut self.detector, &SCENE, part);
        self.answers.assert_same(expected);
    }
}

fn pool(threads: usize) -> ThreadPool {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// Panics without the message that would look like a failure.
fn fail() -> ! {
    resume_unwind(Box::new("the user's fault"))
}

/// Asserts that the caller's own panic propagates, and no other.
#[track_caller]
fn caught(work: impl FnOnce()) {
    let payload = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
    let text = payload.downcast_ref::<&str>();
    assert_eq!(text, Some(&"the user's fault"), "another panic");
}

#[test]
fn a_panic_beside_a_long_call_does_not_reach_it() {
    the_global_pool_is_not_needed();
    for threads in [1, 2, 4] {
        let (pool, mut user) = (pool(threads), User::default());
        for _ in 0..5 {
            caught(|| {
                pool.install(|| rayon::join(|| user.check(), || fail()));
            });
            // Here the call may not begin at all.
            caught(|| {
                pool.install(|| rayon::join(|| fail(), || user.check()));
            });
            pool.install(|| User::default().check());
            pool.install(|| user.check());
            user.check_part(&SCENE.parts[1]);
        }
    }
}

#[test]
fn a_panic_in_a_pool_after_a_call_leaves_its_answers() {
    let (pool, mut user) = (pool(4), User::default());
    for part in &SCENE.parts {
        caught(|| {
            pool.install(|| {
                user.check_part(part);
                fail();
            });
        });
        user.answers.assert_same(&part.1);
        pool.install(|| User::default().check());
        pool.install(|| user.check());
    }
}

#[test]
fn a_panic_in_a_loop_over_frames_is_over_when_it_is_caught() {
    let pool = pool(3);
    for parallel in [false, true] {
        let mut user = User::new(parallel);
        pool.install(|| {
            for (frame, part) in SCENE.parts.iter().enumerate() {
                let len = part.0.len() / (frame + 1);
                caught(|| {
                    let Answers { overlaps, sweeps } = &mut user.answers;
                    let Scene { boxes, balls, .. } = &*SCENE;
                    let list = &part.0[..len];
                    user.detector.overlap(boxes, boxes, list, overlaps).unwrap();
                    for hit in overlaps.iter() {
                        if hit > len / 2 {
                            fail();
                        }
                    }
                    user.detector.sweep(balls, balls, list, sweeps).unwrap();
                });
                // One output belongs to this frame, the other to the previous frame.
                assert_eq!(user.answers.overlaps.len(), len);
                let before = if frame == 0 { 0 } else { 50_000 };
                assert_eq!(user.answers.sweeps.len(), before);
                user.check_part(part);
            }
        });
    }
}

/// A task that waits for its halves may run another task: calls are then nested.
#[test]
fn calls_within_tasks_of_a_pool() {
    fn halves(parts: &[(Vec<Pair>, Answers)]) {
        if let [part] = parts {
            return User::default().check_part(part);
        }
        let (low, high) = parts.split_at(parts.len() / 2);
        rayon::join(|| halves(low), || halves(high));
    }

    for threads in [1, 2, 4, 32] {
        let pool = pool(threads);
        let parts = &SCENE.parts;
        pool.install(|| {
            parts
                .par_iter()
                .for_each_init(User::default, |user, part| user.check_part(part));
            halves(parts);
        });
        pool.scope(|scope| {
            for part in parts {
                scope.spawn(|scope| {
                    let mut user = User::default();
                    user.check_part(part);
                    scope.spawn(move |_| user.check());
                });
            }
        });
        // From outside: a thread that waits within a call sometimes runs one of these.
        pool.in_place_scope(|scope| {
            for _ in 0..100 {
                scope.spawn(|_| User::default().check());
            }
        });
    }
}

#[test]
fn eight_threads_with_a_detector_each_share_the_stores() {
    the_global_pool_is_not_needed();
    const THREADS: usize = 8;
    for parallel in [false, true] {
        let start = Barrier::new(THREADS);
        std::thread::scope(|scope| {
            for first in 0..THREADS {
                let start = &start;
                scope.spawn(move || {
                    let mut user = User::new(parallel);
                    start.wait();
                    for part in SCENE.parts.iter().cycle().skip(first).take(8) {
                        user.check_part(part);
                    }
                    user.check();
                });
            }
        });
    }
}

/// A global pool can be built only once, so this shows that no call has started it.
///
/// Tests that use the global pool begin with this test, so that they have not started it.
#[track_caller]
fn the_global_pool_is_not_needed() {
    static UNTOUCHED: LazyLock<bool> = LazyLock::new(|| {
        let pool = pool(4);
        pool.install(|| User::default().check());
        pool.scope(|scope| scope.spawn(|_| User::default().check()));
        pool.install(|| rayon::join(|| User::default().check(), || User::default().check()));

        // Without any pool: serial detectors or short lists.
        User::new(false).check();
        let mut user = User::default();
        user.answers
            .ask(&mut user.detector, &SCENE, &SCENE.list[..4000]);

        let build = || {
            rayon::ThreadPoolBuilder::new()
                .num_threads(3)
                .build_global()
        };
        let untouched = build().is_ok();
        assert!(build().is_err(), "it would have gone unnoticed");
        untouched
    });
    assert!(*UNTOUCHED, "a call has started the global pool");
}

#[test]
fn calls_in_a_local_pool_and_short_ones_do_not_start_the_global_pool() {
    the_global_pool_is_not_needed();
}

/// Ends the program if a test hangs.
struct Guard(#[allow(dead_code)] std::sync::mpsc::Sender<()>);

impl Guard {
    fn new(test: &'static str) -> Self {
        let (alive, test_ends) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            let long = std::time::Duration::from_secs(600);
            if let Err(std::sync::mpsc::RecvTimeoutError::Timeout) = test_ends.recv_timeout(long) {
                eprintln!("{test} hangs");
                std::process::exit(101);
            }
        });
        Guard(alive)
    }
}

/// A thread that ran another task of the pool while it waited within a call would lock again.
#[test]
fn a_lock_around_a_detector_does_not_hang_a_pool() {
    let _guard = Guard::new("a lock around a detector");
    let user = Mutex::new(User::default());
    for threads in [2, 4] {
        pool(threads).install(|| {
            for _ in 0..10 {
                (0..24).into_par_iter().with_max_len(1).for_each(|task| {
                    if task % 3 == 0 {
                        user.lock().unwrap().check();
                    } else {
                        let part = &SCENE.parts[task % SCENE.parts.len()];
                        User::new(false).check_part(part);
                    }
                });
            }
        });
    }
}

/// All threads of a pool wait until `call` returns, which runs outside of the pool or on its last thread.
fn while_the_pool_waits(pool: Option<&ThreadPool>, call: impl FnOnce() + Send) {
    let waiting = pool.map_or_else(rayon::current_num_threads, |pool| {
        pool.current_num_threads() - 1
    });
    let begun = Arc::new(Barrier::new(waiting + 1));
    let is_over = Arc::new(Mutex::new(()));
    let holds_up = is_over.lock().unwrap();
    for _ in 0..waiting {
        let (begun, is_over) = (begun.clone(), is_over.clone());
        let wait = move || {
            begun.wait();
            drop(is_over.lock());
        };
        match pool {
            Some(pool) => pool.spawn(wait),
            None => rayon::spawn(wait),
        }
    }
    let call = || {
        begun.wait();
        call();
    };
    match pool {
        Some(pool) => pool.install(call),
        None => call(),
    }
    drop(holds_up);
}

#[test]
fn a_pool_that_waits_for_the_caller_does_not_hang_it() {
    the_global_pool_is_not_needed();
    let _guard = Guard::new("a pool that waits");
    let mut user = User::default();
    while_the_pool_waits(None, || {
        for part in &SCENE.parts {
            user.check_part(part);
        }
    });
    for threads in [2, 4] {
        while_the_pool_waits(Some(&pool(threads)), || user.check());
    }
    user.check();
}

/// Helpers that start during a call, just after it, or never.
#[test]
fn a_busy_pool_delays_no_call() {
    let _guard = Guard::new("a busy pool");
    let (pool, stop) = (pool(4), AtomicBool::new(false));
    pool.in_place_scope(|scope| {
        for work in [20, 200, 2000] {
            let stop = &stop;
            scope.spawn(move |scope| {
                fn busy<'s>(scope: &rayon::Scope<'s>, stop: &'s AtomicBool, work: u64) {
                    let spins = work * 100;
                    (0..spins).for_each(|_| std::hint::spin_loop());
                    if !stop.load(Ordering::Relaxed) {
                        scope.spawn(move |scope| busy(scope, stop, work));
                    }
                }
                busy(scope, stop, work);
            });
        }
        let mut user = User::default();
        for part in SCENE.parts.iter().cycle().take(40) {
            pool.install(|| user.check_part(part));
        }
        stop.store(true, Ordering::Relaxed);
    });
}

/// Frames of moving spheres, and their candidates by one thread.
#[cfg(feature = "candidates")]
struct Frames(Vec<(Spheres, Vec<Pair>)>);

#[cfg(feature = "candidates")]
impl Frames {
    /// Slow frames, most of which keep the list or the order of shapes; then fast frames.
    fn new() -> Self {
        let mut rng = rng("frames");
        let mut at = |reach: f32| [(); 3].map(|()| rng.random_range(-reach..reach));
        let mut balls: Spheres = (0..10_000)
            .map(|_| Sphere {
                center: at(10.0),
                radius: 0.6,
            })
            .collect();
        let speeds: Vec<[f32; 3]> = (0..balls.len()).map(|_| at(0.01)).collect();
        let mut serial = Detector::new().parallel(false);
        let frames = (0..24).map(|frame| {
            let factor = if frame < 16 { 1.0 } else { 30.0 };
            let columns = balls.columns_mut();
            for (k, column) in columns.center.into_iter().enumerate() {
                for (x, speed) in column.iter_mut().zip(&speeds) {
                    *x += factor * speed[k];
                }
            }
            let mut pairs = Vec::new();
            serial
                .candidates(&balls, &balls, During::Start, &mut pairs)
                .unwrap();
            assert!(pairs.len() > 10_000);
            (balls.clone(), pairs)
        });
        Frames(frames.collect())
    }

    fn check(&self) {
        let (mut detector, mut pairs) = (Detector::new(), Vec::new());
        let mut overlaps = Overlaps::new();
        for (frame, (balls, expected)) in self.0.iter().enumerate() {
            // A clone has no tree of an earlier call.
            let balls = balls.clone();
            let mut find = |detector: &mut Detector| {
                detector
                    .candidates(&balls, &balls, During::Start, &mut pairs)
                    .unwrap();
                detector
                    .overlap(&balls, &balls, &pairs, &mut overlaps)
                    .unwrap();
            };
            match frame % 4 {
                0 => find(&mut detector),
                1 => detector.frame(find),
                2 => detector.frame(|detector| detector.frame(find)),
                _ => {
                    let panics = AssertUnwindSafe(|| {
                        detector.frame(|detector| {
                            find(detector);
                            resume_unwind(Box::new("in a frame"));
                        })
                    });
                    assert!(catch_unwind(panics).is_err());
                }
            }
            assert!(pairs == *expected, "frame {frame}");
            let [a, b] = [0, 1].map(|side| balls_of(&balls, &pairs, side));
            let touching = a.zip(b).map(|(a, b)| a.overlaps(&b) == Some(true));
            assert!(touching.eq((0..pairs.len()).map(|i| overlaps.is_hit(i))));
        }
    }
}

#[cfg(feature = "candidates")]
fn balls_of<'b>(
    balls: &'b Spheres,
    pairs: &'b [Pair],
    side: usize,
) -> impl Iterator<Item = Sphere> + 'b {
    let index = move |pair: &Pair| if side == 0 { pair.a } else { pair.b };
    pairs
        .iter()
        .map(move |pair| balls.get(index(pair)).unwrap())
}

/// The steps of a call share its helpers, which may be many, few, late, delayed or missing.
#[cfg(feature = "candidates")]
#[test]
fn candidates_of_moving_shapes_are_the_same_on_any_pool() {
    the_global_pool_is_not_needed();
    let _guard = Guard::new("candidates");
    let frames = Frames::new();
    for threads in [1, 2, 3, 8, 32] {
        pool(threads).install(|| frames.check());
    }
    frames.check();
    while_the_pool_waits(None, || frames.check());
    for threads in [2, 4] {
        while_the_pool_waits(Some(&pool(threads)), || frames.check());
    }
    // Callers that help each other, and compete for all cores.
    pool(4).install(|| (0..8).into_par_iter().for_each(|_| frames.check()));
}

#[test]
fn outputs_are_replaced_wholly() {
    let pool = pool(4);
    // Only hits, only misses or only invalid pairs, so that each bit of an output must change.
    let Answers { overlaps, sweeps } = &SCENE.serial;
    let kind = |wanted: &dyn Fn(usize) -> bool| -> Vec<Pair> {
        let list = SCENE.list.iter().enumerate();
        let of_kind = list.filter(|(i, _)| wanted(*i)).map(|(_, pair)| *pair);
        of_kind.collect::<Vec<_>>().repeat(15)
    };
    let hits = kind(&|i| overlaps.is_hit(i) && sweeps.is_hit(i));
    let misses = kind(&|i| {
        !(overlaps.is_hit(i) || sweeps.is_hit(i) || overlaps.is_invalid(i) || sweeps.is_invalid(i))
    });
    let invalid = kind(&|i| overlaps.is_invalid(i) && sweeps.is_invalid(i));
    for parallel in [false, true] {
        let mut detector = Detector::new().parallel(parallel);
        let mut answers = Answers::default();
        let mut previous = 0;
        for len in [
            100_001, 100_001, 9, 60_000, 0, 64, 8192, 8255, 1, 65, 52_345,
        ] {
            for list in [&hits, &misses, &invalid, &SCENE.list, &misses, &hits] {
                let list = &list[..len];
                pool.install(|| answers.ask(&mut detector, &SCENE, list));
                let mut fresh = Answers::default();
                let mut serial = Detector::new().parallel(false);
                fresh.ask(&mut serial, &SCENE, list);
                answers.assert_same(&fresh);
                let Answers { overlaps, sweeps } = &answers;
                let words = len.div_ceil(64);
                assert_eq!((overlaps.len(), overlaps.words().len()), (len, words));
                assert_eq!((sweeps.len(), sweeps.words().len()), (len, words));
                assert_eq!((sweeps.enter().len(), sweeps.exit().len()), (len, len));
                for beyond in len..previous.min(len + 200) {
                    assert!(!overlaps.is_hit(beyond) && !overlaps.is_invalid(beyond));
                    assert!(!sweeps.is_hit(beyond) && sweeps.get(beyond).is_none());
                }
                previous = len;
            }
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let mut user = User::default();
    for threads in 1..=32 {
        pool(threads).install(|| user.check());
    }
}

/// Without a list, and often enough to use the store's cached bounds.
#[test]
fn long_scans_are_shared() {
    const LEN: usize = 250_000;
    let mut rng = rng("scans");
    let setting = Setting::ordinary();
    let mut balls = Spheres::new();
    for _ in 0..LEN {
        let ball = Sphere::sample(&mut rng, &setting);
        balls.push_moving(ball, setting.motion(&mut rng));
    }
    let mut serial = User::new(false);
    let mut expected = Vec::new();
    let scan = |user: &mut User, pairs: Pairs<'_>| {
        let Answers { overlaps, sweeps } = &mut user.answers;
        let detector = &mut user.detector;
        detector.overlap(&balls, &balls, pairs, overlaps).unwrap();
        detector.sweep(&balls, &balls, pairs, sweeps).unwrap();
        assert_eq!((overlaps.len(), sweeps.len()), (LEN, LEN));
    };
    for pairs in [Pairs::zip(), Pairs::one_to_all(LEN as u32 / 2)] {
        scan(&mut serial, pairs);
        assert!(serial.answers.sweeps.count() > 0);
        expected.push((pairs, serial.answers.clone()));
    }
    for threads in [2, 3, 8] {
        let mut user = User::new(true);
        for (pairs, answers) in expected.iter().cycle().take(6) {
            pool(threads).install(|| scan(&mut user, *pairs));
            user.answers.assert_same(answers);
        }
    }
}

/// Bounds and points in columns that are split among threads, for lists that grow and shrink.
#[test]
fn any_number_of_threads_gives_the_same_distances() {
    let (balls, boxes) = (&SCENE.balls, &SCENE.boxes);
    let find = |detector: &mut Detector, list: &[Pair], out: &mut (Distances, ClosestPoints)| {
        detector
            .distance_points(balls, boxes, list, &mut out.0, &mut out.1)
            .unwrap();
        let (bounds, points) = (&out.0, &out.1);
        assert_eq!((bounds.len(), points.len()), (list.len(), list.len()));
        assert_eq!(bounds.invalid_words().len(), list.len().div_ceil(64));
        let columns = [points.at_a(), points.at_b()].concat();
        let columns = columns.into_iter().chain([bounds.lower(), bounds.upper()]);
        let bits = columns.flat_map(|column| column.iter().map(|x| x.to_bits()));
        bits.collect::<Vec<u32>>()
    };
    let mut serial = Detector::new().parallel(false);
    let (mut expected, mut out) = Default::default();
    for threads in [1, 2, 3, 8, 32] {
        let (pool, mut detector) = (pool(threads), Detector::new());
        for len in [50_000, 9, 8255, 0, 8192, 33_333, 65] {
            let list = &SCENE.list[..len];
            let serial_bits = find(&mut serial, list, &mut expected);
            let bits = pool.install(|| find(&mut detector, list, &mut out));
            assert!(bits == serial_bits, "{threads} threads, {len} pairs");
            assert!(out.0 == expected.0);
        }
    }
}
