"""Draws the picture of the README: cost against rows, and the error of the kernel beside its theory."""

import time
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
from sklearn.kernel_ridge import KernelRidge as ExactKernelRidge

import bochner as bo


def fit_seconds(model, n):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 10)).astype(np.float32)
    y = np.sin(X[:, 0])
    start = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - start


def cost(axes):
    exact_rows, rows = [500, 1000, 2000, 4000, 8000], [500, 2000, 8000, 32_000, 128_000, 512_000, 1_000_000]
    features = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(3.0), 512, random_state=0), alpha=1.0)
    fit_seconds(features, 500)
    exact = ExactKernelRidge(kernel="rbf", gamma=1 / 18)
    axes.loglog(
        exact_rows, [fit_seconds(exact, n) for n in exact_rows], "o-", color="#b5483a", label="exact kernel ridge"
    )
    axes.loglog(rows, [fit_seconds(features, n) for n in rows], "o-", color="#1f5f8b", label="bochner, 512 features")
    axes.set(xlabel="rows", ylabel="seconds to fit", title="Cost: linear in rows")
    axes.legend(frameon=False)


def error(axes):
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(400, 10)), rng.normal(size=(400, 10))
    kernel = bo.Gaussian(3.0)
    widths = np.array([32, 64, 128, 256, 512, 1024, 2048, 4096])
    exact = kernel.rowwise(X, Y)
    for directions, colour in (("iid", "#1f5f8b"), ("orthogonal", "#3a8f5c")):
        measured = []
        for width in widths:
            squares = []
            for seed in range(30):
                mapped = bo.FourierFeatures(kernel, int(width), directions=directions, random_state=seed).fit(X)
                squares.append(np.mean(((mapped.transform(X) * mapped.transform(Y)).sum(axis=1) - exact) ** 2))
            measured.append(np.sqrt(np.mean(squares)))
        axes.loglog(widths, measured, "o", color=colour, label=f"measured, {directions} directions")
    variance = np.mean(1 + kernel.at(2 * (X - Y)) - 2 * exact**2)
    axes.loglog(widths, np.sqrt(variance / widths), "-", color="#1f5f8b", label="theory, iid")
    axes.set(
        xlabel="number of features D", ylabel="root mean square error of the kernel", title="Error: known in advance"
    )
    axes.legend(frameon=False)


def main():
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
    cost(left)
    error(right)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(Path(__file__).with_name("picture.png"), dpi=110)


if __name__ == "__main__":
    main()
