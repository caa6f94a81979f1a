//! Groups and bodies: queries of whole stores find exactly the admitted pairs, with any caches; lists of pairs are not
//! filtered.
#![cfg(not(phalanx_only))]

mod common;

use common::rng;
use phalanx::traits::Shape;
use phalanx::{
    Aabb, Detector, During, FirstHits, Groups, HalfSpace, NO_BODY, Overlaps, Pair, Pairs, Simd,
    Sphere, SpheresRef, Store, Sweeps,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// Groups and body of a shape.
type Filter = (Groups, u32);

const NONE: Filter = (Groups::ALL, NO_BODY);

/// The definition.
fn admits(a: Filter, b: Filter) -> bool {
    let meet = a.0.is & b.0.meets != 0 && b.0.is & a.0.meets != 0;
    meet && (a.1 != b.1 || a.1 == NO_BODY)
}

fn filter<T: Shape>(store: &Store<T>, index: u32) -> Filter {
    (store.groups(index).unwrap(), store.body(index).unwrap())
}

fn sphere(rng: &mut StdRng) -> (Sphere, [f32; 3]) {
    let center = [(); 3].map(|()| rng.random_range(0.0..6.0));
    let motion = [(); 3].map(|()| rng.random_range(-0.02..0.02));
    let radius = rng.random_range(0.2..0.6);
    (Sphere { center, radius }, motion)
}

fn aabb(rng: &mut StdRng) -> (Aabb, [f32; 3]) {
    let (Sphere { center, radius }, motion) = sphere(rng);
    (
        Aabb::from_center_half_extents(center, [radius; 3]),
        motion.map(|x| 20.0 * x),
    )
}

fn groups(rng: &mut StdRng) -> Groups {
    let mut bits = || rng.random_range(0..16u32);
    Groups {
        is: bits(),
        meets: bits(),
    }
}

/// The same shapes without groups and bodies.
fn bare<T: Shape>(store: &Store<T>) -> Store<T> {
    let mut bare = Store::new();
    for i in 0..store.len() as u32 {
        bare.push_moving(store.get(i).unwrap(), store.displacement(i).unwrap());
    }
    bare
}

/// A store, and its expected groups and bodies.
struct Model<T: Shape> {
    store: Store<T>,
    expected: Vec<Filter>,
    sample: fn(&mut StdRng) -> (T, [f32; 3]),
}

impl<T: Shape> Model<T> {
    fn new(rng: &mut StdRng, sample: fn(&mut StdRng) -> (T, [f32; 3]), len: usize) -> Self {
        Model {
            store: (0..len).map(|_| sample(rng).0).collect(),
            expected: vec![NONE; len],
            sample,
        }
    }

    fn change(&mut self, rng: &mut StdRng) {
        let len = self.store.len();
        let any = rng.random_range(0..len.max(1)) as u32;
        match rng.random_range(0..14) {
            0 => {
                let (shape, motion) = (self.sample)(rng);
                self.store.push_moving(shape, motion);
                self.expected.push(NONE);
            }
            1 => {
                let more = [(); 5].map(|()| (self.sample)(rng));
                self.store.extend_moving(more);
                self.expected.resize(len + 5, NONE);
            }
            2 if len > 40 => {
                self.store.swap_remove(any);
                self.expected.swap_remove(any as usize);
            }
            3 if len > 60 => {
                self.store.truncate(len - 7);
                self.expected.truncate(len - 7);
            }
            4 => {
                let mut order: Vec<u32> = (0..len as u32).collect();
                order.rotate_left(len / 3);
                order.swap(0, len - 1);
                self.store.reorder(&order).unwrap();
                let old = self.expected.clone();
                for (filter, &index) in self.expected.iter_mut().zip(&order) {
                    *filter = old[index as usize];
                }
            }
            5 => self.store = self.store.clone(),
            6 if rng.random_bool(0.1) => {
                self.store.clear();
                self.store
                    .extend((0..60).map(|_| (self.sample)(rng).0).collect::<Vec<_>>());
                self.expected = vec![NONE; 60];
            }
            7 | 8 => {
                let groups = groups(rng);
                self.store.set_groups(any, groups).unwrap();
                self.expected[any as usize].0 = groups;
            }
            9 | 10 => {
                let body = rng.random_range(0..9);
                let body = if body == 0 { NO_BODY } else { body };
                self.store.set_body(any, body).unwrap();
                self.expected[any as usize].1 = body;
            }
            11 if rng.random_bool(0.3) => {
                for (groups, expected) in self.store.groups_mut().iter_mut().zip(&mut self.expected)
                {
                    *groups = self::groups(rng);
                    expected.0 = *groups;
                }
            }
            _ => {}
        }
        assert_eq!(self.store.len(), self.expected.len());
        for (i, expected) in self.expected.iter().enumerate() {
            assert_eq!(filter(&self.store, i as u32), *expected);
        }
        assert!(self.store.groups(self.store.len() as u32).is_none());
        assert!(self.store.body(self.store.len() as u32).is_none());
    }
}

/// Queries of whole stores, compared with queries without groups that are filtered by the definition.
struct Check {
    kept: Detector,
    lists: [Vec<Pair>; 2],
    firsts: FirstHits,
}

impl Check {
    fn run(&mut self, a: &Store<Sphere>, b: &Store<Aabb>, ground: &Store<HalfSpace>) -> usize {
        let (bare_a, bare_b) = (bare(a), bare(b));
        let mut fresh = Detector::new().parallel(false);
        let mut total = 0;
        let [pairs, expected] = &mut self.lists;
        for during in [During::Start, During::Frame, During::Way] {
            fresh
                .candidates(&bare_a, &bare_b, during, expected)
                .unwrap();
            let all = expected.len();
            expected.retain(|pair| admits(filter(a, pair.a), filter(b, pair.b)));
            self.kept.candidates(a, b, during, pairs).unwrap();
            assert!(pairs == expected, "{during:?}: {} of {all}", pairs.len());
            total += expected.len();

            fresh
                .candidates(&bare_a, &bare_a, during, expected)
                .unwrap();
            expected.retain(|pair| admits(filter(a, pair.a), filter(a, pair.b)));
            self.kept.candidates(a, a, during, pairs).unwrap();
            assert!(pairs == expected, "{during:?} within");
        }
        fresh.touching(&bare_b, &bare_a, expected).unwrap();
        expected.retain(|pair| admits(filter(b, pair.a), filter(a, pair.b)));
        self.kept.touching(b, a, pairs).unwrap();
        assert!(pairs == expected, "touching");

        // Lists are not filtered.
        let all: Vec<Pair> = (0..a.len() as u32)
            .flat_map(|i| (0..b.len() as u32).map(move |j| Pair::new(i, j)))
            .collect();
        let (mut sweeps, mut unfiltered) = (Sweeps::new(), Sweeps::new());
        self.kept.sweep(a, b, &all, &mut sweeps).unwrap();
        fresh
            .sweep(&bare_a, &bare_b, &all, &mut unfiltered)
            .unwrap();
        assert!(sweeps == unfiltered);

        let admitted: Vec<Pair> = (all.into_iter())
            .filter(|pair| admits(filter(a, pair.a), filter(b, pair.b)))
            .collect();
        fresh
            .sweep(&bare_a, &bare_b, &admitted, &mut sweeps)
            .unwrap();
        let hits = sweeps.first_hits(&admitted).unwrap();
        self.kept.first_hits(a, b, &mut self.firsts).unwrap();
        let said = self.firsts.iter().map(|hit| (hit.a, hit.b, hit.time));
        assert!(said.eq(hits.iter().map(|hit| (hit.pair.a, hit.pair.b, hit.time))));

        let mut any = Overlaps::new();
        self.kept.meets_any(a, b, During::Frame, &mut any).unwrap();
        assert!(any.iter().eq(hits.iter().map(|hit| hit.pair.a as usize)));
        fresh
            .overlap(&bare_a, &bare_b, &admitted, &mut any)
            .unwrap();
        let mut touching: Vec<usize> = any.iter().map(|k| admitted[k].a as usize).collect();
        touching.dedup();
        self.kept.meets_any(a, b, During::Start, &mut any).unwrap();
        assert!(any.iter().eq(touching));

        // Shapes without bounds.
        self.kept.first_hits(a, ground, &mut self.firsts).unwrap();
        for i in 0..a.len() as u32 {
            let pairs: Vec<Pair> = (0..ground.len() as u32)
                .map(|j| Pair::new(i, j))
                .filter(|pair| admits(filter(a, i), filter(ground, pair.b)))
                .collect();
            fresh.sweep(&bare_a, ground, &pairs, &mut sweeps).unwrap();
            let expected = sweeps.first_hits(&pairs).unwrap();
            let expected = expected.first().map(|hit| (hit.pair.b, hit.time));
            let said = self.firsts.get(i as usize).map(|hit| (hit.b, hit.time));
            assert_eq!(said, expected);
        }
        total
    }
}

#[test]
fn groups_filter_queries_of_whole_stores_whatever_is_kept() {
    for (round, simd) in Simd::available().enumerate() {
        let mut rng = rng(&format!("groups {round}"));
        let mut a = Model::new(&mut rng, sphere, 70);
        let mut b = Model::new(&mut rng, aabb, 90);
        let mut ground = Store::<HalfSpace>::new();
        for d in [0.5, 1.0, 3.0] {
            ground.push(HalfSpace {
                normal: [0.0, 0.0, 1.0],
                d,
            });
        }
        ground.set_groups(1, Groups { is: 6, meets: 9 }).unwrap();
        ground.set_body(2, 3).unwrap();
        let mut check = Check {
            kept: Detector::new().simd(simd),
            lists: [Vec::new(), Vec::new()],
            firsts: FirstHits::new(),
        };
        let (mut found, mut calls) = (0, 0);
        for _ in 0..120 {
            // Some rounds without a change, so that trees and pair lists are cached.
            for _ in 0..rng.random_range(0..4) {
                a.change(&mut rng);
                b.change(&mut rng);
            }
            found += check.run(&a.store, &b.store, &ground);
            calls += 1;
        }
        assert!(found > 100 * calls, "{found}");
    }
}

/// A pair list is cached while shapes move a little; new groups still apply.
#[test]
fn groups_set_while_a_pair_list_is_kept_are_heeded() {
    let mut rng = rng("groups and the kept list");
    let mut a: Store<Sphere> = (0..2000).map(|_| sphere(&mut rng).0).collect();
    for x in a.columns_mut().center.into_iter().flatten() {
        *x *= 4.0;
    }
    let mut detector = Detector::new().parallel(false);
    let (mut pairs, mut expected) = (Vec::new(), Vec::new());
    for frame in 0..60 {
        for x in a.columns_mut().center[0].iter_mut() {
            *x += 1e-4;
        }
        if frame % 20 == 13 {
            for i in 0..200 {
                let groups = groups(&mut rng);
                a.set_groups(10 * i, groups).unwrap();
                a.set_body(7 * i, i % 5).unwrap();
            }
        }
        detector
            .candidates(&a, &a, During::Start, &mut pairs)
            .unwrap();
        let copy = bare(&a);
        Detector::new()
            .candidates(&copy, &copy, During::Start, &mut expected)
            .unwrap();
        let all = expected.len();
        expected.retain(|pair| admits(filter(&a, pair.a), filter(&a, pair.b)));
        assert!(pairs == expected, "frame {frame}");
        assert!(frame < 13 || expected.len() < all - all / 50, "{all}");
    }
}

/// Coincident shapes of many groups: pairs that are not admitted take no memory.
#[test]
fn pairs_that_are_not_admitted_take_no_memory() {
    let at = Sphere {
        center: [1.0; 3],
        radius: 1.0,
    };
    let mut store: Store<Sphere> = [at; 4096].into_iter().collect();
    for (i, body) in store.bodies_mut().iter_mut().enumerate() {
        *body = (i % 4095) as u32 / 4095;
    }
    let mut pairs = Vec::new();
    for _ in 0..4 {
        Detector::new()
            .candidates(&store, &store, During::Start, &mut pairs)
            .unwrap();
        assert!(pairs.is_empty() && pairs.capacity() < 1000);
    }
}

#[test]
fn views_have_groups_and_bodies() {
    let spheres = [0.0, 0.5, 1.0].map(|x| Sphere {
        center: [x, 0.0, 0.0],
        radius: 1.0,
    });
    let all = Groups::ALL;
    let groups = [all, Groups { is: 2, ..all }, Groups { meets: 1, ..all }];
    let bodies = [4, 4, NO_BODY];
    let view = SpheresRef::of_structs(&spheres).unwrap();
    let error = view.with_groups(&groups[..2]).unwrap_err();
    let text = error.to_string();
    assert!(text.contains('3') && text.contains('2'), "{text}");
    assert!(view.with_bodies(&bodies[1..]).is_err());
    let view = view.with_groups(&groups).unwrap();
    let view = view.with_bodies(&bodies).unwrap();
    assert_eq!(
        (view.groups(2), view.body(2)),
        (Some(groups[2]), Some(NO_BODY))
    );
    assert_eq!((view.groups(3), view.body(3)), (None, None));
    let (mut detector, mut pairs) = (Detector::new(), Vec::new());
    // 0 and 1 are one body; 1 is in group 2, which 2 does not meet.
    detector.touching(&view, &view, &mut pairs).unwrap();
    assert_eq!(pairs, [Pair::new(0, 2)]);
    // Equal columns with other groups count as another store.
    let bare = SpheresRef::of_structs(&spheres).unwrap();
    detector.touching(&view, &bare, &mut pairs).unwrap();
    assert_eq!(pairs.len(), 9);
    let mut overlaps = Overlaps::new();
    detector
        .overlap(&view, &view, Pairs::one_to_all(0), &mut overlaps)
        .unwrap();
    assert_eq!(overlaps.count(), 3);
}
