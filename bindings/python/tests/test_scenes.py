"""Searches of whole stores, groups, bodies and keys, against loops over all pairs."""

import itertools

import numpy as np
import phalanx
import pytest
from shapes import BOUNDED, KERNELS, STORES, random_shapes

NONE = 2**32 - 1
SWEPT = [(first, second) for verb, first, second in KERNELS if verb == "sweep"]
CELLS = SWEPT + [(second, first) for first, second in SWEPT if second in BOUNDED]


def every_pair(n, m):
    return np.array(list(itertools.product(range(n), range(m))), np.uint32)


def firsts_of(sweeps, pairs, n):
    """Index and time of the first hit of each shape, the lowest index of equal times."""
    index, enter = np.full(n, NONE, np.uint32), np.full(n, np.inf, np.float32)
    for position in sweeps.hits:
        a, b = pairs[position]
        if sweeps.enter[position] < enter[a]:
            index[a], enter[a] = b, sweeps.enter[position]
    return index, enter


@pytest.mark.parametrize(("first", "second"), CELLS)
def test_first_hits_are_those_of_all_pairs(first, second):
    rng = np.random.default_rng([7, CELLS.index((first, second))])
    a, b = random_shapes(first, 80, rng).view(), random_shapes(second, 60, rng).copied()
    detector, pairs = phalanx.Detector(), every_pair(80, 60)
    index, enter = firsts_of(detector.sweep(a, b, pairs), pairs, 80)
    for _ in range(3):
        firsts = detector.first_hits(a, b)
        np.testing.assert_array_equal(firsts.index, index)
        np.testing.assert_array_equal(firsts.enter, enter)
        np.testing.assert_array_equal(firsts.mask, index != NONE)
        np.testing.assert_array_equal(firsts.hits, np.flatnonzero(firsts.mask))
        np.testing.assert_array_equal(firsts.pairs()[:, 1], index[firsts.mask])
        assert firsts.count == len(firsts.hits) > 3 and len(firsts) == 80 and firsts.invalid_count == 0
        np.testing.assert_array_equal(detector.meets_any(a, b, "frame").mask, firsts.mask)
    overlaps = detector.overlap(a, b, pairs)
    np.testing.assert_array_equal(detector.meets_any(a, b).mask, overlaps.mask.reshape(80, 60).any(1))


def test_first_hits_in_several_stores():
    rng = np.random.default_rng(8)
    rays = random_shapes("point", 200, rng).view()
    stores = [random_shapes(kind, 40, rng).copied() for kind in ("sphere", "obb", "half_space")]
    detector, best = phalanx.Detector(), np.full(200, np.inf, np.float32)
    store, index = np.zeros(200, np.uint8), np.full(200, NONE, np.uint32)
    for k, other in enumerate(stores):
        firsts = detector.first_hits(rays, other)
        nearer = firsts.enter < best
        store[nearer], index[nearer], best[nearer] = k, firsts.index[nearer], firsts.enter[nearer]
    firsts = detector.first_hits(rays, *stores)
    np.testing.assert_array_equal(firsts.enter, best)
    np.testing.assert_array_equal(firsts.store, store)
    np.testing.assert_array_equal(firsts.index, index)
    for k in range(3):
        np.testing.assert_array_equal(firsts.pairs(k)[:, 0], np.flatnonzero(firsts.mask & (store == k)))
    sweeps, contacts = detector.sweep_contacts(rays, stores[1], firsts.pairs(1))
    assert contacts.count == sweeps.count == len(firsts.pairs(1)) > 0
    assert "200 shapes" in repr(firsts)


def admits(a, b):
    """Whether groups and bodies admit each pair."""
    (is_a, meets_a), (is_b, meets_b) = a.groups.T.astype(np.int64), b.groups.T.astype(np.int64)
    meet = (is_a[:, None] & meets_b != 0) & (is_b & meets_a[:, None] != 0)
    return meet & ((a.body[:, None] != b.body) | (a.body[:, None] == NONE))


@pytest.mark.parametrize("copied", [False, True])
def test_groups_and_bodies(copied):
    rng = np.random.default_rng(9)

    def store(n):
        center = rng.uniform(0, 8, (3, n)).astype(np.float32)
        filters = {
            "groups": rng.integers(0, 8, (n, 2)),
            "body": np.where(rng.random(n) < 0.5, NONE, rng.integers(0, 4, n)).astype(np.uint32),
        }
        center = center.T.copy() if copied else tuple(center)
        made = phalanx.Spheres(center, 1.0, displacement=(1.0, 0.0, 0.0), **filters)
        assert made.is_view != copied
        np.testing.assert_array_equal(made.groups, filters["groups"])
        np.testing.assert_array_equal(made.body, filters["body"])
        return made, phalanx.Spheres(center, 1.0, displacement=(1.0, 0.0, 0.0))

    (a, bare_a), (b, bare_b) = store(150), store(120)
    detector = phalanx.Detector()
    for x, y in [(a, b), (a.copy(), b.copy())]:
        allowed = admits(x, y)
        for during in ("start", "frame", "way"):
            pairs = detector.candidates(bare_a, bare_b, during)
            pairs = pairs[allowed[pairs[:, 0], pairs[:, 1]]]
            np.testing.assert_array_equal(detector.candidates(x, y, during), pairs)
            assert 100 < len(pairs)
        pairs = np.argwhere(allowed).astype(np.uint32)
        index, enter = firsts_of(detector.sweep(bare_a, bare_b, pairs), pairs, 150)
        firsts = detector.first_hits(x, y)
        np.testing.assert_array_equal(firsts.index, index)
        np.testing.assert_array_equal(firsts.enter, enter)
    # Unset, and the same for all.
    assert (bare_a.body == NONE).all() and (bare_a.groups == NONE).all()
    same = phalanx.Spheres(tuple(rng.uniform(0, 1, (3, 9)).astype(np.float32)), 1.0, groups=(1, 2), body=5)
    assert (same.groups == [1, 2]).all() and (same.body == 5).all()
    assert len(detector.candidates(same, same)) == 0


@pytest.mark.parametrize("kind", BOUNDED)
def test_keys(kind):
    rng = np.random.default_rng([10, BOUNDED.index(kind)])
    a, b = random_shapes(kind, 300, rng, turning=True).view(), random_shapes("aabb", 200, rng).view()
    keys_a, keys_b = rng.integers(-3, 9, 300), rng.integers(0, 12, 200)
    detector = phalanx.Detector()
    for during in ("start", "frame", "way"):
        pairs = detector.candidates(a, b, during)
        equal = keys_a[pairs[:, 0]] == keys_b[pairs[:, 1]]
        assert 10 < equal.sum() < len(pairs)
        np.testing.assert_array_equal(detector.candidates(a, b, during, keys=(keys_a, keys_b)), pairs[equal])
        if during != "way":
            pairs = detector.candidates(a, a, during)
            pairs = pairs[keys_a[pairs[:, 0]] == keys_a[pairs[:, 1]]]
            np.testing.assert_array_equal(detector.candidates(a, a, during, keys=keys_a), pairs)
            for keys in ((keys_a, keys_a), (keys_a, keys_a.copy())):
                np.testing.assert_array_equal(detector.candidates(a, a, during, keys=keys), pairs)
    # Other keys for the same store: each pair in both orders.
    pairs = detector.candidates(a, a, keys=(keys_a, keys_a + 1))
    assert (keys_a[pairs[:, 0]] == keys_a[pairs[:, 1]] + 1).all()
    assert kind == "point" or len(pairs) > 10


def test_keys_with_invalid_shapes():
    center = np.zeros((6, 3), np.float32)
    center[[1, 4], 0] = np.nan
    spheres = phalanx.Spheres(center, 1.0)
    keys = np.array([2, 2, 1, 1, 7, 2], np.uint8)
    with pytest.warns(RuntimeWarning, match="2 of a, 2 of b"):
        pairs = phalanx.Detector().candidates(spheres, spheres, keys=keys)
    assert pairs.tolist() == [[0, 5], [2, 3]]
    other = phalanx.Spheres(np.zeros((1, 3), np.float32), 1.0)
    with pytest.warns(RuntimeWarning, match="2 of a, 0 of b"):
        pairs = phalanx.Detector().candidates(spheres, other, keys=(keys, [1]))
    assert pairs.tolist() == [[2, 0], [3, 0]]
    with pytest.raises(ValueError, match="shape 4 of the second store is invalid: center"):
        phalanx.Detector(strict=True).candidates(other, spheres, keys=([7], [9, 9, 9, 9, 7, 9]))


BOX = {"center": np.zeros((4, 3), np.float32), "radius": 1.0}


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"groups": np.zeros((3, 2), int)}, ValueError, r"groups have shape \(3, 2\), not \(4, 2\) or \(2,\)"),
        ({"groups": np.zeros(4, int)}, ValueError, r"groups have shape \(4,\)"),
        ({"groups": np.zeros((4, 2))}, TypeError, "groups has dtype float64, not an integer"),
        ({"groups": [[0, 1], [0, 1], [0, -1], [0, 0]]}, ValueError, r"groups\[2\] has -1, not a number from 0"),
        ({"body": np.zeros(5, int)}, ValueError, r"body have shape \(5,\), not \(4,\) or \(\)"),
        ({"body": [0, 1, 2**32, 3]}, ValueError, r"body\[2\] has 4294967296"),
        ({"body": "x"}, TypeError, "body has dtype <U1"),
    ],
)
def test_bad_groups_and_bodies(given, error, message):
    with pytest.raises(error, match=message):
        phalanx.Spheres(**BOX, **given)


def test_bad_searches():
    spheres, planes = phalanx.Spheres(**BOX), phalanx.Planes(normal=(1.0, 0.0, 0.0), d=0.0)
    points, detector = phalanx.Points(position=(0.0, 0.0, 0.0)), phalanx.Detector()
    with pytest.raises(TypeError, match="a is Planes, which are unbounded"):
        detector.first_hits(planes, spheres)
    with pytest.raises(TypeError, match="no sweep of Points with Points"):
        detector.meets_any(points, points)
    with pytest.raises(TypeError, match="needs a store to search"):
        detector.first_hits(spheres)
    with pytest.raises(TypeError, match="store 1 is of type int"):
        detector.first_hits(points, spheres, 3)
    with pytest.raises(ValueError, match='during is "now", not "start", "frame" or "way"'):
        detector.meets_any(points, spheres, "now")
    for keys, error, message in [
        (np.zeros(3, int), ValueError, r"keys has shape \(3,\), not \(4,\): a key for each shape"),
        (np.zeros(4), TypeError, "keys has dtype float64, not an integer"),
        ((np.zeros(4, int),), ValueError, "keys are a tuple of 1, not of an array for each of 2 stores"),
        ((np.zeros(4, int), np.zeros(1, int)), ValueError, r"keys\[1\] has shape \(1,\)"),
    ]:
        for query, more in [("candidates", {}), ("nearest", {"radius": 1.0}), ("first_hits", {}), ("meets_any", {})]:
            with pytest.raises(error, match=message):
                getattr(detector, query)(spheres, spheres, keys=keys, **more)
    with pytest.raises(TypeError, match="keys of several stores are a tuple"):
        detector.candidates(spheres, points, keys=np.zeros(4, int))


def test_every_store_takes_groups_and_bodies():
    rng = np.random.default_rng(11)
    for kind in STORES:
        shapes = random_shapes(kind, 5, rng)
        given = {name: x if x.shape[1] > 1 else x[:, 0].copy() for name, x in shapes.values.items()}
        store = STORES[kind](**given, groups=(3, 5), body=np.arange(5))
        assert store.groups.tolist() == [[3, 5]] * 5 and store.copy().body.tolist() == [0, 1, 2, 3, 4]


def test_prepare_changes_no_answer_and_says_its_bytes():
    rng = np.random.default_rng(7)
    low = rng.uniform(0, 20, (500, 3)).astype(np.float32)
    level = phalanx.Aabbs(low, low + 1)
    rays = phalanx.Points(rng.uniform(0, 20, (40, 3)).astype(np.float32), displacement=np.full((40, 3), 5, np.float32))
    detector = phalanx.Detector()
    before = detector.first_hits(rays, level)
    built = detector.prepare(level)
    assert detector.prepare(level) == built
    np.testing.assert_array_equal(detector.first_hits(rays, level).index, before.index)
    mesh = phalanx.Mesh(low, np.arange(498).reshape(166, 3))
    before = detector.first_hits(rays, mesh)
    # 61 bytes of trees and bounds, and rows of 48 and 64.
    assert detector.prepare(mesh) > 150 * len(mesh)
    np.testing.assert_array_equal(detector.first_hits(rays, mesh).index, before.index)
    with pytest.raises(TypeError, match="unbounded"):
        detector.prepare(phalanx.Planes(normal=(0.0, 0.0, 1.0), d=0.0))
