//! Pairs of shapes to test, as a list or by a rule.

use alloc::vec::Vec;

/// Two shapes to test: an index into the first store and an index into the second.
///
/// It has the memory layout of `[u32; 2]`, and slices of either type convert at no cost (`bytemuck`).
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pair {
    /// Index into the first store.
    pub a: u32,
    /// Index into the second store.
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

/// The pairs of one call, in order: results are indexed by position in this list.
///
/// Slices of [`Pair`] and of `[u32; 2]` convert into it, so calls accept `&pairs` directly.
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
pub struct Pairs<'a>(pub(crate) PairsKind<'a>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairsKind<'a> {
    List(&'a [Pair]),
    Zip,
    OneToAll(u32),
}

impl Pairs<'static> {
    /// Shape `i` of the first store with shape `i` of the second, for every `i`.
    ///
    /// A call returns [`Error::LengthMismatch`](crate::Error::LengthMismatch) if the stores differ in
    /// length.
    #[inline]
    pub const fn zip() -> Self {
        Pairs(PairsKind::Zip)
    }

    /// Shape `index` of the first store with every shape of the second: position `j` is the pair
    /// `(index, j)`. An empty list if the second store is empty.
    ///
    /// It tests every pair. From a few hundred static shapes on, [`candidates`](crate::Detector::candidates) and a call
    /// with its list are faster; for a single overlap, from a few thousand.
    ///
    /// A call returns [`Error::IndexOutOfBounds`](crate::Error::IndexOutOfBounds) if `index` is past the end
    /// of the first store.
    #[inline]
    pub const fn one_to_all(index: u32) -> Self {
        Pairs(PairsKind::OneToAll(index))
    }
}

impl Pairs<'_> {
    /// The pair at `position`.
    #[inline]
    pub(crate) fn at(self, position: usize) -> Pair {
        match self.0 {
            PairsKind::List(list) => list[position],
            PairsKind::Zip => Pair::new(position as u32, position as u32),
            PairsKind::OneToAll(index) => Pair::new(index, position as u32),
        }
    }
}

impl<'a> From<&'a [Pair]> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a [Pair]) -> Self {
        Pairs(PairsKind::List(pairs))
    }
}

impl<'a> From<&'a [[u32; 2]]> for Pairs<'a> {
    #[inline]
    fn from(pairs: &'a [[u32; 2]]) -> Self {
        Pairs(PairsKind::List(bytemuck::cast_slice(pairs)))
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
