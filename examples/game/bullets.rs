//! Bullets: 1.5 m a frame, thin walls, CCD. They bounce off the level, and push what they hit.

use phalanx::{Collider, ColliderId, Error, Mark, Pose, SweepHit};

use crate::game::Game;
use crate::level::{BULLET, HALF, LEVEL, layer};
use crate::vector::{Vector, add, dot, narrow, scaled, wide};

/// Metres a frame.
const SPEED: f64 = 1.5;
pub const RADIUS: f32 = 0.05;
const LIFE: usize = 90;
const BOUNCES: usize = 4;
/// Bullets stay this far off the surfaces that they bounce off: a bullet that touches at the start of a frame has hit.
const SKIN: f64 = 1e-3;

pub struct Bullet {
    pub id: ColliderId,
    /// The displacement of a frame.
    motion: Vector,
    born: usize,
    bounces: usize,
}

/// The way of a bullet in a frame.
pub struct Flight {
    pub from: Vector,
    pub to: Vector,
}

impl Game {
    /// Fires from both ends of the hall, towards the wall in the middle.
    pub fn fire(&mut self) -> Result<(), Error> {
        for side in [-1.0, 1.0] {
            let from = [12.0 * side, 3.0, self.random.between(-12.0, 12.0)];
            let to = [
                0.0,
                self.random.between(0.2, 4.0),
                self.random.between(-12.0, 12.0),
            ];
            let way = add(to, from, -1.0);
            let motion = scaled(way, SPEED / dot(way, way).sqrt());
            let mark = Mark {
                groups: layer(BULLET),
                is_swept: true,
                ..Mark::moving()
            };
            let id = self.spawn(Collider::Sphere(RADIUS), Pose::at(from), mark)?;
            self.scene.set_displacement(id, narrow(motion))?;
            self.bullets.push(Bullet {
                id,
                motion,
                born: self.frame,
                bounces: 0,
            });
        }
        Ok(())
    }

    /// Moves all bullets up to their first hits, which [`Scene::sweeps`](phalanx::Scene::sweeps) has found.
    pub fn fly(&mut self) -> Result<(), Error> {
        self.flights.clear();
        let mut bullets = std::mem::take(&mut self.bullets);
        let sweeps = std::mem::take(&mut self.sweeps);
        for bullet in &mut bullets {
            let from = self.position(bullet.id);
            // Hits are sorted by the mover.
            let hit = sweeps.binary_search_by_key(&bullet.id, |hit| hit.mover);
            let to = match hit {
                Ok(place) => self.hit(bullet, from, &sweeps[place])?,
                Err(_) => add(from, bullet.motion, 1.0),
            };
            self.flights.push(Flight { from, to });
            self.scene.set_pose(bullet.id, Pose::at(to))?;
        }
        self.sweeps = sweeps;
        // `retain` in the order of firing.
        let mut kept = Vec::with_capacity(bullets.len());
        for bullet in bullets {
            let is_far = self.position(bullet.id)[1] > 2.0 * HALF;
            let is_old = self.frame - bullet.born > LIFE || bullet.bounces > BOUNCES;
            match is_far || is_old {
                true => self.remove(bullet.id)?,
                false => kept.push(bullet),
            }
        }
        self.bullets = kept;
        Ok(())
    }

    /// Responds to a hit, and returns where the bullet is then.
    fn hit(&mut self, bullet: &mut Bullet, from: Vector, hit: &SweepHit) -> Result<Vector, Error> {
        let (time, normal) = (f64::from(hit.hit.time.enter), wide(hit.hit.normal));
        let at = add(add(from, bullet.motion, time), normal, SKIN);
        let hits_level = self.layer(hit.hit.id) == LEVEL;
        bullet.bounces += if hits_level { 1 } else { BOUNCES + 1 };
        if let Some(prop) = self.props.get_mut(hit.hit.id) {
            prop.velocity = add(prop.velocity, bullet.motion, 2.0);
            prop.shots += 1;
        }
        let into = dot(bullet.motion, normal).min(0.0);
        bullet.motion = add(bullet.motion, normal, -2.0 * into);
        let displacement = narrow(bullet.motion);
        self.scene.set_displacement(bullet.id, displacement)?;
        Ok(at)
    }
}
