//! Random hulls, and the shapes that meet them.

use phalanx::traits::{Collide, Shape};
use phalanx::{
    Aabb, Capsule, Contacts, Detector, Hull, Hulls, Obb, Overlaps, Pairs, PlacedHull, Point,
    Shapes, Sphere, Store, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

use crate::common::{Sample, Setting, near_origin};
use crate::oracle::hulls::{Points, Side};
use crate::oracle::minkowski::sub;

/// Finds the contacts of two stores, pair by pair. They are the overlaps, each with a contact.
#[allow(dead_code)]
pub fn find_contacts<A: Shapes, B: Shapes>(a: &A, b: &B, margin: f32, contacts: &mut Contacts)
where
    A::Shape: Collide<B::Shape>,
{
    let mut detector = Detector::new().parallel(false).margin(margin).unwrap();
    let mut overlaps = Overlaps::new();
    detector.contact(a, b, Pairs::zip(), contacts).unwrap();
    detector.overlap(a, b, Pairs::zip(), &mut overlaps).unwrap();
    assert_eq!(contacts.overlaps(), &overlaps);
    assert_eq!(contacts.positions().len(), overlaps.count());
}

/// Points of a kind: few or as many as the oracle bears, also coplanar, collinear or equal ones, boxes, and needles. None is too
/// far from its origin.
pub fn points(rng: &mut StdRng, setting: &Setting) -> Vec<[f32; 3]> {
    near_origin(|| any_points(rng, setting))
}

fn any_points(rng: &mut StdRng, setting: &Setting) -> Vec<[f32; 3]> {
    let extents = [(); 3].map(|()| setting.length(rng));
    let corner = |k: usize| {
        [0, 1, 2].map(|axis| extents[axis] * if k >> axis & 1 == 0 { -1.0 } else { 1.0 })
    };
    match rng.random_range(0..8) {
        0 => (0..8).map(corner).collect(),
        1 => vec![corner(0); rng.random_range(1..4)],
        2 => (0..3)
            .map(|k| extents.map(|x| x * (k as f32 - 1.0)))
            .collect(),
        3 => (0..5)
            .map(|_| {
                let x = [0, 1].map(|_| rng.random_range(-1.0..1.0f32));
                [extents[0] * x[0], extents[1] * x[1], 0.0]
            })
            .collect(),
        _ => {
            let count = rng.random_range(1..7);
            (0..count)
                .map(|_| extents.map(|x| x * rng.random_range(-1.0..1.0f32)))
                .collect()
        }
    }
}

pub fn hull(rng: &mut StdRng, setting: &Setting) -> Points {
    let hull = Hull {
        center: setting.point(rng),
        rotation: setting.rotation(rng),
        kind: 0,
    };
    let points = points(rng, setting);
    Points {
        hull,
        points,
        radius: 0.0,
    }
}

/// A radius for a hull: none, tiny, small, or as large as the hull.
pub fn radius(rng: &mut StdRng, setting: &Setting) -> f32 {
    setting.length(rng) * [0.0, 1e-6, 0.1, 1.0][rng.random_range(0..4)]
}

/// A shape that meets hulls, and stores of it.
pub trait Partner: Side + Clone + std::fmt::Debug {
    type Shape: Shape;
    type Stores: Shapes<Shape = Self::Shape>;
    fn sample(rng: &mut StdRng, setting: &Setting) -> Self;
    fn moved(&self, by: [f32; 3]) -> Self;
    /// The shape rounded by a radius, if it is a hull.
    fn rounded(self, _radius: f32) -> Self {
        self
    }
    fn stores(all: &[(Self, [f32; 3])]) -> Self::Stores;
    fn is_valid(&self) -> bool;
}

impl Partner for Points {
    type Shape = PlacedHull;
    type Stores = Hulls;
    fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
        hull(rng, setting)
    }
    fn moved(&self, by: [f32; 3]) -> Self {
        let mut moved = self.clone();
        moved.hull.center = [0, 1, 2].map(|k| self.hull.center[k] + by[k]);
        moved
    }
    fn rounded(self, radius: f32) -> Self {
        Points { radius, ..self }
    }
    fn stores(all: &[(Self, [f32; 3])]) -> Hulls {
        let mut hulls = Hulls::default();
        for (of, motion) in all {
            let Points {
                hull,
                points,
                radius,
            } = of;
            let kind = hulls.add_rounded_kind(points, *radius).unwrap();
            hulls.push_moving(Hull { kind, ..*hull }, *motion).unwrap();
        }
        hulls
    }
    fn is_valid(&self) -> bool {
        let mut hulls = Hulls::default();
        let is_kind = hulls.add_rounded_kind(&self.points, self.radius).is_ok();
        is_kind && hulls.push(self.hull).is_ok() && hulls.validate().is_ok()
    }
}

macro_rules! partners {
    ($($shape:ident),+) => { $(
        impl Partner for $shape {
            type Shape = $shape;
            type Stores = Store<$shape>;
            fn sample(rng: &mut StdRng, setting: &Setting) -> Self {
                <Self as Sample>::sample(rng, setting)
            }
            fn moved(&self, by: [f32; 3]) -> Self {
                <Self as Sample>::moved(*self, by)
            }
            fn stores(all: &[(Self, [f32; 3])]) -> Store<$shape> {
                let mut store = Store::new();
                store.extend_moving(all.iter().copied());
                store
            }
            fn is_valid(&self) -> bool {
                Store::from_slice(&[*self]).validate().is_ok()
            }
        }
    )+ };
}
partners!(Point, Sphere, Capsule, Aabb, Obb, Triangle);

/// S of a pair in motion, at most.
pub fn size<A: Side, B: Side>(a: &A, b: &B, motion: [[f32; 3]; 2]) -> f64 {
    let ((p, x), (q, y)) = (a.size(), b.size());
    let travel = (0..3).map(|k| (f64::from(motion[1][k]) - f64::from(motion[0][k])).abs());
    let offset = sub(q, p).iter().map(|x| x.abs()).sum::<f64>();
    offset + x + y + travel.sum::<f64>()
}

/// A field of moving hulls of several kinds around the origin, with an invalid one now and then.
pub fn field(rng: &mut StdRng, len: usize, reach: f32) -> Hulls {
    field_of(rng, len, reach, |_| 0.0)
}

/// A field of hulls, most of them rounded.
pub fn rounded_field(rng: &mut StdRng, len: usize, reach: f32) -> Hulls {
    field_of(rng, len, reach, |rng| radius(rng, &Setting::ordinary()))
}

fn field_of(
    rng: &mut StdRng,
    len: usize,
    reach: f32,
    radius: impl Fn(&mut StdRng) -> f32,
) -> Hulls {
    let setting = Setting::ordinary();
    let mut hulls = Hulls::default();
    for _ in 0..20 {
        let points: Vec<_> = (0..rng.random_range(1..=64))
            .map(|_| setting.point(rng))
            .collect();
        let radius = radius(rng);
        hulls.add_rounded_kind(&points, radius).unwrap();
    }
    for _ in 0..len {
        let mut center = [(); 3].map(|()| rng.random_range(-reach..reach));
        if rng.random_bool(0.02) {
            center[1] = f32::NAN;
        }
        let hull = Hull {
            center,
            rotation: setting.rotation(rng),
            kind: rng.random_range(0..20),
        };
        hulls
            .push_moving(hull, setting.motion(rng).map(|x| x.clamp(-4.0, 4.0)))
            .unwrap();
    }
    hulls
}
