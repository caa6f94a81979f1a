//! The kernel index. Kernels of the same verb and kinds of shapes share a file: `sphere_obb_overlap` is in
//! `overlap/sphere_box.rs`, all kernels of planes and half-spaces are in `plane.rs`. The kernels of spheres compute contacts and distances of points, the
//! [search of hulls](crate::narrow::convex) the contacts of triangles with triangles, planes and half-spaces.

/// Kernel index: `name: verb(Shape, Shape)`, or `verb(Shape)` for a shape against its own type.
///
/// Hidden from the documentation but exported: tests and benches iterate over it, so none of them can omit a kernel. It
/// passes a list to the caller's macro: overlaps and sweeps by default; contacts, impacts or distances after
/// `contact:`, `impact:` or `distance:`.
#[doc(hidden)]
#[macro_export]
macro_rules! kernels {
    (contact: $use:ident) => {
        $use! {
            point_sphere_contact: contact(Point, Sphere);
            point_capsule_contact: contact(Point, Capsule);
            point_aabb_contact: contact(Point, Aabb);
            point_obb_contact: contact(Point, Obb);
            point_plane_contact: contact(Point, Plane);
            point_half_space_contact: contact(Point, HalfSpace);
            point_triangle_contact: contact(Point, Triangle);
            sphere_sphere_contact: contact(Sphere);
            aabb_aabb_contact: contact(Aabb);
            obb_obb_contact: contact(Obb);
            sphere_aabb_contact: contact(Sphere, Aabb);
            sphere_obb_contact: contact(Sphere, Obb);
            aabb_obb_contact: contact(Aabb, Obb);
            sphere_capsule_contact: contact(Sphere, Capsule);
            capsule_capsule_contact: contact(Capsule);
            capsule_aabb_contact: contact(Capsule, Aabb);
            capsule_obb_contact: contact(Capsule, Obb);
            sphere_plane_contact: contact(Sphere, Plane);
            sphere_half_space_contact: contact(Sphere, HalfSpace);
            sphere_triangle_contact: contact(Sphere, Triangle);
            aabb_plane_contact: contact(Aabb, Plane);
            aabb_half_space_contact: contact(Aabb, HalfSpace);
            obb_plane_contact: contact(Obb, Plane);
            obb_half_space_contact: contact(Obb, HalfSpace);
            aabb_triangle_contact: contact(Aabb, Triangle);
            obb_triangle_contact: contact(Obb, Triangle);
            capsule_plane_contact: contact(Capsule, Plane);
            capsule_half_space_contact: contact(Capsule, HalfSpace);
            capsule_triangle_contact: contact(Capsule, Triangle);
            triangle_triangle_contact: contact(Triangle);
            triangle_plane_contact: contact(Triangle, Plane);
            triangle_half_space_contact: contact(Triangle, HalfSpace);
        }
    };
    (hull: $use:ident) => {
        $use! {
            hull: bounded(Point, PlacedHull);
            hull: bounded(Sphere, PlacedHull);
            hull: bounded(Capsule, PlacedHull);
            hull: bounded(Aabb, PlacedHull);
            hull: bounded(Obb, PlacedHull);
            hull: bounded(PlacedHull);
            hull: bounded(PlacedHull, Triangle);
            hull: unbounded(PlacedHull, Plane);
            hull: unbounded(PlacedHull, HalfSpace);
        }
    };
    (impact: $use:ident) => {
        $use! {
            obb_obb_impact: impact(Obb);
            aabb_obb_impact: impact(Aabb, Obb);
            sphere_obb_impact: impact(Sphere, Obb);
            capsule_obb_impact: impact(Capsule, Obb);
            obb_plane_impact: impact(Obb, Plane);
            obb_half_space_impact: impact(Obb, HalfSpace);
            obb_triangle_impact: impact(Obb, Triangle);
        }
    };
    (distance: $use:ident) => {
        $use! {
            point_point_distance: distance(Point);
            point_sphere_distance: distance(Point, Sphere);
            point_capsule_distance: distance(Point, Capsule);
            point_aabb_distance: distance(Point, Aabb);
            point_obb_distance: distance(Point, Obb);
            point_triangle_distance: distance(Point, Triangle);
            point_plane_distance: distance(Point, Plane);
            point_half_space_distance: distance(Point, HalfSpace);
            sphere_sphere_distance: distance(Sphere);
            sphere_capsule_distance: distance(Sphere, Capsule);
            sphere_aabb_distance: distance(Sphere, Aabb);
            sphere_obb_distance: distance(Sphere, Obb);
            sphere_triangle_distance: distance(Sphere, Triangle);
            sphere_plane_distance: distance(Sphere, Plane);
            sphere_half_space_distance: distance(Sphere, HalfSpace);
            capsule_capsule_distance: distance(Capsule);
            capsule_aabb_distance: distance(Capsule, Aabb);
            capsule_obb_distance: distance(Capsule, Obb);
            capsule_triangle_distance: distance(Capsule, Triangle);
            capsule_plane_distance: distance(Capsule, Plane);
            capsule_half_space_distance: distance(Capsule, HalfSpace);
            aabb_aabb_distance: distance(Aabb);
            aabb_obb_distance: distance(Aabb, Obb);
            aabb_triangle_distance: distance(Aabb, Triangle);
            aabb_plane_distance: distance(Aabb, Plane);
            aabb_half_space_distance: distance(Aabb, HalfSpace);
            obb_obb_distance: distance(Obb);
            obb_triangle_distance: distance(Obb, Triangle);
            obb_plane_distance: distance(Obb, Plane);
            obb_half_space_distance: distance(Obb, HalfSpace);
            triangle_triangle_distance: distance(Triangle);
            triangle_plane_distance: distance(Triangle, Plane);
            triangle_half_space_distance: distance(Triangle, HalfSpace);
        }
    };
    ($use:ident) => {
        $use! {
            point_sphere_overlap: overlap(Point, Sphere);
            point_sphere_sweep: sweep(Point, Sphere);
            point_capsule_overlap: overlap(Point, Capsule);
            point_capsule_sweep: sweep(Point, Capsule);
            point_aabb_overlap: overlap(Point, Aabb);
            point_aabb_sweep: sweep(Point, Aabb);
            point_obb_overlap: overlap(Point, Obb);
            point_obb_sweep: sweep(Point, Obb);
            point_plane_overlap: overlap(Point, Plane);
            point_plane_sweep: sweep(Point, Plane);
            point_half_space_overlap: overlap(Point, HalfSpace);
            point_half_space_sweep: sweep(Point, HalfSpace);
            sphere_sphere_overlap: overlap(Sphere);
            sphere_sphere_sweep: sweep(Sphere);
            aabb_aabb_overlap: overlap(Aabb);
            aabb_aabb_sweep: sweep(Aabb);
            obb_obb_overlap: overlap(Obb);
            obb_obb_sweep: sweep(Obb);
            sphere_aabb_overlap: overlap(Sphere, Aabb);
            sphere_aabb_sweep: sweep(Sphere, Aabb);
            sphere_obb_overlap: overlap(Sphere, Obb);
            sphere_obb_sweep: sweep(Sphere, Obb);
            aabb_obb_overlap: overlap(Aabb, Obb);
            aabb_obb_sweep: sweep(Aabb, Obb);
            sphere_plane_overlap: overlap(Sphere, Plane);
            sphere_plane_sweep: sweep(Sphere, Plane);
            sphere_half_space_overlap: overlap(Sphere, HalfSpace);
            sphere_half_space_sweep: sweep(Sphere, HalfSpace);
            aabb_plane_overlap: overlap(Aabb, Plane);
            aabb_plane_sweep: sweep(Aabb, Plane);
            aabb_half_space_overlap: overlap(Aabb, HalfSpace);
            aabb_half_space_sweep: sweep(Aabb, HalfSpace);
            obb_plane_overlap: overlap(Obb, Plane);
            obb_plane_sweep: sweep(Obb, Plane);
            obb_half_space_overlap: overlap(Obb, HalfSpace);
            obb_half_space_sweep: sweep(Obb, HalfSpace);
            sphere_capsule_overlap: overlap(Sphere, Capsule);
            sphere_capsule_sweep: sweep(Sphere, Capsule);
            capsule_capsule_overlap: overlap(Capsule);
            capsule_capsule_sweep: sweep(Capsule);
            capsule_aabb_overlap: overlap(Capsule, Aabb);
            capsule_aabb_sweep: sweep(Capsule, Aabb);
            capsule_obb_overlap: overlap(Capsule, Obb);
            capsule_obb_sweep: sweep(Capsule, Obb);
            point_triangle_overlap: overlap(Point, Triangle);
            point_triangle_sweep: sweep(Point, Triangle);
            sphere_triangle_overlap: overlap(Sphere, Triangle);
            sphere_triangle_sweep: sweep(Sphere, Triangle);
            capsule_triangle_overlap: overlap(Capsule, Triangle);
            capsule_triangle_sweep: sweep(Capsule, Triangle);
            aabb_triangle_overlap: overlap(Aabb, Triangle);
            aabb_triangle_sweep: sweep(Aabb, Triangle);
            obb_triangle_overlap: overlap(Obb, Triangle);
            obb_triangle_sweep: sweep(Obb, Triangle);
            triangle_triangle_overlap: overlap(Triangle);
            triangle_triangle_sweep: sweep(Triangle);
            triangle_plane_overlap: overlap(Triangle, Plane);
            triangle_plane_sweep: sweep(Triangle, Plane);
            triangle_half_space_overlap: overlap(Triangle, HalfSpace);
            triangle_half_space_sweep: sweep(Triangle, HalfSpace);
            capsule_plane_overlap: overlap(Capsule, Plane);
            capsule_plane_sweep: sweep(Capsule, Plane);
            capsule_half_space_overlap: overlap(Capsule, HalfSpace);
            capsule_half_space_sweep: sweep(Capsule, HalfSpace);
        }
    };
}
