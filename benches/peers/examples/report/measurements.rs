//! All measurements of one build.

use std::path::Path;

use phalanx_bench::record::{self, Contest, FileError, Machine, Record};
use serde::Deserialize;

pub struct Measurements {
    pub machine: Machine,
    pub kernels: Vec<Contest>,
    pub lists: Vec<Contest>,
    pub sizes: Vec<Contest>,
    pub threads: Vec<Contest>,
    pub frame: Vec<Contest>,
    pub candidates: Vec<Contest>,
    pub rays: Vec<Contest>,
    pub mesh: Vec<Contest>,
    pub nearest: Vec<Contest>,
    pub distances: Vec<Contest>,
    pub hulls: Vec<Contest>,
    pub in_frame: Vec<Contest>,
    pub contacts: Vec<Contest>,
    pub impacts: Vec<Contest>,
    /// `None` if they were not computed.
    pub bounds: Option<Vec<Bound>>,
}

/// Lower bound of a kernel's time, by the throughput of its instructions.
#[derive(Deserialize)]
pub struct Bound {
    pub kernel: String,
    pub simd: String,
    /// The CPU model of the throughputs.
    pub cpu: String,
    pub bound_cycles_per_pair: f64,
    /// With dependencies between instructions.
    pub simulated_cycles_per_pair: f64,
    /// Cycles per pair of a whole call.
    pub measured_cycles_per_pair: Option<f64>,
}

impl Measurements {
    pub fn read(folder: &Path) -> Result<Self, FileError> {
        let kernels = read(&folder.join("kernels.json"))?;
        let machine = kernels.machine;
        let of_same_build = |name: &str| {
            let path = folder.join(name);
            let record = read(&path)?;
            if !is_alike(&machine, &record.machine) {
                let reason = "another machine, build or number of rounds than in kernels.json";
                return Err(FileError::new(&path, reason));
            }
            Ok(record.contests)
        };
        let bounds = folder.join("bounds.json");
        Ok(Measurements {
            lists: of_same_build("lists.json")?,
            sizes: of_same_build("sizes.json")?,
            threads: of_same_build("threads.json")?,
            frame: of_same_build("frame.json")?,
            candidates: of_same_build("candidates.json")?,
            rays: of_same_build("rays.json")?,
            mesh: of_same_build("mesh.json")?,
            nearest: of_same_build("nearest.json")?,
            distances: of_same_build("distance.json")?,
            hulls: of_same_build("hulls.json")?,
            in_frame: of_same_build("in_frame.json")?,
            contacts: of_same_build("contacts.json")?,
            impacts: of_same_build("impact.json")?,
            kernels: kernels.contests,
            bounds: bounds.exists().then(|| record::read(&bounds)).transpose()?,
            machine,
        })
    }

    /// The contests of the first scene, in which all kernels run.
    pub fn first_scene(&self) -> impl Iterator<Item = &Contest> {
        self.scene(self.kernels.first().map_or("", |contest| &contest.scene))
    }

    /// The kernels in a scene.
    pub fn scene(&self, name: &str) -> impl Iterator<Item = &Contest> {
        self.kernels
            .iter()
            .filter(move |contest| contest.scene == name)
    }
}

fn read(path: &Path) -> Result<Record, FileError> {
    let record: Record = record::read(path)?;
    // Requirements of tables and plots.
    let is_whole = |contest: &Contest| {
        let rounds = contest.sides.first().map_or(0, |side| side.ns.len());
        rounds > 0 && contest.sides.iter().all(|side| side.ns.len() == rounds)
    };
    if record.contests.is_empty() || !record.contests.iter().all(is_whole) {
        return Err(FileError::new(path, "measurements are missing"));
    }
    Ok(record)
}

/// Whether two machines are equal, except for the date.
fn is_alike(a: &Machine, b: &Machine) -> bool {
    let date = a.date.clone();
    *a == Machine { date, ..b.clone() }
}
