"""Text files, plain or compressed, cut into whole lines and counted in one scan."""

from __future__ import annotations

import bz2
import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

import numpy as np

from .base import Array, Block
from .forward import Stretch

PIECE_BYTES = 4 << 20
LONGEST_LINE = 32 << 20  # bytes: a million numbers of 17 digits and their signs take 20 MB
NEWLINE, RETURN, QUOTE, HASH = 10, 13, 34, 35


def open_text(path: str) -> BinaryIO:
    """A file opened for reading bytes, decompressed where its name ends in .gz or .bz2."""
    if path.endswith(".gz"):
        return cast(BinaryIO, gzip.open(path, "rb"))
    if path.endswith(".bz2"):
        return cast(BinaryIO, bz2.open(path, "rb"))
    return open(path, "rb")


@dataclass(frozen=True)
class LineRules:
    """What makes a row of a line: whether newlines inside quotes count, and whether '#' begins a comment."""

    quotes: bool
    comments: bool

    def ends(self, text: bytes) -> Array:
        """Positions just after each newline that ends a line."""
        data = np.frombuffer(text, dtype=np.uint8)
        newlines = np.flatnonzero(data == NEWLINE)
        if self.quotes and QUOTE in text:
            inside = np.searchsorted(np.flatnonzero(data == QUOTE), newlines) % 2  # quotes before each newline
            newlines = newlines[inside == 0]
        return newlines + 1

    def count(self, text: bytes) -> int:
        """Rows in some whole lines: neither blank nor comments."""
        ends = self.ends(text)
        if len(ends) == 0 or ends[-1] != len(text):
            ends = np.append(ends, len(text))
        starts = np.concatenate([[0], ends[:-1]])
        data = np.frombuffer(text, dtype=np.uint8)
        first = data[np.minimum(starts, len(text) - 1)]
        skipped = (first == NEWLINE) | ((first == RETURN) & (ends - starts == 2))
        if self.comments:
            skipped |= first == HASH
        return int(len(starts) - skipped.sum()) if len(text) else 0


def whole_lines(file: BinaryIO, rules: LineRules, size: int | None = None) -> Iterator[bytes]:
    """The text from here on, ``size`` bytes of it or all, in pieces of whole lines.

    A quote that is never closed would make one line of all that follows, so a line has a greatest length.
    """
    rest, place = b"", file.tell()
    left = float("inf") if size is None else size
    while left and (chunk := file.read(int(min(PIECE_BYTES, left)))):
        left -= len(chunk)
        text = rest + chunk
        ends = rules.ends(text)
        cut = int(ends[-1]) if len(ends) else 0
        place, rest = place + cut, text[cut:]
        if len(rest) > LONGEST_LINE:
            raise ValueError(f"line {_line_at(file, place)} {_fault(rest, rules)}")
        if cut:
            yield text[:cut]
    if rest:
        if _is_open(rest, rules):
            raise ValueError(f"line {_line_at(file, place)} {_fault(rest, rules)}")
        yield rest


def _is_open(text: bytes, rules: LineRules) -> bool:
    """Whether a quote in it is not closed."""
    return rules.quotes and text.count(QUOTE) % 2 == 1


def _fault(text: bytes, rules: LineRules) -> str:
    if rules.quotes and QUOTE in text and NEWLINE in text:
        return "has a quote that is never closed: double it where it is part of a text, or delete it"
    return f"is longer than {LONGEST_LINE >> 20} MB: write rows of fewer columns"


def _line_at(file: BinaryIO, place: int) -> int:
    """The number of the line that begins at a byte of a file, from 1."""
    file.seek(0)
    line = 1
    while place and (chunk := file.read(min(PIECE_BYTES, place))):
        line += chunk.count(NEWLINE)
        place -= len(chunk)
    return line


@contextmanager
def usable(path: str) -> Iterator[None]:
    """Whatever is wrong with a file while it is read, in one sentence with its name."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"Cannot use {path}: {error}") from error
    except (EOFError, zlib.error, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's reason, not the file's
            raise
        raise ValueError(f"Cannot use {path}: it is damaged ({error}); write it again.") from error


Parse = Callable[[bytes], Block]


class TextStretch(Stretch):
    """Some whole lines of a file. A plain file is made of many, a compressed one is a single stretch."""

    def __init__(self, path: str, start: int, size: int | None, n_rows: int, rules: LineRules, parse: Parse) -> None:
        super().__init__(n_rows)
        self.path = path
        self.start = start
        self.size = size
        self.rules = rules
        self.parse = parse

    def place(self) -> str:
        return f"the lines from byte {self.start} of {self.path}"

    @property
    def reading_bytes(self) -> int:
        return 4 * PIECE_BYTES  # a piece, its rest, and what it is parsed into

    def batches(self) -> Iterator[Block]:
        with open_text(self.path) as file:
            file.seek(self.start)
            for text in whole_lines(file, self.rules, self.size):
                block = self.parse(text)
                if block.n_rows != (rows := self.rules.count(text)):
                    raise ValueError(f"{rows} lines were read as {block.n_rows} rows")
                if block.n_rows:
                    yield block


def text_stretches(
    path: str, start: int, rules: LineRules, parse: Parse, look: Callable[[bytes], object]
) -> list[TextStretch]:
    """Scan a file from a byte on, counting rows and showing each piece to ``look``; the stretches it is made of."""
    stretches, position = [], start
    with usable(path), open_text(path) as file:
        file.seek(start)
        for text in whole_lines(file, rules):
            look(text)
            stretches.append(TextStretch(path, position, len(text), rules.count(text), rules, parse))
            position += len(text)
    if path.endswith((".gz", ".bz2")):  # there is no way to begin in the middle
        return [TextStretch(path, start, None, sum(one.n_rows for one in stretches), rules, parse)]
    return stretches
