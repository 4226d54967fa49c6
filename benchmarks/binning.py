"""Random binning on Covertype: the map against a discretiser, ridge on its codes against LightGBM, other losses."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from sklearn.preprocessing import KBinsDiscretizer, StandardScaler

import bochner as bo

from .datasets import load
from .measure import fastest, interleaved, line

BINS = 1 << 17  # per grid
LENGTH_SCALE = 0.8
KERNELS = (bo.Laplace(LENGTH_SCALE), bo.StretchedExponential(LENGTH_SCALE), bo.Reciprocal(LENGTH_SCALE))


def covertype():
    split = load("covertype")
    scaler = StandardScaler().fit(split.X)
    X, X_test = (scaler.transform(rows).astype(np.float32) for rows in (split.X, split.X_test))
    return X, split.y, X_test, split.y_test


def binning(n_grids, bins=BINS, kernel=KERNELS[0], **options):
    return bo.BinningFeatures(kernel, n_grids, n_grids * bins, hashing="plain", random_state=0, **options)


def wide(kernel):
    return bo.KernelRidgeClassifier(binning(200, 1 << 18, kernel), alpha=0.05, tol=0.01, engine=2)


def chosen_kernel(X, y):
    """The best kernel of this length scale for 200 grids, by a tenth of the training rows that was held out."""
    n = len(y) // 10
    return max(KERNELS, key=lambda kernel: wide(kernel).fit(X[n:], y[n:]).score(X[:n], y[:n]))


def the_map(X):
    print("The map, 50 grids, all training rows")
    mapped = binning(50, 1 << 16).fit(X)
    features = mapped.features_.on_threads(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # binary columns have fewer bins than asked for
        peer = KBinsDiscretizer(encode="ordinal", quantile_method="averaged_inverted_cdf").fit(X)
    times = interleaved(
        {
            "codes": partial(features.design, X),
            "csr": partial(mapped.transform, X),
            "peer": partial(peer.transform, X),
        },
        repeats=3,
    )
    line("seconds of KBinsDiscretizer.transform", times["peer"], "")
    line("codes / KBinsDiscretizer.transform", times["codes"] / times["peer"], "< 1")
    line("sparse matrix / KBinsDiscretizer.transform", times["csr"] / times["peer"], "< 1")


def the_learner(X, y, X_test, y_test):
    from lightgbm import LGBMClassifier

    best = chosen_kernel(X, y)
    models = {
        "peer": lambda: LGBMClassifier(n_jobs=2, verbose=-1),
        50: lambda: bo.KernelRidgeClassifier(binning(50), alpha=0.1, tol=0.05, engine=2),
        200: lambda: wide(KERNELS[0]),
        "chosen": lambda: wide(best),
        "gcv": lambda: bo.KernelRidgeClassifier(binning(50), tol=0.05, engine=2),
    }
    print("Ridge classification against LightGBM with its defaults")
    bo.KernelRidgeClassifier(binning(5), engine=2).fit(X[:60_000], y[:60_000])  # compiles
    fitted, seconds = {}, {}
    for name, make in models.items():

        def fit(name=name, make=make):
            fitted[name] = make().fit(X, y)

        seconds[name] = fastest(fit, 2)
    accuracy = {name: model.score(X_test, y_test) for name, model in fitted.items()}
    line("seconds of LightGBM", seconds["peer"], "")
    line("per cent right, LightGBM", 100 * accuracy["peer"], "")
    labels = {50: "50 grids, Laplace", 200: "200 grids, Laplace", "gcv": "50 grids, Laplace, alpha chosen"}
    labels["chosen"] = f"200 grids, {type(best).__name__}, chosen on held-out rows"
    for name, target in ((50, ">= 95.5"), (200, ">= 96.6"), ("chosen", ">= 96.6"), ("gcv", ">= 95.5")):
        label = labels[name]
        line(f"per cent right, {label}", 100 * accuracy[name], target)
        line(f"time / LightGBM, {label}", seconds[name] / seconds["peer"], "< 1" if name == 50 else "")
    predict = interleaved({name: partial(fitted[name].predict, X_test) for name in ("peer", 50)}, repeats=3)
    line("time of predict / LightGBM, 50 grids", predict[50] / predict["peer"], "")


def the_machines(X, y, X_test, y_test):
    print("Squared hinge and logistic loss on the same codes (50 grids of 2^16 bins), each to its default tolerance")
    models = {
        "ridge": bo.KernelRidgeClassifier(binning(50, 1 << 16), alpha=0.1, engine=2),
        "squared hinge": bo.KernelSVC(binning(50, 1 << 16), C=3.0, engine=2),
        "logistic": bo.KernelLogisticRegression(binning(50, 1 << 16), C=300.0, engine=2),
    }
    seconds = {}
    for name, model in models.items():
        model.fit(X[:20_000], y[:20_000])  # compiles
        seconds[name] = fastest(partial(model.fit, X, y), 2)
        line(f"per cent right, {name}", 100 * model.score(X_test, y_test), "")
        line(f"time / ridge, {name}", seconds[name] / seconds["ridge"], "" if name == "ridge" else "<= 3")


def run():
    X, y, X_test, y_test = covertype()
    the_map(X)
    the_learner(X, y, X_test, y_test)
    the_machines(X, y, X_test, y_test)
