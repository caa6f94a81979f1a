//! Hulls against planes and half-spaces: the interval of the heights of a hull.
//!
//! A radius of the hull extends the interval of its core by the radius on both sides, in units of the normal. Its length is never too
//! small, so neither is the interval.

use crate::lane::{Lanes, U};
use crate::math::dvec::{DVec3, f64_max, f64_min};
use crate::narrow::convex::body::Body;
use crate::narrow::convex::gjk::{FLOOR, HullDistance, POINTS, ROUNDING};

/// A plane or a half-space.
#[derive(Clone, Copy)]
pub struct Surface {
    pub normal: [f32; 3],
    pub d: f32,
    /// Whether it is a half-space.
    pub is_solid: bool,
}

impl Surface {
    /// Without a direction.
    pub const NONE: Self = Self::new([0.0; 3], 0.0, false);

    pub const fn new(normal: [f32; 3], d: f32, is_solid: bool) -> Self {
        Surface {
            normal,
            d,
            is_solid,
        }
    }
}

/// A hull against a plane or half-space: the interval of `normal · p + d` over the hull, in units of the normal.
#[derive(Clone, Copy)]
pub struct SurfaceInterval {
    /// Never above the least value.
    pub low: f64,
    /// Never below the greatest value.
    pub high: f64,
    /// The points of the core with its least and its greatest value, relative to the hull's center, and these values.
    ends: [(DVec3, f64); 2],
    /// Radius of the hull.
    pub radius: f64,
    /// The normal, its largest coordinate 1, and its length, never too small.
    pub normal: DVec3,
    pub length: f64,
    /// The value at the hull's center.
    pub center: f64,
    /// S, in units of the normal.
    pub size: f64,
    pub is_solid: bool,
}

impl SurfaceInterval {
    /// The interval of a hull; `None` if the normal has no direction.
    #[inline(always)]
    pub fn of<L: Lanes>(lanes: L, hull: &Body<'_>, surface: Surface) -> Option<Self> {
        let (n, scale) = DVec3::of(surface.normal).scaled()?;
        let d = f64::from(surface.d) / scale;
        let center = n.dot(hull.center) + d;
        let (below, above) = (hull.reach(lanes, -n), hull.reach(lanes, n));
        let DVec3([x, y, z]) = hull.center;
        let terms = DVec3([n[0] * x, n[1] * y, n[2] * z]);
        let size = terms.norm1() + d.abs() + 2.0 * (hull.size + hull.radius);
        let error = size * ROUNDING;
        let length = n.scaled_length();
        let radius = hull.radius * length;
        let value = |point: DVec3| (point, center + n.dot(point));
        Some(SurfaceInterval {
            low: center - below.most - radius - error,
            high: center + above.most + radius + error,
            ends: [value(below.point), value(above.point)],
            radius: hull.radius,
            center,
            normal: n,
            length,
            size,
            is_solid: surface.is_solid,
        })
    }

    /// The times at which the hull touches, while it moves by `v` relative to the surface.
    pub fn sweep(&self, margin: f32, v: DVec3) -> Option<(f64, f64)> {
        let rate = self.normal.dot(v);
        let within = f64::from(margin) * self.length;
        let error = v.norm1() * ROUNDING;
        let (mut first, mut last) = (0.0, 1.0);
        // low + t rate ≤ within, and for planes −(high + t rate) ≤ within.
        let mut cut = |value: f64, rate: f64| {
            let slack = within - value;
            if rate > error {
                last = f64_min(last, slack / (rate - error) * (1.0 + ROUNDING));
            } else if rate < -error {
                first = f64_max(first, slack / (rate - error) * (1.0 - ROUNDING));
            } else if slack < -error {
                last = -1.0;
            }
        };
        cut(self.low, rate);
        if !self.is_solid {
            cut(-self.high, -rate);
        }
        (first <= last).then_some((first, last))
    }

    /// Whether the hull touches within the margin.
    pub fn touches(&self, margin: f32) -> bool {
        let within = f64::from(margin) * self.length;
        self.low <= within && (self.is_solid || -self.high <= within)
    }

    /// The distance, with the point of the hull first.
    pub fn distance(&self) -> HullDistance {
        let [(low, low_value), (high, high_value)] = self.ends;
        let unit = 1.0 / self.length;
        let gap = f64_max(self.low, if self.is_solid { self.low } else { -self.high });
        // The point of the core that is nearest to the surface.
        let (point, value) = if low_value >= 0.0 || self.is_solid {
            (low, f64_max(low_value, 0.0))
        } else if high_value <= 0.0 {
            (high, high_value)
        } else {
            let share = low_value / (low_value - high_value);
            (low + (high - low) * share, 0.0)
        };
        // On the way to the surface, by the radius.
        let by = f64_min(self.radius * self.length, value.abs()).copysign(value);
        let (point, value) = (point - self.normal * (by * unit * unit), value - by);
        let (lower, upper) = (
            f64_max(gap, 0.0) * unit * (1.0 - ROUNDING),
            value.abs() * unit * (1.0 + ROUNDING) + self.size * POINTS,
        );
        let on_surface = point - self.normal * (value * unit * unit);
        let band = 288.0 * f64::from(U) * self.size + 4.0 * FLOOR;
        HullDistance {
            lower,
            upper,
            points: [point, on_surface],
            is_settled: upper - lower <= band + upper / 65536.0,
        }
    }
}
