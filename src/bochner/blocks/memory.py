"""How much of the memory blocks and threads may take."""

from __future__ import annotations

DEFAULT_MEMORY = "2GB"
MEMORY = 2_000_000_000  # bytes of the same
BLOCK_BYTES = 32 << 20  # features of one block: large enough that a block's overhead vanishes, a few fit in memory
BLOCK_SHARE = 16  # a block takes at most this part of the memory


def block_budget(memory: int) -> int:
    """Bytes that the features of one block may take."""
    return max(1, min(BLOCK_BYTES, memory // BLOCK_SHARE))


def most_threads(memory: int, state_bytes: int, reading_bytes: int) -> int:
    """Threads that the memory allows: each reads, and has a block, a copy of it, its rows, and a state."""
    return max(1, memory * 3 // 4 // (3 * block_budget(memory) + state_bytes + reading_bytes))
