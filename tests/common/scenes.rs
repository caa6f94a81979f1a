//! Scenes of boxes: cubes, levels, roads, lines, clusters, and numbers at the ends of their range.

use phalanx::{Aabb, Aabbs, Store};
use rand::RngExt;
use rand::rngs::StdRng;

use super::{Sample, Setting};

/// Boxes of a scene.
pub type Scene = fn(&mut StdRng, usize) -> Aabb;

pub fn cube(center: [f32; 3], half: f32) -> Aabb {
    Aabb::from_center_half_extents(center, [half; 3])
}

pub fn inside(rng: &mut StdRng, side: f32) -> [f32; 3] {
    [(); 3].map(|()| rng.random_range(0.0..side))
}

/// Shapes in motion in a world with this side.
pub fn samples<T: Sample>(rng: &mut StdRng, len: usize, side: f32) -> Store<T> {
    let mut setting = Setting::ordinary();
    setting.offset = [100.0; 3];
    let mut store = Store::new();
    for _ in 0..len {
        let by = inside(rng, side);
        let motion = setting.motion(rng).map(|x| x % 5.0);
        store.push_moving(T::sample(rng, &setting).moved(by), motion);
    }
    store
}

/// A box somewhere in a world with these sides.
pub fn within(rng: &mut StdRng, sides: [f32; 3]) -> Aabb {
    let half = rng.random_range(0.25..0.5);
    cube(sides.map(|side| rng.random_range(0.0..side)), half)
}

pub const SCENES: [(&str, Scene); 18] = [
    ("usual", |rng, _| cube(inside(rng, 20.0), 0.5)),
    ("one giant", |rng, i| {
        cube(inside(rng, 30.0), if i == 17 { 20.0 } else { 0.4 })
    }),
    ("one place", |_, _| cube([3.0; 3], 0.5)),
    ("one point", |_, _| cube([3.0; 3], 0.0)),
    ("all overlap", |rng, _| cube(inside(rng, 1.0), 2.0)),
    ("line", |rng, _| {
        cube([rng.random_range(0.0..3000.0), 1.0, -7.0], 0.5)
    }),
    ("floor", |rng, _| {
        let [x, y, _] = inside(rng, 60.0);
        cube([x, y, 0.0], 0.5)
    }),
    ("thick line", |rng, _| within(rng, [3000.0, 1.0, 1.0])),
    ("level", |rng, _| within(rng, [65.0, 4.0, 65.0])),
    ("sparse level", |rng, _| within(rng, [400.0, 10.0, 400.0])),
    ("road", |rng, _| within(rng, [2.0, 10.0, 2000.0])),
    ("sizes", |rng, _| {
        let half = 10f32.powf(rng.random_range(-3.0..4.0));
        cube(inside(rng, 1e5), half)
    }),
    ("dense sizes", |rng, _| {
        let half = 10f32.powf(rng.random_range(-3.0..1.5));
        cube(inside(rng, 60.0), half)
    }),
    ("clusters", |rng, i| {
        let place = [(i % 7) as f32 * 1e6, (i % 3) as f32 * 1e6, 0.0];
        let [x, y, z] = inside(rng, 8.0);
        cube([place[0] + x, place[1] + y, z], 0.4)
    }),
    ("far away", |rng, _| {
        let [x, y, z] = inside(rng, 20.0);
        cube([1e6 + x, -1e6 + y, 1e6 + z], 0.5)
    }),
    ("one far away", |rng, i| {
        let far = if i == 3 { 1e7 } else { 0.0 };
        let [x, y, z] = inside(rng, 20.0);
        cube([x + far, y, z], 0.5)
    }),
    ("the largest", |rng, _| {
        let [x, y, z] = inside(rng, 2.0).map(|x| (x - 1.0) * 1.15e18);
        cube([x, y, z], 2e16)
    }),
    ("the smallest", |rng, _| cube(inside(rng, 1e-40), 1e-42)),
];

/// The scene, with some invalid boxes and displacements.
pub fn build(rng: &mut StdRng, scene: Scene, len: usize, bad: bool) -> Aabbs {
    let mut store = Aabbs::new();
    for i in 0..len {
        let mut shape = scene(rng, i);
        let mut displacement = [0.0; 3];
        if rng.random_bool(0.3) {
            displacement[rng.random_range(0..3)] = rng.random_range(-1.0..1.0);
        }
        if bad && rng.random_bool(0.05) {
            match rng.random_range(0..4) {
                0 => shape.min[1] = f32::NAN,
                1 => shape.max[2] = f32::INFINITY,
                2 => (shape.min, shape.max) = ([1.0; 3], [-1.0; 3]),
                _ => displacement[0] = f32::NAN,
            }
        }
        store.push_moving(shape, displacement);
    }
    store
}
