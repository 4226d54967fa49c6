"""Measured error beside predicted error; pictures; which map to take."""

from .error_report import ErrorReport, error_report

__all__ = ["ErrorReport", "error_report"]
