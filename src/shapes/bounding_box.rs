//! Boxes along the axes around shapes.

use crate::lane::{Float, Lanes, Vec3};

/// A box along the axes around a shape in each lane, but for a few roundings.
#[derive(Clone, Copy)]
pub struct BoundingBox<F> {
    pub low: Vec3<F>,
    pub high: Vec3<F>,
}

impl<F: Float> BoundingBox<F> {
    /// Around a ball.
    #[inline(always)]
    pub fn of_ball(center: Vec3<F>, radius: F) -> Self {
        let (low, high) = (center, center);
        BoundingBox { low, high }.grown(radius)
    }

    /// Around one or both.
    #[inline(always)]
    pub fn around(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(a.union(b)),
            (a, b) => a.or(b),
        }
    }

    /// By so much on each side.
    #[inline(always)]
    pub fn grown(self, by: F) -> Self {
        let by = Vec3([by; 3]);
        BoundingBox {
            low: self.low - by,
            high: self.high + by,
        }
    }

    /// Around both.
    #[inline(always)]
    pub fn union(self, other: Self) -> Self {
        let ([ax, ay, az], [bx, by, bz]) = (self.low.0, other.low.0);
        let low = Vec3([ax.min(bx), ay.min(by), az.min(bz)]);
        let ([ax, ay, az], [bx, by, bz]) = (self.high.0, other.high.0);
        let high = Vec3([ax.max(bx), ay.max(by), az.max(bz)]);
        BoundingBox { low, high }
    }

    /// Around all the way that a displacement leads.
    #[inline(always)]
    pub fn swept(self, displacement: Vec3<F>) -> Self {
        self.union(BoundingBox {
            low: self.low + displacement,
            high: self.high + displacement,
        })
    }
}

impl BoundingBox<f32> {
    /// The same in each lane.
    #[inline(always)]
    pub fn splat<L: Lanes>(self, lanes: L) -> BoundingBox<L::F> {
        let ([ax, ay, az], [bx, by, bz]) = (self.low.0, self.high.0);
        BoundingBox {
            low: Vec3([lanes.splat(ax), lanes.splat(ay), lanes.splat(az)]),
            high: Vec3([lanes.splat(bx), lanes.splat(by), lanes.splat(bz)]),
        }
    }
}
