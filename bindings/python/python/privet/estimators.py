"""From reports to estimates."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from privet import _privet
from privet._checks import between
from privet.domains import Circle, Domain, Interval, Rectangle, Vectors
from privet.errors import EstimateError, ParameterError
from privet.estimates import Density, Distribution, Estimate, Frequencies, MeanVector, Quantiles
from privet.reports import Reports

if TYPE_CHECKING:
    from privet._mechanism import Mechanism

__all__ = ["Estimator", "Summary"]

Step = Literal["none", "non-negative", "norm-sub", "simplex", "expectation-maximization"]
Method = Literal["em", "ems", "ems-cv", "least-squares", "histogram"]


# Distributions are smoothed on at least this many bins, whatever is shown.
_FINE_BINS = 50


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

    def _ask(
        self,
        *,
        step: str = "none",
        method: str = "ems",
        bins: int = 50,
        quantiles: Sequence[float] = (),
        ranges: Sequence[tuple[float, float]] = (),
    ) -> dict[str, Any]:
        asked = [list(ends) for ends in ranges]
        return self._core.answer(self._summary(), step, method, bins, list(quantiles), asked)

    def _refuse_unless(self, fits: bool, what: str) -> None:
        if not fits:
            raise ParameterError(f"{what} is not estimated for the domain {self._domain}", code="estimate-step")

    def _is_number(self) -> bool:
        return isinstance(self._domain, (Interval, Circle))

    def frequencies(self, *, step: Step = "none") -> Frequencies:
        """How often each category or word is held. ``step`` says what is done about negative estimates."""
        self._refuse_unless(not isinstance(self._domain, (Interval, Circle, Rectangle, Vectors)), "a frequency")
        return Frequencies._of(self._ask(step=step))

    def mean(self) -> Estimate:
        """The mean of numbers. Its interval includes the bias of the estimate."""
        self._refuse_unless(isinstance(self._domain, Interval), "a mean")
        return Estimate._of(self._ask(bins=1)["mean"])

    def mean_vector(self) -> MeanVector:
        """The mean of each coordinate of vectors that were moved into the clip set."""
        self._refuse_unless(isinstance(self._domain, Vectors), "a mean vector")
        return MeanVector._of(self._core.mean_vector(self._summary()))

    def direction(self) -> Estimate:
        """The mean direction of angles. Where there may be none, the interval is the whole circle."""
        self._refuse_unless(isinstance(self._domain, Circle), "a direction")
        return Estimate._of(self._ask(bins=1)["direction"])

    def resultant_length(self) -> Estimate:
        """The length of the mean of unit vectors: one if all angles are alike, zero if they cancel."""
        self._refuse_unless(isinstance(self._domain, Circle), "a resultant length")
        return Estimate._of(self._ask(bins=1)["resultant_length"])

    def distribution(self, *, bins: int = 50, method: Method = "ems") -> Distribution:
        """The shares of equal bins. The intervals are those of the linear estimate and need not lie around the values.

        ``em`` is maximum likelihood, ``ems`` the same with smoothing, ``ems-cv`` with smoothing chosen by held-out likelihood.
        """
        self._refuse_unless(self._is_number(), "a distribution")
        between("bins", bins, 1, 4096)
        # Smoothing makes neighbouring bins alike, so wide ones are made of finer ones, as the command does.
        parts = -(-_FINE_BINS // bins) if method.startswith("ems") else 1
        if parts == 1:
            return Distribution._of(self._ask(bins=bins, method=method))
        low, high = _ends(self._domain)
        edges = [low + place / bins * (high - low) for place in range(bins + 1)]
        found = self._ask(bins=bins * parts, method=method, ranges=list(itertools.pairwise(edges)))
        return Distribution._of({**found, "bins": found["ranges"]})

    def density(self, *, cells: int = 8) -> Density:
        """The shares of 2 to 16 equal cells along each side of a rectangle. The intervals need not lie around the values."""
        self._refuse_unless(isinstance(self._domain, Rectangle), "a density of places")
        between("cells", cells, 2, 16)
        return Density._of(self._core.density(self._summary(), cells), cells)

    def quantiles(self, levels: Sequence[float] = (0.25, 0.5, 0.75), *, method: Method = "ems") -> Quantiles:
        """Values that shares of people do not exceed."""
        self._refuse_unless(isinstance(self._domain, Interval), "a quantile")
        if not all(0 <= level <= 1 for level in levels):
            raise ParameterError("levels of quantiles lie between 0 and 1", code="parameter-probability")
        return Quantiles._of(self._ask(quantiles=levels, method=method))

    def share(self, low: float, high: float, *, method: Method = "ems") -> Estimate:
        """The share of people between two values. On a circle the range may pass zero."""
        self._refuse_unless(self._is_number(), "the share of a range")
        lowest, highest = _ends(self._domain)
        is_ordered = low <= high or isinstance(self._domain, Circle)
        if not (lowest <= low <= highest and lowest <= high <= highest and is_ordered):
            raise ParameterError(f"the ends of a range lie in {self._domain}, in order", code="parameter-interval")
        return Estimate._of(self._ask(ranges=[(low, high)], method=method)["ranges"][0])

    def __repr__(self) -> str:
        return f"<Estimator of {self.mechanism!r}>"
