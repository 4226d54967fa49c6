"""How the settings were found: ``python -m bochner.experiments.papers.kar_karnick.tuning [SET ...]`` finds them again.

Each C has the highest accuracy over three folds of some training rows of its set; of C that are as good within half a
standard error the smallest. Test rows have no part in it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...datasets import DataSets
from .machines import exact, linear, percent
from .poster import KERNELS, MACHINES, SETS
from .sets import Rows, prepared

GRIDS = {
    ("exact", "polynomial"): (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0),
    ("exact", "exponential"): (0.1, 1.0, 10.0, 100.0, 1000.0),
    ("random features", "polynomial"): (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0),
    ("random features", "exponential"): (1e-2, 1e-1, 1.0, 10.0, 100.0),
    ("h01", "polynomial"): (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0),
    ("h01", "exponential"): (1e-2, 1e-1, 1.0, 10.0, 100.0),
}
N_ROWS, N_FOLDS = 6000, 3


def tuned(rows: Rows, kernel: str, machine: str) -> tuple[float, dict[float, float]]:
    """The chosen C, and the accuracy of each over the folds."""
    folds = np.arange(len(rows.X)) % N_FOLDS
    accuracy: dict[float, float] = {}
    for penalty in GRIDS[machine, kernel]:
        right = [_right(rows.fold(folds == fold), kernel, machine, penalty, fold) for fold in range(N_FOLDS)]
        accuracy[penalty] = percent(np.concatenate(right))
    best = max(accuracy.values())
    slack = 0.5 * 100.0 * np.sqrt(best / 100.0 * (1.0 - best / 100.0) / len(rows.X))
    return min(penalty for penalty, value in accuracy.items() if value >= best - slack), accuracy


def _right(part: Rows, kernel: str, machine: str, penalty: float, seed: int) -> Any:
    if machine == "exact":
        model = exact(part.name, kernel, penalty)
    else:
        model = linear(part.name, kernel, machine, part.X.shape[1], penalty, seed)
    return model.fit(part.X, part.y).predict(part.X_test) == part.y_test


def main(names: Sequence[str] = ()) -> None:
    """Print the settings of these sets, of all if none is named, as lines of ``settings``."""
    for name in names or SETS:
        rows = prepared(name, DataSets(quick=False)).some(N_ROWS, 1)
        for kernel in KERNELS:
            for machine in MACHINES:
                penalty, accuracy = tuned(rows, kernel, machine)
                found = ", ".join(f"{value:g}: {percent_:.2f}" for value, percent_ in accuracy.items())
                print(f'    ("{name}", "{kernel}", "{machine}"): {penalty:g},  # {found}', flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
