//! Queries of whole stores, by key: the shapes of each key are searched alone, and the results are joined.

use std::ops::Range;

use phalanx::{
    Detector, Error, FirstHitColumns, FirstHits, InvalidShapes, Mesh, Nearest, NearestColumns,
    NeighborColumns, Neighbors, OrderedHitColumns, OrderedHits, OverlapWords, Overlaps, Pair,
    Point, Shapes, StoreRef,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::any_store::{AnyBorrowed, View};
use crate::mesh::taken_mesh;
use crate::raised;
use crate::view::taken;

/// A key for each shape of a search.
pub struct Keys {
    pub a: Vec<i128>,
    /// Keys of each searched store; `None` if it is `a` with the keys of `a`.
    pub stores: Vec<Option<Vec<i128>>>,
}

/// The indices of shapes in the order of their keys, and these keys.
struct Order {
    indices: Vec<u32>,
    keys: Vec<i128>,
}

impl Order {
    fn new(keys: &[i128]) -> Self {
        let mut indices: Vec<u32> = (0..keys.len() as u32).collect();
        // Stable, so that indices ascend within a key.
        indices.sort_by_key(|i| keys[*i as usize]);
        Order {
            keys: indices.iter().map(|i| keys[*i as usize]).collect(),
            indices,
        }
    }

    /// Range of the shapes with `key`, from `first` on; empty if there are none.
    fn run(&self, first: usize, key: i128) -> Range<usize> {
        first..first + self.keys[first..].partition_point(|other| *other == key)
    }
}

/// A result that is joined from the results of parts.
pub trait Join: Default {
    /// The result so far.
    type Joined;

    /// The result of `len` shapes of the first store, without that of any part.
    fn begin(len: usize) -> Self::Joined;

    /// Adds the result of a part, whose shapes have these indices in the stores.
    fn add(self, to: &mut Self::Joined, a: &[u32], stores: &[&[u32]]);

    /// The result of all parts.
    fn end(joined: Self::Joined) -> Result<Self, Error>;
}

/// Result of a query: a TypeError if there is no kernel, or the error of the core.
pub type Outcome = PyResult<Result<InvalidShapes, Error>>;

/// Runs a query of each store, by key if there are keys. The query has the number of its store. Returns the result, and the numbers of invalid shapes by store.
pub fn run<R: Join>(
    detector: &mut Detector,
    a: &AnyBorrowed<'_>,
    stores: &[AnyBorrowed<'_>],
    keys: Option<&Keys>,
    mut query: impl FnMut(&mut Detector, usize, &View<'_>, &View<'_>, &mut R) -> Outcome,
) -> PyResult<(R, Vec<InvalidShapes>)> {
    let mut all = vec![InvalidShapes::default(); stores.len()];
    let Some(keys) = keys else {
        let (mut out, view_a) = (R::default(), a.view()?);
        for (k, (store, all)) in stores.iter().zip(&mut all).enumerate() {
            *all = query(detector, k, &view_a, &store.view()?, &mut out)?.map_err(raised)?;
        }
        return Ok((out, all));
    };
    // Edges decide which sides of a mesh a motion approaches, and nothing else in a search.
    let has_edges = detector.settings().approaching;
    let mut joined = R::begin(keys.a.len());
    each_key(keys, |_, of_a, of_stores| {
        let part_a = a.taken(of_a, has_edges)?;
        let view_a = part_a.view();
        let mut out = R::default();
        for (k, (store, of_b)) in stores.iter().zip(of_stores).enumerate() {
            let outcome = if keys.stores[k].is_none() {
                query(detector, k, &view_a, &view_a, &mut out)
            } else {
                let part = store.taken(of_b, has_edges)?;
                query(detector, k, &view_a, &part.view(), &mut out)
            };
            let counts = outcome?.map_err(|error| raised(named(error, of_a, of_b)))?;
            all[k].a += counts.a;
            all[k].b += counts.b;
        }
        out.add(&mut joined, of_a, of_stores);
        Ok(())
    })?;
    Ok((R::end(joined).map_err(raised)?, all))
}

/// Runs a query of points and a closed mesh, by key if there are keys: the triangles of each key bound a solid of their own.
pub fn run_solid<R: Join>(
    detector: &mut Detector,
    points: &StoreRef<'_, Point>,
    mesh: &Mesh,
    keys: Option<&Keys>,
    mut query: impl FnMut(
        &mut Detector,
        &StoreRef<'_, Point>,
        &Mesh,
        &mut R,
    ) -> Result<InvalidShapes, Error>,
) -> PyResult<(R, InvalidShapes)> {
    let Some(keys) = keys else {
        let mut out = R::default();
        let invalid = query(detector, points, mesh, &mut out).map_err(raised)?;
        return Ok((out, invalid));
    };
    let (mut joined, mut all) = (R::begin(keys.a.len()), InvalidShapes::default());
    each_key(keys, |key, of_a, of_stores| {
        let of_mesh = of_stores[0];
        let some = taken(points, of_a.iter().copied()).map_err(raised)?;
        let solid = taken_mesh(mesh, of_mesh).map_err(raised)?;
        let mut out = R::default();
        let counts =
            query(detector, &some.view(), &solid, &mut out).map_err(|error| match error {
                Error::OpenMesh { triangle, edge, .. } => {
                    let triangle = of_mesh[triangle as usize];
                    PyValueError::new_err(format!(
                        "triangles of key {key} are not closed: edge {edge} of triangle {triangle} belongs to an odd number of them"
                    ))
                }
                error => raised(named(error, of_a, of_mesh)),
            })?;
        all.a += counts.a;
        all.b += counts.b;
        out.add(&mut joined, of_a, of_stores);
        Ok(())
    })?;
    Ok((R::end(joined).map_err(raised)?, all))
}

/// Calls `part` with each key and the indices of its shapes, in the first store and in the others. A key of one store only has
/// no pair, but its invalid shapes are counted.
fn each_key(
    keys: &Keys,
    mut part: impl FnMut(i128, &[u32], &[&[u32]]) -> PyResult<()>,
) -> PyResult<()> {
    let order_a = Order::new(&keys.a);
    let orders: Vec<_> = keys
        .stores
        .iter()
        .map(|it| it.as_deref().map(Order::new))
        .collect();
    let order_of = |k: usize| orders[k].as_ref().unwrap_or(&order_a);
    let (mut first_a, mut firsts) = (0, vec![0; orders.len()]);
    loop {
        let next = (0..orders.len()).map(|k| order_of(k).keys.get(firsts[k]));
        let Some(&key) = next.chain([order_a.keys.get(first_a)]).flatten().min() else {
            return Ok(());
        };
        let run_a = order_a.run(first_a, key);
        first_a = run_a.end;
        let mut of_stores = Vec::with_capacity(orders.len());
        for (k, first) in firsts.iter_mut().enumerate() {
            let order = order_of(k);
            let run = order.run(*first, key);
            *first = run.end;
            of_stores.push(&order.indices[run]);
        }
        part(key, &order_a.indices[run_a], &of_stores)?;
    }
}

/// The error of a strict detector, with the index that the shape has in its store.
fn named(mut error: Error, of_a: &[u32], of_b: &[u32]) -> Error {
    if let Error::InvalidShape {
        is_second, index, ..
    } = &mut error
    {
        let indices = if *is_second { of_b } else { of_a };
        *index = indices[*index as usize];
    }
    error
}

/// Bits of `len` shapes, none of them set.
fn no_bits(len: usize) -> Vec<u64> {
    vec![0; len.div_ceil(64)]
}

/// Sets the bit of a shape if it is to be set.
fn set(bits: &mut [u64], index: u32, is_set: bool) {
    bits[index as usize / 64] |= u64::from(is_set) << (index % 64);
}

/// The index in a store, `u32::MAX` for none.
fn index_of(indices: &[u32], index: u32) -> u32 {
    indices.get(index as usize).copied().unwrap_or(u32::MAX)
}

impl Join for Vec<Pair> {
    type Joined = Vec<Pair>;

    fn begin(_: usize) -> Vec<Pair> {
        Vec::new()
    }

    fn add(self, to: &mut Vec<Pair>, a: &[u32], stores: &[&[u32]]) {
        let indices = |pair: Pair| Pair::new(a[pair.a as usize], stores[0][pair.b as usize]);
        to.extend(self.into_iter().map(indices));
    }

    fn end(mut joined: Vec<Pair>) -> Result<Self, Error> {
        joined.sort_unstable();
        Ok(joined)
    }
}

/// Numbers of the shapes of the first store.
impl Join for Vec<f64> {
    type Joined = Vec<f64>;

    fn begin(len: usize) -> Vec<f64> {
        vec![0.0; len]
    }

    fn add(self, to: &mut Vec<f64>, a: &[u32], _: &[&[u32]]) {
        for (number, &i) in self.into_iter().zip(a) {
            to[i as usize] = number;
        }
    }

    fn end(joined: Vec<f64>) -> Result<Self, Error> {
        Ok(joined)
    }
}

impl Join for Overlaps {
    type Joined = (usize, OverlapWords);

    fn begin(len: usize) -> Self::Joined {
        let (hits, invalid) = (no_bits(len), no_bits(len));
        (len, OverlapWords { hits, invalid })
    }

    fn add(self, (_, to): &mut Self::Joined, a: &[u32], _: &[&[u32]]) {
        for (k, &i) in a.iter().enumerate() {
            set(&mut to.hits, i, self.is_hit(k));
            set(&mut to.invalid, i, self.is_invalid(k));
        }
    }

    fn end((len, words): Self::Joined) -> Result<Self, Error> {
        Overlaps::from_words(len, words)
    }
}

impl Join for Nearest {
    type Joined = NearestColumns;

    fn begin(len: usize) -> NearestColumns {
        NearestColumns {
            hits: no_bits(len),
            invalid: no_bits(len),
            index: vec![u32::MAX; len],
            lower: vec![0.0; len],
            upper: vec![f32::INFINITY; len],
        }
    }

    fn add(self, to: &mut NearestColumns, a: &[u32], stores: &[&[u32]]) {
        for (k, &i) in a.iter().enumerate() {
            let (place, index) = (i as usize, self.index()[k]);
            to.index[place] = index_of(stores[0], index);
            to.lower[place] = self.lower()[k];
            to.upper[place] = self.upper()[k];
            set(&mut to.hits, i, index != u32::MAX);
            set(&mut to.invalid, i, self.is_invalid(k));
        }
    }

    fn end(joined: NearestColumns) -> Result<Self, Error> {
        Nearest::from_columns(joined)
    }
}

impl Join for FirstHits {
    type Joined = (usize, FirstHitColumns);

    fn begin(len: usize) -> Self::Joined {
        let columns = FirstHitColumns {
            hits: no_bits(len),
            invalid: no_bits(len),
            index: vec![u32::MAX; len],
            store: vec![0; len],
            enter: vec![f32::INFINITY; len],
            exit: vec![f32::INFINITY; len],
        };
        (0, columns)
    }

    fn add(self, (count, to): &mut Self::Joined, a: &[u32], stores: &[&[u32]]) {
        *count = stores.len();
        for (k, &i) in a.iter().enumerate() {
            let (place, store) = (i as usize, self.store()[k]);
            to.index[place] = index_of(stores[usize::from(store)], self.index()[k]);
            to.store[place] = store;
            to.enter[place] = self.enter()[k];
            to.exit[place] = self.exit()[k];
            set(&mut to.hits, i, self.is_hit(k));
            set(&mut to.invalid, i, self.is_invalid(k));
        }
    }

    fn end((count, columns): Self::Joined) -> Result<Self, Error> {
        FirstHits::from_columns(count, columns)
    }
}

/// Lists of several searches, not yet in the order of their shapes.
pub struct Lists {
    /// The entries of each shape, in the columns.
    ranges: Vec<Range<usize>>,
    index: Vec<u32>,
    numbers: [Vec<f32>; 2],
    invalid: Vec<u64>,
}

impl Lists {
    fn new(len: usize) -> Self {
        Lists {
            ranges: vec![0..0; len],
            index: Vec::new(),
            numbers: Default::default(),
            invalid: no_bits(len),
        }
    }

    /// Adds the lists of a part.
    fn add(
        &mut self,
        offsets: &[usize],
        index: &[u32],
        numbers: [&[f32]; 2],
        is_invalid: impl Fn(usize) -> bool,
        (a, b): (&[u32], &[u32]),
    ) {
        let first = self.index.len();
        for (k, &i) in a.iter().enumerate() {
            self.ranges[i as usize] = first + offsets[k]..first + offsets[k + 1];
            set(&mut self.invalid, i, is_invalid(k));
        }
        self.index.extend(index.iter().map(|k| b[*k as usize]));
        for (to, from) in self.numbers.iter_mut().zip(numbers) {
            to.extend_from_slice(from);
        }
    }

    /// Offsets, indices and numbers in the order of the shapes.
    fn sorted(&self) -> (Vec<usize>, Vec<u32>, [Vec<f32>; 2]) {
        let mut offsets = vec![0];
        let ends = self.ranges.iter().scan(0, |end, range| {
            *end += range.len();
            Some(*end)
        });
        offsets.extend(ends);
        let places = || self.ranges.iter().cloned().flatten();
        let numbers = [0, 1].map(|k| places().map(|at| self.numbers[k][at]).collect());
        (
            offsets,
            places().map(|at| self.index[at]).collect(),
            numbers,
        )
    }
}

/// Joins lists with columns of two numbers.
macro_rules! join_lists {
    ($lists:ident, $columns:ident, $first:ident, $second:ident) => {
        impl Join for $lists {
            type Joined = Lists;

            fn begin(len: usize) -> Lists {
                Lists::new(len)
            }

            fn add(self, to: &mut Lists, a: &[u32], stores: &[&[u32]]) {
                let numbers = [self.$first(), self.$second()];
                let is_invalid = |k| self.is_invalid(k);
                to.add(
                    self.offsets(),
                    self.index(),
                    numbers,
                    is_invalid,
                    (a, stores[0]),
                );
            }

            fn end(joined: Lists) -> Result<Self, Error> {
                let (offsets, index, [$first, $second]) = joined.sorted();
                $lists::from_columns($columns {
                    offsets,
                    index,
                    $first,
                    $second,
                    invalid: joined.invalid,
                })
            }
        }
    };
}
join_lists!(OrderedHits, OrderedHitColumns, enter, exit);
join_lists!(Neighbors, NeighborColumns, lower, upper);
