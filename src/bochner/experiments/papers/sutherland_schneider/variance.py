"""Figure 1: the variance of both embeddings, exact and measured."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import theory
from ....kernels import Cauchy, Gaussian
from ....maps import FourierFeatures
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table, comparison
from ...style import GREY, LOOKS, PUBLISHED, legend_below

WIDTH = 50
DISTANCES = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
EMBEDDINGS = ("paired", "shifted")
COLUMNS = ("embedding", "distance", "exact", "measured", "standard error")


def run(quick: bool, progress: Progress) -> Result:
    """D Var z(x)'z(y) against the distance, in units of the length scale."""
    rows: list[tuple[Any, ...]] = []
    for embedding in progress(EMBEDDINGS, "figure 1"):
        for distance, square, error in measured(embedding, 1000 if quick else 20_000):
            rows.append((embedding, distance, exact(embedding, distance), square, error))
    table = Table("variance", "Variance times D", COLUMNS, rows)
    errors = np.abs(table.column("measured") - table.column("exact")) / table.column("standard error")
    fine = np.linspace(0.01, 5.0, 500)
    gap = np.array([exact("shifted", z) - exact("paired", z) for z in fine])
    single = table.where(embedding="paired", distance=1.0).rows[0]
    printed = 0.5 * (1.0 - np.exp(-1.0))
    flip = theory.flip_distance(Cauchy(1.0))
    return Result(
        tables=(
            comparison(
                [
                    ("Var cos(w'Δ) at one length scale, as printed", printed, single[3] / 2.0, single[4] / 2.0),
                    ("the same with the square", single[2] / 2.0, single[3] / 2.0, single[4] / 2.0),
                    *((f"D Var, {row[0]}, distance {row[1]:g}", *row[2:]) for row in rows),
                ]
            ),
        ),
        pictures=(
            Picture(
                "figure-1",
                "Figure 1: variance per dimension",
                "Variance of the estimate times D against the distance of the two points. The paired embedding is "
                "better everywhere, most where the kernel is large; the star is the printed formula, whose square is "
                "missing.",
                _curves(table, printed),
                _draw,
            ),
        ),
        claims=(
            Claim(
                "Measured variances are those of the formulas, within five standard errors.",
                float(errors.max()) < 5.0,
                {"largest difference in standard errors": float(errors.max())},
            ),
            Claim(
                "For the Gaussian kernel the paired embedding has the lower variance at every distance, the more so "
                "the larger the kernel.",
                bool((gap > 0).all() and (np.diff(gap) < 0).all()),
                {"difference at 0": float(gap[0]), "at one length scale": float(np.interp(1.0, fine, gap))},
            ),
            Claim(
                "Var cos(w'Δ) of the Gaussian kernel is (1 - exp(-||Δ||²/sigma²))²/2.",
                abs(single[3] - single[2]) < 5.0 * single[4] < abs(single[3] - 2.0 * printed),
                {"at one length scale": single[2] / 2.0, "printed": printed, "measured": single[3] / 2.0},
                against="(1 - exp(-||Δ||²/sigma²))/2, without the square.",
            ),
            Claim(
                "Not every kernel prefers the paired embedding: the Cauchy kernel changes sides.",
                2.4 < flip < 2.5 and theory.flip_distance(Gaussian(1.0)) == np.inf,
                {"at the distance": flip},
            ),
        ),
    )


def exact(embedding: Any, distance: float) -> float:
    """D Var of the formula."""
    return float(theory.variance(Gaussian(1.0), [distance], 2, embedding=embedding)[0]) * 2.0


def measured(embedding: Any, n_draws: int) -> list[tuple[float, float, float]]:
    """(distance, D Var, its standard error) over redraws of a map of WIDTH columns; the mean is known."""
    rows = np.array([0.4, *(0.4 + distance for distance in DISTANCES)])[:, None]
    fitted = FourierFeatures(Gaussian(1.0), WIDTH, embedding=embedding, directions="iid", random_state=0).fit(rows)
    target = Gaussian(1.0)(rows[:1], rows[1:])[0]
    squares = np.empty((n_draws, len(DISTANCES)))
    for draw in range(n_draws):
        Z = fitted.redrawn(rows, draw).features_(rows)
        squares[draw] = (Z[0] @ Z[1:].T - target) ** 2
    means, errors = WIDTH * squares.mean(axis=0), WIDTH * squares.std(axis=0) / np.sqrt(n_draws)
    return list(zip(DISTANCES, means.tolist(), errors.tolist()))


def _curves(table: Table, printed: float) -> Table:
    """Measured points, exact curves, and the printed formula at one length scale."""
    fine = [
        (embedding, float(z), exact(embedding, float(z)), None, None)
        for embedding in EMBEDDINGS
        for z in np.linspace(0.0, 4.0, 81)
    ]
    return Table(
        "figure-1", "Variance times D", COLUMNS, [*fine, *table.rows, ("printed", 1.0, 2.0 * printed, None, None)]
    )


def _draw(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for embedding in EMBEDDINGS:
        some = table.where(embedding=embedding)
        curve = np.isnan(some.column("measured"))
        z = some.column("distance")
        axes.plot(z[curve], some.column("exact")[curve], **LOOKS[embedding].theory(label=f"{embedding}, exact"))
        axes.errorbar(
            z[~curve],
            some.column("measured")[~curve],
            yerr=some.column("standard error")[~curve],
            **LOOKS[embedding].measured(label=f"{embedding}, measured"),
        )
    printed = table.where(embedding="printed")
    axes.plot(printed.column("distance"), printed.column("exact"), label="paired, as printed", **PUBLISHED)
    fine = np.linspace(0.0, 4.0, 100)
    axes.fill_between(fine, np.exp(-0.5 * fine**2), color=GREY, alpha=0.12, linewidth=0, label="the kernel itself")
    axes.set(xlim=(0, 4), ylim=(0, 1.08), ylabel="D × variance of the estimate")
    axes.set_xlabel("distance of the two points (length scales)")
    legend_below(figure, axes, 3)
