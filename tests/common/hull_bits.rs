//! The bits of all results of hulls.

use phalanx::traits::{Distance, Overlap, Sweep};
use phalanx::{
    ClosestPoints, Detector, Distances, Hulls, Overlaps, Pair, PlacedHull, Shapes, Sweeps,
};

/// The bits of all results of a list, in both orders.
pub fn bits<B: Shapes>(detector: &mut Detector, a: &Hulls, b: &B, pairs: &[Pair]) -> Vec<u64>
where
    PlacedHull: Overlap<B::Shape> + Sweep<B::Shape> + Distance<B::Shape>,
    B::Shape: Overlap<PlacedHull> + Sweep<PlacedHull> + Distance<PlacedHull>,
{
    let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
    let (mut distances, mut points) = (Distances::new(), ClosestPoints::new());
    let turned: Vec<Pair> = pairs.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    let mut all = Vec::new();
    let mut take = |overlaps: &Overlaps, sweeps: &Sweeps, distances: &Distances| {
        all.extend(overlaps.words());
        all.extend(overlaps.invalid_words());
        let numbers = [
            sweeps.enter(),
            sweeps.exit(),
            distances.lower(),
            distances.upper(),
        ];
        all.extend(numbers.concat().iter().map(|x| u64::from(x.to_bits())));
        all.extend(distances.unsettled_words());
        all.extend(distances.invalid_words());
    };
    detector.overlap(a, b, pairs, &mut overlaps).unwrap();
    detector.sweep(a, b, pairs, &mut sweeps).unwrap();
    detector
        .distance_points(a, b, pairs, &mut distances, &mut points)
        .unwrap();
    take(&overlaps, &sweeps, &distances);
    let ends = points.clone();
    detector.overlap(b, a, &turned, &mut overlaps).unwrap();
    detector.sweep(b, a, &turned, &mut sweeps).unwrap();
    detector
        .distance_points(b, a, &turned, &mut distances, &mut points)
        .unwrap();
    take(&overlaps, &sweeps, &distances);
    for points in [ends, points] {
        let numbers = [points.at_a(), points.at_b()].concat().concat();
        all.extend(numbers.iter().map(|x| u64::from(x.to_bits())));
    }
    all
}
