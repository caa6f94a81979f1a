//! The contacts of pairs, one entry for each pair that touches.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::fmt;

use crate::hits::{Overlaps, Positions};
use crate::lane::MAX_LANES;
use crate::pages;

/// The most points that a contact has.
pub(crate) const POINTS: usize = 4;
/// The columns of numbers: a normal, a separation, and for each point a place and a separation.
pub(crate) const NUMBERS: usize = 4 + 4 * POINTS;
/// The columns of bytes: the number of points, and a feature for each.
pub(crate) const BYTES: usize = 1 + POINTS;

/// Where two shapes touch, how deep, and which way they part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Where in the pair list.
    pub position: usize,
    /// A unit vector from `a` to `b`, in world axes.
    pub normal: [f32; 3],
    /// How far apart the shapes are along the normal; negative where they lie in one another. Moving `b` by
    /// `-separation` along the normal makes them just touch.
    pub separation: f32,
    points: [ContactPoint; POINTS],
    count: usize,
}

/// A point of a [`Contact`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactPoint {
    /// The middle between both surfaces, relative to the center of `a`: of `b`, if `a` is a plane or a
    /// half-space. On `a`'s surface the contact is at `at - normal * separation / 2`, on `b`'s at `at + normal *
    /// separation / 2`.
    pub at: [f32; 3],
    /// How far apart the surfaces are here, along the normal; negative where they lie in one another.
    pub separation: f32,
    /// A number that names the point among those of its pair, from frame to frame: what a solver keeps
    /// its impulses by.
    pub feature: u8,
}

impl Contact {
    /// The points, of which there is at least one if the shapes touch.
    #[inline]
    pub fn points(&self) -> &[ContactPoint] {
        &self.points[..self.count]
    }

    /// How deep the shapes lie in one another: the separation without its sign; zero if they are apart.
    #[inline]
    pub fn depth(&self) -> f32 {
        (-self.separation).max(0.0)
    }
}

/// The columns of one of the points of contacts: element `i` belongs to contact `i`.
#[derive(Clone, Copy, Debug)]
pub struct ContactPointColumns<'a> {
    /// x, y and z of [`ContactPoint::at`].
    pub at: [&'a [f32]; 3],
    /// [`ContactPoint::separation`]; +∞ where the contact has no such point.
    pub separation: &'a [f32],
    /// [`ContactPoint::feature`].
    pub feature: &'a [u8],
}

/// Where pairs touch, how deep, and which way.
///
/// There is one entry for each pair that touches, in the order of positions; and, as [`Overlaps`] has it, a bit
/// for each position that says whether it does. Keep one and pass it to every frame: its memory is
/// reused, and each successful call replaces its contents.
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
///     println!("{} deep along {:?}", contact.depth(), contact.normal);
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
#[doc = include_str!("pictures/contact.svg")]
///
/// - The normal is a unit vector from `a` to `b`. It is the way of least penetration: of all ways to part the shapes,
///   moving them along it takes the least.
/// - A separation is that of the shapes as they are, not grown by the [margin](crate::Detector::margin). It is never
///   above the exact one, so a depth is never too small. With a margin, pairs that are apart by less have contacts
///   too, with a positive separation: what a solver needs to stop shapes that would meet within the frame.
/// - Boxes have up to four points with boxes and planes, capsules up to two, balls one. A pair that touches has at
///   least one, and one of its points is as deep as the pair, within 2⁻¹⁰ of its size. Boxes that are apart have points
///   where faces lie over one another along the normal: none, if that is nowhere.
/// - Shapes of two kinds may be given in either order: the normal then points the other way, and points are
///   relative to the other center. Of one kind the order matters within rounding, as for overlaps.
/// - Ties are decided by one rule. Of boxes, faces of the first win, then faces of the second, then edges; the
///   earlier axis of a group wins. Balls of one center touch along x.
///
/// How exact all this is, and for which lengths, says the [contract](crate::contract).
#[derive(Clone, Default)]
pub struct Contacts {
    pub(crate) masks: Overlaps,
    pub(crate) positions: Vec<u32>,
    numbers: [Vec<f32>; NUMBERS],
    bytes: [Vec<u8>; BYTES],
    /// How many of the points have columns.
    points: usize,
}

/// The columns of contacts, to write.
pub(crate) struct ContactSlices<'a> {
    pub positions: &'a [u32],
    pub numbers: [&'a mut [f32]; NUMBERS],
    pub bytes: [&'a mut [u8]; BYTES],
}

impl<'a> ContactSlices<'a> {
    /// The first `middle` contacts, a multiple of the most lanes, and the others.
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

/// Splits columns; those that are not there stay so.
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
    /// Answers to an empty list.
    pub const fn new() -> Self {
        Contacts {
            masks: Overlaps::new(),
            positions: Vec::new(),
            numbers: [const { Vec::new() }; NUMBERS],
            bytes: [const { Vec::new() }; BYTES],
            points: 0,
        }
    }

    /// How many pairs the list had.
    #[inline]
    pub fn len(&self) -> usize {
        self.masks.len()
    }

    /// Whether the list had no pairs.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty()
    }

    /// How many pairs touch: the number of contacts.
    #[inline]
    pub fn count(&self) -> usize {
        self.positions.len()
    }

    /// Whether pair `position` touches; false past the end.
    #[inline]
    pub fn is_hit(&self, position: usize) -> bool {
        self.masks.is_hit(position)
    }

    /// Which pairs touch: bit for bit what [`Detector::overlap`](crate::Detector::overlap) says.
    #[inline]
    pub fn overlaps(&self) -> &Overlaps {
        &self.masks
    }

    /// The pairs that touch as bits, as [`Overlaps::words`] has them.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.masks.words()
    }

    /// Whether pair `position` meets a bad shape, so that no answer can be given; false past the end.
    #[inline]
    pub fn is_invalid(&self, position: usize) -> bool {
        self.masks.is_invalid(position)
    }

    /// The pairs that meet a bad shape as bits, as [`Overlaps::invalid_words`] has them.
    #[inline]
    pub fn invalid_words(&self) -> &[u64] {
        self.masks.invalid_words()
    }

    /// How many pairs meet a bad shape.
    pub fn invalid_count(&self) -> usize {
        self.masks.invalid_count()
    }

    /// The positions of the pairs that meet a bad shape, in order.
    pub fn iter_invalid(&self) -> Positions<'_> {
        self.masks.iter_invalid()
    }

    /// The contact of pair `position`; `None` if it does not touch, and past the end.
    ///
    /// It is looked for among those there are. To see all, [iterate](Self::iter).
    pub fn get(&self, position: usize) -> Option<Contact> {
        let position = u32::try_from(position).ok()?;
        let index = self.positions.binary_search(&position).ok()?;
        Some(self.contact(index))
    }

    /// The contacts, in order of position.
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

    /// How many points each contact has.
    #[inline]
    pub fn counts(&self) -> &[u8] {
        &self.bytes[0][..self.count()]
    }

    /// The columns of point `k` of each contact, from 0 to 3.
    ///
    /// Where a contact has fewer points it is the first one once more, or some place if there is none, with a
    /// separation of +∞: a solver may go over all four. Where no contact has so many, as of balls, and past the fourth, the columns are empty.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, Pair, Sphere, Spheres};
    ///
    /// let unit = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let balls = Spheres::from_slice(&[unit(0.0), unit(1.5)]);
    /// let mut contacts = Contacts::new();
    /// Detector::new().contact(&balls, &balls, &[Pair::new(0, 1)], &mut contacts)?;
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
            points,
            count,
        }
    }

    /// Lists the positions of the hits, and makes room for a contact of up to `points` points at each.
    pub(crate) fn make_room(
        &mut self,
        points: usize,
    ) -> Result<ContactSlices<'_>, TryReserveError> {
        self.masks.list(&mut self.positions)?;
        // Whole vectors are written.
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
        Ok(ContactSlices {
            positions: &self.positions,
            numbers: self.numbers.each_mut().map(|column| &mut column[..]),
            bytes: self.bytes.each_mut().map(|column| &mut column[..]),
        })
    }
}

/// Equal answers, bit for bit but for the sign of zeros, and NaN, of which there are none.
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

/// The contacts, in order of position.
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
