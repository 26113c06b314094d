"""Locations and paths: each place is perturbed on its own, for the whole continuous space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from privet import _privet
from privet._checks import between
from privet._mechanism import Guarantee, _warn_of_seed
from privet.domains import Rectangle
from privet.errors import DomainError

__all__ = ["METHODS", "Method", "Space", "metrics"]

Floats = npt.NDArray[np.float64]

METHODS: tuple[str, ...] = tuple(_privet.LocationReports.names())
"""The names of all methods: ``window-2d``, ``tracs-c``, ``tracs-d`` and those that they are compared with."""


class Space:
    """Where people are: ``Space(privet.Rectangle(0, 1, 0, 1))``, a disc, a sphere, or a box of longitudes and latitudes."""

    _core: _privet.Space

    def __init__(self, rectangle: Rectangle) -> None:
        self._core = _privet.Space.rectangle(rectangle._core)

    @classmethod
    def _of(cls, core: _privet.Space) -> Space:
        space = object.__new__(cls)
        space._core = core
        return space

    @classmethod
    def disc(cls, radius: float, centre: tuple[float, float] = (0.0, 0.0)) -> Space:
        """A disc of the plane, the border included."""
        return cls._of(_privet.Space.disc(list(centre), radius))

    @classmethod
    def sphere(cls, radius: float) -> Space:
        """A sphere: longitude from -180 to 180 and latitude from -90 to 90 degrees, distances along great circles."""
        return cls._of(_privet.Space.sphere(radius))

    @classmethod
    def geographic(cls, *, west: float, south: float, east: float, north: float) -> Space:
        """A box of longitudes and latitudes. Distances are metres."""
        return cls._of(_privet.Space.geographic(west, south, east, north))

    def __str__(self) -> str:
        return str(self._core)

    def __repr__(self) -> str:
        return f"<Space {self}>"


def _flat(paths: Sequence[npt.ArrayLike]) -> tuple[list[float], list[int]]:
    arrays = [np.asarray(path, dtype=np.float64) for path in paths]
    for array in arrays:
        if array.ndim != 2 or array.shape[1] != 2:
            raise DomainError(f"a path has shape (n, 2): got {array.shape}", code="input-dimension")
    lengths = [len(array) for array in arrays]
    return (np.concatenate(arrays).ravel().tolist() if arrays else []), lengths


def _split(coordinates: Floats, lengths: list[int]) -> list[Floats]:
    places = coordinates.reshape(-1, 2)
    return [np.asarray(part) for part in np.split(places, np.cumsum(lengths)[:-1])] if lengths else []


class Method:
    """A method for locations. Epsilon is that of one place; a path of n places costs n times as much."""

    def __init__(self, name: str = "window-2d", *, space: Space | Rectangle, epsilon: float, cells: int = 10) -> None:
        self.name = name
        self.space = Space(space) if isinstance(space, Rectangle) else space
        self.epsilon = epsilon
        self.cells = between("cells", cells, 1, 1024)
        self._core = _privet.LocationReports(name, self.space._core, epsilon, cells)

    @property
    def guarantee(self) -> Guarantee | None:
        """What the report of one place promises; None where the method promises nothing for the whole space."""
        found = self._core.guarantee
        return None if found is None else Guarantee(**found)

    @property
    def why_not(self) -> str | None:
        """Why the promise does not hold for the whole space, if it does not."""
        return self._core.scope

    def perturb(self, paths: Sequence[npt.ArrayLike], *, insecure_seed: int | None = None) -> list[Floats]:
        """A path of reports for each path: arrays of shape (n, 2)."""
        if insecure_seed is not None:
            _warn_of_seed(insecure_seed, stacklevel=3)
        flat = _flat(paths)
        return _split(self._core.perturb(flat, insecure_seed), flat[1])

    def density(self, reports: Sequence[npt.ArrayLike], *, cells: int = 16) -> Floats:
        """The population's shares in the cells of a grid of shape (cells, cells), by maximum likelihood."""
        between("cells", cells, 1, 256)
        shares, _ = self._core.estimate(_flat(reports), cells)
        return shares.reshape(cells, cells)

    def smooth(
        self, reports: Sequence[npt.ArrayLike], *, reach: float, jump: float = 0.01, cells: int = 16
    ) -> list[Floats]:
        """The best reading of each report, given the population and a public model of motion.

        ``reach`` is how far people get from one place to the next, ``jump`` the probability of a jump anywhere.
        """
        flat = _flat(reports)
        _, places = self._core.estimate(flat, between("cells", cells, 1, 256), [reach, jump])
        return [] if places is None else _split(places, flat[1])

    def __repr__(self) -> str:
        return f"Method({self.name!r}, space={self.space}, epsilon={self.epsilon})"


def metrics(
    space: Space | Rectangle,
    paths: Sequence[npt.ArrayLike],
    reports: Sequence[npt.ArrayLike],
    *,
    within: float,
    cells: int = 10,
    hotspot_share: float = 0.1,
) -> dict[str, Any]:
    """How far reports are from the truth.

    ``average_error`` is the mean distance, ``range_query`` the share of reports within a distance, ``hotspot_difference`` the
    number of places in hotspots whose report is in none, for each path; ``dynamic_time_warping`` and ``frechet`` compare whole paths.
    """
    between("cells", cells, 1, 1024)
    where = Space(space) if isinstance(space, Rectangle) else space
    return where._core.metrics(_flat(paths), _flat(reports), within, cells, hotspot_share)
