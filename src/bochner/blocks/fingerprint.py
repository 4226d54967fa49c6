"""Digests of parameters and arrays: two things with the same digest are the same."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

PICKLE_PROTOCOL = 5  # fixed, so that a digest does not change with the version of Python


def digest(*things: Any) -> str:
    """SHA-256 of things that can be pickled. Nothing is ever read back from the bytes."""
    return hashlib.sha256(pickle.dumps(things, protocol=PICKLE_PROTOCOL)).hexdigest()
