"""Every class of the library, found by importing every module: a class in a new file is under contract at once."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from abc import ABC
from functools import cache
from typing import Any

import bochner


@cache
def classes() -> tuple[type, ...]:
    """Every class that is written in a module of the package, in the order of modules and names."""
    found = []
    for module in pkgutil.walk_packages(bochner.__path__, "bochner."):
        if module.name.endswith(".__main__"):  # a program, not a module
            continue
        here = vars(importlib.import_module(module.name)).values()
        found += [one for one in here if inspect.isclass(one) and one.__module__ == module.name]
    return tuple(sorted(set(found), key=lambda one: (one.__module__, one.__qualname__)))


def concrete(*bases: type) -> list[type]:
    """The classes below these that can be made: nothing abstract is left, and they are not declared abstract."""
    return [
        one
        for one in classes()
        if issubclass(one, bases) and not inspect.isabstract(one) and ABC not in one.__bases__ and one not in bases
    ]


def examples(base: type, *arguments: Any) -> list[Any]:
    """The examples that every concrete class below the base gives of itself; a class that gives none fails here."""
    found = []
    for one in concrete(base):
        own = one.examples(*arguments)
        if not own or any(type(example) is not one for example in own):
            raise AssertionError(f"{one.__module__}.{one.__qualname__}.examples() must give instances of the class.")
        found += own
    return found


def name_of(thing: Any) -> str:
    """A short name of a test, the same in every process: no addresses of functions."""
    return re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(thing).split()))[:70]
