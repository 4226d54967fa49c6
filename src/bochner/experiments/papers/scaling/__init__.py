"""Time and memory against the number of rows: exact kernel machines, and machines that are linear in features."""

from __future__ import annotations

from typing import Any

from ....learners import Plan, plan
from ...datasets import DataSets
from ...experiment import Experiment, Progress
from ...result import Claim, Picture, Result, Table, comparison
from .growth import PowerLaw
from .machines import DIM, MACHINES, WIDTH, Fit, measured
from .pictures import draw_memory, draw_time

EXACT, LINEAR = (1000, 2000, 5000, 10_000, 20_000), (1000, 5000, 20_000, 100_000, 300_000, 1_000_000)
QUICK_EXACT, QUICK_LINEAR = (1500, 3000), (3000, 20_000)
BEYOND = (100_000, 500_000, 1_000_000)
FORECAST_FROM = 10_000  # rows: below, a fit is over before its forecast
BUDGET = 2000.0  # megabytes: what the library's learners allow themselves
HALF_A_MILLION, DAY = 500_000, 86_400.0
COLUMNS = ("machine", "task", "which", "rows", "seconds", "megabytes", "error")


class FromThousandToMillion(Experiment):
    """The reason for random features."""

    name = "scaling"
    title = "From a thousand rows to a million"
    source = (
        "A. Rahimi and B. Recht, Random Features for Large-Scale Kernel Machines (2007), introduction: methods that "
        "operate on the kernel matrix scale poorly; training a nonlinear SVM on half a million rows might take days."
    )
    question = (
        "Exact kernel machines (scikit-learn's KernelRidge and SVC) on up to 20,000 rows, and machines that are linear "
        f"in {WIDTH} Fourier features of the same kernel on up to a million, all on the same generated rows of {DIM} "
        "columns. Each fit is measured in a process of its own: time, and memory at its peak beyond the rows. Beyond "
        "20,000 rows the exact machines are not measured but extrapolated; what bochner.plan forecasts stands beside "
        "what was measured."
    )

    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        exact, linear = (QUICK_EXACT, QUICK_LINEAR) if quick else (EXACT, LINEAR)
        sizes = {name: exact if machine.exact else linear for name, machine in MACHINES.items()}
        jobs = [(name, group) for name in MACHINES for group in ([sizes[name]] if quick else zip(sizes[name]))]
        fits: dict[str, list[Fit]] = {name: [] for name in MACHINES}
        for name, group in progress(jobs, "fits"):
            fits[name] += measured(name, group)
        rows: list[tuple[Any, ...]] = [
            (name, MACHINES[name].task, "measured", fit.n_rows, fit.seconds, fit.megabytes, fit.error)
            for name, some in fits.items()
            for fit in some
        ]
        foreseen = [
            (name, size, forecast(name, size))
            for name in progress([name for name, machine in MACHINES.items() if not machine.exact], "forecasts")
            for size in linear
            if size >= FORECAST_FROM
        ]
        rows += [
            (name, MACHINES[name].task, "forecast", size, it.seconds, it.memory / 1e6, None)
            for name, size, it in foreseen
        ]
        growth = {
            name: PowerLaw.between(some[-2] if MACHINES[name].exact else _at(some, exact[-1]), some[-1])
            for name, some in fits.items()
        }
        rows += [
            (name, MACHINES[name].task, "extrapolated", size, *growth[name].at(size), None)
            for name, machine in MACHINES.items()
            if machine.exact
            for size in (exact[-1], *BEYOND)
        ]
        table = Table("fits", "All fits; errors are on 10,000 new rows", COLUMNS, rows)
        return (
            _found(table, growth)
            + _claims(table, growth)
            + (Result() if quick else _claims_of_many_rows(table, growth))
        )


def _at(fits: list[Fit], n_rows: int) -> Fit:
    return next(fit for fit in fits if fit.n_rows == n_rows)


def forecast(name: str, n_rows: int) -> Plan:
    """What the library says about a fit before it is made."""
    return plan(n_rows, DIM, WIDTH, MACHINES[name].make(), dtype="float32")


def _found(table: Table, growth: dict[str, PowerLaw]) -> Result:
    ridge, svm = (growth[f"scikit-learn's {name}"] for name in ("KernelRidge", "SVC"))
    ours = {name: growth[name] for name, machine in MACHINES.items() if not machine.exact}
    return Result(
        tables=(
            comparison(
                (
                    ("scikit-learn's KernelRidge: power of the rows by which time grows", 3.0, ridge.time),
                    ("scikit-learn's KernelRidge: power of the rows by which memory grows", 2.0, ridge.memory),
                    (
                        "scikit-learn's SVC: days for half a million rows (extrapolated)",
                        "days",
                        svm.at(HALF_A_MILLION)[0] / DAY,
                    ),
                    *((f"{name}: power of the rows by which time grows", 1.0, one.time) for name, one in ours.items()),
                )
            ),
            table,
        ),
        pictures=(
            Picture(
                "time",
                "Time to train",
                "Seconds of one fit against the number of rows. Exact kernel machines are measured up to 20,000 rows "
                "(crosses) and extrapolated beyond (dotted); machines linear in random features are measured up to a "
                "million rows (dots), with bochner's own forecast (line).",
                table,
                draw_time,
                (5.8, 6.6),
            ),
            Picture(
                "memory",
                "Memory to train",
                "Memory at the peak of one fit, beyond the rows, against their number. The exact ridge machine keeps "
                "the square of the number of rows; random features keep what their width asks for, the support vector "
                "machine also features for its next pass, as far as its budget goes.",
                table,
                draw_memory,
                (5.8, 6.6),
            ),
        ),
        notes=(
            "Exact machines are extrapolated by the powers that their two largest sizes show. Time of the exact ridge "
            "machine grows by the third power in the end, so that its curve is on the low side.",
            "Time is the clock's, or the processors' where that is less: other work of the machine does not count.",
            "The support vector machine keeps the features of its rows between passes as far as its budget goes, to "
            "some 300,000 rows here; beyond, each pass makes some of them again.",
            "scikit-learn's SVC is quick on these rows of five columns with little noise, and on a machine of today.",
            "Published powers are those of textbooks: n³ operations on n² kernel values, and n D² with D features.",
        ),
    )


def _claims(table: Table, growth: dict[str, PowerLaw]) -> Result:
    """What a busy machine cannot refute."""
    found = table.where(which="measured")

    def last(name: str, column: str) -> float:
        return float(found.where(machine=name).column(column)[-1])

    pairs = (("scikit-learn's KernelRidge", "bochner's KernelRidge"), ("scikit-learn's SVC", "bochner's KernelSVC"))
    common = max(int(rows) for rows in found.where(machine=pairs[0][0]).column("rows"))
    errors = {name: float(found.where(machine=name, rows=common).column("error")[0]) for name in MACHINES}
    return Result(
        claims=(
            Claim(
                "The exact ridge machine keeps kernel values of all pairs of rows: its memory grows by the square.",
                abs(growth[pairs[0][0]].memory - 2.0) < 0.3,
                {"power": growth[pairs[0][0]].memory},
            ),
            Claim(
                "With features no machine takes more memory than its budget.",
                all(float(found.where(machine=ours).column("megabytes").max()) < BUDGET for _, ours in pairs),
                {
                    f"MB at most, {ours}": float(found.where(machine=ours).column("megabytes").max())
                    for _, ours in pairs
                },
            ),
            Claim(
                f"On the same {common} rows features are as accurate as the kernel itself, to a tenth of the error.",
                all(errors[ours] < 1.1 * errors[exact] for exact, ours in pairs),
                errors,
            ),
            Claim(
                "All rows with features are better than what the exact machines can take.",
                all(last(ours, "error") < errors[exact] for exact, ours in pairs),
                {f"{ours}, {last(ours, 'rows'):.0f} rows": last(ours, "error") for _, ours in pairs},
            ),
        )
    )


def _claims_of_many_rows(table: Table, growth: dict[str, PowerLaw]) -> Result:
    """What takes a full run, on a machine that does nothing else."""
    found, foreseen = table.where(which="measured"), table.where(which="forecast")
    ours = [name for name, machine in MACHINES.items() if not machine.exact]
    million = {name: float(found.where(machine=name, rows=LINEAR[-1]).column("seconds")[0]) for name in ours}
    exact = {name: growth[name].at(EXACT[-1])[0] for name in growth if name not in ours}
    ratios = {
        column: [
            row[COLUMNS.index(column)] / found.where(machine=row[0], rows=row[3]).column(column)[0]
            for row in foreseen.rows
        ]
        for column in ("seconds", "megabytes")
    }
    return Result(
        claims=(
            Claim(
                "With features time grows about as the number of rows, from 20,000 to a million.",
                all(abs(growth[name].time - 1.0) < 0.25 for name in ours),
                {f"power, {name}": growth[name].time for name in ours},
            ),
            Claim(
                "With features memory of ridge regression does not depend on the number of rows.",
                abs(growth[ours[0]].memory) < 0.2,
                {"power": growth[ours[0]].memory},
            ),
            Claim(
                "A million rows with features take less time than 20,000 rows of the exact ridge machine.",
                million[ours[0]] < exact["scikit-learn's KernelRidge"],
                {f"seconds, {name}": value for name, value in (million | exact).items()},
            ),
            Claim(
                "bochner.plan forecasts time and memory within a factor of two.",
                all(0.5 < ratio < 2.0 for some in ratios.values() for ratio in some),
                {
                    f"{column}: {what}": of(some)
                    for column, some in ratios.items()
                    for what, of in (("least", min), ("most", max))
                },
            ),
        )
    )
