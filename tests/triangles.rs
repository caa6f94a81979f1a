//! No ray passes between the triangles of a closed surface.

mod common;

use common::{cases_or, rng};
use phalanx::{Detector, FirstHits, Point, Points, Triangle, Triangles};
use rand::RngExt;
use rand::rngs::StdRng;

/// A closed surface around the origin: an octahedron, each face divided into `n`² triangles, with every vertex moved out
/// or in by the same amount for all triangles that share it, then scaled along each axis. The surface is that of the rounded
/// vertices, so it has no gaps, and a segment from the middle that ends outside crosses it.
struct Surface {
    /// Of the triangles, in order; three for each.
    vertices: Vec<[[f32; 3]; 3]>,
}

impl Surface {
    fn new(n: i32, scale: [f64; 3], center: [f64; 3]) -> Self {
        let place = |vertex: [i32; 3]| {
            let length = vertex.iter().map(|&x| f64::from(x * x)).sum::<f64>().sqrt();
            // Of the coordinates alone, so that triangles with the same vertex have the same place for it.
            let [x, y, z] = vertex.map(f64::from);
            let bump = 1.0 + 0.05 * (12.9 * x + 78.2 * y + 37.7 * z).sin();
            [0, 1, 2].map(|k| (center[k] + scale[k] * bump * f64::from(vertex[k]) / length) as f32)
        };
        let mut vertices = Vec::new();
        for signs in 0..8 {
            let sign = [0, 1, 2].map(|k| if signs >> k & 1 == 0 { 1 } else { -1 });
            let at = |i: i32, j: i32| place([i * sign[0], j * sign[1], (n - i - j) * sign[2]]);
            for i in 0..n {
                for j in 0..n - i {
                    vertices.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                    if i + j + 1 < n {
                        vertices.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
                    }
                }
            }
        }
        Surface { vertices }
    }

    fn triangles(&self) -> Triangles {
        let triangle = |&corners| Triangle { corners };
        self.vertices.iter().map(triangle).collect()
    }

    /// A place on a common edge of two triangles, rounded: a corner, the middle, or anywhere.
    fn on_an_edge(&self, rng: &mut StdRng) -> [f32; 3] {
        let corners = self.vertices[rng.random_range(0..self.vertices.len())];
        let k = rng.random_range(0..3);
        let (from, to) = (corners[k], corners[(k + 1) % 3]);
        let share = [0.0, 0.5, rng.random_range(0.0..1.0f32)][rng.random_range(0..3)];
        [0, 1, 2].map(|i| from[i] + share * (to[i] - from[i]))
    }
}

/// Rays out of the middle, or back to it, through edges and corners. Those that hit nothing are returned.
fn leaks(surface: &Surface, center: [f32; 3], rays: usize, rng: &mut StdRng) -> Vec<[[f32; 3]; 2]> {
    let triangles = surface.triangles();
    let mut points = Points::with_capacity(rays);
    for _ in 0..rays {
        let through = surface.on_an_edge(rng);
        let stretch = rng.random_range(1.5..4.0);
        let v = [0, 1, 2].map(|k| (through[k] - center[k]) * stretch);
        if rng.random_bool(0.5) {
            let end = [0, 1, 2].map(|k| center[k] + v[k]);
            let back = [0, 1, 2].map(|k| center[k] - end[k]);
            points.push_moving(Point { position: end }, back);
        } else {
            points.push_moving(Point { position: center }, v);
        }
    }
    let mut firsts = FirstHits::new();
    Detector::new()
        .first_hits(&points, &triangles, &mut firsts)
        .unwrap();
    assert!(firsts.invalid_words().iter().all(|&word| word == 0));
    (0..rays as u32)
        .filter(|&i| firsts.get(i as usize).is_none())
        .map(|i| {
            [
                points.get(i).unwrap().position,
                points.displacement(i).unwrap(),
            ]
        })
        .collect()
}

#[test]
fn no_ray_passes_between_the_triangles_of_a_closed_surface() {
    let rays = cases_or(100_000);
    // Fine and coarse, round, flat and long, far away, tiny and huge.
    let surfaces = [
        (32, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        (3, [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]),
        (24, [1.0, 1e-3, 1.0], [0.0, 0.0, 0.0]),
        (24, [1e3, 1e-2, 1e-2], [0.0, 0.0, 0.0]),
        (16, [1.0, 1.0, 1.0], [3e4, -2e4, 1e4]),
        (16, [1e-12, 1e-12, 1e-12], [0.0, 0.0, 0.0]),
        (16, [1e15, 1e15, 1e15], [0.0, 0.0, 0.0]),
    ];
    for (seed, (n, scale, center)) in surfaces.into_iter().enumerate() {
        let surface = Surface::new(n, scale, center);
        let center = center.map(|x| x as f32);
        let leaks = leaks(&surface, center, rays, &mut rng(&format!("surface {seed}")));
        assert!(
            leaks.is_empty(),
            "{} of {rays} rays pass a surface of {} triangles, the first from {:?} by {:?}",
            leaks.len(),
            surface.vertices.len(),
            leaks[0][0],
            leaks[0][1]
        );
    }
}
