//! Fast bullets and characters against thin walls: what does a test at the end of each frame miss?
//!
//! ```text
//! cargo run --release --example bullets
//! ```
//!
//! Every mover is paired with every wall. Overlap tests at 500 substeps find the pairs that hit; `sweep` must miss none of
//! them. Then bullets bounce off the walls that they hit first.

use std::time::Instant;

use phalanx::traits::{Overlap, Shape, Sweep};
use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, Contact, Contacts, Detector, Error, FirstHits, Obb, Obbs,
    Overlaps, Pair, Sphere, Spheres, Store, Sweeps,
};

const BULLETS: usize = 4000;
const CHARACTERS: usize = 1000;
const WALLS: usize = 60;
/// Number of substeps of the reference.
const SUBSTEPS: usize = 500;
/// Movers are thinner by this much in the substeps, because positions are rounded. In metres.
const ROUNDED: f32 = 1e-4;

fn main() -> Result<(), Error> {
    let mut random = random_numbers(1999);
    let mut point = |reach: f32| [(); 3].map(|()| random(-reach, reach));
    let (mut bullets, mut characters) = (Spheres::new(), Capsules::new());
    for _ in 0..BULLETS {
        let center = point(20.0);
        // 900 m/s at 60 frames a second are 15 m.
        let displacement = scaled(point(1.0), 15.0);
        bullets.push_moving(Sphere::new(center, 0.005), displacement);
    }
    for _ in 0..CHARACTERS {
        let [x, y, z] = point(20.0);
        let [dx, _, dz] = scaled(point(1.0), 1.5);
        let character = Capsule::between([x, y + 0.3, z], [x, y + 1.5, z], 0.3);
        characters.push_moving(character, [dx, 0.0, dz]);
    }
    let (mut straight, mut turned) = (Aabbs::new(), Obbs::new());
    for wall in 0..WALLS {
        let mut half_extents = [2.0, 2.0, 2.0];
        half_extents[wall % 3] = 0.05;
        straight.push(Aabb::from_center_half_extents(point(20.0), half_extents));
        let ([x, y, z], center) = (scaled(point(1.0), 0.6), point(20.0));
        let rotation = [x, y, z, 0.8];
        turned.push(Obb::new(center, half_extents, rotation));
    }

    println!("                                 hits    missed by end-    missed");
    println!(
        "one frame              ({SUBSTEPS} substeps)  of-frame test  by sweep  stopped    sweep call"
    );
    let thin = |sphere: Sphere| Sphere {
        radius: sphere.radius - ROUNDED,
        ..sphere
    };
    let mut counts = Counts::default();
    counts += compare("bullets, AABB walls", &bullets, &straight, thin)?;
    counts += compare("bullets, OBB walls", &bullets, &turned, thin)?;
    let thin = |capsule: Capsule| Capsule {
        radius: capsule.radius - ROUNDED,
        ..capsule
    };
    counts += compare("characters, AABB walls", &characters, &straight, thin)?;
    counts += compare("characters, OBB walls", &characters, &turned, thin)?;
    println!(
        "stopped: movers with a hit. Fewer than hits, because a mover that crosses two walls stops at the first.\n"
    );
    bounce(&mut bullets, &turned)?;
    println!(
        "\nsweep: {} of {} hits missed, checked at {SUBSTEPS} substeps; an end-of-frame test misses {}",
        counts.by_sweep, counts.hits, counts.at_end
    );
    assert!(counts.by_sweep == 0 && counts.at_end > 0);
    Ok(())
}

/// Number of hits, and of those that a test misses.
#[derive(Default)]
struct Counts {
    hits: usize,
    at_end: usize,
    by_sweep: usize,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.hits += other.hits;
        self.at_end += other.at_end;
        self.by_sweep += other.by_sweep;
    }
}

/// Lets bullets bounce off the walls for a few frames.
fn bounce(bullets: &mut Spheres, walls: &Obbs) -> Result<(), Error> {
    let mut detector = Detector::new();
    let (mut firsts, mut pairs) = (FirstHits::new(), Vec::new());
    let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
    let mut times = Vec::new();
    print!("bounces of {BULLETS} bullets in five frames:");
    for _ in 0..5 {
        let start = Instant::now();
        detector.first_hits(bullets, walls, &mut firsts)?;
        firsts.pairs(0, &mut pairs);
        detector.sweep_contacts(bullets, walls, &pairs, &mut sweeps, &mut contacts)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let mut bounces = Vec::new();
        for (hit, Contact { normal, .. }) in firsts.iter().zip(&contacts) {
            let i = hit.a;
            // Hits at time 0 are bullets created inside a wall.
            let (Some(way), true) = (bullets.displacement(i), hit.time.enter > 0.0) else {
                continue;
            };
            let along: f32 = way.iter().zip(&normal).map(|(v, n)| v * n).sum();
            assert!(along >= 0.0, "the normal points into the wall");
            let away = [0, 1, 2].map(|k| way[k] - 2.0 * along * normal[k]);
            bounces.push((i, bullets.at(i, hit.time.enter), away));
        }
        print!(" {}", bounces.len());
        for i in 0..bullets.len() as u32 {
            if let Some(bullet) = bullets.at(i, 1.0) {
                bullets.set(i, bullet)?;
            }
        }
        // From the wall, with the displacement of a whole frame.
        for (i, at_wall, away) in bounces {
            if let Some(bullet) = at_wall {
                bullets.set(i, bullet)?;
            }
            bullets.set_displacement(i, away)?;
        }
    }
    println!();
    times.sort_by(f64::total_cmp);
    println!(
        "first hits and normals of {} bullets among {} walls: {:.2} ms a frame",
        bullets.len(),
        walls.len(),
        times[times.len() / 2],
    );
    Ok(())
}

/// Tests at the end of the frame and sweeps through it, and counts what each misses.
fn compare<A: Overlap<B> + Sweep<B>, B: Shape>(
    what: &str,
    movers: &Store<A>,
    walls: &Store<B>,
    thin: impl Fn(A) -> A,
) -> Result<Counts, Error> {
    let (movers_len, walls_len) = (movers.len() as u32, walls.len() as u32);
    let pairs: Vec<Pair> = (0..movers_len)
        .flat_map(|mover| (0..walls_len).map(move |wall| Pair::new(mover, wall)))
        .collect();
    let (mut detector, mut overlaps, mut sweeps) =
        (Detector::new(), Overlaps::new(), Sweeps::new());

    let mut is_hit = vec![false; pairs.len()];
    for substep in 0..=SUBSTEPS {
        let time = substep as f32 / SUBSTEPS as f32;
        let there = |mover| movers.at(mover, time).map(&thin);
        let now: Store<A> = (0..movers_len).filter_map(there).collect();
        detector.overlap(&now, walls, &pairs, &mut overlaps)?;
        overlaps.iter().for_each(|position| is_hit[position] = true);
    }
    let mut seconds = f64::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        detector.sweep(movers, walls, &pairs, &mut sweeps)?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
    }

    let missed = |found: &dyn Fn(usize) -> bool| {
        let missed = |&position: &usize| is_hit[position] && !found(position);
        (0..pairs.len()).filter(missed).count()
    };
    let counts = Counts {
        hits: is_hit.iter().filter(|&&is_hit| is_hit).count(),
        // The last substep is the end of the frame.
        at_end: missed(&|position| overlaps.is_hit(position)),
        by_sweep: missed(&|position| sweeps.is_hit(position)),
    };
    let stopped = sweeps.first_hits(&pairs)?.len();
    println!(
        "{what:22} {:>14} {:>14} {:>9} {stopped:>8} {:>9.2} ms",
        counts.hits,
        counts.at_end,
        counts.by_sweep,
        seconds * 1e3,
    );
    assert!(stopped > 0);
    Ok(counts)
}

fn scaled(v: [f32; 3], length: f32) -> [f32; 3] {
    let now = v.iter().map(|x| x * x).sum::<f32>().sqrt();
    v.map(|x| x * length / now)
}

/// Numbers between two others, the same on every machine.
fn random_numbers(mut state: u64) -> impl FnMut(f32, f32) -> f32 {
    move |low, high| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * (state >> 40) as f32 / (1u64 << 24) as f32
    }
}
