//! Queries of poses: whether each is free, and its clearance from everything.

use phalanx::traits::Distance;
use phalanx::{
    Capsule, Capsules, Detector, Distances, During, Error, Nearest, Overlaps, Pair, Pairs, Shapes,
};

use crate::cell::Cell;
use crate::robot::{self, LINKS, Pose};

/// Names of the obstacles of a pose.
pub const STORES: [&str; 4] = ["boxes", "cloud", "panel", "itself"];

/// A cell, and the memory of its queries.
pub struct Scene {
    pub cell: Cell,
    pub detector: Detector,
    /// The links of all poses of a call.
    pub links: Capsules,
    /// Pairs of links of one pose.
    pub pairs: Vec<Pair>,
    /// Results of each link, by store.
    pub nearest: [Nearest; 3],
    pub distances: Distances,
    /// Results of each link, by store.
    meetings: [Overlaps; 3],
    overlaps: Overlaps,
}

impl Scene {
    pub fn new(cell: Cell) -> Self {
        Scene {
            cell,
            detector: Detector::new(),
            links: Capsules::new(),
            pairs: Vec::new(),
            nearest: Default::default(),
            distances: Distances::new(),
            meetings: Default::default(),
            overlaps: Overlaps::new(),
        }
    }

    /// Sets the poses of the next calls.
    pub fn set_poses(&mut self, poses: &[Pose]) {
        robot::set_links(poses, &mut self.links);
        robot::self_pairs(poses.len(), &mut self.pairs);
    }

    pub fn poses(&self) -> usize {
        self.links.len() / LINKS
    }

    /// Tests the poses against store `store`.
    pub fn test(&mut self, store: usize) -> Result<(), Error> {
        let (detector, links) = (&mut self.detector, &self.links);
        let start = During::Start;
        let invalid = match store {
            0 => detector.meets_any(links, &self.cell.boxes, start, &mut self.meetings[0])?,
            1 => detector.meets_any(links, &self.cell.cloud, start, &mut self.meetings[1])?,
            2 => detector.meets_any(links, &self.cell.panel, start, &mut self.meetings[2])?,
            _ => return detector.overlap(links, links, &self.pairs, &mut self.overlaps),
        };
        assert!(!invalid.any(), "a failed sensor is no free space");
        Ok(())
    }

    /// Whether each pose touches a shape in store `store`, by the last test.
    pub fn meets(&self, store: usize) -> Vec<bool> {
        let mut meets = vec![false; self.poses()];
        let links: &mut dyn Iterator<Item = usize> = match store {
            0..3 => &mut self.meetings[store].iter(),
            _ => &mut self.overlaps.iter().map(|k| self.pairs[k].a as usize),
        };
        links.for_each(|link| meets[link / LINKS] = true);
        meets
    }

    /// Whether each pose is free of collisions.
    pub fn are_free(&mut self, poses: &[Pose]) -> Result<Vec<bool>, Error> {
        self.set_poses(poses);
        let mut free = vec![true; poses.len()];
        for store in 0..STORES.len() {
            self.test(store)?;
            let meets = self.meets(store);
            free.iter_mut().zip(meets).for_each(|(f, m)| *f &= !m);
        }
        Ok(free)
    }

    /// Measures the clearance of the links from store `store`.
    pub fn measure(&mut self, store: usize, radius: f32) -> Result<(), Error> {
        let (detector, links) = (&mut self.detector, &self.links);
        let invalid = match store {
            0 => detector.nearest(links, &self.cell.boxes, radius, &mut self.nearest[0])?,
            1 => detector.nearest(links, &self.cell.cloud, radius, &mut self.nearest[1])?,
            2 => detector.nearest(links, &self.cell.panel, radius, &mut self.nearest[2])?,
            _ => return detector.distance(links, links, &self.pairs, &mut self.distances),
        };
        assert!(!invalid.any(), "a failed sensor is no free space");
        Ok(())
    }

    /// The least clearance of each pose from store `store`, by the last measurement.
    pub fn clearances(&self, store: usize) -> Vec<f32> {
        let (lower, size) = match store {
            0..3 => (self.nearest[store].lower(), LINKS),
            _ => (
                self.distances.lower(),
                self.pairs.len() / self.poses().max(1),
            ),
        };
        let least = |lower: &[f32]| lower.iter().copied().fold(f32::INFINITY, f32::min);
        lower.chunks_exact(size).map(least).collect()
    }
}

/// Checks the nearest shapes of the links of several poses by the distances of all pairs. Returns the number of pairs.
pub fn check<S: Shapes>(
    detector: &mut Detector,
    links: &Capsules,
    store: &S,
    radius: f32,
    nearest: &Nearest,
    poses: impl Iterator<Item = usize>,
) -> Result<usize, Error>
where
    Capsule: Distance<S::Shape>,
{
    let (view, mut distances, mut count) = (store.view(), Distances::new(), 0);
    for link in poses.flat_map(|pose| (0..LINKS).map(move |i| (pose * LINKS + i) as u32)) {
        detector.distance(links, store, Pairs::one_to_all(link), &mut distances)?;
        count += distances.len();
        let body = links.body(link).filter(|body| *body != phalanx::NO_BODY);
        let (mut lower, mut upper, mut index) = (radius, radius, None);
        for k in 0..distances.len() as u32 {
            if body.is_some() && view.body(k) == body {
                continue; // A list of pairs is tested unfiltered.
            }
            let bounds = distances.get(k as usize).unwrap_or_default();
            lower = lower.min(bounds.lower);
            if bounds.upper < upper || bounds.upper == upper && index.is_none() {
                (upper, index) = (bounds.upper, Some(k));
            }
        }
        let found = nearest.get(link as usize);
        let found = found.map(|found| (found.lower.to_bits(), found.b));
        assert_eq!(found, Some((lower.to_bits(), index)), "link {link}");
    }
    Ok(count)
}
