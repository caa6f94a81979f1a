//! One answer everywhere: a digest per kernel of a large fixed set of pairs, compared with the digest in `digests.txt`,
//! on any CPU.
//!
//! Inputs come from integers by exact steps, so they are the same on every platform. Among them are subnormal numbers,
//! −0, infinities, NaN and lengths out of range. If results change on purpose, put the printed digests of the failure
//! into the file.
#![cfg_attr(phalanx_only, allow(unused))]

mod common;

use std::fmt::Write;

use common::ask::{PairAnswer, PairQuery, verbs};
use common::{cases, digest};
use phalanx::traits::{Bounded, Collide, Distance, Impact, Shape, Sweep};
use phalanx::{
    Aabb, Capsule, Chord, ClosestPoints, Contacts, Detector, Distances, During, FirstHits,
    HalfSpace, Impacts, MAX_LENGTH, Obb, Overlaps, Pair, Pairs, Plane, Point, Simd, Sphere,
    Spheres, Store, Sweeps, TimeInterval, Triangle, slerp, turn_between,
};
use rand::Rng;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

const SHAPES: usize = 4096;
const PAIRS: usize = 100_000;
/// Length of a list that is gathered from columns, not from rows.
const SHORT: usize = 100;

/// Numbers made of integers without rounding.
struct Numbers(Xoshiro256PlusPlus);

impl Numbers {
    fn new(seed: u64) -> Self {
        Numbers(Xoshiro256PlusPlus::seed_from_u64(seed))
    }
    fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.0.next_u32()) * u64::from(n)) >> 32) as u32
    }
    /// From −1 to 1, in steps of 2⁻²³.
    fn signed(&mut self) -> f32 {
        (self.0.next_u32() as i32 >> 8) as f32 / (1 << 23) as f32
    }
    fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }
    fn strange(&mut self) -> f32 {
        const STRANGE: [f32; 14] = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::MAX,
            -1.0,
            0.0,
            -0.0,
            1e-45,
            -1e-45,
            1e-40,
            -3e-39,
            f32::MIN_POSITIVE,
            MAX_LENGTH,
            2e18,
        ];
        if self.chance(20) {
            f32::from_bits(self.0.next_u32())
        } else {
            STRANGE[self.below(STRANGE.len() as u32) as usize]
        }
    }
}

/// 2ᵏ, exactly; `powi` does not guarantee that.
fn power_of_two(k: i32) -> f32 {
    f32::from_bits(match k {
        ..-126 => 1 << (k + 149),
        _ => ((k + 127) as u32) << 23,
    })
}

/// A shape from numbers between −1 and 1 and a scale.
trait Make: Shape {
    fn make(numbers: &mut Numbers, scale: f32) -> Self;
}

fn point(numbers: &mut Numbers, scale: f32) -> [f32; 3] {
    [(); 3].map(|()| numbers.signed() * scale)
}

fn size(numbers: &mut Numbers, scale: f32) -> f32 {
    if numbers.chance(5) {
        0.0
    } else {
        numbers.signed().abs() * scale
    }
}

impl Make for Point {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        Point {
            position: point(numbers, scale),
        }
    }
}

impl Make for Sphere {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        Sphere {
            center: point(numbers, scale),
            radius: size(numbers, scale * 0.75),
        }
    }
}

impl Make for Capsule {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        let mut half_axis = point(numbers, scale);
        if numbers.chance(20) {
            // A sphere, or along an axis.
            half_axis[numbers.below(3) as usize] = 0.0;
            half_axis[numbers.below(3) as usize] = 0.0;
            half_axis[numbers.below(3) as usize] = 0.0;
        }
        Capsule {
            center: point(numbers, scale),
            half_axis,
            radius: size(numbers, scale * 0.5),
        }
    }
}

impl Make for Triangle {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        let mut corners = [(); 3].map(|()| point(numbers, scale));
        if numbers.chance(10) {
            // A segment, or a sliver.
            let thin = [0.0, 1e-6][numbers.below(2) as usize] * scale;
            corners[2] = corners[numbers.below(2) as usize];
            corners[2][1] += thin;
        }
        Triangle { corners }
    }
}

impl Make for Aabb {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        let sizes = [(); 3].map(|()| size(numbers, scale));
        Aabb::from_center_half_extents(point(numbers, scale), sizes)
    }
}

impl Make for Obb {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        let q = [(); 4].map(|()| numbers.signed());
        let length = (q[0] * q[0] + q[1] * q[1] + (q[2] * q[2] + q[3] * q[3])).sqrt();
        Obb {
            center: point(numbers, scale),
            half_extents: [(); 3].map(|()| size(numbers, scale * 0.75)),
            rotation: q.map(|x| x / length),
        }
    }
}

impl Make for Plane {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        let stretch = power_of_two(numbers.below(60) as i32 - 30);
        Plane {
            normal: point(numbers, stretch),
            d: numbers.signed() * stretch * scale,
        }
    }
}

impl Make for HalfSpace {
    fn make(numbers: &mut Numbers, scale: f32) -> Self {
        let Plane { normal, d } = Plane::make(numbers, scale);
        HalfSpace { normal, d }
    }
}

/// Shapes of the scale that belongs to their index, so that pairs of near indices may touch.
fn shapes<T: Make>(numbers: &mut Numbers) -> Store<T> {
    let mut store = Store::new();
    for i in 0..SHAPES {
        let scale = match i * 8 / SHAPES {
            // Squares underflow, lengths underflow, lengths are the longest.
            0 => power_of_two(-70),
            1 => power_of_two(-130),
            2 => power_of_two(58),
            _ => 1.0,
        };
        let mut shape = T::make(numbers, scale);
        let mut displacement = match numbers.below(4) {
            0 => [0.0; 3],
            k => point(numbers, scale * k as f32),
        };
        if numbers.chance(5) {
            let of_shape: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(&mut shape));
            let k = numbers.below(of_shape.len() as u32 + 3) as usize;
            let strange = numbers.strange();
            if k < of_shape.len() {
                of_shape[k] = strange;
            } else {
                displacement[k - of_shape.len()] = strange;
            }
        }
        store.push_moving(shape, displacement);
    }
    store
}

fn pairs(numbers: &mut Numbers) -> Vec<Pair> {
    let mut near = |a: u32| (a + numbers.below(64)) % SHAPES as u32;
    (0..PAIRS as u32)
        .map(|i| {
            let a = i % SHAPES as u32;
            Pair { a, b: near(a) }
        })
        .collect()
}

fn digest_of_store<T: Shape>(store: &Store<T>) -> u64 {
    digest((0..store.len() as u32).flat_map(|i| {
        let shape = store.get(i).unwrap();
        let numbers: &[f32] = bytemuck::cast_slice(std::slice::from_ref(&shape));
        let displacement = store.displacement(i).unwrap();
        let bits = |x: &f32| if x.is_nan() { u32::MAX } else { x.to_bits() };
        let words: Vec<u32> = numbers.iter().chain(&displacement).map(bits).collect();
        words
    }))
}

fn digest_of_answers(said: &[PairAnswer]) -> u64 {
    digest(said.iter().flat_map(|said| {
        [
            u32::from(said.hit) | u32::from(said.invalid) << 1,
            said.enter,
            said.exit,
        ]
    }))
}

/// A line: the digest of the inputs, the digest of the results, and the numbers of hits and invalid pairs.
fn line<A: Make, B: Make, V: PairQuery<A, B>>(name: &str, lines: &mut String) {
    let mut numbers = Numbers::new(digest(name.bytes().map(u32::from)));
    let (a, b) = (shapes::<A>(&mut numbers), shapes::<B>(&mut numbers));
    let list = pairs(&mut numbers);
    let mut verb = V::default();
    let mut ask = |detector: Detector, parts: usize| {
        let mut said = Vec::new();
        for part in list.chunks(parts) {
            // Without scratch rows.
            let mut detector = detector.clone();
            verb.ask(&mut detector, &a, &b, part.into(), &mut said)
                .unwrap();
        }
        said
    };
    // On emulated CPUs, `bit_equality` covers the other settings.
    let ways: &[_] = if cases() < 10_000 {
        &[(false, PAIRS)]
    } else {
        &[(false, PAIRS), (false, SHORT), (true, PAIRS)]
    };
    let one_lane = Simd::available().next().unwrap();
    let said = ask(Detector::new().simd(one_lane).parallel(false), PAIRS);
    for simd in Simd::available() {
        for &(parallel, part) in ways {
            let others = ask(Detector::new().simd(simd).parallel(parallel), part);
            let differ = others.iter().zip(&said).filter(|(x, y)| x != y).count();
            assert_eq!(differ, 0, "{name}, {simd}, {part} pairs at once");
        }
    }
    // Lists without pairs.
    let all = || 0..SHAPES as u32;
    let zip: Vec<_> = all().map(|i| Pair::new(i, i)).collect();
    let one_to_all: Vec<_> = all().map(|i| Pair::new(5, i)).collect();
    for (list, pairs) in [(Pairs::zip(), &zip), (Pairs::one_to_all(5), &one_to_all)] {
        for simd in Simd::available() {
            let mut detector = Detector::new().simd(simd).parallel(false);
            let [mut said, mut expected] = [(); 2].map(|()| Vec::new());
            verb.ask(&mut detector, &a, &b, list, &mut said).unwrap();
            verb.ask(&mut detector, &a, &b, (&pairs[..]).into(), &mut expected)
                .unwrap();
            assert!(said == expected, "{name}, {simd}, {list:?}");
        }
    }
    let count = |what: fn(&PairAnswer) -> bool| said.iter().filter(|said| what(said)).count();
    let inputs = digest_of_store(&a) ^ digest_of_store(&b).rotate_left(1);
    writeln!(
        lines,
        "{name} {inputs:016x} {:016x} {} {}",
        digest_of_answers(&said),
        count(|said| said.hit),
        count(|said| said.invalid)
    )
    .unwrap();
}

/// A line: the digest of the inputs, the digest of the contacts, and the numbers of contacts and points.
fn contact_line<A: Make + Collide<B>, B: Make>(name: &str, lines: &mut String) {
    let mut numbers = Numbers::new(digest(name.bytes().map(u32::from)));
    let (a, b) = (shapes::<A>(&mut numbers), shapes::<B>(&mut numbers));
    let list = pairs(&mut numbers);
    let inputs = digest_of_store(&a) ^ digest_of_store(&b).rotate_left(1);
    let mut contacts = Contacts::new();
    let mut first = None;
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).parallel(false);
        detector.contact(&a, &b, &list, &mut contacts).unwrap();
        let said = digest(contacts.iter().flat_map(|contact| {
            let mut words = vec![contact.position as u32];
            let mut add = |numbers: &[f32]| words.extend(numbers.iter().map(|x| x.to_bits()));
            add(&contact.normal);
            add(&[contact.separation]);
            for point in contact.points() {
                add(&point.at);
                add(&[point.separation, point.feature.into()]);
            }
            words
        }));
        assert_eq!(*first.get_or_insert(said), said, "{name}, {simd}");
    }
    let points: usize = contacts.counts().iter().map(|n| usize::from(*n)).sum();
    writeln!(
        lines,
        "{name} {inputs:016x} {:016x} {} {points}",
        first.unwrap(),
        contacts.count(),
    )
    .unwrap();
}

macro_rules! contact_lines {
    ($($file:ident: contact($($shape:ident),+);)*) => {
        fn contacts(lines: &mut String) {
            $(contact_lines!(@ $file, lines, $($shape),+);)*
        }
    };
    (@ $file:ident, $out:ident, $a:ident) => { contact_lines!(@ $file, $out, $a, $a); };
    (@ $file:ident, $out:ident, $a:ident, $b:ident) => {
        contact_line::<phalanx::$a, phalanx::$b>(stringify!($file), $out);
    };
}
phalanx::kernels!(contact: contact_lines);

/// Gives a box a turn, sometimes an invalid one.
trait Turn: Make {
    fn turn(_store: &mut Store<Self>, _numbers: &mut Numbers) {}
}
impl Turn for Sphere {}
impl Turn for Capsule {}
impl Turn for Aabb {}
impl Turn for Plane {}
impl Turn for HalfSpace {}
impl Turn for Triangle {}
impl Turn for Obb {
    fn turn(store: &mut Store<Obb>, numbers: &mut Numbers) {
        for i in 0..SHAPES as u32 {
            let mut turn = match numbers.below(4) {
                0 => [0.0; 3],
                k => point(numbers, 0.6 * k as f32),
            };
            if numbers.chance(2) {
                turn[numbers.below(3) as usize] = numbers.strange();
            }
            store.set_turn(i, turn).unwrap();
        }
    }
}

/// A line: the digest of the inputs, the digest of the times, and the numbers of hits, invalid pairs and unsettled
/// times.
fn impact_line<A: Turn + Impact<B>, B: Turn>(name: &str, lines: &mut String) {
    let mut numbers = Numbers::new(digest(name.bytes().map(u32::from)));
    let (mut a, mut b) = (shapes::<A>(&mut numbers), shapes::<B>(&mut numbers));
    A::turn(&mut a, &mut numbers);
    B::turn(&mut b, &mut numbers);
    let list = pairs(&mut numbers);
    let list = &list[..PAIRS / 10];
    let inputs = digest_of_store(&a) ^ digest_of_store(&b).rotate_left(1);
    let mut impacts = Impacts::new();
    let mut first = None;
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).parallel(false);
        detector.impact(&a, &b, list, 1e-3, &mut impacts).unwrap();
        let words = impacts.time().iter().enumerate();
        let said = digest(words.flat_map(|(i, time)| {
            let flags = u32::from(impacts.is_invalid(i)) | u32::from(impacts.is_settled(i)) << 1;
            [time.to_bits(), flags]
        }));
        assert_eq!(*first.get_or_insert(said), said, "{name}, {simd}");
    }
    let some = |what: &dyn Fn(usize) -> bool| (0..list.len()).filter(|i| what(*i)).count();
    writeln!(
        lines,
        "{name} {inputs:016x} {:016x} {} {} {}",
        first.unwrap(),
        some(&|i| impacts.is_hit(i)),
        some(&|i| impacts.is_invalid(i)),
        some(&|i| !impacts.is_settled(i)),
    )
    .unwrap();
}

macro_rules! impact_lines {
    ($($file:ident: impact($($shape:ident),+);)*) => {
        fn impacts(lines: &mut String) {
            $(impact_lines!(@ $file, lines, $($shape),+);)*
        }
    };
    (@ $file:ident, $out:ident, $a:ident) => { impact_lines!(@ $file, $out, $a, $a); };
    (@ $file:ident, $out:ident, $a:ident, $b:ident) => {
        impact_line::<phalanx::$a, phalanx::$b>(stringify!($file), $out);
    };
}
phalanx::kernels!(impact: impact_lines);

/// A line: the digest of the inputs, the digest of bounds, points and flags, and the numbers of pairs with a lower
/// bound of zero, of invalid pairs, and of unsettled pairs.
fn distance_line<A: Make + Distance<B>, B: Make>(name: &str, lines: &mut String) {
    let mut numbers = Numbers::new(digest(name.bytes().map(u32::from)));
    let (a, b) = (shapes::<A>(&mut numbers), shapes::<B>(&mut numbers));
    let list = pairs(&mut numbers);
    let list = &list[..PAIRS / 4];
    let inputs = digest_of_store(&a) ^ digest_of_store(&b).rotate_left(1);
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    let mut first = None;
    for simd in Simd::available() {
        let mut detector = Detector::new().simd(simd).parallel(false);
        detector
            .distance_points(&a, &b, list, &mut distances, &mut points)
            .unwrap();
        let said = digest((0..list.len()).flat_map(|i| {
            let flags =
                u32::from(distances.is_invalid(i)) | u32::from(distances.is_settled(i)) << 1;
            let bounds = [distances.lower()[i], distances.upper()[i]];
            let points = points.get(i).unwrap();
            let bits = |x: &f32| if x.is_nan() { u32::MAX } else { x.to_bits() };
            let words: Vec<u32> = bounds
                .iter()
                .chain(points.as_flattened())
                .map(bits)
                .collect();
            words.into_iter().chain([flags])
        }));
        assert_eq!(*first.get_or_insert(said), said, "{name}, {simd}");
    }
    let touching = distances.lower().iter().filter(|lower| **lower == 0.0);
    writeln!(
        lines,
        "{name} {inputs:016x} {:016x} {} {} {}",
        first.unwrap(),
        touching.count(),
        distances.iter_invalid().count(),
        distances.iter_unsettled().count(),
    )
    .unwrap();
}

macro_rules! distance_lines {
    ($($file:ident: distance($($shape:ident),+);)*) => {
        fn distances(lines: &mut String) {
            $(distance_lines!(@ $file, lines, $($shape),+);)*
        }
    };
    (@ $file:ident, $out:ident, $a:ident) => { distance_lines!(@ $file, $out, $a, $a); };
    (@ $file:ident, $out:ident, $a:ident, $b:ident) => {
        distance_line::<phalanx::$a, phalanx::$b>(stringify!($file), $out);
    };
}
phalanx::kernels!(distance: distance_lines);

/// Functions that are no kernels but also bit-identical everywhere.
#[cfg(not(phalanx_only))]
fn motion(lines: &mut String) {
    let mut numbers = Numbers::new(1);
    let turned = digest((0..10_000).flat_map(|_| {
        let [from, to] = [(); 2].map(|()| Obb::make(&mut numbers, 1.0).rotation);
        slerp(from, to, numbers.signed().abs()).map(f32::to_bits)
    }));
    let mut others = Numbers::new(2);
    let turns = digest((0..10_000).flat_map(|_| {
        let [from, to] = [(); 2].map(|()| Obb::make(&mut others, 1.0).rotation);
        turn_between(from, to).map(f32::to_bits)
    }));
    let chords = digest((0..10_000).flat_map(|_| {
        let chord = Chord::of(point(&mut numbers, 4.0), point(&mut numbers, 4.0));
        let [x, y, z] = chord.displacement.map(f32::to_bits);
        [x, y, z, chord.margin.to_bits()]
    }));

    let balls: Spheres = shapes(&mut numbers);
    let list = pairs(&mut numbers);
    let mut sweeps = Sweeps::new();
    Detector::new()
        .sweep(&balls, &balls, &list, &mut sweeps)
        .unwrap();
    let (mut a, mut b) = (Spheres::new(), Spheres::new());
    sweeps
        .at_enter(&balls, &balls, Pairs::from(&list[..]), &mut a, &mut b)
        .unwrap();
    let places = digest_of_store(&a) ^ digest_of_store(&b).rotate_left(1);
    writeln!(
        lines,
        "slerp {turned:016x}\nturn_between {turns:016x}\nchord {chords:016x}\nat_enter {places:016x}"
    )
    .unwrap();
}

/// Lines of searches in whole stores: first hits, any hits, and candidates along the path.
#[cfg(not(phalanx_only))]
fn scenes(lines: &mut String) {
    /// Shapes of each scale.
    fn some<T: Shape>(store: Store<T>) -> Store<T> {
        let all = (0..SHAPES as u32).step_by(4);
        let moving = |i| Some((store.get(i)?, store.displacement(i)?));
        let mut some = Store::new();
        some.extend_moving(all.filter_map(moving));
        some
    }
    fn scene<A: Make + Bounded + Sweep<B>, B: Make + Bounded>(name: &str, lines: &mut String) {
        let mut numbers = Numbers::new(digest(name.bytes().map(u32::from)));
        let (a, b) = (
            some(shapes::<A>(&mut numbers)),
            some(shapes::<B>(&mut numbers)),
        );
        let (mut firsts, mut any, mut pairs) = (FirstHits::new(), Overlaps::new(), Vec::new());
        let mut first = None;
        for simd in Simd::available() {
            let mut detector = Detector::new().simd(simd).parallel(false);
            detector.first_hits(&a, &b, &mut firsts).unwrap();
            let halves = |word: &u64| [*word as u32, (*word >> 32) as u32];
            let hits = firsts.iter().flat_map(|hit| {
                let TimeInterval { enter, exit } = hit.time;
                [hit.a, hit.b, enter.to_bits(), exit.to_bits()]
            });
            let invalid = firsts.invalid_words().iter().flat_map(halves);
            let hits = digest(hits.chain(invalid));
            detector.meets_any(&a, &b, During::Start, &mut any).unwrap();
            let any = digest(any.words().iter().flat_map(halves));
            detector
                .candidates(&a, &b, During::Way, &mut pairs)
                .unwrap();
            let way = digest(pairs.iter().flat_map(|pair| [pair.a, pair.b]));
            let said = [hits, any, way];
            assert_eq!(*first.get_or_insert(said), said, "{name}, {simd}");
        }
        let [hits, any, way] = first.unwrap();
        let count = firsts.count();
        writeln!(
            lines,
            "{name} {hits:016x} {any:016x} {way:016x} {count} {}",
            pairs.len()
        )
        .unwrap();
    }
    scene::<Point, Aabb>("point_aabb_first_hits", lines);
    scene::<Capsule, Obb>("capsule_obb_first_hits", lines);
    scene::<Aabb, Sphere>("aabb_sphere_first_hits", lines);
    scene::<Point, Triangle>("point_triangle_first_hits", lines);
}

macro_rules! lines {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        fn kernels(lines: &mut String) {
            $(lines!(@ $file, $verb, lines, $($shape),+);)*
        }
    };
    (@ $file:ident, $verb:ident, $out:ident, $a:ident) => {
        lines!(@ $file, $verb, $out, $a, $a);
    };
    (@ $file:ident, $verb:ident, $out:ident, $a:ident, $b:ident) => {
        line::<phalanx::$a, phalanx::$b, verbs::$verb>(stringify!($file), $out);
    };
}
phalanx::kernels!(lines);

#[test]
fn digests_are_those_of_the_repository() {
    let mut lines = String::from("kernel inputs answers hits invalid\n");
    kernels(&mut lines);
    #[cfg(not(phalanx_only))]
    motion(&mut lines);
    #[cfg(not(phalanx_only))]
    scenes(&mut lines);
    contacts(&mut lines);
    impacts(&mut lines);
    distances(&mut lines);
    let mut expected = String::from(include_str!("digests.txt"));
    if cfg!(phalanx_only) {
        let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
        let chosen: Vec<_> = lines.lines().map(name).collect();
        let expected_lines = expected.split_inclusive('\n');
        expected = expected_lines
            .filter(|line| chosen.contains(&name(line)))
            .collect();
    }
    assert!(
        lines == expected,
        "digests differ. Here:\n{lines}\nIn tests/digests.txt:\n{expected}"
    );
    println!("{} digests agree", lines.lines().count() - 1);
}
