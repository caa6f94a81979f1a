//! Narrow phase: pairs of shapes. A room for each verb holds its results, the loop over their hits, and a kernel for each pair of shapes.
//!
//! A kernel is pure arithmetic on one pair of shapes per lane. What kernels share is in [`geometry`]. AABBs and OBBs are one
//! kind of shape: their kernels share files, such as `sphere_box.rs`. Planes and half-spaces have one file per verb,
//! `plane.rs`: a blanket kernel of every bounded shape ([`geometry::extent::Extent`]) against either
//! ([`Surface`](crate::shapes::plane::Surface)).
//!
//! Convex hulls have a room of their own, [`convex`], for all verbs and all shapes, after the kernels of boxes: [`convex::batch`] tests a pair
//! per lane, [`convex::gjk`] the pairs that it leaves open, one at a time. `convex::contact::manifold` finds contacts, by the faces of
//! `convex::contact::solid` that `convex::contact::face_batch` chooses with a pair per lane, and [`convex::toi`] finds impacts.
//!
//! A kernel file has a fixed order: the criterion and its formula, the source and each departure from it, degenerate
//! cases, and the error bound. Then comes its [`Test`](crate::driver::source::Test), with the [loader](crate::driver::source::PairLoad) of both shapes. Cases computed by
//! hand are in `tests/cases`. The function is `#[inline(always)]`, touches no memory and allocates nothing. It may leave a slow tail to
//! [`Deferred::finish`](crate::driver::source::Deferred::finish), and the early rejection of most pairs to a [`cull`](crate::driver::cull). It may assume valid shapes, because the
//! driver discards the results of lanes with an invalid shape.
//!
//! # Adding a kernel
//!
//! Write its file, declare it in the room of its verb, add its line to [`kernels!`](crate::kernels) in `index.rs`, and add its exact oracle and its
//! cases to the tests. Entries, tests and benches follow from the line. Contact kernels have a separate list there, because their trait is
//! [`contact::manifold::ManifoldKernel`]. They run on hits only; `tests/contact.rs` holds their oracle. Impact kernels
//! ([`impact::advance::Advance`]) have a third list, and `tests/impact.rs` holds their oracle.
//!
//! u is 2⁻²⁴, the largest relative error of one rounding.

pub mod contact;
pub mod convex;
pub mod distance;
pub mod geometry;
pub mod impact;
// `.ci/only` replaces the index by an index of a few kernels.
#[cfg_attr(phalanx_only, path = "../../target/only.rs")]
pub mod index;
pub mod moments;
pub mod overlap;
pub mod supports;
pub mod sweep;
