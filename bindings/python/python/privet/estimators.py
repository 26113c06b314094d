"""From reports to estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from privet import _privet
from privet._checks import between, people, smooth_bins
from privet.domains import Circle, Domain, Interval, Rectangle, Vectors
from privet.errors import EstimateError, ParameterError
from privet.estimates import Density, Direction, Distribution, Estimate, Frequencies, MeanVector, Quantiles, Target
from privet.reports import Reports

if TYPE_CHECKING:
    from privet._mechanism import Mechanism

__all__ = ["Estimator", "Summary"]

Step = Literal["none", "non-negative", "norm-sub", "simplex", "expectation-maximization"]
Method = Literal["em", "ems", "ems-cv", "least-squares", "histogram"]


def _ends(domain: Domain) -> tuple[float, float]:
    """The ends of an interval, or zero and one turn."""
    numbers = [float(number) for number in str(domain).partition(":")[2].split(",")]
    return (numbers[0], numbers[1]) if len(numbers) == 2 else (0.0, numbers[0])


class Summary:
    """What a collector keeps of reports: enough to estimate, and no more.

    Adding is commutative and associative, and any split of the reports gives the same bytes, which are those of the command
    line (``--summary-out``).
    """

    _core: _privet.Summary

    @classmethod
    def _of(cls, core: _privet.Summary) -> Summary:
        summary = object.__new__(cls)
        summary._core = core
        return summary

    @classmethod
    def from_bytes(cls, data: bytes) -> Summary:
        """A summary that was stored."""
        return cls._of(_privet.Summary.from_bytes(data))

    def to_bytes(self) -> bytes:
        """The bytes to store or send."""
        return self._core.to_bytes()

    def merge(self, other: Summary) -> Summary:
        """The summary of the reports of both. Also ``one + other`` and ``sum(summaries)``."""
        return Summary._of(self._core.merged(other._core))

    def __add__(self, other: Summary) -> Summary:
        return self.merge(other)

    def __radd__(self, other: object) -> Summary:
        if other == 0:
            return self
        return NotImplemented

    @property
    def n(self) -> int:
        """How many reports were added."""
        return self._core.n

    @property
    def counts(self) -> list[int] | None:
        """The counters; summaries of vectors have none."""
        return self._core.counts

    @property
    def fingerprint(self) -> str:
        """The mechanism whose reports were added, in short."""
        return bytes(self._core.fingerprint).hex()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Summary of {self.n} reports by {self.fingerprint}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Summary.from_bytes, (self.to_bytes(),)


class Estimator:
    """Estimates with the parameters that made the reports: ``mechanism.estimator().fit(reports)``.

    After ``fit`` it has ``summary_`` and ``n_reports_``.

    Intervals hold for every population, smooth or not, in 95 of 100 repetitions or more, and the value lies in its interval (see
    docs/INTERVALS.md). Two keywords change what they are about:

    ``target`` is ``"reported"``, the people who reported, or ``"population"``, the one that they were drawn from at random. The values
    are the same, the second's errors are larger; whoever compares groups wants the second.

    ``smooth`` names a smaller class of populations: those that are spread evenly inside each of so many equal bins (2 to 256). Intervals
    become shorter, and are wrong for all others.
    """

    summary_: Summary
    n_reports_: int

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self._core = mechanism._core.estimator()

    @property
    def _domain(self) -> Domain:
        return self.mechanism.domain

    def fit(
        self, reports: Reports | Iterable[Reports], *, insecure: bool = False, threads: int | None = None
    ) -> Estimator:
        """Counts reports, and forgets those of an earlier ``fit``.

        ``insecure=True`` reads reports that were drawn from an insecure seed, which are refused otherwise. ``threads`` defaults
        to all cores; the result does not depend on it.
        """
        self.summary_ = Summary._of(self._core.empty_summary())
        self.n_reports_ = 0
        return self.partial_fit(reports, insecure=insecure, threads=threads)

    def partial_fit(
        self, reports: Reports | Iterable[Reports], *, insecure: bool = False, threads: int | None = None
    ) -> Estimator:
        """Counts more reports."""
        core = self.summary_._core if hasattr(self, "summary_") else self._core.empty_summary()
        for batch in [reports] if isinstance(reports, Reports) else reports:
            if not isinstance(batch, Reports):
                raise ParameterError("fit takes reports: see privet.Reports", code="parameter-incompatible")
            core = self._core.accumulate(core, batch._core, insecure, threads)
        return self._keep(Summary._of(core))

    def fit_summary(self, *summaries: Summary) -> Estimator:
        """Estimates from summaries instead of reports."""
        total = Summary._of(self._core.empty_summary())
        for summary in summaries:
            total = total.merge(summary)
        return self._keep(total)

    def _keep(self, summary: Summary) -> Estimator:
        self.summary_ = summary
        self.n_reports_ = summary.n
        return self

    def _summary(self) -> _privet.Summary:
        if not hasattr(self, "summary_"):
            raise EstimateError("there are no reports yet: call fit", code="estimate-too-few-reports")
        return self.summary_._core

    def document(
        self,
        *,
        step: Step = "none",
        method: Method = "ems-cv",
        bins: int = 50,
        quantiles: Sequence[float] = (0.25, 0.5, 0.75),
        ranges: Sequence[tuple[float, float]] = (),
        cells: int = 8,
        target: Target = "reported",
        smooth: int | None = None,
    ) -> dict[str, Any]:
        """All that the reports say, with the keys of ``privet estimate --json``. The other methods give parts of it.

        Each kind of domain reads the keywords that concern it.
        """
        if not all(0 <= level <= 1 for level in quantiles):
            raise ParameterError("levels of quantiles lie between 0 and 1", code="parameter-probability")
        question = {
            "step": step,
            "method": method,
            "bins": between("bins", bins, 1, 4096),
            "quantiles": [float(level) for level in quantiles],
            "ranges": [self._range(low, high) for low, high in ranges],
            "cells": between("cells", cells, 2, 16),
            "target": people(target),
            "smooth": smooth_bins(smooth),
        }
        return self._core.answer(self._summary(), question)

    def _range(self, low: float, high: float) -> list[float]:
        if not self._is_number():
            raise ParameterError(f"the domain {self._domain} has no ranges", code="parameter-interval")
        lowest, highest = _ends(self._domain)
        is_ordered = low <= high or isinstance(self._domain, Circle)
        if not (lowest <= low <= highest and lowest <= high <= highest and is_ordered):
            raise ParameterError(f"the ends of a range lie in {self._domain}, in order", code="parameter-interval")
        return [float(low), float(high)]

    def _centre(self, target: Target, smooth: int | None) -> dict[str, Any]:
        # The mean and the mean direction do not depend on the distribution, so the quickest one is asked for.
        return self.document(method="histogram", bins=1, quantiles=(), target=target, smooth=smooth)

    def _refuse_unless(self, fits: bool, what: str) -> None:
        if not fits:
            raise ParameterError(f"{what} is not estimated for the domain {self._domain}", code="estimate-step")

    def _is_number(self) -> bool:
        return isinstance(self._domain, (Interval, Circle))

    def frequencies(self, *, step: Step = "none", target: Target = "reported") -> Frequencies:
        """How often each category or word is held. ``step`` says what is done about negative estimates."""
        self._refuse_unless(not isinstance(self._domain, (Interval, Circle, Rectangle, Vectors)), "a frequency")
        return Frequencies._of(self.document(step=step, target=target))

    def mean(self, *, target: Target = "reported", smooth: int | None = None) -> Estimate:
        """The mean of numbers."""
        self._refuse_unless(isinstance(self._domain, Interval), "a mean")
        return Estimate._of(self._centre(target, smooth))

    def mean_vector(self, *, target: Target = "reported") -> MeanVector:
        """The mean of each coordinate of vectors that were moved into the clip set."""
        self._refuse_unless(isinstance(self._domain, Vectors), "a mean vector")
        return MeanVector._of(self.document(target=target))

    def direction(self, *, target: Target = "reported", smooth: int | None = None) -> Direction:
        """The mean direction of angles. Where there may be none, ``told`` is False and the interval is the whole circle."""
        self._refuse_unless(isinstance(self._domain, Circle), "a direction")
        return Direction._of(self._centre(target, smooth))

    def resultant_length(self, *, target: Target = "reported", smooth: int | None = None) -> Estimate:
        """The length of the mean of unit vectors: one if all angles are alike, zero if they cancel."""
        self._refuse_unless(isinstance(self._domain, Circle), "a resultant length")
        return Estimate._of(self._centre(target, smooth)["resultant_length"])

    def distribution(
        self, *, bins: int = 50, method: Method = "ems-cv", target: Target = "reported", smooth: int | None = None
    ) -> Distribution:
        """The shares of equal bins. A bin holds its lower end, and the last one both ends.

        ``ems-cv`` is smoothed maximum likelihood, with smoothing that adapts to the reports (by held-out likelihood); ``ems`` smooths as
        published, too much for spikes; ``em`` does not smooth. Smoothing works on 50 bins or more, whatever is shown. Each value lies in
        its interval, so that they need not add up to one exactly.
        """
        self._refuse_unless(self._is_number(), "a distribution")
        return Distribution._of(self.document(bins=bins, method=method, quantiles=(), target=target, smooth=smooth))

    def density(self, *, cells: int = 8, target: Target = "reported") -> Density:
        """The shares of 2 to 16 equal cells along each side of a rectangle."""
        self._refuse_unless(isinstance(self._domain, Rectangle), "a density of places")
        return Density._of(self.document(cells=cells, target=target))

    def quantiles(
        self,
        levels: Sequence[float] = (0.25, 0.5, 0.75),
        *,
        method: Method = "ems-cv",
        target: Target = "reported",
        smooth: int | None = None,
    ) -> Quantiles:
        """Values that shares of people do not exceed. Their intervals reach atoms and the ends of the domain."""
        self._refuse_unless(isinstance(self._domain, Interval), "a quantile")
        return Quantiles._of(self.document(quantiles=levels, method=method, target=target, smooth=smooth))

    def share(
        self,
        low: float,
        high: float,
        *,
        method: Method = "ems-cv",
        target: Target = "reported",
        smooth: int | None = None,
    ) -> Estimate:
        """The share of people from ``low`` up to, but not at, ``high``, unless that is the upper end of the domain. On a circle the
        range may pass zero.
        """
        self._refuse_unless(self._is_number(), "the share of a range")
        found = self.document(ranges=[(low, high)], method=method, quantiles=(), target=target, smooth=smooth)
        (row,) = found["ranges"]
        return Estimate._of({**found, **row, "value": row["share"], "method": found["distribution_method"]})

    def __repr__(self) -> str:
        return f"<Estimator of {self.mechanism!r}>"
