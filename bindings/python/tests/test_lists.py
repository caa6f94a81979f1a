"""Ordered hits, neighbors, contacts of first hits and approaching motions, against loops over all pairs."""

import itertools

import numpy as np
import phalanx
import pytest
from shapes import BOUNDED, KERNELS, random_shapes

NONE = 2**32 - 1
F = np.float32


def cells(verb):
    """The kinds of both stores of every search, in this order."""
    kinds = [(first, second) for name, first, second in KERNELS if name == verb]
    both = kinds + [(second, first) for first, second in kinds]
    return sorted({cell for cell in both if cell[0] in BOUNDED})


def every_pair(n, m):
    return np.array(list(itertools.product(range(n), range(m))), np.uint32)


def lists_of(pairs, columns, wanted, n, most=None):
    """Offsets, indices and columns of the wanted pairs, sorted by the first column, then by the index."""
    order = np.lexsort((pairs[:, 1], columns[0], pairs[:, 0]))
    order = order[wanted[order]]
    kept = [rows[:most] for rows in (order[pairs[order, 0] == a] for a in range(n))]
    order = np.concatenate([*kept, np.zeros(0, np.int64)])
    offsets = np.cumsum([0, *map(len, kept)])
    return offsets, pairs[order, 1], *(column[order] for column in columns)


def same(lists, expected, *names):
    offsets, index, *columns = expected
    np.testing.assert_array_equal(lists.offsets, offsets)
    np.testing.assert_array_equal(lists.index, index)
    for name, column in zip(names, columns, strict=True):
        np.testing.assert_array_equal(getattr(lists, name), column)
    lengths = np.diff(offsets)
    assert len(lists) == len(lengths) and lists.count == len(index)
    np.testing.assert_array_equal(lists.mask, lengths > 0)
    np.testing.assert_array_equal(lists.hits, np.flatnonzero(lengths))
    pairs = np.stack([np.repeat(np.arange(len(lengths)), lengths), index], 1)
    np.testing.assert_array_equal(lists.pairs(), pairs)


@pytest.mark.parametrize(("first", "second"), cells("sweep"))
def test_ordered_hits_are_those_of_all_pairs(first, second):
    rng = np.random.default_rng([12, cells("sweep").index((first, second))])
    a, b = random_shapes(first, 80, rng).view(), random_shapes(second, 60, rng).copied()
    detector, pairs = phalanx.Detector(), every_pair(80, 60)
    sweeps = detector.sweep(a, b, pairs)
    columns = (sweeps.enter, sweeps.exit)
    for most in (None, 2, 0):
        for _ in range(2):
            hits = detector.ordered_hits(a, b, most)
            same(hits, lists_of(pairs, columns, sweeps.mask, 80, most), "enter", "exit")
            assert hits.invalid_count == 0 and not hits.invalid.any()
    assert detector.ordered_hits(a, b).count == sweeps.count > 20
    firsts, hits = detector.first_hits(a, b), detector.ordered_hits(a, b, most=1)
    np.testing.assert_array_equal(hits.pairs(), firsts.pairs())
    assert f"of 80 shapes: {hits.count} entries, 0 invalid" in repr(hits)


@pytest.mark.parametrize(("first", "second"), cells("distance"))
def test_neighbors_are_those_of_all_distances(first, second):
    rng = np.random.default_rng([13, cells("distance").index((first, second))])
    a, b = random_shapes(first, 80, rng).view(), random_shapes(second, 60, rng).copied()
    detector, pairs = phalanx.Detector(), every_pair(80, 60)
    distances = detector.distance(a, b, pairs)
    for radius, most in [(0.5, None), (9.0, 3), (0.0, None), (1.0, 1), (1.0, 0)]:
        near = detector.neighbors(a, b, radius, most)
        wanted = distances.lower <= F(radius)
        same(near, lists_of(pairs, (distances.upper, distances.lower), wanted, 80, most), "upper", "lower")
        assert near.invalid_count == 0 and not near.invalid.any()
    near, nearest = detector.neighbors(a, b, 9.0, 1), detector.nearest(a, b, 9.0)
    np.testing.assert_array_equal(near.pairs(), nearest.pairs())
    assert near.index.dtype == np.uint32 and near.offsets.dtype == np.int64 and near.lower.dtype == F


def test_neighbors_of_points_are_those_of_float64():
    rng = np.random.default_rng(14)
    at, cloud = rng.uniform(0, 4, (200, 3)).astype(F), rng.uniform(0, 4, (900, 3)).astype(F)
    distances = np.linalg.norm(at[:, None].astype(float) - cloud, axis=2)
    detector = phalanx.Detector()
    a, b = phalanx.Points(at), phalanx.Points(cloud)

    near = detector.neighbors(a, b, 99.0, 5)
    np.testing.assert_array_equal(near.offsets, np.arange(0, 1001, 5))
    np.testing.assert_array_equal(near.index.reshape(200, 5), np.argsort(distances, axis=1)[:, :5])
    exact = np.sort(distances, axis=1)[:, :5].ravel()
    assert (near.lower <= exact).all() and (exact <= near.upper).all() and (near.upper - near.lower < 1e-4).all()

    near = detector.neighbors(a, b, 0.5)
    within = [set(near.index[i:j]) for i, j in itertools.pairwise(near.offsets)]
    for found, row in zip(within, distances, strict=True):
        assert set(np.flatnonzero(row < 0.5)) <= found <= set(np.flatnonzero(row < 0.5 + 1e-4))


def test_lists_within_a_store_leave_out_the_shape_itself():
    center = np.arange(30, dtype=F).reshape(10, 3)[:, :1] * np.array([1, 0, 0], F)
    spheres = phalanx.Spheres(center, 1.0)
    near = phalanx.Detector().neighbors(spheres, spheres, 1.5)
    assert near.pairs().tolist()[:3] == [[0, 1], [1, 0], [1, 2]] and near.count == 18
    moving = phalanx.Spheres(center, 1.0, displacement=(0.0, 0.0, 1.0))
    assert phalanx.Detector().ordered_hits(moving, moving).count == 0


def contacts_equal(ours, theirs):
    for name in ("normal", "separation", "counts", "points", "point_separation", "features", "inner"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize(("first", "second"), cells("sweep"))
def test_contacts_of_hits_are_those_of_a_sweep(first, second):
    rng = np.random.default_rng([15, cells("sweep").index((first, second))])
    a, b = random_shapes(first, 90, rng).view(), random_shapes(second, 40, rng).copied()
    detector = phalanx.Detector()
    firsts = detector.first_hits(a, b)
    contacts = detector.hit_contacts(a, b, firsts)
    _, expected = detector.sweep_contacts(a, b, firsts.pairs())
    contacts_equal(contacts, expected)
    np.testing.assert_array_equal(contacts.positions, firsts.hits)
    assert contacts.count == firsts.count > 3 and len(contacts) == 90


def test_contacts_of_hits_in_several_stores():
    rng = np.random.default_rng(16)
    rays = random_shapes("point", 200, rng).view()
    stores = [random_shapes(kind, 40, rng).copied() for kind in ("sphere", "obb", "half_space")]
    detector = phalanx.Detector()
    firsts = detector.first_hits(rays, *stores)
    for k, store in enumerate(stores):
        contacts = detector.hit_contacts(rays, store, firsts, k)
        contacts_equal(contacts, detector.sweep_contacts(rays, store, firsts.pairs(k))[1])
        np.testing.assert_array_equal(contacts.positions, np.flatnonzero(firsts.mask & (firsts.store == k)))
        assert contacts.count > 3
    assert detector.hit_contacts(rays, stores[0], firsts, 9).count == 0


def test_normals_of_rays_are_those_of_float64():
    rng = np.random.default_rng(17)
    position = rng.uniform(-9, 9, (300, 3)).astype(F)
    displacement = rng.uniform(-20, 20, (300, 3)).astype(F)
    center = rng.uniform(-9, 9, (80, 3)).astype(F)
    rays, spheres = phalanx.Points(position, displacement=displacement), phalanx.Spheres(center, 1.0)
    detector = phalanx.Detector(approaching=True)
    firsts = detector.first_hits(rays, spheres)
    contacts = detector.hit_contacts(rays, spheres, firsts)
    at = position + firsts.enter[:, None].astype(float) * displacement.astype(float)
    hits = firsts.mask & (firsts.enter > 0)
    radial = center[firsts.index[hits]] - at[hits]
    radial /= np.linalg.norm(radial, axis=1, keepdims=True)
    rows = np.isin(contacts.positions, np.flatnonzero(hits))
    assert (np.linalg.norm(contacts.normal[rows] - radial, axis=1) < 1e-3).all() and rows.sum() > 50


@pytest.mark.parametrize(("first", "second"), cells("sweep"))
def test_approaching_searches_pass_what_a_motion_leaves(first, second):
    rng = np.random.default_rng([18, cells("sweep").index((first, second))])
    shapes, others = random_shapes(first, 80, rng), random_shapes(second, 60, rng)
    a, b, pairs = shapes.view(), others.copied(), every_pair(80, 60)
    sweeps, contacts = phalanx.Detector().sweep_contacts(a, b, pairs)
    motion = shapes.values["displacement"].astype(float)[pairs[:, 0]]
    motion = (motion - others.values["displacement"].astype(float)[pairs[:, 1]])[contacts.positions]
    along = np.einsum("ij,ij->i", contacts.normal.astype(float), motion)
    approached = np.zeros(len(pairs), bool)
    approached[contacts.positions] = along > 2.0**-20 * np.linalg.norm(motion, axis=1)
    detector = phalanx.Detector(approaching=True)
    for most in (None, 1):
        expected = lists_of(pairs, (sweeps.enter, sweeps.exit), approached, 80, most)
        same(detector.ordered_hits(a, b, most), expected, "enter", "exit")
    firsts = detector.first_hits(a, b)
    np.testing.assert_array_equal(firsts.pairs(), detector.ordered_hits(a, b, 1).pairs())
    np.testing.assert_array_equal(detector.meets_any(a, b, "frame").mask, firsts.mask)
    # A ray that starts off a triangle approaches it.
    all_approach = {first, second} == {"point", "triangle"}
    assert 3 < approached.sum() and (approached.sum() < sweeps.count) != all_approach
    assert "approaching=True" in repr(detector)


def test_a_ray_bounces_in_a_room():
    """The walls by which a ray in a unit cube is reflected are those of the unfolded ray."""
    axes = np.concatenate([np.eye(3), -np.eye(3)]).astype(F)
    room = phalanx.HalfSpaces(normal=axes, d=np.array([0, 0, 0, 1, 1, 1], F))
    detector = phalanx.Detector(approaching=True)
    at, motion = np.array([0.3, 0.4, 0.5]), np.array([0.617, 0.311, 0.447])
    # Coordinate k of the unfolded ray crosses an integer at these times.
    times = np.sort(np.concatenate([(np.arange(1, 200) - at[k]) / motion[k] for k in range(3)]))[:100]
    passed = 0.0
    for expected in times:
        ray = phalanx.Points(at[None].astype(F), displacement=(4 * motion)[None].astype(F))
        firsts = detector.first_hits(ray, room)
        contacts = detector.hit_contacts(ray, room, firsts)
        assert contacts.count == 1
        time = 4 * float(firsts.enter[0])
        at, passed = at + time * motion, passed + time
        normal = contacts.normal[0].astype(float)
        motion = motion - 2 * (motion @ normal) * normal
        assert abs(passed - expected) < 1e-3


def test_lists_of_invalid_and_of_no_shapes():
    center = np.zeros((4, 3), F)
    center[2] = np.nan
    spheres, one = phalanx.Spheres(center, 1.0), phalanx.Spheres(center[:1], 1.0)
    for strict in (False, True):
        detector = phalanx.Detector(strict=strict)
        for call in (lambda d: d.ordered_hits(spheres, one), lambda d: d.neighbors(spheres, one, 1.0)):
            if strict:
                with pytest.raises(ValueError, match="shape 2 of the first store is invalid"):
                    call(detector)
                continue
            with pytest.warns(RuntimeWarning, match="1 of a, 0 of b"):
                lists = call(detector)
            assert lists.invalid.tolist() == [False, False, True, False] and lists.invalid_count == 1
            assert lists.offsets.tolist() == [0, 1, 2, 2, 3] and "3 entries, 1 invalid" in repr(lists)
    none, detector = phalanx.Spheres(np.zeros((0, 3), F), 1.0), phalanx.Detector()
    for lists in (detector.ordered_hits(none, one), detector.neighbors(none, one, 1.0)):
        assert lists.offsets.tolist() == [0] and lists.count == len(lists) == 0 and lists.pairs().shape == (0, 2)
    assert detector.neighbors(one, none, 1.0).offsets.tolist() == [0, 0]
    assert detector.hit_contacts(none, one, detector.first_hits(none, one)).count == 0


def test_bad_lists():
    spheres, planes = phalanx.Spheres(np.zeros((4, 3), F), 1.0), phalanx.Planes(normal=(1.0, 0.0, 0.0), d=0.0)
    points, detector = phalanx.Points(position=(0.0, 0.0, 0.0)), phalanx.Detector()
    firsts = detector.first_hits(spheres, spheres)
    with pytest.raises(TypeError, match="a is Planes, which are unbounded"):
        detector.ordered_hits(planes, spheres)
    with pytest.raises(TypeError, match="a is Planes, which are unbounded"):
        detector.neighbors(planes, spheres, 1.0)
    with pytest.raises(TypeError, match="no sweep of Points with Points"):
        detector.ordered_hits(points, points)
    with pytest.raises(TypeError, match="no contact of Points with Points"):
        detector.hit_contacts(points, points, detector.first_hits(points, spheres))
    with pytest.raises(OverflowError):
        detector.neighbors(points, spheres, 1.0, -1)
    with pytest.raises(ValueError, match="radius"):
        detector.neighbors(points, spheres, -1.0)
    with pytest.raises(ValueError, match="margin"):
        phalanx.Detector(margin=0.5).neighbors(points, spheres, 1.0)
    with pytest.raises(ValueError, match="first hits"):
        detector.hit_contacts(points, spheres, firsts)
    two = phalanx.Spheres(np.array([[99, 0, 0], [1, 0, 0]], F), 1.0)
    with pytest.raises(IndexError):
        detector.hit_contacts(spheres, points, detector.first_hits(spheres, two))
    with pytest.raises(TypeError):
        detector.hit_contacts(spheres, spheres, 3)
