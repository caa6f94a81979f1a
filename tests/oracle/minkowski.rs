//! Separation of two shapes, from the definition: the distance of the origin from their Minkowski difference.
//!
//! A shape is a center and generators, rounded by a radius: a sphere has no generator, a capsule one, a box three. The
//! difference of two such shapes has the same form, and without the radius it is a polytope whose faces are spanned by
//! its generators. Outside, the distance is that of the nearest face; inside, the depth is the depth below the nearest
//! face's plane. Computed in `f64`, whose roundings are 2⁻²⁹ of the measured ones. `boxes` has the separating axes of
//! boxes, which a sign decides, in integers.

use phalanx::{Aabb, Capsule, Obb, Point, Sphere, Triangle};

use super::exact::{Scale, Vec3};

/// β, the error band of contacts, in u of all lengths.
pub const BETA: f64 = 320.0;

pub type V = [f64; 3];

pub fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}
pub fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}
pub fn times(a: V, k: f64) -> V {
    a.map(|x| x * k)
}
pub fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
pub fn cross(a: V, b: V) -> V {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
pub fn length(a: V) -> f64 {
    let largest = a.iter().fold(0f64, |m, x| m.max(x.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    largest * dot(times(a, 1.0 / largest), times(a, 1.0 / largest)).sqrt()
}

/// The points center + Σ sₖ gₖ, sₖ from −1 to 1, and all within `radius` of them.
#[derive(Clone, Debug)]
pub struct Solid {
    pub center: V,
    pub generators: Vec<V>,
    pub radius: f64,
}

impl Solid {
    /// The sum of all lengths: of an axis its coordinates, of a box its half extents.
    pub fn size(&self) -> f64 {
        let lengths = match &self.generators[..] {
            [axis] => axis.iter().map(|x| x.abs()).sum(),
            sides => sides.iter().map(|g| length(*g)).sum::<f64>(),
        };
        lengths + self.radius
    }

    /// The Minkowski difference of both solids.
    pub fn less(&self, other: &Solid) -> Solid {
        Solid {
            center: sub(self.center, other.center),
            generators: [&self.generators[..], &other.generators].concat(),
            radius: self.radius + other.radius,
        }
    }

    /// The distance of the origin from the slab perpendicular to `n` that contains the solid; negative inside the slab.
    pub fn along(&self, n: V) -> f64 {
        let reach: f64 = self.generators.iter().map(|g| dot(*g, n).abs()).sum();
        (dot(self.center, n) - reach) / length(n) - self.radius
    }

    /// The distance of the origin; inside, the negated distance of the nearest face.
    pub fn separation(&self) -> f64 {
        self.core_separation() - self.radius
    }

    fn core_separation(&self) -> f64 {
        let generators: Vec<V> = self
            .generators
            .iter()
            .copied()
            .filter(|g| length(*g) > 0.0)
            .collect();
        let core = Solid {
            center: self.center,
            generators,
            radius: 0.0,
        };
        // Inside all slabs, if the solid has an inside.
        let mut widest = f64::NEG_INFINITY;
        let mut is_solid = false;
        let n = core.generators.len();
        for i in 0..n {
            for j in i + 1..n {
                let (a, b) = (core.generators[i], core.generators[j]);
                let normal = cross(times(a, 1.0 / length(a)), times(b, 1.0 / length(b)));
                if length(normal) > 1e-14 {
                    widest = widest.max(core.along(normal).max(core.along(times(normal, -1.0))));
                    // There is a third direction: flatter solids are less than 10⁻¹⁰ thick.
                    let unit = times(normal, 1.0 / length(normal));
                    is_solid |= (0..n).filter(|k| ![i, j].contains(k)).any(|k| {
                        let g = core.generators[k];
                        dot(g, unit).abs() > 1e-10 * length(g)
                    });
                }
            }
        }
        if is_solid && widest <= 0.0 {
            return widest;
        }
        core.distance()
    }

    /// The distance of the origin from the nearest of all faces, edges and vertices.
    fn distance(&self) -> f64 {
        let n = self.generators.len();
        let mut least = f64::INFINITY;
        let mut frees = vec![vec![]];
        for i in 0..n {
            frees.push(vec![i]);
            for j in i + 1..n {
                frees.push(vec![i, j]);
            }
        }
        for free in &frees {
            let fixed: Vec<usize> = (0..n).filter(|k| !free.contains(k)).collect();
            for signs in 0..1u32 << fixed.len() {
                let mut at = self.center;
                for (bit, k) in fixed.iter().enumerate() {
                    let sign = if signs >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    at = add(at, times(self.generators[*k], sign));
                }
                least = least.min(length(self.nearest(at, free)));
            }
        }
        least
    }

    /// The point of a face around `at` that is nearest to the origin.
    fn nearest(&self, at: V, free: &[usize]) -> V {
        let cut = |t: f64| if t.is_nan() { 0.0 } else { t.clamp(-1.0, 1.0) };
        match *free {
            [i] => {
                let g = self.generators[i];
                add(at, times(g, cut(-dot(at, g) / dot(g, g))))
            }
            [i, j] => {
                let (g, h) = (self.generators[i], self.generators[j]);
                // The component of h perpendicular to g.
                let across = sub(h, times(g, dot(h, g) / dot(g, g)));
                let t = cut(-dot(at, across) / dot(across, across));
                let at = add(at, times(h, t));
                let at = add(at, times(g, cut(-dot(at, g) / dot(g, g))));
                // Once more, if the first parameter was clamped.
                let s = cut(t - dot(at, h) / dot(h, h));
                let moved = add(at, times(h, s - t));
                if length(moved) < length(at) {
                    moved
                } else {
                    at
                }
            }
            _ => at,
        }
    }
}

/// A triangle: its corners, and its edges and normal, which are exact before they are rounded to `f64`.
pub struct Facet {
    pub corners: [V; 3],
    /// Vectors from each corner to the next.
    pub edges: [V; 3],
    /// The normal, not normalised; zero if the triangle is flat.
    normal: V,
}

impl Facet {
    pub fn new(triangle: &Triangle) -> Self {
        let scale = Scale::of(triangle.corners.as_flattened());
        let [a, b, c] = triangle.corners.map(|corner| scale.vec(corner));
        let (ab, bc, ca) = (&b - &a, &c - &b, &a - &c);
        let edge = |edge: &Vec3| rounded(edge).map(|x| scale.f64(x));
        // The length is arbitrary, but squares of long edges overflow.
        let normal = rounded(&ab.cross(&bc));
        let largest = normal.iter().fold(0f64, |m, x| m.max(x.abs()));
        Facet {
            corners: triangle.corners.map(wide),
            edges: [edge(&ab), edge(&bc), edge(&ca)],
            normal: if largest > 0.0 {
                normal.map(|x| x / largest)
            } else {
                normal
            },
        }
    }

    /// The length of the longest edge.
    pub fn longest(&self) -> f64 {
        self.edges.iter().map(|e| length(*e)).fold(0.0, f64::max)
    }

    /// The gap between the solid and the triangle along a direction.
    pub fn along(&self, solid: &Solid, n: V) -> f64 {
        let corners = self.corners.map(|corner| dot(sub(corner, solid.center), n));
        let nearest = corners.into_iter().fold(f64::INFINITY, f64::min);
        let reach: f64 = solid.generators.iter().map(|g| dot(*g, n).abs()).sum();
        (nearest - reach) / length(n) - solid.radius
    }

    /// The distance of a solid; if they overlap, the negated distance of the nearest face of their difference.
    pub fn separation(&self, solid: &Solid) -> f64 {
        let core = Solid {
            generators: solid
                .generators
                .iter()
                .copied()
                .filter(|g| length(*g) > 0.0)
                .collect(),
            radius: 0.0,
            ..solid.clone()
        };
        self.core_separation(&core) - solid.radius
    }

    fn core_separation(&self, core: &Solid) -> f64 {
        let unit = |v: V| times(v, 1.0 / length(v));
        let edges = self.edges.iter().filter(|e| length(**e) > 0.0);
        let directions: Vec<V> = edges.chain(&core.generators).map(|v| unit(*v)).collect();
        let sides = directions.len() - core.generators.len();
        let mut normals = vec![self.normal];
        for (i, a) in directions.iter().enumerate() {
            let later = directions.iter().enumerate().skip((i + 1).max(sides));
            normals.extend(later.map(|(_, b)| cross(*a, *b)));
        }
        let mut widest = f64::NEG_INFINITY;
        let mut is_solid = false;
        for normal in normals {
            if length(normal) > 1e-14 {
                let both = [normal, times(normal, -1.0)].map(|n| self.along(core, n));
                widest = widest.max(both[0]).max(both[1]);
                let normal = unit(normal);
                // A third direction; flatter differences are not 10⁻¹⁰ thick.
                let third = directions.iter().filter(|v| dot(**v, normal).abs() > 1e-10);
                is_solid |= third.count() > 0;
            }
        }
        if is_solid && widest <= 0.0 {
            return widest;
        }
        self.distance(core)
    }

    /// The distance of the solid's center from the nearest of all faces, edges and vertices of the difference.
    fn distance(&self, core: &Solid) -> f64 {
        let mut least = f64::INFINITY;
        for k in 0..3 {
            let corner = sub(self.corners[k], core.center);
            let at_corner = Solid {
                center: corner,
                ..core.clone()
            };
            let half = times(self.edges[k], 0.5);
            let mut on_edge = Solid {
                center: add(corner, half),
                ..core.clone()
            };
            if length(half) > 0.0 {
                on_edge.generators.push(half);
            }
            least = least.min(at_corner.distance()).min(on_edge.distance());
        }
        // The triangle itself, at each vertex of the solid.
        if length(self.normal) > 0.0 {
            for signs in 0..1u32 << core.generators.len() {
                let mut at = core.center;
                for (k, g) in core.generators.iter().enumerate() {
                    at = add(at, times(*g, if signs >> k & 1 == 1 { 1.0 } else { -1.0 }));
                }
                let is_over = (0..3).all(|k| {
                    let out = cross(self.edges[k], sub(at, self.corners[k]));
                    dot(out, self.normal) >= 0.0
                });
                if is_over {
                    let height = dot(sub(at, self.corners[0]), self.normal);
                    least = least.min(height.abs() / length(self.normal));
                }
            }
        }
        least
    }
}

fn rounded(v: &Vec3) -> V {
    v.0.each_ref().map(|x| x.to_f64().value())
}

/// A shape as a solid, and the center to which contacts are relative.
pub trait Round {
    fn solid(&self) -> Solid;
    fn reference(&self) -> V {
        self.solid().center
    }
}

impl Round for Point {
    fn solid(&self) -> Solid {
        Solid {
            center: wide(self.position),
            generators: vec![],
            radius: 0.0,
        }
    }
}

fn wide(v: [f32; 3]) -> V {
    v.map(f64::from)
}

impl Round for Sphere {
    fn solid(&self) -> Solid {
        Solid {
            center: wide(self.center),
            generators: vec![],
            radius: self.radius.into(),
        }
    }
}

impl Round for Capsule {
    fn solid(&self) -> Solid {
        Solid {
            center: wide(self.center),
            generators: vec![wide(self.half_axis)],
            radius: self.radius.into(),
        }
    }
}

impl Round for Aabb {
    fn solid(&self) -> Solid {
        let (min, max) = (wide(self.min), wide(self.max));
        let axis = |k: usize| {
            let mut axis = [0.0; 3];
            axis[k] = (max[k] - min[k]) / 2.0;
            axis
        };
        Solid {
            center: times(add(min, max), 0.5),
            generators: vec![axis(0), axis(1), axis(2)],
            radius: 0.0,
        }
    }

    fn reference(&self) -> V {
        [0, 1, 2].map(|k| f64::from((self.min[k] + self.max[k]) * 0.5))
    }
}

/// The axes of the rotation by a quaternion, which is normalised.
pub fn axes_of(rotation: [f32; 4]) -> [V; 3] {
    let [x, y, z, w] = rotation.map(f64::from);
    let n = x * x + y * y + z * z + w * w;
    let axes = [
        [
            w * w + x * x - y * y - z * z,
            2.0 * (x * y + w * z),
            2.0 * (x * z - w * y),
        ],
        [
            2.0 * (x * y - w * z),
            w * w + y * y - x * x - z * z,
            2.0 * (y * z + w * x),
        ],
        [
            2.0 * (x * z + w * y),
            2.0 * (y * z - w * x),
            w * w + z * z - x * x - y * y,
        ],
    ];
    axes.map(|a| times(a, 1.0 / n))
}

impl Round for Obb {
    fn solid(&self) -> Solid {
        let axes = axes_of(self.rotation);
        Solid {
            center: wide(self.center),
            generators: [0, 1, 2]
                .map(|k| times(axes[k], f64::from(self.half_extents[k])))
                .to_vec(),
            radius: 0.0,
        }
    }
}
