"""Ends a worker by force in the middle of each stage, and the scheduler, and checks what comes of it.

python failures.py [--rows 20000]
"""

import argparse
import logging
import os
import signal
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import join
from join import Arrays, ClusterLost, Pause
from processes import Cluster, until

# The stages, each with the run that has it.
STAGES = {"map": "map", "cells": "join", "join": "join"}
RUNS = {"map": (join.run_map, join.local_map), "join": (join.run_join, join.local_join)}
# Seconds that the stage waits in its middle, in which its worker is ended: far longer than that takes.
PAUSE = 300.0


def run_and_end(cluster: Cluster, folder: Path, stage: str, end_scheduler: bool) -> tuple[Arrays, float]:
    """Runs a stage's run and ends a process in the middle of the stage: its worker, or the scheduler.

    Returns the answer, and how many seconds after that it came. ClusterLost has the time in `seconds`.
    """
    run, _ = RUNS[STAGES[stage]]
    with tempfile.TemporaryDirectory(prefix="phalanx-dask-") as marks, ThreadPoolExecutor(1) as pool:
        answer = pool.submit(run, cluster.client, folder, hook=Pause(stage, Path(marks), PAUSE))
        try:
            mark = Path(marks) / f"in-{stage}"
            until(lambda: answer.done() or (mark.exists() and mark.read_text() != ""), f"stage {stage} has not begun")
            # The worker that says to be in the stage waits there now.
            pid = int(mark.read_text())
            process = next(worker for worker in cluster.workers if worker.pid == pid)
            assert process.poll() is None and not answer.done()
            victim = cluster.scheduler if end_scheduler else process
            begin = time.perf_counter()
            os.kill(victim.pid, signal.SIGKILL)
            assert victim.wait(10) == -signal.SIGKILL
            try:
                return answer.result(timeout=120), time.perf_counter() - begin
            except ClusterLost as error:
                error.seconds = time.perf_counter() - begin
                raise
        finally:
            # The pool blocks until its thread ends, which without a cluster it does.
            if not answer.done():
                cluster.end()


def worker_ended(folder: Path, stage: str) -> float:
    """Ends a worker of two in a stage. Returns the seconds until the answer, which must be right.

    If the scheduler no longer assigns tasks after that, the run is started again.
    """
    run, local = RUNS[STAGES[stage]]
    with Cluster(2) as cluster:
        try:
            answer, seconds = run_and_end(cluster, folder, stage, end_scheduler=False)
        except ClusterLost as error:
            answer, seconds = None, error.seconds
        if answer is None:
            answer = run(cluster.client, folder)
        if not join.same_bits(answer, local(folder)):
            raise SystemExit(f"after a worker was ended in stage {stage} the answer is wrong")
    return seconds


def scheduler_ended(folder: Path) -> tuple[str, float]:
    """Ends the scheduler in a join, and runs the join anew. Returns the error, and the seconds until it."""
    with Cluster(2) as cluster:
        try:
            run_and_end(cluster, folder, "join", end_scheduler=True)
        except ClusterLost as error:
            message, seconds = str(error), error.seconds
        else:
            raise SystemExit("there is an answer without a scheduler")
    with Cluster(2) as cluster:
        if not join.same_bits(join.run_join(cluster.client, folder), join.local_join(folder)):
            raise SystemExit("the run after that is wrong")
    return message, seconds


def main() -> None:
    # What becomes of the client's connection is not news here.
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="phalanx-dask-") as temporary:
        folder = Path(temporary) / "data"
        join.make(folder, options.rows, 4)
        for stage in STAGES:
            seconds = worker_ended(folder, stage)
            print(f"a worker of 2 ended in stage {stage!r}: the right answer {seconds:.2f} s later", flush=True)
        message, seconds = scheduler_ended(folder)
        print(f"the scheduler ended in stage 'join': ClusterLost {seconds:.2f} s later, the next run is right")
        print(f"  {message}")


if __name__ == "__main__":
    main()
