//! The bits of all results of hulls.
#![allow(dead_code)]

use phalanx::traits::{Collide, Distance, Impact, Overlap, Sweep};
use phalanx::{
    ClosestPoints, Contacts, Detector, Distances, Hulls, Impacts, Overlaps, Pair, PlacedHull,
    Shapes, Sweeps,
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

/// The bits of all impacts of a list, in both orders and with a margin.
pub fn impact_bits<B: Shapes>(detector: &mut Detector, a: &Hulls, b: &B, pairs: &[Pair]) -> Vec<u64>
where
    PlacedHull: Impact<B::Shape>,
    B::Shape: Impact<PlacedHull>,
{
    let turned: Vec<Pair> = pairs.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    let mut impacts = Impacts::new();
    let mut all = Vec::new();
    for (margin, tolerance) in [(0.0, 1e-3), (0.25, 0.0)] {
        let mut detector = detector.clone().margin(margin).unwrap();
        for swapped in [false, true] {
            if swapped {
                detector
                    .impact(b, a, &turned, tolerance, &mut impacts)
                    .unwrap();
            } else {
                detector
                    .impact(a, b, pairs, tolerance, &mut impacts)
                    .unwrap();
            }
            all.extend(impacts.words());
            all.extend(impacts.invalid_words());
            all.extend((0..pairs.len()).map(|i| u64::from(impacts.is_settled(i))));
            all.extend(impacts.time().iter().map(|x| u64::from(x.to_bits())));
        }
    }
    all
}

/// The bits of contacts.
pub fn bits_of_contacts(contacts: &Contacts) -> Vec<u64> {
    let mut all: Vec<u64> = contacts.overlaps().words().to_vec();
    all.extend(contacts.overlaps().invalid_words());
    all.extend(contacts.positions().iter().map(|&x| u64::from(x)));
    all.extend(contacts.counts().iter().map(|&x| u64::from(x)));
    let mut numbers = contacts.normal().concat();
    numbers.extend(contacts.separation());
    for k in 0..4 {
        let point = contacts.point(k);
        numbers.extend(point.at.concat());
        numbers.extend(point.separation);
        all.extend(point.feature.iter().map(|&x| u64::from(x)));
    }
    all.extend(numbers.iter().map(|x| u64::from(x.to_bits())));
    all
}

/// The bits of all contacts of a list, in both orders, at the start and at the time of entry, and with a margin.
pub fn contact_bits<A: Shapes, B: Shapes>(
    detector: &mut Detector,
    a: &A,
    b: &B,
    pairs: &[Pair],
) -> Vec<u64>
where
    A::Shape: Collide<B::Shape>,
    B::Shape: Collide<A::Shape>,
{
    let turned: Vec<Pair> = pairs.iter().map(|pair| Pair::new(pair.b, pair.a)).collect();
    let (mut sweeps, mut contacts) = (Sweeps::new(), Contacts::new());
    let mut all = Vec::new();
    for margin in [0.0, 0.25] {
        let mut detector = detector.clone().margin(margin).unwrap();
        detector.contact(a, b, pairs, &mut contacts).unwrap();
        all.extend(bits_of_contacts(&contacts));
        detector.contact(b, a, &turned, &mut contacts).unwrap();
        all.extend(bits_of_contacts(&contacts));
        detector
            .sweep_contacts(a, b, pairs, &mut sweeps, &mut contacts)
            .unwrap();
        all.extend(bits_of_contacts(&contacts));
    }
    all
}
