//! Stores of shapes, as columns.

pub mod aliases;
pub mod bounds;
pub mod cache;
pub mod columns;
pub mod half_tree;
pub mod hull;
pub mod mesh;
pub mod pod;
#[expect(
    clippy::module_inception,
    reason = "it holds the type that the room is named after"
)]
pub mod store;
pub mod tree;
