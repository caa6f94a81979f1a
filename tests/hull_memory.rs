//! Memory of kinds of hulls, with and without stores that share them.

#[path = "common/counting.rs"]
mod counting;

use counting::{bytes_of, kept_by};
use phalanx::{Hull, HullKinds, Hulls};

const KINDS: usize = 4000;

/// The corners of a box.
fn points(kind: usize) -> [[f32; 3]; 8] {
    let size = 1.0 + kind as f32 / KINDS as f32;
    core::array::from_fn(|k| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -size } else { size }))
}

/// Adds all kinds, with a call after each.
fn add(kinds: &mut HullKinds, mut after: impl FnMut(&mut HullKinds)) {
    for kind in 0..KINDS {
        assert_eq!(kinds.add(&points(kind)), Ok(kind as u32));
        after(kinds);
    }
}

// A single test in this file, because allocations of other threads would count.
#[test]
fn kinds_that_stores_share_are_added_without_a_copy_of_all() {
    let mut alone = HullKinds::new();
    let mut bytes = 0;
    let kept = kept_by(|| bytes = bytes_of(|| add(&mut alone, |_| ())));
    println!("alone: {} bytes each, {} kept", bytes / KINDS, kept / KINDS);

    // A store of the kinds so far, dropped before the next kind or kept for long.
    let mut stores = Vec::with_capacity(KINDS);
    let mut shared = HullKinds::new();
    let dropped = bytes_of(|| {
        let mut store = Hulls::default();
        add(&mut shared, |kinds| store = Hulls::new(kinds));
        assert!(store.is_empty());
    });
    let mut again = HullKinds::new();
    let all_kept = bytes_of(|| add(&mut again, |kinds| stores.push(Hulls::new(kinds))));
    println!(
        "shared: {} bytes each, {} if all stores are kept",
        dropped / KINDS,
        all_kept / KINDS
    );
    // A tenth of the table would be 100 kB.
    assert!(dropped < 2 * bytes && all_kept < 2 * bytes);

    // Kinds added through a store that is one of many clones.
    let mut last = stores[KINDS - 1].clone();
    let one = bytes_of(|| assert_eq!(last.add_kind(&points(0)), Ok(KINDS as u32)));
    println!("one more: {one} bytes");
    assert!(one < 20_000, "{one}");

    // Each store has the kinds that there were.
    for (i, store) in stores.iter_mut().enumerate().step_by(97) {
        assert_eq!(store.kinds().len(), i + 1);
        assert!(store.kinds().points(i as u32).unwrap().eq(points(i)));
        assert!(store.kinds().points(i as u32 + 1).is_none());
        let hull = |kind| Hull {
            kind,
            ..Hull::default()
        };
        assert!(store.push(hull(i as u32)).is_ok() && store.push(hull(i as u32 + 1)).is_err());
    }
}
