"""Rows in Dask collections. One of the two files that import Dask."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..tables import TableEncoder
from .base import Array, Block, DelegatingBlocks
from .batches import as_block
from .fingerprint import digest
from .forward import Stretch, StretchBlocks
from .table_blocks import Roles, TableBlocks

NEEDS_DASK = "Dask collections and clusters need dask: pip install 'bochner[dask]'."


class Chunk(Stretch):
    """One chunk of rows of Dask collections: made where it is read, so that it never passes through the client."""

    def __init__(self, index: int, delayed: Sequence[Any], n_rows: int) -> None:
        from dask.optimization import cull

        super().__init__(n_rows)
        self.index = index
        self.keys = [one.key for one in delayed]
        self.graph: dict[Any, Any] = {}
        self.kept: dict[Any, Any] = {}  # futures here, what they stand for on a worker: the engine sees to it
        for one in delayed:
            graph = dict(one.__dask_graph__())
            kept = {key: future for key, future in graph.items() if is_future(future)}
            needed, _ = cull({**graph, **dict.fromkeys(kept, 0)}, [one.key])  # only what this chunk is made of
            self.graph.update({key: node for key, node in needed.items() if key not in kept})
            self.kept.update({key: kept[key] for key in needed if key in kept})

    def place(self) -> str:
        return f"chunk {self.index} of the Dask collection"

    @property
    def reading_bytes(self) -> int:
        return 0  # chunks are as large as the user made them

    def batches(self) -> Iterator[Block]:
        import dask

        graph = {**self.graph, **{key: value_of(kept) for key, kept in self.kept.items()}}
        values = list(dask.get(graph, self.keys))
        yield as_block(values[0] if len(values) == 1 else tuple(values))


def is_future(thing: Any) -> bool:
    """Whether a node of a graph is kept on a cluster."""
    try:
        from distributed import Future
    except ImportError:
        return False
    return isinstance(thing, Future)


def value_of(kept: Any) -> Any:
    """What a future stands for; anything else is itself."""
    return kept.result() if is_future(kept) else kept


class DaskBlocks(DelegatingBlocks):
    """Dask arrays or a Dask DataFrame as a source: with DaskEngine no row passes through the client.

    Parameters
    ----------
    X : dask array or dask DataFrame
    y : dask array, default=None
    sample_weight : dask array, default=None
    target, columns, weight, encoder : see ParquetBlocks; for a DataFrame
    block_rows : int, default=4096

    Notes
    -----
    Where the lengths of chunks are not known they are counted first. For Parquet files ParquetBlocks is better: it
    reads the lengths from the files and only a row group at a time.
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        target: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
        block_rows: int = 4096,
    ) -> None:
        try:
            import dask.array as da
            from dask.base import tokenize
        except ImportError as error:
            raise ImportError(NEEDS_DASK) from error
        if isinstance(X, da.Array):
            name, chunks = _array_chunks(X, y, sample_weight)
            super().__init__(StretchBlocks(chunks, partial(str, name), X.shape[1], block_rows))
            return
        if getattr(X, "map_partitions", None) is None:
            raise TypeError(f"DaskBlocks takes a Dask array or a Dask DataFrame, not {type(X).__name__}.")
        roles = Roles.of([str(name) for name in X.columns], columns, target, weight)
        frame = X[roles.names]
        lengths = frame.map_partitions(len).compute()
        chunks = [Chunk(i, [part], int(n)) for i, (part, n) in enumerate(zip(frame.to_delayed(), lengths))]
        raw = StretchBlocks(chunks, partial(tokenize, frame), len(roles.names), block_rows)
        super().__init__(TableBlocks(raw, roles, encoder))

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        import dask.array as da
        import dask.dataframe as dd
        import pandas as pd

        frame = dd.from_pandas(
            pd.DataFrame({**{f"x{j}": column for j, column in enumerate(X.T)}, "y": y}), npartitions=3
        )
        return [cls(da.from_array(X, chunks=(90, 1)), da.from_array(y, chunks=90)), cls(frame, target="y")]


def _array_chunks(X: Any, y: Any, weight: Any) -> tuple[str, list[Chunk]]:
    """Chunks of rows that arrays have in common."""
    if X.ndim != 2:
        raise ValueError(f"X must have 2 dimensions, rows and columns, but it has {X.ndim}.")
    if any(np.isnan(size) for size in X.chunks[0]):
        X = X.compute_chunk_sizes()
    X = X.rechunk({1: -1})
    arrays = [X]
    for name, other in (("y", y), ("sample_weight", weight)):
        if other is None:
            continue
        if any(np.isnan(size) for size in other.chunks[0]):
            other = other.compute_chunk_sizes()
        if other.shape[0] != X.shape[0]:
            raise ValueError(f"{name} has {other.shape[0]} entries but X has {X.shape[0]} rows: they must be equal.")
        arrays.append(other.rechunk({0: X.chunks[0], **({1: -1} if other.ndim == 2 else {})}))
    if y is None and weight is not None:
        raise ValueError("sample_weight was given without y: a source with weights needs targets.")
    delayed = [array.to_delayed(optimize_graph=False).reshape(len(X.chunks[0]), -1)[:, 0] for array in arrays]
    chunks = [Chunk(i, parts, int(rows)) for i, (rows, *parts) in enumerate(zip(X.chunks[0], *delayed))]
    return digest([array.name for array in arrays]), chunks
