"""Interpolation of least norm: where features begin to interpolate, what the norm tends to, and double descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels import Gaussian
from ...learners import ExactKernelRidge, KernelRidge, fourier_network
from ...maps import FourierFeatures
from ..datasets import DataSets
from ..experiment import Experiment, Progress
from ..result import Claim, Picture, Result, Table, comparison
from ..style import LOOKS, legend_below

N_ROWS, DIM, NOISE = 100, 5, 0.1
WIDEST = 32_768
THREE = np.array([[0.0], [1.0], [2.5]]), np.array([1.0, -1.0, 2.0])
WIDTHS = (10, 20, 40, 60, 80, 90, 96, 100, 104, 110, 120, 150, 200, 400, 1000, 4000, 10_000, WIDEST)
COLUMNS = ("D", "quantity", "lower quartile", "median", "upper quartile")


class Interpolation(Experiment):
    """The encyclopedia's section Neural network interpretation."""

    name = "interpolation"
    title = "Interpolation of least norm, and double descent"
    source = "The encyclopedia's article Random feature, section Neural network interpretation."
    question = (
        "A network Re sum_k θ_k exp(i w_k'x) with enough waves goes through all training rows; of all that do, least "
        "squares takes the one of least norm. It is said that this begins at 2 D_f = D = N features, and that the norm "
        "of θ tends to the norm of the kernel machine's function. 100 rows of five columns, a smooth function with a "
        "little noise, Gaussian kernel, no regularisation and no intercept."
    )

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        problem = OneDraw()
        widths = (10, 60, 90, 100, 110, 200, 1000, WIDEST // 2) if quick else WIDTHS
        runs = {
            width: np.array([problem.fitted(width, seed) for seed in range(5 if quick else 40)])
            for width in progress(widths, "widths")
        }
        rows = [
            (width, name, *np.quantile(values[:, at], (0.25, 0.5, 0.75)).tolist())
            for width, values in runs.items()
            for at, name in enumerate(QUANTITIES)
        ]
        rows += [(None, name, None, value, None) for name, value in problem.limits.items()]
        table = Table("widths", "Errors and norms", COLUMNS, rows)
        return _descent(table, runs, problem.limits) + _norm(table, runs, problem.limits) + _three_rows(quick)


QUANTITIES = ("training error", "test error", "norm of w", "norm of theta", "rank")


class OneDraw:
    """Rows, and what the kernel itself makes of them."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.kernel = Gaussian(1.0)
        self.X, self.new = (rng.uniform(-1.0, 1.0, size=(n, DIM)) for n in (N_ROWS, 2000))
        self.y = _function(self.X) + NOISE * rng.normal(size=N_ROWS)
        exact = ExactKernelRidge(self.kernel, 1e-10, intercept="none").fit(self.X, self.y)
        self.limits = {
            "limit of the norm": float(np.ravel(exact.norm_)[0]),
            "limit of the test error": _root(exact.predict(self.new) - _function(self.new)),
        }

    def fitted(self, width: int, seed: int) -> tuple[float, ...]:
        """The quantities of one draw of so many paired features."""
        model = least_norm(self.kernel, width, seed).fit(self.X, self.y)
        network = fourier_network(model)
        rank = model.rank_ if model.solver_ == "cholesky" else min(width, N_ROWS)
        return (
            _root(model.predict(self.X) - self.y),
            _root(model.predict(self.new) - _function(self.new)),
            float(network.norm[0]),
            float(np.linalg.norm(network.theta)),
            float(rank),
        )


def least_norm(kernel: Gaussian, width: int, seed: int) -> KernelRidge:
    """Least squares of least norm: by singular values, or by LSQR where there are many features."""
    features = FourierFeatures(kernel, width, directions="iid", random_state=seed)
    solver: Any = "cholesky" if width <= 4096 else "cg"
    return KernelRidge(features, alpha=0.0, fit_intercept=False, solver=solver, tol=1e-12, max_iter=5000)


def _function(X: np.ndarray) -> np.ndarray:
    return np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2


def _root(errors: np.ndarray) -> float:
    return float(np.sqrt(np.mean(errors**2)))


def _descent(table: Table, runs: dict[int, np.ndarray], limits: dict[str, float]) -> Result:
    medians = {width: np.median(values, axis=0) for width, values in runs.items()}
    test = {width: float(values[1]) for width, values in medians.items()}
    few = min(test[width] for width in test if width < N_ROWS)
    last = test[max(test)]
    inside = max(float(values[:, 0].max()) for width, values in runs.items() if width >= N_ROWS)
    outside = min(float(values[:, 0].min()) for width, values in runs.items() if width < N_ROWS)
    return Result(
        tables=(
            Table(
                "errors",
                "Medians over draws",
                ("D", "rank", "training error", "test error", "norm of w", "norm of theta"),
                [(width, int(values[4]), *values[:4].tolist()) for width, values in medians.items()],
            ),
        ),
        pictures=(
            Picture(
                "descent",
                "Double descent",
                "Error on the training rows and on new points against the number of features, without regularisation. "
                "Training error vanishes at as many features as rows; there the error on new points is largest, and it "
                "falls again towards that of the kernel itself.",
                table,
                _draw_descent,
            ),
        ),
        claims=(
            Claim(
                "From as many features as rows on every draw interpolates, and none below.",
                inside < 1e-6 and outside > 1e-3 and int(medians[N_ROWS][4]) == N_ROWS,
                {"largest training error from D = N on": inside, "smallest below": outside},
            ),
            Claim(
                "The error on new points is largest at D = N and falls again, below that of any smaller width, to that "
                "of interpolation by the kernel.",
                max(test, key=lambda width: test[width]) == N_ROWS
                and last < few
                and abs(last / limits["limit of the test error"] - 1.0) < 0.05,
                {
                    "best below N": few,
                    "at N": test[N_ROWS],
                    f"at {max(test)}": last,
                    "kernel": limits["limit of the test error"],
                },
            ),
        ),
    )


def _norm(table: Table, runs: dict[int, np.ndarray], limits: dict[str, float]) -> Result:
    widest, limit = max(runs), limits["limit of the norm"]
    norms, thetas = runs[widest][:, 2], runs[widest][:, 3]
    squares = norms**2
    error = float(squares.std(ddof=1) / np.sqrt(len(squares)))
    peak = max(runs, key=lambda width: float(np.median(runs[width][:, 2])))
    return Result(
        pictures=(
            Picture(
                "norm",
                "The norm, and what it tends to",
                "Norm of the coefficients against the number of features, median and quartiles over draws. With "
                "features scaled to unit rows it falls from its peak at D = N to the norm of the kernel machine's "
                "function; the norm of θ as the encyclopedia writes the network tends to 0.",
                table,
                _draw_norm,
            ),
        ),
        claims=(
            Claim(
                "sqrt(D_f) ||θ|| is largest at D = N and tends to the norm of the kernel machine, from above.",
                abs(float(np.median(norms)) / limit - 1.0) < 0.03
                and float(squares.mean()) > limit**2 - 3.0 * error
                and peak == N_ROWS,
                {f"median at {widest}": float(np.median(norms)), "kernel": limit},
            ),
            Claim(
                "||θ|| itself tends to 0, as D_f^(-1/2).",
                float(np.median(thetas)) < 0.1 * limit,
                {f"median at {widest}": float(np.median(thetas))},
                against="||θ|| tends to the norm of the kernel machine's function.",
            ),
        ),
    )


def _three_rows(quick: bool) -> Result:
    """Three rows of one column, where everything can be followed by hand."""
    kernel, (X, y) = Gaussian(1.0), THREE
    limit = float(np.sqrt(y @ np.linalg.solve(kernel(X), y)))
    rows: list[tuple[Any, ...]] = []
    for n_frequencies in (16, 64, 1024, 16_384):
        norms, thetas = [], []
        for seed in range(20 if quick else 400):
            network = fourier_network(least_norm(kernel, 2 * n_frequencies, seed).fit(X, y))
            norms.append(float(network.norm[0]))
            thetas.append(float(np.linalg.norm(network.theta)))
        error = float(1.2533 * np.std(norms, ddof=1) / np.sqrt(len(norms)))
        rows.append(
            (f"sqrt(D_f) ||θ||, three rows, {n_frequencies} frequencies", limit, float(np.median(norms)), error)
        )
        rows.append((f"||θ||, three rows, {n_frequencies} frequencies", limit, float(np.median(thetas)), None))
    return Result(
        tables=(comparison(rows),),
        claims=(
            Claim(
                "With three rows the norm of 1024 frequencies is already that of the kernel machine.",
                abs(rows[4][2] - limit) < 0.1,
                {"median": rows[4][2], "kernel": limit},
            ),
        ),
        notes=("Published is the limit that the article states, the norm of the kernel machine's function.",),
    )


def _draw_descent(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for name, look in (("training error", "training"), ("test error", "test")):
        some = Table("some", "", COLUMNS, [row for row in table.where(quantity=name).rows if row[3] > 1e-9])
        _band(axes, some, look, "error on new points" if look == "test" else "error on training rows")
    limit = table.where(quantity="limit of the test error").rows[0][3]
    axes.axhline(limit, **LOOKS["exact"].theory(label="the kernel itself", linewidth=1.2))
    _at_rows(axes)
    axes.set(ylim=(0.01, None), ylabel="root mean squared error")
    legend_below(figure, axes, 3)


def _draw_norm(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    _band(axes, table.where(quantity="norm of w"), "test", r"$\sqrt{D_f}\,\|\theta\|$, the norm that is penalised")
    _band(axes, table.where(quantity="norm of theta"), "theta", r"$\|\theta\|$, as the article has it")
    limit = table.where(quantity="limit of the norm").rows[0][3]
    axes.axhline(limit, **LOOKS["exact"].theory(label="norm of the kernel machine", linewidth=1.2))
    _at_rows(axes)
    axes.set_ylabel("norm of the coefficients")
    legend_below(figure, axes)


def _band(axes: Any, some: Table, look: str, label: str) -> None:
    D = some.column("D")
    axes.fill_between(
        D,
        some.column("lower quartile"),
        some.column("upper quartile"),
        color=LOOKS[look].colour,
        alpha=0.18,
        linewidth=0,
    )
    axes.plot(D, some.column("median"), **LOOKS[look].both(label=label, markersize=4.5))


def _at_rows(axes: Any) -> None:
    axes.axvline(N_ROWS, color="0.4", linewidth=0.8)
    axes.annotate(
        "as many features as rows",
        (N_ROWS, 1.0),
        (6, -3),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        va="top",
        fontsize=9,
        color="0.35",
    )
    axes.set(xscale="log", yscale="log", xlabel="number of features D")
