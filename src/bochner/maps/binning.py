"""Random binning features (Rahimi and Recht 2007), hashed to a fixed width or with an exact vocabulary."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..blocks.validation import validated
from ..compute.bins import fill_entries
from ..compute.threads import over_row_chunks
from ..kernels import BinningKernel, Kernel, Laplace
from .base import checked_count
from .binned import BinningFunction
from .codes import as_csr
from .features import Array
from .grids import Coder, Grids, HashedBins, Vocabulary, column_ranges
from .kernel_map import KernelMap, shared_out

MOST_BINS = 1 << 16  # a table of float32 coefficients of 256 KB: it stays in the L2 cache, and a code takes two bytes
TRIAL_GRIDS = 8
PITCHES = {"stratified": BinningKernel.stratified_pitches, "iid": BinningKernel.sample_pitches}
CHUNK = 4096  # rows per thread task of transform


class BinningFeatures(KernelMap):
    """Random binning features: E z(x)'z(y) = k(x - y) for kernels that are mixtures of hats (Laplace and others).

    Each of P = ``n_grids`` grids has a random pitch for every column, from the kernel's pitch law p(δ) = δ k''(δ), and
    a uniform random shift. Two rows share a bin of a grid with probability k(x - y); z(x) has one entry 1/sqrt(P) for
    each grid, in the column of its bin. So z(x)'z(y) is a mean of P Bernoulli variables, with variance k(1 - k)/P.

    The bins that occur are without number, so they are hashed to M per grid, and different bins collide with
    probability 1/M. "plain": E z(x)'z(y) = k + (1 - k)/M. "signed": each bin has a random sign, unbiased, with
    variance [k + (1 - k)/M - k²]/P. "exact": a column for every bin seen in fit, no collisions, rows in bins never
    seen have no entry in that grid.

    Parameters
    ----------
    kernel : BinningKernel, default=None
        A kernel with a pitch law, or sums and scalings of such. None: Laplace with one length scale per column, the
        column's standard deviation times the median distance of standardised rows. Columns of infinite length scale
        are ignored.
    n_grids : int, default=64
    n_components : int, default=None
        Output columns, M = n_components / n_grids for each grid (fewer grids are drawn where there are not as many
        columns). None: a power of two of at least four times the
        bins that the rows seen in fit occupy, at most 65536, whose coefficients fit the L2 cache.
    hashing : {"signed", "plain", "exact"}, default="signed"
        For learners with an intercept "plain" is as good as "signed" and faster.
    pitches : {"stratified", "iid"}, default="stratified"
        "iid": independent grids, with the variances above. "stratified": for each column, one pitch from each of P
        equally likely intervals, in random order; unbiased, and the variance is never more than P/(P - 1) times that.
    eps : float in (0, 1), default=None
        A tolerance in place of ``n_grids``: the root mean square error of z(x)'z(y) over random pairs of different
        rows, relative to the mean of k(x, x), measured in fit. The width grows until it is met.
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its length scales as numbers.
    features_ : BinningFunction
        The frozen function from rows to features. Its ``design`` is a ``CodesDesign``: two bytes for each grid.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> features = bo.BinningFeatures(bo.Laplace(4.0), n_grids=2000, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(abs((Z @ Z.T).toarray() - bo.Laplace(4.0)(X)).max() < 0.07)
    True
    """

    folds_columns: ClassVar[bool] = True
    offers: ClassVar[str] = "a kernel with a pitch law (Laplace, StretchedExponential, Reciprocal, convex profiles)"
    width: ClassVar[str] = "n_grids"

    def __init__(
        self,
        kernel: Kernel | None = None,
        n_grids: int = 64,
        n_components: int | None = None,
        *,
        hashing: Literal["signed", "plain", "exact"] = "signed",
        pitches: Literal["stratified", "iid"] = "stratified",
        eps: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_grids = n_grids
        self.n_components = n_components
        self.hashing = hashing
        self.pitches = pitches
        self.eps = eps
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(n_grids=20, n_components=400),
            cls(n_grids=20, n_components=400, pitches="iid"),
            cls(n_grids=20, n_components=400, hashing="plain", pitches="iid"),
            cls(n_grids=20, hashing="exact", pitches="iid"),
        ]

    @property
    def sample_rows(self) -> int | None:
        """A vocabulary is made from all rows that can be had."""
        return None if self.hashing == "exact" else super().sample_rows

    def draws(self, kernel: Kernel) -> bool:
        return isinstance(kernel, BinningKernel) and kernel.has_pitches

    def refusal(self, kernel: Kernel, whole: Kernel | None = None) -> str:
        if isinstance(kernel, BinningKernel):
            return (
                f"The profile of this {type(kernel).__name__} has no pitch law: it is not convex and decreasing in the "
                "distance, as random binning needs; for this kernel use FourierFeatures."
            )
        return super().refusal(kernel, whole)

    def _default_kernel(self) -> Kernel:
        return Laplace("auto")

    def _n_draws(self) -> int:
        """What terms of a sum share are the grids."""
        n_grids = checked_count(self.n_grids, "n_grids")
        if self.hashing not in ("signed", "plain", "exact"):
            raise ValueError(f"hashing must be 'signed', 'plain' or 'exact', not {self.hashing!r}.")
        if self.pitches not in PITCHES:
            raise ValueError(f"pitches must be 'stratified' or 'iid', not {self.pitches!r}.")
        if self.n_components is not None:
            if self.hashing == "exact":
                raise ValueError("n_components must be None where hashing='exact': the vocabulary sets the width.")
            return min(n_grids, checked_count(self.n_components, "n_components"))
        return n_grids

    def draw(self, kernel: BinningKernel, rows: Any, n_components: int, rng: np.random.Generator) -> BinningFunction:
        """Draw ``n_components`` grids for this kernel."""
        pitches = PITCHES[self.pitches](kernel, rows.shape[1], n_components, rng)
        grids = Grids(pitches, *column_ranges(rows), rng)
        coder: Coder
        if self.hashing == "exact":
            coder = Vocabulary.of_rows(rows, grids, grids.rehashed(rng))
        else:
            coder = HashedBins(grids, self._sizes(grids, rows), self.hashing == "signed")
        scales = np.full(n_components, n_components**-0.5)
        return BinningFunction([coder], scales, rows.shape[1], rows.dtype)

    def _sizes(self, grids: Grids, rows: Any) -> Array:
        """Bins of each grid: equal shares of n_components, or as many as the rows and the cache suggest."""
        if self.n_components is None:
            return np.full(grids.n_grids, default_bins(grids, rows))
        per_grid = self.n_components / self._n_draws()
        return np.array(shared_out(round(per_grid * grids.n_grids), np.ones(grids.n_grids)))

    def transform(self, X: Any) -> sp.csr_matrix:
        """Map rows to features.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)

        Returns
        -------
        Z : CSR matrix of shape (n_rows, n_components), of the dtype of the data seen in fit
        """
        check_is_fitted(self, "features_")
        features = self.features_
        if not isinstance(features, BinningFunction):  # of changed rows
            return super().transform(X)
        X = validated(self, X, accept_sparse="csr", dtype=features.dtype, order="C", reset=False)
        n_rows, n_grids = X.shape[0], len(features.scales)
        index = np.int32 if max(n_rows * n_grids, features.n_components) < 2**31 else np.int64
        indices, data = np.empty((n_rows, n_grids), index), np.empty((n_rows, n_grids), features.dtype)
        scales = features.scales.astype(features.dtype)

        def fill(start: int, stop: int) -> None:
            codes = features.codes(X[start:stop])
            fill_entries(codes, features.edges, scales, features.mode, indices[start:stop], data[start:stop])

        over_row_chunks(fill, n_rows, CHUNK, self.n_jobs)
        return as_csr(indices, data, features.n_components, features.mode)


def default_bins(grids: Grids, rows: Any) -> int:
    """A power of two of at least four times the bins that these rows occupy in the fullest of some grids."""
    some = grids.first(min(TRIAL_GRIDS, grids.n_grids))
    hashes = some.codes(rows, np.full(some.n_grids, 2**32), np.dtype(np.uint32))
    occupied = max(len(np.unique(row)) for row in hashes)
    return int(min(MOST_BINS, 1 << (4 * occupied - 1).bit_length()))
