"""How a kernel is approximated: each map draws a finite feature map for it."""

from .base import FeatureMap
from .design import DenseDesign, Design, SparseDesign
from .features import DenseFeatures, Features, TransformerFeatures
from .fourier import FourierFeatures

__all__ = [
    "FeatureMap",
    "Features",
    "DenseFeatures",
    "TransformerFeatures",
    "Design",
    "DenseDesign",
    "SparseDesign",
    "FourierFeatures",
]
