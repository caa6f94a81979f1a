//! Two boxes to drag, and where they touch.

use glam::{Quat, Vec3};
use phalanx::{Contacts, Detector, Error, Obb, Obbs, Pair, Point, Points, Settings, Simd, Sweeps};

use super::{Counters, Ferry, Instances, OWN, Scene, small_turn};

/// Boxes at most this far apart have contact points too.
pub const MARGIN: f32 = 0.35;
/// How far the boxes can be dragged.
const REACH: f32 = 6.0;
/// The most points of a contact.
const POINTS: usize = 4;
const PAIR: [Pair; 1] = [Pair::new(0, 1)];

/// Two boxes, and the contact between them.
///
/// Its own counters: the separation of the contact, its normal, the number of its points, and x, y, z and separation
/// of each of these.
#[derive(Debug)]
pub struct TwoBoxes {
    boxes: Obbs,
    tint: [f32; 2],
    points: Obbs,
    point_tint: [f32; POINTS],
    counters: Counters,
    detector: Detector,
    near: Detector,
    contacts: Contacts,
}

impl TwoBoxes {
    /// Two boxes, one leaning on the other.
    pub fn new() -> Self {
        let rotation = small_turn(Vec3::new(0.1, 0.3, -0.5)).to_array();
        let boxes = [
            Obb {
                center: [-0.6, -0.7, 0.0],
                half_extents: [1.5, 0.6, 1.1],
                rotation: small_turn(Vec3::new(0.0, 0.25, 0.0)).to_array(),
            },
            Obb {
                center: [0.5, 0.76, 0.1],
                half_extents: [0.7, 0.8, 0.6],
                rotation,
            },
        ];
        let mut points = Obbs::new();
        points.resize(POINTS);
        // It is a margin that there may be.
        let near = super::detector().margin(MARGIN).unwrap_or_default();
        TwoBoxes {
            boxes: Obbs::from_slice(&boxes),
            tint: [0.0; 2],
            points,
            point_tint: [0.0; POINTS],
            counters: Counters {
                shapes: 2,
                pairs: 1,
                ..Counters::default()
            },
            detector: super::detector(),
            near,
            contacts: Contacts::new(),
        }
    }

    /// The boxes.
    pub fn boxes(&self) -> &Obbs {
        &self.boxes
    }

    /// How the detector works that finds contacts.
    pub fn settings(&self) -> Settings {
        self.near.settings()
    }
}

impl Default for TwoBoxes {
    fn default() -> Self {
        TwoBoxes::new()
    }
}

impl Scene for TwoBoxes {
    fn advance(&mut self) {}

    fn candidates(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn test(&mut self) -> Result<(), Error> {
        let boxes = &self.boxes;
        self.near.contact(boxes, boxes, &PAIR, &mut self.contacts)
    }

    fn settle(&mut self) -> Result<(), Error> {
        let mut own = [0.0; OWN];
        own[0] = f64::INFINITY;
        let mut places = [Obb::default(); POINTS];
        let contact = self.contacts.get(0);
        if let (Some(contact), Some(a)) = (contact, self.boxes.get(0)) {
            own[0] = contact.separation.into();
            own[1..4].copy_from_slice(&contact.normal.map(f64::from));
            own[4] = contact.points().len() as f64;
            for (k, point) in contact.points().iter().enumerate() {
                let at = Vec3::from(a.center) + Vec3::from(point.at);
                let numbers = [at.x, at.y, at.z, point.separation].map(f64::from);
                own[5 + 4 * k..9 + 4 * k].copy_from_slice(&numbers);
                places[k] = Obb {
                    center: at.to_array(),
                    half_extents: [0.055; 3],
                    ..Obb::default()
                };
                self.point_tint[k] = if point.separation <= 0.0 { 1.0 } else { 0.0 };
            }
        }
        for (index, place) in (0..).zip(places) {
            self.points.set(index, place)?;
        }
        let touches = contact.is_some_and(|contact| contact.separation <= 0.0);
        self.tint = [if touches { 0.5 } else { 0.0 }; 2];
        self.counters.hits = usize::from(touches);
        self.counters.invalid = self.contacts.invalid_count();
        self.counters.own = own;
        Ok(())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn simd(&self) -> Simd {
        self.near.settings().simd
    }

    fn instances(&self) -> Vec<Instances<'_>> {
        let boxes = Instances::of(&self.boxes, &self.tint);
        vec![boxes, Instances::of(&self.points, &self.point_tint)]
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        ferry.boxes(&mut self.boxes);
        ferry.numbers(&mut self.tint);
        ferry.boxes(&mut self.points);
        ferry.numbers(&mut self.point_tint);
        self.counters.carry(ferry);
    }

    fn pick(&mut self, from: [f32; 3], way: [f32; 3]) -> Result<Option<u32>, Error> {
        let (mut rays, mut sweeps) = (Points::new(), Sweeps::new());
        rays.push_moving(Point { position: from }, way);
        let pairs = [Pair::new(0, 0), Pair::new(0, 1)];
        self.detector
            .sweep(&rays, &self.boxes, &pairs, &mut sweeps)?;
        let firsts = sweeps.first_hits(&pairs)?;
        Ok(firsts.first().map(|first| first.pair.b))
    }

    fn drag(&mut self, index: u32, by: [f32; 3], turn: [f32; 3]) {
        let (by, turn) = (Vec3::from(by), Vec3::from(turn));
        let Some(mut it) = self.boxes.get(index) else {
            return;
        };
        if !(by.is_finite() && turn.is_finite()) {
            return;
        }
        let center = Vec3::from(it.center) + by;
        it.center = center
            .clamp(Vec3::splat(-REACH), Vec3::splat(REACH))
            .to_array();
        let turn = small_turn(turn.clamp_length_max(2.0));
        it.rotation = (turn * Quat::from_array(it.rotation))
            .normalize()
            .to_array();
        // There is such a box.
        let _ = self.boxes.set(index, it);
    }
}
