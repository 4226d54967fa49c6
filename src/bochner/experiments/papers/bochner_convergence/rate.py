"""Unbiasedness, and the rate of convergence at single pairs of points, for four kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import theory
from ....kernels import Cauchy, Gaussian, Laplace, Matern, ShiftInvariantKernel
from ....maps import FourierFeatures
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table, comparison
from ...style import legend_below, shades

DIM, N_PAIRS = 3, 100
KERNELS: dict[str, ShiftInvariantKernel] = {
    "Gaussian": Gaussian(4.0),
    "Matérn 3/2": Matern(4.0, nu=1.5),
    "Cauchy": Cauchy(3.0),
    "Laplace": Laplace(3.0),
}
COLUMNS = ("kernel", "D", "theory", "measured", "standard error", "bias", "its standard error")


def run(quick: bool, progress: Progress) -> Result:
    """Root mean squared errors over random pairs of points, and the mean error."""
    widths = (16, 128, 1024) if quick else (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, N_PAIRS, DIM))
    rows: list[tuple[Any, ...]] = []
    for name, kernel in progress(KERNELS.items(), "rate"):
        for width in widths:
            n_draws = max(100, (20_000 if quick else 600_000) // width)
            rows.append((name, width, *measured(kernel, width, X, Y, n_draws)))
    table = Table("rate", "Errors", COLUMNS, rows)
    exponents = {
        name: float(np.polyfit(np.log(some.column("D")), np.log(some.column("measured")), 1)[0])
        for name in KERNELS
        for some in [table.where(kernel=name)]
    }
    squares = np.abs(table.column("measured") ** 2 - table.column("theory") ** 2)
    off = squares / (2.0 * table.column("measured") * table.column("standard error"))
    biases = np.abs(table.column("bias")) / table.column("its standard error")
    return Result(
        tables=(
            comparison(
                [(f"exponent of D in the error, {name}", -0.5, value) for name, value in exponents.items()]
                + [(f"error, {row[0]}, D = {row[1]}", *row[2:5]) for row in rows if row[1] in (128, 1024)]
            ),
        ),
        pictures=(
            Picture(
                "rate",
                "The error falls as one over the root of D",
                "Root mean squared error of kernel values over random pairs of points against the number of features, "
                "for four kernels in three dimensions: measured, and the exact variance.",
                table,
                _draw,
            ),
        ),
        claims=(
            Claim(
                "The mean over draws is the kernel, within five standard errors, for every kernel and width.",
                float(biases.max()) < 5.0,
                {"largest bias in standard errors": float(biases.max())},
                against="E z(x)'z(y) = exp(+||x - y||²/(2 sigma²)): the sign is wrong in the encyclopedia's theorem.",
            ),
            Claim(
                "The error falls as D^(-1/2), with the constant of the exact variance.",
                max(abs(value + 0.5) for value in exponents.values()) < 0.03 and float(off.max()) < 5.0,
                {f"exponent, {name}": value for name, value in exponents.items()},
            ),
        ),
    )


def measured(
    kernel: ShiftInvariantKernel, width: int, X: np.ndarray, Y: np.ndarray, n_draws: int
) -> tuple[float, float, float, float, float]:
    """(exact, measured) root mean squared error, its standard error, the mean error and its standard error."""
    both = np.concatenate([X, Y])
    exact = kernel.rowwise(X, Y)
    fitted = FourierFeatures(kernel, width, directions="iid", random_state=0).fit(both)
    errors, squares = np.empty(n_draws), np.empty(n_draws)
    for draw in range(n_draws):
        Z = fitted.redrawn(both, draw).features_(both)
        difference = np.einsum("ij,ij->i", Z[: len(X)], Z[len(X) :]) - exact
        errors[draw], squares[draw] = difference.mean(), np.mean(difference**2)
    root = float(np.sqrt(squares.mean()))
    error = float(squares.std(ddof=1) / np.sqrt(n_draws) / (2.0 * root))
    predicted = float(np.sqrt(theory.variance(kernel, X - Y, width).mean()))
    return predicted, root, error, float(errors.mean()), float(errors.std(ddof=1) / np.sqrt(n_draws))


def _draw(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for name, look in zip(KERNELS, shades(4)):
        some = table.where(kernel=name)
        axes.plot(some.column("D"), some.column("theory"), **look.theory(linewidth=1.3))
        axes.errorbar(
            some.column("D"),
            some.column("measured"),
            yerr=some.column("standard error"),
            **look.measured(label=name, markersize=5),
        )
    axes.axhline(0.01, color="0.4", linewidth=0.8)
    axes.text(16, 0.0104, "0.01", color="0.4", fontsize=9)
    axes.set(xscale="log", yscale="log", xlabel="number of features D", ylabel="root mean squared error")
    legend_below(figure, axes, 4)
