//! Speedup by threads on a million pairs, and the largest speedup possible on this machine.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench threads             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench threads -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! A CPU may be a core or half of a core, and a shared machine guarantees neither. So the same pools also run a loop
//! that touches no memory and keeps the arithmetic units busy, [`CEILING`]: its speedup is an upper limit on this
//! machine.

use std::array;
use std::cell::LazyCell;
use std::hint::black_box;

use phalanx::Detector;
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::kernels::{self, Instance, List};
use phalanx_bench::machine;
use phalanx_bench::scenes::SCENES;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Name of the ceiling among the kernels.
const CEILING: &str = "arithmetic in registers";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut bench = Bench::from_args("threads");
    let pools = pools()?;
    let players: Vec<Player> = pools
        .iter()
        .map(|pool| Player::phalanx(threads(pool)))
        .collect();

    let spec = &SCENES[1];
    let scene = LazyCell::new(|| spec.build());
    for kernel in kernels::main_kernels() {
        let kernel = kernel.with_peers(0);
        let label = Label {
            name: kernel.name.into(),
            scene: spec.name.into(),
            about: spec.about(),
            shapes: spec.shapes,
            items: spec.pairs,
            unit: "pair",
        };
        bench.hold(label, &players, || {
            let instance = |pool| Instance {
                name: threads(pool),
                detector: Detector::new(),
                stores_rest: false,
            };
            let instances = pools.iter().map(instance).collect();
            let mut opponents = kernel.open(&scene, instances);
            let list = List::from(scene.pairs.clone());
            let checked = opponents.check(&list, kernels::TIME_TOLERANCE);
            let pools = &pools;
            checked.open(move |k| pools[k].install(|| opponents.call(k, &list)))
        });
    }
    let label = Label {
        name: CEILING.into(),
        scene: "ceiling".into(),
        about: format!("{PIECES} pieces of {STEPS} steps"),
        shapes: 0,
        items: PIECES * STEPS,
        unit: "step",
    };
    bench.hold(label, &players, || {
        let work = |_| _ = black_box(arithmetic());
        let pools = &pools;
        let work = move || (0..PIECES).into_par_iter().for_each(work);
        Open::unchecked(move |k| pools[k].install(work))
    });
    bench.finish()?;
    Ok(())
}

/// Pools of one thread, two, and so on by doubling, up to all.
fn pools() -> Result<Vec<ThreadPool>, ThreadPoolBuildError> {
    let all = machine::threads();
    let mut counts: Vec<usize> = std::iter::successors(Some(1), |count| Some(count * 2))
        .take_while(|&count| count < all)
        .collect();
    counts.push(all);
    let build = |count| ThreadPoolBuilder::new().num_threads(count).build();
    counts.into_iter().map(build).collect()
}

fn threads(pool: &ThreadPool) -> String {
    match pool.current_num_threads() {
        1 => "1 thread".into(),
        count => format!("{count} threads"),
    }
}

/// Number of pieces, enough to share evenly.
const PIECES: usize = 64;
const STEPS: usize = 10_000;

/// Enough chains of multiplications and additions to keep the units of any core busy, and few enough to fit in the
/// registers.
fn arithmetic() -> [[f32; 4]; 12] {
    let (factor, term) = (black_box(0.999f32), black_box(0.001f32));
    let mut chains = [[black_box(1.0f32); 4]; 12];
    for _ in 0..STEPS {
        chains = array::from_fn(|k| chains[k].map(|x| x * factor + term));
    }
    chains
}
