"""Volumes in common, IoU and boxes from yaw, against closed forms, polyhedra by scipy, and samples."""

import itertools
from fractions import Fraction

import numpy as np
import phalanx
import pytest
from scipy.optimize import linprog
from scipy.spatial import ConvexHull, HalfspaceIntersection
from scipy.spatial.transform import Rotation
from shapes import random_pairs, random_shapes, rotated

F = np.float32


def obbs(center, half, rotation=(0, 0, 0, 1)):
    """Boxes of lists or arrays, rounded to float32."""
    center, half, rotation = (np.atleast_2d(np.asarray(x, F)) for x in (center, half, rotation))
    n = max(len(center), len(half), len(rotation))
    return phalanx.Obbs(*(np.ascontiguousarray(np.broadcast_to(x, (n, x.shape[1]))) for x in (center, half, rotation)))


def arrays(store):
    """The centers, half extents and axes (n, 3, 3), axes as rows, of boxes, in float64."""
    if isinstance(store, phalanx.Aabbs):
        low, high = (np.stack(column, 1).astype(float) for column in (store.min, store.max))
        return (low + high) / 2, (high - low) / 2, np.broadcast_to(np.eye(3), (len(store), 3, 3))
    center, half, rotation = (np.stack(c, 1).astype(float) for c in (store.center, store.half_extents, store.rotation))
    return center, half, np.stack([rotated(rotation, np.broadcast_to(unit, center.shape)) for unit in np.eye(3)], 1)


def halfspaces(center, half, axes):
    """The half-spaces of one box, as scipy has them: rows (normal, offset)."""
    normals = np.concatenate([axes, -axes])
    return np.column_stack([normals, -normals @ center - np.tile(half, 2)])


def volume_by_scipy(a, b):
    """The volume of the polyhedron of twelve half-spaces around its Chebyshev center."""
    planes = np.concatenate([halfspaces(*a), halfspaces(*b)])
    bounds = [(None, None)] * 3 + [(0, None)]
    inner = linprog([0, 0, 0, -1], np.column_stack([planes[:, :3], np.ones(12)]), -planes[:, 3], bounds=bounds)
    if not inner.success or inner.x[3] < 1e-9:
        return 0.0
    return ConvexHull(HalfspaceIntersection(planes, inner.x[:3]).intersections).volume


def boxes_and_pairs(kinds, seed, m):
    rng = np.random.default_rng(seed)
    stores = [random_shapes(kind, 300, rng, turning=False).copied() for kind in kinds]
    near = phalanx.Detector().candidates(*stores)
    near = near[rng.integers(0, len(near), m // 2)]
    return *stores, np.concatenate([near, random_pairs(300, 300, m - len(near), rng)])


@pytest.mark.parametrize("kinds", list(itertools.product(["aabb", "obb"], repeat=2)))
def test_volumes_equal_those_of_polyhedra(kinds):
    a, b, pairs = boxes_and_pairs(kinds, 20, 400)
    detector = phalanx.Detector()
    common, iou = detector.intersection_volume(a, b, pairs), detector.iou(a, b, pairs)
    assert common.dtype == iou.dtype == np.float64 and common.shape == iou.shape == (400,)
    (center_a, half_a, axes_a), (center_b, half_b, axes_b) = arrays(a), arrays(b)
    expected = np.array(
        [volume_by_scipy((center_a[i], half_a[i], axes_a[i]), (center_b[j], half_b[j], axes_b[j])) for i, j in pairs]
    )
    assert 40 < (expected > 0).sum() < 360
    np.testing.assert_allclose(common, expected, rtol=1e-7, atol=1e-10)
    union = 8 * half_a.prod(1)[pairs[:, 0]] + 8 * half_b.prod(1)[pairs[:, 1]] - expected
    np.testing.assert_allclose(iou, expected / union, rtol=1e-7, atol=1e-10)


def test_volumes_equal_shares_of_samples():
    a, b, pairs = boxes_and_pairs(["obb", "obb"], 21, 60)
    common = phalanx.Detector().intersection_volume(a, b, pairs)
    (center_a, half_a, axes_a), (center_b, half_b, axes_b) = arrays(a), arrays(b)
    rng, samples = np.random.default_rng(22), 20_000
    for (i, j), volume in zip(pairs, common, strict=True):
        points = center_a[i] + (rng.uniform(-1, 1, (samples, 3)) * half_a[i]) @ axes_a[i]
        share = (np.abs((points - center_b[j]) @ axes_b[j].T) <= half_b[j]).all(1).mean()
        whole = 8 * half_a[i].prod()
        expected = volume / whole
        assert abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / samples) + 1e-9


def test_axis_aligned_boxes_have_the_product_of_their_overlaps():
    a, b, pairs = boxes_and_pairs(["aabb", "aabb"], 23, 5000)
    low = np.maximum(np.stack(a.min, 1)[pairs[:, 0]], np.stack(b.min, 1)[pairs[:, 1]]).astype(float)
    high = np.minimum(np.stack(a.max, 1)[pairs[:, 0]], np.stack(b.max, 1)[pairs[:, 1]]).astype(float)
    expected = np.maximum(high - low, 0).prod(1)
    detector = phalanx.Detector()
    np.testing.assert_allclose(detector.intersection_volume(a, b, pairs), expected, rtol=1e-12)
    # Boxes of the same corners, turned by nothing, and by a quarter about each axis in turn: sides change places.
    center, half, _ = arrays(a)
    same = obbs(center, half)
    np.testing.assert_allclose(detector.intersection_volume(same, b, pairs), expected, rtol=1e-5, atol=1e-5)
    for k in range(3):
        quarter = Rotation.from_rotvec(np.pi / 2 * np.eye(3)[k])
        order = [0, 1, 2]
        order[k - 1], order[k - 2] = order[k - 2], order[k - 1]
        turned = obbs(center, half[:, order], quarter.as_quat())
        np.testing.assert_allclose(detector.intersection_volume(turned, b, pairs), expected, rtol=1e-5, atol=1e-5)


def test_coplanar_faces_on_a_grid():
    # Integers and quarter turns: every face, edge and corner may coincide with one of the other box.
    rng = np.random.default_rng(24)
    n = 4000
    turns = Rotation.create_group("O")
    center, half = rng.integers(-2, 3, (2, n, 3)), rng.integers(1, 3, (2, n, 3))
    which = rng.integers(0, len(turns), (2, n))
    stores = [obbs(c, h, turns[w].as_quat()) for c, h, w in zip(center, half, which, strict=True)]
    reach = [np.einsum("nij,nj->ni", np.abs(turns[w].as_matrix()), h) for h, w in zip(half, which, strict=True)]
    low = np.maximum(center[0] - reach[0], center[1] - reach[1])
    high = np.minimum(center[0] + reach[0], center[1] + reach[1])
    expected = np.maximum(high - low, 0).prod(1)
    common = phalanx.Detector().intersection_volume(*stores, phalanx.zip())
    assert (expected == 0).sum() > 100 and len(np.unique(expected.round())) > 10
    # Quaternions are rounded to float32.
    np.testing.assert_allclose(common, expected, atol=1e-5)


def test_square_prisms_turned_by_an_eighth_have_an_octagon_in_common():
    eighth = [0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)]
    a, b = obbs([0, 0, 0], [1, 1, 2]), obbs([0, 0, 1], [1, 1, 2], eighth)
    octagon = 8 * (np.sqrt(2) - 1)
    detector = phalanx.Detector()
    np.testing.assert_allclose(detector.intersection_volume(a, b, phalanx.zip()), [3 * octagon], rtol=1e-7)
    np.testing.assert_allclose(detector.iou(a, b, phalanx.zip()), [3 * octagon / (32 - 3 * octagon)], rtol=1e-7)


def test_plane_cuts_a_tetrahedron_and_a_hexagon_off_a_cube():
    cube = phalanx.Aabbs(min=(0.0, 0.0, 0.0), max=(1.0, 1.0, 1.0))
    diagonal = np.ones(3) / np.sqrt(3)
    rotation, _ = Rotation.align_vectors([diagonal], [[0, 0, 1]])
    for c in (0.25, 0.5, 1.0, 1.5, 2.0, 2.75, 3.0):
        # All points of x + y + z <= c, as far as the cube reaches.
        below = obbs(diagonal * (c / np.sqrt(3) - 64), [64, 64, 64], rotation.as_quat())
        terms = [(-1) ** k * n * max(c - k, 0) ** 3 for k, n in enumerate([1, 3, 3])]
        common = phalanx.Detector().intersection_volume(cube, below, phalanx.zip())
        np.testing.assert_allclose(common, [sum(terms) / 6], atol=3e-5)


def test_order_of_boxes_changes_no_bit():
    a, b, pairs = boxes_and_pairs(["obb", "obb"], 25, 3000)
    detector = phalanx.Detector()
    for measure in (detector.iou, detector.intersection_volume):
        np.testing.assert_array_equal(measure(a, b, pairs), measure(b, a, pairs[:, ::-1]))
    near = detector.iou(a, b, pairs)
    assert 300 < (near > 0).sum() < 2700 and near.min() == 0 and near.max() <= 1


def test_limits():
    detector = phalanx.Detector()
    turn = Rotation.from_rotvec([0.3, -1.1, 0.7]).as_quat()
    box, shifted = obbs([1, 2, 3], [1, 2, 3], turn), obbs([1, 2, 30], [1, 2, 3], turn)
    inner, flat = obbs([1.1, 2, 3], [0.1, 0.1, 0.2], turn[::-1]), obbs([1, 2, 3], [1, 2, 0], turn)
    opposite = obbs([1, 2, 3], [1, 2, 3], -turn)
    assert detector.iou(box, box, phalanx.zip()) == detector.iou(box, opposite, phalanx.zip()) == 1
    assert detector.iou(box, shifted, phalanx.zip()) == 0
    np.testing.assert_allclose(detector.iou(box, inner, phalanx.zip()), [0.016 / 48], rtol=1e-6)
    assert detector.iou(box, flat, phalanx.zip()) == detector.iou(flat, flat, phalanx.zip()) == 0
    assert detector.intersection_volume(flat, box, phalanx.zip()) == 0
    # Faces that touch.
    unit, beside = (phalanx.Aabbs(min=(x, 0.0, 0.0), max=(x + 1, 1.0, 1.0)) for x in (0.0, 1.0))
    assert detector.overlap(unit, beside, phalanx.zip()).count == 1
    assert detector.iou(unit, beside, phalanx.zip()) == 0
    # A quaternion of another length is the same rotation.
    longer = obbs([1, 2, 3], [1, 2, 3], turn * 1.0009)
    np.testing.assert_allclose(detector.iou(box, longer, phalanx.zip()), [1], rtol=1e-6)
    # Small far from the origin, and large with small.
    for scale in (1e-6, 1e6):
        center = np.float32([3, 4, 5]) * F(scale)
        a = phalanx.Obbs(center[None], np.full((1, 3), scale, F), np.float32([turn]))
        b = phalanx.Obbs(center[None], np.full((1, 3), scale / 2, F), np.float32([turn[::-1]]))
        np.testing.assert_allclose(detector.iou(a, b, phalanx.zip()), [1 / 8], rtol=1e-6)
    far = 2.0**20
    a, b = obbs([far, far, 0], [1, 1, 1], turn), obbs([far + 1, far, 0], [1, 1, 1], turn)
    near = obbs([0, 0, 0], [1, 1, 1], turn), obbs([1, 0, 0], [1, 1, 1], turn)
    np.testing.assert_allclose(detector.iou(a, b, phalanx.zip()), detector.iou(*near, phalanx.zip()), rtol=1e-12)


def test_boxes_of_any_scale_have_finite_volumes():
    rng = np.random.default_rng(29)
    n = 20_000
    scale = 10 ** rng.uniform(-15, 15, (2, n, 1))
    half = scale * 10 ** rng.uniform(-4, 0, (2, n, 3))
    center = rng.normal(size=(2, n, 3)) * half.max(0) * 0.3
    # Half of the boxes share axes with their partner, a tenth of them differs by a rounding error.
    rotation = rng.normal(size=(2, n, 4))
    rotation[1, ::2] = rotation[0, ::2]
    rotation[1, ::10] *= 1 + 1e-7 * rng.normal(size=(n // 10, 4))
    rotation /= np.linalg.norm(rotation, axis=2, keepdims=True)
    a, b = (obbs(*columns) for columns in zip(center, half, rotation, strict=True))
    detector = phalanx.Detector()
    common, iou = detector.intersection_volume(a, b, phalanx.zip()), detector.iou(a, b, phalanx.zip())
    least = np.minimum(*(8 * np.stack(store.half_extents, 1).astype(float).prod(1) for store in (a, b)))
    assert (common >= 0).all() and (common <= least).all() and (iou >= 0).all() and (iou <= 1).all()
    assert 1000 < (common > 0).sum() < n


def test_slides_change_the_volume_linearly():
    # A cube through a thin plate, on the way of all 3 axes of the plate: volumes of prisms.
    turn = Rotation.from_rotvec([0.2, 0.5, -0.9])
    plate = obbs([0, 0, 0], [9, 9, 0.25], turn.as_quat())
    for t in np.linspace(-1.25, 1.25, 41):
        cube = obbs(turn.apply([2, 3, t]), [1, 1, 1], turn.as_quat())
        thickness = max(min(t + 1, 0.25) - max(t - 1, -0.25), 0)
        common = phalanx.Detector().intersection_volume(plate, cube, phalanx.zip())
        np.testing.assert_allclose(common, [4 * thickness], atol=2e-5)


def test_threads_and_lists_change_no_bit():
    a, b, pairs = boxes_and_pairs(["obb", "aabb"], 26, 50_000)
    serial = phalanx.Detector(parallel=False).iou(a, b, pairs)
    assert (serial > 0).sum() > 5000
    np.testing.assert_array_equal(phalanx.Detector().iou(a, b, pairs), serial)
    np.testing.assert_array_equal(phalanx.Detector(margin=0.5).iou(a, b, pairs), serial)
    diagonal = np.stack([np.arange(300)] * 2, 1)
    np.testing.assert_array_equal(
        phalanx.Detector().iou(a, b, phalanx.zip()), phalanx.Detector().iou(a, b, diagonal.astype(np.int64))
    )
    assert phalanx.Detector().iou(a, b, phalanx.one_to_all(7)).shape == (300,)
    assert phalanx.Detector().iou(a, b, []).shape == (0,)


def test_invalid_boxes_are_nan():
    center = np.zeros((3, 3), F)
    center[1, 2] = np.nan
    boxes = phalanx.Obbs(center, (1.0, 1.0, 1.0), (0, 0, 0, 1))
    pairs = [[0, 2], [0, 1], [1, 2]]
    for measure, whole in (("iou", 1), ("intersection_volume", 8)):
        values = getattr(phalanx.Detector(), measure)(boxes, boxes, pairs)
        np.testing.assert_array_equal(values, [whole, np.nan, np.nan])
        with pytest.raises(ValueError, match=r"pair 1 is \(0, 1\), but shape 1 of the second store is invalid: center"):
            getattr(phalanx.Detector(strict=True), measure)(boxes, boxes, pairs)


def test_other_shapes_and_pairs_are_errors():
    box, sphere = obbs([0, 0, 0], [1, 1, 1]), phalanx.Spheres(center=(0.0, 0.0, 0.0), radius=1.0)
    detector = phalanx.Detector()
    with pytest.raises(TypeError, match="b is Spheres, not Aabbs or Obbs"):
        detector.iou(box, sphere, phalanx.zip())
    with pytest.raises(TypeError, match="a is Spheres, not Aabbs or Obbs"):
        detector.intersection_volume(sphere, box, phalanx.zip())
    with pytest.raises(IndexError, match=r"pair 0 is out of bounds: \(0, 1\), but the stores have 1 and 1 shapes"):
        detector.iou(box, box, [[0, 1]])


def test_boxes_from_yaw_equal_those_of_quaternions():
    rng = np.random.default_rng(27)
    center, size = rng.uniform(-9, 9, (50, 3)).astype(F), rng.uniform(0.1, 5, (50, 3)).astype(F)
    yaw = rng.uniform(-7, 7, 50)
    boxes = phalanx.Obbs.from_yaw(center, size, yaw, displacement=(1.0, 0.0, 0.0), turn=(0, 0, 0.5), body=3)
    assert not boxes.is_view and (boxes.displacement[0] == 1).all() and (boxes.body == 3).all()
    np.testing.assert_array_equal(boxes.turn[2], np.full(50, 0.5, F))
    np.testing.assert_array_equal(np.stack(boxes.center, 1), center)
    np.testing.assert_array_equal(np.stack(boxes.half_extents, 1), size / 2)
    expected = Rotation.from_rotvec(yaw[:, None] * [0, 0, 1]).as_quat()
    got = np.stack(boxes.rotation, 1)
    np.testing.assert_allclose(got * np.sign((got * expected).sum(1))[:, None], expected, atol=1e-7)
    boxes.validate()
    # The length points along (cos, sin).
    _, _, axes = arrays(boxes)
    np.testing.assert_allclose(axes[:, 0], np.stack([np.cos(yaw), np.sin(yaw), 0 * yaw], 1), atol=1e-6)
    # Columns, float32 and integers, and numbers for all.
    columns = phalanx.Obbs.from_yaw(tuple(np.ascontiguousarray(center.T)), tuple(np.ascontiguousarray(size.T)), yaw)
    np.testing.assert_array_equal(np.stack(columns.rotation), np.stack(boxes.rotation))
    np.testing.assert_array_equal(np.stack(columns.half_extents), np.stack(boxes.half_extents))
    same = phalanx.Obbs.from_yaw(center, (4.0, 2.0, 1.5), np.pi / 2)
    assert len(same) == 50 and same.half_extents[0][7] == 2 and same.rotation[2][9] == F(np.sin(np.pi / 4))
    for few in (np.float32([0, 1]), [0, 1], np.array([0, 1], np.int16)):
        assert phalanx.Obbs.from_yaw(center[:2], size[:2], few).rotation[2][1] == F(np.sin(0.5))


@pytest.mark.parametrize(
    ("center", "size", "yaw", "error", "message"),
    [
        (np.zeros((4, 3)), (1.0, 1.0, 1.0), 0.0, TypeError, "center has dtype float64, not float32: convert"),
        (np.zeros((4, 3), F), np.zeros((4, 3)), 0.0, TypeError, "size has dtype float64, not float32"),
        (np.zeros((4, 3), F), np.zeros((5, 3), F), 0.0, ValueError, "size is for 5 shapes, but center for 4"),
        (np.zeros((4, 3), F), (1.0, 1.0), 0.0, ValueError, "size is a tuple of 2, not of 3 columns"),
        (np.zeros((4, 3), F), (1.0, 1.0, 1.0), np.zeros(5), ValueError, "yaw is for 5 shapes, but center for 4"),
        (np.zeros((4, 3), F), (1.0, 1.0, 1.0), np.zeros((4, 1)), ValueError, r"yaw has shape \(4, 1\), not one number"),
        (np.zeros((4, 3), F), (1.0, 1.0, 1.0), "x", TypeError, "yaw has dtype <U1, not float64, float32 or an integer"),
        (np.zeros((4, 3), F), (1.0, 1.0, 1.0), None, TypeError, "yaw has dtype object"),
        (np.zeros((4, 3), F), (1.0, 1.0, 1.0), np.ma.zeros(4), TypeError, "yaw is a numpy.ma.MaskedArray"),
    ],
)
def test_bad_arguments_of_from_yaw_are_named(center, size, yaw, error, message):
    with pytest.raises(error, match=message):
        phalanx.Obbs.from_yaw(center, size, yaw)


def test_bad_numbers_of_from_yaw_are_flags():
    center = np.zeros((3, 3), F)
    boxes = phalanx.Obbs.from_yaw(center, np.float32([[1, 1, 1], [1, -1, 1], [1, 1, 1]]), [0, 0, np.nan])
    with pytest.raises(ValueError, match=r"shape 1 is invalid: half_extents\[1\] is -0.5"):
        boxes.validate()
    np.testing.assert_array_equal(np.isnan(phalanx.Detector().iou(boxes, boxes, phalanx.zip())), [False, True, True])


def test_depth_is_the_negated_separation():
    a, b, pairs = boxes_and_pairs(["obb", "obb"], 28, 500)
    contacts = phalanx.Detector(margin=0.1).contact(a, b, pairs)
    assert contacts.depth.dtype == np.float32 and (contacts.depth < 0).any() and (contacts.depth > 0).any()
    np.testing.assert_array_equal(contacts.depth, -contacts.separation)
    assert not np.signbit(contacts.depth[contacts.depth == 0]).any()


def test_upright_boxes_are_clipped_in_the_plane_with_the_same_volume():
    rng = np.random.default_rng(23)
    n = 20_000
    center, size = rng.uniform(-1, 1, (n, 3)).astype(np.float32), rng.uniform(0.1, 3, (n, 3)).astype(np.float32)
    yaw = rng.uniform(-np.pi, np.pi, n)
    # Equal yaws, right angles, equal boxes, common sides and flat boxes are among them.
    half = n // 2
    yaw[half : half + 4000] = yaw[:4000]
    yaw[half + 4000 : half + 5000] = yaw[4000:5000] + np.pi / 2
    size[half : half + 2000] = size[:2000]
    center[half : half + 1000] = center[:1000]
    center[half + 1000 : half + 1500, 0] = center[1000:1500, 0] + size[1000:1500, 0]
    size[6000:6100, 0] = 0
    size[6100:6200, 2] = 0
    center[7000:8000] += np.float32([1e5, -2e5, 0])
    center[half + 7000 : half + 8000] += np.float32([1e5, -2e5, 0])
    boxes = phalanx.Obbs.from_yaw(center, size, yaw)
    # So small a tilt changes no volume, but these boxes are clipped in space.
    x, _, z, w = (np.copy(column) for column in boxes.rotation)
    tilted = phalanx.Obbs(np.stack(boxes.center, 1), np.stack(boxes.half_extents, 1), (x + np.float32(1e-20), x, z, w))
    pairs = np.stack([np.arange(half), np.arange(half, n)], 1)
    detector = phalanx.Detector()
    for measure in (detector.iou, detector.intersection_volume):
        found, expected = measure(boxes, boxes, pairs), measure(tilted, tilted, pairs)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(found, measure(boxes, boxes, pairs[:, ::-1]))
        assert (found[:1000] >= (1 if measure == detector.iou else 1e-3)).all()
    assert np.mean(detector.iou(boxes, boxes, pairs) > 0) > 0.5


def exact_volume(a, b):
    """The volume that two upright boxes have in common, without rounding: columns of `upright_columns` as fractions."""

    def turned(turn):
        z, w = turn
        norm = z * z + w * w
        return (w * w - z * z) / norm, 2 * z * w / norm

    (center_a, half_a, turn_a), (center_b, half_b, turn_b) = a, b
    offset = [y - x for x, y in zip(center_a, center_b, strict=True)]
    height = min(half_a[2], offset[2] + half_b[2]) - max(-half_a[2], offset[2] - half_b[2])
    cos, sin = turned(turn_a)
    x, y = half_a[:2]
    corners = [(cos * i * x - sin * j * y, sin * i * x + cos * j * y) for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    cos, sin = turned(turn_b)
    for n, half in (((cos, sin), half_b[0]), ((-sin, cos), half_b[1])):
        for sign in (1, -1):
            limit = half + sign * (n[0] * offset[0] + n[1] * offset[1])
            heights = [sign * (n[0] * p[0] + n[1] * p[1]) - limit for p in corners]
            left = []
            for k, (p, h) in enumerate(zip(corners, heights, strict=True)):
                before, last = corners[k - 1], heights[k - 1]
                if (h > 0) != (last > 0):
                    t = last / (last - h)
                    left.append((before[0] + t * (p[0] - before[0]), before[1] + t * (p[1] - before[1])))
                if h <= 0:
                    left.append(p)
            corners = left
    twice = sum(corners[k - 1][0] * p[1] - corners[k - 1][1] * p[0] for k, p in enumerate(corners))
    return max(height, Fraction(0)) * twice / 2


def upright_columns(store):
    """The centers, half extents, and z and w of the quaternions, as fractions."""
    columns = (np.stack(x, 1) for x in (store.center, store.half_extents, store.rotation))
    center, half, rotation = ([[Fraction(float(x)) for x in row] for row in column] for column in columns)
    return list(zip(center, half, [row[2:] for row in rotation], strict=True))


def upright_pairs(kind, n, rng):
    """Boxes turned by yaw, and those they are paired with."""
    center, size, yaw = rng.uniform(-1, 1, (2, n, 3)), rng.uniform(0.1, 3, (2, n, 3)), rng.uniform(-7, 7, (2, n))
    slightly = rng.choice([-1, 1], n) * 10 ** rng.uniform(-12, -1, n)
    if kind == "shared sides":
        # The second box is within the slab of the first one, on one of its sides.
        inwards = np.abs(size[0, :, 1] - size[1, :, 1]) / 2
        across = np.stack([-np.sin(yaw[0]), np.cos(yaw[0]), 0 * yaw[0]], 1)
        center[1], yaw[1] = center[0] + inwards[:, None] * across, yaw[0]
    elif kind == "nearly parallel":
        yaw[1] = yaw[0] + rng.integers(0, 4, n) * np.pi / 2 + slightly
    elif kind == "nearly equal":
        size[1], yaw[1] = size[0], yaw[0] + slightly
        center[1] = center[0] + slightly[:, None] * rng.integers(0, 2, (n, 3))
    elif kind == "contained":
        center[1], size[1] = center[0], 0.1 * size[1]
    elif kind == "needles":
        size[..., 1] *= 10 ** rng.uniform(-6, 0, (2, n))
        center *= 0.3
    elif kind == "far":
        center += [1e5, -2e5, 10]
    elif kind == "sizes":
        size[1] *= 10 ** rng.uniform(-5, 5, (n, 1))
        center[1] = center[0] + center[1] * (size[0] + size[1]) / 2
    elif kind == "grid":
        center, size = center.round(), size.round() + 1
        yaw = rng.integers(0, 8, (2, n)) * np.pi / 4
    return [phalanx.Obbs.from_yaw(c.astype(F), s.astype(F), y) for c, s, y in zip(center, size, yaw, strict=True)]


@pytest.mark.parametrize(
    "kind",
    ["any", "shared sides", "nearly parallel", "nearly equal", "contained", "needles", "far", "sizes", "grid"],
)
def test_upright_boxes_have_the_exact_volume(kind):
    a, b = upright_pairs(kind, 300, np.random.default_rng(31))
    detector = phalanx.Detector()
    common, iou = (measure(a, b, phalanx.zip()) for measure in (detector.intersection_volume, detector.iou))
    exact = [exact_volume(*pair) for pair in zip(upright_columns(a), upright_columns(b), strict=True)]
    half_a, half_b = (np.stack(store.half_extents, 1).astype(float) for store in (a, b))
    volumes = 8 * half_a.prod(1), 8 * half_b.prod(1)
    assert sum(x > 0 for x in exact) > 100
    for i, volume in enumerate(exact):
        least = Fraction(min(v[i] for v in volumes))
        if abs(volume - least) < Fraction(1e-15) * least:
            assert common[i] == least
        union = Fraction(volumes[0][i]) + Fraction(volumes[1][i]) - volume
        assert abs(Fraction(common[i]) - volume) <= Fraction(1e-14) * union
        assert abs(Fraction(iou[i]) - volume / union) <= Fraction(1e-14)
        # Coordinates are rounded to 1e-16 of the longest side. This is more of a volume with a shorter side.
        ratio = max(half_a[i, :2].max(), half_b[i, :2].max()) / min(half_a[i, :2].min(), half_b[i, :2].min())
        assert abs(Fraction(common[i]) - volume) <= Fraction(1e-15 * (4 + ratio)) * least


def test_upright_boxes_have_the_same_bits_at_any_place_in_any_list():
    rng = np.random.default_rng(32)
    n = 3000
    center, size = rng.uniform(-1, 1, (n, 3)).astype(F), rng.uniform(0.1, 3, (n, 3)).astype(F)
    yaw = rng.uniform(-7, 7, n)
    # A third of them is equal in size, a fifth turned by nothing, and every seventh box is turned about x.
    size[::3], yaw[::5] = size[0], 0
    boxes = phalanx.Obbs.from_yaw(center, size, yaw)
    rotation = np.stack(boxes.rotation, 1)
    rotation[::7] = Rotation.from_rotvec([[0.7, 0, 0]]).as_quat()
    boxes = phalanx.Obbs(np.stack(boxes.center, 1), np.stack(boxes.half_extents, 1), rotation)
    pairs = rng.integers(0, n, (5000, 2), dtype=np.uint32)
    detector = phalanx.Detector(parallel=False)
    for measure in (detector.iou, detector.intersection_volume):
        expected = measure(boxes, boxes, pairs)
        assert 2000 < (expected > 0).sum() < 4900
        np.testing.assert_array_equal(measure(boxes, boxes, pairs[:, ::-1]), expected)
        order = rng.permutation(len(pairs))
        np.testing.assert_array_equal(measure(boxes, boxes, pairs[order]), expected[order])
        for begin in range(40):
            np.testing.assert_array_equal(measure(boxes, boxes, pairs[begin : begin + 3]), expected[begin : begin + 3])
            np.testing.assert_array_equal(measure(boxes, boxes, pairs[begin:]), expected[begin:])


def test_aabbs_and_boxes_without_a_turn_have_the_same_bits():
    rng, detector = np.random.default_rng(34), phalanx.Detector()
    pairs = random_pairs(300, 300, 3000, rng)
    # Integers, so that centers and half extents are exact in float32.
    low, size = rng.integers(-9, 9, (2, 300, 3)), rng.integers(1, 9, (2, 300, 3)) * 2
    a, b = (phalanx.Aabbs(x.astype(F), (x + y).astype(F)) for x, y in zip(low, size, strict=True))
    expected = detector.iou(a, b, pairs)
    assert 300 < (expected > 0).sum() < 3000
    turned = [obbs(x + y / 2, y / 2) for x, y in zip(low, size, strict=True)]
    opposite = [obbs(x + y / 2, y / 2, [0, 0, 0, -1]) for x, y in zip(low, size, strict=True)]
    half_turn = [obbs(x + y / 2, y / 2, [0, 0, 1, 0]) for x, y in zip(low, size, strict=True)]
    for first, second in itertools.product([a, turned[0], opposite[0]], [b, turned[1], opposite[1], half_turn[1]]):
        np.testing.assert_array_equal(detector.iou(first, second, pairs), expected)


def test_parallel_boxes_have_the_product_of_their_overlaps_to_the_bit():
    rng = np.random.default_rng(35)
    n = 2000
    center, half = rng.uniform(-1, 1, (2, n, 3)).astype(F), rng.uniform(0.1, 3, (2, n, 3)).astype(F)
    # One is turned by half a turn, so that the boxes are not aligned by their quaternions.
    boxes = obbs(center[0], half[0]), obbs(center[1], half[1], [0, 0, 1, 0])
    center, half = center.astype(float), half.astype(float)
    overlap = half[0] + half[1] - np.abs(center[1] - center[0])
    overlap = np.minimum(2 * np.minimum(half[0], half[1]), overlap).clip(0, None)
    detector = phalanx.Detector()
    common = detector.intersection_volume(*boxes, phalanx.zip())
    assert 500 < (common > 0).sum() < n
    np.testing.assert_array_equal(common, overlap[:, 0] * overlap[:, 1] * overlap[:, 2])


def test_upright_boxes_that_touch_have_no_volume_in_common():
    rng = np.random.default_rng(36)
    n = 5000
    # The angle of the triangle of 3, 4 and 5, exactly in a quaternion of float32: all corners have integer coordinates.
    turn = np.float32(np.sqrt(0.2)) * np.float32([0, 0, 1, 2])
    half_a, half_b = 5 * rng.integers(1, 4, (n, 3)), rng.integers(25, 50, (n, 3))
    reach = half_a[:, :2] @ [[3, 4], [4, 3]] // 5
    along, row = rng.integers(0, 2, n), np.arange(n)
    center = np.concatenate([rng.integers(-3, 4, (n, 2)), np.zeros((n, 1))], 1)
    center[row, along] = rng.choice([-1, 1], n) * (reach[row, along] + half_b[row, along])
    a, b = obbs([0, 0, 0], half_a, turn), obbs(center, half_b)
    detector = phalanx.Detector()
    assert detector.overlap(a, b, phalanx.zip()).count > 4000
    common = detector.intersection_volume(a, b, phalanx.zip())
    # Some have a corner that rounding moves across the side.
    assert (common > 0).sum() < 0.01 * n and common.max() < 1e-20
    # One unit nearer, all have a volume.
    center[row, along] -= np.sign(center[row, along])
    assert (detector.intersection_volume(a, obbs(center, half_b), phalanx.zip()) > 0.01).all()
