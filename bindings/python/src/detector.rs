//! The detector: runs the queries of the core without the GIL.

use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use numpy::{PyArray1, PyArray2};
use phalanx::query::SweepContacts;
use phalanx::{During, Error, InvalidShapes, Pair, Point, Settings, Simd, StoreRef};
use pyo3::exceptions::{PyRuntimeWarning, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::answers::{
    ClosestPoints, Contacts, Distances, FirstHits, Impacts, Nearest, Neighbors, OrderedHits,
    Overlaps, Sweeps, pairs_array,
};
use crate::any_store::{AnyBorrowed, View};
use crate::columns::{rounded_up, type_of};
use crate::dispatch::{self, Near, Search, Verb};
use crate::filters;
use crate::keyed::{self, Join, Keys, Outcome};
use crate::labels::{self, Ious};
use crate::mesh::Mesh;
use crate::pairs::Listed;
use crate::raised;
use crate::solid;
use crate::view::during;
use crate::volume::{self, Measure};

/// Runs queries on stores of shapes.
///
/// Parameters
/// ----------
/// parallel : bool
///     Whether long calls use all cores.
/// margin : float
///     Distance below which separated shapes count as touching, in the unit of length of the shapes. Rounded up to float32.
/// simd : int, optional
///     Number of lanes, one of those in `phalanx.instruction_sets()`; by default the most that this CPU has. Results are the
///     same for each.
/// strict : bool
///     Whether an invalid shape (NaN, a negative size, a quaternion that is not of unit length) is a ValueError instead of a
///     flag of its pairs.
/// approaching : bool
///     Whether `first_hits`, `ordered_hits` and `meets_any` during the frame pass the shapes that the motion does not approach: the
///     wall on which a ray starts, the floor along which a shape slides, the back faces of a Mesh.
///
/// Several threads may use a detector at once. Calls release the GIL.
#[pyclass(frozen, module = "phalanx")]
pub struct Detector {
    /// Without memory of its own; those of calls are its clones.
    like: phalanx::Detector,
    idle: Mutex<Vec<phalanx::Detector>>,
}

/// The instruction set of so many lanes.
pub fn simd_of(lanes: usize) -> PyResult<Simd> {
    let of_lanes = Simd::available().find(|simd| simd.lanes() == lanes);
    of_lanes.ok_or_else(|| {
        let all: Vec<_> = Simd::available().map(|it| it.lanes().to_string()).collect();
        PyValueError::new_err(format!(
            "this CPU has no {lanes} lanes, but {}",
            all.join(", ")
        ))
    })
}

/// The lanes of an instruction set for a pickle; `None` for the best one, which another CPU replaces by its own.
pub fn lanes_of(simd: Simd) -> Option<usize> {
    (simd != Simd::best()).then(|| simd.lanes())
}

/// The arguments of `_remade`.
type SettingsOf = (bool, f32, Option<usize>, bool, bool);

/// A store, its shapes and the pairs of a call.
struct Call<'py> {
    a: AnyBorrowed<'py>,
    b: AnyBorrowed<'py>,
    pairs: Listed<'py>,
}

impl<'py> Call<'py> {
    fn new(
        a: &'py Bound<'py, PyAny>,
        b: &'py Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        // The conversion of pairs may run Python code, which may change any array, so columns are borrowed after it.
        let pairs = Listed::new(pairs)?;
        Ok(Call {
            a: AnyBorrowed::new("a", a)?,
            b: AnyBorrowed::new("b", b)?,
            pairs,
        })
    }
}

impl Detector {
    /// A detector with the settings of one.
    pub fn like(like: phalanx::Detector) -> Self {
        Detector {
            like,
            idle: Mutex::default(),
        }
    }

    /// What a detector of the core says, which no other call uses meanwhile.
    pub fn with<R>(&self, ask: impl FnOnce(&mut phalanx::Detector) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = idle().pop();
        let mut detector = kept.unwrap_or_else(|| self.like.clone());
        let answer = ask(&mut detector);
        idle().push(detector);
        answer
    }

    fn call<'py, Q: Verb<Out<'py>: Send>>(
        &self,
        [a, b, pairs]: [&Bound<'_, PyAny>; 3],
        out: Q::Out<'py>,
    ) -> PyResult<()> {
        let call = Call::new(a, b, pairs)?;
        let (views, pairs) = ((call.a.view()?, call.b.view()?), call.pairs.pairs()?);
        let run = |detector: &mut _| dispatch::call::<Q>(detector, &views.0, &views.1, pairs, out);
        a.py().detach(|| self.with(run))
    }
}

impl Detector {
    /// A measure of each pair of boxes.
    fn measured<'py>(
        &self,
        [a, b, pairs]: [&Bound<'py, PyAny>; 3],
        measure: Measure,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let py = a.py();
        let call = Call::new(a, b, pairs)?;
        let ((a, b), pairs) = ((call.a.view()?, call.b.view()?), call.pairs.pairs()?);
        let run = |detector: &mut _| volume::measured(detector, &a, &b, pairs, measure);
        Ok(PyArray1::from_vec(py, py.detach(|| self.with(run))?))
    }
}

impl Detector {
    /// The IoU of the boxes that may overlap.
    fn ious<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        keys: Option<&Keys>,
    ) -> PyResult<Ious> {
        let py = a.py();
        let during = During::Start;
        let query =
            |detector: &mut phalanx::Detector,
             _: usize,
             a: &View<'_>,
             b: &View<'_>,
             out: &mut Vec<Pair>| { dispatch::candidates(detector, a, b, during, out) };
        let pairs = self.search_by(a, &[searched("b", b)], keys, "overlap nothing", query)?;
        // With other keys, the pairs of one store are in both orders.
        let is_one = a.is(b) && keys.is_none_or(|keys| keys.stores[0].is_none());
        let (a, b) = (AnyBorrowed::new("a", a)?, AnyBorrowed::new("b", b)?);
        let (a, b) = (a.view()?, b.view()?);
        let b = (!is_one).then_some(&b);
        py.detach(|| self.with(|detector| Ious::new(detector, &a, b, pairs)))
    }
}

/// A store that a query searches, and its name in errors.
struct Searched<'py> {
    name: String,
    store: Bound<'py, PyAny>,
}

impl Detector {
    /// Runs a query of whole stores, by key if there are keys. Warns of invalid shapes, with the words for them.
    fn search<'py, R: Join + Send>(
        &self,
        a: &Bound<'py, PyAny>,
        stores: &[Searched<'py>],
        keys: Option<&Bound<'py, PyAny>>,
        invalid: &str,
        query: impl FnMut(&mut phalanx::Detector, usize, &View<'_>, &View<'_>, &mut R) -> Outcome + Send,
    ) -> PyResult<R> {
        // The conversion of keys may run Python code, so columns are borrowed after it.
        let keys = keys.map(|keys| self::keys(keys, a, stores)).transpose()?;
        self.search_by(a, stores, keys.as_ref(), invalid, query)
    }

    /// Runs a query as `search` does, by keys that are converted.
    fn search_by<'py, R: Join + Send>(
        &self,
        a: &Bound<'py, PyAny>,
        stores: &[Searched<'py>],
        keys: Option<&Keys>,
        invalid: &str,
        query: impl FnMut(&mut phalanx::Detector, usize, &View<'_>, &View<'_>, &mut R) -> Outcome + Send,
    ) -> PyResult<R> {
        let py = a.py();
        let a = AnyBorrowed::new("a", a)?;
        let all = stores
            .iter()
            .map(|it| AnyBorrowed::new(&it.name, &it.store));
        let all = all.collect::<PyResult<Vec<_>>>()?;
        let run = || self.with(|detector| keyed::run(detector, &a, &all, keys, query));
        let (found, counts) = py.detach(run)?;
        for counts in counts {
            warn_of(py, counts, invalid)?;
        }
        Ok(found)
    }
}

impl Detector {
    /// Runs a query of points and a closed mesh, by key if there are keys. Warns of invalid shapes.
    fn solid<R: Join + Send>(
        &self,
        points: &Bound<'_, PyAny>,
        mesh: &Bound<'_, Mesh>,
        keys: Option<&Bound<'_, PyAny>>,
        query: impl FnMut(
            &mut phalanx::Detector,
            &StoreRef<'_, Point>,
            &phalanx::Mesh,
            &mut R,
        ) -> Result<InvalidShapes, Error>
        + Send,
    ) -> PyResult<R> {
        let py = points.py();
        // The conversion of keys may run Python code, so columns are borrowed after it.
        let searched = searched("mesh", mesh.as_any());
        let keys = keys
            .map(|keys| self::keys(keys, points, &[searched]))
            .transpose()?;
        let mesh = mesh.get().shared(py);
        let lent = AnyBorrowed::new("points", points)?;
        let View::Point(points) = lent.view()? else {
            return Err(PyTypeError::new_err(format!(
                "points is of type {}, not Points",
                type_of(points)
            )));
        };
        let keys = keys.as_ref();
        let run = || self.with(|detector| keyed::run_solid(detector, &points, &mesh, keys, query));
        let (found, invalid) = py.detach(run)?;
        warn_of(py, invalid, "are not inside, and bound nothing")?;
        Ok(found)
    }
}

fn searched<'py>(name: &str, store: &Bound<'py, PyAny>) -> Searched<'py> {
    Searched {
        name: name.to_owned(),
        store: store.clone(),
    }
}

/// The keys of the shapes of stores: of `a` and of those that it searches.
fn keys(keys: &Bound<'_, PyAny>, a: &Bound<'_, PyAny>, stores: &[Searched<'_>]) -> PyResult<Keys> {
    let is_a = |it: &Searched<'_>| it.store.is(a);
    let Ok(each) = keys.cast::<PyTuple>() else {
        if !stores.iter().all(is_a) {
            return Err(PyTypeError::new_err(
                "keys of several stores are a tuple: an array for each",
            ));
        }
        let a = filters::keys("keys", keys, a.len()?)?;
        let stores = stores.iter().map(|_| None).collect();
        return Ok(Keys { a, stores });
    };
    if each.len() != 1 + stores.len() {
        return Err(PyValueError::new_err(format!(
            "keys are a tuple of {}, not of an array for each of {} stores",
            each.len(),
            1 + stores.len()
        )));
    }
    let first = each.get_item(0)?;
    let of_a = filters::keys("keys[0]", &first, a.len()?)?;
    let mut others = Vec::with_capacity(stores.len());
    for (k, it) in (1..).zip(stores) {
        let keys = each.get_item(k)?;
        let numbers = filters::keys(&format!("keys[{k}]"), &keys, it.store.len()?)?;
        let is_same = is_a(it) && numbers == of_a;
        others.push((!is_same).then_some(numbers));
    }
    Ok(Keys {
        a: of_a,
        stores: others,
    })
}

/// Warns of invalid shapes.
fn warn_of(py: Python<'_>, invalid: InvalidShapes, how: &str) -> PyResult<()> {
    if !invalid.any() {
        return Ok(());
    }
    let InvalidShapes { a, b, .. } = invalid;
    let message = format!("invalid shapes {how}: {a} of a, {b} of b; validate() names the first");
    warn(py, message)
}

/// Warns of a message.
pub fn warn(py: Python<'_>, message: String) -> PyResult<()> {
    PyErr::warn(
        py,
        &py.get_type::<PyRuntimeWarning>(),
        &CString::new(message)?,
        1,
    )
}

#[pymethods]
impl Detector {
    #[new]
    #[pyo3(signature = (*, parallel = true, margin = 0.0, simd = None, strict = false, approaching = false))]
    pub fn new(
        parallel: bool,
        margin: f64,
        simd: Option<usize>,
        strict: bool,
        approaching: bool,
    ) -> PyResult<Self> {
        let mut like = phalanx::Detector::new()
            .parallel(parallel)
            .strict(strict)
            .approaching(approaching)
            .margin(rounded_up(margin))
            .map_err(raised)?;
        if let Some(lanes) = simd {
            like = like.simd(simd_of(lanes)?);
        }
        Ok(Detector::like(like))
    }

    /// For pickles and copies: what makes a detector with these settings. The best instruction set of this CPU becomes that of
    /// the CPU where the detector is made again.
    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, SettingsOf)> {
        let Settings {
            simd,
            parallel,
            margin,
            strict,
            approaching,
            ..
        } = this.get().like.settings();
        let settings = (parallel, margin, lanes_of(simd), strict, approaching);
        Ok((this.get_type().getattr("_remade")?, settings))
    }

    #[staticmethod]
    #[pyo3(signature = (parallel, margin, simd, strict, approaching))]
    fn _remade(
        parallel: bool,
        margin: f32,
        simd: Option<usize>,
        strict: bool,
        approaching: bool,
    ) -> PyResult<Self> {
        Detector::new(parallel, f64::from(margin), simd, strict, approaching)
    }

    /// Tests which pairs touch at the start of the frame.
    ///
    /// Parameters
    /// ----------
    /// a, b : stores of shapes, or a Mesh
    ///     `phalanx.kernels()` lists the kinds that can be tested.
    /// pairs : (m, 2) integers, or what `zip` or `one_to_all` returns
    ///     Indices into `a` and `b`; uint32 is read in place, other integers are converted.
    ///
    /// Returns
    /// -------
    /// Overlaps
    ///     An entry for each pair, in the order of `pairs`.
    fn overlap<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<Overlaps> {
        let mut out = phalanx::Overlaps::new();
        self.call::<phalanx::Overlaps>([a, b, pairs], &mut out)?;
        Ok(Overlaps(out))
    }

    /// Finds the times when pairs touch while each shape moves along its displacement, without rotation.
    ///
    /// It takes what `overlap` takes. Times are fractions of the frame, from 0 to 1.
    fn sweep<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<Sweeps> {
        let mut out = phalanx::Sweeps::new();
        self.call::<phalanx::Sweeps>([a, b, pairs], &mut out)?;
        Ok(Sweeps(out))
    }

    /// Finds contact manifolds of the pairs that touch: points, normals and penetration depths.
    ///
    /// It takes what `overlap` takes. A separating motion moves `b` along the normal, by the depth.
    fn contact<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<Contacts> {
        let mut out = phalanx::Contacts::new();
        self.call::<phalanx::Contacts>([a, b, pairs], &mut out)?;
        Ok(Contacts(out))
    }

    /// Finds the times when pairs touch, as `sweep` does, and the contacts when they first touch.
    fn sweep_contacts<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<(Sweeps, Contacts)> {
        let mut sweeps = phalanx::Sweeps::new();
        let mut contacts = phalanx::Contacts::new();
        self.call::<SweepContacts>([a, b, pairs], (&mut sweeps, &mut contacts))?;
        Ok((Sweeps(sweeps), Contacts(contacts)))
    }

    /// Finds the time of impact of pairs that move and rotate, at least one of each pair an OBB or a hull.
    ///
    /// Parameters
    /// ----------
    /// a, b, pairs
    ///     As for `overlap`.
    /// tolerance : float
    ///     Distance in the unit of length: times are never late, and shapes are at most this far apart at them.
    ///
    /// Returns
    /// -------
    /// Impacts
    ///     Times are fractions of the frame, from 0 to 1.
    fn impact<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
        tolerance: f64,
    ) -> PyResult<Impacts> {
        let mut out = phalanx::Impacts::new();
        self.call::<phalanx::Impacts>([a, b, pairs], (tolerance as f32, &mut out))?;
        Ok(Impacts(out))
    }

    /// Finds how far apart pairs are at the start of the frame: a lower bound that is never above the distance, and an upper one
    /// that is never below it.
    ///
    /// A detector with a margin raises a ValueError. How deep shapes penetrate is the separation of `contact`.
    fn distance<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<Distances> {
        let mut out = phalanx::Distances::new();
        self.call::<phalanx::Distances>([a, b, pairs], (&mut out, None))?;
        Ok(Distances(out))
    }

    /// Finds the distances of pairs, as `distance` does, and two points that are as far apart as the upper bound.
    fn distance_points<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<(Distances, ClosestPoints)> {
        let mut distances = phalanx::Distances::new();
        let mut points = phalanx::ClosestPoints::new();
        let out = (&mut distances, Some(&mut points));
        self.call::<phalanx::Distances>([a, b, pairs], out)?;
        Ok((Distances(distances), ClosestPoints(points)))
    }

    /// Intersection over union of two boxes, for each pair: a float64 array.
    ///
    /// Parameters
    /// ----------
    /// a, b : Aabbs or Obbs, in any mix
    /// pairs : (m, 2) integers, or what `zip` or `one_to_all` returns
    ///
    /// Returns
    /// -------
    /// (m,) float64
    ///     From 0 to 1: 0 for separated boxes and for boxes without a volume, NaN for pairs with an invalid box.
    ///
    /// The volumes are those of the three-dimensional boxes at the start of the frame. Shapes of other kinds raise a TypeError.
    fn iou<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.measured([a, b, pairs], Measure::Iou)
    }

    /// Volume that two boxes have in common, for each pair: a float64 array, in the cube of the unit of length.
    ///
    /// It takes what `iou` takes, and returns 0 for separated boxes, NaN for pairs with an invalid box.
    fn intersection_volume<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        pairs: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        self.measured([a, b, pairs], Measure::Intersection)
    }

    /// Intersection over union of each box of `a` with each of `b`, in float64.
    ///
    /// Parameters
    /// ----------
    /// a, b : Aabbs or Obbs, in any mix
    /// keys : (array of a, array of b), or an array if `a` and `b` are one store
    ///     An integer for each box, such as a frame number: boxes of one frame never meet those of another.
    ///
    /// Returns
    /// -------
    /// (n, m) float64, or with keys a dict from each key to (rows, columns, matrix)
    ///     `rows` and `columns` are the indices of the boxes with the key in `a` and `b`, ascending: `matrix[i, j]` is that of boxes
    ///     `rows[i]` and `columns[j]`. A key of only one store has a matrix without rows or without columns.
    ///
    /// Values are those of `iou`, NaN for invalid boxes. Pairs that groups or bodies filter have 0, except each box with itself if
    /// `a` and `b` are one store. A MemoryError says how large a matrix would be.
    #[pyo3(signature = (a, b, *, keys = None))]
    fn iou_matrix<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = a.py();
        let keys = keys
            .map(|keys| self::keys(keys, a, &[searched("b", b)]))
            .transpose()?;
        let ious = self.ious(a, b, keys.as_ref())?;
        match keys {
            None => Ok(ious.matrix(py)?.into_any()),
            Some(keys) => Ok(ious.by_key(py, &keys)?.into_any()),
        }
    }

    /// Non-maximum suppression: each box suppresses those of a lower score whose IoU with it is above a threshold.
    ///
    /// Parameters
    /// ----------
    /// boxes : Aabbs or Obbs
    /// scores : (n,) numbers of any real dtype
    ///     The score of each box. Of equal scores the lower index comes first.
    /// threshold : float
    ///     The largest IoU of two boxes that both remain, 0 to 1.
    /// keys : array of integers, optional
    ///     Only boxes with equal keys suppress each other: the key is a frame, a class, or both.
    ///
    /// Returns
    /// -------
    /// (k,) int64
    ///     The indices of the boxes that remain, by descending score. Invalid boxes do not remain.
    ///
    /// Boxes that groups or bodies filter do not suppress each other.
    #[pyo3(signature = (boxes, scores, threshold, *, keys = None))]
    fn nms<'py>(
        &self,
        boxes: &Bound<'py, PyAny>,
        scores: &Bound<'py, PyAny>,
        threshold: f64,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        if !(0.0..=1.0).contains(&threshold) {
            return Err(PyValueError::new_err(format!(
                "threshold is {threshold}, not between 0 and 1"
            )));
        }
        volume::check_boxes("boxes", &AnyBorrowed::new("boxes", boxes)?.view()?)?;
        let scores = labels::scores(scores, boxes.len()?)?;
        let keys = keys
            .map(|keys| self::keys(keys, boxes, &[searched("boxes", boxes)]))
            .transpose()?;
        if keys.as_ref().is_some_and(|keys| keys.stores[0].is_some()) {
            return Err(PyValueError::new_err("keys of nms are one array"));
        }
        let ious = self.ious(boxes, boxes, keys.as_ref())?;
        Ok(PyArray1::from_vec(
            boxes.py(),
            ious.suppressed(&scores, threshold),
        ))
    }

    /// Finds for each shape of `a` how far it is from everything in `b`, and the nearest shape of `b` within a radius.
    ///
    /// The nearest shape is that of the least upper bound, of equal ones the lowest index. A small radius is fast: nothing beyond
    /// it is read; MAX_LENGTH is the largest. It is rounded up to float32. Within one store no shape is near itself. Invalid shapes are near nothing, and are
    /// flagged if they are in `a`. Planes and half-spaces may be near, but cannot search.
    ///
    /// `keys` are those of `candidates`: each shape searches the shapes of its key alone.
    #[pyo3(signature = (a, b, radius, *, keys = None))]
    fn nearest<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        radius: f64,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Nearest> {
        let radius = rounded_up(radius);
        let query = |detector: &mut phalanx::Detector,
                     _: usize,
                     a: &View<'_>,
                     b: &View<'_>,
                     out: &mut phalanx::Nearest| {
            dispatch::nearest(detector, a, b, radius, Near::Nearest(out))
        };
        self.search(a, &[searched("b", b)], keys, "are near nothing", query)
            .map(Nearest)
    }

    /// Finds for each shape of `a` the shapes of `b` within a radius, the nearest first: the `most` nearest, or all.
    ///
    /// Parameters
    /// ----------
    /// a, b, radius
    ///     As for `nearest`.
    /// most : int, optional
    ///     The most shapes of a list.
    /// keys
    ///     As for `nearest`.
    ///
    /// Returns
    /// -------
    /// Neighbors
    ///     One list for each shape of `a`, sorted by the upper bound, then by the index of `b`. No shape whose lower bound is within
    ///     the radius is missed.
    #[pyo3(signature = (a, b, radius, most = None, *, keys = None))]
    fn neighbors<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        radius: f64,
        most: Option<usize>,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Neighbors> {
        let (radius, most) = (rounded_up(radius), most.unwrap_or(usize::MAX));
        let query = |detector: &mut phalanx::Detector,
                     _: usize,
                     a: &View<'_>,
                     b: &View<'_>,
                     out: &mut phalanx::Neighbors| {
            dispatch::nearest(detector, a, b, radius, Near::Neighbors(most, out))
        };
        self.search(a, &[searched("b", b)], keys, "are near nothing", query)
            .map(Neighbors)
    }

    /// Broad phase: the pairs whose bounding boxes overlap.
    ///
    /// Parameters
    /// ----------
    /// a, b : stores of shapes with bounds, or a Mesh
    ///     The same store twice pairs each two of its shapes once.
    /// during : "start", "frame" or "way"
    ///     Bounds at the start of the frame, for `overlap` and `contact`, or during all of it, for `sweep` and `impact`. "way"
    ///     replaces the bounds of each shape of `a` by its path, so that a long ray has few pairs.
    /// keys : (array of a, array of b), or an array if `a` and `b` are one store
    ///     An integer for each shape, such as a frame number or timestamp. Only shapes with equal keys are paired: boxes of
    ///     one frame never meet those of another. Strings need a factorization, such as by `numpy.unique` or
    ///     `pandas.factorize`.
    ///
    /// Returns
    /// -------
    /// (m, 2) uint32
    ///     Sorted by the index of `a`, then of `b`.
    ///
    /// Invalid shapes (NaN, a negative size, a rotation that is not a unit quaternion) are in no pair. If there are any, a
    /// RuntimeWarning says how many; a strict detector raises a ValueError that names the first.
    #[pyo3(signature = (a, b, during = "start", *, keys = None))]
    fn candidates<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        during: &str,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let during = self::during(during)?;
        let query =
            |detector: &mut phalanx::Detector,
             _: usize,
             a: &View<'_>,
             b: &View<'_>,
             out: &mut Vec<Pair>| { dispatch::candidates(detector, a, b, during, out) };
        let pairs = self.search(a, &[searched("b", b)], keys, "are in no pair", query)?;
        pairs_array(a.py(), pairs)
    }

    /// Finds what each shape of `a` hits first while all move, in one or more stores: ray casts, shape casts.
    ///
    /// Of equal times the earlier store wins, then the lower index. Invalid shapes are hit by nothing, and are flagged if they
    /// are in `a`. Planes and half-spaces may be hit, but hit nothing.
    ///
    /// `keys` are those of `candidates`, a tuple with an array for `a` and for each store: each shape searches the shapes of its
    /// key alone.
    #[pyo3(signature = (a, *stores, keys = None))]
    fn first_hits<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        stores: &Bound<'py, PyTuple>,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<FirstHits> {
        if stores.is_empty() {
            return Err(PyTypeError::new_err("first_hits needs a store to search"));
        }
        let stores = stores.iter().enumerate();
        let stores: Vec<_> = stores
            .map(|(k, it)| searched(&format!("store {k}"), &it))
            .collect();
        let query = |detector: &mut phalanx::Detector,
                     k: usize,
                     a: &View<'_>,
                     b: &View<'_>,
                     out: &mut phalanx::FirstHits| {
            dispatch::search(detector, a, b, Search::First(out, k > 0))
        };
        self.search(a, &stores, keys, "are hit by nothing", query)
            .map(FirstHits)
    }

    /// Finds the contacts of first hits in one store when they first touch, such as the normals of rays.
    ///
    /// Parameters
    /// ----------
    /// a, b : the stores of the search, unchanged since
    /// firsts : what `first_hits` has returned
    /// store : int
    ///     The number of `b` among the stores of `first_hits`.
    ///
    /// Returns
    /// -------
    /// Contacts
    ///     A contact for each row of `firsts.pairs(store)`, the same as of `sweep_contacts`. Positions are indices of `a`.
    #[pyo3(signature = (a, b, firsts, store = 0))]
    fn hit_contacts<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        firsts: &Bound<'py, FirstHits>,
        store: u8,
    ) -> PyResult<Contacts> {
        let (py, hits) = (a.py(), (&firsts.get().0, store));
        let (a, b) = (AnyBorrowed::new("a", a)?, AnyBorrowed::new("b", b)?);
        let (a, b) = (a.view()?, b.view()?);
        let mut out = phalanx::Contacts::new();
        let found = &mut out;
        py.detach(|| self.with(|detector| dispatch::hit_contacts(detector, &a, &b, hits, found)))?;
        Ok(Contacts(out))
    }

    /// Finds what each shape of `a` hits in `b` while all move, in order of time: the first `most` hits, or all.
    ///
    /// Parameters
    /// ----------
    /// a, b
    ///     As for `first_hits`.
    /// most : int, optional
    ///     The most hits of a list.
    /// keys
    ///     As for `first_hits`.
    ///
    /// Returns
    /// -------
    /// OrderedHits
    ///     One list for each shape of `a`, sorted by the time of entry, then by the index of `b`.
    #[pyo3(signature = (a, b, most = None, *, keys = None))]
    fn ordered_hits<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        most: Option<usize>,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<OrderedHits> {
        let most = most.unwrap_or(usize::MAX);
        let query = |detector: &mut phalanx::Detector,
                     _: usize,
                     a: &View<'_>,
                     b: &View<'_>,
                     out: &mut phalanx::OrderedHits| {
            dispatch::search(detector, a, b, Search::Ordered(most, out))
        };
        self.search(a, &[searched("b", b)], keys, "are hit by nothing", query)
            .map(OrderedHits)
    }

    /// Tests whether each shape of `a` touches anything in `b`, at the `"start"` or during the `"frame"`. The position of an
    /// entry is the index of its shape.
    ///
    /// `keys` are those of `candidates`: each shape is tested with the shapes of its key alone.
    #[pyo3(signature = (a, b, during = "start", *, keys = None))]
    fn meets_any<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        b: &Bound<'py, PyAny>,
        during: &str,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Overlaps> {
        let during = self::during(during)?;
        let query = |detector: &mut phalanx::Detector,
                     _: usize,
                     a: &View<'_>,
                     b: &View<'_>,
                     out: &mut phalanx::Overlaps| {
            dispatch::search(detector, a, b, Search::Any(during, out))
        };
        self.search(a, &[searched("b", b)], keys, "touch nothing", query)
            .map(Overlaps)
    }

    /// Tests whether each point is in the solid that a closed mesh bounds, or on its surface, at the start of the frame. The position
    /// of an entry is the index of its point. For points in boxes, see `overlap` of their `candidates`.
    ///
    /// Parameters
    /// ----------
    /// points : Points
    /// mesh : Mesh
    ///     A closed one: `mesh.is_closed`.
    /// keys : (array of points, array of mesh), optional
    ///     Those of `candidates`: the triangles of each key bound a solid of their own, in which the points of this key are searched. They
    ///     have to be closed. A point of a key without triangles is outside.
    ///
    /// Returns
    /// -------
    /// Overlaps
    ///     Its `mask` is an array (n,) of bool.
    ///
    /// The answer is exact, without a tolerance, also at edges and vertices. A point is inside if a path from it to far away crosses an
    /// odd number of triangles: a shell within a shell is a hollow, and the winding does not matter. Points that are NaN are flagged, with
    /// a RuntimeWarning. Groups and bodies do not apply, and a mesh that is not closed is a ValueError that names an edge.
    #[pyo3(signature = (points, mesh, *, keys = None))]
    fn inside<'py>(
        &self,
        points: &Bound<'py, PyAny>,
        mesh: &Bound<'py, Mesh>,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Overlaps> {
        self.solid(points, mesh, keys, |detector, points, mesh, found| {
            detector.inside(points, mesh, found)
        })
        .map(Overlaps)
    }

    /// Finds the distance of each point from the surface of a closed mesh: positive inside, negative outside.
    ///
    /// Parameters
    /// ----------
    /// points, mesh, keys
    ///     As for `inside`. Points of a key without triangles are as far outside as the radius.
    /// radius : float, optional
    ///     Points farther from the surface, or as far up to rounding, have plus or minus this distance; a small radius is faster. By
    ///     default MAX_LENGTH.
    ///
    /// Returns
    /// -------
    /// (n,) float64
    ///     The sign is that of `inside`, exactly. The size is the distance from the face that `nearest` finds, computed in float64. Another
    ///     face may be nearer by the band of float32. For a bound that is never above the distance, take `lower` of `nearest`. NaN for
    ///     invalid points, with a RuntimeWarning.
    #[pyo3(signature = (points, mesh, radius = None, *, keys = None))]
    fn signed_distance<'py>(
        &self,
        points: &Bound<'py, PyAny>,
        mesh: &Bound<'py, Mesh>,
        radius: Option<f64>,
        keys: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let within = radius.map_or(phalanx::MAX_LENGTH, rounded_up);
        let most = radius.unwrap_or(f64::from(within));
        let signed = self.solid(
            points,
            mesh,
            keys,
            |detector, points, mesh, to: &mut Vec<f64>| {
                let (mut inside, mut nearest) = (phalanx::Overlaps::new(), phalanx::Nearest::new());
                let invalid = detector.inside(points, mesh, &mut inside)?;
                detector.nearest(points, mesh, within, &mut nearest)?;
                to.extend(points.iter().zip(nearest.index()).enumerate().map(
                    |(i, (point, &nearest))| {
                        let distance = match mesh.get(nearest) {
                            _ if inside.is_invalid(i) => f64::NAN,
                            Some(triangle) => {
                                solid::distance(point.position, triangle.corners).min(most)
                            }
                            None => most,
                        };
                        if inside.is_hit(i) {
                            distance
                        } else {
                            -distance
                        }
                    },
                ));
                Ok(invalid)
            },
        )?;
        Ok(PyArray1::from_vec(points.py(), signed))
    }

    /// Builds at load time what queries of a store at rest would build in later calls.
    ///
    /// Returns
    /// -------
    /// int
    ///     Bytes of what the store keeps until it changes; 0 for a view of numpy arrays, which keeps nothing.
    ///
    /// Afterwards no query of the store builds anything, so that no call takes far longer than others. Answers are the same without
    /// it. Planes and half-spaces raise a TypeError.
    fn prepare(&self, a: &Bound<'_, PyAny>) -> PyResult<usize> {
        let py = a.py();
        let a = AnyBorrowed::new("a", a)?;
        let a = a.view()?;
        py.detach(|| self.with(|detector| dispatch::prepare(detector, &a)))
    }

    /// Frees the memory that is kept for later calls.
    fn shrink(&self) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }

    fn __repr__(&self) -> String {
        let Settings {
            simd,
            parallel,
            margin,
            strict,
            approaching,
            ..
        } = self.like.settings();
        let python = |is: bool| if is { "True" } else { "False" };
        format!(
            "phalanx.Detector(parallel={}, margin={margin}, simd={}, strict={}, approaching={})",
            python(parallel),
            simd.lanes(),
            python(strict),
            python(approaching)
        )
    }
}
