//! A lidar at the head of the character.
//!
//! It calls a detector: rays cast by a scene also have points and normals, and take more than 1.2 times as long.

use std::f64::consts::{PI, TAU};
use std::time::{Duration, Instant};

use phalanx::{Detector, Error, FirstHits, Mesh, Point, Points};

use crate::plain;

pub const CHANNELS: usize = 20;
pub const COLUMNS: usize = 500;
pub const RAYS: usize = CHANNELS * COLUMNS;
/// Range in metres.
pub const RANGE: f32 = 50.0;
/// Elevation of the lowest and the highest channel, in degrees.
const ELEVATION: [f64; 2] = [-25.0, 15.0];
/// One of this number of rays is checked against all triangles.
pub const CHECKED: usize = 10;
/// One of this number of hits is drawn.
const DRAWN: usize = 83;
/// Half the distance of 1 from the next f32.
const U: f64 = 1.0 / (1 << 24) as f64;

#[derive(Default)]
pub struct Lidar {
    detector: Detector,
    rays: Points,
    firsts: FirstHits,
    directions: Vec<[f32; 3]>,
    pub totals: Totals,
    /// Some of the hit points, for the picture.
    pub points: Vec<[f32; 3]>,
}

/// Sums over all scans.
#[derive(Default)]
pub struct Totals {
    pub scans: usize,
    pub hits: usize,
    pub range: f64,
    pub time: Duration,
    pub checked: usize,
    /// Rays whose hit was not reported, or was reported too late.
    pub missed: usize,
    /// Rays with a hit away from all triangles.
    pub false_hits: usize,
    /// Difference of exact and reported ranges, in metres: the sum and the largest.
    pub early: f64,
    pub most_early: f64,
}

impl Lidar {
    pub fn new() -> Self {
        // Rounded from f64: the last bit of a sine differs between machines.
        let directions = (0..RAYS).map(|ray| {
            let (column, channel) = (ray / CHANNELS, ray % CHANNELS);
            let part = channel as f64 / (CHANNELS - 1) as f64;
            let up = (ELEVATION[0] + (ELEVATION[1] - ELEVATION[0]) * part) * PI / 180.0;
            let around = TAU * column as f64 / COLUMNS as f64;
            [up.cos() * around.cos(), up.cos() * around.sin(), up.sin()].map(|x| x as f32)
        });
        Lidar {
            directions: directions.collect(),
            ..Lidar::default()
        }
    }

    /// Casts all rays from a place.
    pub fn scan(&mut self, origin: [f32; 3], level: &Mesh) -> Result<(), Error> {
        self.rays.clear();
        self.rays.extend_moving(
            self.directions
                .iter()
                .map(|direction| (Point { position: origin }, direction.map(|x| x * RANGE))),
        );
        let start = Instant::now();
        self.detector
            .first_hits(&self.rays, level, &mut self.firsts)?;
        self.totals.time += start.elapsed();
        self.totals.scans += 1;
        for hit in &self.firsts {
            let range = hit.time.enter * RANGE;
            self.totals.hits += 1;
            self.totals.range += f64::from(range);
            if !self.totals.hits.is_multiple_of(DRAWN) {
                continue;
            }
            let direction = self.directions[hit.a as usize];
            self.points
                .push([0, 1, 2].map(|k| origin[k] + direction[k] * range));
        }
        Ok(())
    }

    /// Compares some rays of the last scan with plain loops.
    pub fn check(&mut self, level: &plain::Level) {
        let Some(origin) = self.rays.get(0).map(|ray| ray.position.map(f64::from)) else {
            return;
        };
        let first = self.totals.scans % CHECKED;
        let checked: Vec<usize> = (first..RAYS).step_by(CHECKED).collect();
        let ways: Vec<_> = checked
            .iter()
            .map(|&ray| self.directions[ray].map(|x| f64::from(x * RANGE)))
            .collect();
        let exact = level.first_times(origin, &ways);
        let totals = &mut self.totals;
        for ((&ray, &way), exact) in checked.iter().zip(&ways).zip(exact) {
            totals.checked += 1;
            let hit = self.firsts.get(ray);
            let enter = hit.map_or(f64::INFINITY, |hit| f64::from(hit.time.enter));
            totals.missed += usize::from(enter > exact);
            let Some(hit) = hit else {
                continue;
            };
            let place = plain::add(origin, way, enter);
            let triangle = level.triangle(hit.b);
            let gap = plain::distance(place, triangle.nearest(place));
            // The band of `point_triangle_sweep` in the contract.
            let size: f64 = way.iter().map(|x| x.abs()).sum();
            let [longest, offset] = triangle.sizes(origin);
            let band = U * (160.0 * longest + 54.0 * (offset + size));
            totals.false_hits += usize::from(gap > band);
            if exact.is_finite() {
                let early = (exact - enter) * f64::from(RANGE);
                totals.early += early;
                totals.most_early = totals.most_early.max(early);
            }
        }
    }
}
