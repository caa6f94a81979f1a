//! Bodies of four kinds on a mesh, with contacts of phalanx.

use parry3d::math::{Pose, Vector};
use phalanx::{Capsules, Contacts, Detector, During, Error, Hulls, Mesh, Obbs, Pair, Spheres};

use crate::Collide;
use crate::body::Body;
use crate::hills::{Hills, MARGIN};
use crate::solver::Point;
use crate::with_phalanx::{Placed, append, warm_start};

/// The stores of shapes, and memory reused by frames.
pub struct WithPhalanx {
    boxes: Obbs,
    rocks: Hulls,
    spheres: Spheres,
    capsules: Capsules,
    hills: Mesh,
    /// Half lengths of the axes of capsules.
    lengths: Vec<f32>,
    detector: Detector,
    pairs: Vec<Pair>,
    contacts: Contacts,
    points: Vec<Point>,
    /// The points of the last frame.
    last: Vec<Point>,
}

impl WithPhalanx {
    pub fn new(hills: &Hills) -> Result<Self, Error> {
        let lengths = hills.capsules.iter();
        Ok(WithPhalanx {
            boxes: Obbs::from_slice(&hills.boxes),
            rocks: Hulls::from_slice(&hills.rocks.kinds, &hills.rocks.rocks)?,
            spheres: Spheres::from_slice(&hills.spheres),
            capsules: Capsules::from_slice(&hills.capsules),
            hills: hills.mesh()?,
            lengths: lengths
                .map(|capsule| Vector::from(capsule.half_axis).length())
                .collect(),
            detector: Detector::new().parallel(false).margin(MARGIN)?,
            pairs: Vec::new(),
            contacts: Contacts::new(),
            points: Vec::new(),
            last: Vec::new(),
        })
    }

    /// First body of each kind, and the number of all.
    fn firsts(&self) -> [usize; 5] {
        let boxes = self.boxes.len();
        let rocks = boxes + self.rocks.len();
        let spheres = rocks + self.spheres.len();
        [0, boxes, rocks, spheres, spheres + self.capsules.len()]
    }
}

/// Appends the contacts of two stores, of which the second may be the hills.
macro_rules! meet {
    ($self:ident, $bodies:ident: $($a:ident $b:ident, $first_a:expr, $first_b:expr;)+) => {
        $(
            let (a, b) = (&$self.$a, &$self.$b);
            $self.detector.candidates(a, b, During::Start, &mut $self.pairs)?;
            $self.detector.contact(a, b, &$self.pairs, &mut $self.contacts)?;
            append(&$self.contacts, &mut $self.points, |position, at| {
                let Pair { a, b } = $self.pairs[position];
                let first_b: Option<usize> = $first_b;
                let a = $first_a + a as usize;
                let place = $bodies[a].pose.translation + at;
                match first_b {
                    // The ground has no center: points are where they are.
                    None => ([a, $bodies.len() - 1], [at, place], b),
                    Some(first) => {
                        let b = first + b as usize;
                        ([a, b], [at, place - $bodies[b].pose.translation], 0)
                    }
                }
            });
        )+
    };
}

impl Collide for WithPhalanx {
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error> {
        let [boxes, rocks, spheres, capsules, all] = self.firsts();
        let poses = |from: usize, to: usize| bodies[from..to].iter().map(|body| &body.pose);
        self.boxes.place(poses(boxes, rocks));
        self.rocks.place(poses(rocks, spheres));
        let place = |to: [&mut [f32]; 3], poses: &mut dyn Iterator<Item = &Pose>| {
            let [x, y, z] = to;
            for (at, pose) in poses.enumerate() {
                [x[at], y[at], z[at]] = pose.translation.to_array();
            }
        };
        place(
            self.spheres.columns_mut().center,
            &mut poses(spheres, capsules),
        );
        let columns = self.capsules.columns_mut();
        place(columns.center, &mut poses(capsules, all));
        let [x, y, z] = columns.half_axis;
        for ((at, pose), length) in poses(capsules, all).enumerate().zip(&self.lengths) {
            [x[at], y[at], z[at]] = (pose.rotation * Vector::Y * *length).to_array();
        }
        Ok(())
    }

    fn contact(&mut self, bodies: &[Body]) -> Result<(), Error> {
        let [boxes, rocks, spheres, capsules, _] = self.firsts();
        self.points.clear();
        meet!(self, bodies:
            boxes boxes, boxes, Some(boxes);
            boxes rocks, boxes, Some(rocks);
            boxes spheres, boxes, Some(spheres);
            boxes capsules, boxes, Some(capsules);
            rocks rocks, rocks, Some(rocks);
            rocks spheres, rocks, Some(spheres);
            rocks capsules, rocks, Some(capsules);
            spheres spheres, spheres, Some(spheres);
            spheres capsules, spheres, Some(capsules);
            capsules capsules, capsules, Some(capsules);
            boxes hills, boxes, None;
            rocks hills, rocks, None;
            spheres hills, spheres, None;
            capsules hills, capsules, None;
        );
        Ok(())
    }

    fn gather(&mut self, _: &[Body], points: &mut Vec<Point>) {
        self.points.sort_by_key(|point| point.bodies);
        points.clone_from(&self.points);
        warm_start(points, &self.last);
    }

    fn keep(&mut self, points: &[Point]) {
        self.last.clear();
        self.last.extend_from_slice(points);
    }
}
