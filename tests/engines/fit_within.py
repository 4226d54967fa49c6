"""Fit a file in a given memory and tell the peak; run by test_memory as a program of its own."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

import numpy as np
import psutil

import bochner as bo


def peak() -> int:
    """Peak resident bytes. On Linux getrusage inherits the peak of the parent: the process's own record is read."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) * 1024


if __name__ == "__main__":
    path, memory, scale = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    kernel = bo.Gaussian("median" if scale == "median" else float(scale))

    def model() -> bo.KernelRidge:
        features = bo.FourierFeatures(kernel, n_components=64, random_state=0)
        return bo.KernelRidge(features, alpha=1.0, engine=bo.ThreadEngine(memory=memory))

    rng = np.random.default_rng(0)
    model().fit(rng.normal(size=(300, 20)), rng.normal(size=300))  # what is loaded and compiled is not the data's
    import pyarrow.dataset  # noqa: F401

    before = psutil.Process().memory_info().rss
    fitted = model().fit(bo.ParquetBlocks(path, target="y"))
    print(fitted.statistic_.n_rows, peak() - before)
