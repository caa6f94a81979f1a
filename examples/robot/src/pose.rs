//! Rigid motions in `f64`.

pub type Vector = [f64; 3];

/// A rotation, a unit quaternion (x, y, z, w), and then a translation.
#[derive(Clone, Copy)]
pub struct Pose {
    pub rotation: [f64; 4],
    pub position: Vector,
}

impl Default for Pose {
    fn default() -> Self {
        Pose {
            rotation: [0.0, 0.0, 0.0, 1.0],
            position: [0.0; 3],
        }
    }
}

impl Pose {
    /// The pose of an element: roll, pitch and yaw are turns about fixed axes, in this order.
    pub fn of(origin: &urdf_rs::Pose) -> Self {
        let [roll, pitch, yaw] = origin.rpy.0;
        let about = |axis, angle| turned(axis, angle);
        let turn = about([0.0, 0.0, 1.0], yaw).then(&about([0.0, 1.0, 0.0], pitch));
        let turn = turn.then(&about([1.0, 0.0, 0.0], roll));
        Pose {
            position: origin.xyz.0,
            ..turn
        }
    }

    /// A point of the frame of the pose.
    pub fn apply(&self, p: Vector) -> Vector {
        let [x, y, z, w] = self.rotation;
        let cross =
            |[a, b, c]: Vector, [d, e, f]: Vector| [b * f - c * e, c * d - a * f, a * e - b * d];
        let twice = cross([x, y, z], p).map(|x| 2.0 * x);
        let [a, b] = [twice.map(|x| w * x), cross([x, y, z], twice)];
        [0, 1, 2].map(|k| p[k] + a[k] + b[k] + self.position[k])
    }

    /// The pose of something that has another pose in the frame of this one.
    pub fn then(&self, next: &Pose) -> Pose {
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (self.rotation, next.rotation);
        Pose {
            rotation: [
                aw * bx + ax * bw + ay * bz - az * by,
                aw * by - ax * bz + ay * bw + az * bx,
                aw * bz + ax * by - ay * bx + az * bw,
                aw * bw - ax * bx - ay * by - az * bz,
            ],
            position: self.apply(next.position),
        }
    }
}

/// A turn about an axis.
pub fn turned(axis: Vector, angle: f64) -> Pose {
    let (sine, cosine) = (0.5 * angle).sin_cos();
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y, z] = axis.map(|x| x / length * sine);
    Pose {
        rotation: [x, y, z, cosine],
        position: [0.0; 3],
    }
}
