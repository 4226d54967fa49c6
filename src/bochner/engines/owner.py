"""To whom a checkpoint belongs: one version of the library, one learner, one set of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from ..blocks import Part
from ..blocks.tree import Report

Array = np.ndarray


@dataclass(frozen=True)
class Owner:
    """Digests of a learner's parameters and of the rows of a pass, and the folder where its states are."""

    folder: str
    learner: str
    rows: str

    @property
    def array(self) -> Array:
        """As it is saved."""
        return np.array([version("bochner"), self.learner, self.rows])

    def refuse_others(self, found: Array) -> None:
        """Raise an error that says what is another's."""
        same_version, same_learner, same_rows = (found == self.array).tolist()
        if not same_version:
            raise ValueError(
                f"The checkpoint in {self.folder} was made by bochner {found[0]}, but this is {self.array[0]}: "
                "go on with that version, give another folder, or delete it."
            )
        if not same_learner:
            raise ValueError(
                f"The checkpoint in {self.folder} was made by another learner or with other parameters: "
                "give another folder, or delete it."
            )
        if not same_rows:
            raise self.of_other_rows("a file that was changed since has other rows")

    def refuse_changed(self, taken_in: Sequence[int], parts: Sequence[Part], done: Report) -> None:
        """Read the rows of parts again and raise an error where they are not what was taken in."""
        if len(taken_in) != len(parts):
            raise self.of_other_rows(f"a lane of {len(taken_in)} blocks has {len(parts)} now")
        for mark, part in zip(taken_in, parts):
            if part.mark() != mark:
                raise self.of_other_rows(f"{part.place()} changed since they were taken in")
            done(0)  # whoever waits for an end may end here

    def of_other_rows(self, reason: str) -> ValueError:
        """The error for rows that are not those of the checkpoint."""
        return ValueError(
            f"The checkpoint in {self.folder} was made from other rows ({reason}): "
            "bring the old ones back, give another folder, or delete it."
        )
