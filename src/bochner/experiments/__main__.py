"""``python -m bochner.experiments [NAME ...] [--quick] [--out FOLDER] [--force]``; without a name, those there are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .catalogue import UnknownExperiment, experiment, experiments
from .datasets import DataMissing
from .experiment import bar
from .reproduce import reproduce

FAILED, MISUSED = 1, 2  # exit codes


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the named experiments; 0 if they ran, 1 with a sentence if one could not, 2 if the call makes no sense."""
    parser = argparse.ArgumentParser(
        prog="python -m bochner.experiments",
        description="Regenerate published results: published beside measured numbers, tables, pictures, a web page.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="an experiment; none: list them")
    parser.add_argument("--quick", action="store_true", help="seconds: fewer draws, generated rows for missing sets")
    parser.add_argument("--out", metavar="FOLDER", help="write CSV files, pictures and an HTML page there")
    parser.add_argument("--force", action="store_true", help="replace what an earlier run wrote there")
    options = parser.parse_args(arguments)
    if not options.names:
        width = max(map(len, experiments()))
        print("\n".join(f"{name:<{width}}  {one.title}" for name, one in experiments().items()))
        return 0
    try:
        for name in options.names:
            experiment(name)
        for name in options.names:
            print(reproduce(name, quick=options.quick, out=options.out, force=options.force, progress=bar))
    except UnknownExperiment as error:
        print(error, file=sys.stderr)
        return MISUSED
    except (DataMissing, OSError, ImportError) as error:
        print(_sentence(error), file=sys.stderr)
        return FAILED
    return 0


def _sentence(error: Exception) -> str:
    """What happened, without the number that the system gives it."""
    return str(error.strerror or error) if isinstance(error, OSError) and error.filename is None else str(error)


if __name__ == "__main__":
    sys.exit(main())
