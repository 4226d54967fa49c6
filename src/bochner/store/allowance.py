"""How much memory a file may take while it is loaded: in proportion to its own size, whoever wrote it."""

from __future__ import annotations

from .format import ModelFileError

GROWTH = 4  # bytes made for a byte of the file: a list of numbers takes 4 times the memory of its array
START = 32 << 20  # bytes: a row of the most columns that no array shows, and its features, in double precision
MOST_NAMED = 64  # times: machines in a stack may share their arrays, and every check reads what it is given


class Budget:
    """What is left to be made out of a file.

    Arrays of the file are in memory once, however often they are named. Everything else that its size does not bound
    is taken from here before it is made: lists, words and sparse rows, as often as the file asks for them, and the
    row that is sent through the model to try it.
    """

    def __init__(self, file_bytes: int) -> None:
        self.file_bytes = file_bytes
        self.left = START + GROWTH * file_bytes

    def take(self, n_bytes: int) -> None:
        """Pay for what stays."""
        self.lend(n_bytes)
        self.left -= n_bytes

    def lend(self, n_bytes: int) -> None:
        """Refuse what would not fit for a moment."""
        if n_bytes > self.left:
            raise ModelFileError(
                f"it would take more memory than its {self.file_bytes} bytes allow: no model saved by bochner does"
            )

    def check_named(self, n_bytes: int) -> None:
        """Refuse arrays that are named so often that reading them would take long."""
        if n_bytes > START + MOST_NAMED * self.file_bytes:
            raise ModelFileError("it names its arrays more often than any model of bochner")
