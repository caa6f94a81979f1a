//! Cases computed by hand, one file for each verb and pair of shapes. They go through the public API, like user code, on every
//! instruction set.

#[path = "cases/overlap"]
mod overlap {
    mod aabb_aabb;
    mod aabb_obb;
    mod aabb_triangle;
    mod capsule_aabb;
    mod capsule_capsule;
    mod capsule_obb;
    mod capsule_triangle;
    mod obb_obb;
    mod obb_triangle;
    mod plane;
    mod point_aabb;
    mod point_capsule;
    mod point_obb;
    mod point_sphere;
    mod point_triangle;
    mod sphere_aabb;
    mod sphere_capsule;
    mod sphere_obb;
    mod sphere_sphere;
    mod sphere_triangle;
    mod triangle_triangle;
}
#[path = "cases/sweep"]
mod sweep {
    mod aabb_aabb;
    mod aabb_obb;
    mod aabb_triangle;
    mod capsule_aabb;
    mod capsule_capsule;
    mod capsule_obb;
    mod capsule_triangle;
    mod obb_obb;
    mod obb_triangle;
    mod plane;
    mod point_aabb;
    mod point_capsule;
    mod point_obb;
    mod point_sphere;
    mod point_triangle;
    mod sphere_aabb;
    mod sphere_capsule;
    mod sphere_obb;
    mod sphere_sphere;
    mod sphere_triangle;
    mod triangle_triangle;
}
#[path = "cases/contact"]
mod contact {
    mod capsule_triangle;
    mod obb_triangle;
    mod plane;
    mod sphere_triangle;
}
#[path = "cases/impact"]
mod impact {
    mod obb_triangle;
    mod plane;
}
#[path = "cases/distance"]
mod distance {
    mod aabb_obb;
    mod aabb_triangle;
    mod capsule_aabb;
    mod capsule_capsule;
    mod capsule_obb;
    mod capsule_triangle;
    mod obb_obb;
    mod obb_triangle;
    mod sphere_triangle;
    mod triangle_triangle;
}
#[path = "cases/testing.rs"]
mod testing;
