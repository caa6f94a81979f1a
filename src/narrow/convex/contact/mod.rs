//! Contact manifolds of convex hulls, by the faces and edges of both shapes.

pub mod clip;
pub mod edges;
pub mod face_batch;
pub mod manifold;
pub mod round;
pub mod solid;
pub mod solid_pair;
pub mod surface;
