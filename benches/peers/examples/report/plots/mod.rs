//! The plots of the report, as SVG.

mod lists;
mod rows;

use std::error::Error;

use plotters::style::RGBColor;

use crate::measurements::Measurements;
use phalanx_bench::record::{Contest, Role};
use rows::{Group, Mark, Rows, Series};

/// The scene with too many pairs for the branch predictor.
const LONG: &str = "1M";

/// A file's name and its contents.
type Plot = (&'static str, String);

pub fn all(
    default: &Measurements,
    native: Option<&Measurements>,
) -> Result<Vec<Plot>, Box<dyn Error>> {
    Ok(vec![
        ("lists.svg", lists::draw(&default.lists)?),
        (
            "speedup.svg",
            speedup(default, native, default.first_scene()).draw()?,
        ),
        (
            "speedup-long.svg",
            speedup(default, native, default.scene(LONG)).draw()?,
        ),
        ("lanes.svg", lanes(default).draw()?),
        ("threads.svg", threads(default).draw()?),
        ("frame.svg", frames(default).draw()?),
    ])
}

const FONT: &str = "sans-serif";

const BLUE: RGBColor = RGBColor(0, 95, 175);
const RED: RGBColor = RGBColor(200, 40, 50);
const ORANGE: RGBColor = RGBColor(225, 120, 0);
const GREEN: RGBColor = RGBColor(0, 135, 90);
const GREY: RGBColor = RGBColor(120, 120, 120);
const BLACK: RGBColor = RGBColor(30, 30, 30);
const PALETTE: [RGBColor; 6] = [BLUE, ORANGE, GREEN, GREY, RED, BLACK];

/// Peers have the same color in every plot.
fn peer_color(name: &str) -> RGBColor {
    match name {
        "parry3d" => ORANGE,
        "parry3d ball cast" => RED,
        "wreck" => GREEN,
        _ => GREY,
    }
}

/// A lighter tone of a color.
fn light(RGBColor(r, g, b): RGBColor) -> RGBColor {
    let lighter = |x: u8| ((u16::from(x) + 2 * 255) / 3) as u8;
    RGBColor(lighter(r), lighter(g), lighter(b))
}

/// Speed of each kernel relative to its peers in some contests, by build.
fn speedup<'c>(
    default: &Measurements,
    native: Option<&Measurements>,
    contests: impl Iterator<Item = &'c Contest>,
) -> Rows {
    let contests: Vec<_> = contests.collect();
    let about = about(&contests);
    let mut rows = Rows {
        title: "How many times as fast as its peers phalanx is".into(),
        axis: format!(
            "times as fast; {}, one thread, {about}",
            default.machine.simd
        ),
        mark: Mark::Bar,
        series: Vec::new(),
        groups: Vec::new(),
    };
    for contest in contests {
        // The same contest of the other build.
        let is_same = |other: &&Contest| other.name == contest.name;
        let other = native.and_then(|native| native.scene(&contest.scene).find(is_same));
        let mut bars = Vec::new();
        for peer in contest.of_role(Role::Peer) {
            let color = peer_color(&peer.name);
            let builds = [
                ("default build", color, Some(contest)),
                ("native", light(color), other),
            ];
            for (build, color, contest) in builds {
                let Some(ratio) = contest.and_then(|contest| ratio(contest, &peer.name)) else {
                    continue;
                };
                let name = format!("{}, {build}", peer.name);
                bars.push((rows.series_named(Series { name, color }), ratio));
            }
        }
        if !bars.is_empty() {
            rows.groups.push(Group {
                name: contest.name.clone(),
                marks: bars,
            });
        }
    }
    rows
}

/// The scene of contests, in words.
fn about<'c>(contests: &[&'c Contest]) -> &'c str {
    contests.first().map_or("", |contest| &contest.about)
}

/// Ratio of the best instance to a peer.
fn ratio(contest: &Contest, peer: &str) -> Option<f64> {
    let best = contest.of_role(Role::Phalanx).next()?;
    Some(best.times_as_fast_as(contest.side(peer)?))
}

/// The time per pair on each instruction set.
fn lanes(measurements: &Measurements) -> Rows {
    let contests: Vec<_> = measurements.first_scene().collect();
    let mut rows = Rows {
        title: "Time per pair by instruction set".into(),
        axis: format!("ns per pair; one thread, {}", about(&contests)),
        mark: Mark::Dot,
        series: Vec::new(),
        groups: Vec::new(),
    };
    for contest in contests {
        let mut dots = Vec::new();
        for (k, side) in contest.of_role(Role::Phalanx).enumerate() {
            let series = rows.series_named(Series {
                name: side.name.clone(),
                color: PALETTE[k % PALETTE.len()],
            });
            dots.push((series, side.median()));
        }
        rows.groups.push(Group {
            name: contest.name.clone(),
            marks: dots,
        });
    }
    rows
}

/// Frames from poses to pairs, compared with peers.
fn frames(measurements: &Measurements) -> Rows {
    let mut rows = Rows {
        title: "How many times as fast as its peers phalanx is in a frame".into(),
        axis: "times as fast; one thread, boxes that move before each frame".into(),
        mark: Mark::Bar,
        series: Vec::new(),
        groups: Vec::new(),
    };
    for contest in &measurements.candidates {
        let mut bars = Vec::new();
        for peer in contest.of_role(Role::Peer) {
            let series = rows.series_named(Series {
                name: peer.name.clone(),
                color: peer_color(&peer.name),
            });
            bars.extend(ratio(contest, &peer.name).map(|ratio| (series, ratio)));
        }
        rows.groups.push(Group {
            name: format!("{}, {}", contest.name, contest.scene),
            marks: bars,
        });
    }
    rows
}

/// Speedup of several threads over one.
fn threads(measurements: &Measurements) -> Rows {
    let mut rows = Rows {
        title: "What threads bring on a million pairs".into(),
        axis: "times as fast as one thread".into(),
        mark: Mark::Bar,
        series: Vec::new(),
        groups: Vec::new(),
    };
    for contest in &measurements.threads {
        let Some((one, more)) = contest.sides.split_first() else {
            continue;
        };
        let mut bars = Vec::new();
        for (k, side) in more.iter().enumerate() {
            let series = rows.series_named(Series {
                name: side.name.clone(),
                color: PALETTE[k % PALETTE.len()],
            });
            bars.push((series, side.times_as_fast_as(one)));
        }
        rows.groups.push(Group {
            name: contest.name.clone(),
            marks: bars,
        });
    }
    rows
}
