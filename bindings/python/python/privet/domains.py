"""The public sets that private values come from. A domain fixes everything that is visible in a report."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import SupportsIndex

from privet import _privet
from privet.errors import ParameterError

__all__ = ["Binary", "Categories", "Circle", "Domain", "Interval", "Rectangle", "Vectors", "Words"]


class Domain:
    """Any domain. ``str(domain)`` is the form that the command line reads."""

    _core: _privet.Domain

    @staticmethod
    def parse(text: str) -> Domain:
        """A domain in its written form, such as ``"interval:0,1"`` or ``"categories:red,green,blue"``."""
        return _wrapped(_privet.Domain.parse(text))

    def __str__(self) -> str:
        return str(self._core)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self._core == other._core

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[object, ...]:
        if self._core.has_labels:
            return Categories, (self._core.labels,)
        return Domain.parse, (str(self),)


def _wrapped(core: _privet.Domain) -> Domain:
    kind = str(core).partition(":")[0]
    domain = object.__new__(_KINDS[kind])
    domain._core = core
    return domain


def _number(value: float, name: str) -> str:
    try:
        return repr(float(value))
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number", code="parameter-domain-syntax") from None


class Interval(Domain):
    """The numbers between two public ends, both included.

    >>> Interval(0, 120)
    <Interval interval:0,120>
    """

    def __init__(self, low: float, high: float) -> None:
        self._core = _privet.Domain.parse(f"interval:{_number(low, 'low')},{_number(high, 'high')}")


class Circle(Domain):
    """The angles from zero up to one turn, the turn itself excluded.

    >>> Circle(360)
    <Circle circle:360>
    """

    def __init__(self, period: float) -> None:
        self._core = _privet.Domain.parse(f"circle:{_number(period, 'period')}")


class Categories(Domain):
    """A finite set in a public order: ``Categories(128)``, or with names.

    A value is called by its name. Without names these are 0, 1, .., count - 1.

    >>> Categories(["walk", "bus", "car"]).labels
    ['walk', 'bus', 'car']
    """

    def __init__(self, categories: SupportsIndex | Iterable[object]) -> None:
        if isinstance(categories, bool):
            raise ParameterError("categories are a number or a list of names", code="parameter-domain-syntax")
        if isinstance(categories, SupportsIndex):
            self._core = _privet.Domain.parse(f"categories:{operator.index(categories)}")
        elif isinstance(categories, str):
            raise ParameterError("names of categories are a list", code="parameter-domain-syntax")
        else:
            self._core = _privet.Domain.labelled([str(name) for name in categories])

    @property
    def labels(self) -> list[str]:
        """The names of all categories, in order."""
        return self._core.labels

    def __len__(self) -> int:
        return len(self._core.labels)


class Binary(Categories):
    """Yes or no: two categories called 0 and 1; ``True`` is 1.

    >>> Binary()
    <Binary binary>
    """

    def __init__(self) -> None:
        self._core = _privet.Domain.parse("binary")


class Rectangle(Domain):
    """Places: the ends of the first coordinate, then those of the second. A column is an array of shape (n, 2)."""

    def __init__(self, low_a: float, high_a: float, low_b: float, high_b: float) -> None:
        ends = (low_a, high_a, low_b, high_b)
        self._core = _privet.Domain.parse("rectangle:" + ",".join(_number(end, "an end") for end in ends))


class Words(Domain):
    """All words of at most this many bytes of UTF-8, from a dictionary that nobody knows in advance."""

    def __init__(self, longest: int) -> None:
        self._core = _privet.Domain.parse(f"words:{longest}")


class Vectors(Domain):
    """All vectors of one dimension. A column is an array of shape (n, dimension)."""

    def __init__(self, dimension: int) -> None:
        self._core = _privet.Domain.parse(f"vector:{dimension}")


_KINDS: dict[str, type[Domain]] = {
    "binary": Binary,
    "categories": Categories,
    "circle": Circle,
    "interval": Interval,
    "rectangle": Rectangle,
    "vector": Vectors,
    "words": Words,
}
