"""What every mechanism can do."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from privet import _columns, _privet
from privet._checks import between
from privet._columns import Nulls
from privet.domains import Categories, Circle, Domain, Interval, Rectangle, Vectors, _wrapped
from privet.errors import InsecureSeedWarning, ParameterError
from privet.estimators import Estimator, _ends
from privet.reports import Reports

__all__ = ["Error", "Guarantee", "Info", "Mechanism"]

Loss = Literal["absolute", "squared"]


@dataclass(frozen=True)
class Info:
    """What is said about a mechanism in tables."""

    id: str
    title: str
    synonyms: tuple[str, ...]
    domain: str
    goal: str
    guarantee: str
    numerics: str
    slack: str
    reference: str
    status: str

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Info:
        return cls(**{**document, "synonyms": tuple(document["synonyms"])})


@dataclass(frozen=True)
class Guarantee:
    """What one report promises, computed from the integers that the sampler uses."""

    kind: str
    epsilon: float
    delta: float


@dataclass(frozen=True)
class Error:
    """The error of one report, exactly. ``float(error)`` is the expected loss."""

    error: float
    input: Any
    bias: float | None
    variance: float | None

    def __float__(self) -> float:
        return self.error


class Mechanism:
    """A mechanism with its parameters. It is immutable and holds no generator."""

    _id: ClassVar[str] = ""
    _core: _privet.Mechanism
    _keywords: dict[str, Any]

    def __init__(self, *, domain: Domain, epsilon: float, **options: Any) -> None:
        given = {name: value for name, value in options.items() if value is not None}
        if not isinstance(domain, Domain):
            raise ParameterError(
                "a domain is one of privet.Interval, Circle, Categories, Binary, Rectangle, Words and Vectors",
                code="parameter-domain-syntax",
            )
        self._keywords = {"domain": domain, "epsilon": epsilon, **given}
        try:
            self._core = _privet.Mechanism(self._id, domain._core, epsilon, **given)
        except (TypeError, OverflowError) as error:
            raise ParameterError(str(error), code="parameter-incompatible") from None

    @property
    def id(self) -> str:
        """The name that the command line uses."""
        return str(self._core.info["id"])

    @property
    def info(self) -> Info:
        """What is said about it in tables."""
        return Info._of(self._core.info)

    @property
    def domain(self) -> Domain:
        """Where values come from."""
        return _wrapped(self._core.domain)

    @property
    def epsilon(self) -> float:
        """The epsilon that was asked for."""
        return self._core.epsilon

    @property
    def guarantee(self) -> Guarantee:
        """What one report promises."""
        return Guarantee(**self._core.guarantee)

    @property
    def fingerprint(self) -> str:
        """The mechanism with all its parameters, in short."""
        return bytes(self._core.fingerprint).hex()

    @property
    def report_bits(self) -> int:
        """How many bits a report has."""
        return self._core.report_bits

    @property
    def report_bytes(self) -> int:
        """How many bytes a report has, without its header."""
        return self._core.report_bytes

    def randomize(
        self,
        values: object,
        *,
        insecure_seed: int | None = None,
        nulls: Nulls = "error",
        clamp: bool = False,
        threads: int | None = None,
    ) -> Reports:
        """Draws a report for each value of a column, or for a single value.

        Randomness is the operating system's. ``insecure_seed`` is for tests: it warns, marks the reports, and gives the bytes that
        the command line gives with the same seed. A missing value is an error, or left out with ``nulls="skip"``; a value
        outside the domain is an error, or moved to the nearest one inside with ``clamp=True``. Large columns are drawn by
        all cores unless ``threads`` says otherwise.
        """
        if insecure_seed is not None:
            _warn_of_seed(insecure_seed, stacklevel=3)
        column = _columns.read(self.domain, values, nulls=nulls, clamp=clamp)
        return Reports._of(self._core.randomize(column, insecure_seed, clamp, threads))

    def estimator(self) -> Estimator:
        """The estimator with the parameters that make the reports."""
        return Estimator(self)

    def decode(self, reports: Reports) -> npt.NDArray[np.float64]:
        """The numbers, angles, places or vectors that reports stand for."""
        if isinstance(self.domain, Vectors):
            return self._core.decode_vectors(reports._core).reshape(len(reports), -1)
        if isinstance(self.domain, Rectangle):
            return self._core.decode_places(reports._core).reshape(-1, 2)
        return self._core.decode_numbers(reports._core)

    def describe(self, input: object = None) -> dict[str, Any]:
        """The channel in numbers, with the keys of ``privet describe --json``."""
        info = self._core.info
        return {
            "id": info["id"],
            "title": info["title"],
            "domain": str(self.domain),
            "guarantee": self._core.guarantee,
            "requested_epsilon": self.epsilon,
            "report_bits": self.report_bits,
            "report_bytes": self.report_bytes,
            "numerics": info["numerics"],
            "slack": info["slack"],
            "reference": info["reference"],
            "fingerprint": self.fingerprint,
            "pieces": self._pieces(input),
        }

    def _pieces(self, input: object) -> list[dict[str, Any]]:
        domain = self.domain
        if isinstance(domain, (Interval, Circle)):
            value = _ends(domain)[0] if input is None else float(input)  # type: ignore[arg-type]
            rows = self._core.law(value)
            return [{"from": low, "to": high, "density": _density(low, high, mass), "mass": mass} for low, high, mass in rows]
        return [_piece(piece) for piece in self._core.pieces(_written(input))]

    def law(self, input: float) -> npt.NDArray[np.float64]:
        """The law of the report of a number or an angle: rows of from, to and probability. Points have equal ends."""
        return np.asarray(self._core.law(float(input)), dtype=np.float64).reshape(-1, 3)

    def cdf(self, input: float, values: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """The probability that the report of ``input`` is at most each of the values. For numbers and angles."""
        array = np.asarray(values, dtype=np.float64)
        shares = self._core.cdf(float(input), np.ascontiguousarray(array).reshape(-1))
        return shares.reshape(array.shape)

    def table(self) -> npt.NDArray[np.float64]:
        """The probability of each report (columns) for each category (rows), where reports are categories."""
        domain = self.domain
        rows = self._core.table(domain.labels) if isinstance(domain, Categories) else None
        if rows is None:
            raise ParameterError("reports of this mechanism are no categories", code="parameter-incompatible")
        return np.asarray(rows, dtype=np.float64)

    def error(
        self,
        loss: Loss | npt.ArrayLike = "absolute",
        *,
        input: Any = None,
        average: bool = False,
        prior: Sequence[float] | None = None,
    ) -> Error:
        """The expected loss of one report, exactly: at an input, on average, or the worst.

        For categories the loss is an array: the loss of each report (columns) for each category (rows). For places it is the
        distance, for vectors the mean squared error on the clip set.
        """
        if input is not None and average:
            raise ParameterError("an error is at an input or an average", code="parameter-incompatible")
        domain = self.domain
        if isinstance(domain, Vectors):
            return Error(self._core.vector_facts["mean_squared_error"], None, None, None)  # type: ignore[index]
        if isinstance(domain, Categories):
            return self._category_error(np.asarray(loss, dtype=np.float64), input, average, prior)
        if not isinstance(loss, str):
            raise ParameterError('a loss is "absolute" or "squared"', code="parameter-incompatible")
        if isinstance(domain, Rectangle):
            which = "average" if average else "worst" if input is None else "input"
            place = None if input is None else [float(one) for one in input]
            return Error(**self._core.plane_error(which, place))
        if average:
            return Error(**self._core.average_error(loss, None if prior is None else list(prior)))
        if input is not None:
            return Error(**self._core.error_at(loss, float(input)))
        return Error(**self._core.worst_error(loss))

    def _category_error(
        self, losses: npt.NDArray[np.float64], input: Any, average: bool, prior: Sequence[float] | None
    ) -> Error:
        if losses.ndim != 2:
            raise ParameterError("losses of categories are a table", code="parameter-incompatible")
        domain = self.domain
        assert isinstance(domain, Categories)
        errors = np.asarray(self._core.table_errors(losses.tolist()))
        if average:
            return Error(float(np.average(errors, weights=prior)), None, None, None)
        place = int(np.argmax(errors)) if input is None else domain.labels.index(str(input))
        return Error(float(errors[place]), domain.labels[place], None, None)

    def audit(self, *, samples: int = 100_000, confidence: float = 0.999_999) -> dict[str, Any]:
        """Whether the mechanism keeps its promise: exactly, from its integers, and from reports that it draws.

        The keys are those of ``privet audit --json``.
        """
        between("samples", samples, 100, 10**8)
        return {"id": self.id, "domain": str(self.domain), **self._core.audit(samples, confidence)}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mechanism) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        words = ", ".join(f"{name}={value}" for name, value in self._keywords.items())
        return f"{type(self).__name__}({words})"

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (type(self), self._keywords)


def _warn_of_seed(insecure_seed: int, *, stacklevel: int) -> None:
    warnings.warn(
        "reports drawn from an insecure seed protect nobody", InsecureSeedWarning, stacklevel=stacklevel
    )
    if not 0 <= insecure_seed < 2**64:
        raise ParameterError("a seed is a whole number of 64 bits", code="parameter-incompatible")


def _again(kind: type[Mechanism], keywords: dict[str, Any]) -> Mechanism:
    return kind(**keywords)


def _written(input: object) -> str | None:
    if input is None or isinstance(input, str):
        return input
    if isinstance(input, (bool, np.bool_)):
        return str(int(input))
    if isinstance(input, (Sequence, np.ndarray)):
        return ",".join(str(one) for one in input)
    return str(input)


def _density(low: float, high: float, mass: float) -> float | None:
    """The probability of each unit of length; none for single numbers."""
    return mass / (high - low) if high > low else None


def _piece(piece: dict[str, Any]) -> dict[str, Any]:
    return {"from": piece["what"], "to": piece["what"], "outcomes": piece["outcomes"], "mass": piece["mass"]}
