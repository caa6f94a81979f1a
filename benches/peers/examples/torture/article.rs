//! The six listings of M. Gomez, "Simple Intersection Tests for Games" (Gamasutra, 18 October 1999), as formulas in
//! f32, with the errors that `src/errata.md` lists.

use crate::harness::{Moving, cells};
use crate::peers::{FRAME, Registry};
use parry3d::math::Vector;
use phalanx::{Aabb, Obb, Plane, Sphere, TimeInterval};
use phalanx_bench::convert::axes;

pub fn add_to(peers: &mut Registry) {
    peers.add::<cells::sphere_plane_sweep>("article, listing 1", sphere_plane_sweep);
    peers.add::<cells::sphere_sphere_sweep>("article, listing 2", sphere_sphere_sweep);
    peers.add::<cells::aabb_aabb_overlap>("article, listing 3", |a, b| {
        boxes_overlap(&Box3::of(&a.0), &Box3::of(&b.0)).then_some(FRAME)
    });
    peers.add::<cells::aabb_aabb_sweep>("article, listing 4", aabb_aabb_sweep);
    peers.add::<cells::sphere_aabb_overlap>("article, listing 5", |a, b| {
        ball_in_box(&a.0, &Box3::of(&b.0)).then_some(FRAME)
    });
    peers.add::<cells::sphere_obb_overlap>("article, listing 5", |a, b| {
        ball_in_turned_box(&a.0, &Turned::of(&b.0)).then_some(FRAME)
    });
    peers.add::<cells::obb_obb_overlap>("article, listing 6", |a, b| {
        turned_boxes_overlap(&Turned::of(&a.0), &Turned::of(&b.0)).then_some(FRAME)
    });
    peers.add::<cells::aabb_obb_overlap>("article, listing 6", |a, b| {
        turned_boxes_overlap(&Turned::of_aabb(&a.0), &Turned::of(&b.0)).then_some(FRAME)
    });
}

/// An AABB in the form of the article.
struct Box3 {
    center: [f32; 3],
    half: [f32; 3],
}

impl Box3 {
    fn of(aabb: &Aabb) -> Self {
        Box3 {
            center: [0, 1, 2].map(|k| (aabb.min[k] + aabb.max[k]) / 2.0),
            half: [0, 1, 2].map(|k| (aabb.max[k] - aabb.min[k]) / 2.0),
        }
    }

    fn min(&self, k: usize) -> f32 {
        self.center[k] - self.half[k]
    }

    fn max(&self, k: usize) -> f32 {
        self.center[k] + self.half[k]
    }
}

/// An OBB.
struct Turned {
    center: Vector,
    half: [f32; 3],
    axes: [Vector; 3],
}

impl Turned {
    fn of(obb: &Obb) -> Self {
        Turned {
            center: obb.center.into(),
            half: obb.half_extents,
            axes: axes(obb.rotation),
        }
    }

    fn of_aabb(aabb: &Aabb) -> Self {
        let Box3 { center, half } = Box3::of(aabb);
        Turned {
            center: center.into(),
            half,
            axes: [Vector::X, Vector::Y, Vector::Z],
        }
    }
}

/// Listing 1: signed distances from the plane at the start and at the end of the frame.
fn sphere_plane_sweep(
    (ball, ball_motion): &Moving<Sphere>,
    (plane, plane_motion): &Moving<Plane>,
) -> Option<TimeInterval> {
    let normal = Vector::from(plane.normal);
    let length = normal.length();
    let (normal, offset) = (normal / length, plane.d / length);
    // The article's plane is static.
    let motion = Vector::from(*ball_motion) - Vector::from(*plane_motion);
    let start = Vector::from(ball.center);
    let d0 = normal.dot(start) + offset;
    let d1 = normal.dot(start + motion) + offset;
    let r = ball.radius;
    if d0.abs() <= r {
        Some(FRAME)
    } else if d0 > r && d1 < r {
        let enter = (d0 - r) / (d0 - d1);
        Some(TimeInterval { enter, exit: 1.0 })
    } else {
        None
    }
}

/// Listing 2: the roots of the squared distance, less the squared radii.
fn sphere_sphere_sweep(
    (a, motion_a): &Moving<Sphere>,
    (b, motion_b): &Moving<Sphere>,
) -> Option<TimeInterval> {
    let offset = Vector::from(b.center) - Vector::from(a.center);
    let motion = Vector::from(*motion_b) - Vector::from(*motion_a);
    let radii = a.radius + b.radius;
    if offset.dot(offset) <= radii * radii {
        return Some(TimeInterval {
            enter: 0.0,
            exit: 0.0,
        });
    }
    let (qa, qb, qc) = (
        motion.dot(motion),
        2.0 * motion.dot(offset),
        offset.dot(offset) - radii * radii,
    );
    let discriminant = qb * qb - 4.0 * qa * qc;
    let (root, inverse) = (discriminant.sqrt(), 1.0 / (2.0 * qa));
    (discriminant >= 0.0).then_some(TimeInterval {
        enter: (-qb - root) * inverse,
        exit: (-qb + root) * inverse,
    })
}

/// Listing 3: the offset of the centers on each axis.
fn boxes_overlap(a: &Box3, b: &Box3) -> bool {
    (0..3).all(|k| (b.center[k] - a.center[k]).abs() <= a.half[k] + b.half[k])
}

/// Listing 4: the times at which the boxes begin and cease to overlap on each axis.
fn aabb_aabb_sweep(
    (a, motion_a): &Moving<Aabb>,
    (b, motion_b): &Moving<Aabb>,
) -> Option<TimeInterval> {
    let (a, b) = (Box3::of(a), Box3::of(b));
    if boxes_overlap(&a, &b) {
        return Some(TimeInterval {
            enter: 0.0,
            exit: 0.0,
        });
    }
    let (mut enters, mut exits) = ([0.0; 3], [1.0; 3]);
    for k in 0..3 {
        let v = motion_b[k] - motion_a[k];
        if a.max(k) < b.min(k) && v < 0.0 {
            enters[k] = (a.max(k) - b.min(k)) / v;
        } else if b.max(k) < a.min(k) && v > 0.0 {
            enters[k] = (a.min(k) - b.max(k)) / v;
        }
        if b.max(k) > a.min(k) && v < 0.0 {
            exits[k] = (a.min(k) - b.max(k)) / v;
        } else if a.max(k) > b.min(k) && v > 0.0 {
            exits[k] = (a.max(k) - b.min(k)) / v;
        }
    }
    let enter = enters.into_iter().fold(f32::NEG_INFINITY, f32::max);
    let exit = exits.into_iter().fold(f32::INFINITY, f32::min);
    (enter <= exit).then_some(TimeInterval { enter, exit })
}

/// Listing 5, by J. Arvo: the squared distance from a box to a sphere's center.
fn ball_in_box(ball: &Sphere, shape: &Box3) -> bool {
    let distance_sq: f32 = (0..3)
        .map(|k| {
            let c = ball.center[k];
            if c < shape.min(k) {
                (c - shape.min(k)).powi(2)
            } else if c > shape.max(k) {
                (c - shape.max(k)).powi(2)
            } else {
                0.0
            }
        })
        .sum();
    distance_sq <= ball.radius * ball.radius
}

/// Listing 5 in the frame of the box.
fn ball_in_turned_box(ball: &Sphere, shape: &Turned) -> bool {
    let offset = Vector::from(ball.center) - shape.center;
    let local = Sphere {
        center: shape.axes.map(|axis| offset.dot(axis)),
        radius: ball.radius,
    };
    let around_origin = Box3 {
        center: [0.0; 3],
        half: shape.half,
    };
    ball_in_box(&local, &around_origin)
}

/// Listing 6: the projections on 15 axes; axes of edges are not normalised.
fn turned_boxes_overlap(a: &Turned, b: &Turned) -> bool {
    let offset = b.center - a.center;
    let t = a.axes.map(|axis| offset.dot(axis));
    // B's axes in A's frame.
    let r = a.axes.map(|of_a| b.axes.map(|of_b| of_a.dot(of_b)));
    let (p, q) = (a.half, b.half);
    let others = [[1, 2], [0, 2], [0, 1]];

    let face_of_a = |i: usize| {
        let rb = q[0] * r[i][0].abs() + q[1] * r[i][1].abs() + q[2] * r[i][2].abs();
        t[i].abs() > p[i] + rb
    };
    let face_of_b = |j: usize| {
        let ra = p[0] * r[0][j].abs() + p[1] * r[1][j].abs() + p[2] * r[2][j].abs();
        let distance = t[0] * r[0][j] + t[1] * r[1][j] + t[2] * r[2][j];
        distance.abs() > ra + q[j]
    };
    let edges = |i: usize, j: usize| {
        let ([i1, i2], [j1, j2]) = (others[i], others[j]);
        let ra = p[i1] * r[i2][j].abs() + p[i2] * r[i1][j].abs();
        let rb = q[j1] * r[i][j2].abs() + q[j2] * r[i][j1].abs();
        (t[i2] * r[i1][j] - t[i1] * r[i2][j]).abs() > ra + rb
    };
    !(0..3).any(|i| face_of_a(i) || face_of_b(i) || (0..3).any(|j| edges(i, j)))
}
