"""Rows in svmlight / libsvm files: sparse, streamed."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np

from .base import Array, Block, DelegatingBlocks
from .forward import StretchBlocks
from .lines import LineRules, TextStretch, text_stretches
from .paths import file_marks, local_files


def parsed(text: io.BytesIO, **options: Any) -> tuple[Any, Any]:
    """Scikit-learn's parser, loaded when first needed: its module is slow to import."""
    from sklearn.datasets import load_svmlight_file

    return load_svmlight_file(text, **options)


RULES = LineRules(quotes=False, comments=True)
NOT_WHOLE = re.compile(rb"^[ \t]*[^#\s]*[.eEnN]", re.MULTILINE)  # a target such as 1.5, 1e3, nan or inf


@dataclass
class SvmlightParse:
    """Whole lines to a block with a CSR matrix."""

    n_features: int | None
    zero_based: bool
    dtype: Any
    whole: bool = True  # all targets are written as integers, as far as was looked

    def __call__(self, text: bytes) -> Block:
        X, y = parsed(io.BytesIO(text), n_features=self.n_features, zero_based=self.zero_based, dtype=self.dtype)
        return Block(X, y.astype(np.int64) if self.whole else y)

    def look(self, text: bytes) -> None:
        """See whether all targets in these lines are written as integers."""
        self.whole = self.whole and NOT_WHOLE.search(text) is None


class _Width:
    """Finds the smallest and the largest column while a file is scanned, and looks at its targets."""

    def __init__(self, parse: SvmlightParse) -> None:
        self.parse = parse
        self.smallest = np.iinfo(np.int64).max
        self.largest = -1

    def __call__(self, text: bytes) -> None:
        self.parse.look(text)
        X, _ = parsed(io.BytesIO(text), zero_based=True)
        if X.nnz:
            self.smallest = min(self.smallest, int(X.indices.min()))
            self.largest = max(self.largest, int(X.indices.max()))


class SvmlightBlocks(DelegatingBlocks):
    """Files in the svmlight format (plain, .gz or .bz2) as a source of sparse blocks.

    Targets that are written as integers in all lines come as integers.

    Parameters
    ----------
    path : path or list of paths
        A file, a folder, a glob or a list.
    n_features : int, default=None
        Number of columns. None: found in a first pass that reads everything.
    zero_based : bool or "auto", default="auto"
        Whether columns are counted from 0. "auto" looks for a column 0 in all files, in the same first pass.
    dtype : float64 (default) or float32
    block_rows : int, default=4096
    """

    def __init__(
        self,
        path: Any,
        *,
        n_features: int | None = None,
        zero_based: bool | str = "auto",
        dtype: Any = np.float64,
        block_rows: int = 4096,
    ) -> None:
        files = local_files(path, (".svmlight", ".libsvm", ".svm", ".txt", ".gz", ".bz2"))
        parse = SvmlightParse(n_features, False, np.dtype(dtype))
        seen = _Width(parse)
        stretches: list[TextStretch] = []
        for file in files:
            look = seen if n_features is None or zero_based == "auto" else parse.look
            stretches += text_stretches(file, 0, RULES, parse, look)
        parse.zero_based = seen.smallest == 0 if zero_based == "auto" else bool(zero_based)
        if n_features is None:
            parse.n_features = seen.largest + (1 if parse.zero_based else 0)
        if not parse.n_features:
            raise ValueError(f"Cannot use {files[0]}: no row has an entry, so that there are no columns.")
        identity = partial(file_marks, files)
        super().__init__(StretchBlocks(stretches, identity, parse.n_features, block_rows))

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        rows = [" ".join(f"{j}:{value!r}" for j, value in enumerate(row, 1)) for row in X.tolist()]
        (folder / "rows.svm").write_text("".join(f"{target!r} {row}\n" for target, row in zip(y.tolist(), rows)))
        return [cls(folder / "rows.svm")]
