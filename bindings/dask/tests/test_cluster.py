"""Runs on processes: equal to local ones, also when a process is ended in their middle."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import failures
import join
from processes import Cluster, until

HERE = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dask") / "data"
    join.make(folder, 4000, 3)
    return folder


@pytest.mark.timeout(240)
@pytest.mark.parametrize("workers", [1, 2])
def test_answers_are_the_local_ones(folder, workers):
    with Cluster(workers) as cluster:
        assert join.same_bits(join.run_map(cluster.client, folder), join.local_map(folder))
        assert join.same_bits(join.run_join(cluster.client, folder), join.local_join(folder))
    assert all(process.poll() is not None for process in cluster.processes)
    assert not cluster.folder.exists()


@pytest.mark.timeout(300)
@pytest.mark.parametrize("stage", failures.STAGES)
def test_a_worker_may_end_in_any_stage(folder, stage):
    assert failures.worker_ended(folder, stage) < 120


@pytest.mark.timeout(300)
def test_the_scheduler_may_not_end(folder):
    message, seconds = failures.scheduler_ended(folder)
    assert message.startswith("the scheduler at tcp://127.0.0.1:") and seconds < 60


@pytest.mark.timeout(240)
def test_no_worker_is_left(folder):
    with Cluster(1) as cluster:
        os.kill(cluster.workers[0].pid, signal.SIGKILL)
        futures = cluster.client.map(join.sweep_part, join.files(folder, "pairs"))
        with pytest.raises(join.ClusterLost, match="has had no worker for 3 s; start one"):
            join.gathered(cluster.client, futures, patience=3)


@pytest.mark.timeout(240)
def test_idle_workers_with_tasks_left_end_the_wait(folder):
    with Cluster(1) as cluster:
        path = join.files(folder, "pairs")[0]
        # No worker has this resource, so the scheduler assigns the task to none.
        futures = [cluster.client.submit(join.sweep_part, path, resources={"nowhere": 1})]
        with pytest.raises(join.ClusterLost, match="have been idle for 3 s; start the run again"):
            join.gathered(cluster.client, futures, patience=3)
        del futures
        assert join.same_bits(join.run_map(cluster.client, folder), join.local_map(folder))


@pytest.mark.timeout(240)
def test_an_error_of_a_task_comes_back(tmp_path):
    tmp_path.joinpath("pairs-000.parquet").write_bytes(b"no Parquet")
    with Cluster(1) as cluster, pytest.raises(Exception, match="Parquet magic bytes not found"):
        join.run_map(cluster.client, tmp_path)


@pytest.mark.timeout(240)
def test_no_process_outlives_the_one_that_began_it():
    program = """
import sys, time
from processes import Cluster
with Cluster(1) as cluster:
    print(*[process.pid for process in cluster.processes], cluster.folder, flush=True)
    time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=HERE, stdout=subprocess.PIPE, text=True)
    try:
        *pids, folder = parent.stdout.readline().split()
        assert len(pids) == 2 and all(alive(int(pid)) for pid in pids)
    finally:
        parent.kill()
        parent.wait()
    until(lambda: not any(alive(int(pid)) for pid in pids), "a process is still there", 30)
    for path in sorted(Path(folder).rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    Path(folder).rmdir()


def alive(pid):
    """Whether a process runs: it may have ended and wait for whoever inherited it."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()


def test_a_wait_has_an_end():
    begin = time.monotonic()
    with pytest.raises(TimeoutError, match="nothing has come in 0.1 s"):
        until(lambda: False, "nothing has come", 0.1)
    assert time.monotonic() - begin > 0.1
