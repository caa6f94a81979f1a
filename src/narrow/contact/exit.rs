//! Exits: how far a shape moves along a direction until it no longer touches a triangle.
//!
//! The exit is the time of exit of a sweep that is long enough. Sweeps are never early, so no exit is too short.

use crate::driver::source::{Deferred, Separate, Test};
use crate::lane::{Float, Lanes, U, Vec3};
use crate::narrow::contact::manifold::{Exit, Manifold, ManifoldKernel};
use crate::narrow::overlap::overlaps::Sweeps;
use crate::shapes::form::WideMoving;
use crate::shapes::shape::Shape;
use crate::shapes::triangle::{Triangle, WideTriangle};

/// The exit of a shape from a triangle along a unit vector, given the center of the shape relative to the first corner. By a
/// sweep that is long enough.
#[inline(always)]
pub fn exit<L: Lanes, A: Test<Sweeps, Triangle, Load = Separate>>(
    lanes: L,
    a: A::Wide<L::F>,
    triangle: WideTriangle<L::F>,
    above: Vec3<L::F>,
    outward: Vec3<L::F>,
) -> Exit<L> {
    let zero = lanes.splat(0.0);
    let [second, third] = triangle.edges();
    let highest = zero.max(outward.dot(second)).max(outward.dot(third));
    // No point of the shape is further from its center than its size.
    let reach = (highest - outward.dot(above)).max(zero) + A::wide_size(a);
    let reach = reach * lanes.splat(1.0 + 1.0 / 64.0);
    let moving = WideMoving {
        start: a,
        displacement: outward * reach,
    };
    let still = WideMoving {
        start: triangle,
        displacement: Vec3([zero; 3]),
    };
    let times = A::test(lanes, (moving, still), zero).finish(lanes);
    let touches = times.hit & times.enter.le(zero);
    Exit {
        length: length_of(lanes, times.exit, reach).masked(touches),
        touches,
    }
}

/// The length of a part of a way along a unit vector. The vector is rounded, and so are the product of the way and this one.
#[inline(always)]
fn length_of<L: Lanes>(lanes: L, part: L::F, way: L::F) -> L::F {
    part * way * (lanes.splat(1.0) + lanes.splat(8.0 * U))
}

/// The manifold of a shape that is pushed out of a mesh in a direction, given the length of its exit.
#[inline(always)]
pub fn pushed<L: Lanes, A: ManifoldKernel<B>, B: Shape>(
    lanes: L,
    (a, b): (A::Wide<L::F>, B::Wide<L::F>),
    margin: L::F,
    outward: Vec3<L::F>,
    exit: L::F,
) -> Manifold<L::F> {
    let mut manifold = A::manifold_along(lanes, a, b, margin, -outward);
    let least = lanes.lower(-exit);
    manifold.separation = manifold.separation.max(least);
    for point in &mut manifold.points {
        point.separation = point.separation.max(least);
    }
    manifold
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::common::rng;
    use crate::lane::One;
    use crate::math::dvec::DVec3;

    #[test]
    fn exit_is_never_shorter_than_the_way() {
        let mut rng = rng("length of an exit");
        for _ in 0..100_000 {
            let v = [(); 3].map(|()| rng.random_range(-1.0..1.0f64));
            let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let outward = Vec3(v.map(|x| (x / length) as f32));
            let (reach, part) = (rng.random_range(0.1..1.0f32), rng.random_range(0.0..1.0f32));
            let way = DVec3::of((outward * reach).0);
            let exact = way.dot(way).sqrt() * f64::from(part);
            let found = length_of(One, part, reach);
            assert!(f64::from(found) >= exact, "{found} of {exact}");
        }
    }
}
