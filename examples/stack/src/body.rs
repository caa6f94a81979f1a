//! Rigid bodies.

use parry3d::math::{Matrix, Pose, Rotation, Vector};
use phalanx::Obb;

/// A motion: velocities, or the displacement since the start of the frame.
#[derive(Clone, Copy, Default)]
pub struct Motion {
    pub linear: Vector,
    /// The axis, scaled by the angle.
    pub angular: Vector,
}

impl Motion {
    /// The motion of the point at `arm` from the center.
    pub fn at(self, arm: Vector) -> Vector {
        self.linear + self.angular.cross(arm)
    }
}

/// A rigid body.
#[derive(Clone)]
pub struct Body {
    pub pose: Pose,
    pub velocity: Motion,
    /// The displacement since the start of the frame.
    pub way: Motion,
    inverse_mass: f32,
    /// The inverses of the moments of inertia about the body's own axes.
    inverse_moments: Vector,
    /// The inverse of the inertia in world axes, at the start of the frame.
    inverse_inertia: Matrix,
}

impl Body {
    /// A box of density 1, without velocity.
    pub fn brick(obb: &Obb) -> Self {
        let [x, y, z, w] = obb.rotation;
        let half_extents = Vector::from(obb.half_extents);
        let mass = 8.0 * half_extents.element_product();
        let squares = half_extents * half_extents;
        let moments = (Vector::splat(squares.element_sum()) - squares) * (mass / 3.0);
        let pose = Pose::from_parts(obb.center.into(), Rotation::from_xyzw(x, y, z, w));
        Body::new(pose, mass, moments)
    }

    /// A body without velocity, given its moments of inertia about its own axes.
    pub fn new(pose: Pose, mass: f32, moments: Vector) -> Self {
        Body {
            pose,
            inverse_mass: 1.0 / mass,
            inverse_moments: moments.recip(),
            ..Body::ground()
        }
    }

    /// A static body: its mass is infinite.
    pub fn ground() -> Self {
        Body {
            pose: Pose::IDENTITY,
            velocity: Motion::default(),
            way: Motion::default(),
            inverse_mass: 0.0,
            inverse_moments: Vector::ZERO,
            inverse_inertia: Matrix::ZERO,
        }
    }

    /// Begins a frame.
    pub fn begin(&mut self) {
        self.way = Motion::default();
        let axes = Matrix::from_quat(self.pose.rotation);
        let moments = Matrix::from_diagonal(self.inverse_moments);
        self.inverse_inertia = axes * moments * axes.transpose();
    }

    /// Changes the velocity of a dynamic body.
    pub fn accelerate(&mut self, change: Vector) {
        if self.inverse_mass > 0.0 {
            self.velocity.linear += change;
        }
    }

    /// Moves the body by its velocity.
    pub fn advance(&mut self, time: f32) {
        let Motion { linear, angular } = self.velocity;
        self.way.linear += linear * time;
        self.way.angular += angular * time;
        self.pose.translation += linear * time;
        let turn = Rotation::from_scaled_axis(angular * time);
        self.pose.rotation = (turn * self.pose.rotation).normalize();
    }

    /// Applies an impulse at `arm` from the center.
    pub fn push(&mut self, arm: Vector, impulse: Vector) {
        self.velocity.linear += impulse * self.inverse_mass;
        self.velocity.angular += self.inverse_inertia * arm.cross(impulse);
    }

    /// Energy of motion and height, in a gravity; 0 for the ground.
    pub fn energy(&self, gravity: Vector) -> f64 {
        if self.inverse_mass == 0.0 {
            return 0.0;
        }
        let mass = 1.0 / f64::from(self.inverse_mass);
        let turn = self.pose.rotation.inverse() * self.velocity.angular;
        let of_turn = (turn * turn / self.inverse_moments).element_sum();
        let of_way = self.velocity.linear.length_squared();
        let of_height = -gravity.dot(self.pose.translation);
        0.5 * f64::from(of_turn) + mass * (0.5 * f64::from(of_way) + f64::from(of_height))
    }

    /// The speed along `way` that a unit impulse in this direction gives the point at `arm`.
    pub fn speed_of_push(&self, arm: Vector, way: Vector) -> f32 {
        let turn = arm.cross(way);
        self.inverse_mass + turn.dot(self.inverse_inertia * turn)
    }
}
