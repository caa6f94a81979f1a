//! Cases computed by hand, one file for each verb and pair of shapes. They go through the public API, like user code, on every
//! instruction set.

#[path = "cases/overlap"]
mod overlap {
    mod box_box;
    mod box_triangle;
    mod capsule_box;
    mod capsule_capsule;
    mod capsule_triangle;
    mod plane;
    mod point_box;
    mod point_capsule;
    mod point_sphere;
    mod point_triangle;
    mod sphere_box;
    mod sphere_capsule;
    mod sphere_sphere;
    mod sphere_triangle;
    mod triangle_triangle;
}
#[path = "cases/sweep"]
mod sweep {
    mod box_box;
    mod box_triangle;
    mod capsule_box;
    mod capsule_capsule;
    mod capsule_triangle;
    mod plane;
    mod point_box;
    mod point_capsule;
    mod point_sphere;
    mod point_triangle;
    mod sphere_box;
    mod sphere_capsule;
    mod sphere_sphere;
    mod sphere_triangle;
    mod triangle_triangle;
}
#[path = "cases/contact"]
mod contact {
    mod box_triangle;
    mod capsule_triangle;
    mod plane;
    mod sphere_triangle;
}
#[path = "cases/impact"]
mod impact {
    mod box_triangle;
    mod plane;
}
#[path = "cases/distance"]
mod distance {
    mod box_box;
    mod box_triangle;
    mod capsule_box;
    mod capsule_capsule;
    mod capsule_triangle;
    mod sphere_triangle;
    mod triangle_triangle;
}
#[path = "cases/testing.rs"]
mod testing;
