"""After kill -9 at any moment the same call resumes and ends with the same bits, for learners that iterate too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .killed_fits import LEARNERS

QUICK = ["ridge-cg", "svc-newton", "svc-newton-cg", "svc-hinge", "logistic"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")


def kills(folder: Path, how: str, names: list[str]) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.engines.killed_fits", str(folder), how, *names]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: int(count) for name, count in map(str.split, done.stdout.splitlines())}


def test_killed_several_times_on_the_way(tmp_path) -> None:
    counts = kills(tmp_path, "staged", QUICK)
    assert list(counts) == QUICK
    assert min(counts.values()) >= 2


@pytest.mark.slow
def test_killed_several_times_on_the_way_others(tmp_path) -> None:
    counts = kills(tmp_path, "staged", sorted(set(LEARNERS) - set(QUICK)))
    assert min(counts.values()) >= 2


@pytest.mark.slow
def test_killed_at_every_third_save(tmp_path) -> None:
    counts = kills(tmp_path, "3", ["ridge", "svc-newton", "logistic-cg"])
    assert min(counts.values()) >= 3
