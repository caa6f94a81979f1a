//! Batch collision detection: thousands to millions of "do these two shapes touch, and when?" per
//! frame, 4 to 16 pairs per instruction, on every core.
//!
//! phalanx goes from shapes to the pairs that touch; any broadphase's list of pairs does as well as its own:
//!
//! ```text
//!  your shapes ──► stores: one column per number          Points, Spheres, Capsules, Aabbs, Obbs, ...
//!                     │
//!                  Detector::candidates   which may touch, by their bounds
//!                     │
//!                  pairs: two indices each                &[Pair], Pairs::zip, Pairs::one_to_all
//!                     │
//!                  Detector::overlap   which touch now
//!                  Detector::sweep     which touch during the frame's motion, and when
//!                  Detector::contact   where, how deep, which way they part
//!                  Detector::impact    when first, of boxes that turn
//!                     │
//!  your code ◄───  answers by position in the list        Overlaps, Sweeps, Contacts, Impacts
//! ```
//!
//! # Three promises
//!
//! 1. **It never misses.** Every pair that touches in exact arithmetic is reported, and every
//!    reported time interval encloses the exact one. The price is a false hit now and then, at a
//!    gap of a few units in the last place of the lengths involved; each kernel states its band.
//! 2. **One answer everywhere.** The same bits on every instruction set, any number of threads, and
//!    any position in a list.
//! 3. **Fast by default.** A plain build finds AVX2 and AVX-512 at run time; no flags.
//!
//! [`contract`] says exactly what the first two mean, and which test holds each sentence.
//!
//! # A frame
//!
//! ```
//! use phalanx::{Detector, During, Obb, Obbs, Overlaps, Sphere, Spheres, Sweeps};
//!
//! let mut boxes = Obbs::new();
//! boxes.push(Obb { center: [0.0; 3], half_extents: [1.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] });
//!
//! let mut spheres = Spheres::new();
//! spheres.push(Sphere { center: [0.0, 0.0, 0.0], radius: 1.0 });
//! spheres.push_moving(Sphere { center: [0.0, 5.0, 0.0], radius: 0.5 }, [0.0, -9.0, 0.0]);
//!
//! // Once, and reused every frame.
//! let mut detector = Detector::new();
//! let (mut pairs, mut overlaps, mut sweeps) = (Vec::new(), Overlaps::new(), Sweeps::new());
//!
//! // Which touch now?
//! detector.candidates(&boxes, &spheres, During::Start, &mut pairs)?;
//! detector.overlap(&boxes, &spheres, &pairs, &mut overlaps)?;
//! for pair in overlaps.hits(&pairs)? {
//!     println!("box {} and ball {} touch", pair.a, pair.b);
//! }
//! // Which will during the frame?
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
//! | [`overlap`](Detector::overlap) and [`sweep`](Detector::sweep) | [`Sphere`] | [`Capsule`] | [`Aabb`] | [`Obb`] | [`Plane`] | [`HalfSpace`] |
//! |---|---|---|---|---|---|---|
//! | [`Point`], a ray if it moves | yes | yes | yes | yes | yes | yes |
//! | [`Sphere`] | yes | yes | yes | yes | yes | yes |
//! | [`Capsule`] | yes | yes | yes | yes | yes | yes |
//! | [`Aabb`] | yes | yes | yes | yes | yes | yes |
//! | [`Obb`] | yes | yes | yes | yes | yes | yes |
//!
//! In either order, and the answers are the same. [`contact`](Detector::contact) is there for all of these but points. A
//! sweep tests shapes along their straight motion, during which an [`Obb`] does not turn;
//! [`impact`](Detector::impact) turns it, against all of these but points.
//! [`Sweeps::at_enter`] tells where shapes are when they touch, [`slerp`] how they are turned at a time,
//! and [`Chord`] makes a sweep of accelerated motion conservative. [`errata`] shows what the article
//! that these tests come from gets wrong.
//!
//! # Conventions
//!
//! - **Shapes are closed sets**: touching is a hit. Sizes of zero are valid: points, segments,
//!   rectangles. Inputs are taken as exactly the `f32` they are.
//! - **Lengths** are in any unit, at most [`MAX_LENGTH`]. Error bounds are relative to the lengths
//!   of a pair down to 2⁻⁶², and absolute below. In a large world, keep positions relative to a
//!   nearby origin: an `f32` at 1e6 is a sixteenth apart from the next, whatever a kernel does.
//! - **Displacements** are the straight-line motion of a shape during the frame; a shape pushed
//!   without one rests. An overlap ignores them. Orientations stay as they are during a sweep.
//! - **Turns** of [`Obbs`] are rotation vectors of the frame: radians, world axes, at most π long, about the center,
//!   applied after the rotation. Only [`impact`](Detector::impact) and what is said of all the frame look at them.
//! - **Quaternions** are x, y, z, w: the identity is `[0.0, 0.0, 0.0, 1.0]`. Another order is another rotation,
//!   which nothing can flag. nalgebra's go in by `q.coords.into()`, those of glam, mint and cgmath by `.into()`.
//! - **Times** are fractions of the displacements, from 0 to 1. The times of a miss are +∞.
//! - **Indices** of shapes are `u32`; positions in a pair list are `usize`. Answers are indexed by
//!   position. A pair of a shape with itself is tested like any other.
//! - **Bad structure is an error** that names the place and changes nothing: an index out of range,
//!   unequal lengths. **Bad values are flags**: a pair that meets NaN, infinity, a negative size,
//!   `min > max`, a rotation that is not of unit length within 1e-3, or a length above
//!   [`MAX_LENGTH`] is no hit but [invalid](Overlaps::is_invalid), and disturbs no other.
//! - **Subnormal numbers** must not be flushed to zero, which no target does unless told to.
//!
//! # Features
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `std` | yes | finding AVX2 and AVX-512 at run time, which are used otherwise if the build enables them; stores that rest keep what calls pack of them |
//! | `rayon` | yes | long lists are shared with the rayon pool that a call is made from |
//! | `serde` | no | shapes, pairs, times and [`Settings`] are saved and read, a [`Simd`] by its name |
//!
//! No feature changes a type or an answer. Without `std` the crate needs `alloc`.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate alloc;

mod candidates;
mod contacts;
mod detector;
mod error;
mod hits;
mod impacts;
#[macro_use]
mod kernel;
mod lane;
mod limits;
mod motion;
mod pages;
mod pairs;
mod shapes;
mod threads;

pub use candidates::InvalidShapes;
pub use contacts::{Contact, ContactIter, ContactPoint, ContactPointColumns, Contacts};
pub use detector::{Detector, Impact, Overlap, Settings, Sweep, Touches};
pub use error::{Defect, Error};
pub use hits::{
    FirstHit, Hits, OverlapWords, Overlaps, Positions, SweepColumns, Sweeps, TimeInterval,
};
pub use impacts::{ImpactColumns, Impacts};
pub use lane::Simd;
pub use limits::MAX_LENGTH;
pub use motion::{Chord, slerp, turn_between, turn_of_velocity};
pub use pairs::{Pair, Pairs};
pub use shapes::{
    Aabb, AabbColumns, Aabbs, AabbsRef, Bounded, Capsule, CapsuleColumns, Capsules, CapsulesRef,
    During, HalfSpace, HalfSpaces, HalfSpacesRef, Obb, ObbColumns, Obbs, ObbsRef, Plane,
    PlaneColumns, Planes, PlanesRef, Point, PointColumns, Points, PointsRef, Shape, Shapes, Sphere,
    SphereColumns, Spheres, SpheresRef, Store, StoreRef,
};

// One detector per thread, made anywhere.
const _: () = {
    const fn portable<T: Send + Sync + 'static>() {}
    portable::<Detector>();
    portable::<Overlaps>();
    portable::<Sweeps>();
    portable::<Contacts>();
    portable::<Impacts>();
    portable::<Points>();
    portable::<Spheres>();
    portable::<Capsules>();
    portable::<Aabbs>();
    portable::<Obbs>();
    portable::<Planes>();
    portable::<HalfSpaces>();
};

#[doc = include_str!("recipes.md")]
pub mod recipes {}

#[doc = include_str!("contract.md")]
pub mod contract {}

#[doc = include_str!("errata.md")]
pub mod errata {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
