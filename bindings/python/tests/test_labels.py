"""Labels: suppression, matrices of the IoU, tables of yaw angles, all against plain loops."""

import numpy as np
import phalanx
import pyarrow as pa
import pytest
from child import child

F = np.float32


def some_boxes(n, rng, *, spread=6):
    center = rng.uniform(0, spread, (n, 3)).astype(F)
    return phalanx.Obbs.from_yaw(center, rng.uniform(1, 4, (n, 3)).astype(F), rng.uniform(-4, 4, n))


def every_iou(a, b):
    """The IoU of all pairs, by `iou`."""
    n, m = len(a), len(b)
    pairs = np.stack(np.meshgrid(np.arange(n), np.arange(m), indexing="ij"), -1).reshape(-1, 2)
    return phalanx.Detector().iou(a, b, pairs).reshape(n, m)


def remaining(iou, scores, threshold, keys):
    """Greedy suppression, box by box."""
    kept = []
    for i in sorted(range(len(scores)), key=lambda i: (-scores[i], i)):
        if not np.isnan(iou[i, i]) and all(iou[i, j] <= threshold or keys[i] != keys[j] for j in kept):
            kept.append(i)
    return kept


@pytest.mark.filterwarnings("ignore:invalid shapes:RuntimeWarning")
def test_suppression():
    rng = np.random.default_rng(17)
    for n, threshold in [(0, 0.5), (1, 0.5), (150, 0.0), (150, 0.3), (150, 0.7), (150, 1.0)]:
        boxes = some_boxes(n, rng)
        if n > 1:
            half = np.stack(boxes.half_extents, 1)
            half[[3, 9]] = -1
            boxes = phalanx.Obbs(np.stack(boxes.center, 1), half, np.stack(boxes.rotation, 1))
        # Equal scores are among them, of either sign of zero.
        scores = np.round(rng.normal(size=n), 1) * 1.0
        keys = rng.integers(0, 3, n)
        iou = every_iou(boxes, boxes)
        detector = phalanx.Detector()
        kept = detector.nms(boxes, scores, threshold)
        assert kept.dtype == np.int64 and kept.tolist() == remaining(iou, scores, threshold, np.zeros(n))
        assert detector.nms(boxes, scores, threshold, keys=keys).tolist() == remaining(iou, scores, threshold, keys)
        assert detector.nms(boxes.bounds(), scores.astype(F), threshold).tolist() == remaining(
            every_iou(boxes.bounds(), boxes.bounds()), scores.astype(F), threshold, np.zeros(n)
        )


def test_bad_suppression():
    boxes = some_boxes(3, np.random.default_rng(0))
    for scores, threshold, more, error, message in [
        ([1, 2], 0.5, {}, ValueError, "scores are for 2 boxes, but there are 3"),
        ([1, np.nan, 2], 0.5, {}, ValueError, r"scores\[1\] is nan"),
        (1.0, 0.5, {}, TypeError, "scores is a number, not one for each box"),
        (["a"] * 3, 0.5, {}, TypeError, "scores has dtype <U1"),
        ([1, 2, 3], 1.5, {}, ValueError, "threshold is 1.5, not between 0 and 1"),
        ([1, 2, 3], np.nan, {}, ValueError, "threshold is NaN"),
        ([1, 2, 3], 0.5, {"keys": [1, 2]}, ValueError, r"keys has shape \(2,\), not \(3,\)"),
    ]:
        with pytest.raises(error, match=message):
            phalanx.Detector().nms(boxes, scores, threshold, **more)
    spheres = phalanx.Spheres(np.zeros((3, 3), F), 1.0)
    for given, message in [(spheres, "boxes is Spheres, not Aabbs or Obbs"), (3, "boxes is of type int, not one of")]:
        with pytest.raises(TypeError, match=message):
            phalanx.Detector().nms(given, [1, 2, 3], 0.5)
    with pytest.raises(ValueError, match="keys of nms are one array"):
        phalanx.Detector().nms(boxes, [1, 2, 3], 0.5, keys=([1, 2, 3], [1, 2, 4]))


@pytest.mark.filterwarnings("ignore:invalid shapes:RuntimeWarning")
def test_matrices():
    rng = np.random.default_rng(18)
    detector = phalanx.Detector()
    a, b = some_boxes(40, rng), some_boxes(30, rng).bounds()
    low = np.stack(b.min, 1)
    low[4] = np.nan
    b = phalanx.Aabbs(low, np.stack(b.max, 1))
    for first, second in ((a, b), (b, a), (a, a), (b, b)):
        expected = every_iou(first, second)
        np.testing.assert_array_equal(detector.iou_matrix(first, second), expected)
        keys = rng.integers(0, 5, len(first)), rng.integers(2, 7, len(second))
        if first is second:
            keys = (keys[0], keys[0])
        found = detector.iou_matrix(first, second, keys=keys)
        assert list(found) == sorted({*keys[0].tolist(), *keys[1].tolist()})
        for key, (rows, columns, matrix) in found.items():
            np.testing.assert_array_equal(rows, np.flatnonzero(keys[0] == key))
            np.testing.assert_array_equal(columns, np.flatnonzero(keys[1] == key))
            np.testing.assert_array_equal(matrix, expected[np.ix_(rows, columns)])
    # Other keys of one store: boxes of a frame with those of the next.
    frame = rng.integers(0, 3, 40)
    found = detector.iou_matrix(a, a, keys=(frame, frame - 1))
    rows, columns, matrix = found[1]
    np.testing.assert_array_equal(matrix, every_iou(a, a)[np.ix_(frame == 1, frame == 2)])
    for keys in (frame, (frame, frame.copy())):
        np.testing.assert_array_equal(
            detector.iou_matrix(a, a, keys=keys)[2][2], every_iou(a, a)[np.ix_(frame == 2, frame == 2)]
        )
    scores = rng.normal(size=40)
    assert (
        detector.nms(a, scores, 0.2, keys=(frame, frame.copy())).tolist()
        == detector.nms(a, scores, 0.2, keys=frame).tolist()
    )


@pytest.mark.parametrize("filters", ["body", "groups"])
def test_groups_and_bodies_of_labels(filters):
    rng, n = np.random.default_rng(24), 60
    plain, detector = some_boxes(n, rng, spread=3), phalanx.Detector()
    bits = rng.integers(0, 4, n)
    # Boxes of equal bodies never meet, nor do those of groups without a common bit.
    meet = bits[:, None] != bits if filters == "body" else (bits[:, None] & bits) != 0
    boxes = phalanx.Obbs(
        np.stack(plain.center, 1),
        np.stack(plain.half_extents, 1),
        np.stack(plain.rotation, 1),
        **{filters: bits if filters == "body" else np.stack([bits, bits], 1)},
    )
    iou = every_iou(plain, plain)
    with_itself = np.where(meet | np.eye(n, dtype=bool), iou, 0)
    assert (with_itself != iou).sum() > 100
    np.testing.assert_array_equal(detector.iou_matrix(boxes, boxes), with_itself)
    np.testing.assert_array_equal(detector.iou_matrix(boxes, boxes.copy()), np.where(meet, iou, 0))
    frame = rng.integers(0, 3, n)
    for rows, columns, matrix in detector.iou_matrix(boxes, boxes, keys=frame).values():
        np.testing.assert_array_equal(matrix, with_itself[np.ix_(rows, columns)])
    scores = rng.normal(size=n)
    for keys in (np.zeros(n, int), frame):
        assert detector.nms(boxes, scores, 0.1, keys=keys).tolist() == remaining(with_itself, scores, 0.1, keys)


def test_a_matrix_without_memory_is_an_error():
    # Matrices of 12.8 GB in a process that has 8 GB.
    said = child("""
import resource
import numpy as np, phalanx
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
low = np.zeros((40_000, 3), np.float32)
low[:, 0] = 2 * np.arange(40_000)
boxes, detector = phalanx.Aabbs(low, low + 1), phalanx.Detector(parallel=False)
for keys in (None, np.full(40_000, 7)):
    try:
        print(detector.iou_matrix(boxes, boxes, keys=keys))
    except MemoryError as error:
        print(error)
""")
    assert said.splitlines() == [
        "iou_matrix would have 40000 x 40000 numbers; pass keys=",
        "iou_matrix of key 7 would have 40000 x 40000 numbers",
    ]


def test_bottom_or_middle():
    center, size = np.array([[1, 2, 3], [4, 5, 6]], F), np.array([[4, 2, 1], [5, 2, 3]], F)
    bottom = phalanx.Obbs.from_yaw(center, size, 0.5, z="bottom")
    assert bottom.center[2].tolist() == [3.5, 7.5] and bottom.center[0].tolist() == [1, 4]
    columns = tuple(np.ascontiguousarray(column) for column in center.T)
    assert phalanx.Obbs.from_yaw(columns, size, 0.5, z="bottom").center[2].tolist() == [3.5, 7.5]
    assert phalanx.Obbs.from_yaw(center, (4, 2, 1), [0, 1], z="bottom").center[2].tolist() == [3.5, 6.5]
    assert phalanx.Obbs.from_yaw((1, 2, 3), size, 0, z="bottom").center[2].tolist() == [3.5, 4.5]
    assert phalanx.Obbs.from_yaw((1, 2, 3), (2, 2, 2), 0, z="bottom").center[2].tolist() == [4]
    assert phalanx.Obbs.from_yaw(center, size, 0.5, z="middle").center[2].tolist() == [3, 6]
    with pytest.raises(ValueError, match='z is "top", not "middle" or "bottom"'):
        phalanx.Obbs.from_yaw(center, size, 0.5, z="top")
    with pytest.raises(ValueError, match="size is for 1 shapes, but center for 2"):
        phalanx.Obbs.from_yaw(center, size[:1], 0.5, z="bottom")


@pytest.mark.parametrize(
    "names", ["x y z length width height yaw", "center_x center_y center_z size_x size_y size_z yaw"]
)
def test_tables_of_yaw_angles(names):
    rng = np.random.default_rng(19)
    center, size = rng.uniform(-9, 9, (20, 3)).astype(F), rng.uniform(1, 5, (20, 3)).astype(F)
    yaw, way = rng.uniform(-4, 4, 20).astype(F), rng.uniform(-1, 1, (20, 3)).astype(F)
    columns = [*center.T, *size.T, yaw]
    table = pa.table(dict(zip(names.split(), columns, strict=True)))
    for z in ("middle", "bottom"):
        expected = phalanx.Obbs.from_yaw(center, size, yaw, z=z)
        boxes = phalanx.Obbs.from_yaw_arrow(table, z=z)
        for name in ("center", "half_extents", "rotation"):
            np.testing.assert_array_equal(getattr(boxes, name), getattr(expected, name))
        assert not boxes.is_view and not np.any(boxes.displacement)
    moving = table
    for name, column in zip(["dx", "dy", "dz"], way.T, strict=True):
        moving = moving.append_column(name, pa.array(column))
    np.testing.assert_array_equal(phalanx.Obbs.from_yaw_arrow(moving).displacement, way.T)
    turn = rng.uniform(-1, 1, (20, 3)).astype(F)
    for rows, displacement in ((table, 0 * way), (moving, way)):
        turning = rows
        for name, column in zip(["turn_x", "turn_y", "turn_z"], turn.T, strict=True):
            turning = turning.append_column(name, pa.array(column))
        boxes = phalanx.Obbs.from_yaw_arrow(turning)
        np.testing.assert_array_equal(boxes.turn, turn.T)
        np.testing.assert_array_equal(boxes.displacement, displacement.T)
    with pytest.raises(TypeError, match="have no field .label."):
        phalanx.Obbs.from_yaw_arrow(table.append_column("label", pa.array(["car"] * 20)))
    labels = table.append_column("label", pa.array(["car"] * 20))
    assert len(phalanx.Obbs.from_yaw_arrow(labels, extra="ignore")) == 20
    nulls = table.set_column(6, "yaw", pa.array([None, *yaw[1:]], pa.float32()))
    with pytest.raises(ValueError, match="shape 0 is invalid"):
        phalanx.Obbs.from_yaw_arrow(nulls).validate()
    with pytest.raises(
        TypeError, match=r"Obbs lack the field .yaw.; they have center_x, .* size_z \(or length, width, height\), yaw"
    ):
        phalanx.Obbs.from_yaw_arrow(table.drop_columns("yaw"))
    with pytest.raises(TypeError, match="yaw of Obbs has type Float64"):
        phalanx.Obbs.from_yaw_arrow(table.set_column(6, "yaw", pa.array(yaw.astype(float))))


def test_columns_of_a_larger_array():
    """Labels in rows of seven, as KITTI has them."""
    rows = np.random.default_rng(7).uniform(1, 4, (9, 7)).astype(F)
    whole = phalanx.Obbs.from_yaw(rows[:, :3].copy(), rows[:, 3:6].copy(), rows[:, 6])
    columns = phalanx.Obbs.from_yaw(tuple(rows[:, :3].T), (rows[:, 3], rows[:, 4], rows[:, 5]), rows[:, 6])
    for one, other in zip(whole.center + whole.rotation, columns.center + columns.rotation, strict=True):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(
        ValueError, match=r"size has shape \(3,\), not \(n, 3\); for the same in all rows, pass a tuple of 3 numbers"
    ):
        phalanx.Obbs.from_yaw(rows[:, :3], np.array([4, 2, 1.5], F), 0.0)
