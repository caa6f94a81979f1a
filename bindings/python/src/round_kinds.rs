//! `cylinder` and `cone`: kinds of hulls that are round.

use phalanx::HullKinds;
use pyo3::prelude::*;
use pyo3::types::PyAny;

use crate::hulls::refused;

/// A kind of hulls that is a cylinder or a cone, as `cylinder` and `cone` return it: one of the `kinds` of `Hulls`.
#[pyclass(frozen, eq, module = "phalanx")]
#[derive(PartialEq)]
pub struct RoundKind {
    name: &'static str,
    /// The radius of the disc, or of both.
    #[pyo3(get)]
    radius: f32,
    /// Half of the height.
    #[pyo3(get)]
    half_height: f32,
}

impl RoundKind {
    fn new(name: &'static str, radius: f32, half_height: f32) -> PyResult<Self> {
        let kind = RoundKind {
            name,
            radius,
            half_height,
        };
        kind.add(&mut HullKinds::new(), 0.0, name)?;
        Ok(kind)
    }

    /// The kind of both discs of `HullKinds`.
    pub fn of_discs([[_, radius], [half_height, second]]: [[f32; 2]; 2]) -> Self {
        RoundKind {
            name: if second == 0.0 { "cone" } else { "cylinder" },
            radius,
            half_height,
        }
    }

    /// Adds the kind, rounded. An error names the argument.
    pub fn add(&self, kinds: &mut HullKinds, rounding: f32, name: &str) -> PyResult<u32> {
        let added = match self.name {
            "cone" => kinds.add_cone(self.radius, self.half_height, rounding),
            _ => kinds.add_cylinder(self.radius, self.half_height, rounding),
        };
        added.map_err(|error| refused(name, error))
    }
}

#[pymethods]
impl RoundKind {
    fn __repr__(&self) -> String {
        format!(
            "phalanx.{}({:?}, {:?})",
            self.name, self.radius, self.half_height
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (f32, f32))> {
        let make = py.import("phalanx")?.getattr(self.name)?;
        Ok((make, (self.radius, self.half_height)))
    }
}

/// Returns the kind of cylinders around the z axis, as in URDF files: one of the `kinds` of `Hulls`.
///
/// Parameters
/// ----------
/// radius, half_height : float
///     The cylinder reaches from `-half_height` to `half_height`. It is round: no query takes a polygon for it. `radii` of `Hulls` rounds its
///     edges.
///
/// Raises
/// ------
/// ValueError
///     For a number that is NaN, infinite, negative or above `MAX_LENGTH`.
#[pyfunction]
pub fn cylinder(radius: f32, half_height: f32) -> PyResult<RoundKind> {
    RoundKind::new("cylinder", radius, half_height)
}

/// Returns the kind of cones around the z axis: one of the `kinds` of `Hulls`.
///
/// Parameters
/// ----------
/// radius, half_height : float
///     The base has this radius and is at `-half_height`, the apex is at `half_height`.
///
/// Raises
/// ------
/// ValueError
///     As `cylinder`.
#[pyfunction]
pub fn cone(radius: f32, half_height: f32) -> PyResult<RoundKind> {
    RoundKind::new("cone", radius, half_height)
}
