"""Pairs of links by names, against loops over all shapes of all poses."""

import copy
import doctest
import pickle

import numpy as np
import phalanx
import phalanx.robots
import pytest
from phalanx.robots import AllowedCollisionMatrix

ARM = {"base": 1, "upper": 2, "flange": 0, "hand": 1, "left": 1, "right": 1}
JOINTS = [("base", "upper"), ("upper", "flange"), ("flange", "hand"), ("hand", "left"), ("hand", "right")]


def expected_pairs(counts, allowed, poses):
    """All pairs of shapes of a pose, but for those of one link and of links that may touch."""
    names = [name for name, count in counts.items() for _ in range(count)]
    return [
        [pose * len(names) + a, pose * len(names) + b]
        for pose in range(poses)
        for a in range(len(names))
        for b in range(a + 1, len(names))
        if names[a] != names[b] and (names[a], names[b]) not in allowed and (names[b], names[a]) not in allowed
    ]


def adjacent(counts, parents):
    """Each link with shapes, and the first of its ancestors that has some."""
    pairs = set()
    for child in counts:
        parent = parents.get(child)
        while parent is not None and counts[parent] == 0:
            parent = parents.get(parent)
        if parent is not None:
            pairs.add((child, parent))
    return pairs


@pytest.mark.parametrize("seed", range(40))
def test_pairs_are_those_of_a_loop(seed):
    rng = np.random.default_rng([41, seed])
    links = int(rng.integers(1, 12))
    counts = {f"link{k}": int(rng.integers(0, 4)) for k in range(links)}
    parents = {f"link{k}": f"link{rng.integers(k)}" for k in range(1, links)}
    joints = [(parent, child) for child, parent in parents.items()]
    rng.shuffle(joints)
    matrix = AllowedCollisionMatrix(counts, joints)
    allowed = adjacent(counts, parents)
    held = {}
    for step in range(12):
        names = [*counts, *held]
        some = {(str(a), str(b)) for a, b in rng.choice(names, (2, 2))}
        choice = rng.integers(4)
        if choice == 0:
            matrix.allow(some)
            allowed |= some
        elif choice == 1:
            matrix.forbid(some)
            allowed -= some | {(b, a) for a, b in some}
        elif choice == 2 or not held:
            name, shapes = f"object{step}", int(rng.integers(0, 3))
            touched = [str(link) for link in rng.choice(names, 2)]
            at = matrix.attach(name, shapes, touched)
            assert at == range(sum(counts.values()) + sum(held.values()), len(matrix))
            held[name] = shapes
            allowed |= {(name, link) for link in touched}
        else:
            name = str(rng.choice(list(held)))
            matrix.detach(name)
            del held[name]
            allowed = {pair for pair in allowed if name not in pair}
        every = counts | held
        poses = int(rng.integers(0, 4))
        pairs = matrix.pairs(poses)
        assert pairs.dtype == np.uint32 and pairs.shape[1:] == (2,)
        assert pairs.tolist() == expected_pairs(every, allowed, poses)
        assert matrix.names == [name for name, count in every.items() for _ in range(count)]
        assert len(matrix) == len(matrix.names)
        assert all(matrix.names[shape] == name for name in every for shape in matrix.shapes(name))


def test_link_without_shapes_joins_its_parent_and_its_children():
    matrix = AllowedCollisionMatrix(ARM, JOINTS)
    names = matrix.names
    tested = {(names[a], names[b]) for a, b in matrix.pairs()}
    expected = {("base", "hand"), ("base", "left"), ("base", "right"), ("upper", "left"), ("upper", "right")}
    assert tested == expected | {("left", "right")}
    # Two children of a link without shapes are tested: they move by joints of their own.
    fingers = AllowedCollisionMatrix({"hand": 0, "left": 1, "right": 1}, [("hand", "left"), ("hand", "right")])
    assert fingers.pairs().tolist() == [[0, 1]]


def test_poses_that_touch_are_those_of_all_pairs():
    rng = np.random.default_rng(43)
    matrix = AllowedCollisionMatrix(ARM, JOINTS)
    matrix.attach("cup", 2, ["hand", "left", "right"])
    poses, n = 200, len(matrix)
    center = rng.uniform(-1, 1, (poses, n, 3)).astype(np.float32)
    spheres = phalanx.Spheres(center.reshape(-1, 3), 0.25)
    pairs = matrix.pairs(poses)
    hits = phalanx.Detector().overlap(spheres, spheres, pairs).mask.reshape(poses, -1).any(axis=1)
    names, may_touch = matrix.names, {frozenset(pair) for pair in [("base", "upper"), ("upper", "hand")]}
    may_touch |= {frozenset(pair) for pair in [("hand", "left"), ("hand", "right")]}
    may_touch |= {frozenset(("cup", name)) for name in ("hand", "left", "right")}
    apart = np.linalg.norm(center[:, :, None].astype(float) - center[:, None], axis=3)
    for pose in range(poses):
        touching = [
            (a, b)
            for a in range(n)
            for b in range(a)
            if apart[pose, a, b] <= 0.5 and names[a] != names[b] and frozenset((names[a], names[b])) not in may_touch
        ]
        assert hits[pose] == bool(touching)
    assert 20 < hits.sum() < poses


def test_attach_after_an_error_changes_nothing():
    matrix = AllowedCollisionMatrix(ARM, JOINTS)
    before = matrix.pairs().tolist()
    for name, shapes, touched, message in [
        ("cup", 1, ["hand", "finger"], "there is no link or object 'finger'"),
        ("cup", -1, [], "the number of shapes of 'cup' is -1, not a whole number from 0 on"),
        ("hand", 1, [], "there is already a link or object 'hand'"),
    ]:
        with pytest.raises(ValueError, match=message):
            matrix.attach(name, shapes, touched)
        assert matrix.pairs().tolist() == before and "cup" not in matrix.names


def test_errors_name_the_link():
    matrix = AllowedCollisionMatrix(ARM, JOINTS)
    before = matrix.pairs().tolist()
    for call, message in [
        (
            lambda: AllowedCollisionMatrix({"base": -1}),
            "number of shapes of 'base' is -1, not a whole number from 0 on",
        ),
        (lambda: AllowedCollisionMatrix({"base": 1.5}), "number of shapes of 'base' is 1.5, not a whole number"),
        (
            lambda: AllowedCollisionMatrix(ARM, [("base", "base")]),
            "a joint has link 'base' as its parent and its child",
        ),
        (
            lambda: AllowedCollisionMatrix({"base": 2**33}).pairs(),
            r"1 poses of 8589934592 shapes are more than 2\*\*32",
        ),
        (lambda: matrix.attach("cup", 1, "hand"), "touch_links is the name 'hand', not names"),
        (lambda: matrix.allow(["ab", "cd"]), "'ab' is a name, not a pair of names"),
        (lambda: matrix.pairs(1.5), "poses is 1.5, not a whole number from 0 on"),
        (lambda: AllowedCollisionMatrix(ARM, [("base", "knee")]), "there is no link or object 'knee'"),
        (lambda: AllowedCollisionMatrix(ARM, [*JOINTS, ("base", "left")]), "link 'left' is the child of two joints"),
        (lambda: matrix.allow([("base", "left"), ("base", "knee")]), "there is no link or object 'knee'"),
        (lambda: matrix.forbid([("base", "upper"), ("knee", "base")]), "there is no link or object 'knee'"),
        (lambda: matrix.detach("hand"), "there is no attached object 'hand'"),
        (lambda: matrix.shapes("knee"), "there is no link or object 'knee'"),
        (lambda: matrix.pairs(-1), "poses is -1, not a whole number from 0 on"),
        (lambda: matrix.pairs(2**32), r"4294967296 poses of 6 shapes are more than 2\*\*32 shapes"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()
        assert matrix.pairs().tolist() == before


def test_joints_in_a_circle_end():
    circle = AllowedCollisionMatrix({"a": 0, "b": 0, "c": 1, "d": 1}, [("a", "b"), ("b", "a"), ("b", "c")])
    assert circle.pairs().tolist() == [[0, 1]]


def test_matrix_is_copied_and_pickled():
    matrix = AllowedCollisionMatrix(ARM, JOINTS)
    matrix.attach("cup", touch_links=["hand"])
    for other in (copy.deepcopy(matrix), pickle.loads(pickle.dumps(matrix))):
        other.detach("cup")
        other.allow([("left", "right")])
        assert matrix.names[-1] == "cup" and len(other) == len(matrix) - 1
    np.testing.assert_array_equal(matrix.pairs(2)[: len(matrix.pairs())], matrix.pairs())


def test_examples_of_docstrings_run():
    failed, tried = doctest.testmod(phalanx.robots)
    assert failed == 0 and tried > 8
