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
    FrameLine, TriangleEdge, edges, foot, in_plane, is_over, out_of_frame,
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
struct EdgeLines<F> {
    corner: Vec3<F>,
    along: Vec3<F>,
    across: Vec3<F>,
}

impl<F: Float> EdgeLines<F> {
    #[inline(always)]
    fn new(triangle: WideTriangle<F>, corner: Vec3<F>, axes: [Vec3<F>; 3]) -> Self {
        EdgeLines {
            corner: Vec3(corner.along(axes)),
            along: Vec3(triangle.along.along(axes)),
            across: Vec3(triangle.across.along(axes)),
        }
    }

    #[inline(always)]
    fn line<L: Lanes<F = F>>(&self, lanes: L, edge: TriangleEdge<F>) -> FrameLine<F> {
        FrameLine {
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
    let lines = EdgeLines::new(a, -offset, b.axes());
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
    let lines = EdgeLines::new(b, offset, a.axes());
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
