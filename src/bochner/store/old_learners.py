"""Learners and engines as files of earlier formats hold them, brought up to date by their attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..blocks.memory import DEFAULT_MEMORY
from ..engines import SerialEngine, ThreadEngine
from ..learners.base import KernelMachine

State = dict[str, Any]


def _of_engine(state: State) -> State:
    return {"memory": DEFAULT_MEMORY} | state


def _of_learner(state: State) -> State:
    """Threads, memory and progress were parameters of learners, and are those of engines."""
    defaults: State = {"n_jobs": None, "memory": DEFAULT_MEMORY, "progress": False}
    given: State = {name: state.get(name, default) for name, default in defaults.items()}
    rest = {name: value for name, value in state.items() if name not in defaults}
    engine: Any = rest.get("engine")
    if type(engine) is ThreadEngine:
        given |= {"n_jobs": engine.n_jobs, "progress": engine.progress}
    if type(engine) is SerialEngine:
        rest["engine"] = SerialEngine(given["memory"], engine.progress)
    elif given != defaults:
        rest["engine"] = ThreadEngine(**given)
    return rest


def _change_of(cls: type) -> Callable[[State], State] | None:
    if issubclass(cls, KernelMachine):
        return _of_learner
    return _of_engine if issubclass(cls, SerialEngine | ThreadEngine) else None


def brought_up(cls: type, state: State) -> State:
    """The attributes of an object of a format before 3 as they are today."""
    change = _change_of(cls)
    return state if change is None else change(state)
