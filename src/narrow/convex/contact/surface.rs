//! Contacts of hulls with planes and half-spaces: the corners of a face.

use crate::lane::{Lanes, U};
use crate::math::dvec::{DVec3, f64_max, f64_min};
use crate::narrow::convex::contact::clip::{
    Candidate, DEEP, ManifoldCandidates, NO_CANDIDATE, reduce,
};
use crate::narrow::convex::contact::manifold::{
    HullContact, HullContactPoint, is_axis_steep, is_steep,
};
use crate::narrow::convex::contact::solid::Solid;
use crate::narrow::convex::gjk::ROUNDING;
use crate::narrow::convex::surface::{Surface, SurfaceInterval};

/// The contact of a hull with a plane or a half-space: the corners of a face.
#[inline(always)]
pub fn contact_with_surface<L: Lanes>(
    lanes: L,
    hull: &Solid<'_>,
    surface: Surface,
    margin: f32,
) -> Option<HullContact> {
    let place = SurfaceInterval::of(lanes, &hull.body, surface)?.place();
    let n = place.normal;
    let reach = hull.reach(lanes, n);
    let face = hull.face_along(n, reach.index);
    let size = place.size + f64::from(margin);
    let slop = 16.0 * f64::from(U) * size;
    let mut limit = f64_max(f64::from(margin), place.gap) + slop;
    let is_oblique = if place.radius == 0.0 {
        false
    } else if hull.has_area(face) {
        is_steep(place.radius, hull.cosine(face, n), size)
    } else {
        let (mut ends, mut len) = ([DVec3::ZERO; 2], 0);
        hull.each_corner(face, n, |corner, _| {
            ends[len % 2] = corner;
            len += 1;
        });
        // Normals of points and segments are arbitrary.
        len == 2 && is_axis_steep(place.radius, ends[1] - ends[0], n, size)
    };
    if is_oblique {
        limit = f64_min(limit, place.gap + slop);
    }
    let mut candidates = ManifoldCandidates::<64> {
        list: [NO_CANDIDATE; 64],
        len: 0,
        limit,
    };
    let candidate = |at: DVec3, feature: u8| {
        let height = place.height - at.dot(n);
        Candidate {
            // A difference: without a radius, −0 stays.
            at: at - n * (0.5 * (-height - place.radius)),
            separation: height - place.radius,
            feature,
        }
    };
    hull.each_corner(face, n, |corner, feature| {
        candidates.add(candidate(corner, feature))
    });
    if candidates.len == 0 {
        candidates.limit = f64::INFINITY;
        candidates.add(candidate(reach.point, reach.index as u8));
    }
    let len = candidates.len;
    let kept = reduce(&mut candidates.list[..len], n.across(), 0.0, size * DEEP);
    let point = |k: usize| {
        let candidate = candidates.list[if k < kept { k } else { 0 }];
        HullContactPoint {
            at: candidate.at,
            separation: if k < kept {
                candidate.separation
            } else {
                f64::INFINITY
            },
            feature: candidate.feature,
        }
    };
    Some(HullContact {
        normal: n,
        separation: f64_min(place.gap, 2.0 * f64::from(margin)),
        offset: DVec3::ZERO,
        count: kept,
        points: [point(0), point(1), point(2), point(3)],
    })
}

/// The side of a plane that a hull touches.
struct SurfacePlace {
    /// Unit vector from the hull to the surface.
    normal: DVec3,
    /// Distance of the surface from the center, along the normal.
    height: f64,
    /// Gap along the normal, never too great.
    gap: f64,
    /// Radius of the hull.
    radius: f64,
    /// S
    size: f64,
}

impl SurfaceInterval {
    /// The nearer side, the upper one of equal ones.
    fn place(&self) -> SurfacePlace {
        let unit = 1.0 / self.length;
        let sign = if self.is_solid || self.low >= -self.high {
            1.0
        } else {
            -1.0
        };
        let gap = if sign > 0.0 { self.low } else { -self.high };
        SurfacePlace {
            normal: self.normal * (-sign * unit),
            height: sign * self.center * unit,
            gap: gap * unit - self.size * unit * ROUNDING,
            radius: self.radius,
            size: self.size * unit,
        }
    }
}
