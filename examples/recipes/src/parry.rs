//! Broad phase of a loop on parry3d: its AABBs go into a store, and `candidates` lists the pairs for its narrow phase.
//!
//! rapier3d cannot take it: its step has a `BroadPhaseBvh`, not a trait. `examples/rapier` passes rapier's pairs to phalanx.

use parry3d::math::{Pose, Vector};
use parry3d::query;
use parry3d::shape::SharedShape;
use phalanx::{Aabb, Aabbs, Detector, During, Pair};

/// Gap at which parry3d still has a contact.
const PREDICTION: f32 = 0.02;
/// More than that, because parry3d rounds its AABBs.
const MARGIN: f32 = 0.021;

/// Body of a loop on parry3d.
struct Body {
    shape: SharedShape,
    pose: Pose,
    velocity: Vector,
}

/// Created once, reused every frame.
struct BroadPhase {
    detector: Detector,
    bounds: Aabbs,
    pairs: Vec<Pair>,
}

impl BroadPhase {
    /// The pairs of bodies whose AABBs are within the margin.
    fn pairs(&mut self, bodies: &[Body]) -> &[Pair] {
        self.bounds.clear();
        self.bounds.extend(bodies.iter().map(|body| {
            let aabb = body.shape.compute_aabb(&body.pose);
            Aabb::new(aabb.mins, aabb.maxs)
        }));
        let (bounds, pairs) = (&self.bounds, &mut self.pairs);
        let invalid = self
            .detector
            .candidates(bounds, bounds, During::Start, pairs)
            .unwrap();
        assert!(!invalid.any(), "AABBs with NaN are in no pair");
        &self.pairs
    }
}

/// Spheres, capsules and cuboids in a cube, each with a velocity.
fn bodies() -> Vec<Body> {
    // A small generator of numbers from 0 to 1.
    let mut state = 2026_u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / 16_777_216.0
    };
    let mut vector = |half: f32| {
        let mut one = || half * (2.0 * random() - 1.0);
        Vector::new(one(), one(), one())
    };
    (0..240)
        .map(|k| Body {
            shape: match k % 3 {
                0 => SharedShape::ball(0.5),
                1 => SharedShape::capsule_y(0.6, 0.25),
                _ => SharedShape::cuboid(0.7, 0.4, 0.2),
            },
            pose: Pose::new(vector(4.0), vector(2.0)),
            velocity: vector(0.05),
        })
        .collect()
}

#[test]
fn parry_contacts_of_candidates_are_those_of_all_pairs() {
    let mut bodies = bodies();
    let mut broad_phase = BroadPhase {
        detector: Detector::new().margin(MARGIN).unwrap(),
        bounds: Aabbs::new(),
        pairs: Vec::new(),
    };
    let (mut touching, mut listed) = (0, 0);
    for _ in 0..20 {
        let pairs = broad_phase.pairs(&bodies);
        let touches = |&Pair { a, b }: &Pair| {
            let [a, b] = [a, b].map(|k| &bodies[k as usize]);
            let contact = query::contact(&a.pose, &*a.shape, &b.pose, &*b.shape, PREDICTION);
            contact.unwrap().is_some()
        };
        let found: Vec<Pair> = pairs.iter().copied().filter(touches).collect();
        let len = bodies.len() as u32;
        let all = (0..len).flat_map(|a| (a + 1..len).map(move |b| Pair::new(a, b)));
        assert_eq!(found, all.filter(touches).collect::<Vec<_>>());
        touching += found.len();
        listed += pairs.len();
        for body in &mut bodies {
            body.pose.translation += body.velocity;
        }
    }
    assert!(
        touching > 1000 && listed < 20 * touching,
        "{touching} of {listed}"
    );
}
