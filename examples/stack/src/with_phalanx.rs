//! Contacts of phalanx: the columns, as a solver reads them.

use parry3d::math::{Pose, Vector};
use phalanx::traits::{Bounded, Collide as Touches};
use phalanx::{
    Contacts, Detector, During, Error, HalfSpace, HalfSpaces, Hulls, Obbs, Pair, Pairs, Shapes,
};

use crate::Collide;
use crate::body::Body;
use crate::solver::Point;

/// Distance within which points of a pair are the same, if their features are not: a face and an edge of it may alternate.
const NEAR: f32 = 0.01;

/// The stores of shapes, and memory reused by frames.
pub struct WithPhalanx<S> {
    shapes: S,
    ground: HalfSpaces,
    detector: Detector,
    pairs: Vec<Pair>,
    between_shapes: Contacts,
    on_ground: Contacts,
    /// The points of the last frame.
    last: Vec<Point>,
}

/// A store of bricks or of rocks.
pub trait Placed {
    /// Writes the poses of all shapes.
    fn place<'p>(&mut self, poses: impl Iterator<Item = &'p Pose>);
}

impl Placed for Obbs {
    fn place<'p>(&mut self, poses: impl Iterator<Item = &'p Pose>) {
        let columns = self.columns_mut();
        write(columns.center, columns.rotation, poses);
    }
}

impl Placed for Hulls {
    fn place<'p>(&mut self, poses: impl Iterator<Item = &'p Pose>) {
        let columns = self.poses_mut();
        write(columns.center, columns.rotation, poses);
    }
}

/// Writes poses to columns.
fn write<'p>(
    center: [&mut [f32]; 3],
    rotation: [&mut [f32]; 4],
    poses: impl Iterator<Item = &'p Pose>,
) {
    let ([x, y, z], [i, j, k, w]) = (center, rotation);
    for (at, pose) in poses.enumerate() {
        [x[at], y[at], z[at]] = pose.translation.to_array();
        [i[at], j[at], k[at], w[at]] = pose.rotation.to_array();
    }
}

impl<S> WithPhalanx<S> {
    /// Contacts of surfaces that are at most `margin` apart.
    pub fn new(shapes: S, margin: f32) -> Result<Self, Error> {
        let ground = HalfSpace::from_point_normal([0.0; 3], [0.0, 1.0, 0.0]);
        Ok(WithPhalanx {
            shapes,
            ground: HalfSpaces::from_slice(&[ground]),
            detector: Detector::new().parallel(false).margin(margin)?,
            pairs: Vec::new(),
            between_shapes: Contacts::new(),
            on_ground: Contacts::new(),
            last: Vec::new(),
        })
    }
}

impl<S> Collide for WithPhalanx<S>
where
    S: Placed + Shapes,
    S::Shape: Bounded + Touches<S::Shape>,
    HalfSpace: Touches<S::Shape>,
{
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error> {
        // All bodies except the ground.
        if let [shapes @ .., _] = bodies {
            self.shapes.place(shapes.iter().map(|body| &body.pose));
        }
        self.detector
            .candidates(&self.shapes, &self.shapes, During::Start, &mut self.pairs)?;
        Ok(())
    }

    fn contact(&mut self, _: &[Body]) -> Result<(), Error> {
        let shapes = &self.shapes;
        let on_ground = &mut self.on_ground;
        self.detector
            .contact(shapes, shapes, &self.pairs, &mut self.between_shapes)?;
        self.detector
            .contact(&self.ground, shapes, Pairs::one_to_all(0), on_ground)
    }

    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>) {
        points.clear();
        append(&self.between_shapes, points, |position, at| {
            let pair = self.pairs[position];
            let pair = [pair.a as usize, pair.b as usize];
            let [a, b] = pair.map(|body| bodies[body].pose.translation);
            (pair, [at, a + at - b])
        });
        // The ground has no center: points are relative to the center of the shape.
        append(&self.on_ground, points, |position, at| {
            ([bodies.len() - 1, position], [Vector::ZERO, at])
        });
        warm_start(points, &self.last);
    }

    fn keep(&mut self, points: &[Point]) {
        self.last.clear();
        self.last.extend_from_slice(points);
    }
}

/// Appends the points of all contacts.
///
/// `place` returns the bodies of a pair and the arms of a point from both centers, given the position in the pair list and the
/// point's position.
fn append(
    contacts: &Contacts,
    points: &mut Vec<Point>,
    place: impl Fn(usize, Vector) -> ([usize; 2], [Vector; 2]),
) {
    let normals = contacts.normal();
    let columns = [0, 1, 2, 3].map(|k| contacts.point(k));
    let entries = contacts.positions().iter().zip(contacts.counts());
    for (i, (&position, &count)) in entries.enumerate() {
        let normal = Vector::from(normals.map(|column| column[i]));
        for column in columns.iter().take(count.into()) {
            let at = Vector::from(column.at.map(|column| column[i]));
            let (bodies, arms) = place(position as usize, at);
            points.push(Point {
                bodies,
                feature: column.feature[i].into(),
                normal,
                arms,
                separation: column.separation[i],
                impulse: Vector::ZERO,
            });
        }
    }
}

/// Copies the impulses of the previous frame to points.
///
/// Both lists are sorted by bodies: pairs by `candidates`, and the ground has the last index. So one pass over both
/// lists is enough.
pub fn warm_start(points: &mut [Point], mut last: &[Point]) {
    for point in points {
        while let [first, rest @ ..] = last
            && first.bodies < point.bodies
        {
            last = rest;
        }
        let of_pair = || last.iter().take_while(|old| old.bodies == point.bodies);
        let same = of_pair().find(|old| old.feature == point.feature);
        let near = || of_pair().find(|old| old.arms[1].distance(point.arms[1]) < NEAR);
        if let Some(old) = same.or_else(near) {
            point.impulse = old.impulse;
        }
    }
}
