//! The frame by stores: one for each kind, a detector for each two of them.

use phalanx::{
    Capsule, Capsules, Contacts, Detector, During, Error, FirstHits, Hull, HullKinds, Hulls, Mesh,
    Obb, Obbs, Pair, Point, Points, Sphere, Spheres,
};

use crate::Player;
use crate::world::{
    Answers, CAPSULE_RADIUS, HALF_AXIS, HALF_EXTENTS, KINDS, RADIUS, SMALL, Touch, Way, World,
};

/// Results that are kept of two stores.
#[derive(Default)]
struct Two {
    detector: Detector,
    pairs: Vec<Pair>,
    contacts: Contacts,
    /// Positions of the needed contacts with the mesh.
    needed: Vec<usize>,
}

/// First hits in all five stores.
#[derive(Default)]
struct Searches {
    detectors: [Detector; 5],
    firsts: FirstHits,
    contacts: [Contacts; 5],
}

pub struct ByHand {
    mesh: Mesh,
    /// Bodies, then projectiles.
    spheres: Spheres,
    capsules: Capsules,
    obbs: Obbs,
    hulls: Hulls,
    projectiles: Spheres,
    rays: Points,
    /// In the order of [`each_two`].
    two: Vec<Two>,
    sweeps: Searches,
    casts: Searches,
    len: usize,
}

/// Runs an expression for each two stores that may meet.
macro_rules! each_two {
    ($self:ident, |$k:ident, $a:ident, $b:ident| $body:expr) => {
        each_two!(@ $self, $k, $a, $b, $body,
            0 spheres spheres, 1 spheres capsules, 2 spheres obbs, 3 spheres hulls, 4 capsules capsules,
            5 capsules obbs, 6 capsules hulls, 7 obbs obbs, 8 obbs hulls, 9 hulls hulls,
            10 spheres mesh, 11 capsules mesh, 12 obbs mesh, 13 hulls mesh)
    };
    (@ $self:ident, $k:ident, $a:ident, $b:ident, $body:expr, $($number:literal $one:ident $other:ident),*) => {{
        $({
            let ($k, $a, $b) = ($number, &$self.$one, &$self.$other);
            $body;
        })*
    }};
}

const MESH: usize = 10;
/// The stores of each two, by kind; the mesh is one more.
const STORES: [[usize; 2]; 14] = [
    [0, 0],
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 1],
    [1, 2],
    [1, 3],
    [2, 2],
    [2, 3],
    [3, 3],
    [0, KINDS],
    [1, KINDS],
    [2, KINDS],
    [3, KINDS],
];

/// Finds first hits in all stores, and their normals.
macro_rules! search {
    ($self:ident, $searches:ident, $of:ident) => {{
        let Searches {
            detectors: [of_mesh, of_spheres, of_capsules, of_obbs, of_hulls],
            firsts,
            contacts,
        } = &mut $self.$searches;
        let of = &$self.$of;
        of_mesh.first_hits(of, &$self.mesh, firsts)?;
        of_spheres.nearer_hits(of, &$self.spheres, firsts)?;
        of_capsules.nearer_hits(of, &$self.capsules, firsts)?;
        of_obbs.nearer_hits(of, &$self.obbs, firsts)?;
        of_hulls.nearer_hits(of, &$self.hulls, firsts)?;
        of_mesh.hit_contacts(of, &$self.mesh, firsts, 0, &mut contacts[0])?;
        of_spheres.hit_contacts(of, &$self.spheres, firsts, 1, &mut contacts[1])?;
        of_capsules.hit_contacts(of, &$self.capsules, firsts, 2, &mut contacts[2])?;
        of_obbs.hit_contacts(of, &$self.obbs, firsts, 3, &mut contacts[3])?;
        of_hulls.hit_contacts(of, &$self.hulls, firsts, 4, &mut contacts[4])?;
        Ok(())
    }};
}

impl ByHand {
    pub fn new(world: &World) -> Result<Self, Error> {
        let mut kinds = HullKinds::new();
        let rock = kinds.add(&world.rock)?;
        let (mut spheres, mut capsules) = (Spheres::new(), Capsules::new());
        let (mut obbs, mut hulls) = (Obbs::new(), Hulls::new(&kinds));
        for (number, body) in world.bodies.iter().enumerate() {
            match number % KINDS {
                0 => {
                    spheres.push(Sphere::new(body.center, RADIUS));
                }
                1 => {
                    let half_axis = turned(HALF_AXIS, body.rotation);
                    capsules.push(Capsule::new(body.center, half_axis, CAPSULE_RADIUS));
                }
                2 => {
                    obbs.push(Obb::new(body.center, HALF_EXTENTS, body.rotation));
                }
                _ => {
                    hulls.push(Hull::new(rock, body.center, body.rotation))?;
                }
            }
        }
        let first = spheres.len();
        let mut projectiles = Spheres::new();
        for _ in world.bodies.len()..world.level() as usize {
            spheres.push(Sphere::new([0.0; 3], SMALL));
            projectiles.push_moving(Sphere::new([0.0; 3], SMALL), [0.0; 3]);
        }
        // Projectiles do not meet each other.
        spheres.bodies_mut()[first..].fill(1);
        projectiles.bodies_mut().fill(1);
        let detector = || Detector::new().parallel(false);
        let searches = || Searches {
            detectors: std::array::from_fn(|_| detector()),
            ..Searches::default()
        };
        let mesh = world.mesh();
        detector().prepare(&mesh);
        let two = || Two {
            detector: detector(),
            ..Two::default()
        };
        Ok(ByHand {
            mesh,
            spheres,
            capsules,
            obbs,
            hulls,
            projectiles,
            rays: Points::new(),
            two: STORES.iter().map(|_| two()).collect(),
            sweeps: searches(),
            casts: searches(),
            len: world.bodies.len(),
        })
    }

    /// The number of a shape of a kind.
    fn number(&self, kind: usize, row: u32, world: &World) -> u32 {
        let of_kind = (self.len - kind).div_ceil(KINDS) as u32;
        match kind {
            KINDS => world.level(),
            _ if row >= of_kind => self.len as u32 + row - of_kind,
            _ => row * KINDS as u32 + kind as u32,
        }
    }
}

impl Player for ByHand {
    fn name(&self) -> &'static str {
        "stores by hand"
    }

    fn place(&mut self, world: &World) -> Result<(), Error> {
        let bodies = |kind| world.bodies[kind..].iter().step_by(KINDS);
        let write = |center: [&mut [f32]; 3], kind| {
            let [x, y, z] = center;
            for (i, body) in bodies(kind).enumerate() {
                [x[i], y[i], z[i]] = body.center;
            }
        };
        write(self.spheres.columns_mut().center, 0);
        write(self.capsules.columns_mut().center, 1);
        write(self.obbs.columns_mut().center, 2);
        write(self.hulls.poses_mut().center, 3);
        let first = self.spheres.len() - world.projectiles.len();
        let columns = self.spheres.columns_mut();
        let movers = self.projectiles.columns_mut();
        for (i, Way { from, displacement }) in world.projectiles.iter().enumerate() {
            for k in 0..3 {
                columns.center[k][first + i] = from[k];
                movers.center[k][i] = from[k];
                movers.displacement[k][i] = displacement[k];
            }
        }
        Ok(())
    }

    fn contacts(&mut self) -> Result<(), Error> {
        each_two!(self, |k, a, b| {
            let Two {
                detector,
                pairs,
                contacts,
                ..
            } = &mut self.two[k];
            detector.candidates(a, b, During::Start, pairs)?;
            detector.contact(a, b, &*pairs, contacts)?;
        });
        for two in &mut self.two[MESH..] {
            let needed = two.contacts.without_inner(&two.pairs, &self.mesh);
            two.needed.clear();
            two.needed.extend(needed.map(|contact| contact.position));
        }
        Ok(())
    }

    fn sweeps(&mut self) -> Result<(), Error> {
        search!(self, sweeps, projectiles)
    }

    fn rays(&mut self, world: &World) -> Result<(), Error> {
        self.rays.clear();
        for way in &world.rays {
            self.rays
                .push_moving(Point::new(way.from), way.displacement);
        }
        search!(self, casts, rays)
    }

    fn answers(&self, world: &World) -> Answers {
        let mut answers = Answers::default();
        for (two, [one, other]) in self.two.iter().zip(STORES) {
            for contact in &two.contacts {
                let Pair { a, b } = two.pairs[contact.position];
                let numbers = [self.number(one, a, world), self.number(other, b, world)];
                let part = if other == KINDS { b } else { 0 };
                let is_needed = two.needed.binary_search(&contact.position).is_ok();
                let is_replaced = other == KINDS && !is_needed;
                let touch = Touch::new(numbers, part, contact.separation, is_replaced);
                answers.contacts.push(touch);
            }
        }
        answers.sweeps = hits(&self.sweeps);
        answers.rays = hits(&self.casts);
        answers
    }
}

fn hits(searches: &Searches) -> Vec<Option<(f32, [f32; 3])>> {
    let mut hits: Vec<_> = (0..searches.firsts.len())
        .map(|i| searches.firsts.get(i).map(|hit| (hit.time.enter, [0.0; 3])))
        .collect();
    for contact in searches.contacts.iter().flatten() {
        if let Some((_, normal)) = &mut hits[contact.position] {
            *normal = contact.normal.map(|x| -x);
        }
    }
    hits
}

/// A vector turned by a quaternion, as a scene turns it: rounded once.
fn turned(vector: [f32; 3], rotation: [f32; 4]) -> [f32; 3] {
    let corners = [vector, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let rest = Mesh::new(&corners, &[[0, 1, 2]]).expect("a triangle");
    let mut turned = rest.clone();
    turned.place(&rest, [0.0; 3], rotation).expect("a rotation");
    turned.get(0).expect("a triangle").corners[0]
}
