//! Bounded shapes as bodies: the points within a radius of a core, in `f64`. [`gjk`](crate::narrow::convex::gjk) has the error bounds.

use crate::lane::{Float, Lanes, U};
use crate::math::dvec::{DVec3, f64_max};
use crate::math::rotation::f64_axes_of;
use crate::narrow::convex::support::Farthest;
use crate::narrow::geometry::simplex::Spans;
use crate::store::hull::discs::{DiscSupport, Discs};
use crate::store::hull::kinds::{HullCore, PointBlock};

/// A bounded shape: the points within a radius of a core, which is given relative to a center.
#[derive(Clone, Copy)]
pub struct Body<'k> {
    /// The center, or for a triangle its first corner.
    pub center: DVec3,
    pub radius: f64,
    /// The core, or the box around the points of a hull.
    pub spans: Spans,
    pub points: Option<Points<'k>>,
    /// Sum of the lengths of the spans, of a triangle twice.
    pub size: f64,
    /// Origin of reported points, relative to `center`: the center, of a triangle the mean of its corners.
    pub origin: DVec3,
}

/// The points of a hull.
#[derive(Clone, Copy)]
pub struct Points<'k> {
    blocks: &'k [PointBlock],
    /// Unit axes of the hull's frame.
    pub axes: [DVec3; 3],
    half_extents: DVec3,
    /// The discs of a cylinder or a cone, in place of the points.
    pub discs: Option<Discs>,
}

/// A shape of a batch that is not a hull: the points within a radius of the hull of some points.
#[derive(Clone, Copy)]
pub struct Placed {
    pub center: [f32; 3],
    pub half_extents: [f32; 3],
    pub rotation: [f32; 4],
    pub radius: f32,
    pub origin: [f32; 3],
    pub corners: [[f32; 3]; 8],
}

/// The point of a core that is farthest along a direction, and an upper bound of h of that direction.
pub struct Reach {
    pub point: DVec3,
    pub most: f64,
    /// Index among the points of a hull. Those of discs have none.
    pub index: usize,
}

impl<'k> Body<'k> {
    /// A point at the origin.
    pub const NONE: Self = Body {
        center: DVec3::ZERO,
        radius: 0.0,
        spans: Spans::NONE,
        points: None,
        size: 0.0,
        origin: DVec3::ZERO,
    };

    /// A sphere, or a point.
    pub fn sphere(center: [f32; 3], radius: f32) -> Self {
        Self::of_spans(DVec3::of(center), [DVec3::ZERO; 3], radius)
    }

    /// A capsule.
    pub fn capsule(center: [f32; 3], half_axis: [f32; 3], radius: f32) -> Self {
        Self::of_spans(
            DVec3::of(center),
            [DVec3::of(half_axis), DVec3::ZERO, DVec3::ZERO],
            radius,
        )
    }

    /// An AABB.
    pub fn aabb(min: [f32; 3], max: [f32; 3]) -> Self {
        let (min, max) = (DVec3::of(min), DVec3::of(max));
        let DVec3([x, y, z]) = (max - min) * 0.5;
        let spans = [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]].map(DVec3);
        Self::of_spans((min + max) * 0.5, spans, 0.0)
    }

    /// An OBB.
    pub fn obb(center: [f32; 3], half_extents: [f32; 3], rotation: [f32; 4]) -> Self {
        let (axes, [x, y, z]) = (f64_axes_of(rotation), DVec3::of(half_extents).0);
        let spans = [axes[0] * x, axes[1] * y, axes[2] * z];
        Self::of_spans(DVec3::of(center), spans, 0.0)
    }

    /// A triangle.
    pub fn triangle([a, b, c]: [[f32; 3]; 3]) -> Self {
        let (a, b, c) = (DVec3::of(a), DVec3::of(b), DVec3::of(c));
        let (second, third) = (b - a, c - a);
        Body {
            center: a,
            radius: 0.0,
            spans: Spans::new([second, third, DVec3::ZERO], true),
            points: None,
            size: 2.0 * (second.norm1() + third.norm1()),
            origin: (second + third) * (1.0 / 3.0),
        }
    }

    /// A hull with its radius.
    #[inline(always)]
    pub fn hull(center: [f32; 3], rotation: [f32; 4], core: HullCore<'k>) -> Self {
        let mut body = Self::NONE;
        body.set_hull(center, f64_axes_of(rotation), core);
        body
    }

    /// Sets this to a hull with its radius, given the axes of its frame.
    #[inline(always)]
    pub fn set_hull(&mut self, center: [f32; 3], axes: [DVec3; 3], core: HullCore<'k>) {
        let half_extents = DVec3::of(core.half_extents);
        let [x, y, z] = half_extents.0;
        let spans = [axes[0] * x, axes[1] * y, axes[2] * z];
        self.center = DVec3::of(center);
        self.radius = f64::from(core.radius);
        self.spans = Spans::new(spans, false);
        self.points = Some(Points {
            blocks: core.blocks,
            axes,
            half_extents,
            discs: core.discs,
        });
        self.size = spans[0].norm1() + spans[1].norm1() + spans[2].norm1();
        self.origin = DVec3::ZERO;
    }

    /// This shape in a batch, if it is not a hull.
    pub fn placed(&self) -> Placed {
        let center = self.center.to_f32();
        let shift = self.center - DVec3::of(center);
        let corners: [[f32; 3]; 8] =
            core::array::from_fn(|k| (self.spans.corner(k) + shift).to_f32());
        let half_extents = [0, 1, 2].map(|axis| {
            let mut most = 0.0f32;
            for corner in &corners {
                most = Float::max(corner[axis].abs(), most);
            }
            most
        });
        Placed {
            center,
            half_extents,
            rotation: [0.0, 0.0, 0.0, 1.0],
            radius: self.radius as f32,
            origin: (self.origin + shift).to_f32(),
            corners,
        }
    }

    /// Whether this is a cylinder or a cone. Their cores have no corners.
    pub fn is_round(&self) -> bool {
        matches!(self.points, Some(Points { discs: Some(_), .. }))
    }

    /// Point `k` of the core, relative to the center.
    #[inline(always)]
    pub fn point(&self, k: usize) -> DVec3 {
        match self.points {
            Some(Points { blocks, axes, .. }) => blocks.get(k / 16).map_or(DVec3::ZERO, |block| {
                DVec3::of(block.map(|axis| axis[k % 16])).turned(axes)
            }),
            None => self.spans.corner(k),
        }
    }

    #[inline]
    fn of_spans(center: DVec3, spans: [DVec3; 3], radius: f32) -> Self {
        Body {
            center,
            radius: f64::from(radius),
            spans: Spans::new(spans, false),
            points: None,
            size: spans[0].norm1() + spans[1].norm1() + spans[2].norm1(),
            origin: DVec3::ZERO,
        }
    }

    /// The body rotated about its center by a matrix, given in rows.
    #[inline(always)]
    pub fn turned(&self, rows: &[DVec3; 3]) -> Self {
        let mut turned = *self;
        turned.spans = self.spans.rotated(rows);
        turned.size = turned.spans.vectors().map(DVec3::norm1).iter().sum();
        if let Some(points) = &mut turned.points {
            points.axes = points.axes.map(|axis| axis.along(*rows));
        }
        turned
    }

    /// Sum of the Euclidean lengths of the spans and the radius; of a triangle the longer edge at the center.
    pub fn length(&self) -> f64 {
        let [x, y, z] = self.spans.vectors().map(DVec3::length);
        if self.spans.are_of_triangle() {
            f64_max(x, y)
        } else {
            x + y + z + self.radius
        }
    }

    /// Largest distance of a point of the core from the center, never too small.
    #[inline(always)]
    pub fn radius_of_core<L: Lanes>(&self, lanes: L) -> f64 {
        match self.points {
            Some(points) => greatest_length(lanes, points.blocks),
            None if self.spans.are_of_triangle() => {
                let [x, y, _] = self.spans.vectors().map(DVec3::length);
                f64_max(x, y)
            }
            None => DVec3(self.spans.vectors().map(DVec3::length)).length(),
        }
    }

    /// Excess of `most` of a reach, at most.
    pub fn slack(&self) -> f64 {
        match self.points {
            Some(_) => 4.1 * f64::from(U) * self.size,
            None => 0.0,
        }
    }

    /// The farthest point along a direction whose largest coordinate is 1.
    #[inline(always)]
    pub fn reach<L: Lanes>(&self, lanes: L, d: DVec3) -> Reach {
        let Some(Points {
            blocks,
            axes,
            half_extents: h,
            discs,
        }) = self.points
        else {
            let point = self.spans.farthest(d);
            let most = point.dot(d);
            return Reach {
                point,
                most,
                index: 0,
            };
        };
        let local = d.along(axes);
        if let Some(discs) = discs {
            let DiscSupport {
                disc,
                azimuth,
                most,
                ..
            } = discs.support(local);
            return Reach {
                point: discs.rim_point(disc, azimuth, 0).turned(axes),
                index: 0,
                most,
            };
        }
        let d = local.to_f32();
        let (index, [x, y, z]) = lanes.call::<Farthest<'_>>((blocks, d));
        let value = x * d[0] + y * d[1] + z * d[2];
        let sum = h[0] * local[0].abs() + h[1] * local[1].abs() + h[2] * local[2].abs();
        Reach {
            point: DVec3::of([x, y, z]).turned(axes),
            index,
            most: f64::from(value) + (4.1 * f64::from(U) * sum + UNDERFLOW),
        }
    }
}

/// Absolute part of the error of the points of a hull: 2⁻¹⁴⁰.
const UNDERFLOW: f64 = 1.0 / (1u128 << 70) as f64 / (1u128 << 70) as f64;

/// Number of points of a block.
const BLOCK: usize = 16;

/// Point `index` of a hull.
#[inline(always)]
pub fn point_at(blocks: &[PointBlock], index: usize) -> DVec3 {
    let [x, y, z] = &blocks[index / BLOCK];
    let k = index % BLOCK;
    DVec3::of([x[k], y[k], z[k]])
}

/// The greatest length of points, never too small.
#[inline(always)]
fn greatest_length<L: Lanes>(lanes: L, blocks: &[PointBlock]) -> f64 {
    let mut most = lanes.splat(0.0);
    for [x, y, z] in blocks {
        let mut at = 0;
        while at < BLOCK {
            let (x, y, z) = (
                lanes.load(&x[at..]),
                lanes.load(&y[at..]),
                lanes.load(&z[at..]),
            );
            most = (x * x + y * y + z * z).max(most);
            at += L::COUNT;
        }
    }
    let mut all = [0.0; BLOCK];
    lanes.store(most, &mut all);
    let mut most = 0.0;
    for x in all {
        most = Float::max(x, most);
    }
    // Squares round by 3 u, the root by u; those below 2⁻¹⁴⁹ are lost.
    f64::from(Float::sqrt(most)) * (1.0 + 4.0 * f64::from(U)) + 1.0 / (1u128 << 73) as f64
}
