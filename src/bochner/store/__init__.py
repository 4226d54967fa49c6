"""Model files and export: arrays and JSON, never code."""

from .format import ModelFileError
from .load import load
from .onnx import to_onnx
from .save import save

__all__ = ["ModelFileError", "load", "save", "to_onnx"]
