//! Rotating boxes that nearly graze each other, and the errors of their reported times of impact.
//!
//! A pair is moved, along its axis of deepest penetration, to where its least gap in the frame is 0, or 10⁻⁶, 10⁻⁴,
//! 10⁻² or 10⁻¹ of its scale to either side. The scale, the longest half extent of two boxes, is from 0.01 to 100;
//! lengths are relative to the scale. Among the pairs are thin rods, boxes that spin in place, boxes that land flat or
//! with nearly parallel edges, and turns of up to π.
//!
//! The reference is in `f64`: the gap along the fifteen axes, at 97 times, and its minimum between them by golden
//! sections. Each reported error is proven by the gap at one time; a contact that the reference overlooks does not
//! count. Gaps below 10⁻⁸ of the scale are not judged.
//!
//! `sweep_time_of_impact` has a different motion, between two poses. It gets the same boxes, moved until they graze in
//! that motion, and is judged by that motion. Its slop, 0.005 for boxes about 1 across, grows with the scale.

use std::f64::consts::PI;
use std::fmt::Write;

use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::sweep_toi::{Sweep, SweepToiStatus, ToiProxy, sweep_time_of_impact};
use parry3d::query::{NonlinearRigidMotion, ShapeCastStatus, cast_shapes_nonlinear};
use parry3d::shape::Cuboid;
use phalanx::{Detector, Impacts, Obb, Obbs, Pairs};
use phalanx_bench::convert::Posed;
use rand::RngExt;
use rand::rngs::StdRng;
use rayon::prelude::*;

use crate::common::rng;
use crate::contacts::{
    Quaternion, about_any, any_turn, axis_turn, extents, power, product, turn_about,
};
use crate::oracle::minkowski::{V, add, dot, length, sub, times};
use crate::run::{Shard, shards};

/// Name on the command line.
pub const NAME: &str = "obb_obb_impact";

/// Tolerances of phalanx, in scales.
const TOLERANCES: [f32; 3] = [1e-2, 1e-3, 1e-4];
/// Slop of Box2D and of Rapier, in scales.
const SLOP: f32 = 5e-3;
/// Penetration above which a miss or a late time is serious, in scales.
const DEEP: f64 = 1e-3;
/// Gap at the reported time above which a pair is reported early, in scales.
const EARLY: f64 = 1e-2;
/// Gap below which a pair is not judged, in scales.
const UNCERTAIN: f64 = 1e-8;
/// Penetration or gap of the placed pairs, in scales.
const GRAZES: [f64; 5] = [0.0, 1e-6, 1e-4, 1e-2, 1e-1];
/// Number of broken promises that a shard keeps to print.
const KEPT: usize = 3;
/// Number of pairs that share a scale.
const BATCH: usize = 500;

/// Outcome of cases, by library.
#[derive(Default)]
pub struct Outcome {
    phalanx: [Tally; TOLERANCES.len()],
    nonlinear: Tally,
    sweep: Tally,
    /// The first cases in which phalanx broke a promise.
    pub broken: Vec<String>,
}

/// Numbers of errors of a library, and the largest ones.
#[derive(Clone, Copy, Default)]
struct Tally {
    cases: usize,
    /// Pairs that touch in the frame.
    touching: usize,
    /// Touching pairs reported as misses.
    missed: usize,
    /// Missed pairs with deep penetration.
    missed_deep: usize,
    /// Deepest penetration of a missed pair.
    deepest_missed: f64,
    /// Pairs that penetrate deeply before or at their reported time.
    late: usize,
    /// Deepest penetration of a pair until its reported time.
    deepest_late: f64,
    early: usize,
    /// Times that the library itself marks as not found.
    given_up: usize,
}

/// Time of impact reported by a library.
#[derive(Clone, Copy, Debug)]
pub struct Said {
    /// `None` for a miss.
    pub time: Option<f64>,
    given_up: bool,
}

impl Tally {
    /// Counts a result. Returns the deepest penetration until its time, in scales.
    fn add(&mut self, truth: &Truth, scale: f64, said: Said) -> f64 {
        self.cases += 1;
        let deepest = -truth.least() / scale;
        let touches = deepest > UNCERTAIN;
        self.touching += usize::from(touches);
        self.given_up += usize::from(said.given_up);
        let Some(time) = said.time else {
            if touches {
                self.missed += 1;
                self.missed_deep += usize::from(deepest > DEEP);
                self.deepest_missed = self.deepest_missed.max(deepest);
            }
            return deepest;
        };
        let before = -truth.least_until(time) / scale;
        // Boxes that penetrate at the start are not judged by time.
        if truth.start > 0.0 && time > 0.0 {
            self.late += usize::from(before > DEEP);
            self.deepest_late = self.deepest_late.max(before);
        }
        let apart = truth.scene.gap(time) / scale;
        self.early += usize::from(apart > EARLY);
        before
    }

    fn merge(self, other: Tally) -> Tally {
        Tally {
            cases: self.cases + other.cases,
            touching: self.touching + other.touching,
            missed: self.missed + other.missed,
            missed_deep: self.missed_deep + other.missed_deep,
            deepest_missed: self.deepest_missed.max(other.deepest_missed),
            late: self.late + other.late,
            deepest_late: self.deepest_late.max(other.deepest_late),
            early: self.early + other.early,
            given_up: self.given_up + other.given_up,
        }
    }
}

/// Rotation of a box during the frame.
#[derive(Clone, Copy, Debug)]
pub enum Turn {
    /// Uniformly, by a rotation vector.
    By(V),
    /// To another rotation, through normalised means.
    To(Quaternion),
}

/// A box in motion.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub half_extents: V,
    pub center: V,
    pub rotation: Quaternion,
    pub displacement: V,
    pub turn: Turn,
}

fn unit(q: Quaternion) -> Quaternion {
    let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    q.map(|x| x / length)
}

/// The quaternion of a rotation vector.
fn exponential(by: V) -> Quaternion {
    let angle = length(by);
    if angle == 0.0 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    turn_about(by, angle)
}

fn axes(rotation: Quaternion) -> [V; 3] {
    let [x, y, z, w] = unit(rotation);
    let (xx, yy, zz) = (x * x, y * y, z * z);
    let (xy, xz, yz) = (x * y, x * z, y * z);
    let (wx, wy, wz) = (w * x, w * y, w * z);
    [
        [1.0 - 2.0 * (yy + zz), 2.0 * (xy + wz), 2.0 * (xz - wy)],
        [2.0 * (xy - wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz + wx)],
        [2.0 * (xz + wy), 2.0 * (yz - wx), 1.0 - 2.0 * (xx + yy)],
    ]
}

impl Body {
    pub fn axes_at(&self, time: f64) -> [V; 3] {
        axes(match self.turn {
            Turn::By(by) => product(exponential(times(by, time)), self.rotation),
            Turn::To(end) => {
                let from = self.rotation;
                let cosine: f64 = (0..4).map(|k| from[k] * end[k]).sum();
                let from = if cosine < 0.0 { from.map(|x| -x) } else { from };
                std::array::from_fn(|k| from[k] * (1.0 - time) + end[k] * time)
            }
        })
    }

    pub fn center_at(&self, time: f64) -> V {
        add(self.center, times(self.displacement, time))
    }

    /// Rounds to `f32`.
    fn rounded(self) -> Self {
        let round = |v: V| v.map(|x| f64::from(x as f32));
        let rotation = |q: Quaternion| q.map(|x| f64::from(x as f32));
        Body {
            half_extents: round(self.half_extents),
            center: round(self.center),
            rotation: rotation(self.rotation),
            displacement: round(self.displacement),
            turn: match self.turn {
                Turn::By(by) => Turn::By(round(by)),
                // In a sweep the means use the given quaternions, of any length.
                Turn::To(end) => Turn::To(rotation(end)),
            },
        }
    }

    pub fn obb(&self) -> Obb {
        Obb {
            center: self.center.map(|x| x as f32),
            half_extents: self.half_extents.map(|x| x as f32),
            rotation: self.rotation.map(|x| x as f32),
        }
    }

    pub fn displacement(&self) -> [f32; 3] {
        self.displacement.map(|x| x as f32)
    }

    pub fn turn(&self) -> [f32; 3] {
        match self.turn {
            Turn::By(by) => by.map(|x| x as f32),
            Turn::To(_) => unreachable!("phalanx turns boxes evenly"),
        }
    }
}

/// Two boxes in motion.
#[derive(Clone, Copy, Debug)]
pub struct Scene {
    pub a: Body,
    pub b: Body,
}

/// A gap along an axis.
#[derive(Clone, Copy)]
struct Gap {
    gap: f64,
    /// Axis from the first box to the second.
    axis: V,
}

impl Scene {
    /// Rounds all numbers to `f32`.
    pub fn rounded(self) -> Self {
        Scene {
            a: self.a.rounded(),
            b: self.b.rounded(),
        }
    }

    pub fn gap(&self, time: f64) -> f64 {
        self.gap_of_grown(time, 0.0)
    }

    /// The gap if the first box is grown along its axes.
    fn gap_of_grown(&self, time: f64, by: f64) -> f64 {
        let mut widest = f64::NEG_INFINITY;
        self.see(time, by, |gap, _| widest = widest.max(gap));
        widest
    }

    fn widest(&self, time: f64) -> Gap {
        let mut widest = Gap {
            gap: f64::NEG_INFINITY,
            axis: [0.0; 3],
        };
        self.see(time, 0.0, |gap, axis| {
            if gap > widest.gap {
                widest = Gap { gap, axis: axis() };
            }
        });
        widest
    }

    /// Yields the gap along each axis.
    fn see(&self, time: f64, grown: f64, mut gap: impl FnMut(f64, &dyn Fn() -> V)) {
        let (of_a, of_b) = (self.a.axes_at(time), self.b.axes_at(time));
        let p = sub(self.b.center_at(time), self.a.center_at(time));
        let (ha, hb) = (self.a.half_extents.map(|x| x + grown), self.b.half_extents);
        let r: [V; 3] = of_a.map(|x| of_b.map(|y| dot(x, y)));
        let (pa, pb) = (of_a.map(|x| dot(x, p)), of_b.map(|y| dot(y, p)));
        let ahead = |axis: V| {
            if dot(axis, p) < 0.0 {
                times(axis, -1.0)
            } else {
                axis
            }
        };
        for i in 0..3 {
            let reach: f64 = (0..3).map(|j| hb[j] * r[i][j].abs()).sum();
            gap(pa[i].abs() - ha[i] - reach, &|| ahead(of_a[i]));
            let reach: f64 = (0..3).map(|j| ha[j] * r[j][i].abs()).sum();
            gap(pb[i].abs() - hb[i] - reach, &|| ahead(of_b[i]));
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let long = r[i1][j].hypot(r[i2][j]);
                let axis = || {
                    let along = sub(times(of_a[i2], r[i1][j]), times(of_a[i1], r[i2][j]));
                    times(along, 1.0 / length(along))
                };
                if long > 1e-5 {
                    let along = (r[i1][j] * pa[i2] - r[i2][j] * pa[i1]).abs();
                    let reach_a = ha[i1] * r[i2][j].abs() + ha[i2] * r[i1][j].abs();
                    let reach_b = hb[j1] * r[i][j2].abs() + hb[j2] * r[i][j1].abs();
                    gap((along - reach_a - reach_b) / long, &|| ahead(axis()));
                } else if long > 1e-12 {
                    // Its direction is inaccurate; the gap along the computed direction is not.
                    let n = axis();
                    let reach: f64 = (0..3)
                        .map(|k| ha[k] * dot(of_a[k], n).abs() + hb[k] * dot(of_b[k], n).abs())
                        .sum();
                    gap(dot(n, p).abs() - reach, &|| ahead(n));
                }
            }
        }
    }

    /// The local minima of the gap, including the ends of the frame: time and gap.
    fn lows(&self, samples: usize) -> Vec<[f64; 2]> {
        let at = |k: usize| k as f64 / samples as f64;
        let gaps: Vec<f64> = (0..=samples).map(|k| self.gap(at(k))).collect();
        let mut lows = vec![[0.0, gaps[0]], [1.0, gaps[samples]]];
        for k in 0..=samples {
            let (before, after) = (k.saturating_sub(1), (k + 1).min(samples));
            if gaps[k] <= gaps[before] && gaps[k] <= gaps[after] {
                lows.push(self.golden(at(before), at(after)));
            }
        }
        lows
    }

    fn golden(&self, mut from: f64, mut to: f64) -> [f64; 2] {
        let ratio = (5f64.sqrt() - 1.0) / 2.0;
        let (mut x, mut y) = (to - ratio * (to - from), from + ratio * (to - from));
        let (mut at_x, mut at_y) = (self.gap(x), self.gap(y));
        // Until the interval is about 10⁻⁹ of the frame.
        for _ in 0..36 {
            if at_x < at_y {
                (to, y, at_y) = (y, x, at_x);
                x = to - ratio * (to - from);
                at_x = self.gap(x);
            } else {
                (from, x, at_x) = (x, y, at_y);
                y = from + ratio * (to - from);
                at_y = self.gap(y);
            }
        }
        if at_x < at_y { [x, at_x] } else { [y, at_y] }
    }

    /// Moves the second box so that the least gap is `target`, if such a position is found.
    fn placed(mut self, target: f64, scale: f64) -> Option<Scene> {
        let near = (0.02 * target.abs()).max(1e-8 * scale);
        for _ in 0..12 {
            let lows = self.lows(32);
            let low = lows.into_iter().min_by(|x, y| x[1].total_cmp(&y[1]))?;
            if (low[1] - target).abs() <= near {
                return Some(self.rounded());
            }
            let Gap { gap, axis } = self.widest(low[0]);
            self.b.center = add(self.b.center, times(axis, target - gap));
        }
        None
    }

    /// Replaces uniform rotations by rotations between two poses.
    fn between_poses(self) -> Scene {
        let between = |body: Body| {
            let Turn::By(by) = body.turn else { return body };
            Body {
                turn: Turn::To(product(exponential(by), body.rotation)),
                ..body
            }
        };
        Scene {
            a: between(self.a),
            b: between(self.b),
        }
    }

    /// All lengths.
    fn lengths(&self) -> f64 {
        let sum = |v: V| v.iter().map(|x| x.abs()).sum::<f64>();
        let (offset, way) = (
            sub(self.b.center, self.a.center),
            sub(self.b.displacement, self.a.displacement),
        );
        sum(offset) + sum(way) + sum(self.a.half_extents) + sum(self.b.half_extents)
    }
}

/// Reference of two boxes in the frame.
struct Truth {
    scene: Scene,
    start: f64,
    lows: Vec<[f64; 2]>,
}

impl Truth {
    fn new(scene: Scene) -> Self {
        Truth {
            scene,
            start: scene.gap(0.0),
            lows: scene.lows(96),
        }
    }

    /// The least gap of all.
    fn least(&self) -> f64 {
        let gaps = self.lows.iter().map(|low| low[1]);
        gaps.fold(f64::INFINITY, f64::min)
    }

    fn least_until(&self, time: f64) -> f64 {
        let before = self.lows.iter().filter(|low| low[0] < time);
        before
            .map(|low| low[1])
            .fold(self.scene.gap(time), f64::min)
    }
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
        Outcome {
            phalanx: std::array::from_fn(|k| self.phalanx[k].merge(other.phalanx[k])),
            nonlinear: self.nonlinear.merge(other.nonlinear),
            sweep: self.sweep.merge(other.sweep),
            broken: self.broken,
        }
    }
}

fn shard(shard: Shard) -> Outcome {
    let mut rng = rng(&format!("{NAME} {}", shard.number));
    let mut outcome = Outcome::default();
    let mut left = shard.cases;
    while left > 0 {
        let scale = power(&mut rng, -2.0..2.0);
        let (mut even, mut between) = (Vec::new(), Vec::new());
        while even.len() < left.min(BATCH) {
            let scene = random(&mut rng, scale);
            let side = if rng.random_bool(0.7) { -1.0 } else { 1.0 };
            let target = side * GRAZES[rng.random_range(0..GRAZES.len())] * scale;
            if let Some(scene) = scene.placed(target, scale) {
                even.push(Truth::new(scene));
            }
            if let Some(scene) = scene.between_poses().placed(target, scale) {
                between.push(Truth::new(scene));
            }
        }
        left -= even.len();
        ask_phalanx(&even, scale, &mut outcome);
        for truth in &even {
            let said = ask_nonlinear(&truth.scene);
            outcome.nonlinear.add(truth, scale, said);
        }
        for truth in &between {
            let said = ask_sweep(&truth.scene, scale);
            outcome.sweep.add(truth, scale, said);
        }
    }
    outcome
}

/// Two boxes that come near each other at some time.
fn random(rng: &mut StdRng, scale: f64) -> Scene {
    // Often equal, and one of them is as long as the scale.
    let other = scale * power(rng, -2.0..0.0);
    let scales = match rng.random_range(0..4) {
        0 => [other, scale],
        1 => [scale, other],
        _ => [scale; 2],
    };
    let mut half_extents = scales.map(|scale| extents(rng, scale));
    let kind = rng.random_range(0..6);
    let thin = power(rng, -2.5..-1.0);
    if kind == 0 {
        // Rods.
        half_extents = scales.map(|scale| {
            let long = rng.random_range(0..3);
            std::array::from_fn(|k| if k == long { scale } else { scale * thin })
        });
    }

    let most = match kind {
        5 => PI * (1.0 - 1e-6),
        _ => power(rng, -2.0..0.4),
    };
    let mut turns = [(); 2].map(|()| {
        let long = match kind {
            5 => most,
            _ => most * rng.random_range(0.0..1.0),
        };
        let axis = [(); 3].map(|()| rng.random_range(-1.0..1.0));
        let axis = add(axis, [1e-3; 3]);
        times(axis, long / length(axis))
    });
    match rng.random_range(0..3) {
        0 => turns[rng.random_range(0..2)] = [0.0; 3],
        1 => {
            // About a coordinate axis.
            let k = rng.random_range(0..3);
            turns[1] = std::array::from_fn(|i| if i == k { most } else { 0.0 });
        }
        _ => {}
    }

    // Poses at the time of contact.
    let time = rng.random_range(0.0..1.0);
    let whole = match rng.random_range(0..3) {
        0 => [0.0, 0.0, 0.0, 1.0],
        1 => axis_turn(rng, PI / 4.0),
        _ => any_turn(rng),
    };
    let angle = power(rng, -8.0..-1.0);
    let relative = match kind {
        // Flat, or nearly.
        2 => match rng.random_range(0..3) {
            0 => [0.0, 0.0, 0.0, 1.0],
            1 => axis_turn(rng, angle),
            _ => about_any(rng, angle),
        },
        // An edge along an edge, nearly.
        3 => {
            let (eighth, nearly) = (axis_turn(rng, PI / 4.0), about_any(rng, angle));
            product(eighth, nearly)
        }
        _ => any_turn(rng),
    };
    let meeting = [whole, product(whole, relative)];

    let along = match kind {
        // A face.
        2 => axes(whole)[rng.random_range(0..3)],
        _ => axes(any_turn(rng))[0],
    };
    let apart: f64 = half_extents.iter().map(|v| length(*v)).sum();
    let displacement = match kind {
        // In place.
        1 => [0.0; 3],
        2 if rng.random_bool(0.5) => times(along, -apart * power(rng, -2.0..0.5)),
        _ => times(axes(any_turn(rng))[0], apart * power(rng, -2.0..0.5)),
    };
    let center = match rng.random_range(0..2) {
        0 => [0.0; 3],
        _ => [(); 3].map(|()| rng.random_range(-1.0..1.0) * scale),
    };
    let own = match rng.random_range(0..2) {
        0 => [0.0; 3],
        _ => times(displacement, rng.random_range(-1.0..1.0)),
    };
    let body = |k: usize, center: V, displacement: V| Body {
        half_extents: half_extents[k],
        center,
        rotation: product(exponential(times(turns[k], -time)), meeting[k]),
        displacement,
        turn: Turn::By(turns[k]),
    };
    let between = sub(
        times(along, apart * rng.random_range(0.3..0.9)),
        times(displacement, time),
    );
    Scene {
        a: body(0, center, own),
        b: body(1, add(center, between), add(own, displacement)),
    }
}

/// Counts the results of phalanx, and keeps the wrong ones.
fn ask_phalanx(truths: &[Truth], scale: f64, outcome: &mut Outcome) {
    let (mut a, mut b) = (Obbs::new(), Obbs::new());
    for Truth { scene, .. } in truths {
        for (store, body) in [(&mut a, scene.a), (&mut b, scene.b)] {
            store.push_turning(body.obb(), body.displacement(), body.turn());
        }
    }
    let mut impacts = Impacts::new();
    for (tolerance, tally) in TOLERANCES.iter().zip(&mut outcome.phalanx) {
        let tolerance = tolerance * scale as f32;
        Detector::new()
            .parallel(false)
            .impact(&a, &b, Pairs::zip(), tolerance, &mut impacts)
            .expect("the stores are as long as one another");
        for (position, truth) in truths.iter().enumerate() {
            let said = Said {
                time: impacts.get(position).map(f64::from),
                given_up: !impacts.is_settled(position),
            };
            let before = tally.add(truth, scale, said);
            let mut wrong = impacts.is_invalid(position);
            let mut apart = f64::NAN;
            match said.time {
                None => wrong |= before > UNCERTAIN,
                Some(time) => {
                    wrong |= time > 0.0 && before > UNCERTAIN;
                    let lengths = truth.scene.lengths() / f64::from(1 << 24);
                    let grown = f64::from(tolerance).max(256.0 * lengths);
                    apart = truth.scene.gap_of_grown(time, grown) - 190.0 * lengths;
                    wrong |= !said.given_up && apart > 0.0;
                }
            }
            if wrong && outcome.broken.len() < KEPT {
                let mut text = String::new();
                let _ = write!(
                    text,
                    "{NAME}, tolerance {tolerance:e}: {said:?}; {before:e} scales deep until then, {apart:e} beyond \
                     the tolerance; {:?}",
                    truth.scene
                );
                outcome.broken.push(text);
            }
        }
    }
}

pub fn ask_nonlinear(scene: &Scene) -> Said {
    let motion = |body: &Body| {
        let posed: Posed<Cuboid> = body.obb().into();
        let motion = NonlinearRigidMotion::new(
            posed.pose,
            Vector::ZERO,
            body.displacement().into(),
            body.turn().into(),
        );
        (motion, posed.shape)
    };
    let ((p, a), (q, b)) = (motion(&scene.a), motion(&scene.b));
    let hit = cast_shapes_nonlinear(&p, &a, &q, &b, 0.0, 1.0, true);
    let hit = hit.expect("parry3d supports cuboids");
    Said {
        time: hit.map(|hit| hit.time_of_impact.into()),
        given_up: hit.is_some_and(|hit| {
            matches!(
                hit.status,
                ShapeCastStatus::Failed | ShapeCastStatus::OutOfIterations
            )
        }),
    }
}

fn ask_sweep(scene: &Scene, scale: f64) -> Said {
    let sweep = |body: &Body| {
        let posed: Posed<Cuboid> = body.obb().into();
        let Turn::To(end) = body.turn else {
            unreachable!("a sweep goes from pose to pose");
        };
        let [x, y, z, w] = end.map(|x| x as f32);
        let end = Pose::from_parts(
            posed.pose.translation + Vector::from(body.displacement()),
            Rotation::from_xyzw(x, y, z, w),
        );
        (
            Sweep::from_poses(&posed.pose, &end, Vector::ZERO),
            posed.shape,
        )
    };
    let ((p, a), (q, b)) = (sweep(&scene.a), sweep(&scene.b));
    let points = |cuboid| ToiProxy::from_shape(cuboid).expect("cuboids have corners");
    let slop = SLOP * scale as f32;
    let found = sweep_time_of_impact(&points(&a), &p, &points(&b), &q, 1.0, slop);
    Said {
        time: (found.status != SweepToiStatus::Separated).then_some(found.fraction.into()),
        given_up: found.status == SweepToiStatus::Failed,
    }
}

/// Prints the outcome as Markdown.
pub fn print(outcome: &Outcome) {
    println!(
        "\nImpacts of boxes that turn and graze one another or nearly do; depths and distances in longest half \
         extents. A tolerance grows a box along its axes, so that boxes within it may be √3 times as far apart.\n"
    );
    println!(
        "| who | cases | contacts in the frame | missed | deeper than {DEEP:e} | deepest missed | late by more than \
         {DEEP:e} | deepest late | reported {EARLY:e} before contact | given up |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let phalanx = TOLERANCES.iter().zip(&outcome.phalanx);
    let phalanx =
        phalanx.map(|(tolerance, tally)| (format!("**phalanx** within {tolerance:e}"), tally));
    let peers = [
        ("parry3d cast_shapes_nonlinear".into(), &outcome.nonlinear),
        (
            format!("parry3d sweep_time_of_impact, slop {SLOP:e}"),
            &outcome.sweep,
        ),
    ];
    for (who, tally) in phalanx.chain(peers) {
        let Tally {
            cases,
            touching,
            missed,
            missed_deep,
            deepest_missed,
            late,
            deepest_late,
            early,
            given_up,
        } = tally;
        println!(
            "| {who} | {cases} | {touching} | {missed} | {missed_deep} | {deepest_missed:.1e} | {late} | \
             {:.1e} | {early} | {given_up} |",
            deepest_late.max(0.0)
        );
    }
}
