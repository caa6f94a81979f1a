//! The judge of bullets and picks: the first hits among all colliders, by sweeps of all pairs.

use phalanx::traits::Sweep;
use phalanx::{CastHit, ColliderId, Error, Pairs, Point, Points, Shapes};

use crate::game::Game;
use crate::judge::Judge;
use crate::level::TRIGGER;
use crate::pairs::{for_each_store, is_sphere, may_meet, named, rows};
use crate::verdict::First;

impl Judge {
    /// Compares the first hits of all bullets with sweeps of all pairs.
    pub fn bullets(&mut self, game: &Game) -> Result<(), Error> {
        let spheres = &game.scene.stores().spheres;
        let bullets = rows(&game.scene, is_sphere);
        let mut firsts = vec![None; bullets.len()];
        for_each_store!(game, |store, ids| {
            for (row, id) in bullets.iter().enumerate() {
                let admits = |other| game.layer(other) != TRIGGER && may_meet(game, *id, other);
                let all = (row as u32, ids);
                self.keep_first(spheres, store, all, admits, &mut firsts[row])?;
            }
        });
        for (row, id) in bullets.iter().enumerate() {
            let found = game.sweeps.iter().find(|hit| hit.mover == *id);
            let found = found.map(|hit| &hit.hit);
            self.verdict.hit(found.map(key), firsts[row]);
        }
        // Each bullet has one hit at most.
        self.verdict.wrong_hits += game.sweeps.len().saturating_sub(bullets.len());
        Ok(())
    }

    /// Compares picks with sweeps of all rays, and looks for removed ids.
    pub fn picks(&mut self, game: &Game) -> Result<(), Error> {
        let mut points = Points::new();
        for ray in &game.rays {
            let from = ray.from.map(|x| x as f32);
            points.push_moving(Point::new(from), ray.displacement);
        }
        let visible = Game::visible().groups.meets;
        let admits = |id| game.layer(id) & visible != 0;
        let mut firsts = vec![None; points.len()];
        for_each_store!(game, |store, ids| {
            for (row, first) in firsts.iter_mut().enumerate() {
                self.keep_first(&points, store, (row as u32, ids), admits, first)?;
            }
        });
        for (found, first) in game.picks.iter().zip(firsts) {
            self.verdict.hit(found.as_ref().map(key), first);
        }
        let touching = game.contacts.iter().flat_map(|it| [it.a, it.b]);
        let picked = game.picks.iter().flatten().map(|hit| hit.id);
        let answers = touching.chain(picked);
        self.verdict.revived += answers.filter(|id| !game.scene.contains(*id)).count();
        self.verdict.removed = game.removed.len();
        for id in &game.removed {
            let answers = game.scene.contains(*id) || game.scene.pose(*id).is_some();
            self.verdict.revived += usize::from(answers);
        }
        Ok(())
    }

    fn keep_first<A, B>(
        &mut self,
        a: &A,
        b: &B,
        (row, ids): (u32, &[ColliderId]),
        admits: impl Fn(ColliderId) -> bool,
        first: &mut Option<First>,
    ) -> Result<(), Error>
    where
        A: Shapes,
        B: Shapes,
        A::Shape: Sweep<B::Shape>,
    {
        let all = Pairs::one_to_all(row);
        self.detector.sweep(a, b, all, &mut self.sweeps)?;
        for (other, time) in self.sweeps.iter() {
            let (id, part) = named(ids, other);
            let hit = (time.enter, id, part);
            if admits(id) && first.is_none_or(|first| hit < first) {
                *first = Some(hit);
            }
        }
        Ok(())
    }
}

fn key(hit: &CastHit) -> First {
    (hit.time.enter, hit.id, hit.part)
}
