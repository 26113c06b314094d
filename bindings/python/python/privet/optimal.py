"""The best mechanism there can be, with the proof; and advice about known ones."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from privet import _privet
from privet._mechanism import Mechanism
from privet.domains import Domain
from privet.errors import ParameterError, StorageError

__all__ = ["Solution", "SolvedMechanism", "advise", "optimize"]

Goal = Literal["mean", "distribution", "frequency", "point"]


class SolvedMechanism(Mechanism):
    """A mechanism that was solved for, with a domain and an epsilon of its own. Its channel is data: integers and their hash."""

    def __init__(self, *, text: str) -> None:
        self._core = _privet.Mechanism.from_solution(text)
        self._keywords = {"text": text}

    @staticmethod
    def load(path: str | os.PathLike[str]) -> SolvedMechanism:
        """The mechanism of a file that ``optimize`` or ``privet optimize --out`` wrote."""
        return SolvedMechanism(text=_read(path))

    def __repr__(self) -> str:
        return f"SolvedMechanism({self.id}, domain={self.domain}, epsilon={self.epsilon})"


def _read(path: str | os.PathLike[str]) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise StorageError(f"cannot read {os.fspath(path)}: {error.strerror}", code="file") from error


@dataclass(frozen=True)
class Solution:
    """The best channel, its loss, and the proof of how good it is."""

    mechanism: SolvedMechanism
    achieved: float
    """The exact loss of the mechanism, in the units of the domain."""
    lower_bound: float
    """What no mechanism with this epsilon can be below. The certificate in the file proves it."""
    gap: float
    """How far the loss may be from the best, as a share of it."""
    text: str = field(repr=False)

    @classmethod
    def _of(cls, document: dict[str, Any]) -> Solution:
        text = document["mechanism"]
        mechanism = SolvedMechanism(text=text)
        return cls(mechanism, document["achieved"], document["lower_bound"], document["gap"], text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the mechanism and its proof, as ``privet optimize --out`` does."""
        Path(path).write_text(self.text, encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Solution:
        """Reads a file and checks every claim in it from its integers alone."""
        return cls._of(_privet.verify(_read(path)))

    def verify(self) -> None:
        """Checks that the channel keeps epsilon, that its loss is the claimed one, and that the certificate proves the bound."""
        _privet.verify(self.text)


def optimize(
    *,
    domain: Domain,
    epsilon: float,
    loss: Literal["absolute", "squared"] | npt.ArrayLike = "absolute",
    objective: Literal["minimax", "average"] = "minimax",
    prior: Sequence[float] | None = None,
    unbiased: bool = False,
    range: tuple[float, float] | None = None,
) -> Solution:
    """The channel with the smallest loss of all that keep epsilon, and the certificate.

    ``loss`` is a distance, or for categories a table: the loss of each report (columns) for each category (rows). ``prior``
    has the weights of equal bins, for the average. ``unbiased`` makes the mean report the value; ``range`` bounds the reports.
    Solutions are kept in a folder (``PRIVET_CACHE``), so asking again is quick. Ctrl-C stops the solver.
    """
    if objective not in ("minimax", "average"):
        raise ParameterError(f"an objective is minimax or average: got {objective!r}", code="parameter-incompatible")
    if range is not None and not unbiased:
        raise ParameterError("a range is about unbiased reports", code="parameter-incompatible")
    losses = loss if isinstance(loss, str) else np.asarray(loss, dtype=np.float64).tolist()
    weights = None if prior is None else [float(weight) for weight in prior]
    ends = None if range is None else [float(end) for end in range]
    found = _privet.optimize(domain._core, epsilon, losses, objective == "average", weights, unbiased, ends)
    return Solution._of(found)


def advise(
    *,
    domain: Domain,
    goal: Goal,
    users: int,
    epsilon: float | None = None,
    target_error: float | None = None,
    loss: Literal["absolute", "squared"] | None = None,
    bins: int | None = None,
    delta: float | None = None,
    mechanisms: Sequence[str] = (),
) -> dict[str, Any]:
    """Which mechanism for which goal: the smallest error at an epsilon, or the smallest epsilon for a target error.

    The keys are those of ``privet advise --json``: ``recommended`` with ``id``, ``epsilon`` and ``expected_error``, and
    ``alternatives``. ``mechanisms`` names those that have to be solved for and are compared as well.
    """
    return _privet.advise(
        domain._core, goal, users, epsilon, target_error, loss, bins, delta, list(mechanisms)
    )
