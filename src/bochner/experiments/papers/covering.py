"""The covering-number proof of uniform convergence: what each step costs, and which steps are wrong in print."""

from __future__ import annotations

from typing import Any

import numpy as np

from ... import theory
from ...kernels import Gaussian
from ..datasets import DataSets
from ..experiment import Experiment, Progress
from ..result import Claim, Picture, Result, Table, comparison
from ..simulation import largest_errors, mean, segment, share
from ..style import LOOKS, legend_below, shades

EPS, DELTA, DIAMETER = 0.1, 0.05, 6.0
WIDTHS = {1: 40_000, 2: 60_000, 5: 120_000}  # real features at which the steps are shown, by dimension


class Covering(Experiment):
    """Rahimi and Recht's claim 1 as a blog post on their paper proves it, with D_f = D/2 frequencies."""

    name = "covering"
    title = "The covering-number proof, step by step"
    source = (
        "A. Rahimi and B. Recht, Random Features for Large-Scale Kernel Machines (2007), claim 1, "
        "as written out in the blog post Random Fourier Features for Kernel Machines (2019)."
    )
    question = (
        "The proof covers the set of differences with a net, asks for a small error at its anchors and a small slope "
        "between them, and rounds generously at the end. Here every step is a number: what it promises, how much it "
        "gives away, and what simulation finds. Gaussian kernel with length scale 1, error 0.1, diameter 6."
    )

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        return steps() + radius() + failures(quick, progress) + slopes(quick, progress) + nets(quick)


def steps() -> Result:
    """The table of the proof, and the laws between its rows."""
    proofs = {
        dim: theory.covering_proof(Gaussian(1.0), eps=EPS, n_components=width, dim=dim, diameter=DIAMETER)
        for dim, width in WIDTHS.items()
    }
    rows = [
        (
            tables[0][0].replace(" (hoeffding)", "").replace(" (published)", ""),
            *(cell for row in tables for cell in row[1:]),
        )
        for tables in zip(*(proof.table() for proof in proofs.values()))
    ]
    columns = [name for dim, width in WIDTHS.items() for name in (f"d={dim}, D={width}", f"slack, d={dim}")]
    constants = [c**-d + c**2 for d in range(1, 201) for c in [(d / 2) ** (1 / (d + 2))]]
    printed = [c**-d + c**2 for d in range(1, 201) for c in [(d / 2) ** (1 / d)]]
    slack = min(row[2] for proof in proofs.values() for row in proof.table())
    gap = max(abs(proof.total / proof.closed_form - 1.0) for proof in proofs.values())
    balance = max(abs(proof.anchor_failure / proof.slope_failure * dim / 2.0 - 1.0) for dim, proof in proofs.items())
    last = proofs[1].rounded / proofs[1].rounded_two
    return Result(
        tables=(
            Table("steps", "The steps: value, and how many times it is above a sharper one", ("step", *columns), rows),
        ),
        claims=(
            Claim(
                "No step is sharper than the one after it, and the sum at the best radius is the closed form.",
                slack >= 1.0 - 1e-9 and gap < 1e-9,
                {"least slack": slack, "relative difference": gap},
            ),
            Claim(
                "At the best radius the anchors fail 2/d times as often as the slope.",
                balance < 1e-9,
                {"relative difference": balance},
            ),
            Claim(
                "c^-d + c² is at most 2 in every dimension, for c = (d/2)^(1/(d+2)).",
                max(constants) <= 2.0 + 1e-12 and max(printed) > 2.0,
                {"largest": max(constants), "with the printed c": max(printed)},
                against="c = (d/2)^(1/d), with which the inequality fails, in one dimension by 2.25 > 2.",
            ),
            Claim(
                "The last rounding, to 2^8 and the exponent 2, gives away a factor of thousands in one dimension.",
                last > 1000.0,
                {"factor": last},
            ),
        ),
    )


def radius() -> Result:
    """The radius that the blog prints, beside the one that is best."""
    rows = []
    for dim, width in WIDTHS.items():
        k1 = 2.0 * (4.0 * DIAMETER) ** dim * np.exp(-width / 2 * EPS**2 / 8.0)
        k2 = 4.0 * Gaussian(1.0).frequency_second_moment(dim) / EPS**2

        def total(r: float, dim: int = dim, k1: float = k1, k2: float = k2) -> float:
            return float(k1 * r**-dim + k2 * r**2)

        best = theory.net_radius(k1, k2, dim)
        printed = (dim / 2.0) ** (1.0 / dim) * (k1 / k2) ** (dim / (dim + 2.0))
        rows.append(
            (
                dim,
                best,
                printed,
                total(printed) / total(best),
                total(best) <= min(total(0.99 * best), total(1.01 * best)),
            )
        )
    return Result(
        tables=(
            comparison(
                [(f"radius of the net, d={dim}", printed, best) for dim, best, printed, *_ in rows]
                + [("c^-d + c², d=1", 2.25, 1.5 * 2.0 ** (1 / 3))]
            ),
        ),
        claims=(
            Claim(
                "The best radius of the net is (d k1 / 2 k2)^(1/(d+2)).",
                all(row[4] for row in rows) and all(row[3] > 1.1 for row in rows),
                {f"printed radius: sum times, d={dim}": excess for dim, _, _, excess, _ in rows},
                against="(d/2)^(1/d) (k1/k2)^(d/(d+2)), which is not the minimum, and not of the right size for d > 1.",
            ),
        ),
    )


BOUNDS = {
    "as published": ("rahimi-recht", {}, "rounded"),
    "before the last rounding": ("dudley", {}, "closed_form"),
    "and Bernstein's inequality": ("sutherland-schneider", {"tail": "bernstein"}, "closed_form"),
    "all steps proved and sharp": (
        "rigorous",
        {"tail": "bernstein", "slope": "sharp", "covering": "isodiametric"},
        "total",
    ),
}


def failures(quick: bool, progress: Progress) -> Result:
    """Pr(sup error >= 0.1) in one dimension: each form of the bound, and simulation."""
    drawn = [("simulated", width, *share(errors >= EPS)) for width, errors in _simulated(quick, progress)]
    rows: list[tuple[Any, ...]] = list(drawn)
    needed: dict[str, float] = {}
    widths = np.unique(np.geomspace(200, 100_000, 12 if quick else 60).astype(int) // 2 * 2)
    for label, (_, options, field) in BOUNDS.items():
        values = [
            float(
                vars(
                    theory.covering_proof(
                        Gaussian(1.0), eps=EPS, n_components=int(width), dim=1, diameter=DIAMETER, **options
                    )
                )[field]
            )
            for width in widths
        ]
        rows += [(label, int(width), value, None) for width, value in zip(widths, values)]
        needed[label] = _crossing(widths, np.array(values))
    simulated = np.array([row[1:3] for row in drawn if row[2] > 0])
    needed["simulated"] = _crossing(simulated[:, 0], simulated[:, 1])
    order = [needed[label] for label in (*BOUNDS, "simulated")]
    below = all(
        rate <= min(1.0, value) + 5.0 * error
        for _, width, rate, error in drawn
        for label in BOUNDS
        for value in [np.interp(width, widths, [row[2] for row in rows if row[0] == label])]
    )
    published = theory.components_needed(
        Gaussian(1.0), eps=EPS, delta=DELTA, dim=1, diameter=DIAMETER, method="rahimi-recht"
    )
    return Result(
        tables=(
            Table(
                "needed",
                f"Features for an error below {EPS} with probability {1 - DELTA}, d=1, diameter {DIAMETER:g}",
                ("by", "D"),
                [
                    ("Rahimi and Recht's claim 1, inverted", published),
                    *((label, round(value)) for label, value in needed.items()),
                ],
            ),
        ),
        pictures=(
            Picture(
                "failures",
                "Probability of an error above 0.1 somewhere",
                "Bounds against the number of features, as published and with one step after the other made sharper, "
                "and the simulated probability. Where a bound is above 1 it says nothing.",
                Table("failures", "Pr(sup error >= 0.1)", ("which", "D", "probability", "standard error"), rows),
                _draw_failures,
            ),
        ),
        claims=(
            Claim("No form of the bound is below the simulated probability.", below),
            Claim(
                "With every step sharp the proof needs a quarter of the published width; in truth a fifteenth of that "
                "will do.",
                3.0 < order[0] / order[3] < 5.0 and 10.0 < order[3] / order[4] < 20.0 and order[1] > order[2],
                {label: round(value) for label, value in needed.items()},
            ),
        ),
    )


def _simulated(quick: bool, progress: Progress) -> list[tuple[int, np.ndarray]]:
    widths = (100, 200, 400, 700, 1000) if quick else (100, 150, 200, 300, 400, 500, 600, 700, 800, 1000)
    rows = segment(DIAMETER / 2)
    return [
        (width, largest_errors(Gaussian(1.0), width, rows, 300 if quick else 10_000, seed=width))
        for width in progress(widths, "failures")
    ]


def _crossing(widths: np.ndarray, values: np.ndarray) -> float:
    """The width at which a falling curve is at DELTA, straight in the logarithm of the probability."""
    return float(np.interp(-np.log(DELTA), -np.log(values), widths))


def _draw_failures(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    axes.axhspan(1.0, 30.0, color="0.5", alpha=0.12, linewidth=0)
    for label, (look, *_) in BOUNDS.items():
        curve = table.where(which=label)
        axes.plot(curve.column("D"), curve.column("probability"), **LOOKS[look].theory(label=label))
    drawn = table.where(which="simulated")
    axes.errorbar(
        drawn.column("D"),
        drawn.column("probability"),
        yerr=drawn.column("standard error"),
        **LOOKS["paired"].measured(label="simulated"),
    )
    axes.axhline(DELTA, color="0.4", linewidth=0.8)
    axes.text(1.02e5, DELTA * 1.12, f"{DELTA:g}", color="0.4", ha="right", fontsize=9)
    axes.text(105, 9.0, "the bound says nothing", color="0.35", fontsize=9)
    axes.set(xscale="log", yscale="log", xlim=(90, 1.1e5), ylim=(1e-3, 30.0))
    axes.set(xlabel="number of features D", ylabel="Pr(largest error ≥ 0.1)")
    legend_below(figure, axes)


def slopes(quick: bool, progress: Progress) -> Result:
    """E L² of the error in one dimension, simulated, beside what proofs say about it."""
    kernel, rng = Gaussian(1.0), np.random.default_rng(1)
    places = np.linspace(0.0, 2.0 * DIAMETER, 601)
    gradient = -places * np.exp(-0.5 * places**2)
    rows: list[tuple[Any, ...]] = []
    for n_frequencies in progress((1, 2, 5, 20, 100), "slopes"):
        squares = np.empty((10_000 if quick else 200_000) // n_frequencies)
        for draw in range(len(squares)):
            w = kernel.sample_frequencies(1, n_frequencies, rng)[:, 0]
            estimate = -(np.sin(np.multiply.outer(places, w)) @ w) / n_frequencies
            squares[draw] = np.max((estimate - gradient) ** 2)
        rows.append(("simulated", 2 * n_frequencies, *mean(squares)))
    for width in 2 * np.unique(np.geomspace(1, 100, 25).astype(int)):
        for method in ("published", "rigorous", "sharp"):
            rows.append((method, int(width), theory.slope_moment(kernel, 1, int(width), method=method), None))
        fixed = float(theory.slope_variance(kernel, places[1:, None], int(width)).max())
        rows.append(("steepest fixed place", int(width), fixed, None))
    table = Table("slopes", "E L²", ("which", "D", "E L²", "standard error"), rows)
    drawn = table.where(which="simulated")
    first, error = drawn.rows[0][2:]
    sharp = [theory.slope_moment(kernel, 1, int(width)) for width in drawn.column("D")]
    return Result(
        tables=(
            Table(
                "slope",
                "Mean square of the Lipschitz constant of the error, d=1",
                ("D", "published bound", "proved bound", "simulated", "standard error"),
                [(int(row[1]), 1.0, bound, *row[2:]) for row, bound in zip(drawn.rows, sharp)],
            ),
        ),
        pictures=(
            Picture(
                "slopes",
                "How steep the error is",
                "Mean square of the largest slope of the error against the number of features: the published bound is "
                "broken by one frequency; the truth falls with the width, which no bound of the proof sees.",
                table,
                _draw_slopes,
            ),
        ),
        claims=(
            Claim(
                "One frequency breaks the published step E L² <= E||w||²; the bound with sup||grad k|| holds.",
                first - 3.0 * error > 1.0
                and all(row[2] + 3.0 * row[3] < bound for row, bound in zip(drawn.rows, sharp)),
                {"E L², one frequency": first, "E||w||²": 1.0, "proved": sharp[0]},
                against="E L² <= E||w||², by treating the place of the steepest slope as fixed.",
            ),
        ),
    )


def _draw_slopes(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for method, look, label in (
        ("rigorous", "rahimi-recht", "proved for every kernel, 4 E||w||²"),
        ("sharp", "rigorous", "proved, sharper"),
        ("published", "sutherland-schneider", "published, E||w||²"),
        ("steepest fixed place", "limit", "steepest fixed place (exact)"),
    ):
        curve = table.where(which=method)
        axes.plot(curve.column("D"), curve.column("E L²"), **LOOKS[look].theory(label=label))
    drawn = table.where(which="simulated")
    axes.errorbar(
        drawn.column("D"),
        drawn.column("E L²"),
        yerr=3.0 * drawn.column("standard error"),
        **LOOKS["paired"].measured(label="simulated, ± 3 standard errors", capsize=3),
    )
    axes.set(xscale="log", yscale="log", xlabel="number of features D", ylabel="E L² (1 / length scale²)")
    legend_below(figure, axes)


def nets(quick: bool) -> Result:
    """Sizes of greedy nets of cubes beside bounds on covering numbers."""
    rng = np.random.default_rng(2)
    rows: list[tuple[Any, ...]] = []
    for dim in (1, 2, 3):
        cube = rng.uniform(size=(800 if quick else 6000, dim))
        diameter = float(np.sqrt(dim))
        for ratio in (0.5, 0.3, 0.2, 0.12, 0.08):
            size = len(theory.epsilon_net(cube, ratio * diameter))
            bounds = [
                theory.covering_number_bound(dim, 1.0, ratio, method=method) for method in ("isodiametric", "published")
            ]
            rows.append((dim, ratio, size, *bounds))
    table = Table("nets", "Balls that cover a cube", ("d", "radius / diameter", "net", "proved", "published"), rows)
    wide = theory.covering_number_bound(2, 1.0, 3.0, method="published")
    return Result(
        pictures=(
            Picture(
                "nets",
                "Balls that cover a cube",
                "Size of a greedy net of a cube against its radius, with the bounds (1 + diameter/r)^d, true of every "
                "set, and (2 diameter/r)^d as published.",
                table,
                _draw_nets,
            ),
        ),
        claims=(
            Claim(
                "A greedy net of a cube never has more than (1 + diameter/r)^d balls.",
                all(row[2] <= row[3] for row in rows),
                {"closest": max(row[2] / row[3] for row in rows)},
                against="(2 diameter/r)^d, which is weaker for r < diameter and below one ball for r > 2 diameter "
                f"({wide:.3f} balls of radius 3 for a plane set of diameter 1).",
            ),
        ),
    )


def _draw_nets(figure: Any, table: Table) -> None:
    axes = figure.add_subplot()
    for dim, look in zip((1, 2, 3), shades(3)):
        some = table.where(d=dim)
        ratio = some.column("radius / diameter")
        axes.plot(ratio, some.column("published"), color=look.colour, linestyle=":", linewidth=1.3)
        axes.plot(ratio, some.column("proved"), color=look.colour, linewidth=1.8)
        axes.plot(ratio, some.column("net"), **look.measured(label=f"net of a cube, d = {dim}"))
    axes.plot([], [], color="0.4", linewidth=1.8, label="$(1 + \\mathrm{diameter}/r)^d$, proved")
    axes.plot([], [], color="0.4", linewidth=1.3, linestyle=":", label="$(2\\, \\mathrm{diameter}/r)^d$, published")
    axes.set(xscale="log", yscale="log", xlabel="radius r / diameter of the set", ylabel="number of balls")
    axes.set_xticks([0.08, 0.12, 0.2, 0.3, 0.5], ["0.08", "0.12", "0.2", "0.3", "0.5"])
    axes.minorticks_off()
    legend_below(figure, axes)
