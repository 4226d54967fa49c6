"""Fourier features against bare GEMM and RBFSampler; kernel ridge against GEMM + syrk and a scikit-learn pipeline."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import numpy as np
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

import bochner as bo

from .measure import extra_memory, fastest, interleaved, line


def data(n, d, dtype=np.float32):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32).astype(dtype)
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2]


def fourier_map():
    print("Fourier map, d = 54, D = 1024, 100,000 rows")
    X, _ = data(100_000, 54)
    full, half = (np.random.default_rng(1).standard_normal((54, m), dtype=np.float32) for m in (1024, 512))
    ours = {
        e: bo.FourierFeatures(bo.Gaussian(7.0), 1024, embedding=e, random_state=0).fit(X) for e in ("paired", "shifted")
    }
    peer = RBFSampler(n_components=1024, random_state=0).fit(X)
    times = interleaved(
        {
            "gemm": lambda: X @ full,
            "half": lambda: X @ half,
            "paired": lambda: ours["paired"].transform(X),
            "shifted": lambda: ours["shifted"].transform(X),
            "peer": lambda: peer.transform(X),
        },
        repeats=40,
    )
    line("paired / bare GEMM to D columns", times["paired"] / times["gemm"], "<= 1.3")
    line("paired / the GEMM it needs, to D/2 columns", times["paired"] / times["half"], "")
    line("shifted / bare GEMM to D columns", times["shifted"] / times["gemm"], "<= 1.3")
    line("RBFSampler / paired, float32", times["peer"] / times["paired"], ">= 3.5")
    X64 = X.astype(np.float64)
    ours64 = bo.FourierFeatures(bo.Gaussian(7.0), 1024, random_state=0).fit(X64)
    peer64 = RBFSampler(n_components=1024, random_state=0).fit(X64)
    times = interleaved({"ours": lambda: ours64.transform(X64), "peer": lambda: peer64.transform(X64)}, repeats=15)
    line("RBFSampler / paired, float64", times["peer"] / times["ours"], ">= 12")


def hadamard_map():
    print("Hadamard directions, D = 8192, 8,000 rows")
    for d, target in ((784, ">= 4"), (256, "> 1"), (128, "")):
        X, _ = data(8_000, d)
        maps = {
            directions: bo.FourierFeatures(bo.Gaussian(28.0), 8192, directions=directions, random_state=0).fit(X)
            for directions in ("iid", "hadamard", "fastfood")
        }
        times = interleaved({name: partial(mapped.transform, X) for name, mapped in maps.items()}, repeats=5)
        line(f"dense / hadamard, d = {d}", times["iid"] / times["hadamard"], target)
        line(f"dense / fastfood, d = {d}", times["iid"] / times["fastfood"], "")


def ridge_run(kind, n, d, D):
    X, y = data(n, d)
    small = X[:2000], y[:2000]
    if kind == "pipeline":
        model = make_pipeline(RBFSampler(gamma=0.01, n_components=D, random_state=0), Ridge(alpha=1.0))
    else:
        mapped = bo.FourierFeatures(bo.Gaussian(7.0), D, random_state=0)
        model = bo.KernelRidge(mapped, alpha="gcv" if kind == "gcv" else 1.0)
    model.fit(*small)
    return lambda: model.fit(X, y)


def bare_products(n, d, D):
    """GEMM of n x d by d x D and syrk of n x D over all n rows, in blocks as they must be made: it takes as long as a
    fit does, so that a fast moment of the machine counts for neither.
    """
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32)
    W = rng.standard_normal((d, D), dtype=np.float32)
    Z = rng.standard_normal((16384, D), dtype=np.float32)

    def products():
        for start in range(0, n, len(Z)):
            rows = X[start : start + len(Z)]
            np.matmul(rows, W, out=Z[: len(rows)])
            Z[: len(rows)].T @ Z[: len(rows)]

    return products


def ridge():
    n, d, D = 500_000, 54, 2048
    print(f"KernelRidge.fit, {n:,} rows, d = {d}, D = {D}")
    runs = {
        "bare": partial(extra_memory, bare_products, n, d, D),
        "ours": partial(extra_memory, ridge_run, "ours", n, d, D, repeats=2),
        "gcv": partial(extra_memory, ridge_run, "gcv", n, d, D),
        "pipeline": partial(extra_memory, ridge_run, "pipeline", n, d, D),
    }
    turns = [{name: run() for name, run in runs.items()} for _ in range(2)]
    seconds = {name: min(turn[name][0] for turn in turns) for name in runs}
    memory = {name: max(turn[name][1] for turn in turns) for name in runs}
    line("fit / (bare GEMM + bare syrk)", seconds["ours"] / seconds["bare"], "<= 1.3")
    line("fit with alpha='gcv' / (bare GEMM + bare syrk)", seconds["gcv"] / seconds["bare"], "")
    line("make_pipeline(RBFSampler, Ridge) / fit", seconds["pipeline"] / seconds["ours"], ">= 3")
    name = f"extra peak RSS / the pipeline's ({memory['ours']:.0f} MB / {memory['pipeline']:.0f} MB)"
    line(name, memory["ours"] / memory["pipeline"], "<= 0.1")


def growth():
    print("Growth with rows, d = 54, D = 1024")
    rows = {100_000: 8, 400_000: 4, 1_600_000: 2, 4_000_000: 1}  # and how often: short runs vary more
    turns = [
        [extra_memory(ridge_run, "ours", n, 54, 1024, repeats=times) for n, times in rows.items()] for _ in range(2)
    ]
    seconds = np.min([[run[0] for run in turn] for turn in turns], axis=0)
    memory = np.max([[run[1] for run in turn] for turn in turns], axis=0)
    slope = np.polyfit(np.log(list(rows)), np.log(seconds), 1)[0]
    line("slope of log time against log rows, 10^5 to 4 * 10^6", slope, "0.95 .. 1.05")
    line("extra memory at 4 * 10^6 rows / at 10^5 rows", memory[-1] / memory[0], "about 1")


def import_time():
    def seconds(statement):
        return fastest(lambda: subprocess.run([sys.executable, "-c", statement], check=True), 5)

    extra = seconds("import bochner") - seconds("import sklearn.linear_model")
    print("Import")
    line("seconds of import bochner beyond import sklearn.linear_model", extra, "<= 0.4")


def run():
    import_time()
    fourier_map()
    hadamard_map()
    ridge()
    growth()
