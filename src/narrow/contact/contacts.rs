//! Results of a contact query: one manifold for each pair that touches.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;
use core::ops::{Range, RangeInclusive};

use crate::error::Error;
use crate::lane::MAX_LANES;
use crate::memory::pages;
use crate::narrow::overlap::overlaps::{OverlapWords, Overlaps, check_column, forward_masks};
use crate::pairs::Pair;
use crate::store::mesh::mesh::Mesh;

/// Largest number of points of a contact.
pub(crate) const POINTS: usize = 4;
/// Number of `f32` columns: normal and separation, then position and separation of each point.
pub(crate) const NUMBERS: usize = 4 + 4 * POINTS;
/// The column that marks contacts clamped by a mesh; empty for other stores.
pub(crate) const INNER: usize = 1 + POINTS;
/// Number of `u8` columns: the number of points, then the feature id of each point, and [`INNER`].
pub(crate) const BYTES: usize = 2 + POINTS;

/// Contact manifold of a pair: points, normal and penetration depth.
#[derive(Clone, Copy, PartialEq)]
pub struct Contact {
    /// Position in the pair list.
    pub position: usize,
    /// Unit vector from `a` to `b`, in world axes.
    pub normal: [f32; 3],
    /// Signed distance along the normal; negative when penetrating. Moving `b` by `-separation` along the normal
    /// makes the shapes just touch.
    pub separation: f32,
    /// Whether the normal is one of a [`Mesh`](crate::Mesh) nearby, because that of the pair did not
    /// [support](crate::Mesh#inner-edges) it.
    pub is_inner: bool,
    points: [ContactPoint; POINTS],
    count: usize,
}

/// A point of a [`Contact`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// Midpoint between both surfaces, relative to the center of `a`; relative to the center of `b` if `a` is a
    /// triangle, a plane or a half-space. If neither has a center, relative to the mean of the corners of `a`, or of `b` if only `b` is a
    /// triangle. The point on the surface of `a` is `at - normal * separation / 2`, the point
    /// on the surface of `b` is `at + normal * separation / 2`.
    pub at: [f32; 3],
    /// Signed distance between the surfaces at this point, along the normal; negative when penetrating.
    pub separation: f32,
    /// Feature id, unique within the pair and stable across frames: the key for warm starting.
    pub feature: u8,
}

/// Shows the points that there are.
impl fmt::Debug for Contact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contact")
            .field("position", &self.position)
            .field("normal", &self.normal)
            .field("separation", &self.separation)
            .field("is_inner", &self.is_inner)
            .field("points", &self.points())
            .finish()
    }
}

impl Contact {
    /// The points: at least one if the shapes touch.
    #[inline]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    /// A contact with other points, up to as many as a contact has.
    #[cfg(all(feature = "scene", feature = "serde"))]
    pub(crate) fn with_points(mut self, points: &[ContactPoint]) -> Self {
        self.count = points.len().min(POINTS);
        self.points = Default::default();
        self.points[..self.count].copy_from_slice(&points[..self.count]);
        self
    }

    /// A contact without points.
    #[cfg(all(feature = "scene", feature = "serde"))]
    pub(crate) fn bare(normal: [f32; 3], separation: f32, is_inner: bool) -> Self {
        Contact {
            position: 0,
            normal,
            separation,
            is_inner,
            points: Default::default(),
            count: 0,
        }
    }

    /// Penetration depth: the negated separation; zero for separated shapes.
    #[inline]
    pub fn depth(&self) -> f32 {
        (-self.separation).max(0.0)
    }
}

/// The columns of one point of every contact: element `i` belongs to contact `i`.
#[derive(Clone, Copy, Debug)]
pub struct ContactPointColumns<'a> {
    /// x, y and z of [`ContactPoint::at`].
    pub at: [&'a [f32]; 3],
    /// [`ContactPoint::separation`]; +∞ if the contact has no such point.
    pub separation: &'a [f32],
    /// [`ContactPoint::feature`].
    pub feature: &'a [u8],
}

/// The owned columns of [`Contacts`]: element `i` belongs to contact `i`, except in the words of the first two columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactColumns {
    /// The hits as bits: pair `i` is bit `i % 64` of word `i / 64`.
    pub hits: Vec<u64>,
    /// The pairs with an invalid shape, as bits.
    pub invalid: Vec<u64>,
    /// The position in the pair list.
    pub positions: Vec<u32>,
    /// x, y and z of the normal.
    pub normal: [Vec<f32>; 3],
    /// The separation.
    pub separation: Vec<f32>,
    /// The number of points.
    pub counts: Vec<u8>,
    /// 1 for [inner](Contact::is_inner) contacts, otherwise 0. Empty if no store of the call was a [`Mesh`].
    pub inner: Vec<u8>,
    /// The points. Columns are empty and unused slots filled as [`Contacts::point`] describes.
    pub points: [ContactPointVecs; 4],
}

/// The owned columns of one point of every contact, see [`ContactColumns::points`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContactPointVecs {
    /// x, y and z of [`ContactPoint::at`].
    pub at: [Vec<f32>; 3],
    /// [`ContactPoint::separation`]; +∞ if the contact has no such point.
    pub separation: Vec<f32>,
    /// [`ContactPoint::feature`].
    pub feature: Vec<u8>,
}

/// Results of a contact query: the manifolds of the pairs that touch.
///
/// It holds one [`Contact`] for each pair that touches, in order of position, and the hit mask of [`Overlaps`].
/// Keep one value and pass it to every call: its memory is reused, and each successful call replaces its contents.
///
/// ```
/// use phalanx::{Contacts, Detector, Obb, Obbs, Pair};
///
/// let unit = Obb { half_extents: [1.0; 3], ..Obb::default() };
/// let boxes = Obbs::from_slice(&[unit, Obb { center: [0.5, 1.75, 0.0], ..unit }]);
///
/// let mut contacts = Contacts::new();
/// Detector::new().contact(&boxes, &boxes, &[Pair::new(0, 1)], &mut contacts)?;
/// for contact in &contacts {
///     println!("depth {} along {:?}", contact.depth(), contact.normal);
///     for point in contact.points() {
///         println!("  at {:?} from the center of a", point.at);
///     }
/// }
/// # let contact = contacts.get(0).unwrap();
/// # assert_eq!((contact.normal, contact.points().len()), ([0.0, 1.0, 0.0], 4));
/// # assert!((contact.separation + 0.25).abs() < 1e-4);
/// # Ok::<(), phalanx::Error>(())
/// ```
///
/// # Meaning
///
#[doc = include_str!("../../pictures/contact.svg")]
///
/// - The normal is a unit vector from `a` to `b`: the direction of least penetration. No other direction separates the
///   shapes by a shorter displacement; of cylinders and cones deep in each other, none by a displacement that is more than 0.02 of their radius
///   shorter.
/// - A separation is measured between the given shapes, without the [margin](crate::Detector::margin). It is never
///   above the exact separation, so a depth is never too small. With a margin, separated pairs within it have
///   speculative contacts with a positive separation: a solver uses them to stop shapes that would touch within the
///   frame.
/// - Boxes and hulls have up to four points with each other, triangles and planes, capsules up to two, spheres one. Where two edges
///   are deepest, these are the points of the faces beside them that touch along the normal, the deepest included. A touching pair
///   has at least one point, and one of its points is as deep as the pair, within 2⁻¹⁰ of its size. Two separated
///   boxes, or a box and a triangle, have points only where their faces overlap along the normal.
/// - Shapes of two types may be passed in either order: swapping them flips the normal, and points are relative to the
///   other center. For two shapes of one type the order matters within rounding, as for overlaps.
/// - Ties are resolved by a fixed rule. For boxes, faces of the first win, then faces of the second, then edges; the
///   earlier axis of a group wins. For triangles, the triangle's face wins. Concentric spheres touch along x.
/// - A triangle is two-sided: the side that faces the center of the other shape counts. Two triangles that cross are pushed apart along
///   the normal of either, or across an edge of each, whichever is shorter. So two meshes have contacts where their surfaces cross,
///   and none where one is wholly inside the other.
///
/// The [contract](crate::contract) states the error bounds and the lengths for which they hold.
#[derive(Clone, Default)]
pub struct Contacts {
    pub(crate) masks: Overlaps,
    pub(crate) positions: Vec<u32>,
    numbers: [Vec<f32>; NUMBERS],
    bytes: [Vec<u8>; BYTES],
    /// Number of points that have columns.
    points: usize,
}

/// The columns of contacts, to write.
pub(crate) struct ContactSlices<'a> {
    pub positions: &'a [u32],
    pub numbers: [&'a mut [f32]; NUMBERS],
    pub bytes: [&'a mut [u8]; BYTES],
}

impl<'a> ContactSlices<'a> {
    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Splits after the first `middle` contacts, a multiple of [`MAX_LANES`].
    pub fn split_at(self, middle: usize) -> (Self, Self) {
        let (positions, later) = self.positions.split_at(middle);
        let (numbers, later_numbers) = split(self.numbers, middle);
        let (bytes, later_bytes) = split(self.bytes, middle);
        (
            ContactSlices {
                positions,
                numbers,
                bytes,
            },
            ContactSlices {
                positions: later,
                numbers: later_numbers,
                bytes: later_bytes,
            },
        )
    }
}

type SlicesOf<'a, T, const N: usize> = [&'a mut [T]; N];

/// Splits columns at `middle`; empty columns stay empty.
fn split<T, const N: usize>(
    columns: SlicesOf<'_, T, N>,
    middle: usize,
) -> (SlicesOf<'_, T, N>, SlicesOf<'_, T, N>) {
    let mut later = [const { None }; N];
    let mut k = 0;
    let first = columns.map(|column| {
        let middle = middle.min(column.len());
        let (low, high) = column.split_at_mut(middle);
        later[k] = Some(high);
        k += 1;
        low
    });
    (first, later.map(Option::unwrap_or_default))
}

impl Contacts {
    /// The results of an empty list.
    pub const fn new() -> Self {
        Contacts {
            masks: Overlaps::new(),
            positions: Vec::new(),
            numbers: [const { Vec::new() }; NUMBERS],
            bytes: [const { Vec::new() }; BYTES],
            points: 0,
        }
    }

    forward_masks!();

    /// Number of contacts: the pairs that touch.
    #[inline]
    pub fn count(&self) -> usize {
        self.positions.len()
    }

    /// The hit mask: bit for bit the result of [`Detector::overlap`](crate::Detector::overlap).
    #[inline]
    pub fn overlaps(&self) -> &Overlaps {
        &self.masks
    }

    /// The contact of pair `position`; `None` for a miss and past the end.
    ///
    /// Searches the contacts by bisection. To read all contacts, [iterate](Self::iter).
    pub fn get(&self, position: usize) -> Option<Contact> {
        let position = u32::try_from(position).ok()?;
        let index = self.positions.binary_search(&position).ok()?;
        Some(self.contact(index))
    }

    /// Iterates over the contacts, in order of position.
    #[inline]
    pub fn iter(&self) -> ContactIter<'_> {
        ContactIter {
            contacts: self,
            next: 0,
        }
    }

    /// The position in the pair list of each contact, in order.
    #[inline]
    pub fn positions(&self) -> &[u32] {
        &self.positions
    }

    /// x, y and z of the normal of each contact.
    #[inline]
    pub fn normal(&self) -> [&[f32]; 3] {
        [self.column(0), self.column(1), self.column(2)]
    }

    /// The separation of each contact.
    #[inline]
    pub fn separation(&self) -> &[f32] {
        self.column(3)
    }

    /// Number of points of each contact.
    #[inline]
    pub fn counts(&self) -> &[u8] {
        &self.bytes[0][..self.count()]
    }

    /// The columns of point `k` of each contact, from 0 to 3.
    ///
    /// Unused slots repeat the contact's first point with separation +∞, so a solver can loop over all four. If the
    /// contact has no points, they hold an arbitrary point. The columns are empty if these types of shapes never have
    /// so many points, as for spheres, and for `k` above 3.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, Pair, Sphere, Spheres};
    ///
    /// let unit = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let spheres = Spheres::from_slice(&[unit(0.0), unit(1.5)]);
    /// let mut contacts = Contacts::new();
    /// Detector::new().contact(&spheres, &spheres, &[Pair::new(0, 1)], &mut contacts)?;
    /// let [x, ..] = contacts.point(0).at;
    /// assert!((x[0] - 0.75).abs() < 1e-6);
    /// assert!(contacts.point(1).separation.is_empty());
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn point(&self, k: usize) -> ContactPointColumns<'_> {
        if k >= self.points {
            return ContactPointColumns {
                at: [&[]; 3],
                separation: &[],
                feature: &[],
            };
        }
        let first = 4 + 4 * k;
        ContactPointColumns {
            at: [
                self.column(first),
                self.column(first + 1),
                self.column(first + 2),
            ],
            separation: self.column(first + 3),
            feature: &self.bytes[1 + k][..self.count()],
        }
    }

    /// Whether contact `index`, in order of position, is [inner](Contact::is_inner).
    #[inline]
    pub fn is_inner(&self, index: usize) -> bool {
        self.bytes[INNER]
            .get(index)
            .is_some_and(|inner| *inner != 0)
    }

    /// The contacts that a solver needs: without the [inner](Contact::is_inner) contacts that others replace.
    ///
    /// `pairs` is the list of the call, sorted as `candidates` returns it, and `mesh` its second store. An inner contact is
    /// left out if a contact of the same shape that is not inner pushes it as far: if its depth times the cosine between both
    /// normals is no less. Of shapes with several points the other triangle has to share a corner, since a contact far away
    /// does not hold this side.
    ///
    /// An inner contact of a point or a sphere is also left out if it is deeper than all that are not inner and touch, as that of the
    /// back of a thin wall. It stays if the center is just behind the triangle, by less than a quarter of its radius, and none of these
    /// pushes against it: the sphere has to come back to the front. A shape with inner contacts only keeps all of them.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, During, Mesh, Sphere, Spheres};
    ///
    /// // A floor of two triangles, and a sphere on one of them that also touches the other.
    /// let corners = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [4.0, 4.0, 0.0], [0.0, 4.0, 0.0]];
    /// let floor = Mesh::new(&corners, &[[0, 1, 2], [0, 2, 3]])?;
    /// let spheres = Spheres::from_slice(&[Sphere { center: [2.0, 1.8, 0.9], radius: 1.0 }]);
    ///
    /// let (mut detector, mut pairs, mut contacts) = (Detector::new(), Vec::new(), Contacts::new());
    /// detector.candidates(&spheres, &floor, During::Start, &mut pairs)?;
    /// detector.contact(&spheres, &floor, &pairs, &mut contacts)?;
    /// let normals: Vec<[f32; 3]> = contacts.iter().map(|contact| contact.normal).collect();
    /// assert_eq!(normals.len(), 2);
    /// assert!(normals.iter().all(|normal| normal[2] < -0.9999));
    /// assert_eq!(contacts.without_inner(&pairs, &floor).count(), 1);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn without_inner<'c>(
        &'c self,
        pairs: &'c [Pair],
        mesh: &'c Mesh,
    ) -> impl Iterator<Item = Contact> + 'c {
        let mut of_shape = OfShape::default();
        (0..self.count()).filter_map(move |index| {
            let contact = self.contact(index);
            let is_needed = !contact.is_inner || {
                of_shape.find(self, pairs, index);
                !self.is_replaced(&contact, &of_shape, pairs, mesh)
            };
            is_needed.then_some(contact)
        })
    }

    /// The push of contact `index`.
    fn push(&self, index: usize) -> Push {
        Push {
            normal: self.normal().map(|column| column[index]),
            separation: self.separation()[index],
        }
    }

    /// Whether a contact of the same shape that is not inner replaces an inner one.
    fn is_replaced(&self, inner: &Contact, of: &OfShape, pairs: &[Pair], mesh: &Mesh) -> bool {
        let Some(pair) = pairs.get(inner.position) else {
            return false;
        };
        let push = Push::of(inner);
        if self.points > 1 {
            let is_as_far = |k: usize| !self.is_inner(k) && self.push(k).is_as_far(push);
            let triangle_of = |position: u32| pairs.get(position as usize).map(|pair| pair.b);
            let is_around = |ring: &[Option<u32>]| {
                let positions = &self.positions[of.range.clone()];
                ring.iter().flatten().any(|other| {
                    let place = positions.partition_point(|at| triangle_of(*at) < Some(*other));
                    let found = positions.get(place).and_then(|at| triangle_of(*at));
                    found == Some(*other) && is_as_far(of.range.start + place)
                })
            };
            // The triangles around take longer to find than a few contacts to try.
            let may_be = FEW < of.range.len() || of.range.clone().any(is_as_far);
            return may_be && is_around(&around(mesh, pair.b));
        }
        let radius = dot(inner.points[0].at, inner.normal) - 0.5 * inner.separation;
        // How far the center is behind the triangle.
        let behind = -inner.separation - radius;
        let is_just_behind = 0.0 < behind && behind < 0.25 * radius;
        let is_deeper = of.deepest < 0.0 && inner.separation < of.deepest;
        of.pushes[..of.len].iter().any(|other| {
            let is_against = other.separation < 0.0 && dot(other.normal, inner.normal) <= AGAINST;
            other.is_as_far(push) || (is_deeper && (is_against || !is_just_behind))
        })
    }

    /// The contacts of `len` pairs with these columns, the inverse of [`into_columns`](Self::into_columns): for example of
    /// contacts that another process has computed. Bits past the last pair are ignored.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, Pairs, Sphere, Spheres};
    ///
    /// let unit = |x| Sphere::new([x, 0.0, 0.0], 1.0);
    /// let spheres = Spheres::from_slice(&[unit(0.0), unit(9.0), unit(1.5)]);
    /// let mut contacts = Contacts::new();
    /// Detector::new().contact(&spheres, &spheres, Pairs::one_to_all(0), &mut contacts)?;
    ///
    /// let (len, columns) = (contacts.len(), contacts.clone().into_columns());
    /// assert_eq!(Contacts::from_columns(len, columns)?, contacts);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Columns are counted in the order of [`ContactColumns`]: those of the normal are 3 to 5, those of point `k` are 9 + 5 `k` to
    /// 13 + 5 `k`.
    ///
    /// - [`Error::ResultLength`] if there is not a word for each 64 pairs, or if a column has another length than the number of
    ///   hits. `inner` may be empty, and so may all columns of the last points, except the first.
    /// - [`Error::ResultValue`] if `positions` are not those of the hits, or if a contact has more points than there are columns.
    ///
    /// Numbers are not checked: numbers that no contact has give unspecified results of later calls.
    pub fn from_columns(len: usize, columns: ContactColumns) -> Result<Self, Error> {
        let ContactColumns {
            hits,
            invalid,
            positions,
            normal,
            separation,
            counts,
            inner,
            points,
        } = columns;
        let masks = Overlaps::from_words(len, OverlapWords { hits, invalid })?;
        let count = masks.count();
        check_column(2, positions.len(), count)?;
        for (index, (&position, hit)) in positions.iter().zip(masks.iter()).enumerate() {
            check_value(2, index, position as usize, hit..=hit)?;
        }
        for (k, column) in normal.iter().enumerate() {
            check_column(3 + k, column.len(), count)?;
        }
        check_column(6, separation.len(), count)?;
        check_column(7, counts.len(), count)?;
        if !inner.is_empty() {
            check_column(8, inner.len(), count)?;
        }
        // A contact has a place for its first point, even if it has no points.
        let is_there = |point: &&ContactPointVecs| {
            let numbers = point.at.iter().chain([&point.separation]);
            let mut lens = numbers.map(Vec::len).chain([point.feature.len()]);
            lens.any(|len| len == count)
        };
        let with_columns = match count {
            0 => 0,
            _ => 1 + points[1..].iter().take_while(is_there).count(),
        };
        for (k, point) in points.iter().enumerate() {
            let expected = if k < with_columns { count } else { 0 };
            let numbers = point.at.iter().chain([&point.separation]);
            for (column, numbers) in (9 + 5 * k..).zip(numbers) {
                check_column(column, numbers.len(), expected)?;
            }
            check_column(13 + 5 * k, point.feature.len(), expected)?;
        }
        for (index, &points) in counts.iter().enumerate() {
            check_value(7, index, usize::from(points), 0..=with_columns)?;
        }

        let mut all = Contacts {
            masks,
            positions,
            points: with_columns,
            ..Contacts::new()
        };
        all.bytes[0] = counts;
        all.bytes[INNER] = inner;
        let mut numbers = all.numbers.iter_mut();
        let first = normal.into_iter().chain([separation]);
        for (column, to) in first.zip(numbers.by_ref()) {
            *to = column;
        }
        for (k, point) in points.into_iter().enumerate() {
            let of_point = point.at.into_iter().chain([point.separation]);
            for (column, to) in of_point.zip(numbers.by_ref()) {
                *to = column;
            }
            all.bytes[1 + k] = point.feature;
        }
        Ok(all)
    }

    /// Returns the words and the columns, without a copy.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, Pairs, Sphere, Spheres};
    ///
    /// let unit = |x| Sphere::new([x, 0.0, 0.0], 1.0);
    /// let spheres = Spheres::from_slice(&[unit(0.0), unit(9.0), unit(1.5)]);
    /// let mut contacts = Contacts::new();
    /// Detector::new().contact(&spheres, &spheres, Pairs::one_to_all(0), &mut contacts)?;
    ///
    /// let columns = contacts.into_columns();
    /// assert_eq!((columns.hits, columns.positions), (vec![0b101], vec![0, 2]));
    /// assert!((columns.separation[1] + 0.5).abs() < 1e-4 && columns.normal[0][1] > 0.999);
    /// assert!((columns.points[0].at[0][1] - 0.75).abs() < 1e-4);
    /// assert!(columns.points[1].separation.is_empty());
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn into_columns(mut self) -> ContactColumns {
        let count = self.count();
        // Kernels write whole vectors: columns are padded.
        self.numbers.iter_mut().for_each(|it| it.truncate(count));
        self.bytes.iter_mut().for_each(|it| it.truncate(count));
        let mut numbers = self.numbers.into_iter();
        let mut number = || numbers.next().unwrap_or_default();
        let [x, y, z, separation] = [(); 4].map(|()| number());
        let [counts, features @ .., inner] = self.bytes;
        let OverlapWords { hits, invalid } = self.masks.into_words();
        ContactColumns {
            hits,
            invalid,
            positions: self.positions,
            normal: [x, y, z],
            separation,
            counts,
            inner,
            points: features.map(|feature| ContactPointVecs {
                at: [(); 3].map(|()| number()),
                separation: number(),
                feature,
            }),
        }
    }

    fn column(&self, k: usize) -> &[f32] {
        &self.numbers[k][..self.count()]
    }

    fn contact(&self, index: usize) -> Contact {
        let number = |k: usize| self.numbers[k][index];
        let mut points = [ContactPoint::default(); POINTS];
        let count = usize::from(self.bytes[0][index]);
        for (k, point) in points[..count].iter_mut().enumerate() {
            let first = 4 + 4 * k;
            *point = ContactPoint {
                at: [number(first), number(first + 1), number(first + 2)],
                separation: number(first + 3),
                feature: self.bytes[1 + k][index],
            };
        }
        Contact {
            position: self.positions[index] as usize,
            normal: [number(0), number(1), number(2)],
            separation: number(3),
            is_inner: self.is_inner(index),
            points,
            count,
        }
    }

    /// Lists the positions of the hits and resizes the columns for one contact of up to `points` points each; `has_inner` if
    /// a mesh clamps some.
    pub(crate) fn make_room(
        &mut self,
        points: usize,
        has_inner: bool,
    ) -> Result<ContactSlices<'_>, TryReserveError> {
        self.masks.list(&mut self.positions)?;
        // Padded: kernels write whole vectors.
        let room = self.positions.len().next_multiple_of(MAX_LANES);
        self.points = points;
        let (numbers, bytes) = (4 + 4 * points, 1 + points);
        for column in &mut self.numbers[..numbers] {
            pages::try_resize(column, room, 0.0)?;
        }
        for column in &mut self.bytes[..bytes] {
            pages::try_resize(column, room, 0)?;
        }
        self.numbers[numbers..].iter_mut().for_each(Vec::clear);
        self.bytes[bytes..].iter_mut().for_each(Vec::clear);
        if has_inner {
            pages::try_resize(&mut self.bytes[INNER], room, 0)?;
        }
        Ok(ContactSlices {
            positions: &self.positions,
            numbers: self.numbers.each_mut().map(|column| &mut column[..]),
            bytes: self.bytes.each_mut().map(|column| &mut column[..]),
        })
    }
}

/// Checks a value in a column of results.
fn check_value(
    column: usize,
    index: usize,
    value: usize,
    range: RangeInclusive<usize>,
) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    let (least, most) = range.into_inner();
    Err(Error::ResultValue {
        column,
        index,
        value,
        least,
        most,
    })
}

/// Cosine from which on two normals are one.
const SAME: f32 = 0.9999;
/// Cosine up to which a normal is against another.
const AGAINST: f32 = -0.1;

fn dot([a, b, c]: [f32; 3], [x, y, z]: [f32; 3]) -> f32 {
    a * x + b * y + c * z
}

/// A contact without its points.
#[derive(Clone, Copy, Default)]
struct Push {
    normal: [f32; 3],
    separation: f32,
}

impl Push {
    fn of(contact: &Contact) -> Self {
        let Contact {
            normal, separation, ..
        } = *contact;
        Push { normal, separation }
    }

    /// Whether it goes as far as another along the other's normal.
    fn is_as_far(&self, other: Push) -> bool {
        let cosine = dot(self.normal, other.normal);
        if self.separation < 0.0 {
            0.0 < cosine && self.separation * cosine <= other.separation
        } else {
            // Within the margin, along its own normal only.
            SAME <= cosine && self.separation <= other.separation
        }
    }
}

/// Number of contacts of a shape that are tried before the triangles around are looked for.
const FEW: usize = 64;

/// Most triangles on either side of a triangle around one of its corners that are looked at.
const AROUND: usize = 16;

/// Triangles that share a corner with a triangle, across edges with neighbours.
fn around(mesh: &Mesh, triangle: u32) -> [Option<u32>; 6 * AROUND] {
    let mut found = [None; 6 * AROUND];
    let mut next = 0;
    let corners = |triangle: u32| mesh.get(triangle).map(|triangle| triangle.corners);
    let Some(own) = corners(triangle) else {
        return found;
    };
    for corner in own {
        for turn in [0, 2] {
            let mut at = triangle;
            for _ in 0..AROUND {
                // The edge that begins at the corner, or the one that ends there.
                let place = corners(at).and_then(|all| all.iter().position(|it| *it == corner));
                let edge = place.and_then(|place| mesh.edge(at, (place + turn) % 3));
                match edge.and_then(|edge| edge.neighbour) {
                    Some(neighbour) if neighbour != triangle => at = neighbour,
                    _ => break,
                }
                found[next] = Some(at);
                next += 1;
            }
        }
    }
    found
}

/// Most directions of a shape that are looked at.
const PUSHES: usize = 16;

/// The contacts of one shape, in a list that is sorted by shape.
#[derive(Default)]
struct OfShape {
    range: Range<usize>,
    /// The least separation of those that are not inner; −∞ if all are.
    deepest: f32,
    /// The deepest of those that are not inner, with different normals.
    pushes: [Push; PUSHES],
    len: usize,
}

impl OfShape {
    /// Finds the contacts of the shape of contact `index`.
    fn find(&mut self, contacts: &Contacts, pairs: &[Pair], index: usize) {
        if self.range.contains(&index) {
            return;
        }
        let shape_of = |k: usize| pairs.get(contacts.positions[k] as usize).map(|pair| pair.a);
        let shape = shape_of(index);
        let is_of_shape = |k: &usize| shape_of(*k) == shape;
        let begin = (0..index).rev().take_while(is_of_shape).count();
        let rest = (index..contacts.count()).take_while(is_of_shape);
        self.range = index - begin..index + rest.count();
        (self.len, self.deepest) = (0, f32::NEG_INFINITY);
        for k in self.range.clone().filter(|k| !contacts.is_inner(*k)) {
            self.add(contacts.push(k));
        }
        let pushes = self.pushes[..self.len].iter();
        let least = pushes.map(|push| push.separation).reduce(f32::min);
        self.deepest = least.unwrap_or(f32::NEG_INFINITY);
    }

    /// Keeps a push, if it is deeper than one with its normal, or than the shallowest of too many.
    fn add(&mut self, push: Push) {
        let all = &self.pushes[..self.len];
        let same = all
            .iter()
            .position(|other| SAME <= dot(other.normal, push.normal));
        if same.is_none() && self.len < PUSHES {
            self.pushes[self.len] = push;
            self.len += 1;
            return;
        }
        let shallowest = || {
            let places = (0..self.len).rev();
            places.max_by(|i, j| all[*i].separation.total_cmp(&all[*j].separation))
        };
        if let Some(place) = same.or_else(shallowest)
            && push.separation < self.pushes[place].separation
        {
            self.pushes[place] = push;
        }
    }
}

/// Compares the masks, and the contacts as numbers; contacts hold no NaN.
impl PartialEq for Contacts {
    fn eq(&self, other: &Self) -> bool {
        self.masks == other.masks && self.iter().eq(other)
    }
}

impl<'a> IntoIterator for &'a Contacts {
    type Item = Contact;
    type IntoIter = ContactIter<'a>;

    fn into_iter(self) -> ContactIter<'a> {
        self.iter()
    }
}

/// Iterator over contacts, in order of position.
#[derive(Clone, Debug)]
pub struct ContactIter<'a> {
    contacts: &'a Contacts,
    next: usize,
}

impl Iterator for ContactIter<'_> {
    type Item = Contact;

    #[inline]
    fn next(&mut self) -> Option<Contact> {
        let index = self.next;
        (index < self.contacts.count()).then(|| {
            self.next += 1;
            self.contacts.contact(index)
        })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.contacts.count() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for ContactIter<'_> {}
impl core::iter::FusedIterator for ContactIter<'_> {}

impl fmt::Debug for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contacts")
            .field("len", &self.len())
            .field("contacts", &self.iter().collect::<Vec<_>>())
            .field("invalid", &self.iter_invalid())
            .finish()
    }
}
