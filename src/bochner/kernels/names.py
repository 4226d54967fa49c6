"""Names that other libraries, or earlier versions, have for what is called otherwise: answered by what to write."""

from __future__ import annotations

import inspect
from typing import Any, Self

# What scikit-learn's words for kernels are here.
HERE = {
    "rbf": "bo.Gaussian.from_gamma(gamma)",
    "laplacian": "bo.Laplace.from_gamma(gamma)",
    "poly": "bo.Polynomial(degree, offset=coef0, scale=gamma)",
    "polynomial": "bo.Polynomial(degree, offset=coef0, scale=gamma)",
    "linear": "bo.Polynomial(1, offset=0.0)",
}
OF_KERNELS = {"kernel": "rbf", "gamma": "rbf", "degree": "poly", "coef0": "poly"}  # parameters that a kernel has here


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
        return f"give a kernel, as in bo.{cls.__name__}({HERE[OF_KERNELS[name]]})" if name in OF_KERNELS else None


def no_kernel(given: Any) -> str:
    """One sentence about what was given as a kernel and is none."""
    return f"kernel must be a bochner kernel such as bo.Gaussian(), not {named(given)}."


def named(given: Any) -> str:
    """What is none of ours, by its type; a word with what it means elsewhere."""
    if not isinstance(given, str):
        return type(given).__name__
    word = given if given in HERE else "rbf"
    return f"{given!r}: what scikit-learn calls {word!r} is {HERE[word]}"
