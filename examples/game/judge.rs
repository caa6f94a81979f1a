//! The judge: in each frame, all pairs of all colliders by the verbs of pairs, without a broad phase, and the ways of bullets
//! against all triangles in `f64`.

use std::collections::BTreeSet;
use std::mem::discriminant;

use phalanx::traits::Overlap;
use phalanx::{ColliderId, Detector, Error, Overlaps, Pairs, Shapes, Sweeps};

use crate::game::Game;
use crate::level::{DOOR, GLASS, LEVEL, PLAYER};
use crate::pairs::{for_each_store, is_obb, may_meet, named, rows, sorted};
use crate::verdict::Verdict;
use crate::walls;

/// A pair that touches, lower id first, and the triangle if one is a mesh.
type Touch = (ColliderId, ColliderId, u32);

pub struct Judge {
    pub detector: Detector,
    overlaps: Overlaps,
    pub sweeps: Sweeps,
    /// The pairs of the last frame.
    last: BTreeSet<(ColliderId, ColliderId)>,
    pub verdict: Verdict,
}

impl Judge {
    pub fn new() -> Self {
        Judge {
            detector: Detector::new().parallel(false),
            overlaps: Overlaps::new(),
            sweeps: Sweeps::new(),
            last: BTreeSet::new(),
            verdict: Verdict::default(),
        }
    }

    /// Tests the ways of all bullets against all walls, and the contacts against overlaps of all pairs.
    pub fn contacts(&mut self, game: &Game) -> Result<(), Error> {
        let mesh = game.scene.placed_mesh(game.level);
        let doors = rows(&game.scene, is_obb).into_iter();
        let doors = doors.filter(|id| game.layer(*id) == DOOR);
        let doors: Vec<_> = doors.map(|id| game.position(id)).collect();
        for flight in &game.flights {
            self.verdict.flights += 1;
            let through = mesh.is_some_and(|mesh| walls::crosses_mesh(flight, mesh))
                || doors.iter().any(|&door| walls::crosses_door(flight, door));
            self.verdict.tunnelled += usize::from(through);
        }

        let mut touches = BTreeSet::new();
        for_each_store!(game, |a, a_ids| {
            // Both ways: pairs of two kinds are the same in either order.
            if !a_ids.contains(&game.level) {
                for_each_store!(game, |b, b_ids| {
                    for (row, id) in a_ids.iter().enumerate() {
                        self.touching(game, a, b, (row as u32, *id, b_ids), &mut touches)?;
                    }
                });
            }
        });
        let found: BTreeSet<Touch> = game
            .contacts
            .iter()
            .map(|contact| {
                let (a, b) = sorted(contact.pair());
                (a, b, contact.part_a + contact.part_b)
            })
            .collect();
        self.verdict.contacts += touches.len();
        self.verdict.wrong_contacts += touches.symmetric_difference(&found).count();
        self.verdict.wrong_contacts += game.contacts.len() - found.len();
        for (a, b, _) in &touches {
            let layers = game.layer(*a) | game.layer(*b);
            let is_solid = layers & (LEVEL | DOOR | GLASS) != 0;
            self.verdict.stuck += usize::from(layers & PLAYER != 0 && is_solid);
        }
        self.events(game, touches.iter().map(|&(a, b, _)| (a, b)).collect());
        Ok(())
    }

    /// Compares the events of a frame with the difference of two sets of pairs.
    fn events(&mut self, game: &Game, now: BTreeSet<(ColliderId, ColliderId)>) {
        let began: Vec<_> = now.difference(&self.last).copied().collect();
        let ended: Vec<_> = self.last.difference(&now).copied().collect();
        let of_sensor = |pair: &&(ColliderId, ColliderId)| {
            let is_sensor = |id: ColliderId| game.triggers.iter().any(|it| it.id == id);
            is_sensor(pair.0) || is_sensor(pair.1)
        };
        self.verdict.events += began.iter().chain(&ended).filter(of_sensor).count();
        let mut found: Vec<_> = game.contacts.began().map(sorted).collect();
        found.sort_unstable();
        self.verdict.event(found != began);
        let mut found: Vec<_> = game.contacts.ended().map(sorted).collect();
        found.sort_unstable();
        self.verdict.event(found != ended);
        self.last = now;
    }

    /// Compares the colliders inside each trigger, counted by events, with the pairs that touch.
    pub fn triggers(&mut self, game: &Game) {
        for trigger in &game.triggers {
            let visitor = |&(a, b): &(ColliderId, ColliderId)| match (a, b) {
                (a, b) if a == trigger.id => Some(b),
                (a, b) if b == trigger.id => Some(a),
                _ => None,
            };
            let there: BTreeSet<_> = self.last.iter().filter_map(visitor).collect();
            let inside: BTreeSet<_> = trigger.inside.iter().copied().collect();
            let is_once = inside.len() == trigger.inside.len() && !trigger.is_confused;
            self.verdict.event(there != inside || !is_once);
        }
    }

    fn touching<A, B>(
        &mut self,
        game: &Game,
        a: &A,
        b: &B,
        (row, id, ids): (u32, ColliderId, &[ColliderId]),
        touches: &mut BTreeSet<Touch>,
    ) -> Result<(), Error>
    where
        A: Shapes,
        B: Shapes,
        A::Shape: Overlap<B::Shape>,
    {
        let all = Pairs::one_to_all(row);
        self.detector.overlap(a, b, all, &mut self.overlaps)?;
        for other in self.overlaps.iter() {
            let (other, part) = named(ids, other);
            // A pair of one kind in the order of the scene: within the error band, the order may decide.
            let kind = |id| game.scene.collider(id).map(|it| discriminant(&it));
            let is_ordered = id < other || kind(id) != kind(other);
            if is_ordered && may_meet(game, id, other) {
                let (a, b) = sorted((id, other));
                touches.insert((a, b, part));
            }
        }
        Ok(())
    }
}
