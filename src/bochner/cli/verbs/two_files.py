"""Whether two files come from one distribution."""

from __future__ import annotations

import click

from ..choices import map_named
from ..data import NamedColumns, SvmlightData, opened
from ..options import DROP, FORMAT, Session, examples, kernel_options, session
from ..output import put_figures
from ..problems import DataProblem, using


@click.command(epilog=examples("bochner compare last-year.csv this-year.csv"))
@click.argument("data1")
@click.argument("data2")
@kernel_options
@click.option("--permutations", type=click.IntRange(min=1), default=500, show_default=True)
@DROP
@FORMAT
@session
def compare(
    data1: str,
    data2: str,
    kernel: str | None,
    length_scale: str,
    map_name: str | None,
    components: int | None,
    permutations: int,
    drop: tuple[str, ...],
    data_format: str | None,
    session: Session,
) -> None:
    """Are these two files from one distribution? The maximum mean discrepancy, with a p-value."""
    import bochner as bo

    feature_map = map_named(kernel, length_scale, map_name, components, None, session.seed)
    first, second = opened([data1], data_format), opened([data2], data_format)
    with using(f"{data1} and {data2}"):
        if isinstance(first, NamedColumns) and isinstance(second, NamedColumns):
            first.known(drop)
            columns = [name for name in first.names if name not in drop]
            second.known(columns)
            X = first.source(columns=columns, encoder=bo.TableEncoder(missing="indicator"))
            Y = second.source(columns=columns, encoder=X.encoder)
        elif isinstance(first, SvmlightData) and isinstance(second, SvmlightData):
            width = max(first.source().n_columns, second.source().n_columns)
            X, Y = first.source(n_features=width), second.source(n_features=width)
        else:
            raise DataProblem(f"{data1} and {data2} are of different kinds: give two tables, or two svmlight files.")
        found = bo.mmd_test(
            X, Y, feature_map, n_permutations=permutations, engine=session.engine(), random_state=session.seed
        )
    put_figures(
        {
            "rows of the first": found.n_x,
            "rows of the second": found.n_y,
            "MMD^2": found.squared_mmd,
            "MMD^2, unbiased": found.squared_mmd_unbiased,
            "p": found.p_value,
        },
        session,
    )
    words = "differ" if float(found.p_value or 0.0) < 0.05 else "cannot be told apart"
    session.say(f"At a level of 5 % the two files {words}.")
