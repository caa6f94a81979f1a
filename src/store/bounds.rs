//! Bounding boxes of stores.

use crate::lane::Simd;
use crate::shapes::bounds::{Bounded, During};
use crate::shapes::raw_columns::BoundsTo;
use crate::store::aliases::Aabbs;
use crate::store::store::{Shapes, Store, StoreRef};

impl<T: Bounded> Store<T> {
    /// Writes the bounding box of each shape, for use by any broad phase.
    ///
    /// Without a margin, the bounds of every pair that [`overlap`](crate::Detector::overlap) reports overlap.
    /// With [`During::Frame`], so do the bounds of every pair that [`sweep`](crate::Detector::sweep) or
    /// [`impact`](crate::Detector::impact) reports.
    ///
    /// Replaces the contents of `out` by one stationary box per shape. The boxes are tight to about 1e-4 of the
    /// shape's size and displacement, and clamped to [`MAX_LENGTH`](crate::MAX_LENGTH). The box of an invalid shape is NaN; an
    /// invalid displacement affects [`During::Frame`] only.
    ///
    /// ```
    /// use phalanx::{Aabbs, During, Sphere, Spheres};
    ///
    /// let mut spheres = Spheres::new();
    /// spheres.push_moving(Sphere { center: [0.0; 3], radius: 1.0 }, [5.0, 0.0, 0.0]);
    /// let mut bounds = Aabbs::new();
    /// spheres.bounds(During::Frame, &mut bounds);
    /// let around = bounds.get(0).unwrap();
    /// assert!(around.min[0] < -1.0 && 6.0 < around.max[0] && around.max[0] < 6.01);
    /// ```
    ///
    /// Planes and half-spaces are unbounded and have no bounding box:
    ///
    /// ```compile_fail,E0277
    /// # use phalanx::{Aabbs, During, Planes};
    /// Planes::new().bounds(During::Start, &mut Aabbs::new());
    /// ```
    pub fn bounds(&self, during: During, out: &mut Aabbs) {
        self.view().bounds(during, out);
    }
}

impl<T: Bounded> StoreRef<'_, T> {
    /// Writes the bounding box of each shape, see [`Store::bounds`].
    pub fn bounds(&self, during: During, out: &mut Aabbs) {
        out.resize(self.len());
        let columns = self.raw_columns().typed();
        let boxes = out.columns_mut();
        let ([ax, ay, az], [bx, by, bz]) = (boxes.min, boxes.max);
        for column in boxes.displacement {
            column.fill(0.0);
        }
        let to = BoundsTo::Columns([ax, ay, az, bx, by, bz]);
        T::write_bounds(&columns, during.motion(), Simd::best(), 0, to);
    }
}
