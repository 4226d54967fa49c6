"""Figures (c) and (d): accuracy and mapping time against D, where H0/1 leads and where it costs the lead."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from .... import theory
from ....learners import KernelSVC
from ....maps import MaclaurinFeatures
from ...datasets import DataSets
from ...experiment import Progress
from ...result import Claim, Picture, Result, Table, comparison
from ...simulation import mean
from ...style import LOOKS, PUBLISHED, legend_below, plain_numbers
from ..kar_karnick.machines import PUBLISHED_MAP, TOLERANCE, kernel_of, percent, seconds
from ..kar_karnick.poster import LINEAR, TITLES, WIDTHS, printed
from ..kar_karnick.sets import Rows, prepared
from ..kar_karnick.settings import C

FIGURES = (("nursery", "polynomial"), ("ijcnn1", "exponential"))
SIZES = (10, 20, 50, 100, 200, 500, 1000)
LOOK = {"random features": LOOKS["maclaurin"], "h01": LOOKS["h01"]}
LABEL = {"random features": "random features", "h01": "H0/1"}
TIME = "mapping µs a row"
COLUMNS = ("set", "machine", "D", "columns", "accuracy", "standard error", TIME)


def run(quick: bool, data: DataSets, progress: Progress) -> Result:
    """Both sets, both machines, the published map, one class against the rest."""
    most, n_test, n_draws, sizes = (900, 900, 3, (10, 50, 200)) if quick else (20_000, 20_000, 4, SIZES)
    found: list[tuple[Any, ...]] = []
    for name, kernel in FIGURES:
        rows = prepared(name, data).some(most, n_test)
        for size in progress(sizes, name):
            for machine in LINEAR:
                found.append(_point(rows, kernel, machine, size, n_draws))
    table = Table("accuracy-and-time", "Accuracy in % and time of the map, of one processor", COLUMNS, found)
    return _result(table, quick)


def _point(rows: Rows, kernel: str, machine: str, size: int, n_draws: int) -> tuple[Any, ...]:
    """Accuracy and time of the map for one number of random features."""
    h01, dim = machine == "h01", rows.X.shape[1]
    n_columns = size + (dim + 1) * h01
    accuracy, times = [], []
    for seed in range(n_draws):
        drawn = MaclaurinFeatures(
            kernel_of(rows.name, kernel), n_columns, h01=h01, random_state=seed, n_jobs=1, **PUBLISHED_MAP
        )
        model = KernelSVC(drawn, C[rows.name, kernel, machine], tol=TOLERANCE, engine=1).fit(rows.X, rows.y)
        accuracy.append(percent(model.predict(rows.X_test) == rows.y_test))
        times += [seconds(partial(model.feature_map_.transform, rows.X_test)) for _ in range(3)]
    time = 1e6 * float(np.median(times)) / len(rows.X_test)
    return (rows.title, machine, size, n_columns, *mean(np.array(accuracy)), time)


def _result(table: Table, quick: bool) -> Result:
    sizes = table.values("D")
    titles = [TITLES[name] for name, _ in FIGURES]
    column = {
        (title, machine): table.where(set=title, machine=machine).column for title in titles for machine in LINEAR
    }
    lead = {title: column[title, "h01"]("accuracy") - column[title, LINEAR[0]]("accuracy") for title in titles}
    cost = {title: column[title, "h01"](TIME) / column[title, LINEAR[0]](TIME) for title in titles}
    factors = [theory.maclaurin_cost(theory.geometric_degrees(60, 2.0, start=start), 22).factors for start in (0, 2)]
    first = Claim(
        "With few random features H0/1 is the more accurate.",
        all(bool(values[0] > 0.0) for values in lead.values()),
        {f"{title}, D = {sizes[0]}, points": values[0] for title, values in lead.items()},
    )
    gone = Claim(
        "With many the lead is gone: what is left of it is less than a tenth of what it was, or less than 0.3 points.",
        all(bool(values[-1] < max(0.3, 0.1 * values[0])) for values in lead.values()),
        {f"{title}, D = {sizes[-1]}, points": values[-1] for title, values in lead.items()},
    )
    slower = Claim(
        "A random column of H0/1 has three factors on average, a plain one has one; so the map of H0/1 takes longer at "
        "the same D.",
        abs(factors[0] - 1.0) < 1e-6
        and abs(factors[1] - 3.0) < 1e-6
        and (quick or bool(min(map(min, cost.values())) > 1.0)),
        {f"{title}, D = {sizes[-1]}, times as long": values[-1] for title, values in cost.items()},
    )
    printed_rows = []
    for name, kernel in FIGURES:
        for machine in LINEAR:
            width = WIDTHS[name][machine]
            if width in sizes:
                row = table.where(set=TITLES[name], machine=machine, D=width).rows[0]
                what = f"{TITLES[name]}, {kernel}, {LABEL[machine]}, D = {width}: accuracy in %"
                printed_rows.append((what, printed(name, kernel, machine).accuracy, row[4], row[5]))
    return Result(
        tables=(comparison(printed_rows), table),
        pictures=(
            Picture(
                "widths",
                "Accuracy and mapping time against D",
                "Nursery with the polynomial and IJCNN with the exponential kernel, published map, one class against "
                "the rest: accuracy, and time to map one row, against the number of random features. Stars are "
                "accuracies of the poster's table. H0/1 leads where features are few; its map takes longer everywhere.",
                table,
                _draw,
                (7.0, 6.4),
            ),
        ),
        claims=(first, slower) if quick else (first, gone, slower),
    )


def _draw(figure: Any, table: Table) -> None:
    for panel, (name, kernel) in enumerate(FIGURES):
        above, below = (figure.add_subplot(2, 2, place + panel) for place in (1, 3))
        for machine, look in LOOK.items():
            some = table.where(set=TITLES[name], machine=machine)
            D = some.column("D")
            above.errorbar(
                D, some.column("accuracy"), yerr=2 * some.column("standard error"), **look.both(label=LABEL[machine])
            )
            below.plot(D, some.column(TIME), **look.both())
            label = "published" if machine == "h01" else None
            above.plot(WIDTHS[name][machine], printed(name, kernel, machine).accuracy, label=label, **PUBLISHED)
        above.set(xscale="log", title=f"{TITLES[name]}, {kernel}")
        below.set(xscale="log", yscale="log", xlabel="random features D")
        above.set_xlim(0.8 * min(table.values("D")), 1.25 * max(WIDTHS[name].values()))
        below.set_xlim(above.get_xlim())
        plain_numbers(above.xaxis, below.xaxis, below.yaxis)
        if panel == 0:
            above.set_ylabel("test accuracy (%)")
            below.set_ylabel("mapping time (µs a row)")
    legend_below(figure, figure.axes[0], 3)
