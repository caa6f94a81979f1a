//! The colliders of a scene, and its answers by verbs of stores of one shape each.

use std::collections::BTreeMap;

use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, Cast, Collider, ColliderId, Contact, Contacts, Detector,
    Distances, Filter, Groups, HalfSpace, HalfSpaces, Hull, HullKinds, Hulls, Mark, Mesh, NO_BODY,
    Obb, Obbs, Overlaps, Pair, Plane, Planes, Point, Points, Pose, Ray, Role, SceneContact, Sides,
    Simd, Sphere, Spheres, Sweeps, Triangle, Triangles,
};
use rand::RngExt;
use rand::rngs::StdRng;

/// A hit: what is hit, the bits of its times and of its normal.
pub type HitBits = (ColliderId, u32, [u32; 2], [u32; 3]);
/// A contact: its names, whether a sensor is touched, whether it is replaced, and its bits.
pub type ContactBits = (ColliderId, ColliderId, u32, u32, bool, bool, Vec<u32>);
/// The nearest collider, and the bits of its bounds.
pub type NearBits = (Option<ColliderId>, u32, u32, u32);

/// A collider that the scene has.
#[derive(Clone, Debug)]
pub struct Held {
    pub collider: Collider,
    pub pose: Pose,
    pub displacement: [f32; 3],
    pub mark: Mark,
}

/// The colliders that a scene should have.
pub struct Model {
    pub colliders: BTreeMap<ColliderId, Held>,
    removed: Vec<ColliderId>,
    pub origin: [f64; 3],
    pub hull_points: Vec<Vec<[f32; 3]>>,
    kinds: HullKinds,
    pub meshes: Vec<Mesh>,
}

/// A store of one shape, or a mesh.
enum Alone {
    Point(Points),
    Sphere(Spheres),
    Capsule(Capsules),
    Aabb(Aabbs),
    Obb(Obbs),
    Triangle(Triangles),
    Hull(Hulls),
    Mesh(Mesh),
    Plane(Planes),
    HalfSpace(HalfSpaces),
}

/// Runs an expression on a store.
macro_rules! bounded {
    ($any:expr, $x:ident => $body:expr, $otherwise:expr) => {
        match $any {
            Alone::Sphere($x) => $body,
            Alone::Capsule($x) => $body,
            Alone::Aabb($x) => $body,
            Alone::Obb($x) => $body,
            Alone::Triangle($x) => $body,
            Alone::Hull($x) => $body,
            Alone::Mesh($x) => $body,
            _ => $otherwise,
        }
    };
}

macro_rules! any {
    ($any:expr, $x:ident => $body:expr) => {
        match $any {
            Alone::Plane($x) => $body,
            Alone::HalfSpace($x) => $body,
            other => bounded!(other, $x => $body, unreachable!()),
        }
    };
}

/// Runs an expression on two stores that may meet.
macro_rules! both {
    ($a:expr, $b:expr, |$x:ident, $y:ident| $body:expr) => {
        match $a {
            Alone::Point($x) => any!($b, $y => $body),
            Alone::Plane($x) => bounded!($b, $y => $body, ()),
            Alone::HalfSpace($x) => bounded!($b, $y => $body, ()),
            a => bounded!(a, $x => any!($b, $y => $body), ()),
        }
    };
}

impl Alone {
    fn parts(&self) -> u32 {
        match self {
            Alone::Mesh(mesh) => mesh.len() as u32,
            _ => 1,
        }
    }
}

fn detector() -> Detector {
    let simd = Simd::available().next().unwrap();
    Detector::new().parallel(false).simd(simd)
}

/// All pairs of parts, in order.
fn all_pairs(a: &Alone, b: &Alone) -> Vec<Pair> {
    let each = |a: u32| (0..b.parts()).map(move |b| Pair::new(a, b));
    (0..a.parts()).flat_map(each).collect()
}

pub fn of_scene(found: &SceneContact) -> ContactBits {
    let SceneContact {
        a,
        b,
        part_a,
        part_b,
        is_sensor,
        is_replaced,
        ref contact,
        ..
    } = *found;
    (a, b, part_a, part_b, is_sensor, is_replaced, bits(contact))
}

fn bits(contact: &Contact) -> Vec<u32> {
    let mut bits: Vec<u32> = contact.normal.map(f32::to_bits).to_vec();
    bits.extend([contact.separation.to_bits(), contact.is_inner.into()]);
    for point in contact.points() {
        bits.extend(point.at.map(f32::to_bits));
        bits.extend([point.separation.to_bits(), point.feature.into()]);
    }
    bits
}

/// A first hit of a search: the bits of its least key.
#[derive(Clone, Copy)]
struct First {
    key: (u32, ColliderId, u32),
    exit: u32,
    normal: [u32; 3],
}

/// The radii of the kinds of hulls.
pub const HULL_RADII: [f32; 3] = [0.0, 0.1, 0.3];

impl Model {
    pub fn new(rng: &mut StdRng) -> Self {
        let mut kinds = HullKinds::new();
        let hull_points: Vec<Vec<[f32; 3]>> = (0..3)
            .map(|_| {
                let point = |_| [(); 3].map(|()| rng.random_range(-0.6..0.6));
                (0..12).map(point).collect()
            })
            .collect();
        for (points, radius) in hull_points.iter().zip(HULL_RADII) {
            kinds.add_rounded(points, radius).unwrap();
        }
        let vertex = |k: usize| {
            let (x, z) = ((k % 4) as f32, (k / 4) as f32);
            let y = [0.0, 0.2, 0.0, -0.3, 0.1][k % 5];
            [x - 1.5, y, z - 1.5]
        };
        let vertices: Vec<[f32; 3]> = (0..16).map(vertex).collect();
        let quad = |k: u32| {
            let [a, b] = [k / 3 * 4 + k % 3, k / 3 * 4 + k % 3 + 1];
            [[a, a + 4, b], [b, a + 4, b + 4]]
        };
        let ground: Vec<[u32; 3]> = (0..9).flat_map(quad).collect();
        let mut ground = Mesh::new(&vertices, &ground).unwrap();
        if rng.random_bool(0.3) {
            ground.set_sides(Sides::Both);
        }
        let corners = [
            [0.7, 0.7, 0.7],
            [0.7, -0.7, -0.7],
            [-0.7, 0.7, -0.7],
            [-0.7, -0.7, 0.7],
        ];
        let faces = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
        let solid = Mesh::new(&corners, &faces).unwrap();
        Model {
            colliders: BTreeMap::new(),
            removed: Vec::new(),
            origin: [0.0; 3],
            hull_points,
            kinds,
            meshes: vec![ground, solid],
        }
    }

    pub fn add(&mut self, id: ColliderId, collider: Collider, pose: Pose, mark: Mark) -> bool {
        let held = Held {
            collider,
            pose,
            displacement: [0.0; 3],
            mark,
        };
        !self.removed.contains(&id) && self.colliders.insert(id, held).is_none()
    }

    pub fn remove(&mut self, id: ColliderId) {
        self.colliders.remove(&id);
        self.removed.push(id);
    }

    pub fn is_valid(&self, held: &Held) -> bool {
        let length: f32 = held.pose.rotation.iter().map(|x| x * x).sum();
        let position = held.pose.position.iter().all(|x| x.is_finite());
        let is_unit = (length.sqrt() - 1.0).abs() < 1e-3;
        position && is_unit && held.displacement.iter().all(|x| x.is_finite())
    }

    /// The vectors turned by a rotation and moved, as the corners of a mesh are.
    fn placed(&self, points: [[f32; 3]; 3], by: [f32; 3], rotation: [f32; 4]) -> [[f32; 3]; 3] {
        let rest = Mesh::new(&points, &[[0, 1, 2]]).unwrap();
        let mut placed = rest.clone();
        placed.place(&rest, by, rotation).unwrap();
        placed.get(0).unwrap().corners
    }

    /// A collider relative to the origin.
    fn alone(&self, collider: &Collider, pose: &Pose, displacement: [f32; 3]) -> Alone {
        let relative = [0, 1, 2].map(|k| pose.position[k] - self.origin[k]);
        let center = relative.map(|x| x as f32);
        let rotation = pose.rotation;
        let plane = |normal: [f32; 3], d: f32| {
            let [normal, ..] = self.placed([normal; 3], [0.0; 3], rotation);
            let along: f64 = (0..3).map(|k| f64::from(normal[k]) * relative[k]).sum();
            (normal, (f64::from(d) - along) as f32)
        };
        match *collider {
            Collider::Sphere(radius) => {
                let mut store = Spheres::new();
                store.push_moving(Sphere { center, radius }, displacement);
                Alone::Sphere(store)
            }
            Collider::Capsule { half_axis, radius } => {
                let [half_axis, ..] = self.placed([half_axis; 3], [0.0; 3], rotation);
                let mut store = Capsules::new();
                store.push_moving(Capsule::new(center, half_axis, radius), displacement);
                Alone::Capsule(store)
            }
            Collider::Aabb(half) => {
                let min = [0, 1, 2].map(|k| center[k] - half[k]);
                let max = [0, 1, 2].map(|k| center[k] + half[k]);
                let mut store = Aabbs::new();
                store.push_moving(Aabb { min, max }, displacement);
                Alone::Aabb(store)
            }
            Collider::Obb(half) => {
                let mut store = Obbs::new();
                store.push_moving(Obb::new(center, half, rotation), displacement);
                Alone::Obb(store)
            }
            Collider::Triangle(corners) => {
                let corners = self.placed(corners, center, rotation);
                let mut store = Triangles::new();
                store.push_moving(Triangle { corners }, displacement);
                Alone::Triangle(store)
            }
            Collider::Hull(kind) => {
                let mut store = Hulls::new(&self.kinds);
                let hull = Hull::new(kind, center, rotation);
                store.push_moving(hull, displacement).unwrap();
                Alone::Hull(store)
            }
            Collider::Mesh(mesh) => {
                let rest = &self.meshes[mesh as usize];
                let mut placed = rest.clone();
                placed.place(rest, center, rotation).unwrap();
                placed.set_displacement(displacement);
                Alone::Mesh(placed)
            }
            Collider::Plane(Plane { normal, d }) => {
                let (normal, d) = plane(normal, d);
                let mut store = Planes::new();
                store.push_moving(Plane { normal, d }, displacement);
                Alone::Plane(store)
            }
            Collider::HalfSpace(HalfSpace { normal, d }) => {
                let (normal, d) = plane(normal, d);
                let mut store = HalfSpaces::new();
                store.push_moving(HalfSpace { normal, d }, displacement);
                Alone::HalfSpace(store)
            }
        }
    }

    /// A collider of the scene with its displacement if it moves.
    fn moving(&self, held: &Held) -> Alone {
        let displacement = match held.mark.role {
            Role::Moving => held.displacement,
            Role::Fixed | Role::Sensor => [0.0; 3],
        };
        self.alone(&held.collider, &held.pose, displacement)
    }

    fn valid(&self) -> impl Iterator<Item = (ColliderId, &Held)> {
        let all = self.colliders.iter().map(|(id, held)| (*id, held));
        all.filter(|(_, held)| self.is_valid(held))
    }

    /// The point that positions of a contact are relative to.
    pub fn center(&self, contact: &SceneContact) -> [f64; 3] {
        let held = [contact.a, contact.b].map(|id| &self.colliders[&id]);
        let has_center = |held: &Held| {
            !matches!(
                held.collider,
                Collider::Triangle(_)
                    | Collider::Plane(_)
                    | Collider::HalfSpace(_)
                    | Collider::Mesh(_)
            )
        };
        if let Some(held) = held.iter().find(|held| has_center(held)) {
            return held.pose.position;
        }
        let parts = [contact.part_a, contact.part_b];
        for (held, part) in held.iter().zip(parts) {
            let corners = match self.alone(&held.collider, &held.pose, [0.0; 3]) {
                Alone::Triangle(store) => store.get(0),
                Alone::Mesh(mesh) => mesh.get(part),
                _ => None,
            };
            if let Some(Triangle { corners: [a, b, c] }) = corners {
                let sum = |k: usize| f64::from(a[k]) + f64::from(b[k]) + f64::from(c[k]);
                return [0, 1, 2].map(|k| self.origin[k] + sum(k) / 3.0);
            }
        }
        unreachable!()
    }

    /// All contacts, sorted.
    pub fn contacts(&self, margin: f32) -> Vec<ContactBits> {
        let mut detector = detector().margin(margin).unwrap();
        let all: Vec<(ColliderId, &Held)> = self.valid().collect();
        let mut found = Vec::new();
        for (place, (first, a)) in all.iter().enumerate() {
            for (second, b) in &all[place + 1..] {
                let (mut first, mut second, mut a, mut b) = (*first, *second, *a, *b);
                if !meet(&a.mark, &b.mark) {
                    continue;
                }
                let is_mesh = |held: &Held| matches!(held.collider, Collider::Mesh(_));
                if is_mesh(a) && !is_mesh(b) {
                    (first, second, a, b) = (second, first, b, a);
                }
                let is_sensor = a.mark.role == Role::Sensor || b.mark.role == Role::Sensor;
                let (a, b) = (self.moving(a), self.moving(b));
                let (pairs, mut contacts) = (all_pairs(&a, &b), Contacts::new());
                both!(&a, &b, |x, y| detector
                    .contact(x, y, &pairs, &mut contacts)
                    .unwrap());
                let needed: Vec<usize> = match &b {
                    Alone::Mesh(mesh) => {
                        let needed = contacts.without_inner(&pairs, mesh);
                        needed.map(|contact| contact.position).collect()
                    }
                    _ => contacts.iter().map(|contact| contact.position).collect(),
                };
                for contact in &contacts {
                    if is_sensor && contact.separation > 0.0 {
                        continue;
                    }
                    let Pair { a, b } = pairs[contact.position];
                    let is_replaced = !needed.contains(&contact.position);
                    let bits = bits(&contact);
                    found.push((first, second, a, b, is_sensor, is_replaced, bits));
                }
            }
        }
        found.sort();
        found
    }

    /// The first hit of a shape among colliders.
    fn first<'h>(
        &self,
        (shape, displacement): (&Alone, [f32; 3]),
        others: impl Iterator<Item = (ColliderId, &'h Held)>,
        at_rest: bool,
        approaching: bool,
    ) -> Option<HitBits> {
        let (mut detector, mut first) = (detector(), None::<First>);
        for (id, held) in others {
            let other = match at_rest {
                true => self.alone(&held.collider, &held.pose, [0.0; 3]),
                false => self.moving(held),
            };
            let pairs = all_pairs(shape, &other);
            let mut find = |other: &Alone| {
                let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
                both!(shape, other, |x, y| detector
                    .sweep_contacts(x, y, &pairs, &mut sweeps, &mut contacts)
                    .unwrap());
                (sweeps, contacts)
            };
            let (sweeps, contacts) = find(&other);
            // A mesh that is hit from behind is touched there.
            let mesh = match &other {
                Alone::Mesh(mesh) => Some(mesh),
                _ => None,
            };
            let from_behind = mesh.map(|mesh| {
                let mut mesh = mesh.clone();
                mesh.set_sides(Sides::Both);
                find(&Alone::Mesh(mesh)).1
            });
            let of_other = match at_rest || held.mark.role != Role::Moving {
                true => [0.0; 3],
                false => held.displacement,
            };
            let motion = [0, 1, 2].map(|k| displacement[k] - of_other[k]);
            for (position, time) in sweeps.iter() {
                let mut normal = contacts.get(position).unwrap().normal;
                if approaching {
                    let [along, squared] = [normal, motion].map(|v| {
                        (0..3)
                            .map(|k| f64::from(v[k]) * f64::from(motion[k]))
                            .sum::<f64>()
                    });
                    if along <= 2f64.powi(-20) * squared.sqrt() {
                        continue;
                    }
                }
                let triangle = mesh.and_then(|mesh| mesh.get(pairs[position].b));
                if let Some(contacts) = &from_behind
                    && time.enter > 0.0
                    && triangle.unwrap().is_back(motion)
                {
                    normal = contacts.get(position).unwrap().normal;
                }
                // Times are not negative: their bits are in order.
                let hit = First {
                    key: (time.enter.to_bits(), id, pairs[position].b),
                    exit: time.exit.to_bits(),
                    normal: normal.map(|x| (0.0 - x).to_bits()),
                };
                if first.is_none_or(|first| hit.key < first.key) {
                    first = Some(hit);
                }
            }
        }
        let First { key, exit, normal } = first?;
        let (enter, id, part) = key;
        Some((id, part, [enter, exit], normal))
    }

    /// The first hits of swept colliders.
    pub fn sweeps(&self) -> Vec<(ColliderId, HitBits)> {
        let mut hits = Vec::new();
        for (id, held) in self.valid() {
            let shape = self.moving(held);
            let is_swept = held.mark.is_swept && held.mark.role == Role::Moving;
            let is_bounded = !matches!(
                shape,
                Alone::Plane(_) | Alone::HalfSpace(_) | Alone::Mesh(_)
            );
            if !is_swept || !is_bounded {
                continue;
            }
            let others = self.valid().filter(|(other, of)| {
                *other != id && of.mark.role != Role::Sensor && meet(&held.mark, &of.mark)
            });
            let shape = (&shape, held.displacement);
            let hit = self.first(shape, others, false, false);
            hits.extend(hit.map(|hit| (id, hit)));
        }
        hits
    }

    /// The colliders that a filter admits.
    fn admitted<'m>(
        &'m self,
        filter: &'m Filter<'_>,
    ) -> impl Iterator<Item = (ColliderId, &'m Held)> {
        let seeker = Mark {
            groups: filter.groups,
            body: filter.body,
            ..Mark::moving()
        };
        self.valid().filter(move |(id, held)| {
            (filter.hits_sensors || held.mark.role != Role::Sensor)
                && !filter.without.contains(id)
                && meet(&seeker, &held.mark)
        })
    }

    pub fn ray(&self, ray: &Ray, filter: &Filter<'_>) -> Option<HitBits> {
        let position = [0, 1, 2].map(|k| (ray.from[k] - self.origin[k]) as f32);
        if !(position.iter().chain(&ray.displacement)).all(|x| x.is_finite()) {
            return None;
        }
        let mut store = Points::new();
        store.push_moving(Point { position }, ray.displacement);
        let point = (&Alone::Point(store), ray.displacement);
        self.first(point, self.admitted(filter), true, filter.approaching)
    }

    pub fn cast(&self, cast: &Cast, filter: &Filter<'_>) -> Option<HitBits> {
        let shape = self.alone(&cast.collider, &cast.pose, cast.displacement);
        let shape = (&shape, cast.displacement);
        self.first(shape, self.admitted(filter), true, filter.approaching)
    }

    pub fn overlaps(
        &self,
        collider: &Collider,
        pose: &Pose,
        filter: &Filter<'_>,
    ) -> Vec<ColliderId> {
        let shape = self.alone(collider, pose, [0.0; 3]);
        let mut detector = detector();
        let touches = |held: &Held| {
            let other = self.moving(held);
            let (pairs, mut overlaps) = (all_pairs(&shape, &other), Overlaps::new());
            both!(&shape, &other, |x, y| detector
                .overlap(x, y, &pairs, &mut overlaps)
                .unwrap());
            overlaps.count() > 0
        };
        let mut touches = touches;
        let found = self.admitted(filter).filter(|(_, held)| touches(held));
        found.map(|(id, _)| id).collect()
    }

    pub fn nearest_to_point(&self, point: [f64; 3], radius: f32, filter: &Filter<'_>) -> NearBits {
        let position = [0, 1, 2].map(|k| (point[k] - self.origin[k]) as f32);
        if !position.iter().all(|x| x.is_finite()) {
            return (None, 0, 0, f32::INFINITY.to_bits());
        }
        let point = Alone::Point(Points::from_slice(&[Point { position }]));
        self.near(&point, radius, filter)
    }

    pub fn nearest(
        &self,
        collider: &Collider,
        pose: &Pose,
        radius: f32,
        filter: &Filter<'_>,
    ) -> NearBits {
        self.near(&self.alone(collider, pose, [0.0; 3]), radius, filter)
    }

    fn near(&self, shape: &Alone, radius: f32, filter: &Filter<'_>) -> NearBits {
        let mut detector = detector();
        let (mut least, mut best) = (radius, None::<(u32, ColliderId, u32)>);
        for (id, held) in self.admitted(filter) {
            let other = self.moving(held);
            let (pairs, mut distances) = (all_pairs(shape, &other), Distances::new());
            both!(shape, &other, |x, y| detector
                .distance(x, y, &pairs, &mut distances)
                .unwrap());
            for (position, pair) in pairs.iter().enumerate() {
                let (lower, upper) = (distances.lower()[position], distances.upper()[position]);
                least = least.min(lower);
                let key = (upper.to_bits(), id, pair.b);
                if upper <= radius && best.is_none_or(|best| key < best) {
                    best = Some(key);
                }
            }
        }
        match best {
            Some((upper, id, part)) => (Some(id), part, least.to_bits(), upper),
            None => (None, 0, least.to_bits(), f32::INFINITY.to_bits()),
        }
    }
}

/// The definition.
fn meet(a: &Mark, b: &Mark) -> bool {
    let Groups { is, meets } = a.groups;
    let by_groups = is & b.groups.meets != 0 && b.groups.is & meets != 0;
    let one_moves = a.role == Role::Moving || b.role == Role::Moving;
    one_moves && by_groups && (a.body != b.body || a.body == NO_BODY)
}

/// A position on a coarse grid, so that ties occur, or anywhere.
pub fn random_pose(rng: &mut StdRng, origin: [f64; 3]) -> Pose {
    let on_grid = rng.random_bool(0.5);
    let relative = [(); 3].map(|()| match on_grid {
        true => f64::from(rng.random_range(-6..=6)) * 0.5,
        false => rng.random_range(-3.0..3.0),
    });
    let position = [0, 1, 2].map(|k| origin[k] + relative[k]);
    if rng.random_bool(0.3) {
        return Pose::at(position);
    }
    let q = [(); 4].map(|()| rng.random_range(-1.0..1.0f32));
    let length = q.iter().map(|x| x * x).sum::<f32>().sqrt();
    match length > 0.1 {
        true => Pose::new(position, q.map(|x| x / length)),
        false => Pose::at(position),
    }
}

pub fn random_collider(rng: &mut StdRng, is_convex: bool) -> Collider {
    let mut size = || [0.25, 0.5, rng.random_range(0.0..0.8)][rng.random_range(0..3)];
    let half = [size(), size(), size()];
    let [radius, ..] = half;
    match rng.random_range(0..if is_convex { 10 } else { 14 }) {
        0..2 => Collider::Sphere(radius),
        2..4 => Collider::Capsule {
            half_axis: half,
            radius: 0.5 * radius,
        },
        4 => Collider::Aabb(half),
        5..7 => Collider::Obb(half),
        7 => {
            let corner = |_| [(); 3].map(|()| rng.random_range(-0.8..0.8));
            Collider::Triangle([0, 1, 2].map(corner))
        }
        8..10 => Collider::Hull(rng.random_range(0..3)),
        10 => Collider::Plane(Plane::new([0.5, 1.0, 0.0], 0.75)),
        11 => Collider::HalfSpace(HalfSpace::new([0.0, 1.0, 0.0], 2.0)),
        _ => Collider::Mesh(rng.random_range(0..2)),
    }
}
