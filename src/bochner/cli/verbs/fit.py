"""Learn a model from files."""

from __future__ import annotations

import time
from typing import Any

import click

from ..choices import LEARNERS, SEARCHES, learner_named, map_named, search_for
from ..data import Files, NamedColumns, ParquetData, SvmlightData, opened, scratch
from ..models import described
from ..options import DATA, DROP, FORMAT, Session, examples, kernel_options, session
from ..output import not_there, put_figures
from ..problems import DataProblem, Problem, using
from ..scored import figures
from ..target import Target, looked_at
from .report import written


@click.command(
    epilog=examples(
        "bochner fit houses.csv --target price --test 0.2 --out houses.model",
        'bochner fit "part-*.parquet" --target label --model svc --kernel laplace --components 4096',
    )
)
@DATA
@click.option("--target", metavar="COL", help="The column to predict.")
@click.option(
    "--model",
    type=click.Choice(["auto", *LEARNERS]),
    help="Default: auto, a search; ridge where a kernel, a map or weights are given.",
)
@click.option(
    "--task", type=click.Choice(["regression", "classification"]), help="Default: what the target looks like."
)
@kernel_options
@click.option(
    "--eps", type=click.FloatRange(min=0, min_open=True), help="Error of the kernel, in place of --components."
)
@click.option("--budget", default="60s", show_default=True, help="Time of the search, or a number of trials.")
@click.option("--weight", metavar="COL", help="The column of weights of rows.")
@DROP
@click.option("--test", metavar="FILE|FRACTION", help="Rows to test on: a file, or a share of the data.")
@click.option("--out", metavar="MODEL", help="Where the model goes.")
@click.option("--report", "page", metavar="PAGE", help="An HTML file about the model on the rows of --test.")
@FORMAT
@session
def fit(
    data: tuple[str, ...],
    target: str | None,
    model: str | None,
    task: str | None,
    kernel: str | None,
    length_scale: str,
    map_name: str | None,
    components: int | None,
    eps: float | None,
    budget: str,
    weight: str | None,
    drop: tuple[str, ...],
    test: str | None,
    out: str | None,
    page: str | None,
    data_format: str | None,
    session: Session,
) -> None:
    """Learn a model from files."""
    not_there(out, session.force)
    not_there(page, session.force)
    if page is not None and test is None:
        raise click.UsageError("--report needs rows that the model has not seen: say --test FILE or --test 0.2.")
    feature_map = map_named(kernel, length_scale, map_name, components, eps, session.seed)
    rows = opened(data, data_format)
    aim = looked_at(rows, target, task)
    model = model or ("auto" if feature_map is None and weight is None else "ridge")
    if model == "auto":
        if feature_map is not None or weight is not None:
            raise click.UsageError(
                "The search chooses kernel and map, and takes no weights: say --model ridge, for example."
            )
        learner = search_for(aim.task, int(budget) if budget.isdigit() else budget, session)
    else:
        learner = learner_named(model, aim.task, aim.name, feature_map, session.engine(), session.seed)
    session.say(f"{aim.name}: {aim.words}; {aim.task}.")
    train, new = _split(rows, test, data_format, session.seed)
    start = time.perf_counter()
    fitted = _learned(learner, train, aim, weight, drop)
    session.say(f"{_about(fitted, train)} Learned in {time.perf_counter() - start:.3g} s.")
    if new is not None:
        put_figures(figures(fitted, new, target), session)
        if page is not None:
            written(fitted, new, target, page, session)
    if out is not None:
        from ...store import save

        save(fitted, out, statistics=model == "gp")  # which predicts with them; others need them to learn on only
        session.say(f"The model is in {out}.")
    elif new is None:
        session.say("The model was not kept: say --out MODEL, or --test to see how good it is.")


def _learned(learner: Any, data: Files, aim: Target, weight: str | None, drop: tuple[str, ...]) -> Any:
    if isinstance(data, SvmlightData):
        if drop or weight:
            raise click.UsageError("svmlight files have no names of columns: --drop and --weight need CSV or Parquet.")
        with using(data.words):
            return learner.fit(data.source())
    from ...tables import TableEncoder

    assert isinstance(data, NamedColumns)
    data.known([*drop, *([] if weight is None else [weight])])
    roles = {aim.name, weight, *drop}
    columns = [name for name in data.names if name not in roles]
    if not columns:
        raise DataProblem(f"{data.words} has no columns left to learn from.")
    with using(data.words):
        encoder = TableEncoder(missing="indicator")
        return learner.fit(data.source(target=aim.name, columns=columns, weight=weight, encoder=encoder))


def _about(fitted: Any, data: Files) -> str:
    words = "" if isinstance(data, SvmlightData) else f"{described(fitted)}; "
    if type(fitted).__name__ in SEARCHES:
        return f"{words}{fitted.explain()}"
    found = f"{fitted.features_.n_components} features of {type(fitted.feature_map_).__name__}"
    return f"{words}{type(fitted).__name__} on {found}."


def _split(data: Files, test: str | None, data_format: str | None, seed: int) -> tuple[Files, Files | None]:
    """Rows to learn from and rows to test on."""
    if test is None:
        return data, None
    try:
        share = float(test)
    except ValueError:
        return data, opened([test], data_format)
    if not 0.0 < share < 1.0:
        raise click.UsageError(f"--test takes a file, or a share of the rows between 0 and 1, not {test}.")
    if not isinstance(data, NamedColumns):
        raise Problem("Only tables can be divided here: give a file of test rows as --test FILE.")
    return _divided(data, share, seed)


def _divided(data: NamedColumns, share: float, seed: int) -> tuple[Files, Files]:
    """Two Parquet files, which are gone when the command ends: each row goes to one of them by chance."""
    import numpy as np
    import pyarrow.parquet as pq

    folder, rng = scratch(), np.random.default_rng(seed)
    files = [str(folder / "train.parquet"), str(folder / "test.parquet")]
    writers: list[Any] = []
    counts = [0, 0]
    for rows in data.batches(data.names, {}):
        if not writers:
            writers = [pq.ParquetWriter(file, rows.schema) for file in files]
        chosen = rng.random(rows.num_rows) < share
        for side, mask in enumerate((~chosen, chosen)):
            counts[side] += int(mask.sum())
            writers[side].write_table(rows.filter(mask))
    for writer in writers:
        writer.close()
    if min(counts) == 0:
        raise DataProblem(f"{data.words} has too few rows to keep a share of {share:g} for tests.")
    return ParquetData((files[0],), data.words), ParquetData((files[1],), f"{share:.0%} of {data.words}")
