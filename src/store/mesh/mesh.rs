//! Triangle meshes.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::error::{Error, length_defect};
use crate::math::exact::sine_squared;
use crate::math::rotation::{placed, rotation_matrix};
use crate::memory::column::Column;
use crate::memory::pages;
use crate::shapes::groups::{FilterColumns, Groups};
use crate::shapes::obb::rotation_defect;
use crate::shapes::shape::{Array, Shape};
use crate::shapes::triangle::Triangle;
use crate::store::aliases::TrianglesRef;
use crate::store::cache::StoreCache;
use crate::store::mesh::adjacency::{EdgeKind, Edges, MeshEdges, NONE, Sides};
use crate::store::store::{Shapes, StoreRef};

/// A triangle mesh: triangles between shared vertices, each with its neighbours across its edges.
///
/// A mesh is accepted wherever [`Triangles`](crate::Triangles) are, with the same results: the index of a shape is the
/// index of a triangle. These queries take a mesh as a surface, and hits are those of both sides. The inside of a
/// [closed](Self::is_closed) mesh is another query, [`Detector::inside`](crate::Detector::inside).
///
/// ```
/// use phalanx::{Detector, EdgeKind, FirstHits, Mesh, Point, Points};
///
/// // Two squares of two triangles each, and a valley between them.
/// let vertices = [
///     [-1.0, 0.0, 1.0], [-1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [1.0, 1.0, 1.0],
/// ];
/// let level = Mesh::new(&vertices, &[[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]])?;
///
/// // Edge k of a triangle goes from corner k to corner k + 1.
/// let edge = level.edge(0, 1).unwrap();
/// assert_eq!((edge.neighbour, edge.kind), (Some(3), EdgeKind::Concave));
/// assert_eq!(level.edge(0, 2).map(|edge| edge.kind), Some(EdgeKind::Flat));
/// assert_eq!(level.edge(0, 0).map(|edge| edge.kind), Some(EdgeKind::Border));
///
/// let mut rays = Points::new();
/// rays.push_moving(Point { position: [0.5, 0.75, 2.0] }, [0.0, 0.0, -4.0]);
/// let mut firsts = FirstHits::new();
/// Detector::new().first_hits(&rays, &level, &mut firsts)?;
/// let hit = firsts.get(0).unwrap();
/// assert_eq!(hit.b, 3);
/// assert!(level.normal(hit.b).unwrap()[2] > 0.7);
/// # Ok::<(), phalanx::Error>(())
/// ```
///
/// # Neighbours
///
/// Two triangles share an edge if both ends have equal indices or equal coordinates. So a soup of triangles without
/// common indices works too. Coordinates are compared exactly, and −0 equals 0. Vertices that are merely near each
/// other are not welded, and nothing is cleaned or reordered.
///
/// Two triangles are neighbours if they are the only triangles with this edge and run along it in opposite directions,
/// as on an oriented surface. Every other edge is a [border](EdgeKind::Border): an edge of a single triangle, or of
/// three or more (non-manifold). Edges of duplicated faces, of triangles with unequal winding and of triangles folded
/// onto each other are also borders. Triangles without area and triangles with an invalid vertex have no neighbours and
/// do not count.
///
/// # Inner edges
///
#[doc = include_str!("../../pictures/inner_edges.svg")]
///
/// [Contacts](crate::Detector::contact) with a mesh consider the neighbours. A normal *supports* the mesh if no triangle around
/// the touched face, edge or corner rises above the plane of the contact: on a ridge any normal between those of both
/// triangles does, on a flat floor only the floor's. A contact with another normal gets the one of a triangle nearby, that along which
/// the shape leaves its triangle first, and is as deep as that way is long. So a box slides over the triangles of a flat floor
/// without catching on their edges, and what lies on a ridge is pushed up by as much as it is in. No contact is dropped:
/// [`Contact::is_inner`](crate::Contact::is_inner) marks those whose normal was changed. Of two meshes, normals support the second
/// where they can, then the first: a normal that the first does not bear is one of the first.
///
/// A mesh is the surface of solids, or a ground: shapes are pushed out at its [front](Sides::Front), also those whose center is
/// behind it. For a sheet that is touched from both sides, see [`set_sides`](Self::set_sides).
///
/// # Values
///
/// Any coordinate is accepted. A coordinate that is NaN or too large flags only the pairs of its triangles;
/// [`validate`](Self::validate) finds it.
///
/// # Memory
///
/// A static mesh takes 61 bytes for each triangle: 36 of corners, 12 of indices, 13 of edges. Clones share indices and
/// edges. Vertices are not stored: [`get`](Self::get) returns the corners.
#[derive(Clone)]
pub struct Mesh {
    /// x, y and z of each corner.
    corners: [Column; 9],
    /// Empty if the mesh is static.
    displacement: [Column; 3],
    filters: FilterColumns,
    cache: StoreCache,
    topology: Arc<Connectivity>,
    sides: Sides,
}

/// Connectivity of a mesh, shared by its clones.
struct Connectivity {
    /// Number of vertices.
    vertices: usize,
    indices: Vec<[u32; 3]>,
    edges: Edges,
    flatness: f32,
}

/// An edge of a triangle of a [`Mesh`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Edge {
    /// The triangle on the other side of the edge; `None` exactly if the edge is a [border](EdgeKind::Border).
    pub neighbour: Option<u32>,
    /// The kind of the edge.
    pub kind: EdgeKind,
}

/// The largest flatness.
const MAX_FLATNESS: f32 = 0.5;

impl Mesh {
    /// The default flatness, in radians.
    pub const FLATNESS: f32 = 1e-3;

    /// A mesh of the triangles with these vertices, three indices for each.
    ///
    /// Takes time O(n log n) in the number of triangles, for sorting.
    ///
    /// # Errors
    ///
    /// [`Error::VertexOutOfBounds`] if an index is past the last vertex, [`Error::TooManyShapes`] with more than
    /// `u32::MAX` triangles, [`Error::MeshOutOfMemory`].
    pub fn new(vertices: &[[f32; 3]], indices: &[[u32; 3]]) -> Result<Self, Error> {
        Self::with_flatness(vertices, indices, Self::FLATNESS)
    }

    /// A mesh with this flatness, an angle in radians from 0 to 0.5: an edge is [`EdgeKind::Flat`] if the angle between
    /// the normals of its triangles is below the flatness. Edges of coplanar triangles are always flat.
    /// [`new`](Self::new) uses [`FLATNESS`](Self::FLATNESS).
    ///
    /// ```
    /// use phalanx::{EdgeKind, Mesh};
    ///
    /// let vertices = [[0.0, -1.0, 0.1], [1.0, 0.0, 0.0], [0.0, 1.0, 0.1], [-1.0, 0.0, 0.0]];
    /// let indices = [[0, 1, 2], [0, 2, 3]];
    /// let kind = |mesh: Mesh| mesh.edge(0, 2).unwrap().kind;
    /// assert_eq!(kind(Mesh::new(&vertices, &indices)?), EdgeKind::Convex);
    /// assert_eq!(kind(Mesh::with_flatness(&vertices, &indices, 0.25)?), EdgeKind::Flat);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new), and [`Error::BadFlatness`].
    pub fn with_flatness(
        vertices: &[[f32; 3]],
        indices: &[[u32; 3]],
        flatness: f32,
    ) -> Result<Self, Error> {
        if !(0.0..=MAX_FLATNESS).contains(&flatness) {
            return Err(Error::BadFlatness { flatness });
        }
        // −0 becomes 0.
        let flatness = flatness + 0.0;
        let len = indices.len();
        if u32::try_from(len).is_err() {
            return Err(Error::TooManyShapes { len });
        }
        for (triangle, corners) in indices.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices.len()) {
                let vertices = vertices.len();
                return Err(Error::VertexOutOfBounds {
                    triangle,
                    vertex,
                    vertices,
                });
            }
        }
        let out_of_memory = |_| Error::MeshOutOfMemory { triangles: len };
        let edges = Edges::of(vertices, indices, sine_squared(flatness)).map_err(out_of_memory)?;
        let mut corners: [Column; 9] = Array::build(Column::new);
        for (k, column) in corners.iter_mut().enumerate() {
            column.try_reserve(len).map_err(out_of_memory)?;
            column.extend(
                indices
                    .iter()
                    .map(|corners| vertices[corners[k / 3] as usize][k % 3]),
            );
        }
        let mut kept = Vec::new();
        pages::try_reserve(&mut kept, len).map_err(out_of_memory)?;
        kept.extend_from_slice(indices);
        Ok(Mesh {
            corners,
            topology: Arc::new(Connectivity {
                vertices: vertices.len(),
                indices: kept,
                edges,
                flatness,
            }),
            ..Mesh::default()
        })
    }

    /// Number of triangles.
    #[inline]
    pub fn len(&self) -> usize {
        self.topology.indices.len()
    }

    /// Whether there are no triangles.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Triangle `index`, or `None` past the end.
    #[inline]
    pub fn get(&self, index: u32) -> Option<Triangle> {
        self.view().get(index)
    }

    /// A view of the triangles.
    #[inline]
    pub fn triangles(&self) -> TrianglesRef<'_> {
        self.view()
    }

    /// The indices of the vertices of each triangle, as given to [`new`](Self::new).
    pub fn indices(&self) -> &[[u32; 3]] {
        &self.topology.indices
    }

    /// The vertices, zeros where no triangle has one.
    #[cfg(all(feature = "scene", feature = "serde"))]
    pub(crate) fn vertices(&self) -> Vec<[f32; 3]> {
        let mut vertices = Vec::new();
        vertices.resize(self.topology.vertices, [0.0; 3]);
        for (triangle, indices) in (0..).zip(self.indices()) {
            let corners = self.get(triangle).map(|triangle| triangle.corners);
            for (vertex, corner) in indices.iter().zip(corners.iter().flatten()) {
                vertices[*vertex as usize] = *corner;
            }
        }
        vertices
    }

    /// The sides from which the mesh is touched, [`Sides::Front`] unless they were set.
    #[inline]
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// Sets the sides from which the mesh is touched.
    ///
    /// ```
    /// use phalanx::{Contacts, Detector, Mesh, Pair, Sides, Sphere, Spheres};
    ///
    /// // A sphere whose center is below a sheet.
    /// let mut sheet = Mesh::new(&[[0.0; 3], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]], &[[0, 1, 2]])?;
    /// let spheres = Spheres::from_slice(&[Sphere::new([1.0, 1.0, -0.25], 0.5)]);
    /// let (mut detector, mut contacts, pair) = (Detector::new(), Contacts::new(), [Pair::new(0, 0)]);
    ///
    /// detector.contact(&spheres, &sheet, &pair, &mut contacts)?;
    /// let contact = contacts.get(0).unwrap();
    /// assert!(contact.normal[2] < -0.999 && (contact.depth() - 0.75).abs() < 1e-3);
    ///
    /// sheet.set_sides(Sides::Both);
    /// detector.contact(&spheres, &sheet, &pair, &mut contacts)?;
    /// let contact = contacts.get(0).unwrap();
    /// assert!(contact.normal[2] > 0.999 && (contact.depth() - 0.25).abs() < 1e-3);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    #[inline]
    pub fn set_sides(&mut self, sides: Sides) {
        self.sides = sides;
    }

    /// The flatness, see [`with_flatness`](Self::with_flatness).
    pub fn flatness(&self) -> f32 {
        self.topology.flatness
    }

    /// Edge `edge` of a triangle, from corner `edge` to corner `(edge + 1) % 3`; `None` past the end, and if `edge` is above 2.
    pub fn edge(&self, triangle: u32, edge: usize) -> Option<Edge> {
        let edges = &self.topology.edges;
        let neighbour = *edges.neighbours.get(triangle as usize)?.get(edge)?;
        Some(Edge {
            neighbour: (neighbour != NONE).then_some(neighbour),
            kind: edges.kind(triangle, edge),
        })
    }

    /// Whether the mesh is closed: the surface of solids, for [`Detector::inside`](crate::Detector::inside).
    ///
    /// A mesh is closed if each edge belongs to an even number of its triangles, edges being equal if their ends have
    /// [equal coordinates](Self#neighbours). The winding does not matter. Triangles without area count, so three collinear corners
    /// close the gap between a long edge and two short ones. Triangles with an invalid vertex do not count. An empty mesh is closed.
    ///
    /// ```
    /// use phalanx::Mesh;
    ///
    /// let vertices = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    /// assert!(Mesh::new(&vertices, &faces)?.is_closed());
    ///
    /// // Without the last face, edge 0 of face 0 is open: from vertex 0 to vertex 2.
    /// let open = Mesh::new(&vertices, &faces[..3])?;
    /// assert_eq!(open.open_edge(), Some((0, 0)));
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.open_edge().is_none()
    }

    /// The first open edge: a triangle and the index of its edge, as in [`edge`](Self::edge). `None` if the mesh is
    /// [closed](Self::is_closed).
    ///
    /// A [placed](Self::place) mesh has the open edges of the mesh at rest. `inside` counts edges anew, in each call, if a triangle is
    /// invalid: a place may have pushed vertices beyond [`MAX_LENGTH`](crate::MAX_LENGTH).
    #[inline]
    pub fn open_edge(&self) -> Option<(u32, usize)> {
        let open = self.topology.edges.open;
        open.map(|(triangle, edge)| (triangle, edge as usize))
    }

    /// The unit normal of a triangle by the right-hand rule, within 8 u of the exact normal even for slivers (u = 2⁻²⁴). Zero if
    /// the triangle has no area or is invalid, `None` past the end.
    pub fn normal(&self, triangle: u32) -> Option<[f32; 3]> {
        self.get(triangle).map(|triangle| triangle.normal())
    }

    /// Places the mesh as a rigid body, for example a moving platform: each vertex of the rest mesh moves to
    /// `position + R vertex`, where `R` is the rotation by the normalised quaternion. The mesh has to be a clone of
    /// `at_rest`.
    ///
    /// Coordinates are computed in `f64` and rounded once, by the same operations for equal vertices, so a closed mesh stays
    /// closed. Edges and their kinds are those of `at_rest`. Groups, bodies and displacement stay. Does not allocate.
    ///
    /// ```
    /// use phalanx::Mesh;
    ///
    /// let at_rest = Mesh::new(&[[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let mut lift = at_rest.clone();
    /// // A rotation by 90° about z, and a translation up.
    /// let quarter = [0.0, 0.0, 0.5f32.sqrt(), 0.5f32.sqrt()];
    /// lift.place(&at_rest, [0.0, 0.0, 5.0], quarter)?;
    /// let [_, [x, y, z], _] = lift.get(0).unwrap().corners;
    /// assert!(x.abs() < 1e-6 && (y - 2.0).abs() < 1e-6 && z == 5.0);
    /// # Ok::<(), phalanx::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::BadPose`] if the position is not finite or above [`MAX_LENGTH`](crate::MAX_LENGTH), or if the length of the
    /// quaternion differs from 1 by more than 1e-3; [`Error::OtherMesh`] if `at_rest` has another number of triangles or vertices.
    /// The mesh is then unchanged.
    pub fn place(
        &mut self,
        at_rest: &Mesh,
        position: impl Into<[f32; 3]>,
        rotation: impl Into<[f32; 4]>,
    ) -> Result<(), Error> {
        self.place_numbers(at_rest, position.into(), rotation.into())
    }

    fn place_numbers(
        &mut self,
        at_rest: &Mesh,
        position: [f32; 3],
        rotation: [f32; 4],
    ) -> Result<(), Error> {
        let defect = length_defect("position", &position).or_else(|| rotation_defect(&rotation));
        if let Some(defect) = defect {
            return Err(Error::BadPose { defect });
        }
        let count = |mesh: &Mesh| [mesh.len(), mesh.topology.vertices];
        let ([triangles, vertices], [rest_triangles, rest_vertices]) =
            (count(self), count(at_rest));
        if [triangles, vertices] != [rest_triangles, rest_vertices] {
            return Err(Error::OtherMesh {
                triangles,
                vertices,
                rest_triangles,
                rest_vertices,
            });
        }
        self.cache.clear();
        self.topology = Arc::clone(&at_rest.topology);
        let rows = rotation_matrix(rotation);
        for corner in 0..3 {
            let [x, y, z] = [0, 1, 2].map(|k| &*at_rest.corners[3 * corner + k]);
            for (k, row) in rows.into_iter().enumerate() {
                let from = x.iter().zip(y).zip(z);
                for (to, ((&x, &y), &z)) in self.corners[3 * corner + k].iter_mut().zip(from) {
                    *to = placed(row, [x, y, z], position[k]);
                }
            }
        }
        Ok(())
    }

    /// The displacement of the mesh during the frame.
    pub fn displacement(&self) -> [f32; 3] {
        self.displacement
            .each_ref()
            .map(|column| column.first().copied().unwrap_or(0.0))
    }

    /// Sets the displacement of all triangles: the mesh moves in a straight line during the frame. A moving mesh takes 12
    /// bytes more for each triangle, until the displacement is zero again.
    pub fn set_displacement(&mut self, displacement: impl Into<[f32; 3]>) {
        self.set_displacement_numbers(displacement.into());
    }

    fn set_displacement_numbers(&mut self, displacement: [f32; 3]) {
        self.cache.clear_moving();
        let len = if displacement == [0.0; 3] {
            0
        } else {
            self.len()
        };
        for (column, x) in self.displacement.iter_mut().zip(displacement) {
            let before = column.len().min(len);
            column.truncate(len);
            column[..before].fill(x);
            column.extend((before..len).map(|_| x));
        }
    }

    /// Sets the [groups](Groups) of all triangles.
    pub fn set_groups(&mut self, groups: Groups) {
        self.groups_mut().fill(groups);
    }

    /// The groups of each triangle, to write. Creates the column.
    pub fn groups_mut(&mut self) -> &mut [Groups] {
        self.filters.groups_mut(self.len())
    }

    /// Sets the [body](crate::Store::set_body) of all triangles.
    pub fn set_body(&mut self, body: u32) {
        self.bodies_mut().fill(body);
    }

    /// The body of each triangle, to write. Creates the column.
    pub fn bodies_mut(&mut self) -> &mut [u32] {
        self.filters.bodies_mut(self.len())
    }

    /// Checks each triangle and the displacement.
    ///
    /// # Errors
    ///
    /// [`Error::BadShape`] names the first invalid triangle and its defect.
    pub fn validate(&self) -> Result<(), Error> {
        self.view().validate()
    }
}

impl Shapes for Mesh {
    type Shape = Triangle;
    #[inline]
    fn view(&self) -> StoreRef<'_, Triangle> {
        let corners = self.corners.each_ref().map(|column| &**column);
        let displacement = self.displacement.each_ref().map(|column| &**column);
        let filters = self.filters.view();
        let edges = MeshEdges {
            of: &self.topology.edges,
            sides: self.sides,
        };
        StoreRef::of_parts(corners, displacement, filters, &self.cache, edges)
    }
}

/// No triangles.
impl Default for Mesh {
    fn default() -> Self {
        Mesh {
            corners: Array::build(Column::new),
            displacement: Array::build(|k| Column::new(Triangle::FIELDS + k)),
            filters: FilterColumns::new(),
            cache: StoreCache::default(),
            topology: Arc::new(Connectivity {
                vertices: 0,
                indices: Vec::new(),
                edges: Edges::default(),
                flatness: Mesh::FLATNESS,
            }),
            sides: Sides::Front,
        }
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mesh")
            .field("triangles", &self.triangles())
            .field("indices", &self.topology.indices)
            .field("edges", &self.topology.edges)
            .field("flatness", &self.topology.flatness)
            .field("sides", &self.sides)
            .finish()
    }
}
