use std::io;
use std::path::PathBuf;

/// A reason why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A setting that is out of its range.
    #[error("{name} is {value}: it has to be {range}")]
    BadSetting {
        /// Which setting.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file that is no catalogue.
    #[error("{}: {reason}", path.display())]
    NoCatalogue {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A catalogue without an object that can be screened.
    #[error("no object is left to screen")]
    NoObject,
    /// More objects than a 32-bit index can count.
    #[error("{count} objects are too many: at most 4294967295 can be screened")]
    TooManyObjects {
        /// How many there are.
        count: usize,
    },
    /// An index that no object has.
    #[error("there is no object {index}, but {count} of them")]
    NoSuchObject {
        /// The index.
        index: u32,
        /// How many objects there are.
        count: usize,
    },
    /// An answer of the collision library that is an error.
    #[error("step {step}: {source}")]
    Phalanx {
        /// Which step was swept.
        step: u32,
        /// What the library says.
        source: phalanx::Error,
    },
    /// A minimum that could not be found.
    #[error("the minimum near {time} s of objects {a} and {b} was not found: {reason}")]
    NoMinimum {
        /// The index of the first object.
        a: usize,
        /// The index of the second object.
        b: usize,
        /// Seconds since the start of the screening.
        time: f64,
        /// What the minimiser says.
        reason: String,
    },
}
