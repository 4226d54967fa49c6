"""Why this model, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ..blocks.encoding import TableEncoder
from ..kernels import Projected
from .families import Additive, Binning, Exact, Fourier, Maclaurin, Nystroem, Polynomial
from .stack import Stack
from .trial import Data, Trial

MEANING = {
    Fourier.name: "the target changes smoothly along the columns",
    Exact.name: "rows tell about their neighbourhoods what no small number of features or landmarks keeps",
    Nystroem.name: "the target changes at different speeds in different places, smoothly or not",
    Binning.name: "the target has steps and kinks along single columns",
    Additive.name: "columns count one by one, and small numbers in them differ more than large ones",
    Maclaurin.name: "the target is made of columns themselves and products of them",
    Polynomial.name: "the target is made of products of columns",
}
IGNORED = 30.0  # a column that counts so many times less than the first hardly counts
SOME_ROWS = 10_000


def explanation(
    trials: Sequence[Trial], best: Trial, stack: Stack, encoder: TableEncoder, data: Data, seconds: float
) -> str:
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
    lines += _columns(candidate.kernel, encoder, data.X[:SOME_ROWS].std(axis=0))
    if len(stack.trials) > 1:
        others = ", ".join(f"{w:.2f} x {t.candidate.label}" for w, t in zip(stack.weights, stack.trials))
        why = "Together they were better on held-out rows than the best alone"
        if not stack.better:
            why = "Others fell behind by no more than chance explains, and their mean is safer than the luckiest"
        lines.append(f"{why}, so the final model is {others}.")
    else:
        lines.append(f"Its regularisation is {best.alpha:.3g}.")
    lines.append(f"The final fit on all rows took {seconds:.1f} s.")
    return " ".join(lines)


def _columns(kernel: Any, encoder: TableEncoder, spread: np.ndarray) -> list[str]:
    """What the length scales say, each against the spread of its column; labels speak for the column they are of."""
    if isinstance(kernel, Projected):
        steepness = np.linalg.norm(kernel.matrix, axis=0)
    else:
        scales = kernel.get_params().get("length_scale")
        if scales is None or np.ndim(scales) == 0:
            return []
        steepness = 1.0 / np.asarray(scales)
    edges = np.cumsum([0] + [len(code.names_out) for code in encoder.codes_])
    counts = np.array([np.linalg.norm((spread * steepness)[start:stop]) for start, stop in pairwise(edges)])
    order = np.argsort(-counts, kind="stable")
    if len(order) < 2 or counts[order[0]] == counts[order[-1]]:
        return []
    shown = ", ".join(encoder.codes_[i].name for i in order[:5] if counts[i] > 0)
    ignored = int((IGNORED * counts < counts[order[0]]).sum())
    sentence = f"The columns that matter most, by their length scales, are {shown}"
    return [f"{sentence}; {ignored} of {len(order)} hardly count." if ignored else f"{sentence}."]
