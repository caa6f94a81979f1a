"""Hulls: results of boxes and rocks, motion, and bad input."""

import pickle
import threading

import numpy as np
import phalanx
import pytest
from shapes import BOUNDED, KINDS, Shapes, random_pairs, random_shapes, rotated
from test_bad_input import strange_values
from test_same_bits import asked_of_the_core, reference, words  # noqa: F401

F = np.float32
NONE = 2**32 - 1
SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], F)
CUBE = SIGNS.copy()
ROCK = np.array([[0, 0, 2], [2, 0, -1], [-2, 1, -1], [0, -2, -1]], F)
IDENTITY = (0.0, 0.0, 0.0, 1.0)
# Lengths of a pair are below 60, the widest band is below 256 u of them.
BAND = 1e-3
# Verbs of pairs that return the hits and times of boxes for hulls of boxes.
VERBS = ["overlap", "sweep", "contact", "sweep_contacts", "impact", "distance", "distance_points"]


def ask(detector, verb, a, b, pairs):
    return getattr(detector, verb)(a, b, pairs, *([1e-3] if verb == "impact" else []))


def boxes_and_hulls(n, rng):
    """The same boxes as Obbs and as hulls of eight corners each, every box a kind."""
    boxes = random_shapes("obb", n, rng)
    x = boxes.values
    kinds = list(x["half_extents"][:, None] * SIGNS)
    given = {name: x[name] for name in ("center", "rotation", "displacement", "turn")}
    return boxes, phalanx.Hulls(kinds, kind=np.arange(n), **given)


def rocks(n, rng, *, kinds=5, most=20, spread=4.0, scale=1.0):
    """Random hulls, and their corners in float64, each row the points of a hull."""
    points = [rng.normal(0, scale, (int(rng.integers(4, most + 1)), 3)).astype(F) for _ in range(kinds)]
    kind = rng.integers(0, kinds, n)
    center = rng.uniform(-spread, spread, (n, 3)).astype(F)
    rotation = rng.normal(size=(n, 4))
    rotation = (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).astype(F)
    hulls = phalanx.Hulls(points, kind, center, rotation)
    corners = [
        rotated(np.broadcast_to(q.astype(float), (len(points[k]), 4)), points[k].astype(float)) + c
        for k, c, q in zip(kind, center.astype(float), rotation, strict=True)
    ]
    return hulls, corners


def hull_gap(a, b):
    """The distance of two hulls of few points; negative where they penetrate, by the least depth.

    It is the widest gap along any direction: a normal of three points of one hull or of two edges, or the line from a
    vertex to the nearest point of an edge. All of them are tried.
    """
    ends = [[p[i] for i in np.triu_indices(len(p), 1)] for p in (a, b)]
    edges = [end - start for start, end in ends]
    axes = [np.cross(p[:, None], q[None]) for p, q in ((edges[0],) * 2, (edges[1],) * 2, edges)]
    for points, (start, _), edge in ((a, ends[1], edges[1]), (b, ends[0], edges[0])):
        offset = points[:, None] - start
        along = np.clip(np.sum(offset * edge, 2) / np.sum(edge**2, 1), 0, 1)
        axes.append(offset - along[:, :, None] * edge)
    axes = np.concatenate([x.reshape(-1, 3) for x in axes])
    length = np.linalg.norm(axes, axis=1)
    axes = axes[length > 1e-9] / length[length > 1e-9, None]
    along_a, along_b = axes @ a.T, axes @ b.T
    return np.maximum(along_a.min(1) - along_b.max(1), along_b.min(1) - along_a.max(1)).max()


@pytest.mark.parametrize("margin", [0.0, 0.25])
@pytest.mark.parametrize("kind", KINDS)
def test_hull_of_a_box_answers_as_the_box(kind, margin):
    rng = np.random.default_rng([30, KINDS.index(kind)])
    boxes, hulls = boxes_and_hulls(60, rng)
    boxes, others = boxes.copied(), random_shapes(kind, 60, rng).copied()
    pairs = random_pairs(60, 60, 1500, rng)
    detector = phalanx.Detector(margin=margin)
    known = {verb for verb, first, second in phalanx.kernels() if {first, second} == {kind, "hull"}}
    assert known == {"overlap", "sweep", "contact", "distance"} | ({"impact"} if kind != "point" else set())
    for verb in VERBS:
        if kind == "point" and verb == "impact" or margin > 0 and verb.startswith("distance"):
            continue
        x, y = (ask(detector, verb, store, others, pairs) for store in (hulls, boxes))
        other_way = ask(detector, verb, others, hulls, pairs[:, ::-1])
        check_same(verb, x, y, margin)
        if verb != "distance_points":
            check_same(verb, other_way, y, margin, swapped=True)


def check_same(verb, x, y, margin, swapped=False):
    """Hits of hulls are those of boxes, except for pairs near the band of either."""
    if verb == "sweep_contacts":
        check_same("sweep", x[0], y[0], margin, swapped)
        check_same("contact", x[1], y[1], margin, swapped)
        return
    if verb == "distance_points":
        check_same("distance", x[0], y[0], margin)
        # Points may differ for parallel faces, but not how far apart they are.
        apart = np.linalg.norm(x[1].at_a.astype(float) - x[1].at_b, axis=1)
        np.testing.assert_allclose(apart, x[0].upper, atol=BAND)
        return
    if verb == "distance":
        np.testing.assert_allclose(x.lower, y.lower, atol=BAND)
        np.testing.assert_allclose(x.upper, y.upper, atol=BAND)
        assert (x.lower <= x.upper).all() and np.count_nonzero(x.lower) > 50 and x.invalid_count == 0
        return
    # The margin of a hull is Euclidean, that of two boxes is along their axes.
    differ = np.flatnonzero(x.mask != y.mask)
    assert len(differ) <= (2 if margin == 0 else 75), len(differ)
    assert x.invalid_count == 0 and 5 < x.count < len(x)
    both = x.mask & y.mask
    if verb == "sweep" and margin == 0:
        np.testing.assert_allclose(x.enter[both], y.enter[both], atol=BAND)
        np.testing.assert_allclose(x.exit[both], y.exit[both], atol=BAND)
    if verb == "impact" and margin == 0:
        np.testing.assert_allclose(x.time[both], y.time[both], atol=0.05)
    if verb == "contact" and margin == 0:
        of_x, of_y = (np.searchsorted(z.positions, np.flatnonzero(both)) for z in (x, y))
        np.testing.assert_allclose(x.separation[of_x], y.separation[of_y], atol=5 * BAND)
        assert ((1 <= x.counts) & (x.counts <= 4)).all()
        # Normals may differ where two directions are as good.
        signs = -1 if swapped else 1
        cosines = signs * np.sum(x.normal[of_x] * y.normal[of_y], 1)
        assert (cosines > 0.99).mean() > 0.9


@pytest.mark.parametrize("margin", [0.0, 0.3])
def test_rocks_overlap_where_no_axis_separates_them(margin):
    rng = np.random.default_rng(31)
    hulls, corners = rocks(60, rng, most=9, spread=2.0)
    pairs = random_pairs(60, 60, 400, rng)
    gaps = np.array([hull_gap(corners[a], corners[b]) for a, b in pairs])
    mask = phalanx.Detector(margin=margin).overlap(hulls, hulls, pairs).mask
    assert (mask | (gaps > margin - 1e-9)).all() and (~mask | (gaps < margin + BAND)).all()
    assert 50 < mask.sum() < 350
    if margin == 0:
        contacts = phalanx.Detector().contact(hulls, hulls, pairs)
        np.testing.assert_allclose(contacts.separation, gaps[contacts.hits], atol=BAND)
        distances = phalanx.Detector().distance(hulls, hulls, pairs)
        apart = np.maximum(gaps, 0)
        assert (distances.lower <= apart + 1e-9).all() and (distances.upper >= apart - 1e-6)[~mask].all()
        np.testing.assert_allclose(distances.upper[~mask], gaps[~mask], atol=BAND)


class HullShapes(Shapes):
    """Hulls of twelve points each, every hull a kind, a tenth of their poses bad."""

    def __init__(self, n, rng):
        poses = random_shapes("obb", n, rng, strange=True).values
        names = ("center", "rotation", "displacement", "turn")
        super().__init__(
            "hull", {name: poses[name] for name in names} | {"points": rng.normal(0, 0.7, (n, 36)).astype(F)}
        )

    def columns(self):
        return [np.ascontiguousarray(column) for array in self.values.values() for column in array.T]

    def copied(self):
        given = {name: x for name, x in self.values.items() if name != "points"}
        return phalanx.Hulls(self.values["points"].reshape(-1, 12, 3), np.arange(len(self)), **given)


HULL_KERNELS = [
    (verb, *order)
    for verb, first, second in phalanx.kernels()
    if "hull" in (first, second)
    for order in sorted({(first, second), (second, first)})
]


def test_there_are_all_kernels_of_hulls():
    verbs = [verb for verb, *_ in HULL_KERNELS]
    assert [verbs.count(verb) for verb in ("overlap", "sweep", "contact", "impact", "distance")] == [17] * 3 + [15, 17]


@pytest.mark.parametrize(("verb", "first", "second"), HULL_KERNELS)
def test_results_equal_those_of_the_core(reference, tmp_path, verb, first, second):  # noqa: F811
    rng = np.random.default_rng(37)
    a, b = (
        HullShapes(150, rng) if kind == "hull" else random_shapes(kind, 150, rng, strange=True)
        for kind in (first, second)
    )
    pairs = random_pairs(150, 150, 1001, rng)
    margin = 0.0 if verb == "distance" else 0.125
    for name in {"contact": ["contact", "sweep_contacts"], "distance": ["distance", "distance_points"]}.get(
        verb, [verb]
    ):
        expected = asked_of_the_core(reference, tmp_path, name, a, b, pairs, margin, 1e-3)
        answers = ask(phalanx.Detector(margin=margin), name, a.copied(), b.copied(), pairs)
        np.testing.assert_array_equal(words(name, answers), expected)
        assert expected[32:64].any() and (name.startswith("distance") or expected[:32].any())


def test_searches_return_the_best_of_all_pairs():
    rng = np.random.default_rng(32)
    hulls, _ = rocks(80, rng, scale=0.5)
    hulls.set_displacement(rng.uniform(-2, 2, (80, 3)).astype(F))
    detector, all_pairs = phalanx.Detector(), np.stack(np.divmod(np.arange(80 * 80), 80), 1)
    for kind in KINDS:
        others = random_shapes(kind, 80, rng, turning=False).copied()
        if kind not in BOUNDED:
            with pytest.raises(TypeError, match="unbounded"):
                detector.candidates(hulls, others)
            with pytest.raises(TypeError, match="unbounded"):
                detector.first_hits(others, hulls)
        calls = [(hulls, others), (others, hulls)] if kind in BOUNDED else [(hulls, others)]
        for a, b in calls:
            for during, verb in (("start", "overlap"), ("frame", "sweep")):
                expected = getattr(detector, verb)(a, b, all_pairs)
                hits = all_pairs[expected.mask]
                mask = detector.meets_any(a, b, during).mask
                np.testing.assert_array_equal(np.flatnonzero(mask), np.unique(hits[:, 0]))
                if kind in BOUNDED:
                    near = detector.candidates(a, b, during)
                    assert set(map(tuple, hits.tolist())) <= set(map(tuple, near.tolist()))
                    keys = rng.integers(0, 3, 80), rng.integers(0, 3, 80)
                    equal = keys[0][near[:, 0]] == keys[1][near[:, 1]]
                    np.testing.assert_array_equal(detector.candidates(a, b, during, keys=keys), near[equal])
            firsts = detector.first_hits(a, b)
            enter = np.where(expected.mask, expected.enter, np.inf).reshape(80, 80).min(1)
            np.testing.assert_array_equal(np.where(firsts.mask, firsts.enter, np.inf), enter)
            assert firsts.count > 20 or kind == "point"
            further = detector.first_hits(a, phalanx.Spheres((99.0, 99.0, 99.0), 1.0), b)
            np.testing.assert_array_equal(further.index, firsts.index)
            found, bounds = detector.nearest(a, b, 5.0), detector.distance(a, b, all_pairs)
            upper = bounds.upper.reshape(80, 80).min(1)
            np.testing.assert_array_equal(found.upper[found.mask], upper[found.mask])
            assert found.count > 20


def test_pairs_within_a_store_are_listed_once():
    hulls, _ = rocks(60, np.random.default_rng(33))
    detector = phalanx.Detector()
    pairs = detector.candidates(hulls, hulls)
    assert len(pairs) > 50 and (pairs[:, 0] < pairs[:, 1]).all()
    boxes = hulls.boxes()
    np.testing.assert_array_equal(pairs, detector.candidates(boxes, boxes))
    keys = np.arange(60) // 20
    equal = keys[pairs[:, 0]] == keys[pairs[:, 1]]
    np.testing.assert_array_equal(detector.candidates(hulls, hulls, keys=keys), pairs[equal])
    # No hull is near itself, and groups and bodies filter.
    nearest = detector.nearest(hulls, hulls, 9.0)
    assert (nearest.index[nearest.mask] != np.arange(60)[nearest.mask]).all()
    given = {name: getattr(hulls, name) for name in ("kinds", "kind", "center", "rotation")}
    body = np.arange(60) % 2
    apart = phalanx.Hulls(**given, body=body)
    same = body[pairs[:, 0]] == body[pairs[:, 1]]
    np.testing.assert_array_equal(detector.candidates(apart, apart), pairs[~same])
    assert apart.body.tolist() == body.tolist() and (hulls.body == NONE).all()
    alone = phalanx.Hulls(**given, groups=(1, 2))
    assert len(detector.candidates(alone, alone)) == 0 and alone.groups.tolist() == [[1, 2]] * 60


def test_hulls_touch_a_mesh():
    floor = phalanx.Mesh([[-9, -9, 0], [9, -9, 0], [9, 9, 0], [-9, 9, 0]], [[0, 1, 2], [0, 2, 3]])
    hulls = phalanx.Hulls([ROCK], 0, np.array([[1, -3, 0.75], [1, -3, 1.25]], F), IDENTITY)
    detector, pairs = phalanx.Detector(), np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    overlaps = detector.overlap(hulls, floor, pairs)
    assert overlaps.hits.tolist() == [0]
    contacts = detector.contact(hulls, floor, pairs)
    np.testing.assert_allclose(contacts.normal, [[0, 0, -1]], atol=1e-6)
    np.testing.assert_allclose(contacts.separation, [-0.25], atol=1e-6)
    assert contacts.counts.tolist() == [3] and contacts.without_inner(pairs, floor).tolist() == [0]
    distance = detector.distance(hulls, floor, pairs)
    assert distance.lower[2] <= 0.25 <= distance.upper[2] < distance.lower[2] + 5e-4
    hulls.set_displacement((0.0, 0.0, -1.0))
    firsts = detector.first_hits(hulls, floor)
    assert firsts.index.tolist() == [0, 0]
    np.testing.assert_allclose(firsts.enter, [0, 0.25], atol=1e-6)
    impacts = detector.impact(hulls, floor, pairs, 1e-4)
    assert impacts.hits.tolist() == [0, 2] and 0.2498 < impacts.time[2] <= F(0.25)


def test_a_turning_hull_hits_a_wall():
    # A rod turns towards a wall beside it: its tip, 3 out, comes 1.5 near at 30 degrees.
    rod = phalanx.Hulls([[[0, -3, 0], [0, 3, 0]]], 0, (0.0, 0.0, 0.0), IDENTITY, turn=(0.0, 0.0, -np.pi / 2))
    wall = phalanx.Planes(normal=(1.0, 0.0, 0.0), d=-1.5)
    impacts = phalanx.Detector().impact(rod, wall, phalanx.zip(), 1e-4)
    np.testing.assert_allclose(impacts.time, [1 / 3], atol=1e-3)
    assert phalanx.Detector().sweep(rod, wall, phalanx.zip()).count == 0
    np.testing.assert_array_less([[3, 3, 0]], np.stack(rod.bounds("frame").max, 1) + 2e-6)
    with pytest.raises(TypeError, match="there is no impact of Hulls with Points; Hulls have one with Spheres, Cap"):
        phalanx.Detector().impact(rod, phalanx.Points((0.0, 0.0, 0.0)), phalanx.zip(), 1e-3)


def test_attributes():
    center = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]], F)
    hulls = phalanx.Hulls([ROCK, CUBE * 0.5], kind=[1, 0, 1], center=center, rotation=IDENTITY)
    assert len(hulls) == 3 and repr(hulls) == "<phalanx.Hulls of 3 shapes, 2 kinds>" and not hulls.is_view
    assert [len(points) for points in hulls.kinds] == [4, 8] and hulls.kinds[0].dtype == F
    np.testing.assert_array_equal(hulls.kinds[0], ROCK)
    assert hulls.kind.tolist() == [1, 0, 1] and hulls.kind.dtype == np.uint32
    np.testing.assert_array_equal(np.stack(hulls.center, 1), center)
    assert [column.tolist() for column in hulls.rotation] == [[0] * 3] * 3 + [[1] * 3]
    assert [column.tolist() for column in hulls.displacement] == [[0] * 3] * 3 and hulls.turn is None
    hulls.validate()
    boxes = hulls.boxes()
    assert isinstance(boxes, phalanx.Obbs)
    np.testing.assert_array_equal(np.stack(boxes.half_extents, 1), [[0.5] * 3, [2, 2, 2], [0.5] * 3])
    bounds = hulls.bounds()
    assert isinstance(bounds, phalanx.Aabbs)
    low = np.stack(bounds.min, 1)[0]
    assert (low <= [0.5, 1.5, 2.5]).all() and (low > F([0.5, 1.5, 2.5]) - F(BAND)).all()
    # A number stands for all, rows and columns are the same, and numbers of Python are rounded.
    for kinds in (
        [CUBE],
        (CUBE.astype("f2"),),
        CUBE[None],
        [CUBE.astype("i1")],
        [CUBE.astype(int).tolist()],
        np.stack([CUBE] * 2),
    ):
        for given in (center, tuple(center.T.copy()), center.tolist()):
            cubes = phalanx.Hulls(kinds, 0, given, IDENTITY)
            assert len(cubes) == 3 and cubes.kind.tolist() == [0] * 3
            np.testing.assert_array_equal(cubes.kinds[0], CUBE)
            np.testing.assert_array_equal(cubes.center[1], center[:, 1])
    assert len(phalanx.Hulls([CUBE], 0, (0.0, 0.0, 0.0), IDENTITY)) == 1
    assert phalanx.Hulls([[[0.1, 0, 0]]], [0, 0], (0.0, 0.0, 0.0), IDENTITY).kinds[0][0, 0] == F(0.1)
    # 64 points, all of them used.
    ray = phalanx.Points((63.0, 0.0, 0.0))
    line = phalanx.Hulls([np.arange(64, dtype=F)[:, None] * F([1, 0, 0])], 0, (0.0, 0.0, 0.0), IDENTITY)
    assert phalanx.Detector().overlap(line, ray, phalanx.zip()).count == 1


def test_columns_are_snapshots():
    hulls = phalanx.Hulls([CUBE], [0, 0], np.array([[0, 0, 0], [3, 0, 0]], F), IDENTITY)
    detector, pairs = phalanx.Detector(), [[0, 1]]
    assert detector.overlap(hulls, hulls, pairs).count == 0
    before, copy = hulls.center, hulls.copy()
    x = np.array([0, 1], F)
    hulls.set_center((x, 0.0, 0.0))
    x[1] = 99
    assert detector.overlap(hulls, hulls, pairs).count == 1 and detector.overlap(copy, copy, pairs).count == 0
    assert before[0].tolist() == [0, 3] and hulls.center[0].tolist() == [0, 1] and copy.center[0].tolist() == [0, 3]
    del copy
    hulls.set_center(before)
    assert detector.overlap(hulls, hulls, pairs).count == 0
    # A rotated cube reaches farther.
    hulls.set_center([[0, 0, 0], [2.2, 0, 0]])
    assert detector.overlap(hulls, hulls, pairs).count == 0
    hulls.set_rotation(np.array([[0, 0, np.sin(np.pi / 8), np.cos(np.pi / 8)], [0, 0, 0, 1]], F))
    assert detector.overlap(hulls, hulls, pairs).count == 1
    hulls.set_turn((0.0, 0.0, 1.0))
    assert hulls.turn[2].tolist() == [1, 1]
    hulls.set_displacement([[1, 0, 0], [0, 0, 0]])
    assert hulls.displacement[0].tolist() == [1, 0]
    kept = hulls.turn
    del hulls
    assert kept[2].tolist() == [1, 1]
    for column in before:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
            column.flags.writeable = True


def test_calls_see_hulls_before_or_after_a_move():
    hulls, _ = rocks(4000, np.random.default_rng(38))
    before = np.stack(hulls.center, 1)
    centers = [before, before[::-1].copy()]
    spheres = phalanx.Spheres(before, 0.5)
    detector, expected = phalanx.Detector(), []
    for center in centers:
        hulls.set_center(center)
        expected.append(detector.overlap(hulls, spheres, phalanx.zip()).hits)
    assert not np.array_equal(*expected) and all(len(hits) > 50 for hits in expected)
    seen, done = [], threading.Event()

    def move():
        k = 0
        while not done.is_set():
            hulls.set_center(centers[k % 2])
            k += 1

    moving = threading.Thread(target=move)
    moving.start()
    for _ in range(100):
        hits, x = detector.overlap(hulls, spheres, phalanx.zip()).hits, hulls.center[0]
        seen.append([np.array_equal(hits, one) for one in expected])
        assert any(np.array_equal(x, center[:, 0]) for center in centers)
    done.set()
    moving.join()
    assert all(any(one) for one in seen)


def test_empty_stores():
    none = np.zeros((0, 3), F)
    detector = phalanx.Detector()
    for hulls in (
        phalanx.Hulls([], [], none, np.zeros((0, 4), F)),
        phalanx.Hulls([CUBE], 0, none, IDENTITY),
        phalanx.Hulls([CUBE], np.zeros(0, int), none, IDENTITY, displacement=none, turn=none, body=3),
    ):
        assert len(hulls) == 0 and len(hulls.bounds()) == 0 and len(hulls.boxes()) == 0 and len(hulls.center[0]) == 0
        hulls.set_center(none)
        hulls.validate()
        others = random_shapes("sphere", 5, np.random.default_rng(34)).copied()
        assert detector.candidates(hulls, others).shape == (0, 2) and len(detector.first_hits(hulls, others)) == 0
        for verb in VERBS:
            ask(detector, verb, hulls, others, [])
        assert detector.first_hits(others, hulls).count == 0 and detector.nearest(others, hulls, 9.0).count == 0
        with pytest.raises(IndexError, match="pair 0 is out of bounds"):
            detector.overlap(hulls, others, [[0, 0]])


@pytest.mark.parametrize(
    ("kinds", "error", "message"),
    [
        ([CUBE, []], ValueError, r"kinds\[1\] has 0 points, not 1 to 64"),
        ([np.zeros((65, 3), F)], ValueError, r"kinds\[0\] has 65 points, not 1 to 64"),
        ([CUBE, np.full((2, 3), np.nan, F)], ValueError, r"kinds\[1\]\[0\] is invalid: point\[0\] is NaN, not finite"),
        ([[[0, 0, 0], [0, np.inf, 0]]], ValueError, r"kinds\[0\]\[1\] is invalid: point\[1\] is inf, not finite"),
        ([[[0, 0, 3e18]]], ValueError, r"kinds\[0\]\[0\] is invalid: point\[2\] is 3e18, above"),
        (CUBE, ValueError, r"kinds\[0\] has shape \(3,\), not \(n, 3\)"),
        ([CUBE[:, :2]], ValueError, r"kinds\[0\] has shape \(8, 2\), not \(n, 3\)"),
        ([CUBE[None]], ValueError, r"kinds\[0\] has shape \(1, 8, 3\), not \(n, 3\)"),
        ([CUBE.astype(complex)], TypeError, r"kinds\[0\] has dtype complex128, not float32"),
        ([CUBE > 0], TypeError, r"kinds\[0\] has dtype bool, not float32"),
        ([CUBE, CUBE.astype(float)], TypeError, r"kinds\[1\] has dtype float64, not float32: convert explicitly"),
        ([CUBE.astype(int)], TypeError, r"kinds\[0\] has dtype int64, not float32"),
        ([list(CUBE.astype(float))], TypeError, r"kinds\[0\] has dtype float64, not float32"),
        (
            [ROCK, CUBE / 2 + 10000],
            ValueError,
            r"kinds\[1\]: center of the hull is \[10000.0, 10000.0, 10000.0\], more than 32 half diagonals from the "
            r"origin: half extents are \[0.5, 0.5, 0.5\], subtract the center from the points, see phalanx.centered",
        ),
        ([np.ma.masked_array(CUBE, True)], TypeError, r"kinds\[0\] is a numpy.ma.MaskedArray"),
        (["abc"], TypeError, r"kinds\[0\] has dtype <U3"),
        ([None], TypeError, r"kinds\[0\] has dtype object"),
        (None, TypeError, r"kinds is of type NoneType, not a list of arrays \(n, 3\)"),
        (iter([CUBE]), TypeError, "kinds is of type list_iterator, not a list of arrays"),
        ("abc", TypeError, "kinds is of type str, not a list of arrays"),
        (np.array(1.0), TypeError, "iteration over a 0-d array"),
    ],
)
def test_bad_kinds(kinds, error, message):
    with pytest.raises(error, match=message):
        phalanx.Hulls(kinds, 0, (0.0, 0.0, 0.0), IDENTITY)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"kind": [0, 1, 2]}, ValueError, r"kind\[2\] is 2, but there are 2 kinds"),
        ({"kind": [0, -1, 7]}, ValueError, r"kind\[1\] is -1, but there are 2 kinds"),
        ({"kind": 2}, ValueError, "kind is 2, but there are 2 kinds"),
        ({"kind": np.array([0, 2**64 - 1, 0], np.uint64)}, ValueError, r"kind\[1\] is 18446744073709551615, but"),
        ({"kind": [0, 1]}, ValueError, "kind is for 2 shapes, but center for 3"),
        ({"kind": []}, ValueError, "kind is for 0 shapes, but center for 3"),
        ({"kind": [[0, 1, 0]]}, ValueError, r"kind has shape \(1, 3\), not \(n,\) or \(\)"),
        ({"kind": np.zeros(3)}, TypeError, "kind has dtype float64, not an integer"),
        ({"kind": None}, TypeError, "kind has dtype object, not an integer"),
        ({"kind": np.ma.masked_array([0, 1, 0], True)}, TypeError, "kind is a numpy.ma.MaskedArray"),
        ({"center": np.zeros((3, 3))}, TypeError, "center has dtype float64, not float32"),
        ({"center": np.zeros((3, 2), F)}, ValueError, r"center has shape \(3, 2\), not \(n, 3\)"),
        ({"rotation": np.zeros((3, 3), F)}, ValueError, r"rotation has shape \(3, 3\), not \(n, 4\)"),
        ({"rotation": np.zeros((2, 4), F)}, ValueError, "rotation is for 2 shapes, but center for 3"),
        ({"displacement": np.zeros((4, 3), F)}, ValueError, "displacement is for 4 shapes, but center for 3"),
        ({"turn": (1.0, 2.0)}, ValueError, "turn is a tuple of 2, not of 3 columns"),
        ({"groups": np.zeros((2, 2), int)}, ValueError, r"groups have shape \(2, 2\), not \(3, 2\) or \(2,\)"),
        ({"body": [0, 1, 2**32]}, ValueError, r"body\[2\] has 4294967296"),
    ],
)
def test_bad_hulls(given, error, message):
    good = {"kind": [0, 1, 0], "center": np.zeros((3, 3), F), "rotation": IDENTITY}
    with pytest.raises(error, match=message):
        phalanx.Hulls([CUBE, ROCK], **(good | given))


def test_bad_writes_leave_the_store():
    hulls = phalanx.Hulls([CUBE], 0, np.ones((3, 3), F), IDENTITY)
    x, y = np.zeros(3, F), np.zeros(4, F)
    for name, value, error, message in [
        ("center", np.zeros((2, 3), F), ValueError, "center is for 2 shapes, but the store has 3"),
        ("center", (x, x, y), ValueError, r"center\[2\] is for 4 shapes, but the store has 3"),
        ("center", np.zeros((3, 3)), TypeError, "center has dtype float64, not float32"),
        ("center", None, TypeError, "center has dtype object"),
        ("rotation", np.zeros((3, 3), F), ValueError, r"rotation has shape \(3, 3\), not \(n, 4\)"),
        ("displacement", (1, 2), ValueError, "displacement is a tuple of 2, not of 3 columns"),
        ("turn", np.zeros((4, 3), F), ValueError, "turn is for 4 shapes, but the store has 3"),
    ]:
        with pytest.raises(error, match=message):
            getattr(hulls, f"set_{name}")(value)
    assert [column.tolist() for column in hulls.center] == [[1] * 3] * 3 and hulls.turn is None


def test_bad_poses_flag_their_hulls():
    center = np.array([[0, 0, 0], [np.nan, 0, 0], [1, 0, 0], [0, 0, 0]], F)
    rotation = np.array([[0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 2]], F)
    hulls = phalanx.Hulls([CUBE], 0, center, rotation, turn=[[0, 0, 0], [0, 0, 0], [0, 0, 4], [0, 0, 0]])
    spheres = phalanx.Spheres((0.0, 0.0, 0.0), 1.0)
    pairs = [[0, 0], [1, 0], [2, 0], [3, 0]]
    overlaps = phalanx.Detector().overlap(hulls, spheres, pairs)
    assert overlaps.hits.tolist() == [0, 2] and overlaps.invalid.tolist() == [False, True, False, True]
    assert phalanx.Detector().impact(hulls, spheres, pairs, 1e-3).invalid.tolist() == [False, True, True, True]
    with pytest.raises(ValueError, match=r"shape 1 is invalid: center\[0\] is NaN, not finite"):
        hulls.validate()
    with pytest.warns(RuntimeWarning, match="2 of a, 0 of b"):
        assert phalanx.Detector().candidates(hulls, spheres).tolist() == [[0, 0], [2, 0]]
    with pytest.raises(ValueError, match="shape 1 of the first store is invalid"):
        phalanx.Detector(strict=True).candidates(hulls, spheres)
    with pytest.raises(
        ValueError, match=r"pair 3 is \(3, 0\), but shape 3 of the first store is invalid: rotation has"
    ):
        phalanx.Detector(strict=True).overlap(hulls, spheres, [[0, 0], [2, 0], [2, 0], [3, 0]])


def test_results_are_the_same_for_every_detector():
    rng = np.random.default_rng(35)
    hulls, _ = rocks(200, rng)
    hulls.set_displacement(rng.uniform(-3, 3, (200, 3)).astype(F))
    hulls.set_turn(rng.uniform(-1.5, 1.5, (200, 3)).astype(F))
    pairs = random_pairs(200, 200, 3000, rng)
    detectors = [phalanx.Detector(simd=lanes) for _, lanes in phalanx.instruction_sets()]
    detectors.append(phalanx.Detector(parallel=False))
    for verb in VERBS:
        expected = ask(phalanx.Detector(), verb, hulls, hulls, pairs)
        for detector in detectors:
            for x, y in zip(parts(ask(detector, verb, hulls, hulls, pairs)), parts(expected), strict=True):
                np.testing.assert_array_equal(x, y)


def parts(answers):
    """The arrays of answers."""
    answers = answers if isinstance(answers, tuple) else (answers,)
    names = (
        "mask",
        "invalid",
        "enter",
        "exit",
        "time",
        "settled",
        "lower",
        "upper",
        "at_a",
        "at_b",
        "normal",
        "points",
    )
    return [getattr(answer, name) for answer in answers for name in names if hasattr(answer, name)]


def test_hulls_are_moved_to_their_center():
    rng = np.random.default_rng(37)
    detector = phalanx.Detector()
    origin = np.array([466_000.125, 5_427_000.5, 100.0])
    cubes = [CUBE / 2 + origin + at for at in ([0, 0, 0], [1.5, 0, 0])]
    points, offsets = zip(*map(phalanx.centered, cubes), strict=True)
    assert [x.dtype for x in points] == [F, F] and (offsets[0] == origin).all()
    hulls = phalanx.Hulls(points, [0, 1], (offsets - origin).astype(F), IDENTITY)
    distances = detector.distance(hulls, hulls, [[0, 1]])
    assert 0.4999 < distances.lower[0] <= 0.5 <= distances.upper[0] < 0.5001

    # Rotated about the origin of the points as they were given.
    corners = rng.normal(size=(2, 12, 3)) + [[[30, 0, 0]], [[-500, 2, 7]]]
    points, offsets = zip(*map(phalanx.centered, corners), strict=True)
    kind, center, rotation = rng.integers(0, 2, 40), rng.uniform(-9, 9, (40, 3)), rng.normal(size=(40, 4))
    placed = phalanx.with_offset(center, rotation, np.array(offsets)[kind])
    for k, at, c, q in zip(kind, placed, center, rotation, strict=True):
        q = np.broadcast_to(q / np.linalg.norm(q), (12, 4))
        moved = rotated(q, points[k].astype(float)) + at
        np.testing.assert_allclose(moved, rotated(q, corners[k]) + c, rtol=0, atol=1e-6)
    for bad in ([], [1, 2, 3], np.zeros((0, 3)), np.zeros((2, 2))):
        with pytest.raises(ValueError, match=r"points has shape \(.*\), not \(n, 3\) with at least one point"):
            phalanx.centered(bad)


def test_outer_hull_contains_all_points():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(500, 3)).astype(F)
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    detector, grown = phalanx.Detector(), []
    for most in (4, 20, 64):
        corners, growth = phalanx.outer_hull(points, most)
        assert corners.dtype == F and 4 <= len(corners) <= most
        hull = phalanx.Hulls([corners], 0, (0.0, 0.0, 0.0), IDENTITY)
        assert detector.overlap(phalanx.Points(points), hull, [[k, 0] for k in range(500)]).mask.all()
        assert np.linalg.norm(corners, axis=1).max() <= 1 + growth
        grown.append(growth)
    assert grown[0] > 1 > grown[1] > grown[2] > 0
    # Corners that are few enough stay.
    corners, growth = phalanx.outer_hull(CUBE)
    assert growth == 0 and {*map(tuple, corners)} == {*map(tuple, CUBE)}
    for bad, message in (
        (lambda: phalanx.outer_hull(points, 3), "most is 3, not 4 to 64"),
        (lambda: phalanx.outer_hull(points, -1), "most is -1, not 4 to 64"),
        (lambda: phalanx.outer_hull(np.zeros((0, 3), F)), "points has no points"),
        (lambda: phalanx.outer_hull([[0, 0, 0], [0, np.nan, 0]]), r"points\[1\] is invalid: point\[1\] is NaN"),
        (lambda: phalanx.outer_hull(CUBE + F(500)), "see phalanx.centered"),
    ):
        with pytest.raises(ValueError, match=message):
            bad()


def test_cylinders_and_cones_are_round():
    rng = np.random.default_rng(53)
    n, radius, half = 4000, F(0.75), F(0.5)
    detector, kinds = phalanx.Detector(), [phalanx.cylinder(radius, half), phalanx.cone(radius, half), CUBE]
    center, rotation = rng.uniform(-1, 1, (n, 3)).astype(F), rng.normal(size=(n, 4))
    rotation = (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).astype(F)
    points = phalanx.Points(rng.uniform(-2, 2, (n, 3)).astype(F))
    # Points in the frames of the hulls.
    back = rotation.astype(float) * (-1, -1, -1, 1)
    local = rotated(back, np.stack(points.position, axis=1).astype(float) - center.astype(float))
    rho, z = np.hypot(local[:, 0], local[:, 1]), local[:, 2]
    zeros = np.zeros(n)
    beside, above = np.maximum(rho - radius, 0), np.maximum(np.abs(z) - half, 0)
    of_cylinder = np.hypot(beside, above)
    # Of the segments (0, h) to (r, -h) and the base, all in the half plane of the axis.
    share = np.clip((rho * radius - (z - half) * 2 * half) / (radius**2 + 4 * half**2), 0, 1)
    slant = np.hypot(rho - share * radius, z - half + share * 2 * half)
    base = np.hypot(np.maximum(rho - radius, 0), z + half)
    inside = (z >= -half) & (rho * 2 * half <= radius * (half - z))
    of_cone = np.where(inside, zeros, np.minimum(slant, base))
    pairs = np.stack([np.arange(n)] * 2, axis=1)
    for kind, exact, rounding in ((0, of_cylinder, 0), (1, of_cone, 0), (0, of_cylinder, 0.25), (1, of_cone, 0.25)):
        hulls = phalanx.Hulls(kinds, kind, center, rotation, radii=rounding)
        found, exact = detector.distance(hulls, points, pairs), np.maximum(exact - rounding, 0)
        assert (found.lower <= exact + 1e-9).all() and (exact - 1e-9 <= found.upper).all()
        assert (found.upper - found.lower).max() < BAND
        mask = detector.overlap(hulls, points, pairs).mask
        assert mask[exact == 0].all() and exact[mask].max() < BAND and 0 < mask.sum() < n
    # They are what was given, in pickles too.
    assert hulls.kinds[:2] == kinds[:2] and hulls.kinds[0] != hulls.kinds[1]
    assert repr(hulls.kinds[0]) == "phalanx.cylinder(0.75, 0.5)" and repr(kinds[1]) == "phalanx.cone(0.75, 0.5)"
    assert (kinds[1].radius, kinds[1].half_height) == (0.75, 0.5)
    again = pickle.loads(pickle.dumps(hulls))
    assert again.kinds[:2] == kinds[:2] and again.radii.tolist() == [0.25] * 3
    assert hulls.boxes().half_extents[0][0] == 1.0
    scene = phalanx.Scene()
    scene.add_hulls(scene.add_hull_kinds(kinds)[:2], [[0, 0, 0.5], [4, 0, 0.5]])
    scene.add_half_spaces((0.0, 0.0, 1.0), -0.001, role="fixed")
    assert scene.contacts().counts.tolist() == [4, 4]
    for bad in (np.nan, -1, 1e30):
        with pytest.raises(ValueError, match="cylinder: radius of the hull is invalid"):
            phalanx.cylinder(bad, 1)
        with pytest.raises(ValueError, match="cone: radius of the hull is invalid: half height"):
            phalanx.cone(1, bad)
    with pytest.raises(ValueError, match=r"kinds\[0\]: radius of the hull is invalid: rounding is -1, negative"):
        phalanx.Hulls(kinds, 0, center, rotation, radii=-1)


def test_rounded_points_and_segments_are_spheres_and_capsules():
    rng = np.random.default_rng(38)
    n, detector = 300, phalanx.Detector()
    half, radii = np.array([0.75, 0.0, 0.0], F), np.array([0.5, 0.25, 0.0], F)
    kind, center = rng.integers(0, 2, n), rng.uniform(-2, 2, (n, 3)).astype(F)
    rotation = rng.normal(size=(n, 4))
    rotation = (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).astype(F)
    hulls = phalanx.Hulls([[[0, 0, 0]], [half, -half], CUBE], kind, center, rotation, radii=radii)
    assert hulls.radii.tolist() == radii.tolist() and [len(points) for points in hulls.kinds] == [1, 2, 8]
    axis = rotated(rotation.astype(float), np.broadcast_to(half.astype(float), (n, 3))) * kind[:, None]
    capsules = phalanx.Capsules(center, axis.astype(F), radii[kind])
    boxes = phalanx.Obbs(*(rng.uniform(low, high, (n, 3)).astype(F) for low, high in ((-2, 2), (0.1, 1))), rotation)
    pairs = random_pairs(n, n, 4000, rng)
    ours, theirs = (detector.distance(x, boxes, pairs) for x in (hulls, capsules))
    assert (ours.lower <= theirs.upper).all() and (theirs.lower <= ours.upper).all()
    assert (ours.upper - ours.lower).max() < BAND
    masks = [detector.overlap(x, boxes, pairs).mask for x in (hulls, capsules)]
    differ = masks[0] != masks[1]
    assert 200 < masks[0].sum() < 3000 and ours.upper[differ].max(initial=0) < BAND
    # A sphere of radius 1/2 at the origin, 1/4 deep in a half-space.
    sphere = phalanx.Hulls([[[0, 0, 0]]], 0, (0.0, 0.0, 0.0), IDENTITY, radii=0.5)
    contacts = detector.contact(sphere, phalanx.HalfSpaces((0.0, 0.0, 1.0), 0.25), [[0, 0]])
    assert abs(contacts.depth[0] - 0.25) < 1e-6
    assert sphere.boxes().half_extents[0].tolist() == [0.5]

    # Grown by its radius on each side.
    cube = phalanx.Hulls([CUBE], 0, (0.0, 0.0, 0.0), IDENTITY, radii=F(0.5))
    other = phalanx.Hulls([CUBE], 0, (4.0, 0.0, 0.0), IDENTITY)
    distances = detector.distance(cube, other, [[0, 0]])
    assert distances.lower[0] <= 1.5 <= distances.upper[0] < 1.501
    copied = cube.copy()[[0, 0]]
    assert copied.radii.tolist() == [0.5] and len(copied) == 2


@pytest.mark.parametrize(
    ("radii", "error", "message"),
    [
        ([0.5], ValueError, "radii has 1 numbers, but there are 2 kinds"),
        ([0.5, 1.0, 2.0], ValueError, "radii has 3 numbers, but there are 2 kinds"),
        (-1.0, ValueError, r"kinds\[0\]: radius of the hull is invalid: radius is -1"),
        ([0.0, np.nan], ValueError, r"kinds\[1\]: radius of the hull is invalid: radius is NaN"),
        (np.ones(2), TypeError, "radii has dtype float64, not float32"),
        ("abc", TypeError, "radii has dtype"),
    ],
)
def test_bad_radii(radii, error, message):
    with pytest.raises(error, match=message):
        phalanx.Hulls([CUBE, ROCK], 0, (0.0, 0.0, 0.0), IDENTITY, radii=radii)


def test_volumes_of_hulls_are_refused():
    hulls = phalanx.Hulls([CUBE], 0, (0.0, 0.0, 0.0), IDENTITY)
    with pytest.raises(TypeError, match="a is Hulls, not Aabbs or Obbs"):
        phalanx.Detector().iou(hulls, hulls, phalanx.zip())
    assert phalanx.Detector().iou(hulls.boxes(), hulls.boxes(), phalanx.zip()).tolist() == [1.0]


def test_strange_values_never_panic():
    rng, made = np.random.default_rng(36), 0
    # A panic would be a BaseException, which is not caught here.
    for _ in range(4000):
        strange = [strange_values(rng) for _ in range(4)]
        good = [[CUBE, ROCK], 1, np.zeros((3, 3), F), IDENTITY]
        given = [x if rng.random() < 0.3 else y for x, y in zip(strange, good, strict=True)]
        more = {"turn": strange_values(rng)} if rng.random() < 0.2 else {}
        try:
            hulls = phalanx.Hulls(*given, **more)
            made += 1
            hulls.bounds("frame")
            hulls.set_center(strange_values(rng))
            hulls.set_turn(strange_values(rng))
            hulls.set_rotation(strange_values(rng))
        except (TypeError, ValueError, IndexError, OverflowError):
            pass
    assert made > 300
