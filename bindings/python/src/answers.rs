//! The results, as numpy arrays by position in the list of pairs.

use bytemuck::cast_slice;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use phalanx::Pair;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrow_array::{self, ArrowArray};
use crate::mesh::Mesh;
use crate::pairs::Listed;
use crate::raised;
use crate::saved::Saved;
use crate::view::shared;

/// Bits as bools.
fn bools<'py>(py: Python<'py>, words: &[u64], len: usize) -> Bound<'py, PyArray1<bool>> {
    let mut bools = Vec::with_capacity(words.len() * 64);
    for word in words {
        bools.extend((0..64).map(|bit| word >> bit & 1 == 1));
    }
    bools.truncate(len);
    PyArray1::from_vec(py, bools)
}

/// Pairs as an array (m, 2).
pub fn pairs_array(py: Python<'_>, pairs: Vec<Pair>) -> PyResult<Bound<'_, PyArray2<u32>>> {
    let rows = pairs.len();
    // Collected in place: a pair has the size of two numbers.
    let numbers: Vec<[u32; 2]> = pairs.into_iter().map(|pair| [pair.a, pair.b]).collect();
    PyArray1::from_vec(py, numbers.into_flattened()).reshape([rows, 2])
}

/// Vectors of columns as an array (n, 3).
fn vectors_array<'py>(
    py: Python<'py>,
    [x, y, z]: [&[f32]; 3],
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let rows: Vec<[f32; 3]> = (0..x.len()).map(|i| [x[i], y[i], z[i]]).collect();
    PyArray1::from_vec(py, rows.into_flattened()).reshape([x.len(), 3])
}

/// Positions as numpy has them.
pub fn positions(
    py: Python<'_>,
    positions: impl Iterator<Item = usize>,
) -> Bound<'_, PyArray1<i64>> {
    PyArray1::from_vec(py, positions.map(|position| position as i64).collect())
}

/// A function and its arguments: the columns of a result.
pub type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyTuple>,));

/// Declares the Python class of a result: arrays that share its columns, its length, and its own methods.
macro_rules! result {
    (
        $(#[$doc:meta])* $name:ident { $($(#[$of_column:meta])* $column:ident: $number:ty,)* } $($own:item)*
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, module = "phalanx")]
        pub struct $name(pub phalanx::$name);

        #[pymethods]
        impl $name {
            $(
                $(#[$of_column])*
                #[getter]
                fn $column<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<$number>>> {
                    shared(this.get().0.$column(), this.as_any())
                }
            )*

            fn __len__(&self) -> usize {
                self.0.len()
            }

            /// For pickles and copies: what makes the result again, and its columns.
            fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
                let saved = this.get().0.save(this.py())?;
                Ok((this.get_type().getattr("_remade")?, (saved,)))
            }

            #[staticmethod]
            fn _remade(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
                Saved::load(saved).map($name)
            }

            $($own)*
        }
    };
}

/// Declares the class of hits, each of a pair, with what all have.
macro_rules! answers {
    (
        $(#[$doc:meta])* $name:ident { $($columns:tt)* }, $hits:expr, $pairs:expr, $arrow:expr; $($own:item)*
    ) => {
        result! {
            $(#[$doc])* $name { $($columns)* }

            /// The positions of the pairs that touch, in order, as numpy.flatnonzero of the mask has them.
            #[getter]
            fn hits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
                let hits: fn(&phalanx::$name) -> Vec<usize> = $hits;
                positions(py, hits(&self.0).into_iter())
            }

            /// Whether each pair touches.
            #[getter]
            fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
                bools(py, self.0.words(), self.0.len())
            }

            /// Whether each pair has an invalid shape: it is no hit, and its result is unknown.
            #[getter]
            fn invalid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
                bools(py, self.0.invalid_words(), self.0.len())
            }

            /// Number of pairs that touch.
            #[getter]
            fn count(&self) -> usize {
                self.0.count()
            }

            /// Number of pairs with an invalid shape.
            #[getter]
            fn invalid_count(&self) -> usize {
                self.0.invalid_count()
            }

            /// The pairs that touch: an array (count, 2) of uint32. `pairs` is the list of the call.
            fn pairs<'py>(&self, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray2<u32>>> {
                type Hits<'a> = Result<phalanx::Hits<'a>, phalanx::Error>;
                let hits: for<'a> fn(&'a phalanx::$name, phalanx::Pairs<'a>) -> Hits<'a> = $pairs;
                let listed = Listed::new(pairs)?;
                let hits = hits(&self.0, listed.pairs()?).map_err(raised)?;
                pairs_array(pairs.py(), hits.collect())
            }

            /// The results as an Arrow array, null for pairs with an invalid shape.
            fn to_arrow(&self) -> PyResult<ArrowArray> {
                let arrow: fn(&phalanx::$name) -> PyResult<ArrowArray> = $arrow;
                arrow(&self.0)
            }

            fn __repr__(&self) -> String {
                format!(
                    "<phalanx.{} of {} pairs: {} touch, {} invalid>",
                    stringify!($name),
                    self.0.len(),
                    self.0.count(),
                    self.0.invalid_count()
                )
            }

            $($own)*
        }
    };
}

answers! {
    /// Results of `overlap`: whether each pair touches.
    Overlaps {},
    |it| it.iter().collect(),
    |it, pairs| it.hits(pairs),
    |it| arrow_array::overlaps(it.clone());
}

answers! {
    /// Results of `sweep`: the times when each pair touches, as fractions of the frame.
    Sweeps {
        /// The first time of contact of each pair, a fraction of the frame; infinite where there is none.
        enter: f32,
        /// The last time of contact of each pair, a fraction of the frame; infinite where there is none.
        exit: f32,
    },
    |it| it.iter().map(|hit| hit.0).collect(),
    |it, pairs| it.hits(pairs),
    |it| arrow_array::sweeps(it.clone());

    /// The positions of the pairs that are the first hit of their shape of the first store, in the order of those shapes.
    fn first_hits<'py>(&self, pairs: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let listed = Listed::new(pairs)?;
        let firsts = self.0.first_hits(listed.pairs()?).map_err(raised)?;
        Ok(positions(pairs.py(), firsts.into_iter().map(|hit| hit.position)))
    }
}

answers! {
    /// Results of `impact`: the time of impact of each pair.
    Impacts {
        /// Time of impact of each pair, a fraction of the frame, never late; infinite where the pair never touches.
        time: f32,
    },
    |it| it.iter().map(|hit| hit.0).collect(),
    |it, pairs| it.hits(pairs),
    |it| arrow_array::impacts(it.clone());

    /// Whether the shapes of each pair are within the tolerance at its time. A time that is not settled is never late, too.
    #[getter]
    fn settled<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let settled = (0..self.0.len()).map(|position| self.0.is_settled(position));
        PyArray1::from_vec(py, settled.collect())
    }
}

/// The largest number of points of a contact.
pub const POINTS: usize = 4;

answers! {
    /// Contact manifolds: an entry for each pair that touches, not for each pair.
    Contacts {
        /// The position of the pair of each contact.
        positions: u32,
        /// Signed distance of each contact along the normal, in the unit of length; negative where shapes penetrate.
        separation: f32,
        /// Number of points of each contact.
        counts: u8,
    },
    |it| it.overlaps().iter().collect(),
    |it, pairs| it.overlaps().hits(pairs),
    |it| arrow_array::contacts(it);

    /// Unit normal x, y, z of each contact, from the first shape to the second: an array (count, 3).
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        vectors_array(py, self.0.normal())
    }

    /// Penetration depth of each contact: the separation with its sign changed. A copy.
    #[getter]
    fn depth<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        // Subtracted from zero, so that the depth of a separation of 0 is not -0.
        let depth = self.0.separation().iter().map(|x| 0.0 - x);
        PyArray1::from_vec(py, depth.collect())
    }

    /// Whether a Mesh has clamped the normal of each contact, because it pointed out of the mesh at an inner edge.
    #[getter]
    fn inner<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let inner = (0..self.0.count()).map(|index| self.0.is_inner(index));
        PyArray1::from_vec(py, inner.collect())
    }

    /// The indices of the contacts that a solver needs: all except inner ones that others replace.
    ///
    /// `pairs` is the list of the call, sorted as `candidates` returns it, and `mesh` its second store. An inner contact is
    /// left out if a contact of the same shape that is not inner pushes it as far: if its depth times the cosine between both
    /// normals is no less. Of shapes with several points, its triangle has to share a corner. Inner contacts of points and spheres
    /// are also left out if they are deeper than all that are not inner, as those of the back of a thin wall. A shape whose contacts are all inner keeps them.
    fn without_inner<'py>(
        &self,
        pairs: &Bound<'py, PyAny>,
        mesh: &Bound<'py, Mesh>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let py = pairs.py();
        let listed = Listed::new(pairs)?;
        self.0.overlaps().hits(listed.pairs()?).map_err(raised)?;
        let list = listed.list(self.0.len())?;
        let mesh = mesh.get().shared(py);
        let needed = py.detach(|| {
            if let Some(k) = list.windows(2).position(|two| two[1] < two[0]) {
                return Err(k + 1);
            }
            // Contacts and those needed are both in order of position.
            let (all, mut index) = (self.0.positions(), 0);
            let needed = self.0.without_inner(&list, &mesh).map(|contact| {
                while (all[index] as usize) < contact.position {
                    index += 1;
                }
                index
            });
            Ok(needed.collect::<Vec<_>>())
        });
        let needed = needed.map_err(|position| {
            PyValueError::new_err(format!(
                "pairs are not sorted: pair {position} is below the one before"
            ))
        })?;
        Ok(positions(py, needed.into_iter()))
    }

    /// The points of each contact: an array (count, 4, 3).
    ///
    /// They are relative to the center of the first shape, or of the second if the first is a triangle, a plane or a half-space. If
    /// neither has a center, they are relative to the mean of the corners of the first triangle.
    /// Unused slots repeat the first point.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let points = self.each_point(|k, i| {
            let point = self.0.point(k);
            point.at.map(|column| column[i])
        });
        let count = self.0.count();
        let numbers: &[f32] = cast_slice(&points);
        PyArray1::from_slice(py, numbers).reshape([count, POINTS, 3])
    }

    /// Signed distance of the surfaces at each point: an array (count, 4), infinite where there is no point.
    #[getter]
    fn point_separation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let counts = self.0.counts();
        let separations = (0..counts.len()).flat_map(|i| {
            (0..POINTS).map(move |k| {
                if k < usize::from(counts[i]) {
                    self.0.point(k).separation[i]
                } else {
                    f32::INFINITY
                }
            })
        });
        PyArray1::from_vec(py, separations.collect()).reshape([counts.len(), POINTS])
    }

    /// Feature id of each point, stable across frames, for warm starting: an array (count, 4).
    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let features = self.each_point(|k, i| self.0.point(k).feature[i]);
        PyArray1::from_vec(py, features).reshape([self.0.count(), POINTS])
    }
}

impl Contacts {
    /// A value for each of four points of each contact; unused slots repeat the first point.
    fn each_point<X>(&self, of: impl Fn(usize, usize) -> X) -> Vec<X> {
        let counts = self.0.counts();
        let mut all = Vec::with_capacity(POINTS * counts.len());
        for (i, &count) in counts.iter().enumerate() {
            all.extend((0..POINTS).map(|k| {
                let there = if k < usize::from(count) { k } else { 0 };
                of(there, i)
            }));
        }
        all
    }
}

result! {
    /// The first hit of each shape of the first store: position `i` is that of shape `i`.
    FirstHits {
        /// Index of the shape that each shape hits; 2**32 - 1 for none.
        index: u32,
        /// Number of the store of the shape that each shape hits, in the order of the call; 0 for none.
        store: u8,
        /// The first time of contact of each shape, a fraction of the frame; infinite where there is none.
        enter: f32,
        /// The last time of contact with the shape that is hit first; infinite where there is none.
        exit: f32,
    }

    /// The indices of the shapes with a hit, in order.
    #[getter]
    fn hits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        positions(py, self.0.iter().map(|hit| hit.a as usize))
    }

    /// Whether each shape has a hit.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        bools(py, self.0.words(), self.0.len())
    }

    /// Whether each shape is invalid: it has no hit.
    #[getter]
    fn invalid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        bools(py, self.0.invalid_words(), self.0.len())
    }

    /// Number of shapes with a hit.
    #[getter]
    fn count(&self) -> usize {
        self.0.count()
    }

    /// Number of invalid shapes.
    #[getter]
    fn invalid_count(&self) -> usize {
        self.0.invalid_count()
    }

    /// The pairs of the hits in one store, as an array (m, 2). `hit_contacts` has their normals.
    #[pyo3(signature = (store = 0))]
    fn pairs<'py>(&self, py: Python<'py>, store: u8) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let mut pairs = Vec::new();
        self.0.pairs(store, &mut pairs);
        pairs_array(py, pairs)
    }

    fn __repr__(&self) -> String {
        format!(
            "<phalanx.FirstHits of {} shapes: {} hit, {} invalid>",
            self.0.len(),
            self.0.count(),
            self.0.invalid_count()
        )
    }
}

result! {
    /// The distances of pairs, each between two bounds: position `i` is that of pair `i`.
    Distances {
        /// The lower bound of each pair, never above the distance: zero for pairs that touch, and for invalid ones.
        lower: f32,
        /// The upper bound of each pair, never below the distance; infinite for invalid pairs.
        upper: f32,
    }

    /// Whether the bounds of each pair are within the band of the contract and 2**-16 of the upper one. Both bounds hold for the
    /// few pairs that are not settled, too.
    #[getter]
    fn settled<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let settled = (0..self.0.len()).map(|position| self.0.is_settled(position));
        PyArray1::from_vec(py, settled.collect())
    }

    /// Whether each pair has an invalid shape.
    #[getter]
    fn invalid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        bools(py, self.0.invalid_words(), self.0.len())
    }

    /// Number of pairs with an invalid shape.
    #[getter]
    fn invalid_count(&self) -> usize {
        self.0.iter_invalid().count()
    }

    /// The bounds as an Arrow array of structs, null for pairs with an invalid shape.
    fn to_arrow(&self) -> PyResult<ArrowArray> {
        arrow_array::distances(self.0.clone())
    }

    fn __repr__(&self) -> String {
        format!(
            "<phalanx.Distances of {} pairs: {} invalid>",
            self.0.len(),
            self.invalid_count()
        )
    }
}

result! {
    /// Two points of each pair, as far apart as its upper bound.
    ///
    /// They are relative to the center of the first shape, or of the second if the first is a plane or a half-space. The center
    /// of a triangle is the mean of its corners. NaN for invalid pairs.
    ClosestPoints {}

    /// The point of the first shape of each pair: an array (n, 3).
    #[getter]
    fn at_a<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        vectors_array(py, self.0.at_a())
    }

    /// The point of the second shape of each pair: an array (n, 3).
    #[getter]
    fn at_b<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        vectors_array(py, self.0.at_b())
    }

    fn __repr__(&self) -> String {
        format!("<phalanx.ClosestPoints of {} pairs>", self.0.len())
    }
}

/// The index for no shape: stores have fewer.
const NONE: u32 = u32::MAX;

result! {
    /// The nearest shape to each shape of the first store: position `i` is that of shape `i`.
    Nearest {
        /// Index of the nearest shape of each shape; 2**32 - 1 for none.
        index: u32,
        /// The lower bound of the distance of each shape from the whole store, at most the radius: zero for invalid shapes.
        lower: f32,
        /// The upper bound of the distance of each shape from its nearest one; infinite for none.
        upper: f32,
    }

    /// The indices of the shapes with a shape within the radius, in order.
    #[getter]
    fn hits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let all = self.0.index().iter().enumerate();
        positions(py, all.filter(|it| *it.1 != NONE).map(|it| it.0))
    }

    /// Whether each shape has a shape within the radius.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let all = self.0.index().iter();
        PyArray1::from_vec(py, all.map(|index| *index != NONE).collect())
    }

    /// Whether each shape is invalid: it has no nearest shape.
    #[getter]
    fn invalid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let invalid = (0..self.0.len()).map(|a| self.0.is_invalid(a));
        PyArray1::from_vec(py, invalid.collect())
    }

    /// Number of shapes with a shape within the radius.
    #[getter]
    fn count(&self) -> usize {
        self.0.count()
    }

    /// Number of invalid shapes.
    #[getter]
    fn invalid_count(&self) -> usize {
        self.0.iter_invalid().count()
    }

    /// Each shape with its nearest one, as an array (m, 2), for `distance_points`.
    fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let all = (0..).zip(self.0.index());
        let near = all.filter(|it| *it.1 != NONE);
        pairs_array(py, near.map(|(a, &b)| Pair::new(a, b)).collect())
    }

    fn __repr__(&self) -> String {
        format!(
            "<phalanx.Nearest of {} shapes: {} near, {} invalid>",
            self.0.len(),
            self.0.count(),
            self.invalid_count()
        )
    }
}

/// Declares the class of lists, one for each shape of the first store.
macro_rules! lists {
    ($(#[$doc:meta])* $name:ident { $($columns:tt)* }) => {
        result! {
            $(#[$doc])*
            $name {
                /// Index of the listed shape of every entry.
                index: u32,
                $($columns)*
            }

            /// The start of each list in the columns, and the end of the last one: the list of shape `i` is
            /// `offsets[i]:offsets[i + 1]`. A copy.
            #[getter]
            fn offsets<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
                positions(py, self.0.offsets().iter().copied())
            }

            /// The indices of the shapes with an entry, in order.
            #[getter]
            fn hits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
                positions(py, (0..self.0.len()).filter(|a| self.0.is_hit(*a)))
            }

            /// Whether each shape has an entry.
            #[getter]
            fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
                let hits = (0..self.0.len()).map(|a| self.0.is_hit(a));
                PyArray1::from_vec(py, hits.collect())
            }

            /// Whether each shape is invalid: its list is empty.
            #[getter]
            fn invalid<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
                let invalid = (0..self.0.len()).map(|a| self.0.is_invalid(a));
                PyArray1::from_vec(py, invalid.collect())
            }

            /// Number of entries of all lists.
            #[getter]
            fn count(&self) -> usize {
                self.0.count()
            }

            /// Number of invalid shapes.
            #[getter]
            fn invalid_count(&self) -> usize {
                self.0.iter_invalid().count()
            }

            /// The pairs of all entries, in the order of the columns, as an array (count, 2) for other queries.
            fn pairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
                let mut pairs = Vec::new();
                self.0.pairs(&mut pairs);
                pairs_array(py, pairs)
            }

            fn __repr__(&self) -> String {
                format!(
                    "<phalanx.{} of {} shapes: {} entries, {} invalid>",
                    stringify!($name),
                    self.0.len(),
                    self.0.count(),
                    self.invalid_count()
                )
            }
        }
    };
}

lists! {
    /// The hits of each shape of the first store, in order of time: one list for each shape.
    OrderedHits {
        /// The first time of contact of every hit, a fraction of the frame.
        enter: f32,
        /// The last time of contact of every hit.
        exit: f32,
    }
}

lists! {
    /// The nearest shapes of each shape of the first store, the nearest first: one list for each shape.
    Neighbors {
        /// The lower bound of the distance of every neighbor, never above it.
        lower: f32,
        /// The upper bound of the distance of every neighbor, never below it.
        upper: f32,
    }
}
