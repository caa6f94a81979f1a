//! One side of a batch: the shapes of its pairs, in columns.

use crate::lane::{Float, Lanes, MAX_LANES};
use crate::math::rotation::rotation_matrix;
use crate::narrow::convex::body::{Body, Placed};
use crate::narrow::convex::support::{Column, load};
use crate::store::hull::discs::Discs;
use crate::store::hull::kinds::{HullCore, PointBlock};

/// One shape of each pair.
pub struct Side<'k> {
    pub kind: CoreKind,
    pub center: [Column; 3],
    /// Largest absolute coordinates of the points.
    pub half_extents: [Column; 3],
    /// The rotation of the points.
    pub rotation: [Column; 4],
    pub radius: Column,
    /// Radius of a sphere inside the core around the center, never too large; −∞ if the center may be outside.
    pub inner: Column,
    /// Origin of reported points, relative to the center.
    pub origin: [Column; 3],
    /// None for shapes that are not hulls.
    points: [&'k [PointBlock]; MAX_LANES],
    /// The discs of cylinders and cones, in place of their points.
    discs: [Option<Discs>; MAX_LANES],
    /// The points of boxes and segments.
    corners: [PointBlock; MAX_LANES],
    /// The second and the third corner of triangles, relative to the first.
    pub edges: [[Column; 3]; 2],
}

/// Kind of the cores of one side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CoreKind {
    /// The hull of points, as of hulls, boxes and segments.
    Points,
    /// The center alone, of points and spheres.
    Center,
    Triangle,
    /// None: planes and half-spaces, which are not searched in lanes.
    Surface,
}

/// Range of the square of a quaternion's length, within that of valid ones.
const SQUARED: [f32; 2] = [0.9985, 1.0015];
impl<'k> Side<'k> {
    pub fn new() -> Self {
        Side {
            kind: CoreKind::Points,
            center: [[0.0; MAX_LANES]; 3],
            half_extents: [[0.0; MAX_LANES]; 3],
            rotation: [[1.0; MAX_LANES]; 4],
            radius: [0.0; MAX_LANES],
            inner: [0.0; MAX_LANES],
            origin: [[0.0; MAX_LANES]; 3],
            points: [&[]; MAX_LANES],
            discs: [None; MAX_LANES],
            corners: [[[0.0; 16]; 3]; MAX_LANES],
            edges: [[[0.0; MAX_LANES]; 3]; 2],
        }
    }

    /// The columns of the centers and of the radii, for shapes whose cores are their centers.
    pub fn centers(&mut self) -> impl Iterator<Item = &mut Column> {
        self.kind = CoreKind::Center;
        self.set_unturned();
        self.center.iter_mut().chain([&mut self.radius])
    }

    /// Sets triangles, given their corners.
    pub fn set_triangles(&mut self, [first, second, third]: &[[Column; 3]; 3]) {
        self.kind = CoreKind::Triangle;
        self.set_unturned();
        self.center = *first;
        let mut axis = 0;
        while axis < 3 {
            let mut lane = 0;
            while lane < MAX_LANES {
                let a = f64::from(first[axis][lane]);
                let second = f64::from(second[axis][lane]) - a;
                let third = f64::from(third[axis][lane]) - a;
                let edges = [second as f32, third as f32];
                self.edges[0][axis][lane] = edges[0];
                self.edges[1][axis][lane] = edges[1];
                self.half_extents[axis][lane] = Float::max(edges[1].abs(), edges[0].abs());
                self.origin[axis][lane] = ((second + third) * (1.0 / 3.0)) as f32;
                lane += 1;
            }
            axis += 1;
        }
    }

    /// Sets all rotations to the identity.
    fn set_unturned(&mut self) {
        self.rotation = [[0.0; MAX_LANES]; 4];
        self.rotation[3] = [1.0; MAX_LANES];
    }

    /// Sets a shape that is not a hull.
    pub fn set(&mut self, lane: usize, shape: Placed) {
        let lane = lane % MAX_LANES;
        let mut k = 0;
        while k < 3 {
            self.center[k][lane] = shape.center[k];
            self.half_extents[k][lane] = shape.half_extents[k];
            self.origin[k][lane] = shape.origin[k];
            k += 1;
        }
        k = 0;
        while k < 4 {
            self.rotation[k][lane] = shape.rotation[k];
            k += 1;
        }
        self.radius[lane] = shape.radius;
        self.points[lane] = &[];
        let mut axis = 0;
        while axis < 3 {
            k = 0;
            while k < 16 {
                self.corners[lane][axis][k] = shape.corners[k % 8][axis];
                k += 1;
            }
            axis += 1;
        }
    }

    /// Sets the points of a hull and its radius. Its pose is set by columns.
    #[inline(always)]
    pub fn set_points(&mut self, lane: usize, core: HullCore<'k>) {
        let lane = lane % MAX_LANES;
        self.inner[lane] = core.inner;
        self.radius[lane] = core.radius;
        let mut axis = 0;
        while axis < 3 {
            self.half_extents[axis][lane] = core.half_extents[axis];
            axis += 1;
        }
        self.points[lane] = core.blocks;
        self.discs[lane] = core.discs;
    }

    /// The hull of a lane; `None` for other shapes.
    #[inline(always)]
    pub fn hull(&self, lane: usize) -> Option<Body<'k>> {
        let lane = lane % MAX_LANES;
        let [x, y, z] = &self.center;
        let [hx, hy, hz] = &self.half_extents;
        let [rx, ry, rz, rw] = &self.rotation;
        match self.points[lane] {
            [] => None,
            blocks => Some(Body::hull(
                [x[lane], y[lane], z[lane]],
                [rx[lane], ry[lane], rz[lane], rw[lane]],
                HullCore {
                    blocks,
                    half_extents: [hx[lane], hy[lane], hz[lane]],
                    inner: self.inner[lane],
                    radius: self.radius[lane],
                    discs: self.discs[lane],
                },
            )),
        }
    }

    /// The discs of a lane, if it is a cylinder or a cone.
    #[inline(always)]
    pub fn discs(&self, lane: usize) -> Option<Discs> {
        self.discs[lane % MAX_LANES]
    }

    #[inline(always)]
    pub fn blocks(&self, lane: usize) -> &[PointBlock] {
        match self.points[lane] {
            [] => core::slice::from_ref(&self.corners[lane]),
            points => points,
        }
    }

    /// The axes of the rotations, within u of each coordinate. A loop over lanes in `f64`, which is compiled to vectors.
    #[inline(always)]
    pub fn axes<L: Lanes>(&self) -> [[Column; 3]; 3] {
        let mut axes = [[[0.0f32; MAX_LANES]; 3]; 3];
        let mut lane = 0;
        while lane < L::COUNT {
            let [x, y, z, w] = &self.rotation;
            let [x, y, z] = rotation_matrix([x[lane], y[lane], z[lane], w[lane]]);
            let mut axis = 0;
            while axis < 3 {
                axes[axis][0][lane] = x[axis] as f32;
                axes[axis][1][lane] = y[axis] as f32;
                axes[axis][2][lane] = z[axis] as f32;
                axis += 1;
            }
            lane += 1;
        }
        axes
    }

    /// Which lanes have valid numbers, for certain.
    #[inline(always)]
    pub fn are_valid<L: Lanes>(&self, lanes: L) -> L::M {
        let [x, y, z, w] = &self.rotation;
        let (xyz, w) = (load(lanes, &[*x, *y, *z]), lanes.load(w));
        let squared = xyz.dot(xyz) + w * w;
        let numbers = [
            lanes.load(&self.center[0]),
            lanes.load(&self.center[1]),
            lanes.load(&self.center[2]),
        ];
        lanes.are_within(numbers, 1e9)
            & lanes.splat(SQUARED[0]).le(squared)
            & squared.le(lanes.splat(SQUARED[1]))
    }
}
