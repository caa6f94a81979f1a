//! Contacts: the hits of an overlap or of a sweep, gathered once more, and what their kernel says of them.

use core::marker::PhantomData;

use super::by_pair::{PairColumns, PairRows};
use super::check::IndexPair;
use super::run::{Source, Window};
use crate::contacts::{ContactSlices, Contacts};
use crate::error::Error;
use crate::hits::{Overlaps, Sweeps, WORD};
use crate::kernel::Verb;
use crate::kernel::load::Separate;
use crate::kernel::manifold::{Manifold, Touch, Touching};
use crate::lane::{Job, Lanes, MAX_LANES, Split, Vec3};
use crate::pairs::Pairs;
use crate::shapes::{Form, MovingLanes, Shape};
use crate::threads::Workers;

/// Where the shapes of a call can be had by pair.
pub enum Listed<'s, 'c, A: Form, B: Form> {
    Rows(PairRows<'s, A, B>),
    Columns(PairColumns<'c, 's, A, B>),
}

impl<A: Form, B: Form> Clone for Listed<'_, '_, A, B> {
    fn clone(&self) -> Self {
        match self {
            Listed::Rows(rows) => Listed::Rows(rows.clone()),
            Listed::Columns(columns) => Listed::Columns(columns.clone()),
        }
    }
}

/// A verb whose hits have contacts.
pub trait Moment: Verb {
    /// Whether rows are read where a call has them. Few hits of a sweep are asked for their contacts: columns
    /// will do, and their loop is one less to compile.
    const ROWS: bool;

    /// The shapes of pairs when they touch, given the times of that.
    fn shapes<A: Touch<B>, B: Shape, L: Lanes>(
        a: LanesOf<Self, A, L>,
        b: LanesOf<Self, B, L>,
        time: L::F,
    ) -> (A::Lanes<L::F>, B::Lanes<L::F>);
}

/// What a verb's kernels are given of a shape.
type LanesOf<V, T, L> = <<V as Verb>::Form<T> as Form>::Lanes<<L as Lanes>::F>;

impl Moment for Overlaps {
    const ROWS: bool = true;

    #[inline(always)]
    fn shapes<A: Touch<B>, B: Shape, L: Lanes>(
        a: A::Lanes<L::F>,
        b: B::Lanes<L::F>,
        _time: L::F,
    ) -> (A::Lanes<L::F>, B::Lanes<L::F>) {
        (a, b)
    }
}

impl Moment for Sweeps {
    const ROWS: bool = false;

    #[inline(always)]
    fn shapes<A: Touch<B>, B: Shape, L: Lanes>(
        a: MovingLanes<A::Lanes<L::F>, L::F>,
        b: MovingLanes<B::Lanes<L::F>, L::F>,
        time: L::F,
    ) -> (A::Lanes<L::F>, B::Lanes<L::F>) {
        // How they lie to one another is all that matters.
        let way = (a.displacement - b.displacement) * time;
        (A::moved(a.start, way), b.start)
    }
}

/// What is asked of the hits.
pub struct Question<'a, 'c, V: Verb, A: Shape, B: Shape> {
    /// Where their shapes are.
    pub source: Listed<'a, 'c, V::Form<A>, V::Form<B>>,
    /// The list, as the caller names them.
    pub pairs: Pairs<'a>,
    /// When each pair of the list touches; empty if that is now.
    pub times: &'a [f32],
    pub swapped: bool,
    pub margin: f32,
}

impl<V: Verb, A: Shape, B: Shape> Clone for Question<'_, '_, V, A, B> {
    fn clone(&self) -> Self {
        Question {
            source: self.source.clone(),
            ..*self
        }
    }
}

/// Writes the contacts of the hits.
pub fn write<V: Moment, A: Touch<B>, B: Shape>(
    workers: Workers,
    question: Question<'_, '_, V, A, B>,
    contacts: &mut Contacts,
) -> Result<(), Error> {
    let pairs = contacts.len();
    let Ok(out) = contacts.make_room(A::POINTS) else {
        *contacts = Contacts::new();
        return Err(Error::OutOfMemory { pairs });
    };
    workers.execute(ContactsJob { question, out });
    Ok(())
}

/// Finds the contacts of some hits.
struct ContactsJob<'a, 's, 'c, V: Verb, A: Shape, B: Shape> {
    question: Question<'s, 'c, V, A, B>,
    out: ContactSlices<'a>,
}

impl<V: Moment, A: Touch<B>, B: Shape> Job for ContactsJob<'_, '_, '_, V, A, B> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let Question {
            source,
            pairs,
            times,
            swapped,
            margin,
        } = self.question;
        let mut out = Writer::<V, A, B> {
            swapped,
            out: self.out,
            shapes: PhantomData,
        };
        let margin = lanes.splat(margin);
        let all = out.out.positions;
        let count = all.len();
        let (mut picked, mut scratch) = ([[0; 2]; WORD], [[0; 2]; WORD]);
        let mut when = [0.0; WORD];
        let mut first = 0;
        while first < count {
            let positions = &all[first..];
            let len = WORD.min(positions.len());
            for (pair, position) in picked.iter_mut().zip(positions) {
                let named = pairs.at(*position as usize);
                *pair = [named.a, named.b];
            }
            for (when, position) in when.iter_mut().zip(positions) {
                *when = times.get(*position as usize).copied().unwrap_or(0.0);
            }
            let picked: &[IndexPair] = &picked[..len];
            match &source {
                Listed::Rows(rows) if const { V::ROWS } => {
                    let rows = rows.picked(picked);
                    let window = rows.window(lanes, 0, len, &mut scratch);
                    out.groups(lanes, &window, &when, first, len, margin);
                }
                Listed::Rows(_) => unreachable!("rows that are not read"),
                Listed::Columns(columns) => {
                    let columns = columns.picked(picked);
                    let window = columns.window(lanes, 0, len, &mut scratch);
                    out.groups(lanes, &window, &when, first, len, margin);
                }
            }
            first += len;
        }
    }
}

/// Writes contacts.
struct Writer<'a, V, A, B> {
    swapped: bool,
    out: ContactSlices<'a>,
    shapes: PhantomData<(V, A, B)>,
}

impl<V: Moment, A: Touch<B>, B: Shape> Writer<'_, V, A, B> {
    /// Finds the contacts of a window.
    #[inline(always)]
    fn groups<L: Lanes>(
        &mut self,
        lanes: L,
        window: &impl Window<V::Form<A>, V::Form<B>>,
        times: &[f32; WORD],
        first: usize,
        len: usize,
        margin: L::F,
    ) {
        let mut at = 0;
        while at < len {
            let ((a, b), _bad) = window.load::<Separate, L>(lanes, at, margin);
            let (a, b) = V::shapes::<A, B, L>(a, b, lanes.load(&times[at..]));
            // The answer of a short kernel would take longer to hand over than to find.
            let manifold = if const { A::POINTS == 1 } {
                A::touch(lanes, a, b, margin)
            } else {
                lanes.call::<Touching<A, B>>((a, b, margin))
            };
            self.store(lanes, first + at, manifold);
            at += L::COUNT;
        }
    }

    /// Writes the contacts of a group.
    #[inline(always)]
    fn store<L: Lanes>(&mut self, lanes: L, at: usize, manifold: Manifold<L::F>) {
        let Manifold {
            normal,
            separation,
            offset,
            count,
            points,
        } = manifold;
        let zero = lanes.splat(0.0);
        // The other way round, and from the other center.
        let (sign, offset) = if self.swapped {
            (lanes.splat(-1.0), offset)
        } else {
            (lanes.splat(1.0), Vec3([zero; 3]))
        };
        let numbers = &mut self.out.numbers;
        let mut k = 0;
        while k < 3 {
            // Never −0.
            lanes.store(normal.0[k] * sign + zero, &mut numbers[k][at..]);
            k += 1;
        }
        lanes.store(separation + zero, &mut numbers[3][at..]);
        store_bytes(lanes, count, &mut self.out.bytes[0][at..]);
        let mut k = 0;
        while k < A::POINTS {
            let point = points[k];
            let mut x = 0;
            while x < 3 {
                let number = point.at.0[x] - offset.0[x] + zero;
                lanes.store(number, &mut numbers[4 + 4 * k + x][at..]);
                x += 1;
            }
            lanes.store(point.separation + zero, &mut numbers[7 + 4 * k][at..]);
            store_bytes(lanes, point.feature, &mut self.out.bytes[1 + k][at..]);
            k += 1;
        }
    }
}

/// Writes small whole numbers.
#[inline(always)]
fn store_bytes<L: Lanes>(lanes: L, numbers: L::F, to: &mut [u8]) {
    /// From which on the bits of a number end in those of a whole one: 2²³.
    const WHOLE: f32 = (1 << 23) as f32;
    let mut bits = [0.0; MAX_LANES];
    lanes.store(numbers + lanes.splat(WHOLE), &mut bits);
    for (to, bits) in to[..L::COUNT].iter_mut().zip(&bits) {
        *to = bits.to_bits() as u8;
    }
}

impl<V: Moment, A: Touch<B>, B: Shape> Split for ContactsJob<'_, '_, '_, V, A, B> {
    const GRAIN: usize = 8192 / A::POINTS;

    fn len(&self) -> usize {
        self.out.positions.len()
    }

    fn split_at(self, middle: usize) -> (Self, Self) {
        let (low, high) = self.out.split_at(middle);
        let part = |question, out| ContactsJob { question, out };
        (part(self.question.clone(), low), part(self.question, high))
    }

    fn merge((): (), (): ()) {}
}
