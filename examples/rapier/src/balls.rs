//! Pairs of balls: sweeps during the step.

use std::hint::black_box;

use parry3d::math::{Pose, Vector};
use parry3d::query::details::{ShapeCastOptions, cast_shapes_ball_ball};
use parry3d::shape::Ball;
use phalanx::{Detector, Error, Pair, Sweeps};

use crate::contest::{Answers, Contest};
use crate::oracle::{self, Exact};
use crate::scene::Frame;

/// Balls move from their positions before the step to their positions after it.
pub struct Balls {
    detector: Detector,
    sweeps: Sweeps,
    balls: Vec<Moving>,
    parry: Vec<Option<f32>>,
}

/// A ball in the types of parry3d.
struct Moving {
    center: Vector,
    motion: Vector,
    shape: Ball,
}

impl Balls {
    pub fn new(detector: Detector) -> Self {
        Balls {
            detector,
            sweeps: Sweeps::new(),
            balls: Vec::new(),
            parry: Vec::new(),
        }
    }
}

impl Contest for Balls {
    const NAME: &'static str = "balls";

    fn pairs(frame: &Frame) -> &[Pair] {
        &frame.ball_pairs
    }

    fn prepare(&mut self, frame: &Frame) {
        let balls = (0..frame.balls.len() as u32)
            .filter_map(|i| frame.balls.get(i).zip(frame.balls.displacement(i)));
        self.balls.clear();
        self.balls.extend(balls.map(|(shape, displacement)| Moving {
            center: shape.center.into(),
            motion: displacement.into(),
            shape: Ball::new(shape.radius),
        }));
    }

    fn phalanx(&mut self, frame: &Frame) -> Result<(), Error> {
        let balls = black_box(&frame.balls);
        self.detector
            .sweep(balls, balls, &frame.ball_pairs, &mut self.sweeps)
    }

    /// The function for two balls, without rotations, which do not affect a ball. Balls that touch at the start are a
    /// hit at time 0, as in phalanx.
    fn parry(&mut self, frame: &Frame) {
        let options = ShapeCastOptions {
            max_time_of_impact: 1.0,
            stop_at_penetration: true,
            ..ShapeCastOptions::default()
        };
        let balls = black_box(self.balls.as_slice());
        let answers = frame.ball_pairs.iter().map(|pair| {
            let (a, b) = (&balls[pair.a as usize], &balls[pair.b as usize]);
            let apart = Pose::from_translation(b.center - a.center);
            cast_shapes_ball_ball(&apart, b.motion - a.motion, &a.shape, &b.shape, options)
                .map(|hit| hit.time_of_impact)
        });
        self.parry.clear();
        self.parry.extend(answers);
    }

    fn answers(&self, position: usize) -> Answers {
        Answers {
            phalanx: self.sweeps.is_hit(position),
            parry: self.parry[position].is_some(),
        }
    }

    fn invalid_count(&self) -> usize {
        self.sweeps.invalid_count()
    }

    fn exact(&self, frame: &Frame, position: usize) -> Exact {
        let Pair { a, b } = frame.ball_pairs[position];
        let [a, b] = [a, b].map(|i| {
            let ball = frame.balls.get(i).zip(frame.balls.displacement(i));
            ball.expect("a pair names two balls")
        });
        oracle::sphere_sphere_sweep::exact(&a, &b, 0.0, self.sweeps.get(position))
    }
}
