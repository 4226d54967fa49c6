"""The data sets there are: every subclass of ``DataSet`` in this package."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

from .dataset import DataSet, Split
from .files import DataMissing


@cache
def data_sets() -> dict[str, DataSet]:
    """Every data set by name."""
    for module in iter_modules([str(Path(__file__).parent)], f"{__package__}."):
        import_module(module.name)
    found = [cls() for cls in DataSet.__subclasses__() if cls.__module__.startswith(f"{__package__}.")]
    return {one.name: one for one in sorted(found, key=lambda one: one.name)}


def load(name: str, download: bool = True) -> Split:
    """The rows of a data set, with its usual split.

    They are read from the folder that the environment variable BOCHNER_DATA names, or from the user's cache folder, to
    which they are downloaded from their public home and checked.

    Parameters
    ----------
    name : str
        "adult", "adult-raw", "cod-rna", "covertype", "cpu", "ijcnn1", "nursery" or "spambase".
    download : bool, default=True
        False: what is on this machine, or an error.

    Returns
    -------
    Split

    Raises
    ------
    DataMissing
        In one sentence, with what can be done.
    """
    if name not in data_sets():
        raise ValueError(f"There is no data set {name!r}: choose from {', '.join(data_sets())}.")
    return data_sets()[name].load(download)


class DataSets:
    """What an experiment is given: data sets, in a quick run with generated rows in place of missing ones.

    Attributes
    ----------
    used : what was loaded, by the title of the set: "its own rows" or "generated rows in its place"
    """

    def __init__(self, quick: bool) -> None:
        self.quick = quick
        self.used: dict[str, str] = {}

    def load(self, name: str) -> Split:
        """The rows of a data set; a quick run downloads nothing."""
        one = data_sets()[name]
        try:
            split = one.load(download=not self.quick)
        except DataMissing:
            if not self.quick:
                raise
            split = one.stand_in()
            self.used[one.title] = "generated rows in its place"
        else:
            self.used[one.title] = "its own rows"
        return split
