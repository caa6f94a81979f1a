//! Props: crates, rocks and barrels that fall, collide, are shot, and vanish.

use phalanx::{Collider, ColliderId, Error, Filter, Mark, Pose};

use crate::game::{FRAME, Game};
use crate::level::{HALF, PROP, layer};
use crate::vector::{Vector, add, along, dot, scaled, wide};

/// In metres per second².
const GRAVITY: f64 = 10.0;
const PROPS: usize = 700;
const SPAWNS: usize = 6;
const LIFE: usize = 130;
const SHOTS: usize = 2;

pub struct Prop {
    pub id: ColliderId,
    pub velocity: Vector,
    pub shots: usize,
    born: usize,
    /// The way out of all contacts.
    push: Vector,
}

/// Props by the slots of their ids: an array that runs parallel to the scene.
#[derive(Default)]
pub struct Props {
    slots: Vec<Option<Prop>>,
    pub len: usize,
}

impl Props {
    pub fn get_mut(&mut self, id: ColliderId) -> Option<&mut Prop> {
        let prop = self.slots.get_mut(id.slot() as usize)?.as_mut();
        prop.filter(|prop| prop.id == id)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Prop> {
        self.slots.iter_mut().flatten()
    }

    fn insert(&mut self, prop: Prop) {
        let slot = prop.id.slot() as usize;
        if slot >= self.slots.len() {
            self.slots.resize_with(slot + 1, || None);
        }
        self.slots[slot] = Some(prop);
        self.len += 1;
    }

    pub fn remove(&mut self, id: ColliderId) {
        if self.get_mut(id).is_some() {
            self.slots[id.slot() as usize] = None;
            self.len -= 1;
        }
    }
}

impl Game {
    /// Adds props where there is room.
    pub fn drop_props(&mut self) -> Result<(), Error> {
        for _ in 0..SPAWNS {
            if self.props.len >= PROPS {
                break;
            }
            let reach = HALF - 2.0;
            let at = [
                self.random.between(-reach, reach),
                self.random.between(4.0, 8.0),
                self.random.between(-reach, reach),
            ];
            let collider = match self.random.between(0.0, 3.0) as usize {
                0 => Collider::Obb([0.4, 0.3, 0.3]),
                1 => Collider::Hull(self.rock),
                _ => Collider::Capsule {
                    half_axis: [0.0, 0.3, 0.0],
                    radius: 0.25,
                },
            };
            let pose = Pose::new(at, self.random.rotation());
            let found = &mut self.found;
            self.scene
                .overlaps_of(collider, pose, &Filter::ALL, found)?;
            if !found.is_empty() {
                self.refused += 1;
                continue;
            }
            let mark = Mark {
                groups: layer(PROP),
                ..Mark::moving()
            };
            let id = self.spawn(collider, pose, mark)?;
            self.props.insert(Prop {
                id,
                velocity: [0.0; 3],
                shots: 0,
                born: self.frame,
                push: [0.0; 3],
            });
        }
        Ok(())
    }

    /// Removes props that are old, shot, or picked.
    pub fn clear_props(&mut self) -> Result<(), Error> {
        let (frame, picked) = (self.frame, self.picked);
        let is_over = |prop: &Prop| {
            frame - prop.born > LIFE || prop.shots >= SHOTS || Some(prop.id) == picked
        };
        let over = self.props.iter_mut().filter(|prop| is_over(prop));
        let over: Vec<ColliderId> = over.map(|prop| prop.id).collect();
        for id in over {
            self.props.remove(id);
            self.remove(id)?;
        }
        Ok(())
    }

    /// Lets all props fall by a frame.
    pub fn fall(&mut self) -> Result<(), Error> {
        for prop in self.props.iter_mut() {
            prop.velocity[1] -= GRAVITY * FRAME;
        }
        self.move_props(|prop| scaled(prop.velocity, FRAME))
    }

    /// Pushes props out of what they touch. Nothing else is pushed.
    pub fn push_apart(&mut self) -> Result<(), Error> {
        for contact in &self.contacts {
            // Sensors push nothing, and other contacts push in place of replaced ones.
            if contact.is_sensor || contact.is_replaced {
                continue;
            }
            let (a, b) = contact.pair();
            let are_props = self.props.get_mut(a).is_some() && self.props.get_mut(b).is_some();
            let share = if are_props { 0.5 } else { 1.0 };
            let depth = share * f64::from(contact.contact.depth());
            let normal = wide(contact.contact.normal);
            for (id, side) in [(a, -1.0), (b, 1.0)] {
                if let Some(prop) = self.props.get_mut(id) {
                    prop.push_by(scaled(normal, side), depth);
                }
            }
        }
        self.move_props(|prop| std::mem::take(&mut prop.push))
    }

    fn move_props(&mut self, way: impl Fn(&mut Prop) -> Vector) -> Result<(), Error> {
        for prop in self.props.iter_mut() {
            let way = way(prop);
            if let Some(mut pose) = self.scene.pose(prop.id) {
                pose.position = add(pose.position, way, 1.0);
                self.scene.set_pose(prop.id, pose)?;
            }
        }
        Ok(())
    }
}

impl Prop {
    /// Adds the part of a push that earlier ones lack, and stops the motion against it.
    fn push_by(&mut self, out: Vector, depth: f64) {
        let missing = depth - dot(self.push, out);
        self.push = add(self.push, out, missing.max(0.0));
        // Some friction.
        self.velocity = scaled(along(self.velocity, out), 0.97);
    }
}
