//! What benches measured, as files that the report reads.

use std::error::Error;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// All that one run of a bench measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub machine: Machine,
    pub contests: Vec<Contest>,
}

/// On what a bench ran: figures mean nothing without it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// UTC.
    pub date: String,
    pub cpu: String,
    pub threads: usize,
    /// The best instruction set, which phalanx uses unless told otherwise.
    pub simd: String,
    pub lanes: usize,
    /// The architecture and the system.
    pub target: String,
    /// What the compiler could rely on: peers get no more than this, while phalanx looks at run time.
    pub target_features: Vec<String>,
    pub rustflags: Option<String>,
    pub rustc: String,
    pub seed: u64,
    /// Whether there were only a few rounds, enough to see that everything works.
    pub quick: bool,
}

/// Sides that did the same work, in rounds in which each took a turn.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contest {
    /// A kernel, or other work.
    pub name: String,
    /// What it was done on, in short.
    pub scene: String,
    /// The same in words.
    pub about: String,
    /// How many shapes the stores hold.
    pub shapes: usize,
    /// How many units of work there were.
    pub items: usize,
    /// What a unit is: a pair, a box, a frame.
    pub unit: String,
    /// How many pairs were tested, if any.
    pub pairs: Option<usize>,
    /// How many of them touch.
    pub hits: Option<usize>,
    pub sides: Vec<Side>,
}

/// One who did the work, and how long it took.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Side {
    pub name: String,
    pub role: Role,
    /// By which call of a library.
    pub call: Option<String>,
    /// How many answers were other ones than those of phalanx.
    pub different: usize,
    /// ns per unit of work, round by round.
    pub ns: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Phalanx,
    /// What else does the work.
    Peer,
}

impl Contest {
    pub fn side(&self, name: &str) -> Option<&Side> {
        self.sides.iter().find(|side| side.name == name)
    }

    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &Side> {
        self.sides.iter().filter(move |side| side.role == role)
    }
}

impl Side {
    /// ns per unit of work, in the median round.
    pub fn median(&self) -> f64 {
        median(self.ns.clone())
    }

    /// How many times as fast as another side, in the median round: on a machine with other work
    /// only ratios within a round mean something.
    pub fn times_as_fast_as(&self, other: &Side) -> f64 {
        let ratios = self.ns.iter().zip(&other.ns);
        median(ratios.map(|(mine, other)| other / mine).collect())
    }
}

/// NaN if there are none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        None => f64::NAN,
        Some(&upper) if values.len() % 2 == 1 => upper,
        Some(&upper) => (values[middle - 1] + upper) / 2.0,
    }
}

impl Machine {
    /// The day of the measurement, UTC.
    fn day(&self) -> &str {
        self.date.split('T').next().unwrap_or(&self.date)
    }

    /// What it measured, where and when.
    pub fn title(&self) -> String {
        format!("{}, {}", self.cpu, self.day())
    }

    /// A name for files, such as `2026-11-22-intel-xeon`.
    pub fn day_and_cpu(&self) -> String {
        let cpu = self
            .cpu
            .to_lowercase()
            .replace("(r)", " ")
            .replace("(tm)", " ");
        // What comes then is the clock.
        let cpu = cpu.split('@').next().unwrap_or_default();
        let words = cpu.split(|c: char| !c.is_ascii_alphanumeric());
        let words = words.filter(|word| !["", "cpu", "processor"].contains(word));
        let parts: Vec<_> = [self.day()].into_iter().chain(words).collect();
        parts.join("-")
    }
}

/// One Markdown list item per fact.
impl Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "- {}", self.date)?;
        writeln!(f, "- CPU: {}, {} threads", self.cpu, self.threads)?;
        writeln!(f, "- phalanx uses {} ({} lanes)", self.simd, self.lanes)?;
        let features = if self.target_features.is_empty() {
            "no vector instructions".into()
        } else {
            self.target_features.join(", ")
        };
        let flags = self.rustflags.as_deref().unwrap_or("not set");
        writeln!(
            f,
            "- compiled for {} with {features}, RUSTFLAGS: {flags}",
            self.target
        )?;
        writeln!(f, "- {}", self.rustc)?;
        writeln!(f, "- seed {}", self.seed)?;
        if self.quick {
            writeln!(f, "- **a quick run: a few rounds, so rough figures**")?;
        }
        Ok(())
    }
}

/// A file, and why it could not be used.
pub struct FileError {
    path: PathBuf,
    reason: String,
}

impl FileError {
    pub fn new(path: &Path, reason: impl Display) -> Self {
        FileError {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}

impl Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

/// What `main` prints.
impl fmt::Debug for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl Error for FileError {}

impl Record {
    /// Writes the record of a bench, and says where it is.
    pub fn write(&self, bench: &str) -> Result<PathBuf, FileError> {
        let folder = folder()?;
        fs::create_dir_all(&folder).map_err(|error| FileError::new(&folder, error))?;
        let path = folder.join(bench).with_extension("json");
        let text = serde_json::to_string(self).map_err(|error| FileError::new(&path, error))?;
        fs::write(&path, text).map_err(|error| FileError::new(&path, error))?;
        Ok(path)
    }
}

/// Reads a file of measurements.
pub fn read<T: for<'a> Deserialize<'a>>(path: &Path) -> Result<T, FileError> {
    let text = fs::read_to_string(path).map_err(|error| FileError::new(path, error))?;
    serde_json::from_str(&text).map_err(|error| FileError::new(path, error))
}

/// The folder that benches write to: `measurements` in the target directory.
///
/// Cargo builds this program into `deps` or `examples`, in the folder of a profile.
pub fn folder() -> Result<PathBuf, FileError> {
    let program = std::env::current_exe()
        .map_err(|error| FileError::new(Path::new("this program"), error))?;
    let built_into = |folder: &&Path| folder.ends_with("deps") || folder.ends_with("examples");
    let target = program.ancestors().find(built_into);
    match target.and_then(Path::parent).and_then(Path::parent) {
        Some(target) => Ok(target.join("measurements")),
        None => Err(FileError::new(&program, "not in a target directory")),
    }
}
