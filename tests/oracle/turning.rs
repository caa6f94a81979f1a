//! First contact of rotating shapes, from the definition, in `f64`.
//!
//! Two separated convex sets have a separating unit vector n. The separation along n, s(n, t) = n · d(t) − Σ aᵢ |n ·
//! Aᵢ(t)| − Σ bⱼ |n · Bⱼ(t)| − r, is above zero. d is the offset of the centers, a and A are the half extents and axes
//! of the first set, b and B those of the second, or its half axis, and r is a radius. So one n proves that there is no
//! contact at a time, and around it: let n be fixed, and x(τ) = n · Aᵢ(m + τ). With a rotation vector ω the second
//! derivative of x is −(ω × n) · (ω × Aᵢ), so that
//!
//! > |x(τ)| ≤ |x(0) + x′(0) τ| + ½ |ω × n| |ω × Aᵢ| τ²,
//!
//! and a concave function of τ is a lower bound of s(n, m + τ). If it is above zero at both ends of an interval, there
//! is no contact in between. Intervals are divided until this holds for all, or a time of contact is found.
//!
//! Roundings of `f64` are about 10⁻¹⁵ of the lengths; the slack is `SLACK` of them. Within the slack the contact stays
//! undecided.

use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Sphere, Triangle};

use super::minkowski::{V, add, axes_of, cross, dot, length, sub, times};

/// Bound of roundings, relative to all lengths.
pub const SLACK: f64 = 1e-12;

/// Iteration limit for a pair that barely touches; the rest stays undecided.
const MOST_LOOKS: usize = 100_000;
/// Gap, relative to all lengths, within which contact may stay undecided.
pub const CLOSE: f64 = 1e-10;

/// A shape of any type with impacts against a rotating box.
#[derive(Clone, Copy, Debug)]
pub enum Any {
    Obb(Obb),
    Aabb(Aabb),
    Sphere(Sphere),
    Capsule(Capsule),
    Plane(Plane),
    HalfSpace(HalfSpace),
    Triangle(Triangle),
}

/// A shape with its motion during the frame.
#[derive(Clone, Copy, Debug)]
pub struct Turning {
    pub shape: Any,
    pub displacement: [f32; 3],
    /// Zero except for OBBs.
    pub turn: [f32; 3],
}

fn wide(v: [f32; 3]) -> V {
    v.map(f64::from)
}

fn norm_1(v: V) -> f64 {
    v.iter().map(|x| x.abs()).sum()
}

/// The least coordinate of corners along a direction.
fn least_along(corners: &[V; 3], n: V) -> f64 {
    corners
        .iter()
        .fold(f64::INFINITY, |m, corner| m.min(dot(*corner, n)))
}

/// The direction perpendicular to two unit vectors; `None` if they are parallel.
fn across(a: V, b: V) -> Option<V> {
    // For nearly parallel edges, the difference keeps all digits.
    let apart = if dot(a, b) > 0.0 {
        sub(b, a)
    } else {
        add(b, a)
    };
    let n = cross(a, apart);
    let squared = dot(n, n);
    (squared > 1e-30).then(|| times(n, 1.0 / squared.sqrt()))
}

/// The axes of a box over time, each with its half extent.
#[derive(Clone, Copy, Debug)]
struct Spin {
    half: V,
    /// For each axis: the component along the turn, the component perpendicular to it, and the latter rotated by 90°.
    along: [V; 3],
    across: [V; 3],
    ahead: [V; 3],
    turn: V,
    /// The length of the turn.
    angle: f64,
    /// Half of the sum of half extents times speeds.
    lever: f64,
}

/// The axes of a box at a time, and their velocities.
#[derive(Clone, Copy, Debug)]
struct Pose {
    axes: [V; 3],
    speeds: [V; 3],
}

impl Spin {
    fn new(axes: [V; 3], half: V, turn: V) -> Self {
        let angle = length(turn);
        let axis = if angle > 0.0 {
            times(turn, 1.0 / angle)
        } else {
            [0.0; 3]
        };
        let along = axes.map(|a| times(axis, dot(a, axis)));
        // For an axis nearly along the turn, the difference would lose digits.
        let ahead = axes.map(|a| cross(axis, a));
        let across = if angle > 0.0 {
            ahead.map(|a| cross(a, axis))
        } else {
            axes
        };
        let lengths = |k: usize| half[k] * length(across[k]);
        let lever = 0.5 * angle * (lengths(0) + lengths(1) + lengths(2));
        Spin {
            half,
            along,
            across,
            ahead,
            turn,
            angle,
            lever,
        }
    }

    fn at(&self, time: f64) -> Pose {
        if self.angle == 0.0 {
            return Pose {
                axes: self.across,
                speeds: [[0.0; 3]; 3],
            };
        }
        let (sin, cos) = (self.angle * time).sin_cos();
        let turned =
            |k: usize, c: f64, s: f64| add(times(self.across[k], c), times(self.ahead[k], s));
        Pose {
            axes: [0, 1, 2].map(|k| add(self.along[k], turned(k, cos, sin))),
            speeds: [0, 1, 2].map(|k| turned(k, -sin * self.angle, cos * self.angle)),
        }
    }

    /// Half the curvature bound of the sum of |n · axes|.
    fn bend(&self, n: V) -> f64 {
        if self.angle == 0.0 {
            return 0.0;
        }
        let across = cross(self.turn, n);
        dot(across, across).sqrt() * self.lever
    }

    fn reach(&self, pose: &Pose, n: V) -> f64 {
        let along = |k: usize| self.half[k] * dot(pose.axes[k], n).abs();
        along(0) + along(1) + along(2)
    }
}

// Not boxed, so that a couple can be copied.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Copy, Debug)]
enum Other {
    Box(Spin),
    Round {
        half_axis: V,
        radius: f64,
    },
    /// The corners, relative to the first.
    Corners([V; 3]),
    /// A plane, grown by a distance.
    Plane {
        normal: V,
        is_solid: bool,
        margin: f64,
    },
}

/// A box and the other shape over the frame.
#[derive(Clone, Copy, Debug)]
pub struct Couple {
    spin: Spin,
    other: Other,
    /// Vector from the box's center to the other center. For planes only the first coordinate counts: the height of the
    /// box's center.
    offset: V,
    motion: V,
    /// The sum of all lengths.
    pub size: f64,
}

/// State of a couple at a time, along one direction.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    pub time: f64,
    /// Unit vector from the box to the other shape.
    pub normal: V,
    /// For planes, the side of the box's center.
    side: f64,
    /// Distance of the shapes, negative if they overlap: the gap, except for roundings of the direction.
    pub apart: f64,
    base: f64,
    slope: f64,
    /// Weight, value and speed of each term.
    terms: [(f64, f64, f64); 6],
    bend: f64,
}

impl Look {
    /// Lower bound of the gap at a time later or earlier by `tau`.
    pub fn gap_after(&self, tau: f64) -> f64 {
        let mut gap = self.base + self.slope * tau - self.bend * tau * tau;
        for (weight, value, speed) in self.terms {
            gap -= weight * (value + speed * tau).abs();
        }
        gap
    }

    /// Gap of the shapes along the direction; negative if they overlap.
    pub fn gap(&self) -> f64 {
        self.gap_after(0.0)
    }

    /// Time, at most `limit`, for which the gap stays above `least`, later and earlier.
    pub fn clear(&self, limit: f64, least: f64) -> f64 {
        if self.gap_after(limit) > least {
            return limit;
        }
        // A concave function stays above `least` up to one place, found by bisection.
        let (mut near, mut far) = (0.0, limit);
        for _ in 0..60 {
            near = 0.5 * far;
            if self.gap_after(near) > least {
                break;
            }
            (near, far) = (0.0, near);
        }
        for _ in 0..4 {
            let middle = 0.5 * (near + far);
            if self.gap_after(middle) > least {
                near = middle;
            } else {
                far = middle;
            }
        }
        near
    }
}

/// First contact of shapes, as far as it is decided.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// The shapes do not touch before this time; the given limit if they do not touch at all.
    pub free_until: f64,
    /// A time at which they touch, and the depth.
    pub touch: Option<(f64, f64)>,
}

impl Couple {
    /// Two shapes, one of them an OBB, and a margin.
    pub fn new(a: &Turning, b: &Turning, margin: f32) -> Self {
        let m = f64::from(margin);
        let (one, other, flip) = match (a.shape, b.shape) {
            (Any::Obb(_), _) => (a, b, false),
            _ => (b, a, true),
        };
        let Any::Obb(obb) = one.shape else {
            panic!("none of both is a box that may turn");
        };
        let motion = sub(wide(other.displacement), wide(one.displacement));
        let half = wide(obb.half_extents);
        let spin = |half| Spin::new(axes_of(obb.rotation), half, wide(one.turn));
        let (plain, grown) = (spin(half), spin(half.map(|x| x + m)));
        let own = norm_1(plain.half) + m + norm_1(motion);
        let center = wide(obb.center);
        let couple = |spin, other, at: V, lengths: f64| Couple {
            spin,
            other,
            offset: sub(at, center),
            motion,
            size: own + lengths + norm_1(sub(at, center)),
        };
        match other.shape {
            Any::Obb(b) => {
                let half = wide(b.half_extents);
                let spin = Spin::new(axes_of(b.rotation), half, wide(other.turn));
                debug_assert!(!flip);
                couple(grown, Other::Box(spin), wide(b.center), norm_1(half))
            }
            Any::Aabb(b) => {
                let (min, max) = (wide(b.min), wide(b.max));
                let half = times(sub(max, min), 0.5);
                let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                let spin = Spin::new(axes, half.map(|x| x + m), [0.0; 3]);
                let at = times(add(min, max), 0.5);
                couple(plain, Other::Box(spin), at, norm_1(half))
            }
            Any::Sphere(b) => {
                let radius = f64::from(b.radius);
                let round = Other::Round {
                    half_axis: [0.0; 3],
                    radius: radius + m,
                };
                couple(plain, round, wide(b.center), radius)
            }
            Any::Capsule(b) => {
                let (half_axis, radius) = (wide(b.half_axis), f64::from(b.radius));
                let round = Other::Round {
                    half_axis,
                    radius: radius + m,
                };
                couple(plain, round, wide(b.center), radius + norm_1(half_axis))
            }
            Any::Plane(b) => Couple::plane(plain, own, b.normal, b.d, center, motion, (false, m)),
            Any::HalfSpace(b) => {
                Couple::plane(plain, own, b.normal, b.d, center, motion, (true, m))
            }
            Any::Triangle(b) => {
                let corners = b.corners.map(wide);
                let [p, q, r] = corners;
                let longest = length(sub(q, p))
                    .max(length(sub(r, q)))
                    .max(length(sub(p, r)));
                let farthest = corners
                    .iter()
                    .fold(0.0f64, |m, corner| m.max(norm_1(sub(*corner, center))));
                let relative = corners.map(|corner| sub(corner, p));
                Couple {
                    size: own + farthest + longest,
                    ..couple(grown, Other::Corners(relative), p, 0.0)
                }
            }
        }
    }

    fn plane(
        spin: Spin,
        own: f64,
        normal: [f32; 3],
        d: f32,
        center: V,
        motion: V,
        (is_solid, margin): (bool, f64),
    ) -> Self {
        let normal = wide(normal);
        let long = length(normal);
        let normal = times(normal, 1.0 / long);
        let d = f64::from(d) / long;
        let sizes = |v: V| (0..3).map(|k| (normal[k] * v[k]).abs()).sum::<f64>();
        Couple {
            spin,
            other: Other::Plane {
                normal,
                is_solid,
                margin,
            },
            offset: [dot(normal, center) + d, 0.0, 0.0],
            // The motion of the plane less the motion of the box: the height changes by the opposite.
            motion: [-dot(normal, motion), 0.0, 0.0],
            size: own - norm_1(motion) + sizes(motion) + sizes(center) + d.abs(),
        }
    }

    /// This couple with the other shape displaced by a vector, for the whole frame.
    pub fn moved_by(&self, by: V) -> Self {
        assert!(!matches!(self.other, Other::Plane { .. }));
        Couple {
            offset: add(self.offset, by),
            ..*self
        }
    }

    /// Bound of roundings.
    fn slack(&self) -> f64 {
        SLACK * self.size + 1e-290
    }

    fn offset_at(&self, time: f64) -> V {
        add(self.offset, times(self.motion, time))
    }

    /// State at a time, along the direction of largest separation or least penetration.
    ///
    /// The direction is the best of fifteen axes for boxes and of thirteen for a triangle, and the direction of the
    /// distance for other shapes.
    pub fn look(&self, time: f64) -> Look {
        let pose = self.spin.at(time);
        let d = self.offset_at(time);
        match &self.other {
            Other::Plane {
                normal,
                is_solid,
                margin,
            } => {
                let side = if *is_solid || d[0] >= 0.0 { 1.0 } else { -1.0 };
                let n = times(*normal, -side);
                let mut look = self.seen(time, &pose, None, n, 0.0);
                look.base = side * d[0] - margin;
                look.slope = side * self.motion[0];
                look.side = side;
                look.apart = look.gap();
                look
            }
            Other::Box(spin) => {
                let other = spin.at(time);
                let (apart, n) = self.widest(&pose, spin, &other, d, |gap, _| gap);
                let mut look = self.seen(time, &pose, Some((spin, &other)), n, 0.0);
                look.apart = apart;
                look
            }
            Other::Corners(corners) => {
                let (apart, n) = self.widest_to_corners(&pose, corners, d, |gap, _| gap);
                let mut look = self.seen(time, &pose, None, n, 0.0);
                look.base += least_along(corners, n);
                look.apart = apart;
                look
            }
            Other::Round { half_axis, radius } => {
                let (apart, n) = self.towards(&pose, d, *half_axis);
                let mut look = self.seen(time, &pose, None, n, *radius);
                look.base -= dot(*half_axis, n).abs();
                look.apart = apart - radius;
                look
            }
        }
    }

    fn seen(
        &self,
        time: f64,
        pose: &Pose,
        other: Option<(&Spin, &Pose)>,
        normal: V,
        radius: f64,
    ) -> Look {
        let mut terms = [(0.0, 0.0, 0.0); 6];
        let mut add_terms = |first: usize, spin: &Spin, pose: &Pose| {
            for k in 0..3 {
                let (value, speed) = (dot(pose.axes[k], normal), dot(pose.speeds[k], normal));
                terms[first + k] = (spin.half[k], value, speed);
            }
            spin.bend(normal)
        };
        let mut bend = add_terms(0, &self.spin, pose);
        if let Some((spin, pose)) = other {
            bend += add_terms(3, spin, pose);
        }
        Look {
            time,
            normal,
            side: 0.0,
            apart: 0.0,
            base: dot(self.offset_at(time), normal) - radius,
            slope: dot(self.motion, normal),
            terms,
            bend,
        }
    }

    /// The axis with the largest value of `of`, given the gap along it and the axis.
    fn widest(
        &self,
        pose: &Pose,
        spin: &Spin,
        other: &Pose,
        d: V,
        of: impl Fn(f64, V) -> f64,
    ) -> (f64, V) {
        let mut widest = (f64::NEG_INFINITY, [1.0, 0.0, 0.0]);
        let mut see = |n: V| {
            let along = dot(d, n);
            let gap = along.abs() - self.spin.reach(pose, n) - spin.reach(other, n);
            let value = of(gap, n);
            if value > widest.0 {
                widest = (value, if along < 0.0 { times(n, -1.0) } else { n });
            }
        };
        for k in 0..3 {
            see(pose.axes[k]);
            see(other.axes[k]);
        }
        for a in pose.axes {
            for b in other.axes {
                if let Some(n) = across(a, b) {
                    see(n);
                }
            }
        }
        widest
    }

    /// Separation from a triangle, by thirteen axes and some more.
    fn widest_to_corners(
        &self,
        pose: &Pose,
        corners: &[V; 3],
        d: V,
        of: impl Fn(f64, V) -> f64,
    ) -> (f64, V) {
        let mut widest = (f64::NEG_INFINITY, [1.0, 0.0, 0.0]);
        let mut see = |n: V| {
            for n in [n, times(n, -1.0)] {
                let gap = dot(d, n) + least_along(corners, n) - self.spin.reach(pose, n);
                let value = of(gap, n);
                if value > widest.0 {
                    widest = (value, n);
                }
            }
        };
        let [p, q, r] = *corners;
        let normal = cross(sub(q, p), sub(r, p));
        let of_area = length(normal);
        if of_area > 0.0 {
            see(times(normal, 1.0 / of_area));
        }
        for a in pose.axes {
            see(a);
            for edge in [sub(q, p), sub(r, p), sub(r, q)] {
                let long = length(edge);
                if long > 0.0
                    && let Some(n) = across(a, times(edge, 1.0 / long))
                {
                    see(n);
                }
            }
        }
        widest
    }

    /// The direction of the distance from the box to a segment, or of least penetration.
    fn towards(&self, pose: &Pose, d: V, half_axis: V) -> (f64, V) {
        let at = [0, 1, 2].map(|k| dot(d, pose.axes[k]));
        let along = [0, 1, 2].map(|k| dot(half_axis, pose.axes[k]));
        let half = self.spin.half;
        let beyond = |s: f64| {
            [0, 1, 2].map(|k| {
                let x = at[k] + s * along[k];
                x - x.clamp(-half[k], half[k])
            })
        };
        let slope = |s: f64| dot(beyond(s), along);
        // Half the squared distance is convex, and its slope is linear between the places where the segment passes a
        // side.
        let (mut from, mut to) = (-1.0f64, 1.0f64);
        let s = if slope(from) >= 0.0 {
            from
        } else if slope(to) <= 0.0 {
            to
        } else {
            for k in 0..3 {
                for side in [-half[k], half[k]] {
                    let s = (side - at[k]) / along[k];
                    if s > from && s < to {
                        if slope(s) > 0.0 {
                            to = s;
                        } else {
                            from = s;
                        }
                    }
                }
            }
            let (low, high) = (slope(from), slope(to));
            if high > low {
                (from + (to - from) * (-low / (high - low))).clamp(from, to)
            } else {
                from
            }
        };
        let away = beyond(s);
        let far = length(away);
        if far > 1e-13 * self.size {
            // Perpendicular to the segment if the nearest point is within it, except for roundings.
            let squared = dot(along, along);
            let straight = if squared > 0.0 {
                sub(away, times(along, dot(away, along) / squared))
            } else {
                away
            };
            let mut best = (f64::NEG_INFINITY, away);
            for n in [away, straight] {
                let reach: f64 = (0..3).map(|k| half[k] * n[k].abs()).sum();
                let long = length(n);
                let gap = (dot(n, at) - reach - dot(n, along).abs()) / long;
                if gap > best.0 {
                    best = (gap, times(n, 1.0 / long));
                }
            }
            let n = best.1;
            let world = [0, 1, 2].map(|i| (0..3).map(|k| n[k] * pose.axes[k][i]).sum());
            return (far, world);
        }
        // The segment pierces or touches the box.
        let mut least = (f64::NEG_INFINITY, pose.axes[0]);
        let mut see = |n: V| {
            let along = dot(d, n);
            let gap = along.abs() - self.spin.reach(pose, n) - dot(half_axis, n).abs();
            if gap > least.0 {
                least = (gap, if along < 0.0 { times(n, -1.0) } else { n });
            }
        };
        let long = length(half_axis);
        for axis in pose.axes {
            see(axis);
            if long > 0.0 {
                let n = cross(axis, times(half_axis, 1.0 / long));
                let squared = dot(n, n);
                if squared > 1e-30 {
                    see(times(n, 1.0 / squared.sqrt()));
                }
            }
        }
        least
    }

    /// Growth of one of the shapes at a time that makes it touch the other.
    ///
    /// Of two boxes, the box that needs less growth grows, along its axes; against a triangle the box grows. A sphere
    /// and a capsule grow in all directions, a plane by a distance.
    pub fn growth(&self, time: f64) -> f64 {
        match &self.other {
            Other::Box(spin) => {
                let (pose, other, d) = (self.spin.at(time), spin.at(time), self.offset_at(time));
                let sum =
                    |pose: &Pose, n: V| -> f64 { pose.axes.iter().map(|a| dot(*a, n).abs()).sum() };
                let first = self.widest(&pose, spin, &other, d, |gap, n| gap / sum(&pose, n));
                let second = self.widest(&pose, spin, &other, d, |gap, n| gap / sum(&other, n));
                first.0.min(second.0)
            }
            Other::Corners(corners) => {
                let (pose, d) = (self.spin.at(time), self.offset_at(time));
                let sum = |n: V| -> f64 { pose.axes.iter().map(|a| dot(*a, n).abs()).sum() };
                self.widest_to_corners(&pose, corners, d, |gap, n| gap / sum(n))
                    .0
            }
            _ => self.look(time).apart,
        }
    }

    /// First contact of the shapes before a time.
    pub fn first(&self, until: f64) -> First {
        let slack = self.slack();
        // Intervals to test, the earliest on top.
        let mut left = [(0.0, 0.0); 96];
        left[0] = (0.0, until);
        let mut count = 1;
        let (mut touch, mut free_until): (Option<(f64, f64)>, f64) = (None, until);
        // The latest time without contact so far, and the side of a plane.
        let mut side: Option<(f64, f64)> = None;
        let mut around = 1e-9;
        let mut looks = 0;
        while count > 0 {
            count -= 1;
            let (from, to) = left[count];
            let to = touch.map_or(to, |(time, _)| to.min(time));
            if from > to {
                continue;
            }
            assert!(count + 2 < left.len());
            let middle = 0.5 * (from + to);
            let look = self.look(middle);
            let gap = look.gap();
            if look.apart < -slack {
                touch = Some((middle, -look.apart));
                if middle - from > 1e-13 {
                    left[count] = (from, middle);
                    count += 1;
                } else {
                    free_until = free_until.min(from);
                }
                continue;
            }
            // Barely separated for long, as when shapes slide along each other: also undecided.
            looks += 1;
            if looks > MOST_LOOKS {
                free_until = free_until.min(from);
                break;
            }
            let close = if looks > 2000 {
                CLOSE * self.size
            } else {
                slack
            };
            let skip = if gap > close {
                if let Some((time, other)) = side
                    && other != look.side
                {
                    // On both sides of the plane: the box has passed it in between.
                    let later = time.max(middle);
                    if touch.is_none_or(|(touch, _)| later < touch) {
                        touch = Some((later, 0.0));
                    }
                }
                side = Some((middle, look.side));
                [
                    -look.clear(from - middle, slack),
                    look.clear(to - middle, slack),
                ]
            } else {
                // Shapes may stay this close for long, so the resolution decreases.
                free_until = free_until.min((middle - around).max(from));
                around *= 1.5;
                [around; 2]
            };
            if middle + skip[1] < to {
                left[count] = (middle + skip[1], to);
                count += 1;
            }
            if middle - skip[0] > from {
                left[count] = (from, middle - skip[0]);
                count += 1;
            }
        }
        First { free_until, touch }
    }

    /// Approximate time at which the shapes are nearest, or penetrate deepest.
    pub fn nearest(&self) -> Look {
        const SAMPLES: usize = 40;
        let gap = |time: f64| self.look(time).apart;
        let mut best = (f64::INFINITY, 0);
        for k in 0..=SAMPLES {
            let gap = gap(k as f64 / SAMPLES as f64);
            if gap < best.0 {
                best = (gap, k);
            }
        }
        let step = |k: usize| k as f64 / SAMPLES as f64;
        let (mut from, mut to) = (
            step(best.1.saturating_sub(1)),
            step((best.1 + 1).min(SAMPLES)),
        );
        // The golden section.
        const SHARE: f64 = 0.618_033_988_749_894_9;
        let mut inner = [to - SHARE * (to - from), from + SHARE * (to - from)];
        let mut gaps = inner.map(gap);
        for _ in 0..30 {
            if gaps[0] < gaps[1] {
                to = inner[1];
                inner = [to - SHARE * (to - from), inner[0]];
                gaps = [gap(inner[0]), gaps[0]];
            } else {
                from = inner[0];
                inner = [inner[1], from + SHARE * (to - from)];
                gaps = [gaps[1], gap(inner[1])];
            }
        }
        let found = self.look(0.5 * (from + to));
        let sampled = self.look(step(best.1));
        if found.apart < sampled.apart {
            found
        } else {
            sampled
        }
    }
}
