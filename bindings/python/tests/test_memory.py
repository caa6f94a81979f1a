"""Changed, masked and unaligned arrays: exceptions or right results, and no stray read."""

import numpy as np
import phalanx
import pytest
from child import child
from shapes import KINDS, STORES, arguments, random_shapes

F = np.float32
DETECTOR = phalanx.Detector()


def test_dtype_set_after_the_store_was_made_is_no_stray_read():
    # Large arrays: a read outside of them hits memory that is not mapped.
    said = child("""
import numpy as np, phalanx
x = np.zeros(1 << 24, np.float32)
store = phalanx.Spheres(center=(x, x, x), radius=x)
fine = phalanx.Spheres(center=[[0, 0, 0]], radius=1.0)
x.dtype = np.uint8
detector = phalanx.Detector()
calls = [lambda: len(store), lambda: repr(store), store.validate, store.copy, store.bounds]
for one, other in ((store, store), (fine, store), (store, fine)):
    verbs = [detector.overlap, detector.sweep, detector.contact, detector.sweep_contacts]
    for verb in (*verbs, detector.distance, detector.distance_points):
        calls.append(lambda one=one, other=other, verb=verb: verb(one, other, phalanx.zip()))
    calls.append(lambda one=one, other=other: detector.impact(one, other, phalanx.zip(), 1e-3))
    calls.append(lambda one=one, other=other: detector.candidates(one, other))
    calls.append(lambda one=one, other=other: detector.nearest(one, other, 1.0))
for call in calls:
    try:
        print("answered", call())
    except TypeError as error:
        print(error)
""")
    lines = said.splitlines()
    assert len(lines) == 32
    assert all(line.startswith("center[0] has dtype uint8 now, not float32") for line in lines), lines


def test_state_set_after_the_store_was_made_is_no_stray_read():
    said = child("""
import numpy as np, phalanx
n = 1 << 24
x, y = np.zeros(n, np.float32), np.zeros(n, np.float32)
store = phalanx.Spheres(center=(y, y, x), radius=1.0 + y)
x.__setstate__((1, (4 * n,), np.dtype("u1"), False, bytes(4 * n)))
try:
    phalanx.Detector().overlap(store, store, phalanx.one_to_all(0))
except TypeError as error:
    print(error)
""")
    assert said.startswith("center[2] has dtype uint8 now, not float32")


@pytest.mark.parametrize("dtype", ["int32", ">f4", "uint32", "f2,f2"])
def test_dtype_of_the_same_size_is_not_read_as_floats(dtype):
    x = np.zeros(4, F)
    store = phalanx.Spheres(center=(x, x.copy(), x.copy()), radius=1.0 + x)
    x.dtype = dtype
    for call in (lambda: len(store), store.validate, lambda: DETECTOR.overlap(store, store, phalanx.zip())):
        with pytest.raises(TypeError, match=r"center\[0\] has dtype .* now, not float32"):
            call()
    x.dtype = F
    assert DETECTOR.overlap(store, store, phalanx.zip()).count == 4


@pytest.mark.parametrize("kind", KINDS)
def test_each_column_that_changed_is_named(kind):
    shapes = random_shapes(kind, 8, np.random.default_rng(1))
    columns = iter(shapes.columns())
    given, named = {}, []
    for name, axes in arguments(kind).items():
        parts = tuple(next(columns) for _ in range(axes))
        given[name] = parts if axes > 1 else parts[0]
        named += [(f"{name}[{k}]" if axes > 1 else name, part) for k, part in enumerate(parts)]
    store = STORES[kind](**given)
    for name, column in named:
        column.dtype = np.int32
        with pytest.raises(TypeError) as raised:
            len(store)
        assert str(raised.value).startswith(f"{name} has dtype int32 now, not float32")
        column.dtype = F
        column.shape = (2, 4)
        with pytest.raises(ValueError) as raised:
            len(store)
        assert str(raised.value).startswith(f"{name} has shape (2, 4) now")
        column.shape = (8,)
        assert len(store) == 8


@pytest.mark.filterwarnings("ignore:Setting the strides:DeprecationWarning")
def test_strides_set_after_the_store_was_made_are_an_error():
    x = np.zeros(8, F)[:4]
    store = phalanx.Spheres(center=(np.zeros(4, F), x, np.zeros(4, F)), radius=1.0 + np.zeros(4, F))
    x.strides = (8,)
    for call in (lambda: len(store), store.bounds, lambda: DETECTOR.candidates(store, store)):
        with pytest.raises(ValueError, match=r"center\[1\] is no longer contiguous"):
            call()
    x.strides = (4,)
    assert len(store) == 4


def test_pairs_whose_conversion_changes_a_column_are_no_stray_read():
    # Python code runs while pairs are converted; columns are read after it.
    said = child("""
import numpy as np, phalanx
x = np.zeros(1 << 24, np.float32)
store = phalanx.Spheres(center=(x, x, x), radius=x)
class Pairs:
    def __array__(self, dtype=None, copy=None):
        x.dtype = np.uint8
        return np.zeros((1, 2), np.uint32)
try:
    phalanx.Detector().overlap(store, store, Pairs())
except TypeError as error:
    print(error)
""")
    assert said.startswith("center[0] has dtype uint8 now, not float32")


def test_dtype_set_by_another_thread_during_a_call_is_harmless():
    child("""
import threading, time
import numpy as np, phalanx
n = 200_000
x = np.zeros(n, np.float32)
store = phalanx.Spheres(center=(x, x, x), radius=x)
pairs = np.random.default_rng(0).integers(0, n, (2_000_000, 2)).astype(np.uint32)
answered = []
def ask():
    end = time.monotonic() + 1
    while time.monotonic() < end or not answered:
        try:
            answered.append(phalanx.Detector(parallel=False).overlap(store, store, pairs).count)
        except (TypeError, ValueError):
            time.sleep(0)
asking = threading.Thread(target=ask)
asking.start()
while asking.is_alive():
    for array, own in ((x, np.float32), (pairs, np.uint32)):
        array.dtype = np.uint8
        time.sleep(0.0005)
        array.dtype = own
        time.sleep(0.0005)
assert set(answered) == {2_000_000}, answered
""")


def test_pairs_of_a_changed_dtype_are_read_by_their_values():
    x = np.zeros(4, F)
    store = phalanx.Spheres(center=(x, x, x), radius=1.0)
    pairs = np.array([[0, 1], [2, 3]], np.uint32)
    overlaps = DETECTOR.overlap(store, store, pairs)
    pairs.dtype = np.float32
    for call in (lambda: DETECTOR.overlap(store, store, pairs), lambda: overlaps.pairs(pairs)):
        with pytest.raises(TypeError, match="pairs have dtype float32"):
            call()
    pairs.dtype = ">u4"
    with pytest.raises(IndexError, match=r"pair 0 is out of bounds: \(0, 16777216\)"):
        DETECTOR.overlap(store, store, pairs)


MASKED = np.ma.masked_array(np.ones(4, F), [False, True, False, False])


@pytest.mark.parametrize(
    ("center", "radius", "name"),
    [
        ((MASKED, np.ones(4, F), np.ones(4, F)), 1.0, r"center\[0\]"),
        ((np.ones(4, F), np.ones(4, F), MASKED), 1.0, r"center\[2\]"),
        (np.ma.masked_array(np.ones((4, 3), F), True), 1.0, "center"),
        (np.ma.masked_array(np.ones((4, 3), F)), 1.0, "center"),
        ([MASKED[:3], MASKED[:3]], 1.0, "center"),
        ([np.ma.masked_array(np.ones(3, F), True)], 1.0, "center"),
        ([[1.0, 2.0, np.ma.masked]], 1.0, "center"),
        (np.ones((4, 3), F), MASKED, "radius"),
        (np.ones((4, 3), F), np.ma.masked, "radius"),
        (np.ones((4, 3), F), [1.0, np.ma.masked], "radius"),
        (np.ones((4, 3), F), np.ma.masked_array(F(1), True), "radius"),
    ],
)
def test_masked_columns_are_refused(center, radius, name):
    with pytest.raises(TypeError, match=rf"{name} .*MaskedArray.*: fill it first, .*\.filled\(numpy\.nan\)"):
        phalanx.Spheres(center=center, radius=radius)


def test_masked_motion_and_arrays_behind_an_interface_are_refused():
    class Behind:
        def __init__(self, array):
            self.array = array

        def __len__(self):
            return len(self.array)

        def __array__(self, dtype=None, copy=None):
            return self.array

    ones = np.ones((4, 3), F)
    with pytest.raises(TypeError, match=r"displacement\[1\] .*MaskedArray"):
        phalanx.Spheres(center=ones, radius=1.0, displacement=(0.0, MASKED, 0.0))
    with pytest.raises(TypeError, match="radius .*MaskedArray"):
        phalanx.Spheres(center=ones, radius=Behind(MASKED))
    # The cure in the message.
    column = MASKED.filled(np.nan)
    store = phalanx.Spheres(center=(column, column, column), radius=1.0)
    assert DETECTOR.overlap(store, store, phalanx.zip()).invalid.tolist() == [False, True, False, False]


@pytest.mark.parametrize(
    "pairs",
    [
        np.ma.masked_array(np.zeros((2, 2), np.uint32), [[False, False], [True, False]]),
        np.ma.masked_array(np.zeros((2, 2), np.int64), True),
        np.ma.masked_array(np.zeros((0, 2), np.uint32)),
        [np.ma.masked_array(np.zeros(2, np.int64), True), np.zeros(2, np.int64)],
        [[0, np.ma.masked]],
        [(0, np.ma.masked_array(1, True))],
    ],
)
def test_masked_pairs_are_refused(pairs):
    store = phalanx.Spheres(center=np.zeros((4, 3), F), radius=1.0)
    overlaps = DETECTOR.overlap(store, store, [[0, 0], [1, 1]])
    sweeps = DETECTOR.sweep(store, store, [[0, 0], [1, 1]])
    calls = [getattr(DETECTOR, verb) for verb in ("overlap", "sweep", "contact", "sweep_contacts")]
    calls = [lambda call=call: call(store, store, pairs) for call in calls]
    for call in [*calls, lambda: overlaps.pairs(pairs), lambda: sweeps.first_hits(pairs)]:
        with pytest.raises(TypeError, match="pairs .*MaskedArray.*: drop the masked rows first, .*compress_rows"):
            call()
    rows = np.ma.masked_array(np.zeros((2, 2), np.uint32), [[False, False], [True, False]])
    assert DETECTOR.overlap(store, store, np.ma.compress_rows(rows)).count == 1


def unaligned(array, by=1):
    """A copy of an array that begins at an odd address."""
    raw = np.zeros(array.nbytes + by, np.uint8)
    copy = raw[by:].view(array.dtype).reshape(array.shape)
    copy[...] = array
    assert not copy.flags.aligned
    return copy


def test_unaligned_arrays_are_copied_right():
    rng = np.random.default_rng(2)
    shapes = random_shapes("obb", 300, rng)
    aligned = shapes.copied()
    pairs = rng.integers(0, 300, (2000, 2)).astype(np.uint32)
    expected = DETECTOR.overlap(aligned, aligned, pairs)
    assert 0 < expected.count < 2000
    layouts = [
        lambda x: unaligned(x, 1),
        lambda x: unaligned(x, 3),
        lambda x: unaligned(x[::-1], 5)[::-1],
        lambda x: unaligned(np.ascontiguousarray(x.T)).T,
        packed,
    ]
    for layout in layouts:
        store = phalanx.Obbs(**{name: layout(x) for name, x in shapes.values.items()})
        for name in arguments("obb"):
            for ours, theirs in zip(getattr(store, name), getattr(aligned, name), strict=True):
                np.testing.assert_array_equal(ours, theirs)
                assert ours.flags.aligned
        for dtype in (np.uint32, np.int32, np.int64, np.uint64, ">u4", np.uint16):
            answers = DETECTOR.overlap(store, store, layout(pairs.astype(dtype)))
            np.testing.assert_array_equal(answers.hits, expected.hits)
        np.testing.assert_array_equal(expected.pairs(layout(pairs)), expected.pairs(pairs))


def packed(array):
    """A copy of an array within packed records of 1 + 4 bytes a number."""
    records = np.zeros(array.shape, [("skip", "u1"), ("x", array.dtype)])
    records["x"] = array
    assert not records["x"].flags.aligned
    return records["x"]


def test_unaligned_columns_are_no_views():
    x = unaligned(np.ones(4, F))
    with pytest.raises(ValueError, match=r"center\[1\] is not aligned in memory, and a column is read in place"):
        phalanx.Spheres(center=(np.ones(4, F), x, x), radius=1.0)
    with pytest.raises(ValueError, match="radius is not aligned in memory"):
        phalanx.Spheres(center=np.ones((4, 3), F), radius=x)
