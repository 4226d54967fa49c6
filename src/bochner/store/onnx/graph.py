"""A graph under construction: constants and operations by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

Array = np.ndarray

OPSET = 15  # of 2021
IR_VERSION = 8
LARGEST_FILE = 2**31 - 2**20  # bytes: what one protocol buffer can hold


def onnx_package() -> Any:
    """The package onnx, or one sentence that names the extra."""
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise ImportError("bo.to_onnx needs the package onnx: install bochner[onnx].") from error
    return onnx


class Graph:
    """Operations on tables whose first axis is rows; every method returns the name of its result."""

    def __init__(self, n_columns: int, dtype: np.dtype) -> None:
        self.onnx = onnx_package()
        self.dtype = dtype
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.outputs: list[Any] = []
        self.rows = "X"
        self.inputs = [self._described("X", dtype, [None, n_columns])]
        self._bytes = 0

    def constant(self, value: Any, dtype: Any = None) -> str:
        """An array, by default in the precision of the model."""
        array = np.ascontiguousarray(value, dtype=self.dtype if dtype is None else dtype)
        self._bytes += array.nbytes
        if self._bytes > LARGEST_FILE:
            raise ValueError("The model is too large for one ONNX file of 2 GB: use fewer components.")
        name = f"constant{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(array.reshape(np.shape(value)), name))
        return name

    def apply(self, operation: str, *inputs: str, **attributes: Any) -> str:
        """One operation of ONNX with one result."""
        name = f"{operation.lower()}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operation, list(inputs), [name], **attributes))
        return name

    def affine(self, table: str, matrix: Array, offset: Array | None = None) -> str:
        """Table @ matrix + offset."""
        product = self.apply("MatMul", table, self.constant(matrix))
        return product if offset is None else self.apply("Add", product, self.constant(offset))

    def times(self, table: str, factor: Any) -> str:
        """The table times a number, or times one number for each column."""
        return self.apply("Mul", table, self.constant(factor))

    def columns(self, table: str, start: int, stop: int) -> str:
        """Columns start, ..., stop - 1."""
        edges = [self.constant([edge], np.int64) for edge in (start, stop, 1)]
        return self.apply("Slice", table, *edges)

    def beside(self, tables: Sequence[str]) -> str:
        """Tables side by side."""
        return tables[0] if len(tables) == 1 else self.apply("Concat", *tables, axis=1)

    def constant_columns(self, values: Array) -> str:
        """The same values in every row."""
        n_rows = self.apply("Gather", self.apply("Shape", self.rows), self.constant([0], np.int64), axis=0)
        shape = self.apply("Concat", n_rows, self.constant([len(values)], np.int64), axis=0)
        return self.apply("Expand", self.constant(values), shape)

    def cast(self, table: str, dtype: Any) -> str:
        """The table in another type."""
        return self.apply("Cast", table, to=self._code(np.dtype(dtype)))

    @contextmanager
    def in_double(self) -> Iterator[None]:
        """Constants in double precision while kernels are evaluated."""
        before, self.dtype = self.dtype, np.dtype(np.float64)
        try:
            yield
        finally:
            self.dtype = before

    def vector(self, table: str) -> str:
        """A table of one column as a vector."""
        return self.apply("Reshape", table, self.constant([-1], np.int64))

    def output(self, name: str, result: str, dtype: np.dtype, width: int | None) -> None:
        """Declare a result under a public name; width None for a vector."""
        self.nodes.append(self.onnx.helper.make_node("Identity", [result], [name]))
        self.outputs.append(self._described(name, dtype, [None] if width is None else [None, width]))

    def model(self, description: str) -> Any:
        """The finished, checked model."""
        helper = self.onnx.helper
        graph = helper.make_graph(self.nodes, "bochner", self.inputs, self.outputs, self.constants)
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(graph, opset_imports=[opset], producer_name="bochner", doc_string=description)
        model.ir_version = IR_VERSION
        self.onnx.checker.check_model(model, full_check=True)
        return model

    def _code(self, dtype: np.dtype) -> int:
        text = dtype.kind in "UO"
        return self.onnx.TensorProto.STRING if text else self.onnx.helper.np_dtype_to_tensor_dtype(dtype)

    def _described(self, name: str, dtype: np.dtype, shape: list[int | None]) -> Any:
        named: list[Any] = ["rows" if size is None else int(size) for size in shape]
        return self.onnx.helper.make_tensor_value_info(name, self._code(np.dtype(dtype)), named)
