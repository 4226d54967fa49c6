"""Measured error beside predicted error; pictures; which map to take."""

from .error_report import ErrorReport, error_report
from .learning_gap import LearningGap, learning_gap
from .max_error import MaximumError, max_error
from .page import report_page
from .recommend import Recommendation, recommend

__all__ = [
    "ErrorReport",
    "error_report",
    "LearningGap",
    "learning_gap",
    "MaximumError",
    "max_error",
    "report_page",
    "Recommendation",
    "recommend",
]
