"""Tables of numbers, labels and missing values as plain columns of numbers, by encodings fitted in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..compute.tails import centre_and_spread
from ..undone import undone_on_failure
from .adapters import as_table
from .column_codes import ColumnCode, NumberCode, OneHotCode, OrdinalCode, code_as_json, code_from_json, missing_refused
from .summary import CategorySummary, NumberSummary, TableSummary
from .table import Array, CategoryColumn, DataTable, NumberColumn

CATEGORICAL = ("one-hot", "ordinal", "refuse")
MISSING = ("mean", "median", "indicator", "refuse")
TAILS = ("linear", "logarithmic")


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode tables of mixed columns: numbers standardised, labels coded, missing values filled.

    Takes DataFrames of pandas, polars and others, eager or lazy, Arrow tables, dicts of columns and arrays (objects
    included). Columns are found by name, in any order, others ignored; arrays go by position. What it learns is
    gathered by a mergeable summary, so that fitting streams and is the same on threads and on a cluster.

    Parameters
    ----------
    categorical : {"one-hot", "ordinal", "refuse"}, default="one-hot"
        What becomes of labels: a 0/1 column each (labels not seen in fit are all zeros), or their position in
        sorted order (labels not seen are at the mean).
    missing : {"mean", "median", "indicator", "refuse"}, default="mean"
        What becomes of missing numbers: the column's mean or (approximate) median, or the mean and a 0/1 column that
        says so. Missing labels are a label of their own in "one-hot".
    standardise : bool, default=True
        Numbers have mean 0 and standard deviation 1. Constant columns become 0.
    tails : {"linear", "logarithmic"}, default="linear"
        "logarithmic": a number becomes 2 asinh((x - m) / (2 s)) with the median m and s = (distance between the
        quartiles) / 1.349, which is (x - m) / s near the median and a logarithm far out, so that values far out, or a
        wild cell, do not decide all distances and predictions there stay tame. The same as ``bo.SoftTails``; only where
        numbers are standardised.
    categories : sequence of str, default=()
        Columns whose numbers are labels.
    max_categories : int, default=64
        Only the most frequent labels of a column are coded; the others count as not seen.

    Attributes
    ----------
    codes_ : list of ColumnCode
        The fitted encoding of each column.
    n_features_in_ : int
    dtype_ : float32 where all columns are float32, else float64

    Examples
    --------
    >>> import bochner as bo
    >>> table = {"size": [1.0, 3.0, float("nan")], "colour": ["red", "blue", "red"]}
    >>> encoder = bo.TableEncoder(standardise=False).fit(table)
    >>> encoder.transform(table)
    array([[1., 0., 1.],
           [3., 1., 0.],
           [2., 0., 1.]])
    >>> encoder.get_feature_names_out().tolist()
    ['size', 'colour_blue', 'colour_red']
    """

    def __init__(
        self,
        *,
        categorical: Literal["one-hot", "ordinal", "refuse"] = "one-hot",
        missing: Literal["mean", "median", "indicator", "refuse"] = "mean",
        standardise: bool = True,
        tails: Literal["linear", "logarithmic"] = "linear",
        categories: Sequence[str] = (),
        max_categories: int = 64,
    ) -> None:
        self.categorical = categorical
        self.missing = missing
        self.standardise = standardise
        self.tails = tails
        self.categories = categories
        self.max_categories = max_categories

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(), cls(missing="refuse", categorical="ordinal")]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the encodings of a table.

        Parameters
        ----------
        X : DataFrame, Arrow table, dict of columns or array
        y : ignored

        Returns
        -------
        self
        """
        table = checked_table(X)
        if table.n_rows == 0 or not table.names:
            raise ValueError(
                f"Found array with {table.n_rows} sample(s) and {len(table.names)} feature(s) "
                f"(shape={table.shape}) while a minimum of 1 is required."
            )
        with undone_on_failure(self):
            summary = self.empty_summary(table)
            summary.update(table)
            return self.fit_summary(summary, table)

    def empty_summary(self, example: DataTable) -> TableSummary:
        """What has to be gathered of tables like this one."""
        self._check_words()
        there = set(example.names)
        unknown = [name for name in self.categories if name not in there]
        if unknown:
            raise ValueError(f"categories names the columns {unknown}, which the table does not have.")
        found = [name for name, column in zip(example.names, example.columns) if isinstance(column, CategoryColumn)]
        if found and self.categorical == "refuse":
            raise ValueError(
                f"The column {found[0]!r} holds text: leave it out of columns=, or say how to encode it, "
                "for example encoder=bo.TableEncoder(categorical='one-hot')."
            )
        with_quantiles = self.missing == "median" or self._soft
        return TableSummary(example.names, [*found, *self.categories], with_quantiles)

    def needs_pass(self, example: DataTable) -> bool:
        """Whether fitting has to see the rows of tables like this one, or only the names and kinds of columns."""
        labels = bool(self.categories) or any(isinstance(column, CategoryColumn) for column in example.columns)
        return labels or self.standardise or self.missing != "refuse"

    def fit_summary(self, summary: TableSummary, example: DataTable) -> Self:
        """Learn the encodings from what was gathered of tables like ``example``."""
        codes: list[ColumnCode] = []
        for column in summary.columns:
            if isinstance(column, NumberSummary):
                if column.missing and self.missing == "refuse":
                    raise ValueError(missing_refused(column.name))
                codes.append(self._number_code(column))
            elif isinstance(column, CategorySummary):
                codes.append(self._category_code(column))
        plain = [column.values.dtype for column in example.columns if isinstance(column, NumberColumn)]
        narrow = len(plain) == len(example.columns) and all(dtype == np.float32 for dtype in plain)
        return self._set(codes, np.dtype(np.float32 if narrow else np.float64))

    def _set(self, codes: list[ColumnCode], dtype: np.dtype) -> Self:
        self.codes_ = codes
        self.dtype_ = dtype
        self.n_features_in_ = len(codes)
        return self

    @property
    def columns(self) -> list[str]:
        """Names of the columns that are encoded."""
        check_is_fitted(self, "codes_")
        return [code.name for code in self.codes_]

    @property
    def width(self) -> int:
        """Number of columns made."""
        check_is_fitted(self, "codes_")
        return sum(code.width for code in self.codes_)

    @property
    def units(self) -> Array:
        """What the numbers of each column made were divided by."""
        check_is_fitted(self, "codes_")
        return np.repeat([code.unit for code in self.codes_], [code.width for code in self.codes_])

    @property
    def groups(self) -> Array:
        """A number for each column made, the same for columns that are one thing, such as the labels of one column."""
        check_is_fitted(self, "codes_")
        firsts = np.cumsum([0] + [code.width for code in self.codes_])
        parts = [
            np.full(code.width, first) if code.is_one else first + np.arange(code.width)
            for code, first in zip(self.codes_, firsts)
        ]
        return np.concatenate(parts)

    def transform(self, X: Any) -> Array:
        """Encode a table: an array of shape (n_rows, columns made)."""
        check_is_fitted(self, "codes_")
        table = checked_table(X, self.columns)
        out = np.empty((table.n_rows, self.width), dtype=self.dtype_)
        stop = 0
        for code, column in zip(self.codes_, table.select([code.name for code in self.codes_]).columns):
            start, stop = stop, stop + code.width
            code.write(column, out[:, start:stop])
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the columns made."""
        check_is_fitted(self, "codes_")
        return np.array([name for code in self.codes_ for name in code.names_out], dtype=object)

    def as_json(self) -> dict[str, Any]:
        """The fitted encoder in values that JSON has: what a model file stores."""
        check_is_fitted(self, "codes_")
        parameters = {name: list(v) if isinstance(v, tuple) else v for name, v in self.get_params().items()}
        codes = [code_as_json(code) for code in self.codes_]
        return {"parameters": parameters, "codes": codes, "dtype": self.dtype_.name}

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> TableEncoder:
        """The fitted encoder that ``as_json`` gave."""
        encoder = cls(**stored["parameters"])
        return encoder._set([code_from_json(code) for code in stored["codes"]], np.dtype(stored["dtype"]))

    def _number_code(self, seen: NumberSummary) -> NumberCode:
        fill = None
        if self.missing != "refuse":
            middle = seen.sketch.quantile(0.5) if self.missing == "median" and seen.sketch else seen.mean
            fill = middle if seen.count else 0.0
        spread = float(np.sqrt(seen.deviation / seen.count)) if self.standardise and seen.count else 1.0
        centre = seen.mean if self.standardise else 0.0
        constant = spread <= 1e-12 * abs(centre)
        indicator = self.missing == "indicator" and seen.missing > 0
        soft = self._soft and not constant and seen.count > 0
        if soft and seen.sketch is not None:
            values, weights = seen.sketch.kept()
            centre, spread = (float(column[0]) for column in centre_and_spread(values[:, None], weights))
        return NumberCode(seen.name, fill, centre, 1.0 if constant else spread, indicator, soft=soft)

    @property
    def _soft(self) -> bool:
        """Whether tails are made tame, which needs quantiles."""
        return self.standardise and self.tails == "logarithmic"

    def _category_code(self, seen: CategorySummary) -> ColumnCode:
        frequent = sorted(seen.counts.items(), key=lambda item: (-item[1], *_order(item[0])))[: self.max_categories]
        labels = tuple(sorted((label for label, _ in frequent), key=_order))
        if self.categorical != "ordinal":
            return OneHotCode(seen.name, labels, seen.missing > 0)
        counts = np.array([seen.counts[label] for label in labels], dtype=np.float64)
        positions = np.arange(len(labels), dtype=np.float64)
        centre = float(positions @ counts / counts.sum()) if len(labels) else 0.0
        spread = float(np.sqrt(np.square(positions - centre) @ counts / counts.sum())) if len(labels) > 1 else 1.0
        return OrdinalCode(seen.name, labels, centre, spread if spread > 0 else 1.0)

    def _check_words(self) -> None:
        words = (self.categorical, CATEGORICAL), (self.missing, MISSING), (self.tails, TAILS)
        for name, (value, known) in zip(("categorical", "missing", "tails"), words):
            if not (isinstance(value, str) and value in known):
                raise ValueError(f"{name} must be one of {', '.join(known)}, not {value!r}.")
        if not isinstance(self.standardise, bool | np.bool_):
            raise ValueError(f"standardise must be True or False, not {self.standardise!r}.")
        if isinstance(self.max_categories, bool) or not (
            isinstance(self.max_categories, Integral) and self.max_categories >= 1
        ):
            raise ValueError(f"max_categories must be a whole number of at least 1, but it is {self.max_categories!r}.")
        if isinstance(self.categories, str) or not isinstance(self.categories, Sequence):
            raise TypeError(f"categories must be a list of names of columns, not {self.categories!r}.")

    def __sklearn_is_fitted__(self) -> bool:
        return "codes_" in self.__dict__

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        tags.input_tags.categorical = tags.input_tags.string = self.categorical != "refuse"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def checked_table(X: Any, names: Sequence[str] | None = None) -> DataTable:
    """X as a Table; sparse matrices and complex numbers are refused in one sentence."""
    if sp.issparse(X):
        raise TypeError("TableEncoder takes tables, not sparse matrices: give X.toarray() or leave the encoder out.")
    table = as_table(X, names)
    for name, column in zip(table.names, table.columns):
        if isinstance(column, NumberColumn) and column.values.dtype.kind == "f" and np.isinf(column.values).any():
            raise ValueError(f"The column {name!r} has an infinity (inf): replace it by a number or a missing value.")
    return table


def _order(label: Any) -> tuple[str, Any]:
    return ("number", label) if isinstance(label, int | float) else (type(label).__name__, label)
