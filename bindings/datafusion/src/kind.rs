//! The kinds of shapes, and the struct columns that they come in.

use std::fmt;

use arrow::datatypes::{DataType, Fields};
use datafusion_common::{Result, plan_err};

/// A kind of shape, which comes in a struct column. A `Triangle` is none yet: a column of `Float64` corners rounds to a
/// triangle that may not contain the given one, and no kernel widens it.
///
/// The fields are found by name, in any order; names are case-sensitive, and there are no others. Each is a
/// `Float32`, a `Float64` or an integer. Motion, `dx`, `dy` and `dz`, is there in all three numbers or in none.
/// Each field has a full name, too, that of the Python wheel: see [`Kind::full_fields`].
///
/// | kind | name | fields |
/// |---|---|---|
/// | `Point` | `point` | `x`, `y`, `z` |
/// | `Sphere` | `sphere` | `x`, `y`, `z`, `r` |
/// | `Capsule` | `capsule` | `x`, `y`, `z`, `ax`, `ay`, `az`, `r`: the middle, from there to one end, the radius |
/// | `Aabb` | `aabb` | `min_x`, `min_y`, `min_z`, `max_x`, `max_y`, `max_z` |
/// | `Obb` | `obb` | `x`, `y`, `z`, `hx`, `hy`, `hz`, `qx`, `qy`, `qz`, `qw`: the center, half extents, a quaternion |
/// | `Plane` | `plane` | `nx`, `ny`, `nz`, `d`: the points with n · p + d = 0 |
/// | `HalfSpace` | `half_space` | `nx`, `ny`, `nz`, `d`: the points with n · p + d ≤ 0 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A point, which is a ray when it moves.
    Point,
    /// A ball.
    Sphere,
    /// All within a radius of a segment.
    Capsule,
    /// A box along the axes.
    Aabb,
    /// A box in any orientation.
    Obb,
    /// A plane, touched from either side.
    Plane,
    /// All below a plane.
    HalfSpace,
}

/// How a shape moves during the frame.
pub(crate) const MOTION: [&str; 3] = ["dx", "dy", "dz"];

/// The full names of the motion.
const FULL_MOTION: [&str; 3] = ["displacement_x", "displacement_y", "displacement_z"];

/// The short and the full name of a field.
pub(crate) type Names = [&'static str; 2];

impl Kind {
    /// Every kind of shape.
    pub const ALL: [Kind; 7] = [
        Kind::Point,
        Kind::Sphere,
        Kind::Capsule,
        Kind::Aabb,
        Kind::Obb,
        Kind::Plane,
        Kind::HalfSpace,
    ];

    /// The name of the kind in the names of functions.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Point => "point",
            Kind::Sphere => "sphere",
            Kind::Capsule => "capsule",
            Kind::Aabb => "aabb",
            Kind::Obb => "obb",
            Kind::Plane => "plane",
            Kind::HalfSpace => "half_space",
        }
    }

    /// The fields of the struct, but for those of the motion.
    pub const fn fields(self) -> &'static [&'static str] {
        match self {
            Kind::Point => &["x", "y", "z"],
            Kind::Sphere => &["x", "y", "z", "r"],
            Kind::Capsule => &["x", "y", "z", "ax", "ay", "az", "r"],
            Kind::Aabb => &["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"],
            Kind::Obb => &["x", "y", "z", "hx", "hy", "hz", "qx", "qy", "qz", "qw"],
            Kind::Plane | Kind::HalfSpace => &["nx", "ny", "nz", "d"],
        }
    }

    /// The full names of the fields, in the order of [`fields`](Self::fields): each field has either name.
    ///
    /// ```
    /// use phalanx_datafusion::Kind;
    ///
    /// assert_eq!(Kind::Sphere.fields(), ["x", "y", "z", "r"]);
    /// assert_eq!(Kind::Sphere.full_fields(), ["center_x", "center_y", "center_z", "radius"]);
    /// ```
    pub const fn full_fields(self) -> &'static [&'static str] {
        match self {
            Kind::Point => &["position_x", "position_y", "position_z"],
            Kind::Sphere => &["center_x", "center_y", "center_z", "radius"],
            Kind::Capsule => &[
                "center_x",
                "center_y",
                "center_z",
                "half_axis_x",
                "half_axis_y",
                "half_axis_z",
                "radius",
            ],
            Kind::Aabb => &["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"],
            Kind::Obb => &[
                "center_x",
                "center_y",
                "center_z",
                "half_extents_x",
                "half_extents_y",
                "half_extents_z",
                "rotation_x",
                "rotation_y",
                "rotation_z",
                "rotation_w",
            ],
            Kind::Plane | Kind::HalfSpace => &["normal_x", "normal_y", "normal_z", "d"],
        }
    }

    /// The names of the fields, and of the motion after them.
    pub(crate) fn names(self) -> impl Iterator<Item = Names> {
        let short = self.fields().iter().chain(&MOTION);
        let full = self.full_fields().iter().chain(&FULL_MOTION);
        short.zip(full).map(|(short, full)| [*short, *full])
    }

    /// Whether shapes of this kind have an end, and so fall into cells.
    pub const fn is_bounded(self) -> bool {
        !matches!(self, Kind::Plane | Kind::HalfSpace)
    }
}

/// Where an argument stands: the function, and which argument of it.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub function: &'a str,
    /// Counted from 0.
    pub argument: usize,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, argument {}", self.function, self.argument + 1)
    }
}

/// Whether numbers of this type can be read.
fn is_number(data_type: &DataType) -> bool {
    use DataType::*;
    data_type.is_integer() || matches!(data_type, Float32 | Float64)
}

/// Checks that an argument is a struct with the fields of a kind.
pub(crate) fn check(place: Place<'_>, kind: Kind, data_type: &DataType) -> Result<()> {
    let (name, needed) = (kind.name(), kind.fields());
    let fields = match data_type {
        DataType::Null => return Ok(()),
        DataType::Struct(fields) => fields,
        other => {
            let list = needed.join(", ");
            return plan_err!(
                "{place}: a {name} is a struct of {list}, but this is of type {other}"
            );
        }
    };
    let number_of = |field: &str| kind.names().position(|names| names.contains(&field));
    for (at, field) in fields.iter().enumerate() {
        let field_name = field.name().as_str();
        let Some(number) = number_of(field_name) else {
            let list = needed.join(", ");
            return plan_err!(
                "{place}: a {name} has no field {field_name:?}, only {list} and its motion dx, dy, dz, or their full names"
            );
        };
        let mut before = fields[..at].iter().map(|it| it.name().as_str());
        if let Some(other) = before.find(|other| number_of(other) == Some(number)) {
            return if other == field_name {
                plan_err!("{place}: the {name} has two fields {field_name:?}")
            } else {
                plan_err!("{place}: the {name} has both {other:?} and {field_name:?}")
            };
        }
        if !is_number(field.data_type()) {
            return plan_err!(
                "{place}: field {field_name:?} of the {name} is of type {}, not Float32, Float64 or an integer",
                field.data_type()
            );
        }
    }
    let count = needed.len();
    let moves = fields
        .iter()
        .any(|field| number_of(field.name()).is_some_and(|number| number >= count));
    let wanted = if moves { count + MOTION.len() } else { count };
    for names in kind.names().take(wanted) {
        if position(fields, names, 0).is_none() {
            return plan_err!("{place}: the {name} lacks the field {:?}", names[0]);
        }
    }
    Ok(())
}

/// Position of a field, under either name, most likely at `guess`.
pub(crate) fn position(fields: &Fields, names: Names, guess: usize) -> Option<usize> {
    let is_it = |name: &String| names.contains(&name.as_str());
    match fields.get(guess) {
        Some(field) if is_it(field.name()) => Some(guess),
        _ => fields.iter().position(|field| is_it(field.name())),
    }
}
