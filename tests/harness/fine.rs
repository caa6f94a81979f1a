//! Pairs of uneven sizes that touch, or do not, by less than `f64` can tell.
//!
//! A coordinate near zero is stored to 2⁻²⁴ of itself. So a shape at the origin is placed along one axis to 2⁻⁴⁸ of the
//! sizes, and along another to 2⁻⁵⁸ and less.

use rand::{Rng, RngExt};

use super::contact::{BoundaryPairs, accepted, direction, exact_change, halve};
use super::{KernelCase, Moving, QueryRunner};
use crate::common::{Sample, Setting};

/// Two pairs that differ by 2⁻⁵⁸ of their sizes or less, the first touching, the second not. `None` if there are none.
pub fn fine_contact<C: KernelCase>(
    rng: &mut impl Rng,
    asker: &mut QueryRunner<C>,
) -> Option<BoundaryPairs<C>> {
    let scale = 2f32.powi(rng.random_range(-10..=10));
    let mut scales = [scale, scale * 2f32.powi(rng.random_range(3..=20))];
    if rng.random_bool(0.5) {
        scales.reverse();
    }
    let [of_a, of_b] = scales.map(|scale| {
        let mut setting = Setting::random(rng);
        (setting.scale, setting.offset) = (scale, [0.0; 3]);
        setting
    });
    // A plane has no size: what makes a pair uneven beside it is the margin.
    let is_plane = C::NAME.contains("plane") || C::NAME.contains("half_space");
    let margin = match rng.random_range(0..10) {
        0..=5 if is_plane => rng.random_range(8.0..100.0) * of_a.scale,
        0 | 1 => rng.random_range(0.0..0.5) * of_a.scale,
        2 | 3 => rng.random_range(0.0..0.5) * of_b.scale,
        _ => 0.0,
    };
    let (a, b) = (C::A::sample(rng, &of_a), C::B::sample(rng, &of_b));
    let (mut a, b) = (
        (a.moved(a.corner(rng).map(|x| -x)), of_a.motion(rng)),
        (b.moved(b.inside(rng).map(|x| -x)), of_b.motion(rng)),
    );
    if is_plane && margin == 0.0 {
        // Or a long way, whose errors are those of its own size.
        let longer = 2f32.powi(rng.random_range(4..=12));
        a.1 = a.1.map(|x| x * longer);
    }
    let larger = scales[0].max(scales[1]);
    let away = direction(rng);
    let at = |distance: f32| (b.0.moved(away.map(|x| x * distance)), b.1);
    if !accepted(&a) || !accepted(&at(0.0)) || !accepted(&at(4000.0 * larger)) {
        return None;
    }
    let mut kernel = |a: &Moving<C::A>, b: &Moving<C::B>| asker.hits(a, b, margin);
    let exact = |a: &Moving<C::A>, b: &Moving<C::B>| C::exact(a, b, margin, None).hit;
    if !kernel(&a, &b) {
        return None;
    }
    let far = [1.0, 4.0, 16.0, 4000.0].map(|k| k * larger);
    let far = far.into_iter().find(|far| !kernel(&a, &at(*far)))?;
    let place = halve(0.0, far, |distance| kernel(&a, &at(distance)));
    // Where the kernel's answer changes, `f64` decides; other pairs are found by the exact one.
    let b = if rng.random_bool(0.7) {
        at(place.0)
    } else {
        at(exact_change(0.0, place, |distance| exact(&a, &at(distance)))?.0)
    };

    let first = rng.random_range(0..3);
    let second = (first + rng.random_range(1..3)) % 3;
    let ulp = larger / (1 << 24) as f32;
    let (sign, miss) = nearest_miss(ulp, |by| kernel(&along(a, first, by), &b))?;
    let place = halve(0.0, miss, |by| kernel(&along(a, first, sign * by), &b));
    let (hit, miss) = exact_change(0.0, place, |by| exact(&along(a, first, sign * by), &b))?;
    let pairs = |hit, miss| BoundaryPairs {
        a: vec![hit, miss],
        b: vec![b, b],
        margin,
    };
    let (a, apart) = (along(a, first, sign * hit), along(a, first, sign * miss));
    let Some((sign, mut miss)) = nearest_miss(miss - hit, |by| exact(&along(a, second, by), &b))
    else {
        return Some(pairs(a, apart));
    };
    let mut hit = 0.0;
    for _ in 0..10 {
        let middle = 0.5 * (hit + miss);
        if exact(&along(a, second, sign * middle), &b) {
            hit = middle;
        } else {
            miss = middle;
        }
    }
    let [touching, apart] = [hit, miss].map(|by| along(a, second, sign * by));
    Some(pairs(touching, apart))
}

/// The shape moved along an axis: exactly, if it has a coordinate of zero there.
fn along<T: Sample>((shape, displacement): Moving<T>, axis: usize, by: f32) -> Moving<T> {
    let mut way = [0.0; 3];
    way[axis] = by;
    (shape.moved(way), displacement)
}

/// A sign, and a distance of some times `least`, at which there is no hit.
fn nearest_miss(least: f32, mut hits: impl FnMut(f32) -> bool) -> Option<(f32, f32)> {
    (0..7)
        .flat_map(|k| [1.0, -1.0].map(|sign| (sign, least * 4f32.powi(k))))
        .find(|(sign, by)| !hits(sign * by))
}

/// Whether the margin of two shapes is a distance. Boxes and triangles grow by it along their normals.
pub fn is_euclidean<C: KernelCase>() -> bool {
    ["sphere", "capsule", "plane", "half_space"]
        .iter()
        .any(|shape| C::NAME.contains(shape))
}
