//! Planes and half-spaces: a normal and an offset.

use crate::error::{Defect, number_defect};
use crate::lane::{Float, Lanes, One, Vec3};
use crate::limits::MAX_LENGTH;
use crate::shapes::form::Moving;
use crate::shapes::shape::Shape;

/// A plane: the points with `normal · p + d = 0`. It is two-sided.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Plane {
    /// Vector perpendicular to the plane, of any nonzero length.
    pub normal: [f32; 3],
    /// The offset, in units of the normal's length.
    pub d: f32,
}

/// A half-space: the points with `normal · p + d <= 0`, solid below its surface.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HalfSpace {
    /// Vector out of the solid, of any nonzero length.
    pub normal: [f32; 3],
    /// The offset, in units of the normal's length.
    pub d: f32,
}

/// The columns of [`Planes`](crate::Planes) and [`HalfSpaces`](crate::HalfSpaces): element `i` belongs to plane `i`.
#[derive(Clone, Copy, Debug)]
pub struct PlaneColumns<C> {
    /// x, y and z of the normals.
    pub normal: [C; 3],
    /// The offsets.
    pub d: C,
    /// x, y and z of the displacements during the frame.
    pub displacement: [C; 3],
}

/// One plane or half-space per lane, scaled by a power of two so that the largest coordinate of the
/// normal lies in `0.5..1`.
///
/// # Error bounds
///
/// The scale is a product of two powers of two, `first` and `second`. The largest coordinate is
/// scaled exactly: by `first` into 2⁻⁴⁹..2²⁸ if it was beyond 2^±100, then by `second`. Both are normal
/// numbers.
///
/// - Underflow: another number is off only if it becomes subnormal, by at most 2⁻¹⁵⁰ each time. The
///   first step underflows only for `first` < 1, and then `second` ≤ 1/2 halves that error. So each
///   coordinate and d has an absolute error of at most 2⁻¹⁵⁰ + 2⁻¹⁵¹ < 2⁻¹⁴⁹, while the normal has
///   length 1/2 ≤ |n| < √3. For coordinates of at most 2⁶¹ the plane is off by less than 2⁻⁸⁰, which
///   the floor of the kernels' bounds covers.
/// - Overflow: scaling only brings normals to below 1. If d overflows at the first step, `second` ≥ 1.
///   So whenever d overflows, its exact scaled value is 2¹²⁸ or more, and invalid as well. A valid d has
///   |d| ≤ 2⁶⁰ after scaling: the plane is at most 2⁶¹ from the origin.
/// - `length`: squares and their two sums make |n|² (1 + θ), |θ| ≤ γ₃ = 3 u / (1 − 3 u), where squares
///   that underflow lose 2⁻¹⁵⁰ of at least 1/4. The root halves θ and is rounded: (2.5 u + 7 u²) |n|
///   at most, which is below 3 u |n|.
#[derive(Clone, Copy)]
pub struct WidePlane<F> {
    pub normal: Vec3<F>,
    pub d: F,
    /// The normal's length, within 3 u of it.
    pub length: F,
}

/// A [`Plane`] or a [`HalfSpace`]: one kernel per query serves both.
pub trait Surface: Shape<FullMotion = Moving<Self>> {
    /// Whether the side below the surface is solid.
    const IS_SOLID: bool;

    /// The boundary of the surface.
    fn plane<F: Float>(surface: Self::Wide<F>) -> WidePlane<F>;
}

/// `-(normal · point)`, summed in order.
const fn offset_through(point: [f32; 3], normal: [f32; 3]) -> f32 {
    -(normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2])
}

/// `(b - a) × (c - a)`
const fn normal_through(a: [f32; 3], b: [f32; 3], c: [f32; 3]) -> [f32; 3] {
    let (u, v) = (
        [b[0] - a[0], b[1] - a[1], b[2] - a[2]],
        [c[0] - a[0], c[1] - a[1], c[2] - a[2]],
    );
    [
        u[1] * v[2] - u[2] * v[1],
        u[2] * v[0] - u[0] * v[2],
        u[0] * v[1] - u[1] * v[0],
    ]
}

macro_rules! plane_shape {
    ($shape:ident, $is_solid:literal, $what:literal, $side:literal) => {
        impl $shape {
            #[doc = concat!("The ", $what, " with this `normal`, of any nonzero length, and offset `d`.")]
            ///
            /// ```
            #[doc = concat!("use phalanx::", stringify!($shape), ";")]
            ///
            /// // At height 2.
            #[doc = concat!("let floor = ", stringify!($shape), "::new([0.0, 1.0, 0.0], -2.0);")]
            #[doc = concat!("assert_eq!(floor, ", stringify!($shape), "::from_point_normal([5.0, 2.0, 7.0], [0.0, 1.0, 0.0]));")]
            /// ```
            #[inline]
            pub fn new(normal: impl Into<[f32; 3]>, d: f32) -> Self {
                $shape {
                    normal: normal.into(),
                    d,
                }
            }

            #[doc = concat!("The ", $what, " through `point` with this `normal`. `d` is rounded.")]
            pub const fn from_point_normal(point: [f32; 3], normal: [f32; 3]) -> Self {
                $shape {
                    normal,
                    d: offset_through(point, normal),
                }
            }

            #[doc = concat!("The ", $what, " through three points, ", $side)]
            /// Its numbers are rounded. Collinear points make an invalid shape, with a normal of zero.
            pub const fn from_points(a: [f32; 3], b: [f32; 3], c: [f32; 3]) -> Self {
                Self::from_point_normal(a, normal_through(a, b, c))
            }
        }

        impl Shape for $shape {
            type Fields<X: Send + Sync> = [X; 4];
            type Columns<C> = PlaneColumns<C>;
            type Wide<F: Float> = WidePlane<F>;
            type Row = [f32; 8];
            type MovingRow = [f32; 8];
            type Turn<X: Send + Sync> = [X; 0];
            type FullMotion = Moving<Self>;
            type Stored = Self;
            const ROW: usize = 5;

            fn columns<C: Send + Sync>(
                [x, y, z, d]: [C; 4],
                displacement: [C; 3],
                _turn: [C; 0],
            ) -> PlaneColumns<C> {
                PlaneColumns {
                    normal: [x, y, z],
                    d,
                    displacement,
                }
            }

            fn fields<C: Send + Sync>(columns: PlaneColumns<C>) -> ([C; 4], [C; 3], [C; 0]) {
                let [x, y, z] = columns.normal;
                ([x, y, z, columns.d], columns.displacement, [])
            }

            fn defect(&self) -> Option<Defect> {
                defect(self.normal, self.d)
            }

            #[inline]
            fn translated(self, by: [f32; 3]) -> Self {
                $shape {
                    d: self.d + offset_through(by, self.normal),
                    ..self
                }
            }

            #[inline(always)]
            fn prepare<L: Lanes>(lanes: L, fields: [L::F; 4]) -> (WidePlane<L::F>, L::M) {
                prepare(lanes, fields)
            }

            #[inline(always)]
            fn wide_size<F: Float>(plane: WidePlane<F>) -> F {
                plane.d.masked(plane.d.lt(plane.d))
            }

            #[inline(always)]
            fn wide_place<F: Float>(_plane: WidePlane<F>) -> Option<Vec3<F>> {
                None
            }

            #[inline(always)]
            fn to_row<F: Float>(plane: WidePlane<F>, row: &mut [F]) {
                row[..3].copy_from_slice(&plane.normal.0);
                row[3] = plane.d;
                row[4] = plane.length;
            }

            #[inline(always)]
            fn from_row<F: Float>(row: &[F]) -> WidePlane<F> {
                WidePlane {
                    normal: Vec3([row[0], row[1], row[2]]),
                    d: row[3],
                    length: row[4],
                }
            }
        }

        impl Surface for $shape {
            const IS_SOLID: bool = $is_solid;

            #[inline(always)]
            fn plane<F: Float>(surface: WidePlane<F>) -> WidePlane<F> {
                surface
            }
        }
    };
}

plane_shape!(
    Plane,
    false,
    "plane",
    "counterclockwise as seen from the side that its normal points to."
);
plane_shape!(
    HalfSpace,
    true,
    "half-space",
    "counterclockwise as seen from outside."
);

fn defect(normal: [f32; 3], d: f32) -> Option<Defect> {
    if normal == [0.0; 3] {
        return Some(Defect::ZeroNormal);
    }
    let numbers = number_defect("normal", &normal).or_else(|| number_defect("d", &[d]));
    numbers.or_else(|| {
        let [x, y, z] = normal;
        let (plane, good) = prepare(One, [x, y, z, d]);
        // `d` for a unit normal.
        let value = plane.d / plane.length;
        (!good).then_some(Defect::TooLarge {
            field: "d",
            index: None,
            value,
        })
    })
}

/// 2¹⁰⁰ and 2⁻¹⁰⁰: bring any normal into the range of the second scaling.
const FAR: (f32, f32) = ((1u128 << 100) as f32, 1.0 / (1u128 << 100) as f32);

#[inline(always)]
fn prepare<L: Lanes>(lanes: L, [x, y, z, d]: [L::F; 4]) -> (WidePlane<L::F>, L::M) {
    let zero = lanes.splat(0.0);
    let normal = Vec3([x, y, z]);
    let largest = normal.abs().largest();
    let good = lanes.are_within([x, y, z], f32::MAX) & zero.lt(largest);

    // Two powers of two: one alone may be out of range. Scaling is exact except for numbers that become
    // subnormal, which are 2⁻¹⁰⁰ of the others.
    let (high, low) = (lanes.splat(FAR.0), lanes.splat(FAR.1));
    let first = high.select(
        largest.lt(low),
        low.select(high.lt(largest), lanes.splat(1.0)),
    );
    let second = (largest * first).recip_pow2();
    let normal = normal * first * second;
    let d = d * first * second;
    let length = normal.dot(normal).sqrt();
    let good = good & d.abs().le(lanes.splat(MAX_LENGTH));
    (WidePlane { normal, d, length }, good)
}

const _: () = assert!(size_of::<Plane>() == 16 && size_of::<HalfSpace>() == 16);

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn plane_constructors_return_normal_and_offset() {
        let plane = Plane::from_points([0., 0., 2.], [1., 0., 2.], [0., 1., 2.]);
        assert_eq!(
            plane,
            Plane {
                normal: [0., 0., 1.],
                d: -2.
            }
        );
        let ground = HalfSpace::from_point_normal([5., 3., 1.], [0., 2., 0.]);
        assert_eq!(
            ground,
            HalfSpace {
                normal: [0., 2., 0.],
                d: -6.
            }
        );
    }

    #[test]
    fn plane_with_normal_of_any_length_is_valid() {
        for length in [1e-45, 1e-38, 1e-20, 0.3, 1.0, 1e20, 3e38] {
            let (lanes, good) = prepare(One, [0.0, -length, 0.0, length]);
            assert!(good, "{length:e}");
            assert!((0.5..1.0).contains(&-lanes.normal.0[1]), "{length:e}");
            assert_eq!(
                (lanes.d, lanes.length),
                (-lanes.normal.0[1], lanes.d),
                "{length:e}"
            );
        }
    }

    #[test]
    fn plane_defect_matches_prepare() {
        let plane = |normal, d| Plane { normal, d };
        for (bad, defect) in [
            (plane([0.0, -0.0, 0.0], 1.0), "normal is zero"),
            (
                plane([0.0, f32::NAN, 0.0], 1.0),
                "normal[1] is NaN, not finite",
            ),
            (
                plane([0.0, 1.0, f32::INFINITY], 1.0),
                "normal[2] is inf, not finite",
            ),
            (plane([0.0, 1.0, 0.0], f32::NAN), "d is NaN, not finite"),
            (
                plane([0.0, 2f32.powi(-100), 0.0], 1.0),
                "d is 1.2676506e30, above 1.1529215e18",
            ),
            (
                plane([0.0, 1e-45, 0.0], 1.0),
                "d is inf, above 1.1529215e18",
            ),
        ] {
            let [x, y, z] = bad.normal;
            assert_eq!(bad.defect().unwrap().to_string(), defect);
            assert!(!prepare(One, [x, y, z, bad.d]).1);
        }
    }
}
