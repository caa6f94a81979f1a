//! A pool that cannot start does not affect a call.
#![cfg(feature = "rayon")]

use phalanx::{Detector, Overlaps, Pair, Sphere, Spheres};

// A single test in this file, because there is one global pool.
#[test]
fn one_thread_answers_if_the_pool_cannot_start() {
    let refused = |_| Err(std::io::ErrorKind::WouldBlock.into());
    let pool = rayon::ThreadPoolBuilder::new().spawn_handler(refused);
    assert!(pool.build_global().is_err());

    let ball = |i| Sphere {
        center: [i as f32, 0.0, 0.0],
        radius: 0.5,
    };
    let balls: Spheres = (0..1000).map(ball).collect();
    let pairs: Vec<Pair> = (0..1_000_000)
        .map(|i| Pair::new(i % 1000, i / 7 % 1000))
        .collect();
    let ask = |parallel: bool| {
        let mut out = Overlaps::new();
        let mut detector = Detector::new().parallel(parallel);
        detector.overlap(&balls, &balls, &pairs, &mut out).unwrap();
        out
    };
    let answers = ask(true);
    assert!(answers.count() > 1000 && answers == ask(false));
}
