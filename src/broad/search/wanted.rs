//! Results that a search finds.

use crate::broad::search::found::Budget;
use crate::broad::search::local_bounds::LocalBounds;
use crate::broad::search::ranking::{Entry, Ranking};
use crate::lane::WORD;
use crate::narrow::contact::contacts::Contacts;
use crate::pairs::Pair;
use crate::store::tree::Tree;

/// Tests pairs by the kernel of two kinds of shapes.
pub trait TestPairs: Sync {
    /// Tests at most [`PAIRS`] pairs. Of a distance above a pair's cutoff, only the lower bound matters.
    fn test(&self, pairs: &[Pair], times: &mut Times);
    /// Whether pairs whose way is long beside them are tested in `f64`.
    fn refines(&self) -> bool;
    /// Whether it tests pairs sooner that have a cutoff.
    fn uses_cutoffs(&self) -> bool {
        false
    }
    /// Whether both shapes are points.
    fn are_points(&self) -> bool {
        false
    }
    /// Bounds of a searching shape along its own axes, if tests of its pairs are slow.
    fn local_bounds(&self, _shape: u32) -> Option<LocalBounds> {
        None
    }
}

/// Result that a search finds for each shape.
#[derive(Clone, Copy)]
pub enum Wanted<'s> {
    /// Its first hit by the kernel.
    First(&'s dyn TestPairs),
    /// Whether it has a hit.
    Any(&'s dyn TestPairs),
    /// The nearest shape by the kernel: the times are upper bounds of distances in `enter`, lower ones in `exit`.
    Nearest(&'s dyn TestPairs),
    /// All shapes whose bounds touch its way; within its own store only higher indices.
    All(&'s Budget),
    /// Its first hits, in order.
    Hits(Listing<'s>),
    /// The shapes with a lower bound of the distance within the radius, in order of the upper bounds, which are in `enter`; the lower
    /// ones are in `exit`.
    Near(Listing<'s>),
}

/// A search that lists several results of each shape.
#[derive(Clone, Copy)]
pub struct Listing<'s> {
    pub kernel: &'s dyn TestPairs,
    /// Maximum number of results of a shape.
    pub most: usize,
    pub budget: &'s Budget,
}

impl Wanted<'_> {
    /// For a search by time: whether pairs with a long way are tested in `f64`.
    pub fn refines(&self) -> Option<bool> {
        match self {
            Wanted::First(kernel) | Wanted::Any(kernel) => Some(kernel.refines()),
            Wanted::Hits(listing) => Some(listing.kernel.refines()),
            Wanted::Nearest(_) | Wanted::Near(_) | Wanted::All(_) => None,
        }
    }

    /// For a search by distance: bounds of a shape along its own axes.
    pub fn local_bounds(&self, shape: u32) -> Option<LocalBounds> {
        match self {
            Wanted::Nearest(kernel) => kernel.local_bounds(shape),
            Wanted::Near(listing) => listing.kernel.local_bounds(shape),
            Wanted::First(_) | Wanted::Any(_) | Wanted::All(_) | Wanted::Hits(_) => None,
        }
    }

    /// Whether points are searched for points, by distance.
    pub fn are_points(&self) -> bool {
        match self {
            Wanted::Nearest(kernel) => kernel.are_points(),
            Wanted::Near(listing) => listing.kernel.are_points(),
            Wanted::First(_) | Wanted::Any(_) | Wanted::All(_) | Wanted::Hits(_) => false,
        }
    }

    /// The search for lists.
    pub fn listing(&self) -> Option<Listing<'_>> {
        match *self {
            Wanted::Hits(listing) | Wanted::Near(listing) => Some(listing),
            _ => None,
        }
    }

    /// Whether the search must stop; its results are then discarded.
    pub fn is_spent(&self) -> bool {
        match self {
            Wanted::All(budget) => budget.is_spent(),
            Wanted::Hits(listing) | Wanted::Near(listing) => listing.budget.is_spent(),
            Wanted::First(_) | Wanted::Any(_) | Wanted::Nearest(_) => false,
        }
    }
}

/// Results of at most [`PAIRS`] pairs.
#[derive(Debug)]
pub struct Times {
    pub hits: [u64; PAIRS / WORD],
    pub invalid: [u64; PAIRS / WORD],
    pub enter: [f32; PAIRS],
    pub exit: [f32; PAIRS],
    /// The largest distance that matters for each pair: an input of kernels that use it, in searches by distance.
    pub cutoffs: [f32; PAIRS],
    /// Contacts of the hits, if some are passed.
    pub contacts: Contacts,
}

/// The first hit of one shape so far.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// Its time of contact; 1, the end of the frame, if there is none.
    pub enter: f32,
    pub exit: f32,
    /// Index of the other shape. A hit at the same time replaces this one if its index is lower: `u32::MAX` if there is
    /// no hit, 0 if it belongs to an earlier store.
    pub other: u32,
    /// Whether this search found it.
    pub is_found: bool,
}

impl First {
    /// No hit.
    pub const NONE: First = First {
        enter: 1.0,
        exit: 1.0,
        other: u32::MAX,
        is_found: false,
    };

    /// Any hit, which ends the search.
    pub const ANY: First = First {
        enter: -1.0,
        exit: -1.0,
        other: 0,
        is_found: true,
    };

    /// A hit in an earlier store.
    pub fn earlier(enter: f32) -> Self {
        First {
            enter,
            other: 0,
            ..First::NONE
        }
    }

    /// Nothing within a radius so far: `enter` is the least upper bound, `exit` the least lower one.
    pub fn within(radius: f32) -> Self {
        First {
            enter: radius,
            exit: radius,
            ..First::NONE
        }
    }

    /// The time up to which other shapes can replace this one; `None` if none can.
    pub fn open_until(&self) -> Option<f32> {
        (!self.is_final()).then_some(self.enter)
    }

    /// Whether no other shape can replace this one: no hit is before the start of the frame, no distance below zero.
    pub fn is_final(&self) -> bool {
        self.enter <= 0.0 && self.other == 0
    }

    /// Records the bounds of a distance.
    #[inline]
    pub fn approach(&mut self, other: u32, upper: f32, lower: f32) {
        let least = self.exit.min(lower);
        self.meet(other, upper, least);
        self.exit = least;
    }

    /// Adds an entry to the list of this shape. If it is near, the radius is in `exit`.
    #[inline]
    pub fn list(
        &mut self,
        ranking: &mut Ranking,
        entry: Entry,
        listing: Listing<'_>,
        is_near: bool,
    ) {
        if is_near && entry.second > self.exit {
            return;
        }
        let last = ranking.add(entry, listing.most, listing.budget);
        self.enter = self.enter.min(last);
    }

    /// Records a hit.
    #[inline]
    pub fn meet(&mut self, other: u32, enter: f32, exit: f32) {
        if enter < self.enter || enter == self.enter && other < self.other {
            *self = First {
                enter,
                exit,
                other,
                is_found: true,
            };
        }
    }
}

/// Targets of a search.
#[derive(Clone, Copy)]
pub enum Targets<'s> {
    /// The shapes of a tree; if `is_own`, the tree of the searching shapes' own store, without the shape itself.
    Tree { tree: &'s Tree, is_own: bool },
    /// Shapes without bounds, so each of them is tested.
    All(u32),
}

/// Maximum number of pairs that wait for the kernel. A leaf whose pairs may not fit is visited later.
pub const PAIRS: usize = 8 * SLOTS;

/// Number of shapes that take turns.
pub const SLOTS: usize = 64;

impl Default for Times {
    fn default() -> Self {
        Times {
            hits: [0; PAIRS / WORD],
            invalid: [0; PAIRS / WORD],
            enter: [0.0; PAIRS],
            exit: [0.0; PAIRS],
            cutoffs: [0.0; PAIRS],
            contacts: Contacts::new(),
        }
    }
}
