//! The time per pair against the length of the list, one panel per kernel.

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;

use super::{BLACK, BLUE, FONT, RED, light, peer_color};
use phalanx_bench::record::{Contest, Role};

/// Width of a panel, in pixels.
const WIDTH: u32 = 460;
const HEIGHT: u32 = 300;
const COLUMNS: usize = 2;
const TOP: u32 = 34;

/// A store and a side, with their style in all panels.
struct Line {
    name: String,
    style: ShapeStyle,
    /// Whether the line is dashed, as for the larger store.
    is_dashed: bool,
    /// The lengths of lists, and ns per pair.
    points: Vec<(f64, f64)>,
}

pub fn draw(contests: &[Contest]) -> Result<String, Box<dyn Error>> {
    let mut kernels: Vec<&str> = Vec::new();
    for contest in contests {
        if !kernels.contains(&contest.name.as_str()) {
            kernels.push(&contest.name);
        }
    }
    // One extra panel, for the legend.
    let panels = kernels.len() + 1;
    let rows = panels.div_ceil(COLUMNS);
    let size = (WIDTH * COLUMNS as u32, TOP + HEIGHT * rows as u32);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let title = (FONT, 19).into_font().color(&BLACK);
        let text = "Time per pair by the length of the list";
        root.draw(&Text::new(text, (12, 9), title))?;
        let (_, below) = root.split_vertically(TOP);
        let areas = below.split_evenly((rows, COLUMNS));
        let mut legend: Vec<Line> = Vec::new();
        for (area, kernel) in areas.iter().zip(&kernels) {
            let lines = lines(contests, kernel);
            draw_panel(area, kernel, &lines)?;
            for line in lines {
                if !legend.iter().any(|other| other.name == line.name) {
                    legend.push(line);
                }
            }
        }
        if let Some(area) = areas.get(kernels.len()) {
            draw_legend(area, &legend)?;
        }
        root.present()?;
    }
    Ok(svg)
}

/// Lines of phalanx and of its first peer.
fn lines(contests: &[Contest], kernel: &str) -> Vec<Line> {
    let of_kernel = contests.iter().filter(|contest| contest.name == kernel);
    let stores = of_kernel.clone().map(|contest| contest.shapes);
    let smallest = stores.min().unwrap_or(0);
    let mut lines: Vec<Line> = Vec::new();
    for contest in of_kernel {
        let length = contest.items as f64;
        let phalanx = contest.of_role(Role::Phalanx);
        let first_peer = contest.of_role(Role::Peer).take(1);
        for (k, side) in phalanx.chain(first_peer).enumerate() {
            let who = match side.role {
                Role::Phalanx => format!("phalanx, {}", side.name),
                Role::Peer => side.name.clone(),
            };
            let name = format!("{who}, {} shapes", short(contest.shapes as f64));
            match lines.iter_mut().find(|line| line.name == name) {
                // The same list in another order would be a second point of its length.
                Some(line) if line.points.iter().any(|&(x, _)| x == length) => {}
                Some(line) => line.points.push((length, side.median())),
                None => lines.push(Line {
                    name,
                    // Where threads change nothing, the thin line is on the thick line.
                    style: match side.role {
                        Role::Phalanx if k == 0 => BLUE.stroke_width(4),
                        Role::Phalanx if k == 1 => RED.stroke_width(1),
                        Role::Phalanx => light(BLUE).stroke_width(3),
                        Role::Peer => peer_color(&side.name).stroke_width(2),
                    },
                    is_dashed: contest.shapes != smallest,
                    points: vec![(length, side.median())],
                }),
            }
        }
    }
    lines
}

fn draw_panel<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    kernel: &str,
    lines: &[Line],
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    let points = || lines.iter().flat_map(|line| &line.points);
    let longest = points().fold(10.0f64, |max, &(x, _)| max.max(x));
    let (low, high) = points().fold((1.0f64, 10.0f64), |(low, high), &(_, y)| {
        (low.min(y), high.max(y))
    });
    let mut chart = ChartBuilder::on(area)
        .caption(kernel, (FONT, 16))
        .margin(8)
        .margin_right(18)
        .x_label_area_size(42)
        .y_label_area_size(56)
        .build_cartesian_2d(
            (0.8..longest * 1.3).log_scale(),
            (low / 1.3..high * 1.3).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("pairs in the list")
        .y_desc("ns per pair")
        .x_label_formatter(&|&x| short(x))
        .y_label_formatter(&|y| format!("{y}"))
        .axis_desc_style((FONT, 14))
        .label_style((FONT, 13))
        .max_light_lines(1)
        .bold_line_style(RGBColor(205, 205, 205))
        .draw()?;
    for line in lines {
        let points = line.points.iter().copied();
        if line.is_dashed {
            chart.draw_series(DashedLineSeries::new(points, 6, 4, line.style))?;
        } else {
            chart.draw_series(LineSeries::new(points, line.style))?;
        }
    }
    Ok(())
}

fn draw_legend<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    lines: &[Line],
) -> Result<(), Box<dyn Error>>
where
    B::ErrorType: 'static,
{
    for (k, line) in lines.iter().enumerate() {
        let y = 50 + 26 * k as i32;
        let dashes: &[(i32, i32)] = if line.is_dashed {
            &[(60, 70), (75, 85), (90, 100)]
        } else {
            &[(60, 100)]
        };
        for &(from, to) in dashes {
            area.draw(&PathElement::new([(from, y), (to, y)], line.style))?;
        }
        let text = (FONT, 15).into_font().color(&BLACK);
        area.draw(&Text::new(line.name.as_str(), (112, y - 8), text))?;
    }
    Ok(())
}

/// 1000 as 1k.
fn short(x: f64) -> String {
    match x {
        _ if x >= 1e6 => format!("{:.0}M", x / 1e6),
        _ if x >= 1e3 => format!("{:.0}k", x / 1e3),
        _ => format!("{x}"),
    }
}
