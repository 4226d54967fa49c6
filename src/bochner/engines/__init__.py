"""Who makes the pass: serial, threads, Dask."""

from .base import Engine
from .local import SerialEngine, ThreadEngine

__all__ = ["Engine", "SerialEngine", "ThreadEngine"]
