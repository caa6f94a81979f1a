//! Candidates of shapes with equal keys: boxes of one frame never meet those of another.

use std::ops::Range;

use phalanx::{
    Bounded, Detector, During, Error, Groups, InvalidShapes, Pair, Shapes, Store, StoreRef,
};

use crate::stores::{Kind, copied};

/// A key for each shape of both stores.
pub struct Keys {
    pub a: Vec<i128>,
    pub b: Vec<i128>,
    /// Whether both are one store, so that each pair is listed once.
    pub is_one: bool,
}

/// Shapes in the order of their keys.
struct Sorted<T: Kind> {
    store: Store<T>,
    groups: Vec<Groups>,
    bodies: Vec<u32>,
    /// The index of each before.
    order: Vec<u32>,
    keys: Vec<i128>,
}

impl<T: Kind> Sorted<T> {
    fn new(view: &StoreRef<'_, T>, keys: &[i128]) -> Result<Self, Error> {
        let mut order: Vec<u32> = (0..view.len() as u32).collect();
        // Stable, so that indices ascend within a key.
        order.sort_by_key(|i| keys[*i as usize]);
        let mut store = copied(view)?;
        store.reorder(&order)?;
        let indices = 0..store.len() as u32;
        let groups = indices.clone().filter_map(|i| store.groups(i));
        let bodies = indices.filter_map(|i| store.body(i));
        Ok(Sorted {
            groups: groups.collect(),
            bodies: bodies.collect(),
            keys: order.iter().map(|i| keys[*i as usize]).collect(),
            store,
            order,
        })
    }

    /// The shapes of the key at `first`.
    fn run(&self, first: usize) -> Range<usize> {
        let key = self.keys[first];
        first..first + self.keys[first..].partition_point(|other| *other == key)
    }

    /// A view of some of them.
    fn part(&self, range: Range<usize>) -> Result<StoreRef<'_, T>, Error> {
        let columns = T::listed(self.store.columns());
        let part = columns
            .into_iter()
            .map(|column| column.get(range.clone()).unwrap_or_default());
        let view = StoreRef::new(T::named(part))?;
        let view = view.with_groups(&self.groups[range.clone()])?;
        view.with_bodies(&self.bodies[range])
    }
}

/// The pairs of shapes with equal keys whose bounds overlap, sorted, and the numbers of invalid shapes.
pub fn candidates<A: Kind + Bounded, B: Kind + Bounded>(
    detector: &mut Detector,
    (a, b): (&StoreRef<'_, A>, &StoreRef<'_, B>),
    during: During,
    keys: &Keys,
) -> Result<(Vec<Pair>, InvalidShapes), Error> {
    let sorted_a = Sorted::new(a, &keys.a)?;
    let sorted_b = Sorted::new(b, &keys.b)?;
    let (none_a, none_b) = (Store::<A>::new(), Store::<B>::new());
    let (mut all, mut found) = (Vec::new(), Vec::new());
    let mut invalid = InvalidShapes::default();
    let (mut first_a, mut first_b) = (0, 0);
    while first_a < a.len() || first_b < b.len() {
        let key_a = sorted_a.keys.get(first_a);
        let key_b = sorted_b.keys.get(first_b);
        let takes_a = key_b.is_none_or(|b| key_a.is_some_and(|a| a <= b));
        let takes_b = key_a.is_none_or(|a| key_b.is_some_and(|b| b <= a));
        let run_a = if takes_a {
            sorted_a.run(first_a)
        } else {
            first_a..first_a
        };
        let run_b = if takes_b {
            sorted_b.run(first_b)
        } else {
            first_b..first_b
        };
        let part_a = sorted_a.part(run_a.clone())?;
        let counts = if keys.is_one {
            detector.candidates(&part_a, &part_a, during, &mut found)
        } else {
            let part_b = sorted_b.part(run_b.clone())?;
            // A key of one store only: its invalid shapes are counted.
            if !takes_b {
                detector.candidates(&part_a, &none_b.view(), during, &mut found)
            } else if !takes_a {
                detector.candidates(&none_a.view(), &part_b, during, &mut found)
            } else {
                detector.candidates(&part_a, &part_b, during, &mut found)
            }
        };
        let counts = counts
            .map_err(|error| named(error, &run_a, &run_b, (&sorted_a.order, &sorted_b.order)))?;
        invalid.a += counts.a;
        invalid.b += counts.b;
        all.extend(found.iter().map(|pair| {
            let a = sorted_a.order[run_a.start + pair.a as usize];
            Pair::new(a, sorted_b.order[run_b.start + pair.b as usize])
        }));
        (first_a, first_b) = (run_a.end, run_b.end);
    }
    all.sort_unstable();
    Ok((all, invalid))
}

/// The error of a strict detector, with the index that the shape had before.
fn named(
    mut error: Error,
    run_a: &Range<usize>,
    run_b: &Range<usize>,
    (order_a, order_b): (&[u32], &[u32]),
) -> Error {
    if let Error::InvalidShape {
        is_second, index, ..
    } = &mut error
    {
        let (order, run) = if *is_second {
            (order_b, run_b)
        } else {
            (order_a, run_a)
        };
        *index = order[run.start + *index as usize];
    }
    error
}
