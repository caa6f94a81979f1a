//! All pairs by `f64` alone, sampled finely: what a screening is checked against.

use crate::{Approach, Error, Object, Settings};

/// What brute force found.
#[derive(Clone, Debug, Default)]
pub struct Brute {
    /// The approaches below the distance, in order.
    pub approaches: Vec<Approach>,
    /// How many samples of pairs are within the distance.
    pub within: u64,
    /// How many of these no hit of a screening covers.
    pub uncovered: u64,
}

/// A hit of a screening: its step, its objects, and its first and last time.
///
/// The times are parts of the step.
pub type Cover = (u32, [u32; 2], [f32; 2]);

/// The fastest that two objects pass each other, in km/s.
const FASTEST: f64 = 22.0;

/// All approaches of some objects, by samples of each pair, refined by golden section.
///
/// `indices` say which objects, in ascending order, and `samples` how many times of a step are looked at. With the
/// hits of a screening in `covers`, sorted, the samples within the distance that none of them covers are counted:
/// each is a contact lost, or an entry that is late.
///
/// # Errors
///
/// [`Error::NoSuchObject`] for an index out of range.
pub fn brute_force(
    objects: &[Object],
    indices: &[u32],
    settings: &Settings,
    samples: u32,
    covers: &[Cover],
) -> Result<Brute, Error> {
    let count = objects.len();
    let chosen: Option<Vec<&Object>> = indices.iter().map(|i| objects.get(*i as usize)).collect();
    let Some(chosen) = chosen else {
        let index = indices
            .iter()
            .copied()
            .find(|i| *i as usize >= count)
            .unwrap_or_default();
        return Err(Error::NoSuchObject { index, count });
    };
    let samples = Samples {
        settings,
        each: u64::from(samples.max(1)),
    };
    let pairs = indices.len() * indices.len().saturating_sub(1) / 2;
    let mut known: [Vec<bool>; 2] = [(); 2].map(|()| vec![false; chosen.len()]);
    // The squares of distances at the last three samples.
    let mut squares: [Vec<f64>; 3] = [(); 3].map(|()| vec![f64::INFINITY; pairs]);
    let mut at = Vec::new();
    let mut brute = Brute::default();
    let below_sq = settings.below().powi(2);
    let reach = settings.below() + FASTEST * settings.step() / samples.each as f64;
    for sample in 0..=samples.last() + 1 {
        let (step, rest) = samples.step_of(sample);
        if rest == 0 {
            known.swap(0, 1);
            for (known, border) in known.iter_mut().zip([step, step + 1]) {
                let is_there = |object: &&Object| {
                    border <= settings.steps() && object.at(settings.border(border)).is_ok()
                };
                known.clear();
                known.extend(chosen.iter().map(is_there));
            }
        }
        // A time between borders counts if the object has a position at both.
        let time = samples.time(sample);
        at.clear();
        at.extend(chosen.iter().enumerate().map(|(i, object)| {
            let counts = known[0][i] && (rest == 0 || known[1][i]);
            let state = if counts { object.at(time).ok() } else { None };
            state.map_or([f64::INFINITY; 3], |state| state.position)
        }));
        squares.rotate_left(1);
        write_squares(&at, &mut squares[2]);
        let mut pair = 0;
        for (i, a) in indices.iter().enumerate() {
            for b in &indices[i + 1..] {
                let [before, last, now] = [0, 1, 2].map(|k| squares[k][pair]);
                pair += 1;
                if now <= below_sq {
                    let part = rest as f64 / samples.each as f64;
                    brute.within += 1;
                    brute.uncovered += u64::from(!covered(covers, step, [*a, *b], part));
                }
                if before > last && last <= now && last <= reach * reach {
                    let middle = samples.time(sample - 1);
                    let low = if before.is_finite() {
                        samples.time(sample - 2)
                    } else {
                        middle
                    };
                    let high = if now.is_finite() { time } else { middle };
                    let found = refined(objects, [*a, *b], [low, middle, high], settings);
                    brute.approaches.extend(found);
                }
            }
        }
    }
    brute.approaches.sort_by(Approach::order);
    Ok(brute)
}

/// The times that brute force looks at.
struct Samples<'a> {
    settings: &'a Settings,
    /// How many there are in a step.
    each: u64,
}

impl Samples<'_> {
    /// The sample at the end of the last step.
    fn last(&self) -> u64 {
        u64::from(self.settings.steps()) * self.each
    }

    /// The step of a sample, and its place in it.
    fn step_of(&self, sample: u64) -> (u32, u64) {
        ((sample / self.each) as u32, sample % self.each)
    }

    fn time(&self, sample: u64) -> f64 {
        let (step, rest) = self.step_of(sample);
        self.settings.border(step) + rest as f64 / self.each as f64 * self.settings.step()
    }
}

/// Writes the squares of the distances of each two, +∞ where one is nowhere.
fn write_squares(at: &[[f64; 3]], squares: &mut Vec<f64>) {
    squares.clear();
    for (i, a) in at.iter().enumerate() {
        squares.extend(at[i + 1..].iter().map(|b| {
            let [x, y, z] = [0, 1, 2].map(|k| a[k] - b[k]);
            let square = x * x + y * y + z * z;
            // Of two that are nowhere the difference is no number.
            if square.is_nan() {
                f64::INFINITY
            } else {
                square
            }
        }));
    }
}

/// Whether a hit holds a time, given as a part of a step. A border may be held by either step.
fn covered(covers: &[Cover], step: u32, pair: [u32; 2], part: f64) -> bool {
    let holds = |step: u32, part: f64| {
        let found = covers.binary_search_by_key(&(step, pair), |cover| (cover.0, cover.1));
        found.is_ok_and(|at| {
            let [enter, exit] = covers[at].2.map(f64::from);
            enter <= part && part <= exit
        })
    };
    holds(step, part) || step > 0 && part == 0.0 && holds(step - 1, 1.0)
}

/// The minimum between two times, by golden section, if it is below the distance.
fn refined(
    objects: &[Object],
    [a, b]: [u32; 2],
    [mut low, middle, mut high]: [f64; 3],
    settings: &Settings,
) -> Option<Approach> {
    let states = |time: f64| {
        Some([
            objects[a as usize].at(time).ok()?,
            objects[b as usize].at(time).ok()?,
        ])
    };
    let distance = |time: f64| {
        states(time).map_or(f64::INFINITY, |[a, b]| {
            let [x, y, z] = [0, 1, 2].map(|k| a.position[k] - b.position[k]);
            (x * x + y * y + z * z).sqrt()
        })
    };
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    let [low_end, high_end] = [low, high];
    let mut inner = [high - ratio * (high - low), low + ratio * (high - low)];
    let mut values = inner.map(distance);
    for _ in 0..80 {
        if values[0] <= values[1] {
            high = inner[1];
            inner = [high - ratio * (high - low), inner[0]];
            values = [distance(inner[0]), values[0]];
        } else {
            low = inner[0];
            inner = [inner[1], low + ratio * (high - low)];
            values = [values[1], distance(inner[1])];
        }
    }
    let tried = [(low + high) / 2.0, low_end, middle, high_end];
    let best = tried
        .into_iter()
        .map(|time| (time, distance(time)))
        .min_by(|a, b| a.1.total_cmp(&b.1));
    let (time, nearest) = best?;
    // At an end of what is known of both, it counts if they were farther a step away.
    let is_end = [low_end, high_end].contains(&middle);
    let away = if middle == low_end {
        time + settings.step()
    } else {
        time - settings.step()
    };
    if is_end && time == middle && distance(away) <= nearest {
        return None;
    }
    let [x, y] = states(time)?;
    let [u, v, w] = [0, 1, 2].map(|k| x.velocity[k] - y.velocity[k]);
    let speed = (u * u + v * v + w * w).sqrt();
    (nearest <= settings.below()).then_some(Approach {
        time,
        a,
        b,
        distance: nearest,
        speed,
    })
}

/// What tells a screening from brute force.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    /// The approaches that both have, as pairs.
    pub matched: Vec<[Approach; 2]>,
    /// The approaches that the screening misses.
    pub missing: Vec<Approach>,
    /// The approaches that brute force does not have.
    pub surplus: Vec<Approach>,
}

impl Difference {
    /// The widest difference of distances in km.
    pub fn distance(&self) -> f64 {
        self.matched
            .iter()
            .map(|[a, b]| (a.distance - b.distance).abs())
            .fold(0.0, f64::max)
    }

    /// The widest difference of times in seconds.
    pub fn time(&self) -> f64 {
        self.matched
            .iter()
            .map(|[a, b]| (a.time - b.time).abs())
            .fold(0.0, f64::max)
    }
}

/// How far the time of a minimum may be off, in seconds.
///
/// It is 0.1 ms, and as long as 5 m take at the relative speed, but at most 10 s. Pairs in company hardly change their
/// distance around a minimum, so `f64` leaves its time open.
pub fn time_tolerance(approach: &Approach) -> f64 {
    (1e-4 + 5e-3 / approach.speed).min(10.0)
}

/// How far a distance may be off, in km: a millimetre.
pub const DISTANCE_TOLERANCE: f64 = 1e-6;

/// Compares approaches with those of brute force.
///
/// Two match if they have the same objects, time and distance.
pub fn compare(screened: &[Approach], brute: &[Approach]) -> Difference {
    let mut difference = Difference::default();
    let mut left = screened.to_vec();
    for expected in brute {
        let found = left.iter().position(|each| {
            [each.a, each.b] == [expected.a, expected.b]
                && (each.time - expected.time).abs() <= time_tolerance(expected)
                && (each.distance - expected.distance).abs() <= DISTANCE_TOLERANCE
        });
        match found {
            Some(at) => difference.matched.push([left.remove(at), *expected]),
            None => difference.missing.push(*expected),
        }
    }
    difference.surplus = left;
    difference
}
