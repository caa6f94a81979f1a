//! Stores, meshes and hulls beside their models.

use phalanx::{
    Aabb, Capsule, Groups, HalfSpace, Hull, HullKinds, Hulls, Mesh, NO_BODY, Obb, PlacedHull,
    Plane, Point, Shapes, Sphere, Store, StoreRef, Triangle,
};
use rand::RngExt;
use rand::rngs::StdRng;

use super::{Habit, Plan, Subject};
use crate::common::{Sample, Setting, add};

const IDENTITY: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// All that a store holds of a shape.
#[derive(Clone, Copy)]
pub struct Row<S> {
    shape: S,
    displacement: [f32; 3],
    turn: [f32; 3],
    groups: Groups,
    body: u32,
}

/// The shapes of a store: `Store` and `Hulls` have the same methods, with different errors.
trait Holds<S: Copy>: Sized {
    fn push(&mut self, row: &Row<S>);
    fn set(&mut self, index: u32, shape: S);
    fn set_displacement(&mut self, index: u32, displacement: [f32; 3]);
    fn set_turn(&mut self, index: u32, turn: [f32; 3]);
    fn set_groups(&mut self, index: u32, groups: Groups);
    fn set_body(&mut self, index: u32, body: u32);
    fn swap_remove(&mut self, index: u32);
    fn truncate(&mut self, len: usize);
    fn reorder(&mut self, order: &[u32]);
    fn clear(&mut self);
    fn all_groups(&mut self) -> &mut [Groups];
    fn all_bodies(&mut self) -> &mut [u32];
    /// Moves all shapes, by their columns.
    fn shift(&mut self, by: [f32; 3]);
    /// Moves a shape, with the roundings of `shift`.
    fn moved(shape: S, by: [f32; 3]) -> S;
    fn random(&self, rng: &mut StdRng) -> S;
    /// A store without shapes.
    fn empty(&self) -> Self;
    fn is_valid(&self) -> bool;
    fn turns() -> bool;
}

/// Shapes of a type, with the parts of its store that other types lack.
pub trait Kind: Sample {
    const TURNS: bool = false;

    fn shift(store: &mut Store<Self>, by: [f32; 3]);

    fn set_turn(_store: &mut Store<Self>, _index: u32, _turn: [f32; 3]) {}

    /// Adds a shape with its motion; the turn is 0 for kinds without turns.
    fn push(store: &mut Store<Self>, row: &Row<Self>) {
        store.push_moving(row.shape, row.displacement);
    }

    fn structs<'a>(
        shapes: &'a [Self],
        displacements: &'a [[f32; 3]],
        _turns: &'a [[f32; 3]],
    ) -> StoreRef<'a, Self> {
        StoreRef::of_moving_structs(shapes, displacements).unwrap()
    }
}

fn shift_columns(columns: [&mut [f32]; 3], by: [f32; 3]) {
    for (column, by) in columns.into_iter().zip(by) {
        column.iter_mut().for_each(|x| *x += by);
    }
}

macro_rules! kinds {
    ($($shape:ident: $($column:ident)+;)+) => {
        $(impl Kind for $shape {
            fn shift(store: &mut Store<Self>, by: [f32; 3]) {
                let columns = store.columns_mut();
                $(shift_columns(columns.$column, by);)+
            }
        })+
    };
}
kinds! {
    Point: position;
    Sphere: center;
    Capsule: center;
    Aabb: min max;
}

impl Kind for Obb {
    const TURNS: bool = true;

    fn shift(store: &mut Store<Self>, by: [f32; 3]) {
        shift_columns(store.columns_mut().center, by);
    }

    fn set_turn(store: &mut Store<Self>, index: u32, turn: [f32; 3]) {
        store.set_turn(index, turn).unwrap();
    }

    fn push(store: &mut Store<Self>, row: &Row<Self>) {
        if row.turn == [0.0; 3] {
            store.push_moving(row.shape, row.displacement);
        } else {
            store.push_turning(row.shape, row.displacement, row.turn);
        }
    }

    fn structs<'a>(
        shapes: &'a [Self],
        displacements: &'a [[f32; 3]],
        turns: &'a [[f32; 3]],
    ) -> StoreRef<'a, Self> {
        StoreRef::of_turning_structs(shapes, displacements, turns).unwrap()
    }
}

impl Kind for Triangle {
    fn shift(store: &mut Store<Self>, by: [f32; 3]) {
        for corner in store.columns_mut().corners {
            shift_columns(corner, by);
        }
    }
}

macro_rules! unbounded {
    ($($shape:ident)+) => {
        $(impl Kind for $shape {
            fn shift(store: &mut Store<Self>, by: [f32; 3]) {
                for index in 0..store.len() as u32 {
                    let shape = store.get(index).unwrap();
                    store.set(index, shape.moved(by)).unwrap();
                }
            }
        })+
    };
}
unbounded!(Plane HalfSpace);

/// The methods that `Store` and `Hulls` have alike.
macro_rules! forward {
    ($store:ident of $shape:ty) => {
        fn set(&mut self, index: u32, shape: $shape) {
            $store::set(self, index, shape).unwrap();
        }
        fn set_displacement(&mut self, index: u32, displacement: [f32; 3]) {
            $store::set_displacement(self, index, displacement).unwrap();
        }
        fn set_groups(&mut self, index: u32, groups: Groups) {
            $store::set_groups(self, index, groups).unwrap();
        }
        fn set_body(&mut self, index: u32, body: u32) {
            $store::set_body(self, index, body).unwrap();
        }
        fn swap_remove(&mut self, index: u32) {
            $store::swap_remove(self, index).unwrap();
        }
        fn truncate(&mut self, len: usize) {
            $store::truncate(self, len);
        }
        fn reorder(&mut self, order: &[u32]) {
            $store::reorder(self, order).unwrap();
        }
        fn clear(&mut self) {
            $store::clear(self);
        }
        fn all_groups(&mut self) -> &mut [Groups] {
            self.groups_mut()
        }
        fn all_bodies(&mut self) -> &mut [u32] {
            self.bodies_mut()
        }
        fn is_valid(&self) -> bool {
            self.validate().is_ok()
        }
    };
}

impl<T: Kind> Holds<T> for Store<T> {
    forward!(Store of T);

    fn push(&mut self, row: &Row<T>) {
        T::push(self, row);
    }
    fn set_turn(&mut self, index: u32, turn: [f32; 3]) {
        T::set_turn(self, index, turn);
    }
    fn shift(&mut self, by: [f32; 3]) {
        T::shift(self, by);
    }
    fn moved(shape: T, by: [f32; 3]) -> T {
        shape.moved(by)
    }
    fn random(&self, rng: &mut StdRng) -> T {
        T::sample(rng, &Setting::ordinary())
    }
    fn empty(&self) -> Self {
        Store::new()
    }
    fn turns() -> bool {
        T::TURNS
    }
}

impl Holds<Hull> for Hulls {
    forward!(Hulls of Hull);

    fn push(&mut self, row: &Row<Hull>) {
        if row.turn == [0.0; 3] {
            self.push_moving(row.shape, row.displacement).unwrap();
        } else {
            self.push_turning(row.shape, row.displacement, row.turn)
                .unwrap();
        }
    }
    fn set_turn(&mut self, index: u32, turn: [f32; 3]) {
        Hulls::set_turn(self, index, turn).unwrap();
    }
    fn shift(&mut self, by: [f32; 3]) {
        shift_columns(self.poses_mut().center, by);
    }
    fn moved(shape: Hull, by: [f32; 3]) -> Hull {
        Hull {
            center: add(shape.center, by),
            ..shape
        }
    }
    fn random(&self, rng: &mut StdRng) -> Hull {
        let setting = Setting::ordinary();
        Hull {
            center: setting.point(rng),
            rotation: setting.rotation(rng),
            kind: rng.random_range(0..self.kinds().len() as u32),
        }
    }
    fn empty(&self) -> Self {
        Hulls::new(self.kinds())
    }
    fn turns() -> bool {
        true
    }
}

/// A store `H` of shapes `S`, and its model.
struct Modelled<H, S> {
    store: H,
    rows: Vec<Row<S>>,
    plan: Plan,
}

impl<S: Copy, H: Holds<S> + Clone> Modelled<H, S> {
    fn new(rng: &mut StdRng, plan: Plan, store: H) -> Self {
        let mut modelled = Modelled {
            store,
            rows: Vec::new(),
            plan,
        };
        for _ in 0..plan.len {
            modelled.push(rng);
        }
        modelled
    }

    /// A random position, displacement and turn.
    fn row(&self, rng: &mut StdRng) -> Row<S> {
        let reach = self.plan.reach;
        let by = [(); 3].map(|()| rng.random_range(-reach..reach));
        let far = [0.0, 0.0, 0.3, 2.0, 20.0][rng.random_range(0..5)];
        let displacement = [(); 3].map(|()| rng.random_range(-1.0..=1.0f32) * far);
        let turns = H::turns() && rng.random_bool(0.3);
        Row {
            shape: H::moved(self.store.random(rng), by),
            displacement,
            turn: [(); 3].map(|()| {
                if turns {
                    rng.random_range(-1.5..1.5)
                } else {
                    0.0
                }
            }),
            groups: Groups::ALL,
            body: NO_BODY,
        }
    }

    fn push(&mut self, rng: &mut StdRng) {
        let row = self.row(rng);
        self.store.push(&row);
        self.rows.push(row);
    }

    /// The shapes without their motion, with their displacements, or with all motion.
    fn with_motion(&self, motion: usize) -> impl Iterator<Item = Row<S>> + '_ {
        self.rows.iter().map(move |row| Row {
            displacement: if motion > 0 {
                row.displacement
            } else {
                [0.0; 3]
            },
            turn: if motion > 1 { row.turn } else { [0.0; 3] },
            ..*row
        })
    }

    fn valid(&self) -> Vec<[bool; 3]> {
        let mut one = self.store.empty();
        let mut all = vec![[false; 3]; self.rows.len()];
        for motion in 0..3 {
            for (valid, row) in all.iter_mut().zip(self.with_motion(motion)) {
                one.clear();
                one.push(&row);
                valid[motion] = one.is_valid();
            }
        }
        all
    }

    fn fresh(&self) -> H {
        let mut fresh = self.store.empty();
        self.rows.iter().for_each(|row| fresh.push(row));
        for (index, row) in (0..).zip(&self.rows) {
            if row.groups != Groups::ALL {
                fresh.set_groups(index, row.groups);
            }
            if row.body != NO_BODY {
                fresh.set_body(index, row.body);
            }
        }
        fresh
    }

    fn remove(&mut self, index: usize) {
        self.store.swap_remove(index as u32);
        self.rows.swap_remove(index);
    }

    fn shift(&mut self, by: [f32; 3]) {
        self.store.shift(by);
        for row in &mut self.rows {
            row.shape = H::moved(row.shape, by);
        }
    }

    fn change(&mut self, rng: &mut StdRng) {
        let changes = match self.plan.habit {
            Habit::Rests => usize::from(rng.random_bool(0.06)),
            Habit::Moves => {
                let size = [0.003, 0.003, 0.03, 0.3][rng.random_range(0..4)];
                self.shift([(); 3].map(|()| rng.random_range(-size..size)));
                usize::from(rng.random_bool(0.15))
            }
            Habit::Wild => rng.random_range(0..4),
        };
        for _ in 0..changes {
            self.change_once(rng);
        }
        // Invalid shapes are removed or replaced sooner or later.
        let is_bad = |valid: &[bool; 3]| !valid[2];
        if self.rows.iter().any(|row| row.displacement[0].is_nan()) || rng.random_bool(0.1) {
            let bad: Vec<usize> = (0..self.rows.len())
                .zip(self.valid())
                .filter_map(|(i, valid)| is_bad(&valid).then_some(i))
                .collect();
            match rng.random_range(0..4) {
                0 | 1 => bad.iter().rev().for_each(|i| self.remove(*i)),
                2 => bad.iter().for_each(|i| self.replace(rng, *i)),
                _ => {}
            }
        }
    }

    /// A new shape and new motion in a place.
    fn replace(&mut self, rng: &mut StdRng, index: usize) {
        let row = self.row(rng);
        let at = index as u32;
        self.store.set(at, row.shape);
        self.store.set_displacement(at, row.displacement);
        self.store.set_turn(at, row.turn);
        let old = &mut self.rows[index];
        (old.shape, old.displacement, old.turn) = (row.shape, row.displacement, row.turn);
    }

    fn change_once(&mut self, rng: &mut StdRng) {
        let len = self.rows.len();
        if len == 0 || len > 2 * self.plan.len + 20 {
            self.store.clear();
            self.rows.clear();
            (0..self.plan.len).for_each(|_| self.push(rng));
            return;
        }
        let any = rng.random_range(0..len);
        let at = any as u32;
        match rng.random_range(0..26) {
            0 | 1 => self.push(rng),
            2 => (0..rng.random_range(1..9)).for_each(|_| self.push(rng)),
            3 | 4 => self.remove(any),
            5 => {
                let len = len - rng.random_range(0..4).min(len);
                self.store.truncate(len);
                self.rows.truncate(len);
            }
            6 => {
                let mut order: Vec<u32> = (0..len as u32).collect();
                order.rotate_left(any);
                order.swap(0, len - 1);
                self.store.reorder(&order);
                self.rows = order.iter().map(|i| self.rows[*i as usize]).collect();
            }
            // A copy, with the cache of the old store dropped.
            7 => self.store = self.store.clone(),
            8..=10 => self.replace(rng, any),
            11 => {
                let displacement = self.row(rng).displacement;
                self.store.set_displacement(at, displacement);
                self.rows[any].displacement = displacement;
            }
            12 if H::turns() => {
                let turn = [(); 3].map(|()| rng.random_range(-1.5..1.5));
                self.store.set_turn(at, turn);
                self.rows[any].turn = turn;
            }
            // Invalid turns, displacements and shapes, one or many.
            13 if H::turns() => {
                let turn = [0.0, 0.0, [3.2, f32::NAN][rng.random_range(0..2)]];
                self.store.set_turn(at, turn);
                self.rows[any].turn = turn;
            }
            14 => {
                let displacement = [0.0, f32::NAN, 0.0];
                self.store.set_displacement(at, displacement);
                self.rows[any].displacement = displacement;
            }
            15..=17 => {
                let count = [1, 1, 2, len / 3 + 1][rng.random_range(0..4)];
                for _ in 0..count {
                    let index = rng.random_range(0..len);
                    let x = [f32::NAN, f32::INFINITY, 1e30][rng.random_range(0..3)];
                    let shape = H::moved(self.rows[index].shape, [0.0, x, 0.0]);
                    self.store.set(index as u32, shape);
                    self.rows[index].shape = shape;
                }
            }
            18 | 19 => {
                let groups = groups(rng);
                self.store.set_groups(at, groups);
                self.rows[any].groups = groups;
            }
            20 => {
                for (groups, row) in self.store.all_groups().iter_mut().zip(&mut self.rows) {
                    *groups = self::groups(rng);
                    row.groups = *groups;
                }
            }
            21 | 22 => {
                let body = body(rng);
                self.store.set_body(at, body);
                self.rows[any].body = body;
            }
            23 => {
                for (body, row) in self.store.all_bodies().iter_mut().zip(&mut self.rows) {
                    *body = self::body(rng);
                    row.body = *body;
                }
            }
            24 => {
                // A teleport of all.
                let by = [(); 3].map(|()| rng.random_range(-5.0..5.0f32));
                self.shift(by);
            }
            _ => {
                // The same numbers again, as by a writer that knows nothing of changes.
                let shape = self.rows[any].shape;
                self.store.set(at, shape);
            }
        }
    }
}

fn groups(rng: &mut StdRng) -> Groups {
    if rng.random_bool(0.5) {
        return Groups::ALL;
    }
    let mut bits = || rng.random_range(0..16u32);
    Groups {
        is: bits(),
        meets: bits(),
    }
}

fn body(rng: &mut StdRng) -> u32 {
    [NO_BODY, 0, 1, 2, 3][rng.random_range(0..5)]
}

/// A [`Store`], or a view of structs.
pub struct Rows<T: Kind>(Modelled<Store<T>, T>);

impl<T: Kind> Rows<T> {
    pub fn new(rng: &mut StdRng, plan: Plan) -> Self {
        Rows(Modelled::new(rng, plan, Store::new()))
    }
}

impl<T: Kind> Subject<T> for Rows<T> {
    fn show(&self, query: &mut dyn FnMut(StoreRef<'_, T>)) {
        let Modelled { store, rows, plan } = &self.0;
        if !plan.as_structs {
            return query(store.view());
        }
        let shapes: Vec<T> = rows.iter().map(|row| row.shape).collect();
        let displacements: Vec<_> = rows.iter().map(|row| row.displacement).collect();
        let turns: Vec<_> = rows.iter().map(|row| row.turn).collect();
        let groups: Vec<_> = rows.iter().map(|row| row.groups).collect();
        let bodies: Vec<_> = rows.iter().map(|row| row.body).collect();
        let mut view = T::structs(&shapes, &displacements, &turns);
        if groups.iter().any(|groups| *groups != Groups::ALL) {
            view = view.with_groups(&groups).unwrap();
        }
        if bodies.iter().any(|body| *body != NO_BODY) {
            view = view.with_bodies(&bodies).unwrap();
        }
        query(view);
    }

    fn fresh(&self) -> Box<dyn Shapes<Shape = T>> {
        Box::new(self.0.fresh())
    }

    fn change(&mut self, rng: &mut StdRng) {
        self.0.change(rng);
    }

    fn valid(&self) -> Vec<[bool; 3]> {
        self.0.valid()
    }
}

/// [`Hulls`] of a few kinds.
pub struct HullRows(Modelled<Hulls, Hull>);

impl HullRows {
    pub fn new(rng: &mut StdRng, plan: Plan, kinds: &HullKinds) -> Self {
        HullRows(Modelled::new(rng, plan, Hulls::new(kinds)))
    }
}

impl Subject<PlacedHull> for HullRows {
    fn show(&self, query: &mut dyn FnMut(StoreRef<'_, PlacedHull>)) {
        query(self.0.store.view());
    }

    fn fresh(&self) -> Box<dyn Shapes<Shape = PlacedHull>> {
        Box::new(self.0.fresh())
    }

    fn change(&mut self, rng: &mut StdRng) {
        self.0.change(rng);
    }

    fn valid(&self) -> Vec<[bool; 3]> {
        self.0.valid()
    }
}

/// A mesh that is placed, moved and given groups. Its model is a new mesh.
pub struct PlacedMesh {
    vertices: Vec<[f32; 3]>,
    faces: Vec<[u32; 3]>,
    at_rest: Mesh,
    mesh: Mesh,
    pose: Option<([f32; 3], [f32; 4])>,
    displacement: [f32; 3],
    groups: Vec<Groups>,
    bodies: Vec<u32>,
    habit: Habit,
}

impl PlacedMesh {
    /// A rugged ground.
    pub fn new(rng: &mut StdRng, plan: Plan) -> Self {
        let side = ((plan.len / 2) as f32).sqrt().max(1.0) as u32;
        let cell = 2.0 * plan.reach / side as f32;
        let mut vertices = Vec::new();
        for x in 0..=side {
            for z in 0..=side {
                let place = |k: u32| k as f32 * cell - plan.reach;
                vertices.push([place(x), rng.random_range(-0.5..0.5), place(z)]);
            }
        }
        let mut faces = Vec::new();
        for x in 0..side {
            for z in 0..side {
                let corner = |x, z| x * (side + 1) + z;
                let (a, b) = (corner(x, z), corner(x + 1, z));
                faces.push([a, a + 1, b]);
                faces.push([b, a + 1, b + 1]);
            }
        }
        let at_rest = Mesh::new(&vertices, &faces).unwrap();
        PlacedMesh {
            mesh: at_rest.clone(),
            groups: vec![Groups::ALL; faces.len()],
            bodies: vec![NO_BODY; faces.len()],
            vertices,
            faces,
            at_rest,
            pose: None,
            displacement: [0.0; 3],
            habit: plan.habit,
        }
    }
}

impl Subject<Triangle> for PlacedMesh {
    fn show(&self, query: &mut dyn FnMut(StoreRef<'_, Triangle>)) {
        query(self.mesh.view());
    }

    fn fresh(&self) -> Box<dyn Shapes<Shape = Triangle>> {
        let at_rest = Mesh::new(&self.vertices, &self.faces).unwrap();
        let mut mesh = at_rest.clone();
        if let Some((position, rotation)) = self.pose {
            mesh.place(&at_rest, position, rotation).unwrap();
        }
        mesh.set_displacement(self.displacement);
        if self.groups.iter().any(|groups| *groups != Groups::ALL) {
            mesh.groups_mut().copy_from_slice(&self.groups);
        }
        if self.bodies.iter().any(|body| *body != NO_BODY) {
            mesh.bodies_mut().copy_from_slice(&self.bodies);
        }
        Box::new(mesh)
    }

    fn change(&mut self, rng: &mut StdRng) {
        let often = match self.habit {
            Habit::Rests => 0.05,
            Habit::Moves => 0.6,
            Habit::Wild => 0.9,
        };
        if !rng.random_bool(often) {
            return;
        }
        match rng.random_range(0..8) {
            0..=2 => {
                let position = [(); 3].map(|()| rng.random_range(-1.0..1.0));
                let setting = Setting::ordinary();
                let rotation = if rng.random_bool(0.3) {
                    IDENTITY
                } else {
                    setting.rotation(rng)
                };
                if self.mesh.place(&self.at_rest, position, rotation).is_ok() {
                    self.pose = Some((position, rotation));
                }
            }
            3 => {
                self.displacement = [(); 3].map(|()| rng.random_range(-1.0..1.0));
                self.mesh.set_displacement(self.displacement);
            }
            4 => {
                self.displacement = [[0.0; 3], [f32::NAN; 3]][rng.random_range(0..2)];
                self.mesh.set_displacement(self.displacement);
            }
            5 => {
                for (groups, model) in self.mesh.groups_mut().iter_mut().zip(&mut self.groups) {
                    *model = self::groups(rng);
                    *groups = *model;
                }
            }
            6 => {
                let body = body(rng);
                self.mesh.set_body(body);
                self.bodies.fill(body);
            }
            _ => self.mesh = self.mesh.clone(),
        }
    }

    fn valid(&self) -> Vec<[bool; 3]> {
        let moves = self.displacement.iter().all(|x| x.is_finite());
        vec![[true, moves, moves]; self.faces.len()]
    }
}
