//! Times of impact of rotating shapes against the definition, with pairs near contact.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;
mod harness;
mod oracle;

use common::{Setting, cases, cases_or, random_rotation, rng};
use harness::contact::contact_in;
use harness::impact::{Moved, Near, Turns, near};
use harness::{CaseOf, KernelCase, QueryRunner};
use oracle::U;
use oracle::intervals::Proof;
use oracle::minkowski::{V, add, axes_of, cross, dot, length, sub, times};
use oracle::turning::Couple;
use phalanx::traits::Impact;
use phalanx::{
    Aabb, Capsule, Chord, Detector, Error, HalfSpace, Impacts, Obb, Pair, Pairs, Plane, Simd,
    Sphere, Store, Sweeps, TimeInterval, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use std::any::TypeId;
use std::f32::consts::PI;

/// Result for a pair.
#[derive(Clone, Copy, Debug)]
struct ImpactAnswer {
    time: Option<f32>,
    is_settled: bool,
}

/// Computes the impacts of the first of `a` with the first of `b`, and so on.
fn ask<A: Turns + Impact<B>, B: Turns>(near: &Near<A, B>, tolerance: f32) -> Vec<ImpactAnswer> {
    let (a, b) = (store(&near.a), store(&near.b));
    let mut impacts = Impacts::new();
    Detector::new()
        .parallel(false)
        .margin(near.margin)
        .unwrap()
        .impact(&a, &b, Pairs::zip(), tolerance, &mut impacts)
        .unwrap();
    assert_eq!((impacts.len(), impacts.invalid_count()), (near.a.len(), 0));
    (0..near.a.len())
        .map(|k| ImpactAnswer {
            time: impacts.get(k),
            is_settled: impacts.is_settled(k),
        })
        .collect()
}

fn store<T: Turns>(shapes: &[Moved<T>]) -> Store<T> {
    let mut store = Store::new();
    for moved in shapes {
        T::push(&mut store, moved);
    }
    store
}

/// Error band of a contact, for any tolerance.
fn band(couple: &Couple) -> f64 {
    256.0 * U * couple.size + 2f64.powi(-56)
}

/// Statistics of one tolerance.
#[derive(Clone, Debug, Default)]
struct Seen {
    pairs: usize,
    touching: usize,
    hits: usize,
    /// Touching pairs reported as misses.
    missed: usize,
    /// Hits after the first contact.
    late: usize,
    /// Results that the oracle cannot judge within its roundings.
    undecided: usize,
    /// Hits whose shapes are too far apart at the reported time.
    far: usize,
    unsettled: usize,
    /// Maximum growth needed for contact, as a share of the allowed growth; without the tolerance, in u of all lengths.
    worst_share: f64,
    worst_units: f64,
    /// Lead of the results before the first contact.
    early: Vec<f64>,
    bad: Vec<String>,
}

impl Seen {
    fn see(
        &mut self,
        couple: &Couple,
        first: &oracle::turning::First,
        said: ImpactAnswer,
        tolerance: f32,
        what: &dyn Fn() -> String,
    ) {
        self.pairs += 1;
        self.touching += usize::from(first.touch.is_some());
        self.hits += usize::from(said.time.is_some());
        self.unsettled += usize::from(!said.is_settled);
        let mut bad = "";
        let until = said.time.map_or(1.0, f64::from);
        if until > first.free_until || (said.time.is_none() && first.touch.is_some()) {
            match (first.touch, said.time) {
                (Some(_), None) => {
                    self.missed += 1;
                    bad = "missed";
                }
                (Some((time, _)), Some(_)) if time < until => {
                    self.late += 1;
                    bad = "late";
                }
                _ => self.undecided += 1,
            }
        }
        if let Some(time) = said.time {
            assert!(
                (0.0..=1.0).contains(&time) && time.is_sign_positive(),
                "{time} {}",
                what()
            );
            if let Some((touch, _)) = first.touch {
                self.early.push(touch - f64::from(time));
            }
            if said.is_settled {
                let (band, tolerance) = (band(couple), f64::from(tolerance));
                let growth = couple.growth(time.into());
                let share = growth / (tolerance.max(band) + band);
                self.worst_share = self.worst_share.max(share);
                let beyond = growth - tolerance - 2f64.powi(-55);
                self.worst_units = self.worst_units.max(beyond / (U * couple.size));
                if share > 1.0 {
                    self.far += 1;
                    bad = "far";
                }
            }
        }
        if !bad.is_empty() && self.bad.len() < 5 {
            let what = what();
            self.bad.push(format!(
                "{bad}: {said:?}, {first:?}, tolerance {tolerance}, {what}"
            ));
        }
    }

    fn report(&mut self, name: &str) {
        self.early.sort_by(f64::total_cmp);
        let at = |share: f64| match self.early.len() {
            0 => 0.0,
            len => self.early[(share * (len - 1) as f64) as usize],
        };
        println!(
            "{name}: {} pairs, {} touch, {} hits, {} missed, {} late, {} undecided, {} far, {} unsettled, \
             grown at worst {:.3} of the allowed, {:.1} u beyond the tolerance, early p50 {:.1e} p99 {:.1e} max {:.1e}",
            self.pairs,
            self.touching,
            self.hits,
            self.missed,
            self.late,
            self.undecided,
            self.far,
            self.unsettled,
            self.worst_share,
            self.worst_units,
            at(0.5),
            at(0.99),
            at(1.0),
        );
    }
}

/// Tolerances relative to the larger shape's size.
const TOLERANCES: [f32; 4] = [1e-2, 1e-3, 1e-4, 0.0];

fn keeps_promises<A: Turns + Impact<B>, B: Turns>(name: &str) {
    let mut rng = rng(name);
    let mut seen: [Seen; 4] = Default::default();
    while seen[0].pairs < cases() {
        let Some(near) = near::<A, B>(&mut rng) else {
            continue;
        };
        let said = TOLERANCES.map(|share| ask(&near, share * near.size));
        for (k, (a, b)) in near.a.iter().zip(&near.b).enumerate() {
            let couple = Couple::new(&a.turning(), &b.turning(), near.margin);
            let first = couple.first(1.0);
            for (seen, (said, share)) in seen.iter_mut().zip(said.iter().zip(TOLERANCES)) {
                let what = || format!("{a:?} {b:?} margin {}", near.margin);
                seen.see(&couple, &first, said[k], share * near.size, &what);
            }
        }
    }
    for (seen, tolerance) in seen.iter_mut().zip(TOLERANCES) {
        seen.report(&format!("{name}, tolerance {tolerance}"));
    }
    for seen in seen {
        assert!(seen.bad.is_empty(), "{:#?}", seen.bad);
        // Only few pairs are too close for the oracle.
        assert!(seen.undecided * 100 <= seen.pairs);
        // Only few pairs slide along each other until the iteration limit.
        assert!(seen.unsettled * 200 <= seen.pairs);
    }
}

fn is_proven<A: Turns + Impact<B>, B: Turns>(name: &str) {
    let mut rng = rng(&format!("{name} proven"));
    let (mut proven, mut undecided) = (0, 0);
    while proven < cases_or(2000) {
        let Some(near) = near::<A, B>(&mut rng) else {
            continue;
        };
        let tolerance = TOLERANCES[rng.random_range(0..4)] * near.size;
        let said = ask(&near, tolerance);
        for ((a, b), said) in near.a.iter().zip(&near.b).zip(said) {
            let until = f64::from(said.time.unwrap_or(1.0));
            let (a, b) = (a.turning(), b.turning());
            if until == 0.0 {
                continue;
            }
            if Proof::new(&a, &b, near.margin).is_free(until) {
                proven += 1;
                continue;
            }
            undecided += 1;
            let first = Couple::new(&a, &b, near.margin).first(until);
            let decided = first.free_until == until || first.touch.is_some();
            assert!(
                !decided,
                "{said:?}, {first:?}: {a:?} {b:?} margin {}",
                near.margin
            );
        }
    }
    println!("{name}: {proven} proven, {undecided} undecided");
    assert!(undecided * 100 <= proven);
}

/// Calls a test for each kernel and each order of its shapes.
macro_rules! for_each_kernel {
    ($($name:ident: impact($a:ident $(, $b:ident)?);)*) => {
        $(mod $name {
            for_each_kernel!(@ $name, $a $(, $b)?);
        })*
    };
    (@ $name:ident, $a:ident) => { for_each_kernel!(@@ in_order, $name, $a, $a); };
    (@ $name:ident, $a:ident, $b:ident) => {
        for_each_kernel!(@@ in_order, $name, $a, $b);
        for_each_kernel!(@@ swapped, $name, $b, $a);
    };
    (@@ $order:ident, $name:ident, $a:ident, $b:ident) => {
        mod $order {
            const NAME: &str = concat!(stringify!($name), " ", stringify!($order));

            #[test]
            fn keeps_promises() {
                crate::keeps_promises::<phalanx::$a, phalanx::$b>(NAME);
            }

            /// Proves that there is no contact before the time, by an oracle that shares no code with the first oracle.
            #[test]
            fn is_proven() {
                crate::is_proven::<phalanx::$a, phalanx::$b>(NAME);
            }

            #[test]
            fn has_one_answer() {
                crate::has_one_answer::<phalanx::$a, phalanx::$b>(NAME);
            }
        }
    };
}
phalanx::kernels!(impact: for_each_kernel);

/// Stores whose shapes come near each other, a few of them invalid.
fn scene<A: Turns, B: Turns>(name: &str) -> (Store<A>, Store<B>) {
    let mut rng = rng(name);
    let (mut a, mut b) = (Store::new(), Store::new());
    for k in 0..320 {
        let mut x: Moved<A> = Moved::somewhere(&mut rng);
        let mut y: Moved<B> = Moved::somewhere(&mut rng);
        match k % 40 {
            7 => x.displacement[1] = f32::NAN,
            17 => y.displacement[2] = f32::INFINITY,
            27 => x.turn[0] = 4.0,
            37 => y.turn[2] = f32::NAN,
            _ => {}
        }
        A::push(&mut a, &x);
        B::push(&mut b, &y);
    }
    (a, b)
}

/// Results of the pairs of a list: times as bits, and flags.
fn bits<A: Turns + Impact<B>, B: Turns>(
    detector: &mut Detector,
    (a, b): (&Store<A>, &Store<B>),
    pairs: Pairs<'_>,
) -> Vec<(u32, [bool; 3])> {
    let mut impacts = Impacts::new();
    detector.impact(a, b, pairs, 1e-3, &mut impacts).unwrap();
    let len = impacts.len();
    assert_eq!(
        (impacts.time().len(), impacts.words().len()),
        (len, len.div_ceil(64))
    );
    let bit = |words: &[u64], k: usize| words[k / 64] >> (k % 64) & 1 == 1;
    let all: Vec<_> = (0..len)
        .map(|k| {
            let (time, is_hit) = (impacts.time()[k], impacts.is_hit(k));
            let (is_invalid, is_settled) = (impacts.is_invalid(k), impacts.is_settled(k));
            assert_eq!(impacts.get(k), is_hit.then_some(time));
            assert_eq!(is_hit, bit(impacts.words(), k));
            assert_eq!(is_invalid, bit(impacts.invalid_words(), k));
            assert!(is_hit != (time == f32::INFINITY) && !(is_hit && is_invalid));
            assert!(is_hit || is_settled);
            (time.to_bits(), [is_hit, is_invalid, is_settled])
        })
        .collect();
    let hits: Vec<(usize, f32)> = impacts.iter().collect();
    let expected = (0..len).filter_map(|k| impacts.get(k).map(|time| (k, time)));
    assert!(hits.into_iter().eq(expected));
    assert_eq!(impacts.count(), all.iter().filter(|said| said.1[0]).count());
    all
}

fn has_one_answer<A: Turns + Impact<B>, B: Turns + Impact<A>>(name: &str) {
    let (a, b) = scene::<A, B>(name);
    let mut rng = rng(name);
    let list: Vec<Pair> = (0..9000)
        .map(|_| Pair::new(rng.random_range(0..320), rng.random_range(0..320)))
        .collect();
    let detector = Detector::new().margin(0.01).unwrap();
    let mut first = Detector::new().simd(Simd::available().next().unwrap());
    first = first.parallel(false).margin(0.01).unwrap();
    let expected = bits(&mut first, (&a, &b), (&list).into());
    let count = |k: usize| expected.iter().filter(|said| said.1[k]).count();
    assert!(count(0) > 450 && count(0) < 8550, "{}", count(0));
    assert!(count(1) > 100 && count(1) < 2000, "{}", count(1));

    let mut order: Vec<usize> = (0..list.len()).collect();
    order.shuffle(&mut rng);
    let shuffled: Vec<Pair> = order.iter().map(|k| list[*k]).collect();
    for simd in Simd::available() {
        for parallel in [false, true] {
            let mut detector = detector.clone().simd(simd).parallel(parallel);
            assert!(
                bits(&mut detector, (&a, &b), (&list).into()) == expected,
                "{simd}"
            );
            let said = bits(&mut detector, (&a, &b), (&shuffled).into());
            for (said, k) in said.iter().zip(&order) {
                assert_eq!(*said, expected[*k], "{simd}");
            }
        }
        let mut detector = detector.clone().simd(simd).parallel(false);
        for len in (0..70).chain([127, 128, 129, 1000]) {
            let part = &list[len * 3..len * 4];
            let said = bits(&mut detector, (&a, &b), part.into());
            assert_eq!(said, expected[len * 3..len * 4], "{simd}, {len} pairs");
        }
        // A zip of two stores, and one shape against all.
        for len in [1, 5, 63, 64, 65, 200] {
            let (mut a, mut b) = (a.clone(), b.clone());
            a.truncate(len);
            b.truncate(len);
            let list: Vec<Pair> = (0..len as u32).map(|k| Pair::new(k, k)).collect();
            let expected = bits(&mut first, (&a, &b), (&list).into());
            assert_eq!(bits(&mut detector, (&a, &b), Pairs::zip()), expected);
            let one = len as u32 / 2;
            let list: Vec<Pair> = (0..len as u32).map(|k| Pair::new(one, k)).collect();
            let expected = bits(&mut first, (&a, &b), (&list).into());
            let said = bits(&mut detector, (&a, &b), Pairs::one_to_all(one));
            assert_eq!(said, expected);
        }
    }
    #[cfg(feature = "rayon")]
    for threads in 1..=8 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let mut detector = detector.clone();
        let said = pool
            .unwrap()
            .install(|| bits(&mut detector, (&a, &b), (&list).into()));
        assert!(said == expected, "{threads} threads");
    }
    // For different types the order does not matter.
    if TypeId::of::<A>() != TypeId::of::<B>() {
        let swapped: Vec<Pair> = list.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
        let mut detector = detector;
        assert!(bits(&mut detector, (&b, &a), (&swapped).into()) == expected);
    }
}

/// Shapes that do not rotate, compared with sweeps: no hit is lost, none is late, by integers.
fn agrees_with_sweeps<C: KernelCase>()
where
    C::A: Turns + Impact<C::B>,
    C::B: Turns,
{
    let mut rng = rng(C::NAME);
    let mut asker = QueryRunner::<C>::default();
    let (mut pairs, mut hits, mut spare) = (0, 0, 0);
    while pairs < cases_or(5000) {
        let setting = Setting::random(&mut rng);
        let Some(contact) = contact_in(&setting, &mut rng, &mut asker) else {
            continue;
        };
        let near = Near {
            a: contact.a.iter().map(Moved::straight).collect(),
            b: contact.b.iter().map(Moved::straight).collect(),
            margin: contact.margin,
            size: setting.scale,
        };
        let tolerance = TOLERANCES[rng.random_range(0..4)] * near.size;
        for (k, said) in ask(&near, tolerance).into_iter().enumerate() {
            pairs += 1;
            let claim = said.time.map(|enter| TimeInterval { enter, exit: 1.0 });
            let (a, b) = (&contact.a[k], &contact.b[k]);
            let exact = C::exact(a, b, near.margin, claim);
            let what = || format!("{said:?} {exact:?}: {a:?} {b:?} margin {}", near.margin);
            hits += usize::from(exact.hit);
            spare += usize::from(!exact.hit && said.time.is_some());
            assert!(!exact.hit || said.time.is_some(), "missed: {}", what());
            assert!(!exact.hit || exact.encloses, "late: {}", what());
            if let Some(time) = said.time
                && said.is_settled
            {
                let (a, b) = (near.a[k].turning(), near.b[k].turning());
                let couple = Couple::new(&a, &b, near.margin);
                let band = band(&couple);
                let most = f64::from(tolerance).max(band) + band;
                assert!(couple.growth(time.into()) <= most, "far: {}", what());
            }
        }
    }
    println!(
        "{}: {pairs} pairs, {hits} touch, {spare} near misses",
        C::NAME
    );
}

mod without_turns {
    use super::*;
    macro_rules! sweeps {
        ($($name:ident: impact($($shape:ident),+);)*) => {
            $(#[test] fn $name() { agrees_with_sweeps::<sweeps!(@ $($shape),+)>(); })*
        };
        (@ $a:ident) => { sweeps!(@ $a, $a) };
        (@ $a:ident, $b:ident) => { <phalanx::$a as CaseOf<Sweeps, phalanx::$b>>::Case };
    }
    phalanx::kernels!(impact: sweeps);
}

/// Rods whose middle is near a fast rotating box: along most axes they are separated at both ends of the frame, but not
/// in between.
#[cfg(not(phalanx_only))]
#[test]
fn long_rods_beside_rotating_boxes_are_not_missed() {
    let mut rng = rng("long rods");
    let mut seen = Seen::default();
    while seen.pairs < cases() {
        let vector = |rng: &mut StdRng, size: f32| {
            let [x, y, z, _] = random_rotation(rng, 3.1);
            let long = length([x, y, z]);
            [x, y, z].map(|x| (x / long) as f32 * size)
        };
        let angle = rng.random_range(1.5..PI);
        let mut half_extents = [(); 3].map(|()| 10f32.powf(rng.random_range(-3.0..0.3)));
        half_extents[rng.random_range(0..3)] = 1.0;
        let spinning = Moved {
            shape: Obb {
                center: [0.0; 3],
                half_extents,
                rotation: random_rotation(&mut rng, 3.1).map(|x| x as f32),
            },
            displacement: REST,
            turn: vector(&mut rng, angle),
        };
        let (far, long) = (rng.random_range(0.2..3.0), rng.random_range(0.5..9.0));
        let rod = Moved {
            shape: Capsule {
                center: vector(&mut rng, far),
                half_axis: vector(&mut rng, long),
                radius: 10f32.powf(rng.random_range(-4.0..-0.5)),
            },
            displacement: REST,
            turn: REST,
        };
        let near = Near {
            a: vec![spinning],
            b: vec![rod],
            margin: 0.0,
            size: 1.0,
        };
        let couple = Couple::new(&spinning.turning(), &rod.turning(), 0.0);
        let what = || format!("{spinning:?} {rod:?}");
        let said = ask(&near, 1e-3)[0];
        seen.see(&couple, &couple.first(1.0), said, 1e-3, &what);
    }
    seen.report("long rods");
    assert!(seen.bad.is_empty(), "{:#?}", seen.bad);
}

/// Rotates a vector about a unit vector by an angle.
#[cfg(not(phalanx_only))]
fn turned_about(axis: V, v: V, angle: f64) -> V {
    let (sin, cos) = angle.sin_cos();
    let along = times(axis, dot(axis, v) * (1.0 - cos));
    add(add(times(v, cos), times(cross(axis, v), sin)), along)
}

/// Needles near the middle of plates whose normal moves on a cone. At both ends of the frame the needle is parallel to
/// the plate and beside it; in between the plate cuts the needle. The path of the far end of a long needle is more
/// curved than the path of the near end.
#[cfg(not(phalanx_only))]
#[test]
fn needles_that_plates_cut_in_between() {
    let mut rng = rng("plates");
    let mut seen = Seen::default();
    while seen.pairs < cases() / 2 {
        let vector = |rng: &mut StdRng, size: f64| [(); 3].map(|()| rng.random_range(-size..size));
        let size = 10f64.powf(rng.random_range(-3.0..-1.0));
        let thick = rng.random_range(0.0..0.2) * size;
        let half_extents = [
            thick,
            rng.random_range(0.3..2.0),
            rng.random_range(0.3..2.0),
        ];
        let rotation = random_rotation(&mut rng, 3.1).map(|x| x as f32);
        let [normal, beside, _] = axes_of(rotation);

        // The axis is at an angle from the normal; the needle is parallel to the plate at the rotation `half` before
        // and after the middle.
        let (from_axis, half) = (rng.random_range(0.3..2.8f64), rng.random_range(0.3..1.5f64));
        let beside = turned_about(normal, beside, rng.random_range(-3.0..3.0));
        let axis = turned_about(beside, normal, from_axis);
        let away = times(
            sub(normal, times(axis, from_axis.cos())),
            1.0 / from_axis.sin(),
        );
        let middle = turned_about(axis, away, half);
        let of_needle = (-1.0 / (from_axis.tan() * half.cos())).atan();
        let direction = add(times(axis, of_needle.cos()), times(middle, of_needle.sin()));
        let last = turned_about(axis, normal, 2.0 * half);

        let into = dot(
            add(times(axis, from_axis.cos()), times(middle, from_axis.sin())),
            direction,
        );
        let side = if into > 0.0 { -size } else { size };
        let at = add(
            times(add(normal, last), side * rng.random_range(0.3..1.0)),
            vector(&mut rng, 0.2 * size),
        );
        let long = if rng.random_bool(0.5) {
            size * rng.random_range(1.0..4.0)
        } else {
            rng.random_range(0.1..0.5)
        };
        let share = rng.random_range(0.0..1.0);
        let third = add(
            times(direction, share * long),
            vector(&mut rng, 0.05 * size),
        );
        let corners = [at, add(at, times(direction, long)), add(at, third)];
        let plate = Moved {
            shape: Obb {
                center: [0.0; 3],
                half_extents: half_extents.map(|x| x as f32),
                rotation,
            },
            displacement: REST,
            turn: times(axis, 2.0 * half).map(|x| x as f32),
        };
        let needle = Moved {
            shape: Triangle {
                corners: corners.map(|corner| corner.map(|x| x as f32)),
            },
            displacement: REST,
            turn: REST,
        };
        let near = Near {
            a: vec![plate],
            b: vec![needle],
            margin: 0.0,
            size: size as f32,
        };
        let couple = Couple::new(&plate.turning(), &needle.turning(), 0.0);
        let what = || format!("{plate:?} {needle:?}");
        let tolerance = (1e-2 * size) as f32;
        let said = ask(&near, tolerance)[0];
        seen.see(&couple, &couple.first(1.0), said, tolerance, &what);
    }
    seen.report("plates");
    assert!(seen.bad.is_empty(), "{:#?}", seen.bad);
    assert!(seen.touching * 5 > seen.pairs && seen.touching < seen.pairs);
}

fn obb(center: [f32; 3], half_extents: [f32; 3]) -> Obb {
    Obb {
        center,
        half_extents,
        ..Obb::default()
    }
}

const REST: [f32; 3] = [0.0; 3];

/// Time of impact of two shapes, in either order.
fn impact_of<A, B>(
    (shape, displacement, turn): (A, [f32; 3], [f32; 3]),
    (other, motion, other_turn): (B, [f32; 3], [f32; 3]),
    tolerance: f32,
) -> Option<f32>
where
    A: Turns + Impact<B>,
    B: Turns + Impact<A>,
{
    let a = store(&[Moved {
        shape,
        displacement,
        turn,
    }]);
    let b = store(&[Moved {
        shape: other,
        displacement: motion,
        turn: other_turn,
    }]);
    let (mut one, mut two) = (Impacts::new(), Impacts::new());
    let mut detector = Detector::new();
    detector
        .impact(&a, &b, Pairs::zip(), tolerance, &mut one)
        .unwrap();
    detector
        .impact(&b, &a, Pairs::zip(), tolerance, &mut two)
        .unwrap();
    if TypeId::of::<A>() != TypeId::of::<B>() {
        assert_eq!(one, two);
    }
    assert!(one.invalid_count() == 0 && one.is_settled(0));
    one.get(0)
}

/// A plank beside a wall, longer than its distance, rotates in place: its corner hits the wall.
#[cfg(not(phalanx_only))]
#[test]
fn a_box_that_spins_beside_a_wall() {
    let plank = obb([0.0; 3], [2.0, 0.25, 0.5]);
    let spin = (plank, REST, [0.0, 0.0, PI]);
    // The corner (2, ∓0.25) is √4.0625 away, and begins 0.1244 below or above the axis: it comes to y = 1.5 first.
    let exact = ((1.5 / 4.0625f64.sqrt()).asin() - (0.125f64).atan()) / std::f64::consts::PI;
    let wall = Plane {
        normal: [0.0, 1.0, 0.0],
        d: -1.5,
    };
    let space = HalfSpace {
        normal: [0.0, -1.0, 0.0],
        d: 1.5,
    };
    let boxed = Aabb {
        min: [-9.0, 1.5, -9.0],
        max: [9.0, 2.0, 9.0],
    };
    let corners = [[-9.0, 1.5, -9.0], [9.0, 1.5, -9.0], [0.0, 1.5, 9.0]];
    let times = [
        impact_of(spin, (Triangle { corners }, REST, REST), 1e-4).unwrap(),
        impact_of(spin, (wall, REST, REST), 1e-4).unwrap(),
        impact_of(spin, (space, REST, REST), 1e-4).unwrap(),
        impact_of(spin, (boxed, REST, REST), 1e-4).unwrap(),
        impact_of(
            spin,
            (obb([0.0, 1.75, 0.0], [9.0, 0.25, 9.0]), REST, REST),
            1e-4,
        )
        .unwrap(),
    ];
    for time in times.map(f64::from) {
        assert!(time <= exact && time > exact - 1e-4, "{time} for {exact}");
    }
    // Out of reach of the corner.
    let further = Plane { d: -2.05, ..wall };
    assert_eq!(impact_of(spin, (further, REST, REST), 1e-4), None);
}

#[cfg(not(phalanx_only))]
#[test]
fn rotating_rod_hits_a_sphere() {
    let rod = obb([0.0; 3], [5.0, 0.005, 0.005]);
    let ball = Sphere {
        center: [0.0, 4.0, 0.0],
        radius: 0.01,
    };
    let pin = Capsule {
        center: [0.0, 4.0, 0.0],
        half_axis: [0.0, 0.0, 1.0],
        radius: 0.01,
    };
    // Contact during a hundredth of the frame, neither at the start nor at the end.
    let spin = (rod, REST, [0.0, 0.0, PI]);
    let exact = (0.5 * std::f64::consts::PI - (0.015f64 / 4.0).asin()) / std::f64::consts::PI;
    for time in [
        impact_of(spin, (ball, REST, REST), 1e-4),
        impact_of(spin, (pin, REST, REST), 1e-4),
    ] {
        let time = f64::from(time.unwrap());
        assert!(time <= exact && time > exact - 1e-4, "{time} for {exact}");
    }
}

/// A box rotates while it falls, and is level when it lands.
#[cfg(not(phalanx_only))]
#[test]
fn a_flat_landing() {
    let half = 0.25f32;
    let tilted = Obb {
        rotation: [0.0, 0.0, -(half / 2.0).sin(), (half / 2.0).cos()],
        ..obb([0.0, 3.0, 0.0], [1.0, 0.5, 1.0])
    };
    let falls = (tilted, [0.0, -2.0, 0.0], [0.0, 0.0, half]);
    let ground = obb([0.0, 0.0, 0.0], [9.0, 0.5, 9.0]);
    let space = HalfSpace {
        normal: [0.0, 1.0, 0.0],
        d: -0.5,
    };
    for time in [
        impact_of(falls, (ground, REST, REST), 1e-4),
        impact_of(falls, (space, REST, REST), 1e-4),
    ] {
        let time = time.unwrap();
        assert!(time > 0.9999 - 1e-4 && time <= 1.0, "{time}");
    }
}

#[cfg(not(phalanx_only))]
#[test]
fn static_boxes_touch_at_time_zero_or_miss() {
    let cube = obb([0.0; 3], [1.0; 3]);
    for tolerance in [0.0, 1e-3, 1.0] {
        let touches = (obb([2.0, 0.5, 0.0], [1.0; 3]), REST, REST);
        let time = impact_of((cube, REST, REST), touches, tolerance).unwrap();
        assert_eq!(time.to_bits(), 0);
        let apart = (obb([4.5, 0.5, 0.0], [1.0; 3]), REST, REST);
        assert_eq!(impact_of((cube, REST, REST), apart, tolerance), None);
        // A shape inside another for the whole frame, under any motion.
        let inside = (obb([0.1; 3], [0.2; 3]), [0.1; 3], [1.0, 2.0, 0.5]);
        let time = impact_of((cube, REST, REST), inside, tolerance).unwrap();
        assert_eq!(time.to_bits(), 0);
    }
}

/// There is no contact at either end of the frame, nor by the rotation alone.
#[cfg(not(phalanx_only))]
#[test]
fn a_thin_box_through_a_thin_wall() {
    let blade = obb([-3.0, 0.2, 0.1], [0.001, 1.0, 0.5]);
    let thrown = (blade, [6.0, 0.0, 0.0], [0.3, PI - 0.5, 0.0]);
    let wall = Aabb {
        min: [-1e-4, -9.0, -9.0],
        max: [1e-4, 9.0, 9.0],
    };
    let plane = Plane {
        normal: [1.0, 0.0, 0.0],
        d: 0.0,
    };
    let wall_time = impact_of(thrown, (wall, REST, REST), 1e-5).unwrap();
    let plane_time = impact_of(thrown, (plane, REST, REST), 1e-5).unwrap();
    assert!(wall_time > 0.3 && wall_time < plane_time && plane_time - wall_time < 1e-3);
}

/// Penetrating boxes and capsules, with edges that are parallel except for a tiny number.
#[cfg(not(phalanx_only))]
#[test]
fn nearly_parallel_edges_keep_promises() {
    let mut rng = rng("all but parallel");
    for _ in 0..cases() {
        let exponent = rng.random_range(-45.0..-5.0f32);
        let mut little = || rng.random_range(-1.0..1.0f32) * 10f32.powf(exponent);
        let rotation = [little(), little(), little(), 1.0];
        let along = [1.0, little(), little()];
        let mut lengths = || [(); 3].map(|()| rng.random_range(0.001..1.0f32));
        let (a, b, [radius, ..]) = (lengths(), lengths(), lengths());
        // Slight penetration along one axis, any along the others.
        let axis = rng.random_range(0..3);
        let center = [0, 1, 2].map(|k| {
            let share = if k == axis {
                1.0 - 10f32.powf(rng.random_range(-5.0..-1.0))
            } else {
                rng.random_range(-0.999..0.999)
            };
            (a[k] + b[k]) * share
        });
        let turned = Obb {
            rotation,
            ..obb(center, b)
        };
        let straight = Aabb {
            min: a.map(|x| -x),
            max: a,
        };
        // Separated from the box along one axis, and thrown at it.
        let beside = [0, 1, 2].map(|k| {
            if k == axis {
                a[k] + 3.0 * radius
            } else {
                0.9 * a[k] * center[k] / (a[k] + b[k])
            }
        });
        let rod = Capsule {
            center: beside,
            half_axis: along.map(|x| x * [b[0], 0.01, 1e-30][axis]),
            radius,
        };
        let tolerance = TOLERANCES[rng.random_range(0..4)];
        let still = |time: Option<f32>| assert_eq!(time, Some(0.0), "{a:?} {turned:?} {rod:?}");
        still(impact_of(
            (obb([0.0; 3], a), REST, REST),
            (turned, REST, REST),
            tolerance,
        ));
        still(impact_of(
            (straight, REST, REST),
            (turned, REST, REST),
            tolerance,
        ));
        let mut thrown = [0.0; 3];
        thrown[axis] = -2.5 * radius;
        // Its own length brings the rod nearer by at most this time.
        let sooner = rod.half_axis[axis].abs() / (2.5 * radius);
        let cube = (obb([0.0; 3], a), REST, REST);
        let time = impact_of(cube, (rod, thrown, REST), tolerance);
        assert!(
            time.is_some_and(|time| time <= 0.8 - sooner.min(0.8) + 1e-3),
            "{time:?} {a:?} {rod:?}"
        );
    }
}

/// Half extents that a rotation about their own direction does not move: no contact for any rotation.
#[cfg(not(phalanx_only))]
#[test]
fn rotations_that_move_nothing_miss() {
    let rod = obb([0.0, 1.0, 0.0], [5.0, 0.0, 0.0]);
    let wall = HalfSpace {
        normal: [0.0, 1.0, 0.0],
        d: -0.999,
    };
    let spin = (rod, REST, [PI, 0.0, 0.0]);
    assert_eq!(impact_of(spin, (wall, REST, REST), 1e-6), None);
    // A rotation about another direction moves it.
    let spin = (rod, REST, [0.0, 0.0, 0.1]);
    let time = f64::from(impact_of(spin, (wall, REST, REST), 1e-6).unwrap());
    let exact = (0.001f64 / 5.0).asin() / f64::from(0.1f32);
    assert!(time <= exact && time > exact - 1e-3, "{time} for {exact}");
}

#[cfg(not(phalanx_only))]
#[test]
fn bad_values_flag_their_pairs_only() {
    let cube = obb([0.0; 3], [1.0; 3]);
    let mut boxes = Store::new();
    boxes.push_turning(cube, REST, [0.1; 3]);
    // The longest valid turn, with its rounding.
    boxes.push_turning(cube, REST, [0.0, -PI, 0.0]);
    let third = (std::f64::consts::PI / 3f64.sqrt()) as f32;
    boxes.push_turning(cube, REST, [third, -third, third]);
    let good = boxes.len() as u32;
    for bad in [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        PI + 1e-5,
        -4.0,
    ] {
        for axis in 0..3 {
            let mut turn = [0.0; 3];
            turn[axis] = bad;
            boxes.push_turning(cube, REST, turn);
        }
    }
    boxes.push_turning(cube, REST, [2.0; 3]);
    boxes.push_turning(cube, [0.0, f32::NAN, 0.0], REST);
    boxes.push_turning(cube, [0.0, 0.0, 2e18], REST);
    boxes.push_turning(obb([0.0; 3], [1.0, -1.0, 1.0]), REST, REST);
    boxes.push_turning(obb([f32::INFINITY, 0.0, 0.0], [1.0; 3]), REST, REST);
    let all = boxes.len() as u32;
    let balls = Store::from_slice(&[
        Sphere {
            center: [0.5; 3],
            radius: 1.0,
        },
        Sphere {
            center: [0.5; 3],
            radius: -1.0,
        },
    ]);
    let list: Vec<Pair> = (0..all)
        .flat_map(|k| [Pair::new(k, 0), Pair::new(k, 1)])
        .collect();
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd);
        let said = bits(&mut detector, (&boxes, &balls), (&list).into());
        for (pair, (time, [is_hit, is_invalid, _])) in list.iter().zip(said) {
            let is_good = pair.a < good && pair.b == 0;
            assert_eq!((is_hit, is_invalid), (is_good, !is_good), "{pair:?}");
            let expected = if is_good { 0.0 } else { f32::INFINITY };
            assert_eq!(time, expected.to_bits());
        }
    }
    assert!(boxes.validate().is_err());
    // A turn that is set is returned.
    boxes.truncate(good as usize);
    boxes.validate().unwrap();
    boxes.set_turn(1, [0.0, 4.0, 0.0]).unwrap();
    assert!(boxes.validate().is_err());
    assert_eq!(boxes.turn(1), Some([0.0, 4.0, 0.0]));
    assert_eq!(boxes.turn(good), None);
    assert!(matches!(
        boxes.set_turn(good, REST),
        Err(Error::IndexOutOfBounds {
            index: 3,
            len: 3,
            ..
        })
    ));
}

#[cfg(not(phalanx_only))]
#[test]
fn errors_change_nothing() {
    let boxes = Store::from_slice(&[obb([0.0; 3], [1.0; 3]), obb([1.0; 3], [1.0; 3])]);
    let one = Store::from_slice(&[obb([0.0; 3], [1.0; 3])]);
    let mut impacts = Impacts::new();
    let mut detector = Detector::new();
    detector
        .impact(&boxes, &boxes, Pairs::zip(), 1e-3, &mut impacts)
        .unwrap();
    let before = impacts.clone();
    assert_eq!(before.count(), 2);
    for bad in [-1e-3, -1e-45, f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let error = detector.impact(&boxes, &boxes, Pairs::zip(), bad, &mut impacts);
        assert!(
            matches!(error, Err(Error::BadTolerance { tolerance, .. }) if tolerance.to_bits() == bad.to_bits())
        );
        assert_eq!(before, impacts);
    }
    let list = [Pair::new(0, 0), Pair::new(1, 2)];
    let error = detector.impact(&boxes, &boxes, &list, 1e-3, &mut impacts);
    assert!(matches!(
        error,
        Err(Error::PairOutOfBounds { position: 1, .. })
    ));
    let error = detector.impact(&boxes, &one, Pairs::zip(), 1e-3, &mut impacts);
    assert!(matches!(error, Err(Error::LengthMismatch { .. })));
    let error = detector.impact(&boxes, &one, Pairs::one_to_all(2), 1e-3, &mut impacts);
    assert!(matches!(error, Err(Error::IndexOutOfBounds { .. })));
    assert_eq!(before, impacts);
    detector
        .impact(&boxes, &boxes, &[] as &[Pair], 0.0, &mut impacts)
        .unwrap();
    assert!(impacts.is_empty() && impacts.count() == 0 && impacts.time().is_empty());
}

/// Thrown spinning boxes, compared with the poses on their parabolas: none touches before its time.
#[cfg(not(phalanx_only))]
#[test]
fn thrown_boxes_keep_to_their_chords() {
    let mut rng = rng("thrown");
    let mut hits = 0;
    for _ in 0..cases_or(2000) {
        let mut a: Moved<Obb> = Moved::somewhere(&mut rng);
        let b: Moved<Obb> = Moved::somewhere(&mut rng);
        let gravity = [0.0, rng.random_range(-4.0..0.0f32), 0.0];
        let chord = Chord::of(a.displacement, gravity);
        let velocity = a.displacement.map(f64::from);
        a.displacement = chord.displacement;
        let near = Near {
            a: vec![a],
            b: vec![b],
            margin: chord.margin,
            size: 1.0,
        };
        let said = ask(&near, 1e-3)[0];
        hits += usize::from(said.time.is_some());
        // Distance from the chord: V t + ½ W t² − D t.
        let couple = Couple::new(&a.turning(), &b.turning(), 0.0);
        let off = |t: f64| {
            [0, 1, 2].map(|k| {
                let curved = velocity[k] * t + 0.5 * f64::from(gravity[k]) * t * t;
                f64::from(a.displacement[k]) * t - curved
            })
        };
        let until = f64::from(said.time.unwrap_or(1.0));
        let steps = if until > 0.0 { 400 } else { 0 };
        for step in 0..steps {
            let t = until * f64::from(step) / 400.0;
            let gap = couple.moved_by(off(t)).look(t).apart;
            assert!(gap > 0.0, "{gap} at {t}: {said:?} {a:?} {b:?} {chord:?}");
        }
    }
    println!("{hits} hits");
    assert!(hits * 5 > cases_or(2000));
}

/// A capsule whose half axis is so short that its square underflows, touched by a rotating box that moves along with it.
#[cfg(not(phalanx_only))]
#[test]
fn an_axis_as_short_as_nothing() {
    let motion = [-7.604_102e-15, 6.004_295e-14, 4.206_522_8e-14];
    let cube = Obb {
        half_extents: [4.244_855e-17, 1.268_472_5e-18, 3.811_208_2e-17],
        ..Obb::default()
    };
    let rod = Capsule {
        center: [1.169_966_5e-17, 4.325_122_3e-17, -2.081_525_9e-17],
        half_axis: [1.029_259e-23, -8.327_099_5e-31, -6.421_036e-31],
        radius: 1.765_78e-24,
    };
    let turn = [-2.547_713_3, 0.034_532_11, -1.837_816_1];
    let time = impact_of((cube, motion, turn), (rod, motion, REST), 0.0);
    assert!(time.is_some_and(|time| time <= 0.668_224_3), "{time:?}");
}
