"""Two sources of the same rows, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from .arrays import ArrayBlocks
from .base import Array, Block, BlockSource, Part
from .fingerprint import Digest, mark_of


@dataclass(frozen=True)
class PairedPart(Part):
    """Two parts read together: X from the one, y from the other's X."""

    left: Part
    right: Part

    def __call__(self) -> Block:
        left, right = self.left(), self.right()
        if left.n_rows != right.n_rows:
            raise ValueError(
                f"A block of X has {left.n_rows} rows and that of Y has {right.n_rows}: "
                "both sources must be cut into blocks at the same rows."
            )
        return Block(left.X, right.X, mark=_paired(left.mark, right.mark))

    def mark(self) -> int:
        return _paired(self.left.mark(), self.right.mark())

    def place(self) -> str:
        return f"{self.left.place()}, or {self.right.place()},"


def _paired(left: int, right: int) -> int:
    return mark_of(left, right) if left or right else 0


class PairedBlocks(BlockSource):
    """Blocks whose X are rows of the left source and whose y are the same rows of the right one."""

    def __init__(self, left: BlockSource, right: BlockSource) -> None:
        if left.n_rows is not None and right.n_rows is not None and left.n_rows != right.n_rows:
            raise ValueError(f"X has {left.n_rows} rows and Y has {right.n_rows}: each row of X needs its row of Y.")
        self.left = left
        self.right = right

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        return [cls(ArrayBlocks(X), ArrayBlocks(y[:, None]))]

    @property
    def n_columns(self) -> int:
        return self.left.n_columns

    @property
    def n_rows(self) -> int | None:
        return self.left.n_rows if self.right.n_rows is None else self.right.n_rows

    def parts(self) -> list[Part]:
        left, right = self.left.parts(), self.right.parts()
        if len(left) != len(right):
            raise ValueError(f"X has {len(left)} blocks and Y has {len(right)}: they must be cut at the same rows.")
        return [PairedPart(*parts) for parts in zip(left, right)]

    def sample(self, n_rows: int | None = None) -> Block:
        return Block(self.left.sample(n_rows).X, self.right.sample(n_rows).X)

    def fingerprint(self, digest: Digest) -> str:
        return digest("PairedBlocks", self.left.fingerprint(digest), self.right.fingerprint(digest))

    def rechunked(self, block_rows: int) -> PairedBlocks:
        return PairedBlocks(self.left.rechunked(block_rows), self.right.rechunked(block_rows))
