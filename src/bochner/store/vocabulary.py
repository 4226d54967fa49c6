"""The closed list of classes that a model file may name: concrete classes of this library, and nothing else."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from sklearn.base import BaseEstimator

from ..auto.base import AutoKernel
from ..auto.leaderboard import Leaderboard
from ..engines import SerialEngine, ThreadEngine
from ..kernels import Kernel
from ..kernels.changed_rows import Change
from ..learners.base import KernelMachine
from ..learners.calibration import Sigmoids
from ..learners.combined import CombinedMachine
from ..learners.log_tail import LogTail
from ..learners.pca import Components
from ..maps import FeatureMap, Features
from ..maps.factor_laws import Activation, Factor
from ..maps.grids import Coder, Grids
from ..maps.projections import Projection
from ..maps.scalars import ScalarColumns
from ..solvers import AveragedSgd, RidgeSolution
from ..solvers.evidence import EvidenceSpectrum, Posterior
from ..statistics import Moments, RowSample, SampledMoments
from ..tables import TableEncoder
from ..tables.column_codes import ColumnCode
from .format import ModelFileError

ROOTS = (FeatureMap, KernelMachine, CombinedMachine, AutoKernel)
BASES = (*ROOTS, Kernel, Change, Features, Projection, Coder, Activation, ScalarColumns, ColumnCode)
# Single classes. Engines that hold a folder or a connection are left out: a file must not choose where to write.
PLAIN = (
    SerialEngine,
    ThreadEngine,
    Moments,
    RowSample,
    SampledMoments,
    TableEncoder,
    Factor,
    Grids,
    RidgeSolution,
    EvidenceSpectrum,
    Posterior,
    Components,
    AveragedSgd,
    Sigmoids,
    LogTail,
    Leaderboard,
)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")


def classes() -> dict[str, type]:
    """Class names of the library that may stand in a file, with their classes."""
    found: dict[str, type] = {cls.__name__: cls for base in BASES for cls in _below(base)}
    found.update({cls.__name__: cls for cls in PLAIN})
    return found


def is_ours(cls: type) -> bool:
    """Whether a class may stand in a file."""
    return classes().get(cls.__name__) is cls


def _below(base: Any) -> Iterator[type]:
    for cls in base.__subclasses__():
        if cls.__module__.startswith("bochner.") and not inspect.isabstract(cls):
            yield cls
        yield from _below(cls)


@cache
def parameters(cls: type) -> frozenset[str]:
    """Names of the constructor's arguments."""
    named = inspect.signature(cls).parameters.items()
    return frozenset(name for name, one in named if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD))


@cache
def _declared(cls: type) -> frozenset[str]:
    return frozenset(field.name for field in fields(cls)) if is_dataclass(cls) else frozenset()


def checked_name(cls: type, name: object) -> str:
    """The name of an attribute that an instance may have: never one that would hide a method or a property."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name.startswith("__"):
        raise ModelFileError(f"{cls.__name__} cannot have an attribute named {str(name)[:50]!r}")
    if name in parameters(cls) or name in _declared(cls):
        return name
    if issubclass(cls, BaseEstimator) and not (name.startswith("_") or name.endswith("_")):
        raise ModelFileError(f"{cls.__name__} has no parameter named {name!r}")
    given = next((vars(base)[name] for base in cls.__mro__ if name in vars(base)), None)
    if not (given is None or isinstance(given, bool | int | float | str)):  # a method, a property, a class
        raise ModelFileError(f"{cls.__name__} cannot have its {name} replaced by a file")
    return name
