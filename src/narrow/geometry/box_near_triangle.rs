//! Nearest points of a box and a triangle, in the frame of the box.
//!
//! Nearest points are on an edge of the triangle, or in its face. In the face, a nearest pair has the corner of the box
//! nearest to the plane, or any common point of the box and the plane:
//!
//! ```text
//! edge    f(t) = |o|², o = p + t h − clamp(p + t h): f' = 2 h·o is piecewise linear and never falls. Of the six t where
//!         a coordinate reaches ±a, and both ends, the last with f' ≤ 0 and the first with f' > 0 enclose the zero
//! face    the corner nearest to the plane, moved to the plane on its diagonal if the corner is beyond it
//! ```
//!
//! If the plane cuts the box and no edge touches it, the cut is either inside the triangle or separate from it: any
//! point decides.
//!
//! Source: C. Ericson, "Real-Time Collision Detection", 2005, 5.1.3 and 5.5.7, for the parts; own work for the zero of f'.
//!
//! Degenerate cases: a flat triangle has no face. An edge that is parallel to a side of the box never reaches it: ±∞ and NaN are clamped to an
//! end. Where f' is zero in an interval, its first end.
//!
//! # Error bound
//!
//! None: [`distance::search`](crate::narrow::distance::search) judges any guess.

use crate::lane::{Float, Lanes, Routine, Vec3, select};
use crate::narrow::geometry::segment_triangle::{TriangleEdge, edges, is_over};
use crate::shapes::triangle::WideTriangle;

/// Points and a direction from the box to the triangle.
pub struct NearBox<F> {
    /// In the frame of the box.
    pub at_box: Vec3<F>,
    /// In the frame of the triangle.
    pub place: [F; 2],
    /// In the frame of the box.
    pub direction: Vec3<F>,
}

/// Finds the nearest points of a box, given its half extents, and a triangle in its frame.
pub struct FindNearestPoints;

impl<L: Lanes> Routine<L> for FindNearestPoints {
    type Argument = (Vec3<L::F>, WideTriangle<L::F>);
    type Output = NearBox<L::F>;

    #[inline(always)]
    fn run(lanes: L, (half_extents, triangle): Self::Argument) -> NearBox<L::F> {
        let zero = lanes.splat(0.0);
        let edges = edges(lanes, triangle);
        let mut edge = edges[0];
        let (mut t, mut squared) = (zero, lanes.splat(f32::INFINITY));
        let mut k = 0;
        while k < 3 {
            let (at, found) = beside_edge(lanes, half_extents, triangle, edges[k]);
            let is_nearer = found.lt(squared);
            squared = found.select(is_nearer, squared);
            t = at.select(is_nearer, t);
            edge = edges[k].select(is_nearer, edge);
            k += 1;
        }
        let (start, h) = line(triangle, edge);
        let p = start + h * t;
        let at_edge = clamp(half_extents, p);
        let o = p - at_edge;
        // Perpendicular to the edge, in the axes across the feature of the box. Only a small change is a correction: an
        // edge along that feature has only noise in these axes.
        let parts = Vec3([
            h.0[0].masked(zero.lt(o.0[0].abs())),
            h.0[1].masked(zero.lt(o.0[1].abs())),
            h.0[2].masked(zero.lt(o.0[2].abs())),
        ]);
        let is_inside = zero.lt(t) & t.lt(edge.length);
        let square = o - parts * (o.dot(parts) / parts.dot(parts));
        let is_square = is_inside & (o.dot(o) * lanes.splat(0.999)).lt(square.dot(square));
        let o = select(is_square, square, o);

        let normal = triangle.normal();
        let height = -(triangle.corner.dot(normal));
        let [nx, ny, nz] = normal.0;
        let [ax, ay, az] = half_extents.0;
        let corner = Vec3([
            ax.select((nx * height).lt(zero), -ax),
            ay.select((ny * height).lt(zero), -ay),
            az.select((nz * height).lt(zero), -az),
        ]);
        let reach = half_extents.dot(normal.abs());
        let share = (height.abs() / reach).min(lanes.splat(1.0));
        let at_face = corner * share;
        let from = at_face - triangle.corner;
        let [x, y, z] = from.along([triangle.along, triangle.across, normal]);
        let is_face = is_over(lanes, triangle, x, y) & (z * z).lt(squared);
        let [edge_x, edge_y] = edge.at(t);
        NearBox {
            at_box: select(is_face, at_face, at_edge),
            place: [x.select(is_face, edge_x), y.select(is_face, edge_y)],
            direction: select(is_face, normal * -height, o),
        }
    }
}

/// An edge in the frame of the box: its first end and a unit vector along it.
#[inline(always)]
fn line<F: Float>(triangle: WideTriangle<F>, edge: TriangleEdge<F>) -> (Vec3<F>, Vec3<F>) {
    (
        triangle.corner + triangle.along * edge.start,
        triangle.along * edge.run + triangle.across * edge.rise,
    )
}

/// Nearest point of a box.
#[inline(always)]
fn clamp<F: Float>(half_extents: Vec3<F>, p: Vec3<F>) -> Vec3<F> {
    let ([ax, ay, az], [x, y, z]) = (half_extents.0, p.0);
    Vec3([x.max(-ax).min(ax), y.max(-ay).min(ay), z.max(-az).min(az)])
}

/// The point of an edge that is nearest to a box, and the square of their distance.
#[inline(always)]
fn beside_edge<L: Lanes>(
    lanes: L,
    half_extents: Vec3<L::F>,
    triangle: WideTriangle<L::F>,
    edge: TriangleEdge<L::F>,
) -> (L::F, L::F) {
    let zero = lanes.splat(0.0);
    let (start, h) = line(triangle, edge);
    let (mut low, mut high) = (zero, edge.length);
    let mut slope_low = slope(half_extents, start, h, low);
    let mut slope_high = slope(half_extents, start, h, high);
    let mut k = 0;
    while k < 6 {
        let axis = k / 2;
        let side = half_extents.0[axis];
        let side = if k % 2 == 0 { side } else { -side };
        let t = ((side - start.0[axis]) / h.0[axis])
            .max(zero)
            .min(edge.length);
        let found = slope(half_extents, start, h, t);
        let is_low = found.le(zero) & low.le(t);
        let is_high = zero.lt(found) & t.le(high);
        low = t.select(is_low, low);
        slope_low = found.select(is_low, slope_low);
        high = t.select(is_high, high);
        slope_high = found.select(is_high, slope_high);
        k += 1;
    }
    let t = low - slope_low * ((high - low) / (slope_high - slope_low));
    let t = t.max(low).min(high);
    let p = start + h * t;
    let o = p - clamp(half_extents, p);
    (t, o.dot(o))
}

/// Half the slope of the squared distance from a box, along a line.
#[inline(always)]
fn slope<F: Float>(half_extents: Vec3<F>, start: Vec3<F>, h: Vec3<F>, t: F) -> F {
    let p = start + h * t;
    (p - clamp(half_extents, p)).dot(h)
}
