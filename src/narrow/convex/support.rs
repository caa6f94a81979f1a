//! Support points of hulls, and columns of vectors.

use core::marker::PhantomData;

use crate::lane::{Float, Lanes, MAX_LANES, Mask, Routine, Vec3};
use crate::store::hull::kinds::PointBlock;

/// One number per lane.
pub type Column = [f32; MAX_LANES];

/// [`farthest`], compiled once for each instruction set.
pub struct Farthest<'k>(PhantomData<&'k ()>);

impl<'k, L: Lanes> Routine<L> for Farthest<'k> {
    type Argument = (&'k [PointBlock], [f32; 3]);
    type Output = (usize, [f32; 3]);

    #[inline(always)]
    fn run(lanes: L, (blocks, d): Self::Argument) -> Self::Output {
        farthest(lanes, blocks, d)
    }
}

/// The point with the largest p·d, the first of equal ones, and its index.
#[inline(always)]
pub fn farthest<L: Lanes>(lanes: L, blocks: &[PointBlock], d: [f32; 3]) -> (usize, [f32; 3]) {
    match blocks {
        [a] => farthest_of(lanes, [a], d),
        [a, b] => farthest_of(lanes, [a, b], d),
        [a, b, c] => farthest_of(lanes, [a, b, c, c], d),
        [a, b, c, d_, ..] => farthest_of(lanes, [a, b, c, d_], d),
        [] => (0, [0.0; 3]),
    }
}

#[inline(always)]
fn farthest_of<L: Lanes, const N: usize>(
    lanes: L,
    blocks: [&PointBlock; N],
    [x, y, z]: [f32; 3],
) -> (usize, [f32; 3]) {
    let (x, y, z) = (lanes.splat(x), lanes.splat(y), lanes.splat(z));
    // Of a block, as many vectors as its points take.
    let mut values = [[lanes.splat(f32::NEG_INFINITY); 16]; N];
    let mut most = lanes.splat(f32::NEG_INFINITY);
    let mut block = 0;
    while block < N {
        let [px, py, pz] = blocks[block];
        let mut k = 0;
        while k < 16 / L::COUNT {
            let at = k * L::COUNT;
            let value =
                lanes.load(&px[at..]) * x + lanes.load(&py[at..]) * y + lanes.load(&pz[at..]) * z;
            values[block][k] = value;
            most = value.max(most);
            k += 1;
        }
        block += 1;
    }
    let most = lanes.splat(lanes.largest(most));
    let mut are_most = 0;
    let mut block = 0;
    while block < N {
        let mut k = 0;
        while k < 16 / L::COUNT {
            are_most |= most.le(values[block][k]).bits() << (block * 16 + k * L::COUNT);
            k += 1;
        }
        block += 1;
    }
    let k = are_most.trailing_zeros() as usize % 64;
    // N is a power of two.
    let [px, py, pz] = blocks[k / 16 % N];
    (k, [px[k % 16], py[k % 16], pz[k % 16]])
}

/// Vectors of a frame, given its axes.
#[inline(always)]
pub fn turned<F: Float>([u, v, w]: [Vec3<F>; 3], local: Vec3<F>) -> Vec3<F> {
    let [x, y, z] = local.0;
    u * x + v * y + w * z
}

/// Vectors of columns.
#[inline(always)]
pub fn load<L: Lanes>(lanes: L, [x, y, z]: &[Column; 3]) -> Vec3<L::F> {
    Vec3([lanes.load(x), lanes.load(y), lanes.load(z)])
}

/// Axes in vectors.
#[inline(always)]
pub fn axes_of<L: Lanes>(lanes: L, axes: &[[Column; 3]; 3]) -> [Vec3<L::F>; 3] {
    [
        load(lanes, &axes[0]),
        load(lanes, &axes[1]),
        load(lanes, &axes[2]),
    ]
}
