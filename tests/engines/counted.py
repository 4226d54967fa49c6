"""Steps that leave a trace of where and how often blocks were made; importable by workers."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from bochner.blocks import Block


@dataclass(frozen=True)
class Counted:
    """Leave a file for every block made, named after the process, and take some time."""

    folder: str
    seconds: float

    def __call__(self, block: Block) -> Block:
        Path(self.folder, f"{os.getpid()}-{uuid4().hex}").touch()
        time.sleep(self.seconds)
        return block


def made(folder: Path) -> dict[int, int]:
    """How many blocks each process made."""
    counts: dict[int, int] = {}
    for file in folder.iterdir():
        process = int(file.name.split("-")[0])
        counts[process] = counts.get(process, 0) + 1
    return counts
