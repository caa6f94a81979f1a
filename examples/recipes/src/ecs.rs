//! Bodies of an entity-component system: stores are written each frame, and `entities[row]` is the entity.
//!
//! The detector, the stores and the results are one resource, created once. `parallel(false)` would keep all work on
//! the thread of the system; by default rayon's pool helps with long lists, in addition to the engine's pool.

use bevy_ecs::prelude::*;
use phalanx::{Detector, During, Obb, Obbs, Overlaps, Pair};

#[derive(Component)]
struct Transform {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

/// Half the edges of a box, before its transform scales it.
#[derive(Component)]
struct Collider {
    half_extents: [f32; 3],
}

/// State kept from frame to frame, so that frames do not allocate.
#[derive(Resource, Default)]
struct Collisions {
    detector: Detector,
    boxes: Obbs,
    /// The entity of each row.
    entities: Vec<Entity>,
    pairs: Vec<Pair>,
    overlaps: Overlaps,
}

/// Two entities that touch in this frame.
#[derive(Message, Clone, Copy, Debug, PartialEq)]
struct Touch(Entity, Entity);

fn collide(
    mut it: ResMut<Collisions>,
    bodies: Query<(Entity, &Transform, &Collider)>,
    mut touches: MessageWriter<Touch>,
) -> Result {
    let Collisions {
        detector,
        boxes,
        entities,
        pairs,
        overlaps,
    } = &mut *it;
    boxes.clear();
    entities.clear();
    boxes.extend(bodies.iter().map(|(entity, at, collider)| {
        entities.push(entity);
        // The scale goes into the half extents. A mirrored box is the same box.
        let half_extents = [0, 1, 2].map(|k| collider.half_extents[k] * at.scale[k].abs());
        Obb {
            center: at.translation,
            half_extents,
            rotation: at.rotation,
        }
    }));
    let invalid = detector.candidates(&*boxes, &*boxes, During::Start, pairs)?;
    detector.overlap(&*boxes, &*boxes, &*pairs, overlaps)?;
    for Pair { a, b } in overlaps.hits(&*pairs)? {
        touches.write(Touch(entities[a as usize], entities[b as usize]));
    }
    // Invalid shapes are reported, so that no hit is lost silently.
    if invalid.any() {
        boxes.validate()?;
    }
    Ok(())
}

fn touches(world: &mut World, schedule: &mut Schedule) -> Vec<Touch> {
    schedule.run(world);
    world.resource_mut::<Messages<Touch>>().drain().collect()
}

#[test]
fn entities_come_and_go() {
    let mut world = World::new();
    world.init_resource::<Collisions>();
    world.init_resource::<Messages<Touch>>();
    let mut schedule = Schedule::default();
    schedule.add_systems(collide);

    let mut spawn = |x: f32, scale: f32| {
        let at = Transform {
            translation: [x, 0.0, 0.0],
            rotation: [0.0, 0.0, 0.0, 1.0],
            scale: [scale, 1.0, 1.0],
        };
        world
            .spawn((
                at,
                Collider {
                    half_extents: [0.5; 3],
                },
            ))
            .id()
    };
    let (first, second, third) = (spawn(0.0, 1.0), spawn(0.9, 1.0), spawn(2.0, 1.0));
    assert_eq!(touches(&mut world, &mut schedule), [Touch(first, second)]);

    // Mirrored, and wider.
    world.get_mut::<Transform>(third).unwrap().scale[0] = -2.5;
    assert_eq!(
        touches(&mut world, &mut schedule),
        [Touch(first, second), Touch(second, third)]
    );

    world.despawn(second);
    assert_eq!(touches(&mut world, &mut schedule), []);
    let fourth = world.spawn((
        Transform {
            translation: [0.2, 0.3, 0.0],
            rotation: [0.0, 0.0, 0.6, 0.8],
            scale: [1.0; 3],
        },
        Collider {
            half_extents: [0.5; 3],
        },
    ));
    let fourth = fourth.id();
    let found = touches(&mut world, &mut schedule);
    assert!(
        found.iter().all(|it| [it.0, it.1].contains(&fourth)),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
}

#[test]
#[should_panic(expected = "shape 0 is invalid: center[0] is NaN")]
fn a_bad_transform_is_an_error_of_the_system() {
    let mut world = World::new();
    world.init_resource::<Collisions>();
    world.init_resource::<Messages<Touch>>();
    let mut schedule = Schedule::default();
    schedule.add_systems(collide);
    let at = Transform {
        translation: [f32::NAN, 0.0, 0.0],
        rotation: [0.0, 0.0, 0.0, 1.0],
        scale: [1.0; 3],
    };
    world.spawn((
        at,
        Collider {
            half_extents: [0.5; 3],
        },
    ));
    schedule.run(&mut world);
}
