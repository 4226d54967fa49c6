"""Orthogonal random features: how much lower their variance is, and what other structured draws really do."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import theory
from ...compute.haar import haar_rows
from ...kernels import Gaussian
from ...maps import FourierFeatures
from ..datasets import DataSets
from ..experiment import Experiment, Progress
from ..result import Claim, Picture, Result, Table
from ..style import GREY, LOOKS, PUBLISHED, legend_below

DIMENSIONS = (2, 4, 8, 16, 32, 64)
DRAWS = ("iid", "independent radii", "orthogonal", "fastfood", "sobol")
LABELS = {
    "iid": "independent",
    "independent radii": "orthogonal, independent radii",
    "orthogonal": "orthogonal, radii in strata",
    "fastfood": "Fastfood",
    "sobol": "Sobol points",
}
DIRECTIONS = 100  # random differences in each draw
COLUMNS = ("draws", "d", "frequencies", "distance", "along", "bias", "its standard error", "variance", "standard error")


class Orthogonal(Experiment):
    """Yu et al. 2016, and the encyclopedia's sentence on it."""

    name = "orthogonal"
    title = "Orthogonal random features"
    source = (
        "F. X. Yu et al., Orthogonal Random Features (2016); the encyclopedia's article Random feature, "
        "section Other examples."
    )
    question = (
        "Frequencies of one block may be made orthogonal, with lengths of the right law, and the estimate of a "
        "Gaussian kernel stays unbiased while its variance falls. By how much, in which dimension, and do other "
        "structured draws gain as well? Variances are taken in random directions: along an axis some draws look "
        "better than they are."
    )

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        n_draws = 120 if quick else 2500
        some = (2, 8, 16) if quick else DIMENSIONS
        rows = [
            measured(draws, dim, dim, 1.0, n_draws)
            for dim in progress(some, "gain against dimension")
            for draws in DRAWS
        ]
        rows += [
            measured(draws, 16, 16, distance, n_draws)
            for distance in progress((0.5, 1.5, 2.0, 3.0), "variance against distance")
            for draws in DRAWS
        ]
        rows += [
            measured(draws, dim, 64, 1.0, n_draws // 2, along)
            for dim in progress((4, 16) if quick else (2, 4, 8, 16, 32), "64 frequencies")
            for draws in ("iid", "orthogonal", "sobol")
            for along in ("random directions", "an axis")
        ]
        table = Table("measured", "Measured", COLUMNS, rows)
        return _unbiased(table) + _gain(table, some) + _distance(table) + _sobol(table)


def measured(
    draws: str, dim: int, n_frequencies: int, distance: float, n_draws: int, along: str = "random directions"
) -> tuple[Any, ...]:
    """Bias and variance of the mean of cos(w'Δ) over so many draws, ||Δ|| = distance, each in many directions.

    Standard errors are over draws, the mean over directions being one number for each.
    """
    rng = np.random.default_rng([dim, n_frequencies, int(100 * distance), n_draws])
    target = float(np.exp(-0.5 * distance**2))
    errors, squares = np.empty(n_draws), np.empty(n_draws)
    zero = np.zeros((1, dim))
    for draw in range(n_draws):
        if along == "an axis":
            delta = distance * np.eye(dim)
        else:
            delta = rng.normal(size=(DIRECTIONS, dim))
            delta *= distance / np.linalg.norm(delta, axis=1, keepdims=True)
        if draws == "independent radii":
            frequencies = (
                haar_rows(dim, n_frequencies, rng) * Gaussian(1.0).sample_radii(dim, n_frequencies, rng)[:, None]
            )
            estimate = np.cos(delta @ frequencies.T).mean(axis=1)
        else:
            features = FourierFeatures(Gaussian(1.0), 2 * n_frequencies, directions=draws, random_state=rng).fit(zero)
            estimate = features.features_(delta)[:, :n_frequencies].sum(axis=1) / np.sqrt(n_frequencies)
        errors[draw] = np.mean(estimate - target)
        squares[draw] = np.mean((estimate - target) ** 2)
    root = np.sqrt(n_draws)
    values = (errors.mean(), errors.std(ddof=1) / root, squares.mean(), squares.std(ddof=1) / root)
    return (draws, dim, n_frequencies, distance, along, *map(float, values))


def exact(draws: str, dim: int, n_frequencies: int, distance: float) -> float:
    """The variance that theory gives; independent draws and orthogonal ones only."""
    if draws == "iid":
        return float(theory.frequency_variance(Gaussian(1.0), [distance])[0]) / n_frequencies
    radii = "independent" if draws == "independent radii" else "stratified"
    return float(theory.orthogonal_variance(distance, dim, n_frequencies, radii=radii)[0])


def _unbiased(table: Table) -> Result:
    errors = np.abs(table.column("bias")) / table.column("its standard error")
    known = [row for row in table.rows if row[0] in ("iid", "independent radii", "orthogonal") and row[4] != "an axis"]
    off = [abs(row[7] - exact(*row[:4])) / row[8] for row in known]
    return Result(
        claims=(
            Claim(
                "Every one of these draws is unbiased, also the structured ones, within five standard errors.",
                float(errors.max()) < 5.0,
                {"largest bias in standard errors": float(errors.max())},
            ),
            Claim(
                "Variances of independent and orthogonal draws are those of theory, within five standard errors.",
                max(off) < 5.0,
                {"largest difference in standard errors": max(off)},
            ),
        )
    )


def _gain(table: Table, dims: tuple[int, ...]) -> Result:
    """Variance of independent frequencies over that of others, one block of d frequencies, one length scale."""
    rows: list[tuple[Any, ...]] = []
    for dim in dims:
        base = exact("iid", dim, dim, 1.0)
        for draws in DRAWS:
            row = table.where(draws=draws, d=dim, frequencies=dim, distance=1.0).rows[0]
            rows.append((draws, "measured", dim, base / row[7], base / row[7] * row[8] / row[7]))
    for dim in range(2, 65) if len(dims) > 3 else dims:
        base = exact("iid", dim, dim, 1.0)
        for draws in ("independent radii", "orthogonal"):
            rows.append((draws, "theory", dim, base / exact(draws, dim, dim, 1.0), None))
        # Yu et al.'s leading terms for many dimensions
        leading = ((1.0 - np.exp(-1.0)) ** 2 - (dim - 1.0) / dim * np.exp(-1.0)) / (2.0 * dim)
        rows.append(("independent radii", "published", dim, base / leading, None))
    gains = Table("gain", "Gain", ("draws", "which", "d", "gain", "standard error"), rows)

    def gain(draws: str, which: str, dim: int) -> float:
        return float(gains.where(draws=draws, which=which, d=dim).rows[0][3])

    strata = [gain("orthogonal", "measured", dim) for dim in dims]
    return Result(
        tables=(
            Table(
                "gains",
                "Variance of independent frequencies / variance, d frequencies in d dimensions, one length scale",
                ("d", "published", "theory", "measured", *(f"{LABELS[draws]}, measured" for draws in DRAWS[2:])),
                [
                    (
                        dim,
                        *(gain("independent radii", which, dim) for which in ("published", "theory", "measured")),
                        *(gain(draws, "measured", dim) for draws in DRAWS[2:]),
                    )
                    for dim in dims
                ],
            ),
        ),
        pictures=(
            Picture(
                "gain",
                "How many times lower the variance is",
                "Variance of independent frequencies divided by that of other draws, d frequencies in d dimensions, at "
                "one length scale in random directions. Orthogonal draws gain with the dimension, radii in strata gain "
                "again; Fastfood and few Sobol points lose.",
                gains,
                _draw_gain,
                (5.8, 4.6),
            ),
        ),
        claims=(
            Claim(
                "Orthogonal frequencies have the lower variance in every dimension, and the gain grows with it.",
                all(np.diff(strata) > 0) and min(strata) > 1.0,
                {f"d = {dim}": value for dim, value in zip(dims, strata)},
            ),
            Claim(
                "Radii in strata lower the variance again.",
                all(
                    gain("orthogonal", "measured", dim) > 1.1 * gain("independent radii", "measured", dim)
                    for dim in dims
                ),
                {f"d = {dim}": strata[at] / gain("independent radii", "measured", dim) for at, dim in enumerate(dims)},
            ),
            Claim(
                "One block of Fastfood has a higher variance than independent frequencies, and so have as few Sobol "
                "points as there are dimensions, from 16 dimensions on.",
                gain("fastfood", "measured", 16) < 0.9 and gain("sobol", "measured", 16) < 1.0,
                {"Fastfood, d = 16": gain("fastfood", "measured", 16), "Sobol, d = 16": gain("sobol", "measured", 16)},
            ),
        ),
        notes=(
            "Published is the leading expansion for many dimensions, (1/2m)[(1 - exp(-z²))² - (m - 1)/d exp(-z²) z⁴], "
            "as it is attributed to Yu et al.; quoted at second hand, not from the paper. It is for independent radii.",
        ),
    )


def _distance(table: Table) -> Result:
    """Variance times the number of frequencies, against the distance, 16 frequencies in 16 dimensions."""
    some = table.where(d=16, frequencies=16, along="random directions")
    rows = [(row[0], "measured", row[3], 16 * row[7], 16 * row[8]) for row in some.rows]
    for z in np.linspace(0.0, 3.5, 71)[1:]:
        for draws in ("iid", "independent radii", "orthogonal"):
            rows.append((draws, "theory", float(z), 16 * exact(draws, 16, 16, float(z)), None))
    curves = Table("distance", "Variance", ("draws", "which", "distance", "variance times m", "standard error"), rows)
    fine = np.linspace(0.05, 6.0, 120)
    worst = max(exact("orthogonal", 16, 16, z) / exact("iid", 16, 16, z) for z in fine)
    return Result(
        pictures=(
            Picture(
                "distance",
                "Variance against distance",
                "Variance times the number of frequencies against the distance, 16 frequencies in 16 dimensions, in "
                "random directions. The gain is large up to two length scales and gone beyond three, where the kernel "
                "is nothing.",
                curves,
                _draw_distance,
                (5.8, 4.6),
            ),
        ),
        claims=(
            Claim(
                "In 16 dimensions orthogonal draws lose nothing at any distance: at most 0.1 % in variance.",
                worst < 1.001,
                {"largest ratio": worst},
            ),
        ),
    )


def _sobol(table: Table) -> Result:
    """Root mean squared error of 64 frequencies against the dimension, in random directions and along an axis."""
    some = table.where(frequencies=64)
    some = Table("sobol", "64 frequencies", some.columns, [row for row in some.rows if row[1] != 64])

    def root(draws: str, dim: int, along: str = "random directions") -> float:
        return float(np.sqrt(some.where(draws=draws, d=dim, along=along).rows[0][7]))

    return Result(
        pictures=(
            Picture(
                "sobol",
                "Sobol points, in random directions and along axes",
                "Root mean squared error of 64 frequencies at one length scale against the dimension. Hollow markers "
                "are differences along an axis, where Sobol points look far better than in random directions.",
                some,
                _draw_sobol,
                (5.8, 4.6),
            ),
        ),
        claims=(
            Claim(
                "With 64 frequencies Sobol points beat orthogonal ones in 4 dimensions and lose to them in 16.",
                root("sobol", 4) < root("orthogonal", 4) and root("sobol", 16) > root("orthogonal", 16),
                {f"{draws}, d = {dim}": root(draws, dim) for dim in (4, 16) for draws in ("sobol", "orthogonal")},
            ),
            Claim(
                "Along an axis Sobol points look several times better than they are.",
                root("sobol", 16) > 3.0 * root("sobol", 16, "an axis"),
                {"random directions": root("sobol", 16), "an axis": root("sobol", 16, "an axis")},
            ),
        ),
    )


def _draw_gain(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    axes.axhline(1.0, color=GREY, linewidth=1.0)
    published = table.where(which="published")
    few = np.isin(published.column("d"), DIMENSIONS)
    for draws in DRAWS[1:]:
        theory_, found = table.where(draws=draws, which="theory"), table.where(draws=draws, which="measured")
        if theory_.rows:
            axes.plot(theory_.column("d"), theory_.column("gain"), **LOOKS[draws].theory())
        joined = LOOKS[draws].measured() if theory_.rows else LOOKS[draws].both(linewidth=0.8)
        axes.errorbar(
            found.column("d"), found.column("gain"), yerr=found.column("standard error"), label=LABELS[draws], **joined
        )
    d, gain = published.column("d")[few], published.column("gain")[few]
    inside = (gain > 0) & (gain < 60)
    axes.plot(d[inside], gain[inside], label="published, for many dimensions", **PUBLISHED)
    axes.text(64, 1.09, "independent frequencies", color="0.4", fontsize=9, ha="right")
    axes.set(xscale="log", yscale="log", xlabel="dimension d, and number of frequencies")
    axes.set_ylabel("ratio of variances")
    axes.set_xticks(DIMENSIONS, [str(d) for d in DIMENSIONS])
    axes.set_yticks([0.5, 1, 2, 5, 10, 20], ["0.5", "1", "2", "5", "10", "20"])
    axes.minorticks_off()
    legend_below(figure, axes)


def _draw_distance(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for draws in DRAWS:
        curve, found = table.where(draws=draws, which="theory"), table.where(draws=draws, which="measured")
        if curve.rows:
            axes.plot(curve.column("distance"), curve.column("variance times m"), **LOOKS[draws].theory())
        axes.errorbar(
            found.column("distance"),
            found.column("variance times m"),
            yerr=found.column("standard error"),
            **LOOKS[draws].measured(label=LABELS[draws]),
        )
    axes.set(xlim=(0, 3.5), ylim=(0, None), xlabel="distance of the two points (length scales)")
    axes.set_ylabel("variance × number of frequencies")
    legend_below(figure, axes)


def _draw_sobol(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for draws in ("iid", "orthogonal", "sobol"):
        for along, fill in (("random directions", None), ("an axis", "#ffffff")):
            some = table.where(draws=draws, along=along)
            look = LOOKS[draws].both(
                markerfacecolor=fill or LOOKS[draws].colour, linewidth=1.4 if fill is None else 0.7
            )
            where = "" if fill is None else ", along an axis"
            axes.plot(some.column("d"), np.sqrt(some.column("variance")), label=LABELS[draws] + where, **look)
    axes.set(xscale="log", yscale="log", xlabel="dimension d", ylabel="root mean squared error")
    axes.set_xticks([2, 4, 8, 16, 32], ["2", "4", "8", "16", "32"])
    axes.set_yticks([0.002, 0.005, 0.01, 0.02, 0.05], ["0.002", "0.005", "0.01", "0.02", "0.05"])
    axes.minorticks_off()
    legend_below(figure, axes)
