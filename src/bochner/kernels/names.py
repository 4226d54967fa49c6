"""Names that other libraries, or earlier versions, have for what is called otherwise: answered by what to write."""

from __future__ import annotations

import inspect
from typing import Any, Self


class OwnNames:
    """A class whose constructor answers names that are not its own, where it knows what is meant."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        own = inspect.signature(cls.__init__).parameters if named else {}
        for name in sorted(named.keys() - own.keys()):
            if (advice := cls.instead(name)) is not None:
                raise TypeError(f"{cls.__name__} has no parameter {name}: {advice}.")
        if cls.__init__ is object.__init__ and (given or named):
            raise TypeError(f"{cls.__name__} takes no parameters.")
        return super().__new__(cls)

    @classmethod
    def instead(cls, name: str) -> str | None:
        """What to write in the place of a parameter of this name; None where nobody knows."""
        if name in ("gamma", "kernel"):
            return f"give a kernel, as in bo.{cls.__name__}(bo.Gaussian.from_gamma(gamma))"
        return None


def no_kernel(given: Any) -> str:
    """One sentence about what was given as a kernel and is none."""
    if isinstance(given, str):
        hint = ": what scikit-learn calls 'rbf' is bo.Gaussian.from_gamma(gamma)"
        return f"kernel must be a bochner kernel such as bo.Gaussian(), not {given!r}{hint}."
    return f"kernel must be a bochner kernel such as bo.Gaussian(), not {type(given).__name__}."
