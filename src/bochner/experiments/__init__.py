"""Published results, found again: ``python -m bochner.experiments NAME [--quick] [--out FOLDER]``.

Each file of ``bochner.experiments.papers`` holds one experiment, which prints published beside measured numbers, says
which claims hold, and writes tables, pictures and a section of a web page.
"""

from .catalogue import UnknownExperiment, experiment, experiments
from .datasets import DataMissing, DataSets
from .experiment import Experiment, Progress, bar, silent
from .reproduce import Run, reproduce
from .result import Claim, Picture, Result, Table, comparison

__all__ = [
    "reproduce",
    "Run",
    "experiments",
    "experiment",
    "Experiment",
    "UnknownExperiment",
    "Result",
    "Table",
    "Picture",
    "Claim",
    "comparison",
    "DataSets",
    "DataMissing",
    "Progress",
    "bar",
    "silent",
]
