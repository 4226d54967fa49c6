"""The matrix of a kernel on a hundred points, rebuilt from features."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import theory
from ....kernels import ExponentialDot, Polynomial, Vovk
from ....maps import MaclaurinFeatures
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table
from ...simulation import mean
from ...style import BLUE, LOOKS, Look, legend_below, plain_numbers
from ..kar_karnick.machines import BETTER_MAP, PUBLISHED_MAP

N_POINTS, DIM = 100, 10
LENGTHS = {"homogeneous": 1.0, "inhomogeneous": 1.0, "exponential": 1.0, "Vovk": 0.5}  # of the rows
KERNELS = {
    "homogeneous": Polynomial(10, offset=0.0),
    "inhomogeneous": Polynomial(10),
    "exponential": ExponentialDot(1.0),
    "Vovk": Vovk(),
}
FORMULAS = {
    "homogeneous": "<x, y>^10",
    "inhomogeneous": "(1 + <x, y>)^10",
    "exponential": "exp(<x, y>)",
    "Vovk": "1 / (1 - <x, y>)",
}
WAYS: dict[str, dict[str, Any]] = {
    "random features": dict(PUBLISHED_MAP),
    "H0/1": PUBLISHED_MAP | {"h01": True},
    "optimal law, stratified": dict(BETTER_MAP),
    "optimal law, stratified, H0/1": BETTER_MAP | {"h01": True},
}
LOOK = {
    "random features": LOOKS["maclaurin"],
    "H0/1": LOOKS["h01"],
    "optimal law, stratified": Look(BLUE, ":", "o"),
}
COLUMNS = ("kernel", "features", "D", "columns", "mean |error|", "standard error", "relative to mean |k|")


def run(quick: bool, progress: Progress) -> Result:
    """Mean absolute error of each kernel against D, for each way to draw, and mean squares beside theory."""
    n_draws, sizes = (10, (50, 200, 800)) if quick else (60, (25, 50, 100, 200, 500, 1000, 2000, 4000))
    rng = np.random.default_rng(1)
    points = rng.normal(size=(N_POINTS, DIM))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    found: list[tuple[Any, ...]] = []
    off: dict[str, float] = {}
    for name in progress(KERNELS, "matrices"):
        rows = LENGTHS[name] * points
        target = KERNELS[name](rows, rows)
        for way, draw in WAYS.items():
            for size in sizes:
                errors, squares, n_columns = _errors(name, rows, target, size, draw, n_draws)
                centre, spread = mean(errors)
                found.append((name, way, size, n_columns, centre, spread, centre / float(np.abs(target).mean())))
                if size == sizes[-1] and way in ("random features", "H0/1") and name in ("exponential", "Vovk"):
                    value, error = mean(squares)
                    wanted = _mean_square(name, rows, size, h01=way == "H0/1")
                    off[f"{name}, {way}"] = abs(value - wanted) / error
    table = Table("matrix-errors", f"Mean error of a kernel matrix of {N_POINTS} points", COLUMNS, found)
    return _result(table, off)


def _errors(
    name: str, rows: np.ndarray, target: np.ndarray, size: int, draw: dict[str, Any], n_draws: int
) -> tuple[np.ndarray, np.ndarray, int]:
    """Mean absolute and mean squared error of each draw, and the number of columns."""
    exact = DIM + 1 if "h01" in draw and name != "homogeneous" else 0  # which has no such terms
    absolute, squares, n_columns = np.empty(n_draws), np.empty(n_draws), 0
    for seed in range(n_draws):
        features = MaclaurinFeatures(KERNELS[name], size + exact, random_state=seed, **draw)
        Z = features.fit_transform(rows)
        difference = Z @ Z.T - target
        absolute[seed], squares[seed], n_columns = np.abs(difference).mean(), (difference**2).mean(), Z.shape[1]
    return absolute, squares, n_columns


def _mean_square(name: str, rows: np.ndarray, size: int, h01: bool) -> float:
    """The mean of the exact variance over all pairs of rows."""
    start, coefficients = 2 * h01, KERNELS[name].coefficients(60)
    law = theory.geometric_degrees(60, PUBLISHED_MAP["p"], start=start)
    first, second = np.repeat(rows, len(rows), axis=0), np.tile(rows, (len(rows), 1))
    return float(theory.maclaurin_variance(coefficients, law, first, second, size, start=start).mean())


def _result(table: Table, off: dict[str, float]) -> Result:
    def error(kernel: str, way: str, size: int) -> float:
        return float(table.where(kernel=kernel, features=way, D=size).rows[0][4])

    sizes = table.values("D")
    gain = {
        name: [error(name, "random features", size) / error(name, "H0/1", size) for size in sizes] for name in KERNELS
    }
    slopes = {
        f"{name}, {way}": float(np.polyfit(np.log(sizes), np.log([error(name, way, size) for size in sizes]), 1)[0])
        for name in ("exponential", "Vovk")
        for way in ("random features", "H0/1")
    }
    better = {
        name: error(name, "random features", sizes[-1]) / error(name, "optimal law, stratified", sizes[-1])
        for name in KERNELS
    }
    return Result(
        tables=(table,),
        pictures=(
            Picture(
                "reconstruction",
                "Kernel matrices of 100 points, rebuilt",
                "Mean absolute error of a kernel matrix of 100 points of R^10 against the number of random features, "
                "for four kernels: published features, H0/1, and the optimal law of degrees with stratified counts. "
                "H0/1 gains three times for the exponential and eleven times for Vovk's kernel, less for (1 + t)^10, "
                "and nothing for t^10, which has no constant and no linear term.",
                table,
                _draw,
                (7.0, 6.2),
            ),
        ),
        claims=(
            Claim(
                "H0/1 has the smaller error for the exponential and Vovk's kernel at every D.",
                all(min(gain[name]) > 2.0 for name in ("exponential", "Vovk")),
                {f"{name}, least gain": min(gain[name]) for name in ("exponential", "Vovk")},
            ),
            Claim(
                "For the inhomogeneous polynomial kernel the gain is small, for the homogeneous one there is none: its "
                "constant and linear terms are 0.",
                max(gain["inhomogeneous"]) < min(gain["exponential"])
                and all(abs(value - 1.0) < 1e-9 for value in gain["homogeneous"]),
                {"largest gain, inhomogeneous": max(gain["inhomogeneous"]), "homogeneous": gain["homogeneous"][-1]},
            ),
            Claim(
                "The error falls as D^(-1/2), with H0/1 as well: it starts lower, but does not drop more steeply.",
                all(abs(slope + 0.5) < 0.08 for slope in slopes.values()),
                slopes,
                against="H0/1 offers a sharper drop in average reconstruction error.",
            ),
            Claim(
                "Mean squared errors are those of the exact variance, within five standard errors.",
                max(off.values()) < 5.0,
                {f"{which}, standard errors": value for which, value in off.items()},
            ),
            Claim(
                "The optimal law of degrees gains at least as much as H0/1 for the polynomial kernel, without a column "
                "more.",
                better["inhomogeneous"] > gain["inhomogeneous"][-1],
                {
                    "optimal law, inhomogeneous": better["inhomogeneous"],
                    "H0/1, inhomogeneous": gain["inhomogeneous"][-1],
                },
            ),
        ),
        notes=(
            f"Points have length 1 in R^{DIM}, for Vovk's kernel 1/2. D counts random columns; H0/1 has {DIM + 1} "
            "more, as the table says.",
        ),
    )


def _draw(figure: Any, table: Table) -> None:
    for panel, name in enumerate(KERNELS):
        axes = figure.add_subplot(2, 2, panel + 1)
        for way, look in LOOK.items():
            some = table.where(kernel=name, features=way)
            axes.errorbar(
                some.column("D"),
                some.column("mean |error|"),
                yerr=2 * some.column("standard error"),
                **look.both(label="published random features" if way == "random features" else way, markersize=4.5),
            )
        axes.set(xscale="log", yscale="log", title=FORMULAS[name])
        axes.set_ylabel("mean |error|" if panel % 2 == 0 else "")
        axes.set_xlabel("random features D" if panel > 1 else "")
        plain_numbers(axes.xaxis, axes.yaxis)
    legend_below(figure, figure.axes[0], 3)
