"""Runs the map and the join on 1 and on 2 workers, and compares them with local answers bit for bit.

python cluster.py [--rows 200000] [--parts 8] [--repeat 3]
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import join
from join import Arrays
from processes import Cluster


def timed(ask: Callable[[], Arrays]) -> tuple[Arrays, float]:
    """An answer, and how many seconds it took."""
    begin = time.perf_counter()
    answer = ask()
    return answer, time.perf_counter() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000, help="pairs of the map; spheres, and boxes, of the join")
    parser.add_argument("--parts", type=int, default=8, help="files of each data set")
    parser.add_argument("--repeat", type=int, default=3, help="of which the best counts")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="phalanx-dask-") as temporary:
        folder = Path(temporary) / "data"
        join.make(folder, options.rows, options.parts)
        local = {}
        print(f"{options.rows} rows in {options.parts} files, {os.cpu_count()} cores")
        for name, ask in (("map", join.local_map), ("join", join.local_join)):
            runs = [timed(partial(ask, folder)) for _ in range(options.repeat)]
            local[name] = runs[0][0]
            print(f"{name:5} local       {min(run[1] for run in runs):7.3f} s  {hits(local[name])} hits")
        for workers in (1, 2):
            for name, run in (("map", join.run_map), ("join", join.run_join)):
                took = []
                for _ in range(options.repeat):
                    # A new cluster each time, which remembers nothing.
                    with Cluster(workers) as cluster:
                        answer, seconds = timed(partial(run, cluster.client, folder))
                    if not join.same_bits(answer, local[name]):
                        raise SystemExit(f"{name} on {workers} workers differs from the local answer")
                    took.append(seconds)
                print(
                    f"{name:5} {workers} worker{'s' if workers > 1 else ' '}   {min(took):7.3f} s  equal, bit for bit"
                )


def hits(answer: Arrays) -> int:
    """How many pairs touch."""
    return int(answer["hit"].sum()) if "hit" in answer else len(answer["a"])


if __name__ == "__main__":
    main()
