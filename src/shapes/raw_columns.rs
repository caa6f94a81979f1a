//! Untyped columns of a store: what code that is compiled once for all kinds of shapes reads.

use core::any::TypeId;
use core::ops::Range;

use bytemuck::Pod;

use crate::error::{Defect, length_defect};
use crate::lane::{Float, Simd};
use crate::math::rotation::turn_defect;

/// The part of a shape's motion that a query reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    #[default]
    None,
    Straight,
    Turning,
}

/// The distance from a number to the next in its column: 1, or more if the column is part of structs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strides {
    pub fields: u32,
    pub motion: u32,
    /// Whether the last columns may be empty, which stands for zeros.
    pub padded: bool,
}

impl Strides {
    pub const COLUMNS: Strides = Strides {
        fields: 1,
        motion: 1,
        padded: false,
    };

    /// Number of shapes in a column with this stride.
    #[inline(always)]
    pub fn len(column: &[f32], stride: u32) -> usize {
        if stride == 1 {
            column.len()
        } else {
            column.len().div_ceil(stride as usize)
        }
    }
}

/// The kind of the shapes of a store.
#[derive(Clone, Copy)]
pub struct Kind {
    /// The type that has these columns and more, in which the shapes have zeros.
    pub padded: fn() -> Option<TypeId>,
    /// The first defect of a shape without its motion.
    pub defect: fn(&RawColumns<'_>, usize) -> Option<Defect>,
    /// `None` if the shapes are unbounded.
    pub bounds: Option<&'static BoundsOps>,
}

/// The columns of a store of any kind of shape.
#[derive(Clone, Copy)]
pub struct RawColumns<'a> {
    /// The type whose columns these are.
    pub id: TypeId,
    pub kind: &'static Kind,
    pub fields: &'a [&'a [f32]],
    /// `None` if every shape is static.
    pub displacement: Option<&'a [&'a [f32]; 3]>,
    /// `None` if no shape rotates.
    pub turn: Option<[&'a [f32]; 3]>,
    pub strides: Strides,
    /// Number of shapes; no column is shorter.
    pub len: usize,
}

impl<'a> RawColumns<'a> {
    /// Columns of equal length.
    #[inline]
    pub fn new(
        id: TypeId,
        kind: &'static Kind,
        fields: &'a [&'a [f32]],
        displacement: Option<&'a [&'a [f32]; 3]>,
        turn: Option<[&'a [f32]; 3]>,
        strides: Strides,
    ) -> Self {
        let mut len = usize::MAX;
        if strides == Strides::COLUMNS {
            for column in fields {
                len = len.min(column.len());
            }
            for columns in [displacement, turn.as_ref()].into_iter().flatten() {
                for column in columns {
                    len = len.min(column.len());
                }
            }
        } else {
            len = len_of_structs(strides, [fields, three(displacement), three(turn.as_ref())]);
        }
        RawColumns {
            id,
            kind,
            fields,
            displacement,
            turn,
            strides,
            len,
        }
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// A value of the numbers of a shape, in order. Panics past the end.
    pub fn value<T: Pod>(&self, index: usize) -> T {
        let at = index * self.strides.fields as usize;
        let mut value = T::zeroed();
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(core::slice::from_mut(&mut value));
        for (x, column) in numbers.iter_mut().zip(self.fields) {
            *x = column[at];
        }
        value
    }

    /// The first defect of a shape, considering only the part of its motion that a query reads. `None` past the end.
    pub fn defect(&self, index: u32, motion: Motion) -> Option<Defect> {
        let index = index as usize;
        if index >= self.len {
            return None;
        }
        let moving = || match motion {
            Motion::None => None,
            Motion::Straight | Motion::Turning => {
                length_defect("displacement", &self.displacement(index))
            }
        };
        let turning = || match motion {
            Motion::None | Motion::Straight => None,
            Motion::Turning => turn_defect(self.turn(index)),
        };
        (self.kind.defect)(self, index)
            .or_else(moving)
            .or_else(turning)
    }

    /// The numbers of a shape, in order. Panics past the end.
    pub fn numbers_of<const N: usize>(&self, index: usize) -> [f32; N] {
        let at = index * self.strides.fields as usize;
        core::array::from_fn(|k| self.fields[k][at])
    }

    /// Field `field` of some shapes. Panics past the end.
    #[inline(always)]
    pub fn field_of(&self, field: usize, indices: &[usize], to: &mut [f32]) {
        let (column, stride) = (self.fields[field], self.strides.fields as usize);
        if stride == 1 {
            for (x, &index) in to.iter_mut().zip(indices) {
                *x = column[index];
            }
        } else {
            for (x, index) in to.iter_mut().zip(indices) {
                *x = column[index * stride];
            }
        }
    }

    /// The displacement of a shape. Panics past the end.
    pub fn displacement(&self, index: usize) -> [f32; 3] {
        let at = index * self.strides.motion as usize;
        self.displacement
            .map_or([0.0; 3], |columns| columns.map(|column| column[at]))
    }

    /// The turn of a shape; zero if none rotates. Panics past the end.
    pub fn turn(&self, index: usize) -> [f32; 3] {
        let at = index * self.strides.motion as usize;
        self.turn
            .map_or([0.0; 3], |columns| columns.map(|column| column[at]))
    }

    /// Whether any shape may rotate.
    pub fn rotate(&self) -> bool {
        self.turn.is_some()
    }

    /// Whether the columns are parts of structs.
    pub fn have_strides(&self) -> bool {
        self.strides != Strides::COLUMNS
    }

    /// Whether both are the same memory.
    pub fn same_as(&self, other: &RawColumns<'_>) -> bool {
        fn same(a: &[&[f32]], b: &[&[f32]]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| core::ptr::eq(*a, *b))
        }
        self.id == other.id
            && self.strides == other.strides
            && same(self.fields, other.fields)
            && same(three(self.displacement), three(other.displacement))
            && same(three(self.turn.as_ref()), three(other.turn.as_ref()))
    }
}

/// The three columns as a slice; empty if there are none.
#[inline(always)]
fn three<'a, 'c>(columns: Option<&'a [&'c [f32]; 3]>) -> &'a [&'c [f32]] {
    columns.map_or(&[], |columns| columns)
}

/// Number of structs with a number in every column.
#[cold]
fn len_of_structs(strides: Strides, columns: [&[&[f32]]; 3]) -> usize {
    let [fields, motion @ ..] = columns;
    let fields = fields
        .iter()
        .map(|column| Strides::len(column, strides.fields));
    let motion = motion.into_iter().flatten();
    let motion = motion.map(|column| Strides::len(column, strides.motion));
    fields.chain(motion).min().unwrap_or(0)
}

/// The bounds of a kind of shapes, untyped.
pub struct BoundsOps {
    /// Writes the bounds of the shapes from a given one on.
    pub write: fn(&RawColumns<'_>, Motion, Simd, usize, BoundsTo<'_>) -> Centers,
    /// Worst-case growth along a world axis, per unit of margin.
    pub growth: f32,
}

/// Destination of bounds. An invalid shape is written as NaN in columns and +∞ in rows.
pub enum BoundsTo<'t> {
    /// The columns of AABBs.
    Columns([&'t mut [f32]; 6]),
    /// For each box `min` and a zero, then `max` with the sign flipped and a zero.
    Rows(&'t mut [[f32; 8]]),
}

impl BoundsTo<'_> {
    pub fn len(&self) -> usize {
        match self {
            BoundsTo::Columns([column, ..]) => column.len(),
            BoundsTo::Rows(rows) => rows.len(),
        }
    }

    /// The bounds of a range of its boxes.
    pub fn part(&mut self, range: Range<usize>) -> BoundsTo<'_> {
        match self {
            BoundsTo::Columns(columns) => {
                BoundsTo::Columns(columns.each_mut().map(|column| &mut column[range.clone()]))
            }
            BoundsTo::Rows(rows) => BoundsTo::Rows(&mut rows[range]),
        }
    }
}

/// The AABB of the centers of bounds, times two, and the number of shapes without bounds.
#[derive(Clone, Copy, Debug)]
pub struct Centers {
    pub low: [f32; 3],
    pub high: [f32; 3],
    /// Number of invalid shapes.
    pub invalid: usize,
}

impl Centers {
    /// The empty box.
    pub fn none() -> Self {
        Centers {
            low: [f32::INFINITY; 3],
            high: [f32::NEG_INFINITY; 3],
            invalid: 0,
        }
    }

    /// The AABB of both boxes.
    pub fn union(mut self, other: Self) -> Self {
        for k in 0..3 {
            self.low[k] = Float::min(self.low[k], other.low[k]);
            self.high[k] = Float::max(self.high[k], other.high[k]);
        }
        self.invalid += other.invalid;
        self
    }
}
