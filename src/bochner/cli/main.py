"""The command: verbs that are loaded when they are asked for, exit codes, and one sentence for whatever goes wrong."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .. import __version__
from .problems import FAILED, INTERRUPTED, MISUSED, MODEL, Problem, sentence

VERBS = {  # the module of each; they import what is heavy when they run
    "fit": "fit",
    "predict": "predict",
    "score": "score",
    "error": "kernel_error",
    "recommend": "recommend",
    "compare": "compare",
    "outliers": "unlabelled",
    "clusters": "unlabelled",
    "components": "unlabelled",
    "plan": "plan",
    "info": "info",
    "export": "export",
    "reproduce": "reproduce",
    "demo": "demo",
}


class Verbs(click.Group):
    """A group of commands, each in a module of its own."""

    def list_commands(self, context: click.Context) -> list[str]:
        """In the order of use."""
        return list(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        if name not in VERBS:
            return None
        found: click.Command = getattr(import_module(f".verbs.{VERBS[name]}", __package__), name)
        return found


@click.group(
    cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]}, epilog="bochner VERB --help says more."
)
@click.version_option(__version__, prog_name="bochner")
def bochner() -> None:
    """Kernel machines at the cost of linear models, from files.

    Data are CSV files with a header (plain, .gz, .bz2), Parquet, svmlight or .npy; "-" is standard input or output.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code.

    0; 1 the work failed; 2 the call makes no sense; 3 the data; 4 the model file; 130 interrupted.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        bochner.main(given, prog_name="bochner", standalone_mode=False)
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _said("Interrupted: nothing was written.", INTERRUPTED)
    except click.UsageError as error:
        verb = "" if error.ctx is None else error.ctx.command_path
        return _said(f"{error.format_message()} See: {verb or 'bochner'} --help", MISUSED)
    except click.ClickException as error:
        return _said(error.format_message(), FAILED)
    except Exception as error:
        if "--debug" in given:
            traceback.print_exc()
        return _said(*_explained(error))
    return 0


def _explained(error: Exception) -> tuple[str, int]:
    if isinstance(error, Problem):
        return sentence(error), error.code
    if type(error).__name__ == "ModelFileError":  # of a room that need not be loaded to say --help
        return sentence(error), MODEL
    if isinstance(error, MemoryError):
        return "There is not enough memory: give a smaller --memory or fewer --components.", FAILED
    return sentence(error), FAILED


def _said(words: str, code: int) -> int:
    print(f"bochner: {words}", file=sys.stderr)
    return code


def names(words: Any) -> click.Choice[str]:
    """One of these names, in any case."""
    return click.Choice(sorted(words), case_sensitive=False)
