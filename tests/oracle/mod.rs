//! Exact answers, from the definitions.
//!
//! Every `f32` is an integer times a power of two. So with one scale for all lengths of a pair, the exact answer needs
//! only integers: no rounding, no tolerance, no fraction to reduce. Each file is the oracle of the kernel of its name,
//! `planes` of all kernels of planes and half-spaces. No oracle shares a formula with its kernel.
#![allow(dead_code)]

use dashu_int::IBig;

pub mod boxes;
pub mod cylinders;
pub mod distances;
pub mod exact;
pub mod hull_contacts;
pub mod hulls;
pub mod intervals;
pub mod linear;
pub mod minkowski;
pub mod moving_point;
pub mod planes;
pub mod rounded_box;
pub mod segments;
pub mod swept_segment;
pub mod triangles;
pub mod turning;

/// Declares the oracle of each line of the index: `exact` in a module of that name.
macro_rules! oracles {
    ($($name:ident: $verb:ident($($shape:ident),+);)*) => {
        $(oracles!(@ $name, $verb, $($shape),+);)*
    };
    (@ $name:ident, $verb:ident, $a:ident, Plane) => { oracles!(@@ $name, $verb); };
    (@ $name:ident, $verb:ident, $a:ident, HalfSpace) => { oracles!(@@ $name, $verb); };
    (@ $file:ident, $verb:ident, $($shape:ident),+) => { pub mod $file; };
    (@@ $name:ident, $verb:ident) => {
        pub mod $name {
            #[allow(unused_imports)]
            pub use super::planes::$verb as exact;
        }
    };
}
phalanx::kernels!(oracles);

/// The exact answer for a pair.
#[derive(Clone, Copy, Debug)]
pub struct Exact {
    /// Whether the pair touches.
    pub hit: bool,
    /// Distance of the pair, or the least distance during the frame; zero for a hit. Rounded to `f64`.
    pub gap: f64,
    /// The largest gap at which the kernel may report a hit.
    pub band: f64,
    /// Whether a claimed time interval contains the exact interval. True without a claim.
    pub encloses: bool,
    /// Maximum distance of the shapes at the claimed times. Zero without a claim.
    pub slack: f64,
}

impl Exact {
    /// The exact answer for a static pair.
    pub fn at_rest(hit: bool, gap: f64, band: f64) -> Self {
        Exact {
            hit,
            gap,
            band,
            encloses: true,
            slack: 0.0,
        }
    }
}

/// u, the largest relative error of a rounding.
pub const U: f64 = 1.0 / (1 << 24) as f64;
/// The shortest length that bands are relative to.
pub const ORACLE_FLOOR: f64 = 1.0 / (1u64 << 61) as f64;

/// A point as a sphere of radius zero.
fn ball(point: &phalanx::Point) -> phalanx::Sphere {
    phalanx::Sphere {
        center: point.position,
        radius: 0.0,
    }
}

/// Whether a point at distance `outside / unit` from a box on each axis is within `reach`, and the gap if not.
fn nearest_point(outside: &[IBig; 3], unit: &IBig, reach: &IBig) -> (bool, f64) {
    let distance_sq: IBig = outside.iter().map(exact::sq).sum();
    let reach = reach * unit;
    let excess = &distance_sq - exact::sq(&reach);
    if excess <= IBig::ZERO {
        return (true, 0.0);
    }
    let distances =
        exact::ratio(&distance_sq, &exact::sq(unit)).sqrt() + exact::ratio(&reach, unit);
    (false, exact::ratio(&excess, &exact::sq(unit)) / distances)
}
