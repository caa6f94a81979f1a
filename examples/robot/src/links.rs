//! Links of a URDF as hulls, and their places for the angles of the joints.

use std::error::Error;
use std::f64::consts::PI;
use std::fs::File;
use std::path::Path;

use phalanx::HullKinds;
use urdf_rs::{Geometry, JointType, Robot};

use crate::pose::{Pose, Vector, turned};

/// Maximum growth of a link's hull, in metres. A mesh that grows by more is several hulls.
const GROWTH: f32 = 4e-3;
/// Maximum number of hulls of a mesh.
const PARTS: usize = 16;

/// A hull of a link.
pub struct Part {
    pub link: usize,
    /// Its place in the frame of the link.
    pub place: Pose,
    pub kind: u32,
    pub growth: f32,
    /// Least and largest coordinates of what it contains, in its own frame.
    pub bounds: [[f32; 3]; 2],
}

/// A tree of links and joints.
pub struct Arm {
    pub robot: Robot,
    pub kinds: HullKinds,
    pub parts: Vec<Part>,
    /// Parent and child of each joint.
    pub joints: Vec<[usize; 2]>,
}

impl Arm {
    /// Reads a URDF whose meshes are STL files beside it, and boxes, cylinders or spheres otherwise.
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let robot = urdf_rs::read_file(path)?;
        let index = |name: &str| {
            let found = robot.links.iter().position(|link| link.name == name);
            found.ok_or_else(|| format!("no link is named {name}"))
        };
        for joint in &robot.joints {
            let is_known = matches!(
                joint.joint_type,
                JointType::Fixed | JointType::Revolute | JointType::Continuous
            );
            if !is_known || joint.mimic.is_some() {
                let name = &joint.name;
                let known = "fixed, revolute and continuous joints without mimic";
                return Err(format!("joint {name} is none of these: {known}").into());
            }
        }
        let joints = robot.joints.iter();
        let joints = joints.map(|j| Ok([index(&j.parent.link)?, index(&j.child.link)?]));
        let joints = joints.collect::<Result<_, String>>()?;
        let (mut kinds, mut parts) = (HullKinds::new(), Vec::new());
        for (link, model) in robot.links.iter().enumerate() {
            for collision in &model.collision {
                let place = Pose::of(&collision.origin);
                if let Geometry::Mesh { filename, scale } = &collision.geometry {
                    let file = path.with_file_name(filename);
                    let triangles = mesh(&file, scale.map_or([1.0; 3], |scale| scale.0))?;
                    let in_link = |p: &Vector| place.apply(*p).map(|x| x as f32);
                    let in_link = |triangle: &Vec<Vector>| triangle.iter().map(in_link).collect();
                    let mut triangles: Vec<_> = triangles.iter().map(in_link).collect();
                    add(&mut kinds, &mut parts, link, &mut triangles, PARTS)?;
                    continue;
                }
                let kind = primitive(&mut kinds, &collision.geometry)?;
                let half = kinds.half_extents(kind).unwrap_or_default();
                parts.push(Part {
                    link,
                    place,
                    kind,
                    growth: 0.0,
                    bounds: [half.map(|x| -x), half],
                });
            }
        }
        Ok(Arm {
            robot,
            kinds,
            parts,
            joints,
        })
    }

    /// The limits of the joints that turn.
    pub fn limits(&self) -> Vec<[f64; 2]> {
        let limit = |j: &urdf_rs::Joint| match j.joint_type {
            JointType::Revolute => Some([j.limit.lower, j.limit.upper]),
            JointType::Continuous => Some([-PI, PI]),
            _ => None,
        };
        self.robot.joints.iter().filter_map(limit).collect()
    }

    /// The index of a joint's angle, if it turns.
    pub fn angle_of(&self, joint: usize) -> Option<usize> {
        let turns = |j: &urdf_rs::Joint| {
            matches!(j.joint_type, JointType::Revolute | JointType::Continuous)
        };
        let before = self.robot.joints[..joint]
            .iter()
            .filter(|j| turns(j))
            .count();
        turns(&self.robot.joints[joint]).then_some(before)
    }

    /// The place of each link. Joints may come in any order.
    pub fn places(&self, angles: &[f64]) -> Vec<Pose> {
        let mut places = vec![None; self.robot.links.len()];
        let is_child = |link: usize| self.joints.iter().any(|[_, child]| *child == link);
        let roots = (0..places.len()).filter(|link| !is_child(*link));
        roots.for_each(|link| places[link] = Some(Pose::default()));
        for _ in 0..self.joints.len() {
            let mut angles = angles.iter();
            for (joint, [parent, child]) in self.robot.joints.iter().zip(&self.joints) {
                let turn = match joint.joint_type {
                    JointType::Revolute | JointType::Continuous => {
                        turned(joint.axis.xyz.0, *angles.next().unwrap_or(&0.0))
                    }
                    _ => Pose::default(),
                };
                let place = |parent: Pose| parent.then(&Pose::of(&joint.origin)).then(&turn);
                places[*child] = places[*parent].map(place);
            }
        }
        places.into_iter().map(Option::unwrap_or_default).collect()
    }
}

/// Adds the hull of some triangles, or those of both halves of them if it grows by too much.
///
/// A triangle belongs to one half, so the hulls of both contain the mesh. Between the halves of a link that is not convex they leave
/// out space that its hull has.
fn add(
    kinds: &mut HullKinds,
    parts: &mut Vec<Part>,
    link: usize,
    triangles: &mut [Vec<[f32; 3]>],
    most: usize,
) -> Result<(), phalanx::Error> {
    let points: Vec<[f32; 3]> = triangles.concat();
    let bound = |of: fn(f32, f32) -> f32| {
        let both = |a: [f32; 3], b: &[f32; 3]| [0, 1, 2].map(|k| of(a[k], b[k]));
        points.iter().skip(1).fold(points[0], both)
    };
    let bounds = [bound(f32::min), bound(f32::max)];
    // Of a copy: a kind that grows by too much is not kept.
    let mut with = kinds.clone();
    let (kind, growth) = with.add_outer(&points, HullKinds::MAX_POINTS)?;
    if growth <= GROWTH || most < 2 || triangles.len() < 2 {
        *kinds = with;
        parts.push(Part {
            link,
            place: Pose::default(),
            kind,
            growth,
            bounds,
        });
        return Ok(());
    }
    let extent = |axis: &usize| bounds[1][*axis] - bounds[0][*axis];
    let axes = [0, 1, 2].into_iter();
    let axis = axes
        .max_by(|a, b| extent(a).total_cmp(&extent(b)))
        .unwrap_or(0);
    let middle = |t: &Vec<[f32; 3]>| t.iter().map(|point| point[axis]).sum::<f32>();
    triangles.sort_by(|a, b| middle(a).total_cmp(&middle(b)));
    let (lower, upper) = triangles.split_at_mut(triangles.len() / 2);
    add(kinds, parts, link, lower, most / 2)?;
    add(kinds, parts, link, upper, most / 2)
}

/// The triangles of an STL file.
fn mesh(path: &Path, scale: Vector) -> Result<Vec<Vec<Vector>>, Box<dyn Error>> {
    let mut file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mesh = stl_io::read_stl(&mut file)?;
    let corner = |k: usize| {
        let corner = mesh.vertices[k].0;
        [0, 1, 2].map(|axis| f64::from(corner[axis]) * scale[axis])
    };
    let triangles = mesh
        .faces
        .iter()
        .map(|face| face.vertices.map(corner).into());
    if mesh.faces.is_empty() {
        return Err(format!("{}: no triangles", path.display()).into());
    }
    Ok(triangles.collect())
}

/// Adds the kind of a primitive: a cylinder and a sphere are what they are, not polygons.
fn primitive(kinds: &mut HullKinds, geometry: &Geometry) -> Result<u32, Box<dyn Error>> {
    let half = |size: f64| (0.5 * size) as f32;
    Ok(match geometry {
        Geometry::Box { size } => {
            let [x, y, z] = size.0.map(half);
            let sign = |k: u32| if k & 1 == 0 { 1.0 } else { -1.0 };
            let corner = |k: u32| [sign(k) * x, sign(k >> 1) * y, sign(k >> 2) * z];
            kinds.add(&(0..8).map(corner).collect::<Vec<_>>())?
        }
        Geometry::Sphere { radius } => kinds.add_rounded(&[[0.0; 3]], *radius as f32)?,
        Geometry::Cylinder { radius, length } => {
            kinds.add_cylinder(*radius as f32, half(*length), 0.0)?
        }
        other => {
            let known = "a box, cylinder, sphere or mesh";
            return Err(format!("{other:?} is not {known}").into());
        }
    })
}
