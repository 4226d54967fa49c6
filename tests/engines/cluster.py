"""Clusters for tests, and steps that harm the workers they run on; importable by workers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bochner.blocks import Block


@contextmanager
def local_cluster(**options) -> Iterator:
    """A cluster on this machine whose workers can import the tests."""
    import distributed

    root = str(Path(__file__).parents[2])
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([root, before or ""])
    try:
        with distributed.LocalCluster(threads_per_worker=1, dashboard_address=None, **options) as cluster:
            yield cluster
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


@dataclass(frozen=True)
class Deadly:
    """End the process, as the system does when memory is short, while a file is there; never the test's own."""

    marker: str
    test: int

    def __call__(self, block: Block) -> Block:
        if Path(self.marker).exists() and os.getpid() != self.test:
            os.kill(os.getpid(), signal.SIGKILL)
        return block

    def __reduce__(self):
        return Deadly, (self.marker, self.test)


@dataclass(frozen=True)
class Hungry:
    """Take a lot of memory on a worker."""

    n_bytes: int
    test: int

    def __call__(self, block: Block) -> Block:
        if os.getpid() != self.test:
            np.ones(self.n_bytes, dtype=np.uint8).sum()
        return block
