//! Pairs of shapes, at least one rotating, near contact within the frame.

use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Sphere, Store, Triangle};
use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

use super::Moving;
use crate::common::{Sample, add, nudge, product, random_rotation};
use crate::oracle::minkowski::{axes_of, length, times};
use crate::oracle::turning::{Any, Couple, Turning};

/// A shape, its displacement and its turn.
#[derive(Clone, Copy, Debug)]
pub struct Moved<T> {
    pub shape: T,
    pub displacement: [f32; 3],
    pub turn: [f32; 3],
}

/// A shape type with times of impact against rotating boxes.
pub trait Turns: Sample {
    /// Whether the shape can rotate during the frame.
    const TURNS: bool = false;
    /// The shape as [`Any`].
    fn any(self) -> Any;
    /// A shape of about the given size, and rotated if it can be.
    fn make(rng: &mut impl Rng, sizes: &Sizes, at: [f32; 3], rotation: [f32; 4]) -> Self;
    /// The largest of its lengths.
    fn largest(&self) -> f32;
    /// Adds the shape to a store.
    fn push(store: &mut Store<Self>, moved: &Moved<Self>) {
        store.push_moving(moved.shape, moved.displacement);
    }
}

impl<T: Turns> Moved<T> {
    /// A shape of ordinary size near the origin, in any motion.
    pub fn somewhere(rng: &mut impl Rng) -> Self {
        let sizes = Sizes::random(rng, 1.0);
        let at = vector(rng, 1.5);
        let rotation = random_rotation(rng, 3.1).map(|x| x as f32);
        let way = *[0.0, 1.0, 4.0].choose(rng).unwrap();
        Moved {
            shape: T::make(rng, &sizes, at, rotation),
            displacement: vector(rng, way),
            turn: turn(rng),
        }
    }

    /// A shape that does not rotate.
    pub fn straight(&(shape, displacement): &Moving<T>) -> Self {
        Moved {
            shape,
            displacement,
            turn: [0.0; 3],
        }
    }

    /// The shape for oracles.
    pub fn turning(&self) -> Turning {
        Turning {
            shape: self.shape.any(),
            displacement: self.displacement,
            turn: if T::TURNS { self.turn } else { [0.0; 3] },
        }
    }
}

/// Range of lengths of a shape.
pub struct Sizes {
    scale: f32,
    aspect: f32,
    is_rod: bool,
    vanishing: f64,
}

impl Sizes {
    fn random(rng: &mut impl Rng, scale: f32) -> Self {
        Sizes {
            scale,
            aspect: *[1.0, 1.0, 0.1, 0.03, 1e-3].choose(rng).unwrap(),
            is_rod: rng.random_bool(0.15),
            vanishing: *[0.0, 0.0, 0.05, 0.5, 1.0].choose(rng).unwrap(),
        }
    }

    fn length(&self, rng: &mut impl Rng) -> f32 {
        if rng.random_bool(self.vanishing) {
            return 0.0;
        }
        let thin = if rng.random_bool(0.4) {
            self.aspect
        } else {
            1.0
        };
        rng.random_range(0.05..1.0) * self.scale * thin
    }

    fn half_extents(&self, rng: &mut impl Rng) -> [f32; 3] {
        if self.is_rod {
            let thin = self.scale * 10f32.powf(rng.random_range(-3.0..-1.0));
            let mut half = [thin, thin * rng.random_range(0.5..1.0), thin];
            half[rng.random_range(0..3)] = self.scale;
            half
        } else {
            [(); 3].map(|()| self.length(rng))
        }
    }
}

impl Turns for Obb {
    const TURNS: bool = true;
    fn any(self) -> Any {
        Any::Obb(self)
    }
    fn make(rng: &mut impl Rng, sizes: &Sizes, center: [f32; 3], rotation: [f32; 4]) -> Self {
        Obb {
            center,
            half_extents: sizes.half_extents(rng),
            rotation,
        }
    }
    fn largest(&self) -> f32 {
        self.half_extents.iter().fold(0.0, |m, x| m.max(*x))
    }
    fn push(store: &mut Store<Self>, moved: &Moved<Self>) {
        store.push_turning(moved.shape, moved.displacement, moved.turn);
    }
}

impl Turns for Aabb {
    fn any(self) -> Any {
        Any::Aabb(self)
    }
    fn make(rng: &mut impl Rng, sizes: &Sizes, at: [f32; 3], _: [f32; 4]) -> Self {
        Aabb::from_center_half_extents(at, sizes.half_extents(rng))
    }
    fn largest(&self) -> f32 {
        (0..3).fold(0.0, |m, k| m.max((self.max[k] - self.min[k]) * 0.5))
    }
}

impl Turns for Sphere {
    fn any(self) -> Any {
        Any::Sphere(self)
    }
    fn make(rng: &mut impl Rng, sizes: &Sizes, center: [f32; 3], _: [f32; 4]) -> Self {
        Sphere {
            center,
            radius: sizes.length(rng),
        }
    }
    fn largest(&self) -> f32 {
        self.radius
    }
}

impl Turns for Capsule {
    fn any(self) -> Any {
        Any::Capsule(self)
    }
    fn make(rng: &mut impl Rng, sizes: &Sizes, center: [f32; 3], rotation: [f32; 4]) -> Self {
        let [x, y, z, w] = rotation;
        let direction = [
            w * w + x * x - y * y - z * z,
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ];
        let long = sizes.length(rng) * *[1.0, 1.0, 8.0].choose(rng).unwrap();
        Capsule {
            center,
            half_axis: direction.map(|x| x * long),
            radius: sizes.length(rng),
        }
    }
    fn largest(&self) -> f32 {
        self.half_axis
            .iter()
            .fold(self.radius, |m, x| m.max(x.abs()))
    }
}

impl Turns for Triangle {
    fn any(self) -> Any {
        Any::Triangle(self)
    }
    /// Needles, slivers, segments and points too, in the plane of two axes of the rotation, around a place.
    fn make(rng: &mut impl Rng, sizes: &Sizes, at: [f32; 3], rotation: [f32; 4]) -> Self {
        let [along, beside, _] = axes_of(rotation);
        let long = f64::from(sizes.length(rng)) * *[1.0, 2.0, 4.0, 16.0].choose(rng).unwrap();
        let high = f64::from(sizes.length(rng)) * *[1.0, 2.0, 4.0, 1e-2, 1e-6].choose(rng).unwrap();
        let foot = *[0.0, 1.0, 0.5, rng.random_range(-0.2..1.2)]
            .choose(rng)
            .unwrap();
        // The point of the triangle at `at`.
        let [x, y] = *[[0.5, 0.0], [0.5, 0.3], [0.0, 0.0]].choose(rng).unwrap();
        let corner = |s: f64, t: f64| {
            let way = [0, 1, 2].map(|k| along[k] * (s - x) * long + beside[k] * (t - y) * high);
            add(at, way.map(|x| x as f32))
        };
        let mut corners = [corner(0.0, 0.0), corner(1.0, 0.0), corner(foot, 1.0)];
        corners.rotate_left(rng.random_range(0..3));
        if rng.random_bool(0.5) {
            corners.swap(0, 1);
        }
        if rng.random_bool(0.02) {
            corners = [corners[0]; 3];
        }
        Triangle { corners }
    }
    fn largest(&self) -> f32 {
        let [p, q, r] = self.corners;
        [(p, q), (q, r), (r, p)]
            .iter()
            .flat_map(|(a, b)| (0..3).map(|k| 0.5 * (b[k] - a[k]).abs()))
            .fold(0.0, f32::max)
    }
}

/// A normal, rotated or along an axis, sometimes not of unit length.
fn normal(rng: &mut impl Rng, rotation: [f32; 4]) -> [f32; 3] {
    let mut normal = Capsule::make(
        rng,
        &Sizes {
            scale: 1.0,
            aspect: 1.0,
            is_rod: false,
            vanishing: 0.0,
        },
        [0.0; 3],
        rotation,
    )
    .half_axis;
    if rng.random_bool(0.3) {
        normal = [0.0; 3];
        normal[rng.random_range(0..3)] = *[1.0, -1.0].choose(rng).unwrap();
    }
    let long = if rng.random_bool(0.3) {
        10f32.powf(rng.random_range(-10.0..10.0))
    } else {
        1.0
    };
    normal.map(|x| x * long)
}

impl Turns for Plane {
    fn any(self) -> Any {
        Any::Plane(self)
    }
    fn make(rng: &mut impl Rng, _: &Sizes, at: [f32; 3], rotation: [f32; 4]) -> Self {
        Plane::from_point_normal(at, normal(rng, rotation))
    }
    fn largest(&self) -> f32 {
        0.0
    }
}

impl Turns for HalfSpace {
    fn any(self) -> Any {
        Any::HalfSpace(self)
    }
    fn make(rng: &mut impl Rng, _: &Sizes, at: [f32; 3], rotation: [f32; 4]) -> Self {
        HalfSpace::from_point_normal(at, normal(rng, rotation))
    }
    fn largest(&self) -> f32 {
        0.0
    }
}

/// Pairs around one contact.
pub struct Near<A, B> {
    pub a: Vec<Moved<A>>,
    pub b: Vec<Moved<B>>,
    pub margin: f32,
    /// The largest length of both shapes.
    pub size: f32,
}

/// A turn: none, tiny, random, or up to 180°; about a random axis, or an axis of the world.
fn turn(rng: &mut impl Rng) -> [f32; 3] {
    let angle = match rng.random_range(0..10) {
        0 => 0.0,
        1 => 10f64.powf(rng.random_range(-40.0..-6.0)),
        2 => 10f64.powf(rng.random_range(-6.0..-1.0)),
        3..=5 => rng.random_range(0.0..1.0),
        6..=7 => rng.random_range(1.0..3.0),
        // The largest valid turn.
        _ => 3.141_592_5,
    };
    let axis = if rng.random_bool(0.3) {
        let mut axis = [0.0; 3];
        axis[rng.random_range(0..3)] = *[1.0, -1.0].choose(rng).unwrap();
        axis
    } else {
        let [x, y, z, _] = random_rotation(rng, 3.0);
        let long = length([x, y, z]);
        [x / long, y / long, z / long]
    };
    axis.map(|x| (x * angle) as f32)
}

fn vector(rng: &mut impl Rng, size: f32) -> [f32; 3] {
    [(); 3].map(|()| rng.random_range(-1.0..1.0f32) * size)
}

fn displacement(rng: &mut impl Rng, scale: f32) -> [f32; 3] {
    let size = *[0.0, 0.0, 1e-6, 0.1, 1.0, 1.0, 4.0, 4.0, 1e3]
        .choose(rng)
        .unwrap();
    let mut way = vector(rng, size * scale);
    if rng.random_bool(0.2) {
        way[rng.random_range(0..3)] = 0.0;
        way[rng.random_range(0..3)] = 0.0;
    }
    way
}

/// The rotation at a time of a rotating shape with the identity at the start.
fn turned(turn: [f32; 3], time: f64) -> [f64; 4] {
    let turn = turn.map(f64::from);
    let angle = length(turn);
    if angle == 0.0 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let (sin, cos) = (0.5 * angle * time).sin_cos();
    let [x, y, z] = times(turn, sin / angle);
    [x, y, z, cos]
}

/// Two shapes, one of them moved so that they just touch when they are nearest, and copies of them that are moved
/// slightly more or less.
///
/// `None` if no such placement is found.
pub fn near<A: Turns, B: Turns>(rng: &mut impl Rng) -> Option<Near<A, B>> {
    let scale: f32 = match rng.random_range(0..10) {
        0..=5 => 1.0,
        6..=7 => 10f32.powf(rng.random_range(-3.0..3.0)),
        8 => 10f32.powf(rng.random_range(-30.0..15.0)),
        // The absolute part of bounds dominates.
        _ => 10f32.powf(rng.random_range(-24.0..-14.0)),
    };
    let ratio = if rng.random_bool(0.3) {
        10f32.powf(rng.random_range(-5.0..2.0))
    } else {
        1.0
    };
    let far = *[0.0, 0.0, 0.0, 1.0, 1e3, 1e6].choose(rng).unwrap() * scale;
    let at = vector(rng, far).map(|x| (x / scale).round() * scale);
    let margin = if rng.random_bool(0.2) {
        rng.random_range(0.0..0.5) * scale
    } else {
        0.0
    };

    let mut motions = [displacement(rng, scale), displacement(rng, scale)];
    let mut turns = [turn(rng), turn(rng)];
    match rng.random_range(0..8) {
        0 => motions = [[0.0; 3]; 2],
        1 => motions[0] = motions[1],
        2 => (motions, turns) = ([motions[1]; 2], [turns[1]; 2]),
        3 if rng.random_bool(0.3) => (motions, turns) = ([[0.0; 3]; 2], [[0.0; 3]; 2]),
        _ => {}
    }
    if !A::TURNS {
        turns[0] = [0.0; 3];
    }
    if !B::TURNS {
        turns[1] = [0.0; 3];
    }

    // Rotations of both at a time at which they are equal, nearly equal, or unrelated.
    let rotation = match rng.random_range(0..4) {
        0 => [0.0, 0.0, 0.0, 1.0],
        1 => *[[0.5; 4], [0.0, 0.0, 0.5f64.sqrt(), 0.5f64.sqrt()]]
            .choose(rng)
            .unwrap(),
        _ => random_rotation(rng, 3.1),
    };
    let off = match rng.random_range(0..6) {
        0..=1 => random_rotation(rng, 0.0),
        2..=3 => {
            let angle = 10f64.powf(rng.random_range(-7.0..-2.0));
            random_rotation(rng, angle)
        }
        _ => random_rotation(rng, 3.1),
    };
    // AABBs are never rotated: flat landings need the identity at this time.
    let alike = *[0.0, 1.0, rng.random_range(0.0..1.0)].choose(rng).unwrap();
    let back = |turn: [f32; 3]| {
        let [x, y, z, w] = turned(turn, alike);
        [-x, -y, -z, w]
    };
    let stretch = if rng.random_bool(0.1) {
        rng.random_range(0.9992..1.0008)
    } else {
        1.0
    };
    let round = |q: [f64; 4]| q.map(|x| (x * stretch) as f32);
    let rotations = [
        round(product(back(turns[0]), rotation)),
        round(product(back(turns[1]), product(rotation, off))),
    ];

    let sizes = [Sizes::random(rng, scale), Sizes::random(rng, scale * ratio)];
    let place = vector(rng, 2.0 * scale * ratio.max(1.0));
    let a = Moved {
        shape: A::make(rng, &sizes[0], at, rotations[0]),
        displacement: motions[0],
        turn: turns[0],
    };
    let mut b = Moved {
        shape: B::make(rng, &sizes[1], add(at, place), rotations[1]),
        displacement: motions[1],
        turn: turns[1],
    };
    if !accepted(&a) || !accepted(&b) {
        return None;
    }
    let largest = a.shape.largest().max(b.shape.largest());
    let size = if largest > 0.0 { largest } else { scale };

    // To where they touch: when nearest, at the start, or at the end.
    let when = rng.random_range(0..10);
    let mut way = [0.0; 3];
    for _ in 0..5 {
        let couple = Couple::new(&a.turning(), &b.turning(), margin);
        let look = match when {
            0 => couple.look(0.0),
            1 => couple.look(1.0),
            2 => couple.look(alike),
            _ => couple.nearest(),
        };
        // The oracle's normal points from the box.
        way = times(look.normal, if A::TURNS { 1.0 } else { -1.0 });
        if look.apart.abs() < 1e-9 * couple.size {
            break;
        }
        b.shape = b.shape.moved(times(way, -look.apart).map(|x| x as f32));
        if !accepted(&b) {
            return None;
        }
    }

    let mut near = Near {
        a: vec![],
        b: vec![],
        margin,
        size,
    };
    let share = 10f64.powf(rng.random_range(-5.0..-1.0));
    for by in [
        0.0, 0.0, 0.0, 1e-6, -1e-6, 1e-4, -1e-4, 1e-2, -1e-2, share, -share,
    ] {
        let (mut a, mut b) = (a, b);
        b.shape = b
            .shape
            .moved(times(way, by * f64::from(size)).map(|x| x as f32));
        if by.abs() < 1e-5 && !near.a.is_empty() {
            for _ in 0..rng.random_range(1..4) {
                step(rng, &mut a);
                step(rng, &mut b);
            }
        }
        if accepted(&a) && accepted(&b) {
            near.a.push(a);
            near.b.push(b);
        }
    }
    Some(near)
}

fn step<T: Turns>(rng: &mut impl Rng, moved: &mut Moved<T>) {
    let mut pair = (moved.shape, moved.displacement);
    nudge(rng, &mut pair);
    (moved.shape, moved.displacement) = pair;
}

/// Whether a shape is valid.
fn accepted<T: Turns>(moved: &Moved<T>) -> bool {
    let mut store = Store::new();
    T::push(&mut store, moved);
    store.validate().is_ok()
}
