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
from .powered_exponential import PoweredExponential
from .profile import ProductProfile, RadialProfile
from .rational_quadratic import RationalQuadratic
from .scalar import ScalarKernel
from .scaled_kernel import ProductFormKernel, RadialKernel, ScaledKernel
from .scaling import Columns, Metric, Scaling
from .shift_invariant import ShiftInvariantKernel, ShiftInvariantProduct
from .signature import Homogeneous
from .soft_tails import SoftTails
from .spectral import Spectral
from .vovk import Vovk

__all__ = [
    "Kernel",
    "Scaling",
    "Columns",
    "Metric",
    "Sum",
    "Scaled",
    "Product",
    "SoftTails",
    "ShiftInvariantKernel",
    "ScaledKernel",
    "RadialKernel",
    "ProductFormKernel",
    "ShiftInvariantProduct",
    "BinningKernel",
    "Gaussian",
    "Laplace",
    "Cauchy",
    "Matern",
    "RationalQuadratic",
    "PoweredExponential",
    "ConvexProductKernel",
    "StretchedExponential",
    "Reciprocal",
    "ProductProfile",
    "RadialProfile",
    "GeneralProfile",
    "Spectral",
    "ScalarKernel",
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
    "Homogeneous",
    "AdditiveChi2",
    "Intersection",
    "JensenShannon",
    "Hellinger",
]
