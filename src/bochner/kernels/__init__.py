"""What is approximated: each kernel knows its own mathematics (frequencies, pitches, coefficients)."""

from .base import Kernel, Product, Scaled, Sum
from .binning import BinningKernel
from .cauchy import Cauchy
from .gaussian import Gaussian
from .laplace import Laplace
from .matern import Matern
from .profile import ProductProfile, RadialProfile, ShiftInvariant
from .rational_quadratic import RationalQuadratic
from .shift_invariant import ProductFormKernel, RadialKernel, ShiftInvariantKernel, ShiftInvariantProduct

__all__ = [
    "Kernel",
    "Sum",
    "Scaled",
    "Product",
    "ShiftInvariantKernel",
    "RadialKernel",
    "ProductFormKernel",
    "ShiftInvariantProduct",
    "BinningKernel",
    "Gaussian",
    "Laplace",
    "Cauchy",
    "Matern",
    "RationalQuadratic",
    "ShiftInvariant",
    "ProductProfile",
    "RadialProfile",
]
