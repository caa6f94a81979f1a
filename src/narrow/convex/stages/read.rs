//! Shapes of a call, read as bodies or surfaces.

use crate::lane::{Lanes, MAX_LANES};
use crate::narrow::convex::body::Body;
use crate::narrow::convex::gjk::HullPair;
use crate::narrow::convex::side::{CoreKind, Side};
use crate::narrow::convex::surface::{Surface, SurfaceInterval};
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::columns::AnyColumns;
use crate::store::hull::kinds::HullCore;

/// A shape that can be searched with hulls: a bounded one, or a surface.
pub trait Convex: Shape<Stored = Self> {
    /// The shape; the core is that of the hull, if the shape is the box around one. A surface has no body.
    fn body(self, _core: Option<HullCore<'_>>) -> Body<'_> {
        Body::NONE
    }

    /// Kind of core in a batch.
    const CORE: CoreKind = CoreKind::Points;

    /// The plane or half-space. A bounded shape has none.
    fn surface(self) -> Surface {
        Surface::NONE
    }
}

impl Convex for Point {
    const CORE: CoreKind = CoreKind::Center;

    fn body(self, _: Option<HullCore<'_>>) -> Body<'_> {
        Body::sphere(self.position, 0.0)
    }
}

impl Convex for Sphere {
    const CORE: CoreKind = CoreKind::Center;

    fn body(self, _: Option<HullCore<'_>>) -> Body<'_> {
        Body::sphere(self.center, self.radius)
    }
}

impl Convex for Capsule {
    fn body(self, _: Option<HullCore<'_>>) -> Body<'_> {
        Body::capsule(self.center, self.half_axis, self.radius)
    }
}

impl Convex for Aabb {
    fn body(self, _: Option<HullCore<'_>>) -> Body<'_> {
        Body::aabb(self.min, self.max)
    }
}

impl Convex for Obb {
    fn body(self, core: Option<HullCore<'_>>) -> Body<'_> {
        let Obb {
            center,
            half_extents,
            rotation,
        } = self;
        match core {
            Some(core) => Body::hull(center, rotation, core),
            None => Body::obb(center, half_extents, rotation),
        }
    }
}

impl Convex for Triangle {
    const CORE: CoreKind = CoreKind::Triangle;

    fn body(self, _: Option<HullCore<'_>>) -> Body<'_> {
        Body::triangle(self.corners)
    }
}

impl Convex for Plane {
    const CORE: CoreKind = CoreKind::Surface;

    fn surface(self) -> Surface {
        let Plane { normal, d } = self;
        Surface::new(normal, d, false)
    }
}

impl Convex for HalfSpace {
    const CORE: CoreKind = CoreKind::Surface;

    fn surface(self) -> Surface {
        let HalfSpace { normal, d } = self;
        Surface::new(normal, d, true)
    }
}

/// Reads the shapes of one side.
struct SideOps {
    body: for<'k> fn(&AnyColumns<'k>, usize) -> Body<'k>,
    /// `None` for bounded shapes.
    surface: Option<ReadSurface>,
    place: for<'k> fn(&AnyColumns<'k>, &[usize], &mut Side<'k>),
    is_valid: fn(&AnyColumns<'_>, usize) -> bool,
}

impl SideOps {
    const fn of<T: Convex>() -> Self {
        SideOps {
            body: body::<T>,
            surface: read_surface::<T>(),
            place: place::<T>,
            is_valid: |columns, index| columns.shape::<T>(index).defect().is_none(),
        }
    }
}

fn body<'k, T: Convex>(columns: &AnyColumns<'k>, index: usize) -> Body<'k> {
    let core = columns.hulls().map(|hulls| hulls.of(index));
    columns.shape::<T>(index).body(core)
}

/// Reads a plane or a half-space.
pub type ReadSurface = fn(&AnyColumns<'_>, usize) -> Surface;

/// Reads shapes `T`; `None` if they are bounded.
pub const fn read_surface<T: Convex>() -> Option<ReadSurface> {
    if matches!(T::CORE, CoreKind::Surface) {
        Some(|columns, index| columns.shape::<T>(index).surface())
    } else {
        None
    }
}

/// Sets one side of a batch.
fn place<'k, T: Convex>(columns: &AnyColumns<'k>, indices: &[usize], side: &mut Side<'k>) {
    match const { T::CORE } {
        CoreKind::Points => {}
        CoreKind::Center => {
            // A point has no radius.
            for (field, to) in side.centers().take(T::FIELDS).enumerate() {
                columns.field_of(field, indices, to);
            }
            return;
        }
        CoreKind::Triangle => {
            let mut corners = [[[0.0; MAX_LANES]; 3]; 3];
            for (field, to) in corners.as_flattened_mut().iter_mut().enumerate() {
                columns.field_of(field, indices, to);
            }
            side.set_triangles(&corners);
            return;
        }
        CoreKind::Surface => {
            side.kind = CoreKind::Surface;
            return;
        }
    }
    let Some(hulls) = columns.hulls() else {
        for (lane, &index) in indices.iter().enumerate() {
            side.set(lane, columns.shape::<T>(index).body(None).placed());
        }
        return;
    };
    // By field: the numbers of one shape may all be in the same set of a cache.
    for axis in 0..3 {
        columns.field_of(axis, indices, &mut side.center[axis]);
    }
    for k in 0..4 {
        columns.field_of(6 + k, indices, &mut side.rotation[k]);
    }
    for (lane, &index) in indices.iter().enumerate() {
        side.set_points(lane, hulls.of(index));
    }
}

/// The stores of a call, with the shapes of a pair.
#[derive(Clone, Copy)]
pub struct PairOf<'c, 's> {
    pub columns: [&'c AnyColumns<'s>; 2],
    /// Indices in kernel order.
    pub indices: [usize; 2],
}

/// The shapes of a pair: a hull with a bounded shape, or with a plane or a half-space.
#[expect(
    clippy::large_enum_variant,
    reason = "on the stack, and most are bodies"
)]
pub enum Operands<'s> {
    Bodies([Body<'s>; 2]),
    Surface(Body<'s>, Surface),
}

/// The shapes of a pair, ready for a search. A surface whose normal has no direction has no interval.
#[expect(
    clippy::large_enum_variant,
    reason = "on the stack, and most are bodies"
)]
pub enum SearchPair<'s, L: Lanes> {
    Bodies(HullPair<'s, L>),
    Surface(Option<SurfaceInterval>),
}

/// The kinds of both shapes, in kernel order.
#[derive(Clone, Copy)]
pub struct Kinds([&'static SideOps; 2]);

impl Kinds {
    pub const fn of<A: Convex, B: Convex>() -> Self {
        Kinds([const { &SideOps::of::<A>() }, const { &SideOps::of::<B>() }])
    }

    /// Reads one shape of a pair.
    #[inline(always)]
    pub fn body<'s>(self, side: usize, pair: PairOf<'_, 's>) -> Body<'s> {
        (self.0[side].body)(pair.columns[side], pair.indices[side])
    }

    /// Reads both shapes of a pair.
    #[inline(always)]
    pub fn read<'s>(self, pair: PairOf<'_, 's>) -> Operands<'s> {
        let a = self.body(0, pair);
        match self.0[1].surface {
            None => Operands::Bodies([a, self.body(1, pair)]),
            Some(read) => Operands::Surface(a, read(pair.columns[1], pair.indices[1])),
        }
    }

    /// Reads both shapes of a pair for a search.
    #[inline(always)]
    pub fn prepare<'s, L: Lanes>(
        self,
        lanes: L,
        pair: PairOf<'_, 's>,
        margin: f32,
    ) -> SearchPair<'s, L> {
        match self.read(pair) {
            Operands::Bodies([a, b]) => SearchPair::Bodies(HullPair::new(lanes, a, b, margin)),
            Operands::Surface(hull, surface) => {
                SearchPair::Surface(SurfaceInterval::of(lanes, &hull, surface))
            }
        }
    }

    /// Sets one side of a batch.
    #[inline(always)]
    pub fn place<'s>(
        self,
        side: usize,
        columns: &AnyColumns<'s>,
        indices: &[usize],
        to: &mut Side<'s>,
    ) {
        (self.0[side].place)(columns, indices, to);
    }

    /// Whether both shapes are valid. `in_batch` if the batch tests hulls.
    #[inline(always)]
    pub fn are_valid(self, pair: PairOf<'_, '_>, in_batch: bool) -> bool {
        let is_valid = |side: usize| {
            (in_batch && pair.columns[side].hulls().is_some())
                || (self.0[side].is_valid)(pair.columns[side], pair.indices[side])
        };
        is_valid(0) && is_valid(1)
    }
}
