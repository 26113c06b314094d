"""Correlated perturbation: two people perturb together, and the estimate has less variance."""

from __future__ import annotations

from typing import Any

from privet import _privet

__all__ = ["plan"]


def plan(
    *,
    users: int,
    colluders: int,
    epsilon: float,
    ones: int | None = None,
    cap: float | None = None,
    known_others: bool = False,
) -> dict[str, Any]:
    """The best joint randomised response for a crowd, with the keys of ``privet joint plan --json``.

    The guarantee is an average over a secret pairing: ``exposed_epsilon`` is what is left for a person whose partner colludes,
    and ``cap`` bounds it. ``promised`` and ``not_promised`` say it in words.
    """
    return _privet.joint_plan(users, colluders, epsilon, ones, cap, known_others)
