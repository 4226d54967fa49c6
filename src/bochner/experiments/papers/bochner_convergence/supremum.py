"""The largest error over a set against the width, beside every bound on it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import brentq

from .... import theory
from ....kernels import Gaussian
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table
from ...simulation import largest_errors, segment
from ...style import LOOKS, legend_below

DELTA, DIAMETER, N_POINTS = 0.05, 6.0, 1000
BOUNDS: dict[str, tuple[str, dict[str, Any]]] = {
    "Rahimi and Recht": ("rahimi-recht", {"method": "rahimi-recht"}),
    "Sutherland and Schneider": ("sutherland-schneider", {"method": "sutherland-schneider"}),
    "the same, every step proved": ("rigorous", {"method": "sutherland-schneider", "rigorous": True}),
    f"{N_POINTS} given points": ("points", {"method": "points", "n_points": N_POINTS}),
}


def run(quick: bool, progress: Progress) -> Result:
    """The error that is not exceeded with probability 0.95, simulated and promised."""
    widths = (100, 1000) if quick else (50, 100, 200, 500, 1000, 2000, 5000, 10_000)
    rows: list[tuple[Any, ...]] = []
    for width in progress(widths, "supremum"):
        n_draws = max(200, (100_000 if quick else 6_000_000) // width)
        errors = largest_errors(Gaussian(1.0), width, segment(DIAMETER / 2), n_draws, seed=width)
        rows.append(("simulated", width, float(np.quantile(errors, 1.0 - DELTA))))
    for width in np.unique(np.geomspace(50, 200_000, 15 if quick else 60).astype(int) // 2 * 2):
        for label, (_, options) in BOUNDS.items():
            rows.append((label, int(width), _error(int(width), options)))
        rows.append(("one pair (Hoeffding)", int(width), _pointwise(int(width))))
    table = Table("supremum", "Errors", ("which", "D", "error"), rows)
    simulated = table.where(which="simulated")
    above = {
        label: float(
            np.min(
                [
                    np.interp(np.log(width), np.log(table.where(which=label).column("D")), _filled(table, label))
                    / error
                    for _, width, error in simulated.rows
                ]
            )
        )
        for label in BOUNDS
    }
    slope = float(np.polyfit(np.log(simulated.column("D")), np.log(simulated.column("error")), 1)[0])
    needed = {
        label: theory.components_needed(Gaussian(1.0), eps=0.1, delta=DELTA, dim=1, diameter=DIAMETER, **options)
        for label, (_, options) in BOUNDS.items()
    }
    found = float(np.exp(np.interp(-np.log(0.1), -np.log(simulated.column("error")), np.log(simulated.column("D")))))
    return Result(
        tables=(
            Table(
                "error-of-one-tenth",
                "Features for a largest error of 0.1 with probability 0.95 on [-3, 3]: published beside measured",
                ("bound", "published", "measured", "ratio"),
                [(label, width, round(found), width / found) for label, width in needed.items()],
            ),
        ),
        pictures=(
            Picture(
                "supremum",
                "The largest error, and what bounds promise",
                "Error that is not exceeded anywhere on [-3, 3] with probability 0.95, against the number of features: "
                "simulated, and promised by each bound. Bounds have the right slope and ask for some 10 to 60 times as "
                "many features.",
                table,
                _draw,
                (5.8, 4.6),
            ),
        ),
        claims=(
            Claim(
                "No bound is below the simulated error; the least is some three times it.",
                min(above.values()) > 1.0,
                {f"{label} / simulated, at least": value for label, value in above.items()},
            ),
            Claim(
                "The largest error falls as D^(-1/2) too.",
                abs(slope + 0.5) < 0.03,
                {"exponent": slope},
            ),
        ),
    )


def _error(width: int, options: dict[str, Any]) -> float | None:
    """The eps at which a bound is DELTA; None where it promises nothing below 1."""
    whole: dict[str, Any] = {} if options["method"] == "points" else {"dim": 1, "diameter": DIAMETER}
    return _solved(lambda eps: theory.uniform_bound(Gaussian(1.0), eps=eps, n_components=width, **whole, **options))


def _pointwise(width: int) -> float | None:
    return _solved(lambda eps: theory.pointwise_bound(Gaussian(1.0), eps=eps, n_components=width, method="hoeffding"))


def _solved(bound: Callable[[float], float]) -> float | None:
    def excess(log_eps: float) -> float:
        return float(np.log(max(bound(float(np.exp(log_eps))), 1e-300) / DELTA))

    low, high = np.log(1e-3), np.log(0.999)
    return None if excess(high) > 0 else float(np.exp(brentq(excess, low, high)))


def _filled(table: Table, label: str) -> np.ndarray:
    """Promised errors, 2 where nothing is promised."""
    return np.nan_to_num(table.where(which=label).column("error"), nan=2.0)


def _draw(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for label, (look, _) in BOUNDS.items():
        curve = table.where(which=label)
        axes.plot(curve.column("D"), curve.column("error"), **LOOKS[look].theory(label=label))
    pair = table.where(which="one pair (Hoeffding)")
    axes.plot(pair.column("D"), pair.column("error"), **LOOKS["limit"].theory(label="one pair only (Hoeffding)"))
    drawn = table.where(which="simulated")
    axes.plot(drawn.column("D"), drawn.column("error"), **LOOKS["paired"].measured(label="simulated, 95 % of draws"))
    axes.axhline(0.1, color="0.4", linewidth=0.8)
    axes.set(xscale="log", yscale="log", xlim=(45, 2.2e5), ylim=(0.01, 1.0))
    axes.set(xlabel="number of features D", ylabel="error not exceeded, probability 0.95")
    legend_below(figure, axes)
