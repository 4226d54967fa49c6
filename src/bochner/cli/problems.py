"""What can go wrong in a command, with the exit code of each, and the one sentence that is said of it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

FAILED, MISUSED, DATA, MODEL, INTERRUPTED = 1, 2, 3, 4, 130  # exit codes


class Problem(Exception):
    """The work failed: also where an output is there already."""

    code = FAILED


class DataProblem(Problem):
    """The data cannot be used: missing, empty or unreadable files, unknown columns, a target of one value."""

    code = DATA


class ModelProblem(Problem):
    """The model file is missing, or is not one."""

    code = MODEL


@contextmanager
def using(data: str) -> Iterator[None]:
    """What fails inside fails because of the data."""
    try:
        yield
    except (Problem, ImportError, MemoryError):
        raise
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise
        raise DataProblem(f"Cannot read {data}: {sentence(error)}") from error
    except (ValueError, TypeError, KeyError) as error:  # pyarrow's errors are ValueErrors too
        raise DataProblem(f"Cannot use {data}: {sentence(error)}") from error


def sentence(error: BaseException) -> str:
    """What an error says, in one line, without the number that the system gives it."""
    text = str(error.strerror or error) if isinstance(error, OSError) and error.filename is None else str(error)
    return " ".join(text.split()) or type(error).__name__
