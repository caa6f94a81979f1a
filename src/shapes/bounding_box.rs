//! Bounding boxes of shapes.

use crate::lane::{Float, Vec3};

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
