//! Store cache: packed rows and a tree over the bounds, kept until the store changes.
//!
//! Packed rows replace one gather per column. Building rows or a tree costs a pass over the store: once for a static
//! store, every frame for a moving store. Ski-rental policy: uncached calls accumulate a *rent*, counted in shapes
//! packed. Once the rent reaches the price, the length of the store, the call builds the cache. Any sequence of such
//! calls and changes costs at most twice the optimum; lists that are tiny against the store pay no rent. Every writer
//! of the store drops the cache and the rent of the forms that it changes. Writers of one shape instead rewrite its
//! rows, up to an eighth of a store.
//!
//! All detectors share the cache of a store. Building never blocks: concurrent calls run uncached. A call on a
//! CPU that flushes subnormal numbers to zero builds nothing, because other callers would read different bits.

use crate::memory::pages::Lines;
use crate::shapes::raw_columns::Motion;
use crate::store::tree::Tree;

/// The cache of a store, one part for each form of its shapes.
#[derive(Default)]
pub struct StoreCache {
    still: FormCache,
    moving: FormCache,
    turning: FormCache,
    is_used: imp::Flag,
}

/// The cache of one form of a store's shapes: static, or with some of their motion.
#[derive(Default)]
pub struct FormCache {
    /// One packed row per shape.
    pub rows: CacheSlot<Lines>,
    /// A BVH over the bounds of all valid shapes.
    pub tree: CacheSlot<Tree>,
    /// A BVH with smaller nodes, built once the accumulated cost of queries has reached its cost.
    pub tree_by_area: CacheSlot<Tree>,
    /// Number of rewritten rows.
    rewritten: usize,
}

/// Divisor of the store's length: beyond this share of rewritten rows, all rows are dropped, as if all shapes moved.
const REWRITTEN: usize = 8;

pub use imp::CacheSlot;

impl StoreCache {
    /// The cache for one kind of motion. Sets the dirty flag that writers check.
    pub fn form(&self, motion: Motion) -> &FormCache {
        self.is_used.set();
        match motion {
            Motion::None => &self.still,
            Motion::Straight => &self.moving,
            Motion::Turning => &self.turning,
        }
    }

    /// Drops everything, after a change to a shape.
    #[inline]
    pub fn clear(&mut self) {
        if self.is_used.take() {
            self.still.clear();
            self.moving.clear();
            self.turning.clear();
        }
    }

    /// Whether anything may be cached.
    #[inline]
    pub fn is_used(&mut self) -> bool {
        self.is_used.is_set()
    }

    /// Lets `rewrite` change the rows of one shape of `len`, in the forms with at least the given motion, and drops the
    /// trees.
    pub fn change_one(
        &mut self,
        at_least: Motion,
        len: usize,
        mut rewrite: impl FnMut(Motion, &mut Lines),
    ) {
        if at_least == Motion::None {
            self.still.change(len, |rows| rewrite(Motion::None, rows));
        }
        self.moving
            .change(len, |rows| rewrite(Motion::Straight, rows));
        self.turning
            .change(len, |rows| rewrite(Motion::Turning, rows));
    }

    /// Drops the caches that depend on displacements.
    #[inline]
    pub fn clear_moving(&mut self) {
        if self.is_used.is_set() {
            self.moving.clear();
            self.turning.clear();
        }
    }

    /// Drops the caches that depend on turns.
    #[inline]
    pub fn clear_turning(&mut self) {
        if self.is_used.is_set() {
            self.turning.clear();
        }
    }
}

/// A cloned store starts with an empty cache.
impl Clone for StoreCache {
    fn clone(&self) -> Self {
        StoreCache::default()
    }
}

impl FormCache {
    fn clear(&mut self) {
        self.rows.clear();
        self.clear_trees();
        self.rewritten = 0;
    }

    fn clear_trees(&mut self) {
        self.tree.clear();
        self.tree_by_area.clear();
    }

    fn change(&mut self, len: usize, rewrite: impl FnOnce(&mut Lines)) {
        self.clear_trees();
        match self.rows.get_mut() {
            Some(rows) if self.rewritten < len / REWRITTEN => {
                self.rewritten += 1;
                rewrite(rows);
            }
            Some(_) => self.clear(),
            None => self.rows.pay_back(REWRITTEN),
        }
    }
}

#[cfg(feature = "std")]
mod imp {
    use core::hint::black_box;
    use core::mem;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};

    /// One cached value, and the rent accumulated by calls without it.
    #[derive(Default)]
    pub struct CacheSlot<M> {
        cost: AtomicUsize,
        built: OnceLock<M>,
        /// Memory of the last dropped value, reused so that frames do not allocate.
        spare: Mutex<M>,
    }

    impl<M: Default> CacheSlot<M> {
        /// The cached value, if built.
        #[inline]
        pub fn get(&self) -> Option<&M> {
            self.built.get()
        }

        /// Whether the rent, with `now` added, has reached the price.
        pub fn is_due(&self, now: usize, price: usize) -> bool {
            self.cost.load(Relaxed).saturating_add(now) >= price
        }

        /// Adds to the rent.
        pub fn charge(&self, cost: usize) {
            self.cost.fetch_add(cost, Relaxed);
        }

        /// Builds the value. Returns `None` while another thread builds it, and if this thread flushes
        /// subnormal numbers.
        pub fn build(&self, build: impl FnOnce(&mut M)) -> Option<&M> {
            if !keeps_subnormals() {
                return None;
            }
            let mut spare = match self.spare.try_lock() {
                Ok(spare) => spare,
                Err(TryLockError::Poisoned(spare)) => spare.into_inner(),
                Err(TryLockError::WouldBlock) => return None,
            };
            if self.built.get().is_none() {
                let mut memory = mem::take(&mut *spare);
                build(&mut memory);
                // Cannot fail: only the holder of the lock sets the value.
                let _ = self.built.set(memory);
            }
            self.built.get()
        }

        /// The cached value, to change. `None` if this thread flushes subnormal numbers; the value is then dropped.
        pub fn get_mut(&mut self) -> Option<&mut M> {
            if self.built.get().is_some() && !keeps_subnormals() {
                self.clear();
            }
            self.built.get_mut()
        }

        /// Subtracts from the rent.
        pub fn pay_back(&mut self, cost: usize) {
            let rent = self.cost.get_mut();
            *rent = rent.saturating_sub(cost);
        }

        pub(crate) fn clear(&mut self) {
            *self.cost.get_mut() = 0;
            if let Some(memory) = self.built.take() {
                *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = memory;
            }
        }
    }

    /// Whether this thread computes with subnormal numbers instead of flushing them to zero.
    fn keeps_subnormals() -> bool {
        let smallest = black_box(f32::from_bits(1));
        (smallest + black_box(0.0)).to_bits() != 0
    }

    /// Dirty flag: whether anything may be cached. Writers check only this.
    #[derive(Default)]
    pub struct Flag(AtomicBool);

    impl Flag {
        pub fn set(&self) {
            if !self.0.load(Relaxed) {
                self.0.store(true, Relaxed);
            }
        }
        #[inline]
        pub fn is_set(&mut self) -> bool {
            *self.0.get_mut()
        }
        #[inline]
        pub fn take(&mut self) -> bool {
            mem::take(self.0.get_mut())
        }
    }
}

/// No cache without `std`: it needs locks.
#[cfg(not(feature = "std"))]
mod imp {
    use core::marker::PhantomData;

    #[derive(Default)]
    pub struct CacheSlot<M>(PhantomData<M>);

    impl<M> CacheSlot<M> {
        pub fn get(&self) -> Option<&M> {
            None
        }
        pub fn is_due(&self, _now: usize, _price: usize) -> bool {
            false
        }
        pub fn charge(&self, _rent: usize) {}
        pub fn get_mut(&mut self) -> Option<&mut M> {
            None
        }
        pub fn pay_back(&mut self, _rent: usize) {}
        pub fn build(&self, _build: impl FnOnce(&mut M)) -> Option<&M> {
            None
        }
        pub(crate) fn clear(&mut self) {}
    }

    #[derive(Default)]
    pub struct Flag;

    impl Flag {
        pub fn set(&self) {}
        pub fn is_set(&mut self) -> bool {
            false
        }
        pub fn take(&mut self) -> bool {
            false
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;

    #[test]
    fn cache_is_built_once_due_and_dropped_on_change() {
        let mut cache = StoreCache::default();
        let rows = &cache.form(Motion::None).rows;
        assert!(rows.get().is_none() && !rows.is_due(9, 10));
        rows.charge(4);
        assert!(rows.is_due(6, 10) && !rows.is_due(5, 10));
        rows.build(|lines| lines.rows_mut::<f32>(16).fill(7.0));
        assert!(rows.build(|_| panic!("made twice")).is_some());
        cache.form(Motion::Straight).rows.charge(7);
        cache.clear_moving();
        assert!(
            cache.form(Motion::None).rows.get().is_some()
                && !cache.form(Motion::Straight).rows.is_due(0, 1)
        );
        cache.clear();
        let rows = &cache.form(Motion::None).rows;
        assert!(rows.get().is_none() && !rows.is_due(0, 1));
        // The memory is reused.
        rows.build(|lines| assert_eq!(lines.rows::<f32>(16), [7.0; 16]));
    }

    #[test]
    fn cache_build_does_not_block_other_threads() {
        let cache = StoreCache::default();
        let rows = &cache.form(Motion::None).rows;
        rows.build(|_| assert!(rows.build(|_| ()).is_none()));
        assert!(rows.get().is_some());
    }
}
