//! Groups and bodies: collision filtering in queries of whole stores.

use alloc::vec::Vec;

/// The groups of a shape, and the groups that it meets, as bits: collision filtering as in physics engines.
///
/// Two shapes are paired if each is in a group that the other shape meets, unless both belong to the same body. This
/// applies to queries of whole stores: [`candidates`](crate::Detector::candidates),
/// [`touching`](crate::Detector::touching), [`first_hits`](crate::Detector::first_hits),
/// [`meets_any`](crate::Detector::meets_any) and [`nearest`](crate::Detector::nearest). Lists of pairs are not
/// filtered.
///
/// ```
/// use phalanx::{Detector, FirstHits, Groups, Point, Points, Sphere, Spheres};
///
/// const PLAYER: u32 = 1;
/// const WALL: u32 = 2;
/// let at = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
/// let mut level = Spheres::from_slice(&[at(5.0), at(9.0)]);
/// level.set_groups(0, Groups { is: PLAYER, meets: u32::MAX })?;
/// level.set_groups(1, Groups { is: WALL, meets: u32::MAX })?;
///
/// // A ray that passes through players.
/// let mut rays = Points::new();
/// let ray = rays.push_moving(Point { position: [0.0; 3] }, [20.0, 0.0, 0.0]);
/// rays.set_groups(ray, Groups { is: u32::MAX, meets: !PLAYER })?;
///
/// let mut firsts = FirstHits::new();
/// Detector::new().first_hits(&rays, &level, &mut firsts)?;
/// assert_eq!(firsts.get(0).map(|hit| hit.b), Some(1));
/// # Ok::<(), phalanx::Error>(())
/// ```
#[doc(alias = "layers")]
#[doc(alias = "collision filter")]
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Groups {
    /// The groups that the shape is in.
    pub is: u32,
    /// The groups that the shape meets.
    pub meets: u32,
}

impl Groups {
    /// In all groups, and meets all groups: the default of a shape.
    pub const ALL: Groups = Groups {
        is: u32::MAX,
        meets: u32::MAX,
    };

    /// Whether shapes of these groups may be paired.
    #[inline]
    pub const fn meet(self, other: Groups) -> bool {
        self.is & other.meets != 0 && other.is & self.meets != 0
    }
}

/// [`Groups::ALL`].
impl Default for Groups {
    fn default() -> Self {
        Groups::ALL
    }
}

/// The body of a shape that belongs to none.
pub const NO_BODY: u32 = u32::MAX;

/// The groups and bodies of a store. Either column is empty if none are set.
#[derive(Clone, Debug, Default)]
pub struct FilterColumns {
    groups: Vec<Groups>,
    bodies: Vec<u32>,
}

/// Changes both columns, with the default of each.
macro_rules! each {
    ($columns:expr, $column:ident, $default:ident => $change:expr) => {{
        let ($column, $default) = (&mut $columns.groups, Groups::ALL);
        if !$column.is_empty() {
            $change;
        }
        let ($column, $default) = (&mut $columns.bodies, NO_BODY);
        if !$column.is_empty() {
            $change;
        }
    }};
}

impl FilterColumns {
    /// No groups and bodies.
    pub const fn new() -> Self {
        FilterColumns {
            groups: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// The view of the columns.
    #[inline]
    pub fn view(&self) -> Filters<'_> {
        Filters {
            groups: &self.groups,
            bodies: &self.bodies,
        }
    }

    /// Copies `from`. Returns whether the columns were equal before.
    #[cfg(feature = "candidates")]
    pub fn copy_from(&mut self, from: Filters<'_>) -> bool {
        let is_same = self.groups == from.groups && self.bodies == from.bodies;
        if !is_same {
            self.groups.clear();
            self.groups.extend_from_slice(from.groups);
            self.bodies.clear();
            self.bodies.extend_from_slice(from.bodies);
        }
        is_same
    }

    /// Resizes nonempty columns to the length of the store, after shapes were added or removed at its end.
    #[inline]
    pub fn resize(&mut self, len: usize) {
        each!(self, column, default => column.resize(len, default));
    }

    /// Removes a shape; the last one takes its place.
    pub fn swap_remove(&mut self, index: usize) {
        each!(self, column, _default => {
            column.swap_remove(index);
        });
    }

    /// Shape `order[i]` becomes shape `i`.
    pub fn reorder(&mut self, order: &[u32]) {
        each!(self, column, _default => {
            let old = column.clone();
            for (x, &index) in column.iter_mut().zip(order) {
                *x = old[index as usize];
            }
        });
    }

    /// The groups of `len` shapes, to write.
    pub fn groups_mut(&mut self, len: usize) -> &mut [Groups] {
        self.groups.resize(len, Groups::ALL);
        &mut self.groups
    }

    /// The bodies of `len` shapes, to write.
    pub fn bodies_mut(&mut self, len: usize) -> &mut [u32] {
        self.bodies.resize(len, NO_BODY);
        &mut self.bodies
    }
}

/// The groups and bodies of the shapes of a view. Either is empty if none are set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filters<'a> {
    pub groups: &'a [Groups],
    pub bodies: &'a [u32],
}

impl Filters<'_> {
    /// The groups of a shape.
    #[inline]
    pub fn groups(&self, index: u32) -> Groups {
        self.groups.get(index as usize).copied().unwrap_or_default()
    }

    /// The body of a shape.
    #[inline]
    pub fn body(&self, index: u32) -> u32 {
        self.bodies.get(index as usize).copied().unwrap_or(NO_BODY)
    }

    /// Whether none are set.
    pub fn are_empty(&self) -> bool {
        self.groups.is_empty() && self.bodies.is_empty()
    }

    /// Whether these are the same columns in memory. Empty columns are the same anywhere.
    #[cfg(feature = "candidates")]
    pub fn same_as(&self, other: &Filters<'_>) -> bool {
        fn same<X>(a: &[X], b: &[X]) -> bool {
            core::ptr::eq(a, b) || a.is_empty() && b.is_empty()
        }
        same(self.groups, other.groups) && same(self.bodies, other.bodies)
    }
}

/// The groups and bodies of two stores, or of one twice.
#[cfg(feature = "candidates")]
#[derive(Clone, Copy, Debug)]
pub struct PairFilter<'a> {
    pub a: Filters<'a>,
    pub b: Filters<'a>,
}

#[cfg(feature = "candidates")]
impl<'a> PairFilter<'a> {
    /// The filter of two stores; `None` if it admits all pairs.
    pub fn new(a: Filters<'a>, b: Filters<'a>) -> Option<Self> {
        (!a.are_empty() || !b.are_empty()).then_some(PairFilter { a, b })
    }

    /// The filter with the stores reversed.
    pub fn swapped(self) -> Self {
        PairFilter {
            a: self.b,
            b: self.a,
        }
    }

    /// Whether the shapes may be a pair.
    #[inline]
    pub fn admits(&self, a: u32, b: u32) -> bool {
        let (body_a, body_b) = (self.a.body(a), self.b.body(b));
        self.a.groups(a).meet(self.b.groups(b)) && (body_a != body_b || body_a == NO_BODY)
    }
}
