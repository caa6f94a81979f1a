//! Peers of the kernels: prepared shapes in an array of structs, and a loop over pairs that writes an array of results.

use std::hint::black_box;

use parry3d::bounding_volume::BoundingVolume;
use parry3d::math::{Pose, Vector};
use parry3d::query::details::{
    cast_shapes_ball_ball, intersection_test_cuboid_cuboid, intersection_test_halfspace_support_map,
};
use parry3d::query::{PointQuery, Ray, RayCast, ShapeCastOptions, cast_shapes, intersection_test};
use parry3d::shape::{self, Ball, Cuboid, SupportMap};
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Pair, Point, Sphere, Triangle};
use wreck::Collides;
use wreck::soa::SpheresSoA;

use crate::by_hand::{self, Moving, Oriented};
use crate::convert::{Posed, ToWreck, parry_aabb, parry_sphere};
use crate::scenes::{InScene, Scene};

pub struct Peer {
    pub kernel: &'static str,
    /// The library.
    pub name: &'static str,
    /// Its function or method.
    pub call: &'static str,
    /// Prepares the shapes; not timed.
    pub open: fn(&Scene) -> Box<dyn PeerRun + '_>,
}

/// A peer on the shapes of one scene. The output is reused.
pub trait PeerRun: Send {
    fn run(&mut self, pairs: &[Pair]);
    /// First time of contact of a pair of the last run, zero without a time; +∞ for a miss.
    fn enter(&self, position: usize) -> f32;
}

/// The peers of a kernel, the best known first.
pub fn peers_of(kernel: &str) -> Vec<Peer> {
    let all = parry().into_iter().chain(wreck()).chain(by_hand());
    all.filter(|peer| peer.kernel == kernel).collect()
}

const PARRY: &str = "parry3d";
/// The function to which `cast_shapes` dispatches for balls, for callers that have only balls and ignore rotations.
const PARRY_DETAILS: &str = "parry3d ball cast";
const WRECK: &str = "wreck";
const BY_HAND: &str = "by hand";

/// One sphere against all, which is no separate kernel.
pub const ONE_TO_ALL: &str = "sphere_sphere_overlap, one to all";

fn parry() -> Vec<Peer> {
    let peer = |kernel, call, open| Peer {
        kernel,
        name: PARRY,
        call,
        open,
    };
    vec![
        peer("point_sphere_overlap", "Ball::contains_point", |scene| {
            each_mixed_pair(points(scene), posed::<Sphere, Ball>(scene), contains)
        }),
        peer("point_sphere_sweep", "Ball::cast_ray", |scene| {
            let balls = shapes(scene, Cast::<Ball>::new::<Sphere>);
            each_mixed_pair(shapes(scene, CastRay::new), balls, CastRay::cast)
        }),
        peer(
            "point_aabb_overlap",
            "Aabb::contains_local_point",
            |scene| {
                let aabbs = shapes(scene, |aabb, _| parry_aabb(&aabb));
                each_mixed_pair(points(scene), aabbs, |a, b| b.contains_local_point(*a))
            },
        ),
        peer("point_aabb_sweep", "Aabb::cast_local_ray", |scene| {
            let aabbs = shapes(scene, |aabb, v| (parry_aabb(&aabb), Vector::from(v)));
            each_mixed_pair(shapes(scene, CastRay::new), aabbs, |a, (b, velocity)| {
                time_of(b.cast_local_ray(&a.seen_from(*velocity), 1.0, true))
            })
        }),
        peer("point_obb_overlap", "Cuboid::contains_point", |scene| {
            each_mixed_pair(points(scene), posed::<Obb, Cuboid>(scene), contains)
        }),
        peer("point_obb_sweep", "Cuboid::cast_ray", |scene| {
            let cuboids = shapes(scene, Cast::<Cuboid>::new::<Obb>);
            each_mixed_pair(shapes(scene, CastRay::new), cuboids, CastRay::cast)
        }),
        peer(
            "point_capsule_overlap",
            "Capsule::contains_point",
            |scene| {
                let capsules = posed::<Capsule, shape::Capsule>(scene);
                each_mixed_pair(points(scene), capsules, contains)
            },
        ),
        peer("point_capsule_sweep", "Capsule::cast_ray", |scene| {
            let capsules = shapes(scene, Cast::<shape::Capsule>::new::<Capsule>);
            each_mixed_pair(shapes(scene, CastRay::new), capsules, CastRay::cast)
        }),
        peer(
            "point_half_space_overlap",
            "HalfSpace::contains_point",
            |scene| {
                let half_spaces = posed::<HalfSpace, shape::HalfSpace>(scene);
                each_mixed_pair(points(scene), half_spaces, contains)
            },
        ),
        peer("point_half_space_sweep", "HalfSpace::cast_ray", |scene| {
            let half_spaces = shapes(scene, Cast::<shape::HalfSpace>::new::<HalfSpace>);
            each_mixed_pair(shapes(scene, CastRay::new), half_spaces, CastRay::cast)
        }),
        peer(
            "sphere_sphere_overlap",
            "BoundingSphere::intersects",
            |scene| {
                let spheres = shapes(scene, |sphere, _| parry_sphere(&sphere));
                each_pair(spheres, |a, b| a.intersects(b))
            },
        ),
        peer("sphere_sphere_sweep", "cast_shapes", |scene| {
            each_pair(shapes(scene, Cast::<Ball>::new::<Sphere>), Cast::cast)
        }),
        Peer {
            name: PARRY_DETAILS,
            ..peer(
                "sphere_sphere_sweep",
                "details::cast_shapes_ball_ball",
                |scene| each_pair(shapes(scene, Cast::<Ball>::new::<Sphere>), Cast::cast_balls),
            )
        },
        peer("aabb_aabb_overlap", "Aabb::intersects", |scene| {
            let aabbs = shapes(scene, |aabb, _| parry_aabb(&aabb));
            each_pair(aabbs, |a, b| a.intersects(b))
        }),
        peer(
            "obb_obb_overlap",
            "intersection_test_cuboid_cuboid",
            |scene| each_pair(posed::<Obb, Cuboid>(scene), cuboids_touch),
        ),
        peer("obb_obb_sweep", "cast_shapes", |scene| {
            each_pair(shapes(scene, Cast::<Cuboid>::new::<Obb>), Cast::cast)
        }),
        // Balls: `intersection_test_point_query_ball` takes more than twice as long.
        peer(
            "sphere_aabb_overlap",
            "Aabb::distance_to_local_point",
            |scene| {
                let spheres = shapes(scene, |sphere: Sphere, _| sphere);
                let aabbs = shapes(scene, |aabb, _| parry_aabb(&aabb));
                each_mixed_pair(spheres, aabbs, |a, b| {
                    b.distance_to_local_point(a.center.into(), true) <= a.radius
                })
            },
        ),
        peer("sphere_obb_overlap", "Cuboid::distance_to_point", |scene| {
            let spheres = shapes(scene, |sphere: Sphere, _| sphere);
            each_mixed_pair(spheres, posed::<Obb, Cuboid>(scene), ball_touches)
        }),
        peer("sphere_aabb_sweep", "cast_shapes", |scene| {
            let balls = shapes(scene, Cast::<Ball>::new::<Sphere>);
            each_mixed_pair(
                balls,
                shapes(scene, Cast::<Cuboid>::new::<Aabb>),
                Cast::cast,
            )
        }),
        peer("sphere_obb_sweep", "cast_shapes", |scene| {
            let balls = shapes(scene, Cast::<Ball>::new::<Sphere>);
            each_mixed_pair(balls, shapes(scene, Cast::<Cuboid>::new::<Obb>), Cast::cast)
        }),
        peer("sphere_capsule_sweep", "cast_shapes", |scene| {
            let balls = shapes(scene, Cast::<Ball>::new::<Sphere>);
            let capsules = shapes(scene, Cast::<shape::Capsule>::new::<Capsule>);
            each_mixed_pair(balls, capsules, Cast::cast)
        }),
        peer("capsule_capsule_sweep", "cast_shapes", |scene| {
            let capsules = shapes(scene, Cast::<shape::Capsule>::new::<Capsule>);
            each_pair(capsules, Cast::cast)
        }),
        peer("capsule_aabb_sweep", "cast_shapes", |scene| {
            let capsules = shapes(scene, Cast::<shape::Capsule>::new::<Capsule>);
            let cuboids = shapes(scene, Cast::<Cuboid>::new::<Aabb>);
            each_mixed_pair(capsules, cuboids, Cast::cast)
        }),
        peer("capsule_obb_sweep", "cast_shapes", |scene| {
            let capsules = shapes(scene, Cast::<shape::Capsule>::new::<Capsule>);
            let cuboids = shapes(scene, Cast::<Cuboid>::new::<Obb>);
            each_mixed_pair(capsules, cuboids, Cast::cast)
        }),
        peer(
            "aabb_obb_overlap",
            "intersection_test_cuboid_cuboid",
            |scene| {
                let (a, b) = (posed::<Aabb, Cuboid>(scene), posed::<Obb, Cuboid>(scene));
                each_mixed_pair(a, b, cuboids_touch)
            },
        ),
        peer("aabb_obb_sweep", "cast_shapes", |scene| {
            let aabbs = shapes(scene, Cast::<Cuboid>::new::<Aabb>);
            let obbs = shapes(scene, Cast::<Cuboid>::new::<Obb>);
            each_mixed_pair(aabbs, obbs, Cast::cast)
        }),
        peer(
            "sphere_capsule_overlap",
            "Capsule::distance_to_point",
            |scene| {
                let spheres = shapes(scene, |sphere: Sphere, _| sphere);
                each_mixed_pair(
                    spheres,
                    posed::<Capsule, shape::Capsule>(scene),
                    ball_touches,
                )
            },
        ),
        peer("capsule_capsule_overlap", "intersection_test", |scene| {
            each_pair(posed::<Capsule, shape::Capsule>(scene), shapes_touch)
        }),
        peer("capsule_aabb_overlap", "intersection_test", |scene| {
            let capsules = posed::<Capsule, shape::Capsule>(scene);
            each_mixed_pair(capsules, posed::<Aabb, Cuboid>(scene), shapes_touch)
        }),
        peer("capsule_obb_overlap", "intersection_test", |scene| {
            let capsules = posed::<Capsule, shape::Capsule>(scene);
            each_mixed_pair(capsules, posed::<Obb, Cuboid>(scene), shapes_touch)
        }),
        peer(
            "capsule_half_space_overlap",
            "intersection_test_halfspace_support_map",
            |scene| {
                let capsules = posed::<Capsule, shape::Capsule>(scene);
                let half_spaces = posed::<HalfSpace, shape::HalfSpace>(scene);
                each_mixed_pair(capsules, half_spaces, touches_half_space)
            },
        ),
        peer("capsule_half_space_sweep", "cast_shapes", |scene| {
            let capsules = shapes(scene, Cast::<shape::Capsule>::new::<Capsule>);
            let half_spaces = shapes(scene, Cast::<shape::HalfSpace>::new::<HalfSpace>);
            each_mixed_pair(capsules, half_spaces, Cast::cast)
        }),
        peer(
            "sphere_half_space_overlap",
            "HalfSpace::distance_to_point",
            |scene| {
                let spheres = shapes(scene, |sphere: Sphere, _| sphere);
                let half_spaces = posed::<HalfSpace, shape::HalfSpace>(scene);
                each_mixed_pair(spheres, half_spaces, ball_touches)
            },
        ),
        peer("sphere_half_space_sweep", "cast_shapes", |scene| {
            let balls = shapes(scene, Cast::<Ball>::new::<Sphere>);
            let half_spaces = shapes(scene, Cast::<shape::HalfSpace>::new::<HalfSpace>);
            each_mixed_pair(balls, half_spaces, Cast::cast)
        }),
        peer(
            "aabb_half_space_overlap",
            "intersection_test_halfspace_support_map",
            |scene| {
                let half_spaces = posed::<HalfSpace, shape::HalfSpace>(scene);
                each_mixed_pair(
                    posed::<Aabb, Cuboid>(scene),
                    half_spaces,
                    touches_half_space,
                )
            },
        ),
        peer(
            "obb_half_space_overlap",
            "intersection_test_halfspace_support_map",
            |scene| {
                let half_spaces = posed::<HalfSpace, shape::HalfSpace>(scene);
                each_mixed_pair(posed::<Obb, Cuboid>(scene), half_spaces, touches_half_space)
            },
        ),
        peer("point_triangle_sweep", "Triangle::cast_ray", |scene| {
            let triangles = shapes(scene, Cast::<shape::Triangle>::new::<Triangle>);
            each_mixed_pair(shapes(scene, CastRay::new), triangles, CastRay::cast)
        }),
        peer(
            "sphere_triangle_overlap",
            "Triangle::distance_to_point",
            |scene| {
                let spheres = shapes(scene, |sphere: Sphere, _| sphere);
                let triangles = posed::<Triangle, shape::Triangle>(scene);
                each_mixed_pair(spheres, triangles, ball_touches)
            },
        ),
        peer("capsule_triangle_overlap", "intersection_test", |scene| {
            let capsules = posed::<Capsule, shape::Capsule>(scene);
            let triangles = posed::<Triangle, shape::Triangle>(scene);
            each_mixed_pair(capsules, triangles, shapes_touch)
        }),
        peer("aabb_triangle_overlap", "intersection_test", |scene| {
            let triangles = posed::<Triangle, shape::Triangle>(scene);
            each_mixed_pair(posed::<Aabb, Cuboid>(scene), triangles, shapes_touch)
        }),
        peer("obb_triangle_overlap", "intersection_test", |scene| {
            let triangles = posed::<Triangle, shape::Triangle>(scene);
            each_mixed_pair(posed::<Obb, Cuboid>(scene), triangles, shapes_touch)
        }),
        peer("triangle_triangle_overlap", "intersection_test", |scene| {
            each_pair(posed::<Triangle, shape::Triangle>(scene), shapes_touch)
        }),
        peer("sphere_triangle_sweep", "cast_shapes", |scene| {
            let spheres = shapes(scene, Cast::<Ball>::new::<Sphere>);
            let triangles = shapes(scene, Cast::<shape::Triangle>::new::<Triangle>);
            each_mixed_pair(spheres, triangles, Cast::cast)
        }),
        peer("triangle_triangle_sweep", "cast_shapes", |scene| {
            each_pair(
                shapes(scene, Cast::<shape::Triangle>::new::<Triangle>),
                Cast::cast,
            )
        }),
        peer("capsule_triangle_sweep", "cast_shapes", |scene| {
            let capsules = shapes(scene, Cast::<shape::Capsule>::new::<Capsule>);
            let triangles = shapes(scene, Cast::<shape::Triangle>::new::<Triangle>);
            each_mixed_pair(capsules, triangles, Cast::cast)
        }),
        peer("aabb_triangle_sweep", "cast_shapes", |scene| {
            let cuboids = shapes(scene, Cast::<Cuboid>::new::<Aabb>);
            let triangles = shapes(scene, Cast::<shape::Triangle>::new::<Triangle>);
            each_mixed_pair(cuboids, triangles, Cast::cast)
        }),
        peer("obb_triangle_sweep", "cast_shapes", |scene| {
            let cuboids = shapes(scene, Cast::<Cuboid>::new::<Obb>);
            let triangles = shapes(scene, Cast::<shape::Triangle>::new::<Triangle>);
            each_mixed_pair(cuboids, triangles, Cast::cast)
        }),
    ]
}

fn wreck() -> Vec<Peer> {
    let peer = |kernel, open| Peer {
        kernel,
        name: WRECK,
        call: "Collides::collides",
        open,
    };
    vec![
        peer("sphere_sphere_overlap", wreck_pairs::<Sphere>),
        peer("aabb_aabb_overlap", wreck_pairs::<Aabb>),
        peer("obb_obb_overlap", wreck_pairs::<Obb>),
        peer("sphere_aabb_overlap", wreck_mixed_pairs::<Sphere, Aabb>),
        peer("sphere_obb_overlap", wreck_mixed_pairs::<Sphere, Obb>),
        peer("aabb_obb_overlap", wreck_mixed_pairs::<Aabb, Obb>),
        peer(
            "sphere_capsule_overlap",
            wreck_mixed_pairs::<Sphere, Capsule>,
        ),
        peer("capsule_capsule_overlap", wreck_pairs::<Capsule>),
        peer("capsule_aabb_overlap", wreck_mixed_pairs::<Capsule, Aabb>),
        peer("capsule_obb_overlap", wreck_mixed_pairs::<Capsule, Obb>),
        peer(
            "capsule_half_space_overlap",
            wreck_mixed_pairs::<Capsule, HalfSpace>,
        ),
        peer(
            "sphere_half_space_overlap",
            wreck_mixed_pairs::<Sphere, HalfSpace>,
        ),
        peer(
            "aabb_half_space_overlap",
            wreck_mixed_pairs::<Aabb, HalfSpace>,
        ),
        peer(
            "obb_half_space_overlap",
            wreck_mixed_pairs::<Obb, HalfSpace>,
        ),
        Peer {
            kernel: ONE_TO_ALL,
            name: WRECK,
            call: "SpheresSoA::broadphase_collect",
            open: |scene| {
                let spheres = shapes(scene, |sphere: Sphere, _| sphere.to_wreck());
                Box::new(WreckOneToAll {
                    spheres: SpheresSoA::from_slice(&spheres),
                    out: vec![false; spheres.len()],
                })
            },
        },
    ]
}

fn by_hand() -> Vec<Peer> {
    let peer = |kernel, call, open| Peer {
        kernel,
        name: BY_HAND,
        call,
        open,
    };
    vec![
        peer("sphere_sphere_overlap", "squared distance", |scene| {
            each_pair(shapes(scene, |sphere, _| sphere), by_hand::sphere_overlap)
        }),
        peer("sphere_sphere_sweep", "quadratic equation", |scene| {
            each_pair(shapes(scene, moving), by_hand::sphere_sweep)
        }),
        peer("aabb_aabb_overlap", "six comparisons", |scene| {
            each_pair(shapes(scene, |aabb, _| aabb), by_hand::aabb_overlap)
        }),
        peer("aabb_aabb_sweep", "slabs without a branch", |scene| {
            each_pair(shapes(scene, moving), by_hand::aabb_sweep)
        }),
        peer("obb_obb_overlap", "fifteen axes", |scene| {
            let boxes = shapes(scene, |obb: Obb, _| Oriented::from(obb));
            each_pair(boxes, by_hand::obb_overlap)
        }),
        peer(ONE_TO_ALL, "squared distance", |scene| {
            Box::new(OneToAll {
                shapes: shapes(scene, |sphere: Sphere, _| sphere),
                test: by_hand::sphere_overlap,
                out: Vec::new(),
            })
        }),
    ]
}

/// The shapes of a scene, with their displacements, in the peer's types.
fn shapes<T: InScene, S>(scene: &Scene, convert: impl Fn(T, [f32; 3]) -> S) -> Vec<S> {
    let store = T::store(scene);
    (0..store.len() as u32)
        .filter_map(|i| Some(convert(store.get(i)?, store.displacement(i)?)))
        .collect()
}

fn posed<T: InScene, S>(scene: &Scene) -> Vec<Posed<S>>
where
    Posed<S>: From<T>,
{
    shapes(scene, |shape: T, _| shape.into())
}

fn moving<T>(shape: T, displacement: [f32; 3]) -> Moving<T> {
    Moving {
        shape,
        displacement,
    }
}

#[inline(always)]
fn cuboids_touch(a: &Posed<Cuboid>, b: &Posed<Cuboid>) -> bool {
    intersection_test_cuboid_cuboid(&a.pose.inv_mul(&b.pose), &a.shape, &b.shape)
}

#[inline(always)]
fn touches_half_space<S: SupportMap>(a: &Posed<S>, b: &Posed<shape::HalfSpace>) -> bool {
    intersection_test_halfspace_support_map(&b.pose.inv_mul(&a.pose), &b.shape, &a.shape)
}

#[inline(always)]
fn shapes_touch<P: shape::Shape, Q: shape::Shape>(a: &Posed<P>, b: &Posed<Q>) -> bool {
    intersection_test(&a.pose, &a.shape, &b.pose, &b.shape).is_ok_and(|said| said.intersecting)
}

#[inline(always)]
fn ball_touches(a: &Sphere, b: &Posed<impl PointQuery>) -> bool {
    b.shape.distance_to_point(&b.pose, a.center.into(), true) <= a.radius
}

fn points(scene: &Scene) -> Vec<Vector> {
    shapes(scene, |point: Point, _| point.position.into())
}

#[inline(always)]
fn contains(a: &Vector, b: &Posed<impl PointQuery>) -> bool {
    b.shape.contains_point(&b.pose, *a)
}

/// A ray cast of parry3d.
struct CastRay {
    origin: Vector,
    velocity: Vector,
}

impl CastRay {
    fn new(point: Point, displacement: [f32; 3]) -> Self {
        CastRay {
            origin: point.position.into(),
            velocity: displacement.into(),
        }
    }

    /// The ray relative to a moving shape.
    #[inline(always)]
    fn seen_from(&self, velocity: Vector) -> Ray {
        Ray::new(self.origin, self.velocity - velocity)
    }

    #[inline(always)]
    fn cast<S: RayCast>(&self, other: &Cast<S>) -> f32 {
        let ray = self.seen_from(other.velocity);
        time_of(other.at.shape.cast_ray(&other.at.pose, &ray, 1.0, true))
    }
}

#[inline(always)]
fn time_of(hit: Option<f32>) -> f32 {
    hit.unwrap_or(f32::INFINITY)
}

/// A shape cast of parry3d.
struct Cast<S> {
    at: Posed<S>,
    velocity: Vector,
}

impl<S: shape::Shape> Cast<S> {
    fn new<T: Into<Posed<S>>>(shape: T, displacement: [f32; 3]) -> Self {
        Cast {
            at: shape.into(),
            velocity: displacement.into(),
        }
    }

    #[inline(always)]
    fn cast<Q: shape::Shape>(&self, other: &Cast<Q>) -> f32 {
        let (a, b) = (&self.at, &other.at);
        let frame = ShapeCastOptions::with_max_time_of_impact(1.0);
        let hit = cast_shapes(
            &a.pose,
            self.velocity,
            &a.shape,
            &b.pose,
            other.velocity,
            &b.shape,
            frame,
        );
        match hit {
            Ok(Some(hit)) => hit.time_of_impact,
            _ => f32::INFINITY,
        }
    }
}

impl Cast<Ball> {
    #[inline(always)]
    fn cast_balls(&self, other: &Cast<Ball>) -> f32 {
        let (a, b) = (&self.at, &other.at);
        let apart = Pose::from_translation(b.pose.translation - a.pose.translation);
        let velocity = other.velocity - self.velocity;
        let frame = ShapeCastOptions::with_max_time_of_impact(1.0);
        cast_shapes_ball_ball(&apart, velocity, &a.shape, &b.shape, frame)
            .map_or(f32::INFINITY, |hit| hit.time_of_impact)
    }
}

fn wreck_pairs<T>(scene: &Scene) -> Box<dyn PeerRun + '_>
where
    T: InScene + ToWreck,
    T::Shape: Collides<T::Shape> + Send + 'static,
{
    let shapes = shapes(scene, |shape: T, _| shape.to_wreck());
    each_pair(shapes, |a, b| a.collides(b))
}

fn wreck_mixed_pairs<A, B>(scene: &Scene) -> Box<dyn PeerRun + '_>
where
    A: InScene + ToWreck,
    B: InScene + ToWreck,
    A::Shape: Collides<B::Shape> + Send + 'static,
    B::Shape: Clone + Send + 'static,
{
    let a = shapes(scene, |shape: A, _| shape.to_wreck());
    let b = shapes(scene, |shape: B, _| shape.to_wreck());
    each_mixed_pair(a, b, |a, b| a.collides(b))
}

/// Result of a peer for a pair.
trait Answer: Copy + Send + 'static {
    /// As in [`PeerRun::enter`].
    fn enter(self) -> f32;
}

impl Answer for bool {
    fn enter(self) -> f32 {
        if self { 0.0 } else { f32::INFINITY }
    }
}

impl Answer for f32 {
    fn enter(self) -> f32 {
        self
    }
}

/// The first and the last time of contact.
impl Answer for [f32; 2] {
    fn enter(self) -> f32 {
        self[0]
    }
}

struct PairLoop<F, R> {
    test: F,
    out: Vec<R>,
}

impl<F: Fn(Pair) -> R + Send, R: Answer> PeerRun for PairLoop<F, R> {
    fn run(&mut self, pairs: &[Pair]) {
        self.out.clear();
        // The only caller of `test`, so that `test` is inlined: a call per pair would be unfair.
        let answers = pairs.iter().map(|&pair| (self.test)(pair));
        self.out.extend(answers);
        black_box(&self.out);
    }

    fn enter(&self, position: usize) -> f32 {
        self.out[position].enter()
    }
}

/// A loop over pairs of one kind of shape.
fn each_pair<'s, S: Send + 's, R: Answer>(
    shapes: Vec<S>,
    test: impl Fn(&S, &S) -> R + Send + 's,
) -> Box<dyn PeerRun + 's> {
    Box::new(PairLoop {
        test: move |pair: Pair| test(&shapes[pair.a as usize], &shapes[pair.b as usize]),
        out: Vec::new(),
    })
}

/// A loop over pairs of two kinds of shapes.
fn each_mixed_pair<'s, A: Send + 's, B: Send + 's, R: Answer>(
    a: Vec<A>,
    b: Vec<B>,
    test: impl Fn(&A, &B) -> R + Send + 's,
) -> Box<dyn PeerRun + 's> {
    Box::new(PairLoop {
        test: move |pair: Pair| test(&a[pair.a as usize], &b[pair.b as usize]),
        out: Vec::new(),
    })
}

/// A loop over all shapes. The pairs only give the shape that is tested against them.
struct OneToAll<S, F> {
    shapes: Vec<S>,
    test: F,
    out: Vec<bool>,
}

impl<S: Send, F: Fn(&S, &S) -> bool + Send> PeerRun for OneToAll<S, F> {
    fn run(&mut self, pairs: &[Pair]) {
        let one = &self.shapes[pairs[0].a as usize];
        self.out.clear();
        self.out
            .extend(self.shapes.iter().map(|other| (self.test)(one, other)));
        black_box(&self.out);
    }

    fn enter(&self, position: usize) -> f32 {
        self.out[position].enter()
    }
}

/// wreck's test of one sphere against columns of them, which marks the hits.
struct WreckOneToAll {
    spheres: SpheresSoA,
    out: Vec<bool>,
}

impl PeerRun for WreckOneToAll {
    fn run(&mut self, pairs: &[Pair]) {
        let one = self.spheres.get(pairs[0].a as usize);
        self.spheres.broadphase_collect(&one, &mut self.out);
        black_box(&self.out);
    }

    fn enter(&self, position: usize) -> f32 {
        self.out[position].enter()
    }
}
