"""Programs that may crash."""

import subprocess
import sys


def child(program):
    """Runs a program in a process of its own, since a stray read kills the process. Returns its output."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return done.stdout
