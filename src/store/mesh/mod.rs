//! Meshes: neighbours, edges and stores.

pub mod adjacency;
pub mod inner_edges;
#[expect(
    clippy::module_inception,
    reason = "it holds the type that the room is named after"
)]
pub mod mesh;
