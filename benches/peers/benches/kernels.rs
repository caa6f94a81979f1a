//! Every kernel: phalanx on each instruction set, compared with its peers.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench kernels                     # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench kernels -- --quick          # the same, faster
//! cargo bench -p phalanx-bench --bench kernels -- 'obb_obb.*/1M/'  # one kernel on one scene
//! cargo bench -p phalanx-bench --bench kernels -- table            # rounds of turns alone, and a file for the report
//! cargo bench -p phalanx-bench --bench kernels -- table obb_obb    # those with this in their name, and no file
//! ```
//!
//! All kernels run on the first scene, 16k, which measures the arithmetic; the kernels of [`kernels::MAIN`] also run on
//! the other scenes, which show the cost of memory. Kernels come from the index of the crate; their peers, if any, from
//! `src/peers.rs`.
//!
//! The time of a call includes everything: the check of the list, packing, the tests, the results. Before timing, all
//! instances of phalanx must agree with one lane to the last bit, and peers on nearly all pairs.

use phalanx_bench::bench::{Bench, Label};
use phalanx_bench::kernels::{self, Kernel, List, instances};
use phalanx_bench::peers::ONE_TO_ALL;
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::{SCENES, Scene, SceneSpec};
use std::cell::LazyCell;

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("kernels");
    // The other scenes take longer to build than to test.
    let scenes = if bench.is_quick() { 2 } else { SCENES.len() };
    for (k, spec) in SCENES[..scenes].iter().enumerate() {
        // Built on first use, because a filter may omit the scene.
        let scene = LazyCell::new(|| spec.build());
        let is_first = k == 0;
        let kernels = if is_first {
            kernels::all()
        } else {
            kernels::main_kernels()
        };
        for kernel in &kernels {
            let label = label(kernel, spec, spec.pairs, spec.about());
            hold(&mut bench, label, kernel, &scene, |scene| {
                scene.pairs.clone().into()
            });
        }
        if is_first {
            hold_one_to_all(&mut bench, spec, &scene);
        }
    }
    bench.finish()
}

fn hold_one_to_all(
    bench: &mut Bench,
    spec: &SceneSpec,
    scene: &LazyCell<Scene, impl FnOnce() -> Scene>,
) {
    let kernel = Kernel::one_to_all(ONE_TO_ALL);
    let about = format!("one of {} shapes against all", spec.shapes);
    let label = label(&kernel, spec, spec.shapes, about);
    hold(bench, label, &kernel, scene, |_| {
        List::one_to_all(spec.shapes as u32 / 2, spec.shapes as u32)
    });
}

fn label(kernel: &Kernel, spec: &SceneSpec, pairs: usize, about: String) -> Label {
    Label {
        name: kernel.name.into(),
        scene: spec.name.into(),
        about,
        shapes: spec.shapes,
        items: pairs,
        unit: "pair",
    }
}

fn hold(
    bench: &mut Bench,
    label: Label,
    kernel: &Kernel,
    scene: &LazyCell<Scene, impl FnOnce() -> Scene>,
    list: impl FnOnce(&Scene) -> List,
) {
    let players = kernel.players(&instances());
    bench.hold(label, &players, || {
        kernel.open(scene, instances()).into_contest(list(scene))
    });
}
