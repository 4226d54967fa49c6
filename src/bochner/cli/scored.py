"""How well a model does on rows whose targets are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from .data import Files, NamedColumns, SvmlightData
from .models import rows_for
from .problems import DataProblem, using

Array = np.ndarray

MOST_ROWS = 40_000  # twice what a page looks at


def figures(model: Any, data: Files, target: str | None) -> dict[str, float]:
    """Of regression R2 and errors; of classification the share of right labels, and what probabilities say."""
    from sklearn.base import is_classifier

    known, predicted, probable = [], [], []
    for X, y in _with_targets(model, data, target):
        with using(data.words):
            known.append(y)
            predicted.append(model.predict(X))
            if hasattr(model, "predict_proba"):  # whether there are probabilities may depend on a parameter
                probable.append(model.predict_proba(X))
    if not known:
        raise DataProblem(f"{data.words} has no rows.")
    y, found = np.concatenate(known), np.concatenate(predicted)
    if not is_classifier(model):
        return {"rows": len(y)} | _of_numbers(y, found)
    return {"rows": len(y)} | _of_labels(model.classes_, y, found, np.concatenate(probable) if probable else None)


def some_rows(model: Any, data: Files, target: str | None, seed: int) -> tuple[Any, Array]:
    """Rows of the data with their targets, at most some tens of thousands, each as likely as the others."""
    if not isinstance(data, NamedColumns):
        raise DataProblem(f"{data.words} has no names of columns, which a page needs: give CSV or Parquet.")
    rng, share = np.random.default_rng(seed), 1.0
    kept: list[tuple[Any, Array]] = []
    for X, y in _with_targets(model, data, target):
        kept.append(_thinned(X, y, share, rng))
        while sum(len(one) for _, one in kept) > MOST_ROWS:
            share /= 2.0
            kept = [_thinned(rows, targets, 0.5, rng) for rows, targets in kept]
    if not kept:
        raise DataProblem(f"{data.words} has no rows.")
    return _stacked([X for X, _ in kept]), np.concatenate([y for _, y in kept])


def _thinned(X: Any, y: Array, share: float, rng: np.random.Generator) -> tuple[Any, Array]:
    if share == 1.0:
        return X, y
    mask = rng.random(len(y)) < share
    return X[mask] if isinstance(X, np.ndarray) else X.filter(mask), y[mask]


def _stacked(parts: list[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    import pyarrow as pa

    return pa.concat_tables(parts)


def _of_numbers(y: Array, predicted: Array) -> dict[str, float]:
    error = predicted.reshape(y.shape) - y
    spread = float(np.sum((y - y.mean()) ** 2))
    return {
        "R2": 1.0 - float(np.sum(error**2)) / spread if spread > 0 else float("nan"),
        "root mean squared error": float(np.sqrt(np.mean(error**2))),
        "mean absolute error": float(np.mean(np.abs(error))),
    }


def _of_labels(classes: Array, y: Array, predicted: Array, probabilities: Array | None) -> dict[str, float]:
    from sklearn.metrics import balanced_accuracy_score, log_loss, roc_auc_score

    found = {
        "accuracy": float(np.mean(predicted == y)),
        "balanced accuracy": float(balanced_accuracy_score(y, predicted)),
    }
    if probabilities is not None and np.isin(y, classes).all():
        found["log loss"] = float(log_loss(y, probabilities, labels=classes))
        if len(classes) == 2 and len(np.unique(y)) == 2:
            found["area under the ROC curve"] = float(roc_auc_score(y == classes[1], probabilities[:, 1]))
    return found


def _with_targets(model: Any, data: Files, target: str | None) -> Any:
    classes = getattr(model, "classes_", None)
    if isinstance(data, SvmlightData):
        for block in data.source(n_features=model.n_features_in_):
            yield block.X, np.asarray(block.y)
    elif isinstance(data, NamedColumns):
        if target is None:
            raise DataProblem(f"Say which column of {data.words} holds the target: --target COL.")
        for X, kept in rows_for(model, data, [target], as_text=False):
            yield X, _as_fitted(kept.column(0), classes, target, data.words)


def _as_fitted(column: Any, classes: Array | None, name: str, words: str) -> Array:
    """Targets in the type that the model was fitted on."""
    if column.null_count:
        raise DataProblem(f"{name!r} has missing values in {words}: only rows with a target can be scored.")
    values = np.array(column.to_pylist())
    if classes is None:
        if values.dtype.kind not in "biuf":
            raise DataProblem(f"{name!r} holds words such as {values[0]!r} in {words}, but the model predicts numbers.")
        return values.astype(float)
    if classes.dtype.kind in "US":
        return values.astype(str)
    if values.dtype.kind not in "biuf":
        raise DataProblem(
            f"{name!r} holds words such as {values[0]!r} in {words}, but the model predicts {classes[0]!r} and so on."
        )
    return values
