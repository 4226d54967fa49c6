"""Amounts of memory in words people write."""

from __future__ import annotations

import re

DEFAULT_MEMORY = "2GB"
BLOCK_BYTES = 32 << 20  # features of one block: large enough that a block's overhead vanishes, a few fit in memory
BLOCK_SHARE = 16  # a block takes at most this part of the memory
UNITS = {
    "": 1,
    "K": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "KI": 2**10,
    "MI": 2**20,
    "GI": 2**30,
    "TI": 2**40,
}


def bytes_of(memory: int | str) -> int:
    """Bytes of an amount such as 500_000_000, "500MB", "2GB" or "1.5GiB".

    Examples
    --------
    >>> bytes_of("1.5GB")
    1500000000
    """
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([KMGT]?I?)B?\s*", memory.upper())
        try:
            amount = float(match[1]) * UNITS[match[2]] if match else 0.0
        except (ValueError, KeyError):
            amount = 0.0
    else:
        amount = float(memory)
    if not amount >= 1:
        raise ValueError(f"memory must be an amount such as '2GB' or '500MB', not {memory!r}.")
    return int(amount)


def block_budget(memory: int) -> int:
    """Bytes that the features of one block may take."""
    return max(1, min(BLOCK_BYTES, memory // BLOCK_SHARE))


def most_threads(memory: int, state_bytes: int, reading_bytes: int) -> int:
    """Threads that the memory allows: each reads, and has a block, a copy of it, its rows, and a state."""
    return max(1, memory * 3 // 4 // (3 * block_budget(memory) + state_bytes + reading_bytes))
