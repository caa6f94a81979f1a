//! Every answer of the scenes against plain loops over all pairs, in `f64`.

use glam::{DMat3, DQuat, DVec3};
use phalanx::{Hull, Mesh, Obb, Obbs};
use phalanx_web::scenes::{
    Asteroids, Bullets, Ferry, Level, Lidar, NAMES, Rocks, Scene, Tumbling, TwoBoxes, make,
};
use phalanx_web::trials::{TRIALS, Trial};

/// Nothing in a trial is as near to contact as this, so that a plain loop and the library must agree.
const NEAR: f64 = 2e-5;
/// By how much bounds may be wider than boxes are: some ulps of places 60 m from the origin.
const WIDER: f64 = 1e-4;
/// By how much the bounds of two rocks may be wider: a share of their size.
const ROCKS_WIDER: f64 = 2e-3;

/// A box in `f64`: center, axes and half extents.
#[derive(Clone, Copy)]
struct Plain {
    center: DVec3,
    axes: DMat3,
    half: DVec3,
}

fn plain(it: Obb) -> Plain {
    let [x, y, z, w] = it.rotation.map(f64::from);
    Plain {
        center: it.center.map(f64::from).into(),
        axes: DMat3::from_quat(DQuat::from_xyzw(x, y, z, w).normalize()),
        half: it.half_extents.map(f64::from).into(),
    }
}

fn all(boxes: &Obbs) -> Vec<Plain> {
    (0..boxes.len() as u32)
        .map(|k| plain(boxes.get(k).unwrap()))
        .collect()
}

/// The widest gap along the 15 axes of two boxes; negative if there is none.
fn gap(a: Plain, b: Plain) -> f64 {
    let between = b.center - a.center;
    let sides = |it: Plain| [it.axes.x_axis, it.axes.y_axis, it.axes.z_axis];
    let crossed = sides(a)
        .into_iter()
        .flat_map(|x| sides(b).map(|y| x.cross(y)));
    let axes = sides(a).into_iter().chain(sides(b)).chain(crossed);
    let long_enough = axes
        .filter(|axis| axis.length() > 1e-9)
        .map(DVec3::normalize);
    let reach = |it: Plain, axis: DVec3| it.half.dot((it.axes.transpose() * axis).abs());
    long_enough
        .map(|axis| between.dot(axis).abs() - reach(a, axis) - reach(b, axis))
        .fold(f64::NEG_INFINITY, f64::max)
}

/// The distance of a point from a box.
fn distance(it: Plain, point: DVec3) -> f64 {
    let local = it.axes.transpose() * (point - it.center);
    (local - local.clamp(-it.half, it.half)).length()
}

fn bounds_gap(a: Plain, b: Plain) -> f64 {
    let reach = |it: Plain| {
        DMat3::from_cols(
            it.axes.x_axis.abs(),
            it.axes.y_axis.abs(),
            it.axes.z_axis.abs(),
        ) * it.half
    };
    ((b.center - a.center).abs() - reach(a) - reach(b)).max_element()
}

/// Demands that a gap says clearly whether shapes touch.
fn touches(gap: f64) -> bool {
    assert!(
        gap.abs() > NEAR,
        "a gap of {gap} is too near to be judged: another seed"
    );
    gap < 0.0
}

fn trial(name: &str) -> Trial {
    let found = TRIALS
        .into_iter()
        .find(|trial| NAMES[trial.scene as usize] == name);
    found.unwrap()
}

#[test]
fn asteroids_that_touch_are_those_of_a_plain_loop() {
    let trial = trial("asteroids");
    let mut scene = Asteroids::new(trial.seed, trial.len);
    let (mut hits, mut pairs) = (0, 0);
    for frame in 1..=trial.frames {
        scene.frame().unwrap();
        if frame % 10 != 0 {
            continue;
        }
        let boxes = all(scene.boxes());
        let mut touched = vec![false; boxes.len()];
        (hits, pairs) = (0, 0);
        let mut perhaps = 0;
        for (i, a) in boxes.iter().enumerate() {
            for (j, b) in boxes.iter().enumerate().skip(i + 1) {
                let apart = bounds_gap(*a, *b);
                pairs += usize::from(apart < 0.0);
                perhaps += usize::from((0.0..WIDER).contains(&apart));
                if touches(gap(*a, *b)) {
                    hits += 1;
                    (touched[i], touched[j]) = (true, true);
                }
            }
        }
        let touched = touched.iter().filter(|touched| **touched).count();
        let counters = scene.counters();
        assert_eq!(counters.hits, hits, "frame {frame}");
        let range = pairs..=pairs + perhaps;
        assert!(
            range.contains(&counters.pairs),
            "frame {frame}: {} pairs, not {range:?}",
            counters.pairs
        );
        assert_eq!((counters.own[0], counters.invalid), (touched as f64, 0));
    }
    assert!(hits > 50 && pairs > hits, "{hits} of {pairs}");
}

/// A convex polyhedron in `f64`: points, normals of its faces, and directions of its edges.
#[derive(Clone)]
struct Polyhedron {
    points: Vec<DVec3>,
    normals: Vec<DVec3>,
    edges: Vec<DVec3>,
}

impl Polyhedron {
    /// The convex hull of points, by brute force: a triple is a face if all other points are on one side of its plane.
    fn of(points: Vec<DVec3>) -> Self {
        let (mut normals, mut edges) = (Vec::new(), Vec::new());
        for (i, a) in points.iter().enumerate() {
            for (j, b) in points.iter().enumerate().skip(i + 1) {
                let mut is_edge = false;
                for c in points.iter().skip(j + 1) {
                    let normal = (b - a).cross(c - a).normalize();
                    let sides = points.iter().map(|point| normal.dot(point - a));
                    let (low, high) = sides.fold((0.0f64, 0.0f64), |(low, high), side| {
                        (low.min(side), high.max(side))
                    });
                    if low > -1e-9 || high < 1e-9 {
                        normals.push(if low > -1e-9 { -normal } else { normal });
                        is_edge = true;
                        edges.extend([c - a, c - b]);
                    }
                }
                if is_edge {
                    edges.push(b - a);
                }
            }
        }
        Polyhedron {
            points,
            normals,
            edges,
        }
    }

    fn placed(&self, hull: Hull) -> Self {
        let [x, y, z, w] = hull.rotation.map(f64::from);
        let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
        let center = DVec3::from(hull.center.map(f64::from));
        let turned = |all: &[DVec3]| all.iter().map(|v| rotation * *v).collect::<Vec<_>>();
        let mut points = turned(&self.points);
        points.iter_mut().for_each(|point| *point += center);
        Polyhedron {
            points,
            normals: turned(&self.normals),
            edges: turned(&self.edges),
        }
    }

    /// The range of its points along an axis.
    fn range(&self, axis: DVec3) -> [f64; 2] {
        let along = self.points.iter().map(|point| point.dot(axis));
        along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
            [low.min(x), high.max(x)]
        })
    }
}

/// The widest gap of two polyhedra along all normals of faces and all products of edges; negative if there is none.
fn gap_of_polyhedra(a: &Polyhedron, b: &Polyhedron) -> f64 {
    let along = |axis: DVec3| {
        let ([a_low, a_high], [b_low, b_high]) = (a.range(axis), b.range(axis));
        (a_low - b_high).max(b_low - a_high)
    };
    let faces = a.normals.iter().chain(&b.normals);
    let widest = faces
        .map(|axis| along(*axis))
        .fold(f64::NEG_INFINITY, f64::max);
    if widest > NEAR {
        return widest;
    }
    let crossed = a
        .edges
        .iter()
        .flat_map(|x| b.edges.iter().map(|y| x.cross(*y)));
    let axes = crossed.filter(|axis| axis.length() > 1e-9);
    axes.map(|axis| along(axis.normalize()))
        .fold(widest, f64::max)
}

#[test]
fn rocks_that_touch_are_those_of_a_plain_loop() {
    let trial = trial("rocks");
    let mut scene = Rocks::new(trial.seed, trial.len).unwrap();
    let kinds = scene.rocks().kinds();
    let shapes: Vec<Polyhedron> = (0..kinds.len() as u32)
        .map(|kind| {
            let points = kinds.points(kind).unwrap();
            Polyhedron::of(points.map(|point| point.map(f64::from).into()).collect())
        })
        .collect();
    for shape in &shapes {
        // Euler's formula: v vertices have 2 v - 4 triangles. Points inside are no vertices.
        let (points, faces) = (shape.points.len(), shape.normals.len());
        assert!((16..=32).contains(&points) && (20..=2 * points - 4).contains(&faces));
    }
    let (mut hits, mut boxes_hit, mut pairs) = (0, 0, 0);
    for frame in 1..=trial.frames {
        scene.frame().unwrap();
        if frame % 10 != 0 {
            continue;
        }
        let mut deepest = 0.0f64;
        let rocks = scene.rocks();
        let placed: Vec<Polyhedron> = rocks
            .iter()
            .map(|rock| shapes[rock.kind as usize].placed(rock))
            .collect();
        let boxes: Vec<Plain> = (0..rocks.len() as u32)
            .map(|k| plain(rocks.boxes().get(k).unwrap()))
            .collect();
        let mut touched = vec![false; placed.len()];
        let mut perhaps = 0;
        (hits, boxes_hit, pairs) = (0, 0, 0);
        for (i, a) in boxes.iter().enumerate() {
            for (j, b) in boxes.iter().enumerate().skip(i + 1) {
                let apart = bounds_gap(*a, *b);
                if apart > ROCKS_WIDER {
                    continue;
                }
                pairs += usize::from(apart < 0.0);
                perhaps += usize::from((0.0..ROCKS_WIDER).contains(&apart));
                boxes_hit += usize::from(touches(gap(*a, *b)));
                let gap = gap_of_polyhedra(&placed[i], &placed[j]);
                if touches(gap) {
                    hits += 1;
                    deepest = deepest.max(-gap);
                    (touched[i], touched[j]) = (true, true);
                }
            }
        }
        let touched = touched.iter().filter(|touched| **touched).count();
        let counters = scene.counters();
        assert_eq!(counters.hits, hits, "frame {frame}");
        let counted = [counters.own[0], counters.own[2]].map(|x| x as usize);
        assert_eq!(counted, [touched, boxes_hit], "frame {frame}");
        let [points, depth] = [counters.own[3], counters.own[4]];
        assert!(
            (hits..=4 * hits).contains(&(points as usize)),
            "frame {frame}: {points} points of {hits} pairs"
        );
        assert!(
            (depth - deepest).abs() < NEAR,
            "frame {frame}: {depth} deep, not {deepest}"
        );
        let range = pairs..=pairs + perhaps;
        assert!(
            range.contains(&counters.pairs),
            "frame {frame}: {} pairs, not {range:?}",
            counters.pairs
        );
        assert_eq!(counters.invalid, 0);
    }
    assert!(
        hits > 50 && boxes_hit > hits && pairs > boxes_hit,
        "{hits} of {boxes_hit} of {pairs}"
    );
}

#[test]
fn rocks_are_drawn_as_hulls_of_their_kind() {
    let scene = make(6, 1_003, 7).unwrap();
    let rocks = Rocks::new(7, 1_003).unwrap();
    let rocks = rocks.rocks();
    let (drawn, points) = (scene.instances(), scene.points());
    assert_eq!((drawn.len(), points.len()), (rocks.kinds().len(), 16));
    let mut next = 0;
    for (kind, (instances, points)) in (0..).zip(drawn.iter().zip(points)) {
        let expected: Vec<f32> = rocks.kinds().points(kind).unwrap().flatten().collect();
        assert_eq!(*points, expected);
        let [x, y, z, ..] = instances.0;
        for (k, x) in x.iter().enumerate() {
            let rock = rocks.get(next).unwrap();
            assert_eq!((rock.kind, rock.center), (kind, [*x, y[k], z[k]]));
            next += 1;
        }
    }
    assert_eq!(next as usize, rocks.len());
}

/// The least distance of a box from a point on its way: of something convex, so halving finds it.
fn least_distance(it: Plain, from: DVec3, way: DVec3) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..100 {
        let [a, b] = [1.0 / 3.0, 2.0 / 3.0].map(|share| low + (high - low) * share);
        if distance(it, from + way * a) < distance(it, from + way * b) {
            high = b;
        } else {
            low = a;
        }
    }
    distance(it, from + way * low)
}

#[test]
fn bullets_that_are_swept_are_those_of_a_plain_loop_and_none_tunnels() {
    let trial = trial("bullets");
    let mut scene = Bullets::new(trial.seed, trial.len);
    let mut hits = 0;
    for frame in 0..trial.frames {
        scene.advance();
        scene.candidates().unwrap();
        scene.test().unwrap();
        let (balls, walls) = scene.swept();
        let walls = all(walls);
        let mut expected = 0;
        for k in (0..balls.len() as u32).filter(|k| scene.flies(*k)) {
            let (ball, way) = (balls.get(k).unwrap(), balls.displacement(k).unwrap());
            let (from, way) = (ball.center.map(f64::from).into(), way.map(f64::from).into());
            let radius = f64::from(ball.radius);
            let met = |wall: &&Plain| touches(least_distance(**wall, from, way) - radius);
            expected += walls.iter().filter(met).count();
        }
        scene.settle().unwrap();
        assert_eq!(scene.counters().hits, expected, "frame {frame}");
        hits += expected;
    }
    let [
        crossed,
        tunnelled,
        stopped,
        swept_crossed,
        swept_tunnelled,
        swept_stopped,
        ..,
    ] = scene.counters().own;
    assert!(hits > 100 && stopped > 10.0 && swept_stopped > 100.0);
    assert!(
        crossed > 100.0 && tunnelled > 0.5 * crossed,
        "{tunnelled} of {crossed}"
    );
    assert_eq!((swept_crossed, swept_tunnelled), (0.0, 0.0));
}

#[test]
fn planks_that_tumble_touch_posts_when_their_poses_do() {
    let trial = trial("tumbling");
    let mut scene = Tumbling::new(trial.seed, trial.len);
    let (mut hits, mut seen) = (0, 0);
    for frame in 0..trial.frames {
        scene.advance();
        scene.candidates().unwrap();
        scene.test().unwrap();
        let (planks, posts) = scene.shapes();
        let (pairs, impacts) = scene.answers();
        for plank in (0..planks.len() as u32).filter(|plank| scene.flies(*plank)) {
            const POSES: u32 = 150;
            let pose = |k| plain(planks.at(plank, k as f32 / POSES as f32).unwrap());
            let poses: Vec<Plain> = (0..=POSES).map(pose).collect();
            for (index, post) in (0..).zip(all(posts)) {
                let between = (post.center - poses[0].center).abs();
                // Planks are at most 1 m long to either side, and posts lean by less.
                let is_far = between.x.max(between.z) > 2.0 || between.y > post.half.y + 2.0;
                let near = if is_far { &[][..] } else { &poses };
                let gaps: Vec<f64> = near.iter().map(|pose| gap(*pose, post)).collect();
                let pair = phalanx::Pair::new(plank, index);
                let time = pairs
                    .binary_search(&pair)
                    .ok()
                    .and_then(|position| impacts.get(position));
                let deepest = gaps.iter().copied().fold(f64::INFINITY, f64::min);
                // Poses that lie in one another must be hits, and hits near poses that do.
                if deepest < -NEAR {
                    seen += 1;
                    let first = gaps.iter().position(|gap| *gap < -NEAR).unwrap();
                    let latest = first as f32 / POSES as f32;
                    assert!(
                        time.is_some_and(|time| time <= latest),
                        "frame {frame}, {pair:?}"
                    );
                }
                if let Some(time) = time {
                    hits += 1;
                    let pose = plain(planks.at(plank, time).unwrap());
                    let left = gap(pose, post);
                    assert!(
                        -NEAR < left && left < 4e-3,
                        "frame {frame}, {pair:?}: {left}"
                    );
                }
            }
        }
        scene.settle().unwrap();
        assert_eq!(scene.counters().invalid, 0);
    }
    let [all, unseen, stopped, ..] = scene.counters().own;
    assert!(
        hits > 20 && seen > 10 && hits - seen <= 2,
        "{hits} hits, {seen} seen"
    );
    assert!(
        unseen > 5.0 && unseen < all && stopped > 20.0,
        "{unseen} of {all}"
    );
}

/// The time at which a ray enters a box, as a share of its length, by the slabs of the box; infinite if it does not.
fn enters(it: Plain, from: DVec3, way: DVec3) -> f64 {
    let (from, way) = (
        it.axes.transpose() * (from - it.center),
        it.axes.transpose() * way,
    );
    let (mut enter, mut exit) = (0.0f64, 1.0f64);
    for k in 0..3 {
        let (a, b) = (
            (-it.half[k] - from[k]) / way[k],
            (it.half[k] - from[k]) / way[k],
        );
        (enter, exit) = (enter.max(a.min(b)), exit.min(a.max(b)));
    }
    if enter <= exit { enter } else { f64::INFINITY }
}

#[test]
fn rays_of_the_lidar_hit_first_what_a_plain_loop_hits() {
    let trial = trial("lidar");
    let mut scene = Lidar::new(trial.seed, trial.len);
    let (mut rocks_hit, mut ground_hit) = (0, 0);
    for frame in 0..trial.frames {
        scene.frame().unwrap();
        if frame % 10 != 0 {
            continue;
        }
        let (rays, rocks, _) = scene.shapes();
        let rocks = all(rocks);
        let mut own = [0; 2];
        for k in 0..rays.len() as u32 {
            let (ray, way) = (rays.get(k).unwrap(), rays.displacement(k).unwrap());
            let (from, way): (DVec3, DVec3) = (
                ray.position.map(f64::from).into(),
                way.map(f64::from).into(),
            );
            // Of shapes that are larger by this.
            let first = |grown: f64| {
                let ground = (grown - from.y) / way.y;
                let ground = if way.y < 0.0 { ground } else { f64::INFINITY };
                let times = rocks.iter().map(|rock| {
                    let half = rock.half + grown;
                    enters(Plain { half, ..*rock }, from, way)
                });
                let nearest = times.fold(ground, f64::min);
                if nearest <= 1.0 {
                    nearest
                } else {
                    f64::INFINITY
                }
            };
            let hit = scene.firsts().get(k as usize);
            let said = hit.map_or(f64::INFINITY, |hit| f64::from(hit.time.enter));
            let [earliest, exact] = [first(1e-3), first(0.0)];
            assert!(said <= exact + 1e-6, "ray {k}: {said} is after {exact}");
            assert!(
                said >= earliest - 1e-6,
                "ray {k}: {said} is before {earliest}"
            );
            if let Some(hit) = hit {
                own[usize::from(hit.store)] += 1;
            }
        }
        (rocks_hit, ground_hit) = (own[0], own[1]);
        let counters = scene.counters();
        assert_eq!(counters.hits, rocks_hit + ground_hit, "frame {frame}");
        let counted = [counters.own[0], counters.own[2]].map(|x| x as usize);
        assert_eq!(counted, own, "frame {frame}");
        assert_eq!(counters.invalid, 0);
    }
    assert!(
        rocks_hit > 200 && ground_hit > 200,
        "{rocks_hit} and {ground_hit}"
    );
}

/// A triangle in `f64`.
type Corners = [DVec3; 3];

fn corners(mesh: &Mesh) -> Vec<Corners> {
    let triangles = mesh.triangles();
    let exact = |corner: [f32; 3]| corner.map(f64::from).into();
    triangles.iter().map(|it| it.corners.map(exact)).collect()
}

/// The time from 0 to 1 at which a motion crosses a triangle; infinite if it does not.
fn crosses([a, b, c]: Corners, from: DVec3, way: DVec3) -> f64 {
    // Columns: the motion backwards, and two edges.
    let system = DMat3::from_cols(-way, b - a, c - a);
    if system.determinant() == 0.0 {
        return f64::INFINITY;
    }
    let [time, u, v] = (system.inverse() * (from - a)).to_array();
    let is_within = (0.0..=1.0).contains(&time) && u >= 0.0 && v >= 0.0 && u + v <= 1.0;
    if is_within { time } else { f64::INFINITY }
}

/// The distance of a point from a triangle: from its plane, or from its edges.
fn distance_to_triangle([a, b, c]: Corners, point: DVec3) -> f64 {
    let normal = (b - a).cross(c - a).normalize_or_zero();
    let height = (point - a).dot(normal);
    if crosses([a, b, c], point, -2.0 * height * normal).is_finite() {
        return height.abs();
    }
    let edges = [(a, b), (b, c), (c, a)].map(|(from, to)| {
        let (way, to_point) = (to - from, point - from);
        let share = (to_point.dot(way) / way.length_squared()).clamp(0.0, 1.0);
        (to_point - share * way).length()
    });
    edges.into_iter().fold(f64::INFINITY, f64::min)
}

#[test]
fn character_stays_outside_the_level_and_its_lidar_hits_what_a_plain_loop_hits() {
    let mut scene = Level::new(trial("level").len).unwrap();
    let level = corners(scene.shapes().1);
    let exact = |place: [f32; 3]| DVec3::from(place.map(f64::from));
    let (mut states, mut met, mut nearest) = ([0; 3], 0, f64::INFINITY);
    for frame in 0..1000 {
        let before = scene.body().0.map(exact);
        scene.frame().unwrap();
        let ([low, high], radius) = scene.body();
        let [low, high] = [low, high].map(exact);
        for triangle in level.iter().filter(|it| it[0].distance(low) < 4.0) {
            for (from, to) in [(low, high), (before[0], low), (before[1], high)] {
                let time = crosses(*triangle, from, to - from);
                assert!(time == f64::INFINITY, "frame {frame}: through the level");
            }
            for k in 0..=8 {
                let point = low.lerp(high, f64::from(k) / 8.0);
                let gap = distance_to_triangle(*triangle, point) - f64::from(radius);
                assert!(gap > -1e-4, "frame {frame}: {gap} from the level");
                nearest = nearest.min(gap);
            }
        }
        states[scene.counters().own[3] as usize] += 1;
        assert_eq!(scene.counters().invalid, 0);
        if frame % 200 != 0 {
            continue;
        }
        let (rays, _) = scene.shapes();
        for k in (0..rays.len() as u32).step_by(7) {
            let from = exact(rays.get(k).unwrap().position);
            let way = exact(rays.displacement(k).unwrap());
            let times = level.iter().map(|it| crosses(*it, from, way));
            let first = times.fold(f64::INFINITY, f64::min);
            let hit = scene.firsts().get(k as usize);
            let said = hit.map_or(f64::INFINITY, |hit| f64::from(hit.time.enter));
            met += usize::from(first.is_finite());
            assert!(said <= first + 1e-9, "ray {k}: {said} is after {first}");
            if let Some(hit) = hit {
                let gap = distance_to_triangle(level[hit.b as usize], from + said * way);
                assert!(gap < 2e-3, "ray {k}: {gap} from what it hits");
            }
        }
    }
    let [.., jumps, _, _, checked, wrong] = scene.counters().own[..9] else {
        unreachable!()
    };
    assert!(
        states[0] > 700 && states[1] > 50 && states[2] > 5,
        "{states:?}"
    );
    assert!(jumps >= 2.0 && checked > 100.0 && wrong == 0.0);
    assert!(met > 400 && nearest < 2e-3, "{met} met, {nearest}");
}

#[test]
fn character_is_steered_by_any_input() {
    let mut scene = Level::new(1000).unwrap();
    let place = |scene: &Level| scene.counters().own[..3].to_vec();
    (0..30).for_each(|_| scene.frame().unwrap());
    let before = place(&scene);
    for frame in 0..60 {
        scene.steer([0.0, 2.0], frame == 50);
        scene.frame().unwrap();
    }
    let after = place(&scene);
    assert!(after[2] > before[2] + 4.0 && (after[0] - before[0]).abs() < 1.0);
    assert!(after[1] > before[1] + 0.3 && scene.counters().own[4] == 1.0);
    // What a page may send by mistake.
    for heading in [[f32::NAN, 0.0], [f32::INFINITY; 2], [1e30; 2]] {
        scene.steer(heading, true);
        scene.frame().unwrap();
    }
    assert!(place(&scene).into_iter().all(f64::is_finite));
    assert_eq!(scene.counters().invalid, 0);
}

#[test]
fn two_boxes_touch_where_they_are_dragged_to() {
    let mut scene = TwoBoxes::new();
    scene.frame().unwrap();
    let boxes = all(scene.boxes());
    assert!(scene.counters().hits == 1 && gap(boxes[0], boxes[1]) < -0.01);
    assert!((scene.counters().own[0] - gap(boxes[0], boxes[1])).abs() < 1e-4);
    assert_eq!(
        scene.pick([0.5, 9.0, 0.1], [0.0, -18.0, 0.0]).unwrap(),
        Some(1)
    );
    assert_eq!(scene.pick([0.5, 9.0, 0.1], [0.0, 18.0, 0.0]).unwrap(), None);
    for step in 0..40 {
        scene.drag(1, [0.0, 0.02, 0.0], [0.01, 0.02, 0.0]);
        scene.frame().unwrap();
        let boxes = all(scene.boxes());
        let gap = gap(boxes[0], boxes[1]);
        let counters = scene.counters();
        if gap.abs() > NEAR {
            assert_eq!(counters.hits == 1, gap < 0.0, "step {step}: {gap}");
        }
        if gap < 0.2 {
            assert!((1.0..=4.0).contains(&counters.own[4]), "step {step}: {gap}");
        }
    }
    assert_eq!(
        (scene.counters().own[0], scene.counters().own[4]),
        (f64::INFINITY, 0.0)
    );
    // What a page may send by mistake.
    scene.drag(1, [f32::NAN; 3], [0.0; 3]);
    scene.drag(9, [1.0; 3], [0.0; 3]);
    scene.drag(0, [1e30; 3], [1e30; 3]);
    scene.frame().unwrap();
    assert_eq!(scene.counters().invalid, 0);
}

#[test]
fn a_scene_goes_on_where_another_was() {
    for trial in TRIALS {
        let start = || make(trial.scene, trial.len, trial.seed).unwrap();
        let (mut first, mut second) = (start(), start());
        (0..20).for_each(|_| first.frame().unwrap());
        let mut ferry = Ferry::out();
        first.carry(&mut ferry);
        let bytes = ferry.into_bytes();
        let mut ferry = Ferry::of(&bytes);
        second.carry(&mut ferry);
        ferry.arrive().unwrap();
        assert_eq!(first.counters(), second.counters());
        for _ in 0..20 {
            first.frame().unwrap();
            second.frame().unwrap();
            assert_eq!(first.counters(), second.counters());
            for (a, b) in first.instances().iter().zip(second.instances()) {
                assert_eq!(a.0, b.0);
            }
        }
        for wrong in [
            &bytes[..bytes.len() - 1],
            &[bytes.clone(), vec![0; 4]].concat(),
        ] {
            let mut ferry = Ferry::of(wrong);
            second.carry(&mut ferry);
            assert!(ferry.arrive().is_err());
        }
    }
    assert!(make(7, 10, 0).is_none());
}
