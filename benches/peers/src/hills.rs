//! A terrain of hills, two triangles a square metre, and rays on it.

use parry3d::math::Vector;
use parry3d::query::Ray;
use rand::RngExt;
use rand::rngs::StdRng;

/// Rays; lengths are in metres.
#[derive(Clone, Copy)]
pub enum Rays {
    /// Straight down from above the hills.
    Down,
    /// From a place above the ground in any direction, with lengths from and to.
    Across(f32, f32),
}

impl Rays {
    /// A ray on a square of this side.
    pub fn ray(self, side: f32, rng: &mut StdRng) -> Ray {
        let (x, y) = (rng.random_range(0.0..side), rng.random_range(0.0..side));
        match self {
            Rays::Down => Ray::new(Vector::new(x, y, 50.0), Vector::new(0.0, 0.0, -100.0)),
            Rays::Across(shortest, longest) => {
                let z = height(x, y) + rng.random_range(0.1..3.0);
                let length = rng.random_range(shortest..longest);
                let direction = loop {
                    let d = Vector::from([(); 3].map(|()| rng.random_range(-1.0..1.0f32)));
                    if (0.1..1.0).contains(&d.length()) {
                        break d.normalize();
                    }
                };
                Ray::new(Vector::new(x, y, z), direction * length)
            }
        }
    }
}

/// Height of the terrain.
pub fn height(x: f32, y: f32) -> f32 {
    6.0 * (x * 0.05).sin() * (y * 0.07).cos() + 0.4 * (x * 0.9).sin() + 0.3 * (y * 1.1).cos()
}

/// Corners and triangles of a terrain.
pub fn terrain(side: usize) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let along = side + 1;
    let place = |k: usize| {
        let (x, y) = ((k % along) as f32, (k / along) as f32);
        [x, y, height(x, y)]
    };
    let vertices = (0..along * along).map(place).collect();
    let square = |k: usize| {
        let first = (k / side * along + k % side) as u32;
        let (right, above) = (first + 1, first + along as u32);
        [[first, right, above], [right, above + 1, above]]
    };
    (vertices, (0..side * side).flat_map(square).collect())
}
