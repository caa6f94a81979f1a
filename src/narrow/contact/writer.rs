//! Writes contacts, in lanes, to the columns of the output.

use core::marker::PhantomData;

use crate::lane::{Lanes, MAX_LANES, One, Routine, Vec3, most_kernel_lanes};
use crate::narrow::contact::contacts::{ContactSlices, INNER};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel};
use crate::shapes::shape::Shape;

/// Maximum number of lanes for kernels with `points` points.
pub const fn most_contact_lanes(points: usize) -> usize {
    most_kernel_lanes(if points == 1 { 8 } else { MAX_LANES })
}

/// Writes contacts to the output columns.
pub struct Writer<'a, A, B> {
    pub swapped: bool,
    pub(crate) out: ContactSlices<'a>,
    shapes: PhantomData<(A, B)>,
}

impl<'a, A: ManifoldKernel<B>, B: Shape> Writer<'a, A, B> {
    #[inline(always)]
    pub fn new(swapped: bool, out: ContactSlices<'a>) -> Self {
        Writer {
            swapped,
            out,
            shapes: PhantomData,
        }
    }

    /// Writes the contacts of one group of lanes.
    #[inline(always)]
    pub fn store<L: Lanes>(&mut self, lanes: L, at: usize, manifold: Manifold<L::F>) {
        let to = InOrder {
            lanes,
            out: &mut self.out,
            at,
        };
        write_columns(lanes, A::POINTS, self.swapped, manifold, to);
    }

    /// Writes the contacts of the lanes with a place.
    #[inline(always)]
    pub fn scatter<L: Lanes>(
        &mut self,
        lanes: L,
        places: &[Option<usize>; MAX_LANES],
        manifold: Manifold<L::F>,
    ) {
        lanes.call::<ScatterManifold>((
            &mut self.out,
            (A::POINTS, self.swapped),
            places,
            &manifold,
        ));
    }

    /// Marks contacts as clamped.
    #[inline(always)]
    pub fn mark(&mut self, places: &[Option<usize>; MAX_LANES]) {
        for place in places.iter().flatten() {
            self.out.bytes[INNER][*place] = 1;
        }
    }
}

/// Writes contacts to their places: compiled once for all kernels.
struct ScatterManifold<'x, 'a>(PhantomData<(&'x (), &'a ())>);

impl<'x, 'a: 'x, L: Lanes> Routine<L> for ScatterManifold<'x, 'a> {
    type Argument = (
        &'x mut ContactSlices<'a>,
        (usize, bool),
        &'x [Option<usize>; MAX_LANES],
        &'x Manifold<L::F>,
    );
    type Output = ();

    #[inline(always)]
    fn run(lanes: L, (out, (most_points, swapped), places, manifold): Self::Argument) {
        let to = Scattered { lanes, out, places };
        write_columns(lanes, most_points, swapped, *manifold, to);
    }
}

/// Writes one contact, whose shapes are in the order of the call.
pub fn write_one(
    out: &mut ContactSlices<'_>,
    at: usize,
    most_points: usize,
    manifold: Manifold<f32>,
) {
    let lanes = One;
    write_columns(
        lanes,
        most_points,
        false,
        manifold,
        InOrder { lanes, out, at },
    );
}

/// Writes one column of a group of contacts after the other.
#[inline(always)]
fn write_columns<L: Lanes>(
    lanes: L,
    most_points: usize,
    swapped: bool,
    manifold: Manifold<L::F>,
    mut to: impl WriteColumn<L>,
) {
    let Manifold {
        normal,
        separation,
        offset,
        count,
        points,
    } = manifold;
    let zero = lanes.splat(0.0);
    // Flip the normal and re-base the points on B.
    let (sign, offset) = if swapped {
        (lanes.splat(-1.0), offset)
    } else {
        (lanes.splat(1.0), Vec3([zero; 3]))
    };
    let mut k = 0;
    while k < 3 {
        // Never −0.
        to.numbers(k, normal.0[k] * sign + zero);
        k += 1;
    }
    to.numbers(3, separation + zero);
    to.bytes(0, count);
    let mut k = 0;
    while k < most_points {
        let point = points[k];
        let mut x = 0;
        while x < 3 {
            to.numbers(4 + 4 * k + x, point.at.0[x] - offset.0[x] + zero);
            x += 1;
        }
        to.numbers(7 + 4 * k, point.separation + zero);
        to.bytes(1 + k, point.feature);
        k += 1;
    }
}

/// Destination of a group of contacts.
trait WriteColumn<L: Lanes> {
    fn numbers(&mut self, column: usize, numbers: L::F);
    /// Small whole numbers.
    fn bytes(&mut self, column: usize, numbers: L::F);
}

/// Consecutive places.
struct InOrder<'o, 'a, L> {
    lanes: L,
    out: &'o mut ContactSlices<'a>,
    at: usize,
}

impl<L: Lanes> WriteColumn<L> for InOrder<'_, '_, L> {
    #[inline(always)]
    fn numbers(&mut self, column: usize, numbers: L::F) {
        let to = &mut self.out.numbers[column][self.at..];
        self.lanes.store(numbers, to);
    }

    #[inline(always)]
    fn bytes(&mut self, column: usize, numbers: L::F) {
        let to = &mut self.out.bytes[column][self.at..];
        store_bytes(self.lanes, numbers, to);
    }
}

/// The places of the lanes, except those without one.
struct Scattered<'o, 'a, L> {
    lanes: L,
    out: &'o mut ContactSlices<'a>,
    places: &'o [Option<usize>; MAX_LANES],
}

impl<L: Lanes> Scattered<'_, '_, L> {
    #[inline(always)]
    fn lanes(&self, numbers: L::F) -> [f32; MAX_LANES] {
        let mut lanes = [0.0; MAX_LANES];
        self.lanes.store(numbers, &mut lanes);
        lanes
    }
}

impl<L: Lanes> WriteColumn<L> for Scattered<'_, '_, L> {
    #[inline(always)]
    fn numbers(&mut self, column: usize, numbers: L::F) {
        let lanes = self.lanes(numbers);
        scatter(&lanes, self.places, self.out.numbers[column], |x| x);
    }

    #[inline(always)]
    fn bytes(&mut self, column: usize, numbers: L::F) {
        let lanes = self.lanes(numbers);
        scatter(&lanes, self.places, self.out.bytes[column], |x| x as u8);
    }
}

/// Writes lanes to their places in a column.
fn scatter<T>(
    lanes: &[f32; MAX_LANES],
    places: &[Option<usize>; MAX_LANES],
    column: &mut [T],
    convert: impl Fn(f32) -> T,
) {
    for (&x, place) in lanes.iter().zip(places) {
        if let Some(place) = *place {
            column[place] = convert(x);
        }
    }
}

/// Writes small whole numbers as bytes.
#[inline(always)]
fn store_bytes<L: Lanes>(lanes: L, numbers: L::F, to: &mut [u8]) {
    /// 2²³: from here on, the low bits of a float equal the low bits of the integer.
    const WHOLE: f32 = (1 << 23) as f32;
    let mut bits = [0.0; MAX_LANES];
    lanes.store(numbers + lanes.splat(WHOLE), &mut bits);
    for (to, bits) in to[..L::COUNT].iter_mut().zip(&bits) {
        *to = bits.to_bits() as u8;
    }
}
