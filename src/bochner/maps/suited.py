"""The map that suits a kernel: what a kernel stands for where a map is expected."""

from __future__ import annotations

from typing import Any

from ..kernels import Kernel, ShiftInvariantKernel
from ..kernels.names import named
from .additive import AdditiveFeatures
from .fourier import FourierFeatures
from .kernel_map import KernelMap
from .maclaurin import MaclaurinFeatures
from .nystroem import NystroemFeatures

NO_MAP = "feature_map must be a bochner kernel or feature map, or a scikit-learn transformer, not {}."


def suited(given: Any, n_components: int) -> Any:
    """A map or transformer as it is; for a kernel the map that suits it, of this width.

    Fourier features for shift-invariant kernels, Maclaurin features for power series of inner products, explicit ones
    for additive kernels, each also for sums of such; landmarks for all others, as for rows with soft tails.

    Examples
    --------
    >>> import bochner as bo
    >>> type(suited(bo.Gaussian() + bo.Laplace(), 100)).__name__, type(suited(bo.Polynomial(2), 100)).__name__
    ('FourierFeatures', 'MaclaurinFeatures')
    """
    if isinstance(given, Kernel):
        return suited_map(given, n_components)
    if isinstance(given, type) or not callable(getattr(given, "transform", None)):
        raise TypeError(NO_MAP.format(named(given)))
    return given


def suited_map(kernel: Kernel, n_components: int) -> KernelMap:
    """The map that suits a kernel."""
    if all(isinstance(term, ShiftInvariantKernel) for _, term in kernel.terms()):
        return FourierFeatures(kernel, n_components)
    drawn = MaclaurinFeatures(kernel, n_components, degrees="optimal")
    explicit = AdditiveFeatures(kernel)
    return next((one for one in (drawn, explicit) if one.serves(kernel)), NystroemFeatures(kernel, n_components))
