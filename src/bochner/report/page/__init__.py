"""A page about a model, for those who would rather look than read."""

from .whole import report_page

__all__ = ["report_page"]
