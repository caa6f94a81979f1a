//! Pairs at the boundary between touching and not touching.

use phalanx::Store;
use rand::{Rng, RngExt};

use super::{KernelCase, Moving, QueryRunner};
use crate::common::{Sample, Setting, nudge, shorten};

/// Number of pairs from one contact.
pub const PAIRS_PER_CONTACT: usize = 16;

/// Pairs with one margin.
pub struct BoundaryPairs<C: KernelCase> {
    pub a: Vec<Moving<C::A>>,
    pub b: Vec<Moving<C::B>>,
    pub margin: f32,
}

/// Two shapes, one moved along a line to where an answer changes, and copies of them with numbers stepped by an ulp or
/// two.
///
/// The answer is the kernel's or the exact one, which leads to contacts that are exact to the last bit. `None` if there
/// is no such place.
pub fn contact<C: KernelCase>(
    rng: &mut impl Rng,
    asker: &mut QueryRunner<C>,
) -> Option<BoundaryPairs<C>> {
    let setting = Setting::random(rng);
    contact_in(&setting, rng, asker)
}

/// Like [`contact`], for shapes in a given setting.
pub fn contact_in<C: KernelCase>(
    setting: &Setting,
    rng: &mut impl Rng,
    asker: &mut QueryRunner<C>,
) -> Option<BoundaryPairs<C>> {
    let margin = if rng.random_bool(0.2) {
        rng.random_range(0.0..0.5) * setting.scale
    } else {
        0.0
    };
    let motions = [setting.motion(rng), setting.motion(rng)];
    let together = rng.random_bool(0.2);
    let motions = if together {
        [motions[0], motions[0]]
    } else {
        motions
    };
    // A contact of static shapes becomes a contact at the start or at the end of the frame.
    let at_rest = rng.random_bool(0.25);
    let still = [[0.0; 3]; 2];
    let [motion_a, motion_b] = if at_rest { still } else { motions };
    let a = (C::A::sample(rng, setting), motion_a);
    let b = (C::B::sample(rng, setting), motion_b);

    let exactly = rng.random_bool(0.4);
    let direction = direction(rng);
    let at = |distance: f32| (b.0.moved(direction.map(|x| x * distance)), b.1);
    let scale = setting.scale;
    // At the largest scales lengths may be out of range.
    if !accepted(&a) || !accepted(&at(0.0)) || !accepted(&at(4000.0 * scale)) {
        return None;
    }
    let mut kernel = |distance: f32| asker.hits(&a, &at(distance), margin);
    let starts = [0.0, 0.25, 0.5, 1.0].map(|k| k * scale);
    let ends = [1.0, 4.0, 16.0, 4000.0].map(|k| k * scale);
    let hit = starts.into_iter().find(|distance| kernel(*distance))?;
    let miss = ends
        .into_iter()
        .find(|distance| *distance > hit && !kernel(*distance))?;
    let mut place = halve(hit, miss, kernel);
    if exactly {
        let exact = |distance: f32| C::exact(&a, &at(distance), margin, None).hit;
        place = exact_change(hit, place, exact)?;
    }
    let (mut a, mut b) = (
        a,
        at(if rng.random_bool(0.5) {
            place.0
        } else {
            place.1
        }),
    );
    if at_rest {
        [a.1, b.1] = motions;
        if rng.random_bool(0.5) {
            a.0 = a.0.moved(a.1.map(|x| -x));
            b.0 = b.0.moved(b.1.map(|x| -x));
        }
    }
    Some(around(rng, a, b, margin))
}

pub fn direction(rng: &mut impl Rng) -> [f32; 3] {
    if rng.random_bool(0.3) {
        let mut direction = [0.0; 3];
        direction[rng.random_range(0..3)] = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
        direction
    } else {
        [(); 3].map(|()| rng.random_range(-1.0..1.0))
    }
}

/// Adjacent floats, the first a hit. Halving the bits, not the distance, ends at such a pair.
pub fn halve(mut hit: f32, mut miss: f32, mut hits: impl FnMut(f32) -> bool) -> (f32, f32) {
    while miss.to_bits() - hit.to_bits() > 1 {
        let middle = f32::from_bits(hit.to_bits().midpoint(miss.to_bits()));
        if hits(middle) {
            hit = middle;
        } else {
            miss = middle;
        }
    }
    (hit, miss)
}

/// The place where the exact answer changes: at or shortly before the place where the kernel's answer changes.
pub fn exact_change(
    start: f32,
    kernel: (f32, f32),
    mut hits: impl FnMut(f32) -> bool,
) -> Option<(f32, f32)> {
    // A false miss of the kernel: a case to report.
    if hits(kernel.1) {
        return Some(kernel);
    }
    let mut miss = kernel.1;
    for step in 0..32 {
        let bits = miss.to_bits().saturating_sub(1 << step);
        let distance = f32::from_bits(bits.max(start.to_bits()));
        if hits(distance) {
            return Some(halve(distance, miss, hits));
        }
        if distance == start {
            return None;
        }
        miss = distance;
    }
    None
}

fn around<C: KernelCase>(
    rng: &mut impl Rng,
    a: Moving<C::A>,
    b: Moving<C::B>,
    margin: f32,
) -> BoundaryPairs<C> {
    let mut contact = BoundaryPairs {
        a: Vec::with_capacity(PAIRS_PER_CONTACT),
        b: Vec::with_capacity(PAIRS_PER_CONTACT),
        margin,
    };
    for k in 0..PAIRS_PER_CONTACT {
        let (mut a, mut b) = (a, b);
        let steps = if k == 0 { 0 } else { rng.random_range(0..3) };
        for _ in 0..steps {
            nudge(rng, &mut a);
            nudge(rng, &mut b);
        }
        shorten(rng, &mut a.0);
        shorten(rng, &mut b.0);
        if accepted(&a) && accepted(&b) {
            contact.a.push(a);
            contact.b.push(b);
        }
    }
    contact
}

/// Whether a shape is valid.
pub fn accepted<T: Sample>(&(shape, displacement): &Moving<T>) -> bool {
    let mut store = Store::new();
    store.push_moving(shape, displacement);
    store.validate().is_ok()
}
