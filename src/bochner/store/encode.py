"""From a model to a JSON document and arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import BlockSource
from ..engines import Engine, ThreadEngine
from ..kernels import Kernel
from ..maps import Features
from ..solvers import AveragedSgd
from ..statistics import Statistic
from .format import DTYPES, Array, ModelFileError, Node
from .not_stored import NotStored, left_out
from .randomness import is_storable, random_node
from .sparse import kind_of
from .vocabulary import is_ours, parameters

LONG_LIST = 64  # lists of more numbers than this become arrays


class Encoder:
    """Writes values as nodes, arrays as tensors, and every object once.

    Objects go into a table and refer to entries before their own, so what is shared stays shared and no file can hold
    a circle. Inside features nothing may be missing, because predictions need all of it; elsewhere a function given
    to a constructor, or a kernel of a user's own class, is replaced by a note.
    """

    def __init__(self, statistics: bool = True) -> None:
        self.statistics = statistics
        self.tensors: dict[str, Array] = {}
        self.objects: list[Node] = []
        self._references: dict[tuple[int, bool], Node] = {}
        self._kept: list[Any] = []  # an id is unique only while its object lives

    def document(self, model: Any) -> Node:
        """The whole document."""
        root = self._object(model, type(model).__name__, complete=False)
        return {"root": root, "objects": self.objects}

    def _object(self, item: Any, place: str, *, complete: bool) -> Node:
        complete = complete or isinstance(item, Features)
        key = (id(item), complete)
        if key in self._references:
            if self._references[key] is None:
                raise ModelFileError(f"{place} refers back to an object that it is part of")
            return self._references[key]
        self._references[key] = None
        self._kept.append(item)
        try:
            attributes: dict[str, Node] = {
                name: self._attribute(item, name, value, f"{place}.{name}", complete=complete)
                for name, value in vars(item).items()
            }
        except Unstorable:
            del self._references[key]
            raise
        self.objects.append({"class": type(item).__name__, "attributes": attributes})
        self._references[key] = {"object": len(self.objects) - 1}
        return self._references[key]

    def _attribute(self, owner: Any, name: str, value: Any, place: str, *, complete: bool) -> Node:
        if isinstance(value, BlockSource):
            return noted(f"The {name} of {type(owner).__name__}", "rows are no part of it, so fit a new model")
        if name in left_out(owner):
            return noted(f"The {name} of {type(owner).__name__}", "predictions do not need it, and a new fit makes it")
        if isinstance(value, Statistic | AveragedSgd) and not self.statistics:
            return noted(f"The {name} of {type(owner).__name__}", "save with statistics=True for what needs it")
        replaceable = not complete and (name in parameters(owner.__class__) or isinstance(value, Kernel))
        if not replaceable:
            return self._value(value, place, complete=complete)
        try:
            return self._value(value, place, complete=complete)
        except Unstorable:
            return noted(f"The {name} of {type(owner).__name__} ({_described(value)})", "give it again with set_params")

    def _value(self, value: Any, place: str, *, complete: bool) -> Node:
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float:
            return value if np.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, place)
        if isinstance(value, np.generic):
            return self._scalar(value, place)
        if isinstance(value, np.dtype) and value in DTYPES:
            return {"dtype": value.name}
        if isinstance(value, np.random.Generator | np.random.RandomState) and is_storable(value):
            return random_node(value)
        if type(value) in (list, tuple, dict):
            return self._container(value, place, complete=complete)
        if (kind := kind_of(value)) is not None:
            parts = [self._array(part, place) for part in (value.data, value.indices, value.indptr)]
            return {"sparse": [kind, value.shape[1], *parts]}
        if isinstance(value, NotStored):
            return noted(value.what, value.remedy)
        if isinstance(value, Engine) and not is_ours(type(value)):  # which holds a folder or a connection
            value = ThreadEngine(value.n_jobs, value.memory, bool(value.progress))
            self._kept.append(value)
        if is_ours(type(value)):
            return self._object(value, place, complete=complete)
        raise Unstorable(
            f"{place} is {_described(value)}, and a model file holds only arrays, numbers, words and "
            "objects of bochner: use pickle or joblib for this model"
        )

    def _container(self, value: Any, place: str, *, complete: bool) -> Node:
        if type(value) is list and len(value) > LONG_LIST and all(type(entry) is float for entry in value):
            return {"floats": self._tensor(np.array(value))}
        if type(value) is dict:
            items = [[self._value(part, place, complete=complete) for part in item] for item in value.items()]
            return {"dict": items}  # type: ignore[dict-item]
        entries = [self._value(entry, f"{place}[{i}]", complete=complete) for i, entry in enumerate(value)]
        return entries if type(value) is list else {"tuple": entries}

    def _scalar(self, value: np.generic, place: str) -> Node:
        if isinstance(value, np.str_):
            return str(value)
        if value.dtype not in DTYPES:
            raise Unstorable(f"{place} is a {value.dtype} scalar, which a model file cannot hold")
        return {"scalar": self._tensor(np.asarray(value))}

    def _array(self, array: Array, place: str) -> Node:
        key = (id(array), True)
        if key not in self._references:
            self._references[key] = self._array_node(array, place)
            self._kept.append(array)
        return self._references[key]

    def _array_node(self, array: Array, place: str) -> Node:
        if type(array) is not np.ndarray:
            raise Unstorable(f"{place} is a {type(array).__name__}, and a model file holds plain arrays only")
        if array.dtype.kind == "U":
            return {"text": self._tensor(code_points(array))}
        if array.dtype == object and all(type(entry) is str for entry in array.flat):
            fixed = array.astype(str)
            if array.size and (fixed.astype(object) == array).all():  # numpy drops zeros at the end of a text
                return {"words": self._tensor(code_points(fixed))}
        if array.dtype.newbyteorder("=") not in DTYPES:
            raise Unstorable(f"{place} is an array of {array.dtype}, which a model file cannot hold")
        array = array.astype(array.dtype.newbyteorder("="), copy=False)
        if array.flags.f_contiguous and not array.flags.c_contiguous:
            return {"fortran": self._tensor(array.T)}  # products keep their bits only in the same memory order
        return {"array": self._tensor(array)}

    def _tensor(self, array: Array) -> str:
        name = str(len(self.tensors))
        self.tensors[name] = array if array.flags.c_contiguous else np.array(array, order="C")
        return name


class Unstorable(ModelFileError):
    """A value that no file without code can hold."""


def noted(what: str, remedy: str) -> Node:
    """The node of something that is not stored."""
    return {"not_stored": [what, remedy]}


def code_points(texts: Array) -> Array:
    """Texts of equal width as their code points, one more axis at the end."""
    native = np.ascontiguousarray(texts, dtype=texts.dtype.newbyteorder("="))
    return native.reshape(-1).view(np.uint32).reshape(*texts.shape, native.itemsize // 4)


def _described(value: Any) -> str:
    name = getattr(value, "__name__", None)
    kind = type(value)
    return f"the {kind.__name__} {name}" if isinstance(name, str) else f"a {kind.__module__}.{kind.__qualname__}"
