"""TensorSketch: polynomial kernels by products of count sketches in the Fourier domain."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.fft
import scipy.sparse as sp

from ..compute.factor_products import overflowed
from ..compute.sketches import count_sketch
from ..compute.tensor_sketches import serves, sketch_table, tensor_sketch
from ..kernels import Kernel
from ..kernels.polynomial import Polynomial
from .design import Array
from .factor_laws import as_weights
from .features import DenseFeatures
from .kernel_map import KernelMap
from .products import overflow_message

TILE_BYTES = 1 << 20  # enough rows that calls cost nothing, few enough that sketches and transforms stay in the caches


class SketchFunction(DenseFeatures):
    """z(x) = the real Fourier coordinates of TensorSketch, prod_j F C_j x', x' = [sqrt(scale) x, sqrt(offset)].

    TensorSketch is the circular convolution of the count sketches C_j x', that is F^-1 of the product of their Fourier
    transforms. F is orthogonal up to its scale, so the inverse transform changes no inner product and is left out: the
    columns are sqrt(1/D) times bin 0, sqrt(2/D) times Re and Im of the bins 1, 2, ..., and for even D sqrt(1/D) times
    bin D/2 (bins 0 and D/2 are real).
    """

    def __init__(
        self, kernel: Polynomial, buckets: Array, signs: Array, n_features_in: int, n_components: int, dtype: np.dtype
    ) -> None:
        degree, offset, scale = kernel.checked()
        self.n_features_in = n_features_in
        self.n_components = n_components
        self.dtype = dtype
        # Each factor carries its share of the scale, so that products overflow no earlier than they must.
        weights = np.full(buckets.shape[1], n_components ** (-0.5 / degree))
        weights[:n_features_in] *= np.sqrt(scale)
        weights[n_features_in:] *= np.sqrt(offset)
        self.buckets = buckets
        self.weights = as_weights(signs * weights, dtype)
        twice = np.arange(1, n_components) <= 2 * ((n_components - 1) // 2)
        self.coordinate_scales = np.where(twice, np.sqrt(2.0), 1.0).astype(dtype)

    def write(self, X: Any, out: Array) -> None:
        tile = min(X.shape[0], max(8, TILE_BYTES // (self.n_components * self.dtype.itemsize)))
        if not sp.issparse(X) and serves(self.buckets.shape[1], self.n_components):
            table = sketch_table(self.buckets, self.weights, self.n_components)
            for start in range(0, X.shape[0], tile):
                tensor_sketch(X[start : start + tile], table, out[start : start + tile])
                self._refuse_overflow(X[start : start + tile], out[start : start + tile])
            return
        sketch = np.empty((tile, self.n_components), dtype=self.dtype)
        for start in range(0, X.shape[0], tile):
            stop = min(start + tile, X.shape[0])
            self._write_tile(X[start:stop], sketch[: stop - start], out[start:stop])

    def _write_tile(self, X: Any, sketch: Array, out: Array) -> None:
        dim = self.n_features_in
        product = np.ones((), dtype=self.dtype)
        with np.errstate(over="ignore", invalid="ignore"):
            for number, (buckets, weights) in enumerate(zip(self.buckets, self.weights)):
                count_sketch(X, buckets[:dim], weights[:dim], sketch)
                if len(buckets) > dim:  # the offset is one more column, of ones
                    sketch[:, buckets[dim]] += weights[dim]
                transform = scipy.fft.rfft(sketch, axis=1)
                product = np.multiply(product, transform, out=product) if number else transform
            coordinates = product.view(self.dtype)
            out[:, 0] = coordinates[:, 0]
            np.multiply(coordinates[:, 2 : self.n_components + 1], self.coordinate_scales, out=out[:, 1:])
        self._refuse_overflow(X, out)

    def _refuse_overflow(self, X: Any, out: Array) -> None:
        if overflowed(out):
            raise ValueError(overflow_message(X, self.dtype))


class TensorSketch(KernelMap):
    """TensorSketch (Pham and Pagh 2013): E z(x)'z(y) = (offset + scale <x, y>)^degree, in O(d + D log D) a row.

    Each factor of the power is replaced by an independent count sketch; the sketch of their tensor product is the
    convolution of the sketches. With N = ||x||²||y||², P = <x,y>², q = sum_i x_i² y_i² (the offset is one more
    column), the variance is [(P+N-q)^p + (2P-q)^p - 2P^p] / D up to a term of order 1/D².

    The features are given in real Fourier coordinates: the same inner products, without an inverse transform.

    Parameters
    ----------
    kernel : Polynomial, default=None
        Or sums and scalings of polynomial kernels. None: ``Polynomial(degree=2, scale="norm")``.
    n_components : int, default=None
        Number of output columns, at least 1; None: 256, or what ``eps`` needs.
    eps : float in (0, 1), default=None
        A tolerance in place of ``n_components``: the root mean square error of z(x)'z(y) over random pairs of different
        rows, relative to the mean of k(x, x), measured in fit. The width grows until it is met.
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its parameters as numbers.
    features_ : SketchFunction
        The frozen function from rows to features.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(100, 5))
    >>> Z = bo.TensorSketch(bo.Polynomial(3), n_components=8192, random_state=0).fit_transform(X)
    >>> bool(abs(Z @ Z.T - bo.Polynomial(3)(X)).max() < 0.6)
    True
    """

    offers: ClassVar[str] = "a polynomial kernel (Polynomial)"

    def __init__(
        self,
        kernel: Kernel | None = None,
        n_components: int | None = None,
        *,
        eps: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.eps = eps
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(n_components=16), cls(n_components=17)]

    def draws(self, kernel: Kernel) -> bool:
        return isinstance(kernel, Polynomial)

    def _default_kernel(self) -> Kernel:
        return Polynomial(degree=2, scale="norm")

    def draw(self, kernel: Polynomial, rows: Any, n_components: int, rng: np.random.Generator) -> SketchFunction:
        degree, offset, _ = kernel.checked()
        shape = degree, rows.shape[1] + (offset > 0)
        buckets = rng.integers(0, n_components, size=shape)
        signs = 2.0 * rng.integers(0, 2, size=shape) - 1.0
        return SketchFunction(kernel, buckets, signs, rows.shape[1], n_components, rows.dtype)
