//! Conservative advancement in joint space: tests many motions at once.
//!
//! In each step no point of a link moves farther than its clearance, so no motion passes through a shape, however thin.
//! All active motions share the calls of a step.

use phalanx::Error;

use crate::robot::{LINKS, Pose, Reaches};
use crate::scene::Scene;

/// A motion is blocked where its clearance is below this, in metres. Steps keep half of it, which is far more than the
/// rounding of the links.
pub const TOLERANCE: f32 = 1e-3;
/// Search radius of clearances: a larger radius costs more time than the longer steps save.
const RADIUS: f64 = 0.05;
/// Limit of the steps of a motion. Each step uses half the tolerance or more, so a motion takes far fewer.
const STEPS: usize = 10_000;

/// A motion along a straight line in joint space.
#[derive(Clone, Copy)]
pub struct Motion {
    pub from: Pose,
    /// Angle by which each joint rotates.
    pub turns: Pose,
}

/// The free part of a motion.
#[derive(Clone, Copy)]
pub struct Outcome {
    /// The free part of the motion: 1 if the whole motion is free.
    pub progress: f64,
    /// The least clearance of the last measured pose.
    pub clearance: f32,
    pub steps: usize,
}

impl Motion {
    pub fn between(from: Pose, to: Pose) -> Self {
        let mut turns = to;
        turns
            .iter_mut()
            .zip(from)
            .for_each(|(to, from)| *to -= from);
        Motion { from, turns }
    }

    pub fn at(&self, progress: f64) -> Pose {
        let mut pose = self.from;
        pose.iter_mut()
            .zip(self.turns)
            .for_each(|(angle, turn)| *angle += progress * turn);
        pose
    }
}

impl Outcome {
    pub fn is_free(&self) -> bool {
        self.progress == 1.0
    }
}

/// Advances all motions until each is free or blocked.
pub fn advance(scene: &mut Scene, motions: &[Motion]) -> Result<Vec<Outcome>, Error> {
    let reaches = Reaches::new();
    let start = Outcome {
        progress: 0.0,
        clearance: 0.0,
        steps: 0,
    };
    let mut outcomes = vec![start; motions.len()];
    let mut active: Vec<usize> = (0..motions.len()).collect();
    let mut poses = Vec::new();
    for _ in 0..STEPS {
        if active.is_empty() {
            return Ok(outcomes);
        }
        poses.clear();
        poses.extend(active.iter().map(|&k| motions[k].at(outcomes[k].progress)));
        scene.set_poses(&poses);
        // Shapes beyond the rest of every motion are out of reach.
        let rests = active.iter().map(|&k| {
            let rest = 1.0 - outcomes[k].progress;
            rest * reaches.way(&motions[k].turns, None, LINKS - 1)
        });
        let radius = (rests.fold(0.0, f64::max) + f64::from(TOLERANCE)).min(RADIUS);
        for store in 0..4 {
            scene.measure(store, radius as f32)?;
        }
        let mut place = 0;
        active.retain(|&k| {
            let (step, clearance) = step(scene, &reaches, &motions[k].turns, place);
            place += 1;
            let outcome = &mut outcomes[k];
            outcome.steps += 1;
            outcome.clearance = clearance;
            if clearance < TOLERANCE {
                return false;
            }
            outcome.progress = (outcome.progress + step).min(1.0);
            outcome.progress < 1.0
        });
    }
    panic!("{} motions are not done after {STEPS} steps", active.len());
}

/// The part of a motion that its clearances allow, and the least clearance, for pose `place` of the call.
fn step(scene: &Scene, reaches: &Reaches, turns: &Pose, place: usize) -> (f64, f32) {
    let (mut step, mut least) = (f64::INFINITY, f32::INFINITY);
    let mut limit = |clearance: f32, way: f64| {
        least = least.min(clearance);
        // Without displacement the part has no limit, and 0 / 0 is avoided.
        if way > 0.0 {
            step = step.min(f64::from(clearance - 0.5 * TOLERANCE) / way);
        }
    };
    for link in 0..LINKS {
        let lowers = scene
            .nearest
            .iter()
            .map(|n| n.lower()[place * LINKS + link]);
        let way = reaches.way(turns, None, link);
        limit(lowers.fold(f32::INFINITY, f32::min), way);
    }
    let each = scene.pairs.len() / scene.poses();
    let own = place * each..(place + 1) * each;
    let lowers = &scene.distances.lower()[own.clone()];
    for (pair, &lower) in scene.pairs[own].iter().zip(lowers) {
        let [i, k] = pair.indices().map(|link| link % LINKS);
        limit(lower, reaches.way(turns, Some(i), k));
    }
    (step, least)
}
