"""Checks that several modules make."""

from __future__ import annotations

from privet.errors import ParameterError

__all__ = ["between"]


def between(name: str, value: int, low: int, high: int) -> int:
    """A whole number within public limits, so that no call asks for more memory than a machine has."""
    if not low <= value <= high:
        raise ParameterError(f"{name} is between {low} and {high}: got {value}", code="parameter-incompatible")
    return value
