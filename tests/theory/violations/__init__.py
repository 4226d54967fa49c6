"""Simulations that could refute a bound: no observed number may be above its bound; ``effort`` multiplies draws."""

from .machines import discrepancies, ridge, support_vectors
from .other_maps import any_terms, bins, compositions, cut_series, products
from .pairs import averages, frequencies, one_pair, suprema, widths_for_a_pair
from .sets import nets, rough_kernels, slopes, small_sets, whole_sets, widths_for_a_set

FAMILIES = (
    one_pair,
    widths_for_a_pair,
    averages,
    suprema,
    frequencies,
    whole_sets,
    small_sets,
    widths_for_a_set,
    rough_kernels,
    slopes,
    nets,
    ridge,
    support_vectors,
    discrepancies,
    bins,
    products,
    cut_series,
    compositions,
    any_terms,
)
