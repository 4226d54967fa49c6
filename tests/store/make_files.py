"""Writes the files of the present format that later versions must still load: run once for each released format."""

from pathlib import Path

import numpy as np

import bochner as bo
from bochner.store.format import FORMAT_VERSION
from tests.store.models import fourier, labels, outputs, regression_target, rows

METRIC = bo.Metric([[2.0, 1.0, 0.0], [0.0, -0.5, 1.5]])

if __name__ == "__main__":
    X = rows()
    models = {
        "ridge": bo.KernelRidge(fourier(None, n_components=9)).fit(X, regression_target(X)),
        "classifier": bo.KernelRidgeClassifier(fourier(None, n_components=8, directions="fastfood")).fit(
            X, labels(X, 3)
        ),
        "metric": bo.KernelRidge(bo.NystroemFeatures(bo.SoftTails(bo.Matern(METRIC)), 12, random_state=0)).fit(
            X, regression_target(X)
        ),
        "codes": bo.KernelRidgeClassifier(bo.BinningFeatures(bo.Laplace(METRIC), 4, 40, random_state=0)).fit(
            X, labels(X, 3)
        ),
        "exact": bo.ExactKernelRidge(bo.Gaussian([0.5, 1.0, 0.7]), 1e-3).fit(X[:40], regression_target(X[:40])),
        "hadamard": fourier(None, n_components=7, directions="hadamard").fit(X),
    }
    for name, model in models.items():
        path = Path(__file__).parent / "files" / f"format{FORMAT_VERSION}-{name}.bochner"
        bo.save(model, path)
        np.savez(path.with_suffix(".npz"), X=X[:10], **outputs(model, X[:10]))
