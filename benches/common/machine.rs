//! On what a bench ran: figures mean nothing without it.

use std::env;
use std::fs;
use std::process::Command;

use phalanx::Simd;

use super::scenes::SEED;

/// One Markdown list item per fact.
pub fn describe() -> String {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    format!(
        "- CPU: {}, {cores} threads\n\
         - phalanx uses {} ({} lanes) at best\n\
         - compiled for {}-{} with {}, RUSTFLAGS: {}\n\
         - {}\n\
         - seed {SEED}\n",
        cpu().unwrap_or_else(|| "unknown".into()),
        Simd::best(),
        Simd::best().lanes(),
        env::consts::ARCH,
        env::consts::OS,
        target_features(),
        env::var("RUSTFLAGS").unwrap_or_else(|_| "not set".into()),
        rustc().unwrap_or_else(|| "rustc unknown".into()),
    )
}

fn cpu() -> Option<String> {
    let info = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

/// The compiler that cargo uses here, so the one that built this.
fn rustc() -> Option<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(rustc).arg("--version").output().ok()?.stdout;
    Some(String::from_utf8(version).ok()?.trim().to_owned())
}

/// What the compiler could rely on: peers get no more than this, while phalanx looks at run time.
fn target_features() -> String {
    let features = [
        ("sse2", cfg!(target_feature = "sse2")),
        ("avx", cfg!(target_feature = "avx")),
        ("avx2", cfg!(target_feature = "avx2")),
        ("fma", cfg!(target_feature = "fma")),
        ("avx512f", cfg!(target_feature = "avx512f")),
        ("neon", cfg!(target_feature = "neon")),
    ];
    let on = features.iter().filter(|(_, on)| *on);
    let names: Vec<_> = on.map(|&(name, _)| name).collect();
    if names.is_empty() {
        "no vector instructions".into()
    } else {
        names.join(", ")
    }
}
