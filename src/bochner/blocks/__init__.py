"""Where rows come from."""

from .arrays import ArrayBlocks
from .base import Block, BlockSource, MappedBlocks, Part, WrappedBlocks
from .cached import CachedBlocks
from .memory import bytes_of
from .monoid import Monoid
from .sample import representative_rows

__all__ = [
    "ArrayBlocks",
    "Block",
    "BlockSource",
    "CachedBlocks",
    "MappedBlocks",
    "Monoid",
    "Part",
    "WrappedBlocks",
    "bytes_of",
    "representative_rows",
]
