"""What cannot be exported, each class with its reason; everything else has a function."""

from __future__ import annotations

from typing import Any

from ...kernels import ArcCosine, Cosine, GeneralProfile, Homogeneous, ProductProfile, RadialProfile, Spectral
from ...kernels.composed_frequencies import GeneralComposition, RadialComposition
from ...maps import TransformerFeatures
from ...maps.binned import BinningFunction
from ...maps.fourier import ComplexFourierFunction

OF_THE_USER = "its values are a function of the user's, which ONNX does not have"
NOT_OFFERED: dict[type, str] = {
    BinningFunction: (
        "binning features hash bins in arithmetic modulo 2^32, which ONNX does not have; use bo.save, or a Fourier map"
    ),
    ComplexFourierFunction: "ONNX has no complex numbers; use embedding='paired'",
    TransformerFeatures: "only the feature maps of bochner can, not transformers of other libraries",
    ArcCosine: "landmarks of this kernel take its angles, which are not written as a graph; use MaclaurinFeatures",
    Cosine: "landmarks of this kernel take directions of rows, which are not written as a graph",
    GeneralProfile: OF_THE_USER,
    ProductProfile: OF_THE_USER,
    Homogeneous: OF_THE_USER,
    GeneralComposition: "give the bo.Composed that it was made of, which can",
    RadialComposition: "give the bo.Composed that it was made of, which can",
    RadialProfile: OF_THE_USER,
    Spectral: OF_THE_USER,
}


def not_offered(item: Any) -> ValueError:
    """One sentence about what cannot be exported."""
    reason = NOT_OFFERED.get(type(item), "its operations are not among those of ONNX")
    return ValueError(f"{type(item).__name__} cannot be exported: {reason}.")
