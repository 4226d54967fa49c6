"""The command: verbs that are loaded when they are asked for, exit codes, and one sentence for whatever goes wrong."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from .. import __version__
from .problems import FAILED, INTERRUPTED, MISUSED, MODEL, Problem, sentence

VERBS = {  # the module of each, imported when the verb runs, and what the list of verbs says of it
    "fit": ("fit", "Learn a model from files."),
    "predict": ("predict", "Predictions for new rows, as a table."),
    "score": ("score", "How good a model is on rows whose targets are known."),
    "report": ("report", "A page about a model: how good, where it errs, what counts."),
    "error": ("kernel_error", "How wrong the kernel is: measured beside promised."),
    "recommend": ("advice", "Which map, and how wide, for a kernel and a tolerance."),
    "compare": ("two_files", "Are two files from one distribution?"),
    "outliers": ("unlabelled", "Rows that lie apart from the others."),
    "clusters": ("unlabelled", "Groups of rows that lie together."),
    "components": ("unlabelled", "Kernel principal components of rows."),
    "plan": ("forecast", "Time and memory of a fit, before the fit."),
    "info": ("info", "What is in a model file."),
    "export": ("export", "A model as ONNX, for other programs."),
    "reproduce": ("published", "Published results, found again."),
    "demo": ("demo", "Learn, look, predict: on generated rows."),
}
EXTRAS = {"pyarrow": "files", "pandas": "files", "onnx": "onnx", "matplotlib": "plots", "dask": "dask"}


class Verbs(click.Group):
    """A group of commands, each in a module of its own."""

    def list_commands(self, context: click.Context) -> list[str]:
        """In the order of use."""
        return list(VERBS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of this name."""
        if name not in VERBS:
            return None
        found: click.Command = getattr(import_module(f".verbs.{VERBS[name][0]}", __package__), name)
        return found

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in VERBS.items()])


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore" if "--quiet" in given else "default")
            warnings.showwarning = _warned
            bochner.main(given, prog_name="bochner", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as end:
        return end.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _said("Interrupted: nothing was written.", INTERRUPTED)
    except SystemExit:  # what click makes of a reader of standard output that has seen enough
        return 0
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


def _warned(message: Warning | str, *_: Any, **__: Any) -> None:
    print(f"bochner: {sentence(Warning(str(message)))}", file=sys.stderr)


def _explained(error: Exception) -> tuple[str, int]:
    if isinstance(error, Problem):
        return sentence(error), error.code
    if type(error).__name__ == "ModelFileError":  # of a room that need not be loaded to say --help
        return sentence(error), MODEL
    if isinstance(error, ImportError) and error.name in EXTRAS:
        return f"This needs {error.name}: pip install 'bochner[{EXTRAS[error.name]}]'.", FAILED
    if isinstance(error, MemoryError):
        return "There is not enough memory: give a smaller --memory or fewer --components.", FAILED
    return sentence(error), FAILED


def _said(words: str, code: int) -> int:
    print(f"bochner: {words}", file=sys.stderr)
    return code
