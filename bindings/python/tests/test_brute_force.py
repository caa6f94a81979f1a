"""Every kernel against plain numpy in float64: true hits are reported, and false ones are within rounding of a hit."""

import numpy as np
import phalanx
import pytest
from shapes import BOUNDED, KERNELS, gap, least, random_pairs, random_shapes

# Lengths of a pair are below 60, the widest band is below 256 u of them.
BAND = 1e-3
# What float64 and a ternary search leave open.
SURE = 1e-9


def case(first, second, seed, m=4000):
    rng = np.random.default_rng([seed, KERNELS.index(("overlap", first, second))])
    a, b = (random_shapes(kind, 300, rng) for kind in (first, second))
    pairs = random_pairs(300, 300, m, rng)
    return a, b, pairs, a.take(pairs[:, 0]), b.take(pairs[:, 1])


def of(verb):
    return [(first, second) for name, first, second in KERNELS if name == verb]


def test_there_are_all_kernels():
    verbs = ("overlap", "sweep", "contact", "impact", "distance")
    assert [len(of(verb)) for verb in verbs] == [32, 32, 32, 7, 33]


@pytest.mark.parametrize("margin", [0.0, 0.25])
@pytest.mark.parametrize(("first", "second"), of("overlap"))
def test_overlaps(first, second, margin):
    a, b, pairs, exact_a, exact_b = case(first, second, 1)
    overlaps = phalanx.Detector(margin=margin).overlap(a.view(), b.view(), pairs)
    gaps = gap(exact_a, exact_b)
    assert overlaps.invalid_count == 0
    must, may = gaps < margin - SURE, gaps <= 3**0.5 * margin + BAND
    assert (overlaps.mask | ~must).all(), pairs[must & ~overlaps.mask]
    assert (may | ~overlaps.mask).all(), gaps[overlaps.mask & ~may]
    # Hardly a point lies on a plane, or on a triangle.
    flat = first == "point" and second in ("plane", "triangle") and margin == 0.0
    assert 10 < overlaps.count < 3950 or flat
    np.testing.assert_array_equal(overlaps.hits, np.flatnonzero(overlaps.mask))
    np.testing.assert_array_equal(overlaps.pairs(pairs), pairs[overlaps.mask])


@pytest.mark.parametrize(("first", "second"), of("sweep"))
def test_sweeps(first, second):
    # Few rays hit triangles.
    m = 2400 if (first, second) == ("point", "triangle") else 600
    a, b, pairs, exact_a, exact_b = case(first, second, 2, m=m)
    sweeps = phalanx.Detector().sweep(a.view(), b.view(), pairs)
    exact_a, exact_b = exact_a.still(), exact_b.still()

    def at(t):
        t = np.broadcast_to(t, len(pairs))
        return gap(exact_a.at(t), exact_b.at(t))

    nearest = at(least(at, len(pairs), 0, 1, steps=50))
    if second == "plane":
        # A plane is touched from either side, and the distance to it is not negative beyond.
        nearest = np.minimum(nearest, np.where(crosses(exact_a, exact_b), 0, np.inf))
    assert (sweeps.mask | (nearest > -SURE)).all()
    assert (~sweeps.mask | (nearest < BAND)).all()
    assert 10 < sweeps.count < m
    hit = sweeps.mask
    assert ((0 <= sweeps.enter[hit]) & (sweeps.enter[hit] <= sweeps.exit[hit]) & (sweeps.exit[hit] <= 1)).all()
    assert np.isposinf(sweeps.enter[~hit]).all() and np.isposinf(sweeps.exit[~hit]).all()
    enter = np.where(hit, sweeps.enter, 0).astype(np.float64)
    assert (~hit | (at(enter) < BAND)).all()
    assert (~hit | (at(np.where(hit, sweeps.exit, 0).astype(np.float64)) < BAND)).all()
    for t in np.linspace(0, 1, 21):
        touches = at(t) < -SURE
        assert (~touches | ((sweeps.enter <= t) & (t <= sweeps.exit))).all()


def crosses(a, plane):
    """Whether the height over a plane changes its sign."""

    def height(t):
        moved, onto = a.at(np.full(len(a.center), t)), plane.at(np.full(len(a.center), t))
        return np.sum(onto.values["normal"] * moved.center, 1) + onto.values["d"][:, 0]

    return height(0.0) * height(1.0) < 0


def test_first_hits():
    a, b, pairs, *_ = case("sphere", "obb", 3)
    sweeps = phalanx.Detector().sweep(a.view(), b.view(), pairs)
    firsts = sweeps.first_hits(pairs)
    best = {}
    for position in sweeps.hits:
        index = pairs[position, 0]
        if index not in best or sweeps.enter[position] < sweeps.enter[best[index]]:
            best[index] = position
    assert firsts.tolist() == [best[index] for index in sorted(best)]


@pytest.mark.parametrize(("first", "second"), of("contact"))
def test_contacts(first, second):
    a, b, pairs, *_ = case(first, second, 4)
    # Hardly a point lies on a plane, or on a triangle.
    margin = 0.25 if first == "point" else 0.0
    detector = phalanx.Detector(margin=margin)
    contacts, overlaps = detector.contact(a.view(), b.view(), pairs), detector.overlap(a.view(), b.view(), pairs)
    assert contacts.count > 10
    np.testing.assert_array_equal(contacts.mask, overlaps.mask)
    np.testing.assert_array_equal(contacts.positions, contacts.hits)
    limit = 3**0.5 * margin + BAND if margin > 0 else 0
    check_contacts(contacts, a.take(pairs[contacts.hits, 0]), b.take(pairs[contacts.hits, 1]), limit)


def check_contacts(contacts, exact_a, exact_b, limit):
    normal, separation = contacts.normal.astype(np.float64), contacts.separation.astype(np.float64)
    assert normal.shape == (contacts.count, 3) and (separation <= limit).all()
    np.testing.assert_allclose(np.linalg.norm(normal, axis=1), 1, atol=1e-5)
    # Moved apart along the normal they just touch; planes and triangles are thin, so half leaves them penetrating.
    apart = gap(exact_a, exact_b.shifted(-separation[:, None] * normal))
    assert (np.abs(apart) < BAND).all(), apart[np.abs(apart) >= BAND]
    little = gap(exact_a, exact_b.shifted(-0.5 * separation[:, None] * normal))
    assert (little <= np.maximum(separation, 0) + BAND).all()
    counts = contacts.counts
    assert ((1 <= counts) & (counts <= 4)).all()
    is_point = np.arange(4) < counts[:, None]
    assert np.isfinite(contacts.points).all() and contacts.points.shape == (contacts.count, 4, 3)
    assert (np.isposinf(contacts.point_separation) == ~is_point).all()
    # One of the points is as deep as the pair.
    deepest = contacts.point_separation.min(1)
    assert (np.abs(deepest - separation) < 0.03).all()
    of_first = np.broadcast_to(contacts.points[:, :1], contacts.points.shape)
    assert (contacts.points[~is_point] == of_first[~is_point]).all()
    assert contacts.features.shape == (contacts.count, 4) and contacts.features.dtype == np.uint8


def test_swept_contacts():
    a, b, pairs, *_ = case("sphere", "obb", 5)
    sweeps, contacts = phalanx.Detector().sweep_contacts(a.view(), b.view(), pairs)
    alone = phalanx.Detector().sweep(a.view(), b.view(), pairs)
    np.testing.assert_array_equal(sweeps.enter, alone.enter)
    np.testing.assert_array_equal(contacts.hits, sweeps.hits)
    later = sweeps.enter[sweeps.hits] > 0
    assert later.sum() > 50
    assert (np.abs(contacts.separation[later]) < BAND).all()
    # What meets comes nearer along the normal.
    a_way, b_way = (s.values["displacement"][pairs[sweeps.hits, k]] for k, s in ((0, a), (1, b)))
    nearer = np.sum((a_way - b_way) * contacts.normal, 1)
    assert (nearer[later] > -BAND).all()


@pytest.mark.parametrize(("first", "second"), of("impact"))
def test_impacts(first, second):
    a, b, pairs, exact_a, exact_b = case(first, second, 6, m=600)
    tolerance = 1e-3
    impacts = phalanx.Detector().impact(a.view(), b.view(), pairs, tolerance)
    hit = impacts.mask
    assert 50 < impacts.count < 600
    assert np.isposinf(impacts.time[~hit]).all()
    assert ((0 <= impacts.time[hit]) & (impacts.time[hit] <= 1)).all()
    for t in np.linspace(0, 1, 101):
        touches = gap(exact_a.at(np.full(len(pairs), t)), exact_b.at(np.full(len(pairs), t))) < -SURE
        assert (~touches | (impacts.time <= t)).all()
    time = np.where(hit, impacts.time, 0).astype(np.float64)
    near = gap(exact_a.at(time), exact_b.at(time)) < 2 * tolerance + BAND
    assert (near | ~hit | ~impacts.settled).all()
    assert impacts.settled[~hit].all() and impacts.settled.mean() > 0.99


@pytest.mark.parametrize("during", ["start", "frame"])
@pytest.mark.parametrize("kind", BOUNDED)
def test_candidates_are_the_pairs_whose_bounds_touch(kind, during):
    rng = np.random.default_rng([7, BOUNDED.index(kind)])
    a, b = random_shapes(kind, 120, rng), random_shapes("obb", 90, rng)
    detector = phalanx.Detector()

    def bounds(store):
        boxes = store.bounds(during)
        return np.stack(boxes.min, 1), np.stack(boxes.max, 1)

    for store in (a.view(), a.copied()):
        (low_a, high_a), (low_b, high_b) = bounds(store), bounds(b.view())
        touch = (low_a[:, None] <= high_b[None]).all(2) & (low_b[None] <= high_a[:, None]).all(2)
        pairs = detector.candidates(store, b.view(), during)
        assert pairs.dtype == np.uint32
        np.testing.assert_array_equal(pairs, np.argwhere(touch))
        touch = (low_a[:, None] <= high_a[None]).all(2) & (low_a[None] <= high_a[:, None]).all(2)
        pairs = detector.candidates(store, store, during)
        np.testing.assert_array_equal(pairs, np.argwhere(np.triu(touch, 1)))


@pytest.mark.parametrize("kind", BOUNDED)
def test_bounds_hold_the_shapes(kind):
    shapes = random_shapes(kind, 200, np.random.default_rng([8, BOUNDED.index(kind)]))
    boxes = shapes.copied().bounds("frame")
    exact = shapes.take(np.arange(200))
    for t in np.linspace(0, 1, 11):
        moved = exact.at(np.full(200, t))
        for axis in range(3):
            reach = moved.reach(np.tile(np.eye(3)[axis], (200, 1)))
            assert (boxes.min[axis] <= moved.center[:, axis] - reach).all()
            assert (boxes.max[axis] >= moved.center[:, axis] + reach).all()
