//! Answers of a scene, as numpy arrays.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use phalanx::{CastHit, ColliderId, SceneContact, SweepHit, TimeInterval};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PySlice, PyTuple};

use crate::answers::{POINTS, Reduced, positions};
use crate::colliders::not_saved;
use crate::saved::{Reader, Saved, Writer};
use crate::view::shared;

/// The id for no collider.
const NO_ID: u64 = u64::MAX;

/// Columns of hits of a scene.
#[derive(Default)]
pub struct Hits {
    id: Vec<u64>,
    part: Vec<u32>,
    enter: Vec<f32>,
    exit: Vec<f32>,
    /// Three numbers of each hit, as are the normals and barycentrics.
    point: Vec<f64>,
    normal: Vec<f32>,
    barycentrics: Vec<f32>,
    is_back: Vec<bool>,
}

impl Hits {
    fn of<'h>(hits: impl Iterator<Item = Option<&'h CastHit>>) -> Self {
        let mut all = Hits::default();
        for hit in hits {
            let none = TimeInterval {
                enter: f32::INFINITY,
                exit: f32::INFINITY,
            };
            let time = hit.map_or(none, |hit| hit.time);
            all.id.push(hit.map_or(NO_ID, |hit| hit.id.to_bits()));
            all.part.push(hit.map_or(0, |hit| hit.part));
            all.enter.push(time.enter);
            all.exit.push(time.exit);
            all.point.extend(hit.map_or([f64::NAN; 3], |hit| hit.point));
            all.normal
                .extend(hit.map_or([f32::NAN; 3], |hit| hit.normal));
            let weights = hit.and_then(|hit| hit.barycentrics);
            all.barycentrics.extend(weights.unwrap_or([f32::NAN; 3]));
            all.is_back.push(hit.is_some_and(|hit| hit.is_back));
        }
        all
    }

    fn save(&self, to: &mut Writer<'_>) {
        to.add(self.id.clone());
        to.add(self.part.clone());
        to.add(self.enter.clone());
        to.add(self.exit.clone());
        to.add(self.point.clone());
        to.add(self.normal.clone());
        to.add(self.barycentrics.clone());
        to.add(self.is_back.clone());
    }

    fn load(from: &mut Reader<'_, '_>) -> PyResult<Self> {
        let hits = Hits {
            id: from.column()?,
            part: from.column()?,
            enter: from.column()?,
            exit: from.column()?,
            point: from.column()?,
            normal: from.column()?,
            barycentrics: from.column()?,
            is_back: from.column()?,
        };
        let len = hits.id.len();
        check_lens(&[
            (hits.part.len(), len),
            (hits.enter.len(), len),
            (hits.exit.len(), len),
            (hits.point.len(), 3 * len),
            (hits.normal.len(), 3 * len),
            (hits.barycentrics.len(), 3 * len),
            (hits.is_back.len(), len),
        ])?;
        Ok(hits)
    }
}

/// Fails if a saved column has another length than expected.
fn check_lens(lens: &[(usize, usize)]) -> PyResult<()> {
    match lens.iter().find(|(len, expected)| len != expected) {
        Some((len, expected)) => Err(PyValueError::new_err(format!(
            "a saved column has length {len}, not {expected}"
        ))),
        None => Ok(()),
    }
}

/// An array (n, 3) that shares flat numbers.
fn rows<'py, X: numpy::Element>(
    numbers: &[X],
    owner: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<X>>> {
    shared(numbers, owner)?.reshape([numbers.len() / 3, 3])
}

/// Declares a class of hits.
macro_rules! hits {
    ($(#[$doc:meta])* $name:ident { $($own:item)* }) => {
        #[pymethods]
        impl $name {
            /// The collider that is hit; 2**64 - 1 for none.
            #[getter]
            fn id<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u64>>> {
                shared(&this.get().hits.id, this.as_any())
            }

            /// The triangle that is hit if the collider is a mesh, otherwise 0.
            #[getter]
            fn part<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u32>>> {
                shared(&this.get().hits.part, this.as_any())
            }

            /// The first time of contact, a fraction of the displacements; infinite for none.
            #[getter]
            fn enter<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f32>>> {
                shared(&this.get().hits.enter, this.as_any())
            }

            /// The last time of contact, a fraction of the displacements; infinite for none.
            #[getter]
            fn exit<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f32>>> {
                shared(&this.get().hits.exit, this.as_any())
            }

            /// A point where they touch at `enter`, in the world: an array (n, 3) of float64; NaN for none.
            #[getter]
            fn point<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f64>>> {
                rows(&this.get().hits.point, this.as_any())
            }

            /// Unit normal of the surface that is hit, towards what hits it: an array (n, 3); NaN for none.
            #[getter]
            fn normal<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
                rows(&this.get().hits.normal, this.as_any())
            }

            /// The weights of the corners at `point` if a triangle is hit, alone or of a mesh: an array (n, 3); otherwise NaN.
            #[getter]
            fn barycentrics<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<f32>>> {
                rows(&this.get().hits.barycentrics, this.as_any())
            }

            /// Whether the back of a triangle is hit.
            #[getter]
            fn is_back<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<bool>>> {
                shared(&this.get().hits.is_back, this.as_any())
            }

            fn __len__(&self) -> usize {
                self.hits.id.len()
            }

            /// For pickles and copies: what makes the result again, and its columns.
            fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
                let saved = this.get().save(this.py())?;
                Ok((this.get_type().getattr("_remade")?, (saved,)))
            }

            #[staticmethod]
            fn _remade(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
                Saved::load(saved)
            }

            $($own)*
        }
    };
}

/// The first collider that each ray or cast hits: row `i` is that of ray `i`.
#[pyclass(frozen, module = "phalanx")]
pub struct CastHits {
    hits: Hits,
}

impl CastHits {
    pub fn of(hits: &[Option<CastHit>]) -> Self {
        CastHits {
            hits: Hits::of(hits.iter().map(Option::as_ref)),
        }
    }

    fn count(&self) -> usize {
        self.hits.id.iter().filter(|id| **id != NO_ID).count()
    }
}

impl Saved for CastHits {
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut to = Writer::new(py);
        self.hits.save(&mut to);
        to.end()
    }

    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut from = Reader::new(saved);
        let hits = Hits::load(&mut from)?;
        from.end()?;
        Ok(CastHits { hits })
    }
}

hits! {
    CastHits {
        /// The indices of the rays with a hit, in order.
        #[getter]
        fn hits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
            found(py, &self.hits.id)
        }

        /// Whether each ray hits a collider.
        #[getter]
        fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
            mask(py, &self.hits.id)
        }

        /// Number of rays with a hit.
        #[getter(count)]
        fn get_count(&self) -> usize {
            self.count()
        }

        fn __repr__(&self) -> String {
            format!("<phalanx.CastHits of {} rays: {} hit>", self.hits.id.len(), self.count())
        }
    }
}

/// The rows with an id.
fn found<'py>(py: Python<'py>, ids: &[u64]) -> Bound<'py, PyArray1<i64>> {
    let found = ids.iter().enumerate().filter(|(_, id)| **id != NO_ID);
    positions(py, found.map(|(row, _)| row))
}

/// Whether each row has an id.
fn mask<'py>(py: Python<'py>, ids: &[u64]) -> Bound<'py, PyArray1<bool>> {
    PyArray1::from_vec(py, ids.iter().map(|id| *id != NO_ID).collect())
}

/// The first hits of swept colliders that hit one, sorted by their ids.
#[pyclass(frozen, module = "phalanx")]
pub struct SweepHits {
    mover: Vec<u64>,
    hits: Hits,
}

impl SweepHits {
    pub fn of(hits: &[SweepHit]) -> Self {
        SweepHits {
            mover: hits.iter().map(|hit| hit.mover.to_bits()).collect(),
            hits: Hits::of(hits.iter().map(|hit| Some(&hit.hit))),
        }
    }
}

impl Saved for SweepHits {
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut to = Writer::new(py);
        to.add(self.mover.clone());
        self.hits.save(&mut to);
        to.end()
    }

    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut from = Reader::new(saved);
        let mover: Vec<u64> = from.column()?;
        let hits = Hits::load(&mut from)?;
        from.end()?;
        check_lens(&[(mover.len(), hits.id.len())])?;
        Ok(SweepHits { mover, hits })
    }
}

hits! {
    SweepHits {
        /// The swept collider.
        #[getter]
        fn mover<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u64>>> {
            shared(&this.get().mover, this.as_any())
        }

        fn __repr__(&self) -> String {
            format!("<phalanx.SweepHits of {} colliders>", self.mover.len())
        }
    }
}

/// The nearest collider of each point or pose: row `i` is that of point `i`.
#[pyclass(frozen, module = "phalanx")]
#[derive(Default)]
pub struct ColliderDistances {
    id: Vec<u64>,
    part: Vec<u32>,
    lower: Vec<f32>,
    upper: Vec<f32>,
}

impl ColliderDistances {
    pub fn add(&mut self, distance: &phalanx::ColliderDistance) {
        self.id.push(distance.id.map_or(NO_ID, ColliderId::to_bits));
        self.part.push(distance.part);
        self.lower.push(distance.lower);
        self.upper.push(distance.upper);
    }
}

impl Saved for ColliderDistances {
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut to = Writer::new(py);
        to.add(self.id.clone());
        to.add(self.part.clone());
        to.add(self.lower.clone());
        to.add(self.upper.clone());
        to.end()
    }

    fn load(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let mut from = Reader::new(saved);
        let distances = ColliderDistances {
            id: from.column()?,
            part: from.column()?,
            lower: from.column()?,
            upper: from.column()?,
        };
        from.end()?;
        let len = distances.id.len();
        check_lens(&[
            (distances.part.len(), len),
            (distances.lower.len(), len),
            (distances.upper.len(), len),
        ])?;
        Ok(distances)
    }
}

#[pymethods]
impl ColliderDistances {
    /// The nearest collider; 2**64 - 1 for none within the radius.
    #[getter]
    fn id<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        shared(&this.get().id, this.as_any())
    }

    /// The nearest triangle of that collider if it is a mesh, otherwise 0.
    #[getter]
    fn part<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<u32>>> {
        shared(&this.get().part, this.as_any())
    }

    /// The lower bound of the distance of all colliders, at most the radius: zero for an invalid point or pose.
    #[getter]
    fn lower<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        shared(&this.get().lower, this.as_any())
    }

    /// The upper bound of the distance of the nearest collider; infinite for none.
    #[getter]
    fn upper<'py>(this: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        shared(&this.get().upper, this.as_any())
    }

    /// The indices of the points with a collider within the radius, in order.
    #[getter]
    fn hits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        found(py, &self.id)
    }

    /// Whether each point has a collider within the radius.
    #[getter]
    fn mask<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        mask(py, &self.id)
    }

    /// Number of points with a collider within the radius.
    #[getter]
    fn count(&self) -> usize {
        self.id.iter().filter(|id| **id != NO_ID).count()
    }

    fn __len__(&self) -> usize {
        self.id.len()
    }

    /// For pickles and copies: what makes the result again, and its columns.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        let saved = this.get().save(this.py())?;
        Ok((this.get_type().getattr("_remade")?, (saved,)))
    }

    #[staticmethod]
    fn _remade(saved: &Bound<'_, PyTuple>) -> PyResult<Self> {
        Saved::load(saved)
    }

    fn __repr__(&self) -> String {
        format!(
            "<phalanx.ColliderDistances of {} points: {} near>",
            self.id.len(),
            self.count()
        )
    }
}

/// The arguments of `SceneContacts._remade`.
type SavedContacts = (Vec<u8>, bool);

/// The contacts of a scene in this frame, sorted by `a`, `b` and their triangles, and what changed since the last frame.
///
/// `a` is the collider with the lower id, except that a mesh is always `b` of a collider of another kind. It never changes: the
/// next call returns another one. Each column is a copy.
#[pyclass(frozen, module = "phalanx")]
pub struct SceneContacts {
    both: Arc<phalanx::SceneContacts>,
    /// Whether these are the contacts of the frame before.
    is_last: bool,
}

/// The ids of pairs as an array (m, 2).
fn id_pairs<'py>(
    py: Python<'py>,
    pairs: impl Iterator<Item = (ColliderId, ColliderId)>,
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let pairs: Vec<[u64; 2]> = pairs.map(|(a, b)| [a.to_bits(), b.to_bits()]).collect();
    let len = pairs.len();
    PyArray1::from_vec(py, pairs.into_flattened()).reshape([len, 2])
}

impl SceneContacts {
    pub fn of(both: Arc<phalanx::SceneContacts>) -> Self {
        SceneContacts {
            both,
            is_last: false,
        }
    }

    fn list(&self) -> &[SceneContact] {
        if self.is_last {
            self.both.last()
        } else {
            self.both.as_slice()
        }
    }

    fn column<'py, X: numpy::Element>(
        &self,
        py: Python<'py>,
        of: impl Fn(&SceneContact) -> X,
    ) -> Bound<'py, PyArray1<X>> {
        PyArray1::from_vec(py, self.list().iter().map(of).collect())
    }

    /// Three numbers of each contact.
    fn vectors<'py, X: numpy::Element>(
        &self,
        py: Python<'py>,
        of: impl Fn(&SceneContact) -> [X; 3],
    ) -> PyResult<Bound<'py, PyArray2<X>>> {
        let rows: Vec<[X; 3]> = self.list().iter().map(of).collect();
        let len = rows.len();
        PyArray1::from_vec(py, rows.into_flattened()).reshape([len, 3])
    }

    /// A value of each of four points of each contact, or what stands for a point that is not there.
    fn each_point<X>(&self, of: impl Fn(&[phalanx::ContactPoint], usize) -> X) -> Vec<X> {
        let mut all = Vec::with_capacity(POINTS * self.list().len());
        for contact in self.list() {
            let points = contact.contact.points();
            all.extend((0..POINTS).map(|k| of(points, k)));
        }
        all
    }
}

/// A point of a contact; the first one in unused slots.
fn point_or_first(points: &[phalanx::ContactPoint], k: usize) -> phalanx::ContactPoint {
    let point = points.get(k).or(points.first());
    point.copied().unwrap_or_default()
}

#[pymethods]
impl SceneContacts {
    /// The first collider of each contact: an id.
    #[getter]
    fn a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.column(py, |it| it.a.to_bits())
    }

    /// The second collider of each contact: an id.
    #[getter]
    fn b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.column(py, |it| it.b.to_bits())
    }

    /// The triangle of `a` if it is a mesh, otherwise 0.
    #[getter]
    fn part_a<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.column(py, |it| it.part_a)
    }

    /// The triangle of `b` if it is a mesh, otherwise 0.
    #[getter]
    fn part_b<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        self.column(py, |it| it.part_b)
    }

    /// Whether a sensor is touched: nothing is to be pushed.
    #[getter]
    fn is_sensor<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.column(py, |it| it.is_sensor)
    }

    /// Whether a solver leaves the contact out, since another contact of the shape with the same mesh replaces it, as
    /// `Contacts.without_inner` does.
    #[getter]
    fn is_replaced<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.column(py, |it| it.is_replaced)
    }

    /// Whether a mesh has clamped the normal, because it pointed out of the mesh at an inner edge.
    #[getter]
    fn inner<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.column(py, |it| it.contact.is_inner)
    }

    /// The point of the world that `points` are relative to, the center of `a`, or of `b` if `a` has none: an array (n, 3) of
    /// float64.
    #[getter]
    fn center<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        self.vectors(py, |it| it.center)
    }

    /// Unit normal of each contact, from `a` to `b`: an array (n, 3).
    #[getter]
    fn normal<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        self.vectors(py, |it| it.contact.normal)
    }

    /// Signed distance of each contact along the normal; negative where shapes penetrate.
    #[getter]
    fn separation<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.column(py, |it| it.contact.separation)
    }

    /// Penetration depth of each contact: the separation with its sign changed.
    #[getter]
    fn depth<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f32>> {
        self.column(py, |it| 0.0 - it.contact.separation)
    }

    /// Number of points of each contact.
    #[getter]
    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.column(py, |it| it.contact.points().len() as u8)
    }

    /// The points of each contact, relative to `center`: an array (n, 4, 3). Unused slots repeat the first point.
    #[getter]
    fn points<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f32>>> {
        let points = self.each_point(|points, k| point_or_first(points, k).at);
        PyArray1::from_vec(py, points.into_flattened()).reshape([self.list().len(), POINTS, 3])
    }

    /// Signed distance of the surfaces at each point: an array (n, 4), infinite where there is no point.
    #[getter]
    fn point_separation<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let of = |points: &[phalanx::ContactPoint], k: usize| {
            points.get(k).map_or(f32::INFINITY, |it| it.separation)
        };
        PyArray1::from_vec(py, self.each_point(of)).reshape([self.list().len(), POINTS])
    }

    /// Feature id of each point, stable across frames, for warm starting: an array (n, 4).
    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let features = self.each_point(|points, k| point_or_first(points, k).feature);
        PyArray1::from_vec(py, features).reshape([self.list().len(), POINTS])
    }

    /// The pairs of colliders that touch now and did not in the last frame, sorted: an array (m, 2) of ids.
    #[getter]
    fn began<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        id_pairs(py, self.both.began().filter(|_| !self.is_last))
    }

    /// The pairs of colliders that touched in the last frame and do not now, sorted: an array (m, 2) of ids. Either may have been
    /// removed.
    #[getter]
    fn ended<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        id_pairs(py, self.both.ended().filter(|_| !self.is_last))
    }

    /// The contacts that were there in the last frame, of the same triangles if they are of meshes: an array (m, 2) of rows, of
    /// these contacts and of `last`.
    #[getter]
    fn lasting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let lasting = self.both.lasting().filter(|_| !self.is_last);
        let row = |it: &SceneContact| it.contact.position as i64;
        let rows: Vec<[i64; 2]> = lasting.map(|(now, last)| [row(now), row(last)]).collect();
        let len = rows.len();
        PyArray1::from_vec(py, rows.into_flattened()).reshape([len, 2])
    }

    /// The contacts of the last frame. They have no events: the frame before is not kept.
    #[getter]
    fn last(&self) -> Self {
        if self.is_last {
            return SceneContacts::of(Arc::default());
        }
        SceneContacts {
            both: Arc::clone(&self.both),
            is_last: true,
        }
    }

    /// The rows of the contacts of two colliders, in the order of a contact: a slice, of several rows if one is a mesh.
    fn between<'py>(&self, py: Python<'py>, a: u64, b: u64) -> Bound<'py, PySlice> {
        let (a, b) = (ColliderId::from_bits(a), ColliderId::from_bits(b));
        let found = if self.is_last {
            self.both.last_between(a, b)
        } else {
            self.both.between(a, b)
        };
        let start = found.first().map_or(0, |it| it.contact.position) as isize;
        PySlice::new(py, start, start + found.len() as isize, 1)
    }

    fn __len__(&self) -> usize {
        self.list().len()
    }

    /// For pickles and copies: what makes the contacts again, and those of both frames.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, SavedContacts)> {
        let contacts = this.get();
        let saved = postcard::to_allocvec(&*contacts.both);
        let saved = saved.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let remade = this.get_type().getattr("_remade")?;
        Ok((remade, (saved, contacts.is_last)))
    }

    #[staticmethod]
    fn _remade(saved: Vec<u8>, is_last: bool) -> PyResult<Self> {
        let both = postcard::from_bytes(&saved).map_err(not_saved)?;
        Ok(SceneContacts {
            both: Arc::new(both),
            is_last,
        })
    }

    fn __repr__(&self) -> String {
        format!("<phalanx.SceneContacts of {} contacts>", self.list().len())
    }
}
