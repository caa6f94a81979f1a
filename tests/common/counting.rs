//! An allocator that counts the allocations of a test, and fails on request. For files with one test, because other
//! threads count too, except in [`allocations_of`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);
static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Larger allocations fail.
static LARGEST: AtomicUsize = AtomicUsize::new(usize::MAX);

thread_local! {
    /// Number of allocations of this thread.
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn count(size: usize, freed: usize) {
    CALLS.set(CALLS.get() + 1);
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

/// Number of allocations of a call on this thread: the test harness allocates on another one, beside the test.
#[allow(dead_code)]
pub fn allocations_of(call: impl FnOnce()) -> usize {
    let before = CALLS.get();
    call();
    CALLS.get() - before
}

/// Number of bytes that all threads allocate during a call.
#[allow(dead_code)]
pub fn bytes_of(call: impl FnOnce()) -> usize {
    let before = BYTES.load(Relaxed);
    call();
    BYTES.load(Relaxed) - before
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
