"""A fit that is killed again and again; run by test_checkpoint as a program of its own."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

import numpy as np

import bochner as bo
import bochner.engines.checkpoint as checkpoint
from bochner.blocks import Block
from tests.engines.saved import saving

N_ROWS = 24_000
ENGINE = bo.ThreadEngine(memory="4MB")


@dataclass(frozen=True)
class Slowly:
    """Take some time over each block, so that there is a moment to be killed in."""

    seconds: float

    def __call__(self, block: Block) -> Block:
        time.sleep(self.seconds)
        return block


def source(seconds: float) -> bo.ArrayBlocks:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, 3))
    return bo.ArrayBlocks(X, np.sin(X[:, 0])).mapped(Slowly(seconds))


def model() -> bo.KernelRidge:
    return bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.5), n_components=60, random_state=0), 0.01, engine=ENGINE)


if __name__ == "__main__":
    checkpoint.LEAST_SECONDS, checkpoint.SAVE_SHARE = 0.05, 1e9
    fitted = saving(model(), sys.argv[1]).fit(source(0.02))
    np.save(sys.argv[2], fitted.coef_)
