//! Convex hulls, exactly: the distance of their nearest faces, at any time of the frame.
//!
//! Each one to four points of a hull are taken as a face, so nothing is assumed about which of them are.

use dashu_int::IBig;
use phalanx::Hull;

use super::distances::{Core, Cored};
use super::exact::{Scale, Vec3, abs, ratio, sq};
use super::planes::Surface;
use super::segments::Squared;

/// A shape that is searched with hulls.
pub trait Side {
    /// All lengths.
    fn numbers(&self) -> Vec<f32>;
    /// The number by which the core's coordinates are multiplied.
    fn unit(&self, scale: Scale) -> IBig;
    /// The core at an offset, in units of half the scale and of `whole`, a multiple of the unit.
    fn core_at(&self, scale: Scale, whole: &IBig, offset: &Vec3) -> Core;
    /// The radius.
    fn radius(&self) -> f32;
    /// Center and sum of lengths.
    fn size(&self) -> ([f64; 3], f64);
}

/// A hull with the points and the radius of its kind.
#[derive(Clone, Debug)]
pub struct Points {
    pub hull: Hull,
    pub points: Vec<[f32; 3]>,
    pub radius: f32,
}

impl Points {
    /// The rows of the rotation matrix and its denominator.
    fn rotation(&self) -> ([Vec3; 3], IBig) {
        let scale = Scale::of(&self.hull.rotation);
        let [x, y, z, w] = self.hull.rotation.map(|q| scale.int(q));
        let (xx, yy, zz, ww) = (sq(&x), sq(&y), sq(&z), sq(&w));
        let two = |p: IBig| p * 2;
        let rows = [
            [
                &ww + &xx - &yy - &zz,
                two(&x * &y - &w * &z),
                two(&x * &z + &w * &y),
            ],
            [
                two(&x * &y + &w * &z),
                &ww + &yy - &xx - &zz,
                two(&y * &z - &w * &x),
            ],
            [
                two(&x * &z - &w * &y),
                two(&y * &z + &w * &x),
                &ww + &zz - &xx - &yy,
            ],
        ];
        (rows.map(Vec3), xx + yy + zz + ww)
    }

    /// The corners in units of half the scale and of `whole`.
    fn corners(&self, scale: Scale, whole: &IBig) -> Vec<Vec3> {
        let (rows, unit) = self.rotation();
        let center = &scale.vec(self.hull.center) * &(whole * 2);
        let factor = whole / unit * 2;
        let corner = |point: &[f32; 3]| {
            let point = scale.vec(*point);
            let turned = Vec3(rows.each_ref().map(|row| row.dot(&point)));
            &center + &(&turned * &factor)
        };
        self.points.iter().map(corner).collect()
    }
}

impl Side for Points {
    fn numbers(&self) -> Vec<f32> {
        let radius = [self.radius];
        [&self.hull.center[..], self.points.as_flattened(), &radius].concat()
    }
    fn unit(&self, _scale: Scale) -> IBig {
        self.rotation().1
    }
    fn core_at(&self, scale: Scale, whole: &IBig, offset: &Vec3) -> Core {
        let corners = self.corners(scale, whole);
        Core::of_points(corners.iter().map(|corner| corner + offset).collect())
    }
    fn radius(&self) -> f32 {
        self.radius
    }
    fn size(&self) -> ([f64; 3], f64) {
        let most = |axis: usize| {
            let coordinates = self.points.iter().map(|p| f64::from(p[axis].abs()));
            coordinates.fold(0.0, f64::max)
        };
        let lengths = most(0) + most(1) + most(2) + f64::from(self.radius);
        (self.hull.center.map(f64::from), lengths)
    }
}

impl<T: Cored> Side for T {
    fn numbers(&self) -> Vec<f32> {
        super::planes::Extent::numbers(self)
    }
    fn unit(&self, scale: Scale) -> IBig {
        self.core(scale).2
    }
    fn core_at(&self, scale: Scale, whole: &IBig, offset: &Vec3) -> Core {
        let (at, edges, unit) = self.core(scale);
        let at = &(&at * whole) + offset;
        Core::new(&at, &edges, &(whole / unit), T::IS_TRIANGLE)
    }
    fn radius(&self) -> f32 {
        Cored::radius_of(self)
    }
    fn size(&self) -> ([f64; 3], f64) {
        let lengths = if T::IS_TRIANGLE { 2.0 } else { 1.0 } * self.lengths();
        (
            self.anchors()[0],
            lengths + f64::from(Cored::radius_of(self)),
        )
    }
}

/// Two shapes at a time of the frame, B displaced relative to A.
pub struct Apart {
    squared: Squared,
    whole: IBig,
    scale: Scale,
    radii: [f32; 2],
}

impl Apart {
    /// The shapes at a time, while B moves by the difference of the displacements of A and B.
    pub fn at<A: Side, B: Side>(a: &A, b: &B, [of_a, of_b]: [[f32; 3]; 2], time: f32) -> Apart {
        let numbers = [a.numbers(), b.numbers(), of_a.to_vec(), of_b.to_vec()].concat();
        let scale = Scale::of(&numbers);
        let times = Scale::of(&[time, 1.0]);
        let both = a.unit(scale) * b.unit(scale);
        let whole = &both * times.one();
        let motion = &scale.vec(of_b) - &scale.vec(of_a);
        let moved = &motion * &(times.int(time) * &both * 2);
        let none = Vec3([IBig::ZERO, IBig::ZERO, IBig::ZERO]);
        let (first, second) = (
            a.core_at(scale, &whole, &none),
            b.core_at(scale, &whole, &moved),
        );
        Apart {
            squared: first.distance(&second),
            whole,
            scale,
            radii: [a.radius(), b.radius()],
        }
    }

    /// The distance, rounded: zero if the shapes touch.
    pub fn distance(&self) -> f64 {
        let halves = ratio(
            &self.squared.numerator,
            &(&self.squared.denominator * sq(&self.whole)),
        );
        let radii = self.radii.map(f64::from);
        (self.scale.f64(halves.sqrt() / 2.0) - radii[0] - radii[1]).max(0.0)
    }

    /// Whether a bound is at most the distance, and whether it is at least the distance.
    pub fn compared(&self, bound: f32) -> (bool, bool) {
        // Finer units, if the bound needs them.
        let lengths = [bound, self.radii[0], self.radii[1]];
        let reach = Scale::of(&lengths);
        let shift = self.scale.exponent() - reach.exponent();
        let (finer, coarser) = (shift.max(0) as usize, (-shift).max(0) as usize);
        let sum: IBig = lengths.iter().map(|x| reach.int(*x)).sum();
        let sum = sum << coarser;
        let apart = sq(&(sum * 2 * &self.whole)) * &self.squared.denominator;
        let squared = &self.squared.numerator << (2 * finer);
        (bound == 0.0 || apart <= squared, apart >= squared)
    }

    /// Whether the shapes touch.
    pub fn touch(&self) -> bool {
        self.compared(0.0).1
    }
}

/// A hull and a surface at a time: the distance, and whether they touch.
pub fn from_surface<S: Surface>(
    hull: &Points,
    surface: &S,
    [of_hull, of_surface]: [[f32; 3]; 2],
    time: f32,
) -> (f64, bool) {
    let (normal, d) = surface.plane();
    let numbers = [hull.numbers(), of_hull.to_vec(), of_surface.to_vec()].concat();
    let (scale, normals, heights) = (Scale::of(&numbers), Scale::of(&normal), Scale::of(&[d]));
    let times = Scale::of(&[time, 1.0]);
    let unit = hull.unit(scale);
    let whole = &unit * times.one();
    let n = normals.vec(normal);
    let shift = scale.exponent() + normals.exponent() - heights.exponent();
    let (finer, coarser) = if d == 0.0 {
        (0, 0)
    } else {
        (shift.max(0) as usize, (-shift).max(0) as usize)
    };
    let motion = &scale.vec(of_hull) - &scale.vec(of_surface);
    let moved = motion.dot(&n) * times.int(time) * &unit * 2;
    let d = (heights.int(d) << coarser) * 2 * &whole;
    let values = hull.corners(scale, &whole);
    let values: Vec<IBig> = values
        .iter()
        .map(|corner| ((corner.dot(&n) + &moved) << finer) + &d)
        .collect();
    let low = values.iter().min().unwrap().clone();
    let high = values.iter().max().unwrap().clone();
    let gap = if S::IS_SOLID { low } else { low.max(-high) };
    // The radius, in the same units: times the length of the normal.
    let radius = (scale.int(hull.radius) * 2 * &whole) << finer;
    let touch = gap <= IBig::ZERO || sq(&gap) <= sq(&radius) * n.length_sq();
    let squared = ratio(
        &sq(&abs(&gap)),
        &((n.length_sq() << (2 * finer)) * sq(&whole)),
    );
    let distance = if touch {
        0.0
    } else {
        (scale.f64(squared.sqrt() / 2.0) - f64::from(hull.radius)).max(0.0)
    };
    (distance, touch)
}
