//! Draws the pictures of the queries, an SVG each, from results of phalanx.
//!
//! ```text
//! cargo run --release --example pictures                 # to src/pictures
//! cargo run --release --example pictures -- FOLDER
//! ```
//!
//! All shapes are in the plane of the picture. Lines and words have a grey that is readable on white and on black.

use std::env;
use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use phalanx::{
    Aabbs, Capsule, Capsules, ClosestPoints, Contacts, Detector, Distances, During, FirstHits,
    Impacts, Mesh, Nearest, Obb, Obbs, Overlaps, Pair, Pairs, Sphere, Spheres, Sweeps, slerp,
};

const INK: &str = "#7d8590";
const BLUE: &str = "#3b82c4";
const ORANGE: &str = "#d9822b";
const GREEN: &str = "#2e9e5b";
const RED: &str = "#d1495b";

fn main() -> Result<(), Box<dyn Error>> {
    let folder = env::args_os()
        .nth(1)
        .map_or(PathBuf::from("src/pictures"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    let pictures = [
        ("candidates", candidates()?),
        ("first_hits", first_hits()?),
        ("overlap", overlap()?),
        ("sweep", sweep()?),
        ("contact", contact()?),
        ("inner_edges", inner_edges()?),
        ("impact", impact()?),
        ("distance", distance()?),
        ("nearest", nearest()?),
    ];
    for (name, svg) in pictures {
        let path = folder.join(name).with_extension("svg");
        fs::write(&path, svg).map_err(|error| format!("{}: {error}", path.display()))?;
        println!("wrote {}", path.display());
    }
    Ok(())
}

/// Width and height in pixels. A unit of length is ten of them, and y points up.
const SIZE: [f32; 2] = [340.0, 170.0];
const UNIT: f32 = 10.0;
/// Height of the lower edge, in units.
const BOTTOM: f32 = 2.0;
/// Two pictures beside each other are 140 pixels wide on a phone, where this is still nine pixels.
const FONT: f32 = 22.0;

struct Picture(String);

impl Picture {
    fn new(words: &str) -> Self {
        let [width, height] = SIZE;
        let mut svg = String::new();
        let _ = writeln!(
            svg,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" aria-label="{words}" font-family="sans-serif" font-size="{FONT}" fill="{INK}">"#
        );
        Picture(svg)
    }

    fn finish(mut self) -> String {
        self.0 += "</svg>\n";
        self.0
    }

    fn circle(&mut self, center: [f32; 3], radius: f32, style: &Style) {
        let [x, y] = at(center);
        let _ = writeln!(
            self.0,
            r#"<circle cx="{x}" cy="{y}" r="{}" {style}/>"#,
            rounded(radius * UNIT)
        );
    }

    fn polygon(&mut self, corners: &[[f32; 3]], style: &Style) {
        let _ = writeln!(self.0, r#"<path d="{} Z" {style}/>"#, path(corners));
    }

    fn line(&mut self, points: &[[f32; 3]], style: &Style) {
        let _ = writeln!(self.0, r#"<path d="{}" {style}/>"#, path(points));
    }

    fn arrow(&mut self, from: [f32; 3], to: [f32; 3], color: &'static str) {
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0].hypot(along[1]);
        let [x, y] = along.map(|x| x / length);
        let back = |side: f32| [to[0] - 1.1 * x - side * y, to[1] - 1.1 * y + side * x, 0.0];
        let neck = [to[0] - 1.1 * x, to[1] - 1.1 * y, 0.0];
        self.line(
            &[from, neck],
            &Style {
                width: 2.0,
                ..Style::line(color)
            },
        );
        self.polygon(
            &[to, back(0.5), back(-0.5)],
            &Style {
                fill: 1.0,
                width: 0.0,
                ..Style::line(color)
            },
        );
    }

    /// A line between two dots.
    fn join(&mut self, ends: [[f32; 3]; 2], color: &'static str) {
        self.line(
            &ends,
            &Style {
                width: 2.5,
                ..Style::line(color)
            },
        );
        let dot = Style {
            fill: 1.0,
            ..Style::line(color)
        };
        ends.iter().for_each(|end| self.circle(*end, 0.35, &dot));
    }

    /// Words that begin at a place, or with "middle" are centered there.
    fn words(&mut self, place: [f32; 2], anchor: &str, color: &str, words: &str) {
        let [x, y] = at([place[0], place[1], 0.0]);
        let _ = writeln!(
            self.0,
            r#"<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{color}">{words}</text>"#
        );
    }

    fn sphere(&mut self, sphere: Sphere, style: &Style) {
        self.circle(sphere.center, sphere.radius, style);
    }

    fn obb(&mut self, obb: Obb, style: &Style) {
        self.polygon(&corners(obb), style);
    }

    fn capsule(&mut self, capsule: Capsule, style: &Style) {
        let Capsule {
            center: [x, y, _],
            half_axis: [u, v, _],
            radius,
        } = capsule;
        let length = u.hypot(v);
        let side = [-v / length * radius, u / length * radius];
        let end = |along: f32, across: f32| {
            at([
                x + along * u + across * side[0],
                y + along * v + across * side[1],
                0.0,
            ])
        };
        let [a, b, c, d] = [
            end(1.0, 1.0),
            end(1.0, -1.0),
            end(-1.0, -1.0),
            end(-1.0, 1.0),
        ];
        let r = rounded(radius * UNIT);
        let _ = writeln!(
            self.0,
            r#"<path d="M{} {} A{r} {r} 0 0 1 {} {} L{} {} A{r} {r} 0 0 1 {} {} Z" {style}/>"#,
            a[0], a[1], b[0], b[1], c[0], c[1], d[0], d[1]
        );
    }
}

/// Style of a shape.
struct Style {
    color: &'static str,
    /// Opacity of the fill.
    fill: f32,
    width: f32,
    dashed: bool,
}

impl Style {
    fn solid(color: &'static str) -> Self {
        Style {
            color,
            fill: 0.25,
            width: 2.0,
            dashed: false,
        }
    }

    /// Style of an earlier or later position.
    fn ghost(color: &'static str) -> Self {
        Style {
            color,
            fill: 0.0,
            width: 1.2,
            dashed: true,
        }
    }

    fn line(color: &'static str) -> Self {
        Style {
            color,
            fill: 0.0,
            width: 1.5,
            dashed: false,
        }
    }
}

impl std::fmt::Display for Style {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Style {
            color,
            fill,
            width,
            dashed,
        } = self;
        match *fill {
            0.0 => write!(f, r#"fill="none""#)?,
            opacity => write!(f, r#"fill="{color}" fill-opacity="{opacity}""#)?,
        }
        if *width > 0.0 {
            write!(f, r#" stroke="{color}" stroke-width="{width}""#)?;
        }
        if *dashed {
            write!(f, r#" stroke-dasharray="4 4""#)?;
        }
        Ok(())
    }
}

/// Position of a point in the picture.
fn at([x, y, _]: [f32; 3]) -> [f32; 2] {
    [rounded(x * UNIT), rounded(SIZE[1] - (y - BOTTOM) * UNIT)]
}

/// Rounds to tenths of a pixel.
fn rounded(x: f32) -> f32 {
    (x * 10.0).round() / 10.0
}

fn path(points: &[[f32; 3]]) -> String {
    let mut path = String::new();
    for (k, point) in points.iter().enumerate() {
        let [x, y] = at(*point);
        let _ = write!(path, "{}{x} {y}", if k == 0 { "M" } else { " L" });
    }
    path
}

fn sphere(x: f32, y: f32, radius: f32) -> Sphere {
    Sphere {
        center: [x, y, 0.0],
        radius,
    }
}

/// A box rotated by an angle in the plane.
fn crate_at(x: f32, y: f32, half_extents: [f32; 2], angle: f32) -> Obb {
    let (sin, cos) = (0.5 * angle).sin_cos();
    let half_extents = [half_extents[0], half_extents[1], 1.0];
    Obb {
        center: [x, y, 0.0],
        half_extents,
        rotation: [0.0, 0.0, sin, cos],
    }
}

fn corners(obb: Obb) -> [[f32; 3]; 4] {
    let [_, _, z, w] = obb.rotation;
    let (sin, cos) = (2.0 * z * w, w * w - z * z);
    let ([x, y, _], [u, v, _]) = (obb.center, obb.half_extents);
    [[u, v], [-u, v], [-u, -v], [u, -v]]
        .map(|[a, b]| [x + a * cos - b * sin, y + a * sin + b * cos, 0.0])
}

/// Boxes, their bounds, and the pairs whose bounds overlap.
fn candidates() -> Result<String, phalanx::Error> {
    let boxes = [
        crate_at(5.0, 10.8, [3.2, 1.4], 0.6),
        crate_at(8.9, 9.3, [2.4, 1.5], -0.5),
        crate_at(9.6, 13.5, [1.8, 0.8], 0.2),
        crate_at(20.0, 11.3, [2.8, 1.0], 0.9),
        crate_at(22.8, 7.9, [2.6, 0.8], 0.75),
        crate_at(29.6, 9.8, [2.0, 1.6], 0.3),
    ];
    let boxes = Obbs::from_slice(&boxes);
    let (mut bounds, mut pairs, mut overlaps) = (Aabbs::new(), Vec::new(), Overlaps::new());
    boxes.bounds(During::Start, &mut bounds);
    let mut detector = Detector::new();
    detector.candidates(&boxes, &boxes, During::Start, &mut pairs)?;
    detector.overlap(&boxes, &boxes, &pairs, &mut overlaps)?;

    let mut picture = Picture::new(
        "Six OBBs, each with its AABB. Lines join the pairs whose AABBs overlap, red ones those whose boxes touch.",
    );
    for (obb, aabb) in boxes.iter().zip(bounds.iter()) {
        let ([x, y, _], [u, v, _]) = (aabb.min, aabb.max);
        picture.polygon(
            &[[x, y, 0.0], [u, y, 0.0], [u, v, 0.0], [x, v, 0.0]],
            &Style::ghost(INK),
        );
        picture.obb(obb, &Style::solid(BLUE));
    }
    for (position, Pair { a, b }) in pairs.iter().enumerate() {
        let centers = [a, b].map(|i| boxes.get(*i).unwrap_or_default().center);
        let color = if overlaps.is_hit(position) {
            RED
        } else {
            ORANGE
        };
        picture.line(
            &centers,
            &Style {
                width: 2.5,
                ..Style::line(color)
            },
        );
        centers.iter().for_each(|center| {
            picture.circle(
                *center,
                0.35,
                &Style {
                    fill: 1.0,
                    ..Style::line(color)
                },
            )
        });
    }
    Ok(picture.finish())
}

/// Rays and a bullet, and the first hit of each.
fn first_hits() -> Result<String, phalanx::Error> {
    let boxes = Obbs::from_slice(&[
        crate_at(12.0, 16.0, [1.6, 1.1], 0.5),
        crate_at(18.5, 14.6, [1.4, 1.4], 0.2),
        crate_at(25.0, 16.6, [2.0, 0.9], -0.4),
        crate_at(15.5, 8.6, [1.3, 1.9], 0.8),
        crate_at(22.6, 9.4, [1.1, 1.5], -0.2),
        crate_at(29.5, 11.6, [1.4, 1.4], 0.6),
        crate_at(19.0, 5.4, [2.2, 0.9], 0.3),
        crate_at(27.0, 5.6, [1.5, 1.1], -0.5),
    ]);
    let from = [3.0, 11.0, 0.0];
    let ways = [
        [28.0, 7.4],
        [29.0, 3.4],
        [28.8, 1.2],
        [28.4, -3.4],
        [28.0, -11.0],
    ];
    let mut rays = Spheres::new();
    for [x, y] in ways {
        rays.push_moving(sphere(from[0], from[1], 0.0), [x, y, 0.0]);
    }
    rays.push_moving(sphere(4.5, 5.2, 0.7), [25.0, 0.6, 0.0]);
    let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    detector.first_hits(&rays, &boxes, &mut firsts)?;

    let mut picture = Picture::new(
        "Five rays from one point and a moving sphere, among eight boxes. Each ends at the first box that it hits, which is red; a ray between the boxes hits none.",
    );
    for (obb, b) in boxes.iter().zip(0..) {
        let is_hit = firsts.iter().any(|hit| hit.b == b);
        picture.obb(obb, &Style::solid(if is_hit { RED } else { BLUE }));
    }
    for (i, ray) in rays.iter().enumerate() {
        let time = firsts.get(i).map_or(1.0, |hit| hit.time.enter);
        let end = rays.at(i as u32, time).unwrap_or(ray);
        picture.line(&[ray.center, end.center], &Style::line(INK));
        if ray.radius > 0.0 {
            picture.circle(ray.center, ray.radius, &Style::solid(ORANGE));
            picture.circle(end.center, ray.radius, &Style::ghost(INK));
        } else if firsts.get(i).is_some() {
            let dot = Style {
                fill: 1.0,
                ..Style::line(RED)
            };
            picture.circle(end.center, 0.3, &dot);
        }
    }
    Ok(picture.finish())
}

/// Pairs of different shapes, two of them touching.
fn overlap() -> Result<String, phalanx::Error> {
    let spheres = Spheres::from_slice(&[sphere(6.0, 12.0, 3.0), sphere(21.5, 13.5, 2.4)]);
    let boxes = Obbs::from_slice(&[
        crate_at(9.4, 8.8, [2.6, 1.6], 0.5),
        crate_at(28.0, 13.2, [1.5, 3.0], -0.3),
    ]);
    let people =
        Capsules::from_slice(&[Capsule::between([15.5, 5.8, 0.0], [15.5, 10.0, 0.0], 1.2)]);
    let mut detector = Detector::new();
    let (mut of_spheres, mut of_people) = (Overlaps::new(), Overlaps::new());
    detector.overlap(&spheres, &boxes, Pairs::zip(), &mut of_spheres)?;
    detector.overlap(&people, &boxes, Pairs::one_to_all(0), &mut of_people)?;

    let mut picture = Picture::new(
        "A touching sphere and box, a capsule beside them, and a sphere and a box that do not touch.",
    );
    let color = |touches: bool| if touches { RED } else { BLUE };
    for (i, (sphere, obb)) in spheres.iter().zip(boxes.iter()).enumerate() {
        let touches = of_spheres.is_hit(i);
        picture.sphere(sphere, &Style::solid(color(touches)));
        picture.obb(obb, &Style::solid(color(touches || of_people.is_hit(i))));
        let middle = 0.5 * (sphere.center[0] + obb.center[0]);
        picture.words(
            [middle, 3.2],
            "middle",
            color(touches),
            if touches { "touch" } else { "do not" },
        );
    }
    for capsule in people.iter() {
        picture.capsule(capsule, &Style::solid(color(of_people.count() > 0)));
    }
    Ok(picture.finish())
}

/// A sphere that tunnels through a thin wall between two frames.
fn sweep() -> Result<String, phalanx::Error> {
    let (start, way) = (sphere(4.5, 13.0, 1.8), [24.0, -3.6, 0.0]);
    let wall = crate_at(17.0, 10.6, [0.5, 5.6], 0.12);
    let (mut spheres, walls) = (Spheres::new(), Obbs::from_slice(&[wall]));
    spheres.push_moving(start, way);
    let mut sweeps = Sweeps::new();
    Detector::new().sweep(&spheres, &walls, Pairs::zip(), &mut sweeps)?;

    let mut picture = Picture::new(
        "A sphere that passes a thin wall within a frame, at the times of its first and last contact with the wall.",
    );
    picture.obb(wall, &Style::solid(BLUE));
    let placed = |time: f32| Sphere {
        center: [0, 1, 2].map(|k| start.center[k] + time * way[k]),
        ..start
    };
    picture.sphere(start, &Style::solid(INK));
    picture.sphere(placed(1.0), &Style::ghost(INK));
    picture.arrow(start.center, placed(1.0).center, INK);
    picture.words([4.5, 16.2], "middle", INK, "0");
    picture.words([28.5, 12.4], "middle", INK, "1");
    for (_, time) in sweeps.iter() {
        for (at, name, x) in [(time.enter, "enter", -1.2), (time.exit, "exit", 1.2)] {
            let sphere = placed(at);
            picture.sphere(
                sphere,
                &Style {
                    fill: 0.1,
                    ..Style::solid(RED)
                },
            );
            let anchor = if x < 0.0 { "end" } else { "start" };
            picture.words(
                [sphere.center[0] + x, 4.0],
                anchor,
                RED,
                &format!("{name} {at:.2}"),
            );
            picture.line(
                &[[sphere.center[0], 4.6, 0.0], sphere.center],
                &Style::ghost(RED),
            );
        }
    }
    Ok(picture.finish())
}

/// Two penetrating boxes: the normal, the depth, the points.
fn contact() -> Result<String, phalanx::Error> {
    let (ground, tilted) = (
        crate_at(14.0, 5.4, [11.0, 2.6], 0.0),
        crate_at(18.5, 10.4, [7.2, 3.4], -0.1),
    );
    let mut contacts = Contacts::new();
    let (grounds, crates) = (Obbs::from_slice(&[ground]), Obbs::from_slice(&[tilted]));
    Detector::new()
        .margin(1.0)?
        .contact(&grounds, &crates, Pairs::zip(), &mut contacts)?;

    let mut picture = Picture::new(
        "Box b penetrates box a from above. The normal points from a to b. At each point the separation is the signed distance from the surface of a to the surface of b along the normal, negative when penetrating.",
    );
    picture.obb(ground, &Style::solid(BLUE));
    picture.obb(tilted, &Style::solid(ORANGE));
    picture.words([4.4, 3.6], "middle", BLUE, "a");
    picture.words([22.6, 11.0], "middle", ORANGE, "b");
    for contact in &contacts {
        // Two of the four points are behind the others.
        let mut points: Vec<([f32; 3], f32)> = Vec::new();
        for point in contact.points() {
            let at = [0, 1, 2].map(|k| ground.center[k] + point.at[k]);
            if points
                .iter()
                .all(|(other, _)| (other[0] - at[0]).abs() > 0.1)
            {
                points.push((at, point.separation));
            }
        }
        points.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
        let n = contact.normal;
        for (at, separation) in &points {
            let end = |side: f32| [0, 1, 2].map(|k| at[k] + 0.5 * side * separation * n[k]);
            picture.line(
                &[end(-1.0), end(1.0)],
                &Style {
                    width: 2.0,
                    ..Style::line(RED)
                },
            );
            picture.circle(
                *at,
                0.45,
                &Style {
                    fill: 1.0,
                    ..Style::line(INK)
                },
            );
            let away = if *separation < 0.0 { -2.6 } else { 1.0 };
            picture.words(
                [at[0] + 0.8, at[1] + away],
                "start",
                RED,
                &format!("{separation:.2}"),
            );
        }
        let from = [13.0, 8.0, 0.0];
        picture.arrow(from, [0, 1, 2].map(|k| from[k] + 7.6 * n[k]), GREEN);
        picture.words([14.6, 15.6], "start", GREEN, "normal");
    }
    Ok(picture.finish())
}

/// Shapes on a ridge, in a valley, on a peak and on a flat place of a mesh, with the directions in which it pushes them.
fn inner_edges() -> Result<String, phalanx::Error> {
    // Columns of three vertices: in front of the picture, in it, and behind it. Only the peak is lower beside it.
    let columns = [
        [-2.0, 6.0, 6.0],
        [4.5, 6.0, 6.0],
        [8.0, 12.0, 12.0],
        [14.5, 5.5, 5.5],
        [19.0, 10.5, 6.0],
        [24.0, 6.0, 6.0],
        [29.0, 6.0, 6.0],
        [36.0, 6.0, 6.0],
    ];
    let vertices: Vec<[f32; 3]> = columns
        .iter()
        .flat_map(|&[x, y, aside]| [[x, aside, 6.0], [x, y, 0.0], [x, aside, -6.0]])
        .collect();
    let triangles: Vec<[u32; 3]> = (0..3 * columns.len() as u32 - 3)
        .filter(|k| k % 3 < 2)
        .flat_map(|k| [[k, k + 3, k + 4], [k, k + 4, k + 1]])
        .collect();
    let mesh = Mesh::new(&vertices, &triangles)?;
    let boxes = Obbs::from_slice(&[
        crate_at(7.4, 13.2, [2.6, 1.5], 0.2),
        crate_at(29.0, 7.6, [3.2, 1.8], 0.0),
    ]);
    let spheres = Spheres::from_slice(&[sphere(14.3, 9.05, 2.6), sphere(19.3, 12.3, 2.0)]);

    let mut picture = Picture::new(
        "Shapes in a ground of triangles. On a ridge and on a peak they are pushed along normals that lie between those around them, in a valley along the normals of both slopes, on a flat edge straight up.",
    );
    let mut surface: Vec<[f32; 3]> = columns.iter().map(|&[x, y, _]| [x, y, 0.0]).collect();
    surface.extend([[36.0, 0.0, 0.0], [-2.0, 0.0, 0.0]]);
    picture.polygon(&surface, &Style::solid(BLUE));
    for obb in boxes.iter() {
        picture.obb(obb, &Style::solid(ORANGE));
    }
    for sphere in spheres.iter() {
        picture.sphere(sphere, &Style::solid(ORANGE));
    }
    let (mut detector, mut contacts) = (Detector::new(), Contacts::new());
    let mut pushes: Vec<([f32; 3], [f32; 3])> = Vec::new();
    let mut add = |pairs: &[Pair], contacts: &Contacts, center: &dyn Fn(u32) -> [f32; 3]| {
        for contact in contacts.without_inner(pairs, &mesh) {
            let center = center(pairs[contact.position].a);
            // Of a box, the middle of its points.
            let share = 1.0 / contact.points().len() as f32;
            let mut at = center;
            for point in contact.points() {
                at = [0, 1, 2].map(|k| at[k] + share * point.at[k]);
            }
            let outward = contact.normal.map(|x| -x);
            let is_new = pushes.iter().all(|(other, way)| {
                let apart = [0, 1].map(|k| other[k] - at[k]);
                apart[0].hypot(apart[1]) > 2.0 || way[0] * outward[0] + way[1] * outward[1] < 0.95
            });
            if is_new {
                pushes.push((at, outward));
            }
        }
    };
    let mut pairs = Vec::new();
    detector.candidates(&boxes, &mesh, During::Start, &mut pairs)?;
    detector.contact(&boxes, &mesh, &pairs, &mut contacts)?;
    add(&pairs, &contacts, &|k| {
        boxes.get(k).unwrap_or_default().center
    });
    detector.candidates(&spheres, &mesh, During::Start, &mut pairs)?;
    detector.contact(&spheres, &mesh, &pairs, &mut contacts)?;
    add(&pairs, &contacts, &|k| {
        spheres.get(k).unwrap_or_default().center
    });
    for (at, outward) in pushes {
        picture.arrow(at, [0, 1, 2].map(|k| at[k] + 4.5 * outward[k]), GREEN);
    }
    for (x, words) in [
        (6.6, "ridge"),
        (13.4, "valley"),
        (20.2, "peak"),
        (28.9, "flat edge"),
    ] {
        picture.words([x, 3.0], "middle", INK, words);
    }
    Ok(picture.finish())
}

/// A plank that rotates while it flies, and stops at a post.
fn impact() -> Result<String, phalanx::Error> {
    let (plank, post) = (
        crate_at(6.0, 11.5, [4.6, 0.6], 0.5),
        crate_at(21.5, 9.0, [1.1, 3.2], 0.0),
    );
    let (way, turn) = ([22.0, -1.0, 0.0], [0.0, 0.0, -2.6]);
    let (mut planks, posts) = (Obbs::new(), Obbs::from_slice(&[post]));
    planks.push_turning(plank, way, turn);
    let mut impacts = Impacts::new();
    Detector::new().impact(&planks, &posts, Pairs::zip(), 1e-3, &mut impacts)?;

    let mut picture = Picture::new(
        "A plank that moves and rotates during a frame, at the time of its first contact with a post.",
    );
    picture.obb(post, &Style::solid(BLUE));
    // A rotation by this angle about z, by its ends.
    let (sin, cos) = (0.5 * turn[2]).sin_cos();
    let [_, _, z, w] = plank.rotation;
    let end = [0.0, 0.0, z * cos + w * sin, w * cos - z * sin];
    let placed = |time: f32| Obb {
        center: [0, 1, 2].map(|k| plank.center[k] + time * way[k]),
        rotation: slerp(plank.rotation, end, time),
        ..plank
    };
    picture.obb(plank, &Style::solid(INK));
    for (_, time) in impacts.iter() {
        for step in 1..4 {
            picture.obb(placed(time * step as f32 / 4.0), &Style::ghost(INK));
        }
        picture.obb(placed(1.0), &Style::ghost(INK));
        picture.obb(placed(time), &Style::solid(RED));
        picture.words(
            [placed(time).center[0], 3.2],
            "middle",
            RED,
            &format!("time {time:.2}"),
        );
    }
    picture.words([3.4, 15.4], "middle", INK, "0");
    picture.words([28.0, 15.4], "middle", INK, "1");
    Ok(picture.finish())
}

/// A separated box and capsule: both bounds of their distance, and the points.
fn distance() -> Result<String, phalanx::Error> {
    let obb = crate_at(8.0, 11.4, [4.4, 2.2], 0.5);
    let capsule = Capsule::between([22.5, 6.0, 0.0], [28.0, 14.5, 0.0], 1.7);
    let (boxes, capsules) = (Obbs::from_slice(&[obb]), Capsules::from_slice(&[capsule]));
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    let pairs = Pairs::zip();
    Detector::new().distance_points(&boxes, &capsules, pairs, &mut distances, &mut points)?;

    let mut picture = Picture::new(
        "A separated box and capsule. A line joins their nearest points; its length lies between a lower and an upper bound.",
    );
    picture.obb(obb, &Style::solid(BLUE));
    picture.capsule(capsule, &Style::solid(ORANGE));
    if let (Some(range), Some(ends)) = (distances.get(0), points.get(0)) {
        let ends = ends.map(|end| [0, 1, 2].map(|k| obb.center[k] + end[k]));
        picture.join(ends, RED);
        let words = [
            (5.3, "lower", (range.lower * 1e3).floor()),
            (2.9, "upper", (range.upper * 1e3).ceil()),
        ];
        for (y, name, thousandths) in words {
            let words = format!("{name} = {:.3}", thousandths / 1e3);
            picture.words([10.5, y], "middle", RED, &words);
        }
    }
    Ok(picture.finish())
}

/// The links of an arm, and the shape nearest to each within a radius.
fn nearest() -> Result<String, phalanx::Error> {
    const RADIUS: f32 = 3.2;
    let links = Capsules::from_slice(&[
        Capsule::between([7.0, 7.0, 0.0], [7.0, 11.6, 0.0], 1.0),
        Capsule::between([7.0, 11.6, 0.0], [15.0, 13.6, 0.0], 0.8),
        Capsule::between([15.0, 13.6, 0.0], [20.6, 9.4, 0.0], 0.6),
    ]);
    let boxes = Obbs::from_slice(&[
        crate_at(13.2, 7.8, [1.5, 1.2], 0.4),
        crate_at(24.6, 8.6, [1.2, 1.7], -0.3),
        crate_at(24.4, 16.2, [1.3, 1.0], 0.5),
        crate_at(19.0, 4.4, [1.6, 0.8], 0.1),
        crate_at(30.0, 13.4, [1.5, 1.5], 0.7),
        crate_at(29.6, 5.2, [1.3, 1.0], -0.2),
    ]);
    let (mut detector, mut nearest) = (Detector::new(), Nearest::new());
    detector.nearest(&links, &boxes, RADIUS, &mut nearest)?;
    let near = nearest.iter().filter_map(|link| Some((link.a, link.b?)));
    let pairs: Vec<Pair> = near.map(|(a, b)| Pair::new(a, b)).collect();
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    detector.distance_points(&links, &boxes, &pairs, &mut distances, &mut points)?;

    let mut picture = Picture::new(
        "An arm of three links among six boxes. A dashed outline is a radius away from each link; a line joins each link and the nearest box within it, which is red.",
    );
    for link in links.iter() {
        let radius = link.radius + RADIUS;
        picture.capsule(Capsule { radius, ..link }, &Style::ghost(INK));
    }
    for (obb, b) in boxes.iter().zip(0..) {
        let is_nearest = pairs.iter().any(|pair| pair.b == b);
        picture.obb(obb, &Style::solid(if is_nearest { RED } else { BLUE }));
    }
    for link in links.iter() {
        picture.capsule(link, &Style::solid(ORANGE));
    }
    for (position, pair) in pairs.iter().enumerate() {
        let center = links.get(pair.a).unwrap_or_default().center;
        let Some(ends) = points.get(position) else {
            continue;
        };
        let ends = ends.map(|end| [0, 1, 2].map(|k| center[k] + end[k]));
        picture.join(ends, RED);
        let [x, y] = [0, 1].map(|k| 0.5 * (ends[0][k] + ends[1][k]));
        let is_level = (ends[0][0] - ends[1][0]).abs() > (ends[0][1] - ends[1][1]).abs();
        // Below a level line, left of others.
        let place = match is_level {
            true => [x + 0.1, y - 2.4],
            false => [x - 0.6, y - 1.8],
        };
        let words = format!("{:.2}", distances.lower()[position]);
        picture.words(place, "end", RED, &words);
    }
    Ok(picture.finish())
}
