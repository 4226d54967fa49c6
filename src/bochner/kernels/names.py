"""Names that other libraries have for what is called otherwise here, answered by what to write instead."""

from __future__ import annotations

import inspect
from typing import Any, Self

OTHERS = frozenset({"gamma", "kernel"})


class OwnNames:
    """A class whose constructor refuses ``gamma=`` and ``kernel=``, where it has no such parameter."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        if OTHERS & named.keys():
            own = inspect.signature(cls.__init__).parameters
            for name in sorted(OTHERS & named.keys() - own.keys()):
                raise TypeError(f"{cls.__name__} has no parameter {name}: {cls.instead()}.")
        if cls.__init__ is object.__init__ and (given or named):
            raise TypeError(f"{cls.__name__} takes no parameters.")
        return super().__new__(cls)

    @classmethod
    def instead(cls) -> str:
        """What to write in the place of a gamma or of a kernel by name."""
        return f"give a kernel, as in bo.{cls.__name__}(bo.Gaussian.from_gamma(gamma))"


def no_kernel(given: Any) -> str:
    """One sentence about what was given as a kernel and is none."""
    if isinstance(given, str):
        hint = ": what scikit-learn calls 'rbf' is bo.Gaussian.from_gamma(gamma)"
        return f"kernel must be a bochner kernel such as bo.Gaussian(), not {given!r}{hint}."
    return f"kernel must be a bochner kernel such as bo.Gaussian(), not {type(given).__name__}."
