"""What error to expect: exact variances, bounds, and the width that a tolerance needs. Pure functions of kernels.

Throughout, ``n_components`` (D) counts real output columns: a paired frequency gives two of them, a shifted one gives
one. Statements of the literature in terms of frequencies are converted here. ``eps`` is an absolute error of kernel
values, ``delta`` a probability of failure, ``difference`` a vector x - y. All of it is for independent frequencies
unless ``directions`` says otherwise; orthogonal ones do better at the distances that matter.
"""

from .additive import additive_error
from .binning import binning_mean, binning_variance, stratification_gain
from .binning_bound import binning_bound, grids_needed
from .components import components_needed, pointwise_table
from .covering_proof import CoveringProof, covering_proof, net_radius
from .diameter import diameter, enclosing_diameter
from .downstream import mmd_concentration, mmd_perturbation, ridge_perturbation, svm_perturbation
from .expected import concentration_bound, expected_max_error, expected_max_norm
from .factor_moments import projection_moments
from .holder import fractional_moment
from .inequalities import hoeffding, johnson_lindenstrauss, sample_path_variance
from .l2 import l2_concentration, l2_error, sampled_l2_error
from .l2_variance import l2_variance
from .maclaurin import (
    MaclaurinCost,
    composed_variance,
    geometric_degrees,
    maclaurin_cost,
    maclaurin_variance,
    optimal_degrees,
    proportional_degrees,
    truncation_bias,
)
from .nets import covering_number_bound, covering_radius, epsilon_net, packing_radius
from .orthogonal import (
    fixed_norm_mean,
    orthogonal_covariance,
    orthogonal_variance,
    pair_covariances,
    radius_variance,
)
from .pointwise import pointwise_bound
from .prediction import prediction_deviation
from .slope import lipschitz_constant, slope_moment, slope_variance
from .sphere import gegenbauer_coefficients
from .supremum import variance_supremum
from .tensor_sketch import tensor_sketch_variance
from .theorem_four import composed_components_needed, maclaurin_components_needed
from .uniform import beta, beta_prime, uniform_bound
from .variance import better_embedding, complex_variance, flip_distance, frequency_variance, variance

__all__ = [
    "variance",
    "frequency_variance",
    "complex_variance",
    "better_embedding",
    "flip_distance",
    "variance_supremum",
    "sample_path_variance",
    "orthogonal_covariance",
    "orthogonal_variance",
    "pair_covariances",
    "radius_variance",
    "fixed_norm_mean",
    "binning_mean",
    "binning_variance",
    "stratification_gain",
    "binning_bound",
    "grids_needed",
    "additive_error",
    "projection_moments",
    "geometric_degrees",
    "proportional_degrees",
    "optimal_degrees",
    "maclaurin_variance",
    "composed_variance",
    "truncation_bias",
    "maclaurin_components_needed",
    "composed_components_needed",
    "maclaurin_cost",
    "MaclaurinCost",
    "gegenbauer_coefficients",
    "tensor_sketch_variance",
    "hoeffding",
    "pointwise_bound",
    "pointwise_table",
    "uniform_bound",
    "beta",
    "beta_prime",
    "fractional_moment",
    "lipschitz_constant",
    "slope_moment",
    "slope_variance",
    "covering_number_bound",
    "net_radius",
    "covering_proof",
    "CoveringProof",
    "covering_radius",
    "packing_radius",
    "epsilon_net",
    "components_needed",
    "johnson_lindenstrauss",
    "diameter",
    "enclosing_diameter",
    "expected_max_error",
    "expected_max_norm",
    "concentration_bound",
    "l2_error",
    "sampled_l2_error",
    "l2_variance",
    "l2_concentration",
    "ridge_perturbation",
    "svm_perturbation",
    "mmd_perturbation",
    "prediction_deviation",
    "mmd_concentration",
]
