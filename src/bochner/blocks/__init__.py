"""Where rows come from."""

from .arrays import ArrayBlocks
from .base import Block, BlockSource, MappedBlocks, Part
from .cached import CachedBlocks
from .memory import bytes_of
from .sample import representative_rows

__all__ = [
    "ArrayBlocks",
    "Block",
    "BlockSource",
    "CachedBlocks",
    "MappedBlocks",
    "Part",
    "bytes_of",
    "representative_rows",
]
