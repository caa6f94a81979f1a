//! Calls as in a frame: once, after other work that has filled caches and branch predictors.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench in_frame -- table    # rounds of turns, and a file for the report
//! ```
//!
//! Before each call the other work reads and writes 8 MB in random order, and takes unpredictable branches, for some
//! milliseconds. Peers are measured the same way. Scene and lists are those of the bench of kernels, with columns that
//! may have changed since the last call.

use std::cell::{LazyCell, RefCell};
use std::hint::black_box;
use std::time::Instant;

use phalanx_bench::bench::{Bench, Label, Open};
use phalanx_bench::kernels::{Kernel, List, TIME_TOLERANCE, instances, main_kernels};
use phalanx_bench::record::FileError;
use phalanx_bench::scenes::{SCENES, Scene};

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("in_frame");
    let spec = &SCENES[0];
    let scene = LazyCell::new(|| spec.build());
    for kernel in &main_kernels() {
        let label = Label {
            name: kernel.name.into(),
            scene: format!("{}, in a frame", spec.name),
            about: spec.about(),
            shapes: spec.shapes,
            items: spec.pairs,
            unit: "pair",
        };
        hold(&mut bench, label, kernel, &scene);
    }
    bench.finish()
}

fn hold(bench: &mut Bench, label: Label, kernel: &Kernel, scene: &Scene) {
    let players = kernel.players(&instances());
    let list = List::from(scene.pairs.clone());
    // Criterion also measures the other work: read the table instead.
    let whole = LazyCell::new(|| {
        let (mut opponents, mut work) = (kernel.open(scene, instances()), OtherWork::new());
        let list = List::from(scene.pairs.clone());
        RefCell::new(Open::unchecked(move |player| {
            work.run();
            opponents.call(player, &list);
        }))
    });
    if !bench.is_wanted(&label, &players, &whole) {
        return;
    }
    let (mut opponents, mut work) = (kernel.open(scene, instances()), OtherWork::new());
    let checked = opponents.check(&list, TIME_TOLERANCE);
    let mut times = vec![Vec::new(); players.len()];
    for _ in bench.turns().rounds() {
        for (player, times) in times.iter_mut().enumerate() {
            work.run();
            let start = Instant::now();
            opponents.call(player, &list);
            times.push(start.elapsed().as_secs_f64());
        }
    }
    bench.add(label, &players, &checked.open(|_| ()), &times);
}

/// Other work of a frame.
struct OtherWork {
    numbers: Vec<u64>,
    state: u64,
}

impl OtherWork {
    /// In numbers: 8 MB.
    const LEN: usize = 1 << 20;

    fn new() -> Self {
        OtherWork {
            numbers: (0..Self::LEN as u64).collect(),
            state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    fn run(&mut self) {
        for _ in 0..Self::LEN {
            // Xorshift: the next place depends on the last access.
            self.state ^= self.state << 13;
            self.state ^= self.state >> 7;
            self.state ^= self.state << 17;
            let number = &mut self.numbers[self.state as usize % Self::LEN];
            *number = match *number % 5 {
                0 => number.rotate_left(7),
                1 => number.wrapping_mul(3),
                2 => *number ^ self.state,
                3 => number.wrapping_add(self.state),
                _ => !*number,
            };
        }
        black_box(&self.numbers);
    }
}
