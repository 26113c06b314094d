"""Policies: the contract between a collector and its people."""

from __future__ import annotations

import datetime
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privet import _privet
from privet._checks import people, smooth_bins
from privet._mechanism import _warn_of_seed
from privet.errors import DomainError, ParameterError, ReportError, StorageError
from privet.estimates import Target
from privet.estimators import Step
from privet.optimal import _read
from privet.reports import Reports

__all__ = ["Answer", "Client", "Policy", "PolicySummary"]


class PolicySummary:
    """What a collector keeps of reports under a policy. Adding is commutative and associative."""

    _core: _privet.PolicySummary

    @classmethod
    def _of(cls, core: _privet.PolicySummary, policy: Policy) -> PolicySummary:
        summary = object.__new__(cls)
        summary._core = core
        summary._policy = policy
        return summary

    _policy: Policy

    def to_bytes(self) -> bytes:
        """The bytes to store or send: those that the collector takes."""
        return self._core.to_bytes()

    def merge(self, other: PolicySummary) -> PolicySummary:
        """The summary of the reports of both. Reports that both have seen are refused."""
        return PolicySummary._of(self._core.merged(other._core), self._policy)

    def __add__(self, other: PolicySummary) -> PolicySummary:
        return self.merge(other)

    def __radd__(self, other: object) -> PolicySummary:
        return self if other == 0 else NotImplemented

    @property
    def n(self) -> int:
        """How many reports were added."""
        return self._core.n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PolicySummary) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<PolicySummary of {self.n} reports under {self._policy.id[:16]}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _summary_again, (self._policy, self.to_bytes())


def _summary_again(policy: Policy, data: bytes) -> PolicySummary:
    return policy.summary_from_bytes(data)


class Policy:
    """A policy in which everything is decided: mechanisms, epsilons, and how attributes share the budget."""

    _core: _privet.Policy

    def __init__(self, text: str) -> None:
        self._core = _privet.Policy.read(text)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Policy:
        """Reads a policy in TOML or JSON. Files of solved mechanisms are looked for beside it."""
        policy = object.__new__(Policy)
        policy._core = _privet.Policy.read(_read(path), os.fspath(Path(path).resolve().parent))
        return policy

    @property
    def id(self) -> str:
        """The hash of everything that was decided."""
        return self._core.id

    @property
    def attributes(self) -> list[str]:
        """The names of the private attributes."""
        return self._core.columns[0]

    @property
    def public_fields(self) -> list[str]:
        """The names of the public fields, which are sent as they are."""
        return self._core.columns[1]

    @property
    def report_bytes(self) -> int:
        """How many bytes every report has."""
        return self._core.report_bytes

    def to_json(self) -> str:
        """The resolved policy. Its hash is the id."""
        return self._core.to_json()

    def statement(self) -> dict[str, Any]:
        """What the policy means for a person, as ``privet policy show --json``."""
        return self._core.statement()

    def perturb(
        self,
        table: Any,
        *,
        day: datetime.date | str | None = None,
        insecure_seed: int | None = None,
    ) -> Reports:
        """A report for each row of a table: a data frame, an Arrow table or a dictionary of columns.

        The columns that are called like attributes and public fields are read, and no others. Nothing is kept of who has
        reported: devices use ``Client``, which keeps a ledger. Attributes with permanent answers are refused.
        """
        if insecure_seed is not None:
            _warn_of_seed(insecure_seed, stacklevel=3)
        private, public = self._core.columns
        columns = [_texts(table, name) for name in private]
        open_columns = [_texts(table, name) for name in public]
        return Reports._of(self._core.perturb(columns, open_columns, _day(day), insecure_seed))

    def summarize(
        self, reports: Reports | Iterable[Reports], *, insecure: bool = False, epoch: int | None = None
    ) -> PolicySummary:
        """Counts reports, each id once; with an epoch, those of this one."""
        core = self._core.empty_summary(epoch)
        for batch in [reports] if isinstance(reports, Reports) else reports:
            if not isinstance(batch, Reports):
                raise ReportError("summarize takes reports: see privet.Reports", code="report-text")
            self._core.accumulate(core, batch._core, insecure)
        return PolicySummary._of(core, self)

    def empty_summary(self) -> PolicySummary:
        """The summary of no reports."""
        return PolicySummary._of(self._core.empty_summary(), self)

    def summary_from_bytes(self, data: bytes) -> PolicySummary:
        """A summary that was stored."""
        return PolicySummary._of(self._core.summary_from_bytes(data), self)

    def estimate(
        self,
        source: Reports | PolicySummary | Iterable[Reports],
        *,
        by: str | None = None,
        step: Step = "none",
        target: Target = "reported",
        smooth: int | None = None,
        insecure: bool = False,
    ) -> list[dict[str, Any]]:
        """The estimates of all attributes, with the keys of ``privet estimate --policy --json``.

        ``by`` names a public field: one estimate for each of its values. Nothing is shown of fewer reports than the policy's minimum.
        ``target`` and ``smooth`` are those of ``Estimator``. Where a lottery decides which question a person answers, estimates
        about people who reported are about all who took part in it.
        """
        summary = source if isinstance(source, PolicySummary) else self.summarize(source, insecure=insecure)
        return self._core.estimates(summary._core, by, step, people(target), smooth_bins(smooth))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.id == other.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<Policy {self.id[:16]}: {', '.join(self.attributes)}>"

    def __reduce__(self) -> tuple[object, ...]:
        return Policy, (self.to_json(),)


def _day(day: datetime.date | str | None) -> str:
    if day is None:
        return datetime.datetime.now(datetime.UTC).date().isoformat()
    return day if isinstance(day, str) else day.isoformat()


def _texts(table: Any, name: str) -> list[str]:
    try:
        column = table[name]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        raise ParameterError(f"the table has no column {name!r}", code="parameter-incompatible") from None
    except Exception as error:
        if type(error).__name__ in ("ColumnNotFoundError", "ArrowKeyError"):
            raise ParameterError(f"the table has no column {name!r}", code="parameter-incompatible") from None
        raise
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            column = getattr(column, method)()
            break
    return [_text(value, position) for position, value in enumerate(column, 1)]


def _text(value: object, position: int) -> str:
    """A value as people write it; numbers are written so that they are read back as the same number."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "1" if value else "0"
    if isinstance(value, (float, np.floating)) and not np.isnan(value):
        return repr(float(value))
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (Sequence, np.ndarray)):
        return ",".join(_text(one, position) for one in value)
    raise DomainError(f"value number {position} is missing or of another kind", code="input-null")


@dataclass(frozen=True)
class Answer:
    """A report that is recorded and may be sent, any number of times."""

    report: bytes
    is_repeated: bool
    """Whether it was made before, so that nothing was drawn or spent."""
    spent: float
    """The epsilon of all reports to the policy's origin, this one included."""


class Client:
    """One person's device: a ledger file, and the secret behind permanent answers beside it.

    The draw, its cost and the report are stored in one record before anything is handed out. Asking again in the same epoch gives
    the same bytes.
    """

    def __init__(self, ledger: str | os.PathLike[str], *, origin_limit: float | None = None) -> None:
        self._ledger = Path(ledger)
        self._limit = origin_limit

    def answer(
        self, policy: Policy, values: Mapping[str, object], *, day: datetime.date | str | None = None
    ) -> Answer:
        """The report of a day, with a value for each attribute and public field of the policy."""
        public = set(policy.public_fields)
        texts = [(name, _text(value, 1)) for name, value in values.items()]
        private = [pair for pair in texts if pair[0] not in public]
        shown = [pair for pair in texts if pair[0] in public]
        ledger = os.fspath(self._ledger)
        core = policy._core
        report, is_repeated, spent = core.answer(ledger, self._secret(), private, shown, _day(day), self._limit)
        return Answer(report, is_repeated, spent)

    def _secret(self) -> list[int]:
        path = Path(f"{self._ledger}.secret")
        is_new = _privet.ledger_is_empty(os.fspath(self._ledger))
        try:
            if not path.exists() and is_new:
                _write_secret(path, secrets.token_bytes(32))
            secret = path.read_bytes()
        except OSError as error:
            raise StorageError(
                f"the secret beside the ledger cannot be used: {error.strerror}",
                code="ledger-damaged",
                hint="without it, permanent answers would be drawn again",
            ) from error
        if len(secret) != 32:
            raise StorageError("the secret beside the ledger must have 32 bytes", code="ledger-damaged")
        return list(secret)


def _write_secret(path: Path, secret: bytes) -> None:
    """Stores 256 bits for their owner only, wholly or not at all, and never over others."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
