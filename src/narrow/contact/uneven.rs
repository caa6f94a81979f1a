//! Contacts of shapes of uneven sizes, in `f64`.
//!
//! Errors of `f32` grow with the larger shape: those of a ball on a field are as long as the ball. So the kernel finds such
//! contacts once more, in lanes of `f64`, from the stored numbers.

use core::marker::PhantomData;

use crate::driver::rows::PairColumns;
use crate::lane::{Float, Lanes, MAX_LANES, Routine, Vec3, WORD, select, splat, unit};
use crate::narrow::contact::exit::pushed;
use crate::narrow::contact::manifold::ManifoldKernel;
use crate::narrow::contact::writer::Writer;
use crate::shapes::form::{PairLengths, Static};
use crate::shapes::shape::Shape;

/// The lanes whose shapes are of uneven sizes.
#[inline(always)]
pub fn are_uneven<L: Lanes, A: Shape, B: Shape>(
    lanes: L,
    a: A::Wide<L::F>,
    b: B::Wide<L::F>,
    margin: L::F,
) -> L::M {
    let lengths = PairLengths {
        sizes: [A::wide_size(a), B::wide_size(b)],
        distance: None,
        motion: None,
    };
    lengths.are_uneven(lanes, margin)
}

/// Contacts to find in `f64`.
pub struct UnevenContacts<'x, 'c, 'o, A: Shape, B: Shape> {
    pub columns: &'x PairColumns<'c, Static<A>, Static<B>>,
    pub times: Option<&'x [f32]>,
    pub margin: f32,
    /// Their places in the output.
    pub places: &'x [u32],
    /// Columns of their normals, if these are given, whole groups of lanes long.
    pub normals: Option<[&'x [f32]; 3]>,
    pub writer: &'x mut Writer<'o, A, B>,
}

/// Finds contacts and writes them to their places.
pub struct FindUnevenContacts<'x, 'c, 'o, A, B>(PhantomData<(&'x (), &'c (), &'o (), A, B)>);

impl<'x, 'c: 'x, 'o: 'x, A: ManifoldKernel<B>, B: Shape, D: Lanes> Routine<D>
    for FindUnevenContacts<'x, 'c, 'o, A, B>
{
    type Argument = UnevenContacts<'x, 'c, 'o, A, B>;
    type Output = ();

    #[inline(always)]
    fn run(lanes: D, uneven: UnevenContacts<'x, 'c, 'o, A, B>) {
        let writer = uneven.writer;
        let margin = lanes.splat(uneven.margin);
        for (word, places) in uneven.places.chunks(WORD).enumerate() {
            let (mut positions, mut scratch) = ([0; WORD], [[0; 2]; WORD]);
            for (position, &place) in positions.iter_mut().zip(places) {
                *position = writer.out.positions[place as usize];
            }
            let batch = uneven
                .columns
                .stored(&positions[..places.len()], &mut scratch);
            let mut at = 0;
            while at < places.len() {
                let mut to = [None; MAX_LANES];
                let mut times = [0.0; MAX_LANES];
                for (lane, &place) in places[at..].iter().take(D::COUNT).enumerate() {
                    to[lane] = Some(place as usize);
                    if let Some(all) = uneven.times {
                        times[lane] = all[positions[at + lane] as usize];
                    }
                }
                let (a, b) = match uneven.times {
                    None => batch.read(lanes, at),
                    Some(_) => batch.read_at(lanes, at, lanes.load(&times)),
                };
                let manifold = match uneven.normals.filter(|_| const { A::CLAMPS }) {
                    None => A::manifold(lanes, a, b, margin),
                    Some(normals) => {
                        let (first, [x, y, z]) = (word * WORD + at, normals);
                        let normal = [
                            lanes.load(&x[first..]),
                            lanes.load(&y[first..]),
                            lanes.load(&z[first..]),
                        ];
                        let (normal, _) = unit(lanes, Vec3(normal), splat(lanes, [0.0, 0.0, 1.0]));
                        let normal = snapped(lanes, normal, A::face_normal(lanes, b));
                        let exit = A::exit(lanes, a, b, -normal);
                        pushed::<D, A, B>(lanes, (a, b), margin, -normal, exit.length)
                    }
                };
                writer.scatter(lanes, &to, manifold);
                at += D::COUNT;
            }
        }
    }
}

/// Distance from the normal of a face below which a given normal stands for it: 2⁻²⁰, of the rounding to `f32`.
const SAME: f32 = 1.0 / (1 << 20) as f32;

/// The normal of the face, on the side of the given one, if that is its rounding.
#[inline(always)]
fn snapped<L: Lanes>(lanes: L, normal: Vec3<L::F>, face: Vec3<L::F>) -> Vec3<L::F> {
    let is_behind = normal.dot(face).lt(lanes.splat(0.0));
    let face = select(is_behind, -face, face);
    let off = normal - face;
    select(off.dot(off).lt(lanes.splat(SAME * SAME)), face, normal)
}
