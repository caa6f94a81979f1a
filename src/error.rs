//! Errors, the defects of shapes, and the number of invalid ones.

use core::fmt;

use crate::collider_id::ColliderId;
use crate::limits::{MAX_HULL_OFFSET, MAX_LENGTH};
use crate::pairs::Pair;

/// The reason a call was rejected.
///
/// The call changed nothing, with two exceptions. [`Error::InvalidPair`] and [`Error::InvalidShape`] are returned after
/// the results are written. After [`Error::OutOfMemory`] the output of contacts or impacts may be empty.
///
/// Errors concern structure: indices, lengths, settings, memory. An invalid value in a shape is not an error: it flags
/// the pairs of that shape, see [`Overlaps::is_invalid`](crate::Overlaps::is_invalid). Only `validate()` and
/// [strict](crate::Detector::strict) detectors return it as an error: [`Error::BadShape`], [`Error::InvalidPair`] or
/// [`Error::InvalidShape`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A pair with an index past the end of its store.
    #[non_exhaustive]
    PairOutOfBounds {
        /// Position of the first such pair in the list.
        position: usize,
        /// The pair.
        pair: Pair,
        /// Number of shapes in the first store.
        len_a: usize,
        /// Number of shapes in the second store.
        len_b: usize,
    },
    /// [`Pairs::zip`](crate::Pairs::zip) over stores of different lengths.
    #[non_exhaustive]
    LengthMismatch {
        /// Number of shapes in the first store.
        len_a: usize,
        /// Number of shapes in the second store.
        len_b: usize,
    },
    /// First hits whose length differs from the length of the first store.
    #[non_exhaustive]
    FirstHitsLength {
        /// Number of shapes that the first hits are for.
        firsts: usize,
        /// Number of shapes in the first store.
        len: usize,
    },
    /// A shape without a [body](crate::Store::set_body), in a query of bodies.
    #[non_exhaustive]
    MissingBody {
        /// The index of the first such shape.
        index: u32,
    },
    /// First hits in more than 256 stores.
    TooManyStores,
    /// A pair list whose length differs from the number of results.
    #[non_exhaustive]
    AnswerCount {
        /// Number of pairs in the list.
        pairs: usize,
        /// Number of results.
        answers: usize,
    },
    /// An index past the end of a store.
    #[non_exhaustive]
    IndexOutOfBounds {
        /// The index.
        index: u32,
        /// Number of shapes in the store.
        len: usize,
    },
    /// An order whose number of indices differs from the number of shapes.
    #[non_exhaustive]
    OrderLength {
        /// Number of indices.
        order: usize,
        /// Number of shapes in the store.
        len: usize,
    },
    /// An order with a repeated index.
    #[non_exhaustive]
    RepeatedIndex {
        /// Position of the second occurrence.
        position: usize,
        /// The index.
        index: u32,
    },
    /// Borrowed columns of different lengths.
    #[non_exhaustive]
    ColumnLength {
        /// Index of the column: the shape's numbers in their order, then x, y and z of the
        /// displacement, then x, y and z of the turn.
        column: usize,
        /// Its length.
        len: usize,
        /// The length of the first column.
        expected: usize,
    },
    /// A column of results of another length than the others.
    #[non_exhaustive]
    ResultLength {
        /// Index of the column, in the order of the struct of columns.
        column: usize,
        /// Its length.
        len: usize,
        /// The length that it should have.
        expected: usize,
    },
    /// A value in a column of results that contradicts the others.
    #[non_exhaustive]
    ResultValue {
        /// Index of the column, in the order of the struct of columns.
        column: usize,
        /// Place in the column.
        index: usize,
        /// The value there.
        value: usize,
        /// The least that it may be.
        least: usize,
        /// The most that it may be.
        most: usize,
    },
    /// Offsets of lists that decrease, or that do not end at the number of entries.
    #[non_exhaustive]
    BadOffset {
        /// Position of the first such offset.
        position: usize,
        /// The offset.
        offset: usize,
        /// Number of entries of all lists.
        entries: usize,
    },
    /// More than `u32::MAX` shapes.
    #[non_exhaustive]
    TooManyShapes {
        /// Number of shapes.
        len: usize,
    },
    /// More than `u32::MAX` pairs, in a query that stores positions as `u32`.
    #[non_exhaustive]
    TooManyPairs {
        /// Number of pairs.
        len: usize,
    },
    /// A margin that is negative, not finite, or above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    BadMargin {
        /// The margin.
        margin: f32,
    },
    /// A radius that is negative, not finite, or above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    BadRadius {
        /// The radius.
        radius: f32,
    },
    /// A query of distances, or of the inside of a mesh, by a detector with a margin. Both are those of the shapes themselves.
    #[non_exhaustive]
    MarginNotAllowed {
        /// The margin of the detector.
        margin: f32,
    },
    /// A tolerance that is negative, not finite, or above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    BadTolerance {
        /// The tolerance.
        tolerance: f32,
    },
    /// No memory for a pair list, or for the results of one.
    #[non_exhaustive]
    OutOfMemory {
        /// Length of the list, or number of pairs found before memory ran out.
        pairs: usize,
    },
    /// A triangle of a [`Mesh`](crate::Mesh) with a vertex index past the last vertex.
    #[non_exhaustive]
    VertexOutOfBounds {
        /// Index of the first such triangle.
        triangle: usize,
        /// The first such index of a vertex.
        vertex: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A [flatness](crate::Mesh::with_flatness) that is negative, NaN, or above 0.5.
    #[non_exhaustive]
    BadFlatness {
        /// The flatness.
        flatness: f32,
    },
    /// A [`Mesh`](crate::Mesh) that is not [closed](crate::Mesh::is_closed), in a query of its inside.
    #[non_exhaustive]
    OpenMesh {
        /// Index of the first triangle with an open edge.
        triangle: u32,
        /// Its first open edge, from corner `edge` to corner `(edge + 1) % 3`.
        edge: u32,
    },
    /// No memory for a mesh.
    #[non_exhaustive]
    MeshOutOfMemory {
        /// Number of triangles.
        triangles: usize,
    },
    /// [`Mesh::place`](crate::Mesh::place) with a position that is not finite or too large, or with a quaternion that
    /// is not of unit length.
    #[non_exhaustive]
    BadPose {
        /// The first defect of the pose.
        defect: Defect,
    },
    /// A kind of hulls with no points, or with more than 64.
    #[non_exhaustive]
    HullPoints {
        /// Number of points.
        points: usize,
    },
    /// A maximum number of points of an outer hull below 4 or above 64.
    #[non_exhaustive]
    OuterHullPoints {
        /// Maximum number of points.
        most: usize,
    },
    /// A kind of hulls with an invalid point.
    #[non_exhaustive]
    BadHullPoint {
        /// Index of the first such point.
        index: usize,
        /// Its defect.
        defect: Defect,
    },
    /// A kind of hulls with an invalid [radius](crate::HullKinds::add_rounded).
    #[non_exhaustive]
    BadHullRadius {
        /// Its defect.
        defect: Defect,
    },
    /// A kind of hulls whose points are farther from their origin than [`HullKinds::MAX_OFFSET`](crate::HullKinds::MAX_OFFSET).
    #[non_exhaustive]
    HullOffCenter {
        /// The center of the bounding box of the points.
        center: [f32; 3],
        /// The half extents of that box, with the radius.
        half_extents: [f32; 3],
    },
    /// A hull of a kind that its store does not have.
    #[non_exhaustive]
    UnknownHullKind {
        /// The kind.
        kind: u32,
        /// Number of kinds.
        kinds: usize,
    },
    /// [`Mesh::place`](crate::Mesh::place) with a rest mesh whose number of triangles or vertices differs.
    #[non_exhaustive]
    OtherMesh {
        /// Number of triangles of the mesh.
        triangles: usize,
        /// Number of vertices of the mesh.
        vertices: usize,
        /// Number of triangles of the rest mesh.
        rest_triangles: usize,
        /// Number of vertices of the rest mesh.
        rest_vertices: usize,
    },
    /// An invalid shape in a store that a [strict](crate::Detector::strict) detector searched.
    #[non_exhaustive]
    InvalidShape {
        /// Whether the shape is in the second store.
        is_second: bool,
        /// Index of the first such shape.
        index: u32,
        /// The defect.
        defect: Defect,
    },
    /// A pair with an invalid shape, rejected by a [strict](crate::Detector::strict) detector.
    #[non_exhaustive]
    InvalidPair {
        /// Position of the first such pair in the list.
        position: usize,
        /// The pair.
        pair: Pair,
        /// Whether the invalid shape is in the second store.
        is_second: bool,
        /// The shape's first defect.
        defect: Defect,
    },
    /// An id of a collider that was removed from its scene, or of another scene.
    #[non_exhaustive]
    UnknownCollider {
        /// The id.
        id: ColliderId,
    },
    /// An invalid collider, refused by a strict scene.
    #[non_exhaustive]
    BadCollider {
        /// The collider; `None` if it is to be added.
        id: Option<ColliderId>,
        /// Its first defect.
        defect: Defect,
    },
    /// A number of a mesh that the scene does not have.
    #[non_exhaustive]
    UnknownMesh {
        /// The number.
        mesh: u32,
    },
    /// A mesh that is to be removed from a scene while colliders have it.
    #[non_exhaustive]
    MeshInUse {
        /// Its number.
        mesh: u32,
        /// Number of these colliders.
        colliders: usize,
    },
    /// An origin of a scene that is not finite.
    #[non_exhaustive]
    BadOrigin {
        /// The first such axis: 0 is x.
        axis: usize,
        /// The coordinate.
        value: f64,
    },
    /// An invalid ray, cast or point, refused by a strict scene.
    #[non_exhaustive]
    BadCast {
        /// Its place in the list.
        index: usize,
        /// Its first defect.
        defect: Defect,
    },
    /// A plane, a half-space or a mesh that is to search a scene.
    #[non_exhaustive]
    UnboundedCast {
        /// Its place in the list.
        index: usize,
    },
    /// An invalid shape, found by `validate()`.
    #[non_exhaustive]
    BadShape {
        /// Index of the first such shape.
        index: u32,
        /// The shape's first defect.
        defect: Defect,
    },
}

/// The reason a shape is invalid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Defect {
    /// A number is NaN or infinite.
    #[non_exhaustive]
    NotFinite {
        /// Name of the field.
        field: &'static str,
        /// Index within the field, if the field has several numbers.
        index: Option<usize>,
        /// The number.
        value: f32,
    },
    /// A length is above [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[non_exhaustive]
    TooLarge {
        /// Name of the field.
        field: &'static str,
        /// Index within the field, if the field has several numbers.
        index: Option<usize>,
        /// The length.
        value: f32,
    },
    /// A radius or half extent is below zero.
    #[non_exhaustive]
    Negative {
        /// Name of the field.
        field: &'static str,
        /// Index within the field, if the field has several numbers.
        index: Option<usize>,
        /// The size.
        value: f32,
    },
    /// An AABB whose `min` is above its `max` on some axis.
    #[non_exhaustive]
    MinAboveMax {
        /// The first such axis: 0 is x.
        axis: usize,
        /// `min` on that axis.
        min: f32,
        /// `max` on that axis.
        max: f32,
    },
    /// The normal of a plane or half-space is zero.
    ZeroNormal,
    /// A quaternion whose length differs from 1 by more than 1e-3.
    #[non_exhaustive]
    NotUnit {
        /// Length of the quaternion.
        length: f32,
    },
    /// A rotation vector longer than π.
    #[non_exhaustive]
    TurnTooLong {
        /// Length of the rotation vector, in radians.
        length: f32,
    },
}

/// Displays the name of a number: its field, and its index if there are several.
struct FieldPlace(&'static str, Option<usize>);

impl fmt::Display for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            FieldPlace(field, Some(index)) => write!(f, "{field}[{index}]"),
            FieldPlace(field, None) => f.write_str(field),
        }
    }
}

/// Hint for a length that stands for everything or for endless; empty for other fields.
fn way_out(field: &str, is_huge: bool) -> &'static str {
    match field {
        "min" | "max" if is_huge => ": a box of everything reaches to MAX_LENGTH",
        "displacement" if is_huge => ": an endless ray reaches to the end of the scene",
        _ => "",
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Error::PairOutOfBounds {
                position,
                pair,
                len_a,
                len_b,
            } => write!(
                f,
                "pair {position} is out of bounds: ({}, {}), but the stores have {len_a} and {len_b} shapes",
                pair.a, pair.b
            ),
            Error::LengthMismatch { len_a, len_b } => write!(
                f,
                "zip needs stores of equal length: they have {len_a} and {len_b} shapes"
            ),
            Error::FirstHitsLength { firsts, len } => write!(
                f,
                "first hits have {firsts} shapes, but the first store has {len}"
            ),
            Error::MissingBody { index } => {
                write!(
                    f,
                    "shape {index} of the first store belongs to no body: set_body gives it one"
                )
            }
            Error::TooManyStores => write!(f, "too many stores of first hits (limit 256)"),
            Error::AnswerCount { pairs, answers } => write!(
                f,
                "pair list has {pairs} pairs, but the results are for {answers}"
            ),
            Error::IndexOutOfBounds { index, len } => {
                write!(
                    f,
                    "shape {index} is out of bounds: the store has {len} shapes"
                )
            }
            Error::OrderLength { order, len } => {
                write!(
                    f,
                    "order has {order} indices, but the store has {len} shapes"
                )
            }
            Error::RepeatedIndex { position, index } => {
                write!(f, "order repeats shape {index} at position {position}")
            }
            Error::ColumnLength {
                column,
                len,
                expected,
            } => {
                write!(
                    f,
                    "column {column} has length {len}, but column 0 has length {expected}"
                )
            }
            Error::ResultLength {
                column,
                len,
                expected,
            } => {
                write!(
                    f,
                    "column {column} of results has length {len}, not {expected}"
                )
            }
            Error::ResultValue {
                column,
                index,
                value,
                least,
                most,
            } => {
                write!(
                    f,
                    "column {column} of results has {value} at {index}, not {least}"
                )?;
                if least < most {
                    write!(f, " to {most}")?;
                }
                Ok(())
            }
            Error::BadOffset {
                position,
                offset,
                entries,
            } => {
                write!(
                    f,
                    "offset {position} is {offset}: offsets ascend from 0 to the number of entries, {entries}"
                )
            }
            Error::TooManyShapes { len } => {
                write!(f, "too many shapes: {len} (limit {})", u32::MAX)
            }
            Error::TooManyPairs { len } => {
                write!(f, "too many pairs: {len} (limit {})", u32::MAX)
            }
            Error::BadMargin { margin } => {
                write!(f, "margin is {margin}, not between 0 and {:e}", MAX_LENGTH)
            }
            Error::BadRadius { radius } => {
                write!(f, "radius is {radius}, not between 0 and {:e}", MAX_LENGTH)
            }
            Error::MarginNotAllowed { margin } => {
                write!(
                    f,
                    "distances and the inside of a mesh have no margin, but the detector's is {margin}"
                )
            }
            Error::BadTolerance { tolerance } => write!(
                f,
                "tolerance is {tolerance}, not between 0 and {:e}",
                MAX_LENGTH
            ),
            Error::OutOfMemory { pairs } => write!(f, "out of memory: {pairs} pairs"),
            Error::VertexOutOfBounds {
                triangle,
                vertex,
                vertices,
            } => write!(
                f,
                "triangle {triangle} names vertex {vertex}, but there are {vertices} vertices"
            ),
            Error::BadFlatness { flatness } => {
                write!(f, "flatness is {flatness}, not between 0 and 0.5")
            }
            Error::OpenMesh { triangle, edge } => write!(
                f,
                "mesh is not closed: edge {edge} of triangle {triangle} belongs to an odd number of triangles"
            ),
            Error::MeshOutOfMemory { triangles } => {
                write!(f, "out of memory: a mesh of {triangles} triangles")
            }
            Error::HullPoints { points: 0 } => write!(f, "hull has 0 points, not 1 to 64"),
            Error::HullPoints { points } => {
                write!(
                    f,
                    "hull has {points} points, not 1 to 64: add_outer takes more"
                )
            }
            Error::OuterHullPoints { most } => {
                write!(
                    f,
                    "invalid maximum number of points of an outer hull: {most} (4 to 64)"
                )
            }
            Error::BadHullPoint { index, defect } => {
                write!(f, "point {index} of the hull is invalid: {defect}")
            }
            Error::BadHullRadius { defect } => write!(f, "radius of the hull is invalid: {defect}"),
            Error::HullOffCenter {
                center,
                half_extents,
            } => write!(
                f,
                "center of the hull is {center:?}, more than {} half diagonals from the origin: half extents are {half_extents:?}, \
                 subtract the center from the points",
                MAX_HULL_OFFSET
            ),
            Error::UnknownHullKind { kind, kinds } => {
                write!(f, "hull is of kind {kind}, but the store has {kinds} kinds")
            }
            Error::BadPose { defect } => write!(f, "pose is invalid: {defect}"),
            Error::OtherMesh {
                triangles,
                vertices,
                rest_triangles,
                rest_vertices,
            } => write!(
                f,
                "mesh has {triangles} triangles and {vertices} vertices, but the mesh at rest has {rest_triangles} and {rest_vertices}"
            ),
            Error::InvalidShape {
                is_second,
                index,
                defect,
            } => {
                let store = if is_second { "second" } else { "first" };
                write!(f, "shape {index} of the {store} store is invalid: {defect}")
            }
            Error::InvalidPair {
                position,
                pair,
                is_second,
                defect,
            } => {
                let (index, store) = if is_second {
                    (pair.b, "second")
                } else {
                    (pair.a, "first")
                };
                write!(
                    f,
                    "pair {position} is ({}, {}), but shape {index} of the {store} store is invalid: {defect}",
                    pair.a, pair.b
                )
            }
            Error::UnknownCollider { id } => write!(f, "no collider {id}: it was removed"),
            Error::BadCollider { id, defect } => match id {
                Some(id) => write!(f, "collider {id} is invalid: {defect}"),
                None => write!(f, "collider is invalid: {defect}"),
            },
            Error::UnknownMesh { mesh } => write!(f, "scene has no mesh {mesh}"),
            Error::MeshInUse { mesh, colliders } => {
                write!(f, "mesh {mesh} is in use: {colliders} colliders have it")
            }
            Error::BadOrigin { axis, value } => {
                write!(f, "origin[{axis}] is {value}, not finite")
            }
            Error::BadCast { index, defect } => write!(f, "cast {index} is invalid: {defect}"),
            Error::UnboundedCast { index } => write!(
                f,
                "cast {index} is a plane, a half-space or a mesh: only bounded convex shapes search"
            ),
            Error::BadShape { index, defect } => write!(f, "shape {index} is invalid: {defect}"),
        }
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Defect::NotFinite {
                field,
                index,
                value,
            } => {
                let place = FieldPlace(field, index);
                let way_out = way_out(field, value.is_infinite());
                write!(f, "{place} is {value}, not finite{way_out}")
            }
            Defect::TooLarge {
                field,
                index,
                value,
            } => {
                let place = FieldPlace(field, index);
                let way_out = way_out(field, true);
                write!(f, "{place} is {value:e}, above {MAX_LENGTH:e}{way_out}")
            }
            Defect::Negative {
                field,
                index,
                value,
            } => write!(f, "{} is {value}, negative", FieldPlace(field, index)),
            Defect::MinAboveMax { axis, min, max } => {
                write!(f, "min[{axis}] is {min}, above max[{axis}], {max}")
            }
            Defect::ZeroNormal => f.write_str("normal is zero"),
            Defect::NotUnit { length } => {
                write!(f, "rotation has length {length}, not 1 within 0.001")
            }
            Defect::TurnTooLong { length } => {
                write!(f, "rotation vector has length {length}, more than pi")
            }
        }
    }
}

impl core::error::Error for Error {}

/// Numbers of invalid shapes, returned by queries of whole stores. Invalid shapes are in no pair.
///
/// [`Store::validate`](crate::Store::validate) names the first one and its defect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InvalidShapes {
    /// Number of invalid shapes of the first store.
    pub a: usize,
    /// Number of invalid shapes of the second store; equal to `a` if both are the same store.
    pub b: usize,
}

impl InvalidShapes {
    /// Whether any shape is invalid.
    pub fn any(self) -> bool {
        self.a > 0 || self.b > 0
    }
}

/// The first defect of coordinates.
pub fn length_defect(field: &'static str, numbers: &[f32]) -> Option<Defect> {
    let first = |is_bad: fn(f32) -> bool| first(numbers, is_bad);
    if let Some((index, value)) = first(|x| !x.is_finite()) {
        Some(Defect::NotFinite {
            field,
            index,
            value,
        })
    } else if let Some((index, value)) = first(|x| x.abs() > MAX_LENGTH) {
        Some(Defect::TooLarge {
            field,
            index,
            value,
        })
    } else {
        None
    }
}

/// The first defect of sizes.
pub fn size_defect(field: &'static str, sizes: &[f32]) -> Option<Defect> {
    length_defect(field, sizes).or_else(|| {
        let (index, value) = first(sizes, |x| x < 0.0)?;
        Some(Defect::Negative {
            field,
            index,
            value,
        })
    })
}

/// The first defect of numbers that are not lengths.
pub fn number_defect(field: &'static str, numbers: &[f32]) -> Option<Defect> {
    let (index, value) = first(numbers, |x| !x.is_finite())?;
    Some(Defect::NotFinite {
        field,
        index,
        value,
    })
}

/// The first invalid number, with its index if there are several.
fn first(numbers: &[f32], is_bad: fn(f32) -> bool) -> Option<(Option<usize>, f32)> {
    let index = numbers.iter().position(|x| is_bad(*x))?;
    Some(((numbers.len() > 1).then_some(index), numbers[index]))
}
