//! Time per pair by the length of the list, from one pair to a million.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench lists                        # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench lists -- 'obb.*/8 of 4k'     # one kernel, one list
//! cargo bench -p phalanx-bench --bench lists -- table               # rounds of turns alone, and a file for the report
//! ```
//!
//! The kernels of [`kernels::MAIN`], over stores of 4096 shapes and of a million, on one thread, on all threads, on one
//! thread over unchanged stores, and the first peer of each. A short list has pairs from the whole store, in order.
//! They share no cache lines, and a detector that read every shape would be slow.
//!
//! The longest list is also tested in random order, and by all peers. Over 4096 shapes it repeats few pairs. In order,
//! the branch predictor learns their hits; in random order it cannot, though every shape is in the caches. The
//! difference is the cost of branches.

use std::cell::{LazyCell, RefCell};

use phalanx::{Detector, Pair};
use phalanx_bench::bench::{Bench, Label};
use phalanx_bench::kernels::{self, Instance, Kernel};
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::{PairList, SEED, Scene, SceneSpec};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;

/// Scenes with more candidates than needed, from which lists are chosen.
const STORES: [SceneSpec; 2] = [
    SceneSpec::new("4k", 1 << 12, 1 << 14, PairList::Neighbours),
    SceneSpec::new("1M", 1 << 20, 1 << 22, PairList::Neighbours),
];

const LENGTHS: [(&str, usize); 11] = [
    ("1", 1),
    ("4", 4),
    ("8", 8),
    ("32", 32),
    ("128", 128),
    ("512", 512),
    ("2k", 1 << 11),
    ("8k", 1 << 13),
    ("32k", 1 << 15),
    ("128k", 1 << 17),
    ("1M", 1 << 20),
];

/// Order of the pairs of a list.
#[derive(Clone, Copy, PartialEq)]
enum Order {
    Sorted,
    Random,
}

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("lists");
    for spec in &STORES {
        // Built on first use, because a filter may omit the scene.
        let scene = LazyCell::new(|| spec.build());
        for kernel in kernels::main_kernels() {
            hold(&mut bench, spec, &scene, &kernel);
        }
    }
    bench.finish()
}

/// One kernel on the shapes of one scene, list by list.
fn hold(
    bench: &mut Bench,
    spec: &SceneSpec,
    scene: &LazyCell<Scene, impl FnOnce() -> Scene>,
    kernel: &Kernel,
) {
    let all = kernel.players(&instances());
    let with_first_peer = all.len().min(instances().len() + 1);
    let opponents = LazyCell::new(|| RefCell::new(kernel.open(scene, instances())));
    let (longest, _) = LENGTHS[LENGTHS.len() - 1];
    let sorted = LENGTHS.iter().map(|&length| (length, Order::Sorted));
    let random = LENGTHS
        .iter()
        .filter(|(name, _)| *name == longest)
        .map(|&length| (length, Order::Random));
    for ((name, pairs), order) in sorted.chain(random) {
        let random = match order {
            Order::Sorted => "",
            Order::Random => ", random order",
        };
        let label = Label {
            name: kernel.name.into(),
            scene: format!("{name} of {}{random}", spec.name),
            about: format!("{pairs} pairs of {} shapes{random}", spec.shapes),
            shapes: spec.shapes,
            items: pairs,
            unit: "pair",
        };
        let players = if name == longest {
            &all[..]
        } else {
            &all[..with_first_peer]
        };
        bench.hold(label, players, || {
            let list = choose(&scene.pairs, pairs, order).into();
            let checked = opponents.borrow_mut().check(&list, kernels::TIME_TOLERANCE);
            let opponents = &opponents;
            checked.open(move |player| opponents.borrow_mut().call(player, &list))
        });
    }
}

fn instances() -> Vec<Instance> {
    let instance = |name: &str, parallel| Instance {
        name: name.into(),
        detector: Detector::new().parallel(parallel),
        stores_rest: false,
    };
    let at_rest = Instance {
        stores_rest: true,
        ..instance("stores at rest", false)
    };
    vec![
        instance("one thread", false),
        instance("all threads", true),
        at_rest,
    ]
}

/// Pairs spread over the candidates, repeated if the list is longer.
fn choose(candidates: &[Pair], len: usize, order: Order) -> Vec<Pair> {
    let step = (candidates.len() / len).max(1);
    let chosen = candidates.iter().step_by(step).cycle().take(len);
    let mut pairs: Vec<Pair> = chosen.copied().collect();
    if order == Order::Random {
        pairs.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(SEED));
    }
    pairs
}
