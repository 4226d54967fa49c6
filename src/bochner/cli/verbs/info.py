"""What is in a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..data import listed
from ..models import columns_of, described, loaded
from ..options import Session, examples, session
from ..output import put_figures

SHOWN = ("alpha_", "C_", "held_out_error_", "noise_", "amplitude_", "n_iter_")


@click.command(epilog=examples("bochner info houses.model"))
@click.argument("model")
@session
def info(model: str, session: Session) -> None:
    """What is in a model file."""
    fitted = loaded(model)
    found: dict[str, Any] = {"model": type(fitted).__name__, "file, MB": Path(model).stat().st_size / 1e6}
    features, search = getattr(fitted, "features_", None), getattr(fitted, "best_estimator_", None)
    if search is not None:
        found |= {"found": fitted.explain(), "score": float(fitted.best_score_)}
    elif features is not None:
        found |= {"feature map": repr(fitted.feature_map_), "features": features.n_components}
    else:
        put_figures(found | {"fitted": "no"}, session)
        return
    names = columns_of(fitted)
    found["columns"] = fitted.n_features_in_ if names is None else listed(names, 30)
    if fitted.encoder_ is not None:
        found["as read"] = described(fitted)
    if hasattr(fitted, "classes_"):
        found["classes"] = listed([str(one) for one in fitted.classes_], 30)
    found |= {name.rstrip("_").replace("_", " "): getattr(fitted, name) for name in SHOWN if hasattr(fitted, name)}
    put_figures(found, session)
