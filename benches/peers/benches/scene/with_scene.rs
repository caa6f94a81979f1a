//! The frame by a scene.

use phalanx::{
    CastHit, Collider, ColliderId, Error, Filter, Mark, Pose, Ray, Scene, SceneContacts, SweepHit,
};

use crate::Player;
use crate::world::{
    Answers, CAPSULE_RADIUS, HALF_AXIS, HALF_EXTENTS, KINDS, RADIUS, SMALL, Touch, Way, World,
};

pub struct WithScene {
    scene: Scene,
    bodies: Vec<ColliderId>,
    projectiles: Vec<ColliderId>,
    contacts: SceneContacts,
    sweeps: Vec<SweepHit>,
    rays: Vec<Ray>,
    hits: Vec<Option<CastHit>>,
}

impl WithScene {
    pub fn new(world: &World) -> Result<Self, Error> {
        let mut scene = Scene::new();
        scene.detector_mut().set_parallel(false);
        let rock = scene.add_hull_kind(&world.rock)?;
        let mesh = scene.add_mesh(world.mesh());
        let bodies = world.bodies.iter().enumerate().map(|(number, body)| {
            let collider = match number % KINDS {
                0 => Collider::Sphere(RADIUS),
                1 => Collider::Capsule {
                    half_axis: HALF_AXIS,
                    radius: CAPSULE_RADIUS,
                },
                2 => Collider::Obb(HALF_EXTENTS),
                _ => Collider::Hull(rock),
            };
            let mark = Mark {
                entity: number as u64,
                ..Mark::moving()
            };
            let pose = Pose::new(body.center.map(f64::from), body.rotation);
            scene.add(collider, pose, mark)
        });
        let bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        let first = bodies.len() as u32;
        let projectiles = (first..world.level()).map(|number| {
            let mark = Mark {
                entity: number.into(),
                is_swept: true,
                // Projectiles do not meet each other.
                body: 1,
                ..Mark::moving()
            };
            scene.add(Collider::Sphere(SMALL), Pose::default(), mark)
        });
        let projectiles = projectiles.collect::<Result<Vec<_>, _>>()?;
        let fixed = Mark {
            entity: world.level().into(),
            ..Mark::fixed()
        };
        scene.add(Collider::Mesh(mesh), Pose::default(), fixed)?;
        scene.prepare()?;
        Ok(WithScene {
            scene,
            bodies,
            projectiles,
            contacts: SceneContacts::new(),
            sweeps: Vec::new(),
            rays: Vec::new(),
            hits: Vec::new(),
        })
    }

    fn number(&self, id: ColliderId) -> u32 {
        self.scene
            .mark(id)
            .map_or(u32::MAX, |mark| mark.entity as u32)
    }
}

impl Player for WithScene {
    fn name(&self) -> &'static str {
        "Scene"
    }

    fn place(&mut self, world: &World) -> Result<(), Error> {
        let bodies = self.bodies.iter().zip(&world.bodies);
        let poses = bodies.map(|(id, body)| (*id, pose(body.center, body.rotation)));
        self.scene.set_poses(poses)?;
        for (id, Way { from, displacement }) in self.projectiles.iter().zip(&world.projectiles) {
            self.scene.set_pose(*id, Pose::at(from.map(f64::from)))?;
            self.scene.set_displacement(*id, *displacement)?;
        }
        Ok(())
    }

    fn contacts(&mut self) -> Result<(), Error> {
        self.scene.contacts(&mut self.contacts)
    }

    fn sweeps(&mut self) -> Result<(), Error> {
        self.scene.sweeps(&mut self.sweeps)
    }

    fn rays(&mut self, world: &World) -> Result<(), Error> {
        let ray = |way: &Way| Ray {
            from: way.from.map(f64::from),
            displacement: way.displacement,
        };
        self.rays.clear();
        self.rays.extend(world.rays.iter().map(ray));
        self.scene
            .cast_rays(&self.rays, &Filter::ALL, &mut self.hits)?;
        Ok(())
    }

    fn answers(&self, _: &World) -> Answers {
        let contacts = self.contacts.iter().map(|contact| {
            let numbers = [contact.a, contact.b].map(|id| self.number(id));
            let part = contact.part_a + contact.part_b;
            let separation = contact.contact.separation;
            Touch::new(numbers, part, separation, contact.is_replaced)
        });
        let mut sweeps = vec![None; self.projectiles.len()];
        for SweepHit { mover, hit, .. } in &self.sweeps {
            let number = self.number(*mover) as usize - self.bodies.len();
            sweeps[number] = Some((hit.time.enter, hit.normal));
        }
        let ray = |hit: &Option<CastHit>| hit.map(|hit| (hit.time.enter, hit.normal));
        Answers {
            contacts: contacts.collect(),
            sweeps,
            rays: self.hits.iter().map(ray).collect(),
        }
    }
}

fn pose(center: [f32; 3], rotation: [f32; 4]) -> Pose {
    Pose::new(center.map(f64::from), rotation)
}
