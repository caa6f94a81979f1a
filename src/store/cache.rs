//! Store cache: packed rows and a tree over the bounds, kept until the store changes.
//!
//! Packed rows replace one gather per column. Building rows or a tree costs a pass over the store: once for a static
//! store, every frame for a moving store. Ski-rental policy: uncached calls accumulate a *rent*, counted in shapes
//! packed. Once the rent reaches the price, the length of the store, the call builds the cache. Any sequence of such
//! calls and changes costs at most twice the optimum; lists that are tiny against the store pay no rent. Every writer
//! of the store drops the cache and the rent of the forms that it changes. Writers of one shape, also of a new or a removed one,
//! instead rewrite its rows and its place in the trees, for up to an eighth of a store between two calls. A tree whose blocks have
//! grown by a fiftieth is bought again, bit by bit, and serves until then, or until they have grown by a tenth.
//! A scan that finds no invalid shape says so here: the next ones need no checks.
//!
//! All detectors share the cache of a store. Building never blocks: concurrent calls run uncached. A call on a
//! CPU that flushes subnormal numbers to zero builds nothing, because other callers would read different bits.

use alloc::vec::Vec;

use crate::lane::MAX_LANES;
use crate::memory::pages::Lines;
use crate::shapes::raw_columns::Motion;
use crate::store::half_tree::HalfTree;
use crate::store::tree::Tree;

/// The cache of a store, one part for each form of its shapes.
#[derive(Default)]
pub struct StoreCache {
    still: FormCache,
    moving: FormCache,
    turning: FormCache,
    /// Whether all displacements are zero.
    rest: imp::Known,
    /// Whether queries build nothing more.
    prepared: imp::Known,
    is_used: imp::Flag,
}

/// The cache of one form of a store's shapes: static, or with some of their motion.
#[derive(Default)]
pub struct FormCache {
    /// One packed row per shape.
    pub rows: CacheSlot<Lines>,
    /// The bounds of the shapes that the trees are of, in the order of the store.
    pub bounds: CacheSlot<Lines>,
    /// A BVH over the bounds of all valid shapes.
    pub tree: CacheSlot<Tree>,
    /// A BVH with smaller nodes, built once the accumulated cost of queries has reached its cost.
    pub tree_by_area: CacheSlot<Tree>,
    /// The tree with smaller nodes while calls build it.
    pub half_tree: imp::Shared<HalfTree>,
    /// Whether all shapes are valid.
    valid: imp::Known,
    changes: imp::Changes,
    journal: Journal,
}

/// The shapes that changed while the trees were kept.
#[derive(Default)]
struct Journal {
    /// The serial number of the trees before the first change.
    since: u64,
    /// Indices of shapes that changed, were added or removed, each with the serial number after its change.
    changes: Vec<(u64, u32)>,
}

impl Journal {
    fn changed_since(&self, serial: u64) -> Option<impl ExactSizeIterator<Item = u32>> {
        let Journal { since, changes } = self;
        let first = changes.partition_point(|(after, _)| *after <= serial);
        // Numbers of other stores lie in between.
        let is_own = match first.checked_sub(1) {
            Some(last) => changes[last].0 == serial,
            None => !changes.is_empty() && serial == *since,
        };
        is_own.then(|| changes[first..].iter().map(|(_, index)| *index))
    }
}

/// Number of changes after which a journal begins anew.
const MOST_CHANGES: usize = 4096;

/// Divisor of the store's length: beyond this share of changed shapes between two calls, everything is dropped, as if all
/// shapes moved. Also the rent that a change pays back.
const REWRITTEN: usize = 8;

/// A change of one shape of a store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Its numbers were set, or it was added.
    Set,
    /// It was removed, and the shape past the end has taken its place.
    Removed,
}

/// What a change of one shape leaves of a cache.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kept {
    /// Nothing, as too many shapes have changed.
    Nothing,
    /// Not all.
    Part,
    All,
}

/// Number of rows of the bounds of `len` shapes, with padding for short last groups and blocks.
pub const fn padded(len: usize) -> usize {
    (len + 1).next_multiple_of(MAX_LANES)
}

/// Cached part of a changed shape, to be written anew.
pub enum Rewrite<'r> {
    /// Its row among the packed rows.
    Row(&'r mut Lines),
    /// Its bounds.
    Bounds(&'r mut [f32; 8]),
}

pub use imp::CacheSlot;

impl StoreCache {
    /// The cache for one kind of motion. Sets the dirty flag that writers check.
    pub fn form(&self, motion: Motion) -> &FormCache {
        self.is_used.set();
        for form in [&self.still, &self.moving, &self.turning] {
            form.changes.end();
        }
        self.form_of(motion)
    }

    /// Says that what queries need is built: they build nothing more until the store changes.
    pub fn set_prepared(&self) {
        self.is_used.set();
        self.prepared.get_or(|| true);
    }

    /// Whether queries build nothing more.
    pub fn is_prepared(&self) -> bool {
        self.prepared.is_true()
    }

    /// Whether all shapes are known to be valid, with this motion.
    #[inline]
    pub fn are_valid(&self, motion: Motion) -> bool {
        self.form_of(motion).valid.is_true()
    }

    /// Says that all shapes are valid, with this motion, until the store changes.
    pub fn set_valid(&self, motion: Motion) {
        if imp::keeps_subnormals() {
            self.form_of(motion).valid.get_or(|| true);
        }
    }

    fn form_of(&self, motion: Motion) -> &FormCache {
        match motion {
            Motion::None => &self.still,
            Motion::Straight => &self.moving,
            Motion::Turning => &self.turning,
        }
    }

    /// Whether all displacements are zero; `find` is called once until the store changes.
    pub fn is_at_rest(&self, find: impl FnOnce() -> bool) -> bool {
        self.is_used.set();
        self.rest.get_or(find)
    }

    /// Drops everything, after a change to a shape.
    #[inline]
    pub fn clear(&mut self) {
        self.forget_valid();
        if self.is_used.take() {
            self.still.clear();
            self.moving.clear();
            self.turning.clear();
            self.rest.forget();
            self.prepared.forget();
        }
    }

    /// Begins a change of one shape. Whether anything may be cached that has to follow.
    #[inline]
    pub fn begin_change(&mut self) -> bool {
        self.forget_valid();
        self.is_used.is_set()
    }

    #[inline]
    fn forget_valid(&mut self) {
        for form in [&mut self.still, &mut self.moving, &mut self.turning] {
            form.valid.forget();
        }
    }

    /// Lets `rewrite` write what is kept of shape `index`, or of others, in the forms with at least the given motion. The
    /// store now has `len` shapes.
    pub fn change_one(
        &mut self,
        at_least: Motion,
        (change, index): (Change, usize),
        len: usize,
        mut rewrite: impl FnMut(Motion, usize, Rewrite<'_>),
    ) {
        let mut kept = Kept::All;
        let mut change = |form: &mut FormCache, motion| {
            let of_form = form.change((change, index), len, |i, to| rewrite(motion, i, to));
            kept = kept.min(of_form);
        };
        if at_least == Motion::None {
            change(&mut self.still, Motion::None);
        }
        change(&mut self.moving, Motion::Straight);
        change(&mut self.turning, Motion::Turning);
        match kept {
            Kept::All => {}
            // What follows costs as little as writes of columns.
            Kept::Nothing if at_least == Motion::None => self.clear(),
            Kept::Nothing | Kept::Part => self.prepared.forget(),
        }
    }

    /// Records that a shape is about to move: so far, bounds at rest are those of the frame too.
    pub fn set_moving(&mut self) {
        if self.rest.is_true() {
            self.turning.copy_trees(&self.still);
        }
        self.rest.set(false);
    }

    /// Drops the caches that depend on displacements.
    #[inline]
    pub fn clear_moving(&mut self) {
        self.forget_valid();
        if self.is_used.is_set() {
            self.moving.clear();
            self.turning.clear();
            self.rest.forget();
            self.prepared.forget();
        }
    }

    /// Drops the caches that depend on turns.
    #[inline]
    pub fn clear_turning(&mut self) {
        self.forget_valid();
        if self.is_used.is_set() {
            self.turning.clear();
            self.prepared.forget();
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
    }

    /// The shapes that changed, were added or removed since the trees had this serial number; `None` if that is not known.
    pub fn changed_since(&self, serial: u64) -> Option<impl ExactSizeIterator<Item = u32>> {
        self.journal.changed_since(serial)
    }

    /// Copies trees and bounds of another form, if this one has none.
    fn copy_trees(&mut self, other: &FormCache) {
        if self.tree.get().is_some() || self.tree_by_area.get().is_some() {
            return;
        }
        self.clear_trees();
        let mut serial = None;
        for (slot, from) in [
            (&mut self.tree, &other.tree),
            (&mut self.tree_by_area, &other.tree_by_area),
        ] {
            if let Some(tree) = from.get() {
                let mut copy = tree.clone();
                match serial {
                    None => {
                        copy.renew_serial();
                        serial = Some(copy.serial());
                    }
                    Some(serial) => copy.set_serial(serial),
                }
                slot.build(|to| *to = copy);
            }
        }
        if let Some(rows) = other.bounds.get() {
            self.bounds.build(|to| to.clone_from(rows));
        }
    }

    fn clear_trees(&mut self) {
        self.journal.changes.clear();
        self.bounds.clear();
        self.tree.clear();
        self.tree_by_area.clear();
        self.half_tree.clear();
    }

    /// Writes anew what is kept of a shape, or drops it.
    fn change(
        &mut self,
        (change, index): (Change, usize),
        len: usize,
        mut rewrite: impl FnMut(usize, Rewrite<'_>),
    ) -> Kept {
        let had_any = self.rows.get().is_some()
            | self.tree.get().is_some()
            | self.tree_by_area.get().is_some();
        // A thread that flushes subnormal numbers drops them here.
        let has_rows = self.rows.get_mut().is_some();
        let has_trees = self.tree.get_mut().is_some() | self.tree_by_area.get_mut().is_some();
        if !has_rows {
            self.rows.pay_back(REWRITTEN);
        }
        if !has_trees {
            self.tree.pay_back(REWRITTEN);
            self.tree_by_area.pay_back(REWRITTEN);
            self.journal.changes.clear();
            self.bounds.clear();
            self.half_tree.clear();
        }
        if !has_rows && !has_trees {
            return if had_any { Kept::Part } else { Kept::All };
        }
        if !self.changes.admit(len / REWRITTEN) {
            self.clear();
            return Kept::Nothing;
        }
        // The last shape may be the removed one.
        let is_there = index < len;
        if let Some(rows) = self.rows.get_mut()
            && is_there
        {
            rewrite(index, Rewrite::Row(rows));
        }
        if has_trees {
            let mut bounds = [f32::INFINITY; 8];
            if is_there {
                rewrite(index, Rewrite::Bounds(&mut bounds));
            }
            if !self.refit((change, index), len, &bounds) {
                self.clear_trees();
                return Kept::Part;
            }
            self.replace_tree(len, rewrite);
        }
        Kept::All
    }

    /// Replaces a tree that has decayed, if another one is done.
    fn replace_tree(&mut self, len: usize, mut rewrite: impl FnMut(usize, Rewrite<'_>)) {
        let Some(mut done) = self.half_tree.take_if(|half| half.is_done) else {
            return;
        };
        self.tree_by_area.begin_rent();
        let Some(old) = self.tree_by_area.get_mut() else {
            return;
        };
        let serial = old.serial();
        let changed = self.journal.changed_since(done.serial);
        let read = |i: usize, to: &mut [f32; 8]| rewrite(i, Rewrite::Bounds(to));
        let is_current = done.catch_up(changed, serial, len, read);
        if is_current && done.tree.len() == old.len() && !done.tree.is_decayed() {
            *old = done.tree;
            self.tree.clear();
        }
    }

    /// Replaces the bounds of a shape. False if a tree has to be built anew.
    fn refit(&mut self, (change, index): (Change, usize), len: usize, bounds: &[f32; 8]) -> bool {
        let (mut before, mut serial) = (0, None);
        let was_decayed = self.tree_by_area.get().is_some_and(Tree::is_decayed);
        for slot in [&mut self.tree, &mut self.tree_by_area] {
            if let Some(tree) = slot.get_mut() {
                let is_kept = match change {
                    Change::Set => tree.put(index, bounds),
                    Change::Removed => tree.swap_remove(index, len),
                };
                if !is_kept {
                    return false;
                }
                // Both trees are of the same bounds.
                match serial {
                    None => {
                        before = tree.serial();
                        tree.renew_serial();
                        serial = Some(tree.serial());
                    }
                    Some(serial) => tree.set_serial(serial),
                }
            }
        }
        if !was_decayed && self.tree_by_area.get().is_some_and(Tree::is_decayed) {
            self.tree_by_area.begin_rent();
            // A build that has begun may be of the first tree.
            self.half_tree.clear();
        }
        if let Some(rows) = self.bounds.get_mut() {
            let rows = rows.rows_mut::<[f32; 8]>(padded(len.max(index + 1)));
            rows[index] = *bounds;
            rows[len..].fill([f32::INFINITY; 8]);
        }
        let Journal { since, changes } = &mut self.journal;
        if changes.len() >= MOST_CHANGES {
            changes.clear();
        }
        if changes.is_empty() {
            *since = before;
        }
        let serial = serial.unwrap_or(before);
        changes.push((serial, index as u32));
        if change == Change::Removed {
            changes.push((serial, len as u32));
        }
        true
    }
}

#[cfg(feature = "std")]
mod imp {
    use core::hint::black_box;
    use core::mem;
    use core::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering::Relaxed};
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

        /// Begins the rent anew.
        pub fn begin_rent(&self) {
            self.cost.store(0, Relaxed);
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
    pub fn keeps_subnormals() -> bool {
        let smallest = black_box(f32::from_bits(1));
        (smallest + black_box(0.0)).to_bits() != 0
    }

    /// A value that one call at a time may change.
    #[derive(Default)]
    pub struct Shared<M>(Mutex<M>);

    impl<M: Default> Shared<M> {
        /// Changes the value. `None` while another thread does, and if this thread flushes subnormal numbers.
        pub fn with<R>(&self, change: impl FnOnce(&mut M) -> R) -> Option<R> {
            if !keeps_subnormals() {
                return None;
            }
            match self.0.try_lock() {
                Ok(mut value) => Some(change(&mut value)),
                Err(TryLockError::Poisoned(value)) => {
                    let mut value = value.into_inner();
                    *value = M::default();
                    Some(change(&mut value))
                }
                Err(TryLockError::WouldBlock) => None,
            }
        }

        /// The value, taken if it is as wanted.
        pub fn take_if(&mut self, is_wanted: impl FnOnce(&M) -> bool) -> Option<M> {
            let value = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
            is_wanted(value).then(|| mem::take(value))
        }

        /// Drops the value.
        pub fn clear(&mut self) {
            self.take_if(|_| true);
        }
    }

    /// Changes of single shapes between two calls.
    #[derive(Default)]
    pub struct Changes {
        count: AtomicUsize,
        /// Each of the last overflows has quartered the share of shapes that may change; each call in time doubles it.
        backoff: AtomicUsize,
    }

    impl Changes {
        /// Ends the changes before a call.
        pub fn end(&self) {
            if self.count.load(Relaxed) > 0 {
                self.count.store(0, Relaxed);
                let backoff = self.backoff.load(Relaxed);
                self.backoff.store(backoff.saturating_sub(1), Relaxed);
            }
        }

        /// Whether one more change is within the share `most`.
        pub fn admit(&mut self, most: usize) -> bool {
            let (count, backoff) = (self.count.get_mut(), self.backoff.get_mut());
            *count += 1;
            let admits = *count <= (most >> *backoff).max(1);
            if !admits {
                (*count, *backoff) = (0, (*backoff + 2).min(16));
            }
            admits
        }
    }

    /// A fact that is found when it is first needed.
    #[derive(Default)]
    pub struct Known(AtomicU8);

    impl Known {
        const UNKNOWN: u8 = 0;

        /// The fact.
        pub fn get_or(&self, find: impl FnOnce() -> bool) -> bool {
            let known = self.0.load(Relaxed);
            if known != Self::UNKNOWN {
                return known == Self::of(true);
            }
            let fact = find();
            self.0.store(Self::of(fact), Relaxed);
            fact
        }

        /// Whether the fact is known and true.
        pub fn is_true(&self) -> bool {
            self.0.load(Relaxed) == Self::of(true)
        }

        /// Sets the fact.
        pub fn set(&mut self, fact: bool) {
            *self.0.get_mut() = Self::of(fact);
        }

        /// Forgets the fact.
        pub fn forget(&mut self) {
            *self.0.get_mut() = Self::UNKNOWN;
        }

        fn of(fact: bool) -> u8 {
            1 + u8::from(fact)
        }
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
        pub fn begin_rent(&self) {}
        pub fn get_mut(&mut self) -> Option<&mut M> {
            None
        }
        pub fn pay_back(&mut self, _rent: usize) {}
        pub fn build(&self, _build: impl FnOnce(&mut M)) -> Option<&M> {
            None
        }
        pub(crate) fn clear(&mut self) {}
    }

    /// A value that is not kept.
    #[derive(Default)]
    pub struct Shared<M>(PhantomData<M>);

    impl<M> Shared<M> {
        pub fn with<R>(&self, _change: impl FnOnce(&mut M) -> R) -> Option<R> {
            None
        }
        pub fn take_if(&mut self, _is_wanted: impl FnOnce(&M) -> bool) -> Option<M> {
            None
        }
        pub fn clear(&mut self) {}
    }

    /// Changes that nothing is kept of.
    #[derive(Default)]
    pub struct Changes;

    impl Changes {
        pub fn end(&self) {}
        pub fn admit(&mut self, _most: usize) -> bool {
            true
        }
    }

    /// Nothing is kept for other threads.
    pub fn keeps_subnormals() -> bool {
        false
    }

    /// A fact that is not kept, and taken as false.
    #[derive(Default)]
    pub struct Known;

    impl Known {
        pub fn get_or(&self, _find: impl FnOnce() -> bool) -> bool {
            false
        }
        pub fn is_true(&self) -> bool {
            false
        }
        pub fn set(&mut self, _fact: bool) {}
        pub fn forget(&mut self) {}
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
