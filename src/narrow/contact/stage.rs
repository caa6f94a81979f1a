//! Contact stage: gathers the hits of an overlap or sweep and runs the manifold kernel on them.

use crate::driver::call::{Answered, Call, Kernel, Query, Supports, TableOf};
use crate::driver::rows::PairShapes;
use crate::driver::source::{PairBatch, Separate};
use crate::driver::stage::{BLOCK, HitRows, with_rows};
use crate::driver::test::TestTable;
use crate::driver::threads::{Divide, Workers};
use crate::error::Error;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, Mask, Simd, WORD, split};
use crate::narrow::contact::contacts::{ContactSlices, Contacts};
use crate::narrow::contact::inner::{ClampContacts, MeshContacts};
use crate::narrow::contact::manifold::{ManifoldKernel, ManifoldRoutine};
use crate::narrow::contact::uneven::{FindUnevenContacts, UnevenContacts, are_uneven};
use crate::narrow::contact::writer::{Writer, most_contact_lanes};
use crate::narrow::overlap::overlaps::{Overlaps, Sweeps};
use crate::pairs::Pair;
use crate::shapes::form::Static;
use crate::shapes::point::Point;
use crate::shapes::raw_columns::Motion;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;
use crate::store::mesh::inner_edges::MeshTriangles;

impl Query for Contacts {
    type Table = ContactTable;
    type Out<'o> = &'o mut Contacts;
    const MOTION: Motion = Motion::None;

    fn answer(call: Call<'_>, table: &'static ContactTable, out: &mut Contacts) -> Answered {
        let (settings, stage) = (call.settings, Stage::of(&call));
        let shapes = call.find_hits(table.test, &mut out.masks)?;
        stage.write(table, shapes, None, out)?;
        Ok(out.masks.refused(settings))
    }
}

/// Sweeps, and the contacts of the hits at their time of entry.
pub struct SweepContacts;

impl Query for SweepContacts {
    type Table = SweepContactTable;
    type Out<'o> = (&'o mut Sweeps, &'o mut Contacts);
    const MOTION: Motion = Motion::Straight;

    fn answer(
        call: Call<'_>,
        table: &'static SweepContactTable,
        (sweeps, contacts): (&mut Sweeps, &mut Contacts),
    ) -> Answered {
        let (settings, stage) = (call.settings, Stage::of(&call));
        let mut shapes = call.find_hits(table.sweep, sweeps)?;
        // Sweeps and contacts read rows of different forms.
        shapes.rows = None;
        if contacts.masks.copy_from(&sweeps.masks).is_err() {
            *contacts = Contacts::new();
            return Err(Error::OutOfMemory {
                pairs: sweeps.len(),
            });
        }
        let times = Some(sweeps.enter());
        stage.write(table.contact, shapes, times, contacts)?;
        Ok(sweeps.masks.refused(settings))
    }
}

/// The contacts of hits that another query found.
pub struct HitContacts;

/// Found hits, and the output for their contacts.
pub struct FoundHits<'o> {
    /// A pair for each position; those that are no hits are not read.
    pub pairs: &'o [Pair],
    /// The time of contact of each position.
    pub enter: &'o [f32],
    /// The masks are those of the hits.
    pub contacts: &'o mut Contacts,
}

impl Query for HitContacts {
    type Table = ContactTable;
    type Out<'o> = FoundHits<'o>;
    const MOTION: Motion = Motion::Straight;

    fn answer(call: Call<'_>, table: &'static ContactTable, out: FoundHits<'_>) -> Answered {
        let stage = Stage::of(&call);
        let shapes = call.columns_of(out.pairs)?;
        stage.write(table, shapes, Some(out.enter), out.contacts)?;
        Ok(None)
    }
}

/// The table of the contacts of two shapes.
pub struct ContactTable {
    /// Finds the hits.
    pub test: &'static TestTable,
    /// Maximum number of points of a contact.
    pub points: usize,
    /// Whether a mesh clamps its normals.
    pub clamps: bool,
    pub find: fn(Simd, ContactJob<'_, '_>),
}

impl<A: ManifoldKernel<B> + Supports<Overlaps, B>, B: Shape> TableOf<Contacts, B> for A {
    const TABLE: ContactTable = ContactTable {
        test: <A as Supports<Overlaps, B>>::KERNEL.table,
        points: A::POINTS,
        clamps: A::CLAMPS,
        find: find::<A, B>,
    };
}

/// Contacts of points: the tests of points, and the kernel of spheres.
impl<B: Shape> TableOf<Contacts, B> for Point
where
    Point: Supports<Overlaps, B>,
    Sphere: ManifoldKernel<B>,
{
    const TABLE: ContactTable = ContactTable {
        test: <Point as Supports<Overlaps, B>>::KERNEL.table,
        points: <Sphere as ManifoldKernel<B>>::POINTS,
        clamps: <Sphere as ManifoldKernel<B>>::CLAMPS,
        find: find::<Sphere, B>,
    };
}

/// The tables of a sweep with contacts.
pub struct SweepContactTable {
    sweep: &'static TestTable,
    contact: &'static ContactTable,
}

impl<A: Supports<Sweeps, B> + Supports<Contacts, B>, B: Shape> Supports<SweepContacts, B> for A {
    const KERNEL: Kernel<SweepContacts> = Kernel {
        table: &SweepContactTable {
            sweep: <A as Supports<Sweeps, B>>::KERNEL.table,
            contact: <A as Supports<Contacts, B>>::KERNEL.table,
        },
        swapped: <A as Supports<Contacts, B>>::KERNEL.swapped,
    };
}

/// Inputs of the stage that do not depend on the shapes.
struct Stage<'s> {
    workers: Workers<'s>,
    margin: f32,
    swapped: bool,
}

impl<'s> Stage<'s> {
    fn of(call: &Call<'s>) -> Self {
        Stage {
            workers: call.workers,
            margin: call.settings.margin,
            swapped: call.swapped,
        }
    }

    /// Writes the contacts of the hits, or empties the output if their memory cannot be allocated. `times` holds the time
    /// of contact of each pair; `None` is the start of the frame.
    fn write(
        self,
        table: &'static ContactTable,
        shapes: PairShapes<'_>,
        times: Option<&[f32]>,
        contacts: &mut Contacts,
    ) -> Result<(), Error> {
        let Stage {
            workers,
            margin,
            swapped,
        } = self;
        let pairs = contacts.len();
        let meshes = shapes
            .columns
            .map(|columns| MeshTriangles::of(columns).filter(|_| table.clamps));
        let has_inner = meshes.iter().any(Option::is_some);
        let Ok(out) = contacts.make_room(table.points, has_inner) else {
            *contacts = Contacts::new();
            return Err(Error::OutOfMemory { pairs });
        };
        let job = ContactJob {
            shapes,
            times,
            swapped,
            margin,
            meshes,
            out,
        };
        let grain = (8192 / table.points) >> if table.test.is_slow { 4 } else { 0 };
        workers.divide(job, grain, table.find);
        Ok(())
    }
}

/// Computes the contacts of some hits.
pub struct ContactJob<'a, 's> {
    pub shapes: PairShapes<'s>,
    pub times: Option<&'s [f32]>,
    pub swapped: bool,
    pub margin: f32,
    /// The meshes at whose inner edges normals are clamped.
    pub meshes: [Option<MeshTriangles<'s>>; 2],
    pub(crate) out: ContactSlices<'a>,
}

impl Divide for ContactJob<'_, '_> {
    split! { len: out, out: slice, shapes: shared, times: shared, swapped: shared, margin: shared, meshes: shared }
}

/// Computes the contacts of some hits by the kernel of `A` and `B`.
pub fn find<A: ManifoldKernel<B>, B: Shape>(simd: Simd, job: ContactJob<'_, '_>) {
    with_rows(job.shapes, job.len(), false, |mut hits| {
        let swapped = job.swapped;
        let [_, mesh] = job.meshes;
        let mesh = mesh.map(|mesh| MeshContacts {
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
            let (mut uneven, mut count) = ([0; BLOCK], 0);
            let (rows, staged) = match job.times {
                None => hits.stage(lanes, block),
                Some(times) => hits.stage_at(lanes, block, times),
            };
            for word in staged.chunks(WORD) {
                let batch = rows.gathered(word, &mut scratch);
                let (mut bits, mut at) = (0, 0);
                while at < word.len() {
                    let ((a, b), _bad) = batch.load::<Separate, L>(lanes, at, margin);
                    if const { !A::IS_FINE } {
                        bits |= are_uneven::<L, A, B>(lanes, a, b, margin).bits() << at;
                    }
                    // One-point kernels are inlined: returning the manifold costs more than computing it.
                    let manifold = if const { A::POINTS == 1 } {
                        A::manifold(lanes, a, b, margin)
                    } else {
                        lanes.call::<ManifoldRoutine<A, B>>((a, b, margin))
                    };
                    writer.store(lanes, first + at, manifold);
                    at += L::COUNT;
                }
                bits &= u64::MAX >> (WORD - word.len());
                while bits != 0 {
                    uneven[count] = first as u32 + bits.trailing_zeros();
                    bits &= bits - 1;
                    count += 1;
                }
                first += word.len();
            }
            if count > 0 {
                lanes
                    .doubles()
                    .call::<FindUnevenContacts<'_, '_, '_, A, B>>(UnevenContacts {
                        columns: hits.columns(),
                        times: job.times,
                        margin: job.margin,
                        places: &uneven[..count],
                        normals: None,
                        writer: &mut writer,
                    });
            }
        }
        writer.out
    }
}
