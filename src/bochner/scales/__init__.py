"""Length scales and metrics, learned from data."""

from .learn import learn_length_scales, learn_metric

__all__ = ["learn_length_scales", "learn_metric"]
