//! Writes BENCHMARKS.md and its plots from what the benches measured.
//!
//! ```text
//! cargo bench -- table
//! RUSTFLAGS="-C target-cpu=native" CARGO_TARGET_DIR=target/native cargo bench -- table
//! cargo run --release --example report
//! ```
//!
//! The second command is optional: it shows what others gain from being built for this very CPU.
//! Folders of measurements may be named instead, first that of the default build, then, if there is
//! one, that of the other. What a person has to say about the figures is in `benches/notes.md`, and
//! goes to the end of the report as it is.
//!
//! `--to FOLDER` writes to another place than the package's.
//!
//! A file that is missing or that cannot be read is an error, and then nothing is written.

mod markdown;
mod measurements;
mod plots;
#[path = "../../benches/common/record.rs"]
#[allow(dead_code, reason = "benches write records, and this reads them")]
mod record;
mod tables;

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use lexopt::prelude::*;

use measurements::Measurements;
use record::FileError;

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

    // Cargo names the package's folder to the programs that it runs.
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| ".".into()));
    let notes = package.join("benches/notes.md");
    let notes = fs::read_to_string(&notes).map_err(|error| FileError::new(&notes, error))?;
    let text = markdown::report(&default, native.as_ref(), &notes);
    let plots = plots::all(&default, native.as_ref())?;

    let to = to.unwrap_or(package);
    let folder = to.join("benches/plots");
    fs::create_dir_all(&folder).map_err(|error| FileError::new(&folder, error))?;
    for (name, plot) in plots {
        write(&folder.join(name), &plot)?;
    }
    write(&to.join("BENCHMARKS.md"), &text)?;
    Ok(())
}

struct Arguments {
    /// Those of the command line, or else those where the commands above leave their files.
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
    fs::write(path, text).map_err(|error| FileError::new(path, error))?;
    println!("wrote {}", path.display());
    Ok(())
}
