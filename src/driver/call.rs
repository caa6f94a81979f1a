//! The queries of pairs: a test of every pair and, for three of them, a stage that refines the hits.

use alloc::vec::Vec;
use core::mem;

use crate::detector::Detector;
use crate::driver::list::{CheckedPairs, SHORT};
use crate::driver::pack::PairForms;
use crate::driver::plan::{keep_rows, plan, plan_whole};
use crate::driver::rows::PairShapes;
use crate::driver::run::{AnySource, Span, TestJob, TestOps};
use crate::driver::scan::ScanShapes;
use crate::driver::settings::Settings;
use crate::driver::source::Verb;
use crate::driver::threads::{Helpers, Workers};
use crate::error::Error;
use crate::lane::WORD;
use crate::limits;
use crate::memory::pages::Lines;
#[cfg(feature = "contact")]
use crate::narrow::contact;
use crate::narrow::contact::contacts::Contacts;
#[cfg(feature = "impact")]
use crate::narrow::impact;
use crate::narrow::impact::impacts::Impacts;
#[cfg(feature = "contact")]
use crate::narrow::ops::ContactOps;
#[cfg(feature = "impact")]
use crate::narrow::ops::ImpactOps;
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::pairs::{Pair, Pairs, PairsKind};
use crate::shapes::form::Motion;
use crate::shapes::shape::Shape;
use crate::store::columns::AnyColumns;

/// The position of the first invalid pair, if the detector is strict.
pub type Answered = Result<Option<usize>, Error>;

/// A query, named by the type of its output.
pub trait Query {
    /// The table of a kernel.
    type Ops: 'static;
    /// Outputs, and inputs in addition to the pairs.
    type Out<'o>;
    /// The motion that the query reads.
    const MOTION: Motion;

    /// Runs the query on some pairs.
    fn answer(call: Call<'_>, ops: &'static Self::Ops, out: Self::Out<'_>) -> Answered;
}

/// Shapes with the kernels that a query against shapes `B` needs.
pub trait KernelOf<Q: Query, B: Shape>: Shape {
    /// The table of these kernels.
    const OPS: &'static Q::Ops;
}

/// Inputs of a query.
pub struct Call<'s> {
    pub(crate) detector: &'s mut Detector,
    /// In kernel order.
    pub(crate) stores: [&'s AnyColumns<'s>; 2],
    /// Whether the caller passed the stores reversed.
    pub(crate) swapped: bool,
    pairs: Pairs<'s>,
}

impl<'s> Call<'s> {
    /// Creates a call with the stores in the caller's order.
    #[inline(always)]
    pub fn new(
        detector: &'s mut Detector,
        [a, b]: [&'s AnyColumns<'s>; 2],
        swapped: bool,
        pairs: Pairs<'s>,
    ) -> Self {
        Call {
            detector,
            stores: if swapped { [b, a] } else { [a, b] },
            swapped,
            pairs,
        }
    }

    /// Passes the call to `answer`, with the inputs of its stage.
    #[cfg(any(feature = "contact", feature = "distance"))]
    #[inline(always)]
    pub(crate) fn with_stage(
        self,
        answer: impl FnOnce(Call<'_>, &mut Stage) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let detector = self.detector;
        let mut stage = Stage {
            settings: detector.settings,
            helpers: detector.helpers.clone(),
            radii: mem::take(&mut detector.radii),
        };
        let call = Call {
            detector: &mut *detector,
            ..self
        };
        let answered = answer(call, &mut stage);
        detector.radii = stage.radii;
        answered
    }

    /// Like [`test`](Self::test), for a stage that stores positions as `u32`: returns an error for longer lists.
    #[inline(always)]
    fn find_hits<V: Verb>(
        self,
        ops: &'static TestOps,
        out: &mut V,
    ) -> Result<PairShapes<'s>, Error> {
        if let PairsKind::List(list) = self.pairs.0
            && u32::try_from(list.len()).is_err()
        {
            return Err(Error::TooManyPairs { len: list.len() });
        }
        self.test(ops, out)
    }

    /// The source of the shapes of all pairs, and their number, for a loop that treats every pair as a hit.
    #[cfg(feature = "distance")]
    pub(crate) fn shapes(
        self,
        forms: &'static PairForms,
    ) -> Result<(PairShapes<'s>, usize), Error> {
        let Call {
            detector,
            stores: [a, b],
            swapped,
            pairs,
        } = self;
        let mut lens = [a.len(), b.len()];
        if swapped {
            lens.reverse();
        }
        let workers = detector.settings.workers(&detector.helpers);
        let scratch = &mut detector.scratch;
        if let PairsKind::List(list) = pairs.0 {
            if u32::try_from(list.len()).is_err() {
                return Err(Error::TooManyPairs { len: list.len() });
            }
            let shapes = listed(workers, forms, list, (lens, swapped), [a, b], scratch)?;
            return Ok((shapes, list.len()));
        }
        let one = checked_one(pairs, lens)?;
        let len = lens[1];
        let rows = if len < SHORT || one.is_some() {
            None
        } else {
            plan_whole(workers, forms, [a, b], scratch, len)
        };
        let shapes = PairShapes {
            list: CheckedPairs::by_rule(one, lens, swapped),
            columns: [a, b],
            rows,
        };
        Ok((shapes, len))
    }

    /// Tests every pair. Returns the source of the shapes.
    ///
    /// Inlined into each query: moving the source costs a short call more than testing it.
    #[inline(always)]
    fn test<V: Verb>(self, ops: &'static TestOps, out: &mut V) -> Result<PairShapes<'s>, Error> {
        let Call {
            detector,
            stores: [a, b],
            swapped,
            pairs,
        } = self;
        let Detector {
            settings,
            scratch,
            inline_pairs,
            helpers,
            ..
        } = detector;
        let workers = settings.workers(helpers);
        let mut lens = [a.len(), b.len()];
        if swapped {
            lens.reverse();
        }
        let [_, second] = lens;
        let mut test = |source: &AnySource<'_>, len| {
            let span = Span::of(out, len, settings.margin)?;
            workers.divide(TestJob { source, span }, ops.grain(), ops.test);
            Ok::<(), Error>(())
        };
        let one = checked_one(pairs, lens)?;
        let list = match pairs.0 {
            PairsKind::List(list) => list,
            _ if second < WORD => {
                let pair = |b| Pair::new(one.unwrap_or(b as u32), b as u32);
                *inline_pairs = core::array::from_fn(pair);
                &inline_pairs[..second]
            }
            // Structs have no columns to scan.
            _ if a.have_strides() || b.have_strides() => {
                let shapes = PairShapes {
                    list: CheckedPairs::by_rule(one, lens, swapped),
                    columns: [a, b],
                    rows: None,
                };
                test(&AnySource::Pairs(shapes), second)?;
                return Ok(shapes);
            }
            _ => {
                let (side, store) = if swapped {
                    (ops.forms.b, b)
                } else {
                    (ops.forms.a, a)
                };
                let row = one.map(|index| (side.broadcast)(store, index as usize));
                if row.is_none() || swapped {
                    keep_rows(workers, ops.forms.a, a);
                }
                if row.is_none() || !swapped {
                    keep_rows(workers, ops.forms.b, b);
                }
                let shapes = match &row {
                    None => ScanShapes::Zip(a, b),
                    Some(row) if swapped => ScanShapes::OneB(a, row),
                    Some(row) => ScanShapes::OneA(row, b),
                };
                let pairs = PairShapes {
                    list: CheckedPairs::by_rule(one, lens, swapped),
                    columns: [a, b],
                    rows: None,
                };
                test(&AnySource::Scan(shapes, pairs), second)?;
                return Ok(pairs);
            }
        };
        let shapes = listed(workers, &ops.forms, list, (lens, swapped), [a, b], scratch)?;
        test(&AnySource::Pairs(shapes), list.len())?;
        Ok(shapes)
    }
}

/// Checks a list and plans its rows. The lengths are in the caller's order, the columns in kernel order.
#[inline(always)]
fn listed<'s>(
    workers: Workers<'s>,
    forms: &'static PairForms,
    list: &'s [Pair],
    (lens, swapped): ([usize; 2], bool),
    columns: [&'s AnyColumns<'s>; 2],
    scratch: &'s mut [Lines; 2],
) -> Result<PairShapes<'s>, Error> {
    let len = list.len();
    let Some(list) = CheckedPairs::new(workers, list, lens, swapped) else {
        return Err(first_out_of_bounds(list, lens));
    };
    let rows = if len < SHORT {
        None
    } else {
        plan(workers, forms, &list, columns, scratch)
    };
    Ok(PairShapes {
        list,
        columns,
        rows,
    })
}

/// The shape that is paired with all; `None` for a zip. Returns an error for an index out of bounds, and for stores
/// that cannot be zipped.
fn checked_one(pairs: Pairs<'_>, [first, second]: [usize; 2]) -> Result<Option<u32>, Error> {
    match pairs.0 {
        PairsKind::OneToAll(index) if index as usize >= first => {
            Err(Error::IndexOutOfBounds { index, len: first })
        }
        PairsKind::Zip if first != second => Err(Error::LengthMismatch {
            len_a: first,
            len_b: second,
        }),
        PairsKind::OneToAll(index) => Ok(Some(index)),
        PairsKind::Zip | PairsKind::List(_) => Ok(None),
    }
}

/// Inputs of a stage that do not depend on the call.
#[cfg(any(feature = "contact", feature = "distance"))]
pub struct Stage {
    pub settings: Settings,
    pub helpers: Helpers,
    /// The radii of points: zeros.
    pub radii: Vec<f32>,
}

/// Names the first pair with an index out of bounds.
fn first_out_of_bounds(list: &[Pair], [len_a, len_b]: [usize; 2]) -> Error {
    let outside = |pair: &Pair| pair.a as usize >= len_a || pair.b as usize >= len_b;
    let position = list.iter().position(outside).unwrap_or_default();
    Error::PairOutOfBounds {
        position,
        pair: list[position],
        len_a,
        len_b,
    }
}

/// Position of the first invalid pair, if the detector is strict.
fn refused(settings: Settings, masks: &Overlaps) -> Option<usize> {
    settings.strict.then(|| masks.iter_invalid().next())?
}

impl Query for Overlaps {
    type Ops = TestOps;
    type Out<'o> = &'o mut Overlaps;
    const MOTION: Motion = Motion::None;

    fn answer(call: Call<'_>, ops: &'static TestOps, out: &mut Overlaps) -> Answered {
        let settings = call.detector.settings;
        call.test(ops, out)?;
        Ok(refused(settings, out))
    }
}

#[cfg(feature = "sweep")]
impl Query for Sweeps {
    type Ops = TestOps;
    type Out<'o> = &'o mut Sweeps;
    const MOTION: Motion = Motion::Straight;

    fn answer(call: Call<'_>, ops: &'static TestOps, out: &mut Sweeps) -> Answered {
        let settings = call.detector.settings;
        call.test(ops, out)?;
        Ok(refused(settings, &out.masks))
    }
}

#[cfg(feature = "contact")]
impl Query for Contacts {
    type Ops = ContactOps;
    type Out<'o> = &'o mut Contacts;
    const MOTION: Motion = Motion::None;

    fn answer(call: Call<'_>, ops: &'static ContactOps, out: &mut Contacts) -> Answered {
        let settings = call.detector.settings;
        call.with_stage(|call, stage| {
            let swapped = call.swapped;
            let shapes = call.find_hits(ops.test, &mut out.masks)?;
            contact::stage::write(stage, ops, shapes, None, swapped, out)
        })?;
        Ok(refused(settings, &out.masks))
    }
}

/// Sweeps, and the contacts of the hits at their time of entry.
#[cfg(all(feature = "contact", feature = "sweep"))]
pub struct SweepContacts;

#[cfg(all(feature = "contact", feature = "sweep"))]
impl Query for SweepContacts {
    type Ops = ContactOps;
    type Out<'o> = (&'o mut Sweeps, &'o mut Contacts);
    const MOTION: Motion = Motion::Straight;

    fn answer(
        call: Call<'_>,
        ops: &'static ContactOps,
        (sweeps, contacts): (&mut Sweeps, &mut Contacts),
    ) -> Answered {
        let settings = call.detector.settings;
        call.with_stage(|call, stage| {
            let swapped = call.swapped;
            let mut shapes = call.find_hits(ops.test, sweeps)?;
            // Sweeps and contacts read rows of different forms.
            shapes.rows = None;
            if contacts.masks.copy_from(&sweeps.masks).is_err() {
                *contacts = Contacts::new();
                return Err(Error::OutOfMemory {
                    pairs: sweeps.len(),
                });
            }
            let times = Some(sweeps.enter());
            contact::stage::write(stage, ops, shapes, times, swapped, contacts)
        })?;
        Ok(refused(settings, &sweeps.masks))
    }
}

#[cfg(feature = "impact")]
impl Query for Impacts {
    type Ops = ImpactOps;
    /// The tolerance comes first.
    type Out<'o> = (f32, &'o mut Impacts);
    const MOTION: Motion = Motion::Turning;

    fn answer(
        call: Call<'_>,
        ops: &'static ImpactOps,
        (tolerance, impacts): (f32, &mut Impacts),
    ) -> Answered {
        let tolerance = limits::length(tolerance).ok_or(Error::BadTolerance { tolerance })?;
        let settings = call.detector.settings;
        let helpers = call.detector.helpers.clone();
        let shapes = call.find_hits(ops.test, impacts)?;
        impact::stage::write(settings, &helpers, ops, shapes, tolerance, impacts)?;
        Ok(refused(settings, &impacts.masks))
    }
}
