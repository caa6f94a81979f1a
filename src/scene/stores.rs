//! The shapes of a scene, one store for each kind.

use crate::error::Error;
use crate::scene::any_shapes::{AnyShapes, Run};
use crate::scene::collider::{Kind, Placed};
use crate::shapes::bounds::During;
use crate::shapes::groups::{Groups, NO_BODY};
use crate::store::aliases::{
    Aabbs, Capsules, HalfSpaces, Obbs, Planes, Points, Spheres, Triangles,
};
use crate::store::hull::hulls::Hulls;
use crate::store::store::Shapes;

/// The shapes of the colliders of a [`Scene`](crate::Scene), one store for each kind: for queries that the scene does not offer.
///
/// Shapes are relative to the [origin](crate::Scene::origin) of the scene. [`Scene::row`](crate::Scene::row) is the index of a
/// collider in the store of its kind. It changes when another collider of that kind is removed. Groups and bodies are those of
/// the scene, not of these stores.
///
/// ```
/// use phalanx::{Collider, Detector, Distances, Mark, Pair, Pose, Scene};
///
/// let mut scene = Scene::new();
/// let at = |x| Pose::at([x, 0.0, 0.0]);
/// let plank = scene.add(Collider::Obb([2.0, 0.1, 0.5]), at(0.0), Mark::moving())?;
/// let sphere = scene.add(Collider::Sphere(1.0), at(5.0), Mark::moving())?;
///
/// let pair = Pair::new(scene.row(plank).unwrap(), scene.row(sphere).unwrap());
/// let stores = scene.stores();
/// let mut distances = Distances::new();
/// Detector::new().distance(&stores.obbs, &stores.spheres, &[pair], &mut distances)?;
/// assert!((distances.lower()[0] - 2.0).abs() < 1e-4);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SceneStores {
    /// The spheres.
    pub spheres: Spheres,
    /// The capsules.
    pub capsules: Capsules,
    /// The AABBs.
    pub aabbs: Aabbs,
    /// The OBBs.
    pub obbs: Obbs,
    /// The single triangles.
    pub triangles: Triangles,
    /// The hulls, with their kinds.
    pub hulls: Hulls,
    /// The planes.
    pub planes: Planes,
    /// The half-spaces.
    pub half_spaces: HalfSpaces,
    /// The points that search; none in the scene itself.
    pub(crate) points: Points,
}

/// Runs an expression on the store of a kind; on none for a mesh.
macro_rules! on_store {
    ($stores:expr, $kind:expr, $store:ident => $body:expr, $none:expr) => {
        match $kind {
            Kind::Point => {
                let $store = $stores.points;
                $body
            }
            Kind::Sphere => {
                let $store = $stores.spheres;
                $body
            }
            Kind::Capsule => {
                let $store = $stores.capsules;
                $body
            }
            Kind::Aabb => {
                let $store = $stores.aabbs;
                $body
            }
            Kind::Obb => {
                let $store = $stores.obbs;
                $body
            }
            Kind::Triangle => {
                let $store = $stores.triangles;
                $body
            }
            Kind::Hull => {
                let $store = $stores.hulls;
                $body
            }
            Kind::Plane => {
                let $store = $stores.planes;
                $body
            }
            Kind::HalfSpace => {
                let $store = $stores.half_spaces;
                $body
            }
            Kind::Mesh => $none,
        }
    };
}

/// References to all stores, to choose from by kind.
struct Each<'s> {
    points: &'s mut Points,
    spheres: &'s mut Spheres,
    capsules: &'s mut Capsules,
    aabbs: &'s mut Aabbs,
    obbs: &'s mut Obbs,
    triangles: &'s mut Triangles,
    hulls: &'s mut Hulls,
    planes: &'s mut Planes,
    half_spaces: &'s mut HalfSpaces,
}

impl SceneStores {
    fn each(&mut self) -> Each<'_> {
        Each {
            points: &mut self.points,
            spheres: &mut self.spheres,
            capsules: &mut self.capsules,
            aabbs: &mut self.aabbs,
            obbs: &mut self.obbs,
            triangles: &mut self.triangles,
            hulls: &mut self.hulls,
            planes: &mut self.planes,
            half_spaces: &mut self.half_spaces,
        }
    }

    /// Adds a shape to the store of its kind, and returns its row.
    pub(crate) fn push(&mut self, shape: &Placed, displacement: [f32; 3]) -> Result<u32, Error> {
        Ok(match *shape {
            Placed::Point(shape) => self.points.push_moving(shape, displacement),
            Placed::Sphere(shape) => self.spheres.push_moving(shape, displacement),
            Placed::Capsule(shape) => self.capsules.push_moving(shape, displacement),
            Placed::Aabb(shape) => self.aabbs.push_moving(shape, displacement),
            Placed::Obb(shape) => self.obbs.push_moving(shape, displacement),
            Placed::Triangle(shape) => self.triangles.push_moving(shape, displacement),
            Placed::Hull(shape) => self.hulls.push_moving(shape, displacement)?,
            Placed::Plane(shape) => self.planes.push_moving(shape, displacement),
            Placed::HalfSpace(shape) => self.half_spaces.push_moving(shape, displacement),
        })
    }

    /// Replaces a shape of the same kind.
    pub(crate) fn set(&mut self, row: u32, shape: &Placed) -> Result<(), Error> {
        match *shape {
            Placed::Point(shape) => self.points.set(row, shape),
            Placed::Sphere(shape) => self.spheres.set(row, shape),
            Placed::Capsule(shape) => self.capsules.set(row, shape),
            Placed::Aabb(shape) => self.aabbs.set(row, shape),
            Placed::Obb(shape) => self.obbs.set(row, shape),
            Placed::Triangle(shape) => self.triangles.set(row, shape),
            Placed::Hull(shape) => self.hulls.set(row, shape),
            Placed::Plane(shape) => self.planes.set(row, shape),
            Placed::HalfSpace(shape) => self.half_spaces.set(row, shape),
        }
    }

    /// The shape of a row; `None` for a mesh, and past the end.
    pub(crate) fn get(&self, kind: Kind, row: u32) -> Option<Placed> {
        Some(match kind {
            Kind::Point => Placed::Point(self.points.get(row)?),
            Kind::Sphere => Placed::Sphere(self.spheres.get(row)?),
            Kind::Capsule => Placed::Capsule(self.capsules.get(row)?),
            Kind::Aabb => Placed::Aabb(self.aabbs.get(row)?),
            Kind::Obb => Placed::Obb(self.obbs.get(row)?),
            Kind::Triangle => Placed::Triangle(self.triangles.get(row)?),
            Kind::Hull => Placed::Hull(self.hulls.get(row)?),
            Kind::Plane => Placed::Plane(self.planes.get(row)?),
            Kind::HalfSpace => Placed::HalfSpace(self.half_spaces.get(row)?),
            Kind::Mesh => return None,
        })
    }

    /// Sets the displacement of a row.
    pub(crate) fn set_displacement(
        &mut self,
        kind: Kind,
        row: u32,
        displacement: [f32; 3],
    ) -> Result<(), Error> {
        on_store!(self.each(), kind, store => store.set_displacement(row, displacement), Ok(()))
    }

    /// The displacement of a row; zero for a mesh.
    pub(crate) fn displacement(&self, kind: Kind, row: u32) -> [f32; 3] {
        macro_rules! of {
            ($($kind:ident: $store:ident),*) => {
                match kind {
                    $(Kind::$kind => self.$store.displacement(row),)*
                    Kind::Mesh => None,
                }
            };
        }
        let displacement = of!(Point: points, Sphere: spheres, Capsule: capsules, Aabb: aabbs, Obb: obbs,
            Triangle: triangles, Hull: hulls, Plane: planes, HalfSpace: half_spaces);
        displacement.unwrap_or_default()
    }

    /// Sets the groups and the body of a row.
    pub(crate) fn set_filter(
        &mut self,
        kind: Kind,
        row: u32,
        groups: Groups,
        body: u32,
    ) -> Result<(), Error> {
        on_store!(self.each(), kind, store => {
            store.set_groups(row, groups)?;
            store.set_body(row, body)
        }, Ok(()))
    }

    /// The groups and the body of a row; those of all for a mesh.
    pub(crate) fn filter(&self, kind: Kind, row: u32) -> (Groups, u32) {
        macro_rules! of {
            ($($kind:ident: $store:ident),*) => {
                match kind {
                    $(Kind::$kind => self.$store.groups(row).zip(self.$store.body(row)),)*
                    Kind::Mesh => None,
                }
            };
        }
        let filter = of!(Point: points, Sphere: spheres, Capsule: capsules, Aabb: aabbs, Obb: obbs,
            Triangle: triangles, Hull: hulls, Plane: planes, HalfSpace: half_spaces);
        filter.unwrap_or((Groups::ALL, NO_BODY))
    }

    /// Removes a row and moves the last row into its place.
    pub(crate) fn swap_remove(&mut self, kind: Kind, row: u32) {
        on_store!(self.each(), kind, store => {
            store.swap_remove(row);
        }, ());
    }

    /// Removes all shapes and keeps the memory.
    pub(crate) fn clear(&mut self) {
        for kind in Kind::STORED {
            on_store!(self.each(), kind, store => store.clear(), ());
        }
    }

    /// Passes the store of a kind to a closure; nothing for a mesh. `at_rest` leaves the displacements out.
    pub(crate) fn with(&self, kind: Kind, at_rest: bool, run: Run<'_>) -> Result<(), Error> {
        macro_rules! of {
            ($($kind:ident: $store:ident),*) => {
                match kind {
                    $(Kind::$kind => {
                        let view = self.$store.view();
                        let view = if at_rest { view.at_rest() } else { view };
                        run(&AnyShapes {
                            kind,
                            columns: view.any_columns(),
                            filters: view.filters(),
                        })
                    })*
                    Kind::Mesh => Ok(()),
                }
            };
        }
        of!(Point: points, Sphere: spheres, Capsule: capsules, Aabb: aabbs, Obb: obbs,
            Triangle: triangles, Hull: hulls, Plane: planes, HalfSpace: half_spaces)
    }

    /// Writes the bounds of the shapes of a kind; none for planes, half-spaces and meshes.
    pub(crate) fn bounds(&self, kind: Kind, during: During, out: &mut Aabbs) {
        match kind {
            Kind::Point => self.points.bounds(during, out),
            Kind::Sphere => self.spheres.bounds(during, out),
            Kind::Capsule => self.capsules.bounds(during, out),
            Kind::Aabb => self.aabbs.bounds(during, out),
            Kind::Obb => self.obbs.bounds(during, out),
            Kind::Triangle => self.triangles.bounds(during, out),
            Kind::Hull => self.hulls.bounds(during, out),
            Kind::Plane | Kind::HalfSpace | Kind::Mesh => out.clear(),
        }
    }
}
