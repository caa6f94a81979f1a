//! One call of every kernel with every instruction set, for `.ci/counts` to count its instructions.
//!
//! Callgrind counts what runs within [`counted`] and dumps the count whenever that returns; this
//! prints what each of them was, in the same order: kernel, instruction set, pairs.

use phalanx::{
    Collide, Contacts, Detector, Error, Impact, Impacts, Obbs, Overlap, Overlaps, Simd, Sweep,
    Sweeps,
};
use scenes::{InScene, SCENES, Scene};

#[path = "../benches/common/scenes.rs"]
#[allow(dead_code)]
mod scenes;

/// Callgrind is told this name.
#[inline(never)]
fn counted(call: &mut dyn FnMut()) {
    call();
}

/// Counts a warm call with each instruction set that the CPU has.
fn count(kernel: &str, scene: &Scene, mut call: impl FnMut(&mut Detector) -> Result<(), Error>) {
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).parallel(false);
        let mut call = || call(&mut detector).expect("the scene's own pairs");
        // The first call allocates.
        call();
        counted(&mut call);
        println!("{kernel} {simd} {}", scene.pairs.len());
    }
}

fn overlap<A: Overlap<B> + InScene, B: InScene>(kernel: &str, scene: &Scene) {
    let mut out = Overlaps::new();
    let (a, b) = (A::columns_in(scene), B::columns_in(scene));
    count(kernel, scene, |detector| {
        detector.overlap(&a, &b, &scene.pairs, &mut out)
    });
    // Hardly a point at rest is on a plane.
    let has_hits = out.count() > 0 || kernel == "point_plane_overlap";
    assert!(has_hits, "{kernel} finds no hits");
}

fn sweep<A: Sweep<B> + InScene, B: InScene>(kernel: &str, scene: &Scene) {
    let mut out = Sweeps::new();
    let (a, b) = (A::columns_in(scene), B::columns_in(scene));
    count(kernel, scene, |detector| {
        detector.sweep(&a, &b, &scene.pairs, &mut out)
    });
    assert!(out.count() > 0, "{kernel} finds no hits");
}

fn contact<A: Collide<B> + InScene, B: InScene>(kernel: &str, scene: &Scene) {
    let mut out = Contacts::new();
    let (a, b) = (A::columns_in(scene), B::columns_in(scene));
    count(kernel, scene, |detector| {
        detector.contact(&a, &b, &scene.pairs, &mut out)
    });
    assert!(out.count() > 0, "{kernel} finds no hits");
}

fn impact<A: Impact<B> + InScene, B: InScene>(kernel: &str, scene: &Scene) {
    let mut out = Impacts::new();
    let (a, b) = (A::columns_in(scene), B::columns_in(scene));
    count(kernel, scene, |detector| {
        detector.impact(&a, &b, &scene.pairs, 1e-3, &mut out)
    });
    assert!(out.count() > 0, "{kernel} finds no hits");
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
        $verb::<phalanx::$a, phalanx::$b>(stringify!($kernel), $scene);
    };
}
/// Turns boxes by 0.1 to 0.3 rad, about different axes.
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
