"""What error to expect: exact variances, bounds, and the width that a tolerance needs. Pure functions of kernels.

Throughout, ``n_components`` (D) counts real output columns: a paired frequency gives two of them, a shifted one gives
one. Statements of the literature in terms of frequencies are converted here. ``eps`` is an absolute error of kernel
values, ``delta`` a probability of failure, ``difference`` a vector x - y. All of it is for independent frequencies
unless ``directions`` says otherwise; orthogonal ones do better at the distances that matter.
"""

from .binning import binning_mean, binning_variance, stratification_gain
from .components import components_needed
from .diameter import enclosing_diameter
from .downstream import mmd_perturbation, ridge_perturbation, svm_perturbation
from .expected import concentration_bound, expected_max_error
from .holder import fractional_moment
from .l2 import l2_concentration, l2_error
from .maclaurin import (
    composed_variance,
    geometric_degrees,
    maclaurin_components_needed,
    maclaurin_variance,
    optimal_degrees,
    proportional_degrees,
    truncation_bias,
)
from .moments import projection_moments
from .orthogonal import fixed_norm_mean, orthogonal_covariance, orthogonal_variance
from .pointwise import pointwise_bound
from .supremum import variance_supremum
from .tensor_sketch import tensor_sketch_variance
from .uniform import beta, beta_prime, uniform_bound
from .variance import better_embedding, flip_distance, frequency_variance, variance

__all__ = [
    "variance",
    "frequency_variance",
    "better_embedding",
    "flip_distance",
    "variance_supremum",
    "orthogonal_covariance",
    "orthogonal_variance",
    "fixed_norm_mean",
    "binning_mean",
    "binning_variance",
    "stratification_gain",
    "projection_moments",
    "geometric_degrees",
    "proportional_degrees",
    "optimal_degrees",
    "maclaurin_variance",
    "composed_variance",
    "truncation_bias",
    "maclaurin_components_needed",
    "tensor_sketch_variance",
    "pointwise_bound",
    "uniform_bound",
    "beta",
    "beta_prime",
    "fractional_moment",
    "components_needed",
    "enclosing_diameter",
    "expected_max_error",
    "concentration_bound",
    "l2_error",
    "l2_concentration",
    "ridge_perturbation",
    "svm_perturbation",
    "mmd_perturbation",
]
