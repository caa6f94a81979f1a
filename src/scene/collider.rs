//! Colliders: shapes without a place, their poses and marks, and the shapes at their places.

use crate::error::{Defect, length_defect, size_defect};
use crate::math::dvec::DVec3;
use crate::math::rotation::{placed, rotation_matrix};
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::groups::{Groups, NO_BODY};
use crate::shapes::obb::{Obb, rotation_defect};
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::hull::hulls::Hull;

/// The shape of a collider of a [`Scene`](crate::Scene), around its own origin: a [`Pose`] places it.
///
/// ```
/// use phalanx::{Collider, HalfSpace};
///
/// let sphere = Collider::Sphere(0.5);
/// let person = Collider::Capsule { half_axis: [0.0, 0.5, 0.0], radius: 0.25 };
/// let crate_ = Collider::Obb([0.5, 0.5, 0.5]);
/// let ground = Collider::HalfSpace(HalfSpace::new([0.0, 1.0, 0.0], 0.0));
/// # let _ = (sphere, person, crate_, ground);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Collider {
    /// A sphere of this radius.
    Sphere(f32),
    /// A [`Capsule`](crate::Capsule) around its center.
    Capsule {
        /// The vector from the center to one end of the segment.
        half_axis: [f32; 3],
        /// The radius.
        radius: f32,
    },
    /// A box with these half extents along the axes of the world: rotations of its pose are ignored. Both corners are
    /// rounded.
    Aabb([f32; 3]),
    /// A box with these half extents, rotated by its pose.
    Obb([f32; 3]),
    /// A [`Triangle`](crate::Triangle) with these corners.
    Triangle([[f32; 3]; 3]),
    /// A hull of this kind, as returned by [`Scene::add_hull_kind`](crate::Scene::add_hull_kind),
    /// [`Scene::add_rounded_hull_kind`](crate::Scene::add_rounded_hull_kind), or for cylinders and cones by
    /// [`Scene::add_cylinder_kind`](crate::Scene::add_cylinder_kind) and [`Scene::add_cone_kind`](crate::Scene::add_cone_kind).
    Hull(u32),
    /// A plane.
    Plane(Plane),
    /// A half-space.
    HalfSpace(HalfSpace),
    /// The triangles of a mesh, as returned by [`Scene::add_mesh`](crate::Scene::add_mesh).
    Mesh(u32),
}

/// The place of a collider in the world: a position in `f64` and a rotation.
///
/// ```
/// use phalanx::Pose;
///
/// let far = Pose::at([1e9, 0.0, 0.001]);
/// assert_eq!(far.rotation, [0.0, 0.0, 0.0, 1.0]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pose {
    /// The position in the world.
    pub position: [f64; 3],
    /// A quaternion x, y, z, w. It is normalised before use; its length may differ from 1 by 1e-3.
    pub rotation: [f32; 4],
}

impl Pose {
    /// The pose with this position and rotation.
    #[inline]
    pub fn new(position: impl Into<[f64; 3]>, rotation: impl Into<[f32; 4]>) -> Self {
        Pose {
            position: position.into(),
            rotation: rotation.into(),
        }
    }

    /// Whether two poses have the same bits.
    pub(crate) fn is_same(&self, other: &Pose) -> bool {
        self.position.map(f64::to_bits) == other.position.map(f64::to_bits)
            && self.rotation.map(f32::to_bits) == other.rotation.map(f32::to_bits)
    }

    /// The pose with a quaternion in the order w, x, y, z.
    ///
    /// ```
    /// use phalanx::Pose;
    ///
    /// assert_eq!(Pose::from_wxyz([0.0; 3], [1.0, 0.0, 0.0, 0.0]), Pose::default());
    /// ```
    #[inline]
    pub fn from_wxyz(position: impl Into<[f64; 3]>, [w, x, y, z]: [f32; 4]) -> Self {
        Pose::new(position, [x, y, z, w])
    }

    /// The pose at this position, without a rotation.
    #[inline]
    pub fn at(position: impl Into<[f64; 3]>) -> Self {
        Pose::new(position, [0.0, 0.0, 0.0, 1.0])
    }

    /// The position relative to an origin, in `f64`.
    pub(crate) fn relative_to(&self, origin: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.position[k] - origin[k])
    }
}

/// At the origin, without a rotation.
impl Default for Pose {
    fn default() -> Self {
        Pose::at([0.0; 3])
    }
}

/// The part of a collider in a scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Role {
    /// Meets all others.
    #[default]
    Moving,
    /// Part of the level. It meets moving colliders only, and may be moved as a door is.
    Fixed,
    /// A trigger. It meets moving colliders only, and searches pass through it unless a [`Filter`](crate::Filter) lets them
    /// hit sensors.
    Sensor,
}

/// The mark of a collider for the queries of a scene: its role, its groups, its body, and a number for the caller.
///
/// ```
/// use phalanx::{Groups, Mark};
///
/// let enemy = Mark { groups: Groups { is: 2, meets: !2 }, body: 7, entity: 4711, ..Mark::moving() };
/// assert!(!enemy.is_swept);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mark {
    /// The role.
    pub role: Role,
    /// The groups that the collider is in, and those that it meets.
    pub groups: Groups,
    /// The body: colliders of one body never meet each other. [`NO_BODY`](crate::NO_BODY) by default.
    pub body: u32,
    /// Whether [`Scene::sweeps`](crate::Scene::sweeps) searches for the first hit of this moving collider.
    pub is_swept: bool,
    /// A number of the caller, for example an entity. The scene does not read it.
    pub entity: u64,
}

impl Mark {
    /// A collider with this role in all groups, of no body.
    const fn of(role: Role) -> Self {
        Mark {
            role,
            groups: Groups::ALL,
            body: NO_BODY,
            is_swept: false,
            entity: 0,
        }
    }

    /// A moving collider in all groups, of no body.
    pub const fn moving() -> Self {
        Mark::of(Role::Moving)
    }

    /// A fixed collider in all groups, of no body.
    pub const fn fixed() -> Self {
        Mark::of(Role::Fixed)
    }

    /// A sensor in all groups, of no body.
    pub const fn sensor() -> Self {
        Mark::of(Role::Sensor)
    }

    /// Whether colliders with these marks may meet.
    pub(crate) fn meets(&self, other: &Mark) -> bool {
        let one_moves = self.role == Role::Moving || other.role == Role::Moving;
        one_moves
            && self.groups.meet(other.groups)
            && (self.body != other.body || self.body == NO_BODY)
    }
}

/// The kinds of shapes of a scene. The order is that of the lists by kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Sphere,
    Capsule,
    Aabb,
    Obb,
    Triangle,
    Hull,
    Plane,
    HalfSpace,
    Mesh,
    /// Points search, and are no colliders.
    Point,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: usize = 10;

    /// All kinds that have a store of their own.
    pub const STORED: [Kind; 9] = [
        Kind::Sphere,
        Kind::Capsule,
        Kind::Aabb,
        Kind::Obb,
        Kind::Triangle,
        Kind::Hull,
        Kind::Plane,
        Kind::HalfSpace,
        Kind::Point,
    ];

    /// Whether the kind has no bounds.
    pub fn is_unbounded(self) -> bool {
        matches!(self, Kind::Plane | Kind::HalfSpace)
    }
}

impl Collider {
    /// The kind.
    pub(crate) fn kind(&self) -> Kind {
        match self {
            Collider::Sphere(_) => Kind::Sphere,
            Collider::Capsule { .. } => Kind::Capsule,
            Collider::Aabb(_) => Kind::Aabb,
            Collider::Obb(_) => Kind::Obb,
            Collider::Triangle(_) => Kind::Triangle,
            Collider::Hull(_) => Kind::Hull,
            Collider::Plane(_) => Kind::Plane,
            Collider::HalfSpace(_) => Kind::HalfSpace,
            Collider::Mesh(_) => Kind::Mesh,
        }
    }

    /// The shape at a place relative to the origin of the scene; `None` for a mesh.
    pub(crate) fn placed(&self, at: [f64; 3], rotation: [f32; 4]) -> Option<Placed> {
        let center = at.map(|x| x as f32);
        let rows = || rotation_matrix(rotation);
        // The plane through rotated points: the offset is less by the way along the normal.
        let plane = |normal: [f32; 3], d: f32| {
            let normal = rows().map(|row| row.dot(DVec3::of(normal)) as f32);
            let along = DVec3::of(normal).dot(DVec3(at));
            (normal, (f64::from(d) - along) as f32)
        };
        Some(match *self {
            Collider::Sphere(radius) => Placed::Sphere(Sphere { center, radius }),
            Collider::Capsule { half_axis, radius } => Placed::Capsule(Capsule {
                center,
                half_axis: rows().map(|row| placed(row, half_axis, 0.0)),
                radius,
            }),
            Collider::Aabb(half) => Placed::Aabb(Aabb {
                min: [0, 1, 2].map(|k| center[k] - half[k]),
                max: [0, 1, 2].map(|k| center[k] + half[k]),
            }),
            Collider::Obb(half_extents) => Placed::Obb(Obb {
                center,
                half_extents,
                rotation,
            }),
            Collider::Triangle(corners) => {
                let rows = rows();
                let corner = |corner| [0, 1, 2].map(|k| placed(rows[k], corner, center[k]));
                Placed::Triangle(Triangle {
                    corners: corners.map(corner),
                })
            }
            Collider::Hull(kind) => Placed::Hull(Hull {
                center,
                rotation,
                kind,
            }),
            Collider::Plane(Plane { normal, d }) => {
                let (normal, d) = plane(normal, d);
                Placed::Plane(Plane { normal, d })
            }
            Collider::HalfSpace(HalfSpace { normal, d }) => {
                let (normal, d) = plane(normal, d);
                Placed::HalfSpace(HalfSpace { normal, d })
            }
            Collider::Mesh(_) => return None,
        })
    }

    /// The shape at a place relative to the origin of the scene, `None` for a mesh, and its first defect.
    pub(crate) fn checked(
        &self,
        at: [f64; 3],
        rotation: [f32; 4],
    ) -> (Option<Placed>, Option<Defect>) {
        let shape = self.placed(at, rotation);
        let defect = length_defect("position", &at.map(|x| x as f32))
            .or_else(|| rotation_defect(&rotation))
            .or_else(|| match *self {
                // Named as the caller gave them.
                Collider::Aabb(half) | Collider::Obb(half) => size_defect("half_extents", &half),
                _ => None,
            })
            .or_else(|| match shape? {
                Placed::Sphere(shape) => shape.defect(),
                Placed::Capsule(shape) => shape.defect(),
                Placed::Aabb(shape) => shape.defect(),
                Placed::Triangle(shape) => shape.defect(),
                Placed::Plane(shape) => shape.defect(),
                Placed::HalfSpace(shape) => shape.defect(),
                Placed::Point(shape) => shape.defect(),
                // All their numbers are checked, and the points of a kind are valid.
                Placed::Obb(_) | Placed::Hull(_) => None,
            });
        (shape, defect)
    }
}

/// A shape relative to the origin of the scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placed {
    Point(Point),
    Sphere(Sphere),
    Capsule(Capsule),
    Aabb(Aabb),
    Obb(Obb),
    Triangle(Triangle),
    Hull(Hull),
    Plane(Plane),
    HalfSpace(HalfSpace),
}

impl Placed {
    /// The center; `None` for triangles, planes and half-spaces.
    pub fn center(&self) -> Option<[f64; 3]> {
        match self {
            Placed::Point(point) => Some(point.position),
            Placed::Sphere(sphere) => Some(sphere.center),
            Placed::Capsule(capsule) => Some(capsule.center),
            Placed::Aabb(Aabb { min, max }) => {
                return Some([0, 1, 2].map(|k| 0.5 * (f64::from(min[k]) + f64::from(max[k]))));
            }
            Placed::Obb(obb) => Some(obb.center),
            Placed::Hull(hull) => Some(hull.center),
            Placed::Triangle(_) | Placed::Plane(_) | Placed::HalfSpace(_) => None,
        }
        .map(|center| DVec3::of(center).0)
    }

    /// The mean of the corners of a triangle.
    pub fn mean(&self) -> Option<[f64; 3]> {
        let Placed::Triangle(Triangle { corners }) = self else {
            return None;
        };
        let [a, b, c] = corners.map(DVec3::of);
        Some(((a + b + c) * (1.0 / 3.0)).0)
    }
}
