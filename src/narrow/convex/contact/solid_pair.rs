//! Two shapes with faces, and the normals of their contacts.

use crate::lane::Lanes;
use crate::math::dvec::DVec3;
use crate::narrow::convex::contact::solid::Solid;
use crate::narrow::convex::gjk::ROUNDING;

/// The greatest gap of a group of normals.
#[derive(Clone, Copy)]
pub struct Best {
    pub gap: f64,
    pub feature: Feature,
    /// Index of the support of the other shape, if the feature is a face.
    pub support: usize,
    /// Unit vector from A to B.
    pub normal: DVec3,
}

/// The features whose normal is that of a contact.
#[derive(Clone, Copy)]
pub enum Feature {
    FaceOfA(usize),
    FaceOfB(usize),
    /// An edge of either shape.
    Edges(usize, usize),
    /// Nearest points, not on a face, relative to the center of A.
    Points([DVec3; 2]),
}

/// A pair of shapes with faces.
pub struct FacedPair<'s, 'k, L> {
    pub lanes: L,
    /// In kernel order.
    pub solids: [&'s Solid<'k>; 2],
    /// From the center of A to that of B.
    pub offset: DVec3,
    /// Sum of the radii and the margin.
    pub within: f64,
    /// S.
    pub size: f64,
    pub margin: f32,
}

impl<'s, 'k, L: Lanes> FacedPair<'s, 'k, L> {
    #[inline(always)]
    pub fn new(lanes: L, a: &'s Solid<'k>, b: &'s Solid<'k>, margin: f32) -> Self {
        let offset = b.body.center - a.body.center;
        let within = a.body.radius + b.body.radius + f64::from(margin);
        FacedPair {
            lanes,
            solids: [a, b],
            offset,
            within,
            size: offset.norm1() + a.body.size + b.body.size + within,
            margin,
        }
    }

    /// S, for searches in `f32`.
    #[inline(always)]
    pub fn size(&self) -> f32 {
        self.size as f32
    }

    /// The gap of the cores along a unit vector, never too great.
    #[inline(always)]
    pub fn gap(&self, n: DVec3) -> f64 {
        let [a, b] = self.solids;
        let reach = a.body.reach(self.lanes, n).most + b.body.reach(self.lanes, -n).most;
        self.offset.dot(n) - reach - self.size * ROUNDING
    }
}
