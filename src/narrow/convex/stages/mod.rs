//! Stages of convex hulls: the boxes around them are tested by lanes, then the pairs that are left, a batch of as many pairs as
//! lanes at a time.
//!
//! All shapes become [`Body`](crate::narrow::convex::body::Body) values or surfaces, read through the pointers of
//! [`read`]. So a search is compiled once per verb and instruction set, not once per pair of shapes.

/// Passes the hull pairs to a macro, after some verbs: both shapes in kernel order, the shapes whose kernels test them first,
/// the maximum number of points of a contact, and whether a mesh clamps its normals. Boxes stand in for hulls.
macro_rules! hull_pairs {
    (points: $table:ident $($verb:ident)*) => {
        $table! { $($verb)* =>
            Point, PlacedHull: Point, Obb, 1, false;
        }
    };
    ($table:ident $($verb:ident)*) => {
        $table! { $($verb)* =>
            Sphere, PlacedHull: Sphere, Obb, 1, false;
            Capsule, PlacedHull: Capsule, Obb, 2, false;
            Aabb, PlacedHull: Aabb, Obb, 4, false;
            Obb, PlacedHull: Obb, Obb, 4, false;
            PlacedHull, PlacedHull: Obb, Obb, 4, false;
            PlacedHull, Triangle: Obb, Triangle, 4, true;
            PlacedHull, Plane: Obb, Plane, 4, false;
            PlacedHull, HalfSpace: Obb, HalfSpace, 4, false;
        }
    };
}

#[cfg(feature = "contact")]
pub mod contact;
#[cfg(feature = "distance")]
pub mod distance;
#[cfg(feature = "impact")]
pub mod impact;
pub mod overlap;
pub mod queue;
pub mod read;
pub mod refine;
#[cfg(feature = "sweep")]
pub mod sweep;

/// The largest `f32` that is not above a number from 0 on.
pub fn below(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x {
        rounded.next_down()
    } else {
        rounded
    }
}

/// The smallest `f32` that is not below a number.
pub fn above(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) < x {
        rounded.next_up()
    } else {
        rounded
    }
}
