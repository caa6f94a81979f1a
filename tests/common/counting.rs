//! An allocator that counts the allocations of a test, and fails on request. For files with one test, because other
//! threads would count too.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Larger allocations fail.
static LARGEST: AtomicUsize = AtomicUsize::new(usize::MAX);

fn count(size: usize, freed: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(size, Relaxed);
    let live = LIVE.fetch_add(size, Relaxed) + size;
    LIVE.fetch_sub(freed, Relaxed);
    PEAK.fetch_max(live - freed, Relaxed);
}

// SAFETY: the system's allocator does the work, and counting does not affect it. A null pointer reports that memory ran
// out.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.size() > LARGEST.load(Relaxed) {
            return ptr::null_mut();
        }
        count(layout.size(), 0);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if size > LARGEST.load(Relaxed) {
            return ptr::null_mut();
        }
        count(size, layout.size());
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Number of allocations of a call, and of bytes in all.
#[allow(dead_code)]
pub fn allocations_of(call: impl FnOnce()) -> (usize, usize) {
    let now = || (CALLS.load(Relaxed), BYTES.load(Relaxed));
    let before = now();
    call();
    let after = now();
    (after.0 - before.0, after.1 - before.1)
}

/// Peak number of bytes allocated during a call, beyond the bytes before it.
#[allow(dead_code)]
pub fn peak_of(call: impl FnOnce()) -> usize {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    call();
    PEAK.load(Relaxed) - before
}

/// Number of bytes that a call leaves allocated.
#[allow(dead_code)]
pub fn kept_by(call: impl FnOnce()) -> usize {
    let before = LIVE.load(Relaxed);
    call();
    LIVE.load(Relaxed) - before
}

/// Runs a call while allocations of more than `largest` bytes fail.
#[allow(dead_code)]
pub fn with_largest<T>(largest: usize, call: impl FnOnce() -> T) -> T {
    LARGEST.store(largest, Relaxed);
    let result = call();
    LARGEST.store(usize::MAX, Relaxed);
    result
}
