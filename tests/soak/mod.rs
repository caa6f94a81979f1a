//! Stores that change at random, each beside a model that remembers what it holds, and the queries to compare.

mod asks;
mod subjects;

use phalanx::traits::Shape;
use phalanx::{Aabb, Capsule, Detector, Sphere, Triangle};
use phalanx::{HalfSpace, HullKinds, Hulls, Obb, PlacedHull, Plane, Point, Shapes, StoreRef};
use rand::RngExt;
use rand::rngs::StdRng;

pub use asks::{Ask, expected, kept};
use subjects::{HullRows, PlacedMesh, Rows};

/// A store that lives through a program, and its model.
pub trait Subject<T: Shape> {
    /// Passes the shapes to a query, as a store or as a view.
    fn show(&self, query: &mut dyn FnMut(StoreRef<'_, T>));
    /// A new store of the model's shapes.
    fn fresh(&self) -> Box<dyn Shapes<Shape = T>>;
    /// Changes the store and its model, by the habits of its program.
    fn change(&mut self, rng: &mut StdRng);
    /// Whether each shape is valid: for the start of the frame, with its displacement, and with its turn.
    fn valid(&self) -> Vec<[bool; 3]>;
}

/// Usual changes of a store.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Habit {
    /// It rests, and changes now and then.
    Rests,
    /// All its shapes move a little in each frame; shapes come and go now and then.
    Moves,
    /// Anything changes in any frame.
    Wild,
}

/// The limits of a store.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub habit: Habit,
    /// Number of shapes at the start. Changes keep it below twice that and 20.
    pub len: usize,
    /// Half the side of the cube that holds the centers.
    pub reach: f32,
    /// Whether queries read a view of structs in place of the store.
    pub as_structs: bool,
}

macro_rules! subjects {
    ($($bounded:ident)+ | $($unbounded:ident)+) => {
        subjects!(@ $($bounded)+ | $($bounded)+ $($unbounded)+);
    };
    (@ $($bounded:ident)+ | $($shape:ident)+) => {
        /// A store of any shape.
        pub enum Any {
            $($shape(Box<dyn Subject<$shape>>)),+
        }

        impl Any {
            /// Calls `prepare` on the store.
            pub fn prepare(&self, detector: &mut Detector) {
                match self {
                    $(Any::$bounded(subject) => subject.show(&mut |view| {
                        detector.prepare(&view);
                    }),)+
                    Any::Plane(_) | Any::HalfSpace(_) => {}
                }
            }

            pub fn change(&mut self, rng: &mut StdRng) {
                match self { $(Any::$shape(subject) => subject.change(rng)),+ }
            }

            pub fn is_bounded(&self) -> bool {
                !matches!(self, Any::Plane(_) | Any::HalfSpace(_))
            }

            pub fn name(&self) -> &'static str {
                match self { $(Any::$shape(_) => stringify!($shape)),+ }
            }

            pub fn len(&self) -> usize {
                match self { $(Any::$shape(subject) => subject.valid().len()),+ }
            }
        }
    };
}
subjects!(Point Sphere Capsule Aabb Obb Triangle PlacedHull | Plane HalfSpace);

impl Any {
    /// Many spheres.
    pub fn spheres(rng: &mut StdRng, len: usize, habit: Habit) -> Self {
        let plan = Plan {
            habit,
            len,
            reach: (len as f32).cbrt(),
            as_structs: false,
        };
        Any::Sphere(Box::new(Rows::<Sphere>::new(rng, plan)))
    }

    /// A store of a random kind.
    pub fn random(rng: &mut StdRng, plan: Plan) -> Self {
        match rng.random_range(0..12) {
            0 => Any::Point(Box::new(Rows::<Point>::new(rng, plan))),
            1 | 2 => Any::Sphere(Box::new(Rows::<Sphere>::new(rng, plan))),
            3 => Any::Capsule(Box::new(Rows::<Capsule>::new(rng, plan))),
            4 => Any::Aabb(Box::new(Rows::<Aabb>::new(rng, plan))),
            5 | 6 => Any::Obb(Box::new(Rows::<Obb>::new(rng, plan))),
            7 => Any::Triangle(Box::new(Rows::<Triangle>::new(rng, plan))),
            8 => Any::Triangle(Box::new(PlacedMesh::new(rng, plan))),
            9 => {
                let kinds = kinds(rng);
                Any::PlacedHull(Box::new(HullRows::new(rng, plan, &kinds)))
            }
            10 => Any::Plane(Box::new(Rows::<Plane>::new(rng, few(plan)))),
            _ => Any::HalfSpace(Box::new(Rows::<HalfSpace>::new(rng, few(plan)))),
        }
    }
}

fn few(plan: Plan) -> Plan {
    Plan {
        len: plan.len.min(12),
        ..plan
    }
}

fn kinds(rng: &mut StdRng) -> HullKinds {
    let mut hulls = Hulls::default();
    for count in [1, 2, 4, 8, 20] {
        let mut point = |_| [(); 3].map(|()| rng.random_range(-0.5..0.5f32));
        let points = crate::common::near_origin(|| (0..count).map(&mut point).collect());
        let radius = if count == 4 { 0.0 } else { 0.125 };
        hulls.add_rounded_kind(&points, radius).unwrap();
    }
    hulls.add_cylinder_kind(0.25, 0.375, 0.0).unwrap();
    hulls.add_cone_kind(0.375, 0.25, 0.125).unwrap();
    hulls.kinds().clone()
}
