"""Blocks of dense features: bounded memory for long sources, a share for every thread for short ones."""

import numpy as np
import pytest

import bochner as bo
from bochner.learners.ridge_rows import LEAST_BLOCK, SHARES, dense_rows


def blocks(n_rows, n_components, memory="2GB"):
    X = np.zeros((n_rows, 1))
    features = bo.FourierFeatures(bo.Gaussian(), n_components, random_state=0).fit(np.arange(4.0)[:, None]).features_
    source = dense_rows(bo.ArrayBlocks(X, memory=memory), features)
    return [part().n_rows for part in source.parts()]


@pytest.mark.parametrize("n_rows", [1, 511, 512, 1000, 4096, 5000, 40_000])
def test_short_sources_are_shared_out_and_no_row_is_lost(n_rows):
    sizes = blocks(n_rows, 16)
    assert sum(sizes) == n_rows
    assert len(sizes) == min(SHARES, -(-n_rows // LEAST_BLOCK))
    assert max(sizes) <= max(LEAST_BLOCK, -(-n_rows // SHARES))


def test_wide_features_make_short_blocks():
    narrow, wide = blocks(20_000, 64, "100MB"), blocks(20_000, 6400, "100MB")
    assert max(wide) * 6400 * 8 <= 100e6
    assert max(wide) < max(narrow) == 20_000 // SHARES
    assert sum(wide) == 20_000
