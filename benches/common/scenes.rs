//! The scenes: shapes in random motion, and the pair lists that a broad phase would find.
//!
//! n shapes are uniform in a cube of side 1.6 n^⅓, in Morton order. Each place holds a point, a sphere, a capsule, an
//! AABB, an OBB, a plane and a half-space, all with the same motion, so that every kernel can run on the same pair
//! list.

use std::ops::Range;

use phalanx::traits::Shape;
use phalanx::{
    Aabb, Aabbs, Capsule, Capsules, HalfSpace, HalfSpaces, Obb, Obbs, Pair, Plane, Planes, Point,
    Points, Sphere, Spheres, Store, StoreRef, Triangle, Triangles,
};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Makes every scene the same on every machine.
pub const SEED: u64 = 2026;

const RADIUS: Range<f32> = 0.3..0.7;
const HALF_EXTENT: Range<f32> = 0.2..0.7;
/// Radius of a capsule, relative to the sphere at the same place; its half axis is the rest.
const CAPSULE_RADIUS: Range<f32> = 0.2..0.8;
/// Depth of a plane or the surface of a half-space below its place, against the normal: some of the nearby shapes touch
/// it and most do not.
const DEPTH: Range<f32> = 0.2..1.6;
/// Displacement on each axis.
const DISPLACEMENT: Range<f32> = -0.5..0.5;
/// The side of the cube per shape.
const SPACING: f32 = 1.6;
/// Side of the cells whose Morton code orders the shapes.
const MORTON_CELL: f32 = 2.0;
/// Margin of listed pairs: on each axis, the gap of the bounding spheres is smaller.
const PAIR_MARGIN: f32 = 0.8;

/// Kind of the pair list of a scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairList {
    /// Neighbours, in order of the first shape, as from a broad phase.
    Neighbours,
    /// Uniformly random pairs: the worst case for the caches.
    Random,
}

/// Parameters of a scene.
#[derive(Clone, Copy, Debug)]
pub struct SceneSpec {
    /// A short name, to select benches by.
    pub name: &'static str,
    /// Number of shapes.
    pub shapes: usize,
    /// Number of pairs.
    pub pairs: usize,
    /// Kind of the pair list.
    pub list: PairList,
}

/// Scenes from a size that fits in the caches to one that does not.
pub const SCENES: [SceneSpec; 4] = [
    SceneSpec::new("16k", 1 << 12, 1 << 14, PairList::Neighbours),
    SceneSpec::new("1M", 1 << 16, 1 << 20, PairList::Neighbours),
    SceneSpec::new("4M", 1 << 20, 1 << 22, PairList::Neighbours),
    SceneSpec::new("4M random", 1 << 20, 1 << 22, PairList::Random),
];

/// Shapes, and pairs of them to test.
#[derive(Default)]
pub struct Scene {
    pub points: Points,
    pub spheres: Spheres,
    pub capsules: Capsules,
    pub aabbs: Aabbs,
    pub obbs: Obbs,
    pub planes: Planes,
    pub half_spaces: HalfSpaces,
    pub triangles: Triangles,
    pub pairs: Vec<Pair>,
}

/// A shape type of the scenes.
pub trait InScene: Shape {
    fn store(scene: &Scene) -> &Store<Self>;

    /// A view of columns without a cache: a detector packs them in every call, as if they had changed.
    fn columns_in(scene: &Scene) -> StoreRef<'_, Self> {
        StoreRef::new(Self::store(scene).columns()).expect("columns of a store")
    }
}

impl InScene for Point {
    fn store(scene: &Scene) -> &Points {
        &scene.points
    }
}

impl InScene for Sphere {
    fn store(scene: &Scene) -> &Spheres {
        &scene.spheres
    }
}

impl InScene for Capsule {
    fn store(scene: &Scene) -> &Capsules {
        &scene.capsules
    }
}

impl InScene for Triangle {
    fn store(scene: &Scene) -> &Triangles {
        &scene.triangles
    }
}

impl InScene for Aabb {
    fn store(scene: &Scene) -> &Aabbs {
        &scene.aabbs
    }
}

impl InScene for Obb {
    fn store(scene: &Scene) -> &Obbs {
        &scene.obbs
    }
}

impl InScene for Plane {
    fn store(scene: &Scene) -> &Planes {
        &scene.planes
    }
}

impl InScene for HalfSpace {
    fn store(scene: &Scene) -> &HalfSpaces {
        &scene.half_spaces
    }
}

impl SceneSpec {
    pub const fn new(name: &'static str, shapes: usize, pairs: usize, list: PairList) -> Self {
        SceneSpec {
            name,
            shapes,
            pairs,
            list,
        }
    }

    /// Description of the scene.
    pub fn about(&self) -> String {
        let kind = match self.list {
            PairList::Neighbours => "pairs of neighbours",
            PairList::Random => "random pairs",
        };
        format!("{} {kind} of {} shapes", self.pairs, self.shapes)
    }

    /// Builds the scene, the same every time.
    pub fn build(&self) -> Scene {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED);
        // A separate generator, so that the other shapes do not depend on the planes.
        let mut plane_rng = Xoshiro256PlusPlus::seed_from_u64(SEED + 1);
        let mut capsule_rng = Xoshiro256PlusPlus::seed_from_u64(SEED + 3);
        let mut triangle_rng = Xoshiro256PlusPlus::seed_from_u64(SEED + 4);
        let side = SPACING * (self.shapes as f32).cbrt();
        let mut centers: Vec<[f32; 3]> = (0..self.shapes)
            .map(|_| uniform(&mut rng, 0.0..side))
            .collect();
        centers.sort_by_cached_key(morton);

        let mut scene = Scene {
            points: Points::with_capacity(self.shapes),
            spheres: Spheres::with_capacity(self.shapes),
            capsules: Capsules::with_capacity(self.shapes),
            aabbs: Aabbs::with_capacity(self.shapes),
            obbs: Obbs::with_capacity(self.shapes),
            planes: Planes::with_capacity(self.shapes),
            half_spaces: HalfSpaces::with_capacity(self.shapes),
            triangles: Triangles::with_capacity(self.shapes),
            pairs: Vec::new(),
        };
        for center in centers {
            let radius = rng.random_range(RADIUS);
            let half_extents = uniform(&mut rng, HALF_EXTENT);
            let rotation = unit_vector(&mut rng);
            let displacement = uniform(&mut rng, DISPLACEMENT);
            scene
                .points
                .push_moving(Point { position: center }, displacement);
            scene
                .spheres
                .push_moving(Sphere { center, radius }, displacement);
            scene.aabbs.push_moving(
                Aabb::from_center_half_extents(center, half_extents),
                displacement,
            );
            let obb = Obb {
                center,
                half_extents,
                rotation,
            };
            scene.obbs.push_moving(obb, displacement);

            let direction: [f32; 3] = unit_vector(&mut capsule_rng);
            let thin = radius * capsule_rng.random_range(CAPSULE_RADIUS);
            let capsule = Capsule {
                center,
                half_axis: direction.map(|x| x * (radius - thin)),
                radius: thin,
            };
            scene.capsules.push_moving(capsule, displacement);

            let corners = [(); 3].map(|()| {
                let direction: [f32; 3] = unit_vector(&mut triangle_rng);
                std::array::from_fn(|k| center[k] + radius * direction[k])
            });
            scene
                .triangles
                .push_moving(Triangle { corners }, displacement);

            let normal = unit_vector(&mut plane_rng);
            let depth = plane_rng.random_range(DEPTH);
            let point = std::array::from_fn(|k| center[k] - depth * normal[k]);
            scene
                .planes
                .push_moving(Plane::from_point_normal(point, normal), displacement);
            scene
                .half_spaces
                .push_moving(HalfSpace::from_point_normal(point, normal), displacement);
        }
        scene.pairs = match self.list {
            PairList::Neighbours => neighbours(&scene.spheres, self.pairs),
            PairList::Random => {
                let mut index = || rng.random_range(0..self.shapes as u32);
                (0..self.pairs)
                    .map(|_| Pair::new(index(), index()))
                    .collect()
            }
        };
        scene
    }
}

fn uniform<const N: usize>(rng: &mut Xoshiro256PlusPlus, range: Range<f32>) -> [f32; N] {
    std::array::from_fn(|_| rng.random_range(range.clone()))
}

/// A normal, or a rotation as a quaternion.
fn unit_vector<const N: usize>(rng: &mut Xoshiro256PlusPlus) -> [f32; N] {
    loop {
        let v: [f32; N] = uniform(rng, -1.0..1.0);
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        // Uniform in the unit sphere, so uniform in direction; near zero, rounding would matter.
        if (0.1..=1.0).contains(&length) {
            return v.map(|x| x / length);
        }
    }
}

/// The bits of the three cell coordinates, interleaved.
fn morton(center: &[f32; 3]) -> u64 {
    let mut code = 0;
    for (axis, x) in center.iter().enumerate() {
        let cell = (x / MORTON_CELL) as u64;
        for bit in 0..16 {
            code |= (cell >> bit & 1) << (3 * bit + axis);
        }
    }
    code
}

/// A shape in the grid.
#[derive(Clone, Copy, Default)]
struct Entry {
    center: [f32; 3],
    radius: f32,
    index: u32,
}

impl Entry {
    fn is_near(&self, other: &Entry) -> bool {
        let reach = self.radius + other.radius + PAIR_MARGIN;
        (0..3).all(|k| (self.center[k] - other.center[k]).abs() < reach)
    }
}

/// Shapes in cells as wide as the longest reach of a pair, so that neighbours are at most one cell
/// apart.
struct Grid {
    cells_per_side: usize,
    /// Start of each cell in `entries`, and the end of the last.
    starts: Vec<usize>,
    /// Cell by cell, x fastest, in order of index within each.
    entries: Vec<Entry>,
}

impl Grid {
    const CELL: f32 = 2.0 * RADIUS.end + PAIR_MARGIN;

    fn new(shapes: &[Entry]) -> Self {
        let coordinates = shapes.iter().flat_map(|entry| entry.center);
        let cells_per_side = (coordinates.fold(0.0, f32::max) / Self::CELL) as usize + 1;
        let mut grid = Grid {
            cells_per_side,
            starts: vec![0; cells_per_side.pow(3) + 1],
            entries: vec![Entry::default(); shapes.len()],
        };
        // Counting sort: starts are first counts, then ends, and move down to starts as cells fill.
        for entry in shapes {
            let cell = grid.cell(entry);
            grid.starts[cell] += 1;
        }
        let mut end = 0;
        for start in &mut grid.starts {
            end += *start;
            *start = end;
        }
        for entry in shapes.iter().rev() {
            let cell = grid.cell(entry);
            grid.starts[cell] -= 1;
            grid.entries[grid.starts[cell]] = *entry;
        }
        grid
    }

    fn coordinates(entry: &Entry) -> [usize; 3] {
        entry.center.map(|x| (x / Self::CELL) as usize)
    }

    fn cell(&self, entry: &Entry) -> usize {
        let [x, y, z] = Self::coordinates(entry);
        (z * self.cells_per_side + y) * self.cells_per_side + x
    }

    /// The shapes in the cell of this shape and in the cells around it, including itself.
    fn around(&self, entry: &Entry) -> impl Iterator<Item = &Entry> {
        let last = self.cells_per_side - 1;
        let [xs, ys, zs] =
            Self::coordinates(entry).map(|x| x.saturating_sub(1)..=(x + 1).min(last));
        zs.flat_map(move |z| ys.clone().map(move |y| (y, z)))
            .flat_map(move |(y, z)| {
                // Cells along x are adjacent.
                let row = (z * self.cells_per_side + y) * self.cells_per_side;
                &self.entries[self.starts[row + xs.start()]..self.starts[row + xs.end() + 1]]
            })
    }
}

/// Each pair of neighbours once, in order of the lower index; truncated or repeated to `len` pairs.
fn neighbours(spheres: &Spheres, len: usize) -> Vec<Pair> {
    let columns = spheres.columns();
    let shapes: Vec<Entry> = (0..spheres.len())
        .map(|i| Entry {
            center: columns.center.map(|column| column[i]),
            radius: columns.radius[i],
            index: i as u32,
        })
        .collect();
    let grid = Grid::new(&shapes);

    let mut pairs = Vec::with_capacity(len);
    for a in &shapes {
        let near = grid
            .around(a)
            .filter(|b| b.index > a.index && a.is_near(b))
            .map(|b| Pair::new(a.index, b.index));
        pairs.extend(near);
        if pairs.len() >= len {
            break;
        }
    }
    let found = pairs.len();
    assert!(found > 0, "a scene without neighbours");
    pairs.truncate(len);
    while pairs.len() < len {
        pairs.extend_from_within(..found.min(len - pairs.len()));
    }
    pairs
}
