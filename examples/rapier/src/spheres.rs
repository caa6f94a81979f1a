//! Sphere pairs: which meet during the step, and when?

use std::hint::black_box;

use parry3d::math::{Pose, Vector};
use parry3d::query::details::{ShapeCastOptions, cast_shapes_ball_ball};
use parry3d::shape::Ball;
use phalanx::{Detector, Error, Pair, Sweeps};

use crate::contest::{Answers, Contest};
use crate::oracle::{self, Exact};
use crate::scene::Frame;

/// Spheres move from where the step found them to where it put them.
pub struct Spheres {
    detector: Detector,
    sweeps: Sweeps,
    spheres: Vec<Moving>,
    parry: Vec<Option<f32>>,
}

/// A sphere as parry3d is told of it.
struct Moving {
    center: Vector,
    motion: Vector,
    shape: Ball,
}

impl Spheres {
    pub fn new(detector: Detector) -> Self {
        Spheres {
            detector,
            sweeps: Sweeps::new(),
            spheres: Vec::new(),
            parry: Vec::new(),
        }
    }
}

impl Contest for Spheres {
    const NAME: &'static str = "spheres";

    fn pairs(frame: &Frame) -> &[Pair] {
        &frame.sphere_pairs
    }

    fn prepare(&mut self, frame: &Frame) {
        let spheres = (0..frame.spheres.len() as u32)
            .filter_map(|i| frame.spheres.get(i).zip(frame.spheres.displacement(i)));
        self.spheres.clear();
        self.spheres
            .extend(spheres.map(|(shape, displacement)| Moving {
                center: shape.center.into(),
                motion: displacement.into(),
                shape: Ball::new(shape.radius),
            }));
    }

    fn phalanx(&mut self, frame: &Frame) -> Result<(), Error> {
        let spheres = black_box(&frame.spheres);
        self.detector
            .sweep(spheres, spheres, &frame.sphere_pairs, &mut self.sweeps)
    }

    /// The function for two spheres, without the rotations that make no difference to a sphere. Spheres
    /// that touch at the start are a hit at time 0, as they are to phalanx.
    fn parry(&mut self, frame: &Frame) {
        let options = ShapeCastOptions {
            max_time_of_impact: 1.0,
            stop_at_penetration: true,
            ..ShapeCastOptions::default()
        };
        let spheres = black_box(self.spheres.as_slice());
        let answers = frame.sphere_pairs.iter().map(|pair| {
            let (a, b) = (&spheres[pair.a as usize], &spheres[pair.b as usize]);
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
        let Pair { a, b } = frame.sphere_pairs[position];
        let [a, b] = [a, b].map(|i| {
            let sphere = frame.spheres.get(i).zip(frame.spheres.displacement(i));
            sphere.expect("a pair names two spheres")
        });
        oracle::sphere_sphere_sweep::exact(&a, &b, 0.0, self.sweeps.get(position))
    }
}
