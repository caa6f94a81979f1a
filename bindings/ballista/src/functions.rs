//! The functions that all processes know.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// The name of a function that returns its first argument, slowly, and leaves a mark that it was called.
pub const SLOWLY: &str = "returned_slowly";

/// The variable with the folder where marks are left.
pub const MARKS: &str = "PHALANX_BALLISTA_MARKS";

/// How long a call takes.
const SLOW: Duration = Duration::from_millis(300);

#[derive(Debug, PartialEq, Eq, Hash)]
struct Slowly(Signature);

impl ScalarUDFImpl for Slowly {
    fn name(&self) -> &str {
        SLOWLY
    }

    fn signature(&self) -> &Signature {
        &self.0
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if let Some(folder) = std::env::var_os(MARKS) {
            std::fs::write(
                PathBuf::from(folder).join(std::process::id().to_string()),
                [],
            )?;
        }
        std::thread::sleep(SLOW);
        match args.args.into_iter().next() {
            Some(value) => Ok(value),
            None => exec_err!("{SLOWLY} takes two arguments"),
        }
    }
}

/// What `lose` asks for beside the functions of phalanx.
pub fn for_losing() -> Vec<Arc<ScalarUDF>> {
    // Volatile: it is called, whatever the argument.
    let signature = Signature::any(2, Volatility::Volatile);
    vec![Arc::new(ScalarUDF::from(Slowly(signature)))]
}

/// All functions that a process of the cluster knows.
pub fn all() -> Vec<Arc<ScalarUDF>> {
    let mut functions = phalanx_datafusion::functions();
    functions.extend(for_losing());
    functions
}
