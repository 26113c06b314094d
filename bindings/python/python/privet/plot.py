"""Pictures, with matplotlib where it is installed. Every function draws on ``ax`` (a new one unless given) and returns it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet._mechanism import Mechanism
from privet.classifier import Row
from privet.domains import Circle, Interval
from privet.errors import ParameterError
from privet.estimates import Distribution, Frequencies

__all__ = ["bands", "density", "distribution", "error_curve", "frequencies", "map"]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def density(mechanism: Mechanism, inputs: Sequence[float], *, ax: Any = None) -> Any:
    """The densities of the reports of numbers or angles. Single numbers with a probability of their own are stems."""
    if not isinstance(mechanism.domain, (Interval, Circle)):
        raise ParameterError("densities are drawn of numbers and angles", code="parameter-incompatible")
    ax = _axes(ax)
    for place, value in enumerate(inputs):
        law = mechanism.law(value)
        law = law[np.argsort(law[:, 0], kind="stable")]
        colour = f"C{place % 10}"
        is_range = law[:, 1] > law[:, 0]
        ranges, points = law[is_range], law[~is_range & (law[:, 2] > 0)]
        if len(ranges):
            heights = ranges[:, 2] / (ranges[:, 1] - ranges[:, 0])
            xs = ranges[:, :2].ravel()
            ax.plot(xs, np.repeat(heights, 2), color=colour, label=f"input {value:g}")
        if len(points):
            label = None if len(ranges) else f"input {value:g}"
            ax.vlines(points[:, 0], 0, points[:, 2], color=colour, label=label)
    ax.set_xlabel("report")
    ax.set_ylabel("density (probability of single numbers)")
    ax.set_title(f"{mechanism.info.title}, epsilon {mechanism.epsilon:g}")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def error_curve(mechanisms: Iterable[Mechanism], *, loss: Any = "absolute", points: int = 101, ax: Any = None) -> Any:
    """The expected loss of one report over the domain, for several mechanisms on one interval."""
    ax = _axes(ax)
    for mechanism in mechanisms:
        domain = mechanism.domain
        if not isinstance(domain, Interval):
            raise ParameterError("error curves are drawn over intervals", code="parameter-incompatible")
        low, high = (float(end) for end in str(domain).partition(":")[2].split(","))
        inputs = np.linspace(low, high, points)
        errors = [mechanism.error(loss, input=value).error for value in inputs]
        ax.plot(inputs, errors, label=f"{mechanism.id}, epsilon {mechanism.epsilon:g}")
    ax.set_xlabel("value")
    ax.set_ylabel(f"expected {loss} error")
    ax.set_ylim(bottom=0)
    ax.legend()
    return ax


def frequencies(estimate: Frequencies, *, truth: Sequence[float] | None = None, ax: Any = None) -> Any:
    """Estimated shares of categories with their intervals, and the truth where it is known."""
    ax = _axes(ax)
    places = np.arange(len(estimate.labels))
    ax.bar(places, estimate.values, color="C0", alpha=0.6, label="estimate")
    ax.vlines(places, estimate.intervals[:, 0], estimate.intervals[:, 1], color="black", label="95 % interval")
    if truth is not None:
        ax.plot(places, truth, "D", color="C3", label="truth")
    ax.set_xticks(places, estimate.labels, rotation=0 if len(places) < 8 else 90)
    ax.set_ylabel(f"share ({estimate.n} reports)")
    ax.legend()
    return ax


def distribution(estimate: Distribution, *, truth: npt.ArrayLike | None = None, ax: Any = None) -> Any:
    """An estimated distribution with the intervals of its bins, and the true values where they are known."""
    ax = _axes(ax)
    widths = np.diff(estimate.edges)
    middles = estimate.edges[:-1] + widths / 2
    ax.stairs(estimate.values / widths, estimate.edges, color="C0", label="estimate")
    ends = estimate.intervals / widths[:, np.newaxis]
    ax.vlines(middles, ends[:, 0], ends[:, 1], color="C0", alpha=0.3, label="95 % intervals of the linear estimate")
    if truth is not None:
        heights, _ = np.histogram(np.asarray(truth), estimate.edges, density=True)
        ax.stairs(heights, estimate.edges, color="C3", label="truth")
    ax.set_ylabel(f"density ({estimate.n} reports)")
    ax.set_xlabel("value")
    ax.legend()
    return ax


def bands(rows: Iterable[Row], *, ax: Any = None) -> Any:
    """The bounds of a classifier's worth over epsilon, a band for each mechanism, and drawn shares as dots."""
    ax = _axes(ax)
    by_mechanism: dict[str, list[Row]] = {}
    for row in rows:
        by_mechanism.setdefault(row.mechanism, []).append(row)
    for place, (name, found) in enumerate(by_mechanism.items()):
        found.sort(key=lambda row: row.epsilon)
        epsilons = [row.epsilon for row in found]
        colour = f"C{place % 10}"
        ax.fill_between(
            epsilons, [row.lower for row in found], [row.upper for row in found], color=colour, alpha=0.3
        )
        ax.plot(epsilons, [row.lower for row in found], color=colour, label=name)
        drawn = [(row.epsilon, row.empirical) for row in found if row.empirical is not None]
        if drawn:
            ax.plot(*zip(*drawn, strict=True), ".", color=colour)
    ax.set_xlabel("epsilon of one sensitive feature")
    ax.set_ylabel("probability of the same label")
    ax.set_ylim(0, 1.02)
    ax.legend()
    return ax


def map(
    shares: npt.ArrayLike,
    *,
    extent: tuple[float, float, float, float] = (0.0, 1.0, 0.0, 1.0),
    paths: Sequence[npt.ArrayLike] = (),
    ax: Any = None,
) -> Any:
    """A density over a grid of places, as ``Estimator.density`` and ``privet.trajectory.Method.density`` give it, and paths over it."""
    ax = _axes(ax)
    image = ax.imshow(np.asarray(shares).T, origin="lower", extent=extent, cmap="viridis", aspect="auto")
    ax.figure.colorbar(image, ax=ax, label="share of people")
    for path in paths:
        places = np.asarray(path)
        ax.plot(places[:, 0], places[:, 1], color="white", linewidth=0.8)
    return ax
