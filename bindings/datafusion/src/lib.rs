//! SQL functions for Apache DataFusion that test pairs of shapes with phalanx.
//!
//! Shapes are struct columns ([`Kind`] has their fields). [`register_all`] makes the functions known to a session,
//! [`CellJoin`] writes the join of two tables of shapes that touch. The README has all functions, and queries.
//!
//! ```
//! use datafusion_expr::registry::{FunctionRegistry, MemoryFunctionRegistry};
//!
//! // Or a SessionContext.
//! let mut registry = MemoryFunctionRegistry::new();
//! phalanx_datafusion::register_all(&mut registry)?;
//! assert!(registry.udf("sphere_obb_overlap").is_ok());
//! # Ok::<(), datafusion_common::DataFusionError>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod cells;
mod columns;
mod functions;
mod join;
mod kind;
mod validity;
mod widen;

use std::sync::Arc;

use datafusion_common::Result;
use datafusion_expr::ScalarUDF;
use datafusion_expr::registry::FunctionRegistry;

pub use cells::MAX_CELLS;
pub use join::{CellJoin, JoinSide};
pub use kind::Kind;

/// All functions of this crate.
pub fn functions() -> Vec<Arc<ScalarUDF>> {
    let functions = functions::pair_functions().chain(cells::cell_functions());
    functions.map(Arc::new).collect()
}

/// Registers all functions, with a `SessionContext` or another registry.
///
/// # Errors
///
/// The registry's, if it takes no functions.
pub fn register_all(registry: &mut dyn FunctionRegistry) -> Result<()> {
    for function in functions() {
        registry.register_udf(function)?;
    }
    Ok(())
}
