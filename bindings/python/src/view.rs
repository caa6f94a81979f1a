//! Kinds of shapes, and the numbers of their stores: columns that live in numpy, in Arrow, or in the store.

use arrow_buffer::ScalarBuffer;
use numpy::ndarray::ArrayView1;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use phalanx::traits::Shape;
use phalanx::{
    Aabb, AabbColumns, Capsule, CapsuleColumns, During, HalfSpace, Obb, ObbColumns, PlacedHull,
    Plane, PlaneColumns, Point, PointColumns, Shapes, Sphere, SphereColumns, Store, StoreRef,
    Triangle, TriangleColumns,
};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::columns::{Angles, Argument, Column, Count, Part, column_name};
use crate::filters::Filters;
use crate::import;
use crate::raised;

/// A kind of shape with its names in Python.
pub trait Named: Shape {
    /// The name of its stores.
    const STORES: &'static str;
    /// Its name in those of functions.
    const NAME: &'static str;
}

impl Named for PlacedHull {
    const STORES: &'static str = "Hulls";
    const NAME: &'static str = "hull";
}

/// A kind of shape whose stores are columns alone.
pub trait Kind: Named {
    /// The arguments of its stores, each with its number of columns.
    const ARGUMENTS: &'static [(&'static str, usize)];

    /// Columns under their names.
    fn named<'a>(columns: impl Iterator<Item = &'a [f32]>) -> Self::Columns<&'a [f32]>;
    /// Columns in the order of the arguments.
    fn listed(columns: Self::Columns<&[f32]>) -> Vec<&[f32]>;
    /// Gives the shapes of a store the turns of others with these indices, if they have any.
    fn copy_turns(
        _to: &mut Store<Self>,
        _from: &StoreRef<'_, Self>,
        _indices: impl Iterator<Item = u32>,
    ) -> Result<(), phalanx::Error> {
        Ok(())
    }
}

/// Takes columns from a list, or adds them to one.
trait Columns<'a> {
    fn take(from: &mut impl Iterator<Item = &'a [f32]>) -> Self;
    fn add(self, to: &mut Vec<&'a [f32]>);
}

impl<'a> Columns<'a> for &'a [f32] {
    fn take(from: &mut impl Iterator<Item = &'a [f32]>) -> Self {
        from.next().unwrap_or_default()
    }
    fn add(self, to: &mut Vec<&'a [f32]>) {
        to.push(self);
    }
}

impl<'a, C: Columns<'a>, const N: usize> Columns<'a> for [C; N] {
    fn take(from: &mut impl Iterator<Item = &'a [f32]>) -> Self {
        std::array::from_fn(|_| C::take(from))
    }
    fn add(self, to: &mut Vec<&'a [f32]>) {
        self.into_iter().for_each(|column| column.add(to));
    }
}

/// Memory of the numbers of a store.
pub enum Data<T: Kind> {
    /// In columns of other owners.
    View(Vec<Column>, Filters),
    /// In a store of the core, which never changes.
    Owned(Box<Store<T>>),
}

impl<T: Kind> Data<T> {
    /// A store of arguments, in their order; those of motion may be missing.
    pub fn of_arguments<'py>(
        py: Python<'py>,
        given: &[Option<&Bound<'py, PyAny>>],
    ) -> PyResult<Self> {
        let mut arguments = Vec::with_capacity(given.len());
        for (&(name, axes), value) in T::ARGUMENTS.iter().zip(given) {
            arguments.push(match value {
                Some(value) => Some(Argument::new(name, axes, value)?),
                None => None,
            });
        }
        Self::assembled(py, arguments)
    }

    /// A store of arguments that are there and of motion that may be missing, each of three columns.
    pub fn of_shapes<'py, const N: usize, const M: usize>(
        py: Python<'py>,
        shape: [Argument; N],
        motion: [(&'static str, Option<&Bound<'py, PyAny>>); M],
    ) -> PyResult<Self> {
        let mut arguments: Vec<_> = shape.into_iter().map(Some).collect();
        for (name, value) in motion {
            let value = value.map(|value| Argument::new(name, 3, value));
            arguments.push(value.transpose()?);
        }
        Self::assembled(py, arguments)
    }

    /// A store of arguments with all their columns.
    pub fn assembled(py: Python<'_>, arguments: Vec<Option<Argument>>) -> PyResult<Self> {
        let mut count = Count::default();
        for argument in arguments.iter().flatten() {
            argument.count(&mut count)?;
        }
        let count = count.get();
        let is_copy = count.is_none() || arguments.iter().flatten().any(|it| it.is_copy);
        let len = count.unwrap_or(1);
        let mut columns = Vec::new();
        for (argument, &(_, axes)) in arguments.into_iter().zip(T::ARGUMENTS) {
            match argument {
                None => columns.extend((0..axes).map(|_| Column::Empty)),
                Some(argument) => {
                    columns.extend(argument.columns.into_iter().map(|part| match part {
                        Part::Column(column, _) => column,
                        Part::Same(x) => Column::Buffer(vec![x; len].into()),
                    }))
                }
            }
        }
        let view = Data::View(columns, Filters::default());
        let lent = view.lend(py)?;
        let checked = lent.view()?;
        if !is_copy {
            drop(checked);
            drop(lent);
            return Ok(view);
        }
        Ok(Data::Owned(Box::new(copied(&checked).map_err(raised)?)))
    }

    /// A store of the fields of what exports Arrow; those of motion may be missing.
    pub fn of_arrow(data: &Bound<'_, PyAny>, extra: &str) -> PyResult<Self> {
        let ignores_extra = import::ignores(extra)?;
        let columns = import::columns(T::STORES, T::ARGUMENTS, data, ignores_extra)?;
        let columns = columns.into_iter().map(|column| match column {
            Some(numbers) => Column::Buffer(numbers),
            None => Column::Empty,
        });
        Ok(Data::View(columns.collect(), Filters::default()))
    }

    /// The store with groups and bodies.
    pub fn filtered(
        mut self,
        py: Python<'_>,
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let len = self.lend(py)?.view()?.len();
        let filters = Filters::new(len, groups, body)?;
        match &mut self {
            Data::View(_, kept) => *kept = filters,
            Data::Owned(store) => filters.write(&mut **store),
        }
        Ok(self)
    }

    /// The numbers, lent to a call.
    pub fn lend<'py>(&'py self, py: Python<'py>) -> PyResult<Borrowed<'py, T>> {
        Ok(match self {
            Data::View(columns, filters) => {
                let places = T::ARGUMENTS
                    .iter()
                    .flat_map(|&(name, axes)| (0..axes).map(move |k| (name, axes, k)));
                let lent = columns.iter().zip(places).map(|(column, (name, axes, k))| {
                    column.lend(py, || column_name(name, axes, k))
                });
                Borrowed::View(lent.collect::<PyResult<_>>()?, filters)
            }
            Data::Owned(store) => Borrowed::Owned(store),
        })
    }

    /// One argument as numpy arrays that share the memory of the store.
    pub fn argument<'py>(
        &self,
        name: &str,
        py: Python<'py>,
        owner: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let arguments = T::ARGUMENTS.iter();
        let first: usize = arguments
            .clone()
            .take_while(|argument| argument.0 != name)
            .map(|argument| argument.1)
            .sum();
        let axes = arguments
            .clone()
            .find(|argument| argument.0 == name)
            .map_or(0, |argument| argument.1);
        let columns = first..first + axes;
        let owned;
        let arrays: Vec<Bound<'py, PyAny>> = match self {
            Data::View(all, _) => all[columns]
                .iter()
                .map(|column| match column {
                    Column::Empty => None,
                    Column::Numpy(array) => Some(Ok(array.bind(py).clone().into_any())),
                    Column::Buffer(numbers) => Some(shared(numbers, owner).map(Bound::into_any)),
                })
                .collect::<Option<PyResult<_>>>()
                .transpose()?
                .unwrap_or_default(),
            Data::Owned(store) => {
                owned = T::listed(store.columns());
                let wanted = owned[columns].iter();
                if wanted.clone().any(|column| column.len() != store.len()) {
                    Vec::new()
                } else {
                    wanted
                        .map(|numbers| shared(numbers, owner).map(Bound::into_any))
                        .collect::<PyResult<_>>()?
                }
            }
        };
        if arrays.is_empty() {
            return Ok(py.None().into_bound(py));
        }
        match <[_; 1]>::try_from(arrays) {
            Ok([array]) => Ok(array),
            Err(arrays) => Ok(PyTuple::new(py, arrays)?.into_any()),
        }
    }
}

/// The center, half extents and rotation of boxes of whole sides and turns about z.
pub fn of_yaw(
    py: Python<'_>,
    [mut center, size]: [Argument; 2],
    angles: &Angles,
    z: &str,
) -> PyResult<[Argument; 3]> {
    let halves = size.columns.into_iter().enumerate().map(|(k, part)| {
        let name = column_name("size", 3, k);
        part.halved(py, &name)
    });
    let size = Argument {
        columns: halves.collect::<PyResult<_>>()?,
        ..size
    };
    match z {
        "middle" => {}
        "bottom" => {
            let height = size.columns[2].numbers(py, "size[2]")?;
            let low = center.columns[2].numbers(py, "center[2]")?;
            center.columns[2] = low.plus(&height)?;
            center.is_copy = true;
        }
        _ => {
            return Err(PyValueError::new_err(format!(
                "z is {z:?}, not \"middle\" or \"bottom\""
            )));
        }
    }
    let (zero, half) = (|| Part::Same(0.0), |angle: f64| 0.5 * angle);
    let rotation = Argument {
        name: "yaw",
        columns: vec![
            zero(),
            zero(),
            angles.map(|angle| half(angle).sin()),
            angles.map(|angle| half(angle).cos()),
        ],
        is_copy: true,
    };
    Ok([center, size, rotation])
}

/// The columns of a table of boxes with yaw angles, in the order of center, size, yaw and motion.
pub fn yaw_columns(
    data: &Bound<'_, PyAny>,
    extra: &str,
) -> PyResult<Vec<Option<ScalarBuffer<f32>>>> {
    const ARGUMENTS: [(&str, usize); 5] = [
        ("center", 3),
        ("size", 3),
        ("yaw", 1),
        ("displacement", 3),
        ("turn", 3),
    ];
    import::columns(Obb::STORES, &ARGUMENTS, data, import::ignores(extra)?)
}

/// A numpy array of numbers that `owner` holds and never changes, which cannot be written.
pub fn shared<'py, X: numpy::Element>(
    numbers: &[X],
    owner: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<X>>> {
    let view = ArrayView1::from(numbers);
    // SAFETY: the numbers belong to `owner`, a frozen object of this module that neither changes nor moves them
    // while it lives, and the array keeps it alive. The array is made read-only before any caller has it.
    let array = unsafe { PyArray1::borrow_from_array(&view, owner.clone()) };
    array.call_method1(intern!(owner.py(), "setflags"), (false,))?;
    Ok(array)
}

/// The groups of each shape, and those that it meets: an array (n, 2).
pub fn groups_array<'py, T: Shape>(
    py: Python<'py>,
    view: &StoreRef<'_, T>,
) -> PyResult<Bound<'py, PyArray2<u32>>> {
    let groups = (0..view.len() as u32).filter_map(|i| view.groups(i));
    let bits: Vec<u32> = groups
        .flat_map(|groups| [groups.is, groups.meets])
        .collect();
    PyArray1::from_vec(py, bits).reshape([view.len(), 2])
}

/// The body of each shape.
pub fn bodies_array<'py, T: Shape>(
    py: Python<'py>,
    view: &StoreRef<'_, T>,
) -> Bound<'py, PyArray1<u32>> {
    let bodies = (0..view.len() as u32).filter_map(|i| view.body(i));
    PyArray1::from_vec(py, bodies.collect())
}

/// A copy of shapes with all their motion, groups and bodies.
pub fn copied<T: Kind>(view: &StoreRef<'_, T>) -> Result<Store<T>, phalanx::Error> {
    taken(view, 0..view.len() as u32)
}

/// A copy of the shapes with these indices, which are below the length.
pub fn taken<T: Kind>(
    view: &StoreRef<'_, T>,
    indices: impl Iterator<Item = u32> + Clone,
) -> Result<Store<T>, phalanx::Error> {
    let mut store = Store::new();
    let shapes = indices
        .clone()
        .map(|i| view.get(i).zip(view.displacement(i)));
    store.extend_moving(shapes.flatten());
    T::copy_turns(&mut store, view, indices.clone())?;
    Filters::taken(view, indices).write(&mut store);
    Ok(store)
}

/// A store while a call reads it.
pub enum Borrowed<'py, T: Kind> {
    /// Columns of other owners.
    View(Vec<&'py [f32]>, &'py Filters),
    /// A store of the core.
    Owned(&'py Store<T>),
}

impl<T: Kind> Borrowed<'_, T> {
    /// The shapes, as the core takes them.
    pub fn view(&self) -> PyResult<StoreRef<'_, T>> {
        match self {
            Borrowed::View(columns, filters) => {
                let view = StoreRef::new(T::named(columns.iter().copied()));
                filters.of(view.map_err(raised)?)
            }
            Borrowed::Owned(store) => Ok(store.view()),
        }
    }
}

/// Calls a macro with each kind of shape: its name, its stores, its columns, and its name in functions.
macro_rules! shapes {
    ($use:ident) => {
        $use! {
            Point, Points, "point";
            Sphere, Spheres, "sphere";
            Capsule, Capsules, "capsule";
            Aabb, Aabbs, "aabb";
            Obb, Obbs, "obb";
            Triangle, Triangles, "triangle";
            Plane, Planes, "plane";
            HalfSpace, HalfSpaces, "half_space";
        }
    };
}
pub(crate) use shapes;

/// Declares how a kind names its columns.
macro_rules! kind {
    (
        $shape:ident, $stores:ident, $columns:ident, $name:literal { $($field:ident: $axes:literal),* }
        $($turns:item)?
    ) => {
        impl Named for $shape {
            const STORES: &'static str = stringify!($stores);
            const NAME: &'static str = $name;
        }

        impl Kind for $shape {
            const ARGUMENTS: &'static [(&'static str, usize)] = &[$((stringify!($field), $axes)),*];

            fn named<'a>(mut columns: impl Iterator<Item = &'a [f32]>) -> Self::Columns<&'a [f32]> {
                $columns { $($field: Columns::take(&mut columns)),* }
            }
            fn listed(columns: Self::Columns<&[f32]>) -> Vec<&[f32]> {
                let mut list = Vec::new();
                $(columns.$field.add(&mut list);)*
                list
            }
            $($turns)?
        }
    };
}

kind!(Point, Points, PointColumns, "point" { position: 3, displacement: 3 });
kind!(Sphere, Spheres, SphereColumns, "sphere" { center: 3, radius: 1, displacement: 3 });
kind!(Capsule, Capsules, CapsuleColumns, "capsule" { center: 3, half_axis: 3, radius: 1, displacement: 3 });
kind!(Aabb, Aabbs, AabbColumns, "aabb" { min: 3, max: 3, displacement: 3 });
kind!(Triangle, Triangles, TriangleColumns, "triangle" { corners: 9, displacement: 3 });
kind!(Plane, Planes, PlaneColumns, "plane" { normal: 3, d: 1, displacement: 3 });
kind!(HalfSpace, HalfSpaces, PlaneColumns, "half_space" { normal: 3, d: 1, displacement: 3 });
kind!(Obb, Obbs, ObbColumns, "obb" {
    center: 3, half_extents: 3, rotation: 4, displacement: 3, turn: 3
}
    fn copy_turns(
        to: &mut Store<Self>,
        from: &StoreRef<'_, Self>,
        indices: impl Iterator<Item = u32>,
    ) -> Result<(), phalanx::Error> {
        for (index, of) in (0..).zip(indices) {
            to.set_turn(index, from.turn(of).unwrap_or_default())?;
        }
        Ok(())
    }
);

/// The times of the frame that a name stands for.
pub fn during(name: &str) -> PyResult<During> {
    match name {
        "start" => Ok(During::Start),
        "frame" => Ok(During::Frame),
        "way" => Ok(During::Way),
        _ => Err(PyValueError::new_err(format!(
            "during is {name:?}, not \"start\", \"frame\" or \"way\""
        ))),
    }
}
