//! Random cylinders and cones, and the shapes that meet them.
#![allow(dead_code)]

use phalanx::traits::Shape;
use phalanx::{
    Aabb, Capsule, Error, Hull, HullKinds, Hulls, Obb, PlacedHull, Point, Shapes, Sphere, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::common::{self, Setting, step};
use crate::hull_pairs;
use crate::oracle::U;
use crate::oracle::cylinders::{Apart, Body, Core, NOISE};
use crate::oracle::hulls::{Points, Side};
use crate::oracle::minkowski::{V, add, sub, times};

/// Shortest length that bands are relative to.
pub const FLOOR: f64 = 1.0 / (1u64 << 58) as f64;

/// A cylinder or a cone.
#[derive(Clone, Debug)]
pub struct Revolved {
    pub hull: Hull,
    pub is_cone: bool,
    pub radius: f32,
    pub half_height: f32,
    pub rounding: f32,
}

impl Revolved {
    /// Adds its kind.
    pub fn add_to(&self, kinds: &mut HullKinds) -> Result<u32, Error> {
        let (radius, half_height, rounding) = (self.radius, self.half_height, self.rounding);
        if self.is_cone {
            kinds.add_cone(radius, half_height, rounding)
        } else {
            kinds.add_cylinder(radius, half_height, rounding)
        }
    }

    /// A store of this hull alone.
    pub fn alone(&self) -> Hulls {
        <Self as Met>::stores(&[(self.clone(), [0.0; 3])])
    }
}

/// A shape that meets cylinders and cones, and stores of it.
pub trait Met: Clone + std::fmt::Debug {
    type Shape: Shape;
    type Stores: Shapes<Shape = Self::Shape>;
    fn sample(rng: &mut StdRng, setting: &Setting) -> Self;
    fn moved(&self, by: [f32; 3]) -> Self;
    fn stores(all: &[(Self, [f32; 3])]) -> Self::Stores;
    /// Whether the shape turns during the frame.
    const TURNS: bool = false;
    /// A store of shapes that turn, if they can.
    fn turning(all: &[Moving<Self>]) -> Self::Stores {
        let all: Vec<_> = all
            .iter()
            .map(|it| (it.shape.clone(), it.displacement))
            .collect();
        Self::stores(&all)
    }
    fn is_valid(&self) -> bool;
    /// The shape relative to an origin.
    fn body(&self, origin: V) -> Body;
    /// Center and sum of lengths, as in S.
    fn size(&self) -> (V, f64);
    /// Largest core radius of a cylinder or cone.
    fn round(&self) -> f64 {
        0.0
    }
}

impl Met for Revolved {
    type Shape = PlacedHull;
    type Stores = Hulls;
    fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
        let hull = Hull {
            center: setting.point(rng),
            rotation: setting.rotation(rng),
            kind: 0,
        };
        let thin = |rng: &mut StdRng| [1.0, 1.0, 1.0, 0.03][rng.random_range(0..4)];
        Revolved {
            hull,
            is_cone: rng.random_bool(0.5),
            radius: setting.length(rng) * thin(rng),
            half_height: setting.length(rng) * thin(rng),
            rounding: hull_pairs::radius(rng, setting),
        }
    }
    fn moved(&self, by: [f32; 3]) -> Self {
        let mut moved = self.clone();
        moved.hull.center = common::add(moved.hull.center, by);
        moved
    }
    const TURNS: bool = true;
    fn turning(all: &[Moving<Self>]) -> Hulls {
        let still: Vec<_> = all
            .iter()
            .map(|it| (it.shape.clone(), it.displacement))
            .collect();
        let mut hulls = Self::stores(&still);
        for (i, it) in (0..).zip(all) {
            hulls.set_turn(i, it.turn).unwrap();
        }
        hulls
    }
    fn stores(all: &[(Self, [f32; 3])]) -> Hulls {
        let mut kinds = HullKinds::new();
        let add = |(it, motion): &(Self, [f32; 3])| {
            let kind = it.add_to(&mut kinds).unwrap();
            (Hull { kind, ..it.hull }, *motion)
        };
        let placed: Vec<_> = all.iter().map(add).collect();
        let mut hulls = Hulls::new(&kinds);
        hulls.extend_moving(placed).unwrap();
        hulls
    }
    fn is_valid(&self) -> bool {
        let mut kinds = HullKinds::new();
        self.add_to(&mut kinds).is_ok() && {
            let hulls = Hulls::from_slice(&kinds, &[self.hull]);
            hulls.unwrap().validate().is_ok()
        }
    }
    fn body(&self, origin: V) -> Body {
        let [radius, half] = [self.radius, self.half_height].map(f64::from);
        let top = if self.is_cone { 0.0 } else { radius };
        Body {
            center: sub(self.hull.center.map(f64::from), origin),
            core: Core::of_discs(self.hull.rotation, [[-half, radius], [half, top]]),
            radius: self.rounding.into(),
        }
    }
    fn size(&self) -> (V, f64) {
        let [radius, half, rounding] =
            [self.radius, self.half_height, self.rounding].map(f64::from);
        (
            self.hull.center.map(f64::from),
            2.0 * radius + half + rounding,
        )
    }
    fn round(&self) -> f64 {
        self.radius.into()
    }
}

/// A shape with its displacement and its turn.
#[derive(Clone, Debug)]
pub struct Moving<T> {
    pub shape: T,
    pub displacement: [f32; 3],
    pub turn: [f32; 3],
}

impl<T: Met> Moving<T> {
    /// The shape at a time, relative to an origin.
    pub fn body(&self, origin: V, time: f64) -> Body {
        let turn = if T::TURNS { self.turn } else { [0.0; 3] };
        let [way, turn] = [self.displacement, turn].map(|v| times(v.map(f64::from), time));
        self.shape.body(origin).moved(way, turn)
    }
}

/// The center, points relative to it, and a radius.
pub trait OfPoints {
    fn points(&self) -> (V, Vec<V>, f64);
}

impl OfPoints for Point {
    fn points(&self) -> (V, Vec<V>, f64) {
        (self.position.map(f64::from), vec![[0.0; 3]], 0.0)
    }
}

impl OfPoints for Sphere {
    fn points(&self) -> (V, Vec<V>, f64) {
        let center = self.center.map(f64::from);
        (center, vec![[0.0; 3]], self.radius.into())
    }
}

impl OfPoints for Capsule {
    fn points(&self) -> (V, Vec<V>, f64) {
        let half = self.half_axis.map(f64::from);
        let ends = vec![half, times(half, -1.0)];
        (self.center.map(f64::from), ends, self.radius.into())
    }
}

/// The corners of a box.
pub fn corners(half: [f32; 3]) -> Vec<[f32; 3]> {
    let corner =
        |k: usize| [0, 1, 2].map(|axis| half[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 });
    (0..8).map(corner).collect()
}

impl OfPoints for Aabb {
    fn points(&self) -> (V, Vec<V>, f64) {
        let (min, max) = (self.min.map(f64::from), self.max.map(f64::from));
        let center = times(add(min, max), 0.5);
        let corner =
            |k: usize| [0, 1, 2].map(|axis| [min, max][k >> axis & 1][axis] - center[axis]);
        (center, (0..8).map(corner).collect(), 0.0)
    }
}

impl OfPoints for Obb {
    fn points(&self) -> (V, Vec<V>, f64) {
        let Core::Points(points) = Core::of_points(self.rotation, &corners(self.half_extents))
        else {
            unreachable!()
        };
        (self.center.map(f64::from), points, 0.0)
    }
}

impl OfPoints for Triangle {
    fn points(&self) -> (V, Vec<V>, f64) {
        let corners = self.corners.map(|corner| corner.map(f64::from));
        let points = corners.map(|corner| sub(corner, corners[0])).to_vec();
        (corners[0], points, 0.0)
    }
}

impl OfPoints for Points {
    fn points(&self) -> (V, Vec<V>, f64) {
        let Core::Points(points) = Core::of_points(self.hull.rotation, &self.points) else {
            unreachable!()
        };
        let center = self.hull.center.map(f64::from);
        (center, points, self.radius.into())
    }
}

macro_rules! met {
    ($($shape:ident $turns:tt),+) => { $(
        impl Met for $shape {
            type Shape = <$shape as hull_pairs::Partner>::Shape;
            type Stores = <$shape as hull_pairs::Partner>::Stores;
            fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
                let sampled = <Self as hull_pairs::Partner>::sample(rng, setting);
                let radius = hull_pairs::radius(rng, setting);
                hull_pairs::Partner::rounded(sampled, radius)
            }
            fn moved(&self, by: [f32; 3]) -> Self {
                hull_pairs::Partner::moved(self, by)
            }
            fn stores(all: &[(Self, [f32; 3])]) -> Self::Stores {
                <Self as hull_pairs::Partner>::stores(all)
            }
            const TURNS: bool = $turns;
            fn turning(all: &[Moving<Self>]) -> Self::Stores {
                let still: Vec<_> = all.iter().map(|it| (it.shape.clone(), it.displacement)).collect();
                #[allow(unused_mut)]
                let mut store = Self::stores(&still);
                met!(@ $turns, store, all);
                store
            }
            fn is_valid(&self) -> bool {
                hull_pairs::Partner::is_valid(self)
            }
            fn body(&self, origin: V) -> Body {
                let (center, points, radius) = self.points();
                Body {
                    center: sub(center, origin),
                    core: Core::Points(points),
                    radius,
                }
            }
            fn size(&self) -> (V, f64) {
                Side::size(self)
            }
        }
    )+ };
    (@ false, $store:ident, $all:ident) => {};
    (@ true, $store:ident, $all:ident) => {
        for (i, it) in (0..).zip($all) {
            $store.set_turn(i, it.turn).unwrap();
        }
    };
}
met!(Points true, Point false, Sphere false, Capsule false, Aabb false, Obb true, Triangle false);

/// S of a pair in motion, at most.
pub fn size<A: Met, B: Met>(a: &A, b: &B, motion: [[f32; 3]; 2]) -> f64 {
    let ((p, x), (q, y)) = (a.size(), b.size());
    let travel = (0..3).map(|k| (f64::from(motion[1][k]) - f64::from(motion[0][k])).abs());
    let offset = sub(q, p).iter().map(|x| x.abs()).sum::<f64>();
    offset + x + y + travel.sum::<f64>()
}

/// Sum of the lengths of two shapes.
pub fn lengths<A: Met, B: Met>(a: &A, b: &B) -> f64 {
    a.size().1 + b.size().1
}

/// Lengths from 1e-3 to 1e3, seldom tiny or huge ones; thin discs and needles, aligned or not, on a grid or not.
pub fn setting(rng: &mut StdRng) -> Setting {
    let mut setting = Setting::random(rng);
    let decades = match rng.random_range(0..20) {
        0 => -20.0..-10.0,
        1 => 5.0..12.0,
        _ => -3.0..3.0f32,
    };
    setting.scale = 10f32.powf(rng.random_range(decades));
    if setting.snapped {
        setting.scale = 2f32.powf(setting.scale.log2().round());
    }
    let far = setting.scale * [0.0, 0.0, 1.0, 1e3, 1e6][rng.random_range(0..5)];
    setting.offset = [(); 3].map(|()| rng.random_range(-1.0..1.0f32) * far);
    setting
}

/// A case: two shapes, and their displacements.
pub type Case<A, B> = (A, B, [[f32; 3]; 2]);

pub fn stores<A: Met, B: Met>(all: &[Case<A, B>]) -> (A::Stores, B::Stores) {
    let of_a = all.iter().map(|(a, _, motion)| (a.clone(), motion[0]));
    let of_b = all.iter().map(|(_, b, motion)| (b.clone(), motion[1]));
    let (of_a, of_b): (Vec<_>, Vec<_>) = (of_a.collect(), of_b.collect());
    (A::stores(&of_a), B::stores(&of_b))
}

/// Both shapes relative to the center of the first.
pub fn bodies<A: Met, B: Met>(a: &A, b: &B) -> [Body; 2] {
    let origin = a.size().0;
    [a.body(origin), b.body(origin)]
}

/// Random cases, many near contact within a margin, or touching by some u of S.
pub fn near<A: Met, B: Met>(rng: &mut StdRng, count: usize, margin: f32) -> Vec<Case<A, B>> {
    let mut all = Vec::new();
    while all.len() < count {
        let setting = setting(rng);
        let (a, mut b) = (A::sample(rng, &setting), B::sample(rng, &setting));
        if rng.random_bool(0.4) {
            b = b.moved([(); 3].map(|()| rng.random_range(-3.0..3.0) * setting.scale));
        }
        let motion = [setting.motion(rng), setting.motion(rng)];
        if !a.is_valid() || !b.is_valid() {
            continue;
        }
        if rng.random_bool(0.7) {
            b = beside(rng, &a, b, margin);
        }
        if b.is_valid() {
            all.push((a, b, motion));
        }
    }
    all
}

/// The second shape moved to where the first is, some u of S more or less than the margin apart. Those that meet in depth stay.
pub fn beside<A: Met, B: Met>(rng: &mut StdRng, a: &A, b: B, margin: f32) -> B {
    let [x, y] = bodies(a, &b);
    let apart = Apart::of(&x, &y, lengths(a, &b));
    let radii = x.radius + y.radius;
    if apart.cores[0] <= NOISE * apart.size {
        return b;
    }
    let steps = [
        0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 9.0, 10.0, 16.0, -0.5, -1.0, -4.0, -1e3, -1e5,
    ];
    let after = steps[rng.random_range(0..steps.len())] * U * a.size().1.max(b.size().1);
    let way = times(
        apart.direction,
        f64::from(margin) + after - (apart.cores[0] - radii),
    );
    let mut moved = b.moved(way.map(|x| x as f32));
    for _ in 0..rng.random_range(0..3) {
        let mut by = [0.0; 3];
        let axis = rng.random_range(0..3);
        let at = moved.size().0[axis] as f32;
        by[axis] = step(at, rng.random_range(-2..=2)) - at;
        moved = moved.moved(by);
    }
    moved
}

/// Length in u of a size, beyond the floor.
pub fn in_u(length: f64, size: f64) -> f64 {
    ((length - FLOOR) / (size * U)).max(0.0)
}

/// A field of moving and turning cylinders, cones and hulls of points around the origin, with an invalid one now and then.
pub fn field(rng: &mut StdRng, len: usize, reach: f32) -> Hulls {
    let setting = Setting::ordinary();
    let mut kinds = HullKinds::new();
    for k in 0..24 {
        let sizes = [(); 3].map(|()| setting.length(rng));
        let rounding = if k % 2 == 0 { 0.0 } else { 0.25 * sizes[2] };
        match k % 3 {
            0 => kinds.add_cylinder(sizes[0], sizes[1], rounding),
            1 => kinds.add_cone(sizes[0], sizes[1], rounding),
            _ => kinds.add_rounded(&corners(sizes), rounding),
        }
        .unwrap();
    }
    let mut hulls = Hulls::new(&kinds);
    for _ in 0..len {
        let mut center = [(); 3].map(|()| rng.random_range(-reach..reach));
        if rng.random_bool(0.02) {
            center[1] = f32::NAN;
        }
        let hull = Hull {
            center,
            rotation: setting.rotation(rng),
            kind: rng.random_range(0..24),
        };
        let motion = setting.motion(rng).map(|x| x.clamp(-4.0, 4.0));
        let turn = [(); 3].map(|()| rng.random_range(-1.5..1.5));
        hulls.push_turning(hull, motion, turn).unwrap();
    }
    hulls
}
