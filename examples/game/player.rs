//! The player walks from place to place: collide and slide, steps, doors, by casts of a capsule.

use phalanx::{Cast, CastHit, Collider, ColliderId, Error, Filter, Mark, Pose, Scene};

use crate::game::{FRAME, Game};
use crate::level::{PLAYER, layer};
use crate::vector::{Vector, add, along, dot, length, narrow, scaled, sub, wide};

const RADIUS: f32 = 0.35;
const HALF_AXIS: f32 = 0.5;
/// In metres per second.
const SPEED: f64 = 8.0;
/// The player stays this far off all surfaces.
const SKIN: f64 = 0.01;
/// The height of a step.
const STEP: f64 = 0.3;
/// The places to go to, again and again: through each door.
const PLACES: [[f64; 2]; 8] = [
    [-4.0, -9.0],
    [4.0, -9.0],
    [9.5, -9.0],
    [4.0, 0.0],
    [-4.0, 0.0],
    [-4.0, 9.0],
    [4.0, 9.0],
    [-4.0, 9.0],
];

pub struct Player {
    pub id: ColliderId,
    pub position: Vector,
    next: usize,
    /// Frames since the last place.
    since: usize,
    pub walked: f64,
    pub places: usize,
    hits: Vec<Option<CastHit>>,
}

const BODY: Collider = Collider::Capsule {
    half_axis: [0.0, HALF_AXIS, 0.0],
    radius: RADIUS,
};

impl Player {
    pub fn new(scene: &mut Scene) -> Result<Self, Error> {
        let [x, z] = PLACES[0];
        let position = [x, 1.2, z];
        let mark = Mark {
            groups: layer(PLAYER),
            ..Mark::moving()
        };
        Ok(Player {
            id: scene.add(BODY, Pose::at(position), mark)?,
            position,
            next: 1,
            since: 0,
            walked: 0.0,
            places: 0,
            hits: Vec::new(),
        })
    }

    /// The first hit of a motion.
    fn cast(&mut self, scene: &mut Scene, motion: Vector) -> Result<Option<CastHit>, Error> {
        let cast = Cast {
            collider: BODY,
            pose: Pose::at(self.position),
            displacement: narrow(motion),
        };
        let filter = Filter {
            groups: layer(PLAYER),
            without: &[self.id],
            ..Filter::ALL
        };
        scene.casts(&[cast], &filter, &mut self.hits)?;
        Ok(self.hits[0])
    }

    /// Moves up to the skin before the first hit. Returns the hit and the rest of the motion.
    fn advance(
        &mut self,
        scene: &mut Scene,
        motion: Vector,
    ) -> Result<Option<(CastHit, Vector)>, Error> {
        let Some(hit) = self.cast(scene, motion)? else {
            self.position = add(self.position, motion, 1.0);
            return Ok(None);
        };
        let closing = -dot(motion, wide(hit.normal));
        let back = if closing > 0.0 { SKIN / closing } else { 0.0 };
        let time = (f64::from(hit.time.enter) - back).max(0.0);
        self.position = add(self.position, motion, time);
        Ok(Some((hit, scaled(motion, 1.0 - time))))
    }
}

impl Game {
    /// Moves the player by a frame.
    pub fn walk(&mut self) -> Result<(), Error> {
        let Game {
            scene,
            player,
            props,
            ..
        } = self;
        let [x, z] = PLACES[player.next];
        let way = sub([x, 0.0, z], [player.position[0], 0.0, player.position[2]]);
        player.since += 1;
        if length(way) < 0.5 || player.since > 240 {
            player.places += usize::from(length(way) < 0.5);
            (player.next, player.since) = ((player.next + 1) % PLACES.len(), 0);
        }
        let start = player.position;
        let mut rest = scaled(way, SPEED * FRAME / length(way).max(1e-6));
        // Onto a step, along walls, and down again.
        player.advance(scene, [0.0, STEP, 0.0])?;
        let risen = player.position[1] - start[1];
        for _ in 0..4 {
            let Some((hit, left)) = player.advance(scene, rest)? else {
                break;
            };
            let normal = wide(hit.normal);
            if let Some(prop) = props.get_mut(hit.id) {
                prop.velocity = add(prop.velocity, normal, -1.0);
            }
            // Steep surfaces are walls.
            let [x, _, z] = normal;
            let wall = scaled([x, 0.0, z], 1.0 / length([x, 0.0, z]).max(1e-6));
            rest = along(left, wall);
            rest[1] = 0.0;
        }
        player.advance(scene, [0.0, -risen - 0.15, 0.0])?;
        let [x, _, z] = sub(player.position, start);
        player.walked += length([x, 0.0, z]);
        scene.set_pose(player.id, Pose::at(player.position))
    }
}
