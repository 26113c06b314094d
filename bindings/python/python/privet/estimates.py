"""What is learned from reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Density", "Distribution", "Estimate", "Frequencies", "MeanVector", "Quantiles"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A number that was learned, and how well. ``float(estimate)`` is its value."""

    value: float
    """The best single number."""
    standard_error: float
    """Its standard deviation over the draws of the reports."""
    interval: tuple[float, float]
    """Where the truth lies, with 95 % confidence."""
    n: int
    """How many reports it rests on."""
    method: str
    """How it was computed."""

    def __float__(self) -> float:
        return self.value

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Estimate:
        low, high = document["interval"]
        return cls(document["value"], document["standard_error"], (low, high), document["n"], document["method"])


@dataclass(frozen=True)
class _Rows:
    """Several estimates side by side."""

    values: Floats
    standard_errors: Floats
    intervals: Floats
    n: int
    method: str

    def __len__(self) -> int:
        return len(self.values)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.values, dtype=dtype)


def _columns(rows: list[dict[str, Any]]) -> tuple[Floats, Floats, Floats]:
    return (
        np.array([row["value"] for row in rows], dtype=np.float64),
        np.array([row["standard_error"] for row in rows], dtype=np.float64),
        np.array([row["interval"] for row in rows], dtype=np.float64).reshape(-1, 2),
    )


@dataclass(frozen=True)
class Frequencies(_Rows):
    """How often each category or word is held. ``numpy.asarray(frequencies)`` has the shares."""

    labels: list[str]
    simultaneous_intervals: Floats
    """These cover the truths of all rows at once in 95 of 100 repetitions or more."""

    def __getitem__(self, label: object) -> Estimate:
        index = self.labels.index(str(label))
        low, high = self.intervals[index]
        value, error = float(self.values[index]), float(self.standard_errors[index])
        return Estimate(value, error, (float(low), float(high)), self.n, self.method)

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
        rows = document["rows"]
        simultaneous = np.array([row["simultaneous_interval"] for row in rows], dtype=np.float64).reshape(-1, 2)
        labels = [row["label"] for row in rows]
        return cls(*_columns(rows), document["n"], document["method"], labels, simultaneous)


@dataclass(frozen=True)
class Distribution(_Rows):
    """The share of people in each of equal bins. ``numpy.asarray(distribution)`` has the shares."""

    edges: Floats
    """The ends of the bins: one more than there are bins."""

    @property
    def density(self) -> Floats:
        """The share of each bin for each unit of length."""
        return np.asarray(self.values / np.diff(self.edges), dtype=np.float64)

    def cdf(self, value: npt.ArrayLike) -> Floats:
        """The share of people with at most this value."""
        shares = np.concatenate([[0.0], np.cumsum(self.values)])
        places = np.asarray(value, dtype=np.float64)
        return np.asarray(np.interp(places, self.edges, shares), dtype=np.float64)

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Distribution:
        bins = document["bins"]
        edges = np.array([row["from"] for row in bins] + [bins[-1]["to"]], dtype=np.float64)
        return cls(*_columns(bins), document["n"], document["method"], edges)


@dataclass(frozen=True)
class Density(_Rows):
    """The share of people in each cell of a rectangle: ``values[i, j]`` is that of the i-th part of the first coordinate and the
    j-th of the second. ``numpy.asarray(density)`` has the shares."""

    @classmethod
    def _of(cls, document: Mapping[str, Any], cells: int) -> Density:
        # The rows run along the first coordinate first.
        values, errors, intervals = (
            column.reshape(cells, cells, *column.shape[1:]).swapaxes(0, 1) for column in _columns(document["rows"])
        )
        return cls(values, errors, intervals, document["n"], document["method"])


@dataclass(frozen=True)
class Quantiles(_Rows):
    """Values that a share of people do not exceed."""

    levels: Floats

    @classmethod
    def _of(cls, document: Mapping[str, Any]) -> Quantiles:
        rows = document["quantiles"]
        levels = np.array([row["level"] for row in rows], dtype=np.float64)
        return cls(*_columns(rows), document["n"], document["method"], levels)


@dataclass(frozen=True)
class MeanVector(_Rows):
    """The mean of each coordinate."""

    @classmethod
    def _of(cls, rows: list[dict[str, Any]]) -> MeanVector:
        return cls(*_columns(rows), rows[0]["n"], rows[0]["method"])
