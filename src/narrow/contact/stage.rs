//! Contact stage: gathers the hits of an overlap or sweep and runs the manifold kernel on them.

use core::marker::PhantomData;

use crate::driver::call::Stage;
use crate::driver::load::Separate;
use crate::driver::rows::PairShapes;
use crate::driver::run::PairBatch;
use crate::driver::spheres;
use crate::driver::spheres::with_spheres;
use crate::driver::stage::{BLOCK, HitRows, with_rows};
use crate::driver::threads::Divide;
use crate::error::Error;
use crate::lane::{
    FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, One, Simd, Vec3, WORD, most_kernel_lanes, split,
};
use crate::narrow::contact::contacts::{ContactSlices, Contacts, INNER};
use crate::narrow::contact::inner::{ClampContacts, MeshContacts};
use crate::narrow::contact::manifold::{Manifold, ManifoldKernel, ManifoldRoutine};
use crate::narrow::ops::ContactOps;
use crate::shapes::form::Static;
use crate::shapes::shape::Shape;
use crate::store::mesh::inner_edges::MeshTriangles;

/// Writes the contacts of the hits, or empties the output if their memory cannot be allocated. `times` holds the time
/// of contact of each pair; `None` is the start of the frame.
pub fn write(
    stage: &mut Stage,
    ops: &'static ContactOps,
    shapes: PairShapes<'_>,
    times: Option<&[f32]>,
    swapped: bool,
    contacts: &mut Contacts,
) -> Result<(), Error> {
    let Stage {
        settings,
        helpers,
        radii,
    } = stage;
    let pairs = contacts.len();
    let [_, second] = shapes.columns;
    let ends = shapes.list.ranges().map(|range| range.end);
    let is_reserved = spheres::reserve(ops.of_points, shapes.columns, ends, radii).is_ok();
    let mesh = MeshTriangles::of(second).filter(|_| ops.clamps);
    let (true, Ok(out)) = (is_reserved, contacts.make_room(ops.points, mesh.is_some())) else {
        *contacts = Contacts::new();
        return Err(Error::OutOfMemory { pairs });
    };
    with_spheres(ops.of_points, shapes, swapped, radii, |shapes| {
        let job = ContactJob {
            shapes,
            times,
            swapped,
            margin: settings.margin,
            mesh,
            out,
        };
        let grain = (8192 / ops.points) >> if ops.test.is_slow { 4 } else { 0 };
        settings.workers(helpers).divide(job, grain, ops.find);
    });
    Ok(())
}

/// Computes the contacts of some hits.
pub struct ContactJob<'a, 's> {
    pub shapes: PairShapes<'s>,
    pub times: Option<&'s [f32]>,
    pub swapped: bool,
    pub margin: f32,
    /// The mesh at whose inner edges normals are clamped.
    pub mesh: Option<MeshTriangles<'s>>,
    pub(crate) out: ContactSlices<'a>,
}

impl Divide for ContactJob<'_, '_> {
    split! { len: out, out: slice, shapes: shared, times: shared, swapped: shared, margin: shared, mesh: shared }
}

/// Computes the contacts of some hits by the kernel of `A` and `B`.
pub fn find<A: ManifoldKernel<B>, B: Shape>(simd: Simd, job: ContactJob<'_, '_>) {
    with_rows(job.shapes, job.len(), false, |mut hits| {
        let swapped = job.swapped;
        let mesh = job.mesh.map(|mesh| MeshContacts {
            mesh,
            list: job.shapes.list,
            times: job.times,
            margin: job.margin,
        });
        let hits = &mut hits;
        let out = simd.run(FindContacts::<A, B> { job, hits });
        if const { A::CLAMPS }
            && let Some(contacts) = mesh
        {
            let writer = Writer::<A, B>::new(swapped, out);
            simd.run(ClampContacts {
                contacts,
                hits,
                writer,
            });
        }
    });
}

/// Maximum number of lanes for kernels with `points` points.
pub const fn most_contact_lanes(points: usize) -> usize {
    most_kernel_lanes(if points == 1 { 8 } else { MAX_LANES })
}

struct FindContacts<'a, 'm, 'h, 's, A: Shape, B: Shape> {
    job: ContactJob<'a, 's>,
    hits: &'m mut HitRows<'h, 's, Static<A>, Static<B>>,
}

impl<'a, A: ManifoldKernel<B>, B: Shape> Job for FindContacts<'a, '_, '_, '_, A, B> {
    type Output = ContactSlices<'a>;
    const FEWEST: usize = FEWEST_KERNEL_LANES;
    const MOST: usize = most_contact_lanes(A::POINTS);

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> ContactSlices<'a> {
        let FindContacts { job, hits } = self;
        let positions = job.out.positions;
        let mut writer = Writer::<A, B>::new(job.swapped, job.out);
        let margin = lanes.splat(job.margin);
        let mut scratch = [[0; 2]; WORD];
        let mut first = 0;
        while first < positions.len() {
            let block = &positions[first..][..BLOCK.min(positions.len() - first)];
            let (rows, staged) = match job.times {
                None => hits.stage(lanes, block),
                Some(times) => hits.stage_at(lanes, block, times),
            };
            for word in staged.chunks(WORD) {
                let batch = rows.gathered(word, &mut scratch);
                let mut at = 0;
                while at < word.len() {
                    let ((a, b), _bad) = batch.load::<Separate, L>(lanes, at, margin);
                    // One-point kernels are inlined: returning the manifold costs more than computing it.
                    let manifold = if const { A::POINTS == 1 } {
                        A::manifold(lanes, a, b, margin)
                    } else {
                        lanes.call::<ManifoldRoutine<A, B>>((a, b, margin))
                    };
                    writer.store(lanes, first + at, manifold);
                    at += L::COUNT;
                }
                first += word.len();
            }
        }
        writer.out
    }
}

/// Writes contacts to the output columns.
pub struct Writer<'a, A, B> {
    pub swapped: bool,
    pub(crate) out: ContactSlices<'a>,
    shapes: PhantomData<(A, B)>,
}

impl<'a, A: ManifoldKernel<B>, B: Shape> Writer<'a, A, B> {
    #[inline(always)]
    fn new(swapped: bool, out: ContactSlices<'a>) -> Self {
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

    /// Writes the contacts of the lanes with a place, and marks them as inner.
    #[inline(always)]
    pub fn scatter<L: Lanes>(
        &mut self,
        lanes: L,
        places: &[Option<usize>; MAX_LANES],
        manifold: Manifold<L::F>,
    ) {
        let to = Scattered {
            lanes,
            out: &mut self.out,
            places,
        };
        write_columns(lanes, A::POINTS, self.swapped, manifold, to);
        for place in places.iter().flatten() {
            self.out.bytes[INNER][*place] = 1;
        }
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
