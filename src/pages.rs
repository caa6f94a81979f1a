//! Memory that is large, in huge pages where the system has them.
//!
//! A pair touches a line of each column, and in stores of a million shapes each lies in a page of its
//! own: more pages than a CPU keeps at hand. On Zen 4 huge ones bring lists of 512 pairs all over such a
//! store 1.3 to 1.6 times the speed, 4 M pairs in random order 1.2 to 1.7, and neighbours up to 1.08.
#![allow(unsafe_code)]

use alloc::collections::TryReserveError;
use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};

/// Memory of whole cache lines, so that rows of 64 bytes take one each.
#[derive(Debug, Default)]
pub struct Lines(Vec<Line>);

/// A cache line.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Line([f32; 16]);

impl Lines {
    /// The first `len` rows. Panics if there is less memory.
    pub fn rows<R: Pod>(&self, len: usize) -> &[R] {
        let floats: &[f32] = bytemuck::cast_slice(&self.0);
        bytemuck::cast_slice(&floats[..floats_of::<R>(len)])
    }

    /// Room for `len` rows, which hold whatever was there before.
    pub fn rows_mut<R: Pod>(&mut self, len: usize) -> &mut [R] {
        let lines = floats_of::<R>(len).div_ceil(floats_of::<Line>(1));
        if self.0.len() < lines {
            resize(&mut self.0, lines, Line::zeroed());
        }
        let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut self.0);
        bytemuck::cast_slice_mut(&mut floats[..floats_of::<R>(len)])
    }
}

/// How many numbers `len` rows have.
const fn floats_of<R>(len: usize) -> usize {
    len * (size_of::<R>() / size_of::<f32>())
}

/// Makes room for `additional` more elements.
pub fn reserve<T>(memory: &mut Vec<T>, additional: usize) {
    if try_reserve(memory, additional).is_err() {
        // Ends the program with the message of `Vec`.
        memory.reserve(additional);
    }
}

/// As [`reserve`], or an error if there is no such memory.
pub fn try_reserve<T>(memory: &mut Vec<T>, additional: usize) -> Result<(), TryReserveError> {
    let before = memory.capacity();
    memory.try_reserve(additional)?;
    if memory.capacity() != before {
        ask_for_huge_pages(memory);
    }
    Ok(())
}

/// Makes room for `len` elements in all.
pub fn reserve_all<T>(memory: &mut Vec<T>, len: usize) {
    let additional = len.saturating_sub(memory.len());
    reserve(memory, additional);
}

/// As [`reserve_all`], or an error if there is no such memory.
pub fn try_reserve_all<T>(memory: &mut Vec<T>, len: usize) -> Result<(), TryReserveError> {
    /// Elements of more bytes than these grow by an eighth at once, not to twice as many.
    const LARGE: usize = 1 << 20;
    let before = memory.capacity();
    if len > before && len.saturating_mul(size_of::<T>()) > LARGE {
        memory.try_reserve_exact(len.saturating_add(len / 8).saturating_sub(memory.len()))?;
    } else {
        memory.try_reserve(len.saturating_sub(memory.len()))?;
    }
    if memory.capacity() != before {
        ask_for_huge_pages(memory);
    }
    Ok(())
}

/// As [`resize`], or an error if there is no such memory.
pub fn try_resize<T: Clone>(
    memory: &mut Vec<T>,
    len: usize,
    value: T,
) -> Result<(), TryReserveError> {
    try_reserve_all(memory, len)?;
    memory.resize(len, value);
    Ok(())
}

/// Makes it `len` elements long, new ones being `value`.
pub fn resize<T: Clone>(memory: &mut Vec<T>, len: usize, value: T) {
    reserve_all(memory, len);
    memory.resize(len, value);
}

/// Linux gives huge pages to those who ask, if it is not told otherwise. Other systems decide alone.
#[cfg(all(feature = "std", target_os = "linux", not(miri)))]
fn ask_for_huge_pages<T>(memory: &mut Vec<T>) {
    use core::ffi::{c_int, c_void};

    /// The size of a huge page; elsewhere than on x86-64 it may be another, and nothing is gained.
    const HUGE: usize = 2 << 20;
    const MADV_HUGEPAGE: c_int = 14;

    unsafe extern "C" {
        fn madvise(start: *mut c_void, len: usize, advice: c_int) -> c_int;
    }

    let start = memory.as_mut_ptr().cast::<u8>();
    let skipped = start.addr().wrapping_neg() % HUGE;
    let len = (memory.capacity() * size_of::<T>()).saturating_sub(skipped) / HUGE * HUGE;
    if len > 0 {
        // SAFETY: the standard library links the C library, which has this function. The range belongs to
        // the allocation, and the advice changes nothing but how it is mapped. That it may be refused
        // does not matter.
        unsafe { madvise(start.wrapping_add(skipped).cast(), len, MADV_HUGEPAGE) };
    }
}

#[cfg(not(all(feature = "std", target_os = "linux", not(miri))))]
fn ask_for_huge_pages<T>(_memory: &mut Vec<T>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_stays() {
        let mut memory: Vec<u32> = Vec::new();
        reserve(&mut memory, 3);
        memory.extend([1, 2, 3]);
        // Some lie in no huge page, some in several.
        for len in [1000, 1 << 20, 3 << 19, 10] {
            resize(&mut memory, len, 7);
            assert_eq!(memory.len(), len);
            assert_eq!(memory[..3], [1, 2, 3]);
            assert!(memory[3..].iter().all(|&x| x == 7));
        }
        assert!(memory.capacity() >= 3 << 19);
    }
}
