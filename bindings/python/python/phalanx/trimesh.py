"""`CollisionManager`: collisions, contacts and distances of meshes by name, with the methods of `trimesh.collision`.

It stands in for trimesh's manager, without python-fcl and without trimesh: a mesh is any object with `vertices`, with
`faces` and, optionally, `is_convex`.

    >>> import trimesh
    >>> from phalanx.trimesh import CollisionManager
    >>> manager = CollisionManager()
    >>> box = trimesh.creation.box()
    >>> _ = manager.add_object("left", box)
    >>> _ = manager.add_object("right", box, trimesh.transformations.translation_matrix([3, 0, 0]))
    >>> manager.in_collision_internal(), manager.min_distance_internal(return_names=True)
    (False, (2.0, ('left', 'right')))
    >>> manager.set_transform("right", trimesh.transformations.translation_matrix([0.75, 0, 0]))
    >>> manager.in_collision_internal(return_names=True)
    (True, {('left', 'right')})

As in trimesh, a convex mesh is solid, and any other mesh is its surface: a mesh inside a convex one collides, also if
only one of its bodies is inside. No collision is missed, up to the rounding of vertices to float32 around an origin
near the objects of the manager.
"""

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from phalanx._phalanx import Aabbs, Detector, Mesh, Obbs
from phalanx.centers import centered
from phalanx.typing import Column
from phalanx.world import contact_points

__all__ = ["CollisionManager", "ContactData", "DistanceData", "scene_to_collision"]

Doubles = NDArray[np.float64]

_AT_ONCE = 2**18
"""Number of distances of vertices from planes that are computed at once."""

_EXTERNAL = "__external"
"""The name of the mesh of `in_collision_single` and `min_distance_single`."""


class ContactData:
    """A point of contact of two objects."""

    def __init__(self, names: tuple[Any, Any], faces: tuple[int, int], normal: Doubles, point: Doubles, depth: float):
        self.names: set[Any] = set(names)
        self._faces: dict[Any, int] = dict(zip(names, faces, strict=True))
        self._normal = normal
        self._point = point
        self._depth = depth

    @property
    def normal(self) -> Doubles:
        """The unit normal, (3,): from the first object of the query to the second."""
        return self._normal

    @property
    def point(self) -> Doubles:
        """The point, (3,), in the middle between both surfaces."""
        return self._point

    @property
    def depth(self) -> float:
        """The penetration depth at this point, at least 0: of the surfaces along the normal."""
        return self._depth

    def index(self, name: Any) -> int:
        """The index of the face in contact, of the mesh with this name."""
        return self._faces[name]


class DistanceData:
    """The distance of two objects, and where they are closest."""

    def __init__(
        self, names: tuple[Any, Any], faces: tuple[int, int], points: tuple[Doubles, Doubles], distance: float
    ):
        self.names: set[Any] = set(names)
        self._faces: dict[Any, int] = dict(zip(names, faces, strict=True))
        self._points: dict[Any, Doubles] = dict(zip(names, points, strict=True))
        self._distance = distance

    @property
    def distance(self) -> float:
        """The distance; negative for objects that overlap."""
        return self._distance

    def index(self, name: Any) -> int:
        """The index of the closest face, of the mesh with this name."""
        return self._faces[name]

    def point(self, name: Any) -> Doubles:
        """The closest point, (3,), of the mesh with this name."""
        return self._points[name]


class _Object:
    """A mesh with its transform, relative to the origin of its manager."""

    def __init__(self, mesh: Any, transform: ArrayLike | None, origin: Doubles | None):
        self.faces = np.asarray(mesh.faces, np.int64).reshape(-1, 3)
        vertices = np.asarray(mesh.vertices, np.float64).reshape(-1, 3)
        if len(self.faces) == 0:
            raise ValueError("mesh has no faces")
        self.is_solid = bool(getattr(mesh, "is_convex", False))
        rounded, self._center = centered(vertices)
        self._vertices = vertices - self._center
        self.size = float(np.abs(rounded).max())
        self._at_rest = Mesh(rounded, self.faces)
        self._used = np.unique(self.faces)
        self.mesh = self._at_rest.copy()
        matrix = _matrix(transform)
        self.origin = matrix[:3, :3] @ self._center + matrix[:3, 3] if origin is None else origin
        self.place(matrix)

    def around(self, origin: Doubles) -> "_Object":
        """The same object relative to another origin."""
        other = copy(self)
        other.mesh = self._at_rest.copy()
        other.move_origin(origin)
        return other

    def move_origin(self, origin: Doubles) -> None:
        """Leaves the mesh at its place, relative to another origin."""
        self.origin = origin
        self.place(self._matrix)

    def place(self, matrix: Doubles) -> None:
        """Moves the mesh."""
        moved = matrix.copy()
        moved[:3, 3] += matrix[:3, :3] @ self._center
        pose = Obbs.from_matrix([moved], (0.0, 0.0, 0.0), origin=self.origin)
        try:
            pose.validate()
        except ValueError:
            raise ValueError(f"transform is no rotation with a translation: {matrix.tolist()}") from None
        position = np.array([column[0] for column in pose.center])
        rotation = np.array([column[0] for column in pose.rotation])
        self.mesh.place(self._at_rest, position, rotation)
        self._matrix = matrix
        self._pose = moved[:3, :3], moved[:3, 3] - self.origin
        self._placed: tuple[Doubles, Doubles] | None = None
        self._box: tuple[Column, Column] | None = None

    @property
    def box(self) -> tuple[Column, Column]:
        """The lowest and the highest coordinates of the mesh at its place."""
        if self._box is None:
            bounds = self.mesh.bounds()
            low, high = ([axis.min() for axis in bounds.min], [axis.max() for axis in bounds.max])
            self._box = np.array(low, np.float32), np.array(high, np.float32)
        return self._box

    @property
    def position(self) -> Doubles:
        """The center of the mesh, relative to the origin."""
        return self._pose[1]

    @property
    def vertices(self) -> Doubles:
        """The vertices in float64, (v, 3)."""
        return self._in_place()[0]

    @property
    def corners(self) -> Doubles:
        """The corners of all faces in float64, (m, 3, 3)."""
        return self._in_place()[1]

    def _in_place(self) -> tuple[Doubles, Doubles]:
        if self._placed is None:
            rotation, position = self._pose
            vertices = self._vertices @ rotation.T + position
            self._placed = vertices, vertices[self.faces]
        return self._placed

    def planes(self) -> tuple[Doubles, Doubles]:
        """The unit normals and offsets of the faces that have an area."""
        corners = self.corners
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normals, axis=1)
        normals = normals / np.where(length > 0, length, 1)[:, None]
        # Faces without an area are no bound.
        offsets = np.where(length > 0, np.einsum("ij,ij->i", normals, corners[:, 0]), np.inf)
        return normals, offsets

    def inside(self, other: "_Object") -> Iterator[NDArray[np.int64]]:
        """The indices of another object's vertices in this one, some at a time; none if this one is a surface."""
        (low, high), (other_low, other_high) = self.box, other.box
        if not self.is_solid or (other_high < low).any() or (other_low > high).any():
            return
        vertices = other.vertices
        used = vertices[other._used]
        near = other._used[((used >= low) & (used <= high)).all(1)]
        if len(near) == 0:
            return
        normals, offsets = self.planes()
        step = 1 + _AT_ONCE // len(normals)
        for k in range(0, len(near), step):
            some = near[k : k + step]
            yield some[(vertices[some] @ normals.T <= offsets).all(1)]

    def contains(self, other: "_Object") -> bool:
        """Whether this object is solid and a vertex of another one is in it.

        If their surfaces do not touch, the body with this vertex is in this object.
        """
        return any(len(some) > 0 for some in self.inside(other))


def _matrix(transform: ArrayLike | None) -> Doubles:
    if transform is None:
        return np.eye(4)
    # A copy, since the caller may write to the array.
    matrix = np.array(transform, np.float64)
    if matrix.shape != (4, 4):
        raise ValueError(f"transform has shape {matrix.shape}, not (4, 4)")
    if (matrix[3] != (0, 0, 0, 1)).any():
        raise ValueError(f"transform has the last row {matrix[3].tolist()}, not [0, 0, 0, 1]")
    return matrix


Named = dict[Any, _Object]


class CollisionManager:
    """Objects by name, each a mesh with a transform, and queries of them, by the methods of trimesh's class."""

    def __init__(self) -> None:
        self._objects: Named = {}
        self._origin: Doubles | None = None
        self._has_moved = False
        self._detector = Detector()

    def add_object(self, name: Any, mesh: Any, transform: ArrayLike | None = None) -> Mesh:
        """Adds an object, or replaces the one with this name.

        Parameters
        ----------
        name : str, or names that compare
            The name of the object. Results sort pairs of names.
        mesh : trimesh.Trimesh, or an object with `vertices`, `faces` and `is_convex`
            Its geometry: solid if `is_convex` is true, else its surface.
        transform : (4, 4) array, optional
            A rotation and a translation.

        Returns
        -------
        Mesh
            The mesh at its place, relative to the origin of the manager: the center of the first object, or, once all
            objects are far from it, their middle.

        Raises
        ------
        ValueError
            If the mesh has no faces, or the transform scales, mirrors or has another shape.
        """
        added = _Object(mesh, transform, self._origin)
        self._origin = added.origin
        self._objects[name] = added
        self._has_moved = True
        return added.mesh

    def remove_object(self, name: Any) -> None:
        """Removes the object with this name. Raises a ValueError if there is none."""
        self._named(name)
        del self._objects[name]
        if not self._objects:
            self._origin = None

    def set_transform(self, name: Any, transform: ArrayLike) -> None:
        """Moves the object with this name: replaces its transform.

        Raises a ValueError if there is no such object, or if the transform scales, mirrors or has another shape.
        """
        self._named(name).place(_matrix(transform))
        self._has_moved = True

    def in_collision_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Tests whether a mesh collides with any object.

        Parameters
        ----------
        mesh, transform
            As for `add_object`.
        return_names : bool
            Whether to return the names of the objects that collide, too: a set.
        return_data : bool
            Whether to return the contacts, too: a list of `ContactData`, with the name `"__external"` for the mesh.
        """
        self._settle()
        others = {_EXTERNAL: _Object(mesh, transform, self._origin)}
        pairs = _near(self._objects, others)
        return self._collisions(self._objects, others, pairs, lambda pair: pair[0], return_names, return_data)

    def in_collision_internal(self, return_names: bool = False, return_data: bool = False) -> Any:
        """Tests whether any two objects collide. With `return_names`, returns a set of sorted pairs of names, too."""
        self._settle()
        pairs = _near(self._objects, None)
        return self._collisions(
            self._objects, self._objects, pairs, lambda pair: tuple(sorted(pair)), return_names, return_data
        )

    def in_collision_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Tests whether any object collides with an object of another manager.

        With `return_names`, returns a set of pairs of names, too, the name in this manager first.
        """
        self._settle()
        others = other_manager._around(self._origin)
        pairs = _near(self._objects, others)
        return self._collisions(self._objects, others, pairs, lambda pair: pair, return_names, return_data)

    def min_distance_single(
        self, mesh: Any, transform: ArrayLike | None = None, return_name: bool = False, return_data: bool = False
    ) -> Any:
        """Returns the least distance of a mesh from any object.

        Where they overlap, it is negative: the largest depth of the contacts of their faces. That is no penetration
        depth of the solids, which python-fcl estimates: it can be several times that.

        Parameters
        ----------
        mesh, transform
            As for `add_object`.
        return_name : bool
            Whether to return the name of the closest object, too.
        return_data : bool
            Whether to return a `DistanceData`, too.

        Raises
        ------
        ValueError
            If there is no object, or for a mesh or transform that `add_object` refuses.
        """
        self._settle()
        others = {_EXTERNAL: _Object(mesh, transform, self._origin)}
        pairs = [(a, _EXTERNAL) for a in self._objects]
        return self._distance(self._objects, others, pairs, lambda pair: pair[0], return_name, return_data)

    def min_distance_internal(self, name: Any = None, return_names: bool = False, return_data: bool = False) -> Any:
        """Returns the least distance of two objects, or of the object with a name from all others.

        Negative where they overlap, see `min_distance_single`.

        With `return_names`, returns their names, too, sorted. Raises a ValueError if there is no pair of objects, or no
        object with the name.
        """
        self._settle()
        names = list(self._objects)
        if name is None:
            pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
        else:
            self._named(name)
            pairs = [(name, other) for other in names if other != name]
        return self._distance(
            self._objects, self._objects, pairs, lambda pair: tuple(sorted(pair)), return_names, return_data
        )

    def min_distance_other(
        self, other_manager: "CollisionManager", return_names: bool = False, return_data: bool = False
    ) -> Any:
        """Returns the least distance of an object from an object of another manager.

        Negative where they overlap, see `min_distance_single`.

        With `return_names`, returns their names, too, the name in this manager first. Raises a ValueError if either
        manager has no object.
        """
        self._settle()
        others = other_manager._around(self._origin)
        pairs = [(a, b) for a in self._objects for b in others]
        return self._distance(self._objects, others, pairs, lambda pair: pair, return_names, return_data)

    def _named(self, name: Any) -> _Object:
        if name not in self._objects:
            raise ValueError(f"{name} not in collision manager!")
        return self._objects[name]

    def _settle(self) -> None:
        """Moves the origin to the middle of the objects if that makes their coordinates 16 times smaller."""
        if not self._has_moved or not self._objects:
            return
        self._has_moved = False
        objects = self._objects.values()
        places = np.array([it.position for it in objects])
        middle = 0.5 * places.min(0) + 0.5 * places.max(0)
        largest = max(it.size for it in objects)
        if np.abs(places).max() > 16 * (np.abs(places - middle).max() + largest):
            assert self._origin is not None
            self._origin = self._origin + middle
            for it in objects:
                it.move_origin(self._origin)

    def _around(self, origin: Doubles | None) -> Named:
        """The objects relative to another origin: they are moved if it is not theirs."""
        if self._origin is None or origin is None or np.array_equal(self._origin, origin):
            return self._objects
        return {name: it.around(origin) for name, it in self._objects.items()}

    def _collisions(
        self,
        first: Named,
        second: Named,
        pairs: list[tuple[Any, Any]],
        named: Any,
        return_names: bool,
        return_data: bool,
    ) -> Any:
        names, contacts = set(), []
        for pair in pairs:
            a, b = first[pair[0]], second[pair[1]]
            if return_data:
                found = list(self._contacts(pair, a, b))
                contacts += found
                touches = bool(found)
            else:
                touches = self._touch(a, b)
            if touches:
                names.add(named(pair))
                if not return_names and not return_data:
                    break
        given = [bool(names)] + ([names] if return_names else []) + ([contacts] if return_data else [])
        return tuple(given) if len(given) > 1 else given[0]

    def _touch(self, a: _Object, b: _Object) -> bool:
        pairs = self._detector.candidates(a.mesh, b.mesh)
        if len(pairs) and self._detector.overlap(a.mesh, b.mesh, pairs).count:
            return True
        return a.contains(b) or b.contains(a)

    def _contacts(self, names: tuple[Any, Any], a: _Object, b: _Object) -> Iterator[ContactData]:
        """The contacts of two objects: of their surfaces, or of one that is in the other."""
        pairs = self._detector.candidates(a.mesh, b.mesh)
        contacts = self._detector.contact(a.mesh, b.mesh, pairs)
        if contacts.count:
            points = contact_points(contacts, a.mesh, b.mesh, pairs) + a.origin
            normals = contacts.normal.astype(np.float64)
            depths = np.maximum(0.0, -contacts.point_separation.astype(np.float64))
            for k, (position, count) in enumerate(zip(contacts.positions, contacts.counts, strict=True)):
                faces = int(pairs[position, 0]), int(pairs[position, 1])
                for point, depth in zip(points[k, :count], depths[k, :count], strict=True):
                    yield ContactData(names, faces, normals[k], point, float(depth))
        elif a.contains(b):
            normal, point, depth, outer, inner = _way_out(a, b)
            yield ContactData(names, (outer, inner), normal, point + a.origin, depth)
        elif b.contains(a):
            normal, point, depth, outer, inner = _way_out(b, a)
            yield ContactData(names, (inner, outer), -normal, point + a.origin, depth)

    def _distance(
        self,
        first: Named,
        second: Named,
        pairs: list[tuple[Any, Any]],
        named: Any,
        return_names: bool,
        return_data: bool,
    ) -> Any:
        if not pairs:
            raise ValueError("there are no two objects")
        # The nearest boxes first; those farther apart than the best pair end the search.
        apart = [_boxes_apart(first[a], second[b]) for a, b in pairs]
        best, data = np.inf, None
        for k in np.argsort(apart, kind="stable"):
            if data is not None and apart[k] > max(best, 0):
                break
            a, b = first[pairs[k][0]], second[pairs[k][1]]
            found = self._apart(pairs[k], a, b, best)
            if found is not None and (data is None or found.distance < best):
                best, data, closest = found.distance, found, pairs[k]
        assert data is not None
        given = [best] + ([named(closest)] if return_names else []) + ([data] if return_data else [])
        return tuple(given) if len(given) > 1 else given[0]

    def _apart(self, names: tuple[Any, Any], a: _Object, b: _Object, most: float) -> DistanceData | None:
        """The distance of two objects; None if it is above `most`."""
        if self._touch(a, b):
            deepest = max(self._contacts(names, a, b), key=lambda contact: contact.depth, default=None)
            if deepest is not None:
                half = 0.5 * deepest.depth * deepest.normal
                points = deepest.point + half, deepest.point - half
                faces = deepest.index(names[0]), deepest.index(names[1])
                return DistanceData(names, faces, points, 0.0 - deepest.depth)
        # No corner of the first face is farther from the surface of `b` than a corner of one of its faces.
        radius = min(max(most, 0), float(np.linalg.norm(b.corners - a.corners[0, 0], axis=2).min()))
        # Rounding of vertices and bounds to float32.
        size = max(np.abs(corner).max() for corner in (*a.box, *b.box))
        slack = 1e-5 * (float(size) + radius)
        nearest = self._detector.nearest(a.mesh, b.mesh, radius + slack)
        if not nearest.count:
            return None
        bound = min(radius, float(nearest.upper.min())) + slack
        rows = np.flatnonzero(nearest.lower <= bound)
        near = self._detector.neighbors(a.mesh[rows], b.mesh, bound)
        listed = near.pairs()
        of_a, of_b = rows[listed[:, 0]], listed[:, 1]
        distances, at_a, at_b = _triangles_apart(a.corners[of_a], b.corners[of_b])
        k = int(distances.argmin())
        points = at_a[k] + a.origin, at_b[k] + a.origin
        return DistanceData(names, (int(of_a[k]), int(of_b[k])), points, float(distances[k]))


def _boxes_apart(a: _Object, b: _Object) -> float:
    """A lower bound of the distance of two objects, by their boxes."""
    (low, high), (other_low, other_high) = a.box, b.box
    gap = np.maximum(0, np.maximum(low - other_high, other_low - high)).astype(np.float64)
    return float(np.linalg.norm(gap)) * (1 - 1e-6)


def _near(first: Named, second: Named | None) -> list[tuple[Any, Any]]:
    """The names of objects whose boxes overlap, in order."""

    def boxes(objects: Named) -> Aabbs:
        every = np.array([it.box for it in objects.values()], np.float32).reshape(-1, 2, 3)
        return Aabbs(every[:, 0], every[:, 1])

    names, a = list(first), boxes(first)
    others, b = (names, a) if second is None else (list(second), boxes(second))
    return [(names[i], others[j]) for i, j in Detector().candidates(a, b).tolist()]


def _way_out(outer: _Object, inner: _Object) -> tuple[Doubles, Doubles, float, int, int]:
    """The shortest way out of a convex object, along the normal of a face, for the vertices of another one inside.

    Returns the normal, the middle between the face and the vertex that leaves last, the depth, and a face of each.
    """
    normals, offsets = outer.planes()
    within = np.concatenate(list(outer.inside(inner)))
    vertices = inner.vertices[within]
    step = 1 + _AT_ONCE // len(vertices)
    lowest = [(normals[k : k + step] @ vertices.T).min(1) for k in range(0, len(normals), step)]
    depths = np.where(np.isfinite(offsets), offsets - np.concatenate(lowest), np.inf)
    face = int(depths.argmin())
    last = int((vertices @ normals[face]).argmin())
    normal, depth = normals[face], float(depths[face])
    of_inner = int((inner.faces == within[last]).any(1).argmax())
    return normal, vertices[last] + 0.5 * depth * normal, depth, face, of_inner


def _segments_apart(p: Doubles, u: Doubles, q: Doubles, v: Doubles) -> tuple[Doubles, Doubles]:
    """The closest points of the segments from `p` to `p + u` and from `q` to `q + v`."""
    r = p - q
    a, e, b = (np.einsum("ij,ij->i", x, y) for x, y in ((u, u), (v, v), (u, v)))
    c, f = np.einsum("ij,ij->i", u, r), np.einsum("ij,ij->i", v, r)
    across = a * e - b * b
    is_skew = across > 1e-14 * a * e
    s = np.clip(np.where(is_skew, b * f - c * e, 0) / np.where(is_skew, across, 1), 0, 1)
    t = np.clip((b * s + f) / np.where(e > 0, e, 1), 0, 1)
    s = np.clip((b * t - c) / np.where(a > 0, a, 1), 0, 1)
    return p + s[:, None] * u, q + t[:, None] * v


def _above(points: Doubles, corners: Doubles) -> tuple[Doubles, NDArray[np.bool_]]:
    """The feet of points on the planes of triangles, and whether they are in the triangles."""
    edges = np.roll(corners, -1, 1) - corners
    normals = np.cross(edges[:, 0], edges[:, 1])
    squared = np.einsum("ij,ij->i", normals, normals)
    height = np.einsum("ij,ij->i", points - corners[:, 0], normals) / np.where(squared > 0, squared, 1)
    feet = points - height[:, None] * normals
    sides = np.cross(edges, feet[:, None, :] - corners)
    inside = (np.einsum("ikj,ij->ik", sides, normals) >= 0).all(1) & (squared > 0)
    return feet, inside


def _triangles_apart(first: Doubles, second: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """The distances of triangles that do not cross, and the closest points: of edges, and of corners and faces."""
    best = np.full(len(first), np.inf)
    at_a, at_b = np.zeros_like(first[:, 0]), np.zeros_like(first[:, 0])

    def offer(on_a: Doubles, on_b: Doubles, counts: Any) -> None:
        distance = np.where(counts, np.linalg.norm(on_a - on_b, axis=1), np.inf)
        is_less = distance < best
        best[is_less], at_a[is_less], at_b[is_less] = distance[is_less], on_a[is_less], on_b[is_less]

    for i in range(3):
        u = first[:, (i + 1) % 3] - first[:, i]
        for j in range(3):
            v = second[:, (j + 1) % 3] - second[:, j]
            offer(*_segments_apart(first[:, i], u, second[:, j], v), True)
        feet, inside = _above(first[:, i], second)
        offer(first[:, i], feet, inside)
        feet, inside = _above(second[:, i], first)
        offer(feet, second[:, i], inside)
    return best, at_a, at_b


def scene_to_collision(scene: Any) -> tuple[CollisionManager, dict[Any, Mesh]]:
    """Returns a manager with the geometry of a `trimesh.Scene`, and its meshes by the name of their nodes."""
    manager = CollisionManager()
    meshes = {}
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        meshes[node] = manager.add_object(node, scene.geometry[geometry], transform)
    return manager, meshes
