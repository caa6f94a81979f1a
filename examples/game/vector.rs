//! Vectors of the game, in `f64` as the poses of a scene are.

pub type Vector = [f64; 3];

/// `a + b * k`
pub fn add(a: Vector, b: Vector, k: f64) -> Vector {
    [0, 1, 2].map(|i| a[i] + b[i] * k)
}

pub fn sub(a: Vector, b: Vector) -> Vector {
    add(a, b, -1.0)
}

pub fn scaled(a: Vector, k: f64) -> Vector {
    a.map(|x| x * k)
}

pub fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// A motion without its part into a surface.
pub fn along(motion: Vector, normal: Vector) -> Vector {
    add(motion, normal, -dot(motion, normal).min(0.0))
}

/// Displacements, normals and directions of a scene are in `f32`.
pub fn narrow(a: Vector) -> [f32; 3] {
    a.map(|x| x as f32)
}

pub fn wide(a: [f32; 3]) -> Vector {
    a.map(f64::from)
}

/// Numbers between two others, the same on every machine.
pub struct Random(pub u64);

impl Random {
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * (self.0 >> 40) as f64 / (1u64 << 24) as f64
    }

    /// A unit quaternion.
    pub fn rotation(&mut self) -> [f32; 4] {
        let turn = [(); 4].map(|()| self.between(-1.0, 1.0));
        let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
        match length > 0.1 {
            true => turn.map(|x| (x / length) as f32),
            false => [0.0, 0.0, 0.0, 1.0],
        }
    }
}
