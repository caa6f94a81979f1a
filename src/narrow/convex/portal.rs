//! Exit of a core from another along a direction, by portals, in `f64`.
//!
//! K is the set of all y − x. Moved by t along d, A leaves B where t d leaves K. For each n with n·d > 0, h(n) / n·d is an upper bound of
//! t, h being the support of K. A *portal* is a triangle of corners of K that the line along d crosses: the crossing is a lower bound.
//! The corner of K farthest along its normal and two of its corners form a higher portal. If no corner is farther, both bounds are equal.
//!
//! Every result is an upper bound, whatever the portals are: the error of supports is that of [`gjk`](crate::narrow::convex::gjk). A line
//! that misses the inner part of K, or crosses it over less than a rounding, has no portal. Its exit is found by the steps of a sweep, and
//! so is that of a rounded hull, of a cylinder and of a cone: the difference of round shapes has no corners.
//!
//! Source: G. Snethen, "Xenocollide: complex collision made simple", Game Programming Gems 7, 2008. Departure: both bounds.

use crate::lane::{Lanes, U};
use crate::math::dvec::{DVec3, f64_max, f64_min};
use crate::narrow::convex::gjk::{HullPair, ROUNDING};

/// Three corners of the difference of two cores, counterclockwise seen against the last direction that passed between them.
#[derive(Clone, Copy)]
pub struct Portal([DVec3; 3]);

/// Maximum numbers of steps to the first portal, and from there to the last one.
const STEPS_TO: usize = 16;
const STEPS_UP: usize = 32;

impl Portal {
    /// No portal.
    pub const NONE: Self = Portal([DVec3::ZERO; 3]);

    /// For each side, the signed distance of the line from it, positive inside, times a factor of its own.
    #[inline(always)]
    fn insides(&self, d: DVec3) -> [f64; 3] {
        let [p, q, r] = self.0;
        [p.cross(q).dot(d), q.cross(r).dot(d), r.cross(p).dot(d)]
    }

    /// Normal by the right-hand rule, as long as twice the area.
    #[inline(always)]
    fn normal(&self) -> DVec3 {
        let [p, q, r] = self.0;
        (q - p).cross(r - p)
    }

    /// The portal below `top`, through two of these corners and it.
    #[inline(always)]
    fn raised(&self, top: DVec3, d: DVec3) -> Option<Self> {
        let [p, q, r] = self.0;
        let [at_p, at_q, at_r] = self.0.map(|corner| top.cross(corner).dot(d));
        if at_p >= 0.0 && at_q <= 0.0 {
            Some(Portal([top, p, q]))
        } else if at_q >= 0.0 && at_r <= 0.0 {
            Some(Portal([top, q, r]))
        } else if at_r >= 0.0 && at_p <= 0.0 {
            Some(Portal([top, r, p]))
        } else {
            None
        }
    }
}

impl<L: Lanes> HullPair<'_, L> {
    /// Distance that A moves along a unit vector until it no longer touches B. At least `most` if the distance is longer. The shapes
    /// touch, B is a triangle, and there is no margin. `portal` is kept between directions of one pair.
    #[inline(always)]
    pub fn exit(&self, outward: DVec3, most: f64, portal: &mut Portal) -> f64 {
        // The length of the vector is rounded.
        self.exit_of_unit(outward, most, portal) * (1.0 + 8.0 * f64::from(U))
    }

    #[inline(always)]
    fn exit_of_unit(&self, d: DVec3, most: f64, portal: &mut Portal) -> f64 {
        let Some((scaled, _)) = d.scaled() else {
            return most;
        };
        let top = self.top(scaled);
        let height = top.height + self.within * scaled.scaled_length();
        let mut exit = f64_max(height, 0.0) / scaled.dot(d);
        let is_rounded = self.within > 0.0 || self.is_round();
        if !is_rounded
            && (portal.insides(d).iter().all(|inside| *inside > 0.0)
                || self.find_portal(d, top.of_a, portal))
        {
            let mut step = 0;
            while step < STEPS_UP {
                let Some((n, _)) = portal.normal().scaled() else {
                    break;
                };
                let cosine = n.dot(d);
                if cosine < LEAST_COSINE {
                    break;
                }
                let height = portal.0[0].dot(n);
                if height >= most * cosine {
                    return f64_max(height / cosine, most);
                }
                let top = self.top(n);
                exit = f64_min(exit, f64_max(top.height, 0.0) / cosine);
                if top.corner.dot(n) <= height + self.size() * ROUNDING {
                    return exit;
                }
                let Some(raised) = portal.raised(top.corner, d) else {
                    break;
                };
                *portal = raised;
                step += 1;
            }
        }
        f64_min(exit, self.exit_by_steps(d, f64_min(exit, most)))
    }

    /// Finds three corners around a direction, given the support of A along it. False if there are none, or not within some steps.
    #[inline(always)]
    fn find_portal(&self, d: DVec3, of_a: DVec3, portal: &mut Portal) -> bool {
        *portal = Portal([0, 1, 2].map(|k| self.offset() + self.b.spans.corner(k) - of_a));
        if portal.normal().dot(d) < 0.0 {
            portal.0.swap(1, 2);
        }
        let mut step = 0;
        while step < STEPS_TO {
            let insides = portal.insides(d);
            let mut k = 0;
            if insides[1] < insides[k] {
                k = 1;
            }
            if insides[2] < insides[k] {
                k = 2;
            }
            if insides[k] > 0.0 {
                return true;
            }
            // From the side that the line passes outside of, to beyond the line.
            let (from, to) = (portal.0[k], portal.0[(k + 1) % 3]);
            let Some((across, _)) = (to - from).cross(d).scaled() else {
                return false;
            };
            let corner = self.top(across).corner;
            if corner.dot(across) <= 0.0 {
                return false;
            }
            *portal = Portal([from, corner, to]);
            step += 1;
        }
        false
    }

    /// The corner of the difference that is farthest along a direction whose largest coordinate is 1.
    #[inline(always)]
    fn top(&self, n: DVec3) -> Top {
        let offset = self.offset();
        let (a, b) = (self.a.reach(self.lanes, -n), self.b.reach(self.lanes, n));
        Top {
            of_a: a.point,
            corner: offset + b.point - a.point,
            height: offset.dot(n) + a.most + b.most + self.size() * ROUNDING,
        }
    }
}

/// A corner of the difference.
struct Top {
    /// The point of A.
    of_a: DVec3,
    corner: DVec3,
    /// Its height along the direction, never too small.
    height: f64,
}

/// Least cosine of a portal's normal with the direction, as a part of the normal's largest coordinate.
const LEAST_COSINE: f64 = 1.0 / (1u64 << 20) as f64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dyadic::{Dyadic, dot};
    use crate::lane::One;
    use crate::narrow::convex::body::Body;
    use crate::narrow::convex::gjk::Goal;
    use crate::store::hull::kinds::{HullCore, PointBlock};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    const POINTS: usize = 10;

    fn vector(rng: &mut StdRng) -> [f32; 3] {
        [(); 3].map(|()| rng.random_range(-1.0..1.0f32))
    }

    /// A hull that is not turned.
    fn hull(center: [f32; 3], half_extents: [f32; 3], blocks: &[PointBlock]) -> Body<'_> {
        let core = HullCore::of_points(blocks, half_extents);
        Body::hull(center, [0.0, 0.0, 0.0, 1.0], core)
    }

    /// The highest place on the line along a direction that is in the hull of some points: that of the facet it passes through.
    fn highest(points: &[DVec3], d: DVec3) -> f64 {
        let mut most = f64::INFINITY;
        for (i, &p) in points.iter().enumerate() {
            for (j, &q) in points.iter().enumerate().skip(i + 1) {
                for &r in &points[j + 1..] {
                    let normal = (q - p).cross(r - p);
                    let n = if normal.dot(d) < 0.0 { -normal } else { normal };
                    let highest = points.iter().map(|x| (*x - p).dot(n));
                    let is_facet = highest.fold(0.0, f64_max) < 1e-12;
                    if is_facet && n.dot(d) > 0.0 {
                        most = f64_min(most, p.dot(n) / n.dot(d));
                    }
                }
            }
        }
        most
    }

    /// A point as a hull, and a triangle.
    #[test]
    fn height_of_a_corner_is_never_too_small() {
        let mut rng = StdRng::seed_from_u64(2);
        let blocks: [PointBlock; 1] = [[[0.0; 16]; 3]];
        for _ in 0..20_000 {
            let corners = [(); 3].map(|()| vector(&mut rng));
            let center = vector(&mut rng);
            let hull = hull(center, [0.0; 3], &blocks);
            let pair = HullPair::new(One, hull, Body::triangle(corners), 0.0);
            let Some((n, _)) = DVec3::of(vector(&mut rng)).scaled() else {
                continue;
            };
            let along = |v: [f32; 3]| dot(&Dyadic::vec(n.0), &Dyadic::vec(v));
            let least = along(center);
            let height = corners.map(|corner| &along(corner) - &least);
            let found = Dyadic::of(pair.top(n).height);
            assert!(height.iter().all(|height| *height <= found), "{n:?}");
        }
    }

    /// Just beyond the exit of a rounded hull there is a gap, just before it the shapes touch.
    #[test]
    fn exit_of_a_rounded_hull_is_where_its_gap_opens() {
        let mut rng = StdRng::seed_from_u64(3);
        let mut tried = 0;
        for case in 0..2000 {
            let corners = [(); 3].map(|()| vector(&mut rng));
            let count = [1, 2, POINTS][case % 3];
            let points = [(); POINTS].map(|()| vector(&mut rng));
            let block: PointBlock =
                [0, 1, 2].map(|axis| core::array::from_fn(|k| points[k % count][axis]));
            let blocks = [block];
            let mut hull = hull(vector(&mut rng), [1.0; 3], &blocks);
            hull.radius = [0.01, 0.3, 2.0][rng.random_range(0..3)];
            let pair = HullPair::new(One, hull, Body::triangle(corners), 0.0);
            let Some(d) = DVec3::of(vector(&mut rng)).unit() else {
                continue;
            };
            if !pair.touch() {
                continue;
            }
            tried += 1;
            let mut portal = Portal::NONE;
            let exit = pair.exit(d, f64::INFINITY, &mut portal);
            // Bounds of the distance of the cores, with A moved.
            let bounds = |by: f64| {
                let offset = pair.offset() - d * by;
                let found = pair.search(offset, offset, Goal::Distance);
                (found.gap, found.distance)
            };
            let (slack, size) = (1e-6 * pair.size(), pair.size());
            assert!(bounds(exit + slack).0 > hull.radius - 1e-6 * size, "{case}");
            let before = bounds(f64_max(exit - 64.0 * slack, 0.0)).1;
            assert!(before <= hull.radius + 1e-6 * size, "{case}: {before}");
            let most = exit * 0.5;
            assert!(pair.exit(d, most, &mut portal) >= most, "{case}");
        }
        assert!(tried > 600, "{tried}");
    }

    /// Hulls that hold a point of a triangle, and how far they move along any direction until they are free.
    #[test]
    fn exit_is_where_the_difference_ends() {
        let mut rng = StdRng::seed_from_u64(1);
        let (mut found, mut wide) = (0, 0.0f64);
        for case in 0..600 {
            let scale = [1.0, 0.01, 3.0][case % 3];
            let corners = [(); 3].map(|()| vector(&mut rng).map(|x| x * scale));
            let points = [(); POINTS].map(|()| vector(&mut rng));
            let mut block: PointBlock = [[0.0; 16]; 3];
            for k in 0..16 {
                for axis in 0..3 {
                    block[axis][k] = points[k % POINTS][axis];
                }
            }
            let blocks = [block];
            let shares = [(); 3].map(|()| rng.random_range(0.0..1.0f32));
            let sum: f32 = shares.iter().sum();
            let on = [0, 1, 2].map(|axis| {
                let of = |k: usize| shares[k] / sum * corners[k][axis];
                of(0) + of(1) + of(2)
            });
            // The mean of the points is inside; in each fourth case a corner is almost reached.
            let mean = [0, 1, 2]
                .map(|axis| points.iter().map(|point| point[axis]).sum::<f32>() / POINTS as f32);
            let inside = if case % 4 == 0 { 0.999 } else { 0.2 };
            let center = [0, 1, 2]
                .map(|axis| on[axis] - mean[axis] - inside * (points[0][axis] - mean[axis]));
            let hull = hull(center, [1.0; 3], &blocks);
            let pair = HullPair::new(One, hull, Body::triangle(corners), 0.0);
            let difference: Vec<DVec3> = corners
                .iter()
                .flat_map(|corner| {
                    points.map(|point| DVec3::of(*corner) - DVec3::of(center) - DVec3::of(point))
                })
                .collect();
            let mut portal = Portal::NONE;
            for _ in 0..6 {
                let Some(d) = DVec3::of(vector(&mut rng)).unit() else {
                    continue;
                };
                let exact = highest(&difference, d);
                let exit = pair.exit(d, f64::INFINITY, &mut portal);
                assert!(exit >= exact * (1.0 - 1e-9), "{case}: {exit} < {exact}");
                wide = f64_max(wide, (exit - exact) / pair.size());
                found += usize::from(portal.insides(d).iter().all(|inside| *inside > 0.0));
                // What is known to be longer than allowed need not be exact.
                let most = exact * 0.5;
                assert!(pair.exit(d, most, &mut portal) >= most, "{case}");
                let by_steps = pair.exit_by_steps(d, exact * 1.5 + 1e-3);
                assert!(by_steps >= exact * (1.0 - 1e-9), "{case}: {by_steps}");
                assert!((by_steps - exact).abs() < 1e-5 * pair.size(), "{case}");
            }
        }
        assert!(found > 3500, "{found} portals");
        assert!(wide < 2e-6, "{wide}");
    }
}
