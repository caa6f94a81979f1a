//! Kinds of convex hulls: the points that hulls share.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, length_defect, size_defect};
use crate::lane::Float;
use crate::limits::MAX_HULL_OFFSET;
use crate::math::dvec::DVec3;
use crate::store::hull::discs::Discs;
#[cfg(feature = "contact")]
use crate::store::hull::faces::HullFaces;
use crate::store::hull::outer::outer;
use crate::store::hull::surface::bounds_of;

/// Kinds of convex hulls: each is the convex hull of 1 to 64 points, a [cylinder](Self::add_cylinder) or a [cone](Self::add_cone), or
/// all points within a [radius](Self::add_rounded) of one.
///
/// The hull of exactly these floats is meant: there is no tolerance and nothing is welded. Points inside the hull are harmless, and
/// so are equal, collinear and coplanar ones. Give the points around their center: each hull is first tested as the box around its
/// origin that contains them, and errors grow with that box. An origin at a corner or a foot is fine; points
/// [far](Self::MAX_OFFSET) from it are an error, and [`add_centered`](Self::add_centered) moves them. Of more than 64 points,
/// [`add_outer`](Self::add_outer) makes a hull that contains them.
///
/// Clones share their memory. The feature `serde` reads and writes a list of kinds, each its points, or its discs, and its radius.
///
/// ```
/// use phalanx::{Detector, Hull, HullKinds, Hulls, Overlaps, Sphere, Spheres};
///
/// let mut kinds = HullKinds::new();
/// let tetrahedron = kinds.add(&[[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])?;
/// let mut hulls = Hulls::new(&kinds);
/// hulls.push(Hull::new(tetrahedron, [0.0; 3], [0.0, 0.0, 0.0, 1.0]))?;
///
/// // The box around the tetrahedron reaches to 1 on each axis, its face only to 1/3 of (-1, -1, -1).
/// let spheres = Spheres::from_slice(&[0.2, 0.5].map(|x| Sphere { center: [-x; 3], radius: 0.1 }));
/// let mut overlaps = Overlaps::new();
/// Detector::new().overlap(&hulls, &spheres, &[[0, 0], [0, 1]], &mut overlaps)?;
/// assert!(overlaps.is_hit(0) && !overlaps.is_hit(1));
/// # Ok::<(), phalanx::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct HullKinds {
    table: Arc<KindTable>,
}

/// All kinds, in runs that clones share.
///
/// There is a run of 2^d kinds for each binary digit d of the number of kinds that is 1; runs of more kinds come first. Adding a kind
/// merges runs as the digits carry, so a kind is moved a logarithmic number of times, whether or not clones keep the old runs.
#[derive(Clone, Default)]
struct KindTable {
    len: u32,
    runs: [Option<Arc<[HullKind]>>; u32::BITS as usize],
}

/// x, y and z of 16 points.
pub type PointBlock = [[f32; 16]; 3];

/// One kind: points, and a radius around their hull.
#[derive(Clone)]
struct HullKind {
    /// Number of points.
    points: u32,
    /// Largest absolute coordinates of the points.
    half_extents: [f32; 3],
    /// Half of the box around the hull: the half extents and the radius, never too small.
    around: [f32; 3],
    /// The hull is the points within this distance of the hull of the points.
    radius: f32,
    /// Radius of a sphere around the origin inside the hull of the points, never too large; −∞ if the origin may be outside.
    inner: f32,
    /// The last block is filled up with the first point.
    blocks: Arc<[PointBlock]>,
    /// The discs of a cylinder or a cone; its points are the corners of their polygons.
    discs: Option<Discs>,
    #[cfg(feature = "contact")]
    faces: Arc<HullFaces>,
}

impl KindTable {
    /// Adds a kind and returns its index. Panics if there are `u32::MAX` kinds.
    fn push(&mut self, kind: HullKind) -> u32 {
        let index = self.len;
        let Some(len) = index.checked_add(1) else {
            panic!("there are at most u32::MAX kinds of hulls")
        };
        let merged = index.trailing_ones() as usize;
        let mut run = Vec::with_capacity(1 << merged);
        for kinds in self.runs[..merged]
            .iter_mut()
            .rev()
            .filter_map(Option::take)
        {
            run.extend_from_slice(&kinds);
        }
        run.push(kind);
        self.runs[merged] = Some(run.into());
        self.len = len;
        index
    }

    /// A kind, or `None` past the end.
    #[inline]
    fn get(&self, index: u32) -> Option<&HullKind> {
        if index >= self.len {
            return None;
        }
        // The highest digit that differs is 1 in the length: the runs of higher digits end before the kind, this run after it.
        let digit = (index ^ self.len).ilog2();
        let within = index & ((1 << digit) - 1);
        self.runs[digit as usize].as_ref()?.get(within as usize)
    }
}

impl HullKinds {
    /// Maximum number of points of a kind.
    pub const MAX_POINTS: usize = 64;

    /// Maximum distance of the center of a kind's bounding box from the origin, in half diagonals of that box: 32. A kind of equal
    /// points has no diagonal, and may be anywhere.
    ///
    /// Errors are relative to the box around the origin, see the [contract](crate::contract#hulls). Up to here, the two bounds of
    /// the distance of two touching hulls of a kind differ by at most 1/500 of the diagonal, if they are settled.
    pub const MAX_OFFSET: f32 = MAX_HULL_OFFSET;

    /// No kinds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds the kind of the hulls of these points and returns its index.
    ///
    /// # Errors
    ///
    /// [`Error::HullPoints`] with no points or more than [`MAX_POINTS`](Self::MAX_POINTS), [`Error::BadHullPoint`] for a coordinate
    /// that is NaN, infinite or above [`MAX_LENGTH`](crate::MAX_LENGTH), [`Error::HullOffCenter`] for points farther from their
    /// origin than [`MAX_OFFSET`](Self::MAX_OFFSET). Nothing is added then.
    ///
    /// # Panics
    ///
    /// If there are `u32::MAX` kinds.
    pub fn add(&mut self, points: &[[f32; 3]]) -> Result<u32, Error> {
        self.add_rounded(points, 0.0)
    }

    /// Adds the kind of rounded hulls and returns its index: all points within `radius` of the hull of these points. With a radius of 0,
    /// it is the kind that [`add`](Self::add) adds, with the same results in all bits.
    ///
    /// Spheres are rounded points, capsules rounded segments: all queries treat the radius in the same way, exactly. Round the links of
    /// a robot by the clearance that they need, or a box by the radius of its edges. A kind of [`add_outer`](Self::add_outer) is rounded
    /// by adding its [`points`](Self::points) with a radius.
    ///
    /// ```
    /// use phalanx::{Detector, Hull, HullKinds, Hulls, Overlaps, Sphere, Spheres};
    ///
    /// // A cube with half extents of 1, whose edges are rounded by 0.25.
    /// let corner = |k: u32| [0, 1, 2].map(|axis| if k >> axis & 1 == 0 { -0.75 } else { 0.75 });
    /// let corners: Vec<[f32; 3]> = (0..8).map(corner).collect();
    /// let mut kinds = HullKinds::new();
    /// let die = kinds.add_rounded(&corners, 0.25)?;
    /// assert_eq!((kinds.half_extents(die), kinds.radius(die)), (Some([1.0; 3]), Some(0.25)));
    ///
    /// // Beside a face and beside a corner, 0.1 from the corner of the sharp cube.
    /// let dice = Hulls::from_slice(&kinds, &[Hull::new(die, [0.0; 3], [0.0, 0.0, 0.0, 1.0])])?;
    /// let spheres = Spheres::from_slice(&[Sphere::new([1.2, 0.0, 0.0], 0.25), Sphere::new([1.1; 3], 0.2)]);
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().overlap(&dice, &spheres, &[[0, 0], [0, 1]], &mut overlaps)?;
    /// assert!(overlaps.is_hit(0) && !overlaps.is_hit(1));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`add`](Self::add), with the box around the rounded hull in place of the bounding box of the points.
    /// [`Error::BadHullRadius`] for a radius that is NaN, infinite, negative or above [`MAX_LENGTH`](crate::MAX_LENGTH),
    /// [`Error::BadHullPoint`] for a point with a coordinate and a radius that are together above it. Nothing is added then.
    ///
    /// # Panics
    ///
    /// If there are `u32::MAX` kinds.
    pub fn add_rounded(&mut self, points: &[[f32; 3]], radius: f32) -> Result<u32, Error> {
        check_points(points)?;
        if let Some(defect) = size_defect("radius", &[radius]) {
            return Err(Error::BadHullRadius { defect });
        }
        // The box around the hull is a valid one.
        for (index, point) in points.iter().enumerate() {
            let around = point.map(|x| sum_above(x.abs(), radius));
            if let Some(defect) = length_defect("point and radius", &around) {
                return Err(Error::BadHullPoint { index, defect });
            }
        }
        check_center(points, radius)?;
        Ok(self.add_checked(points, None, radius))
    }

    /// Adds the kind of the hulls of these points, moved to their center, and returns its index and the offset by which to place its
    /// hulls. The points are moved without rounding, so they have exactly the same hull elsewhere.
    ///
    /// Place a hull of the points as given by [`with_offset`](crate::Hull::with_offset). It turns about its own center, so its displacement is
    /// the difference of two such centers.
    ///
    /// ```
    /// use phalanx::{Detector, Distances, Hull, HullKinds, Hulls};
    ///
    /// // A stone in the coordinates of its map.
    /// let corner = |k: u32| [0, 1, 2].map(|axis| 10_000.0 + (k >> axis & 1) as f32);
    /// let stone: Vec<[f32; 3]> = (0..8).map(corner).collect();
    /// let mut kinds = HullKinds::new();
    /// assert!(kinds.add(&stone).is_err());
    /// let (kind, offset) = kinds.add_centered(&stone)?;
    /// assert_eq!(offset, [10_000.5; 3]);
    ///
    /// let placed = |center| Hull::new(kind, center, [0.0, 0.0, 0.0, 1.0]).with_offset(offset);
    /// let stones = Hulls::from_slice(&kinds, &[placed([0.0; 3]), placed([1.5, 0.0, 0.0])])?;
    /// let mut distances = Distances::new();
    /// Detector::new().distance(&stones, &stones, &[[0, 1]], &mut distances)?;
    /// assert!(0.4999 < distances.lower()[0] && distances.upper()[0] < 0.5001);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::HullPoints`] and [`Error::BadHullPoint`], as for [`add`](Self::add). Nothing is added then.
    ///
    /// # Panics
    ///
    /// If there are `u32::MAX` kinds.
    pub fn add_centered(&mut self, points: &[[f32; 3]]) -> Result<(u32, [f32; 3]), Error> {
        check_points(points)?;
        let center = bounds_of(points).0.map(|x| x as f32);
        // A difference is exact if neither number is above twice the other. Where it may not be, the origin is near the points.
        let is_exact = |axis: usize| {
            let (c, half) = (center[axis], 0.5 * center[axis]);
            let is_near = |x: f32| (half <= x && 0.5 * x <= c) || (half >= x && 0.5 * x >= c);
            points.iter().all(|point| is_near(point[axis]))
        };
        let offset = [0, 1, 2].map(|axis| if is_exact(axis) { center[axis] } else { 0.0 });
        let mut moved = [[0.0; 3]; Self::MAX_POINTS];
        for (to, point) in moved.iter_mut().zip(points) {
            *to = [0, 1, 2].map(|axis| point[axis] - offset[axis]);
        }
        Ok((self.add_checked(&moved[..points.len()], None, 0.0), offset))
    }

    /// Adds a hull of at most `most` points that contains any number of points, such as the vertices of a robot's link. Returns its
    /// index and its growth.
    ///
    /// The growth is an upper bound of the distance of the new hull's points from the hull of the given points: a sphere that touches the
    /// new hull is at most that far from the given one. If the hull of the given points has at most `most` corners, they are the points of
    /// the kind, and the growth is 0. Otherwise the kind has points of its own, and exact tests have found each given point inside their
    /// hull; where none passes, it is a tetrahedron far around the points.
    ///
    /// The growth falls about as 1 / `most`. The points of a sphere of radius 1 grow by 0.1 with 32, and by 0.05 with 64. A link that
    /// grows by too much can be several hulls of one body, each around some triangles of its mesh.
    ///
    /// ```
    /// use phalanx::{Detector, Hull, HullKinds, Hulls, Overlaps, Pairs, Point, Points};
    ///
    /// // A cone of 300 sides.
    /// let on_circle = |k: u32| {
    ///     let (y, x) = (k as f32 / 300.0 * std::f32::consts::TAU).sin_cos();
    ///     [x, y, 0.0]
    /// };
    /// let mut cone: Vec<[f32; 3]> = (0..300).map(on_circle).collect();
    /// cone.push([0.0, 0.0, 2.0]);
    /// let mut kinds = HullKinds::new();
    /// assert!(kinds.add(&cone).is_err());
    /// let (kind, growth) = kinds.add_outer(&cone, 32)?;
    /// assert!(growth < 0.05);
    ///
    /// // All points of the cone are inside.
    /// let hulls = Hulls::from_slice(&kinds, &[Hull::new(kind, [0.0; 3], [0.0, 0.0, 0.0, 1.0])])?;
    /// let points: Vec<Point> = cone.iter().map(|at| Point::new(*at)).collect();
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().overlap(&hulls, &Points::from_slice(&points), Pairs::one_to_all(0), &mut overlaps)?;
    /// assert_eq!(overlaps.count(), 301);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OuterHullPoints`] if `most` is not 4 to [`MAX_POINTS`](Self::MAX_POINTS), [`Error::HullPoints`] without points,
    /// [`Error::TooManyShapes`] for `u32::MAX` points or more, [`Error::BadHullPoint`] and [`Error::HullOffCenter`] as for [`add`](Self::add), also for points so large that a corner of the
    /// new hull would be above [`MAX_LENGTH`](crate::MAX_LENGTH). Nothing is added then.
    ///
    /// # Panics
    ///
    /// If there are `u32::MAX` kinds.
    pub fn add_outer(&mut self, points: &[[f32; 3]], most: usize) -> Result<(u32, f32), Error> {
        if !(4..=Self::MAX_POINTS).contains(&most) {
            return Err(Error::OuterHullPoints { most });
        }
        // Indices of points are `u32`.
        if points.len() >= u32::MAX as usize {
            return Err(Error::TooManyShapes { len: points.len() });
        }
        check_coordinates(points)?;
        if !points.is_empty() {
            check_center(points, 0.0)?;
        }
        let Some((corners, growth)) = outer(points, most) else {
            return Err(Error::HullPoints { points: 0 });
        };
        let mut corner_defects = corners.iter();
        let defect =
            corner_defects.find_map(|corner| length_defect("corner of the outer hull", corner));
        if let Some(defect) = defect {
            let (index, _) = (0..).zip(points).fold((0, 0.0), |most, (k, point)| {
                let size = point.iter().fold(0.0, |size, x| Float::max(x.abs(), size));
                if size > most.1 { (k, size) } else { most }
            });
            return Err(Error::BadHullPoint { index, defect });
        }
        // A kind that is written has to be read again.
        check_center(&corners, 0.0)?;
        Ok((self.add_checked(&corners, None, 0.0), growth))
    }

    /// Adds the kind of cylinders around the z axis, as in URDF files, and returns its index: all points within `rounding` of the hull of
    /// two discs of `radius`, at the heights `-half_height` and `half_height`.
    ///
    /// The discs are round, not polygons. Sweeps and contacts have wider bounds than those of other hulls, see the
    /// [contract](crate::contract#hulls), 11. A disc has a height of 0, and without a radius, a cylinder is a segment.
    ///
    /// ```
    /// use phalanx::{Detector, Hull, HullKinds, Hulls, Overlaps, Sphere, Spheres};
    ///
    /// let mut kinds = HullKinds::new();
    /// let drum = kinds.add_cylinder(1.0, 0.5, 0.0)?;
    /// assert_eq!(kinds.half_extents(drum), Some([1.0, 1.0, 0.5]));
    ///
    /// // Beside the round side at 45 degrees, where the box around the drum reaches to 1.41.
    /// let drums = Hulls::from_slice(&kinds, &[Hull::new(drum, [0.0; 3], [0.0, 0.0, 0.0, 1.0])])?;
    /// let spheres = Spheres::from_slice(&[0.75, 0.8].map(|x| Sphere::new([x, x, 0.0], 0.1)));
    /// let mut overlaps = Overlaps::new();
    /// Detector::new().overlap(&drums, &spheres, &[[0, 0], [0, 1]], &mut overlaps)?;
    /// assert!(overlaps.is_hit(0) && !overlaps.is_hit(1));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BadHullRadius`] for a number that is NaN, infinite, negative or above [`MAX_LENGTH`](crate::MAX_LENGTH), or above it
    /// together with the rounding. Nothing is added then.
    ///
    /// # Panics
    ///
    /// If there are `u32::MAX` kinds.
    pub fn add_cylinder(
        &mut self,
        radius: f32,
        half_height: f32,
        rounding: f32,
    ) -> Result<u32, Error> {
        self.add_discs([radius; 2], half_height, rounding)
    }

    /// Adds the kind of cones around the z axis and returns its index: all points within `rounding` of the hull of a disc of `radius` at the
    /// height `-half_height` and the apex at `half_height`.
    ///
    /// ```
    /// use phalanx::{Detector, Distances, HalfSpace, HalfSpaces, Hull, HullKinds, Hulls};
    ///
    /// let mut kinds = HullKinds::new();
    /// let cone = kinds.add_cone(0.5, 1.0, 0.0)?;
    ///
    /// // Upside down above a floor.
    /// let cones = Hulls::from_slice(&kinds, &[Hull::new(cone, [0.0, 0.0, 1.25], [1.0, 0.0, 0.0, 0.0])])?;
    /// let floor = HalfSpaces::from_slice(&[HalfSpace::new([0.0, 0.0, 1.0], 0.0)]);
    /// let mut distances = Distances::new();
    /// Detector::new().distance(&cones, &floor, &[[0, 0]], &mut distances)?;
    /// assert!(0.2499 < distances.lower()[0] && distances.upper()[0] < 0.2501);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`add_cylinder`](Self::add_cylinder).
    ///
    /// # Panics
    ///
    /// If there are `u32::MAX` kinds.
    pub fn add_cone(&mut self, radius: f32, half_height: f32, rounding: f32) -> Result<u32, Error> {
        self.add_discs([radius, 0.0], half_height, rounding)
    }

    /// Adds the kind of the hull of two discs at opposite heights, the second not larger than the first.
    fn add_discs(
        &mut self,
        radii: [f32; 2],
        half_height: f32,
        rounding: f32,
    ) -> Result<u32, Error> {
        let fields = [
            ("radius", radii[0]),
            ("half height", half_height),
            ("rounding", rounding),
            ("radius and rounding", sum_above(radii[0], rounding)),
            ("half height and rounding", sum_above(half_height, rounding)),
        ];
        for (field, size) in fields {
            if let Some(defect) = size_defect(field, &[size]) {
                return Err(Error::BadHullRadius { defect });
            }
        }
        // −0 becomes 0.
        let heights = [-half_height, half_height].map(|height| height + 0.0);
        if radii[0] > 0.0 {
            let discs = Discs { heights, radii };
            return Ok(self.add_checked(&discs.corners(), Some(discs), rounding));
        }
        let ends = heights.map(|height| [0.0, 0.0, height]);
        Ok(self.add_checked(&ends, None, rounding))
    }

    /// Adds a kind of valid points, or discs with their corners, and a valid radius.
    fn add_checked(&mut self, points: &[[f32; 3]], discs: Option<Discs>, radius: f32) -> u32 {
        let mut half_extents = [0.0f32; 3];
        for point in points {
            for (most, x) in half_extents.iter_mut().zip(point) {
                *most = Float::max(x.abs(), *most);
            }
        }
        let blocks = points.chunks(16).map(|block| {
            let point = |k: usize| block.get(k).unwrap_or(&points[0]);
            // −0 becomes 0.
            let coordinate = |axis: usize| core::array::from_fn(|k| point(k)[axis] + 0.0);
            [0, 1, 2].map(coordinate)
        });
        let kind = HullKind {
            points: points.len() as u32,
            half_extents,
            around: half_extents.map(|half| sum_above(half, radius)),
            // −0 becomes 0.
            radius: radius + 0.0,
            inner: inner_radius(points),
            blocks: blocks.collect(),
            discs,
            #[cfg(feature = "contact")]
            faces: Arc::new(HullFaces::of_kind(points, discs)),
        };
        Arc::make_mut(&mut self.table).push(kind)
    }

    /// Number of kinds.
    pub fn len(&self) -> usize {
        self.table.len as usize
    }

    /// Whether there are no kinds.
    pub fn is_empty(&self) -> bool {
        self.table.len == 0
    }

    /// The points of a kind, in the order in which they were added, or `None` past the end. Those of a [cylinder](Self::add_cylinder) or a
    /// [cone](Self::add_cone) are corners of polygons in its discs, for drawing.
    pub fn points(&self, kind: u32) -> Option<impl Iterator<Item = [f32; 3]> + '_> {
        let HullKind { points, blocks, .. } = self.table.get(kind)?;
        let len = *points as usize;
        Some((0..len).map(move |k| blocks[k / 16].map(|axis| axis[k % 16])))
    }

    /// Half of the box around the hulls of a kind: the largest absolute coordinates of its points plus its radius, rounded up. `None`
    /// past the end.
    pub fn half_extents(&self, kind: u32) -> Option<[f32; 3]> {
        Some(self.table.get(kind)?.around)
    }

    /// The radius of a kind, see [`add_rounded`](Self::add_rounded); 0 for those of the other methods. `None` past the end.
    pub fn radius(&self, kind: u32) -> Option<f32> {
        Some(self.table.get(kind)?.radius)
    }

    /// The heights and the radii of both discs of a [cylinder](Self::add_cylinder) or a [cone](Self::add_cone): `[height, radius]` each.
    /// `None` for other kinds, for those without a radius, which are segments, and past the end.
    pub fn discs(&self, kind: u32) -> Option<[[f32; 2]; 2]> {
        let Discs { heights, radii } = self.table.get(kind)?.discs?;
        Some([0, 1].map(|disc| [heights[disc], radii[disc]]))
    }

    /// The faces of a kind, or `None` past the end.
    #[cfg(feature = "contact")]
    pub(crate) fn faces(&self, kind: u32) -> Option<&HullFaces> {
        Some(&self.table.get(kind)?.faces)
    }
}

/// A sum of two numbers from 0 on, rounded up.
fn sum_above(x: f32, y: f32) -> f32 {
    let sum = x + y;
    // The error of a sum is a float.
    let of_y = sum - x;
    let error = (x - (sum - of_y)) + (y - of_y);
    if error > 0.0 { sum.next_up() } else { sum }
}

/// Checks the number of points, and their coordinates.
fn check_points(points: &[[f32; 3]]) -> Result<(), Error> {
    let len = points.len();
    if len == 0 || len > HullKinds::MAX_POINTS {
        return Err(Error::HullPoints { points: len });
    }
    check_coordinates(points)
}

/// Checks the coordinates of points.
fn check_coordinates(points: &[[f32; 3]]) -> Result<(), Error> {
    for (index, point) in points.iter().enumerate() {
        if let Some(defect) = length_defect("point", point) {
            return Err(Error::BadHullPoint { index, defect });
        }
    }
    Ok(())
}

/// Checks that points with a radius are not too far from their origin.
fn check_center(points: &[[f32; 3]], radius: f32) -> Result<(), Error> {
    let (center, half_extents) = bounds_of(points);
    let half_extents = half_extents.map(|half| half + f64::from(radius));
    let farthest = HullKinds::MAX_OFFSET * HullKinds::MAX_OFFSET;
    if squared(center) > f64::from(farthest) * squared(half_extents) && half_extents != [0.0; 3] {
        return Err(Error::HullOffCenter {
            center: center.map(|x| x as f32),
            half_extents: half_extents.map(|x| x as f32),
        });
    }
    Ok(())
}

/// The square of the length of a vector.
fn squared([x, y, z]: [f64; 3]) -> f64 {
    x * x + y * y + z * z
}

/// Cells along the edge of a cube of directions.
const CELLS: usize = 10;

/// The radius of a sphere around the origin inside the hull of points, never too large; −∞ if the origin may be outside.
///
/// A direction (1, y, z) whose y and z differ from those of a cell's center c by at most e has a gap of h(d) ≥ p·d ≥ p·c − e (|p_y| + |p_z|) for
/// any point p. The sphere is inside if all h(d) / |d| are at least its radius. In `f64`, less 2⁻²⁰ for rounding.
fn inner_radius(points: &[[f32; 3]]) -> f32 {
    let half = 1.0 / CELLS as f64;
    let center = |cell: usize| (2 * cell + 1) as f64 * half - 1.0;
    let mut least = f64::INFINITY;
    for side in 0..6 {
        let sign = if side < 3 { 1.0 } else { -1.0 };
        for cell in 0..CELLS * CELLS {
            let (y, z) = (center(cell / CELLS), center(cell % CELLS));
            let mut most = 0.0;
            for point in points {
                let p = [0, 1, 2].map(|k| f64::from(point[(side + k) % 3]));
                let value = sign * p[0] + y * p[1] + z * p[2] - half * (p[1].abs() + p[2].abs());
                most = if value > most { value } else { most };
            }
            let length = DVec3([1.0, y.abs() + half, z.abs() + half]).scaled_length();
            let radius = most / length;
            least = if radius < least { radius } else { least };
        }
    }
    if least > 0.0 {
        (least * (1.0 - 1.0 / (1 << 20) as f64)) as f32
    } else {
        f32::NEG_INFINITY
    }
}

impl fmt::Debug for HullKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = |kind| self.points(kind).map(|points| points.collect::<Vec<_>>());
        let mut list = f.debug_list();
        for kind in 0..self.len() as u32 {
            let (points, radius) = (points(kind), self.radius(kind));
            match (self.discs(kind), radius) {
                (Some(discs), radius) => list.entry(&(discs, radius)),
                (None, Some(radius)) if radius != 0.0 => list.entry(&(points, radius)),
                _ => list.entries(points),
            };
        }
        list.finish()
    }
}

/// The points of a hull, and the radius by which their hull is rounded.
#[derive(Clone, Copy)]
pub struct HullCore<'a> {
    pub blocks: &'a [PointBlock],
    /// Largest absolute coordinates of the points.
    pub half_extents: [f32; 3],
    /// Radius of a sphere around the origin inside the hull of the points, never too large; −∞ if the origin may be outside.
    pub inner: f32,
    pub radius: f32,
    /// The discs in place of the points.
    pub discs: Option<Discs>,
}

impl<'a> HullCore<'a> {
    /// No points.
    pub const NONE: Self = Self::of_points(&[], [0.0; 3]);

    /// A hull without a radius or a sphere inside, given the largest absolute coordinates of its points.
    pub const fn of_points(blocks: &'a [PointBlock], half_extents: [f32; 3]) -> Self {
        HullCore {
            blocks,
            half_extents,
            inner: f32::NEG_INFINITY,
            radius: 0.0,
            discs: None,
        }
    }
}

/// The points of the hulls of a store.
#[derive(Clone, Copy)]
pub struct HullPoints<'a> {
    pub kinds: &'a HullKinds,
    /// The kind of each hull.
    pub kind: &'a [u32],
}

impl<'a> HullPoints<'a> {
    /// Whether these are the hulls of the same store.
    pub fn same_as(&self, other: &HullPoints<'_>) -> bool {
        core::ptr::eq(self.kinds, other.kinds) && core::ptr::eq(self.kind, other.kind)
    }

    /// The points of hull `index` with its radius; none past the end.
    #[inline]
    pub fn of(&self, index: usize) -> HullCore<'a> {
        let kind = self.kind.get(index);
        kind.and_then(|&kind| {
            let HullKind {
                half_extents,
                radius,
                inner,
                blocks,
                discs,
                ..
            } = self.kinds.table.get(kind)?;
            Some(HullCore {
                blocks,
                half_extents: *half_extents,
                inner: *inner,
                radius: *radius,
                discs: *discs,
            })
        })
        .unwrap_or(HullCore::NONE)
    }

    /// The faces of hull `index`; none past the end.
    #[cfg(feature = "contact")]
    #[inline]
    pub fn faces(&self, index: usize) -> &'a HullFaces {
        static NONE: HullFaces = HullFaces::NONE;
        let kind = self.kind.get(index);
        kind.and_then(|&kind| self.kinds.faces(kind))
            .unwrap_or(&NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The corners of a cube of half size 1, moved along x.
    fn cube(x: f32) -> Vec<[f32; 3]> {
        let sign = |k: usize, axis: usize| if k >> axis & 1 == 0 { -1.0 } else { 1.0 };
        (0..8)
            .map(|k| [x + sign(k, 0), sign(k, 1), sign(k, 2)])
            .collect()
    }

    #[test]
    fn sphere_is_inside_the_hull_and_not_much_too_small() {
        for (x, exact) in [(0.0, 1.0), (0.5, 0.5), (0.75, 0.25)] {
            let radius = inner_radius(&cube(x));
            assert!(0.6 * exact < radius && radius <= exact, "{x}: {radius}");
        }
        // The faces of this tetrahedron are 1/√3 from the origin.
        let tetrahedron = [
            [1.0, 1.0, 1.0],
            [1.0, -1.0, -1.0],
            [-1.0, 1.0, -1.0],
            [-1.0, -1.0, 1.0],
        ];
        let radius = inner_radius(&tetrahedron);
        assert!(0.3 < radius && radius < 0.57736, "{radius}");
    }

    /// Forks of one table: each has its own kinds, whatever the other forks add.
    #[test]
    fn forked_tables_have_the_kinds_that_were_added_to_them() {
        let mut forks = alloc::vec![(HullKinds::new(), Vec::new())];
        let mut random = 1u32;
        for step in 0..3000u32 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (random >> 8) as usize % forks.len();
            if random >> 28 == 0 {
                let fork = forks[at].clone();
                let to = (random >> 16) as usize % (forks.len() + 1).min(12);
                forks.truncate(12);
                if to < forks.len() {
                    forks[to] = fork;
                } else {
                    forks.push(fork);
                }
                continue;
            }
            let (kinds, expected) = &mut forks[at];
            let point = [step as f32, 0.0, 1.0];
            assert_eq!(kinds.add(&[point]), Ok(expected.len() as u32));
            expected.push(point);
        }
        for (kinds, expected) in forks {
            assert_eq!(kinds.len(), expected.len());
            for (kind, point) in (0..).zip(&expected) {
                assert!(kinds.points(kind).unwrap().eq([*point]));
                let extents = point.map(f32::abs);
                assert_eq!(kinds.half_extents(kind), Some(extents));
            }
            let past = expected.len() as u32;
            assert!(kinds.points(past).is_none() && kinds.half_extents(u32::MAX).is_none());
        }
    }

    #[test]
    fn no_sphere_is_inside_if_the_origin_is_outside_or_the_hull_is_flat() {
        let flat = [[1.0, 0.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0]];
        for points in [cube(1.5), cube(1.0), flat.to_vec(), flat[..1].to_vec()] {
            assert_eq!(inner_radius(&points), f32::NEG_INFINITY, "{points:?}");
        }
    }
}
