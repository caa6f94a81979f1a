//! AABBs and OBBs, exactly.

use dashu_int::IBig;
use phalanx::{Aabb, Obb, TimeInterval};

use super::exact::{Scale, Vec3, abs, ratio, sq};
use super::linear::{self, Gap};
use super::triangles::Corners;
use super::{Exact, ORACLE_FLOOR, U};

/// A box in units of half a scale. Its axes are the axes of a rotation times `unit`.
pub struct Box3 {
    pub center: Vec3,
    pub half_extents: [IBig; 3],
    pub axes: [Vec3; 3],
    pub unit: IBig,
}

impl Box3 {
    /// The box, grown by a margin along its axes.
    pub fn of_obb(shape: &Obb, margin: f32, scale: Scale) -> Self {
        let [x, y, z, w] = {
            let scale = Scale::of(&shape.rotation);
            shape.rotation.map(|q| scale.int(q))
        };
        let twice = |a: &IBig, b: &IBig| IBig::from(2) * a * b;
        let (xx, yy, zz, ww) = (sq(&x), sq(&y), sq(&z), sq(&w));
        let axes = [
            [
                &ww + &xx - &yy - &zz,
                twice(&x, &y) + twice(&w, &z),
                twice(&x, &z) - twice(&w, &y),
            ],
            [
                twice(&x, &y) - twice(&w, &z),
                &ww + &yy - &xx - &zz,
                twice(&y, &z) + twice(&w, &x),
            ],
            [
                twice(&x, &z) + twice(&w, &y),
                twice(&y, &z) - twice(&w, &x),
                &ww + &zz - &xx - &yy,
            ],
        ];
        Box3 {
            center: &scale.vec(shape.center) * &IBig::from(2),
            half_extents: shape
                .half_extents
                .map(|h| (scale.int(h) + scale.int(margin)) * 2),
            axes: axes.map(Vec3),
            unit: ww + xx + yy + zz,
        }
    }

    /// The box, grown by a margin along its axes.
    pub fn of_aabb(shape: &Aabb, margin: f32, scale: Scale) -> Self {
        let (min, max) = (scale.vec(shape.min), scale.vec(shape.max));
        let margin = scale.int(margin) * 2;
        let axis = |k: usize| Vec3([0, 1, 2].map(|j| IBig::from(u8::from(j == k))));
        Box3 {
            center: &min + &max,
            half_extents: (&max - &min).0.map(|h| h + &margin),
            axes: [axis(0), axis(1), axis(2)],
            unit: IBig::ONE,
        }
    }

    /// Half the length of the projection onto a line, times `unit` and the line's length.
    pub fn half_projection(&self, line: &Vec3) -> IBig {
        (0..3)
            .map(|k| &self.half_extents[k] * abs(&self.axes[k].dot(line)))
            .sum()
    }

    /// The sum of the half extents.
    pub fn size(&self) -> IBig {
        self.half_extents.iter().cloned().sum()
    }
}

/// Candidate separating lines: one of them separates two separated boxes.
fn separating_lines(first: &Box3, second: &Box3) -> Vec<Vec3> {
    let mut lines: Vec<Vec3> = first.axes.iter().chain(&second.axes).cloned().collect();
    for a in &first.axes {
        for b in &second.axes {
            lines.push(a.cross(b));
        }
    }
    lines
}

/// Two boxes are separated if a line separates their projections. For boxes it is enough to try the face normals and
/// the cross products of edges.
pub fn exact(first: &Box3, second: &Box3, scale: Scale) -> Exact {
    let t = &second.center - &first.center;
    let lines = separating_lines(first, second);
    let units = &first.unit * &second.unit;
    let mut widest: f64 = 0.0;
    let mut hit = true;
    for line in &lines {
        let gap = abs(&t.dot(line)) * &units
            - first.half_projection(line) * &second.unit
            - second.half_projection(line) * &first.unit;
        if gap > IBig::ZERO {
            hit = false;
            let length_sq = line.length_sq() * sq(&units);
            widest = widest.max(ratio(&sq(&gap), &length_sq).sqrt());
        }
    }
    let size = (t.norm_1() + first.size() + second.size()).to_f64().value();
    let half = |units: f64| scale.f64(units) / 2.0;
    Exact::at_rest(
        hit,
        half(widest),
        84.0 * U * half(size) + 4.0 * ORACLE_FLOOR,
    )
}

/// Moving boxes, the second by `v` relative to the first. While they touch, no line separates them. Each line has two
/// gaps, one on either side.
pub fn swept(
    first: &Box3,
    second: &Box3,
    v: &Vec3,
    scale: Scale,
    claim: Option<TimeInterval>,
) -> Exact {
    let (p, v) = (&second.center - &first.center, v * &IBig::from(2));
    let units = &first.unit * &second.unit;
    let mut gaps = Vec::new();
    for line in separating_lines(first, second) {
        let reach = first.half_projection(&line) * &second.unit
            + second.half_projection(&line) * &first.unit;
        let (along, growth) = (p.dot(&line) * &units, v.dot(&line) * &units);
        // Parallel edges: no line.
        let length_sq = line.length_sq();
        if length_sq == IBig::ZERO {
            continue;
        }
        let unit_sq = length_sq * sq(&(&units * IBig::from(2)));
        gaps.push(Gap {
            start: &along - &reach,
            growth: growth.clone(),
            unit_sq: unit_sq.clone(),
        });
        gaps.push(Gap {
            start: -along - reach,
            growth: -growth,
            unit_sq,
        });
    }
    let size = (p.norm_1() + v.norm_1() + first.size() + second.size())
        .to_f64()
        .value();
    let band = 70.0 * U * scale.f64(size) / 2.0 + 4.0 * ORACLE_FLOOR;
    linear::exact(&gaps, scale, band, claim)
}

/// A box and a triangle, given by its corners in units of half a scale; the box moves by `v` relative to it. The margin
/// has grown the box.
pub fn with_triangle(
    shape: &Box3,
    corners: &Corners,
    v: &Vec3,
    scale: Scale,
    claim: Option<TimeInterval>,
) -> Exact {
    let offsets = corners.0.each_ref().map(|corner| corner - &shape.center);
    let edges = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| &corners.0[j] - &corners.0[i]);
    let mut lines = shape.axes.to_vec();
    lines.push(edges[0].cross(&edges[1]));
    lines.extend(
        shape
            .axes
            .iter()
            .flat_map(|axis| edges.each_ref().map(|edge| axis.cross(edge))),
    );
    let mut gaps = Vec::new();
    for line in lines {
        // Parallel edges, or a flat triangle: no line.
        let length_sq = line.length_sq();
        if length_sq == IBig::ZERO {
            continue;
        }
        let reach = shape.half_projection(&line);
        let along = offsets
            .each_ref()
            .map(|corner| corner.dot(&line) * &shape.unit);
        let growth = v.dot(&line) * &shape.unit * 2;
        let unit_sq = length_sq * sq(&(&shape.unit * IBig::from(2)));
        for (side, sign) in [(along.iter().min(), 1), (along.iter().max(), -1)] {
            gaps.push(Gap {
                start: side.expect("three corners") * IBig::from(sign) - &reach,
                growth: &growth * IBig::from(-sign),
                unit_sq: unit_sq.clone(),
            });
        }
    }
    let half = |units: IBig| scale.f64(units.to_f64().value()) / 2.0;
    // The kernel measures from one of the corners.
    let offset = offsets
        .iter()
        .map(Vec3::norm_1)
        .max()
        .expect("three corners");
    let [offset, size] = [offset + v.norm_1() * 2, shape.size()].map(half);
    let longest = scale.f64(corners.longest()) / 2.0;
    let band = U * (74.0 * offset + 310.0 * longest + 26.0 * size) + 4.0 * ORACLE_FLOOR;
    linear::exact(&gaps, scale, band, claim)
}

/// Whether the greatest gap of two boxes along a line that can separate them is at least `most`. If they touch, this
/// gap is the negated penetration depth.
pub fn is_gap_at_least(a: &Obb, b: &Obb, most: f32) -> bool {
    let lengths = [a.center, a.half_extents, b.center, b.half_extents].concat();
    let scale = Scale::of(lengths.iter().chain(&[most]));
    let (first, second) = (Box3::of_obb(a, 0.0, scale), Box3::of_obb(b, 0.0, scale));
    let t = &second.center - &first.center;
    let units = &first.unit * &second.unit;
    let most = scale.int(most) * 2 * &units;
    separating_lines(&first, &second).iter().any(|line| {
        let length_sq = line.length_sq();
        if length_sq == IBig::ZERO {
            return false;
        }
        let gap = abs(&t.dot(line)) * &units
            - first.half_projection(line) * &second.unit
            - second.half_projection(line) * &first.unit;
        // gap ≥ most |line|, by squares with their signs.
        let signed_sq = |x: &IBig| x * abs(x);
        signed_sq(&gap) >= signed_sq(&most) * length_sq
    })
}
