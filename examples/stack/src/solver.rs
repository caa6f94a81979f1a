//! A solver of contacts: sequential impulses, with soft contacts and warm starting.
//!
//! At each contact point, a normal impulse stops two bodies from approaching, and a friction impulse from sliding. Each
//! impulse disturbs its neighbours slightly; over many steps they converge. A step starts from the impulses of the
//! previous step, and a frame from the impulses of the previous frame. Without this warm starting, high stacks do not
//! stand.
//!
//! A frame has several short steps, and computes contacts once: within a frame, separations follow the motion of the
//! bodies. Damped springs remove penetration, and the velocity that they add is removed again, so that bodies do not
//! jump.
//!
//! Source: Erin Catto, *Solver2D*, 2024, "soft step"; Box2D 3 uses it.

use parry3d::math::Vector;

use crate::body::{Body, Motion};

/// Number of steps of a frame.
const STEPS: usize = 8;
/// The time of a step, at 60 frames a second.
const STEP: f32 = 1.0 / 60.0 / STEPS as f32;
pub const GRAVITY: Vector = Vector::new(0.0, -9.81, 0.0);
const FRICTION: f32 = 0.6;
/// Part of the angular velocity that is lost in a second, as by rolling resistance. A rock on two points of contact would rock on
/// them for long: no friction acts about the line through both.
const RESISTANCE: f32 = 2.0;
/// Frequency of the springs that remove penetration, in radians a second: their stiffness.
const STIFFNESS: f32 = 400.0;
/// Damping ratio of the springs: 1 is critical.
const DAMPING: f32 = 10.0;

/// A damped spring that removes penetration, discretized for a step.
struct Spring {
    /// The part of a depth that is removed in a second.
    rate: f32,
    /// The part of an impulse that is applied.
    share: f32,
    /// The part of the impulse so far that leaks away.
    ///
    /// Without a leak, warm-started impulses would act as undamped springs, and a high stack would sway.
    leak: f32,
}

impl Spring {
    const DAMPED: Spring = {
        let damping = 2.0 * DAMPING + STEP * STIFFNESS;
        let leak = 1.0 / (1.0 + STEP * STIFFNESS * damping);
        Spring {
            rate: STIFFNESS / damping,
            share: 1.0 - leak,
            leak,
        }
    };
    /// No spring: bodies stop, and penetration stays.
    const RIGID: Spring = Spring {
        rate: 0.0,
        share: 1.0,
        leak: 0.0,
    };
}

/// A contact point of two bodies.
#[derive(Clone, Copy)]
pub struct Point {
    /// The bodies, as indices.
    pub bodies: [usize; 2],
    /// Feature id of the point within its pair.
    pub feature: u32,
    /// From the first body to the second.
    pub normal: Vector,
    /// Position relative to the center of each body.
    pub arms: [Vector; 2],
    /// Distance of the surfaces.
    pub separation: f32,
    /// The impulse on the second body in a step: at the start of a frame from the previous frame.
    pub impulse: Vector,
}

impl Point {
    /// The motion of the second body at this point, relative to the first.
    fn relative(&self, bodies: &[Body], motion: impl Fn(&Body) -> Motion) -> Vector {
        let [a, b] = self.bodies.map(|body| motion(&bodies[body]));
        b.at(self.arms[1]) - a.at(self.arms[0])
    }

    /// Applies an impulse to the second body, and its opposite to the first.
    fn push(&self, bodies: &mut [Body], impulse: Vector) {
        let [a, b] = self.bodies;
        bodies[a].push(self.arms[0], -impulse);
        bodies[b].push(self.arms[1], impulse);
    }
}

/// Solver data of a point.
struct Row {
    /// The normal, and two tangents.
    ways: [Vector; 3],
    /// The impulse that changes the velocity by 1, in each direction.
    masses: [f32; 3],
    /// The accumulated impulse in each direction.
    impulses: [f32; 3],
}

/// The solver, with memory reused by frames.
#[derive(Default)]
pub struct Solver {
    rows: Vec<Row>,
}

impl Solver {
    /// Moves the bodies by a frame.
    pub fn frame(&mut self, bodies: &mut [Body], points: &mut [Point]) {
        bodies.iter_mut().for_each(Body::begin);
        self.rows.clear();
        self.rows
            .extend(points.iter().map(|point| Row::new(point, bodies)));
        for _ in 0..STEPS {
            for body in &mut *bodies {
                body.accelerate(GRAVITY * STEP);
                body.velocity.angular *= 1.0 - RESISTANCE * STEP;
            }
            for (row, point) in self.rows.iter().zip(&*points) {
                point.push(bodies, row.impulse());
            }
            for (row, point) in self.rows.iter_mut().zip(&*points) {
                row.solve(point, bodies, &Spring::DAMPED);
            }
            for body in &mut *bodies {
                body.advance(STEP);
            }
            for (row, point) in self.rows.iter_mut().zip(&*points) {
                row.solve(point, bodies, &Spring::RIGID);
            }
        }
        for (row, point) in self.rows.iter().zip(points) {
            point.impulse = row.impulse();
        }
    }
}

impl Row {
    fn new(point: &Point, bodies: &[Body]) -> Self {
        let [a, b] = point.bodies.map(|body| &bodies[body]);
        let [arm_a, arm_b] = point.arms;
        let (u, v) = point.normal.any_orthonormal_pair();
        let ways = [point.normal, u, v];
        let speeds = ways.map(|way| a.speed_of_push(arm_a, way) + b.speed_of_push(arm_b, way));
        let [pressure, along_u, along_v] = ways.map(|way| point.impulse.dot(way));
        Row {
            ways,
            masses: speeds.map(|speed| 1.0 / speed),
            impulses: [pressure.max(0.0), along_u, along_v],
        }
    }

    /// The impulse in all three directions.
    fn impulse(&self) -> Vector {
        let [normal, u, v] = self.ways;
        normal * self.impulses[0] + u * self.impulses[1] + v * self.impulses[2]
    }

    /// Stops the bodies from sliding, within the limit of friction, and from approaching.
    fn solve(&mut self, point: &Point, bodies: &mut [Body], spring: &Spring) {
        let [normal, u, v] = self.ways;
        let [old, old_u, old_v] = self.impulses;

        let velocity = point.relative(bodies, |body| body.velocity);
        let new_u = old_u - self.masses[1] * velocity.dot(u);
        let new_v = old_v - self.masses[2] * velocity.dot(v);
        let most = FRICTION * old;
        let scale = most / new_u.hypot(new_v).max(most).max(f32::MIN_POSITIVE);
        let (new_u, new_v) = (new_u * scale, new_v * scale);
        point.push(bodies, u * (new_u - old_u) + v * (new_v - old_v));

        let closing = -point.relative(bodies, |body| body.velocity).dot(normal);
        let way = point.relative(bodies, |body| body.way).dot(normal);
        let separation = point.separation + way;
        let change = if separation > 0.0 {
            // Separated surfaces may approach until they touch within the step.
            self.masses[0] * (closing - separation / STEP)
        } else {
            let parting = -separation * spring.rate;
            self.masses[0] * (closing + parting) * spring.share - old * spring.leak
        };
        // Impulses push and never pull.
        let new = (old + change).max(0.0);
        point.push(bodies, normal * (new - old));
        self.impulses = [new, new_u, new_v];
    }
}
