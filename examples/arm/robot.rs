//! An arm with seven axes and a reach of 0.86 m: its joints, its links as capsules, and bounds of the displacement of
//! each link.

use phalanx::{Capsule, Capsules, Groups, Pair};

use crate::cell::MOUNT;

pub const LINKS: usize = 7;
/// The angles of the joints, in radians.
pub type Pose = [f64; LINKS];
type Vector = [f64; 3];

/// A joint by the modified parameters of Denavit and Hartenberg, in metres, relative to the previous axis.
struct Joint {
    a: f64,
    d: f64,
    /// Sine and cosine of the twist.
    twist: [f64; 2],
    limits: [f64; 2],
    /// The ends of the link's axis in the frame of the joint.
    link: [Vector; 2],
    radius: f64,
}

const fn joint(
    [a, d]: [f64; 2],
    twist: [f64; 2],
    limits: [f64; 2],
    link: [Vector; 2],
    radius: f64,
) -> Joint {
    Joint {
        a,
        d,
        twist,
        limits,
        link,
        radius,
    }
}

/// Twists: none, 90°, and −90°.
const NONE: [f64; 2] = [0.0, 1.0];
const QUARTER: [f64; 2] = [1.0, 0.0];
const BACK: [f64; 2] = [-1.0, 0.0];

/// The last link holds a gripper, which is not on the axis.
const JOINTS: [Joint; LINKS] = [
    joint(
        [0.0, 0.333],
        NONE,
        [-2.90, 2.90],
        [[0.0, 0.0, -0.19], [0.0, 0.0, 0.0]],
        0.09,
    ),
    joint(
        [0.0, 0.0],
        BACK,
        [-1.76, 1.76],
        [[0.0, 0.0, 0.0], [0.0, -0.16, 0.0]],
        0.085,
    ),
    joint(
        [0.0, 0.316],
        QUARTER,
        [-2.90, 2.90],
        [[0.0, 0.0, -0.15], [0.0825, 0.0, 0.0]],
        0.075,
    ),
    joint(
        [0.0825, 0.0],
        QUARTER,
        [-3.07, -0.07],
        [[0.0, 0.0, 0.0], [-0.0825, 0.13, 0.0]],
        0.07,
    ),
    joint(
        [-0.0825, 0.384],
        BACK,
        [-2.90, 2.90],
        [[0.0, 0.0, -0.25], [0.0, 0.0, 0.0]],
        0.06,
    ),
    joint(
        [0.0, 0.0],
        QUARTER,
        [-0.02, 3.75],
        [[0.0, 0.0, 0.0], [0.088, 0.0, 0.0]],
        0.055,
    ),
    joint(
        [0.088, 0.0],
        QUARTER,
        [-2.90, 2.90],
        [[0.0, 0.0, 0.05], [0.04, 0.0, 0.2]],
        0.045,
    ),
];

/// A pose within the limits of the joints.
pub fn random_pose(random: &mut impl FnMut(f32, f32) -> f32) -> Pose {
    JOINTS
        .each_ref()
        .map(|joint| f64::from(random(joint.limits[0] as f32, joint.limits[1] as f32)))
}

/// Forward kinematics: the links of a pose, base first.
pub fn links(pose: &Pose) -> [Capsule; LINKS] {
    // The axes of the frame as columns, and its origin.
    let mut axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mut origin = [0.0; 3];
    let mut next = 0;
    JOINTS.each_ref().map(|joint| {
        origin = placed(&axes, origin, joint.offset());
        let [sin, cos] = joint.twist;
        let [x, y, z] = axes;
        let twisted = [combined(y, cos, z, sin), combined(z, cos, y, -sin)];
        let (sin, cos) = pose[next].sin_cos();
        let turned = [
            combined(x, cos, twisted[0], sin),
            combined(twisted[0], cos, x, -sin),
        ];
        axes = [turned[0], turned[1], twisted[1]];
        next += 1;
        let [from, to] = joint
            .link
            .map(|end| placed(&axes, origin, end).map(|x| x as f32));
        Capsule::between(from, to, joint.radius as f32)
    })
}

/// Checks the kinematics by a pose in which the forearm is level and the gripper points down.
pub fn check() {
    let quarter = 0.5 * std::f64::consts::PI;
    let [.., gripper] = links(&[0.0, 0.0, 0.0, -quarter, 0.0, quarter, 0.0]);
    let wrist = [0.0825 + 0.384 + 0.088, 0.0, 0.333 + 0.316 + 0.0825];
    for end in [-1.0, 1.0] {
        let at = [0, 1, 2].map(|k| gripper.center[k] + end * gripper.half_axis[k]);
        let [x, y, z] = [0, 1, 2].map(|k| f64::from(at[k]) - wrist[k]);
        let [aside, down] = if end < 0.0 { [0.0, 0.05] } else { [0.04, 0.2] };
        let is_right = (x.hypot(y) - aside).abs() < 1e-6 && (z + down).abs() < 1e-6;
        assert!(is_right, "the gripper is at {at:?}");
    }
}

/// Replaces a store by the links of poses, seven after seven. The first link stands on its mount, so both are one body.
pub fn set_links(poses: &[Pose], store: &mut Capsules) {
    store.clear();
    store.extend(poses.iter().flat_map(links));
    let bodies = store.bodies_mut();
    bodies.iter_mut().step_by(LINKS).for_each(|b| *b = MOUNT);
}

/// Least difference of indices for self-collision: nearer links are held apart by their joints.
const APART: usize = 3;

/// Groups for the self-collision of one pose: each link is a group, and meets the links that are not near it.
pub fn self_groups() -> [Groups; LINKS] {
    let mut link = 0..LINKS;
    [(); LINKS].map(|()| {
        let i = link.next().unwrap_or(0);
        let far = (0..LINKS).filter(|k| i.abs_diff(*k) >= APART);
        Groups {
            is: 1 << i,
            meets: far.map(|k| 1 << k).sum(),
        }
    })
}

/// The same pairs for many poses in one store. Groups cannot separate poses, a list can.
pub fn self_pairs(poses: usize, pairs: &mut Vec<Pair>) {
    pairs.clear();
    for first in (0..poses).map(|pose| pose * LINKS) {
        for (i, k) in (0..LINKS).flat_map(|i| (i + APART..LINKS).map(move |k| (i, k))) {
            pairs.push(Pair::new((first + i) as u32, (first + k) as u32));
        }
    }
}

/// Bounds of the displacement of links while joints rotate, which also bound the change of distances. They depend only
/// on the axis of a capsule, so the radius adds nothing.
pub struct Reaches([[f64; LINKS]; LINKS]);

impl Reaches {
    /// The largest distance of the axis of each link from the axis of each joint before it, in all poses.
    pub fn new() -> Self {
        let mut reaches = [[0.0; LINKS]; LINKS];
        for (j, i) in (0..LINKS).flat_map(|i| (0..=i).map(move |j| (j, i))) {
            let ends = JOINTS[i].link;
            let end = |of: fn(Vector) -> f64| f64::max(of(ends[0]), of(ends[1]));
            reaches[j][i] = if i == j {
                end(from_axis)
            } else {
                let between = JOINTS[j + 2..=i].iter();
                let between: f64 = between.map(|joint| length(joint.offset())).sum();
                from_axis(JOINTS[j + 1].offset()) + between + end(length)
            };
        }
        Reaches(reaches)
    }

    /// Bound of the displacement of link `i` relative to link `from`, or to the base.
    pub fn way(&self, turns: &Pose, from: Option<usize>, i: usize) -> f64 {
        let first = from.map_or(0, |from| from + 1);
        (first..=i).map(|j| turns[j].abs() * self.0[j][i]).sum()
    }
}

impl Joint {
    /// The origin of the frame, in the frame of the previous joint.
    fn offset(&self) -> Vector {
        let [sin, cos] = self.twist;
        [self.a, -sin * self.d, cos * self.d]
    }
}

fn combined(a: Vector, by: f64, b: Vector, and: f64) -> Vector {
    [0, 1, 2].map(|k| a[k] * by + b[k] * and)
}

fn placed(axes: &[Vector; 3], origin: Vector, [x, y, z]: Vector) -> Vector {
    [0, 1, 2].map(|k| origin[k] + axes[0][k] * x + axes[1][k] * y + axes[2][k] * z)
}

fn length([x, y, z]: Vector) -> f64 {
    x.hypot(y).hypot(z)
}

/// Distance from the z axis.
fn from_axis([x, y, _]: Vector) -> f64 {
    x.hypot(y)
}
