"""Queries with keys, against the same queries of the shapes of each key alone."""

import numpy as np
import phalanx
import pytest
import trimesh
from shapes import BOUNDED, random_shapes
from test_habits import some_hulls

NONE = 2**32 - 1
F = np.float32
COLUMNS = {
    "nearest": ("lower", "upper"),
    "meets_any": (),
    "first_hits": ("store", "enter", "exit"),
    "neighbors": ("lower", "upper"),
    "ordered_hits": ("enter", "exit"),
}
ARGUMENTS = {
    "nearest": [(0.7,)],
    "meets_any": [(), ("frame",)],
    "first_hits": [()],
    "neighbors": [(0.7,), (5.0, 3)],
    "ordered_hits": [(), (2,)],
}


def made(kind, n, rng, *, strange=True):
    if kind == "hull":
        hulls = some_hulls(n)
        center = rng.uniform(-2, 2, (n, 3)).astype(F)
        center[rng.random(n) < 0.1] = np.nan if strange else 0
        hulls.set_center(center)
        return hulls
    return random_shapes(kind, n, rng, strange=strange).copied()


def alone(detector, query, a, stores, keys, more):
    """The result of each shape: its index, its columns, whether it is invalid. By key, each a search of its own."""
    results = [None] * len(a)
    for key in np.unique(keys[0]):
        rows = np.flatnonzero(keys[0] == key)
        targets = [np.flatnonzero(of_b == key) for of_b in keys[1:]]
        part = a[rows]
        parts = [
            part if store is a and keys[0] is of_b else store[index]
            for store, index, of_b in zip(stores, targets, keys[1:], strict=True)
        ]
        found = getattr(detector, query)(part, *parts, *more)
        columns = [getattr(found, name) for name in COLUMNS[query]]
        for k, row in enumerate(rows):
            if query in ("neighbors", "ordered_hits"):
                entries = slice(found.offsets[k], found.offsets[k + 1])
                index = targets[0][found.index[entries]].tolist()
                numbers = [column[entries].tolist() for column in columns]
            else:
                numbers = [column[k] for column in columns]
                index = bool(found.mask[k])
                if query != "meets_any":
                    store = int(found.store[k]) if query == "first_hits" else 0
                    index = NONE if found.index[k] == NONE else int(targets[store][found.index[k]])
            results[row] = index, numbers, bool(found.invalid[k])
    return results


def together(detector, query, a, stores, keys, more):
    found = getattr(detector, query)(a, *stores, *more, keys=keys)
    columns = [getattr(found, name) for name in COLUMNS[query]]
    assert len(found) == len(a) and found.invalid_count == found.invalid.sum()
    results = []
    for k in range(len(a)):
        if query in ("neighbors", "ordered_hits"):
            entries = slice(found.offsets[k], found.offsets[k + 1])
            assert bool(found.mask[k]) == (found.offsets[k + 1] > found.offsets[k])
            index, numbers = found.index[entries].tolist(), [column[entries].tolist() for column in columns]
        else:
            numbers = [column[k] for column in columns]
            index = bool(found.mask[k]) if query == "meets_any" else int(found.index[k])
            if query != "meets_any":
                assert bool(found.mask[k]) == (index != NONE)
        results.append((index, numbers, bool(found.invalid[k])))
    return results


def cells(verb):
    kinds = [(first, second) for name, first, second in phalanx.kernels() if name == verb]
    both = {pair for first, second in kinds for pair in ((first, second), (second, first))}
    return sorted(cell for cell in both if cell[0] in [*BOUNDED, "hull"])


@pytest.mark.filterwarnings("ignore:invalid shapes:RuntimeWarning")
@pytest.mark.parametrize("query", COLUMNS)
def test_shapes_of_a_key_are_searched_alone(query):
    detector, hits = phalanx.Detector(), 0
    for number, (first, second) in enumerate(cells("distance" if query in ("nearest", "neighbors") else "sweep")):
        rng = np.random.default_rng([13, number])
        a, b = made(first, 60, rng), made(second, 50, rng)
        # Keys of one store only are among them.
        keys = rng.integers(-2, 5, 60), rng.integers(0, 7, 50)
        for more in ARGUMENTS[query]:
            expected = alone(detector, query, a, [b], keys, more)
            assert together(detector, query, a, [b], keys, more) == expected
            hits += sum(index not in (NONE, False, []) for index, _, _ in expected)
        if first == second:
            for more in ARGUMENTS[query]:
                for given in (keys[0], (keys[0], keys[0]), (keys[0], keys[0].copy())):
                    found = together(detector, query, a, [a], given, more)
                    assert found == alone(detector, query, a, [a], (keys[0], keys[0]), more)
    assert hits > 500


@pytest.mark.filterwarnings("ignore:invalid shapes:RuntimeWarning")
def test_first_hits_of_several_stores_with_keys():
    rng = np.random.default_rng(14)
    detector = phalanx.Detector()
    rays = random_shapes("point", 80, rng).view()
    stores = [made(kind, 40, rng) for kind in ("sphere", "obb", "hull", "half_space")]
    keys = tuple(rng.integers(0, 4, len(store)) for store in (rays, *stores))
    expected = alone(detector, "first_hits", rays, stores, keys, ())
    assert together(detector, "first_hits", rays, stores, keys, ()) == expected
    firsts = detector.first_hits(rays, *stores, keys=keys)
    assert set(firsts.store[firsts.hits].tolist()) > {0, 1}
    # The result serves as any other: contacts of the hits.
    for k, store in enumerate(stores):
        pairs = firsts.pairs(k)
        assert (keys[0][pairs[:, 0]] == keys[k + 1][pairs[:, 1]]).all()
        contacts = detector.hit_contacts(rays, store, firsts, store=k)
        np.testing.assert_array_equal(contacts.positions, pairs[:, 0])
        np.testing.assert_array_equal(contacts.normal, detector.sweep_contacts(rays, store, pairs)[1].normal)


def test_groups_and_bodies_hold_within_a_key():
    n = 60
    center = np.zeros((n, 3), F)
    body = np.arange(n) // 2
    spheres = phalanx.Spheres(center, 1.0, body=body, groups=np.stack([1 + body % 2, 1 + body % 2], 1))
    keys = np.arange(n) // 30
    near = phalanx.Detector().neighbors(spheres, spheres, 1.0, keys=keys)
    pairs = near.pairs().astype(int)
    expected = [
        (i, j)
        for i in range(n)
        for j in range(n)
        if keys[i] == keys[j] and body[i] != body[j] and body[i] % 2 == body[j] % 2
    ]
    assert sorted(map(tuple, pairs.tolist())) == expected


def test_keys_of_meshes():
    rng = np.random.default_rng(15)
    vertices = rng.uniform(-1, 1, (60, 3)).astype(F)
    mesh = phalanx.Mesh(vertices, np.arange(60).reshape(20, 3))
    keys = rng.integers(0, 3, 30), rng.integers(0, 3, 20)
    spheres = random_shapes("sphere", 30, rng).copied()
    detector = phalanx.Detector()
    for query in COLUMNS:
        more = ARGUMENTS[query][0]
        triangles = mesh.triangles()
        assert together(detector, query, spheres, [mesh], keys, more) == alone(
            detector, query, spheres, [triangles], keys, more
        )


def indices_of(found, query, of=None):
    """The index of each shape's hits, in another store if the indices there are given."""
    if query == "meets_any":
        return [bool(hit) for hit in found.mask]
    place = (lambda index: index) if of is None else (lambda index: of[index])
    if query == "first_hits":
        return [place(index) if hit else None for index, hit in zip(found.index, found.mask, strict=True)]
    lists = [found.index[found.offsets[k] : found.offsets[k + 1]] for k in range(len(found))]
    return [[place(index) for index in each] for each in lists]


@pytest.mark.parametrize("sides", ["front", "both"])
def test_keys_of_meshes_keep_the_sides_that_motions_approach(sides):
    rng = np.random.default_rng(17)
    ball = trimesh.creation.icosphere(subdivisions=1)
    n, m = len(ball.vertices), len(ball.faces)
    vertices = np.concatenate([ball.vertices, 1.25 * ball.vertices + [0.5, 0, 0]]).astype(F)
    more = {"sides": sides, "displacement": (0, 0.25, 0), "groups": (1, 1), "body": np.arange(2 * m) % 7}
    mesh = phalanx.Mesh(vertices, np.concatenate([ball.faces, ball.faces + n]), **more)
    balls = [
        phalanx.Mesh(some, ball.faces, **more | {"body": more["body"][k * m : (k + 1) * m]})
        for k, some in enumerate((vertices[:n], vertices[n:]))
    ]
    # Some start inside.
    start, way = rng.uniform(-1.5, 1.5, (2, 200, 3)).astype(F)
    movers = phalanx.Spheres(start, np.where(np.arange(200) % 2, 0.125, 0).astype(F), displacement=way, body=3)
    detector, differ = phalanx.Detector(approaching=True), 0
    keys = rng.integers(0, 2, 200), np.arange(2 * m) // m
    for query, arguments in (("first_hits", ()), ("ordered_hits", ()), ("meets_any", ("frame",))):
        search = getattr(detector, query)
        found = search(movers, mesh, *arguments)
        together = search(movers, mesh, *arguments, keys=(np.zeros(200, int), np.zeros(2 * m, int)))
        assert indices_of(together, query) == indices_of(found, query)
        differ += indices_of(search(movers, mesh.triangles(), *arguments), query) != indices_of(found, query)
        by_key = indices_of(search(movers, mesh, *arguments, keys=keys), query)
        for k, each in enumerate(balls):
            rows = np.flatnonzero(keys[0] == k)
            expected = indices_of(search(movers[rows], each, *arguments), query, of=k * m + np.arange(m))
            assert [by_key[row] for row in rows] == expected
            # A mesh may search, too.
            if query == "first_hits":
                swapped = indices_of(search(mesh, movers, keys=keys[::-1]), query)
                alone = indices_of(search(each, movers[rows]), query, of=rows)
                assert swapped[k * m : (k + 1) * m] == alone
    assert differ > 0 or sides == "both"


def test_a_strict_detector_names_the_shape():
    spheres = phalanx.Spheres(np.zeros((6, 3), F), np.array([1, 1, -1, 1, 1, 1], F))
    good = phalanx.Points(np.zeros((3, 3), F), displacement=np.ones((3, 3), F))
    strict = phalanx.Detector(strict=True)
    keys = [5, 5, 4], [5, 5, 4, 4, 5, 5]
    for query in COLUMNS:
        more = ARGUMENTS[query][0]
        with pytest.raises(ValueError, match="shape 2 of the second store is invalid: radius is -1"):
            getattr(strict, query)(good, spheres, *more, keys=keys)
    with pytest.warns(RuntimeWarning, match="invalid shapes are near nothing: 0 of a, 1 of b"):
        phalanx.Detector().nearest(good, spheres, 1.0, keys=keys)


def test_ten_thousand_poses_each_with_its_own_obstacles():
    poses, links, obstacles = 10_000, 4, 3
    rng = np.random.default_rng(16)
    robot = phalanx.Spheres(rng.uniform(0, 3, (poses * links, 3)).astype(F), 0.2)
    scene = phalanx.Spheres(rng.uniform(0, 3, (poses * obstacles, 3)).astype(F), 0.3)
    keys = np.repeat(np.arange(poses), links), np.repeat(np.arange(poses), obstacles)
    detector = phalanx.Detector()
    found = detector.meets_any(robot, scene, keys=keys)
    link = np.arange(poses * links)
    pairs = np.stack([link.repeat(obstacles), (link // links * obstacles)[:, None].repeat(obstacles, 1).ravel()], 1)
    pairs[:, 1] += np.tile(np.arange(obstacles), poses * links)
    expected = detector.overlap(robot, scene, pairs).mask.reshape(-1, obstacles).any(1)
    np.testing.assert_array_equal(found.mask, expected)


def test_no_shapes_at_all():
    nothing = phalanx.Spheres(np.zeros((0, 3), F), np.zeros(0, F))
    detector = phalanx.Detector()
    for query in COLUMNS:
        more = ARGUMENTS[query][0]
        for keys in (np.zeros(0, int), [], ([], []), np.zeros(0)):
            assert len(getattr(detector, query)(nothing, nothing, *more, keys=keys)) == 0
    assert len(phalanx.Spheres(np.zeros((0, 3), F), 1.0, body=[])) == 0
    some = phalanx.Spheres(np.zeros((2, 3), F), 1.0)
    with pytest.raises(ValueError, match=r"keys has shape \(0,\), not \(2,\): a key for each shape"):
        detector.candidates(some, some, keys=[])
    assert detector.nms(nothing.bounds(), np.zeros(0), 0.5).tolist() == []
