//! Memory is proportional to the listed shapes, not to the store.

#[path = "common/counting.rs"]
mod counting;

use counting::bytes_of;
use phalanx::{Detector, ObbColumns, ObbsRef, Overlaps, Sphere, Spheres, Sweeps};

const SHAPES: usize = 4 << 20;
const LIMIT: usize = 1 << 20;

// A single test in this file, because allocations of other threads would count.
#[test]
fn a_short_list_takes_little_of_a_large_store() {
    let column = vec![0.5f32; SHAPES];
    let all = &column[..];
    let boxes = ObbsRef::new(ObbColumns {
        center: [all; 3],
        half_extents: [all; 3],
        rotation: [all; 4],
        displacement: [&[], &[], &[]],
        turn: [&[], &[], &[]],
    });
    let boxes = boxes.unwrap();
    let mut balls = Spheres::with_capacity(SHAPES);
    balls.extend((0..SHAPES).map(|_| Sphere::default()));
    assert!(
        bytes_of(|| drop(balls.clone())) > LIMIT,
        "nothing is counted"
    );

    let last = SHAPES as u32 - 1;
    for list in [
        vec![[last, last]],
        vec![[0, last]],
        vec![[last / 2, last - 1]],
        (0..1000).map(|i| [i, last - i]).collect(),
        (0..1000).map(|i| [i * 4000, last - i * 3000]).collect(),
    ] {
        for parallel in [false, true] {
            let mut detector = Detector::new().parallel(parallel);
            let (mut overlaps, mut sweeps) = (Overlaps::new(), Sweeps::new());
            let bytes = bytes_of(|| {
                for _ in 0..100 {
                    detector
                        .overlap(&boxes, &boxes, &list, &mut overlaps)
                        .unwrap();
                    detector
                        .overlap(&balls, &boxes, &list, &mut overlaps)
                        .unwrap();
                    detector.sweep(&balls, &balls, &list, &mut sweeps).unwrap();
                }
            });
            assert!(bytes < LIMIT, "{bytes} bytes for {:?} and so on", list[0]);
            assert_eq!(sweeps.count(), list.len());
        }
    }
}
