//! phalanx with the libraries that hold the transforms of games and robots: each recipe is a test.
//!
//! - [`ecs`]: bodies of bevy_ecs, spawned and despawned, and their collisions as events of a system.
//! - [`math`]: glam, bevy_math, nalgebra, mint and cgmath, in three lines each.
//! - [`parry`]: the broad phase of a loop on parry3d.
//! - [`saved`]: shapes and settings in files, by serde.
//!
//! ```sh
//! cargo test --release -p phalanx-recipes
//! ```

#[cfg(test)]
mod ecs;
#[cfg(test)]
mod math;
#[cfg(test)]
mod parry;
#[cfg(test)]
mod saved;
