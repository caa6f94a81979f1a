//! Shapes: values, and how kernels read them from columns. No file here knows a store.
//!
//! Each shape has one file: the value type with its numbers in order, the named columns, the validity checks, the conversion to
//! kernel input ([`Shape::prepare`](shape::Shape::prepare)), and the bounding box. The other files are common to all shapes:
//! [`raw_columns`] are the columns of any shape, [`columns`] those of one type, a [`form`] is what a query reads of a shape.

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

pub mod aabb;
pub mod bounding_box;
pub mod bounds;
pub mod capsule;
pub mod columns;
pub mod form;
pub mod groups;
pub mod obb;
pub mod plane;
pub mod point;
pub mod raw_columns;
pub mod shape;
pub mod sphere;
pub mod triangle;
