"""Model files and export: arrays and JSON, never code."""

from .format import ModelFileError
from .load import load
from .save import save

__all__ = ["ModelFileError", "load", "save"]
