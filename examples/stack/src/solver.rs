//! A solver of contacts: sequential impulses, with soft contacts and warm starting.
//!
//! At each point where two bodies touch, an impulse stops them from closing in, and another, by friction, from
//! sliding. Each is right by itself and spoils its neighbours a little; over many steps they agree. A
//! step begins with what the last one agreed on, and a frame with what the last frame did: that is warm
//! starting, without which no high stack stands.
//!
//! A frame has several short steps, and finds contacts once: within it, separations follow the
//! motion of the bodies. Depths are undone as by damped springs, and then the speed that this gave is taken
//! away again, so that nothing jumps.
//!
//! Source: Erin Catto, *Solver2D*, 2024, who calls it "soft step"; Box2D 3 has it.

use parry3d::math::Vector;

use crate::body::{Body, Motion};

/// How many steps a frame has.
const STEPS: usize = 8;
/// The time of a step, at 60 frames a second.
const STEP: f32 = 1.0 / 60.0 / STEPS as f32;
const GRAVITY: Vector = Vector::new(0.0, -9.81, 0.0);
const FRICTION: f32 = 0.6;
/// The frequency of the springs that undo depths, in radians a second: how stiff they are.
const STIFFNESS: f32 = 400.0;
/// The damping of the springs: 1 would just keep them from swinging.
const DAMPING: f32 = 10.0;

/// A damped spring that undoes depths, as a step has it.
struct Spring {
    /// The part of a depth that is undone in a second.
    rate: f32,
    /// The part of an impulse that is applied.
    share: f32,
    /// The part of the impulse so far that leaks away.
    ///
    /// Without a leak, warm-started impulses would be springs without damping, and a high stack would
    /// begin to sway.
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
    /// No spring: bodies are stopped, and depths stay.
    const RIGID: Spring = Spring {
        rate: 0.0,
        share: 1.0,
        leak: 0.0,
    };
}

/// A point where two bodies touch.
#[derive(Clone, Copy)]
pub struct Point {
    /// The bodies, as indices.
    pub bodies: [usize; 2],
    /// The name of the point among those of its bodies.
    pub feature: u8,
    /// From the first body to the second.
    pub normal: Vector,
    /// Where it is, from the center of each body.
    pub arms: [Vector; 2],
    /// How far apart the surfaces are.
    pub separation: f32,
    /// The impulse on the second body in a step: before a frame of the last one, then of this.
    pub impulse: Vector,
}

impl Point {
    /// The motion of the second body here, as seen from the first.
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

/// The numbers of a point that the solver works with.
struct Row {
    /// The normal, and two ways along the surface.
    ways: [Vector; 3],
    /// The impulse that changes the velocity by 1, each way.
    masses: [f32; 3],
    /// The impulse so far, each way.
    impulses: [f32; 3],
}

/// The solver, with memory that frames reuse.
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

    /// The impulse of all three ways.
    fn impulse(&self) -> Vector {
        let [normal, u, v] = self.ways;
        normal * self.impulses[0] + u * self.impulses[1] + v * self.impulses[2]
    }

    /// Stops the bodies from sliding, as far as friction can, and from closing in.
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
            // Surfaces that are apart may just meet within the step.
            self.masses[0] * (closing - separation / STEP)
        } else {
            let parting = -separation * spring.rate;
            self.masses[0] * (closing + parting) * spring.share - old * spring.leak
        };
        // Impulses push, and never pull.
        let new = (old + change).max(0.0);
        point.push(bodies, normal * (new - old));
        self.impulses = [new, new_u, new_v];
    }
}
