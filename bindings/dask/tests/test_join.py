"""The join's own arithmetic: cells, and each pair in one of them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import join


def test_cells_in_common():
    rng = np.random.default_rng(0)
    a, b = rng.integers(-3, 3, (200, 3)), rng.integers(-3, 3, (150, 3))
    pairs = join.in_one_cell(a, b)
    expected = np.argwhere((a[:, None] == b[None]).all(2))
    assert sorted(map(tuple, pairs)) == sorted(map(tuple, expected))
    assert len(join.in_one_cell(a[:0], b)) == len(join.in_one_cell(a, b[:0])) == 0


def test_cells_of_one_hash_are_not_taken_for_one_cell():
    a, b = np.array([[19_349_663, 0, 0]]), np.array([[0, 73_856_093, 0]])
    assert join.hashed(a) == join.hashed(b)
    assert len(join.in_one_cell(a, b)) == 0


@pytest.mark.parametrize("buckets", [1, 5])
def test_each_pair_is_in_one_cell(tmp_path, buckets):
    # Large shapes about the origin, each in many cells.
    folder = tmp_path / "data"
    join.make(folder, 300, 2, seed=1)
    for path in folder.glob("*.parquet"):
        if path.name.startswith("pairs"):
            continue
        table = pq.read_table(path)
        for name in table.column_names:
            if name != "id" and not name.startswith("rotation"):
                shift = -6 if name.startswith("center") else 0
                scaled = table[name].to_numpy() * 6 + shift
                column = pa.array(scaled.astype(np.float32), from_pandas=False)
                table = table.set_column(table.column_names.index(name), name, column)
        pq.write_table(table, path)
    cuts = {name: [join.cut(path, name, buckets) for path in join.files(folder, name)] for name in ("sphere", "box")}
    assert sum(len(piece) for pieces in cuts["box"] for piece in pieces) > 3 * 300
    parts = [join.join_bucket([it[k] for it in cuts["sphere"]], [it[k] for it in cuts["box"]]) for k in range(buckets)]
    joined, local = join.in_order(join.concatenated(parts)), join.local_join(folder)
    assert join.same_bits(joined, local)
    assert len(np.unique(np.stack([local["a"], local["b"]], 1), axis=0)) == len(local["a"]) > 100


def test_data_are_the_same_each_time(tmp_path):
    for name in "xy":
        join.make(tmp_path / name, 500, 3)
    assert [len(join.files(tmp_path / "x", name)) for name in ("pairs", "sphere", "box")] == [3, 3, 3]
    assert join.same_bits(join.local_join(tmp_path / "x"), join.local_join(tmp_path / "y"))
    local = join.local_map(tmp_path / "x")
    assert join.same_bits(local, join.local_map(tmp_path / "y"))
    assert local["id"].tolist() == list(range(500))
    assert 0 < local["hit"].sum() < 500 and (~local["known"]).sum() > 0


def test_bits_are_compared():
    x = {"enter": np.array([0.5, np.nan], np.float32)}
    assert join.same_bits(x, {"enter": x["enter"].copy()})
    assert not join.same_bits(x, {"enter": x["enter"].astype(np.float64)})
    assert not join.same_bits(x, {"exit": x["enter"]})
    assert not join.same_bits({"a": np.array([0.0])}, {"a": np.array([-0.0])})
