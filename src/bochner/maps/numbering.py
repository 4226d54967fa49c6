"""Bins that hold rows, numbered without gaps: solvers whose vectors are as long as these do the same work in less."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..blocks import Block
from ..compute.bins import renumber
from .codes import CodesDesign
from .design import Array


@dataclass(frozen=True, eq=False)
class Numbering:
    """New numbers for the columns of coded designs that are used; the others have coefficients of 0 and are left out.

    ``used`` are the old numbers in order, ``places`` the new number of every old one within its grid, ``edges`` where
    grids begin among the new ones. It is what takes a block to one with the new numbers.
    """

    used: Array
    places: Array
    old_edges: Array
    edges: Array

    @classmethod
    def of(cls, is_used: Array, edges: Array) -> Numbering:
        """The numbering of the columns that are used, of grids between these edges."""
        places = np.zeros(len(is_used), dtype=np.uint32)
        counts = []
        for first, last in pairwise(edges):
            numbers = np.cumsum(is_used[first:last], dtype=np.uint32)
            places[first + 1 : last] = numbers[:-1]
            counts.append(int(numbers[-1]))
        return cls(np.flatnonzero(is_used), places, edges, np.concatenate([[0], np.cumsum(counts)]))

    def __call__(self, block: Block) -> Block:
        design = block.X
        codes = np.empty_like(design.codes)
        renumber(design.codes, self.old_edges, self.edges, self.places, design.mode, codes)
        made = CodesDesign(codes, self.edges, design.scales, design.mode, design.dtype, design.threads)
        return replace(block, X=made)

    def spread(self, values: Array) -> Array:
        """Rows of a table for all columns from those of the used ones."""
        out = np.zeros((len(self.places), *values.shape[1:]), dtype=values.dtype)
        out[self.used] = values
        return out
