//! Kernel tables: the constants and function pointers of the driver. So the driver is compiled once, and only loops are
//! compiled for each kernel.
//!
//! Columns and rows reach a loop untyped. The loop asserts the shape types and the row widths on entry
//! ([`AnyColumns::typed`], [`AnyRows::typed`](crate::driver::rows::AnyRows::typed)).

use core::marker::PhantomData;

#[cfg(all(feature = "candidates", feature = "sweep"))]
use crate::broad::first_hits::FirstHits;
#[cfg(all(feature = "candidates", feature = "distance"))]
use crate::broad::nearest::Nearest;
use crate::driver::call::KernelOf;
#[cfg(all(feature = "contact", feature = "sweep"))]
use crate::driver::call::SweepContacts;
use crate::driver::pack::{FormTable, PairForms};
use crate::driver::run::{TestOps, TestTable};
use crate::driver::source::{Test, Verb};
use crate::lane::Simd;
#[cfg(feature = "contact")]
use crate::narrow::contact;
use crate::narrow::contact::contacts::Contacts;
use crate::narrow::contact::manifold::ManifoldKernel;
#[cfg(feature = "contact")]
use crate::narrow::contact::stage::ContactJob;
#[cfg(feature = "distance")]
use crate::narrow::distance;
#[cfg(feature = "distance")]
use crate::narrow::distance::distances::{DISTANCE_COLUMNS, Distances};
#[cfg(feature = "distance")]
use crate::narrow::distance::search::DistanceKernel;
#[cfg(feature = "distance")]
use crate::narrow::distance::stage::DistanceJob;
#[cfg(feature = "impact")]
use crate::narrow::impact;
use crate::narrow::impact::advance::Advance;
use crate::narrow::impact::impacts::Impacts;
#[cfg(feature = "impact")]
use crate::narrow::impact::stage::ToiJob;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::shapes::bounds::BoundsOps;
use crate::shapes::form::Static;
use crate::shapes::point::Point;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;

impl<A: Test<Overlaps, B>, B: Shape> KernelOf<Overlaps, B> for A {
    const OPS: &'static TestOps = TestTable::<Overlaps, A, B>::OPS;
}

#[cfg(feature = "sweep")]
impl<A: Test<Sweeps, B>, B: Shape> KernelOf<Sweeps, B> for A {
    const OPS: &'static TestOps = TestTable::<Sweeps, A, B>::OPS;
}

/// The tables of a search.
#[cfg(all(feature = "candidates", feature = "sweep"))]
pub struct FirstOps {
    /// Overlaps at the start of the frame.
    pub overlap: &'static TestOps,
    pub sweep: &'static TestOps,
    /// In kernel order.
    pub bounds: [Option<&'static BoundsOps>; 2],
}

#[cfg(all(feature = "candidates", feature = "sweep"))]
impl<A: KernelOf<Overlaps, B> + KernelOf<Sweeps, B>, B: Shape> KernelOf<FirstHits, B> for A {
    const OPS: &'static FirstOps = &FirstOps {
        overlap: <A as KernelOf<Overlaps, B>>::OPS,
        sweep: <A as KernelOf<Sweeps, B>>::OPS,
        bounds: [A::BOUNDS, B::BOUNDS],
    };
}

/// The table of contacts.
#[cfg(feature = "contact")]
pub struct ContactOps {
    /// Finds the hits.
    pub test: &'static TestOps,
    /// Maximum number of points of a contact.
    pub points: usize,
    /// Whether each shape is a point, which the kernel treats as a sphere of radius 0.
    pub of_points: [bool; 2],
    /// Whether a mesh clamps its normals.
    pub clamps: bool,
    pub find: fn(Simd, ContactJob<'_, '_>),
}

/// The tables of contacts of the hits of `V`.
#[cfg(feature = "contact")]
struct ContactTable<V, A, B>(PhantomData<(V, A, B)>);

#[cfg(feature = "contact")]
impl<V: Verb, A: ManifoldKernel<B> + Test<V, B>, B: Shape> ContactTable<V, A, B> {
    const OPS: &'static ContactOps = &ContactOps {
        test: TestTable::<V, A, B>::OPS,
        points: A::POINTS,
        of_points: [false; 2],
        clamps: A::CLAMPS,
        find: contact::stage::find::<A, B>,
    };
}

/// The tables of contacts of points: the tests of points, and the kernel of spheres.
#[cfg(feature = "contact")]
impl<V: Verb, B: Shape> ContactTable<V, Point, B>
where
    Point: Test<V, B>,
    Sphere: ManifoldKernel<B>,
{
    const OF_POINTS: &'static ContactOps = &ContactOps {
        test: TestTable::<V, Point, B>::OPS,
        points: <Sphere as ManifoldKernel<B>>::POINTS,
        of_points: [true, false],
        clamps: <Sphere as ManifoldKernel<B>>::CLAMPS,
        find: contact::stage::find::<Sphere, B>,
    };
}

#[cfg(feature = "contact")]
impl<A: ManifoldKernel<B> + Test<Overlaps, B>, B: Shape> KernelOf<Contacts, B> for A {
    const OPS: &'static ContactOps = ContactTable::<Overlaps, A, B>::OPS;
}

#[cfg(feature = "contact")]
impl<B: Shape> KernelOf<Contacts, B> for Point
where
    Point: Test<Overlaps, B>,
    Sphere: ManifoldKernel<B>,
{
    const OPS: &'static ContactOps = ContactTable::<Overlaps, Point, B>::OF_POINTS;
}

#[cfg(all(feature = "contact", feature = "sweep"))]
impl<A: ManifoldKernel<B> + Test<Sweeps, B>, B: Shape> KernelOf<SweepContacts, B> for A {
    const OPS: &'static ContactOps = ContactTable::<Sweeps, A, B>::OPS;
}

#[cfg(all(feature = "contact", feature = "sweep"))]
impl<B: Shape> KernelOf<SweepContacts, B> for Point
where
    Point: Test<Sweeps, B>,
    Sphere: ManifoldKernel<B>,
{
    const OPS: &'static ContactOps = ContactTable::<Sweeps, Point, B>::OF_POINTS;
}

/// The table of impacts.
#[cfg(feature = "impact")]
pub struct ImpactOps {
    /// Finds the pairs whose bounding spheres meet.
    pub test: &'static TestOps,
    /// Minimum number of pairs for a thread.
    pub grain: usize,
    pub advance: fn(Simd, ToiJob<'_, '_>),
}

#[cfg(feature = "impact")]
impl<A: Advance<B>, B: Shape> KernelOf<Impacts, B> for A {
    const OPS: &'static ImpactOps = &ImpactOps {
        test: TestTable::<Impacts, A, B>::OPS,
        grain: 1024,
        advance: impact::stage::advance::<A, B>,
    };
}

/// The table of distances.
#[cfg(feature = "distance")]
pub struct DistanceOps {
    pub forms: PairForms,
    /// Whether each shape is a point, which the kernel treats as a sphere of radius 0.
    pub of_points: [bool; 2],
    /// Whether a pair takes a search.
    pub is_slow: bool,
    pub find: fn(Simd, DistanceJob<'_, '_>),
}

#[cfg(feature = "distance")]
impl DistanceOps {
    /// Minimum number of pairs for a thread.
    pub fn grain(&self) -> usize {
        (3 << if self.is_slow { 13 } else { 16 }) / (self.forms.a.width + self.forms.b.width)
    }

    /// The table of the distances of shapes `A` and `B`, by the kernel of `KA` and `KB`.
    const fn of<A: Shape, B: Shape, KA: DistanceKernel<KB>, KB: Shape>(
        of_points: [bool; 2],
    ) -> Self {
        DistanceOps {
            forms: PairForms {
                a: <Static<A> as FormTable>::OPS,
                b: <Static<B> as FormTable>::OPS,
                columns: DISTANCE_COLUMNS,
            },
            of_points,
            is_slow: false,
            find: distance::stage::find::<KA, KB>,
        }
    }
}

#[cfg(feature = "distance")]
impl<A: DistanceKernel<B>, B: Shape> KernelOf<Distances, B> for A {
    const OPS: &'static DistanceOps = &DistanceOps::of::<A, B, A, B>([false; 2]);
}

/// Distances of points are computed by the kernels of spheres.
#[cfg(feature = "distance")]
impl<B: Shape> KernelOf<Distances, B> for Point
where
    Sphere: DistanceKernel<B>,
{
    const OPS: &'static DistanceOps = &DistanceOps::of::<Point, B, Sphere, B>([true, false]);
}

#[cfg(feature = "distance")]
impl KernelOf<Distances, Point> for Point {
    const OPS: &'static DistanceOps = &DistanceOps::of::<Point, Point, Sphere, Sphere>([true; 2]);
}

/// The table of a search for nearest shapes.
#[cfg(all(feature = "candidates", feature = "distance"))]
pub struct NearestOps {
    pub distance: &'static DistanceOps,
    /// In kernel order.
    pub bounds: [Option<&'static BoundsOps>; 2],
}

#[cfg(all(feature = "candidates", feature = "distance"))]
impl<A: KernelOf<Distances, B>, B: Shape> KernelOf<Nearest, B> for A {
    const OPS: &'static NearestOps = &NearestOps {
        distance: <A as KernelOf<Distances, B>>::OPS,
        bounds: [A::BOUNDS, B::BOUNDS],
    };
}
