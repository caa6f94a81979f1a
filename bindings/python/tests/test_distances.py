"""Distances and nearest shapes, against plain numpy in float64, loops over all pairs, and scipy's k-d tree."""

import itertools
import warnings

import numpy as np
import phalanx
import pytest
from shapes import BOUNDED, KERNELS, Exact, distance, gap, random_pairs, random_shapes

F = np.float32
NONE = 2**32 - 1
DISTANT = [(first, second) for verb, first, second in KERNELS if verb == "distance"]
ORDERS = sorted({order for pair in DISTANT for order in (pair, pair[::-1])})
CELLS = [(first, second) for first, second in ORDERS if first in BOUNDED]
# What float64 and a ternary search leave open.
SURE = 1e-9
# Lengths of a pair sum to less than 60: bounds of a settled pair differ by 640 u of that and 2⁻¹⁶ of the upper one.
BAND = 640 * 2.0**-24 * 60


def case(first, second, seed, m=1200):
    rng = np.random.default_rng([seed, ORDERS.index((first, second))])
    a, b = (random_shapes(kind, 200, rng) for kind in (first, second))
    if second in BOUNDED:
        # A third of the shapes is far away.
        far = rng.random(200) < 0.3
        for name in ("position", "center", "min", "max", "corners"):
            if name in b.values:
                b.values[name][far] += F(8)
    pairs = random_pairs(200, 200, m, rng)
    return a, b, pairs, a.take(pairs[:, 0]), b.take(pairs[:, 1])


@pytest.mark.parametrize(("first", "second"), ORDERS)
def test_bounds_hold_the_distance(first, second):
    a, b, pairs, exact_a, exact_b = case(first, second, 1)
    detector = phalanx.Detector()
    distances = detector.distance(a.view(), b.view(), pairs)
    assert len(distances) == len(pairs) and distances.invalid_count == 0 and not distances.invalid.any()
    assert distances.lower.dtype == distances.upper.dtype == F
    lower, upper = distances.lower.astype(float), distances.upper.astype(float)
    exact = distance(exact_a, exact_b)
    assert (lower <= exact + SURE).all(), (lower - exact).max()
    assert (exact - SURE <= upper).all(), (exact - upper).max()
    assert (upper - lower <= BAND + 2.0**-16 * upper)[distances.settled].all()
    assert distances.settled.mean() > 0.99
    assert (exact > 1).sum() > 100
    if (first, second) != ("point", "point"):
        overlaps = detector.overlap(a.view(), b.view(), pairs)
        assert (lower[overlaps.mask] == 0).all()
    for name in ("lower", "upper"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(distances, name)[0] = 1


@pytest.mark.parametrize(("first", "second"), ORDERS)
def test_points_lie_on_their_shapes(first, second):
    a, b, pairs, exact_a, exact_b = case(first, second, 2)
    distances, points = phalanx.Detector().distance_points(a.view(), b.view(), pairs)
    alone = phalanx.Detector().distance(a.view(), b.view(), pairs)
    np.testing.assert_array_equal(distances.lower, alone.lower)
    np.testing.assert_array_equal(distances.upper, alone.upper)
    assert points.at_a.shape == points.at_b.shape == (len(pairs), 3) and points.at_a.dtype == F
    assert len(points) == len(pairs)
    origin = (exact_a if first in BOUNDED else exact_b).center
    ends = []
    for at, shapes in ((points.at_a, exact_a), (points.at_b, exact_b)):
        ends.append(origin + at)
        point = Exact("point", {"position": ends[-1], "displacement": np.zeros_like(origin)})
        assert (gap(point, shapes) < BAND).all()
    apart = np.linalg.norm(ends[1] - ends[0], axis=1)
    assert (apart <= distances.upper * (1 + 1e-6) + 1e-6).all()
    assert (apart >= distances.upper * (1 - 1e-4) - BAND).all()


@pytest.mark.parametrize(("first", "second"), [kinds for kinds in DISTANT if kinds[0] != kinds[1]])
def test_both_orders_give_the_same_bounds(first, second):
    a, b, pairs, *_ = case(first, second, 3)
    detector = phalanx.Detector()
    x, at = detector.distance_points(a.view(), b.view(), pairs)
    y, of_reverse = detector.distance_points(b.view(), a.view(), pairs[:, ::-1])
    for name in ("lower", "upper", "settled"):
        np.testing.assert_array_equal(getattr(x, name), getattr(y, name))
    if second in BOUNDED:
        np.testing.assert_allclose(at.at_b - at.at_a, of_reverse.at_a - of_reverse.at_b, atol=1e-4)
    else:
        # Relative to the bounded shape in either order.
        np.testing.assert_array_equal(at.at_a, of_reverse.at_b)
        np.testing.assert_array_equal(at.at_b, of_reverse.at_a)


def holds(distances, exact, within=1e-3):
    """Whether bounds hold distances, and are close."""
    lower, upper = distances.lower.astype(float), distances.upper.astype(float)
    return ((lower <= exact) & (exact <= upper) & (upper - lower < within)).all()


def test_closed_forms():
    rng = np.random.default_rng(4)
    at, other = rng.uniform(-5, 5, (2, 400, 3)).astype(F)
    radius, half = rng.uniform(0, 1, 400).astype(F), rng.uniform(0, 1, (400, 3)).astype(F)
    detector, pairs = phalanx.Detector(), random_pairs(400, 400, 5000, rng)
    i, j = pairs.T
    apart = np.linalg.norm(at[i].astype(float) - other[j], axis=1)
    points, spheres = phalanx.Points(at), phalanx.Spheres(other, radius)
    assert holds(detector.distance(points, phalanx.Points(other), pairs), apart)
    assert holds(detector.distance(points, spheres, pairs), np.maximum(apart - radius[j], 0))
    reach = radius[i].astype(float) + radius[j]
    both = detector.distance(phalanx.Spheres(at, radius), spheres, pairs)
    assert holds(both, np.maximum(apart - reach, 0)) and (both.lower == 0).sum() > 10
    low, high = other - half, other + half
    boxes = phalanx.Aabbs(low, high)
    beyond = np.maximum(np.maximum(low[j] - at[i].astype(float), at[i] - high[j].astype(float)), 0)
    assert holds(detector.distance(points, boxes, pairs), np.linalg.norm(beyond, axis=1))
    beyond = np.maximum(np.maximum(low[j] - high[i].astype(float), low[i] - high[j].astype(float)), 0)
    assert holds(detector.distance(boxes, boxes, pairs), np.linalg.norm(beyond, axis=1))
    ground = phalanx.HalfSpaces(normal=(0.0, 0.0, 2.0), d=2.0)
    height = np.maximum(other[:, 2].astype(float) + 1 - radius, 0)
    onto = np.stack([np.arange(400), np.zeros(400, int)], 1)
    assert holds(detector.distance(spheres, ground, onto), height)


def test_points_are_exact_far_from_the_origin():
    # At 2²⁰ floats are an eighth apart: a point in coordinates of the world would be off by as much.
    spheres = phalanx.Spheres(center=[[2**20, 0, 0], [2**20 + 4, 0, 0]], radius=[1.01, 1.02])
    distances, points = phalanx.Detector().distance_points(spheres, spheres, [[0, 1]])
    assert abs(distances.lower[0] - 1.97) < 1e-4
    np.testing.assert_allclose(points.at_a, [[1.01, 0, 0]], atol=1e-5)
    np.testing.assert_allclose(points.at_b, [[2.98, 0, 0]], atol=1e-5)


def all_pairs(n, m):
    return np.array(list(itertools.product(range(n), range(m))), np.uint32).reshape(-1, 2)


def reduced(distances, allowed, radius):
    """What `nearest` returns, from the distances of all pairs."""
    lower, upper = (getattr(distances, name).reshape(allowed.shape) for name in ("lower", "upper"))
    lower, upper = np.where(allowed, lower, np.inf), np.where(allowed, upper, np.inf)
    index, least = upper.argmin(1).astype(np.uint32), upper.min(1)
    is_near = least <= F(radius)
    least_lower = np.minimum(lower.min(1), F(radius))
    return np.where(is_near, index, NONE), least_lower, np.where(is_near, least, np.inf)


@pytest.mark.parametrize(("first", "second"), CELLS)
def test_nearest_is_the_least_of_all_distances(first, second):
    rng = np.random.default_rng([5, CELLS.index((first, second))])
    a, b = random_shapes(first, 80, rng), random_shapes(second, 60, rng, strange=True)
    a.values[next(iter(a.values))][7, 0] = np.nan
    b = b.copied()
    detector = phalanx.Detector()
    distances = detector.distance(a.view(), b, all_pairs(80, 60))
    bad_b = distances.invalid.reshape(80, 60)[0]
    good = np.broadcast_to(~bad_b, (80, 60)) & (np.arange(80) != 7)[:, None]
    for radius in (0.0, 0.25, 2, phalanx.MAX_LENGTH):
        index, lower, upper = reduced(distances, good, radius)
        lower[7] = 0
        for x in (a.view(), a.copied(), a.copied()):
            with pytest.warns(RuntimeWarning, match=f"invalid shapes are near nothing: 1 of a, {bad_b.sum()} of b"):
                nearest = detector.nearest(x, b, radius)
            np.testing.assert_array_equal(nearest.index, index)
            np.testing.assert_array_equal(nearest.lower, lower)
            np.testing.assert_array_equal(nearest.upper, upper)
            np.testing.assert_array_equal(nearest.mask, index != NONE)
            np.testing.assert_array_equal(nearest.hits, np.flatnonzero(nearest.mask))
            np.testing.assert_array_equal(nearest.pairs(), np.stack([nearest.hits, index[nearest.mask]], 1))
            assert nearest.count == len(nearest.hits) and len(nearest) == 80
            assert nearest.invalid_count == 1 and nearest.invalid[7]
    assert nearest.count == 79 and nearest.index.dtype == np.uint32 and nearest.lower.dtype == F
    assert "of 80 shapes: 79 near, 1 invalid" in repr(nearest)


@pytest.mark.parametrize("radius", [0.05, 0.4, 100.0])
def test_nearest_points_are_those_of_a_k_d_tree(radius):
    tree = pytest.importorskip("scipy.spatial").cKDTree
    rng = np.random.default_rng(6)
    cloud, at = rng.uniform(0, 1, (5000, 3)).astype(F), rng.uniform(-0.2, 1.2, (3000, 3)).astype(F)
    # Some points are in the cloud twice.
    cloud[100:200] = cloud[:100]
    at[:50] = cloud[50:100]
    expected, index = tree(cloud.astype(float)).query(at.astype(float), distance_upper_bound=radius)
    nearest = phalanx.Detector().nearest(phalanx.Points(at), phalanx.Points(cloud), radius)
    found = nearest.mask
    # A distance within an ulp or so of the radius is on either side of it.
    clear = np.abs(np.where(np.isfinite(expected), expected, 2 * radius) - radius) > 1e-4
    np.testing.assert_array_equal(found[clear], np.isfinite(expected)[clear])
    both = found & np.isfinite(expected)
    assert both.sum() > 100
    lower, upper = nearest.lower[both].astype(float), nearest.upper[both].astype(float)
    assert ((lower <= expected[both]) & (expected[both] <= upper)).all()
    assert (upper - lower < 1e-4).all()
    assert (nearest.lower[~found] <= F(radius)).all() and (nearest.lower[~found & clear] == F(radius)).all()
    assert np.isposinf(nearest.upper[~found]).all()
    # The same point except for ties.
    chosen = np.linalg.norm(at[both].astype(float) - cloud[nearest.index[both]], axis=1)
    assert (chosen - expected[both] < 1e-4).all()
    other = nearest.index[both] != index[both]
    assert other.mean() < 0.05


def test_nearest_triangle_of_a_mesh():
    trimesh = pytest.importorskip("trimesh")
    solid = trimesh.creation.icosphere(subdivisions=3)
    mesh = phalanx.Mesh(solid.vertices.astype(F), solid.faces)
    at = np.random.default_rng(7).normal(size=(500, 3))
    at = (at / np.linalg.norm(at, axis=1, keepdims=True) * 1.5).astype(F)
    detector = phalanx.Detector()
    nearest = detector.nearest(phalanx.Spheres(at, 0.25), mesh, 1.0)
    assert nearest.count == 500 and (np.abs(nearest.lower - 0.25) < 0.01).all()
    distances, points = detector.distance_points(phalanx.Spheres(at, 0.25), mesh, nearest.pairs())
    np.testing.assert_array_equal(distances.upper, nearest.upper)
    # On the mesh, right below.
    assert np.abs(np.linalg.norm(at + points.at_b, axis=1) - 1).max() < 0.01
    assert (points.at_b @ at.T).diagonal().max() < 0


def test_groups_bodies_and_a_store_with_itself():
    rng = np.random.default_rng(8)
    at = rng.uniform(0, 3, (60, 3)).astype(F)
    store = phalanx.Spheres(at, 0.1, groups=rng.integers(0, 8, (60, 2)), body=rng.integers(0, 9, 60))
    detector, is_self = phalanx.Detector(), np.eye(60, dtype=bool)
    distances = detector.distance(store, store, all_pairs(60, 60))
    (own, meets), body = store.groups.T, store.body
    allowed = (own[:, None] & meets != 0) & (own & meets[:, None] != 0) & (body[:, None] != body)
    for x, y, pairs_allowed in ((store, store, allowed & ~is_self), (store, store.copy(), allowed)):
        nearest = detector.nearest(x, y, 0.75)
        index, lower, upper = reduced(distances, pairs_allowed, 0.75)
        np.testing.assert_array_equal(nearest.index, index)
        np.testing.assert_array_equal(nearest.lower, lower)
        np.testing.assert_array_equal(nearest.upper, upper)
        assert 5 < nearest.count < 60
    bare = phalanx.Spheres(at, 0.1)
    assert (detector.nearest(bare, bare, 9).index != np.arange(60)).all()


def test_invalid_shapes_are_flags_unless_strict():
    spheres = phalanx.Spheres(center=[[0, 0, 0], [5, 0, 0], [9, 0, 0]], radius=[1.0, np.nan, 1.0])
    pairs = [[0, 2], [0, 1]]
    distances, points = phalanx.Detector().distance_points(spheres, spheres, pairs)
    assert distances.invalid.tolist() == [False, True] and distances.invalid_count == 1
    assert abs(distances.lower[0] - 7) < 1e-3 and distances.lower[1] == 0 and np.isposinf(distances.upper[1])
    assert np.isnan(points.at_a[1]).all() and np.isnan(points.at_b[1]).all() and np.isfinite(points.at_a[0]).all()
    assert distances.settled.tolist() == [True, True]
    strict = phalanx.Detector(strict=True)
    for verb in (strict.distance, strict.distance_points):
        with pytest.raises(
            ValueError, match=r"pair 1 is \(0, 1\), but shape 1 of the second store is invalid: radius is NaN"
        ):
            verb(spheres, spheres, pairs)
    with pytest.raises(ValueError, match="shape 1 of the first store is invalid: radius is NaN"):
        strict.nearest(spheres, spheres, 1.0)
    with pytest.warns(RuntimeWarning, match="invalid shapes are near nothing: 1 of a, 1 of b; validate"):
        nearest = phalanx.Detector().nearest(spheres, spheres, 20.0)
    assert nearest.index.tolist() == [2, NONE, 0] and nearest.invalid.tolist() == [False, True, False]
    assert nearest.lower[1] == 0 and np.isposinf(nearest.upper[1])
    good = phalanx.Spheres(center=[[0, 0, 0]], radius=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert phalanx.Detector().nearest(good, good, 1.0).index.tolist() == [NONE]
        assert strict.nearest(good, good, 1.0).lower.tolist() == [1.0]


def test_errors():
    spheres = phalanx.Spheres(center=[[0, 0, 0], [5, 0, 0]], radius=1.0)
    planes = phalanx.Planes(normal=(1.0, 0.0, 0.0), d=0.0)
    detector, wide = phalanx.Detector(), phalanx.Detector(margin=0.5)
    for verb in (wide.distance, wide.distance_points):
        with pytest.raises(ValueError, match="no margin, but the detector's is 0.5"):
            verb(spheres, spheres, phalanx.zip())
    with pytest.raises(ValueError, match="no margin, but the detector's is 0.5"):
        wide.nearest(spheres, spheres, 1.0)
    for radius in (-1.0, np.nan, np.inf, 1e300):
        with pytest.raises(ValueError, match="radius is .*, not between 0 and"):
            detector.nearest(spheres, spheres, radius)
    with pytest.raises(TypeError, match="radius"):
        detector.nearest(spheres, spheres, "1")
    known = "Planes have one with Points, Spheres, Capsules, Aabbs, Obbs, Triangles"
    for verb in (detector.distance, detector.distance_points):
        with pytest.raises(TypeError, match=f"there is no distance of Planes with Planes; {known}"):
            verb(planes, planes, phalanx.zip())
        with pytest.raises(IndexError, match=r"pair 1 is out of bounds: \(0, 2\)"):
            verb(spheres, spheres, [[0, 1], [0, 2]])
        with pytest.raises(ValueError, match="zip needs stores of equal length"):
            verb(spheres, planes, phalanx.zip())
    with pytest.raises(TypeError, match="a is Planes, which are unbounded"):
        detector.nearest(planes, spheres, 1.0)
    with pytest.raises(TypeError, match="a is Planes, which are unbounded"):
        detector.nearest(planes, planes, 1.0)
    with pytest.raises(TypeError, match="b is of type ndarray, not one of Points"):
        detector.nearest(spheres, np.zeros((3, 3), F), 1.0)
    with pytest.raises(TypeError, match="pairs .*mask"):
        detector.distance(spheres, spheres, np.ma.masked_array([[0, 1]], mask=[[True, False]]))


def test_nothing_is_near_nothing():
    empty, one = phalanx.Points(np.zeros((0, 3), F)), phalanx.Points(np.zeros((1, 3), F))
    detector = phalanx.Detector()
    nearest = detector.nearest(empty, one, 1.0)
    assert len(nearest) == 0 and nearest.index.shape == nearest.lower.shape == (0,) and nearest.pairs().shape == (0, 2)
    nearest = detector.nearest(one, empty, 0.5)
    assert nearest.index.tolist() == [NONE] and nearest.lower.tolist() == [0.5] and np.isposinf(nearest.upper).all()
    for pairs in ([], np.zeros((0, 2), np.uint32), phalanx.zip()):
        store = empty if isinstance(pairs, phalanx.Pairs) else one
        distances, points = detector.distance_points(store, store, pairs)
        assert len(distances) == len(points) == 0 and points.at_a.shape == (0, 3)
    assert "0 pairs" in repr(distances) and "0 pairs" in repr(points)


def test_strided_pairs_and_views():
    rng = np.random.default_rng(9)
    a, b = random_shapes("capsule", 90, rng), random_shapes("obb", 80, rng)
    wide = rng.integers(0, 80, (500, 4)).astype(np.int64)
    detector = phalanx.Detector()
    expected = detector.distance(a.copied(), b.copied(), np.ascontiguousarray(wide[::2, 1:3]))
    for given in (wide[::2, 1:3], wide[::2, 1:3].astype(np.uint8), np.asfortranarray(wide[::2, 1:3])):
        found = detector.distance(a.view(), b.view(), given)
        np.testing.assert_array_equal(found.lower, expected.lower)
        np.testing.assert_array_equal(found.upper, expected.upper)
    x, y, z = a.values["center"].T.copy()
    view = phalanx.Points(position=(x, y, z))
    before = detector.nearest(view, b.copied(), 50).lower
    x += F(100)
    after = detector.nearest(view, b.copied(), phalanx.MAX_LENGTH).lower
    assert (after > before + 50).all()


@pytest.mark.parametrize("lanes", [lanes for _, lanes in phalanx.instruction_sets()])
def test_nearest_on_all_lanes_and_threads(lanes):
    rng = np.random.default_rng(10)
    a, b = random_shapes("capsule", 1000, rng).copied(), random_shapes("triangle", 600, rng).copied()
    expected = phalanx.Detector().nearest(a, b, 0.5)
    for parallel in (True, False):
        found = phalanx.Detector(simd=lanes, parallel=parallel).nearest(a, b, 0.5)
        for name in ("index", "lower", "upper"):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
