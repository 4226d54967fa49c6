"""Tables of mixed columns: encodings against their definitions, whatever the kind of table."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bochner as bo
from bochner.tables import NumberColumn, as_table
from bochner.tables.quantiles import QuantileSketch

RAW = {
    "size": [1.0, 3.0, None, 8.0, 4.0],
    "colour": ["red", "blue", None, "red", "green"],
    "count": [1, 2, 3, 4, 5],
}


def as_frames() -> list:
    objects = np.array([[RAW[name][i] for name in RAW] for i in range(5)], dtype=object)
    frame = pd.DataFrame(RAW)
    return [
        pd.DataFrame(RAW),
        frame.astype({"colour": "category", "count": "Int64"}),
        pl.DataFrame(RAW),
        pa.table(RAW),
        pa.Table.from_pandas(frame.astype({"colour": "category"})),
        RAW,
        objects,
    ]


@pytest.mark.parametrize("table", as_frames(), ids=lambda table: type(table).__module__.split(".")[0])
def test_every_kind_of_table_is_encoded_alike(table) -> None:
    encoder = bo.TableEncoder(missing="indicator").fit(table)
    size = np.array([1.0, 3.0, 4.0, 8.0, 4.0])
    count = np.arange(1.0, 6.0)
    expected = np.column_stack(
        [
            (size - 4.0) / np.sqrt(np.mean(np.square(np.array([1.0, 3.0, 8.0, 4.0]) - 4.0))),
            [0, 0, 1, 0, 0],
            [0, 1, 0, 0, 0],  # blue
            [0, 0, 0, 0, 1],  # green
            [1, 0, 0, 1, 0],  # red
            [0, 0, 1, 0, 0],  # missing
            (count - 3.0) / np.sqrt(2.0),
        ]
    )
    np.testing.assert_allclose(encoder.transform(table), expected, rtol=1e-14, atol=1e-14)
    assert len(encoder.get_feature_names_out()) == 7


def test_labels_and_columns_that_fit_did_not_see() -> None:
    encoder = bo.TableEncoder(standardise=False).fit(pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}))
    new = pd.DataFrame({"other": [0, 0], "b": [5.0, np.nan], "a": ["z", "y"]})
    np.testing.assert_array_equal(encoder.transform(new), [[0, 0, 5.0], [0, 1, 1.5]])
    with pytest.raises(ValueError, match="column 'b' is missing"):
        encoder.transform(new.drop(columns="b"))
    with pytest.raises(ValueError, match="'b' holds text"):
        encoder.transform(new.assign(b=["p", "q"]))


def test_ordinal_median_and_numbers_as_labels() -> None:
    table = {"grade": [3, 1, 3, 2], "x": [0.0, np.nan, 1.0, 10.0]}
    encoder = bo.TableEncoder(categorical="ordinal", missing="median", standardise=False, categories=["grade"])
    values = encoder.fit_transform(table)
    positions = np.array([2.0, 0.0, 2.0, 1.0])
    np.testing.assert_allclose(values[:, 0], (positions - positions.mean()) / positions.std())
    np.testing.assert_allclose(values[:, 1], [0.0, 1.0, 1.0, 10.0])


def test_units_and_groups_of_the_columns_made() -> None:
    encoder = bo.TableEncoder(missing="indicator").fit(RAW)
    spread = np.std([1.0, 3.0, 8.0, 4.0])
    np.testing.assert_allclose(encoder.units, [spread, spread, 1, 1, 1, 1, np.sqrt(2.0)], rtol=1e-14)
    assert encoder.groups.tolist() == [0, 1, 2, 2, 2, 2, 6]


def test_only_frequent_labels_are_coded() -> None:
    table = {"a": ["p"] * 5 + ["q"] * 4 + ["r"] * 3 + ["s"]}
    assert bo.TableEncoder(max_categories=2).fit(table).get_feature_names_out().tolist() == ["a_p", "a_q"]


def test_summaries_merge_to_the_whole() -> None:
    rng = np.random.default_rng(0)
    table = as_table({"x": rng.gamma(2.0, size=9000) + 1e6, "a": rng.choice(["u", "v"], size=9000)})
    encoder = bo.TableEncoder(missing="median")
    parts = []
    for rows in (slice(0, 100), slice(100, 4000), slice(4000, None)):
        summary = encoder.empty_summary(table)
        summary.update(table[rows])
        parts.append(summary)
    whole = parts[0].empty()
    for part in parts:
        copy = part.empty()
        copy.from_json(json.loads(json.dumps(part.as_json())))  # what a checkpoint does
        whole.merge(copy)
    x = table.column("x").values
    assert whole.columns[0].mean == pytest.approx(x.mean(), rel=1e-14)
    assert whole.columns[0].deviation == pytest.approx(np.square(x - x.mean()).sum(), rel=1e-11)
    labels = table.column("a").plain()
    assert whole.columns[1].counts == {label: int((labels == label).sum()) for label in "uv"}


def test_sketch_keeps_its_bound() -> None:
    rng = np.random.default_rng(0)
    values = rng.exponential(size=400_000)
    whole = QuantileSketch()
    for piece in np.array_split(values, 13):
        part = QuantileSketch()
        part.update(piece)
        whole.merge(part)
    for share in (0.1, 0.5, 0.9):
        rank = np.mean(values <= whole.quantile(share))
        assert abs(rank - share) <= 0.3 * np.log2(400_000 / 2048) / (2 * 2048)  # of the worst case: it alternates
    assert QuantileSketch().levels[0].size == 0
    assert np.isnan(QuantileSketch().quantile(0.5))


def test_encoder_goes_through_json() -> None:
    encoder = bo.TableEncoder(missing="indicator", categories=["count"]).fit(pd.DataFrame(RAW))
    again = bo.TableEncoder.from_json(json.loads(json.dumps(encoder.as_json())))
    np.testing.assert_array_equal(again.transform(RAW), encoder.transform(RAW))
    with pytest.raises(ValueError, match="kind"):
        bo.TableEncoder.from_json({**encoder.as_json(), "codes": [{"kind": "exec", "name": "x"}]})


def test_refusals_say_what_to_do() -> None:
    plain = bo.TableEncoder(categorical="refuse", missing="refuse", standardise=False)
    with pytest.raises(ValueError, match=r"'colour' holds text.*one-hot"):
        plain.fit(pd.DataFrame(RAW))
    with pytest.raises(ValueError, match=r"'size' has missing values.*missing='mean'"):
        plain.fit(pd.DataFrame(RAW)[["size"]])
    with pytest.raises(ValueError, match="missing must be one of"):
        bo.TableEncoder(missing="zero").fit(pd.DataFrame(RAW))


def test_logarithmic_tails_are_those_of_the_kernel_and_no_cell_decides_them() -> None:
    """2 asinh((x - m) / (2 s)) with the median m and s from the quartiles, whatever a single cell is."""
    rng = np.random.default_rng(0)
    x = rng.normal(3.0, 2.0, size=(999, 1))
    tamed = bo.TableEncoder(tails="logarithmic").fit(x)
    low, middle, high = np.quantile(x, [0.25, 0.5, 0.75], method="inverted_cdf")
    spread = (high - low) / 1.3489795003921634
    np.testing.assert_allclose(tamed.transform(x), 2 * np.arcsinh((x - middle) / (2 * spread)), rtol=1e-12)
    kernel = bo.SoftTails(bo.Gaussian(1.0)).resolve(x)
    np.testing.assert_allclose(tamed.transform(x), kernel.change()(x), rtol=1e-12)
    for wild in (1e4, 1e12, -1e100):
        spoiled = bo.TableEncoder(tails="logarithmic").fit(np.append(x, [[wild]], axis=0))
        assert np.abs(spoiled.transform(x) - tamed.transform(x)).max() < 0.02
        assert (np.diff(spoiled.transform(np.sort(np.append(x, [[wild]]))[:, None])[:, 0]) > 0).all()
    with pytest.raises(ValueError, match="tails must be one of"):
        bo.TableEncoder(tails="cut").fit(x)


def test_tails_of_counts_keep_zero_at_zero() -> None:
    x = np.random.default_rng(0).poisson(3.0, size=(500, 1)).astype(float)
    code = bo.TableEncoder(tails="logarithmic").fit(x).codes_[0].with_zero()
    out = np.empty((2, 1))
    code.write(NumberColumn(np.array([0.0, -5.0])), out)
    np.testing.assert_array_equal(out[:, 0], [0.0, 0.0])
