//! SIMD batch collision detection: overlap, continuous collision detection (CCD), contact manifolds, time of impact of
//! rotating boxes, ray casts and distances. For thousands to millions of pairs per call, 4 to 16 pairs per instruction,
//! on all cores.
//!
//! For colliders of many kinds start with `Scene`, which answers a frame in one call each. It calls what follows.
//!
//! phalanx has a broad phase and a narrow phase. The narrow phase takes the pair list of any broad phase:
//!
//! ```text
//!  your shapes ──► stores: one column per component       Points, Spheres, Capsules, Aabbs, Obbs, ...
//!                     │
//!                  Detector::candidates   broad phase: the pairs whose bounds overlap
//!                     │
//!                  pairs: two indices each                &[Pair], Pairs::zip, Pairs::one_to_all
//!                     │
//!                  Detector::overlap   the pairs that touch now
//!                  Detector::sweep     the pairs that touch during the frame's motion, and when
//!                  Detector::contact   contact manifolds: points, normal, penetration depth
//!                  Detector::impact    time of impact of rotating boxes and hulls
//!                  Detector::distance  lower and upper bound of the distance
//!                     │
//!  your code ◄───  results by position in the list        Overlaps, Sweeps, Contacts, Impacts, Distances
//! ```
//!
//! Queries of whole stores need no pair list: [`Detector::first_hits`] finds the first hit of each ray or bullet,
//! [`Detector::nearest`] the nearest shape. [`Detector::ordered_hits`] and [`Detector::neighbors`] list several of them, in order.
//!
//! # Three guarantees
//!
//! 1. **No false negatives.** Every pair that touches in exact arithmetic is reported, and every reported time interval
//!    encloses the exact interval. The price is an occasional false positive, at a gap of a few ulps of the lengths
//!    involved. Each kernel states its error band.
//! 2. **Deterministic.** Bit-identical results on every instruction set, with any number of threads,
//!    and at any position in a list.
//! 3. **Fast by default.** A plain build detects AVX2 and AVX-512 at run time; no flags.
//!
//! The [`contract`] defines the first two exactly, with the test of each guarantee. The [`guide`] has each feature in a
//! few lines, the [`recipes`] are complete programs.
//!
//! # A frame
//!
//! ```
//! use phalanx::{Detector, During, Obb, Obbs, Overlaps, Sphere, Spheres, Sweeps};
//!
//! let mut boxes = Obbs::new();
//! boxes.push(Obb::new([0.0; 3], [1.0; 3], [0.0, 0.0, 0.0, 1.0]));
//!
//! let mut spheres = Spheres::new();
//! spheres.push(Sphere::new([0.0, 0.0, 0.0], 1.0));
//! spheres.push_moving(Sphere::new([0.0, 5.0, 0.0], 0.5), [0.0, -9.0, 0.0]);
//!
//! // Create once, reuse every frame.
//! let mut detector = Detector::new();
//! let (mut pairs, mut overlaps, mut sweeps) = (Vec::new(), Overlaps::new(), Sweeps::new());
//!
//! // The pairs that touch now.
//! detector.candidates(&boxes, &spheres, During::Start, &mut pairs)?;
//! detector.overlap(&boxes, &spheres, &pairs, &mut overlaps)?;
//! for pair in overlaps.hits(&pairs)? {
//!     println!("box {} and sphere {} touch", pair.a, pair.b);
//! }
//! // The pairs that touch during the frame.
//! detector.candidates(&spheres, &spheres, During::Frame, &mut pairs)?;
//! detector.sweep(&spheres, &spheres, &pairs, &mut sweeps)?;
//! for (position, time) in sweeps.iter() {
//!     println!("{:?} touch from {} to {}", pairs[position], time.enter, time.exit);
//! }
//! # assert_eq!(overlaps.count(), 1);
//! # assert_eq!(sweeps.count(), 1);
//! # Ok::<(), phalanx::Error>(())
//! ```
//!
//! # What it can test
//!
//! | [`overlap`](Detector::overlap), [`sweep`](Detector::sweep), [`contact`](Detector::contact) | [`Sphere`] | [`Capsule`] | [`Aabb`] | [`Obb`] | [`Hulls`] | [`Triangle`] | [`Plane`] | [`HalfSpace`] |
//! |---|---|---|---|---|---|---|---|---|
//! | [`Point`], a ray if it moves | yes | yes | yes | yes | yes | yes | yes | yes |
//! | [`Sphere`] | yes | yes | yes | yes | yes | yes | yes | yes |
//! | [`Capsule`] | yes | yes | yes | yes | yes | yes | yes | yes |
//! | [`Aabb`] | yes | yes | yes | yes | yes | yes | yes | yes |
//! | [`Obb`], rotating in an [`impact`](Detector::impact) | yes | yes | yes | yes | yes | yes | yes | yes |
//! | [`Hulls`], also rotating; cylinders, cones | yes | yes | yes | yes | yes | yes | yes | yes |
//! | [`Triangle`] | yes | yes | yes | yes | yes | yes | yes | yes |
//!
//! Not supported: points with points, and planes and half-spaces with each other. Either order of two types gives the same results. A
//! [`Mesh`] is accepted wherever [`Triangles`] are; [`inside`](Detector::inside) finds the points in the solid that it bounds. A sweep
//! translates shapes in a straight line and does not rotate them. [`impact`](Detector::impact) rotates OBBs and hulls, against all shapes
//! except points. [`distance`](Detector::distance) covers all of these pairs, and points with points;
//! [`nearest`](Detector::nearest) and [`neighbors`](Detector::neighbors) also, of each bounded shape.
//!
//! [`Sweeps::at_enter`] gives the shapes at first contact, [`slerp`] an orientation between two, and [`Chord`] makes a sweep of
//! accelerated motion conservative. [`errata`] lists the errors in the 1999 article from which phalanx started.
//!
//! # Conventions
//!
//! - **Shapes are closed sets**: touching is a hit. Zero sizes are valid: points, segments, rectangles. Inputs are
//!   exactly their `f32` values.
//! - **Lengths** are in any unit, at most [`MAX_LENGTH`]. Error bounds are relative to the lengths
//!   of a pair down to 2⁻⁶², and absolute below. In a large world, keep positions relative to a
//!   nearby origin: adjacent `f32` values near 1e6 differ by a sixteenth. A box of everything is
//!   [`Aabb::EVERYTHING`]; an endless ray is one as long as the scene.
//! - **Vectors** are `[f32; 3]`. Constructors and setters also take types that convert into it: `Vec3` of glam, vectors
//!   of mint, cgmath and nalgebra. `const` constructors take arrays.
//! - **Displacements** are the straight-line motion of a shape during the frame; a shape pushed
//!   without one is stationary. Overlaps ignore them. Orientations are constant during a sweep.
//! - **Turns** of [`Obbs`] and [`Hulls`] are rotation vectors: the rotation about the center during the frame, in radians
//!   and world axes, of length at most π, applied after its orientation. Only [`impact`](Detector::impact),
//!   [`at`](Store::at) and bounds of [`During::Frame`] read them.
//! - **Quaternions** are x, y, z, w: the identity is `[0.0, 0.0, 0.0, 1.0]`. A w-first quaternion is a valid but
//!   different rotation, so it cannot be detected. Quaternions of glam, mint and cgmath are accepted unchanged, those
//!   of nalgebra as `q.coords`.
//! - **Times** are fractions of the frame, from 0 to 1. The times of a miss are +∞.
//! - **Indices** of shapes are `u32`; positions in a pair list are `usize`. Results are indexed by position. A listed
//!   pair of a shape with itself is tested like any other.
//! - **Invalid structure is an error** that names the place and changes nothing: an index out of range, unequal
//!   lengths. **Invalid values are flagged**: NaN, infinity, a negative size, `min > max`, a quaternion whose length
//!   differs from 1 by more than 1e-3, a length above [`MAX_LENGTH`]. A pair with such a shape is
//!   [invalid](Overlaps::is_invalid), never a hit, and affects no other pair.
//! - **Subnormal numbers** must not be flushed to zero; no target does so by default.
//!
//! # Features
//!
//! | feature | default | effect |
//! |---|---|---|
//! | `std` | yes | detects AVX2 and AVX-512 at run time (otherwise the target features of the build apply); unchanged stores cache packed rows and trees |
//! | `rayon` | yes | splits long lists over the rayon pool of the calling thread |
//! | `sweep` | yes | [`Detector::sweep`] and, with `contact`, [`Detector::sweep_contacts`] |
//! | `contact` | yes | [`Detector::contact`] |
//! | `impact` | yes | [`Detector::impact`] |
//! | `distance` | yes | [`Detector::distance`], [`Detector::distance_points`] and, with `candidates`, [`Detector::nearest`] and [`Detector::neighbors`] |
//! | `candidates` | yes | [`Detector::candidates`], [`Detector::touching`], [`Detector::inside`], [`spatial_order`] and, with `sweep`, [`Detector::first_hits`], [`Detector::nearer_hits`], [`Detector::ordered_hits`] and [`Detector::meets_any`] |
//! | `scene` | yes | [`Scene`]; needs `sweep`, `contact`, `distance` and `candidates` |
//! | `serde` | no | serializes shapes, pairs, times, hulls and [`Settings`]; a [`Simd`] by its name |
//!
//! No feature changes a type or a result. Without `std` the crate needs `alloc`. [`Detector::overlap`] needs no feature. A
//! feature that is off compiles none of its kernels, which shortens the build.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// Without a feature, code that only its verb uses is dead. The default build still reports dead code.
#![cfg_attr(
    not(all(
        feature = "sweep",
        feature = "contact",
        feature = "impact",
        feature = "distance",
        feature = "candidates",
        feature = "scene"
    )),
    allow(dead_code, unused_imports, unused_macros)
)]

extern crate alloc;

// Floors: a file uses its own floor and those below, and no files use each other in a circle (`tests/house.rs`).
//
//   9  scene      colliders of all kinds: ids, stores and bounds, and the calls of a frame
//   8  detector   methods and their contracts
//   7  broad      queries of whole stores: a tree, and what searches it
//   6  narrow     verbs: a room each for results, stage and kernels; index and public bounds; hulls; geometry
//   5  driver     the way of a call: list, rows, loop, threads; knows no verb and no shape
//   4  store      columns that are kept: stores, views, caches, meshes, hulls; motion
//   3  shapes     values: numbers, checks, rows, bounds
//   2  math, error, limits
//   1  lane, memory, pairs, collider_id
mod broad;
mod collider_id;
mod detector;
mod driver;
mod error;
mod lane;
mod limits;
mod math;
mod memory;
mod motion;
#[macro_use]
mod narrow;
mod pairs;
#[cfg(feature = "scene")]
mod scene;
#[macro_use]
mod shapes;
mod store;

#[cfg(feature = "candidates")]
pub use crate::broad::candidates::spatial_order;
pub use crate::collider_id::ColliderId;
pub use crate::detector::Detector;
pub use crate::driver::settings::Settings;
pub use crate::narrow::contact::contacts::{
    Contact, ContactColumns, ContactIter, ContactPoint, ContactPointColumns, ContactPointVecs,
    Contacts,
};
/// The queries by name, for code that is generic over them. Hidden from the documentation but exported, like
/// [`kernels!`]: tests, benches and bindings use it.
#[doc(hidden)]
pub mod query {
    pub use crate::driver::call::{Query, Supports};
    pub use crate::narrow::contact::stage::SweepContacts;
}
pub use crate::broad::first_hits::{FirstHitColumns, FirstHits, SceneHit, SceneHits};
pub use crate::broad::nearest::{Clearance, Clearances, Nearest, NearestColumns};
#[cfg(feature = "candidates")]
pub use crate::broad::prepare::Prepared;
pub use crate::broad::ranked::{NeighborColumns, Neighbors, OrderedHitColumns, OrderedHits};
pub use crate::error::{Defect, Error, InvalidShapes};
pub use crate::lane::Simd;
pub use crate::limits::MAX_LENGTH;
pub use crate::motion::{Chord, slerp, turn_between, turn_of_velocity};
pub use crate::narrow::distance::distances::{
    ClosestPointColumns, ClosestPoints, DistanceColumns, DistanceRange, Distances,
};
pub use crate::narrow::impact::impacts::{ImpactColumns, Impacts};
pub use crate::narrow::overlap::overlaps::{
    FirstHit, Hits, OverlapWords, Overlaps, Positions, SweepColumns, Sweeps, TimeInterval,
};
pub use crate::pairs::{Pair, Pairs};
#[cfg(feature = "scene")]
pub use crate::scene::collider::{Collider, Mark, Pose, Role};
#[cfg(feature = "scene")]
pub use crate::scene::filter::Filter;
#[cfg(feature = "scene")]
pub use crate::scene::scene::Scene;
#[cfg(feature = "scene")]
pub use crate::scene::scene_contacts::{SceneContact, SceneContacts};
#[cfg(feature = "scene")]
pub use crate::scene::seekers::{Cast, CastHit, ColliderDistance, Ray, SweepHit};
#[cfg(feature = "scene")]
pub use crate::scene::stores::SceneStores;
pub use crate::shapes::aabb::{Aabb, AabbColumns};
pub use crate::shapes::bounds::During;
pub use crate::shapes::capsule::{Capsule, CapsuleColumns};
pub use crate::shapes::groups::{Groups, NO_BODY};
pub use crate::shapes::obb::{Obb, ObbColumns};
pub use crate::shapes::plane::{HalfSpace, Plane, PlaneColumns};
pub use crate::shapes::point::{Point, PointColumns};
pub use crate::shapes::sphere::{Sphere, SphereColumns};
pub use crate::shapes::triangle::{Triangle, TriangleColumns};
pub use crate::store::aliases::{
    Aabbs, AabbsRef, Capsules, CapsulesRef, HalfSpaces, HalfSpacesRef, Obbs, ObbsRef, Planes,
    PlanesRef, Points, PointsRef, Spheres, SpheresRef, Triangles, TrianglesRef,
};
/// The shape of [`Hulls`]. Hidden from the documentation: only views of [`Hulls`] have it.
#[doc(hidden)]
pub use crate::store::hull::hulls::{Hull, HullColumns, Hulls, PlacedHull};
pub use crate::store::hull::kinds::HullKinds;
pub use crate::store::mesh::adjacency::{EdgeKind, Sides};
pub use crate::store::mesh::mesh::{Edge, Mesh};
pub use crate::store::store::{Shapes, Store, StoreRef};

/// Bounds for generic code: types of shapes, and the queries that accept them.
///
/// Calls with concrete stores need none of these traits. All are sealed.
///
/// ```
/// use phalanx::traits::{Bounded, Overlap};
/// use phalanx::{Detector, During, Error, Obb, Obbs, Overlaps, Pair, Sphere, Spheres, Store};
///
/// /// The touching pairs of any two stores with an overlap test.
/// fn touching<A: Bounded + Overlap<B>, B: Bounded>(a: &Store<A>, b: &Store<B>) -> Result<Vec<Pair>, Error> {
///     let (mut detector, mut pairs, mut overlaps) = (Detector::new(), Vec::new(), Overlaps::new());
///     detector.candidates(a, b, During::Start, &mut pairs)?;
///     detector.overlap(a, b, &pairs, &mut overlaps)?;
///     Ok(overlaps.hits(&pairs)?.collect())
/// }
///
/// let boxes = Obbs::from_slice(&[Obb::new([0.0; 3], [1.0; 3], [0.0, 0.0, 0.0, 1.0])]);
/// let spheres = Spheres::from_slice(&[Sphere::new([1.5, 0.0, 0.0], 1.0)]);
/// assert_eq!(touching(&boxes, &spheres)?, [Pair::new(0, 0)]);
/// # Ok::<(), Error>(())
/// ```
pub mod traits {
    pub use crate::narrow::supports::{Collide, Distance, Impact, Overlap, Sweep};
    pub use crate::shapes::bounds::Bounded;
    pub use crate::shapes::shape::Shape;
}

// Detectors, outputs, stores and scenes can move between threads.
const _: () = {
    const fn portable<T: Send + Sync + 'static>() {}
    portable::<Detector>();
    portable::<Overlaps>();
    portable::<Sweeps>();
    portable::<Contacts>();
    portable::<Impacts>();
    portable::<Distances>();
    portable::<ClosestPoints>();
    portable::<Nearest>();
    portable::<Neighbors>();
    portable::<OrderedHits>();
    portable::<Mesh>();
    #[cfg(feature = "scene")]
    portable::<Scene>();
    macro_rules! stores {
        ($($name:ident: $shape:ident, $stores:ident, $bounds:ident;)*) => {
            $(portable::<crate::$stores>();)*
        };
    }
    shapes!(stores);
};

// Chapters are also read as files, where their links lead to files. In the docs the definitions of `links.md` come
// first, so they win over the definitions at the end of a chapter.
#[doc = include_str!("links.md")]
#[doc = include_str!("guide.md")]
pub mod guide {}

#[doc = include_str!("links.md")]
#[doc = include_str!("recipes.md")]
pub mod recipes {}

#[doc = include_str!("links.md")]
#[doc = include_str!("contract.md")]
pub mod contract {}

#[doc = include_str!("links.md")]
#[doc = include_str!("errata.md")]
pub mod errata {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
