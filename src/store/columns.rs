//! The columns of a store of any kind of shape, with what else its queries read.

use core::ops::Deref;

use crate::shapes::raw_columns::RawColumns;
use crate::store::cache::StoreCache;
use crate::store::hull::kinds::HullPoints;
use crate::store::mesh::adjacency::MeshEdges;

/// Data of a store in addition to the columns of its shapes.
#[derive(Clone, Copy, Default)]
pub struct Extras<'a> {
    /// `None` for borrowed columns, whose changes cannot be tracked.
    pub cache: Option<&'a StoreCache>,
    /// The edges of the triangles of a mesh.
    pub edges: Option<MeshEdges<'a>>,
    /// The points of hulls, if the shapes are the boxes around hulls.
    pub hulls: Option<HullPoints<'a>>,
}

/// The columns of a store of any kind of shape, for code that is compiled once for all kinds.
#[derive(Clone, Copy)]
pub struct AnyColumns<'a> {
    pub raw: RawColumns<'a>,
    pub extras: Extras<'a>,
}

impl<'a> Deref for AnyColumns<'a> {
    type Target = RawColumns<'a>;

    #[inline(always)]
    fn deref(&self) -> &RawColumns<'a> {
        &self.raw
    }
}

/// Whether all numbers are zero, by bits: a thread may flush subnormal numbers.
pub fn is_zero(numbers: &[f32]) -> bool {
    numbers.iter().all(|x| x.to_bits() << 1 == 0)
}

impl<'a> AnyColumns<'a> {
    /// The cache of the store.
    pub fn cache(&self) -> Option<&'a StoreCache> {
        self.extras.cache
    }

    /// The edges of the triangles of a mesh.
    pub fn edges(&self) -> Option<MeshEdges<'a>> {
        self.extras.edges
    }

    /// The points of hulls, if the shapes are the boxes around hulls.
    pub fn hulls(&self) -> Option<HullPoints<'a>> {
        self.extras.hulls
    }

    /// Whether no shape moves. A view of columns of displacements is not read: it counts as moving.
    pub fn is_at_rest(&self) -> bool {
        !self.rotate()
            && self.displacement.is_none_or(|columns| {
                let find = || columns.iter().all(|column| is_zero(column));
                self.cache().is_some_and(|cache| cache.is_at_rest(find))
            })
    }

    /// Whether both are views of the same columns.
    pub fn same_as(&self, other: &AnyColumns<'_>) -> bool {
        let same_hulls = match (&self.extras.hulls, &other.extras.hulls) {
            (Some(hulls), Some(other)) => hulls.same_as(other),
            (hulls, other) => hulls.is_none() && other.is_none(),
        };
        same_hulls && self.raw.same_as(&other.raw)
    }
}
