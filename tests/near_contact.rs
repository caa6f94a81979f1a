//! Every kernel of the index against its exact oracle, with inputs within ulps of contact.
//!
//! A case starts from two random shapes. The second is moved along a line to where the exact answer
//! changes, or to where the kernel's does, a band away; then numbers of either are stepped by an ulp
//! or two. `PHALANX_CASES` sets the number of cases per kernel.

mod common;
mod oracle;

use common::{Sample, Setting, add, cases, nudge, rng};
use oracle::Exact;
use phalanx::{
    Aabb, Detector, HalfSpace, Obb, Overlap, Overlaps, Pairs, Plane, Sphere, Store, Sweep, Sweeps,
    TimeInterval,
};
use rand::{Rng, RngExt};

/// How many cases come from one line.
const CASES_PER_LINE: usize = 8;

/// A shape and its displacement.
type Moving<T> = (T, [f32; 3]);

/// What a kernel says of many pairs.
trait Ask<A, B> {
    fn ask(&mut self, a: &[Moving<A>], b: &[Moving<B>], margin: f32) -> Vec<Option<TimeInterval>>;
}

#[derive(Default)]
struct AskOverlap(Overlaps);
#[derive(Default)]
struct AskSweep(Sweeps);

fn store<T: Sample>(shapes: &[Moving<T>]) -> Store<T> {
    let mut store = Store::new();
    for &(shape, displacement) in shapes {
        store.push_moving(shape, displacement);
    }
    store
}

fn detector(margin: f32) -> Detector {
    Detector::new().parallel(false).margin(margin).unwrap()
}

impl<A: Sample + Overlap<B>, B: Sample> Ask<A, B> for AskOverlap {
    fn ask(&mut self, a: &[Moving<A>], b: &[Moving<B>], margin: f32) -> Vec<Option<TimeInterval>> {
        detector(margin)
            .overlap(&store(a), &store(b), Pairs::zip(), &mut self.0)
            .unwrap();
        assert_eq!(self.0.invalid_count(), 0);
        let now = TimeInterval {
            enter: 0.0,
            exit: 1.0,
        };
        (0..a.len())
            .map(|i| self.0.is_hit(i).then_some(now))
            .collect()
    }
}

impl<A: Sample + Sweep<B>, B: Sample> Ask<A, B> for AskSweep {
    fn ask(&mut self, a: &[Moving<A>], b: &[Moving<B>], margin: f32) -> Vec<Option<TimeInterval>> {
        detector(margin)
            .sweep(&store(a), &store(b), Pairs::zip(), &mut self.0)
            .unwrap();
        assert_eq!(self.0.invalid_count(), 0);
        (0..a.len()).map(|i| self.0.get(i)).collect()
    }
}

/// Two moving shapes and a margin, at a place where the answer that `hits` gives changes.
fn line<A: Sample, B: Sample>(
    rng: &mut impl Rng,
    mut hits: impl FnMut(&Moving<A>, &Moving<B>, f32) -> bool,
) -> Option<(Moving<A>, Moving<B>, f32)> {
    let setting = Setting::random(rng);
    let share = if rng.random_bool(0.2) {
        rng.random_range(0.0..0.5)
    } else {
        0.0
    };
    let margin = share * setting.scale;
    let motions = [setting.motion(rng), setting.motion(rng)];
    let together = rng.random_bool(0.2);
    let a = (A::sample(rng, &setting), motions[0]);
    let b = (
        B::sample(rng, &setting),
        if together { motions[0] } else { motions[1] },
    );
    let direction = if rng.random_bool(0.3) {
        let mut direction = [0.0; 3];
        direction[rng.random_range(0..3)] = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        direction
    } else {
        [(); 3].map(|()| rng.random_range(-1.0..1.0))
    };
    let at = |distance: f32| (b.0.moved(direction.map(|x| x * distance)), b.1);
    let mut hits = |distance: f32| hits(&a, &at(distance), margin);

    let far = [1.0, 4.0, 16.0, 4000.0].map(|k| k * setting.scale);
    let starts = [0.0, 0.25, 0.5, 1.0].map(|k| k * setting.scale);
    // The largest scales end where lengths are out of range.
    if !phalanx_accepts(&a) || !phalanx_accepts(&at(0.0)) || !phalanx_accepts(&at(far[3])) {
        return None;
    }
    let mut hit = starts.into_iter().find(|distance| hits(*distance))?;
    let mut miss = far
        .into_iter()
        .find(|distance| *distance > hit && !hits(*distance))?;
    // Halving the bits, not the distance, ends at two neighbours.
    while miss.to_bits() - hit.to_bits() > 1 {
        let middle = f32::from_bits(hit.to_bits().midpoint(miss.to_bits()));
        if hits(middle) {
            hit = middle
        } else {
            miss = middle
        }
    }
    Some((a, at(if rng.random_bool(0.5) { hit } else { miss }), margin))
}

/// What a run found.
#[derive(Debug, Default)]
struct Tally {
    cases: usize,
    hits: usize,
    false_hits: usize,
    worst_gap: f64,
    worst_slack: f64,
}

fn near_contact<A: Sample, B: Sample>(
    name: &str,
    mut ask: impl Ask<A, B>,
    exact: impl Fn(&Moving<A>, &Moving<B>, f32, Option<TimeInterval>) -> Exact,
) {
    let mut rng = rng(name);
    let mut tally = Tally::default();
    while tally.cases < cases() {
        let found = if rng.random_bool(0.5) {
            line(&mut rng, |a, b, margin| exact(a, b, margin, None).hit)
        } else {
            line(&mut rng, |a, b, margin| {
                ask.ask(&[*a], &[*b], margin)[0].is_some()
            })
        };
        let Some((a, b, margin)) = found else {
            continue;
        };
        let (mut firsts, mut seconds) = (vec![a], vec![b]);
        for _ in 1..CASES_PER_LINE {
            let (mut a, mut b) = (a, b);
            for _ in 0..rng.random_range(0..3) {
                nudge(&mut rng, &mut a);
                nudge(&mut rng, &mut b);
            }
            if phalanx_accepts(&a) && phalanx_accepts(&b) {
                firsts.push(a);
                seconds.push(b);
            }
        }
        let answers = ask.ask(&firsts, &seconds, margin);
        for ((a, b), answer) in firsts.iter().zip(&seconds).zip(answers) {
            judge(
                name,
                &mut tally,
                (a, b, margin),
                answer,
                exact(a, b, margin, answer),
            );
        }
    }
    println!("{name}: {tally:?}");
    assert!(
        tally.hits * 10 > tally.cases,
        "too few hits to mean anything: {tally:?}"
    );
    assert!(
        tally.hits * 10 < tally.cases * 9,
        "too few misses to mean anything: {tally:?}"
    );
}

fn phalanx_accepts<T: Sample>(shape: &Moving<T>) -> bool {
    store(&[*shape]).validate().is_ok()
}

fn judge<A: Sample, B: Sample>(
    name: &str,
    tally: &mut Tally,
    case: (&Moving<A>, &Moving<B>, f32),
    answer: Option<TimeInterval>,
    exact: Exact,
) {
    assert!(
        !exact.hit || answer.is_some(),
        "{name} missed a hit: {case:?}"
    );
    assert!(
        exact.encloses,
        "{name} claims {answer:?}, which excludes contact: {case:?}"
    );
    tally.cases += 1;
    tally.hits += usize::from(exact.hit);
    if answer.is_some() {
        tally.false_hits += usize::from(!exact.hit);
        tally.worst_gap = tally
            .worst_gap
            .max(exact.gap / exact.band.max(f64::MIN_POSITIVE));
        tally.worst_slack = tally
            .worst_slack
            .max(exact.slack / exact.band.max(f64::MIN_POSITIVE));
        assert!(
            exact.gap <= exact.band,
            "{name} is outside its band: {case:?}, {exact:?}"
        );
        assert!(
            exact.slack <= exact.band,
            "{name} claims {answer:?}: {case:?}, {exact:?}"
        );
    }
}

/// One test for each kernel, in the order of the index and in the other.
macro_rules! tests {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(tests!(@ $verb, $file, $($shape),+);)*
    };
    (@ $verb:ident, $file:ident, $a:ident) => { tests!(@ $verb, $file, $a, $a); };
    (@ overlap, $file:ident, $a:ident, $b:ident) => {
        #[test]
        fn $file() {
            near_contact::<$a, $b>(stringify!($file), AskOverlap::default(), |a, b, margin, _| {
                oracle::$file::exact(&a.0, &b.0, margin)
            });
        }
    };
    (@ sweep, $file:ident, $a:ident, $b:ident) => {
        #[test]
        fn $file() {
            near_contact::<$a, $b>(stringify!($file), AskSweep::default(), |a, b, margin, claim| {
                oracle::$file::exact(a, b, margin, claim)
            });
        }
    };
}
phalanx::kernels!(tests);

#[test]
fn an_overlap_is_a_sweep_from_the_start() {
    macro_rules! each_sweep {
        ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
            $(each_sweep!(@ $verb, stringify!($file), $($shape),+);)*
        };
        (@ overlap, $name:expr, $($shape:ident),+) => {};
        (@ sweep, $name:expr, $a:ident) => { implied::<$a, $a>($name); };
        (@ sweep, $name:expr, $a:ident, $b:ident) => { implied::<$a, $b>($name); };
    }
    phalanx::kernels!(each_sweep);
}

fn implied<A: Sample + Overlap<B> + Sweep<B>, B: Sample>(name: &str) {
    let mut rng = rng(&format!("{name}, from the start"));
    let (mut overlap, mut sweep) = (AskOverlap::default(), AskSweep::default());
    let mut tried = 0;
    while tried < 1000 {
        let touches = |a: &Moving<A>, b: &Moving<B>, m| overlap.ask(&[*a], &[*b], m)[0].is_some();
        let Some((a, b, margin)) = line(&mut rng, touches) else {
            continue;
        };
        if overlap.ask(&[a], &[b], margin)[0].is_some() {
            let time = sweep.ask(&[a], &[b], margin)[0];
            assert_eq!(
                time.map(|time| time.enter),
                Some(0.0),
                "{name}: {a:?} {b:?} {margin}"
            );
            tried += 1;
        }
    }
}

#[test]
fn the_oracle_of_boxes_agrees_with_sampled_points() {
    // A second, independent definition: a point of each box, found by walking towards each other.
    let mut rng = rng("sampled points");
    for _ in 0..300 {
        let setting = Setting::random(&mut rng);
        let a = Obb::sample(&mut rng, &setting);
        let b = Obb::sample(&mut rng, &setting);
        let exact = oracle::obb_obb_overlap::exact(&a, &b, 0.0);
        let distance = walked_distance(&a, &b);
        let size = f64::from(setting.scale) + f64::from(add(setting.offset, [0.0; 3])[0]).abs();
        if exact.hit {
            assert!(distance < 0.05 * size, "{a:?} {b:?}: {distance}");
        } else {
            assert!(
                distance > 0.99 * exact.gap - 1e-9 * size,
                "{a:?} {b:?}: {exact:?}"
            );
        }
    }
}

/// The distance of two boxes by alternating projections, in f64: from above.
fn walked_distance(a: &Obb, b: &Obb) -> f64 {
    let mut p = a.center.map(f64::from);
    let mut distance = f64::INFINITY;
    for _ in 0..2000 {
        let q = clamped(b, p);
        p = clamped(a, q);
        distance = (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    }
    distance
}

/// The point of a box nearest to a point.
fn clamped(shape: &Obb, p: [f64; 3]) -> [f64; 3] {
    let [x, y, z, w] = shape.rotation.map(f64::from);
    let rotate = |[vx, vy, vz]: [f64; 3], w: f64| {
        let t = [
            y * vz - z * vy + w * vx,
            z * vx - x * vz + w * vy,
            x * vy - y * vx + w * vz,
        ];
        let dot = x * vx + y * vy + z * vz;
        let norm = x * x + y * y + z * z + w * w;
        [
            (dot * x + w * t[0] + y * t[2] - z * t[1]) / norm,
            (dot * y + w * t[1] + z * t[0] - x * t[2]) / norm,
            (dot * z + w * t[2] + x * t[1] - y * t[0]) / norm,
        ]
    };
    let center = shape.center.map(f64::from);
    let local = rotate([p[0] - center[0], p[1] - center[1], p[2] - center[2]], -w);
    let mut inside = [0.0; 3];
    for k in 0..3 {
        let half = f64::from(shape.half_extents[k]);
        inside[k] = local[k].clamp(-half, half);
    }
    let turned = rotate(inside, w);
    [
        turned[0] + center[0],
        turned[1] + center[1],
        turned[2] + center[2],
    ]
}
