//! One pair without a detector has the result of a list, in both orders, for valid and invalid shapes.

mod common;

use common::{Sample, Setting, rng};
use phalanx::traits::Overlap;
use phalanx::{Detector, Overlaps, Pairs, Store};
use rand::RngExt;

const LEN: usize = 3000;

/// Shapes near each other; every fifth has a strange number.
fn shapes<T: Sample>(purpose: &str, setting: &Setting) -> Vec<T> {
    let strange = [
        f32::NAN,
        f32::INFINITY,
        -1.0,
        -0.0,
        0.0,
        1e-40,
        1e-30,
        1e15,
        f32::MAX,
    ];
    let mut rng = rng(purpose);
    let one = |i: usize| {
        let mut shape = T::sample(&mut rng, setting);
        if i % 5 == 4 {
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(core::slice::from_mut(&mut shape));
            let place = rng.random_range(0..numbers.len());
            numbers[place] = strange[rng.random_range(0..strange.len())];
        }
        shape
    };
    (0..LEN).map(one).collect()
}

fn check<A: Sample + Overlap<B>, B: Sample>(name: &str, overlaps: fn(&A, &B) -> Option<bool>) {
    let setting = Setting::ordinary();
    let (a, b) = (
        shapes::<A>("one pair a", &setting),
        shapes::<B>("one pair b", &setting),
    );
    let (stores_a, stores_b) = (Store::from_slice(&a), Store::from_slice(&b));
    let (mut detector, mut list) = (Detector::new(), Overlaps::new());
    detector
        .overlap(&stores_a, &stores_b, Pairs::zip(), &mut list)
        .unwrap();
    for i in 0..LEN {
        let expected = (!list.is_invalid(i)).then_some(list.is_hit(i));
        assert_eq!(
            overlaps(&a[i], &b[i]),
            expected,
            "{name}: {:?} {:?}",
            a[i],
            b[i]
        );
    }
    assert!(list.count() > 10 && list.invalid_count() > 10, "{name}");
}

macro_rules! each {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => { $(each!(@ $file, $verb, $($shape),+);)* };
    (@ $file:ident, sweep, $($shape:ident),+) => {};
    (@ $file:ident, overlap, $a:ident) => {
        #[test]
        fn $file() {
            check::<phalanx::$a, phalanx::$a>(stringify!($file), |a, b| a.overlaps(b));
        }
    };
    (@ $file:ident, overlap, $a:ident, $b:ident) => {
        #[test]
        fn $file() {
            check::<phalanx::$a, phalanx::$b>(stringify!($file), |a, b| a.overlaps(b));
            check::<phalanx::$b, phalanx::$a>(stringify!($file), |a, b| a.overlaps(b));
        }
    };
}
phalanx::kernels!(each);
