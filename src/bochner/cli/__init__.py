"""The command ``bochner``: the library for those who would rather not write Python."""

from .main import main

__all__ = ["main"]
