"""Results equal those of the core, bit for bit, for every form of shapes and pairs."""

import os
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import phalanx
import pytest
from shapes import KERNELS, KINDS, STORES, arguments, random_pairs, random_shapes

VERBS = ["overlap", "sweep", "contact", "sweep_contacts", "impact", "distance", "distance_points"]
HERE = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def reference():
    """The program that asks the core."""
    if path := os.environ.get("PHALANX_REFERENCE"):
        return path
    cargo = shutil.which("cargo")
    assert cargo, "cargo builds the program that asks the core; PHALANX_REFERENCE names one that is built already"
    subprocess.run([cargo, "build", "--release", "--locked", "--example", "reference"], cwd=HERE, check=True)
    target = os.environ.get("CARGO_TARGET_DIR", HERE / "target")
    return str(Path(target) / "release/examples/reference")


def asked_of_the_core(reference, folder, verb, a, b, pairs, margin, tolerance):
    """The words of the answer."""
    question, answer = folder / "question", folder / "answer"
    kinds = [*KINDS, "hull"]
    head = [VERBS.index(verb), kinds.index(a.kind), kinds.index(b.kind)]
    head += struct.unpack("=2I", struct.pack("=2f", margin, tolerance))
    head += [len(a), len(b), len(pairs)]
    with open(question, "wb") as file:
        file.write(np.array(head, np.uint32).tobytes() + pairs.tobytes())
        for column in a.columns() + b.columns():
            file.write(column.tobytes())
    subprocess.run([reference, question, answer], check=True, timeout=60)
    return np.fromfile(answer, np.uint32)


def ask(detector, verb, a, b, pairs, tolerance):
    more = [tolerance] if verb == "impact" else []
    return getattr(detector, verb)(a, b, pairs, *more)


def words(verb, answers):
    """Answers as the program writes them."""
    if verb == "sweep_contacts":
        return np.concatenate([words("sweep", answers[0]), words("contact", answers[1])])
    if verb == "distance_points":
        points = [getattr(answers[1], name).T.ravel().view(np.uint32) for name in ("at_a", "at_b")]
        return np.concatenate([words("distance", answers[0]), *points])
    if verb == "distance":
        masks = [bits(~answers.settled), bits(answers.invalid)]
        return np.concatenate([*masks, answers.lower.view(np.uint32), answers.upper.view(np.uint32)])
    masks = [bits(answers.mask), bits(answers.invalid)]
    if verb == "overlap":
        return np.concatenate(masks)
    if verb == "sweep":
        return np.concatenate([*masks, answers.enter.view(np.uint32), answers.exit.view(np.uint32)])
    if verb == "impact":
        return np.concatenate([*masks, answers.time.view(np.uint32), answers.settled.astype(np.uint32)])
    contacts = []
    normal, points = answers.normal.view(np.uint32), answers.points.view(np.uint32)
    separation, each = answers.separation.view(np.uint32), answers.point_separation.view(np.uint32)
    for i, position in enumerate(answers.positions):
        contacts += [position, *normal[i], separation[i], answers.counts[i]]
        for k in range(answers.counts[i]):
            contacts += [*points[i, k], each[i, k], answers.features[i, k]]
    return np.concatenate([*masks, np.array(contacts, np.uint32)])


def bits(mask):
    """A mask as words of 64 bits, each as two of 32."""
    padded = np.zeros(-(-len(mask) // 64) * 64, bool)
    padded[: len(mask)] = mask
    return np.packbits(padded, bitorder="little").view(np.uint32)


def cases():
    for verb, first, second in KERNELS:
        for order in sorted({(first, second), (second, first)}):
            yield verb, *order
            if verb == "contact":
                yield "sweep_contacts", *order
            if verb == "distance":
                yield "distance_points", *order


def same(x, y):
    assert x.dtype == y.dtype
    np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize(("verb", "first", "second"), list(cases()))
def test_results_equal_those_of_the_core(reference, tmp_path, verb, first, second):
    rng = np.random.default_rng([KINDS.index(first), KINDS.index(second)])
    a, b = (random_shapes(kind, 150, rng, strange=True) for kind in (first, second))
    pairs = random_pairs(150, 150, 1001, rng)
    margin, tolerance = 0.0 if verb.startswith("distance") else 0.125, 1e-3
    told = asked_of_the_core(reference, tmp_path, verb, a, b, pairs, margin, tolerance)
    # Hits, misses and bad shapes are among them.
    if verb.startswith("distance"):
        lower = told[64:1065].view(np.float32)
        assert 0 < np.count_nonzero(lower) < 1001 and told[32:64].any()
    else:
        mask = told[:32].view(np.uint8)
        assert 0 < np.unpackbits(mask).sum() < 1001 and told[32:64].any()
    stores = [(a.view(), b.view()), (a.copied(), b.copied())]
    lanes = [lanes for _, lanes in phalanx.instruction_sets()]
    detectors = [phalanx.Detector(margin=margin, simd=simd) for simd in (None, *lanes)]
    detectors.append(phalanx.Detector(margin=margin, parallel=False))
    lists = [pairs, pairs.astype(np.int64), np.asfortranarray(pairs), pairs.tolist()]
    for x, y in stores:
        for detector in detectors:
            same(words(verb, ask(detector, verb, x, y, pairs, tolerance)), told)
        for given in lists:
            same(words(verb, ask(detectors[0], verb, x, y, given, tolerance)), told)


ALONE = [(verb, *order) for verb, *order in cases() if verb not in ("sweep_contacts", "distance_points")]


@pytest.mark.parametrize(("verb", "first", "second"), ALONE)
def test_lists_need_not_be_given(verb, first, second):
    rng = np.random.default_rng([1, KINDS.index(first), KINDS.index(second)])
    a, b = (random_shapes(kind, 200, rng, strange=True).copied() for kind in (first, second))
    detector, index = phalanx.Detector(), np.arange(200, dtype=np.uint32)
    for without, pairs in [
        (phalanx.zip(), np.stack([index, index], 1)),
        (phalanx.one_to_all(7), np.stack([np.full_like(index, 7), index], 1)),
    ]:
        x, y = (ask(detector, verb, a, b, given, 1e-3) for given in (without, pairs))
        same(words(verb, x), words(verb, y))
        if verb != "distance":
            same(x.pairs(without), y.pairs(pairs))


def test_long_lists_on_many_threads():
    rng = np.random.default_rng(2)
    a, b = (random_shapes(kind, 20_000, rng, strange=True).view() for kind in ("obb", "sphere"))
    pairs = random_pairs(20_000, 20_000, 300_000, rng)
    for verb in ("overlap", "sweep", "impact", "distance_points"):
        x, y = (ask(phalanx.Detector(parallel=p), verb, a, b, pairs, 1e-3) for p in (True, False))
        same(words(verb, x), words(verb, y))


@pytest.mark.parametrize("kind", KINDS)
def test_stores_give_back_what_they_were_given(kind):
    shapes = random_shapes(kind, 100, np.random.default_rng(3), strange=True)
    for store in (shapes.view(), shapes.copied(), shapes.view().copy()):
        assert isinstance(store, STORES[kind]) and len(store) == 100
        for name in arguments(kind):
            columns = getattr(store, name)
            columns = columns if isinstance(columns, tuple) else (columns,)
            for k, column in enumerate(columns):
                np.testing.assert_array_equal(column, shapes.values[name][:, k])
                assert column.dtype == np.float32
