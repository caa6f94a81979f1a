//! Shapes, and the stores that hold them as columns.
//!
//! Each shape has one file: the value type with its numbers in order, the named columns, the
//! validity checks, and the conversion to kernel input ([`Shape::prepare`]). The other files are
//! common to all shapes.

mod aabb;
mod adjacency;
#[cfg(feature = "contact")]
mod arcs;
mod bounding_box;
mod bounds;
mod cache;
mod capsule;
mod column;
mod columns;
mod form;
mod groups;
mod hull;
#[cfg(feature = "contact")]
mod hull_faces;
#[cfg(feature = "serde")]
mod hull_saved;
mod mesh;
mod obb;
mod orientation;
mod plane;
mod point;
#[cfg(feature = "contact")]
mod rings;
mod shape;
mod sphere;
mod store;
mod tree;
mod triangle;
mod turn;

/// Shape list: `name: Shape, Stores, bounded` or `unbounded`.
///
/// Hidden from the documentation but exported: the library and its tests iterate over it. So a test of every shape
/// fails to compile until it covers a new shape.
#[doc(hidden)]
#[macro_export]
macro_rules! shapes {
    ($use:ident) => {
        $use! {
            point: Point, Points, bounded;
            sphere: Sphere, Spheres, bounded;
            capsule: Capsule, Capsules, bounded;
            aabb: Aabb, Aabbs, bounded;
            obb: Obb, Obbs, bounded;
            triangle: Triangle, Triangles, bounded;
            plane: Plane, Planes, unbounded;
            half_space: HalfSpace, HalfSpaces, unbounded;
        }
    };
}

pub use aabb::{Aabb, AabbColumns, Aabbs, AabbsRef};
pub use bounds::{Bounded, During};
pub use capsule::{Capsule, CapsuleColumns, Capsules, CapsulesRef};
pub use groups::{Groups, NO_BODY};
pub use hull::{Hull, HullColumns, HullKinds, Hulls, PlacedHull};
pub use mesh::{Edge, EdgeKind, Mesh};
pub use obb::{Obb, ObbColumns, Obbs, ObbsRef};
pub use plane::{HalfSpace, HalfSpaces, HalfSpacesRef, Plane, PlaneColumns, Planes, PlanesRef};
pub use point::{Point, PointColumns, Points, PointsRef};
pub use shape::Shape;
pub use sphere::{Sphere, SphereColumns, Spheres, SpheresRef};
pub use store::{Shapes, Store, StoreRef};
pub use triangle::{Triangle, TriangleColumns, Triangles, TrianglesRef};

pub(crate) use aabb::{AabbGaps, WideAabb};
#[cfg(feature = "contact")]
pub(crate) use arcs::MeshTriangles;
pub(crate) use bounds::{BoundsOps, BoundsTo, Centers, bounds_margin};
pub(crate) use cache::FormCache;
pub(crate) use capsule::WideCapsule;
pub(crate) use columns::{AnyColumns, Columns, LaneIndex, Strided, Word};
pub(crate) use form::{
    Form, Motion, Moving, Prepared, RelativeForm, Row, Static, Vectors, WideMoving,
};
#[cfg(feature = "candidates")]
pub(crate) use groups::PairFilter;
pub(crate) use groups::{FilterColumns, Filters};
pub(crate) use hull::PointBlock;
#[cfg(feature = "contact")]
pub(crate) use hull_faces::{EdgeBlock, HullEdge, HullFace, HullFaces, PlaneBlock, edge_block};
pub(crate) use obb::{AXIS_ERROR, WideObb, WideTurning};
#[cfg(feature = "contact")]
pub(crate) use orientation::normal as triangle_normal;
pub(crate) use orientation::{length_of, matrix_of, rotation_matrix};
pub(crate) use plane::{Surface, WidePlane};
pub(crate) use point::WidePoint;
#[cfg(feature = "contact")]
pub(crate) use rings::Rings;
pub(crate) use shape::{Array, Movable, RelativeShape};
pub(crate) use sphere::{SphereOffset, WideSphere};
pub(crate) use tree::{Block, Tree};
pub(crate) use triangle::WideTriangle;
pub(crate) use turn::TURNED_AXIS_ERROR;
