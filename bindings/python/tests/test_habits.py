"""Habits of numpy: orders, matrices, corners, items, pickles, dtypes and strides, points in the world."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import phalanx
import pytest
from scipy.spatial.transform import Rotation
from shapes import BOUNDED, KERNELS, KINDS, STORES, arguments, random_shapes

F = np.float32
CUBE = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]


def columns(store, name):
    value = getattr(store, name)
    if value is None:
        return None
    return np.stack(value, 1) if isinstance(value, tuple) else np.asarray(value)


def same_stores(store, other):
    """Equal kinds and numbers, bit by bit."""
    assert type(store) is type(other) and len(store) == len(other)
    assert store.is_view == other.is_view
    names = [name for name in dir(store) if not name.startswith("_") and not callable(getattr(store, name))]
    for name in names:
        if name in ("kinds", "is_view"):
            continue
        mine, others = columns(store, name), columns(other, name)
        if mine is None:
            assert others is None
        else:
            np.testing.assert_array_equal(mine, others)
            assert mine.dtype == others.dtype
    for mine, others in zip(getattr(store, "kinds", []), getattr(other, "kinds", []), strict=True):
        np.testing.assert_array_equal(mine, others)


def some_hulls(n=6):
    rng = np.random.default_rng(8)
    return phalanx.Hulls(
        [CUBE, rng.normal(size=(9, 3)).astype(F)],
        rng.integers(0, 2, n),
        rng.uniform(-2, 2, (n, 3)).astype(F),
        Rotation.random(n, random_state=3).as_quat().astype(F),
        radii=[0.25, 0.0],
        displacement=rng.uniform(-1, 1, (n, 3)).astype(F),
        turn=rng.uniform(-1, 1, (n, 3)).astype(F),
        groups=rng.integers(0, 9, (n, 2)),
        body=rng.integers(0, 9, n),
    )


def some_mesh():
    vertices = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 1], [5, 5, 5]], F)
    return phalanx.Mesh(
        vertices, [[0, 1, 2], [0, 2, 3]], flatness=0.1, sides="both", displacement=(0, 0, 1), groups=(1, 3), body=[4, 5]
    )


def stores():
    rng = np.random.default_rng(7)
    for kind in KINDS:
        shapes = random_shapes(kind, 6, rng)
        yield shapes.view()
        yield shapes.copied()
        given = {name: x if x.shape[1] > 1 else x[:, 0].copy() for name, x in shapes.values.items()}
        yield STORES[kind](**given, groups=rng.integers(0, 9, (6, 2)), body=rng.integers(0, 9, 6))
        yield shapes.view()[:0]
    yield some_hulls()
    yield some_hulls()[:0]


def test_w_first():
    rotation = Rotation.random(5, random_state=1)
    xyzw = rotation.as_quat().astype(F)
    wxyz = xyzw[:, [3, 0, 1, 2]]
    center, turn = np.ones((5, 3), F), np.full((5, 3), 0.5, F)
    same_stores(
        phalanx.Obbs.from_wxyz(center, (1.0, 2.0, 3.0), wxyz, turn=turn, body=[1, 2, 3, 4, 5]),
        phalanx.Obbs(center, (1.0, 2.0, 3.0), xyzw, turn=turn, body=[1, 2, 3, 4, 5]),
    )
    same_stores(
        phalanx.Hulls.from_wxyz([CUBE], 0, center, (1, 0, 0, 0), displacement=turn),
        phalanx.Hulls([CUBE], 0, center, (0, 0, 0, 1), displacement=turn),
    )
    # Columns of other lengths have the index that was given.
    parts = [np.ones(3, F), np.zeros(3, F), np.zeros(3, F), np.zeros(3, F)]
    for k, message in [(0, r"rotation\[1\] is for 3 shapes, but rotation\[0\] for 2"), (2, r"rotation\[2\] is for 2")]:
        given = tuple(part[: 2 if i == k else 3].copy() for i, part in enumerate(parts))
        with pytest.raises(ValueError, match=message):
            phalanx.Obbs.from_wxyz(center[:3], (1.0, 2.0, 3.0), given)
        with pytest.raises(ValueError, match=message):
            phalanx.Hulls.from_wxyz([CUBE], 0, center[:3], given)
    view = tuple(np.ascontiguousarray(column) for column in wxyz.T)
    xs = tuple(np.zeros(5, F) for _ in range(3))
    assert phalanx.Obbs.from_wxyz(xs, (1.0, 1.0, 1.0), view).is_view


def random_matrices(n, seed=2):
    matrix = np.zeros((n, 4, 4))
    matrix[:, :3, :3] = Rotation.random(n, random_state=seed).as_matrix()
    matrix[:, :3, 3] = np.random.default_rng(seed).uniform(-5, 5, (n, 3))
    matrix[:, 3, 3] = 1
    return matrix


def test_matrices():
    n, origin = 50, [5e5, -4e6, 100.0]
    matrix = random_matrices(n)
    half = np.random.default_rng(3).uniform(0.5, 2, (n, 3)).astype(F)
    corners = np.array(CUBE) * half[:, None, :].astype(float)
    world = np.einsum("nij,nkj->nki", matrix[:, :3, :3], corners) + matrix[:, None, :3, 3]
    far = matrix.copy()
    far[:, :3, 3] += origin
    for boxes in (
        phalanx.Obbs.from_matrix(matrix.astype(F), half),
        phalanx.Obbs.from_matrix(matrix, half, origin=(0, 0, 0)),
        phalanx.Obbs.from_matrix(far, half, origin=origin),
    ):
        rotation = Rotation.from_quat(columns(boxes, "rotation").astype(float))
        center = columns(boxes, "center").astype(float)
        found = np.stack([rotation[i].apply(corners[i]) + center[i] for i in range(n)])
        np.testing.assert_allclose(found, world, atol=3e-6)
        boxes.validate()
    # One matrix of all boxes, and boxes as hulls and as capsules along z.
    same = phalanx.Obbs.from_matrix(matrix[0], half, origin=(0, 0, 0))
    assert len(same) == n and len(set(same.rotation[0].tolist())) == 1
    hulls = phalanx.Hulls.from_matrix([CUBE], 0, matrix.astype(F))
    boxes = phalanx.Obbs.from_matrix(matrix.astype(F), (1.0, 1.0, 1.0))
    np.testing.assert_array_equal(columns(hulls, "rotation"), columns(boxes, "rotation"))
    np.testing.assert_array_equal(columns(hulls, "center"), columns(boxes, "center"))
    length = half[:, 0].copy()
    capsules = phalanx.Capsules.from_matrix(matrix, length, 0.25, origin=(0, 0, 0), groups=(1, 2))
    np.testing.assert_allclose(columns(capsules, "half_axis"), matrix[:, :3, 2] * length[:, None], atol=1e-6)
    np.testing.assert_array_equal(columns(capsules, "center"), matrix[:, :3, 3].astype(F))
    assert capsules.groups[0].tolist() == [1, 2] and len(phalanx.Capsules.from_matrix(np.eye(4, dtype=F), 1, 1)) == 1
    assert len(phalanx.Capsules.from_matrix(np.eye(4, dtype=F), length, 1)) == n
    assert len(phalanx.Obbs.from_matrix(np.zeros((0, 4, 4), F), np.zeros((0, 3), F))) == 0


def test_matrices_that_are_no_poses():
    matrix = random_matrices(3)
    scaled, mirrored = matrix.copy(), matrix.copy()
    scaled[1, :3, :3] *= 2
    mirrored[1, :3, 0] *= -1
    for bad in (scaled, mirrored):
        for store in (
            phalanx.Obbs.from_matrix(bad, (1.0, 1.0, 1.0), origin=(0, 0, 0)),
            phalanx.Hulls.from_matrix([CUBE], 0, bad, origin=(0, 0, 0)),
            phalanx.Capsules.from_matrix(bad, 1.0, 1.0, origin=(0, 0, 0)),
        ):
            with pytest.raises(ValueError, match=r"(shape|hull) 1 is invalid: .* is NaN"):
                store.validate()
    for given, more, error, message in [
        (
            matrix,
            {},
            TypeError,
            r"matrix has dtype float64, not float32: .*, or pass origin=, which is subtracted in f",
        ),
        (
            matrix[:, :3],
            {"origin": (0, 0, 0)},
            ValueError,
            r"matrix has shape \(3, 3, 4\), not \(n, 4, 4\) or \(4, 4\)",
        ),
        (matrix.transpose(0, 2, 1), {"origin": (0, 0, 0)}, ValueError, r"matrix\[0\] has the last row \[.*position is"),
        (matrix, {"origin": (0, 0)}, ValueError, r"origin is \(0, 0\), not three finite numbers"),
        (matrix, {"origin": (0, np.nan, 0)}, ValueError, "origin is .*, not three finite numbers"),
        (matrix.astype(complex), {"origin": (0, 0, 0)}, TypeError, "matrix has dtype complex128, not float64"),
        ("x", {}, TypeError, "matrix has dtype <U1"),
    ]:
        with pytest.raises(error, match=message):
            phalanx.Obbs.from_matrix(given, (1.0, 1.0, 1.0), **more)
    # An origin is no help with these.
    for given in ("x", matrix.astype(complex), np.ma.array(matrix.astype(F))):
        with pytest.raises(TypeError) as raised:
            phalanx.Obbs.from_matrix(given, (1.0, 1.0, 1.0))
        assert "origin" not in str(raised.value)
    with pytest.raises(ValueError, match="half_length is for 2 shapes, but matrix for 3"):
        phalanx.Capsules.from_matrix(matrix, np.ones(2, F), 1.0, origin=(0, 0, 0))


def test_no_poses_at_all():
    for more in ({}, {"origin": (1, 2, 3)}):
        for store in (
            phalanx.Obbs.from_matrix([], (1.0, 1.0, 1.0), **more),
            phalanx.Obbs.from_matrix([], [], **more),
            phalanx.Obbs.from_corners([], **more),
            phalanx.Capsules.from_matrix([], 1.0, 1.0, **more),
            phalanx.Capsules.from_matrix([], [], [], **more),
            phalanx.Hulls.from_matrix([CUBE], 0, [], **more),
            phalanx.Hulls.from_matrix([CUBE], [], [], **more),
        ):
            assert len(store) == 0


def corners_of(boxes):
    rotation = Rotation.from_quat(columns(boxes, "rotation").astype(float))
    half, center = columns(boxes, "half_extents").astype(float), columns(boxes, "center").astype(float)
    return np.stack([rotation[i].apply(np.array(CUBE) * half[i]) + center[i] for i in range(len(boxes))])


def in_box(boxes, corners):
    """How far corners are out of boxes, along their sides."""
    rotation = Rotation.from_quat(columns(boxes, "rotation").astype(float))
    center, half = columns(boxes, "center").astype(float), columns(boxes, "half_extents").astype(float)
    local = np.stack([rotation[i].inv().apply(corners[i] - center[i]) for i in range(len(boxes))])
    return (np.abs(local) - half[:, None, :]).max()


@pytest.mark.parametrize("thin", [None, 0, 1, 2, (0, 1), (0, 1, 2)])
def test_corners_in_any_order(thin):
    rng = np.random.default_rng(4)
    half = rng.uniform(0.1, 3, (200, 3))
    half[:20] = 1  # cubes
    half[20:40, 1] = half[20:40, 0] * 1e-6
    if thin is not None:
        half[:, thin] = 0
    matrix = random_matrices(200, seed=5)
    corners = np.einsum("nij,nkj->nki", matrix[:, :3, :3], np.array(CUBE) * half[:, None, :]) + matrix[:, None, :3, 3]
    corners = rng.permuted(np.arange(8)[None].repeat(200, 0), axis=1)[:, :, None].repeat(3, 2).astype(int), corners
    corners = np.take_along_axis(corners[1], corners[0], axis=1)
    boxes = phalanx.Obbs.from_corners(corners.astype(F), body=7)
    boxes.validate()
    assert in_box(boxes, corners.astype(F).astype(float)) < 1e-9 and boxes.body[0] == 7
    np.testing.assert_allclose(np.sort(columns(boxes, "half_extents"), 1), np.sort(half, 1), atol=2e-5)
    far = corners + [5e5, 4e6, 0]
    near = phalanx.Obbs.from_corners(far, origin=(5e5, 4e6, 0))
    np.testing.assert_allclose(np.sort(columns(near, "half_extents"), 1), np.sort(half, 1), atol=2e-5)


def test_sides_are_in_the_order_of_the_corners_next_to_the_first():
    # Corner 0, then its neighbours along y, z and x.
    unit = np.array([[0, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1], [1, 1, 1]])
    boxes = phalanx.Obbs.from_corners((unit * [1, 4, 2])[None].astype(F))
    np.testing.assert_allclose(columns(boxes, "half_extents"), [[2, 1, 0.5]], rtol=1e-6)
    np.testing.assert_allclose(columns(boxes, "center"), [[0.5, 2, 1]])


def test_corners_of_no_box():
    corners = np.array(CUBE, F)[None].repeat(3, 0)
    corners[2, 5] += 0.1
    for given, error, message in [
        (corners, ValueError, r"corners\[2\] are not those of a box"),
        (corners[:, :7], ValueError, r"corners has shape \(3, 7, 3\), not \(n, 8, 3\) or \(8, 3\)"),
        (corners.astype(float), TypeError, "corners has dtype float64, not float32: .*, or pass origin="),
    ]:
        with pytest.raises(error, match=message):
            phalanx.Obbs.from_corners(given)
    with pytest.raises(ValueError, match="longest side$"):
        phalanx.Obbs.from_corners(corners, origin=(0, 0, 0))
    assert len(phalanx.Obbs.from_corners(corners[0])) == 1
    # Steps of float32 are 1/32 here.
    far = np.array(CUBE) @ Rotation.random(random_state=6).as_matrix().T + 5e5
    message = "within a thousandth of its longest side, or float32 is too coarse for its coordinates: pass origin="
    with pytest.raises(ValueError, match=message):
        phalanx.Obbs.from_corners([far.astype(F)])
    assert len(phalanx.Obbs.from_corners([far], origin=(5e5, 5e5, 5e5))) == 1
    corners[2, 5] = np.nan
    with pytest.raises(ValueError, match="shape 2 is invalid"):
        phalanx.Obbs.from_corners(corners).validate()


def test_items():
    rng = np.random.default_rng(9)
    for store in stores():
        n = len(store)
        indices = np.arange(n)
        mask = rng.random(n) < 0.5
        for index in (slice(1, 4), slice(None, None, -2), mask, np.array([2, -1, 2]) % max(n, 1), [], slice(0)):
            if n == 0 and not isinstance(index, slice):
                continue
            expected, some = indices[index] if len(indices[index]) else [], store[index]
            assert type(some) is type(store) and len(some) == len(expected) and not some.is_view
            for name in (
                "center",
                "rotation",
                "radius",
                "half_extents",
                "corners",
                "normal",
                "min",
                "kind",
                "body",
                "groups",
            ):
                if hasattr(store, name) and len(expected):
                    np.testing.assert_array_equal(columns(some, name), columns(store, name)[expected])
            for name in ("displacement", "turn"):
                if getattr(store, name, None) is not None and len(expected):
                    np.testing.assert_array_equal(columns(some, name), columns(store, name)[expected])
        for i, one in enumerate(store):
            same_stores(one, store[i])
            same_stores(one, store[i - n])
        if n:
            assert i == n - 1
        for bad in (n, -n - 1, "x", 1.5, (0, 0), None):
            with pytest.raises(IndexError):
                store[bad]
    mesh = some_mesh()
    assert [one.body.tolist() for one in mesh] == [[4], [5]]
    np.testing.assert_array_equal(columns(mesh[1:], "corners").reshape(-1, 3, 3), mesh.corners[1:])


def test_indices_are_those_of_numpy():
    for store in (random_shapes("sphere", 6, np.random.default_rng(1)).view(), some_hulls()):
        for index in (3, -6, np.int8(-1), np.uint64(2), np.array(1)):
            same_stores(store[index], store[[int(index)]])
        for bad in (6, -7, np.int64(6), np.array(6), 2**70, -(2**63)):
            with pytest.raises(IndexError) as mine:
                store[bad]
            with pytest.raises(IndexError) as numpys:
                np.arange(6)[bad]
            assert str(mine.value) == str(numpys.value)
        mask = np.ma.array([True] * 6, mask=[True, False] * 3)
        for masked, verb in ((mask, "is"), (np.ma.array([1, 2], mask=[False, True]), "is"), ([mask], "contains")):
            with pytest.raises(TypeError, match=f"index {verb} a numpy.ma.MaskedArray, whose mask would be lost: fill"):
                store[masked]


def remade(store):
    yield pickle.loads(pickle.dumps(store))
    yield pickle.loads(pickle.dumps(store, protocol=pickle.HIGHEST_PROTOCOL))
    yield copy.deepcopy(store)
    yield copy.copy(store)


def test_pickles_and_deep_copies():
    for store in stores():
        for other in remade(store):
            same_stores(store, other)
    mesh = some_mesh()
    for other in remade(mesh):
        for name in ("faces", "corners", "normals", "flatness", "sides", "displacement", "groups", "body"):
            np.testing.assert_array_equal(getattr(mesh, name), getattr(other, name))
        np.testing.assert_array_equal(mesh.edges(), other.edges())
    assert len(pickle.loads(pickle.dumps(phalanx.Mesh(np.zeros((0, 3), F), np.zeros((0, 3), int))))) == 0


def test_copies_of_a_placed_mesh_keep_its_edges():
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(6), np.arange(6)))
    first = np.array([6 * row + column for row in range(5) for column in range(5)])
    faces = np.concatenate([np.stack([first, first + 1, first + 7], 1), np.stack([first, first + 7, first + 6], 1)])
    at_rest = phalanx.Mesh(np.stack([x, y, 0 * x], 1).astype(F), faces, flatness=0)
    mesh = at_rest.copy()
    mesh.place(at_rest, (1.0, 2.0, 3.0), Rotation.random(random_state=9).as_quat().astype(F))
    neighbours, kinds = mesh.edges()
    for other in (copy.copy(mesh), copy.deepcopy(mesh), copy.deepcopy([mesh])[0]):
        np.testing.assert_array_equal(other.edges(), (neighbours, kinds))
        np.testing.assert_array_equal(other.corners, mesh.corners)
        before = mesh.corners
        other.place(at_rest, (0, 0, 0), (0, 0, 0, 1))
        np.testing.assert_array_equal(mesh.corners, before)
    # Rounded corners are not in one plane.
    assert (pickle.loads(pickle.dumps(mesh)).edges()[1] != kinds).any()
    first, second = copy.deepcopy([mesh, mesh])
    assert first is second and first is not mesh


def test_a_deep_copy_has_columns_of_its_own():
    x = np.zeros(3, F)
    view = phalanx.Spheres((x, np.zeros(3, F), np.zeros(3, F)), np.ones(3, F))
    deep = copy.deepcopy(view)
    x[0] = 9
    assert deep.is_view and deep.center[0][0] == 0 and view.center[0][0] == 9


def overlaps_of(pair):
    store, mesh = pair
    return phalanx.Detector(parallel=False).meets_any(store, mesh).hits


def test_other_processes():
    pair = some_hulls(), some_mesh()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        np.testing.assert_array_equal(pool.submit(overlaps_of, pair).result(timeout=120), overlaps_of(pair))


def test_dtypes_that_round_nothing_are_copied():
    center = np.arange(12, dtype=F).reshape(4, 3)
    expected = phalanx.Spheres(center, np.ones(4, F))
    for given in (center.astype(">f4"), center.astype(np.float16), center.astype(np.int16), center[:, ::-1][:, ::-1]):
        same_stores(phalanx.Spheres(given, np.ones(4, F)), expected)
    big = np.zeros((2, 3), ">f4")
    assert len(phalanx.Mesh(big, [[0, 1, 1]])) == 1 and len(phalanx.Hulls([big], 0, big, (0, 0, 0, 1))) == 2


def test_a_radius_of_one_column():
    radius = np.arange(1, 5, dtype=F)
    x = tuple(np.zeros(4, F) for _ in range(3))
    for given in (radius[:, None], radius[:, None].tolist()):
        assert phalanx.Spheres(x, given).radius.tolist() == [1, 2, 3, 4]
    view = phalanx.Spheres(x, radius[:, None])
    radius[0] = 9
    assert view.is_view and view.radius[0] == 9


def test_columns_that_have_to_be_copied_say_so():
    cloud = np.zeros(4, [("x", F), ("y", F), ("z", F), ("intensity", np.uint16)])
    x, table = np.zeros(4, F), np.zeros((4, 5), F)
    for given, error, message in [
        (
            (cloud["x"], cloud["y"], cloud["z"]),
            ValueError,
            r"position\[0\] is not (aligned|contiguous) in memory, and a",
        ),
        (
            (table[:, 0], table[:, 1], table[:, 2]),
            ValueError,
            r"position\[0\] is not contiguous .* pass a numpy.copy of",
        ),
        ((x.astype(">f4"), x, x), TypeError, r"position\[0\] has dtype >f4, not float32: a column is read in place"),
        (
            (x, x.astype(np.int16), x),
            TypeError,
            r"position\[1\] has dtype int16, not float32: a column is read in place",
        ),
        ((x, x, x.astype(float)), TypeError, r"position\[2\] has dtype float64, .* because rounding moves shapes"),
        (
            (x, x, x.astype(object)),
            TypeError,
            r"position\[2\] has dtype object, .* nullable column .*na_value=numpy.nan",
        ),
        (np.zeros((4, 3), object), TypeError, "position has dtype object, .* of a nullable column"),
        (cloud, TypeError, "position has dtype .*, not float32: stack the fields of a structured array"),
    ]:
        with pytest.raises(error, match=message):
            phalanx.Points(given)
    stacked = np.stack([cloud["x"], cloud["y"], cloud["z"]], axis=1)
    assert len(phalanx.Points(stacked)) == len(phalanx.Points(tuple(np.copy(cloud[axis]) for axis in "xyz"))) == 4


def at(store, i, points):
    """How far points are from shape `i` of a store."""
    one = store[np.full(len(points), i)]
    return phalanx.Detector().distance(phalanx.Points(points.astype(F)), one, phalanx.zip()).upper


def moved(shapes, time):
    """The shapes at times of the frame."""
    values = dict(shapes.values)
    way = values["displacement"] * time[:, None]
    for name in ("position", "center", "min", "max"):
        if name in values:
            values[name] = values[name] + way
    if "corners" in values:
        values["corners"] = values["corners"] + np.tile(way, 3)
    return type(shapes)(shapes.kind, {name: x.astype(F) for name, x in values.items()})


@pytest.mark.parametrize(("first", "second"), [(a, b) for verb, a, b in KERNELS if verb == "contact"])
def test_contact_points_in_the_world(first, second):
    rng = np.random.default_rng(10)
    # Two shapes of which one is a point seldom touch.
    margin = 0.4 if "point" in (first, second) else 0
    detector = phalanx.Detector(margin=margin)
    for kinds in {(first, second), (second, first)}:
        both = [random_shapes(kind, 300, rng) for kind in kinds]
        a, b = both[0].view(), both[1].copied()
        for pairs, rows in (
            (phalanx.zip(), np.arange(300)[:, None].repeat(2, 1)),
            (None, rng.integers(0, 300, (300, 2))),
        ):
            pairs = rows if pairs is None else pairs
            contacts = detector.contact(a, b, pairs)
            world = phalanx.contact_points(contacts, a, b, pairs)
            assert world.shape == (contacts.count, 4, 3) and contacts.count > 3
            for points, position, apart in zip(world, contacts.positions, contacts.separation, strict=True):
                for store, i in zip((a, b), rows[position], strict=True):
                    if not isinstance(store, phalanx.Planes | phalanx.HalfSpaces):
                        assert at(store, i, points).max() <= max(-apart, 0) / 2 + margin + 3e-4
    if {first, second} & {"plane", "half_space"}:
        return
    sweeps, contacts = phalanx.Detector().sweep_contacts(a, b, phalanx.zip())
    world = phalanx.contact_points(contacts, a, b, phalanx.zip(), sweeps)
    time = np.minimum(sweeps.enter, 1)
    then = [moved(shapes, time).copied() for shapes in both]
    late = [k for k in range(contacts.count) if time[contacts.positions[k]] > 0]
    off = np.array([[at(store, contacts.positions[k], world[k]).max() for k in late] for store in then])
    # Shapes that graze may be apart at the time, which is never late.
    assert len(late) and np.mean(off < 5e-4) > 0.95 and off.max() < 0.1


def test_points_of_first_hits_and_meshes_in_the_world():
    detector = phalanx.Detector()
    floor = phalanx.Mesh([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
    rays = phalanx.Points([[9, 9, 9], [1, 2, 3], [3, 1, 1]], displacement=[[0, 0, 1], [0, 0, -4], [0, 0, -2]])
    wall = phalanx.Aabbs((0.0, 0.0, 50.0), (1.0, 1.0, 51.0))
    firsts = detector.first_hits(rays, wall, floor)
    contacts = detector.hit_contacts(rays, floor, firsts, store=1)
    world = phalanx.contact_points(contacts, rays, floor, firsts)
    np.testing.assert_allclose(world[:, 0], [[1, 2, 0], [3, 1, 0]], atol=1e-4)
    planes = phalanx.Planes((0.0, 0.0, 1.0), 0.0)
    contacts = detector.contact(planes, floor, phalanx.one_to_all(0))
    world = phalanx.contact_points(contacts, planes, floor, phalanx.one_to_all(0))
    for triangle, points in enumerate(world):
        assert at(floor.triangles(), triangle, points).max() < 2e-4
    with pytest.raises(TypeError, match="neither Planes nor Planes have centers"):
        phalanx.contact_points(contacts, planes, planes, phalanx.one_to_all(0))


@pytest.mark.parametrize("kind", BOUNDED)
def test_closest_points_in_the_world(kind):
    rng = np.random.default_rng(11)
    detector = phalanx.Detector()
    a, b = random_shapes(kind, 100, rng).view(), random_shapes("sphere", 100, rng).copied()
    for first, second in ((a, b), (b, a)):
        distances, points = detector.distance_points(first, second, phalanx.zip())
        at_a, at_b = phalanx.closest_points(points, first, second, phalanx.zip())
        np.testing.assert_allclose(np.linalg.norm(at_a - at_b, axis=1), distances.upper, atol=2e-4)
        for i in range(100):
            assert at(first, i, at_a[i : i + 1])[0] < 2e-4 and at(second, i, at_b[i : i + 1])[0] < 2e-4


def test_arguments_are_those_of_the_stores():
    for kind in KINDS:
        store = random_shapes(kind, 2, np.random.default_rng(12)).copied()
        assert all(hasattr(store, name) for name in arguments(kind))
