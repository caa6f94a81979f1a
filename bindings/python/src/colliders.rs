//! Colliders from Python values: rows of numbers, poses, marks, ids and filters of a scene.

use numpy::{PyArray1, PyArrayMethods};
use phalanx::{Collider, ColliderId, Filter, Groups, Mark, NO_BODY, Pose, Role};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::columns::{Angles, Argument, Count, Numbers, aligned, as_numpy, shape_of, type_of};
use crate::filters::{Filters, UNMASK, integers};
use crate::poses::Doubles;

/// A value for each collider of a call, or one for all.
pub enum Each<X> {
    Each(Vec<X>),
    Same(X),
}

impl<X: Copy> Each<X> {
    pub fn at(&self, row: usize) -> X {
        match self {
            Each::Each(values) => values[row],
            Each::Same(value) => *value,
        }
    }

    fn count(&self, name: &str, count: &mut Count) -> PyResult<()> {
        match self {
            Each::Each(values) => count.add(name.to_owned(), values.len()),
            Each::Same(_) => Ok(()),
        }
    }
}

/// Rows of columns of one length, which is the only one in `count`.
fn rows<X: Copy + Default, const N: usize>(columns: Vec<Each<X>>, count: &Count) -> Each<[X; N]> {
    let row = |i: usize| {
        let mut row = [X::default(); N];
        for (to, column) in row.iter_mut().zip(&columns) {
            *to = column.at(i);
        }
        row
    };
    match count.get() {
        Some(len) => Each::Each((0..len).map(row).collect()),
        None => Each::Same(row(0)),
    }
}

/// `N` numbers of float32 for each collider, as a store takes them.
pub fn vectors<const N: usize>(
    name: &'static str,
    value: &Bound<'_, PyAny>,
    count: &mut Count,
) -> PyResult<Each<[f32; N]>> {
    let argument = Argument::new(name, N, value)?;
    let mut own = Count::default();
    argument.count(&mut own)?;
    argument.count(count)?;
    let mut columns = Vec::with_capacity(N);
    for part in &argument.columns {
        columns.push(match part.numbers(value.py(), name)? {
            Numbers::Each(numbers) => Each::Each(numbers),
            Numbers::Same(number) => Each::Same(number),
        });
    }
    Ok(rows(columns, &own))
}

/// A number of float32 for each collider.
pub fn scalars(
    name: &'static str,
    value: &Bound<'_, PyAny>,
    count: &mut Count,
) -> PyResult<Each<f32>> {
    Ok(match vectors::<1>(name, value, count)? {
        Each::Each(rows) => Each::Each(rows.into_flattened()),
        Each::Same([number]) => Each::Same(number),
    })
}

/// Positions in float64: an array (n, 3) of any real dtype, or a tuple of 3 columns or numbers.
pub fn positions(
    name: &str,
    value: &Bound<'_, PyAny>,
    count: &mut Count,
) -> PyResult<Each<[f64; 3]>> {
    let Ok(parts) = value.cast::<PyTuple>() else {
        let found = Doubles::new(name, value, true)?;
        if !matches!(found.shape.as_slice(), [0] | [_, 3]) {
            return Err(PyValueError::new_err(format!(
                "{name} has shape {}, not (n, 3)",
                found.text
            )));
        }
        let rows = found.numbers.as_chunks::<3>().0.to_vec();
        count.add(name.to_owned(), rows.len())?;
        return Ok(Each::Each(rows));
    };
    if parts.len() != 3 {
        return Err(PyValueError::new_err(format!(
            "{name} is a tuple of {}, not of 3 columns",
            parts.len()
        )));
    }
    let (mut own, mut columns) = (Count::default(), Vec::with_capacity(3));
    for (k, part) in parts.iter().enumerate() {
        let name = format!("{name}[{k}]");
        let column = match Angles::new(&name, &part)? {
            Angles::Each(numbers) => Each::Each(numbers),
            Angles::Same(number) => Each::Same(number),
        };
        column.count(&name, &mut own)?;
        column.count(&name, count)?;
        columns.push(column);
    }
    Ok(rows(columns, &own))
}

/// One position in float64: three numbers.
pub fn position(name: &str, value: &Bound<'_, PyAny>) -> PyResult<[f64; 3]> {
    let found = Doubles::new(name, value, true)?;
    if found.shape != [3] {
        return Err(PyValueError::new_err(format!(
            "{name} has shape {}, not (3,)",
            found.text
        )));
    }
    Ok([found.numbers[0], found.numbers[1], found.numbers[2]])
}

/// Poses of the colliders of a call.
pub struct Poses {
    pub positions: Each<[f64; 3]>,
    /// `None` if no rotations were given.
    pub rotations: Option<Each<[f32; 4]>>,
}

impl Poses {
    pub fn new(
        position: &Bound<'_, PyAny>,
        rotation: Option<&Bound<'_, PyAny>>,
        count: &mut Count,
    ) -> PyResult<Self> {
        let positions = positions("position", position, count)?;
        let rotations = rotation.map(|rotation| vectors("rotation", rotation, count));
        Ok(Poses {
            positions,
            rotations: rotations.transpose()?,
        })
    }

    /// A pose, without a rotation if none were given.
    pub fn at(&self, row: usize) -> Pose {
        let mut pose = Pose::at(self.positions.at(row));
        if let Some(rotations) = &self.rotations {
            pose.rotation = rotations.at(row);
        }
        pose
    }
}

/// The name of a role in Python.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::Moving => "moving",
        Role::Fixed => "fixed",
        Role::Sensor => "sensor",
    }
}

fn role_of(place: impl FnOnce() -> String, value: &Bound<'_, PyAny>) -> PyResult<Role> {
    let Ok(name) = value.extract::<String>() else {
        let (place, kind) = (place(), type_of(value));
        return Err(PyTypeError::new_err(format!(
            "{place} is of type {kind}, not a string"
        )));
    };
    match name.as_str() {
        "moving" => Ok(Role::Moving),
        "fixed" => Ok(Role::Fixed),
        "sensor" => Ok(Role::Sensor),
        _ => {
            let place = place();
            Err(PyValueError::new_err(format!(
                "{place} is {name:?}, not \"moving\", \"fixed\" or \"sensor\""
            )))
        }
    }
}

/// Fails unless an argument has a value for each of `len` colliders.
fn check_len(name: &str, given: usize, len: usize) -> PyResult<()> {
    if given == len {
        return Ok(());
    }
    Err(PyValueError::new_err(format!(
        "{name} has shape ({given},), not ({len},) or ()"
    )))
}

fn roles(value: &Bound<'_, PyAny>, len: usize) -> PyResult<Each<Role>> {
    if value.is_instance_of::<PyString>() || !value.hasattr("__len__")? {
        return Ok(Each::Same(role_of(|| "role".to_owned(), value)?));
    }
    let mut roles = Vec::new();
    for (row, item) in value.try_iter()?.enumerate() {
        roles.push(role_of(|| format!("role[{row}]"), &item?)?);
    }
    check_len("role", roles.len(), len)?;
    Ok(Each::Each(roles))
}

fn flags(name: &str, value: &Bound<'_, PyAny>, len: usize) -> PyResult<Each<bool>> {
    if let Ok(flag) = value.extract::<bool>() {
        return Ok(Each::Same(flag));
    }
    let array = as_numpy(name, value, UNMASK)?;
    let Ok(column) = array.cast::<PyArray1<bool>>() else {
        return Err(PyTypeError::new_err(format!(
            "{name} is an array of {} of shape {}, not a bool or an array ({len},) of bool",
            numpy::PyUntypedArrayMethods::dtype(&array),
            shape_of(&array)
        )));
    };
    let column = column.try_readonly()?;
    let flags = column.as_array().to_vec();
    check_len(name, flags.len(), len)?;
    Ok(Each::Each(flags))
}

fn entities(value: &Bound<'_, PyAny>, len: usize) -> PyResult<Each<u64>> {
    let numbers = integers("entity", value)?;
    let mut entities = Vec::with_capacity(numbers.values.len());
    for (row, &x) in numbers.values.iter().enumerate() {
        entities.push(u64::try_from(x).map_err(|_| {
            PyValueError::new_err(format!(
                "entity[{row}] has {x}, not a number from 0 to 2**64 - 1"
            ))
        })?);
    }
    match numbers.shape.as_slice() {
        [] => Ok(Each::Same(entities[0])),
        [given] => {
            check_len("entity", *given, len)?;
            Ok(Each::Each(entities))
        }
        _ => Err(PyValueError::new_err(format!(
            "entity has shape {}, not ({len},) or ()",
            numbers.text
        ))),
    }
}

/// Marks of colliders, as far as a call gives them.
pub struct Marks {
    role: Option<Each<Role>>,
    filters: Filters,
    is_swept: Option<Each<bool>>,
    entity: Option<Each<u64>>,
}

/// The arguments of marks, each missing or for the colliders of a call.
pub struct MarkArguments<'a, 'py> {
    pub role: Option<&'a Bound<'py, PyAny>>,
    pub groups: Option<&'a Bound<'py, PyAny>>,
    pub body: Option<&'a Bound<'py, PyAny>>,
    pub is_swept: Option<&'a Bound<'py, PyAny>>,
    pub entity: Option<&'a Bound<'py, PyAny>>,
}

impl Marks {
    pub fn new(len: usize, given: &MarkArguments<'_, '_>) -> PyResult<Self> {
        let is_swept = given.is_swept.map(|value| flags("is_swept", value, len));
        Ok(Marks {
            role: given.role.map(|value| roles(value, len)).transpose()?,
            filters: Filters::new(len, given.groups, given.body)?,
            is_swept: is_swept.transpose()?,
            entity: given.entity.map(|value| entities(value, len)).transpose()?,
        })
    }

    /// A mark with the values that were given, and the others of `mark`.
    pub fn at(&self, row: usize, mark: Mark) -> Mark {
        Mark {
            role: self.role.as_ref().map_or(mark.role, |it| it.at(row)),
            groups: *self.filters.groups.get(row).unwrap_or(&mark.groups),
            body: *self.filters.bodies.get(row).unwrap_or(&mark.body),
            is_swept: self
                .is_swept
                .as_ref()
                .map_or(mark.is_swept, |it| it.at(row)),
            entity: self.entity.as_ref().map_or(mark.entity, |it| it.at(row)),
        }
    }
}

/// The ids of a value: one, or an array (n,) of integers.
pub fn ids(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<ColliderId>> {
    let of_bits = |bits: &u64| ColliderId::from_bits(*bits);
    let array = aligned(as_numpy(name, value, UNMASK)?)?;
    if let Ok(column) = array.cast::<PyArray1<u64>>() {
        let column = column.try_readonly()?;
        return Ok(column.as_array().iter().map(of_bits).collect());
    }
    let numbers = integers(name, array.as_any())?;
    if numbers.shape.len() > 1 {
        return Err(PyValueError::new_err(format!(
            "{name} has shape {}, not (n,) or ()",
            numbers.text
        )));
    }
    let mut ids = Vec::with_capacity(numbers.values.len());
    for (row, &x) in numbers.values.iter().enumerate() {
        let bits = u64::try_from(x).map_err(|_| {
            PyValueError::new_err(format!(
                "{name}[{row}] is {x}: the scene has no such collider"
            ))
        })?;
        ids.push(ColliderId::from_bits(bits));
    }
    Ok(ids)
}

/// The colliders that a search considers.
pub struct Admitted {
    groups: Groups,
    body: u32,
    hits_sensors: bool,
    without: Vec<ColliderId>,
}

impl Admitted {
    pub fn new(
        groups: Option<&Bound<'_, PyAny>>,
        body: Option<&Bound<'_, PyAny>>,
        hits_sensors: bool,
        without: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let filters = Filters::new(1, groups, body)?;
        let without = without.map(|value| ids("without", value)).transpose()?;
        Ok(Admitted {
            groups: *filters.groups.first().unwrap_or(&Groups::ALL),
            body: *filters.bodies.first().unwrap_or(&NO_BODY),
            hits_sensors,
            without: without.unwrap_or_default(),
        })
    }

    pub fn filter(&self) -> Filter<'_> {
        Filter {
            groups: self.groups,
            body: self.body,
            hits_sensors: self.hits_sensors,
            without: &self.without,
            ..Filter::ALL
        }
    }
}

/// A `Collider` for all rows of a call, or a list with one for each.
pub fn colliders_of(value: &Bound<'_, PyAny>, count: &mut Count) -> PyResult<Each<Collider>> {
    if let Ok(one) = value.extract::<AnyCollider>() {
        return Ok(Each::Same(one.0));
    }
    let Ok(list) = value.extract::<Vec<AnyCollider>>() else {
        return Err(PyTypeError::new_err(format!(
            "collider is of type {}, not a Collider or a list of them",
            type_of(value)
        )));
    };
    count.add("collider".to_owned(), list.len())?;
    Ok(Each::Each(list.into_iter().map(|it| it.0).collect()))
}

/// The shape of a collider that is not in a scene, around its own origin: it searches a `Scene` from poses.
#[pyclass(frozen, eq, from_py_object, module = "phalanx", name = "Collider")]
#[derive(Clone, PartialEq)]
pub struct AnyCollider(pub Collider);

/// The only row of an argument.
fn one<X: Copy>(rows: &Each<X>, name: &str) -> PyResult<X> {
    match rows {
        Each::Same(row) => Ok(*row),
        Each::Each(rows) => match rows.as_slice() {
            [row] => Ok(*row),
            rows => Err(PyValueError::new_err(format!(
                "{name} is for {} shapes, but a collider is one",
                rows.len()
            ))),
        },
    }
}

fn vector<const N: usize>(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<[f32; N]> {
    one(&vectors(name, value, &mut Count::default())?, name)
}

fn scalar(name: &'static str, value: &Bound<'_, PyAny>) -> PyResult<f32> {
    one(&scalars(name, value, &mut Count::default())?, name)
}

#[pymethods]
impl AnyCollider {
    /// A sphere.
    #[staticmethod]
    fn sphere(radius: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(AnyCollider(Collider::Sphere(scalar("radius", radius)?)))
    }

    /// A capsule: all within `radius` of the segment from `-half_axis` to `half_axis`.
    #[staticmethod]
    fn capsule(half_axis: &Bound<'_, PyAny>, radius: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(AnyCollider(Collider::Capsule {
            half_axis: vector("half_axis", half_axis)?,
            radius: scalar("radius", radius)?,
        }))
    }

    /// A box along the axes of the world: rotations of its pose are ignored.
    #[staticmethod]
    fn aabb(half_extents: &Bound<'_, PyAny>) -> PyResult<Self> {
        let half_extents = vector("half_extents", half_extents)?;
        Ok(AnyCollider(Collider::Aabb(half_extents)))
    }

    /// A box that its pose rotates.
    #[staticmethod]
    fn obb(half_extents: &Bound<'_, PyAny>) -> PyResult<Self> {
        let half_extents = vector("half_extents", half_extents)?;
        Ok(AnyCollider(Collider::Obb(half_extents)))
    }

    /// A triangle of three corners, an array (1, 3, 3) or (1, 9).
    #[staticmethod]
    fn triangle(corners: &Bound<'_, PyAny>) -> PyResult<Self> {
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = vector("corners", corners)?;
        let corners = [[ax, ay, az], [bx, by, bz], [cx, cy, cz]];
        Ok(AnyCollider(Collider::Triangle(corners)))
    }

    /// A hull of a kind, as `Scene.add_hull_kinds` returns it.
    #[staticmethod]
    fn hull(kind: u32) -> Self {
        AnyCollider(Collider::Hull(kind))
    }

    fn __reduce__<'py>(this: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Vec<u8>,))> {
        let saved = postcard::to_allocvec(&this.get().0);
        let saved = saved.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((this.get_type().getattr("_remade")?, (saved,)))
    }

    #[staticmethod]
    fn _remade(saved: Vec<u8>) -> PyResult<Self> {
        let collider = postcard::from_bytes(&saved);
        collider.map(AnyCollider).map_err(not_saved)
    }

    fn __repr__(&self) -> String {
        format!("<phalanx.Collider {:?}>", self.0)
    }
}

/// The error for bytes that are no pickle of this version.
pub fn not_saved(error: postcard::Error) -> PyErr {
    PyValueError::new_err(format!("not a pickle of this version of phalanx: {error}"))
}
