//! The Python module `phalanx._phalanx`: stores, detectors and answers for numpy and Arrow.

mod answers;
mod any_store;
mod arrow;
mod arrow_array;
mod colliders;
mod columns;
mod copy_on_write;
mod detector;
mod dispatch;
mod filters;
mod hulls;
mod import;
mod interface;
mod keyed;
mod labels;
mod mesh;
mod pairs;
mod poses;
mod round_kinds;
mod saved;
mod scene;
mod scene_answers;
mod solid;
mod stores;
mod upright;
mod vector;
mod view;
mod volume;

use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;

/// The exception for an error of the core, with its message. Any variant without an arm, also one that the core adds
/// later, is a ValueError.
pub(crate) fn raised(error: phalanx::Error) -> PyErr {
    match error {
        phalanx::Error::PairOutOfBounds { .. } | phalanx::Error::IndexOutOfBounds { .. } => {
            PyIndexError::new_err(error.to_string())
        }
        phalanx::Error::OutOfMemory { .. } | phalanx::Error::MeshOutOfMemory { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Batch collision detection.
#[pymodule]
mod _phalanx {
    #[pymodule_export]
    use crate::answers::{
        ClosestPoints, Contacts, Distances, FirstHits, Impacts, Nearest, Neighbors, OrderedHits,
        Overlaps, Sweeps,
    };
    #[pymodule_export]
    use crate::arrow::arrow_call;
    #[pymodule_export]
    use crate::arrow_array::ArrowArray;
    #[pymodule_export]
    use crate::colliders::AnyCollider;
    #[pymodule_export]
    use crate::detector::Detector;
    #[pymodule_export]
    use crate::dispatch::{instruction_sets, kernels};
    #[pymodule_export]
    use crate::hulls::{Hulls, outer_hull};
    #[pymodule_export]
    use crate::mesh::Mesh;
    #[pymodule_export]
    use crate::pairs::{Pairs, one_to_all, zip};
    #[pymodule_export]
    use crate::round_kinds::{RoundKind, cone, cylinder};
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::scene_answers::{CastHits, ColliderDistances, SceneContacts, SweepHits};
    #[pymodule_export]
    use crate::stores::{Aabbs, Capsules, HalfSpaces, Obbs, Planes, Points, Spheres, Triangles};

    /// The longest length that a shape may have.
    #[pymodule_export]
    const MAX_LENGTH: f32 = phalanx::MAX_LENGTH;

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
