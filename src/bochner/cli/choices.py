"""Names on the command line, and what they stand for in the library."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click


@dataclass(frozen=True)
class KernelName:
    """A kernel by its name: the class, whether it has a length scale, the map that suits it, and its arguments."""

    of: str
    scaled: bool
    suits: str
    arguments: tuple[tuple[str, Any], ...] = ()


KERNELS = {
    "gaussian": KernelName("Gaussian", True, "fourier"),
    "laplace": KernelName("Laplace", True, "fourier"),
    "cauchy": KernelName("Cauchy", True, "fourier"),
    "matern": KernelName("Matern", True, "fourier", (("nu", 2.5),)),
    "matern-1/2": KernelName("Matern", True, "fourier", (("nu", 0.5),)),
    "matern-3/2": KernelName("Matern", True, "fourier", (("nu", 1.5),)),
    "matern-5/2": KernelName("Matern", True, "fourier", (("nu", 2.5),)),
    "rational-quadratic": KernelName("RationalQuadratic", True, "fourier"),
    "powered-exponential": KernelName("PoweredExponential", True, "fourier"),
    "reciprocal": KernelName("Reciprocal", True, "binning"),
    "polynomial": KernelName("Polynomial", False, "maclaurin", (("scale", "norm"),)),
    "exponential": KernelName("ExponentialDot", False, "maclaurin", (("sigma", "norm"),)),
    "arc-cosine": KernelName("ArcCosine", False, "nystroem"),
    "chi2": KernelName("AdditiveChi2", False, "additive"),
    "intersection": KernelName("Intersection", False, "additive"),
    "jensen-shannon": KernelName("JensenShannon", False, "additive"),
    "hellinger": KernelName("Hellinger", False, "additive"),
}
MAPS = {
    "fourier": "FourierFeatures",
    "binning": "BinningFeatures",
    "nystroem": "NystroemFeatures",
    "maclaurin": "MaclaurinFeatures",
    "tensor-sketch": "TensorSketch",
    "additive": "AdditiveFeatures",
}
WIDTHS = {
    "BinningFeatures": "n_grids",
    "AdditiveFeatures": "order",
}  # what a width is called where it is not a number of features
TOLERANT = ("FourierFeatures", "BinningFeatures", "NystroemFeatures", "MaclaurinFeatures", "TensorSketch")


def kernel_named(name: str, length_scale: str) -> Any:
    """The kernel of a name, with a length scale where it has one."""
    import bochner as bo

    chosen = KERNELS[name.lower()]
    arguments = dict(chosen.arguments)
    if chosen.scaled:
        arguments["length_scale"] = _length_scale(length_scale)
    elif length_scale != "auto":
        raise click.UsageError(f"The kernel {name} has no length scale: leave --length-scale out.")
    return getattr(bo, chosen.of)(**arguments)


def map_named(
    kernel: str | None, length_scale: str, name: str | None, components: int | None, eps: float | None, seed: int
) -> Any:
    """The feature map that the options ask for; None where they leave everything to the library."""
    import bochner as bo

    if components is not None and eps is not None:
        raise click.UsageError("Give --components or --eps, not both: eps= chooses the number of components.")
    if kernel is None and name is None and components is None and eps is None and length_scale == "auto":
        return None
    chosen = "gaussian" if kernel is None else kernel.lower()
    cls = MAPS[KERNELS[chosen].suits if name is None else name.lower()]
    arguments: dict[str, Any] = {"random_state": seed}
    if components is not None:
        arguments[WIDTHS.get(cls, "n_components")] = components
    if eps is not None:
        if cls not in TOLERANT:
            raise click.UsageError(f"--eps is not for {cls}: give --components.")
        arguments["eps"] = eps
    return getattr(bo, cls)(kernel_named(chosen, length_scale), **arguments)


def _length_scale(words: str) -> float | str:
    if words in ("auto", "median", "std"):
        return words
    try:
        value = float(words)
    except ValueError:
        value = 0.0
    if not 0.0 < value < float("inf"):
        raise click.UsageError(f"--length-scale must be a number above 0, auto, median or std, not {words!r}.")
    return value


SEARCHES = ("AutoKernelRegressor", "AutoKernelClassifier")
LEARNERS = {  # name: the class for numbers, the class for labels
    "ridge": ("KernelRidge", "KernelRidgeClassifier"),
    "svc": (None, "KernelSVC"),
    "svr": ("KernelSVR", None),
    "logistic": (None, "KernelLogisticRegression"),
    "gp": ("GaussianProcessRegressor", None),
}


def search_for(task: str, budget: int | str, session: Any) -> Any:
    """The search of a task."""
    import bochner as bo

    cls = getattr(bo, SEARCHES[task == "classification"])
    progress = not session.quiet
    return cls(budget, memory=session.memory, progress=progress, random_state=session.seed, n_jobs=session.threads)


def learner_named(name: str, task: str, target: str, feature_map: Any, engine: Any, seed: int) -> Any:
    """The learner of a name for a task, "regression" or "classification"."""
    import bochner as bo

    numbers, labels = LEARNERS[name]
    cls = numbers if task == "regression" else labels
    if cls is None:
        other = ", ".join(one for one, pair in LEARNERS.items() if pair[task != "regression"] is not None)
        raise click.UsageError(
            f"--model {name} is not for {task}, which the column {target!r} asks for: use {other}, or say --task."
        )
    penalty = {"C": "auto"} if name in ("svc", "svr", "logistic") else {}  # from rows left out, as ridge has it
    return getattr(bo, cls)(feature_map, **penalty, engine=engine, random_state=seed)
