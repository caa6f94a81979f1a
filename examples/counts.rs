//! One call of every kernel with every instruction set, whose instructions `.ci/counts` counts.
//!
//! Callgrind counts the instructions within [`counted`] and dumps the count when it returns. This example prints the
//! label of each call in the same order: kernel, instruction set, pairs.

use phalanx::query::{Query, Supports};
use phalanx::{Contacts, Detector, Impacts, Obbs, Overlaps, Pairs, Simd, Sweeps};
use scenes::{InScene, SCENES, Scene};

#[path = "../benches/common/scenes.rs"]
#[allow(dead_code)]
mod scenes;

/// Callgrind gets this name on its command line.
#[inline(never)]
fn counted(call: &mut dyn FnMut()) {
    call();
}

/// Counts a warm call of a query with each instruction set that the CPU has. `out` prepares the output, `hits` counts.
fn count<Q: Query, A: Supports<Q, B> + InScene, B: InScene, O: Default>(
    kernel: &str,
    scene: &Scene,
    out: fn(&mut O) -> Q::Out<'_>,
    hits: fn(&O) -> usize,
) {
    let mut answers = O::default();
    let (a, b) = (A::columns_in(scene), B::columns_in(scene));
    let pairs = Pairs::from(&scene.pairs);
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).parallel(false);
        let mut call = || {
            detector
                .query::<Q, _, _>(&a, &b, pairs, out(&mut answers))
                .expect("the scene's own pairs")
        };
        // The first call allocates.
        call();
        counted(&mut call);
        println!("{kernel} {simd} {}", scene.pairs.len());
    }
    // Hardly any static point is on a plane.
    let has_hits = hits(&answers) > 0
        || [
            "point_plane_overlap",
            "point_plane_contact",
            "point_triangle_overlap",
            "point_triangle_contact",
        ]
        .contains(&kernel);
    assert!(has_hits, "{kernel} finds no hits");
}

macro_rules! count_kernels {
    ($($kernel:ident: $verb:ident($($shape:ident),+);)*) => {
        |scene: &Scene| {
            $(count_kernels!(@ $kernel, $verb, scene, $($shape),+);)*
        }
    };
    (@ $kernel:ident, $verb:ident, $scene:ident, $a:ident) => {
        count_kernels!(@ $kernel, $verb, $scene, $a, $a);
    };
    (@ $kernel:ident, $verb:ident, $scene:ident, $a:ident, $b:ident) => {
        count_kernels!(@@ $verb, stringify!($kernel), $scene, phalanx::$a, phalanx::$b);
    };
    (@@ overlap, $($with:tt)+) => { count_kernels!(@@@ Overlaps, |out| out, $($with)+); };
    (@@ sweep, $($with:tt)+) => { count_kernels!(@@@ Sweeps, |out| out, $($with)+); };
    (@@ contact, $($with:tt)+) => { count_kernels!(@@@ Contacts, |out| out, $($with)+); };
    (@@ impact, $($with:tt)+) => { count_kernels!(@@@ Impacts, |out| (1e-3, out), $($with)+); };
    (@@@ $query:ident, $out:expr, $kernel:expr, $scene:ident, $a:ty, $b:ty) => {
        count::<$query, $a, $b, $query>($kernel, $scene, $out, |out| out.count());
    };
}

/// Sets turns of 0.1 to 0.3 rad, about different axes.
fn turn(boxes: &mut Obbs) {
    for i in 0..boxes.len() as u32 {
        let mut turn = [0.1; 3];
        turn[i as usize % 3] = if i & 8 == 0 { -0.3 } else { 0.2 };
        boxes.set_turn(i, turn).expect("a box");
    }
}

fn main() {
    let mut scene = SCENES[0].build();
    phalanx::kernels!(count_kernels)(&scene);
    phalanx::kernels!(contact: count_kernels)(&scene);
    turn(&mut scene.obbs);
    phalanx::kernels!(impact: count_kernels)(&scene);
}
