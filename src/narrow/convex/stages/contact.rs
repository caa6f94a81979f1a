//! Contacts of convex hulls, and of triangles with triangles, planes and half-spaces.

use crate::driver::call::TableOf;
use crate::driver::rows::PairShapes;
use crate::driver::test::TestTable;
use crate::lane::{FEWEST_KERNEL_LANES, Job, Lanes, MAX_LANES, U, Vec3};
use crate::math::dvec::{DVec3, f64_max};
use crate::narrow::contact::contacts::{Contacts, INNER};
use crate::narrow::contact::inner::{Clamp, Numbers, Slanted, SlantedGroup};
use crate::narrow::contact::manifold::{Manifold, ManifoldPoint};
use crate::narrow::contact::stage::{ContactJob, ContactTable};
use crate::narrow::contact::writer::write_one;
use crate::narrow::convex::contact::face_batch::FaceBatch;
use crate::narrow::convex::contact::manifold::HullContact;
use crate::narrow::convex::contact::solid::Solid;
use crate::narrow::convex::contact::solid_pair::FacedPair;
use crate::narrow::convex::contact::surface::contact_with_surface;
use crate::narrow::convex::gjk::HullPair;
use crate::narrow::convex::portal::Portal;
use crate::narrow::convex::side::CoreKind;
use crate::narrow::convex::stages::read::{Convex, ReadSurface, read_surface};
use crate::narrow::convex::stages::{above, below};
use crate::narrow::overlap::overlaps::Overlaps;
use crate::shapes::aabb::Aabb;
use crate::shapes::capsule::Capsule;
use crate::shapes::obb::Obb;
use crate::shapes::plane::{HalfSpace, Plane};
use crate::shapes::point::Point;
use crate::shapes::shape::Shape;
use crate::shapes::sphere::Sphere;
use crate::shapes::triangle::Triangle;
use crate::store::columns::AnyColumns;
use crate::store::hull::hulls::PlacedHull;

/// The tables of contacts.
macro_rules! contacts {
    (=> $($a:ident, $b:ident: $box_a:ident, $box_b:ident, $points:literal, $clamps:literal;)+) => {
        $(impl TableOf<Contacts, $b> for $a {
            const TABLE: ContactTable = ContactTable {
                test: {
                    static HITS: TestTable = <$a as TableOf<Overlaps, $b>>::TABLE;
                    &HITS
                },
                points: $points,
                clamps: $clamps,
                find: |simd, job| {
                    let kinds = SolidKinds::of::<$box_a, $box_b>();
                    simd.run(HullContacts { job, kinds, points: $points })
                },
            };
        })+
    };
}

hull_pairs!(points: contacts);
hull_pairs!(contacts);
contacts! { =>
    Triangle, Triangle: Triangle, Triangle, 4, true;
    Triangle, Plane: Triangle, Plane, 4, false;
    Triangle, HalfSpace: Triangle, HalfSpace, 4, false;
}

/// A shape that touches hulls: a bounded one, with its faces, or a surface.
pub trait Faced: Convex {
    /// Sets a solid to the shape with its faces. A surface has none.
    fn set(self, _to: &mut Solid<'_>) {}
}

impl Faced for Point {
    fn set(self, to: &mut Solid<'_>) {
        to.set_sphere(self.position, 0.0);
    }
}

impl Faced for Sphere {
    fn set(self, to: &mut Solid<'_>) {
        to.set_sphere(self.center, self.radius);
    }
}

impl Faced for Capsule {
    fn set(self, to: &mut Solid<'_>) {
        to.set_capsule(self.center, self.half_axis, self.radius);
    }
}

impl Faced for Aabb {
    fn set(self, to: &mut Solid<'_>) {
        to.set_aabb(self.min, self.max);
    }
}

impl Faced for Obb {
    fn set(self, to: &mut Solid<'_>) {
        to.set_obb(self.center, self.half_extents, self.rotation);
    }
}

impl Faced for Triangle {
    fn set(self, to: &mut Solid<'_>) {
        to.set_triangle(self.corners);
    }
}

impl Faced for Plane {}
impl Faced for HalfSpace {}

/// Reads shapes with their faces, each moved by a vector.
type ReadSolids = for<'k> fn(&AnyColumns<'k>, &[usize], &[[f32; 3]], &mut [Solid<'k>]);

/// The kinds of both shapes, in kernel order.
#[derive(Clone, Copy)]
pub struct SolidKinds {
    solids: [ReadSolids; 2],
    /// Reads B if it is a surface.
    surface: Option<ReadSurface>,
}

impl SolidKinds {
    pub const fn of<A: Faced, B: Faced>() -> Self {
        SolidKinds {
            solids: [solids::<A>, solids::<B>],
            surface: read_surface::<B>(),
        }
    }
}

fn solids<'k, T: Faced>(
    columns: &AnyColumns<'k>,
    indices: &[usize],
    by: &[[f32; 3]],
    to: &mut [Solid<'k>],
) {
    if const { matches!(T::CORE, CoreKind::Surface) } {
        return;
    }
    let Some(hulls) = columns.hulls() else {
        for ((to, &index), by) in to.iter_mut().zip(indices).zip(by) {
            columns.shape::<T>(index).translated(*by).set(to);
        }
        return;
    };
    for ((to, &index), by) in to.iter_mut().zip(indices).zip(by) {
        let [x, y, z, a, b, c, rotation @ ..] = columns.numbers_of::<10>(index);
        let around = Obb::new([x, y, z], [a, b, c], rotation).translated(*by);
        let (core, faces) = (hulls.of(index), hulls.faces(index));
        to.set_hull(around.center, rotation, core, faces);
    }
}

/// Pairs at the times of their contacts, at most as many as lanes.
struct HitGroup<'c, 's> {
    columns: [&'c AnyColumns<'s>; 2],
    kinds: SolidKinds,
    margin: f32,
    /// Whether B moves, not A. A mesh whose edges are looked at stays where it is.
    moves_b: bool,
    /// Displacement of A.
    travel: [[f32; 3]; MAX_LANES],
    len: usize,
    /// Indices in kernel order.
    indices: [[usize; MAX_LANES]; 2],
    solids: [[Solid<'s>; MAX_LANES]; 2],
    /// The faces with their greatest gaps.
    faces: FaceBatch,
}

impl<'c, 's> HitGroup<'c, 's> {
    #[inline(always)]
    fn new(
        columns: [&'c AnyColumns<'s>; 2],
        kinds: SolidKinds,
        margin: f32,
        moves_b: bool,
    ) -> Self {
        HitGroup {
            columns,
            kinds,
            margin,
            moves_b,
            travel: [[0.0; 3]; MAX_LANES],
            len: 0,
            indices: [[0; MAX_LANES]; 2],
            solids: [const { [const { Solid::NONE }; MAX_LANES] }; 2],
            faces: FaceBatch::NONE,
        }
    }

    /// Reads the pairs at some positions, at most as many as lanes, moved to the times of their contacts.
    fn read(&mut self, shapes: &PairShapes<'_>, times: Option<&[f32]>, positions: &[u32]) {
        let [side_a, side_b] = shapes.list.sides();
        let mut travel = [[0.0; 3]; MAX_LANES];
        self.len = positions.len();
        for (k, &position) in positions.iter().enumerate() {
            let pair = shapes.list.at(position);
            let [i, j] = [pair[side_a] as usize, pair[side_b] as usize];
            // A displacement that is not asked for may be invalid.
            if let Some(times) = times {
                let (a, b) = (
                    self.columns[0].displacement(i),
                    self.columns[1].displacement(j),
                );
                travel[k] = [0, 1, 2].map(|axis| (a[axis] - b[axis]) * times[position as usize]);
            }
            (self.indices[0][k], self.indices[1][k]) = (i, j);
        }
        let none = [[0.0; 3]; MAX_LANES];
        let back = travel.map(|by| by.map(|x| -x));
        let both = if self.moves_b {
            [none, back]
        } else {
            [travel, none]
        };
        self.travel = both[0];
        for (side, by) in both.iter().enumerate() {
            let (read, to) = (self.kinds.solids[side], &mut self.solids[side]);
            read(self.columns[side], &self.indices[side][..self.len], by, to);
        }
    }

    /// Finds the faces with the greatest gaps.
    #[inline(always)]
    fn find_faces<L: Lanes>(&mut self, lanes: L) {
        if self.kinds.surface.is_some() {
            return;
        }
        let [of_a, of_b] = &self.solids;
        let (of_a, of_b) = (&of_a[..self.len], &of_b[..self.len]);
        let mut sizes = [0.0; MAX_LANES];
        let mut lane = 0;
        while lane < self.len {
            sizes[lane] = FacedPair::new(lanes, &of_a[lane], &of_b[lane], self.margin).size();
            lane += 1;
        }
        self.faces.fill(lanes, [of_a, of_b], &sizes);
    }

    /// The contact of pair `k`: along the normal of least penetration, or along a given one.
    #[inline(always)]
    fn contact<L: Lanes>(
        &self,
        lanes: L,
        k: usize,
        normal: Option<[f32; 3]>,
    ) -> Option<HullContact> {
        let [a, b] = &self.solids;
        if let Some(read) = self.kinds.surface {
            let surface = read(self.columns[1], self.indices[1][k]);
            return contact_with_surface(lanes, &a[k], surface, self.margin);
        }
        let pair = FacedPair::new(lanes, &a[k], &b[k], self.margin);
        Some(match normal {
            Some(normal) => pair.contact_along(normal),
            None => pair.contact(&self.faces, k),
        })
    }

    /// The directions with the least exits from the triangles of one side, and these, as those of
    /// [`contact::inner`](crate::narrow::contact::inner).
    #[inline(always)]
    fn pushes<L: Lanes>(
        &self,
        lanes: L,
        side: MeshSide,
        clamp: &mut Clamp,
        listed: &SlantedGroup<'_, '_>,
    ) -> [Push; MAX_LANES] {
        let mut pushes = [Push::NONE; MAX_LANES];
        self.find_exits(lanes, side, clamp, u64::MAX, &mut pushes);
        let (mut far, mut best) = (0, Numbers::default());
        for (k, push) in pushes.iter().enumerate() {
            far |= u64::from(clamp.is_far(k, push.exit as f32)) << k;
            best.set(k, Vec3(push.outward));
        }
        if far != 0 {
            clamp.find_more(lanes, listed, far, &best);
            self.find_exits(lanes, side, clamp, far, &mut pushes);
        }
        pushes
    }

    /// Tries the candidates of the pairs whose bits are set.
    #[inline(always)]
    fn find_exits<L: Lanes>(
        &self,
        lanes: L,
        side: MeshSide,
        clamp: &Clamp,
        which: u64,
        pushes: &mut [Push; MAX_LANES],
    ) {
        for (k, push) in pushes[..self.len].iter_mut().enumerate() {
            if which >> k & 1 == 0 {
                continue;
            }
            let [a, b] = self.solids.each_ref().map(|solids| solids[k].body);
            let pair = HullPair::new(lanes, a, b, 0.0);
            let raw = DVec3::of(clamp.outward.get(k).0);
            // Separations are never above the exact ones.
            let size = pair.size() + f64::from(self.margin);
            let is_deep = f64::from(clamp.depth(k)) > DEEP * size;
            let touches = clamp.has_depth(k) && (is_deep || pair.touch());
            let mut portal = Portal::NONE;
            for at in 0..clamp.candidates.len_of(k) {
                let Vec3(outward) = clamp.candidates.of(k, at);
                let direction = DVec3::of(outward);
                let (order, exit) = if touches {
                    let exit = pair.exit(direction * side.sign(), push.order, &mut portal);
                    (exit, exit)
                } else {
                    (-2.0 - direction.dot(raw), 0.0)
                };
                if order < push.order {
                    *push = Push {
                        outward,
                        order,
                        exit,
                    };
                }
            }
        }
    }

    /// The contact of pair `k` along a direction, no deeper than its exit.
    #[inline(always)]
    fn pushed<L: Lanes>(
        &self,
        lanes: L,
        side: MeshSide,
        k: usize,
        push: Push,
    ) -> Option<HullContact> {
        let normal = DVec3::of(push.outward) * -side.sign();
        let mut contact = self.contact(lanes, k, Some(normal.to_f32()))?;
        contact.separation = f64_max(contact.separation, -push.exit);
        for point in &mut contact.points {
            point.separation = f64_max(point.separation, -push.exit);
        }
        Some(contact)
    }
}

/// The shape of a pair that is a triangle of a mesh, in kernel order.
#[derive(Clone, Copy)]
struct MeshSide(usize);

impl MeshSide {
    /// 1 if A is pushed by the triangle, −1 if B is.
    fn sign(self) -> f64 {
        if self.0 == 1 { 1.0 } else { -1.0 }
    }

    /// The shape that is pushed.
    fn other(self) -> usize {
        1 - self.0
    }
}

/// A direction in which a mesh pushes a hull.
#[derive(Clone, Copy)]
struct Push {
    outward: [f32; 3],
    /// The exit; below zero if the hull does not touch.
    order: f64,
    exit: f64,
}

/// A depth that only shapes that touch have, in S with the margin: more than separations are below the exact ones.
const DEEP: f64 = 512.0 * U as f64;

impl Push {
    const NONE: Self = Push {
        outward: [1.0, 0.0, 0.0],
        order: f64::INFINITY,
        exit: 0.0,
    };
}

/// Finds the contacts of some hits.
pub struct HullContacts<'a, 's> {
    pub job: ContactJob<'a, 's>,
    pub kinds: SolidKinds,
    /// Maximum number of points of a contact.
    pub points: usize,
}

impl Job for HullContacts<'_, '_> {
    type Output = ();
    const FEWEST: usize = FEWEST_KERNEL_LANES;

    #[inline(always)]
    fn run<L: Lanes>(self, lanes: L) {
        let HullContacts { job, kinds, points } = self;
        let ContactJob {
            shapes,
            times,
            swapped,
            margin,
            meshes,
            mut out,
        } = job;
        let moves_b = meshes[0].is_some() && meshes[1].is_none();
        let mut group = HitGroup::new(shapes.columns, kinds, margin, moves_b);
        let mut first = 0;
        while first < out.len() {
            let end = out.len().min(first + L::COUNT);
            group.read(&shapes, times, &out.positions[first..end]);
            group.find_faces(lanes);
            let mut k = 0;
            while k < group.len {
                if let Some(contact) = group.contact(lanes, k, None) {
                    let origin = group.solids[0][k].body.origin;
                    write_one(
                        &mut out,
                        first + k,
                        points,
                        contact.manifold(swapped, origin),
                    );
                }
                k += 1;
            }
            first = end;
        }
        // Of two meshes, the first has the last word.
        for side in [MeshSide(1), MeshSide(0)] {
            let Some(mesh) = meshes[side.0] else {
                continue;
            };
            let is_outward = swapped == (side.0 == 1);
            let mut slanted = Slanted::new(mesh, shapes.list, side.0);
            let mut clamp = Clamp::default();
            while slanted.find(lanes, &out, is_outward) {
                let mut first = 0;
                while first < slanted.positions().len() {
                    let end = slanted.positions().len().min(first + L::COUNT);
                    group.read(&shapes, times, &slanted.positions()[first..end]);
                    let mut centers = Numbers::default();
                    let mut k = 0;
                    while k < group.len {
                        let body = &group.solids[side.other()][k].body;
                        let mut center = body.center + body.origin;
                        if side.0 == 0 {
                            center = center - DVec3::of(group.travel[k]);
                        }
                        let triangle = group.indices[side.0][k] as u32;
                        let corner = mesh.frame_corner(triangle);
                        centers.set(k, Vec3(center.to_f32()) - corner);
                        k += 1;
                    }
                    let listed = slanted.group(first..end);
                    if let Some(places) = clamp.find(lanes, &listed, &centers, (&out, is_outward)) {
                        let pushes = group.pushes(lanes, side, &mut clamp, &listed);
                        k = 0;
                        while k < group.len {
                            if let Some(place) = places[k]
                                && let Some(contact) = group.pushed(lanes, side, k, pushes[k])
                            {
                                let origin = group.solids[0][k].body.origin;
                                let manifold = contact.manifold(swapped, origin);
                                write_one(&mut out, place, points, manifold);
                                out.bytes[INNER][place] = 1;
                            }
                            k += 1;
                        }
                    }
                    first = end;
                }
            }
        }
    }
}

impl HullContact {
    /// Contact for the output columns. Points are relative to the origin of A; if `swapped`, the normal is flipped and they are
    /// relative to B, if that has a center. Each number is rounded once.
    #[inline(always)]
    fn manifold(&self, swapped: bool, origin: DVec3) -> Manifold<f32> {
        let (sign, base) = if swapped {
            (-1.0, origin + self.offset)
        } else {
            (1.0, origin)
        };
        Manifold {
            normal: Vec3((self.normal * sign).to_f32()),
            separation: if self.separation < 0.0 {
                -above(-self.separation)
            } else {
                below(self.separation)
            },
            offset: Vec3([0.0; 3]),
            count: self.count as f32,
            points: self.points.map(|point| ManifoldPoint {
                at: Vec3((point.at - base).to_f32()),
                separation: point.separation as f32,
                feature: f32::from(point.feature),
            }),
        }
    }
}
