"""Amounts in words people write: memory such as "2GB", durations such as "500ms" or "2min"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Real

MOST = 2**63  # bytes that an address can count
BYTES = {
    "": 1,
    "B": 1,
    **{f"{prefix}{end}": 10**power for prefix, power in zip("KMGT", (3, 6, 9, 12)) for end in ("", "B")},
    **{f"{prefix}I{end}": 2**power for prefix, power in zip("KMGT", (10, 20, 30, 40)) for end in ("", "B")},
}
SECONDS = {"ms": 1e-3, "s": 1.0, "sec": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def bytes_of(memory: int | str, name: str = "memory") -> int:
    """Bytes of an amount such as 500_000_000, "500MB", "2GB" or "1.5GiB".

    Examples
    --------
    >>> bytes_of("1.5GB")
    1500000000
    """
    amount = 0.0
    if isinstance(memory, str):
        amount = measured(memory.upper(), BYTES)
    elif isinstance(memory, Real) and not isinstance(memory, bool):
        amount = float(memory)
    if not 1 <= amount < MOST:
        raise ValueError(f"{name} must be an amount such as '2GB' or '500MB', not {memory!r}.")
    return int(amount)


def seconds_of(duration: str, name: str) -> float:
    """Seconds of a duration such as "500ms", "2s", "1.5min" or "1h"; a number alone does not say of what.

    Examples
    --------
    >>> seconds_of("2min", "budget")
    120.0
    """
    seconds = measured(duration.lower(), SECONDS) if isinstance(duration, str) else 0.0
    if not 0 < seconds < float("inf"):
        raise ValueError(f"{name} must be a time with its unit, such as '500ms', '2s' or '5min', not {duration!r}.")
    return seconds


def measured(words: str, units: Mapping[str, float]) -> float:
    """A number and its unit multiplied; NaN where the words are something else."""
    match = re.fullmatch(r"\s*([0-9]+\.?[0-9]*|\.[0-9]+)\s*([a-zA-Z]*)\s*", words)
    return float(match[1]) * units[match[2]] if match and match[2] in units else float("nan")
