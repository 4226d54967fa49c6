"""Where the files of a data set are: a folder of the user's, the cache, or their public home."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast
from urllib.error import URLError
from urllib.request import urlopen

from tqdm.auto import tqdm

from ...files import written_whole

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary"
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
FOLDER = "BOCHNER_DATA"  # the environment variable
TIMEOUT = 60.0  # seconds without a byte
CHUNK = 1 << 18
OPENERS = ((b"BZh", bz2.open), (b"\x1f\x8b", gzip.open))  # by the first bytes: homes pack differently


class DataMissing(RuntimeError):
    """A file of a data set is not here, and why."""


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Attributes
    ----------
    path : in the folder that the environment variable BOCHNER_DATA names, with slashes
    sha256 : of the lines it holds, see ``digest``; compression, line ends and blank lines do not matter
    home : its public address, or None if it has none
    text : whether it has lines; if not, the checksum is of its bytes
    origin : where people have it from, if it has no public address
    """

    path: str
    sha256: str = ""
    home: str | None = None
    text: bool = True
    origin: str = ""

    def located(self, download: bool = True) -> Path:
        """Where the file is now: in the user's folder, or in the cache, where ``download`` may put it.

        What the folder holds is taken as it is; what was downloaded has the right checksum or is not kept.
        """
        folder = os.environ.get(FOLDER)
        if folder and (given := Path(folder, self.path)).exists():
            return given
        kept = cache_folder() / self.path
        if kept.exists():
            return kept
        if self.home is None:
            known = f" ({self.origin})" if self.origin else ""
            raise DataMissing(
                f"The file {self.path} is not here and has no public address{known}: put it into a folder and give "
                f"that folder in the environment variable {FOLDER}."
            )
        if not download:
            raise DataMissing(
                f"The file {self.path} is not here: give a folder that holds it in the environment variable {FOLDER}, "
                f"or let it be downloaded from {self.home}."
            )
        kept.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(kept) as temporary:
            self._download(temporary)
        return kept

    def _download(self, temporary: str) -> None:
        assert self.home is not None
        wanted = f"The file {self.path} could not be had from {self.home}"
        remedy = f"give a folder that holds it in the environment variable {FOLDER}"
        try:
            with urlopen(self.home, timeout=TIMEOUT) as answer, open(temporary, "wb") as file:
                promised = answer.headers.get("Content-Length")
                received = _copied(answer, file, self.path, None if promised is None else int(promised))
        except (URLError, TimeoutError, ConnectionError) as error:
            raise DataMissing(f"{wanted} ({getattr(error, 'reason', error)}): {remedy}.") from error
        if promised is not None and received != int(promised):
            raise DataMissing(f"{wanted} (only {received} of {promised} bytes came): try again, or {remedy}.")
        try:
            found = self.digest(Path(temporary))
        except (OSError, EOFError) as error:
            raise DataMissing(f"{wanted} (it cannot be unpacked: {error}): {remedy}.") from error
        if found != self.sha256:
            raise DataMissing(f"{wanted} (its checksum is {found[:16]}..., not {self.sha256[:16]}...): {remedy}.")

    def digest(self, path: Path) -> str:
        """SHA-256 of the unpacked lines, each without spaces at its end and with a newline, blank lines left out."""
        sha = hashlib.sha256()
        with opened(path) as stream:
            if self.text:
                for line in stream:
                    if line := line.rstrip():
                        sha.update(line + b"\n")
            else:
                while chunk := stream.read(CHUNK):
                    sha.update(chunk)
        return sha.hexdigest()


def _copied(answer: Any, file: IO[bytes], label: str, total: int | None) -> int:
    received = 0
    with tqdm(total=total, desc=label, unit="B", unit_scale=True, leave=False, file=sys.stderr, disable=None) as bar:
        while chunk := answer.read(CHUNK):
            file.write(chunk)
            received += len(chunk)
            bar.update(len(chunk))
    return received


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The bytes of a file, unpacked if it is packed by bzip2 or gzip."""
    with open(path, "rb") as stream:
        start = stream.read(3)
    unpack = next((opener for magic, opener in OPENERS if start.startswith(magic)), open)
    with unpack(path, "rb") as stream:
        yield cast(IO[bytes], stream)


def cache_folder() -> Path:
    """Where downloads are kept: the user's cache folder of this system."""
    if sys.platform == "win32":
        start = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        start = Path.home() / "Library" / "Caches"
    else:
        start = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(start) / "bochner"
