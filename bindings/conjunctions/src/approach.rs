use argmin::core::{CostFunction, Executor, State as _};
use argmin::solver::brent::BrentOpt;

use crate::object::{norm, sub};
use crate::{Error, Object, Settings};

/// A local minimum of the distance of two objects.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Approach {
    /// Seconds since the start of the screening.
    pub time: f64,
    /// The index of the first object.
    pub a: u32,
    /// The index of the second object, above the first.
    pub b: u32,
    /// The distance in km.
    pub distance: f64,
    /// The speed of one as seen from the other, in km/s.
    pub speed: f64,
}

impl Approach {
    /// The order of approaches: by time, then by objects.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let objects = (self.a, self.b).cmp(&(other.a, other.b));
        self.time.total_cmp(&other.time).then(objects)
    }
}

/// Two objects whose distance is asked for.
pub(crate) struct Couple<'a> {
    pub a: &'a Object,
    pub b: &'a Object,
}

impl Couple<'_> {
    /// The square of the distance in km² at a time. It is +∞ where an object has no position.
    pub fn distance_sq(&self, seconds: f64) -> f64 {
        let (Ok(a), Ok(b)) = (self.a.at(seconds), self.b.at(seconds)) else {
            return f64::INFINITY;
        };
        let offset = sub(b.position, a.position);
        offset.iter().map(|x| x * x).sum()
    }

    /// The distance in km, and its speed in km/s; `None` where an object has no position.
    fn distance_and_speed(&self, seconds: f64) -> Option<[f64; 2]> {
        let (a, b) = (self.a.at(seconds).ok()?, self.b.at(seconds).ok()?);
        Some([
            norm(sub(b.position, a.position)),
            norm(sub(b.velocity, a.velocity)),
        ])
    }
}

/// The distance of two objects around a time, as the minimiser wants it.
struct Around<'a> {
    couple: &'a Couple<'a>,
    time: f64,
}

impl CostFunction for Around<'_> {
    type Param = f64;
    type Output = f64;

    fn cost(&self, offset: &f64) -> Result<f64, argmin::core::Error> {
        Ok(self.couple.distance_sq(self.time + offset))
    }
}

/// How many iterations the minimiser may take; it needs some 10.
const MOST_ITERATIONS: u64 = 200;
/// How exact the minimiser is: relative to the offset, and absolute in seconds.
const TOLERANCES: [f64; 2] = [1e-8, 1e-7];

/// The approaches of two objects below the distance asked for whose minimum lies in a step.
///
/// Step `k` is the times from border `k`, included, to border `k + 1`, left out but in the last step. A minimum is
/// near a border whose distance is below that at the border before, and not above that at the border after; where an
/// object has no position, or the screening has not begun or is over, the distance is +∞. The minimum between the two
/// neighbours of that border is a function of the objects and the border alone. So both steps that meet there find it
/// at the same time, bit for bit, and one of them owns it.
///
/// # Errors
///
/// [`Error::NoSuchObject`] for an index out of range, and [`Error::NoMinimum`] if the minimiser fails.
pub fn approaches_in_step(
    objects: &[Object],
    [a, b]: [u32; 2],
    step: u32,
    settings: &Settings,
) -> Result<Vec<Approach>, Error> {
    let count = objects.len();
    let object = |index: u32| {
        let found = objects.get(index as usize);
        found.ok_or(Error::NoSuchObject { index, count })
    };
    let couple = Couple {
        a: object(a)?,
        b: object(b)?,
    };
    if step >= settings.steps() {
        return Ok(Vec::new());
    }
    let at_border = |k: Option<u32>| match k {
        Some(k) if k <= settings.steps() => couple.distance_sq(settings.border(k)),
        _ => f64::INFINITY,
    };
    let around = [
        step.checked_sub(1),
        Some(step),
        Some(step + 1),
        Some(step + 2),
    ]
    .map(at_border);
    let mut found = Vec::new();
    for (border, near) in [step, step + 1].into_iter().zip(around.windows(3)) {
        if !(near[0] > near[1] && near[1] <= near[2]) {
            continue;
        }
        let ends = [near[0], near[2]].map(f64::is_finite);
        let time = minimum(&couple, border, near[1], ends, settings).map_err(|reason| {
            let (a, b, time) = (a as usize, b as usize, settings.border(border));
            Error::NoMinimum { a, b, time, reason }
        })?;
        if !owns(settings, step, time) {
            continue;
        }
        if let Some([distance, speed]) = couple.distance_and_speed(time)
            && distance <= settings.below()
        {
            found.push(Approach {
                time,
                a,
                b,
                distance,
                speed,
            });
        }
    }
    Ok(found)
}

/// Whether a time belongs to a step.
fn owns(settings: &Settings, step: u32, time: f64) -> bool {
    let is_last = step + 1 == settings.steps();
    let end = settings.border(step + 1);
    settings.border(step) <= time && (time < end || is_last && time == end)
}

/// The time at which two objects are nearest, between the neighbours of a border.
///
/// On a side without a position, it is not beyond the border.
fn minimum(
    couple: &Couple<'_>,
    border: u32,
    at_border: f64,
    [before, after]: [bool; 2],
    settings: &Settings,
) -> Result<f64, String> {
    let time = settings.border(border);
    if !(before || after) {
        return Ok(time);
    }
    let low = if before {
        settings.border(border - 1) - time
    } else {
        0.0
    };
    let high = if after {
        settings.border(border + 1) - time
    } else {
        0.0
    };
    let [relative, absolute] = TOLERANCES;
    let solver = BrentOpt::new(low, high).set_tolerance(relative, absolute);
    let solved = Executor::new(Around { couple, time }, solver)
        .configure(|state| state.max_iters(MOST_ITERATIONS))
        .timer(false)
        .run()
        .map_err(|error| error.to_string())?;
    let state = solved.state();
    if state.get_iter() >= MOST_ITERATIONS {
        return Err(format!("it took {MOST_ITERATIONS} iterations"));
    }
    match state.get_best_param() {
        Some(offset) if state.get_best_cost() < at_border => Ok(time + offset),
        _ => Ok(time),
    }
}
