"""What is learned from reports."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

__all__ = ["Density", "Direction", "Distribution", "Estimate", "Frequencies", "MeanVector", "Quantiles", "Target"]

Floats = npt.NDArray[np.float64]

Target = Literal["reported", "population"]
"""Which people an estimate is about: those who reported, or the population that they were drawn from."""


@dataclass(frozen=True)
class Estimate:
    """A number that was learned, and how well. ``float(estimate)`` is its value.

    The interval is a promise: whatever the people are like, it holds the truth in 95 of 100 repetitions or more (docs/INTERVALS.md).
    It may be the whole domain, where the reports say no more than that.
    """

    value: float
    """The best single number. It lies in the interval."""
    standard_error: float
    """Its standard deviation over what is random: the draws of the reports, and what else the target says."""
    bias_bound: float
    """How far its mean can be from the truth, whatever the people are like."""
    interval: tuple[float, float]
    """Where the truth lies, with 95 % confidence. It allows for both the standard error and the bias."""
    n: int
    """How many reports it rests on."""
    method: str
    """How it was computed."""
    target: Target
    """Which people it is about: those who ``reported``, or the ``population`` that they were drawn from."""

    @property
    def margin(self) -> float:
        """How far the truth may be from the value, with 95 % confidence: the distance to the farther end of the interval."""
        low, high = self.interval
        return max(self.value - low, high - self.value)

    def __float__(self) -> float:
        return self.value

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Estimate:
        return cls(*_fields(document))


def _fields(document: Mapping[str, Any]) -> tuple[float, float, float, tuple[float, float], int, str, Target]:
    low, high = document["interval"]
    value, error, bias = (document[key] for key in ("value", "standard_error", "bias_bound"))
    return value, error, bias, (low, high), document["n"], document["method"], document["target"]


@dataclass(frozen=True)
class Direction(Estimate):
    """A mean direction. Its interval lies around the value, so that its ends may be below zero or beyond one turn."""

    told: bool
    """Whether the reports tell a direction at all. If not, the interval is the whole circle and the value means nothing."""

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Direction:
        return cls(*_fields(document), document["direction_told"])


@dataclass(frozen=True)
class _Rows:
    """Several estimates side by side. Each interval holds its own truth with 95 % confidence, whatever the people are like."""

    values: Floats
    standard_errors: Floats
    bias_bounds: Floats
    """How far the mean of each value can be from the truth, whatever the people are like."""
    intervals: Floats
    n: int
    method: str
    target: Target

    @property
    def margins(self) -> Floats:
        """How far each truth may be from its value, with 95 % confidence."""
        ends = np.abs(self.intervals - self.values[..., np.newaxis])
        return np.asarray(ends.max(axis=-1), dtype=np.float64)

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype)


def _columns(rows: list[dict[str, Any]], value: str = "value") -> tuple[Floats, Floats, Floats, Floats]:
    def column(key: str) -> Floats:
        return np.array([row[key] for row in rows], dtype=np.float64)

    return column(value), column("standard_error"), column("bias_bound"), column("interval").reshape(-1, 2)


@dataclass(frozen=True)
class Frequencies(_Rows):
    """How often each category or word is held. ``numpy.asarray(frequencies)`` has the shares."""

    labels: list[str]
    simultaneous_intervals: Floats
    """These cover the truths of all rows at once in 95 of 100 repetitions or more."""

    def __getitem__(self, label: object) -> Estimate:
        index = self.labels.index(str(label))
        low, high = (float(end) for end in self.intervals[index])
        value, error, bias = (float(column[index]) for column in (self.values, self.standard_errors, self.bias_bounds))
        return Estimate(value, error, bias, (low, high), self.n, self.method, self.target)

    def __iter__(self) -> Iterator[str]:
        return iter(self.labels)

    def to_dict(self) -> dict[str, float]:
        """The share of each label."""
        return dict(zip(self.labels, self.values.tolist(), strict=True))

    def top(self, count: int) -> list[str]:
        """The most frequent labels, from the most frequent on."""
        order = np.argsort(-self.values, kind="stable")[:count]
        return [self.labels[index] for index in order]

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Frequencies:
        rows = document["estimates"]
        simultaneous = np.array([row["simultaneous_interval"] for row in rows], dtype=np.float64).reshape(-1, 2)
        labels = [row["label"] for row in rows]
        return cls(*_columns(rows), document["n"], document["method"], document["target"], labels, simultaneous)


@dataclass(frozen=True)
class Distribution(_Rows):
    """The share of people in each of equal bins, which hold their lower end. ``numpy.asarray(distribution)`` has the shares."""

    edges: Floats
    """The ends of the bins: one more than there are bins."""

    @property
    def density(self) -> Floats:
        """The share of each bin for each unit of length."""
        return np.asarray(self.values / np.diff(self.edges), dtype=np.float64)

    def cdf(self, value: npt.ArrayLike) -> Floats:
        """The share of people with at most this value, if people are spread evenly inside each bin."""
        shares = np.concatenate([[0.0], np.cumsum(self.values)])
        places = np.asarray(value, dtype=np.float64)
        return np.asarray(np.interp(places, self.edges, shares), dtype=np.float64)

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Distribution:
        bins = document["distribution"]
        edges = np.array([row["from"] for row in bins] + [bins[-1]["to"]], dtype=np.float64)
        n, method, target = (document[key] for key in ("n", "distribution_method", "target"))
        return cls(*_columns(bins, "share"), n, method, target, edges)


@dataclass(frozen=True)
class Density(_Rows):
    """The share of people in each cell of a rectangle: ``values[i, j]`` is that of the i-th part of the first coordinate and the
    j-th of the second. ``numpy.asarray(density)`` has the shares."""

    simultaneous_intervals: Floats
    """These cover the truths of all cells at once in 95 of 100 repetitions or more."""

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Density:
        rows = document["estimates"]
        cells = math.isqrt(len(rows))
        simultaneous = np.array([row["simultaneous_interval"] for row in rows], dtype=np.float64)
        # The rows run along the first coordinate first.
        values, errors, biases, intervals, at_once = (
            column.reshape(cells, cells, *column.shape[1:]).swapaxes(0, 1) for column in (*_columns(rows), simultaneous)
        )
        n, method, target = (document[key] for key in ("n", "method", "target"))
        return cls(values, errors, biases, intervals, n, method, target, at_once)


@dataclass(frozen=True)
class Quantiles(_Rows):
    """Values that a share of people do not exceed."""

    levels: Floats

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Quantiles:
        rows = document["quantiles"]
        levels = np.array([row["level"] for row in rows], dtype=np.float64)
        n, method, target = (document[key] for key in ("n", "distribution_method", "target"))
        return cls(*_columns(rows), n, method, target, levels)


@dataclass(frozen=True)
class MeanVector(_Rows):
    """The mean of each coordinate."""

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> MeanVector:
        n, method, target = (document[key] for key in ("n", "method", "target"))
        return cls(*_columns(document["estimates"]), n, method, target)
