//! Triangles.

use crate::error::{Defect, length_defect};
use crate::lane::{Float, Lanes, Vec3, across, select, splat, unit};
use crate::math::dvec::DVec3;
use crate::math::exact;
use crate::shapes::bounding_box::BoundingBox;
use crate::shapes::bounds::{Bounded, write_bounds};
use crate::shapes::form::Moving;
use crate::shapes::raw_columns::BoundsOps;
use crate::shapes::shape::{Shape, in_range};

/// A triangle: the closed, two-sided set between three corners. Slivers, segments and points are valid.
///
/// Two triangles that share an edge leave no gap: each contains the edge, and no contact is missed. So no ray passes
/// between the triangles of a closed surface.
///
/// ```
/// use phalanx::{Detector, FirstHits, Point, Points, Triangle, Triangles};
///
/// // A square of two triangles, and a ray through their common edge.
/// let corner = |x, y| [x, y, 0.0];
/// let square = Triangles::from_slice(&[
///     Triangle { corners: [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0)] },
///     Triangle { corners: [corner(0.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)] },
/// ]);
/// let mut rays = Points::new();
/// rays.push_moving(Point { position: [0.3, 0.3, 2.0] }, [0.0, 0.0, -4.0]);
///
/// let mut firsts = FirstHits::new();
/// Detector::new().first_hits(&rays, &square, &mut firsts)?;
/// let hit = firsts.get(0).unwrap();
/// assert!((hit.time.enter - 0.5).abs() < 1e-5);
/// # Ok::<(), phalanx::Error>(())
/// ```
#[doc(alias = "mesh")]
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Triangle {
    /// The corners, in either winding.
    pub corners: [[f32; 3]; 3],
}

impl Triangle {
    /// The triangle with corners `a`, `b` and `c`, in either winding.
    ///
    /// ```
    /// use phalanx::Triangle;
    ///
    /// let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// assert_eq!(Triangle::new(corners[0], corners[1], corners[2]), Triangle { corners });
    /// ```
    #[inline]
    pub fn new(a: impl Into<[f32; 3]>, b: impl Into<[f32; 3]>, c: impl Into<[f32; 3]>) -> Self {
        Triangle {
            corners: [a.into(), b.into(), c.into()],
        }
    }
}

impl Triangle {
    /// The unit normal by the right-hand rule, within 8 u of the exact normal even for slivers (u = 2⁻²⁴): it points to the front.
    /// Zero if the triangle has no area or is invalid.
    ///
    /// ```
    /// use phalanx::Triangle;
    ///
    /// let triangle = Triangle::new([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
    /// assert_eq!(triangle.normal(), [0.0, 0.0, 1.0]);
    /// ```
    pub fn normal(&self) -> [f32; 3] {
        if self.is_in_range() {
            exact::unit(exact::normal(self.corners))
        } else {
            [0.0; 3]
        }
    }

    /// Whether a motion crosses the triangle from the back to the front, the side from which its corners are
    /// counter-clockwise.
    ///
    /// False for the front, for a triangle without area, and for motions within 2⁻²⁰ of the plane.
    ///
    /// ```
    /// use phalanx::Triangle;
    ///
    /// let triangle = Triangle::new([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
    /// assert!(triangle.is_back([0.0, 1.0, 3.0]) && !triangle.is_back([0.0, 1.0, -3.0]));
    /// ```
    pub fn is_back(&self, motion: impl Into<[f32; 3]>) -> bool {
        let (motion, normal) = (DVec3::of(motion.into()), DVec3::of(self.normal()));
        is_along(normal, motion)
    }

    /// The weights of the corners for the point of the triangle nearest to `point`. None is negative, and their sum is 1 within
    /// rounding: texture coordinates and vertex normals of a hit are sums with these weights.
    ///
    /// ```
    /// use phalanx::Triangle;
    ///
    /// let triangle = Triangle::new([0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]);
    /// assert_eq!(triangle.barycentrics([1.0, 2.0, 0.1]), [0.25, 0.25, 0.5]);
    /// assert_eq!(triangle.barycentrics([9.0, -1.0, 0.0]), [0.0, 1.0, 0.0]);
    /// ```
    ///
    /// Computed in `f64`, then rounded. The thinner a triangle, the more of that precision is lost across it. If distances tie, or
    /// the triangle is invalid, any weights are returned.
    pub fn barycentrics(&self, point: impl Into<[f32; 3]>) -> [f32; 3] {
        barycentrics(self.corners.map(DVec3::of), DVec3::of(point.into())).map(|x| x as f32)
    }

    /// Whether all corners are finite and not above the limit.
    fn is_in_range(&self) -> bool {
        length_defect("corners", self.corners.as_flattened()).is_none()
    }
}

/// Whether the part of a motion along a unit vector is positive, by more than 2⁻²⁰ of its length.
pub fn is_along(unit: DVec3, motion: DVec3) -> bool {
    const LEAST: f64 = 1.0 / (1u64 << 40) as f64;
    let along = unit.dot(motion);
    along > 0.0 && along * along > LEAST * motion.dot(motion)
}

/// The weights of the corners for the nearest point: over the face, or the nearest one of the three edges.
///
/// Source: C. Ericson, "Real-Time Collision Detection", 2005, 3.4 and 5.1.5. Departure: edges compete by their distances.
fn barycentrics(corners: [DVec3; 3], point: DVec3) -> [f64; 3] {
    let [a, b, c] = corners;
    let normal = (b - a).cross(c - a);
    let area = normal.dot(normal);
    if area > 0.0 {
        let weight = |p: DVec3, q: DVec3| (q - p).cross(point - p).dot(normal) / area;
        let (u, v) = (weight(b, c), weight(c, a));
        let w = 1.0 - u - v;
        if u >= 0.0 && v >= 0.0 && w >= 0.0 {
            return [u, v, w];
        }
    }
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for (from, to) in [(0, 1), (1, 2), (2, 0)] {
        let (along, offset) = (corners[to] - corners[from], point - corners[from]);
        let squared = along.dot(along);
        let part = if squared > 0.0 {
            (offset.dot(along) / squared).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let gap = offset - along * part;
        let distance = gap.dot(gap);
        if distance < best.1 {
            let mut weights = [0.0; 3];
            (weights[from], weights[to]) = (1.0 - part, part);
            best = (weights, distance);
        }
    }
    best.0
}

/// The columns of [`Triangles`](crate::Triangles): element `i` belongs to triangle `i`.
#[derive(Clone, Copy, Debug)]
pub struct TriangleColumns<C> {
    /// For each corner x, y and z.
    pub corners: [[C; 3]; 3],
    /// x, y and z of the displacements during the frame.
    pub displacement: [C; 3],
}

/// One triangle per lane, in its own frame: P is the corner at which the longest edge begins, the axis T is along this
/// edge, B across it in the plane, N = T × B.
///
/// Axes are the floats at hand, not exact directions; the corners are measured along them. So no triangle is too thin: its
/// corners have the coordinates (0, 0), (`length`, 0) and (`foot`, `height`) to within the errors below, however noisy
/// its normal is.
///
/// # Errors
///
/// L is the length of the longest edge, exact edges have a star. A rounded difference has each coordinate of E, F right to
/// u; dot products round by 3 u.
///
/// - T is a unit vector within 4 u, and E*/L within 4.5 u.
/// - E × F errs by 4 √2 u L² < 5.7 u L². If the sum of its absolute coordinates is at most 32 u L² the triangle is *flat*: B is
///   any direction across T, and `height` is 0. F* is then at most 38 u L away from the line of the edge. Otherwise its
///   length is above 18 u L², so it is within 18° of the exact normal, and B = unit((E × F) × T) is well defined.
/// - |B·T| ≤ 7 u. B·E* is at most 11.6 u L, N·E* 7.5 u L.
/// - N·F* is at most 46 u L if the triangle is flat, otherwise 23 u L: the normal errs by an angle of 5.7 u L² / |E × F|, and
///   the third corner is only |E × F| / L away from the edge.
/// - `length` and `foot` err by 4.2 u L along T, `height` by 4.2 u L along B, and if flat by 42.2 u L.
/// - So each corner is at most 63 u L away from its place in the frame.
/// - The longest edge, chosen by rounded squares, has −12 u L ≤ `foot` ≤ `length` + 12 u L.
///
/// A subnormal height is zero, and a subnormal edge a point: they have too few bits for a direction. That moves the third corner by at
/// most 2⁻¹²⁵, which the absolute terms of all bounds exceed by far.
#[derive(Clone, Copy)]
pub struct WideTriangle<F> {
    /// P.
    pub corner: Vec3<F>,
    /// T.
    pub along: Vec3<F>,
    /// B.
    pub across: Vec3<F>,
    /// Length of the longest edge.
    pub length: F,
    /// Coordinate of the third corner along T.
    pub foot: F,
    /// Coordinate of the third corner along B, at least 0.
    pub height: F,
    /// One over the lengths of the edges from P and from the end of the longest edge to the third corner; zero for an edge of subnormal
    /// length, which is a point.
    pub over_sides: [F; 2],
}

impl<F: Float> WideTriangle<F> {
    /// N.
    #[inline(always)]
    pub fn normal(self) -> Vec3<F> {
        self.along.cross(self.across)
    }

    /// T, B and N.
    #[inline(always)]
    pub fn axes(self) -> [Vec3<F>; 3] {
        [self.along, self.across, self.normal()]
    }

    /// Directions in the plane from both ends of the longest edge to the third corner, the second direction mirrored.
    /// Each has a coordinate along the longest edge and one along B.
    #[inline(always)]
    pub fn sides(self) -> [[F; 2]; 2] {
        let [over_first, over_second] = self.over_sides;
        [
            [self.foot * over_first, self.height * over_first],
            [
                (self.length - self.foot) * over_second,
                self.height * over_second,
            ],
        ]
    }

    /// Vectors from P to the other corners.
    #[inline(always)]
    pub fn edges(self) -> [Vec3<F>; 2] {
        [
            self.along * self.length,
            self.along * self.foot + self.across * self.height,
        ]
    }

    /// The corners, each off by at most 64 u of the longest edge.
    #[inline(always)]
    pub fn corners(self) -> [Vec3<F>; 3] {
        let [second, third] = self.edges();
        [self.corner, self.corner + second, self.corner + third]
    }
}

/// 2¹²⁷: one over half the least normal number.
const LARGEST_OVER: f32 = 2.0 / f32::MIN_POSITIVE;
/// Least E × F of a triangle that is not flat, in u of the longest edge squared.
const FLAT: f32 = 32.0;

/// The longest edge of a triangle, the first of equals; the frame begins at its start.
pub(crate) struct LongestEdge<F> {
    /// P, where the edge begins.
    pub(crate) corner: Vec3<F>,
    /// From P to the end of the edge.
    edge: Vec3<F>,
    /// From P to the third corner.
    other: Vec3<F>,
    /// Power of two that scales edges, so that their squares neither underflow nor overflow.
    scale: F,
}

impl<F: Float> LongestEdge<F> {
    #[inline(always)]
    pub(crate) fn of([a, b, c]: [Vec3<F>; 3]) -> Self {
        let (ab, bc, ca) = (b - a, c - b, a - c);
        let largest = ab.abs().largest().max(bc.abs().largest());
        let scale = largest.max(ca.abs().largest()).recip_pow2();
        let (sab, sbc, sca) = (ab * scale, bc * scale, ca * scale);
        let (ab2, bc2, ca2) = (sab.dot(sab), sbc.dot(sbc), sca.dot(sca));
        let is_first = bc2.le(ab2) & ca2.le(ab2);
        let is_second = ca2.le(bc2);
        LongestEdge {
            corner: select(is_first, a, select(is_second, b, c)),
            edge: select(is_first, ab, select(is_second, bc, ca)),
            other: -select(is_first, ca, select(is_second, ab, bc)),
            scale,
        }
    }
}

impl Shape for Triangle {
    type Fields<X: Send + Sync> = [X; 9];
    type Columns<C> = TriangleColumns<C>;
    type Wide<F: Float> = WideTriangle<F>;
    type Row = [f32; 16];
    type MovingRow = [f32; 20];
    type Turn<X: Send + Sync> = [X; 0];
    type FullMotion = Moving<Self>;
    type Stored = Self;
    const BOUNDS: Option<&'static BoundsOps> = Some(<Self as Bounded>::OPS);
    const ROW: usize = 16;
    const SCANS_ROWS: bool = true;

    fn columns<C: Send + Sync>(
        fields: [C; 9],
        displacement: [C; 3],
        _turn: [C; 0],
    ) -> TriangleColumns<C> {
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = fields;
        TriangleColumns {
            corners: [[ax, ay, az], [bx, by, bz], [cx, cy, cz]],
            displacement,
        }
    }

    fn fields<C: Send + Sync>(columns: TriangleColumns<C>) -> ([C; 9], [C; 3], [C; 0]) {
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = columns.corners;
        let fields = [ax, ay, az, bx, by, bz, cx, cy, cz];
        (fields, columns.displacement, [])
    }

    fn defect(&self) -> Option<Defect> {
        length_defect("corners", self.corners.as_flattened())
    }

    #[inline]
    fn translated(self, by: [f32; 3]) -> Self {
        let [a, b, c] = self.corners;
        let moved = |corner| (Vec3(corner) + Vec3(by)).0;
        Triangle {
            corners: [moved(a), moved(b), moved(c)],
        }
    }

    #[inline(always)]
    fn prepare<L: Lanes>(lanes: L, fields: [L::F; 9]) -> (WideTriangle<L::F>, L::M) {
        let good = in_range(lanes, fields);
        let [ax, ay, az, bx, by, bz, cx, cy, cz] = fields;
        let (a, b, c) = (Vec3([ax, ay, az]), Vec3([bx, by, bz]), Vec3([cx, cy, cz]));
        let LongestEdge {
            corner,
            edge,
            other,
            scale,
        } = LongestEdge::of([a, b, c]);
        let zero = lanes.splat(0.0);

        let (along, _) = unit(lanes, edge, splat(lanes, [1.0, 0.0, 0.0]));
        let (edge_scaled, other_scaled) = (edge * scale, other * scale);
        let normal = edge_scaled.cross(other_scaled);
        let most = edge_scaled.dot(edge_scaled) * lanes.units(FLAT);
        let is_flat = normal.abs().sum().le(most);
        let beside = self::across(lanes, along);
        let normal = select(is_flat, beside, normal);
        let (across, _) = unit(lanes, normal.cross(along), beside);

        let (length, foot) = (edge.dot(along).max(zero), other.dot(along));
        let height = other.dot(across);
        let height = height.masked(lanes.splat(f32::MIN_POSITIVE).le(height) & !is_flat);
        let triangle = WideTriangle {
            corner,
            along,
            across,
            length,
            foot,
            height,
            over_sides: [
                over_length(lanes, foot, height),
                over_length(lanes, length - foot, height),
            ],
        };
        (triangle, good)
    }

    #[inline(always)]
    fn wide_size<F: Float>(triangle: WideTriangle<F>) -> F {
        triangle.length
    }

    #[inline(always)]
    fn wide_place<F: Float>(triangle: WideTriangle<F>) -> Option<Vec3<F>> {
        Some(triangle.corner)
    }

    #[inline(always)]
    fn to_row<F: Float>(triangle: WideTriangle<F>, row: &mut [F]) {
        row[..3].copy_from_slice(&triangle.corner.0);
        row[3] = triangle.length;
        row[4..7].copy_from_slice(&triangle.along.0);
        row[7] = triangle.foot;
        row[8..11].copy_from_slice(&triangle.across.0);
        row[11] = triangle.height;
        row[12..14].copy_from_slice(&triangle.over_sides);
    }

    #[inline(always)]
    fn from_row<F: Float>(row: &[F]) -> WideTriangle<F> {
        WideTriangle {
            corner: Vec3([row[0], row[1], row[2]]),
            length: row[3],
            along: Vec3([row[4], row[5], row[6]]),
            foot: row[7],
            across: Vec3([row[8], row[9], row[10]]),
            height: row[11],
            over_sides: [row[12], row[13]],
        }
    }
}

/// One over the length of a vector in the frame, off by 4 u; zero if it is subnormal. A vector with a `rise` is not: see `prepare`.
#[inline(always)]
fn over_length<L: Lanes>(lanes: L, run: L::F, rise: L::F) -> L::F {
    // Scaled, so that squares neither underflow nor overflow.
    let scale = run.abs().max(rise).recip_pow2();
    let (run, rise) = (run * scale, rise * scale);
    let length = (run * run + rise * rise).sqrt();
    let over = scale / length;
    over.masked(over.le(lanes.splat(LARGEST_OVER)))
}

const _: () = assert!(size_of::<Triangle>() == 36);

impl Bounded for Triangle {
    /// √3, rounded up: the growth of the triangle's prism at a corner.
    const GROWTH: f32 = 1.7321;

    /// Corners are off by 64 u of the longest edge, so the size is a sixteenth larger, for a wider margin.
    #[inline(always)]
    fn around<L: Lanes>(lanes: L, triangle: Self::Wide<L::F>) -> (BoundingBox<L::F>, L::F) {
        let [a, b, c] = triangle.corners();
        let (mut low, mut high) = (a, a);
        let mut k = 0;
        while k < 3 {
            low.0[k] = a.0[k].min(b.0[k]).min(c.0[k]);
            high.0[k] = a.0[k].max(b.0[k]).max(c.0[k]);
            k += 1;
        }
        let size = triangle.length * lanes.splat(1.0625);
        (BoundingBox { low, high }, size)
    }
    write_bounds!();
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::common::rng;
    use crate::lane::One;

    fn prepared(corners: [[f32; 3]; 3]) -> WideTriangle<f32> {
        let [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = corners;
        let (triangle, good) = Triangle::prepare(One, [ax, ay, az, bx, by, bz, cx, cy, cz]);
        assert!(good);
        triangle
    }

    #[test]
    fn frame_begins_with_the_longest_edge() {
        // A 3-4-5 triangle, starting at each corner.
        let (a, b, c) = ([1., 1., 2.], [5., 1., 2.], [1., 4., 2.]);
        for corners in [[a, b, c], [b, c, a], [c, a, b]] {
            let triangle = prepared(corners);
            assert_eq!(triangle.corner.0, b);
            assert_eq!(triangle.length, 5.0);
            assert!((triangle.foot - 3.2).abs() < 1e-6 && (triangle.height - 2.4).abs() < 1e-6);
            assert!((triangle.normal().0[2] - 1.0).abs() < 1e-6);
            let [p, q, r] = triangle.corners();
            assert_eq!(p.0, b);
            for (x, y) in [(q.0, c), (r.0, a)] {
                assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-6));
            }
        }
    }

    #[test]
    fn corners_are_where_they_are_however_thin() {
        let segment = [[0., 0., 0.], [4., 0., 0.], [1., 0., 0.]];
        let point = [[1e-20, 2., -3e17]; 3];
        let needle = [[0., 0., 0.], [1e10, 0., 0.], [1e10, 1e-3, 0.]];
        let tiny = [[0., 0., 0.], [1e-40, 0., 0.], [0., 2e-40, 0.]];
        for corners in [segment, point, needle, tiny] {
            let triangle = prepared(corners);
            for axis in [triangle.along, triangle.across, triangle.normal()] {
                assert!((axis.dot(axis) - 1.0).abs() < 2e-6, "{corners:?}");
            }
            let size = f64::from(triangle.length);
            for corner in corners {
                let near = triangle.corners().map(|at| {
                    let off = (0..3).map(|k| f64::from(at.0[k]) - f64::from(corner[k]));
                    off.map(|x| x * x).sum::<f64>().sqrt()
                });
                let nearest = near.into_iter().fold(f64::INFINITY, f64::min);
                // Sums with the corner round too. A subnormal height or edge is lost.
                let rounding = corner.iter().map(|x| f64::from(x.abs())).sum::<f64>();
                let most = (64.0 * size + 2.0 * rounding) * 2f64.powi(-24) + 2f64.powi(-125);
                assert!(nearest <= most, "{corners:?}: {nearest} of {most}");
            }
        }
    }

    /// Triangles whose third corner is some u off the line of the longest edge, along diagonals too: the noise of E × F is
    /// then often along T.
    #[test]
    fn frame_of_a_sliver_is_as_exact_as_documented() {
        let mut rng = rng("slivers");
        const U: f64 = 1.0 / (1u64 << 24) as f64;
        let (mut skew, mut off) = (0f64, 0f64);
        for _ in 0..200_000 {
            let mut edge = [(); 3].map(|()| f32::from(rng.random_range(-1..=1i8)));
            if edge == [0.0; 3] || rng.random_bool(0.5) {
                edge = [(); 3].map(|()| rng.random_range(-1.0..1.0f64) as f32);
            }
            let most = 10f32.powf(rng.random_range(-8.0..-5.0));
            let share = rng.random_range(0.0..1.0f32);
            let third = edge.map(|x| x * share + most * rng.random_range(-1.0..1.0f32));
            let triangle = prepared([[0.0; 3], edge, third]);
            let [along, across] = [triangle.along, triangle.across].map(|axis| DVec3::of(axis.0));
            skew = skew.max(along.dot(across).abs() / U);
            let place = |x: f32, y: f32| along * f64::from(x) + across * f64::from(y);
            // The longest edge may begin at any corner.
            let corners =
                [[0.0; 3], edge, third].map(|at| DVec3::of(at) - DVec3::of(triangle.corner.0));
            for at in [
                place(triangle.length, 0.0),
                place(triangle.foot, triangle.height),
            ] {
                let far = corners.map(|corner| (corner - at).dot(corner - at).sqrt());
                let nearest = far.into_iter().fold(f64::INFINITY, f64::min);
                off = off.max(nearest / (U * f64::from(triangle.length)));
            }
        }
        assert!(skew <= 7.0, "B·T is {skew} u");
        assert!((1.0..63.0).contains(&off), "{off} u of the longest edge");
    }
}
