"""Reports: what leaves a device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from privet import _privet
from privet.errors import ReportError

__all__ = ["Reports"]


class Reports:
    """Reports of one mechanism, each with the same number of bytes.

    ``reports[i]`` is one report as it is sent: version, mark, fingerprint of the mechanism, and the randomised value. These are
    the bytes that the command line writes. The object itself speaks Arrow (``pyarrow.array(reports)``).
    """

    _core: _privet.Reports

    def __init__(self, sealed: Iterable[bytes]) -> None:
        core = _privet.Reports.from_sealed([bytes(report) for report in sealed])
        self._core = _some(core)

    @classmethod
    def _of(cls, core: _privet.Reports) -> Reports:
        reports = object.__new__(cls)
        reports._core = core
        return reports

    @classmethod
    def from_hex(cls, reports: Iterable[str]) -> Reports:
        """Reports as they stand in csv files, in hexadecimal digits."""
        return cls._of(_some(_privet.Reports.from_hex([str(report) for report in reports])))

    @classmethod
    def from_arrow(cls, column: Any) -> Reports:
        """Reports as they stand in parquet and Arrow files, or a column of hexadecimal digits."""
        return cls._of(_some(_privet.Reports.from_arrow(column)))

    @property
    def report_bytes(self) -> int:
        """How many bytes a report has without its header."""
        return self._core.report_bytes

    @property
    def fingerprint(self) -> str:
        """The mechanism that made them, in short."""
        return bytes(self._core.fingerprint).hex()

    @property
    def insecure(self) -> bool:
        """Whether they were drawn from a seed that anybody can repeat."""
        return self._core.insecure

    def to_numpy(self) -> npt.NDArray[np.uint8]:
        """The randomised values as rows of bytes, without headers."""
        return self._core.to_numpy()

    def to_hex(self) -> list[str]:
        """The reports in hexadecimal digits, as the command writes them into csv files."""
        return self._core.to_hex()

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self._core.__arrow_c_array__(requested_schema)

    def __len__(self) -> int:
        return len(self._core)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Reports: ...
    def __getitem__(self, index: int | slice) -> bytes | Reports:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return Reports._of(self._core.slice(start, max(start, stop)))
            rows = np.ascontiguousarray(self.to_numpy()[index])
            parts = (self.report_bytes, rows.tobytes(), self._core.fingerprint, self.insecure)
            return Reports._of(_privet.Reports.from_parts(*parts))
        place = index + len(self) if index < 0 else index
        sealed = self._core.sealed_at(place) if place >= 0 else None
        if sealed is None:
            raise IndexError(f"there are {len(self)} reports: got index {index}")
        return sealed

    def __iter__(self) -> Iterator[bytes]:
        return (self[index] for index in range(len(self)))

    def __add__(self, other: Reports) -> Reports:
        return Reports._of(self._core.joined(other._core))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reports) and self._core == other._core

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        mark = ", insecure seed" if self.insecure else ""
        return f"<Reports: {len(self)} of {self.report_bytes} bytes by {self.fingerprint}{mark}>"

    def __reduce__(self) -> tuple[object, ...]:
        parts = (self.report_bytes, self._core.body(), self._core.fingerprint, self.insecure)
        return _from_parts, parts


def _some(core: _privet.Reports | None) -> _privet.Reports:
    if core is None:
        raise ReportError("there is no report to tell the mechanism from", code="report-length")
    return core


def _from_parts(report_bytes: int, body: bytes, fingerprint: list[int], insecure: bool) -> Reports:
    return Reports._of(_privet.Reports.from_parts(report_bytes, body, fingerprint, insecure))
