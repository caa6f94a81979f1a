//! A cloud of convex rocks: broad phase, then overlap of hulls, contacts of the hits, and overlap of boxes for comparison.

use glam::{Quat, Vec3};
use phalanx::{
    Contacts, Detector, During, Error, Hull, HullKinds, Hulls, ObbsRef, Overlaps, Pair, Simd,
};
use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

use super::{Counters, Ferry, Instances, Scene, any_rotation, random_of, small_turn, within_ball};

/// Number of kinds.
const KINDS: u32 = 16;
/// Volume for each rock, in cubic metres.
const ROOM: f64 = 56.0;
/// Height of the cloud, as a share of its width.
const FLAT: f64 = 0.5;
/// Distance per frame of a rock at the edge of the cloud, in metres.
const SPEED: f32 = 0.045;
/// Share of the tint of a hit that remains in the next frame.
const FADE: f32 = 0.8;

/// Rocks of some kinds in a cloud, drifting and rotating.
///
/// Its own counters: rocks that touch another rock, the radius of the cloud, candidate pairs whose boxes touch, contact points, and
/// the deepest penetration.
#[derive(Debug)]
pub struct Rocks {
    /// Ordered by kind: the rocks of a kind are a range.
    rocks: Hulls,
    /// First rock of each kind, and the number of rocks.
    firsts: Vec<usize>,
    /// Rotation about the center of the cloud in a frame, and the rock's own.
    orbits: Vec<Quat>,
    spins: Vec<Quat>,
    tint: Vec<f32>,
    ones: Vec<f32>,
    /// Coordinates of the points of each kind.
    points: Vec<Vec<f32>>,
    counters: Counters,
    detector: Detector,
    pairs: Vec<Pair>,
    overlaps: Overlaps,
    boxes: Overlaps,
    hits: Vec<Pair>,
    contacts: Contacts,
}

impl Rocks {
    /// A cloud of `len` rocks, of the same density for any number.
    ///
    /// # Errors
    ///
    /// As for [`HullKinds::add`]; none for any seed.
    pub fn new(seed: u32, len: u32) -> Result<Self, Error> {
        let mut kinds = HullKinds::new();
        let mut points = Vec::new();
        for kind in 0..KINDS {
            let kind = rock(kind, &mut random_of(seed, kind, 1));
            kinds.add(&kind)?;
            points.push(kind.concat());
        }
        // In steps of a quarter: cube roots are not rounded alike everywhere.
        let volume_of_unit_cloud = 4.0 / 3.0 * core::f64::consts::PI * FLAT;
        let radius = (f64::from(len) * ROOM / volume_of_unit_cloud).cbrt() * 4.0;
        let radius = radius.round() as f32 / 4.0;
        let mut rocks = Hulls::new(&kinds);
        rocks.reserve(len as usize);
        let (mut firsts, mut orbits, mut spins) = (vec![0], Vec::new(), Vec::new());
        for kind in 0..KINDS {
            let next = u64::from(len) * u64::from(kind + 1) / u64::from(KINDS);
            for index in rocks.len() as u32..next as u32 {
                let random = &mut random_of(seed, index, 0);
                let unit = within_ball(random);
                let center = unit * Vec3::new(radius, radius * FLAT as f32, radius);
                rocks.push(Hull::new(kind, center, any_rotation(random)))?;
                // Nearly around the vertical axis, so that the cloud keeps its form.
                let axis = (Vec3::Y + within_ball(random) * 0.3).normalize();
                let speed = SPEED * random.random_range(0.4..1.0f32);
                orbits.push(small_turn(axis * (speed / radius)));
                spins.push(small_turn(within_ball(random) * 0.035));
            }
            firsts.push(rocks.len());
        }
        let len = rocks.len();
        let mut counters = Counters {
            shapes: len,
            ..Counters::default()
        };
        counters.own[1] = radius.into();
        Ok(Rocks {
            rocks,
            firsts,
            orbits,
            spins,
            tint: vec![0.0; len],
            ones: vec![1.0; len],
            points,
            counters,
            detector: super::detector(),
            pairs: Vec::new(),
            overlaps: Overlaps::new(),
            boxes: Overlaps::new(),
            hits: Vec::new(),
            contacts: Contacts::new(),
        })
    }

    /// The rocks.
    pub fn rocks(&self) -> &Hulls {
        &self.rocks
    }
}

/// Points of a kind: 16 to 32 on a bumpy ellipsoid, evenly spread.
fn rock(kind: u32, random: &mut Xoshiro256PlusPlus) -> Vec<[f32; 3]> {
    let len = 16 + kind * 16 / (KINDS - 1);
    // Few kinds are large.
    let share = kind as f32 / (KINDS - 1) as f32;
    let size = 0.55 + 1.1 * share * share * share;
    let stretch = Vec3::from_array([(); 3].map(|()| random.random_range(0.7..1.2)));
    let mut units: Vec<Vec3> = Vec::new();
    for _ in 0..len {
        // The candidate that is farthest from all other points.
        let (mut best, mut farthest) = (Vec3::X, -1.0);
        for _ in 0..12 {
            let unit = within_ball(random).normalize_or(Vec3::X);
            let distances = units.iter().map(|other| other.distance_squared(unit));
            let nearest = distances.fold(4.0, f32::min);
            if nearest > farthest {
                (best, farthest) = (unit, nearest);
            }
        }
        units.push(best);
    }
    let bumpy = |unit: &Vec3| (*unit * stretch * size * random.random_range(0.8..1.1f32)).into();
    units.iter().map(bumpy).collect()
}

impl Scene for Rocks {
    fn advance(&mut self) {
        let columns = self.rocks.poses_mut();
        super::revolve(columns.center, columns.rotation, &self.orbits, &self.spins);
    }

    fn candidates(&mut self) -> Result<(), Error> {
        let rocks = &self.rocks;
        self.detector
            .candidates(rocks, rocks, During::Start, &mut self.pairs)?;
        Ok(())
    }

    fn test(&mut self) -> Result<(), Error> {
        let rocks = &self.rocks;
        self.detector
            .overlap(rocks, rocks, &self.pairs, &mut self.overlaps)
    }

    fn settle(&mut self) -> Result<(), Error> {
        // For comparison only, so it is not timed with the hulls.
        let around: ObbsRef<'_> = self.rocks.boxes();
        self.detector
            .overlap(&around, &around, &self.pairs, &mut self.boxes)?;
        for tint in &mut self.tint {
            // Small tints would become subnormal.
            *tint = if *tint < 0.05 { 0.0 } else { *tint * FADE };
        }
        self.hits.clear();
        self.hits.extend(self.overlaps.hits(&self.pairs)?);
        for pair in &self.hits {
            self.tint[pair.a as usize] = 1.0;
            self.tint[pair.b as usize] = 1.0;
        }
        let rocks = &self.rocks;
        self.detector
            .contact(rocks, rocks, &self.hits, &mut self.contacts)?;
        self.counters.pairs = self.pairs.len();
        self.counters.hits = self.overlaps.count();
        self.counters.invalid = self.overlaps.invalid_count();
        self.counters.own[0] = self.tint.iter().filter(|tint| **tint == 1.0).count() as f64;
        self.counters.own[2] = self.boxes.count() as f64;
        let points = self.contacts.counts().iter().map(|count| f64::from(*count));
        self.counters.own[3] = points.sum();
        let separations = self.contacts.separation().iter();
        self.counters.own[4] =
            separations.fold(0.0, |most, separation| f64::from(-separation).max(most));
        Ok(())
    }

    fn counters(&self) -> Counters {
        self.counters
    }

    fn simd(&self) -> Simd {
        self.detector.settings().simd
    }

    fn instances(&self) -> Vec<Instances<'_>> {
        let columns = self.rocks.poses();
        let ([x, y, z], [i, j, k, w]) = (columns.center, columns.rotation);
        let one = &self.ones[..];
        let all = [x, y, z, one, one, one, i, j, k, w, &self.tint];
        let ranges = self.firsts.windows(2);
        ranges
            .map(|range| Instances(all.map(|column| &column[range[0]..range[1]])))
            .collect()
    }

    fn points(&self) -> &[Vec<f32>] {
        &self.points
    }

    fn carry(&mut self, ferry: &mut Ferry) {
        ferry.hulls(&mut self.rocks);
        ferry.numbers(&mut self.tint);
        self.counters.carry(ferry);
    }
}
