//! Triangle-triangle distance: the nearest points are on two edges, or one is in a face.
//!
//! ```text
//! edges    the nearest of nine pairs
//! faces    of each edge the point nearest to the plane of the other triangle, if it is over its face
//! ```
//!
//! The nearest corner over a face is an end of an edge, and an edge that pierces a face has a point in its plane.
//!
//! Source, degenerate cases: [`segment_triangle`](crate::narrow::geometry::segment_triangle). Error bound: that of [`distance::search`](crate::narrow::distance::search).

use crate::lane::{Float, Lanes, Vec3, select};
use crate::narrow::distance::search::{DistanceBounds, DistanceKernel, Guess, SolidPair};
use crate::narrow::geometry::segment_triangle::{
    Edge, Line, edges, foot, in_plane, is_over, out_of_frame,
};
use crate::shapes::triangle::{Triangle, WideTriangle};

impl DistanceKernel<Triangle> for Triangle {
    const LANES: usize = 16;

    #[inline(always)]
    fn distance<L: Lanes>(
        lanes: L,
        a: WideTriangle<L::F>,
        b: WideTriangle<L::F>,
    ) -> DistanceBounds<L> {
        let pair = SolidPair::<Triangle, Triangle, L::F>::new(lanes, a, b);
        let guess = guess(lanes, a, b, pair.offset);
        pair.bounds(lanes, guess)
    }
}

/// The edges of a triangle in the frame of another triangle.
struct Lines<F> {
    corner: Vec3<F>,
    along: Vec3<F>,
    across: Vec3<F>,
}

impl<F: Float> Lines<F> {
    #[inline(always)]
    fn new(triangle: WideTriangle<F>, corner: Vec3<F>, axes: [Vec3<F>; 3]) -> Self {
        Lines {
            corner: Vec3(corner.along(axes)),
            along: Vec3(triangle.along.along(axes)),
            across: Vec3(triangle.across.along(axes)),
        }
    }

    #[inline(always)]
    fn line<L: Lanes<F = F>>(&self, lanes: L, edge: Edge<F>) -> Line<F> {
        Line {
            start: self.corner + self.along * edge.start,
            direction: self.along * edge.run + self.across * edge.rise,
            low: lanes.splat(0.0),
            high: edge.length,
            over_squared: lanes.splat(1.0),
        }
    }
}

#[inline(always)]
fn guess<L: Lanes>(
    lanes: L,
    a: WideTriangle<L::F>,
    b: WideTriangle<L::F>,
    offset: Vec3<L::F>,
) -> Guess<L::F> {
    let [edges_a, edges_b] = [edges(lanes, a), edges(lanes, b)];
    let lines = Lines::new(a, -offset, b.axes());
    let (mut edge_a, mut edge_b) = (edges_a[0], edges_b[0]);
    let mut best = lines.line(lanes, edge_a).beside(lanes, edge_b);
    let mut k = 1;
    while k < 9 {
        let (from, to) = (edges_a[k / 3], edges_b[k % 3]);
        let found = lines.line(lanes, from).beside(lanes, to);
        let is_nearer = found.squared.lt(best.squared);
        edge_a = from.select(is_nearer, edge_a);
        edge_b = to.select(is_nearer, edge_b);
        best = found.select(is_nearer, best);
        k += 1;
    }
    let mut squared = best.squared;
    let mut place_a = edge_a.at(best.t);
    let mut on_b = lines.line(lanes, edge_a).nearest(lanes, edge_b, best);
    let mut k = 0;
    while k < 3 {
        let line = lines.line(lanes, edges_a[k]);
        let t = line.to_plane();
        let [x, y, z] = line.at(t).0;
        let is_nearer = is_over(lanes, b, x, y) & (z * z).lt(squared);
        squared = (z * z).select(is_nearer, squared);
        let [at_x, at_y] = edges_a[k].at(t);
        place_a = [
            at_x.select(is_nearer, place_a[0]),
            at_y.select(is_nearer, place_a[1]),
        ];
        on_b = foot(lanes, [x, y, z]).select(is_nearer, on_b);
        k += 1;
    }
    let mut place_b = on_b.place;
    let mut direction = out_of_frame(b.axes(), on_b.direction);
    let lines = Lines::new(b, offset, a.axes());
    let mut k = 0;
    while k < 3 {
        let line = lines.line(lanes, edges_b[k]);
        let t = line.to_plane();
        let [x, y, z] = line.at(t).0;
        let is_nearer = is_over(lanes, a, x, y) & (z * z).lt(squared);
        squared = (z * z).select(is_nearer, squared);
        place_a = [
            x.select(is_nearer, place_a[0]),
            y.select(is_nearer, place_a[1]),
        ];
        let [at_x, at_y] = edges_b[k].at(t);
        place_b = [
            at_x.select(is_nearer, place_b[0]),
            at_y.select(is_nearer, place_b[1]),
        ];
        direction = select(is_nearer, a.normal() * z, direction);
        k += 1;
    }
    Guess {
        points: [in_plane(a, place_a), offset + in_plane(b, place_b)],
        direction,
    }
}

#[cfg(test)]
mod tests {
    use crate::narrow::testing::apart;
    use phalanx::Triangle;

    /// A right triangle with sides of 3, 4 and 5, displaced.
    fn right(x: f32, y: f32, z: f32) -> Triangle {
        Triangle {
            corners: [[x, y, z], [x + 4., y, z], [x, y + 3., z]],
        }
    }

    fn both(a: Triangle, b: Triangle, exact: f64) {
        apart(a, b, exact);
        apart(b, a, exact);
    }

    #[test]
    fn faces_edges_and_corners_have_their_distance() {
        let flat = right(0., 0., 0.);
        // Parallel faces that cross seen from above, and faces beside each other.
        both(flat, right(1., 1., 3.), 3.0);
        let small = Triangle {
            corners: [[1., 1., 3.], [1.25, 1., 3.], [1., 1.25, 3.]],
        };
        both(flat, small, 3.0);
        both(flat, right(-7., 0., 4.), 5.0);
        both(flat, right(4. + 3., -7., 0.), 5.0);
        // A corner above the face, two crossing edges, and an edge above a parallel edge.
        let upright = |x, y, z| Triangle {
            corners: [[x, y, z], [x - 1., y, z + 4.], [x + 1., y, z + 4.]],
        };
        both(flat, upright(1., 1., 2.), 2.0);
        let edge = Triangle {
            corners: [[2., -5., 3.], [2., 5., 3.], [2., 0., 9.]],
        };
        both(flat, edge, 3.0);
        let beside = Triangle {
            corners: [[-1., -3., 4.], [9., -3., 4.], [4., -3., 9.]],
        };
        both(flat, beside, 5.0);
    }

    #[test]
    fn triangles_that_touch_have_distance_zero() {
        let flat = right(0., 0., 0.);
        // A common edge, a common corner, a triangle in the plane of the other, and equal triangles.
        let neighbour = Triangle {
            corners: [[4., 0., 0.], [0., 3., 0.], [4., 3., 1.]],
        };
        both(flat, neighbour, 0.0);
        both(flat, right(4., 0., 0.), 0.0);
        both(flat, right(1., 0.5, 0.), 0.0);
        both(flat, flat, 0.0);
        let inner = Triangle {
            corners: [[0.5, 0.5, 0.], [1., 0.5, 0.], [0.5, 1., 0.]],
        };
        both(flat, inner, 0.0);
        // Two edges pierce the face, or one of each.
        let piercing = Triangle {
            corners: [[1., 1., 2.], [1.25, 1., -2.], [1., 1.25, -2.]],
        };
        both(flat, piercing, 0.0);
        let crossing = Triangle {
            corners: [[1., 1., -2.], [1., 1., 2.], [-9., 1., 0.]],
        };
        both(flat, crossing, 0.0);
    }

    #[test]
    fn flat_triangles_are_segments_and_points() {
        let segment = Triangle {
            corners: [[2., -5., 3.], [2., 1., 3.], [2., 4., 3.]],
        };
        both(right(0., 0., 0.), segment, 3.0);
        let point = Triangle {
            corners: [[1., 1., 3.]; 3],
        };
        both(right(0., 0., 0.), point, 3.0);
        both(segment, point, 1.0);
        both(point, point, 0.0);
    }
}
