//! Contacts of phalanx: the columns, as a solver reads them.

use parry3d::math::Vector;
use phalanx::{Contacts, Detector, During, Error, HalfSpace, HalfSpaces, Obb, Obbs, Pair, Pairs};

use crate::body::Body;
use crate::solver::Point;
use crate::{Collide, MARGIN};

/// The stores of shapes, and memory reused by frames.
pub struct WithPhalanx {
    bricks: Obbs,
    ground: HalfSpaces,
    detector: Detector,
    pairs: Vec<Pair>,
    between_bricks: Contacts,
    on_ground: Contacts,
    /// The points of the last frame.
    last: Vec<Point>,
}

impl WithPhalanx {
    pub fn new(bricks: &[Obb]) -> Result<Self, Error> {
        let ground = HalfSpace::from_point_normal([0.0; 3], [0.0, 1.0, 0.0]);
        Ok(WithPhalanx {
            bricks: Obbs::from_slice(bricks),
            ground: HalfSpaces::from_slice(&[ground]),
            detector: Detector::new().parallel(false).margin(MARGIN)?,
            pairs: Vec::new(),
            between_bricks: Contacts::new(),
            on_ground: Contacts::new(),
            last: Vec::new(),
        })
    }
}

impl Collide for WithPhalanx {
    fn candidates(&mut self, bodies: &[Body]) -> Result<(), Error> {
        let mut columns = self.bricks.columns_mut();
        // All bodies except the ground.
        let bricks = columns.center[0].len();
        for (i, body) in bodies.iter().take(bricks).enumerate() {
            let center = body.pose.translation.to_array();
            let rotation = body.pose.rotation.to_array();
            for (column, x) in columns.center.iter_mut().zip(center) {
                column[i] = x;
            }
            for (column, x) in columns.rotation.iter_mut().zip(rotation) {
                column[i] = x;
            }
        }
        self.detector
            .candidates(&self.bricks, &self.bricks, During::Start, &mut self.pairs)?;
        Ok(())
    }

    fn contact(&mut self, _: &[Body]) -> Result<(), Error> {
        let bricks = &self.bricks;
        let on_ground = &mut self.on_ground;
        self.detector
            .contact(bricks, bricks, &self.pairs, &mut self.between_bricks)?;
        self.detector
            .contact(&self.ground, bricks, Pairs::one_to_all(0), on_ground)
    }

    fn gather(&mut self, bodies: &[Body], points: &mut Vec<Point>) {
        points.clear();
        append(&self.between_bricks, points, |position, at| {
            let pair = self.pairs[position];
            let pair = [pair.a as usize, pair.b as usize];
            let [a, b] = pair.map(|body| bodies[body].pose.translation);
            (pair, [at, a + at - b])
        });
        // The ground has no center: points are relative to the center of the brick.
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
/// `place` returns the bodies of a pair and the arms of a point from both centers, given the position in the pair list
/// and the point's position.
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
                feature: column.feature[i],
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
fn warm_start(points: &mut [Point], mut last: &[Point]) {
    for point in points {
        while let [first, rest @ ..] = last
            && first.bodies < point.bodies
        {
            last = rest;
        }
        let mut candidates = last.iter().take_while(|old| old.bodies == point.bodies);
        if let Some(old) = candidates.find(|old| old.feature == point.feature) {
            point.impulse = old.impulse;
        }
    }
}
