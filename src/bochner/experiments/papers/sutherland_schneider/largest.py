"""Figures 3 and 4: the largest error over [-r, r], its mean and its law, beside what bounds say."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import theory
from ....kernels import Gaussian
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table
from ...simulation import largest_errors, mean, segment, share
from ...style import LOOKS, legend_below

EMBEDDINGS = ("paired", "shifted")
RADII = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
WIDTHS = (50, 100, 500)
FULL: dict[str, Any] = {"dim": 1, "diameter": 6.0}


def run(quick: bool, progress: Progress) -> Result:
    """Both figures, and the expected maximum against the width."""
    n_draws = 200 if quick else 4000
    by_radius: list[tuple[Any, ...]] = []
    for radius in progress((0.25, 1.0, 3.0) if quick else RADII, "figure 3"):
        for embedding in EMBEDDINGS:
            for width in WIDTHS:
                # The same seed at every radius: the same frequencies, so that curves rise.
                errors = largest_errors(Gaussian(1.0), width, segment(radius), n_draws, embedding=embedding, seed=width)
                by_radius.append((embedding, width, radius, *mean(errors)))
    last = {
        embedding: largest_errors(
            Gaussian(1.0), 500, segment(3.0), 1000 if quick else 20_000, embedding=embedding, seed=1
        )
        for embedding in progress(EMBEDDINGS, "figure 4")
    }
    figure_3 = Table(
        "figure-3", "Mean of the largest error", ("embedding", "D", "radius", "mean", "standard error"), by_radius
    )
    return _by_radius(figure_3) + _law(last) + _expected(quick, progress)


def _by_radius(table: Table) -> Result:
    paired, shifted = (table.where(embedding=embedding).column("mean") for embedding in EMBEDDINGS)
    spread = np.hypot(*(table.where(embedding=embedding).column("standard error") for embedding in EMBEDDINGS))
    rising = all(
        bool((np.diff(table.where(embedding=embedding, D=width).column("mean")) >= 0).all())
        for embedding in EMBEDDINGS
        for width in WIDTHS
    )
    at_3 = table.where(radius=3.0)
    return Result(
        tables=(
            Table(
                "radius-3",
                "Mean of the largest error on [-3, 3]",
                ("D", "paired", "standard error of it", "shifted", "standard error of that"),
                [
                    (
                        width,
                        *at_3.where(embedding="paired", D=width).rows[0][3:],
                        *at_3.where(embedding="shifted", D=width).rows[0][3:],
                    )
                    for width in WIDTHS
                ],
            ),
        ),
        pictures=(
            Picture(
                "figure-3",
                "Figure 3: mean of the largest error within a radius",
                "Mean of the largest error over all pairs of points of [-r, r] against r, for three widths. The paired "
                "embedding is below the shifted one everywhere, and has no error as r tends to 0.",
                table,
                _draw_radius,
            ),
        ),
        claims=(
            Claim(
                "Within every radius the mean of the largest error is smaller for the paired embedding.",
                bool((shifted - paired > 5.0 * spread).all()) and rising,
                {"least ratio shifted / paired": float((shifted / paired).min())},
            ),
        ),
    )


def _law(drawn: dict[str, np.ndarray]) -> Result:
    eps = np.round(np.arange(0.0, 0.6001, 0.01), 10)
    means = {embedding: mean(errors) for embedding, errors in drawn.items()}
    supremum = theory.variance_supremum(Gaussian(1.0), 1, 6.0)
    rows: list[tuple[Any, ...]] = []
    for embedding, errors in drawn.items():
        centre = means[embedding][0]
        rows += [(embedding, "simulated", float(at), share(errors > at)[0]) for at in eps]
        for at in eps[1:]:
            bound = _uniform(float(at), embedding)
            rows.append((embedding, "uniform bound", float(at), min(1.0, bound)))
            if at > centre:
                about: dict[str, Any] = {"excess": float(at) - centre, "n_components": 500, "embedding": embedding}
                sharp = theory.concentration_bound(method="bousquet", expected=centre, supremum=supremum, **about)
                rows.append((embedding, "concentration", float(at), sharp))
                rows.append(
                    (
                        embedding,
                        "concentration as printed",
                        float(at),
                        _printed(float(at) - centre, centre, supremum, embedding),
                    )
                )
    table = Table("figure-4", "Pr(largest error > eps)", ("embedding", "which", "eps", "probability"), rows)
    above = {
        embedding: [share(errors > at) for at in (0.05, 0.08, 0.1, 0.12, 0.15)] for embedding, errors in drawn.items()
    }
    halves = {
        embedding: min(row[2] for row in table.where(embedding=embedding, which="uniform bound").rows if row[3] < 0.5)
        for embedding in EMBEDDINGS
    }
    valid = all(
        share(errors > row[2])[0] <= row[3] + 5.0 * share(errors > row[2])[1] + 1e-12
        for embedding, errors in drawn.items()
        for which in ("uniform bound", "concentration")
        for row in table.where(embedding=embedding, which=which).rows
    )
    spreads = {embedding: float(np.std(errors)) for embedding, errors in drawn.items()}
    near, far = (_printed(0.1, means["paired"][0], supremum, "paired", width=width) for width in (500, 10**9))
    return Result(
        tables=(
            Table(
                "law",
                "Pr(largest error > eps) on [-3, 3], D = 500",
                ("eps", "paired", "standard error of it", "shifted", "standard error of that"),
                [
                    (at, *above["paired"][index], *above["shifted"][index])
                    for index, at in enumerate((0.05, 0.08, 0.1, 0.12, 0.15))
                ],
            ),
        ),
        pictures=(
            Picture(
                "figure-4",
                "Figure 4: probability of a largest error above eps",
                "Probability that the largest error on [-3, 3] is above eps, 500 features: simulated, uniform bound, "
                "and the concentration bound about the simulated mean. The uniform bound says nothing until about five "
                "times the errors that occur.",
                table,
                _draw_law,
                (5.8, 4.6),
            ),
        ),
        claims=(
            Claim(
                "The shifted embedding concentrates more tightly, but its mean is higher.",
                spreads["shifted"] < spreads["paired"]
                and means["shifted"][0] - means["paired"][0] > 5.0 * np.hypot(means["shifted"][1], means["paired"][1]),
                {
                    "mean, paired": means["paired"][0],
                    "mean, shifted": means["shifted"][0],
                    "standard deviation, paired": spreads["paired"],
                    "standard deviation, shifted": spreads["shifted"],
                },
            ),
            Claim(
                "No bound is broken; the uniform one falls below one half only far beyond the errors that occur.",
                valid
                and min(halves.values()) > 2.0 * max(float(np.quantile(errors, 0.99)) for errors in drawn.values()),
                {f"one half at eps, {embedding}": at for embedding, at in halves.items()},
            ),
            Claim(
                "The concentration bound has a denominator without D, and so improves with the width.",
                far > 0.5 and theory.concentration_bound(excess=0.1, n_components=10**5) < 1e-100,
                {"as printed, excess 0.1, D = 500": near, "as printed, D = 10^9": far},
                against="D E||f|| and D eps/6 in the denominator: a bound that never falls below 2 exp(-6 eps).",
            ),
        ),
    )


def _uniform(eps: float, embedding: Any) -> float:
    return theory.uniform_bound(Gaussian(1.0), eps=eps, n_components=500, embedding=embedding, **FULL)


def _printed(excess: float, centre: float, supremum: float, embedding: str, width: int = 500) -> float:
    """The concentration bound as the poster prints it, at most 1."""
    if embedding == "paired":
        below = width * centre + supremum / 2.0 + width * excess / 6.0
    else:
        below = 4.0 / 9.0 * width * centre + (1.0 + supremum) / 81.0 + 2.0 / 27.0 * width * excess
    return float(min(1.0, 2.0 * np.exp(-width * excess**2 / below)))


def _expected(quick: bool, progress: Progress) -> Result:
    """E sup|f| against the width, simulated, and three bounds on it."""
    rows: list[tuple[Any, ...]] = []
    for width in progress((50, 500, 2000) if quick else (50, 100, 200, 500, 1000, 2000, 5000), "expected maximum"):
        for embedding in EMBEDDINGS:
            n_draws = max(50, (20_000 if quick else 500_000) // width)
            errors = largest_errors(Gaussian(1.0), width, segment(3.0), n_draws, embedding=embedding, seed=2 + width)
            rows.append((embedding, "simulated", width, *mean(errors)))
            setting: dict[str, Any] = {"n_components": width, "embedding": embedding, **FULL}
            rows.append((embedding, "tail", width, theory.expected_max_error(Gaussian(1.0), **setting), None))
            for method in ("dudley", "published"):
                value = theory.expected_max_error(Gaussian(1.0), method=method, **setting)
                rows.append((embedding, method, width, float(np.min(value)), None))
    table = Table("expected", "E sup|f|", ("embedding", "which", "D", "value", "standard error"), rows)
    at_500 = {
        (embedding, which): table.where(embedding=embedding, which=which, D=500).rows[0]
        for embedding in EMBEDDINGS
        for which in ("simulated", "tail", "dudley", "published")
    }
    ratios = {
        which: [
            bound / value
            for embedding in EMBEDDINGS
            for bound, value in zip(
                table.where(embedding=embedding, which=which).column("value"),
                table.where(embedding=embedding, which="simulated").column("value"),
            )
        ]
        for which in ("tail", "dudley", "published")
    }
    return Result(
        tables=(
            Table(
                "expected-500",
                "Expected largest error on [-3, 3], D = 500: published bound beside measured",
                ("embedding", "published", "Dudley, proved", "from the tail", "measured", "standard error"),
                [
                    (
                        embedding,
                        *(at_500[embedding, which][3] for which in ("published", "dudley", "tail")),
                        *at_500[embedding, "simulated"][3:],
                    )
                    for embedding in EMBEDDINGS
                ],
            ),
        ),
        pictures=(
            Picture(
                "expected",
                "Expected largest error",
                "Mean of the largest error on [-3, 3] against the number of features, simulated, with the bound from "
                "the tail of the uniform bound, and the bound by Dudley's integral as published. No error can be above "
                "2 (paired) or 3 (shifted), so the latter says nothing here.",
                table,
                _draw_expected,
            ),
        ),
        claims=(
            Claim(
                "Every bound on the expected largest error holds; the tail gives one within ten times the truth, "
                "Dudley's integral hundreds of times the truth.",
                min(map(min, ratios.values())) > 1.0
                and max(ratios["tail"]) < 10.0
                and min(ratios["published"]) > 100.0,
                {f"{which} / simulated": float(np.median(values)) for which, values in ratios.items()},
            ),
        ),
    )


def _draw_radius(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for embedding in EMBEDDINGS:
        for width in WIDTHS:
            curve = table.where(embedding=embedding, D=width)
            label = embedding if width == WIDTHS[0] else None
            axes.errorbar(
                curve.column("radius"),
                curve.column("mean"),
                yerr=curve.column("standard error"),
                **LOOKS[embedding].both(label=label),
            )
            end, colour = curve.rows[-1][2:4], LOOKS[embedding].colour
            axes.annotate(
                f"D = {width}", end, (8, 0), textcoords="offset points", va="center", fontsize=9.5, color=colour
            )
    axes.set(xlim=(0, 3.45), ylim=(0, None), xlabel="radius r (length scales)", ylabel="mean of the largest error")
    legend_below(figure, axes)


def _draw_law(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for which, width in (("uniform bound", 2.0), ("concentration", 0.8)):
        for embedding in EMBEDDINGS:
            curve = table.where(embedding=embedding, which=which)
            look = LOOKS[embedding].theory(linewidth=width, label=f"{embedding}, {which}")
            axes.plot(curve.column("eps"), curve.column("probability"), **look)
    for embedding in EMBEDDINGS:
        drawn = table.where(embedding=embedding, which="simulated")
        some = drawn.column("probability") > 1e-3
        look = LOOKS[embedding].measured(label=f"{embedding}, simulated", markersize=4.5)
        axes.plot(drawn.column("eps")[some], drawn.column("probability")[some], **look)
    axes.set(xlim=(0, 0.6), ylim=(0, 1.03), xlabel="eps", ylabel="Pr(largest error > eps)")
    legend_below(figure, axes)


def _draw_expected(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for embedding in EMBEDDINGS:
        for which, width in (("tail", 1.8), ("published", 0.9)):
            curve = table.where(embedding=embedding, which=which)
            look = LOOKS[embedding].theory(
                linewidth=width, label=f"{embedding}, {which}".replace("tail", "from the tail")
            )
            axes.plot(curve.column("D"), curve.column("value"), **look)
        drawn = table.where(embedding=embedding, which="simulated")
        axes.errorbar(
            drawn.column("D"),
            drawn.column("value"),
            yerr=3.0 * drawn.column("standard error"),
            **LOOKS[embedding].measured(label=f"{embedding}, simulated"),
        )
    axes.axhspan(3.0, 200.0, color="0.5", alpha=0.12, linewidth=0)
    axes.text(5400, 110, "no error is as large", ha="right", color="0.35", fontsize=9)
    axes.set(xscale="log", yscale="log", ylim=(0.015, 200), xlabel="number of features D")
    axes.set_ylabel("mean of the largest error")
    legend_below(figure, axes, 2)
