"""Sources of tables: raw columns in, encoded columns, targets and weights out."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..tables import CategoryColumn, Column, DataTable, TableEncoder
from ..tables.summary import TableSummary
from .base import Array, Block, BlockSource, Fold, Part, Run, WrappedPart
from .fingerprint import Digest
from .forward import located
from .monoid import Monoid
from .tree import fold_in_turn

ENCODING_ROWS = 16384  # rows of a block while encodings are fitted: they must not depend on the blocks used later


@dataclass(frozen=True)
class Roles:
    """Which columns are features, targets and weights."""

    features: tuple[str, ...]
    target: tuple[str, ...]
    flat_target: bool
    weight: str | None

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        columns: Sequence[str] | None,
        target: str | Sequence[str] | None,
        weight: str | None,
    ) -> Roles:
        """Roles among the columns of these names; features are ``columns``, or all that have no other role."""
        targets = () if target is None else (target,) if isinstance(target, str) else tuple(target)
        others = {*targets, weight}
        features = tuple(name for name in names if name not in others) if columns is None else tuple(columns)
        known = set(names)
        for name in (*features, *targets, *(() if weight is None else (weight,))):
            if name not in known:
                raise ValueError(f"The column {name!r} is missing: there are {', '.join(names[:20])}.")
        if not features:
            raise ValueError("There are no feature columns: name some in columns=.")
        return cls(features, targets, isinstance(target, str), weight)

    @property
    def names(self) -> list[str]:
        """All columns that have to be read."""
        return list(dict.fromkeys([*self.features, *self.target, *(() if self.weight is None else (self.weight,))]))


@dataclass(frozen=True)
class EncodedRows:
    """The step from raw tables to blocks of numbers."""

    roles: Roles
    encoder: TableEncoder

    def __call__(self, block: Block) -> Block:
        table: DataTable = block.X
        X = self.encoder.transform(table.select(self.roles.features))
        y = None
        if self.roles.target:
            targets = [_complete(name, table.column(name)) for name in self.roles.target]
            y = targets[0] if self.roles.flat_target else np.column_stack(targets)
        weight = None if self.roles.weight is None else _complete(self.roles.weight, table.column(self.roles.weight))
        return Block(X, y, weight)


def _complete(name: str, column: Column) -> Array:
    if column.n_missing():
        raise ValueError(f"the target or weight column {name!r} has missing values")
    values = column.plain()
    return values.astype(str) if isinstance(column, CategoryColumn) and values.dtype == object else values


@dataclass(frozen=True)
class EncodedPart(WrappedPart):
    """A raw part and the step its table goes through; errors of the step say where the rows are."""

    part: Part
    step: EncodedRows

    def __call__(self) -> Block:
        raw = self.part()
        return replace(located(self.place(), partial(self.step, raw)), mark=raw.mark)


class SeenTables(Monoid):
    """A summary of tables, gathered from blocks."""

    def __init__(self, summary: TableSummary) -> None:
        self.summary = summary

    def zero(self) -> SeenTables:
        return SeenTables(self.summary.empty())

    def update(self, block: Block) -> None:
        self.summary.update(block.X)

    def merge(self, other: SeenTables) -> None:
        self.summary.merge(other.summary)

    @property
    def nbytes(self) -> int:
        return 1 << 20

    def state(self) -> dict[str, np.ndarray]:
        text = json.dumps(self.summary.as_json())
        return {"columns": np.frombuffer(text.encode(), dtype=np.uint8)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.summary.from_json(json.loads(state["columns"].tobytes()))


class TableBlocks(BlockSource):
    """A source of raw tables and the encoder that its blocks go through.

    The encoder is fitted by the learner's engine before anything else (``prepared``), or here on first use. Without
    one numbers stay as they are, labels are 0/1 columns, and missing numbers are refused.
    """

    def __init__(self, raw: BlockSource, roles: Roles, encoder: TableEncoder | None) -> None:
        self.raw = raw
        self.roles = roles
        if encoder is None:
            encoder = TableEncoder(missing="refuse", standardise=False)
        if not isinstance(encoder, TableEncoder):
            raise TypeError(f"encoder must be a bo.TableEncoder, not {type(encoder).__name__}.")
        self._encoder = encoder if encoder.__sklearn_is_fitted__() else clone(encoder)

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        from .csv import CsvBlocks

        return [source.source for source in CsvBlocks.examples(X, y, folder) if isinstance(source.source, cls)]

    @property
    def encoder(self) -> TableEncoder:
        if not self._encoder.__sklearn_is_fitted__():
            self._fit_encoder(fold_in_turn)
        return self._encoder

    def _fit_encoder(self, fold: Fold) -> None:
        first: DataTable = self.raw.sample(1).X.select(self.roles.features)
        seen = SeenTables(self._encoder.empty_summary(first))
        if self._encoder.needs_pass(first):
            seen = fold(seen, self.raw.rechunked(ENCODING_ROWS))
        self._encoder.fit_summary(seen.summary, first)

    def prepared(self, fold: Fold, run: Run) -> Self:
        ready = self._copy(self.raw.prepared(fold, run))
        if not ready._encoder.__sklearn_is_fitted__():
            ready._encoder = clone(ready._encoder)
            ready._fit_encoder(fold)
        return ready

    def encoded_by(self, encoder: TableEncoder) -> Self:
        encoded = self._copy(self.raw)
        encoded._encoder = encoder
        return encoded

    def _copy(self, raw: BlockSource) -> Self:
        other = copy.copy(self)
        other.raw = raw
        return other

    @property
    def step(self) -> EncodedRows:
        """What turns raw blocks into blocks."""
        return EncodedRows(self.roles, self.encoder)

    @property
    def n_columns(self) -> int:
        return self.encoder.width

    @property
    def n_rows(self) -> int | None:
        return self.raw.n_rows

    @property
    def reading_bytes(self) -> int:
        return self.raw.reading_bytes

    def parts(self) -> Sequence[Part]:
        return _encoded(self.raw.parts(), self.step)

    def lanes(self, state_bytes: int, memory: int) -> Iterable[Sequence[Part]]:
        step = self.step
        return (_encoded(lane, step) for lane in self.raw.lanes(state_bytes, memory))

    def sample(self, n_rows: int | None = None) -> Block:
        return self.step(self.raw.sample(n_rows))

    def rechunked(self, block_rows: int) -> Self:
        return self._copy(self.raw.rechunked(block_rows))

    @property
    def origin(self) -> BlockSource:
        return self.raw.origin

    def fingerprint(self, digest: Digest) -> str:
        encoder: Any = self.encoder.as_json()
        return digest(type(self).__name__, self.raw.fingerprint(digest), self.roles, encoder)


def _encoded(lane: Sequence[Part], step: EncodedRows) -> list[Part]:
    return [EncodedPart(part, step) for part in lane]
