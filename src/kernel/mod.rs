//! The kernels: pure maths, one pair of shapes per lane, one file per pair of shapes and verb.
//!
//! A kernel file says, in order: what it decides and by which formula; the source and each
//! departure from it; degenerate cases; the error bound; then comes how it reads two shapes
//! ([`reading`]), then the function, then hand-computed cases. The function is `#[inline(always)]`,
//! loads nothing, loops over nothing and allocates nothing; what takes long at its end it may leave to
//! [`Unfinished::finish`], and what rejects most pairs at less cost to a [`cull`]. It may assume good shapes: the driver drops the answers of lanes that hold a
//! bad one.
//!
//! # Adding a kernel
//!
//! Write its file, add its line to [`kernels!`], and its exact oracle to the tests. Traits, drivers,
//! tests and benches follow from the line.
//!
//! u is 2⁻²⁴, the largest relative error of one rounding.

use crate::hits::{Overlaps, Sweeps};
use crate::lane::{Lanes, Mask};
use crate::shapes::{Form, Moving, MovingLanes, Shape, Still};
use reading::Reading;

pub mod cull;
mod extent;
pub mod reading;
mod rounding;
mod slab;

/// The index: `file: verb(Shape, Shape)`, or `verb(Shape)` for a shape against its own kind.
///
/// Hidden from the documentation, but exported: tests and benches run over it, so no kernel can be
/// left out of them. It hands the list to a macro of the caller's.
#[doc(hidden)]
#[macro_export]
macro_rules! kernels {
    ($use:ident) => {
        $use! {
            sphere_sphere_overlap: overlap(Sphere);
            sphere_sphere_sweep: sweep(Sphere);
            aabb_aabb_overlap: overlap(Aabb);
            aabb_aabb_sweep: sweep(Aabb);
            obb_obb_overlap: overlap(Obb);
            sphere_aabb_overlap: overlap(Sphere, Aabb);
            sphere_obb_overlap: overlap(Sphere, Obb);
            aabb_obb_overlap: overlap(Aabb, Obb);
            sphere_plane_overlap: overlap(Sphere, Plane);
            sphere_plane_sweep: sweep(Sphere, Plane);
            sphere_half_space_overlap: overlap(Sphere, HalfSpace);
            sphere_half_space_sweep: sweep(Sphere, HalfSpace);
            aabb_plane_overlap: overlap(Aabb, Plane);
            aabb_plane_sweep: sweep(Aabb, Plane);
            aabb_half_space_overlap: overlap(Aabb, HalfSpace);
            aabb_half_space_sweep: sweep(Aabb, HalfSpace);
            obb_plane_overlap: overlap(Obb, Plane);
            obb_plane_sweep: sweep(Obb, Plane);
            obb_half_space_overlap: overlap(Obb, HalfSpace);
            obb_half_space_sweep: sweep(Obb, HalfSpace);
        }
    };
}

/// Declares each file of the index and implements [`Test`] with it.
macro_rules! implement {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => {
        $(
            mod $file;
            implement!(@ $verb, $file, $($shape),+);
        )*
    };
    (@ overlap, $file:ident, $($shape:ident),+) => { implement!(@@ Overlaps, $file, $($shape),+); };
    (@ sweep, $file:ident, $($shape:ident),+) => { implement!(@@ Sweeps, $file, $($shape),+); };
    (@@ $verb:ident, $file:ident, $a:ident) => { implement!(@@ $verb, $file, $a, $a); };
    (@@ $verb:ident, $file:ident, $a:ident, $b:ident) => {
        impl Test<$verb, crate::$b> for crate::$a {
            type Reading = $file::Reading;
            #[inline(always)]
            fn test<L: Lanes>(
                lanes: L,
                read: Read<$verb, crate::$a, crate::$b, L>,
                margin: L::F,
            ) -> impl Unfinished<L, Answer = <$verb as Verb>::Answer<L>> {
                $file::test(lanes, read, margin)
            }
        }
    };
}

kernels!(implement);

/// A kernel: the one way to test `Self` against `B`, in lanes.
pub trait Test<V: Verb, B: Shape>: Shape {
    /// How it reads both.
    type Reading: Reading<V::Form<Self>, V::Form<B>>;

    /// Tests one pair per lane. `margin` is at least zero, and widens one of the shapes.
    fn test<L: Lanes>(
        lanes: L,
        read: Read<V, Self, B, L>,
        margin: L::F,
    ) -> impl Unfinished<L, Answer = V::Answer<L>>;
}

/// What a kernel is given of two shapes.
pub type Read<V, A, B, L> =
    <<A as Test<V, B>>::Reading as Reading<<V as Verb>::Form<A>, <V as Verb>::Form<B>>>::Read<L>;

/// What sweeps are given of two shapes each by itself.
type BothMoving<A, B, F> = (MovingLanes<A, F>, MovingLanes<B, F>);

/// A question to ask of a pair, named by the type of its answers.
pub trait Verb: 'static {
    /// What kernels are given of a shape.
    type Form<T: Shape>: Form<Shape = T>;
    /// What kernels return.
    type Answer<L: Lanes>: Answer<L>;
}

impl Verb for Overlaps {
    type Form<T: Shape> = Still<T>;
    type Answer<L: Lanes> = Contact<L::M>;
}

impl Verb for Sweeps {
    type Form<T: Shape> = Moving<T>;
    type Answer<L: Lanes> = SweptContact<L>;
}

/// An answer, or all that is needed for one.
pub trait Unfinished<L: Lanes>: Copy {
    type Answer;
    /// Whether finishing has to wait for long, as for a root: the loop then begins with the next pairs
    /// before it finishes these.
    const WAITS: bool;
    /// The answer.
    fn finish(self, lanes: L) -> Self::Answer;
}

impl<L: Lanes> Unfinished<L> for Contact<L::M> {
    type Answer = Self;
    const WAITS: bool = false;
    #[inline(always)]
    fn finish(self, _lanes: L) -> Self {
        self
    }
}

impl<L: Lanes> Unfinished<L> for SweptContact<L> {
    type Answer = Self;
    const WAITS: bool = false;
    #[inline(always)]
    fn finish(self, _lanes: L) -> Self {
        self
    }
}

/// What a kernel returns.
pub trait Answer<L: Lanes>: Copy {
    /// The lanes whose pair touches.
    fn hit(self) -> L::M;
}

/// Which lanes touch.
#[derive(Clone, Copy)]
pub struct Contact<M>(pub M);

/// Which lanes touch during the frame, and when. The times of other lanes mean nothing.
#[derive(Clone, Copy)]
pub struct SweptContact<L: Lanes> {
    pub hit: L::M,
    pub enter: L::F,
    pub exit: L::F,
}

impl<L: Lanes<M = M>, M: Mask> Answer<L> for Contact<M> {
    #[inline(always)]
    fn hit(self) -> M {
        self.0
    }
}

impl<L: Lanes> Answer<L> for SweptContact<L> {
    #[inline(always)]
    fn hit(self) -> L::M {
        self.hit
    }
}

#[cfg(test)]
mod testing;
