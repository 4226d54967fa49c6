"""Kernel values at landmarks as operations of ONNX, and Nystroem features made of them."""
# ruff: noqa: ARG001  (some cases of a dispatched function need less than others)

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import scipy.sparse as sp

from ...kernels import (
    Gaussian,
    Kernel,
    Matern,
    PoweredExponential,
    Product,
    RadialKernel,
    RationalQuadratic,
    Scaled,
    SoftTails,
    Sum,
)
from ...kernels.shift_invariant import ShiftInvariantProduct
from ...maps.nystroem import KernelValues, NystroemFunction
from .graph import Array, Graph
from .maps import changed, features_of, squared_norms
from .reasons import not_offered


@features_of.register
def _(features: NystroemFunction, graph: Graph, rows: str) -> str:
    """In double precision, as the kernels themselves are."""
    with graph.in_double():
        product = graph.affine(at_landmarks(features, graph, rows), features.weights.astype(np.float64))
    return graph.cast(product, graph.dtype)


@features_of.register
def _(features: KernelValues, graph: Graph, rows: str) -> str:
    with graph.in_double():
        values = at_landmarks(features, graph, rows)
    return graph.cast(values, graph.dtype)


def at_landmarks(features: NystroemFunction | KernelValues, graph: Graph, rows: str) -> str:
    """Kernel values of the rows and all landmarks."""
    landmarks = features.landmarks
    dense = np.asarray(landmarks.toarray() if sp.issparse(landmarks) else landmarks, dtype=np.float64)
    return kernel_values(features.kernel, graph, graph.cast(rows, np.float64), dense)


@singledispatch
def kernel_values(kernel: Any, graph: Graph, rows: str, landmarks: Array) -> str:
    """Kernel of every row and every landmark."""
    raise not_offered(kernel)


@kernel_values.register
def _(kernel: SoftTails, graph: Graph, rows: str, landmarks: Array) -> str:
    change = kernel.change()
    return kernel_values(kernel.kernel, graph, changed(change, graph, rows), change(landmarks))


@kernel_values.register
def _(kernel: Sum, graph: Graph, rows: str, landmarks: Array) -> str:
    return graph.apply("Add", *both(kernel, graph, rows, landmarks))


@kernel_values.register(Product)
@kernel_values.register(ShiftInvariantProduct)
def _(kernel: Any, graph: Graph, rows: str, landmarks: Array) -> str:
    return graph.apply("Mul", *both(kernel, graph, rows, landmarks))


def both(kernel: Any, graph: Graph, rows: str, landmarks: Array) -> list[str]:
    """Values of the two kernels of which this one is made."""
    return [kernel_values(part, graph, rows, landmarks) for part in (kernel.left, kernel.right)]


@kernel_values.register
def _(kernel: Scaled, graph: Graph, rows: str, landmarks: Array) -> str:
    return graph.times(kernel_values(kernel.kernel, graph, rows, landmarks), kernel.weight)


@kernel_values.register
def _(kernel: RadialKernel, graph: Graph, rows: str, landmarks: Array) -> str:
    """From an origin near the landmarks, as the kernels themselves are evaluated."""
    scaling = kernel.split(landmarks.shape[1])[0].around(landmarks)
    scaled, centres = changed(scaling, graph, rows), scaling(landmarks)
    cross = graph.affine(scaled, -2.0 * centres.T, np.square(centres).sum(axis=1))
    squares = graph.apply("Add", cross, squared_norms(graph, scaled))
    return radial_profile(kernel, graph, graph.apply("Max", squares, graph.constant(0.0)))


@singledispatch
def radial_profile(kernel: Kernel, graph: Graph, squares: str) -> str:
    """The profile as a function of squared scaled distances."""
    raise not_offered(kernel)


@radial_profile.register
def _(kernel: Gaussian, graph: Graph, squares: str) -> str:
    return graph.apply("Exp", graph.times(squares, -0.5))


@radial_profile.register
def _(kernel: RationalQuadratic, graph: Graph, squares: str) -> str:
    base = graph.apply("Add", graph.times(squares, 0.5 / kernel.alpha), graph.constant(1.0))
    return graph.apply("Pow", base, graph.constant(-float(kernel.alpha)))


@radial_profile.register
def _(kernel: PoweredExponential, graph: Graph, squares: str) -> str:
    power = graph.apply("Pow", squares, graph.constant(0.5 * kernel.checked_exponent()))
    return graph.apply("Exp", graph.apply("Neg", power))


@radial_profile.register
def _(kernel: Matern, graph: Graph, squares: str) -> str:
    if np.isinf(kernel.nu):
        return radial_profile(Gaussian(), graph, squares)
    polynomials = {0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0 / 3.0, 1.0, 1.0)}
    if kernel.nu not in polynomials:
        raise ValueError(
            f"Nystroem features of Matern(nu={kernel.nu}) cannot be exported: ONNX has no Bessel functions."
        )
    s = graph.apply("Sqrt", graph.times(squares, 2.0 * kernel.nu))
    return graph.apply("Mul", polynomial(graph, s, polynomials[kernel.nu]), graph.apply("Exp", graph.apply("Neg", s)))


def polynomial(graph: Graph, table: str, coefficients: tuple[float, ...]) -> str:
    """A polynomial of every entry, coefficients from the highest power down (Horner)."""
    value = graph.constant(coefficients[0])
    for coefficient in coefficients[1:]:
        value = graph.apply("Add", graph.apply("Mul", value, table), graph.constant(coefficient))
    return value
