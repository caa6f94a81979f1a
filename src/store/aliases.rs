//! The stores of each shape, and their views.

use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::store::{Store, StoreRef};

/// Points stored as columns. Points with a displacement are rays.
#[doc(alias = "rays")]
pub type Points = Store<Point>;
/// Points in borrowed columns.
pub type PointsRef<'a> = StoreRef<'a, Point>;
/// Spheres stored as columns.
pub type Spheres = Store<Sphere>;
/// Spheres in borrowed columns.
pub type SpheresRef<'a> = StoreRef<'a, Sphere>;
/// Capsules stored as columns.
pub type Capsules = Store<Capsule>;
/// Capsules in borrowed columns.
pub type CapsulesRef<'a> = StoreRef<'a, Capsule>;
/// AABBs stored as columns.
pub type Aabbs = Store<Aabb>;
/// AABBs in borrowed columns.
pub type AabbsRef<'a> = StoreRef<'a, Aabb>;
/// OBBs stored as columns.
pub type Obbs = Store<Obb>;
/// OBBs in borrowed columns.
pub type ObbsRef<'a> = StoreRef<'a, Obb>;
/// Triangles stored as columns.
pub type Triangles = Store<Triangle>;
/// Triangles in borrowed columns.
pub type TrianglesRef<'a> = StoreRef<'a, Triangle>;
/// Planes stored as columns.
pub type Planes = Store<Plane>;
/// Planes in borrowed columns.
pub type PlanesRef<'a> = StoreRef<'a, Plane>;
/// Half-spaces stored as columns.
pub type HalfSpaces = Store<HalfSpace>;
/// Half-spaces in borrowed columns.
pub type HalfSpacesRef<'a> = StoreRef<'a, HalfSpace>;
