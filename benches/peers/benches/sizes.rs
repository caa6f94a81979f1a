//! Cost of a pair in scenes that fit into the caches and in scenes that do not.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench sizes             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench sizes -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! All scenes are in memory and take turns, so that their ratios are meaningful on a machine with other work. No test
//! of a pair list can be faster than reading it, which is measured as [`READING`].

use std::cell::LazyCell;
use std::hint::black_box;

use phalanx::{Detector, Pair};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::kernels::{self, Instance, Kernel, List};
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::{PairList, SCENES, Scene, SceneSpec};

/// Name of plain reading among the kernels.
const READING: &str = "reading the list";

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("sizes");
    let specs: Vec<&SceneSpec> = SCENES
        .iter()
        .take(if bench.is_quick() { 2 } else { SCENES.len() })
        .filter(|spec| spec.list == PairList::Neighbours)
        .collect();
    let scenes = LazyCell::new(|| specs.iter().map(|spec| spec.build()).collect::<Vec<_>>());
    for kernel in kernels::main_kernels() {
        let kernel = kernel.with_peers(0);
        hold(&mut bench, kernel.name, &specs, || {
            let calls = scenes.iter().map(|scene| call_of(&kernel, scene));
            calls.collect()
        });
    }
    hold(&mut bench, READING, &specs, || {
        let read = |scene: &Scene| {
            let pairs = scene.pairs.clone();
            Box::new(move || _ = black_box(sum(&pairs))) as Box<dyn FnMut()>
        };
        scenes.iter().map(read).collect()
    });
    bench.finish()
}

/// A call on all pairs of a scene, on one thread.
fn call_of<'s>(kernel: &Kernel, scene: &'s Scene) -> Box<dyn FnMut() + 's> {
    let instance = Instance {
        name: "phalanx".into(),
        detector: Detector::new().parallel(false),
        stores_rest: false,
    };
    let mut opponents = kernel.open(scene, vec![instance]);
    let list = List::from(scene.pairs.clone());
    opponents.check(&list, kernels::TIME_TOLERANCE);
    Box::new(move || opponents.call(0, &list))
}

fn sum(pairs: &[Pair]) -> u32 {
    let indices: &[u32] = bytemuck::must_cast_slice(pairs);
    indices.iter().copied().fold(0, u32::wrapping_add)
}

/// Holds a contest of scenes by the cost of one pair.
fn hold<'s>(
    bench: &mut Bench,
    name: &str,
    specs: &[&SceneSpec],
    calls: impl FnOnce() -> Vec<Box<dyn FnMut() + 's>>,
) {
    let players: Vec<(Player, usize)> = specs
        .iter()
        .map(|spec| (Player::phalanx(spec.name), spec.pairs))
        .collect();
    let label = Label {
        name: name.into(),
        scene: "sizes".into(),
        about: "pairs of neighbours".into(),
        shapes: 0,
        items: 1,
        unit: "pair",
    };
    bench.hold_shares(label, &players, || {
        let mut calls = calls();
        Open::unchecked(move |k| calls[k]())
    });
}
