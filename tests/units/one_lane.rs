//! Kernels compiled for one lane, which the library does not contain, give its results bit for bit.
//!
//! Here every kernel is compiled for one lane only.

use rand::RngExt;

use crate::common::{Sample, Setting, rng};
use crate::narrow::contact::contacts;
use crate::narrow::distance::distances;
use crate::narrow::impact::impacts;
use crate::narrow::overlap::overlaps;
use crate::narrow::supports;
use crate::{detector, pairs};

/// A shape of the library that is also compiled here.
trait Twin: Sample {
    type Own: crate::Shape;

    fn push(store: &mut phalanx::Store<Self>, shape: Self, displacement: [f32; 3], turn: [f32; 3]);
}

macro_rules! twins {
    ($($shape:ident: $push:ident($($turn:ident)?);)*) => {
        $(impl Twin for phalanx::$shape {
            type Own = crate::$shape;

            fn push(
                store: &mut phalanx::Store<Self>,
                shape: Self,
                displacement: [f32; 3],
                _turn: [f32; 3],
            ) {
                $(let $turn = _turn;)?
                store.$push(shape, displacement $(, $turn)?);
            }
        })*
    };
}
twins! {
    Point: push_moving();
    Sphere: push_moving();
    Capsule: push_moving();
    Triangle: push_moving();
    Aabb: push_moving();
    Obb: push_turning(turn);
    Plane: push_moving();
    HalfSpace: push_moving();
}

/// The same shapes in a store of the library and in a store of this crate.
struct Stores<T: Twin> {
    library: phalanx::Store<T>,
    own: crate::Store<T::Own>,
}

const LEN: usize = 200;

/// Shapes close to each other; some are invalid.
fn stores<T: Twin>(purpose: &str) -> Stores<T> {
    let (mut rng, setting) = (rng(purpose), Setting::ordinary());
    let (mut library, mut own) = (phalanx::Store::new(), crate::Store::new());
    for i in 0..LEN {
        let mut shape = T::sample(&mut rng, &setting);
        if i % 17 == 16 {
            let numbers: &mut [f32] = bytemuck::cast_slice_mut(core::slice::from_mut(&mut shape));
            numbers[i % numbers.len()] = f32::NAN;
        }
        let displacement = setting.motion(&mut rng).map(|x| x.clamp(-4.0, 4.0));
        let turn = [(); 3].map(|()| rng.random_range(-1.5..1.5));
        own.push_in_motion(bytemuck::cast(shape), displacement, turn);
        T::push(&mut library, shape, displacement, turn);
    }
    Stores { library, own }
}

/// Calls with the same pairs for this crate and for the library, and with the same margin.
fn for_each_call(
    purpose: &str,
    mut call: impl FnMut(
        (&mut detector::Detector, pairs::Pairs),
        (&mut phalanx::Detector, phalanx::Pairs),
    ),
) {
    let mut rng = rng(purpose);
    let mut index = || rng.random_range(0..LEN as u32);
    let list: Vec<[u32; 2]> = (0..2000).map(|_| [index(), index()]).collect();
    for margin in [0.0, 0.125] {
        let own = detector::Detector::new().parallel(false);
        let (own, library) = (&mut own.margin(margin).unwrap(), phalanx::Detector::new());
        let library = &mut library.margin(margin).unwrap();
        for len in [1, 2, 7, 64, 100, 2000] {
            let list = &list[..len];
            call((own, list.into()), (library, list.into()));
        }
        let (zip, library_zip) = (pairs::Pairs::zip(), phalanx::Pairs::zip());
        call((own, zip), (library, library_zip));
        let (one, library_one) = (pairs::Pairs::one_to_all(3), phalanx::Pairs::one_to_all(3));
        call((own, one), (library, library_one));
    }
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn overlap<A: Twin + phalanx::traits::Overlap<B>, B: Twin>(name: &str)
where
    A::Own: supports::Overlap<B::Own>,
{
    let (a, b) = (stores::<A>("one lane a"), stores::<B>("one lane b"));
    let (mut own, mut library) = (overlaps::Overlaps::new(), phalanx::Overlaps::new());
    for_each_call(name, |(detector, pairs), (of_library, same_pairs)| {
        detector.overlap(&a.own, &b.own, pairs, &mut own).unwrap();
        let answered = of_library.overlap(&a.library, &b.library, same_pairs, &mut library);
        answered.unwrap();
        assert_eq!(own.words(), library.words());
        assert_eq!(own.invalid_words(), library.invalid_words());
    });
    assert!(library.count() > 0 && library.invalid_count() > 0);
}

fn sweep<A: Twin + phalanx::traits::Sweep<B>, B: Twin>(name: &str)
where
    A::Own: supports::Sweep<B::Own>,
{
    let (a, b) = (stores::<A>("one lane a"), stores::<B>("one lane b"));
    let (mut own, mut library) = (overlaps::Sweeps::new(), phalanx::Sweeps::new());
    for_each_call(name, |(detector, pairs), (of_library, same_pairs)| {
        detector.sweep(&a.own, &b.own, pairs, &mut own).unwrap();
        let answered = of_library.sweep(&a.library, &b.library, same_pairs, &mut library);
        answered.unwrap();
        assert_eq!(own.words(), library.words());
        assert_eq!(own.invalid_words(), library.invalid_words());
        assert_eq!(bits(own.enter()), bits(library.enter()));
        assert_eq!(bits(own.exit()), bits(library.exit()));
    });
    assert!(library.count() > 0 && library.invalid_count() > 0);
}

fn assert_same_contacts(own: &contacts::Contacts, library: &phalanx::Contacts) {
    assert_eq!(own.positions(), library.positions());
    assert_eq!(own.invalid_words(), library.invalid_words());
    assert_eq!(own.normal().map(bits), library.normal().map(bits));
    assert_eq!(bits(own.separation()), bits(library.separation()));
    assert_eq!(own.counts(), library.counts());
    for k in 0..4 {
        let (own, library) = (own.point(k), library.point(k));
        assert_eq!(own.at.map(bits), library.at.map(bits));
        assert_eq!(bits(own.separation), bits(library.separation));
        assert_eq!(own.feature, library.feature);
    }
}

fn contact<A: Twin + phalanx::traits::Collide<B>, B: Twin>(name: &str)
where
    A::Own: supports::Collide<B::Own>,
{
    let (a, b) = (stores::<A>("one lane a"), stores::<B>("one lane b"));
    let (mut own, mut library) = (contacts::Contacts::new(), phalanx::Contacts::new());
    let (mut sweeps, mut swept) = (overlaps::Sweeps::new(), phalanx::Sweeps::new());
    for_each_call(name, |(detector, pairs), (of_library, same_pairs)| {
        detector.contact(&a.own, &b.own, pairs, &mut own).unwrap();
        let answered = of_library.contact(&a.library, &b.library, same_pairs, &mut library);
        answered.unwrap();
        assert_same_contacts(&own, &library);
        let answered = detector.sweep_contacts(&a.own, &b.own, pairs, &mut sweeps, &mut own);
        answered.unwrap();
        let (a, b) = (&a.library, &b.library);
        let answered = of_library.sweep_contacts(a, b, same_pairs, &mut swept, &mut library);
        answered.unwrap();
        assert_same_contacts(&own, &library);
    });
    assert!(library.count() > 0 && library.invalid_count() > 0);
}

fn impact<A: Twin + phalanx::traits::Impact<B>, B: Twin>(name: &str)
where
    A::Own: supports::Impact<B::Own>,
{
    let (a, b) = (stores::<A>("one lane a"), stores::<B>("one lane b"));
    let (mut own, mut library) = (impacts::Impacts::new(), phalanx::Impacts::new());
    for_each_call(name, |(detector, pairs), (of_library, same_pairs)| {
        let answered = detector.impact(&a.own, &b.own, pairs, 1e-3, &mut own);
        answered.unwrap();
        let (a, b) = (&a.library, &b.library);
        let answered = of_library.impact(a, b, same_pairs, 1e-3, &mut library);
        answered.unwrap();
        assert_eq!(own.words(), library.words());
        assert_eq!(own.invalid_words(), library.invalid_words());
        assert_eq!(bits(own.time()), bits(library.time()));
        let unsettled = |k| !own.is_settled(k);
        assert!((0..own.len()).all(|k| unsettled(k) != library.is_settled(k)));
    });
    assert!(library.count() > 0 && library.invalid_count() > 0);
}

fn distance<A: Twin + phalanx::traits::Distance<B>, B: Twin>(name: &str)
where
    A::Own: supports::Distance<B::Own>,
{
    let (a, b) = (stores::<A>("one lane a"), stores::<B>("one lane b"));
    let (mut own, mut library) = (distances::Distances::new(), phalanx::Distances::new());
    let (mut points, mut of_library) = (
        distances::ClosestPoints::new(),
        phalanx::ClosestPoints::new(),
    );
    for_each_call(name, |(detector, pairs), (same_detector, same_pairs)| {
        // Distances have no margin.
        detector.set_margin(0.0).unwrap();
        same_detector.set_margin(0.0).unwrap();
        let answered = detector.distance_points(&a.own, &b.own, pairs, &mut own, &mut points);
        answered.unwrap();
        let (a, b, out) = (&a.library, &b.library, &mut library);
        let answered = same_detector.distance_points(a, b, same_pairs, out, &mut of_library);
        answered.unwrap();
        assert_eq!(own.invalid_words(), library.invalid_words());
        assert_eq!(own.unsettled_words(), library.unsettled_words());
        assert_eq!(bits(own.lower()), bits(library.lower()));
        assert_eq!(bits(own.upper()), bits(library.upper()));
        assert_eq!(points.at_a().map(bits), of_library.at_a().map(bits));
        assert_eq!(points.at_b().map(bits), of_library.at_b().map(bits));
    });
    assert!(library.iter_invalid().count() > 0);
}

macro_rules! one_lane_tests {
    ($($file:ident: $verb:ident($a:ident $(, $b:ident)?);)*) => {
        $(#[test]
        fn $file() {
            one_lane_tests!(@ $verb, $a $(, $b)?)(stringify!($file));
        })*
    };
    (@ $verb:ident, $a:ident) => { $verb::<phalanx::$a, phalanx::$a> };
    (@ $verb:ident, $a:ident, $b:ident) => { $verb::<phalanx::$a, phalanx::$b> };
}
crate::kernels!(one_lane_tests);
crate::kernels!(contact: one_lane_tests);
crate::kernels!(impact: one_lane_tests);
crate::kernels!(distance: one_lane_tests);
