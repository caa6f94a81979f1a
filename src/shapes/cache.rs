//! What calls have made of a store's contents, kept until these change.
//!
//! Rows spare a pair the look-up of each column, and boxes around blocks of shapes spare one shape against
//! all most of the others. Both cost a pass over the store, which a store that moves pays each frame and
//! one that rests pays once. So each is bought as skis are by someone who does not know how often it will
//! snow: calls that do without pay a *rent*, counted in shapes packed, and once the rent has reached the
//! price, the length of the store, all of it is made and kept. No sequence of calls and changes then costs more
//! than twice what the best choice would have. Every writer of the store drops what is kept and the rent.
//!
//! A store is shared by all detectors, so what one makes all use. None waits for another: while one makes
//! something, others do without. A call that is made while the CPU takes subnormal numbers for zero keeps nothing,
//! as others would read other bits.

use alloc::vec::Vec;

use super::bounding_box::BlockBoxes;
use super::form::Motion;
use super::tree::Tree;
use crate::pages::Lines;

/// What is kept of a store.
#[derive(Default)]
pub struct StoreCache {
    still: FormCache,
    moving: FormCache,
    turning: FormCache,
    is_used: imp::Flag,
}

/// What is kept of one form of a store's shapes: as they rest, or with some of their motion.
#[derive(Default)]
pub struct FormCache {
    /// A row for each shape.
    pub rows: Kept<Lines>,
    /// A box around each word of shapes.
    pub boxes: Kept<Vec<BlockBoxes>>,
    /// A tree over the bounds of all shapes.
    pub tree: Kept<Tree>,
}

pub use imp::Kept;

impl StoreCache {
    /// What is kept of the shapes with a motion. Taken to be used from now on.
    pub fn form(&self, motion: Motion) -> &FormCache {
        self.is_used.set();
        match motion {
            Motion::None => &self.still,
            Motion::Straight => &self.moving,
            Motion::Turning => &self.turning,
        }
    }

    /// Drops everything: a shape may be another one now.
    #[inline]
    pub fn clear(&mut self) {
        if self.is_used.take() {
            self.still.clear();
            self.moving.clear();
            self.turning.clear();
        }
    }

    /// Drops what depends on displacements.
    #[inline]
    pub fn clear_moving(&mut self) {
        if self.is_used.is_set() {
            self.moving.clear();
            self.turning.clear();
        }
    }

    /// Drops what depends on turns.
    #[inline]
    pub fn clear_turning(&mut self) {
        if self.is_used.is_set() {
            self.turning.clear();
        }
    }
}

/// A copy of a store begins with nothing.
impl Clone for StoreCache {
    fn clone(&self) -> Self {
        StoreCache::default()
    }
}

impl FormCache {
    fn clear(&mut self) {
        self.rows.clear();
        self.boxes.clear();
        self.tree.clear();
    }
}

#[cfg(feature = "std")]
mod imp {
    use core::hint::black_box;
    use core::mem;
    use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
    use std::sync::{Mutex, OnceLock, PoisonError, TryLockError};

    /// One thing that is kept, and the rent that calls have paid for want of it.
    #[derive(Default)]
    pub struct Kept<M> {
        rent: AtomicUsize,
        made: OnceLock<M>,
        /// The memory of what was dropped, so that frames do not allocate.
        spare: Mutex<M>,
    }

    impl<M: Default> Kept<M> {
        /// What is kept.
        #[inline]
        pub fn get(&self) -> Option<&M> {
            self.made.get()
        }

        /// Whether the rent, with `now` added, has reached the price.
        pub fn is_due(&self, now: usize, price: usize) -> bool {
            self.rent.load(Relaxed).saturating_add(now) >= price
        }

        /// Adds to the rent.
        pub fn pay(&self, rent: usize) {
            self.rent.fetch_add(rent, Relaxed);
        }

        /// Has it made and kept, unless another thread is at it, or it must not be kept.
        pub fn make(&self, make: impl FnOnce(&mut M)) -> Option<&M> {
            if !keeps_subnormals() {
                return None;
            }
            let mut spare = match self.spare.try_lock() {
                Ok(spare) => spare,
                Err(TryLockError::Poisoned(spare)) => spare.into_inner(),
                Err(TryLockError::WouldBlock) => return None,
            };
            if self.made.get().is_none() {
                let mut memory = mem::take(&mut *spare);
                make(&mut memory);
                // Only the holder of the lock sets it.
                let _ = self.made.set(memory);
            }
            self.made.get()
        }

        pub(super) fn clear(&mut self) {
            *self.rent.get_mut() = 0;
            if let Some(memory) = self.made.take() {
                *self.spare.get_mut().unwrap_or_else(PoisonError::into_inner) = memory;
            }
        }
    }

    /// Whether this thread computes with subnormal numbers.
    fn keeps_subnormals() -> bool {
        let smallest = black_box(f32::from_bits(1));
        (smallest + black_box(0.0)).to_bits() != 0
    }

    /// Whether anything may be kept: all that a writer looks at.
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

/// Without locks nothing is kept.
#[cfg(not(feature = "std"))]
mod imp {
    use core::marker::PhantomData;

    #[derive(Default)]
    pub struct Kept<M>(PhantomData<M>);

    impl<M> Kept<M> {
        pub fn get(&self) -> Option<&M> {
            None
        }
        pub fn is_due(&self, _now: usize, _price: usize) -> bool {
            false
        }
        pub fn pay(&self, _rent: usize) {}
        pub fn make(&self, _make: impl FnOnce(&mut M)) -> Option<&M> {
            None
        }
        pub(super) fn clear(&mut self) {}
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
    fn what_is_paid_for_is_made_once_and_dropped_by_a_change() {
        let mut cache = StoreCache::default();
        let rows = &cache.form(Motion::None).rows;
        assert!(rows.get().is_none() && !rows.is_due(9, 10));
        rows.pay(4);
        assert!(rows.is_due(6, 10) && !rows.is_due(5, 10));
        rows.make(|lines| lines.rows_mut::<f32>(16).fill(7.0));
        assert!(rows.make(|_| panic!("made twice")).is_some());
        cache.form(Motion::Straight).rows.pay(7);
        cache.clear_moving();
        assert!(
            cache.form(Motion::None).rows.get().is_some()
                && !cache.form(Motion::Straight).rows.is_due(0, 1)
        );
        cache.clear();
        let rows = &cache.form(Motion::None).rows;
        assert!(rows.get().is_none() && !rows.is_due(0, 1));
        // The memory is there again.
        rows.make(|lines| assert_eq!(lines.rows::<f32>(16), [7.0; 16]));
    }

    #[test]
    fn nobody_waits_for_what_another_makes() {
        let cache = StoreCache::default();
        let rows = &cache.form(Motion::None).rows;
        rows.make(|_| assert!(rows.make(|_| ()).is_none()));
        assert!(rows.get().is_some());
    }
}
