"""A Dask scheduler and workers, each a process of this machine, which all end with the one that began them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import dask
from distributed import Client

HERE = Path(__file__).parent
# Seconds until a process has started, even on a busy machine.
START = 120
# Nobody else can reach them.
LOCAL = ["--host", "127.0.0.1", "--no-dashboard"]


class Cluster:
    """A scheduler and workers of one thread each. Leaving the context ends them all."""

    def __init__(self, workers: int) -> None:
        self.wanted = workers
        self.folder = Path(tempfile.mkdtemp(prefix="phalanx-dask-"))
        self.processes: list[subprocess.Popen[bytes]] = []
        self.client: Client | None = None

    def __enter__(self) -> Self:
        try:
            file = self.folder / "scheduler.json"
            self.scheduler = self.start("scheduler", "--scheduler-file", str(file), *LOCAL, "--port", "0")
            until(lambda: file.exists() and file.read_text().endswith("}"), "the scheduler has not started")
            address = json.loads(file.read_text())["address"]
            self.workers = [
                self.start("worker", address, *LOCAL, "--nthreads", "1", "--no-nanny", "--memory-limit", "0")
                for _ in range(self.wanted)
            ]
            # How long a client tries to come back to a scheduler that is gone.
            with dask.config.set({"distributed.comm.timeouts.connect": "5s"}):
                self.client = Client(address, timeout=START, set_as_default=False)
            self.client.wait_for_workers(self.wanted, timeout=START)
            return self
        except BaseException:
            self.end()
            raise

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """A process of Dask, which ends if this one does."""
        # One thread for each worker; what it computes with must not start more.
        environment = os.environ | {"PHALANX_PARENT": str(os.getpid()), "OMP_NUM_THREADS": "1"}
        environment |= {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
        environment |= {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s"}
        log = open(self.folder / f"log-{len(self.processes)}", "wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", *arguments, "--preload", str(HERE / "end_with_parent.py")],
                env=environment,
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def log(self) -> str:
        """What the processes have printed."""
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("log-*")))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Ends every process, and removes what they wrote."""
        try:
            if self.client is not None:
                self.client.close(timeout=5)
        finally:
            for process in self.processes:
                process.send_signal(signal.SIGKILL)
            for process in self.processes:
                process.wait()
            shutil.rmtree(self.folder, ignore_errors=True)


def until(done: Callable[[], bool], otherwise: str, seconds: float = START) -> None:
    """Waits for something, or raises a TimeoutError that says what did not come."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise TimeoutError(f"{otherwise} in {seconds} s")
        time.sleep(0.01)
