"""`phalanx.trimesh.CollisionManager`: known answers, and trimesh's own class where python-fcl is installed."""

import itertools

import numpy as np
import phalanx
import pytest
import trimesh
from phalanx.trimesh import CollisionManager, _triangles_apart, scene_to_collision
from scipy.spatial.transform import Rotation
from trimesh.transformations import translation_matrix

try:
    import fcl
except ImportError:
    fcl = None

both = pytest.mark.parametrize(
    "kind",
    [
        CollisionManager,
        pytest.param(
            trimesh.collision.CollisionManager,
            marks=pytest.mark.skipif(fcl is None, reason="python-fcl is not installed"),
        ),
    ],
)


def box(extents=(1, 1, 1)):
    return trimesh.creation.box(extents=extents)


def ring():
    """A mesh that is not convex."""
    mesh = trimesh.creation.annulus(1.0, 2.0, 1.0)
    assert not mesh.is_convex
    return mesh


def at(*position):
    return translation_matrix(position)


# Each assertion on both classes: what trimesh documents, and no more.
@both
def test_what_trimesh_documents(kind):
    manager = kind()
    assert manager.in_collision_internal() is False
    manager.add_object("a", box())
    manager.add_object("b", box(), at(3, 0, 0))
    manager.add_object("c", box(), at(3.5, 0.25, 0.125))
    assert manager.in_collision_internal(return_names=True) == (True, {("b", "c")})
    manager.set_transform("c", at(9, 0, 0))
    assert manager.in_collision_internal(return_names=True, return_data=True) == (False, set(), [])
    assert manager.in_collision_single(box(), at(0.5, 0.25, 0)) is True
    assert manager.in_collision_single(box(), at(0.5, 5, 0)) is False
    hits, names = manager.in_collision_single(box((9, 1, 1)), at(0, 0.125, 0), return_names=True)
    assert hits is True and names == {"a", "b"}
    hits, names, contacts = manager.in_collision_single(
        box(), at(0.75, 0.0625, 0.125), return_names=True, return_data=True
    )
    assert hits and names == {"a"} and contacts
    for contact in contacts:
        assert contact.names == {"a", "__external"} and contact.depth >= 0
        # python-fcl has no faces of convex meshes: -1.
        assert contact.index("a") < 12 and (kind is not CollisionManager or contact.index("__external") >= 0)
        assert contact.point.shape == contact.normal.shape == (3,)
        assert np.isclose(np.linalg.norm(contact.normal), 1) and -0.5 <= contact.point[0] <= 1.25
    hits, contacts = manager.in_collision_single(box(), at(0.75, 0.0625, 0), return_data=True)
    assert hits and contacts

    assert np.isclose(manager.min_distance_internal(), 2, atol=1e-5)
    distance, names = manager.min_distance_internal(return_names=True)
    assert np.isclose(distance, 2, atol=1e-5) and names == ("a", "b")
    distance, names, data = manager.min_distance_internal("c", return_names=True, return_data=True)
    assert np.isclose(distance, 5, atol=1e-5) and names == ("b", "c") and data.names == {"b", "c"}
    assert np.isclose(data.distance, 5, atol=1e-5) and data.index("c") < 12
    np.testing.assert_allclose(data.point("b")[0], 3.5, atol=1e-5)
    np.testing.assert_allclose(data.point("c")[0], 8.5, atol=1e-5)
    distance, name = manager.min_distance_single(box(), at(0, 0, 2.5), return_name=True)
    assert np.isclose(distance, 1.5, atol=1e-5) and name == "a"
    distance, data = manager.min_distance_single(box(), at(0, 0, 2.5), return_data=True)
    np.testing.assert_allclose((data.point("a")[2], data.point("__external")[2]), (0.5, 2), atol=1e-5)
    assert manager.min_distance_single(box(), at(0.5, 0.25, 0.125)) <= 0

    other = kind()
    other.add_object("x", box(), at(3, 0.25, 0.125))
    other.add_object("y", box(), at(0, 0, 50))
    assert manager.in_collision_other(other) is True
    assert manager.in_collision_other(other, return_names=True) == (True, {("b", "x")})
    assert other.in_collision_other(manager, return_names=True)[1] == {("x", "b")}
    assert all(contact.names == {"b", "x"} for contact in manager.in_collision_other(other, return_data=True)[1])
    other.remove_object("x")
    assert manager.in_collision_other(other, return_names=True) == (False, set())
    distance, names = manager.min_distance_other(other, return_names=True)
    # The distance of python-fcl is off by 0.01.
    assert np.isclose(distance, 49, atol=1e-5 if kind is CollisionManager else 0.05) and names == ("a", "y")
    assert other.min_distance_other(manager, return_names=True)[1] == ("y", "a")
    assert np.isclose(manager.min_distance_other(other, return_data=True)[1].point("y")[2], 49.5, atol=0.05)
    for call in (lambda: manager.remove_object("z"), lambda: manager.set_transform("z", at(0, 0, 0))):
        with pytest.raises(ValueError, match="z not in collision manager!"):
            call()
    with pytest.raises(ValueError):
        manager.add_object("z", box(), np.eye(3))


@both
def test_convex_meshes_are_solid_and_others_surfaces(kind):
    for outer, inner, collides in [
        (box((9, 9, 9)), box(), True),
        (box((9, 9, 9)), ring(), True),
        (ring(), box((0.5, 0.5, 0.5)), False),
    ]:
        for first, second in ((outer, inner), (inner, outer)):
            manager = kind()
            manager.add_object("first", first, at(7, 0, 0))
            manager.add_object("second", second, at(7.0, 0.125, 0.0625))
            assert manager.in_collision_internal() is collides
            assert manager.in_collision_internal(return_names=True)[1] == ({("first", "second")} if collides else set())
            assert bool(manager.in_collision_internal(return_data=True)[1]) is collides
            assert (manager.min_distance_internal() <= 0) is collides


@both
def test_one_body_in_a_solid_collides(kind):
    # No surfaces cross: one body is in the solid, the other one is far away.
    far = box()
    far.apply_translation([50, 0, 0])
    solid, bodies = box((9, 9, 9)), trimesh.util.concatenate([far, box()])
    assert solid.is_convex and not bodies.is_convex
    for first, second in ((solid, bodies), (bodies, solid)):
        manager, other = kind(), kind()
        manager.add_object("first", first)
        other.add_object("second", second, at(0.0, 0.125, 0.0625))
        assert manager.in_collision_single(second, at(0.0, 0.125, 0.0625)) is True
        assert manager.in_collision_other(other, return_names=True) == (True, {("first", "second")})
        assert manager.min_distance_other(other) <= 0
        manager.add_object("second", second, at(0.0, 0.125, 0.0625))
        hits, names, contacts = manager.in_collision_internal(return_names=True, return_data=True)
        assert hits and names == {("first", "second")} and contacts
        # From y = -0.375 to the face at 4.5. Depths of python-fcl are of single triangles.
        assert kind is not CollisionManager or np.isclose(manager.min_distance_internal(), -4.875, atol=1e-5)
        manager.set_transform("second", at(0, 20, 0))
        assert manager.in_collision_internal() is False and manager.min_distance_internal() > 0


@both
def test_scenes(kind):
    scene = trimesh.Scene()
    for k in range(4):
        scene.add_geometry(box(), node_name=f"box {k}", transform=at(0.75 * k if k < 3 else 9, 0.125 * k, 0))
    of = scene_to_collision if kind is CollisionManager else trimesh.collision.scene_to_collision
    manager, objects = of(scene)
    assert isinstance(manager, kind) and set(objects) == {f"box {k}" for k in range(4)}
    assert manager.in_collision_internal(return_names=True)[1] == {("box 0", "box 1"), ("box 1", "box 2")}


def meshes():
    return [
        box((1, 2, 0.5)),
        ring(),
        trimesh.creation.icosphere(subdivisions=2),
        trimesh.creation.capsule(1.0, 0.5),
        trimesh.creation.torus(1.0, 0.25, major_sections=16, minor_sections=8),
        trimesh.creation.cone(0.75, 1.5, sections=12),
    ]


def random_transform(rng, spread):
    transform = np.eye(4)
    transform[:3, :3] = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    transform[:3, 3] = rng.uniform(-spread, spread, 3)
    return transform


@pytest.mark.skipif(fcl is None, reason="python-fcl is not installed")
def test_random_scenes_side_by_side():
    rng = np.random.default_rng(20)
    every, hits, misses = meshes(), 0, 0
    for _ in range(15):
        mine, theirs = CollisionManager(), trimesh.collision.CollisionManager()
        placed = {}
        for k in range(6):
            placed[f"{k}"] = every[k], random_transform(rng, 2.5)
            for manager in (mine, theirs):
                manager.add_object(f"{k}", *placed[f"{k}"])
        names = mine.in_collision_internal(return_names=True)[1]
        assert names == theirs.in_collision_internal(return_names=True)[1]
        assert {tuple(sorted(it.names)) for it in mine.in_collision_internal(return_data=True)[1]} == names
        hits += len(names)
        for a, b in itertools.combinations(placed, 2):
            if (a, b) in names:
                continue
            misses += 1
            mine_, theirs_ = CollisionManager(), trimesh.collision.CollisionManager()
            for manager in (mine_, theirs_):
                manager.add_object(a, *placed[a])
            distance, data = mine_.min_distance_single(*placed[b], return_data=True)
            expected = theirs_.min_distance_single(*placed[b])
            assert abs(distance - expected) < 2e-5 * (1 + expected)
            gap = np.linalg.norm(data.point(a) - data.point("__external"))
            assert abs(gap - distance) < 1e-9
    assert hits > 25 and misses > 80


def exact_apart(first, second):
    """The least distance of corners of two meshes from the faces of the other, by trimesh."""
    found = np.inf
    for a, b in ((first, second), (second, first)):
        points = np.repeat(a.vertices, len(b.faces), axis=0)
        on = trimesh.triangles.closest_point(np.tile(b.triangles, (len(a.vertices), 1, 1)), points)
        found = min(found, np.linalg.norm(points - on, axis=1).min())
    return found


def test_points_and_faces_of_distances():
    rng = np.random.default_rng(21)
    every = meshes()
    for _ in range(10):
        manager = CollisionManager()
        a, b = (every[k] for k in rng.choice(6, 2, replace=False))
        far = random_transform(rng, 1)
        far[:3, 3] += 5 * rng.normal(size=3) / 1.0 + [6, 0, 0]
        to_a = random_transform(rng, 1)
        manager.add_object("a", a, to_a)
        manager.add_object("b", b, far)
        distance, data = manager.min_distance_internal(return_data=True)
        if distance <= 0:
            continue
        for name, mesh, transform in (("a", a, to_a), ("b", b, far)):
            corners = mesh.copy().apply_transform(transform).triangles[[data.index(name)]]
            on = trimesh.triangles.closest_point(corners, data.point(name)[None])
            np.testing.assert_allclose(on[0], data.point(name), atol=1e-9)
        assert np.isclose(np.linalg.norm(data.point("a") - data.point("b")), distance, atol=1e-12)
        placed = a.copy().apply_transform(to_a), b.copy().apply_transform(far)
        # Corners with faces bound the distance from above; edges may be closer.
        assert distance <= exact_apart(*placed) + 1e-9


def test_distances_of_triangles_are_those_of_the_library():
    rng = np.random.default_rng(22)
    n = 4000
    first, second = rng.uniform(-1, 1, (2, n, 3, 3)).astype(np.float32)
    second += rng.uniform(-3, 3, (n, 1, 3)).astype(np.float32)
    first[:200, 1] = first[:200, 0]  # without an area
    second[100:300] = second[100:300, :1]  # points
    first[300:400] = second[300:400, [1, 2, 0]] + np.float32([0, 0, 2])  # parallel
    a, b = phalanx.Triangles(first), phalanx.Triangles(second)
    bounds = phalanx.Detector().distance(a, b, phalanx.zip())
    apart = ~phalanx.Detector(margin=1e-3).overlap(a, b, phalanx.zip()).mask
    distances, at_a, at_b = _triangles_apart(first[apart].astype(float), second[apart].astype(float))
    assert (bounds.lower[apart] <= distances + 1e-9).all() and (distances <= bounds.upper[apart] + 1e-9).all()
    np.testing.assert_allclose(np.linalg.norm(at_a - at_b, axis=1), distances)
    assert apart.sum() > 2000


def test_contacts_are_where_the_surfaces_cross():
    manager = CollisionManager()
    manager.add_object("floor", box((4, 4, 1)), at(0, 0, -0.5))
    manager.add_object("box", box(), at(0, 0, 0.375))
    hits, names, contacts = manager.in_collision_internal(return_names=True, return_data=True)
    assert hits and names == {("box", "floor")}
    points = np.array([contact.point for contact in contacts])
    assert np.abs(points[:, :2]).max() <= 0.5 + 1e-4 and np.abs(points[:, 2]).max() <= 0.125 + 1e-4
    assert max(contact.depth for contact in contacts) <= 0.125 + 1e-4
    assert manager.min_distance_internal() <= 0


def test_a_contained_mesh_leaves_by_the_nearest_face():
    far = box()
    far.apply_translation([50, 0, 0])
    place = at(103, 0.25, 0.125)
    for inner in (box(), trimesh.util.concatenate([far, box()])):
        manager = CollisionManager()
        manager.add_object("outer", box((10, 10, 10)), at(100, 0, 0))
        (contact,) = manager.in_collision_single(inner, place, return_data=True)[1]
        # From x = 102.5 to the face at 105.
        np.testing.assert_allclose(contact.normal, [1, 0, 0], atol=1e-9)
        assert np.isclose(contact.depth, 2.5, atol=1e-5) and np.isclose(contact.point[0], 103.75, atol=1e-5)
        corners = inner.copy().apply_transform(place).triangles[contact.index("__external")]
        assert np.isclose(corners[:, 0].min(), 102.5)
        distance, data = manager.min_distance_single(inner, place, return_data=True)
        assert np.isclose(distance, -2.5, atol=1e-5)
        assert np.isclose(data.point("outer")[0], 105, atol=1e-5)
        assert np.isclose(data.point("__external")[0], 102.5, atol=1e-5)
        # The same from the inner object.
        other = CollisionManager()
        other.add_object("inner", inner, place)
        (contact,) = other.in_collision_other(manager, return_data=True)[1]
        np.testing.assert_allclose(contact.normal, [-1, 0, 0], atol=1e-9)
        data = other.min_distance_other(manager, return_data=True)[1]
        assert np.isclose(contact.point[0], 103.75, atol=1e-5)
        assert np.isclose(data.point("outer")[0], 105, atol=1e-5)
        assert np.isclose(data.point("inner")[0], 102.5, atol=1e-5)


def test_far_from_the_origin():
    # Steps of float32 are 0.5 here.
    far = np.array([466_000.25, 5_427_000.5, 100])
    manager, other = CollisionManager(), CollisionManager()
    manager.add_object("a", box(), at(*far))
    manager.add_object("b", box(), at(*far + [1.0625, 0, 0]))
    distance, data = manager.min_distance_internal(return_data=True)
    assert np.isclose(distance, 0.0625, atol=1e-6)
    np.testing.assert_allclose(data.point("b")[0], far[0] + 0.5625, atol=1e-6)
    mesh = box()
    mesh.vertices += far
    other.add_object("c", mesh, at(0, 1.125, 0))
    assert np.isclose(manager.min_distance_other(other), 0.125, atol=1e-6)
    assert manager.in_collision_other(other) is False and other.in_collision_single(mesh, at(0, 0.5, 0)) is True


def test_far_from_the_origin_by_set_transform():
    # Steps of float32 are 0.5 along y there.
    far = np.array([466_000.25, 5_427_000.5, 100])
    manager = CollisionManager()
    for name in ("a", "b"):
        manager.add_object(name, box())
    transform = np.eye(4)
    for start in (far, -far, np.zeros(3)):
        # One array for all.
        for name, y in (("a", 0), ("b", 1.0625)):
            transform[:3, 3] = start + [0, y, 0]
            manager.set_transform(name, transform)
        transform[:3, 3] = 0
        distance, data = manager.min_distance_internal(return_data=True)
        assert np.isclose(distance, 0.0625, atol=1e-6) and manager.in_collision_internal() is False
        np.testing.assert_allclose(data.point("b")[1], start[1] + 0.5625, atol=1e-6)
        assert manager.in_collision_single(box(), at(*start - [0, 1.03125, 0])) is False
        assert manager.in_collision_single(box(), at(*start - [0, 0.96875, 0])) is True
    for name in ("a", "b"):
        manager.remove_object(name)
    manager.add_object("a", box(), at(*far))
    assert np.isclose(manager.min_distance_single(box(), at(*far + [0, 1.0625, 0])), 0.0625, atol=1e-6)


def test_objects_are_replaced_and_moved():
    manager = CollisionManager()
    mesh = manager.add_object("a", box())
    assert isinstance(mesh, phalanx.Mesh) and len(mesh) == 12
    manager.add_object("a", box((3, 3, 3)))
    assert manager.in_collision_single(box(), at(1.75, 0, 0)) is True
    manager.set_transform("a", at(0, 0, 5))
    assert manager.in_collision_single(box(), at(1.75, 0, 0)) is False
    assert manager.in_collision_single(box(), at(1.75, 0, 5)) is True


def test_bad_objects():
    manager = CollisionManager()
    for mesh, transform, message in [
        (box(), 2 * np.eye(4), "transform is no rotation with a translation|last row"),
        (box(), np.diag([1.0, 1, -1, 1]), "transform is no rotation with a translation"),
        (box(), np.eye(3), r"transform has shape \(3, 3\), not \(4, 4\)"),
        (
            box(),
            translation_matrix([1, 2, 3]).T,
            r"transform has the last row \[1.0, 2.0, 3.0, 1.0\], not \[0, 0, 0, 1",
        ),
        (trimesh.Trimesh(), None, "mesh has no faces"),
    ]:
        with pytest.raises(ValueError, match=message):
            manager.add_object("a", mesh, transform)
    assert manager.in_collision_internal() is False
    with pytest.raises(ValueError, match="there are no two objects"):
        manager.min_distance_internal()
    manager.add_object("a", box())
    with pytest.raises(ValueError, match="transform is no rotation"):
        manager.set_transform("a", np.diag([2.0, 2, 2, 1]))
    # The object has not moved.
    assert manager.in_collision_single(box()) is True
