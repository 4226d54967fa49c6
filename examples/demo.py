"""The main job: a kernel machine on a million rows, beside the exact kernel method on the rows it can still handle."""

import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.kernel_ridge import KernelRidge as ExactKernelRidge

import bochner as bo

ROWS, EXACT_ROWS, TEST_ROWS, COLUMNS, COMPONENTS = 1_000_000, 5_000, 20_000, 6, 1024
LENGTH_SCALE, NOISE, DRAWS = 1.0, 0.5, 100


def generated(n, seed, noise=NOISE):
    """A smooth target of six columns with noise: what no linear model can follow, and what more rows help with."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, COLUMNS)).astype(np.float32)
    y = np.sin(2 * X[:, 0]) * np.cos(2 * X[:, 1]) + np.exp(-(X[:, 2] ** 2)) + X[:, 3] * X[:, 4] + 0.5 * X[:, 5]
    return X, y + noise * rng.standard_normal(n).astype(np.float32)


def peak_megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def fit_random_features():
    X, y = generated(ROWS, seed=0)
    X_test, y_test = generated(TEST_ROWS, seed=1, noise=0.0)
    bo.KernelRidge(feature_map(), alpha=1.0).fit(X[:100], y[:100])  # compile once, outside the clock
    before, start = peak_megabytes(), time.perf_counter()
    model = bo.KernelRidge(feature_map(), engine=bo.ThreadEngine(progress=True)).fit(X, y)
    seconds, memory = time.perf_counter() - start, peak_megabytes() - before
    return report(f"bochner, {COMPONENTS} random features", ROWS, model, X_test, y_test, seconds, memory)


def fit_exact():
    X, y = generated(EXACT_ROWS, seed=0)
    X_test, y_test = generated(TEST_ROWS, seed=1, noise=0.0)
    ExactKernelRidge(kernel="rbf").fit(X[:100], y[:100])
    before, start = peak_megabytes(), time.perf_counter()
    model = ExactKernelRidge(alpha=1.0, kernel="rbf", gamma=1 / (2 * LENGTH_SCALE**2)).fit(X, y)
    seconds, memory = time.perf_counter() - start, peak_megabytes() - before
    return report("exact kernel ridge", EXACT_ROWS, model, X_test, y_test, seconds, memory)


def feature_map():
    return bo.FourierFeatures(bo.Gaussian(LENGTH_SCALE), COMPONENTS, random_state=0)


def report(name, rows, model, X_test, y_test, seconds, memory):
    start = time.perf_counter()
    error = float(np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2)))
    predict = (time.perf_counter() - start) / TEST_ROWS * 1e6
    return f"{name:<32}{rows:>10,}{error:>10.4f}{seconds:>9.1f} s{memory:>9.0f} MB{predict:>12.1f} us"


def kernel_error():
    """Measured root mean square error of the kernel over random pairs, beside what theory predicts for it."""
    X, _ = generated(1000, seed=2)
    X, Y = X[:500].astype(np.float64), X[500:].astype(np.float64)
    kernel = bo.Gaussian(LENGTH_SCALE)
    delta = X - Y
    predicted = np.sqrt(np.mean(1 + kernel.at(2 * delta) - 2 * kernel.at(delta) ** 2) / COMPONENTS)
    for directions in ("iid", "orthogonal"):
        squared = []
        for seed in range(DRAWS):
            mapped = bo.FourierFeatures(kernel, COMPONENTS, directions=directions, random_state=seed).fit(X)
            estimate = (mapped.transform(X) * mapped.transform(Y)).sum(axis=1)
            squared.append(np.mean((estimate - kernel.at(delta)) ** 2))
        sign = "=" if directions == "iid" else "<"
        print(f"  {directions:<12} measured {np.sqrt(np.mean(squared)):.5f}   predicted {sign} {predicted:.5f}")


def main():
    if len(sys.argv) > 1:
        print({"features": fit_random_features, "exact": fit_exact}[sys.argv[1]]())
        return
    print(
        f"Kernel ridge regression, {COLUMNS} columns, noise {NOISE}; the error is against the target without noise.\n"
    )
    print(f"{'method':<32}{'rows':>10}{'error':>10}{'fit':>11}{'memory':>12}{'predict a row':>15}")
    for part in ("features", "exact"):  # a process each, so that each has a peak of its own
        run = subprocess.run([sys.executable, __file__, part], stdout=subprocess.PIPE, text=True, check=True)
        print(run.stdout, end="", flush=True)
    exact_memory = ROWS**2 * 8 / 1e12
    print(f"\nThe exact method on {ROWS:,} rows would need a matrix of {exact_memory:.0f} TB.")
    print(f"\nError of the kernel itself with {COMPONENTS} features (root mean square over pairs, {DRAWS} draws):")
    kernel_error()


if __name__ == "__main__":
    main()
