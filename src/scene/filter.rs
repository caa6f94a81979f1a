//! Filters of the searches of a scene.

use crate::collider_id::ColliderId;
use crate::shapes::groups::{Groups, NO_BODY};

/// The colliders that a search of a [`Scene`](crate::Scene) considers.
///
/// ```
/// use phalanx::{Collider, Filter, Groups, Mark, Pose, Ray, Scene};
///
/// const WALL: u32 = 1;
/// let mut scene = Scene::new();
/// let glass = Mark { groups: Groups { is: 2, meets: u32::MAX }, ..Mark::fixed() };
/// let wall = Mark { groups: Groups { is: WALL, meets: u32::MAX }, ..Mark::fixed() };
/// scene.add(Collider::Obb([0.1, 9.0, 9.0]), Pose::at([5.0, 0.0, 0.0]), glass)?;
/// let behind = scene.add(Collider::Obb([0.1, 9.0, 9.0]), Pose::at([9.0, 0.0, 0.0]), wall)?;
///
/// let ray = Ray { from: [0.0; 3], displacement: [20.0, 0.0, 0.0] };
/// let walls = Filter { groups: Groups { is: u32::MAX, meets: WALL }, ..Filter::default() };
/// let mut hits = Vec::new();
/// scene.cast_rays(&[ray], &walls, &mut hits)?;
/// assert_eq!(hits[0].map(|hit| hit.id), Some(behind));
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filter<'f> {
    /// The groups of what searches.
    pub groups: Groups,
    /// The body whose colliders are left out; [`NO_BODY`](crate::NO_BODY) for none.
    pub body: u32,
    /// Whether sensors are hit.
    pub hits_sensors: bool,
    /// Colliders that are left out: a short list, which is read for each collider near the search.
    pub without: &'f [ColliderId],
    /// Whether rays and casts pass what their motion does not [approach](crate::Detector::approaching): the floor that a
    /// character walks along, the wall on which a bounced ray starts.
    pub approaching: bool,
}

impl Filter<'_> {
    /// All colliders except sensors.
    pub const ALL: Filter<'static> = Filter {
        groups: Groups::ALL,
        body: NO_BODY,
        hits_sensors: false,
        without: &[],
        approaching: false,
    };
}

/// [`Filter::ALL`].
impl Default for Filter<'_> {
    fn default() -> Self {
        Filter::ALL
    }
}
