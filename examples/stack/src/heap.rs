//! The scene: a heap of rocks, convex hulls that fall on the ground, which is at height 0.

use parry3d::mass_properties::MassProperties;
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::transformation::convex_hull;
use phalanx::{Error, Hull, HullKinds};

use crate::body::Body;

/// Distance within which surfaces have a contact: more than rocks approach in most frames.
pub const MARGIN: f32 = 0.1;
/// Number of frames: fifteen seconds.
pub const FRAMES: u32 = 900;
/// Displacement of a corner in the last second from which a rock moves.
pub const AT_REST: f32 = 0.003;
/// Maximum number of rocks that move: a rock on two edges may rock for long.
pub const MOVING: usize = 5;
/// Maximum displacement of a corner in the last second.
pub const MOVED: f32 = 0.1;
/// Maximum depth of rocks in each other and in the ground.
pub const DEPTH: f32 = 0.01;

/// Numbers of points of the kinds of bumpy rocks.
const BUMPY: [usize; 4] = [12, 16, 20, 24];
/// Layers of rocks, and rocks of a layer along either axis.
const LAYERS: usize = 6;
const ROWS: usize = 5;
/// Distance of the centers of neighbours, more than the size of a rock.
const PITCH: f32 = 1.3;

/// Rocks of some kinds.
pub struct Heap {
    pub kinds: HullKinds,
    pub rocks: Vec<Hull>,
    /// Mass properties of each kind: the origin of its points is the center of mass, their axes are the principal axes.
    masses: Vec<MassProperties>,
}

impl Heap {
    /// Rocks in layers above the ground, in all orientations.
    pub fn new() -> Result<Self, Error> {
        let mut heap = Heap {
            kinds: HullKinds::new(),
            rocks: Vec::new(),
            masses: Vec::new(),
        };
        for (k, len) in BUMPY.into_iter().enumerate() {
            heap.add_kind(&bumpy(k, len))?;
        }
        heap.add_kind(&column())?;
        heap.add_kind(&crystal())?;
        let kinds = heap.masses.len();
        for i in 0..LAYERS * ROWS * ROWS {
            let [x, y, z] = [i % ROWS, i / (ROWS * ROWS), i / ROWS % ROWS];
            // Layers are slightly offset, so that rocks do not balance on each other.
            let shift = 0.3 * wave(7, i);
            let at = |k: usize| (k as f32 - 0.5 * (ROWS - 1) as f32) * PITCH;
            let axis = Vector::new(wave(1, i), wave(2, i), wave(3, i)).normalize_or(Vector::X);
            let rotation = Rotation::from_axis_angle(axis, 3.0 * wave(4, i));
            heap.rocks.push(Hull {
                center: [at(x) + shift, (y as f32 + 0.6) * PITCH, at(z) - shift],
                rotation: rotation.to_array(),
                kind: (i % kinds) as u32,
            });
        }
        Ok(heap)
    }

    /// Adds a kind, moved so that its center of mass is the origin and its axes are the principal axes.
    fn add_kind(&mut self, points: &[Vector]) -> Result<(), Error> {
        let (corners, triangles) = convex_hull(points);
        let mass = MassProperties::from_convex_polyhedron(1.0, &corners, &triangles);
        let to_principal = mass.principal_inertia_local_frame.inverse();
        let points: Vec<[f32; 3]> = points
            .iter()
            .map(|&point| (to_principal * (point - mass.local_com)).to_array())
            .collect();
        self.kinds.add(&points)?;
        self.masses.push(mass);
        Ok(())
    }

    /// The bodies of the rocks.
    pub fn bodies(&self) -> impl Iterator<Item = Body> {
        self.rocks.iter().map(|rock| {
            let [x, y, z, w] = rock.rotation;
            let pose = Pose::from_parts(rock.center.into(), Rotation::from_xyzw(x, y, z, w));
            let mass = &self.masses[rock.kind as usize];
            Body::new(pose, mass.mass(), mass.principal_inertia())
        })
    }

    /// The points of a rock.
    pub fn points(&self, rock: usize) -> impl Iterator<Item = Vector> {
        let kind = self.rocks[rock].kind;
        let points = self.kinds.points(kind).into_iter().flatten();
        points.map(Vector::from)
    }
}

/// A number between -1 and 1.
pub fn wave(seed: usize, index: usize) -> f32 {
    (2.4 * index as f32 + 1.7 * seed as f32 * (index % 11 + 1) as f32).sin()
}

/// Points on a bumpy ellipsoid, evenly spread.
fn bumpy(kind: usize, len: usize) -> Vec<Vector> {
    let stretch = Vector::new(0.6, 0.45, 0.5) * (1.0 - 0.08 * kind as f32);
    let point = |k: usize| {
        let y = 1.0 - (2 * k + 1) as f32 / len as f32;
        // The golden angle.
        let (sin, cos) = (2.399_963 * k as f32).sin_cos();
        let across = (1.0 - y * y).sqrt();
        let bump = 1.0 + 0.12 * wave(kind + 5, k);
        Vector::new(across * cos, y, across * sin) * stretch * bump
    };
    (0..len).map(point).collect()
}

/// A column of six sides, as of basalt.
fn column() -> Vec<Vector> {
    let corner = |k: usize| {
        let (sin, cos) = (std::f32::consts::FRAC_PI_3 * (k / 2) as f32).sin_cos();
        Vector::new(
            0.4 * cos,
            if k.is_multiple_of(2) { -0.45 } else { 0.45 },
            0.4 * sin,
        )
    };
    (0..12).map(corner).collect()
}

/// A truncated octahedron, slightly flat: eight faces of six sides, and six of four.
fn crystal() -> Vec<Vector> {
    let mut corners = Vec::new();
    for axis in 0..3 {
        for signs in 0..8 {
            let sign = |bit: usize| if signs >> bit & 1 == 0 { 1.0 } else { -1.0 };
            let mut corner = [0.0; 3];
            let (one, two) = ((axis + 1) % 3, (axis + 2) % 3);
            corner[one] = sign(0);
            corner[two] = 2.0 * sign(1);
            if signs & 4 != 0 {
                corner.swap(one, two);
            }
            corners.push(Vector::from(corner) * Vector::new(0.25, 0.2, 0.25));
        }
    }
    corners
}
