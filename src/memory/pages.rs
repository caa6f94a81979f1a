//! Large allocations, backed by huge pages on Linux.
//!
//! A pair reads one cache line of each column. In a store of a million shapes each of these lines is in a separate
//! page, and the pages outnumber the entries of the TLB. Huge pages make scattered pairs up to 1.7 times as fast
//! (notes: figures moved from the source).
#![allow(unsafe_code)]

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};

/// An allocation aligned to cache lines, so that a row of 64 bytes occupies exactly one.
#[derive(Clone, Debug, Default)]
pub struct Lines(Vec<Line>);

/// A cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct Line(pub [f32; 16]);

impl Lines {
    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.0.capacity() * size_of::<Line>()
    }

    /// The first `len` rows. Panics if fewer are allocated.
    pub fn rows<R: Pod>(&self, len: usize) -> &[R] {
        let floats: &[f32] = bytemuck::cast_slice(&self.0);
        bytemuck::cast_slice(&floats[..floats_of::<R>(len)])
    }

    /// Reserves memory for `len` rows.
    pub fn try_reserve<R: Pod>(&mut self, len: usize) -> Result<(), TryReserveError> {
        try_reserve_all(
            &mut self.0,
            floats_of::<R>(len).div_ceil(floats_of::<Line>(1)),
        )
    }

    /// Like [`try_reserve`](Self::try_reserve), in small pages.
    pub fn try_reserve_in_small_pages<R: Pod>(
        &mut self,
        len: usize,
    ) -> Result<(), TryReserveError> {
        let lines = floats_of::<R>(len).div_ceil(floats_of::<Line>(1));
        try_reserve_in_small_pages(&mut self.0, lines)
    }

    /// Requests huge pages for what is in small ones, which the kernel merges in the background.
    pub fn ask_for_huge_pages(&mut self) {
        ask_for_huge_pages(&mut self.0);
    }

    /// Space for `len` rows, with unspecified contents.
    pub fn rows_mut<R: Pod>(&mut self, len: usize) -> &mut [R] {
        let lines = floats_of::<R>(len).div_ceil(floats_of::<Line>(1));
        if self.0.len() < lines {
            resize(&mut self.0, lines, Line::zeroed());
        }
        let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut self.0);
        bytemuck::cast_slice_mut(&mut floats[..floats_of::<R>(len)])
    }
}

/// Number of floats in `len` rows.
const fn floats_of<R>(len: usize) -> usize {
    len * (size_of::<R>() / size_of::<f32>())
}

/// Reserves capacity for `additional` more elements.
pub fn reserve<T>(memory: &mut Vec<T>, additional: usize) {
    if try_reserve(memory, additional).is_err() {
        // Aborts with the message of `Vec`.
        memory.reserve(additional);
    }
}

/// Like [`reserve`], but returns an error if the allocation fails.
pub fn try_reserve<T>(memory: &mut Vec<T>, additional: usize) -> Result<(), TryReserveError> {
    let before = memory.capacity();
    memory.try_reserve(additional)?;
    if memory.capacity() != before {
        ask_for_huge_pages(memory);
    }
    Ok(())
}

/// Reserves capacity for `len` elements in total.
pub fn reserve_all<T>(memory: &mut Vec<T>, len: usize) {
    let additional = len.saturating_sub(memory.len());
    reserve(memory, additional);
}

/// Reserves capacity for `len` elements in total, in small pages: the kernel clears a whole huge page when it is first written.
pub fn try_reserve_in_small_pages<T>(
    memory: &mut Vec<T>,
    len: usize,
) -> Result<(), TryReserveError> {
    memory.try_reserve_exact(len.saturating_sub(memory.len()))
}

/// Like [`reserve_all`], but returns an error if the allocation fails.
#[inline]
pub fn try_reserve_all<T>(memory: &mut Vec<T>, len: usize) -> Result<(), TryReserveError> {
    if len <= memory.capacity() {
        return Ok(());
    }
    grow(memory, len)
}

/// Grows the allocation to `len` elements, more than its capacity.
#[cold]
fn grow<T>(memory: &mut Vec<T>, len: usize) -> Result<(), TryReserveError> {
    /// Above this many bytes, capacity grows by an eighth instead of doubling.
    const LARGE: usize = 1 << 20;
    if len.saturating_mul(size_of::<T>()) > LARGE {
        memory.try_reserve_exact(len.saturating_add(len / 8).saturating_sub(memory.len()))?;
    } else {
        memory.try_reserve(len.saturating_sub(memory.len()))?;
    }
    ask_for_huge_pages(memory);
    Ok(())
}

/// Like [`resize`], but returns an error if the allocation fails.
pub fn try_resize<T: Clone>(
    memory: &mut Vec<T>,
    len: usize,
    value: T,
) -> Result<(), TryReserveError> {
    try_reserve_all(memory, len)?;
    memory.resize(len, value);
    Ok(())
}

/// Resizes to `len` elements; new ones are `value`.
pub fn resize<T: Clone>(memory: &mut Vec<T>, len: usize, value: T) {
    reserve_all(memory, len);
    memory.resize(len, value);
}

/// Requests huge pages. On Linux, transparent huge pages need `madvise` by default; other systems have no
/// counterpart.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
pub fn ask_for_huge_pages<T>(memory: &mut Vec<T>) {
    use core::ffi::{c_int, c_void};

    /// Huge page size on x86-64. Where it differs, the advice is harmless.
    const HUGE: usize = 2 << 20;
    const MADV_HUGEPAGE: c_int = 14;

    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }

    let start = memory.as_mut_ptr().cast::<u8>();
    let skipped = start.addr().wrapping_neg() % HUGE;
    let len = (memory.capacity() * size_of::<T>()).saturating_sub(skipped) / HUGE * HUGE;
    if len > 0 {
        // SAFETY: the standard library links the C library, which has this function. The range is inside
        // the allocation, and the advice changes only how it is mapped. A refusal is harmless.
        unsafe { madvise(start.wrapping_add(skipped).cast(), len, MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", not(miri))))]
pub fn ask_for_huge_pages<T>(_memory: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resize_across_huge_pages_keeps_contents() {
        let mut memory: Vec<u32> = Vec::new();
        reserve(&mut memory, 3);
        memory.extend([1, 2, 3]);
        // Allocations without a whole huge page, and with several.
        for len in [1000, 1 << 20, 3 << 19, 10] {
            resize(&mut memory, len, 7);
            assert_eq!(memory.len(), len);
            assert_eq!(memory[..3], [1, 2, 3]);
            assert!(memory[3..].iter().all(|&x| x == 7));
        }
        assert!(memory.capacity() >= 3 << 19);
    }
}
