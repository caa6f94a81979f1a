//! Candidates of shapes with equal keys: boxes of one frame never meet those of another.

use std::ops::Range;

use phalanx::traits::Bounded;
use phalanx::{Detector, During, Error, Groups, InvalidShapes, Pair, Store, StoreRef};

use crate::view::{Kind, copied};

/// A key for each shape.
pub struct Keys {
    pub a: Vec<i128>,
    /// `None` if both stores are one, so that each pair is listed once.
    pub b: Option<Vec<i128>>,
}

/// The indices of shapes in the order of their keys, and these keys.
struct Order {
    indices: Vec<u32>,
    keys: Vec<i128>,
}

impl Order {
    fn new(keys: &[i128]) -> Self {
        let mut indices: Vec<u32> = (0..keys.len() as u32).collect();
        // Stable, so that indices ascend within a key.
        indices.sort_by_key(|i| keys[*i as usize]);
        Order {
            keys: indices.iter().map(|i| keys[*i as usize]).collect(),
            indices,
        }
    }

    /// The places of the shapes with a key, the first of which is at `first`; empty if there are none.
    fn run(&self, first: usize, key: i128) -> Range<usize> {
        first..first + self.keys[first..].partition_point(|other| *other == key)
    }
}

/// Shapes in the order of their keys.
struct Sorted<T: Kind> {
    store: Store<T>,
    groups: Vec<Groups>,
    bodies: Vec<u32>,
}

impl<T: Kind> Sorted<T> {
    fn new(view: &StoreRef<'_, T>, order: &Order) -> Result<Self, Error> {
        let mut store = copied(view)?;
        store.reorder(&order.indices)?;
        let indices = 0..store.len() as u32;
        let groups = indices.clone().filter_map(|i| store.groups(i));
        let bodies = indices.filter_map(|i| store.body(i));
        Ok(Sorted {
            groups: groups.collect(),
            bodies: bodies.collect(),
            store,
        })
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
    let order_a = &Order::new(&keys.a);
    let sorted_a = Sorted::new(a, order_a)?;
    let other = keys.b.as_deref().map(Order::new);
    let order_b = other.as_ref().unwrap_or(order_a);
    let sorted_b = other.as_ref().map(|order| Sorted::new(b, order));
    let sorted_b = sorted_b.transpose()?;
    let (mut all, mut found) = (Vec::new(), Vec::new());
    let mut invalid = InvalidShapes::default();
    let (mut first_a, mut first_b) = (0, 0);
    loop {
        let next = [order_a.keys.get(first_a), order_b.keys.get(first_b)];
        let Some(&key) = next.into_iter().flatten().min() else {
            break;
        };
        // Of a key of one store only, the invalid shapes are counted.
        let (run_a, run_b) = (order_a.run(first_a, key), order_b.run(first_b, key));
        let part_a = sorted_a.part(run_a.clone())?;
        let counts = match &sorted_b {
            None => detector.candidates(&part_a, &part_a, during, &mut found),
            Some(sorted_b) => {
                let part_b = sorted_b.part(run_b.clone())?;
                detector.candidates(&part_a, &part_b, during, &mut found)
            }
        };
        let counts = counts
            .map_err(|error| named(error, &run_a, &run_b, (&order_a.indices, &order_b.indices)))?;
        invalid.a += counts.a;
        invalid.b += counts.b;
        all.extend(found.iter().map(|pair| {
            let a = order_a.indices[run_a.start + pair.a as usize];
            Pair::new(a, order_b.indices[run_b.start + pair.b as usize])
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
