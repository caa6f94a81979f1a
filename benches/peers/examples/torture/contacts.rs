//! Contacts of nearly aligned boxes, and their errors.
//!
//! Boxes touch with flush faces, edges and corners, and are rotated relative to each other by nothing, by 90° or 45°,
//! by 10⁻⁹ to 0.1 rad, or by both. Some are thin, and half extents are from 0.01 to 100. The reference is
//! `oracle::minkowski`, in `f64`: for boxes that touch, the greatest gap along the fifteen axes.

use std::f64::consts::PI;

use parry3d::query::details::contact_manifold_cuboid_cuboid;
use parry3d::query::{ContactManifold, contact};
use parry3d::shape::Cuboid;
use phalanx::traits::Collide;
use phalanx::{Aabb, Contacts, Detector, Obb, Pairs, Store};
use phalanx_bench::convert::Posed;
use rand::RngExt;
use rand::rngs::StdRng;
use rayon::prelude::*;

use crate::common::rng;
use crate::oracle::minkowski::{Round, Solid, V, add, cross, dot, length, sub, times};
use crate::run::{Shard, shards};

/// Name on the command line.
pub const NAME: &str = "obb_obb_contact";

/// Error, relative to a pair's size, above which a result is wrong.
const WRONG: f64 = 1e-3;
/// Number of broken promises that a shard keeps to print.
const KEPT: usize = 3;
/// Number of pairs of a call.
const BATCH: usize = 1000;

/// Outcome of cases, by library.
#[derive(Default)]
pub struct Outcome {
    phalanx: [Tally; 3],
    manifold: Tally,
    query: Tally,
    /// The first cases with a wrong result of phalanx.
    pub broken: Vec<String>,
}

/// Numbers of errors of a library, and the largest ones.
#[derive(Clone, Copy, Default)]
struct Tally {
    cases: usize,
    touching: usize,
    /// Wrong separations.
    separation: usize,
    /// Normals along which separating the boxes takes a longer displacement.
    normal: usize,
    /// Contacts with a point off the surface of either box.
    points: usize,
    /// Touching pairs without a point.
    without: usize,
    /// Largest error, in sizes.
    worst_separation: f64,
    worst_normal: f64,
    worst_point: f64,
}

/// A contact reported by a library.
struct Said {
    separation: f64,
    normal: V,
    /// On the surface of either box, from the center of the first.
    points: Vec<[V; 2]>,
}

impl Tally {
    /// Counts a contact. Returns whether it is right.
    fn add(&mut self, truth: &Truth, said: Option<&Said>) -> bool {
        let Truth { size, gap, .. } = *truth;
        self.cases += 1;
        self.touching += usize::from(gap <= 0.0);
        let mut is_right = true;
        let mut judge = |off: f64, worst: &mut f64, wrong: &mut usize| {
            // NaN also counts as wrong.
            let off = if off.is_nan() {
                f64::INFINITY
            } else {
                off / size
            };
            *worst = worst.max(off);
            *wrong += usize::from(off > WRONG);
            is_right &= off <= WRONG;
        };
        match said {
            // A miss at the last ulp is no error.
            None => judge(-gap, &mut self.worst_separation, &mut self.without),
            Some(said) => {
                let unit = times(said.normal, 1.0 / length(said.normal));
                let along = truth.apart.along(unit);
                judge(
                    (said.separation - gap).abs(),
                    &mut self.worst_separation,
                    &mut self.separation,
                );
                judge(gap - along, &mut self.worst_normal, &mut self.normal);
                let off = said.points.iter().map(|point| truth.off(point));
                let off = off.fold(
                    0.0,
                    |worst: f64, off| {
                        if off.is_nan() { off } else { worst.max(off) }
                    },
                );
                judge(off, &mut self.worst_point, &mut self.points);
                if said.points.is_empty() {
                    judge(-gap, &mut 0.0, &mut self.without);
                }
            }
        }
        is_right
    }

    fn merge(self, other: Tally) -> Tally {
        Tally {
            cases: self.cases + other.cases,
            touching: self.touching + other.touching,
            separation: self.separation + other.separation,
            normal: self.normal + other.normal,
            points: self.points + other.points,
            without: self.without + other.without,
            worst_separation: self.worst_separation.max(other.worst_separation),
            worst_normal: self.worst_normal.max(other.worst_normal),
            worst_point: self.worst_point.max(other.worst_point),
        }
    }
}

/// A pair with the reference of the oracle.
struct Truth {
    solids: [Solid; 2],
    /// The reference of points.
    reference: V,
    apart: Solid,
    /// All lengths of the pair.
    size: f64,
    gap: f64,
}

impl Truth {
    fn new(a: &impl Round, b: &impl Round) -> Self {
        let solids = [a.solid(), b.solid()];
        let apart = solids[1].less(&solids[0]);
        let offset = sub(solids[1].center, solids[0].center);
        let size =
            offset.iter().map(|x| x.abs()).sum::<f64>() + solids[0].size() + solids[1].size();
        let gap = gap(&solids, &apart);
        Truth {
            reference: a.reference(),
            solids,
            apart,
            size,
            gap,
        }
    }

    /// Largest distance of the two positions of a point from the surfaces.
    fn off(&self, point: &[V; 2]) -> f64 {
        let off = |k: usize| {
            let solid = &self.solids[k];
            from_surface(solid, sub(add(self.reference, point[k]), solid.center))
        };
        let (on_a, on_b) = (off(0), off(1));
        if on_a.is_nan() { on_a } else { on_b.max(on_a) }
    }
}

/// The greatest gap along the fifteen axes.
fn gap([a, b]: &[Solid; 2], apart: &Solid) -> f64 {
    let mut widest = f64::NEG_INFINITY;
    let mut see = |axis: V| {
        let long = length(axis);
        if long > 1e-14 {
            let unit = times(axis, 1.0 / long);
            widest = widest
                .max(apart.along(unit))
                .max(apart.along(times(unit, -1.0)));
        }
    };
    let units = |solid: &Solid| -> Vec<V> {
        let unit = |g: &V| times(*g, 1.0 / length(*g));
        solid.generators.iter().map(unit).collect()
    };
    let (of_a, of_b) = (units(a), units(b));
    of_a.iter().chain(&of_b).for_each(|&axis| see(axis));
    for &x in &of_a {
        of_b.iter().for_each(|&y| see(cross(x, y)));
    }
    widest
}

/// Distance of a point from the surface of a box, given relative to its center.
fn from_surface(solid: &Solid, point: V) -> f64 {
    let beyond = |g: &V| {
        let long = length(*g);
        dot(point, *g).abs() / long - long
    };
    let beyond: Vec<f64> = solid.generators.iter().map(beyond).collect();
    let deepest = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if deepest <= 0.0 {
        return -deepest;
    }
    beyond
        .iter()
        .map(|x| x.max(0.0).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// Runs all cases.
pub fn torture(cases: usize) -> Outcome {
    shards(cases)
        .into_par_iter()
        .with_max_len(1)
        .map(shard)
        .reduce_with(Outcome::merge)
        .unwrap_or_default()
}

impl Outcome {
    fn merge(mut self, other: Outcome) -> Outcome {
        self.broken.extend(other.broken);
        let [x, y, z] = self.phalanx;
        let [p, q, r] = other.phalanx;
        Outcome {
            phalanx: [x.merge(p), y.merge(q), z.merge(r)],
            manifold: self.manifold.merge(other.manifold),
            query: self.query.merge(other.query),
            broken: self.broken,
        }
    }
}

fn shard(shard: Shard) -> Outcome {
    let mut rng = rng(&format!("{NAME} {}", shard.number));
    let mut outcome = Outcome::default();
    let mut left = shard.cases;
    while left > 0 {
        let pairs: Vec<_> = (0..left.min(BATCH))
            .map(|_| Case::random(&mut rng))
            .collect();
        left -= pairs.len();
        let Outcome {
            phalanx: [obbs, mixed, aabbs],
            manifold,
            query,
            broken,
        } = &mut outcome;

        let of_obbs = pairs.iter().map(|case| (case.a, case.b));
        ask_phalanx(of_obbs, obbs, broken);
        let of_mixed = pairs.iter().filter(|case| case.is_straight(&case.a));
        let of_mixed = of_mixed.map(|case| (straight(&case.a), case.b));
        ask_phalanx(of_mixed, mixed, broken);
        let of_aabbs = pairs
            .iter()
            .filter(|case| case.is_straight(&case.a) && case.is_straight(&case.b));
        let of_aabbs = of_aabbs.map(|case| (straight(&case.a), straight(&case.b)));
        ask_phalanx(of_aabbs, aabbs, broken);

        for Case { a, b } in &pairs {
            let truth = Truth::new(a, b);
            manifold.add(&truth, ask_manifold(a, b).as_ref());
            query.add(&truth, ask_query(a, b).as_ref());
        }
    }
    outcome
}

/// Two boxes.
#[derive(Clone, Copy, Debug)]
struct Case {
    a: Obb,
    b: Obb,
}

impl Case {
    fn random(rng: &mut StdRng) -> Self {
        let scale = power(rng, -2.0..2.0);
        // Often equal.
        let scales = if rng.random_bool(0.5) {
            [scale; 2]
        } else {
            [scale, power(rng, -2.0..2.0)]
        };
        let mut half_extents = scales.map(|scale| extents(rng, scale));
        if rng.random_bool(0.2) {
            half_extents[1] = half_extents[0];
        }
        let whole = match rng.random_range(0..3) {
            0 => [0.0, 0.0, 0.0, 1.0],
            1 => axis_turn(rng, PI / 2.0),
            _ => any_turn(rng),
        };
        let turn = match rng.random_range(0..8) {
            0 | 1 => [0.0, 0.0, 0.0, 1.0],
            2 => axis_turn(rng, PI / 2.0),
            3 => axis_turn(rng, PI / 4.0),
            4 => {
                let angle = power(rng, -9.0..-1.0);
                axis_turn(rng, angle)
            }
            5 | 6 => {
                let angle = power(rng, -9.0..-1.0);
                let turn = about_any(rng, angle);
                product(axis_turn(rng, PI / 2.0), turn)
            }
            _ => any_turn(rng),
        };
        let b_from_a = rotation(turn);
        let reach: V = std::array::from_fn(|i| {
            (0..3)
                .map(|j| b_from_a[j][i].abs() * half_extents[1][j])
                .sum()
        });
        // Contact along the axes of a: faces, edges or corners.
        let touching: u32 = rng.random_range(1..8);
        let depth = match rng.random_range(0..4) {
            0 => 0.0,
            1 => -power(rng, -8.0..-3.0),
            _ => power(rng, -8.0..0.0),
        };
        let offset: V = std::array::from_fn(|k| {
            let (a, b) = (half_extents[0][k], reach[k]);
            let along = if touching >> k & 1 == 1 {
                (a + b) - depth * a.min(b)
            } else {
                match rng.random_range(0..4) {
                    0 => 0.0,
                    // Flush edges.
                    1 => (a - b).abs(),
                    _ => (a + b) * rng.random_range(0.0..1.0f64),
                }
            };
            if rng.random_bool(0.5) { along } else { -along }
        });
        let axes = rotation(whole);
        let offset = (0..3).fold([0.0; 3], |sum, k| add(sum, times(axes[k], offset[k])));
        let center: V = if rng.random_bool(0.5) {
            [0.0; 3]
        } else {
            [(); 3].map(|()| rng.random_range(-1.0..1.0) * scales[0])
        };
        let obb = |center: V, half_extents: V, rotation: [f64; 4]| Obb {
            center: center.map(|x| x as f32),
            half_extents: half_extents.map(|x| x as f32),
            rotation: rotation.map(|x| x as f32),
        };
        Case {
            a: obb(center, half_extents[0], whole),
            b: obb(add(center, offset), half_extents[1], product(whole, turn)),
        }
    }

    fn is_straight(&self, obb: &Obb) -> bool {
        obb.rotation == [0.0, 0.0, 0.0, 1.0]
    }
}

fn straight(obb: &Obb) -> Aabb {
    Aabb::from_center_half_extents(obb.center, obb.half_extents)
}

/// Ten to some power.
pub fn power(rng: &mut StdRng, exponents: std::ops::Range<f64>) -> f64 {
    10f64.powf(rng.random_range(exponents))
}

/// A cube, any box, or a thin one, from 0.01 to 100.
pub fn extents(rng: &mut StdRng, scale: f64) -> V {
    let kind = rng.random_range(0..3);
    let thin = power(rng, -3.0..0.0);
    let is_thin: u32 = rng.random_range(1..7);
    std::array::from_fn(|k| {
        let x = match kind {
            0 => scale,
            1 => scale * rng.random_range(0.2..1.0),
            _ if is_thin >> k & 1 == 1 => scale * thin,
            _ => scale,
        };
        x.clamp(0.01, 100.0)
    })
}

pub type Quaternion = [f64; 4];

pub fn turn_about(axis: V, angle: f64) -> Quaternion {
    let [x, y, z] = times(axis, (angle / 2.0).sin() / length(axis));
    [x, y, z, (angle / 2.0).cos()]
}

/// A rotation about a coordinate axis.
pub fn axis_turn(rng: &mut StdRng, angle: f64) -> Quaternion {
    let k = rng.random_range(0..3);
    turn_about(std::array::from_fn(|i| f64::from(i == k)), angle)
}

pub fn about_any(rng: &mut StdRng, angle: f64) -> Quaternion {
    let axis = [(); 3].map(|()| rng.random_range(-1.0..1.0));
    turn_about(add(axis, [1e-3; 3]), angle)
}

pub fn any_turn(rng: &mut StdRng) -> Quaternion {
    let angle = rng.random_range(0.0..PI);
    about_any(rng, angle)
}

pub fn product([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion) -> Quaternion {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The axes of a rotated box.
fn rotation(turn: Quaternion) -> [V; 3] {
    let unit = Obb {
        half_extents: [1.0; 3],
        rotation: turn.map(|x| x as f32),
        ..Obb::default()
    };
    let generators = unit.solid().generators;
    [generators[0], generators[1], generators[2]]
}

/// Counts the results of phalanx, and keeps the wrong ones.
fn ask_phalanx<A, B>(
    pairs: impl Iterator<Item = (A, B)>,
    tally: &mut Tally,
    broken: &mut Vec<String>,
) where
    A: Round + Collide<B>,
    B: Round + phalanx::traits::Shape,
{
    let (mut a, mut b) = (Store::<A>::new(), Store::<B>::new());
    let pairs: Vec<_> = pairs.collect();
    for &(shape_a, shape_b) in &pairs {
        a.push(shape_a);
        b.push(shape_b);
    }
    let mut contacts = Contacts::new();
    Detector::new()
        .parallel(false)
        .contact(&a, &b, Pairs::zip(), &mut contacts)
        .expect("the stores are as long as one another");
    for (position, (a, b)) in pairs.iter().enumerate() {
        let said = contacts.get(position);
        let in_general = said.map(|contact| {
            let normal = contact.normal.map(f64::from);
            let points = contact.points().iter().map(|point| {
                let half = times(normal, f64::from(point.separation) / 2.0);
                let at = point.at.map(f64::from);
                [sub(at, half), add(at, half)]
            });
            Said {
                separation: contact.separation.into(),
                normal,
                points: points.collect(),
            }
        });
        let truth = Truth::new(a, b);
        let is_right = tally.add(&truth, in_general.as_ref());
        // A touching pair has a point, also at the last ulp.
        let has_point = said.is_some_and(|contact| !contact.points().is_empty());
        if !(is_right && (has_point || truth.gap > 0.0)) && broken.len() < KEPT {
            broken.push(format!(
                "{NAME}: {said:?}; {a:?}; {b:?}; {} apart",
                truth.gap
            ));
        }
    }
}

fn from_parry(v: parry3d::math::Vector) -> V {
    v.to_array().map(f64::from)
}

fn ask_manifold(a: &Obb, b: &Obb) -> Option<Said> {
    let (p, q): (Posed<Cuboid>, Posed<Cuboid>) = ((*a).into(), (*b).into());
    let apart = p.pose.inv_mul(&q.pose);
    let mut manifold = ContactManifold::<(), ()>::new();
    contact_manifold_cuboid_cuboid(&apart, &p.shape, &q.shape, 0.0, &mut manifold);
    let deepest = manifold.find_deepest_contact()?;
    // The points are in the axes of their boxes.
    let axes = [a, b].map(|obb| rotation(obb.rotation.map(f64::from)));
    let turned = |k: usize, v: V| (0..3).fold([0.0; 3], |sum, i| add(sum, times(axes[k][i], v[i])));
    let between = sub(b.center.map(f64::from), a.center.map(f64::from));
    let points = manifold.points.iter().map(|point| {
        let on_b = turned(1, from_parry(point.local_p2));
        [turned(0, from_parry(point.local_p1)), add(between, on_b)]
    });
    Some(Said {
        separation: deepest.dist.into(),
        normal: turned(0, from_parry(manifold.local_n1)),
        points: points.collect(),
    })
}

fn ask_query(a: &Obb, b: &Obb) -> Option<Said> {
    let (p, q): (Posed<Cuboid>, Posed<Cuboid>) = ((*a).into(), (*b).into());
    let said = contact(&p.pose, &p.shape, &q.pose, &q.shape, 0.0);
    let said = said.expect("parry3d supports cuboids")?;
    let from = a.center.map(f64::from);
    Some(Said {
        separation: said.dist.into(),
        normal: from_parry(said.normal1),
        points: vec![[said.point1, said.point2].map(|point| sub(from_parry(point), from))],
    })
}

/// Prints the outcome as Markdown.
pub fn print(outcome: &Outcome) {
    println!(
        "\nContacts of boxes: what is off by more than {WRONG} of all lengths of a pair, and the most that \
         anything was.\n"
    );
    println!(
        "| who | cases | touching | separation | normal | points | no point | worst separation | \
         worst normal | worst point |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let [obbs, mixed, aabbs] = &outcome.phalanx;
    let rows = [
        ("**phalanx** `Obb`, `Obb`", obbs),
        ("**phalanx** `Aabb`, `Obb`", mixed),
        ("**phalanx** `Aabb`, `Aabb`", aabbs),
        ("parry3d contact_manifold_cuboid_cuboid", &outcome.manifold),
        ("parry3d contact", &outcome.query),
    ];
    for (who, tally) in rows {
        let Tally {
            cases,
            touching,
            separation,
            normal,
            points,
            without,
            worst_separation,
            worst_normal,
            worst_point,
        } = tally;
        println!(
            "| {who} | {cases} | {touching} | {separation} | {normal} | {points} | {without} | \
             {worst_separation:.1e} | {worst_normal:.1e} | {worst_point:.1e} |"
        );
    }
}
