"""Why this model, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..blocks.encoding import TableEncoder
from ..kernels import Projected
from .families import Additive, Binning, Exact, Fourier, Nystroem, Polynomial
from .stack import Stack
from .trial import Trial

MEANING = {
    Fourier.name: "the target changes smoothly along the columns",
    Exact.name: "rows tell about their neighbourhoods what no small number of features or landmarks keeps",
    Nystroem.name: "the target changes at different speeds in different places, smoothly or not",
    Binning.name: "the target has steps and kinks along single columns",
    Additive.name: "columns count one by one, and small numbers in them differ more than large ones",
    Polynomial.name: "the target is made of products of columns",
}
IGNORED = 30.0  # a column whose scale is so many times the smallest hardly counts


def explanation(trials: Sequence[Trial], best: Trial, stack: Stack, encoder: TableEncoder, seconds: float) -> str:
    """A few sentences."""
    candidate = best.candidate
    lines = [
        f"{len(trials)} models were tried. The best is {candidate.label}, with the {candidate.loss} loss: "
        f"a score of {best.score:.4f} on held-out rows (from {best.n_rows} rows at width {best.width})."
    ]
    rivals = [t for t in trials if t.rung == best.rung and t.candidate.family != candidate.family]
    earlier = [t for t in trials if t.candidate.family != candidate.family]
    if rivals:
        rival = min(rivals, key=lambda trial: trial.loss)
        lines.append(f"The best other kind of map was {rival.candidate.label} with {rival.score:.4f} on the same rows.")
    elif earlier:
        rival = min(earlier, key=lambda trial: trial.loss)
        same = [t for t in trials if t.rung == rival.rung and t.candidate.family == candidate.family]
        against = f" against {max(t.score for t in same):.4f}" if same else ""
        lines.append(
            f"Other kinds of maps fell behind on {rival.n_rows} rows already: {rival.candidate.label} had "
            f"{rival.score:.4f}{against}."
        )
    won = "the exact kernel" if candidate.family == Exact() else f"{candidate.family.name} features"
    lines.append(f"That {won} won suggests that {MEANING[candidate.family.name]}.")
    lines += _columns(candidate.kernel, encoder)
    if len(stack.trials) > 1:
        others = ", ".join(f"{w:.2f} x {t.candidate.label}" for w, t in zip(stack.weights, stack.trials))
        lines.append(f"Together they were better on held-out rows than the best alone, so the final model is {others}.")
    else:
        lines.append(f"Its regularisation is {best.alpha:.3g}.")
    lines.append(f"The final fit on all rows took {seconds:.1f} s.")
    return " ".join(lines)


def _columns(kernel: Any, encoder: TableEncoder) -> list[str]:
    if isinstance(kernel, Projected):
        scales = 1.0 / np.maximum(np.linalg.norm(kernel.matrix, axis=0), np.finfo(float).tiny)
    else:
        scales = kernel.get_params().get("length_scale")
    if scales is None or np.ndim(scales) == 0 or not np.isfinite(scales).any():
        return []
    names = encoder.get_feature_names_out()
    order = np.argsort(scales, kind="stable")
    if scales[order[0]] == scales[order[-1]] or len(order) < 2:
        return []
    shown = ", ".join(str(names[i]) for i in order[: min(5, len(order))])
    ignored = int((scales > IGNORED * scales[order[0]]).sum())
    sentence = f"The columns that matter most, by their length scales, are {shown}"
    return [f"{sentence}; {ignored} of {len(order)} hardly count." if ignored else f"{sentence}."]
