"""Columns from tables of every kind: the same numbers, labels and missing values, whoever holds them."""

from __future__ import annotations

import datetime

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bochner as bo
from bochner.tables import CategoryColumn, NumberColumn, as_table, is_table
from bochner.tables.table import concatenated_tables

DAYS = [datetime.datetime(2020, 1, 1, 12, 0, 1, 500_000), datetime.datetime(1969, 12, 31, 23, 59, 59), None]
SECONDS = [1_577_880_001.5, -1.0, np.nan]
LABELS = ["b", None, "a"]

NUMBERS = {
    "pandas nullable": pd.Series([3, 1, None], dtype="Int64"),
    "pandas arrow": pd.Series([3, 1, None], dtype="int64[pyarrow]"),
    "pandas objects": pd.Series([3, 1, None], dtype=object),
    "polars": pl.Series([3, 1, None]),
    "polars decimals": pl.Series([3, 1, None]).cast(pl.Decimal(10, 2)),
    "arrow": pa.chunked_array([[3], [1, None]]),
    "list": [3, 1, None],
}
TIMES = {
    "pandas": pd.Series(DAYS),
    "pandas in a zone": pd.Series(DAYS).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
    "polars": pl.Series(DAYS),
    "polars in a zone": pl.Series(DAYS).dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo"),
    "arrow": pa.array(DAYS),
    "array": np.array(DAYS, dtype="datetime64[ms]"),
}
TEXTS = {
    "pandas": pd.Series(LABELS),
    "pandas objects": pd.Series(LABELS, dtype=object),
    "pandas text": pd.Series(LABELS, dtype="string"),
    "pandas categories": pd.Categorical(LABELS, categories=["c", "b", "a"]),
    "polars": pl.Series(LABELS),
    "polars categories": pl.Series(LABELS).cast(pl.Categorical),
    "polars enum": pl.Series(LABELS).cast(pl.Enum(["c", "b", "a"])),
    "arrow": pa.chunked_array([LABELS]),
    "arrow categories": pa.array(LABELS).dictionary_encode(),
    "list": LABELS,
}


def column(values, kind: str):
    """The column that a table of this one has."""
    if kind.startswith("pandas"):
        table = pd.DataFrame({"x": values})
    elif kind.startswith("polars"):
        table = pl.DataFrame({"x": values})
    elif kind.startswith("arrow"):
        table = pa.table({"x": values})
    else:
        table = {"x": values}
    assert is_table(table)
    found = as_table(table)
    assert (found.names, found.n_rows, len(found.columns[0])) == (("x",), 3, 3)
    return found.columns[0]


@pytest.mark.parametrize("kind", NUMBERS)
def test_numbers(kind):
    np.testing.assert_array_equal(column(NUMBERS[kind], kind).values, [3.0, 1.0, np.nan])


@pytest.mark.parametrize("kind", TIMES)
def test_times_are_seconds(kind):
    np.testing.assert_array_equal(column(TIMES[kind], kind).values, SECONDS)


@pytest.mark.parametrize("kind", TEXTS)
def test_texts(kind):
    found = column(TEXTS[kind], kind)
    assert [None if code < 0 else found.labels[code] for code in found.codes] == LABELS
    assert found.n_missing() == 1


@pytest.mark.parametrize("ordered", [False, True])
def test_numbers_that_pandas_calls_categories_are_labels(ordered):
    found = as_table(pd.DataFrame({"x": pd.Categorical([30, None, 10], ordered=ordered)})).columns[0]
    assert (found.labels, found.codes.tolist()) == ((30, 10), [0, -1, 1])


def test_dates_durations_and_truth():
    day, hour = datetime.date(1970, 1, 2), datetime.timedelta(hours=1)
    for frame in (pl.DataFrame({"d": [day], "h": [hour], "t": [True]}), pa.table({"d": [day], "t": [True]})):
        found = as_table(frame)
        assert found.column("d").values == [86400.0]
        assert found.column("t").values.dtype == bool
    assert as_table(pl.DataFrame({"h": [hour]})).columns[0].values == [3600.0]
    assert as_table(pd.DataFrame({"h": [hour]})).columns[0].values == [3600.0]
    for missing in (pd.DataFrame({"t": pd.array([True, None], dtype="boolean")}), pl.DataFrame({"t": [True, None]})):
        np.testing.assert_array_equal(as_table(missing).columns[0].values, [1.0, np.nan])


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint16, np.float32, np.float64, bool])
def test_complete_numbers_keep_their_type(kind):
    values = np.array([1, 0, 1]).astype(kind)
    tables = [pd.DataFrame({"x": values}), pl.DataFrame({"x": values}), pa.table({"x": values}), {"x": values}]
    for table in (*tables, tables[1].lazy(), values[:, None]):
        assert as_table(table).columns[0].values.dtype == kind, type(table)
    objects = as_table({"x": values.astype(object)}).columns[0].values
    assert objects.dtype == np.array(values.tolist()).dtype  # of Python's numbers
    nullable = as_table(pd.DataFrame({"x": values}).convert_dtypes(dtype_backend="numpy_nullable")).columns[0].values
    np.testing.assert_array_equal(nullable, values)
    assert nullable.dtype.kind in ("b" if kind is bool else "iu")  # convert_dtypes makes integers of whole floats


def test_lazy_frames_narwhals_and_what_speaks_arrow():
    frame = pl.DataFrame({"x": [1.5, 2.5], "a": ["u", "v"]})
    arrow = frame.to_arrow()

    class Answer:
        """Of some database."""

        def __arrow_c_stream__(self, requested_schema=None):
            return arrow.__arrow_c_stream__(requested_schema)

    encoded = bo.TableEncoder().fit_transform(frame)
    for table in (frame.lazy(), nw.from_native(frame), nw.from_native(frame.lazy()), arrow.to_batches()[0], Answer()):
        assert is_table(table)
        np.testing.assert_array_equal(bo.TableEncoder().fit_transform(table), encoded)
    assert not is_table(np.zeros((2, 2)))
    assert not is_table([[1.0]])
    for column in (frame["x"], frame.to_pandas()["x"], arrow["x"]):
        assert not is_table(column)
        with pytest.raises(ValueError, match="Expected a table with rows and columns, but this has 1 dim"):
            as_table(column)


def test_only_columns_in_use_of_a_lazy_frame_are_computed():
    frame = pl.DataFrame({"x": [1.5, 2.5], "y": [1.0, 2.0]})
    encoder = bo.TableEncoder().fit(frame[["x"]])

    def never(values):
        raise AssertionError("y was computed")

    wrong = frame.lazy().with_columns(pl.col("y").map_batches(never, return_dtype=pl.Float64))
    assert is_table(wrong)
    np.testing.assert_array_equal(encoder.transform(wrong), [[-1.0], [1.0]])
    with pytest.raises(ValueError, match="The column 'x' is missing: the table has z"):
        encoder.transform(pl.LazyFrame({"z": [1]}))


def test_columns_named_by_numbers_or_twice():
    assert as_table(pd.DataFrame(np.zeros((2, 3)))).names == ("0", "1", "2")
    with pytest.raises(ValueError, match="Two columns of the table have the same name: rename one"):
        as_table(pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"]))
    with pytest.raises(ValueError, match="The column 'b' has 2 rows but 'a' has 1: they must be equal"):
        as_table({"a": [1.0], "b": [1.0, 2.0]})
    with pytest.raises(ValueError, match="Found array with 0 sample"):
        bo.TableEncoder().fit({})


@pytest.mark.parametrize("nothing", [pd.Series([None], dtype="str"), pl.Series([None], dtype=pl.String)], ids=type)
def test_a_column_of_nothing_may_hold_numbers_or_labels(nothing):
    """What a type says of a piece without values does not decide the others."""
    empty = as_table(pd.DataFrame({"x": nothing}) if isinstance(nothing, pd.Series) else pl.DataFrame({"x": nothing}))
    numbers, labels = as_table({"x": [2, 4]}), as_table({"x": ["u", "v"]})
    np.testing.assert_array_equal(concatenated_tables([empty, numbers]).columns[0].values, [np.nan, 2.0, 4.0])
    for order in ([empty, labels], [labels, empty]):
        joined = concatenated_tables(order).columns[0]
        assert (joined.labels, joined.n_missing()) == (("u", "v"), 1)
    np.testing.assert_array_equal(bo.TableEncoder(standardise=False).fit(numbers).transform(empty), [[3.0]])
    np.testing.assert_array_equal(bo.TableEncoder().fit(labels).transform(empty), [[0.0, 0.0]])
    assert isinstance(concatenated_tables([empty, empty]).columns[0], CategoryColumn)
    source = bo.BatchBlocks([empty, labels])
    assert source.encoder.get_feature_names_out().tolist() == ["x_u", "x_v", "x_missing"]


def test_objects():
    mixed = as_table(np.array([[1, 2.5, True, "1"], [2, 3, False, 4]], dtype=object))
    assert [one.plain().dtype.kind for one in mixed.columns[:3]] == ["i", "f", "b"]
    assert mixed.columns[3].labels == ("1", 4)
    assert as_table({"x": [10**30, 1]}).columns[0].values.tolist() == [1e30, 1.0]
    for wrong in (pd.DataFrame({"x": [{}]}), pd.DataFrame({"x": pd.period_range("2020", periods=1)}), {"x": [1j]}):
        with pytest.raises(TypeError, match="A table holds numbers and strings, not "):
            as_table(wrong)
    for wrong in ({"x": [[1], [2, 3]]}, {"x": np.eye(2)}, {"x": 3.0}):
        with pytest.raises(ValueError, match="The column 'x' is not a list of numbers or strings: give each"):
            as_table(wrong)
    holed = as_table({"x": [pd.NA, pd.NaT, None, float("nan"), np.datetime64("NaT"), 2]}).columns[0]
    np.testing.assert_array_equal(holed.values, [np.nan] * 5 + [2.0])
    assert isinstance(as_table({"x": [None]}).columns[0], NumberColumn)
