"""Data sets of the papers: one file a set, read from a folder, from the cache, or from its public home."""

from .catalogue import DataSets, data_sets, load
from .dataset import DataSet, Split
from .files import DataFile, DataMissing

__all__ = ["DataSets", "data_sets", "load", "DataSet", "Split", "DataFile", "DataMissing"]
