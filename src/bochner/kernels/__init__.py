"""What is approximated: each kernel knows its own mathematics (frequencies, pitches, coefficients)."""

from .additive import AdditiveChi2, Hellinger, Intersection, JensenShannon
from .arc_cosine import ArcCosine
from .base import Kernel, Product, Scaled, Sum
from .binning import BinningKernel
from .cauchy import Cauchy
from .composed import Composed
from .convex import ConvexProductKernel, Reciprocal, StretchedExponential
from .dot_product import DotProductKernel, DotProductProduct
from .dot_product_function import DotProduct
from .exponential_dot import ExponentialDot
from .gaussian import Gaussian
from .general import GeneralProfile
from .homogeneous import HomogeneousKernel
from .inner_product import Cosine, InnerProduct
from .laplace import Laplace
from .matern import Matern
from .polynomial import Polynomial
from .power_series import PowerSeriesKernel
from .profile import ProductProfile, RadialProfile, ShiftInvariant
from .projected import Projected
from .rational_quadratic import RationalQuadratic
from .shift_invariant import ProductFormKernel, RadialKernel, ShiftInvariantKernel, ShiftInvariantProduct
from .soft_tails import SoftTails
from .spectral import Spectral
from .vovk import Vovk

__all__ = [
    "Kernel",
    "Sum",
    "Scaled",
    "Product",
    "Projected",
    "SoftTails",
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
    "ConvexProductKernel",
    "StretchedExponential",
    "Reciprocal",
    "ProductProfile",
    "RadialProfile",
    "GeneralProfile",
    "Spectral",
    "PowerSeriesKernel",
    "DotProductKernel",
    "DotProductProduct",
    "InnerProduct",
    "Cosine",
    "Polynomial",
    "ExponentialDot",
    "Vovk",
    "ArcCosine",
    "DotProduct",
    "Composed",
    "HomogeneousKernel",
    "AdditiveChi2",
    "Intersection",
    "JensenShannon",
    "Hellinger",
]
