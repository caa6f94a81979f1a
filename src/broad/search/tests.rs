//! Ways, bundles and limits, against exact sums.

use core::array;

use rand::{Rng, RngExt};

use crate::broad::row::Row;
use crate::broad::search::bundle::{Bundle, MEMBERS, join};
use crate::broad::search::by_distance::{ByDistance, FARTHER};
use crate::broad::search::by_point::ByPoint;
use crate::broad::search::by_time::{ByTime, FLOOR};
use crate::broad::search::scope::{Approach, COARSE, Cut, Scope, WAYS};
use crate::broad::search::wanted::First;
use crate::broad::search::way::Way;
use crate::common::{cases_or, rng};
use crate::dyadic::Dyadic;
use crate::lane::{Double, One};
use crate::limits::MAX_LENGTH;
use crate::store::tree::Block;

/// The greatest float that is at most `x`.
fn below(x: &Dyadic) -> f32 {
    let mut found = x.to_f64() as f32;
    while Dyadic::of(found) > *x {
        found = found.next_down();
    }
    while Dyadic::of(found.next_up()) <= *x {
        found = found.next_up();
    }
    found
}

fn product(x: impl Into<f64>, y: impl Into<f64>) -> Dyadic {
    &Dyadic::of(x) * &Dyadic::of(y)
}

/// A box on the move: its ends at the start.
struct Mover {
    ends: [[Dyadic; 2]; 3],
    displacement: [f32; 3],
}

impl Mover {
    /// The box with these bounds at the start.
    fn of(row: &Row, displacement: [f32; 3]) -> Self {
        let ends = [0, 1, 2].map(|k| [Dyadic::of(row[k]), -&Dyadic::of(row[4 + k])]);
        Mover { ends, displacement }
    }

    /// The interval of an axis at a time, grown by a reach.
    fn interval(&self, k: usize, time: f64, reach: &Dyadic) -> [Dyadic; 2] {
        let way = product(self.displacement[k], time);
        let [low, high] = &self.ends[k];
        [&(low + &way) - reach, &(high + &way) + reach]
    }

    /// A box that this one touches at a time: on one axis hardly before, on the others hardly after.
    fn touched(&self, rng: &mut impl Rng, time: f64, reach: &Dyadic, size: f32) -> [[f32; 2]; 3] {
        let first = rng.random_range(0..3);
        [0, 1, 2].map(|k| {
            let [low, high] = self.interval(k, time, reach);
            let (low, high) = (-below(&-&low), below(&high));
            let size = size * rng.random_range(0.5..1.0f32);
            // Far out floats are coarse.
            if (k == first) == (self.displacement[k] < 0.0) {
                [(low - size).min(high), low]
            } else {
                [high, (high + size).max(low)]
            }
        })
    }
}

/// A block of equal boxes.
fn block([x, y, z]: [[f32; 2]; 3]) -> Block {
    [x[0], y[0], z[0], -x[1], -y[1], -z[1]].map(|side| [side; 8])
}

/// Bounds of a size whose way is about the origin, where floats are finest.
fn random_row(rng: &mut impl Rng, displacement: [f32; 3], size: f32) -> Row {
    let mut row = [0.0; 8];
    for k in 0..3 {
        let low = -displacement[k] * rng.random_range(0.3..0.7f32);
        (row[k], row[4 + k]) = (low, -(low + size * rng.random_range(0.5..1.0f32)));
    }
    row
}

/// A displacement, on one axis perhaps short or subnormal.
fn random_displacement(rng: &mut impl Rng, most: f32) -> [f32; 3] {
    let mut by = [(); 3].map(|()| most * rng.random_range(0.2..1.0f32));
    by[rng.random_range(0..3)] *=
        [1.0, 1e-3, 0.0, 2f32.powi(-20), 2f32.powi(-135)][rng.random_range(0..5)];
    by.map(|x| if rng.random_bool(0.5) { -x } else { x })
}

#[test]
fn whole_way_reaches_the_boxes_that_its_shape_touches() {
    let mut rng = rng("whole ways");
    for _ in 0..100_000 {
        let displacement = random_displacement(&mut rng, 1.0);
        let size = [0.0, 2f32.powi(-137), 1e-3, 1.0][rng.random_range(0..4)];
        // Bounds during the frame; those at the start are exact differences.
        let mut row = random_row(&mut rng, displacement, size);
        for k in 0..3 {
            row[k] += displacement[k].min(0.0);
            row[4 + k] -= displacement[k].max(0.0);
        }
        let mut mover = Mover::of(&row, displacement);
        for (ends, by) in mover.ends.iter_mut().zip(displacement) {
            ends[0] = &ends[0] - &Dyadic::of(by.min(0.0));
            ends[1] = &ends[1] - &Dyadic::of(by.max(0.0));
        }
        let threshold = [0.0, 0.1][rng.random_range(0..2)];
        let time = rng.random_range(0.0..1.0f32);
        let reach = Dyadic::of(threshold);
        let target = mover.touched(&mut rng, f64::from(time), &reach, 1.0);
        let way = Way::whole(&row, displacement, threshold);
        let limit = ByTime::limit(time, &way);
        let (met, near) = ByTime::test(One, &way, &block(target), 0, limit);
        assert!(
            met,
            "{near} after {time}: {row:?} by {displacement:?} at {target:?}"
        );
    }
}

/// Ways of shapes with these bounds, cut to a target.
struct CutWay {
    row: Row,
    displacement: [f32; 3],
    threshold: f32,
    /// As in [`Cut`].
    coarse: (f32, f32),
}

impl CutWay {
    /// Largest distance of a hit from the bounds at the time at which it is found.
    fn reach(&self) -> Dyadic {
        let way: Dyadic = self.displacement.iter().map(|x| Dyadic::of(x.abs())).sum();
        let size: Dyadic = [0, 1, 2, 4, 5, 6]
            .iter()
            .map(|k| -&Dyadic::of(self.row[*k]))
            .sum();
        let band = if self.coarse.1 == f32::INFINITY {
            way.clone()
        } else {
            let half = &size * &product(self.coarse.0, 0.5);
            way.clone().min(&half + &Dyadic::of(self.coarse.1))
        };
        let (in_f32, in_f64) = (2025.0 * 2f64.powi(-24), 2f64.powi(-41));
        [
            Dyadic::of(self.threshold),
            &band * &Dyadic::of(in_f32),
            &way * &Dyadic::of(in_f64),
        ]
        .into_iter()
        .sum()
    }

    /// Whether the way reaches a target at a time that is rounded, if all targets are within some bounds.
    fn reaches(&self, target: [[f32; 2]; 3], around: [[f32; 2]; 3], time: f64) -> bool {
        let cut = Cut {
            around: block(around).map(|side| side[0]),
            coarse: self.coarse,
        };
        let shapes = [(&self.row, self.displacement); WAYS];
        let mut ways = [None; WAYS];
        Way::cut(Double, &shapes, self.threshold, &cut, &mut ways);
        let Some(way) = ways[0] else {
            return false;
        };
        let limit = ByTime::limit(time as f32, &way);
        ByTime::test(One, &way, &block(target), 0, limit).0
    }
}

#[test]
fn cut_way_reaches_the_boxes_that_its_shape_touches() {
    let mut rng = rng("cut ways");
    for _ in 0..100_000 {
        let longest = [2f32.powi(-126), 1.0, 1e3, 1e9][rng.random_range(0..4)];
        let displacement = random_displacement(&mut rng, longest);
        let size = [0.0, 2f32.powi(-137), 1e-3, 1.0][rng.random_range(0..4)];
        let target_size = [0.0, 1e-3, 1.0][rng.random_range(0..3)];
        let way = CutWay {
            row: random_row(&mut rng, displacement, size),
            displacement,
            threshold: [0.0, 0.1][rng.random_range(0..2)],
            coarse: [(0.0, f32::INFINITY), (COARSE, COARSE * 3.0 * target_size)]
                [rng.random_range(0..2)],
        };
        let time = rng.random_range(0.0..1.0f64);
        let mover = Mover::of(&way.row, displacement);
        let target = mover.touched(&mut rng, time, &way.reach(), target_size);
        let more = [0.0, 1.0][rng.random_range(0..2)];
        let around = target.map(|[from, to]| [from - more, to + more]);
        assert!(
            way.reaches(target, around, time),
            "{:?} by {displacement:?} at {time}: {target:?}",
            way.row
        );
    }
}

#[test]
fn short_way_far_out_reaches_the_points_that_it_touches() {
    let mut rng = rng("short ways far out");
    let mut tried = 0;
    for _ in 0..1_000_000 {
        // A point far out passes another one: on one axis it arrives hardly before it leaves on another.
        let [x, y] = [(); 2].map(|()| rng.random_range(1.0..1.9f32));
        let step = 2f32.powi(-23);
        let threshold = rng.random_range(0.5..1.0) * 2f32.powi(-32);
        let (steps, time) = (
            [(); 2].map(|()| rng.random_range(1..8u8)),
            rng.random_range(0.2..0.8),
        );
        let length = f32::from(steps[0]) * step / time;
        let target = [
            [x + f32::from(steps[0]) * step; 2],
            [y + f32::from(steps[1]) * step; 2],
            [0.0; 2],
        ];
        let gaps = |length: f32, other: f32| {
            let way = CutWay {
                row: [x, y, 0.0, 0.0, -x, -y, -0.0, 0.0],
                displacement: [length, other, 0.0],
                threshold,
                coarse: (COARSE, 0.0),
            };
            let reach = way.reach();
            let enter = &Dyadic::of(f32::from(steps[0]) * step) - &reach;
            let exit = &Dyadic::of(f32::from(steps[1]) * step) + &reach;
            (way, enter, exit)
        };
        let (_, enter, exit) = gaps(length, length);
        let other = (exit.to_f64() / (enter.to_f64() / f64::from(length))) as f32;
        let (way, enter, exit) = gaps(length, other);
        // enter / length ≤ exit / other
        if &enter * &Dyadic::of(other) > &exit * &Dyadic::of(length) {
            continue;
        }
        tried += 1;
        let time = (exit.to_f64() / f64::from(other)).min(1.0);
        assert!(
            way.reaches(target, target, time),
            "{:?} by {:?}",
            way.row,
            way.displacement
        );
    }
    assert!(tried > 10_000);
}

#[test]
fn shapes_that_may_be_nearest_are_not_skipped() {
    let mut rng = rng("nearest shapes");
    const U: f64 = 1.0 / (1u64 << 24) as f64;
    let (mut nearest, mut skipped) = (f64::INFINITY, 0);
    for _ in 0..200_000 {
        let sizes = [(); 2].map(|()| 10f64.powf(rng.random_range(-3.0..3.0)));
        let gap = sizes[0].max(sizes[1]) * 10f64.powf(rng.random_range(-5.0..3.0));
        // Boxes with a gap on some axes, their bounds, and the sums of their half extents.
        let (mut rows, mut sums, mut squared) = ([[0.0f32; 8]; 2], [0.0; 2], 0.0);
        let mut boxes = [[[0.0; 2]; 3]; 2];
        let [first, second] = &mut boxes;
        for (ends, other) in first.iter_mut().zip(second) {
            let [a, b] = sizes.map(|size| size * rng.random_range(0.0..1.0f64));
            let is_apart = rng.random_bool(0.5);
            let gap = if is_apart {
                gap
            } else {
                -a * rng.random_range(0.0..1.0f64)
            };
            (*ends, *other) = ([-a - gap, -gap], [0.0, b]);
            squared += gap.max(0.0) * gap.max(0.0);
            (sums[0], sums[1]) = (sums[0] + 0.5 * a, sums[1] + 0.5 * b);
        }
        for (row, (ends, sum)) in rows.iter_mut().zip(boxes.iter().zip(sums)) {
            let by = 2030.0 * U * sum + 2f64.powi(-57);
            for (k, [low, high]) in ends.iter().enumerate() {
                row[k] = below(&Dyadic::of(low - by));
                row[4 + k] = below(&Dyadic::of(-(high + by)));
            }
        }
        // The least lower bound that a kernel finds, as proved in the header.
        let part = 1.0 - 2f64.powi(-16) - 1110.0 * U;
        let lower = squared.sqrt() * part - 2390.0 * U * (sums[0] + sums[1]) - 2f64.powi(-57);
        let best = lower.max(0.0) as f32;
        let mut ways = [None; WAYS];
        let shapes = [(&rows[0], [0.0; 3]); WAYS];
        ByDistance::make_ways(One, &shapes, &Scope::whole(0.0), &mut ways);
        let way = ways[0].expect("a way");
        let sides = [0, 1, 2, 4, 5, 6].map(|k| [rows[1][k]; 8]);
        let (met, found) = ByDistance::test(One, &way, &sides, 0, ByDistance::limit(best, &way));
        assert!(met, "{found} above {best}: {rows:?}");
        if best > 0.0 {
            nearest = nearest.min(f64::from(best) / f64::from(found).sqrt());
            let limit = ByDistance::limit(best * 0.99, &way);
            skipped += usize::from(!ByDistance::test(One, &way, &sides, 0, limit).0);
        }
    }
    assert!(nearest < 1.0 && skipped > 10_000, "{nearest}, {skipped}");
}

#[test]
fn limit_that_boxes_imply_is_above_their_farthest_points() {
    let mut rng = rng("farthest points");
    let (mut unknown, mut widest) = (0, 0.0f64);
    for _ in 0..50_000 {
        let size = 10f32.powf(rng.random_range(-17.0..17.0));
        let mut row = || -> Row {
            let mut row = [0.0; 8];
            for k in 0..3 {
                let (center, half) = (rng.random_range(-1.0..1.0), rng.random_range(0.0..1.0));
                row[k] = size * (center - half);
                row[4 + k] = -(size * (center + half));
                if rng.random_bool(0.01) {
                    row[k + 4 * rng.random_range(0..2)] = -MAX_LENGTH;
                }
            }
            row
        };
        let (own, rows) = (row(), [(); 8].map(|()| row()));
        let mut ways = [None; WAYS];
        let shapes = [(&own, [0.0; 3]); WAYS];
        ByDistance::make_ways(One, &shapes, &Scope::whole(0.0), &mut ways);
        let way = ways[0].expect("a way");
        let block: Block = [0, 1, 2, 4, 5, 6].map(|k| rows.map(|row| row[k]));
        let which: u32 = rng.random_range(0..256);
        let is_known = |row: &Row| row.iter().all(|side| *side > -MAX_LENGTH);
        let farthest = |row: &Row| {
            let apart = [0, 1, 2].map(|k| {
                let [low, high] = [row[k], -row[4 + k]].map(f64::from);
                let [own_low, own_high] = [own[k], -own[4 + k]].map(f64::from);
                (high - own_low).max(own_high - low).powi(2)
            });
            apart[0] + apart[1] + apart[2]
        };
        let counted = (0..8).filter(|lane| which >> lane & 1 == 1 && is_known(&rows[*lane]));
        let least = counted
            .map(|lane| farthest(&rows[lane]))
            .fold(f64::INFINITY, f64::min);
        let keys = array::from_fn(|lane| [f32::INFINITY, 0.0][which as usize >> lane & 1]);
        let limit = f64::from(ByDistance::implied_limit(One, &way, &block, &keys));
        if !is_known(&own) || least.is_infinite() {
            assert_eq!(limit, f64::INFINITY);
            unknown += 1;
            continue;
        }
        // The upper bound of the distance, its floor, and the rule by which nodes are skipped.
        let upper = least.sqrt() * (1.0 + 1.0 / 1024.0) + 2f64.powi(-56);
        assert!(
            limit >= upper * upper * (1.0 + 1.0 / 512.0),
            "{limit} {least}"
        );
        if size > 1e-9 {
            widest = widest.max(limit / least);
        }
    }
    assert!(unknown > 1000 && widest < 1.01, "{unknown} {widest}");
}

#[test]
fn points_that_may_be_nearest_are_not_skipped() {
    let mut rng = rng("points not skipped");
    let mut widest = 0.0f64;
    for _ in 0..cases_or(50_000) {
        let size = 10f32.powf(rng.random_range(-22.0..17.0));
        let far = if rng.random_bool(0.5) { 0.0 } else { size };
        let mut point = || [(); 3].map(|()| size * rng.random_range(-1.0..1.0f32) + far);
        let (a, mut b) = (point(), [(); 8].map(|()| point()));
        if rng.random_bool(0.1) {
            b[3] = a;
        }
        let row = [a[0], a[1], a[2], 0.0, -a[0], -a[1], -a[2], 0.0];
        let mut ways = [None; WAYS];
        ByPoint::make_ways(
            One,
            &[(&row, [0.0; 3]); WAYS],
            &Scope::whole(0.0),
            &mut ways,
        );
        let way = ways[0].expect("a way");
        let sides = [0, 1, 2].map(|k| b.map(|b| b[k]));
        let [x, y, z] = &sides;
        let [own_x, own_y, own_z] = &a.map(|x| [x; 8]);
        let [lower, upper] = ByPoint::distances(One, [own_x, own_y, own_z], [x, y, z]);
        let leaf = array::from_fn(|side| sides[side % 3].map(|x| if side < 3 { x } else { -x }));
        // A box around all points.
        let least = |k: usize| leaf[k].iter().copied().fold(f32::INFINITY, f32::min);
        let node: Block = array::from_fn(|k| [least(k); 8]);
        let mut keys = [0.0; 8];
        for lane in 0..8 {
            let limit = ByPoint::limit(lower[lane], &way);
            let (met, key) = ByPoint::test_leaf(One, &way, &leaf, lane, limit);
            assert!(met, "{key} {limit}");
            keys[lane] = key;
            let (met, nearer) = ByPoint::test(One, &way, &node, lane, limit);
            assert!(met && nearer <= key, "{nearer} {key} {limit}");
            assert!(key >= 0.0 && key.is_sign_positive());
        }
        let implied = ByPoint::implied_limit(One, &way, &leaf, &keys);
        let least = upper.into_iter().fold(f32::INFINITY, f32::min);
        assert!(implied >= ByPoint::limit(least, &way), "{implied} {least}");
        if size > 1e-9 && least > 1e-4 * size {
            widest = widest.max(f64::from(implied) / f64::from(least).powi(2));
        }
    }
    assert!(widest < 1.01, "{widest}");
}

/// Ways from about one place in about one direction; those of some bundles begin at different times.
fn bundled_ways(rng: &mut impl Rng) -> [Option<Way>; MEMBERS] {
    let back: [bool; 3] = array::from_fn(|_| rng.random());
    let length = 10f32.powf(rng.random_range(-3.0..3.0));
    let main: [f32; 3] = array::from_fn(|_| length * rng.random_range(0.0..1.0f32));
    let place: [f32; 3] = array::from_fn(|_| length * rng.random_range(-2.0..2.0f32));
    let spread = length * 10f32.powf(rng.random_range(-6.0..-1.3));
    let late = [0.0, 0.01][rng.random_range(0..2)];
    let later = 1.0 + 1.0 / f64::from(1 << 20);
    array::from_fn(|_| {
        let mut way = Way::NONE;
        for k in 0..3 {
            way.set_sides(k, back[k]);
            let start = place[k] + spread * rng.random_range(-0.5..0.5f32);
            let radius = spread * rng.random_range(0.0..0.1f32);
            (way.lead[k], way.tail[k]) = (start + radius, start - radius);
            way.set_length(
                k,
                (main[k] + spread * rng.random_range(-0.5..0.5f32)).max(0.0),
            );
        }
        (way.from, way.later) = (late * rng.random_range(0.0..1.0), later);
        rng.random_bool(0.95).then_some(way)
    })
}

/// A block whose AABBs some ways reach, many of them hardly.
fn block_on(rng: &mut impl Rng, ways: &[Option<Way>; MEMBERS]) -> Block {
    let boxes: [[f32; 6]; 8] = array::from_fn(|_| {
        let at = ways[rng.random_range(0..MEMBERS)].unwrap_or(Way::NONE);
        let time = rng.random_range(0.0..1.0f32);
        let length = at.before.iter().map(|x| 1.0 / x).fold(1.0, f32::max);
        let size = length * 10f32.powf(rng.random_range(-3.0..0.0));
        let enters = rng.random_range(0..3);
        let mut sides = [0.0; 6];
        for k in 0..3 {
            let way = time / at.before[k];
            // It is left at this time on two axes, and entered on the third.
            let (near, far) = if k == enters {
                (at.lead[k] + way, at.lead[k] + way + size)
            } else {
                (at.tail[k] + way - size, at.tail[k] + way)
            };
            (sides[at.near[k]], sides[at.far[k]]) = (near, -far);
        }
        sides
    });
    array::from_fn(|side| boxes.map(|sides| sides[side]))
}

#[test]
fn bundle_reaches_what_a_member_reaches_and_not_later() {
    let (mut rng, mut bundle) = (rng("bundles"), Bundle::default());
    let (mut joined, mut reached, mut first) = (0, 0, 0);
    let cases = cases_or(20_000);
    for _ in 0..cases {
        let ways = bundled_ways(&mut rng);
        let Some(way) = join(&ways) else {
            continue;
        };
        joined += 1;
        let shapes: [u32; MEMBERS] = array::from_fn(|_| rng.random());
        let firsts: [First; MEMBERS] =
            array::from_fn(|_| First::earlier(rng.random_range(-0.05..1.0f32).max(0.0)));
        bundle.set(&ways, &shapes);
        let limit = bundle.limit(&way, firsts.iter().map(First::open_until));
        assert_eq!(bundle.shapes, shapes);
        let block = block_on(&mut rng, &ways);
        for lane in 0..8 {
            let members = bundle.reach(One, &way, &block, lane);
            let (met, near) = ByTime::test(One, &way, &block, lane, limit);
            for (k, member) in ways.iter().enumerate() {
                let Some(member) = member else {
                    assert_eq!(members >> k & 1, 0);
                    continue;
                };
                let own = ByTime::limit(firsts[k].enter, member);
                let (is_met, time) = ByTime::test(One, member, &block, lane, own);
                // A member with a final result reaches nothing more.
                let is_met = is_met && !firsts[k].is_final();
                assert_eq!(members >> k & 1 == 1, is_met, "{member:?} {block:?}");
                // A node that the member visits is neither skipped nor dropped.
                if is_met {
                    assert!(met && near <= time && near <= limit, "{way:?} {member:?}");
                    reached += 1;
                    first += usize::from(near < time);
                }
            }
        }
    }
    assert!(
        joined > cases / 2 && first > cases / 2 && reached > first,
        "{joined} {reached} {first}"
    );
}

#[test]
fn ways_that_part_are_not_joined() {
    let mut rng = rng("ways that part");
    let ways = loop {
        let ways = bundled_ways(&mut rng);
        if join(&ways).is_some() {
            break ways;
        }
    };
    let change = |by: &dyn Fn(&mut Way)| {
        let mut ways = ways;
        by(ways[5].get_or_insert(Way::NONE));
        join(&ways).is_some()
    };
    let length = ways
        .iter()
        .flatten()
        .map(|way| 1.0 / way.before[0])
        .fold(0.0, f32::max);
    let is_back = ways.iter().flatten().any(|way| way.near[0] == 3);
    assert!(!change(&|way| way.set_sides(0, !is_back)));
    assert!(!change(&|way| way.lead[0] += 9.0 * length));
    assert!(!change(&|way| way.lead[0] = f32::MAX));
    let mut short = ways;
    let ways_in_tree = short.iter_mut().flatten();
    ways_in_tree.for_each(|way| way.to = way.from + 1e-9);
    assert!(join(&short).is_none());
    let mut few = ways;
    few[7..].fill(None);
    assert!(join(&few).is_none());
}
