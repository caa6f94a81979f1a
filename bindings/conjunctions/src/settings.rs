use crate::Error;

/// What a screening looks at: how long, in which steps, how close.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    step: f64,
    steps: u32,
    below: f64,
}

impl Settings {
    /// The longest step in seconds, for which the bounds of the path are derived.
    pub const LONGEST_STEP: f64 = 60.0;

    /// Settings of a screening of some hours, by steps of seconds, for approaches below some km.
    ///
    /// The last step may reach beyond the hours.
    ///
    /// # Errors
    ///
    /// [`Error::BadSetting`] names what is out of its range.
    pub fn new(hours: f64, step: f64, below: f64) -> Result<Self, Error> {
        let bad = |name, value, range| Err(Error::BadSetting { name, value, range });
        if !(step > 0.0 && step <= Self::LONGEST_STEP) {
            return bad("the step", step, "above 0 and at most 60 seconds");
        }
        if !(hours > 0.0 && hours <= 24.0 * 366.0) {
            return bad("the time", hours, "above 0 and at most 8784 hours");
        }
        let steps = (hours * 3600.0 / step).ceil();
        if steps > 1e9 {
            return bad("the number of steps", steps, "at most 1e9");
        }
        if !(1e-3..=100.0).contains(&below) {
            return bad("the distance", below, "from 0.001 to 100 km");
        }
        let steps = steps as u32;
        Ok(Settings { step, steps, below })
    }

    /// The length of a step in seconds.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// The number of steps.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The distance in km that an approach is below.
    pub fn below(&self) -> f64 {
        self.below
    }

    /// The time in seconds at which a step begins: the border between it and the one before.
    ///
    /// A border has one time, bit for bit, so no minimum lies on both of its sides.
    pub fn border(&self, k: u32) -> f64 {
        f64::from(k) * self.step
    }
}
