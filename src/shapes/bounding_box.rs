//! Bounding boxes of shapes, and of blocks of shapes.

use wide::f32x4;

use crate::lane::{Float, Lanes, MAX_LANES, Vec3};

/// The AABB of one shape per lane, to within a few roundings.
#[derive(Clone, Copy)]
pub struct BoundingBox<F> {
    pub low: Vec3<F>,
    pub high: Vec3<F>,
}

impl<F: Float> BoundingBox<F> {
    /// The AABB of a sphere.
    #[inline(always)]
    pub fn of_sphere(center: Vec3<F>, radius: F) -> Self {
        let (low, high) = (center, center);
        BoundingBox { low, high }.grown(radius)
    }

    /// The box expanded by `by` on each side.
    #[inline(always)]
    pub fn grown(self, by: F) -> Self {
        let by = Vec3([by; 3]);
        BoundingBox {
            low: self.low - by,
            high: self.high + by,
        }
    }

    /// The AABB of both boxes.
    #[inline(always)]
    pub fn union(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.low.0, other.low.0);
        let low = Vec3([ax.min(bx), ay.min(by), az.min(bz)]);
        let ([ax, ay, az], [bx, by, bz]) = (self.high.0, other.high.0);
        let high = Vec3([ax.max(bx), ay.max(by), az.max(bz)]);
        BoundingBox { low, high }
    }

    /// The AABB of the box swept along a displacement.
    #[inline(always)]
    pub fn swept(self, displacement: Vec3<F>) -> Self {
        self.union(BoundingBox {
            low: self.low + displacement,
            high: self.high + displacement,
        })
    }
}

impl<F: Float> BoundingBox<F> {
    /// The AABB of the boxes in all lanes.
    #[inline(always)]
    pub fn across<L: Lanes<F = F>>(self, lanes: L) -> BoundingBox<f32> {
        let ([ax, ay, az], [bx, by, bz]) = (self.low.0, (-self.high).0);
        BoundingBox {
            low: Vec3([least(lanes, ax), least(lanes, ay), least(lanes, az)]),
            high: -Vec3([least(lanes, bx), least(lanes, by), least(lanes, bz)]),
        }
    }
}

/// The minimum over all lanes.
#[inline(always)]
fn least<L: Lanes>(lanes: L, x: L::F) -> f32 {
    let mut all = [f32::INFINITY; MAX_LANES];
    lanes.store(x, &mut all);
    // Four at a time: a scalar loop makes block boxes 20 % slower (notes: figures moved from the source).
    let [p, q, r, s]: [f32x4; MAX_LANES / 4] = bytemuck::must_cast(all);
    let [a, b, c, d] = p.fast_min(q).fast_min(r.fast_min(s)).to_array();
    Float::min(Float::min(a, b), Float::min(c, d))
}

impl BoundingBox<f32> {
    /// The unbounded box.
    pub const fn around_all() -> Self {
        BoundingBox {
            low: Vec3([f32::NEG_INFINITY; 3]),
            high: Vec3([f32::INFINITY; 3]),
        }
    }

    /// Broadcasts the box to all lanes.
    #[inline(always)]
    pub fn splat<L: Lanes>(self, lanes: L) -> BoundingBox<L::F> {
        let ([ax, ay, az], [bx, by, bz]) = (self.low.0, self.high.0);
        BoundingBox {
            low: Vec3([lanes.splat(ax), lanes.splat(ay), lanes.splat(az)]),
            high: Vec3([lanes.splat(bx), lanes.splat(by), lanes.splat(bz)]),
        }
    }
}

/// Block AABBs: one for each word of 64 shapes, stored as columns.
#[derive(Clone, Copy)]
pub struct BlockBoxes {
    low: [[f32; Self::COUNT]; 3],
    high: [[f32; Self::COUNT]; 3],
}

impl BlockBoxes {
    /// Number of boxes.
    pub const COUNT: usize = MAX_LANES;

    /// Loads one box per lane, starting at word `at`.
    #[inline(always)]
    pub fn load<L: Lanes>(&self, lanes: L, at: usize) -> BoundingBox<L::F> {
        let [ax, ay, az] = &self.low;
        let [bx, by, bz] = &self.high;
        BoundingBox {
            low: Vec3([
                lanes.load(&ax[at..]),
                lanes.load(&ay[at..]),
                lanes.load(&az[at..]),
            ]),
            high: Vec3([
                lanes.load(&bx[at..]),
                lanes.load(&by[at..]),
                lanes.load(&bz[at..]),
            ]),
        }
    }

    /// Replaces the box of word `at`.
    pub fn set(&mut self, at: usize, BoundingBox { low, high }: BoundingBox<f32>) {
        for (to, x) in self.low.iter_mut().zip(low.0) {
            to[at] = x;
        }
        for (to, x) in self.high.iter_mut().zip(high.0) {
            to[at] = x;
        }
    }
}

impl Default for BlockBoxes {
    /// Unbounded boxes.
    fn default() -> Self {
        BlockBoxes {
            low: [[f32::NEG_INFINITY; Self::COUNT]; 3],
            high: [[f32::INFINITY; Self::COUNT]; 3],
        }
    }
}
