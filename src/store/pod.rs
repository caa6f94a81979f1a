//! `Pod` without bytemuck's derive: its procedural macro takes longer to build than bytemuck.
#![allow(unsafe_code)]

use bytemuck::{Pod, Zeroable};

use crate::memory::pages::Line;
use crate::pairs::Pair;
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

/// Implements [`Pod`] for structs, given all their fields. The build fails if a field is missing, of another type or not
/// `Pod`, and if the layout is not that of `repr(C)` without padding.
macro_rules! pod {
    ($($type:ident { $($field:tt: $number:ty),+ })+) => {$(
        const _: () = {
            const fn assert_pod<T: Pod>() {}
            // The pattern lists every field: without `..` it is exhaustive.
            const _: fn($type) = |$type { $($field: _),+ }| ();
            const _: fn($type) = |all| { $(let _: $number = all.$field;)+ };
            let mut end = 0;
            $(
                assert_pod::<$number>();
                assert!(core::mem::offset_of!($type, $field) == end, "fields out of order, or padding");
                end += size_of::<$number>();
            )+
            assert!(size_of::<$type>() == end, "padding at the end");
        };

        // SAFETY: all fields are `Pod`, and zeros are a value of each. Asserted above.
        unsafe impl Zeroable for $type {}
        // SAFETY: the type is `Copy` and `'static`, which `Pod` requires. Its fields are `Pod`, are stored in the order
        // of their declaration and fill the struct without padding. Asserted above.
        unsafe impl Pod for $type {}
    )+};
}

pod! {
    Aabb { min: [f32; 3], max: [f32; 3] }
    Capsule { center: [f32; 3], half_axis: [f32; 3], radius: f32 }
    HalfSpace { normal: [f32; 3], d: f32 }
    Line { 0: [f32; 16] }
    Obb { center: [f32; 3], half_extents: [f32; 3], rotation: [f32; 4] }
    Pair { a: u32, b: u32 }
    PlacedHull { 0: Obb }
    Plane { normal: [f32; 3], d: f32 }
    Point { position: [f32; 3] }
    Sphere { center: [f32; 3], radius: f32 }
    Triangle { corners: [[f32; 3]; 3] }
}
