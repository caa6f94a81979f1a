//! Contacts of cylinders and cones.
//!
//! Their faces and edges are those of polygons of 16 sides in their discs, with the planes of faces moved out to the discs. So each gap is a
//! certificate, but a normal of the round side may be π / 16 off the best one. Three ways lead to a better one:
//!
//! - **Axes.** Of cylinders, capsules and spheres whose sides touch, the normal is the direction of the nearest points of their axes.
//! - **Faces.** The normal of a face, if two points of the surfaces over one another are as deep as the gap.
//! - **Moves.** Otherwise B is moved out along the normal until the cores are just apart. The direction of their nearest points then has at least the gap that
//!   the normal has: the gap of the moved cores is their distance, and the move is less long along any other direction. On a round side,
//!   each round divides the angle by the ratio of the radii and the depth.
//!
//! For the first two, the depth is found where the surfaces are: two points that are as far apart as the planes that hold them. So no
//! normal nearby is better. Another feature may be: the best of the first two is taken.
//!
//! The patch of a round side is its line that is farthest along the normal, and that of a cap a polygon with a corner where it is deepest.

use crate::lane::{Lanes, U};
use crate::math::dvec::{DVec3, f64_max, f64_min, f64_sqrt};
use crate::narrow::convex::contact::manifold::{ALIGNED, HullContact, NEAR};
use crate::narrow::convex::contact::solid::Solid;
use crate::narrow::convex::contact::solid_pair::{Best, FacedPair, Feature};

impl<L: Lanes> FacedPair<'_, '_, L> {
    /// Whether one is a cylinder or a cone.
    #[inline(always)]
    pub fn is_round(&self) -> bool {
        self.solids.iter().any(|solid| solid.body.is_round())
    }

    /// The contact of a cylinder or a cone, given the best normal of faces and edges.
    pub fn round_contact(&self, best: Best) -> HullContact {
        if let Some(of_axes) = self.of_axes()
            && of_axes.gap >= best.gap
        {
            return self.along(of_axes);
        }
        let has_area = match best.feature {
            Feature::FaceOfA(face) => self.solids[0].has_area(face),
            Feature::FaceOfB(face) => self.solids[1].has_area(face),
            _ => false,
        };
        if has_area
            && let Some(contact) = self.on_faces(best, self.faces_of(best), None)
            && self.has_deepest(&contact)
        {
            return contact;
        }
        let (best, points) = self.raised(best);
        let contact = self.along(best);
        if self.has_deepest(&contact) {
            return contact;
        }
        // The deepest place of a disc may be outside its polygon.
        self.along(Best {
            feature: Feature::Points(points),
            ..best
        })
    }

    /// Whether a point of a contact is as deep as its normal says.
    fn has_deepest(&self, contact: &HullContact) -> bool {
        let most = contact.separation + self.size * NEAR;
        let mut points = contact.points[..contact.count].iter();
        points.any(|point| point.separation <= most)
    }

    /// The normal of two round sides, if they touch there: the direction of the nearest points of their axes.
    fn of_axes(&self) -> Option<Best> {
        let [a, b] = self.solids;
        let ((of_a, radius_a), (of_b, radius_b)) = (a.axis()?, b.axis()?);
        let of_b = of_b.map(|end| end + self.offset);
        let [x, y] = nearest_of_segments(of_a, of_b);
        let normal = (y - x).unit()?;
        let gap = self.gap(normal);
        let points = [x + normal * radius_a, y - normal * radius_b];
        // Beyond the end of an axis, the side is nearer than the radius.
        let apart = (points[1] - points[0]).dot(normal);
        let is_there = (apart - gap).abs() <= self.size * EXACT;
        is_there.then(|| {
            let (feature, support) = self.round_feature(normal, points);
            Best {
                gap,
                normal,
                feature,
                support,
            }
        })
    }

    /// The best normal near that of a face or of edges, and its points.
    fn raised(&self, mut best: Best) -> (Best, [DVec3; 2]) {
        let least = self.size * PARTED;
        let mut round = 0;
        loop {
            let from = best.normal;
            let by = from * f64_max(least - best.gap, 0.0);
            let found = self.moved(by).nearest(from);
            let [x, y] = found.points;
            let mut way = found.normal;
            let mut gap = self.gap(way);
            if let Some(between) = (y - x).unit() {
                let of_points = self.gap(between);
                if of_points > gap {
                    (way, gap) = (between, of_points);
                }
            }
            let is_better = gap > best.gap + self.size * RAISE;
            // The points belong to the normal along which B was moved, or to their own direction.
            let are_of_way = by == DVec3::ZERO;
            if is_better || are_of_way && gap > best.gap {
                (best.gap, best.normal) = (gap, way);
            }
            round += 1;
            if !is_better || are_of_way || round == ROUNDS {
                let points = [x, y - by];
                (best.feature, best.support) = self.round_feature(best.normal, points);
                return (best, points);
            }
            self.go_on(&mut best, way - from);
        }
    }

    /// Goes on along the step to a normal, with steps of twice the length, while gaps grow.
    fn go_on(&self, best: &mut Best, mut step: DVec3) {
        while step.norm1() <= FARTHEST_STEP
            && let Some(way) = (best.normal + step).unit()
        {
            let gap = self.gap(way);
            if gap <= best.gap {
                return;
            }
            (best.gap, best.normal) = (gap, way);
            step = step * 2.0;
        }
    }

    /// The feature of a normal: a face that it is the normal of, two lines that are across it, or two points.
    fn round_feature(&self, normal: DVec3, points: [DVec3; 2]) -> (Feature, usize) {
        let (feature, support, along) = self.face_of(normal);
        if along >= ALIGNED || self.are_lines_across(normal) {
            return (feature, support);
        }
        (Feature::Points(points), 0)
    }

    /// Whether both shapes have lines at their supports, across a unit vector.
    fn are_lines_across(&self, normal: DVec3) -> bool {
        let mut are = true;
        for (solid, d) in self.solids.iter().zip([normal, -normal]) {
            let face = solid.face_along(d, solid.reach(self.lanes, d).index);
            let (mut ends, mut len) = ([DVec3::ZERO; 2], 0);
            solid.each_corner(face, d, |corner, _| {
                ends[len % 2] = corner;
                len += 1;
            });
            let line = (ends[1] - ends[0]).unit();
            are &= len == 2 && line.is_some_and(|line| line.dot(d).abs() <= ACROSS);
        }
        are
    }

    /// Largest distance of two lines beside one another, seen along the normal, at which their ends still are points of a contact: the
    /// surfaces around them are then at most 16 u S off. Zero without a round side.
    #[inline(always)]
    pub fn beside(&self, faces: [usize; 2]) -> f64 {
        let [a, b] = self.solids;
        if a.round_side(faces[0]).is_none() && b.round_side(faces[1]).is_none() {
            return 0.0;
        }
        let least = f64_min(a.roundness(faces[0]), b.roundness(faces[1]));
        f64_sqrt(128.0 * f64::from(U) * self.size * least)
    }
}

impl Solid<'_> {
    /// The least radius of the surface around the line of a face.
    fn roundness(&self, face: usize) -> f64 {
        let of_side = self.round_side(face).map_or(0.0, |discs| {
            f64_min(discs.radii[0].into(), discs.radii[1].into())
        });
        of_side + self.body.radius
    }

    /// The axis of a cylinder with its radius, or a core that is a segment or a point; `None` for others.
    fn axis(&self) -> Option<([DVec3; 2], f64)> {
        if let Some(discs) = self.discs() {
            let ends = discs.heights.map(|height| self.axes[2] * f64::from(height));
            let [first, second] = discs.radii;
            return (first == second).then_some((ends, first.into()));
        }
        let end = |corner: u8| self.corner(usize::from(corner));
        match *self.corners_of(0) {
            [point] => Some(([end(point); 2], 0.0)),
            [p, q] => Some(([end(p), end(q)], 0.0)),
            _ => None,
        }
    }
}

/// The nearest points of two segments.
fn nearest_of_segments([a, to_a]: [DVec3; 2], [b, to_b]: [DVec3; 2]) -> [DVec3; 2] {
    let (p, q, way) = (to_a - a, to_b - b, b - a);
    let (pp, pq, qq) = (p.dot(p), p.dot(q), q.dot(q));
    // NaN, as of a point, becomes 0.
    let clamped = |share: f64| f64_min(f64_max(share, 0.0), 1.0);
    let (along_p, along_q) = (way.dot(p), way.dot(q));
    let determinant = pp * qq - pq * pq;
    let mut on_a = 0.0;
    if determinant > pp * qq * PARALLEL {
        on_a = clamped((along_p * qq - along_q * pq) / determinant);
    }
    let on_b = clamped((on_a * pq - along_q) / qq);
    // Of the place on B that is there, or of its end.
    on_a = clamped((on_b * pq + along_p) / pp);
    [a + p * on_a, b + q * on_b]
}

/// Squared sine up to which axes are parallel: their places are then found from one end.
const PARALLEL: f64 = 1.0 / (1u64 << 40) as f64;
/// Part of S up to which points are as deep as a gap.
const EXACT: f64 = 1.0 / (1u64 << 30) as f64;
/// Part of S by which cores are moved apart, to find a better normal.
const PARTED: f64 = 1.0 / (1u64 << 12) as f64;
/// Part of S by which a gap has to be greater to be worth another round: what a search may leave.
const RAISE: f64 = 4.0 * U as f64;
/// Longest step that a normal goes on by.
const FARTHEST_STEP: f64 = 0.5;
/// Maximum number of rounds.
const ROUNDS: usize = 16;
/// Largest cosine of a line and a normal across it.
const ACROSS: f64 = 1.0 / 1024.0;

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::common::rng;

    /// By the nearest of many points of each, also of parallel and of equal segments, and of points.
    #[test]
    fn nearest_points_of_segments_are_no_farther_than_others() {
        let mut rng = rng("nearest points of segments");
        for case in 0..5000 {
            let mut point = || DVec3([(); 3].map(|()| rng.random_range(-1.0..1.0)));
            let (a, mut b) = ([point(), point()], [point(), point()]);
            match case % 5 {
                0 => b[1] = b[0] + (a[1] - a[0]) * 0.7,
                1 => b[1] = b[0],
                2 => b = a,
                _ => {}
            }
            let [x, y] = nearest_of_segments(a, b);
            let on = |ends: [DVec3; 2], share: f64| ends[0] + (ends[1] - ends[0]) * share;
            let shares = || (0..=40).map(|k| f64::from(k) / 40.0);
            let least = shares()
                .flat_map(|s| shares().map(move |t| (on(a, s) - on(b, t)).length()))
                .fold(f64::INFINITY, f64_min);
            assert!((x - y).length() <= least + 1e-12, "{a:?} {b:?}");
            // On their segments.
            for (ends, at) in [(a, x), (b, y)] {
                let off = (at - ends[0]).length() + (ends[1] - at).length();
                assert!(off <= (ends[1] - ends[0]).length() + 1e-12);
            }
        }
    }
}
