"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def written_atomically(path: str) -> Iterator[str]:
    """A temporary name in the folder of the path; what was written under it takes the path's place at the end.

    Until then, and whatever fails, the path holds what it held.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))  # the user's umask holds
    except OSError as error:
        raise _located(error, path) from error
    try:
        mode = os.stat(temporary).st_mode
        yield temporary
        os.chmod(temporary, mode)  # a writer may have put a file of its own in place, with other rights
        flush(temporary)
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise _located(error, path) from error
    except BaseException:
        os.unlink(temporary)
        raise
    if os.name == "posix":
        flush(folder)


def _located(error: OSError, path: str) -> OSError:
    """The same kind of error, with the file that could not be written."""
    message = f"Cannot write {path} ({error.strerror or error}): what was there before is intact."
    return OSError(message) if error.errno is None else OSError(error.errno, message)


def flush(path: str) -> None:
    """Wait until what was written is on the disk."""
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
