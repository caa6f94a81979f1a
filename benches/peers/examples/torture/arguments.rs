//! Arguments of the command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use lexopt::{Arg, Parser, ValueExt};

pub const HELP: &str = "\
Runs every kernel against its exact oracle on cases within ulps of contact, and other libraries
beside; then contacts of boxes that are nearly aligned, climbs towards the error band of contacts,
and impacts of boxes that turn and nearly graze. Prints a Markdown table of each.

Usage: cargo run --release -p phalanx-bench --example torture -- [OPTIONS]

Options:
      --cases N        cases per kernel (default 100000)
      --slow-cases N   at most this many for boxes in any orientation against boxes, whose exact
                       answers take longest, and for impacts (default: a fifth of --cases)
      --kernel NAME    one kernel only, sphere_sphere_sweep for example; obb_obb_contact and
                       obb_obb_impact stand for the contacts and the impacts of boxes,
                       contact_climb for the climbs
      --picture FILE   no cases: draws a plank that swings through a post, as SVG
  -h, --help           this text

Exits with 1 if phalanx broke a promise, and with 2 if an argument is bad.";

pub struct Arguments {
    pub cases: usize,
    pub slow_cases: usize,
    /// `None` for all kernels.
    pub kernel: Option<String>,
    /// File of the picture, which is drawn instead of running cases.
    pub picture: Option<PathBuf>,
    pub help: bool,
}

/// Parses the arguments. The error names the invalid argument and the reason.
pub fn parse(mut parser: Parser, kernels: &[&str]) -> Result<Arguments, String> {
    let (mut cases, mut slow_cases) = (100_000, None);
    let (mut kernel, mut picture, mut help) = (None, None, false);
    while let Some(argument) = parser.next().map_err(|error| error.to_string())? {
        match argument {
            Arg::Long("cases") => cases = number("--cases", &mut parser)?,
            Arg::Long("slow-cases") => slow_cases = Some(number("--slow-cases", &mut parser)?),
            Arg::Long("kernel") => kernel = Some(kernel_name(&mut parser, kernels)?),
            Arg::Long("picture") => {
                let path = parser.value().map_err(|error| error.to_string())?;
                picture = Some(path.into());
            }
            Arg::Long("help") | Arg::Short('h') => help = true,
            unknown => return Err(unknown.unexpected().to_string()),
        }
    }
    Ok(Arguments {
        cases,
        slow_cases: slow_cases.unwrap_or(cases.div_ceil(5)).min(cases),
        kernel,
        picture,
        help,
    })
}

fn number(option: &str, parser: &mut Parser) -> Result<usize, String> {
    let value = parser.value().map_err(|error| error.to_string())?;
    match value.parse::<NonZeroUsize>() {
        Ok(number) => Ok(number.get()),
        Err(error) => Err(format!("{option}: {error}")),
    }
}

fn kernel_name(parser: &mut Parser, kernels: &[&str]) -> Result<String, String> {
    let value = parser.value().map_err(|error| error.to_string())?;
    match value.to_str() {
        Some(name) if kernels.contains(&name) => Ok(name.to_owned()),
        _ => Err(format!(
            "--kernel: there is no kernel {value:?}, but there are\n  {}",
            kernels.join("\n  ")
        )),
    }
}
