//! Contacts of the sweeps of convex hulls, by the stage of [`contact`](crate::narrow::convex::stages::contact).

use crate::driver::call::{KernelOf, SweepContacts};
use crate::narrow::convex::stages::contact::{HullContacts, SolidKinds, contacts};
use crate::narrow::ops::ContactOps;
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::PlacedHull;

hull_pairs!(points: contacts SweepContacts Sweeps);
hull_pairs!(contacts SweepContacts Sweeps);
