//! The columns of a store, and reading shapes from them into lanes.
#![allow(unsafe_code)]

use core::any::TypeId;
use core::ops::Range;

use crate::lane::{Lanes, One, WORD};
use crate::memory::pages::Lines;
use crate::shapes::form::{Form, Motion, Prepared, Row};
#[cfg(any(feature = "contact", feature = "distance"))]
use crate::shapes::point::Point;
use crate::shapes::shape::{Array, Shape};
#[cfg(any(feature = "contact", feature = "distance"))]
use crate::shapes::sphere::Sphere;
use crate::store::cache::StoreCache;
use crate::store::hull::hulls::HullPoints;
#[cfg(feature = "contact")]
use crate::store::mesh::adjacency::Edges;
use crate::store::store::{StoreRef, Strides};

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
    cache: Option<&'a StoreCache>,
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
    /// The columns of a view.
    pub fn of(view: &'a StoreRef<'_, T>) -> Self {
        AnyColumns::of(view).typed()
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The cache of the store, if there is one.
    pub fn cache(&self) -> Option<&'a StoreCache> {
        self.cache
    }

    /// The columns of the displacement and their stride, unless all shapes are static.
    #[inline(always)]
    pub fn displacement(&self) -> Option<Strided<'a>> {
        Some((self.displacement?, self.strides.motion as usize))
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
                cache: None,
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
            cache: self.cache,
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

/// The columns of a store of any kind of shape, for code that is compiled once for all kinds.
#[derive(Clone, Copy)]
pub struct AnyColumns<'a> {
    kind: TypeId,
    fields: &'a [&'a [f32]],
    displacement: Option<&'a [&'a [f32]; 3]>,
    turn: Option<[&'a [f32]; 3]>,
    strides: Strides,
    /// No column is shorter.
    len: usize,
    cache: Option<&'a StoreCache>,
    #[cfg(feature = "contact")]
    edges: Option<&'a Edges>,
    hulls: Option<HullPoints<'a>>,
}

impl<'a> AnyColumns<'a> {
    /// The columns of a view.
    #[inline]
    pub fn of<T: Shape>(view: &'a StoreRef<'_, T>) -> Self {
        let (fields, displacement) = (view.field_columns(), view.displacement_columns());
        let turn = view.turn_columns();
        let strides = view.strides();
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
        AnyColumns {
            kind: TypeId::of::<T::Stored>(),
            fields,
            displacement,
            turn,
            strides,
            len,
            cache: view.cache(),
            #[cfg(feature = "contact")]
            edges: view.edges(),
            hulls: view.hulls(),
        }
    }

    /// The columns of shapes `T`. Panics if the shapes are of another kind.
    #[inline(always)]
    pub fn typed<T: Shape>(&self) -> Columns<'a, T> {
        assert!(self.kind == TypeId::of::<T::Stored>());
        let mut fields = T::Fields::splat(&[][..]);
        fields.as_mut().copy_from_slice(self.fields);
        Columns {
            fields,
            displacement: self.displacement.copied(),
            turn: self.turn,
            strides: self.strides,
            len: self.len,
            cache: self.cache,
        }
    }

    /// Points as spheres. `radii` has a zero for each number of a column, and `fields` is memory for the columns.
    /// Panics if the shapes are not points.
    #[cfg(any(feature = "contact", feature = "distance"))]
    pub fn points_as_spheres(
        &self,
        radii: &'a [f32],
        fields: &'a mut [&'a [f32]; Sphere::FIELDS],
    ) -> AnyColumns<'a> {
        assert!(self.kind == TypeId::of::<Point>());
        fields[..Point::FIELDS].copy_from_slice(self.fields);
        fields[Point::FIELDS] = radii;
        AnyColumns {
            kind: TypeId::of::<Sphere>(),
            fields,
            len: self.len.min(Strides::len(radii, self.strides.fields)),
            cache: None,
            #[cfg(feature = "contact")]
            edges: None,
            hulls: None,
            ..*self
        }
    }

    /// Number of numbers in a column of fields of `len` shapes.
    #[cfg(any(feature = "contact", feature = "distance"))]
    pub fn numbers(&self, len: usize) -> usize {
        len.saturating_mul(self.strides.fields as usize)
    }

    /// Number of shapes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// The cache of the store.
    pub fn cache(&self) -> Option<&'a StoreCache> {
        self.cache
    }

    /// The edges of the triangles of a mesh.
    #[cfg(feature = "contact")]
    pub fn edges(&self) -> Option<&'a Edges> {
        self.edges
    }

    /// The points of hulls, if the shapes are the boxes around hulls.
    pub fn hulls(&self) -> Option<HullPoints<'a>> {
        self.hulls
    }

    /// A shape. Panics past the end, and if the shapes are of another kind.
    pub fn shape<T: Shape<Stored = T>>(&self, index: usize) -> T {
        assert!(self.kind == TypeId::of::<T>());
        let at = index * self.strides.fields as usize;
        let mut shape = T::zeroed();
        let numbers: &mut [f32] = bytemuck::cast_slice_mut(core::slice::from_mut(&mut shape));
        for (x, column) in numbers.iter_mut().zip(self.fields) {
            *x = column[at];
        }
        shape
    }

    /// The numbers of a shape, in order. Panics past the end.
    #[cfg(feature = "contact")]
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

    /// Whether these are the very same columns of the same kind of shape. Hulls and the boxes around them differ: they read
    /// the same columns as other shapes.
    pub fn same_as(&self, other: &AnyColumns<'_>) -> bool {
        fn same(a: &[&[f32]], b: &[&[f32]]) -> bool {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| core::ptr::eq(*a, *b))
        }
        let same_hulls = match (&self.hulls, &other.hulls) {
            (Some(hulls), Some(other)) => hulls.same_as(other),
            (hulls, other) => hulls.is_none() && other.is_none(),
        };
        self.kind == other.kind
            && same_hulls
            && self.strides == other.strides
            && same(self.fields, other.fields)
            && same(three(self.displacement), three(other.displacement))
            && same(three(self.turn.as_ref()), three(other.turn.as_ref()))
    }
}

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
