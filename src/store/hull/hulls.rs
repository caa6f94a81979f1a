//! Convex hulls: kinds of points, and placed hulls of these kinds.

use alloc::vec::Vec;
use core::fmt;

use crate::error::{Defect, Error};
use crate::lane::{Float, Lanes, Simd, Vec3};
use crate::math::rotation::{placed, rotation_matrix};
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::bounds::{Bounded, During};
use crate::shapes::columns::Columns;
use crate::shapes::form::Moving;
use crate::shapes::groups::Groups;
use crate::shapes::obb::{Obb, ObbColumns, WideObb};
use crate::shapes::raw_columns::{BoundsOps, BoundsTo, Centers, Motion};
use crate::shapes::shape::{Movable, Shape};
use crate::store::aliases::{Aabbs, Obbs, ObbsRef};
use crate::store::columns::Extras;
use crate::store::hull::kinds::{HullKinds, HullPoints};
use crate::store::store::{Shapes, StoreRef};

/// The convex hull of the points of a [kind](HullKinds), placed by a center and a rotation: the hull of all
/// `center + R p`, where `R` is the rotation by the normalised quaternion. A [rounded](HullKinds::add_rounded) kind adds all points
/// within its radius.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hull {
    /// The position of the origin of the points.
    pub center: [f32; 3],
    /// A quaternion x, y, z, w. It is normalised before use; its length may differ from 1 by 1e-3.
    pub rotation: [f32; 4],
    /// The kind, as returned by [`HullKinds::add`].
    pub kind: u32,
}

impl Hull {
    /// A hull of a kind.
    ///
    /// ```
    /// use phalanx::Hull;
    ///
    /// let rock = Hull::new(0, [1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 1.0]);
    /// assert_eq!(rock, Hull { center: [1.0, 2.0, 3.0], ..Hull::default() });
    /// ```
    #[inline]
    pub fn new(kind: u32, center: impl Into<[f32; 3]>, rotation: impl Into<[f32; 4]>) -> Self {
        Hull {
            center: center.into(),
            rotation: rotation.into(),
            kind,
        }
    }

    /// The hull with its center moved by `R offset`, computed in `f64` and rounded once. With the offset that
    /// [`HullKinds::add_centered`] returns, it is the hull of the points as they were given.
    ///
    /// ```
    /// use phalanx::Hull;
    ///
    /// // A rotation by 180° about z.
    /// let hull = Hull::new(0, [1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 0.0]);
    /// assert_eq!(hull.with_offset([4.0, 0.0, 0.5]).center, [-3.0, 2.0, 3.5]);
    /// ```
    pub fn with_offset(self, offset: impl Into<[f32; 3]>) -> Self {
        let offset: [f32; 3] = offset.into();
        let rows = rotation_matrix(self.rotation);
        let moved = |axis: usize| placed(rows[axis], offset, self.center[axis]);
        Hull {
            center: [0, 1, 2].map(moved),
            ..self
        }
    }
}

impl Default for Hull {
    /// A hull of the first kind at the origin, with the identity rotation.
    fn default() -> Self {
        Hull {
            center: [0.0; 3],
            rotation: [0.0, 0.0, 0.0, 1.0],
            kind: 0,
        }
    }
}

/// Convex hulls of some [kinds](HullKinds), each with its motion during the frame, used wherever a store is.
///
/// Any pose is accepted, as in a [`Store`](crate::Store): an invalid value flags the pairs of its hull, and
/// [`validate`](Self::validate) finds it. Bounds are those of the [boxes](Self::boxes) around the hulls.
///
/// Hulls in borrowed columns have no view: the half extents of the boxes would have to be borrowed too. Write
/// [`poses_mut`](Self::poses_mut) instead.
///
/// ```
/// use phalanx::{Detector, During, Hull, HullKinds, Hulls, Overlaps};
///
/// let mut kinds = HullKinds::new();
/// let wedge = kinds.add(&[[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, -1.0], [0.0, 1.0, 1.0]])?;
/// let mut rocks = Hulls::new(&kinds);
/// for x in 0..10 {
///     rocks.push(Hull { center: [1.5 * x as f32, 0.0, 0.0], kind: wedge, ..Hull::default() })?;
/// }
/// let (mut detector, mut pairs, mut overlaps) = (Detector::new(), Vec::new(), Overlaps::new());
/// detector.candidates(&rocks, &rocks, During::Start, &mut pairs)?;
/// detector.overlap(&rocks, &rocks, &pairs, &mut overlaps)?;
/// assert_eq!((pairs.len(), overlaps.count()), (9, 9));
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Hulls {
    kinds: HullKinds,
    /// The box around each hull.
    boxes: Obbs,
    kind: Vec<u32>,
}

/// The columns of the poses of [`Hulls`]: element `i` belongs to hull `i`.
#[derive(Clone, Copy, Debug)]
pub struct HullColumns<C> {
    /// x, y and z of the centers.
    pub center: [C; 3],
    /// x, y, z and w of the quaternions.
    pub rotation: [C; 4],
    /// x, y and z of the displacements during the frame.
    pub displacement: [C; 3],
    /// x, y and z of the turns during the frame, rotation vectors. Empty if no hull rotates.
    pub turn: [C; 3],
}

impl Hulls {
    /// An empty store of hulls of these kinds. Kinds that are added to `kinds` later are not known to it.
    pub fn new(kinds: &HullKinds) -> Self {
        Hulls {
            kinds: kinds.clone(),
            ..Self::default()
        }
    }

    /// A store of these hulls, all static.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHullKind`].
    ///
    /// # Panics
    ///
    /// If there are more than `u32::MAX` hulls.
    pub fn from_slice(kinds: &HullKinds, hulls: &[Hull]) -> Result<Self, Error> {
        let mut store = Self::new(kinds);
        store.extend_from_slice(hulls)?;
        Ok(store)
    }

    /// The kinds.
    pub fn kinds(&self) -> &HullKinds {
        &self.kinds
    }

    /// Adds a kind to those of this store, as [`HullKinds::add`] does.
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add`].
    pub fn add_kind(&mut self, points: &[[f32; 3]]) -> Result<u32, Error> {
        self.kinds.add(points)
    }

    /// Adds a kind of rounded hulls to those of this store, as [`HullKinds::add_rounded`] does.
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_rounded`].
    pub fn add_rounded_kind(&mut self, points: &[[f32; 3]], radius: f32) -> Result<u32, Error> {
        self.kinds.add_rounded(points, radius)
    }

    /// Adds a kind of cylinders to those of this store, as [`HullKinds::add_cylinder`] does.
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_cylinder`].
    pub fn add_cylinder_kind(
        &mut self,
        radius: f32,
        half_height: f32,
        rounding: f32,
    ) -> Result<u32, Error> {
        self.kinds.add_cylinder(radius, half_height, rounding)
    }

    /// Adds a kind of cones to those of this store, as [`HullKinds::add_cone`] does.
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_cone`].
    pub fn add_cone_kind(
        &mut self,
        radius: f32,
        half_height: f32,
        rounding: f32,
    ) -> Result<u32, Error> {
        self.kinds.add_cone(radius, half_height, rounding)
    }

    /// Adds a kind of hulls of at most `most` points that contain any number of points to those of this store, as
    /// [`HullKinds::add_outer`] does. Returns its index and its growth.
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add_outer`].
    pub fn add_outer_kind(
        &mut self,
        points: &[[f32; 3]],
        most: usize,
    ) -> Result<(u32, f32), Error> {
        self.kinds.add_outer(points, most)
    }

    /// Number of hulls.
    #[inline]
    pub fn len(&self) -> usize {
        self.kind.len()
    }

    /// Whether there are no hulls.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.kind.is_empty()
    }

    /// Reserves room for `additional` more hulls.
    pub fn reserve(&mut self, additional: usize) {
        self.boxes.reserve(additional);
        self.kind.reserve(additional);
    }

    /// Adds a static hull and returns its index.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHullKind`].
    ///
    /// # Panics
    ///
    /// If the store already holds `u32::MAX` hulls.
    pub fn push(&mut self, hull: Hull) -> Result<u32, Error> {
        self.push_moving(hull, [0.0; 3])
    }

    /// Adds a hull that moves in a straight line by `displacement` during the frame, and returns its index.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHullKind`].
    ///
    /// # Panics
    ///
    /// If the store already holds `u32::MAX` hulls.
    pub fn push_moving(
        &mut self,
        hull: Hull,
        displacement: impl Into<[f32; 3]>,
    ) -> Result<u32, Error> {
        let displacement: [f32; 3] = displacement.into();
        let around = self.box_of(hull)?;
        let index = self.boxes.push_moving(around, displacement);
        self.kind.push(hull.kind);
        Ok(index)
    }

    /// Adds a hull that moves and rotates during the frame, and returns its index, see
    /// [`Obbs::push_turning`](crate::Store::push_turning). It rotates about its center.
    ///
    /// ```
    /// use phalanx::{Hull, Hulls};
    ///
    /// let mut hulls = Hulls::default();
    /// let kind = hulls.add_kind(&[[2.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [0.0, 1.0, 0.0]])?;
    /// // Rotates by 90° about the vertical axis while it falls.
    /// let turn = [0.0, core::f32::consts::FRAC_PI_2, 0.0];
    /// let tumbling = hulls.push_turning(Hull { kind, ..Hull::default() }, [0.0, -1.0, 0.0], turn)?;
    /// let end = hulls.at(tumbling, 1.0).unwrap();
    /// assert_eq!(end.center, [0.0, -1.0, 0.0]);
    /// assert!((end.rotation[1] - 0.5f32.sqrt()).abs() < 1e-6);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHullKind`].
    ///
    /// # Panics
    ///
    /// If the store already holds `u32::MAX` hulls.
    pub fn push_turning(
        &mut self,
        hull: Hull,
        displacement: impl Into<[f32; 3]>,
        turn: impl Into<[f32; 3]>,
    ) -> Result<u32, Error> {
        let around = self.box_of(hull)?;
        let index = self.boxes.push_turning(around, displacement, turn);
        self.kind.push(hull.kind);
        Ok(index)
    }

    /// Adds static hulls, in order.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHullKind`]. Nothing is added then.
    ///
    /// # Panics
    ///
    /// If the store would hold more than `u32::MAX` hulls.
    pub fn extend_from_slice(&mut self, hulls: &[Hull]) -> Result<(), Error> {
        self.extend_moving(hulls.iter().map(|hull| (*hull, [0.0; 3])))
    }

    /// Adds hulls with their displacements, in order.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownHullKind`]. Nothing is added then.
    ///
    /// # Panics
    ///
    /// If the store would hold more than `u32::MAX` hulls.
    pub fn extend_moving(
        &mut self,
        hulls: impl IntoIterator<Item = (Hull, impl Into<[f32; 3]>)>,
    ) -> Result<(), Error> {
        let len = self.len();
        let hulls = hulls.into_iter();
        self.reserve(hulls.size_hint().0);
        for (hull, displacement) in hulls {
            if let Err(error) = self.push_moving(hull, displacement) {
                self.truncate(len);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Hull `index`, or `None` past the end.
    pub fn get(&self, index: u32) -> Option<Hull> {
        self.with_kind(index, self.boxes.get(index)?)
    }

    /// Hull `index` at a time of the frame from 0 to 1, or `None` past the end.
    pub fn at(&self, index: u32, time: f32) -> Option<Hull> {
        self.with_kind(index, self.boxes.at(index, time)?)
    }

    /// Iterates over the hulls, in order, without their motion.
    pub fn iter(&self) -> impl Iterator<Item = Hull> + Clone + '_ {
        (0..self.len()).filter_map(|i| self.get(i as u32))
    }

    /// Replaces hull `index` and keeps its motion.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end, [`Error::UnknownHullKind`]. Nothing changes then.
    pub fn set(&mut self, index: u32, hull: Hull) -> Result<(), Error> {
        let around = self.box_of(hull)?;
        self.boxes.set(index, around)?;
        self.kind[index as usize] = hull.kind;
        Ok(())
    }

    /// The displacement of hull `index` during the frame, or `None` past the end.
    pub fn displacement(&self, index: u32) -> Option<[f32; 3]> {
        self.boxes.displacement(index)
    }

    /// Replaces the displacement of hull `index`.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    pub fn set_displacement(
        &mut self,
        index: u32,
        displacement: impl Into<[f32; 3]>,
    ) -> Result<(), Error> {
        self.boxes.set_displacement(index, displacement)
    }

    /// The rotation vector of hull `index` during the frame, or `None` past the end. See
    /// [`push_turning`](Self::push_turning).
    pub fn turn(&self, index: u32) -> Option<[f32; 3]> {
        self.boxes.turn(index)
    }

    /// Replaces the turn of hull `index`, see [`push_turning`](Self::push_turning).
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    pub fn set_turn(&mut self, index: u32, turn: impl Into<[f32; 3]>) -> Result<(), Error> {
        self.boxes.set_turn(index, turn)
    }

    /// x, y and z of the turns, to write. Creates the columns if no hull has a turn; [`poses_mut`](Self::poses_mut) does not.
    pub fn turn_columns_mut(&mut self) -> [&mut [f32]; 3] {
        self.boxes.turn_columns_mut()
    }

    /// The columns of the poses.
    pub fn poses(&self) -> HullColumns<&[f32]> {
        poses(self.boxes.columns())
    }

    /// The columns of the poses, to write.
    pub fn poses_mut(&mut self) -> HullColumns<&mut [f32]> {
        poses(self.boxes.columns_mut())
    }

    /// The box around each hull: symmetric around the hull's center, with its rotation and motion.
    pub fn boxes(&self) -> ObbsRef<'_> {
        self.boxes.view()
    }

    /// Removes hull `index` and replaces it by the last hull with its motion. Returns the removed hull, or `None` past the end,
    /// and then changes nothing.
    pub fn swap_remove(&mut self, index: u32) -> Option<Hull> {
        let removed = self.get(index)?;
        self.boxes.swap_remove(index);
        self.kind.swap_remove(index as usize);
        Some(removed)
    }

    /// Shortens the store to the first `len` hulls. Does nothing if it is not longer.
    pub fn truncate(&mut self, len: usize) {
        self.boxes.truncate(len);
        self.kind.truncate(len);
    }

    /// Removes every hull and keeps the memory and the kinds.
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Reorders the hulls with their motions: hull `order[i]` becomes hull `i`, see [`Store::reorder`](crate::Store::reorder).
    ///
    /// # Errors
    ///
    /// [`Error::OrderLength`], [`Error::IndexOutOfBounds`], [`Error::RepeatedIndex`] if `order` does not contain each
    /// index once; the store is then unchanged.
    pub fn reorder(&mut self, order: &[u32]) -> Result<(), Error> {
        self.boxes.reorder(order)?;
        self.kind = order.iter().map(|&i| self.kind[i as usize]).collect();
        Ok(())
    }

    /// The groups of hull `index`, or `None` past the end.
    pub fn groups(&self, index: u32) -> Option<Groups> {
        self.boxes.groups(index)
    }

    /// Sets the [groups](Groups) of hull `index`.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    pub fn set_groups(&mut self, index: u32, groups: Groups) -> Result<(), Error> {
        self.boxes.set_groups(index, groups)
    }

    /// The groups of all hulls, to write. Creates the column.
    pub fn groups_mut(&mut self) -> &mut [Groups] {
        self.boxes.groups_mut()
    }

    /// The body of hull `index`, [`NO_BODY`](crate::NO_BODY) if it belongs to none, or `None` past the end.
    pub fn body(&self, index: u32) -> Option<u32> {
        self.boxes.body(index)
    }

    /// Sets the [body](crate::Store::set_body) of hull `index`.
    ///
    /// # Errors
    ///
    /// [`Error::IndexOutOfBounds`] past the end.
    pub fn set_body(&mut self, index: u32, body: u32) -> Result<(), Error> {
        self.boxes.set_body(index, body)
    }

    /// The bodies of all hulls, to write. Creates the column.
    pub fn bodies_mut(&mut self) -> &mut [u32] {
        self.boxes.bodies_mut()
    }

    /// Writes the bounds of the box around each hull, see [`Store::bounds`](crate::Store::bounds).
    pub fn bounds(&self, during: During, out: &mut Aabbs) {
        self.boxes.bounds(during, out);
    }

    /// Checks each hull and its motion.
    ///
    /// # Errors
    ///
    /// [`Error::BadShape`] names the first invalid hull and its defect.
    pub fn validate(&self) -> Result<(), Error> {
        self.boxes.validate()
    }

    /// The box around a hull.
    fn box_of(&self, hull: Hull) -> Result<Obb, Error> {
        let Hull {
            center,
            rotation,
            kind,
        } = hull;
        let kinds = self.kinds.len();
        let half_extents = self.kinds.half_extents(kind);
        let half_extents = half_extents.ok_or(Error::UnknownHullKind { kind, kinds })?;
        Ok(Obb {
            center,
            half_extents,
            rotation,
        })
    }

    fn with_kind(&self, index: u32, around: Obb) -> Option<Hull> {
        Some(Hull {
            center: around.center,
            rotation: around.rotation,
            kind: *self.kind.get(index as usize)?,
        })
    }
}

/// The poses among the columns of boxes.
fn poses<C>(columns: ObbColumns<C>) -> HullColumns<C> {
    HullColumns {
        center: columns.center,
        rotation: columns.rotation,
        displacement: columns.displacement,
        turn: columns.turn,
    }
}

impl fmt::Debug for Hulls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hulls = (0..self.len() as u32).map(|i| (self.get(i), self.displacement(i)));
        f.debug_list()
            .entries(hulls.map(|(hull, displacement)| hull.zip(displacement)))
            .finish()
    }
}

impl<'a> StoreRef<'a, Obb> {
    /// The boxes around hulls, as these hulls.
    #[inline]
    pub(crate) fn as_hulls(self, hulls: HullPoints<'a>) -> StoreRef<'a, PlacedHull> {
        StoreRef {
            fields: self.fields,
            displacement: self.displacement,
            turn: self.turn,
            strides: self.strides,
            filters: self.filters,
            extras: Extras {
                hulls: Some(hulls),
                ..self.extras
            },
        }
    }
}

impl Shapes for Hulls {
    type Shape = PlacedHull;
    #[inline]
    fn view(&self) -> StoreRef<'_, PlacedHull> {
        self.boxes.view().as_hulls(HullPoints {
            kinds: &self.kinds,
            kind: &self.kind,
        })
    }
}

/// The shape of [`Hulls`]: the box around a hull. Its columns are those of [`Obb`], and its kernels test them as boxes first.
///
/// Only views of [`Hulls`] have it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct PlacedHull(pub(crate) Obb);

impl Shape for PlacedHull {
    type Fields<X: Send + Sync> = <Obb as Shape>::Fields<X>;
    type Columns<C> = ObbColumns<C>;
    type Wide<F: Float> = WideObb<F>;
    type Row = <Obb as Shape>::Row;
    type MovingRow = <Obb as Shape>::MovingRow;
    type Turn<X: Send + Sync> = <Obb as Shape>::Turn<X>;
    /// Impacts read the rows of the boxes, with their turns.
    type FullMotion = Moving<Self>;
    type Stored = Obb;
    const BOUNDS: Option<&'static BoundsOps> = Obb::BOUNDS;
    const ROW: usize = Obb::ROW;

    fn columns<C: Send + Sync>(
        fields: Self::Fields<C>,
        displacement: [C; 3],
        turn: Self::Turn<C>,
    ) -> ObbColumns<C> {
        <Obb as Shape>::columns(fields, displacement, turn)
    }

    fn fields<C: Send + Sync>(columns: ObbColumns<C>) -> (Self::Fields<C>, [C; 3], Self::Turn<C>) {
        <Obb as Shape>::fields(columns)
    }

    fn defect(&self) -> Option<Defect> {
        self.0.defect()
    }

    fn translated(self, by: [f32; 3]) -> Self {
        PlacedHull(self.0.translated(by))
    }

    #[inline(always)]
    fn prepare<L: Lanes>(lanes: L, fields: Self::Fields<L::F>) -> (WideObb<L::F>, L::M) {
        Obb::prepare(lanes, fields)
    }

    #[inline(always)]
    fn wide_size<F: Float>(shape: WideObb<F>) -> F {
        Obb::wide_size(shape)
    }

    #[inline(always)]
    fn wide_place<F: Float>(shape: WideObb<F>) -> Option<Vec3<F>> {
        Some(shape.center)
    }

    #[inline(always)]
    fn to_row<F: Float>(shape: WideObb<F>, row: &mut [F]) {
        Obb::to_row(shape, row);
    }

    #[inline(always)]
    fn from_row<F: Float>(row: &[F]) -> WideObb<F> {
        Obb::from_row(row)
    }
}

impl Movable for PlacedHull {
    #[inline(always)]
    fn moved<L: Lanes>(lanes: L, shape: WideObb<L::F>, by: Vec3<L::F>) -> WideObb<L::F> {
        Obb::moved(lanes, shape, by)
    }
}

impl Bounded for PlacedHull {
    const GROWTH: f32 = Obb::GROWTH;
    const OPS: &'static BoundsOps = <Obb as Bounded>::OPS;

    #[inline(always)]
    fn around<L: Lanes>(lanes: L, shape: WideObb<L::F>) -> (BoundingBox<L::F>, L::F) {
        Obb::around(lanes, shape)
    }

    fn write_bounds(
        columns: &Columns<'_, Self>,
        motion: Motion,
        simd: Simd,
        first: usize,
        to: BoundsTo<'_>,
    ) -> Centers {
        Obb::write_bounds(&columns.clone().stored(), motion, simd, first, to)
    }
}
