# ruff: noqa: T201  standing in for a program that talks
"""Stands in for a worker with a pool: a child process that ignores SIGTERM sent to the group."""

import signal
import subprocess
import sys
import time

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(f"working with child {child.pid}", flush=True)


def finish(*_: object) -> None:
    print("finishing the task", flush=True)
    time.sleep(0.3)
    # The child is alive until the end: a signal to the whole group would have ended it before.
    print(f"finished, child ended: {child.poll() is not None}", flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, finish)
while True:
    time.sleep(1)
