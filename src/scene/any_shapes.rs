//! Shapes of a kind that is known at run time.

use crate::error::Error;
use crate::scene::collider::Kind;
use crate::shapes::groups::Filters;
use crate::store::columns::AnyColumns;
use crate::store::mesh::mesh::Mesh;
use crate::store::store::Shapes;

/// The columns of a store, with its kind, groups and bodies.
#[derive(Clone, Copy)]
pub struct AnyShapes<'a> {
    pub kind: Kind,
    pub columns: AnyColumns<'a>,
    pub filters: Filters<'a>,
}

/// A reader of shapes of a kind.
pub type Run<'r> = &'r mut dyn FnMut(&AnyShapes<'_>) -> Result<(), Error>;

/// Passes the triangles of a mesh to a closure.
pub fn with_mesh(mesh: &Mesh, run: Run<'_>) -> Result<(), Error> {
    let view = mesh.view();
    run(&AnyShapes {
        kind: Kind::Triangle,
        columns: view.any_columns(),
        filters: view.filters(),
    })
}
