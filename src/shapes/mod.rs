//! Shapes, and the stores that hold them as columns.
//!
//! Each shape has one file: the value type with its numbers in order, the named columns, the
//! validity checks, and the conversion to kernel input ([`Shape::prepare`]). The other files are
//! common to all shapes.

mod aabb;
mod bounding_box;
mod bounds;
mod cache;
mod capsule;
mod column;
mod columns;
mod form;
mod obb;
mod plane;
mod point;
mod shape;
mod sphere;
mod store;
mod tree;
mod turn;

pub use aabb::{Aabb, AabbColumns, Aabbs, AabbsRef};
pub use bounds::{Bounded, During};
pub use capsule::{Capsule, CapsuleColumns, Capsules, CapsulesRef};
pub use obb::{Obb, ObbColumns, Obbs, ObbsRef};
pub use plane::{HalfSpace, HalfSpaces, HalfSpacesRef, Plane, PlaneColumns, Planes, PlanesRef};
pub use point::{Point, PointColumns, Points, PointsRef};
pub use shape::Shape;
pub use sphere::{Sphere, SphereColumns, Spheres, SpheresRef};
pub use store::{Shapes, Store, StoreRef};

pub(crate) use aabb::{AabbGaps, AabbLanes};
pub(crate) use bounding_box::{BlockBoxes, BoundingBox};
pub(crate) use bounds::{BoundsTo, Centers, reach};
pub(crate) use cache::Kept;
pub(crate) use capsule::CapsuleLanes;
pub(crate) use columns::{AnyColumns, Columns, LaneIndex, Word};
pub(crate) use form::{
    Form, Motion, Moving, MovingLanes, Prepared, RelativeForm, Row, Still, Vectors,
};
pub(crate) use obb::{AXIS_ERROR, ObbLanes, TurningLanes};
pub(crate) use plane::{PlaneLanes, Surface};
pub(crate) use point::PointLanes;
pub(crate) use shape::{Array, Movable, RelativeShape};
pub(crate) use sphere::{SphereLanes, SphereOffset};
pub(crate) use tree::{Block, Tree};
pub(crate) use turn::TURNED_AXIS_ERROR;
