//! Validity of shapes, derived from the documentation and not from the code.

use phalanx::traits::Shape;
use phalanx::{
    Aabb, Capsule, Error, HalfSpace, MAX_LENGTH, Obb, Plane, Point, Sphere, Store, Triangle,
};

use super::scene::{as_length, as_size};

/// A shape with an expected validity.
pub trait Expected: Shape {
    /// Whether the shape is valid; `None` so near to the limit that rounding decides.
    fn good(&self) -> Option<bool>;
    /// Makes the shape valid.
    fn mend(&mut self);
}

/// The invalid shapes of a store for a verb. Also checks `validate`.
pub fn bad<T: Expected>(store: &Store<T>, moves: bool) -> Vec<bool> {
    let shapes: Vec<(bool, bool)> = (0..store.len() as u32)
        .map(|index| {
            let shape = store.get(index).unwrap();
            let alone = || Store::from_slice(&[shape]).validate().is_ok();
            let displacement = store.displacement(index).unwrap();
            (
                !shape.good().unwrap_or_else(alone),
                !displacement.iter().all(is_length),
            )
        })
        .collect();
    let first = shapes.iter().position(|(shape, motion)| shape | motion);
    let named = match store.validate() {
        Ok(()) => None,
        Err(Error::BadShape { index, .. }) => Some(index as usize),
        Err(other) => panic!("{other:?}"),
    };
    assert_eq!(named, first, "{store:?}");
    let bad = |(shape, motion)| shape || moves && motion;
    shapes.into_iter().map(bad).collect()
}

fn is_length(x: &f32) -> bool {
    x.is_finite() && x.abs() <= MAX_LENGTH
}

fn is_size(x: &f32) -> bool {
    is_length(x) && *x >= 0.0
}

/// Without overflow or underflow.
fn norm(numbers: &[f32]) -> f64 {
    let squares = numbers.iter().map(|x| f64::from(*x) * f64::from(*x));
    squares.sum::<f64>().sqrt()
}

impl Expected for Point {
    fn good(&self) -> Option<bool> {
        Some(self.position.iter().all(is_length))
    }

    fn mend(&mut self) {
        self.position = self.position.map(as_length);
    }
}

impl Expected for Sphere {
    fn good(&self) -> Option<bool> {
        Some(self.center.iter().all(is_length) && is_size(&self.radius))
    }

    fn mend(&mut self) {
        self.center = self.center.map(as_length);
        self.radius = as_size(self.radius);
    }
}

impl Expected for Capsule {
    fn good(&self) -> Option<bool> {
        let segment = self.center.iter().chain(&self.half_axis);
        Some(segment.copied().all(|x| is_length(&x)) && is_size(&self.radius))
    }

    fn mend(&mut self) {
        self.center = self.center.map(as_length);
        self.half_axis = self.half_axis.map(as_length);
        self.radius = as_size(self.radius);
    }
}

impl Expected for Triangle {
    fn good(&self) -> Option<bool> {
        Some(self.corners.as_flattened().iter().all(is_length))
    }

    fn mend(&mut self) {
        self.corners = self.corners.map(|corner| corner.map(as_length));
    }
}

impl Expected for Aabb {
    fn good(&self) -> Option<bool> {
        let ordered = (0..3).all(|axis| self.min[axis] <= self.max[axis]);
        Some(ordered && self.min.iter().chain(&self.max).all(is_length))
    }

    fn mend(&mut self) {
        let (p, q) = (self.min.map(as_length), self.max.map(as_length));
        self.min = [0, 1, 2].map(|axis| p[axis].min(q[axis]));
        self.max = [0, 1, 2].map(|axis| p[axis].max(q[axis]));
    }
}

impl Expected for Obb {
    fn good(&self) -> Option<bool> {
        let lengths = self.center.iter().all(is_length) && self.half_extents.iter().all(is_size);
        if !lengths || !self.rotation.iter().all(|x| x.is_finite()) {
            return Some(false);
        }
        let off = (norm(&self.rotation) - 1.0).abs();
        // A sum of four squares in f32 is off by 3e-7 at most.
        ((off - 1e-3).abs() > 1e-6).then_some(off < 1e-3)
    }

    fn mend(&mut self) {
        self.center = self.center.map(as_length);
        self.half_extents = self.half_extents.map(as_size);
        let length = norm(&self.rotation);
        self.rotation = if length.is_finite() && length > 0.0 {
            self.rotation.map(|x| (f64::from(x) / length) as f32)
        } else {
            [0.0, 0.0, 0.0, 1.0]
        };
    }
}

/// Planes are given in units of the normal's length. The kernels use its largest coordinate, rounded up to a power of
/// two, so the validity limit holds only up to that factor.
fn good_plane(normal: &[f32; 3], d: f32) -> Option<bool> {
    if !normal.iter().all(|x| x.is_finite()) || *normal == [0.0; 3] || !d.is_finite() {
        return Some(false);
    }
    let distance = f64::from(d).abs() / norm(normal);
    let limit = f64::from(MAX_LENGTH);
    if distance <= limit / 2.0 {
        Some(true)
    } else if distance > limit * 2.0 {
        Some(false)
    } else {
        None
    }
}

fn mend_plane(normal: &mut [f32; 3], d: &mut f32) {
    *normal = normal.map(|x| if x.is_finite() { x } else { 0.0 });
    if *normal == [0.0; 3] {
        normal[2] = 1.0;
    }
    if good_plane(normal, *d) != Some(true) {
        *d = 0.0;
    }
}

impl Expected for Plane {
    fn good(&self) -> Option<bool> {
        good_plane(&self.normal, self.d)
    }

    fn mend(&mut self) {
        mend_plane(&mut self.normal, &mut self.d);
    }
}

impl Expected for HalfSpace {
    fn good(&self) -> Option<bool> {
        good_plane(&self.normal, self.d)
    }

    fn mend(&mut self) {
        mend_plane(&mut self.normal, &mut self.d);
    }
}
