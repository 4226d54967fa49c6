"""The maps of dot products beside what they are made of and what scikit-learn offers: time and peak memory.

Promises (ratios in one run): MaclaurinFeatures at d = 54, D = 1024 within 3 times the bare matrix products;
TensorSketch at least 5 times faster than PolynomialCountSketch, dense and sparse, with a tenth of its memory.

Memory is given twice: the peak with the result, which is what a caller needs room for (in float64 the result alone is
about an eighth of the peer's peak at degree 2, so no map of that width could be at a tenth), and the peak beyond the
result, which is what the map itself takes.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.kernel_approximation import PolynomialCountSketch

import bochner as bo
from bochner.maps.features import ConcatenatedFeatures
from bochner.maps.products import ProductFunction

from .measure import interleaved

ROWS, COLUMNS, WIDTH = 20_000, 54, 1024
REPEATS = 9


def best(*tasks: Callable[[], Any], repeats: int = REPEATS) -> list[float]:
    """Least wall time of each task, taken in turns so that a busy moment hits all alike."""
    return list(interleaved({str(place): task for place, task in enumerate(tasks)}, repeats).values())


def peak_megabytes(task: Callable[[], Any]) -> tuple[float, float]:
    """Peak of what numpy allocates during a task: with its result, and beyond it."""
    tracemalloc.start()
    result = task()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6, (peak - result.nbytes) / 1e6


def random_part(features: Any) -> ProductFunction:
    """The products among the features of a Maclaurin map."""
    while not isinstance(features, ProductFunction):
        features = features.parts[-1] if isinstance(features, ConcatenatedFeatures) else features.inner
    return features


def bare_products(X: np.ndarray, matrices: list[np.ndarray]) -> None:
    """What a Maclaurin map cannot do without."""
    for matrix in matrices:
        X @ matrix


def maclaurin() -> None:
    """Transform against the bare products of the rows with the same matrices."""
    print(f"MaclaurinFeatures, {ROWS} x {COLUMNS} -> {WIDTH}")
    print(f"{'kernel':<38}{'projection':<12}{'dtype':<9}{'columns':>8}{'products':>11}{'transform':>11}{'ratio':>7}")
    kernels = [bo.ExponentialDot("norm"), bo.Polynomial(3, scale="norm")]
    for dtype in (np.float32, np.float64):
        X = np.random.default_rng(0).normal(size=(ROWS, COLUMNS)).astype(dtype)
        for kernel in kernels:
            for projection in ("rademacher", "complex"):
                fitted = bo.MaclaurinFeatures(kernel, WIDTH, projection=projection, random_state=0).fit(X)
                matrices = [matrix for matrix, _ in random_part(fitted.features_).batches]
                fitted.transform(X)
                bare, ours = best(partial(bare_products, X, matrices), partial(fitted.transform, X))
                columns = sum(matrix.shape[1] for matrix in matrices)
                print(
                    f"{kernel!r:<38}{projection:<12}{np.dtype(dtype).name:<9}{columns:>8}"
                    f"{1e3 * bare:>8.1f} ms{1e3 * ours:>8.1f} ms{ours / bare:>7.2f}"
                )


def tensor_sketch() -> None:
    """Transform against scikit-learn's PolynomialCountSketch: dense rows, and sparse ones of 2 per cent."""
    rng = np.random.default_rng(0)
    print(f"\nTensorSketch, {ROWS // 2} rows -> {WIDTH}, degree 2 and 3, offset 1")
    print(f"{'rows':<10}{'degree':>7} {'dtype':<9}{'ours':>11}{'sklearn':>12}{'faster':>8}", end="")
    print(f"{'memory':>12}{'sklearn':>10}{'of':>6}{'beyond result':>16}{'sklearn':>10}{'of':>7}")
    for dtype in (np.float32, np.float64):
        dense = rng.normal(size=(ROWS // 2, COLUMNS)).astype(dtype) / 8
        sparse = sp.random_array((ROWS // 2, 1000), density=0.02, rng=rng, format="csr").astype(dtype)
        for name, X in (("dense", dense), ("sparse", sparse)):
            for degree in (2, 3):
                ours = bo.TensorSketch(bo.Polynomial(degree), WIDTH, random_state=0).fit(X)
                peer = PolynomialCountSketch(degree=degree, coef0=1, n_components=WIDTH, random_state=0).fit(X)
                ours.transform(X)
                tasks = partial(ours.transform, X), partial(peer.transform, X)
                fast, slow = best(*tasks, repeats=3)
                (small, own), (large, others) = map(peak_megabytes, tasks)
                print(
                    f"{name:<10}{degree:>7} {np.dtype(dtype).name:<9}{1e3 * fast:>8.1f} ms{1e3 * slow:>9.1f} ms"
                    f"{slow / fast:>8.1f}{small:>9.0f} MB{large:>7.0f} MB{small / large:>6.2f}"
                    f"{own:>13.1f} MB{others:>7.0f} MB{own / others:>7.3f}"
                )


def run() -> None:
    """Print both tables."""
    maclaurin()
    tensor_sketch()


if __name__ == "__main__":
    run()
