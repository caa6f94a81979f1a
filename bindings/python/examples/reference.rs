//! Answers a question of the tests by the core alone, without Python between: `reference QUESTION ANSWER`.
//!
//! Both files are words of 32 bits in the order of this machine. The question has the numbers of the verb and of both
//! shapes, the bits of margin and tolerance, how many shapes and pairs there are, the pairs, and the columns of both
//! stores.

use std::error::Error;
use std::{env, fs};

use phalanx::traits::{Collide, Distance, Impact, Overlap, Shape, Sweep};
use phalanx::{
    Aabb, Capsule, ClosestPoints, Contacts, Detector, Distances, HalfSpace, Hull, Hulls, Impacts,
    Obb, Overlaps, Pair, PlacedHull, Plane, Point, Shapes, Sphere, Store, Sweeps, Triangle,
};

/// A kind of shape that is read from columns of numbers.
trait Read: Shape {
    /// The number of the kind in questions.
    const KIND: u32;
    /// Number of columns.
    const COLUMNS: usize;
    type Stores: Shapes<Shape = Self> + Default;

    fn push(store: &mut Self::Stores, numbers: &[f32]);
}

macro_rules! read {
    ($($shape:ident = $kind:literal),*) => { $(
        impl Read for $shape {
            const KIND: u32 = $kind;
            const COLUMNS: usize = size_of::<Self>() / 4 + 3;
            type Stores = Store<Self>;

            fn push(store: &mut Store<Self>, numbers: &[f32]) {
                let (shape, motion) = numbers.split_at(size_of::<Self>() / 4);
                let shape = bytemuck::pod_read_unaligned(bytemuck::cast_slice(shape));
                store.push_moving(shape, [motion[0], motion[1], motion[2]]);
            }
        }
    )* };
}
read!(
    Point = 0,
    Sphere = 1,
    Capsule = 2,
    Aabb = 3,
    Plane = 5,
    HalfSpace = 6,
    Triangle = 7
);

impl Read for Obb {
    const KIND: u32 = 4;
    const COLUMNS: usize = 16;
    type Stores = Store<Self>;

    fn push(store: &mut Store<Self>, numbers: &[f32]) {
        let (shape, motion) = numbers.split_at(10);
        let shape = bytemuck::pod_read_unaligned(bytemuck::cast_slice(shape));
        let &[x, y, z, turn_x, turn_y, turn_z] = motion else {
            return;
        };
        store.push_turning(shape, [x, y, z], [turn_x, turn_y, turn_z]);
    }
}

impl Read for PlacedHull {
    const KIND: u32 = 8;
    /// Twelve points after the pose and its motion: each hull has a kind of its own.
    const COLUMNS: usize = 49;
    type Stores = Hulls;

    fn push(store: &mut Hulls, numbers: &[f32]) {
        let &[
            x,
            y,
            z,
            i,
            j,
            k,
            w,
            to_x,
            to_y,
            to_z,
            turn_x,
            turn_y,
            turn_z,
            ref points @ ..,
        ] = numbers
        else {
            return;
        };
        let Ok(kind) = store.add_kind(points.as_chunks().0) else {
            return;
        };
        let hull = Hull::new(kind, [x, y, z], [i, j, k, w]);
        let _ = store.push_turning(hull, [to_x, to_y, to_z], [turn_x, turn_y, turn_z]);
    }
}

/// A question.
struct Question {
    verb: u32,
    kinds: [u32; 2],
    margin: f32,
    tolerance: f32,
    lens: [usize; 2],
    pairs: Vec<Pair>,
    numbers: Vec<f32>,
}

impl Question {
    fn new(words: &[u32]) -> Option<Self> {
        let &[
            verb,
            kind_a,
            kind_b,
            margin,
            tolerance,
            len_a,
            len_b,
            pairs,
            ref rest @ ..,
        ] = words
        else {
            return None;
        };
        let (list, numbers) = rest.split_at_checked(2 * pairs as usize)?;
        Some(Question {
            verb,
            kinds: [kind_a, kind_b],
            margin: f32::from_bits(margin),
            tolerance: f32::from_bits(tolerance),
            lens: [len_a as usize, len_b as usize],
            pairs: bytemuck::cast_slice(list).to_vec(),
            numbers: numbers.iter().map(|word| f32::from_bits(*word)).collect(),
        })
    }

    fn is_for<A: Read, B: Read>(&self, verb: u32) -> bool {
        self.verb == verb && self.kinds == [A::KIND, B::KIND]
    }

    fn stores<A: Read, B: Read>(&self) -> (A::Stores, B::Stores) {
        let (a, b) = self.numbers.split_at(A::COLUMNS * self.lens[0]);
        (store::<A>(a, self.lens[0]), store::<B>(b, self.lens[1]))
    }

    fn detector(&self) -> Result<Detector, phalanx::Error> {
        Detector::new().parallel(false).margin(self.margin)
    }
}

fn store<T: Read>(columns: &[f32], len: usize) -> T::Stores {
    let mut store = T::Stores::default();
    for i in 0..len {
        let numbers: Vec<f32> = columns.chunks(len).map(|column| column[i]).collect();
        T::push(&mut store, &numbers);
    }
    store
}

fn words(answer: &mut Vec<u32>, masks: [&[u64]; 2]) {
    for mask in masks {
        answer.extend(
            mask.iter()
                .flat_map(|word| [*word as u32, (*word >> 32) as u32]),
        );
    }
}

fn numbers(answer: &mut Vec<u32>, column: &[f32]) {
    answer.extend(column.iter().map(|x| x.to_bits()));
}

fn swept(answer: &mut Vec<u32>, sweeps: &Sweeps) {
    words(answer, [sweeps.words(), sweeps.invalid_words()]);
    numbers(answer, sweeps.enter());
    numbers(answer, sweeps.exit());
}

fn touching(answer: &mut Vec<u32>, contacts: &Contacts) {
    words(answer, [contacts.words(), contacts.invalid_words()]);
    for contact in contacts {
        answer.push(contact.position as u32);
        numbers(answer, &contact.normal);
        numbers(answer, &[contact.separation]);
        answer.push(contact.points().len() as u32);
        for point in contact.points() {
            numbers(answer, &point.at);
            numbers(answer, &[point.separation]);
            answer.push(u32::from(point.feature));
        }
    }
}

fn overlap<A: Read + Overlap<B>, B: Read>(question: &Question) -> Result<Vec<u32>, phalanx::Error> {
    let ((a, b), mut out, mut answer) = (question.stores::<A, B>(), Overlaps::new(), Vec::new());
    question
        .detector()?
        .overlap(&a, &b, &question.pairs, &mut out)?;
    words(&mut answer, [out.words(), out.invalid_words()]);
    Ok(answer)
}

fn sweep<A: Read + Sweep<B>, B: Read>(question: &Question) -> Result<Vec<u32>, phalanx::Error> {
    let ((a, b), mut out, mut answer) = (question.stores::<A, B>(), Sweeps::new(), Vec::new());
    question
        .detector()?
        .sweep(&a, &b, &question.pairs, &mut out)?;
    swept(&mut answer, &out);
    Ok(answer)
}

fn contact<A: Read + Collide<B>, B: Read>(question: &Question) -> Result<Vec<u32>, phalanx::Error> {
    let ((a, b), mut out, mut answer) = (question.stores::<A, B>(), Contacts::new(), Vec::new());
    question
        .detector()?
        .contact(&a, &b, &question.pairs, &mut out)?;
    touching(&mut answer, &out);
    Ok(answer)
}

fn sweep_contacts<A: Read + Collide<B>, B: Read>(
    question: &Question,
) -> Result<Vec<u32>, phalanx::Error> {
    let ((a, b), mut sweeps, mut out, mut answer) = (
        question.stores::<A, B>(),
        Sweeps::new(),
        Contacts::new(),
        Vec::new(),
    );
    question
        .detector()?
        .sweep_contacts(&a, &b, &question.pairs, &mut sweeps, &mut out)?;
    swept(&mut answer, &sweeps);
    touching(&mut answer, &out);
    Ok(answer)
}

fn impact<A: Read + Impact<B>, B: Read>(question: &Question) -> Result<Vec<u32>, phalanx::Error> {
    let ((a, b), mut out, mut answer) = (question.stores::<A, B>(), Impacts::new(), Vec::new());
    let tolerance = question.tolerance;
    question
        .detector()?
        .impact(&a, &b, &question.pairs, tolerance, &mut out)?;
    words(&mut answer, [out.words(), out.invalid_words()]);
    numbers(&mut answer, out.time());
    answer.extend((0..out.len()).map(|position| u32::from(out.is_settled(position))));
    Ok(answer)
}

fn between(answer: &mut Vec<u32>, distances: &Distances) {
    let masks = [distances.unsettled_words(), distances.invalid_words()];
    words(answer, masks);
    numbers(answer, distances.lower());
    numbers(answer, distances.upper());
}

fn distance<A: Read + Distance<B>, B: Read>(
    question: &Question,
) -> Result<Vec<u32>, phalanx::Error> {
    let ((a, b), mut out, mut answer) = (question.stores::<A, B>(), Distances::new(), Vec::new());
    question
        .detector()?
        .distance(&a, &b, &question.pairs, &mut out)?;
    between(&mut answer, &out);
    Ok(answer)
}

fn distance_points<A: Read + Distance<B>, B: Read>(
    question: &Question,
) -> Result<Vec<u32>, phalanx::Error> {
    let ((a, b), mut distances, mut out, mut answer) = (
        question.stores::<A, B>(),
        Distances::new(),
        ClosestPoints::new(),
        Vec::new(),
    );
    question
        .detector()?
        .distance_points(&a, &b, &question.pairs, &mut distances, &mut out)?;
    between(&mut answer, &distances);
    for column in out.at_a().into_iter().chain(out.at_b()) {
        numbers(&mut answer, column);
    }
    Ok(answer)
}

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<_> = env::args_os().skip(1).collect();
    let [from, to] = paths.as_slice() else {
        return Err("usage: reference QUESTION ANSWER".into());
    };
    let bytes = fs::read(from)?;
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(bytemuck::pod_read_unaligned)
        .collect();
    let question = Question::new(&words).ok_or("the question is too short")?;
    let mut answer = None;
    // In either order of the shapes.
    macro_rules! each {
        ($($file:ident: $verb:ident($a:ident $(, $b:ident)?);)*) => { $(each!(@$verb $a $($b)?);)* };
        (@$verb:ident $a:ident) => { each!(@@$verb $a $a); };
        (@$verb:ident $a:ident $b:ident) => { each!(@@$verb $a $b); each!(@@$verb $b $a); };
        (@@overlap $a:ident $b:ident) => { each!(@@@ 0 overlap $a $b); };
        (@@sweep $a:ident $b:ident) => { each!(@@@ 1 sweep $a $b); };
        (@@contact $a:ident $b:ident) => {
            each!(@@@ 2 contact $a $b);
            each!(@@@ 3 sweep_contacts $a $b);
        };
        (@@impact $a:ident $b:ident) => { each!(@@@ 4 impact $a $b); };
        (@@distance $a:ident $b:ident) => {
            each!(@@@ 5 distance $a $b);
            each!(@@@ 6 distance_points $a $b);
        };
        // The kernels of hulls, of all verbs.
        (@@bounded Point PlacedHull) => { each!(@@without_impact Point PlacedHull); };
        (@@bounded PlacedHull Point) => { each!(@@without_impact PlacedHull Point); };
        (@@bounded $a:ident $b:ident) => { each!(@@without_impact $a $b); each!(@@impact $a $b); };
        (@@unbounded $a:ident $b:ident) => { each!(@@without_impact $a $b); each!(@@impact $a $b); };
        (@@without_impact $a:ident $b:ident) => {
            each!(@@overlap $a $b);
            each!(@@sweep $a $b);
            each!(@@contact $a $b);
            each!(@@distance $a $b);
        };
        (@@@ $number:literal $verb:ident $a:ident $b:ident) => {
            if question.is_for::<$a, $b>($number) {
                answer = Some($verb::<$a, $b>(&question)?);
            }
        };
    }
    phalanx::kernels!(each);
    phalanx::kernels!(contact: each);
    phalanx::kernels!(impact: each);
    phalanx::kernels!(distance: each);
    phalanx::kernels!(hull: each);
    let answer = answer.ok_or("there is no such kernel")?;
    Ok(fs::write(to, bytemuck::cast_slice::<u32, u8>(&answer))?)
}
