//! Which shapes to test against each other.

use alloc::vec::Vec;

use bytemuck::{Pod, Zeroable};

/// Two shapes to test: an index into the first store and one into the second.
///
/// In memory it is a `[u32; 2]`, and slices of either convert for free (`bytemuck`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// The index of a shape of the first store.
    pub a: u32,
    /// The index of a shape of the second store.
    pub b: u32,
}

impl Pair {
    /// The pair of shape `a` of the first store and shape `b` of the second.
    #[inline]
    pub const fn new(a: u32, b: u32) -> Self {
        Pair { a, b }
    }

    /// Both indices, `[a, b]`, as `usize`: to index arrays that run parallel to the stores.
    ///
    /// ```
    /// let names = ["floor", "crate", "lamp"];
    /// let [a, b] = phalanx::Pair::new(1, 2).indices();
    /// assert_eq!((names[a], names[b]), ("crate", "lamp"));
    /// ```
    #[inline]
    pub const fn indices(self) -> [usize; 2] {
        [self.a as usize, self.b as usize]
    }
}

impl From<[u32; 2]> for Pair {
    #[inline]
    fn from([a, b]: [u32; 2]) -> Self {
        Pair { a, b }
    }
}

impl From<(u32, u32)> for Pair {
    #[inline]
    fn from((a, b): (u32, u32)) -> Self {
        Pair { a, b }
    }
}

/// The pairs of one call, and their order: answers are indexed by position in it.
///
/// A slice of [`Pair`] or of `[u32; 2]` converts into it, so a call takes `&pairs` as it is.
///
/// ```
/// use phalanx::{Detector, Overlaps, Pairs, Sphere, Spheres};
///
/// let bullets = Spheres::from_slice(&[Sphere { center: [0.0; 3], radius: 0.1 }]);
/// let targets = Spheres::from_slice(&[
///     Sphere { center: [5.0, 0.0, 0.0], radius: 1.0 },
///     Sphere { center: [1.0, 0.0, 0.0], radius: 1.0 },
/// ]);
/// let mut hits = Overlaps::new();
/// Detector::new().overlap(&bullets, &targets, Pairs::one_to_all(0), &mut hits)?;
/// assert_eq!(hits.iter().collect::<Vec<_>>(), [1]);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairs<'a>(pub(crate) Kind<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind<'a> {
    List(&'a [Pair]),
    Zip,
    OneToAll(u32),
}

impl Pairs<'static> {
    /// Shape `i` of the first store with shape `i` of the second, for every `i`.
    ///
    /// A call returns [`Error::LengthMismatch`](crate::Error::LengthMismatch) if the stores are not
    /// equally long.
    #[inline]
    pub const fn zip() -> Self {
        Pairs(Kind::Zip)
    }

    /// Shape `index` of the first store with every shape of the second: position `j` is the pair
    /// `(index, j)`. An empty list if the second store is empty.
    ///
    /// The fastest way through a whole store, and faster still while it does not change: the second call finds a
    /// box around each 64 shapes, which the store keeps for all detectors, and from then on 64 shapes whose box
    /// is far from the one shape are not read. That pays if neighbours in space are neighbours in the store too,
    /// say sorted by the cells of a grid. 64 shapes with a bad one among them are always tested. Planes and
    /// half-spaces have no such boxes, and nothing is kept of a view of borrowed columns.
    ///
    /// A call returns [`Error::IndexOutOfBounds`](crate::Error::IndexOutOfBounds) if there is no
    /// such shape.
    #[inline]
    pub const fn one_to_all(index: u32) -> Self {
        Pairs(Kind::OneToAll(index))
    }
}

impl Pairs<'_> {
    /// The pair at a position of the list.
    #[inline]
    pub(crate) fn at(self, position: usize) -> Pair {
        match self.0 {
            Kind::List(list) => list[position],
            Kind::Zip => Pair::new(position as u32, position as u32),
            Kind::OneToAll(index) => Pair::new(index, position as u32),
        }
    }
}

impl<'a> From<&'a [Pair]> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a [Pair]) -> Self {
        Pairs(Kind::List(pairs))
    }
}

impl<'a> From<&'a [[u32; 2]]> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a [[u32; 2]]) -> Self {
        Pairs(Kind::List(bytemuck::cast_slice(pairs)))
    }
}

impl<'a> From<&'a Vec<Pair>> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a Vec<Pair>) -> Self {
        pairs.as_slice().into()
    }
}

impl<'a> From<&'a Vec<[u32; 2]>> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a Vec<[u32; 2]>) -> Self {
        pairs.as_slice().into()
    }
}

impl<'a, const N: usize> From<&'a [Pair; N]> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a [Pair; N]) -> Self {
        pairs.as_slice().into()
    }
}

impl<'a, const N: usize> From<&'a [[u32; 2]; N]> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a [[u32; 2]; N]) -> Self {
        pairs.as_slice().into()
    }
}
