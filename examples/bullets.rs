//! Fast bullets and characters against thin walls: the hits that a test at the end of each frame misses.
//!
//! ```text
//! cargo run --release --example bullets
//! ```
//!
//! Each mover is tested with each wall, as if a broadphase had listed all pairs. Poses in between show the pairs that
//! touch; `sweep` must not miss any. Then bullets bounce off the walls that they hit first.

use std::time::Instant;

use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, Contact, Contacts, Detector, Error, FirstHits, Obb, Obbs,
    Overlap, Overlaps, Pair, Sphere, Spheres, Store, Sweep, Sweeps,
};

const BULLETS: usize = 4000;
const CHARACTERS: usize = 1000;
const WALLS: usize = 60;
/// Number of tested poses of a frame.
const POSES: usize = 500;
/// Amount by which movers are thinner in these poses, because their positions are rounded, in metres.
const ROUNDED: f32 = 1e-4;

fn main() -> Result<(), Error> {
    let mut random = random_numbers(1999);
    let mut point = |reach: f32| [(); 3].map(|()| random(-reach, reach));
    let (mut bullets, mut characters) = (Spheres::new(), Capsules::new());
    for _ in 0..BULLETS {
        let center = point(20.0);
        // 900 m/s at 60 frames a second are 15 m.
        let way = scaled(point(1.0), 15.0);
        let radius = 0.005;
        bullets.push_moving(Sphere { center, radius }, way);
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
        turned.push(Obb {
            center,
            half_extents,
            rotation,
        });
    }

    println!("one frame               meet   missed at its end   missed by sweep   stopped");
    let thin = |ball: Sphere| Sphere {
        radius: ball.radius - ROUNDED,
        ..ball
    };
    ask("bullets, AABB walls", &bullets, &straight, thin)?;
    ask("bullets, OBB walls", &bullets, &turned, thin)?;
    let thin = |capsule: Capsule| Capsule {
        radius: capsule.radius - ROUNDED,
        ..capsule
    };
    ask("characters, AABB walls", &characters, &straight, thin)?;
    ask("characters, OBB walls", &characters, &turned, thin)?;
    bounce(&mut bullets, &turned)
}

/// Lets bullets bounce off the walls for a few frames.
fn bounce(bullets: &mut Spheres, walls: &Obbs) -> Result<(), Error> {
    let mut detector = Detector::new();
    let (mut firsts, mut pairs) = (FirstHits::new(), Vec::new());
    let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
    let mut times = Vec::new();
    print!("bullets that bounce in each of five frames:");
    for _ in 0..5 {
        let start = Instant::now();
        detector.first_hits(bullets, walls, &mut firsts)?;
        firsts.pairs(0, &mut pairs);
        detector.sweep_contacts(bullets, walls, &pairs, &mut sweeps, &mut contacts)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let mut bounces = Vec::new();
        for (hit, Contact { normal, .. }) in firsts.iter().zip(&contacts) {
            let i = hit.a;
            // Hits at the start are bullets that were spawned in a wall.
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
            if let Some(ball) = bullets.at(i, 1.0) {
                bullets.set(i, ball)?;
            }
        }
        // From the wall, with the displacement of a whole frame.
        for (i, at_wall, away) in bounces {
            if let Some(ball) = at_wall {
                bullets.set(i, ball)?;
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

/// Tests at the end of the frame, and the whole frame, and counts the misses of each.
fn ask<A: Overlap<B> + Sweep<B>, B: phalanx::Shape>(
    what: &str,
    movers: &Store<A>,
    walls: &Store<B>,
    thin: impl Fn(A) -> A,
) -> Result<(), Error> {
    let (movers_len, walls_len) = (movers.len() as u32, walls.len() as u32);
    let pairs: Vec<Pair> = (0..movers_len)
        .flat_map(|mover| (0..walls_len).map(move |wall| Pair::new(mover, wall)))
        .collect();
    let (mut detector, mut overlaps, mut sweeps) =
        (Detector::new(), Overlaps::new(), Sweeps::new());

    let mut meets = vec![false; pairs.len()];
    for pose in 0..=POSES {
        let time = pose as f32 / POSES as f32;
        let there = |mover| movers.at(mover, time).map(&thin);
        let now: Store<A> = (0..movers_len).filter_map(there).collect();
        detector.overlap(&now, walls, &pairs, &mut overlaps)?;
        overlaps.iter().for_each(|position| meets[position] = true);
    }
    detector.sweep(movers, walls, &pairs, &mut sweeps)?;

    let missed = |is_hit: &dyn Fn(usize) -> bool| {
        let missed = |&position: &usize| meets[position] && !is_hit(position);
        (0..pairs.len()).filter(missed).count()
    };
    // The last pose is the end of the frame.
    let at_end = missed(&|position| overlaps.is_hit(position));
    let by_sweep = missed(&|position| sweeps.is_hit(position));
    let meet = meets.iter().filter(|&&meets| meets).count();
    let stopped = sweeps.first_hits(&pairs)?.len();
    println!("{what:22} {meet:>5} {at_end:>19} {by_sweep:>17} {stopped:>9}");
    assert!(by_sweep == 0 && at_end > 0 && stopped > 0);
    Ok(())
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
