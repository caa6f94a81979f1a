"""Bad input: errors name the place and the value, and nothing panics."""

import itertools
import os
import subprocess
import sys
import threading
import warnings

import numpy as np
import phalanx
import pytest
from shapes import KINDS, STORES, longest_hold, random_shapes

F = np.float32


def zeros(n=4):
    return np.zeros(n, F)


def spheres(n=4, **more):
    return phalanx.Spheres(center=(zeros(n), zeros(n), zeros(n)), radius=1.0, **more)


@pytest.mark.parametrize(
    ("center", "radius", "error", "message"),
    [
        (np.zeros((4, 3)), 1.0, TypeError, r"center has dtype float64, not float32: .*\.astype\(numpy.float32\)"),
        (np.zeros((4, 3), int), 1.0, TypeError, "center has dtype int64, not float32"),
        (
            (np.zeros(4, ">f4"), zeros(), zeros()),
            1.0,
            TypeError,
            r"center\[0\] has dtype >f4, not float32: a column is",
        ),
        (np.zeros((4, 3), complex), 1.0, TypeError, "center has dtype complex128"),
        (np.zeros((4, 2), F), 1.0, ValueError, r"center has shape \(4, 2\), not \(n, 3\)"),
        (np.zeros(3, F), 1.0, ValueError, r"center has shape \(3,\), not \(n, 3\)"),
        (np.zeros((4, 3, 1), F), 1.0, ValueError, r"center has shape \(4, 3, 1\), not \(n, 3\)"),
        ([np.zeros(3)] * 3, 1.0, TypeError, "center has dtype float64"),
        ([[0, 0, 0], [1, 2]], 1.0, TypeError, "center is of type list, which numpy makes no array of"),
        ([["a", "b", "c"]], 1.0, TypeError, "center has dtype <U1"),
        ((zeros(), zeros()), 1.0, ValueError, "center is a tuple of 2, not of 3 columns"),
        ((zeros(), zeros(), zeros(5)), 1.0, ValueError, r"center\[2\] is for 5 shapes, but center\[0\] for 4"),
        ((zeros(), zeros(), np.zeros(4)), 1.0, TypeError, r"center\[2\] has dtype float64, not float32"),
        ((zeros(), zeros(8)[::2], zeros()), 1.0, ValueError, r"center\[1\] is not contiguous in memory"),
        ((zeros(), zeros(), np.zeros((4, 1), F)), 1.0, ValueError, r"center\[2\] has shape \(4, 1\)"),
        ((zeros(), [0.0] * 4, zeros()), 1.0, TypeError, r"center\[1\] is of type list, not a 1-D float32 array"),
        ((zeros(), "x", zeros()), 1.0, TypeError, r"center\[1\] has dtype <U1"),
        ((zeros(), None, zeros()), 1.0, TypeError, r"center\[1\] is of type NoneType"),
        (None, 1.0, TypeError, "center has dtype object"),
        ("abc", 1.0, TypeError, "center has dtype <U3"),
        (3, 1.0, TypeError, "center has dtype int64"),
        (np.zeros((4, 3), F), zeros(5), ValueError, "radius is for 5 shapes, but center for 4"),
        (np.zeros((4, 3), F), np.zeros(4), TypeError, "radius has dtype float64, not float32"),
        (np.zeros((4, 3), F), np.zeros((4, 2), F), ValueError, r"radius has shape \(4, 2\), not one number"),
        (np.zeros((4, 3), F), [1.0, 2.0], ValueError, "radius is for 2 shapes, but center for 4"),
        (np.zeros((4, 3), F), "1", TypeError, "radius has dtype <U1"),
        (np.zeros((4, 3), F), None, TypeError, "radius is of type NoneType, not a 1-D float32 array or a number"),
        (np.zeros((4, 3), F), (1.0, 2.0), TypeError, "radius is of type tuple, not a 1-D float32 array or a number"),
    ],
)
def test_columns(center, radius, error, message):
    with pytest.raises(error, match=message):
        phalanx.Spheres(center=center, radius=radius)


def test_columns_that_are_not_aligned():
    x = np.frombuffer(b"\0" * 17, F, 4, offset=1)
    with pytest.raises(ValueError, match=r"center\[0\] is not aligned in memory"):
        phalanx.Spheres(center=(x, x, x), radius=1.0)
    assert len(phalanx.Spheres(center=np.frombuffer(b"\0" * 49, F, 12, offset=1).reshape(4, 3), radius=1.0)) == 4


def test_numbers_of_python_are_rounded_to_the_nearest():
    with pytest.warns(RuntimeWarning, match="overflow"):
        store = phalanx.Spheres(center=[[0.1, 2, 3], (4, 5, 6)], radius=[0.1, 1e300], displacement=(0, 0.1, -1))
    assert store.center[0].tolist() == [F(0.1), 4] and store.displacement[1].tolist() == [F(0.1)] * 2
    assert store.radius.tolist() == [F(0.1), np.inf]
    with pytest.raises(ValueError, match="shape 1 is invalid: radius is inf, not finite"):
        store.validate()


def test_validate_names_the_first_bad_shape():
    rotation = np.array([[0, 0, 0, 1], [0, 0, 0, 2]], F)
    boxes = phalanx.Obbs(center=np.zeros((2, 3), F), half_extents=np.ones((2, 3), F), rotation=rotation)
    with pytest.raises(ValueError, match="shape 1 is invalid: rotation has length 2, not 1 within 0.001"):
        boxes.validate()
    with pytest.raises(ValueError, match=r"shape 0 is invalid: min\[1\] is 3, above max\[1\], 2"):
        phalanx.Aabbs(min=(0.0, 3.0, 0.0), max=(1.0, 2.0, 1.0)).validate()


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        (
            np.array([[0, 1], [2, 4]], np.uint32),
            IndexError,
            r"pair 1 is out of bounds: \(2, 4\), but the stores have 4 and 4 shapes",
        ),
        (np.array([[0, 1], [-1, 2]]), IndexError, r"pair 1 is \(-1, 2\), but indices are from 0 to 2\*\*32 - 1"),
        (np.array([[0, 2**32]]), IndexError, r"pair 0 is \(0, 4294967296\), but indices"),
        (np.array([[0, 1], [0, 2**64 - 1]], np.uint64), IndexError, r"pair 1 is \(0, 18446744073709551615\)"),
        (np.array([[0, 2**32]], np.uint64), IndexError, r"pair 0 is \(0, 4294967296\)"),
        (np.array([[-1, 0]], np.int8), IndexError, r"pair 0 is \(-1, 0\)"),
        (np.array([[0.0, 1.0]]), TypeError, "pairs have dtype float64, not uint32 or another integer"),
        (np.array([[True, False]]), TypeError, "pairs have dtype bool"),
        (np.array([0, 1], np.uint32), ValueError, r"pairs have shape \(2,\), not \(m, 2\)"),
        (np.zeros((2, 3), np.uint32), ValueError, r"pairs have shape \(2, 3\)"),
        (np.zeros((0, 3), np.int64), ValueError, r"pairs have shape \(0, 3\)"),
        ([[0, 1], [2]], TypeError, "pairs is of type list, which numpy makes no array of"),
        ([["a", "b"]], TypeError, "pairs have dtype <U1"),
        (None, TypeError, "pairs have dtype object"),
        (zip([0], [1], strict=True), TypeError, "pairs have dtype object"),
        ([[0, 2**70]], TypeError, "pairs have dtype object"),
    ],
)
def test_pairs(pairs, error, message):
    for verb in ("overlap", "sweep", "contact", "distance", "distance_points"):
        with pytest.raises(error, match=message):
            getattr(phalanx.Detector(), verb)(spheres(), spheres(), pairs)


def test_pairs_without_a_list():
    detector = phalanx.Detector()
    with pytest.raises(ValueError, match="zip needs stores of equal length: they have 4 and 5 shapes"):
        detector.overlap(spheres(4), spheres(5), phalanx.zip())
    with pytest.raises(IndexError, match="shape 4 is out of bounds: the store has 4 shapes"):
        detector.overlap(spheres(4), spheres(5), phalanx.one_to_all(4))
    for index in (-1, 2**32, 2**100, -(2**200)):
        with pytest.raises(IndexError, match=f"index is {index}, not from 0"):
            phalanx.one_to_all(index)
    with pytest.raises(TypeError, match="index is of type float, not an integer"):
        phalanx.one_to_all(1.5)
    for empty in ([], np.zeros((0, 2)), np.zeros((0, 2), np.uint32)):
        assert len(detector.overlap(spheres(), spheres(), empty)) == 0
    assert phalanx.one_to_all(7).array(2).tolist() == [[7, 0], [7, 1]]
    with pytest.raises(OverflowError, match=r"len is 4294967296, not at most 2\*\*32 - 1"):
        phalanx.zip().array(2**32)
    with pytest.raises(ValueError, match="pair list has 3 pairs, but the results are for 4"):
        detector.overlap(spheres(), spheres(), phalanx.zip()).pairs([[0, 0]] * 3)


def test_settings():
    for margin in (-1.0, np.nan, np.inf, 1e300):
        with pytest.raises(ValueError, match="margin is .*, not between 0 and"):
            phalanx.Detector(margin=margin)
    # 0.7 is between two numbers of float32: a margin and a radius are rounded up, so that nothing within them is lost.
    assert "margin=0.70000005" in repr(phalanx.Detector(margin=0.7))
    near = phalanx.Detector().nearest(spheres(1), phalanx.Points((9.0, 9.0, 9.0)), 0.7)
    assert near.lower[0] == np.nextafter(F(0.7), F(1)) > 0.7
    with pytest.raises(ValueError, match="this CPU has no 3 lanes, but 1, "):
        phalanx.Detector(simd=3)
    boxes = random_shapes("obb", 4, np.random.default_rng(0)).view()
    for tolerance in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="tolerance is .*, not between 0 and"):
            phalanx.Detector().impact(boxes, boxes, phalanx.zip(), tolerance)
    with pytest.raises(ValueError, match='during is "later", not "start", "frame" or "way"'):
        boxes.bounds("later")
    for lanes in [lanes for _, lanes in phalanx.instruction_sets()]:
        assert f"simd={lanes}" in repr(phalanx.Detector(simd=lanes))


def test_missing_kernel_error_lists_kernels():
    planes = phalanx.Planes(normal=(0.0, 1.0, 0.0), d=0.0)
    detector = phalanx.Detector()
    known = "Points, Spheres, Aabbs, Obbs, Triangles, Capsules, Hulls"
    with pytest.raises(TypeError, match=f"there is no overlap of Planes with Planes; Planes have one with {known}"):
        detector.overlap(planes, planes, phalanx.zip())
    with pytest.raises(
        TypeError, match="there is no impact of Spheres with Spheres; Spheres have one with Obbs, Hulls"
    ):
        detector.impact(spheres(), spheres(), phalanx.zip(), 1e-3)
    points = phalanx.Points(position=(0.0, 0.0, 0.0))
    with pytest.raises(TypeError, match="there is no impact of Points with Spheres; Points have one with nothing"):
        detector.impact(points, spheres(), phalanx.one_to_all(0), 1e-3)
    with pytest.raises(TypeError, match="b is Planes, which are unbounded"):
        detector.candidates(spheres(), planes)
    with pytest.raises(TypeError, match="a is of type int, not one of Points, Spheres"):
        detector.overlap(3, spheres(), [])
    with pytest.raises(TypeError, match="b is of type ndarray, not one of Points"):
        detector.overlap(spheres(), zeros(), [])


def test_invalid_shapes_are_flags_unless_strict():
    radius = np.array([1, np.nan, 1, -1], F)
    store = phalanx.Spheres(center=(zeros(), zeros(), zeros()), radius=radius)
    pairs = [[0, 2], [0, 1], [2, 3]]
    overlaps = phalanx.Detector().overlap(store, store, pairs)
    assert overlaps.mask.tolist() == [True, False, False] and overlaps.invalid.tolist() == [False, True, True]
    assert overlaps.invalid_count == 2
    message = r"pair 1 is \(0, 1\), but shape 1 of the second store is invalid: radius is NaN, not finite"
    with pytest.raises(ValueError, match=message):
        phalanx.Detector(strict=True).overlap(store, store, pairs)
    # No pair is left that a verb could flag, so candidates warn.
    with pytest.warns(RuntimeWarning, match="invalid shapes are in no pair: 2 of a, 2 of b; validate"):
        assert 1 not in phalanx.Detector().candidates(store, store)
    with pytest.raises(ValueError, match="shape 1 of the first store is invalid: radius is NaN, not finite"):
        phalanx.Detector(strict=True).candidates(store, store)
    good = phalanx.Spheres(center=(zeros(), zeros(), zeros()), radius=1.0)
    with pytest.warns(RuntimeWarning, match="0 of a, 2 of b"):
        phalanx.Detector().candidates(good, store)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(phalanx.Detector().candidates(good, good)) == len(zeros()) * (len(zeros()) - 1) // 2


def test_views_see_what_is_written_and_copies_do_not():
    x = zeros()
    view = phalanx.Spheres(center=(x, zeros(), zeros()), radius=1.0)
    copy = view.copy()
    rows = np.zeros((4, 3), F)
    of_rows = phalanx.Spheres(center=rows, radius=1.0)
    assert view.is_view and not copy.is_view and not of_rows.is_view
    x[1] = rows[1, 0] = 9
    assert view.center[0] is x
    counts = [phalanx.Detector().overlap(store, store, [[0, 1]]).count for store in (view, copy, of_rows)]
    assert counts == [0, 1, 1]
    # Read-only, as calls take them for unchanging.
    for column in (*copy.center, copy.radius, view.radius):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            column.flags.writeable = True


def test_arrays_keep_their_owner_alive():
    store = phalanx.Spheres(center=np.full((1000, 3), 7, F), radius=1.0)
    column = store.center[2]
    sweeps = phalanx.Detector().sweep(store, store, phalanx.zip())
    enter = sweeps.enter
    del store, sweeps
    assert (column == 7).all() and (enter == 0).all()


def test_column_shortened_after_the_store_is_an_error():
    x = zeros()
    view = phalanx.Spheres(center=(x, zeros(), zeros()), radius=1.0)
    x.resize(3, refcheck=False)
    with pytest.raises(ValueError, match="column 1 has length 4, but column 0 has length 3"):
        phalanx.Detector().overlap(view, view, [[0, 1]])


def test_calls_release_the_gil():
    boxes = random_shapes("obb", 10_000, np.random.default_rng(1)).copied()
    pairs = np.random.default_rng(2).integers(0, 10_000, (2_000_000, 2)).astype(np.uint32)
    assert longest_hold(lambda: phalanx.Detector(parallel=False).impact(boxes, boxes, pairs, 1e-5)) < 0.5


def test_one_detector_in_many_threads():
    boxes = random_shapes("obb", 2000, np.random.default_rng(3)).view()
    pairs = np.random.default_rng(4).integers(0, 2000, (50_000, 2)).astype(np.uint32)
    detector = phalanx.Detector()
    expected = detector.overlap(boxes, boxes, pairs).hits
    wrong = []

    def ask():
        for _ in range(5):
            if not np.array_equal(detector.overlap(boxes, boxes, pairs).hits, expected):
                wrong.append(1)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    detector.shrink()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_after_a_fork():
    # A child has none of the threads of its parent's pool.
    program = """
import os, signal, sys
import numpy as np, phalanx
rng = np.random.default_rng(5)
store = phalanx.Spheres(center=rng.random((20000, 3)).astype(np.float32), radius=0.01)
pairs = rng.integers(0, 20000, (2_000_000, 2)).astype(np.uint32)
ask = lambda: phalanx.Detector().overlap(store, store, pairs).hits.sum()
before = ask()
child = os.fork()
if child == 0:
    signal.alarm(60)
    os._exit(0 if ask() == before and len(phalanx.Detector().candidates(store, store)) else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=120).returncode == 0


def strange_values(rng):
    """Values of all sorts, of which few are right."""
    n = int(rng.integers(0, 6))
    arrays = [
        np.zeros((n, 3), F),
        np.zeros((n, 4), F),
        np.zeros((3, n), F).T,
        np.zeros((n, 3)),
        np.zeros(n, F),
        np.zeros(2 * n, F)[::2],
        np.zeros(n, np.int64),
        np.zeros((), F),
        np.zeros((n, 3, 2), F),
        np.full((n, 3), np.nan, F),
        np.array([None] * n, object),
        np.zeros((n, 3), F)[::-1],
        np.zeros(n, [("x", F)]),
        np.ma.masked_array(np.zeros((n, 3), F), True),
    ]
    others = [None, 1, -1.5, "x", b"x", [], {}, [[1.0, 2.0, 3.0]] * n, (1, 2, 3), (1, 2, 3, 4), object(), 2**200]
    others += [float("nan"), True, [[]], [None] * n, (zeros(n), zeros(n), zeros(n)), (zeros(n), 1.0, "x"), range(n)]
    others += [spheres(n), phalanx.zip(), np.float32(1), np.float64(1), 1j, memoryview(zeros(n)), (None,) * 3]
    values = arrays + others
    return values[rng.integers(0, len(values))]


@pytest.mark.filterwarnings("ignore:invalid shapes are in no pair:RuntimeWarning")
@pytest.mark.filterwarnings("ignore:invalid shapes are near nothing:RuntimeWarning")
def test_strange_values_never_panic():
    rng = np.random.default_rng(6)
    detector, made, refused, answered = phalanx.Detector(), [spheres()], 0, 0
    # A panic would be a BaseException, which is not caught here.
    for _ in range(6000):
        kind = KINDS[rng.integers(0, len(KINDS))]
        arity = {"plane": 2, "half_space": 2, "sphere": 2, "aabb": 2, "point": 1}.get(kind, 3)
        given = [strange_values(rng) for _ in range(arity)]
        motion = {"displacement": strange_values(rng)} if rng.random() < 0.3 else {}
        try:
            made.append(STORES[kind](*given, **motion))
        except (TypeError, ValueError, OverflowError):
            refused += 1
    for _ in range(600):
        try:
            made.append(phalanx.Obbs.from_yaw(*(strange_values(rng) for _ in range(3))))
        except (TypeError, ValueError, OverflowError):
            refused += 1
    verbs = ("overlap", "sweep", "contact", "impact", "candidates", "distance", "distance_points", "nearest", "iou")
    for verb, _ in itertools.product(verbs, range(800)):
        stores = [made[rng.integers(0, len(made))] for _ in range(2)]
        more = [strange_values(rng)] if verb != "candidates" else []
        more += [1e-3] if verb == "impact" else []
        try:
            getattr(detector, verb)(*stores, *more)
            answered += 1
        except (TypeError, ValueError, IndexError, OverflowError):
            refused += 1
    for _ in range(300):
        try:
            phalanx.Spheres.from_arrow(strange_values(rng))
        except (TypeError, ValueError):
            refused += 1
    assert len(made) > 50 and answered > 50 and refused > 1000
