"""Pickles and copies of results, pairs, detectors and managers, as processes send them."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import phalanx
import pytest
import trimesh
from phalanx.trimesh import CollisionManager
from shapes import random_shapes
from test_habits import remade, some_hulls

F = np.float32


def results():
    """Results of all queries, of lengths around a word of 64 bits, with invalid shapes."""
    rng = np.random.default_rng(30)
    detector = phalanx.Detector(margin=0.25)
    # Distances have no margin.
    exact = phalanx.Detector()
    for n in (0, 1, 64, 65, 200):
        a, b = (random_shapes(kind, n, rng, strange=True).copied() for kind in ("obb", "capsule"))
        first, points = phalanx.one_to_all(0) if n else phalanx.zip(), random_shapes("point", n, rng).view()
        mesh = phalanx.Mesh(rng.uniform(-2, 2, (90, 3)).astype(F), np.arange(90).reshape(30, 3))
        yield detector.overlap(a, b, first)
        yield detector.sweep(a, b, first)
        yield detector.contact(a, b, first)
        yield detector.contact(b, mesh, rng.integers(0, 30, (n, 2)) % max(n, 1))
        yield detector.impact(a, a, first, 1e-3)
        yield from detector.sweep_contacts(a, b, first)
        yield from exact.distance_points(a, b, first)
        yield exact.nearest(a, b, 0.5)
        yield exact.neighbors(a, b, 0.5)
        yield detector.meets_any(a, b)
        yield detector.ordered_hits(a, b)
        firsts = detector.first_hits(points, b, mesh, phalanx.HalfSpaces((0.0, 0.0, 1.0), -1.0))
        yield firsts
        yield detector.hit_contacts(points, mesh, firsts, store=1)


def same_results(result, other):
    """Equal bits of all that results say."""
    assert type(result) is type(other) and repr(result) == repr(other) and len(result) == len(other)
    names = [name for name in dir(result) if not name.startswith("_") and not callable(getattr(result, name))]
    for name in names:
        mine, others = (np.asarray(getattr(it, name)) for it in (result, other))
        np.testing.assert_array_equal(mine, others, strict=True)
    return names


@pytest.mark.filterwarnings("ignore:invalid shapes:RuntimeWarning")
def test_results():
    kinds, names = set(), set()
    for result in results():
        kinds.add(type(result))
        for other in remade(result):
            names.update(same_results(result, other))
            same_results(result, pickle.loads(pickle.dumps(other)))
    assert len(kinds) == 10
    assert names >= {
        "mask",
        "invalid",
        "enter",
        "exit",
        "points",
        "features",
        "inner",
        "time",
        "settled",
        "at_b",
        "offsets",
    }


@pytest.mark.filterwarnings("ignore:invalid shapes:RuntimeWarning")
def test_remade_results_serve_as_those_of_the_call():
    rng = np.random.default_rng(31)
    detector = phalanx.Detector()
    boxes = random_shapes("obb", 300, rng, strange=True).copied()
    pairs = detector.candidates(boxes, boxes)
    contacts = detector.contact(boxes, boxes, pairs)
    again = pickle.loads(pickle.dumps(contacts))
    np.testing.assert_array_equal(again.pairs(pairs), contacts.pairs(pairs))
    world = [phalanx.contact_points(it, boxes, boxes, pairs) for it in (contacts, again)]
    np.testing.assert_array_equal(*world)
    rays, wall = random_shapes("point", 200, rng).copied(), random_shapes("aabb", 100, rng).copied()
    firsts = detector.first_hits(rays, wall, boxes)
    again = pickle.loads(pickle.dumps(firsts))
    for store, shapes in enumerate((wall, boxes)):
        assert len(firsts.pairs(store)) > 10
        np.testing.assert_array_equal(again.pairs(store), firsts.pairs(store))
        found = [detector.hit_contacts(rays, shapes, it, store) for it in (firsts, again)]
        same_results(*found)
    floor = phalanx.Mesh([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2], [0, 2, 3]])
    sphere = phalanx.Spheres((2.0, 1.8, 0.9), 1.0)
    near = detector.candidates(sphere, floor)
    inner = pickle.loads(pickle.dumps(detector.contact(sphere, floor, near)))
    assert inner.inner.tolist() == [False, True] and inner.without_inner(near, floor).tolist() == [0]


def test_results_that_were_changed_are_errors():
    spheres = phalanx.Spheres([[0, 0, 0], [1.5, 0, 0]], 1.0)
    remake, (saved,) = phalanx.Detector().contact(spheres, spheres, [[0, 1]]).__reduce__()
    same_results(remake(saved), phalanx.Detector().contact(spheres, spheres, [[0, 1]]))
    for k, value, error, message in [
        (1, np.zeros(2, np.uint64), ValueError, "column 0 of results has length 2, not 1"),
        (3, np.array([9], np.uint32), ValueError, "column 2 of results has 9 at 0, not 0"),
        (4, [0.0], TypeError, "saved column 4 is of type list, not an array"),
        (4, np.zeros(1), TypeError, "saved column 4 is an array of float64 with 1 axes, not of float32 with one"),
        (
            4,
            np.zeros((1, 1), "f4"),
            TypeError,
            "saved column 4 is an array of float32 with 2 axes, not of float32 with one",
        ),
    ]:
        changed = saved[:k] + (value,) + saved[k + 1 :]
        with pytest.raises(error, match=message):
            remake(changed)
    size = len(saved)
    for changed, message in (
        (saved[:-1], f"{size - 1} columns were saved, which are too few"),
        ((*saved, saved[-1]), f"{size + 1} columns were saved, not {size}"),
    ):
        with pytest.raises(ValueError, match=message):
            remake(changed)


def test_columns_may_begin_anywhere():
    def shifted(column):
        """The column one byte further, and between others."""
        yield np.frombuffer(b"\0" + column.tobytes(), np.uint8)[1:].view(column.dtype)
        rows = np.zeros(len(column), [("first", "u1"), ("numbers", column.dtype)])
        rows["numbers"] = column
        yield rows["numbers"]
        yield np.repeat(column, 2)[::2]

    distances = random_distances()
    remake, (saved,) = distances.__reduce__()
    for k, column in enumerate(saved):
        for other in shifted(column):
            same_results(remake((*saved[:k], other, *saved[k + 1 :])), distances)
    buffers = []
    data = pickle.dumps(distances, protocol=5, buffer_callback=buffers.append)
    moved = [memoryview(b"\0" + bytes(it.raw()))[1:] for it in buffers]
    same_results(pickle.loads(data, buffers=moved), distances)


def random_distances():
    rng = np.random.default_rng(7)
    spheres = phalanx.Spheres(rng.uniform(0, 4, (100, 3)).astype("f4"), 0.5)
    return phalanx.Detector().distance(spheres, spheres, phalanx.one_to_all(0))


def test_pairs():
    for pairs in (phalanx.zip(), phalanx.one_to_all(0), phalanx.one_to_all(2**32 - 1)):
        for other in remade(pairs):
            assert type(other) is phalanx.Pairs and repr(other) == repr(pairs)
            np.testing.assert_array_equal(other.array(3), pairs.array(3))


def test_detectors():
    lanes = [lanes for _, lanes in phalanx.instruction_sets()]
    for settings in (
        {},
        {"parallel": False, "margin": 0.1},
        {"strict": True, "simd": lanes[0]},
        {"approaching": True, "simd": lanes[-1], "margin": 2.0},
    ):
        detector = phalanx.Detector(**settings)
        for other in remade(detector):
            assert repr(other) == repr(detector) and other is not detector
    # The best instruction set is that of the other CPU, any other one is kept.
    best, lowest = (phalanx.Detector(simd=lanes).__reduce__()[1] for lanes in (max(lanes), min(lanes)))
    assert best[2] is None and lowest[2] == (min(lanes) if len(lanes) > 1 else None)


def test_arrow_arrays_say_what_to_do():
    spheres = phalanx.Spheres([[0, 0, 0]], 1.0)
    array = phalanx.Detector().overlap(spheres, spheres, phalanx.zip()).to_arrow()
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"pass it to an Arrow library first, such as by pyarrow.array\(it\)"):
            copied(array)


def contacts_of(arguments):
    detector, a, b, pairs = arguments
    return detector.contact(a, b, pairs), detector.nearest(a, b, 0.5)


def test_results_of_other_processes():
    a, b = some_hulls(60), some_hulls(60)
    arguments = phalanx.Detector(parallel=False), a, b, phalanx.zip()
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        found = pool.submit(contacts_of, arguments).result(timeout=120)
    for result, other in zip(contacts_of(arguments), found, strict=True):
        assert result.count > 5
        same_results(result, other)


def test_managers():
    manager = CollisionManager()
    for name, x in (("left", 0.0), ("right", 1.5), ("far", 9.0)):
        manager.add_object(name, trimesh.creation.icosphere(2), trimesh.transformations.translation_matrix([x, 0, 0]))
    cube = trimesh.creation.box((2, 2, 2))
    for other in (pickle.loads(pickle.dumps(manager)), copy.deepcopy(manager)):
        assert other.in_collision_internal(return_names=True) == (True, {("left", "right")})
        assert other.min_distance_single(cube) == manager.min_distance_single(cube)
        # A copy moves alone.
        other.set_transform("right", trimesh.transformations.translation_matrix([4, 0, 0]))
        assert not other.in_collision_internal() and manager.in_collision_internal()
