//! Per-block AABBs; one shape against all skips blocks out of range.
//!
//! A store that rests has a box around each [`WORD`] of shapes, found by the second call that has use for
//! it and kept in the store's [cache](crate::shapes::StoreCache). A word whose box is
//! [apart](crate::kernel::cull::are_apart) from that of the one shape is not tested. A word that holds a bad
//! shape has a box around all there is: it is always tested, and its pairs are flagged.

use super::ops::{For, FormOps};
use super::settings::Settings;
use crate::hits::WORD;
use crate::kernel::cull::{are_apart, cull_distance, widened};
use crate::lane::{Job, Lanes, Mask, STEP, Simd};
use crate::shapes::{AnyColumns, BlockBoxes, BoundingBox, Form, Word};
use crate::threads::Divide;

/// Finds the words of a store that are far from one shape.
#[derive(Clone, Copy)]
pub struct BlockCull<'s> {
    one: BoundingBox<f32>,
    /// Empty if none are kept.
    boxes: &'s [BlockBoxes],
    cull_distance: f32,
}

impl<'s> BlockCull<'s> {
    /// Finds none.
    pub fn none() -> Self {
        BlockCull {
            one: BoundingBox::around_all(),
            boxes: &[],
            cull_distance: 0.0,
        }
    }

    /// The boxes kept of a store, which this call may have to find first, against that of one shape.
    pub fn new(
        settings: Settings,
        ops: &'static FormOps,
        one: Option<BoundingBox<f32>>,
        columns: &'s AnyColumns<'s>,
    ) -> Self {
        let Some((one, cache)) = one.zip(columns.cache()).filter(|_| ops.is_bounded) else {
            return BlockCull::none();
        };
        let (kept, len) = (&cache.form(ops.motion).boxes, columns.len());
        let boxes = kept.get().or_else(|| {
            if !kept.is_due(0, len) {
                kept.charge(len);
                return None;
            }
            kept.build(|boxes| {
                let blocks = len.div_ceil(SHAPES_OF_BLOCK);
                boxes.clear();
                boxes.resize(blocks, BlockBoxes::default());
                let find = FindBoxes {
                    columns,
                    first: 0,
                    boxes,
                };
                settings.workers().divide(find, 1 << 17, ops.find_boxes);
            })
        });
        BlockCull {
            one: widened(one),
            boxes: boxes.map_or(&[], |boxes| boxes),
            cull_distance: cull_distance(settings.margin),
        }
    }

    /// The words among 64, from `word` on, that are apart from the one. `word` begins a block. Bits past the last
    /// word mean nothing.
    #[inline(always)]
    pub fn skip_mask<L: Lanes>(&self, lanes: L, word: usize) -> u64 {
        match self.boxes.get(word / BlockBoxes::COUNT..) {
            // A function of its own, for which the loop spills no vectors.
            Some(boxes @ [_, ..]) => lanes.run(BlockCull { boxes, ..*self }),
            _ => 0,
        }
    }
}

/// Compares the first boxes.
impl Job for BlockCull<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) -> u64 {
        let BlockCull {
            one,
            boxes,
            cull_distance,
        } = self;
        let (one, cull_distance) = (one.splat(lanes), lanes.splat(cull_distance));
        let mut words = 0;
        for (block, boxes) in boxes.iter().take(WORD / BlockBoxes::COUNT).enumerate() {
            let mut at = 0;
            while at < BlockBoxes::COUNT {
                let apart = are_apart(one, boxes.load(lanes, at), cull_distance).bits();
                words |= apart << (block * BlockBoxes::COUNT + at);
                at += L::COUNT;
            }
        }
        words
    }
}

/// Finds boxes around words of shapes.
pub struct FindBoxes<'c, 'b> {
    columns: &'c AnyColumns<'c>,
    /// The word that the first box is around.
    first: usize,
    boxes: &'b mut [BlockBoxes],
}

/// The shapes that a block of boxes is around.
const SHAPES_OF_BLOCK: usize = WORD * BlockBoxes::COUNT;

impl Divide for FindBoxes<'_, '_> {
    fn len(&self) -> usize {
        self.boxes.len() * SHAPES_OF_BLOCK
    }

    /// To whole blocks, as [`STEP`] is one.
    fn split_at(self, middle: usize) -> (Self, Self) {
        const { assert!(STEP.is_multiple_of(SHAPES_OF_BLOCK)) };
        let blocks = middle / SHAPES_OF_BLOCK;
        let (low, high) = self.boxes.split_at_mut(blocks);
        (
            FindBoxes { boxes: low, ..self },
            FindBoxes {
                boxes: high,
                first: self.first + blocks * BlockBoxes::COUNT,
                ..self
            },
        )
    }
}

/// Finds boxes around words of shapes in a form.
pub fn find<F: Form>(simd: Simd, find: FindBoxes<'_, '_>) {
    simd.run(For::<F, _>::new(find));
}

impl<F: Form> Job for For<F, FindBoxes<'_, '_>> {
    type Output = ();
    const FEWEST: usize = 4;
    const MOST: usize = 8;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let columns = self.0.columns.typed();
        let len = columns.len();
        for (block, boxes) in self.0.boxes.iter_mut().enumerate() {
            let first = self.0.first + block * BlockBoxes::COUNT;
            for word in first..len.div_ceil(WORD).min(first + BlockBoxes::COUNT) {
                // The last word begins earlier.
                let start = (word * WORD).min(len - WORD);
                if let Some(around) = Word::new(&columns, start).around::<F, L>(lanes) {
                    boxes.set(word - first, widened(around));
                }
            }
        }
    }
}

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::*;
    use crate::detector::ops::FormTable;
    use crate::detector::scan::Broadcast;
    use crate::shapes::{Moving, Shapes, Sphere, Spheres, Static};

    const SPHERE: Sphere = Sphere {
        center: [0.0; 3],
        radius: 1.0,
    };

    fn line(len: usize) -> Spheres {
        let sphere = |i| Sphere {
            center: [0.1 * i as f32, 0.0, 0.0],
            ..SPHERE
        };
        (0..len).map(sphere).collect()
    }

    fn settings(simd: Simd) -> Settings {
        Settings {
            simd,
            parallel: false,
            margin: 0.0,
            strict: false,
        }
    }

    /// The words of a line of balls that are apart from the first ball.
    fn apart<F: Form<Shape = Sphere>>(line: &Spheres, simd: Simd) -> u64 {
        let view = line.view();
        let columns = AnyColumns::of(&view);
        let one = Broadcast::new::<Static<Sphere>>(&columns, 0);
        simd.run(BlockCull::new(settings(simd), F::OPS, one.around, &columns))
    }

    #[test]
    fn words_far_from_the_one_are_apart_from_the_second_call_on() {
        for simd in Simd::available() {
            let mut line = line(20 * WORD + 3);
            assert_eq!(apart::<Static<Sphere>>(&line, simd), 0, "nothing is kept");
            assert_eq!(apart::<Static<Sphere>>(&line, simd), 0x1f_fffe, "{simd}");
            assert_eq!(apart::<Moving<Sphere>>(&line, simd), 0, "of another form");
            // In the last word, which begins within the one before.
            line.set(20 * WORD as u32 + 2, SPHERE).unwrap();
            assert_eq!(apart::<Static<Sphere>>(&line, simd), 0, "dropped");
            assert_eq!(apart::<Static<Sphere>>(&line, simd), 0xf_fffe, "{simd}");
            let bad = Sphere {
                radius: -1.0,
                ..SPHERE
            };
            // Not among the first of its word.
            line.set(5 * WORD as u32 + 40, bad).unwrap();
            for known in [0, 0xf_ffde] {
                assert_eq!(apart::<Static<Sphere>>(&line, simd), known, "{simd}");
            }
        }
    }
}
