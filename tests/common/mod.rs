//! Inputs near the boundary between touching and not touching.
#![allow(dead_code)]

pub mod ask;
pub mod scenes;

use phalanx::traits::Shape;
use phalanx::{Aabb, Capsule, Error, HalfSpace, HullKinds, Obb, Plane, Point, Sphere, Triangle};
use rand::rngs::StdRng;
use rand::{Rng, RngExt, SeedableRng};

/// A generator for a named purpose: the same on every run and machine.
pub fn rng(purpose: &str) -> StdRng {
    StdRng::seed_from_u64(digest(purpose.bytes().map(u32::from)))
}

/// FNV-1a over words.
pub fn digest(words: impl IntoIterator<Item = u32>) -> u64 {
    words
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, word| {
            (hash ^ u64::from(word)).wrapping_mul(0x0100_0000_01b3)
        })
}

/// Number of cases of a property test.
pub fn cases() -> usize {
    cases_or(50_000)
}

/// Number of cases of a property test with its own default.
pub fn cases_or(default: usize) -> usize {
    std::env::var("PHALANX_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

/// The first sample of points that are near enough to their origin for a kind of hulls.
pub fn near_origin(mut sample: impl FnMut() -> Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    loop {
        let points = sample();
        let added = HullKinds::new().add(&points);
        if !matches!(added, Err(Error::HullOffCenter { .. })) {
            return points;
        }
    }
}

/// Corners and triangles of a cube, wound outwards.
pub fn cube(half: f32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let vertices = (0..8).map(|i| [0, 1, 2].map(|k| if i >> k & 1 == 0 { -half } else { half }));
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let halves = quads
        .iter()
        .flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
    (vertices.collect(), halves.collect())
}

/// Setting shared by the shapes of a case.
pub struct Setting {
    /// The order of magnitude of lengths.
    pub scale: f32,
    /// Approximate position of all shapes.
    pub offset: [f32; 3],
    /// Smallest ratio of lengths of a shape.
    pub aspect: f32,
    /// Whether lengths are multiples of an eighth of the scale, so that contacts are exact.
    pub snapped: bool,
    /// The rotation of the first box; others deviate from it by `turn`.
    rotation: [f64; 4],
    turn: f64,
}

impl Setting {
    pub fn random(rng: &mut impl Rng) -> Self {
        let snapped = rng.random_bool(0.3);
        let scale = if snapped {
            2f32.powi(rng.random_range(-20..=20))
        } else {
            let decades = match rng.random_range(0..20) {
                // Squares underflow.
                0 | 1 => -26.0..-16.0,
                // Lengths underflow.
                2 => -40.0..-36.0,
                3..=6 => -12.0..12.0,
                _ => -6.0..6.0,
            };
            10f32.powf(rng.random_range(decades))
        };
        let far = [0.0, 0.0, 1.0, 1e3, 1e6, 1e7][rng.random_range(0..6)] * scale;
        let rotation = match rng.random_range(0..3) {
            0 => [0.0, 0.0, 0.0, 1.0],
            // A rotation by 90° or 120°, with exact entries of 0 and 1.
            1 => [[0.5; 4], [0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()]][rng.random_range(0..2)],
            _ => random_rotation(rng, std::f64::consts::PI),
        };
        Setting {
            scale,
            offset: [(); 3]
                .map(|()| (rng.random_range(-1.0..1.0f32) * far / scale).round() * scale),
            aspect: [1.0, 1.0, 0.03, 1e-3][rng.random_range(0..4)],
            snapped,
            rotation,
            turn: match rng.random_range(0..4) {
                0 => 0.0,
                1 | 2 => 10f64.powf(rng.random_range(-9.0..-1.0)),
                _ => 3.0,
            },
        }
    }

    /// Lengths about 1 around the origin, any rotation.
    pub fn ordinary() -> Self {
        Setting {
            scale: 1.0,
            offset: [0.0; 3],
            aspect: 0.1,
            snapped: false,
            rotation: [0.0, 0.0, 0.0, 1.0],
            turn: 3.0,
        }
    }

    /// A size, sometimes zero.
    pub fn length(&self, rng: &mut impl Rng) -> f32 {
        if rng.random_bool(0.05) {
            return 0.0;
        }
        let thin = if rng.random_bool(0.3) {
            self.aspect
        } else {
            1.0
        };
        self.snap(rng.random_range(0.05..1.0) * self.scale * thin)
    }

    /// A coordinate.
    pub fn coordinate(&self, rng: &mut impl Rng, axis: usize) -> f32 {
        self.offset[axis] + self.snap(rng.random_range(-1.0..1.0) * self.scale)
    }

    pub fn point(&self, rng: &mut impl Rng) -> [f32; 3] {
        [0, 1, 2].map(|axis| self.coordinate(rng, axis))
    }

    /// A displacement: none, small, ordinary, huge, or along an axis.
    pub fn motion(&self, rng: &mut impl Rng) -> [f32; 3] {
        let size = self.scale * [0.0, 1e-6, 1.0, 4.0, 4.0, 1e3, 1e6][rng.random_range(0..7)];
        let mut motion = [(); 3].map(|()| self.snap(rng.random_range(-1.0..1.0) * size));
        if rng.random_bool(0.3) {
            motion[rng.random_range(0..3)] = 0.0;
            motion[rng.random_range(0..3)] = 0.0;
        }
        motion
    }

    /// A quaternion, rounded, sometimes not quite of unit length.
    pub fn rotation(&self, rng: &mut impl Rng) -> [f32; 4] {
        let q = if rng.random_bool(0.5) {
            self.rotation
        } else {
            product(self.rotation, random_rotation(rng, self.turn))
        };
        let stretch = if rng.random_bool(0.2) {
            rng.random_range(0.9992..1.0008)
        } else {
            1.0
        };
        q.map(|x| (x * stretch) as f32)
    }

    /// Half of a segment: often parallel or nearly parallel to another, or along an axis; sometimes long.
    pub fn half_axis(&self, rng: &mut impl Rng) -> [f32; 3] {
        let length = self.length(rng) * [1.0, 1.0, 1.0, 8.0, 100.0][rng.random_range(0..5)];
        let mut half_axis = [0.0; 3];
        if rng.random_bool(0.2) {
            half_axis[rng.random_range(0..3)] = if rng.random_bool(0.5) {
                length
            } else {
                -length
            };
            return half_axis;
        }
        let [x, y, z, w] = self.rotation(rng).map(f64::from);
        let direction = [
            w * w + x * x - y * y - z * z,
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ];
        direction.map(|x| self.snap(x as f32 * length))
    }

    fn snap(&self, x: f32) -> f32 {
        if self.snapped {
            (x / self.scale * 8.0).round() / 8.0 * self.scale
        } else {
            x
        }
    }
}

/// A rotation by at most `angle` about any axis.
pub fn random_rotation(rng: &mut impl Rng, angle: f64) -> [f64; 4] {
    let axis = loop {
        let axis = [(); 3].map(|()| rng.random_range(-1.0..1.0f64));
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.1 && length < 1.0 {
            break axis.map(|x| x / length);
        }
    };
    let half = angle * rng.random_range(0.3..1.0) / 2.0;
    let [x, y, z] = axis.map(|x| x * half.sin());
    [x, y, z, half.cos()]
}

/// The product of two rotations: `b` first, then `a`.
pub fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// A shape type with random samples.
pub trait Sample: Shape {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self;
    /// Moves the shape, with roundings.
    fn moved(self, by: [f32; 3]) -> Self;
    /// A stored point: its center, or one of its corners.
    fn corner(&self, rng: &mut impl Rng) -> [f32; 3];
    /// A point of the shape, rounded.
    fn inside(&self, rng: &mut impl Rng) -> [f32; 3] {
        self.corner(rng)
    }
}

impl Sample for Point {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        // Sometimes the origin, where planes of d = 0 pass: hardly any other point is on a plane.
        let position = if rng.random_bool(0.05) {
            setting.offset
        } else {
            setting.point(rng)
        };
        Point { position }
    }
    fn moved(self, by: [f32; 3]) -> Self {
        Point {
            position: add(self.position, by),
        }
    }
    fn corner(&self, _: &mut impl Rng) -> [f32; 3] {
        self.position
    }
}

impl Sample for Sphere {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        Sphere {
            center: setting.point(rng),
            radius: setting.length(rng),
        }
    }
    fn moved(self, by: [f32; 3]) -> Self {
        Sphere {
            center: add(self.center, by),
            ..self
        }
    }
    fn corner(&self, _: &mut impl Rng) -> [f32; 3] {
        self.center
    }
}

impl Sample for Capsule {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        Capsule {
            center: setting.point(rng),
            half_axis: setting.half_axis(rng),
            radius: setting.length(rng),
        }
    }
    fn moved(self, by: [f32; 3]) -> Self {
        Capsule {
            center: add(self.center, by),
            ..self
        }
    }
    fn corner(&self, _: &mut impl Rng) -> [f32; 3] {
        self.center
    }
    fn inside(&self, rng: &mut impl Rng) -> [f32; 3] {
        let at = rng.random_range(-1.0..1.0f32);
        add(self.center, self.half_axis.map(|x| x * at))
    }
}

impl Sample for Aabb {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        let half_extents = [(); 3].map(|()| setting.length(rng));
        Aabb::from_center_half_extents(setting.point(rng), half_extents)
    }
    fn moved(self, by: [f32; 3]) -> Self {
        Aabb {
            min: add(self.min, by),
            max: add(self.max, by),
        }
    }
    fn corner(&self, rng: &mut impl Rng) -> [f32; 3] {
        [self.min, self.max][rng.random_range(0..2)]
    }
    fn inside(&self, rng: &mut impl Rng) -> [f32; 3] {
        [0, 1, 2].map(|k| rng.random_range(self.min[k]..=self.max[k]))
    }
}

impl Sample for Obb {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        Obb {
            center: setting.point(rng),
            half_extents: [(); 3].map(|()| setting.length(rng)),
            rotation: setting.rotation(rng),
        }
    }
    fn moved(self, by: [f32; 3]) -> Self {
        Obb {
            center: add(self.center, by),
            ..self
        }
    }
    fn corner(&self, _: &mut impl Rng) -> [f32; 3] {
        self.center
    }
}

impl Sample for Triangle {
    /// Needles, slivers, segments and points too.
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        let a = setting.point(rng);
        let along = setting.half_axis(rng);
        let b = add(a, along);
        let share = [0.0, 1.0, 0.5, rng.random_range(-0.2..1.2)][rng.random_range(0..4)];
        let beside = setting.half_axis(rng);
        let thin = [1.0, 1.0, 1.0, 1e-2, 1e-4, 1e-6, 1e-8, 0.0][rng.random_range(0..8)];
        let c = [0, 1, 2].map(|k| a[k] + along[k] * share + beside[k] * thin);
        let mut corners = [a, b, c];
        corners.rotate_left(rng.random_range(0..3));
        if rng.random_bool(0.5) {
            corners.swap(0, 1);
        }
        if rng.random_bool(0.02) {
            corners = [a; 3];
        }
        Triangle { corners }
    }
    fn moved(self, by: [f32; 3]) -> Self {
        Triangle {
            corners: self.corners.map(|corner| add(corner, by)),
        }
    }
    fn corner(&self, rng: &mut impl Rng) -> [f32; 3] {
        self.corners[rng.random_range(0..3)]
    }
    fn inside(&self, rng: &mut impl Rng) -> [f32; 3] {
        let [a, b, c] = self.corners;
        let s = rng.random_range(0.0..1.0f32);
        let t = [0.0, rng.random_range(0.0..1.0f32)][rng.random_range(0..2)];
        [0, 1, 2].map(|k| a[k] + (b[k] + (c[k] - b[k]) * t - a[k]) * s)
    }
}

/// A normal of any direction and length, or along an axis.
fn normal(rng: &mut impl Rng) -> [f32; 3] {
    let mut normal = [(); 3].map(|()| rng.random_range(-1.0..1.0f32));
    if rng.random_bool(0.3) {
        let axis = rng.random_range(0..3);
        normal = [0.0; 3];
        normal[axis] = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
    }
    let length = if rng.random_bool(0.3) {
        10f32.powf(rng.random_range(-10.0..10.0))
    } else {
        1.0
    };
    normal.map(|x| x * length)
}

impl Sample for Plane {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        Plane::from_point_normal(setting.point(rng), normal(rng))
    }
    fn moved(self, by: [f32; 3]) -> Self {
        let d = Plane::from_point_normal(by, self.normal).d;
        Plane {
            d: self.d + d,
            ..self
        }
    }
    fn corner(&self, _: &mut impl Rng) -> [f32; 3] {
        let squared: f32 = self.normal.iter().map(|x| x * x).sum();
        self.normal.map(|x| -x * self.d / squared)
    }
}

impl Sample for HalfSpace {
    fn sample(rng: &mut impl Rng, setting: &Setting) -> Self {
        HalfSpace::from_point_normal(setting.point(rng), normal(rng))
    }
    fn moved(self, by: [f32; 3]) -> Self {
        let d = HalfSpace::from_point_normal(by, self.normal).d;
        HalfSpace {
            d: self.d + d,
            ..self
        }
    }
    fn corner(&self, _: &mut impl Rng) -> [f32; 3] {
        let squared: f32 = self.normal.iter().map(|x| x * x).sum();
        self.normal.map(|x| -x * self.d / squared)
    }
}

pub fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Steps one number of a shape, or of its displacement, by a few units in the last place.
pub fn nudge<T: Shape>(rng: &mut impl Rng, (shape, displacement): &mut (T, [f32; 3])) {
    let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(shape));
    let k = rng.random_range(0..numbers.len() + 3);
    let x = if k < numbers.len() {
        &mut numbers[k]
    } else {
        &mut displacement[k - numbers.len()]
    };
    *x = step(*x, rng.random_range(-2..=2));
}

/// Now and then gives a triangle an edge so short that products underflow, down to one unit in the last place of zero.
pub fn shorten<T: Shape>(rng: &mut impl Rng, shape: &mut T) {
    let numbers: &mut [f32] = bytemuck::cast_slice_mut(std::slice::from_mut(shape));
    if numbers.len() != size_of::<Triangle>() / size_of::<f32>() || !rng.random_bool(0.05) {
        return;
    }
    let (from, to) = (3 * rng.random_range(0..3), 3 * rng.random_range(0..3));
    if from != to {
        let axis = rng.random_range(0..3);
        numbers[from + axis] = 0.0;
        numbers.copy_within(from..from + 3, to);
        let length = 10f64.powf(rng.random_range(-45.0..-20.0)) as f32;
        numbers[to + axis] = if rng.random_bool(0.5) {
            length
        } else {
            -length
        };
    }
}

/// The number stepped by some units in the last place.
pub fn step(x: f32, steps: i32) -> f32 {
    // Floats in order, as integers.
    let to = |x: f32| (x.to_bits() as i32) ^ ((x.to_bits() as i32 >> 31) as u32 >> 1) as i32;
    let ordered = to(x).saturating_add(steps);
    let stepped = f32::from_bits((ordered ^ ((ordered >> 31) as u32 >> 1) as i32) as u32);
    if stepped.is_finite() { stepped } else { x }
}
