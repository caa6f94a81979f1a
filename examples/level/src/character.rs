//! A character: a capsule that walks, slides and jumps by collide and slide.
//!
//! Each motion is cast by [`first_hits`](phalanx::Detector::first_hits), ends a [`SKIN`] before the hit, and continues
//! along the surface. The skin keeps the capsule off the level, so that a cast along the ground does not begin with the
//! ground as its first hit. It calls a detector, since the page in `examples/web` also uses this file and is built without
//! scenes.

use phalanx::{
    Capsule, Capsules, Contacts, Detector, During, Error, FirstHits, Mesh, Pair, Sweeps,
};

pub const FRAME: f32 = 1.0 / 60.0;
pub const RADIUS: f32 = 0.35;
/// Half the length of the axis: the character is 1.80 m tall.
pub const HALF_AXIS: f32 = 0.55;
/// Distance from the level, in metres.
const SKIN: f32 = 1e-3;
const SPEED: f32 = 6.0;
const GRAVITY: f32 = 9.81;
const JUMP: f32 = 5.5;
/// Change of speed in a second, on the ground and in the air.
const ACCELERATION: [f32; 2] = [60.0, 12.0];
/// The z of the normal of the steepest ground to walk on: 53 degrees.
const WALKABLE: f32 = 0.6;
/// Largest distance of the ground below the character in a frame of walking: stairs, and the top of a slope.
const STEP_DOWN: f32 = 0.25;

/// Input of a frame.
#[derive(Clone, Copy)]
pub struct Input {
    /// Direction to walk in, of length 1, or zero.
    pub heading: [f32; 2],
    pub jump: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Ground,
    Air,
    /// On ground too steep to walk on.
    Sliding,
}

pub struct Character {
    pub body: Capsule,
    pub state: State,
    pub jumps: u32,
    /// Number of motions cast so far.
    pub casts: u32,
    /// In metres per second.
    pub velocity: [f32; 3],
    detector: Detector,
    /// Detector with the skin as its margin.
    near: Detector,
    moving: Capsules,
    firsts: FirstHits,
    pairs: Vec<Pair>,
    sweeps: Sweeps,
    contacts: Contacts,
}

/// The first hit of a motion.
#[derive(Clone, Copy)]
pub struct Hit {
    pub time: f32,
    /// The unit normal out of the surface.
    pub normal: [f32; 3],
}

pub fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `a + b * k`
pub fn add(a: [f32; 3], b: [f32; 3], k: f32) -> [f32; 3] {
    [0, 1, 2].map(|i| a[i] + b[i] * k)
}

fn cross(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// The vector of unit length, if it has a length.
fn unit(a: [f32; 3]) -> Option<[f32; 3]> {
    let length = dot(a, a).sqrt();
    (length > 1e-9).then(|| a.map(|x| x / length))
}

impl Character {
    /// A character whose feet are at a place.
    pub fn new(feet: [f32; 3]) -> Result<Self, Error> {
        Ok(Character {
            body: Capsule {
                center: add(feet, [0.0, 0.0, 1.0], HALF_AXIS + RADIUS + SKIN),
                half_axis: [0.0, 0.0, HALF_AXIS],
                radius: RADIUS,
            },
            state: State::Air,
            jumps: 0,
            casts: 0,
            velocity: [0.0; 3],
            detector: Detector::new(),
            near: Detector::new().margin(SKIN)?,
            moving: Capsules::new(),
            firsts: FirstHits::new(),
            pairs: Vec::new(),
            sweeps: Sweeps::new(),
            contacts: Contacts::new(),
        })
    }

    /// Moves by a frame.
    pub fn frame(&mut self, input: Input, level: &Mesh) -> Result<(), Error> {
        self.keep_off(level)?;
        let on_ground = self.state == State::Ground;
        let most = ACCELERATION[usize::from(!on_ground)] * FRAME;
        for (v, wish) in self.velocity.iter_mut().zip(input.heading) {
            *v += (wish * SPEED - *v).clamp(-most, most);
        }
        let jumps = on_ground && input.jump;
        if jumps {
            self.velocity[2] = JUMP;
            self.jumps += 1;
        } else if !on_ground {
            self.velocity[2] -= GRAVITY * FRAME;
        }

        let [x, y, z] = self.velocity.map(|v| v * FRAME);
        let before = self.body.center;
        self.slide([x, y, 0.0], level, true)?;
        if !on_ground {
            // A wall reduces the speed in the air.
            let [from, to] = [before, self.body.center];
            let [x, y] = [0, 1].map(|k| (to[k] - from[k]) / FRAME);
            self.velocity = [x, y, self.velocity[2]];
        }
        if on_ground && !jumps {
            return self.step_down(level);
        }
        let before = self.body.center[2];
        let hit = self.slide([0.0, 0.0, z], level, false)?;
        self.state = State::Air;
        match hit {
            Some(normal) if normal[2] >= WALKABLE => self.land(),
            Some(normal) => {
                self.velocity[2] = (self.body.center[2] - before) / FRAME;
                if normal[2] > 0.0 {
                    self.state = State::Sliding;
                }
            }
            None => {}
        }
        Ok(())
    }

    fn land(&mut self) {
        self.velocity[2] = 0.0;
        self.state = State::Ground;
    }

    /// Follows the ground down, or begins to fall.
    fn step_down(&mut self, level: &Mesh) -> Result<(), Error> {
        let down = [0.0, 0.0, -STEP_DOWN];
        match self.cast(down, level)? {
            Some(hit) if hit.normal[2] >= WALKABLE => {
                self.advance(down, &hit);
            }
            _ => self.state = State::Air,
        }
        Ok(())
    }

    /// Moves, and slides along hit surfaces. Steep surfaces are walls to a walker. A fall ends on walkable ground.
    /// Returns the last normal.
    fn slide(
        &mut self,
        motion: [f32; 3],
        level: &Mesh,
        walks: bool,
    ) -> Result<Option<[f32; 3]>, Error> {
        let mut rest = motion;
        let mut normals: Vec<[f32; 3]> = Vec::new();
        let mut last = None;
        for _ in 0..5 {
            if dot(rest, rest) < 1e-14 {
                break;
            }
            let Some(hit) = self.cast(rest, level)? else {
                self.body.center = add(self.body.center, rest, 1.0);
                break;
            };
            last = Some(hit.normal);
            let time = self.advance(rest, &hit);
            if !walks && hit.normal[2] >= WALKABLE {
                break;
            }
            rest = rest.map(|x| x * (1.0 - time));
            let [x, y, z] = hit.normal;
            let wall = (walks && z < WALKABLE).then(|| unit([x, y, 0.0])).flatten();
            normals.push(wall.unwrap_or(hit.normal));
            let Some(next) = along(rest, &normals).filter(|&next| dot(next, motion) > 0.0) else {
                break;
            };
            rest = next;
        }
        Ok(last)
    }

    /// The first hit of a motion.
    fn cast(&mut self, motion: [f32; 3], level: &Mesh) -> Result<Option<Hit>, Error> {
        self.casts += 1;
        self.moving.clear();
        self.moving.push_moving(self.body, motion);
        self.detector
            .first_hits(&self.moving, level, &mut self.firsts)?;
        let Some(first) = self.firsts.get(0) else {
            return Ok(None);
        };
        self.firsts.pairs(0, &mut self.pairs);
        let (sweeps, contacts) = (&mut self.sweeps, &mut self.contacts);
        self.detector
            .sweep_contacts(&self.moving, level, &self.pairs, sweeps, contacts)?;
        // Contacts point from the capsule to the triangle.
        Ok(contacts.get(0).map(|contact| Hit {
            time: first.time.enter,
            normal: contact.normal.map(|x| -x),
        }))
    }

    /// Moves to the skin before a hit. Returns the time.
    fn advance(&mut self, motion: [f32; 3], hit: &Hit) -> f32 {
        let closing = -dot(motion, hit.normal);
        let back = if closing > 0.0 {
            SKIN / closing
        } else {
            f32::INFINITY
        };
        let time = (hit.time - back).max(0.0);
        self.body.center = add(self.body.center, motion, time);
        time
    }

    /// Moves the character out to half the skin from nearer surfaces.
    fn keep_off(&mut self, level: &Mesh) -> Result<(), Error> {
        for _ in 0..3 {
            self.moving.clear();
            self.moving.push(self.body);
            self.near
                .candidates(&self.moving, level, During::Start, &mut self.pairs)?;
            self.near
                .contact(&self.moving, level, &self.pairs, &mut self.contacts)?;
            let contacts = self.contacts.iter();
            let nearest = contacts.min_by(|a, b| a.separation.total_cmp(&b.separation));
            match nearest {
                Some(nearest) if nearest.separation < 0.5 * SKIN => {
                    let out = nearest.separation - 0.6 * SKIN;
                    self.body.center = add(self.body.center, nearest.normal, out);
                }
                _ => break,
            }
        }
        Ok(())
    }
}

/// The part of a motion along surfaces; `None` if there is none.
fn along(motion: [f32; 3], normals: &[[f32; 3]]) -> Option<[f32; 3]> {
    let slightly = -1e-6 * dot(motion, motion).sqrt();
    let is_free = |motion| {
        normals
            .iter()
            .all(|&normal| dot(motion, normal) >= slightly)
    };
    let clipped = normals
        .iter()
        .map(|&normal| add(motion, normal, -dot(motion, normal).min(0.0)))
        .find(|&motion| is_free(motion));
    // Between two surfaces, only the direction of their crease remains.
    clipped.or_else(|| {
        let pairs = normals
            .iter()
            .enumerate()
            .flat_map(|(k, &a)| normals[..k].iter().map(move |&b| (a, b)));
        pairs
            .filter_map(|(a, b)| unit(cross(a, b)))
            .map(|crease| add([0.0; 3], crease, dot(crease, motion)))
            .find(|&motion| is_free(motion))
    })
}
