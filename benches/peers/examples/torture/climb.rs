//! Hill climbs towards the error band β of contacts.
//!
//! A climb starts from a pair that touches, changes it by small steps and by ulps, and keeps changes that raise the
//! error: the exact separation less the reported separation, in u of all lengths. Half of the climbs start from random
//! pairs. The others start from a small shape at the end of a long one, where the kernels' roundings weigh most.

use phalanx::traits::Collide;
use phalanx::{Aabb, Capsule, Contacts, Detector, Obb, Pairs, Sphere, Store};
use rand::RngExt;
use rand::rngs::StdRng;
use rayon::prelude::*;

use crate::common::rng;
use crate::contacts::{any_turn, power};
use crate::oracle::U;
use crate::oracle::minkowski::{BETA, Round, V, add, length, sub, times};
use crate::run::{Shard, shards};

/// The name on the command line.
pub const NAME: &str = "contact_climb";

/// Pairs per step of a climb.
const BATCH: usize = 50;
/// Steps without a gain after which a new climb starts.
const PATIENCE: usize = 120;

/// The outcome for one pair of kinds.
pub struct Outcome {
    name: &'static str,
    cases: usize,
    touching: usize,
    /// The largest error, in u of all lengths.
    worst: f64,
    /// The pair with the largest error.
    pair: String,
    pub broken: Option<String>,
}

/// A shape that a climb can change.
trait Climber: Round + phalanx::traits::Shape + std::fmt::Debug {
    fn random(rng: &mut StdRng) -> Self;
    /// A shape of about the size `small` with its center at `at`.
    fn tiny(rng: &mut StdRng, at: V, small: f64) -> Self;
    /// The end of its longest axis, and a thin shape in its place.
    fn long(rng: &mut StdRng, thin: f64) -> (Self, V);
    /// Lengths, then the rotation if there is one.
    fn numbers(&self) -> Vec<f32>;
    fn of(numbers: &[f32]) -> Self;
}

/// Climbs for each pair of kinds.
pub fn torture(cases: usize) -> Vec<Outcome> {
    vec![
        climbs::<Capsule, Obb>("capsule, OBB", cases),
        climbs::<Obb, Obb>("OBB, OBB", cases),
        climbs::<Capsule, Capsule>("capsule, capsule", cases),
        climbs::<Aabb, Obb>("AABB, OBB", cases),
        climbs::<Sphere, Obb>("sphere, OBB", cases),
        climbs::<Capsule, Aabb>("capsule, AABB", cases),
    ]
}

/// Prints the outcomes as Markdown.
pub fn print(outcomes: &[Outcome]) {
    println!(
        "\nClimbs: exact separation of touching pairs less the reported one, in u S; β is {BETA}.\n"
    );
    println!("| pair | cases | touching | worst | at |");
    println!("|---|--:|--:|--:|---|");
    for outcome in outcomes {
        let Outcome {
            name,
            cases,
            touching,
            worst,
            pair,
            ..
        } = outcome;
        println!("| {name} | {cases} | {touching} | {worst:.1} | `{pair}` |");
    }
}

fn climbs<A: Climber + Collide<B>, B: Climber>(name: &'static str, cases: usize) -> Outcome {
    shards(cases)
        .into_par_iter()
        .with_max_len(1)
        .map(|shard| climb::<A, B>(name, shard))
        .reduce_with(Outcome::merge)
        .expect("there are cases")
}

impl Outcome {
    fn merge(self, other: Outcome) -> Outcome {
        let (cases, touching) = (self.cases + other.cases, self.touching + other.touching);
        let broken = self.broken.clone().or(other.broken.clone());
        let worse = if other.worst > self.worst {
            other
        } else {
            self
        };
        Outcome {
            cases,
            touching,
            broken,
            ..worse
        }
    }
}

fn climb<A: Climber + Collide<B>, B: Climber>(name: &'static str, shard: Shard) -> Outcome {
    let mut rng = rng(&format!("{NAME} {name} {}", shard.number));
    let mut outcome = Outcome {
        name,
        cases: 0,
        touching: 0,
        worst: f64::NEG_INFINITY,
        pair: String::new(),
        broken: None,
    };
    let mut detector = Detector::new().parallel(false);
    let mut contacts = Contacts::new();
    let mut top: Option<(A, B, f64)> = None;
    let mut idle = 0;
    while outcome.cases < shard.cases {
        let len = BATCH.min(shard.cases - outcome.cases);
        outcome.cases += len;
        let (mut a, mut b) = (Store::<A>::new(), Store::<B>::new());
        for _ in 0..len {
            let (p, q) = match &top {
                Some((p, q, _)) => changed(&mut rng, p, q),
                None => started(&mut rng),
            };
            a.push(p);
            b.push(q);
        }
        detector
            .contact(&a, &b, Pairs::zip(), &mut contacts)
            .expect("the stores are of one length");
        idle += 1;
        for contact in &contacts {
            let i = contact.position as u32;
            let (p, q) = (a.get(i).expect("in range"), b.get(i).expect("in range"));
            let (exact, size) = truth(&p, &q);
            if exact > 0.0 {
                continue;
            }
            outcome.touching += 1;
            let said = f64::from(contact.separation);
            let error = (exact - said) / (U * size);
            // NaN also breaks the promise.
            if !(-1e-4..=BETA).contains(&error) && outcome.broken.is_none() {
                outcome.broken = Some(format!(
                    "{NAME}: {p:?}; {q:?}; reported {said}, exact {exact}, {error:.1} u S off"
                ));
            }
            if top.as_ref().is_none_or(|(.., best)| error > *best) {
                top = Some((p, q, error));
                idle = 0;
            }
            if error > outcome.worst {
                outcome.worst = error;
                outcome.pair = format!("{p:?}, {q:?}");
            }
        }
        if idle > PATIENCE {
            (top, idle) = (None, 0);
        }
    }
    outcome
}

/// The exact separation and the sum of all lengths.
fn truth(a: &impl Round, b: &impl Round) -> (f64, f64) {
    let (a, b) = (a.solid(), b.solid());
    let offset = sub(a.center, b.center);
    let size = offset.iter().map(|x| x.abs()).sum::<f64>() + a.size() + b.size();
    (a.less(&b).separation(), size)
}

/// Start of a climb.
fn started<A: Climber, B: Climber>(rng: &mut StdRng) -> (A, B) {
    let small = power(rng, -6.0..0.0);
    match rng.random_range(0..4) {
        0 => {
            let (a, end) = A::long(rng, small);
            (a, B::tiny(rng, end, small))
        }
        1 => {
            let (b, end) = B::long(rng, small);
            (A::tiny(rng, end, small), b)
        }
        _ => (A::random(rng), B::random(rng)),
    }
}

/// A pair a small step away.
fn changed<A: Climber, B: Climber>(rng: &mut StdRng, a: &A, b: &B) -> (A, B) {
    let (p, q) = (a.numbers(), b.numbers());
    if rng.random_bool(0.1) {
        // Both by one factor, because the distance of the sum from a power of two matters.
        let factor = 1.0 + rng.random_range(-0.5..0.5) * power(rng, -6.0..0.0);
        let scaled = |numbers: &[f32]| -> Vec<f32> {
            let lengths = if numbers.len() == OBB {
                6
            } else {
                numbers.len()
            };
            let by = |(k, x): (usize, &f32)| {
                if k < lengths {
                    (f64::from(*x) * factor) as f32
                } else {
                    *x
                }
            };
            numbers.iter().enumerate().map(by).collect()
        };
        return (A::of(&scaled(&p)), B::of(&scaled(&q)));
    }
    let step = power(rng, -8.0..0.0);
    (
        A::of(&stepped(rng, &p, step)),
        B::of(&stepped(rng, &q, step)),
    )
}

/// Numbers of an OBB: six lengths and the rotation.
const OBB: usize = 10;

fn stepped(rng: &mut StdRng, numbers: &[f32], step: f64) -> Vec<f32> {
    let mut changed: Vec<f32> = numbers
        .iter()
        .map(|&x| {
            let wide = f64::from(x);
            match rng.random_range(0..8) {
                0 => (wide * (1.0 + step * rng.random_range(-1.0..1.0))) as f32,
                1 => (wide + step * rng.random_range(-1.0..1.0)) as f32,
                2 => x.next_up(),
                3 => x.next_down(),
                _ => x,
            }
        })
        .collect();
    if numbers.len() == OBB {
        let rotation = &mut changed[6..];
        let squared: f64 = rotation.iter().map(|x| f64::from(*x).powi(2)).sum();
        // A rotation may be off by an ulp or two: only large steps are normalised.
        if (squared - 1.0).abs() > 1e-5 {
            rotation
                .iter_mut()
                .for_each(|x| *x = (f64::from(*x) / squared.sqrt()) as f32);
        }
    }
    changed
}

fn triple(numbers: &[f32]) -> [f32; 3] {
    [numbers[0], numbers[1], numbers[2]]
}

fn narrow(v: V) -> [f32; 3] {
    v.map(|x| x as f32)
}

fn vector(rng: &mut StdRng, size: f64) -> V {
    [(); 3].map(|()| rng.random_range(-1.0..1.0) * size)
}

/// Half extents, some of them small.
fn half_extents(rng: &mut StdRng, size: f64) -> V {
    [(); 3].map(|()| match rng.random_range(0..3) {
        0 => size * power(rng, -6.0..0.0),
        _ => size * rng.random_range(0.0..1.0),
    })
}

/// A direction along a coordinate axis, or random.
fn direction(rng: &mut StdRng) -> V {
    if rng.random_bool(0.5) {
        let k = rng.random_range(0..3);
        return std::array::from_fn(|i| f64::from(u8::from(i == k)));
    }
    let v = add(vector(rng, 1.0), [1e-3; 3]);
    times(v, 1.0 / length(v))
}

impl Climber for Sphere {
    fn random(rng: &mut StdRng) -> Self {
        Sphere {
            center: narrow(vector(rng, 1.0)),
            radius: half_extents(rng, 1.0)[0] as f32,
        }
    }
    fn tiny(rng: &mut StdRng, at: V, small: f64) -> Self {
        Sphere {
            center: narrow(add(at, vector(rng, small))),
            radius: small as f32,
        }
    }
    fn long(rng: &mut StdRng, _thin: f64) -> (Self, V) {
        let sphere = Sphere {
            center: [0.0; 3],
            radius: 1.0,
        };
        (sphere, direction(rng))
    }
    fn numbers(&self) -> Vec<f32> {
        [&self.center[..], &[self.radius]].concat()
    }
    fn of(numbers: &[f32]) -> Self {
        Sphere {
            center: triple(numbers),
            radius: numbers[3].abs(),
        }
    }
}

impl Climber for Capsule {
    fn random(rng: &mut StdRng) -> Self {
        Capsule {
            center: narrow(vector(rng, 1.0)),
            half_axis: narrow(vector(rng, 1.0)),
            radius: half_extents(rng, 1.0)[0] as f32,
        }
    }
    fn tiny(rng: &mut StdRng, at: V, small: f64) -> Self {
        Capsule {
            center: narrow(add(at, vector(rng, small))),
            half_axis: narrow(vector(rng, small)),
            radius: half_extents(rng, small)[0] as f32,
        }
    }
    fn long(rng: &mut StdRng, thin: f64) -> (Self, V) {
        let half_axis = direction(rng);
        let capsule = Capsule {
            center: [0.0; 3],
            half_axis: narrow(half_axis),
            radius: half_extents(rng, thin)[0] as f32,
        };
        (capsule, half_axis)
    }
    fn numbers(&self) -> Vec<f32> {
        [&self.center[..], &self.half_axis, &[self.radius]].concat()
    }
    fn of(numbers: &[f32]) -> Self {
        Capsule {
            center: triple(numbers),
            half_axis: triple(&numbers[3..]),
            radius: numbers[6].abs(),
        }
    }
}

impl Climber for Aabb {
    fn random(rng: &mut StdRng) -> Self {
        let center = narrow(vector(rng, 1.0));
        Aabb::from_center_half_extents(center, narrow(half_extents(rng, 1.0)))
    }
    fn tiny(rng: &mut StdRng, at: V, small: f64) -> Self {
        let center = narrow(add(at, vector(rng, small)));
        Aabb::from_center_half_extents(center, narrow(half_extents(rng, small)))
    }
    fn long(rng: &mut StdRng, thin: f64) -> (Self, V) {
        let mut extents = half_extents(rng, thin);
        extents[0] = 1.0;
        let aabb = Aabb::from_center_half_extents([0.0; 3], narrow(extents));
        (aabb, [1.0, 0.0, 0.0])
    }
    fn numbers(&self) -> Vec<f32> {
        [self.min, self.max].concat()
    }
    fn of(numbers: &[f32]) -> Self {
        let (p, q) = (triple(numbers), triple(&numbers[3..]));
        Aabb {
            min: std::array::from_fn(|k| p[k].min(q[k])),
            max: std::array::from_fn(|k| p[k].max(q[k])),
        }
    }
}

impl Climber for Obb {
    fn random(rng: &mut StdRng) -> Self {
        Obb {
            center: narrow(vector(rng, 1.0)),
            half_extents: narrow(half_extents(rng, 1.0)),
            rotation: any_turn(rng).map(|x| x as f32),
        }
    }
    fn tiny(rng: &mut StdRng, at: V, small: f64) -> Self {
        Obb {
            center: narrow(add(at, vector(rng, small))),
            half_extents: narrow(half_extents(rng, small)),
            rotation: any_turn(rng).map(|x| x as f32),
        }
    }
    fn long(rng: &mut StdRng, thin: f64) -> (Self, V) {
        let mut half_extents = half_extents(rng, thin);
        half_extents[0] = 1.0;
        // Along an axis of the world, or random.
        let rotation = if rng.random_bool(0.5) {
            [0.0, 0.0, 0.0, 1.0]
        } else {
            any_turn(rng)
        };
        let obb = Obb {
            center: [0.0; 3],
            half_extents: narrow(half_extents),
            rotation: rotation.map(|x| x as f32),
        };
        (obb, obb.solid().generators[0])
    }
    fn numbers(&self) -> Vec<f32> {
        [&self.center[..], &self.half_extents, &self.rotation].concat()
    }
    fn of(numbers: &[f32]) -> Self {
        Obb {
            center: triple(numbers),
            half_extents: triple(&numbers[3..]).map(f32::abs),
            rotation: [numbers[6], numbers[7], numbers[8], numbers[9]],
        }
    }
}
