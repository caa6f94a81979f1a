"""Seeded shapes for the tests, and how far apart they are by plain numpy in float64."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import phalanx

# The columns of each kind, in the order of the core.
FIELDS = {
    "point": {"position": 3},
    "sphere": {"center": 3, "radius": 1},
    "capsule": {"center": 3, "half_axis": 3, "radius": 1},
    "aabb": {"min": 3, "max": 3},
    "obb": {"center": 3, "half_extents": 3, "rotation": 4},
    "plane": {"normal": 3, "d": 1},
    "half_space": {"normal": 3, "d": 1},
    "triangle": {"corners": 9},
}
STORES = {
    "point": phalanx.Points,
    "sphere": phalanx.Spheres,
    "capsule": phalanx.Capsules,
    "aabb": phalanx.Aabbs,
    "obb": phalanx.Obbs,
    "plane": phalanx.Planes,
    "half_space": phalanx.HalfSpaces,
    "triangle": phalanx.Triangles,
}
KINDS = list(FIELDS)
# Those of hulls have tests of their own, in test_hulls.
KERNELS = [kernel for kernel in phalanx.kernels() if "hull" not in kernel]
BOUNDED = ["point", "sphere", "capsule", "aabb", "obb", "triangle"]


def arguments(kind):
    """The arguments of a store, each with how many columns it has."""
    turn = {"turn": 3} if kind == "obb" else {}
    return FIELDS[kind] | {"displacement": 3} | turn


@dataclass
class Shapes:
    """Shapes of one kind: for each argument an array (n, axes) of float32."""

    kind: str
    values: dict

    def __len__(self):
        return len(self.values["displacement"])

    def columns(self):
        """The columns, each contiguous."""
        arrays = [self.values[name] for name in arguments(self.kind)]
        return [np.ascontiguousarray(array[:, k]) for array in arrays for k in range(array.shape[1])]

    def view(self):
        """A store that reads columns where they are."""
        columns = iter(self.columns())
        given = {}
        for name, axes in arguments(self.kind).items():
            taken = tuple(next(columns) for _ in range(axes))
            given[name] = taken if axes > 1 else taken[0]
        return STORES[self.kind](**given)

    def copied(self):
        """A store with a copy of arrays (n, axes)."""
        given = {name: x if x.shape[1] > 1 else np.ascontiguousarray(x[:, 0]) for name, x in self.values.items()}
        return STORES[self.kind](**given)

    def take(self, index):
        """The shapes at indices, in float64."""
        return Exact(self.kind, {name: x[index].astype(np.float64) for name, x in self.values.items()})


def random_shapes(kind, n, rng, *, strange=False, turning=True):
    """Shapes of about unit size in a cube of 4, a tenth of them bad if strange."""

    def vectors(scale):
        return rng.uniform(-scale, scale, (n, 3))

    values = {}
    if kind in ("plane", "half_space"):
        values["normal"] = rng.normal(size=(n, 3))
        values["d"] = rng.uniform(-2, 2, (n, 1))
    elif kind == "aabb":
        low = vectors(2)
        values["min"], values["max"] = low, low + rng.uniform(0, 2, (n, 3))
    elif kind == "triangle":
        values["corners"] = np.tile(vectors(2), 3) + rng.uniform(-1.5, 1.5, (n, 9))
    else:
        values["position" if kind == "point" else "center"] = vectors(2)
    if kind == "capsule":
        values["half_axis"] = vectors(1)
    if kind in ("sphere", "capsule"):
        values["radius"] = rng.uniform(0, 1, (n, 1))
    if kind == "obb":
        values["half_extents"] = rng.uniform(0, 1, (n, 3))
        rotation = rng.normal(size=(n, 4))
        values["rotation"] = rotation / np.linalg.norm(rotation, axis=1, keepdims=True)
    values["displacement"] = vectors(4)
    if kind == "obb":
        values["turn"] = vectors(1.5) if turning else np.zeros((n, 3))
    values = {name: values[name].astype(np.float32) for name in arguments(kind)}
    if strange:
        bad = np.array([np.nan, np.inf, -np.inf, -1, 0, -0.0, 1e-45, 1e-40, 3e38, 2e18], np.float32)
        for array in values.values():
            places = rng.random(array.shape) < 0.02
            array[places] = rng.choice(bad, places.sum())
    return Shapes(kind, values)


def rotated(rotation, v):
    """Vectors turned by quaternions x, y, z, w, made exactly unit."""
    q = rotation / np.linalg.norm(rotation, axis=-1, keepdims=True)
    u, w = q[..., :3], q[..., 3:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def product(p, q):
    """The product of quaternions: q first, then p."""
    pv, pw, qv, qw = p[..., :3], p[..., 3:], q[..., :3], q[..., 3:]
    v = pw * qv + qw * pv + np.cross(pv, qv)
    return np.concatenate([v, pw * qw - np.sum(pv * qv, -1, keepdims=True)], -1)


@dataclass
class Exact:
    """Shapes in float64, each of its own pair."""

    kind: str
    values: dict

    def at(self, t):
        """The shapes at times of the frame, turned as well."""
        t = np.asarray(t, np.float64).reshape(-1, 1)
        moved = dict(self.values)
        by = t * self.values["displacement"]
        for name in ("position", "center", "min", "max"):
            if name in moved:
                moved[name] = moved[name] + by
        if "corners" in moved:
            moved["corners"] = moved["corners"] + np.tile(by, 3)
        if "normal" in moved:
            moved["d"] = moved["d"] - np.sum(moved["normal"] * by, 1, keepdims=True)
        if "turn" in moved:
            w = t * moved["turn"]
            angle = np.linalg.norm(w, axis=1, keepdims=True)
            axis = np.divide(w, angle, out=np.zeros_like(w), where=angle > 0)
            turn = np.concatenate([axis * np.sin(angle / 2), np.cos(angle / 2)], 1)
            moved["rotation"] = product(turn, moved["rotation"])
        return Exact(self.kind, moved)

    def shifted(self, by):
        """The shapes, moved."""
        return Exact(self.kind, self.still().values | {"displacement": by}).at(np.ones(len(by)))

    def still(self):
        """The shapes without their turns."""
        return Exact(self.kind, {k: v for k, v in self.values.items() if k != "turn"})

    @property
    def center(self):
        if self.kind == "aabb":
            return (self.values["min"] + self.values["max"]) / 2
        if self.kind == "triangle":
            return self.corners.mean(1)
        return self.values["position" if self.kind == "point" else "center"]

    @property
    def corners(self):
        return self.values["corners"].reshape(-1, 3, 3)

    @property
    def radius(self):
        return self.values["radius"][:, 0] if "radius" in self.values else 0.0

    @property
    def half_axis(self):
        return self.values.get("half_axis", np.zeros_like(self.values["displacement"]))

    @property
    def is_box(self):
        return self.kind in ("aabb", "obb")

    def box(self):
        """Half extents, and axes as rows of matrices."""
        n = len(self.values["displacement"])
        if self.kind == "aabb":
            return (self.values["max"] - self.values["min"]) / 2, np.broadcast_to(np.eye(3), (n, 3, 3))
        axes = [rotated(self.values["rotation"], np.broadcast_to(unit, (n, 3))) for unit in np.eye(3)]
        return self.values["half_extents"], np.stack(axes, 1)

    def edges(self):
        """The center and the half axis of each edge of boxes and triangles."""
        if self.kind == "triangle":
            ends = [(self.corners[:, k], self.corners[:, (k + 1) % 3]) for k in range(3)]
            return [((start + end) / 2, (end - start) / 2) for start, end in ends]
        half, axes = self.box()
        ways = np.moveaxis(half[:, :, None] * axes, 1, 0)
        signs = [(i, j) for i in (-1, 1) for j in (-1, 1)]
        return [(self.center + i * ways[k - 1] + j * ways[k - 2], ways[k]) for k in range(3) for i, j in signs]

    def reach(self, direction):
        """How far the shapes reach from their centers along unit directions."""
        if self.is_box:
            half, axes = self.box()
            return np.sum(half * np.abs(np.einsum("nkc,nc->nk", axes, direction)), 1)
        return self.radius + np.abs(np.sum(self.half_axis * direction, 1))


def gap(a, b):
    """The distance of shapes; negative where they penetrate. Of boxes and triangles the widest gap along an axis."""
    if a.kind in ("plane", "half_space"):
        a, b = b, a
    if b.kind in ("plane", "half_space"):
        length = np.linalg.norm(b.values["normal"], axis=1)
        normal = b.values["normal"] / length[:, None]
        if a.kind == "triangle":
            heights = np.einsum("nkc,nc->nk", a.corners, normal) + b.values["d"] / length[:, None]
            low, high = heights.min(1), heights.max(1)
            return np.maximum(low, -high) if b.kind == "plane" else low
        height = np.sum(normal * a.center, 1) + b.values["d"][:, 0] / length
        return (np.abs(height) if b.kind == "plane" else height) - a.reach(normal)
    if a.kind == "triangle":
        a, b = b, a
    if a.kind == b.kind == "triangle":
        return triangle_to_triangle(a.corners, b.corners)
    if b.kind == "triangle":
        return box_to_triangle(a, b.corners) if a.is_box else segment_to_triangle(a, b.corners) - a.radius
    if a.is_box and b.is_box:
        return box_gap(a, b)
    if a.is_box or b.is_box:
        box, other = (a, b) if a.is_box else (b, a)
        return segment_to_box(other, box) - other.radius
    return segment_to_segment(a, b) - a.radius - b.radius


def segment_to_segment(a, b):
    """The distance of the axes of shapes that are not boxes."""

    # Of two segments, the distance to one from a point of the other is convex.
    def distance(t):
        p = a.center + t[:, None] * a.half_axis
        length = np.sum(b.half_axis**2, 1)
        s = np.sum((p - b.center) * b.half_axis, 1) / np.where(length > 0, length, 1)
        return np.linalg.norm(p - b.center - np.clip(s, -1, 1)[:, None] * b.half_axis, axis=1)

    return distance(least(distance, len(a.center), -1, 1))


def point_to_triangle(p, corners):
    """The distance of points from triangles: from the plane over the inside, otherwise from the nearest edge."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    nearest, is_over = np.full(len(p), np.inf), np.ones(len(p), bool)
    for k in range(3):
        start, edge = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        offset = p - start
        s = np.sum(offset * edge, 1) / np.sum(edge**2, 1)
        nearest = np.minimum(nearest, np.linalg.norm(offset - np.clip(s, 0, 1)[:, None] * edge, axis=1))
        is_over &= np.sum(np.cross(edge, offset) * normal, 1) >= 0
    height = np.abs(np.sum((p - corners[:, 0]) * normal, 1)) / np.linalg.norm(normal, axis=1)
    return np.where(is_over, height, nearest)


def segment_to_triangle(other, corners):
    """The distance of an axis from triangles."""
    if "half_axis" not in other.values:
        return point_to_triangle(other.center, corners)

    def distance(t):
        return point_to_triangle(other.center + t[:, None] * other.half_axis, corners)

    return distance(least(distance, len(corners), -1, 1))


def triangle_to_triangle(a, b):
    """The distance of triangles: from an edge of either to the other triangle."""
    nearest = np.full(len(a), np.inf)
    for corners, other in ((a, b), (b, a)):
        for k in range(3):
            start, edge = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]

            def distance(t, start=start, edge=edge, other=other):
                return point_to_triangle(start + t[:, None] * edge, other)

            nearest = np.minimum(nearest, distance(least(distance, len(a), 0, 1)))
    return nearest


def box_to_triangle(box, corners):
    """The widest gap along the 13 separating axes of a box and a triangle."""
    axes = np.moveaxis(box.box()[1], 1, 0)
    edges = [corners[:, (k + 1) % 3] - corners[:, k] for k in range(3)]
    crosses = [np.cross(axis, edge) for axis in axes for edge in edges]
    widest = np.full(len(corners), -np.inf)
    for axis in [*axes, np.cross(edges[0], edges[1]), *crosses]:
        length = np.linalg.norm(axis, axis=1)
        is_axis = length > 1e-6
        axis = axis / np.where(is_axis, length, 1)[:, None]
        along = np.einsum("nkc,nc->nk", corners - box.center[:, None], axis)
        apart = np.maximum(along.min(1), -along.max(1)) - box.reach(axis)
        widest = np.where(is_axis, np.maximum(widest, apart), widest)
    return widest


def segment_to_box(other, box):
    """The distance of an axis to a box; where the axis goes through, how deep a center lies, negative."""
    half, axes = box.box()
    offset = np.einsum("nkc,nc->nk", axes, other.center - box.center)
    way = np.einsum("nkc,nc->nk", axes, other.half_axis)

    def distance(t):
        beyond = np.abs(offset + t[:, None] * way) - half
        return np.linalg.norm(np.maximum(beyond, 0), axis=1) + np.minimum(beyond.max(1), 0)

    return distance(least(distance, len(offset), -1, 1))


def box_gap(a, b):
    """The widest gap of boxes along the normals of faces and the cross products of edges."""
    axes_a, axes_b = a.box()[1], b.box()[1]
    widest = np.full(len(axes_a), -np.inf)
    crosses = [np.cross(axes_a[:, i], axes_b[:, j]) for i in range(3) for j in range(3)]
    for axis in [*np.moveaxis(axes_a, 1, 0), *np.moveaxis(axes_b, 1, 0), *crosses]:
        length = np.linalg.norm(axis, axis=1)
        is_axis = length > 1e-6
        axis = axis / np.where(is_axis, length, 1)[:, None]
        apart = np.abs(np.sum((b.center - a.center) * axis, 1)) - a.reach(axis) - b.reach(axis)
        widest = np.where(is_axis, np.maximum(widest, apart), widest)
    return widest


def distance(a, b):
    """The distance of shapes; zero where they touch."""
    if a.kind == "triangle" and b.is_box:
        a, b = b, a
    if not a.is_box or not (b.is_box or b.kind == "triangle"):
        return np.maximum(gap(a, b), 0)
    # The nearest points of two polytopes: one of them lies on an edge.
    nearest = np.full(len(a.center), np.inf)
    for edges, other in ((a.edges(), b), (b.edges(), a)):
        for center, half_axis in edges:
            edge = Exact("capsule", {"center": center, "half_axis": half_axis, "displacement": half_axis})
            if other.is_box:
                apart = segment_to_box(edge, other)
            else:
                apart = segment_to_triangle(edge, other.corners)
            nearest = np.minimum(nearest, np.maximum(apart, 0))
    return nearest


def least(f, n, low, high, steps=60):
    """Where convex functions are least, by ternary search."""
    low, high = np.full(n, float(low)), np.full(n, float(high))
    for _ in range(steps):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        is_left = f(left) < f(right)
        low, high = np.where(is_left, low, left), np.where(is_left, right, high)
    return (low + high) / 2


def random_pairs(n_a, n_b, m, rng):
    """Pairs of indices."""
    return np.stack([rng.integers(0, n_a, m), rng.integers(0, n_b, m)], 1).astype(np.uint32)


def longest_hold(call: Callable[[], object]) -> float:
    """Longest part of a call's time for which another thread does not run: nearly 1 if it keeps the GIL."""
    times = []

    def ask():
        begin = time.perf_counter()
        call()
        times.extend([begin, time.perf_counter()])

    asking = threading.Thread(target=ask)
    asking.start()
    seen = [time.perf_counter()]
    while asking.is_alive():
        seen.append(time.perf_counter())
    begin, end = times
    inside = np.array([begin, *(t for t in seen if begin < t < end), end])
    return np.diff(inside).max() / (end - begin)
