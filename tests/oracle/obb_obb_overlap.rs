//! Two boxes are apart when some line separates their projections; for boxes it is enough to try
//! the face normals and the cross products of edges.

use dashu_int::IBig;
use phalanx::Obb;

use super::exact::{Scale, Vec3, abs, ratio, sq};
use super::{Exact, FLOOR, U};

/// A box whose axes are rows of a rotation times |q|².
struct Box3 {
    center: Vec3,
    half_extents: [IBig; 3],
    axes: [Vec3; 3],
    /// |q|²
    unit: IBig,
}

impl Box3 {
    fn new(shape: &Obb, margin: f32, scale: Scale) -> Self {
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
            center: scale.vec(shape.center),
            half_extents: shape.half_extents.map(|h| scale.int(h) + scale.int(margin)),
            axes: axes.map(Vec3),
            unit: ww + xx + yy + zz,
        }
    }

    /// Half the length of the projection onto a line, times `unit` and the line's length.
    fn half_projection(&self, line: &Vec3) -> IBig {
        (0..3)
            .map(|k| &self.half_extents[k] * abs(&self.axes[k].dot(line)))
            .sum()
    }
}

pub fn exact(a: &Obb, b: &Obb, margin: f32) -> Exact {
    let lengths = a.half_extents.iter().chain(&b.half_extents);
    let scale = Scale::of(
        a.center
            .iter()
            .chain(&b.center)
            .chain(lengths)
            .chain(&[margin]),
    );
    // The margin grows the first box.
    let (first, second) = (Box3::new(a, margin, scale), Box3::new(b, 0.0, scale));
    let t = &second.center - &first.center;

    let mut lines: Vec<Vec3> = first.axes.iter().chain(&second.axes).cloned().collect();
    for a in &first.axes {
        for b in &second.axes {
            lines.push(a.cross(b));
        }
    }
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
    let sizes: IBig = first
        .half_extents
        .iter()
        .chain(&second.half_extents)
        .cloned()
        .sum();
    let size = scale.f64((t.norm_1() + sizes).to_f64().value());
    Exact::at_rest(hit, scale.f64(widest), 84.0 * U * size + 4.0 * FLOOR)
}
