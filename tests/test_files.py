"""Files are written whole or not at all: by whom, over what and however a save ends."""

from __future__ import annotations

import errno
import os
import pathlib
import signal
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bochner.files import written_whole

posix = pytest.mark.skipif(os.name != "posix", reason="needs the rights, pipes and signals of POSIX")

KILLED = """
import os, signal, sys
from pathlib import Path
from bochner.files import written_whole
with written_whole(sys.argv[1]) as temporary:
    Path(temporary).write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def write(path, text: str, end: type[BaseException] | None = None) -> None:
    with written_whole(path) as temporary:
        Path(temporary).write_text(text)
        if end is not None:
            raise end


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_any_kind_of_path(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in ("a", b"b", tmp_path / "c", str(tmp_path / "d"), "ü" * 120):
        write(path, "old")
        write(path, "new")
    assert contents(tmp_path) == dict.fromkeys(["a", "b", "c", "d", "ü" * 120], "new")


@pytest.mark.parametrize("end", [KeyboardInterrupt, ValueError, SystemExit])
def test_whatever_ends_a_save_the_old_file_stays_and_nothing_else(end, tmp_path) -> None:
    write(tmp_path / "a", "old")
    with pytest.raises(end):
        write(tmp_path / "a", "half", end)
    assert contents(tmp_path) == {"a": "old"}


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch) -> None:
    write(tmp_path / "a", "old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(
        OSError, match=r"Cannot write .*a \(No space left on device\): what was there .* intact\."
    ) as told:
        write(tmp_path / "a", "new")
    assert told.value.errno == errno.ENOSPC
    assert contents(tmp_path) == {"a": "old"}


@posix
@pytest.mark.parametrize("rights", [0o600, 0o640, 0o644, 0o664])
def test_an_existing_file_keeps_its_rights(rights, tmp_path) -> None:
    path = tmp_path / "a"
    mask = os.umask(0o022)
    try:
        write(path, "old")
        assert stat.S_IMODE(path.stat().st_mode) == 0o644  # the user's mask holds for new ones
        path.chmod(rights)
        with written_whole(path) as temporary:
            assert stat.S_IMODE(os.stat(temporary).st_mode) & ~rights == 0  # never wider, not even on the way
            os.unlink(temporary)
            Path(temporary).write_text("new")  # as writers do that put a file of their own in place
        assert stat.S_IMODE(path.stat().st_mode) == rights
    finally:
        os.umask(mask)


@posix
def test_what_is_not_a_file_is_refused_and_left_alone(tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(tmp_path, os.O_RDONLY)  # names of sockets must be short
        try:
            listening.bind(f"/proc/self/fd/{here}/socket" if sys.platform == "linux" else str(tmp_path / "socket"))
        finally:
            os.close(here)
        (tmp_path / "folder").mkdir()
        (tmp_path / "device").symlink_to("/dev/null")
        for name, kind in (("pipe", "a pipe"), ("socket", "a socket"), ("folder", "a folder"), ("device", "a device")):
            with pytest.raises(OSError, match=rf"Cannot write .*{name}: it is {kind}; give the name of a file\."):
                write(tmp_path / name, "new")
    assert sorted(os.listdir(tmp_path)) == ["device", "folder", "pipe", "socket"]
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@posix
def test_a_link_goes_on_pointing_to_the_file(tmp_path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "a")
    write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert contents(tmp_path / "there") == {"a": "new"}


def test_saves_at_the_same_time_do_not_meet(tmp_path) -> None:
    """All have their temporary file before the first is done."""
    together = threading.Barrier(8)
    failures = []

    def save(number: int) -> None:
        try:
            with written_whole(tmp_path / "a") as temporary:
                together.wait(timeout=30)
                Path(temporary).write_text(str(number) * 1000)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert set(contents(tmp_path)) == {"a"}
    assert contents(tmp_path)["a"] in [str(number) * 1000 for number in range(8)]


@posix
def test_what_a_killed_save_left_is_removed_by_the_next_to_the_same_path(tmp_path) -> None:
    write(tmp_path / "a", "old")
    for name in ("a", "b"):
        done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / name)], check=False)
        assert done.returncode == -signal.SIGKILL
    assert len(contents(tmp_path)) == 3
    with written_whole(tmp_path / "a"):  # one that is still under way
        assert len(contents(tmp_path)) == 3
        write(tmp_path / "a", "new")
        left = contents(tmp_path)
        assert (len(left), left["a"]) == (3, "new")
    assert len(contents(tmp_path)) == 2  # what was left for b is not a's
    write(tmp_path / "b", "new")
    assert set(contents(tmp_path)) == {"a", "b"}


def test_the_folder_must_exist(tmp_path) -> None:
    with pytest.raises(FileNotFoundError, match=r"Cannot write .*missing"):
        write(pathlib.PurePath(tmp_path, "missing", "a"), "new")
