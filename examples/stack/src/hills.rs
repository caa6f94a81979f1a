//! The scene: boxes, rocks, spheres and capsules that fall on rugged hills, a mesh.

pub mod with_parry;
pub mod with_phalanx;

use parry3d::math::{Pose, Rotation, Vector};
use parry3d::shape::{Shape, SharedShape};
use phalanx::{Capsule, Error, Mesh, Obb, Sphere};

use crate::Run;
use crate::body::Body;
use crate::heap::{Heap, wave};

/// Distance within which surfaces have a contact.
pub const MARGIN: f32 = 0.05;
/// Number of frames: twenty seconds.
pub const FRAMES: u32 = 1200;
/// Energy by which a frame may end above the start, as a part: the rounding of its sum.
pub const RISE: f64 = 1e-6;
/// Displacement of a center in the last second from which a body moves, and the number of bodies that may: a sphere on two
/// slopes rolls for long.
pub const AT_REST: f32 = 0.01;
pub const MOVING: usize = 10;
/// Depth of a center below the hills.
pub const UNDER: f32 = 0.0;

/// Numbers of bodies: boxes, rocks, spheres, capsules.
const BOXES: usize = 170;
const OTHERS: usize = 110;
/// Squares of the hills along either axis, a metre wide.
const SQUARES: usize = 30;
/// Bodies of a layer along either axis, and the distance of their centers.
const ROWS: usize = 10;
const PITCH: f32 = 1.4;
/// Height of the lowest layer.
const HEIGHT: f32 = 3.5;

/// The bodies, kind after kind, and the hills.
pub struct Hills {
    pub boxes: Vec<Obb>,
    pub rocks: Heap,
    pub spheres: Vec<Sphere>,
    pub capsules: Vec<Capsule>,
    pub vertices: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

impl Hills {
    pub fn new() -> Result<Self, Error> {
        let mut rocks = Heap::new()?;
        rocks.rocks.truncate(OTHERS);
        let mut places = (0..BOXES + 3 * OTHERS).map(place);
        let mut next = || places.next().unwrap_or_default();
        let size = |seed: usize, i: usize| 0.3 + 0.12 * wave(seed, i);
        let boxes = (0..BOXES)
            .map(|i| Obb {
                center: next(),
                half_extents: [size(1, i), 0.8 * size(2, i), size(3, i)],
                rotation: turn(i),
            })
            .collect();
        for rock in &mut rocks.rocks {
            rock.center = next();
        }
        let spheres = (0..OTHERS).map(|i| Sphere::new(next(), size(4, i)));
        let spheres = spheres.collect();
        let capsules = (0..OTHERS).map(|i| {
            let [x, y, z, w] = turn(i);
            let axis = Rotation::from_xyzw(x, y, z, w) * Vector::Y * size(5, i);
            Capsule::new(next(), axis.to_array(), 0.6 * size(6, i))
        });
        let capsules = capsules.collect();
        let along = SQUARES + 1;
        let vertices = (0..along * along)
            .map(|k| {
                let (x, z) = (k % along, k / along);
                let [u, v] = [x, z].map(|k| k as f32 - 0.5 * SQUARES as f32);
                // A bowl, so that nothing rolls over the border.
                [
                    u,
                    0.6 * wave(9, 7 * x + 31 * z) + 0.012 * (u * u + v * v),
                    v,
                ]
            })
            .collect();
        let triangles = (0..SQUARES * SQUARES)
            .flat_map(|k| {
                let first = (k / SQUARES * along + k % SQUARES) as u32;
                let (right, above) = (first + 1, first + along as u32);
                [[first, above, right], [right, above, above + 1]]
            })
            .collect();
        Ok(Hills {
            boxes,
            rocks,
            spheres,
            capsules,
            vertices,
            triangles,
        })
    }

    pub fn mesh(&self) -> Result<Mesh, Error> {
        Mesh::new(&self.vertices, &self.triangles)
    }

    /// All shapes in their own frames.
    pub fn shapes(&self) -> Vec<SharedShape> {
        let boxes = self.boxes.iter().map(|obb| {
            let [x, y, z] = obb.half_extents;
            SharedShape::cuboid(x, y, z)
        });
        let rocks = (0..self.rocks.rocks.len()).map(|rock| {
            let points: Vec<Vector> = self.rocks.points(rock).collect();
            SharedShape::convex_hull(&points).expect("a rock has a volume")
        });
        let spheres = self
            .spheres
            .iter()
            .map(|sphere| SharedShape::ball(sphere.radius));
        let capsules = self.capsules.iter().map(|capsule| {
            let half = Vector::from(capsule.half_axis).length();
            SharedShape::capsule_y(half, capsule.radius)
        });
        boxes.chain(rocks).chain(spheres).chain(capsules).collect()
    }

    pub fn bodies(&self) -> Vec<Body> {
        let shapes = self.shapes();
        let solid = |shape: &dyn Shape, pose: Pose| {
            let mass = shape.mass_properties(1.0);
            Body::new(pose, mass.mass(), mass.principal_inertia())
        };
        let posed = |center: [f32; 3], rotation: [f32; 4]| {
            let [x, y, z, w] = rotation;
            Pose::from_parts(center.into(), Rotation::from_xyzw(x, y, z, w))
        };
        let first_sphere = BOXES + OTHERS;
        let boxes = self.boxes.iter().zip(&shapes);
        let boxes = boxes.map(|(obb, shape)| solid(&**shape, posed(obb.center, obb.rotation)));
        let spheres = self.spheres.iter().zip(&shapes[first_sphere..]);
        let spheres = spheres
            .map(|(sphere, shape)| solid(&**shape, Pose::from_translation(sphere.center.into())));
        let capsules = self.capsules.iter().zip(&shapes[first_sphere + OTHERS..]);
        let capsules = capsules
            .enumerate()
            .map(|(i, (capsule, shape))| solid(&**shape, posed(capsule.center, turn(i))));
        let bodies = boxes.chain(self.rocks.bodies()).chain(spheres);
        bodies.chain(capsules).collect()
    }

    /// Height of the hills at a place; `None` beyond their border.
    fn height(&self, [x, z]: [f32; 2]) -> Option<f32> {
        let [u, v] = [x, z].map(|x| x + 0.5 * SQUARES as f32);
        let most = SQUARES as f32;
        if !((0.0..most).contains(&u) && (0.0..most).contains(&v)) {
            return None;
        }
        let (column, row) = (u as usize, v as usize);
        let (s, t) = (u - column as f32, v - row as f32);
        let first = row * (SQUARES + 1) + column;
        let y = |k: usize| self.vertices[k][1];
        let (right, above) = (first + 1, first + SQUARES + 1);
        Some(if s + t < 1.0 {
            y(first) + s * (y(right) - y(first)) + t * (y(above) - y(first))
        } else {
            let last = y(above + 1);
            last + (1.0 - s) * (y(above) - last) + (1.0 - t) * (y(right) - last)
        })
    }
}

/// Place of a body: in layers, slightly offset.
fn place(i: usize) -> [f32; 3] {
    let at = |k: usize| (k as f32 - 0.5 * (ROWS - 1) as f32) * PITCH;
    let shift = 0.2 * wave(7, i);
    let layer = i / (ROWS * ROWS);
    let (x, z) = (at(i % ROWS) + shift, at(i / ROWS % ROWS) - shift);
    [x, HEIGHT + 1.3 * layer as f32, z]
}

fn turn(i: usize) -> [f32; 4] {
    let axis = Vector::new(wave(1, i), wave(2, i), wave(3, i)).normalize_or(Vector::X);
    Rotation::from_axis_angle(axis, 3.0 * wave(4, i)).to_array()
}

/// State of the bodies at the end.
pub struct Outcome {
    /// The greatest energy of a frame, as a part of that at the start.
    pub highest: f64,
    /// The greatest rise of a frame, as a part of the energy at the start.
    pub rise: f64,
    /// Number of bodies that moved in the last second.
    pub moving: usize,
    /// Greatest depth of a center below the hills.
    pub under: f32,
    /// Number of bodies beyond the border of the hills.
    pub lost: usize,
}

impl Outcome {
    pub fn new(run: &Run, hills: &Hills) -> Self {
        let start = run.energies[0];
        let highest = run.energies.iter().copied().fold(0.0, f64::max) / start;
        let rises = run.energies.windows(2).map(|pair| pair[1] - pair[0]);
        let mut outcome = Outcome {
            highest,
            rise: rises.fold(f64::NEG_INFINITY, f64::max) / start,
            moving: 0,
            under: f32::NEG_INFINITY,
            lost: 0,
        };
        // All bodies except the ground.
        let bodies = run.bodies.iter().zip(&run.before);
        for (body, before) in bodies.take(run.bodies.len() - 1) {
            let [x, y, z] = body.pose.translation.to_array();
            match hills.height([x, z]) {
                Some(height) => outcome.under = outcome.under.max(height - y),
                None => outcome.lost += 1,
            }
            let way = body.pose.translation - before.pose.translation;
            outcome.moving += usize::from(way.length() > AT_REST);
        }
        outcome
    }

    pub fn is_good(&self) -> bool {
        let is_still = self.moving <= MOVING && self.lost == 0;
        is_still && self.highest <= 1.0 + RISE && self.under < UNDER
    }
}
