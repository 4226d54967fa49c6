"""Why this model, in plain words: nothing but what was measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..tables import TableEncoder
from .attempts import Attempts
from .shuffles import DOUBT, Cost, Costs, affordable_rows, shuffling_costs
from .stack import Stack
from .trial import Data, Trial, judged_targets, row_losses, row_weights

MOST_NAMED = 5  # columns
LITTLE = 0.02  # of a score of at most 1: columns that cost more for all that is known may count


def explanation(
    attempts: Attempts, best: Trial, stack: Stack, encoder: TableEncoder, seconds: float, rng: np.random.Generator
) -> str:
    """A few sentences."""
    candidate, failures = best.candidate, len(attempts.failures)
    tried = "1 model was" if len(attempts.trials) == 1 else f"{len(attempts.trials)} models were"
    failed = f", {failures} more failed" if failures else ""
    lines = [
        f"{tried} tried{failed}. The best is {candidate.label}, with the {candidate.loss} loss: "
        f"a score of {best.score:.4f} on held-out rows (from {best.n_rows} rows at width {best.width})."
    ]
    lines += _others(attempts.trials, best, attempts.data)
    lines.append(_columns(attempts, stack, encoder, rng))
    if len(stack.trials) > 1:
        others = ", ".join(f"{w:.2f} x {t.candidate.label}" for w, t in zip(stack.weights, stack.trials))
        why = "Together they were better on held-out rows than the best alone"
        if not stack.better:
            why = "Others fell behind by less than one standard error"
        lines.append(f"{why}, so the final model is {others}.")
    else:
        lines.append(f"Its regularisation is {best.alpha:.3g}.")
    lines.append(f"The final fit on all rows took {seconds:.1f} s.")
    return " ".join(lines)


def _others(trials: Sequence[Trial], best: Trial, data: Data) -> list[str]:
    """How far other kinds of maps were behind, on the same rows."""
    family = best.candidate.family
    others = [trial for trial in trials if trial.candidate.family != family]
    rivals = [trial for trial in others if trial.rung == best.rung] or others
    if not rivals:
        return []
    rival = min(rivals, key=lambda trial: trial.loss)
    same = [trial for trial in trials if trial.rung == rival.rung and trial.candidate.family == family]
    against = best if rival.rung == best.rung else min(same, key=lambda trial: trial.loss, default=None)
    name = f"The best other kind of map was {rival.candidate.label} with {rival.score:.4f}"
    if against is None:
        return [f"{name} from {rival.n_rows} rows."]
    lead = paired_difference(rival, against, data)
    doubt = ", which chance may explain" if abs(lead.mean) <= DOUBT * lead.error else ""
    where = "behind" if lead.mean >= 0 else "ahead"
    rows = "" if against is best else f" when both had seen {rival.n_rows} rows"
    return [f"{name}, {abs(lead.mean):.4f} ± {lead.error:.4f} {where} on the same rows{rows}{doubt}."]


def paired_difference(worse: Trial, better: Trial, data: Data) -> Cost:
    """How much more one trial takes from the score than another, and the standard error over the judged rows."""
    y = judged_targets(data)
    return Cost.of(row_losses(worse.scores, y, data) - row_losses(better.scores, y, data), row_weights(y, data))


def _columns(attempts: Attempts, stack: Stack, encoder: TableEncoder, rng: np.random.Generator) -> str:
    """What shuffling columns costs, as far as the time left allows it."""
    data, clock = attempts.data, attempts.clock
    n_fitted = affordable_rows(stack, attempts)
    if not n_fitted:
        return "No time was left to measure which columns matter."

    def has_time(seconds: float) -> bool:
        return clock.left() > seconds

    try:
        costs = shuffling_costs(stack, data, attempts.task, encoder, n_fitted, rng, has_time)
    except Exception as error:  # of any kind: the model is there
        return f"Which columns matter could not be measured, because of {type(error).__name__}: {error}"
    if costs is None:
        return "Too few rows were held out to measure which columns matter."
    return columns_in_words(costs, [code.name for code in encoder.codes_], data.measure)


def columns_in_words(costs: Costs, names: Sequence[str], score: str) -> str:
    """Which columns the score needs, which it does not, and how sure that is."""
    start = (
        f"Columns were shuffled among {costs.n_rows} held-out rows, for models like the final one fitted on "
        f"{costs.n_fitted} rows."
    )
    measured = "" if costs.n_measured == len(names) else f" of the {costs.n_measured} shuffled one by one"
    if costs.dear:
        shown = ", ".join(f"{names[cost.columns[0]]} ({_amount(cost)})" for cost in costs.dear[:MOST_NAMED])
        more = f" and {len(costs.dear) - MOST_NAMED} more" if len(costs.dear) > MOST_NAMED else ""
        words = f"Most {score}{measured} is lost with {shown}{more}"
    else:
        words = f"No column{measured} loses {score} beyond noise by itself"
    if costs.others is None:
        return f"{start} {words}."
    others, count = costs.others, len(costs.others.columns)
    which = (f"the other {count}" if costs.dear else f"all {count}") + " together"
    if others.mean > DOUBT * others.error:
        return f"{start} {words}; {which} lose {_amount(others)}."
    sure = " and hardly count" if others.mean + DOUBT * others.error < LITTLE else ""
    return f"{start} {words}; {which} lose nothing beyond noise ({_amount(others)}){sure}."


def _amount(cost: Cost) -> str:
    return f"{cost.mean:.4f} ± {cost.error:.4f}"
