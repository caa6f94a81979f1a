//! What benches share.

pub mod machine;
pub mod scenes;
