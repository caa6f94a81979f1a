//! A picture: a plank that swings through a post, the gap between them, and the time of impact by each library.
//!
//! ```text
//! cargo run --release -p phalanx-bench --example torture -- --picture benches/plots/impact.svg
//! ```

use std::fmt::Write;

use phalanx::{Detector, Impacts, Obbs, Pairs};

use crate::impacts::{Body, Scene, Turn, ask_nonlinear};
use crate::oracle::minkowski::{V, add, times};

const BLUE: &str = "#005FAF";
const ORANGE: &str = "#E17800";
const GREY: &str = "#787878";
const BLACK: &str = "#1E1E1E";

const TOLERANCE: f32 = 1e-3;

/// Width of the left part and of the whole, in pixels.
const LEFT: f64 = 310.0;
const SIZE: [f64; 2] = [900.0, 300.0];
/// A unit of length in pixels, and the position of the origin.
const UNIT: f64 = 85.0;
const ORIGIN: [f64; 2] = [125.0, 118.0];
/// Range of the curve: the first and the last time, and the drawn gaps.
const TIMES: [f64; 2] = [370.0, 790.0];
const GAPS: [(f64, f64); 2] = [(0.5, 50.0), (-0.15, 265.0)];

/// A plank and a post, seen from above.
fn scene() -> Scene {
    let still = Body {
        half_extents: [0.12, 0.12, 0.5],
        center: [0.6, 0.6, 0.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        displacement: [0.0; 3],
        turn: Turn::By([0.0; 3]),
    };
    let plank = Body {
        half_extents: [1.2, 0.06, 0.4],
        center: [0.0; 3],
        displacement: [0.45, -1.45, 0.0],
        turn: Turn::By([0.0, 0.0, 3.05]),
        ..still
    };
    Scene { a: plank, b: still }.rounded()
}

/// The SVG.
pub fn draw() -> String {
    let scene = scene();
    let (mut planks, mut posts) = (Obbs::new(), Obbs::new());
    for (store, body) in [(&mut planks, &scene.a), (&mut posts, &scene.b)] {
        store.push_turning(body.obb(), body.displacement(), body.turn());
    }
    let mut impacts = Impacts::new();
    Detector::new()
        .impact(&planks, &posts, Pairs::zip(), TOLERANCE, &mut impacts)
        .expect("stores as long as one another");
    let own = impacts.get(0).map(f64::from);
    let nonlinear = ask_nonlinear(&scene).time;

    let mut svg = String::new();
    let [width, height] = SIZE;
    let _ = writeln!(
        svg,
        r##"<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="13" fill="{BLACK}">
<rect width="{width}" height="{height}" fill="#FFFFFF"/>"##
    );
    text(
        &mut svg,
        [12.0, 24.0],
        BLACK,
        "A plank swings through a post while it moves",
    );
    text(
        &mut svg,
        [LEFT + 12.0, 24.0],
        BLACK,
        "The gap between them in the frame, and who sees it close",
    );

    // The plank at eighths of the frame, the last the darkest.
    for k in 0..=8 {
        let time = f64::from(k) / 8.0;
        let _ = writeln!(
            svg,
            r#"<path d="{}" fill="none" stroke="{GREY}" opacity="{:.2}"/>"#,
            outline(&scene.a, time),
            0.3 + 0.7 * time
        );
    }
    let _ = writeln!(
        svg,
        r#"<path d="{}" fill="{BLACK}"/>"#,
        outline(&scene.b, 0.0)
    );
    if let Some(time) = own {
        let _ = writeln!(
            svg,
            r#"<path d="{}" fill="{BLUE}" fill-opacity=".25" stroke="{BLUE}" stroke-width="2"/>"#,
            outline(&scene.a, time)
        );
    }

    // The gap.
    let [from, to] = TIMES;
    let x = |time: f64| from + (to - from) * time;
    let y = |gap: f64| {
        let [(high, top), (low, bottom)] = GAPS;
        top + (high - gap) / (high - low) * (bottom - top)
    };
    let _ = writeln!(
        svg,
        r#"<path d="M{from} {0:.1}H{to}M{from} {1}V{2}" stroke="{BLACK}" fill="none"/>"#,
        y(0.0),
        GAPS[0].1,
        GAPS[1].1
    );
    text(&mut svg, [from - 24.0, y(0.0) + 4.0], BLACK, "0");
    text(
        &mut svg,
        [x(1.0) - 70.0, GAPS[1].1 + 22.0],
        BLACK,
        "end of frame",
    );
    text(&mut svg, [from, GAPS[1].1 + 22.0], BLACK, "start");
    let points: Vec<_> = (0..=100)
        .map(|k| f64::from(k) / 100.0)
        .filter(|&time| scene.gap(time) <= GAPS[0].0)
        .map(|time| format!("{:.0} {:.1}", x(time), y(scene.gap(time))))
        .collect();
    let _ = writeln!(
        svg,
        r#"<path d="M{}" stroke="{GREY}" stroke-width="2" fill="none"/>"#,
        points.join("L")
    );
    let says = |time: Option<f64>| match time {
        Some(time) => format!("at {time:.4}"),
        None => "no contact".into(),
    };
    if let Some(time) = own {
        let (x, y) = (x(time), y(scene.gap(time)));
        let _ = writeln!(
            svg,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="{BLUE}"/>"#
        );
    }
    if let Some(time) = nonlinear {
        let (x, y) = (x(time), y(scene.gap(time)));
        let _ = writeln!(
            svg,
            r#"<circle cx="{x:.1}" cy="{y:.1}" r="5" fill="{ORANGE}"/>"#
        );
    }
    let name = format!("phalanx, within {TOLERANCE:e}: {}", says(own));
    text(&mut svg, [x(0.5), 239.0], BLUE, &name);
    let name = format!("parry3d cast_shapes_nonlinear: {}", says(nonlinear));
    text(&mut svg, [x(0.5), 258.0], ORANGE, &name);
    svg + "</svg>\n"
}

fn text(svg: &mut String, [x, y]: [f64; 2], color: &str, words: &str) {
    let _ = writeln!(
        svg,
        r#"<text x="{x:.0}" y="{y:.0}" fill="{color}">{words}</text>"#
    );
}

/// A box at a time, from above.
fn outline(body: &Body, time: f64) -> String {
    let [along, across, _] = body.axes_at(time);
    let corner = |(x, y): (f64, f64)| {
        let [ha, hb, _] = body.half_extents;
        let at: V = add(times(along, x * ha), times(across, y * hb));
        let [x, y, _] = add(body.center_at(time), at);
        format!("{:.1} {:.1}", ORIGIN[0] + UNIT * x, ORIGIN[1] - UNIT * y)
    };
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(corner);
    format!("M{}Z", corners.join("L"))
}
