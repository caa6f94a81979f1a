//! The libraries, behind one interface.

use phalanx::traits::{Collide, Distance, Shape, Sweep};
use phalanx::{
    Contacts, Detector, Distances, FirstHits, Overlaps, Pair, Point, Points, Shapes, Store, Sweeps,
};

use crate::Solid;

/// Answers of a library for a small shape and a ground.
pub struct Answers {
    /// Negative depth of a contact.
    pub separation: Option<f64>,
    pub touches: bool,
    /// Its bounds.
    pub distance: Option<[f64; 2]>,
    /// Part of the way at which the small shape stops.
    pub enter: Option<f64>,
}

pub trait Peer {
    /// Sets the shape that the next calls are about.
    fn target(&mut self, shape: &Solid);
    fn ask(&mut self, small: &Solid, way: [f32; 3]) -> Answers;
    /// Part of the way at which a ray hits.
    fn ray(&mut self, from: [f32; 3], way: [f32; 3]) -> Option<f64>;
}

/// This library.
pub struct Phalanx {
    target: Option<Solid>,
    detector: Detector,
    contacts: Contacts,
    overlaps: Overlaps,
    distances: Distances,
    sweeps: Sweeps,
    firsts: FirstHits,
}

/// Calls a method with the store of a shape.
macro_rules! with_store {
    ($shape:expr, [$($kind:ident)+], |$store:ident| $call:expr) => {
        match $shape {
            $(Solid::$kind(shape) => {
                let $store = &Store::from_slice(&[*shape]);
                $call
            })+
            Solid::Mesh(mesh) => {
                let $store = &**mesh;
                $call
            }
            _ => unreachable!("this table has no such shape"),
        }
    };
}

impl Phalanx {
    pub fn new() -> Self {
        Phalanx {
            target: None,
            detector: Detector::new().parallel(false),
            contacts: Contacts::new(),
            overlaps: Overlaps::new(),
            distances: Distances::new(),
            sweeps: Sweeps::new(),
            firsts: FirstHits::new(),
        }
    }

    fn pair<T, G>(&mut self, small: T, ground: &G, way: [f32; 3]) -> Answers
    where
        T: Shape + Collide<G::Shape> + Sweep<G::Shape> + Distance<G::Shape>,
        G: Shapes,
    {
        let pair = [Pair::new(0, 0)];
        let mut store = Store::new();
        store.push_moving(small, way);
        let detector = &mut self.detector;
        let found = detector.contact(&store, ground, &pair, &mut self.contacts);
        found.expect("the numbers are finite");
        let found = detector.overlap(&store, ground, &pair, &mut self.overlaps);
        found.expect("the numbers are finite");
        let found = detector.distance(&store, ground, &pair, &mut self.distances);
        found.expect("the numbers are finite");
        let found = detector.sweep(&store, ground, &pair, &mut self.sweeps);
        found.expect("the numbers are finite");
        let contact = self.contacts.iter().next();
        let bounds = [self.distances.lower()[0], self.distances.upper()[0]];
        Answers {
            separation: contact.map(|contact| contact.separation.into()),
            touches: self.overlaps.count() > 0,
            distance: Some(bounds.map(f64::from)),
            enter: (self.sweeps.count() > 0).then(|| self.sweeps.enter()[0].into()),
        }
    }
}

impl Peer for Phalanx {
    fn target(&mut self, shape: &Solid) {
        self.target = Some(shape.clone());
    }

    fn ask(&mut self, small: &Solid, way: [f32; 3]) -> Answers {
        let target = self.target.take().expect("a target was set");
        let answers = with_store!(&target, [Obb Aabb], |ground| match *small {
            Solid::Sphere(small) => self.pair(small, ground, way),
            Solid::Capsule(small) => self.pair(small, ground, way),
            Solid::Obb(small) => self.pair(small, ground, way),
            _ => unreachable!("no small shape"),
        });
        self.target = Some(target);
        answers
    }

    fn ray(&mut self, from: [f32; 3], way: [f32; 3]) -> Option<f64> {
        let mut rays = Points::new();
        rays.push_moving(Point::new(from), way);
        let (detector, firsts) = (&mut self.detector, &mut self.firsts);
        let target = self.target.as_ref().expect("a target was set");
        let found = with_store!(target, [Sphere Capsule Obb Triangle], |shapes| {
            detector.first_hits(&rays, shapes, firsts)
        });
        found.expect("the numbers are finite");
        let hit = firsts.get(0)?;
        Some(hit.time.enter.into())
    }
}

/// parry3d in one precision.
macro_rules! parry {
    ($name:ident, $parry:ident, $real:ty) => {
        #[derive(Default)]
        pub struct $name(Option<($parry::math::Pose, $parry::shape::SharedShape)>);

        impl $name {
            fn placed(solid: &Solid) -> ($parry::math::Pose, $parry::shape::SharedShape) {
                use $parry::math::{Pose, Rotation, Vector};
                use $parry::shape::SharedShape;

                let vector = |x: [f32; 3]| Vector::from(x.map(<$real>::from));
                match solid {
                    Solid::Sphere(sphere) => (
                        Pose::from_translation(vector(sphere.center)),
                        SharedShape::ball(sphere.radius.into()),
                    ),
                    Solid::Capsule(capsule) => {
                        let half_axis = vector(capsule.half_axis);
                        (
                            Pose::from_translation(vector(capsule.center)),
                            SharedShape::capsule(-half_axis, half_axis, capsule.radius.into()),
                        )
                    }
                    Solid::Obb(obb) => {
                        let [x, y, z, w] = obb.rotation.map(<$real>::from);
                        let [a, b, c] = obb.half_extents.map(<$real>::from);
                        let rotation = Rotation::from_xyzw(x, y, z, w).normalize();
                        (
                            Pose::from_parts(vector(obb.center), rotation),
                            SharedShape::cuboid(a, b, c),
                        )
                    }
                    Solid::Aabb(aabb) => {
                        let (min, max) = (vector(aabb.min), vector(aabb.max));
                        let extents = (max - min) * 0.5;
                        (
                            Pose::from_translation((min + max) * 0.5),
                            SharedShape::cuboid(extents.x, extents.y, extents.z),
                        )
                    }
                    Solid::Triangle(triangle) => {
                        let [a, b, c] = triangle.corners.map(vector);
                        (Pose::IDENTITY, SharedShape::triangle(a, b, c))
                    }
                    Solid::Mesh(mesh) => {
                        let triangles = mesh.triangles();
                        let (mut corners, mut indices) = (Vec::new(), Vec::new());
                        for k in 0..triangles.len() as u32 {
                            let triangle = triangles.get(k).expect("the index is of a triangle");
                            corners.extend(triangle.corners.map(vector));
                            indices.push([3 * k, 3 * k + 1, 3 * k + 2]);
                        }
                        let mesh = SharedShape::trimesh(corners, indices);
                        (Pose::IDENTITY, mesh.expect("the mesh has triangles"))
                    }
                }
            }
        }

        impl Peer for $name {
            fn target(&mut self, shape: &Solid) {
                self.0 = Some(Self::placed(shape));
            }

            fn ask(&mut self, small: &Solid, way: [f32; 3]) -> Answers {
                use $parry::math::Vector;
                use $parry::query::{
                    ShapeCastOptions, cast_shapes, contact, distance, intersection_test,
                };

                let (at, small) = Self::placed(small);
                let (to, ground) = self.0.as_ref().expect("a target was set");
                let way = Vector::from(way.map(<$real>::from));
                let found = contact(&at, &*small, to, &**ground, 0.0);
                let touches = intersection_test(&at, &*small, to, &**ground);
                let apart = distance(&at, &*small, to, &**ground);
                let options = ShapeCastOptions::with_max_time_of_impact(1.0);
                let stop = cast_shapes(&at, way, &*small, to, Vector::ZERO, &**ground, options);
                Answers {
                    separation: found.ok().flatten().map(|contact| contact.dist.into()),
                    touches: touches.is_ok_and(|found| found.intersecting),
                    distance: apart.ok().map(|found| [found.distance.into(); 2]),
                    enter: stop.ok().flatten().map(|hit| hit.time_of_impact.into()),
                }
            }

            fn ray(&mut self, from: [f32; 3], way: [f32; 3]) -> Option<f64> {
                use $parry::math::Vector;
                use $parry::query::Ray;

                let vector = |x: [f32; 3]| Vector::from(x.map(<$real>::from));
                let (at, shape) = self.0.as_ref().expect("a target was set");
                let ray = Ray::new(vector(from), vector(way));
                shape.cast_ray(at, &ray, 1.0, true).map(f64::from)
            }
        }
    };
}

parry!(F32, parry3d, f32);
parry!(F64, parry3d_f64, f64);
