//! The state of the game, and its frame.

use phalanx::{
    CastHit, Collider, ColliderId, Error, Filter, Groups, Mark, Pose, Ray, Scene, SceneContacts,
    SweepHit,
};

use crate::bullets::{Bullet, Flight};
use crate::digest::Digest;
use crate::doors::{self, Door, Trigger};
use crate::level::{self, BULLET, TRIGGER};
use crate::player::Player;
use crate::props::Props;
use crate::vector::{Random, Vector};

/// In seconds.
pub const FRAME: f64 = 1.0 / 60.0;
/// Rays along each side of the picture.
const RAYS: usize = 40;

pub struct Game {
    pub scene: Scene,
    pub level: ColliderId,
    pub rock: u32,
    pub player: Player,
    pub doors: Vec<Door>,
    pub triggers: Vec<Trigger>,
    pub props: Props,
    pub bullets: Vec<Bullet>,
    pub random: Random,
    pub frame: usize,
    /// All ids that were removed.
    pub removed: Vec<ColliderId>,
    pub spawned: usize,
    /// Number of spawns without room.
    pub refused: usize,
    /// The prop under the cursor.
    pub picked: Option<ColliderId>,
    pub rays: Vec<Ray>,
    // The answers of a frame. They keep their memory.
    pub sweeps: Vec<SweepHit>,
    pub flights: Vec<Flight>,
    pub contacts: SceneContacts,
    pub picks: Vec<Option<CastHit>>,
    pub found: Vec<ColliderId>,
}

impl Game {
    pub fn new() -> Result<Self, Error> {
        let mut scene = Scene::new();
        // A bug that makes a NaN is to be an error here, not a collider without contacts.
        scene.set_strict(true);
        let level = level::add(&mut scene)?;
        let rock = scene.add_hull_kind(&[
            [0.4, 0.0, 0.0],
            [-0.3, 0.3, 0.2],
            [-0.35, -0.3, 0.1],
            [0.1, 0.35, -0.3],
            [0.0, -0.3, -0.35],
            [0.1, 0.0, 0.4],
        ])?;
        let mut triggers = Vec::new();
        let doors = doors::add(&mut scene, &mut triggers)?;
        // At the top of the stairs, and two areas where props fall.
        for (half, center) in [
            ([0.5, 0.8, 1.5], [7.5, 1.4, -9.0]),
            ([3.0, 2.0, 3.0], [-9.0, 3.0, -9.0]),
            ([3.0, 2.0, 3.0], [9.0, 3.0, 9.0]),
        ] {
            triggers.push(Trigger::new(&mut scene, half, center)?);
        }
        let player = Player::new(&mut scene)?;
        // Fixed colliders are indexed now, not in a frame.
        scene.prepare()?;
        Ok(Game {
            scene,
            level,
            rock,
            player,
            doors,
            triggers,
            props: Props::default(),
            bullets: Vec::new(),
            random: Random(2026),
            frame: 0,
            removed: Vec::new(),
            spawned: 0,
            refused: 0,
            picked: None,
            rays: Vec::new(),
            sweeps: Vec::new(),
            flights: Vec::new(),
            contacts: SceneContacts::new(),
            picks: Vec::new(),
            found: Vec::new(),
        })
    }

    /// Part 1: doors move, things come and go, and bullets look ahead.
    pub fn begin(&mut self) -> Result<(), Error> {
        for door in &mut self.doors {
            door.update(&mut self.scene, &self.triggers)?;
        }
        self.clear_props()?;
        self.drop_props()?;
        self.fire()?;
        self.scene.sweeps(&mut self.sweeps)
    }

    /// Part 2: all motion, then the contacts.
    pub fn advance(&mut self) -> Result<(), Error> {
        self.fly()?;
        self.walk()?;
        self.fall()?;
        self.scene.contacts(&mut self.contacts)
    }

    /// Part 3: props in contact are pushed apart, and triggers count.
    pub fn respond(&mut self) -> Result<(), Error> {
        for trigger in &mut self.triggers {
            trigger.update(&self.contacts);
        }
        self.push_apart()
    }

    /// Part 4: the collider at each pixel of a small picture, seen from above. Every tenth frame, the player picks a prop.
    pub fn pick(&mut self) -> Result<(), Error> {
        let eye = [-3.0, 25.0, -20.0];
        let pixel = |k: usize| {
            let place = |k: usize| (k as f32 / (RAYS - 1) as f32 - 0.5) * 36.0;
            let (x, z) = (place(k % RAYS), place(k / RAYS));
            let displacement = [x + 3.0, -26.0, z + 20.0].map(|way| 1.1 * way);
            Ray {
                from: eye,
                displacement,
            }
        };
        self.rays.clear();
        self.rays.extend((0..RAYS * RAYS).map(pixel));
        let filter = Game::visible();
        self.scene.cast_rays(&self.rays, &filter, &mut self.picks)?;
        self.picked = None;
        if self.frame.is_multiple_of(10) {
            let seen = self.picks.iter().flatten().map(|hit| hit.id);
            let mut props = seen.filter(|id| self.props.get_mut(*id).is_some());
            self.picked = props.next();
        }
        self.frame += 1;
        Ok(())
    }

    /// The filter of rays: all but bullets and triggers.
    pub fn visible() -> Filter<'static> {
        let groups = Groups {
            is: u32::MAX,
            meets: !(BULLET | TRIGGER),
        };
        Filter {
            groups,
            ..Filter::ALL
        }
    }

    pub fn spawn(
        &mut self,
        collider: Collider,
        pose: Pose,
        mark: Mark,
    ) -> Result<ColliderId, Error> {
        // The number of the caller: what a game would use as its entity.
        self.spawned += 1;
        let mark = Mark {
            entity: self.spawned as u64,
            ..mark
        };
        self.scene.add(collider, pose, mark)
    }

    pub fn remove(&mut self, id: ColliderId) -> Result<(), Error> {
        self.removed.push(id);
        self.scene.remove(id)
    }

    pub fn position(&self, id: ColliderId) -> Vector {
        self.scene.pose(id).map_or([0.0; 3], |pose| pose.position)
    }

    pub fn layer(&self, id: ColliderId) -> u32 {
        self.scene.mark(id).map_or(0, |mark| mark.groups.is)
    }

    /// Adds the answers of a frame to a digest, to the bit.
    pub fn digest(&self, digest: &mut Digest) {
        for hit in &self.sweeps {
            digest.add(hit.mover.to_bits());
            digest.add_hit(&hit.hit);
        }
        for contact in &self.contacts {
            digest.add_contact(contact);
        }
        for (a, b) in self.contacts.began().chain(self.contacts.ended()) {
            digest.add(a.to_bits() ^ b.to_bits().rotate_left(32));
        }
        for hit in self.picks.iter().flatten() {
            digest.add_hit(hit);
        }
        for id in self.scene.ids() {
            for x in self.position(id) {
                digest.add(x.to_bits());
            }
        }
    }
}
