//! Detects the machine of a bench.

use std::env;
use std::fs;
use std::process::Command;
use std::time::SystemTime;

use phalanx::Simd;

use crate::record::Machine;
use crate::scenes::SEED;

pub fn describe(quick: bool) -> Machine {
    Machine {
        date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        cpu: cpu().unwrap_or_else(|| "unknown".into()),
        threads: threads(),
        simd: Simd::best().to_string(),
        lanes: Simd::best().lanes(),
        target: format!("{}-{}", env::consts::ARCH, env::consts::OS),
        target_features: target_features(),
        rustflags: env::var("RUSTFLAGS").ok(),
        rustc: rustc().unwrap_or_else(|| "rustc unknown".into()),
        seed: SEED,
        quick,
    }
}

/// Number of threads that run at once.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, |threads| threads.get())
}

fn cpu() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The compiler that cargo uses, which built this program.
fn rustc() -> Option<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok()?.stdout;
    Some(String::from_utf8(version).ok()?.trim().to_owned())
}

fn target_features() -> Vec<String> {
    let features = [
        ("sse2", cfg!(target_feature = "sse2")),
        ("avx", cfg!(target_feature = "avx")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("fma", cfg!(target_feature = "fma")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
        ("simd128", cfg!(target_feature = "simd128")),
    ];
    let on = features.iter().filter(|(_, on)| *on);
    on.map(|&(name, _)| name.to_owned()).collect()
}
