//! Every kernel on every scene: phalanx on each instruction set, against what people use today.
//!
//! ```text
//! cargo bench --bench kernels                     # criterion, then a table of what was run
//! cargo bench --bench kernels -- --quick          # the same, faster
//! cargo bench --bench kernels -- 'obb.*/1M/'      # one kernel on one scene
//! cargo bench --bench kernels -- table            # the table alone
//! ```
//!
//! The time of a call holds all of it: the check of the list, packing, the tests, the answers.
//! Before anything is timed, all instances of phalanx must agree to the last bit, and the peer on
//! all but a tiny share of the pairs.

mod common;

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use parry3d::bounding_volume::{self, BoundingSphere, BoundingVolume};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::details::intersection_test_cuboid_cuboid;
use parry3d::query::{ShapeCastOptions, cast_shapes};
use parry3d::shape::{Ball, Cuboid};
use phalanx::{Aabb, Detector, Error, Obb, Overlaps, Pair, Simd, Sphere, Sweeps};

use common::machine;
use common::scenes::{InScene, PairList, SCENES, Scene, SceneSpec};

fn main() {
    let has = |name: &str| std::env::args().any(|argument| argument == name);
    // Without `--bench` criterion runs each bench once, to see that it works.
    let is_test = !has("--bench") || has("--test");
    let mut criterion = (!has("table")).then(|| {
        Criterion::default()
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_millis(700))
            .configure_from_args()
    });

    let mut rows = Vec::new();
    for spec in &SCENES {
        let mut scene = None;
        let scene = std::cell::LazyCell::new(move || *scene.insert(spec.build()));
    }
}
