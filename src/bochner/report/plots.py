"""Pictures of a report; matplotlib is imported only when one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .error_report import ErrorReport

MEASURED, THEORY = "#1f5fa8", "#c2571a"


def pyplot() -> Any:
    """matplotlib.pyplot, or one sentence that names the extra to install."""
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError("Plots need matplotlib: pip install 'bochner[plots]'.") from None
    return plt


def plot_convergence(report: ErrorReport, ax: Any = None) -> Any:
    """Root mean square error against n_components, both on logarithmic axes, with the theory's curve."""
    ax = pyplot().subplots(figsize=(5.2, 4.0), layout="constrained")[1] if ax is None else ax
    from matplotlib import ticker

    convergence = report.convergence
    count = np.array(convergence.widths, dtype=float)
    value = np.array([estimate.value for estimate in convergence.measured])
    low = np.array([estimate.low for estimate in convergence.measured])
    high = np.array([estimate.high for estimate in convergence.measured])
    if None not in convergence.predicted:
        ax.plot(count, convergence.predicted, color=THEORY, label="theory")
    ax.plot(count, convergence.averaged, "x", color=MEASURED, label="measured, all draws")
    error = np.maximum([value - low, high - value], 0.0)
    interval = f"middle draw, {100 * report.confidence:g} % interval"
    ax.errorbar(count, value, yerr=error, fmt="o", color=MEASURED, capsize=3, label=interval)
    if report.needed is not None:
        ax.axhline(report.needed.eps, color="0.5", linestyle=":", label=f"tolerance {report.needed.eps:g}")
    ax.set(xscale="log", yscale="log", xlabel=convergence.parameter, ylabel="root mean square error")
    ax.set_xticks(count, [f"{int(width)}" for width in count])
    # Errors that differ by a factor of three have at least two numbers between them.
    ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 3.0, 5.0, 7.0)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.minorticks_off()
    ax.legend(frameon=False)
    ax.set_title(f"{type(report.feature_map).__name__}, {type(report.feature_map.kernel).__name__}")
    return ax


def plot_kernel(report: ErrorReport, ax: Any = None) -> Any:
    """Approximate against exact kernel values of the sampled pairs, for one draw."""
    ax = pyplot().subplots(figsize=(4.4, 4.0), layout="constrained")[1] if ax is None else ax
    ax.scatter(report.exact, report.approximate, s=6, alpha=0.4, color=MEASURED, linewidths=0)
    ends = [min(report.exact.min(), report.approximate.min()), max(report.exact.max(), report.approximate.max())]
    ax.plot(ends, ends, color="0.3", linewidth=0.8)
    ax.set(xlabel="exact kernel value", ylabel="approximate kernel value")
    ax.set_title(f"{report.n_pairs} pairs, {report.n_components} components")
    return ax


def plot_both(report: ErrorReport) -> Any:
    """The two plots side by side."""
    figure, axes = pyplot().subplots(1, 2, figsize=(9.6, 4.0), layout="constrained")
    plot_convergence(report, axes[0])
    plot_kernel(report, axes[1])
    return figure
