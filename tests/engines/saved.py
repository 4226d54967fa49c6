"""Fits whose work is saved."""

from __future__ import annotations

from typing import Any

import bochner as bo


def saving(model: Any, folder: Any) -> Any:
    """The learner, with an engine that saves in a folder; as it is for None."""
    if folder is None:
        return model
    working = model.engine.engine if isinstance(model.engine, bo.CheckpointEngine) else model.engine
    return model.set_params(engine=bo.CheckpointEngine(folder, working))
