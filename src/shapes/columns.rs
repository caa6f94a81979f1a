//! The columns of a store, and reading shapes from them into lanes.
#![allow(unsafe_code)]

use core::any::TypeId;
use core::ops::Range;

use crate::lane::{Lanes, One, WORD};
use crate::memory::pages::Lines;
use crate::shapes::raw_columns::{Kind, Motion, RawColumns, Strides};
use crate::shapes::shape::{Array, Form, Prepared, Row, Shape};

/// The columns of a store.
pub struct Columns<'a, T: Shape> {
    /// By value: slices behind a reference would be reloaded for each group of lanes.
    fields: T::Fields<&'a [f32]>,
    displacement: Option<[&'a [f32]; 3]>,
    /// `None` if no shape rotates.
    turn: Option<[&'a [f32]; 3]>,
    strides: Strides,
    /// Number of shapes; no column is shorter.
    len: usize,
}

impl<T: Shape> Clone for Columns<'_, T> {
    fn clone(&self) -> Self {
        Columns {
            fields: Array::build(|k| self.fields.as_ref()[k]),
            ..*self
        }
    }
}

impl<'a, T: Shape> Columns<'a, T> {
    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether some shapes may rotate.
    pub fn rotate(&self) -> bool {
        self.turn.is_some()
    }

    /// Whether the last columns may be empty, which stands for zeros.
    #[inline(always)]
    pub fn are_padded(&self) -> bool {
        self.strides.padded
    }

    /// The columns of the displacement and their stride, unless all shapes are static.
    #[inline(always)]
    pub fn displacement(&self) -> Option<Strided<'a>> {
        Some((self.displacement?, self.strides.motion as usize))
    }

    /// Reads the displacement at each lane's index: zeros if all shapes are static.
    #[inline(always)]
    pub fn displacement_of<L: Lanes>(&self, lanes: L, index: impl LaneIndex) -> [L::F; 3] {
        let mut displacement = [lanes.splat(0.0); 3];
        if let Some((columns, stride)) = self.displacement() {
            for (x, column) in displacement.iter_mut().zip(columns) {
                // As in rows: −0 becomes 0.
                *x = index.of(lanes, column, stride) + lanes.splat(0.0);
            }
        }
        displacement
    }

    /// Passes the shapes from `first` on to `run`, in columns without strides: all at once, or in pieces that are
    /// copied from structs. `run` gets columns, the first shape in them, and its place after `first`.
    pub fn without_strides(
        &self,
        first: usize,
        len: usize,
        mut run: impl FnMut(&Columns<'_, T>, usize, Range<usize>),
    ) {
        if self.strides == Strides::COLUMNS {
            return run(self, first, 0..len);
        }
        const { assert!(T::FIELDS + 6 <= NUMBERS) };
        let mut numbers = [[0.0; PIECE]; NUMBERS];
        let turns = self.turn.into_iter().flatten();
        let motion = self.displacement.into_iter().flatten().chain(turns);
        let fields = self.fields.as_ref().iter().copied();
        let fields = fields.map(|column| (column, self.strides.fields));
        let columns = fields.chain(motion.map(|column| (column, self.strides.motion)));
        let mut at = 0;
        while at < len {
            let count = PIECE.min(len - at);
            for (to, (column, stride)) in numbers.iter_mut().zip(columns.clone()) {
                let stride = stride as usize;
                let column = column.iter().skip((first + at) * stride);
                let from = column.step_by(stride);
                to[..count]
                    .iter_mut()
                    .zip(from)
                    .for_each(|(to, x)| *to = *x);
            }
            let column = |k: usize| &numbers[k][..count];
            let three = |k: usize| [column(k), column(k + 1), column(k + 2)];
            let after = T::FIELDS + if self.displacement.is_some() { 3 } else { 0 };
            let piece = Columns {
                fields: Array::build(column),
                displacement: self.displacement.map(|_| three(T::FIELDS)),
                turn: self.turn.map(|_| three(after)),
                strides: Strides::COLUMNS,
                len: count,
            };
            run(&piece, 0, at..at + count);
            at += count;
        }
    }

    /// Casts to the kind of shape that the columns are stored as.
    pub fn stored(self) -> Columns<'a, T::Stored> {
        Columns {
            fields: self.fields,
            displacement: self.displacement,
            turn: self.turn,
            strides: self.strides,
            len: self.len,
        }
    }

    /// Reads one shape per lane, from `first` on. Panics past the end, and if the columns have strides.
    #[inline(always)]
    pub fn fetch<F: Form<Shape = T>, L: Lanes>(&self, lanes: L, first: usize) -> Prepared<F, L> {
        assert!(first <= self.len && self.len - first >= L::COUNT);
        assert!(self.strides == Strides::COLUMNS);
        self.read(lanes, Consecutive(first))
    }

    /// Writes the row of one shape to the rows of all.
    pub fn write_row<F: Form<Shape = T>>(&self, index: usize, rows: &mut Lines) {
        let row = self.fetch::<F, One>(One, index).poison_invalid(One);
        let rows = rows.rows_mut::<F::Row>(self.len);
        F::Row::scatter(One, row, &mut rows[index..]);
    }

    /// Reads the shape at each lane's index.
    #[inline(always)]
    pub fn read<F: Form<Shape = T>, L: Lanes>(
        &self,
        lanes: L,
        index: impl LaneIndex,
    ) -> Prepared<F, L> {
        let mut fields = T::Fields::<L::F>::splat(lanes.splat(0.0));
        for (field, column) in fields.as_mut().iter_mut().zip(self.fields.as_ref()) {
            *field = index.of(lanes, column, self.strides.fields as usize);
        }
        let (mut displacement, mut turn) = ([lanes.splat(0.0); 3], [lanes.splat(0.0); 3]);
        if F::MOTION != Motion::None
            && let Some(columns) = &self.displacement
        {
            for (x, column) in displacement.iter_mut().zip(columns) {
                *x = index.of(lanes, column, self.strides.motion as usize);
            }
        }
        if F::MOTION == Motion::Turning
            && let Some(columns) = &self.turn
        {
            for (x, column) in turn.iter_mut().zip(columns) {
                *x = index.of(lanes, column, self.strides.motion as usize);
            }
        }
        F::prepare(lanes, fields, displacement, turn)
    }
}

/// Columns of the same stride.
pub type Strided<'a> = ([&'a [f32]; 3], usize);

/// Number of shapes copied at a time from structs, and the maximum count of their numbers: an OBB with all motion.
const PIECE: usize = 256;
const NUMBERS: usize = 16;

/// An index per lane. Its constructor asserts that every index is within the columns.
pub trait LaneIndex: Copy {
    /// Reads the numbers of one column, which are `stride` apart.
    fn of<L: Lanes>(self, lanes: L, column: &[f32], stride: usize) -> L::F;
}

/// Consecutive indices from the first.
#[derive(Clone, Copy)]
struct Consecutive(usize);

impl LaneIndex for Consecutive {
    #[inline(always)]
    fn of<L: Lanes>(self, lanes: L, column: &[f32], _stride: usize) -> L::F {
        // SAFETY: only `fetch` and `Word::fetch` construct it, and both assert that each column holds `L::COUNT`
        // numbers from this index on, without a stride. With bounds checks, and with invalid shapes marked in the row, one sphere
        // against all is 28 % slower (notes: figures moved from the source).
        lanes.load(unsafe { column.get_unchecked(self.0..self.0 + L::COUNT) })
    }
}

/// One index for all lanes.
#[derive(Clone, Copy)]
pub struct SameIndex(pub usize);

impl LaneIndex for SameIndex {
    #[inline(always)]
    fn of<L: Lanes>(self, lanes: L, column: &[f32], stride: usize) -> L::F {
        // Empty columns stand for zeros.
        lanes.splat(column.get(self.0 * stride).copied().unwrap_or(0.0))
    }
}

/// A word of 64 consecutive shapes.
pub struct Word<'a, T: Shape> {
    columns: Columns<'a, T>,
    first: usize,
}

impl<'a, T: Shape> Word<'a, T> {
    /// The word of shapes from `first` on. Panics past the end, and if the columns have strides.
    #[inline(always)]
    pub fn new(columns: &Columns<'a, T>, first: usize) -> Self {
        assert!(first <= columns.len && columns.len - first >= WORD);
        assert!(columns.strides == Strides::COLUMNS);
        Word {
            columns: columns.clone(),
            first,
        }
    }

    /// Reads one shape per lane, from index `at` of the word on.
    #[inline(always)]
    pub fn fetch<F: Form<Shape = T>, L: Lanes>(&self, lanes: L, at: usize) -> Prepared<F, L> {
        // Evaluated at compile time.
        assert!(at <= WORD - L::COUNT);
        self.columns.read(lanes, Consecutive(self.first + at))
    }
}

impl Kind {
    /// The kind of shapes `T`.
    #[inline(always)]
    pub const fn of<T: Shape>() -> &'static Self {
        const {
            &Kind {
                padded: T::padded,
                defect: |columns, index| columns.value::<T>(index).defect(),
                bounds: T::BOUNDS,
            }
        }
    }
}

impl<'a> RawColumns<'a> {
    /// The columns of shapes `T`. Panics if the shapes are of another kind.
    #[inline(always)]
    pub fn typed<T: Shape>(&self) -> Columns<'a, T> {
        assert!(self.id == TypeId::of::<T::Stored>());
        let mut fields = T::Fields::splat(&[][..]);
        fields.as_mut().copy_from_slice(self.fields);
        Columns {
            fields,
            displacement: self.displacement.copied(),
            turn: self.turn,
            strides: self.strides,
            len: self.len,
        }
    }

    /// The columns of shapes `T`, or of shapes that are such with zeros. Panics if the shapes are of another kind.
    #[inline(always)]
    pub fn padded<T: Shape>(&self) -> Columns<'a, T> {
        if self.id == TypeId::of::<T::Stored>() {
            return self.typed();
        }
        assert!((self.kind.padded)() == Some(TypeId::of::<T>()));
        let mut fields = T::Fields::splat(&[][..]);
        fields.as_mut()[..self.fields.len()].copy_from_slice(self.fields);
        Columns {
            fields,
            displacement: self.displacement.copied(),
            turn: self.turn,
            strides: Strides {
                padded: true,
                ..self.strides
            },
            len: self.len,
        }
    }

    /// A shape. Panics past the end, and if the shapes are of another kind.
    pub fn shape<T: Shape<Stored = T>>(&self, index: usize) -> T {
        assert!(self.id == TypeId::of::<T>());
        self.value(index)
    }
}
