"""Butterflies and transpositions on whole vector registers, written out for LLVM.

A tile holds `lanes` rows of the data side by side: element i of all of them fills one vector register, and
the transforms become arithmetic on registers. The automatic vectoriser cannot do it: it would have to prove,
for each pair of registers, that they do not overlap in memory. Here the registers are named in LLVM's own
language, which it lowers to whatever the processor has.

Tiles are flat arrays; row i of a tile is the memory from ``i * lanes`` to ``(i + 1) * lanes``.
"""
# ruff: noqa: ARG001  (numba takes the arguments of an intrinsic from its signature)

from collections.abc import Callable, Iterator
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

REGISTER_BYTES = 32


def _lanes(array: Any) -> int:
    return REGISTER_BYTES // (array.dtype.bitwidth // 8)


class _Rows:
    """An array seen as memory from which registers are loaded and to which they are stored."""

    def __init__(self, context: Any, builder: Any, array: Any, value: Any) -> None:
        self._builder = builder
        self._itemsize = array.dtype.bitwidth // 8
        self._data = context.make_array(array)(context, builder, value=value).data
        self._register = ir.VectorType(context.get_data_type(array.dtype), _lanes(array))

    def _address(self, element: Any) -> Any:
        pointer = self._builder.gep(self._data, [element])
        return self._builder.bitcast(pointer, self._register.as_pointer())

    def load(self, element: Any) -> Any:
        return self._builder.load(self._address(element), align=self._itemsize)

    def store(self, register: Any, element: Any) -> None:
        self._builder.store(register, self._address(element), align=self._itemsize)

    def splat(self, element: Any) -> Any:
        """One element, copied into every lane."""
        scalar = self._builder.load(self._builder.gep(self._data, [element]))
        empty = ir.Constant(self._register, ir.Undefined)
        single = self._builder.insert_element(empty, scalar, ir.IntType(32)(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), self._register.count), [0] * self._register.count)
        return self._builder.shuffle_vector(single, empty, mask)


def _elements(builder: Any, first: Any, step: Any, count: int) -> Iterator[Any]:
    for k in range(count):
        yield builder.add(first, builder.mul(step, ir.Constant(first.type, k)))


def _hadamard(builder: Any, registers: list[Any]) -> list[Any]:
    """Unnormalised Walsh-Hadamard transform across a list of registers."""
    registers, half = list(registers), 1
    while half < len(registers):
        for k in range(len(registers)):
            if not k & half:
                first, second = registers[k], registers[k + half]
                registers[k], registers[k + half] = builder.fadd(first, second), builder.fsub(first, second)
        half *= 2
    return registers


def _transposed(builder: Any, registers: list[Any]) -> list[Any]:
    """Transpose a square of registers, one bit of the index at a time (Eklundh)."""
    registers, count, bit = list(registers), len(registers), 1
    mask = ir.VectorType(ir.IntType(32), count)
    while bit < count:
        low = ir.Constant(mask, [j if not j & bit else count + j - bit for j in range(count)])
        high = ir.Constant(mask, [j + bit if not j & bit else count + j for j in range(count)])
        for k in range(count):
            if not k & bit:
                first, second = registers[k], registers[k + bit]
                registers[k] = builder.shuffle_vector(first, second, low)
                registers[k + bit] = builder.shuffle_vector(first, second, high)
        bit *= 2
    return registers


def _butterfly(radix: int) -> Callable[..., None]:
    @intrinsic
    def butterfly(typing: Any, tile: Any, row: Any, step: Any) -> Any:
        """Transform the `radix` rows row, row + step, ... of the tile among themselves, in place."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            rows = _Rows(context, builder, tile, arguments[0])
            width = ir.Constant(arguments[1].type, _lanes(tile))
            first, distance = builder.mul(arguments[1], width), builder.mul(arguments[2], width)
            elements = list(_elements(builder, first, distance, radix))
            for register, element in zip(_hadamard(builder, [rows.load(e) for e in elements]), elements):
                rows.store(register, element)
            return context.get_dummy_value()

        return types.void(tile, types.intp, types.intp), code

    return butterfly


def _weighted_butterfly(radix: int) -> Callable[..., None]:
    @intrinsic
    def butterfly(typing: Any, source: Any, weights: Any, target: Any, row: Any, step: Any) -> Any:
        """Transform rows of the source, each times its weight, into the same rows of the target."""

        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            inputs = _Rows(context, builder, source, arguments[0])
            factors = _Rows(context, builder, weights, arguments[1])
            outputs = _Rows(context, builder, target, arguments[2])
            width = ir.Constant(arguments[3].type, _lanes(source))
            rows = list(_elements(builder, arguments[3], arguments[4], radix))
            elements = [builder.mul(index, width) for index in rows]
            products = [builder.fmul(inputs.load(e), factors.splat(i)) for e, i in zip(elements, rows)]
            for register, element in zip(_hadamard(builder, products), elements):
                outputs.store(register, element)
            return context.get_dummy_value()

        return types.void(source, weights, target, types.intp, types.intp), code

    return butterfly


butterfly_2, butterfly_4 = _butterfly(2), _butterfly(4)
butterfly_8, butterfly_16 = _butterfly(8), _butterfly(16)
weighted_butterfly_2, weighted_butterfly_4 = _weighted_butterfly(2), _weighted_butterfly(4)
weighted_butterfly_8 = _weighted_butterfly(8)


def _transpose(
    typing: Any,
    source: Any,
    start: Any,
    step: Any,
    weights: Any,
    column: Any,
    target: Any,
    to: Any,
    to_step: Any,
) -> Any:
    """Copy a square of lanes x lanes elements, transposed, times one weight per column of the target.

    The rows of the square lie `step` apart in the source, `to_step` apart in the target.
    """

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        inputs = _Rows(context, builder, source, arguments[0])
        factor = _Rows(context, builder, weights, arguments[3]).load(arguments[4])
        outputs = _Rows(context, builder, target, arguments[5])
        count = _lanes(source)
        square = [inputs.load(element) for element in _elements(builder, arguments[1], arguments[2], count)]
        places = _elements(builder, arguments[6], arguments[7], count)
        for register, element in zip(_transposed(builder, square), places):
            outputs.store(builder.fmul(register, factor), element)
        return context.get_dummy_value()

    index = types.intp
    return types.void(source, index, index, weights, index, target, index, index), code


def _copy_row(typing: Any, source: Any, row: Any, target: Any, to: Any) -> Any:
    """Copy one row of a tile to another."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        width = ir.Constant(arguments[1].type, _lanes(source))
        register = _Rows(context, builder, source, arguments[0]).load(builder.mul(arguments[1], width))
        _Rows(context, builder, target, arguments[2]).store(register, builder.mul(arguments[3], width))
        return context.get_dummy_value()

    return types.void(source, types.intp, target, types.intp), code


transpose: Callable[..., None] = intrinsic(_transpose)
copy_row: Callable[..., None] = intrinsic(_copy_row)
