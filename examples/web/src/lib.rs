//! Scenes of a page in the browser, and the functions that the page calls.

pub mod page;
pub mod scenes;
pub mod trials;
