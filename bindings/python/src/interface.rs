//! Checks of the structs of the Arrow C data interface, before arrow-rs reads them.
//!
//! arrow-rs panics on structs that contradict themselves or each other.

use std::ffi::{CStr, c_char, c_void};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
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

/// Fails if the lengths and counts of an array contradict its type, or if the type is none of struct, fixed-size list
/// and float32.
///
/// # Safety
///
/// The array and the structs that it points to are valid.
pub unsafe fn check_array(array: &FFI_ArrowArray, data_type: &DataType) -> PyResult<()> {
    let array: *const FFI_ArrowArray = array;
    // SAFETY: both are `struct ArrowArray` of the interface.
    let array = unsafe { &*array.cast::<Array>() };
    // SAFETY: as the caller promises.
    unsafe { check_child("the array", array, data_type) }
}

/// Fails if an array or one of its descendants contradicts its type.
///
/// # Safety
///
/// As for `check_array`.
unsafe fn check_child(path: &str, array: &Array, data_type: &DataType) -> PyResult<()> {
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
    if usize::try_from(array.n_children) != Ok(types.len()) {
        return Err(bad(
            path,
            format_args!(
                "has {} children, but its type {data_type} has {}",
                array.n_children,
                types.len()
            ),
        ));
    }
    // SAFETY: the exporter promises as many valid children.
    let children = unsafe { children(path, array.children, array.n_children) }?;
    for (index, (child, data_type)) in children.into_iter().zip(types).enumerate() {
        // SAFETY: a child is valid as long as its parent.
        unsafe { check_child(&format!("{path}.{index}"), child, data_type) }?;
    }
    Ok(())
}
