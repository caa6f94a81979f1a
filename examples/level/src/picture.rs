//! A top view of the level as SVG, drawn from vertical rays.

use std::fmt::Write;

use phalanx::{Detector, Error, FirstHits, Mesh, Point, Points};

const INK: &str = "#7d8590";
const BLUE: &str = "#3b82c4";
const ORANGE: &str = "#d9822b";
/// Cells along the longer side.
const CELLS: usize = 120;
/// Pixels of the longer side.
const SIZE: f32 = 480.0;
/// Shades of the ground.
const SHADES: usize = 5;
/// Direction of the light.
const LIGHT: [f32; 3] = [-0.48, 0.36, 0.8];
/// A step of the ground that is drawn as an edge, in metres.
const STEP: f32 = 1.3;

/// The smallest box around the level.
pub fn bounds(level: &Mesh) -> [[f32; 3]; 2] {
    let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    for corner in level
        .triangles()
        .iter()
        .flat_map(|triangle| triangle.corners)
    {
        for k in 0..3 {
            bounds[0][k] = bounds[0][k].min(corner[k]);
            bounds[1][k] = bounds[1][k].max(corner[k]);
        }
    }
    bounds
}

/// The level, the path of the character and the points hit by the lidar.
pub fn draw(level: &Mesh, way: &[[f32; 3]], points: &[[f32; 3]]) -> Result<String, Error> {
    let [min, max] = bounds(level);
    let cell = (max[0] - min[0]).max(max[1] - min[1]) / CELLS as f32;
    let [width, height] = [0, 1].map(|k| ((max[k] - min[k]) / cell).ceil().max(1.0) as usize);
    let mut rays = Points::new();
    let (top, fall) = (max[2] + 1.0, min[2] - max[2] - 2.0);
    for row in 0..height {
        for column in 0..width {
            let x = min[0] + (column as f32 + 0.5) * cell;
            let y = max[1] - (row as f32 + 0.5) * cell;
            rays.push_moving(
                Point {
                    position: [x, y, top],
                },
                [0.0, 0.0, fall],
            );
        }
    }
    let mut firsts = FirstHits::new();
    Detector::new().first_hits(&rays, level, &mut firsts)?;

    let scale = SIZE / (CELLS as f32 * cell);
    let at = |p: [f32; 3]| [(p[0] - min[0]) * scale, (max[1] - p[1]) * scale];
    let [w, h] = at([max[0], min[1], 0.0]).map(f32::round);
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}" role="img" aria-label="A level from above, the way of a character and what its lidar hit" fill="none">"#
    );
    let pixels = scale * cell;
    let _ = writeln!(
        svg,
        r#"<g transform="scale({pixels:.3}) translate(0 0.5)" stroke="{INK}" stroke-width="1.02">"#
    );
    let ground: Vec<f32> = firsts
        .enter()
        .iter()
        .map(|time| top + fall * time)
        .collect();
    let shades: Vec<usize> = (0..width * height)
        .map(|ray| {
            let neighbours = [
                ray.wrapping_sub(1),
                ray + 1,
                ray.wrapping_sub(width),
                ray + width,
            ];
            let mut neighbours = neighbours.iter().filter_map(|&other| ground.get(other));
            // Roofs and the tops of walls have a dark edge.
            match neighbours.any(|&other| ground[ray] - other > STEP) {
                true => SHADES,
                false => shade(level, &firsts, ray),
            }
        })
        .collect();
    for shade in 1..=SHADES {
        let mut path = String::new();
        for (row, shades) in shades.chunks(width).enumerate() {
            let mut column = 0;
            for run in shades.chunk_by(|a, b| a == b) {
                if run[0] == shade {
                    let _ = write!(path, "M{column} {row}h{}", run.len());
                }
                column += run.len();
            }
        }
        let opacity = 0.06 + 0.84 * (shade - 1) as f32 / (SHADES - 1) as f32;
        let _ = writeln!(svg, r#"<path opacity="{opacity:.2}" d="{path}"/>"#);
    }
    svg += "</g>\n";

    let mut dots = String::new();
    for &point in points {
        let [x, y] = at(point).map(f32::round);
        let _ = write!(dots, "M{x} {y}h0");
    }
    let _ = writeln!(
        svg,
        r#"<path stroke="{BLUE}" stroke-width="2" stroke-linecap="round" d="{dots}"/>"#
    );
    let mut line = String::new();
    for (k, &place) in way.iter().step_by(8).enumerate() {
        let [x, y] = at(place);
        let _ = write!(line, "{}{x:.1} {y:.1}", if k == 0 { "M" } else { " " });
    }
    let _ = writeln!(
        svg,
        r#"<path stroke="{ORANGE}" stroke-width="2.5" stroke-linejoin="round" stroke-linecap="round" d="{line}"/>"#
    );
    svg += "</svg>\n";
    Ok(svg)
}

/// The shade of the ground below a ray, from 1 for bright; 0 for none. The last shade is reserved for edges.
fn shade(level: &Mesh, firsts: &FirstHits, ray: usize) -> usize {
    let Some(normal) = firsts.get(ray).and_then(|hit| level.normal(hit.b)) else {
        return 0;
    };
    let light: f32 = normal.iter().zip(LIGHT).map(|(n, l)| n * l).sum();
    // Triangles have two sides: a normal may point down.
    let light = light.abs().clamp(0.51, 1.0);
    1 + ((1.0 - light) / 0.5 * (SHADES - 1) as f32) as usize
}
