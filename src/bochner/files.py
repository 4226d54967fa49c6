"""Files that are written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import platform
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

AnyPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]

OTHERS = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))


@contextmanager
def written_whole(path: AnyPath) -> Iterator[str]:
    """A temporary name beside the path; what was written under it takes the path's place at the end.

    Until then, and whatever fails, the path holds what it held. An existing file keeps its rights, and a link goes on
    pointing to the file. Every call has a temporary name of its own, so that saves at the same time do not meet: the
    last to end stays. The temporary file is gone after an error; one whose process was killed is removed by the next
    save to the same path.

    Parameters
    ----------
    path : str, bytes or path

    Raises
    ------
    OSError
        In one sentence, with the path, whatever the system could not do; also where the path is a folder, a pipe, a
        socket or a device, which a file would replace.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder) / "numbers.txt"
    ...     with written_whole(file) as temporary:
    ...         _ = pathlib.Path(temporary).write_text("1 2 3")
    ...     file.read_text(), len(list(pathlib.Path(folder).iterdir()))
    ('1 2 3', 1)
    """
    rights = _rights_of_file(path)
    target = os.path.realpath(os.fsdecode(path))
    folder, name = os.path.split(target)
    ours = f".bochner-{hashlib.sha256(os.fsencode(name)).hexdigest()[:16]}-{_machine()}-"
    _remove_left_behind(folder, ours)
    temporary = os.path.join(folder, f"{ours}{os.getpid()}-{secrets.token_hex(8)}.tmp")
    try:
        created = _create(temporary, rights)
        yield temporary
        _set_rights(temporary, created if rights is None else rights)
        flush(temporary)
        os.replace(temporary, target)
    except OSError as error:
        raise _located(error, target) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)
    if os.name == "posix":
        with suppress(OSError):  # some file systems cannot, and the file is in its place
            flush(folder)


def _rights_of_file(path: AnyPath) -> int | None:
    """The rights of the file at the path, None if there is none, or a refusal of anything that is not a file."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return None
    if stat.S_ISREG(mode):
        return stat.S_IMODE(mode)
    kind = next((name for is_one, name in OTHERS if is_one(mode)), "a device")
    number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
    raise OSError(number, f"Cannot write {os.fsdecode(path)}: it is {kind}; give the name of a file.")


def _create(temporary: str, rights: int | None) -> int:
    """Make an empty file that no one may read who may not read the old one; its rights, where the user's mask holds."""
    descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if rights is None else rights & 0o666)
    try:
        return stat.S_IMODE(os.fstat(descriptor).st_mode)
    finally:
        os.close(descriptor)


def _set_rights(temporary: str, rights: int) -> None:
    """Give the file these rights: the writer may have put a file of its own in place."""
    if stat.S_IMODE(os.stat(temporary).st_mode) != rights:
        os.chmod(temporary, rights)


def flush(path: str) -> None:
    """Wait until what was written is on the disk."""
    descriptor = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _located(error: OSError, path: str) -> OSError:
    """The same kind of error, with the file that could not be written."""
    message = f"Cannot write {path} ({error.strerror or error}): what was there before is intact."
    return OSError(message) if error.errno is None else OSError(error.errno, message)


def _remove_left_behind(folder: str, ours: str) -> None:
    """Remove temporary files of this name whose process, on this machine, is no more."""
    try:
        names = os.listdir(folder)
    except OSError:
        return  # writing will say what is wrong
    for name in names:
        owner = re.fullmatch(re.escape(ours) + r"(\d{1,9})-[0-9a-f]{16}\.tmp", name)
        if owner is not None and not _is_running(int(owner[1])):
            with suppress(OSError):
                os.unlink(os.path.join(folder, name))


def _is_running(process: int) -> bool:
    if os.name != "posix":  # asking would end it
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


@cache
def _machine() -> str:
    """Where the numbers of processes mean the same as here: this machine, and this container on it."""
    marks = [platform.node()]
    with suppress(OSError):
        marks.append(Path("/etc/machine-id").read_text())
    with suppress(OSError):
        marks.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()[:8]
