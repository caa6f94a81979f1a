//! Distances of points from triangles in `f64`.

/// The distance of a point from a triangle, which may have no area.
pub fn distance(point: [f32; 3], corners: [[f32; 3]; 3]) -> f64 {
    let at = |corner: [f32; 3]| [0, 1, 2].map(|k| f64::from(corner[k]) - f64::from(point[k]));
    let [a, b, c] = corners.map(at);
    // The point is the origin.
    let normal = cross(less(b, a), less(c, a));
    let squared = dot(normal, normal);
    let is_beside = |p: [f64; 3], q: [f64; 3]| dot(normal, cross(p, q)) >= 0.0;
    if squared > 0.0 && is_beside(a, b) && is_beside(b, c) && is_beside(c, a) {
        return dot(normal, a).abs() / squared.sqrt();
    }
    let edges = [(a, b), (b, c), (c, a)];
    let least = edges.map(|(p, q)| from_segment(p, q));
    least.into_iter().fold(f64::INFINITY, f64::min)
}

/// The distance of the origin from a segment.
fn from_segment(p: [f64; 3], q: [f64; 3]) -> f64 {
    let way = less(q, p);
    let squared = dot(way, way);
    let time = if squared > 0.0 {
        (-dot(p, way) / squared).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let nearest = [0, 1, 2].map(|k| p[k] + time * way[k]);
    dot(nearest, nearest).sqrt()
}

fn less(p: [f64; 3], q: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| p[k] - q[k])
}

fn dot(p: [f64; 3], q: [f64; 3]) -> f64 {
    p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
}

fn cross(p: [f64; 3], q: [f64; 3]) -> [f64; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| p[i] * q[j] - p[j] * q[i])
}
