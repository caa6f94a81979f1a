//! The detector: settings, memory reused between frames, and the queries.
//!
//! Every [query](crate::driver::call) takes four steps. All except the third are jobs: each runs on the calling thread or is shared
//! with the rayon pool ([`threads`](crate::driver::threads)).
//!
//! 1. **Check** the pair list ([`list`](crate::driver::list)); a refused call changes nothing.
//! 2. **Plan** the source of the shapes ([`plan`](crate::driver::plan)). A list reads rows, [packed](crate::driver::pack) by this call
//!    or cached by the store, or gathers from columns ([`rows`](crate::driver::rows)). Without a list, columns are read in order
//!    ([`scan`](crate::driver::scan)).
//! 3. **Resize** the output.
//! 4. **Run** the loop: load lanes, run the kernel, write masks and numbers ([`run`](crate::driver::run)). Long lists of
//!    OBBs against boxes are first [culled](crate::driver::cull) by a cheaper test.
//!
//! Contacts and impacts add a fifth step for the hits ([`stage`](crate::driver::stage)): their shapes are gathered, and their manifolds
//! ([`contact::stage`](crate::narrow::contact::stage)) or times of impact ([`impact::stage`](crate::narrow::impact::stage)) are computed.

use alloc::vec::Vec;
use core::{fmt, mem};

#[cfg(feature = "candidates")]
use crate::broad::candidates;
#[cfg(feature = "candidates")]
use crate::broad::candidates::{CandidateSearch, Candidates};
#[cfg(feature = "candidates")]
use crate::broad::clearance::NearestSearch;
#[cfg(feature = "candidates")]
use crate::broad::first::{Find, FirstHitSearch};
#[cfg(feature = "candidates")]
use crate::broad::first_hits::FirstHits;
#[cfg(feature = "candidates")]
use crate::broad::inside::InsideSearch;
#[cfg(feature = "candidates")]
use crate::broad::listed::ListSearch;
#[cfg(feature = "candidates")]
use crate::broad::nearest::Nearest;
#[cfg(feature = "candidates")]
use crate::broad::prepare::Prepared;
#[cfg(feature = "candidates")]
use crate::broad::ranked::{Neighbors, OrderedHits, RankedLists};
#[cfg(feature = "candidates")]
use crate::broad::search::wanted::First;
use crate::driver::call;
use crate::driver::call::{Driver, Kernel, Query, Supports};
use crate::driver::settings::{BUILD_STEP, Settings};
use crate::driver::threads::Helpers;
use crate::error::{Error, InvalidShapes};
use crate::lane::Simd;
use crate::limits;
use crate::narrow::contact::contacts::Contacts;
#[cfg(all(feature = "candidates", feature = "contact", feature = "sweep"))]
use crate::narrow::contact::stage::{FoundHits, HitContacts};
use crate::narrow::distance::distances::{ClosestPoints, Distances};
use crate::narrow::impact::impacts::Impacts;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::narrow::supports::{Distance, ImpactedBy, Overlap, Sweep, TouchedBy};
use crate::pairs::{Pair, Pairs};
use crate::shapes::bounds::{Bounded, During};
#[cfg(feature = "scene")]
use crate::shapes::groups::Filters;
#[cfg(feature = "candidates")]
use crate::shapes::point::Point;
#[cfg(feature = "scene")]
use crate::store::columns::AnyColumns;
#[cfg(feature = "candidates")]
use crate::store::mesh::mesh::Mesh;
use crate::store::store::Shapes;

/// Tests pairs of shapes.
///
/// Keep one per thread and reuse it every frame. It owns the scratch memory of its calls, so serial calls do not
/// allocate after warm-up. [`shrink`](Self::shrink) frees this memory; a clone starts without it.
///
/// ```
/// use phalanx::{Detector, Obb, Obbs, Overlaps, Pair};
///
/// let mut boxes = Obbs::new();
/// let unit = Obb { center: [0.0; 3], half_extents: [1.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };
/// let a = boxes.push(unit);
/// let b = boxes.push(Obb { center: [1.5, 0.0, 0.0], ..unit });
/// let c = boxes.push(Obb { center: [9.0, 0.0, 0.0], ..unit });
///
/// let mut detector = Detector::new();
/// let mut overlaps = Overlaps::new();
/// detector.overlap(&boxes, &boxes, &[Pair { a, b }, Pair { a, b: c }], &mut overlaps)?;
/// assert_eq!(overlaps.iter().collect::<Vec<_>>(), [0]);
/// # Ok::<(), phalanx::Error>(())
/// ```
///
/// A pair of shapes without a kernel does not compile:
///
/// ```compile_fail,E0277
/// # use phalanx::{Detector, Pair, Planes, Sweeps};
/// # let (planes, mut sweeps) = (Planes::new(), Sweeps::new());
/// Detector::new().sweep(&planes, &planes, &[Pair { a: 0, b: 0 }], &mut sweeps);
/// ```
pub struct Detector {
    driver: Driver,
    #[cfg(feature = "candidates")]
    candidates: Candidates,
    /// The candidates of [`Detector::touching`], and their overlaps.
    #[cfg(feature = "candidates")]
    touching: (Vec<Pair>, Overlaps),
    /// The results of [`Detector::first_hits`] until it succeeds.
    #[cfg(feature = "candidates")]
    first_hits: FirstHits,
}

impl Detector {
    /// Creates a detector with the best instruction set of this CPU, on all cores (with the feature `rayon`), without a
    /// margin.
    pub fn new() -> Self {
        Detector::with(Settings {
            simd: Simd::best(),
            parallel: cfg!(feature = "rayon"),
            margin: 0.0,
            strict: false,
            approaching: false,
            build_step: BUILD_STEP,
        })
    }

    /// Creates a detector without scratch memory.
    fn with(settings: Settings) -> Self {
        Detector {
            driver: Driver::new(settings),
            #[cfg(feature = "candidates")]
            candidates: Candidates::default(),
            #[cfg(feature = "candidates")]
            touching: Default::default(),
            #[cfg(feature = "candidates")]
            first_hits: FirstHits::new(),
        }
    }

    /// Sets whether long lists are shared with the rayon pool of the calling thread, or else the global pool. Has no
    /// effect without the feature `rayon`.
    ///
    /// The calling thread works too, and short lists never leave it. A call never waits for a worker that has not
    /// started: a busy, deadlocked or unavailable pool cannot stall it. So a call is safe while holding a lock that
    /// other tasks of the pool take.
    ///
    /// Results are bit-identical either way.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.set_parallel(parallel);
        self
    }

    /// Sets whether the next calls share [long lists](Self::parallel) with the pool. The detector keeps its memory.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.driver.settings.parallel = parallel;
    }

    /// Sets the instruction set.
    ///
    /// Results are bit-identical for all of them.
    #[must_use]
    pub fn simd(mut self, simd: Simd) -> Self {
        self.set_simd(simd);
        self
    }

    /// Sets the [instruction set](Self::simd) of the next calls. The detector keeps its memory.
    pub fn set_simd(&mut self, simd: Simd) {
        self.driver.settings.simd = simd;
    }

    /// Sets the margin: pairs at most `margin` apart are reported too. Boxes grow by it along their own axes, so by
    /// up to √3 times as much at their corners. Against planes and half-spaces, and of hulls, cylinders and cones with any shape, the margin is a
    /// distance.
    ///
    /// [`set_margin`](Self::set_margin) changes the margin of a detector in use.
    ///
    /// # Errors
    ///
    /// [`Error::BadMargin`] if the margin is negative, NaN, or above [`MAX_LENGTH`](crate::MAX_LENGTH).
    pub fn margin(mut self, margin: f32) -> Result<Self, Error> {
        self.set_margin(margin)?;
        Ok(self)
    }

    /// Sets the [margin](Self::margin) of the next calls. The detector keeps its memory, so the margin may differ per
    /// query.
    ///
    /// ```
    /// use phalanx::{Detector, Overlaps, Sphere, Spheres};
    ///
    /// let spheres = Spheres::from_slice(&[0.0, 2.5].map(|x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 }));
    /// let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    /// for (margin, hits) in [(0.0, 0), (0.6, 1), (0.4, 0)] {
    ///     detector.set_margin(margin)?;
    ///     detector.overlap(&spheres, &spheres, &[[0, 1]], &mut overlaps)?;
    ///     assert_eq!(overlaps.count(), hits);
    /// }
    /// assert!(detector.set_margin(-1.0).is_err());
    /// assert_eq!(detector.settings().margin, 0.4);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BadMargin`] if `margin` is negative, NaN, or above [`MAX_LENGTH`](crate::MAX_LENGTH); the margin is then unchanged.
    pub fn set_margin(&mut self, margin: f32) -> Result<(), Error> {
        self.driver.settings.margin = limits::length(margin).ok_or(Error::BadMargin { margin })?;
        Ok(())
    }

    /// Sets whether an invalid shape makes the call return an error that names the shape and its defect:
    /// [`Error::InvalidPair`] from calls with pairs, [`Error::InvalidShape`] from [`candidates`](Self::candidates).
    /// Otherwise invalid pairs are [flagged](Overlaps::is_invalid) and invalid shapes [counted](InvalidShapes).
    ///
    /// Meant for tests and debug builds, where an invalid shape is a bug elsewhere. The output is written even then.
    ///
    /// ```
    /// use phalanx::{Detector, Overlaps, Sphere, Spheres};
    ///
    /// let sphere = Sphere { center: [0.0; 3], radius: 1.0 };
    /// let spheres = Spheres::from_slice(&[sphere, Sphere { radius: f32::NAN, ..sphere }]);
    /// let mut overlaps = Overlaps::new();
    /// let error = Detector::new().strict(true).overlap(&spheres, &spheres, &[[0, 0], [0, 1]], &mut overlaps).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "pair 1 is (0, 1), but shape 1 of the second store is invalid: radius is NaN, not finite",
    /// );
    /// assert!(overlaps.is_hit(0) && overlaps.is_invalid(1));
    /// ```
    #[must_use]
    pub fn strict(mut self, strict: bool) -> Self {
        self.set_strict(strict);
        self
    }

    /// Sets whether an invalid shape is an [error](Self::strict) in the next calls. The detector keeps its memory.
    pub fn set_strict(&mut self, strict: bool) {
        self.driver.settings.strict = strict;
    }

    /// Sets whether searches by time pass the shapes that the motion does not approach: the wall on which a ray starts, the
    /// floor along which a character walks, the back faces of a [`Mesh`](crate::Mesh).
    ///
    /// Without it a bounced ray hits the wall that it leaves, at time 0. Applies to [`first_hits`](Self::first_hits),
    /// [`nearer_hits`](Self::nearer_hits), [`ordered_hits`](Self::ordered_hits), and during the frame to
    /// [`meets_any`](Self::meets_any) and [`bodies_meet_any`](Self::bodies_meet_any).
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Detector, FirstHits, Sphere, Spheres};
    ///
    /// // A sphere on the floor rolls to a wall.
    /// let floor = Aabb { min: [-9.0, -1.0, -9.0], max: [9.0, 0.0, 9.0] };
    /// let wall = Aabb { min: [4.0, 0.5, -9.0], max: [5.0, 9.0, 9.0] };
    /// let room = Aabbs::from_slice(&[floor, wall]);
    /// let mut movers = Spheres::new();
    /// movers.push_moving(Sphere { center: [0.0, 1.0, 0.0], radius: 1.0 }, [8.0, 0.0, 0.0]);
    ///
    /// let mut firsts = FirstHits::new();
    /// for (approaching, hit) in [(false, 0), (true, 1)] {
    ///     let mut detector = Detector::new().approaching(approaching);
    ///     detector.first_hits(&movers, &room, &mut firsts)?;
    ///     assert_eq!(firsts.get(0).map(|first| first.b), Some(hit));
    /// }
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// **The rule.** A hit counts if its contact of [`sweep_contacts`](Self::sweep_contacts) has a normal n with
    /// n · v > 2⁻²⁰ |v|, where v is the displacement of `a` less that of `b`. Other hits are passed, and the search goes on.
    /// From its time on, a passed pair gets no deeper along n, except by 2⁻²⁰ |v|. So a shape that leaves, slides along or
    /// stands still is passed, also if it penetrates; a shape that is pushed deeper is not.
    ///
    /// Contacts of a [`Mesh`](crate::Mesh) push to its front, so rays pass its back faces, unless
    /// [`set_sides`](crate::Mesh::set_sides) says that it has two sides. Of two-sided triangles the side on which a ray starts
    /// decides. For a ray that starts on such a triangle, this is a matter of rounding: move it off by a little.
    ///
    /// The contact of each hit found on the way is computed, so searches take longer.
    #[cfg(all(feature = "candidates", feature = "contact", feature = "sweep"))]
    #[cfg_attr(
        docsrs,
        doc(cfg(all(feature = "candidates", feature = "contact", feature = "sweep")))
    )]
    #[must_use]
    pub fn approaching(mut self, approaching: bool) -> Self {
        self.set_approaching(approaching);
        self
    }

    /// Sets whether the next searches [pass](Self::approaching) shapes that the motion does not approach. The detector keeps
    /// its memory.
    #[cfg(all(feature = "candidates", feature = "contact", feature = "sweep"))]
    #[cfg_attr(
        docsrs,
        doc(cfg(all(feature = "candidates", feature = "contact", feature = "sweep")))
    )]
    pub fn set_approaching(&mut self, approaching: bool) {
        self.driver.settings.approaching = approaching;
    }

    /// Sets how much of a better tree one call builds: about as much as sorts this many shapes, each by one level; by default 16,384,
    /// some 2 ms.
    ///
    /// A store at rest that is searched again and again gets a second, better tree, in parts. A smaller step makes the slowest
    /// calls faster and the tree later; with 0 there is none. Answers are the same. The first tree is built by one call,
    /// whatever the step is: [`prepare`](Self::prepare) builds both trees at load time.
    ///
    /// ```
    /// use phalanx::Detector;
    ///
    /// let detector = Detector::new().build_step(1 << 12);
    /// assert_eq!(detector.settings().build_step, 4096);
    /// ```
    #[cfg(feature = "candidates")]
    #[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
    #[must_use]
    pub fn build_step(mut self, shapes: u32) -> Self {
        self.set_build_step(shapes);
        self
    }

    /// Sets how much of a [better tree](Self::build_step) each of the next calls builds. The detector keeps its memory.
    #[cfg(feature = "candidates")]
    #[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
    pub fn set_build_step(&mut self, shapes: u32) {
        self.driver.settings.build_step = shapes;
    }

    /// Returns the current settings.
    pub fn settings(&self) -> Settings {
        self.driver.settings
    }

    /// Frees the scratch memory kept for later calls. Later calls allocate what they need.
    ///
    /// ```
    /// # let mut detector = phalanx::Detector::new();
    /// // For example after a level is unloaded.
    /// detector.shrink();
    /// ```
    pub fn shrink(&mut self) {
        *self = Detector::with(self.driver.settings);
    }

    /// Runs several calls with the same helper threads.
    ///
    /// Outside of `frame`, a call wakes helpers only if it takes about 100 µs or more. Within `frame` helpers wake
    /// once, spin between calls, leave after about 50 µs without a call, and share calls an eighth as long. So do other
    /// work before or after the frame. Results are the same, and no call waits for a helper that has not started.
    ///
    /// ```
    /// use phalanx::{Detector, During, Overlaps, Sphere, Spheres};
    ///
    /// let at = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let spheres = Spheres::from_slice(&[at(0.0), at(1.5), at(9.0)]);
    ///
    /// let (mut detector, mut pairs, mut overlaps) = (Detector::new(), Vec::new(), Overlaps::new());
    /// detector.frame(|detector| {
    ///     detector.candidates(&spheres, &spheres, During::Start, &mut pairs)?;
    ///     detector.overlap(&spheres, &spheres, &pairs, &mut overlaps)
    /// })?;
    /// assert_eq!(overlaps.count(), 1);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    pub fn frame<R>(&mut self, calls: impl FnOnce(&mut Detector) -> R) -> R {
        /// Ends the frame, even if the calls panic.
        struct Frame<'d>(&'d mut Detector, Helpers);
        impl Drop for Frame<'_> {
            fn drop(&mut self) {
                self.0.driver.helpers = mem::take(&mut self.1);
            }
        }
        let staying = self.driver.helpers.staying();
        let before = mem::replace(&mut self.driver.helpers, staying);
        calls(Frame(self, before).0)
    }

    /// Builds what queries of a store at rest would build in later frames: trees, bounds and packed rows. Afterwards no
    /// query of the store builds anything until it changes, so that no frame has a hitch. Call it once the level is
    /// loaded. Answers are the same without it.
    ///
    /// A [`set`](crate::Store::set), [`push`](crate::Store::push) or [`swap_remove`](crate::Store::swap_remove) keeps what was built: a
    /// level with doors, or one in which shapes come and go, stays prepared. Other changes drop it. A view keeps nothing, so that nothing
    /// is built for it.
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Detector};
    ///
    /// let at = |x| Aabb { min: [x, 0.0, 0.0], max: [x + 1.0, 1.0, 1.0] };
    /// let level: Aabbs = (0..1000).map(|k| at(3.0 * k as f32)).collect();
    /// let built = Detector::new().prepare(&level);
    /// assert!(built.trees > 0 && built.bytes() < 200 * level.len());
    /// ```
    #[cfg(feature = "candidates")]
    #[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
    pub fn prepare<A>(&mut self, shapes: &A) -> Prepared
    where
        A: Shapes + ?Sized,
        A::Shape: Bounded,
    {
        let view = shapes.view();
        self.candidates
            .prepare::<A::Shape>(self.driver.workers(), &view.any_columns())
    }

    /// Finds the pairs that touch at the start of the frame. Ignores displacements.
    ///
    #[doc = include_str!("pictures/overlap.svg")]
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one result for each pair.
    ///
    /// ```
    /// use phalanx::{Detector, Overlaps, Pair, Sphere, Spheres};
    ///
    /// let spheres = Spheres::from_slice(&[0.0, 1.5, 9.0].map(|x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 }));
    /// let pairs = [Pair::new(0, 1), Pair::new(0, 2)];
    ///
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().overlap(&spheres, &spheres, &pairs, &mut overlaps)?;
    /// assert!(overlaps.is_hit(0) && !overlaps.is_hit(1));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::PairOutOfBounds`], [`Error::LengthMismatch`] for [`Pairs::zip`] or
    /// [`Error::IndexOutOfBounds`] for [`Pairs::one_to_all`], [`Error::OutOfMemory`]; `out` is then unchanged.
    pub fn overlap<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out: &mut Overlaps,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Overlap<B::Shape>,
    {
        self.query::<Overlaps, A, B>(a, b, pairs.into(), out)
    }

    /// Runs a query by the type of its output, for code that is generic over queries.
    #[doc(hidden)]
    pub fn query<Q: Query, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: Pairs<'_>,
        out: Q::Out<'_>,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Supports<Q, B::Shape>,
    {
        let kernel = <A::Shape as Supports<Q, B::Shape>>::KERNEL;
        self.run(kernel, a, b, pairs, out)
    }

    /// Runs a query by its kernel.
    #[inline(always)]
    fn run<Q: Query, A: Shapes + ?Sized, B: Shapes + ?Sized>(
        &mut self,
        kernel: Kernel<Q>,
        a: &A,
        b: &B,
        pairs: Pairs<'_>,
        out: Q::Out<'_>,
    ) -> Result<(), Error> {
        call::run(&mut self.driver, kernel, &a.view(), &b.view(), pairs, out)
    }

    /// Finds the pairs that touch while each shape moves by its displacement, and their times of entry and exit.
    ///
    #[doc = include_str!("pictures/sweep.svg")]
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one result for each pair.
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Detector, Pair, Sphere, Spheres, Sweeps};
    ///
    /// let mut bullets = Spheres::new();
    /// bullets.push_moving(Sphere { center: [0.0; 3], radius: 0.25 }, [8.0, 0.0, 0.0]);
    /// let walls = Aabbs::from_slice(&[Aabb { min: [4.0, -1.0, -1.0], max: [4.5, 1.0, 1.0] }]);
    ///
    /// let mut sweeps = Sweeps::new();
    /// Detector::new().sweep(&bullets, &walls, &[Pair::new(0, 0)], &mut sweeps)?;
    /// let time = sweeps.get(0).unwrap();
    /// assert!((time.enter - 3.75 / 8.0).abs() < 1e-6 && (time.exit - 4.75 / 8.0).abs() < 1e-6);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::PairOutOfBounds`], [`Error::LengthMismatch`] for [`Pairs::zip`] or
    /// [`Error::IndexOutOfBounds`] for [`Pairs::one_to_all`], [`Error::OutOfMemory`]; `out` is then unchanged.
    #[cfg(feature = "sweep")]
    #[cfg_attr(docsrs, doc(cfg(feature = "sweep")))]
    pub fn sweep<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out: &mut Sweeps,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Sweep<B::Shape>,
    {
        self.query::<Sweeps, A, B>(a, b, pairs.into(), out)
    }

    /// Computes the contact manifolds of the overlapping pairs: points, normal and penetration depth. Ignores
    /// displacements.
    ///
    #[doc = include_str!("pictures/contact.svg")]
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one contact for each pair that
    /// [`overlap`](Self::overlap) reports, and by the flags of all pairs. With a [margin](Self::margin), separated
    /// pairs within it have contacts too.
    ///
    /// A [`Point`](crate::Point) has the contacts of a [`Sphere`](crate::Sphere) of radius 0.
    ///
    /// ```compile_fail,E0277
    /// # use phalanx::{Contacts, Detector, HalfSpaces, Pairs, Planes};
    /// # let (planes, spaces, mut contacts) = (Planes::new(), HalfSpaces::new(), Contacts::new());
    /// // error[E0277]: phalanx has no contacts of `Plane` with `HalfSpace`
    /// Detector::new().contact(&planes, &spaces, Pairs::zip(), &mut contacts);
    /// ```
    ///
    /// Generic code needs the bound `A: `[`Collide<B>`](crate::traits::Collide).
    ///
    /// # Errors
    ///
    /// As for [`overlap`](Self::overlap), and [`Error::TooManyPairs`] for a list of 2³² pairs or more; `out` is
    /// then unchanged. If only the memory for the contacts cannot be allocated, `out` is empty.
    #[cfg(feature = "contact")]
    #[cfg_attr(docsrs, doc(cfg(feature = "contact")))]
    pub fn contact<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out: &mut Contacts,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        B::Shape: TouchedBy<A::Shape>,
    {
        let kernel = <B::Shape as TouchedBy<A::Shape>>::CONTACT;
        self.run(kernel, a, b, pairs.into(), out)
    }

    /// Finds the pairs that touch while each shape moves, and computes their contact manifolds at the time of entry.
    ///
    /// Like [`sweep`](Self::sweep). `contacts` is replaced by one contact for each hit, of the shapes at its `enter`:
    /// the input of a bounce. The separation is near zero, except for shapes that penetrate at the start.
    ///
    /// A moving [`Point`](crate::Point) is a ray with a normal.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, Obb, Obbs, Pair, Sphere, Spheres, Sweeps};
    ///
    /// let wall = Obb { half_extents: [0.1, 9.0, 9.0], ..Obb::default() };
    /// let (walls, mut bullets) = (Obbs::from_slice(&[wall]), Spheres::new());
    /// let mut velocity = [-200.0, 30.0, 0.0];
    /// bullets.push_moving(Sphere { center: [50.0, 0.0, 0.0], radius: 0.01 }, velocity);
    ///
    /// let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
    /// let pairs = [Pair::new(0, 0)];
    /// Detector::new().sweep_contacts(&bullets, &walls, &pairs, &mut sweeps, &mut contacts)?;
    /// for contact in &contacts {
    ///     // From the bullet into the wall.
    ///     let n = contact.normal;
    ///     let along = 2.0 * (velocity[0] * n[0] + velocity[1] * n[1] + velocity[2] * n[2]);
    ///     velocity = [0, 1, 2].map(|k| velocity[k] - along * n[k]);
    /// }
    /// assert_eq!(velocity, [200.0, 30.0, 0.0]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`contact`](Self::contact); both outputs are then unchanged. If only the memory for the contacts cannot
    /// be allocated, `sweeps` is written and `contacts` is empty.
    #[cfg(all(feature = "contact", feature = "sweep"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "contact", feature = "sweep"))))]
    pub fn sweep_contacts<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        sweeps: &mut Sweeps,
        contacts: &mut Contacts,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        B::Shape: TouchedBy<A::Shape>,
    {
        let kernel = <B::Shape as TouchedBy<A::Shape>>::SWEEP_CONTACT;
        let out = (sweeps, contacts);
        self.run(kernel, a, b, pairs.into(), out)
    }

    /// Broad phase: finds the pairs whose [bounding boxes](crate::Store::bounds) overlap.
    ///
    /// `pairs` is replaced by the list, sorted by `a`, then by `b`. [Groups](crate::Groups) and
    /// [bodies](crate::Store::set_body) apply. For one store passed twice, each pair of shapes is listed once, the
    /// lower index as `a`. For two stores, shapes of the first are paired with shapes of the second. The list contains
    /// all pairs that [`overlap`](Self::overlap) reports, and with [`During::Frame`] all that [`sweep`](Self::sweep)
    /// reports.
    ///
    /// Bounds are compared like AABBs in [`overlap`](Self::overlap), within the [margin](Self::margin) plus 1e-3 of it
    /// for the slack of the kernels. For an [`Obb`](crate::Obb) or a [`Triangle`](crate::Triangle) the margin counts √3
    /// times, because corners move that far.
    ///
    /// **Invalid shapes** (NaN, a negative size, a rotation that is not a unit quaternion) are in no pair, so no later
    /// query flags them. The call returns the number of invalid shapes of each store;
    /// [`validate`](crate::Store::validate) names the first. Treat invalid shapes as hits if a miss is dangerous. A
    /// [strict](Self::strict) detector returns an error that names the shape, the value and the reason.
    ///
    /// The second call indexes an unchanged store. After that a static level costs only what moves through it. Views of
    /// the same columns count as one store.
    ///
    /// ```
    /// use phalanx::{Detector, During, Overlaps, Pair, Sphere, Spheres};
    ///
    /// let sphere = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let spheres = Spheres::from_slice(&[sphere(0.0), sphere(9.0), sphere(1.5), sphere(-1.5)]);
    ///
    /// let (mut detector, mut pairs, mut overlaps) = (Detector::new(), Vec::new(), Overlaps::new());
    /// detector.candidates(&spheres, &spheres, During::Start, &mut pairs)?;
    /// assert_eq!(pairs, [Pair::new(0, 2), Pair::new(0, 3)]);
    /// detector.overlap(&spheres, &spheres, &pairs, &mut overlaps)?;
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// Planes and half-spaces have no bounds:
    ///
    /// ```compile_fail,E0277
    /// # use phalanx::{Detector, During, Planes, Spheres};
    /// # let (spheres, planes) = (Spheres::new(), Planes::new());
    /// Detector::new().candidates(&spheres, &planes, During::Start, &mut Vec::new());
    /// ```
    ///
    /// # Memory
    ///
    /// A call holds at most three times the memory of the list it returns, plus a constant for each shape (below
    /// 1 kB). The detector keeps that memory for later calls, see [`shrink`](Self::shrink).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] with the number of pairs found if memory for the list runs out; `pairs` is then
    /// unchanged. (100 000 coincident shapes have five billion pairs, 40 GB.) [`Error::InvalidShape`] from a strict
    /// detector; `pairs` is written even then.
    #[cfg(feature = "candidates")]
    #[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
    pub fn candidates<A, B>(
        &mut self,
        a: &A,
        b: &B,
        during: During,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded,
        B::Shape: Bounded,
    {
        let (a, b) = (a.view(), b.view());
        let search = CandidateSearch {
            stores: [&a.any_columns(), &b.any_columns()],
            bounds: [A::Shape::OPS, B::Shape::OPS],
            filters: [a.filters(), b.filters()],
            during,
        };
        search.find(&self.driver, &mut self.candidates, pairs)
    }

    /// Finds the pairs of two stores, or of one, that touch at the start of the frame: [`candidates`](Self::candidates)
    /// and [`overlap`](Self::overlap) in one call.
    ///
    /// `pairs` is replaced by the overlapping pairs, in the order of `candidates`. Invalid shapes are in no pair; the
    /// call returns their numbers. For contacts, pass the list to [`contact`](Self::contact).
    ///
    /// ```
    /// use phalanx::{Detector, Pair, Sphere, Spheres};
    ///
    /// // The bounding boxes of all three overlap.
    /// let at = |x, y| Sphere { center: [x, y, 0.0], radius: 1.0 };
    /// let spheres = Spheres::from_slice(&[at(0.0, 0.0), at(1.5, 1.5), at(1.9, 0.0)]);
    ///
    /// let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    /// detector.touching(&spheres, &spheres, &mut pairs)?;
    /// assert_eq!(pairs, [Pair::new(0, 2), Pair::new(1, 2)]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; `pairs` is then unchanged. [`Error::InvalidShape`] from a strict detector; `pairs` is
    /// written even then.
    #[cfg(feature = "candidates")]
    #[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
    pub fn touching<A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: &mut Vec<Pair>,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Overlap<B::Shape>,
        B::Shape: Bounded,
    {
        // Taken out of the detector, which `overlap` borrows. An error drops them.
        let (mut list, mut overlaps) = mem::take(&mut self.touching);
        let mut find = |detector: &mut Detector| {
            let invalid = detector.candidates(a, b, During::Start, &mut list);
            if matches!(invalid, Ok(_) | Err(Error::InvalidShape { .. })) {
                detector.overlap(a, b, &list, &mut overlaps)?;
            }
            invalid
        };
        let is_long = a.view().len().max(b.view().len()) >= candidates::TEAM;
        let invalid = if is_long {
            self.frame(find)
        } else {
            find(self)
        };
        if !matches!(invalid, Ok(_) | Err(Error::InvalidShape { .. })) {
            return invalid;
        }
        for (place, position) in overlaps.iter().enumerate() {
            list[place] = list[position];
        }
        list.truncate(overlaps.count());
        // The caller's old list serves the next call.
        mem::swap(pairs, &mut list);
        self.touching = (list, overlaps);
        invalid
    }

    /// Finds the first hit of each shape of `a` in `b` while both move: ray casts and shape casts.
    ///
    #[doc = include_str!("pictures/first_hits.svg")]
    ///
    /// `firsts` is replaced by one result for each shape of `a`. A ray is a [`Point`](crate::Point) that moves.
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Detector, FirstHits, Point, Points};
    ///
    /// let wall = |x| Aabb { min: [x, -1.0, -1.0], max: [x + 1.0, 1.0, 1.0] };
    /// let walls = Aabbs::from_slice(&[wall(30.0), wall(10.0), wall(20.0)]);
    /// let mut rays = Points::new();
    /// rays.push_moving(Point { position: [0.0; 3] }, [100.0, 0.0, 0.0]);
    ///
    /// let mut firsts = FirstHits::new();
    /// Detector::new().first_hits(&rays, &walls, &mut firsts)?;
    /// for hit in &firsts {
    ///     println!("ray {} hits wall {} at {}", hit.a, hit.b, hit.time.enter);
    /// }
    /// # assert!(firsts.get(0).is_some_and(|hit| hit.b == 1 && (0.0999..=0.1).contains(&hit.time.enter)));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// The first hit is the pair with the least `enter` in a [sweep](Self::sweep) of all pairs, with the times of that
    /// sweep. Ties go to the lowest `b`. [Groups](crate::Groups) and [bodies](crate::Store::set_body) apply; within one
    /// store no shape touches itself. A [margin](Self::margin) counts as in the sweep. No pairs are listed: a call
    /// takes about 100 bytes for each shape, and a tree.
    ///
    /// [`nearer_hits`](Self::nearer_hits) searches more stores for earlier hits. [`hit_contacts`](Self::hit_contacts) computes
    /// the normals.
    ///
    /// **Invalid shapes** of `a` are [flagged](FirstHits::is_invalid) and have no hit; nothing hits invalid shapes of
    /// `b`. The call returns their numbers, as [`candidates`](Self::candidates) does.
    ///
    /// The second call indexes an unchanged store `b`. Planes and half-spaces have no bounds, so each of them is tested
    /// with each shape of `a`.
    ///
    /// Without groups and bodies, shapes that follow each other in `a` and go about the same way are searched together. So pass the rays
    /// of a lidar or a camera row by row.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; `firsts` is then unchanged. [`Error::InvalidShape`] from a strict detector; `firsts` is
    /// written even then.
    #[cfg(all(feature = "candidates", feature = "sweep"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "candidates", feature = "sweep"))))]
    pub fn first_hits<A, B>(
        &mut self,
        a: &A,
        b: &B,
        firsts: &mut FirstHits,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Sweep<B::Shape>,
    {
        let mut found = mem::take(&mut self.first_hits);
        let len = a.view().len();
        if found.try_reserve(len).is_err() {
            return Err(Error::OutOfMemory { pairs: len });
        }
        found.begin(len);
        let invalid = self.search(a, b, Find::First(&mut found));
        if matches!(invalid, Ok(_) | Err(Error::InvalidShape { .. })) {
            mem::swap(firsts, &mut found);
        }
        self.first_hits = found;
        invalid
    }

    /// Searches another store for earlier hits, after [`first_hits`](Self::first_hits). A hit in an earlier store is
    /// kept unless a shape of `b` is touched strictly earlier.
    ///
    /// ```
    /// use phalanx::{Detector, FirstHits, HalfSpace, HalfSpaces, Sphere, Spheres};
    ///
    /// let mut bullets = Spheres::new();
    /// bullets.push_moving(Sphere { center: [0.0, 5.0, 0.0], radius: 0.1 }, [8.0, -8.0, 0.0]);
    /// let targets = Spheres::from_slice(&[Sphere { center: [8.0, 0.0, 0.0], radius: 1.0 }]);
    /// let ground = HalfSpaces::from_slice(&[HalfSpace { normal: [0.0, 1.0, 0.0], d: 0.0 }]);
    ///
    /// let (mut detector, mut firsts) = (Detector::new(), FirstHits::new());
    /// detector.first_hits(&bullets, &targets, &mut firsts)?;
    /// detector.nearer_hits(&bullets, &ground, &mut firsts)?;
    /// assert_eq!(firsts.get(0).map(|hit| (hit.store, hit.b)), Some((1, 0)));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`first_hits`](Self::first_hits), [`Error::FirstHitsLength`] if the length of `firsts` differs from the
    /// number of shapes of `a`, and [`Error::TooManyStores`] beyond [`FirstHits::MAX_STORES`]; `firsts` is then
    /// unchanged.
    #[cfg(all(feature = "candidates", feature = "sweep"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "candidates", feature = "sweep"))))]
    pub fn nearer_hits<A, B>(
        &mut self,
        a: &A,
        b: &B,
        firsts: &mut FirstHits,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Sweep<B::Shape>,
    {
        let len = a.view().len();
        if firsts.len() != len {
            let firsts = firsts.len();
            return Err(Error::FirstHitsLength { firsts, len });
        }
        if firsts.stores() >= FirstHits::MAX_STORES {
            return Err(Error::TooManyStores);
        }
        self.search(a, b, Find::First(firsts))
    }

    /// Searches a store.
    #[cfg(all(feature = "candidates", feature = "sweep"))]
    fn search<A, B>(&mut self, a: &A, b: &B, find: Find<'_>) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Sweep<B::Shape>,
    {
        let (a, b) = (a.view(), b.view());
        let mut invalid = InvalidShapes::default();
        let search = FirstHitSearch {
            find,
            filters: [a.filters(), b.filters()],
            candidates: &mut self.candidates,
            invalid: &mut invalid,
        };
        let kernel = <A::Shape as Supports<FirstHits, B::Shape>>::KERNEL;
        call::run(&mut self.driver, kernel, &a, &b, Pairs::zip(), search)?;
        Ok(invalid)
    }

    /// Computes the contacts of first hits in one store, at their times: the normal of each ray, and where it touches.
    ///
    /// `firsts` are the results of [`first_hits`](Self::first_hits) and [`nearer_hits`](Self::nearer_hits) for the shapes of
    /// `a`, and `store` the number of the call that searched `b`: 0 for `first_hits`. `contacts` is replaced by one contact for
    /// each hit in that store. The position of a contact is the index of the shape of `a`.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, FirstHits, Mesh, Point, Points};
    ///
    /// let floor = Mesh::new(&[[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]])?;
    /// let mut rays = Points::new();
    /// rays.push_moving(Point { position: [1.0, 2.0, 5.0] }, [0.0, 0.0, -10.0]);
    ///
    /// let (mut detector, mut firsts, mut contacts) = (Detector::new(), FirstHits::new(), Contacts::new());
    /// detector.first_hits(&rays, &floor, &mut firsts)?;
    /// detector.hit_contacts(&rays, &floor, &firsts, 0, &mut contacts)?;
    /// for hit in &firsts {
    ///     let contact = contacts.get(hit.a as usize).unwrap();
    ///     // From the ray into the floor.
    ///     assert_eq!(contact.normal, [0.0, 0.0, -1.0]);
    ///     // Where on the triangle, and on which side.
    ///     let at = rays.at(hit.a, hit.time.enter).unwrap().position;
    ///     let (triangle, motion) = (floor.get(hit.b).unwrap(), rays.displacement(hit.a).unwrap());
    ///     let weights = triangle.barycentrics(at);
    ///     assert!([0, 1, 2].iter().all(|k| (weights[*k] - [0.25, 0.25, 0.5][*k]).abs() < 1e-6));
    ///     assert!(!triangle.is_back(motion));
    /// }
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// The contacts are, bit for bit, those of [`sweep_contacts`](Self::sweep_contacts) for [`FirstHits::pairs`]. Normals of
    /// a [`Mesh`](crate::Mesh) are those that [push](crate::Mesh#inner-edges) a shape out, at the front unless
    /// [`set_sides`](crate::Mesh::set_sides) says otherwise; [`Mesh::normal`](crate::Mesh::normal) is that of the triangle.
    ///
    /// Leave both stores unchanged between the search and this call. Otherwise the contacts are unspecified.
    ///
    /// # Errors
    ///
    /// [`Error::FirstHitsLength`] if the length of `firsts` differs from the number of shapes of `a`,
    /// [`Error::PairOutOfBounds`] if a hit is past the end of `b`, [`Error::OutOfMemory`]; `contacts` is then empty or
    /// unchanged.
    #[cfg(all(feature = "candidates", feature = "contact", feature = "sweep"))]
    #[cfg_attr(
        docsrs,
        doc(cfg(all(feature = "candidates", feature = "contact", feature = "sweep")))
    )]
    pub fn hit_contacts<A, B>(
        &mut self,
        a: &A,
        b: &B,
        firsts: &FirstHits,
        store: u8,
        contacts: &mut Contacts,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        B::Shape: TouchedBy<A::Shape>,
    {
        let (a, b) = (a.view(), b.view());
        let (firsts_len, len) = (firsts.len(), a.len());
        if firsts_len != len {
            let firsts = firsts_len;
            return Err(Error::FirstHitsLength { firsts, len });
        }
        let mut pairs = mem::take(&mut self.touching.0);
        let listed = firsts.hits_in(store, &mut pairs, &mut contacts.masks);
        let Kernel { table, swapped } = <B::Shape as TouchedBy<A::Shape>>::CONTACT;
        let found = FoundHits {
            pairs: &pairs,
            enter: firsts.enter(),
            contacts,
        };
        let result = match listed {
            Ok(()) => {
                let kernel = Kernel::<HitContacts> { table, swapped };
                call::run(&mut self.driver, kernel, &a, &b, Pairs::zip(), found)
            }
            Err(_) => Err(Error::OutOfMemory { pairs: len }),
        };
        if result.is_err() {
            *contacts = Contacts::new();
        }
        self.touching.0 = pairs;
        result
    }

    /// Finds the hits of each shape of `a` in `b` while both move, in order of time: what a shot goes through, the echoes
    /// of a lidar, the doors along a path.
    ///
    /// `hits` is replaced by one list for each shape of `a`, with at most `most` hits: [`usize::MAX`] for all.
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Detector, OrderedHits, Point, Points};
    ///
    /// let wall = |x| Aabb { min: [x, -1.0, -1.0], max: [x + 1.0, 1.0, 1.0] };
    /// let walls = Aabbs::from_slice(&[wall(30.0), wall(10.0), wall(20.0)]);
    /// let mut rays = Points::new();
    /// rays.push_moving(Point { position: [0.0; 3] }, [100.0, 0.0, 0.0]);
    ///
    /// let (mut detector, mut hits) = (Detector::new(), OrderedHits::new());
    /// detector.ordered_hits(&rays, &walls, usize::MAX, &mut hits)?;
    /// assert_eq!(hits.index(), [1, 2, 0]);
    /// detector.ordered_hits(&rays, &walls, 2, &mut hits)?;
    /// assert_eq!(hits.index(), [1, 2]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// The hits are those of a [sweep](Self::sweep) of all pairs, with its times, sorted by `enter`, then by `b`. The first
    /// one is that of [`first_hits`](Self::first_hits). A small `most` is faster: nothing after the last listed hit is
    /// tested. [Groups](crate::Groups) and [bodies](crate::Store::set_body) apply; within one store no shape touches
    /// itself, and each pair is in the lists of both shapes. A [margin](Self::margin) counts as in the sweep. For
    /// normals, pass [`OrderedHits::pairs`] to [`sweep_contacts`](Self::sweep_contacts).
    ///
    /// **Invalid shapes** of `a` are [flagged](OrderedHits::is_invalid) and have no hits; nothing hits invalid shapes of
    /// `b`. The call returns their numbers, as [`candidates`](Self::candidates) does.
    ///
    /// # Memory
    ///
    /// A call holds at most five times the memory of the lists it returns, plus a constant for each shape. The detector keeps
    /// part of that memory for later calls, see [`shrink`](Self::shrink).
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] with the number of hits found if memory for the lists runs out; `hits` is then unchanged.
    /// [`Error::InvalidShape`] from a strict detector; `hits` is written even then.
    #[cfg(all(feature = "candidates", feature = "sweep"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "candidates", feature = "sweep"))))]
    pub fn ordered_hits<A, B>(
        &mut self,
        a: &A,
        b: &B,
        most: usize,
        hits: &mut OrderedHits,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Sweep<B::Shape>,
    {
        let kernel = <A::Shape as Supports<OrderedHits, B::Shape>>::KERNEL;
        self.list(kernel, a, b, (First::NONE, most), &mut hits.lists)
    }

    /// Searches a store for lists of at most so many shapes within a limit.
    #[cfg(feature = "candidates")]
    fn list<Q, A, B>(
        &mut self,
        kernel: Kernel<Q>,
        a: &A,
        b: &B,
        (within, most): (First, usize),
        lists: &mut RankedLists,
    ) -> Result<InvalidShapes, Error>
    where
        Q: for<'o> Query<Out<'o> = ListSearch<'o>>,
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
    {
        let (a, b) = (a.view(), b.view());
        let mut invalid = InvalidShapes::default();
        let search = ListSearch {
            within,
            most,
            lists,
            filters: [a.filters(), b.filters()],
            candidates: &mut self.candidates,
            invalid: &mut invalid,
        };
        call::run(&mut self.driver, kernel, &a, &b, Pairs::zip(), search)?;
        Ok(invalid)
    }

    /// Finds the shapes of `a` that touch any shape of `b`, at the start of the frame or during it. The position of a
    /// shape in `overlaps` is its index.
    ///
    /// Use it to test whether a robot is free of collisions, or whether a point is visible. The search for a shape ends
    /// at the first hit found, so this is the fastest query of whole stores.
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Detector, During, Overlaps, Sphere, Spheres};
    ///
    /// let robot = Spheres::from_slice(&[
    ///     Sphere { center: [0.0; 3], radius: 0.5 },
    ///     Sphere { center: [2.0, 0.0, 0.0], radius: 0.5 },
    /// ]);
    /// let room = Aabbs::from_slice(&[Aabb { min: [2.4, -1.0, -1.0], max: [3.0, 1.0, 1.0] }]);
    ///
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().meets_any(&robot, &room, During::Start, &mut overlaps)?;
    /// assert_eq!(overlaps.iter().collect::<Vec<_>>(), [1]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// A shape is a hit exactly if [`overlap`](Self::overlap) reports it with any shape of `b`; for [`During::Frame`]
    /// and [`During::Way`], if [`sweep`](Self::sweep) does. [Groups](crate::Groups) and
    /// [bodies](crate::Store::set_body) apply; within one store no shape touches itself.
    ///
    /// **Invalid shapes** of `a` are flagged and are no hits; invalid shapes of `b` touch nothing. The call returns
    /// their numbers.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; `overlaps` is then unchanged. [`Error::InvalidShape`] from a strict detector; `overlaps` is
    /// written even then.
    #[cfg(all(feature = "candidates", feature = "sweep"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "candidates", feature = "sweep"))))]
    pub fn meets_any<A, B>(
        &mut self,
        a: &A,
        b: &B,
        during: During,
        overlaps: &mut Overlaps,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Sweep<B::Shape>,
    {
        self.search(a, b, Find::Any(during, overlaps))
    }

    /// Finds the [bodies](crate::Store::set_body) of `a` with a shape that touches any shape of `b`: the poses of a robot
    /// that are not free, in one call. The position of a body in `overlaps` is its number.
    ///
    /// Bodies number from 0: the results are as long as the greatest number demands. Each shape of `a` has a body. Keep the
    /// shapes of a body next to each other: its search ends at the first hit, and links far from all obstacles are skipped
    /// together.
    ///
    /// **Bodies are the same in all stores.** A shape of `b` is left out for the body that it belongs to: so robots do not meet their own parts in another
    /// store, and an obstacle with body 0 does not meet pose 0. Give obstacles no body.
    ///
    /// ```
    /// use phalanx::{Detector, During, Overlaps, Sphere, Spheres};
    ///
    /// // A robot of two spheres, in three poses.
    /// let mut robot = Spheres::new();
    /// for (pose, x) in (0..).zip([0.0, 2.0, 4.0]) {
    ///     for center in [[x, 0.0, 0.0], [x, 1.0, 0.0]] {
    ///         let sphere = robot.push(Sphere { center, radius: 0.6 });
    ///         robot.set_body(sphere, pose)?;
    ///     }
    /// }
    /// let room = Spheres::from_slice(&[Sphere { center: [2.0, 2.0, 0.0], radius: 0.5 }]);
    ///
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().bodies_meet_any(&robot, &room, During::Start, &mut overlaps)?;
    /// assert_eq!(overlaps.len(), 3);
    /// assert_eq!(overlaps.iter().collect::<Vec<_>>(), [1]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// A body is a hit exactly if [`meets_any`](Self::meets_any) reports one of its shapes, and flagged as invalid exactly if
    /// one of its shapes is: [`is_hit_or_invalid`](Overlaps::is_hit_or_invalid) is the safe test. A body may be both. A
    /// number without shapes is neither.
    ///
    /// # Errors
    ///
    /// [`Error::MissingBody`] if a shape of `a` has no body; otherwise as for [`meets_any`](Self::meets_any).
    #[cfg(all(feature = "candidates", feature = "sweep"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "candidates", feature = "sweep"))))]
    pub fn bodies_meet_any<A, B>(
        &mut self,
        a: &A,
        b: &B,
        during: During,
        overlaps: &mut Overlaps,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Sweep<B::Shape>,
    {
        self.search(a, b, Find::AnyOfBody(during, overlaps))
    }

    /// Finds the time of impact of pairs while each shape moves by its displacement and each [`Obb`](crate::Obb) and
    /// [hull](crate::Hulls) rotates.
    ///
    #[doc = include_str!("pictures/impact.svg")]
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one time for each pair, such that
    ///
    /// - no pair touches before its time, and a miss (no time) does not touch during the frame;
    /// - at its time the pair touches if one of its shapes is grown by the `tolerance`, a box along its axes, a hull in all
    ///   directions.
    ///
    /// Hits may be near misses within `tolerance`; real contacts are never missed and never late. A ten times smaller
    /// tolerance takes about 15 % more time. The least tolerance is about 10⁻⁵ of the pair's size and travel; the
    /// [contract](crate::contract) gives the exact bound.
    ///
    /// The search is conservative advancement. Steps are short where nearly parallel edges pass closely. After 512 steps
    /// the search stops: the time is still a lower bound, never late, but [is not settled](Impacts::is_settled).
    ///
    /// Boxes and hulls rotate about their centers as [`push_turning`](crate::Store::push_turning) describes.
    /// [`candidates`](Self::candidates) with [`During::Frame`](crate::During::Frame) is the broad phase for impacts: its
    /// bounds include rotation. A [`Chord`](crate::Chord) replaces accelerated motion by straight motion and a margin:
    ///
    /// ```
    /// use phalanx::{Aabb, Aabbs, Chord, Detector, Impacts, Obb, Obbs, Pairs};
    ///
    /// // A crate is thrown, rotating, under gravity, in a frame of half a second.
    /// let seconds: f32 = 0.5;
    /// let chord = Chord::of(
    ///     [8.0, 3.0, 0.0].map(|x| x * seconds),
    ///     [0.0, -9.81, 0.0].map(|x| x * seconds * seconds),
    /// );
    /// let turn = phalanx::turn_of_velocity([0.0, 1.0, 5.0], seconds);
    /// let mut thrown = Obbs::new();
    /// let shape = Obb { center: [0.0, 1.0, 0.0], half_extents: [0.4, 0.3, 0.2], ..Obb::default() };
    /// thrown.push_turning(shape, chord.displacement, turn);
    ///
    /// let wall = Aabb { min: [3.0, 0.0, -2.0], max: [3.2, 4.0, 2.0] };
    /// let walls = Aabbs::from_slice(&[wall]);
    /// let mut impacts = Impacts::new();
    /// Detector::new().margin(chord.margin)?.impact(&thrown, &walls, Pairs::zip(), 1e-3, &mut impacts)?;
    /// let time = impacts.get(0).unwrap();
    /// let at_impact = thrown.at(0, time).unwrap();
    /// assert!(2.2 < at_impact.center[0] && at_impact.center[0] < 3.0);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// One of the shapes has to be an [`Obb`](crate::Obb) or a hull. For shapes that do not rotate, use
    /// [`sweep`](Self::sweep):
    ///
    /// ```compile_fail,E0277
    /// # use phalanx::{Detector, Impacts, Pairs, Spheres};
    /// # let (spheres, mut impacts) = (Spheres::new(), Impacts::new());
    /// Detector::new().impact(&spheres, &spheres, Pairs::zip(), 1e-3, &mut impacts);
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BadTolerance`] if `tolerance` is negative, NaN, or above [`MAX_LENGTH`](crate::MAX_LENGTH); otherwise as for
    /// [`overlap`](Self::overlap), and [`Error::TooManyPairs`] for a list of 2³² pairs or more; `out` is then
    /// unchanged. If only the memory for the search cannot be allocated, `out` is empty.
    #[cfg(feature = "impact")]
    #[cfg_attr(docsrs, doc(cfg(feature = "impact")))]
    pub fn impact<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        tolerance: f32,
        out: &mut Impacts,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        B::Shape: ImpactedBy<A::Shape>,
    {
        let kernel = <B::Shape as ImpactedBy<A::Shape>>::IMPACT;
        let out = (tolerance, out);
        self.run(kernel, a, b, pairs.into(), out)
    }

    /// Finds the distances of pairs at the start of the frame, each as a lower and an upper bound. The lower bound is
    /// never above the distance, the upper bound never below it.
    ///
    #[doc = include_str!("pictures/distance.svg")]
    ///
    /// `a` and `b` may be the same store. `out` is replaced by two bounds for each pair. They differ by about 10⁻⁵ of
    /// the pair's size and distance; the [contract](crate::contract) gives the exact band. Pairs that touch have a
    /// lower bound of zero, and a pair with a lower bound above zero is no hit of [`overlap`](Self::overlap).
    /// [`contact`](Self::contact) computes penetration depths; a recipe puts both in [one
    /// column](crate::recipes#signed-distances).
    ///
    /// ```
    /// use phalanx::{Detector, Distances, Pairs, Sphere, Spheres};
    ///
    /// let at = |x| Sphere { center: [x, 0.0, 0.0], radius: 1.0 };
    /// let robots = Spheres::from_slice(&[at(0.0), at(10.0)]);
    /// let people = Spheres::from_slice(&[at(5.0), at(11.0)]);
    ///
    /// let mut distances = Distances::new();
    /// Detector::new().distance(&robots, &people, Pairs::zip(), &mut distances)?;
    /// let safe: Vec<bool> = distances.lower().iter().map(|lower| *lower > 0.5).collect();
    /// assert_eq!(safe, [true, false]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::MarginNotAllowed`] if the detector has a margin; otherwise as for [`overlap`](Self::overlap), and
    /// [`Error::TooManyPairs`] for a list of 2³² pairs or more; `out` is then unchanged.
    #[cfg(feature = "distance")]
    #[cfg_attr(docsrs, doc(cfg(feature = "distance")))]
    pub fn distance<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        out: &mut Distances,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Distance<B::Shape>,
    {
        self.query::<Distances, A, B>(a, b, pairs.into(), (out, None))
    }

    /// Finds the distances of pairs, as [`distance`](Self::distance) does, and a point of each shape. The two points of
    /// a pair are at most the upper bound apart.
    ///
    /// ```
    /// use phalanx::{ClosestPoints, Detector, Distances, HalfSpace, HalfSpaces, Sphere, Spheres};
    ///
    /// let spheres = Spheres::from_slice(&[Sphere { center: [1.0, 5.0, 0.0], radius: 1.0 }]);
    /// let ground = HalfSpaces::from_slice(&[HalfSpace { normal: [0.0, 1.0, 0.0], d: 0.0 }]);
    ///
    /// let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    /// Detector::new().distance_points(&spheres, &ground, &[[0, 0]], &mut distances, &mut points)?;
    /// // Relative to the center of the sphere.
    /// assert_eq!(points.get(0), Some([[0.0, -1.0, 0.0], [0.0, -5.0, 0.0]]));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`distance`](Self::distance).
    #[cfg(feature = "distance")]
    #[cfg_attr(docsrs, doc(cfg(feature = "distance")))]
    pub fn distance_points<'p, A, B>(
        &mut self,
        a: &A,
        b: &B,
        pairs: impl Into<Pairs<'p>>,
        distances: &mut Distances,
        points: &mut ClosestPoints,
    ) -> Result<(), Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Distance<B::Shape>,
    {
        let out = (distances, Some(points));
        self.query::<Distances, A, B>(a, b, pairs.into(), out)
    }

    /// Finds the nearest shape of `b` to each shape of `a`, within a radius, and a lower bound of its distance from all
    /// shapes of `b`: the clearance of a robot, or the sensor nearest to each point.
    ///
    #[doc = include_str!("pictures/nearest.svg")]
    ///
    /// `nearest` is replaced by one result for each shape of `a`, at the start of the frame. The lower bound is never
    /// above the distance of any shape of `b`. It is the least lower bound of [`distance`](Self::distance), or the
    /// radius if that is less. The nearest shape has the least upper bound, if that is at most the radius. Ties go to
    /// the lowest index. Pairs are measured as (`a`, `b`) in this order, also within one store.
    ///
    /// ```
    /// use phalanx::{Detector, Nearest, Point, Points, Sphere, Spheres};
    ///
    /// let drones = Spheres::from_slice(&[Sphere { center: [0.0; 3], radius: 0.5 }]);
    /// let cloud = Points::from_slice(&[
    ///     Point { position: [3.0, 0.0, 0.0] },
    ///     Point { position: [0.0, 2.0, 0.0] },
    /// ]);
    ///
    /// let mut nearest = Nearest::new();
    /// Detector::new().nearest(&drones, &cloud, 10.0, &mut nearest)?;
    /// let clearance = nearest.get(0).unwrap();
    /// assert_eq!(clearance.b, Some(1));
    /// assert!(clearance.lower <= 1.5 && 1.5 <= clearance.upper);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// A smaller radius is faster: nothing beyond it is tested. For all shapes within a radius, measure the pairs of
    /// [`candidates`](Self::candidates) with that [margin](Self::margin). [Groups](crate::Groups) and
    /// [bodies](crate::Store::set_body) apply; within one store no shape is near itself. Recipes:
    /// [clearance](crate::recipes#clearance), [self-clearance](crate::recipes#self-clearance).
    ///
    /// **Invalid shapes** of `a` are [flagged](Nearest::is_invalid), with a lower bound of zero; invalid shapes of `b`
    /// are near nothing. The call returns their numbers, as [`candidates`](Self::candidates) does.
    ///
    /// # Errors
    ///
    /// [`Error::BadRadius`] if the radius is negative, NaN, or above [`MAX_LENGTH`](crate::MAX_LENGTH), [`Error::MarginNotAllowed`] if the detector
    /// has a margin, [`Error::OutOfMemory`]; `nearest` is then unchanged. [`Error::InvalidShape`] from a strict detector;
    /// `nearest` is written even then.
    #[cfg(all(feature = "candidates", feature = "distance"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "candidates", feature = "distance"))))]
    pub fn nearest<A, B>(
        &mut self,
        a: &A,
        b: &B,
        radius: f32,
        nearest: &mut Nearest,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Distance<B::Shape>,
    {
        let (a, b) = (a.view(), b.view());
        let mut invalid = InvalidShapes::default();
        let search = NearestSearch {
            radius,
            nearest,
            filters: [a.filters(), b.filters()],
            candidates: &mut self.candidates,
            invalid: &mut invalid,
        };
        let kernel = <A::Shape as Supports<Nearest, B::Shape>>::KERNEL;
        call::run(&mut self.driver, kernel, &a, &b, Pairs::zip(), search)?;
        Ok(invalid)
    }

    /// Finds the shapes of `b` within a radius of each shape of `a`, the nearest first: the k nearest, or all.
    ///
    /// `neighbors` is replaced by one list for each shape of `a`, at the start of the frame, with at most `most` shapes:
    /// [`usize::MAX`] for all.
    ///
    /// ```
    /// use phalanx::{Detector, Neighbors, Point, Points, Sphere, Spheres};
    ///
    /// let drones = Spheres::from_slice(&[Sphere { center: [0.0; 3], radius: 0.5 }]);
    /// let at = |x| Point { position: [x, 0.0, 0.0] };
    /// let cloud = Points::from_slice(&[at(3.0), at(-2.0), at(40.0), at(1.0)]);
    ///
    /// let (mut detector, mut neighbors) = (Detector::new(), Neighbors::new());
    /// detector.neighbors(&drones, &cloud, 10.0, usize::MAX, &mut neighbors)?;
    /// assert_eq!(neighbors.index(), [3, 1, 0]);
    /// detector.neighbors(&drones, &cloud, 10.0, 2, &mut neighbors)?;
    /// assert_eq!(neighbors.index(), [3, 1]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// A shape is within the radius if its lower bound of [`distance`](Self::distance) is at most the radius, so none is
    /// missed. A list is sorted by the upper bounds, then by `b`. Pairs are measured as (`a`, `b`) in this order, also
    /// within one store. Of shapes whose bounds overlap, either may be the farther one.
    ///
    /// A small radius and a small `most` are faster. [Groups](crate::Groups) and [bodies](crate::Store::set_body) apply;
    /// within one store no shape is near itself. [`nearest`](Self::nearest) is faster for one shape, and returns a bound of
    /// the clearance.
    ///
    /// **Invalid shapes** of `a` are [flagged](Neighbors::is_invalid) and have no neighbors; invalid shapes of `b` are
    /// near nothing. The call returns their numbers, as [`candidates`](Self::candidates) does.
    ///
    /// # Memory
    ///
    /// As for [`ordered_hits`](Self::ordered_hits).
    ///
    /// # Errors
    ///
    /// As for [`nearest`](Self::nearest), [`Error::OutOfMemory`] with the number of neighbors found.
    #[cfg(all(feature = "candidates", feature = "distance"))]
    #[cfg_attr(docsrs, doc(cfg(all(feature = "candidates", feature = "distance"))))]
    pub fn neighbors<A, B>(
        &mut self,
        a: &A,
        b: &B,
        radius: f32,
        most: usize,
        neighbors: &mut Neighbors,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes + ?Sized,
        B: Shapes + ?Sized,
        A::Shape: Bounded + Distance<B::Shape>,
    {
        let kernel = <A::Shape as Supports<Neighbors, B::Shape>>::KERNEL;
        let limits = (First::within(radius), most);
        self.list(kernel, a, b, limits, &mut neighbors.lists)
    }

    /// Finds the points in the solids that a [closed](Mesh::is_closed) mesh bounds, at the start of the frame. The position of
    /// a point in `overlaps` is its index.
    ///
    /// ```
    /// use phalanx::{Detector, Mesh, Overlaps, Point, Points};
    ///
    /// let corners = [[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    /// let tetrahedron = Mesh::new(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]])?;
    /// let at = |x| Point { position: [x, 1.0, 1.0] };
    /// let points = Points::from_slice(&[at(1.0), at(2.0), at(2.1), at(-1.0)]);
    ///
    /// let mut inside = Overlaps::new();
    /// Detector::new().inside(&points, &tetrahedron, &mut inside)?;
    /// // Point 1 is on a face.
    /// assert_eq!(inside.iter().collect::<Vec<_>>(), [0, 1]);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// The result is exact, without a tolerance: that of exact arithmetic on the `f32` coordinates, also at edges, vertices
    /// and coplanar faces. A point is a hit if it is on a triangle of the mesh, or if a path from it to far away crosses an odd number
    /// of triangles. So a shell within a shell is a hollow, and where two solids of one mesh overlap, the points are outside. Use
    /// a mesh for each solid then. The winding of triangles does not matter.
    ///
    /// With [`nearest`](Self::nearest) this is a signed distance; a [recipe](crate::recipes#inside-a-mesh) has both.
    /// [Groups](crate::Groups) and [bodies](crate::Store::set_body) do not apply: a solid lacking some of its triangles has no
    /// inside.
    ///
    /// **Invalid points** are flagged and are no hits; invalid triangles bound nothing, and a mesh is closed if the others are.
    /// The call returns the numbers of both.
    ///
    /// # Errors
    ///
    /// [`Error::OpenMesh`] names an edge if the mesh is not closed, [`Error::MarginNotAllowed`] if the detector has a margin,
    /// [`Error::OutOfMemory`], [`Error::MeshOutOfMemory`]; `overlaps` is then unchanged. [`Error::InvalidShape`] from a strict
    /// detector; `overlaps` is written even then.
    #[cfg(feature = "candidates")]
    #[cfg_attr(docsrs, doc(cfg(feature = "candidates")))]
    pub fn inside<A>(
        &mut self,
        points: &A,
        mesh: &Mesh,
        overlaps: &mut Overlaps,
    ) -> Result<InvalidShapes, Error>
    where
        A: Shapes<Shape = Point> + ?Sized,
    {
        let (points, mesh) = (points.view(), mesh.view());
        let search = InsideSearch {
            points: &points.any_columns(),
            mesh: &mesh.any_columns(),
        };
        search.find(&self.driver, &mut self.candidates, overlaps)
    }
}

/// Calls on columns whose kinds are known at run time, for scenes.
#[cfg(feature = "scene")]
impl Detector {
    /// Answers a query of listed pairs.
    pub(crate) fn query_any<Q: Query>(
        &mut self,
        kernel: Kernel<Q>,
        stores: [&AnyColumns<'_>; 2],
        pairs: Pairs<'_>,
        out: Q::Out<'_>,
    ) -> Result<(), Error> {
        call::run_any(&mut self.driver, kernel, stores, pairs, out)
    }

    /// [`candidates`](Self::candidates).
    pub(crate) fn candidates_any(
        &mut self,
        search: &CandidateSearch<'_>,
        pairs: &mut Vec<Pair>,
    ) -> Result<(), Error> {
        search.find(&self.driver, &mut self.candidates, pairs)?;
        Ok(())
    }

    /// [`first_hits`](Self::first_hits).
    pub(crate) fn first_hits_any(
        &mut self,
        kernel: Kernel<FirstHits>,
        stores: [&AnyColumns<'_>; 2],
        filters: [Filters<'_>; 2],
        firsts: &mut FirstHits,
    ) -> Result<(), Error> {
        let len = stores[0].len();
        let out_of_memory = |_| Error::OutOfMemory { pairs: len };
        firsts.try_reserve(len).map_err(out_of_memory)?;
        firsts.begin(len);
        let search = FirstHitSearch {
            find: Find::First(firsts),
            filters,
            candidates: &mut self.candidates,
            invalid: &mut InvalidShapes::default(),
        };
        call::run_any(&mut self.driver, kernel, stores, Pairs::zip(), search)
    }

    /// [`nearest`](Self::nearest).
    pub(crate) fn nearest_any(
        &mut self,
        kernel: Kernel<Nearest>,
        stores: [&AnyColumns<'_>; 2],
        filters: [Filters<'_>; 2],
        radius: f32,
        nearest: &mut Nearest,
    ) -> Result<(), Error> {
        let search = NearestSearch {
            radius,
            nearest,
            filters,
            candidates: &mut self.candidates,
            invalid: &mut InvalidShapes::default(),
        };
        call::run_any(&mut self.driver, kernel, stores, Pairs::zip(), search)
    }
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Detector {
    fn clone(&self) -> Self {
        Detector::with(self.driver.settings)
    }
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detector")
            .field("settings", &self.driver.settings)
            .finish_non_exhaustive()
    }
}
