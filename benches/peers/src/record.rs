//! Measurements of benches, as files for the report.

use std::error::Error;
use std::fmt::{self, Display};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// Measurements of one run of a bench.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    pub machine: Machine,
    pub contests: Vec<Contest>,
}

/// Machine of a bench, without which figures are meaningless.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// UTC.
    pub date: String,
    pub cpu: String,
    pub threads: usize,
    /// The best instruction set, the default of phalanx.
    pub simd: String,
    pub lanes: usize,
    /// The architecture and the system.
    pub target: String,
    /// Target features of the compiler: peers get only these, while phalanx detects more at run time.
    pub target_features: Vec<String>,
    pub rustflags: Option<String>,
    pub rustc: String,
    pub seed: u64,
    /// Whether there were only a few rounds, as a test.
    pub quick: bool,
}

/// Sides that did the same work, in alternating turns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Contest {
    /// A kernel, or other work.
    pub name: String,
    /// Short name of the scene.
    pub scene: String,
    /// Description of the scene.
    pub about: String,
    /// Number of shapes in the stores.
    pub shapes: usize,
    /// Number of units of work.
    pub items: usize,
    /// Unit of work: a pair, a box, a frame.
    pub unit: String,
    /// Number of tested pairs, if any.
    pub pairs: Option<usize>,
    /// Number of touching pairs.
    pub hits: Option<usize>,
    pub sides: Vec<Side>,
}

/// A participant and its times.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Side {
    pub name: String,
    pub role: Role,
    /// Called function of a library.
    pub call: Option<String>,
    /// Number of results that differ from phalanx.
    pub different: usize,
    /// ns per unit of work, round by round.
    pub ns: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Phalanx,
    /// Another library, or other code for the same work.
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

    /// Speed relative to another side, in the median round: on a machine with other work only ratios within a round are
    /// meaningful.
    pub fn times_as_fast_as(&self, other: &Side) -> f64 {
        let ratios = self.ns.iter().zip(&other.ns);
        median(ratios.map(|(mine, other)| other / mine).collect())
    }
}

/// The median; NaN without values.
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

    /// Title with the machine and the day.
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
        // The clock rate follows.
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

/// A file, and the reason why it could not be used.
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

/// Printed by `main`.
impl fmt::Debug for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl Error for FileError {}

impl Record {
    /// Writes the record of a bench. Returns its path.
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
