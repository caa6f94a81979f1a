//! Narrow phase: pairs of shapes. A room for each verb holds its results, the loop over their hits, and a kernel for each pair of shapes.
//!
//! A kernel is pure arithmetic on one pair of shapes per lane. What kernels share is in [`geometry`]. Planes and half-spaces have one
//! file per verb, `plane.rs`: a blanket kernel of every bounded shape ([`geometry::extent::Extent`]) against either
//! ([`Surface`](crate::shapes::plane::Surface)).
//!
//! Convex hulls have a room of their own, [`convex`], for all verbs and all shapes, after the kernels of boxes: [`convex::batch`] tests a pair
//! per lane, [`convex::gjk`] the pairs that it leaves open, one at a time. `convex::manifold` finds contacts, by the faces of
//! `convex::solid` that `convex::face_batch` chooses with a pair per lane, and [`convex::toi`] finds impacts.
//!
//! A kernel file has a fixed order: the criterion and its formula, the source and each departure from it, degenerate
//! cases, and the error bound. Then come its [`Test`], with the [loader](crate::driver::load) of both shapes, and hand-computed cases.
//! The function is `#[inline(always)]`, touches no memory and allocates nothing. It may leave a slow tail to
//! [`Deferred::finish`], and the early rejection of most pairs to a [`cull`](crate::driver::cull). It may assume valid shapes, because the
//! driver discards the results of lanes with an invalid shape.
//!
//! # Adding a kernel
//!
//! Write its file, declare it in the room of its verb, add its line to [`kernels!`](crate::kernels) in `index.rs`, and add its exact oracle to the tests.
//! Entries, tests and benches follow from the line. Contact kernels have a separate list there, because their trait is
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
pub mod ops;
pub mod overlap;
pub mod supports;
pub mod sweep;
#[cfg(test)]
pub mod testing;

use alloc::collections::TryReserveError;

use crate::driver::load::PairLoad;
use crate::lane::{Float, Lanes};
use crate::memory::pages;
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::shapes::form::{Form, Moving, Static, WideMoving};
use crate::shapes::shape::{Array, Shape};

/// Kernel of verb `V` for the pair `Self`, `B`: one pair per lane.
pub trait Test<V: Verb, B: Shape>: Shape {
    /// Loader of both shapes.
    type Load: PairLoad<V::Form<Self>, V::Form<B>>;
    /// Whether the kernel is so short that a branch in its loop costs time: scans then have a loop for each order of
    /// shapes.
    const IS_LIGHT: bool = false;

    /// Tests one pair per lane. `margin` is at least zero and inflates one of the shapes.
    fn test<L: Lanes>(
        lanes: L,
        loaded: Loaded<V, Self, B, L>,
        margin: L::F,
    ) -> impl Deferred<L, Answer = V::Answer<L>>;
}

/// Loaded pair, the kernel's input.
pub type Loaded<V, A, B, L> =
    <<A as Test<V, B>>::Load as PairLoad<<V as Verb>::Form<A>, <V as Verb>::Form<B>>>::Loaded<L>;

/// Loaded pair of a sweep whose shapes are loaded separately.
type BothMoving<A, B, F> = (WideMoving<A, F>, WideMoving<B, F>);

/// Column value of a miss.
const MISS: f32 = f32::INFINITY;

/// Narrow-phase query, named by its output type: two masks, and one column of numbers for each further result of a hit.
pub trait Verb: 'static {
    /// Representation of a shape that kernels of this verb load.
    type Form<T: Shape>: Form<Shape = T>;
    /// Result of a kernel.
    type Answer<L: Lanes>: Copy;
    /// One `X` per column.
    type Columns<X: Send>: Array<X> + Send;

    /// Mask of the lanes that hit.
    fn hit<L: Lanes>(answer: Self::Answer<L>) -> L::M;
    /// Column values, given the mask of hits.
    fn columns<L: Lanes>(lanes: L, answer: Self::Answer<L>, hit: L::M) -> Self::Columns<L::F>;
    /// Resizes the outputs to `len` pairs. Returns the words of the hit mask, the words of the invalid mask, and the
    /// columns. If memory runs out, the output is unchanged.
    fn resize(&mut self, len: usize) -> Resized<'_, Self>;
}

/// The masks and columns of an output.
type Resized<'o, V> =
    Result<([&'o mut [u64]; 2], <V as Verb>::Columns<&'o mut [f32]>), TryReserveError>;

impl Verb for Overlaps {
    type Form<T: Shape> = Static<T>;
    type Answer<L: Lanes> = HitMask<L::M>;
    type Columns<X: Send> = [X; 0];

    #[inline(always)]
    fn hit<L: Lanes>(answer: HitMask<L::M>) -> L::M {
        answer.0
    }
    #[inline(always)]
    fn columns<L: Lanes>(_lanes: L, _answer: HitMask<L::M>, _hit: L::M) -> [L::F; 0] {
        []
    }
    fn resize(&mut self, len: usize) -> Resized<'_, Self> {
        Ok((self.resize_masks(len)?, []))
    }
}

impl Verb for Sweeps {
    type Form<T: Shape> = Moving<T>;
    type Answer<L: Lanes> = TimeRange<L>;
    type Columns<X: Send> = [X; 2];

    #[inline(always)]
    fn hit<L: Lanes>(answer: TimeRange<L>) -> L::M {
        answer.hit
    }
    #[inline(always)]
    fn columns<L: Lanes>(lanes: L, answer: TimeRange<L>, hit: L::M) -> [L::F; 2] {
        // +∞ for a miss. The maximum with 0 turns −0, which a slab may return, into 0: users compare and hash the
        // times.
        let least = lanes.splat(MISS).masked(!hit);
        [answer.enter.max(least), answer.exit.max(least)]
    }
    fn resize(&mut self, len: usize) -> Resized<'_, Self> {
        for column in [&mut self.enter, &mut self.exit] {
            pages::try_reserve_all(column, len)?;
        }
        let masks = self.masks.resize_masks(len)?;
        let times = [&mut self.enter, &mut self.exit].map(|column| {
            column.resize(len, MISS);
            &mut column[..]
        });
        Ok((masks, times))
    }
}

impl Verb for Impacts {
    type Form<T: Shape> = T::FullMotion;
    type Answer<L: Lanes> = TimeRange<L>;
    type Columns<X: Send> = [X; 1];

    #[inline(always)]
    fn hit<L: Lanes>(answer: TimeRange<L>) -> L::M {
        answer.hit
    }
    #[inline(always)]
    fn columns<L: Lanes>(lanes: L, answer: TimeRange<L>, hit: L::M) -> [L::F; 1] {
        let least = lanes.splat(MISS).masked(!hit);
        [answer.enter.max(least)]
    }
    fn resize(&mut self, len: usize) -> Resized<'_, Self> {
        let (masks, time) = self.resize(len)?;
        Ok((masks, [time]))
    }
}

/// Kernel result, or the state from which `finish` computes it.
pub trait Deferred<L: Lanes>: Copy {
    type Answer;
    /// Whether `finish` is slow, such as a square root. The loop then starts the next pairs before it finishes the
    /// current pairs (software pipelining).
    const PIPELINED: bool;
    /// Computes the result.
    fn finish(self, lanes: L) -> Self::Answer;
}

/// Mask of the lanes that overlap.
#[derive(Clone, Copy)]
pub struct HitMask<M>(pub M);

/// Mask of the lanes that touch during the frame, and their time intervals. Times of other lanes are unspecified.
#[derive(Clone, Copy)]
pub struct TimeRange<L: Lanes> {
    pub hit: L::M,
    pub enter: L::F,
    pub exit: L::F,
}

impl<L: Lanes> Deferred<L> for HitMask<L::M> {
    type Answer = Self;
    const PIPELINED: bool = false;
    #[inline(always)]
    fn finish(self, _lanes: L) -> Self {
        self
    }
}

impl<L: Lanes> Deferred<L> for TimeRange<L> {
    type Answer = Self;
    const PIPELINED: bool = false;
    #[inline(always)]
    fn finish(self, _lanes: L) -> Self {
        self
    }
}
