"""Where rows come from."""

from .arrays import ArrayBlocks
from .base import Block, BlockSource, MappedBlocks, Part, WrappedBlocks
from .batches import BatchBlocks
from .cached import CachedBlocks
from .csv import CsvBlocks
from .dask_blocks import DaskBlocks
from .monoid import Monoid
from .parquet import ParquetBlocks
from .sample import representative_rows
from .svmlight import SvmlightBlocks

__all__ = [
    "ArrayBlocks",
    "BatchBlocks",
    "Block",
    "BlockSource",
    "CachedBlocks",
    "CsvBlocks",
    "DaskBlocks",
    "MappedBlocks",
    "Monoid",
    "ParquetBlocks",
    "Part",
    "SvmlightBlocks",
    "WrappedBlocks",
    "representative_rows",
]
