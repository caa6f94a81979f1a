//! The rows of stores, kept as long as these do not change.
//!
//! A pair that looks up columns touches a line of each; rows cost a pass over the store. A list that is long
//! against the stores has all packed that it names. After a shorter one, which looked up columns, a further
//! part of a store that has not changed since an earlier call is packed, for about the time that the list
//! took: some calls later all rows are there, and no call took much more than twice its time, but for what
//! the system takes to hand out memory. Stores that change before that are left alone for longer, and those
//! that change with every call take 10 to 40 ns more a call.
//!
//! ns per pair on Zen 4 by columns and by rows kept: AABBs 6.1 and 1.9 for 128 pairs of 4096, 30 and 5.8 for
//! 512 all over 1 M; OBBs 13 and 6.9, 109 and 12.

use alloc::vec::Vec;
use core::any::TypeId;
use core::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::Settings;
use super::bounds::Named;
use super::pack::Pack;
use super::source::Columns;
use super::split::execute;
use crate::pages;
use crate::shapes::{Form, Row, Shape, Version};

/// A list that is worth packing a smaller share of a store is not among those that have it packed: the
/// memory, which must be there from the first call on, would wait too long for its use.
const SMALLEST_SHARE: usize = 64;

/// Smaller stores are packed in no time, and leave the slots to others.
const SMALLEST_STORE: usize = 128;

/// Rows that this many calls had no use for make place for others.
const IDLE: u64 = 1000;

/// Memory for rows.
#[derive(Clone, Debug, Default)]
pub struct KeptRows {
    slots: [Slot; Self::COUNT],
    /// For both sides, if rows cannot be kept: of columns that may change unseen, and of more stores than
    /// there are slots.
    scratch: [Memory; 2],
    calls: u64,
}

/// The two sides of a list, in the order of the kernel.
#[derive(Clone, Copy)]
pub struct ListSides<'a, 'c, A: Shape, B: Shape> {
    pub a: &'a Columns<'c, A>,
    pub b: &'a Columns<'c, B>,
    /// Both are the same store.
    pub shared: bool,
}

impl KeptRows {
    /// Two verbs of four stores.
    const COUNT: usize = 8;

    /// A call begins, and looks for what is kept of its stores. From now on neither takes a slot of the other.
    pub fn begin<A: Form, B: Form>(
        &mut self,
        sides: ListSides<'_, '_, A::Shape, B::Shape>,
    ) -> Found {
        self.calls += 1;
        let a = self.find::<A>(sides.a);
        let b = (!sides.shared).then(|| self.find::<B>(sides.b));
        for at in [Some(a), b]
            .into_iter()
            .flatten()
            .filter_map(|side| side.slot)
        {
            self.slots[at].used = self.calls;
        }
        Found { a, b }
    }

    /// Of how many of the shapes that a list names there are no rows.
    pub fn missing(&self, found: Found, named: &Named) -> usize {
        let b = found
            .b
            .map_or(0, |b| self.missing_on_side(b, &named.b).len());
        self.missing_on_side(found.a, &named.a).len() + b
    }

    fn missing_on_side(&self, found: FoundSide, named: &Range<usize>) -> Range<usize> {
        let kept = found.version.and_then(|version| {
            let slot = &self.slots[found.slot?];
            slot.memory.kept(version)
        });
        match kept {
            Some(kept) if kept.start <= named.start && named.start <= kept.end => {
                kept.end.min(named.end)..named.end
            }
            Some(kept) if kept.start <= named.end && named.end <= kept.end => {
                named.start..kept.start
            }
            _ => named.clone(),
        }
    }

    /// The rows of the shapes that a list names. Packs what is missing.
    pub fn packed<A: Form, B: Form>(
        &mut self,
        settings: Settings,
        sides: ListSides<'_, '_, A::Shape, B::Shape>,
        found: Found,
        named: &Named,
    ) -> (&[A::Row], &[B::Row]) {
        let place_a = self.pack_on_side::<A>(settings, sides.a, found.a, &named.a, 0);
        let place_b = match found.b {
            Some(b) => self.pack_on_side::<B>(settings, sides.b, b, &named.b, 1),
            None => place_a,
        };
        (
            self.memory(place_a).rows(named.a.end),
            self.memory(place_b).rows(named.b.end),
        )
    }

    /// Says where.
    fn pack_on_side<F: Form>(
        &mut self,
        settings: Settings,
        columns: &Columns<'_, F::Shape>,
        found: FoundSide,
        named: &Range<usize>,
        side: usize,
    ) -> Place {
        let missing = self.missing_on_side(found, named);
        let found = if missing.is_empty() {
            found
        } else {
            self.slot::<F>(columns, found)
        };
        let Some((version, at)) = found.version.zip(found.slot) else {
            let scratch = &mut self.scratch[side];
            scratch.pack::<F>(settings, columns, None, missing);
            return Place::Scratch(side);
        };
        let slot = &mut self.slots[at];
        slot.notice(version);
        if missing.is_empty() {
            slot.has_paid();
        } else {
            let memory = &mut slot.memory;
            memory.pack::<F>(settings, columns, Some(version), missing);
        }
        Place::Slot(at)
    }

    /// Packs as many as `count` more shapes of the stores that have not changed since earlier calls.
    pub fn pack_further<A: Form, B: Form>(
        &mut self,
        settings: Settings,
        sides: ListSides<'_, '_, A::Shape, B::Shape>,
        found: Found,
        count: usize,
    ) {
        let packed = self.pack_side_further::<A>(settings, sides.a, found.a, count, count);
        if let Some(b) = found.b {
            self.pack_side_further::<B>(settings, sides.b, b, count, count - packed);
        }
    }

    /// At most `most`. Says how many.
    fn pack_side_further<F: Form>(
        &mut self,
        settings: Settings,
        columns: &Columns<'_, F::Shape>,
        found: FoundSide,
        count: usize,
        most: usize,
    ) -> usize {
        let len = columns.len();
        if count < len / SMALLEST_SHARE {
            return 0;
        }
        let found = self.slot::<F>(columns, found);
        let Some((version, at)) = found.version.zip(found.slot) else {
            return 0;
        };
        let slot = &mut self.slots[at];
        slot.memory.reserve::<F::Row>(len);
        if !slot.notice(version) {
            return 0;
        }
        let kept = slot.memory.kept(version).unwrap_or(0..0);
        let further = if kept.end < len {
            kept.end..len.min(kept.end + most)
        } else {
            kept.start.saturating_sub(most)..kept.start
        };
        let count = further.len();
        if count > 0 {
            slot.is_unpaid = true;
            let memory = &mut slot.memory;
            memory.pack::<F>(settings, columns, Some(version), further);
        }
        count
    }

    fn memory(&self, place: Place) -> &Memory {
        match place {
            Place::Slot(at) => &self.slots[at].memory,
            Place::Scratch(side) => &self.scratch[side],
        }
    }

    /// The slot of a store and a form.
    fn find<F: Form>(&self, columns: &Columns<'_, F::Shape>) -> FoundSide {
        let version = columns.version();
        let slot = version.and_then(|version| {
            let is_its = |slot: &Slot| {
                let owner = slot.owner.as_ref();
                owner.is_some_and(|owner| {
                    owner.version.is_same_store(version) && owner.form == TypeId::of::<F>()
                })
            };
            self.slots.iter().position(is_its)
        });
        FoundSide { version, slot }
    }

    /// The same, or one that it may take.
    fn slot<F: Form>(&mut self, columns: &Columns<'_, F::Shape>, found: FoundSide) -> FoundSide {
        let FoundSide {
            version: Some(version),
            slot: None,
        } = found
        else {
            return found;
        };
        if columns.len() < SMALLEST_STORE {
            return found;
        }
        let free = self.free_slot::<F>(columns.address());
        if let Some(at) = free {
            let slot = &mut self.slots[at];
            slot.memory.kept = None;
            slot.owner = Some(Owner {
                version,
                form: TypeId::of::<F>(),
                address: columns.address(),
            });
            slot.used = self.calls;
            (slot.rested, slot.patience, slot.is_unpaid) = (0, 1, false);
        }
        FoundSide {
            slot: free,
            ..found
        }
    }

    /// That of a store that had its columns where this one has, and so is likely to be gone; or an empty one;
    /// or one without use.
    fn free_slot<F: Form>(&self, address: usize) -> Option<usize> {
        let position = |is_free: &dyn Fn(&Slot) -> bool| self.slots.iter().position(is_free);
        let is_unused = |slot: &Slot| slot.used < self.calls;
        let had_columns_there = |slot: &Slot| {
            let owner = slot.owner.as_ref();
            let there = |owner: &Owner| owner.address == address && owner.form == TypeId::of::<F>();
            is_unused(slot) && owner.is_some_and(there)
        };
        position(&had_columns_there)
            .or_else(|| position(&|slot| slot.owner.is_none()))
            .or_else(|| position(&|slot| slot.used + IDLE < self.calls))
    }
}

/// What a call found of its stores; of one, if both sides are the same.
#[derive(Clone, Copy)]
pub struct Found {
    a: FoundSide,
    b: Option<FoundSide>,
}

/// The contents of a store, and its slot.
#[derive(Clone, Copy)]
struct FoundSide {
    version: Option<Version>,
    slot: Option<usize>,
}

/// Where rows are.
#[derive(Clone, Copy)]
enum Place {
    Slot(usize),
    Scratch(usize),
}

/// Memory for the rows of a store in one form.
#[derive(Clone, Debug, Default)]
struct Slot {
    memory: Memory,
    owner: Option<Owner>,
    /// By which call, the last time.
    used: u64,
    /// For how many calls the store has been as it is.
    rested: u32,
    /// For how many it is to rest before more of it is packed than lists name.
    patience: u32,
    /// Whether that has been done, and no list has had use for it.
    is_unpaid: bool,
}

/// Whose slot it is.
#[derive(Clone, Debug)]
struct Owner {
    /// When it was seen last.
    version: Version,
    form: TypeId,
    /// Where its first column was at first.
    address: usize,
}

impl Slot {
    /// A call reads the store. Says whether it has rested for long enough to be packed further.
    fn notice(&mut self, version: Version) -> bool {
        let Some(owner) = &mut self.owner else {
            return false;
        };
        if owner.version == version {
            self.rested = self.rested.saturating_add(1);
        } else {
            owner.version = version;
            self.rested = 1;
            if self.is_unpaid {
                self.patience = self.patience.saturating_mul(2);
                self.is_unpaid = false;
            }
        }
        self.rested > self.patience
    }

    /// A list needed no packing.
    fn has_paid(&mut self) {
        (self.patience, self.is_unpaid) = (1, false);
    }
}

/// Memory for rows.
#[derive(Clone, Debug, Default)]
struct Memory {
    lines: Vec<Line>,
    /// Which rows are here, if that can be told.
    kept: Option<Kept>,
}

/// A cache line: rows of 64 bytes then take one each.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Line([f32; 16]);

/// Which rows.
#[derive(Clone, Debug)]
struct Kept {
    version: Version,
    shapes: Range<usize>,
}

impl Memory {
    /// The shapes of which rows are here.
    fn kept(&self, version: Version) -> Option<Range<usize>> {
        let kept = self.kept.as_ref()?;
        (kept.version == version).then(|| kept.shapes.clone())
    }

    /// Packs shapes, of which no rows are here. Remembers them together with those that they lie beside, or
    /// else the larger part.
    fn pack<F: Form>(
        &mut self,
        settings: Settings,
        columns: &Columns<'_, F::Shape>,
        version: Option<Version>,
        shapes: Range<usize>,
    ) {
        let kept = version.and_then(|version| self.kept(version));
        // None, as long as they are not complete.
        self.kept = None;
        let rows = self.rows_mut(shapes.end);
        let pack = Pack::<F>::new(columns.clone(), shapes.clone(), rows);
        execute(settings, pack);
        let shapes = match kept {
            Some(kept) if kept.end == shapes.start => kept.start..shapes.end,
            Some(kept) if kept.start == shapes.end => shapes.start..kept.end,
            Some(kept) if is_apart(&kept, &shapes) && kept.len() > shapes.len() => kept,
            _ => shapes,
        };
        self.kept = version.map(|version| Kept { version, shapes });
    }

    /// Takes memory for `len` rows.
    fn reserve<R: Row>(&mut self, len: usize) {
        pages::reserve_all(&mut self.lines, lines_of::<R>(len));
    }

    /// The first `len` rows.
    fn rows<R: Row>(&self, len: usize) -> &[R] {
        let floats: &[f32] = bytemuck::cast_slice(&self.lines);
        bytemuck::cast_slice(&floats[..len * floats_of::<R>()])
    }

    /// Room for `len` rows. Holds whatever was there before.
    fn rows_mut<R: Row>(&mut self, len: usize) -> &mut [R] {
        let lines = lines_of::<R>(len);
        if self.lines.len() < lines {
            pages::resize(&mut self.lines, lines, Line([0.0; 16]));
        }
        let floats: &mut [f32] = bytemuck::cast_slice_mut(&mut self.lines);
        bytemuck::cast_slice_mut(&mut floats[..len * floats_of::<R>()])
    }
}

/// Whether no index is in both.
fn is_apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start || b.end <= a.start
}

/// How many cache lines so many rows take.
fn lines_of<R: Row>(len: usize) -> usize {
    (len * size_of::<R>()).div_ceil(size_of::<Line>())
}

/// How many numbers a row has.
const fn floats_of<R: Row>() -> usize {
    size_of::<R>() / size_of::<f32>()
}

#[cfg(all(test, target_has_atomic = "64"))]
mod tests {
    use super::*;
    use crate::shapes::{Moving, Shapes, Still};
    use crate::{Detector, Sphere, Spheres};

    const LEN: usize = 1000;

    /// Of another length they are other ones.
    fn balls(len: usize) -> Spheres {
        let ball = |i| Sphere {
            center: [i as f32, len as f32, 0.0],
            radius: 1.0,
        };
        (0..len).map(ball).collect()
    }

    /// A list that names these spheres. Says of how many there are no rows, and has them packed if that is
    /// worth it, or so many others.
    fn ask<F>(rows: &mut KeptRows, store: &Spheres, named: Range<usize>, worth: usize) -> usize
    where
        F: Form<Shape = Sphere>,
    {
        let (view, settings) = (store.view(), Detector::new().settings());
        let columns = Columns::of(&view);
        let sides = ListSides {
            a: &columns,
            b: &columns,
            shared: true,
        };
        let (a, b) = (named.clone(), named);
        let named = Named { a, b };
        let found = rows.begin::<F, F>(sides);
        let missing = rows.missing(found, &named);
        if missing <= worth {
            rows.packed::<F, F>(settings, sides, found, &named);
        } else {
            rows.pack_further::<F, F>(settings, sides, found, worth);
        }
        missing
    }

    #[test]
    fn a_store_that_rests_is_packed_part_by_part() {
        let (mut rows, mut store) = (KeptRows::default(), balls(LEN));
        let mut ask = |store: &Spheres, named| ask::<Still<Sphere>>(&mut rows, store, named, 300);
        for part in [LEN, LEN, 700, 400, 100, 0, 0] {
            assert_eq!(ask(&store, 0..LEN), part);
        }
        assert_eq!(ask(&store, 100..200), 0);
        store.set(3, Sphere::default()).unwrap();
        for part in [LEN, LEN, 700] {
            assert_eq!(ask(&store, 0..LEN), part);
        }
        // An island is packed each time, and the larger part is kept.
        for part in [50, 50] {
            assert_eq!(ask(&store, 940..990), part);
        }
        for part in [400, 100, 0] {
            assert_eq!(ask(&store, 0..LEN), part);
        }
    }

    #[test]
    fn a_list_that_names_not_all_is_no_obstacle() {
        for named in [1..LEN, 400..700, 0..200, 990..LEN] {
            let (mut rows, store) = (KeptRows::default(), balls(LEN));
            let mut ask = |named, worth| ask::<Still<Sphere>>(&mut rows, &store, named, worth);
            assert_eq!(ask(named.clone(), LEN), named.len());
            assert_eq!(ask(named.clone(), LEN), 0);
            let mut calls = 0;
            while ask(0..LEN, 150) > 0 {
                calls += 1;
                assert!(calls < 10, "{named:?}");
            }
            assert_eq!(ask(named, 0), 0);
        }
    }

    #[test]
    fn a_store_that_changed_too_soon_is_left_alone_for_longer() {
        let (mut rows, mut store) = (KeptRows::default(), balls(LEN));
        let mut packed = |store: &Spheres| {
            let before = ask::<Still<Sphere>>(&mut rows, store, 0..LEN, 50);
            ask::<Still<Sphere>>(&mut rows, store, 0..LEN, 50) < before
        };
        // In each frame a list, the same list after it, and so on.
        let mut frames = Vec::new();
        for _ in 0..6 {
            store.set(0, Sphere::default()).unwrap();
            frames.push((0..4).filter(|_| packed(&store)).count());
        }
        assert!(frames[0] > frames[2] && frames[2] > 0, "{frames:?}");
        assert_eq!(frames[3..], [0; 3]);
        // It rests.
        let mut calls = 0;
        while ask::<Still<Sphere>>(&mut rows, &store, 0..LEN, 50) > 0 {
            calls += 1;
        }
        assert!(calls < 60);
    }

    #[test]
    fn both_forms_of_a_store_are_kept() {
        let (mut rows, store) = (KeptRows::default(), balls(LEN));
        for missing in [LEN, 0, 0] {
            let still = ask::<Still<Sphere>>(&mut rows, &store, 0..LEN, LEN);
            let moving = ask::<Moving<Sphere>>(&mut rows, &store, 0..LEN, LEN);
            assert_eq!([still, moving], [missing; 2]);
        }
    }

    #[test]
    fn lists_that_are_short_against_a_store_take_no_memory_for_it() {
        let (mut rows, store) = (KeptRows::default(), balls(LEN));
        let mut memory_after = |worth| {
            ask::<Still<Sphere>>(&mut rows, &store, 0..LEN, worth);
            let slots = rows.slots.iter();
            slots
                .map(|slot| slot.memory.lines.capacity())
                .sum::<usize>()
        };
        for _ in 0..3 {
            assert_eq!(memory_after(LEN / SMALLEST_SHARE - 1), 0);
        }
        // Others take it at once, not when they come to use it.
        assert_eq!(
            memory_after(LEN / SMALLEST_SHARE),
            lines_of::<[f32; 4]>(LEN)
        );
    }

    #[test]
    fn what_gains_nothing_takes_no_slot() {
        let (mut rows, few) = (KeptRows::default(), balls(SMALLEST_STORE - 1));
        ask::<Still<Sphere>>(&mut rows, &few, 0..few.len(), LEN);
        ask::<Still<Sphere>>(&mut rows, &balls(LEN), 0..0, 0);
        assert!(rows.slots.iter().all(|slot| slot.owner.is_none()));
    }

    #[test]
    fn of_more_stores_some_are_not_kept_until_others_are_idle() {
        let mut rows = KeptRows::default();
        let stores: [Spheres; KeptRows::COUNT + 2] = core::array::from_fn(|_| balls(LEN));
        let mut ask = |store: usize| ask::<Still<Sphere>>(&mut rows, &stores[store], 0..LEN, LEN);
        for store in 0..KeptRows::COUNT {
            assert_eq!([ask(store), ask(store)], [LEN, 0]);
        }
        let late = KeptRows::COUNT + 1;
        for _ in 0..3 {
            assert_eq!([ask(late), ask(0)], [LEN, 0]);
        }
        for _ in 0..IDLE {
            ask(0);
        }
        assert_eq!([ask(late), ask(late), ask(0)], [LEN, 0, 0]);
    }

    #[test]
    fn a_store_takes_no_slot_that_the_same_list_reads() {
        let settings = Detector::new().settings();
        for (first, second) in [(0, 8), (8, 0)] {
            let mut rows = KeptRows::default();
            let stores: [Spheres; 9] = core::array::from_fn(|k| balls(LEN + k));
            for store in &stores[..KeptRows::COUNT] {
                ask::<Still<Sphere>>(&mut rows, store, 0..LEN, LEN);
            }
            for _ in 0..=IDLE {
                ask::<Still<Sphere>>(&mut rows, &stores[7], 0..LEN, LEN);
            }
            // The rows of 0 are kept, but idle, when 8 looks for a slot.
            let views = [stores[first].view(), stores[second].view()];
            let [a, b] = views.each_ref().map(|view| Columns::of(view));
            let sides = ListSides {
                a: &a,
                b: &b,
                shared: false,
            };
            let named = Named {
                a: 0..LEN,
                b: 9..LEN,
            };
            let packed = |rows: &mut KeptRows| {
                let found = rows.begin::<Still<Sphere>, Still<Sphere>>(sides);
                let (a, b) =
                    rows.packed::<Still<Sphere>, Still<Sphere>>(settings, sides, found, &named);
                (a.to_vec(), b.to_vec())
            };
            let (packed, expected) = (packed(&mut rows), packed(&mut KeptRows::default()));
            assert!(packed.0 == expected.0 && packed.1[9..] == expected.1[9..]);
        }
    }
}
