"""Scenes of colliders: programs of adds, removes and moves, whose answers are those of verbs for each two colliders."""

import copy
import pickle
import threading

import numpy as np
import phalanx
import pytest
from shapes import longest_hold, rotated

F = np.float32
NONE = 2**64 - 1
NO_BODY = 2**32 - 1
RADII = [0.0, 0.25]
FLAT = ("plane", "half_space")
CASTABLE = ("sphere", "capsule", "aabb", "obb", "triangle", "hull")
KINDS = (*CASTABLE, *FLAT, "mesh")
ROLES = ("moving", "fixed", "sensor")
FRAMES = 12


def grid(sides="front"):
    """An open mesh of 32 triangles, not flat, of 2 by 2."""
    x, y = np.meshgrid(np.linspace(-1, 1, 5), np.linspace(-1, 1, 5))
    vertices = np.stack([x.ravel(), y.ravel(), (0.25 * x * y).ravel()], axis=1).astype(F)
    corner = np.arange(20).reshape(4, 5)[:, :4].ravel()
    faces = [corner, corner + 1, corner + 6], [corner, corner + 6, corner + 5]
    return phalanx.Mesh(vertices, np.concatenate([np.stack(face, axis=1) for face in faces]), sides=sides)


def placed(vertices, position, rotation):
    """Vertices at a pose, as a mesh places them."""
    faces = np.arange(3).reshape(1, 3)
    corners = np.zeros((3, 3), F)
    corners[: len(vertices)] = vertices
    mesh = phalanx.Mesh(corners, faces)
    mesh.place(phalanx.Mesh(corners, faces), np.asarray(position, F), np.asarray(rotation, F))
    return mesh.corners[0, : len(vertices)]


class Held:
    """A collider of the model."""

    def __init__(self, kind, shape, position, rotation, mark):
        self.kind, self.shape, self.mark = kind, shape, mark
        self.position, self.rotation, self.displacement = position, rotation, np.zeros(3, F)

    def is_valid(self):
        unit = abs(np.linalg.norm(self.rotation.astype(float)) - 1) < 1e-3
        return unit and np.isfinite(self.position).all() and np.isfinite(self.displacement).all()


class Model:
    """Colliders by id, answered pair by pair."""

    def __init__(self, rng):
        self.held, self.origin, self.last = {}, np.zeros(3), set()
        self.kinds = [rng.normal(size=(9, 3)).astype(F) * F(0.5), rng.uniform(-0.5, 0.5, (3, 3)).astype(F)]
        self.mesh = grid()
        self.of_both_sides = grid("both")

    def alone(self, kind, shape, position, rotation, displacement, *, mesh=None):
        """The store of one shape, relative to the origin; a mesh is one of its triangles."""
        at = position - self.origin
        center = at.astype(F)
        if kind == "mesh":
            rest = self.mesh if mesh is None else mesh
            mesh = rest.copy()
            mesh.place(rest, center, rotation)
            mesh.set_displacement(displacement)
            return mesh
        center, way, turned = center[None], displacement[None], rotation[None]
        if kind == "point":
            return phalanx.Points(center, displacement=way)
        if kind == "sphere":
            return phalanx.Spheres(center, shape, displacement=way)
        if kind == "capsule":
            axis = placed([shape[0]], np.zeros(3), rotation)
            return phalanx.Capsules(center, axis, shape[1], displacement=way)
        if kind == "aabb":
            return phalanx.Aabbs(center - shape, center + shape, displacement=way)
        if kind == "obb":
            return phalanx.Obbs(center, shape[None], turned, displacement=way)
        if kind == "triangle":
            corners = placed(shape, center[0], rotation).reshape(1, 3, 3)
            return phalanx.Triangles(corners, displacement=way)
        if kind == "hull":
            return phalanx.Hulls(self.kinds, [shape], center, turned, radii=np.array(RADII, F), displacement=way)
        normal = placed([shape[0]], np.zeros(3), rotation)
        # The way along the normal of the shape at its pose.
        x, y, z = (float(n) * float(p) for n, p in zip(normal[0], at, strict=True))
        d = F(float(shape[1]) - (x + y + z))
        return (phalanx.Planes if kind == "plane" else phalanx.HalfSpaces)(normal, d, displacement=way)

    def store(self, held, at_rest=False, mesh=None):
        moves = held.mark["role"] == "moving" and not at_rest
        way = held.displacement if moves else np.zeros(3, F)
        return self.alone(held.kind, held.shape, held.position, held.rotation, way, mesh=mesh)

    def valid(self):
        return [(id, held) for id, held in sorted(self.held.items()) if held.is_valid()]

    def contacts(self, margin):
        """The contacts of all pairs, as records in their order."""
        detector, records = phalanx.Detector(margin=margin), []
        valid = [(id, held, self.store(held)) for id, held in self.valid()]
        for place, one in enumerate(valid):
            for other in valid[place + 1 :]:
                (a, first, x), (b, second, y) = one, other
                if not meet(first.mark, second.mark) or (first.kind in FLAT and second.kind in FLAT):
                    continue
                if first.kind == "mesh" and second.kind != "mesh":
                    (a, first, x), (b, second, y) = other, one
                pairs = all_pairs(x, y)
                found = detector.contact(x, y, pairs)
                needed = np.arange(found.count)
                if second.kind == "mesh":
                    needed = found.without_inner(pairs, y)
                sensor = "sensor" in (first.mark["role"], second.mark["role"])
                parts = pairs[found.positions]
                for row in range(found.count):
                    if sensor and found.separation[row] > 0:
                        continue
                    about = (a, b, *parts[row].tolist(), sensor, row not in needed)
                    records.append(about + manifold(found, row))
        return sorted(records)

    def first(self, store, others, at_rest, way, approaching=False):
        """The first hit of a store of one shape, which moves along a way."""
        best = None
        for id, held in others:
            other = self.store(held, at_rest)
            sweeps, contacts = phalanx.Detector().sweep_contacts(store, other, all_pairs(store, other))
            is_mesh = held.kind == "mesh"
            of_other = held.displacement if held.mark["role"] == "moving" and not at_rest else np.zeros(3, F)
            if is_mesh:
                # Hits of the back are touched there.
                both = self.store(held, at_rest, self.of_both_sides)
                from_behind = phalanx.Detector().sweep_contacts(store, both, all_pairs(store, both))[1]
                a, b, c = np.moveaxis(np.asarray(other.corners, float), 1, 0)
                is_back = along(np.cross(b - a, c - a), (way - of_other).astype(float))
            for row, part in enumerate(sweeps.hits.tolist()):
                motion = way.astype(float) - of_other.astype(float)
                if approaching and not along(contacts.normal[row].astype(float), motion):
                    continue
                normal = 0 - contacts.normal[row]
                if is_mesh and sweeps.enter[part] > 0 and is_back[part]:
                    normal = 0 - from_behind.normal[row]
                hit = (sweeps.enter[part].item(), id, part, sweeps.exit[part].item(), *normal.tolist())
                if best is None or hit[:3] < best[:3]:
                    best = hit
        return best

    def sweeps(self):
        found = []
        for mover, held in self.valid():
            mark = held.mark
            if mark["role"] != "moving" or not mark["is_swept"] or held.kind in (*FLAT, "mesh"):
                continue
            others = [(id, it) for id, it in self.valid() if id != mover and meet(mark, it.mark)]
            others = [(id, it) for id, it in others if it.mark["role"] != "sensor"]
            hit = self.first(self.store(held), others, False, held.displacement)
            if hit is not None:
                found.append((mover, *hit))
        return found

    def admitted(self, groups=(NO_BODY, NO_BODY), body=NO_BODY, hits_sensors=False, without=()):
        seeker = {"role": "moving", "groups": groups, "body": body}
        valid = [(id, held) for id, held in self.valid() if id not in set(np.atleast_1d(without).tolist())]
        return [(id, it) for id, it in valid if meet(seeker, it.mark) and (hits_sensors or it.mark["role"] != "sensor")]

    def overlaps(self, store, admitted):
        def touches(held):
            other = self.store(held, at_rest=True)
            return phalanx.Detector().overlap(store, other, all_pairs(store, other)).count > 0

        return [id for id, held in admitted if touches(held)]

    def nearest(self, store, radius, admitted):
        best, part, lower, upper = NONE, 0, F(radius), F(np.inf)
        for id, held in admitted:
            other = self.store(held, at_rest=True)
            found = phalanx.Detector().distance(store, other, all_pairs(store, other))
            lower = min(lower, found.lower.min())
            k = int(found.upper.argmin())
            if found.upper[k] <= F(radius) and found.upper[k] < upper:
                best, part, upper = id, k, found.upper[k]
        return best, part, lower, upper


def meet(a, b):
    one_moves = "moving" in (a["role"], b["role"])
    groups = a["groups"][0] & b["groups"][1] and b["groups"][0] & a["groups"][1]
    return one_moves and bool(groups) and (a["body"] != b["body"] or a["body"] == NO_BODY)


def along(normal, motion):
    """Whether a motion has a part along a normal."""
    part = normal @ motion
    return (part > 0) & (part * part > 2.0**-40 * (motion @ motion) * (normal * normal).sum(-1))


def all_pairs(a, b):
    return np.stack([axis.ravel() for axis in np.indices((len(a), len(b)))], axis=1).astype(np.uint32)


def manifold(contacts, row):
    """The bits of a contact, of a detector or a scene."""
    count = int(contacts.counts[row])
    numbers = [contacts.normal[row], contacts.separation[row], contacts.point_separation[row]]
    if count > 0:
        numbers += [contacts.points[row], contacts.features[row]]
    return (bool(contacts.inner[row]), count, *(column.tobytes() for column in numbers))


def random_shape(kind, rng):
    half = rng.uniform(0.1, 0.9, 3).astype(F)
    return {
        "sphere": lambda: F(half[0]),
        "capsule": lambda: ((half * 2 - 1).astype(F), F(0.3)),
        "aabb": lambda: half,
        "obb": lambda: half,
        "triangle": lambda: rng.uniform(-1, 1, (3, 3)).astype(F),
        "hull": lambda: int(rng.integers(0, len(RADII))),
        "mesh": lambda: 0,
    }.get(kind, lambda: (rng.normal(size=3).astype(F), F(rng.uniform(-1, 1))))()


def collider_of(kind, shape):
    of = {
        "sphere": lambda it: phalanx.Collider.sphere(it),
        "capsule": lambda it: phalanx.Collider.capsule(it[0][None], it[1]),
        "aabb": lambda it: phalanx.Collider.aabb(it[None]),
        "obb": lambda it: phalanx.Collider.obb(tuple(it.tolist())),
        "triangle": lambda it: phalanx.Collider.triangle(it[None]),
        "hull": lambda it: phalanx.Collider.hull(it),
    }
    return of[kind](shape)


def random_rotation(rng):
    rotation = rng.normal(size=4)
    return (rotation / np.linalg.norm(rotation)).astype(F)


def random_mark(rng):
    groups = [NO_BODY, NO_BODY] if rng.random() < 0.8 else rng.integers(0, 8, 2).tolist()
    return {
        "role": str(rng.choice(ROLES, p=[0.6, 0.25, 0.15])),
        "groups": groups,
        "body": int(rng.integers(0, 4)) if rng.random() < 0.3 else NO_BODY,
        "is_swept": bool(rng.random() < 0.5),
        "entity": int(rng.integers(0, 2**63)) * 2 + 1,
    }


def columns_of(marks):
    columns = {name: [mark[name] for mark in marks] for name in ("role", "groups", "body", "is_swept", "entity")}
    return columns | {
        "groups": np.array(columns["groups"]).reshape(-1, 2).astype(np.uint32),
        "entity": np.array(columns["entity"], np.uint64),
        "is_swept": np.array(columns["is_swept"], bool),
    }


class Program:
    """A scene beside its model."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.model, self.scene = Model(self.rng), phalanx.Scene()
        assert self.scene.add_hull_kinds(self.model.kinds, radii=RADII).tolist() == [0, 1]
        assert self.scene.add_mesh(self.model.mesh) == 0
        for kind in KINDS:
            self.add(kind, 3)

    def add(self, kind, n):
        rng, scene = self.rng, self.scene
        position = self.model.origin + rng.uniform(-2, 2, (n, 3))
        rotation = np.array([random_rotation(rng) for _ in range(n)], F).reshape(-1, 4)
        shapes, marks = [random_shape(kind, rng) for _ in range(n)], [random_mark(rng) for _ in range(n)]
        given = columns_of(marks)
        if kind == "sphere":
            ids = scene.add_spheres(position, np.array(shapes), **given)
        elif kind == "capsule":
            axes, radii = zip(*shapes, strict=True)
            ids = scene.add_capsules(position, np.stack(axes), np.array(radii), rotation, **given)
        elif kind == "aabb":
            ids = scene.add_aabbs(tuple(position.T), np.stack(shapes), **given)
        elif kind == "obb":
            ids = scene.add_obbs(position, np.stack(shapes), rotation, **given)
        elif kind == "triangle":
            ids = scene.add_triangles(position, np.stack(shapes), rotation=rotation, **given)
        elif kind == "hull":
            ids = scene.add_hulls(np.array(shapes), position, rotation, **given)
        elif kind == "mesh":
            ids = scene.add_placed_meshes(0, position, rotation, **given)
        else:
            normals, offsets = zip(*shapes, strict=True)
            add = scene.add_planes if kind == "plane" else scene.add_half_spaces
            ids = add(np.stack(normals), np.array(offsets), position, rotation, **given)
        assert ids.dtype == np.uint64 and not set(ids.tolist()) & set(self.model.held)
        if kind in ("sphere", "aabb"):
            rotation = np.tile(np.array([0, 0, 0, 1], F), (n, 1))
        for row, id in enumerate(ids.tolist()):
            self.model.held[id] = Held(kind, shapes[row], position[row], rotation[row], marks[row])

    def some(self, share):
        ids = np.array(sorted(self.model.held), np.uint64)
        return ids[self.rng.random(len(ids)) < share]

    def change(self):
        rng, scene, held = self.rng, self.scene, self.model.held
        for kind in rng.choice(KINDS, 2):
            self.add(str(kind), int(rng.integers(1, 3)))
        gone = self.some(0.1)
        scene.remove(gone)
        for id in gone.tolist():
            del held[id]
        if rng.random() < 0.3:
            by = np.array([rng.choice([0.0, 1e3, 1e9]), 0.125, 0.0]) - self.model.origin
            self.model.origin = self.model.origin + by
            scene.set_origin(self.model.origin)
            ids = scene.ids
            position, rotation = scene.poses()
            scene.set_poses(ids, position + by)
            for id in ids.tolist():
                held[id].position = held[id].position + by
        moved = self.some(0.5)
        position = self.model.origin + rng.uniform(-2, 2, (len(moved), 3))
        position[rng.random(len(moved)) < 0.05, 1] = np.nan
        rotation = np.array([random_rotation(rng) for _ in moved], F).reshape(-1, 4)
        with_rotation = rng.random() < 0.5
        scene.set_poses(moved, position, rotation if with_rotation else None)
        for row, id in enumerate(moved.tolist()):
            held[id].position = position[row]
            if with_rotation:
                held[id].rotation = rotation[row]
        ways = self.some(0.5)
        displacement = rng.uniform(-2, 2, (len(ways), 3)).astype(F)
        displacement[rng.random(len(ways)) < 0.03] = np.inf
        scene.set_displacements(ways, displacement)
        for row, id in enumerate(ways.tolist()):
            held[id].displacement = displacement[row]
        shaped, of_shape = self.some(0.1), []
        for id in shaped.tolist():
            kind = str(rng.choice(CASTABLE))
            held[id].kind, held[id].shape = kind, random_shape(kind, rng)
            of_shape.append(collider_of(kind, held[id].shape))
        scene.set_colliders(shaped, of_shape)
        marked = self.some(0.1)
        if len(marked):
            marks = [random_mark(rng) for _ in marked]
            scene.set_marks(marked, **columns_of(marks))
            for id, mark in zip(marked.tolist(), marks, strict=True):
                held[id].mark = mark

    def check_columns(self):
        scene, held = self.scene, self.model.held
        ids = sorted(held)
        assert len(scene) == len(ids) and scene.ids.tolist() == ids and all(id in scene for id in ids)
        position, rotation = scene.poses()
        for row, id in enumerate(ids):
            np.testing.assert_array_equal(position[row], held[id].position)
            np.testing.assert_array_equal(rotation[row], held[id].rotation)
        np.testing.assert_array_equal(scene.displacements(), np.array([held[id].displacement for id in ids]))
        marks = scene.marks()
        assert {name: list(column) for name, column in marks.items() if name != "groups"} == {
            name: [held[id].mark[name] for id in ids] for name in marks if name != "groups"
        }
        assert marks["groups"].tolist() == [list(held[id].mark["groups"]) for id in ids]
        assert scene.invalid.tolist() == [id for id in ids if not held[id].is_valid()]
        assert scene.invalid_count == len(scene.invalid)

    def check_contacts(self):
        margin = float(self.rng.choice([0.0, 0.25]))
        self.scene.set_margin(margin)
        found, expected = self.scene.contacts(), self.model.contacts(margin)
        columns = (found.a, found.b, found.part_a, found.part_b, found.is_sensor, found.is_replaced)
        columns = [column.tolist() for column in columns]
        records = [(*(column[row] for column in columns), *manifold(found, row)) for row in range(len(found))]
        assert records == expected
        np.testing.assert_array_equal(found.depth, 0 - found.separation)
        center = found.center
        for row, (a, b) in enumerate(zip(found.a.tolist(), found.b.tolist(), strict=True)):
            held = [self.model.held[id] for id in (a, b)]
            held = [it for it in held if it.kind not in ("triangle", "mesh", *FLAT)]
            if held:
                np.testing.assert_allclose(center[row], held[0].position, rtol=0, atol=1e-5)
        now = set(zip(found.a.tolist(), found.b.tolist(), strict=True))
        assert [tuple(pair) for pair in found.began.tolist()] == sorted(now - self.model.last)
        assert [tuple(pair) for pair in found.ended.tolist()] == sorted(self.model.last - now)
        key = np.stack([found.a, found.b, found.part_a, found.part_b], axis=1)
        old = found.last
        old_key = np.stack([old.a, old.b, old.part_a, old.part_b], axis=1)
        assert set(zip(old.a.tolist(), old.b.tolist(), strict=True)) == self.model.last
        lasting = [[row, old_key.tolist().index(it)] for row, it in enumerate(key.tolist()) if it in old_key.tolist()]
        assert found.lasting.tolist() == lasting
        for a, b in now:
            rows = np.flatnonzero((found.a == a) & (found.b == b)).tolist()
            assert list(range(len(found)))[found.between(a, b)] == rows
        assert len(range(len(found))[found.between(1, 2**63)]) == 0
        assert len(old.began) == len(old.ended) == len(old.lasting) == len(old.last) == 0
        self.model.last = now
        return len(expected)

    def same_hits(self, found, expected, starts, ways):
        """Rows of hits against those of the model, each None or (enter, id, part, exit, normal)."""
        for row, hit in enumerate(expected):
            if hit is None:
                assert found.id[row] == NONE and found.part[row] == 0 and np.isinf(found.enter[row])
                assert np.isnan(found.point[row]).all() and np.isnan(found.normal[row]).all()
                continue
            enter, id, part, leave, *normal = hit
            assert (found.enter[row], found.id[row], found.part[row], found.exit[row]) == (enter, id, part, leave)
            assert found.normal[row].tolist() == normal
            is_triangle = self.model.held[id].kind in ("triangle", "mesh")
            assert np.isfinite(found.barycentrics[row]).all() == is_triangle
            assert is_triangle or not found.is_back[row]
            if starts is not None:
                point = starts[row] + ways[row].astype(float) * enter
                np.testing.assert_allclose(found.point[row], point, rtol=0, atol=1e-4)

    def filter(self):
        rng, given = self.rng, {}
        if rng.random() < 0.3:
            given["groups"] = (NO_BODY, int(rng.integers(0, 8)))
        if rng.random() < 0.3:
            given["body"] = int(rng.integers(0, 4))
        if rng.random() < 0.5:
            given["without"] = self.some(0.2)
        return given | {"hits_sensors": bool(rng.random() < 0.3)}

    def check_sweeps(self):
        found, expected = self.scene.sweeps(), self.model.sweeps()
        assert found.mover.tolist() == [hit[0] for hit in expected]
        self.same_hits(found, [hit[1:] for hit in expected], None, None)
        return len(expected)

    def check_rays(self):
        rng, model, given = self.rng, self.model, self.filter()
        starts = model.origin + rng.uniform(-3, 3, (8, 3))
        ways = rng.uniform(-6, 6, (8, 3)).astype(F)
        ways[0] = np.nan
        approaching = bool(rng.random() < 0.3)
        found = self.scene.cast_rays(starts, ways, **given, approaching=approaching)
        admitted, expected = model.admitted(**given), []
        for start, way in zip(starts, ways, strict=True):
            ray = model.alone("point", None, start, np.array([0, 0, 0, 1], F), way)
            expected.append(model.first(ray, admitted, True, way, approaching))
        assert len(found) == 8 and expected[0] is None
        self.same_hits(found, expected, starts, ways)
        assert found.mask.tolist() == [hit is not None for hit in expected]
        assert found.hits.tolist() == np.flatnonzero(found.mask).tolist() and found.count == found.mask.sum()
        return found.count

    def seekers(self):
        """A collider of each kind that searches, with its kind, shape and pose."""
        rng = self.rng
        for kind in CASTABLE:
            shape = random_shape(kind, rng)
            yield collider_of(kind, shape), kind, shape, self.model.origin + rng.uniform(-2, 2, 3), random_rotation(rng)

    def check_casts(self):
        rng, model, given, count = self.rng, self.model, self.filter(), 0
        seekers, admitted = list(self.seekers()), model.admitted(**given)
        ways = rng.uniform(-4, 4, (len(seekers), 3)).astype(F)
        colliders, _, _, positions, rotations = zip(*seekers, strict=True)
        of_cast = given | {"approaching": bool(rng.random() < 0.3)}
        found = self.scene.casts(list(colliders), np.stack(positions), ways, np.stack(rotations), **of_cast)
        expected = []
        for (collider, kind, shape, position, rotation), way in zip(seekers, ways, strict=True):
            store = model.alone(kind, shape, position, rotation, way)
            expected.append(model.first(store, admitted, True, way, of_cast["approaching"]))
            alone = self.scene.casts(collider, position[None], way[None], rotation[None], **of_cast)
            self.same_hits(alone, expected[-1:], None, None)
            store = model.alone(kind, shape, position, rotation, np.zeros(3, F))
            overlaps = self.scene.overlaps_of(collider, position, rotation, **given)
            assert overlaps.tolist() == model.overlaps(store, admitted)
            near = self.scene.nearest_of(collider, position, 1.5, rotation, **given)
            found_near = (near.id[0], near.part[0], near.lower[0], near.upper[0])
            assert len(near) == 1 and found_near == model.nearest(store, 1.5, admitted)
            count += len(overlaps) + near.count
        self.same_hits(found, expected, None, None)
        return count + found.count

    def check_nearest(self):
        rng, model, given = self.rng, self.model, self.filter()
        points = model.origin + rng.uniform(-3, 3, (8, 3))
        points[0, 2] = np.nan
        near = self.scene.nearest(points, 0.75, **given)
        assert (near.id[0], near.part[0], near.lower[0], near.upper[0]) == (NONE, 0, 0, np.inf)
        for row, point in enumerate(points[1:], 1):
            store = model.alone("point", None, point, np.array([0, 0, 0, 1], F), np.zeros(3, F))
            expected = model.nearest(store, 0.75, model.admitted(**given))
            assert (near.id[row], near.part[row], near.lower[row], near.upper[row]) == expected
        assert (
            near.mask.tolist() == (near.id != NONE).tolist()
            and near.hits.tolist() == np.flatnonzero(near.mask).tolist()
        )
        return near.count

    def check(self):
        self.check_columns()
        checks = self.check_contacts, self.check_sweeps, self.check_rays, self.check_casts, self.check_nearest
        return np.array([check() for check in checks])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.filterwarnings("ignore:invalid rays:RuntimeWarning")
def test_scene_program_equals_verbs_of_each_pair(seed):
    program = Program(seed)
    found = program.check()
    for frame in range(FRAMES):
        program.change()
        found += program.check()
        if frame % 4 == 1:
            program.scene = pickle.loads(pickle.dumps(program.scene))
        elif frame % 4 == 3:
            program.scene = copy.deepcopy(program.scene)
    assert (found > FRAMES).all(), found


def small(**given):
    """A scene with a sphere on the ground and a box, and their ids."""
    scene = phalanx.Scene(**given)
    ground = scene.add_half_spaces((0.0, 1.0, 0.0), 0.0, role="fixed")
    sphere = scene.add_spheres([[0, 0.9, 0]], 1.0, entity=7)
    box = scene.add_obbs([[5.0, 1, 0], [8, 1, 0]], (1.0, 1.0, 1.0), is_swept=True)
    return scene, np.concatenate([ground, sphere, box])


def state(scene):
    return pickle.dumps(scene)


def test_ids_of_removed_colliders_stay_unknown():
    scene, ids = small()
    scene.remove(ids[1])
    new = scene.add_spheres((0.0, 0.0, 0.0), 1.0)
    assert new[0] not in ids and ids[1] not in scene and new[0] in scene and int(new[0]) in scene
    assert -1 not in scene and 2**64 not in scene
    assert scene.contains(ids).tolist() == [True, False, True, True]
    with pytest.raises(TypeError):
        _ = "x" in scene
    scene.clear()
    assert len(scene) == 0 and not scene.contains(ids).any() and len(scene.contacts()) == 0


def test_contacts_of_a_call_do_not_change_later():
    scene, ids = small()
    first = scene.contacts()
    a, normal = first.a, first.normal
    scene.set_poses(ids[1], (0.0, 50.0, 0.0))
    second = scene.contacts()
    assert (len(first), len(second)) == (3, 2) and first.began.shape == (3, 2)
    np.testing.assert_array_equal(first.a, a)
    np.testing.assert_array_equal(first.normal, normal)
    assert second.ended.tolist() == [[int(ids[0]), int(ids[1])]] and second.lasting.tolist() == [[0, 1], [1, 2]]


def test_copies_of_answers_are_equal():
    scene, ids = small()
    scene.contacts()
    scene.set_poses(ids[1], (4.0, 1.0, 0.0))
    scene.set_displacements(ids[2:], (0.0, -3.0, 0.0))
    answers = [
        scene.contacts(),
        scene.contacts().last,
        scene.sweeps(),
        scene.cast_rays([[0, 9, 0], [0, 9, 0]], [[0, -20, 0], [0, 1, 0]]),
        scene.nearest([[0, 2, 0], [0, 99, 0]], 5.0),
    ]
    for answer in answers:
        assert len(answer) == 2 or isinstance(answer, phalanx.SceneContacts) and len(answer) > 2
        names = [name for name in dir(answer) if not name.startswith("_") and name not in ("between", "last")]
        for other in (pickle.loads(pickle.dumps(answer)), copy.deepcopy(answer)):
            assert type(other) is type(answer) and repr(other) == repr(answer)
            for name in names:
                np.testing.assert_array_equal(getattr(other, name), getattr(answer, name), strict=True)
    collider = phalanx.Collider.capsule((0.0, 1.0, 0.0), 0.5)
    assert pickle.loads(pickle.dumps(collider)) == collider != phalanx.Collider.sphere(0.5)


def test_copy_of_a_scene_is_independent():
    scene, ids = small(margin=0.5, origin=(1, 2, 3), parallel=False)
    scene.contacts()
    for other in (copy.copy(scene), copy.deepcopy(scene), pickle.loads(pickle.dumps(scene))):
        assert state(other) == state(scene) and other.margin == 0.5 and other.origin == (1, 2, 3)
        before = state(scene)
        other.remove(ids)
        assert len(other) == 0 and state(scene) == before
        # Ids go on as those of the scene would.
        assert other.contacts().ended.shape == (3, 2)
    again = [it.add_spheres((0.0, 0.0, 0.0), 1.0) for it in (copy.copy(scene), pickle.loads(pickle.dumps(scene)))]
    assert again[0] == again[1]
    for saved in (b"", b"\xff" * 50):
        with pytest.raises(ValueError, match="not a pickle of this version"):
            phalanx.Scene._remade(saved, True, None)


ID = 5 * 2**32


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (
            lambda s, i: s.remove(np.array([i[1], ID], np.uint64)),
            ValueError,
            rf"ids\[1\] is {ID}: the scene has no such collider",
        ),
        (lambda s, i: s.remove(i[[1, 2, 1]]), ValueError, rf"ids\[2\] is {2**32}: it is listed twice"),
        (lambda s, i: s.remove([0, -1]), ValueError, r"ids\[1\] is -1: the scene has no such"),
        (lambda s, i: s.remove([0.5]), TypeError, "ids has dtype float64, not an integer"),
        (lambda s, i: s.remove([[0]]), ValueError, r"ids has shape \(1, 1\), not \(n,\) or \(\)"),
        (lambda s, i: s.set_poses([0, ID], np.zeros((2, 3))), ValueError, rf"ids\[1\] is {ID}: the scene has no"),
        (lambda s, i: s.set_poses(i, np.zeros((3, 3))), ValueError, "position is for 3 shapes, but ids for 4"),
        (lambda s, i: s.set_poses(i, np.zeros((4, 2))), ValueError, r"position has shape \(4, 2\), not \(n, 3\)"),
        (lambda s, i: s.set_poses(i, np.zeros(3)), ValueError, r"position has shape \(3,\), not \(n, 3\)"),
        (lambda s, i: s.set_poses(i, (0.0, 0.0)), ValueError, "position is a tuple of 2, not of 3 columns"),
        (lambda s, i: s.set_poses(i, (np.zeros(4), np.zeros(3), 0.0)), ValueError, r"position\[1\] is for 3 shapes"),
        (lambda s, i: s.set_poses(i, [["a"] * 3] * 4), TypeError, "position has dtype <U1"),
        (lambda s, i: s.set_poses(i, np.zeros((4, 3), bool)), TypeError, "position has dtype bool"),
        (
            lambda s, i: s.set_poses(i, np.zeros((4, 3)), np.zeros((4, 4))),
            TypeError,
            "rotation has dtype float64, not float32",
        ),
        (lambda s, i: s.set_displacements([ID], (0.0, 0.0, 0.0)), ValueError, rf"ids\[0\] is {ID}: the scene has no"),
        (lambda s, i: s.set_displacements(i, np.zeros((4, 3))), TypeError, "displacement has dtype float64"),
        (
            lambda s, i: s.set_colliders([0, ID], phalanx.Collider.sphere(1.0)),
            ValueError,
            rf"ids\[1\] is {ID}: the scene has no such collider",
        ),
        (
            lambda s, i: s.set_colliders(i, [phalanx.Collider.sphere(1.0)] * 3),
            ValueError,
            "collider is for 3 shapes, but ids for 4",
        ),
        (
            lambda s, i: s.set_colliders(i[:2], [phalanx.Collider.sphere(1.0), phalanx.Collider.hull(7)]),
            ValueError,
            rf"ids\[1\] is {2**32}: hull is of kind 7, but the scene has 0 kinds",
        ),
        (lambda s, i: s.set_colliders(i, [3]), TypeError, "collider is of type list, not a Collider or a list of them"),
        (lambda s, i: s.set_marks([0, ID], role="fixed"), ValueError, rf"ids\[1\] is {ID}"),
        (lambda s, i: s.set_marks(i, role="static"), ValueError, 'role is "static", not "moving", "fixed" or "sensor"'),
        (lambda s, i: s.set_marks(i, role=["moving", "x"]), ValueError, r'role\[1\] is "x", not'),
        (lambda s, i: s.set_marks(i, role=["moving"] * 3), ValueError, r"role has shape \(3,\), not \(4,\) or \(\)"),
        (lambda s, i: s.set_marks(i, role=3), TypeError, "role is of type int, not a string"),
        (lambda s, i: s.set_marks(i, entity=[0, 1, 2, -3]), ValueError, r"entity\[3\] has -3, not a number from 0"),
        (lambda s, i: s.set_marks(i, entity=[0, 1]), ValueError, r"entity has shape \(2,\), not \(4,\) or \(\)"),
        (lambda s, i: s.set_marks(i, body=[0, 1]), ValueError, r"body have shape \(2,\), not \(4,\)"),
        (lambda s, i: s.set_marks(i, is_swept=[0, 1, 0, 1]), TypeError, "is_swept is an array of int64"),
        (lambda s, i: s.set_marks(i, is_swept=[True]), ValueError, r"is_swept has shape \(1,\), not \(4,\)"),
        (
            lambda s, i: s.add_spheres(np.zeros((2, 3)), [1.0] * 3),
            ValueError,
            "radius is for 3 shapes, but position for 2",
        ),
        (lambda s, i: s.add_spheres(np.zeros((2, 3)), np.ones(2)), TypeError, "radius has dtype float64"),
        (lambda s, i: s.add_hulls([0, 1], np.zeros((2, 3))), ValueError, r"kind\[0\] is 0, but there are 0 kinds of"),
        (lambda s, i: s.add_hull_kinds([[[0, 0, 0]], []]), ValueError, r"kinds\[1\] has 0 points, not 1 to 64"),
        (lambda s, i: s.add_placed_meshes([3], np.zeros((1, 3))), ValueError, r"mesh\[0\] is 3: the scene has no such"),
        (lambda s, i: s.add_placed_meshes(3, np.zeros((1, 3))), ValueError, r"mesh is 3: the scene has no such mesh"),
        (lambda s, i: s.remove_mesh(0), ValueError, "scene has no mesh 0"),
        (lambda s, i: s.poses([ID]), ValueError, rf"ids\[0\] is {ID}: the scene has no such collider"),
        (lambda s, i: s.displacements([ID]), ValueError, r"ids\[0\]"),
        (lambda s, i: s.marks([ID]), ValueError, r"ids\[0\]"),
        (lambda s, i: s.set_origin((0, 0, np.nan)), ValueError, "origin is .* not three finite numbers"),
        (lambda s, i: s.set_margin(-1), ValueError, "margin is -1"),
        (lambda s, i: s.cast_rays(np.zeros((2, 3)), np.zeros((3, 3), F)), ValueError, "displacement is for 3 shapes"),
        (lambda s, i: s.cast_rays(np.zeros((1, 3)), np.zeros((1, 3), F), groups=3), ValueError, "groups have shape"),
        (lambda s, i: s.cast_rays(np.zeros((1, 3)), np.zeros((1, 3), F), without="x"), TypeError, "without has dtype"),
        (lambda s, i: s.casts(3, np.zeros((1, 3)), np.zeros((1, 3), F)), TypeError, "collider is of type int, not a"),
        (
            lambda s, i: s.casts([phalanx.Collider.sphere(1.0)] * 2, np.zeros((1, 3)), np.zeros((1, 3), F)),
            ValueError,
            "position is for 1 shapes, but collider for 2",
        ),
        (lambda s, i: s.overlaps_of(phalanx.Collider.hull(2), (0, 0, 0)), ValueError, "hull is of kind 2"),
        (lambda s, i: s.overlaps_of(phalanx.Collider.sphere(1), (0, 0)), ValueError, r"position has shape \(2,\)"),
        (lambda s, i: s.nearest(np.zeros((1, 3)), -1), ValueError, "radius is -1"),
        (lambda s, i: phalanx.Collider.sphere([1.0, 2.0]), ValueError, "radius is for 2 shapes, but a collider is one"),
    ],
)
def test_bad_input_changes_nothing(change, error, message):
    scene, ids = small()
    before = state(scene)
    with pytest.raises(error, match=message):
        change(scene, ids)
    assert state(scene) == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda s, i: s.set_poses(i[1:], [[1, 1, 1], [0, np.nan, 0], [2, 2, 2]]),
            rf"ids\[1\] is {2 * 2**32}: collider is invalid: position\[1\] is NaN, not finite",
        ),
        (
            lambda s, i: s.set_poses(i[1:], np.ones((3, 3)), np.array([[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 2]], F)),
            rf"ids\[2\] is {3 * 2**32}: collider is invalid: rotation",
        ),
        (
            lambda s, i: s.set_displacements(i[1:], np.array([[1, 1, 1], [0, 0, 0], [0, 0, np.inf]], F)),
            rf"ids\[2\] is {3 * 2**32}: collider is invalid: displacement\[2\] is inf",
        ),
        (
            lambda s, i: s.set_colliders(i[:2], [phalanx.Collider.sphere(2.0), phalanx.Collider.sphere(-1.0)]),
            rf"ids\[1\] is {2**32}: collider is invalid: radius is -1",
        ),
        (
            lambda s, i: s.add_spheres(np.zeros((3, 3)), np.array([1, -1, 1], F)),
            r"row 1 of the call: collider is invalid: radius is -1",
        ),
        (lambda s, i: s.add_hulls(0, [[0, 0, 0], [0, 0, np.inf]]), r"row 1 of the call: collider is invalid: position"),
        (lambda s, i: s.add_placed_meshes(0, [[0, np.nan, 0]]), r"row 0 of the call: collider is invalid: position"),
        (
            lambda s, i: s.cast_rays([[0, 0, 0], [np.nan, 0, 0]], (1.0, 0.0, 0.0)),
            r"cast 1 is invalid: from\[0\] is NaN",
        ),
        (lambda s, i: s.nearest([[np.nan, 0, 0]], 1.0), r"cast 0 is invalid: from\[0\] is NaN"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid rays:RuntimeWarning")
def test_strict_scene_refuses_all_or_nothing(change, message):
    scene, ids = small(strict=True)
    scene.add_hull_kinds([[[0, 0, 0], [1, 0, 0]]])
    scene.add_mesh(grid())
    before = state(scene)
    with pytest.raises(ValueError, match=message):
        change(scene, ids)
    assert state(scene) == before
    # The same is no error of a scene that is not strict.
    scene.set_strict(False)
    change(scene, ids)


def test_invalid_colliders_are_named():
    scene, ids = small()
    scene.validate()
    scene.set_poses(ids[2], (np.nan, 0.0, 0.0))
    assert scene.invalid.tolist() == [ids[2]] and scene.invalid_count == 1
    with pytest.raises(ValueError, match=rf"collider {ids[2]} is invalid: position\[0\] is NaN, not finite"):
        scene.validate()


def test_invalid_rays_and_casts_warn():
    scene = phalanx.Scene()
    scene.add_spheres([[0, 0, 0]], 1.0)
    with pytest.warns(RuntimeWarning, match="invalid rays hit nothing: 2; a strict scene names the first"):
        hits = scene.cast_rays(np.array([[0, 0, 9], [0, 0, np.nan], [0, np.inf, 9]]), (0.0, 0.0, -20.0))
    assert hits.mask.tolist() == [True, False, False]
    with pytest.warns(RuntimeWarning, match="invalid casts hit nothing: 1"):
        hits = scene.casts(phalanx.Collider.sphere(-1.0), np.zeros((1, 3)), np.ones((1, 3), F))
    assert hits.count == 0


def test_positions_are_of_any_real_dtype():
    for position in (
        [[1, 2, 3]],
        np.array([[1, 2, 3]], F),
        np.array([[1, 2, 3]], ">f8"),
        np.array([[9, 1, 9, 2, 9, 3]], float)[:, 1::2],
        (1.0, 2, 3.0),
        (np.array([1]), np.array([2.0], F), 3.0),
    ):
        scene = phalanx.Scene()
        ids = scene.add_spheres(position, 1.0)
        assert scene.poses(ids[0])[0].tolist() == [[1, 2, 3]]
    assert len(scene.add_spheres(np.zeros((0, 3)), 1.0)) == 0 == len(scene.add_spheres([], 1.0))
    scene.remove([])
    far = scene.add_spheres([[1e9 + 0.001, 0, 0]], 1.0)
    assert scene.poses(far)[0][0, 0] == 1e9 + 0.001


def test_planes_at_poses_contain_their_points():
    rng = np.random.default_rng(5)
    scene = phalanx.Scene()
    for _ in range(20):
        rotation, at, normal = random_rotation(rng), rng.uniform(-3, 3, 3), rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        id = scene.add_planes(normal.astype(F)[None], F(0.5), at[None], rotation[None])
        point = at - rotated(rotation.astype(float)[None], 0.5 * normal[None])[0]
        near = scene.nearest(point[None], 1.0)
        assert near.id[0] == id[0] and near.upper[0] < 1e-4
        scene.remove(id)


def test_threads_share_a_scene():
    scene, ids = small()
    rounds, failures = 200, []

    def work(x):
        try:
            for _ in range(rounds):
                mine = scene.add_spheres([[x, 50, 0], [x, 51, 0]], 1.0)
                found = scene.contacts()
                assert len(found.between(*mine.tolist()).indices(9)) == 3
                assert set(mine.tolist()) & set(scene.overlaps_of(phalanx.Collider.sphere(1), (x, 50.5, 0)).tolist())
                scene.set_poses(mine, [[x, 60, 0], [x, 70, 0]])
                assert scene.poses(mine)[0].tolist() == [[x, 60, 0], [x, 70, 0]]
                scene.remove(mine)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(100.0 * k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures and scene.ids.tolist() == ids.tolist()


def test_calls_of_a_scene_release_the_gil():
    rng = np.random.default_rng(1)
    scene = phalanx.Scene(parallel=False)
    scene.add_obbs(rng.uniform(0, 25, (30_000, 3)), (0.5, 0.5, 0.5))
    assert longest_hold(lambda: scene.contacts()) < 0.5


@pytest.mark.parametrize("lanes", [lanes for _, lanes in phalanx.instruction_sets()])
@pytest.mark.parametrize("parallel", [False, True])
def test_answers_are_those_of_each_instruction_set(lanes, parallel):
    rng = np.random.default_rng(6)
    position, half = rng.uniform(0, 12, (600, 3)), rng.uniform(0.2, 0.8, (600, 3)).astype(F)
    rotation = np.stack([random_rotation(rng) for _ in range(600)])
    records = []
    for scene in (phalanx.Scene(), phalanx.Scene(simd=lanes, parallel=parallel)):
        scene.add_obbs(position, half, rotation)
        scene = pickle.loads(pickle.dumps(scene))
        found = scene.contacts()
        records.append([(found.a[row], found.b[row], *manifold(found, row)) for row in range(0, len(found), 7)])
        assert len(found) > 400
    assert records[0] == records[1]
    with pytest.raises(ValueError, match="this CPU has no 3 lanes"):
        phalanx.Scene(simd=3)
