"""Figure 2: the coefficients of the uniform bounds, and which of the two bounds is tighter."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from .... import theory
from ....kernels import Gaussian
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table
from ...style import LOOKS, legend_below

BETAS = {"paired": theory.beta, "shifted": theory.beta_prime}
DIMENSIONS = (1, 2, 5, 10, 64)


def run(quick: bool, _: Progress) -> Result:
    """beta_d and beta'_d, and the widths that the bounds ask for."""
    dims = range(1, 1001)
    betas = {embedding: np.array([beta(dim) for dim in dims]) for embedding, beta in BETAS.items()}
    rows = [(name, dim, float(values[dim - 1])) for name, values in betas.items() for dim in range(1, 201)]
    largest = {name: (int(values.argmax()) + 1, float(values.max())) for name, values in betas.items()}
    rows += [(f"{name}, largest", *point) for name, point in largest.items()]
    tightest = [
        _width(eps, dim, diameter, "shifted") / _width(eps, dim, diameter, "paired")
        for eps, dim, diameter in product((0.02, 0.1, 0.3), DIMENSIONS if not quick else (1, 5), (1.0, 6.0, 30.0))
    ]
    return Result(
        tables=(
            Table(
                "coefficients",
                "Largest coefficient of the uniform bounds, from their closed forms",
                ("embedding", "largest at d", "largest", "at d = 1000"),
                [(name, *largest[name], float(values[-1])) for name, values in betas.items()],
            ),
            Table(
                "widths",
                "Features that the bounds ask for: error 0.1 with probability 0.95, diameter 6",
                ("d", "Rahimi and Recht, paired", "paired", "shifted", "paired, every step proved"),
                [
                    (
                        dim,
                        _width(0.1, dim, 6.0, "paired", method="rahimi-recht"),
                        _width(0.1, dim, 6.0, "paired"),
                        _width(0.1, dim, 6.0, "shifted"),
                        _width(0.1, dim, 6.0, "paired", rigorous=True),
                    )
                    for dim in DIMENSIONS
                ],
            ),
        ),
        pictures=(
            Picture(
                "figure-2",
                "Figure 2: coefficients of the uniform bounds",
                "The coefficients in front of the uniform bounds against the dimension, from closed forms; the poster "
                "has them as a picture only. Markers are their largest values.",
                Table("figure-2", "Coefficients", ("which", "d", "coefficient"), rows),
                _draw,
            ),
        ),
        claims=(
            Claim(
                "The coefficients rise with the dimension to a maximum and fall from there on, to 64 and 96.",
                all(
                    bool((np.diff(values[:dim]) > 0).all() and (np.diff(values[dim - 1 :]) < 0).all())
                    for (dim, _), values in zip(largest.values(), betas.values())
                )
                and 64.0 < betas["paired"][-1] < 65.0
                and 96.0 < betas["shifted"][-1] < 97.0,
                {f"{name}, d = {dim}": value for name, (dim, value) in largest.items()},
            ),
            Claim(
                "The bound for the paired embedding is tighter than that for the shifted one in every setting tried, "
                "also with 32(d + 1) in the exponent of the latter.",
                bool((betas["paired"] < betas["shifted"]).all()) and min(tightest) > 1.0,
                {"settings": len(tightest), "least ratio of widths": min(tightest)},
                against="32(d + 2) in the exponent of the shifted bound, which is valid and weaker than need be.",
            ),
        ),
    )


def _width(eps: float, dim: int, diameter: float, embedding: Any, **options: Any) -> int:
    return theory.components_needed(
        Gaussian(1.0), eps=eps, delta=0.05, dim=dim, diameter=diameter, embedding=embedding, **options
    )


def _draw(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for name, symbol in (("paired", r"$\beta_d$, paired"), ("shifted", r"$\beta'_d$, shifted")):
        curve, top = table.where(which=name), table.where(which=f"{name}, largest")
        axes.plot(curve.column("d"), curve.column("coefficient"), **LOOKS[name].theory(label=symbol))
        (_, dim, value) = top.rows[0]
        axes.plot(dim, value, **LOOKS[name].measured())
        axes.annotate(
            f"{value:.1f} at d = {dim}", (dim, value), (0, -14), textcoords="offset points", ha="center", fontsize=9.5
        )
    axes.set(xscale="log", xlim=(1, 200), ylim=(0, 105), xlabel="dimension d", ylabel="coefficient of the bound")
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100, 200], ["1", "2", "5", "10", "20", "50", "100", "200"])
    axes.minorticks_off()
    legend_below(figure, axes)
