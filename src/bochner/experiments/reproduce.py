"""Run an experiment, and write what it found into a folder."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from ..files import AnyPath, written_whole
from ..report.plots import pyplot
from . import page
from .catalogue import experiment, experiments
from .datasets import DataSets
from .experiment import Experiment, Progress, silent
from .machine import described
from .result import Result
from .style import png


@dataclass(frozen=True)
class Run:
    """One run of an experiment.

    Attributes
    ----------
    experiment, result : what was run, and what it found
    made : one line: on what machine, with which versions, seed and data, how long
    """

    experiment: Experiment
    result: Result
    made: str

    def file(self, name: str, ending: str) -> str:
        """The name of the file of a table or a picture."""
        return f"{self.experiment.name}.{name}.{ending}"

    def __str__(self) -> str:
        return f"{self.experiment.title}\n{self.experiment.source}\n\n{self.result}\n\n{self.made}"


def reproduce(
    name: str, *, quick: bool = False, out: AnyPath | None = None, force: bool = False, progress: Progress = silent
) -> Run:
    """Run an experiment by name, and write its tables, pictures and section of the page into a folder.

    Parameters
    ----------
    name : str
        One of ``experiments()``.
    quick : bool, default=False
        Seconds, with fewer draws; generated rows where a data set is not there. Otherwise a missing set is downloaded.
    out : path, default=None
        A folder, made where there is none. Files are ``name.TABLE.csv``, ``name.PICTURE.png`` and ``name.html``;
        ``index.html`` is made anew from all sections in the folder. None writes nothing and needs no matplotlib.
    force : bool, default=False
        Replace what an earlier run wrote. Otherwise it is an error, before anything is run.
    progress : callable, default=silent
        As ``tqdm``; ``bar`` shows one on standard error.

    Returns
    -------
    Run
        ``print`` it for tables and claims.

    Examples
    --------
    >>> from bochner.experiments import reproduce
    >>> run = reproduce("covering", quick=True)
    >>> run.result.holds
    True
    """
    chosen = experiment(name)
    folder = None if out is None else Path(os.fsdecode(out))
    if folder is not None:
        pyplot()  # a missing matplotlib is told before the work, not after
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(f"{folder} is a file: give a folder.")
        if not force and (there := _earlier(folder, name)):
            raise FileExistsError(f"{there[0]} exists: give another folder, or replace it with --force.")
    data, start = DataSets(quick), time.perf_counter()
    result = chosen.run(quick, data, progress)
    seconds = time.perf_counter() - start
    rows = "".join(f" {title}: {which}." for title, which in data.used.items())
    made = f"{'Quick run. ' if quick else ''}Seed {chosen.seed}, {seconds:.0f} seconds.{rows} {described()}."
    run = Run(chosen, result, made)
    if folder is not None:
        write(run, folder)
    return run


def write(run: Run, folder: Path) -> None:
    """Write the files of a run, each whole or not at all; those of an earlier run go."""
    files = {run.file(table.name, "csv"): table.csv().encode() for table in run.result.tables}
    files |= {run.file(picture.name, "csv"): picture.data.csv().encode() for picture in run.result.pictures}
    files |= {run.file(picture.name, "png"): png(picture) for picture in run.result.pictures}
    files[f"{run.experiment.name}.html"] = page.section(run).encode()
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        _write(folder / name, content)
    for file in _earlier(folder, run.experiment.name):
        if file.name not in files:
            file.unlink()
    _write(folder / page.INDEX, page.assembled(folder, experiments()).encode())


def _write(path: Path, content: bytes) -> None:
    with written_whole(path) as temporary:
        Path(temporary).write_bytes(content)


def _earlier(folder: Path, name: str) -> list[Path]:
    """Files that an earlier run of the experiment wrote there."""
    return sorted(file for file in folder.glob(f"{name}.*") if file.is_file())
