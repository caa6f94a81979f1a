//! Shapes, and the stores that hold them as columns.
//!
//! Each shape has one file: the value type with its numbers in order, the named columns, the
//! validity checks, and the conversion to kernel input ([`Shape::prepare`]). The other files are
//! common to all shapes.

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
pub mod form;
pub mod groups;
pub mod obb;
pub mod plane;
pub mod point;
pub mod shape;
pub mod sphere;
pub mod triangle;
