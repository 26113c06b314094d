"""Checks that several modules make."""

from __future__ import annotations

from typing import get_args

import numpy as np

from privet.errors import ParameterError
from privet.estimates import Target

__all__ = ["between", "people", "smooth_bins"]


def between(name: str, value: int, low: int, high: int) -> int:
    """A whole number within public limits, so that no call asks for more memory than a machine has."""
    if not low <= value <= high:
        raise ParameterError(f"{name} is between {low} and {high}: got {value}", code="parameter-incompatible")
    return value


def people(target: Target) -> Target:
    """Which people an estimate is about, if there is such a target."""
    if not isinstance(target, str) or target not in get_args(Target):
        raise ParameterError(f"a target is reported or population: got {target!r}", code="parameter-incompatible")
    return target


def smooth_bins(smooth: int | None) -> int | None:
    """In how many bins people are spread evenly, if that is supposed."""
    if smooth is None:
        return None
    if isinstance(smooth, bool) or not isinstance(smooth, (int, np.integer)):
        raise ParameterError(f"smooth is a number of bins or None: got {smooth!r}", code="parameter-incompatible")
    return between("smooth", int(smooth), 2, 256)
