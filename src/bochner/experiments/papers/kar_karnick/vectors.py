"""The support vector effect: what a prediction costs as the training set grows."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import theory
from ...datasets import DataSets
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table
from ...style import GREY, LOOKS, SKY, Look, legend_below, plain_numbers
from .machines import exact, kernel_of, linear, seconds
from .poster import LABELS, LINEAR, WIDTHS
from .sets import Rows, prepared
from .settings import C

NAME, KERNEL = "covertype", "exponential"
SIZES = (500, 1000, 2000, 4000, 8000)
LOOK = {
    "exact": LOOKS["exact"],
    "exact, matrix products": Look(SKY, "-.", "v"),
    "random features": LOOKS["maclaurin"],
    "h01": LOOKS["h01"],
}
LABEL = LABELS | {"exact": "exact, LIBSVM", "exact, matrix products": "exact, by matrix products"}
COLUMNS = ("machine", "training rows", "support vectors", "multiplications a row", "training s", "test µs a row")


def run(quick: bool, data: DataSets, progress: Progress) -> Result:
    """Support vectors and times against the number of training rows."""
    sizes, n_test, repeats = ((200, 400, 800), 300, 1) if quick else (SIZES, 5000, 9)
    rows = prepared(NAME, data)
    rows = rows.some(sizes[-1], n_test)
    found = [row for size in progress(sizes, "support vectors") for row in _at(rows.some(size, n_test), repeats)]
    table = Table("prediction-cost", "Cost of a prediction as the training set grows", COLUMNS, found)
    vectors = table.where(machine="exact").column("support vectors")
    work = {machine: _slope(table, machine, "multiplications a row", vectors) for machine in LOOK}
    times = {machine: _slope(table, machine, "test µs a row", vectors) for machine in LOOK}
    growth = float(np.polyfit(np.log(sizes), np.log(vectors), 1)[0])
    spent = {machine: _slope(table, machine, "training s", np.array(sizes)) for machine in LOOK}
    counted = Claim(
        "Support vectors grow with the training rows, and multiplications of a prediction with them; those of features "
        "do not change.",
        growth > 0.5 and work["exact"] > 0.99 and max(work[machine] for machine in LINEAR) < 0.01,
        {"support vectors ~ n to the": growth, "multiplications, exact, ~ vectors to the": work["exact"]},
    )
    timed = Claim(
        "Test time of the exact kernel grows with its support vectors, to a power of at least 0.8; that of features "
        "does not, to a power of at most 0.1.",
        times["exact"] >= 0.8 and max(times[machine] for machine in LINEAR) <= 0.1,
        {LABEL[machine]: value for machine, value in times.items()},
    )
    trained = Claim(
        "Training time of the exact kernel grows faster than the rows, that of features at most as fast.",
        spent["exact"] > 1.3 and max(spent[machine] for machine in LINEAR) < 1.1,
        {LABEL[machine]: spent[machine] for machine in ("exact", *LINEAR)},
    )
    return Result(
        tables=(table,),
        pictures=(
            Picture(
                "support-vectors",
                "The support vector effect",
                "Covertype, exponential kernel, one processor. Above: time of one prediction against the number of "
                "support vectors that the exact machine has from the same training rows; below: training time against "
                "training rows. Matrix products make the exact machine many times as fast, but do not change how its "
                "cost grows.",
                table,
                _draw,
                (5.8, 7.4),
            ),
        ),
        claims=(counted,) if quick else (counted, timed, trained),
    )


def _slope(table: Table, machine: str, column: str, against: Any) -> float:
    """The power of ``against`` with which a column grows."""
    values = np.maximum(table.where(machine=machine).column(column), 1e-9)
    return float(np.polyfit(np.log(against), np.log(values), 1)[0])


def _at(rows: Rows, repeats: int) -> list[tuple[Any, ...]]:
    """All machines on one training set."""
    n, dim = rows.X.shape
    model = exact(rows.name, KERNEL, C[NAME, KERNEL, "exact"])
    training = seconds(lambda: model.fit(rows.X, rows.y))
    n_vectors = int(model.n_support_.sum())
    kernel = kernel_of(rows.name, KERNEL)
    vectors, weights = (np.asarray(part, dtype=np.float32) for part in (model.support_vectors_, model.dual_coef_.T))
    found: list[tuple[Any, ...]] = [
        ("exact", n, n_vectors, n_vectors * dim, training, _microseconds(lambda: model.predict(rows.X_test), rows, 1)),
        (
            "exact, matrix products",
            n,
            n_vectors,
            n_vectors * dim,
            training,
            _microseconds(lambda: kernel(rows.X_test, vectors) @ weights, rows, repeats),
        ),
    ]
    return found + [_linear_at(rows, machine, repeats) for machine in LINEAR]


def _linear_at(rows: Rows, machine: str, repeats: int) -> tuple[Any, ...]:
    """Random features or H0/1 on one training set, after a fit on few of its rows."""
    n, dim = rows.X.shape
    model = linear(rows.name, KERNEL, machine, dim, C[NAME, KERNEL, machine], 0)
    model.fit(rows.X[:200], rows.y[:200])
    training = min(seconds(lambda: model.fit(rows.X, rows.y)) for _ in range(min(3, repeats)))
    test = _microseconds(lambda: model.predict(rows.X_test), rows, repeats)
    return (machine, n, None, _multiplications(machine, dim), training, test)


def _multiplications(machine: str, dim: int) -> float:
    """On average over draws: the random columns, and for H0/1 the exact ones."""
    start = 2 if machine == "h01" else 0
    cost = theory.maclaurin_cost(theory.geometric_degrees(60, 2.0, start=start), dim).multiplications
    return WIDTHS[NAME][machine] * cost + (dim if machine == "h01" else 0)


def _microseconds(work: Any, rows: Rows, repeats: int) -> float:
    return float(np.median([seconds(work) for _ in range(repeats)])) / len(rows.X_test) * 1e6


def _draw(figure: Any, table: Table) -> None:
    above, below = figure.subplots(2, 1)
    vectors = table.where(machine="exact").column("support vectors")
    for machine, look in LOOK.items():
        some = table.where(machine=machine)
        above.plot(vectors, some.column("test µs a row"), **look.both(label=LABEL[machine]))
        if machine != "exact, matrix products":
            below.plot(some.column("training rows"), some.column("training s"), **look.both())
    for axes, rows, column in ((above, vectors, "test µs a row"), (below, None, "training s")):
        first = table.where(machine="exact")
        x = first.column("training rows") if rows is None else rows
        y, power = first.column(column), 1 if rows is not None else 2
        axes.plot(x, 1.6 * y[0] * (x / x[0]) ** power, color=GREY, linewidth=0.9)
        axes.annotate(
            "slope 1" if power == 1 else "slope 2",
            (x[1], 1.6 * y[0] * (x[1] / x[0]) ** power),
            (-4, 4),
            textcoords="offset points",
            ha="right",
            fontsize=9,
            color="0.4",
        )
        axes.set(xscale="log", yscale="log")
        plain_numbers(axes.xaxis, axes.yaxis)
    above.set(xlabel="support vectors of the exact machine", ylabel="test time (µs a row)")
    below.set(xlabel="training rows", ylabel="training time (s)")
    legend_below(figure, above)
