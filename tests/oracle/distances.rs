//! Exact distances: the distance of the nearest two faces of two cores, less the radii.
//!
//! A core is a point, a segment, a box or a triangle. Its faces are its corners, its edges, its sides and the core
//! itself. The nearest points of two cores lie in two faces whose edges are linearly independent, and are the nearest
//! points of the flats of these faces. Such faces are recognised exactly: the nearest points of their flats are in the
//! faces, and no corner of either core is further along the vector between them. `f64` decides only which faces are
//! tried first.

use dashu_int::IBig;
use phalanx::{Aabb, Capsule, HalfSpace, Obb, Plane, Point, Sphere, Triangle};

use super::U;
use super::exact::{Scale, Vec3, abs, ratio, sq};
use super::minkowski::{Facet, Round, Solid, V, add, cross, dot, length, sub, times};
use super::planes::{Extent, Surface};
use super::segments::Squared;

/// The exact distance of a pair, and the judgement of its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Rounded to `f64`.
    pub distance: f64,
    /// Whether the lower bound is at most the distance.
    pub lower_holds: bool,
    /// Whether the upper bound is at least the distance.
    pub upper_holds: bool,
    /// S, all lengths of the pair: at most this.
    pub size: f64,
    /// Whether S is exactly `size`: no two edges of a triangle are equally long.
    pub is_size_exact: bool,
}

/// A bounded shape: the points within a radius of its core.
pub trait Cored: Extent {
    const IS_TRIANGLE: bool = false;

    /// The core in units of half the scale, with edges as multiples of a further fraction: a corner or the center, and
    /// edges, halved except for triangles.
    fn core(&self, scale: Scale) -> (Vec3, Vec<Vec3>, IBig) {
        let (sides, _) = self.parts(scale, &Vec3([IBig::ZERO, IBig::ZERO, IBig::ZERO]));
        let halves = sides.axes.iter().zip(&sides.half_extents);
        let halves = halves.map(|(axis, half)| axis * half).collect();
        (sides.center, halves, sides.unit)
    }
    /// The radius, in units of the scale.
    fn radius(&self, scale: Scale) -> IBig {
        self.parts(scale, &Vec3([IBig::ZERO, IBig::ZERO, IBig::ZERO]))
            .1
    }
    /// The radius.
    fn radius_of(&self) -> f32 {
        0.0
    }
    /// The points from which the kernel may measure.
    fn anchors(&self) -> Vec<V>;
    /// The sum of its lengths.
    fn lengths(&self) -> f64;
    /// The center, to which points are relative.
    fn center(&self) -> V;
    /// The distance of a point, given relative to the center: at most zero inside.
    fn outside(&self, point: V) -> f64;
}

macro_rules! rounds {
    ($($shape:ident $(.$radius:ident)?),+) => { $(
        impl Cored for $shape {
            $(fn radius_of(&self) -> f32 {
                self.$radius
            })?
            fn anchors(&self) -> Vec<V> {
                vec![self.solid().center]
            }
            fn lengths(&self) -> f64 {
                self.solid().size()
            }
            fn center(&self) -> V {
                self.solid().center
            }
            fn outside(&self, point: V) -> f64 {
                Solid { center: times(point, -1.0), ..self.solid() }.separation()
            }
        }
    )+ };
}
rounds!(Point, Sphere.radius, Capsule.radius, Aabb, Obb);

impl Cored for Triangle {
    const IS_TRIANGLE: bool = true;

    fn core(&self, scale: Scale) -> (Vec3, Vec<Vec3>, IBig) {
        let [a, b, c] = self
            .corners
            .map(|corner| &scale.vec(corner) * &IBig::from(2));
        let edges = vec![&b - &a, &c - &a];
        (a, edges, IBig::ONE)
    }
    fn radius(&self, _scale: Scale) -> IBig {
        IBig::ZERO
    }
    /// The corner at which the longest edge begins; several if rounding decides which edge is the longest.
    fn anchors(&self) -> Vec<V> {
        let facet = Facet::new(self);
        let least = facet.longest() * (1.0 - 1e-6);
        let edges = facet.corners.into_iter().zip(facet.edges);
        edges
            .filter(|(_, edge)| length(*edge) >= least)
            .map(|(corner, _)| corner)
            .collect()
    }
    fn lengths(&self) -> f64 {
        2.0 * Facet::new(self).longest()
    }
    fn center(&self) -> V {
        let [a, b, c] = self.corners.map(|corner| corner.map(f64::from));
        times(add(add(a, b), c), 1.0 / 3.0)
    }
    fn outside(&self, point: V) -> f64 {
        // Differences first, because the sum rounds far from the origin.
        let (mut facet, center) = (Facet::new(self), self.center());
        facet.corners = facet.corners.map(|corner| sub(corner, center));
        let point = Solid {
            center: point,
            generators: vec![],
            radius: 0.0,
        };
        facet.separation(&point)
    }
}

/// A shape that has a distance from `A`.
pub trait Target<A> {
    const IS_TRIANGLE: bool;
    /// The exact distance of `a`, and the judgement of both bounds.
    fn truth(&self, a: &A, bounds: [f32; 2]) -> Truth;
    /// The reference of its points; `None` if it is the center of the other shape.
    fn reference(&self) -> Option<V>;
    /// The distance of a point, given relative to a center: at most zero inside.
    fn outside(&self, center: V, point: V) -> f64;
    /// A point to move to: the center, or the point nearest to the origin.
    fn middle(&self) -> V;
}

impl<A: Cored, B: Cored> Target<A> for B {
    const IS_TRIANGLE: bool = B::IS_TRIANGLE;

    fn truth(&self, a: &A, bounds: [f32; 2]) -> Truth {
        let numbers = [a.numbers(), self.numbers(), bounds.to_vec()].concat();
        let scale = Scale::of(&numbers);
        let ((at_a, edges_a, unit_a), (at_b, edges_b, unit_b)) = (a.core(scale), self.core(scale));
        let unit = &unit_a * &unit_b;
        let none = Vec3([IBig::ZERO, IBig::ZERO, IBig::ZERO]);
        let first = Core::new(&none, &edges_a, &unit_b, A::IS_TRIANGLE);
        let offset = &(&at_b - &at_a) * &unit;
        let second = Core::new(&offset, &edges_b, &unit_a, B::IS_TRIANGLE);
        let offsets = a.anchors().into_iter().flat_map(|p| {
            let norm = move |q: V| sub(q, p).iter().map(|x| x.abs()).sum::<f64>();
            self.anchors().into_iter().map(norm)
        });
        let lengths = a.lengths() + self.lengths();
        judge(
            &Reach {
                squared: first.distance(&second),
                unit,
                radii: a.radius(scale) + self.radius(scale),
            },
            bounds,
            scale,
            &offsets.map(|x| x + lengths).collect::<Vec<_>>(),
        )
    }
    fn reference(&self) -> Option<V> {
        Some(self.center())
    }
    fn outside(&self, _center: V, point: V) -> f64 {
        Cored::outside(self, point)
    }
    fn middle(&self) -> V {
        self.center()
    }
}

/// The squared distance of cores in units of half a scale and a further fraction, and the radii in units of the scale.
struct Reach {
    squared: Squared,
    unit: IBig,
    radii: IBig,
}

fn judge(reach: &Reach, bounds: [f32; 2], scale: Scale, sizes: &[f64]) -> Truth {
    let Reach {
        squared,
        unit,
        radii,
    } = reach;
    // Whether each bound plus the radii is at most, or at least, the distance of the cores.
    let [lower, upper] = bounds.map(|bound| {
        let apart = (scale.int(bound) + radii) * 2 * unit;
        sq(&apart) * &squared.denominator
    });
    let halves = ratio(&squared.numerator, &(&squared.denominator * sq(unit))).sqrt();
    let distance = scale.f64(halves / 2.0 - radii.to_f64().value());
    let size = sizes.iter().copied().fold(0.0, f64::max);
    Truth {
        distance: distance.max(0.0),
        lower_holds: bounds[0] == 0.0 || lower <= squared.numerator,
        upper_holds: upper >= squared.numerator,
        size,
        is_size_exact: sizes.iter().all(|other| *other == size),
    }
}

macro_rules! surfaces {
    ($($shape:ident),+) => { $(
        impl<A: Cored> Target<A> for $shape {
            const IS_TRIANGLE: bool = false;

            fn truth(&self, a: &A, bounds: [f32; 2]) -> Truth {
                of_surface(a, self, bounds)
            }
            fn reference(&self) -> Option<V> {
                None
            }
            fn outside(&self, center: V, point: V) -> f64 {
                let n = self.normal.map(f64::from);
                let height = (dot(n, center) + f64::from(self.d) + dot(n, point)) / length(n);
                if Self::IS_SOLID { height } else { height.abs() }
            }
            fn middle(&self) -> V {
                let n = self.normal.map(f64::from);
                times(n, -f64::from(self.d) / dot(n, n))
            }
        }
    )+ };
}
surfaces!(Plane, HalfSpace);

/// The distance of a shape from a surface: the height of its lowest point.
fn of_surface<A: Cored, P: Surface>(a: &A, surface: &P, bounds: [f32; 2]) -> Truth {
    let (plane_normal, plane_d) = surface.plane();
    let scale = Scale::of(&[a.numbers(), bounds.to_vec()].concat());
    let normals = Scale::of(&plane_normal);
    let normal = normals.vec(plane_normal);
    // A height may need finer units than lengths and normals have.
    let d_scale = Scale::of(&[plane_d]);
    let shift = scale.exponent() + normals.exponent() - d_scale.exponent();
    let (finer, coarser) = if plane_d == 0.0 {
        (0, 0)
    } else {
        (shift.max(0) as usize, (-shift).max(0) as usize)
    };
    let (shape, radii) = a.parts(scale, &normal);
    let d = (d_scale.int(plane_d) << coarser) * 2 * &shape.unit;
    let height = ((shape.center.dot(&normal) * &shape.unit) << finer) + d;
    let height = if P::IS_SOLID { height } else { abs(&height) };
    let gap = (height - (shape.half_projection(&normal) << finer)).max(IBig::ZERO);

    let n = plane_normal.map(f64::from);
    let terms = a.anchors().into_iter().map(|p| {
        let heights = [0, 1, 2].map(|k| (n[k] * p[k]).abs());
        (heights.iter().sum::<f64>() + f64::from(plane_d).abs()) / length(n)
    });
    judge(
        &Reach {
            squared: Squared {
                numerator: sq(&gap),
                denominator: normal.length_sq() << (2 * finer),
            },
            unit: shape.unit,
            radii,
        },
        bounds,
        scale,
        &terms.map(|x| x + a.lengths()).collect::<Vec<_>>(),
    )
}

/// A core: its corners, the directions of its edges, and its faces.
pub struct Core {
    corners: Vec<Vec3>,
    edges: Vec<Vec3>,
    faces: Vec<Face>,
    /// Whether faces are simplices, so that shares of edges add up to at most one.
    has_simplices: bool,
}

/// A face: one of its corners, and the edges that span it from there.
struct Face {
    corner: usize,
    edges: Vec<usize>,
}

impl Core {
    /// The core at a place. Its edges are multiplied by a whole number.
    pub fn new(at: &Vec3, edges: &[Vec3], factor: &IBig, is_triangle: bool) -> Core {
        let edges: Vec<Vec3> = edges.iter().map(|edge| edge * factor).collect();
        if is_triangle {
            let [second, third] = [&edges[0], &edges[1]];
            let face = |corner, edges: &[usize]| Face {
                corner,
                edges: edges.to_vec(),
            };
            return Core {
                corners: vec![at.clone(), at + second, at + third],
                faces: vec![
                    face(0, &[]),
                    face(1, &[]),
                    face(2, &[]),
                    face(0, &[0]),
                    face(0, &[1]),
                    face(1, &[2]),
                    face(0, &[0, 1]),
                ],
                edges: vec![second.clone(), third.clone(), third - second],
                has_simplices: true,
            };
        }
        let halves: Vec<Vec3> = edges
            .into_iter()
            .filter(|half| half.length_sq() > IBig::ZERO)
            .collect();
        let mut corners = vec![at.clone()];
        for half in &halves {
            // Bit k of the index of a corner is its side of edge k.
            let low: Vec<Vec3> = corners.iter().map(|corner| corner - half).collect();
            let high = corners.iter().map(|corner| corner + half);
            corners = low.into_iter().chain(high).collect();
        }
        let all = 0..1usize << halves.len();
        let bits = |set: usize| (0..halves.len()).filter(move |k| set >> k & 1 == 1);
        let faces = all.clone().flat_map(|free| {
            let corners = all.clone().filter(move |corner| corner & free == 0);
            corners.map(move |corner| Face {
                corner,
                edges: bits(free).collect(),
            })
        });
        let faces = faces.collect();
        Core {
            corners,
            faces,
            edges: halves.iter().map(|half| half + half).collect(),
            has_simplices: false,
        }
    }

    /// The hull of points: each one to four of them are a face.
    pub fn of_points(corners: Vec<Vec3>) -> Core {
        let (mut edges, mut faces) = (Vec::new(), Vec::new());
        let len = corners.len();
        let mut index = vec![vec![0; len]; len];
        for (i, from) in corners.iter().enumerate() {
            for (j, to) in corners.iter().enumerate().skip(i + 1) {
                index[i][j] = edges.len();
                edges.push(to - from);
            }
        }
        for (i, index) in index.iter().enumerate() {
            let mut face = |others: &[usize]| {
                let edges = others.iter().map(|j| index[*j]).collect();
                faces.push(Face { corner: i, edges });
            };
            face(&[]);
            for j in i + 1..len {
                face(&[j]);
                for k in j + 1..len {
                    face(&[j, k]);
                    for l in k + 1..len {
                        face(&[j, k, l]);
                    }
                }
            }
        }
        Core {
            corners,
            edges,
            faces,
            has_simplices: true,
        }
    }

    pub fn corners(&self) -> &[Vec3] {
        &self.corners
    }

    /// The squared distance.
    pub fn distance(&self, other: &Core) -> Squared {
        let largest = [self, other].into_iter().flat_map(|core| &core.corners);
        let largest = largest.flat_map(|corner| corner.0.iter().map(abs)).max();
        let largest = largest.unwrap_or(IBig::ZERO).max(IBig::ONE);
        let float = |v: &Vec3| v.0.each_ref().map(|x| ratio(x, &largest));
        let rounded = |core: &Core| Rounded {
            corners: core.corners.iter().map(float).collect(),
            edges: core.edges.iter().map(float).collect(),
        };
        let (a, b) = (rounded(self), rounded(other));
        let mut likely = Vec::new();
        for (i, first) in self.faces.iter().enumerate() {
            for (j, second) in other.faces.iter().enumerate() {
                let p = sub(b.corners[second.corner], a.corners[first.corner]);
                let ways = first.edges.iter().map(|k| times(a.edges[*k], -1.0));
                let ways = ways.chain(second.edges.iter().map(|k| b.edges[*k]));
                let mut edges = [[0.0; 3]; 6];
                let count = first.edges.len() + second.edges.len();
                edges.iter_mut().zip(ways).for_each(|(to, way)| *to = way);
                let is_within = |shares: [f64; 3]| {
                    let mut shares = shares.into_iter();
                    shares.all(|share| (-1e-6..=1.0 + 1e-6).contains(&share))
                };
                let near = guess(p, &edges[..count.min(4)]).filter(|near| is_within(near.0));
                likely.extend(near.map(|(_, squared)| (squared, i, j)));
            }
        }
        likely.sort_unstable_by(|x, y| x.0.total_cmp(&y.0));
        let likely = likely.into_iter().map(|(_, i, j)| (i, j));
        let all = (0..self.faces.len()).flat_map(|i| (0..other.faces.len()).map(move |j| (i, j)));
        likely
            .chain(all)
            .find_map(|(i, j)| self.between(&self.faces[i], other, &other.faces[j]))
            .expect("nearest faces")
    }

    /// The squared distance of two faces, if it is the distance of the cores.
    fn between(&self, first: &Face, other: &Core, second: &Face) -> Option<Squared> {
        let (x, y) = (&self.corners[first.corner], &other.corners[second.corner]);
        let back = first.edges.iter().map(|k| -&self.edges[*k]);
        let edges: Vec<Vec3> = back
            .chain(second.edges.iter().map(|k| other.edges[*k].clone()))
            .collect();
        let Meeting {
            shares,
            whole,
            way,
            squared,
        } = Meeting::of(&(y - x), &edges)?;
        let is_within = |shares: &[IBig], has_simplices: bool| {
            let sum: IBig = shares.iter().cloned().sum();
            shares.iter().all(|s| *s >= IBig::ZERO && *s <= whole)
                && (!has_simplices || sum <= whole)
        };
        let (of_first, of_second) = shares.split_at(first.edges.len());
        if !is_within(of_first, self.has_simplices) || !is_within(of_second, other.has_simplices) {
            return None;
        }
        let (end, start) = (x.dot(&way), y.dot(&way));
        let is_last = self.corners.iter().all(|corner| corner.dot(&way) <= end);
        let is_first = other.corners.iter().all(|corner| corner.dot(&way) >= start);
        (is_last && is_first).then_some(squared)
    }
}

/// Corners and edges in `f64`, relative to the largest coordinate.
struct Rounded {
    corners: Vec<V>,
    edges: Vec<V>,
}

/// The point of a flat that is nearest to the origin.
struct Meeting {
    /// Parts of each edge, in parts of `whole`, which is positive.
    shares: Vec<IBig>,
    whole: IBig,
    /// The direction of the point.
    way: Vec3,
    squared: Squared,
}

impl Meeting {
    /// The flat through a point along edges; `None` if they are linearly dependent.
    fn of(p: &Vec3, edges: &[Vec3]) -> Option<Meeting> {
        let (shares, whole, way, numerator) = match edges {
            [] => (vec![], IBig::ONE, p.clone(), p.length_sq()),
            [e] => {
                let (whole, share) = (e.length_sq(), -p.dot(e));
                let way = &(p * &whole) + &(e * &share);
                (vec![share], whole, way, p.cross(e).length_sq())
            }
            [e, f] => {
                let normal = e.cross(f);
                let height = p.dot(&normal);
                let shares = vec![-p.cross(f).dot(&normal), -e.cross(p).dot(&normal)];
                let way = &normal * &height.signum();
                (shares, normal.length_sq(), way, sq(&height))
            }
            [e, f, g] => {
                let whole = e.dot(&f.cross(g));
                let sign = -whole.signum();
                let shares = [f.cross(g), g.cross(e), e.cross(f)].map(|n| p.dot(&n) * &sign);
                let none = p * &IBig::ZERO;
                (shares.to_vec(), abs(&whole), none, IBig::ZERO)
            }
            _ => return None,
        };
        (whole > IBig::ZERO).then(|| Meeting {
            shares,
            way,
            squared: Squared {
                numerator,
                denominator: whole.clone(),
            },
            whole,
        })
    }
}

/// The meeting in `f64`: parts of each edge, and the squared distance.
fn guess(p: V, edges: &[V]) -> Option<([f64; 3], f64)> {
    let (shares, whole, squared) = match *edges {
        [] => ([0.0; 3], 1.0, dot(p, p)),
        [e] => {
            let out = cross(p, e);
            ([-dot(p, e), 0.0, 0.0], dot(e, e), dot(out, out))
        }
        [e, f] => {
            let normal = cross(e, f);
            let height = dot(p, normal);
            let shares = [-dot(cross(p, f), normal), -dot(cross(e, p), normal), 0.0];
            (shares, dot(normal, normal), height * height)
        }
        [e, f, g] => {
            let normals = [cross(f, g), cross(g, e), cross(e, f)];
            (normals.map(|n| -dot(p, n)), dot(e, normals[0]), 0.0)
        }
        _ => return None,
    };
    // NaN for dependent edges.
    Some((shares.map(|share| share / whole), squared / whole))
}

/// Constants of the contract: parts of S in u, without and with triangles.
pub const BELOW: [f64; 2] = [150.0, 400.0];
pub const ABOVE: [f64; 2] = [32.0, 64.0];
pub const BAND: [f64; 2] = [288.0, 640.0];
/// Absolute part of each.
pub const FLOOR: f64 = 1.0 / (1u64 << 58) as f64;

/// A part of S, given in u.
pub fn part(of: [f64; 2], has_triangle: bool, size: f64) -> f64 {
    of[usize::from(has_triangle)] * U * size + FLOOR
}
