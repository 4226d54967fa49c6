"""The note that stands where a function or a foreign object stood before a model was stored."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any, NoReturn

from ..auto.base import AutoKernel


@singledispatch
def left_out(owner: Any) -> frozenset[str]:  # noqa: ARG001
    """The names of attributes that are not written."""
    return frozenset()


@left_out.register
def _(owner: AutoKernel) -> frozenset[str]:  # noqa: ARG001
    """Every trial, with its scores of held-out rows; the leaderboard is kept."""
    return frozenset({"trials_"})


@dataclass(frozen=True)
class NotStored:
    """Stands for something that a file without code cannot hold, or was not asked to; prediction does not need it.

    A user's profile function has done its work once the frequencies are drawn. Whoever fits again gives it again.
    """

    what: str
    remedy: str

    def _sentence(self) -> str:
        state = vars(self)  # empty while a copy is being made
        return f"{state.get('what')} is not in the model file that this model was loaded from: {state.get('remedy')}."

    def __call__(self, *arguments: Any, **keywords: Any) -> NoReturn:
        raise TypeError(self._sentence())

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(self._sentence())

    def __repr__(self) -> str:
        return f"<{vars(self).get('what')}: not stored>"
