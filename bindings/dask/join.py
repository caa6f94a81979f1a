"""Collisions of shapes in Parquet files, part by part on a Dask cluster: a map over pairs, and a spatial join by cells.

Every function that a worker runs is pure: it reads files that do not change, and what it returns depends on nothing
else. So Dask may run it again whenever it likes, on another worker if one is lost, and the answer is the same, bit for
bit.
"""

import asyncio
import operator
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import phalanx
import pyarrow as pa
import pyarrow.parquet as pq
from distributed import Client, Future
from distributed.comm import CommClosedError
from numpy.typing import NDArray

Arrays = dict[str, NDArray[np.generic]]

# Cells of the join have this edge; shapes are about 1 long and move about as far.
CELL = 4.0


class ClusterLost(RuntimeError):
    """The scheduler or all workers are lost, or the scheduler assigns no tasks. No file has changed: run again."""

    seconds = 0.0


# Data.


def make(folder: Path, rows: int, parts: int, seed: int = 0) -> None:
    """Writes seeded Parquet files: pairs of a moving sphere and a box, and the spheres and boxes of a join."""
    side = rows ** (1 / 3) * 2
    folder.mkdir(parents=True)
    bounds = np.linspace(0, rows, parts + 1).astype(int)
    for part in range(parts):
        rng = np.random.default_rng([seed, part])
        n = int(bounds[part + 1] - bounds[part])
        ids = np.arange(bounds[part], bounds[part + 1])
        near = rng.uniform(-2, 2, (n, 3))
        pairs = pa.table(
            {
                "id": ids,
                "sphere": _spheres(rng, near * 0).to_struct_array(),
                "box": _boxes(rng, near).to_struct_array(),
            }
        )
        pq.write_table(pairs, folder / f"pairs-{part:03}.parquet")
        for name, shapes in [("sphere", _spheres), ("box", _boxes)]:
            table = shapes(rng, rng.uniform(0, side, (n, 3)))
            pq.write_table(table.append_column("id", pa.array(ids)), folder / f"{name}-{part:03}.parquet")


def _columns(name: str, values: NDArray[np.floating], axes: str = "xyzw") -> Arrays:
    values = values.astype(np.float32)
    return {f"{name}_{axis}": np.ascontiguousarray(values[:, k]) for k, axis in enumerate(axes[: values.shape[1]])}


def _spheres(rng: np.random.Generator, center: NDArray[np.floating]) -> pa.Table:
    n = len(center)
    radius = rng.uniform(0.1, 0.6, n).astype(np.float32)
    # Some shapes are bad, some null: they meet nothing.
    radius[rng.random(n) < 1e-3] = np.nan
    motion = _columns("displacement", rng.uniform(-1, 1, (n, 3)))
    table = pa.table(_columns("center", center) | {"radius": radius} | motion)
    x = pa.array(table["center_x"].to_numpy(), mask=rng.random(n) < 1e-3)
    return table.set_column(0, "center_x", x)


def _boxes(rng: np.random.Generator, center: NDArray[np.floating]) -> pa.Table:
    n = len(center)
    rotation = rng.normal(size=(n, 4))
    rotation /= np.linalg.norm(rotation, axis=1, keepdims=True)
    return pa.table(
        _columns("center", center)
        | _columns("half_extents", rng.uniform(0.1, 0.6, (n, 3)))
        | _columns("rotation", rotation)
        | _columns("displacement", rng.uniform(-1, 1, (n, 3)))
    )


def files(folder: Path, name: str) -> list[Path]:
    """The parts of one of the data sets."""
    return sorted(folder.glob(f"{name}-*.parquet"))


# What workers run.


@dataclass(frozen=True)
class Pause:
    """A stop of a stage in its middle, for tests that end the worker there: once, as the file that it writes says."""

    stage: str
    folder: Path
    seconds: float

    def __call__(self, stage: str) -> None:
        """Writes which process is in the middle of the stage, and waits, unless some process has done so."""
        if stage != self.stage:
            return
        try:
            with open(self.folder / f"in-{stage}", "x") as file:
                file.write(str(os.getpid()))
        except FileExistsError:
            return
        time.sleep(self.seconds)


def no_pause(stage: str) -> None:
    """Goes on."""


Hook = Callable[[str], None]


def sweep_part(path: Path, hook: Hook = no_pause) -> Arrays:
    """Sweeps each sphere of a part against the box of its row."""
    table = pq.read_table(path)
    hook("map")
    swept = pa.array(phalanx.arrow.sphere_obb_sweep(table["sphere"], table["box"]))
    return {
        "id": table["id"].to_numpy(),
        "known": np.asarray(swept.is_valid()),
        "hit": np.asarray(swept.field("hit").fill_null(False)),
        "enter": swept.field("enter").fill_null(np.nan).to_numpy(),
        "exit": swept.field("exit").fill_null(np.nan).to_numpy(),
    }


def cut(path: Path, name: str, buckets: int, hook: Hook = no_pause) -> list[pa.Table]:
    """Puts shapes of a part into each cell that they may be in during the frame, and the cells into buckets."""
    table = pq.read_table(path)
    boxes = store(name, table).bounds("frame")
    low, high = np.stack(boxes.min, 1).astype(np.float64), np.stack(boxes.max, 1).astype(np.float64)
    hook("cells")
    # Bad shapes have no bounds, and no hits.
    rows = np.flatnonzero(~np.isnan(low).any(1))
    first, last = cell_of(low[rows]), cell_of(high[rows])
    count = last - first + 1
    repeated = np.repeat(np.arange(len(rows)), count.prod(1))
    within = np.arange(len(repeated)) - np.repeat(count.prod(1).cumsum() - count.prod(1), count.prod(1))
    yz = count[repeated, 1:].prod(1)
    steps = np.stack([within // yz, within % yz // count[repeated, 2], within % count[repeated, 2]], 1)
    cells = first[repeated] + steps
    out = table.take(pa.array(rows[repeated]))
    for k, axis in enumerate("xyz"):
        out = out.append_column(f"cell_{axis}", pa.array(cells[:, k]))
        out = out.append_column(f"low_{axis}", pa.array(low[rows][repeated, k]))
    bucket = hashed(cells) % buckets
    return [out.filter(pa.array(bucket == k)) for k in range(buckets)]


def cell_of(x: NDArray[np.float64]) -> NDArray[np.int64]:
    """The cells of coordinates: it never falls as they grow, which is all that the join needs of it."""
    return np.floor(x / CELL).astype(np.int64)


def store(name: str, table: pa.Table) -> phalanx.Spheres | phalanx.Obbs:
    """The shapes of a table."""
    kind = phalanx.Spheres if name == "sphere" else phalanx.Obbs
    fields = [field for field in table.column_names if not field.startswith(("id", "cell_", "low_"))]
    return kind.from_arrow(table.select(fields))


def join_bucket(spheres: Sequence[pa.Table], boxes: Sequence[pa.Table], hook: Hook = no_pause) -> Arrays:
    """Sweeps the spheres and boxes that share a cell of a bucket, each two in one cell only."""
    a, b = pa.concat_tables(spheres), pa.concat_tables(boxes)
    (cells_a, low_a), (cells_b, low_b) = ([_xyz(it, "cell"), _xyz(it, "low")] for it in (a, b))
    pairs = in_one_cell(cells_a, cells_b)
    hook("join")
    # Both boxes reach into the cell of the larger of their lower ends, and only there the pair counts.
    home = cell_of(np.maximum(low_a[pairs[:, 0]], low_b[pairs[:, 1]]))
    pairs = pairs[(home == cells_a[pairs[:, 0]]).all(1)].astype(np.uint32)
    sweeps = phalanx.Detector(parallel=False).sweep(store("sphere", a), store("box", b), pairs)
    hits = sweeps.pairs(pairs)
    ids = [it["id"].to_numpy()[hits[:, k]] for it, k in ((a, 0), (b, 1))]
    return {"a": ids[0], "b": ids[1], "enter": sweeps.enter[sweeps.hits], "exit": sweeps.exit[sweeps.hits]}


def _xyz(table: pa.Table, name: str) -> NDArray[np.generic]:
    return np.stack([table[f"{name}_{axis}"].to_numpy() for axis in "xyz"], 1)


def hashed(cells: NDArray[np.integer]) -> NDArray[np.int64]:
    """A number for each cell, which is the same for some others."""
    return cells @ np.array([73_856_093, 19_349_663, 83_492_791])


def in_one_cell(a: NDArray[np.integer], b: NDArray[np.integer]) -> NDArray[np.int64]:
    """The pairs of rows that are the same cell."""
    hash_a, hash_b = hashed(a), hashed(b)
    order = np.argsort(hash_b, kind="stable")
    first, last = (np.searchsorted(hash_b[order], hash_a, side) for side in ("left", "right"))
    count = last - first
    rows = np.repeat(np.arange(len(a)), count)
    within = np.arange(len(rows)) - np.repeat(count.cumsum() - count, count)
    pairs = np.stack([rows, order[first[rows] + within]], 1)
    return pairs[(a[pairs[:, 0]] == b[pairs[:, 1]]).all(1)]


# What the client runs.


# States of a task on a worker that has nothing to do for it, or waits for data that no worker computes or sends.
IDLE = {"memory", "released", "forgotten", "error", "cancelled", "waiting", "fetch", "missing"}


def cluster_state(client: Client) -> tuple[bool, bool]:
    """Returns two booleans: the scheduler has workers, and at least one of them has work.

    Both are true if the scheduler does not answer in time, for example because it ends during the request.
    """
    try:
        # `Client.scheduler_info` would block forever without an answer.
        workers = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=2)["workers"].values()
    except (TimeoutError, asyncio.TimeoutError):
        return True, True
    return bool(workers), any(set(worker["metrics"]["task_counts"]) - IDLE for worker in workers)


def gathered(client: Client, futures: Sequence[Future], patience: float = 30.0) -> list[Arrays]:
    """Returns the results.

    Raises ClusterLost if the scheduler is gone, or if for `patience` seconds there was no worker, or no worker had
    work. The latter is a rare fault of the scheduler: after the loss of a worker it may leave tasks unassigned.
    """
    place = client.scheduler.address
    gone = f"the scheduler at {place} is gone; start the run again"
    # The error if nothing changes, and the time since when.
    error, since, done = "", 0.0, -1
    try:
        while not all(future.done() for future in futures):
            if client.status != "running":
                raise ClusterLost(gone)
            has_workers, has_work = cluster_state(client)
            now, seen = "", sum(future.done() for future in futures)
            if not has_workers:
                now = f"the scheduler at {place} has had no worker for {patience:g} s; start one"
            elif not has_work:
                now = f"the workers of the scheduler at {place} have been idle for {patience:g} s; start the run again"
            if now != error or seen != done:
                error, since, done = now, time.monotonic(), seen
            elif error and time.monotonic() - since > patience:
                raise ClusterLost(error)
            time.sleep(0.02)
        return client.gather(list(futures))
    except (CommClosedError, OSError, CancelledError, asyncio.CancelledError) as lost:
        raise ClusterLost(gone) from lost


def run_map(client: Client, folder: Path, hook: Hook = no_pause) -> Arrays:
    """Sweeps of all pairs, in the order of the files."""
    return concatenated(gathered(client, client.map(sweep_part, files(folder, "pairs"), hook=hook)))


def run_join(client: Client, folder: Path, buckets: int = 8, hook: Hook = no_pause) -> Arrays:
    """All spheres and boxes that touch during the frame, sorted by their ids."""
    pieces: dict[str, list[list[Future]]] = {}
    for name in ("sphere", "box"):
        cuts = client.map(cut, files(folder, name), name=name, buckets=buckets, hook=hook)
        pieces[name] = [[client.submit(operator.getitem, it, k) for it in cuts] for k in range(buckets)]
    joined = [client.submit(join_bucket, pieces["sphere"][k], pieces["box"][k], hook) for k in range(buckets)]
    return in_order(concatenated(gathered(client, joined)))


def local_map(folder: Path) -> Arrays:
    """The answer of `run_map`, without a cluster."""
    return concatenated(sweep_part(path) for path in files(folder, "pairs"))


def local_join(folder: Path) -> Arrays:
    """The answer of `run_join`, without a cluster and without cells: by the broadphase of the core."""
    tables = {name: pa.concat_tables(pq.read_table(path) for path in files(folder, name)) for name in ("sphere", "box")}
    a, b = (store(name, table).copy() for name, table in tables.items())
    detector = phalanx.Detector()
    pairs = detector.candidates(a, b, "frame")
    sweeps = detector.sweep(a, b, pairs)
    hits = sweeps.pairs(pairs)
    ids = [table["id"].to_numpy()[hits[:, k]] for k, table in enumerate(tables.values())]
    return in_order({"a": ids[0], "b": ids[1], "enter": sweeps.enter[sweeps.hits], "exit": sweeps.exit[sweeps.hits]})


def concatenated(parts: Iterable[Arrays]) -> Arrays:
    """The columns of parts, one after the other."""
    parts = list(parts)
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def in_order(hits: Arrays) -> Arrays:
    """Hits sorted by their ids."""
    order = np.lexsort([hits["b"], hits["a"]])
    return {name: column[order] for name, column in hits.items()}


def same_bits(x: Arrays, y: Arrays) -> bool:
    """Whether two answers are equal, bit for bit."""
    return x.keys() == y.keys() and all(
        x[name].dtype == y[name].dtype and x[name].tobytes() == y[name].tobytes() for name in x
    )
