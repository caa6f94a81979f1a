//! A store of any kind.

use std::sync::Arc;

use phalanx::{
    Aabb, Capsule, HalfSpace, Obb, PlacedHull, Plane, Point, Shapes, Sphere, Store, StoreRef,
    Triangle,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::columns::type_of;
use crate::hulls::{Hulls, taken_hulls};
use crate::mesh::{Mesh, taken_mesh};
use crate::raised;
use crate::stores::{Aabbs, Capsules, HalfSpaces, Obbs, Planes, Points, Spheres, Triangles};
use crate::view::{Borrowed, Named, shapes, taken};

/// Declares a value of any kind of shape, and how it is found.
macro_rules! any_store {
    ($($shape:ident, $stores:ident, $name:literal;)*) => {
        /// A store of any kind, while a call reads it.
        pub enum AnyBorrowed<'py> {
            $($shape(Borrowed<'py, $shape>),)*
            Hulls(Arc<phalanx::Hulls>),
            /// The triangles of a mesh.
            Mesh(Arc<phalanx::Mesh>),
        }

        /// The shapes of a store of any kind, as the core takes them.
        pub enum View<'a> {
            $($shape(StoreRef<'a, $shape>),)*
            PlacedHull(&'a phalanx::Hulls),
        }

        impl<'py> AnyBorrowed<'py> {
            /// The store that a Python value is.
            pub fn new(which: &str, value: &'py Bound<'py, PyAny>) -> PyResult<Self> {
                $(
                    if let Ok(store) = value.cast::<$stores>() {
                        return Ok(AnyBorrowed::$shape(store.get().0.lend(value.py())?));
                    }
                )*
                if let Ok(hulls) = value.cast::<Hulls>() {
                    return Ok(AnyBorrowed::Hulls(hulls.get().shared(value.py())));
                }
                if let Ok(mesh) = value.cast::<Mesh>() {
                    return Ok(AnyBorrowed::Mesh(mesh.get().shared(value.py())));
                }
                let names: Vec<_> = [$(<$shape as Named>::STORES,)* PlacedHull::STORES, "Mesh"].into();
                Err(PyTypeError::new_err(format!(
                    "{which} is of type {}, not one of {}",
                    type_of(value),
                    names.join(", ")
                )))
            }

            /// The shapes.
            pub fn view(&self) -> PyResult<View<'_>> {
                Ok(match self {
                    $(AnyBorrowed::$shape(lent) => View::$shape(lent.view()?),)*
                    AnyBorrowed::Hulls(hulls) => View::PlacedHull(hulls),
                    AnyBorrowed::Mesh(mesh) => View::Triangle(mesh.view()),
                })
            }

            /// A copy of the shapes with these indices, which are below the length. Triangles of a mesh keep the edges between
            /// them only if `has_edges`: finding edges takes time.
            pub fn taken(&self, indices: &[u32], has_edges: bool) -> PyResult<AnyOwned> {
                if let AnyBorrowed::Mesh(mesh) = self
                    && has_edges
                {
                    return taken_mesh(mesh, indices).map(AnyOwned::Mesh).map_err(raised);
                }
                let some = match self.view()? {
                    $(View::$shape(view) => taken(&view, indices.iter().copied()).map(AnyOwned::$shape),)*
                    View::PlacedHull(hulls) => taken_hulls(hulls, indices).map(AnyOwned::Hulls),
                };
                some.map_err(raised)
            }
        }

        /// A copy of some shapes of any kind.
        pub enum AnyOwned {
            $($shape(Store<$shape>),)*
            Hulls(phalanx::Hulls),
            /// The triangles of a mesh.
            Mesh(phalanx::Mesh),
        }

        impl AnyOwned {
            /// The shapes.
            pub fn view(&self) -> View<'_> {
                match self {
                    $(AnyOwned::$shape(store) => View::$shape(store.view()),)*
                    AnyOwned::Hulls(hulls) => View::PlacedHull(hulls),
                    AnyOwned::Mesh(mesh) => View::Triangle(mesh.view()),
                }
            }
        }

        impl View<'_> {
            /// The name of the stores.
            pub fn stores(&self) -> &'static str {
                match self {
                    $(View::$shape(_) => <$shape as Named>::STORES,)*
                    View::PlacedHull(_) => PlacedHull::STORES,
                }
            }
        }
    };
}
shapes!(any_store);
