//! Where pairs come from: a broadphase that anyone can have, parry3d's tree of bounding boxes.

use parry3d::bounding_volume::Aabb;
use phalanx::{Aabbs, Detector, Error, Overlaps, Pair};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

// The README shows this.
use parry3d::partitioning::{Bvh, BvhWorkspace};

/// Pairs of boxes that overlap, for any detector call over the shapes inside of them.
fn candidates(tree: &mut Bvh, work: &mut BvhWorkspace, bounds: &[Aabb], pairs: &mut Vec<Pair>) {
    for (i, aabb) in bounds.iter().enumerate() {
        tree.insert_or_update_partially(*aabb, i as u32, 0.0);
    }
    tree.refit(work);
    pairs.clear();
    tree.traverse_bvtt_single_tree::<false>(work, &mut |a, b| pairs.push(Pair { a, b }));
}
// So far.

/// The README quotes this file.
#[test]
fn the_readme_has_these_lines() {
    let (readme, this) = (include_str!("../../../README.md"), include_str!("pairs.rs"));
    let (_, rest) = this.split_once("// The README shows this.\n").unwrap();
    let (lines, _) = rest.split_once("// So far.\n").unwrap();
    let quoted = format!("```rust,ignore\n{lines}```\n");
    assert!(
        readme.contains(&quoted),
        "the README should have:\n{quoted}"
    );
}

/// Boxes that move: a tree and a list are kept from frame to frame.
#[test]
fn a_tree_of_bounds_finds_all_pairs() -> Result<(), Error> {
    let mut random = StdRng::seed_from_u64(2026);
    let mut bounds: Vec<Aabb> = (0..2000)
        .map(|_| {
            let low = [(); 3].map(|()| random.random_range(-10.0..10.0f32));
            let high = low.map(|low| low + random.random_range(0.1..1.5));
            Aabb::new(low.into(), high.into())
        })
        .collect();
    let (mut tree, mut work, mut pairs) = (Bvh::new(), BvhWorkspace::default(), Vec::new());
    let (mut detector, mut overlaps) = (Detector::new(), Overlaps::new());
    for _frame in 0..4 {
        candidates(&mut tree, &mut work, &bounds, &mut pairs);
        let boxes = bounds.iter().map(|aabb| phalanx::Aabb {
            min: aabb.mins.into(),
            max: aabb.maxs.into(),
        });
        let boxes = Aabbs::from_slice(&boxes.collect::<Vec<_>>());
        detector.overlap(&boxes, &boxes, &pairs, &mut overlaps)?;

        let mut found: Vec<Pair> = overlaps.iter().map(|position| pairs[position]).collect();
        for pair in &mut found {
            *pair = Pair::new(pair.a.min(pair.b), pair.a.max(pair.b));
        }
        found.sort();
        assert_eq!(found, by_brute_force(&bounds));
        assert!(found.len() > 500, "{} pairs", found.len());

        for aabb in &mut bounds {
            let way = [(); 3].map(|()| random.random_range(-0.5..0.5f32));
            *aabb = aabb.translated(way.into());
        }
    }
    Ok(())
}

fn by_brute_force(bounds: &[Aabb]) -> Vec<Pair> {
    let touch =
        |a: &Aabb, b: &Aabb| (0..3).all(|k| a.mins[k] <= b.maxs[k] && b.mins[k] <= a.maxs[k]);
    let mut pairs = Vec::new();
    for (a, first) in bounds.iter().enumerate() {
        for (b, second) in bounds.iter().enumerate().skip(a + 1) {
            if touch(first, second) {
                pairs.push(Pair::new(a as u32, b as u32));
            }
        }
    }
    pairs
}
