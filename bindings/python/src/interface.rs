//! Checks of the structs of the Arrow C data interface, before arrow-rs reads them.
//!
//! arrow-rs panics on structs that contradict themselves or each other.

use std::ffi::{CStr, c_char, c_void};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use arrow_schema::DataType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The most levels of nested types that are read, as in Arrow C++.
const MAX_DEPTH: usize = 64;

/// The largest length or offset of an array: no buffer of it overflows an address.
const MAX_LEN: i64 = i64::MAX / 64;

/// `struct ArrowSchema` of the interface.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const *const Schema,
    dictionary: *const Schema,
    release: *const c_void,
    private_data: *const c_void,
}

/// `struct ArrowArray` of the interface.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const c_void,
    children: *const *const Array,
    dictionary: *const Array,
    release: *const c_void,
    private_data: *const c_void,
}

// Both have the layout of the structs of arrow-rs, whose fields are private.
const _: () = assert!(
    size_of::<Schema>() == size_of::<FFI_ArrowSchema>()
        && size_of::<Array>() == size_of::<FFI_ArrowArray>()
);

fn bad(path: &str, what: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("bad Arrow data: {path} {what}"))
}

/// The children of a struct of the interface, none of them null.
///
/// # Safety
///
/// `children` is null or points to `count` pointers, each null or valid for `'a`.
unsafe fn children<'a, T>(
    path: &str,
    children: *const *const T,
    count: i64,
) -> PyResult<Vec<&'a T>> {
    let Ok(count) = usize::try_from(count) else {
        return Err(bad(path, format_args!("has {count} children")));
    };
    if count > 0 && children.is_null() {
        return Err(bad(path, "has children without memory"));
    }
    let child = |index: usize| {
        // SAFETY: the caller promises `count` pointers, and `index` is below it.
        let child = unsafe { children.add(index).read_unaligned() };
        // SAFETY: the caller promises that each is null or valid.
        unsafe { child.as_ref() }.ok_or_else(|| bad(path, format_args!("has no child {index}")))
    };
    (0..count).map(child).collect()
}

/// A text of the interface.
///
/// # Safety
///
/// `text` points to bytes up to a zero, valid for `'a`.
unsafe fn text<'a>(path: &str, what: &str, text: *const c_char) -> PyResult<&'a str> {
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|_| bad(path, format_args!("has a {what} that is not UTF-8")))
}

/// Fails if a schema contradicts itself.
///
/// # Safety
///
/// The schema and the memory that it points to are valid.
pub unsafe fn check_schema(schema: &FFI_ArrowSchema) -> PyResult<()> {
    let schema: *const FFI_ArrowSchema = schema;
    // SAFETY: both are `struct ArrowSchema` of the interface.
    let schema = unsafe { &*schema.cast::<Schema>() };
    // SAFETY: as the caller promises.
    unsafe { check_type("the schema", schema, 0) }
}

/// Fails if the schema of a type contradicts itself.
///
/// # Safety
///
/// As for `check_schema`.
unsafe fn check_type(path: &str, schema: &Schema, depth: usize) -> PyResult<()> {
    if depth > MAX_DEPTH {
        return Err(bad(
            path,
            format_args!("has more than {MAX_DEPTH} levels of types"),
        ));
    }
    if schema.format.is_null() {
        return Err(bad(path, "has no format"));
    }
    // SAFETY: the format is not null, so it is a text that lives as long as the schema.
    let format = unsafe { text(path, "format", schema.format) }?;
    if !schema.name.is_null() {
        // SAFETY: as for the format.
        unsafe { text(path, "name", schema.name) }?;
    }
    let expected = match format.split(':').next().unwrap_or_default() {
        "+s" | "+ud" | "+us" => None,
        "+l" | "+L" | "+vl" | "+vL" | "+w" | "+m" => Some(1),
        "+r" => Some(2),
        _ => Some(0),
    };
    if let Some(expected) = expected
        && schema.n_children != expected
    {
        return Err(bad(
            path,
            format_args!(
                "has {} children, but its format {format:?} has {expected}",
                schema.n_children
            ),
        ));
    }
    // SAFETY: the exporter promises as many valid children.
    let children = unsafe { children(path, schema.children, schema.n_children) }?;
    let size = format
        .strip_prefix("w:")
        .or_else(|| format.strip_prefix("+w:"));
    if let Some(size) = size
        && !size.parse::<i32>().is_ok_and(|size| size >= 0)
    {
        return Err(bad(
            path,
            format_args!("has format {format:?}, whose size is no count"),
        ));
    }
    for (index, child) in children.into_iter().enumerate() {
        // SAFETY: a child is valid as long as its parent.
        unsafe { check_type(&format!("{path}.{index}"), child, depth + 1) }?;
    }
    // SAFETY: a dictionary is null or valid as long as its schema.
    if let Some(dictionary) = unsafe { schema.dictionary.as_ref() } {
        if !matches!(format, "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L") {
            return Err(bad(
                path,
                format_args!("has a dictionary, though its format is {format:?}"),
            ));
        }
        // SAFETY: as above.
        unsafe { check_type(&format!("{path}.dictionary"), dictionary, depth + 1) }?;
    }
    Ok(())
}

/// The children of a struct array that are read.
#[derive(Clone, Copy)]
pub struct Kept<'a> {
    /// Their indices, ascending.
    pub indices: &'a [usize],
    /// Number of all children.
    pub of: usize,
}

/// Fails if the lengths and counts of an array contradict its type, or if the type is none of struct, fixed-size list
/// and float32.
///
/// With `kept` the array is a struct, and the type is that of its kept children. Other children are not read.
///
/// # Safety
///
/// The array and the structs that it points to are valid.
pub unsafe fn check_array(
    array: &FFI_ArrowArray,
    data_type: &DataType,
    kept: Option<Kept<'_>>,
) -> PyResult<()> {
    let array: *const FFI_ArrowArray = array;
    // SAFETY: both are `struct ArrowArray` of the interface.
    let array = unsafe { &*array.cast::<Array>() };
    // SAFETY: as the caller promises.
    unsafe { check_child("the array", array, data_type, kept) }
}

/// A struct array of which some children are read.
pub struct Parts {
    pub len: usize,
    pub offset: usize,
    pub nulls: Option<NullBuffer>,
    pub children: Vec<FFI_ArrowArray>,
}

impl Parts {
    /// Moves the kept children out of a struct array, and releases it with the other ones.
    ///
    /// # Safety
    ///
    /// `check_array` accepts the array with `kept`, and the memory that it points to is valid.
    pub unsafe fn of(array: FFI_ArrowArray, kept: Kept<'_>) -> PyResult<Self> {
        let raw: *const FFI_ArrowArray = &array;
        // SAFETY: both are `struct ArrowArray` of the interface.
        let raw = unsafe { &*raw.cast::<Array>() };
        // Neither is negative or too large, which `check_array` rejects.
        let (len, offset) = (raw.length as usize, raw.offset as usize);
        // SAFETY: `check_array` has found one buffer.
        let validity = unsafe { raw.buffers.read_unaligned() }.cast::<u8>();
        let nulls = (!validity.is_null() && raw.null_count != 0).then(|| {
            // SAFETY: a validity buffer has a bit for each row, those before the offset included.
            let bytes = unsafe { std::slice::from_raw_parts(validity, (offset + len).div_ceil(8)) };
            NullBuffer::new(BooleanBuffer::new(Buffer::from(bytes), offset, len))
        });
        let mut children = Vec::new();
        for &index in kept.indices {
            // SAFETY: `check_array` has found `kept.of` children, none of them null, and indices are below that.
            let child = unsafe { raw.children.add(index).read_unaligned() };
            // SAFETY: the array is moved out and marked as released, as the interface allows for children of an array that is
            // released next, at the end of this function.
            let child = unsafe { FFI_ArrowArray::from_raw(child.cast_mut().cast()) };
            if child.is_released() {
                return Err(bad(&format!("the array.{index}"), "is released"));
            }
            children.push(child);
        }
        Ok(Parts {
            len,
            offset,
            nulls,
            children,
        })
    }
}

/// Fails if an array or one of its descendants contradicts its type.
///
/// # Safety
///
/// As for `check_array`.
unsafe fn check_child(
    path: &str,
    array: &Array,
    data_type: &DataType,
    kept: Option<Kept<'_>>,
) -> PyResult<()> {
    let (buffers, types): (_, Vec<&DataType>) = match data_type {
        DataType::Struct(fields) => (1, fields.iter().map(|field| field.data_type()).collect()),
        DataType::FixedSizeList(field, _) => (1, vec![field.data_type()]),
        DataType::Float32 => (2, Vec::new()),
        other => return Err(bad(path, format_args!("has type {other}"))),
    };
    let is_len = |len: i64| (0..=MAX_LEN).contains(&len);
    if !is_len(array.length) || !is_len(array.offset) {
        return Err(bad(
            path,
            format_args!("has length {} and offset {}", array.length, array.offset),
        ));
    }
    if array.n_buffers != buffers || array.buffers.is_null() {
        return Err(bad(
            path,
            format_args!(
                "has {} buffers, but its type {data_type} has {buffers}",
                array.n_buffers
            ),
        ));
    }
    let expected = kept.map_or(types.len(), |kept| kept.of);
    if usize::try_from(array.n_children) != Ok(expected) {
        return Err(bad(
            path,
            format_args!(
                "has {} children, but its type {data_type} has {expected}",
                array.n_children
            ),
        ));
    }
    // SAFETY: the exporter promises as many valid children.
    let mut children = unsafe { children(path, array.children, array.n_children) }?;
    if let Some(kept) = kept {
        let all = kept.indices.iter();
        children = all
            .filter_map(|&index| children.get(index).copied())
            .collect();
    }
    for (index, (child, data_type)) in children.into_iter().zip(types).enumerate() {
        let index = kept
            .and_then(|kept| kept.indices.get(index).copied())
            .unwrap_or(index);
        // SAFETY: a child is valid as long as its parent.
        unsafe { check_child(&format!("{path}.{index}"), child, data_type, None) }?;
    }
    Ok(())
}
