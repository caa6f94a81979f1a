//! Comparison of first hits with the first hits of a peer.

use phalanx::FirstHits;

use crate::kernels::TIME_TOLERANCE;

/// Number of rays whose first hit differs in time from the peer's.
///
/// # Panics
///
/// If a ray misses a shape that the peer hits, or hits later.
pub fn different(own: &FirstHits, peers: impl IntoIterator<Item = Option<f32>>) -> usize {
    let is_different = |&(ray, peer): &(usize, Option<f32>)| {
        let own = own.get(ray).map(|hit| hit.time.enter);
        match (own, peer) {
            (None, Some(_)) => panic!("ray {ray} misses what parry3d hits"),
            (Some(own), Some(peer)) => {
                assert!(own <= peer + TIME_TOLERANCE, "ray {ray}: {own}, {peer}");
                peer > own + TIME_TOLERANCE
            }
            (own, None) => own.is_some(),
        }
    };
    peers.into_iter().enumerate().filter(is_different).count()
}
