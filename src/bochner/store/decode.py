"""From a JSON document and arrays to a model, without running a constructor or any other code of the file's choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .allowance import Budget
from .format import DEEPEST_NODE, DEEPEST_OBJECT, DTYPES, FORMAT_VERSION, MOST_OBJECTS, Array, ModelFileError
from .not_stored import NotStored
from .old_learners import brought_up
from .old_names import OLD, RENAMED, renewed
from .randomness import generator, random_state
from .sparse import checked_rows
from .vocabulary import ROOTS, checked_name, classes

LARGEST_CODE_POINT = 0x10FFFF
LONGEST_TEXT = 1 << 20  # letters: numpy has no type for texts of any length, even where there are none
# Bytes, as Python 3.11 to 3.14 and numpy 2 take them on 64 bits.
FLOAT_BYTES = 32  # a number in a list: 24 and its place
WORD_BYTES = 96  # a word without its letters, and its place
RANDOM_BYTES = 4096  # a generator with its seed
SPARSE_BYTES = 1024  # sparse rows without their arrays


class Decoder:
    """Reads nodes against the closed vocabulary; everything unexpected is refused with a reason."""

    def __init__(self, tensors: Mapping[str, Array], budget: Budget, version: int = FORMAT_VERSION) -> None:
        self.version = version
        self.tensors = tensors
        self.budget = budget
        self.objects: list[Any] = []
        self._sizes: list[int] = []  # objects in each object, counted as often as they are referred to
        self._depths: list[int] = []
        self._named: list[int] = []  # bytes of the arrays in each object, counted as often as they are named
        self._size, self._depth, self._bytes = 0, 0, 0  # of the object being read
        self._all_named = 0  # bytes named by any object
        self._used: set[str] = set()
        self._arrays: dict[tuple[str, str], Array] = {}
        self._kinds: dict[str, Callable[[Any, int], Any]] = {
            "array": lambda name, _: self._array("array", name),
            "fortran": lambda name, _: self._array("fortran", name),
            "text": lambda name, _: self._array("text", name),
            "words": lambda name, _: self._array("words", name),
            "scalar": lambda name, _: self._scalar(name),
            "floats": lambda name, _: self._floats(name),
            "object": lambda index, _: self._reference(index),
            "tuple": lambda entries, depth: tuple(self._list(entries, depth)),
            "dict": self._dict,
            "sparse": self._sparse,
            "float": lambda word, _: _special_float(word),
            "dtype": lambda name, _: _dtype(name),
            "pcg64": lambda numbers, _: self._random(generator, numbers),
            "mt19937": lambda parts, _: self._random(random_state, parts),
            "not_stored": lambda texts, _: _note(texts),
        }

    def model(self, document: Any) -> Any:
        """The model that a document describes."""
        if not (isinstance(document, dict) and set(document) == {"root", "objects"}):
            raise ModelFileError("its document has no root and objects")
        table = document["objects"]
        if not isinstance(table, list) or not 1 <= len(table) <= MOST_OBJECTS:
            raise ModelFileError(f"its document does not list between 1 and {MOST_OBJECTS} objects")
        known = classes()
        for entry in table:
            self.objects.append(self._object(entry, known))
        if document["root"] != {"object": len(table) - 1} or not isinstance(self.objects[-1], ROOTS):
            raise ModelFileError("its last object is not a learner or a feature map")
        if self._used != set(self.tensors):
            raise ModelFileError("it has arrays that belong to nothing")
        return self.objects[-1]

    def _object(self, entry: Any, known: Mapping[str, type]) -> Any:
        if not (isinstance(entry, dict) and set(entry) == {"class", "attributes"}):
            raise ModelFileError("an object in it has no class and attributes")
        name, attributes = entry["class"], entry["attributes"]
        name = RENAMED.get(name, name) if isinstance(name, str) else name
        if not isinstance(name, str) or name not in known.keys() | OLD.keys():
            raise ModelFileError(f"it names the class {str(name)[:50]!r}, which this version of bochner does not have")
        if not isinstance(attributes, dict):
            raise ModelFileError(f"the attributes of {name} are not a table")
        cls = known.get(name)
        self._size, self._depth, self._bytes = 1, 1, 0
        state = {key: self._value(node, 0) for key, node in attributes.items()}
        if self._size > MOST_OBJECTS or self._depth > DEEPEST_OBJECT:
            raise ModelFileError(f"{name} is nested too deeply or too often")
        self._sizes.append(self._size)
        self._depths.append(self._depth)
        self._named.append(self._bytes)
        if cls is None:
            return renewed(name, state)
        if self.version < FORMAT_VERSION:
            state = brought_up(cls, state)
        item: Any = object.__new__(cls)
        vars(item).update({checked_name(cls, key): value for key, value in state.items()})
        return item

    def _value(self, node: Any, depth: int) -> Any:
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if depth > DEEPEST_NODE:
            raise ModelFileError("an attribute in it is nested too deeply")
        if isinstance(node, list):
            return self._list(node, depth)
        if not isinstance(node, dict) or len(node) != 1:
            raise ModelFileError("an attribute in it has no single kind")
        [(kind, content)] = node.items()
        if kind not in self._kinds:
            raise ModelFileError(f"it has an attribute of the unknown kind {kind[:50]!r}")
        return self._kinds[kind](content, depth)

    def _list(self, entries: Any, depth: int) -> list[Any]:
        if not isinstance(entries, list):
            raise ModelFileError("a list in it is not a list")
        return [self._value(entry, depth + 1) for entry in entries]

    def _dict(self, items: Any, depth: int) -> dict[Any, Any]:
        pairs = [self._list(item, depth + 1) for item in self._list_of_lists(items)]
        simple = None | bool | int | float | str | np.generic
        if any(len(pair) != 2 or not isinstance(pair[0], simple) for pair in pairs):
            raise ModelFileError("a table in it has keys that are neither numbers nor words")
        return dict(pairs)

    def _sparse(self, parts: Any, depth: int) -> Any:
        values = self._list(parts, depth)
        if len(values) != 5 or not all(isinstance(value, np.ndarray) for value in values[2:]):
            raise ModelFileError("sparse rows in it are not made of three arrays")
        self.budget.take(SPARSE_BYTES + sum(part.nbytes for part in values[2:]))
        return checked_rows(*values)

    def _list_of_lists(self, items: Any) -> list[Any]:
        if not isinstance(items, list):
            raise ModelFileError("a table in it is not a table")
        return items

    def _reference(self, index: Any) -> Any:
        if type(index) is not int or not 0 <= index < len(self.objects):
            raise ModelFileError("an object in it refers to one that does not come before it")
        self._size += self._sizes[index]
        self._depth = max(self._depth, 1 + self._depths[index])
        self._name(self._named[index])
        return self.objects[index]

    def _tensor(self, name: Any) -> Array:
        if not isinstance(name, str) or name not in self.tensors:
            raise ModelFileError(f"it refers to the array {str(name)[:50]!r}, which it does not have")
        self._used.add(name)
        tensor = self.tensors[name]
        self._all_named += tensor.nbytes
        self.budget.check_named(self._all_named)
        self._name(tensor.nbytes)
        return tensor

    def _name(self, n_bytes: int) -> None:
        self._bytes += n_bytes
        self.budget.check_named(self._bytes)

    def _random(self, make: Callable[[Any], Any], numbers: Any) -> Any:
        self.budget.take(RANDOM_BYTES)
        return make(numbers)

    def _array(self, kind: str, name: Any) -> Array:
        tensor = self._tensor(name)
        if (kind, name) not in self._arrays:
            make = {"array": lambda a: a, "fortran": lambda a: a.T, "text": _texts, "words": self._words}[kind]
            self._arrays[kind, name] = make(tensor)
        return self._arrays[kind, name]

    def _scalar(self, name: Any) -> Any:
        tensor = self._tensor(name)
        if tensor.shape != ():
            raise ModelFileError("a number in it is an array")
        return tensor[()]

    def _floats(self, name: Any) -> list[float]:
        tensor = self._tensor(name)
        if tensor.ndim != 1 or tensor.dtype != np.float64:
            raise ModelFileError("a list of numbers in it is not one")
        self.budget.take(FLOAT_BYTES * tensor.size)
        return tensor.tolist()

    def _words(self, codes: Array) -> Array:
        texts = _texts(codes)
        self.budget.take(WORD_BYTES * texts.size + texts.nbytes)
        return texts.astype(object)


def _texts(codes: Array) -> Array:
    if codes.ndim == 0 or codes.dtype != np.uint32 or (codes > LARGEST_CODE_POINT).any():
        raise ModelFileError("a text in it is not made of code points")
    if not 1 <= codes.shape[-1] <= LONGEST_TEXT:
        raise ModelFileError(f"a text in it does not have between 1 and {LONGEST_TEXT} letters")
    return codes.reshape(-1).view(f"U{codes.shape[-1]}").reshape(codes.shape[:-1])


def _special_float(word: Any) -> float:
    if word not in ("inf", "-inf", "nan"):
        raise ModelFileError("a number in it is not a number")
    return float(word)


def _dtype(name: Any) -> np.dtype:
    found = [dtype for dtype in DTYPES if dtype.name == name]
    if not found:
        raise ModelFileError(f"it names the unknown type {str(name)[:50]!r}")
    return found[0]


def _note(texts: Any) -> NotStored:
    if not (isinstance(texts, list) and len(texts) == 2 and all(isinstance(text, str) for text in texts)):
        raise ModelFileError("a note in it is not a text")
    return NotStored(*texts)
