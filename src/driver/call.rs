//! The way of a query from the methods of the detector to the loops of its room.

use crate::driver::list::{CheckedPairs, SHORT};
use crate::driver::pack::PairForms;
use crate::driver::plan::{keep_rows, plan, plan_whole};
use crate::driver::rows::PairShapes;
use crate::driver::run::Span;
use crate::driver::scan::ScanShapes;
use crate::driver::settings::Settings;
use crate::driver::source::Verb;
use crate::driver::test::{AnySource, TestJob, TestTable};
use crate::driver::threads::{Helpers, Workers};
use crate::error::Error;
use crate::lane::WORD;
use crate::memory::pages::Lines;
use crate::pairs::{Pair, Pairs, PairsKind};
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;
use crate::store::columns::AnyColumns;
use crate::store::store::StoreRef;

/// The position of the first invalid pair, if the detector is strict.
pub type Answered = Result<Option<usize>, Error>;

/// A query, named by the type of its output.
pub trait Query {
    /// The table of two shapes: the constants and function pointers of their kernel. So the way to the loops is compiled once, and
    /// only loops are compiled for each kernel.
    type Table: Sync + 'static;
    /// Outputs, and inputs in addition to the pairs.
    type Out<'o>;
    /// The motion that the query reads.
    const MOTION: Motion;

    /// Runs the query on some pairs.
    fn answer(call: Call<'_>, table: &'static Self::Table, out: Self::Out<'_>) -> Answered;
}

/// The kernel of a query for an ordered pair of shapes.
pub struct Kernel<Q: Query> {
    /// The table, in kernel order.
    pub table: &'static Q::Table,
    /// Whether kernel order is the reverse.
    pub swapped: bool,
}

/// Shapes that a query `Q` accepts in the order `Self`, `B`.
///
/// Sealed: the implementations are the kernels of this crate.
pub trait Supports<Q: Query, B: Shape>: Shape {
    #[doc(hidden)]
    const KERNEL: Kernel<Q>;
}

/// Shapes whose kernels make the table of a query `Q`, in kernel order.
pub trait TableOf<Q: Query, B: Shape>: Shape {
    const TABLE: Q::Table;
}

/// Settings and reused memory of a detector, aside from the lists of the broad phase.
pub struct Driver {
    pub settings: Settings,
    pub scratch: Scratch,
    /// Threads that stay between the calls of a frame.
    pub helpers: Helpers,
}

/// Memory that the shapes of a call are packed to.
pub struct Scratch {
    /// The packed rows of both stores.
    pub rows: [Lines; 2],
    /// The list of a zip, or of one shape against all, of less than a word.
    inline_pairs: [Pair; WORD],
}

impl Driver {
    pub fn new(settings: Settings) -> Self {
        Driver {
            settings,
            scratch: Scratch {
                rows: Default::default(),
                inline_pairs: [Pair::new(0, 0); WORD],
            },
            helpers: Helpers::default(),
        }
    }

    /// The threads of a call.
    pub fn workers(&self) -> Workers<'_> {
        self.settings.workers(&self.helpers)
    }
}

/// Runs a query. All of it that is compiled in the calling crate: the columns of two views, and the address of a table.
#[inline(always)]
pub fn run<Q: Query, A: Shape, B: Shape>(
    driver: &mut Driver,
    kernel: Kernel<Q>,
    a: &StoreRef<'_, A>,
    b: &StoreRef<'_, B>,
    pairs: Pairs<'_>,
    out: Q::Out<'_>,
) -> Result<(), Error> {
    let (fields_a, fields_b) = (a.fields(), b.fields());
    let a = a.columns_with(&fields_a, Q::MOTION);
    let b = b.columns_with(&fields_b, Q::MOTION);
    run_any(driver, kernel, [&a, &b], pairs, out)
}

/// Runs a query on columns of any kind, by the kernel of their kinds.
#[inline(always)]
pub fn run_any<Q: Query>(
    driver: &mut Driver,
    kernel: Kernel<Q>,
    [a, b]: [&AnyColumns<'_>; 2],
    pairs: Pairs<'_>,
    out: Q::Out<'_>,
) -> Result<(), Error> {
    let Kernel { table, swapped } = kernel;
    let call = Call::new(driver, [a, b], swapped, pairs);
    match Q::answer(call, table, out)? {
        None => Ok(()),
        Some(position) => invalid_pair([a, b], pairs.at(position), position, Q::MOTION),
    }
}

/// Returns the error that names the invalid shape of a pair.
#[cold]
#[inline(never)]
fn invalid_pair(
    [a, b]: [&AnyColumns<'_>; 2],
    pair: Pair,
    position: usize,
    motion: Motion,
) -> Result<(), Error> {
    let of_a = a.defect(pair.a, motion).map(|defect| (false, defect));
    match of_a.or_else(|| Some((true, b.defect(pair.b, motion)?))) {
        Some((is_second, defect)) => Err(Error::InvalidPair {
            position,
            pair,
            is_second,
            defect,
        }),
        None => Ok(()),
    }
}

/// A query on two stores, and pairs of their shapes.
pub struct Call<'s> {
    pub settings: Settings,
    pub workers: Workers<'s>,
    /// In kernel order.
    pub stores: [&'s AnyColumns<'s>; 2],
    /// Whether the caller passed the stores reversed.
    pub swapped: bool,
    pairs: Pairs<'s>,
    pub scratch: &'s mut Scratch,
}

impl<'s> Call<'s> {
    /// Creates a call with the stores in the caller's order.
    #[inline(always)]
    pub fn new(
        driver: &'s mut Driver,
        [a, b]: [&'s AnyColumns<'s>; 2],
        swapped: bool,
        pairs: Pairs<'s>,
    ) -> Self {
        let Driver {
            settings,
            scratch,
            helpers,
        } = driver;
        Call {
            settings: *settings,
            workers: settings.workers(helpers),
            stores: if swapped { [b, a] } else { [a, b] },
            swapped,
            pairs,
            scratch,
        }
    }

    /// Like [`test`](Self::test), for a stage that stores positions as `u32`: returns an error for longer lists.
    #[inline(always)]
    pub fn find_hits<V: Verb>(
        self,
        ops: &'static TestTable,
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
    pub fn shapes(self, forms: &'static PairForms) -> Result<(PairShapes<'s>, usize), Error> {
        let Call {
            stores: [a, b],
            swapped,
            pairs,
            workers,
            scratch: Scratch { rows, .. },
            ..
        } = self;
        let mut lens = [a.len(), b.len()];
        if swapped {
            lens.reverse();
        }
        if let PairsKind::List(list) = pairs.0 {
            if u32::try_from(list.len()).is_err() {
                return Err(Error::TooManyPairs { len: list.len() });
            }
            let shapes = listed(workers, forms, list, (lens, swapped), [a, b], rows)?;
            return Ok((shapes, list.len()));
        }
        let one = checked_one(pairs, lens)?;
        let len = lens[1];
        let packed = if len < SHORT || one.is_some() {
            None
        } else {
            plan_whole(workers, forms, [a, b], rows, len)
        };
        let shapes = PairShapes {
            list: CheckedPairs::by_rule(one, lens, swapped),
            columns: [a, b],
            rows: packed,
        };
        Ok((shapes, len))
    }

    /// The shapes of a list, from columns.
    pub fn columns_of<'p>(&self, list: &'p [Pair]) -> Result<PairShapes<'p>, Error>
    where
        's: 'p,
    {
        let columns = self.stores;
        let mut lens = columns.map(|columns| columns.len());
        if self.swapped {
            lens.reverse();
        }
        let list = CheckedPairs::new(self.workers, list, lens, self.swapped)
            .ok_or_else(|| first_out_of_bounds(list, lens))?;
        Ok(PairShapes {
            list,
            columns,
            rows: None,
        })
    }

    /// Tests every pair. Returns the source of the shapes.
    ///
    /// Inlined into each query: moving the source costs a short call more than testing it.
    #[inline(always)]
    pub fn test<V: Verb>(
        self,
        ops: &'static TestTable,
        out: &mut V,
    ) -> Result<PairShapes<'s>, Error> {
        let Call {
            stores: [a, b],
            swapped,
            pairs,
            workers,
            settings,
            scratch: Scratch { rows, inline_pairs },
        } = self;
        let mut lens = [a.len(), b.len()];
        if swapped {
            lens.reverse();
        }
        let [_, second] = lens;
        let mut test = |source: &AnySource<'_>, len| {
            let span = Span::of(out, len, settings.margin)?;
            workers.divide(TestJob { source, span }, ops.grain, ops.test);
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
                // The store that is read as a whole.
                let (all, form) = if swapped {
                    (a, ops.forms.a)
                } else {
                    (b, ops.forms.b)
                };
                let (all, motion) = (one.and(all.cache()), form.motion);
                let are_valid = all.is_some_and(|all| all.are_valid(motion));
                test(&AnySource::Scan(shapes, pairs, are_valid), second)?;
                if !are_valid
                    && let Some(all) = all
                    && out.invalid().iter().all(|&word| word == 0)
                {
                    all.set_valid(motion);
                }
                return Ok(pairs);
            }
        };
        let shapes = listed(workers, &ops.forms, list, (lens, swapped), [a, b], rows)?;
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
