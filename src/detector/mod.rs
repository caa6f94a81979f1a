//! The detector: settings, memory that frames reuse, and the two verbs.
//!
//! A call goes through four steps. Each is a job that runs on the calling thread, or is shared with
//! the rayon pool ([`threads`]).
//!
//! 1. **Check** the pair list ([`check`]); a refused call changes nothing.
//! 2. **Plan** where lanes get their shapes ([`plan`]). For a list these are rows, [packed](pack) by this
//!    call or kept by the store, or columns looked up one number at a time ([`by_pair`]). Without a list they
//!    are columns in order ([`scan`]), of which one shape against all skips the [far](boxes).
//! 3. **Make room** in the output.
//! 4. **Run** the one loop: load lanes, run the kernel, write masks and numbers ([`run`]). Of long lists the
//!    loop first rejects what can be rejected at less cost ([`cull`]).

mod boxes;
mod by_pair;
mod check;
mod cull;
mod entry;
mod pack;
mod plan;
mod run;
mod scan;
mod settings;
mod threads;

use core::fmt;

use crate::error::Error;
use crate::hits::{Overlaps, Sweeps, WORD};
use crate::kernel::{Test, Verb};
use crate::lane::Simd;
use crate::limits::MAX_LENGTH;
use crate::pages::Lines;
use crate::pairs::{Kind, Pair, Pairs};
use crate::shapes::{Columns, Shape, Shapes};
use boxes::Apart;
use by_pair::{PairColumns, PairRows};
use check::CheckedPairs;
use cull::RowsJob;
use entry::Entry;
use plan::{RowsPlan, plan};
use run::{Run, Slices, Source};
use scan::{OneShape, Scan};
use threads::execute;

pub use entry::{Overlap, Sweep};
pub use settings::Settings;

/// Tests pairs of shapes.
///
/// Keep one per thread and use it every frame: it owns the memory that a call needs, so that no serial call
/// allocates once it and the stores have theirs. [`shrink`](Self::shrink) frees it, and a clone begins without.
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
    settings: Settings,
    /// Rows of either side, packed by a call.
    scratch: [Lines; 2],
}

impl Detector {
    /// The best instruction set of this CPU, every core (with the feature `rayon`), no margin.
    pub fn new() -> Self {
        Detector::with(Settings {
            simd: Simd::best(),
            parallel: cfg!(feature = "rayon"),
            margin: 0.0,
        })
    }

    /// A detector without any memory yet.
    fn with(settings: Settings) -> Self {
        Detector {
            settings,
            scratch: Default::default(),
        }
    }

    /// Whether to share long lists with the rayon pool that a call is made from, or the global one from outside
    /// of any. Without the feature `rayon` this does nothing.
    ///
    /// The calling thread works too, short lists never leave it, and no call waits for a thread that has not
    /// begun to help: a busy pool, one that waits for the caller or one that cannot start is no help, and no
    /// harm. So a call may be made with a lock held that other tasks of the pool take.
    ///
    /// It changes no answer, not even in the last bit.
    #[must_use]
    pub fn parallel(mut self, parallel: bool) -> Self {
        self.settings.parallel = parallel;
        self
    }

    /// Which instruction set to use.
    ///
    /// It changes no answer, not even in the last bit.
    #[must_use]
    pub fn simd(mut self, simd: Simd) -> Self {
        self.settings.simd = simd;
        self
    }

    /// Also reports pairs that are at most `margin` apart. Boxes grow by it along their own axes, so
    /// by up to √3 times as much at their corners.
    ///
    /// # Errors
    ///
    /// [`Error::BadMargin`] if it is negative, NaN, or above [`MAX_LENGTH`].
    pub fn margin(mut self, margin: f32) -> Result<Self, Error> {
        if !(0.0..=MAX_LENGTH).contains(&margin) {
            return Err(Error::BadMargin { margin });
        }
        self.settings.margin = margin;
        Ok(self)
    }

    /// How this detector works.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// Frees the memory that the detector keeps for later calls. The next ones take what they need.
    ///
    /// ```
    /// # let mut detector = phalanx::Detector::new();
    /// // After a level is unloaded, say.
    /// detector.shrink();
    /// ```
    pub fn shrink(&mut self) {
        self.scratch = Default::default();
    }

    /// Which pairs touch now. Displacements are ignored.
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one answer for each pair.
    ///
    /// # Errors
    ///
    /// [`Error::PairOutOfBounds`], [`Error::LengthMismatch`] for [`Pairs::zip`] or
    /// [`Error::IndexOutOfBounds`] for [`Pairs::one_to_all`]; `out` is then as it was.
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
        <A::Shape as Entry<Overlaps, B::Shape>>::call(self, &a.view(), &b.view(), pairs.into(), out)
    }

    /// Which pairs touch while each shape moves by its displacement, and when.
    ///
    /// `a` and `b` may be the same store. `out` is replaced by one answer for each pair.
    ///
    /// # Errors
    ///
    /// [`Error::PairOutOfBounds`], [`Error::LengthMismatch`] for [`Pairs::zip`] or
    /// [`Error::IndexOutOfBounds`] for [`Pairs::one_to_all`]; `out` is then as it was.
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
        <A::Shape as Entry<Sweeps, B::Shape>>::call(self, &a.view(), &b.view(), pairs.into(), out)
    }

    /// Answers about shapes in the order of the kernel. If `swapped`, the caller's first store is `b`, which none is
    /// of shapes that are not `MIXED`: what is never called is not compiled.
    #[inline(never)]
    fn answer<'c, const MIXED: bool, V: Verb, A: Test<V, B>, B: Shape>(
        &mut self,
        a: &Columns<'c, A>,
        b: &Columns<'c, B>,
        swapped: bool,
        pairs: Pairs<'_>,
        out: &mut V,
    ) -> Result<(), Error> {
        let settings = self.settings;
        let [first, second] = if swapped {
            [b.len(), a.len()]
        } else {
            [a.len(), b.len()]
        };
        let few: [Pair; WORD];
        let list = match pairs.0 {
            Kind::List(list) => list,
            Kind::Zip if first != second => {
                return Err(Error::LengthMismatch {
                    len_a: first,
                    len_b: second,
                });
            }
            Kind::OneToAll(index) if index as usize >= first => {
                return Err(Error::IndexOutOfBounds { index, len: first });
            }
            kind if second < WORD => {
                let one = if let Kind::OneToAll(index) = kind {
                    Some(index)
                } else {
                    None
                };
                few = core::array::from_fn(|b| Pair::new(one.unwrap_or(b as u32), b as u32));
                &few[..second]
            }
            Kind::Zip => {
                let source = Scan::new(a.clone(), b.clone(), Apart::none());
                run::<V, A, B>(settings, source, out, second);
                return Ok(());
            }
            Kind::OneToAll(index) if MIXED && swapped => {
                let one = OneShape::<V::Form<B>>::new(b, index as usize);
                let apart = Apart::new::<V::Form<A>>(settings, one.around(), a);
                run::<V, A, B>(settings, Scan::new(a.clone(), one, apart), out, second);
                return Ok(());
            }
            Kind::OneToAll(index) => {
                let one = OneShape::<V::Form<A>>::new(a, index as usize);
                let apart = Apart::new::<V::Form<B>>(settings, one.around(), b);
                run::<V, A, B>(settings, Scan::new(one, b.clone(), apart), out, second);
                return Ok(());
            }
        };
        let Some(checked) = CheckedPairs::new(settings, list, [first, second], swapped) else {
            return Err(first_out_of_bounds(list, first, second));
        };
        match plan::<V, A, B>(settings, &checked, (a, b), &mut self.scratch) {
            None => {
                let source = PairColumns::new(checked, a.clone(), b.clone());
                run::<V, A, B>(settings, source, out, list.len());
            }
            Some(RowsPlan { a, b, prefetch }) => {
                let source = PairRows::new(checked, a, b, prefetch);
                let run = Run::new(source, settings.margin, Slices::of(out, list.len()));
                execute(settings.for_rows::<V, A, B>(), RowsJob(run));
            }
        }
        Ok(())
    }
}

impl Default for Detector {
    fn default() -> Self {
        Self::new()
    }
}

impl Clone for Detector {
    fn clone(&self) -> Self {
        Detector::with(self.settings)
    }
}

impl fmt::Debug for Detector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Detector")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

fn run<V: Verb, A: Test<V, B>, B: Shape>(
    settings: Settings,
    source: impl Source<V::Form<A>, V::Form<B>>,
    out: &mut V,
    len: usize,
) {
    let run = Run::<V, A, B, _>::new(source, settings.margin, Slices::of(out, len));
    execute(settings, run);
}

fn first_out_of_bounds(list: &[Pair], len_a: usize, len_b: usize) -> Error {
    let outside = |pair: &Pair| pair.a as usize >= len_a || pair.b as usize >= len_b;
    let position = list.iter().position(outside).unwrap_or_default();
    Error::PairOutOfBounds {
        position,
        pair: list[position],
        len_a,
        len_b,
    }
}
