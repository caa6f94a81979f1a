//! Which contents a store has.

/// Tells the contents of a store from all others, and from what they were before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    store: core::num::NonZeroU64,
    changes: u64,
}

impl Version {
    /// Whether both are contents of one store.
    pub fn is_same_store(self, other: Self) -> bool {
        self.store == other.store
    }
}

#[cfg(target_has_atomic = "64")]
mod told {
    use core::num::NonZeroU64;
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

    use super::Version;

    /// The contents of a store.
    #[derive(Default)]
    pub struct Contents {
        /// Another one for each store; zero until somebody asks.
        store: AtomicU64,
        changes: u64,
    }

    impl Contents {
        /// Which they are, if that can be told.
        pub fn version(&self) -> Option<Version> {
            let store = NonZeroU64::new(self.store.load(Relaxed)).or_else(|| self.new_store())?;
            Some(Version {
                store,
                changes: self.changes,
            })
        }

        #[cold]
        fn new_store(&self) -> Option<NonZeroU64> {
            static NEXT: AtomicU64 = AtomicU64::new(1);
            let new = NEXT.fetch_add(1, Relaxed);
            // Another thread may have been first.
            let exchanged = self.store.compare_exchange(0, new, Relaxed, Relaxed);
            NonZeroU64::new(exchanged.map_or_else(|first| first, |_| new))
        }

        /// They may be others now.
        ///
        /// Counting takes a thread less time than a number that no other thread has: 128 overlaps after a
        /// change of the store took 0.6 µs instead of 0.5.
        #[inline]
        pub fn change(&mut self) {
            self.changes += 1;
        }
    }

    impl Clone for Contents {
        /// From now on they change by themselves.
        fn clone(&self) -> Self {
            Contents::default()
        }
    }
}

/// Numbers of fewer bits could come again.
#[cfg(not(target_has_atomic = "64"))]
mod told {
    use super::Version;

    #[derive(Clone, Default)]
    pub struct Contents;

    impl Contents {
        pub fn version(&self) -> Option<Version> {
            None
        }
        pub fn change(&mut self) {}
    }
}

pub use told::Contents;
