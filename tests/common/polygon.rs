//! Polygons in a plane.

/// The area of a polygon in a plane, in order.
pub fn area(points: &[[f64; 2]]) -> f64 {
    let n = points.len();
    let cross = |k: usize| {
        let (p, q) = (points[k], points[(k + 1) % n]);
        p[0] * q[1] - p[1] * q[0]
    };
    (0..n).map(cross).sum::<f64>().abs() / 2.0
}

/// The part of a polygon on one side of a line.
pub fn cut(points: &[[f64; 2]], normal: [f64; 2], most: f64) -> Vec<[f64; 2]> {
    let height = |p: [f64; 2]| p[0] * normal[0] + p[1] * normal[1] - most;
    let mut left = vec![];
    for k in 0..points.len() {
        let (p, q) = (points[k], points[(k + 1) % points.len()]);
        let (hp, hq) = (height(p), height(q));
        if hp <= 0.0 {
            left.push(p);
        }
        if (hp < 0.0 && hq > 0.0) || (hp > 0.0 && hq < 0.0) {
            let t = hp / (hp - hq);
            left.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
        }
    }
    left
}
