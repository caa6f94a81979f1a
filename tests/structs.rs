//! A view of structs gives the results of a store of the same shapes, bit for bit, in every verb.

mod common;

use common::ask::{Output, verbs};
use common::{Sample, Setting, rng};
use phalanx::query::{Query, Supports};
use phalanx::traits::Shape;
use phalanx::{Detector, Error, Obb, ObbsRef, Pair, Pairs, Shapes, Sphere, SpheresRef};
use phalanx::{Simd, Store, StoreRef};
use rand::RngExt;

const LEN: usize = 700;

/// Shapes near each other, their displacements and turns; some are invalid.
struct Bodies<T> {
    shapes: Vec<T>,
    displacements: Vec<[f32; 3]>,
    turns: Vec<[f32; 3]>,
}

impl<T: Sample> Bodies<T> {
    fn new(purpose: &str) -> Self {
        let (mut rng, setting) = (rng(purpose), Setting::ordinary());
        let mut bodies = Bodies {
            shapes: Vec::new(),
            displacements: Vec::new(),
            turns: Vec::new(),
        };
        for i in 0..LEN {
            let mut shape = T::sample(&mut rng, &setting);
            let mut displacement = setting.motion(&mut rng);
            match i % 20 {
                7 => bytemuck::bytes_of_mut(&mut shape)[..4].fill(0xff),
                13 => displacement[i % 3] = f32::NAN,
                _ => (),
            }
            bodies.shapes.push(shape);
            bodies.displacements.push(displacement);
            let turn = [(); 3].map(|()| rng.random_range(-0.5..0.5));
            bodies.turns.push(turn);
        }
        bodies
    }

    fn store(&self) -> Store<T> {
        let mut store = Store::new();
        for (shape, displacement) in self.shapes.iter().zip(&self.displacements) {
            store.push_moving(*shape, *displacement);
        }
        store
    }

    fn view(&self) -> StoreRef<'_, T> {
        StoreRef::of_moving_structs(&self.shapes, &self.displacements).unwrap()
    }
}

impl Bodies<Obb> {
    fn turning(&self) -> ObbsRef<'_> {
        ObbsRef::of_turning_structs(&self.shapes, &self.displacements, &self.turns).unwrap()
    }
}

/// Lists that are gathered pair by pair, from columns, and from rows.
fn lists() -> [Vec<Pair>; 3] {
    let mut rng = rng("lists");
    [20, 100, 10_000].map(|len| {
        let mut index = || rng.random_range(0..LEN as u32);
        (0..len).map(|_| Pair::new(index(), index())).collect()
    })
}

fn answers<V, A, B>(
    detector: &mut Detector,
    a: &StoreRef<'_, A>,
    b: &StoreRef<'_, B>,
    pairs: Pairs<'_>,
) -> V
where
    A: Supports<V, B>,
    B: Shape,
    V: Default + for<'o> Query<Out<'o> = &'o mut V>,
{
    let mut out = V::default();
    detector.query::<V, _, _>(a, b, pairs, &mut out).unwrap();
    out
}

fn check<V, A, B>(name: &str)
where
    A: Supports<V, B> + Sample,
    B: Sample,
    V: Output + for<'o> Query<Out<'o> = &'o mut V>,
{
    let (a, b) = (Bodies::<A>::new("structs a"), Bodies::<B>::new("structs b"));
    let (store_a, store_b) = (a.store(), b.store());
    let mut hits = 0;
    for simd in Simd::available() {
        let detector = Detector::new().simd(simd).margin(0.01).unwrap();
        let mut detector = detector.parallel(false);
        let mut ask = |pairs: Pairs<'_>| {
            let (a, b) = (a.view(), b.view());
            let (of_a, of_b) = (store_a.view(), store_b.view());
            let expected: V = answers(&mut detector, &of_a, &of_b, pairs);
            let both: V = answers(&mut detector, &a, &b, pairs);
            let one: V = answers(&mut detector, &a, &of_b, pairs);
            let other: V = answers(&mut detector, &of_a, &b, pairs);
            assert!(both == expected && one == expected && other == expected);
            expected
        };
        for list in &lists() {
            let expected = ask(Pairs::from(list));
            let mut said = Vec::new();
            expected.read(&mut said);
            hits += said.iter().filter(|answer| answer.hit).count();
        }
        ask(Pairs::zip());
        for one in [0, 7, LEN as u32 - 1] {
            ask(Pairs::one_to_all(one));
        }
    }
    assert!(hits > 0, "{name}");
}

macro_rules! each {
    ($($file:ident: $verb:ident($($shape:ident),+);)*) => { $(each!(@ $file, $verb, $($shape),+);)* };
    (@ $file:ident, $verb:ident, $a:ident) => { each!(@ $file, $verb, $a, $a); };
    (@ $file:ident, $verb:ident, $a:ident, $b:ident) => {
        #[test]
        fn $file() {
            check::<verbs::$verb, phalanx::$a, phalanx::$b>(stringify!($file));
            check::<verbs::$verb, phalanx::$b, phalanx::$a>(stringify!($file));
        }
    };
}
phalanx::kernels!(each);

#[cfg(all(feature = "contact", feature = "sweep", feature = "impact"))]
#[test]
fn contacts_and_impacts() {
    use phalanx::{Contacts, Impacts, Sweeps};

    let (boxes, balls) = (Bodies::<Obb>::new("boxes"), Bodies::<Sphere>::new("balls"));
    let mut store = boxes.store();
    for (turn, to) in boxes.turns.iter().zip(0..) {
        store.set_turn(to, *turn).unwrap();
    }
    let view = boxes.turning();
    let mut detector = Detector::new();
    for list in &lists() {
        let (mut of_store, mut of_view) = (Contacts::new(), Contacts::new());
        let (mut sweeps, mut others) = (Sweeps::new(), Sweeps::new());
        detector
            .contact(&store, &balls.store(), list, &mut of_store)
            .unwrap();
        detector
            .contact(&view, &balls.view(), list, &mut of_view)
            .unwrap();
        assert!(of_store == of_view && of_view.count() > 0);
        detector
            .sweep_contacts(&store, &store, list, &mut sweeps, &mut of_store)
            .unwrap();
        detector
            .sweep_contacts(&view, &view, list, &mut others, &mut of_view)
            .unwrap();
        assert!(of_store == of_view && sweeps == others);
        let (mut impacts, mut of_structs) = (Impacts::new(), Impacts::new());
        detector
            .impact(&store, &store, list, 1e-3, &mut impacts)
            .unwrap();
        detector
            .impact(&view, &view, list, 1e-3, &mut of_structs)
            .unwrap();
        assert!(impacts == of_structs);
        let (mut a, mut b) = (Store::new(), Store::new());
        let (mut c, mut d) = (Store::new(), Store::new());
        impacts
            .at_impact(&store, &store, list, &mut a, &mut b)
            .unwrap();
        impacts
            .at_impact(&view, &view, list, &mut c, &mut d)
            .unwrap();
        assert!(a.iter().eq(c.iter()) && b.iter().eq(d.iter()));
    }
}

#[cfg(feature = "candidates")]
#[test]
fn candidates_and_bounds() {
    use phalanx::{Aabbs, During};

    let bodies = Bodies::<Obb>::new("bodies");
    let (mut store, view) = (bodies.store(), bodies.turning());
    for (turn, to) in bodies.turns.iter().zip(0..) {
        store.set_turn(to, *turn).unwrap();
    }
    for during in [During::Start, During::Frame] {
        let (mut pairs, mut others) = (Vec::new(), Vec::new());
        let mut detector = Detector::new();
        let invalid = detector
            .candidates(&store, &store, during, &mut pairs)
            .unwrap();
        assert_eq!(
            detector
                .candidates(&view, &view, during, &mut others)
                .unwrap(),
            invalid
        );
        assert!(pairs == others && pairs.len() > 100);
        let (mut bounds, mut of_view) = (Aabbs::new(), Aabbs::new());
        store.bounds(during, &mut bounds);
        view.bounds(during, &mut of_view);
        let bits = |boxes: &Aabbs| -> Vec<[u32; 6]> {
            let boxes = boxes.iter();
            boxes.map(bytemuck::cast::<_, [u32; 6]>).collect()
        };
        assert_eq!(bits(&bounds), bits(&of_view));
    }
}

#[test]
fn shapes_motion_and_defects_are_those_of_the_structs() {
    let bodies = Bodies::<Obb>::new("bodies");
    let (store, view) = (bodies.store(), bodies.view());
    assert_eq!((view.len(), view.is_empty()), (LEN, false));
    assert_eq!(format!("{view:?}"), format!("{store:?}"));
    let text = |error: Result<(), Error>| format!("{error:?}");
    assert_eq!(text(view.validate()), text(store.validate()));
    assert!(view.get(LEN as u32).is_none() && view.displacement(LEN as u32).is_none());
    for i in [0, 1, LEN as u32 - 1] {
        assert_eq!(view.get(i), Some(bodies.shapes[i as usize]));
        assert_eq!(view.at(i, 0.5), store.at(i, 0.5));
        assert_eq!(view.turn(i), Some([0.0; 3]));
    }
    assert_eq!(bodies.turning().turn(3), Some(bodies.turns[3]));
    let still = ObbsRef::of_structs(&bodies.shapes).unwrap();
    assert_eq!(still.displacement(3), Some([0.0; 3]));
    let none = SpheresRef::of_structs(&[]).unwrap();
    assert!(
        none.is_empty()
            && none.get(0).is_none()
            && SpheresRef::of_moving_structs(&[], &[]).unwrap().is_empty()
    );
}

#[test]
fn a_wrong_number_of_displacements_is_an_error() {
    let shapes = [Sphere::default(); 3];
    let view = SpheresRef::of_moving_structs(&shapes, &[[0.0; 3]; 2]);
    let is_expected = |error| {
        matches!(
            error,
            Error::LengthMismatch {
                len_a: 3,
                len_b: 2,
                ..
            }
        )
    };
    assert!(is_expected(view.unwrap_err()));
}
