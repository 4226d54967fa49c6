"""Who makes the pass: serial, threads, Dask."""

from .base import Engine
from .checkpoint import CheckpointEngine
from .dask_engine import DaskEngine
from .local import SerialEngine, ThreadEngine

__all__ = ["CheckpointEngine", "DaskEngine", "Engine", "SerialEngine", "ThreadEngine"]
