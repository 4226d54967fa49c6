"""Fits of learners that iterate, killed with SIGKILL as they save, and resumed; a program that test_kill runs.

Children are forked from here, so that the library is loaded once. Arguments: a folder, how, and names of learners. How:
"staged" for one fit that is killed a few times on the way, or a number k for one fit for every k-th save, killed there.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import bochner as bo
from bochner.engines import checkpoint
from tests.engines.saved import saving

N_ROWS = 4200
REPLACE = os.replace


def features(width: int) -> bo.FourierFeatures:
    return bo.FourierFeatures(bo.Gaussian(1.5), n_components=width, random_state=0)


LEARNERS: dict[str, Callable[[], Any]] = {
    "ridge": lambda: bo.KernelRidge(features(60), alpha=0.01),
    "ridge-cg": lambda: bo.KernelRidge(features(60), solver="cg", tol=1e-4),
    "ridge-binned": lambda: bo.KernelRidge(bo.BinningFeatures(bo.Laplace(2.0), n_grids=8, random_state=0), alpha=0.1),
    "svc-newton": lambda: bo.KernelSVC(features(40), solver="newton"),
    "svc-newton-cg": lambda: bo.KernelSVC(features(40), solver="newton-cg"),
    "svc-hinge": lambda: bo.KernelSVC(features(20), loss="hinge", tol=1e-1),
    "svc-path": lambda: bo.KernelSVC(features(20), C="auto", tol=1e-2),
    "svc-probability": lambda: bo.KernelSVC(features(20), probability=True, tol=1e-2),
    "svc-classes": lambda: bo.KernelSVC(features(20), solver="newton"),
    "logistic": lambda: bo.KernelLogisticRegression(features(40), solver="newton"),
    "logistic-cg": lambda: bo.KernelLogisticRegression(features(40), solver="newton-cg"),
    "logistic-classes": lambda: bo.KernelLogisticRegression(features(20)),
}


def source(name: str) -> bo.ArrayBlocks:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 3))
    score = np.sin(2 * X[:, 0]) + X[:, 1] + 0.3 * rng.normal(size=N_ROWS)
    y = score if name.startswith("ridge") else np.digitize(score, [-0.5, 0.5] if "classes" in name else [0.0])
    return bo.ArrayBlocks(X, y)


def result(name: str, folder: Path | None) -> np.ndarray:
    model = saving(LEARNERS[name]().set_params(engine=bo.ThreadEngine(memory="8MB")), folder).fit(source(name))
    parts = [model.coef_, model.intercept_] + ([model.predict_proba(source(name).X[:50])] if "prob" in name else [])
    return np.concatenate([np.ravel(part) for part in parts])


def killed_at(save: int, after: bool) -> None:
    """End this process at its ``save``-th save: with the new file not yet in place, or just there."""
    left = [save]

    def replace(old: Any, new: Any) -> None:
        left[0] -= 1
        if left[0] == 0 and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        REPLACE(old, new)
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    os.replace = replace


def run(name: str, folder: Path, save: int, after: bool) -> bool:
    """Fit in a child that is killed at a save; whether it came to the end before."""
    child = os.fork()
    if child == 0:
        killed_at(save, after)
        np.save(folder / "result.npy", result(name, folder / "saved"))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0, "a resumed fit failed"
    return not os.WIFSIGNALED(status)


def staged(name: str, folder: Path, moments: list[int]) -> int:
    """Kills on the way to the end: at each of these saves in turn, then never."""
    folder.mkdir(parents=True)
    for count, save in enumerate(moments):
        if run(name, folder, save, after=count % 2 == 0):
            return count
    assert run(name, folder, 10**9, after=False)
    return len(moments)


def staged_fit(name: str, folder: Path) -> int:
    """One fit, killed again and again; how often."""
    kills = staged(name, folder, [2, 5, 30, 70])
    np.testing.assert_array_equal(np.load(folder / "result.npy"), result(name, None))
    return kills


def fits_killed(name: str, folder: Path, every: int) -> int:
    """Fits killed once, each at another save, until there are no more saves; how many."""
    expected = result(name, None)
    for kills, save in enumerate(range(1, 10**6, every)):
        killed = staged(name, folder / str(save), [save])
        np.testing.assert_array_equal(np.load(folder / str(save) / "result.npy"), expected)
        if not killed:
            return kills
    raise AssertionError("no fit came to its end")


if __name__ == "__main__":
    root, mode, names = Path(sys.argv[1]), sys.argv[2], sys.argv[3:]
    checkpoint.LEAST_SECONDS, checkpoint.SAVE_SHARE = 0.0, 1e9  # every block and every pass is saved
    os.fsync = lambda descriptor: None  # a killed process loses nothing that it has written
    for name in names:
        print(name, staged_fit(name, root / name) if mode == "staged" else fits_killed(name, root / name, int(mode)))
