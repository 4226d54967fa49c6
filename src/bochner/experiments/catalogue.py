"""The experiments there are: every subclass of ``Experiment`` in ``bochner.experiments.papers``."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from . import papers
from .experiment import Experiment


class UnknownExperiment(ValueError):
    """There is no experiment of this name."""


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment by name, in alphabetical order.

    Examples
    --------
    >>> "covering" in experiments()
    True
    """
    for module in iter_modules(papers.__path__, f"{papers.__name__}."):
        import_module(module.name)
    found = [cls() for cls in Experiment.__subclasses__() if cls.__module__.startswith(f"{papers.__name__}.")]
    return {experiment.name: experiment for experiment in sorted(found, key=lambda one: one.name)}


def experiment(name: str) -> Experiment:
    """The experiment of this name, or one sentence with those there are."""
    try:
        return experiments()[name]
    except KeyError:
        raise UnknownExperiment(f"There is no experiment {name!r}: choose from {', '.join(experiments())}.") from None
