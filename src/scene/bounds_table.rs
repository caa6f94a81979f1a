//! Bounds of colliders of all kinds, for one broad phase.

use alloc::vec::Vec;

use crate::error::Error;
use crate::scene::any_shapes::{AnyShapes, Run};
use crate::scene::collider::Kind;
use crate::shapes::aabb::Aabb;
use crate::shapes::groups::{Groups, NO_BODY};
use crate::store::aliases::Aabbs;
use crate::store::store::Shapes;

/// The bounds of an invalid collider: they overlap nothing.
pub const NOTHING: Aabb = Aabb {
    min: [f32::NAN; 3],
    max: [f32::NAN; 3],
};

/// The slot of a free row.
const NO_SLOT: u32 = u32::MAX;

/// The groups of a free row: it is in no pair.
const FREE: Groups = Groups { is: 0, meets: 0 };

/// Number of rows per written row from which on all rows are written as columns.
const BULK: usize = 8;

/// The bounds of colliders, each in a row that it keeps.
///
/// A removed collider leaves its bounds and meets nothing, so that the tree over a table at rest stays. The next collider takes
/// its row.
#[derive(Clone, Debug, Default)]
pub struct BoundsTable {
    bounds: Aabbs,
    /// The slot of the collider of each row.
    slots: Vec<u32>,
    free: Vec<u32>,
}

impl BoundsTable {
    /// Adds a row for a collider without bounds.
    pub fn add(&mut self, slot: u32, groups: Groups, body: u32) -> Result<u32, Error> {
        let row = match self.free.pop() {
            Some(row) => row,
            None => {
                self.slots.push(slot);
                self.bounds.push(NOTHING)
            }
        };
        self.slots[row as usize] = slot;
        self.set_filter(row, groups, body)?;
        Ok(row)
    }

    /// Frees a row.
    pub fn remove(&mut self, row: u32) -> Result<(), Error> {
        self.set_filter(row, FREE, NO_BODY)?;
        self.slots[row as usize] = NO_SLOT;
        self.free.push(row);
        Ok(())
    }

    /// Sets the groups and the body of a row.
    pub fn set_filter(&mut self, row: u32, groups: Groups, body: u32) -> Result<(), Error> {
        self.bounds.set_groups(row, groups)?;
        self.bounds.set_body(row, body)
    }

    /// Writes the bounds of some rows.
    pub fn write(&mut self, writes: impl Iterator<Item = (u32, Aabb)> + Clone) {
        write(&mut self.bounds, writes);
    }

    /// The slot of the collider of a row.
    pub fn slot(&self, row: u32) -> u32 {
        self.slots[row as usize]
    }

    /// The slots of the colliders, in the order of their rows.
    pub fn slots(&self) -> impl Iterator<Item = u32> + '_ {
        self.slots.iter().copied().filter(|slot| *slot != NO_SLOT)
    }

    /// The bounds of a row.
    pub fn get(&self, row: u32) -> Aabb {
        self.bounds.get(row).unwrap_or(NOTHING)
    }

    /// The bounds of all rows, as a store.
    pub fn bounds(&self) -> &Aabbs {
        &self.bounds
    }

    /// Whether no collider has a row.
    pub fn is_empty(&self) -> bool {
        self.slots.len() == self.free.len()
    }

    /// Writes all bounds, groups and bodies to another store.
    pub fn copy_to(&self, to: &mut Aabbs) {
        to.resize(self.bounds.len());
        let (from, columns) = (self.bounds.columns(), to.columns_mut());
        for k in 0..3 {
            columns.min[k].copy_from_slice(from.min[k]);
            columns.max[k].copy_from_slice(from.max[k]);
        }
        let view = self.bounds.view();
        let filters = view.filters();
        if !filters.groups.is_empty() {
            to.groups_mut().copy_from_slice(filters.groups);
            to.bodies_mut().copy_from_slice(filters.bodies);
        }
    }

    /// Removes all rows and keeps the memory.
    pub fn clear(&mut self) {
        self.bounds.clear();
        self.slots.clear();
        self.free.clear();
    }
}

/// Writes some bounds of a store: one by one, which keeps its tree, or as columns if they are many.
pub fn write(bounds: &mut Aabbs, writes: impl Iterator<Item = (u32, Aabb)> + Clone) {
    let len = bounds.len();
    if writes.clone().count() >= len.div_ceil(BULK) {
        let columns = bounds.columns_mut();
        for (row, Aabb { min, max }) in writes {
            for k in 0..3 {
                columns.min[k][row as usize] = min[k];
                columns.max[k][row as usize] = max[k];
            }
        }
        return;
    }
    for (row, aabb) in writes {
        // Rows are in bounds.
        let _ = bounds.set(row, aabb);
    }
}

/// Passes bounds to a closure.
pub fn with_bounds(bounds: &Aabbs, run: Run<'_>) -> Result<(), Error> {
    let view = bounds.view();
    run(&AnyShapes {
        kind: Kind::Aabb,
        columns: view.any_columns(),
        filters: view.filters(),
    })
}
