"""Export to ONNX: the model as a graph of plain array operations that any runtime can run."""

from .export import to_onnx

__all__ = ["to_onnx"]
