//! A frame of colliders of four kinds on a mesh: a `Scene`, stores called by hand, and parry3d as its users write it.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench scene
//! cargo bench -p phalanx-bench --bench scene -- sleep      # one body in eleven moves
//! ```
//!
//! 3000 spheres, capsules, OBBs and hulls of 16 points move a little in each frame, on a mesh of 50,000 triangles. 200
//! projectiles and 200 rays are new in each frame. All players have contacts of all, first hits of projectiles and rays, and
//! their normals. A scene also has ids, events and sorted contacts. Times are those of the calling thread's CPU, of the
//! same frames in turn.
//!
//! Answers are checked. Contacts, hits and normals of the scene are, bit for bit, those of the stores; if a projectile or a
//! ray starts in several shapes, each side may name another. Differences from parry3d are counted, and the bench fails if
//! there are many.

mod by_hand;
mod with_parry;
mod with_scene;
mod world;

use std::collections::BTreeSet;
use std::env;

use cpu_time::ThreadTime;
use phalanx::Error;
use phalanx_bench::kernels::TIME_TOLERANCE;
use phalanx_bench::machine;

use by_hand::ByHand;
use with_parry::WithParry;
use with_scene::WithScene;
use world::{Answers, Touch, World};

/// Parts of a frame, and all of it.
const PARTS: [&str; 5] = ["poses", "contacts", "CCD", "rays", "frame"];
/// Unmeasured frames, until memory and caches are warm.
const WARM: usize = 10;
/// Frames between two checks.
const CHECKED: usize = 20;
/// Share of answers in which parry3d may differ.
const MAX_DIFFERENT: f64 = 0.02;

/// A way to compute a frame.
trait Player {
    fn name(&self) -> &'static str;
    /// Takes the poses of a frame.
    fn place(&mut self, world: &World) -> Result<(), Error>;
    fn contacts(&mut self) -> Result<(), Error>;
    fn sweeps(&mut self) -> Result<(), Error>;
    fn rays(&mut self, world: &World) -> Result<(), Error>;
    fn answers(&self, world: &World) -> Answers;
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let is_quick = has("--quick") || !has("--bench") || has("--test");
    let machine = machine::describe(is_quick);
    println!(
        "{}, {}, {}, one thread\n",
        machine.cpu, machine.simd, machine.rustc
    );
    let (cells, size, counts, frames) = match is_quick {
        true => (40, 40.0, [400, 40, 40], 12),
        false => (158, 100.0, [3000, 200, 200], 2000),
    };
    // Kinds are numbered modulo four, so that bodies of all kinds move.
    let every = if has("sleep") { 11 } else { 1 };
    let mut world = World::new(cells, size, counts, every);
    let mut players: [Box<dyn Player>; 3] = [
        Box::new(WithScene::new(&world)?),
        Box::new(ByHand::new(&world)?),
        Box::new(WithParry::new(&world)),
    ];
    let mut times = [(); 3].map(|()| [(); 5].map(|()| Vec::with_capacity(frames)));
    let mut checked = Checked::default();
    for frame in 0..WARM + frames {
        world.step();
        for (player, times) in players.iter_mut().zip(&mut times) {
            let parts = run(player.as_mut(), &world)?;
            if frame >= WARM {
                for (times, time) in times.iter_mut().zip(parts) {
                    times.push(time);
                }
            }
        }
        if frame % CHECKED == 0 {
            let answers = players.each_ref().map(|player| player.answers(&world));
            checked.compare(&world, answers);
        }
    }
    print(&players, &mut times);
    checked.print();
    Ok(())
}

/// Runs a frame. Returns the milliseconds of each part.
fn run(player: &mut dyn Player, world: &World) -> Result<[f64; 5], Error> {
    let start = ThreadTime::now();
    let now = || start.elapsed().as_secs_f64() * 1e3;
    player.place(world)?;
    let placed = now();
    player.contacts()?;
    let touched = now();
    player.sweeps()?;
    let swept = now();
    player.rays(world)?;
    let end = now();
    Ok([placed, touched - placed, swept - touched, end - swept, end])
}

fn print(players: &[Box<dyn Player>; 3], times: &mut [[Vec<f64>; 5]; 3]) {
    println!(
        "| part | who | usual ms | 99 % | worst | worst / usual | of the scene's usual time |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|");
    for (part, name) in PARTS.iter().enumerate() {
        let mut first = 0.0;
        for (player, times) in players.iter().zip(&mut *times) {
            let times = &mut times[part];
            times.sort_by(f64::total_cmp);
            let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
            let (usual, worst) = (at(0.5), at(1.0));
            if first == 0.0 {
                first = usual;
            }
            println!(
                "| {name} | {} | {usual:.3} | {:.3} | {worst:.3} | {:.1} | {:.2} |",
                player.name(),
                at(0.99),
                worst / usual,
                usual / first,
            );
        }
    }
}

/// Answers that were compared, and those in which parry3d differs.
#[derive(Default)]
struct Checked {
    contacts: [usize; 2],
    sweeps: [usize; 2],
    rays: [usize; 2],
}

impl Checked {
    fn compare(&mut self, world: &World, [mut own, mut by_hand, peer]: [Answers; 3]) {
        own.sort();
        by_hand.sort();
        assert_eq!(own.contacts, by_hand.contacts, "contacts");
        for (own, by_hand) in [(&own.sweeps, &by_hand.sweeps), (&own.rays, &by_hand.rays)] {
            assert_eq!(own.len(), by_hand.len());
            for (own, by_hand) in own.iter().zip(by_hand) {
                // Of shapes touched at the start, both may name another.
                let is_known = |hit: &&(f32, [f32; 3])| hit.0 > 0.0;
                let [own, by_hand] = [own, by_hand].map(Option::as_ref);
                assert_eq!(own.is_some(), by_hand.is_some(), "first hits");
                assert_eq!(own.filter(is_known), by_hand.filter(is_known), "first hits");
            }
        }
        let level = world.level();
        let name = |contact: &Touch| (contact.a, contact.b);
        let own_pairs: BTreeSet<_> = own.contacts.iter().map(name).collect();
        let pairs: BTreeSet<_> = peer.contacts.iter().map(name).collect();
        assert!(own_pairs.iter().all(|(a, b)| a < b && *b <= level));
        self.contacts[0] += own_pairs.len();
        self.contacts[1] += own_pairs.symmetric_difference(&pairs).count();
        count(&mut self.sweeps, &own.sweeps, &peer.sweeps);
        count(&mut self.rays, &own.rays, &peer.rays);
    }

    fn print(&self) {
        for (name, [all, different]) in [
            ("contacts", self.contacts),
            ("sweeps", self.sweeps),
            ("rays", self.rays),
        ] {
            println!("{name}: {all} checked, {different} differ from parry3d's");
            assert!(
                different as f64 <= 2.0 + MAX_DIFFERENT * all as f64,
                "{different} of {all} {name} differ"
            );
        }
    }
}

type Hits = Vec<Option<(f32, [f32; 3])>>;

/// Counts the hits at other times.
fn count([all, different]: &mut [usize; 2], own: &Hits, peer: &Hits) {
    assert_eq!(own.len(), peer.len());
    for hits in own.iter().zip(peer) {
        *all += 1;
        *different += usize::from(match hits {
            (Some((own, _)), Some((peer, _))) => (own - peer).abs() > TIME_TOLERANCE,
            (own, peer) => own.is_some() != peer.is_some(),
        });
    }
}
