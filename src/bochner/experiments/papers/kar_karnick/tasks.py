"""Other kernel machines on Maclaurin features, which the poster asks for: principal components, ridge, k-means."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import eigh

from ....learners import ExactKernelRidgeClassifier, KernelMeans, KernelPCA, KernelRidgeClassifier
from ....maps import MaclaurinFeatures, NystroemFeatures
from ...datasets import DataSets
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table
from ...simulation import mean
from ...style import LOOKS, legend_below
from .machines import PUBLISHED_MAP, kernel_of, percent
from .sets import Rows, prepared

NAME, KERNEL, ALPHA, CLUSTERS, COMPONENTS = "cod-rna", "exponential", 1.0, 8, 5
WAYS: dict[str, dict[str, Any]] = {"random features": dict(PUBLISHED_MAP), "h01": PUBLISHED_MAP | {"h01": True}}
TASKS = {
    "principal components": f"relative error of the\n{COMPONENTS} largest eigenvalues",
    "ridge": "rise of the test error\n(points)",
    "k-means": "relative rise of squared\ndistances to centres",
}
LOOK = {"random features": LOOKS["maclaurin"], "h01": LOOKS["h01"]}
COLUMNS = ("task", "map", "D", "exact", "measured", "error", "standard error")


def run(quick: bool, data: DataSets, progress: Progress) -> Result:
    """Each machine with features, beside the machine with the kernel itself on the same rows."""
    n_rows, n_test, n_draws = (400, 400, 3) if quick else (1500, 10_000, 5)
    rows = prepared(NAME, data).some(n_rows, n_test)
    truth = ExactMachines(rows)
    found: list[tuple[Any, ...]] = []
    for width in progress((100, 800) if quick else (50, 100, 200, 400, 800, 1600), "other machines"):
        for way, draw in WAYS.items():
            measured = np.array([_one(rows, truth, width, draw, seed) for seed in range(n_draws)])
            for at, task in enumerate(TASKS):
                values, errors = measured[:, at, 0], measured[:, at, 1]
                found.append((task, way, width, truth.values[at], float(values.mean()), *mean(errors)))
    table = Table("tasks", "Machines on Maclaurin features beside the same with the kernel itself", COLUMNS, found)
    last, first = max(table.values("D")), min(table.values("D"))
    error = {(row[0], row[1], row[2]): row[5] for row in table.rows}
    limits = {"principal components": 0.2 if quick else 0.05, "ridge": 3.0 if quick else 1.0, "k-means": 0.05}
    return Result(
        tables=(table,),
        pictures=(
            Picture(
                "other-machines",
                "Other machines on Maclaurin features",
                f"Kernel principal components, ridge and k-means with random features and H0/1 on {n_rows} rows of "
                "Cod-RNA, exponential kernel, beside the machine with the kernel itself: errors against the number of "
                "features, mean over draws with two standard errors.",
                table,
                _draw,
                (5.8, 8.0),
            ),
        ),
        claims=(
            Claim(
                "Kernel principal components, ridge and k-means on Maclaurin features come close to those of the "
                f"kernel itself: eigenvalues within {limits['principal components']:.0%}, accuracy within "
                f"{limits['ridge']:g} points, squared distances within {limits['k-means']:.0%}.",
                all(error[task, "h01", last] < limit for task, limit in limits.items()),
                {f"{task}, H0/1, D = {last}": error[task, "h01", last] for task in TASKS},
            ),
            Claim(
                "With few features H0/1 is the better for principal components.",
                error["principal components", "h01", first] < error["principal components", "random features", first],
                {f"{way}, D = {first}": error["principal components", way, first] for way in WAYS},
            ),
        ),
    )


class ExactMachines:
    """The three machines with the kernel itself: eigenvalues, accuracy, squared distances to the best centres."""

    def __init__(self, rows: Rows) -> None:
        kernel = kernel_of(NAME, KERNEL)
        self.gram = kernel(rows.X.astype(float), rows.X.astype(float))
        n = len(self.gram)
        means = self.gram.mean(axis=0)
        centred = self.gram - means[:, None] - means[None, :] + means.mean()
        self.eigenvalues = eigh(centred, eigvals_only=True, subset_by_index=(n - COMPONENTS, n - 1))[::-1]
        ridge = ExactKernelRidgeClassifier(kernel, ALPHA).fit(rows.X, rows.y)
        # All rows as landmarks: the kernel itself, up to rounding.
        means_ = KernelMeans(CLUSTERS, NystroemFeatures(kernel, n), random_state=0).fit(rows.X.astype(float))
        self.values = (
            float(self.eigenvalues[0]),
            percent(ridge.predict(rows.X_test) == rows.y_test),
            self.distances(means_.labels_),
        )

    def distances(self, labels: Any) -> float:
        """Sum of squared distances to the centres of these clusters, in the space of the kernel itself."""
        within = sum(
            self.gram[np.ix_(mine, mine)].sum() / mine.sum() for mine in (labels == one for one in set(labels))
        )
        return float(np.trace(self.gram) - within)


def _one(rows: Rows, truth: ExactMachines, width: int, draw: dict[str, Any], seed: int) -> list[tuple[float, float]]:
    """Measured value and error of each task for one draw."""
    total = width + (rows.X.shape[1] + 1 if "h01" in draw else 0)
    features = MaclaurinFeatures(kernel_of(NAME, KERNEL), total, random_state=seed, **draw)
    X = rows.X.astype(float)
    found = KernelPCA(COMPONENTS, features).fit(X).eigenvalues_
    accuracy = percent(KernelRidgeClassifier(features, ALPHA).fit(X, rows.y).predict(rows.X_test) == rows.y_test)
    distances = truth.distances(KernelMeans(CLUSTERS, features, random_state=0).fit(X).labels_)
    return [
        (float(found[0]), float(np.abs(found / truth.eigenvalues - 1.0).mean())),
        (accuracy, truth.values[1] - accuracy),
        (distances, distances / truth.values[2] - 1.0),
    ]


def _draw(figure: Any, table: Table) -> None:
    panels = figure.subplots(len(TASKS), 1, sharex=True)
    for axes, (task, label) in zip(panels, TASKS.items()):
        for way, look in LOOK.items():
            some = table.where(task=task, map=way)
            name = "H0/1" if way == "h01" else way
            axes.errorbar(
                some.column("D"), some.column("error"), yerr=2 * some.column("standard error"), **look.both(label=name)
            )
        axes.axhline(0.0, **LOOKS["exact"].theory(linewidth=1.0, label="the kernel itself"))
        axes.set(xscale="log", ylabel=label, title=task.capitalize())
    panels[-1].set(xlabel="number of random features D")
    panels[-1].set_xticks(table.values("D"), [str(D) for D in table.values("D")])
    panels[-1].minorticks_off()
    legend_below(figure, panels[0], 3)
