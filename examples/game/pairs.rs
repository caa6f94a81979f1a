//! All pairs of the colliders of a scene: its stores, their ids, and the rule that says which may meet.

use phalanx::{Collider, ColliderId, Role, Scene};

use crate::game::Game;

/// Runs an expression for each store of a scene, with the ids of its rows.
macro_rules! for_each_store {
    ($game:expr, |$store:ident, $ids:ident| $body:expr) => {{
        use $crate::pairs::{is_aabb, is_capsule, is_hull, is_obb, is_sphere, rows};
        let (scene, stores) = (&$game.scene, $game.scene.stores());
        let ($store, $ids) = (&stores.spheres, &*rows(scene, is_sphere));
        $body;
        let ($store, $ids) = (&stores.capsules, &*rows(scene, is_capsule));
        $body;
        let ($store, $ids) = (&stores.aabbs, &*rows(scene, is_aabb));
        $body;
        let ($store, $ids) = (&stores.obbs, &*rows(scene, is_obb));
        $body;
        let ($store, $ids) = (&stores.hulls, &*rows(scene, is_hull));
        $body;
        if let Some($store) = scene.placed_mesh($game.level) {
            let $ids = std::slice::from_ref(&$game.level);
            $body;
        }
    }};
}
pub(crate) use for_each_store;

/// The rules of the game, once more: what moves meets what its layer admits.
pub fn may_meet(game: &Game, a: ColliderId, b: ColliderId) -> bool {
    let (Some(one), Some(other)) = (game.scene.mark(a), game.scene.mark(b)) else {
        return false;
    };
    let moves = one.role == Role::Moving || other.role == Role::Moving;
    let admits = one.groups.meets & other.groups.is != 0 && other.groups.meets & one.groups.is != 0;
    a != b && moves && admits
}

/// The collider of a row, or of a triangle of the level.
pub fn named(ids: &[ColliderId], row: usize) -> (ColliderId, u32) {
    match ids {
        [level] => (*level, row as u32),
        ids => (ids[row], 0),
    }
}

pub fn sorted((a, b): (ColliderId, ColliderId)) -> (ColliderId, ColliderId) {
    (a.min(b), a.max(b))
}

/// The ids of a store, by row.
pub fn rows(scene: &Scene, is_kind: fn(&Collider) -> bool) -> Vec<ColliderId> {
    let is_there = |id: &ColliderId| scene.collider(*id).is_some_and(|it| is_kind(&it));
    let mut ids: Vec<_> = scene.ids().filter(is_there).collect();
    ids.sort_by_key(|id| scene.row(*id));
    ids
}

pub fn is_sphere(collider: &Collider) -> bool {
    matches!(collider, Collider::Sphere(_))
}

pub fn is_capsule(collider: &Collider) -> bool {
    matches!(collider, Collider::Capsule { .. })
}

pub fn is_aabb(collider: &Collider) -> bool {
    matches!(collider, Collider::Aabb(_))
}

pub fn is_obb(collider: &Collider) -> bool {
    matches!(collider, Collider::Obb(_))
}

pub fn is_hull(collider: &Collider) -> bool {
    matches!(collider, Collider::Hull(_))
}
