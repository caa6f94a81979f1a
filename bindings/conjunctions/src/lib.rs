#![doc = include_str!("../README.md")]

mod approach;
pub mod brute;
mod catalogue;
mod error;
mod generate;
mod object;
mod screen;
mod segment;
mod settings;

pub use approach::{Approach, approaches_in_step};
pub use catalogue::{Catalogue, Rejected, write_catalogue};
pub use error::Error;
pub use generate::{generate, meeting};
pub use object::{Lost, Object, State, name_of, newest_epoch, objects_of};
pub use screen::{Absence, Hit, Jump, Screen, Timings};
pub use segment::{Segment, sagitta_allowance};
pub use settings::Settings;
