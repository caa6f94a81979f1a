//! Contacts: their cost beyond overlaps, compared with parry3d.
//!
//! ```text
//! cargo bench -p phalanx-bench --bench contacts             # criterion, then a table of what was run
//! cargo bench -p phalanx-bench --bench contacts -- table    # rounds of turns alone, and a file for the report
//! ```
//!
//! - **All pairs** of neighbours, each once: `overlap`, `contact`, and peers on the whole list.
//! - **Hits**: the additional time of `contact` over `overlap` per hit, and peers on the hits alone.
//! - **Misses**: `contact` and `overlap` of separated pairs.
//!
//! phalanx gets columns that may have changed, and packs them in every call. parry3d has its poses ready, and keeps the
//! touching pairs. Depths must agree except for a few pairs.

use std::cell::{LazyCell, RefCell};
use std::hint::black_box;

use parry3d::math::Pose;
use parry3d::query::details::{
    contact_ball_ball, contact_convex_polyhedron_ball, contact_manifold_convex_ball,
    contact_manifold_cuboid_cuboid, contact_manifold_cuboid_triangle, contact_manifold_pfm_pfm,
};
use parry3d::query::{Contact, ContactManifold, contact};
use parry3d::shape::{self, Ball, Cuboid};
use phalanx::traits::Collide;
use phalanx::{
    Aabb, Capsule, Contacts, Detector, HalfSpace, Obb, Overlaps, Pair, Sphere, StoreRef, Triangle,
};
use phalanx_bench::bench::{Bench, Label, Open, Player};
use phalanx_bench::convert::Posed;
use phalanx_bench::kernels::MAX_DIFFERENT;
use phalanx_bench::record::{Contest, FileError};
use phalanx_bench::scenes::{InScene, PairList, Scene, SceneSpec};

const SPEC: SceneSpec = SceneSpec::new("64k", 1 << 16, 5 << 16, PairList::Neighbours);
const QUICK: SceneSpec = SceneSpec::new("4k", 1 << 12, 4 << 12, PairList::Neighbours);

/// Minimum number of rounds: the time of a hit is a small difference of two times.
const ROUNDS: usize = 11;

/// Largest difference of equal depths, for shapes of size about 1.
const TOLERANCE: f32 = 1e-3;

const OVERLAP: &str = "overlap";
const CONTACT: &str = "contact";
const BEYOND: &str = "contact beyond overlap";

fn main() -> Result<(), FileError> {
    let mut bench = Bench::from_args("contacts");
    let spec = if bench.is_quick() { &QUICK } else { &SPEC };
    // Built on first use, because a filter may omit all contests.
    let scene = LazyCell::new(|| {
        let scene = spec.build();
        assert!(is_once(&scene.pairs), "a pair is listed twice");
        scene
    });
    macro_rules! hold {
        ($($name:ident: $a:ident, $b:ident, $peers:expr;)*) => {
            $(hold::<$a, $b>(&mut bench, stringify!($name), spec, &scene, $peers);)*
        };
    }
    hold! {
        obb_obb_contact: Obb, Obb, of_boxes::<Obb, Obb>;
        aabb_obb_contact: Aabb, Obb, of_boxes::<Aabb, Obb>;
        aabb_aabb_contact: Aabb, Aabb, of_boxes::<Aabb, Aabb>;
        sphere_obb_contact: Sphere, Obb, ball_and_box::<Obb>;
        sphere_aabb_contact: Sphere, Aabb, ball_and_box::<Aabb>;
        sphere_sphere_contact: Sphere, Sphere, of_balls;
        capsule_capsule_contact: Capsule, Capsule,
            only_query::<Capsule, shape::Capsule, Capsule, shape::Capsule>;
        capsule_obb_contact: Capsule, Obb, only_query::<Capsule, shape::Capsule, Obb, Cuboid>;
        sphere_capsule_contact: Sphere, Capsule,
            only_query::<Sphere, Ball, Capsule, shape::Capsule>;
        obb_half_space_contact: Obb, HalfSpace, box_and_half_space;
        sphere_triangle_contact: Sphere, Triangle, ball_and_triangle;
        capsule_triangle_contact: Capsule, Triangle, capsule_and_triangle;
        obb_triangle_contact: Obb, Triangle, box_and_triangle;
    }
    print_targets(bench.contests());
    bench.finish()
}

/// Whether all pairs are distinct.
fn is_once(pairs: &[Pair]) -> bool {
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|two| two[0] != two[1])
}

/// The three contests of a kernel.
fn hold<A: InScene + Collide<B>, B: InScene>(
    bench: &mut Bench,
    name: &str,
    spec: &SceneSpec,
    scene: &LazyCell<Scene, impl FnOnce() -> Scene>,
    peers: fn(&Scene) -> Vec<Peer<'_>>,
) {
    let label = |scene: String, items: usize, unit| Label {
        name: name.into(),
        scene,
        about: spec.about(),
        shapes: spec.shapes,
        items,
        unit,
    };
    let phalanx = [CONTACT, OVERLAP].map(Player::phalanx);
    let peer_players: Vec<_> = names_of(name)
        .iter()
        .map(|way| Player::peer(way.name, way.call))
        .collect();
    let on_all: Vec<_> = phalanx.iter().chain(&peer_players).cloned().collect();
    let on_hits = peer_players.iter().map(|peer| Player {
        name: format!("{}, hits", peer.name),
        ..peer.clone()
    });
    let all: Vec<_> = on_all.iter().cloned().chain(on_hits).collect();

    let open = LazyCell::new(|| {
        let pairs: &[Pair] = &scene.pairs;
        let mut own = Own::<A, B>::new(scene);
        let mut on_all = peers(scene);
        let names: Vec<_> = on_all.iter().map(|peer| peer.way).collect();
        assert!(names == names_of(name), "peers of {name}");
        let mut on_hits = peers(scene);

        own.contact(pairs);
        own.overlap(pairs);
        assert!(own.contacts.overlaps() == &own.overlaps, "other hits");
        let hits: Vec<Pair> = own.overlaps.iter().map(|at| pairs[at]).collect();
        let depths = own.depths();
        let hit_depths: Vec<f32> = own.overlaps.iter().map(|at| depths[at]).collect();
        let mut different = vec![0; 2];
        different.extend(on_all.iter_mut().map(|peer| peer.differing(pairs, &depths)));
        different.extend(
            on_hits
                .iter_mut()
                .map(|peer| peer.differing(&hits, &hit_depths)),
        );
        for (player, &different) in different.iter().enumerate() {
            assert!(
                different as f64 <= MAX_DIFFERENT * pairs.len() as f64,
                "{name}, player {player} differs on {different} of {}",
                pairs.len()
            );
        }
        RefCell::new(Open {
            pairs: Some(pairs.len()),
            hits: Some(hits.len()),
            different,
            call: Box::new(move |player| match player {
                0 => own.contact(pairs),
                1 => own.overlap(pairs),
                _ if player - 2 < on_all.len() => on_all[player - 2].run.run(pairs),
                _ => on_hits[player - 2 - on_all.len()].run.run(&hits),
            }),
        })
    });
    let all_pairs = label(spec.name.into(), spec.pairs, "pair");
    if bench.is_wanted(&all_pairs, &all, &open) {
        let mut open = open.borrow_mut();
        let turns = bench.turns().at_least(ROUNDS);
        let mut times = turns.measure(all.len(), &mut open.call);
        let of_hits = times.split_off(on_all.len());
        let beyond = times[0].iter().zip(&times[1]);
        let beyond = beyond.map(|(contact, overlap)| contact - overlap).collect();

        let mut part = Open::unchecked(|_| ());
        (part.pairs, part.hits) = (open.pairs, open.hits);
        part.different = open.different[..on_all.len()].to_vec();
        bench.add(all_pairs, &on_all, &part, &times);

        let hits = open.hits.unwrap_or(0);
        part.different = vec![0];
        part.different
            .extend_from_slice(&open.different[on_all.len()..]);
        let players: Vec<_> = [Player::phalanx(BEYOND)]
            .into_iter()
            .chain(peer_players)
            .collect();
        let times: Vec<_> = [beyond].into_iter().chain(of_hits).collect();
        let label = label(format!("{}, hits", spec.name), hits, "hit");
        bench.add(label, &players, &part, &times);
    }

    let misses = spec.shapes;
    let label = label(format!("{}, misses", spec.name), misses, "pair");
    bench.hold(label, &phalanx, || {
        let mut own = Own::<A, B>::new(scene);
        own.overlap(&scene.pairs);
        let pairs = scene.pairs.iter().enumerate();
        let pairs = pairs.filter(|(at, _)| !own.overlaps.is_hit(*at));
        let pairs: Vec<Pair> = pairs.map(|(_, pair)| *pair).take(misses).collect();
        assert!(pairs.len() == misses, "few miss");
        Open {
            pairs: Some(misses),
            hits: Some(0),
            ..Open::unchecked(move |player| match player {
                0 => own.contact(&pairs),
                _ => own.overlap(&pairs),
            })
        }
    });
}

/// Inputs and results of phalanx.
struct Own<'s, A: InScene, B: InScene> {
    a: StoreRef<'s, A>,
    b: StoreRef<'s, B>,
    detector: Detector,
    contacts: Contacts,
    overlaps: Overlaps,
}

impl<'s, A: InScene + Collide<B>, B: InScene> Own<'s, A, B> {
    fn new(scene: &'s Scene) -> Self {
        Own {
            a: A::columns_in(scene),
            b: B::columns_in(scene),
            detector: Detector::new().parallel(false),
            contacts: Contacts::new(),
            overlaps: Overlaps::new(),
        }
    }

    fn contact(&mut self, pairs: &[Pair]) {
        self.detector
            .contact(&self.a, &self.b, pairs, &mut self.contacts)
            .expect("scenes name shapes that exist");
        black_box(&self.contacts);
    }

    fn overlap(&mut self, pairs: &[Pair]) {
        self.detector
            .overlap(&self.a, &self.b, pairs, &mut self.overlaps)
            .expect("scenes name shapes that exist");
        black_box(&self.overlaps);
    }

    /// Depth of each pair; zero for a miss.
    fn depths(&self) -> Vec<f32> {
        let mut depths = vec![0.0; self.contacts.len()];
        for contact in &self.contacts {
            depths[contact.position] = contact.depth();
        }
        depths
    }
}

/// A call of parry3d, and its name among the players.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Way {
    name: &'static str,
    call: &'static str,
}

const QUERY: Way = Way {
    name: "parry3d contact",
    call: "query::contact",
};
const BALL_BALL: Way = Way {
    name: "parry3d ball contact",
    call: "details::contact_ball_ball",
};
const BALL_BOX: Way = Way {
    name: "parry3d ball contact",
    call: "details::contact_convex_polyhedron_ball",
};
/// A new manifold for each pair.
const NEW: Way = Way {
    name: "parry3d manifold, new",
    call: "details::contact_manifold_cuboid_cuboid",
};
/// The cleared manifold of an earlier pair, which reuses its memory.
const CLEARED: Way = Way {
    name: "parry3d manifold, cleared",
    ..NEW
};
/// The pair's manifold of the previous frame, without motion in between.
const UNMOVED: Way = Way {
    name: "parry3d manifold, nothing moved",
    ..NEW
};

impl Way {
    /// This kind, by another call.
    const fn by(self, call: &'static str) -> Way {
        Way { call, ..self }
    }

    /// New and cleared manifolds of a call, and the plain query.
    const fn all_by(call: &'static str) -> [Way; 3] {
        [NEW.by(call), CLEARED.by(call), QUERY]
    }
}

const BALL_TRIANGLE: [Way; 3] = Way::all_by("details::contact_manifold_convex_ball");
const CAPSULE_TRIANGLE: [Way; 3] = Way::all_by("details::contact_manifold_pfm_pfm");
const BOX_TRIANGLE: [Way; 3] = Way::all_by("details::contact_manifold_cuboid_triangle");

fn names_of(kernel: &str) -> &'static [Way] {
    match kernel {
        "obb_obb_contact" | "aabb_obb_contact" | "aabb_aabb_contact" => {
            &[NEW, CLEARED, UNMOVED, QUERY]
        }
        "sphere_sphere_contact" => &[BALL_BALL, QUERY],
        "sphere_obb_contact" | "sphere_aabb_contact" => &[BALL_BOX, QUERY],
        "sphere_triangle_contact" => &BALL_TRIANGLE,
        "capsule_triangle_contact" => &CAPSULE_TRIANGLE,
        "obb_triangle_contact" => &BOX_TRIANGLE,
        _ => &[QUERY],
    }
}

/// A method of parry3d on the shapes of a scene.
struct Peer<'s> {
    way: Way,
    run: Box<dyn Run + 's>,
}

impl Peer<'_> {
    /// Number of depths of a list that differ.
    fn differing(&mut self, pairs: &[Pair], depths: &[f32]) -> usize {
        self.run.run(pairs);
        let mut own = vec![0.0; pairs.len()];
        self.run.depths(&mut own);
        let is_near = |(x, y): &(&f32, &f32)| (*x - *y).abs() <= TOLERANCE;
        let near = own.iter().zip(depths).filter(is_near).count();
        pairs.len() - near
    }
}

/// Runs a list.
trait Run {
    fn run(&mut self, pairs: &[Pair]);
    /// Writes the depths of the last run; misses are unchanged.
    fn depths(&self, to: &mut [f32]);
}

/// A loop over pairs that keeps the touching pairs.
struct Each<F> {
    test: F,
    out: Vec<(u32, Contact)>,
}

impl<F: Fn(Pair) -> Option<Contact>> Run for Each<F> {
    fn run(&mut self, pairs: &[Pair]) {
        self.out.clear();
        for (at, &pair) in pairs.iter().enumerate() {
            if let Some(contact) = (self.test)(pair) {
                self.out.push((at as u32, contact));
            }
        }
        black_box(&self.out);
    }

    fn depths(&self, to: &mut [f32]) {
        for (at, contact) in &self.out {
            to[*at as usize] = (-contact.dist).max(0.0);
        }
    }
}

type Manifold = ContactManifold<(), ()>;

fn depth(manifold: &Manifold) -> f32 {
    let deepest = manifold.find_deepest_contact();
    deepest.map_or(0.0, |point| (-point.dist).max(0.0))
}

/// Makes a manifold for each pair.
struct Made<F> {
    find: F,
    out: Vec<(u32, Manifold)>,
}

impl<F: Fn(Pair, &mut Manifold)> Run for Made<F> {
    fn run(&mut self, pairs: &[Pair]) {
        self.out.clear();
        for (at, &pair) in pairs.iter().enumerate() {
            let mut manifold = Manifold::new();
            (self.find)(pair, &mut manifold);
            if !manifold.points.is_empty() {
                self.out.push((at as u32, manifold));
            }
        }
        black_box(&self.out);
    }

    fn depths(&self, to: &mut [f32]) {
        for (at, manifold) in &self.out {
            to[*at as usize] = depth(manifold);
        }
    }
}

/// Uses manifolds of earlier runs for their memory alone.
struct Cleared<F> {
    find: F,
    slots: Vec<(u32, Manifold)>,
    used: usize,
}

impl<F: Fn(Pair, &mut Manifold)> Run for Cleared<F> {
    fn run(&mut self, pairs: &[Pair]) {
        self.used = 0;
        for (at, &pair) in pairs.iter().enumerate() {
            if self.used == self.slots.len() {
                self.slots.push((0, Manifold::new()));
            }
            let (position, manifold) = &mut self.slots[self.used];
            *position = at as u32;
            manifold.clear();
            (self.find)(pair, manifold);
            self.used += usize::from(!manifold.points.is_empty());
        }
        black_box(&self.slots);
    }

    fn depths(&self, to: &mut [f32]) {
        for (at, manifold) in &self.slots[..self.used] {
            to[*at as usize] = depth(manifold);
        }
    }
}

/// Keeps the manifold of each pair.
struct Kept<F> {
    find: F,
    manifolds: Vec<Manifold>,
}

impl<F: Fn(Pair, &mut Manifold)> Run for Kept<F> {
    fn run(&mut self, pairs: &[Pair]) {
        self.manifolds.resize_with(pairs.len(), Manifold::new);
        for (&pair, manifold) in pairs.iter().zip(&mut self.manifolds) {
            (self.find)(pair, manifold);
        }
        black_box(&self.manifolds);
    }

    fn depths(&self, to: &mut [f32]) {
        for (to, manifold) in to.iter_mut().zip(&self.manifolds) {
            *to = depth(manifold);
        }
    }
}

/// The shapes of a scene in the types of parry3d.
fn posed<T: InScene, S>(scene: &Scene) -> Vec<Posed<S>>
where
    Posed<S>: From<T>,
{
    let store = T::store(scene);
    (0..store.len() as u32)
        .filter_map(|i| Some(store.get(i)?.into()))
        .collect()
}

fn each<'s>(way: Way, test: impl Fn(Pair) -> Option<Contact> + 's) -> Peer<'s> {
    let out = Vec::new();
    Peer {
        way,
        run: Box::new(Each { test, out }),
    }
}

fn query<'s, A, P, B, Q>(scene: &Scene) -> Peer<'s>
where
    A: InScene,
    B: InScene,
    P: shape::Shape,
    Q: shape::Shape,
    Posed<P>: From<A>,
    Posed<Q>: From<B>,
{
    let (a, b) = (posed::<A, P>(scene), posed::<B, Q>(scene));
    each(QUERY, move |pair| {
        let (a, b) = (&a[pair.a as usize], &b[pair.b as usize]);
        contact(&a.pose, &a.shape, &b.pose, &b.shape, 0.0).expect("parry3d supports these shapes")
    })
}

fn only_query<A, P, B, Q>(scene: &Scene) -> Vec<Peer<'_>>
where
    A: InScene,
    B: InScene,
    P: shape::Shape,
    Q: shape::Shape,
    Posed<P>: From<A>,
    Posed<Q>: From<B>,
{
    vec![query::<A, P, B, Q>(scene)]
}

fn of_boxes<A: InScene, B: InScene>(scene: &Scene) -> Vec<Peer<'_>>
where
    Posed<Cuboid>: From<A> + From<B>,
{
    fn finder<A: InScene, B: InScene>(scene: &Scene) -> impl Fn(Pair, &mut Manifold) + use<A, B>
    where
        Posed<Cuboid>: From<A> + From<B>,
    {
        let (a, b) = (posed::<A, Cuboid>(scene), posed::<B, Cuboid>(scene));
        move |pair, manifold| {
            let (a, b) = (&a[pair.a as usize], &b[pair.b as usize]);
            let apart = a.pose.inv_mul(&b.pose);
            contact_manifold_cuboid_cuboid(&apart, &a.shape, &b.shape, 0.0, manifold);
        }
    }
    vec![
        Peer {
            way: NEW,
            run: Box::new(Made {
                find: finder::<A, B>(scene),
                out: Vec::new(),
            }),
        },
        Peer {
            way: CLEARED,
            run: Box::new(Cleared {
                find: finder::<A, B>(scene),
                slots: Vec::new(),
                used: 0,
            }),
        },
        Peer {
            way: UNMOVED,
            run: Box::new(Kept {
                find: finder::<A, B>(scene),
                manifolds: Vec::new(),
            }),
        },
        query::<A, Cuboid, B, Cuboid>(scene),
    ]
}

fn of_balls(scene: &Scene) -> Vec<Peer<'_>> {
    let balls = posed::<Sphere, Ball>(scene);
    vec![
        each(BALL_BALL, move |pair| {
            let (a, b) = (&balls[pair.a as usize], &balls[pair.b as usize]);
            // Balls do not rotate.
            let apart = Pose::from_translation(b.pose.translation - a.pose.translation);
            contact_ball_ball(&apart, &a.shape, &b.shape, 0.0)
        }),
        query::<Sphere, Ball, Sphere, Ball>(scene),
    ]
}

fn ball_and_box<B: InScene>(scene: &Scene) -> Vec<Peer<'_>>
where
    Posed<Cuboid>: From<B>,
{
    let (balls, boxes) = (posed::<Sphere, Ball>(scene), posed::<B, Cuboid>(scene));
    vec![
        each(BALL_BOX, move |pair| {
            let (a, b) = (&balls[pair.a as usize], &boxes[pair.b as usize]);
            // Pose of the ball in the axes of the box.
            let apart = b.pose.inv_mul(&a.pose);
            contact_convex_polyhedron_ball(&apart, &b.shape, &a.shape, 0.0)
        }),
        query::<Sphere, Ball, B, Cuboid>(scene),
    ]
}

/// parry3d's contacts of boxes with half-spaces.
///
/// The half-space comes first: in the other order parry3d 0.31 swaps the two poses, and most depths are wrong.
fn box_and_half_space(scene: &Scene) -> Vec<Peer<'_>> {
    let boxes = posed::<Obb, Cuboid>(scene);
    let half_spaces = posed::<HalfSpace, shape::HalfSpace>(scene);
    vec![each(QUERY, move |pair| {
        let (a, b) = (&boxes[pair.a as usize], &half_spaces[pair.b as usize]);
        contact(&b.pose, &b.shape, &a.pose, &a.shape, 0.0).expect("parry3d supports these shapes")
    })]
}

/// Computes a manifold of a shape and a triangle, whose pose in the axes of the shape is given.
type Find<S> = fn(&Pose, &S, &shape::Triangle, &mut Manifold);

fn with_triangles<'s, A: InScene, S: shape::Shape>(
    scene: &Scene,
    [new, cleared, _]: [Way; 3],
    find: Find<S>,
) -> Vec<Peer<'s>>
where
    Posed<S>: From<A>,
{
    let finder = || {
        let (shapes, triangles) = (posed::<A, S>(scene), posed::<Triangle, _>(scene));
        move |pair: Pair, manifold: &mut Manifold| {
            let (a, b) = (&shapes[pair.a as usize], &triangles[pair.b as usize]);
            find(&a.pose.inv_mul(&b.pose), &a.shape, &b.shape, manifold);
        }
    };
    vec![
        Peer {
            way: new,
            run: Box::new(Made {
                find: finder(),
                out: Vec::new(),
            }),
        },
        Peer {
            way: cleared,
            run: Box::new(Cleared {
                find: finder(),
                slots: Vec::new(),
                used: 0,
            }),
        },
        query::<A, S, Triangle, shape::Triangle>(scene),
    ]
}

fn ball_and_triangle(scene: &Scene) -> Vec<Peer<'_>> {
    with_triangles::<Sphere, Ball>(scene, BALL_TRIANGLE, |apart, ball, triangle, manifold| {
        let apart = apart.inverse();
        contact_manifold_convex_ball(&apart, triangle, ball, None, None, 0.0, manifold, true);
    })
}

fn capsule_and_triangle(scene: &Scene) -> Vec<Peer<'_>> {
    let find: Find<shape::Capsule> = |apart, capsule, triangle, manifold| {
        let (segment, radius) = (&capsule.segment, capsule.radius);
        contact_manifold_pfm_pfm(
            apart, segment, radius, None, triangle, 0.0, None, 0.0, manifold,
        );
    };
    with_triangles::<Capsule, _>(scene, CAPSULE_TRIANGLE, find)
}

fn box_and_triangle(scene: &Scene) -> Vec<Peer<'_>> {
    let find: Find<Cuboid> = |apart, cuboid, triangle, manifold| {
        let back = apart.inverse();
        contact_manifold_cuboid_triangle(
            apart, &back, cuboid, triangle, None, None, 0.0, manifold, false,
        );
    };
    with_triangles::<Obb, _>(scene, BOX_TRIANGLE, find)
}

/// Prints the target and the measured speed of contacts relative to peers.
fn print_targets(contests: &[Contest]) {
    // The kernel, the end of the scene's name, the side of phalanx, the peer's side, and the target ratio.
    const TARGETS: [(&str, &str, &str, Way, f64); 15] = [
        ("obb_obb_contact", "hits", BEYOND, NEW, 20.0),
        ("obb_obb_contact", "k", CONTACT, NEW, 20.0),
        ("obb_obb_contact", "k", CONTACT, QUERY, 50.0),
        ("sphere_sphere_contact", "hits", BEYOND, BALL_BALL, 8.0),
        ("sphere_sphere_contact", "hits", BEYOND, QUERY, 20.0),
        ("sphere_obb_contact", "hits", BEYOND, BALL_BOX, 8.0),
        ("sphere_obb_contact", "hits", BEYOND, QUERY, 20.0),
        ("sphere_aabb_contact", "hits", BEYOND, BALL_BOX, 8.0),
        ("sphere_aabb_contact", "hits", BEYOND, QUERY, 20.0),
        ("sphere_triangle_contact", "hits", BEYOND, NEW, 10.0),
        ("sphere_triangle_contact", "k", CONTACT, NEW, 10.0),
        ("capsule_triangle_contact", "hits", BEYOND, NEW, 15.0),
        ("capsule_triangle_contact", "k", CONTACT, NEW, 15.0),
        ("obb_triangle_contact", "hits", BEYOND, NEW, 12.0),
        ("obb_triangle_contact", "k", CONTACT, NEW, 12.0),
    ];
    if contests.is_empty() {
        return;
    }
    println!("\n| target | asked | measured |\n|---|--:|--:|");
    for (name, end, own, way, asked) in TARGETS {
        let is_it = |contest: &&Contest| contest.name == name && contest.scene.ends_with(end);
        let Some(contest) = contests.iter().find(is_it) else {
            continue;
        };
        if let (Some(own), Some(peer)) = (contest.side(own), contest.side(way.name)) {
            println!(
                "| {name}, {}, {} against {} | {asked:.0} × | {:.1} × |",
                contest.scene,
                own.name,
                way.name,
                own.times_as_fast_as(peer)
            );
        }
    }
    for contest in contests {
        if !contest.scene.ends_with("misses") {
            continue;
        }
        if let (Some(own), Some(overlap)) = (contest.side(CONTACT), contest.side(OVERLAP)) {
            println!(
                "| {}, {}, time of {CONTACT} in that of {OVERLAP} | ≤ 1.05 | {:.3} |",
                contest.name,
                contest.scene,
                overlap.times_as_fast_as(own)
            );
        }
    }
}
