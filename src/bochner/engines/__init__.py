"""Who makes the pass: serial, threads, Dask."""

from .base import Engine
from .checkpoint import CheckpointEngine
from .local import SerialEngine, ThreadEngine

__all__ = ["CheckpointEngine", "Engine", "SerialEngine", "ThreadEngine"]
