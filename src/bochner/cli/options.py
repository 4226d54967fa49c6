"""The options that several verbs have, and what they carry."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .choices import KERNELS, MAPS

if TYPE_CHECKING:
    from ..engines import ThreadEngine

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True)
class Session:
    """How a verb runs and speaks.

    Attributes
    ----------
    seed : of all that is random
    threads, memory : of the engine
    quiet : nothing on standard error but what is wrong
    json : data on standard output are JSON
    force : files that exist are replaced
    """

    seed: int
    threads: int | None
    memory: str
    quiet: bool
    json: bool
    force: bool

    def engine(self) -> ThreadEngine:
        """Threads with a budget of memory; a bar of progress on a terminal."""
        from ..engines import ThreadEngine

        return ThreadEngine(self.threads, self.memory, progress=not self.quiet and sys.stderr.isatty())

    def say(self, words: str) -> None:
        """A line for people, which is no data."""
        if not self.quiet:
            click.echo(words, err=True)


def session(command: Command) -> Command:
    """Give a verb the options of every verb, as one ``Session``."""
    options = (
        click.option("--seed", type=int, default=0, show_default=True, help="Of all that is random."),
        click.option("--threads", type=click.IntRange(min=1), help="Default: one for each core."),
        click.option("--memory", default="2GB", show_default=True, help="What the work may take."),
        click.option("--quiet", is_flag=True, help="Say only what is wrong."),
        click.option("--json", is_flag=True, help="Standard output is JSON."),
        click.option("--force", is_flag=True, help="Replace files that exist."),
        click.option("--debug", is_flag=True, expose_value=False, help="A traceback of what goes wrong."),
    )

    @functools.wraps(command)
    def run(**given: Any) -> Any:
        own = {field.name: given.pop(field.name) for field in fields(Session)}
        return command(session=Session(**own), **given)

    made: Command = with_options(run, options)
    return made


def kernel_options(command: Command) -> Command:
    """--kernel, --length-scale, --map, --components."""
    options = (
        click.option(
            "--kernel", type=click.Choice(list(KERNELS), case_sensitive=False), help="Default: chosen for you."
        ),
        click.option("--length-scale", default="auto", show_default=True, help="A number, auto, median or std."),
        click.option(
            "--map",
            "map_name",
            type=click.Choice(list(MAPS), case_sensitive=False),
            help="Default: what suits the kernel.",
        ),
        click.option("--components", type=click.IntRange(min=1), help="Number of random features."),
    )
    made: Command = with_options(command, options)
    return made


DATA = click.argument("data", nargs=-1, required=True)
ONE_DATA = click.argument("data")
FORMAT = click.option(
    "--format",
    "data_format",
    type=click.Choice(["csv", "parquet", "svmlight", "npy"]),
    help="Of the data, in place of what the suffix says.",
)
DROP = click.option("--drop", multiple=True, metavar="COL", help="A column to leave out; may be given again.")


def with_options(command: Any, options: Any) -> Any:
    """The command with these options, in this order in its help."""
    return functools.reduce(lambda made, option: option(made), reversed(options), command)


def examples(*lines: str) -> str:
    """Lines of a shell, as help shows them."""
    return "\b\n" + "\n".join(lines)


def rounded(values: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers as people read them."""
    return {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in values.items()}
