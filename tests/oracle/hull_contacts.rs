//! Contacts of convex hulls, exactly: the separation of two cores is the largest gap along a normal of their difference.
//!
//! A face of the difference is spanned by edges of the cores, and any two points of a core are taken as an edge. So the normals are all
//! cross products of two such edges; more than the needed ones do no harm, because no gap exceeds the separation. `f64` picks the
//! normals that may have the largest gap. Those whose edges are nearly parallel, and the verdict on a separation, are evaluated in integers.

use std::cmp::Ordering;

use dashu_int::IBig;
use phalanx::Point;

use super::distances::Core;
use super::exact::{Scale, Vec3, abs, ratio, sq};
use super::hulls::{Points, Side};
use super::minkowski::{V, add, cross, dot, length, sub, times};
use super::planes::Surface;

/// Largest error of a gap of rounded corners along a well-conditioned normal, relative to the largest coordinate.
const ROUNDED: f64 = 1e-13;

/// An edge of a core: its vector, and its direction.
struct Edge {
    exact: Vec3,
    unit: V,
}

/// A hull and another shape.
pub struct Touching {
    /// Corners of both cores, relative to the center of the hull, in units of half the scale and of `whole`.
    corners: [Vec<Vec3>; 2],
    /// Corners in parts of `largest`.
    rounded: [Vec<V>; 2],
    /// Length of the largest coordinate.
    largest: f64,
    whole: IBig,
    scale: Scale,
    radii: [f32; 2],
    /// Dimension of each core.
    dimension: [usize; 2],
    /// Exact separation, rounded, and whether the cores touch.
    separation: f64,
    cores_touch: bool,
    /// The normal with the largest gap, if the difference of the cores is solid.
    best: Option<Vec3>,
    /// All normals whose gaps are nearly as large.
    others: Vec<Vec3>,
}

impl Touching {
    pub fn new<B: Side>(a: &Points, b: &B) -> Self {
        let (mut pair, [first, second]) = Self::without_separation(a, b);
        let squared = first.distance(&second);
        pair.cores_touch = squared.numerator == IBig::ZERO;
        let core = if pair.cores_touch {
            pair.find_normals();
            let deepest = pair.best.as_ref().map(|n| pair.exact_gap(n));
            deepest.unwrap_or(0.0).min(0.0)
        } else {
            let whole = sq(&pair.whole);
            let halves = ratio(&squared.numerator, &(&squared.denominator * whole));
            pair.scale.f64(halves.sqrt() / 2.0)
        };
        pair.separation = core - pair.radii.map(f64::from).iter().sum::<f64>();
        pair
    }

    /// The shapes, and their cores. Their separation is unknown.
    pub fn without_separation<B: Side>(a: &Points, b: &B) -> (Self, [Core; 2]) {
        let scale = Scale::of(&[a.numbers(), b.numbers()].concat());
        let whole = a.unit(scale) * b.unit(scale);
        let center = &scale.vec(a.hull.center) * &(&whole * IBig::from(2));
        let cores = [
            a.core_at(scale, &whole, &-&center),
            b.core_at(scale, &whole, &-&center),
        ];
        let corners = cores.each_ref().map(|core| core.corners().to_vec());
        let all = corners.iter().flatten().flat_map(|corner| &corner.0);
        let most = all.map(abs).max().unwrap().max(IBig::ONE);
        let round = |corner: &Vec3| corner.0.each_ref().map(|x| ratio(x, &most));
        let rounded = corners.each_ref();
        let pair = Touching {
            rounded: rounded.map(|corners| corners.iter().map(round).collect()),
            largest: scale.f64(ratio(&most, &(&whole * IBig::from(2)))),
            scale,
            radii: [a.radius(), b.radius()],
            dimension: rounded.map(|corners| dimension(&edges(corners))),
            separation: f64::NAN,
            cores_touch: false,
            best: None,
            others: vec![],
            corners,
            whole,
        };
        (pair, cores)
    }

    /// Exact separation, rounded to `f64`: minus the depth if the shapes touch.
    pub fn separation(&self) -> f64 {
        self.separation
    }

    /// Whether the exact separation of cores that touch is at least a number, in integers. For others, by the rounded one.
    pub fn is_at_least(&self, separation: f32) -> bool {
        if !self.cores_touch {
            return self.separation * (1.0 + self.separation.signum() * 1e-13)
                + self.largest * 1e-15
                >= f64::from(separation);
        }
        // Separations plus radii, in units of their scale.
        let numbers = [separation, self.radii[0], self.radii[1]];
        let own = Scale::of(&numbers);
        let most: IBig = numbers.iter().map(|x| own.int(*x)).sum();
        if most > IBig::ZERO {
            return false;
        }
        // Not solid: the cores touch, and any displacement along the normal parts them.
        let Some(best) = &self.best else {
            return true;
        };
        let shift = self.scale.exponent() - own.exponent();
        let (finer, coarser) = (shift.max(0) as usize, (-shift).max(0) as usize);
        let reach = sq(&((-most << coarser) * 2 * &self.whole));
        let holds = |normal: &Vec3| {
            let gap = self.gap(normal) << finer;
            gap >= IBig::ZERO || sq(&gap) <= &reach * normal.length_sq()
        };
        holds(best) || self.others.iter().any(holds)
    }

    /// Gap along a unit vector from the hull to the other shape.
    pub fn along(&self, normal: V) -> f64 {
        let radii = self.radii.map(f64::from).iter().sum::<f64>();
        self.rounded_gap(normal) * self.largest - radii
    }

    /// Distance of a point from the surface of one of the shapes, given relative to the center of the hull.
    pub fn off(&self, shape: usize, point: V) -> f64 {
        let point = times(point, 1.0 / self.largest);
        let corners: Vec<V> = self.rounded[shape]
            .iter()
            .map(|corner| sub(*corner, point))
            .collect();
        let core = from_origin(&corners, self.dimension[shape] == 3);
        (core * self.largest - f64::from(self.radii[shape])).abs()
    }

    fn rounded_gap(&self, normal: V) -> f64 {
        let least = self.rounded[1]
            .iter()
            .map(|b| dot(*b, normal))
            .fold(f64::INFINITY, f64::min);
        let most = self.rounded[0]
            .iter()
            .map(|a| dot(*a, normal))
            .fold(f64::NEG_INFINITY, f64::max);
        least - most
    }

    /// Gap of the cores along a normal, in units times the length of the normal.
    fn gap(&self, normal: &Vec3) -> IBig {
        let least = self.corners[1].iter().map(|b| b.dot(normal)).min();
        let most = self.corners[0].iter().map(|a| a.dot(normal)).max();
        least.unwrap() - most.unwrap()
    }

    /// Gap of the cores along a normal, as a length.
    fn exact_gap(&self, normal: &Vec3) -> f64 {
        let gap = self.gap(normal);
        let halves = ratio(&sq(&gap), &(normal.length_sq() * sq(&self.whole)));
        let size = self.scale.f64(halves.sqrt() / 2.0);
        if gap < IBig::ZERO { -size } else { size }
    }

    /// Finds the normals with the largest gaps.
    fn find_normals(&mut self) {
        let [of_a, of_b] = self.corners.each_ref().map(|corners| edges(corners));
        let all: Vec<Edge> = of_a.into_iter().chain(of_b).collect();
        if dimension(&all) < 3 {
            return;
        }
        // Well-conditioned normals: gap, sign, and both edges.
        let mut found: Vec<(f64, bool, usize, usize)> = Vec::new();
        let mut doubtful = Vec::new();
        let mut best = f64::NEG_INFINITY;
        for (i, e) in all.iter().enumerate() {
            for (j, f) in all.iter().enumerate().skip(i + 1) {
                let normal = cross(e.unit, f.unit);
                let size = length(normal);
                if size < 0.05 {
                    doubtful.push((i, j, normal, size));
                    continue;
                }
                let unit = times(normal, 1.0 / size);
                for is_up in [true, false] {
                    let gap = self.rounded_gap(if is_up { unit } else { times(unit, -1.0) });
                    if gap > best - ROUNDED {
                        best = best.max(gap);
                        found.push((gap, is_up, i, j));
                    }
                }
            }
        }
        let normal = |i: usize, j: usize, is_up: bool| {
            let normal = all[i].exact.cross(&all[j].exact);
            if is_up { normal } else { -&normal }
        };
        let mut best_doubtful: Option<(f64, Vec3)> = None;
        for (i, j, rounded, size) in doubtful {
            // The direction is off by 2⁻⁵⁰ / size, and no point is farther from another than 4.
            let error = 1e-14 / size.max(f64::MIN_POSITIVE);
            for is_up in [true, false] {
                if size > 1e-10 {
                    let unit = times(rounded, if is_up { 1.0 } else { -1.0 } / size);
                    if self.rounded_gap(unit) + error < best {
                        continue;
                    }
                }
                let normal = normal(i, j, is_up);
                if normal.length_sq() == IBig::ZERO {
                    break;
                }
                let gap = self.exact_gap(&normal) / self.largest;
                if gap > best {
                    best = gap;
                    best_doubtful = Some((gap, normal));
                }
            }
        }
        found.retain(|(gap, ..)| *gap > best - 2.0 * ROUNDED);
        found.sort_by(|x, y| y.0.total_cmp(&x.0));
        // Equal normals are found by many edges; a few are enough, unless they differ by less than roundings.
        let mut normals: Vec<Vec3> = Vec::new();
        for (_, is_up, i, j) in found {
            let normal = normal(i, j, is_up);
            let is_new = normals.iter().all(|other| {
                let is_parallel = other.cross(&normal).length_sq() == IBig::ZERO;
                !is_parallel || other.dot(&normal) < IBig::ZERO
            });
            if is_new {
                normals.push(normal);
            }
            if normals.len() == 16 {
                break;
            }
        }
        normals.extend(best_doubtful.map(|(_, normal)| normal));
        let order = |x: &Vec3, y: &Vec3| {
            self.exact_gap(x)
                .partial_cmp(&self.exact_gap(y))
                .unwrap_or(Ordering::Equal)
        };
        self.best = normals.iter().max_by(|x, y| order(x, y)).cloned();
        self.others = normals;
    }
}

/// The vectors between any two of some corners, without zeros.
fn edges(corners: &[Vec3]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (i, from) in corners.iter().enumerate() {
        for to in &corners[i + 1..] {
            let exact = to - from;
            let most = exact.0.iter().map(abs).max().unwrap();
            if most > IBig::ZERO {
                let unit = exact.0.each_ref().map(|x| ratio(x, &most));
                let unit = times(unit, 1.0 / length(unit));
                edges.push(Edge { exact, unit });
            }
        }
    }
    edges
}

/// Dimension of the space that vectors span, exactly.
fn dimension(edges: &[Edge]) -> usize {
    let Some(first) = edges.first() else {
        return 0;
    };
    let normal = edges
        .iter()
        .map(|edge| first.exact.cross(&edge.exact))
        .find(|n| n.length_sq() > IBig::ZERO);
    match normal {
        None => 1,
        Some(normal)
            if edges
                .iter()
                .any(|edge| edge.exact.dot(&normal) != IBig::ZERO) =>
        {
            3
        }
        Some(_) => 2,
    }
}

/// Distance of the origin from the hull of corners; negative inside.
fn from_origin(corners: &[V], is_solid: bool) -> f64 {
    let mut widest = f64::NEG_INFINITY;
    let mut nearest = f64::INFINITY;
    for (i, a) in corners.iter().enumerate() {
        nearest = nearest.min(length(*a));
        for (j, b) in corners.iter().enumerate().skip(i + 1) {
            nearest = nearest.min(from_segment(*a, *b));
            for c in &corners[j + 1..] {
                let normal = cross(sub(*b, *a), sub(*c, *a));
                let size = length(normal);
                if size == 0.0 {
                    continue;
                }
                let normal = times(normal, 1.0 / size);
                let heights = corners.iter().map(|p| dot(*p, normal));
                let (low, high) = heights
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                        (low.min(x), high.max(x))
                    });
                widest = widest.max(low).max(-high);
                let is_over = [(a, b), (b, c), (c, a)]
                    .iter()
                    .all(|(p, q)| dot(cross(sub(**q, **p), times(**p, -1.0)), normal) >= 0.0);
                if is_over {
                    nearest = nearest.min(dot(*a, normal).abs());
                }
            }
        }
    }
    if is_solid && widest <= 0.0 {
        widest
    } else {
        nearest
    }
}

/// Distance of the origin from a segment.
fn from_segment(a: V, b: V) -> f64 {
    let way = sub(b, a);
    let squared = dot(way, way);
    if squared == 0.0 {
        return length(a);
    }
    let share = (-dot(a, way) / squared).clamp(0.0, 1.0);
    length(add(a, times(way, share)))
}

/// A hull and a surface.
pub struct OnSurface {
    /// Lowest and highest point over the plane, as lengths.
    low: f64,
    high: f64,
    radius: f64,
    is_solid: bool,
    /// The corners relative to the hull's center.
    core: Touching,
    normal: V,
    /// Height of the center.
    center: f64,
}

impl OnSurface {
    pub fn new<S: Surface>(hull: &Points, surface: &S) -> Self {
        let (normal, d) = surface.plane();
        let (scale, normals, heights) = (
            Scale::of(&hull.numbers()),
            Scale::of(&normal),
            Scale::of(&[d]),
        );
        let n = normals.vec(normal);
        let whole = hull.unit(scale);
        let none = Vec3([IBig::ZERO, IBig::ZERO, IBig::ZERO]);
        let core = hull.core_at(scale, &whole, &none);
        let shift = scale.exponent() + normals.exponent() - heights.exponent();
        let (finer, coarser) = match d == 0.0 {
            true => (0, 0),
            false => (shift.max(0) as usize, (-shift).max(0) as usize),
        };
        let d = (heights.int(d) << coarser) * 2 * &whole;
        let unit = (n.length_sq() << (2 * finer)) * sq(&whole);
        let height = |corner: &Vec3| {
            let height = (corner.dot(&n) << finer) + &d;
            let size = scale.f64(ratio(&sq(&height), &unit).sqrt() / 2.0);
            if height < IBig::ZERO { -size } else { size }
        };
        let values: Vec<f64> = core.corners().iter().map(&height).collect();
        let center = &scale.vec(hull.hull.center) * &(&whole * IBig::from(2));
        let (wide, radius) = (normal.map(f64::from), f64::from(hull.radius));
        let at_center = Point {
            position: hull.hull.center,
        };
        OnSurface {
            low: values.iter().copied().fold(f64::INFINITY, f64::min) - radius,
            high: values.iter().copied().fold(f64::NEG_INFINITY, f64::max) + radius,
            radius,
            is_solid: S::IS_SOLID,
            center: height(&center),
            core: Touching::new(hull, &at_center),
            normal: times(wide, 1.0 / length(wide)),
        }
    }

    /// Exact separation, rounded to `f64`.
    pub fn separation(&self) -> f64 {
        if self.is_solid {
            self.low
        } else {
            self.low.max(-self.high)
        }
    }

    /// Largest rounding error of the separation.
    pub fn rounding(&self) -> f64 {
        1e-13 * (self.separation().abs() + self.radius)
    }

    /// Gap along a unit vector from the hull to the surface, which is the normal of the plane or its opposite, up to rounding.
    pub fn along(&self, normal: V) -> f64 {
        // Downwards, the hull is above the plane.
        let is_down = dot(normal, self.normal) < 0.0;
        let far = self.core.rounded[0].iter().map(|p| dot(*p, normal));
        let far = far.fold(f64::NEG_INFINITY, f64::max) * self.core.largest + self.radius;
        let height = if is_down { self.center } else { -self.center };
        if self.is_solid && !is_down {
            f64::NEG_INFINITY
        } else {
            height - far
        }
    }

    /// Distance of a point from the surface of the hull, or from the plane.
    pub fn off(&self, shape: usize, point: V) -> f64 {
        if shape == 0 {
            self.core.off(0, point)
        } else {
            (self.center + dot(point, self.normal)).abs()
        }
    }
}
