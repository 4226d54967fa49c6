"""Digests of parameters and arrays: two things with the same digest are the same."""

from __future__ import annotations

import hashlib
import io
import pickle
from types import CodeType, FunctionType
from typing import Any
from weakref import ref

import numpy as np
import scipy.sparse as sp

Array = np.ndarray

PICKLE_PROTOCOL = 5  # fixed, so that a digest does not change with the version of Python
CHUNK_BYTES = 1 << 20  # of an array, for which 32 bytes go into the digest; enough work for a thread
LARGE = 1 << 20  # bytes of an array that is worth remembering


class Digest:
    """SHA-256 of things that can be pickled. Nothing is ever read back from the bytes.

    Of arrays every byte counts, and how they lie in memory does not. They are read at about 7 GB/s in each thread, and
    large ones only once: an array must not change for as long as its Digest is used. Of functions counts what they do,
    with their defaults and what they enclose.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[Any, bytes]] = {}  # by address, with a weak reference to the array

    def __call__(self, *things: Any) -> str:
        buffer = io.BytesIO()
        _Arrays(buffer, self).dump(things)
        return hashlib.sha256(buffer.getbuffer()).hexdigest()

    def of_array(self, array: Array) -> bytes:
        """What tells an array from others, made once for each array."""
        if array.nbytes < LARGE:
            return array_bytes(array)
        found, value = self._known.get(id(array), (None, b""))
        if found is None or found() is not array:
            value = array_bytes(array)
            self._known[id(array)] = ref(array), value
        return value


class _Arrays(pickle.Pickler):
    """A pickler that puts digests in the place of arrays."""

    def __init__(self, buffer: io.BytesIO, digests: Digest) -> None:
        super().__init__(buffer, protocol=PICKLE_PROTOCOL)
        self.digests = digests

    def reducer_override(self, thing: Any) -> Any:
        if isinstance(thing, np.ndarray):
            return bytes, (self.digests.of_array(thing),)
        if sp.issparse(thing):  # without what it has found out about itself in the meantime
            rows = thing if thing.format == "csr" else thing.tocsr()
            return tuple, ((rows.shape, rows.data, rows.indices, rows.indptr),)
        if isinstance(thing, FunctionType):
            enclosed = [cell.cell_contents for cell in thing.__closure__ or ()]
            return tuple, ((code_parts(thing.__code__), thing.__defaults__, thing.__kwdefaults__, enclosed),)
        return NotImplemented


def array_bytes(array: Array) -> bytes:
    """Type, shape and a digest of every byte of an array in the order of its rows: 32 bytes for each megabyte."""
    if array.dtype.hasobject:
        return f"objects {array.shape}".encode() + _objects(array)
    rows = np.asarray(array) if array.ndim > 1 else np.asarray(array).reshape(-1)
    n_rows = max(1, CHUNK_BYTES * len(rows) // max(1, rows.nbytes))
    return f"{array.dtype.str} {array.shape}".encode() + _chunk_states(rows, n_rows).tobytes()


def _chunk_states(rows: Array, n_rows: int) -> Array:
    """What ``mixed`` makes of each so many rows, on threads."""
    from ..compute.mixing import mixed  # here: sources that are only read need no compiler

    if len(rows) <= n_rows:
        return mixed(np.ascontiguousarray(rows).reshape(-1).view(np.uint8))
    from ..compute.threads import side_by_side, thread_count

    n_chunks = -(-len(rows) // n_rows)
    states = np.empty((n_chunks, 4), dtype=np.uint64)

    def fill(chunk: int) -> None:
        some = np.ascontiguousarray(rows[chunk * n_rows : (chunk + 1) * n_rows])
        states[chunk] = mixed(some.reshape(-1).view(np.uint8))

    side_by_side(fill, range(n_chunks), min(thread_count(None), n_chunks))
    return states


def code_parts(code: CodeType) -> tuple[Any, ...]:
    """What a function does, wherever it is written."""
    constants = [code_parts(one) if isinstance(one, CodeType) else _constant(one) for one in code.co_consts]
    return code.co_code, code.co_names, constants


def _constant(one: Any) -> str:
    return repr(sorted(map(repr, one)) if isinstance(one, frozenset) else one)  # the order of a set is chance


def _objects(array: Array) -> bytes:
    """Python objects one after the other: equal ones give the same bytes whether they are one object or two."""
    buffer = io.BytesIO()
    pickler = pickle.Pickler(buffer, protocol=PICKLE_PROTOCOL)
    pickler.fast = True
    pickler.dump(array.tolist())
    return buffer.getvalue()


def mark_of(*things: Any) -> int:
    """A digest in 64 bits that is not 0: what a block carries with it."""
    return int(digest(*things)[:16], 16) or 1


def digest(*things: Any) -> str:
    """SHA-256 of things that can be pickled."""
    return Digest()(*things)
