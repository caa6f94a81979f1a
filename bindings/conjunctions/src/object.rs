use std::fmt;

use sgp4::chrono::{Datelike, NaiveDateTime};
use sgp4::{Constants, Elements, MinutesSinceEpoch};

use crate::Rejected;

/// The radius of Earth at its poles in km. What is nearer to the centre has come down.
const SURFACE: f64 = 6356.75;

/// An object in orbit, ready to be propagated by SGP4.
///
/// SGP4 runs with the constants and in the mode that published elements are made with: WGS 72, as the Air Force's own.
#[derive(Clone, Debug)]
pub struct Object {
    name: String,
    constants: Constants,
    /// Minutes from the epoch of the elements to the start of the screening.
    start: f64,
}

/// A position and a velocity of an object.
///
/// They are in the frame of SGP4: true equator, mean equinox.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// The position in km.
    pub position: [f64; 3],
    /// The velocity in km/s.
    pub velocity: [f64; 3],
}

/// A reason why an object has no position at a time.
#[derive(Clone, Debug, PartialEq)]
pub enum Lost {
    /// An error of SGP4: elements that have diverged.
    Diverged(sgp4::Error),
    /// A position below the surface of Earth, this far from its centre in km.
    CameDown(f64),
    /// A position that is no number, or beyond a million km.
    Nowhere,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Diverged(error) => write!(f, "SGP4: {error}"),
            Lost::CameDown(radius) => {
                write!(
                    f,
                    "it has come down: {radius:.1} km from the centre of Earth"
                )
            }
            Lost::Nowhere => f.write_str("SGP4 yields no position, or one beyond a million km"),
        }
    }
}

impl Object {
    /// The object of some elements, whose times count from `start`.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong with the elements.
    pub fn new(elements: &Elements, start: NaiveDateTime) -> Result<Self, String> {
        for year in [elements.datetime.year(), start.year()] {
            if !(1957..=2100).contains(&year) {
                return Err(format!("the year {year} is not from 1957 to 2100"));
            }
        }
        let minutes = elements.datetime_to_minutes_since_epoch(&start);
        let start = minutes.map_err(|error| error.to_string())?.0;
        let constants = Constants::from_elements_afspc_compatibility_mode(elements);
        Ok(Object {
            name: name_of(elements),
            constants: constants.map_err(|error| error.to_string())?,
            start,
        })
    }

    /// The name of the object.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The age in days that the elements have at the start.
    pub fn age(&self) -> f64 {
        self.start / 1440.0
    }

    /// The state of the object, some seconds after the start.
    ///
    /// # Errors
    ///
    /// [`Lost`] if it has none.
    pub fn at(&self, seconds: f64) -> Result<State, Lost> {
        let minutes = MinutesSinceEpoch(self.start + seconds / 60.0);
        let state = self.constants.propagate_afspc_compatibility_mode(minutes);
        let sgp4::Prediction { position, velocity } = state.map_err(Lost::Diverged)?;
        let radius = norm(position);
        if !(radius < 1e6 && norm(velocity) < 1e3) {
            return Err(Lost::Nowhere);
        }
        if radius < SURFACE {
            return Err(Lost::CameDown(radius));
        }
        Ok(State { position, velocity })
    }
}

/// The name of elements: that of the catalogue, or the number in it.
pub fn name_of(elements: &Elements) -> String {
    match elements.object_name.as_deref().map(str::trim) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => format!("number {}", elements.norad_id),
    }
}

/// The objects of a catalogue, and those that have bad elements.
pub fn objects_of(elements: &[Elements], start: NaiveDateTime) -> (Vec<Object>, Vec<Rejected>) {
    let (mut objects, mut rejected) = (Vec::with_capacity(elements.len()), Vec::new());
    for (index, each) in elements.iter().enumerate() {
        let kept = Object::new(each, start).and_then(|object| {
            object
                .at(0.0)
                .map(|_| object)
                .map_err(|lost| lost.to_string())
        });
        match kept {
            Ok(object) => objects.push(object),
            Err(reason) => rejected.push(Rejected {
                place: format!("object {index}"),
                name: name_of(each),
                reason,
            }),
        }
    }
    (objects, rejected)
}

/// The newest epoch of elements, as a whole second that is not before it.
pub fn newest_epoch(elements: &[Elements]) -> Option<NaiveDateTime> {
    let newest = elements.iter().map(|each| each.datetime).max()?;
    let whole = newest.and_utc().timestamp();
    let up = i64::from(newest.and_utc().timestamp_subsec_nanos() > 0);
    Some(sgp4::chrono::DateTime::from_timestamp(whole + up, 0)?.naive_utc())
}

/// The length of a vector.
pub(crate) fn norm(v: [f64; 3]) -> f64 {
    (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt()
}

/// The difference of two vectors.
pub(crate) fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
