"""How a kernel is approximated: each map draws a finite feature map for it."""

from .additive import AdditiveFeatures
from .base import FeatureMap
from .binning import BinningFeatures
from .codes import CodesDesign
from .design import DenseDesign, Design, SparseDesign
from .features import DenseFeatures, Features, TransformerFeatures
from .fourier import FourierFeatures
from .kernel_map import KernelMap
from .layout import Layout
from .maclaurin import MaclaurinFeatures
from .nystroem import NystroemFeatures
from .tensor_sketch import TensorSketch

__all__ = [
    "FeatureMap",
    "KernelMap",
    "Features",
    "Layout",
    "DenseFeatures",
    "TransformerFeatures",
    "Design",
    "DenseDesign",
    "SparseDesign",
    "CodesDesign",
    "FourierFeatures",
    "BinningFeatures",
    "MaclaurinFeatures",
    "TensorSketch",
    "AdditiveFeatures",
    "NystroemFeatures",
]
