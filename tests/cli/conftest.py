"""Files of every format with the same rows, and the command run in this process."""

import io
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import dump_svmlight_file

from bochner.cli import main

ROWS = 240
FAST = ("--kernel", "gaussian", "--components", "64")


def frame(seed=0, n_rows=ROWS):
    """Numbers with missing values, labels, a long number that floats would round, a target, a label to predict."""
    rng = np.random.default_rng(seed)
    rows = pd.DataFrame({"id": 9_007_199_254_740_993 + np.arange(n_rows), "size": rng.normal(size=n_rows)})
    rows["height"] = rng.normal(size=n_rows)
    rows["colour"] = rng.choice(["red", "green"], n_rows)
    rows["price"] = np.sin(rows["size"]) + 0.5 * rows["height"] + (rows["colour"] == "red")
    rows["cheap"] = np.where(rows["price"] < 0.5, "yes", "no")
    rows.loc[::9, "height"] = np.nan
    return rows


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A folder with the rows in every format."""
    folder, rows = tmp_path_factory.mktemp("rows"), frame()
    for name in ("rows.csv", "rows.csv.gz", "rows.csv.bz2"):
        rows.to_csv(folder / name, index=False)
    rows.to_csv(folder / "rows.tsv", index=False, sep="\t")
    rows.to_parquet(folder / "rows.parquet")
    for part in range(3):
        rows.iloc[part::3].to_csv(folder / f"part-{part}.csv", index=False)
    X = rows[["size", "size"]].to_numpy() * [1.0, -0.5]
    np.save(folder / "rows.npy", np.column_stack([X, rows["price"]]))
    dump_svmlight_file(X, (rows["price"] > 0.5).astype(int), str(folder / "rows.svm"))
    return folder


class Ran:
    """What a run said and how it ended."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def table(self):
        """Standard output as a table."""
        return pd.read_csv(io.StringIO(self.out))


@pytest.fixture
def run(capfd, monkeypatch):
    """Run the command: ``run("fit", ..., stdin=bytes)``."""

    def ran(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        capfd.readouterr()
        code = main([str(one) for one in arguments])
        said = capfd.readouterr()
        return Ran(code, said.out, said.err)

    return ran


@pytest.fixture(scope="session")
def model(files, tmp_path_factory):
    """The path of a model of the prices."""
    path = tmp_path_factory.mktemp("model") / "prices.model"
    arguments = [
        "fit",
        files / "rows.csv",
        "--target",
        "price",
        "--drop",
        "id",
        "--drop",
        "cheap",
        "--out",
        path,
        "--quiet",
    ]
    assert main([str(one) for one in (*arguments, *FAST)]) == 0
    return path
