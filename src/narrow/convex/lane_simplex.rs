//! Simplices of [`batch`](crate::narrow::convex::batch), one per lane.

use crate::lane::{Float, Lanes, Vec3, select};

/// Corners of the difference of the cores, one per lane.
#[derive(Clone, Copy)]
pub struct LaneCorner<F> {
    pub at: Vec3<F>,
    /// 64 × the index of the point of A + that of B.
    pub id: F,
}

/// The nearest point to the origin of some corners.
#[derive(Clone, Copy)]
pub struct LaneNearest<F> {
    pub at: Vec3<F>,
    pub squared: F,
    /// The direction of that point: of a triangle its normal, which rounds less.
    pub way: Vec3<F>,
    /// The shares of the corners after the first.
    pub shares: [F; 3],
}

impl<F: Float> LaneNearest<F> {
    #[inline(always)]
    pub fn select(self, mask: F::Mask, other: Self) -> Self {
        LaneNearest {
            at: select(mask, self.at, other.at),
            squared: self.squared.select(mask, other.squared),
            way: select(mask, self.way, other.way),
            shares: self.shares,
        }
    }

    /// Takes the nearest point of an edge from `a` where it is nearer; `k` is the corner at its end.
    #[inline(always)]
    pub fn offer_edge<L: Lanes<F = F, M = F::Mask>>(
        &mut self,
        lanes: L,
        a: Vec3<F>,
        edge: Vec3<F>,
        k: usize,
    ) {
        let (share, at, is_inside) = on_edge(lanes, a, edge);
        let mut shares = [lanes.splat(0.0); 3];
        shares[k] = share;
        self.offer(is_inside, at, at, shares);
    }

    /// Takes the nearest point of the face of two edges from `a` where it is nearer, given the cross products of `a` with their ends.
    #[inline(always)]
    pub fn offer_face<L: Lanes<F = F, M = F::Mask>>(
        &mut self,
        lanes: L,
        a: Vec3<F>,
        edges: [Vec3<F>; 2],
        crosses: [Vec3<F>; 2],
        [i, j]: [usize; 2],
    ) {
        let face = FaceFoot::of(lanes, a, edges, crosses);
        let mut shares = [lanes.splat(0.0); 3];
        [shares[i], shares[j]] = face.shares;
        self.offer(face.is_inside, face.at, face.way, shares);
    }

    /// Takes another point where it is nearer and `is_inside`.
    #[inline(always)]
    pub fn offer(&mut self, is_inside: F::Mask, at: Vec3<F>, way: Vec3<F>, shares: [F; 3]) {
        let squared = at.dot(at);
        let is_better = is_inside & squared.lt(self.squared);
        self.squared = squared.select(is_better, self.squared);
        self.at = select(is_better, at, self.at);
        self.way = select(is_better, way, self.way);
        let mut k = 0;
        while k < 3 {
            self.shares[k] = shares[k].select(is_better, self.shares[k]);
            k += 1;
        }
    }
}

/// A simplex of each lane: three corners, or four around the origin.
#[derive(Clone, Copy)]
pub struct LaneSimplex<F> {
    pub corners: [LaneCorner<F>; 3],
    /// The index of a fourth corner.
    pub fourth: F,
    /// The shares of the corners in the nearest point.
    pub shares: [F; 4],
}

impl<F: Float> LaneSimplex<F> {
    /// The simplex of a corner and those of three others that have a share; at least one has none.
    #[inline(always)]
    pub fn without_one<L: Lanes<F = F, M = F::Mask>>(
        lanes: L,
        a: LaneCorner<F>,
        [b, c, d]: [LaneCorner<F>; 3],
        [share_b, share_c, share_d]: [F; 3],
    ) -> Self {
        let (zero, one) = (lanes.splat(0.0), lanes.splat(1.0));
        let without_b = share_b.le(zero);
        let without_b_or_c = without_b | share_c.le(zero);
        let (p, share_p) = (c.select(without_b, b), share_c.select(without_b, share_b));
        let (q, share_q) = (
            d.select(without_b_or_c, c),
            share_d.select(without_b_or_c, share_c),
        );
        LaneSimplex {
            corners: [
                a,
                a.select(share_p.le(zero), p),
                a.select(share_q.le(zero), q),
            ],
            fourth: zero,
            shares: [one - share_p - share_q, share_p, share_q, zero],
        }
    }

    #[inline(always)]
    pub fn select(self, mask: F::Mask, other: Self) -> Self {
        let (mut corners, mut shares) = (self.corners, self.shares);
        let mut k = 0;
        while k < 3 {
            corners[k] = corners[k].select(mask, other.corners[k]);
            k += 1;
        }
        k = 0;
        while k < 4 {
            shares[k] = shares[k].select(mask, other.shares[k]);
            k += 1;
        }
        let fourth = self.fourth.select(mask, other.fourth);
        LaneSimplex {
            corners,
            fourth,
            shares,
        }
    }
}

impl<F: Float> LaneCorner<F> {
    #[inline(always)]
    pub fn select(self, mask: F::Mask, other: Self) -> Self {
        LaneCorner {
            at: select(mask, self.at, other.at),
            id: self.id.select(mask, other.id),
        }
    }
}

/// The share of the end of an edge from `a`, the point, and whether that is on the edge.
#[inline(always)]
pub fn on_edge<L: Lanes>(lanes: L, a: Vec3<L::F>, edge: Vec3<L::F>) -> (L::F, Vec3<L::F>, L::M) {
    let share = -a.dot(edge) / edge.dot(edge);
    let is_inside = lanes.splat(0.0).lt(share) & share.le(lanes.splat(1.0));
    (share, a + edge * share, is_inside)
}

/// The point of the plane of a face that is nearest to the origin.
pub struct FaceFoot<L: Lanes> {
    /// Whether it is on the face.
    pub is_inside: L::M,
    pub at: Vec3<L::F>,
    /// The way to it along the normal.
    pub way: Vec3<L::F>,
    /// The shares of the ends of both edges.
    pub shares: [L::F; 2],
}

impl<L: Lanes> FaceFoot<L> {
    /// The face of two edges from `a`, given the cross products of `a` with their ends.
    #[inline(always)]
    pub fn of(lanes: L, a: Vec3<L::F>, [p, q]: [Vec3<L::F>; 2], [ap, aq]: [Vec3<L::F>; 2]) -> Self {
        let zero = lanes.splat(0.0);
        let normal = p.cross(q);
        let scale = lanes.splat(1.0) / normal.dot(normal);
        let (x, y) = (-normal.dot(aq) * scale, normal.dot(ap) * scale);
        FaceFoot {
            is_inside: zero.lt(x) & zero.lt(y) & (x + y).le(lanes.splat(1.0)),
            at: a + p * x + q * y,
            way: normal * (normal.dot(a) * scale),
            shares: [x, y],
        }
    }
}

#[inline(always)]
pub fn same<F: Float>(a: F, b: F) -> F::Mask {
    a.le(b) & b.le(a)
}
