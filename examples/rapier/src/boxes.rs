//! Box pairs: which overlap?

use std::hint::black_box;

use parry3d::math::{Pose, Rotation};
use parry3d::query::details::intersection_test_cuboid_cuboid;
use parry3d::shape::Cuboid;
use phalanx::{Detector, Error, Overlaps, Pair};

use crate::contest::{Answers, Contest};
use crate::oracle::{self, Exact};
use crate::scene::Frame;

/// Boxes overlap at the poses for which the step made its pairs.
pub struct Boxes {
    detector: Detector,
    overlaps: Overlaps,
    cuboids: Vec<(Pose, Cuboid)>,
    parry: Vec<bool>,
}

impl Boxes {
    pub fn new(detector: Detector) -> Self {
        Boxes {
            detector,
            overlaps: Overlaps::new(),
            cuboids: Vec::new(),
            parry: Vec::new(),
        }
    }
}

impl Contest for Boxes {
    const NAME: &'static str = "boxes";

    fn pairs(frame: &Frame) -> &[Pair] {
        &frame.box_pairs
    }

    fn prepare(&mut self, frame: &Frame) {
        let boxes = (0..frame.boxes.len() as u32).filter_map(|i| frame.boxes.get(i));
        self.cuboids.clear();
        self.cuboids.extend(boxes.map(|shape| {
            let pose = Pose::from_parts(shape.center.into(), Rotation::from_array(shape.rotation));
            (pose, Cuboid::new(shape.half_extents.into()))
        }));
    }

    fn phalanx(&mut self, frame: &Frame) -> Result<(), Error> {
        let boxes = black_box(&frame.boxes);
        self.detector
            .overlap(boxes, boxes, &frame.box_pairs, &mut self.overlaps)
    }

    /// The function for two cuboids: the general one would look up the kind of each shape first.
    fn parry(&mut self, frame: &Frame) {
        let cuboids = black_box(self.cuboids.as_slice());
        let answers = frame.box_pairs.iter().map(|pair| {
            let (pose_a, a) = &cuboids[pair.a as usize];
            let (pose_b, b) = &cuboids[pair.b as usize];
            intersection_test_cuboid_cuboid(&pose_a.inv_mul(pose_b), a, b)
        });
        self.parry.clear();
        self.parry.extend(answers);
    }

    fn answers(&self, position: usize) -> Answers {
        Answers {
            phalanx: self.overlaps.is_hit(position),
            parry: self.parry[position],
        }
    }

    fn invalid_count(&self) -> usize {
        self.overlaps.invalid_count()
    }

    fn exact(&self, frame: &Frame, position: usize) -> Exact {
        let Pair { a, b } = frame.box_pairs[position];
        let [a, b] = [a, b].map(|i| frame.boxes.get(i).expect("a pair names two boxes"));
        oracle::obb_obb_overlap::exact(&a, &b, 0.0)
    }
}
