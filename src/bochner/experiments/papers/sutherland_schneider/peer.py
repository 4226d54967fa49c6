"""Prevalence: the embedding that libraries use, beside the better one, at equal width."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_approximation import RBFSampler

from .... import theory
from ....kernels import Gaussian
from ....maps import FourierFeatures
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table
from ...style import LOOKS, legend_below

WIDTH, DIM, DIRECTIONS = 100, 5, 20
DISTANCES = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
PEERS = {"paired": "paired", "RBFSampler": "shifted"}  # and the embedding behind it


def run(quick: bool, progress: Progress) -> Result:
    """Mean squared error at equal width, in random directions of five columns."""
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(DIRECTIONS, DIM))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    start = rng.normal(size=(DIRECTIONS, DIM))
    ends = [start + distance * directions for distance in DISTANCES]
    squares = _squares(np.concatenate([start, *ends]), 300 if quick else 5000, progress)
    rows: list[tuple[Any, ...]] = []
    for name, embedding in PEERS.items():
        for at, distance in enumerate(DISTANCES):
            values = squares[name][:, at]
            exact = float(theory.variance(Gaussian(1.0), [distance], WIDTH, embedding=embedding)[0])  # type: ignore[arg-type]
            rows.append((name, distance, exact, float(values.mean()), float(values.std() / np.sqrt(len(values)))))
    table = Table("peer", "Mean squared error", ("map", "distance", "theory", "measured", "standard error"), rows)
    ratios = [
        (distance, ours[2] / theirs[2], ours[3] / theirs[3], float(np.hypot(ours[4] / ours[3], theirs[4] / theirs[3])))
        for distance, ours, theirs in zip(DISTANCES, table.where(map="paired").rows, table.where(map="RBFSampler").rows)
    ]
    return Result(
        tables=(
            Table(
                "ratio",
                f"Mean squared error of paired features / scikit-learn's RBFSampler, D = {WIDTH} each",
                ("distance", "published", "measured", "standard error"),
                [(distance, exact, found, found * error) for distance, exact, found, error in ratios],
            ),
        ),
        pictures=(
            Picture(
                "peer",
                "The embedding of most libraries, beside the better one",
                f"Root mean squared error of kernel values at {WIDTH} features against the distance of the points: "
                "scikit-learn's RBFSampler, which draws shifted cosines, and paired cosines and sines.",
                table,
                _draw,
            ),
        ),
        claims=(
            Claim(
                "At equal width paired features have the smaller mean squared error at every distance, by the ratio of "
                "the variance formulas.",
                all(found < 1.0 and abs(found / exact - 1.0) < 5.0 * error for _, exact, found, error in ratios[:4])
                and all(found < 1.0 + 5.0 * error for _, _, found, error in ratios),
                {f"ratio at {distance:g}": found for distance, _, found, _ in ratios[:3]},
            ),
        ),
    )


def _squares(rows: np.ndarray, n_draws: int, progress: Progress) -> dict[str, np.ndarray]:
    """Squared errors of each draw, the mean over directions, by distance."""
    fitted = FourierFeatures(Gaussian(1.0), WIDTH, directions="iid", random_state=0).fit(rows)
    exact = np.exp(-0.5 * np.square(DISTANCES))[:, None]
    squares = {name: np.empty((n_draws, len(DISTANCES))) for name in PEERS}
    for draw in progress(range(n_draws), "RBFSampler"):
        drawn = {
            "paired": fitted.redrawn(rows, draw).features_(rows),
            "RBFSampler": RBFSampler(gamma=0.5, n_components=WIDTH, random_state=draw).fit_transform(rows),
        }
        for name, Z in drawn.items():
            parts = Z.reshape(-1, DIRECTIONS, WIDTH)
            squares[name][draw] = ((np.einsum("ik,jik->ji", parts[0], parts[1:]) - exact) ** 2).mean(axis=1)
    return squares


def _draw(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    fine = np.linspace(0.0, 3.2, 100)
    for name, embedding in PEERS.items():
        exact = [theory.variance(Gaussian(1.0), [z], WIDTH, embedding=embedding)[0] for z in fine]  # type: ignore[arg-type]
        axes.plot(fine, np.sqrt(exact), **LOOKS[name].theory(label=f"{embedding}, theory"))
        some = table.where(map=name)
        label = "scikit-learn's RBFSampler, measured" if name == "RBFSampler" else "paired, measured"
        axes.plot(some.column("distance"), np.sqrt(some.column("measured")), **LOOKS[name].measured(label=label))
    axes.set(xlim=(0, 3.2), ylim=(0, 0.105), xlabel="distance of the two points (length scales)")
    axes.set_ylabel(f"root mean squared error, D = {WIDTH}")
    legend_below(figure, axes)
