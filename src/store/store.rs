//! Structure-of-arrays storage: one column per component of a shape, three for the displacement, three for the turn.

use alloc::collections::TryReserveError;
use alloc::vec;
use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;

use crate::error::Error;
use crate::lane::Simd;
use crate::memory::column::Column;
use crate::shapes::columns::Columns;
use crate::shapes::form::{Moving, Static};
use crate::shapes::groups::{FilterColumns, Filters, Groups};
use crate::shapes::obb::Obb;
use crate::shapes::raw_columns::{BoundsTo, Kind, Motion, RawColumns, Strides};
use crate::shapes::shape::{Array, Shape};
use crate::store::cache::{Change, Rewrite, StoreCache};
use crate::store::columns::{AnyColumns, Extras, is_zero};
use crate::store::mesh::adjacency::MeshEdges;

/// Shapes of one type, each with its displacement during the frame, stored as columns.
///
/// Use it by its aliases [`Points`](crate::Points), [`Spheres`](crate::Spheres), [`Capsules`](crate::Capsules),
/// [`Aabbs`](crate::Aabbs), [`Obbs`](crate::Obbs), [`Triangles`](crate::Triangles), [`Planes`](crate::Planes) and
/// [`HalfSpaces`](crate::HalfSpaces). A shape's index is the `u32` that [`push`](Self::push) returned; removing shapes
/// changes indices as `Vec::swap_remove` does.
///
/// Any value is accepted. An invalid value (NaN, a negative size, …) flags only the pairs of its shape;
/// [`validate`](Self::validate) finds it.
///
/// ```
/// use phalanx::{Sphere, Spheres};
///
/// let mut spheres = Spheres::with_capacity(2);
/// let rock = spheres.push(Sphere { center: [0.0, 0.0, 0.0], radius: 2.0 });
/// let sphere = spheres.push_moving(Sphere { center: [0.0, 9.0, 0.0], radius: 0.5 }, [0.0, -3.0, 0.0]);
///
/// // Next frame: write the columns in bulk, or set one shape at a time.
/// spheres.columns_mut().center[1][sphere as usize] = 6.0;
/// spheres.set_displacement(sphere, [0.0, -4.0, 0.0])?;
///
/// assert_eq!(spheres.get(sphere), Some(Sphere { center: [0.0, 6.0, 0.0], radius: 0.5 }));
/// assert_eq!(spheres.displacement(rock), Some([0.0; 3]));
/// spheres.validate()?;
/// # Ok::<(), phalanx::Error>(())
/// ```
pub struct Store<T: Shape> {
    fields: T::Fields<Column>,
    displacement: [Column; 3],
    /// As long as the other columns if any shape rotates, otherwise empty.
    turn: T::Turn<Column>,
    filters: FilterColumns,
    cache: StoreCache,
}

/// Shapes of one type in borrowed columns, accepted without a copy wherever a store is.
///
/// Use it by its aliases [`PointsRef`](crate::PointsRef), [`SpheresRef`](crate::SpheresRef),
/// [`CapsulesRef`](crate::CapsulesRef), [`AabbsRef`](crate::AabbsRef), [`ObbsRef`](crate::ObbsRef),
/// [`TrianglesRef`](crate::TrianglesRef), [`PlanesRef`](crate::PlanesRef) and [`HalfSpacesRef`](crate::HalfSpacesRef).
///
/// ```
/// use phalanx::{Detector, Overlaps, Pairs, SphereColumns, SpheresRef};
///
/// // For example, the columns of an entity-component system.
/// let (x, y, z, radius) = ([0.0, 1.5], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]);
/// let spheres = SpheresRef::new(SphereColumns {
///     center: [&x, &y, &z],
///     radius: &radius,
///     displacement: [&[], &[], &[]],                  // all static
/// })?;
/// let mut overlaps = Overlaps::new();
/// Detector::new().overlap(&spheres, &spheres, &[[0, 1]], &mut overlaps)?;
/// assert!(overlaps.is_hit(0));
/// # Ok::<(), phalanx::Error>(())
/// ```
pub struct StoreRef<'a, T: Shape> {
    pub(crate) fields: T::Fields<&'a [f32]>,
    pub(crate) displacement: [&'a [f32]; 3],
    pub(crate) turn: T::Turn<&'a [f32]>,
    pub(crate) strides: Strides,
    pub(crate) filters: Filters<'a>,
    pub(crate) extras: Extras<'a>,
}

/// A collection of shapes that a detector can read: a store, or a view of columns.
///
/// Implement it for your own type that holds a store, and calls accept that type. Each call reads the view of each
/// argument once.
///
/// ```
/// use phalanx::{Detector, Overlaps, Shapes, Sphere, Spheres, StoreRef};
///
/// struct Asteroids { bodies: Spheres, names: Vec<String> }
///
/// impl Shapes for Asteroids {
///     type Shape = Sphere;
///     fn view(&self) -> StoreRef<'_, Sphere> {
///         self.bodies.view()
///     }
/// }
///
/// let rock = Sphere { center: [0.0; 3], radius: 1.0 };
/// let field = Asteroids { bodies: Spheres::from_slice(&[rock, rock]), names: vec![] };
/// let mut overlaps = Overlaps::new();
/// Detector::new().overlap(&field, &field, &[[0, 1]], &mut overlaps)?;
/// assert!(overlaps.is_hit(0));
/// # Ok::<(), phalanx::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no store of shapes",
    label = "no store of shapes",
    note = "pass a reference to a store, as `&spheres` of `Spheres`",
    note = "shapes in a slice are read by a view: `SpheresRef::of_structs(&slice)`"
)]
pub trait Shapes {
    /// The type of the shapes.
    type Shape: Shape;
    /// A view of the shapes.
    fn view(&self) -> StoreRef<'_, Self::Shape>;
}

impl<T: Shape> Shapes for Store<T> {
    type Shape = T;
    #[inline]
    fn view(&self) -> StoreRef<'_, T> {
        StoreRef {
            fields: Array::build(|k| &*self.fields.as_ref()[k]),
            displacement: self.displacement.each_ref().map(|column| &**column),
            turn: Array::build(|k| &*self.turn.as_ref()[k]),
            strides: Strides::COLUMNS,
            filters: self.filters.view(),
            extras: Extras {
                cache: Some(&self.cache),
                ..Extras::default()
            },
        }
    }
}

impl<T: Shape> Shapes for StoreRef<'_, T> {
    type Shape = T;
    #[inline]
    fn view(&self) -> StoreRef<'_, T> {
        StoreRef {
            fields: Array::build(|k| self.fields.as_ref()[k]),
            displacement: self.displacement,
            turn: Array::build(|k| self.turn.as_ref()[k]),
            strides: self.strides,
            filters: self.filters,
            extras: self.extras,
        }
    }
}

impl<T: Shape> Store<T> {
    /// An empty store. Does not allocate.
    pub fn new() -> Self {
        Store {
            fields: Array::build(Column::new),
            displacement: Array::build(|k| Column::new(T::FIELDS + k)),
            turn: Array::build(|k| Column::new(T::FIELDS + 3 + k)),
            filters: FilterColumns::new(),
            cache: StoreCache::default(),
        }
    }

    /// An empty store with room for `capacity` shapes.
    pub fn with_capacity(capacity: usize) -> Self {
        let mut store = Self::new();
        store.reserve(capacity);
        store
    }

    /// A store of these shapes, all static.
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` shapes.
    pub fn from_slice(shapes: &[T]) -> Self {
        let mut store = Self::new();
        store.extend_from_slice(shapes);
        store
    }

    /// Number of shapes.
    #[inline]
    pub fn len(&self) -> usize {
        self.displacement[0].len()
    }

    /// Whether there are no shapes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reserves room for `additional` more shapes.
    pub fn reserve(&mut self, additional: usize) {
        self.each_column(|column| column.reserve(additional));
    }

    /// Adds a static shape and returns its index.
    ///
    /// # Panics
    ///
    /// If the store already holds `u32::MAX` shapes.
    #[inline]
    pub fn push(&mut self, shape: T) -> u32 {
        self.push_numbers(shape, [0.0; 3])
    }

    /// Adds a shape that moves in a straight line by `displacement` during the frame, and returns its
    /// index.
    ///
    /// # Panics
    ///
    /// If the store already holds `u32::MAX` shapes.
    #[inline]
    pub fn push_moving(&mut self, shape: T, displacement: impl Into<[f32; 3]>) -> u32 {
        self.push_numbers(shape, displacement.into())
    }

    #[inline]
    fn push_numbers(&mut self, shape: T, displacement: [f32; 3]) -> u32 {
        let index = checked_len(self.len(), 1) - 1;
        for (column, &x) in self.fields.as_mut().iter_mut().zip(numbers(&shape)) {
            column.push(x);
        }
        for (column, x) in self.displacement.iter_mut().zip(displacement) {
            column.push(x);
        }
        if self.has_turns() {
            for column in self.turn.as_mut() {
                column.push(0.0);
            }
        }
        self.filters.resize(index as usize + 1);
        if self.cache.begin_change() {
            if !is_zero(&displacement) {
                self.cache.set_moving();
            }
            self.rewrite(index as usize, Motion::None, Change::Set);
        }
        index
    }

    /// Adds static shapes, in order.
    ///
    /// # Panics
    ///
    /// If the store would hold more than `u32::MAX` shapes.
    pub fn extend_from_slice(&mut self, shapes: &[T]) {
        checked_len(self.len(), shapes.len());
        if shapes.len() <= FEW_ADDED && self.cache.begin_change() {
            shapes.iter().for_each(|shape| {
                self.push(*shape);
            });
        } else {
            self.append(shapes);
        }
    }

    /// Adds static shapes and drops the cache.
    fn append(&mut self, shapes: &[T]) {
        self.cache.clear();
        self.reserve(shapes.len());
        // Each column reads the block again, so a block fits in the L1 cache.
        for block in shapes.chunks(BLOCK) {
            for (k, column) in self.fields.as_mut().iter_mut().enumerate() {
                column.extend(block.iter().map(|shape| numbers(shape)[k]));
            }
            for column in &mut self.displacement {
                column.extend(block.iter().map(|_| 0.0));
            }
            if self.has_turns() {
                for column in self.turn.as_mut() {
                    column.extend(block.iter().map(|_| 0.0));
                }
            }
        }
        self.filters.resize(self.len());
    }

    /// Adds shapes with their displacements, in order.
    ///
    /// # Panics
    ///
    /// If the store would hold more than `u32::MAX` shapes.
    pub fn extend_moving(&mut self, shapes: impl IntoIterator<Item = (T, impl Into<[f32; 3]>)>) {
        let mut moving = shapes.into_iter();
        self.reserve(moving.size_hint().0);
        let (mut shapes, mut displacements) = ([T::zeroed(); TAKEN], [[0.0; 3]; TAKEN]);
        loop {
            let mut taken = 0;
            let places = shapes.iter_mut().zip(&mut displacements);
            for ((shape, displacement), next) in places.zip(&mut moving) {
                (*shape, *displacement) = (next.0, next.1.into());
                taken += 1;
            }
            let first = self.len();
            self.append(&shapes[..taken]);
            for (k, column) in self.displacement.iter_mut().enumerate() {
                for (x, displacement) in column[first..].iter_mut().zip(&displacements) {
                    *x = displacement[k];
                }
            }
            if taken < TAKEN {
                return;
            }
        }
    }

    /// Shape `index`, or `None` past the end.
    #[inline]
    pub fn get(&self, index: u32) -> Option<T> {
        let mut shape = T::zeroed();
        for (x, column) in numbers_mut(&mut shape).iter_mut().zip(self.fields.as_ref()) {
            *x = *column.get(index as usize)?;
        }
        Some(shape)
    }

    /// Iterates over the shapes, in order, without their motion.
    ///
    /// ```
    /// use phalanx::{Sphere, Spheres};
    ///
    /// let spheres: Spheres = [1.0, 2.0].map(|radius| Sphere { center: [0.0; 3], radius }).into_iter().collect();
    /// assert_eq!(spheres.iter().map(|sphere| sphere.radius).sum::<f32>(), 3.0);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = T> + Clone {
        (0..self.len()).filter_map(|i| self.get(i as u32))
    }

    /// Replaces shape `index` and keeps its motion.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    #[inline]
    pub fn set(&mut self, index: u32, shape: T) -> Result<(), Error> {
        let i = self.checked_index(index)?;
        for (column, &x) in self.fields.as_mut().iter_mut().zip(numbers(&shape)) {
            column[i] = x;
        }
        if self.cache.begin_change() {
            self.rewrite(i, Motion::None, Change::Set);
        }
        Ok(())
    }

    /// The displacement of shape `index` during the frame, or `None` past the end.
    #[inline]
    pub fn displacement(&self, index: u32) -> Option<[f32; 3]> {
        let [x, y, z] = &self.displacement;
        let i = index as usize;
        Some([*x.get(i)?, *y.get(i)?, *z.get(i)?])
    }

    /// Replaces the displacement of shape `index`.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    #[inline]
    pub fn set_displacement(
        &mut self,
        index: u32,
        displacement: impl Into<[f32; 3]>,
    ) -> Result<(), Error> {
        self.set_displacement_numbers(index, displacement.into())
    }

    #[inline]
    fn set_displacement_numbers(
        &mut self,
        index: u32,
        displacement: [f32; 3],
    ) -> Result<(), Error> {
        let i = self.checked_index(index)?;
        for (column, x) in self.displacement.iter_mut().zip(displacement) {
            column[i] = x;
        }
        if self.cache.begin_change() {
            if !is_zero(&displacement) {
                self.cache.set_moving();
            }
            self.rewrite(i, Motion::Straight, Change::Set);
        }
        Ok(())
    }

    /// Rewrites what is cached of a changed, added or removed shape, in the forms with at least the given motion.
    #[cold]
    fn rewrite(&mut self, index: usize, at_least: Motion, change: Change) {
        let view: StoreRef<'_, T> = StoreRef {
            fields: Array::build(|k| &*self.fields.as_ref()[k]),
            displacement: self.displacement.each_ref().map(|column| &**column),
            turn: Array::build(|k| &*self.turn.as_ref()[k]),
            strides: Strides::COLUMNS,
            filters: Filters::default(),
            extras: Extras::default(),
        };
        let cache = &mut self.cache;
        let change = (change, index);
        cache.change_one(at_least, change, view.len(), |motion, index, to| {
            let raw = &view.raw_columns();
            let lines = match to {
                Rewrite::Row(lines) => lines,
                Rewrite::Bounds(bounds) => {
                    let to = BoundsTo::Rows(core::slice::from_mut(bounds));
                    if let Some(ops) = T::BOUNDS {
                        (ops.write)(raw, motion, Simd::best().filled_by(1), index, to);
                    }
                    return;
                }
            };
            let columns: &Columns<'_, T> = &raw.typed();
            match motion {
                Motion::None => columns.write_row::<Static<T>>(index, lines),
                Motion::Straight => columns.write_row::<Moving<T>>(index, lines),
                Motion::Turning => columns.write_row::<T::FullMotion>(index, lines),
            }
        });
    }

    /// Reorders the shapes with their motions: shape `order[i]` becomes shape `i`. With
    /// [`spatial_order`](crate::spatial_order), neighbours in space become neighbours in memory.
    ///
    /// ```
    /// use phalanx::{Sphere, Spheres};
    ///
    /// let at = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let mut spheres = Spheres::from_slice(&[at(5.0), at(0.0), at(9.0)]);
    /// spheres.reorder(&[1, 0, 2])?;
    /// assert!(spheres.iter().eq([at(0.0), at(5.0), at(9.0)]));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OrderLength`], [`Error::IndexOutOfBounds`], [`Error::RepeatedIndex`] if `order` does not contain each
    /// index once; the store is then unchanged.
    pub fn reorder(&mut self, order: &[u32]) -> Result<(), Error> {
        let len = self.len();
        if order.len() != len {
            let order = order.len();
            return Err(Error::OrderLength { order, len });
        }
        let mut named = vec![false; len];
        for (position, &index) in order.iter().enumerate() {
            if core::mem::replace(&mut named[self.checked_index(index)?], true) {
                return Err(Error::RepeatedIndex { position, index });
            }
        }
        self.cache.clear();
        let mut old = Vec::with_capacity(len);
        self.each_column(|column| {
            old.clear();
            old.extend_from_slice(column);
            for (x, &index) in column.iter_mut().zip(order) {
                *x = old[index as usize];
            }
        });
        self.filters.reorder(order);
        Ok(())
    }

    /// The groups of shape `index`, or `None` past the end.
    pub fn groups(&self, index: u32) -> Option<Groups> {
        self.view().groups(index)
    }

    /// Sets the [groups](Groups) of shape `index`, which filter queries of whole stores. By default, shapes are in all
    /// groups and meet all; the first call creates the column.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    pub fn set_groups(&mut self, index: u32, groups: Groups) -> Result<(), Error> {
        let i = self.checked_index(index)?;
        self.groups_mut()[i] = groups;
        Ok(())
    }

    /// The groups of all shapes, to write. Creates the column.
    pub fn groups_mut(&mut self) -> &mut [Groups] {
        self.filters.groups_mut(self.displacement[0].len())
    }

    /// The body of shape `index`, [`NO_BODY`](crate::NO_BODY) if it belongs to none, or `None` past the end.
    pub fn body(&self, index: u32) -> Option<u32> {
        self.view().body(index)
    }

    /// Sets the body of shape `index`. Queries of whole stores never pair shapes of one body, even across two stores.
    /// So a ray does not hit its caster, nor a robot its own links. The default, [`NO_BODY`](crate::NO_BODY)
    /// (`u32::MAX`), means no body; the first call creates the column.
    ///
    /// ```
    /// use phalanx::{Detector, Sphere, Spheres};
    ///
    /// let at = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let mut links = Spheres::from_slice(&[at(0.0), at(1.0), at(2.0)]);
    /// links.set_body(0, 7)?;
    /// links.set_body(1, 7)?;
    /// let mut pairs = Vec::new();
    /// Detector::new().touching(&links, &links, &mut pairs)?;
    /// assert_eq!(pairs, [[0, 2].into(), [1, 2].into()]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    pub fn set_body(&mut self, index: u32, body: u32) -> Result<(), Error> {
        let i = self.checked_index(index)?;
        self.bodies_mut()[i] = body;
        Ok(())
    }

    /// The bodies of all shapes, to write. Creates the column.
    pub fn bodies_mut(&mut self) -> &mut [u32] {
        self.filters.bodies_mut(self.displacement[0].len())
    }

    /// Removes shape `index` and moves the last shape, with its motion, groups and body, into its place. Returns the removed shape; past
    /// the end, returns `None` and changes nothing.
    pub fn swap_remove(&mut self, index: u32) -> Option<T> {
        let removed = self.get(index)?;
        self.each_column(|column| {
            column.swap_remove(index as usize);
        });
        self.filters.swap_remove(index as usize);
        if self.cache.begin_change() {
            self.rewrite(index as usize, Motion::None, Change::Removed);
        }
        Some(removed)
    }

    /// Shortens the store to the first `len` shapes. Does nothing if the store is not longer.
    pub fn truncate(&mut self, len: usize) {
        if len < self.len() {
            self.cache.clear();
            self.each_column(|column| column.truncate(len));
            self.filters.resize(len);
        }
    }

    /// Resizes the store to `len` shapes. New shapes are static and all zeros; write them through
    /// [`columns_mut`](Self::columns_mut). A zeroed [`Obb`](crate::Obb) is invalid until its rotation is written.
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` shapes.
    pub fn resize(&mut self, len: usize) {
        let before = self.len();
        if len <= before {
            self.truncate(len);
            return;
        }
        checked_len(0, len);
        self.cache.clear();
        self.each_column(|column| column.extend((before..len).map(|_| 0.0)));
        self.filters.resize(len);
    }

    /// Removes all shapes and keeps the memory.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// The columns, by name.
    pub fn columns(&self) -> T::Columns<&[f32]> {
        let view = self.view();
        T::columns(view.fields, view.displacement, view.turn)
    }

    /// The columns, by name, to write. Invalid values flag the pairs of their shapes.
    pub fn columns_mut(&mut self) -> T::Columns<&mut [f32]> {
        self.cache.clear();
        let mut fields = self.fields.as_mut().iter_mut();
        // `build` calls this once per element, in order: the default is never used.
        let fields = Array::build(|_| {
            fields
                .next()
                .map(|column| &mut **column)
                .unwrap_or_default()
        });
        let mut turn = self.turn.as_mut().iter_mut();
        let turn = Array::build(|_| turn.next().map(|column| &mut **column).unwrap_or_default());
        T::columns(
            fields,
            self.displacement.each_mut().map(|column| &mut **column),
            turn,
        )
    }

    /// Checks each shape and its motion.
    ///
    /// # Errors
    ///
    /// [`Error::BadShape`] names the first invalid shape and its defect.
    pub fn validate(&self) -> Result<(), Error> {
        self.view().validate()
    }

    fn each_column(&mut self, mut change: impl FnMut(&mut Column)) {
        let turn = if self.has_turns() {
            self.turn.as_mut()
        } else {
            &mut []
        };
        self.fields
            .as_mut()
            .iter_mut()
            .chain(&mut self.displacement)
            .chain(turn)
            .for_each(&mut change);
    }

    /// Empties the store and reserves memory for `len` shapes with the motion columns of `from`. If memory runs out,
    /// the store is unchanged.
    pub(crate) fn renew(
        &mut self,
        len: usize,
        from: &StoreRef<'_, T>,
    ) -> Result<(), TryReserveError> {
        let turn = match from.turn_columns() {
            Some(_) => self.turn.as_mut(),
            None => &mut [],
        };
        let columns = self.fields.as_mut().iter_mut();
        for column in columns.chain(&mut self.displacement).chain(turn) {
            column.try_reserve(len.saturating_sub(column.len()))?;
        }
        self.clear();
        Ok(())
    }

    /// Whether there are columns of turns.
    #[inline]
    fn has_turns(&self) -> bool {
        matches!(self.turn.as_ref(), [column, ..] if !column.is_empty())
    }

    /// The columns of turns, created if there are none.
    fn made_turn(&mut self) -> &mut [Column] {
        let len = self.len();
        for column in self.turn.as_mut() {
            let missing = len - column.len();
            column.extend((0..missing).map(|_| 0.0));
        }
        self.turn.as_mut()
    }

    fn checked_index(&self, index: u32) -> Result<usize, Error> {
        let len = self.len();
        if (index as usize) < len {
            Ok(index as usize)
        } else {
            Err(Error::IndexOutOfBounds { index, len })
        }
    }
}

impl<'a, T: Shape> StoreRef<'a, T> {
    /// A view of the parts of a collection that drops its cache when they change. Columns have equal lengths, except
    /// three empty displacement columns.
    #[inline]
    pub(crate) fn of_parts(
        fields: T::Fields<&'a [f32]>,
        displacement: [&'a [f32]; 3],
        filters: Filters<'a>,
        cache: &'a StoreCache,
        edges: MeshEdges<'a>,
    ) -> Self {
        StoreRef {
            fields,
            displacement,
            turn: Array::build(|_| &[][..]),
            strides: Strides::COLUMNS,
            filters,
            extras: Extras {
                cache: Some(cache),
                edges: Some(edges),
                hulls: None,
            },
        }
    }

    /// A view of borrowed columns. Three empty displacement columns mean that every shape is static; three empty turn
    /// columns of [`Obbs`](crate::Obbs) mean that no box rotates.
    ///
    /// # Errors
    ///
    /// [`Error::ColumnLength`] if the columns differ in length, [`Error::TooManyShapes`] if
    /// they hold more than `u32::MAX` numbers.
    pub fn new(columns: T::Columns<&'a [f32]>) -> Result<Self, Error> {
        let (fields, displacement, turn) = T::fields(columns);
        let expected = fields.as_ref()[0].len();
        let none = |columns: &[&[f32]]| columns.iter().all(|column| column.is_empty());
        let (rests, turns_not) = (none(&displacement), none(turn.as_ref()));
        let columns = fields.as_ref().iter().chain(&displacement);
        for (k, column) in columns.chain(turn.as_ref()).enumerate() {
            let may_be_empty = match k.checked_sub(T::FIELDS) {
                None => false,
                Some(0..3) => rests,
                Some(_) => turns_not,
            };
            if column.len() != expected && !may_be_empty {
                return Err(Error::ColumnLength {
                    column: k,
                    len: column.len(),
                    expected,
                });
            }
        }
        if u32::try_from(expected).is_err() {
            return Err(Error::TooManyShapes { len: expected });
        }
        Ok(StoreRef {
            fields,
            displacement,
            turn,
            strides: Strides::COLUMNS,
            filters: Filters::default(),
            extras: Extras::default(),
        })
    }

    /// The view with the [groups](Groups) of its shapes.
    ///
    /// ```
    /// use phalanx::{Detector, Groups, Sphere, SpheresRef};
    ///
    /// let spheres = [0.0, 0.5].map(|x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 });
    /// // Both are in group 1, and meet group 2 only.
    /// let groups = [Groups { is: 1, meets: 2 }; 2];
    /// let view = SpheresRef::of_structs(&spheres)?.with_groups(&groups)?;
    /// let mut pairs = Vec::new();
    /// Detector::new().touching(&view, &view, &mut pairs)?;
    /// assert!(pairs.is_empty());
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the number of groups is not the number of shapes.
    pub fn with_groups(mut self, groups: &'a [Groups]) -> Result<Self, Error> {
        self.filters.groups = self.one_for_each(groups)?;
        Ok(self)
    }

    /// The view with the [bodies](Store::set_body) of its shapes.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the number of bodies is not the number of shapes.
    pub fn with_bodies(mut self, bodies: &'a [u32]) -> Result<Self, Error> {
        self.filters.bodies = self.one_for_each(bodies)?;
        Ok(self)
    }

    /// Checks that a column has an element for each shape.
    fn one_for_each<X>(&self, column: &'a [X]) -> Result<&'a [X], Error> {
        let (len_a, len_b) = (self.len(), column.len());
        if len_a != len_b {
            return Err(Error::LengthMismatch { len_a, len_b });
        }
        Ok(column)
    }

    /// The groups of shape `index`, or `None` past the end.
    pub fn groups(&self, index: u32) -> Option<Groups> {
        ((index as usize) < self.len()).then(|| self.filters.groups(index))
    }

    /// The body of shape `index`, [`NO_BODY`](crate::NO_BODY) if it belongs to none, or `None` past the end.
    pub fn body(&self, index: u32) -> Option<u32> {
        ((index as usize) < self.len()).then(|| self.filters.body(index))
    }

    /// The shapes without their motion.
    #[cfg(feature = "scene")]
    pub(crate) fn at_rest(self) -> Self {
        StoreRef {
            displacement: [&[]; 3],
            turn: Array::build(|_| &[][..]),
            // Trees of the moving shapes are not those of the shapes at rest.
            extras: Extras {
                cache: None,
                ..self.extras
            },
            ..self
        }
    }

    /// The groups and bodies.
    pub(crate) fn filters(&self) -> Filters<'a> {
        self.filters
    }

    /// A view of a slice of shapes, all static.
    ///
    /// Listed shapes are read in place, without a copy to columns. Short or scattered lists are at least as fast as
    /// with columns, because the numbers of a shape are adjacent. For calls without a list, and for long lists in every
    /// frame, a store is faster: it caches packed rows and trees.
    ///
    /// ```
    /// use phalanx::{Detector, Overlaps, Sphere, SpheresRef};
    ///
    /// let spheres = [0.0, 1.5, 9.0].map(|x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 });
    /// let view = SpheresRef::of_structs(&spheres)?;
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().overlap(&view, &view, &[[0, 1], [0, 2]], &mut overlaps)?;
    /// assert!(overlaps.is_hit(0) && !overlaps.is_hit(1));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TooManyShapes`] above `u32::MAX` shapes.
    pub fn of_structs(shapes: &'a [T]) -> Result<Self, Error> {
        if u32::try_from(shapes.len()).is_err() {
            return Err(Error::TooManyShapes { len: shapes.len() });
        }
        let numbers: &[f32] = bytemuck::cast_slice(shapes);
        Ok(StoreRef {
            fields: Array::build(|k| numbers.get(k..).unwrap_or_default()),
            displacement: [&[]; 3],
            turn: Array::build(|_| &[][..]),
            strides: Strides {
                fields: T::FIELDS as u32,
                motion: 3,
                padded: false,
            },
            filters: Filters::default(),
            extras: Extras::default(),
        })
    }

    /// A view of a slice of shapes, each with a displacement during the frame, see [`of_structs`](Self::of_structs).
    ///
    /// ```
    /// use phalanx::{Detector, Sphere, SpheresRef, Sweeps};
    ///
    /// let spheres = [0.0, 5.0].map(|x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 });
    /// let view = SpheresRef::of_moving_structs(&spheres, &[[0.0; 3], [-4.0, 0.0, 0.0]])?;
    /// let mut sweeps = Sweeps::new();
    /// Detector::new().sweep(&view, &view, &[[0, 1]], &mut sweeps)?;
    /// assert!((sweeps.enter()[0] - 0.75).abs() < 1e-5);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if the number of displacements is not the number of shapes, [`Error::TooManyShapes`]
    /// above `u32::MAX` shapes.
    pub fn of_moving_structs(
        shapes: &'a [T],
        displacements: &'a [[f32; 3]],
    ) -> Result<Self, Error> {
        let mut view = Self::of_structs(shapes)?;
        view.displacement = view.vectors(displacements)?;
        Ok(view)
    }

    /// The columns of vectors, one vector for each shape of a view of structs.
    fn vectors(&self, vectors: &'a [[f32; 3]]) -> Result<[&'a [f32]; 3], Error> {
        let numbers = self.one_for_each(vectors)?.as_flattened();
        Ok([0, 1, 2].map(|k| numbers.get(k..).unwrap_or_default()))
    }

    /// Number of shapes.
    #[inline]
    pub fn len(&self) -> usize {
        Strides::len(self.fields.as_ref()[0], self.strides.fields)
    }

    /// Whether there are no shapes.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shape `index`, or `None` past the end.
    pub fn get(&self, index: u32) -> Option<T> {
        let i = index as usize * self.strides.fields as usize;
        let mut shape = T::zeroed();
        for (x, column) in numbers_mut(&mut shape).iter_mut().zip(self.fields.as_ref()) {
            *x = *column.get(i)?;
        }
        Some(shape)
    }

    /// Iterates over the shapes, in order, without their motion.
    pub fn iter(&self) -> impl Iterator<Item = T> + Clone {
        (0..self.len()).filter_map(|i| self.get(i as u32))
    }

    /// The displacement of shape `index` during the frame, or `None` past the end.
    pub fn displacement(&self, index: u32) -> Option<[f32; 3]> {
        let i = index as usize * self.strides.motion as usize;
        ((index as usize) < self.len()).then(|| {
            self.displacement
                .map(|column| column.get(i).copied().unwrap_or(0.0))
        })
    }

    /// Checks each shape and its motion.
    ///
    /// # Errors
    ///
    /// [`Error::BadShape`] names the first invalid shape and its defect.
    pub fn validate(&self) -> Result<(), Error> {
        let columns = self.raw_columns();
        for index in 0..self.len() as u32 {
            if let Some(defect) = columns.defect(index, Motion::Turning) {
                return Err(Error::BadShape { index, defect });
            }
        }
        Ok(())
    }

    /// Like [`any_columns`](Self::any_columns), for a query that reads this motion at most. `fields` are its own.
    ///
    /// A pointer into the view would have all of it written, and its motion takes as long as 16 pairs of spheres.
    #[inline(always)]
    pub(crate) fn columns_with<'s>(
        &'s self,
        fields: &'s T::Fields<&'a [f32]>,
        motion: Motion,
    ) -> AnyColumns<'s> {
        let (displacement, turn) = match motion {
            Motion::None => (None, None),
            Motion::Straight | Motion::Turning => {
                (self.displacement_columns(), self.turn_columns())
            }
        };
        AnyColumns {
            raw: raw::<T>(fields, displacement, turn, self.strides),
            extras: self.extras,
        }
    }

    /// A copy of the columns of fields.
    #[inline(always)]
    pub(crate) fn fields(&self) -> T::Fields<&'a [f32]> {
        Array::build(|k| self.fields.as_ref()[k])
    }

    /// The columns for code that is compiled once for all kinds of shapes.
    #[inline(always)]
    pub(crate) fn any_columns(&self) -> AnyColumns<'_> {
        AnyColumns {
            raw: self.raw_columns(),
            extras: self.extras,
        }
    }

    /// The columns.
    #[inline(always)]
    pub(crate) fn raw_columns(&self) -> RawColumns<'_> {
        let (displacement, turn) = (self.displacement_columns(), self.turn_columns());
        raw::<T>(&self.fields, displacement, turn, self.strides)
    }

    /// The turn of shape `index` during the frame; zero if it has none, and past the end.
    pub(crate) fn turn_of(&self, index: u32) -> [f32; 3] {
        match self.turn.as_ref() {
            [x, y, z] => {
                let i = index as usize * self.strides.motion as usize;
                [x, y, z].map(|column| column.get(i).copied().unwrap_or(0.0))
            }
            _ => [0.0; 3],
        }
    }

    /// The columns of the turn, or `None` if no shape rotates.
    pub(crate) fn turn_columns(&self) -> Option<[&'a [f32]; 3]> {
        match *self.turn.as_ref() {
            [x, y, z] if self.is_whole(x) => Some([x, y, z]),
            _ => None,
        }
    }

    /// The columns of the displacement, or `None` if every shape is static.
    pub(crate) fn displacement_columns(&self) -> Option<&[&'a [f32]; 3]> {
        self.is_whole(self.displacement[0])
            .then_some(&self.displacement)
    }

    /// Whether a column of the motion has a number for each shape. Otherwise it is empty.
    #[inline(always)]
    fn is_whole(&self, column: &[f32]) -> bool {
        Strides::len(column, self.strides.motion) == self.len()
    }
}

/// The columns of shapes `T`.
#[inline(always)]
fn raw<'s, 'a, T: Shape>(
    fields: &'s T::Fields<&'a [f32]>,
    displacement: Option<&'s [&'a [f32]; 3]>,
    turn: Option<[&'a [f32]; 3]>,
    strides: Strides,
) -> RawColumns<'s> {
    let (id, kind) = (TypeId::of::<T::Stored>(), Kind::of::<T>());
    RawColumns::new(id, kind, fields.as_ref(), displacement, turn, strides)
}

/// Number of shapes in a block of `extend_from_slice`: at most 10 kB.
const BLOCK: usize = 256;

/// Number of shapes to buffer from an iterator.
const TAKEN: usize = 32;

/// Number of shapes that are added one by one where something is cached.
const FEW_ADDED: usize = TAKEN;

/// The numbers of a shape, in the order of its declaration.
fn numbers<T: Shape>(shape: &T) -> &[f32] {
    bytemuck::cast_slice(core::slice::from_ref(shape))
}

fn numbers_mut<T: Shape>(shape: &mut T) -> &mut [f32] {
    bytemuck::cast_slice_mut(core::slice::from_mut(shape))
}

/// The length after adding shapes. Panics above `u32::MAX`.
#[inline]
#[track_caller]
fn checked_len(len: usize, additional: usize) -> u32 {
    match u32::try_from(len.saturating_add(additional)) {
        Ok(len) => len,
        Err(_) => panic!("a store holds at most u32::MAX shapes"),
    }
}

impl<T: Shape> Extend<T> for Store<T> {
    /// Adds static shapes, in order.
    ///
    /// # Panics
    ///
    /// If the store would hold more than `u32::MAX` shapes.
    fn extend<I: IntoIterator<Item = T>>(&mut self, shapes: I) {
        let mut shapes = shapes.into_iter();
        self.reserve(shapes.size_hint().0);
        // Buffered: pushing boxes one by one takes twice as long (notes: figures moved from the source).
        let mut block = [T::zeroed(); TAKEN];
        loop {
            let mut taken = 0;
            for (place, shape) in block.iter_mut().zip(&mut shapes) {
                *place = shape;
                taken += 1;
            }
            self.extend_from_slice(&block[..taken]);
            if taken < TAKEN {
                return;
            }
        }
    }
}

impl<T: Shape> FromIterator<T> for Store<T> {
    fn from_iter<I: IntoIterator<Item = T>>(shapes: I) -> Self {
        let mut store = Self::new();
        store.extend(shapes);
        store
    }
}

impl<T: Shape> Default for Store<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Shape> Clone for Store<T> {
    fn clone(&self) -> Self {
        Store {
            fields: Array::build(|k| self.fields.as_ref()[k].clone()),
            displacement: self.displacement.clone(),
            turn: Array::build(|k| self.turn.as_ref()[k].clone()),
            filters: self.filters.clone(),
            cache: self.cache.clone(),
        }
    }
}

impl<T: Shape> Clone for StoreRef<'_, T>
where
    Self: Copy,
{
    fn clone(&self) -> Self {
        *self
    }
}

impl<'a, T: Shape> Copy for StoreRef<'a, T>
where
    T::Fields<&'a [f32]>: Copy,
    T::Turn<&'a [f32]>: Copy,
{
}

impl<T: Shape> fmt::Debug for Store<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl<T: Shape> fmt::Debug for StoreRef<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shapes = (0..self.len() as u32).map(|i| (self.get(i), self.displacement(i)));
        f.debug_list()
            .entries(shapes.map(|(shape, displacement)| shape.zip(displacement)))
            .finish()
    }
}

impl<T: Shape> Store<T> {
    /// Adds a shape with its motion. Ignores `turn` for kinds of shape that do not rotate.
    pub(crate) fn push_in_motion(
        &mut self,
        shape: T,
        displacement: [f32; 3],
        turn: [f32; 3],
    ) -> u32 {
        let index = self.push_numbers(shape, displacement);
        if turn != [0.0; 3] || self.has_turns() {
            for (column, x) in self.made_turn().iter_mut().zip(turn) {
                column[index as usize] = x;
            }
            self.cache.clear_turning();
        }
        index
    }
}

impl Store<Obb> {
    /// Adds a box that moves and rotates during the frame, and returns its index.
    ///
    /// At time t the center is `center + t * displacement`, and the orientation is `rotation`, rotated by the rotation
    /// vector `t * turn`. The direction of `turn`, in world axes, is the axis of rotation; its length in radians, at
    /// most π, is the angle. [`turn_between`](crate::turn_between) computes a turn from the orientations at both ends
    /// of the frame, [`turn_of_velocity`](crate::turn_of_velocity) from an angular velocity.
    ///
    /// Turns are read by [`impact`](crate::Detector::impact), [`at`](Self::at) and [`bounds`](Self::bounds) of the
    /// frame. Overlaps, contacts and sweeps ignore them. A store allocates no memory for turns until a box rotates.
    ///
    /// ```
    /// use phalanx::{Obb, Obbs};
    ///
    /// let mut boxes = Obbs::new();
    /// let plank = Obb { half_extents: [2.0, 0.25, 0.5], ..Obb::default() };
    /// // Rotates by 90° about the vertical axis while it falls.
    /// let tumbling = boxes.push_turning(plank, [0.0, -1.0, 0.0], [0.0, core::f32::consts::FRAC_PI_2, 0.0]);
    /// let end = boxes.at(tumbling, 1.0).unwrap();
    /// assert_eq!(end.center, [0.0, -1.0, 0.0]);
    /// assert!((end.rotation[1] - 0.5f32.sqrt()).abs() < 1e-6);
    /// ```
    ///
    /// # Panics
    ///
    /// If the store already holds `u32::MAX` boxes.
    pub fn push_turning(
        &mut self,
        obb: Obb,
        displacement: impl Into<[f32; 3]>,
        turn: impl Into<[f32; 3]>,
    ) -> u32 {
        self.push_in_motion(obb, displacement.into(), turn.into())
    }

    /// The rotation vector of box `index` during the frame, or `None` past the end. See
    /// [`push_turning`](Self::push_turning).
    #[inline]
    pub fn turn(&self, index: u32) -> Option<[f32; 3]> {
        self.view().turn(index)
    }

    /// Replaces the turn of box `index`, see [`push_turning`](Self::push_turning).
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    pub fn set_turn(&mut self, index: u32, turn: impl Into<[f32; 3]>) -> Result<(), Error> {
        self.set_turn_numbers(index, turn.into())
    }

    fn set_turn_numbers(&mut self, index: u32, turn: [f32; 3]) -> Result<(), Error> {
        let i = self.checked_index(index)?;
        self.cache.clear_turning();
        if turn != [0.0; 3] || self.has_turns() {
            for (column, x) in self.made_turn().iter_mut().zip(turn) {
                column[i] = x;
            }
        }
        Ok(())
    }

    /// x, y and z of the turns, to write. Creates the columns if no box has a turn; [`columns_mut`](Self::columns_mut)
    /// does not.
    ///
    /// ```
    /// use phalanx::{Obb, Obbs};
    ///
    /// let mut boxes = Obbs::from_slice(&[Obb::default(); 3]);
    /// assert!(boxes.columns_mut().turn[2].is_empty());
    /// boxes.turn_columns_mut()[2].fill(0.1);
    /// assert_eq!(boxes.turn(1), Some([0.0, 0.0, 0.1]));
    /// ```
    pub fn turn_columns_mut(&mut self) -> [&mut [f32]; 3] {
        self.cache.clear_turning();
        self.made_turn();
        self.turn.each_mut().map(|column| &mut **column)
    }
}

impl<'a> StoreRef<'a, Obb> {
    /// A view of a slice of boxes that move and [rotate](crate::Store::push_turning) during the frame, see
    /// [`of_structs`](Self::of_structs).
    ///
    /// # Errors
    ///
    /// As for [`of_moving_structs`](Self::of_moving_structs).
    pub fn of_turning_structs(
        boxes: &'a [Obb],
        displacements: &'a [[f32; 3]],
        turns: &'a [[f32; 3]],
    ) -> Result<Self, Error> {
        let mut view = Self::of_moving_structs(boxes, displacements)?;
        view.turn = view.vectors(turns)?;
        Ok(view)
    }

    /// The rotation vector of box `index` during the frame, or `None` past the end.
    pub fn turn(&self, index: u32) -> Option<[f32; 3]> {
        ((index as usize) < self.len()).then(|| self.turn_of(index))
    }
}
