"""Measured error beside predicted error; pictures; which map to take."""

from .error_report import ErrorReport, error_report
from .recommend import Recommendation, recommend

__all__ = ["ErrorReport", "error_report", "Recommendation", "recommend"]
