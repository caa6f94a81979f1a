//! Writes the measurements of the benches as tables and plots.
//!
//! ```text
//! cargo bench -p phalanx-bench -- table
//! RUSTFLAGS="-C target-cpu=native" CARGO_TARGET_DIR=target/native cargo bench -p phalanx-bench -- table
//! cargo run --release -p phalanx-bench --example report
//! ```
//!
//! The second command is optional: it shows the gain of peers from a build for this CPU. Folders of measurements may be
//! given instead: first the default build, then optionally the other build.
//!
//! The tables go to `benches/results`, into a file named by date and CPU, the plots to `benches/plots`. `--to FOLDER`
//! names another folder than `benches`. One plot, `impact.svg`, comes from `torture --picture`, not from measurements.
//!
//! A file that is missing or that cannot be read is an error, and then nothing is written.

mod markdown;
mod measurements;
mod plots;
mod tables;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use lexopt::prelude::*;

use measurements::Measurements;
use phalanx_bench::record::{self, FileError};

fn main() -> Result<(), Box<dyn Error>> {
    let Arguments { folders, to } = Arguments::parse()?;
    let (default, native) = match folders.as_slice() {
        [default] => (default, None),
        [default, native] => (default, Some(native)),
        _ => return Err("at most two folders of measurements".into()),
    };
    let default = Measurements::read(default)?;
    let native = native
        .map(|folder| Measurements::read(folder))
        .transpose()?;

    let text = markdown::report(&default, native.as_ref());
    let plots = plots::all(&default, native.as_ref())?;

    let to = to.unwrap_or_else(benches);
    for (name, plot) in plots {
        write(&to.join("plots").join(name), &plot)?;
    }
    let name = default.machine.day_and_cpu();
    write(&to.join("results").join(name).with_extension("md"), &text)?;
    Ok(())
}

/// The folder that contains this package; cargo passes the package's folder to the programs that it runs.
fn benches() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let around = package.as_deref().and_then(Path::parent);
    around.unwrap_or(Path::new("benches")).to_owned()
}

struct Arguments {
    /// The folders of the command line, or else the default folders of the commands above.
    folders: Vec<PathBuf>,
    to: Option<PathBuf>,
}

impl Arguments {
    fn parse() -> Result<Self, Box<dyn Error>> {
        let (mut folders, mut to) = (Vec::new(), None);
        let mut arguments = lexopt::Parser::from_env();
        while let Some(argument) = arguments.next()? {
            match argument {
                Long("to") => to = Some(arguments.value()?.into()),
                Value(folder) => folders.push(folder.into()),
                other => return Err(other.unexpected().into()),
            }
        }
        if folders.is_empty() {
            let default = record::folder()?;
            let native = default.with_file_name("native").join("measurements");
            folders.push(default);
            folders.extend(native.is_dir().then_some(native));
        }
        Ok(Arguments { folders, to })
    }
}

fn write(path: &Path, text: &str) -> Result<(), FileError> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder).map_err(|error| FileError::new(folder, error))?;
    fs::write(path, text).map_err(|error| FileError::new(path, error))?;
    println!("wrote {}", path.display());
    Ok(())
}
