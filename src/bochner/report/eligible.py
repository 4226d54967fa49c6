"""The maps that could serve a kernel."""

from __future__ import annotations

from ..kernels import Kernel
from ..maps import (
    AdditiveFeatures,
    BinningFeatures,
    FourierFeatures,
    KernelMap,
    MaclaurinFeatures,
    NystroemFeatures,
    TensorSketch,
)
from ..maps.directions import DRAWS


def candidates(kernel: Kernel) -> dict[str, KernelMap]:
    """Every map and every kind of directions, by name; some do not serve the kernel, and say so.

    One map of each kind comes first, so that little time is spent on maps that differ most.
    """
    fourier: dict[str, KernelMap] = {
        f"FourierFeatures, {directions}": FourierFeatures(kernel, directions=directions) for directions in DRAWS
    }
    found = {name: fourier.pop(name) for name in ("FourierFeatures, orthogonal", "FourierFeatures, iid")}
    found["BinningFeatures"] = BinningFeatures(kernel)
    found["MaclaurinFeatures"] = MaclaurinFeatures(kernel, degrees="optimal")
    found["TensorSketch"] = TensorSketch(kernel)
    found["AdditiveFeatures, random"] = AdditiveFeatures(kernel, sampling="random")
    found["NystroemFeatures"] = NystroemFeatures(kernel)
    found |= fourier
    found["FourierFeatures, iid, shifted"] = FourierFeatures(kernel, embedding="shifted", directions="iid")
    found["MaclaurinFeatures, h01"] = MaclaurinFeatures(kernel, degrees="optimal", h01=True)
    return found
