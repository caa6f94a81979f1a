//! Doors and triggers: a door slides into the wall while anything is in its trigger. Triggers count by events alone.

use phalanx::{Collider, ColliderId, Error, Mark, Pose, Scene, SceneContacts};

use crate::level::{DOOR, DOORWAYS, TRIGGER, layer};

/// Metres a frame, along the wall.
const SPEED: f64 = 0.1;
const WIDTH: f64 = 2.0;
pub const HALF_EXTENTS: [f32; 3] = [0.06, 1.25, 1.0];

/// A sensor, and the colliders inside.
pub struct Trigger {
    pub id: ColliderId,
    pub inside: Vec<ColliderId>,
    /// Number of events.
    pub events: usize,
    /// Whether something began that was inside, or ended that was not.
    pub is_confused: bool,
}

pub struct Door {
    id: ColliderId,
    place: [f64; 3],
    /// From 0, closed, to [`WIDTH`].
    opening: f64,
    /// The place of its trigger.
    trigger: usize,
    /// Number of times that it opened from shut.
    pub opened: usize,
}

impl Trigger {
    pub fn new(scene: &mut Scene, half: [f32; 3], center: [f64; 3]) -> Result<Self, Error> {
        let sensor = Mark {
            groups: layer(TRIGGER),
            ..Mark::sensor()
        };
        Ok(Trigger {
            id: scene.add(Collider::Aabb(half), Pose::at(center), sensor)?,
            inside: Vec::new(),
            events: 0,
            is_confused: false,
        })
    }

    /// Follows the events of a frame.
    pub fn update(&mut self, contacts: &SceneContacts) {
        let own = self.id;
        let visitor = |(a, b)| match (a == own, b == own) {
            (true, _) => Some(b),
            (_, true) => Some(a),
            _ => None,
        };
        for id in contacts.began().filter_map(visitor) {
            self.is_confused |= self.inside.contains(&id);
            self.inside.push(id);
            self.events += 1;
        }
        for id in contacts.ended().filter_map(visitor) {
            match self.inside.iter().position(|inside| *inside == id) {
                Some(place) => drop(self.inside.swap_remove(place)),
                None => self.is_confused = true,
            }
            self.events += 1;
        }
    }
}

/// The doors, and their triggers.
pub fn add(scene: &mut Scene, triggers: &mut Vec<Trigger>) -> Result<Vec<Door>, Error> {
    let doors = DOORWAYS.map(|z| {
        let place = [0.0, 1.25, z];
        let fixed = Mark {
            groups: layer(DOOR),
            ..Mark::fixed()
        };
        triggers.push(Trigger::new(scene, [2.0, 1.0, 1.5], [0.0, 1.0, z])?);
        Ok(Door {
            id: scene.add(Collider::Obb(HALF_EXTENTS), Pose::at(place), fixed)?,
            place,
            opening: 0.0,
            trigger: triggers.len() - 1,
            opened: 0,
        })
    });
    doors.into_iter().collect()
}

impl Door {
    /// Opens or closes by a frame.
    pub fn update(&mut self, scene: &mut Scene, triggers: &[Trigger]) -> Result<(), Error> {
        let opens = !triggers[self.trigger].inside.is_empty();
        let target = if opens { WIDTH } else { 0.0 };
        if self.opening == target {
            return Ok(());
        }
        self.opened += usize::from(self.opening == 0.0);
        let way = (target - self.opening).clamp(-SPEED, SPEED);
        self.opening += way;
        let [x, y, z] = self.place;
        scene.set_pose(self.id, Pose::at([x, y, z + self.opening]))
    }
}
